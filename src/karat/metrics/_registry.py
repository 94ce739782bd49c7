"""Catalog: every record by name and alias, and the grammar of metric names.

A module of this package without a leading underscore is a family; all families are imported at
first use.
"""

from __future__ import annotations

import ast
import copyreg
import difflib
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, cast, get_args

from karat.errors import KaratError, error, shown
from karat.errors.habits import metric_word
from karat.metrics import _record
from karat.metrics._lift import Average, Lift
from karat.metrics._metric import Metric
from karat.metrics._record import Record, unfit

_OF_CLASS = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*\[(?P<label>.+)\]\s*", re.DOTALL)
"""Of one class, as ``recall[malignant]``."""
_SPEC = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)
_DIGITS = str.maketrans("il", "11")
"""Letters typed for a digit: ``fi``."""
_by_name: dict[str, Record] = {}
_by_lift_name: dict[str, tuple[Record, Lift]] = {}
_n_indexed = 0


def _index() -> dict[str, Record]:
    """Return names and aliases → record, updated with new registrations."""
    global _n_indexed
    _import_families()
    registered = _record._registered
    for record in registered[_n_indexed:]:
        spellings = (record.name, *record.aliases)
        averaged = [f"{a}_{name}" for a in record.averages_on_sets for name in spellings]
        for name in (*spellings, *averaged, *record.lift_names.values()):
            held = (other for other, lift in _meanings(name) if lift in _lifts(other))
            clash = next(held, record)
            if clash is not record:
                registered.remove(record)
                raise error(
                    "K304", name=record.name, found=f"The name {name!r} already means {clash.name}"
                )
        for name in spellings:
            _by_name[name] = record
        for average, name in record.lift_names.items():
            _by_lift_name[name] = (record, cast("Lift", average))
    _n_indexed = len(registered)
    return _by_name


@lru_cache(maxsize=1)
def _import_families() -> None:
    """Import the families, including those in folders added to the package before its first use."""
    load_families()


def load_families() -> None:
    """Import every family, so that the order of the catalog does not depend on the caller."""
    for module in pkgutil.iter_modules(sys.modules[__name__.rpartition(".")[0]].__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__package__}.{module.name}")


def _without_number(name: str) -> tuple[str, dict[str, int]]:
    """Return the record name that ``top_5_accuracy`` means, and its parameter; others as given."""
    _index()
    if name not in _by_name and any(map(str.isdigit, name)):
        for record in every_record():
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[0-9]{1,18})", re.escape(record.numbered))
            match = re.fullmatch(pattern, name) if record.numbered else None
            if match is not None:
                return record.name, {key: int(text) for key, text in match.groupdict().items()}
    return name, {}


def _meanings(name: str) -> Iterator[tuple[Record, Lift]]:
    """Yield the meanings of `f1`, `macro_f1` or scikit-learn's `f1_macro`, or missing averages."""
    if name in _by_name:
        yield _by_name[name], "plain"
    if name in _by_lift_name:
        yield _by_lift_name[name]
    for average in get_args(Average):
        for base in (name.removeprefix(f"{average}_"), name.removesuffix(f"_{average}")):
            if base != name and base in _by_name:
                yield _by_name[base], average


def n_records() -> int:
    """Number of registered records, which never decreases."""
    _index()
    return _n_indexed


def all_records() -> tuple[Record, ...]:
    """Every record of rows with one class each, in the order of the catalog."""
    found = dict.fromkeys(_index().values())
    return tuple(record for record in found if not record.is_only_of_sets)


def every_record() -> tuple[Record, ...]:
    """Every record, those of rows with sets of labels last."""
    return tuple(dict.fromkeys((*all_records(), *records_of_sets())))


def records_of_sets() -> tuple[Record, ...]:
    """Every record of rows with sets of labels, in the order of the catalog.

    Metrics of rows with sets come first, then those of one label against its absence, and of all
    labels.
    """
    found = dict.fromkeys(_index().values())
    on_sets = (record for record in found if record.is_on_sets)
    return tuple(sorted(on_sets, key=lambda record: not record.is_only_of_sets))


def all_metrics() -> tuple[Metric, ...]:
    """Every metric with its averages, with default parameters; required ones are left out."""
    return _metrics_of(n_records(), False)


def metrics_of_sets() -> tuple[Metric, ...]:
    """Every metric of rows with sets of labels, as `all_metrics`."""
    return _metrics_of(n_records(), True)


@lru_cache(maxsize=2)
def _metrics_of(_: int, is_of_sets: bool) -> tuple[Metric, ...]:
    return tuple(
        Metric(record, lift, Metric.defaults(record))
        for record in (records_of_sets() if is_of_sets else all_records())
        if not any(item.is_required for item in record.parameters)
        for lift in (_lifts_on_sets(record) if is_of_sets else _lifts_of_one(record))
    )


def _lifts_of_one(record: Record) -> tuple[Lift, ...]:
    return ("plain", *record.averages)


def _lifts(record: Record) -> tuple[Lift, ...]:
    """Return the meanings of a name, on rows with one class or with sets."""
    return ("plain", *record.averages_on_sets)


def _lifts_on_sets(record: Record) -> tuple[Lift, ...]:
    return record.averages_on_sets if record.is_per_class else ("plain",)


def names() -> tuple[str, ...]:
    """Every canonical name, averages included."""
    each = ((record.name, *map(record.lifted, record.averages)) for record in all_records())
    return tuple(chain.from_iterable(each))


def all_names() -> tuple[str, ...]:
    """Every name of a function: canonical names, those of averages, aliases."""
    return tuple(
        name
        for record in every_record()
        for name in (
            record.name,
            *dict.fromkeys(
                name
                for average in record.averages_on_sets
                for name in (record.lifted(average), f"{average}_{record.name}")
            ),
            *record.aliases,
        )
    )


def lookup(name: str) -> tuple[Record, Lift]:
    """Return the record and the lift that a bare name means.

    Errors:
        K301 no such metric (with the nearest names); K306 an average that the metric does not have.
    """
    found = _found(name)
    if found is not None:
        return found
    known = all_names()
    nearest = difflib.get_close_matches(name.lower(), known, n=4, cutoff=0.5)
    word = metric_word(name.lower())
    if word is not None and _found(word.partition("(")[0]) is not None:
        nearest = [word]
    digits = name.lower().translate(_DIGITS)
    if digits in known:
        nearest = [digits, *(other for other in nearest if other != digits)][:4]
    raise error("K301", name=name, nearest=", ".join(nearest) or "none")


def _found(name: str) -> tuple[Record, Lift] | None:
    """Return the result of `lookup`, or None where there is no such metric."""
    _index()
    found = next(_meanings(name), None)
    if found is not None and found[1] not in _lifts(found[0]):
        raise error("K306", name=found[0].name, average=found[1])
    return found


def parse(text: str) -> Metric:
    """Return the metric that a text names; ``str(parse(text))`` is its canonical text.

    Args:
        text: ``"macro_f1"``, ``"macro_f_beta(beta=2)"``, ``"f_beta(beta=2, average=macro)"``,
            an alias (``"mcc"``), or scikit-learn's spelling (``"f1_macro"``).

    Errors:
        K301 unknown name; K302 unknown or unfit parameter; K303 not a name; K306 no such average.
    """
    # The meaning of a text never changes once it has one.
    return _remembered(text) if type(text) is str else _parsed(text)


def _parsed(text: Any) -> Metric:
    match = _SPEC.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        found = "It is not of the form name or name(key=value, ...)"
        raise _no_name(text, found, _meant(text) if isinstance(text, str) else None)
    params = _arguments(text, match["arguments"])
    name, numbers = _without_number(match["name"])
    record, lift = lookup(name)
    for twice in numbers.keys() & params.keys():
        raise unfit(record, f"{twice} is in the name {match['name']} and was given again")
    params |= numbers
    average = params.pop("average", None)
    if average is not None:
        if lift != "plain" or not record.averages_on_sets:
            raise error("K306", name=record.name, average=average)
        if average not in record.averages_on_sets:
            do = f"Write {record.lifted(record.averages_on_sets[0])}, for example."
            choices = shown(record.averages_on_sets)
            raise error("K122", argument="average", value=average, choices=choices, do=do)
        lift = average
    return Metric.of(record, lift, params)


_remembered = lru_cache(maxsize=1024)(_parsed)


def _no_name(text: Any, found: str, do: str | None = None) -> KaratError:
    """K303: a text that is not the name of a metric."""
    usual = "Write a name, or a name with parameters: macro_f_beta(beta=2)."
    return error("K303", text=text, found=found, do=do or usual)


def _meant(text: str) -> str | None:
    """Return the suggestion for a text with hyphens or blanks, of one class, or of several."""
    if (match := _OF_CLASS.fullmatch(text)) and find(match["name"]) is not None:
        word = match["name"]
        one = "the class is the positive one of two with positive=, or a row of report.per_class"
        return f"Names of one class are not supported yet: ask for {word}; {one}."
    names = [re.sub(r"[-\s]+", "_", part.strip().lower()) for part in text.split(",")]
    if any(find(name) is None for name in names):
        return None
    return f"Write {names[0]}." if len(names) == 1 else f"Write a list of names: {names}."


def get(name: str | Metric) -> Metric:
    """Return the metric of that name; a `Metric` is returned unchanged.

    Example:
        >>> import karat
        >>> karat.metrics.get("mcc").name
        'matthews_correlation'
        >>> str(karat.metrics.get("f_beta(beta=2, average=macro)"))
        'macro_f_beta(beta=2)'
    """
    return name if isinstance(name, Metric) else parse(name)


def find(text: str) -> Metric | None:
    """Return the metric that a text names, or None, without an explanation."""
    match = _SPEC.fullmatch(text)
    try:
        is_known = match is not None and _found(_without_number(match["name"])[0]) is not None
        return parse(text) if is_known else None
    except KaratError:
        return None


def _arguments(text: str, inner: str | None) -> dict[str, Any]:
    """Keyword arguments of a metric's text: literals, or bare words taken as strings."""
    if not inner or not inner.strip():
        return {}
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        call = None
    given = {}
    if isinstance(call, ast.Call):
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if not isinstance(call, ast.Call) or call.args or len(given) < len(call.keywords):
        raise _no_name(text, f"({inner}) is not a list of key=value")
    values = {}
    for name, value in given.items():
        try:
            word = value.id if isinstance(value, ast.Name) else None
            values[name] = word or ast.literal_eval(value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            raise _no_name(text, f"{name} is not a plain value") from None
    return values


def search(text: str = "") -> list[Metric]:
    """Metrics whose name, alias, summary or text holds every word, best match first.

    Args:
        text: words in any case; empty lists everything.

    Returns:
        One `Metric` for each record, without an average.

    Errors:
        K303 the argument is not text.

    Example:
        >>> import karat
        >>> [found.name for found in karat.metrics.search("youden")]
        ['informedness']
    """
    if not isinstance(text, str):
        raise _no_name(text, "It is not text")
    words = text.lower().split()
    found = []
    for position, record in enumerate(every_record()):
        spellings = [record.name, *record.aliases, *record.lift_names.values()]
        as_words = [spelling.replace("_", " ") for spelling in spellings]
        equals = [f"{item.library} {item.text}" for item in record.equals]
        whole = " ".join(
            [*spellings, *as_words, record.family, record.summary, record.description, *equals]
        ).lower()
        if all(word in whole for word in words):
            rank = (
                not any(text.lower() in (s, s.replace("_", " ")) for s in spellings),
                not any(all(word in s for word in words) for s in spellings),
                position,
            )
            found.append((rank, record))
    return [
        Metric(record, "plain", Metric.defaults(record))
        for _, record in sorted(found, key=lambda item: item[0])
    ]


def _named(name: str) -> Record:
    return lookup(name)[0]


# A record is a singleton: it is pickled by name.
copyreg.pickle(Record, lambda record: (_named, (record.name,)))
