"""Parts of simultaneous bands against loops over points, replicates and lines."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.stats import beta, norm

import karat
from karat.curves._sampling import OF_CLUSTERS
from karat.errors import KaratError
from karat.inference import bands
from karat.inference.bands import (
    _after,
    _along,
    _before,
    _checked,
    _contains,
    _ends,
    _least,
    _left_out,
    _Lines,
    _n_replicates,
    _odds_limits,
    _population,
    _rows,
    _simulated,
    _spread,
    _tail_of_bins,
    band_of,
)
from karat.inference.limits import beta_limits, quick_beta_high, quick_beta_low

Y = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0])
P = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.2, 0.1])
SINES = np.sin(np.linspace(0.0, math.pi / 2.0, 48)) ** 2


def one_line(x: Any, y: Any, place: float) -> float:
    """The line through points of ascending x: of equal ones the last counts, and ends go on."""
    place = max(place, x[0])
    at = max(i for i in range(len(x)) if x[i] <= place)
    if at == len(x) - 1:
        return float(y[at])
    part = (place - x[at]) / (x[at + 1] - x[at])
    return float(y[at] + part * (y[at + 1] - y[at]))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the quantile of a band is simulated from; it is 1.9."""
    calls: list[Any] = []

    def simulated(*given: Any, **named: Any) -> float:
        calls.append((*given, named["is_whole"], named["draws_odds"]))
        return 1.9

    monkeypatch.setattr("karat.inference.bands._simulated", simulated)
    return calls


# Levels, and what has no band.


def test_levels_from_a_half_to_999_of_1000_have_a_band() -> None:
    for level in (0.5, 0.95, 0.999):
        assert _checked(level) == level
    for level in (0.4999, 0.9991, 0.0, 1.0, None, "0.95", 95):
        with pytest.raises(KaratError, match=r"a number from 0\.5 to 0\.999") as caught:
            _checked(level)
        assert caught.value.code == "K122"


def test_as_many_replicates_as_leave_25_outside() -> None:
    """At least 500, at most 5000, and 25 ÷ (1 − level) between."""
    for level, n in ((0.5, 500), (0.95, 500), (0.96, 625), (0.975, 1000), (0.995, 5000)):
        assert _n_replicates(level) == n
    assert (_n_replicates(0.9493), _n_replicates(0.999)) == (500, 5000)


def test_a_curve_has_one_band_of_each_level(asked: list[Any]) -> None:
    curve = karat.curves.roc(Y, y_prob=P)
    band = band_of(curve)
    assert band.level == 0.95
    assert band_of(curve, 0.95) is band
    other = band_of(curve, 0.9)
    assert other is not band
    assert (other.level, band_of(curve, 0.9) is other) == (0.9, True)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("facts", "found", "do"),
    [
        ({"no_band": OF_CLUSTERS}, "rows of a cluster", "Keep one row of each cluster"),
        ({"no_band": "Other rows"}, "Other rows", "Take one class of independent rows"),
        ({"undefined": "no row"}, "It is undefined: no row", "Give rows of both kinds"),
        ({"label": None}, "It pools the classes", "Take one class of independent rows"),
        ({"squares": None}, "squares of its weights are not known", "Take one class"),
    ],
)
def test_curves_without_a_band_say_why(facts: Any, found: str, do: str) -> None:
    with pytest.raises(KaratError, match=found) as caught:
        band_of(replace(karat.curves.roc(Y, y_prob=P), **facts))
    assert (caught.value.code, do in str(caught.value)) == ("K315", True)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_tail_of_bins_is_the_quantile_of_the_least_probability_beyond(level: float) -> None:
    """Replicate by replicate: rising proportions, their counts, and the rarest of all bins."""
    share, rows = np.array([0.0, 0.3, 0.25, 0.9, 1.0]), np.array([4.4, 10.0, 7.6, 0.3, 12.0])
    n = np.array([4, 10, 8, 1, 12])
    hits = share * n
    rng = np.random.default_rng(bands._SEED)
    count = 4 * _n_replicates(level)
    posterior = rng.beta(hits + 0.5, n - hits + 0.5, (count, 5))
    true = np.array([isotonic_regression(row, weights=n + 1.0).x for row in posterior])
    drawn = rng.binomial(n, np.minimum(true, 1.0))
    below = beta.cdf(true, drawn + 0.5, n - drawn + 0.5)
    least = []
    for b in range(count):
        of_bins = [1.0]
        for i in range(5):
            of_bins += [below[b, i]] if drawn[b, i] > 0 else []
            of_bins += [1.0 - below[b, i]] if drawn[b, i] < n[i] else []
        least.append(min(of_bins))
    wanted = sorted(least)[math.floor((count - 1) * (1.0 - level) + 1e-9)]
    assert 1e-9 < wanted < 0.49
    assert _tail_of_bins(share, rows, level) == pytest.approx(wanted, rel=1e-6)


def test_the_tail_of_bins_is_less_than_a_half() -> None:
    """A bin of one row is outside on one side at most; of many rows on one of two."""
    assert _tail_of_bins(np.array([1.0]), np.array([1.0]), 0.5) == 0.49
    for n_bins in (1, 4):
        share = (np.arange(n_bins) + 0.5) / n_bins
        tail = _tail_of_bins(share, np.full(n_bins, 1e6), 0.9)
        assert tail == pytest.approx((1.0 - 0.9 ** (1.0 / n_bins)) / 2.0, rel=0.15)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_band_of_bins_has_the_limits_of_each(is_weighted: bool) -> None:
    """Jeffreys limits of the effective rows of each bin; none of one without rows."""
    weights = 0.5 + np.arange(12) % 3 if is_weighted else None
    w = np.ones(12) if weights is None else weights
    curve = karat.curves.reliability(Y, y_prob=P, weights=weights, bins=4)
    band = band_of(curve, 0.9)
    place = np.searchsorted([0.25, 0.5, 0.75], P)
    share, rows = np.empty(4), np.empty(4)
    for i in range(4):
        of = place == i
        share[i] = sum((w * Y)[of]) / sum(w[of])
        rows[i] = sum(w[of]) ** 2 / sum(w[of] ** 2)
    tail = _tail_of_bins(share, rows, 0.9)
    low, high = beta_limits(share, rows, tail)
    assert band.low == pytest.approx(low, rel=1e-9)
    assert band.high == pytest.approx(high, rel=1e-9)
    assert band.quantile == pytest.approx(norm.isf(tail), rel=1e-9)
    assert band.x.tolist() == curve.mean_confidence.tolist()
    assert (band.label, band.axes, band.method) == (1, ("mean_confidence", "share"), "jeffreys")
    empty = karat.curves.reliability(Y, y_prob=P, weights=weights, bins=40)
    has_rows = ~np.isnan(empty.mean_confidence)
    assert (np.isnan(band_of(empty).low) == ~has_rows).all()
    assert (np.isnan(band_of(empty).high) == ~has_rows).all()


# Lines.


def lines(seed: int = 0, n_rows: int = 3, n: int = 6) -> _Lines:
    """Rising points with ties in each row, and ranges of the vertical rate."""
    rng = np.random.default_rng(seed)
    x = np.sort(np.round(rng.random((n_rows, n)) * 5.0) / 5.0, axis=1)
    y = np.sort(rng.random((n_rows, n)), axis=1)
    return _Lines(x, np.maximum(y - 0.05, 0.0), np.minimum(y + 0.05, 1.0), 12.0, 7.5)


def limits_of(
    of: _Lines, row: int, quantile: float, places: Any
) -> tuple[list[float], list[float]]:
    """Lower and upper limits of one row of lines, place by place."""
    x, n_x, n_y = of.x[row], of.n_x, of.n_y
    if isinstance(n_x, np.ndarray):
        n_x, n_y = float(n_x[row, 0]), float(n_y[row, 0])
    first = [min(of.least[row][x == one]) for one in x]
    last = [max(of.most[row][x == one]) for one in x]
    left, right = quick_beta_low(x, n_x, quantile), quick_beta_high(x, n_x, quantile)
    low, high = quick_beta_low(first, n_y, quantile), quick_beta_high(last, n_y, quantile)
    below = [0.0 if p < right[0] else one_line(right, low, p) for p in places]
    return below, [one_line(left, high, p) for p in places]


@pytest.mark.parametrize("quantile", [0.8, 2.5])
@pytest.mark.parametrize("sizes", ["one", "each"])
def test_lines_pass_through_the_corners_of_the_rectangles(quantile: float, sizes: str) -> None:
    of = lines()
    if sizes == "each":
        n_x = np.array([[3.0], [20.0], [8.0]])
        of = replace(of, n_x=n_x, n_y=30.0 - n_x)
    places = np.concatenate([np.linspace(0.0, 1.0, 23), of.x[1]])
    low, high = of.at(quantile, places)
    for row in range(3):
        below, above = limits_of(of, row, quantile, places)
        assert low[row] == pytest.approx(below, rel=1e-9, abs=1e-12)
        assert high[row] == pytest.approx(above, rel=1e-9, abs=1e-12)
        some = of.some(np.arange(3) == row)
        one = some.at(quantile, places)
        assert one[0][0].tolist() == low[row].tolist()
        assert one[1][0].tolist() == high[row].tolist()
    left, right = of.reach(quantile)
    assert left.tolist() == quick_beta_low(of.x, of.n_x, quantile).tolist()
    assert right.tolist() == quick_beta_high(of.x, of.n_x, quantile).tolist()


def test_lines_bend_at_the_limits_of_each_point() -> None:
    of = lines(n_rows=1)
    wanted = {0.0, 1.0, *quick_beta_low(of.x[0], 12.0, 2.0), *quick_beta_high(of.x[0], 12.0, 2.0)}
    assert of.bends(2.0).tolist() == sorted(wanted)


def test_a_line_is_level_beyond_its_ends_and_jumps_where_points_are_equal() -> None:
    x = np.array([[0.2, 0.4, 0.4, 0.8], [0.1, 0.1, 0.5, 0.5], [0.0, 0.0, 1.0, 1.0]])
    y = np.array([[0.1, 0.2, 0.6, 0.9], [0.3, 0.4, 0.5, 0.7], [0.0, 0.5, 0.6, 1.0]])
    places = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.8, 0.95, 1.0])
    found = _along(x, y, places)
    for row in range(3):
        wanted = [one_line(x[row], y[row], p) for p in places]
        assert found[row] == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    # Before the first of points at one place, the line is level with the last of them.
    assert found[1, :2].tolist() == [0.4, 0.4]


def test_a_line_does_not_go_on_in_the_next_row() -> None:
    """Before its first point it is level, whatever the row before it ends with."""
    x, y = (
        np.array([[0.1, 0.3], [0.5, 0.9], [0.7, 0.8]]),
        np.array([[0.0, 0.2], [0.6, 0.8], [0.1, 0.4]]),
    )
    places = np.array([0.0, 0.4, 0.6, 1.0])
    for row, found in enumerate(_along(x, y, places)):
        wanted = [one_line(x[row], y[row], p) for p in places]
        assert found == pytest.approx(wanted, rel=1e-12)


def test_equal_points_have_the_least_and_the_most_of_them() -> None:
    x = np.array([[0.0, 0.0, 0.0, 0.3, 0.5, 0.5], [0.0, 0.1, 0.1, 0.1, 0.1, 1.0]])
    least = np.arange(6.0) + np.array([[0.0], [10.0]])
    first, last = _ends(x, least, least + 100.0)
    assert first.tolist() == [[0, 0, 0, 3, 4, 4], [10, 11, 11, 11, 11, 15]]
    assert last.tolist() == [[102, 102, 102, 103, 105, 105], [110, 114, 114, 114, 114, 115]]
    assert least.tolist() == [[0, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15]]


def test_what_lies_before_and_after() -> None:
    y = np.array([1.0, 2.0, 4.0])
    assert (_before(y).tolist(), _after(y).tolist()) == ([1.0, 1.0, 2.0], [2.0, 4.0, 4.0])


def test_points_that_were_left_out_lie_near_the_line() -> None:
    """A point at the distance 0.01 from a line with the slope 3 ÷ 4 is 0.0125 above or below it."""
    down, up = _left_out(np.array([0.0, 0.4, 0.4, 1.0]), np.array([0.0, 0.3, 0.5, 0.5]), 0.01)
    assert down == pytest.approx([0.0, 0.0125, math.inf, 0.01], rel=1e-12)
    assert up == pytest.approx([0.0125, math.inf, 0.01, 0.0], rel=1e-12)
    for none in _left_out(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.0):
        assert none.tolist() == [0.0, 0.0]


def test_effective_rows_of_both_sides() -> None:
    curve = SimpleNamespace(n_pos=6.0, n_neg=10.0, squares=(12.0, 20.0))
    assert _rows(curve) == (36.0 / 12.0, 100.0 / 20.0)


def test_odds_have_the_limits_of_a_share() -> None:
    """Limits p of the share of the class are p ÷ (1 − p), as multiples of the odds."""
    low, high = _odds_limits(30.0, 90.0, 1.96)
    for found, limit in ((low, quick_beta_low), (high, quick_beta_high)):
        share = float(limit(0.25, 120.0, 1.96))
        assert found == pytest.approx(share / (1.0 - share) / (30.0 / 90.0), rel=1e-12)
    assert low < 1.0 < high
    # Of two rows nothing is sure at a quantile of 12.
    assert tuple(map(float, _odds_limits(1.0, 1.0, 12.0))) == (0.0, math.inf)


def test_a_straight_curve_is_drawn_from_47_cells() -> None:
    """Cells are short near 0 and 1: steps of equal size in standard errors."""
    ends = np.array([0.0, 1.0])
    for part in _population(ends, ends, is_whole=False):
        assert part == pytest.approx(np.diff(SINES), rel=1e-9)
    for part in _population(ends, ends, is_whole=True):
        assert part.tolist() == [1.0]
    # A point on the line, or below it, changes nothing.
    for y in (0.3, 0.2):
        others, own = _population(
            np.array([0.0, 0.3, 1.0]), np.array([0.0, y, 1.0]), is_whole=False
        )
        assert others == pytest.approx(np.diff(SINES), rel=1e-9)
        assert own == pytest.approx(np.diff(SINES), rel=1e-9)


def test_both_rates_are_cut_into_steps_between_ties() -> None:
    """Rows of one side alone are cut at the steps of their rate, a tie stays whole."""
    fpr, tpr = np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.6, 1.0, 1.0])
    others, own = _population(fpr, tpr, is_whole=True)
    up, on = SINES[SINES < 0.6], SINES[SINES > 0.5]
    assert own[: len(up)] == pytest.approx(np.diff([*up, 0.6]), rel=1e-9)
    assert others[: len(up)].tolist() == [0.0] * len(up)
    assert (others[len(up)], own[len(up)]) == pytest.approx((0.5, 0.4), rel=1e-9)
    assert others[len(up) + 1 :] == pytest.approx(np.diff([0.5, *on]), rel=1e-9)
    assert own[len(up) + 1 :] == pytest.approx(np.zeros(len(on)), abs=1e-12)
    # Not knowing of ties, the middle is cut at the steps of both rates.
    others, own = _population(fpr, tpr, is_whole=False)
    inside = sorted({*SINES[SINES <= 0.5] / 0.5, *(SINES[SINES >= 0.6] - 0.6) / 0.4, 0.0, 1.0})
    assert others.sum() == pytest.approx(1.0, rel=1e-9)
    assert own.sum() == pytest.approx(1.0, rel=1e-9)
    middle = (others > 0.0) & (own > 1e-12)
    kept = np.diff(inside)[:-1]
    assert others[middle][:-1] == pytest.approx(0.5 * kept, abs=1e-9)
    assert own[middle][:-1] == pytest.approx(0.4 * kept, abs=1e-9)


def test_ties_that_follow_each_other_stay_apart() -> None:
    fpr, tpr = np.array([0.0, 0.1, 0.4, 1.0]), np.array([0.0, 0.4, 0.8, 1.0])
    others, own = _population(fpr, tpr, is_whole=True)
    assert others == pytest.approx([0.1, 0.3, 0.6], rel=1e-12)
    assert own == pytest.approx([0.4, 0.4, 0.2], rel=1e-12)
    # A tie by less than a billionth of a rate is none.
    small = np.array([0.0, 0.5e-9, 1.0])
    others, own = _population(small, np.array([0.0, 1.0, 1.0]), is_whole=True)
    assert len(own) > 90
    tied = _population(small * 4.0, np.array([0.0, 1.0, 1.0]), is_whole=True)[1]
    assert tied[0] == pytest.approx(1.0, rel=1e-9)


def test_points_are_at_most_two_for_each_step() -> None:
    x = np.linspace(0.0, 1.0, 9)
    assert _spread(x[:8], x[:8], 4).tolist() == list(range(8))
    # sin² of 0°, 30°, 60° and 90° is 0, ¼, ¾ and 1.
    assert _spread(x, x**2, 4).tolist() == [0, 2, 4, 6, 7, 8]
    assert _spread(x / 2.0, x / 2.0, 4).tolist() == [0, 4, 8]


# Replicates that contain their population.


@pytest.mark.parametrize("odds", [None, 0.5])
def test_lines_contain_a_curve_if_they_do_at_each_place(odds: float | None) -> None:
    n_own = np.array([[4.0], [8.0], [12.0], [9.0], [7.0]])
    of = replace(lines(3, 5), n_x=n_own, n_y=24.0 - n_own)
    places = np.linspace(0.0, 1.0, 7)
    n_in = 0
    of_rows = [
        np.array([one_line(x, y, p) for p in places]) for x, y in zip(of.x, of.most, strict=True)
    ]
    for truth in (*of_rows, np.zeros(7), np.ones(7)):
        for quantile in (0.5, 1.5, 2.5):
            found = _contains(of, quantile, places=places, truth=truth, odds=odds)
            for row in range(5):
                low, high = (np.array(one) for one in limits_of(of, row, quantile, places))
                if odds is not None:
                    own, rest = n_own[row, 0], 24.0 - n_own[row, 0]
                    below, above = _odds_limits(own, rest, quantile)
                    low, high = low / above * odds * rest / own, high / below * odds * rest / own
                is_in = all(low - 1e-12 <= truth) and all(truth <= high + 1e-12)
                assert found[row] == is_in
                n_in += is_in
    assert 5 < n_in < 100


def test_limits_that_touch_the_curve_contain_it() -> None:
    """Up to 1e-12: a curve that is a little further out is outside."""
    of = lines(2, 1)
    places = np.array([0.35, 0.6])
    low, high = (one[0] for one in of.at(1.0, places))
    for apart, is_in in ((0.0, True), (5e-13, True), (2e-12, False)):
        for truth in (low - apart, high + apart):
            assert _contains(of, 1.0, places=places, truth=truth).tolist() == [is_in]


def replicates(quantiles: Any) -> Any:
    """Lines of which each contains the curve from its own quantile on."""
    x = np.array(quantiles, np.float64)[:, None]
    return _Lines(x, x, x, 1.0, 1.0)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("scale", [0.02, 0.05, 0.2])
def test_the_least_quantile_contains_as_many_as_are_wanted(level: float, scale: float) -> None:
    """Of n + 1 samples, all but 0.8 of those that the level leaves out."""
    quantiles = scale * np.random.default_rng(3).permutation(60).astype(float) + 0.01
    calls: list[int] = []

    def contains(of: _Lines, quantile: float) -> Any:
        calls.append(len(of.x))
        return of.x[:, 0] <= quantile

    found = _least(contains, replicates(quantiles), level)
    wanted = (1.0 - 0.8 * (1.0 - level)) * 61.0
    answer = sorted(quantiles)[math.ceil(wanted) - 1]
    # The search ends with the middle of at most 0.004.
    assert found == pytest.approx(answer, abs=0.0021)
    assert calls[0] == 60
    assert calls[-1] < 60


def test_exactly_as_many_as_are_wanted_are_enough() -> None:
    """Of 59 replicates at the level 0.75, 0.8·60 = 48 have to contain the curve."""
    found = _least(lambda of, q: of.x[:, 0] <= q, replicates(np.arange(59) * 0.05), 0.75)
    assert found == pytest.approx(47 * 0.05, abs=0.0021)


def test_a_curve_that_no_quantile_contains_has_the_last() -> None:
    """1.7 is doubled until it is at least 12."""
    found = _least(lambda of, _: np.zeros(len(of.x), bool), replicates(np.ones(40)), 0.95)
    assert found == pytest.approx(1.7 * 8.0, rel=1e-12)
    assert _least(None, replicates(np.empty(0)), 0.95) == 0.0
    far = _least(lambda of, q: of.x[:, 0] <= q, replicates(np.full(40, 11.0)), 0.95)
    assert far == pytest.approx(11.0, abs=0.0021)


@pytest.mark.parametrize(("draws_odds", "is_whole"), [(False, True), (True, False)])
def test_a_simulated_quantile_contains_as_many_replicates_as_are_wanted(
    draws_odds: bool, is_whole: bool
) -> None:
    """Of the rates of rows that are drawn from the curve, one more of them at any score."""
    fpr, tpr = np.array([0.0, 0.1, 0.3, 1.0]), np.array([0.0, 0.5, 0.9, 1.0])
    rows, level, n = (9.4, 14.0), 0.9, 500
    found = _simulated(fpr, tpr, rows, level, is_whole=is_whole, draws_odds=draws_odds)
    others, own = _population(fpr, tpr, is_whole=is_whole)
    m = len(own)
    own = np.array([(9.4 * x + 1.0 / m) / 10.4 for x in own])
    others = np.array([(14.0 * x + 1.0 / m) / 15.0 for x in others])
    rng = np.random.default_rng(bands._SEED)
    n_own = np.full(n, 9)
    if draws_odds:
        n_own = np.clip(rng.binomial(23, 9.0 / 23.0, n), 1, 22)
    tprs, fprs = (
        np.array([[0.0, *np.cumsum(row)] for row in rng.multinomial(size, part)]) / size[:, None]
        for size, part in ((n_own, own), (23 - n_own, others))
    )
    parts = max(2, math.ceil(96 / m))
    true, false = (
        np.concatenate([
            start + step * np.arange(parts) / parts
            for start, step in zip([0.0, *np.cumsum(part)[:-1]], part, strict=True)
        ] + [[1.0]])
        for part in (own, others)
    )  # fmt: skip

    of_own, of_others = n_own[:, None] * 1.0, 23.0 - n_own[:, None]
    across, upward = (tprs, of_own), (fprs, of_others)
    places, truth = true, false
    if not draws_odds:
        across, upward, places, truth = upward, across, false, true

    def n_inside(quantile: float) -> int:
        """Lines through the corners of rectangles, of equal places the outermost."""
        n_in = 0
        right, left, low, high = (
            limit(rate, size, quantile)
            for rate, size in (across, upward)
            for limit in (quick_beta_high, quick_beta_low)[:: 1 if rate is across[0] else -1]
        )
        below, above = _odds_limits(of_own, of_others, quantile)
        times = (9.0 / 14.0) * of_others / of_own
        for row in range(n):
            x = across[0][row]
            first = np.concatenate([[True], x[1:] > x[:-1]])
            last = np.concatenate([x[1:] > x[:-1], [True]])
            least = np.interp(places, right[row][first], low[row][first])
            least[places < right[row, 0]] = 0.0
            most = np.interp(places, left[row][last], high[row][last])
            if draws_odds:
                least *= float((times / above)[row, 0])
                most *= float((times / below)[row, 0])
            n_in += bool(((least <= truth + 1e-12) & (truth <= most + 1e-12)).all())
        return n_in

    # The search ends with the middle of at most 0.004; the rest is for rounded limits.
    wanted = (1.0 - 0.8 * 0.1) * 501
    assert n_inside(found + 0.0025) >= wanted
    assert n_inside(found - 0.0025) < wanted


def test_a_quantile_is_at_least_that_of_one_limit() -> None:
    """Rows of one score have replicates that are all the same."""
    ends = np.array([0.0, 1.0])
    found = _simulated(ends, ends, (50.0, 50.0), 0.9, is_whole=True, draws_odds=False)
    assert found == pytest.approx(norm.ppf(0.9), rel=1e-9)


# Whole bands.


def is_asked(call: Any, fpr: Any, tpr: Any, rows: Any, *rest: Any) -> None:
    for found, wanted in zip(call, (fpr, tpr, rows), strict=False):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert call[3:] == rest


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_band_of_a_roc_curve_has_the_lines_of_its_points(
    is_weighted: bool, asked: list[Any]
) -> None:
    weights = 0.5 + np.arange(12) % 3 if is_weighted else None
    w = np.ones(12) if weights is None else weights
    curve = karat.curves.roc(Y, y_prob=P, weights=weights)
    band = band_of(curve, 0.9)
    n_own, n_others = (sum(w[y == Y]) ** 2 / sum(w[y == Y] ** 2) for y in (1, 0))
    fpr, tpr = curve.fpr[None], curve.tpr[None]
    is_asked(asked[0], curve.fpr, curve.tpr, (n_own, n_others), 0.9, True, False)
    assert band.quantile == 1.9
    of = _Lines(fpr, tpr, tpr, n_others, n_own)
    assert band.x == pytest.approx(of.bends(band.quantile), rel=1e-9)
    low, high = limits_of(of, 0, band.quantile, band.x)
    assert band.low == pytest.approx(low, abs=1e-9)
    assert band.high == pytest.approx(high, abs=1e-9)
    assert (band.axes, band.method, band.level) == (("fpr", "tpr"), "jeffreys-joined", 0.9)


def test_dropped_points_make_a_band_wider(asked: list[Any]) -> None:
    """Each height may be as far off as dropped points, but not past the points beside it."""
    whole = karat.curves.roc(Y, y_prob=P)
    curve = replace(whole, error=0.02)
    band = band_of(curve, 0.9)
    n = len(curve.fpr)
    least, most = curve.tpr.copy(), curve.tpr.copy()
    for i in range(1, n):
        dx, dy = curve.fpr[i] - curve.fpr[i - 1], curve.tpr[i] - curve.tpr[i - 1]
        reach = 0.02 * math.hypot(dx, dy) / dx if dx > 0.0 else math.inf
        least[i] = max(curve.tpr[i] - reach, curve.tpr[i - 1])
        most[i - 1] = min(curve.tpr[i - 1] + reach, curve.tpr[i])
    of = _Lines(curve.fpr[None], least[None], most[None], 7.0, 5.0)
    low, high = limits_of(of, 0, band.quantile, band.x)
    assert band.low == pytest.approx(low, abs=1e-9)
    assert band.high == pytest.approx(high, abs=1e-9)
    is_asked(asked[0], curve.fpr, curve.tpr, (5.0, 7.0), 0.9, False, False)


@pytest.mark.parametrize("error", [0.0, 0.02, 0.6])
@pytest.mark.parametrize("first", ["own", "other", "tie"])
def test_a_band_of_precisions_is_made_of_both_rates_and_the_odds(
    error: float, first: str, asked: list[Any]
) -> None:
    """Precision is 1 ÷ (1 + FPR ÷ (TPR · odds)); the rates are those of the curve."""
    y, p = Y.copy(), P.copy()
    if first == "other":
        y[[0, 10]] = 0, 1
    if first == "tie":
        p[2] = p[0]
    curve = replace(karat.curves.precision_recall(y, y_prob=p), error=error)
    band = band_of(curve, 0.9)
    thresholds = [math.inf, *sorted(set(p), reverse=True)]
    fpr, tpr = (
        np.array([sum(p[y == side] >= t) / sum(y == side) for t in thresholds]) for side in (0, 1)
    )
    assert curve.recall == pytest.approx(tpr)
    # Where nothing of the class is found, the number of others is taken as 0, and up to the next.
    fpr[tpr == 0.0] = 0.0
    odds = 5.0 / 7.0
    least, most = fpr.copy(), fpr.copy()
    for i in range(len(tpr)):

        def others(precision: float, i: int = i) -> float:
            part = min(max(precision, 0.0), 1.0)
            if not part or not tpr[i]:
                return float(tpr[i] > 0.0)
            return float(min(tpr[i] * odds * (1.0 / part - 1.0), 1.0))

        for j, side in ((i - 1, -1.0), (i + 1, 1.0)):
            if not error or not 0 <= j < len(tpr):
                continue
            dx, dy = abs(tpr[i] - tpr[j]), curve.precision[i] - curve.precision[j]
            reach = error * math.hypot(dx, dy) / dx if dx > 0.0 else math.inf
            if side < 0.0:
                least[i] = max(min(others(curve.precision[i] + reach), fpr[i]), fpr[j])
            else:
                most[i] = min(max(others(curve.precision[i] - reach), fpr[i]), fpr[j])
    none = int((tpr == 0.0).sum())
    if none > 1:
        most[none - 1] = fpr[none]
    is_asked(asked[0], fpr, tpr, (5.0, 7.0), 0.9, not error, True)
    of = _Lines(tpr[None], least[None], most[None], 5.0, 7.0)
    places = sorted({*np.linspace(0.0, 1.0, 101), *of.bends(band.quantile)})
    assert band.x == pytest.approx(places, rel=1e-12)
    few, many = limits_of(of, 0, band.quantile, band.x)
    below, above = _odds_limits(5.0, 7.0, band.quantile)
    assert (band.low[0], band.high[0]) == (0.0, 1.0)
    for i, x in enumerate(band.x[1:], 1):
        assert band.low[i] == pytest.approx(1.0 / (1.0 + many[i] / (x * odds * below)), rel=1e-7)
        assert band.high[i] == pytest.approx(1.0 / (1.0 + few[i] / (x * odds * above)), rel=1e-7)
    assert (band.axes, band.method) == (("recall", "precision"), "jeffreys-joined")
