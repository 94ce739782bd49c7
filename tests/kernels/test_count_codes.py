"""Counting codes of given classes, with and without a lookup table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.kernels.columns import DTYPES, LENGTHS, STRIDES, check_counts, check_weights, strided

INT64_MAX = 2**63 - 1
BASES = (0, 1, -3, 250, -(2**31), 2**31 - 40, 2**32 - 40, -(2**63), 2**63 - 60)


@st.composite
def coded(draw: st.DrawFn, rng: np.random.Generator, n: int, k: int) -> tuple[Any, int, Any, Any]:
    """Codes, their base, their lookup table or None, and the classes that they mean."""
    dtype = draw(st.sampled_from(DTYPES[1:]))
    info = np.iinfo(dtype)
    size = draw(st.sampled_from((k, k + 7))) if draw(st.booleans()) else k
    wished = draw(st.sampled_from(BASES))
    base = min(max(wished, info.min), min(info.max, INT64_MAX) - size + 1)
    lut = None
    places = rng.integers(0, k, n)
    classes = places
    if draw(st.booleans()):
        lut = rng.integers(0, k, size).astype(np.int32)
        places = rng.integers(0, size, n)
        classes = lut[places]
    codes = np.array([base + int(place) for place in places], dtype)
    return strided(codes, draw(st.sampled_from(STRIDES))), base, lut, classes


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Any, int, np.random.Generator]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from(LENGTHS))
    k = draw(st.sampled_from((1, 2, 3, 20, 64, 65, 100)))
    return draw(coded(rng, n, k)), draw(coded(rng, n, k)), k, rng


@pytest.mark.usefixtures("isa")
@given(cases())
@settings(max_examples=120, deadline=None)
def test_against_the_reference(case: tuple[Any, Any, int, Any]) -> None:
    true, pred, k, rng = case
    labels = list(range(k))
    weights = rng.random(len(true[0])) * rng.integers(0, 3, len(true[0]))
    for cells in (True, False):
        tally = _native.count_codes(*true[:3], *pred[:3], k, None, cells, 1)
        assert tally.labels is None
        check_counts(tally, true[3], pred[3], labels)
        weighted = _native.count_codes(*true[:3], *pred[:3], k, weights, cells, 1)
        check_weights(weighted, true[3], pred[3], labels, weights)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.parametrize("stride", [1, -2])
def test_no_code_outside_passes(dtype: str, stride: int) -> None:
    info = np.iinfo(dtype)
    k = 5
    for base in (info.min, 0, min(info.max, INT64_MAX) - k + 1):
        good = np.arange(base, base + k, dtype=dtype)
        rows = np.resize(good, 5000)
        for value in {info.min, base - 1, base + k, info.max, base ^ (1 << (info.bits - 1))}:
            if base <= value < base + k or not info.min <= value <= info.max:
                continue
            for row in (0, 17, 2048, 4999):
                bad = rows.copy()
                bad[row] = value
                with pytest.raises(_native.Rejected) as caught:
                    _native.count_codes(
                        strided(rows, stride), base, None, strided(bad, stride), base, None, k,
                        None, True, 1,
                    )  # fmt: skip
                assert caught.value.args == ("range", 1, row)


@pytest.mark.usefixtures("isa")
def test_a_base_outside_of_the_type_does_not_wrap() -> None:
    # −1 is no uint32, yet the difference to 2^32 − 1 is the same in 32 bits.
    codes = np.array([0, 1, 2**32 - 1], np.uint32)
    with pytest.raises(_native.Rejected) as caught:
        _native.count_codes(codes, -1, None, codes, -1, None, 4, None, True, 1)
    assert caught.value.args == ("range", 0, 2)
    tally = _native.count_codes(codes[:2], -1, None, codes[:2], -1, None, 4, None, True, 1)
    check_counts(tally, [1, 2], [1, 2], [0, 1, 2, 3])


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_first_bad_row_is_named_whatever_the_threads(n_threads: int) -> None:
    n = 600_000
    codes = np.zeros(n, np.int16)
    bad = codes.copy()
    bad[[300_001, 450_000, 599_999]] = 3
    lut = np.array([0, 1, 1, -1], np.int32)
    for true, pred, argument in ((bad, bad, 0), (codes, bad, 1)):
        with pytest.raises(_native.Rejected) as caught:
            _native.count_codes(true, 0, None, pred, 0, None, 2, None, False, n_threads)
        assert caught.value.args == ("range", argument, 300_001)
        with pytest.raises(_native.Rejected) as caught:
            _native.count_codes(true, 0, lut, pred, 0, lut, 2, None, True, n_threads)
        assert caught.value.args == ("outside", argument, 300_001)


@pytest.mark.parametrize(
    ("lut", "k"), [([0, 2], 2), ([0, -2], 2), ([0, 2**31 - 1], 2), ([-(2**31), 0], 2), ([5], 5)]
)
def test_a_lookup_table_out_of_bounds_is_refused(lut: list[int], k: int) -> None:
    codes = np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="lookup table"):
        _native.count_codes(codes, 0, np.array(lut, np.int32), codes, 0, None, k, None, True, 1)


@pytest.mark.parametrize(("k", "cells"), [(0, True), (-1, False), (8193, True), (2**40, False)])
def test_an_impossible_number_of_classes_is_refused(k: int, cells: bool) -> None:
    codes = np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="k must be between"):
        _native.count_codes(codes, 0, None, codes, 0, None, k, None, cells, 1)


def test_many_classes_as_marginals() -> None:
    rng = np.random.default_rng(0)
    k, n = 100_000, 20_000
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.5, true, rng.integers(0, k, n))
    tally = _native.count_codes(true, 0, None, pred, 0, None, k, None, False, 1)
    tp, fp, fn = tally.marginals()
    hits = np.bincount(true[true == pred], minlength=k)
    for got, want in (
        (tp, hits),
        (fp, np.bincount(pred, minlength=k) - hits),
        (fn, np.bincount(true, minlength=k) - hits),
    ):
        np.testing.assert_array_equal(got, want)
