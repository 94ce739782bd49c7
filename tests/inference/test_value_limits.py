"""Limits of each family against their formulas, with the edges at which a family gives way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from karat.inference.class_limits import NO_SLOPE
from karat.inference.confidence import Confidence, Interval
from karat.inference.limits import newcombe_limits
from karat.inference.sampling_error import SamplingError
from karat.inference.value_limits import (
    FAMILIES,
    NOTHING_SEEN,
    Number,
    ScoreLevels,
    interval_of_rows,
    is_of_loss,
    limits_of_share,
    score_interval,
    textbook,
    within,
)
from karat.metrics import get

LEVEL = 0.9
ASKED = Confidence(LEVEL)
T = float(stats.t.ppf(0.95, 9))
Z = float(stats.norm.ppf(0.95))


def error(variance: float = 0.0025, **more: float) -> SamplingError:
    return SamplingError(variance, variance, 9.0, 100.0, **more)


def wilson(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Roots of n·(p − share)² = quantile²·p·(1 − p) (Wilson 1927)."""
    square = quantile**2
    low, high = sorted(
        np.roots([n + square, -(2 * n * share + square), n * share**2]).real.tolist()
    )
    return low, high


def logit(value: float, spread: float, quantile: float) -> tuple[float, float]:
    center, step = math.log(value / (1 - value)), quantile * spread / (value * (1 - value))
    return 1 / (1 + math.exp(step - center)), 1 / (1 + math.exp(-step - center))


def test_limits_of_a_share() -> None:
    assert limits_of_share(0.3, 40.0, 9.0, ASKED) == pytest.approx(wilson(0.3, 40.0, T))
    assert limits_of_share(0.3, 40.0, math.inf, ASKED) == pytest.approx(wilson(0.3, 40.0, Z))
    # Of windows the limits are exact, of as many rows with the normal quantile.
    window = Confidence(LEVEL, window=1)
    low, high = limits_of_share(0.3, 40.0, math.inf, window)
    tail = window.tail
    assert low == pytest.approx(stats.beta.ppf(tail, 12.0, 29.0))
    assert high == pytest.approx(stats.beta.ppf(1 - tail, 13.0, 28.0))


def test_shares_and_means_of_rows() -> None:
    metric = get("subset_accuracy")
    share = interval_of_rows(ASKED, metric, 0.3, 0.05, 80.0, 9.0, is_share=True)
    # A share needs no Student's quantile.
    assert (share.low, share.high) == pytest.approx(wilson(0.3, 80.0, Z))
    assert (share.method, share.standard_error) == ("wilson", 0.05)
    mean = interval_of_rows(ASKED, metric, 0.3, 0.05, 80.0, 9.0)
    assert (mean.low, mean.high) == pytest.approx(wilson(0.3, 0.3 * 0.7 / 0.05**2, T))
    assert mean.method == "wilson-effective"
    for value in (0.0, 1.0):
        still = interval_of_rows(ASKED, metric, value, 0.0, 80.0, 9.0)
        assert (still.low, still.high) == pytest.approx(wilson(value, 80.0, T))
    # A degree of freedom is the least.
    one = interval_of_rows(ASKED, metric, 0.3, 0.05, 80.0, 0.2)
    few = wilson(0.3, 0.3 * 0.7 / 0.05**2, float(stats.t.ppf(0.95, 1)))
    assert (one.low, one.high) == pytest.approx(few)


def test_means_of_rows_without_an_end() -> None:
    metric = get("coverage_error")
    mean = interval_of_rows(ASKED, metric, 2.0, 0.5, 80.0, 9.0)
    factor = math.exp(T * 0.5 / 2.0)
    assert (mean.low, mean.high) == pytest.approx((2.0 / factor, 2.0 * factor))
    assert mean.method == "log"
    none = interval_of_rows(ASKED, metric, 0.0, 0.0, 80.0, 9.0)
    assert (none.low, none.high, none.remark) == (None, None, NO_SLOPE)


@pytest.mark.parametrize("method", ["wald", "logit"])
def test_textbook_limits(method: str) -> None:
    asked = replace(ASKED, method=method)
    rows = interval_of_rows(asked, get("subset_accuracy"), 0.3, 0.05, 80.0, 9.0)
    scores = score_interval(get("roc_auc"), 0.3, error(), asked, 50.0)
    expected = (0.3 - T * 0.05, 0.3 + T * 0.05) if method == "wald" else logit(0.3, 0.05, T)
    assert (rows.low, rows.high) == pytest.approx(expected)
    assert (scores.low, scores.high) == pytest.approx(expected)
    assert (rows.standard_error, scores.standard_error) == (0.05, pytest.approx(0.05))
    assert scores.method == ("wald" if method == "wald" else "logit-t")


def test_textbook_limits_at_an_end() -> None:
    end = textbook(1.0, 0.1, 2.0, (0.0, 1.0), "logit")
    assert end.low is None
    assert end.remark == "the logit of an end of the range is infinite"
    assert textbook(1.0, 0.1, 2.0, (0.0, 1.0), "wald") == Interval(0.8, 1.2, "wald")
    # Of a number without a lower end both are the same.
    assert textbook(-1.0, 0.1, 2.0, (-math.inf, math.inf), "logit") == Interval(-1.2, -0.8, "wald")
    asked = replace(ASKED, method="logit")
    slope = score_interval(get("calibration_slope"), -1.0, error(), asked, math.nan)
    assert (slope.low, slope.high) == pytest.approx((-1.0 - T * 0.05, -1.0 + T * 0.05))
    perfect = score_interval(get("roc_auc"), 1.0, error(), asked, 50.0)
    assert (perfect.low, perfect.remark) == (None, NOTHING_SEEN)


def limits_of(family: str, number: Number) -> tuple[float, float]:
    low, high, _ = FAMILIES[family](number, ASKED)
    return low, high


def test_areas() -> None:
    spread = SamplingError(0.0025, 0.0036, 9.0, 30.0, n_rest=50.0)
    number = Number(get("roc_auc"), 0.8, spread, 50.0)
    wide, seen = logit(0.8, 0.06, T), logit(0.8, 0.05, T)
    edge = newcombe_limits(0.8, 30.0, 50.0, Z)
    assert limits_of("area", number) == pytest.approx(
        (max(wide[0], min(seen[0], edge[0])), min(wide[1], max(seen[1], edge[1])))
    )
    # A shrunk variance of 0 shows nothing, as a perfect area does.
    for value, shrunk in ((0.8, 0.0), (1.0, 0.0036), (0.0, 0.0036)):
        still = Number(get("roc_auc"), value, replace(spread, shrunk=shrunk), 50.0)
        expected = newcombe_limits(value, 30.0, 50.0, T)
        assert limits_of("area", still) == pytest.approx(expected)
    # Where the rows show no spread, what few rows do not show counts alone.
    unseen = Number(get("roc_auc"), 0.8, replace(spread, variance=0.0), 50.0)
    assert limits_of("area", unseen) == pytest.approx(wide)
    gini = Number(get("gini"), 0.6, replace(spread, variance=0.01, shrunk=0.0144), 50.0)
    assert limits_of("area", gini) == pytest.approx(
        [2 * limit - 1 for limit in limits_of("area", number)]
    )


def test_areas_under_precision() -> None:
    metric = get("average_precision")
    number = Number(metric, 0.8, error(optimism=0.25))
    low = logit(0.8 - 0.25 * 0.2, 0.05, T)[0]
    assert limits_of("precision", number) == pytest.approx((low, logit(0.8, 0.05, T)[1]))
    # All of it may be optimism.
    assert limits_of("precision", Number(metric, 0.2, error(optimism=0.25)))[0] == 0.0
    for value, spread in ((1.0, error()), (0.8, error(0.0))):
        rows = limits_of("precision", Number(metric, value, spread))
        assert rows == pytest.approx(wilson(value, 100.0, T))


def test_ranks_and_ends() -> None:
    metric = get("ndcg")
    for family in ("ranks", "ends"):
        # At most as many rows as there are, however little they vary.
        some = limits_of(family, Number(metric, 0.3, error(0.0025)))
        assert some == pytest.approx(wilson(0.3, 0.3 * 0.7 / 0.0025, T))
        still = limits_of(family, Number(metric, 0.3, error(1e-6)))
        assert still == pytest.approx(wilson(0.3, 100.0, T))
        end = limits_of(family, Number(metric, 1.0, error(0.0)))
        assert end == pytest.approx(wilson(1.0, 100.0, T))
    low, high, method = FAMILIES["ends"](Number(get("log_loss"), 0.0, error(0.0)), ASKED)
    assert np.isnan([low, high]).all()
    assert method is None


def test_losses_have_the_rows_that_lose() -> None:
    # (Σℓ)² ÷ Σℓ² = 1 ÷ (σ² ÷ ℓ² + 1 ÷ n), and at least 2 degrees of freedom.
    for value, df in ((0.1, min(9.0, 1 / (0.25 + 0.01) - 1)), (0.05, 2.0), (5.0, 9.0)):
        factor = math.exp(float(stats.t.ppf(0.95, df)) * 0.05 / value)
        number = Number(get("log_loss"), value, error())
        assert limits_of("loss", number) == pytest.approx((value / factor, value * factor))
    skill = Number(get("d2_log_loss"), 0.9, error())
    factor = math.exp(float(stats.t.ppf(0.95, 1 / 0.26 - 1)) * 0.5)
    assert limits_of("loss", skill) == pytest.approx((1 - 0.1 * factor, 1 - 0.1 / factor))


def test_families_by_range() -> None:
    def family(name: str, value: float, variance: float = 0.0025) -> str:
        return Number(get(name), value, error(variance)).family

    assert [family(x, 0.5) for x in ("roc_auc", "average_precision")] == ["area", "precision"]
    assert [family("ks", value) for value in (0.0, 0.5, 1.0)] == ["ends", "logit", "ends"]
    assert family("ks", 0.5, 0.0) == "ends"
    assert [family("brier", value) for value in (0.0, 0.5, 2.0)] == ["ends", "loss", "ends"]
    assert family("brier", 0.5, 0.0) == "ends"
    assert family("calibration_slope", 0.0, 0.0) == "unbounded"
    assert family("log_loss", 0.0, 0.0) == "ends"


def test_score_intervals_stay_in_the_range_and_contain_the_value() -> None:
    slope = score_interval(get("calibration_slope"), 1.0, error(), ASKED, math.nan)
    assert (slope.low, slope.high, slope.method) == (
        pytest.approx(1.0 - T * 0.05),
        pytest.approx(1.0 + T * 0.05),
        "t",
    )
    wide = score_interval(get("roc_auc"), 0.9, error(0.0625), replace(ASKED, method="wald"), 50.0)
    assert (wide.low, wide.high) == (pytest.approx(0.9 - T * 0.25), 1.0)
    for side, ends in (("low", (None, 1.0)), ("high", (0.0, None))):
        one = score_interval(get("ks"), 0.4, error(), replace(ASKED, side=side), math.nan)
        limit = logit(0.4, 0.05, float(stats.t.ppf(0.9, 9)))
        assert one.low == pytest.approx(limit[0] if ends[0] is None else ends[0])
        assert one.high == pytest.approx(limit[1] if ends[1] is None else ends[1])
    assert score_interval(get("ks"), math.nan, error(), ASKED, math.nan) == Interval()


@pytest.mark.parametrize(
    ("spread", "remark"),
    [
        (SamplingError(math.nan, math.nan, 9.0, 10.0), "there are too few rows"),
        (SamplingError(math.nan, math.nan, 9.0, 10.0, missing="it is odd"), "it is odd"),
        (SamplingError(0.01, 0.01, 0.9, 10.0), "there are too few rows"),
        (SamplingError(0.01, 0.01, math.nan, 10.0), "there are too few rows"),
    ],
)
def test_too_few_rows(spread: SamplingError, remark: str) -> None:
    assert score_interval(get("ks"), 0.5, spread, ASKED, math.nan) == Interval(remark=remark)
    enough = SamplingError(0.01, 0.01, 1.0, 10.0)
    assert score_interval(get("ks"), 0.5, enough, ASKED, math.nan).low is not None


def test_within() -> None:
    ends = (0.0, 1.0)
    bare = Interval(-0.2, 1.3, "t", 0.1, "a remark")
    assert within(bare, 0.5, ends, ASKED) == Interval(0.0, 1.0, "t", 0.1, "a remark")
    # Limits on the wrong side of a value move to it.
    assert within(Interval(0.6, 0.7, "t"), 0.5, ends, ASKED) == Interval(0.5, 0.7, "t")
    assert within(Interval(0.2, 0.3, "t"), 0.5, ends, ASKED) == Interval(0.2, 0.5, "t")
    none = Interval(remark="none")
    assert within(none, 0.5, ends, ASKED) is none
    for limits in ((math.nan, 0.5), (0.5, math.nan)):
        assert within(Interval(*limits, "t"), 0.5, ends, ASKED) == Interval(remark=NO_SLOPE)
    low = within(Interval(0.2, 0.7, "t"), 0.5, ends, replace(ASKED, side="low"))
    assert (low.low, low.high) == (0.2, 1.0)


def remark_of(name: str, value: float, spread: SamplingError) -> str | None:
    return score_interval(get(name), value, spread, ASKED, 50.0).remark


def test_cautions() -> None:
    few = "it depends on few rows of the class: 12.0 effective ones"
    assert remark_of("roc_auc", 0.8, error(n_informative=12.0)) == few
    assert remark_of("roc_auc", 0.8, error(n_informative=20.0)) is None
    # With few rows that are all informative the shrunk variance suffices.
    small = SamplingError(0.0025, 0.0025, 9.0, 24.0, n_informative=12.0)
    assert remark_of("roc_auc", 0.8, small) is None
    small = replace(small, n_effective=4.9, n_informative=4.0)
    assert remark_of("roc_auc", 0.8, small) == "it depends on few rows of a class: 5"
    assert remark_of("roc_auc", 0.8, replace(small, n_effective=5.0)) is None
    losing = 1 / (0.0025 / 0.2**2 + 0.01)
    assert losing < 20
    assert remark_of("log_loss", 0.2, error()) == (
        f"few rows have most of the loss: {losing:.1f} effective ones"
    )
    assert remark_of("log_loss", 0.3, error()) is None
    lines = "straight lines between few tied scores make up much of the value"
    assert remark_of("average_precision", 0.8, error(interpolated=0.0167)) == lines
    assert remark_of("average_precision", 0.8, error(interpolated=0.0166)) is None
    large = "with few rows, the value may be too large by about 0.026"
    assert remark_of("average_precision", 0.8, error(optimism=0.13)) == large
    assert remark_of("average_precision", 0.8, error(optimism=0.12)) is None


def test_losses_are_named() -> None:
    is_loss = {name: is_of_loss(get(name)) for name in ("log_loss", "brier", "d2_log_loss")}
    assert is_loss == dict.fromkeys(is_loss, True)
    others = ("roc_auc", "average_precision", "ks", "calibration_slope", "ndcg")
    assert not any(is_of_loss(get(name)) for name in others)


def test_levels_of_scores_are_their_intervals() -> None:
    spread = replace(error(), n_rest=50.0)
    levels = ScoreLevels(get("roc_auc"), 0.8, spread)
    assert math.isinf(levels.df)
    assert levels.interval(ASKED) == score_interval(get("roc_auc"), 0.8, spread, ASKED, 50.0)
