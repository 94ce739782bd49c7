"""Score levels put into bins and pooled: the kernels against plain sums, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.same import assert_same


def levels(n: int, seed: int, *, is_weighted: bool) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng([n, seed])
    scores = np.unique(np.round(rng.random(n), 3))[::-1].copy()
    counts = rng.integers(0, 4, (len(scores), 2))
    if not is_weighted:
        return scores, counts, None
    return scores, counts * 0.3, counts * 0.1


def plainly(scores: Any, counts: Any, squares: Any, ends: Any, is_right: bool) -> Any:
    place = np.searchsorted(ends, scores, "left" if is_right else "right")
    heavy = counts if squares is None else squares
    p, q = scores, 1 - scores
    (rest, own), (rest2, own2) = counts.T, heavy.T
    terms = (rest + own, (rest + own) * p, own, (rest2 + own2) * p * q)
    terms += (rest2 * p**2 + own2 * q**2, rest2 + own2)
    return np.array([np.bincount(place, term, len(ends) + 1) for term in terms])


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_right", [False, True])
@pytest.mark.parametrize("n", [0, 1, 7, 600, 5000])
def test_bins_hold_what_their_levels_hold(n: int, *, is_right: bool, is_weighted: bool) -> None:
    scores, counts, squares = levels(n, 1, is_weighted=is_weighted)
    for ends in (np.empty(0), np.arange(1, 10) / 10, np.array([0.2, 0.2, 0.5]), np.array([0.999])):
        found = _native.bin_levels(scores, counts, squares, ends, is_right)
        assert_same(found, plainly(scores, counts, squares, ends, is_right), within=1e-12)
        assert_same(found.sum(axis=1)[2], counts[:, 1].sum(), within=1e-12)


def test_the_other_edge_is_another_bin() -> None:
    scores, counts = np.array([0.6, 0.5, 0.4]), np.array([[1, 2], [0, 3], [4, 0]])
    right, left = (
        _native.bin_levels(scores, counts, None, np.array([0.5]), x) for x in (True, False)
    )
    assert right[0].tolist() == [7.0, 3.0]
    assert left[0].tolist() == [4.0, 6.0]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any), max_size=40))
@settings(max_examples=200, deadline=None)
def test_pooled_blocks_fall_and_are_as_few_as_need_be(counts: list[tuple[int, int]]) -> None:
    given_counts = np.array(counts, np.int64).reshape(-1, 2)
    lengths, sums = _native.pool_levels(given_counts, np.ones(len(counts), np.int64))
    floats = _native.pool_levels(given_counts.astype(float), np.ones(len(counts), np.int64))
    assert floats[0].tolist() == lengths.tolist()
    assert lengths.sum() == len(counts)
    shares = [Fraction(int(own), int(rest + own)) for rest, own in sums]
    assert all(b < a for a, b in pairwise(shares))
    first = 0
    for length, (rest, own) in zip(lengths, sums, strict=True):
        block = given_counts[first : first + length]
        assert block.sum(axis=0).tolist() == [rest, own]
        for n in range(1, length):
            # No block could be divided: its first part is never better than the whole.
            part = block[:n].sum(axis=0)
            assert Fraction(int(part[1]), int(part.sum())) <= Fraction(int(own), int(rest + own))
        first += length


def test_parts_are_pooled_as_the_whole_is() -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers([0, 1], [3, 4], (1000, 2))
    whole = _native.pool_levels(counts, np.ones(1000, np.int64))
    lengths, sums = _native.pool_levels(counts[:400], np.ones(400, np.int64))
    lengths = np.concatenate([lengths, np.ones(600, np.int64)])
    again = _native.pool_levels(np.concatenate([sums, counts[400:]]), lengths)
    for ours, theirs in zip(whole, again, strict=True):
        assert_same(ours, theirs)


def test_shares_that_doubles_cannot_tell_apart_are_compared_exactly() -> None:
    n = 1 << 55
    counts = np.array([[n, n], [n, n + 1]], np.int64)
    assert len(_native.pool_levels(counts, np.ones(2, np.int64))[0]) == 1
    assert len(_native.pool_levels(counts[::-1].copy(), np.ones(2, np.int64))[0]) == 2


SCORES, COUNTS, ENDS = np.array([0.7, 0.2]), np.ones((2, 2)), np.array([0.5])


@pytest.mark.parametrize(
    "bad",
    [
        (SCORES[::-1].copy(), COUNTS, None, ENDS),
        (np.array([0.5, 0.5]), COUNTS, None, ENDS),
        (np.array([np.nan, 0.5]), COUNTS, None, ENDS),
        (SCORES, np.ones((3, 2)), None, ENDS),
        (SCORES, np.ones((2, 3)), None, ENDS),
        (SCORES, COUNTS, np.ones((1, 2)), ENDS),
        (SCORES, COUNTS, None, np.array([0.5, 0.4])),
    ],
)
def test_levels_out_of_order_or_shape_are_refused(bad: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"must be|rows|descend|ascend"):
        _native.bin_levels(*bad, True)


@pytest.mark.parametrize(
    ("counts", "lengths", "kind"),
    [
        (np.ones((2, 3)), np.ones(2, np.int64), ValueError),
        (np.ones((2, 2)), np.ones(3, np.int64), ValueError),
        (np.ones((2, 2), "f4"), np.ones(2, np.int64), TypeError),
        (np.ones((2, 2)), np.ones(2), TypeError),
        (np.ones((4, 2))[::2], np.ones(2, np.int64), TypeError),
        (np.ones((2, 2)), np.array([1, -1]), ValueError),
        (np.ones((2, 2)), np.array([1, 2**63 - 1]), ValueError),
        (np.array([[1, 1], [-1, 1]]), np.ones(2, np.int64), ValueError),
        (np.array([[1, 1], [1, 2**63 - 1]]), np.ones(2, np.int64), ValueError),
    ],
)
def test_other_blocks_are_refused(counts: Any, lengths: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _native.pool_levels(counts, lengths)


# Squares of what rows were given.


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("n", "m", "k"), [(0, 2, 3), (1, 1, 2), (1000, 3, 4), (70_000, 8, 2)])
def test_squares_are_added_by_class(n: int, m: int, k: int, *, is_weighted: bool) -> None:
    rng = np.random.default_rng([n, m, k])
    values, offsets = rng.normal(size=(n, 8)), rng.normal(size=(m, k))
    codes = rng.integers(0, k, n).astype(np.int32)
    squares = rng.random(n) * rng.integers(0, 2, n) if is_weighted else None
    if is_weighted:
        values[squares == 0] = np.nan  # counts for nothing
    found = _native.square_by_class(values, codes, squares, offsets)
    given = (values[:, :m] + offsets[:, codes].T) ** 2
    weighed = given if squares is None else np.where(squares[:, None] > 0, given, 0.0)
    weighed = weighed if squares is None else weighed * squares[:, None]
    wanted = [np.bincount(codes, weighed[:, s], k) for s in range(m)]
    assert_same(found, wanted, within=1e-12)


@pytest.mark.parametrize(
    "bad",
    [
        (np.ones((3, 1)), np.zeros(3, np.int32), None, np.ones((2, 2))),
        (np.ones((3, 2)), np.zeros(2, np.int32), None, np.ones((2, 2))),
        (np.ones((3, 2)), np.zeros(3, np.int32), np.ones(2), np.ones((2, 2))),
        (np.ones((3, 2)), np.full(3, 2, np.int32), None, np.ones((2, 2))),
        (np.ones((3, 2)), np.full(3, -1, np.int32), None, np.ones((2, 2))),
    ],
)
def test_codes_and_shapes_that_do_not_fit_are_refused(bad: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"match|class|offsets"):
        _native.square_by_class(*bad)
