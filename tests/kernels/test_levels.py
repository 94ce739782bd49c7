"""Score levels of two tables as one: what is taken, what is joined, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.tally.score_histogram import EXACT, LEVELS, bucket_starts, ends_of_bins
from tests.same import assert_same

NO_CUTS = np.empty(0)
SCORES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.1, 0.05, -0.2, 1.0])


def descending(scores: list[float], bits: int) -> Any:
    """One score of each bucket, best first."""
    found = np.unique(np.array(scores, float) + 0.0)[::-1]
    return np.ascontiguousarray(found[bucket_starts(found, bits)])


@given(st.lists(SCORES), st.lists(SCORES), st.sampled_from(LEVELS))
def test_levels_are_one_where_sorted_scores_share_a_bucket(
    one: list[float], two: list[float], bits: int
) -> None:
    left, right = descending(one, bits), descending(two, bits)
    taken = _native.take_levels(left, right, EXACT - bits, ends_of_bins())
    both = np.sort(np.concatenate([left, right]))[::-1]
    starts = bucket_starts(both, bits)
    sizes = np.diff(np.append(starts, len(both)))
    assert len(taken) == len(starts)
    assert_same(taken == 3, sizes == 2)
    low = _native.join_levels(taken, left, right, 1)
    high = _native.join_levels(taken, left, right, 2)
    added = _native.join_levels(
        taken, np.ones((len(left), 2), int), np.ones((len(right), 2), int), 0
    )
    assert_same(added, np.stack([sizes, sizes], axis=1))
    assert_same(high, both[starts])
    assert_same(low, both[starts + sizes - 1])


ONE = np.array([0.5, 0.25])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ONE[::-1].copy(), ONE, 0, NO_CUTS), "do not descend"),
        ((ONE, np.array([0.5, np.nan]), 0, NO_CUTS), "do not descend"),
        ((ONE, ONE[[0, 0]], 0, NO_CUTS), "do not descend"),
        ((ONE, ONE, -1, NO_CUTS), "dropped must be"),
        ((ONE, ONE, 63, NO_CUTS), "dropped must be"),
    ],
)
def test_levels_that_are_none_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _native.take_levels(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], ONE, ONE, 0), "not those that were taken"),
        (([1, 1, 2, 2, 2], ONE, ONE, 0), "not those that were taken"),
        (([1, 1, 2, 2, 0], ONE, ONE, 0), "of neither"),
        (([3, 3], ONE, np.ones((2, 1)), 0), "same columns"),
        (([3, 3], np.ones((2, 2)), np.ones((2, 1)), 0), "same columns"),
        (([3, 3], ONE, ONE, 3), "join must be"),
    ],
)
def test_what_does_not_belong_to_levels_is_refused(arguments: Any, message: str) -> None:
    taken, *others = arguments
    with pytest.raises(ValueError, match=message):
        _native.join_levels(np.array(taken, np.uint8), *others)


def test_rows_of_other_kinds_are_refused() -> None:
    taken = np.array([3, 3], np.uint8)
    for left, right in ((ONE, np.array([1, 2])), (np.array([1, 2]), ONE), (ONE, np.ones(4)[::2])):
        with pytest.raises(TypeError, match="contiguous"):
            _native.join_levels(taken, left, right, 0)
