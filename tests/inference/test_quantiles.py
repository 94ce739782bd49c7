"""Quantiles of the beta distribution and of Student's t: those of SciPy, from a native kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from karat import _native
from karat.inference.limits import _expanded, beta_quantiles, student_quantile
from tests.optional import optional

mpmath = optional("mpmath")

CLOSE = 1e-12
SIDES = st.floats(0.5, 1e5)
TAILS = st.sampled_from([1e-12, 1e-6, 0.005, 0.025, 0.05, 0.25, 0.4999, 0.5])
Floats = npt.NDArray[np.float64]


def at(a: float, b: float, p: float) -> float:
    return float(_native.beta_quantiles(np.array([a]), np.array([b]), p)[0])


def is_quantile(a: Floats, b: Floats, p: float, x: Floats) -> npt.NDArray[np.bool_]:
    """Whether SciPy's share below x is p, or x is SciPy's quantile to its last bits.

    Its quantiles alone are no measure: the median of sides 1.9, 1/2, is off by 1e-11, and the share
    below that of sides of 10⁸ by 1e-8.
    """
    share = np.abs(special.betainc(a, b, x) - p) <= 1e-11 * p
    return share | (np.abs(x - special.betaincinv(a, b, p)) <= 4 * np.finfo(float).eps * x)


@given(SIDES, SIDES, TAILS)
@example(2.04013, 3653.16, 0.025)
@example(0.5, 1e5, 1e-12)
@example(1e5, 0.5, 1e-12)
@example(1.0, 1.0, 0.25)
@example(1.75, 1.75, 0.5)
def test_a_quantile_leaves_the_share_below_it(a: float, b: float, p: float) -> None:
    assert is_quantile(np.array(a), np.array(b), p, np.array(at(a, b, p)))


@pytest.mark.parametrize("scale", [10, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("p", [0.005, 0.025, 0.3])
def test_quantiles_of_large_sides_do_too(scale: float, p: float) -> None:
    rng = np.random.default_rng(0)
    a, b = (np.exp(rng.uniform(math.log(0.5), math.log(scale), 200)) for _ in range(2))
    x = _native.beta_quantiles(a, b, p)
    assert is_quantile(a, b, p, x).all()
    assert not is_quantile(a, b, p, x * (1 - 1e-9)).any()


@pytest.mark.parametrize("p", [1e-12, 0.025, 0.4999, 0.5])
@pytest.mark.parametrize("share", [1.0, 1e-3, 1e-9])
def test_quantiles_join_where_the_normal_expansion_begins(share: float, p: float) -> None:
    # By continued fraction below, and by expansion above. As far apart as these sides are, the
    # quantiles differ by less than their rounding.
    (a, b), (c, d) = ((least / share, least) for least in (1e10 - 0.01, 1e10 + 0.01))
    assert at(a, b, p) == pytest.approx(at(c, d, p), rel=1e-14, abs=0.0)
    assert at(b, a, p) == pytest.approx(at(d, c, p), rel=1e-14, abs=0.0)


@pytest.mark.parametrize("p", [1e-12, 0.025, 0.4999, 0.5])
@pytest.mark.parametrize("a", [1e20, 1e33, 1e60, 1e139, 1e300])
def test_sides_beyond_all_digits_end_at_their_share(a: float, p: float) -> None:
    for share in (1.0, 1e-3, 1e-6):
        b = a * share
        assert at(a, b, p) == pytest.approx(a / (a + b), rel=1e-6, abs=0.0)
        assert at(b, a, p) == pytest.approx(b / (a + b), rel=1e-6, abs=0.0)


def test_closed_forms() -> None:
    p = 0.03
    assert at(1, 1, p) == pytest.approx(p, rel=1e-15)
    assert at(7, 1, p) == pytest.approx(p ** (1 / 7), rel=1e-14)
    assert at(1, 7, p) == pytest.approx(-math.expm1(math.log1p(-p) / 7), rel=1e-14)
    assert at(1.75, 1.75, 0.5) == pytest.approx(0.5, rel=1e-14)
    assert at(0.5, 0.5, p) == pytest.approx(math.sin(math.pi * p / 2) ** 2, rel=1e-14)


def test_symmetry() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.5, 50, (2, 500))
    low, high = _native.beta_quantiles(a, b, 0.1), _native.beta_quantiles(b, a, 0.9)
    np.testing.assert_allclose(1.0 - high, low, rtol=0, atol=1e-14)


def test_the_ends_and_what_is_no_question() -> None:
    assert [at(2, 3, 0.0), at(2, 3, 1.0)] == [0.0, 1.0]
    for a, b, p in (
        (0.0, 1.0, 0.5), (1.0, -1.0, 0.5), (math.nan, 1.0, 0.5), (1.0, math.inf, 0.5),
        (1.0, 1.0, math.nan), (1.0, 1.0, -0.1), (1.0, 1.0, 1.1),
    ):  # fmt: skip
        assert math.isnan(at(a, b, p))
    with pytest.raises(ValueError, match="differ in length"):
        _native.beta_quantiles(np.ones(2), np.ones(3), 0.5)
    assert _native.beta_quantiles(np.empty(0), np.empty(0), 0.5).shape == (0,)


@given(st.floats(0.3, 1e8), TAILS)
@example(1.0, 0.025)
@example(1.0, 4.9e-4)
@example(9_999.0, 1e-12)
@example(10_000.0, 1e-12)
@example(15_556_220.0, 1e-12)
@example(2.5, 1e-12)
def test_student_is_that_of_scipy(df: float, tail: float) -> None:
    expected = -float(special.stdtrit(df, tail))
    assert student_quantile(df, tail) == pytest.approx(expected, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("tail", [0.025, 1e-6])
def test_what_the_expansion_of_student_lacks_is_its_fifth_term(tail: float) -> None:
    """Against 40 digits: off by c ÷ df⁵ for every df, so that no term before it is wrong."""
    lacks, wrong = [], []
    with mpmath.workdps(40):
        z = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(tail))
        for df in (40, 80):
            found = mpmath.mpf(_expanded(float(z), df))
            exact = mpmath.findroot(partial(share_beyond, df, tail), found)
            lacks.append(float((found - exact) * df**5))
            wrong.append(float((found - 2 * 776 * z**5 / 92160 / df**4 - exact) * df**5))
    assert lacks[1] == pytest.approx(lacks[0], rel=0.05)
    assert wrong[1] != pytest.approx(wrong[0], rel=0.05), "a control: the sign of a fourth term"


def share_beyond(df: int, tail: float, t: Any) -> Any:
    """How far Student's chance of more than t is from `tail`."""
    x = df / (df + t * t)
    return mpmath.betainc(df / mpmath.mpf(2), mpmath.mpf(1) / 2, 0, x, regularized=True) / 2 - tail


def test_student_in_closed_form() -> None:
    for tail in (0.025, 1e-6, 0.4):
        cauchy = 1.0 / math.tan(math.pi * tail)
        assert student_quantile(1, tail) == pytest.approx(cauchy, rel=1e-12)
        u = 1.0 - 2.0 * tail
        of_two = u * math.sqrt(2.0 / (1.0 - u * u))
        assert student_quantile(2, tail) == pytest.approx(of_two, rel=1e-10)
    assert student_quantile(math.inf, 0.025) == pytest.approx(1.959963984540054, rel=1e-14)
    assert student_quantile(1e15, 0.025) == pytest.approx(1.959963984540054, rel=1e-12)


def test_student_of_hardly_a_degree_of_freedom_and_of_more_than_any() -> None:
    for df in (1e-12, 1e-8, 1e-4, 1e-3):
        assert student_quantile(df, 0.025) == 1e150
    assert student_quantile(0.1, 0.025) == pytest.approx(-special.stdtrit(0.1, 0.025), rel=1e-11)
    normal = student_quantile(math.inf, 0.025)
    for df in (1e20, 1e80, 1e300):
        assert student_quantile(df, 0.025) == pytest.approx(normal, rel=1e-15)
    assert all(math.isnan(student_quantile(df, 0.025)) for df in (0.0, -1.0, math.nan))


def sabotaged(factor: float) -> Callable[[Floats, Floats, float], Floats]:
    honest = _native.beta_quantiles
    return lambda a, b, p: honest(a, b, p) * factor


def test_a_quantile_that_is_off_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = np.array([[9.0, 40.0], [1.0, 7.0]])
    expected = special.betaincinv(sides + 0.5, sides[::-1] + 0.5, 0.025)
    np.testing.assert_allclose(beta_quantiles(sides, 0.025)[0], expected[0], rtol=CLOSE)
    monkeypatch.setattr(_native, "beta_quantiles", sabotaged(1 + 1e-10))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(beta_quantiles(sides, 0.025)[0], expected[0], rtol=CLOSE)
    assert abs(student_quantile(10, 0.025) / 2.228138851964939 - 1) > 3e-11


def test_quantiles_of_repeated_counts_are_those_of_each() -> None:
    sides = np.random.default_rng(0).integers(0, 40, (2, 9000)).astype(np.float64)
    each = np.hstack([beta_quantiles(part, 0.025) for part in np.split(sides, 3, axis=1)])
    assert np.array_equal(beta_quantiles(sides, 0.025), each)
    wide = sides.reshape(2, 90, 100)
    assert np.array_equal(beta_quantiles(wide, 0.025), each.reshape(2, 90, 100))
    apart = np.stack([np.arange(9000.0), np.ones(9000)])
    assert np.array_equal(
        beta_quantiles(apart, 0.025)[:, :4000], beta_quantiles(apart[:, :4000], 0.025)
    )


def test_the_expansion_for_many_degrees_is_that_of_the_handbook() -> None:
    """Abramowitz and Stegun 26.7.5, in exact fractions: each coefficient counts."""
    for z, df in ((Fraction(2), Fraction(10)), (Fraction(1, 2), Fraction(3)), (Fraction(4), 40)):
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        exact = z + sum(term / df**i for i, term in enumerate(terms, 1))
        assert _expanded(float(z), float(df)) == pytest.approx(float(exact), rel=1e-14)
