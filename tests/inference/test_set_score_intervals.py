"""Intervals of metrics of the scores of sets: errors by hand, sides, methods, and coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
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
    report = karat.evaluate(true, y_score=scores)
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
        metric = karat.metrics.get(name)
        function: Any = getattr(karat, metric.record.name)
        given = {} if metric.lift == "plain" else {"average": metric.lift}
        left_out = np.array(
            [
                function(np.delete(true, i, 0), y_score=np.delete(scores, i, 0), **given)
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
    low = karat.evaluate(true, y_score=scores, side="low", metrics=[name])[name]
    high = karat.evaluate(true, y_score=scores, side="high", metrics=[name])[name]
    assert (low.low, high.high) == pytest.approx((both.low, both.high))
    assert (low.high, high.low) == (1.0, 0.0)


@pytest.mark.parametrize("method", ["bootstrap", "bca", "bayesian"])
def test_replicates_of_rows_agree_with_the_default(method: str) -> None:
    true, scores = rows(3, n=150, k=3)
    names = ["roc_auc_ovr_macro", "label_ranking_average_precision"]
    names += ["fmax", "macro_max_f_beta"] if method == "bootstrap" else []
    options: dict[str, Any] = {"metrics": names, "n_replicates": 200, "method": method}
    drawn = karat.evaluate(true, y_score=scores, **options)
    again = karat.evaluate(true, y_score=scores, **options)
    default = karat.evaluate(true, y_score=scores, metrics=names[:2])
    for name in names:
        assert (drawn[name].low, drawn[name].high) == (again[name].low, again[name].high)
        assert drawn[name].low < drawn[name].value < drawn[name].high
    for name in names[:2]:
        width = default[name].high - default[name].low
        assert drawn[name].high - drawn[name].low == pytest.approx(width, rel=0.3)


def test_what_has_no_interval_says_why() -> None:
    report = karat.evaluate(TRUE, y_score=SCORES)
    assert "bootstrap" in report["fmax"].remark
    assert "bootstrap" in report["macro_max_f_beta"].remark
    listed = karat.evaluate([{0}, {1, 2}], y_score=[{0: 0.9, 1: 0.8}, {1: 0.7}])
    assert "within limits" in listed["label_ranking_average_precision"].remark
    alone = karat.evaluate(TRUE[:1], y_score=SCORES[:1])
    assert alone["label_ranking_loss"].remark == "there is one row"


def test_weights_and_unknown_cells_take_part() -> None:
    true, scores = rows(4, n=200, k=4)
    w = np.random.default_rng(5).integers(0, 3, 200).astype(float)
    weighted = karat.evaluate(true, y_score=scores, weights=w)
    kept = np.repeat(np.arange(200), w.astype(int))
    repeated = karat.evaluate(true[kept], y_score=scores[kept])
    for name in ("roc_auc_ovr_macro", "label_ranking_loss", "binary_cross_entropy", "lwlrap"):
        assert weighted[name].value == pytest.approx(repeated[name].value)
        # Rows of weight 2 are one row each: they say less than two.
        assert weighted[name].standard_error > repeated[name].standard_error
    some = np.where(np.random.default_rng(6).random(true.shape) < 0.3, np.nan, true)
    unknown = karat.evaluate(some, y_score=scores)
    every = karat.evaluate(true, y_score=scores)
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
