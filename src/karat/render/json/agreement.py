"""What a text states twice has to agree, and what it states beyond a report is named."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from karat._version import __version__
from karat.errors import short, shown
from karat.metrics import get
from karat.metrics._registry import find
from karat.render.json.parts import Part, is_number, refused
from karat.render.json.scores import AREAS
from karat.report import Report

__all__ = ["check_agreement", "check_consistency", "check_intervals", "unknown_fields"]

_CLOSE: Final = 1e-9
"""Numbers agree to this part: their formulas may add in another order elsewhere."""
_NOTHING: Final = 1e-15
"""What a difference of equal numbers may leave where nothing is left."""
_NUMBERS: Final = ("value", "n", "low", "high", "standard_error", "exact", "bound")
_COUNTS: Final = ("support", "predicted_count")
_TALLY: Final = "the tally"
_MEASURED: Final = "scores.measured"
_KEPT: Final = ("confusion", "mapping", "source", "tally")
"""Kept as they are, or in another form."""
_OWN_WORDS: Final = ("cautions", "karat", "schema", "warnings")
_MOST: Final = 40


def check_consistency(whole: Part, report: Report, again: Mapping[str, Any]) -> None:
    """Refuse a text that no version writes: classes, counts and intervals contradict each other.

    Args:
        whole: the text.
        report: what was read of it.
        again: that report as JSON types.

    Errors:
        K205 which part.
    """
    rows = list(whole["per_class"].items())
    if len(rows) != report.classes.k:
        raise refused(f"per_class has {len(rows)} rows for {report.classes.k} classes")
    for row, wanted in zip(rows, again["per_class"], strict=True):
        for key in ("label", "name"):
            value = row[key].value
            if value != wanted[key] or type(value) is not type(wanted[key]):
                raise row[key].is_not(f"{wanted[key]!r} as in classes")
        _compare(row, {key: wanted[key] for key in _COUNTS}, _TALLY)
    names = [name for name, _ in whole["metrics"].fields()]
    # A metric that these classes do not have is an error here, not when the report is printed.
    if report.requested is not None and sorted(report.metrics) != sorted(names):
        raise refused("metrics lists others than settings.metrics asks for")
    of_scores = (metric for metric in map(find, names) if metric is not None)
    if report.scores is None and any(metric.needs_scores for metric in of_scores):
        raise refused("metrics lists some of scores, and scores is null")


def check_agreement(whole: Part, report: Report, again: Mapping[str, Any]) -> None:
    """Refuse a text of this version whose numbers are not those that are computed of it again.

    Names that this karat does not know, and reasons in words, are not compared; nor is what a text
    of before does not state.

    Args:
        whole: the text.
        report: what was read of it.
        again: that report as JSON types.

    Errors:
        K205 a metric, a rate of a class, a threshold, an area or a slice has another number.
    """
    source = _TALLY if report.scores is None else f"{_TALLY}, or {_MEASURED},"
    for name, part in whole["metrics"].fields():
        if name in again["metrics"]:
            found = again["metrics"][name]
            is_object = isinstance(part.value, dict)
            stated = [key for key in _NUMBERS if not is_object or key in part.value]
            _compare(part, {key: found[key] for key in stated}, source)
    if report.confidence is not None and report.scores is not None:
        # Intervals of scores stand nowhere else.
        for name in again["metrics"]:
            if get(name).needs_scores and "method" not in (part := whole["metrics"][name]).value:
                raise part.is_not("a result with its interval")
    for row, wanted in zip(whole["per_class"].items(), again["per_class"], strict=True):
        has_intervals = report.confidence is not None or row.get("intervals") is not None
        _compare(row, wanted if has_intervals else _without(wanted, "intervals"), source)
        for key in ("bounds", "intervals"):
            part = row.get(key)
            if part is not None and {x for x, _ in part.fields()} != set(wanted.get(key, ())):
                raise part.is_not(f"{key} of {', '.join(wanted.get(key, ())) or 'nothing'}")
    if "thresholds" in whole.value:
        _compare(whole["thresholds"], again["thresholds"], _MEASURED)
    _check_measured(whole, report)
    if "slices" in whole.value:
        _check_slices(whole["slices"], report)


def _without(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != key}


def _compare(part: Part, expected: Any, source: str) -> None:
    """Compare numbers at any depth; texts are left alone."""
    if isinstance(expected, Mapping):
        for key, item in expected.items():
            if not isinstance(item, str):
                _compare(part[key], item, source)
    elif isinstance(expected, list):
        items = list(part.items())
        if len(items) != len(expected):
            raise part.is_not(f"{len(expected)} items, which {source} gives")
        for item, wanted in zip(items, expected, strict=True):
            _compare(item, wanted, source)
    elif not isinstance(expected, str) and not _agree(part.value, expected):
        told = "null" if expected is None else repr(expected)
        raise part.is_not(f"{told}, which {source} gives")


def _agree(value: Any, expected: float | None) -> bool:
    if expected is None or isinstance(expected, bool) or not is_number(value):
        return value is expected
    if isinstance(expected, int):
        return bool(value == expected)
    return math.isclose(value, expected, rel_tol=_CLOSE, abs_tol=_NOTHING)


def _check_measured(whole: Part, report: Report) -> None:
    """Compare what was measured of each class with that of the positive one, and with the areas."""
    of_classes = {
        (metric.record, metric.params): (metric, values.value.tolist())
        for metric, values in report.measured.items()
        if metric.lift == "per_class"
    }
    of_positive = [
        (metric, place)
        for place, metric in enumerate(report.measured)
        if metric.lift == "plain" and report.classes.positive is not None
    ]
    for metric, place in of_positive:
        each, values = of_classes.get((metric.record, metric.params), (None, []))
        if each is not None and math.isfinite(expected := values[report.classes.positive]):
            part = whole["scores"]["measured"]
            found = Part(part.value[place], f"{part.path}[{place}]")["value"]
            _compare(found, expected, f"{_MEASURED} of {each} for each class")
    if report.kept_curves is None:
        return
    plain = {
        (metric.record, metric.params): [
            (report.classes.positive, float(report.measured[metric].value))
        ]
        for metric, _ in of_positive
    }
    areas = {name: get(metric) for name, (_, metric) in AREAS.items()}
    for name, metric in areas.items():
        key = (metric.record, metric.params)
        each_class = enumerate(of_classes[key][1]) if key in of_classes else ()
        for place, expected in (*each_class, *plain.get(key, ())):
            part = whole["scores"]["curves"]["classes"]
            area = Part(part.value[place], f"{part.path}[{place}]")["areas"][name]
            wanted = expected if math.isfinite(expected) else None
            if not _agree(area.value, wanted):
                told = "null" if wanted is None else repr(wanted)
                raise area.is_not(f"{told}, the {metric} of the class")


def _check_slices(part: Part, report: Report) -> None:
    """Compare weights and values with those that the tables of the slices give."""
    for item, table in zip(part.items(), report.slices.values(), strict=True):
        parts = list(item["slices"].items())
        for one, weight in zip(parts, table.weight.tolist(), strict=True):
            _compare(one["weight"], weight, "the sum of its cells")
        for name, _ in parts[0]["metrics"].fields():
            metric = get(name) if name in report else None
            if metric is not None and not metric.needs_scores:
                for one, value in zip(parts, table.values_of(metric).tolist(), strict=True):
                    wanted = value if math.isfinite(value) else None
                    _compare(one["metrics"][name]["value"], wanted, "its cells")


def check_intervals(whole: Part, report: Report) -> None:
    """Refuse intervals that do not contain their values, which no version writes.

    Errors:
        K205 which one.
    """
    for name, part in whole["metrics"].fields():
        if name in report.metrics:
            low, value, high = (getattr(report.metrics[name], x) for x in ("low", "value", "high"))
            if None not in (low, high) and not low <= value <= high:
                raise part.is_not("an interval that holds the value")


def unknown_fields(whole: Part, report: Report, again: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return sentences on the fields of a text that the report made of it does not have.

    One on metrics that it does not list; of a text of another version one on all else before it.

    Args:
        whole: the text.
        report: what was read of it.
        again: that report as JSON types, where another version of karat wrote the text.

    Errors:
        K205 this version wrote the text and has the metric, so that it would not have listed it.
    """
    missing = [name for name, _ in whole["metrics"].fields() if name not in report]
    parts: list[str] = []
    if again is None:
        for name in missing:
            if find(name) is not None:
                raise refused(f"metrics lists {short(name)}, and nothing else in it gives that")
    else:
        known = set(_places(again))
        listed = {f"{path}.{_canonical(x)}" for path in ("metrics", _MEASURED) for x in missing}
        parts = [x for x in dict.fromkeys(_places(whole.value, known)) if x not in listed | known]
    sentences = (
        _sentence("has", "part", "does not have in such a report", parts),
        _sentence("lists", "metric", "does not list for such a report", missing),
    )
    return tuple(one for one in sentences if one and one not in report.warnings)


def _sentence(has: str, what: str, lacks: str, names: list[str]) -> str:
    if not names:
        return ""
    several = f"a {what}" if len(names) == 1 else f"{len(names)} {what}s"
    return (
        f"The JSON that this report was read from {has} {several} that karat {__version__} "
        f"{lacks}: {shown(names, _MOST)}. Left out here."
    )


def _places(value: Any, known: set[str] | None = None, path: str = "") -> Iterator[str]:
    """Iterate over the places of all parts that have a value, and those of the parts below them.

    The items of a list are in one place, but for metrics, whose parts are in one.

    Args:
        value: JSON types.
        known: of a place that is none of these, the parts below are passed over.
        path: the place of the value.
    """
    if isinstance(value, dict):
        is_of_metrics = path.rpartition(".")[2] in ("metrics", "tests")
        for key, item in value.items():
            if item is None or item in ([], {}) or (not path and key in (*_KEPT, *_OWN_WORDS)):
                continue
            name = _canonical(key) if is_of_metrics else key
            place = f"{path}.{name}" if path else name
            yield place
            if known is None or place in known:
                yield from _places(item, known, f"{path}[]" if is_of_metrics else place)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                place = _of_measured(item) if path == _MEASURED else f"{path}[]"
                yield place
                if known is None or place in known:
                    yield from _places(item, known, f"{path}[]")


def _canonical(name: str) -> str:
    metric = find(name)
    return name if metric is None else str(metric)


def _of_measured(item: dict[str, Any]) -> str:
    """The place of what was measured, named as metrics are listed."""
    lift, name = item["lift"], _canonical(item["metric"])
    return f"{_MEASURED}.{name if lift == 'plain' else f'{lift}_{name}'}"
