"""Limits of a metric of one class where rows of each true class are drawn apart and weigh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from karat.inference.class_limits import _of_ratios, class_limits, limits_of_ratio
from karat.inference.confidence import Confidence
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, get
from karat.tally import Cells, Classes
from tests.inference.slow_intervals import SlowClasses
from tests.same import assert_same

ROWS = np.array([[30, 6, 4], [3, 20, 7], [1, 2, 9]])
WEIGHTS = np.array([1.0, 4.0, 0.5])[:, None]


@pytest.mark.parametrize("name", ["fowlkes_mallows", "informedness", "diagnostic_odds_ratio"])
def test_limits_of_weighted_strata_are_those_of_the_plain_formulas(name: str) -> None:
    squares = ROWS * WEIGHTS**2
    cells = Cells.dense(
        ROWS * WEIGHTS, classes=Classes.of(range(3)), squares=squares, n_rows=int(ROWS.sum())
    )
    spread, asked = TableVariance(cells, "case-control"), Confidence(0.9)
    metric = Metric(get(name).record, "plain", get(name).params)
    found, plain = class_limits(metric, spread, asked), SlowClasses(metric, spread, asked)
    for end in ("value", "low", "high", "variance"):
        assert_same(getattr(found, end), getattr(plain, end), within=1e-10, about=end)
    assert (found.low < found.value).all()
    alike = class_limits(metric, TableVariance(cells), asked)
    assert np.abs(alike.low - found.low).max() > 1e-4, "a control: rows drawn together"


@pytest.mark.parametrize("name", ["positive_likelihood_ratio", "negative_likelihood_ratio"])
def test_ratios_at_looks_have_the_wider_limits_of_two(name: str) -> None:
    metric = get(name)
    metric = Metric(metric.record, "plain", metric.params)
    cells = Cells.dense(np.array([[40, 3], [2, 9]]), classes=Classes.of([0, 1]))
    asked = replace(Confidence(0.95), anytime=100, n_units=54.0)
    spread = TableVariance(cells)
    limits = class_limits(metric, spread, asked)
    ratio = metric.record.ratio_of
    assert ratio is not None
    tables, _ = spread.one_vs_rest
    both = limits_of_ratio(metric, limits.value, ratio, spread, asked)
    inflation = spread.class_inflation(limits.partials)
    quantile = np.full(2, asked.quantile())
    smoothed = _of_ratios(metric, spread, tables, limits.value, inflation, quantile)
    assert limits.low == pytest.approx(np.fmin(both[0], smoothed[0]))
    assert limits.high == pytest.approx(np.fmax(both[1], smoothed[1]))
    # Neither alone is the wider one at both ends.
    alone = class_limits(metric, TableVariance(cells), Confidence(1 - 2 * asked.tail))
    assert (limits.low <= alone.low).all()
    assert (limits.high >= alone.high).all()
    assert (limits.low < alone.low).any() or (limits.high > alone.high).any()


def test_tables_that_weigh_nothing_are_measured_in_rows() -> None:
    nothing = Cells.dense(
        np.zeros((2, 2)), classes=Classes.of([0, 1]), squares=np.zeros((2, 2)), n_rows=3
    )
    assert TableVariance(nothing).unit == 1.0
    light = Cells.dense(
        np.full((2, 2), 0.03), classes=Classes.of([0, 1]), squares=np.full((2, 2), 9e-4), n_rows=4
    )
    assert TableVariance(light).unit == 2.0**-5


def test_a_ratio_of_nothing_has_the_limits_of_half_a_row_more() -> None:
    metric = get("positive_likelihood_ratio")
    metric = Metric(metric.record, "plain", metric.params)
    cells = Cells.dense(np.array([[9, 0], [4, 0]]), classes=Classes.of([0, 1]))
    spread, asked = TableVariance(cells), Confidence(0.95)
    limits = class_limits(metric, spread, asked)
    # (½ ÷ 5) ÷ (½ ÷ 10), and its variance on the log scale (Gart and Nam 1988).
    center, error = np.log(2.0), np.sqrt(1 / 0.5 - 1 / 5 + 1 / 0.5 - 1 / 10)
    assert np.isfinite([limits.low[1], limits.high[1]]).all()
    assert limits.low[1] < np.exp(center) < limits.high[1]
    assert limits.low[1] == pytest.approx(np.exp(center - asked.quantile() * error), rel=1e-9)
    assert limits.high[1] == pytest.approx(np.exp(center + asked.quantile() * error), rel=1e-9)
