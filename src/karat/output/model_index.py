"""The metadata of a model card: what the Hugging Face Hub reads of a README."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from karat.metrics import get
from karat.output.tidy import rows_of_metrics
from karat.results.headlines import headline_names

if TYPE_CHECKING:
    from os import PathLike

    from karat.output.tidy import Row
    from karat.results.report import ClassReport

_ARGUMENTS: Final[Mapping[str, dict[str, str]]] = {
    "roc_auc_ovr_macro": {"average": "macro", "multi_class": "ovr"},
    "roc_auc_ovr_micro": {"average": "micro", "multi_class": "ovr"},
    "roc_auc_ovr_weighted": {"average": "weighted", "multi_class": "ovr"},
    "roc_auc_ovo_macro": {"average": "macro", "multi_class": "ovo"},
    "roc_auc_ovo_weighted": {"average": "weighted", "multi_class": "ovo"},
}
"""With which arguments theirs gives this number, beside the average of a name."""
_TYPES: Final = {"brier": "brier_score", "jaccard": "jaccard_score"} | dict.fromkeys(
    _ARGUMENTS, "roc_auc"
)
"""What the Hub calls a metric, where that is not karat's name of it."""


class ModelIndex(dict[str, Any]):
    """The metadata as a dict, ``{"model-index": [...]}``, which `to_yaml` writes.

    ``huggingface_hub.metadata_update(repo, dict(index))`` takes it as it is.
    """

    def to_yaml(self, path: str | PathLike[str] | None = None) -> str:
        """The lines that stand between ``---`` and ``---`` at the head of a README.

        Args:
            path: a file that they are written to as well.

        Returns:
            YAML without a line end after the last line; every text of a user is quoted.
        """
        from karat.tally.writing import write_text

        text = yaml_of(self)
        if path is not None:
            write_text(path, text + "\n")
        return text


def model_index_of(
    report: ClassReport,
    *,
    model_name: str,
    dataset: str,
    dataset_type: str | None,
    config: str | None,
    split: str | None,
    revision: str | None,
    task: str,
    metrics: Iterable[str] | None,
) -> ModelIndex:
    """See `karat.Report.to_model_index`."""
    names = headline_names(report, "headline") if metrics is None else list(metrics)
    told = {
        "type": dataset if dataset_type is None else dataset_type,
        "name": dataset,
        "config": config,
        "split": split,
        "revision": revision,
    }
    # A value that is no number has no place in a table of results.
    rows = [row for row in rows_of_metrics(report, names) if _is_finite(row["value"])]
    result = {
        "task": {"type": task},
        "dataset": {name: value for name, value in told.items() if value is not None},
        "metrics": [_entry(row) for row in rows],
    }
    return ModelIndex({"model-index": [{"name": model_name, "results": [result]}]})


def _entry(row: Row) -> dict[str, Any]:
    metric = get(str(row["metric"]))
    name = metric.record.name
    entry = {"type": _TYPES.get(name, name), "value": row["value"], "name": row["metric"]}
    facts: dict[str, Any] = dict(_ARGUMENTS.get(name, {}))
    if metric.lift in ("macro", "micro", "weighted"):
        facts["average"] = metric.lift
    facts |= {key: value for key, value in metric.params if isinstance(value, str | int | float)}
    if row["level"] is not None:
        ends = (row["low"], row["high"])
        # An end that is infinite is none: neither JSON nor the Hub has a number for it.
        facts["interval"] = [end if _is_finite(end) else None for end in ends]
        facts["level"] = row["level"]
    if row["undefined"]:
        facts["undefined"] = row["undefined"]
    return {**entry, "args": {**facts, "n_rows": row["n"]}}


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


_PLAIN: Final = re.compile(r"[A-Za-z][\w\-]*", re.ASCII)
# Words that readers of YAML 1.1 take for something else than text.
_WORDS: Final = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}


def yaml_of(content: Mapping[str, Any]) -> str:
    """The text of a dict, in block style, without a line end after the last line."""
    return "\n".join(_mapping(content, ""))


def _mapping(content: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in content.items():
        head = f"{indent}{_scalar(key)}:"
        if isinstance(value, Mapping) and value:
            yield head
            yield from _mapping(value, indent + "  ")
        elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            yield head
            for item in value:
                first, *rest = _mapping(item, indent + "  ")
                yield f"{indent}- {first.removeprefix(indent + '  ')}"
                yield from rest
        else:
            yield f"{head} {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_scalar, value))}]"
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, float):
        # 1e-05 without a point is text in YAML 1.1.
        text = repr(value)
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    text = str(value)
    is_plain = _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS
    return text if is_plain else f'"{"".join(map(_quoted, text))}"'


def _quoted(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    # Half of a character is no code point that YAML can hold: its escape is shown as text.
    if 0xD800 <= code < 0xE000:
        return f"\\\\u{code:04x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\U{code:08x}"
