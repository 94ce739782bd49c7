"""What was asked of the intervals, and the intervals that do not follow from the tally, as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError
from karat.inference.confidence import Confidence, Interval
from karat.metrics._registry import find
from karat.output.json_parts import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from karat.metrics import Metric
    from karat.results.report import Report

__all__ = ["class_intervals_from", "confidence_from", "confidence_to_json", "intervals_from"]

Floats: TypeAlias = npt.NDArray[np.float64]


def confidence_to_json(report: Report) -> dict[str, Any] | None:
    """Level, side, method, design and draws; None where there are no intervals."""
    asked = report.confidence
    if asked is None:
        return None
    return {
        "level": asked.level,
        "side": asked.side,
        "method": asked.method,
        "design": asked.design,
        "seed": asked.seed,
        "n_replicates": asked.n_replicates,
        "clustered": report.is_clustered,
    }


def confidence_from(part: Part | None) -> tuple[Confidence | None, bool]:
    """What was asked, and whether rows were clustered; a text of before has none.

    Errors:
        K205 it is not what `confidence_to_json` writes.
    """
    if part is None or part.is_null:
        return None, False
    facts = {name: part[name].text for name in ("side", "method", "design")}
    counts = {name: part[name].count for name in ("seed", "n_replicates")}
    try:
        asked = Confidence.of(part["level"].value, **facts, **counts)
    except KaratError as problem:
        raise part.is_not("what can be asked of intervals") from problem
    if asked is None:
        raise part["level"].is_not("a number between 0 and 1")
    return asked, part["clustered"].flag


def intervals_from(
    metrics: Part, asked: Confidence | None, *, needs: Any
) -> Mapping[Metric, Interval]:
    """The intervals of the metrics that `needs` names: they do not follow from the tally.

    Args:
        metrics: the results by name.
        asked: what was asked of them.
        needs: whether the interval of a metric has to be read.

    Errors:
        K205 limits that do not hold the value, or one without the other.
    """
    found: dict[Metric, Interval] = {}
    if asked is None:
        return found
    for name, part in metrics.fields():
        metric = find(name)
        if metric is not None and needs(metric) and part.get("method") is not None:
            found[metric] = _interval(part, metric.range)
    return found


def _interval(part: Part, ends: tuple[float, float]) -> Interval:
    method, remark, error = (part.get(key) for key in ("method", "remark", "standard_error"))
    words = None if remark is None or remark.is_null else remark.text
    spread = None if error is None or error.is_null else error.number
    if method is None or method.is_null:
        return Interval(standard_error=spread, remark=words)
    # An infinite end of the range is null.
    low = ends[0] if part["low"].is_null else part["low"].number
    high = ends[1] if part["high"].is_null else part["high"].number
    return Interval(low, high, method.text, spread, words)


def class_intervals_from(rows: Part, names: tuple[str, ...]) -> dict[str, tuple[Floats, Floats]]:
    """Limits float64[k] of these columns of the table of classes; NaN where a class has none."""
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in names:
        limits = [_limits(row.get("intervals"), name) for row in rows.items()]
        if any(pair is not None for pair in limits):
            pairs = np.array([(math.nan, math.nan) if pair is None else pair for pair in limits])
            found[name] = (pairs[:, 0], pairs[:, 1])
    return found


def _limits(part: Part | None, name: str) -> tuple[float, float] | None:
    pair = None if part is None else part.get(name)
    if pair is None:
        return None
    items = list(pair.items())
    if len(items) != 2:
        raise pair.is_not("two limits")
    low, high = (
        end if item.is_null else item.number
        for item, end in zip(items, (-math.inf, math.inf), strict=True)
    )
    return low, high
