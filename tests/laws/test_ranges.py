"""No value and no limit lies outside the range that a metric declares, not by one rounding."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import karat

SEEDS = [*range(8), 29, 42]
"""Random inputs, and two whose means are beyond 1 or below 0 by a rounding."""


def _reports(seed: int) -> Iterator[Any]:
    """Reports of everything: sets, scores and labels, random, perfect and constant."""
    rng = np.random.default_rng(seed)
    n, k, kind = int(rng.integers(5, 300)), int(rng.integers(2, 7)), seed % 3
    weights = rng.random(n) * 10.0 ** rng.integers(-3, 4)
    true = rng.random((n, k)) < 0.4
    true[0], true[1] = True, False
    near = [np.where(true, 0.9, 0.1), rng.random((n, k)), true * 1.0][kind]
    shared: dict[str, Any] = {"weights": weights, "metrics": "all"}
    sets = {**shared, "labels": [f"label {i}" for i in range(k)]}
    yield karat.evaluate(true, y_prob=near, **sets)
    yield karat.evaluate(true, true if kind != 1 else rng.random((n, k)) < 0.4, **sets)
    if n <= k:
        return
    codes = np.concatenate([np.arange(k), rng.integers(0, k, n)])[:n]
    given = {**shared, "labels": list(range(k)), **({"positive": 1} if k == 2 else {})}
    alike = np.full((n, k), 1 / k)
    y_prob = [alike, rng.dirichlet(np.full(k, 0.3), n), np.eye(k)[codes]][kind]
    yield karat.evaluate(codes, y_prob=y_prob, **given)
    y_score = rng.normal(size=(n, k)) + 10 * np.eye(k)[codes] * bool(kind)
    yield karat.evaluate(codes, y_score=y_score, **given)
    yield karat.evaluate(codes, codes if kind else rng.integers(0, k, n), **given)


def _outside(seed: int) -> list[str]:
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for report in _reports(seed):
            for name, one in report.metrics.items():
                low, high = one.range
                for part in ("value", "low", "high"):
                    number = getattr(one, part)
                    if number is not None and not np.isnan(number) and not low <= number <= high:
                        found.append(f"{name}.{part}: {number!r} outside [{low}, {high}]")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_lies_in_its_range(seed: int) -> None:
    assert _outside(seed) == []


def test_a_value_that_stays_beyond_its_range_is_seen() -> None:
    with patch("karat.metrics._metric.at_ends", lambda values, *_: values):
        assert _outside(29)
        assert _outside(42)
