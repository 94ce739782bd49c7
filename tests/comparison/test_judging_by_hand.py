"""Differences and their verdicts, each number against its formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.inference.comparison.contrasts import Apart, Pair, Paired
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged
from karat.inference.comparison.records import Difference
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.metrics import get

NORMAL = NormalDist()
Z, POWER = NORMAL.inv_cdf(0.975), NORMAL.inv_cdf(0.8)
PAIR = (0, 1)
NAMES = ("a", "b", "c")
STILL = "the difference is 0 and has no variance in these rows"
BOTH = Callable[[float], tuple[float, float]]


def p_of(z: float) -> float:
    """Two-sided, of the normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def of_pair(variance: float, df: float = math.inf, **more: Any) -> Paired:
    """Two models on the same rows whose difference has this variance."""
    return Paired({PAIR: variance}, np.array([[variance]]), df, **more)


def measured(
    values: Sequence[float],
    spread: Paired | Apart | None,
    metric: str = "accuracy",
    n: Sequence[int] = (100, 80, 90),
    **more: Any,
) -> Measured:
    estimates = [Estimate(value, rows) for value, rows in zip(values, n, strict=False)]
    return Measured(get(metric), estimates, spread, "influence z", **more)


def spec(
    adjust: Any = "none", pairs: tuple[Pair, ...] = (PAIR,), level: float = 0.95, **more: Any
) -> ComparisonSpec:
    return ComparisonSpec(level, adjust, more.pop("margin", {}), pairs, **more)


def only(found: Measured, **more: Any) -> Difference:
    (one,) = judged(found, NAMES, spec(**more))
    return one


def limits_of(difference: float, error: float) -> BOTH:
    """Symmetric limits of other methods."""
    return lambda quantile: (difference - quantile * error, difference + quantile * error)


# The settings


def test_the_settings_of_one_look() -> None:
    """Level, error rates and p-values of one look are those that were asked for."""
    asked = spec(level=0.9)
    assert asked.at(50) is asked
    assert asked.alpha == asked.error_rate == pytest.approx(0.1)
    assert asked.shown_level == asked.asked.level == 0.9
    assert asked.p_value(0.03) == 0.03
    assert asked.n_errors_detectable == pytest.approx(NORMAL.inv_cdf(0.95) + POWER)
    assert (asked.seed, asked.n_permutations, asked.look) == (0, 4999, None)


def test_the_settings_of_every_look() -> None:
    """The level is that of one look; the level shown, the error rate and p are those of all."""
    look = Confidence(0.9, anytime=1000)
    asked = spec(level=0.9, look=look).at(100)
    at = look.at(100)
    assert asked.look == at == asked.asked
    assert asked.level == pytest.approx(1.0 - 2.0 * at.tail, rel=1e-15)
    assert asked.alpha == pytest.approx(2.0 * at.tail)
    assert (asked.shown_level, asked.error_rate) == (0.9, pytest.approx(0.1))
    assert asked.p_value(1e-4) == at.p_value(1e-4) > 1e-4


# Values


def test_rows_and_values_of_models() -> None:
    estimates = [
        Estimate(0.5, 7, interval=Interval(0.4, 0.7, "wilson", 0.1)),
        Estimate(0.6, 8, undefined="no rows"),
        Estimate(math.inf, 9, undefined="no rows"),
        Estimate(math.inf, 10),
    ]
    found = Measured(get("accuracy"), estimates, None, "")
    assert found.n == [7, 8, 9, 10]
    np.testing.assert_array_equal(found.defined_values, [0.5, math.nan, math.inf, math.inf])
    values = found.model_values(["a", "b", "c", "d"], Confidence(0.9))
    assert list(values) == ["a", "b", "c", "d"]
    first = values["a"]
    assert (first.value, first.low, first.high, first.level) == (0.5, 0.4, 0.7, 0.9)
    assert values["b"].remark == "undefined: no rows"


# One difference


def test_a_difference_by_its_standard_error() -> None:
    one = only(measured([0.8, 0.7], of_pair(0.0016)))
    difference = 0.8 - 0.7
    assert (one.metric, one.a, one.b, one.value_a, one.value_b) == ("accuracy", "a", "b", 0.8, 0.7)
    assert (one.difference, one.level, one.n, one.margin) == (difference, 0.95, 80, None)
    assert one.standard_error == pytest.approx(0.04, rel=1e-12)
    assert one.p == one.p_adjusted == pytest.approx(p_of(difference / 0.04), rel=1e-12)
    limits = (difference - Z * 0.04, difference + Z * 0.04)
    assert (one.low, one.high) == pytest.approx(limits, rel=1e-12)
    detectable = (Z + POWER) * 0.04
    assert one.detectable == pytest.approx(detectable, rel=1e-12)
    rows = math.ceil(80 * (detectable / difference) ** 2)
    assert one.rows_needed == rows
    assert (one.method, one.verdict, one.remark) == ("influence z", "better", None)
    assert (one.p_equivalent, one.not_inferior, one.discordant) == (None, None, None)
    # The rows for the largest and the smallest difference that is likely.
    assert one.rows_needed.low == math.ceil(rows * (difference / limits[1]) ** 2)
    assert one.rows_needed.high == math.ceil(rows * (difference / limits[0]) ** 2)
    assert one.rows_needed.level == 0.95


@pytest.mark.parametrize(
    ("metric", "verdicts"),
    [("error_rate", ("worse", "better")), ("predicted_count", ("higher", "lower"))],
)
def test_verdicts_follow_the_better_direction(metric: str, verdicts: tuple[str, str]) -> None:
    for values, verdict in zip(((0.8, 0.7), (0.7, 0.8)), verdicts, strict=True):
        assert only(measured(values, of_pair(0.0016), metric)).verdict == verdict
    assert only(measured([0.8, 0.7], of_pair(0.01), metric)).verdict == "inconclusive"


def test_a_negative_difference_is_the_mirror_image() -> None:
    one, other = (only(measured(v, of_pair(0.0016), n=(80, 80))) for v in ((0.8, 0.7), (0.7, 0.8)))
    assert other.difference == -one.difference
    assert (other.low, other.high) == (-one.high, -one.low)
    assert (other.p, other.rows_needed) == (one.p, one.rows_needed)
    assert (other.rows_needed.low, other.rows_needed.high) == (
        one.rows_needed.low,
        one.rows_needed.high,
    )
    assert (one.verdict, other.verdict) == ("better", "worse")


def test_rows_of_a_difference_that_may_be_0() -> None:
    """No number of rows is enough where 0 is within the limits; the other end is the farther."""
    for values, sign in (((0.75, 0.7), 1.0), ((0.7, 0.75), -1.0)):
        one = only(measured(values, of_pair(0.0016)))
        rows, far = one.rows_needed, 0.05 + Z * 0.04
        assert one.difference == pytest.approx(sign * 0.05)
        assert math.isinf(rows.high)
        assert rows.low == math.ceil(rows * (0.05 / far) ** 2)


def test_at_least_one_row_is_needed_and_no_endless_number_is_told() -> None:
    sure = only(measured([0.9, 0.1], of_pair(1e-8)))
    assert (sure.rows_needed, sure.rows_needed.low) == (1, 1)
    # 80 · (2.8 · 0.04 ÷ d)² rows: about 10¹⁵ where d is 3.17e-8.
    for difference, is_told in ((3.3e-8, True), (3.1e-8, False)):
        one = only(measured([0.5 + difference, 0.5], of_pair(0.0016)))
        needed = 80 * ((Z + POWER) * 0.04 / difference) ** 2
        assert (needed < 1e15) is is_told
        assert (one.rows_needed is not None) is is_told
    equal = only(measured([0.5, 0.5], of_pair(0.0016)))
    assert equal.rows_needed is None
    assert equal.detectable == pytest.approx((Z + POWER) * 0.04)
    assert (equal.p, equal.verdict) == (1.0, "inconclusive")


def test_limits_and_tests_take_the_larger_variance() -> None:
    """What few rows do not show counts in limits, p and rows, not in the standard error."""
    difference = 0.8 - 0.7
    for likely, error in ((0.0025, 0.05), (0.0009, 0.04)):
        one = only(measured([0.8, 0.7], of_pair(0.0016, likely={PAIR: likely})))
        assert one.standard_error == pytest.approx(0.04, rel=1e-12)
        assert one.low == pytest.approx(difference - Z * error, rel=1e-12)
        assert one.high == pytest.approx(difference + Z * error, rel=1e-12)
        assert one.p == pytest.approx(p_of(difference / error), rel=1e-12)
        assert one.detectable == pytest.approx((Z + POWER) * error, rel=1e-12)
        assert one.rows_needed == math.ceil(80 * ((Z + POWER) * error / difference) ** 2)


def test_few_degrees_of_freedom_are_students() -> None:
    one = only(measured([0.8, 0.7], of_pair(0.0016, own_df={PAIR: 9.0})))
    assert one.high - one.difference == pytest.approx(stats.t.ppf(0.975, 9) * 0.04)
    assert one.p == pytest.approx(2.0 * stats.t.sf(one.difference / 0.04, 9))


@pytest.mark.parametrize(
    ("metric", "values", "limits"),
    [
        ("accuracy", (0.95, 0.05), (0.9 - Z * 0.3, 1.0)),
        ("accuracy", (0.05, 0.95), (-1.0, Z * 0.3 - 0.9)),
        ("kappa", (0.95, -0.85), (1.8 - Z * 0.3, 2.0)),
        ("kappa", (-0.85, 0.95), (-2.0, Z * 0.3 - 1.8)),
        ("log_loss", (5.0, 1.0), (4.0 - Z * 0.3, 4.0 + Z * 0.3)),
    ],
)
def test_limits_stay_in_the_range_of_a_difference(
    metric: str, values: tuple[float, float], limits: tuple[float, float]
) -> None:
    one = only(measured(values, of_pair(0.09), metric))
    assert (one.low, one.high) == pytest.approx(limits, rel=1e-12)


# What does not vary


@pytest.mark.parametrize(("df", "rows"), [(math.inf, 80.0), (24.0, 25.0)])
def test_a_difference_that_is_the_same_on_all_rows(df: float, rows: float) -> None:
    """Its error is that of so many rows that all differ equally: d ÷ √rows."""
    one = only(measured([0.3, 0.7], of_pair(0.0, df)))
    assert (one.standard_error, one.detectable, one.rows_needed) == (0.0, None, None)
    error, quantile = 0.4 / math.sqrt(rows), Confidence().quantile(df)
    assert one.low == pytest.approx(-0.4 - quantile * error)
    assert one.high == pytest.approx(-0.4 + quantile * error)
    wanted = p_of(math.sqrt(rows)) if math.isinf(df) else 2.0 * stats.t.sf(math.sqrt(rows), df)
    assert one.p == pytest.approx(wanted)
    assert (one.verdict, one.remark) == ("worse", None)


def test_rounding_is_no_variance() -> None:
    """A variance up to (10⁻¹² · the larger value)² is rounding."""
    for values in ((-0.5, 0.1), (0.1, -0.5), (0.5, 0.1)):
        for variance, is_still in ((2.4e-25, True), (2.6e-25, False)):
            one = only(measured(values, of_pair(variance), "kappa"))
            error = 0.0 if is_still else math.sqrt(variance)
            assert one.standard_error == pytest.approx(error, rel=1e-12, abs=0.0)
    negative = only(measured([0.6, 0.5], of_pair(-1e-30)))
    assert negative.standard_error == 0.0


def test_rounding_is_no_difference_where_nothing_varies() -> None:
    for apart, found in ((4e-13, 0.0), (-4e-13, 0.0), (6e-13, 6e-13), (-6e-13, -6e-13)):
        one = only(measured([-0.5, -0.5 - apart], of_pair(0.0), "kappa"))
        assert one.difference == pytest.approx(found, rel=1e-2)
        assert (one.difference == 0.0) is (found == 0.0)
    # Where rows move it, it stays.
    assert only(measured([0.5, 0.5 - 4e-13], of_pair(1e-4))).difference != 0.0


def test_equal_values_that_no_row_moves() -> None:
    """No interval: ± 0 standard errors would say that nothing is uncertain."""
    one = only(measured([0.5, 0.5], of_pair(0.0)))
    assert (one.difference, one.standard_error, one.p, one.p_adjusted) == (0.0, 0.0, 1.0, 1.0)
    assert (one.low, one.high, one.verdict) == (None, None, "inconclusive")
    without = f"{STILL}; there is no interval, because new rows may differ"
    assert one.remark == without
    told = only(measured([0.5, 0.5], of_pair(0.0), remark="few rows"))
    assert told.remark == f"few rows; {without}"
    same = only(measured([0.5, 0.5], of_pair(0.0), same=frozenset({PAIR}), remark="few rows"))
    assert (same.remark, same.verdict) == (f"few rows; {without}", "identical")


def test_models_are_identical_where_both_vary_but_their_difference_does_not() -> None:
    for own, verdict in (((0.01, 0.0), "identical"), ((0.0, 0.01), "inconclusive")):
        found = measured([0.5, 0.5], of_pair(0.0, own=np.array(own)))
        assert only(found).verdict == verdict
    apart = measured([0.5, 0.5], Apart(np.zeros(2)))
    assert only(apart).verdict == "inconclusive"
    assert only(replace(apart, same=frozenset({PAIR}))).verdict == "identical"
    assert only(replace(apart, same=frozenset({(1, 0)}))).verdict == "inconclusive"
    # A difference that varies, or that is not 0, is not identical.
    same = frozenset({PAIR})
    assert only(measured([0.5, 0.5], of_pair(0.01), same=same)).verdict == "inconclusive"
    assert only(measured([0.6, 0.5], of_pair(0.0), same=same)).verdict == "better"
    look = Confidence(0.95, anytime=1000).at(100)
    watched = spec(look=look)
    (one,) = judged(replace(apart, same=same), NAMES, watched)
    assert one.verdict == "inconclusive"


def test_equal_values_with_limits() -> None:
    limits = {PAIR: ("combined", limits_of(0.0, 0.1))}
    one = only(measured([0.5, 0.5], of_pair(0.0), limits=limits))
    assert (one.p, one.low, one.high) == (1.0, pytest.approx(-0.1 * Z), pytest.approx(0.1 * Z))
    assert (one.remark, one.method) == (STILL, "influence z, combined interval")
    told = only(measured([0.5, 0.5], of_pair(0.0), limits=limits, remark="few rows"))
    assert told.remark == f"few rows; {STILL}"
    same = only(measured([0.5, 0.5], of_pair(0.0), limits=limits, same=frozenset({PAIR})))
    assert same.remark == "both predict the same for every row"
    assert (same.verdict, same.low) == ("identical", one.low)


def test_limits_of_scores_that_rank_the_same_are_not_shown() -> None:
    """They would rest on the number of rows alone, unless a test knows the rows."""
    limits = {PAIR: ("combined", limits_of(0.0, 0.1))}
    spread = of_pair(0.0, own=np.array([0.01, 0.01]))
    one = only(measured([0.5, 0.5], spread, "roc_auc", limits=limits))
    assert (one.low, one.high, one.verdict, one.p) == (None, None, "identical", 1.0)
    assert one.remark == "both are identical in everything that the metric uses"
    tests = {PAIR: ("exact", 1.0)}
    tested = only(measured([0.5, 0.5], spread, "roc_auc", limits=limits, tests=tests))
    labels = only(measured([0.5, 0.5], spread, "accuracy", limits=limits))
    other = only(measured([0.5, 0.5], of_pair(0.0), "roc_auc", limits=limits))
    assert None not in (tested.low, labels.low, other.low)


# Other tests


def test_another_test_gives_p_and_its_name() -> None:
    one = only(measured([0.8, 0.7], of_pair(0.0016), tests={PAIR: ("exact", 0.03)}))
    assert (one.p, one.method, one.remark) == (0.03, "exact", None)
    assert one.low == pytest.approx(0.1 - Z * 0.04)


def test_of_a_guard_the_larger_p_counts() -> None:
    by_error = p_of((0.8 - 0.7) / 0.04)
    for guard, p in ((0.001, by_error), (0.03, 0.03)):
        one = only(measured([0.8, 0.7], of_pair(0.0016), guards={PAIR: ("swaps", guard)}))
        assert one.p == pytest.approx(p)
        assert one.method == "swaps and influence z"
    tests, guards = {PAIR: ("exact", 0.02)}, {PAIR: ("swaps", 0.01)}
    both = only(measured([0.8, 0.7], of_pair(0.0016), tests=tests, guards=guards))
    assert (both.p, both.method) == (0.02, "swaps and exact")


def test_p_is_not_below_the_least_of_its_rows() -> None:
    by_error = p_of((0.8 - 0.7) / 0.04)
    for least, p in ((0.03, 0.03), (0.001, by_error)):
        found = measured([0.8, 0.7], of_pair(0.0016), least={PAIR: least})
        assert only(found).p == pytest.approx(p)
    other = measured([0.8, 0.7], of_pair(0.0016), least={(1, 2): 0.5})
    assert only(other).p == pytest.approx(by_error)


@pytest.mark.parametrize(
    ("p", "low", "high", "is_borderline"),
    [
        (0.01, -0.1, 0.3, True),
        (0.2, 0.01, 0.3, True),
        (0.2, -0.3, -0.01, True),
        (0.01, 0.01, 0.3, False),
        (0.01, -0.3, -0.01, False),
        (0.2, -0.1, 0.3, False),
        # A limit at 0 holds it, and a p-value of exactly 1 − level shows nothing.
        (0.01, 0.0, 0.3, True),
        (0.01, -0.3, 0.0, True),
        (0.2, 0.0, 0.3, False),
        (0.2, -0.3, 0.0, False),
        (1.0 - 0.95, 0.01, 0.3, True),
        (1.0 - 0.95, -0.1, 0.3, False),
    ],
)
def test_a_p_value_that_its_limits_contradict_is_borderline(
    p: float, low: float, high: float, is_borderline: bool
) -> None:
    limits = {PAIR: ("score", lambda _: (low, high))}
    values = (0.6, 0.5) if low + high > 0.0 else (0.5, 0.6)
    found = measured(values, of_pair(0.0016), limits=limits, tests={PAIR: ("exact", p)})
    one, told = only(found), only(replace(found, remark="few rows"))
    assert (one.low, one.high, one.p) == (low, high, p)
    disagree = "p and interval come from different methods and disagree: "
    disagree += "treat the result as borderline"
    assert (one.remark or None) == (disagree if is_borderline else None)
    assert told.remark == (f"few rows; {disagree}" if is_borderline else "few rows")


# What is not known


def test_without_a_spread_there_are_only_tests() -> None:
    slope = "the metric is not differentiable at one of the confusion matrices"
    tests, guards = {PAIR: ("exact", 0.03)}, {PAIR: ("swaps", 0.2)}
    nothing: Mapping[str, Any] = {}
    for more, method, p, verdict in (
        (nothing, "", None, "not tested"),
        ({"tests": tests}, "exact", 0.03, "better"),
        ({"guards": guards}, "swaps", 0.2, "inconclusive"),
        ({"tests": tests, "guards": guards}, "exact", 0.03, "better"),
    ):
        for spread in (None, of_pair(math.nan), of_pair(math.inf)):
            one = only(measured([0.8, 0.7], spread, **more))
            assert (one.method, one.p, one.verdict, one.remark) == (method, p, verdict, slope)
            assert (one.low, one.standard_error, one.detectable) == (None, None, None)
            told = only(measured([0.8, 0.7], spread, **more, remark="few rows"))
            assert told.remark == "few rows"


def test_undefined_values_have_no_difference() -> None:
    def reason(*estimates: Estimate) -> Difference:
        found = Measured(
            get("accuracy"),
            estimates,
            of_pair(0.01),
            "z",
            discordant={PAIR: None},  # type: ignore[dict-item]
        )
        return only(found)

    known, none = Estimate(0.5, 10), Estimate(0.5, 10, undefined="no rows")
    one = reason(none, known)
    assert math.isnan(one.difference)
    assert (one.method, one.p, one.verdict, one.low) == ("", None, "not tested", None)
    assert (one.remark, one.discordant) == ("undefined for a (no rows)", None)
    assert reason(known, none).remark == "undefined for b (no rows)"
    assert reason(none, none).remark == "undefined for a and b (no rows)"
    endless = Estimate(math.inf, 10)
    assert reason(none, endless).remark == "undefined for a (no rows) and b (it is inf)"
    assert reason(Estimate(math.nan, 10), known).remark == "undefined for a (it is nan)"
    other = replace(endless, undefined="nothing predicted")
    assert reason(known, other).remark == "undefined for b (nothing predicted)"


# The p-value at which limits touch 0


def skewed(difference: float) -> BOTH:
    """Limits that reach farther down than up: they touch 0 at √(d ÷ 0.02)."""
    return lambda quantile: (difference - 0.02 * quantile**2, difference + 0.01 * quantile)


@pytest.mark.parametrize("spread", [Apart(np.array([0.0008, 0.0008])), of_pair(0.0016)])
def test_p_is_that_at_which_the_limits_touch_0(spread: Paired | Apart) -> None:
    found = measured([0.8, 0.7], spread, limits={PAIR: ("combined", skewed(0.8 - 0.7))})
    one = only(found)
    assert one.p == pytest.approx(p_of(math.sqrt(0.1 / 0.02)), rel=1e-4)
    assert one.low == pytest.approx(0.1 - 0.02 * Z**2)
    turned = only(replace(found, estimates=found.estimates[::-1], limits={
        PAIR: ("combined", lambda q: tuple(-x for x in skewed(0.8 - 0.7)(q)[::-1]))
    }))  # fmt: skip
    assert turned.p == pytest.approx(one.p, rel=1e-6)
    assert turned.high == pytest.approx(-one.low)


def test_sixteen_standard_errors_are_the_most() -> None:
    """Limits that never touch 0 have the p-value of 16 standard errors, or of Student's t."""
    limits = {PAIR: ("combined", lambda _: (0.05, 0.15))}
    for spread, p in (
        (of_pair(0.0016), p_of(16.0)),
        (Apart(np.array([0.0008, 0.0008])), p_of(16.0)),
        (of_pair(0.0016, 5.0), 2.0 * stats.t.sf(16.0, 5)),
    ):
        assert only(measured([0.8, 0.7], spread, limits=limits)).p == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("df", [math.inf, 6.0])
def test_limits_of_few_labels_do_not_move_far_away(df: float) -> None:
    """Of averages of classes on different rows p is not below what error or level say."""
    at, d = Confidence().quantile(df), 0.8 - 0.7

    def p_by(z: float) -> float:
        return p_of(z) if math.isinf(df) else 2.0 * stats.t.sf(z, df)

    def found(variance: float, low: float, metric: str = "macro_f1") -> float:
        spread = Apart(np.full(2, variance / 2.0), df)
        limits = {PAIR: ("combined", lambda q: (max(d - q * (d - low) / at, low), 0.9))}
        turned = {PAIR: ("combined", lambda q: (-0.9, -max(d - q * (d - low) / at, low)))}
        p = only(measured([0.8, 0.7], spread, metric, limits=limits)).p
        assert p is not None
        assert only(measured([0.7, 0.8], spread, metric, limits=turned)).p == pytest.approx(p)
        return p

    # At the level the limits end 0.02 above 0, and never touch it: 0.08 away at the quantile.
    by_level = at * d / (d - 0.02)
    assert found(0.0025, 0.02) == pytest.approx(p_by(max(d / 0.05, by_level)), rel=1e-9)
    # A standard error that is smaller says more.
    assert found(0.0009, 0.02) == pytest.approx(p_by(max(d / 0.03, by_level)), rel=1e-9)
    assert d / 0.03 > by_level > d / 0.05
    assert found(0.0025, 0.02, "accuracy") == pytest.approx(p_by(16.0), rel=1e-9)
    # Limits that touch 0 before the level are as they are.
    touching = at * d / (d + 0.02)
    assert found(0.0009, -0.02) == pytest.approx(p_by(touching), rel=1e-5)


def test_limits_that_have_no_width_say_as_much_as_the_error() -> None:
    limits = {PAIR: ("combined", lambda _: (0.8 - 0.7, 0.8 - 0.7))}
    spread = Apart(np.full(2, 0.0008))
    one = only(measured([0.8, 0.7], spread, "macro_f1", limits=limits))
    assert one.p == pytest.approx(p_of(16.0), rel=1e-9)


# Limits widened to what exchanged rows show


def critical(value: float, p: float, variance: float = 0.0016, **more: Any) -> Difference:
    found = measured([0.8, 0.7], of_pair(variance), critical={PAIR: value}, **more)
    return only(replace(found, tests={PAIR: ("swaps", p)}))


def test_limits_are_as_far_as_the_critical_difference() -> None:
    d = 0.8 - 0.7
    # 0.09 is more than 1.96 · 0.04: so far away are the limits, and 0 lies outside.
    one = critical(0.09, 0.01)
    assert (one.low, one.high) == pytest.approx((d - 0.09, d + 0.09), rel=1e-9)
    # It never narrows them.
    for value in (0.05, math.nan, math.inf):
        one = critical(value, 0.01)
        assert (one.low, one.high) == pytest.approx((d - Z * 0.04, d + Z * 0.04), rel=1e-9)


def test_limits_hold_0_just_where_it_is_not_refused() -> None:
    d = 0.8 - 0.7
    kept = critical(0.09, 0.2)
    assert (kept.low, kept.high) == (0.0, pytest.approx(d + 0.09))
    wide = critical(0.12, 0.2)
    assert (wide.low, wide.high) == pytest.approx((d - 0.12, d + 0.12), rel=1e-9)
    # A p-value of 1 − level refuses nothing.
    assert critical(0.09, 1.0 - 0.95).low == 0.0
    # Refused, though 0.12 is farther than the difference: 0 lies right outside.
    shown = critical(0.12, 0.01)
    assert shown.low == pytest.approx(1e-4 * d, rel=1e-2)
    assert shown.high == pytest.approx(2.0 * d - shown.low, rel=1e-9)
    low = replace(measured([0.7, 0.8], of_pair(0.0016), critical={PAIR: 0.12}),
                  tests={PAIR: ("swaps", 0.01)})  # fmt: skip
    turned = only(low)
    assert (turned.low, turned.high) == pytest.approx((-shown.high, -shown.low), rel=1e-9)
    other = only(replace(low, tests={PAIR: ("swaps", 0.2)}, critical={PAIR: 0.09}))
    assert (other.low, other.high) == (pytest.approx(-d - 0.09), 0.0)
    # Without an error there is nothing to widen.
    limits = {PAIR: ("combined", limits_of(0.0, 0.1))}
    still = only(measured([0.5, 0.5], of_pair(0.0), critical={PAIR: 0.5}, limits=limits))
    assert (still.low, still.high) == pytest.approx((-0.1 * Z, 0.1 * Z))


def test_limits_that_touch_0_hold_it_though_it_is_refused() -> None:
    """Widened to 0.12 ÷ 0.04 = 3 standard errors they end at 0: they go back to right beside it."""

    def limits(quantile: float) -> tuple[float, float]:
        return 0.0 if abs(quantile - 3.0) < 1e-9 else 0.1 * (3.0 - quantile), 0.9

    for values, is_turned in (((0.8, 0.7), False), ((0.7, 0.8), True)):
        how = (lambda q: tuple(-x for x in limits(q)[::-1])) if is_turned else limits
        found = measured(values, of_pair(0.0016), critical={PAIR: 0.12}, tests={PAIR: ("s", 0.01)})
        one = only(replace(found, limits={PAIR: ("combined", how)}))
        near = -one.high if is_turned else one.low
        assert near == pytest.approx(0.1 * 3.0 * 1e-4, rel=1e-2)
