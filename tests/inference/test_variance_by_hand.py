"""Variances of areas, biases and leaving out of rows, by loops and closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special

from karat.designs.units import kish, small_sample
from karat.inference.influence_variance import Whole
from karat.inference.sampling_error import SamplingError
from karat.inference.table_variance import TableVariance
from karat.inference.variance import (
    AreaVariance,
    Sizes,
    is_of_logarithms,
    jackknifed,
    of_own,
    of_rest,
    optimism,
    precision_bias,
    shrunk_pairs,
    spread,
)
from karat.metrics import get
from karat.metrics._metric import Metric
from karat.tally import Cells, Classes, Placements, to_sparse
from tests.inference.rows import Drawn, drawn, errors
from tests.inference.slow_intervals import slow_left_out


def test_the_error_of_a_mean() -> None:
    """A variance, or why there is none."""
    assert spread(0.5, 3.0, 4.0, "it is odd") == SamplingError(0.5, 0.5, 3.0, 4.0)
    assert spread(0.0, 3.0, 4.0, "it is odd").variance == 0.0
    for n, why in ((4.0, "it is odd"), (1.0, "there is one row"), (1.5, "it is odd")):
        for variance in (math.nan, math.inf):
            one = spread(variance, 3.0, n, "it is odd")
            assert np.isnan([one.variance, one.shrunk]).all()
            assert (one.df, one.n_effective, one.missing) == (3.0, n, why)


def test_optimism_of_a_random_ranking() -> None:
    """(Σ 1/i − 1) ÷ (n − 1), whose sum of n terms is known to 1 ÷ (12n²), and is not less."""
    for n in (2, 10, 1000):
        exact = (sum(1 / i for i in range(1, n + 1)) - 1) / (n - 1)
        assert 0.0 < optimism(n) - exact < 1.0 / (12.0 * n * n) / (n - 1.0)
    # Between whole numbers the sum is that of the digamma function.
    for n in (8.0, 8.5, 63.7, 1000.25):
        exact = (special.digamma(n + 1.0) + np.euler_gamma - 1.0) / (n - 1.0)
        assert 0.0 < optimism(n) - exact < 1.0 / (12.0 * n * n) / (n - 1.0)
    assert optimism(1.0) == optimism(0.5) == optimism(0.0) == 0.0


def average_precision(ranking: list[bool]) -> float:
    found, hits = [], 0
    for place, is_true in enumerate(ranking, 1):
        hits += is_true
        if is_true:
            found.append(hits / place)
    return sum(found) / len(found)


@pytest.mark.parametrize(
    "ranking", ["10", "01", "110", "0011", "10110", "010011", "1110001", "00010", "111101"]
)
def test_bias_of_precision_is_that_of_leaving_out_rows(ranking: str) -> None:
    """(m − 1)·(mean without one − value), apart for true and for false rows."""
    rows = [each == "1" for each in ranking]
    value, expected = average_precision(rows), 0.0
    for side in (True, False):
        of_side = [i for i, is_true in enumerate(rows) if is_true == side]
        if len(of_side) > 1 or not side:
            less = [average_precision(rows[:i] + rows[i + 1 :]) for i in of_side]
            expected += (len(of_side) - 1) * (sum(less) / len(less) - value)
    tp = np.cumsum(rows).astype(float)
    fp = np.cumsum(np.logical_not(rows)).astype(float)
    assert precision_bias(tp, fp) == pytest.approx(expected, abs=1e-12)
    assert precision_bias(0.25 * tp, 0.25 * fp, 0.25) == pytest.approx(expected, abs=1e-12)


def test_no_bias_of_precision_without_rows_of_both_sides() -> None:
    """Without a true row, or without a false one; less than one row is no more than certain."""
    none, some = np.zeros(2), np.array([1.0, 2.0])
    assert precision_bias(np.zeros(0), np.zeros(0)) == 0.0
    assert precision_bias(none, some) == precision_bias(some, none) == 0.0
    light = precision_bias(np.array([0.5, 0.5]), np.array([0.0, 0.25]))
    assert light == pytest.approx(0.0, abs=1e-15)


def test_sizes_of_classes() -> None:
    """Kish's rows of all, of each class and of the others, and the smallest that has any."""
    sizes = Sizes(np.array([6.0, 0.0, 3.0]), np.array([12.0, 0.0, 1.5]), None)
    assert sizes.rows == 81.0 / 13.5
    assert sizes.of_classes.tolist() == [3.0, 0.0, 6.0]
    assert sizes.of_others.tolist() == [6.0, 81.0 / 13.5, 3.0]
    assert sizes.smallest == sizes.fewest == 3.0
    two = Sizes(np.array([6.0, 0.0]), np.array([12.0, 0.0]), 1)
    assert (two.smallest, two.fewest) == (3.0, 0.0)
    empty = Sizes(np.zeros(2), np.zeros(2), 1)
    assert (empty.rows, empty.smallest, empty.fewest) == (0.0, 0.0, 0.0)
    small = Sizes(np.array([0.5, 9.0]), np.array([0.5, 9.0]), 1)
    assert (small.smallest, small.fewest) == (0.5, 0.5)


def test_sizes_of_rows() -> None:
    """Σw and Σw² of each class, and the positive class of two."""
    rows = drawn(5, 20, 2, weights="sparse")
    assert rows.weights is not None
    for weights in (rows.weights, None):
        sizes = Sizes.of(Drawn(rows.codes, rows.values, weights, True).tallied())
        w = np.ones(20) if weights is None else weights
        for i in range(2):
            held = w[rows.codes == i]
            assert sizes.weight[i] == pytest.approx(held.sum(), rel=1e-12)
            assert sizes.square[i] == pytest.approx((held**2).sum(), rel=1e-12)
        assert sizes.positive == 1
    assert Sizes.of(drawn(5, 20, 3).tallied()).positive is None


def test_factors_of_small_samples() -> None:
    """Of areas those of both sides, of averages of areas those of classes, of others of all."""
    sizes = Sizes(np.array([4.0, 1.0, 3.0]), np.array([4.0, 1.0, 3.0]), None)
    record = get("roc_auc").record
    per_class = sizes.factors(Metric.of(record, "per_class", {}))
    assert per_class[0] == pytest.approx([4 / 3, 4 / 3, 4 / 3], rel=1e-12)
    assert per_class[2] == pytest.approx([5 / 4, 5 / 4, 3 / 2], rel=1e-12)
    assert np.isnan(per_class[1]).tolist() == [False, True, False]
    for metric in (Metric.of(record, "macro", {}), get("roc_auc_ovo_macro"), get("roc_auc_mu")):
        assert sizes.factors(metric) == pytest.approx([4 / 3, 1.0, 3 / 2], rel=1e-12)
    for metric in (Metric.of(record, "micro", {}), get("log_loss")):
        assert sizes.factors(metric) == pytest.approx(np.full(3, 8 / 7), rel=1e-12)
    lines = Metric.of(get("average_precision").record, "per_class", {})
    assert sizes.factors(lines).shape == (3, 3)
    two = Sizes(np.array([4.0, 3.0]), np.array([4.0, 3.0]), 1)
    other = Sizes(np.array([4.0, 2.0]), np.array([4.0, 2.0]), 0)
    assert two.factors(get("roc_auc")) == pytest.approx([4 / 3, 3 / 2], rel=1e-12)
    assert other.factors(get("roc_auc")) == pytest.approx([4 / 3, 2.0], rel=1e-12)
    unnamed = Sizes(np.array([4.0, 2.0]), np.array([4.0, 2.0]), None)
    assert unnamed.factors(get("roc_auc")) == pytest.approx([4 / 3, 2.0], rel=1e-12)


def test_variances_of_placements_of_exponential_scores() -> None:
    """P(own > two others) − area² and P(two own > another) − area², by integration."""
    u = (np.arange(200_000) + 0.5) / 200_000
    for rate in (1.0, 3.0):
        # The own scores have the survival u^(1 ÷ rate) where the rest have u.
        area = rate / (1.0 + rate)
        own, rest = u ** (1.0 / rate), u
        of_rest_rows = float((own**2).mean()) - area**2
        assert of_rest(area) == pytest.approx(of_rest_rows, rel=1e-6)
        of_own_rows = float(((1.0 - rest**rate) ** 2).mean()) - area**2
        assert of_own(area) == pytest.approx(of_own_rows, rel=1e-6)
    assert of_own(0.0) == of_rest(0.0) == of_own(1.0) == of_rest(1.0) == 0.0
    assert of_own(0.5) == of_rest(0.5) == pytest.approx(1 / 12, rel=1e-12)


def test_the_variance_of_an_area() -> None:
    """Σw²(V − A)² ÷ W² of both sides, each with the factor of its rows."""
    found = Placements(np.array([4.0, 3.0]), np.array([4.0, 3.0]), np.array([0.6, 0.5]), 1.1)
    one = AreaVariance.of(0.7, found)
    assert one.variances == pytest.approx([0.6 / 16 * 4 / 3, 0.5 / 9 * 3 / 2], rel=1e-12)
    assert one.variance == pytest.approx(0.05 + 0.25 / 3, rel=1e-12)
    assert one.informative == pytest.approx(1.1**2 / 0.5, rel=1e-12)
    assert one.rows.tolist() == [4.0, 3.0]
    still = AreaVariance.of(0.7, found._replace(spread=np.array([0.6, 0.0])))
    assert math.isnan(still.informative)
    weighted = found._replace(square=np.array([8.0, 3.0]))
    assert AreaVariance.of(0.7, weighted).rows.tolist() == [2.0, 3.0]
    # Rounding of sums: 10⁻¹² of Σw²·A² of the rest and Σw²·(1 − A)² of the class.
    for spreads, is_kept in (([3.8e-12, 0.26e-12], False), ([4.1e-12, 0.28e-12], True)):
        dust = weighted._replace(spread=np.array(spreads))
        assert (AreaVariance.of(0.7, dust).variances > 0).tolist() == [is_kept] * 2
    # Without weights the mean was subtracted from each row.
    assert (AreaVariance.of(0.7, found._replace(spread=np.full(2, 1e-20))).variances > 0).all()
    assert not AreaVariance.of(0.7, found._replace(spread=np.full(2, 2e-24))).variances.any()
    alone = AreaVariance.of(0.7, found._replace(weight=np.array([4.0, 1.0]), square=np.ones(2)))
    assert np.isnan(alone.variances).tolist() == [False, True]


def test_degrees_of_freedom_of_a_shrunk_area() -> None:
    """Satterthwaite's; of an area of 0 or 1, or of none that varies, those of the smaller side."""
    rows, variances = np.array([12.0, 7.0]), np.array([0.002, 0.006])
    one = AreaVariance(0.8, rows, variances, 5.0)
    likely = np.array([0.8 / 1.2 - 0.64, 1.28 / 1.8 - 0.64])
    shrunk = (rows**2 * variances + 5 * likely) / (rows + 5) / rows
    assert one.shrunk_variances == pytest.approx(shrunk, rel=1e-12)
    assert one.shrunk == pytest.approx(shrunk.sum(), rel=1e-12)
    df = shrunk.sum() ** 2 / (shrunk[0] ** 2 / 11 + shrunk[1] ** 2 / 6)
    assert one.df == pytest.approx(df, rel=1e-12)
    for area in (0.0, 1.0, 1.0 - 1e-16):
        assert AreaVariance(area, rows, variances, 5.0).df == 6.0
    nothing = AreaVariance(math.nan, rows, variances, 5.0)
    assert np.isnan(nothing.shrunk_variances).all()
    assert math.isnan(nothing.shrunk)
    assert len(nothing.shrunk_variances) == 2


def test_pairs_are_shrunk_by_class() -> None:
    """The prior of a class has the roots of its pairs added up; classes without rows have none."""
    rng = np.random.default_rng(4)
    chance, share = rng.uniform(0.55, 0.95, (4, 4)), rng.dirichlet(np.ones(16)).reshape(4, 4)
    chance[3], chance[:, 3], chance[[0, 1, 2], [0, 1, 2]] = np.nan, np.nan, np.nan
    share = np.where(np.isfinite(chance), share, 0.0)
    by_class, rows = np.array([0.01, 0.02, 0.005, 0.0]), np.array([9.0, 0.5, 30.0, 0.0])

    def own(a: float) -> float:
        return math.sqrt(2 * a * a / (1 + a) - a * a)

    def rest(a: float) -> float:
        return math.sqrt(a / (2 - a) - a * a)

    expected = 0.0
    for i in range(3):
        others = [j for j in range(3) if j != i]
        root = sum(share[i, j] * own(chance[i, j]) for j in others)
        root += sum(share[j, i] * rest(chance[j, i]) for j in others)
        n = rows[i]
        expected += (n * by_class[i] * n + 5 * root**2) / (n + 5) / n
    assert shrunk_pairs(by_class, rows, chance, share) == pytest.approx(expected, rel=1e-12)
    # Areas of 1 have a prior of 0, however their shares are.
    sure = np.where(np.isfinite(chance), 1.0, np.nan)
    plain = sum(v * n / (n + 5) for v, n in zip(by_class, rows, strict=True))
    assert shrunk_pairs(by_class, rows, sure, share) == pytest.approx(plain, rel=1e-12)


def test_formulas_with_logarithms() -> None:
    """Those of information, whose values few rows raise."""
    named = {name: is_of_logarithms(get(name)) for name in ("mutual_information", "macro_f1")}
    assert named == {"mutual_information": True, "macro_f1": False}


@pytest.mark.parametrize("counts", [[[6, 1], [2, 5]], [[3, 0, 1], [0.5, 4, 0], [1, 1, 7]]])
def test_the_jackknife_leaves_out_one_row_after_another(counts: Any) -> None:
    """Bias and variance of a table, and of one that weighs more than its rows."""
    table = np.asarray(counts, float)
    for scale in (1.0, 2.5):
        cells = Cells.dense(
            table * scale,
            classes=Classes.of(range(len(table))),
            squares=table * scale**2,
            n_rows=int(table.sum()),
        )
        of = TableVariance(cells)
        for name in ("mutual_information", "macro_f1"):
            found, slow = jackknifed(get(name), of, "zero"), slow_left_out(get(name), of, "zero")
            assert found is not None
            assert slow is not None
            assert found == pytest.approx(slow, rel=1e-9, abs=1e-14)


def test_tables_without_a_jackknife() -> None:
    """A single row, cells that are not listed, an undefined value and too many tables."""
    classes, metric = Classes.of([0, 1]), get("mutual_information")

    def of(counts: Any) -> TableVariance:
        counts = np.asarray(counts)
        return TableVariance(Cells.dense(counts, classes=classes, n_rows=int(counts.sum())))

    assert jackknifed(metric, of([[1, 0], [0, 0]]), "zero") is None
    assert jackknifed(get("macro_f1"), of([[1, 0], [0, 0]]), "zero") is None
    two = jackknifed(metric, of([[1, 0], [0, 1]]), "zero")
    assert two is not None
    # log 2 with both rows, 0 with one.
    assert two.bias == pytest.approx(0.5 * 2 * -math.log(2), rel=1e-12)
    assert two.variance == pytest.approx(0.0, abs=1e-15)
    # Where every row moves the value alike, no rounding error is below 0.
    for k, n in ((2, 3), (5, 1), (6, 1), (7, 3)):
        equal = Cells.dense(np.diag([n] * k), classes=Classes.of(range(k)), n_rows=n * k)
        still = jackknifed(metric, TableVariance(equal), "zero")
        assert still is not None
        assert 0.0 <= still.variance < 1e-15
    sparse = TableVariance(to_sparse(of([[3, 1], [2, 4]]).cells))
    assert jackknifed(metric, sparse, "zero") is None
    assert jackknifed(get("kappa"), of([[1, 0], [0, 1]]), "nan") is None
    k = 210
    many = np.zeros((k, k), np.int64)
    many.ravel()[:100] = 1
    large = TableVariance(Cells.dense(many, classes=Classes.of(range(k)), n_rows=100))
    assert jackknifed(metric, large, "zero") is None
    # Without a bias, rounding of the sums is none.
    even = jackknifed(get("accuracy"), of([[5, 1], [2, 7]]), "zero")
    assert even is not None
    assert even.bias == 0.0
    p = 12 / 15
    assert even.variance == pytest.approx(p * (1 - p) / 14, rel=1e-9)


def test_a_sample_of_twice_as_many_rows() -> None:
    """The weights and rows of all count, and Σw² of the rows behind each sampled one."""
    rows = drawn(4, 40, 2, weights="any")
    own = Sizes.of(rows.tallied())
    sizes = Sizes(2.0 * own.weight, 2.0 * own.square, 1)
    plain, metrics = rows.plain(), [get("d2_log_loss")]
    squares = 2.0 * plain.weights**2
    whole = Whole(sizes, squares, [])
    alone, found = errors(rows, metrics), errors(rows, metrics, whole=whole)
    n = own.rows
    # Half of the variance of one half, with the factor of all rows.
    expected = alone[metrics[0]].variance / 2 * (2 * n / (2 * n - 1)) / (n / (n - 1))
    assert found[metrics[0]].variance == pytest.approx(expected, rel=1e-9)
    assert found[metrics[0]].n_effective == pytest.approx(2 * n, rel=1e-12)
    apart = errors(rows, metrics, design="case-control")
    same = Whole(own, 3.0 * plain.weights**2, [])
    more = errors(rows, metrics, design="case-control", whole=same)
    # Of each class the squares of its losses less their mean, with the factor of its rows.
    w, loss = plain.weights, -np.log(rows.values[np.arange(40), rows.codes])
    single, threefold = 0.0, 0.0
    for code in (0, 1):
        of = rows.codes == code
        part = sum((w[of] * (loss[of] - np.average(loss[of], weights=w[of]))) ** 2)
        n = kish(own.weight[code], own.square[code])
        single += small_sample(n) * part
        threefold += small_sample(n / 3.0) * 3.0 * part
    ratio = more[metrics[0]].variance / apart[metrics[0]].variance
    assert ratio == pytest.approx(threefold / single, rel=1e-9)


def test_a_line_that_does_not_exist_has_no_variance() -> None:
    """Separated classes have no finite slope."""
    p = np.array([0.1, 0.2, 0.8, 0.9])
    rows = Drawn(np.array([0, 0, 1, 1]), np.stack([1 - p, p], axis=1), None, True)
    one = errors(rows, [get("calibration_slope")])[get("calibration_slope")]
    assert math.isnan(one.variance)
    assert one.missing == "the regression line does not exist"


def test_clusters_of_what_does_not_vary() -> None:
    """Their number less one is the freedom of a variance of 0, whatever their sizes."""
    codes = np.array([0, 1, 0, 1, 1, 0, 1])
    rows = Drawn(codes, np.array([[0.7, 0.3], [0.3, 0.7]])[codes], None, True)
    groups = np.array([0, 0, 0, 0, 0, 1, 2])
    for metric, one in errors(rows, [get("log_loss"), get("brier")], groups, 3).items():
        assert (one.variance, one.df) == (0.0, 2.0), str(metric)
