"""Variances and limits of differences of models, each number against its formula."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats

from karat.designs import units_of
from karat.designs.units import Sample, Units
from karat.inference.comparison.contrasts import (
    Apart,
    Paired,
    ValueLimits,
    _beyond_stirling,
    _chance_of_heads,
    _fewer_heads,
    _grown,
    correlation,
    distances_together,
    limits_together,
    mid_p,
    score_limits,
    score_statistic,
)
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.metrics import get
from karat.tally import ClusteredCells

Z = float(stats.norm.ppf(0.975))
PAIRS = [(1, 0), (2, 0), (2, 1)]

# Coins


def test_the_mid_p_value_of_neighbours_is_that_of_half_of_the_coins() -> None:
    """Of an odd number of coins at most half are heads with the chance ½, of which half counts."""
    for b in (0, 1, 3, 700, 5000, 60_000, 5_000_000):
        chance = _chance_of_heads(b, 2 * b + 1)
        for pair in ((b, b + 1), (b + 1, b)):
            assert mid_p(*pair) == pytest.approx(1.0 - chance, rel=1e-12)
        assert mid_p(b + 1, b + 1) == 1.0 - _chance_of_heads(b + 1, 2 * b + 2) / 2.0


def test_so_many_coins_as_no_sum_holds_are_normal() -> None:
    b, c = 3 * 10**14, 3 * 10**14 + 10**7
    assert mid_p(b, c) == math.erfc(10**7 / math.sqrt(2.0 * (b + c)))
    # Where nearly all are tails, few terms are enough.
    assert mid_p(10**3, 10**14) == 0.0


@pytest.mark.parametrize(("heads", "n"), [(0, 9), (1, 9), (4, 9), (5000, 10_050), (9000, 19_000)])
def test_fewer_heads_by_the_binomial_distribution(heads: int, n: int) -> None:
    wanted, term = mpmath.mpf(0), mpmath.mpf(1)
    for i in range(heads, 0, -1):
        term *= mpmath.mpf(i) / (n - i + 1)
        wanted += term
    assert _fewer_heads(heads, n) == pytest.approx(float(wanted), rel=1e-11)


def test_terms_end_where_they_add_nothing() -> None:
    """From 10⁹ heads of 3·10⁹ coins each number less is half as likely: 1 in all."""
    assert _fewer_heads(10**9, 3 * 10**9) == pytest.approx(1.0, rel=1e-7)


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 60, 1000])
def test_what_stirling_leaves(n: int) -> None:
    with mpmath.workdps(40):
        stirling = mpmath.log(2 * mpmath.pi * n) / 2 + n * (mpmath.log(n) - 1)
        wanted = float(mpmath.loggamma(n + 1) - stirling)
    rel = 1e-11 if n < 20 else 1e-14
    assert _beyond_stirling(n) == pytest.approx(wanted, rel=rel, abs=0.0)


@pytest.mark.parametrize(("heads", "n"), [(450, 1010), (300, 1200), (1, 1100), (3751, 10_000)])
def test_the_chance_of_heads_of_many_coins(heads: int, n: int) -> None:
    wanted = float(mpmath.binomial(n, heads) / mpmath.mpf(2) ** n)
    assert _chance_of_heads(heads, n) == pytest.approx(wanted, rel=1e-12, abs=0.0)


def test_the_chance_of_heads_of_few_coins_is_exact() -> None:
    for heads, n in ((0, 3), (5, 11), (333, 1000), (500, 1000)):
        assert _chance_of_heads(heads, n) == math.comb(n, heads) / 2**n


# Tango's statistic


@pytest.mark.parametrize(("b", "c", "n"), [(3, 9, 40), (5, 4, 30), (12, 1, 25), (7, 9, 16)])
@pytest.mark.parametrize("difference", [-0.6, -0.05, 0.0, 0.1, 0.3])
def test_the_standard_error_is_that_of_the_likeliest_shares(
    b: int, c: int, n: int, difference: float
) -> None:
    """At the largest likelihood its slope in the share of the second model is 0."""
    rest = n - b - c

    def slope(q: float) -> float:
        return (
            b * q * (1.0 - 2.0 * q - difference)
            + c * (q + difference) * (1.0 - 2.0 * q - difference)
            - 2.0 * rest * q * (q + difference)
        )

    least, most = max(0.0, -difference), (1.0 - difference) / 2.0
    share = most  # where nothing is left for rows on which both agree
    if rest:
        share = optimize.brentq(slope, least + 1e-15, most - 1e-15, xtol=1e-15)
    variance = n * (2.0 * share + difference - difference**2)
    wanted = (b - c - n * difference) / math.sqrt(variance)
    assert score_statistic(b, c, n, difference) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("b", "c", "n"), [(3, 9, 40), (0, 4, 30), (12, 0, 25), (0, 0, 10)])
def test_score_limits_are_the_last_that_are_not_refused(b: int, c: int, n: int) -> None:
    low, high = score_limits(b, c, n, 1.5)
    assert score_statistic(b, c, n, low) == pytest.approx(1.5, rel=1e-9)
    assert score_statistic(b, c, n, high) == pytest.approx(-1.5, rel=1e-9)
    assert low < (b - c) / n < high


def test_the_statistic_of_a_hundredth_of_the_rows_is_a_tenth() -> None:
    for difference in (-0.3, 0.0, 0.2):
        whole = score_statistic(9, 2, 40, difference)
        assert score_statistic(0.09, 0.02, 0.4, difference) == pytest.approx(whole / 10.0)


def test_score_limits_at_the_ends() -> None:
    """A model alone right on all rows may be so on all there are."""
    assert score_limits(7, 0, 7, 2.0)[1] == 1.0
    assert score_limits(0, 7, 7, 2.0)[0] == -1.0


# Models on the same rows


def rows(n: int = 40, seed: int = 0, *, is_clustered: bool = False) -> tuple[Any, Any, Units]:
    """Influences of three models, weights and their units."""
    rng = np.random.default_rng(seed)
    phi, w = rng.normal(size=(3, n)), rng.uniform(0.5, 2.0, n)
    groups = ClusteredCells.of(np.arange(n) // 4, np.arange(n), w) if is_clustered else None
    return phi, w, units_of("cohort", Sample.of_rows(w, n), groups)


def variance_by_hand(w: Any, phi: Any) -> float:
    """Σ w²(φ − mean)² ÷ W²."""
    mean = float((w * phi).sum() / w.sum())
    return float((w**2 * (phi - mean) ** 2).sum() / w.sum() ** 2)


def covariance_by_hand(w: Any, one: Any, other: Any) -> float:
    return (variance_by_hand(w, one + other) - variance_by_hand(w, one - other)) / 4.0


def test_variances_of_differences_are_those_of_the_influences() -> None:
    phi, w, units = rows()
    pairs = [(1, 0), (2, 0), (2, 1), (0, 1)]
    found = Paired.of(phi, units, pairs)
    for a, b in pairs:
        assert found.variance(a, b) == pytest.approx(variance_by_hand(w, phi[a] - phi[b]))
        assert found.variance_of_limits(a, b) == found.variance(a, b)
    assert found.variance(1, 0) == found.variance(0, 1) == found.contrasts()[0, 0]
    assert found.variance(2, 0) == found.contrasts()[1, 1]
    for a, b in pairs:
        assert found.degrees(a, b) == math.inf
    apart = phi[1] - phi[0], phi[2] - phi[0]
    wanted = [[covariance_by_hand(w, one, other) for other in apart] for one in apart]
    np.testing.assert_allclose(found.contrasts(), wanted, rtol=1e-12)
    assert (found.own, found.df, found.likely) == (None, math.inf, {})
    assert found.covariance_of_values() is None
    as_list = Paired.of(list(phi), units, iter(pairs))
    assert as_list.variances == found.variances


def test_degrees_of_freedom_are_those_of_each_difference_and_the_fewest() -> None:
    phi, _, units = rows(is_clustered=True)
    found = Paired.of(phi, units, PAIRS)
    own = {(a, b): units.degrees(phi[a] - phi[b]) for a, b in PAIRS}
    assert found.own_df == own
    assert len(set(own.values())) == 3
    assert found.df == min(own.values())
    assert [found.degrees(*pair) for pair in PAIRS] == list(own.values())
    assert found.degrees(5, 6) == found.df
    middle = sorted(own.values())[1]
    capped = found.capped(middle)
    assert capped.own_df == {pair: min(each, middle) for pair, each in own.items()}
    assert capped.df == found.df
    assert found.capped(0.5).df == 0.5
    assert Paired.of(phi, units, []).df == units.df


def test_influences_that_differ_by_rounding_alone_do_not_vary() -> None:
    phi, w, units = rows()
    own = np.array([variance_by_hand(w, each) for each in phi])
    # Of a value that varies by 1 the difference may vary by 10⁻²⁴.
    for size, is_still in ((0.9e-12, True), (1.1e-12, False)):
        near = phi.copy()
        near[1] = phi[0] + size * math.sqrt(own[0] / own[2]) * phi[2]
        found = Paired.of(near, units, [(1, 0), (2, 0), (2, 1)], own[[0, 0, 2]])
        assert (found.variance(1, 0) == 0.0) is is_still
        zeros = (found.contrasts() == 0.0).tolist()
        assert zeros == [[is_still, is_still], [is_still, False]]
        assert found.contrasts()[1, 1] == found.variance(2, 0) > 0.0
        assert found.variance(2, 1) > 0.0
        # The larger of both values decides.
        for own_of_both in ([own[0], 0.0, own[2]], [0.0, own[0], own[2]]):
            larger = Paired.of(near, units, PAIRS, np.array(own_of_both))
            assert (larger.variance(1, 0) == 0.0) is is_still
            assert (larger.contrasts()[0, 0] == 0.0) == is_still
    for unknown in (math.nan, math.inf):
        kept = Paired.of(near, units, [(1, 0)], np.array([unknown, unknown, own[2]]))
        assert kept.variance(1, 0) > 0.0
    exact = Paired.of(phi[[0, 0, 0]], units, [(1, 0)], np.zeros(3))
    assert (exact.variance(1, 0), exact.contrasts().tolist()) == (0.0, [[0.0, 0.0], [0.0, 0.0]])


def test_variances_grow_by_what_few_rows_do_not_show() -> None:
    phi, w, units = rows()
    own = np.array([variance_by_hand(w, each) for each in phi])
    growth = [0.0, 0.3 * own[1], 0.1 * own[2]]
    found = Paired.of(phi, units, PAIRS, own, growth)
    for a, b in PAIRS:
        goes = covariance_by_hand(w, phi[a], phi[b]) / math.sqrt(own[a] * own[b])
        more = own[a] + growth[a], own[b] + growth[b]
        wanted = more[0] + more[1] - 2.0 * goes * math.sqrt(more[0] * more[1])
        assert found.variance_of_limits(a, b) == pytest.approx(wanted, rel=1e-9)
        assert found.variance(a, b) == pytest.approx(variance_by_hand(w, phi[a] - phi[b]))
    assert Paired.of(phi, units, PAIRS, own, [0.0, 0.0, 0.0]).likely == {}
    assert Paired.of(phi, units, PAIRS, own).likely == {}
    assert Paired.of(phi, units, PAIRS, None, growth).likely == {}


def test_a_variance_that_grows_by_hand() -> None:
    assert _grown(2.0, (4.0, 9.0), (0.0, 0.0)) == pytest.approx(2.0)
    # ρ = (4 + 9 − 2) ÷ (2 · 2 · 3), of variances 5 and 16.
    wanted = 5.0 + 16.0 - 2.0 * (11.0 / 12.0) * math.sqrt(80.0)
    assert _grown(2.0, (4.0, 9.0), (1.0, 7.0)) == pytest.approx(wanted)
    # A value that does not vary goes with no other.
    assert _grown(4.0, (4.0, 0.0), (1.0, 2.0)) == pytest.approx(7.0)
    assert _grown(4.0, (-1e-30, 4.0), (1.0, 2.0)) == pytest.approx(7.0)
    # Never further than hand in hand, or against each other, and never less than before.
    assert _grown(0.5, (4.0, 9.0), (5.0, 7.0)) == pytest.approx(max(0.5, (4.0 - 3.0) ** 2))
    assert _grown(40.0, (4.0, 9.0), (5.0, 7.0)) == pytest.approx((3.0 + 4.0) ** 2)
    assert _grown(2.0, (4.0, 9.0), (5.0, 0.0)) == 2.0
    for endless in (math.inf, math.nan):
        assert _grown(2.0, (4.0, 9.0), (endless, 1.0)) == 2.0


def test_pairs_of_which_nothing_is_known_have_no_variance() -> None:
    phi, _, units = rows()
    found = Paired.of(phi, units, [(1, 0)])
    more = found.of_pairs([(1, 0), (2, 0)])
    assert more.variance(1, 0) == found.variance(1, 0)
    assert math.isnan(more.variance(2, 0))


def test_the_covariance_of_values_follows_from_that_of_differences() -> None:
    phi, w, units = rows()
    own = np.array([variance_by_hand(w, each) for each in phi])
    found = Paired.of(phi, units, PAIRS, own).covariance_of_values()
    wanted = [[covariance_by_hand(w, one, other) for other in phi] for one in phi]
    assert found is not None
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_a_value_that_does_not_vary_goes_with_no_other() -> None:
    difference = np.array([[1.0 + 1e-26, 0.4], [0.4, 3.0]])
    for least, is_still in ((2.9e-24, True), (3.1e-24, False)):
        own = np.array([1.0, least, 3.0])
        found = Paired({}, difference, math.inf, own=own).covariance_of_values()
        assert found is not None
        assert (found[1] == 0.0).all() == is_still
        assert (found[:, 1] == 0.0).all() == is_still
        assert found[0, 2] == found[2, 0] == pytest.approx((1.0 + 3.0 - 3.0) / 2.0)
    # An unknown variance beside tiny ones.
    for unknown in (math.nan, math.inf):
        tiny = np.array([1e-30, unknown, 3e-30])
        found = Paired({}, 1e-30 * difference, math.inf, own=tiny).covariance_of_values()
        assert found is not None
        assert (found[0, 0], found[2, 2]) == pytest.approx((1e-30, 3e-30), rel=1e-9, abs=0.0)
    endless = np.array([1.0, math.inf, 2.0])
    found = Paired({}, difference, math.inf, own=endless).covariance_of_values()
    assert found is not None
    assert found[0, 0] == 1.0
    assert found[1, 1] == math.inf


# Models on rows of their own


def test_variances_of_independent_models_add_up() -> None:
    spread = Apart(np.array([1.0, 2.0, 4.0]))
    assert spread.variance(0, 2) == spread.variance(2, 0) == 5.0
    assert spread.variance_of_limits(1, 2) == 6.0
    assert (spread.degrees(0, 1), Apart(np.ones(2), 7.0).degrees(0, 1)) == (math.inf, 7.0)
    assert spread.contrasts().tolist() == [[3.0, 1.0], [1.0, 5.0]]
    assert spread.covariance_of_values().tolist() == np.diag([1.0, 2.0, 4.0]).tolist()


def test_the_least_variance_counts_where_no_row_shows_any() -> None:
    spread = Apart(np.array([0.0, 2.0, 0.0]), least=np.array([0.5, 9.0, 0.25]))
    assert spread.contrasts().tolist() == [[2.5, 0.5], [0.5, 0.75]]
    assert spread.variance(0, 1) == 2.0
    assert spread.covariance_of_values()[0, 0] == 0.0


# Limits of differences from those of values


class Reach:
    """Limits of a value that lie `down` and `up` standard errors away, at any level."""

    def __init__(self, value: float, down: float, up: float, df: float = math.inf) -> None:
        self.value, self.down, self.up, self.df = value, down, up, df

    def interval(self, confidence: Confidence) -> Interval:
        z = confidence.quantile(self.df)
        return Interval(self.value - z * self.down, self.value + z * self.up)


class Silent(Reach):
    """A value without limits far away."""

    def interval(self, confidence: Confidence) -> Interval:
        far = confidence.level > 0.999
        found = super().interval(confidence)
        return Interval() if far else found


def estimate(value: float, down: float, up: float, df: float = math.inf) -> Estimate:
    return Estimate(value, 50, levels=Reach(value, down, up, df))


def test_distances_of_two_values_together() -> None:
    """√(d² + e² − 2ρ·d·e), of the lower limit of one and the upper one of the other."""
    down, up = distances_together((3.0, 1.0), (2.0, 4.0), 0.5)
    assert (down, up) == pytest.approx((math.sqrt(9 + 16 - 12), math.sqrt(1 + 4 - 2)))
    assert distances_together((3.0, 1.0), (2.0, 4.0)) == pytest.approx((5.0, math.sqrt(5.0)))
    assert distances_together((3.0, 1.0), (1.0, 3.0), 1.0) == (0.0, 0.0)
    for of_a, of_b in (((2e150, 1.0), (1.0, 1.0)), ((1.0, 1.0), (1.0, 2e150))):
        assert distances_together(of_a, of_b, 1.0) == (math.inf, 0.0)
    assert distances_together((1e150, 0.0), (0.0, 0.0))[0] == 1e150


def test_limits_together_stay_in_the_range() -> None:
    kappa = get("kappa")
    found = limits_together(kappa, 0.5, (0.3, 0.1), (0.2, 0.4), 0.0)
    assert found == pytest.approx((0.0, 0.5 + math.sqrt(0.05)))
    assert limits_together(kappa, 1.9, (0.3, 0.3), (0.0, 0.0), 0.0)[1] == 2.0
    assert limits_together(kappa, -1.9, (0.3, 0.3), (0.0, 0.0), 0.0)[0] == -2.0


def test_limits_of_values_at_any_number_of_standard_errors() -> None:
    estimates = [estimate(0.7, 0.02, 0.01), estimate(0.5, 0.03, 0.04, 9.0)]
    limits = ValueLimits.of(get("accuracy"), estimates)
    assert limits is not None
    assert ValueLimits.of(get("accuracy"), [*estimates, Estimate(0.5, 9)]) is None
    for z in (0.5, Z, 4.0):
        assert limits.distances(0, z) == pytest.approx((0.02 * z, 0.01 * z), rel=1e-7)
        assert limits.distances(1, z) == pytest.approx((0.03 * z, 0.04 * z), rel=1e-7)
        assert limits.distances(0, z) is limits.distances(0, z)
    # At the level of 1 − 10⁻¹⁵ and of 10⁻¹⁵ limits end.
    far = Confidence(1.0 - 1e-15).quantile()
    assert limits.distances(0, 40.0) == pytest.approx((0.02 * far, 0.01 * far), rel=1e-6)
    assert limits.distances(0, 0.0) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert (limits.degrees(0), limits.degrees(1)) == (math.inf, 9.0)
    assert limits.least_variance(0, 0.95) == pytest.approx(0.02**2)
    assert limits.least_variance(1, 0.9) == pytest.approx(0.04**2)
    assert limits.interval(0, Confidence(0.9)).low == pytest.approx(0.7 - 0.02 * 1.6448536269514722)


def test_limits_of_a_difference_of_values() -> None:
    estimates = [estimate(0.7, 0.02, 0.01), estimate(0.5, 0.03, 0.04)]
    limits = ValueLimits(get("accuracy"), estimates)
    found = limits.differences([(0, 1), (1, 0)])
    assert list(found) == [(0, 1), (1, 0)]
    name, of_pair = found[0, 1]
    low, high = of_pair(2.0)
    assert name == "combined"
    assert low == pytest.approx(0.2 - 2.0 * math.hypot(0.02, 0.04), rel=1e-7)
    assert high == pytest.approx(0.2 + 2.0 * math.hypot(0.01, 0.03), rel=1e-7)
    assert found[1, 0][1](2.0) == pytest.approx((-high, -low))
    together = limits.differences(
        [(0, 1)], lambda pair: lambda z: 0.25 * z if pair == (0, 1) else 0
    )
    low, _ = together[0, 1][1](2.0)
    assert low == pytest.approx(0.2 - 2.0 * math.sqrt(0.02**2 + 0.04**2 - 0.02 * 0.04), rel=1e-7)


class Unbounded(Silent):
    def interval(self, confidence: Confidence) -> Interval:
        return Interval()


class Below(Silent):
    def interval(self, confidence: Confidence) -> Interval:
        return Interval(0.1)


def test_where_a_value_has_no_limits_the_range_bounds_the_difference() -> None:
    silent = Estimate(0.5, 9, levels=Silent(0.5, 0.1, 0.1))
    none = Estimate(0.5, 9, levels=Unbounded(0.0, 0.0, 0.0))
    for pair in ((0, 1), (1, 0)):
        limits = ValueLimits(get("kappa"), [estimate(0.7, 0.02, 0.01), silent])
        assert limits.are_known(*pair)
        assert limits.distances(1, 6.0) is None
        assert limits.differences([pair])[pair][1](6.0) == (-2.0, 2.0)
        without = ValueLimits(get("kappa"), [estimate(0.7, 0.02, 0.01), none])
        assert not without.are_known(*pair)
        assert without.differences([pair]) == {}
    assert limits.least_variance(1, 0.9999) == 0.0
    half = Estimate(0.5, 9, levels=Below(0.0, 0.0, 0.0))
    assert ValueLimits(get("kappa"), [half]).distances(0, 1.0) is None


def test_a_limit_at_0_is_a_limit() -> None:
    class Fixed(Reach):
        def interval(self, confidence: Confidence) -> Interval:
            return Interval(self.down, self.up)

    for low, high in ((0.0, 1.0), (-1.0, 0.0)):
        one = Estimate(-0.25, 9, levels=Fixed(0.0, low, high))
        found = ValueLimits(get("kappa"), [one]).distances(0, 2.0)
        assert found == (-0.25 - low, high + 0.25)


# How values go together


def test_the_correlation_of_two_values() -> None:
    covariance = np.array([[4.0, 1.5], [1.5, 9.0]])
    for z in (0.0, 3.0):
        assert correlation(covariance, 0, 1, None)(z) == pytest.approx(0.25)
    assert correlation(np.array([[4.0, 7.0], [7.0, 9.0]]), 0, 1, None)(1.0) == 1.0
    assert correlation(np.array([[4.0, -7.0], [-7.0, 9.0]]), 0, 1, None)(1.0) == -1.0
    for own in (0.0, -1.0, math.nan):
        still = np.array([[4.0, 1.5], [1.5, own]])
        assert correlation(still, 0, 1, None)(1.0) == 0.0
        assert correlation(still, 0, 1, (50.0, 0.5))(1.0) == 0.0


def test_models_that_agree_on_all_rows_may_differ_on_others() -> None:
    """1 − (q² ÷ (n + q²)) ÷ 2p(1 − p), not below 0."""
    goes = correlation(np.ones((2, 2)), 0, 1, (50.0, 0.8))
    for z in (0.0, 1.0, 2.0):
        assert goes(z) == pytest.approx(1.0 - z**2 / (50.0 + z**2) / (2.0 * 0.8 * 0.2))
    assert goes(100.0) == 0.0
    assert correlation(np.ones((2, 2)), 0, 1, (50.0, 1.0))(0.0) == 0.0
