"""Rounding may take a value past the end of its range and is put back; anything more is shown."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.metrics import get
from karat.metrics._interpret import evaluate
from karat.metrics._measure import _without_overshoot
from karat.metrics._metric import Values, within_range
from karat.tally import Cells, Classes


@pytest.mark.parametrize("name", ["roc_auc", "brier"])
def test_only_rounding_is_put_back(name: str) -> None:
    low, high = get(name).record.range
    given = np.array([high + 5e-13, low - 5e-13, high + 1e-9, low - 1e-9, 0.5, np.nan])
    found = _without_overshoot(get(name), Values(given, np.isnan(given))).value
    np.testing.assert_array_equal(found, [high, low, high + 1e-9, low - 1e-9, 0.5, np.nan])


def test_values_of_labels_lie_in_their_range() -> None:
    n_past = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        k, n = int(rng.choice([2, 3, 8, 30])), int(rng.choice([50, 500, 5000]))
        true = rng.integers(0, k, n)
        kinds = (true, rng.integers(0, k, n), np.where(rng.random(n) < 0.99, true, 0))
        weights = None if seed % 2 else rng.random(n) * 10.0 ** rng.integers(-4, 4)
        report = karat.evaluate(true, kinds[seed % 3], weights=weights, level=None)
        for one in report.metrics.values():
            low, high = one.range
            assert not one.value < low, one
            assert not one.value > high, one
        metric = get("normalized_mutual_information")
        raw = evaluate(metric.traced("zero").value, report.cells.fields)
        n_past += bool(raw > 1.0)
    # Of the plain formula rounding does take some past the end.
    assert n_past > 0


def test_a_value_beyond_its_rounding_error_stays() -> None:
    cells = Cells.dense(np.array([[5, 1], [2, 7]]), classes=Classes.of(range(2)))
    metric = get("normalized_mutual_information")
    given = np.array([1.0 + 2e-16, 1.01, -1e-17, -0.5, 0.5, np.nan])
    found = within_range(metric, given, cells)
    np.testing.assert_array_equal(found, [1.0, 1.01, 0.0, -0.5, 0.5, np.nan])
