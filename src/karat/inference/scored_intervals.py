"""Values of the metrics of scores with their intervals, each column sorted once for both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import DRAWN, Draws, KeptColumns, draw_rows
from karat.inference.influence_variance import InfluenceVariances, SamplingError
from karat.inference.score_intervals import score_interval
from karat.inference.variance import Sizes, kish
from karat.metrics import Confidences, Losses, Metric, PairRanks, Pairwise
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics._measure import Along, Beside, Views, measure
from karat.metrics._metric import Values
from karat.tally import ScoredRows

__all__ = [
    "ScoredIntervals",
    "Together",
    "enter",
    "is_drawn",
    "measured_with_intervals",
    "reads_one",
    "why_none",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int64]

_ON_REQUEST: Final = "it takes replicates: name it in metrics=, or give method='bootstrap'"


@dataclass(frozen=True, eq=False)
class ScoredIntervals:
    """How sure the metrics of scores are.

    Attributes:
        intervals: of single numbers.
        class_intervals: of metrics of each class, limits float64[k]; NaN where there are none.
        draws: what replicates are drawn from when an interval is read.
    """

    intervals: dict[Metric, Interval] = field(default_factory=dict)
    class_intervals: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    draws: Draws | None = None


class Together:
    """Several readers of the columns; see `_measure.Beside`."""

    def __init__(self, readers: Sequence[Beside]) -> None:
        self._readers = readers

    @property
    def names_rows(self) -> bool:
        """Whether one of them adds to rows."""
        return any(reader.names_rows for reader in self._readers)

    def column(self, i: int, views: Views) -> None:
        """Hand the column to each."""
        for reader in self._readers:
            reader.column(i, views)

    def confidences(self, view: Confidences) -> None:
        """Hand the confidences to each."""
        for reader in self._readers:
            reader.confidences(view)

    def pooled(self, views: Views) -> None:
        """Hand all columns together to each."""
        for reader in self._readers:
            reader.pooled(views)

    def pairs(self, metric: Metric, view: Pairwise) -> None:
        """Hand the pairs to each."""
        for reader in self._readers:
            reader.pairs(metric, view)


def measured_with_intervals(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    policy: Policy,
    asked: Confidence,
    *,
    along: Along | None = None,
    clusters: Codes | None = None,
    is_requested: bool = False,
) -> tuple[dict[Metric, Values], ScoredIntervals]:
    """Every metric of scores on the rows, and how sure it is.

    Args:
        rows, metrics, policy, along: as of `measure`.
        asked: level, side and method.
        clusters: int[n], numbers from 0 of what goes together; None: every row by itself.
        is_requested: whether the metrics were named, so that what takes replicates gets them.

    Cost: as `measure`; of averages over classes 8 bytes a row more; replicates where they are
        drawn at once: of clusters, and of averages of what has no influence.
    """
    wanted = list(dict.fromkeys(metrics))
    smooth = [metric for metric in wanted if not reason_without(metric)]
    drawn = [m for m in wanted if is_drawn(m, asked, is_requested=is_requested)]
    is_fixed = asked.design == "case-control"
    lazy = [
        metric
        for metric in drawn
        if clusters is None and reads_one(metric) and (reason_without(metric) or not is_fixed)
    ]
    n_clusters = 0 if clusters is None else int(clusters.max(initial=-1)) + 1
    spreads = InfluenceVariances(rows, smooth, clusters, n_clusters, is_fixed=is_fixed)
    kept = KeptColumns(lazy, rows.classes.positive)
    values = measure(rows, wanted, policy, along, Together([spreads, kept]))
    at_once = [metric for metric in drawn if metric not in lazy]
    replicates, accelerations = draw_rows(rows, at_once, asked, clusters)
    for metric in replicates:
        if not reason_without(metric):
            replicates[metric] = replicates[metric] + float(values[metric].value)
    found = ScoredIntervals(draws=Draws(kept.ladders, tuple(lazy), replicates, accelerations))
    sizes = Sizes.of(rows)
    for metric, spread in spreads.found().items():
        enter(found, metric, values[metric], spread, asked, sizes, n_clusters)
    for metric in wanted:
        if reason_without(metric) and metric not in drawn and metric.lift != "per_class":
            found.intervals[metric] = Interval(remark=why_none(metric))
    for metric in drawn:
        found.intervals.pop(metric, None)
    return values, found


def is_drawn(metric: Metric, asked: Confidence, *, is_requested: bool) -> bool:
    """Whether the interval of a metric comes from replicates."""
    if not metric.record.is_estimate or metric.lift in ("per_class", "micro"):
        return False
    if asked.method in DRAWN:
        return True
    return bool(reason_without(metric)) and (is_requested or "plain" in metric.record.headline)


def reads_one(metric: Metric) -> bool:
    """Whether it reads one column: that of the positive class, or the confidences."""
    reads = metric.record.reads
    if reads in (Losses, PairRanks, Pairwise):
        return False
    return reads is Confidences or metric.lift == "plain"


def why_none(metric: Metric) -> str:
    """Why a metric that takes replicates has no interval."""
    if not metric.record.is_estimate:
        return f"it is {metric.record.no_influence}"
    return _ON_REQUEST


def enter(
    found: ScoredIntervals,
    metric: Metric,
    values: Values,
    spread: SamplingError | tuple[SamplingError, ...],
    asked: Confidence,
    sizes: Sizes,
    n_clusters: int,
) -> None:
    """Add the interval of a metric whose sampling error is known."""
    own = np.asarray(kish(sizes.weight, sizes.square))
    rest = np.asarray(kish(sizes.weight.sum() - sizes.weight, sizes.square.sum() - sizes.square))
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
    found.intervals[metric] = score_interval(metric, float(values.value), spread, asked, other)
