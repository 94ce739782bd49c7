"""Means over folds and nested cross-validation by hand, and what too few gold rows show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.designs.folds import MeanOfFolds, nested_estimate
from karat.designs.judge import Both, Weighed
from karat.inference.limits import wilson_limits_of_one


def test_folds_that_differ_by_rounding_alone_are_constant() -> None:
    assert MeanOfFolds.of([-1e6, -1e6 - 1e-7, -1e6], 0.25).is_constant
    assert MeanOfFolds.of([1e6, 1e6 + 1e-7, 1e6], 0.25).is_constant
    assert not MeanOfFolds.of([-1.0, -1.0 - 1e-7, -1.0], 0.25).is_constant


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
