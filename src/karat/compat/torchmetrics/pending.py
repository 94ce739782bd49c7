"""Labels of batches on their way into a list of cells: small ones wait, large ones are a table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat import _native

Codes = npt.NDArray[np.int16]

_LEAST: Final = 1 << 15
"""So many rows wait, or four for each cell of the table: they take as much memory as two tables."""
_MOST_ROWS: Final = 1 << 13
"""Larger batches are counted at once."""
_MOST_CLASSES: Final = {"cells": 512, "classes": 4096}
"""With more, tables of all cells are no small part of the memory, and codes are no narrow ones."""


_MOST_TABLED: Final = 1024
"""Of more classes a table of all cells takes more than 8 MB."""
_CELLS_A_ROW: Final = 16
"""With so many cells for each row of a batch a table costs as much as a list."""


class Pending:
    """Rows of some batches, on the CPU and without weights.

    Attributes:
        k: number of classes.
        detail: what is kept of them: ``"cells"`` or ``"classes"``.
        is_listed: whether occupied cells are listed in place of a table.
        n: number of rows that wait.
    """

    __slots__ = ("_is_own", "_pred", "_table", "_true", "detail", "is_listed", "k", "n")
    k: int
    detail: str
    is_listed: bool
    n: int

    def __init__(self, k: int, detail: str, is_listed: bool, true: Codes, pred: Codes) -> None:
        self.k, self.detail, self.is_listed, self.n = k, detail, is_listed, len(true)
        self._true, self._pred = [true], [pred]
        self._table: npt.NDArray[np.int64] | None = None
        self._is_own = False

    @classmethod
    def of(
        cls, true: Tensor, pred: Tensor, k: int, detail: str, *, is_listed: bool
    ) -> Pending | None:
        """Return a copy of the rows of a batch [n]; None if they are to be counted at once.

        They are if they are many and no table pays, and if a label is none of the classes.
        """
        if is_listed and true.shape[0] > _MOST_ROWS:
            return cls._tabled(true, pred, k)
        if not 0 < true.shape[0] <= _MOST_ROWS or k > _MOST_CLASSES.get(detail, 0):
            return None
        t, p = true.numpy(), pred.numpy()
        t, p = t.astype(np.int64, copy=False), p.astype(np.int64, copy=False)
        # A negative number is a large one without a sign.
        if np.maximum(t.view(np.uint64), p.view(np.uint64)).max() >= k:
            return None
        return cls(k, detail, is_listed, t.astype(np.int16), p.astype(np.int16))

    @classmethod
    def _tabled(cls, true: Tensor, pred: Tensor, k: int) -> Pending | None:
        """Return the table of a large batch, which later ones are added to."""
        if k > _MOST_TABLED or k * k > _CELLS_A_ROW * true.shape[0]:
            return None
        try:
            tally = _native.count_codes(
                true.numpy(), 0, None, pred.numpy(), 0, None, k, None, True, 0
            )
        except _native.Rejected:
            return None
        none = np.empty(0, np.int16)
        tabled = cls(k, "cells", True, none, none)
        tabled._table, tabled._is_own = tally.cells(), True
        return tabled

    @property
    def is_full(self) -> bool:
        """True if so many rows wait that a table costs next to nothing for each."""
        return self.n >= _LEAST and (self.detail == "classes" or self.n >= 4 * self.k * self.k)

    def is_like(self, other: Pending) -> bool:
        """Return whether the same is kept of the same classes."""
        return (self.k, self.detail) == (other.k, other.detail)

    def add(self, other: Pending) -> None:
        """Take in other rows, which stay as they are."""
        self._true += other._true
        self._pred += other._pred
        self.n += other.n
        if other._table is None:
            return
        if self._table is None:
            self._table = other._table
        elif self._is_own:
            self._table += other._table
        else:
            self._table, self._is_own = self._table + other._table, True

    def copy(self) -> Pending:
        """The same rows, to which others can be added."""
        copied = Pending(self.k, self.detail, self.is_listed, self._true[0], self._pred[0])
        copied._true, copied._pred, copied.n = list(self._true), list(self._pred), self.n
        copied._table, self._is_own = self._table, False
        return copied

    def counted(self) -> Tensor:
        """The rows as ``cells`` int64[k, k] or ``classes`` int64[3, k]."""
        true, pred = (
            parts[0] if len(parts) == 1 else np.concatenate(parts)
            for parts in (self._true, self._pred)
        )
        is_whole = self.detail == "cells"
        if self._table is not None and not self.n:
            return torch.from_numpy(self._table)
        tally = _native.count_codes(true, 0, None, pred, 0, None, self.k, None, is_whole, 0)
        table: Any = tally.cells() if is_whole else np.stack(tally.marginals())
        return torch.from_numpy(table if self._table is None else table + self._table)
