"""Between what values lie that are not exact, as JSON and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from karat.render.json_parts import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from karat.metrics import Metric
    from karat.metrics._metric import Values
    from karat.report import Report

__all__ = ["bound_to_json", "bounds_from"]

_ENDLESS: Final = {"inf": math.inf, "-inf": -math.inf}


def bound_to_json(report: Report, metric: Metric) -> dict[str, Any]:
    """The entry of a metric that is not exact, ``{"bound": [low, high]}``; of others nothing."""
    if metric not in report.bounds:
        return {}
    limits = report.bounds[metric]
    if limits is None:
        return {"bound": None}
    return {"bound": [x if math.isfinite(x) else "inf" if x > 0 else "-inf" for x in limits]}


def bounds_from(
    part: Part | None, measured: Mapping[Metric, Values]
) -> dict[Metric, tuple[float, float] | None]:
    """Metrics that are not exact, each with its limits; a text of before has none.

    Args:
        part: what `json_scores.scores_to_json` wrote.
        measured: what was read of it, in its order.

    Errors:
        K205 limits that do not hold the value, or that are none.
    """
    found: dict[Metric, tuple[float, float] | None] = {}
    if part is None or part.is_null:
        return found
    for item, (metric, values) in zip(part["measured"].items(), measured.items(), strict=True):
        bound = item.get("bound")
        if bound is None:
            continue
        if metric.lift == "per_class":
            raise bound.is_not("of one number: a value of each class has none")
        if bound.is_null:
            found[metric] = None
            continue
        limits = [_limit(end) for end in bound.items()]
        if len(limits) != 2 or not limits[0] <= float(values.value) <= limits[1]:
            raise bound.is_not("two limits that hold the value")
        found[metric] = limits[0], limits[1]
    return found


def _limit(part: Part) -> float:
    if isinstance(part.value, str) and part.value in _ENDLESS:
        return _ENDLESS[part.value]
    if isinstance(part.value, bool) or not isinstance(part.value, int | float):
        raise part.is_not("a number, 'inf' or '-inf'")
    return float(part.value)
