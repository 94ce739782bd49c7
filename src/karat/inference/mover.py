"""Limits of an average of classes: those of the classes, combined as their errors go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np

from karat import _native
from karat.inference.class_limits import ClassLimits, class_limits
from karat.inference.confidence import Confidence, Interval
from karat.inference.limits import Floats
from karat.inference.proportions import is_of_right_rows
from karat.inference.table_variance import TableVariance, at_proportions, derivative
from karat.metrics import Metric
from karat.metrics._formula import Node, is_linear_in
from karat.metrics._lift import Policy
from karat.metrics._program import first_of_each
from karat.metrics._record import Record
from karat.tally import Cells, Classes

__all__ = ["NO_SLOPE", "combined", "is_combined"]


NO_SLOPE: Final = "its formula has no slope at this table"
_N_KEPT: Final = 256


@cache
def is_combined(metric: Metric, policy: Policy) -> bool:
    """Whether its limits are those of the classes, combined."""
    record = metric.record
    if (metric.lift == "micro" or not record.is_per_class) and is_of_right_rows(metric):
        return False
    is_of_one = record.is_per_class and metric.lift == "plain"
    return not is_of_one and bool(metric.traced(policy).parts)


def combined(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy
) -> Interval:
    """Limits of the classes, combined as their errors go together (MOVER, Zou and Donner 2008).

    With a_k the slope of the metric in the value of class k, d_k the distance from it to its limit
    and ρ the correlations, the limit lies √(Σ Σ a_k a_l ρ_kl d_k d_l) away: the standard error of
    Σ a_k · (d_k ÷ σ_k) · value_k. What the metric owes to the shares of the classes is added to it.
    Where some class has no error the sample does not show how errors go together, and the
    correlations are those of a table with ½ ÷ k rows more in each cell.
    """
    cells, (nodes, classes) = spread.cells, _parts(metric, policy)
    of_parts = _constant_slopes(metric, policy, cells.k)
    # Of both limits, and of the metric itself: its derivative is a_k times those of the classes.
    sums, listed = np.zeros((3, 3, cells.k)), None
    if of_parts is None:
        found = metric.slopes(cells, policy, nodes, stops_at_parts=True)
        of_parts, rest = found.of_parts, found.gradient
        steep = (rest.true, rest.pred, rest.same, *of_parts)
        if not all(math.isfinite(float(np.abs(part).max())) for part in steep):
            return Interval(remark=NO_SLOPE)
        quantile = asked.quantile(spread.df)
        times = np.array((quantile, quantile, 1.0))
        if rest.cells is None and not cells.is_weighted:
            shared = np.array((rest.true, rest.pred, rest.same)) * float(cells.fields.n)
            sums = times[:, None, None] * shared
        else:
            listed = np.multiply.outer(times, at_proportions(found, cells))
    if cells.is_weighted and listed is None:
        listed = np.zeros((3, len(spread.weights)))
    each = [class_limits(plain, spread, asked, is_beta=True) for plain in classes]
    factors, alone, n_still = _counted(each, each, of_parts)
    alike = spread.smoothed if n_still else None
    if alike is not None:
        shapes = [class_limits(plain, alike, asked, is_beta=True) for plain in classes]
        low, high, _ = spread.slope_variances(sums, listed).tolist()
        below, above = _alike(alike, each, shapes, of_parts)
        error = float(spread.variance(derivative(metric, cells, policy)))
        low, high = math.sqrt(below + low), math.sqrt(above + high)
        return Interval(value - low, value + high, "mover", math.sqrt(error))
    for limits, counted in zip(each, factors, strict=True):
        if not (limits.has_slopes or np.isfinite(derivative(metric, cells, policy)).all()):
            return Interval(remark=NO_SLOPE)
        if listed is not None and cells.is_weighted:
            # See `variance_of`: sums of parts are rounding errors of heavier classes.
            listed += np.array([spread.added(limits.partials, side) for side in counted])
        else:
            sums += counted[:, None] * limits.slopes
    low, high, variance = spread.slope_variances(sums, listed).tolist()
    if not math.isfinite(variance):
        return Interval(remark=NO_SLOPE)
    below, above = math.sqrt(low + alone[0]), math.sqrt(high + alone[1])
    return Interval(value - below, value + above, "mover", math.sqrt(variance))


def _counted(
    each: Sequence[ClassLimits], shapes: Sequence[ClassLimits], of_parts: Sequence[Floats]
) -> tuple[list[Floats], tuple[float, float], int]:
    """What the derivatives of the classes count below, above and in the metric: [3, k] a part.

    With them the squared distances below and above of classes that do not vary, which are
    independent of all others; and how many of them have a variance of 0 in `shapes`.
    """
    factors, below, above, n_still = [], 0.0, 0.0, 0
    for limits, shape, slopes in zip(each, shapes, of_parts, strict=True):
        of_part, low, high, n = _native.combine_classes(
            limits.value, limits.low, limits.high, shape.variance, slopes
        )
        factors.append(of_part)
        below, above, n_still = below + low, above + high, n_still + n
    return factors, (below, above), n_still


def _alike(
    alike: TableVariance,
    each: Sequence[ClassLimits],
    shapes: Sequence[ClassLimits],
    of_parts: Sequence[Floats],
) -> list[float]:
    """The squared distances of both limits of the classes, with the correlations of `alike`."""
    factors, alone, _ = _counted(each, shapes, of_parts)
    forms = np.zeros((2, len(alike.rows)))
    for shape, counted in zip(shapes, factors, strict=True):
        forms += np.array([alike.added(shape.partials, side) for side in counted[:2]])
    return [max(float(alike.variance(form)), 0.0) + x for form, x in zip(forms, alone, strict=True)]


@lru_cache(_N_KEPT)
def _constant_slopes(metric: Metric, policy: Policy, k: int) -> tuple[Floats, ...] | None:
    """float64[k] for each part: the slopes of a metric that is a sum of parts times constants.

    None for any other, whose slopes depend on the table.
    """
    nodes, _ = _parts(metric, policy)
    if not is_linear_in(metric.traced(policy).value, nodes):
        return None
    each = np.arange(k)
    table = Cells.sparse(each, each, np.ones(k, np.int64), classes=Classes.of(range(k)))
    return metric.slopes(table, policy, nodes, stops_at_parts=True).of_parts


@cache
def _parts(metric: Metric, policy: Policy) -> tuple[tuple[Node, ...], tuple[Metric, ...]]:
    """The distinct parts of a formula and the metrics of one class that they are."""
    parts = metric.traced(policy).parts
    is_first = first_of_each([part.values for part in parts])
    kept = [part for part, is_new in zip(parts, is_first, strict=True) if is_new]
    plain = []
    for part in kept:
        assert isinstance(part.record, Record)
        params = metric.params if part.record is metric.record else Metric.defaults(part.record)
        plain.append(Metric(part.record, "plain", params))
    return tuple(part.values for part in kept), tuple(plain)
