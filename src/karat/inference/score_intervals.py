"""Values and intervals of the metrics of scores, by the form of their influence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.designs import DRAWINGS
from karat.inference.confidence import DRAWN, Confidence, Interval
from karat.inference.draws import Draws, KeptColumns, draw_rows
from karat.inference.influence_variance import InfluenceVariances, Whole
from karat.inference.limits import Floats
from karat.inference.sampling_error import SamplingError
from karat.inference.value_limits import is_of_loss, score_interval
from karat.inference.variance import AreaVariance, Found, Sizes
from karat.metrics import ClassRanks, Confidences, Losses, Metric, PairRanks, Pairwise
from karat.metrics._bounded import ClassLimits, all_bounds_of
from karat.metrics._bounds import Limits
from karat.metrics._influence.forms import LossInfluence, PlaceInfluence
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics._measure import Along, measure
from karat.metrics._metric import Values
from karat.tally import HistogramRows, ScoredRows

_NOT_KEPT: Final = "its replicates need the rows, which were too many to keep"
_NO_SQUARES: Final = (
    "the squares of the weights were not kept: give a larger karat.Reading(max_memory=)"
)


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
    spreads = KeptColumns(
        lazy,
        *(rows, smooth, clusters, n_clusters),
        design=asked.design,
        keeps_influence=keeps_influence,
    )
    values = measure(rows, wanted, policy, along, spreads)
    at_once = [metric for metric in drawn if metric not in lazy]
    replicates, accelerations = draw_rows(rows, at_once, asked, clusters)
    for metric in replicates:
        if not reason_without(metric):
            replicates[metric] = replicates[metric] + float(values[metric].value)
    sizes = Sizes.of(rows)
    draws = Draws(spreads.cumulatives, lazy, replicates, accelerations, n_effective=sizes.rows)
    found = ScoredIntervals(draws=draws)
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
    is_plain = DRAWINGS[asked.design].is_plain
    lazy = [m for m in drawn if reads_one(m) and (reason_without(m) or is_plain)]
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
    if asked.window is not None and is_of_loss(metric):
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
    is_plain = DRAWINGS[asked.design].is_plain
    is_weighted = rows.is_weighted
    direct = [m for m in smooth if _is_known(m, is_weighted=is_weighted) and is_plain]
    drawn, lazy = _replicated(wanted, asked, is_requested=is_requested, one_by_one=True)
    spreads = KeptColumns(lazy, rows, direct)
    values = measure(rows, wanted, policy, along, spreads)
    sizes = Sizes.of(rows)
    found = ScoredIntervals(draws=Draws(spreads.cumulatives, lazy, n_effective=sizes.rows))
    of_sample = [metric for metric in smooth if metric not in direct]
    known: dict[Metric, Found] = spreads.found()
    if of_sample and rows.histograms.has_columns:
        some, squares = sampled()
        columns = [rows.column(i) for i in range(rows.classes.k)]
        areas = [AreaVariance.of(ClassRanks(each).area, each.placements()) for each in columns]
        whole = Whole(sizes, squares, areas)
        beside = InfluenceVariances(some, of_sample, design=asked.design, whole=whole)
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
