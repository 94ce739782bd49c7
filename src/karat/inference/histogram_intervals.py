"""Values, bounds and intervals of the metrics of scores from score histograms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import Draws, KeptColumns
from karat.inference.influence_variance import Found, InfluenceVariances, Whole
from karat.inference.limits import Floats
from karat.inference.score_intervals import (
    ScoredIntervals,
    Together,
    enter,
    is_drawn,
    reads_one,
    why_none,
)
from karat.inference.variance import AreaVariance, Sizes
from karat.metrics import ClassRanks, Losses, Metric, Pairwise
from karat.metrics._bounded import ClassLimits, all_bounds_of
from karat.metrics._bounds import Limits
from karat.metrics._influence.forms import LossInfluence
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics._measure import Along, measure
from karat.metrics._metric import Values
from karat.tally import HistogramRows, ScoredRows

__all__ = ["HistogramMeasures", "measured_histograms"]


_NOT_KEPT: Final = "its replicates need the rows, of which there were too many to keep"


class HistogramMeasures(NamedTuple):
    """What histograms say of metrics.

    Attributes:
        values: of each metric.
        bounds: limits of those that are not exact, see `all_bounds_of`.
        class_bounds: the same of metrics of each class.
        sure: intervals.
    """

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
    """Every metric that histograms tell, what they leave open, and how sure each is.

    Args:
        rows: the histograms.
        metrics: of scores; none reads pairs of columns.
        policy: what undefined values count as.
        asked: level, side and method; None: no intervals.
        sampled: gives rows that stand for all, and Σw² of those each stands for.
        along: as of `measure`.
        is_requested: whether the metrics were named, so that what takes replicates gets them.

    Returns:
        The values, their limits and intervals. The error of a metric of one column and of a loss
        follows from the histograms; that of averages over columns is that of the sample, whose
        spread is known to about 1 ÷ √(2·rows of the sample).
    """
    wanted = list(dict.fromkeys(metrics))
    assert not any(metric.record.reads is Pairwise for metric in wanted)
    if asked is None:
        values = measure(rows, wanted, policy, along)
        return HistogramMeasures(values, *all_bounds_of(rows, wanted, policy), ScoredIntervals())
    smooth = [metric for metric in wanted if not reason_without(metric)]
    is_fixed = asked.design == "case-control"
    direct = [m for m in smooth if _is_told(m) and not is_fixed]
    drawn = [m for m in wanted if is_drawn(m, asked, is_requested=is_requested)]
    lazy = [m for m in drawn if reads_one(m) and (reason_without(m) or not is_fixed)]
    spreads = InfluenceVariances(rows, direct)
    kept = KeptColumns(lazy, rows.classes.positive)
    values = measure(rows, wanted, policy, along, Together([spreads, kept]))
    sizes = Sizes.of(rows)
    found = ScoredIntervals(draws=Draws(kept.cumulatives, tuple(lazy)))
    of_sample = [metric for metric in smooth if metric not in direct]
    known: dict[Metric, Found] = spreads.found()
    if of_sample:
        some, squares = sampled()
        whole = Whole(sizes, squares, _areas(rows))
        beside = InfluenceVariances(some, of_sample, is_fixed=is_fixed, whole=whole)
        measure(some, of_sample, policy, beside=beside)
        known |= beside.found()
    for metric, spread in known.items():
        enter(found, metric, values[metric], spread, asked, sizes, 0)
    for metric in wanted:
        if metric.lift == "per_class" or metric in lazy:
            found.intervals.pop(metric, None)
        elif metric in drawn:
            found.intervals[metric] = Interval(remark=_NOT_KEPT)
        elif reason_without(metric):
            found.intervals[metric] = Interval(remark=why_none(metric))
    bounds, class_bounds = all_bounds_of(rows, wanted, policy)
    for metric, limits in bounds.items():
        if metric in found.intervals:
            value = float(values[metric].value)
            found.intervals[metric] = _around(found.intervals[metric], value, limits, metric)
    for metric, each in class_bounds.items():
        _widen_classes(found, metric, values[metric], each)
    return HistogramMeasures(values, bounds, class_bounds, found)


def _widen_classes(
    found: ScoredIntervals, metric: Metric, values: Values, each: ClassLimits
) -> None:
    """Make room in the intervals of the classes for what the histograms leave open."""
    limits = found.class_intervals.get(metric.record.name)
    if limits is None:
        return
    low, high = (np.array(side) for side in limits)
    for i, value in enumerate(values.value.tolist()):
        around = _around(Interval(low=low[i], high=high[i]), value, each[i], metric)
        low[i], high[i] = around.low, around.high
    found.class_intervals[metric.record.name] = low, high


def _areas(rows: HistogramRows) -> dict[int, AreaVariance]:
    """The sampling error of the area of each class."""
    columns = [rows.column(i) for i in range(rows.classes.k)]
    return {
        i: AreaVariance.of(ClassRanks(column).area, column.placements())
        for i, column in enumerate(columns)
    }


def _is_told(metric: Metric) -> bool:
    """Whether its error follows from histograms: that of a mean loss, or of one column."""
    if metric.record.reads is Losses:
        return isinstance(metric.record.influence, LossInfluence)
    return metric.record.is_per_class and metric.lift in ("plain", "per_class")


def _around(interval: Interval, value: float, limits: Limits | None, metric: Metric) -> Interval:
    """The interval of a value that is only known to lie between limits."""
    if limits is None or interval.low is None or interval.high is None:
        return interval
    low, high = metric.range
    return replace(
        interval,
        low=max(interval.low - max(value - limits[0], 0.0), low),
        high=min(interval.high + max(limits[1] - value, 0.0), high),
    )
