"""`SlicedCells`: the table of each slice of the rows, on one leading axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.cells import Cells
from karat.tally.clustered import ClusteredCells
from karat.tally.kept import cached_property

__all__ = ["SlicedCells", "key_of"]

Numbers: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class SlicedCells:
    """Tables of the slices that a column, or a cross of columns, makes.

    Every row is in one slice, so that the tables add up to that of all rows.

    Attributes:
        columns: the column, or the columns of a cross.
        keys: what each slice is called in each of them.
        cells: the tables, on one leading axis.
        clusters: the rows by cluster; the place of a cell is slice × stored cells + cell.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    cells: Cells
    clusters: ClusteredCells | None = None

    @property
    def n_stored(self) -> int:
        """Cells that are stored of each slice."""
        return int(self.cells.flat().shape[-1])

    def alone(self, i: int) -> Cells:
        """The table of one slice."""
        cells = self.cells
        return replace(
            cells,
            counts=cells.counts[i],
            squares=None if cells.squares is None else cells.squares[i],
            n_rows=cells.n_rows[i],
            axes=(),
        )

    def rest(self, i: int) -> Cells:
        """The table of all other slices: a sum, so that float weights are not subtracted."""
        cells = self.cells
        return replace(
            cells,
            counts=_others(self._sums, i),
            squares=None if self._squares is None else _others(self._squares, i),
            n_rows=np.asarray(cells.n_rows.sum() - cells.n_rows[i]),
            axes=(),
        )

    @cached_property
    def _sums(self) -> tuple[Numbers, Numbers]:
        return _running(self.cells.counts)

    @cached_property
    def _squares(self) -> tuple[Numbers, Numbers] | None:
        squares = self.cells.squares
        return None if squares is None else _running(squares)

    def clusters_of(self, i: int, *, is_rest: bool = False) -> ClusteredCells | None:
        """The rows of one slice, or of all others, by cluster."""
        if self.clusters is None:
            return None
        slices, place = np.divmod(self.clusters.place, self.n_stored)
        kept = (slices != i) if is_rest else slices == i
        groups = self.clusters
        return ClusteredCells.of(groups.cluster[kept], place[kept], groups.weight[kept])

    @cached_property
    def is_nested(self) -> bool:
        """Whether no cluster has rows in two slices."""
        if self.clusters is None:
            return True
        pairs = np.unique(
            np.stack([self.clusters.cluster, self.clusters.place // self.n_stored]), axis=1
        )
        return bool(pairs.shape[1] == self.clusters.n_clusters)


def key_of(name: object) -> tuple[str, ...]:
    """The text of the name of a column, or of those of a cross.

    Example:
        >>> key_of(3), key_of(("a", 1))
        (('3',), ('a', '1'))
    """
    return tuple(map(str, name)) if isinstance(name, tuple) else (str(name),)


def _running(values: Numbers) -> tuple[Numbers, Numbers]:
    """Sums of the slices before each one, and of those after it."""
    zero = np.zeros_like(values[:1])
    before = np.concatenate([zero, np.cumsum(values[:-1], axis=0)])
    after = np.concatenate([np.cumsum(values[:0:-1], axis=0)[::-1], zero])
    return before, after


def _others(sums: tuple[Numbers, Numbers], i: int) -> Numbers:
    before, after = sums
    return np.asarray(before[i] + after[i])
