"""Rows permuted to the slices: the tables that equal slices would have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Cells

__all__ = ["PermutedTables", "n_permutations_of"]

Counts: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.intp]

N_LEAST: Final = 200
"""With fewer deals a p-value is too coarse; that of χ² is told then."""
_N_USUAL: Final = 1000
_N_MOST: Final = 10_000
_N_BEYOND: Final = 50
"""Deals beyond the limit of a test, where so many are not too dear."""
_BUDGET: Final = 50_000_000
"""Steps that all deals of a table may take: a step is the move of one row, some 15 ns."""
_STEPS_OF_DRAW: Final = 15
"""Of one hypergeometric number."""
_STEPS_OF_CELL: Final = 7
"""Of one cell that a metric reads."""


def n_permutations_of(level: float, shape: tuple[int, int, int], n_rows: int) -> int:
    """How often rows are permuted, for tests at an error rate of 1 − level; 0: too dear.

    Args:
        level: of the tests.
        shape: slices, occupied cells and classes.
        n_rows: rows of all slices.

    Example:
        >>> n_permutations_of(0.95, (5, 9, 3), 1000), n_permutations_of(0.99, (5, 9, 3), 1000)
        (1000, 5000)
    """
    s, m, k = shape
    steps = min(n_rows, _STEPS_OF_DRAW * s * m) + _STEPS_OF_CELL * s * k * k
    alpha = 1.0 - level
    wanted = min(max(round(_N_BEYOND / alpha), _N_USUAL), _N_MOST)
    n = min(wanted, _BUDGET // max(steps, 1))
    return n if n >= max(N_LEAST, math.ceil(10.0 / alpha - 1e-9)) else 0


@dataclass(frozen=True, eq=False)
class PermutedTables:
    """The tables of the slices, and those that they have after their rows were permuted.

    Every slice keeps the number of its rows; which rows they are is left to chance. If slices are
    equal, the observed tables are one deal among the others (Fisher 1935).

    Attributes:
        tables: int32 or int64[b + 1, s, m], the observed tables first.
        place: int[m], of the listed cells in a table of k·k.
        k: classes.
    """

    tables: npt.NDArray[Any]
    place: Codes
    k: int

    @classmethod
    def of(cls, cells: Cells, level: float, seed: int) -> PermutedTables | None:
        """From dense tables of counts on one leading axis; None where that is too dear.

        Cost: for each deal the rows, or 15 times the occupied cells of all slices if that is less.
        """
        flat = cells.flat()
        place = np.flatnonzero(flat.any(axis=0))
        tables = np.ascontiguousarray(flat[:, place], np.int64)
        (s, m), n_rows = tables.shape, int(tables.sum())
        n = n_permutations_of(level, (s, m, cells.k), n_rows)
        if not n:
            return None
        kind = np.int32 if n_rows < 2**31 else np.int64
        permuted = np.empty((n + 1, s, m), kind)
        permuted[0] = tables
        rng = np.random.default_rng(seed)
        if n_rows <= _STEPS_OF_DRAW * s * m:
            _shuffle(tables, permuted[1:], rng)
        else:
            _draw(tables, permuted[1:], rng)
        return cls(permuted, place, cells.k)

    @property
    def n(self) -> int:
        """How often rows were permuted."""
        return len(self.tables) - 1

    def full(self, tables: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Listed cells [..., m] as tables [..., k, k]."""
        shape, k = tables.shape[:-1], self.k
        out = np.zeros((*shape, k * k), np.int64 if tables.dtype.kind == "i" else np.float64)
        out[..., self.place] = tables
        return out.reshape(*shape, k, k)


def _shuffle(tables: Counts, out: npt.NDArray[Any], rng: np.random.Generator) -> None:
    """Each row as the number of its cell, in random order."""
    s, m = tables.shape
    rows = np.repeat(np.arange(m), tables.sum(axis=0))
    first = np.repeat(np.arange(s) * m, tables.sum(axis=1))
    for one in out:
        one[:] = np.bincount(first + rng.permutation(rows), minlength=s * m).reshape(s, m)


def _draw(tables: Counts, out: npt.NDArray[Any], rng: np.random.Generator) -> None:
    """Each slice in turn takes its rows of those that are left: multivariate hypergeometric.

    The largest slice comes last and takes what is left.
    """
    (n, _, m), sizes = out.shape, tables.sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    cells = np.argsort(-tables.sum(axis=0), kind="stable")
    left = np.tile(tables.sum(axis=0), (n, 1))
    for i in order[:-1].tolist():
        others, wanted = left.sum(axis=1), np.full(n, sizes[i])
        for j in cells[: m - 1].tolist():
            others = others - left[:, j]
            taken = rng.hypergeometric(left[:, j], others, wanted)
            out[:, i, j] = taken
            wanted = wanted - taken
        out[:, i, cells[m - 1]] = wanted
        left = left - out[:, i]
    out[:, order[-1]] = left
