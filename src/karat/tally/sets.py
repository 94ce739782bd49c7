"""`Sets`: a set of labels for each row, as sorted numbers of labels one row after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.tally.shared import Numbers

Places = npt.NDArray[np.int64]
Items = npt.NDArray[np.int32]


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
        """The labels of a matrix [n, k] whose cells are not 0."""
        rows, items = np.nonzero(np.asarray(matrix))
        return cls.of_pairs(rows, items, np.shape(matrix)[0])

    @classmethod
    def of_pairs(cls, rows: npt.ArrayLike, items: npt.ArrayLike, n: int) -> Sets:
        """From the row and the label of each pair, ascending by row and label."""
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
        """int64[m]: row · k + label, ascending."""
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
        keys = self.rows * k + lut[self.items]
        if (np.diff(lut) < 0).any():
            keys.sort()
        return Sets.of_keys(keys, len(self), k)

    def without(self, other: Sets, k: int) -> Sets:
        """The labels that another set of the same row does not hold."""
        keys = self.keys(k)
        return Sets.of_keys(keys[~is_among(keys, other.keys(k))], len(self), k)

    def joined(self, other: Sets) -> Sets:
        """The rows of both, one after the other."""
        starts = np.concatenate([self.starts, other.starts[1:] + self.starts[-1]])
        return Sets(starts, np.concatenate([self.items, other.items]))


def is_among(keys: Places, others: Places) -> npt.NDArray[np.bool_]:
    """bool[m]: which of ascending keys are among other ascending keys."""
    if not others.size:
        return np.zeros(keys.size, bool)
    at = np.searchsorted(others, keys)
    return np.asarray(others[np.minimum(at, others.size - 1)] == keys)


def added_by(items: Items, k: int, values: Numbers | None) -> Numbers:
    """Sum of values by label, number[k]; how many there are without values."""
    return np.bincount(items, values, k)
