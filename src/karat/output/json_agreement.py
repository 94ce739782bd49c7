"""What the text of a report says twice: every number that follows from others has to agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from karat.metrics import get
from karat.output.json_parts import Part
from karat.output.json_scores import thresholds_to_json
from karat.output.json_slices import check_slices

if TYPE_CHECKING:
    from karat.curves._kept import Curves
    from karat.results.report import Report
    from karat.results.result import Result

__all__ = ["check_agreement", "check_intervals"]

_CLOSE: Final = 1e-9
"""Numbers agree to this part: their formulas may add in another order elsewhere."""
_NOTHING: Final = 1e-15
"""What a difference of equal numbers may leave where nothing is left."""
_NUMBERS: Final = ("value", "n", "low", "high", "standard_error", "exact", "bound")
_AREAS: Final = {
    "roc": ("roc_area", "roc_auc"),
    "average_precision": ("step_area", "average_precision"),
    "precision_recall": ("trapezoid_area", "pr_auc_trapezoid"),
}
"""Name of an area in JSON → attribute of the points, and the metric that it is."""


def check_agreement(whole: Part, report: Report) -> None:
    """Refuse a text whose numbers do not follow from its tally and from what was measured.

    Names that this karat does not know, and reasons in words, are not compared.

    Args:
        whole: the text.
        report: what was read of it.

    Errors:
        K205 a metric, a rate of a class, a threshold or an area is another number.
    """
    source = "the tally" if report.scores is None else "the tally, or scores.measured,"
    metrics, listed = whole["metrics"], report.metrics
    for name, part in metrics.fields():
        if name in listed:
            found = listed[name].to_dict()
            numbers = {key: found[key] for key in _NUMBERS}
            # What a text of before does not say is not compared.
            said = part.value if isinstance(part.value, dict) else numbers
            _check(part, {key: x for key, x in numbers.items() if key in said}, source)
    if report.confidence is not None and report.scores is not None:
        _check_complete(metrics, listed)
    for row, expected in zip(whole["per_class"].items(), report.per_class, strict=True):
        if report.confidence is None and row.get("intervals") is None:
            # A text of before has none.
            _check(row, {k: x for k, x in expected.items() if k != "intervals"}, source)
            continue
        _check(row, expected, source)
        bounds = row.get("bounds")
        if bounds is not None and sorted(k for k, _ in bounds.fields()) != sorted(
            expected.get("bounds", ())
        ):
            raise bounds.is_not("limits of what scores.measured has limits of")
        given = row["intervals"]
        if sorted(name for name, _ in given.fields()) != sorted(expected["intervals"]):
            raise given.is_not(f"intervals of {', '.join(expected['intervals']) or 'nothing'}")
    thresholds = whole.get("thresholds")
    if thresholds is not None:
        _check(thresholds, thresholds_to_json(report), "scores.measured")
    _check_positive(whole, report)
    slices = whole.get("slices")
    if slices is not None:
        check_slices(slices, report)
    if report.kept_curves is not None:
        _check_areas(whole["scores"]["curves"]["classes"], report, report.kept_curves)


def check_intervals(metrics: Part, report: Report) -> None:
    """Refuse intervals that do not hold their values, which no version writes.

    Errors:
        K205 which one.
    """
    listed = report.metrics
    for name, part in metrics.fields():
        if name not in listed:
            continue
        low, value, high = listed[name].low, listed[name].value, listed[name].high
        if low is not None and high is not None and not low <= value <= high:
            raise part.is_not("an interval that holds the value")


def _check_complete(metrics: Part, listed: Mapping[str, Result]) -> None:
    """Intervals of scores stand nowhere else: every such metric has what is known of its own."""
    for name in listed:
        if not get(name).needs_scores:
            continue
        part = metrics[name]
        if "method" not in part.value:
            raise part.is_not("a result with its interval")


def _check(part: Part, expected: Any, source: str) -> None:
    """Compare numbers at any depth; texts are left alone."""
    if isinstance(expected, Mapping):
        for key, item in expected.items():
            if not isinstance(item, str):
                _check(part[key], item, source)
    elif isinstance(expected, list | tuple):
        items = list(part.items())
        if len(items) != len(expected):
            raise part.is_not(f"{len(expected)} items, which {source} gives")
        for item, wanted in zip(items, expected, strict=True):
            _check(item, wanted, source)
    elif not _agree(part.value, expected):
        told = "null" if expected is None else repr(expected)
        raise part.is_not(f"{told}, which {source} gives")


def _agree(value: Any, expected: float | None) -> bool:
    if value is None or expected is None:
        return value is expected
    if isinstance(value, bool | str | list | dict):
        return isinstance(value, bool) and value is expected
    if isinstance(expected, int):
        return bool(value == expected)
    slack = _CLOSE * max(abs(value), abs(expected)) + _NOTHING
    return bool(abs(value - expected) <= slack)


def _check_positive(whole: Part, report: Report) -> None:
    """What was measured of the positive class is what was measured of it among the classes."""
    positive = report.classes.positive
    if report.scores is None or positive is None:
        return
    each = {
        (metric.record, metric.params): values.value
        for metric, values in report.measured.items()
        if metric.lift == "per_class"
    }
    places = zip(report.measured.items(), whole["scores"]["measured"].items(), strict=True)
    for (metric, _), part in places:
        values = each.get((metric.record, metric.params))
        if metric.lift == "plain" and values is not None:
            expected = float(values[positive])
            if math.isfinite(expected):
                _check(part["value"], expected, f"scores.measured of {metric} for each class")


def _check_areas(part: Part, report: Report, curves: Curves) -> None:
    """The areas of the curves of each class are its metrics."""
    for name, (attribute, metric) in _AREAS.items():
        for i, expected in _of_classes(report, metric):
            area = getattr(curves.kept[i].points, attribute)
            if not _agree(_or_none(area), _or_none(expected)):
                found = Part(part.value[i], f"{part.path}[{i}]")["areas"][name]
                told = "null" if _or_none(expected) is None else repr(expected)
                raise found.is_not(f"{told}, the {metric} of the class")


def _of_classes(report: Report, name: str) -> Iterator[tuple[int, float]]:
    """Place and value of each class of which a metric was measured."""
    for metric, values in report.measured.items():
        if metric.record.name != name or metric.params != metric.defaults(metric.record):
            continue
        if metric.lift == "per_class":
            yield from enumerate(values.value.tolist())
        elif metric.lift == "plain" and report.classes.positive is not None:
            yield report.classes.positive, float(values.value)


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
