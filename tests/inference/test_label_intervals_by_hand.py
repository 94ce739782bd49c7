"""Intervals of metrics of labels by formulas of a table, and the sentences on what is doubtful."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.errors import KaratError
from karat.inference import label_intervals
from karat.inference.class_limits import NO_SLOPE, class_limits
from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.label_intervals import (
    A_COUNT,
    FIXED,
    TableIntervals,
    TableLevels,
    _may_be_independent,
    _with_one_look,
    classes_of_few_rows,
    is_fixed,
    label_interval,
)
from karat.inference.table_variance import TableVariance
from karat.inference.variance import jackknifed
from karat.metrics import Metric, get
from karat.tally import Cells, Classes, ClusteredCells
from tests.inference.tables import TABLE, cells_of, spread_of

ASKED = Confidence(0.9)
Z = float(stats.norm.ppf(0.95))
THREE = np.array([[12.0, 3.0, 1.0], [2.0, 15.0, 4.0], [1.0, 2.0, 10.0]])


def value_of(metric: Metric, table: Any) -> float:
    labels = Classes.of(list(range(len(table))))
    return float(metric.values(Cells.dense(np.asarray(table, float), classes=labels), "zero").value)


def wilson(share: float, n: float, quantile: float = Z) -> tuple[float, float]:
    """Roots of n·(p − share)² = quantile²·p·(1 − p) (Wilson 1927)."""
    square = quantile**2
    low, high = sorted(
        np.roots([n + square, -(2 * n * share + square), n * share**2]).real.tolist()
    )
    return low, high


def slopes(metric: Metric, table: Any) -> np.ndarray:
    """Derivatives of a metric by the cells of a table."""
    table, found, step = np.asarray(table, float), np.zeros(np.shape(table)), 1e-4
    for place in np.ndindex(*table.shape):
        ends = []
        for sign in (-1.0, 1.0):
            other = table.copy()
            other[place] += sign * step
            ends.append(value_of(metric, other))
        found[place] = (ends[1] - ends[0]) / (2.0 * step)
    return found


def variance_of(metric: Metric, table: Any) -> float:
    """Σ of the squares of what rows of weight 1 move: Σ count · (slope − mean slope)²."""
    table, g = np.asarray(table, float), slopes(metric, table)
    mean = float((table * g).sum() / table.sum())
    return float((table * (g - mean) ** 2).sum())


def test_limits_of_every_look_contain_those_of_one() -> None:
    every, one = Interval(0.2, 0.8, "a"), Interval(0.3, 0.7, "b")
    assert _with_one_look(every, one) == every
    assert _with_one_look(one, every) == Interval(0.2, 0.8, "b")
    assert _with_one_look(Interval(0.2, 0.6), one) == Interval(0.2, 0.7)
    for none in (Interval(), Interval(0.1), Interval(high=0.9)):
        assert _with_one_look(none, one) == none
        assert _with_one_look(one, none) == one


CURVES: dict[str, Any] = {
    "accuracy": lambda p: p,
    "error_rate": lambda p: 1.0 - p,
    "hamming_loss": lambda p: 1.0 - p,
    "micro_jaccard": lambda p: p / (2.0 - p),
    "micro_positive_likelihood_ratio": lambda p: p / (1.0 - p),
    "micro_diagnostic_odds_ratio": lambda p: (p / (1.0 - p)) ** 2,
}


@pytest.mark.parametrize("name", CURVES)
def test_functions_of_right_rows_have_wilson_limits(name: str) -> None:
    found = label_interval(get(name), value_of(get(name), TABLE), spread_of(), ASKED)
    expected = sorted(CURVES[name](p) for p in wilson(0.85, 100.0))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    assert (found.method, found.remark) == ("wilson", None)
    error = math.sqrt(variance_of(get(name), TABLE))
    assert found.standard_error == pytest.approx(error, rel=1e-6)


def test_right_rows_of_weights_count_as_many_as_vary_alike() -> None:
    """p·(1 − p) ÷ its variance, (Σw²·(right − p)²) ÷ (Σw)²."""
    table, squares = np.array([[6.0, 2.0], [1.0, 7.0]]), np.array([[7.0, 4.0], [5.0, 7.0]])
    spread = spread_of(table, squares)
    p = 13.0 / 16.0
    variance = (14.0 * (1.0 - p) ** 2 + 9.0 * p**2) / 256.0
    n = p * (1.0 - p) / variance
    found = label_interval(get("accuracy"), p, spread, ASKED)
    assert (found.low, found.high) == pytest.approx(wilson(p, n), rel=1e-9)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("n_wrong", [0, 1, 2])
def test_almost_no_row_differs(n_wrong: int) -> None:
    table = np.diag([20, 20]) + np.array([[0, n_wrong], [0, 0]])
    found = label_interval(
        get("accuracy"), value_of(get("accuracy"), table), spread_of(table), ASKED
    )
    remark = "it depends on the number of rows alone: at most one of them differs from the others"
    assert found.remark == (remark if n_wrong < 2 else None)


@pytest.mark.parametrize("name", ["cohen_kappa", "matthews_corrcoef"])
def test_bounded_metrics_have_wilson_limits_of_the_rows_that_vary_alike(name: str) -> None:
    """With the variance and the share of a table with ½ ÷ k rows more in each cell."""
    metric = get(name)
    for table in (TABLE, THREE, np.diag([5.0, 7.0, 4.0])):
        k, n = len(table), float(table.sum())
        smooth = table + 0.5 / k
        smooth_n = float(smooth.sum())
        variance = variance_of(metric, smooth) * smooth_n / n / 4.0
        share = (value_of(metric, smooth) + 1.0) / 2.0
        value = value_of(metric, table)
        low, high = wilson((value + 1.0) / 2.0, share * (1.0 - share) / variance)
        found = label_interval(metric, value, spread_of(table), ASKED)
        assert (found.low, found.high) == pytest.approx((2 * low - 1, 2 * high - 1), rel=1e-5)
        assert (found.method, found.remark) == ("wilson-effective", None)


def test_information_is_less_its_bias() -> None:
    """Limits lie around the value less the jackknife bias, with the larger of both variances."""
    metric = get("mutual_information")
    for table in (TABLE, THREE):
        spread, k = spread_of(table), len(table)
        value, n, end = value_of(metric, table), float(table.sum()), math.log(len(table))
        without = jackknifed(metric, spread, "zero")
        assert without is not None
        smooth = table + 0.5 / k
        smoothed = variance_of(metric, smooth) * float(smooth.sum()) / n
        variance = max(smoothed, without.variance) / end**2
        share = value_of(metric, smooth) / end
        low, high = wilson((value - without.bias) / end, share * (1.0 - share) / variance)
        found = label_interval(metric, value, spread, ASKED)
        assert (found.low, found.high) == pytest.approx(
            (min(end * low, value), max(end * high, value)), rel=1e-4
        )


def test_information_of_independent_classes() -> None:
    """Twice the rows times it is χ², with as many degrees of freedom as twice the rows its bias."""
    spread = spread_of(THREE)
    # Of 3 × 3 classes there are four.
    for tail in (0.05, 0.025):
        asked = Confidence(1.0 - 2.0 * tail)
        limit = float(stats.chi2.isf(tail, 4))
        assert _may_be_independent(limit / 4.0 - 1e-9, 1.0, spread, asked)
        assert not _may_be_independent(limit / 4.0 + 1e-6, 1.0, spread, asked)
    assert not _may_be_independent(0.1, 0.0, spread, ASKED)
    one_column = spread_of(np.array([[3, 0], [4, 0]]))
    assert not _may_be_independent(0.0, 1.0, one_column, ASKED)
    flat = spread_of(np.array([[10, 11], [9, 10]]))
    metric = get("mutual_information")
    found = label_interval(metric, value_of(metric, flat.cells.counts), flat, ASKED)
    assert found.low == 0.0
    assert found.remark == "the rows are consistent with independent truth and prediction"


@pytest.mark.parametrize("method", ["wald", "logit"])
def test_textbook_limits(method: Any) -> None:
    metric, asked = get("accuracy"), Confidence(0.9, method=method)
    found = label_interval(metric, 0.85, spread_of(), asked)
    error = math.sqrt(0.85 * 0.15 / 100.0)
    center, step = math.log(0.85 / 0.15), Z * error / (0.85 * 0.15)
    expected = (0.85 - Z * error, 0.85 + Z * error) if method == "wald" else (
        1.0 / (1.0 + math.exp(step - center)), 1.0 / (1.0 + math.exp(-step - center))
    )  # fmt: skip
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    levels = TableLevels(metric, 0.85, spread_of())
    assert levels.interval(asked) == found
    assert levels.df == math.inf


def test_ratios_that_rest_on_few_rows_say_so() -> None:
    metric = get("positive_likelihood_ratio")
    for least, is_few in ((4, True), (5, False)):
        table = np.array([[30, least], [6, 20]])
        spread = spread_of(table)
        found = label_interval(metric, value_of(metric, table), spread, ASKED)
        each = class_limits(metric, spread, ASKED)
        assert (found.low, found.high) == pytest.approx((each.low[1], each.high[1]), rel=1e-12)
        remark = f"it depends on few rows: a cell of the confusion matrix has {least}"
        assert found.remark == (remark if is_few else None)
    # Of weights that all are 2 it is 4 rows, too.
    table = np.array([[30.0, 4.0], [6.0, 20.0]])
    found = label_interval(metric, value_of(metric, table), spread_of(2 * table, 4 * table), ASKED)
    assert found.remark == "it depends on few rows: a cell of the confusion matrix has 4"
    one = np.array([[30, 1], [6, 20]])
    precision = label_interval(get("precision"), 20 / 21, spread_of(one), ASKED)
    assert "at most one of them differs" in str(precision.remark)
    many = label_interval(get("precision"), 45 / 55, spread_of(), ASKED)
    assert many.remark is None


def test_what_has_no_interval() -> None:
    spread = spread_of()
    assert label_interval(get("accuracy"), math.nan, spread, ASKED) == Interval()
    assert label_interval(get("accuracy"), math.inf, spread, ASKED) == Interval()
    assert label_interval(get("tp"), 45.0, spread, ASKED) == Interval(remark=A_COUNT)
    weighted = Cells.dense(TABLE + 0.5, classes=Classes.of([0, 1]))
    found = label_interval(get("accuracy"), 0.8, TableVariance(weighted), ASKED)
    assert "their squares are not known" in str(found.remark)
    intervals = TableIntervals(weighted, ASKED)
    assert intervals.of_classes(get("f1")) is None
    assert intervals.cautions == ()
    with pytest.raises(KaratError, match="K212"):
        intervals.covariance([get("accuracy")])
    plain = TableIntervals(cells_of(TABLE), ASKED)
    assert plain.of_classes(get("tp")) is None
    assert plain.of_classes(get("macro_f1")) is not None
    assert plain.covariance([]).shape == (0, 0)
    with pytest.raises(KaratError, match="K211"):
        plain.covariance([get("accuracy"), get("roc_auc")])


def test_covariance_is_that_of_the_slopes() -> None:
    metrics = [get(name) for name in ("accuracy", "cohen_kappa", "macro_f1")]
    found = TableIntervals(cells_of(THREE), ASKED).covariance(metrics)
    g = [slopes(metric, THREE) for metric in metrics]
    means = [float((THREE * each).sum() / THREE.sum()) for each in g]
    for i in range(3):
        for j in range(3):
            expected = float((THREE * (g[i] - means[i]) * (g[j] - means[j])).sum())
            assert found[i, j] == pytest.approx(expected, rel=1e-5)


def test_what_the_design_fixes() -> None:
    """A number that rows of fixed classes do not move, though rows drawn from all would."""
    fixed = spread_of(design="case-control")
    share = np.array([1.0, 1.0, 0.0, 0.0])
    assert float(TableVariance(fixed.cells).variance(share)) > 0.0
    assert is_fixed(share, 0.0, fixed)
    assert is_fixed(share, math.nan, fixed) is False
    assert not is_fixed(share, 1e-10, fixed)
    assert not is_fixed(np.zeros(4), 0.0, fixed)
    metric = get("prevalence")
    assert label_interval(metric, 0.5, fixed, ASKED).remark == FIXED
    assert label_interval(metric, 0.5, spread_of(), ASKED).low is not None
    assert label_interval(get("recall"), 0.9, fixed, ASKED).low is not None


@pytest.mark.parametrize("method", ["bootstrap", "bca", "bayesian"])
def test_replicates_are_tables(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn once for all metrics, in blocks of any size."""
    asked = Confidence(0.9, method=method, n_replicates=37, seed=2)
    one = TableIntervals(cells_of(THREE), asked)
    metric = get("cohen_kappa")
    value = value_of(metric, THREE)
    assert one._tables is one._tables
    drawn = np.concatenate([metric.values(part, "zero").value for part in one._tables])
    assert len(drawn) == 37
    g = slopes(metric, THREE)
    phi = (g - float((THREE * g).sum() / THREE.sum())).ravel()
    made = interval_of_draws(metric, value, drawn, asked, acceleration_of(phi, THREE.ravel()))
    found = one.of(metric, value)
    assert (found.low, found.high) == pytest.approx((made.low, made.high), rel=1e-6)
    assert found.method == method
    default = TableIntervals(cells_of(THREE), ASKED).of(metric, value).standard_error
    assert found.standard_error == pytest.approx(default, rel=1e-12)
    monkeypatch.setattr(label_intervals, "_BLOCK_BYTES", 8 * 9 * 5)
    parts = TableIntervals(cells_of(THREE), asked)
    assert [part.counts.shape[0] for part in parts._tables] == [5] * 7 + [2]
    again = parts.of(metric, value)
    assert (again.low, again.high) == (found.low, found.high)


def test_rows_too_many_for_replicates() -> None:
    asked = Confidence(method="bootstrap", n_replicates=3)
    table = np.array([[2**51, 2], [2, 2**51]])
    found = TableIntervals(cells_of(table), asked).of(get("accuracy"), 0.9)
    assert found.remark == "too many rows for replicates: use another method"
    none = TableIntervals(cells_of(TABLE), asked).of(get("tp"), 45.0)
    assert none == Interval(remark=A_COUNT)


def test_limits_at_every_look_contain_those_of_one_look() -> None:
    for table in (TABLE, THREE):
        metric = get("accuracy")
        value = value_of(metric, table)
        every = TableIntervals(cells_of(table), Confidence(0.9, anytime=1000)).of(metric, value)
        one = TableIntervals(cells_of(table), ASKED).of(metric, value)
        at = Confidence(0.9, anytime=1000).at(float(table.sum()))
        expected = wilson(value, float(table.sum()), float(stats.norm.isf(at.tail)))
        assert (every.low, every.high) == pytest.approx(expected, rel=1e-9)
        assert one.low is not None
        assert one.high is not None
        assert expected[0] < one.low < one.high < expected[1]


def test_intervals_of_a_table_are_computed_once() -> None:
    spread, metric = spread_of(), get("cohen_kappa")
    first = label_interval(metric, 0.7, spread, ASKED)
    assert label_interval(metric, 0.7, spread, ASKED) is first
    assert label_interval(metric, 0.7, spread, Confidence(0.8)) != first
    assert classes_of_few_rows(spread) is classes_of_few_rows(spread)


def test_classes_of_few_rows() -> None:
    """By (Σw)² ÷ Σw² of the true rows; a class without any is not one of them."""
    table = np.array([[30, 1, 0], [2, 30, 0], [0, 0, 0]])
    assert classes_of_few_rows(spread_of(table)).tolist() == []
    assert classes_of_few_rows(spread_of(table[::-1, ::-1])).tolist() == []
    assert classes_of_few_rows(spread_of([[30, 1], [1, 3]])).tolist() == [1]
    even = np.array([[30.0, 1.0], [2.0, 30.0]])
    # 32² ÷ 110 = 9.3 rows of the second of two classes.
    heavy = np.array([[30.0, 1.0], [2.0, 108.0]])
    assert classes_of_few_rows(spread_of(even, heavy)).tolist() == [1]
    assert classes_of_few_rows(spread_of(even, even)).tolist() == []


def test_rounding_of_what_a_design_fixes() -> None:
    fixed, share = spread_of(design="case-control"), np.array([1.0, 1.0, 0.0, 0.0])
    drawn = float(TableVariance(fixed.cells).variance(share))
    assert is_fixed(share, 0.99e-20 * drawn, fixed)
    assert not is_fixed(share, 1.01e-20 * drawn, fixed)


def test_information_that_may_be_none_reaches_its_end() -> None:
    """Twice the rows times it is 1.6, below the 3.84 of χ² at 5 %: the lower limit is 0."""
    table = np.array([[12, 8], [8, 12]])
    metric = get("mutual_information")
    value = value_of(metric, table)
    assert 80.0 * value == pytest.approx(1.61, abs=0.01)
    found = label_interval(metric, value, spread_of(table), Confidence(0.9))
    assert found.low == 0.0
    assert found.high is not None
    assert found.high > value
    # Far from it the limits of the information are those of a proportion.
    assert (label_interval(metric, 0.275, spread_of(), ASKED).low or 0.0) > 0.0


def test_tables_of_replicates_have_rows_or_weights() -> None:
    for method, is_whole in (("bootstrap", True), ("bca", True), ("bayesian", False)):
        asked = Confidence(method=method, n_replicates=5)  # type: ignore[arg-type]
        one = TableIntervals(cells_of(THREE), asked)
        counts = np.concatenate([np.asarray(part.counts, float) for part in one._tables])
        assert bool((counts % 1.0 == 0.0).all()) is is_whole
        if is_whole:
            assert counts.sum(axis=(1, 2)).tolist() == [50.0] * 5
    fixed = TableIntervals(
        cells_of(THREE), Confidence(method="bootstrap", design="case-control", n_replicates=5)
    )
    rows = np.concatenate([part.counts.sum(axis=2) for part in fixed._tables])
    assert rows.tolist() == [THREE.sum(axis=1).tolist()] * 5
    # 2⁵² rows are the most.
    many = np.array([[2**50, 2**49], [2**49, 2**50]])
    asked = Confidence(method="bootstrap", n_replicates=3)
    found = TableIntervals(cells_of(many), asked).of(get("accuracy"), 2.0 / 3.0)
    assert found.remark != "too many rows for replicates: use another method"


def test_totals_of_classes_have_no_intervals() -> None:
    totals = Cells.marginals(
        np.array([40, 45]), np.array([5, 10]), np.array([10, 5]), classes=Classes.of([0, 1])
    )
    one = TableIntervals(totals, ASKED)
    remark = "the tally kept the totals of the classes, not the cells"
    assert one.of(get("accuracy"), 0.85) == Interval(remark=remark)
    assert one.of_classes(get("f1")) is None
    assert one.cautions == ()
    with pytest.raises(KaratError, match="K204"):
        one.covariance([get("accuracy")])


def test_averages_of_few_rows_say_so() -> None:
    for table, remark in (([[30, 4], [4, 3]], "classes have few rows"), (TABLE, None)):
        metric = get("macro_f1")
        found = label_interval(metric, value_of(metric, table), spread_of(table), ASKED)
        assert (found.method, found.remark) == ("mover", remark)
    weighted = label_interval(get("weighted_f1"), 0.8, spread_of([[30, 4], [4, 3]]), ASKED)
    assert weighted.remark is None


class Bare:
    """A metric of a whole table of which only its range is read."""

    lift, is_of_right_rows = "plain", False
    record = SimpleNamespace(is_per_class=False)

    def __init__(self, low: float, high: float) -> None:
        self.ends = low, high


def test_limits_of_other_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the log scale above 0, where Wald's limits do not reach it; Wald's without ends."""
    monkeypatch.setattr(label_intervals, "is_of_logarithms", lambda _: False)
    monkeypatch.setattr(label_intervals, "df_on", lambda *_: math.inf)
    monkeypatch.setattr(label_intervals, "_effective", lambda *given: given[3])
    slopes_of_none: Any = None

    def found(low: float, high: float, value: float, variance: float = 0.04) -> Any:
        metric: Any = Bare(low, high)
        return label_intervals._default(
            metric, value, slopes_of_none, variance, spread_of(), ASKED, "zero"
        )

    step = Z * 0.2
    for low, high, value in (
        (-math.inf, math.inf, 3.0),
        (-1.0, math.inf, 3.0),
        (0.0, math.inf, step - 0.01),
        (-math.inf, 1.0, -1.0),
        (-math.inf, 1.0, -3.0),
        (-math.inf, 2.0, 0.5),
    ):
        one = found(low, high, value)
        assert (one.low, one.high) == pytest.approx((value - step, value + step), rel=1e-12)
        assert one.method == "wald"
    above = found(0.0, math.inf, 3.0)
    factor = math.exp(step / 3.0)
    assert (above.low, above.high) == pytest.approx((3.0 / factor, 3.0 * factor), rel=1e-12)
    # An agreement without a lower end has the scale of those that have one.
    assert found(-math.inf, 1.0, -0.5) == found(-math.inf, 1.0, 0.5) == (-1.0, 1.0)
    assert found(0.0, 2.0, 0.5) == (0.0, 2.0)
    assert found(0.0, 2.0, 0.5, math.nan) == Interval(remark=NO_SLOPE)
    monkeypatch.setattr(label_intervals, "is_of_logarithms", lambda _: True)
    assert found(0.0, math.inf, 0.5) == (0.0, math.log(2.0))
    assert found(-1.0, 3.0, 0.5) == (-1.0, 3.0)


def test_tables_without_a_slope_have_no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_intervals, "variance_of", lambda *_: math.inf)
    for method, name in (("wald", "accuracy"), ("logit", "accuracy"), ("default", "cohen_kappa")):
        asked = Confidence(method=method)  # type: ignore[arg-type]
        found = label_interval(get(name), 0.7, spread_of(), asked)
        assert found == Interval(remark=NO_SLOPE)


def test_equal_rows_of_a_cluster_say_as_much_as_one() -> None:
    """The variance is 2·G ÷ (G − 1) times as large, with degrees of freedom of G clusters."""
    metric, g = get("cohen_kappa"), int(THREE.sum())
    place = np.repeat(np.arange(9), THREE.ravel().astype(int))
    clusters = ClusteredCells(g, np.arange(g), place, np.full(g, 2.0))
    table = 2.0 * THREE
    found = TableIntervals(cells_of(table), ASKED, clusters).of(metric, value_of(metric, table))
    smooth = table + 0.5 / 3.0
    variance = variance_of(metric, smooth) * float(smooth.sum()) / (2.0 * g) / 4.0
    variance *= 2.0 * g / (g - 1.0)
    share = (value_of(metric, smooth) + 1.0) / 2.0
    slope = slopes(metric, table)
    sizes = np.abs(slope - float((table * slope).sum() / table.sum())).ravel()[place]
    df = float((sizes**2).sum()) ** 2 / float((sizes**4).sum())
    t = float(stats.t.ppf(0.95, min(df, g - 1.0)))
    middle = (value_of(metric, table) + 1.0) / 2.0
    low, high = wilson(middle, share * (1.0 - share) / variance, t)
    assert (found.low, found.high) == pytest.approx((2 * low - 1, 2 * high - 1), rel=1e-4)


def test_degrees_of_freedom_of_independence_are_of_both_sides() -> None:
    """(classes that occur − 1) times (classes that are predicted − 1)."""
    wide = spread_of(np.array([[5, 4, 0], [3, 6, 0], [2, 2, 0]]))
    limit = float(stats.chi2.isf(0.05, 2)) / 2.0
    assert _may_be_independent(limit - 1e-9, 1.0, wide, ASKED)
    assert not _may_be_independent(limit + 1e-6, 1.0, wide, ASKED)


def test_information_of_few_rows_in_many_cells_is_too_large() -> None:
    """Where the jackknife bias is more than half of a standard error."""
    metric, table = get("mutual_information"), np.diag([9.0, 8.0, 10.0, 9.0]) + 1.0
    spread, value = spread_of(table), value_of(metric, table)
    without = jackknifed(metric, spread, "zero")
    assert without is not None
    assert without.bias > math.sqrt(without.variance) / 2.0
    found = label_interval(metric, value, spread, ASKED)
    remark = f"with few rows in many cells, the value is too large by about {without.bias:.2g}"
    assert found.remark == remark
    assert label_interval(metric, value_of(metric, TABLE), spread_of(), ASKED).remark is None
