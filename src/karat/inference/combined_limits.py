"""Limits of averages over classes or labels, from the limits of each (MOVER)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

import numpy as np

from karat import _native
from karat.inference.class_limits import NO_SLOPE, ClassLimits, class_limits
from karat.inference.confidence import Confidence, Interval
from karat.inference.limits import Floats
from karat.inference.table_variance import TableVariance, cell_slopes, derivative, df_on, slopes_on
from karat.inference.whole_limits import whole_limits
from karat.metrics import Metric
from karat.metrics._formula import Node, is_linear_in
from karat.metrics._lift import Policy
from karat.metrics._program import first_of_each
from karat.metrics._record import Record
from karat.tally import Cells, Classes

_NEARLY: Final = 0.99
"""Part of its least width that an interval may have."""
_N_KEPT: Final = 256
_N_TOGETHER: Final = 2.0
"""Largest number of classes whose combined limits are as skewed as their sum (Newcombe 1998)."""


@cache
def is_combined(metric: Metric, policy: Policy) -> bool:
    """Return whether its limits combine those of the classes."""
    record = metric.record
    if (metric.lift == "micro" or not record.is_per_class) and metric.is_of_right_rows:
        return False
    is_of_one = record.is_per_class and metric.lift == "plain"
    return not is_of_one and bool(metric.traced(policy).parts)


def combined(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy
) -> Interval:
    """Combine the limits of the classes, mixed with limits of the metric as a whole.

    Combined limits are accurate if one or two classes dominate the uncertainty. For many classes
    with few errors each, they are as skewed as those of one class, but the sum is not: then limits
    of the whole are accurate. Let c = (Σd²)² ÷ Σd⁴ be the effective number of classes, with d the
    widths that each class adds. The weight of the combined limits is (2 ÷ c)⁴, and 1 for c up to 2.
    """
    found, n_deciding = _mover(metric, value, spread, asked, policy)
    is_many, ends = n_deciding > _N_TOGETHER, metric.range
    at_looks = asked.is_of_looks
    whole = None
    if is_many or at_looks:
        whole = whole_limits(metric, value, spread, asked, policy)
    if found.low is None or found.high is None:
        return found
    if whole is None:
        return _not_narrow(found, metric, value, spread, asked, policy)
    if at_looks:
        # See `class_limits`: limits of classes at the ends of their ranges lie too near together.
        low, high = min(max(found.low, ends[0]), whole[0]), max(min(found.high, ends[1]), whole[1])
        return replace(found, low=low, high=high)
    part = (_N_TOGETHER / n_deciding) ** 4
    low = part * max(found.low, ends[0]) + (1.0 - part) * whole[0]
    high = part * min(found.high, ends[1]) + (1.0 - part) * whole[1]
    return _not_narrow(
        replace(found, low=low, high=high), metric, value, spread, asked, policy, whole
    )


def _not_narrow(
    found: Interval,
    metric: Metric,
    value: float,
    spread: TableVariance,
    asked: Confidence,
    policy: Policy,
    whole: tuple[float, float] | None = None,
) -> Interval:
    """The limits, and those of the whole where they lie nearer than the standard error says.

    The limits of a class that is never right do not know how its proportion varies. Limits of
    n rows are narrower than ± q standard errors by √(1 + q² ÷ n), as Wilson's are, with the number
    of rows n = (Σφ²)² ÷ Σφ⁴ that the influences φ come from.
    """
    error, low, high = found.standard_error, found.low, found.high
    if not error or low is None or high is None:
        return found
    quantile = asked.quantile(df_on(metric, spread, policy))
    least = 2.0 * quantile * error
    if high - low >= _NEARLY * least:
        return found
    phi = spread.centred(cell_slopes(slopes_on(metric, spread, policy), spread.cells))
    squares = (phi / max(float(np.abs(phi).max(initial=0.0)), 1e-300)) ** 2
    second, fourth = (float(spread.weights @ each) for each in (squares, squares**2))
    n = second**2 / max(fourth, 1e-300) * spread.n_effective / spread.total
    # Weights without a common unit leave no number of rows.
    if not n or high - low >= least / math.sqrt(1.0 + quantile**2 / n):
        return found
    if whole is None:
        whole = whole_limits(metric, value, spread, asked, policy)
    if whole is None:
        return found
    return replace(found, low=min(low, whole[0]), high=max(high, whole[1]))


def _deciding(each: Sequence[ClassLimits], of_parts: Sequence[Floats]) -> float:
    """Effective number of classes that contribute to the uncertainty; 1 if none does."""
    # Infinite limits, and undefined classes.
    with np.errstate(invalid="ignore"):
        widths = sum(
            np.abs(slopes) * (limits.high - limits.low)
            for limits, slopes in zip(each, of_parts, strict=True)
        )
    # Relative to the largest, so that squares do not underflow or overflow.
    squares = (np.nan_to_num(widths) / max(float(np.nanmax(widths, initial=0.0)), 1e-300)) ** 2
    return max(float(squares.sum() ** 2 / max((squares**2).sum(), 1e-300)), 1.0)


def _mover(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy
) -> tuple[Interval, float]:
    """Combine the limits of the classes by the correlations of their errors.

    MOVER (Zou and Donner 2008). The effective number of classes is returned, too.

    With a_k the slope of the metric in the value of class k, d_k the distance from it to its limit
    and ρ the correlations, the distance of the limit is √(Σ Σ a_k a_l ρ_kl d_k d_l), the standard
    error of Σ a_k · (d_k ÷ σ_k) · value_k. The effect of the class proportions on the metric is
    added to it. If some class has no error, the correlations cannot be estimated from the sample,
    and come from a table with ½ ÷ k rows more in each cell.
    """
    cells, (nodes, classes) = spread.cells, _parts(metric, policy)
    of_parts = _constant_slopes(metric, policy, cells.k)
    # For both limits, and the metric itself: its derivative is a_k times those of the classes.
    sums, listed = np.zeros((3, 3, cells.k)), None
    if of_parts is None:
        found = metric.slopes(cells, policy, nodes, stops_at_parts=True)
        of_parts, rest = found.of_parts, found.gradient
        steep = (rest.true, rest.pred, rest.same, *of_parts)
        if not all(math.isfinite(float(np.abs(part).max())) for part in steep):
            return Interval(remark=NO_SLOPE), 1.0
        quantile = asked.quantile(df_on(metric, spread, policy))
        times = np.array((quantile, quantile, 1.0))
        if rest.cells is None and not cells.is_weighted:
            shared = np.array((rest.true, rest.pred, rest.same)) * float(cells.fields.n)
            sums = times[:, None, None] * shared
        else:
            listed = np.multiply.outer(times, cell_slopes(found, cells))
    if cells.is_weighted and listed is None:
        listed = np.zeros((3, len(spread.weights)))
    each = [class_limits(plain, spread, asked, is_beta=True) for plain in classes]
    factors, alone, n_still = part_factors(each, each, of_parts)
    n_deciding = _deciding(each, of_parts)
    smoothed = spread.smoothed if n_still else None
    if smoothed is not None:
        shapes = [class_limits(plain, smoothed, asked, is_beta=True) for plain in classes]
        low, high, _ = spread.slope_variances(sums, listed).tolist()
        below, above = _smoothed_distances(smoothed, each, shapes, of_parts)
        error = float(spread.variance(derivative(metric, cells, policy)))
        if not math.isfinite(error):
            return Interval(remark=NO_SLOPE), 1.0
        together = below + low, above + high
        return mover_interval(value, together, error=math.sqrt(error)), n_deciding
    for limits, counted in zip(each, factors, strict=True):
        if not (limits.has_slopes or np.isfinite(derivative(metric, cells, policy)).all()):
            return Interval(remark=NO_SLOPE), 1.0
        if listed is not None and cells.is_weighted:
            # See `variance_of`: sums of parts are rounding errors of heavier classes.
            listed += np.array([spread.added(limits.partials, side) for side in counted])
        else:
            sums += counted[:, None] * limits.slopes
    low, high, variance = spread.slope_variances(sums, listed).tolist()
    if not math.isfinite(variance):
        return Interval(remark=NO_SLOPE), 1.0
    together = low + alone[0], high + alone[1]
    return mover_interval(value, together, error=math.sqrt(variance)), n_deciding


def mover_interval(
    value: float,
    squares: tuple[float, float],
    error: float | None = None,
    remark: str | None = None,
) -> Interval:
    """Limits of a number made of parts, from the squared distances of its two limits (MOVER)."""
    below, above = (math.sqrt(square) for square in squares)
    return Interval(value - below, value + above, "mover", error, remark)


def part_factors(
    each: Sequence[ClassLimits], shapes: Sequence[ClassLimits], of_parts: Sequence[Floats]
) -> tuple[list[Floats], tuple[float, float], int]:
    """Weights of the derivatives of the classes below, above and in the metric, by part: [3, k].

    The squared distances below and above of classes with zero variance, which are independent of
    all others, are returned, too, with the number of those that have a variance of 0 in `shapes`.
    """
    factors, below, above, n_still = [], 0.0, 0.0, 0
    for limits, shape, slopes in zip(each, shapes, of_parts, strict=True):
        of_part, low, high, n = _native.combine_classes(
            limits.value, limits.low, limits.high, shape.variance, slopes
        )
        factors.append(of_part)
        below, above, n_still = below + low, above + high, n_still + n
    return factors, (below, above), n_still


def _smoothed_distances(
    smoothed: TableVariance,
    each: Sequence[ClassLimits],
    shapes: Sequence[ClassLimits],
    of_parts: Sequence[Floats],
) -> list[float]:
    """Squared distances of both limits of the classes, with the correlations of `smoothed`."""
    factors, alone, _ = part_factors(each, shapes, of_parts)
    forms = np.zeros((2, len(smoothed.rows)))
    for shape, counted in zip(shapes, factors, strict=True):
        forms += np.array([smoothed.added(shape.partials, side) for side in counted[:2]])
    return [
        max(float(smoothed.variance(form)), 0.0) + x for form, x in zip(forms, alone, strict=True)
    ]


@lru_cache(_N_KEPT)
def _constant_slopes(metric: Metric, policy: Policy, k: int) -> tuple[Floats, ...] | None:
    """float64[k] for each part: the slopes of a metric that is a sum of parts times constants.

    None for other metrics, whose slopes depend on the table.
    """
    nodes, _ = _parts(metric, policy)
    if not is_linear_in(metric.traced(policy).value, nodes):
        return None
    each = np.arange(k)
    table = Cells.sparse(each, each, np.ones(k, np.int64), classes=Classes.of(range(k)))
    return metric.slopes(table, policy, nodes, stops_at_parts=True).of_parts


@cache
def _parts(metric: Metric, policy: Policy) -> tuple[tuple[Node, ...], tuple[Metric, ...]]:
    """Return the distinct parts of a formula and their metrics of one class."""
    parts = metric.traced(policy).parts
    is_first = first_of_each([part.values for part in parts])
    kept = [part for part, is_new in zip(parts, is_first, strict=True) if is_new]
    plain = []
    for part in kept:
        assert isinstance(part.record, Record)
        params = metric.params if part.record is metric.record else Metric.defaults(part.record)
        plain.append(Metric(part.record, "plain", params))
    return tuple(part.values for part in kept), tuple(plain)
