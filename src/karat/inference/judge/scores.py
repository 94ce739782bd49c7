"""Prediction-powered metrics of scores, from the influence of every row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat.designs.judge import Both, Tuned
from karat.inference.confidence import Confidence, Interval
from karat.inference.judge.labels import Powered, is_wider, two_sided
from karat.inference.limits import Floats
from karat.inference.score_intervals import measured_with_influence
from karat.inference.value_limits import score_interval
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import ScoredRows

Three = tuple[ScoredRows, ScoredRows, ScoredRows]
"""Gold rows by their gold labels, gold rows by the judge's, reference rows by the judge's."""
_LEAST_ROWS = 30.0
"""Effective gold rows of different weights below which λ is 0: few show the tail of the losses."""


@dataclass(frozen=True, eq=False)
class ScoredMoves:
    """A metric of scores by the labels of gold rows and of the judge, and the influence of rows.

    Attributes:
        values: by gold labels, by the judge's on gold rows, by the judge's on reference rows.
        interval: of the gold rows.
        moves: influence of gold rows by both labels, of reference rows by the judge's.
    """

    metric: Metric
    values: tuple[float, float, float]
    interval: Interval
    moves: tuple[Floats, Floats, Floats]

    @property
    def is_known(self) -> bool:
        """True if every value is finite, and the gold rows have an interval."""
        return all(map(math.isfinite, self.values)) and self.interval.sampling is not None

    def value(self, weight: float) -> float:
        """Return the estimate with that weight of the judge, within the range of the metric."""
        alone, judged, rest = self.values
        if not weight:
            return alone
        low, high = self.metric.range
        return min(max(alone + weight * (rest - judged), low), high)

    def powered(self, both: Both, confidence: Confidence, weight: float | None = None) -> Powered:
        """Return the estimate with its interval.

        The interval is the ordinary one of the gold rows, around the estimate, with a variance that
        is smaller by the gain. If it were more than 3 % wider, λ is 0. Where rows have different
        weights it is as wide as the variance of `Both.tuned` makes it, if that is larger.
        """
        tuned = Tuned(0.0, 1.0, math.nan)
        spread = self.interval.sampling
        is_even = both.gold.has_equal_weights
        if weight is None and not is_even and both.gold.n_rows < _LEAST_ROWS:
            weight = 0.0
        if self.is_known:
            tuned = both.tuned(*self.moves, weight)
        if spread is None or not (tuned.weight or (tuned.variance > 0.0 and not is_even)):
            tuned = replace(tuned, weight=0.0, gain=1.0)
            return Powered(self.values[0], self.interval, tuned, both.gold.n)
        value, gain = self.value(tuned.weight), tuned.gain
        gain /= self._tails(both, tuned.weight, confidence) ** 2
        narrower = replace(
            spread,
            variance=spread.variance / gain,
            df=min(spread.df, both.gold.df),
            shrunk=spread.shrunk / gain,
            n_effective=spread.n_effective * gain,
            n_informative=spread.n_informative * gain,
        )
        n_rest = spread.n_rest * gain
        factor = 1.0
        if not is_even and spread.variance > 0.0:
            factor = math.sqrt(max(tuned.variance * tuned.gain / spread.variance, 1.0))
        if weight is None and tuned.weight:
            asked = two_sided(confidence)
            found = score_interval(self.metric, value, narrower, asked, n_rest)
            found = self._widened(found, value, factor)
            without = self.powered(both, asked, 0.0)
            if is_wider(found, without.interval):
                return without if asked is confidence else self.powered(both, confidence, 0.0)
        limits = score_interval(self.metric, value, narrower, confidence, n_rest)
        limits = self._widened(limits, value, factor)
        return Powered(value, limits, tuned, both.gold.n * gain)

    def _widened(self, found: Interval, value: float, factor: float) -> Interval:
        """Return limits that are so many times as far from the value, within the range."""
        if factor == 1.0 or found.low is None or found.high is None:
            return found
        ends = self.metric.range
        low, high = (value + factor * (limit - value) for limit in (found.low, found.high))
        error = found.standard_error
        error = None if error is None else factor * error
        return replace(found, low=max(low, ends[0]), high=min(high, ends[1]), standard_error=error)

    def _tails(self, both: Both, weight: float, confidence: Confidence) -> float:
        """Student's quantile of the residuals beside that of the gold rows' influence; at least 1.

        Where the judge errs on rows of large losses, few rows make up the variance: its degrees of
        freedom follow from their fourth moments.
        """
        if both.is_clustered:
            return 1.0
        own, second = both.gold.moves(self.moves[0]), both.gold.moves(self.moves[1])
        few, many = (_degrees(one) for one in (own - weight * second, own))
        return max(confidence.quantile(few) / confidence.quantile(many), 1.0)


def _degrees(moves: Floats) -> float:
    """2 ÷ the relative variance of Σ moves²: for normal moves, their number."""
    square = float((moves**2).sum())
    relative = float((moves**4).sum()) / square**2 - 1.0 / len(moves) if square > 0.0 else 0.0
    return max(2.0 / relative, 2.0) if relative > 0.0 else math.inf


def scored_moves(
    metrics: Sequence[Metric],
    rows: Three,
    confidence: Confidence,
    policy: Policy = "zero",
    clusters: npt.NDArray[np.int64] | None = None,
) -> dict[Metric, ScoredMoves]:
    """Measure metrics of scores by the labels of gold rows and of the judge.

    Args:
        metrics: metrics with an influence function, of one number each.
        clusters: int64[g], cluster of each gold row, from 0; None: rows are independent.
    """
    given = metrics, policy, confidence
    parts = [
        measured_with_influence(rows[0], *given, clusters),
        measured_with_influence(rows[1], *given),
        measured_with_influence(rows[2], *given),
    ]
    intervals = parts[0][1].intervals
    found = {}
    for metric in (each.with_classes(rows[0].classes.k) for each in metrics):
        a = float(parts[0][0][metric].value)
        # The limits know the bias of the gold rows; that of the judge's labels is removed.
        b, c = (
            _less_bias(float(values[metric].value), sure.intervals.get(metric))
            for values, sure, _ in parts[1:]
        )
        first, second, third = (influence(metric) for _, _, influence in parts)
        moves = first, second, third
        found[metric] = ScoredMoves(metric, (a, b, c), intervals.get(metric, Interval()), moves)
    return found


def _less_bias(value: float, interval: Interval | None) -> float:
    """Value without the bias that few rows give the area under precision."""
    if interval is None or interval.sampling is None:
        return value
    return value - interval.sampling.optimism * (1.0 - value)


def powered_scores(
    metrics: Sequence[Metric],
    rows: Three,
    both: Both,
    confidence: Confidence,
    policy: Policy = "zero",
    clusters: npt.NDArray[np.int64] | None = None,
) -> dict[Metric, Powered]:
    """Return metrics of scores with their intervals; arguments as in `scored_moves`."""
    found = scored_moves(metrics, rows, confidence, policy, clusters)
    return {metric: one.powered(both, confidence) for metric, one in found.items()}
