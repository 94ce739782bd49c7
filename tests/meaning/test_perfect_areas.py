"""A perfect order of the scores is one in every order of the rows: rounding is no error."""

from __future__ import annotations

import numpy as np
import pytest

import karat


def samples(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.5).astype(int)
    weights = np.round(rng.random(n) * 3, 2) + 0.1
    return true, weights, true * 0.5 + 0.4 * rng.random(n), rng.permutation(n)


@pytest.mark.parametrize("seed", [2, 4, 14])
def test_weighted_area_of_two_classes(seed: int) -> None:
    true, weights, prob, _ = samples(seed, 12)
    orders = [np.arange(12), np.argsort(prob), np.argsort(-prob), np.argsort(weights)]
    found = [karat.evaluate(true[p], y_prob=prob[p], weights=weights[p]) for p in orders]
    for name in ("roc_auc", "average_precision", "gini"):
        each = [one[name] for one in found]
        assert [one.low for one in each] == pytest.approx([each[0].low] * 4, rel=1e-9)
        assert name != "roc_auc" or each[0].low > 0.001


@pytest.mark.parametrize("seed", range(6))
def test_weighted_areas_of_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 30))
    true = (rng.random((n, 3)) < 0.45).astype(int)
    weights = np.round(rng.random(n) * 3, 2) + 0.1
    prob = (0.1 + 0.5 * true + 0.4 * rng.random((n, 3))).clip(0, 1)
    again = rng.permutation(n)
    first = karat.evaluate(true, y_prob=prob, weights=weights)
    second = karat.evaluate(true[again], y_prob=prob[again], weights=weights[again])
    assert first["roc_auc_ovr_weighted"].low < 0.99
    for metric in first.metrics:
        one, other = first[metric], second[metric]
        limits = [[x for x in (y.value, y.low, y.high) if x is not None] for y in (one, other)]
        assert limits[0] == pytest.approx(limits[1], rel=1e-7, abs=1e-9, nan_ok=True), metric
