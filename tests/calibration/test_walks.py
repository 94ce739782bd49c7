"""How often the searches for a line and for a shift walk over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from karat.metrics import _regression
from karat.metrics._regression import recalibration_line, recalibration_shift

SEARCHES = {"line": recalibration_line, "shift": recalibration_shift}
MANY = 4 * _regression._GROUPS + 1
"""Rows that are put into groups first."""


class Counted:
    """Score levels that count how often they are walked over."""

    is_weighted = False

    def __init__(self, chances: Any, hits: Any) -> None:
        order = np.argsort(-chances)
        self.chances, self.counts = chances[order], np.stack([1 - hits, hits], axis=1)[order]
        self.n_rows, self.n_walks = len(chances), 0

    def blocks(self) -> Iterator[Any]:
        self.n_walks += 1
        for start in range(0, self.n_rows, 5000):
            part = slice(start, start + 5000)
            yield self.chances[part], self.counts[part], None


def shifted(n: int) -> Counted:
    """Confidences whose log-odds are a quarter, and 3 less, of what they say."""
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.01, 0.99, n)
    odds = np.log(chances / (1.0 - chances)) / 4.0 - 3.0
    return Counted(chances, (rng.random(n) < 1.0 / (1.0 + np.exp(-odds))).astype(np.int64))


@pytest.mark.parametrize("name", SEARCHES)
def test_many_rows_are_walked_over_four_times(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = shifted(MANY)
    found = np.array(SEARCHES[name](levels))
    assert levels.n_walks == 4  # for the outline, for the groups, and two from where these lead
    again = shifted(MANY)
    monkeypatch.setattr(_regression, "_GROUPS", MANY)
    assert SEARCHES[name](again) == pytest.approx(found, rel=1e-9)
    assert again.n_walks >= 6


@pytest.mark.parametrize("name", SEARCHES)
def test_few_rows_are_walked_over_one_by_one(name: str) -> None:
    levels = shifted(MANY - 1)
    assert np.isfinite(SEARCHES[name](levels)).all()
    assert 6 <= levels.n_walks <= 8


@pytest.mark.parametrize("hits", [[0, 0, 1, 1], [1, 1, 0, 0]])
def test_rows_that_are_divided_are_walked_over_once(hits: list[int]) -> None:
    levels = Counted(np.array([0.125, 0.25, 0.5, 0.75]), np.array(hits))
    assert np.isnan(recalibration_line(levels)).all()
    assert levels.n_walks == 1


def test_a_shift_of_nothing_is_found_at_once() -> None:
    # Shares that the probabilities say: nothing is left but rounding, of which no part is small.
    p, misses, hits = np.array([0.3, 0.8, 0.1]), np.array([7.0, 2, 90]), np.array([3.0, 8, 10])
    walks = []

    def points() -> list[tuple[Any, Any, Any]]:
        walks.append(1)
        return [(_regression.log_odds(p), misses, hits)]

    assert abs(_regression._shifted(0.0, -3.0, 3.0, points)) < 1e-15
    assert len(walks) <= 10
