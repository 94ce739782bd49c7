"""Sets of labels: matrices read, sets counted, matched and grouped, against plain loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.same import assert_same

DTYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "backwards": lambda cells: np.ascontiguousarray(cells[::-1, ::-1])[::-1, ::-1],
    "every other": lambda cells: np.repeat(np.repeat(cells, 2, 0), 2, 1)[::2, ::2],
}
SHAPES = [(1, 1), (3, 7), (65, 64), (64, 65), (200, 130), (9, 0), (0, 5), (5, 70_000)]


def lists(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and items of the cells that are true."""
    sizes = [0, *(int(row.sum()) for row in cells)]
    items = [j for row in cells for j in range(len(row)) if row[j]]
    return np.cumsum(sizes, dtype=np.int64), np.array(items, np.int32)


def same_lists(found: tuple[np.ndarray, np.ndarray], wanted: tuple[np.ndarray, np.ndarray]) -> bool:
    return all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_matrix_of_any_kind_is_read(dtype: str, layout: str) -> None:
    for n, k in SHAPES:
        cells = np.random.default_rng([n, k]).random((n, k)) < (0.2 if k < 1000 else 0.001)
        matrix = LAYOUTS[layout](cells.astype(dtype))
        found, unknown, others = _native.read_sets(matrix, 1)
        assert same_lists(found, lists(cells))
        assert (unknown, others) == (None, None)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_what_is_neither_0_nor_1_is_found(dtype: str, layout: str) -> None:
    kind = np.dtype(dtype)
    strange = [2, 3, 127] + ([-1, -2] if kind.kind != "u" else [])
    strange += [0.5, np.inf, -np.inf, float(np.finfo(kind).tiny)] if kind.kind == "f" else []
    for value in strange:
        cells = (np.random.default_rng(3).random((70, 67)) < 0.2).astype(dtype)
        cells[41, 66] = cells[64, 0] = cells[41, 65] = value
        found, unknown, others = _native.read_sets(LAYOUTS[layout](cells), 1)
        assert (unknown, others) == (None, (41, 65, 3))
        assert same_lists(found, lists(cells == 1))


def test_a_boolean_of_another_byte_is_none() -> None:
    cells = np.array([[0, 1, 2]], np.uint8).view(bool)
    assert _native.read_sets(cells, 1)[2] == (0, 2, 1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_cells_that_are_nan_are_unknown(dtype: str, layout: str) -> None:
    rng = np.random.default_rng(4)
    cells = (rng.random((130, 67)) < 0.2).astype(dtype)
    cells[cells == 0] *= -1  # -0.0 is 0
    gone = rng.random(cells.shape) < 0.1
    cells[gone] = np.nan
    cells[0, 0] = -np.float64(np.nan)
    gone[0, 0] = True
    found, unknown, others = _native.read_sets(LAYOUTS[layout](cells), 1)
    assert unknown is not None
    assert others is None
    assert same_lists(found, lists(cells == 1))
    assert same_lists(unknown, lists(gone))


def test_threads_read_the_same() -> None:
    rng = np.random.default_rng(6)
    cells = (rng.random((40_000, 60)) < 0.1).astype(np.float64)
    cells[rng.random(cells.shape) < 0.001] = np.nan
    cells[39_000, 5] = cells[12_345, 59] = 4
    one = _native.read_sets(cells, 1)
    for n_threads in (2, 3, 7):
        more = _native.read_sets(cells, n_threads)
        assert more[2] == one[2] == (12_345, 59, 2)
        assert one[1] is not None
        assert more[1] is not None
        assert same_lists(more[0], one[0])
        assert same_lists(more[1], one[1])


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (np.zeros(3), TypeError),
        (np.zeros((2, 2), complex), TypeError),
        (np.zeros((2, 2), ">i4"), TypeError),
        (np.zeros((2, 2), np.longdouble), TypeError),
        (np.zeros((2, 2), object), TypeError),
        (np.broadcast_to(np.zeros((1, 1)), (1, 2**31)), ValueError),
        (np.broadcast_to(np.zeros((1, 1)), (2**58, 1)), MemoryError),
    ],
)
def test_other_matrices_are_refused(bad: np.ndarray, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _native.read_sets(bad, 1)


def some_sets(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """True, predicted and unknown cells, and weights of which some are 0."""
    rng = np.random.default_rng([seed, n, k])
    unknown = rng.random((n, k)) < 0.1
    true, pred = ((rng.random((n, k)) < 0.3) & ~unknown for _ in range(2))
    return true, pred, unknown, rng.integers(0, 3, n) * rng.random(n)


def plainly(
    true: np.ndarray, pred: np.ndarray, unknown: np.ndarray, w: np.ndarray | None
) -> tuple[Any, ...]:
    """What `count_sets` gives, one cell after the other."""
    n, k = true.shape
    rows, sums, squares = np.zeros((4, k), np.int64), np.zeros((4, k)), np.zeros((4, k))
    for i in range(n):
        for j in range(k):
            for part, is_in in enumerate(
                (
                    true[i, j] and pred[i, j],
                    pred[i, j] and not true[i, j],
                    true[i, j] and not pred[i, j],
                    unknown[i, j],
                )
            ):
                own = 1.0 if w is None else w[i]
                rows[part, j] += is_in and own > 0
                sums[part, j] += is_in * own
                squares[part, j] += is_in * own * own
    return rows, (true & pred).sum(axis=1), sums, squares


def counted(
    true: np.ndarray, pred: np.ndarray, unknown: np.ndarray | None, w: Any, n_threads: int = 1
) -> Any:
    gone = (None, None) if unknown is None else lists(unknown)
    return _native.count_sets(*lists(true), *lists(pred), *gone, true.shape[1], w, n_threads)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("n", "k"), [(0, 3), (1, 1), (40, 5), (3, 100), (2, 0)])
def test_counts_are_those_of_a_loop(n: int, k: int, is_weighted: bool) -> None:
    true, pred, unknown, w = some_sets(1, n, k)
    given = w if is_weighted else None
    found, wanted = counted(true, pred, unknown, given), plainly(true, pred, unknown, given)
    assert np.array_equal(found[0], wanted[0])
    assert np.array_equal(found[1], wanted[1])
    if is_weighted:
        # In the order of the rows, so that every bit is the same.
        assert np.array_equal(found[2], wanted[2])
        assert np.array_equal(found[3], wanted[3])
    else:
        assert found[2:] == (None, None)
    none = counted(true, pred, None, given)
    assert not none[0][3].any()
    assert np.array_equal(none[0][:3], found[0][:3])


def test_a_row_that_differs_is_seen() -> None:
    true, pred, unknown, w = some_sets(2, 40, 5)
    honest = counted(true, pred, unknown, w)
    pred[7, 2] = not pred[7, 2]
    w[7] = 1.0
    other = counted(true, pred, unknown, w)
    assert not np.array_equal(honest[0], other[0])
    assert not np.array_equal(honest[1], other[1])


def test_threads_count_the_same() -> None:
    true, pred, unknown, w = some_sets(3, 30_000, 40)
    for given in (None, w):
        one = counted(true, pred, unknown, given)
        for n_threads in (2, 5):
            more = counted(true, pred, unknown, given, n_threads)
            assert all(np.array_equal(a, b) for a, b in zip(one, more, strict=True))


@pytest.mark.parametrize(("n", "k"), [(0, 3), (1, 1), (40, 5), (3, 100)])
def test_matches_are_those_of_the_matrix(n: int, k: int) -> None:
    true, pred, _, _ = some_sets(4, n, k)
    left, right = _native.match_sets(*lists(true), *lists(pred), k)
    assert np.array_equal(left, pred[true])
    assert np.array_equal(right, true[pred])


STARTS, ITEMS = np.array([0, 2, 3]), np.array([0, 2, 1], np.int32)


@pytest.mark.parametrize(
    ("starts", "items", "kind"),
    [
        ([0, 2, 4], [0, 2, 1], ValueError),
        ([0, 2, 2], [0, 2, 1], ValueError),
        ([1, 2, 3], [0, 2, 1], ValueError),
        ([-1, 2, 3], [0, 2, 1], ValueError),
        ([0, 4, 3], [0, 2, 1], ValueError),
        ([0, -5, 3], [0, 2, 1], ValueError),
        ([0, 2**62, 3], [0, 2, 1], ValueError),
        ([0, 3], [0, 1, 2], ValueError),
        ([], [], ValueError),
        ([0, 2, 3], [0, 3, 1], ValueError),
        ([0, 2, 3], [-1, 2, 1], ValueError),
        ([0, 2, 3], [2, 0, 1], ValueError),
        ([0, 2, 3], [2, 2, 1], ValueError),
        ([0.0, 2.0, 3.0], [0, 2, 1], TypeError),
    ],
)
def test_what_is_no_sets_is_refused(starts: Any, items: Any, kind: type[Exception]) -> None:
    dtype = None if kind is TypeError else np.int64
    bad = np.array(starts, dtype), np.array(items, np.int32)
    good = STARTS, ITEMS
    _native.count_sets(*good, *good, None, None, 3, None, 1)
    for sides in ((bad, good), (good, bad)):
        with pytest.raises(kind):
            _native.match_sets(*sides[0], *sides[1], 3)
        for w in (None, np.ones(2)):
            with pytest.raises(kind):
                _native.count_sets(*sides[0], *sides[1], None, None, 3, w, 1)
    with pytest.raises(kind):
        _native.count_sets(*good, *good, *bad, 3, None, 1)


@pytest.mark.parametrize(
    ("items", "k", "weights", "kind"),
    [
        (ITEMS.astype(np.int64), 3, None, TypeError),
        (ITEMS, 3, np.ones(3), ValueError),
        (ITEMS, 3, np.ones(2, np.float32), TypeError),
        (ITEMS, 2, None, ValueError),
        (ITEMS, -1, None, ValueError),
        (ITEMS, 2**31, None, ValueError),
    ],
)
def test_other_arguments_are_refused(
    items: Any, k: int, weights: Any, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        _native.count_sets(STARTS, items, STARTS, items, None, None, k, weights, 1)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("m", "top"), [(0, 1), (1, 3), (500, 2), (3000, 40)])
def test_profiles_are_grouped(m: int, top: int, is_weighted: bool) -> None:
    rng = np.random.default_rng([m, top])
    numbers, rows = rng.integers(-top, top, (m, 4)), rng.integers(-3, 9, m)
    w = rng.random(m) if is_weighted else None
    found = _native.group_profiles(numbers, rows, w, None if w is None else w * w)
    wanted: Counter[tuple[int, ...]] = Counter()
    sums: dict[tuple[int, ...], list[float]] = {}
    for i, row in enumerate(map(tuple, numbers.tolist())):
        wanted[row] += int(rows[i])
        sums.setdefault(row, []).append(0.0 if w is None else float(w[i]))
    assert found[0].shape == (len(sums), 4)
    assert list(map(tuple, found[0].tolist())) == sorted(sums)
    assert found[1].tolist() == [wanted[row] for row in sorted(sums)]
    if w is None:
        assert found[2:] == (None, None)
        return
    exact = np.array([np.longdouble(sums[row]).sum() for row in sorted(sums)])
    squares = np.array([(np.longdouble(sums[row]) ** 2).sum() for row in sorted(sums)])
    assert_same(found[2], exact.astype(float), within=2e-16)
    assert_same(found[3], squares.astype(float), within=4e-16)


def test_sums_of_a_profile_lose_nothing() -> None:
    w = np.array([1.0, 1e100, 1.0, -1e100])
    numbers, ones = np.zeros((4, 4), np.int64), np.ones(4, np.int64)
    assert _native.group_profiles(numbers, ones, w, w)[2].tolist() == [2.0]
    w[1] = np.inf
    assert _native.group_profiles(numbers, ones, w, w)[2].tolist() == [np.inf]


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ((np.zeros((2, 3), np.int64), np.ones(2, np.int64), None, None), ValueError),
        ((np.zeros((2, 4), np.int64), np.ones(3, np.int64), None, None), ValueError),
        ((np.zeros((2, 4), np.int64), np.ones(2, np.int64), np.ones(2), None), ValueError),
        ((np.zeros((2, 4), np.int64), np.ones(2, np.int64), np.ones(3), np.ones(2)), ValueError),
        ((np.zeros((2, 4), np.int64), np.ones(2, np.int64), np.ones(2), np.ones(3)), ValueError),
        ((np.zeros((2, 4), np.int32), np.ones(2, np.int64), None, None), TypeError),
        ((np.zeros((2, 4), np.int64), np.ones(2), None, None), TypeError),
    ],
)
def test_other_profiles_are_refused(bad: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _native.group_profiles(*bad)
