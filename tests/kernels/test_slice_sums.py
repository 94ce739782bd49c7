"""Sums over slices beside sums of masked rows, and permutations of rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from karat import _native

SPANS = [
    [(i, i + 1) for i in range(4)],
    [(0, 3), (2, 7), (4, 5), (6, 6)],
    [(0, i) for i in range(1, 20)] + [(i, 20) for i in range(1, 20)],
    [],
    [(0, 0)],
]
N_PARTS = [4, 7, 20, 0, 0]
STARTS = [0, *np.cumsum([len(spans) for spans in SPANS]).tolist()]
FLAT = np.array([span for spans in SPANS for span in spans], np.int64)
CROSSES = [
    *([0], [1], [2], [3], [4], [0, 1], [1, 2], [2, 0], [1, 3], [0, 1, 2], [2, 2]),
    *([4, 0], [0, 4], [1, 4, 0], [4, 4]),
]


def codes_of(n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng([n, seed])
    return np.stack([rng.integers(0, k + 1, n, np.int32) for k in N_PARTS])


def grid_of(codes: Any) -> _native.SliceGrid:
    return _native.SliceGrid(codes, N_PARTS, FLAT, STARTS, CROSSES)


def marks_of(codes: Any) -> Any:
    """bool[slices, n], whether a slice has a row."""
    found = []
    for cross in CROSSES:
        for chosen in itertools.product(*(SPANS[i] for i in cross)):
            inside = np.ones(codes.shape[1], bool)
            for column, (first, end) in zip(cross, chosen, strict=True):
                inside &= (codes[column] >= first) & (codes[column] < end)
            found.append(inside)
    return np.array(found)


def bits_of(b: int, n: int) -> Any:
    return np.random.default_rng([b, n]).integers(0, 2, (b, n), np.uint8)


@pytest.mark.parametrize("n", [0, 1, 7, 4096, 9001])
@pytest.mark.parametrize("b", [0, 1, 8, 33])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_sums_are_those_of_the_rows_of_each_slice(n: int, b: int, n_threads: int) -> None:
    codes, bits = codes_of(n), bits_of(b, n)
    grid, marks = grid_of(codes), marks_of(codes)
    exact = bits.astype(float) @ marks.T
    assert (grid.sums(bits, n_threads) == exact).all()
    assert (grid.sums(bits.astype(float), n_threads) == exact).all()
    values = np.random.default_rng(n).normal(size=(b, n))
    np.testing.assert_allclose(
        grid.sums(values, n_threads), values @ marks.T, rtol=0, atol=1e-12 * max(n, 1)
    )
    off = codes.copy()
    if n:
        off[1, 0] = (off[1, 0] + 1) % 8
    is_other = n > 0 and b > 0 and bool((bits[:, 0] > 0).any())
    assert bool((grid_of(off).sums(bits, n_threads) != exact).any()) == is_other


def test_counts_of_more_rows_than_16_bits_hold_are_exact() -> None:
    n = 3 * 65536 + 11
    codes = np.zeros((1, n), np.int32)
    grid = _native.SliceGrid(codes, [1], np.array([[0, 1]]), [0, 1], [[0]])
    values = np.ones((2, n), np.uint8)
    values[1, ::7] = 0
    assert grid.sums(values, 1)[:, 0].tolist() == [n, n - len(range(0, n, 7))]


def errors_of(marks: Any) -> tuple[Any, Any, Any]:
    held = marks.sum(axis=1).astype(float)
    n = marks.shape[1]
    inverse = np.where((held > 3) & (held < n), 1.0 / np.sqrt(np.maximum(held, 1.0)), 0.0)
    return held / n, inverse, held


def reference(values: Any, marks: Any, variance: float | None) -> Any:
    part, inverse, held = errors_of(marks)
    n = values.shape[1]
    z = (values @ marks.T - part * values.sum(axis=1, keepdims=True)) * inverse
    for i, inside in enumerate(marks if variance is not None else ()):
        if inverse[i]:
            one, rest = (
                values[:, inside].var(axis=1, ddof=1),
                values[:, ~inside].var(axis=1, ddof=1),
            )
            unlike = (1.0 - held[i] / n) * one + held[i] / n * rest
            z[:, i] /= np.sqrt(np.maximum(unlike / variance, 1.0))
    return np.maximum(z.max(axis=1, initial=0.0), 0.0)


@pytest.mark.parametrize("variance", [None, 0.9])
@pytest.mark.parametrize("isa", _native.isas())
def test_the_largest_statistic_is_that_of_all_slices(variance: float | None, isa: str) -> None:
    n, b, used = 900, 21, _native.isa()
    codes = codes_of(n, 3)
    grid, marks = grid_of(codes), marks_of(codes)
    part, inverse, held = errors_of(marks)
    values = np.random.default_rng(5).normal(size=(b, n))
    n_rows = None if variance is None else held
    _native.use_isa(isa)
    try:
        largest = [grid.largest(values, part, inverse, n_rows, variance or 0.0, t) for t in (1, 4)]
    finally:
        _native.use_isa(used)
    assert (largest[0] == largest[1]).all()
    np.testing.assert_allclose(largest[0], reference(values, marks, variance), rtol=1e-11)
    if variance is not None:
        # Without the variance of each slice it is another number.
        plain = grid.largest(values, part, inverse, None, 0.0, 1)
        assert not np.allclose(plain, largest[0], rtol=1e-6)


def test_bits_have_the_statistic_of_their_numbers() -> None:
    codes, bits = codes_of(5000, 4), bits_of(40, 5000)
    part, inverse, _ = errors_of(marks_of(codes))
    grid = grid_of(codes)
    of_numbers = grid.largest(bits.astype(float), part, inverse, None, 0.0, 2)
    assert (grid.largest(bits, part, inverse, None, 0.0, 2) == of_numbers).all()


@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
@pytest.mark.parametrize("n", [0, 1, 2, 300, 70_000, 300_000])
def test_shuffled_rows_are_the_same_values_however_they_are_drawn(dtype: Any, n: int) -> None:
    values = (np.arange(n) % 251).astype(dtype)
    drawn = _native.shuffle_rows(values, 9, 1, 0, 4, 2)
    assert drawn.shape == (4, n)
    assert drawn.dtype == dtype
    assert (np.sort(drawn, axis=1) == np.sort(values)).all()
    assert (_native.shuffle_rows(values, 9, 1, 2, 1, 1)[0] == drawn[2]).all()
    if n > 100:
        for other in ((8, 1, 0), (9, 2, 0), (9, 1, 1)):
            assert (_native.shuffle_rows(values, *other, 1, 1)[0] != drawn[0]).any()


def chi_square(counts: Any) -> float:
    expected = counts.sum() / counts.size
    return float(np.square(counts - expected).sum() / expected)


def test_every_order_of_four_rows_is_equally_probable() -> None:
    drawn = _native.shuffle_rows(np.arange(4.0), 3, 0, 0, 48_000, 1)
    codes = (drawn @ np.array([64.0, 16.0, 4.0, 1.0])).astype(int)
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == 24
    # 23 degrees of freedom: above 50 in one of 1000 draws.
    assert chi_square(counts) < 50
    counts[0] += 400
    assert chi_square(counts) > 50


def test_a_row_goes_to_every_part_of_a_long_column_equally_often() -> None:
    """Rows that are dealt to parts first: 64 places of 50 000 rows, from a few rows."""
    n = 50_000
    values = np.zeros(n)
    values[[0, 1, 25_000, n - 1]] = [1.0, 2.0, 3.0, 4.0]
    drawn = _native.shuffle_rows(values, 4, 0, 0, 1600, 2)
    for which in (1.0, 2.0, 3.0, 4.0):
        place = (drawn == which).argmax(axis=1)
        counts = np.bincount(place * 64 // n, minlength=64)
        # 63 degrees of freedom: above 104 in one of 1000 draws.
        assert chi_square(counts) < 104
    first, second = ((drawn == which).argmax(axis=1) for which in (1.0, 2.0))
    table = np.bincount((first * 4 // n) * 4 + second * 4 // n, minlength=16)
    assert chi_square(table) < 38
    # Neighbours that stay neighbours would not be independent.
    assert chi_square(np.bincount((first * 4 // n) * 5, minlength=16)) > 1000


def refused(**change: Any) -> Any:
    parts: dict[str, Any] = {
        "codes": codes_of(5),
        "n_parts": N_PARTS,
        "spans": FLAT,
        "span_starts": STARTS,
        "crosses": CROSSES,
    }
    return _native.SliceGrid(*(parts | change).values())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.full((5, 5), 9, np.int32)}, "code is no part"),
        ({"codes": np.full((5, 5), -1, np.int32)}, "code is no part"),
        ({"codes": codes_of(5)[:3].copy()}, "codes do not match"),
        ({"n_parts": [4, 7, 20, 0, -1]}, "n_parts is negative"),
        ({"n_parts": [4, 7, 20, 0, 1 << 40]}, "too large"),
        ({"spans": np.zeros((3, 2), np.int64)}, "span_starts"),
        ({"spans": FLAT[:, :1].copy()}, r"int64\[s, 2\]"),
        ({"spans": np.where(FLAT == 20, 21, FLAT)}, "span is no run"),
        ({"spans": FLAT[:, ::-1].copy()}, "span is no run"),
        ({"span_starts": []}, "span_starts"),
        ({"span_starts": [0, 4, 3, 46, 46, len(FLAT)]}, "span"),
        ({"span_starts": [1, 4, 8, 46, 46, len(FLAT)]}, "span_starts"),
        ({"span_starts": [0, len(FLAT)]}, "span_starts"),
        ({"crosses": [[]]}, "no column"),
        ({"crosses": [[5]]}, "another column"),
        ({"crosses": [[0, -1]]}, "another column"),
        ({"crosses": [[2] * 9]}, "too many"),
    ],
)
def test_grids_that_do_not_go_together_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        refused(**change)
    refused()


def test_values_that_do_not_fit_the_grid_are_refused() -> None:
    grid, n_slices = grid_of(codes_of(5)), len(marks_of(codes_of(5)))
    one = np.ones(n_slices)
    with pytest.raises(ValueError, match="every row"):
        grid.sums(np.zeros((1, 6)), 1)
    with pytest.raises(ValueError, match="0 or 1"):
        grid.sums(np.full((1, 5), 2, np.uint8), 1)
    with pytest.raises(TypeError):
        grid.sums(np.zeros((5, 1)).T[:, ::-1], 1)
    for bad in ((one[:-1], one, None), (one, one[:-1], None), (one, one, one[:-1])):
        with pytest.raises(ValueError, match="every slice"):
            grid.largest(np.zeros((1, 5)), *bad, 1.0, 1)
    with pytest.raises(ValueError, match="float64"):
        grid.largest(np.zeros((1, 5), np.uint8), one, one, one, 1.0, 1)
    for first, count in ((-1, 1), (0, -1), (1 << 40, 1)):
        with pytest.raises(ValueError, match="replicate"):
            _native.shuffle_rows(np.zeros(3), 1, 0, first, count, 1)
    with pytest.raises(ValueError, match="stream"):
        _native.shuffle_rows(np.zeros(3), 1, 1 << 24, 0, 1, 1)
