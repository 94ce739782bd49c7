"""Counts that no data set reaches row by row: 2^32 and above, from tables that are merged."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import all_metrics
from karat.tally import Cells, Classes, merge, to_marginals, to_sparse
from tests.numerics import inputs
from tests.numerics.errors import of_tables

TWO = Classes.of(range(2))
SIZES = [2**32, 2**40, 2**53 - 1, 2**53, 2**53 + 1]


@pytest.mark.parametrize("size", SIZES)
def test_merged_tables_are_whole_numbers(size: int) -> None:
    cells = Cells.dense([[size, 3], [size - 1, 1]], classes=TWO)
    both = merge(cells, cells)
    assert both.matrix().tolist() == [[2 * size, 6], [2 * size - 2, 2]]
    for other in (to_sparse, to_marginals):
        seen = merge(other(cells), other(cells))
        right = both.fields
        for field in ("tp", "fp", "fn", "tn", "n"):
            assert np.array_equal(getattr(seen.fields, field), getattr(right, field)), field
    once = float(karat.accuracy(confusion=np.array([[size, 3], [size - 1, 1]])))
    assert abs(Fraction(once) - Fraction(size + 1, 2 * size + 3)) <= Fraction(3, 2**54)


@pytest.mark.parametrize("size", [*SIZES, 2**60])
def test_every_metric_of_such_tables_is_within_its_bound(size: int) -> None:
    table = inputs.Table(f"{size}", np.array([[size, 3], [size - 1, size // 2]]))
    assert [str(each) for each in of_tables([table], all_metrics()) if not each.is_within] == []


def test_counts_that_64_bits_cannot_hold_are_refused() -> None:
    half = Cells.dense([[2**62, 0], [0, 1]], classes=TWO)
    for cells in (half, to_sparse(half), to_marginals(half)):
        with pytest.raises(KaratError, match="K213"):
            merge(cells, cells)
    one = Cells.dense([[2**62, 0], [0, 0]], classes=TWO)
    other = Cells.dense([[0, 2**62], [0, 0]], classes=TWO)
    with pytest.raises(KaratError, match="K213"):
        merge(one, other)
