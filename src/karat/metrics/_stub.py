"""Stubs of the metrics from the catalog: functions with signature, summary and definition."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Final

from karat.metrics._lift import Lift
from karat.metrics._metric import Metric
from karat.metrics._record import Parameter, Record
from karat.metrics._registry import every_record

_COMMON: Final = (
    "labels: Any = None",
    "positive: Any = None",
    "weights: Any = None",
    'undefined: _Undefined = "zero"',
    "n_threads: int | None = None",
)
_SCORES: Final = ("y_prob: Any = None", "y_logit: Any = None", "y_score: Any = None")
_KINDS: Final = {
    "number": "float",
    "count": "int",
    "choice": "str",
    "matrix": "Any",
    "labels": "Any",
    "flag": "bool",
}
_WIDTH: Final = 96
"""Columns of a docstring line, without its indent."""


def functions_text() -> str:
    """Return the stubs of all metrics: one function for each name."""
    return "".join(text for record in every_record() for text in _functions(record))


def _functions(record: Record) -> list[str]:
    """Return the stubs of a record's names: its own, those of its averages, its aliases."""
    found = [_function(record, record.name)]
    for average in record.averages_on_sets:
        names = dict.fromkeys([record.lifted(average), f"{average}_{record.name}"])
        found += [_function(record, name, average, next(iter(names))) for name in names]
    return [*found, *(_function(record, alias, of=record.name) for alias in record.aliases)]


def _function(record: Record, name: str, lift: Lift = "plain", of: str = "") -> str:
    """Return the stub of a name, with overloads by average for a metric of one class."""
    doc = _docstring(record, lift, "" if of == name else of)
    if not record.is_per_class or lift != "plain":
        return _def(record, name, (), "float", doc)
    choices = ", ".join(f'"{average}"' for average in record.averages_on_sets)
    chosen = (f"average: Literal[{choices}] = ...",) if choices else ()
    # Jedi shows the docstring of the last overload, Pyright that of the first.
    each = _def(record, name, ("average: None",), "_Floats")
    return f"@overload\n{each}@overload\n{_def(record, name, chosen, 'float', doc)}"


def _def(record: Record, name: str, average: tuple[str, ...], returns: str, doc: str = "") -> str:
    own = (*average, *map(_parameter, record.parameters))
    inner = ["y_true: Any = None", "y_pred: Any = None", "*", *own, "confusion: Any = None"]
    if not record.is_traced:
        inner = ["y_true: Any = None", "*", *_SCORES, *own]
    inner += _COMMON
    if record.is_only_of_sets:
        # Options for rows with one class.
        inner = [item for item in inner if not item.startswith(("confusion:", "positive:"))]
    arguments = "".join(f"    {item},\n" for item in inner)
    return f"def {name}(\n{arguments}) -> {returns}:{doc or ' ...'}\n"


def _parameter(item: Parameter) -> str:
    kind = _KINDS[item.kind]
    if item.kind == "choice":
        kind = "Literal[" + ", ".join(f'"{choice}"' for choice in item.choices) + "]"
    if item.is_required:
        return f"{item.name}: {kind}"
    if item.default is None and kind != "Any":
        kind += " | None"
    default = f'"{item.default}"' if isinstance(item.default, str) else repr(item.default)
    is_short = item.default is None or isinstance(item.default, bool | int | float | str)
    return f"{item.name}: {kind} = {default if is_short else '...'}"


def _docstring(record: Record, lift: Lift, of: str) -> str:
    """Return the summary, the definition, and the canonical name of an alias."""
    metric = Metric(record, lift, Metric.defaults(record))
    parts = [record.summary, f"Definition: {metric.definition}"]
    return docstring_text([*parts, f"Another name of `{of}`."] if of else parts)


def docstring_text(paragraphs: Sequence[str]) -> str:
    """Format paragraphs as the docstring of a stub function, which has no other body."""
    look: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    # The quotes are on the first line, both of them if it is the only one.
    first, *others = textwrap.wrap(paragraphs[0], _WIDTH - 6, **look)
    lines = [first, *others]
    for paragraph in paragraphs[1:]:
        lines += ["", *textwrap.wrap(paragraph, _WIDTH, **look)]
    text = "\n".join(f"    {line}".rstrip() for line in lines).lstrip()
    is_raw = "\\" in text
    end = "\n    " if "\n" in text else ""
    return f'\n    {"r" if is_raw else ""}"""{text}{end}"""\n'
