"""Intervals of metrics of the scores of sets: errors by hand, sides, methods, and coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.inference.confidence import Confidence
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.inference.variance import precision_bias
from karat.metrics import get
from tests.six_rows import KNOWN, SCORES, TRUE


def rows(seed: int, n: int = 300, k: int = 6, together: float = 0.3) -> tuple[Any, Any]:
    """Rows whose labels and scores are alike within a row."""
    rng = np.random.default_rng([263, seed])
    shared = rng.normal(size=(n, 1))
    part = np.sqrt(together) * shared + np.sqrt(1 - together) * rng.normal(size=(n, k))
    true = (part > np.linspace(0.5, 1.2, k)).astype(int)
    noise = np.sqrt(together) * rng.normal(size=(n, 1))
    noise = noise + np.sqrt(1 - together) * rng.normal(size=(n, k))
    return true, 1.2 * true - 0.8 + noise


def test_errors_of_six_rows() -> None:
    report = karat.evaluate(TRUE, y_score=SCORES)
    # n − 1 instead of n under the sum of squares.
    less = np.sqrt(6 / 5)
    assert report["roc_auc_ovr_macro"].standard_error == pytest.approx(0.049411 * less, abs=1e-6)
    only = karat.evaluate(TRUE, y_score=SCORES, undefined="exclude")
    error = only["label_ranking_average_precision"].standard_error
    assert error == pytest.approx(0.139366 * np.sqrt(4 / 3), abs=1e-6)
    # The control: rows without labels count too.
    assert report["label_ranking_average_precision"].standard_error != pytest.approx(error)


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
def test_errors_are_those_of_leaving_out_each_row() -> None:
    true, scores = rows(1, n=120)
    ranked, of_logits = karat.evaluate(true, y_score=scores), karat.evaluate(true, y_logit=scores)
    n = len(true)
    for name in (
        "roc_auc_ovr_macro",
        "roc_auc_ovr_weighted",
        "mean_average_precision",
        "weighted_average_precision",
        "roc_auc_ovr_micro",
        "label_ranking_loss",
        "samples_roc_auc",
        "lwlrap",
        "binary_cross_entropy",
        "d_prime",
        "mean_d_prime",
    ):
        # A loss reads probabilities, which scores of any kind are not.
        is_loss = name == "binary_cross_entropy"
        role, report = ("y_logit", of_logits) if is_loss else ("y_score", ranked)
        metric = karat.metrics.get(name)
        function: Any = getattr(karat, metric.record.name)
        given = {} if metric.lift == "plain" else {"average": metric.lift}
        left_out = np.array(
            [
                function(np.delete(true, i, 0), **{role: np.delete(scores, i, 0)}, **given)
                for i in range(n)
            ]
        )
        jackknife = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
        assert report[name].standard_error == pytest.approx(jackknife, rel=0.06), name
    # The control: labels as if they were of rows of their own.
    true, scores = rows(1, n=120, together=0.9)
    report = karat.evaluate(true, y_score=scores)
    alone = [row["intervals"]["roc_auc"] for row in report.per_class]
    width = np.sqrt(sum(((high - low) / 2) ** 2 for low, high in alone)) / len(alone)
    found = report["roc_auc_ovr_macro"]
    assert (found.high - found.low) / 2 > 1.2 * width


@pytest.mark.parametrize("name", ["roc_auc_ovr_macro", "label_ranking_loss", "roc_auc_ovr_micro"])
def test_one_side_is_the_limit_of_twice_the_tail(name: str) -> None:
    true, scores = rows(2)
    both = karat.evaluate(true, y_score=scores, level=0.9, metrics=[name])[name]
    low = karat.evaluate(true, y_score=scores, interval=karat.Interval(side="low"), metrics=[name])[
        name
    ]
    high = karat.evaluate(
        true, y_score=scores, interval=karat.Interval(side="high"), metrics=[name]
    )[name]
    assert (low.low, high.high) == pytest.approx((both.low, both.high))
    assert (low.high, high.low) == (1.0, 0.0)


@pytest.mark.parametrize("method", ["bootstrap", "bca", "bayesian"])
def test_replicates_of_rows_agree_with_the_default(method: str) -> None:
    true, scores = rows(3, n=150, k=3)
    names = ["roc_auc_ovr_macro", "label_ranking_average_precision"]
    names += ["fmax", "macro_max_f_beta"] if method == "bootstrap" else []
    options: dict[str, Any] = {
        "metrics": names,
        "interval": karat.Interval(n_replicates=200, method=method),
    }
    drawn = karat.evaluate(true, y_score=scores, **options)
    again = karat.evaluate(true, y_score=scores, **options)
    default = karat.evaluate(true, y_score=scores, metrics=names[:2])
    for name in names:
        assert (drawn[name].low, drawn[name].high) == (again[name].low, again[name].high)
        assert drawn[name].low < drawn[name].value < drawn[name].high
    for name in names[:2]:
        width = default[name].high - default[name].low
        assert drawn[name].high - drawn[name].low == pytest.approx(width, rel=0.3)


def test_fmax_lies_between_its_own_threshold_and_that_of_other_rows() -> None:
    true, scores = rows(4, n=200, k=4)
    found = karat.evaluate(true, y_score=scores, metrics=["fmax"])["fmax"]
    has, t = true.sum(axis=1) > 0, true[true.sum(axis=1) > 0]

    def parts(threshold: Any, at: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        pred = scores[has][at] >= threshold
        hits, q = (pred & (t[at] > 0)).sum(axis=1), pred.sum(axis=1)
        return np.where(q > 0, hits / np.maximum(q, 1), np.nan), hits / t[at].sum(axis=1)

    def f1(precision: np.ndarray, recall: np.ndarray) -> float:
        means = np.nanmean(precision), recall.mean()
        return 2.0 * means[0] * means[1] / sum(means)

    levels = np.unique(scores[has])
    best = levels[int(np.argmax([f1(*parts(x)) for x in levels]))]
    assert found.value == pytest.approx(f1(*parts(best)))
    # The influence at that threshold is how the value moves where a row weighs a little more.
    n, step, moved = int(has.sum()), 1e-6, []
    for i in range(n):
        w = np.ones(n)
        w[i] += step
        p, r = parts(best)
        held = np.isfinite(p)
        means = np.average(p[held], weights=w[held]), np.average(r, weights=w)
        moved.append((2.0 * means[0] * means[1] / sum(means) - found.value) / step)
    error = math.sqrt(float(np.square(moved).sum()) * n / (n - 1.0))
    reach = (found.high - found.low) / 2.0
    assert 1.0 <= reach / (1.972 * error) < 1.15
    # The middle lies below the value, which is the largest of many.
    assert found.low + reach < found.value
    assert found.method == "cross-fitted"
    assert found.standard_error is None
    whole = karat.evaluate(
        np.repeat(true, 2, axis=0),
        y_score=np.repeat(scores, 2, axis=0),
        metrics=["fmax"],
        clusters=np.repeat(np.arange(len(true)), 2),
    )["fmax"]
    assert whole.high - whole.low == pytest.approx(2.0 * reach, rel=0.1)
    # The control: copies as rows of their own.
    copies = karat.evaluate(
        np.repeat(true, 2, axis=0), y_score=np.repeat(scores, 2, axis=0), metrics=["fmax"]
    )["fmax"]
    assert copies.high - copies.low < 0.8 * (whole.high - whole.low)


@pytest.mark.parametrize("digits", [0, 9])
def test_what_few_rows_add_to_average_precision_is_the_jackknife_of_it(digits: int) -> None:
    rng = np.random.default_rng(5)
    true = rng.random(40) < 0.3
    scores = np.round(2.0 * true + 2.0 * rng.normal(size=40), digits)

    def area(kept: np.ndarray) -> float:
        at = scores[kept][:, None] <= scores[kept]
        return float(((at & true[kept]).sum(axis=1) / at.sum(axis=1))[true[kept]].mean())

    whole = area(np.ones(40, bool))
    wanted = 0.0
    for side in (True, False):
        without = [area(np.arange(40) != i) for i in np.flatnonzero(true == side)]
        wanted += (len(without) - 1) * (np.mean(without) - whole)
    levels = np.unique(scores)[::-1]
    tp, fp = (
        np.array([((scores >= x) & rows).sum() for x in levels], float) for rows in (true, ~true)
    )
    assert precision_bias(tp, fp) == pytest.approx(wanted, abs=1e-12)
    assert precision_bias(3.0 * tp, 3.0 * fp, 3.0) == pytest.approx(wanted, abs=1e-12)
    # The control: all rows left out as one kind.
    every = [area(np.arange(40) != i) for i in range(40)]
    assert abs(39.0 * (np.mean(every) - whole) - wanted) > 1e-4
    assert precision_bias(tp[:0], fp[:0]) == precision_bias(tp, 0.0 * fp) == 0.0


def test_what_few_rows_add_to_every_label_does_not_average_out() -> None:
    rng = np.random.default_rng(6)
    true = (rng.random((100, 12)) < 0.05).astype(int)
    true[np.arange(12), np.arange(12)] = true[20 + np.arange(12), np.arange(12)] = 1
    scores = 1.5 * true + rng.normal(size=true.shape)
    name = "mean_average_precision"
    report = karat.evaluate(true, y_score=scores, metrics=[name])
    found, biases, below = report[name], [], []
    for row, y, s in zip(report.per_class, true.T, scores.T, strict=True):
        order = np.argsort(-s)
        tp = np.cumsum(y[order]).astype(float)
        biases.append(precision_bias(tp, np.arange(1, 101) - tp))
        below.append(row["average_precision"] - row["intervals"]["average_precision"][0])
    bias = float(np.mean(biases))
    apart = found.value - found.low - bias
    # Labels are independent here: their distances add up as squares, nearly.
    alone = float(np.linalg.norm(below)) / 12
    assert apart == pytest.approx(alone, rel=0.15)
    # The control: with the limits of the labels alone the lower one is too near.
    assert apart + bias > 1.25 * alone


def test_what_has_no_interval_says_why() -> None:
    report = karat.evaluate(TRUE, y_score=SCORES)
    assert "bootstrap" in report["fmax"].remark
    assert "bootstrap" in report["macro_max_f_beta"].remark
    listed = karat.evaluate([{0}, {1, 2}], y_score=[{0: 0.9, 1: 0.8}, {1: 0.7}])
    assert "only bounds" in listed["label_ranking_average_precision"].remark
    alone = karat.evaluate(TRUE[:1], y_score=SCORES[:1])
    assert alone["label_ranking_loss"].remark == "there is one row"


def test_weights_and_unknown_cells_take_part() -> None:
    true, scores = rows(4, n=200, k=4)
    w = np.random.default_rng(5).integers(0, 3, 200).astype(float)
    weighted = karat.evaluate(true, y_logit=scores, weights=w)
    kept = np.repeat(np.arange(200), w.astype(int))
    repeated = karat.evaluate(true[kept], y_logit=scores[kept])
    for name in ("roc_auc_ovr_macro", "label_ranking_loss", "binary_cross_entropy", "lwlrap"):
        assert weighted[name].value == pytest.approx(repeated[name].value)
        # Rows of weight 2 are one row each: they say less than two.
        assert weighted[name].standard_error > repeated[name].standard_error
    some = np.where(np.random.default_rng(6).random(true.shape) < 0.3, np.nan, true)
    unknown = karat.evaluate(some, y_logit=scores)
    every = karat.evaluate(true, y_logit=scores)
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_micro", "binary_cross_entropy"):
        assert unknown[name].standard_error > every[name].standard_error
    assert KNOWN.shape == TRUE.shape


@pytest.mark.parametrize("n", [200])
def test_intervals_hold_the_true_value_as_often_as_they_say(n: int) -> None:
    names = ["label_ranking_average_precision", "roc_auc_ovr_macro", "label_ranking_loss"]
    big = karat.evaluate(*[rows(0, n=100_000)[0]], y_score=rows(0, n=100_000)[1], level=None)
    truth = {name: big[name].value for name in names}
    held = dict.fromkeys(names, 0)
    n_samples = 100
    for seed in range(1, n_samples + 1):
        true, scores = rows(seed, n=n)
        report = karat.evaluate(true, y_score=scores, metrics=names)
        for name in names:
            held[name] += report[name].low <= truth[name] <= report[name].high
    # 95 ± 3 standard errors of 100 samples.
    assert all(count >= 88 for count in held.values()), held


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("name", ["roc_auc_ovr_weighted", "weighted_average_precision"])
def test_labels_without_a_value_change_no_weighted_mean(name: str) -> None:
    true, scores = rows(5, n=200, k=3)
    # Every row truly has the last label: no area of it is defined.
    all_true = np.concatenate([true[:, :2], np.ones((200, 1), int)], axis=1)
    if name == "weighted_average_precision":
        all_true[:, 2] = 0
    more = karat.evaluate(all_true, y_score=scores, metrics=[name], undefined="exclude")[name]
    alone = karat.evaluate(true[:, :2], y_score=scores[:, :2], metrics=[name])[name]
    assert more.value == pytest.approx(alone.value)
    assert more.standard_error == pytest.approx(alone.standard_error)
    assert (more.low, more.high) == pytest.approx((alone.low, alone.high))
    other = scores + np.random.default_rng(9).normal(size=scores.shape)
    both, two = (
        karat.compare(truth, y_score={"a": one, "b": worse}, metrics=[name], undefined=policy)[name]
        for truth, one, worse, policy in (
            (all_true, scores, other, "exclude"),
            (true[:, :2], scores[:, :2], other[:, :2], "zero"),
        )
    )
    assert both.standard_error == pytest.approx(two.standard_error)
    assert both.p == pytest.approx(two.p)


def test_two_rows_have_an_interval_and_less_than_two_have_none() -> None:
    true, scores = np.eye(2, dtype=int), np.array([[0.9, 0.2], [0.8, 0.3]])
    both = karat.evaluate(true, y_score=scores)["label_ranking_loss"]
    # Losses of 0 and 1: the variance of one is 1 ÷ 2, that of the mean of two 1 ÷ 4.
    assert (both.value, both.standard_error) == (0.5, pytest.approx(0.5))
    assert both.low < 0.5 < both.high
    uneven = karat.evaluate(true, y_score=scores, weights=[1.0, 2.0])["label_ranking_loss"]
    assert uneven.remark == "there is one row"


def test_a_slice_of_one_cluster_has_no_interval() -> None:
    true, scores = rows(3, 60)
    clusters = np.where(np.arange(60) < 20, 0, np.arange(60) % 4 + 1)
    by = {"site": np.where(clusters == 0, "a", "b")}
    report = karat.evaluate(true, y_score=scores, clusters=clusters, by=by)
    one, several = report.slices["site"]["a"], report.slices["site"]["b"]
    for name in ("roc_auc_ovr_macro", "label_ranking_average_precision"):
        assert (one[name].low, one[name].remark) == (None, "its rows are in one cluster")
        assert several[name].low is not None


def test_textbook_limits_are_asked_for_by_name() -> None:
    true, scores = rows(5, 60)
    whole = karat.evaluate(true, y_score=scores)
    wald = karat.evaluate(true, y_score=scores, interval=karat.Interval(method="wald"))
    for name in ("roc_auc_ovr_macro", "macro_average_precision"):
        assert wald[name].standard_error == whole[name].standard_error
        assert wald[name].low != pytest.approx(whole[name].low, rel=1e-3)


def test_a_replicate_of_rows_that_count_nothing_is_undefined() -> None:
    true, scores = rows(2, 30)
    report = karat.evaluate(true, y_score=scores, undefined="exclude")
    metric = get("label_ranking_average_precision")
    model = SetScoreIntervals(report.scored, Confidence(method="bootstrap"))
    mean = model.scores.mean(metric)
    assert math.isnan(model._replicate(mean, np.zeros(30)))
    once = model._replicate(mean, np.ones(30))
    assert once == pytest.approx(report[str(metric)].value)
    twice = np.where(mean.value == np.nanmax(mean.value), 2.0, 1.0)
    assert model._replicate(mean, twice) > once
