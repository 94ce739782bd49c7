"""Moments of a line through log-odds, and what rows move it by: the kernels against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.same import assert_same


def levels(n: int, scale: float = 3.0) -> tuple[Any, Any, Any]:
    """Log-odds, descending, and the weight of misses and of hits."""
    rng = np.random.default_rng(n)
    x = np.sort(rng.normal(scale=scale, size=n))[::-1].copy()
    return x, rng.integers(0, 3, n).astype(float), rng.random(n)


def sides(t: Any) -> tuple[Any, Any]:
    return np.exp(-np.logaddexp(0.0, -t)), np.exp(-np.logaddexp(0.0, t))


def plainly(x: Any, misses: Any, hits: Any, height: float, slope: float, centre: float) -> Any:
    t = height + slope * (x - centre)
    chance, rest = sides(t)
    missing, spread = hits * rest - misses * chance, (hits + misses) * chance * rest
    likelihood = -(hits * np.logaddexp(0.0, -t) + misses * np.logaddexp(0.0, t)).sum()
    away = (spread @ (x - centre)) / spread.sum() if len(x) else 0.0
    square = spread @ (x - centre - away) ** 2
    return likelihood, missing.sum(), missing @ (x - centre), spread.sum(), away, square


@pytest.mark.parametrize("line", [(0.0, 1.0, 0.0), (0.7, -2.0, 1.5), (-30.0, 5.0, -4.0)])
@pytest.mark.parametrize("n", [0, 1, 7, 32, 33, 2048, 2049, 7001])
def test_moments_are_those_of_numpy(n: int, line: tuple[float, float, float]) -> None:
    given = levels(n)
    found, wanted = _native.logistic_moments(*given, *line), plainly(*given, *line)
    scale = np.abs(wanted).max(initial=1.0)
    assert_same(np.array(found) / scale, np.array(wanted) / scale, within=1e-13)


def test_moments_far_from_their_centre_lose_nothing() -> None:
    """The square is about the mean of the rows, wherever the centre of the line is."""
    x, misses, hits = levels(5000, scale=1e-3)
    near = _native.logistic_moments(x, misses, hits, 0.1, 1.0, 0.0)
    far = _native.logistic_moments(x, misses, hits, 0.1 + 1e6, 1.0, 1e6)
    assert far[5] == pytest.approx(near[5], rel=1e-6)
    # What a sum of squares about the centre would leave of it.
    spread = np.prod(sides(0.1 + x), axis=0) * (misses + hits)
    centred = x - 1e6
    naive = spread @ centred**2 - (spread @ centred) ** 2 / spread.sum()
    assert naive != pytest.approx(near[5], rel=1e-2)


@pytest.mark.parametrize("n", [0, 1, 31, 2048, 5003])
def test_squares_are_those_of_numpy(n: int) -> None:
    x, rest, own = levels(n)
    a, b, gain, turn, centre = 0.3, 1.2, 2.0, -0.5, 0.25
    found = _native.logistic_squares(x, rest, own, a, b, gain, turn, centre)
    slope = gain + turn * (x - centre)
    chance, other = sides(a + b * x)
    wanted = (rest * (chance * slope) ** 2 + own * (other * slope) ** 2).sum()
    assert found == pytest.approx(wanted, rel=1e-12)


def test_what_weighs_nothing_counts_for_nothing() -> None:
    x = np.array([1.0, np.inf])
    one, none = np.array([2.0, 0.0]), np.zeros(2)
    found = _native.logistic_squares(x, one, none, 0.0, 1.0, 1.0, 1.0, 0.0)
    assert found == pytest.approx(2.0 * (sides(1.0)[0] * 2.0) ** 2)
    held = _native.logistic_squares(x, none + 1.0, none, 0.0, 1.0, 1.0, 1.0, 0.0)
    assert not np.isfinite(held)


def test_a_level_that_is_off_is_seen() -> None:
    x, misses, hits = levels(100)
    honest = _native.logistic_moments(x, misses, hits, 0.0, 1.0, 0.0)
    hits[50] += 1e-6
    assert _native.logistic_moments(x, misses, hits, 0.0, 1.0, 0.0)[1] != honest[1]


def test_other_shapes_and_types_are_refused() -> None:
    x, misses, hits = levels(5)
    with pytest.raises(ValueError, match="does not match them"):
        _native.logistic_moments(x, misses[1:].copy(), hits, 0.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="does not match them"):
        _native.logistic_squares(x, misses, hits[1:].copy(), 0.0, 1.0, 1.0, 0.0, 0.0)
    with pytest.raises(TypeError):
        _native.logistic_moments(x.astype(np.float32), misses, hits, 0.0, 1.0, 0.0)
    with pytest.raises(TypeError):
        _native.logistic_squares(x[::-1], misses, hits, 0.0, 1.0, 1.0, 0.0, 0.0)
