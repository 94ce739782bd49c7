"""`TableSets`: rows with sets of labels of a table, with the names that they are matched by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import Tallies
from karat.data.clusters import RowNames, go_together
from karat.data.labels.column import Flags
from karat.data.weights import Weights, refuse_sums
from karat.errors import KaratError, error
from karat.tally import Classes, Label
from karat.tally.held_sets import HeldSets
from karat.tally.set_tally import CLUSTERS, IDS, SetRows
from karat.tally.sets import Sets


@dataclass(frozen=True, slots=True, eq=False)
class TableSets:
    """Rows with sets of labels of a table or of files: what `Rows` are of one class a row.

    Attributes:
        rows: the rows, in their order.
        ids: name of each row, or None.
        name: what messages call the rows.
        mapping, source, warnings, n_dropped, kept: as of `Rows`.
    """

    rows: SetRows
    ids: RowNames | None = None
    name: str = "the rows"
    mapping: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0
    kept: Flags | None = None

    @classmethod
    def of(cls, found: Tallies, kept: Flags | None) -> TableSets:
        """Rows of which all were kept.

        Args:
            kept: bool[m], which rows of the source they are; None: all.

        Errors:
            K115 all rows weigh nothing; K223 no row has a label.
        """
        assert found.sets is not None
        origin, rows, ids = found.origin, found.sets.rows, None
        check_sets(found.sets, origin.mapping)
        names = [axis.name for axis in rows.axes]
        if IDS in names:
            place = names.index(IDS)
            assert rows.codes is not None
            called = f"column {origin.mapping.get('id')!r}"
            texts = tuple(map(str, rows.axes[place].labels))
            ids = RowNames(called, np.array(rows.codes[place]), texts)
            rows = rows.with_axes([i for i in range(len(names)) if i != place])
        facts = origin.mapping, origin.source, origin.warnings, found.n_dropped, kept
        return cls(rows, ids, "the rows", *facts)

    @property
    def n(self) -> int:
        """Rows."""
        return self.rows.n

    @property
    def classes(self) -> Classes:
        """The labels."""
        return self.rows.classes

    @property
    def weights(self) -> Weights | None:
        """float64[n], or None."""
        return self.rows.weights

    def weighing(self, weights: Weights | None) -> TableSets:
        """The same with other weights."""
        return replace(self, rows=replace(self.rows, weights=weights))

    def on(self, classes: Classes) -> TableSets:
        """The same on labels that hold every label of it."""
        return replace(self, rows=self.rows.on(classes))

    def at(self, rows: npt.NDArray[Any]) -> TableSets:
        """Some of the rows: bool[n], or their places."""
        ids = None if self.ids is None else self.ids.at(rows)
        return replace(self, rows=self.rows.at(rows), ids=ids, kept=None)

    def differs(self, other: TableSets) -> Flags:
        """bool[n]: rows of which the other, on the same labels, says another truth."""
        k = self.classes.k
        found: Flags = self.rows.gone != other.rows.gone
        known = ~(self.rows.gone | other.rows.gone)
        for left, right in zip(_truth(self.rows), _truth(other.rows), strict=True):
            alone = np.setxor1d(left.keys(k), right.keys(k), assume_unique=True)
            found[alone // max(k, 1)] |= known[alone // max(k, 1)]
        return found

    def truth_at(self, row: int) -> list[Label] | None:
        """The true labels of a row; None where they are not known."""
        if self.rows.gone[row]:
            return None
        true, labels = self.rows.true, self.classes.labels
        items = true.items[true.starts[row] : true.starts[row + 1]]
        return [labels[item] for item in items.tolist()]


def _truth(rows: SetRows) -> tuple[Sets, Sets]:
    """The true labels of each row, and those that are not known."""
    if rows.unknown is None:
        return rows.true, Sets.empty(rows.n)
    return rows.true.without(rows.unknown, rows.classes.k), rows.unknown


def check_sets(held: HeldSets, mapping: Mapping[str, Any]) -> None:
    """Refuse rows without any label (K223), and rows that all weigh nothing (K115)."""
    tally = held.tally
    if not tally.k:
        sides = (f"column {mapping[x]!r}" if x in mapping else f"y_{x}" for x in ("true", "pred"))
        raise error("K223", left=next(sides), right=next(sides), n=tally.n)
    if tally.row_weights is None:
        return
    refuse_sums(np.array([tally.row_weights.sum()]))
    if not tally.row_weights.any():
        name = mapping.get("weights")
        argument = "weights" if name is None else f"Weights (column {name!r})"
        raise error("K115", argument=argument, n=tally.n)


def beside_sets(name: str, name_of_sets: str) -> KaratError:
    """K221: rows of one class each beside rows with sets."""
    return error("K221", found=f"{name} has one class a row, {name_of_sets} sets of labels")


def settled_clusters(rows: SetRows) -> SetRows:
    """The rows without clusters where each is one of its own (K145: there is one cluster)."""
    codes = rows.clusters
    if codes is None or go_together(codes, rows.weights, is_frequency=rows.is_frequency):
        return rows
    return rows.with_axes([i for i, axis in enumerate(rows.axes) if axis.name != CLUSTERS])
