"""Means over folds and nested cross-validation by hand, and what too few gold rows show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from karat.designs.folds import FoldUnits, nested_estimate
from karat.designs.judge import Both, Weighed
from karat.inference.confidence import Confidence
from karat.inference.limits import wilson_limits_of_one
from karat.metrics import get
from karat.results.folds import mean_of_folds


def test_the_spread_of_equal_folds_is_unknown() -> None:
    units = FoldUnits.of(3, 0.25)
    for constant in ([-1e6, -1e6 - 1e-7, -1e6], [1e6, 1e6 + 1e-7, 1e6], [0.5, 0.5, 0.5]):
        assert math.isnan(units.variance(np.array(constant)))
    assert units.variance(np.array([-1.0, -1.0 - 1e-7, -1.0])) > 0.0
    # Models that differ in no fold: the difference is 0, and no fold moves it.
    assert units.variance(np.zeros(3)) == 0.0


def test_the_variance_of_folds_is_that_of_nadeau_and_bengio() -> None:
    values = np.array([[0.8, 0.9, 0.7, 0.8, 0.8], [0.5, 0.7, 0.7, 0.6, 0.9]])
    units, factor = FoldUnits.of(5, 1 / 4), 1 / 5 + 1 / 4
    assert units.covariance(values) == pytest.approx(factor * np.cov(values))
    assert units.variance(values) == pytest.approx(factor * values.var(axis=1, ddof=1))
    assert (units.df, units.degrees(values[0]), units.n_units) == (4.0, 4.0, 5.0)
    estimate = mean_of_folds(get("accuracy"), values[0].tolist(), 1 / 4, None)
    assert estimate.value == pytest.approx(0.8)
    assert math.sqrt(estimate.variance or 0.0) == pytest.approx(0.0474, abs=1e-4)
    limits = estimate.interval_at(Confidence(0.95))
    far = stats.t.ppf(0.975, 4) * math.sqrt(factor * values[0].var(ddof=1))
    assert (limits.low, limits.high) == pytest.approx((0.8 - far, 0.8 + far))


def test_nested_errors_are_at_least_those_of_independent_inner_losses() -> None:
    rng = np.random.default_rng(5)
    k, n = 3, 60
    row = np.arange(n) % k
    fold = np.concatenate([row, *(row[row != held] for held in range(k))])
    held_out = np.concatenate([np.full(n, -1), *(np.full(40, held) for held in range(k))])
    losses = np.where(held_out < 0, rng.normal(size=180) + 3.0, rng.normal(size=180) * 0.5)
    losses[held_out < 0] *= 2.0
    inner = losses[held_out >= 0]
    made = nested_estimate(losses, np.zeros(180, int), fold, held_out, n)
    naive = inner.std(ddof=1) / math.sqrt(n)
    assert made.standard_error == pytest.approx(made.inflation * naive)
    assert 1.0 <= made.inflation <= math.sqrt(k) + 1e-12
    outer = losses[held_out < 0].mean()
    assert made.bias == pytest.approx((1 + (k - 2) / k) * (inner.mean() - outer))
    assert made.value == pytest.approx(inner.mean() - made.bias)
    assert made.limits(2.0) == pytest.approx(
        (made.value - 2 * made.standard_error, made.value + 2 * made.standard_error)
    )


def test_one_gold_row_has_no_judge() -> None:
    both = Both(Weighed.of(np.ones(1)), Weighed.of(np.ones(9)))
    tuned = both.tuned(np.zeros(1), np.zeros(1), np.zeros(9))
    assert (tuned.weight, tuned.gain) == (0.0, 1.0)
    assert math.isnan(tuned.variance)


def test_rows_that_are_no_number_have_the_whole_range() -> None:
    assert wilson_limits_of_one(0.4, math.nan, 2.0) == (0.0, 1.0)
    assert wilson_limits_of_one(0.4, 0.0, 2.0) == (0.0, 1.0)


def test_nested_losses_that_do_not_vary_are_not_inflated() -> None:
    k, n = 3, 30
    row = np.arange(n) % k
    fold = np.concatenate([row, *(row[row != held] for held in range(k))])
    held_out = np.concatenate([np.full(n, -1), *(np.full(20, held) for held in range(k))])
    made = nested_estimate(np.full(90, 0.25), np.zeros(90, int), fold, held_out, n)
    assert (made.value, made.standard_error, made.inflation, made.bias) == (0.25, 0.0, 1.0, 0.0)
    assert made.limits(2.0) == (0.25, 0.25)
