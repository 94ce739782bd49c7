"""McNemar's mid-p value and Tango's interval: published values, and what they are made of."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from karat.inference.comparison.contrasts import (
    _chance_of_heads,
    mid_p,
    score_limits,
    score_statistic,
)
from karat.inference.comparison.records import ModelValue
from karat.inference.comparison.shares import PairedShare
from karat.metrics import get
from karat.tally import Classes, JointCells


@pytest.mark.parametrize(
    ("b", "c", "published"),
    [
        (1, 7, 0.039),  # airway hyper-responsiveness, Fagerland, Lydersen, Laake (2013)
        (6, 16, 0.035),  # complete response, the second example of the same
    ],
)
def test_the_mid_p_value_is_that_of_the_paper(b: int, c: int, published: float) -> None:
    assert round(mid_p(b, c), 3) == published


def test_the_mid_p_value_is_half_of_what_was_seen_and_all_that_is_rarer() -> None:
    for b in range(12):
        for c in range(12):
            n = b + c
            chances = [comb(n, i) / 2**n for i in range(n + 1)]
            here = chances[b]
            rarer = sum(p for p in chances if p < here * (1 - 1e-12))
            alike = sum(p for p in chances if abs(p - here) <= here * 1e-12)
            expected = 1.0 if n == 0 else rarer + alike / 2
            assert mid_p(b, c) == pytest.approx(expected, abs=1e-12)


def test_a_mid_p_value_of_many_rows_is_finite_and_near_that_of_the_normal() -> None:
    b, c = 500_000, 503_000
    z = (c - b) / math.sqrt(b + c)
    assert mid_p(b, c) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-3)
    assert mid_p(0, 5000) == 0.0


def test_the_score_interval_of_the_airway_data_is_that_of_the_paper() -> None:
    # Fagerland, Lydersen, Laake (2014), Statistics in Medicine 33: -0.52 to -0.026.
    low, high = score_limits(1, 7, 21, 1.959964)
    assert (round(low, 2), round(high, 3)) == (-0.52, -0.026)


def test_at_no_difference_the_statistic_is_that_of_mcnemar() -> None:
    assert score_statistic(9, 20, 80, 0.0) == pytest.approx((9 - 20) / math.sqrt(29))


@pytest.mark.parametrize(("b", "c", "n"), [(3, 9, 40), (0, 4, 30), (12, 1, 25), (5, 5, 60)])
@pytest.mark.parametrize("difference", [-0.4, -0.05, 0.0, 0.1, 0.3])
def test_the_constrained_shares_are_the_most_likely_ones(
    b: int, c: int, n: int, difference: float
) -> None:
    # A fine grid over the share of rows on which only the second is right.
    q = np.linspace(max(0.0, -difference), (1 - difference) / 2, 400_001)[1:-1]
    p = q + difference
    rest = 1 - p - q
    inside = (p > 0) & (rest > 0)
    q, p, rest = q[inside], p[inside], rest[inside]
    best = int(np.argmax(b * np.log(p) + c * np.log(q) + (n - b - c) * np.log(rest)))
    variance = n * (p[best] + q[best] - difference**2)
    expected = (b - c - n * difference) / math.sqrt(variance)
    assert score_statistic(b, c, n, difference) == pytest.approx(expected, rel=2e-3, abs=1e-3)


@pytest.mark.parametrize(("b", "c", "n"), [(0, 0, 10), (10, 0, 10), (0, 3, 3), (7, 2, 50)])
def test_the_limits_hold_the_difference_and_stay_within_one(b: int, c: int, n: int) -> None:
    low, high = score_limits(b, c, n, 1.959964)
    assert -1.0 <= low <= (b - c) / n <= high <= 1.0
    assert low < high
    turned = score_limits(c, b, n, 1.959964)
    assert (-turned[1], -turned[0]) == pytest.approx((low, high))


def test_a_statistic_with_the_shares_seen_is_told_from_that_of_tango() -> None:
    # Wald's standard error in its place gives another interval: the test above would catch it.
    b, c, n = 1, 7, 21
    wald = math.sqrt((b + c) / n - ((b - c) / n) ** 2) / math.sqrt(n)
    assert abs((b - c) / n + 1.959964 * wald - score_limits(b, c, n, 1.959964)[1]) > 0.02


HEADS = (0, 1, 2, 7, 19, 20, 21, 300, 499)


@pytest.mark.parametrize(
    ("heads", "n"),
    [(0, 1), (1, 2), (7, 15), *product(HEADS, (999, 1000, 1001, 1050, 1074, 1099, 1500, 40_000))],
)
def test_the_chance_of_heads_is_the_exact_one(heads: int, n: int) -> None:
    exact = Fraction(math.comb(n, heads), 1 << n)
    assert _chance_of_heads(heads, n) == pytest.approx(float(exact), rel=1e-12, abs=0.0)


def test_the_statistic_is_infinite_where_no_table_has_the_difference() -> None:
    assert score_statistic(0, 0, 20, 0.0) == 0.0
    assert score_statistic(3, 0, 3, 1.0) == 0.0
    assert score_statistic(0, 0, 20, -1.0) == math.inf
    assert score_statistic(0, 0, 20, 1.0) == -math.inf


def test_models_that_never_differ_have_a_statistic_of_nothing() -> None:
    assert score_statistic(0, 0, 20, 0.0) == 0.0
    assert score_statistic(3, 3, 20, 0.0) == 0.0


def test_all_heads_of_many_coins_have_the_chance_of_one_half_so_often() -> None:
    for n in (1000, 1001, 1050, 1074, 1075, 1200, 10**6):
        assert _chance_of_heads(0, n) == math.ldexp(1.0, -n)


def test_the_ends_of_a_share_are_those_of_the_classes_that_count_for_a_model() -> None:
    """A right row counts in every class: with k classes the least average accuracy is 1 − 2/k."""
    codes = np.array([[0, 0, 1, 1, 2], [0, 1, 1, 1, 2], [0, 0, 1, 0, 1]])
    cells = JointCells(
        Classes.of(["a", "b", "c"]), ("x", "y"), codes, np.array([3, 1, 4, 1, 2]), 11
    )
    metric = get("average_accuracy")
    whole = PairedShare.of(metric, cells, [None, None])
    assert whole is not None
    ends = [1 / 3, 2 / 3, 1.0]
    assert np.array(whole.ends) == pytest.approx(np.array([ends, ends]))
    some = PairedShare.of(metric, cells, [None, np.array([0, 1])])
    assert some is not None
    assert np.array(some.ends) == pytest.approx(np.array([ends, [0.0, 0.5, 1.0]]))
    assert not some.is_shared((0, 1))
    assert whole.is_shared((0, 1))


def test_a_value_of_a_model_has_the_usual_level() -> None:
    assert ModelValue(0.5).level == 0.95
    undefined = ModelValue.undefined(0.3, "there is no row", 0.9)
    assert math.isnan(undefined.value)
    assert (undefined.level, undefined.remark) == (0.9, "undefined: there is no row")
    assert ModelValue.undefined(math.inf, "it is infinite", 0.9).value == math.inf
