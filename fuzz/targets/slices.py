"""Targets of sums over slices, and of permutations of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target
from fuzz.targets.draws import drawn


def grid_arguments(case: Case) -> tuple[Any, ...]:
    """Codes, numbers of parts, spans, where those of each column begin, crosses."""
    source, arrays = case.source, case.arrays
    n, n_columns = min(source.size(), 600), source.byte() % 4
    parts: list[Any] = [source.byte() % 9 for _ in range(n_columns)]
    codes = [arrays.whole(n, k + 1, "i4") for k in parts]
    stacked = np.stack(codes) if codes else np.empty((0, n), np.int32)
    spans, starts = [], [0]
    for k in parts:
        for _ in range(source.byte() % 5):
            low = source.byte() % (k + 1)
            spans.append((low, low + source.byte() % (k + 1 - low)))
        starts.append(len(spans))
    listed = np.array(spans, np.int64).reshape(-1, 2)
    crosses: list[list[Any]] = [
        [source.integer(0, max(n_columns - 1, 0)) for _ in range(1 + source.byte() % 3)]
        for _ in range(source.byte() % 5)
    ]
    if source.is_spoiled() and parts:
        parts[-1] = source.integer(0, 9)
    return (
        arrays.argument(stacked, is_plain=True),
        parts,
        arrays.argument(listed, is_plain=True),
        starts,
        crosses,
    )


def some_grid(case: Case) -> Any:
    """A grid; one of two columns where the arguments are refused."""
    found = case.attempt(lambda: case.native.SliceGrid(*grid_arguments(case)))
    if found is not None:
        return found
    codes, spans = np.array([[0, 1, 2], [1, 0, 1]], np.int32), np.array([[0, 1], [0, 2], [0, 1]])
    return case.native.SliceGrid(codes, [2, 1], spans, [0, 2, 3], [[0], [1], [0, 1]])


def values_of(case: Case, n: int) -> Any:
    """Replicates of n rows, of either kind."""
    source, arrays = case.source, case.arrays
    b = source.byte() % 40
    if source.flag():
        return arrays.argument(arrays.whole(b * n, 2, "u1").reshape(b, n), is_plain=True)
    return arrays.table(b, n)


def n_of(grid: Any) -> tuple[int, int]:
    """Rows and slices of a grid."""
    for n in range(601):
        try:
            return n, grid.sums(np.zeros((1, n)), 1).shape[1]
        except ValueError:
            continue
    raise AssertionError("a grid of more rows than were given")


@target("SliceGrid")
def slice_grid(case: Case) -> None:
    arguments = grid_arguments(case)
    grid = case.call(case.native.SliceGrid, *arguments)
    n, n_slices = n_of(grid)
    case.expect(n == np.shape(arguments[0])[1], "a grid of other rows")
    case.expect_length(grid.sums(np.ones((2, n), np.uint8), case.source.threads()), 2, n_slices)


def begin(case: Case, grid: Any) -> None:
    """The same handle once more."""
    grid.__init__(*grid_arguments(case))


def sums(case: Case, grid: Any) -> None:
    """As many sums as slices, none larger than that of all."""
    n, n_slices = n_of(grid)
    values = values_of(case, n)
    found = grid.sums(values, case.source.threads())
    case.expect_length(found, len(values), n_slices)
    if np.asarray(values).dtype == np.uint8 and found.size:
        most = np.asarray(values).sum(axis=1)
        case.expect(bool((found <= most[:, None]).all()), "more than all rows")


def largest(case: Case, grid: Any) -> None:
    """One number, at least 0, for each replicate."""
    n, n_slices = n_of(grid)
    values, source = values_of(case, n), case.source
    part, inverse = (case.arrays.floats(n_slices) for _ in range(2))
    n_rows = case.arrays.floats(n_slices) if source.flag() else None
    found = grid.largest(values, part, inverse, n_rows, source.real(), source.threads())
    case.expect_length(found, len(values))
    case.expect(bool((found >= 0.0).all() or np.isnan(found).any()), "a largest below 0")


members("SliceGrid", some_grid, {"__init__": begin, "sums": sums, "largest": largest})


@target("shuffle_rows")
def shuffle_rows(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n = min(source.size(), 3000)
    is_bits = source.flag()
    values = (
        arrays.argument(arrays.whole(n, 2, "u1"), is_plain=True) if is_bits else arrays.floats(n)
    )
    numbers = drawn(case, n)
    found = case.call(case.native.shuffle_rows, values, *numbers)
    case.expect_length(found, numbers[3], len(values))
    if found.size:
        case.expect_same(
            np.sort(found, axis=1), np.tile(np.sort(values), (len(found), 1)), "other values"
        )
