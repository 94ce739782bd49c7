"""Integers as codes of their sorted values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from tests.kernels import reference
from tests.kernels.columns import columns
from tests.same import assert_same


def check(column: Any) -> None:
    codes, values = _native.encode_integers(column)
    expected_codes, expected_values = reference.ranks([int(v) for v in column])
    assert_same(values, expected_values)
    assert_same(codes, expected_codes)
    assert codes.dtype == np.int32
    assert values.dtype == np.int64


@pytest.mark.usefixtures("isa")
@given(columns())
@settings(max_examples=60, deadline=None)
def test_against_the_reference(case: tuple[Any, Any, Any]) -> None:
    check(case[0])
    check(case[1])


@pytest.mark.usefixtures("isa")
def test_values_spread_over_all_of_int64() -> None:
    rng = np.random.default_rng(1)
    far = rng.integers(-(2**63), 2**63 - 1, 700)
    check(np.concatenate([far, far[::2], [2**63 - 1, -(2**63), 2**63 - 1]]))
    check(np.array([2**63 - 1, 2**63 - 3], np.uint64))


def test_many_distinct_values_grow_the_table() -> None:
    rng = np.random.default_rng(2)
    column = rng.integers(-(2**62), 2**62, 50_000)
    values, codes = np.unique(np.concatenate([column, column]), return_inverse=True)
    got_codes, got_values = _native.encode_integers(np.concatenate([column, column]))
    assert_same(got_values, values)
    assert_same(got_codes, codes)


def test_no_rows_have_no_values() -> None:
    codes, values = _native.encode_integers(np.zeros(0, np.int16))
    assert_same(codes, [])
    assert_same(values, [])


@pytest.mark.parametrize("stride", [1, 2, -1])
def test_a_value_beyond_int64_is_named(stride: int) -> None:
    column = np.zeros(9000 * abs(stride), np.uint64)[::stride][:9000]
    column[[4321, 5000]] = 2**63
    with pytest.raises(_native.Rejected) as caught:
        _native.encode_integers(column)
    assert caught.value.args == ("range", 0, 4321)


@pytest.mark.parametrize("values", [(0, 1), (3, 9, 4), (-5,), tuple(range(0, 4000, 7)), (0, 10**6)])
@pytest.mark.parametrize("late", [None, -100, 5000])
def test_threads_encode_alike(values: tuple[int, ...], late: int | None) -> None:
    # A value that the first rows do not announce takes a second look.
    array = np.random.default_rng(0).choice(np.array(values), 300_000)
    if late is not None:
        array[-1] = late
    labels, codes = np.unique(array, return_inverse=True)
    for n_threads in (1, 3):
        found, distinct = _native.encode_integers(array, n_threads)
        assert_same(found, codes.astype(np.int32))
        assert_same(distinct, labels)
