"""Values and intervals of the metrics of scores, by the form of their influence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import DRAWN, Confidence, Interval
from karat.inference.draws import Draws, KeptColumns, draw_rows
from karat.inference.influence_variance import InfluenceVariances, Whole
from karat.inference.limits import Floats, newcombe_limits, transformed
from karat.inference.rounding import settled
from karat.inference.sampling_error import SamplingError
from karat.inference.variance import AreaVariance, Found, Sizes
from karat.metrics import ClassRanks, Confidences, Losses, Metric, PairRanks, Pairwise
from karat.metrics._bounded import ClassLimits, all_bounds_of
from karat.metrics._bounds import Limits
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    LossInfluence,
    PairsInfluence,
    PlaceInfluence,
    PrecisionInfluence,
)
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics._measure import Along, measure
from karat.metrics._metric import Values
from karat.tally import HistogramRows, ScoredRows

_AREAS: Final = (AreaInfluence, PairsInfluence, DifferencesInfluence)
_FEW: Final = 20
_FEW_OF_A_CLASS: Final = 5
"""With 8 rows of a class, the coverage of areas is 95 to 99 of 100 samples (docs/coverage.md)."""
_LEAST_DF: Final = 2.0
_NOT_KEPT: Final = "its replicates need the rows, which were too many to keep"
_NO_SQUARES: Final = (
    "the squares of the weights were not kept: give a larger karat.Reading(max_memory=)"
)
_NOTHING_SEEN: Final = "every row has the same loss, so the variance of the loss is not known"


def score_interval(
    metric: Metric, value: float, spread: SamplingError, asked: Confidence, n_rest: float
) -> Interval:
    """Interval of a metric of scores; for the lift per class, of one class.

    `n_rest` is the number of effective rows of the other side of an area, for areas of 0 and 1.
    """
    if not math.isfinite(value):
        return Interval()
    if not math.isfinite(spread.variance) or spread.df < 1.0 or math.isnan(spread.df):
        return Interval(remark=spread.missing or "there are too few rows")
    error = math.sqrt(spread.variance)
    ends = metric.range
    if asked.method in ("wald", "logit"):
        low, high, method = _textbook(value, error, spread, asked, ends)
    else:
        low, high, method = _default(metric, value, error, spread, asked, n_rest)
    if method is None:
        return Interval(standard_error=error, remark=_NOTHING_SEEN, sampling=spread)
    low, high = min(max(low, ends[0]), value), max(min(high, ends[1]), value)
    low, high = asked.one_sided(low, high, ends)
    sampling = replace(spread, n_rest=n_rest)
    return Interval(low, high, method, error, _caution(metric, value, spread), sampling)


def _caution(metric: Metric, value: float, spread: SamplingError) -> str | None:
    """Return a caution if the interval rests on few rows."""
    form, n_own = metric.record.influence, spread.n_effective
    # With few rows that are all informative, the shrunk variance suffices.
    if isinstance(form, AreaInfluence) and spread.n_informative < min(_FEW, n_own / 2.0):
        return f"it depends on few rows of the class: {spread.n_informative:.1f} effective ones"
    if _is_of_loss(metric) and _n_losing(metric, value, spread) < _FEW:
        return (
            f"few rows have most of the loss: {_n_losing(metric, value, spread):.1f} effective ones"
        )
    if isinstance(form, (*_AREAS, PrecisionInfluence)) and spread.n_effective < _FEW_OF_A_CLASS:
        return f"it depends on few rows of a class: {spread.n_effective:.0f}"
    if spread.interpolated > math.sqrt(spread.variance) / 3.0:
        return "straight lines between few tied scores make up much of the value"
    excess = spread.optimism * (1.0 - settled(value))
    if excess > math.sqrt(spread.variance) / 2.0:
        return f"with few rows, the value may be too large by about {excess:.2g}"
    return None


def _is_of_loss(metric: Metric) -> bool:
    """Return whether it is a mean of unbounded losses, or 1 minus such a mean."""
    low, high = metric.range
    is_area = isinstance(metric.record.influence, (*_AREAS, PrecisionInfluence))
    if is_area or "ranks" in metric.record.needs or (math.isinf(low) and math.isinf(high)):
        return False
    return math.isinf(low) or (low == 0.0 and metric.record.better == "lower")


def _n_losing(metric: Metric, value: float, spread: SamplingError) -> float:
    """(Σℓ)² ÷ Σℓ² of the losses ℓ of the rows: the effective number of rows with losses."""
    low, high = metric.range
    loss = value - low if math.isfinite(low) else high - value
    if loss == 0.0:
        return spread.n_effective
    spread_of_one = math.sqrt(spread.variance) / loss
    return 1.0 / (spread_of_one * spread_of_one + 1.0 / max(spread.n_effective, 1.0))


Limited = tuple[float, float, str | None]
_NONE: Final[Limited] = (math.nan, math.nan, None)


def _textbook(
    value: float, error: float, spread: SamplingError, asked: Confidence, ends: tuple[float, float]
) -> Limited:
    quantile = asked.quantile(spread.df)
    if asked.method == "wald" or all(map(math.isinf, ends)):
        return value - quantile * error, value + quantile * error, "wald"
    if not ends[0] < value < ends[1]:
        return _NONE
    return _transformed(value, error, quantile, ends)


def _transformed(value: float, error: float, quantile: float, ends: tuple[float, float]) -> Limited:
    low, high, scale = transformed(value, error, quantile, ends)
    return low, high, f"{scale}-t" if scale else "t"


def _default(
    metric: Metric,
    value: float,
    error: float,
    spread: SamplingError,
    asked: Confidence,
    n_rest: float,
) -> Limited:
    form, (low, high) = metric.record.influence, metric.range
    quantile = asked.quantile(spread.df)
    span = high - low
    if isinstance(form, _AREAS):
        share = settled((value - low) / span)
        if 0.0 < share < 1.0 and spread.shrunk > 0.0:
            ends = low, high
            limits = _of_area(value, share, error, quantile, spread, asked, n_rest, ends)
            return *limits, "logit-delong"
        n_own = max(spread.n_effective, 1.0)
        edge = newcombe_limits(share, n_own, max(n_rest, 1.0), quantile)
        return low + span * edge[0], low + span * edge[1], "newcombe"
    if isinstance(form, PrecisionInfluence):
        value = settled(value)
        if 0.0 < value < 1.0 and error > 0.0:
            above = _transformed(value, error, quantile, (low, high))
            less = value - spread.optimism * (1.0 - value)
            if less <= 0.0:
                return low, *above[1:]
            return _transformed(less, error, quantile, (low, high))[0], *above[1:]
        return *_wilson(value, spread, error, quantile, (low, high), asked), "wilson-effective"
    is_a_loss = metric.record.better == "lower" and low == 0.0
    if "ranks" in metric.record.needs:
        return *_wilson(value, spread, error, quantile, (low, high), asked), "wilson"
    if math.isfinite(span) and not is_a_loss and error > 0.0 and low < value < high:
        return _transformed(value, error, quantile, (low, high))
    if math.isinf(low) and math.isinf(high):
        return value - quantile * error, value + quantile * error, "t"
    if error > 0.0 and value not in (low, high):
        ends = (low, math.inf) if math.isfinite(low) else (low, high)
        # With the effective number of rows that make up most of the loss.
        df = min(spread.df, max(_n_losing(metric, value, spread) - 1.0, _LEAST_DF))
        return _transformed(value, error, asked.quantile(df), ends)
    if math.isfinite(span):
        return *_wilson(value, spread, error, quantile, (low, high), asked), "wilson-effective"
    return _NONE


def _of_area(
    value: float,
    share: float,
    error: float,
    quantile: float,
    spread: SamplingError,
    asked: Confidence,
    n_rest: float,
    ends: tuple[float, float],
) -> tuple[float, float]:
    """Limits with the shrunk variance, within the wider of Newcombe's and DeLong's.

    For well separated classes, a few pseudo-rows of exponential scores have much weight on the
    logit scale: limits would be three times as wide as with the rows, or with such scores alone.
    """
    wide = transformed(value, math.sqrt(spread.shrunk), quantile, ends)
    if not error > 0.0:
        return wide[0], wide[1]
    seen = transformed(value, error, quantile, ends)
    n_own, span = max(spread.n_effective, 1.0), ends[1] - ends[0]
    edge = newcombe_limits(share, n_own, max(n_rest, 1.0), asked.quantile())
    below, above = (ends[0] + span * one for one in edge)
    return max(wide[0], min(seen[0], below)), min(wide[1], max(seen[1], above))


def _wilson(
    value: float,
    spread: SamplingError,
    error: float,
    quantile: float,
    ends: tuple[float, float],
    asked: Confidence,
) -> tuple[float, float]:
    """Wilson limits with the rows at which a proportion has the same variance."""
    low, span = ends[0], ends[1] - ends[0]
    share, variance = (value - low) / span, (error / span) ** 2
    rows = spread.n_effective
    if variance > 0.0 and 0.0 < share < 1.0:
        rows = min(rows, share * (1.0 - share) / variance)
    below, above = asked.share_limits(share, rows, quantile)
    return low + span * float(below), low + span * float(above)


_FAR_OUT: Final = "its limits come from replicates, which cannot reach the level of a window"
_ONE_LOOK: Final = (
    "its limits come from replicates, which are valid for one look, not for every look"
)
_ON_REQUEST: Final = (
    "it takes replicates: name it in metrics=, or give karat.Interval(method='bootstrap')"
)


@dataclass(frozen=True, eq=False)
class ScoredIntervals:
    """Intervals of the metrics of scores.

    Attributes:
        intervals: intervals of single numbers.
        class_intervals: limits float64[k] of metrics of each class; NaN if there are none.
        draws: source of the replicates when an interval is read.
    """

    intervals: dict[Metric, Interval] = field(default_factory=dict)
    class_intervals: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    draws: Draws | None = None


def measured_with_intervals(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    policy: Policy,
    asked: Confidence,
    *,
    along: Along | None = None,
    clusters: npt.NDArray[np.int64] | None = None,
    is_requested: bool = False,
) -> tuple[dict[Metric, Values], ScoredIntervals]:
    """Compute every metric of scores on the rows, with its interval.

    `is_requested` means that the metrics were named, so that intervals by replicates are computed.

    Cost: as `measure`; 8 more bytes for each row for averages over classes; replicates if they are
    drawn at once: for clusters, and for averages of metrics without an influence function.
    """
    values, found, _ = _measured(
        rows, metrics, policy, asked, along, clusters, is_requested=is_requested
    )
    return values, found


def measured_with_influence(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    policy: Policy,
    asked: Confidence,
    clusters: npt.NDArray[np.int64] | None = None,
) -> tuple[dict[Metric, Values], ScoredIntervals, Callable[[Metric], Floats]]:
    """Compute `measured_with_intervals`, and the influence of each row on smooth metrics.

    Cost: as `measured_with_intervals`, and 8 bytes for each row and metric of one class.
    """
    return _measured(rows, metrics, policy, asked, None, clusters, keeps_influence=True)


def _measured(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    policy: Policy,
    asked: Confidence,
    along: Along | None,
    clusters: npt.NDArray[np.int64] | None,
    *,
    is_requested: bool = False,
    keeps_influence: bool = False,
) -> tuple[dict[Metric, Values], ScoredIntervals, Callable[[Metric], Floats]]:
    wanted = [each.with_classes(rows.classes.k) for each in dict.fromkeys(metrics)]
    smooth = [metric for metric in wanted if not reason_without(metric)]
    n_clusters = 0 if clusters is None else int(clusters.max(initial=-1)) + 1
    asked = asked.at(n_clusters or rows.n_rows)
    drawn, lazy = _replicated(wanted, asked, is_requested=is_requested, one_by_one=clusters is None)
    is_fixed = asked.design == "case-control"
    spreads = KeptColumns(
        lazy,
        *(rows, smooth, clusters, n_clusters),
        is_fixed=is_fixed,
        keeps_influence=keeps_influence,
    )
    values = measure(rows, wanted, policy, along, spreads)
    at_once = [metric for metric in drawn if metric not in lazy]
    replicates, accelerations = draw_rows(rows, at_once, asked, clusters)
    for metric in replicates:
        if not reason_without(metric):
            replicates[metric] = replicates[metric] + float(values[metric].value)
    found = ScoredIntervals(draws=Draws(spreads.cumulatives, lazy, replicates, accelerations))
    sizes = Sizes.of(rows)
    for metric, spread in spreads.found().items():
        _enter(found, metric, values[metric], spread, asked, sizes, n_clusters)
    for metric in wanted:
        if reason_without(metric) and metric not in drawn and metric.lift != "per_class":
            found.intervals[metric] = Interval(remark=_why_none(metric, asked))
    for metric in drawn:
        found.intervals.pop(metric, None)
    return values, found, spreads.influence


def _replicated(
    wanted: Iterable[Metric], asked: Confidence, *, is_requested: bool, one_by_one: bool
) -> tuple[list[Metric], tuple[Metric, ...]]:
    """Intervals from replicates; those of a kept column are drawn when read."""
    drawn = [m for m in wanted if _is_drawn(m, asked, is_requested=is_requested)]
    is_fixed = asked.design == "case-control"
    lazy = [m for m in drawn if reads_one(m) and (reason_without(m) or not is_fixed)]
    return drawn, tuple(lazy if one_by_one else ())


def _is_drawn(metric: Metric, asked: Confidence, *, is_requested: bool) -> bool:
    is_single = metric.record.is_estimate and metric.lift not in ("per_class", "micro")
    # Replicates show no tails as small as those of limits at every look.
    if not is_single or asked.is_of_looks:
        return False
    if asked.method in DRAWN:
        return True
    return bool(reason_without(metric)) and (is_requested or "plain" in metric.record.headline)


def reads_one(metric: Metric) -> bool:
    """Return whether it reads one column: that of the positive class, or the confidences."""
    reads = metric.record.reads
    if reads in (Losses, PairRanks, Pairwise):
        return False
    return reads is Confidences or metric.lift == "plain"


def _why_none(metric: Metric, asked: Confidence) -> str:
    if not metric.record.is_estimate:
        return f"it is {metric.record.no_influence}"
    if asked.window is not None:
        return _FAR_OUT
    return _ON_REQUEST if asked.anytime is None else _ONE_LOOK


def _enter(
    found: ScoredIntervals,
    metric: Metric,
    values: Values,
    spread: SamplingError | tuple[SamplingError, ...],
    asked: Confidence,
    sizes: Sizes,
    n_clusters: int,
) -> None:
    own, rest = sizes.of_classes, sizes.of_others
    if n_clusters:
        own, rest = np.minimum(own, n_clusters), np.minimum(rest, n_clusters)
    if isinstance(spread, tuple):
        plain = Metric(metric.record, "plain", metric.params)
        limits = np.full((2, len(spread)), np.nan)
        for i, one in enumerate(spread):
            other = max(float(own[i]), float(rest[i]))
            interval = score_interval(plain, float(values.value[i]), one, asked, other)
            if interval.low is not None and interval.high is not None:
                limits[:, i] = interval.low, interval.high
        found.class_intervals[metric.record.name] = limits[0], limits[1]
        return
    present = own[own > 0]
    other = float(np.sort(present)[1]) if len(present) > 1 else 1.0
    if metric.lift == "plain" and metric.record.is_per_class:
        other = float(max(own.max(), 1.0))
    if asked.window is not None and _is_of_loss(metric):
        # How far a loss is from that of all windows depends on the rows of a rare class, which
        # vary more than its few rows show.
        spread = replace(spread, df=min(spread.df, max(sizes.fewest - 1.0, 1.0)))
    found.intervals[metric] = score_interval(metric, float(values.value), spread, asked, other)


class HistogramMeasures(NamedTuple):
    """Values, limits of inexact values (see `all_bounds_of`), and intervals from histograms."""

    values: dict[Metric, Values]
    bounds: dict[Metric, Limits | None]
    class_bounds: dict[Metric, ClassLimits]
    sure: ScoredIntervals


def measured_histograms(
    rows: HistogramRows,
    metrics: Iterable[Metric],
    policy: Policy,
    asked: Confidence | None,
    sampled: Callable[[], tuple[ScoredRows, Floats]],
    *,
    along: Along | None = None,
    is_requested: bool = False,
) -> HistogramMeasures:
    """Compute every metric that histograms support, with bounds and intervals.

    The sampling error of a metric of one column and of a loss follows from the histograms. That of
    averages over columns comes from the sample, with a relative error of about 1 ÷ √(2·rows of the
    sample).

    Args:
        metrics: metrics of scores; none reads pairs of columns.
        sampled: returns sample rows, and Σw² of the rows that each represents.
    """
    wanted = [each.with_classes(rows.classes.k) for each in dict.fromkeys(metrics)]
    assert not any(metric.record.reads is Pairwise for metric in wanted)
    if asked is None:
        values = measure(rows, wanted, policy, along)
        return HistogramMeasures(values, *all_bounds_of(rows, wanted, policy), ScoredIntervals())
    asked = asked.at(rows.n_rows)
    smooth = [metric for metric in wanted if not reason_without(metric)]
    is_fixed = asked.design == "case-control"
    is_weighted = rows.is_weighted
    direct = [m for m in smooth if _is_known(m, is_weighted=is_weighted) and not is_fixed]
    drawn, lazy = _replicated(wanted, asked, is_requested=is_requested, one_by_one=True)
    spreads = KeptColumns(lazy, rows, direct)
    values = measure(rows, wanted, policy, along, spreads)
    sizes = Sizes.of(rows)
    found = ScoredIntervals(draws=Draws(spreads.cumulatives, lazy))
    of_sample = [metric for metric in smooth if metric not in direct]
    known: dict[Metric, Found] = spreads.found()
    if of_sample and rows.histograms.has_columns:
        some, squares = sampled()
        columns = [rows.column(i) for i in range(rows.classes.k)]
        areas = [AreaVariance.of(ClassRanks(each).area, each.placements()) for each in columns]
        whole = Whole(sizes, squares, areas)
        beside = InfluenceVariances(some, of_sample, is_fixed=is_fixed, whole=whole)
        measure(some, of_sample, policy, beside=beside)
        known |= beside.found()
    for metric, spread in known.items():
        _enter(found, metric, values[metric], spread, asked, sizes, 0)
    for metric in wanted:
        if metric.lift == "per_class" or metric in lazy:
            found.intervals.pop(metric, None)
        elif metric in drawn:
            found.intervals[metric] = Interval(remark=_NOT_KEPT)
        elif metric in of_sample and metric not in known:
            found.intervals[metric] = Interval(remark=_NO_SQUARES)
        elif reason_without(metric):
            found.intervals[metric] = Interval(remark=_why_none(metric, asked))
    bounds, class_bounds = all_bounds_of(rows, wanted, policy)
    for metric, limits in bounds.items():
        if metric in found.intervals:
            value = float(values[metric].value)
            found.intervals[metric] = _around(found.intervals[metric], value, limits, metric)
    for metric, each in class_bounds.items():
        name = metric.record.name
        if name in found.class_intervals:
            low, high = (np.array(side) for side in found.class_intervals[name])
            for i, value in enumerate(values[metric].value.tolist()):
                around = _around(Interval(low=low[i], high=high[i]), value, each[i], metric)
                low[i], high[i] = around.low, around.high
            found.class_intervals[name] = low, high
    return HistogramMeasures(values, bounds, class_bounds, found)


def _is_known(metric: Metric, *, is_weighted: bool) -> bool:
    """Return whether its error follows from histograms: that of a mean, or of one column."""
    if is_of_sums(metric):
        # Ranks are counted without the squares of weights.
        return isinstance(metric.record.influence, LossInfluence) or not is_weighted
    return metric.record.is_per_class and metric.lift in ("plain", "per_class")


def is_of_sums(metric: Metric) -> bool:
    """Return whether a metric is the mean of what is summed of each row."""
    form = metric.record.influence
    return isinstance(form, LossInfluence | PlaceInfluence) and not metric.is_clipped


def _around(interval: Interval, value: float, limits: Limits | None, metric: Metric) -> Interval:
    """Interval of a value that is only known between limits."""
    if limits is None or interval.low is None or interval.high is None:
        return interval
    low, high = metric.range
    return replace(
        interval,
        low=max(interval.low - max(value - limits[0], 0.0), low),
        high=min(interval.high + max(limits[1] - value, 0.0), high),
    )
