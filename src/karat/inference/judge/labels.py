"""Prediction-powered metrics of labels, from the joint counts of gold, judge and prediction."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from karat.designs.judge import Both, Tuned, with_df
from karat.inference.confidence import Confidence, Interval
from karat.inference.label_intervals import label_interval
from karat.inference.limits import Floats
from karat.inference.table_variance import TableVariance, derivative
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, Classes

Codes = npt.NDArray[np.int64]
_DUST = 1e-12
"""Proportion of a cell that is a rounding residue."""
_WIDEST: Final = 1.03
"""Width of an interval with a judge, relative to that of the gold rows, up to which it is kept."""


_FIRST: Final = 1e-9
"""Proportion of the first rows of a class, and the difference of values that they make."""
_JUMP: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Powered:
    """A prediction-powered value, its interval, and how it was tuned.

    Attributes:
        value: the value.
        interval: its interval.
        tuned: weight of the judge, and its gain.
        n: gold rows alone that would give as narrow an interval.
    """

    value: float
    interval: Interval
    tuned: Tuned
    n: float


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """Cells of true × predicted classes, by the gold label and by the judge's.

    Attributes:
        classes: the k classes.
        both: weights of the gold and of the reference rows, or of cells of equal ones.
        by_gold, by_judge: int64[g], cell k · label + prediction of the gold rows.
        of_reference: int64[r], that of the reference rows by the judge's label.
    """

    classes: Classes
    both: Both
    by_gold: Codes
    by_judge: Codes
    of_reference: Codes

    def shares(self, weight: float) -> Floats:
        """float64[k, k]: proportions with that weight of the judge; they may be below 0."""
        k, gold = self.classes.k, self.both.gold.shares
        m = k * k
        found = np.bincount(self.by_gold, gold, m)
        if weight:
            rest = np.bincount(self.of_reference, self.both.reference.shares, m)
            found = found + weight * (rest - np.bincount(self.by_judge, gold, m))
        return np.asarray(found.reshape(k, k), np.float64)

    def moves(self, metric: Metric, policy: Policy) -> tuple[Floats, Floats, Floats]:
        """Influence on a metric: of gold rows by both labels, of reference rows by the judge's."""
        slopes = derivative(metric, self.cells(0.0, self.both.gold.n), policy)
        return slopes[self.by_gold], slopes[self.by_judge], slopes[self.of_reference]

    def unseen(self, metric: Metric, policy: Policy) -> str:
        """Name a class without a gold label that the metric reads; empty if there is none.

        A metric reads it if its value depends on how the first rows of the class are predicted, or
        without them on nothing.
        """
        k, shares = self.classes.k, self.shares(0.0)
        seen = np.concatenate([self.by_judge, self.of_reference])
        seen = np.union1d(seen // k, seen % k)
        has = shares.sum(axis=1) > 0.0
        places = [place for place in np.flatnonzero(~has).tolist() if place in seen]
        if not places:
            return ""
        slopes = derivative(metric, self.cells(0.0, self.both.gold.n), policy).reshape(k, k)[has]
        if np.isfinite(slopes).all() and np.ptp(slopes) < _JUMP:
            return self.classes.display[places[0]]
        for place in places:
            ends = []
            for predicted in (place, (place + 1) % k):
                more = shares.copy()
                more[place, predicted] += _FIRST
                cells = Cells.dense(more, squares=more, classes=self.classes, n_rows=1)
                ends.append(float(metric.values(cells, policy).value))
            if not abs(ends[0] - ends[1]) < _JUMP:
                return self.classes.display[place]
        return ""

    def cells(self, weight: float, n: float) -> Cells:
        """Return the table as one of so many rows, no cell below 0."""
        shares = self.shares(weight)
        shares = np.where(shares > _DUST, shares, 0.0)
        counts = shares * (n / float(shares.sum()))
        return Cells.dense(counts, squares=counts, classes=self.classes, n_rows=max(round(n), 1))


def powered(
    metric: Metric,
    table: JudgedTable,
    confidence: Confidence,
    policy: Policy = "zero",
    weight: float | None = None,
) -> Powered:
    """Return a metric of labels with its interval.

    The interval is the ordinary one of the estimated table, for as many rows as have its variance.
    It can still be wider than that of the gold rows, where the estimate lies at a place of more
    variance. If it is more than 3 % wider, λ is 0.

    Args:
        weight: λ if it is given; None: the best.
    """
    both = table.both
    if name := table.unseen(metric, policy):
        value = float(metric.values(table.cells(0.0, both.gold.n), policy).value)
        tuned = Tuned(0.0, 1.0, math.nan)
        return Powered(value, Interval(remark=no_gold_label(name)), tuned, both.gold.n)
    moves = table.moves(metric, policy)
    by_gold, tuned = moves[0], both.tuned(*moves, weight)
    n = rows_of_equal_weight(both, by_gold, tuned) * tuned.gain
    at = n
    if math.isfinite(tuned.df):
        at = with_df(n, confidence.quantile(), confidence.quantile(tuned.df))
    cells = table.cells(tuned.weight, at)
    value = float(metric.values(cells, policy).value)
    found = label_interval(metric, value, TableVariance(cells), confidence, policy)
    one = Powered(value, found, tuned, n)
    if weight is not None or not tuned.weight:
        return one
    asked = two_sided(confidence)
    both_limits = (
        found
        if asked is confidence
        else powered(metric, table, asked, policy, tuned.weight).interval
    )
    without = powered(metric, table, asked, policy, 0.0)
    if not is_wider(both_limits, without.interval):
        return one
    return without if asked is confidence else powered(metric, table, confidence, policy, 0.0)


def no_gold_label(name: str) -> str:
    """Say why a metric that reads a class has no interval."""
    return f"no gold label is {name!r}, and it depends on rows of that class"


def two_sided(confidence: Confidence) -> Confidence:
    """Return the settings of both limits, of which these are one."""
    if confidence.side == "both":
        return confidence
    return replace(confidence, side="both", level=1.0 - 2.0 * confidence.tail)


def is_wider(found: Interval, alone: Interval) -> bool:
    """Return whether an interval is more than 3 % wider than that of the gold rows."""
    if found.low is None or found.high is None or alone.low is None or alone.high is None:
        return False
    return found.high - found.low > _WIDEST * (alone.high - alone.low)


def rows_of_equal_weight(both: Both, by_gold: Floats, tuned: Tuned) -> float:
    """Return the independent gold rows of equal weight that have the variance of those given."""
    n = both.gold.n
    if both.is_of_equal_rows or not tuned.variance > 0.0:
        return n
    alone = tuned.variance * tuned.gain * (n - 1.0) / n
    most = both.gold.n_rows
    return min(most * both.gold.plain_variance(by_gold) / alone, most) if alone > 0.0 else n
