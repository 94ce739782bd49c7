"""group_keys: equal numbers as groups, in the order in which they are first met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from tests.same import assert_same


def reference(keys: list[int]) -> tuple[Any, Any]:
    place: dict[int, int] = {}
    groups = [place.setdefault(key, len(place)) for key in keys]
    return np.array([keys.index(key) for key in place], np.int64), np.array(groups, np.int64)


@given(st.data(), st.sampled_from([1, 3, 40, 2**20, 2**62]))
def test_groups_of_dense_and_of_sparse_numbers(data: Any, n_keys: int) -> None:
    places = st.one_of(st.integers(0, min(n_keys, 4) - 1), st.integers(0, n_keys - 1))
    keys = data.draw(st.lists(places, max_size=60))
    got = _native.group_keys(np.array(keys, np.int64), n_keys)
    for array, expected in zip(got, reference(keys), strict=True):
        assert_same(array, expected)


def test_a_hash_table_that_grows() -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**40, 3000)[rng.integers(0, 3000, 20_000)]
    first, groups = _native.group_keys(keys, 2**40)
    found, index, inverse = np.unique(keys, return_index=True, return_inverse=True)
    assert_same(first, np.sort(index))
    assert (keys[first][groups] == found[inverse]).all()


@pytest.mark.parametrize(("keys", "n_keys"), [([0, 3], 3), ([0, -1], 3), ([5], 2**50), ([], -1)])
def test_numbers_outside_are_refused(keys: list[int], n_keys: int) -> None:
    if n_keys == 2**50:
        keys = [2**50]
    with pytest.raises(ValueError, match=r"outside|negative"):
        _native.group_keys(np.array(keys, np.int64), n_keys)
