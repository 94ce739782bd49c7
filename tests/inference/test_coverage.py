"""Intervals hold the true value about as often as they say, and narrower ones are found out.

`python -m benchmarks.coverage` is the study; this is the alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import karat
from karat.inference.table_variance import TableVariance
from karat.inference.variance import is_of_logarithms, jackknifed
from karat.metrics import Metric, all_records, get
from karat.testing import proportion_laws

N_SAMPLES = 400
LEAST, MOST = 0.905, 0.995
"""Of 400 intervals with a coverage of 94 to 97 % fewer hold the truth once in 500 runs, or more."""

TABLE = np.array([[0.34, 0.05, 0.01], [0.03, 0.25, 0.04], [0.02, 0.02, 0.24]])
LABELS = ("accuracy", "macro_f1", "kappa", "normalized_mutual_information")
SCORES = ("roc_auc", "average_precision", "log_loss", "brier")

Draw = Callable[[np.random.Generator], Mapping[str, Any]]


def of_labels(rng: np.random.Generator) -> dict[str, Any]:
    return {"confusion": rng.multinomial(240, TABLE.ravel()).reshape(3, 3)}


def scored(rng: np.random.Generator, n: int) -> dict[str, Any]:
    y = (rng.random(n) < 0.3).astype(int)
    odds = 1.4 * (rng.normal(size=n) + 1.4 * y) - 1.4**2 / 2 - 0.85
    return {"y_true": y, "y_prob": 1 / (1 + np.exp(-odds)), "labels": [0, 1]}


def of_scores(rng: np.random.Generator) -> dict[str, Any]:
    return scored(rng, 200)


POPULATIONS: list[tuple[tuple[str, ...], Draw, Mapping[str, Any]]] = [
    (LABELS, of_labels, {"confusion": TABLE}),
    (SCORES, of_scores, scored(np.random.default_rng(0), 400_000)),
]


def held(
    metrics: tuple[str, ...], draw: Draw, population: Mapping[str, Any], part: float
) -> np.ndarray:
    """Share of the intervals, shrunk towards the value to a part of themselves, with the truth."""
    truth = karat.evaluate(**population, metrics=metrics, level=None).metrics
    rng, found = np.random.default_rng(1), np.zeros(len(metrics))
    for _ in range(N_SAMPLES):
        report = karat.evaluate(**draw(rng), metrics=metrics)
        for j, (one, true) in enumerate(zip(report.metrics.values(), truth.values(), strict=True)):
            assert one.low is not None
            assert one.high is not None
            low, high = (one.value + part * (end - one.value) for end in (one.low, one.high))
            found[j] += low <= true.value <= high
    return found / N_SAMPLES


@pytest.mark.parametrize(("metrics", "draw", "population"), POPULATIONS, ids=["labels", "scores"])
def test_intervals_hold_the_truth_as_often_as_they_say(
    metrics: tuple[str, ...], draw: Draw, population: Mapping[str, Any]
) -> None:
    found = dict(zip(metrics, held(metrics, draw, population, 1.0), strict=True))
    assert {name: share for name, share in found.items() if not LEAST <= share <= MOST} == {}


@pytest.mark.parametrize(("metrics", "draw", "population"), POPULATIONS, ids=["labels", "scores"])
def test_intervals_of_half_the_width_are_found_out(
    metrics: tuple[str, ...], draw: Draw, population: Mapping[str, Any]
) -> None:
    assert (held(metrics, draw, population, 0.5) < LEAST - 0.05).all()


def test_sums_and_ratios_of_two_shares_are_found_from_the_formulas() -> None:
    plain = [
        Metric(record, "plain", Metric.defaults(record))
        for record in all_records()
        if record.is_traced and record.is_per_class
    ]
    sums, ratio_of = proportion_laws.two_proportions_of, proportion_laws.ratio_of_proportions
    assert {one.name for one in plain if sums(one)} == {"informedness", "markedness"}
    assert {one.name for one in plain if one.record.sum_of} == {"informedness", "markedness"}
    ratios = {one.name for one in plain if ratio_of(one) and not np.isfinite(one.range[1])}
    assert {one.name for one in plain if one.record.ratio_of} == ratios
    assert ratios == {
        "positive_likelihood_ratio",
        "negative_likelihood_ratio",
        "diagnostic_odds_ratio",
    }
    # Neither is a product of its shares, though one product of their values is below the other.
    assert not any(ratio_of(one) for one in plain if sums(one))


def test_informedness_is_as_sure_as_the_balanced_accuracy_that_it_follows_from() -> None:
    report = karat.evaluate(confusion=[[190, 10], [1, 29]])
    one, other = report["informedness"], report["balanced_accuracy"]
    assert one.low == pytest.approx(2 * other.low - 1)
    assert one.high == pytest.approx(2 * other.high - 1)


def test_limits_of_a_ratio_follow_its_turned_ratio() -> None:
    # The odds of the other class are the same; its likelihood ratios are the inverse ones.
    there = karat.evaluate(confusion=[[50, 6], [8, 30]], positive=1)
    back = karat.evaluate(confusion=[[50, 6], [8, 30]], positive=0)
    one, other = there["positive_likelihood_ratio"], back["negative_likelihood_ratio"]
    assert one.value * other.value == pytest.approx(1)
    assert one.low * other.high == pytest.approx(1)
    assert one.high * other.low == pytest.approx(1)


def test_a_ratio_on_few_rows_says_so_and_that_of_none_ends_where_the_shares_do() -> None:
    report = karat.evaluate(confusion=[[190, 10], [0, 30]])
    none = report["negative_likelihood_ratio"]
    assert (none.value, none.low) == (0.0, 0.0)
    assert 0.05 < none.high < 0.12
    assert "a cell of the confusion matrix has 0" in str(none.remark)
    assert karat.evaluate(confusion=[[190, 10], [9, 30]])["diagnostic_odds_ratio"].remark is None


def test_leaving_rows_out_finds_the_bias_of_information() -> None:
    rng = np.random.default_rng(2)
    metric, table = get("mutual_information"), np.outer([0.5, 0.3, 0.2], [0.4, 0.4, 0.2])
    assert is_of_logarithms(metric)
    assert not is_of_logarithms(get("kappa"))
    # Of independent classes all information is bias, (k − 1)² ÷ 2n of it.
    found = []
    for _ in range(50):
        cells = karat.evaluate(confusion=rng.multinomial(150, table.ravel()).reshape(3, 3)).cells
        less = jackknifed(metric, TableVariance(cells), "zero")
        assert less is not None
        found.append(less.bias)
    assert np.mean(found) == pytest.approx(4 / 300, rel=0.15)


def test_information_ends_at_what_tells_classes_apart_and_its_share_at_all_of_it() -> None:
    report = karat.evaluate(confusion=[[24, 1], [0, 20]])
    one, other = report["mutual_information"], report["normalized_mutual_information"]
    assert one.value < one.high <= np.log(2)
    assert 0.4 < other.low < other.value < other.high <= 1


def test_a_bias_of_half_a_standard_error_is_told() -> None:
    few, more = [[7, 4, 0], [3, 4, 1], [1, 1, 9]], [[15, 0, 3], [3, 11, 5], [1, 3, 19]]
    shares, remarks = [], []
    for table in (few, more):
        report = karat.evaluate(confusion=table, metrics=["mutual_information"])
        less = jackknifed(get("mutual_information"), TableVariance(report.cells), "zero")
        assert less is not None
        shares.append(less.bias / np.sqrt(less.variance))
        remarks.append(report["mutual_information"].remark)
    assert shares == pytest.approx([0.652, 0.346], abs=1e-3)
    assert "too large by about 0.1" in str(remarks[0])
    assert remarks[1] is None


def test_independence_is_judged_by_the_classes_that_occur_on_each_side() -> None:
    # χ² of 6.6 with 2 degrees of freedom is below its 97.5 % point 7.4; 13.2 with 4 is not.
    table = [[10, 6, 0], [13, 10, 0], [5, 16, 0]]
    found = karat.evaluate(confusion=table, metrics=["mutual_information"])["mutual_information"]
    assert found.low == 0.0
    assert "the rows are consistent with independent truth and prediction" in str(found.remark)


def test_information_of_independent_classes_may_be_none() -> None:
    report = karat.evaluate(confusion=[[40, 38], [11, 14]])
    for name in ("mutual_information", "normalized_mutual_information"):
        assert report[name].low == 0.0
        assert "are consistent with" in str(report[name].remark)
    assert karat.evaluate(confusion=[[40, 18], [11, 34]])["mutual_information"].low > 0.0


def test_few_rows_with_most_of_the_loss_widen_its_interval_and_are_named() -> None:
    own = np.random.default_rng(4).uniform(0.97, 0.99, size=120)
    y, p = [0, 1] * 60, np.where(np.arange(120) % 2, own, 1 - own)
    alike = karat.evaluate(y, y_prob=p)["log_loss"]
    assert alike.remark is None
    p[:4] = 0.5
    few = karat.evaluate(y, y_prob=p)["log_loss"]
    assert "few rows have most of the loss" in str(few.remark)
    # Student's t of as many degrees of freedom as rows lose much, not of all.
    n_effective = 1 / (few.standard_error**2 / few.value**2 + 1 / 120)
    assert n_effective < 20
    assert np.log(few.high / few.value) > 2.1 * few.standard_error / few.value


def test_precision_of_few_rows_is_allowed_to_be_optimistic() -> None:
    rng = np.random.default_rng(3)
    y, s = rng.integers(2, size=60), rng.normal(size=60)
    found = karat.evaluate(y, y_score=s)["average_precision"]
    odds = [np.log(x / (1 - x)) for x in (found.low, found.value, found.high)]
    # On the scale of the logit the lower limit lies farther away.
    assert odds[1] - odds[0] > 1.05 * (odds[2] - odds[1])


def test_a_perfect_ranking_has_an_interval() -> None:
    y, s = np.repeat([0, 1], [30, 12]), np.arange(42.0)
    for score, end in ((s, 1.0), (-s, 0.0)):
        found = karat.evaluate(y, y_score=score)["roc_auc"]
        assert (found.value, found.method) == (end, "newcombe")
        width = found.high - found.low
        assert 0.1 < width < 0.25
        assert end in (found.low, found.high)


def test_where_no_row_is_wrong_an_average_is_no_surer_than_the_accuracy() -> None:
    report = karat.evaluate(confusion=np.diag([25, 22, 20]))
    # One wrong row would lower the F1 of two classes: their errors go together.
    least = report["accuracy"].low
    assert report["macro_f1"].low < least + 0.012
    assert report["weighted_f1"].low < least + 0.012
    assert report["balanced_accuracy"].low < least


def test_weighted_averages_are_as_wide_as_their_standard_error_says() -> None:
    """A class that is never right has a proportion that varies, though its value does not."""
    names = ["weighted_f1", "weighted_jaccard", "weighted_precision"]
    n_checked = 0
    for seed in range(40):
        rng = np.random.default_rng([9, seed])
        true = rng.choice(3, 300, p=(0.4, 0.4, 0.2))
        is_right = rng.random(300) < np.array([0.9, 0.85, 0.0])[true]
        wrong = np.where(true == 2, rng.integers(0, 2, 300), 1 - np.minimum(true, 1))
        report = karat.evaluate(true, np.where(is_right, true, wrong))
        for name in names:
            one = report[name]
            assert one.low is not None
            assert one.high is not None
            assert one.standard_error
            # Wilson's limits are narrower by the rows that matter, here at least 100.
            assert one.high - one.low >= 2 * 1.96 * one.standard_error / np.sqrt(1 + 3.85 / 100)
            n_checked += 1
    assert n_checked == 120
