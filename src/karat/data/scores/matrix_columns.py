"""The columns of a matrix of scores, each contiguous."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from karat import _native

__all__ = ["Columns"]

_GROUP_BYTES = 128
_COPIED_BYTES = 1 << 25
"""What copies of columns may hold together."""


class Columns:
    """The columns of a matrix of scores, each contiguous.

    A row-major matrix is read once for several neighbours, and these are kept until a column of
    another group is asked for: at most 32 MiB. Ask for them in order. Longer columns are handed
    out as they lie.

    Args:
        values: float32 or float64[n, k].

    Example:
        >>> import numpy as np
        >>> columns = Columns(np.array([[0.9, 0.1], [0.3, 0.7]]))
        >>> columns[1].tolist()
        [0.1, 0.7]
    """

    def __init__(self, values: npt.NDArray[Any], n_threads: int | None = None) -> None:
        self._values = values
        self._n_threads = n_threads or 0
        most = min(_GROUP_BYTES, _COPIED_BYTES // max(len(values), 1))
        self._group = most // values.itemsize
        self._kept: tuple[int, npt.NDArray[Any]] | None = None

    @property
    def n_together(self) -> int:
        """How many neighbours are copied at once; 1 where columns are handed out as they lie."""
        return 1 if self._group < 2 or self._values[:, 0].flags.c_contiguous else self._group

    def __len__(self) -> int:
        """Number of columns."""
        width: int = self._values.shape[1]
        return width

    def __getitem__(self, i: int) -> npt.NDArray[Any]:
        """Column i, float[n]; a view where it is contiguous as it lies, or very long."""
        column: npt.NDArray[Any] = self._values[:, i]
        if column.flags.c_contiguous or self._group < 2:
            return column
        first = i - i % self._group
        if self._kept is None or self._kept[0] != first:
            self._kept = None  # its memory is free for the next group
            count = min(self._group, len(self) - first)
            copy = _native.copy_columns(self._values, first, count, self._n_threads)
            self._kept = first, copy
        found: npt.NDArray[Any] = self._kept[1][i - first]
        return found
