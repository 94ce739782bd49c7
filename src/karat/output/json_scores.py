"""What the metrics of scores gave, as JSON and back: values, since the rows are gone."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from karat.errors import KaratError
from karat.metrics._registry import find
from karat.output.json_bounds import bound_to_json
from karat.output.json_curves import curves_to_json
from karat.output.json_parts import Part, any_number_to_json, refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.metrics import Metric
    from karat.metrics._metric import Values
    from karat.results.report import Report

__all__ = [
    "measured_parts",
    "reads_scores",
    "scores_from",
    "scores_to_json",
    "thresholds_to_json",
]

_KINDS = ("probabilities", "scores")
_SLACK = 1e-9
"""By how much of its size rounding may carry a value out of its range."""


def scores_to_json(report: Report) -> dict[str, Any] | None:
    """The kind of the scores and the value of each metric; None for a report of labels."""
    if report.scores is None:
        return None
    return {
        "kind": report.scores,
        "threshold": report.threshold,
        "measured": [
            {
                "metric": str(replace(metric, lift="plain")),
                "lift": metric.lift,
                "value": _written(values.value.tolist()),
                "undefined": values.undefined.tolist(),
            }
            | bound_to_json(report, metric)
            for metric, values in report.measured.items()
        ],
        "curves": curves_to_json(report.kept_curves, is_weighted=report.cells.is_weighted),
    }


def thresholds_to_json(report: Report) -> Any:
    """The best thresholds, infinite ones as null; None where there are none."""
    try:
        found = report.thresholds
    except KaratError:
        return None
    return [_points(row) for row in found] if isinstance(found, list) else _points(found)


def _points(point: Mapping[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [plain(end) for end in value]
        if isinstance(value, dict):
            return _points(value)
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return {name: plain(value) for name, value in point.items()}


def _written(value: Any) -> Any:
    if isinstance(value, list):
        return [_written(item) for item in value]
    return any_number_to_json(value)


def measured_parts(part: Part | None, *, is_own: bool) -> list[Part]:
    """What was measured of scores, but for metrics of another version that this karat lacks.

    Args:
        part: what `scores_to_json` wrote; None or null of a report of labels.
        is_own: whether this version of karat wrote it, so that it lacks none.

    Errors:
        K205 they are no list of measurements.
    """
    listed = [] if part is None or part.is_null else list(part["measured"].items())
    return [item for item in listed if is_own or _is_known(item["metric"].text, item["lift"].text)]


def _is_known(name: str, lift: str) -> bool:
    from karat.metrics._lift import Lift

    return lift in get_args(Lift) and find(name) is not None


def scores_from(
    part: Part | None, items: Sequence[Part], k: int
) -> tuple[Mapping[Metric, Values], str | None, float | None]:
    """What was measured, the kind of the scores, and the threshold of the predictions.

    Args:
        part: what `scores_to_json` wrote.
        items: its `measured_parts`.
        k: number of classes.

    Errors:
        K205 it is not what `scores_to_json` writes; K301 to K303, K306 no metric of this karat.
    """
    from karat.metrics import get
    from karat.metrics._metric import Values

    if part is None or part.is_null:
        return {}, None, None
    kind = part["kind"].text
    if kind not in _KINDS:
        raise part["kind"].is_not(f"one of {', '.join(_KINDS)}")
    found: dict[Metric, Values] = {}
    for item in items:
        metric = _lifted(get(item["metric"].text), item["lift"])
        value, undefined = _numbers(item["value"], k), _flags(item["undefined"], k)
        if (value.ndim == 1) != (metric.lift == "per_class"):
            raise item["value"].is_not("one number a class for lift per_class, else one number")
        if metric.lift in ("plain", "per_class") and undefined.shape not in ((), (k,)):
            raise item["undefined"].is_not("true, false or one of them a class")
        _check_undefined(item, metric, value, undefined)
        if metric in found:
            raise refused(f"{item.path} is {metric} for a second time")
        found[metric] = Values(value, undefined)
    return found, kind, _threshold(part["threshold"], k)


def _threshold(part: Part, k: int) -> float | None:
    if part.is_null:
        return None
    if k != 2 or isinstance(part.value, bool) or not isinstance(part.value, int | float):
        raise part.is_not("a number for two classes, or null")
    return float(part.value)


def reads_scores(name: str) -> bool:
    """Whether it names a metric of scores; a name that this karat does not know names none."""
    metric = find(name)
    return metric is not None and metric.needs_scores


def _check_undefined(item: Part, metric: Metric, value: Any, undefined: Any) -> None:
    """What is no number is marked as undefined, and what is one lies in the metric's range."""
    is_number = np.isfinite(value)
    low, high = metric.range
    slack = _SLACK * np.maximum(1.0, np.abs(value))
    if (is_number & ((value < low - slack) | (value > high + slack))).any():
        raise item["value"].is_not(f"between {low:g} and {high:g}")
    is_each = metric.lift in ("plain", "per_class") and metric.record.is_per_class
    if is_each and (undefined.shape != value.shape or (undefined == is_number).any()):
        raise item["undefined"].is_not("true where the value is no number, and only there")
    if not is_number.all() and not undefined.any():
        raise item["undefined"].is_not("true somewhere, as the value is no number")


def _lifted(metric: Metric, lift: Part) -> Metric:
    from karat.metrics._lift import Lift

    if lift.text not in get_args(Lift):
        raise lift.is_not(f"one of {', '.join(get_args(Lift))}")
    if not metric.needs_scores:
        raise refused(f"scores.measured lists {metric}, which reads labels")
    averages = metric.record.averages
    if lift.text != "plain" and not metric.record.is_per_class:
        raise lift.is_not("plain, which is all that this metric has")
    if lift.text not in ("plain", "per_class", *averages):
        raise lift.is_not("an average that this metric has")
    return replace(metric, lift=lift.text)  # type: ignore[arg-type]


def _numbers(part: Part, k: int) -> Any:
    if isinstance(part.value, list):
        if len(part.value) != k:
            raise part.is_not(f"{k} numbers")
        return np.array([item.any_number for item in part.items()])
    return np.array(part.any_number)


def _flags(part: Part, k: int) -> Any:
    if isinstance(part.value, list):
        if len(part.value) != k:
            raise part.is_not(f"{k} flags")
        return np.array([item.flag for item in part.items()], np.bool_)
    return np.array(part.flag, np.bool_)
