"""`Sets`: a set of labels for each row, as sorted numbers of labels one row after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native

Places = npt.NDArray[np.int64]
Items = npt.NDArray[np.int32]
Among = npt.NDArray[np.bool_]

_MOST_BYTES: Final = 8
"""Of a cell that is read where it lies."""


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """A set of labels for each row.

    Attributes:
        starts: int64[n + 1], where the labels of each row begin; the last is where they end.
        items: int32[m], numbers of labels, ascending within a row and none of them twice.

    Example:
        >>> two = Sets.of_matrix(np.array([[1, 0, 1], [0, 0, 0]]))
        >>> two.starts.tolist(), two.items.tolist()
        ([0, 2, 2], [0, 2])
    """

    starts: Places
    items: Items

    @classmethod
    def of_matrix(cls, matrix: npt.ArrayLike) -> Sets:
        """The labels of a matrix [n, k] of 0 and 1; ValueError for other cells."""
        found = read_matrix(np.asarray(matrix))
        if found.unknown is not None or found.others is not None:
            raise ValueError("a cell of the matrix is neither 0 nor 1")
        return found.sets

    @classmethod
    def of_pairs(cls, rows: npt.ArrayLike, items: npt.ArrayLike, n: int) -> Sets:
        """Create them from the row and the label of each pair, ascending by row and label."""
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(np.asarray(rows, np.int64), minlength=n), out=starts[1:])
        return cls(starts, np.ascontiguousarray(items, np.int32))

    @classmethod
    def empty(cls, n: int) -> Sets:
        """Rows without a label."""
        return cls(np.zeros(n + 1, np.int64), np.empty(0, np.int32))

    def __len__(self) -> int:
        """Rows."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> Places:
        """int64[n]: labels of each row."""
        return np.diff(self.starts)

    @property
    def rows(self) -> Places:
        """int64[m]: the row of each label."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def keys(self, k: int) -> Places:
        """int64[m]: row · k + label, ascending where the labels of each row are."""
        return self.rows * k + self.items

    @classmethod
    def of_keys(cls, keys: Places, n: int, k: int) -> Sets:
        """The sets of ascending keys."""
        rows, items = np.divmod(keys, max(k, 1))
        return cls.of_pairs(rows, items, n)

    def matrix(self, k: int) -> npt.NDArray[np.bool_]:
        """bool[n, k]. Cost: n · k bytes."""
        found = np.zeros((len(self), k), bool)
        found[self.rows, self.items] = True
        return found

    def at(self, rows: npt.NDArray[Any]) -> Sets:
        """Some of the rows: bool[n], or their places int[r] in any order."""
        places = np.flatnonzero(rows) if rows.dtype == bool else np.asarray(rows, np.int64)
        sizes = self.sizes[places]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        within = np.arange(int(starts[-1])) - np.repeat(starts[:-1], sizes)
        return Sets(starts, self.items[np.repeat(self.starts[:-1][places], sizes) + within])

    def recoded(self, lut: npt.NDArray[np.int32], k: int) -> Sets:
        """The same on k labels, of which `lut` int32[old] gives the number of each old one."""
        keys = Sets(self.starts, lut[self.items]).keys(k)
        if (np.diff(lut) < 0).any():
            keys.sort()
        return Sets.of_keys(keys, len(self), k)

    def matched(self, other: Sets, k: int) -> tuple[Among, Among]:
        """bool[m] each: labels that the other has in the same row, those of it that this has."""
        return _native.match_sets(self.starts, self.items, other.starts, other.items, k)

    def some(self, kept: Among) -> Sets:
        """Those labels, bool[m], of each row."""
        starts = np.zeros(len(self.items) + 1, np.int64)
        np.cumsum(kept, out=starts[1:])
        return Sets(starts[self.starts], self.items[kept])

    def only(self, places: Places, k: int) -> Sets:
        """The sets on some of k labels, by their places in order."""
        lut = np.full(k, -1, np.int32)
        lut[places] = np.arange(len(places), dtype=np.int32)
        kept = self.some(lut[self.items] >= 0)
        return Sets(kept.starts, lut[kept.items])

    def without(self, other: Sets, k: int) -> Sets:
        """The labels that another set of the same row does not hold."""
        return self.some(~self.matched(other, k)[0])

    def joined(self, other: Sets) -> Sets:
        """The rows of both, one after the other."""
        starts = np.concatenate([self.starts, other.starts[1:] + self.starts[-1]])
        return Sets(starts, np.concatenate([self.items, other.items]))


@dataclass(frozen=True, slots=True, eq=False)
class MatrixSets:
    """Content of a matrix.

    Attributes:
        sets: the columns of each row whose cells are 1.
        unknown: those whose cells are NaN; None where none is.
        others: row and column of the first cell that is neither 0, nor 1, nor NaN, and how many
            such cells there are; None where there are none.
    """

    sets: Sets
    unknown: Sets | None
    others: tuple[int, int, int] | None


def read_matrix(matrix: npt.NDArray[Any]) -> MatrixSets:
    """Read a matrix [n, k] of booleans, integers or floats in any layout, in one pass."""
    if matrix.dtype.itemsize > _MOST_BYTES:
        # Rounding may make 1 of what is not 1.
        is_other = (matrix != 0) & (matrix != 1) & ~np.isnan(matrix)
        matrix = np.where(is_other, 2.0, matrix)
    kind = np.float64 if matrix.dtype.itemsize > _MOST_BYTES else matrix.dtype.newbyteorder("=")
    found, unknown, others = _native.read_sets(np.require(matrix, kind, "A"), 0)
    return MatrixSets(Sets(*found), None if unknown is None else Sets(*unknown), others)
