"""Differences, the test of all slices and the gap: against formulas, and on equal slices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.inference.comparison.families import at_once, level_of_each
from simulations.equal_slices import POPULATIONS, drawn, rates
from tests.same import assert_same

SIZES = {"a": 300, "b": 200, "c": 120, "d": 80}


def sliced(shares: dict[str, float], sizes: dict[str, int] = SIZES) -> Any:
    """Two classes; of each slice exactly this share of the rows is right."""
    names = np.repeat(list(sizes), list(sizes.values()))
    true = np.tile([0, 1], len(names))[: len(names)]
    right = np.concatenate([np.arange(n) < round(shares[name] * n) for name, n in sizes.items()])
    return karat.evaluate(true, np.where(right, true, 1 - true), by=names).slices["by"]


def test_q_of_accuracy_is_the_chi_square_of_the_table_of_right_and_wrong() -> None:
    shares = {"a": 0.9, "b": 0.85, "c": 0.8, "d": 0.75}
    found = sliced(shares).heterogeneity("accuracy")
    right = np.array([shares[name] * n for name, n in SIZES.items()])
    table = np.stack([right, np.array(list(SIZES.values())) - right])
    expected = stats.chi2_contingency(table, correction=False)
    assert_same(found.statistic, expected.statistic, within=2e-3)
    assert_same(found.p, expected.pvalue, within=2e-3)
    assert found.df == 3
    assert found.is_shown
    # Another table has another statistic: the bound is narrow enough to tell.
    moved = table + np.array([[1.0], [-1.0]]) * (np.arange(4) == 3)
    other = stats.chi2_contingency(moved, correction=False)
    assert abs(found.statistic - other.statistic) > 1e-2 * other.statistic


def test_a_difference_is_that_of_two_tables_on_rows_of_their_own() -> None:
    table = sliced({"a": 0.9, "b": 0.85, "c": 0.8, "d": 0.75})
    one = table.difference("macro_f1")["d"]
    assert_same(one.value, table["d"]["macro_f1"].value)
    assert_same(one.rest, table.rest["d"]["macro_f1"].value)
    assert_same(one.difference, one.value - one.rest)
    errors = [table["d"]["macro_f1"].standard_error, table.rest["d"]["macro_f1"].standard_error]
    # The limits are those of both values combined: near to 1.96 standard errors, not equal.
    assert_same(one.high - one.low, 2 * 1.96 * math.hypot(*errors), within=0.05)
    assert one.low_simultaneous < one.low < one.difference < one.high < one.high_simultaneous
    assert one.p is not None
    # The largest of four differences of rows permuted: nearly that of four independent ones.
    assert one.p <= one.p_adjusted == pytest.approx(1 - (1 - one.p) ** 4, abs=0.02)


def test_slices_without_a_mistake_are_equal() -> None:
    table = sliced(dict.fromkeys(SIZES, 1.0))
    for metric in ("accuracy", "macro_f1"):
        test = table.heterogeneity(metric)
        assert (test.statistic, test.p) == (0.0, 1.0)
        assert table.gap(metric).p == 1.0


def test_two_slices_differ_from_each_other_once() -> None:
    table = sliced({"a": 0.9, "b": 0.8}, {"a": 300, "b": 200})
    first, second = table.difference("accuracy").values()
    assert_same(first.difference, -second.difference, within=1e-12)
    assert_same([first.low, first.high], [first.low_simultaneous, first.high_simultaneous])
    assert_same(first.p, second.p, within=1e-6)
    assert level_of_each(0.95, 2) == 0.95
    assert at_once(0.02, 2) == 0.02
    assert_same(at_once(1e-12, 5), 5e-12, within=1e-9)


def test_the_gap_of_equal_slices_is_the_range_of_normal_numbers() -> None:
    table = sliced(dict.fromkeys(SIZES, 0.9), dict.fromkeys(SIZES, 200))
    gap = table.gap("accuracy")
    # The mean range of four normal numbers is 2.0588 (Tippett 1925).
    assert gap.expected == pytest.approx(2.0588 * math.sqrt(0.09 / 200), rel=0.02)
    assert gap.observed == 0.0
    assert gap.p == 1.0
    assert table.gap("accuracy").most == gap.most


def test_worst_is_named_only_where_the_rows_show_it() -> None:
    bad = sliced({"a": 0.9, "b": 0.9, "c": 0.9, "d": 0.6})
    worst = bad.worst("accuracy")
    assert (worst.name, worst.reason) == ("d", None)
    assert bad.worst("error_rate").name == "d"
    even = sliced({"a": 0.9, "b": 0.905, "c": 0.9, "d": 0.8875})
    assert not even.worst("accuracy")
    assert "not shown to differ" in str(even.worst("accuracy"))
    assert "direction" in str(bad.worst("prevalence"))


@pytest.mark.parametrize("side", ["low", "high"])
def test_limits_on_one_side_of_a_report_leave_the_tests_two_sided(side: str) -> None:
    rng = np.random.default_rng(0)
    true, by = rng.integers(0, 2, 500), rng.integers(0, 3, 500)
    pred = np.where(rng.random(500) < 0.8, true, 1 - true)
    both = karat.evaluate(true, pred, by=by).slices["by"]
    one = karat.evaluate(true, pred, by=by, interval=karat.Interval(side=side)).slices["by"]
    assert_same(one.heterogeneity("macro_f1").p, both.heterogeneity("macro_f1").p)
    assert_same(one.difference("macro_f1")["1"].low, both.difference("macro_f1")["1"].low)


def test_without_intervals_slices_can_still_be_compared() -> None:
    rng = np.random.default_rng(0)
    true, by = rng.integers(0, 2, 500), rng.integers(0, 3, 500)
    table = karat.evaluate(true, true[::-1], by=by, level=None).slices["by"]
    assert table["1"]["accuracy"].low is None
    assert table.difference("accuracy")["1"].low is not None
    assert table.heterogeneity("accuracy").p is not None


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_five_equal_slices_are_called_different_in_at_most_one_of_twenty(metric: str) -> None:
    called = rates(metric, POPULATIONS["k = 2, 90 % right"], (150,) * 5, 120, seed=8)
    # 120 data sets: 5 % may be seen as 13 of them with a chance of 0.6 %.
    for share in (called.heterogeneity, called.gap, called.some_slice, called.worst):
        assert share <= 13 / 120


def test_five_slices_of_which_one_differs_are_called_different() -> None:
    shares = POPULATIONS["k = 2, 90 % right"]
    worse = np.array([[0.37, 0.13], [0.13, 0.37]])
    found = 0
    for i, table in enumerate(drawn(shares, (150,) * 5, 40, seed=3)):
        counts = table.sliced.counted.cells.counts
        rng = np.random.default_rng(i)
        counts[2] = rng.multinomial(150, worse.ravel()).reshape(2, 2)
        found += table.heterogeneity("accuracy").is_shown
    assert found >= 30
