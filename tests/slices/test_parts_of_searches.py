"""What a search is made of: draws of losses, and columns with fewer parts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from karat.inference.slices.candidates import SearchColumn, column_of_numbers
from karat.inference.slices.losses import RowLosses


def test_a_seed_gives_the_draws_of_numpy_up_to_65536_rows() -> None:
    """Of a seed, later versions give the same p-values: the limit is part of what is drawn."""
    for n, is_by_numpy in ((1 << 16, True), ((1 << 16) + 1, False)):
        losses = RowLosses.of(np.random.default_rng(3).exponential(size=n))
        (drawn,) = next(losses.replicates(1, 7))
        assert (np.sort(drawn) == np.sort(losses.moved)).all()
        by_numpy = np.random.default_rng(7).permutation(losses.moved)
        assert bool((drawn == by_numpy).all()) == is_by_numpy


@pytest.mark.parametrize("has_missing", [False, True])
def test_a_coarser_column_joins_parts_side_by_side(has_missing: bool) -> None:
    numbers = np.random.default_rng(4).permutation(np.arange(400) % 20).astype(float)
    names = [f"{i}" for i in range(20)]
    if has_missing:
        numbers[:9] = np.nan
        names.append("missing")
    codes = np.nan_to_num(numbers, nan=20.0).astype(int)
    fine = column_of_numbers("x", codes, names, numbers, are_few=True)
    coarse, begins = fine.coarse()
    assert coarse.n_parts == len(begins) - 1 == 5 + has_missing
    assert coarse.n_ordered == 5
    for part, (first, end) in enumerate(itertools.pairwise(begins)):
        inside = (fine.codes >= first) & (fine.codes < end)
        assert ((coarse.codes == part) == inside).all()
    # Every range from an end or between, not all of them; the rows without a number are one slice.
    spans = [(a, b) for a in range(5) for b in range(a + 1, 6) if 0 < b - a < 5]
    assert coarse.spans.tolist() == [list(span) for span in [*spans, *[(5, 6)] * has_missing]]


def test_few_parts_are_not_joined() -> None:
    few = SearchColumn("x", np.arange(6, dtype=np.int32), 6, np.zeros((0, 2), int), (), None, 6)
    coarse, begins = few.coarse()
    assert coarse is few
    assert begins.tolist() == [0, 1, 2, 3, 4, 5, 6]
