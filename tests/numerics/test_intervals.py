"""Formulas of intervals and tests against 300 bits: huge counts, shares at the ends."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import special

from karat.inference.comparison.contrasts import mid_p
from karat.inference.comparison.families import tail_of
from karat.inference.limits import beta_quantiles, logit_limits, student_quantile, wilson_limits

Z = 1.959963984540054
mp = mpmath.mp.clone()
mp.prec = 300
COUNTS = [(1, 7), (0, 900), (300, 500), (500, 1400), (10**6, 10**6 + 5000), (10**6, 1050000)]


def exact_mid_p(b: int, c: int) -> mpmath.mpf:
    n, least = b + c, min(b, c)
    term = mp.exp(mp.loggamma(n + 1) - mp.loggamma(least + 1) - mp.loggamma(n - least + 1))
    here = total = term = term / mp.mpf(2) ** n
    for x in range(least, 0, -1):
        term = term * x / (n - x + 1)
        total += term
        if term < total * mp.mpf(10) ** -25:
            break
    return 2 * total - here


@pytest.mark.parametrize(("b", "c"), COUNTS)
def test_mid_p_down_to_1e_300(b: int, c: int) -> None:
    right = exact_mid_p(b, c)
    assert abs(mid_p(b, c) - right) <= 1e-12 * right
    assert mid_p(b, c) == mid_p(c, b)


@pytest.mark.parametrize("n", [2**32, 2**40, 2**53 + 1, 2**62])
def test_mid_p_of_virtual_counts_is_near_that_of_the_normal(n: int) -> None:
    for z in (0.5, 2.0, 6.0):
        away = round(z * math.sqrt(n) / 2)
        found = mid_p(n // 2 - away, n - n // 2 + away)
        normal = math.erfc(2 * away / math.sqrt(2 * n))
        assert found == pytest.approx(normal, rel=1e-6)


def test_the_difference_of_logarithms_of_factorials_would_be_outside() -> None:
    b, c = COUNTS[-2]
    n = b + c
    logs = special.gammaln(n + 1) - special.gammaln(b + 1) - special.gammaln(c + 1)
    here = math.exp(logs - n * math.log(2))
    naive = 2 * float(special.bdtr(b - 1, n, 0.5)) + here
    right = exact_mid_p(b, c)
    assert abs(naive - right) > 1e-12 * right


@pytest.mark.parametrize("n", [1.0, 7.0, 1e3, 1e9, 2.0**53, 2.0**62])
@pytest.mark.parametrize("share", [0.0, 2.0**-53, 1e-9, 0.5, 1 - 2.0**-53, 1.0])
def test_wilson_is_within_a_few_roundings(share: float, n: float) -> None:
    low, high = wilson_limits(share, n, Z)
    p, z2 = mp.mpf(share), mp.mpf(Z) ** 2
    spread = mp.mpf(Z) * mp.sqrt(n * p * (1 - p) + z2 / 4)
    ends = [(p * n + z2 / 2 + sign * spread) / (n + z2) for sign in (-1, 1)]
    assert abs(float(low) - ends[0]) <= 8 * 2.0**-53
    assert abs(float(high) - ends[1]) <= 8 * 2.0**-53


@pytest.mark.parametrize("tail", [1e-12, 0.025, 0.4])
@pytest.mark.parametrize(("a", "b"), [(0, 3), (1, 10**4), (0, 5000), (40, 60), (2, 2)])
def test_quantiles_of_beta_leave_their_share(a: int, b: int, tail: float) -> None:
    x = float(beta_quantiles(np.array([float(a), float(b)]), tail)[0])

    def below(at: float) -> mpmath.mpf:
        return mp.betainc(a + 0.5, b + 0.5, 0, at, regularized=True)

    assert abs(below(x) - tail) <= 1e-11 * tail
    assert abs(below(x * (1 + 1e-8)) - tail) > 1e-11 * tail


@pytest.mark.parametrize("share", [2.0**-53, 1e-300, 0.5, 1 - 2.0**-53])
def test_logit_limits_stay_between_the_ends(share: float) -> None:
    for error in (0.0, share * (1 - share), 1e-3, 1.0):
        low, high = logit_limits(share, error, Z)
        assert 0.0 <= low <= share * (1 + 1e-15)
        assert share * (1 - 1e-15) <= high <= 1.0
    low, _ = logit_limits(share, share * (1 - share), Z)
    p = mp.mpf(share)
    right = 1 / (1 + (1 - p) / p * mp.exp(Z))
    assert abs(float(low) - right) <= 1e-14 * right


@pytest.mark.parametrize("z", [0.1, 2.0, 8.0, 20.0, 37.0])
def test_p_values_of_the_normal_down_to_1e_300(z: float) -> None:
    right = mp.erfc(mp.mpf(z) / mp.sqrt(2))
    assert abs(tail_of(z) - right) <= (4 + 2 * z * z) * 2.0**-53 * right


@pytest.mark.parametrize("df", [1.0, 3.0, 30.0])
def test_p_values_of_student_far_out(df: float) -> None:
    for t in (2.0, 1e3, 1e9):
        right = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + mp.mpf(t) ** 2), regularized=True)
        assert abs(tail_of(t, df) - right) <= 1e-12 * right
        if right > 1e-11:
            assert student_quantile(df, float(right) / 2) == pytest.approx(t, rel=1e-9)
