"""Candidate slices of a search: values and ranges of columns, crosses, and sums over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.limits import Flags, Floats

Codes: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[Any]

N_CUTS: Final = 20
"""Number of parts of about equal size that a numeric column is cut into."""
N_COARSE: Final = 5
"""Number of parts for ranges with two ends; also for columns crossed three deep."""
MOST_CROSSED: Final = 50
"""Columns with more values than this are not crossed with others."""
MOST_CROSSED_DEEP: Final = 20
"""The same limit for crosses of three columns."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchColumn:
    """Column in the form that a search reads: ordered parts, and the runs of parts that are slices.

    Attributes:
        name: the column.
        codes: int32[n], the part of each row; rows in no part have `n_parts`.
        n_parts: number of parts.
        spans: int64[m, 2], each slice as its first part and the one after its last.
        keys: the name of each part that is a slice by itself; "" for others.
        numbers: float64[n], the number of each row, if the parts are ranges of numbers.
        n_ordered: number of leading parts that are numbers in order.
    """

    name: str
    codes: npt.NDArray[np.int32]
    n_parts: int
    spans: Codes
    keys: tuple[str, ...]
    numbers: Floats | None = None
    n_ordered: int = 0

    def coarse(self) -> tuple[SearchColumn, Codes]:
        """Return a coarser column, and int64[parts + 1], where its parts begin among these."""
        if self.n_ordered <= N_COARSE + 1:
            return self, np.arange(self.n_parts + 1)
        begins = _coarse(self.n_ordered)
        begins = np.append(begins, np.arange(self.n_ordered + 1, self.n_parts + 1))
        lut = np.searchsorted(begins, np.arange(self.n_parts + 1), side="right") - 1
        n = len(begins) - 1
        n_ordered = n - (self.n_parts - self.n_ordered)
        spans = _ordered_spans(n_ordered, np.arange(n_ordered + 1))
        spans = np.concatenate([spans, _alone(n_ordered, n)])
        made = replace(
            self,
            codes=lut[self.codes].astype(np.int32),
            n_parts=n,
            spans=spans,
            n_ordered=n_ordered,
        )
        return made, begins


def _alone(first: int, last: int) -> Codes:
    at = np.arange(first, last)
    return np.stack([at, at + 1], axis=1)


def _coarse(n: int) -> Codes:
    """int64: where few groups of n parts begin, and the end of the last."""
    return np.unique(np.rint(np.linspace(0, n, N_COARSE + 1)).astype(np.int64))


def _ordered_spans(n: int, inner: Codes) -> Codes:
    """int64[m, 2]: every range from an end of n parts, and those between two inner limits."""
    found = [(0, i) for i in range(1, n)] + [(i, n) for i in range(1, n)]
    found += [(a, b) for a, b in combinations(inner.tolist(), 2) if a > 0 and b < n]
    return np.array(sorted(set(found)), np.int64).reshape(-1, 2)


def column_of_values(
    name: str, codes: npt.NDArray[Any], keys: Sequence[str], min_n: int
) -> SearchColumn:
    """Return a column whose values are slices; values of fewer than `min_n` rows are in none."""
    n_rows = np.bincount(codes, minlength=len(keys))
    kept = np.flatnonzero(n_rows >= min_n)
    lut = np.full(len(keys), len(kept), np.int32)
    lut[kept] = np.arange(len(kept))
    names = tuple(keys[i] for i in kept.tolist())
    return SearchColumn(name, lut[codes], len(kept), _alone(0, len(kept)), names)


def column_of_numbers(
    name: str, codes: npt.NDArray[Any], keys: Sequence[str], numbers: Floats, *, are_few: bool
) -> SearchColumn:
    """Return a column of numbers, whose ranges are slices.

    With few distinct numbers, each is a slice, and so is every range from either end. With many,
    `N_CUTS` parts of equal size make ranges from either end, and every fourth of their limits
    ranges between two. Rows without a number, NaN, form a slice with the last key.

    Args:
        codes, keys: the number of each row and its name, if there are few.
    """
    is_missing = np.isnan(numbers)
    last = keys[-1] if is_missing.any() else ""
    if are_few:
        names = list(keys[: len(keys) - bool(last)])
        n = len(names)
        spans = np.unique(np.concatenate([_alone(0, n), _ordered_spans(n, np.arange(0))]), axis=0)
    else:
        held = numbers[~is_missing]
        places = np.unique(-(-len(held) * np.arange(1, N_CUTS) // N_CUTS) - 1).clip(0)
        cuts = np.unique(np.partition(held, places)[places])
        cuts = cuts[cuts < held.max()]
        codes = np.searchsorted(cuts, numbers, side="left")
        n = len(cuts) + 1
        names, spans = [""] * n, _ordered_spans(n, _coarse(n))
    if last:
        codes = np.where(is_missing, n, codes)
        names, spans = [*names, last], np.concatenate([spans, [[n, n + 1]]])
    return SearchColumn(name, codes.astype(np.int32), len(names), spans, tuple(names), numbers, n)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Slices of one cross of columns, in a grid.

    Attributes:
        columns: indices of the columns.
        spans: the slices of each column, as `SearchColumn.spans`.
        n_rows: float64[p, q], rows of each slice: p of all columns but the last, q of the last.
        is_kept: bool[p, q], whether the slice is examined.
    """

    columns: tuple[int, ...]
    spans: tuple[Codes, ...]
    n_rows: Floats
    is_kept: Flags

    def spans_at(self, place: int) -> tuple[tuple[int, int, int], ...]:
        """Return column, first part and end of each condition of the slice at a flat index."""
        at = np.unravel_index(place, [len(spans) for spans in self.spans])
        chosen = zip(self.columns, self.spans, at, strict=True)
        return tuple((c, int(spans[i, 0]), int(spans[i, 1])) for c, spans, i in chosen)


class Family:
    """All slices of some rows, up to a depth: a cross of three columns has depth 3.

    The examined slices depend on the columns alone: slices of at least `min_n` rows, and not of
    all; crosses of fewer rows than each of their columns' slices.

    Attributes:
        n: number of rows.
        blocks: the slices of each cross.
        n_rows: float64[slices], rows of every slice, block after block.
        is_kept: bool[slices], whether a slice is examined.

    Cost: 4 bytes for each row and column.
    """

    def __init__(
        self, columns: Sequence[SearchColumn], rows: Codes, depth: int, min_n: int
    ) -> None:
        self.n = len(rows)
        crossed = [
            i
            for i, c in enumerate(columns)
            if c.n_parts and (c.n_ordered or 2 <= c.n_parts <= MOST_CROSSED)
        ]
        grid_columns = [(i, c, np.arange(c.n_parts + 1)) for i, c in enumerate(columns)]
        crosses: list[tuple[int, ...]] = [(i,) for i in range(len(columns))]
        if depth > 1:
            crosses += combinations(crossed, 2)
        if depth > 2:
            deep = [(i, *columns[i].coarse()) for i in crossed]
            grid_columns += [
                (i, c, begins)
                for i, c, begins in deep
                if c.n_ordered or len(c.spans) <= MOST_CROSSED_DEEP
            ]
            crosses += combinations(range(len(columns), len(grid_columns)), 3)
        codes = np.empty((len(grid_columns), self.n), np.int32)
        for row, (_, column, _) in zip(codes, grid_columns, strict=True):
            np.take(column.codes, rows, out=row, mode="clip")
        spans = [column.spans for _, column, _ in grid_columns]
        self._codes, self._slices = (
            codes,
            (
                [column.n_parts for _, column, _ in grid_columns],
                np.concatenate([np.empty((0, 2), np.int64), *spans]),
                np.cumsum([0, *map(len, spans)]).tolist(),
                [list(cross) for cross in crosses],
            ),
        )
        self.grid = self._grid(codes)
        counts = self.grid.sums(np.ones((1, self.n), np.uint8), 0)[0]
        self.n_rows, self.is_kept = counts, (counts >= max(min_n, 1)) & (counts < self.n)
        self.blocks: list[Block] = []
        start = 0
        for cross in crosses:
            shape = [len(spans[i]) for i in cross]
            place = slice(start, start := start + math.prod(shape))
            n_rows, is_kept = (
                flat[place].reshape(math.prod(shape[:-1]), shape[-1])
                for flat in (counts, self.is_kept)
            )
            if len(cross) == 2:
                first, second = (self.blocks[i].n_rows[0] for i in cross)
                is_kept &= n_rows < np.minimum(first[:, None], second)
            # Spans are in the parts of the columns themselves.
            own = tuple(grid_columns[i][2][spans[i]] for i in cross)
            key = tuple(grid_columns[i][0] for i in cross)
            self.blocks.append(Block(key, own, n_rows, is_kept))

    def _grid(self, codes: npt.NDArray[np.int32]) -> _native.SliceGrid:
        return _native.SliceGrid(codes, *self._slices)

    @property
    def size(self) -> int:
        """Number of examined slices."""
        return int(np.count_nonzero(self.is_kept))

    def sums(self, values: Values, rows: Codes | None = None) -> Floats:
        """float64[b, slices]: sums of values [b, n] over each slice, block after block.

        Args:
            rows: the rows of the values, in [0, n); None: all.
        """
        grid = self.grid if rows is None else self._grid(np.take(self._codes, rows, axis=1))
        return grid.sums(values, 0)

    def by_block(self, numbers: Values) -> list[Values]:
        """The numbers of all slices, [slices], as [p, q] of every block."""
        ends = np.cumsum([block.n_rows.size for block in self.blocks]).tolist()
        return [
            numbers[end - block.n_rows.size : end].reshape(block.n_rows.shape)
            for block, end in zip(self.blocks, ends, strict=True)
        ]
