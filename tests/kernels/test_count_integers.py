"""Counting integers whose classes are discovered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from tests.kernels import reference
from tests.kernels.columns import (
    arrays_of,
    check_counts,
    check_weights,
    columns,
    integers,
    sorted_labels,
)
from tests.same import assert_same

EXAMPLES = settings(max_examples=60, deadline=None)


@pytest.mark.usefixtures("isa")
class TestAgainstReference:
    @given(columns())
    @EXAMPLES
    def test_counts(self, case: tuple[Any, Any, Any]) -> None:
        true, pred, _ = case
        labels = sorted_labels(true, pred)
        for cells in (True, False):
            tally = _native.count_integers(true, pred, None, cells, 1)
            is_wide = labels[-1] - labels[0] >= reference.widest_range(len(true), cells=cells)
            assert (tally is None) == (is_wide or labels[-1] >= 2**63 - 1)
            if tally is not None:
                assert_same(tally.labels, labels)
                check_counts(tally, true, pred, labels)

    @given(columns())
    @EXAMPLES
    def test_weights(self, case: tuple[Any, Any, Any]) -> None:
        true, pred, rng = case
        labels = sorted_labels(true, pred)
        weights = rng.random(len(true)) * rng.integers(0, 3, len(true))
        for cells, given_weights in ((True, weights), (False, np.repeat(weights, 2)[::2])):
            tally = _native.count_integers(true, pred, given_weights, cells, 1)
            if tally is not None:
                assert_same(tally.labels, labels)
                check_weights(tally, true, pred, labels, weights)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "u8", "i8"])
def test_labels_that_appear_late_are_counted(dtype: str) -> None:
    # Ascending labels leave the window again and again; the last row is far below it.
    n = 30000
    true = (np.arange(n) // 250 + 5).astype(dtype)
    true[-1] = 0
    pred = np.roll(true, 3)
    for cells in (True, False):
        for weights in (None, np.full(n, 0.25)):
            tally = _native.count_integers(true, pred, weights, cells, 1)
            assert tally is not None
            labels = sorted_labels(true, pred)
            assert_same(tally.labels, labels)
            if weights is None:
                check_counts(tally, true, pred, labels)
            else:
                check_weights(tally, true, pred, labels, weights)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("cells", [True, False])
def test_a_range_found_too_wide_late_gives_nothing(cells: bool) -> None:
    true = np.zeros(100000, np.int64)
    for far in (10**6, -(10**6), 2**63 - 1, -(2**63)):
        true[70001] = far
        assert _native.count_integers(true, np.zeros(100000, np.int8), None, cells, 1) is None


@pytest.mark.usefixtures("isa")
def test_a_label_far_from_all_others_is_not_taken_for_one_of_them() -> None:
    # 2^32 and 2^63 apart: the same low bits.
    near = np.zeros(3000, np.int64)
    for far in (2**32, -(2**32), -(2**63), 2**62):
        near[2500] = far
        assert _native.count_integers(near, np.zeros(3000, np.int64), None, True, 1) is None
    low, high = np.full(40, -(2**31), np.int32), np.full(40, 2**31 - 1, np.int32)
    assert _native.count_integers(low, high, None, True, 1) is None
    unsigned = np.full(40, 2**64 - 1, np.uint64)
    assert _native.count_integers(unsigned, np.full(40, -1), None, True, 1) is None


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("k", [2, 3, 32, 33, 64, 65, 128, 129, 1000])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bits(k: int, is_weighted: bool) -> None:
    rng = np.random.default_rng(k)
    n = 450_001
    true, pred = integers(rng, "i4", n, 0, k), integers(rng, "u2", n, 0, k)
    weights = rng.random(n) if is_weighted else None
    for cells in (True, False):
        alone = _native.count_integers(true, pred, weights, cells, 1)
        assert alone is not None
        for n_threads in (2, 3, 7):
            tally = _native.count_integers(true, pred, weights, cells, n_threads)
            assert tally is not None
            for got, want in zip(arrays_of(tally), arrays_of(alone), strict=True):
                assert_same(got, want, about=f"{n_threads} threads")


@pytest.mark.parametrize("k", [2, 10, 100, 700])
def test_any_instruction_set_gives_the_same_bits(k: int) -> None:
    rng = np.random.default_rng(k)
    n = 300_000
    true, pred, weights = rng.integers(0, k, n), rng.integers(0, k, n), rng.random(n)
    before = _native.isa()
    try:
        for cells in (True, False):
            made = []
            for isa in _native.isas():
                _native.use_isa(isa)
                tally = _native.count_integers(true, pred, weights, cells, 2)
                assert tally is not None
                made.append(arrays_of(tally))
            for other in made[1:]:
                for got, want in zip(other, made[0], strict=True):
                    assert_same(got, want)
    finally:
        _native.use_isa(before)


def test_a_class_of_zero_weight_keeps_its_row() -> None:
    tally = _native.count_integers(
        np.array([0, 1, 7]), np.array([0, 1, 9]), np.array([1.0, 2.0, 0.0]), True, 1
    )
    assert tally is not None
    assert_same(tally.labels, [0, 1, 7, 9])
    assert_same(tally.cells(), np.diag([1.0, 2.0, 0.0, 0.0]))
    assert_same(np.array(tally.marginal_rows()).sum(), 2)


def test_sums_beyond_the_largest_number_are_infinite_not_refused() -> None:
    zeros = np.zeros(4, np.int64)
    tally = _native.count_integers(zeros, zeros, np.full(4, 1e308), True, 1)
    assert tally is not None
    assert_same(tally.cells(), [[np.inf]])


def test_arrays_keep_the_tally_alive() -> None:
    tally = _native.count_integers(np.arange(50), np.arange(50), None, True, 1)
    assert tally is not None
    cells, labels = tally.cells(), tally.labels
    del tally
    assert_same(cells, np.eye(50, dtype=np.int64))
    assert_same(labels, np.arange(50))
