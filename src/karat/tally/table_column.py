"""`TableColumn`: a `ScoreTable` read as a column of one class against the others.

It answers what sorted rows answer (`RankedColumn`), but names no rows. Where buckets hold several
scores their rows count as tied, unless it is asked for the best or the worst order they could have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.ladder import Ladder
from karat.tally.rungs import N_BLOCK, Rungs
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
        self,
        table: ScoreTable,
        own: int,
        order: Order = "tied",
        by: Literal["low", "mean"] = "low",
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

    @cached_property
    def _sides(self) -> tuple[Floats, Numbers, Numbers | None]:
        """Scores float64[u] and what stands on them number[u, 2], of the rest and of own."""
        table = self.table
        scores = table.low if self.by == "low" else table.means
        counts = self._two(table.counts)
        squares = None if table.squares is None else self._two(table.squares)
        if self.order == "tied":
            return scores, counts, squares
        first = 1 if self.order == "best" else 0
        # Each bucket as two rungs, of one side each; those without rows are left out.
        both, whole = np.repeat(counts, 2, axis=0), np.repeat(scores, 2)
        both[::2, 1 - first] = 0
        both[1::2, first] = 0
        kept = both.any(axis=1)
        if squares is not None:
            squares = np.where(both > 0, np.repeat(squares, 2, axis=0), 0.0)[kept]
        return whole[kept], both[kept], squares

    def _two(self, numbers: Numbers) -> Numbers:
        own = numbers[:, self.own]
        rest = numbers[:, : self.own].sum(axis=1) + numbers[:, self.own + 1 :].sum(axis=1)
        return np.stack([rest, own], axis=1)

    def blocks(self) -> Iterator[Rungs]:
        """Rungs, best first, at most `N_BLOCK` at once; none is empty."""
        scores, counts, squares = self._sides
        for first in range(0, len(scores), N_BLOCK):
            part = slice(first, first + N_BLOCK)
            yield Rungs(scores[part], counts[part], None if squares is None else squares[part])

    def ladder(self) -> Ladder:
        """Distinct scores, best first, with the weight of own class and the rest."""
        return Ladder(*self._sides, self.n_rows)

    def areas(self) -> Numbers:
        """number[k]: over pairs (row of own, row of c), Σ w·w'·(2·[s > s'] + [s = s'])."""
        counts = self.table.counts
        totals = self.totals.astype(np.float64)
        if not self.is_weighted and 2.0 * totals[self.own] * totals.max(initial=0.0) >= _WHOLE:
            counts = counts.astype(np.longdouble)  # 64 binary digits
        below = counts.sum(axis=0) - np.cumsum(counts, axis=0)
        within = {"tied": 1, "best": 2, "worst": 0}[self.order]
        found: Numbers = (counts[:, self.own, None] * (2 * below + within * counts)).sum(axis=0)
        found[self.own] = 0
        return found.astype(np.float64) if found.dtype == np.longdouble else found

    def _cumulated(self) -> tuple[Floats, Floats]:
        """float64[u] each: own weight at or above each rung, and that of all rows."""
        _, counts, _ = self._sides
        sums = np.cumsum(counts, axis=0)
        return sums[:, 1].astype(np.float64), sums.sum(axis=1).astype(np.float64)

    def step_area(self) -> float:
        """Σ over thresholds of (increase of true positives) × precision."""
        own, every = self._cumulated()
        return float((np.diff(own, prepend=0.0) * (own / every)).sum())

    def trapezoid_area(self) -> float:
        """Area under precision by the part of own found, straight lines between thresholds."""
        own, every = self._cumulated()
        if not len(own) or not own[-1]:
            return np.nan
        share = own / every
        before = np.concatenate([[1.0], share[:-1]])
        return float((np.diff(own, prepend=0.0) * (share + before)).sum() / 2.0 / own[-1])

    def placements(self) -> Placements:
        """How much rows differ in where they stand; see `tally.scored.Placements`."""
        _, counts, given = self._sides
        weights = counts.astype(np.float64)
        squares = weights if given is None else given
        total = weights.sum(axis=0)
        sums = np.cumsum(weights, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Own rows stand right over the rest below them, the rest under the own above them.
            over = (total[0] - sums[:, 0] + weights[:, 0] / 2.0) / total[0]
            under = (sums[:, 1] - weights[:, 1] / 2.0) / total[1]
            area = float((weights[:, 1] * over).sum() / total[1])
        gaps = np.stack([under - area, over - area], axis=1)
        spread = np.where(weights > 0, squares * gaps**2, 0.0).sum(axis=0)
        size = float((weights[:, 1] * np.abs(gaps[:, 1])).sum())
        if not total.all():
            spread, size = np.full(2, np.nan), np.nan
        return Placements(total, squares.sum(axis=0), spread, size)

    def lift_squares(self, *, is_straight: bool = False) -> Floats:
        """float64[2] of rest and own: Σ w² · (what weight on a row does to the area)²."""
        _, counts, given = self._sides
        squares = counts.astype(np.float64) if given is None else given
        own, every = self._cumulated()
        p, share = np.diff(own, prepend=0.0), own / every
        rate, lost, here = _from(p / every), _from(p * share / every), share
        area = p * share
        if is_straight:
            shifted = np.concatenate([[0.0], p[1:] / every[:-1]])
            rate = (rate + _after(shifted)) / 2.0
            lost = (lost + _after(shifted * np.concatenate([[1.0], share[:-1]]))) / 2.0
            here = (share + np.concatenate([[1.0], share[:-1]])) / 2.0
            area = p * here
        mean = area.sum() / own[-1] if len(own) and own[-1] else np.nan
        of_own = here + rate - mean - lost
        return np.array([(squares[:, 0] * lost**2).sum(), (squares[:, 1] * of_own**2).sum()])

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
        column = TableColumn(table, own)
        squares = None if table.squares is None else column._two(table.squares)
        part = replace(table, counts=column._two(table.counts), squares=squares)
        found = part if found is None else found.merge(part)
    assert found is not None
    return replace(found.disjoint(), n_rows=n_rows)


def _from(values: Floats) -> Floats:
    """Sums of each and all below it."""
    found: Floats = values[::-1].cumsum()[::-1]
    return found


def _after(values: Floats) -> Floats:
    """Sums of all below each."""
    return _from(values) - values
