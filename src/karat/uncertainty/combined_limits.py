"""Limits of an average of classes: those of the classes, combined as their errors go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.metrics._formula import is_linear_in
from karat.metrics._lift import Part, Policy, Traced
from karat.metrics._program import first_of_each
from karat.tally import Cells, Classes
from karat.uncertainty.class_limits import ClassLimits, class_limits
from karat.uncertainty.confidence import Confidence, Interval
from karat.uncertainty.label_slopes import at_shares, derivative
from karat.uncertainty.shares import is_of_right_rows
from karat.uncertainty.table_spread import TableSpread

__all__ = ["NO_SLOPE", "combined", "is_combined"]

Floats: TypeAlias = npt.NDArray[np.float64]

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
    metric: Metric, value: float, spread: TableSpread, asked: Confidence, policy: Policy
) -> Interval:
    """Limits of the classes, combined as their errors go together (MOVER, Zou and Donner 2008).

    With a_k the slope of the metric in the value of class k, d_k the distance from it to its limit
    and ρ the correlations, the limit lies √(Σ Σ a_k a_l ρ_kl d_k d_l) away: the standard error of
    Σ a_k · (d_k ÷ σ_k) · value_k. What the metric owes to the shares of the classes is added to it.
    Where some class has no error the sample does not show how errors go together, and the
    correlations are those of a table with ½ ÷ k rows more in each cell.
    """
    cells, parts = spread.cells, _parts(metric.traced(policy))
    of_parts = _constant_slopes(metric, policy, cells.k)
    # Of both limits, and of the metric itself: its derivative is a_k times those of the classes.
    sums, listed = np.zeros((3, 3, cells.k)), None
    if of_parts is None:
        found = metric.slopes(cells, policy, [part.values for part in parts], stops_at_parts=True)
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
            listed = np.multiply.outer(times, at_shares(found, cells))
    if cells.is_weighted and listed is None:
        listed = np.zeros((3, len(spread.weights)))
    alone = [0.0, 0.0]
    classes = [_plain(part, metric) for part in parts]
    each = [class_limits(plain, spread, asked, is_beta=True) for plain in classes]
    smoothed = spread.smoothed() if any((one.variance <= 0).any() for one in each) else None
    if smoothed is not None:
        alike = TableSpread(smoothed, spread.design)
        shapes = [class_limits(plain, alike, asked, is_beta=True) for plain in classes]
        low, high, _ = spread.slope_variances(sums, listed).tolist()
        alone = _alike(alike, each, shapes, of_parts, [low, high])
        error = float(spread.variance(derivative(metric, cells, policy)))
        below, above = (math.sqrt(extra) for extra in alone)
        return Interval(value - below, value + above, "mover", math.sqrt(error))
    for limits, a in zip(each, of_parts, strict=True):
        if not (limits.has_slopes or np.isfinite(derivative(metric, cells, policy)).all()):
            return Interval(remark=NO_SLOPE)
        factors = _factors(limits, a, alone)
        if listed is not None and cells.is_weighted:
            # See `variance_of`: sums of parts are rounding errors of heavier classes.
            listed += np.array([spread.added(limits.partials, side) for side in factors])
        else:
            sums += factors[:, None] * limits.slopes
    low, high, variance = spread.slope_variances(sums, listed).tolist()
    if not math.isfinite(variance):
        return Interval(remark=NO_SLOPE)
    below, above = math.sqrt(low + alone[0]), math.sqrt(high + alone[1])
    return Interval(value - below, value + above, "mover", math.sqrt(variance))


def _alike(
    alike: TableSpread,
    each: Sequence[ClassLimits],
    shapes: Sequence[ClassLimits],
    of_parts: Sequence[Floats],
    alone: list[float],
) -> list[float]:
    """What is added to the squared distances of both limits, by the correlations of a table.

    Args:
        alike: the table whose correlations are taken.
        each: the limits of the classes, for each part.
        shapes: those of `alike`, whose derivatives and variances are taken.
        of_parts: the slopes of the metric in the values of the classes.
        alone: the squared distances of what does not pass through the classes.
    """
    forms = np.zeros((2, len(alike.rows)))
    for limits, shape, a in zip(each, shapes, of_parts, strict=True):
        sigma = np.sqrt(shape.variance)
        is_known = sigma > 0
        for side, distance in enumerate(_distances(limits, a)):
            with np.errstate(invalid="ignore", divide="ignore"):
                factors = np.where(is_known, a * distance / sigma, 0.0)
            forms[side] += alike.added(shape.partials, factors)
            alone[side] += float(((a * distance)[~is_known] ** 2).sum())
    return [max(float(alike.variance(form)), 0.0) + x for form, x in zip(forms, alone, strict=True)]


def _plain(part: Part, metric: Metric) -> Metric:
    """The metric of one class that a part of a formula is."""
    params = metric.params if part.record is metric.record else Metric.defaults(part.record)
    return Metric(part.record, "plain", params)


@lru_cache(_N_KEPT)
def _constant_slopes(metric: Metric, policy: Policy, k: int) -> tuple[Floats, ...] | None:
    """float64[k] for each part: the slopes of a metric that is a sum of parts times constants.

    None for any other, whose slopes depend on the table.
    """
    traced = metric.traced(policy)
    parts = _parts(traced)
    if not is_linear_in(traced.value, [part.values for part in parts]):
        return None
    each = np.arange(k)
    table = Cells.sparse(each, each, np.ones(k, np.int64), classes=Classes.of(range(k)))
    nodes = [part.values for part in parts]
    return metric.slopes(table, policy, nodes, stops_at_parts=True).of_parts


@cache
def _parts(traced: Traced) -> tuple[Part, ...]:
    """The parts of a formula; of those that are the same operations, the first."""
    is_first = first_of_each([part.values for part in traced.parts])
    return tuple(part for part, is_new in zip(traced.parts, is_first, strict=True) if is_new)


def _factors(limits: ClassLimits, slopes: Floats, alone: list[float]) -> Floats:
    """float64[3, k]: what the derivatives of the classes count below, above and in the metric.

    A class that does not vary in the sample is independent of all others: its squared distances
    are added to `alone`.
    """
    factors = np.empty((3, len(slopes)))
    factors[:2] = _distances(limits, slopes)
    factors[:2] *= slopes
    factors[2] = slopes
    if limits.variance.min() > 0.0:
        factors[:2] /= np.sqrt(limits.variance)
        return factors
    is_known = limits.variance > 0.0
    unknown = factors[:2, ~is_known]
    for side, part in enumerate((unknown * unknown).sum(axis=1).tolist()):
        alone[side] += part
    factors[:2] *= is_known / np.sqrt(np.where(is_known, limits.variance, 1.0))
    return factors


def _distances(limits: ClassLimits, slopes: Floats) -> Floats:
    """float64[2, k]: from each class to the limit that lowers, and that raises, a mean."""
    value = limits.value
    if not limits.has_values:
        value = np.where(np.isfinite(value), value, 0.0)
    both = np.array((value - limits.low, limits.high - value))
    np.maximum(both, 0.0, out=both)
    if not limits.has_values:
        # A class that is left out has no limits either.
        both[:, ~np.isfinite(limits.value)] = 0.0
    return both if slopes.min() >= 0.0 else np.where(slopes >= 0, both, both[::-1])
