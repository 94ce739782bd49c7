"""What does not vary has no variance, what varies by little has one."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.designs.units import ROUNDING
from karat.inference.rounding import settled, settled_error, settled_variance, size_of
from karat.metrics import get

SCALES = [1e-9, 0.1, 1.0, 7.0, 1e12]


def _by_sums(loss: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """The variance of a mean from sums, and its size; sums without pairs, one after the other."""
    w2, total = weights**2, np.cumsum(weights)[-1]
    mean = np.cumsum(weights * loss)[-1] / total
    square, one, none = (np.cumsum(w2 * loss**power)[-1] for power in (2, 1, 0))
    return (square - 2 * mean * one + mean**2 * none) / total**2, square / total**2


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_equal_losses_have_no_variance(n: int, scale: float) -> None:
    rng = np.random.default_rng(n)
    for loss in rng.random(20):
        variance, size = _by_sums(np.full(n, loss), rng.random(n) * scale)
        assert abs(variance) <= ROUNDING * size
        assert settled_variance(variance, size, of_sums=True) == 0.0


@pytest.mark.parametrize("scale", SCALES)
def test_losses_that_differ_by_a_hundred_thousandth_have_one(scale: float) -> None:
    rng = np.random.default_rng(3)
    loss, weights = 0.3 * (1.0 + 1e-5 * rng.normal(size=2000)), rng.random(2000) * scale
    variance, size = _by_sums(loss, weights)
    mean = np.average(loss, weights=weights)
    exact = ((weights * (loss - mean)) ** 2).sum() / weights.sum() ** 2
    assert settled_variance(variance, size, of_sums=True) == pytest.approx(exact, rel=0.02)


def test_what_has_no_number_stays() -> None:
    kept = settled_variance(np.array([np.nan, np.inf, 1.0]), np.array([1.0, 1.0, np.inf]))
    assert np.array_equal(kept, [np.nan, np.inf, 1.0], equal_nan=True)
    assert size_of(1e200, 4.0) == np.inf
    assert (settled(1.0 - 1e-13), settled(0.3)) == (1.0, 0.3)


def test_a_metric_with_little_variance_keeps_it() -> None:
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 2, 500)
    p = 0.5 + 1e-5 * rng.normal(size=500)
    one = karat.evaluate(y_true, y_prob=p, positive=1, metrics="log_loss")["log_loss"]
    assert one.standard_error == pytest.approx(2e-5 / np.sqrt(500), rel=0.2)
    assert one.method == "log-t"


def test_an_error_that_may_be_rounding_is_none() -> None:
    accuracy, loss = get("accuracy"), get("log_loss")
    assert settled_error(accuracy, 0.5, 1e-14, 100.0) == 0.0
    assert settled_error(accuracy, 0.5, 1e-12, 100.0) == 1e-12
    # Without a range, beside the value.
    assert settled_error(loss, 1e6, 1e-8, 100.0) == 0.0
    assert settled_error(loss, 1.0, 1e-8, 100.0) == 1e-8
