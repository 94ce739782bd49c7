"""`TabledRows`: `ScoredTables` read as rows with scores, as far as tables can tell.

What metrics and their intervals ask of sorted columns, it answers. What needs the rows themselves
it refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.classes import Classes
from karat.tally.score_table import ScoreTable
from karat.tally.scored_tables import ScoredTables
from karat.tally.sums import Sums
from karat.tally.table_column import Order, TableColumn, pooled_table

__all__ = ["TabledRows"]

Floats: TypeAlias = npt.NDArray[np.float64]


class TabledRows:
    """Columns of `ScoredTables`; see `tally.ScoredRows`.

    Args:
        tables: the tally.
        order: how the rows of a bucket stand.
    """

    def __init__(self, tables: ScoredTables, order: Order = "tied") -> None:
        self.tables = tables
        self.order: Order = order
        self._made: dict[tuple[str, int], ScoreTable] = {}

    def ordered(self, order: Order) -> TabledRows:
        """The same with the rows of a bucket in another order."""
        found = TabledRows(self.tables, order)
        found._made = self._made
        return found

    @property
    def classes(self) -> Classes:
        """The classes, in the order of the columns."""
        return self.tables.classes

    @property
    def n_rows(self) -> int:
        """Rows."""
        return self.tables.n_rows

    @property
    def is_weighted(self) -> bool:
        """Whether rows carry weights."""
        return self.tables.is_weighted

    @property
    def is_prob(self) -> bool:
        """Whether the scores are probabilities as given."""
        return self.tables.is_prob

    @property
    def has_one_order(self) -> bool:
        """Whether one column serves for the score and the probability of a class."""
        return self.is_prob and self.tables.is_exact

    def check(self) -> None:
        """Nothing: values were looked at when they were added."""

    def sums(self, names: Iterable[str] = ()) -> Sums:
        """Every loss."""
        return self.tables.sums

    def class_squares(self) -> Floats:
        """float64[k], Σw² of the rows of each true class."""
        table = self.tables.ranks[0]
        found = table.counts if table.squares is None else table.squares
        return np.asarray(found.sum(axis=0), np.float64)

    def column(self, i: int, *, names_rows: bool = False) -> TableColumn:
        """Rows ordered by the score of class i, as given."""
        return TableColumn(self._table("ranks", i), i, self.order)

    def probability_column(self, i: int, *, names_rows: bool = False) -> TableColumn:
        """Rows ordered by the probability of class i, rungs by their mean."""
        kind = "ranks" if self.is_prob else "probabilities"
        return TableColumn(self._table(kind, i), i, self.order, "mean")

    def pooled(self, *, names_rows: bool = False) -> TableColumn:
        """Every row and class as one row of two classes: whether it is the true class."""
        return TableColumn(self._table("pooled", 0), 1, self.order)

    def confidences(self) -> TableColumn:
        """Rows ordered by the probability of the predicted class; own: it is the true one."""
        return TableColumn(self._table("confidences", 0), 1, self.order, "mean")

    def _table(self, kind: str, i: int) -> ScoreTable:
        """A table of the tally; what one column says of others is made once."""
        if (kind, i) not in self._made:
            self._made[kind, i] = self._made_table(kind, i)
        return self._made[kind, i]

    def _made_table(self, kind: str, i: int) -> ScoreTable:
        tables = self.tables
        if kind == "pooled":
            each = [self._table("ranks", i) for i in range(self.classes.k)]
            return pooled_table(each) if tables.pooled is None else tables.pooled()
        if not tables.is_single:
            if kind == "confidences":
                assert tables.confidences is not None
                return tables.confidences
            return tables.ranks[i] if kind == "ranks" else tables.probabilities[i]
        (found,), positive = tables.ranks, self.classes.positive
        assert positive is not None
        if kind == "confidences":
            return _confidences(found, positive, is_prob=self.is_prob)
        if kind == "ranks":
            if i == positive:
                return found
            return found.complement() if self.is_prob else found.negative()
        return found.mapped(_chance) if i == positive else found.negative().mapped(_chance)

    @property
    def codes(self) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()

    @property
    def weights(self) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()

    def row_losses(self, name: str, part: slice) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()

    def probabilities(self, i: int, part: slice) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()

    def column_values(self, i: int, *, is_prob: bool) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()

    def confidence_values(self) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()

    def pair_areas(self, cost: Floats | None, placed: Floats | None = None) -> NoReturn:
        """Refused: rows were not kept."""
        raise _no_rows()


def _no_rows() -> ValueError:
    return ValueError("tables of scores hold no rows")


def _chance(scores: Floats) -> Floats:
    """The probability of one of two classes whose score is this, and that of the other 0."""
    # As `engines.scores` has it, to the last bit.
    most = np.maximum(scores, 0.0)
    with np.errstate(over="ignore"):
        odds = np.exp(scores - most)
        found: Floats = odds / (np.exp(0.0 - most) + odds)
    return found


def _sure(scores: Floats) -> Floats:
    """The probability of the likelier of two classes, one by the score, one by 0."""
    with np.errstate(over="ignore"):
        found: Floats = 1.0 / (1.0 + np.exp(-np.abs(scores)))
    return found


def _confidences(table: ScoreTable, positive: int, *, is_prob: bool) -> ScoreTable:
    """How sure one column makes of either class, and whether that is the true one."""
    border = 0.5 if is_prob else 0.0
    # Of equals the first class is predicted.
    above = table.low > border if positive else table.low >= border
    for_positive, rest = table.kept(above), table.kept(~above)
    # Buckets of both signs, and of p and 1 − p, have the same ends; those of a function do not.
    for_other = rest.complement() if is_prob else rest.negative()
    right = (positive, 1 - positive)
    parts = zip((for_positive, for_other), right, strict=True)
    one, other = (part.of_classes([1 - c, c]) for part, c in parts)
    both = replace(one.laid_over(other), n_rows=table.n_rows)
    return both if is_prob else both.mapped(_sure)
