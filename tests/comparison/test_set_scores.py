"""Models with scores of sets: by other routes, by the jackknife, by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import karat
from karat.errors import KaratError
from karat.inference.comparison import set_scores
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.confidence import Confidence
from karat.inference.set_moves import Moves
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.metrics import get

LABELS = [f"l{j}" for j in range(5)]
ROWS = ("label_ranking_average_precision", "ndcg", "coverage_error", "multilabel_brier", "lwlrap")
OF_LABELS = (
    "roc_auc_ovr_macro",
    "roc_auc_ovr_weighted",
    "roc_auc_ovr_micro",
    "mean_average_precision",
    "d_prime",
)


def drawn(seed: int, n: int, k: int = 5, better: float = 0.0) -> tuple[np.ndarray, Any]:
    """Truth, and probabilities of two models that share most of their errors."""
    rng = np.random.default_rng([260, seed])
    true = (0.6 * rng.normal(size=(n, 1)) + rng.normal(size=(n, k))) > 0.8
    both = 1.5 * true + rng.normal(size=(n, k))
    scores = {"a": both + 0.5 * rng.normal(size=(n, k)), "b": both + 0.5 * rng.normal(size=(n, k))}
    scores["b"] += better * (2.0 * true - 1.0)
    return true.astype(int), {name: 1.0 / (1.0 + np.exp(1.0 - x)) for name, x in scores.items()}


@pytest.mark.parametrize("is_weighted", [False, True])
def test_standard_errors_are_those_of_the_jackknife(is_weighted: bool) -> None:
    n, names = 80, (*ROWS, *OF_LABELS)
    true, prob = drawn(1, n)
    w = np.random.default_rng(0).integers(1, 4, n).astype(float) if is_weighted else None
    found = karat.compare(true, y_prob=prob, metrics=names, weights=w)
    without = np.zeros((n, len(names)))
    for row in range(n):
        kept = np.arange(n) != row
        some = None if w is None else w[kept]
        options: dict[str, Any] = {"weights": some, "level": None, "metrics": names}
        sides = [karat.evaluate(true[kept], y_prob=x[kept], **options) for x in prob.values()]
        without[row] = [sides[1][name].value - sides[0][name].value for name in names]
    errors = np.sqrt((n - 1) * np.var(without, axis=0))
    for one, error in zip(found, errors, strict=True):
        assert one.standard_error == pytest.approx(error, rel=0.15), one.metric
        assert one.low < one.difference < one.high
        assert (one.p < 0.05) == (one.low > 0.0 or one.high < 0.0)


def test_every_label_is_compared_as_two_classes_are() -> None:
    true, prob = drawn(2, 120)
    clusters = np.arange(120) // 2
    for options in ({}, {"weights": np.arange(120) % 3 + 1.0}, {"clusters": clusters}):
        compared = karat.compare(
            true, y_prob=prob, metrics="ndcg", interval=karat.Interval(n_replicates=999), **options
        )
        found = compared.per_label("roc_auc")
        for label, one in enumerate(found):
            columns = {name: x[:, label] for name, x in prob.items()}
            alone: Any = karat.compare(true[:, label], y_prob=columns, metrics="roc_auc", **options)
            both = alone["roc_auc"]
            assert (one.difference, one.p) == pytest.approx((both.difference, both.p), rel=1e-9)
            assert (one.low, one.high) == pytest.approx((both.low, both.high), rel=1e-9)
            assert one.low_simultaneous < one.low < one.high < one.high_simultaneous
            assert one.p_adjusted >= one.p


def test_labels_at_once_are_rarely_called_different() -> None:
    shown = np.zeros(2)
    for seed in range(40):
        true, prob = drawn(seed + 10, 80, 15)
        compared = karat.compare(
            true, y_prob=prob, metrics="ndcg", interval=karat.Interval(n_replicates=299)
        )
        found = [one for one in compared.per_label("roc_auc") if one.p is not None]
        shown += min(x.p_adjusted for x in found) < 0.05, min(x.p for x in found) < 0.05
    assert shown[0] <= 0.12 * 40
    # The control: each label alone.
    assert shown[1] > 0.2 * 40


def test_equal_models_are_rarely_called_different() -> None:
    names = ("label_ranking_average_precision", "roc_auc_ovr_macro", "binary_cross_entropy")
    shown, n_samples = np.zeros((2, len(names))), 100
    for seed in range(n_samples):
        true, prob = drawn(seed + 100, 60, 8)
        for i, one in enumerate(karat.compare(true, y_prob=prob, metrics=names)):
            apart = one.difference / (0.6 * one.standard_error)
            shown[:, i] += one.p < 0.05, abs(apart) > 2.0
    assert (shown[0] <= 0.11 * n_samples).all(), shown
    # The control: a standard error that is too small.
    assert (shown[1] > 0.11 * n_samples).all(), shown


def test_forms_of_scores_say_the_same() -> None:
    true, prob = drawn(3, 80)
    lists = [{LABELS[j] for j in np.flatnonzero(row)} for row in true]
    x = prob["a"]
    named = {label: x[:, j] for j, label in enumerate(LABELS)}
    forms: dict[str, Any] = {
        "matrix": x,
        "nested": x.tolist(),
        "table": pd.DataFrame(named)[LABELS[::-1]],
        "columns": pl.DataFrame(named),
        "sparse": sparse.csr_matrix(x),
        "dicts": [dict(zip(LABELS, row, strict=True)) for row in x.tolist()],
        "pairs": [list(zip(LABELS, row, strict=True)) for row in x.tolist()],
    }
    known = karat.evaluate(lists, y_prob=x, labels=LABELS)
    found = karat.compare(lists, y_prob={**forms, "other": prob["b"]}, labels=LABELS,
                          baseline="other")  # fmt: skip
    assert "mean_average_precision" not in found.metrics
    for name in found.metrics:
        values = {model: one.value for model, one in found.values[name].items()}
        assert {values[form] for form in forms} == {known[name].value}
        assert values["other"] != known[name].value


def test_rows_apart_reports_weights_and_strata() -> None:
    true, prob = drawn(4, 100)
    names = ("ndcg", "mean_average_precision", "binary_cross_entropy", "micro_f1")
    apart = karat.compare(dict.fromkeys(prob, true), y_prob=prob, metrics=names)
    reports: Any = {name: karat.evaluate(true, y_prob=x) for name, x in prob.items()}
    assert [*karat.compare(reports, metrics=names)] == [*apart]
    errors = [reports[name]["ndcg"].standard_error for name in prob]
    assert apart["ndcg"].standard_error == pytest.approx(float(np.hypot(*errors)))
    paired = karat.compare(true, y_prob=prob, metrics=names)
    assert all(one.standard_error < apart[one.metric].standard_error for one in paired)
    # Three rows of one of weight 3, and each row as a cluster.
    w = np.arange(100) % 3 + 1
    often = karat.compare(true, y_prob=prob, metrics=names, weights=karat.Frequency(w))
    at = np.repeat(np.arange(100), w)
    again = karat.compare(true[at], y_prob={x: v[at] for x, v in prob.items()}, metrics=names)
    for one, other in zip(often, again, strict=True):
        assert (one.difference, one.standard_error) == pytest.approx(
            (other.difference, other.standard_error), rel=1e-6
        )
    pairs = np.repeat(true, 2, axis=0), {x: np.repeat(v, 2, axis=0) for x, v in prob.items()}
    clusters = np.repeat(np.arange(100), 2)
    by_pair = karat.compare(pairs[0], y_prob=pairs[1], metrics=names[:3], clusters=clusters)
    for one in by_pair:
        assert one.standard_error == pytest.approx(paired[one.metric].standard_error, rel=0.06)
    strata = karat.compare(true, y_prob=prob, label_strata={"tail": [3, 1]}).strata["tail"]
    some = karat.compare(true[:, [1, 3]], y_prob={x: v[:, [1, 3]] for x, v in prob.items()})
    assert [x.difference for x in strata] == [x.difference for x in some]


def test_thresholds_say_what_is_predicted() -> None:
    true, prob = drawn(5, 60)
    limits = [0.3, 0.4, 0.5, 0.6, 0.7]
    found = karat.compare(true, y_prob=prob, threshold={"a": 0.3, "b": limits}, metrics="micro_f1")
    pred = {"a": prob["a"] >= 0.3, "b": prob["b"] >= limits}
    assert [*found] == [*karat.compare(true, pred, metrics="micro_f1")]
    one = karat.compare(true, y_prob=prob, metrics="one_error")["one_error"]
    best = {name: true[np.arange(60), x.argmax(axis=1)] for name, x in prob.items()}
    assert (one.discordant.b, one.discordant.c) == (
        float((best["b"] > best["a"]).sum()),
        float((best["a"] > best["b"]).sum()),
    )
    every = karat.compare(true, y_prob=prob, metrics=["fmax", "macro_max_f_beta"])
    assert [x.low for x in every] == [None, None]
    assert every["fmax"].remark == "its threshold is chosen by the rows"


def test_labels_that_a_row_does_not_list() -> None:
    true, prob = drawn(6, 40)
    best = {n: np.argsort(-x, axis=1)[:, :3] for n, x in prob.items()}
    listed = {
        name: [{int(j): float(x[i, j]) for j in best[name][i]} for i in range(40)]
        for name, x in prob.items()
    }
    sets = [set(np.flatnonzero(row).tolist()) for row in true]
    names = ["samples_precision_at_3", "ndcg"]
    found = karat.compare(sets, y_prob=listed, labels=range(5), metrics=names)
    full = karat.compare(true, y_prob=prob, metrics=names)
    assert found[names[0]].difference == pytest.approx(full[names[0]].difference)
    assert found[names[0]].low == pytest.approx(full[names[0]].low)
    assert found["ndcg"].low is None
    assert found["ndcg"].remark == "only bounds of its value are known"
    with pytest.raises(KaratError, match="K224"):
        karat.compare(sets, y_prob=listed, labels=range(5), metrics="mean_average_precision")
    with pytest.raises(KaratError, match="K224"):
        found.per_label("roc_auc")


TRUE, PROB = drawn(7, 20)
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("K131", {"y_prob": {**PROB, "b": np.where(PROB["b"] > 0.5, np.nan, PROB["b"])}}),
    ("K132", {"y_prob": {**PROB, "b": 3.0 * PROB["b"]}}),
    ("K102", {"y_prob": {**PROB, "b": PROB["b"][:9]}}),
    ("K134", {"y_prob": {**PROB, "b": PROB["b"][:, :3]}}),
    ("K137", {"y_prob": {**PROB, "b": pd.DataFrame(PROB["b"], columns=list("vwxyz"))}}),
    ("K109", {"y_prob": {**PROB, "b": [{9: 0.5}] * 20}}),
    ("K196", {"y_prob": {**PROB, "b": [[(1, 0.5), (1, 0.6)]] * 20}}),
    ("K129", {"y_prob": PROB, "y_score": PROB}),
    ("K136", {"y_prob": PROB, "threshold": {"a": 0.5, "b": np.nan}}),
    ("K136", {"y_prob": PROB, "threshold": [0.5, 0.5]}),
    ("K136", {"y_pred": dict.fromkeys("ab", TRUE), "threshold": 0.5}),
    ("K140", {"y_pred": dict.fromkeys("ab", TRUE), "y_prob": PROB, "threshold": 0.5}),
    ("K140", {"y_pred": {"a": TRUE}, "y_prob": PROB, "threshold": {"a": 0.5}}),
    ("K163", {"y_prob": PROB, "threshold": {"c": 0.5}}),
    ("K166", {"y_pred": {"a": TRUE}, "y_prob": {"b": PROB["b"]}, "metrics": "ndcg"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "given"), REFUSED)
def test_what_cannot_be_compared(code: str, given: dict[str, Any]) -> None:
    with pytest.raises(KaratError) as caught:
        karat.compare(**{"y_true": TRUE, **given})
    assert caught.value.code == code
    bad = [name for name in ("K131", "K132", "K134") if name == code]
    assert not bad or "y_prob['b']" in str(caught.value)


def test_p_of_independent_averages_is_that_of_their_standard_errors() -> None:
    rng = np.random.default_rng(1)
    true = {name: rng.random((40, 10)) < 0.3 for name in "ab"}
    pred = {
        name: np.where(rng.random((40, 10)) < share, ~true[name], true[name])
        for name, share in (("a", 0.05), ("b", 0.3))
    }
    one = karat.compare(true, pred, metrics="macro_f1")["macro_f1"]
    z = abs(one.difference) / one.standard_error
    # Limits of labels with few rows never reach 0: p was that of 16 standard errors.
    assert z < 12.0
    assert one.p > 1e-30


def test_limits_of_few_rows_agree_with_p() -> None:
    held, n_samples = np.zeros(2), 60
    for seed in range(n_samples):
        rng = np.random.default_rng([12, seed])
        both = np.sqrt(0.3) * rng.normal(size=(25, 1)) + np.sqrt(0.7) * rng.normal(size=(25, 20))
        cut = np.where(np.arange(20) < 15, 1.04, 2.05)
        errors = rng.normal(size=(3, 25, 20)) * 0.6
        models = {x: both + errors[0] + errors[i + 1] > cut + 0.2 for i, x in enumerate("ab")}
        compared = karat.compare(
            both > cut, models, metrics="macro_recall", interval=karat.Interval(n_replicates=199)
        )
        one = compared["macro_recall"]
        assert (one.p < 0.05) == (one.low > 0.0 or one.high < 0.0)
        held += one.low <= 0.0 <= one.high, abs(one.difference) < 1.96 * one.standard_error
    assert held[0] >= 0.9 * n_samples
    # The control: standard errors alone.
    assert held[1] < 0.9 * n_samples


def test_one_true_row_of_a_label_varies_as_with_exponential_scores() -> None:
    """2·A² ÷ (1 + A) − A² (Hanley and McNeil 1982), of each label by the square of its part."""
    true, scores = np.zeros((12, 2), int), np.random.default_rng(1).normal(size=(12, 2))
    true[0, 0] = true[4, 1] = 1
    areas = [np.mean(s[t == 0] < s[t == 1]) for t, s in zip(true.T, scores.T, strict=True)]
    expected = sum(2.0 * area**2 / (1.0 + area) - area**2 for area in areas) / 4.0
    assert expected > 0.01
    report = karat.evaluate(true, y_score=scores)
    assert report.scored is not None
    rows = SetScoreIntervals(report.scored, Confidence(), compares=True)
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_weighted"):
        moves = rows.compared_moves(get(name), report[name].value)
        assert isinstance(moves, Moves)
        assert moves.growth == pytest.approx(expected)


@pytest.mark.parametrize("is_paired", [True, False])
def test_rows_that_all_count_nothing_define_no_difference(is_paired: bool) -> None:
    _, scores = drawn(0, 6)
    none = np.zeros((6, 5), int)
    true: Any = none if is_paired else {"a": none, "b": none}
    ndcg = karat.compare(
        true, y_prob=scores, metrics=["ndcg"], undefined="exclude", paired=is_paired
    )["ndcg"]
    assert np.isnan(ndcg.difference)
    assert ndcg.p is None
    assert "no label of a row is true, in 6 of 6 rows" in str(ndcg.remark)


def test_permutations_in_blocks_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    moved = [rng.normal(size=30), None, np.zeros(30), rng.normal(size=30)]
    spec = ComparisonSpec(0.95, "maxt", {}, ((0, 1),), seed=3, n_permutations=199)
    whole = set_scores._largest(moved, spec)
    assert whole is not None
    assert len(whole.draws) == 199
    # One replicate at a time where rows are more than a block holds.
    monkeypatch.setattr(set_scores, "_BLOCK", 20)
    apart = set_scores._largest(moved, spec)
    assert apart is not None
    assert apart.draws == pytest.approx(whole.draws)
    assert set_scores._largest([None, np.zeros(30)], spec) is None
