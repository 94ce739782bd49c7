"""Margins, looks and many pairs of models, and the root of a function, against their formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.inference.comparison import families, judging
from karat.inference.comparison.contrasts import Paired
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged, root
from karat.inference.comparison.records import Difference
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate
from tests.comparison.test_judging_by_hand import (
    NAMES,
    NORMAL,
    PAIR,
    Z,
    measured,
    of_pair,
    only,
    p_of,
    spec,
)

# Margins


def margined(
    values: tuple[float, float], variance: float = 0.0001, margin: float = 0.05, **more: Any
) -> Difference:
    metric = more.pop("metric", "accuracy")
    return only(measured(values, of_pair(variance), metric, **more), margin={metric: margin})


def test_equivalence_by_two_one_sided_tests() -> None:
    """The larger p-value of both one-sided tests against the margin."""
    for values in ((0.72, 0.7), (0.7, 0.72)):
        one = margined(values)
        z = (0.05 - abs(one.difference)) / 0.01
        assert one.p_equivalent == pytest.approx(p_of(z) / 2.0, rel=1e-4)
        assert (one.verdict, one.margin) == ("equivalent", 0.05)
    some = margined((0.72, 0.7), 0.0004)
    assert some.p_equivalent == pytest.approx(p_of((0.05 - 0.02) / 0.02) / 2.0, rel=1e-4)
    assert some.verdict == "inconclusive"


def test_a_difference_beyond_the_margin_is_not_equivalent() -> None:
    for values in ((0.8, 0.7), (0.7, 0.8)):
        one = margined(values, 0.0016)
        assert one.p_equivalent == pytest.approx(1.0 - p_of((0.1 - 0.05) / 0.04) / 2.0, rel=1e-9)
    # At the margin it is ½.
    at = margined((0.75, 0.5), 0.0016, 0.25)
    assert at.p_equivalent == pytest.approx(0.5)
    # Without a standard error that of rows that all differ equally: 0.25 ÷ √80.
    still = margined((0.75, 0.5), 0.0, 0.125)
    wanted = 1.0 - p_of(0.125 / (0.25 / math.sqrt(80))) / 2.0
    assert still.p_equivalent == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("metric", "values", "is_not_inferior"),
    [
        ("accuracy", (0.7, 0.7), True),
        ("accuracy", (0.68, 0.7), True),
        ("accuracy", (0.66, 0.7), False),
        ("accuracy", (0.9, 0.7), True),
        ("error_rate", (0.3, 0.3), True),
        ("error_rate", (0.32, 0.3), True),
        ("error_rate", (0.34, 0.3), False),
        ("error_rate", (0.1, 0.3), True),
        ("predicted_count", (0.3, 0.3), None),
    ],
)
def test_not_inferior_is_an_interval_above_the_margin(
    metric: str, values: tuple[float, float], is_not_inferior: bool | None
) -> None:
    """The limit at 1 − 2α is 1.645 standard errors of 0.01 away; the margin is 0.05."""
    assert margined(values, metric=metric).not_inferior is is_not_inferior


def test_not_inferior_by_the_limit_of_both_one_sided_tests() -> None:
    reach = NORMAL.inv_cdf(0.95) * 0.01
    for margin, is_shown in ((0.02 + reach * 1.001, True), (0.02 + reach * 0.999, False)):
        assert margined((0.68, 0.7), margin=margin).not_inferior is is_shown
    # A limit right at the margin does not show it.
    limits = {PAIR: ("score", lambda _: (-0.05, 0.05))}
    at = margined((0.7, 0.7), limits=limits)
    assert at.not_inferior is False
    assert margined((0.7, 0.7), limits=limits, margin=0.0501).not_inferior is True


def test_a_level_of_less_than_a_half_has_limits_of_no_width() -> None:
    """1 − 2α is not below 0: the interval of both tests is the difference itself."""
    found = measured([0.65, 0.7], of_pair(0.0001))
    one = only(found, level=0.4, margin={"accuracy": 0.0501})
    assert one.not_inferior is True
    assert only(found, level=0.4, margin={"accuracy": 0.0499}).not_inferior is False


def test_a_margin_of_0_is_never_kept() -> None:
    limits = {PAIR: ("combined", lambda q: (-0.1 * q, 0.1 * q))}
    one = only(measured([0.5, 0.5], of_pair(0.0), limits=limits), margin={"accuracy": 0.0})
    assert (one.p_equivalent, one.not_inferior) == (1.0, False)


def test_the_limit_of_one_sided_tests_is_not_moved_to_0() -> None:
    """Of p = 0.2 the limits at the level hold 0; those at 1 − 2α need not."""
    found = measured([0.8, 0.7], of_pair(0.0016), critical={PAIR: 0.1001})
    found = replace(found, tests={PAIR: ("swaps", 0.2)})
    one = only(found, margin={"accuracy": 0.0})
    assert one.low == pytest.approx(0.8 - 0.7 - 0.1001)
    assert one.not_inferior is True


# Every look


def test_limits_and_p_values_of_every_look() -> None:
    """Tests of one look are left out, and p-values are those of all looks."""
    look = Confidence(0.95, anytime=1000).at(100)
    asked = ComparisonSpec(0.95, "none", {"accuracy": 0.3}, (PAIR,), look=look).at(100)
    found = measured(
        [0.8, 0.7], of_pair(0.0004), tests={PAIR: ("exact", 0.5)},
        guards={PAIR: ("swaps", 0.5)}, critical={PAIR: 0.5},
    )  # fmt: skip
    (one,) = judged(found, NAMES, asked)
    quantile = NORMAL.inv_cdf(1.0 - look.tail)
    assert one.low == pytest.approx(one.difference - quantile * 0.02)
    assert one.p == pytest.approx(look.p_value(p_of(one.difference / 0.02)))
    assert (one.level, one.rows_needed, one.method) == (0.95, None, "influence z, anytime")
    # That of equivalence is one-sided, and that of two sides at 1 − 2α is two such.
    z = (0.3 - one.difference) / 0.02
    wide = replace(look, level=1.0 - 2.0 * 0.05)
    assert one.p_equivalent == pytest.approx(wide.p_value(p_of(z)) / 2.0, rel=1e-3)
    near = measured([0.71, 0.7], of_pair(0.0004))
    reach = 0.71 - 0.7 - wide.quantile() * 0.02
    assert reach < -0.001
    for margin, is_shown in ((0.001 - reach, True), (-0.001 - reach, False)):
        by = ComparisonSpec(0.95, "none", {"accuracy": margin}, (PAIR,), look=look).at(100)
        assert judged(near, NAMES, by)[0].not_inferior is is_shown
    undefined = judged(measured([math.nan, 0.7], of_pair(0.01)), NAMES, asked)[0]
    assert (undefined.p, undefined.p_equivalent, undefined.level) == (None, None, 0.95)


# Many pairs


def three(**more: Any) -> Measured:
    """Differences to the first of three models, which vary by 0.0016 and 0.0025."""
    covariance = np.array([[0.0016, 0.0008], [0.0008, 0.0025]])
    both = 0.0016 + 0.0025 - 2.0 * 0.0008
    variances = {(1, 0): 0.0016, (2, 0): 0.0025, (2, 1): both}
    return measured([0.7, 0.8, 0.85], Paired(variances, covariance, **more))


PAIRS = ((1, 0), (2, 0), (2, 1))


def test_pairs_are_adjusted_together_by_holm() -> None:
    found = judged(three(df=math.inf), NAMES, spec("holm", PAIRS))
    p = [p_of((0.8 - 0.7) / 0.04), p_of((0.85 - 0.7) / 0.05), p_of((0.85 - 0.8) / 0.05)]
    assert [one.p for one in found] == pytest.approx(p, rel=1e-9)
    order = np.argsort(p)
    wanted, before = [0.0] * 3, 0.0
    for times, i in zip((3, 2, 1), order, strict=True):
        before = wanted[i] = min(max(before, times * p[i]), 1.0)
    assert [one.p_adjusted for one in found] == pytest.approx(wanted, rel=1e-9)
    assert [one.verdict for one in found] == ["better", "better", "inconclusive"]
    assert [one.a + one.b for one in found] == ["ba", "ca", "cb"]


def test_the_largest_of_pairs_widens_limits_and_p(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "_DRAWS", 999)
    alone = judged(three(df=math.inf), NAMES, spec("none", PAIRS))
    found = judged(three(df=math.inf), NAMES, spec("maxt", PAIRS, seed=5))
    covariance = three(df=math.inf).spread.contrasts()  # type: ignore[union-attr]
    drawn = families.largest(covariance, PAIRS, math.inf, 5, NAMES)
    quantile = drawn.quantile(0.95)
    assert quantile > Z
    for one, by_itself in zip(found, alone, strict=True):
        z = one.difference / one.standard_error
        at_least = int((drawn.draws >= z).sum())
        assert one.p == by_itself.p == by_itself.p_adjusted
        assert one.p_adjusted == pytest.approx(max(one.p, (1 + at_least) / 1000))
        assert one.low == one.difference - quantile * one.standard_error
        assert one.high == one.difference + quantile * one.standard_error
        assert one.method == "influence z, simultaneous"
    other = judged(three(df=math.inf), NAMES, spec("maxt", PAIRS, seed=6))
    assert other[0].low != found[0].low


def test_limits_of_one_pair_with_fewer_degrees_are_as_far_in_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The quantile of all pairs is turned into one of each by its tail."""
    monkeypatch.setattr(families, "_DRAWS", 999)
    measured_ = three(df=6.0, own_df={(1, 0): 6.0, (2, 0): 12.0, (2, 1): 6.0})
    found = judged(measured_, NAMES, spec("maxt", PAIRS))
    drawn = families.largest(measured_.spread.contrasts(), PAIRS, 6.0, 0, NAMES)  # type: ignore[union-attr]
    for one, df in zip(found, (6.0, 12.0, 6.0), strict=True):
        tail = 2.0 * stats.t.sf(drawn.quantile(0.95), 6.0)
        quantile = stats.t.isf(tail / 2.0, df)
        assert one.low == pytest.approx(one.difference - quantile * one.standard_error)
        z = stats.t.isf(one.p / 2.0, 6.0)
        at_least = int((drawn.draws >= z).sum())
        assert one.p_adjusted == pytest.approx(max(one.p, (1 + at_least) / 1000))


def test_simultaneous_limits_are_no_narrower_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few draws of pairs that go together entirely may have a smaller quantile than one."""
    monkeypatch.setattr(families, "_DRAWS", 9)
    same = Paired(dict.fromkeys(((1, 0), (2, 0)), 0.0016), np.full((2, 2), 0.0016), math.inf)
    for seed in range(6):
        pairs = ((1, 0), (2, 0))
        found = judged(measured([0.7, 0.8, 0.8], same), NAMES, spec("maxt", pairs, seed=seed))
        drawn = families.largest(np.full((2, 2), 0.0016), pairs, math.inf, seed, NAMES)
        reach = max(drawn.quantile(0.95), Z) * 0.04
        for one in found:
            assert one.difference - one.low == pytest.approx(reach)


def test_one_pair_or_an_unknown_spread_has_no_largest() -> None:
    one = only(measured([0.8, 0.7], of_pair(0.0016)), adjust="maxt")
    assert (one.method, one.p_adjusted) == ("influence z", one.p)
    unknown = Paired({(1, 0): 0.0016, (2, 0): math.nan}, np.diag([0.0016, math.nan]), math.inf)
    pairs = ((1, 0), (2, 0))
    tests = {(2, 0): ("exact", 0.5)}
    found = judged(measured([0.7, 0.8, 0.8], unknown, tests=tests), NAMES, spec("maxt", pairs))
    p = p_of((0.8 - 0.7) / 0.04)
    assert [each.p_adjusted for each in found] == pytest.approx([2.0 * p, 0.5])
    # A pair without a p-value takes no part.
    found = judged(measured([0.7, 0.8, 0.8], unknown), NAMES, spec("maxt", pairs))
    assert [each.p_adjusted for each in found] == [pytest.approx(p), None]
    assert [each.verdict for each in found] == ["better", "not tested"]


# All models at once


def test_all_models_at_once_by_the_statistic_of_wald() -> None:
    found = judging.tested_at_once(three(df=math.inf))
    assert found is not None
    d = np.array([0.1, 0.15])
    covariance = np.array([[0.0016, 0.0008], [0.0008, 0.0025]])
    statistic = float(d @ np.linalg.inv(covariance) @ d)
    assert (found.metric, found.df) == ("accuracy", 2)
    assert found.statistic == pytest.approx(statistic)
    assert found.p == pytest.approx(stats.chi2.sf(statistic, 2))
    by_t = judging.tested_at_once(three(df=9.0))
    assert by_t is not None
    assert by_t.p == pytest.approx(stats.f.sf(statistic * 8.0 / 18.0, 2, 8))


def test_all_models_at_once_where_nothing_varies() -> None:
    """A difference that no row moves counts as that of the fewest rows, or of df + 1."""
    still = Paired(dict.fromkeys(PAIRS, 0.0), np.zeros((2, 2)), math.inf)
    found = judging.tested_at_once(measured([0.7, 0.8, 0.85], still))
    assert found is not None
    assert (found.statistic, found.df) == (80.0, 1)
    clustered = judging.tested_at_once(measured([0.7, 0.8, 0.85], replace(still, df=11.0)))
    assert clustered is not None
    assert clustered.statistic == 12.0
    many = judging.tested_at_once(measured([0.7, 0.8, 0.85], still, n=(900, 900, 900)))
    assert many is not None
    assert many.p == pytest.approx(p_of(16.0), rel=1e-12)


def test_no_test_of_all_models() -> None:
    assert judging.tested_at_once(measured([0.8, 0.7], of_pair(0.0016))) is None
    assert judging.tested_at_once(measured([0.8, 0.7, 0.9], None)) is None
    assert judging.tested_at_once(replace(three(df=9.0), estimates=[Estimate(0.5, 9)] * 2)) is None
    bad = [Estimate(0.5, 9), Estimate(0.5, 9), Estimate(math.nan, 9)]
    assert judging.tested_at_once(replace(three(df=9.0), estimates=bad)) is None
    unknown = Paired({}, np.diag([0.0016, math.nan]), math.inf)
    assert judging.tested_at_once(measured([0.7, 0.8, 0.8], unknown)) is None


# Roots


def test_a_root_at_the_start_or_beyond_the_end() -> None:
    assert root(lambda x: -x, 16.0) == 0.0
    assert root(lambda x: -1.0 - x, 16.0) == 0.0
    assert root(lambda x: 20.0 - x, 16.0) == 16.0
    assert root(lambda x: 16.0 - x, 16.0) == pytest.approx(16.0, abs=1e-6)


def calls_of(
    falls: Callable[[float], float], end: float, near: float | None
) -> tuple[float, list[float]]:
    asked: list[float] = []

    def counted(x: float) -> float:
        asked.append(x)
        return falls(x)

    return root(counted, end, near), asked


@pytest.mark.parametrize("near", [None, 1.77, 1.9, 2.1, 0.5, 7.9, 8.0, 30.0, 0.0, -1.0])
def test_a_root_near_a_number(near: float | None) -> None:
    """1.1 times that number is asked first, if it is inside half of the range."""
    found, asked = calls_of(lambda x: 8.0 - x**3, 16.0, near)
    assert found == pytest.approx(2.0, abs=1e-6)
    first = 1.1 * near if near is not None and 0.0 < near < 8.0 else 16.0
    assert asked[:2] == [0.0, first]
    is_enough = first >= 2.0
    assert (16.0 in asked) is (not is_enough or first == 16.0)


def test_a_root_takes_fewer_steps_than_halving() -> None:
    """Halving 16 to less than 10⁻⁶ would take 24 steps, beside the two ends."""
    for falls, wanted, most in (
        (lambda x: 8.0 - x**3, 2.0, 17),
        (lambda x: math.exp(-x) - 0.05, -math.log(0.05), 17),
        (lambda x: 1.0 - x**0.5, 1.0, 12),
    ):
        found, asked = calls_of(falls, 16.0, None)
        assert found == pytest.approx(wanted, abs=1e-6)
        assert len(asked) <= most


def test_a_number_near_a_root_may_lie_on_it() -> None:
    found, asked = calls_of(lambda x: 2.2 - x, 16.0, 2.0)
    assert (found, 16.0 in asked) == (pytest.approx(2.2), False)


def test_a_root_is_found_beside_a_far_end_that_lies_deep() -> None:
    """A line to −10¹¹⁰ stays at the near end: halving helps until the end is near."""
    for end in (15.0, 26.0, 40.0):
        found, asked = calls_of(lambda x: 10.0 - math.exp(min(x * x, 700.0)), end, None)
        assert found == pytest.approx(math.sqrt(math.log(10.0)), abs=2e-6)
        assert len(asked) <= 42
    for low in (0.3, 0.45):
        # Where it is near 0, though the far end is deep, the line is followed.
        found, _ = calls_of(lambda x, low=low: low + 1e-9 - x * x**20, 16.0, None)
        assert found == pytest.approx(low ** (1 / 21), abs=1e-5)


def test_a_step_is_found_by_forty_halvings() -> None:
    wanted = 16.0 / 3.0
    found, asked = calls_of(lambda x: 1.0 if x < wanted else -math.inf, 16.0, None)
    assert abs(found - wanted) <= 16.0 * 2.0**-40
    assert len(asked) == 42
