"""What formulas read of a matrix of counts is the same for whole numbers and for weights."""

from __future__ import annotations

import numpy as np
import pytest

from karat.tally import Fields
from tests.same import assert_same


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u1"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 5), (4, 3, 3), (2, 3, 7, 7), (0, 2, 2)])
def test_whole_numbers_and_weights_of_the_same_counts_agree(
    dtype: str, shape: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(4)
    counts = (rng.integers(0, 2, shape) * rng.integers(0, 25, shape)).astype(dtype)
    whole, weights = Fields.of_matrix(counts), Fields.of_matrix(counts.astype(np.float64))
    for name in ("tp", "fp", "fn", "tn", "n", "cells", "rows", "cols"):
        assert_same(getattr(whole, name), getattr(weights, name), about=name)
    assert_same(whole.fn, counts.sum(axis=-1) - np.diagonal(counts, axis1=-2, axis2=-1))


def test_whole_numbers_are_added_as_whole_numbers() -> None:
    # As numbers of 53 bits, 2**53 + 1 + 1 is 2**53.
    many = 2**53
    fields = Fields.of_matrix(np.array([[0, many, 1, 1], *np.eye(4, dtype=np.int64)[1:]]))
    assert (fields.fn[0], fields.n) == (many + 2, many + 5 - (many + 5) % 2)
    # Of few digits, sums of weights take more than the weights have.
    narrow = Fields.of_matrix(np.array([[0, 2**24, 1, 1], *np.eye(4)[1:]], np.float32))
    assert narrow.fn[0] == 2**24 + 2
