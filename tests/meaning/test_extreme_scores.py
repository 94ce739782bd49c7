"""Metrics of scores where rounding would show: few among many, weights far apart, certain rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import karat
from karat.metrics import Losses, all_metrics, all_records
from karat.metrics.decompositions import _least_negative_log_probability
from karat.tally import Sums
from tests.same import assert_same


@pytest.mark.parametrize("truth", [(10**9 - 1, 1), (1, 10**9 - 1), (10**9 - 3, 1, 2)])
def test_skill_of_one_row_among_very_many(truth: tuple[int, ...]) -> None:
    """1 − π of a class that holds nearly all rows keeps all of its digits."""
    n = sum(truth)
    losses = {"negative_log_probability": 1e-9, "squared_error": 1e-9}
    view = Losses(sums_of(losses, truth), len(truth))
    base = sum(Fraction(part, n) * Fraction(n - part, n) for part in truth)
    expected = 1 - float(Fraction(1e-9) / base)
    by_name = {record.name: record for record in all_records()}
    assert_same(by_name["d2_brier"].formula(view), expected, within=1e-14)
    # −ln(1 − x) as a series, where x is small.
    parts = [Fraction(n - part, n) for part in truth]
    logs = [
        float(x + x * x / 2) if x < Fraction(1, 10**6) else -math.log(part / n)
        for x, part in zip(parts, truth, strict=True)
    ]
    entropy = sum(part / n * log for part, log in zip(truth, logs, strict=True))
    found = by_name["d2_log_loss"].formula(view)
    assert_same(found, 1 - 1e-9 / entropy, within=1e-14)


def sums_of(losses: dict[str, float], truth: tuple[int, ...]) -> Sums:
    """Sums whose rows all have the same losses, without the rows."""
    n = float(sum(truth))
    means = np.array(list(losses.values()))
    parts = (means * n, means * n, means**2 * n)
    return Sums(tuple(losses), int(n), n, n, *parts, np.array(truth))


def test_the_log_loss_of_a_share_near_one_keeps_its_digits() -> None:
    found = _least_negative_log_probability(np.array([1.0]), np.array([1e9]))
    # n·ln(1 + 1/n) + ln(1 + n), both by series.
    expected = 1.0 - 0.5e-9 + 9 * math.log(10) + 1e-9
    assert_same(found, expected, within=1e-15)


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
def test_no_value_leaves_its_range_whatever_the_weights() -> None:
    rng = np.random.default_rng(5)
    metrics = [m for m in all_metrics() if m.needs_scores and m.lift not in ("plain", "per_class")]
    ranged = [m for m in metrics if all(map(math.isfinite, m.range))]
    for round_ in range(40):
        n = int(rng.integers(4, 60))
        y_true = np.concatenate([[0, 1, 2], rng.integers(0, 3, n)])
        sign = 1 if round_ % 2 else -1
        scores = sign * (3 * np.eye(3)[y_true] + rng.random((n + 3, 3)))
        weights = rng.random(n + 3) * 10.0 ** rng.integers(-3, 4, n + 3)
        report = karat.evaluate(y_true, y_logit=scores, weights=weights, metrics=ranged)
        for name, result in report.metrics.items():
            low, high = result.range
            assert np.isnan(result.value) or low <= result.value <= high, (name, result.value)


def test_all_rows_hold_all_of_a_class_whatever_the_weights() -> None:
    """Of weights far apart the end of the cumulated weights is the whole, not a sum beside it."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        weights = rng.random(30) * 10.0 ** rng.integers(-7, 8, 30)
        y_true = np.arange(30) % 2
        call = {"y_score": rng.random(30), "weights": weights, "share": 1.0}
        assert karat.gain_at(y_true, **call) == 1.0
        assert karat.lift_at(y_true, **call) == 1.0


def test_an_infinite_loss_of_a_class_is_not_left_out_of_the_mean() -> None:
    y_prob = [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]
    with pytest.warns(karat.UndefinedWarning, match="infinite"):
        each = karat.log_loss_miscalibration([0, 1, 2, 2], y_prob=y_prob, average=None)
    assert np.isinf(each[2])
    assert np.isfinite(each[:2]).all()
    with pytest.warns(karat.UndefinedWarning, match="infinite"):
        assert karat.log_loss_miscalibration([0, 1, 2, 2], y_prob=y_prob, average="macro") == np.inf
