"""Formulas of limits, by their equations solved another way and at their edges."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from scipy import optimize, special, stats

from karat.errors import KaratError
from karat.inference.confidence import Confidence, Interval, Side
from karat.inference.limits import (
    FARTHEST,
    _expanded,
    beta_limits,
    beta_quantiles,
    exact_limits,
    last_kept,
    log_limits,
    logit_limits,
    newcombe_limits,
    quick_beta_high,
    quick_beta_low,
    student_quantile,
    transformed,
    wilson_limits,
    wilson_limits_of_moving,
    wilson_limits_of_one,
)
from karat.inference.sampling_error import SamplingError
from karat.inference.sizes import (
    Pilot,
    RowsNeeded,
    SizeSpec,
    _least,
    _on_scale,
    rows_for_difference,
    rows_for_interval,
    rows_for_scores,
    variance_of_variance,
)
from karat.inference.table_variance import TableVariance
from karat.inference.value_limits import StudentLevels, _n_losing, interval_of_rows, score_interval
from karat.metrics import get
from karat.tally import Cells, Classes

Z = 1.6448536269514722
ASKED = Confidence(0.9)
ASKED_OF = {side: Confidence(0.9, side=side) for side in get_args(Side)}
SHARES = [0.0, 0.02, 0.3, 0.5, 0.9, 1.0]


@pytest.mark.parametrize("quantile", [0.5, 1.0, Z, 4.0])
@pytest.mark.parametrize("n", [0.5, 3.0, 40.0, 1e6])
def test_wilsons_limits_solve_his_equation(n: float, quantile: float) -> None:
    """n·(p − limit)² = z²·limit·(1 − limit), below and above."""
    low, high = wilson_limits(SHARES, n, quantile)
    for p, *ends in zip(SHARES, low, high, strict=True):
        roots = np.roots([n + quantile**2, -2 * n * p - quantile**2, n * p * p])
        assert ends == pytest.approx(sorted(roots.real), rel=1e-7, abs=1e-9)
        assert wilson_limits_of_one(p, n, quantile) == tuple(map(float, ends))


def test_wilsons_limits_of_arrays_are_those_of_each() -> None:
    """Shares, rows and quantiles of each, bit by bit, with the edges of all three."""
    p = np.array([0.0, 1.0, 0.25, 0.25, 0.25, 0.6, 1e-20, 1 - 1e-16])
    n = np.array([10.0, 10.0, 0.0, -3.0, np.nan, 0.3, 50.0, 50.0])
    quantile = np.array([1.0, 2.0, 1.0, 1.0, 1.0, 0.0, 1.3, 1.7])
    low, high = wilson_limits(p, n, quantile)
    for i in range(len(p)):
        one = wilson_limits_of_one(float(p[i]), float(n[i]), float(quantile[i]))
        assert one == (float(low[i]), float(high[i]))
    assert (low[0], high[1]) == (0.0, 1.0)
    # Without rows nothing is known.
    assert low[2:5].tolist() == [0.0] * 3
    assert high[2:5].tolist() == [1.0] * 3
    assert (float(low[5]), float(high[5])) == pytest.approx((0.6, 0.6), rel=1e-15)


def test_no_rows_have_the_whole_range_at_any_quantile() -> None:
    """Exactly, where the formula would leave a rounding error."""
    quantiles = np.random.default_rng(3).uniform(0.1, 9.0, 200)
    low, high = wilson_limits(0.25, 0.0, quantiles)
    assert not low.any()
    assert (high == 1.0).all()
    assert {wilson_limits_of_one(0.25, 0.0, z) for z in quantiles.tolist()} == {(0.0, 1.0)}
    # Less than one row is some.
    assert 0.0 < wilson_limits_of_one(0.25, 0.5, 1.0)[0] == float(wilson_limits(0.25, 0.5, 1.0)[0])
    assert [float(x) for x in wilson_limits(0.25, -0.5, 3.0)] == [0.0, 1.0]
    assert wilson_limits_of_one(0.25, -0.5, 3.0) == (0.0, 1.0)


def test_limits_hold_the_share_and_stay_in_the_range() -> None:
    """However near to an end of the range it is, and beyond it by rounding."""
    rng = np.random.default_rng(1)
    p = 10.0 ** rng.uniform(-40, -8, 300)
    for quantile in rng.uniform(0.3, 6.0, 6).tolist():
        for share in (p, 1.0 - p):
            low, high = wilson_limits(share, 7.0, quantile)
            assert (low >= 0.0).all()
            assert (low <= share).all()
            assert (share <= high).all()
            assert (high <= 1.0).all()
            one = [wilson_limits_of_one(float(x), 7.0, quantile) for x in share]
            assert [x for x, _ in one] == low.tolist()
            assert [x for _, x in one] == high.tolist()
    above, below = 1.0 + 2.3e-16, -1e-17
    for share, end in ((above, 1.0), (below, 0.0)):
        low, high = wilson_limits(share, 10.0, 0.0)
        assert float(low) == pytest.approx(end, abs=1e-15)
        assert float(high) == pytest.approx(end, abs=1e-15)
        one = wilson_limits_of_one(share, 10.0, 0.0)
        assert one == (float(low), float(high))
        assert float(high if end else low) == end


def moving(share: float, at: float, variance: float, slope: float, z: float) -> list[float]:
    """The farthest solutions of (y − share)² = z²·V(y) on both sides, in the range.

    V is a parabola on each side: through the point, with the slope, and 0 at the end.
    """
    found = []
    for end in (0.0, 1.0):
        steep = slope
        # Not below 0 between the point and the end.
        if end > at:
            steep = max(slope, -variance / (end - at))
        if end < at:
            steep = min(slope, -variance / (end - at))
        bend = -(variance + steep * (end - at)) / (end - at) ** 2
        line = np.poly1d([1.0, -at])
        curve = np.poly1d([1.0, -share]) ** 2 - z * z * (variance + steep * line + bend * line**2)
        roots = curve.roots.real
        found.append(float(np.clip(max(roots) if end else min(roots), 0.0, 1.0)))
    return found


@pytest.mark.parametrize(
    ("share", "at", "variance", "slope"),
    [
        (0.9, 0.9, 0.0009, -0.008),
        (0.4, 0.5, 0.003, 0.004),
        (0.6, 0.5, 0.003, -0.02),
        (0.5, 0.5, 0.004, 0.5),
        (0.5, 0.5, 0.004, -0.5),
        (0.2, 0.3, 0.05, 0.1),
        (0.97, 0.9, 0.002, -0.03),
    ],
)
def test_limits_of_a_moving_variance_solve_their_equation(
    share: float, at: float, variance: float, slope: float
) -> None:
    """(limit − value)² = z²·variance there, toward both ends."""
    for z in (0.7, Z, 3.0):
        found = wilson_limits_of_moving(share, at, variance, slope, z)
        assert found == pytest.approx(moving(share, at, variance, slope, z), rel=1e-9)
        # Seen from the other end, it is the same.
        turned = wilson_limits_of_moving(1 - share, 1 - at, variance, -slope, z)
        assert turned == pytest.approx((1 - found[1], 1 - found[0]), rel=1e-9)


def test_limits_of_a_moving_variance_at_the_ends() -> None:
    """At an end of the range a limit is the end; without a way to go, the value."""
    z, n = Z, 25.0
    for p in (0.0, 0.1, 0.5, 1.0):
        shape = 0.2 if p in (0.0, 1.0) else p
        found = wilson_limits_of_moving(p, shape, shape * (1 - shape) / n, (1 - 2 * shape) / n, z)
        assert found == pytest.approx([float(x) for x in wilson_limits(p, n, z)], rel=1e-9)
    low, high = wilson_limits_of_moving(0.9, 1.0, 0.001, 0.0, z)
    assert high == 0.9
    assert low < 0.9
    low, high = wilson_limits_of_moving(0.1, 0.0, 0.001, 0.0, z)
    assert low == 0.1
    assert high > 0.1
    # Where the variance at the value itself would be below 0, the limit is on its side.
    found = wilson_limits_of_moving(0.1, 0.5, 0.001, 0.05, 0.5)
    assert found == pytest.approx(moving(0.1, 0.5, 0.001, 0.05, 0.5), rel=1e-9)
    assert found == pytest.approx((0.09317, 0.11623), abs=5e-6)
    # A limit past the end of the range is the end.
    assert wilson_limits_of_moving(0.5, 0.5, 0.25, 0.0, 50.0) == pytest.approx((0.0, 1.0), abs=1e-3)


def test_beta_limits_are_quantiles_of_jeffreys_posterior() -> None:
    """Those of a share of 0 and 1 reach the end, and without rows both do."""
    n = np.array([4.0, 9.0, 30.0, 7.0, 12.0, 5.0])
    low, high = beta_limits(SHARES, n, 0.05)
    for i, p in enumerate(SHARES):
        beta = stats.beta(p * n[i] + 0.5, (1 - p) * n[i] + 0.5)
        assert low[i] == pytest.approx(min(beta.ppf(0.05), p), rel=1e-10)
        assert high[i] == pytest.approx(max(beta.ppf(0.95), p), rel=1e-10)
    assert (low[0], high[-1]) == (0.0, 1.0)
    some, none = beta_limits(np.full(3, 0.5), np.array([0.0, 3.0, 0.5]), 0.05)
    assert (some[0], none[0]) == (0.0, 1.0)
    beta = stats.beta([2.0, 0.75], [2.0, 0.75])
    assert some[1:] == pytest.approx(beta.ppf(0.05), rel=1e-10)
    assert none[1:] == pytest.approx(beta.ppf(0.95), rel=1e-10)
    assert np.isfinite(beta_limits(0.5, 2.0, 0.05)).all()
    assert beta_limits(np.zeros(0), np.zeros(0), 0.05)[0].shape == (0,)


def test_exact_limits_are_those_of_the_binomial_distribution() -> None:
    """With the lower limit as many hits have the tail as probability; few hits reach the end."""
    n, tail = 20, 0.01
    for hits in (0, 1, 7, 19, 20):
        low, high = map(float, exact_limits(hits / n, n, tail))
        if hits:
            assert float(stats.binom.sf(hits - 1, n, low)) == pytest.approx(tail, rel=1e-8)
        else:
            assert low == 0.0
        if hits < n:
            assert float(stats.binom.cdf(hits, n, high)) == pytest.approx(tail, rel=1e-8)
        else:
            assert high == 1.0
    # A rounding error of no hit is none; less than one hit is some.
    low, high = exact_limits([1e-14, 1 - 1e-14, 0.01, 0.99], 10.0, tail)
    assert (low[0], high[1]) == (0.0, 1.0)
    assert float(low[2]) == pytest.approx(stats.beta(0.1, 10.9).ppf(tail), rel=1e-9)
    assert float(high[3]) == pytest.approx(1 - stats.beta(0.1, 10.9).ppf(tail), rel=1e-9)
    # Quantiles past the share move to it.
    low, high = exact_limits([0.25, 0.75], 8.0, 0.8)
    assert (low <= [0.25, 0.75]).all()
    assert (high >= [0.25, 0.75]).all()
    assert (float(low[0]), float(high[1])) == (0.25, 0.75)
    both = exact_limits(np.array([[0.2], [0.4]]), np.array([5.0, 10.0]), 0.05)
    assert both[0].shape == (2, 2)
    assert float(both[1][1, 0]) == pytest.approx(stats.beta(3.0, 3.0).ppf(0.95), rel=1e-9)


@pytest.mark.parametrize("z", [0.5, Z, 2.5])
def test_quick_limits_solve_paulsons_equation(z: float) -> None:
    """(1 − 1/9b)·r − (1 − 1/9a) = z·√(r²/9b + 1/9a) with r the cube root of a quantile of F."""
    for p, n in ((0.1, 30.0), (0.5, 12.0), (0.9, 100.0), (0.0, 5.0)):
        a, b = p * n + 0.5, (1 - p) * n + 0.5

        def off(r: float, a: float = a, b: float = b) -> float:
            return (
                (1 - 1 / (9 * b)) * r
                - (1 - 1 / (9 * a))
                - z * math.sqrt(r * r / (9 * b) + 1 / (9 * a))
            )

        hits = a * optimize.brentq(off, 0.0, 1e3, xtol=1e-15, rtol=1e-14) ** 3
        assert float(quick_beta_high(p, n, z)) == pytest.approx(hits / (hits + b), rel=1e-10)
        assert float(quick_beta_low(1 - p, n, z)) == pytest.approx(b / (hits + b), rel=1e-10)


def test_quick_limits_reach_the_end() -> None:
    """Of a share of 1, past the end of the approximation, and never below the share."""
    assert float(quick_beta_high(1.0, 10.0, Z)) == 1.0
    assert float(quick_beta_low(0.0, 10.0, Z)) == 0.0
    # One miss in two rows, five standard errors away: 9·1½·(1 − 1 ÷ 13½)² < 25.
    assert float(quick_beta_high(0.5, 2.0, 5.0)) == 1.0
    found = quick_beta_high([0.5, 0.5], [2.0, 100.0], 5.0)
    assert found[0] == 1.0
    assert 0.6 < found[1] < 0.8
    assert float(quick_beta_high(0.9, 100.0, -3.0)) == 0.9


def test_many_quantiles_are_those_of_each() -> None:
    """However many classes there are, in any shape, with few counts or with all different ones."""
    rng = np.random.default_rng(2)
    few = rng.integers(0, 4, (2, 3, 3000)).astype(float)
    found = beta_quantiles(few, 0.05)
    assert found.shape == few.shape
    sides = [(a, b) for a in range(4) for b in range(4)]
    table = {
        (a, b): [special.betaincinv(x + 0.5, y + 0.5, 0.05) for x, y in ((a, b), (b, a))]
        for a, b in sides
    }
    for i, j in ((0, 0), (1, 77), (2, 2999)):
        low, high = table[int(few[0, i, j]), int(few[1, i, j])]
        assert found[0, i, j] == pytest.approx(low, rel=1e-10)
        assert found[1, i, j] == pytest.approx(1 - high, rel=1e-10)
    for (a, b), (low, high) in table.items():
        held = (few[0] == a) & (few[1] == b)
        assert found[0][held] == pytest.approx(low, rel=1e-10)
        assert found[1][held] == pytest.approx(1 - high, rel=1e-10)
    many = np.stack([np.arange(8200.0), np.full(8200, 3.0)])
    last = beta_quantiles(many, 0.05)[:, -1]
    beta = stats.beta(8199.5, 3.5)
    assert last == pytest.approx([beta.ppf(0.05), beta.ppf(0.95)], rel=1e-9)


@pytest.mark.parametrize("tail", [0.4999, 0.4, 0.05, 1e-3, 4e-4, 1e-7, 1e-12])
def test_students_quantiles(tail: float) -> None:
    """Closed forms of 1 and 2 degrees of freedom, and those of scipy."""
    assert student_quantile(1.0, tail) == pytest.approx(1 / math.tan(math.pi * tail), rel=2e-12)
    expected = (1 - 2 * tail) / math.sqrt(2 * tail * (1 - tail))
    assert student_quantile(2.0, tail) == pytest.approx(expected, rel=2e-12)
    for df in (0.7, 3.0, 12.5, 250.0, 9999.0, 1e4, 3e4, 1e7):
        expected = float(stats.t.isf(tail, df))
        assert student_quantile(df, tail) == pytest.approx(expected, rel=1e-8), df
    expected = float(stats.norm.isf(tail))
    assert student_quantile(math.inf, tail) == pytest.approx(expected, rel=1e-9)


def test_students_quantiles_by_their_expansion() -> None:
    """Terms of 1 ÷ df up to the fourth power (Abramowitz and Stegun 26.7.5), by their numbers."""
    z = 1.3
    odd = [z**power for power in (1, 3, 5, 7, 9)]
    terms = [
        (odd[1] + odd[0]) / 4,
        (5 * odd[2] + 16 * odd[1] + 3 * odd[0]) / 96,
        (3 * odd[3] + 19 * odd[2] + 17 * odd[1] - 15 * odd[0]) / 384,
        (79 * odd[4] + 776 * odd[3] + 1482 * odd[2] - 1920 * odd[1] - 945 * odd[0]) / 92160,
    ]
    for df in (1.0, 2.0):
        expected = z + sum(term / df**i for i, term in enumerate(terms, 1))
        assert _expanded(z, df) == pytest.approx(expected, rel=1e-14)


def test_students_quantiles_at_the_edges() -> None:
    """Half of the probability lies beyond 0; of few degrees of freedom it is past any range."""
    assert student_quantile(5.0, 0.5) == 0.0
    assert student_quantile(math.inf, 0.5) == 0.0
    assert student_quantile(1e-3, 0.025) == FARTHEST == 1e150
    assert student_quantile(1e-6, 1e-9) == FARTHEST
    assert math.isnan(student_quantile(math.nan, 0.025))


def test_limits_on_scales() -> None:
    """The same distance on both sides, on the scale of the logarithm and of the logit."""
    low, high = log_limits([2.0, 5.0], [0.5, 1.0], 2.0)
    for x, error, *ends in ((2.0, 0.5, low[0], high[0]), (5.0, 1.0, low[1], high[1])):
        step = 2.0 * error / x
        assert np.log(ends) == pytest.approx([math.log(x) - step, math.log(x) + step], rel=1e-12)
    low, high = logit_limits([0.2, 0.9], [0.05, 0.02], 2.0)
    for x, error, *ends in ((0.2, 0.05, low[0], high[0]), (0.9, 0.02, low[1], high[1])):
        step = 2.0 * error / (x * (1 - x))
        centre = float(special.logit(x))
        assert special.logit(ends) == pytest.approx([centre - step, centre + step], rel=1e-12)
    # Too far for any number, they are the ends.
    assert [float(x) for x in log_limits(1e-3, 1e3, 5.0)] == [0.0, math.inf]
    assert [float(x) for x in logit_limits(0.5, 1e6, 5.0)] == [0.0, 1.0]


def test_transformed_limits_of_each_range() -> None:
    """The logit of a finite range, the logarithm of one end, or neither."""
    low, high, name = transformed(1.0, 0.3, 2.0, (-2.0, 6.0))
    share, step = 3.0 / 8.0, 2.0 * (0.3 / 8.0) / (3.0 / 8.0 * 5.0 / 8.0)
    centre = float(special.logit(share))
    expected = (8 * special.expit(centre - step) - 2, 8 * special.expit(centre + step) - 2)
    assert ((low, high), name) == (pytest.approx(expected, rel=1e-12), "logit")
    low, high, name = transformed(5.0, 0.3, 2.0, (2.0, math.inf))
    factor = math.exp(2.0 * 0.3 / 3.0)
    expected = (2 + 3 / factor, 2 + 3 * factor)
    assert ((low, high), name) == (pytest.approx(expected, rel=1e-12), "log")
    low, high, name = transformed(-1.0, 0.3, 2.0, (-math.inf, 2.0))
    expected = (2 - 3 * factor, 2 - 3 / factor)
    assert ((low, high), name) == (pytest.approx(expected, rel=1e-12), "log")
    assert transformed(5.0, 0.25, 2.0, (-math.inf, math.inf)) == (4.5, 5.5, "")


def test_newcombes_limits_are_at_the_edge_of_a_test() -> None:
    """|θ − area| = z·√variance(θ), with the mean of both sides in the place of each."""
    for area, own, rest in ((0.8, 12.0, 30.0), (0.5, 4.0, 4.0), (0.97, 50.0, 9.0)):
        rows = (own + rest) / 2.0

        def off(theta: float, area: float, rows: float, product: float) -> float:
            one, other = theta / (2 - theta), 2 * theta**2 / (1 + theta)
            variance = theta * (1 - theta) + (rows - 1) * (one + other - 2 * theta**2)
            return (theta - area) ** 2 - Z**2 * variance / product

        given = area, rows, own * rest
        expected = (
            optimize.brentq(off, 0.0, area, given, xtol=1e-15, rtol=1e-14),
            optimize.brentq(off, area, 1.0, given, xtol=1e-15, rtol=1e-14),
        )
        assert newcombe_limits(area, own, rest, Z) == pytest.approx(expected, rel=1e-9)
    low, high = newcombe_limits(1.0, 12.0, 30.0, Z)
    assert high == 1.0
    assert 0.5 < low < 1.0
    assert newcombe_limits(0.0, 12.0, 30.0, Z) == pytest.approx((0.0, 1.0 - low), rel=1e-9)
    # Less than one row on both sides adds nothing: θ·(1 − θ) ÷ (n₁·n₀).
    low, high = newcombe_limits(0.5, 0.5, 0.5, 0.3)
    for limit in (low, high):
        assert abs(limit - 0.5) == pytest.approx(
            0.3 * math.sqrt(limit * (1 - limit) / 0.25), rel=1e-9
        )
    assert high - 0.5 == pytest.approx(0.5 - low, rel=1e-9)


def test_the_last_number_that_is_kept() -> None:
    """By bisection toward the end; the end itself where it is kept, or where it starts there."""
    assert last_kept(lambda x: x <= 0.7, 0.2, 1.0) == pytest.approx(0.7, rel=1e-14)
    assert last_kept(lambda x: x <= 0.7, 0.2, 1.0) <= 0.7
    assert last_kept(lambda x: x >= 0.3, 0.8, 0.0) == pytest.approx(0.3, rel=1e-14)
    assert last_kept(lambda x: x >= 0.3, 0.8, 0.0) >= 0.3
    assert last_kept(lambda x: True, 0.2, 5.0) == 5.0
    assert last_kept(lambda x: False, 2.0, 2.0) == 2.0
    assert last_kept(lambda x: True, 0.2, 5.0, 3) == 5.0
    # Each step halves what is left.
    assert last_kept(lambda x: x < 1.0, 0.0, 1.0, 3) == 0.875
    assert last_kept(lambda x: x < 0.1, 0.0, 1.0, 3) == 0.0


def test_a_number_of_rows_stands_between_its_limits() -> None:
    """The lower one rounded up is at least 1, the upper one at least the number."""
    rows = RowsNeeded(400, 300.2, 532.1, 0.9)
    assert (int(rows), rows.low, rows.high, rows.level) == (400, 301, 533, 0.9)
    assert (repr(rows), str(rows)) == ("400 [301, 533]", "400 [301, 533]")
    odd = RowsNeeded(4, 9.5, 2.0)
    assert (odd.low, odd.high, odd.level) == (4, 4, 0.95)
    unsure = RowsNeeded(4)
    assert (unsure.low, unsure.high, str(unsure)) == (1, math.inf, "4 [1, unknown]")
    assert RowsNeeded(4, -3.0).low == 1
    assert RowsNeeded(4, 0.5, 1e15).high == math.inf
    assert RowsNeeded(4, 0.5, 1e15 - 1).high == 10**15 - 1
    around = RowsNeeded.around(100, 0.04, Confidence(0.9))
    assert (around.low, around.high, around.level) == (
        math.ceil(100 * math.exp(-0.2 * Z)),
        math.ceil(100 * math.exp(0.2 * Z)),
        0.9,
    )
    still = RowsNeeded.around(100, -0.04, Confidence(0.9))
    assert (still.low, still.high) == (100, 100)
    unknown = RowsNeeded.around(100, math.inf, Confidence(0.9))
    assert (unknown.low, unknown.high) == (1, math.inf)


def table_of(counts: Any) -> TableVariance:
    counts = np.asarray(counts)
    classes = Classes.of(range(len(counts)))
    return TableVariance(Cells.dense(counts, classes=classes, n_rows=int(counts.sum())))


def test_how_well_a_pilot_knows_its_variance() -> None:
    """(E φ⁴ ÷ (E φ²)² − 1) ÷ rows: of a share p of n rows (1 − 2p)² ÷ (p·(1 − p)·n)."""
    for counts, p, n in (([[12, 3], [5, 20]], 0.8, 40), ([[3, 1], [1, 3]], 0.75, 8)):
        expected = (1 - 2 * p) ** 2 / (p * (1 - p)) / n
        found = variance_of_variance(get("accuracy"), table_of(counts))
        assert found == pytest.approx(expected, rel=1e-12)
    even = variance_of_variance(get("accuracy"), table_of([[3, 2], [3, 2]]))
    assert even == pytest.approx(0.0, abs=1e-15)
    assert even >= 0.0
    assert variance_of_variance(get("accuracy"), table_of([[3, 0], [0, 2]])) == math.inf


@pytest.mark.parametrize("wanted", [1, 2, 3, 5, 8, 9, 31, 32, 33, 36, 40, 128, 129, 160, 1000])
def test_the_least_number_of_rows_is_found(wanted: int) -> None:
    """The first with which the interval is no wider, whole and exact."""
    metric = get("accuracy")
    found = _least(metric, lambda n: 1.0 / n, 1.0 / wanted)
    assert found == wanted
    assert isinstance(found, int)


def test_more_rows_than_there_are_numbers() -> None:
    """An interval that never narrows is refused, one at 10¹⁴ rows is not."""
    with pytest.raises(KaratError) as problem:
        _least(get("accuracy"), lambda n: 1.0, 0.5)
    assert problem.value.code == "K167"
    assert _least(get("accuracy"), lambda n: 1.0 / n, 1e-14) == 10**14


def test_numbers_on_the_scale_of_a_range() -> None:
    """The logit of a finite range, the logarithm from the one end that there is, or the number."""
    assert _on_scale(3.0, (-1.0, 7.0)) == pytest.approx(float(special.logit(0.5)), abs=1e-15)
    assert _on_scale(5.0, (-1.0, 7.0)) == pytest.approx(float(special.logit(0.75)), rel=1e-12)
    assert _on_scale(3.0, (-1.0, math.inf)) == pytest.approx(math.log(4.0), rel=1e-12)
    assert _on_scale(3.0, (-math.inf, 7.0)) == pytest.approx(-math.log(4.0), rel=1e-12)
    assert _on_scale(3.0, (-math.inf, math.inf)) == 3.0


@pytest.mark.parametrize("side", ["both", "low", "high"])
def test_rows_for_an_area_are_those_of_its_logit(side: str) -> None:
    """The error falls with the root of the rows, the excess of the pilot's width with the rows."""
    pilot, size = Pilot(50, "logit", Confidence(0.9)), SizeSpec(0.03, None, 0.8, ASKED_OF[side])
    value, error, n_pilot = 0.8, 0.05, 50
    slope = value * (1 - value)
    step = 1.2 * Z * error / slope
    high = float(special.expit(special.logit(value) + step))
    found = rows_for_scores(get("roc_auc"), value, error, high, pilot, size)
    z = float(stats.norm.isf(0.05 if side == "both" else 0.1))

    def width(n: int) -> float:
        farther = z * math.sqrt(1 + (1.2**2 - 1) * n_pilot / n)
        away = farther * error * math.sqrt(n_pilot / n) / slope
        centre = special.logit(value)
        below, above = value - special.expit(centre - away), special.expit(centre + away) - value
        return float({"low": below, "high": above}.get(side, (below + above) / 2))

    assert width(found) <= 0.03 < width(found - 1)
    # A limit nearer than the errors say is no excess.
    nearer = float(special.expit(special.logit(value) + 0.5 * step))
    few = rows_for_scores(get("roc_auc"), value, error, nearer, pilot, size)
    least = rows_for_scores(get("roc_auc"), value, error, value + 1e-9, pilot, size)
    assert few == least < found


def test_rows_for_a_loss_are_those_of_its_logarithm() -> None:
    """A range with two ends, too, is taken from its lower one where the pilot's scale says so."""
    size = SizeSpec(0.02, None, 0.8, Confidence(0.9, side="high"))
    z = float(stats.norm.isf(0.1))
    for name in ("log_loss", "brier"):
        pilot = Pilot(50, "log", Confidence(0.9, side="high"))
        high = 0.5 * math.exp(z * 0.05 / 0.5)
        found = rows_for_scores(get(name), 0.5, 0.05, high, pilot, size)

        def width(n: int) -> float:
            return 0.5 * math.exp(z * 0.05 / 0.5 * math.sqrt(50 / n)) - 0.5

        assert width(found) <= 0.02 < width(found - 1)
    # Below 1 without a lower end, it is the logarithm of what is missing to 1.
    pilot, high = Pilot(50, "log", size.confidence), 0.57
    excess = (math.log(0.5 / 0.43) / (z * 0.05 / 0.5)) ** 2 - 1
    found = rows_for_scores(get("d2_log_loss"), 0.5, 0.05, high, pilot, size)

    def width_of_skill(n: int) -> float:
        step = z * math.sqrt(1 + excess * 50 / n) * 0.05 * math.sqrt(50 / n) / 0.5
        return 0.5 - 0.5 * math.exp(-step)

    assert excess > 0
    assert width_of_skill(found) <= 0.02 < width_of_skill(found - 1)


def test_widths_that_no_interval_has() -> None:
    """Half of the range or more is refused, a little less is one row."""
    for name, half in (("accuracy", 0.5), ("kappa", 1.0)):
        for width in (half, half + 0.1):
            with pytest.raises(KaratError) as problem:
                rows_for_interval(
                    get(name), table_of([[12, 3], [5, 20]]), SizeSpec(width, None, 0.8, ASKED)
                )
            assert problem.value.code == "K167"
    low = rows_for_interval(
        get("accuracy"), table_of([[12, 3], [5, 20]]), SizeSpec(0.1, None, 0.8, ASKED)
    )
    # Nearly half of the range is narrow enough for few rows.
    wide = SizeSpec(0.45, None, 0.8, ASKED)
    assert 1 <= rows_for_interval(get("accuracy"), table_of([[12, 3], [5, 20]]), wide) < low
    p, z2 = 0.8, Z * Z

    def half_of(n: int) -> float:
        return Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)

    assert half_of(low) <= 0.1 < half_of(low - 1)
    for counts, why in (
        ([[5, 0], [0, 0]], "It is undefined in the pilot"),
        ([[5, 0], [3, 0]], "The metric is not differentiable at this confusion matrix"),
    ):
        with pytest.raises(KaratError, match=why):
            rows_for_interval(get("g_mean"), table_of(counts), SizeSpec(0.1, None, 0.8, ASKED))


def test_rows_of_each_of_two_test_sets() -> None:
    """2·p·(1 − p)·(q ÷ difference)² rows, with the quantiles of level and power."""
    size = SizeSpec(None, -0.05, 0.8, ASKED)
    quantile = Z + float(stats.norm.ppf(0.8))
    assert size.quantiles == pytest.approx(quantile, rel=1e-12)
    found = rows_for_difference(get("accuracy"), table_of([[12, 3], [5, 20]]), size)
    assert found == math.ceil(2 * 0.16 * (quantile / 0.05) ** 2)
    with pytest.raises(KaratError) as problem:
        rows_for_difference(get("accuracy"), table_of([[12, 0], [0, 20]]), size)
    assert problem.value.code == "K167"


def test_limits_of_students_levels() -> None:
    """Standard errors on both sides, in the range; none of an unknown spread."""
    metric, t = get("accuracy"), float(stats.t.isf(0.05, 7))
    found = StudentLevels(metric, 0.6, 0.05, 7.0).interval(ASKED)
    assert (found.low, found.high) == pytest.approx((0.6 - t * 0.05, 0.6 + t * 0.05), rel=1e-9)
    assert (found.method, found.standard_error) == ("t", 0.05)
    wide = StudentLevels(metric, 0.6, 0.4, 7.0).interval(ASKED_OF["low"])
    assert (wide.low, wide.high) == (pytest.approx(0.6 - float(stats.t.isf(0.1, 7)) * 0.4), 1.0)
    for unknown in (0.0, math.nan):
        assert StudentLevels(metric, 0.6, unknown, 7.0).interval(ASKED) == Interval()


def test_sides_with_less_than_a_row_count_as_one() -> None:
    """Effective rows of a side of an area, and of losses; a share of 1 rests on all rows."""
    for value, shrunk in ((0.8, 0.25), (1.0, 0.0)):
        few = SamplingError(0.0001, shrunk, 9.0, 0.25)
        one = SamplingError(0.0001, shrunk, 9.0, 1.0)
        found = score_interval(get("roc_auc"), value, few, ASKED, 0.5)
        expected = score_interval(get("roc_auc"), value, one, ASKED, 1.0)
        assert (found.low, found.high) == (expected.low, expected.high)
        some = score_interval(get("roc_auc"), value, one, ASKED, 3.0)
        assert some.low != found.low
    losing = _n_losing(get("log_loss"), 0.5, SamplingError(0.04, 0.04, 9.0, 0.25))
    assert losing == pytest.approx(1 / (0.16 + 1.0), rel=1e-12)
    right = interval_of_rows(ASKED, get("subset_accuracy"), 1.0, 0.05, 80.0, 9.0)
    low, high = wilson_limits(1.0, 80.0, float(stats.t.isf(0.05, 9)))
    assert (right.low, right.high) == pytest.approx((float(low), float(high)), rel=1e-9)
