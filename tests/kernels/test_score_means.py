"""Means of the native read are its sums by weight, in the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from karat import _native
from karat.tally.sums import LOSSES, ReadSums, Sums


def read(weights: np.ndarray | None, wanted: int = 15) -> _native.ScoreSums:
    rng = np.random.default_rng(7)
    prob, codes = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40).astype(np.int32)
    return _native.read_scores(prob, codes, 3, weights, True, 1e-3, wanted, 0)


@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 3.0, 40), np.zeros(40)])
def test_means_are_those_of_the_sums(weights: np.ndarray | None) -> None:
    found = read(weights)
    sums, short = Sums.from_native(found, LOSSES), ReadSums(found)
    for place, name in enumerate(LOSSES):
        expected = np.float64(sums.mean(name)).tobytes()
        assert np.float64(found.mean(place)).tobytes() == expected
        assert np.float64(short.mean(name)).tobytes() == expected
    assert short.truth.tolist() == sums.truth.tolist()
    assert short.ranks is None


def test_what_was_not_wanted_is_no_number() -> None:
    assert np.isnan(read(None, 1).mean(1))
    for place in (-1, 4, 1000):
        with pytest.raises(IndexError):
            read(None).mean(place)
