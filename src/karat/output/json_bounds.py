"""Between what values lie that are not exact, as JSON and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from karat.output.json_parts import Part, any_number_to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.metrics import Metric
    from karat.metrics._bounds import Limits
    from karat.metrics._metric import Values
    from karat.results.report import Report

__all__ = ["bound_to_json", "bounds_from", "class_bounds_from"]


def bound_to_json(report: Report, metric: Metric) -> dict[str, Any]:
    """The entry of a metric that is not exact, ``{"bound": [low, high]}``; of others nothing.

    Of a metric of each class ``{"bounds": [[low, high], null, …]}``.
    """
    if metric in report.class_bounds:
        return {"bounds": [_limits_to_json(each) for each in report.class_bounds[metric]]}
    if metric not in report.bounds:
        return {}
    return {"bound": _limits_to_json(report.bounds[metric])}


def _limits_to_json(limits: Limits | None) -> list[Any] | None:
    """Two numbers; endless ones, and those that nothing could be measured of, as text."""
    return None if limits is None else [any_number_to_json(x) for x in limits]


def bounds_from(
    items: Sequence[Part], measured: Mapping[Metric, Values]
) -> dict[Metric, Limits | None]:
    """Metrics that are not exact, each with its limits; a text of before has none.

    Args:
        items: the `json_scores.measured_parts`.
        measured: what was read of them, in their order.

    Errors:
        K205 limits that do not hold the value, or that are none.
    """
    found: dict[Metric, Limits | None] = {}
    for item, (metric, values) in zip(items, measured.items(), strict=True):
        bound = item.get("bound")
        if bound is None:
            continue
        if metric.lift == "per_class":
            raise bound.is_not("of one number: a value of each class has none")
        found[metric] = _limits_of(bound, float(values.value))
    return found


def class_bounds_from(
    items: Sequence[Part], measured: Mapping[Metric, Values]
) -> dict[Metric, tuple[Limits | None, ...]]:
    """The same of metrics of each class.

    Errors:
        K205 as of `bounds_from`.
    """
    found: dict[Metric, tuple[Limits | None, ...]] = {}
    for item, (metric, values) in zip(items, measured.items(), strict=True):
        bounds = item.get("bounds")
        if bounds is None:
            continue
        each, numbers = list(bounds.items()), values.value.reshape(-1).tolist()
        if metric.lift != "per_class" or len(each) != len(numbers):
            raise bounds.is_not("limits of the value of each class")
        found[metric] = tuple(map(_limits_of, each, numbers))
    return found


def _limits_of(bound: Part, value: float) -> Limits | None:
    if bound.is_null:
        return None
    limits = [end.any_number for end in bound.items()]
    if len(limits) == 2 and all(map(math.isnan, limits)):
        return limits[0], limits[1]
    if len(limits) != 2 or not limits[0] <= value <= limits[1]:
        raise bound.is_not("two limits that hold the value")
    return limits[0], limits[1]
