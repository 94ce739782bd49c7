"""Sparse cells: pairs of codes as keys, and runs of sorted keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.kernels import reference
from tests.same import assert_same

EXAMPLES = settings(max_examples=80, deadline=None)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any, int, Any]:
    """True and predicted codes below k, and weights, some of them 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.sampled_from((0, 1, 5, 3000))), draw(st.sampled_from((1, 2, 7, 10**6, 2**31)))
    used = min(k, draw(st.sampled_from((1, 3, 10**6))))
    true, pred = (rng.integers(k - used, k, n).astype(np.int32) for _ in range(2))
    return true, pred, k, rng.random(n) * rng.integers(0, 3, n)


def keys_of(true: Any, pred: Any, k: int) -> list[int]:
    return [int(t) * k + int(p) for t, p in zip(true, pred, strict=True)]


@given(pairs())
@EXAMPLES
def test_runs_of_pairs(case: tuple[Any, Any, int, Any]) -> None:
    true, pred, k, _ = case
    packed = _native.pack_pairs(true, pred, k)
    assert_same(packed, np.array(keys_of(true, pred, k), np.uint64))
    packed.sort()
    keys, counts = _native.run_lengths(packed)
    expected_keys, expected_counts = reference.runs(keys_of(true, pred, k))
    assert_same(keys, np.array(expected_keys, np.uint64))
    assert_same(counts, np.array(expected_counts, np.int64))


@given(pairs())
@EXAMPLES
def test_weighted_runs_of_pairs(case: tuple[Any, Any, int, Any]) -> None:
    true, pred, k, weights = case
    if k == 2**31 and len(true) > 4:
        with pytest.raises(ValueError, match="64 bits"):
            _native.pack_pairs_rows(true, pred, k)
        return
    packed, index_bits = _native.pack_pairs_rows(true, pred, k)
    packed.sort()
    got = _native.weighted_runs(packed, index_bits, weights)
    expected = reference.weighted_runs(keys_of(true, pred, k), weights.tolist())
    for column, (array, dtype) in enumerate(
        zip(got, (np.uint64, np.float64, np.float64, np.int64), strict=True)
    ):
        # The same order of additions: the same bits.
        assert_same(array, np.array([run[column] for run in expected], dtype))


@pytest.mark.parametrize("bad", [-1, 5, -(2**31), 2**31 - 1])
@pytest.mark.parametrize("argument", [0, 1])
def test_a_code_outside_is_named(bad: int, argument: int) -> None:
    columns = [np.zeros(5000, np.int32) for _ in range(2)]
    columns[argument][[2100, 4000]] = bad
    columns[1][4999] = -7
    for pack in (_native.pack_pairs, _native.pack_pairs_rows):
        with pytest.raises(_native.Rejected) as caught:
            pack(*columns, 5)
        assert caught.value.args == ("range", argument, 2100)


@pytest.mark.parametrize("k", [0, -1, 2**31 + 1])
def test_an_impossible_k_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match="k must be"):
        _native.pack_pairs(np.zeros(1, np.int32), np.zeros(1, np.int32), k)


def test_keys_that_are_not_sorted_are_refused() -> None:
    keys = np.array([1, 3, 2], np.uint64)
    with pytest.raises(ValueError, match="not sorted"):
        _native.run_lengths(keys)
    with pytest.raises(ValueError, match="not sorted"):
        _native.weighted_runs(keys, 1, np.ones(3))


def test_a_row_index_beyond_the_weights_is_refused() -> None:
    with pytest.raises(_native.Rejected) as caught:
        _native.weighted_runs(np.array([0, 1, 7], np.uint64), 3, np.ones(3))
    assert caught.value.args == ("range", 0, 2)
    with pytest.raises(ValueError, match="row_bits"):
        _native.weighted_runs(np.array([0], np.uint64), 64, np.ones(1))


@pytest.mark.parametrize(
    ("weight", "kind"), [(-1.0, "negative_weight"), (np.nan, "bad_weight"), (np.inf, "bad_weight")]
)
def test_a_bad_weight_is_named(weight: float, kind: str) -> None:
    weights = np.ones(4)
    weights[2] = weight
    with pytest.raises(_native.Rejected) as caught:
        _native.weighted_runs(np.arange(4, dtype=np.uint64), 2, weights)
    assert caught.value.args == (kind, 2, 2)
