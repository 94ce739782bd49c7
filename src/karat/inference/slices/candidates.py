"""Candidate slices of a search: values and ranges of columns, crosses, and sums over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

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
_CHUNK: Final = 1 << 16
"""Number of rows sorted by part at once."""
_ROWS: Final = 64
_ONE_THREAD: Final = 1 << 18
"""Largest number of rows of a product, and of multiplications in one.

BLAS makes larger ones on several threads, which wait for each other where other processes use the
cores, thirty times longer than they work.
"""


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

    @property
    def sums_of_parts(self) -> Floats | None:
        """float64[m, n_parts]: 1 where a slice contains a part; None if slices are the parts."""
        at = np.arange(self.n_parts)
        if len(self.spans) == self.n_parts and (self.spans[:, 0] == at).all():
            return None
        low, high = self.spans[:, :1], self.spans[:, 1:]
        return np.asarray((at >= low) & (at < high), np.float64)

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

    Cost of sums: values × rows × parts of all columns, for each column (and pair of columns).
    """

    def __init__(
        self, columns: Sequence[SearchColumn], rows: Codes, depth: int, min_n: int
    ) -> None:
        self.n = len(rows)
        self._columns = [replace(c, codes=c.codes[rows], numbers=None) for c in columns]
        self._deep = [c.coarse() if depth > 2 else (c, np.arange(0)) for c in self._columns]
        self._depth = depth
        self._crossed = [
            i
            for i, c in enumerate(self._columns)
            if c.n_parts and (c.n_ordered or 2 <= c.n_parts <= MOST_CROSSED)
        ]
        few = MOST_CROSSED_DEEP
        self._crossed_deep = [
            i
            for i in self._crossed
            if len(self._deep[i][0].spans) <= few or self._deep[i][0].n_ordered
        ]
        self.blocks: list[Block] = []
        single: dict[int, Floats] = {}
        for key, spans, counts in self._grids(np.ones((1, self.n), np.float32)):
            n_rows = np.asarray(counts[0], np.float64)
            is_kept = (n_rows >= max(min_n, 1)) & (n_rows < self.n)
            if len(key) == 1:
                single[key[0]] = n_rows[0]
            elif len(key) == 2:
                is_kept &= n_rows < np.minimum(single[key[0]][:, None], single[key[1]])
            self.blocks.append(Block(key, spans, n_rows, is_kept))

    @property
    def size(self) -> int:
        """Number of examined slices."""
        return sum(int(block.is_kept.sum()) for block in self.blocks)

    def sums(self, values: Values, rows: Codes | None = None) -> Iterator[tuple[Block, Values]]:
        """float[b, p, q] for every block: sums of values [b, n] over each slice.

        Args:
            rows: the rows of the values, in [0, n); None: all.
        """
        grids = self._grids(values, rows)
        for block, (_, _, found) in zip(self.blocks, grids, strict=True):
            yield block, found

    def _grids(
        self, values: Values, rows: Codes | None = None
    ) -> Iterator[tuple[tuple[int, ...], tuple[Codes, ...], Values]]:
        columns = [c if rows is None else replace(c, codes=c.codes[rows]) for c in self._columns]
        whole = _sums_beside(values, [], columns)[:, 0]
        start = 0
        for i, column in enumerate(columns):
            part = whole[:, start : start + column.n_parts]
            start += column.n_parts
            yield (i,), (column.spans,), _of_spans(part[:, None, :], column)
        if self._depth < 2:
            return
        for place, i in enumerate(self._crossed):
            others = self._crossed[place + 1 :]
            yield from _crosses(values, (i,), others, columns)
        if self._depth < 3:
            return
        deep = [c if rows is None else replace(c, codes=c.codes[rows]) for c, _ in self._deep]
        for first, second in combinations(range(len(self._crossed_deep)), 2):
            pair = (self._crossed_deep[first], self._crossed_deep[second])
            for key, spans, found in _crosses(values, pair, self._crossed_deep[second + 1 :], deep):
                # Spans are in the parts of the columns themselves.
                own = tuple(self._deep[i][1][s] for i, s in zip(key, spans, strict=True))
                yield key, own, found


def _crosses(
    values: Values, first: tuple[int, ...], others: Sequence[int], columns: Sequence[SearchColumn]
) -> Iterator[tuple[tuple[int, ...], tuple[Codes, ...], Values]]:
    """Yield sums [b, p, q] of each cross of the first columns with another."""
    if not others:
        return
    heads, b = [columns[i] for i in first], len(values)
    grid = _sums_beside(values, heads, [columns[i] for i in others])
    for place, head in enumerate(heads):
        if (held := head.sums_of_parts) is not None:
            before = b * int(np.prod([len(one.spans) for one in heads[:place]]))
            parts = grid.reshape(before, head.n_parts, -1)
            grid = _products(held.astype(grid.dtype), parts).reshape(b, -1, grid.shape[2])
    start = 0
    spans = tuple(head.spans for head in heads)
    for i in others:
        part = grid[:, :, start : start + columns[i].n_parts]
        start += columns[i].n_parts
        yield (*first, i), (*spans, columns[i].spans), _of_spans(part, columns[i])


def _of_spans(parts: Values, column: SearchColumn) -> Values:
    held = column.sums_of_parts
    return parts if held is None else _products(parts, held.T.astype(parts.dtype))


def _products(left: Values, right: Values) -> Values:
    """left[..., p, k] @ right[..., k, q] in products for one thread."""
    width = max(1, _ONE_THREAD // (left.shape[-2] * left.shape[-1]))
    q = right.shape[-1]
    if q <= width:
        return np.asarray(left @ right)
    some = [left @ right[..., first : first + width] for first in range(0, q, width)]
    return np.concatenate(some, axis=-1)


def _sums_beside(
    values: Values, heads: Sequence[SearchColumn], others: Sequence[SearchColumn]
) -> Values:
    """float[b, c, parts]: sums of values by the parts of the others, in each cell of the heads."""
    n_cells = int(np.prod([head.n_parts for head in heads]))
    n_parts = sum(column.n_parts for column in others)
    found = np.zeros((n_cells, len(values), n_parts), values.dtype)
    if not others:
        return found.transpose(1, 0, 2)
    # Rows in no part have the last code, whose row is empty.
    marks = [np.eye(c.n_parts + 1, c.n_parts, dtype=values.dtype) for c in others]
    for begin in range(0, values.shape[1], _CHUNK):
        rows = slice(begin, begin + _CHUNK)
        order, cell = np.arange(values.shape[1])[rows], None
        if heads:
            cell = heads[0].codes[rows].astype(np.int64)
            inside = cell < heads[0].n_parts
            for head in heads[1:]:
                inside &= head.codes[rows] < head.n_parts
                cell = cell * head.n_parts + head.codes[rows]
            kept = np.flatnonzero(inside)
            kept = kept[np.argsort(cell[kept], kind="stable")]
            order, cell = order[kept], cell[kept]
        marked = np.concatenate(
            [mark[c.codes[order]] for mark, c in zip(marks, others, strict=True)], axis=1
        )
        taken = values[:, order] if heads else values[:, rows]
        if cell is None:
            _add_product(found[0], taken, marked)
            continue
        limits = np.searchsorted(cell, np.arange(n_cells + 1))
        for i in np.flatnonzero(np.diff(limits)).tolist():
            some = slice(limits[i], limits[i + 1])
            _add_product(found[i], taken[:, some], marked[some])
    return found.transpose(1, 0, 2)


def _add_product(out: Values, values: Values, marked: Values) -> None:
    """Add values[b, n] @ marked[n, m] to out[b, m], in products for one thread."""
    b, n = values.shape
    m = marked.shape[1]
    if not m:
        return
    for first in range(0, n, _ROWS):
        part, of = values[:, first : first + _ROWS], marked[first : first + _ROWS]
        height = max(1, min(b, _ONE_THREAD // (len(of) * m)))
        whole = b - b % height
        stacked = part[:whole].reshape(-1, height, len(of))
        out[:whole] += (stacked @ of).reshape(whole, m)
        if whole < b:
            out[whole:] += part[whole:] @ of
