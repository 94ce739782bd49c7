"""Score histograms viewed as columns and as rows with scores, as far as possible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from karat.tally.cached import cached_property
from karat.tally.classes import Classes
from karat.tally.cumulative_counts import (
    N_BLOCK,
    CumulativeCounts,
    HeldSteps,
    ScoreLevels,
    Steps,
    ThresholdPoints,
    cumulated,
)
from karat.tally.score_histogram import ScoreHistogram
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.score_kind import ScoreKind, sigmoid
from karat.tally.scored import Placements
from karat.tally.shared import Floats, Numbers
from karat.tally.sums import Sums

Order: TypeAlias = Literal["tied", "best", "worst"]
"""Order of the rows of a bucket: tied, the own ones above all others, or below them."""

_WHOLE = 2**62


class HistogramColumn:
    """Score levels of a histogram, own class against the rest; see `tally.RankedColumn`.

    Args:
        table: histogram of the scores of the class.
        own: the class.
        order: order of the rows of one bucket.
        by: the score of a level: its lowest, the largest threshold that includes the level, or the
            mean of its rows.

    Attributes:
        k: number of classes.
        n_rows: number of rows, including those of weight 0.
        n_levels: number of score levels, fewer than rows if scores repeat.
        is_weighted: whether rows have weights.
        is_exact: whether every score level is one score.
    """

    def __init__(
        self,
        table: ScoreHistogram,
        own: int,
        order: Order = "tied",
        by: Literal["low", "mean"] = "low",
    ) -> None:
        self.table = table
        self.own = own
        self.order: Order = "tied" if table.is_exact else order
        self.by = by
        self.k: int = table.k
        self.n_rows: int = table.n_rows
        self.n_levels: int = table.n_levels
        self.is_weighted: bool = table.is_weighted
        self.is_exact: bool = table.is_exact

    def ordered(self, order: Order) -> HistogramColumn:
        """Return the same column with another order of the rows of its buckets."""
        return HistogramColumn(self.table, self.own, order, self.by)

    @cached_property
    def totals(self) -> Numbers:
        """number[k], weight of the rows of each class."""
        return np.asarray(self.table.counts.sum(axis=0))

    def blocks(self) -> Iterator[ScoreLevels]:
        """Yield score levels, best first, at most `N_BLOCK` at once, never empty."""
        table, half = self.table, N_BLOCK // (1 if self.order == "tied" else 2)
        for first in range(0, table.n_levels, half):
            part = slice(first, first + half)
            scores = np.asarray(table.low[part]) if self.by == "low" else table.means_of(part)
            counts = self.two_sides(np.asarray(table.counts[part]), self.own)
            squares = None
            if table.squares is not None:
                squares = self.two_sides(np.asarray(table.squares[part]), self.own)
            yield self._ordered(scores, counts, squares)

    def _ordered(self, scores: Floats, counts: Numbers, squares: Numbers | None) -> ScoreLevels:
        """Return each level, or two levels of one side each; those without rows are dropped."""
        if self.order == "tied":
            return ScoreLevels(scores, counts, squares)
        first = 1 if self.order == "best" else 0
        both, whole = np.repeat(counts, 2, axis=0), np.repeat(scores, 2)
        both[::2, 1 - first] = 0
        both[1::2, first] = 0
        kept = both.any(axis=1)
        if squares is not None:
            squares = np.where(both > 0, np.repeat(squares, 2, axis=0), 0.0)[kept]
        return ScoreLevels(whole[kept], both[kept], squares)

    @staticmethod
    def two_sides(numbers: Numbers, own: int) -> Numbers:
        """number[u, 2] of the rest and of the own class, from number[u, k]."""
        rest = numbers[:, :own].sum(axis=1) + numbers[:, own + 1 :].sum(axis=1)
        return np.stack([rest, numbers[:, own]], axis=1)

    def cumulative(self) -> CumulativeCounts:
        """Distinct scores, best first, with the weight of own class and the rest."""
        parts = list(self.blocks())
        if not parts:
            return CumulativeCounts.empty(is_weighted=self.is_weighted)
        squares = None
        if self.is_weighted:
            squares = np.concatenate([part.squares for part in parts if part.squares is not None])
        return CumulativeCounts(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.counts for part in parts]),
            squares,
            self.n_rows,
        )

    def points(self) -> ThresholdPoints:
        """Thresholds, true and false positives after a first threshold above every score."""
        return self.cumulative().points()

    @cached_property
    def _steps(self) -> HeldSteps:
        return HeldSteps(tuple(cumulated(self)))

    def steps(self) -> Iterable[Steps]:
        """Score levels with cumulative counts, best first; cached if they are without weights."""
        return cumulated(self) if self.is_weighted else self._steps

    def areas(self) -> Numbers:
        """number[k]: over pairs (row of own, row of c), Σ w·w'·(2·[s > s'] + [s = s'])."""
        table, totals = self.table, self.totals
        kind = totals.dtype
        if not self.is_weighted and (
            2.0 * float(totals[self.own]) * float(totals.max(initial=0)) >= _WHOLE
        ):
            kind = np.dtype(np.longdouble)  # 64 bits
        within = {"tied": 1, "best": 2, "worst": 0}[self.order]
        found, below = np.zeros(self.k, kind), totals.astype(kind)
        for first in range(0, table.n_levels, N_BLOCK):
            counts = np.asarray(table.counts[first : first + N_BLOCK]).astype(kind)
            under = below - np.cumsum(counts, axis=0)
            found += (counts[:, self.own, None] * (2 * under + within * counts)).sum(axis=0)
            below = under[-1]
        found[self.own] = 0
        return found.astype(np.float64) if kind == np.longdouble else found

    def step_area(self) -> float:
        """Σ over thresholds of (increase of true positives) × precision."""
        return math.fsum(
            float((np.diff(steps.tps, prepend=steps.tps_before) * _shares(steps)).sum())
            for steps in cumulated(self)
        )

    def trapezoid_area(self) -> float:
        """Area under precision by the part of own found, straight lines between thresholds."""
        total, parts, before = 0.0, [], 1.0
        for steps in cumulated(self):
            share = _shares(steps)
            ends = share + np.concatenate([[before], share[:-1]])
            gained = np.diff(steps.tps, prepend=steps.tps_before)
            parts.append(float((gained * ends).sum()))
            total, before = float(steps.tps[-1]), float(share[-1])
        return math.fsum(parts) / 2.0 / total if total else np.nan

    def placements(self) -> Placements:
        """Variation of the placements of rows; see `tally.scored.Placements`."""
        weight, square = np.zeros(2), np.zeros(2)
        for levels in self.blocks():
            weight += levels.counts.sum(axis=0)
            square += (levels.counts if levels.squares is None else levels.squares).sum(axis=0)
        if not weight.all():
            return Placements(weight, square, np.full(2, np.nan), np.nan)
        doubled = self.areas()
        area = float(doubled.sum()) / 2.0 / weight[0] / weight[1]
        spread, size, above = np.zeros(2), 0.0, np.zeros(2)
        for levels in self.blocks():
            counts = levels.counts.astype(np.float64)
            squares = counts if levels.squares is None else levels.squares
            reached = above + np.cumsum(counts, axis=0)
            # Own rows are above the rest below them, the rest is under the own above them.
            over = (weight[0] - reached[:, 0] + counts[:, 0] / 2.0) / weight[0]
            under = (reached[:, 1] - counts[:, 1] / 2.0) / weight[1]
            gaps = np.stack([under - area, over - area], axis=1)
            spread += np.where(counts > 0, squares * gaps**2, 0.0).sum(axis=0)
            size += float((counts[:, 1] * np.abs(gaps[:, 1])).sum())
            above = reached[-1]
        return Placements(weight, square, spread, size)

    def lift_squares(self, *, is_straight: bool = False) -> Floats:
        """float64[2] of rest and own: Σ w² · (effect of weight on a row on the area)²."""
        whole = _Lifts()
        area = math.fsum(whole.next(steps, is_straight=is_straight)[0] for steps in cumulated(self))
        mean = area / whole.own if whole.own else np.nan
        found, walk = np.zeros(2), _Lifts()
        for levels, steps in zip(self.blocks(), cumulated(self), strict=True):
            squares = levels.counts if levels.squares is None else levels.squares
            _, here, rate, lost = walk.next(steps, is_straight=is_straight)
            # The remainder below each score level, its own part included.
            rate, lost = whole.rate - rate, whole.lost - lost
            of_own = here + rate - mean - lost
            # Without own rows, their lift is NaN, and is ignored.
            lifts = np.stack([lost, of_own], axis=1)
            found += np.where(squares > 0, squares * lifts**2, 0.0).sum(axis=0)
        return found

    def add_influences(self, *_: Any) -> NoReturn:
        """Raise an error: a histogram has no row indices."""
        raise ValueError("a table of scores names no rows")


def pooled_histogram(histograms: list[ScoreHistogram]) -> ScoreHistogram:
    """Return every row and class as one row of two classes: whether it is the true class."""
    found: ScoreHistogram | None = None
    n_rows = sum(table.n_rows for table in histograms)
    for own, table in enumerate(histograms):
        squares = None if table.squares is None else HistogramColumn.two_sides(table.squares, own)
        part = replace(table, counts=HistogramColumn.two_sides(table.counts, own), squares=squares)
        found = part if found is None else found.merge(part)
    assert found is not None
    return replace(found.disjoint(), n_rows=n_rows)


class _Lifts:
    """Sums over the score levels from the best on, for lifts; see `rank_shares.hpp`."""

    def __init__(self) -> None:
        self.own = self.rate = self.lost = 0.0
        self._share, self._every = 1.0, 0.0

    def next(self, steps: Steps, *, is_straight: bool) -> tuple[float, Floats, Floats, Floats]:
        """Process more levels: Σ p·x; the x of each, and Σ c/N and Σ c·s/N above each."""
        every, share = steps.tps + steps.fps, _shares(steps)
        p = np.diff(steps.tps, prepend=steps.tps_before)
        rates, here = p / every, share
        losses = rates * share
        rate, lost = _before(rates), _before(losses)
        if is_straight:
            # Half of c is p of the level itself, half p of the one below, whose N before is N.
            before = np.concatenate([[self._share], share[:-1]])
            above = np.concatenate([[self._every], every[:-1]])
            with np.errstate(divide="ignore", invalid="ignore"):
                shifted = np.where(above > 0, p / above, 0.0)
            rate = (rate + np.cumsum(shifted)) / 2.0
            lost = (lost + np.cumsum(shifted * before)) / 2.0
            rates, losses = (rates + shifted) / 2.0, (losses + shifted * before) / 2.0
            here = (share + before) / 2.0
        found = float((p * here).sum()), here, self.rate + rate, self.lost + lost
        self.own = float(steps.tps[-1])
        self.rate += float(rates.sum())
        self.lost += float(losses.sum())
        self._share, self._every = float(share[-1]), float(every[-1])
        return found


def _before(values: Floats) -> Floats:
    """Sums of all before each."""
    return np.concatenate([[0.0], np.cumsum(values[:-1])])


def _shares(steps: Steps) -> Floats:
    """float64[u], precision at each score level."""
    found: Floats = steps.tps / (steps.tps + steps.fps)
    return found


class HistogramRows:
    """Columns of `ScoreHistograms`; see `tally.ScoredRows`.

    Args:
        histograms: the tally.
        order: order of the rows of a bucket.

    Attributes:
        classes: the classes, in the order of the columns.
        n_rows: rows.
        is_weighted: whether rows have weights.
        kind: whether the scores are probabilities, logits or others.
        is_prob: whether they are probabilities as given.
        has_one_order: whether the score and the probability of a class have the same order.
        n_threads: 1: counts need no more.
    """

    def __init__(self, histograms: ScoreHistograms, order: Order = "tied") -> None:
        self.histograms = histograms
        self.order: Order = order
        self.classes: Classes = histograms.classes
        self.n_rows: int = histograms.n_rows
        self.is_weighted: bool = histograms.is_weighted
        self.kind: ScoreKind = histograms.kind
        self.is_prob: bool = histograms.is_prob
        self.has_one_order: bool = self.is_prob and histograms.is_exact
        self.n_threads = 1
        self._made: dict[tuple[str, int], ScoreHistogram] = {}

    def ordered(self, order: Order) -> HistogramRows:
        """Return the same rows with another order of the rows of a bucket."""
        found = HistogramRows(self.histograms, order)
        found._made = self._made
        return found

    def check(self) -> None:
        """Do nothing: values were checked when they were added."""

    def sums(self, names: Iterable[str] = ()) -> Sums:
        """Return every loss."""
        return self.histograms.sums

    def class_squares(self) -> Floats:
        """float64[k], Σw² of the rows of each true class."""
        if not self.histograms.has_columns:
            squares = self.histograms.cells.class_squares
            return np.asarray(
                self.histograms.sums.truth if squares is None else squares, np.float64
            )
        table = self.histograms.ranks[0]
        found = table.counts if table.squares is None else table.squares
        return np.asarray(found.sum(axis=0), np.float64)

    def column(self, i: int, *, names_rows: bool = False) -> HistogramColumn:
        """Return the rows ordered by the score of class i, as given."""
        return HistogramColumn(self._table("ranks", i), i, self.order)

    def probability_column(self, i: int, *, names_rows: bool = False) -> HistogramColumn:
        """Return the rows ordered by the probability of class i, score levels by their mean."""
        kind = "ranks" if self.is_prob else "probabilities"
        return HistogramColumn(self._table(kind, i), i, self.order, "mean")

    def by_threshold(self, column: Any) -> HistogramColumn:
        """Return a column of probabilities whose levels are at their thresholds, not their mean."""
        return HistogramColumn(column.table, column.own, self.order)

    def pooled(self, *, names_rows: bool = False) -> HistogramColumn:
        """Return every row and class as one row of two classes: whether it is the true class."""
        return HistogramColumn(self._table("pooled", 0), 1, self.order)

    def confidences(self) -> HistogramColumn:
        """Return the rows ordered by the probability of the predicted class; own: it is correct."""
        return HistogramColumn(self._table("confidences", 0), 1, self.order, "mean")

    def _table(self, kind: str, i: int) -> ScoreHistogram:
        """Return a histogram of the tally; those derived from another column are made once."""
        if (kind, i) not in self._made:
            self._made[kind, i] = self._made_table(kind, i)
        return self._made[kind, i]

    def _made_table(self, kind: str, i: int) -> ScoreHistogram:
        histograms = self.histograms
        if kind == "pooled":
            each = [self._table("ranks", i) for i in range(self.classes.k)]
            return pooled_histogram(each) if histograms.pooled is None else histograms.pooled()
        if not histograms.is_single:
            if kind == "confidences":
                assert histograms.confidences is not None
                return histograms.confidences
            return histograms.ranks[i] if kind == "ranks" else histograms.probabilities[i]
        (found,), positive = histograms.ranks, self.classes.positive
        assert positive is not None
        if kind == "confidences":
            return _confidences(found, positive, is_prob=self.is_prob)
        if kind == "ranks":
            if i == positive:
                return found
            return found.complement() if self.is_prob else found.negative()
        return found.mapped(sigmoid) if i == positive else found.negative().mapped(sigmoid)

    def _no_rows(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error: rows are not kept."""
        raise ValueError("score histograms hold no rows")

    codes = weights = property(_no_rows)
    row_losses = probabilities = column_values = confidence_values = pair_areas = _no_rows


def _sure(scores: Floats) -> Floats:
    """Return the probability of the likelier of two classes, one with the score, one with 0."""
    with np.errstate(over="ignore"):
        found: Floats = 1.0 / (1.0 + np.exp(-np.abs(scores)))
    return found


def _confidences(table: ScoreHistogram, positive: int, *, is_prob: bool) -> ScoreHistogram:
    """Return the confidence in either class from one column, and whether that class is true."""
    border = 0.5 if is_prob else 0.0
    # Of equal scores, the first class is predicted.
    above = table.low > border if positive else table.low >= border
    for_positive, rest = table.kept(above), table.kept(~above)
    # Buckets of both signs, and of p and 1 − p, have equal ends; those of a function do not.
    for_other = rest.complement() if is_prob else rest.negative()
    right = (positive, 1 - positive)
    parts = zip((for_positive, for_other), right, strict=True)
    one, other = (part.of_classes([1 - c, c]) for part, c in parts)
    both = replace(one.laid_over(other), n_rows=table.n_rows)
    return both if is_prob else both.mapped(_sure)
