"""Rows whose two labels are alike, counted whatever the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from tests.kernels.columns import DTYPES, columns, strided

EXAMPLES = settings(max_examples=60, deadline=None)


def check(tally: Any, true: Any, pred: Any) -> None:
    n, right = len(true), sum(map(int.__eq__, true.tolist(), pred.tolist()))
    assert (tally.k, tally.n_rows, tally.labels) == (2, n, None)
    assert not tally.weighted
    assert not tally.has_cells
    marginals = [each.tolist() for each in tally.marginals()]
    assert marginals == [[right, 0], [0, n - right], [n - right, 0]]


IGNORED = -100


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
@pytest.mark.parametrize("place", [0, 2047, 2048, 299_999])
def test_a_true_label_that_is_ignored_is_not_counted(dtype: str, place: int) -> None:
    true, pred = np.zeros(300_000, dtype), np.zeros(300_000, dtype)
    check(_native.count_agreement(true, pred, 1), true, pred)
    pred[place] = IGNORED
    check(_native.count_agreement(true, pred, 1), true, pred)
    true[place] = IGNORED
    assert _native.count_agreement(true, pred, 1) is None
    assert _native.count_agreement(true, pred.astype("i8"), 2) is None
    assert _native.count_agreement(true[::-1], pred, 2) is None


@pytest.mark.usefixtures("isa")
class TestRows:
    @given(columns())
    @EXAMPLES
    def test_any_columns(self, case: tuple[Any, Any, Any]) -> None:
        true, pred, _ = case
        if true.dtype.kind == "b" or pred.dtype.kind == "b":
            true, pred = true.astype(np.uint8), pred.astype(np.uint8)
        tally = _native.count_agreement(true, pred, 1)
        is_mixed = true.dtype != pred.dtype or true.strides[0] < 0 or true.strides != pred.strides
        if (true == IGNORED).any():
            assert tally is None
        elif tally is None:
            assert is_mixed
            assert max(true.max(), pred.max()) > 2**63 - 1
        else:
            check(tally, true, pred)

    @pytest.mark.parametrize("dtype", DTYPES[1:])
    @pytest.mark.parametrize("n", [1, 63, 64, 257, 16129, 70001])
    def test_alike_in_all_rows_and_in_none(self, dtype: str, n: int) -> None:
        true = np.arange(n).astype(dtype)
        # A true label of -100 is for the caller to judge.
        true[true == -100] = 0
        check(_native.count_agreement(true, true, 1), true, true)
        other = true + true.dtype.type(1)
        check(_native.count_agreement(true, other, 1), true, other)

    def test_long_columns_of_bytes(self) -> None:
        # Counters as wide as an item would overflow again and again.
        true = np.zeros(1_000_000, np.uint8)
        check(_native.count_agreement(true, true, 1), true, true)

    def test_types_that_differ_are_compared_as_numbers(self) -> None:
        true, pred = np.array([-1, 3, 255]), np.array([255, 3, 255], np.uint8)
        check(_native.count_agreement(true, pred, 1), true, pred)
        signed = true.astype(np.int8)
        check(_native.count_agreement(signed, pred, 1), signed, pred)


def test_values_beyond_int64() -> None:
    high = np.array([2**63, 2**64 - 1], np.uint64)
    check(_native.count_agreement(high, high, 1), high, high)
    assert _native.count_agreement(high, high.astype(np.int64), 1) is None
    assert _native.count_agreement(high[::-1], high, 1) is None


def test_threads_count_the_same() -> None:
    rng = np.random.default_rng(5)
    true, pred = rng.integers(0, 3, 1_000_003), rng.integers(0, 3, 1_000_003)
    found = [_native.count_agreement(true, pred, n).marginals() for n in (1, 2, 3, 8, 0)]  # type: ignore[union-attr]
    assert all(np.array_equal(each, found[0]) for each in found)
    gathered = _native.count_agreement(strided(true, 2), strided(pred, -3), 2)
    assert gathered is not None
    assert np.array_equal(gathered.marginals(), found[0])


def test_what_is_no_pair_of_columns_is_refused() -> None:
    one = np.array([1, 2])
    with pytest.raises(ValueError, match="no rows"):
        _native.count_agreement(one[:0], one[:0], 1)
    with pytest.raises(ValueError, match="y_pred"):
        _native.count_agreement(one, one[:1], 1)
    for wrong in (one[None], one.astype(float), one.astype(">i8"), one.tolist()):
        with pytest.raises((TypeError, ValueError)):
            _native.count_agreement(one, wrong, 1)  # type: ignore[arg-type]


def test_a_wrong_tally_is_found() -> None:
    true, pred = np.array([1, 2, 3]), np.array([1, 2, 2])
    tally = _native.count_agreement(true, pred, 1)
    check(tally, true, pred)
    with pytest.raises(AssertionError):
        check(tally, true, true)


def test_booleans_of_another_byte_are_refused() -> None:
    # True would be two classes.
    odd = np.array([0, 255, 1], np.uint8).view(bool)
    plain = np.array([False, True, True])
    for true, pred in ((odd, plain), (plain, odd)):
        with pytest.raises(ValueError, match="boolean of another byte"):
            _native.count_agreement(true, pred, 1)
        with pytest.raises(ValueError, match="boolean of another byte"):
            _native.count_integers(true, pred, None, True, 1)
    with pytest.raises(ValueError, match="boolean of another byte"):
        _native.encode_integers(odd)
