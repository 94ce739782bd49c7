"""Views of a tally that metrics of scores read, independent of the rows."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from karat.tally import (
    HeldSteps,
    LevelSource,
    RankedColumn,
    ReadSums,
    ScoredRows,
    Steps,
    Sums,
    WalkedSteps,
)
from karat.tally.cached import cached_property
from karat.tally.cumulative_counts import N_BLOCK
from karat.tally.scored import N_LONG
from karat.tally.sums import LOSSES, clipped_at


def dot(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
    """Σ x·y of float[n].

    It does not use BLAS, which splits a long sum among its own threads: the last bits would depend
    on their number, and on a busy machine they wait for each other longer than they compute.
    """
    return float(np.multiply(x, y).sum())


def weight_within(c: ClassRanks, amount: float) -> float:
    """Weight of true positives among the `amount` best; tied rows count in proportion."""
    found = 0.0
    for steps in c.steps():
        taken = np.concatenate([[steps.tps_before + steps.fps_before], steps.tps + steps.fps])
        found = float(np.interp(amount, taken, np.concatenate([[steps.tps_before], steps.tps])))
        if amount <= taken[-1]:
            break
    return found


def gain_of_share(c: ClassRanks, share: float) -> float:
    """Proportion of the rows of the class among the best proportion of all rows."""
    if not c.n_pos:
        return math.nan
    last = deque(c.steps(), maxlen=1)[0]
    # From the cumulative weights, so that all rows give the total exactly.
    n_pos, n_neg = float(last.tps[-1]), float(last.fps[-1])
    return weight_within(c, share * (n_pos + n_neg)) / n_pos


ROUNDING_OF_BOUNDS: Final = 1e-9
"""Relative allowance for rounding of a gain past the bound of its block."""


def largest(
    c: ClassRanks,
    gain: Callable[[Steps], Floats],
    *,
    rises: bool | None = True,
    at_least: float = -math.inf,
) -> tuple[float, float]:
    """Largest gain over thresholds, and the highest threshold that attains it.

    Args:
        gain: maps steps to float64[u], the gain of each.
        rises: True: the gain grows with true positives and shrinks with false positives; False: the
            reverse; None: neither, so that every step is read.
        at_least: gains below it may be skipped.

    Returns:
        -inf and NaN if no gain is read.

    Cost: without weights, blocks of steps are skipped if their bound is too small.
    """
    blocks = c.steps()
    if rises is not None and isinstance(blocks, HeldSteps | WalkedSteps) and len(blocks.ends) > 1:
        blocks = _promising(blocks, gain, at_least, rises=rises)
    most, best = -math.inf, math.nan
    for steps in blocks:
        gains = gain(steps)
        place = int(np.argmax(gains))
        if gains[place] > most:
            most, best = float(gains[place]), float(steps.thresholds[place])
    return most, best


def _promising(
    blocks: HeldSteps | WalkedSteps,
    gain: Callable[[Steps], Floats],
    at_least: float,
    *,
    rises: bool,
) -> Iterable[Steps]:
    """Blocks whose gain may reach the largest gain at the end of a block."""
    thresholds, tps, fps, tps_before, fps_before, _ = blocks.ends.T
    reached = gain(Steps(thresholds, tps, fps, 0.0, 0.0)).max()
    corner = (tps, fps_before) if rises else (tps_before, fps)
    bounds = np.asarray(gain(Steps(thresholds, *corner, 0.0, 0.0)))
    bounds += np.abs(bounds) * ROUNDING_OF_BOUNDS
    # NaN excludes nothing.
    is_out = (bounds < reached) | (bounds < at_least)
    return (blocks[i] for i in np.flatnonzero(~is_out).tolist())


Floats = npt.NDArray[np.float64]
Made = TypeVar("Made")

N_HELD: Final = N_LONG
"""Number of rows above which score levels are not kept in memory, but read from the sorted rows."""


@dataclass(frozen=True)
class _HeldLevels:
    """Cached data of the score levels of a sorted column, each made at first read.

    Attributes:
        ranked: the column.
    """

    ranked: RankedColumn

    @cached_property
    def made(self) -> dict[Any, Any]:
        """Cached results, by the function that made them."""
        return {}

    @property
    def is_few(self) -> bool:
        """True if the counted score levels are kept in memory."""
        return self.ranked.n_rows <= N_HELD

    @cached_property
    def levels(self) -> LevelSource:
        """The score levels, best first; the column itself if they are not kept."""
        return self.ranked.cumulative() if self.is_few else self.ranked

    @cached_property
    def points(self) -> tuple[Floats, Floats, Floats]:
        """Thresholds, true and false positives, after a first threshold above every score."""
        if self.is_few:
            self.ranked.cumulative()  # in one walk with the points
        return self.ranked.points()

    @cached_property
    def steps(self) -> HeldSteps:
        """Chunks of the points, without the first one."""
        thresholds, tps, fps = self.points
        found = []
        for first in range(1, len(thresholds), N_BLOCK):
            part = slice(first, first + N_BLOCK)
            before = float(tps[first - 1]), float(fps[first - 1])
            found.append(Steps(thresholds[part], tps[part], fps[part], *before))
        return HeldSteps(tuple(found))


@dataclass(frozen=True)
class Losses:
    """Losses summed over the rows.

    Attributes:
        sums: the tally.
        k: number of classes.
    """

    sums: Sums | ReadSums
    k: int

    def mean(self, name: str) -> float:
        """Weighted mean of a loss over the rows."""
        return self.sums.mean(name)

    def negative_log_probability(self, eps: float | None) -> float:
        """Mean of −ln p of the true class, with p clipped to [eps, 1 − eps] unless eps is None."""
        return self.sums.mean(LOSSES[0] if eps is None else clipped_at(eps))

    @property
    def shares(self) -> Floats:
        """float64[k]: the proportion of each true class."""
        truth = np.asarray(self.sums.truth, np.float64)
        shares: Floats = truth / truth.sum()
        return shares

    @property
    def other_shares(self) -> Floats:
        """float64[k]: the proportion of all other classes, not as 1 minus a rounded number."""
        truth = self.sums.truth
        zero = np.zeros(1, truth.dtype)
        before = np.cumsum(np.concatenate([zero, truth[:-1]]))
        after = np.cumsum(np.concatenate([zero, truth[:0:-1]]))[::-1]
        shares: Floats = (before + after) / float(truth.sum())
        return shares

    def placed_within(self, k: int) -> float:
        """Proportion of the rows whose true class is among the first k."""
        ranks = self.sums.ranks
        assert ranks is not None
        return float(ranks[:k].sum() / ranks.sum())


def _of_levels(view: _OneColumn, make: Callable[..., Made], *given: Any) -> Made:
    found: Made = make(view.levels, *given)
    return found


@dataclass(frozen=True)
class _OneColumn:
    """One class against the rest, ordered by one column.

    Attributes:
        ranked: the sorted column.
    """

    ranked: RankedColumn

    @cached_property
    def n_pos(self) -> float:
        """Weight of the rows of the class."""
        return float(self.ranked.totals[self.ranked.own])

    @cached_property
    def n_neg(self) -> float:
        """Weight of the rows of other classes."""
        totals, own = self.ranked.totals, self.ranked.own
        if len(totals) == 2:
            return float(totals[1 - own])
        return float(totals[:own].sum() + totals[own + 1 :].sum())

    @cached_property
    def _held(self) -> _HeldLevels:
        return _HeldLevels(self.ranked)

    @property
    def levels(self) -> LevelSource:
        """Distinct values, best first, with the weight of both sides."""
        return self._held.levels

    def steps(self) -> Iterable[Steps]:
        """Cumulative weights from the best on: the rows predicted positive at each threshold.

        Cost: cached after the first walk over at most `N_HELD` rows; otherwise one walk for each
        iteration, in constant memory.
        """
        return self._held.steps if self.is_held else self.ranked.steps()

    @property
    def curve(self) -> tuple[Floats, Floats, Floats]:
        """All steps at once: thresholds, true and false positives, float64[u] each.

        Cost: 24 bytes for each score level; `steps` gives a few thousand at a time.
        """
        thresholds, tps, fps = self.points
        return thresholds[1:], tps[1:], fps[1:]

    @property
    def points(self) -> tuple[Floats, Floats, Floats]:
        """All steps after a first one above every score: threshold inf, nothing is positive."""
        if self.is_held or not self.ranked.is_weighted:
            return self._held.points
        first = (np.array([np.inf]), np.zeros(1), np.zeros(1))
        whole = [first, *(steps[:3] for steps in self.steps())]
        thresholds, tps, fps = (np.concatenate(part) for part in zip(*whole, strict=True))
        return thresholds, tps, fps

    def made(self, make: Callable[..., Made], *given: Any) -> Made:
        """Return `make` of the score levels, computed once for every metric of the column."""
        found: Made = self.kept(_of_levels, make, *given)
        return found

    def kept(self, make: Callable[..., Made], *given: Any) -> Made:
        """Return `make` of this view, computed once."""
        kept, key = self._held.made, (make, *given)
        if key not in kept:
            kept[key] = make(self, *given)
        found: Made = kept[key]
        return found

    @property
    def is_held(self) -> bool:
        """True if the score levels are few enough to be kept in memory."""
        return self._held.is_few


class ClassRanks(_OneColumn):
    """One class against the rest, ordered by its score."""

    @classmethod
    def of_sides(cls, ranked: RankedColumn, n_neg: int, n_pos: int) -> ClassRanks:
        """Return the view of unweighted rows whose two sides are already counted."""
        view = cls(ranked)
        view.__dict__.update(n_neg=float(n_neg), n_pos=float(n_pos))
        return view

    @cached_property
    def area(self) -> float:
        """Probability that a row of the class scores above another row; ties count half."""
        doubled, pairs = self.ranked.areas().sum(), self.n_pos * self.n_neg
        # Counts are rounded once; sums of weights may round past the end of the range.
        return min(float(doubled) / (2.0 * pairs), 1.0) if pairs else np.nan

    @cached_property
    def step_area(self) -> float:
        """Area under the precision-recall curve by steps."""
        return min(self.ranked.step_area() / self.n_pos, 1.0) if self.n_pos else np.nan

    @cached_property
    def trapezoid_area(self) -> float:
        """Area under the precision-recall curve by straight lines."""
        return min(self.ranked.trapezoid_area(), 1.0) if self.n_pos else np.nan


class ClassProbabilities(_OneColumn):
    """One class against the rest, by the probability of the class."""

    @classmethod
    def beside(cls, ranks: ClassRanks) -> ClassProbabilities:
        """Return the view of a column whose scores are probabilities; both share their cache."""
        view = cls(ranks.ranked)
        view.__dict__["_held"] = ranks._held
        return view


class Confidences(_OneColumn):
    """Correctly predicted rows against the others, by the probability of the predicted class."""


@dataclass(frozen=True)
class PairRanks:
    """Every ordered pair of classes: rows of i against rows of j by the score of i.

    Attributes:
        areas: number[k, k], Σ over pairs of 2·[above] + [equal].
        totals: number[k], weight of each class.
    """

    areas: npt.NDArray[Any]
    totals: npt.NDArray[Any]

    @property
    def matrix(self) -> Floats:
        """float64[k, k]: probability that a row of i scores above one of j; NaN without either.

        The diagonal is NaN.
        """
        totals = np.asarray(self.totals, np.float64)
        pairs = np.outer(totals, totals)
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = np.where(pairs > 0, np.asarray(self.areas, np.float64) / (2.0 * pairs), np.nan)
        np.fill_diagonal(chance, np.nan)
        return chance


class Pairwise:
    """Pairs of classes ordered by the difference of two scores, under any cost matrix.

    Attributes:
        k: number of classes.
        totals: number[k], weight of each class; empty before `ranks` is called.
        found: the last result of `ranks`.
        placed: float64[n], the position of each row in its pairs, from the same call: see
            `data.scores.ranking.pair_areas`; None without row indices.
    """

    def __init__(self, rows: ScoredRows, *, names_rows: bool = False) -> None:
        self._rows = rows
        self._names_rows = names_rows
        self.k = rows.classes.k
        self.totals: npt.NDArray[Any] = np.empty(0)
        self.found: PairRanks | None = None
        self.placed: Floats | None = None

    def ranks(self, cost: npt.NDArray[np.float64] | None) -> PairRanks:
        """Areas of the pairs i < j: class i against class j."""
        self.placed = np.zeros(self._rows.n_rows) if self._names_rows else None
        areas, self.totals = self._rows.pair_areas(cost, self.placed)
        self.found = PairRanks(areas, self.totals)
        return self.found


PER_CLASS_VIEWS: tuple[type, ...] = (ClassRanks, ClassProbabilities)
