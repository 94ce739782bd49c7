"""`TableColumn`: a `ScoreTable` read as a column of one class against the others.

It answers what sorted rows answer (`RankedColumn`), but names no rows. Where buckets hold several
scores their rows count as tied, unless it is asked for the best or the worst order they could have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.kept import cached_property
from karat.tally.ladder import Ladder
from karat.tally.rungs import N_BLOCK, Rungs, Steps, cumulated
from karat.tally.score_table import ScoreTable
from karat.tally.scored import Placements

__all__ = ["Order", "TableColumn"]

Numbers: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
Order: TypeAlias = Literal["tied", "best", "worst"]
"""How the rows of a bucket stand: equal, the own ones above all others, or below them."""

_WHOLE = 2**62


class TableColumn:
    """Rungs of a table, own class against the rest; see `tally.RankedColumn`.

    Args:
        table: of the scores of the class.
        own: the class.
        order: how rows of one bucket stand.
        by: the score of a rung: its lowest, which a threshold that takes the rung needs at most,
            or the mean of its rows.
    """

    def __init__(
        self, table: ScoreTable, own: int, order: Order = "tied", by: Literal["low", "mean"] = "low"
    ) -> None:
        self.table = table
        self.own = own
        self.order: Order = "tied" if table.is_exact else order
        self.by = by

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.table.k

    @property
    def n_rows(self) -> int:
        """Rows read, whatever they weigh."""
        return self.table.n_rows

    @property
    def n_rungs(self) -> int:
        """Rungs, of which there are fewer than rows where scores repeat."""
        return self.table.n_rungs

    @property
    def is_weighted(self) -> bool:
        """Whether rows carry weights."""
        return self.table.is_weighted

    @property
    def is_exact(self) -> bool:
        """Whether every rung is one score."""
        return self.table.is_exact

    def ordered(self, order: Order) -> TableColumn:
        """The same column with the rows of its buckets in another order."""
        return TableColumn(self.table, self.own, order, self.by)

    @cached_property
    def totals(self) -> Numbers:
        """number[k], weight of the rows of each class."""
        return np.asarray(self.table.counts.sum(axis=0))

    def blocks(self) -> Iterator[Rungs]:
        """Rungs, best first, at most `N_BLOCK` at once; none is empty."""
        table, half = self.table, N_BLOCK // (1 if self.order == "tied" else 2)
        for first in range(0, table.n_rungs, half):
            part = slice(first, first + half)
            scores = np.asarray(table.low[part]) if self.by == "low" else table.means_of(part)
            counts = self._two(np.asarray(table.counts[part]))
            squares = None
            if table.squares is not None:
                squares = self._two(np.asarray(table.squares[part]))
            yield self._ordered(scores, counts, squares)

    def _ordered(self, scores: Floats, counts: Numbers, squares: Numbers | None) -> Rungs:
        """Each rung as it is, or as two of one side each; those without rows are left out."""
        if self.order == "tied":
            return Rungs(scores, counts, squares)
        first = 1 if self.order == "best" else 0
        both, whole = np.repeat(counts, 2, axis=0), np.repeat(scores, 2)
        both[::2, 1 - first] = 0
        both[1::2, first] = 0
        kept = both.any(axis=1)
        if squares is not None:
            squares = np.where(both > 0, np.repeat(squares, 2, axis=0), 0.0)[kept]
        return Rungs(whole[kept], both[kept], squares)

    def _two(self, numbers: Numbers) -> Numbers:
        return self.two_sides(numbers, self.own)

    @staticmethod
    def two_sides(numbers: Numbers, own: int) -> Numbers:
        """number[u, 2] of the rest and of the own class, from number[u, k]."""
        rest = numbers[:, :own].sum(axis=1) + numbers[:, own + 1 :].sum(axis=1)
        return np.stack([rest, numbers[:, own]], axis=1)

    def ladder(self) -> Ladder:
        """Distinct scores, best first, with the weight of own class and the rest."""
        parts = list(self.blocks())
        if not parts:
            return Ladder.empty(is_weighted=self.is_weighted)
        squares = None
        if self.is_weighted:
            squares = np.concatenate([part.squares for part in parts if part.squares is not None])
        return Ladder(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.counts for part in parts]),
            squares,
            self.n_rows,
        )

    def areas(self) -> Numbers:
        """number[k]: over pairs (row of own, row of c), Σ w·w'·(2·[s > s'] + [s = s'])."""
        table, totals = self.table, self.totals
        kind = totals.dtype
        if not self.is_weighted and (
            2.0 * float(totals[self.own]) * float(totals.max(initial=0)) >= _WHOLE
        ):
            kind = np.dtype(np.longdouble)  # 64 binary digits
        within = {"tied": 1, "best": 2, "worst": 0}[self.order]
        found, below = np.zeros(self.k, kind), totals.astype(kind)
        for first in range(0, table.n_rungs, N_BLOCK):
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
        """How much rows differ in where they stand; see `tally.scored.Placements`."""
        weight, square = np.zeros(2), np.zeros(2)
        for rungs in self.blocks():
            weight += rungs.counts.sum(axis=0)
            square += (rungs.counts if rungs.squares is None else rungs.squares).sum(axis=0)
        if not weight.all():
            return Placements(weight, square, np.full(2, np.nan), np.nan)
        doubled = self.areas()
        area = float(doubled.sum()) / 2.0 / weight[0] / weight[1]
        spread, size, above = np.zeros(2), 0.0, np.zeros(2)
        for rungs in self.blocks():
            counts = rungs.counts.astype(np.float64)
            squares = counts if rungs.squares is None else rungs.squares
            reached = above + np.cumsum(counts, axis=0)
            # Own rows stand right over the rest below them, the rest under the own above them.
            over = (weight[0] - reached[:, 0] + counts[:, 0] / 2.0) / weight[0]
            under = (reached[:, 1] - counts[:, 1] / 2.0) / weight[1]
            gaps = np.stack([under - area, over - area], axis=1)
            spread += np.where(counts > 0, squares * gaps**2, 0.0).sum(axis=0)
            size += float((counts[:, 1] * np.abs(gaps[:, 1])).sum())
            above = reached[-1]
        return Placements(weight, square, spread, size)

    def lift_squares(self, *, is_straight: bool = False) -> Floats:
        """float64[2] of rest and own: Σ w² · (what weight on a row does to the area)²."""
        whole = _Lifts()
        area = math.fsum(whole.next(steps, is_straight=is_straight)[0] for steps in cumulated(self))
        mean = area / whole.own if whole.own else np.nan
        found, walk = np.zeros(2), _Lifts()
        for rungs, steps in zip(self.blocks(), cumulated(self), strict=True):
            squares = rungs.counts if rungs.squares is None else rungs.squares
            _, here, rate, lost = walk.next(steps, is_straight=is_straight)
            # What is left below each rung, its own part included.
            rate, lost = whole.rate - rate, whole.lost - lost
            of_own = here + rate - mean - lost
            # Without own rows their lift is no number, and counts for nothing.
            lifts = np.stack([lost, of_own], axis=1)
            found += np.where(squares > 0, squares * lifts**2, 0.0).sum(axis=0)
        return found

    def add_placements(self, own_gains: Floats, rest_gains: Floats, out: Floats) -> NoReturn:
        """Refused: a table names no rows."""
        raise ValueError("a table of scores names no rows")

    def add_lifts(self, gain: float, out: Floats, *, is_straight: bool = False) -> NoReturn:
        """Refused: a table names no rows."""
        raise ValueError("a table of scores names no rows")


def pooled_table(tables: list[ScoreTable]) -> ScoreTable:
    """Every row and class as one row of two classes, whether it is the true class."""
    found: ScoreTable | None = None
    n_rows = sum(table.n_rows for table in tables)
    for own, table in enumerate(tables):
        squares = None if table.squares is None else TableColumn.two_sides(table.squares, own)
        part = replace(table, counts=TableColumn.two_sides(table.counts, own), squares=squares)
        found = part if found is None else found.merge(part)
    assert found is not None
    return replace(found.disjoint(), n_rows=n_rows)


class _Lifts:
    """Sums over the rungs from the best on that lifts are made of; see `rank_shares.hpp`."""

    def __init__(self) -> None:
        self.own = self.rate = self.lost = 0.0
        self._share, self._every = 1.0, 0.0

    def next(self, steps: Steps, *, is_straight: bool) -> tuple[float, Floats, Floats, Floats]:
        """Of more rungs: Σ p·x; the x of each, and Σ c/N and Σ c·s/N of what is above each."""
        every, share = steps.tps + steps.fps, _shares(steps)
        p = np.diff(steps.tps, prepend=steps.tps_before)
        rates, here = p / every, share
        losses = rates * share
        rate, lost = _before(rates), _before(losses)
        if is_straight:
            # Half of c is p of the rung itself, half p of the one below, whose N before is N.
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
    """float64[u], precision at each rung."""
    found: Floats = steps.tps / (steps.tps + steps.fps)
    return found
