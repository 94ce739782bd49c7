"""The thresholds that serve each class best, as a report tells them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from karat.errors import error
from karat.metrics import Metric, get
from karat.metrics._bounds import Limits, is_open
from karat.metrics._lift import Lift
from karat.metrics.reasons import not_computed

if TYPE_CHECKING:
    from karat.results.values import ReportValues

__all__ = ["THRESHOLDS", "best_thresholds", "lift_of_thresholds"]


THRESHOLDS = {
    "f1": ("f_beta_threshold", "max_f_beta"),
    "informedness": ("informedness_threshold", "max_informedness"),
    "cost": ("cost_threshold", "min_cost"),
}
"""What a threshold can be best for → the metrics of the threshold and of what it gives."""
_VALUES: Final = ("threshold", "value")


def lift_of_thresholds(k: int) -> Lift:
    """Of two classes the positive one has thresholds; of any other number, each."""
    return "plain" if k == 2 else "per_class"


def best_thresholds(report: ReportValues) -> dict[str, Any] | list[dict[str, Any]]:
    """The threshold that is best for each of `THRESHOLDS`, and what it gives.

    Args:
        report: a report of rows with probabilities or scores.

    Returns:
        Of two classes: ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for the positive one.
        Else one such dict a class, with its ``"label"`` and ``"name"``.
        None instead of a number is explained beside it under ``"undefined"``.

    Errors:
        K210 there were no scores; K211 the report holds only other metrics.
    """
    classes = report.classes
    lift = lift_of_thresholds(classes.k)
    found: dict[str, list[dict[str, Any]]] = {}
    missing: list[str] = []
    for purpose, names in THRESHOLDS.items():
        metrics = [Metric.of(get(name).record, lift, {}) for name in names]
        if report.scores is None:
            raise error("K210", name="thresholds")
        if all(metric in report.measured for metric in metrics):
            found[purpose] = _points(report, metrics)
        missing += [str(metric) for metric in metrics if metric not in report.measured]
    if not found:
        raise not_computed(missing, can_be_named=lift == "plain")
    if lift == "plain":
        return {purpose: points[0] for purpose, points in found.items()}
    return [
        {"label": label, "name": name, **{purpose: points[i] for purpose, points in found.items()}}
        for i, (label, name) in enumerate(zip(classes.labels, classes.display, strict=True))
    ]


def _points(report: ReportValues, metrics: list[Metric]) -> list[dict[str, Any]]:
    """Threshold and value, of the positive class or of each."""
    threshold, value = (report.measured[metric].value.reshape(-1).tolist() for metric in metrics)
    points: list[dict[str, Any]] = []
    for pair in zip(threshold, value, strict=True):
        point: dict[str, Any] = {
            name: None if math.isnan(number) else number
            for name, number in zip(_VALUES, pair, strict=True)
        }
        unfit = [m for m, number in zip(metrics, pair, strict=True) if not math.isfinite(number)]
        point |= {"undefined": unfit[0].undefined_when} if unfit else {}
        bounds = _open_bounds(report, metrics, len(points))
        points.append(point | ({"bounds": bounds} if bounds else {}))
    return points


def _open_bounds(report: ReportValues, metrics: list[Metric], i: int) -> dict[str, Limits | None]:
    """Limits of the threshold and of the value, as far as they are not exact."""
    found: dict[str, Limits | None] = {}
    for name, metric in zip(_VALUES, metrics, strict=True):
        if metric in report.bounds:
            found[name] = report.bounds[metric]
        elif metric in report.class_bounds:
            found[name] = report.class_bounds[metric][i]
    return {name: limits for name, limits in found.items() if is_open(limits)}
