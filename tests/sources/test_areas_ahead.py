"""Areas of several columns at a time: the same as one by one, and none that nobody asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.data.scores import ranking as areas_ahead
from karat.data.scores.ranking import AreasAhead, Ranked, rank
from tests.same import assert_same

K = 7


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(areas_ahead, "_FEWEST_ROWS", 0)


def rows(n: int = 900, *, digits: int = 17) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return rng.random((n, K)).round(digits), rng.integers(0, K, n).astype(np.int32)


class Made:
    """Columns as they are asked for."""

    def __init__(self, values: Any, codes: Any, weights: Any = None) -> None:
        self.given = values, codes, weights
        self.asked: list[int] = []

    def __call__(self, i: int) -> Ranked:
        values, codes, weights = self.given
        self.asked.append(i)
        return rank(values[:, i], codes, i, K, weights)


@pytest.mark.parametrize("digits", [17, 3, 0])
@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_areas_are_those_of_each_column(
    digits: int, threads: int, is_weighted: bool, dtype: Any
) -> None:
    values, codes = rows(digits=digits)
    weights = np.random.default_rng(1).random(len(codes)) if is_weighted else None
    make = Made(values.astype(dtype), codes, weights)
    ahead = AreasAhead(K, len(codes), threads)
    for i in range(K):
        ranked, alone = (
            ahead.column(i, make),
            rank(values[:, i].astype(dtype), codes, i, K, weights),
        )
        assert_same(ranked.areas(), alone.areas())
        # What else is asked of a column that was read ahead.
        assert_same(ranked.totals, alone.totals)
        assert ranked.step_area() == alone.step_area()
    assert sorted(make.asked) == list(range(K))


def test_half_keys_are_read_ahead_too() -> None:
    rng = np.random.default_rng(2)
    values = np.asfortranarray(rng.random((70_000, K)))
    codes = rng.integers(0, K, 70_000).astype(np.int32)
    assert rank(values[:, 0], codes, 0, K).packed.cut() is not None
    ahead = AreasAhead(K, len(codes), 4)
    for i in range(K):
        found = ahead.column(i, Made(values, codes)).areas()
        assert_same(found, rank(values[:, i], codes, i, K).areas())


def test_only_who_asks_in_order_is_read_ahead() -> None:
    values, codes = rows()
    make = Made(values, codes)
    ahead = AreasAhead(K, len(codes), 4)
    for i in (3, 1, 5, 0, 2, 6):
        ahead.column(i, make).areas()
    assert make.asked == [3, 1, 5, 0, 2, 6]
    ahead.column(0, make).areas()
    ahead.column(1, make).areas()
    assert make.asked[6:] == [0, 1, 2, 3, 4]
    ahead.column(4, make).areas()  # known
    ahead.column(5, make).areas()
    assert make.asked[11:] == [5, 6]


def test_columns_that_are_copied_together_are_read_together() -> None:
    values, codes = rows()
    make = Made(values, codes)
    ahead = AreasAhead(K, len(codes), 4, n_together=3)
    order = []
    for i in range(K):
        ahead.column(i, make).areas()
        order.append(len(make.asked))
    # Alone: 0, asked for in no order yet; then 1 and 2; 3 to 5; 6.
    assert order == [1, 3, 3, 6, 6, 6, 7]


def test_columns_that_are_made_but_not_measured_are_not_read() -> None:
    values, codes = rows()
    make = Made(values, codes)
    ahead = AreasAhead(K, len(codes), 4)
    for i in range(K):
        ahead.column(i, make)
    assert make.asked == list(range(K))


def test_long_and_short_columns_are_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    values, codes = rows()
    monkeypatch.setattr(areas_ahead, "_FEWEST_ROWS", 901)
    for n_rows in (900, 1 << 27):
        make = Made(values, codes)
        ahead = AreasAhead(K, n_rows, 4)
        for i in range(3):
            ahead.column(i, make).areas()
        assert make.asked == [0, 1, 2]


def test_sorted_columns_are_not_sorted_again() -> None:
    values, codes = rows()
    make = Made(values, codes)
    ahead = AreasAhead(K, len(codes), 4)
    for i in range(K):
        ranked = ahead.column(i, make)
        ranked.step_area()
        assert_same(ranked.areas(), rank(values[:, i], codes, i, K).areas())
    assert make.asked == list(range(K))


def test_what_cannot_be_read_together_is_refused() -> None:
    values, codes = rows()
    packed = rank(values[:, 0], codes, 0, K).packed
    with pytest.raises(ValueError, match="twice"):
        _native.areas_together([packed, packed], 2)
    packed.sort()
    assert_same(_native.areas_together([packed], 2)[0], packed.areas())
    with pytest.raises(TypeError):
        _native.areas_together([None], 2)  # type: ignore[list-item]
    assert _native.areas_together([], 2) == []


def test_wrong_areas_would_be_found() -> None:
    values, codes = rows()
    right = rank(values[:, 1], codes, 1, K).areas()
    wrong = _native.areas_together([rank(values[:, 2], codes, 1, K).packed], 2)[0]
    with pytest.raises(AssertionError):
        assert_same(wrong, right)
