"""Intervals from replicates, of kept columns, or of the rows while they are available."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from karat.designs import DRAWINGS, units_of
from karat.designs.units import Sample
from karat.inference.confidence import DRAWN, LESS_BIAS, STRETCHED, Confidence, Interval
from karat.inference.influence_variance import InfluenceVariances
from karat.inference.limits import Floats
from karat.inference.resampling import (
    LevelGroups,
    ReplicateColumn,
    TableDraw,
    left_out,
    measures_of,
    replicate_bins,
    replicate_cumulative,
    replicate_row_cumulative,
    replicate_rows,
)
from karat.inference.rounding import settled_error
from karat.metrics import ClassProbabilities, ClassRanks, Confidences, Metric
from karat.metrics._influence.gather import influences, reason_without
from karat.metrics._measure import Views
from karat.tally import Bins, CumulativeCounts, LevelSource, ScoredRows, uniform_edges

ReplicateMethod: TypeAlias = Literal["bootstrap", "bca", "bayesian"]
"""Percentile, corrected and Bayesian bootstrap."""

UNDEFINED_MOST: Final = 0.05
"""Proportion of undefined replicates above which there are no limits."""


class ReplicateInterval(NamedTuple):
    """Limits, or NaN and the reason why there are none.

    The limits use the replicates where the metric is defined, and the record counts the others.
    """

    low: float
    high: float
    n_undefined: int
    reason: str


def interval_of_replicates(
    values: npt.ArrayLike,
    estimate: float,
    level: float = 0.95,
    side: Literal["both", "low", "high"] = "both",
    method: ReplicateMethod = "bootstrap",
    acceleration: float | None = None,
    *,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> ReplicateInterval:
    """Limits of a number from its replicates, which are NaN where undefined.

    Percentiles, or for ``"bca"`` bias-corrected and accelerated ones (Efron 1987; see
    `acceleration_of`). There are no limits if the estimate is undefined, if more than 5 % of the
    replicates are, or if ``"bca"`` has every replicate on one side of the estimate.

    Example:
        >>> interval_of_replicates(np.arange(101) / 100, 0.5, level=0.5)[:2]
        (0.25, 0.75)
    """
    given = np.asarray(values, np.float64)
    kept = given[~np.isnan(given)]
    n_undefined = len(given) - len(kept)

    def refused(reason: str) -> ReplicateInterval:
        return ReplicateInterval(math.nan, math.nan, n_undefined, reason)

    if math.isnan(estimate):
        return refused("it is undefined")
    if not len(kept) or n_undefined > UNDEFINED_MOST * len(given):
        return refused(f"the value is undefined in {n_undefined} of {len(given)} replicates")
    tail = (1.0 - level) / (2.0 if side == "both" else 1.0)
    low, high = tail, 1.0 - tail
    if method == "bca":
        if acceleration is None:
            raise ValueError("bca needs the acceleration")
        # Ties count half: for a metric with few values, many replicates equal the estimate.
        under = float(np.mean(kept < estimate) + np.mean(kept == estimate) / 2.0)
        if not 0.0 < under < 1.0:
            return refused("every replicate lies on one side of the value")
        corrected = [_corrected(share, under, acceleration) for share in (low, high)]
        if not all(0.0 < share < 1.0 for share in corrected):
            return refused("the replicates are too skewed")
        low, high = corrected
    # Limits of infinite values cannot be interpolated.
    way: Literal["linear", "nearest"] = "linear" if np.isfinite(kept).all() else "nearest"
    limits = np.quantile(kept, [low, high], method=way)
    below = ends[0] if side == "high" else float(limits[0])
    above = ends[1] if side == "low" else float(limits[1])
    return ReplicateInterval(below, above, n_undefined, "")


def acceleration_of(influence: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> float:
    """Σφ³ ÷ (6·(Σφ²)^1.5): the acceleration, without a jackknife.

    φ is the influence of each row, times its weight, or of each cell, with `counts` rows. The
    acceleration is 0 if no row changes the number.
    """
    phi = np.asarray(influence, np.float64)
    times = np.ones_like(phi) if counts is None else np.asarray(counts, np.float64)
    size, most = float(np.abs(phi).max(initial=0.0)), float(times.max(initial=0.0))
    if not (0.0 < size < math.inf and 0.0 < most < math.inf):
        return 0.0
    # Third powers of small or large numbers underflow or overflow.
    phi, times = phi / size, times / most
    spread = float((times * phi**2).sum())
    below = 6.0 * spread**1.5 * math.sqrt(most)
    return float((times * phi**3).sum()) / below if below > 0.0 else 0.0


def _corrected(share: float, below: float, acceleration: float) -> float:
    """Percentile corrected for bias and skewness."""
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    shifted = bias + normal.inv_cdf(share)
    divisor = 1.0 - acceleration * shifted
    # Beyond the pole, the correction is meaningless.
    return normal.cdf(bias + shifted / divisor) if divisor > 0 else math.nan


Codes: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[Any]

N_GROUPS: Final = 1024
"""Number of groups of neighboring scores that a kept column is reduced to."""
_AS_BY_CHANCE: Final = "a calibrated model has as large a value by chance"
_MOST_STRETCH: Final = 1e3
_STEPS: Final = 30
_CLOSE: Final = 1e-6
"""Relative to the value."""
_ONE_ROW: Final = "there is one row"
_ALL_EQUAL: Final = "every replicate has the same value, so the variance is not known"
_MUCH_BIAS: Final = 0.25, 0.8
"""Bias in standard errors: of extremes by percentiles, whose limits miss in 10 of 100 samples or
more from there on; and of others, or with less bias, where chance alone explains much of it."""
_FEW: Final = 4
"""Rows between an extreme value and the end of its range: with fewer, limits miss in 10 of 100."""
_MOST_LOG: Final = 700.0
_NOT_ACCELERATED: Final = "its acceleration is not known, which 'bca' needs; use 'bootstrap'"
_AS_DRAWN: Final = "its replicates do not keep the number of rows of each class"


def interval_of_draws(
    metric: Metric,
    value: float,
    drawn: Floats,
    asked: Confidence,
    acceleration: float | None = None,
) -> Interval:
    """Interval of a value from its replicates: percentiles, bias-corrected for extremes.

    Without an acceleration, there is no ``"bca"`` interval.
    """
    is_default = asked.method not in DRAWN
    method: ReplicateMethod = "bootstrap" if is_default else cast("ReplicateMethod", asked.method)
    kept = drawn[np.isfinite(drawn)]
    with np.errstate(over="ignore"):
        spread = float(kept.std(ddof=1)) if len(kept) > 1 else math.inf
    error = settled_error(metric, value, spread, 1.0) if math.isfinite(spread) else None
    if method == "bca" and acceleration is None:
        return Interval(standard_error=error, remark=_NOT_ACCELERATED)
    ends = metric.ends if metric.record.is_extreme else metric.range
    found = interval_of_replicates(
        drawn, value, asked.level, asked.side, method, acceleration, ends=ends
    )
    if found.reason:
        return Interval(standard_error=error, remark=found.reason)
    if is_default and error == 0.0:
        return Interval(standard_error=error, remark=_ALL_EQUAL)
    limits, made, remark = (found.low, found.high), str(method), None
    is_moved = is_default and metric.record.is_extreme
    bias = Bias.of(kept, value, ends) if error else None
    if bias is not None and method != "bca":
        remark = bias.remark(metric.record.is_extreme, is_moved)
        if is_moved:
            limits, made = bias.less(limits, asked.side), LESS_BIAS
    if found.n_undefined:
        remark = f"the value is undefined in {found.n_undefined} of {len(drawn)} replicates"
    # The linear part may exceed the range.
    low, high = max(min(limits[0], value), ends[0]), min(max(limits[1], value), ends[1])
    return Interval(low, high, made, error, remark)


@dataclass(frozen=True, slots=True)
class Bias:
    """Bias of the replicates of a value, toward one end of its range.

    Attributes:
        value, mean: the value, and the mean of its replicates.
        shown: their difference, in standard errors.
        end: the end of the range that the replicates are shifted to.
        half: change of the value by half a row.
    """

    value: float
    mean: float
    shown: float
    end: float
    half: float

    @classmethod
    def of(cls, drawn: Floats, value: float, ends: tuple[float, float]) -> Bias:
        """Return the bias of replicates that are not all equal."""
        mean, spread = float(drawn.mean()), float(drawn.std(ddof=1))
        end, other = (ends[1], ends[0]) if mean > value else ends
        away, half = abs(end - mean), 0.0
        if math.isfinite(end) and away > 0.0:
            share = 1.0 - away / abs(end - other) if math.isfinite(other) else 1.0
            # A proportion p of n rows has the variance p·(1 - p) ÷ n.
            half = spread**2 / (2.0 * away * share) if share > 0.0 else 0.0
        return cls(value, mean, (mean - value) / spread, end, half)

    @property
    def is_up(self) -> bool:
        """True if the replicates lie above the value."""
        return self.shown > 0.0

    def remark(self, is_extreme: bool, is_moved: bool) -> str | None:
        """Caveat about the bias; None if it is small."""
        shown, rows = abs(self.shown), 2.0 * self.half
        if shown > _MUCH_BIAS[is_moved or not is_extreme]:
            where = "above" if self.is_up else "below"
            return f"the value is biased: its replicates lie {shown:.1f} standard errors {where} it"
        if is_extreme and rows > 0.0 and abs(self.end - self.mean) < _FEW * rows:
            return (
                f"only about {abs(self.end - self.mean) / rows:.1f} rows separate the value from "
                f"{self.end:g}"
            )
        return None

    def less(
        self, limits: tuple[float, float], side: Literal["both", "low", "high"]
    ) -> tuple[float, float]:
        """Return percentiles of replicates, corrected for the bias of the value.

        A maximum over thresholds is biased upward, and its replicates further, but by at most half
        of its own bias, since its location converges at n^(-1/3) (Abrevaya, Huang 2005). So the
        limit on the side of the bias moves back by twice the bias of the replicates, and the other
        by 3 + 2·b² times, with b the bias in standard errors. Both are measured as -log(distance +
        half a row) from the end of the range. Without a bias, limits are unchanged. The reasons
        are in decisions/04-intervals.md.
        """
        bias = self._along(self.mean) - self._along(self.value)
        behind = 3.0 + 2.0 * self.shown**2
        by_low, by_high = (behind, 2.0) if self.is_up else (2.0, behind)
        low, high = limits
        if side != "high":
            low = self._back(self._along(low) - by_low * bias)
        if side != "low":
            high = self._back(self._along(high) - by_high * bias)
        return low, high

    def _along(self, x: float) -> float:
        """Transform that increases toward the end."""
        if not math.isfinite(self.end):
            return x if self.is_up else -x
        away = abs(self.end - x) + self.half
        return -math.log(away) if away > 0.0 else math.inf

    def _back(self, z: float) -> float:
        if not math.isfinite(self.end):
            return z if self.is_up else -z
        away = math.exp(min(-z, _MOST_LOG)) - self.half
        return self.end - away if self.is_up else self.end + away


@dataclass(eq=False)
class Draws:
    """Source of replicates when an interval is read, with those already drawn.

    `listed` are the metrics whose replicates are drawn when they are read, from the column of their
    view, and `n_effective` the rows that they are drawn from.
    """

    cumulatives: Mapping[type, CumulativeCounts] = field(default_factory=dict)
    listed: tuple[Metric, ...] = ()
    drawn: dict[Metric, Floats] = field(default_factory=dict)
    accelerations: dict[Metric, float] = field(default_factory=dict)
    stretches: dict[Metric, tuple[float, float, float]] = field(default_factory=dict)
    """For errors in bins: the tail, and the limits as multiples of the value; see `stretched`."""
    n_effective: float = math.inf

    def of(self, metric: Metric, value: float, asked: Confidence) -> Interval | None:
        """Return the interval of a metric; None if nothing is kept for it."""
        if metric not in self.drawn and metric not in self.listed:
            return None
        if not self.n_effective > 1.0:
            return Interval(remark=_ONE_ROW)
        if metric not in self.drawn:
            self._draw(metric.record.reads, asked)
        if asked.method == "bca" and metric in self.listed and metric not in self.accelerations:
            self._leave_out(metric.record.reads)
        found = interval_of_draws(
            metric, value, self.drawn[metric], asked, self.accelerations.get(metric)
        )
        is_kept = metric in self.listed and _is_of_bins(metric)
        if is_kept and asked.method not in DRAWN and found.low is not None:
            found = self._stretched(metric, value, found, asked)
        if not DRAWINGS[asked.design].is_plain and reason_without(metric) and found.remark is None:
            return replace(found, remark=_AS_DRAWN)
        return found

    def _stretched(
        self, metric: Metric, value: float, found: Interval, asked: Confidence
    ) -> Interval:
        if self.stretches.get(metric, (math.nan,))[0] != asked.tail:
            self._draw(metric.record.reads, asked)
        _, least, most = self.stretches[metric]
        low, high = min(least, 1.0) * value, max(most, 1.0) * value
        low, high = asked.one_sided(low, min(high, metric.range[1]), metric.range)
        remark = _AS_BY_CHANCE if not least and asked.side != "high" else None
        return replace(found, low=low, high=high, method=STRETCHED, remark=remark)

    def _leave_out(self, view: type) -> None:
        """Jackknife the accelerations of every metric that reads a column."""
        of_view = [metric for metric in self.listed if metric.record.reads is view]
        times: list[float] = []

        def columns() -> Iterator[ReplicateColumn]:
            for n, column in left_out(self.cumulatives[view], N_GROUPS):
                times.append(n)
                yield column

        for metric, values in measures_of(of_view, columns()).items():
            if np.isfinite(values).all():
                mean = np.average(values, weights=times)
                self.accelerations[metric] = acceleration_of(mean - values, times)

    def _draw(self, view: type, asked: Confidence) -> None:
        """Draw replicates of every metric that reads a column, once."""
        at: dict[str, Any] = {
            "method": "bayesian" if asked.method == "bayesian" else "poisson",
            "limit": N_GROUPS,
        }
        given = self.cumulatives[view], asked.n_replicates, asked.seed
        by_level: list[Metric] = []
        bins: dict[Any, tuple[Bins, Bins]] = {}
        for metric in self.listed:
            if metric.record.reads is not view:
                continue
            params = dict(metric.params)
            if not _is_of_bins(metric):
                by_level.append(metric)
                continue
            # The edges are the same in each replicate.
            key = params["bins"], params["closed"]
            if key not in bins:
                edges = uniform_edges(key[0])
                seen = Bins.of(self.cumulatives[view], edges, key[1])
                bins[key] = seen, replicate_bins(*given, edges, key[1], **at)
            assert metric.record.of_bins is not None
            seen, drawn = bins[key]
            of_bins = partial(metric.record.of_bins, **params)
            self.drawn[metric] = of_bins(drawn)
            self.stretches[metric] = asked.tail, *stretched(of_bins, seen, drawn, asked.tail)
        if by_level:
            self.drawn |= measures_of(by_level, replicate_cumulative(*given, **at))


def _is_of_bins(metric: Metric) -> bool:
    """Return whether it is an error in bins whose edges are the same in each replicate."""
    return metric.record.of_bins is not None and dict(metric.params).get("scheme") == "uniform"


def stretched(
    of_bins: Callable[[Bins], Any], seen: Bins, drawn: Bins, tail: float
) -> tuple[float, float]:
    """Limits of an error in bins, as multiples of it, by inverting a test.

    Such an error is a mean, or the maximum, of absolute gaps. It is positive even for calibrated
    predictions, and replicates are biased further. So the gaps of all bins are multiplied by a
    factor t, and the replicates are shifted by the effect of chance on them. The limits are the
    factors t at which the observed error has the tail probability `tail` above, and below. The
    lower one is 0 if the observed error is consistent with calibrated predictions.
    """
    gaps = seen.hits - seen.confidence
    noise = (drawn.hits - drawn.confidence) - gaps
    value = float(of_bins(seen))
    if not value > 0.0:
        return 0.0, 1.0

    def beyond(t: float, share: float) -> float:
        moved = of_bins(replace(drawn, hits=drawn.confidence + t * gaps + noise))
        return float(np.quantile(moved[~np.isnan(moved)], share)) / value - 1.0

    def crossing(share: float) -> float:
        below, above = (0.0, beyond(0.0, share)), (1.0, beyond(1.0, share))
        if below[1] >= 0.0:
            return 0.0
        while above[1] < 0.0 and above[0] < _MOST_STRETCH:
            below, above = above, (2.0 * above[0], beyond(2.0 * above[0], share))
        # Quantiles are nearly linear in t: the secant method, bracketed (Illinois).
        (low, under), (high, over), side = below, above, 0
        t = high
        for _ in range(_STEPS):
            t = (low * over - high * under) / (over - under) if over > under else high
            here = beyond(t, share)
            if abs(here) < _CLOSE:
                break
            if here < 0.0:
                low, under, over = t, here, over / 2.0 if side < 0 else over
                side = -1
            else:
                high, over, under = t, here, under / 2.0 if side > 0 else under
                side = 1
        return t

    return crossing(1.0 - tail), crossing(tail)


class KeptColumns(InfluenceVariances):
    """Sampling errors, and the columns for lazy replicates, kept in groups while sorted."""

    def __init__(self, kept: Iterable[Metric], *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._views = {metric.record.reads for metric in kept}
        self.cumulatives: dict[type, CumulativeCounts] = {}

    def column(self, i: int, views: Views) -> None:
        super().column(i, views)
        if i == self._rows.classes.positive:
            if ClassRanks in self._views:
                self._keep(ClassRanks, views.ranks.ranked)
            if ClassProbabilities in self._views:
                self._keep(ClassProbabilities, views.probabilities.ranked)

    def confidences(self, view: Confidences) -> None:
        if Confidences in self._views:
            self._keep(Confidences, view.ranked)

    def _keep(self, view: type, column: LevelSource) -> None:
        groups = LevelGroups.of(column, N_GROUPS)
        counts = groups.sums.astype(np.int64) if groups.squares is None else groups.sums
        self.cumulatives[view] = CumulativeCounts(
            groups.scores, counts, groups.squares, groups.n_rows
        )


def draw_rows(
    rows: ScoredRows, metrics: Sequence[Metric], asked: Confidence, clusters: Codes | None
) -> tuple[dict[Metric, Floats], dict[Metric, float]]:
    """Draw replicates of metrics from rows or whole clusters, with their accelerations.

    A metric with an influence function uses its linear part, which is exact for a mean of losses.
    Others are recomputed, column by column, on the same rows.

    Cost: O(n) for each replicate and metric.
    """
    smooth = [metric for metric in metrics if not reason_without(metric)]
    drawn, accelerations = _linear(rows, smooth, asked, clusters)
    others = [metric for metric in metrics if metric not in drawn]
    return drawn | {one: _anew(rows, one, asked, clusters) for one in others}, accelerations


def _linear(
    rows: ScoredRows, metrics: list[Metric], asked: Confidence, clusters: Codes | None
) -> tuple[dict[Metric, Floats], dict[Metric, float]]:
    """Linear change of each metric in each replicate, without the value itself."""
    if not metrics:
        return {}, {}
    phi = influences(rows, metrics)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    if not DRAWINGS[asked.design].is_plain:
        sample = Sample(weights, weights * weights, rows.codes, rows.classes.k)
        units = units_of(asked.design, sample)
        with np.errstate(invalid="ignore", over="ignore"):
            phi = {metric: units.centred(part) for metric, part in phi.items()}
    known = {metric for metric in metrics if np.isfinite(phi[metric]).all()}
    moves: dict[Metric, list[float]] = {metric: [] for metric in metrics}
    method: Literal["poisson", "bayesian"] = "bayesian" if asked.method == "bayesian" else "poisson"
    for block in replicate_rows(
        rows.n_rows, asked.n_replicates, asked.seed, clusters=clusters, method=method
    ):
        for times in block:
            w = times * weights
            total = float(w.sum())
            for metric, found in moves.items():
                is_known = total > 0 and metric in known
                found.append(float((w * phi[metric]).sum()) / total if is_known else math.nan)
    summed: dict[Metric, Numbers] = {metric: phi[metric] * weights for metric in known}
    if clusters is not None:
        summed = {metric: np.bincount(clusters, part) for metric, part in summed.items()}
    return (
        {metric: np.array(found) for metric, found in moves.items()},
        {metric: acceleration_of(part) for metric, part in summed.items()},
    )


def _anew(rows: ScoredRows, metric: Metric, asked: Confidence, clusters: Codes | None) -> Floats:
    """Replicates of a metric of one column, or of its average over the columns of the classes."""
    method: TableDraw = "bayesian" if asked.method == "bayesian" else "multinomial"
    plain = Metric(metric.record, "plain", metric.params)

    def of_column(scores: Floats, is_own: npt.NDArray[np.bool_]) -> Floats:
        replicates = replicate_row_cumulative(
            scores,
            is_own,
            asked.n_replicates,
            asked.seed,
            clusters=clusters,
            weights=rows.weights,
            method=method,
            limit=N_GROUPS,
        )
        return measures_of([plain], replicates)[plain]

    if metric.record.reads is Confidences:
        return of_column(*rows.confidence_values())
    classes = range(rows.classes.k)
    if metric.lift == "plain":
        assert rows.classes.positive is not None
        classes = range(rows.classes.positive, rows.classes.positive + 1)
    is_prob = metric.record.reads is ClassProbabilities or (
        metric.record.is_threshold and rows.kind == "logits"
    )
    each = np.array(
        [of_column(rows.column_values(i, is_prob=is_prob), rows.codes == i) for i in classes]
    )
    if metric.lift == "plain":
        return np.asarray(each[0])
    share = np.ones(len(each))
    if metric.lift == "weighted":
        share = np.bincount(rows.codes, rows.weights, len(each)).astype(np.float64)
    measured = np.isfinite(each)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = (measured * share[:, None]).sum(axis=0)
        return np.asarray((np.where(measured, each, 0.0) * share[:, None]).sum(axis=0) / total)
