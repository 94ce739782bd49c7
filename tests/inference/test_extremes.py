"""Limits of maxima, minima and absolute values: percentiles of replicates less their bias."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import karat
from karat.inference.draws import Bias
from karat.metrics import all_metrics

N_SAMPLES = 60
UNIT = (0.0, 1.0)


def scored(seed: int, n: int, apart: float) -> tuple[Any, Any]:
    """Truth and scores of two normal classes of equal size."""
    rng = np.random.default_rng([31, seed])
    y = np.arange(n) % 2
    return y, rng.normal(size=n) + apart * y


def held(metric: str, truth: float, apart: float, **asked: Any) -> float:
    """The share of samples whose limits hold the truth."""
    found = []
    for seed in range(N_SAMPLES):
        y, s = scored(seed, 120, apart)
        one = karat.evaluate(
            y, y_score=s, metrics=metric, interval=karat.Interval(n_replicates=200, **asked)
        )[metric]
        assert one.low is not None
        assert one.high is not None
        found.append(one.low <= truth <= one.high)
    return float(np.mean(found))


@pytest.mark.parametrize("apart", [0.6, 1.5])
def test_limits_of_the_largest_gap_hold_it_where_percentiles_do_not(apart: float) -> None:
    # The largest gap of two normal distributions is at the middle.
    truth = 2.0 * NormalDist().cdf(apart / 2.0) - 1.0
    assert held("ks_statistic", truth, apart) >= 0.88
    # The control: percentiles of replicates.
    assert held("ks_statistic", truth, apart, method="bootstrap") <= 0.82


def test_limits_of_the_least_cost_hold_it_where_percentiles_do_not() -> None:
    truth = NormalDist().cdf(-0.5)
    assert held("min_cost", truth, 1.0) >= 0.85
    assert held("min_cost", truth, 1.0, method="bootstrap") <= 0.78


def test_without_a_bias_limits_stay() -> None:
    drawn = np.array([0.2, 0.3, 0.4, 0.5, 0.6])
    bias = Bias.of(drawn, 0.4, UNIT)
    assert bias.shown == pytest.approx(0.0, abs=1e-12)
    assert bias.less((0.21, 0.59), "both") == pytest.approx((0.21, 0.59), abs=1e-12)
    # The control: with one they move.
    assert Bias.of(drawn + 0.1, 0.4, UNIT).less((0.31, 0.69), "both")[0] < 0.3


def test_limits_of_a_number_without_an_end_by_hand() -> None:
    # The mean is 1 below the value, a standard error √2.5 below: 2 and 3 + 2·0.4 = 3.8 times 1.
    bias = Bias.of(np.array([-3.0, -2.0, -1.0, 0.0, 1.0]), 0.0, (-math.inf, math.inf))
    assert bias.less((-2.9, 0.9), "both") == pytest.approx((-2.9 + 2.0, 0.9 + 3.8))
    upward = Bias.of(np.array([3.0, 2.0, 1.0, 0.0, -1.0]), 0.0, (-math.inf, math.inf))
    assert upward.less((-0.9, 2.9), "both") == pytest.approx((-0.9 - 3.8, 2.9 - 2.0))


def test_limits_below_an_end_by_hand() -> None:
    drawn, value = np.array([0.7, 0.8, 0.9]), 0.75
    bias = Bias.of(drawn, value, UNIT)
    half = 0.01 / (2.0 * 0.2 * 0.8)
    assert bias.half == pytest.approx(half)
    step, b = math.log((0.25 + half) / (0.2 + half)), 0.5
    low = 1.0 + half - (0.3 + half) * math.exp((3.0 + 2.0 * b * b) * step)
    high = 1.0 + half - (0.1 + half) * math.exp(2.0 * step)
    assert bias.less((0.7, 0.9), "both") == pytest.approx((low, high))
    # The mirror: a bias downward, toward 0.
    below = Bias.of(1.0 - drawn, 1.0 - value, UNIT)
    assert below.less((0.1, 0.3), "both") == pytest.approx((1.0 - high, 1.0 - low))


@pytest.mark.parametrize("side", ["low", "high"])
def test_the_other_end_of_one_limit_stays(side: Any) -> None:
    bias = Bias.of(np.array([0.7, 0.8, 0.9]), 0.75, UNIT)
    low, high = bias.less((0.7, 1.0) if side == "low" else (0.0, 0.9), side)
    both = bias.less((0.7, 0.9), "both")
    assert (low, high) == ((both[0], 1.0) if side == "low" else (0.0, both[1]))


def test_a_bias_of_many_standard_errors_is_no_overflow() -> None:
    bias = Bias.of(np.array([0.5, 0.5 + 1e-9]), 0.1, UNIT)
    assert all(map(math.isfinite, bias.less((0.5, 0.5), "both")))


def test_a_perfect_model_has_no_limits_of_replicates_that_are_all_equal() -> None:
    y = np.arange(40) % 2
    found = karat.evaluate(y, y_score=y + 0.0, metrics=["ks_statistic", "equal_error_rate"])
    for metric in ("ks_statistic", "equal_error_rate"):
        assert found[metric].low is None
        assert "every replicate has the same value" in (found[metric].remark or "")


def test_remarks_stand_on_a_bias_and_on_few_rows() -> None:
    n_biased = {0.0: 0, 1.5: 0}
    for apart in n_biased:
        for seed in range(40):
            y, s = scored(seed, 120, apart)
            one = karat.evaluate(
                y, y_score=s, metrics="ks_statistic", interval=karat.Interval(n_replicates=200)
            )
            n_biased[apart] += "the value is biased" in (one["ks_statistic"].remark or "")
    assert n_biased[0.0] >= 16
    assert n_biased[1.5] <= 2
    y, s = scored(1, 600, 1.5)
    sound = karat.evaluate(y, y_score=s, metrics="ks_statistic")["ks_statistic"]
    assert sound.remark is None
    assert sound.method == "bootstrap less bias"
    # Percentiles of the same replicates miss more often.
    plain = karat.evaluate(
        y, y_score=s, metrics="ks_statistic", interval=karat.Interval(method="bootstrap")
    )["ks_statistic"]
    assert "the value is biased" in (plain.remark or "")
    n_few = 0
    for seed in range(20):
        y, s = scored(seed, 60, 3.0)
        few = karat.evaluate(
            y, y_score=s, metrics="ks_statistic", interval=karat.Interval(n_replicates=200)
        )
        n_few += "rows separate the value from 1" in (few["ks_statistic"].remark or "")
    assert n_few >= 10


def test_extremes_are_metrics_without_an_influence() -> None:
    extremes = {metric.record.name for metric in all_metrics() if metric.record.is_extreme}
    assert {"ks_statistic", "max_f_beta", "min_cost", "brier_miscalibration"} <= extremes
    assert "equal_error_rate" not in extremes
    assert all(m.record.influence is None for m in all_metrics() if m.record.is_extreme)
