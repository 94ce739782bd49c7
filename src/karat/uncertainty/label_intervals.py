"""Intervals of the metrics of labels, by the family that a metric's formula puts it into."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.metrics._formula import is_linear_in
from karat.metrics._gradient import Slopes
from karat.metrics._lift import Part, Policy, Traced
from karat.metrics._program import first_of_each
from karat.tally import Cells, Classes
from karat.uncertainty.class_limits import ClassLimits, class_limits
from karat.uncertainty.confidence import Confidence, Interval
from karat.uncertainty.limits import log_limits, logit_limits, wilson_limits
from karat.uncertainty.shares import curve_of_right_rows, is_of_right_rows, of_right_rows
from karat.uncertainty.table_spread import DUST, TableSpread

__all__ = ["derivative", "label_interval", "range_of"]

Floats: TypeAlias = npt.NDArray[np.float64]

_N_KEPT: Final = 256
_A_COUNT: Final = "it counts these rows; it is no estimate"
_A_CONSTANT: Final = "it is the same for every table"
_NO_SLOPE: Final = "its formula has no slope at this table"
_ONLY_TOTALS: Final = "the tally kept the totals of the classes, not the cells"
_NO_SQUARES: Final = "the table holds sums of weights, and their squares are not known"


def label_interval(
    metric: Metric, value: float, spread: TableSpread, asked: Confidence, policy: Policy = "zero"
) -> Interval:
    """How sure the value of a metric of labels is.

    Args:
        metric: any lift but per class.
        value: what it gave on the table.
        spread: the table, and how its rows were drawn.
        asked: level, side and method.
        policy: what undefined classes count as.

    Returns:
        An interval; without limits and with a remark where there can be none.

    Cost: O(cells).
    """
    cells = spread.cells
    if not math.isfinite(value):
        return Interval()
    if is_constant(metric):
        return Interval(remark=_A_CONSTANT)
    if is_a_count(metric):
        return Interval(remark=_A_COUNT)
    if cells.storage == "marginals":
        return Interval(remark=_ONLY_TOTALS)
    if cells.is_weighted and cells.squares is None:
        return Interval(remark=_NO_SQUARES)
    ends = range_of(metric)
    if asked.method not in ("wald", "logit") and _is_combined(metric, policy):
        return _within(_combined(metric, value, spread, asked, policy), value, ends, asked)
    slopes = metric.slopes(cells, policy)
    variance = _variance(slopes, spread)
    error = math.sqrt(variance) if math.isfinite(variance) else None
    if asked.method in ("wald", "logit"):
        found = _textbook(value, error, ends, spread, asked)
    else:
        found = _default(metric, value, slopes, variance, spread, asked, policy)
    return _within(replace(found, standard_error=error), value, ends, asked)


def _within(
    found: Interval, value: float, ends: tuple[float, float], asked: Confidence
) -> Interval:
    """An interval that holds the value and stays in the range, on the sides asked for."""
    if found.low is None or found.high is None:
        return found
    low = min(max(found.low, ends[0]), value)
    high = max(min(found.high, ends[1]), value)
    low, high = asked.one_sided(low, high, ends)
    return Interval(low, high, found.method, found.standard_error, found.remark)


@cache
def _is_combined(metric: Metric, policy: Policy) -> bool:
    """Whether its limits are those of the classes, combined."""
    record = metric.record
    if (metric.lift == "micro" or not record.is_per_class) and is_of_right_rows(metric):
        return False
    is_of_one = record.is_per_class and metric.lift == "plain"
    return not is_of_one and bool(metric.traced(policy).parts)


@cache
def is_a_count(metric: Metric) -> bool:
    """Whether twice the rows give twice the value: it says how many, not how good."""
    if any(item.kind == "matrix" for item in metric.record.parameters):
        return False
    table = np.array([[31.0, 7.0], [4.0, 22.0]])
    tables = Cells.dense(np.stack([table, 2 * table]), classes=Classes.of([0, 1]))
    one, two = metric.values(tables).value
    return bool(abs(two - one) > 1e-9 * abs(one))


@cache
def is_constant(metric: Metric) -> bool:
    """Whether the classes alone give the value, whatever their rows."""
    if any(item.kind == "matrix" for item in metric.record.parameters):
        return False
    tables = np.array([[[31, 7, 3], [4, 22, 9], [1, 5, 17]], [[8, 2, 14], [11, 19, 1], [6, 3, 27]]])
    if metric.record.is_per_class and metric.lift == "plain":
        return False
    found = metric.values(Cells.dense(tables, classes=Classes.of([0, 1, 2]))).value
    return bool(np.ptp(found) <= 1e-12 * np.abs(found).max())


def range_of(metric: Metric) -> tuple[float, float]:
    """The ends of the range, those of its costs where it is a mean of costs."""
    low, high = metric.range
    for item in metric.record.parameters:
        if item.kind == "matrix" and not (math.isfinite(low) and math.isfinite(high)):
            costs = np.asarray(dict(metric.params)[item.name], np.float64)
            return float(costs.min()), float(costs.max())
    return low, high


def derivative(metric: Metric, cells: Cells, policy: Policy = "zero") -> Floats:
    """float64[m]: of a metric with respect to the share of each listed cell."""
    return _at_shares(metric.slopes(cells, policy), cells)


def _at_shares(found: Slopes, cells: Cells) -> Floats:
    """float64[m]: a gradient at the listed cells, with respect to their shares."""
    g = found.gradient.at_cells() * float(cells.fields.n)
    if found.gradient.fields is not cells.fields:
        # The formula reads the cells that are not listed, too.
        rows, cols = cells.coordinates()
        return np.asarray(g[rows * cells.k + cols])
    return g


def _variance(found: Slopes, spread: TableSpread) -> float:
    """Of the metric with this derivative; NaN where it is not finite."""
    g = found.gradient
    if g.cells is None:
        parts = np.array(((g.true, g.pred, g.same),)) * float(spread.cells.fields.n)
        return float(spread.slope_variances(parts)[0])
    listed = _at_shares(found, spread.cells)
    return float(spread.variance(listed)) if np.isfinite(listed).all() else math.nan


def _textbook(
    value: float,
    error: float | None,
    ends: tuple[float, float],
    spread: TableSpread,
    asked: Confidence,
) -> Interval:
    """Wald's interval, or that of the logit (of the logarithm, without an upper end)."""
    if error is None:
        return Interval(remark=_NO_SLOPE)
    quantile = asked.quantile(spread.df)
    if asked.method == "wald" or not math.isfinite(ends[0]):
        return Interval(value - quantile * error, value + quantile * error, "wald")
    if not ends[0] < value < ends[1]:
        return Interval(remark="the logit of an end of the range is infinite")
    if math.isinf(ends[1]):
        low, high = log_limits(value - ends[0], error, quantile)
        return Interval(float(low) + ends[0], float(high) + ends[0], "log")
    span = ends[1] - ends[0]
    low, high = logit_limits((value - ends[0]) / span, error / span, quantile)
    return Interval(ends[0] + span * float(low), ends[0] + span * float(high), "logit")


def _default(
    metric: Metric,
    value: float,
    slopes: Slopes,
    variance: float,
    spread: TableSpread,
    asked: Confidence,
    policy: Policy,
) -> Interval:
    record = metric.record
    if (metric.lift == "micro" or not record.is_per_class) and is_of_right_rows(metric):
        return _of_right_rows(metric, spread, asked)
    if record.is_per_class and metric.lift == "plain":
        found = class_limits(metric, spread, asked)
        at = spread.cells.classes.positive
        assert at is not None
        return Interval(float(found.low[at]), float(found.high[at]), found.method)
    if not math.isfinite(variance):
        return Interval(remark=_NO_SLOPE)
    ends = range_of(metric)
    if math.isfinite(ends[0]) and math.isfinite(ends[1]):
        return _effective(metric, value, slopes, ends, spread, asked, policy)
    error, quantile = math.sqrt(variance), asked.quantile(spread.df)
    if ends[0] == 0.0 and value > 0.0:
        low, high = log_limits(value, error, quantile)
        return Interval(float(low), float(high), "log")
    return Interval(value - quantile * error, value + quantile * error, "wald")


def _of_right_rows(metric: Metric, spread: TableSpread, asked: Confidence) -> Interval:
    """Wilson's limits of the accuracy, as limits of what follows from it alone."""
    key = "right rows", asked
    if key not in spread.kept:
        hit = (spread.rows == spread.cols).astype(np.float64)
        share = float((hit * spread.weights).sum()) / spread.total
        n = spread.n_effective / float(spread.inflation(hit))
        spread.kept[key] = wilson_limits(share, n, asked.quantile(spread.df))
    low, high = spread.kept[key]
    curve = curve_of_right_rows(metric, spread.cells.k)
    if curve is not None:
        a, b, c = curve
        ends = [(a * float(p) + b) / (1.0 + c * float(p)) for p in (low, high)]
        return Interval(min(ends), max(ends), "wilson")
    found = of_right_rows(metric, np.stack([low, high]), spread.cells.k)
    if not np.isfinite(found).all():
        found = np.where(np.isfinite(found), found, metric.range[1])
    return Interval(float(found.min()), float(found.max()), "wilson")


def _effective(
    metric: Metric,
    value: float,
    slopes: Slopes,
    ends: tuple[float, float],
    spread: TableSpread,
    asked: Confidence,
    policy: Policy,
) -> Interval:
    """Wilson's limits with as many rows as a share would need to vary as the metric does.

    The variance is that of a table with ½ ÷ k rows more in each cell: where no row is wrong, the
    sample alone shows none.
    """
    span = ends[1] - ends[0]
    share, smooth_variance, inflation = (value - ends[0]) / span, math.nan, 1.0
    table = _smoothed(spread)
    if table is not None:
        smooth = metric.slopes(table.cells, policy)
        smooth_variance = _variance(smooth, table) * table.n_effective / spread.n_effective
        if math.isfinite(smooth_variance):
            share = (float(smooth.value) - ends[0]) / span
    if not (spread.is_simple and math.isfinite(smooth_variance)):
        g = _at_shares(slopes, spread.cells)
        inflation = float(spread.inflation(g))
        if not math.isfinite(smooth_variance):
            smooth_variance = float(spread.simple_variance(g))
    variance = smooth_variance * inflation / span**2
    # A rounding error beside the range is no variance.
    varies = variance * spread.n_effective > DUST
    rows = share * (1.0 - share) / variance if varies else spread.n_effective
    low, high = wilson_limits((value - ends[0]) / span, rows, asked.quantile(spread.df))
    return Interval(ends[0] + span * float(low), ends[0] + span * float(high), "wilson-effective")


def _smoothed(spread: TableSpread) -> TableSpread | None:
    """The smoothed table of a table, of rows drawn one by one."""
    if "smoothed" not in spread.kept:
        cells = spread.smoothed()
        spread.kept["smoothed"] = None if cells is None else TableSpread(cells, spread.design)
    found: TableSpread | None = spread.kept["smoothed"]
    return found


def _combined(
    metric: Metric, value: float, spread: TableSpread, asked: Confidence, policy: Policy
) -> Interval:
    """Limits of the classes, combined as their errors go together (MOVER, Zou and Donner 2008).

    With a_k the slope of the metric in the value of class k, d_k the distance from it to its limit
    and ρ the correlations, the limit lies √(Σ Σ a_k a_l ρ_kl d_k d_l) away: the standard error of
    Σ a_k · (d_k ÷ σ_k) · value_k. What the metric owes to the shares of the classes is added to it.
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
            return Interval(remark=_NO_SLOPE)
        quantile = asked.quantile(spread.df)
        times = np.array((quantile, quantile, 1.0))
        if rest.cells is None:
            shared = np.array((rest.true, rest.pred, rest.same)) * float(cells.fields.n)
            sums = times[:, None, None] * shared
        else:
            listed = np.multiply.outer(times, _at_shares(found, cells))
    alone = [0.0, 0.0]
    for part, a in zip(parts, of_parts, strict=True):
        params = metric.params if part.record is metric.record else Metric.defaults(part.record)
        limits = class_limits(Metric(part.record, "plain", params), spread, asked, is_beta=True)
        if not (limits.has_slopes or np.isfinite(derivative(metric, cells, policy)).all()):
            return Interval(remark=_NO_SLOPE)
        factors = _factors(limits, a, alone)
        sums += factors[:, None] * limits.slopes
    low, high, variance = spread.slope_variances(sums, listed).tolist()
    if not math.isfinite(variance):
        return Interval(remark=_NO_SLOPE)
    below, above = math.sqrt(low + alone[0]), math.sqrt(high + alone[1])
    return Interval(value - below, value + above, "mover", math.sqrt(variance))


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
        both[~np.isfinite(both)] = 0.0
    return both if slopes.min() >= 0.0 else np.where(slopes >= 0, both, both[::-1])
