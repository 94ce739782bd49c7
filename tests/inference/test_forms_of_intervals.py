"""The form of an interval, branch by branch, from a sampling error that is given."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import karat
from karat.errors import KaratError
from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import Draws, interval_of_draws
from karat.inference.influence_variance import SamplingError
from karat.inference.label_intervals import label_interval
from karat.inference.limits import newcombe_limits
from karat.inference.proportion_curves import curve_of
from karat.inference.score_intervals import _around, reads_one
from karat.inference.table_variance import TableVariance
from karat.inference.value_limits import score_interval
from karat.metrics import get, parse
from karat.metrics._views import largest
from karat.tally import Cells, Classes, to_sparse
from tests.grouping import grouped
from tests.same import assert_same

ASKED = Confidence(0.95)
DF, N = 40.0, 120.0
ERROR = 0.05


def quantile(df: float = DF) -> float:
    return float(stats.t(df).ppf(0.975))


def spread_of(**known: Any) -> SamplingError:
    parts = {"variance": ERROR**2, "shrunk": ERROR**2, "df": DF, "n_effective": N}
    return SamplingError(**{**parts, "n_informative": 60.0, **known})


def interval(name: str, value: float, *, n_rest: float = 80.0, **known: Any) -> Interval:
    return score_interval(parse(name), value, spread_of(**known), ASKED, n_rest)


def by_logit(value: float, low: float, high: float, error: float = ERROR) -> list[float]:
    share, span = (value - low) / (high - low), high - low
    away = quantile() * (error / span) / (share * (1 - share))
    return [low + span * float(special.expit(special.logit(share) + s * away)) for s in (-1, 1)]


def by_log(value: float, df: float) -> list[float]:
    return [value * math.exp(s * quantile(df) * ERROR / value) for s in (-1, 1)]


def by_wilson(share: float, n: float) -> list[float]:
    q = quantile()
    centre, about = (
        share + q**2 / (2 * n),
        q * math.sqrt(share * (1 - share) / n + (q / n) ** 2 / 4),
    )
    return [(centre + s * about) / (1 + q**2 / n) for s in (-1, 1)]


def check(found: Interval, method: str, limits: list[float]) -> None:
    assert found.method == method
    assert_same(np.array([found.low, found.high]), np.array(limits), within=1e-10, about=method)


@pytest.mark.parametrize(("name", "low"), [("roc_auc", 0.0), ("gini", -1.0), ("roc_auc_mu", 0.0)])
def test_an_area_has_the_logit_of_its_shrunk_variance(name: str, low: float) -> None:
    found = interval(name, 0.7, variance=0.01, shrunk=ERROR**2)
    check(found, "logit-delong", by_logit(0.7, low, 1.0))
    assert found.standard_error == pytest.approx(0.1)


@pytest.mark.parametrize(("name", "low"), [("roc_auc", 0.0), ("gini", -1.0)])
def test_an_area_of_one_has_newcombes_limits_of_both_sides(name: str, low: float) -> None:
    found = interval(name, 1.0, variance=0.0, shrunk=0.0, n_effective=25.0)
    wanted = newcombe_limits(1.0, 25.0, 80.0, quantile())
    check(found, "newcombe", [low + (1.0 - low) * edge for edge in wanted])
    lonely = interval(name, 1.0, variance=0.0, shrunk=0.0, n_effective=0.25, n_rest=0.5)
    wanted = newcombe_limits(1.0, 1.0, 1.0, quantile())
    check(lonely, "newcombe", [low + (1.0 - low) * edge for edge in wanted])


def test_an_area_that_is_one_but_for_a_row_of_nearly_no_weight_has_them_too() -> None:
    true, scores = np.repeat([0, 1], 6), np.arange(12.0)
    scores[5], weights = 20.0, np.where(np.arange(12) == 5, 1e-20, 1.0)
    found = karat.evaluate(true, y_score=scores, weights=weights, metrics="roc_auc")["roc_auc"]
    assert (found.value, found.high, found.method) == (1.0, 1.0, "newcombe")
    assert found.low is not None
    assert 0.4 < found.low < 0.7


def test_the_area_under_precision_starts_at_what_it_is_less_its_optimism() -> None:
    plain = by_logit(0.7, 0.0, 1.0)
    check(interval("average_precision", 0.7), "logit-t", plain)
    below = by_logit(0.7 - 0.1 * 0.3, 0.0, 1.0)
    check(interval("average_precision", 0.7, optimism=0.1), "logit-t", [below[0], plain[1]])
    small = interval("average_precision", 0.1, optimism=0.2)
    check(small, "logit-t", [0.0, by_logit(0.1, 0.0, 1.0)[1]])
    perfect = interval("average_precision", 1.0, variance=0.0)
    check(perfect, "wilson-effective", [by_wilson(1.0, N)[0], 1.0])


def test_a_share_of_rows_has_wilsons_limits_of_the_rows_that_vary_as_it_does() -> None:
    found = interval("top_k_accuracy(k=2)", 0.7)
    check(found, "wilson", by_wilson(0.7, 0.7 * 0.3 / ERROR**2))
    sure = interval("top_k_accuracy(k=2)", 0.7, variance=1e-6)
    check(sure, "wilson", by_wilson(0.7, N))
    perfect = interval("top_k_accuracy(k=2)", 1.0, variance=0.0)
    check(perfect, "wilson", [by_wilson(1.0, N)[0], 1.0])


@pytest.mark.parametrize("name", ["log_loss", "brier", "hinge_loss"])
def test_a_loss_has_the_logarithm_and_the_freedom_of_the_rows_that_lose(name: str) -> None:
    losing = 1 / ((ERROR / 0.4) ** 2 + 1 / N)
    assert 3 < losing - 1 < 119.0
    found = interval(name, 0.4, df=119.0)
    check(found, "log-t", by_log(0.4, losing - 1))
    check(interval(name, 0.4, df=5.0), "log-t", by_log(0.4, 5.0))
    rare = interval(name, ERROR, df=119.0)
    check(rare, "log-t", by_log(ERROR, 2.0) if name != "brier" else
          [by_log(ERROR, 2.0)[0], min(by_log(ERROR, 2.0)[1], 2.0)])  # fmt: skip
    assert "few rows have most of the loss" in str(rare.remark)


def test_a_skill_has_the_logarithm_of_what_it_lacks() -> None:
    losing = 1 / ((ERROR / 0.4) ** 2 + 1 / N)
    lacks = by_log(0.4, losing - 1)
    check(interval("d2_brier", 0.6, df=119.0), "log-t", [1 - lacks[1], 1 - lacks[0]])


def test_a_loss_of_nothing_has_no_limits_unless_its_range_ends() -> None:
    check(interval("brier", 0.0, variance=0.0), "wilson-effective",
          [0.0, 2 * by_wilson(0.0, N)[1]])  # fmt: skip
    none = interval("log_loss", 0.0, variance=0.0)
    assert (none.low, none.high, none.method) == (None, None, None)
    assert "every row has the same loss" in str(none.remark)


def test_what_has_no_ends_has_students_limits() -> None:
    away = quantile() * ERROR
    check(interval("calibration_slope", 1.2), "t", [1.2 - away, 1.2 + away])


def test_what_is_neither_an_area_nor_a_loss_has_the_logit_of_its_range() -> None:
    check(interval("brier_uncertainty", 0.2), "logit-t", by_logit(0.2, 0.0, 0.25))
    assert interval("brier_uncertainty", 0.2, variance=0.01).remark is None
    assert interval("brier", 0.2, variance=0.01).remark is not None, "a control"


def test_one_side_has_the_other_end_of_the_range() -> None:
    low = score_interval(get("gini"), 0.4, spread_of(), Confidence(0.975, side="low"), 80.0)
    check(low, "logit-delong", [by_logit(0.4, -1.0, 1.0)[0], 1.0])
    high = score_interval(get("gini"), 0.4, spread_of(), Confidence(0.975, side="high"), 80.0)
    check(high, "logit-delong", [-1.0, by_logit(0.4, -1.0, 1.0)[1]])


@pytest.mark.parametrize(
    ("name", "low", "high"), [("matthews_correlation", -1.0, 1.0), ("accuracy", 0.0, 1.0)]
)
def test_the_logit_of_labels_is_that_of_the_range(name: str, low: float, high: float) -> None:
    table = [[40, 7, 3], [5, 61, 14], [2, 9, 29]]
    found = karat.evaluate(confusion=table, interval=karat.Interval(method="logit"))[name]
    z = float(special.ndtri(0.975))
    share, error = (found.value - low) / (high - low), found.standard_error / (high - low)
    edges = special.expit(special.logit(share) + np.array([-z, z]) * error / (share * (1 - share)))
    assert found.method == "logit"
    assert_same([found.low, found.high], low + (high - low) * edges, within=1e-12)
    wald = karat.evaluate(confusion=table, interval=karat.Interval(method="wald"))[name]
    assert_same(
        [wald.low, wald.high], found.value + np.array([-z, z]) * found.standard_error, within=1e-12
    )


RIGHT, WRONG = [[30, 0], [0, 20]], [[0, 30], [20, 0]]


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("accuracy", RIGHT),
        ("accuracy", WRONG),
        ("macro_f1", RIGHT),
        ("macro_f1", WRONG),
        ("kappa", RIGHT),
        ("matthews_correlation", WRONG),
    ],
)
def test_an_end_of_the_range_has_no_logit(name: str, table: list[list[int]]) -> None:
    found = karat.evaluate(confusion=table, metrics=name, interval=karat.Interval(method="logit"))[
        name
    ]
    assert (found.low, found.high) == (None, None)
    assert found.remark == "the logit of an end of the range is infinite"


def test_a_line_through_the_rows_has_their_freedom_less_one() -> None:
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, 12), rng.uniform(0.2, 0.8, 12)
    found = karat.evaluate(y, y_prob=p, metrics=["calibration_slope"])["calibration_slope"]
    away = float(stats.t(11).ppf(0.975)) * found.standard_error
    assert_same([found.low, found.high], [found.value - away, found.value + away], within=1e-9)


@pytest.mark.parametrize("name", ["brier_uncertainty", "log_loss_uncertainty"])
def test_a_share_of_rows_that_is_all_or_nothing_makes_no_warning(name: str) -> None:
    for truth in (np.zeros(6, int), np.ones(6, int)):
        found = karat.evaluate(truth, y_prob=np.full(6, 0.3), labels=[0, 1], metrics=[name])[name]
        assert (found.value, found.standard_error) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["f1", "jaccard", "false_omission_rate"])
def test_the_slope_of_a_curve_is_its_difference_quotient(name: str) -> None:
    curve = curve_of(parse(name))
    assert curve is not None
    p, step = np.array([0.1, 0.5, 0.9]), 1e-6
    quotient = (curve.at(p + step) - curve.at(p - step)) / (2 * step)
    assert_same(np.broadcast_to(curve.slope(p), p.shape), quotient, within=1e-8)


def test_a_smoothed_table_has_the_effective_rows_and_half_a_row_more_for_each_class() -> None:
    weights = np.array([1.0, 2.0, 0.5, 3.0])
    report = karat.evaluate([0, 0, 1, 1], [0, 1, 0, 1], weights=weights)
    spread = TableVariance(report.cells)
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert spread.n_effective == pytest.approx(effective)
    assert spread.smoothed is not None
    cells = spread.smoothed.cells
    assert cells is not None
    shares = np.array([[1.0, 2.0], [0.5, 3.0]]) / weights.sum()
    assert_same(cells.matrix(), shares * effective + 0.25, within=1e-12)


NOT_WRONG, DRAWN = "No row is predicted wrongly", "Replicates draw whole clusters"


@pytest.mark.parametrize(
    ("table", "asked", "told"),
    [
        ([[30, 0], [0, 25]], {}, {NOT_WRONG}),
        ([[30, 1], [0, 25]], {}, set()),
        ([[30, 0], [1, 25]], {}, set()),
        ([[30, 1], [1, 25]], {"design": karat.CaseControl(), "method": "bootstrap"}, set()),
        ([[30, 1], [1, 25]], {"clusters": 25}, set()),
        ([[30, 1], [1, 25]], {"clusters": 25, "method": "bootstrap"}, set()),
        ([[30, 1], [1, 25]], {"clusters": 25, "design": karat.CaseControl()}, set()),
        (
            [[30, 1], [1, 25]],
            {"clusters": 25, "design": karat.CaseControl(), "method": "bootstrap"},
            {DRAWN},
        ),
    ],
)
def test_a_report_says_what_its_intervals_rest_on(
    table: Any, asked: dict[str, Any], told: set[str]
) -> None:
    counts = np.array(table).ravel()
    true, pred = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    if "clusters" in asked:
        asked = {**asked, "clusters": np.arange(len(true)) % asked["clusters"]}
    report = karat.evaluate(
        true, pred, **grouped({"interval": karat.Interval(n_replicates=100), **asked})
    )
    cautions = " ".join(report.cautions)
    assert {text for text in (NOT_WRONG, DRAWN) if text in cautions} == told


def test_the_largest_gain_is_that_of_all_blocks() -> None:
    def steps(*gains: float) -> Any:
        return SimpleNamespace(gains=np.array(gains), thresholds=-np.array(gains))

    blocks = [steps(0.1, 0.7, 0.7), steps(0.2, 0.9, 0.3), steps(0.9, 0.5)]
    cumulative: Any = SimpleNamespace(steps=lambda: iter(blocks))
    assert largest(cumulative, lambda each: each.gains) == (0.9, -0.9)
    assert largest(SimpleNamespace(steps=lambda: iter(blocks[:1])), lambda e: e.gains)[0] == 0.7  # type: ignore[arg-type]


def test_a_class_of_many_has_the_limits_that_it_has_of_two() -> None:
    table = np.array([[40, 7, 3], [5, 61, 14], [2, 9, 29]])
    whole = karat.evaluate(confusion=table)
    for i, row in enumerate(whole.per_class):
        own, hits = table[i].sum(), table[i, i]
        false = table[:, i].sum() - hits
        rest = table.sum() - own - false
        two = karat.evaluate(confusion=[[rest, false], [own - hits, hits]], positive=1)
        for name in ("precision", "recall", "specificity", "f1", "jaccard"):
            wanted = [two[name].low, two[name].high]
            assert_same(row["intervals"][name], wanted, within=1e-10, about=f"{name} of class {i}")


def test_a_skewness_that_is_not_known_is_not_taken_as_none() -> None:
    metric, asked = get("ks_statistic"), Confidence(0.9, method="bca")
    drawn = np.random.default_rng(4).beta(20, 12, 1000)
    found = Draws(drawn={metric: drawn}).of(metric, 0.63, asked)
    assert found is not None
    assert (found.low, found.high) == (None, None)
    assert "acceleration" in str(found.remark)
    known = Draws(drawn={metric: drawn}, accelerations={metric: 0.1}).of(metric, 0.63, asked)
    assert known == interval_of_draws(metric, 0.63, drawn, asked, 0.1)
    assert known != interval_of_draws(metric, 0.63, drawn, asked, 0.0)


@pytest.mark.parametrize("name", ["macro_prevalence", "micro_prevalence"])
def test_what_the_number_of_classes_gives_has_no_limits(name: str) -> None:
    found = karat.evaluate(confusion=[[5, 2, 1], [0, 7, 3], [1, 1, 9]], metrics=[name])[name]
    assert found.value == pytest.approx(1 / 3)
    assert (found.low, found.high, found.standard_error) == (None, None, None)
    assert found.remark == "it is the same for every table"


def test_an_average_of_separated_classes_rests_on_the_two_smallest() -> None:
    found = []
    for sizes in ((30, 8, 15), (8, 15, 30), (15, 30, 8)):
        y = np.repeat([0, 1, 2], sizes)
        one = karat.evaluate(y, y_score=np.eye(3)[y], metrics=["macro_roc_auc"])["macro_roc_auc"]
        assert (one.value, one.method) == (1.0, "newcombe")
        found.append(one.low)
    assert_same(np.array(found), np.full(3, found[0]), within=1e-12)


def test_a_largest_distance_is_drawn_by_clusters() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    found = karat.evaluate(
        y, y_score=y + rng.normal(size=60), clusters=np.arange(60) % 20,
        metrics=["ks_statistic"], interval=karat.Interval(method="bootstrap", n_replicates=200),
    )["ks_statistic"]  # fmt: skip
    assert found.method == "bootstrap"
    assert found.low < found.value < found.high


@pytest.mark.parametrize("level", ["0.95", b"0.95", True, [0.95]])
def test_a_level_is_a_number(level: Any) -> None:
    with pytest.raises(KaratError, match="K122"):
        Confidence.of(level)
    assert Confidence.of(np.float32(0.5)) == Confidence(0.5)


def test_limits_move_by_as_much_as_the_value_may() -> None:
    metric = parse("log_loss")
    around = _around(Interval(0.4, 0.6, "log"), 0.5, (0.45, 0.58), metric)
    assert_same(np.array([around.low, around.high]), np.array([0.35, 0.68]), within=1e-15)
    ends = _around(Interval(0.02, 0.98, "logit"), 0.5, (0.4, 0.6), parse("roc_auc"))
    assert (ends.low, ends.high) == (0.0, 1.0)
    for interval, limits in ((Interval(remark="none"), (0.4, 0.6)), (Interval(0.4, 0.6), None)):
        assert _around(interval, 0.5, limits, metric) is interval


def test_what_reads_one_column_is_known() -> None:
    one = ("roc_auc", "max_informedness", "expected_calibration_error", "max_f_beta")
    several = ("log_loss", "macro_roc_auc", "roc_auc_mu", "roc_auc_ovo_macro", "weighted_roc_auc")
    assert [name for name in one if not reads_one(parse(name))] == []
    assert [name for name in several if reads_one(parse(name))] == []


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_weights_that_differ_little_are_no_cause_for_caution(scale: float) -> None:
    table = np.array([[50, 10], [5, 60]])
    y_true, y_pred = np.repeat([0, 0, 1, 1], table.ravel()), np.repeat([0, 1, 0, 1], table.ravel())
    weights = scale * np.random.default_rng(0).uniform(0.9, 1.1, len(y_true))
    assert karat.evaluate(y_true, y_pred, weights=weights).cautions == ()


def test_the_variance_of_a_class_is_that_of_its_own_table() -> None:
    rng = np.random.default_rng(5)
    rows, cols = rng.integers(0, 3, (2, 200))
    weights = rng.uniform(0.1, 4.0, 200)
    sums, squares = np.zeros((2, 3, 3))
    np.add.at(sums, (rows, cols), weights)
    np.add.at(squares, (rows, cols), weights**2)
    classes = Classes.of(range(3))
    spread = TableVariance(Cells.dense(sums, classes=classes, squares=squares, n_rows=200))
    partials = rng.normal(size=(3, 2, 2))
    each = [float(spread.variance(spread.spread_out(partials, i))) for i in range(3)]
    assert_same(spread.class_variances(partials), np.array(each), within=1e-12)
    unweighted = TableVariance(Cells.dense(sums.astype(int), classes=classes))
    each = [float(unweighted.variance(unweighted.spread_out(partials, i))) for i in range(3)]
    assert_same(unweighted.class_variances(partials), np.array(each), within=1e-12)


@pytest.mark.parametrize("name", ["kappa", "matthews_correlation", "kappa_quadratic", "accuracy"])
def test_a_table_of_the_cells_that_occur_has_nearly_the_limits_of_all(name: str) -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 4, 3000)
    cols = np.where(rng.random(3000) < 0.3, rng.integers(0, 4, 3000), rows)
    dense = Cells.dense(np.bincount(4 * rows + cols, minlength=16).reshape(4, 4),
                        classes=Classes.of(range(4)))  # fmt: skip
    metric, found = parse(name), []
    for cells in (dense, to_sparse(dense)):
        value = float(metric.values(cells).value)
        one = label_interval(metric, value, TableVariance(cells), ASKED)
        assert one.low is not None
        assert one.high is not None
        assert one.low < value < one.high
        found.append([one.low, one.high])
    assert_same(np.array(found[1]), np.array(found[0]), within=1e-3)


def test_wald_limits_of_scores_are_symmetric() -> None:
    rng = np.random.default_rng(0)
    y_true, y_prob = rng.integers(0, 2, 60), rng.uniform(0.2, 0.8, 60)
    found = karat.evaluate(
        y_true, y_prob=y_prob, metrics="brier", interval=karat.Interval(method="wald")
    )["brier"]
    assert found.method == "wald"
    assert found.low is not None
    assert found.high is not None
    assert_same(found.high - found.value, found.value - found.low, within=1e-12)
    assert 1.9 < (found.high - found.value) / found.standard_error < 3.0


def test_proportions_of_few_rows_have_no_remark_on_cells() -> None:
    table = [[3, 1], [2, 4]]
    for name in ("recall", "precision", "specificity"):
        remark = karat.evaluate(confusion=table, metrics=name)[name].remark
        assert "a cell of the confusion matrix" not in str(remark)
    ratio = karat.evaluate(confusion=table, metrics="diagnostic_odds_ratio")
    assert "a cell of the confusion matrix has 1" in str(ratio["diagnostic_odds_ratio"].remark)


_ONE_ROW = "it depends on the number of rows alone: at most one of them differs from the others"


@pytest.mark.parametrize("weight", [None, 7.0, 1e-3])
def test_shares_from_which_one_row_differs_have_a_remark(weight: float | None) -> None:
    """Missed: 1 of 30. False alarms: 3 of 60. So many rows weigh as much as one each."""
    y_true = np.repeat([0, 1], [60, 30])
    y_pred = y_true.copy()
    y_pred[:3], y_pred[-1] = 1, 0
    weights = None if weight is None else np.full(90, weight)
    report = karat.evaluate(y_true, y_pred, weights=weights, positive=1)
    concerned = {name for name, one in report.metrics.items() if one.remark == _ONE_ROW}
    assert {"recall", "false_negative_rate", "negative_predictive_value"} <= concerned
    assert not {"precision", "specificity", "f1", "accuracy", "informedness"} & concerned
    y_pred[-2] = 0
    again = karat.evaluate(y_true, y_pred, weights=weights, positive=1)
    assert not [name for name, one in again.metrics.items() if one.remark == _ONE_ROW]
    y_pred = y_true.copy()
    y_pred[0] = 1
    again = karat.evaluate(y_true, y_pred, weights=weights, positive=1)
    assert again["accuracy"].remark == again["micro_f1"].remark == _ONE_ROW


@pytest.mark.parametrize(
    ("rows", "is_few"),
    [
        ([9, 60, 70, 80, 90], False),
        ([9, 9, 70, 80, 90], True),
        ([4, 60, 70, 80, 90], True),
        ([5, 60, 70, 80, 90], False),
        ([10, 10, 10], False),
        ([9, 60], True),
        ([10, 60], False),
    ],
)
def test_averages_have_a_remark_where_classes_have_few_rows(rows: list[int], is_few: bool) -> None:
    """Fewer than 5 rows of one, or fewer than 10 of a third of the classes."""
    table = np.diag(rows) - 2 * np.eye(len(rows), dtype=int)
    table += 2 * np.roll(np.eye(len(rows), dtype=int), 1, axis=1)
    report = karat.evaluate(confusion=table)
    for name in ("macro_f1", "balanced_accuracy", "g_mean", "f1_of_macro_averages"):
        assert (report[name].remark == "classes have few rows") is is_few, name
    # An average that weighs classes by their rows does not rest on the rare ones.
    assert report["weighted_f1"].remark is None
    assert any("Fewer than 10 true rows" in one for one in report.cautions) is is_few


@pytest.mark.parametrize("weight", [1.0, 10.0, 0.01])
def test_few_rows_of_a_class_are_counted_without_their_weight(weight: float) -> None:
    y_true = np.repeat([0, 1, 2], [60, 70, 6])
    y_pred = np.where(np.arange(136) % 7, y_true, (y_true + 1) % 3)
    weights = np.where(np.arange(136) % 2, weight, weight * 1.01)
    cautions = " ".join(karat.evaluate(y_true, y_pred, weights=weights).cautions)
    assert "Fewer than 10 true rows of 2:" in cautions


def test_heavy_rows_that_are_wrong_have_a_caution() -> None:
    """Ten wrong rows of 200; of equal weights nothing is said of them."""
    y_true = np.arange(200) % 2
    y_pred = np.where(np.arange(200) % 20 == 3, 1 - y_true, y_true)
    is_wrong = y_true != y_pred
    assert is_wrong.sum() == 10
    found = []
    for heavy in (1.0, 3.0):
        weights = np.where(is_wrong, heavy, 1.0) * (1.0 + 0.01 * (np.arange(200) % 7))
        found.append(karat.evaluate(y_true, y_pred, weights=weights).cautions)
    # Ten of three times the weight: as much of the whole as 10 · 3 of 220 rows.
    told = (
        "The rows that are predicted wrongly have larger weights than others, and are worth "
        "10.0 of equal weight: intervals may be too narrow."
    )
    assert found == [(), (told,)]
