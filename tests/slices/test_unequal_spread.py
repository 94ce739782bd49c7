"""Losses that vary more in some slices than in others: equal means are not called different."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.inference.slices import losses as losses_of
from karat.inference.slices import search
from karat.inference.slices.candidates import Family, column_of_values
from karat.inference.slices.losses import RowLosses, Statistics
from karat.inference.slices.search import statistic


def lost(rng: np.random.Generator, n: int = 1800) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """A column, and losses of one mean whose few rows of one value vary six times as much."""
    names = rng.choice(list("abcdef"), n, p=[0.3, 0.25, 0.2, 0.15, 0.06, 0.04])
    spread = np.where(names == "f", 1.2, 0.2)
    return {"name": names}, np.maximum(5.0 + spread * rng.normal(size=n), 0.0)


def found(n: int) -> int:
    """In how many of n tables a weak slice is found."""
    hits = 0
    for seed in range(n):
        columns, loss = lost(np.random.default_rng([4, seed]))
        hits += bool(
            len(
                karat.find_weak_slices(
                    by=columns, loss=loss, interval=karat.Interval(n_replicates=99)
                )
            )
        )
    return hits


def test_slices_of_equal_means_and_unequal_spread_are_rarely_weak() -> None:
    assert found(60) <= 7


def test_with_one_variance_for_all_they_are_often_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (losses_of, search):
        monkeypatch.setattr(module, "unequal", lambda m, *_: np.zeros_like(m))
    assert found(40) >= 8


@pytest.mark.parametrize("name", list("abcdef"))
def test_the_standard_error_is_that_of_welch(name: str) -> None:
    columns, loss = lost(np.random.default_rng(1))
    inside = columns["name"] == name
    rows = RowLosses.of(loss)
    assert rows.is_studentized
    own, rest = loss[inside], loss[~inside]
    welch = own.var(ddof=1) / len(own) + rest.var(ddof=1) / len(rest)
    alike = loss.var() * len(loss) ** 2 / (len(loss) - 1.0) / len(own) / len(rest)
    t = (own.mean() - rest.mean()) / np.sqrt(max(welch, alike))
    assert statistic(rows, inside) == pytest.approx(t, rel=2e-3)
    # The statistics of all slices at once are the same.
    keys = list("abcdef")
    codes = np.searchsorted(keys, columns["name"])
    family = Family([column_of_values("name", codes, keys, 1)], np.arange(len(loss)), 1, 1)
    (z,) = Statistics(family, rows).observed()
    assert z.ravel()[keys.index(name)] == pytest.approx(statistic(rows, inside), rel=1e-9)


def test_losses_of_two_values_are_not_studentized() -> None:
    loss = (np.random.default_rng(2).random(500) < 0.2).astype(float)
    assert not RowLosses.of(loss).is_studentized
    assert not RowLosses.of(3.0 * loss).is_studentized
    assert RowLosses.of(loss, weights=1.0 + np.arange(500.0)).is_studentized
    assert not RowLosses.of(np.arange(6.0), clusters=np.repeat([0, 1, 2], 2)).is_studentized
