"""Intervals from replicates that are given, against their formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scipy.stats import norm

from karat.inference.confidence import Confidence
from karat.inference.draws import Bias, acceleration_of, interval_of_draws, interval_of_replicates
from karat.metrics import get
from tests.inference.replicates import gathered

UNIT = (0.0, 1.0)
KS, AREA = get("ks_statistic"), get("roc_auc")
ASKED = Confidence(0.5)
SIDES: tuple[Literal["both", "low", "high"], ...] = ("both", "low", "high")


# Percentiles.


def test_percentiles_are_cut_from_one_side_or_both() -> None:
    """The tail is half of what the level leaves, or all of it; the other limit is an end."""
    values = np.arange(1001) / 1000.0
    assert interval_of_replicates(values, 0.5)[:2] == pytest.approx((0.025, 0.975))
    assert interval_of_replicates(values, 0.5, 0.8)[:2] == pytest.approx((0.1, 0.9))
    low = interval_of_replicates(values, 0.5, 0.8, "low")
    high = interval_of_replicates(values, 0.5, 0.8, "high")
    assert low[:2] == (pytest.approx(0.2), math.inf)
    assert high[:2] == (-math.inf, pytest.approx(0.8))
    assert interval_of_replicates(values, 0.5, 0.8, "low", ends=(-3.0, 4.0)).high == 4.0
    assert interval_of_replicates(values, 0.5, 0.8, "high", ends=(-3.0, 4.0)).low == -3.0


def test_percentiles_of_infinite_replicates_are_replicates() -> None:
    """Between two finite numbers percentiles are interpolated, beside an infinite one not."""
    assert interval_of_replicates([0.0, 1.0, 2.0, 4.0], 1.0, 0.5)[:2] == (0.75, 2.5)
    assert interval_of_replicates([0.0, 1.0, 2.0, 4.0, math.inf], 1.0, 0.4)[:2] == (1.0, 4.0)


@pytest.mark.parametrize("acceleration", [-0.2, 0.0, 0.15])
def test_corrected_percentiles_are_those_of_efron(acceleration: float) -> None:
    """Φ(z0 + (z0 + z) ÷ (1 − a·(z0 + z))), with half of the ties below (Efron 1987)."""
    values = np.array([0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0])
    below = norm.ppf((3.0 + 2.0 / 2.0) / 10.0)
    found = interval_of_replicates(
        values, 3.0, 0.8, method="bca", acceleration=acceleration, ends=UNIT
    )
    shifted = below + norm.ppf([0.1, 0.9])
    shares = norm.cdf(below + shifted / (1.0 - acceleration * shifted))
    assert found[:2] == pytest.approx(tuple(np.quantile(values, shares)), rel=1e-9)
    one = interval_of_replicates(
        values, 3.0, 0.9, "low", "bca", acceleration=acceleration, ends=UNIT
    )
    assert one[:2] == (pytest.approx(found.low, rel=1e-9), 1.0)


def test_corrected_percentiles_need_replicates_on_both_sides() -> None:
    """All above or all below the estimate: no bias can be told; one on the other side suffices."""
    values = np.arange(1.0, 11.0)
    for estimate in (0.5, 10.5):
        found = interval_of_replicates(values, estimate, method="bca", acceleration=0.0)
        assert found.reason == "every replicate lies on one side of the value"
        assert math.isnan(found.low)
        assert math.isnan(found.high)
    for estimate in (1.0, 10.0):
        assert not interval_of_replicates(
            values, estimate, 0.5, method="bca", acceleration=0.0
        ).reason


def test_a_correction_that_leaves_no_share_has_no_limits() -> None:
    """Before the pole 1 − a·z = 0 a share rounds to 0 or 1, at it and beyond there is none."""
    values, z = np.arange(1.0, 101.0), float(norm.ppf(0.975))
    for a in (0.98 / z, -0.98 / z, 1.0 / z, -1.0 / z, 1.5 / z, -1.5 / z):
        found = interval_of_replicates(values, 50.5, method="bca", acceleration=a)
        assert found.reason == "the replicates are too skewed"
        assert (found.n_undefined, math.isnan(found.low)) == (0, True)
    # The control: further from the pole there are limits.
    assert not interval_of_replicates(values, 50.5, method="bca", acceleration=0.5 / z).reason


def test_one_replicate_of_twenty_at_most_is_undefined() -> None:
    """An undefined estimate has no limits at all."""
    values = np.append(np.linspace(0.0, 1.0, 19), math.nan)
    held = interval_of_replicates(values, 0.5, 0.5)
    assert held == (pytest.approx(0.25), pytest.approx(0.75), 1, "")
    refused = interval_of_replicates(values[1:], 0.5, 0.5)
    assert refused.reason == "the value is undefined in 1 of 19 replicates"
    assert (math.isnan(refused.low), math.isnan(refused.high), refused.n_undefined) == (
        True,
        True,
        1,
    )
    none = interval_of_replicates(values, math.nan, 0.5)
    assert (none.reason, math.isnan(none.low), none.n_undefined) == ("it is undefined", True, 1)
    assert interval_of_replicates([], 0.5).reason == "the value is undefined in 0 of 0 replicates"


# Accelerations.


def test_an_acceleration_is_a_sum_of_cubes_over_one_of_squares() -> None:
    u, times = [1.0, -3.0, 0.5, 2.0], [2.0, 1.0, 4.0, 3.0]
    assert acceleration_of(u) == pytest.approx(gathered(u), rel=1e-12)
    assert acceleration_of(u, times) == pytest.approx(gathered(u, times), rel=1e-12)
    below = [-1.0, -3.0, -0.5]
    assert acceleration_of(below) == pytest.approx(gathered(below), rel=1e-12)
    repeated = np.repeat(u, [2, 1, 4, 3])
    assert acceleration_of(u, times) == pytest.approx(acceleration_of(repeated), rel=1e-12)


@pytest.mark.parametrize("unit", [1e-250, 1e-120, 1e-3, 1e120, 1e250])
def test_an_acceleration_has_no_unit(unit: float) -> None:
    """It stays with the unit of the influence, and falls with the root of the counts."""
    u, times = np.array([1.0, -3.0, 0.5, 2.0]), np.array([2.0, 1.0, 4.0, 3.0])
    once = acceleration_of(u, times)
    assert acceleration_of(u * unit, times) == pytest.approx(once, rel=1e-12)
    assert acceleration_of(u, times * unit) == pytest.approx(once / math.sqrt(unit), rel=1e-12)


def test_what_has_no_acceleration_has_0() -> None:
    for u, times in (
        ([0.0, 0.0], None),
        ([], None),
        ([], []),
        ([math.inf, 1.0], None),
        ([math.nan, 1.0], None),
        ([1.0, 2.0], [0.0, 0.0]),
        ([1.0, 2.0], [math.inf, 1.0]),
        ([1.0, 0.0], [0.0, 3.0]),
    ):
        assert acceleration_of(np.array(u), times) == 0.0


# Intervals of one metric.

DRAWN = np.array([0.2, 0.3, 0.4, 0.5, 0.9])


def test_a_metric_has_the_percentiles_and_the_spread_of_its_replicates() -> None:
    found = interval_of_draws(AREA, 0.45, DRAWN, ASKED)
    assert (found.low, found.high) == (0.3, 0.5)
    assert (found.method, found.remark) == ("bootstrap", None)
    mean = sum(DRAWN) / 5
    assert found.standard_error == pytest.approx(
        math.sqrt(sum((x - mean) ** 2 for x in DRAWN) / 4), rel=1e-12
    )
    asked = replace(ASKED, method="bayesian")
    assert interval_of_draws(AREA, 0.45, DRAWN, asked).method == "bayesian"


def test_limits_of_replicates_hold_the_value_and_stay_in_the_range() -> None:
    for value, limits in ((0.1, (0.1, 0.5)), (0.8, (0.3, 0.8))):
        found = interval_of_draws(AREA, value, DRAWN, ASKED)
        assert (found.low, found.high) == limits
    beyond = interval_of_draws(AREA, 0.5, np.array([-0.5, -0.2, 0.5, 1.3, 1.5]), ASKED)
    assert (beyond.low, beyond.high) == UNIT
    for side, limits in (("low", (0.4, 1.0)), ("high", (0.0, 0.4))):
        one = interval_of_draws(AREA, 0.4, DRAWN, replace(ASKED, side=side))
        assert (one.low, one.high) == pytest.approx(limits)


def test_an_extreme_ends_where_its_costs_do() -> None:
    """The least cost has no range, but replicates lie between the least and the largest cost."""
    metric = get("min_cost")
    assert metric.range == (-math.inf, math.inf)
    asked = Confidence(0.5, "low", "bootstrap")
    assert interval_of_draws(metric, 0.4, DRAWN, asked).high == 1.0
    assert interval_of_draws(get("f_beta_threshold"), 0.4, DRAWN, asked).high == math.inf


def test_infinite_replicates_have_no_part_in_the_error() -> None:
    drawn = np.array([1.0, 2.0, math.inf, 4.0, math.nan])
    found = interval_of_draws(get("log_loss"), 2.0, drawn, ASKED)
    assert found.standard_error == pytest.approx(math.sqrt(7.0 / 3.0), rel=1e-12)
    assert found.remark == "the value is undefined in 1 of 5 replicates"


def test_few_or_huge_replicates_have_no_error() -> None:
    for drawn in ([0.5], [math.nan], [], [-1e200, 1e200]):
        assert interval_of_draws(AREA, 0.5, np.array(drawn), ASKED).standard_error is None
    two = interval_of_draws(AREA, 0.5, np.array([0.4, 0.6]), ASKED)
    assert two.standard_error == pytest.approx(math.sqrt(0.02), rel=1e-12)


def test_undefined_replicates_are_a_remark_of_limits_or_instead_of_them() -> None:
    drawn = np.append(np.linspace(0.1, 0.9, 39), math.nan)
    found = interval_of_draws(AREA, 0.5, drawn, ASKED)
    assert found.remark == "the value is undefined in 1 of 40 replicates"
    assert (found.low, found.high) == pytest.approx((0.3, 0.7))
    none = interval_of_draws(AREA, 0.5, np.append(drawn, [math.nan] * 2), ASKED)
    assert none.remark == "the value is undefined in 3 of 42 replicates"
    assert (none.low, none.high, none.method) == (None, None, None)
    assert none.standard_error == pytest.approx(found.standard_error, rel=1e-12)


def test_equal_replicates_have_limits_only_where_percentiles_are_asked_for() -> None:
    same = np.full(9, 0.25)
    found = interval_of_draws(KS, 0.25, same, ASKED)
    assert (found.low, found.standard_error) == (None, 0.0)
    assert found.remark == "every replicate has the same value, so the variance is not known"
    asked = replace(ASKED, method="bootstrap")
    given = interval_of_draws(KS, 0.25, same, asked)
    assert (given.low, given.high, given.remark) == (0.25, 0.25, None)


def test_bca_needs_an_acceleration() -> None:
    asked = replace(ASKED, method="bca")
    none = interval_of_draws(AREA, 0.45, DRAWN, asked)
    assert none.low is None
    assert none.remark == "its acceleration is not known, which 'bca' needs; use 'bootstrap'"
    assert none.standard_error == pytest.approx(DRAWN.std(ddof=1), rel=1e-12)
    found = interval_of_draws(KS, 0.45, DRAWN, asked, 0.05)
    by_hand = interval_of_replicates(DRAWN, 0.45, 0.5, "both", "bca", 0.05)
    assert (found.low, found.high, found.method) == (*by_hand[:2], "bca")
    # Its limits are corrected for the bias already: no remark, and nothing moves.
    shifted = interval_of_draws(KS, 0.25, DRAWN, asked, 0.05)
    assert shifted.remark is None
    # Without 'bca' an acceleration changes nothing.
    assert interval_of_draws(AREA, 0.45, DRAWN, ASKED, 0.05) == interval_of_draws(
        AREA, 0.45, DRAWN, ASKED
    )


@pytest.mark.parametrize("side", SIDES)
def test_the_limits_of_an_extreme_are_less_its_bias_by_default(
    side: Literal["both", "low", "high"],
) -> None:
    drawn = np.linspace(0.4, 0.6, 41)
    asked = Confidence(0.8, side)
    found = interval_of_draws(KS, 0.48, drawn, asked)
    plain = interval_of_replicates(drawn, 0.48, 0.8, side, ends=UNIT)
    low, high = Bias.of(drawn, 0.48, UNIT).less(plain[:2], side)
    assert found.method == "bootstrap less bias"
    assert (found.low, found.high) == pytest.approx((max(low, 0.0), min(high, 1.0)), rel=1e-12)
    named = interval_of_draws(KS, 0.48, drawn, replace(asked, method="bootstrap"))
    assert (named.low, named.high) == (min(plain.low, 0.48), max(plain.high, 0.48))
    assert named.method == "bootstrap"


def test_a_bias_is_remarked_from_a_quarter_or_four_fifths_of_an_error_on() -> None:
    """Of extremes by percentiles from 0.25 standard errors on, otherwise from 0.8."""
    drawn = np.linspace(0.4, 0.6, 41)
    error = float(drawn.std(ddof=1))
    percentiles = Confidence(0.8, method="bootstrap")
    for metric, asked, most in (
        (KS, percentiles, 0.25),
        (KS, Confidence(0.8), 0.8),
        (AREA, Confidence(0.8), 0.8),
        (AREA, percentiles, 0.8),
    ):
        for shown, where in ((most + 0.01, "above"), (-most - 0.01, "below")):
            found = interval_of_draws(metric, 0.5 - shown * error, drawn, asked)
            text = f"its replicates lie {abs(shown):.1f} standard errors {where} it"
            assert found.remark == f"the value is biased: {text}"
        for shown in (most - 0.01, 0.01 - most):
            assert interval_of_draws(metric, 0.5 - shown * error, drawn, asked).remark is None


def bias(shown: float = 0.0, end: float = 1.0, mean: float = 0.9, half: float = 0.0) -> Bias:
    return Bias(0.89, mean, shown, end, half)


def test_limits_of_the_remarks_on_a_bias() -> None:
    """At 0.25 and 0.8 standard errors there is none yet."""
    assert bias(0.25).remark(True, False) is None
    assert bias(-0.2500001).remark(True, False) is not None
    for of in ((True, True), (False, False), (False, True)):
        assert bias(0.8).remark(*of) is None
        assert bias(0.8000001).remark(*of) is not None


def test_few_rows_from_the_end_are_remarked_of_extremes() -> None:
    """The value of a row is twice half a row: with fewer than four to the end there is a remark."""
    near = bias(half=0.0126).remark(True, True)
    assert near == "only about 4.0 rows separate the value from 1"
    assert bias(half=0.025).remark(True, False) == ("only about 2.0 rows separate the value from 1")
    low = bias(end=0.0, mean=0.1, half=0.02).remark(True, False)
    assert low == "only about 2.5 rows separate the value from 0"
    exact = Bias(0.4, 0.5, 0.0, 1.0, 0.0625)
    assert exact.remark(True, False) is None
    assert replace(exact, half=0.0626).remark(True, False) is not None
    assert bias(half=0.0124).remark(True, True) is None
    assert bias(half=0.025).remark(False, False) is None
    assert bias(half=0.0).remark(True, False) is None
    assert Bias(1.0, 1.0, 0.0, 1.0, 0.0).remark(True, False) is None


def test_a_bias_by_hand() -> None:
    """Half a row of a proportion p changes it by s² ÷ (2·p·(1 − p)), with s² = p·(1 − p) ÷ n."""
    drawn = np.array([0.5, 0.6, 0.7, 0.8])
    spread = math.sqrt(0.05 / 3.0)
    up = Bias.of(drawn, 0.6, UNIT)
    assert (up.value, up.end, up.is_up) == (0.6, 1.0, True)
    assert (up.mean, up.shown) == pytest.approx((0.65, 0.05 / spread), rel=1e-12)
    assert up.half == pytest.approx(spread**2 / (2.0 * 0.35 * 0.65), rel=1e-12)
    down = Bias.of(drawn, 0.7, UNIT)
    assert (down.end, down.is_up) == (0.0, False)
    assert down.half == pytest.approx(up.half, rel=1e-12)
    assert down.shown == pytest.approx(-0.05 / spread, rel=1e-12)
    none = Bias.of(np.array([0.25, 0.5, 0.75]), 0.5, UNIT)
    assert (none.shown, none.end, none.is_up) == (0.0, 0.0, False)


def test_half_a_row_depends_on_the_ends() -> None:
    """In another range the proportion is that of the range; with one end it is near 0 or 1."""
    drawn = np.array([0.5, 0.6, 0.7, 0.8])
    square = 0.05 / 3.0
    wide = Bias.of(4.0 * drawn - 1.0, 1.4, (-1.0, 3.0))
    assert wide.half == pytest.approx(4.0 * square / (2.0 * 0.35 * 0.65), rel=1e-12)
    one = Bias.of(drawn, 0.7, (0.0, math.inf))
    assert one.half == pytest.approx(square / (2.0 * 0.65), rel=1e-12)
    assert Bias.of(drawn, 0.6, (0.0, math.inf)).half == 0.0
    assert Bias.of(drawn, 0.6, (-math.inf, math.inf)).half == 0.0
    # Replicates that lie at the end, or at the other one, show no proportion.
    assert Bias.of(np.array([0.9, 1.1]), 0.9, UNIT).half == 0.0
    assert Bias.of(np.array([-0.1, 0.1]), -0.1, UNIT).half == 0.0
    assert Bias.of(np.array([-0.4, 0.1]), -0.3, UNIT).half == 0.0


def test_a_limit_at_the_end_moves_by_factors_of_its_distance() -> None:
    """Without half a row the distance 0 stays 0, and others are multiplied."""
    up = Bias(0.5, 0.6, 0.5, 1.0, 0.0)
    times = 0.5 / 0.4
    low, high = up.less((0.3, 1.0), "both")
    assert low == pytest.approx(1.0 - 0.7 * times**3.5, rel=1e-12)
    assert high == pytest.approx(1.0, abs=1e-300)
    down = Bias(0.5, 0.4, -0.5, 0.0, 0.0)
    low, high = down.less((0.0, 0.7), "both")
    assert low == pytest.approx(0.0, abs=1e-300)
    assert high == pytest.approx(0.7 * times**3.5, rel=1e-12)


def test_a_distance_grows_to_the_largest_number_at_most() -> None:
    """Factors of e to the power of 700 and more are one factor."""
    up = Bias(-1e300, 1.0 - 1e-9, 9.0, 1.0, 0.0)
    low, _ = up.less((0.3, 0.9), "both")
    assert low == pytest.approx(1.0 - math.exp(700.0), rel=1e-12)


def test_limits_without_an_end_move_by_multiples_of_the_bias() -> None:
    """Twice the bias on its own side, 3 + 2·b² times on the other; the end of one limit stays."""
    for sign in (1.0, -1.0):
        moved = Bias(0.0, 0.5 * sign, 1.5 * sign, sign * math.inf, 0.0)
        far, near = -2.0 * sign - 7.5 * 0.5 * sign, 3.0 * sign - 2.0 * 0.5 * sign
        given, wanted = (-2.0 * sign, 3.0 * sign), (far, near)
        (low, high), (below, above) = (given, wanted) if sign > 0 else (given[::-1], wanted[::-1])
        assert moved.less((low, high), "both") == pytest.approx((below, above), rel=1e-12)
        assert moved.less((low, high), "low") == pytest.approx((below, high), rel=1e-12)
        assert moved.less((low, high), "high") == pytest.approx((low, above), rel=1e-12)
