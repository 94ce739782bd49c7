"""Limits of a metric of each class, from plain formulas and from the edges of their tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from karat.inference.class_limits import (
    ClassLimits,
    _effective,
    _inflation_of_shares,
    _of_ratios,
    _share_partials,
    _Side,
    _sides,
    _smoothed,
    _together,
    _wider,
    class_limits,
    fewest_rows,
    limits_of_proportion,
    limits_of_ratio,
    limits_of_two_proportions,
)
from karat.inference.confidence import Confidence
from karat.inference.limits import exact_limits, wilson_limits
from karat.metrics import Metric, get
from karat.metrics._proportions import proportion
from tests.inference.slow_intervals import SlowClasses
from tests.inference.tables import KINDS, MISSED, WHOLE, spread_of_kind
from tests.same import assert_same

Floats = npt.NDArray[np.float64]

ASKED = Confidence(0.9)
Z = float(stats.norm.ppf(0.95))
RECALL, PRECISION = proportion("tp", "fn"), proportion("tp", "fp")
ABSENT = [[14, 3, 0], [2, 11, 0], [0, 0, 0]]
PERFECT = [[14, 0, 0], [0, 11, 0], [0, 0, 1]]
TABLES = {"whole": WHOLE, "absent": ABSENT, "perfect": PERFECT, "missed": MISSED}
METRICS = (
    "recall",
    "false_discovery_rate",
    "f1",
    "precision_lift",
    "informedness",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
    "fowlkes_mallows",
)


def plain(name: str) -> Metric:
    """A metric of one class."""
    metric = get(name)
    return Metric(metric.record, "plain", metric.params)


@pytest.mark.parametrize(
    ("shape", "kind"),
    [(s, k) for i, s in enumerate(TABLES) for j, k in enumerate(KINDS) if (i + j) % 2 == 0],
)
def test_every_family_has_the_limits_of_the_plain_formulas(shape: str, kind: str) -> None:
    """Proportions, their sums and ratios and other functions, for every design of the rows."""
    spread = spread_of_kind(TABLES[shape], kind)
    for name in METRICS:
        metric = plain(name)
        is_betas = (False, True) if metric.proportion is not None else (False,)
        for is_beta in is_betas:
            found = class_limits(metric, spread, ASKED, is_beta=is_beta)
            slow = SlowClasses(metric, spread, ASKED, is_beta=is_beta)
            about = f"{name}, beta {is_beta}"
            assert found.has_slopes == slow.has_slopes, about
            for part in ("value", "low", "high", "partials", "variance"):
                expected = getattr(slow, part)
                size = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
                assert_same(getattr(found, part) / size, expected / size, within=1e-10, about=about)


def test_methods_are_named_after_the_family() -> None:
    """Wilson's and Jeffreys' limits of shares, combined ones of sums and ratios, logarithms."""
    for kind in ("plain", "weighted"):
        spread = spread_of_kind(WHOLE, kind)
        names = {name: class_limits(plain(name), spread, ASKED).method for name in METRICS}
        ratios = dict.fromkeys(METRICS[5:8], "mover-log")
        shares = dict.fromkeys(("recall", "false_discovery_rate", "f1"), "wilson")
        others = {
            "precision_lift": "log",
            "informedness": "mover",
            "fowlkes_mallows": "wilson-effective",
        }
        assert names == shares | others | ratios
        assert class_limits(plain("f1"), spread, ASKED, is_beta=True).method == "jeffreys"


def test_limits_are_computed_once_for_each_setting() -> None:
    """The same question has the same answer, another level or prior another one."""
    spread, metric = spread_of_kind(WHOLE), plain("recall")
    found = class_limits(metric, spread, ASKED)
    assert class_limits(metric, spread, Confidence(0.9)) is found
    assert class_limits(metric, spread, Confidence(0.8)) is not found
    beta = class_limits(metric, spread, ASKED, is_beta=True)
    assert beta is not found
    assert class_limits(metric, spread, ASKED, is_beta=True) is beta


@dataclass
class Given:
    """Variances that a test states: the variance of a form is the sum of its squares, by scale."""

    one_vs_rest: tuple[Floats, Floats]
    scale: float = 1.0
    is_simple: bool = False
    has_strata: bool = False
    has_squares: bool = True
    varies_less: bool = False
    n_units: float = math.inf
    df: float = math.inf
    kept: dict[Any, Any] = field(default_factory=dict)

    @property
    def k(self) -> int:
        return len(self.one_vs_rest[0])

    @property
    def total(self) -> float:
        return float(self.one_vs_rest[0][0].sum())

    @property
    def n_effective(self) -> float:
        return self.total

    def class_variances(self, partials: Floats) -> Floats:
        return np.asarray(self.scale * (partials**2).sum(axis=(1, 2)))

    def class_df(self, partials: Floats) -> Floats:
        return np.full(len(partials), self.df)


def given(weights: Any, squares: Any = None, **more: Any) -> Any:
    one = np.asarray(weights, np.float64)
    return Given((one, one if squares is None else np.asarray(squares, np.float64)), **more)


def test_a_class_without_rows_has_a_half_and_the_whole_range() -> None:
    """Its proportion is ½, its limits 0 and 1, for every way to make them."""
    for is_simple in (False, True):
        tables = [[[3, 1], [0, 0]], [[0, 0], [1, 3]]]
        spread = given(tables, is_simple=is_simple, scale=1e-9)
        for asked in (ASKED, Confidence(0.9, window=2)):
            for is_beta in (False, True):
                p, low, high = limits_of_proportion(RECALL, spread, asked, is_beta=is_beta)
                assert (p[0], low[0], high[0]) == (0.5, 0.0, 1.0)
                assert p[1] == 0.75
                assert 0.0 < low[1] < 0.75 < high[1] < 1.0


def test_a_class_of_negligible_weight_has_the_whole_range() -> None:
    """Squares that underflow leave no effective rows."""
    weights, squares = [[[1.0, 0.0], [1e-200, 1e-200]]], [[[1.0, 0.0], [0.0, 0.0]]]
    for is_beta in (False, True):
        p, low, high = limits_of_proportion(
            RECALL, given(weights, squares, is_simple=True), ASKED, is_beta=is_beta
        )
        assert p[0] == 0.5
        expected = (0.0, 1.0)
        assert (low[0], high[0]) == expected


def test_effective_rows_of_a_share_are_kishs() -> None:
    """(Σw)² ÷ Σw² rows in Wilson's interval, and in the posterior of Jeffreys' prior."""
    spread = given([[[5.0, 2.0], [4.0, 12.0]]], [[[7.0, 3.0], [6.0, 26.0]]], is_simple=True)
    n = 16.0**2 / 32.0
    p, low, high = limits_of_proportion(RECALL, spread, ASKED, is_beta=False)
    expected = wilson_limits(0.75, n, Z)
    assert [float(x[0]) for x in (p, low, high)] == pytest.approx([0.75, *map(float, expected)])
    _, low, high = limits_of_proportion(RECALL, spread, ASKED, is_beta=True)
    beta = stats.beta(0.75 * n + 0.5, 0.25 * n + 0.5)
    assert [float(low[0]), float(high[0])] == pytest.approx([beta.ppf(0.05), beta.ppf(0.95)])


@pytest.mark.parametrize("window", [None, 3])
def test_few_degrees_of_freedom_leave_fewer_rows(window: int | None) -> None:
    """Variance and Student's quantile: n·(z ÷ t)² ÷ inflation rows with a normal quantile."""
    asked = Confidence(0.9, window=window)
    z, t = asked.quantile(), asked.quantile(4.0)
    tables, p, n = [[[5.0, 2.0], [4.0, 12.0]]], 0.75, 16.0
    # The derivative is 23 ÷ 16 · (¼ of a hit, −¾ of a miss).
    form = (23.0 / 16.0) ** 2 * (0.25**2 + 0.75**2)
    inflation = 1.7
    spread = given(tables, scale=inflation * p * (1 - p) / n / form, df=4.0)
    rows = n / inflation
    found = limits_of_proportion(RECALL, spread, asked, is_beta=True)
    fewer = rows * (z / t) ** 2
    if window is None:
        beta = stats.beta(p * fewer + 0.5, (1 - p) * fewer + 0.5)
        expected = (beta.ppf(0.05), beta.ppf(0.95))
    else:
        expected = tuple(map(float, exact_limits(p, fewer, asked.tail)))
    assert [float(x[0]) for x in found] == pytest.approx([p, *expected])
    _, low, high = limits_of_proportion(RECALL, spread, asked, is_beta=False)
    if window is None:
        expected = tuple(map(float, wilson_limits(p, rows, t)))
    assert [float(low[0]), float(high[0])] == pytest.approx(expected)


def test_medians_need_no_students_quantile() -> None:
    """A tail of a half lies 0 standard errors away, for any degrees of freedom."""
    asked = Confidence(0.5, side="low")
    assert asked.tail == 0.5
    spread = given([[[5.0, 2.0], [4.0, 12.0]]], scale=1e-9, df=4.0)
    p, low, high = limits_of_proportion(RECALL, spread, asked, is_beta=True)
    median = float(stats.beta(12.5, 4.5).ppf(0.5))
    assert float(low[0]) == pytest.approx(min(median, 0.75))
    assert float(high[0]) == pytest.approx(max(median, 0.75))
    assert p[0] == 0.75


def test_fewest_rows_are_those_of_the_smaller_side() -> None:
    """Hits or misses, in effective rows; none for a metric without a proportion."""
    spread = spread_of_kind(WHOLE)
    # Classes have 18, 17 and 10 rows, of which 14, 11 and 9 are hits.
    found = fewest_rows(plain("recall"), spread)
    assert found is not None
    assert found.tolist() == [4.0, 6.0, 1.0]
    missed = fewest_rows(plain("recall"), spread_of_kind(MISSED))
    assert missed is not None
    assert missed.tolist() == [0.0, 6.0, 0.0]
    weighted = spread_of_kind(WHOLE, "weighted")
    w, squares = weighted.weights.reshape(3, 3), weighted.squares.reshape(3, 3)
    scale = w.sum() / squares.sum()
    hits = np.diag(w) * scale
    misses = (w.sum(axis=1) - np.diag(w)) * scale
    found = fewest_rows(plain("recall"), weighted)
    assert found == pytest.approx(np.minimum(hits, misses), rel=1e-12)
    assert fewest_rows(plain("informedness"), spread) is None


def test_distances_add_by_the_covariance_of_their_proportions() -> None:
    """√(d₁² + d₂² + 2ρ·d₁·d₂); without a variance, a distance is independent of the other."""
    one, other = np.zeros((1, 2, 2)), np.zeros((1, 2, 2))
    one[0, 1, 1], one[0, 1, 0], other[0, 1, 1] = 3.0, 4.0, 2.0
    spread = given([[[1.0, 1.0], [1.0, 1.0]]])
    share, none = np.array([0.5]), np.zeros((1, 2, 2))
    first = _Side(share, share, share, one, np.array([5.0]))
    second = _Side(share, share, share, other, np.array([2.0]))
    rho = 3.0 * 2.0 / (5.0 * 2.0)
    found = _together([first, second], [np.array([0.3]), np.array([0.4])], spread)
    assert float(found[0]) == pytest.approx(math.sqrt(0.09 + 0.16 + 2 * rho * 0.12), rel=1e-12)
    apart = _together([first, second], [np.array([0.3]), np.array([-0.4])], spread)
    assert float(apart[0]) == pytest.approx(math.sqrt(0.09 + 0.16 - 2 * rho * 0.12), rel=1e-12)
    still = _Side(share, share, share, none, np.array([0.0]))
    found = _together([first, still], [np.array([0.3]), np.array([-0.4])], spread)
    assert float(found[0]) == pytest.approx(0.5, rel=1e-12)
    # A variance below 0 is a rounding error.
    negative = given([[[1.0, 1.0], [1.0, 1.0]]], scale=-1e-3)
    found = _together([first, still], [np.array([0.3]), np.array([0.4])], negative)
    assert float(found[0]) == pytest.approx(0.4, rel=1e-12)


def test_sides_of_a_sum_are_beta_limits_with_the_error_of_each() -> None:
    """They are kept, for each proportion and setting."""
    spread = spread_of_kind(WHOLE)
    sides = _sides((RECALL, PRECISION), spread, ASKED)
    assert _sides((PRECISION, RECALL), spread, ASKED)[1] is sides[0]
    for i, (hits, own, predicted) in enumerate(((14, 18, 17), (11, 17, 14), (9, 10, 14))):
        for side, n in zip(sides, (own, predicted), strict=True):
            p = hits / n
            beta = stats.beta(hits + 0.5, n - hits + 0.5)
            assert float(side.p[i]) == p
            assert float(side.low[i]) == pytest.approx(beta.ppf(0.05), rel=1e-10)
            assert float(side.high[i]) == pytest.approx(beta.ppf(0.95), rel=1e-10)
            assert float(side.error[i]) == pytest.approx(math.sqrt(p * (1 - p) / n), rel=1e-12)


def test_informedness_is_newcombes_difference_of_independent_proportions() -> None:
    """Recall and specificity are of different rows: distances add as squares."""
    spread, metric = spread_of_kind(WHOLE), plain("informedness")
    found = class_limits(metric, spread, ASKED)
    counts = np.array(WHOLE)
    for i in range(3):
        hits, own = counts[i, i], counts[i].sum()
        alarms, rest = counts[:, i].sum() - hits, counts.sum() - own
        value = hits / own + (rest - alarms) / rest - 1
        recall = stats.beta(hits + 0.5, own - hits + 0.5)
        right = stats.beta(rest - alarms + 0.5, alarms + 0.5)
        below, above = (
            math.hypot(recall.ppf(tail) - hits / own, right.ppf(tail) - (rest - alarms) / rest)
            for tail in (0.05, 0.95)
        )
        assert float(found.low[i]) == pytest.approx(value - below, rel=1e-9)
        assert float(found.high[i]) == pytest.approx(value + above, rel=1e-9)


def test_a_sum_at_a_look_has_the_wider_limits_of_two() -> None:
    """Those of both proportions, and those of one with the effective rows of the sum."""
    spread, metric = spread_of_kind([[40, 3], [2, 9]]), plain("informedness")
    asked = Confidence(0.95, anytime=100, n_units=54.0)
    found = class_limits(metric, spread, asked)
    two = metric.record.sum_of
    assert two is not None
    combined = limits_of_two_proportions(found.value, two, spread, asked)
    # A quarter of a row more in each cell; the sum is from −1 to 1.
    shares, rows = [], []
    for table in (np.array([[9, 2], [3, 40]]), np.array([[40, 3], [2, 9]])):
        smooth = table + 0.25
        part = [smooth[i, i] / smooth[i].sum() for i in range(2)]
        # p·(1 − p) ÷ n of each, for the true classes' shares of all rows, of 54 rows.
        variance = sum(
            p * (1 - p) / (smooth[i].sum() / smooth.sum()) / 54.0 for i, p in enumerate(part)
        )
        x = sum(part) / 2.0
        shares.append((table[0, 0] / table[0].sum() + table[1, 1] / table[1].sum()) / 2.0)
        rows.append(x * (1 - x) / (variance / 4.0))
    low, high = wilson_limits(shares, rows, asked.quantile())
    assert found.low == pytest.approx(np.minimum(combined[0], 2 * low - 1), rel=1e-10)
    assert found.high == pytest.approx(np.maximum(combined[1], 2 * high - 1), rel=1e-10)
    assert found.method == "mover"
    # A control: neither is the wider one at every end.
    assert not np.allclose(found.low, combined[0])
    once = class_limits(metric, spread, Confidence(0.95))
    only = limits_of_two_proportions(found.value, two, spread, Confidence(0.95))
    assert once.low.tolist() == only[0].tolist()


def test_a_ratio_at_a_look_reaches_as_far_as_that_of_a_smoothed_table() -> None:
    """Limits of both proportions are wider at one end, those of half a row more at the other."""
    spread, asked = (
        spread_of_kind([[7, 33], [26, 37]]),
        Confidence(0.95, anytime=100, n_units=103.0),
    )
    metric = plain("positive_likelihood_ratio")
    found = class_limits(metric, spread, asked)
    tables, _ = spread.one_vs_rest
    ratio = metric.record.ratio_of
    assert ratio is not None
    both = limits_of_ratio(metric, found.value, ratio, spread, asked)
    quantile = np.full(2, asked.quantile())
    smooth = _of_ratios(metric, spread, tables, found.value, np.ones(2), quantile)
    assert both[1][0] < smooth[1][0]
    assert both[0][0] < smooth[0][0]
    assert found.low == pytest.approx(np.minimum(both[0], smooth[0]), rel=1e-12)
    assert found.high == pytest.approx(np.maximum(both[1], smooth[1]), rel=1e-12)


def test_wider_limits_hold_both_and_pass_over_what_is_unknown() -> None:
    """The lower of the low ends, the higher of the high ones, and the known one beside NaN."""
    one = np.array([0.1, 0.3, np.nan]), np.array([0.6, 0.5, 0.7])
    other = np.array([0.2, 0.2, 0.4]), np.array([0.5, 0.9, np.nan])
    low, high = _wider(one, other)
    assert low.tolist() == [0.1, 0.2, 0.4]
    assert high.tolist() == [0.6, 0.9, 0.7]


def test_inflation_is_the_variance_by_that_of_as_many_rows() -> None:
    """At least 1, less only for a design that varies less; by units where nothing varies."""
    p, n = np.array([0.5, 0.5, 1.0, 1.0, 0.5]), np.array([10.0, 10.0, 10.0, 3.0, 0.5])
    actual = np.array([0.05, 0.01, 0.0, 0.0, 1.0])
    tables = np.ones((5, 2, 2))
    partials = np.zeros((5, 2, 2))
    partials[:, 0, 0] = np.sqrt(actual)
    spread = given(tables, n_units=4.0)
    found = _inflation_of_shares(spread, p, n, partials)
    assert found == pytest.approx([2.0, 1.0, 2.5, 1.0, 2.0], rel=1e-12)
    spread.varies_less = True
    found = _inflation_of_shares(spread, p, n, partials)
    assert found == pytest.approx([2.0, 0.4, 2.5, 1.0, 2.0], rel=1e-12)
    # Rows that vary in the table but not by design count as units; others at most a millionfold.
    partials[:, 0, 0] = [0.0, 1e-6, 0.0, 0.0, 0.0]
    found = _inflation_of_shares(spread, p, n, partials)
    assert found == pytest.approx([2.5, 1e-6, 2.5, 1.0, 1.0], rel=1e-12)


def test_derivative_of_a_share() -> None:
    """(1 − p) by its hits and −p by its misses, by the share of its rows of all; 0 without rows."""
    spread = given([[[5.0, 2.0], [1.0, 4.0]], [[6.0, 6.0], [0.0, 0.0]]])
    found = _share_partials(RECALL, spread, np.array([0.8, 0.5]), np.array([5.0, 0.0]))
    assert found[0].ravel() == pytest.approx([0.0, 0.0, -0.8 * 12 / 5, 0.2 * 12 / 5], rel=1e-12)
    assert not found[1].any()
    # Of less than one row, too.
    half = _share_partials(RECALL, spread, np.array([0.8, 0.5]), np.array([0.5, 0.25]))
    assert half[0, 1, 1] == pytest.approx(0.2 * 12 / 0.5, rel=1e-12)
    assert half[1, 1, 0] == pytest.approx(-0.5 * 12 / 0.25, rel=1e-12)


def test_classes_of_one_row_and_of_none() -> None:
    """One hit has Wilson's limits of one row; of no row nothing is known."""
    spread = spread_of_kind([[1, 0, 0], [1, 3, 0], [0, 0, 0]])
    found = class_limits(plain("recall"), spread, ASKED)
    low, _ = wilson_limits(1.0, 1.0, Z)
    assert (float(found.low[0]), float(found.high[0])) == (pytest.approx(float(low)), 1.0)
    assert (float(found.low[2]), float(found.high[2])) == (0.0, 1.0)
    # With Jeffreys' prior the limit of 1 lies above the quantile.
    window = Confidence(0.9, window=1)
    exact = class_limits(plain("recall"), spread, window)
    beta = class_limits(plain("recall"), spread, window, is_beta=True)
    tail = window.tail
    assert float(exact.low[1]) == pytest.approx(stats.beta.ppf(tail, 3, 2), rel=1e-10)
    assert exact.low.tolist() == beta.low.tolist()


def test_a_falling_metric_turns_its_limits_round() -> None:
    """The upper limit of a rate of errors is 1 less the lower limit of the rate of hits."""
    for kind in KINDS:
        spread = spread_of_kind(WHOLE, kind)
        for rate, errors in (
            ("recall", "false_negative_rate"),
            ("precision", "false_discovery_rate"),
        ):
            one = class_limits(plain(rate), spread, ASKED)
            other = class_limits(plain(errors), spread, ASKED)
            assert other.low == pytest.approx(1 - one.high, rel=1e-10)
            assert other.high == pytest.approx(1 - one.low, rel=1e-10)


def test_a_class_that_does_not_occur_has_no_ratio_and_is_moved_by_nothing() -> None:
    """Other classes have their derivatives."""
    spread = spread_of_kind(ABSENT, "weighted")
    found = class_limits(plain("diagnostic_odds_ratio"), spread, ASKED)
    assert np.isnan(found.value).tolist() == [False, False, True]
    assert found.has_slopes is True
    assert found.partials[2].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert np.isfinite(found.partials[:2]).all()
    assert (found.partials[:2] != 0.0).all()


def test_slopes_are_by_row_by_column_and_at_their_crossing() -> None:
    """Every cell of a table has the derivative of the four cells of a class, less a constant."""
    partials = np.array([[[1.0, 5.0], [-2.0, 9.0]]])
    found = ClassLimits(*(np.zeros(1) for _ in range(3)), partials, np.zeros(1), "").slopes
    by_row, by_column, crossing = found[:, 0]
    # Less that of a true negative.
    assert by_row == -2.0 - 1.0
    assert by_column == 5.0 - 1.0
    assert by_row + by_column + crossing == 9.0 - 1.0


def test_tables_are_smoothed_in_effective_rows() -> None:
    """Cells grow by a part of a row; of strata that weigh, by a row of that stratum."""
    spread = spread_of_kind(WHOLE, "weighted")
    tables, squares = spread.one_vs_rest
    scale = spread.weights.sum() / spread.squares.sum()
    found, each = _smoothed(spread, tables, 0.25)
    assert each is None
    assert found == pytest.approx(tables * scale + 0.25, rel=1e-12)
    unweighted, each = _smoothed(spread_of_kind(WHOLE, "control"), tables, 0.25)
    assert each is None
    assert unweighted == pytest.approx(tables + 0.25, rel=1e-12)
    found, each = _smoothed(spread_of_kind(WHOLE, "weighted control"), tables, 0.25)
    assert each is not None
    for i in range(3):
        for row in range(2):
            one = squares[i, row].sum() / tables[i, row].sum() * scale
            assert each[i, row, 0] == pytest.approx(one, rel=1e-12)
            assert found[i, row] == pytest.approx(tables[i, row] * scale + 0.25 * one, rel=1e-12)
    absent = spread_of_kind(ABSENT, "weighted control")
    _, each = _smoothed(absent, absent.one_vs_rest[0], 0.25)
    assert each is not None
    assert each[2, 1, 0] == 1.0
    # Of a stratum whose squares underflow nothing is known.
    light = np.array([[[3.0, 1.0], [1e-200, 1e-200]]])
    found, each = _smoothed(given(light, light**2, has_strata=True), light, 0.25)
    assert each is not None
    assert each.ravel().tolist() == [2.5, 1.0]
    assert found.ravel().tolist() == [3.625, 1.625, 0.25, 0.25]


def test_ratios_without_a_value_have_limits_of_a_smoothed_table() -> None:
    """Limits of both proportions are unknown where the value is; others of the table stay."""
    spread = spread_of_kind([[12, 0, 2], [3, 7, 0], [0, 0, 6]])
    metric = plain("positive_likelihood_ratio")
    found = class_limits(metric, spread, ASKED)
    tables, _ = spread.one_vs_rest
    ratio = metric.record.ratio_of
    assert ratio is not None
    assert np.isinf(found.value).tolist() == [False, True, False]
    both = limits_of_ratio(metric, found.value, ratio, spread, ASKED)
    assert np.isnan(both[0]).tolist() == np.isnan(both[1]).tolist() == [False, True, False]
    smooth = _of_ratios(metric, spread, tables, found.value, np.ones(3), np.full(3, Z))
    assert found.low == pytest.approx([both[0][0], smooth[0][1], both[0][2]], rel=1e-12)
    assert found.high == pytest.approx([both[1][0], smooth[1][1], both[1][2]], rel=1e-12)


def test_limits_of_a_logarithm_of_a_smoothed_table() -> None:
    """Log of the lift of precision with half a row more in each cell, by its derivative."""
    spread, metric = spread_of_kind(WHOLE), plain("precision_lift")
    tables, _ = spread.one_vs_rest
    value = np.array([1.0, 2.0, 50.0])
    inflation, quantile = np.array([1.0, 2.0, 1.5]), np.array([1.0, 2.0, 3.0])
    low, high = _of_ratios(metric, spread, tables, value, inflation, quantile)
    for i in range(3):
        (tn, fp), (fn, tp) = tables[i] + 0.5
        n, own, predicted = tn + fp + fn + tp, fn + tp, fp + tp
        centre = tp * n / (own * predicted)
        # Derivatives of log tp + log n − log own − log predicted.
        slopes = {
            tp: 1 / tp + 1 / n - 1 / own - 1 / predicted,
            fp: 1 / n - 1 / predicted,
            fn: 1 / n - 1 / own,
            tn: 1 / n,
        }
        variance = inflation[i] * sum(count * slope**2 for count, slope in slopes.items())
        step = math.exp(quantile[i] * math.sqrt(variance))
        assert float(low[i]) == pytest.approx(min(centre / step, value[i]), rel=1e-12)
        assert float(high[i]) == pytest.approx(max(centre * step, value[i]), rel=1e-12)
    assert float(high[2]) == 50.0


def test_effective_rows_of_what_does_not_vary_are_all_rows() -> None:
    """Where a derivative is 0, the rows are those of the table."""
    spread = spread_of_kind([[4, 0], [0, 4]], "weighted")
    metric = plain("fowlkes_mallows")
    tables, _ = spread.one_vs_rest
    value = np.array([0.25, 0.75])
    shares, rows = _effective(metric, spread, tables, value, np.zeros(2))
    assert shares.tolist() == [0.25, 0.75]
    assert rows == pytest.approx(np.full(2, spread.n_effective), rel=1e-12)
