"""Metrics of the scores of sets: reference values, scikit-learn's on random rows, every form."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn import metrics as sklearn

import karat
from karat.errors import InputError, UndefinedWarning
from karat.metrics._registry import records_of_sets
from karat.tally.score_kind import ARGUMENTS
from tests.six_rows import KNOWN, PRED, SCORES, TRUE, WEIGHTS

PROPENSITY: dict[str, Any] = {"label_counts": [50, 20, 5, 1], "n_train": 100}


def quiet(name: str, true: Any = TRUE, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        if "y_prob" not in options and "y_score" not in options:
            options["y_score"] = SCORES
        return getattr(karat, name)(true, **options)


@pytest.mark.parametrize(
    ("name", "every", "with_labels", "weighted"),
    [
        ("label_ranking_average_precision", 0.875, 0.8125, 0.908333),
        ("coverage_error", 1.666667, 2.5, 1.9),
        ("label_ranking_loss", 0.166667, 0.25, 0.166667),
        ("ndcg", 0.591533, 0.887300, 0.651667),
        ("samples_average_precision", 0.541667, 0.8125, 0.608333),
        ("samples_roc_auc", 0.833333, 0.833333, 0.857143),
        ("lwlrap", 0.869048, 0.869048, 0.898810),
    ],
)
def test_ranks_of_six_rows(name: str, every: float, with_labels: float, weighted: float) -> None:
    assert quiet(name) == pytest.approx(every, abs=1e-6)
    assert quiet(name, undefined="exclude") == pytest.approx(with_labels, abs=1e-6)
    assert quiet(name, weights=WEIGHTS) == pytest.approx(weighted, abs=1e-6)
    # The control: the scores the other way round.
    assert quiet(name, y_score=-SCORES) != pytest.approx(every, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "options", "values"),
    [
        ("ndcg", {}, (0.5, 0.552577, 0.574691)),
        ("ndcg", {"undefined": "exclude"}, (0.75, 0.828866, 0.862036)),
        ("samples_precision_at_k", {}, (0.5, 0.458333, 0.361111)),
        ("samples_precision_at_k", {"ties": "order"}, (0.5, 0.5, 0.388889)),
        ("samples_recall_at_k", {"undefined": "exclude"}, (0.458333, 0.791667, 0.958333)),
        (
            "samples_recall_at_k",
            {"undefined": "exclude", "ties": "order"},
            (0.458333, 0.916667, 1.0),
        ),
        ("propensity_scored_precision_at_k", PROPENSITY, (0.421639, 0.881442, 0.942957)),
        (
            "propensity_scored_ndcg_at_k",
            PROPENSITY | {"ties": "order"},
            (0.421639, 0.798340, 0.816520),
        ),
    ],
)
def test_the_best_labels_of_six_rows(
    name: str, options: dict[str, Any], values: tuple[float, ...]
) -> None:
    for k, value in enumerate(values, 1):
        assert quiet(name, k=k, **options) == pytest.approx(value, abs=1e-6)


def test_probabilities_of_six_rows() -> None:
    given: dict[str, Any] = {"y_prob": SCORES}
    assert quiet("binary_cross_entropy", **given) == pytest.approx(0.439876, abs=1e-6)
    assert quiet("binary_cross_entropy_of_a_row", **given) == pytest.approx(1.759504, abs=1e-6)
    assert quiet("log_loss", **given) == quiet("binary_cross_entropy", **given)
    assert quiet("multilabel_brier", **given) == pytest.approx(0.142083, abs=1e-6)
    assert quiet("multilabel_brier_of_a_row", **given) == pytest.approx(0.568333, abs=1e-6)
    assert quiet("brier", **given) == quiet("multilabel_brier", **given)
    found = quiet("binary_cross_entropy", weights=WEIGHTS, **given)
    assert found == pytest.approx(0.462584, abs=1e-6)
    certain = np.where(SCORES > 0.5, 1.0, 0.0)
    assert quiet("binary_cross_entropy", y_prob=certain) == np.inf
    assert quiet("binary_cross_entropy", y_prob=certain, eps=0.25) < 1.0


def test_curves_of_labels_of_six_rows() -> None:
    for name, values in {
        "roc_auc": (0.861345, 0.84375, 0.821429, 0.833333),
        "average_precision": (0.710606, 0.8, 0.771429, 0.541667),
    }.items():
        for average, value in zip(("micro", "macro", "weighted", "samples"), values, strict=True):
            assert quiet(name, average=average) == pytest.approx(value, abs=1e-6)
    each = quiet("average_precision", average=None)
    assert each == pytest.approx([1, 0.833333, 0.366667, 1], abs=1e-6)
    assert quiet("roc_auc", average=None).tolist() == [1.0, 0.875, 0.5, 1.0]
    weighted = {"roc_auc": (0.859890, 0.799375, 0.833929)}
    weighted["average_precision"] = (0.729220, 0.759226, 0.825680)
    for name, parts in weighted.items():
        for average, value in zip(("micro", "macro", "weighted"), parts, strict=True):
            found = quiet(name, average=average, weights=WEIGHTS)
            assert found == pytest.approx(value, abs=1e-6)
    best = quiet("max_f_beta", average=None)
    assert best == pytest.approx([1, 0.8, 0.571429, 1], abs=1e-6)
    assert quiet("f_beta_threshold", average=None).tolist() == [0.7, 0.4, 0.3, 0.6]
    # One threshold for all labels.
    assert quiet("max_f_beta", average="micro") == pytest.approx(0.666667, abs=1e-6)
    assert quiet("f_beta_threshold", average="micro") == 0.4
    assert quiet("fmax") == pytest.approx(0.753247, abs=1e-6)
    assert quiet("d_prime", np.eye(2), y_score=np.eye(2)) == np.inf
    assert quiet("d_prime") == pytest.approx(1.428342, abs=1e-6)


def test_labels_that_are_infinitely_far_to_both_sides_have_no_mean() -> None:
    true, scores = np.array([[1, 1], [0, 0]]), np.array([[0.9, 0.1], [0.1, 0.9]])
    report = karat.evaluate(true, y_prob=scores, metrics=["mean_d_prime", "d_prime"])
    assert np.isnan(report["mean_d_prime"].value)
    assert "has no mean" in str(report["mean_d_prime"].undefined)
    assert report["d_prime"].value == 0.0
    json.loads(report.to_json(), parse_constant=pytest.fail)


def test_unknown_cells_count_nowhere() -> None:
    true = np.where(KNOWN, TRUE, np.nan)
    for name, (every, defined) in {
        "label_ranking_average_precision": (0.866667, 0.833333),
        "coverage_error": (1.6, 2.0),
        "label_ranking_loss": (0.133333, 0.166667),
    }.items():
        assert quiet(name, true) == pytest.approx(every, abs=1e-6)
        assert quiet(name, true, undefined="exclude") == pytest.approx(defined, abs=1e-6)
    for name in ("roc_auc", "average_precision"):
        found = quiet(name, true, average=None)
        assert found == pytest.approx([1, 1, 0.416667, 1], abs=1e-6)
    # Cases that other libraries have wrong.
    one = np.array([[1, 0, 0, np.nan]])
    assert karat.coverage_error(one, y_score=[[0.9, 0.2, 0.4, 0.1]]) == 1.0
    assert karat.label_ranking_loss(one, y_score=[[0.5, 0.9, 0.4, 0.1]]) == 0.5
    two = np.array([[1, 0, np.nan, np.nan]])
    assert karat.label_ranking_loss(two, y_score=[[0.5, 0.9, 0.4, 0.1]]) == 1.0


def test_labels_of_which_nothing_is_known_have_no_value() -> None:
    report = karat.evaluate(np.where([1, 0, 0, 0], np.nan, TRUE), y_prob=SCORES)
    assert report.per_class[0]["roc_auc"] is None
    assert report["roc_auc_ovr_macro"].value == pytest.approx((0.875 + 0.5 + 1) / 3)
    nothing = karat.evaluate(np.full((6, 4), np.nan), y_prob=SCORES)
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_micro", "ndcg", "binary_cross_entropy"):
        assert np.isnan(nothing[name].value)
        assert nothing[name].low is None


@pytest.mark.parametrize(
    ("true", "scores", "wanted"),
    [
        ([1, 1, 1], [0.3, 0.2, 0.1], (3, 1, 0, 1)),
        ([0, 0, 0], [0.3, 0.2, 0.1], (0, 1, 0, 0)),
        ([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], (4, 0.25, 1, 0.640402)),
        ([1, 1, 0, 0], [0.9, 0.9, 0.2, 0.1], (2, 1, 0, 1)),
        ([1, 0, 0], [0.5, 0.5, 0.1], (2, 0.5, 0.5, 0.815465)),
    ],
)
def test_edge_rows(true: list[int], scores: list[float], wanted: tuple[float, ...]) -> None:
    names = ("coverage_error", "label_ranking_average_precision", "label_ranking_loss", "ndcg")
    found = [quiet(name, np.array([true]), y_score=[scores]) for name in names]
    assert found == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng([261, seed])
    n, k = int(rng.integers(2, 60)), int(rng.integers(2, 150 if seed % 4 == 0 else 9))
    true = (rng.random((n, k)) < rng.random()).astype(int)
    # Few different scores, so that many tie.
    scores = rng.integers(0, 4, (n, k)) / 4 if seed % 2 else rng.random((n, k))
    if seed % 3 == 0:
        scores = np.asfortranarray(scores.astype(np.float32))
    w = rng.integers(1, 5, n).astype(float) if seed % 2 else None
    for here, there in (
        ("coverage_error", sklearn.coverage_error),
        ("label_ranking_average_precision", sklearn.label_ranking_average_precision_score),
        ("label_ranking_loss", sklearn.label_ranking_loss),
        ("ndcg", sklearn.ndcg_score),
    ):
        value = quiet(here, true, y_score=scores, weights=w)
        assert value == pytest.approx(there(true, scores, sample_weight=w), rel=1e-12)
        # The control: one row more.
        if n > 2:
            less = there(true[1:], scores[1:], sample_weight=None if w is None else w[1:])
            other = quiet(here, true, y_score=scores, weights=w)
            assert other == value
            assert less != pytest.approx(value, rel=1e-12) or true[0].sum() in (0, k)
    at = int(rng.integers(1, k + 1))
    for ties in ("expected", "order"):
        there = sklearn.ndcg_score(true, scores, k=at, ignore_ties=False, sample_weight=w)
        if ties == "expected":
            assert quiet("ndcg", true, y_score=scores, k=at, weights=w) == pytest.approx(there)
    kept = (true.sum(0) > 0) & (true.sum(0) < n)
    if kept.sum() > 1:
        some, of_some = true[:, kept], scores[:, kept]
        for average in ("macro", "micro", "weighted"):
            for here, there in (
                ("roc_auc", sklearn.roc_auc_score),
                ("average_precision", sklearn.average_precision_score),
            ):
                wanted = there(some, of_some, average=average, sample_weight=w)
                found = quiet(here, some, y_score=of_some, average=average, weights=w)
                assert found == pytest.approx(wanted, rel=1e-9)


def test_golden_cases_hold() -> None:
    records = [record for record in records_of_sets() if record.is_of_label_scores]
    assert len(records) >= 19
    n_moved = 0
    for record in records:
        for golden in record.cases:
            given = ARGUMENTS[golden.kind]
            options = {given: np.array(golden.scores), **golden.params}
            found = quiet(record.name, np.array(golden.y_true), **options)
            assert found == pytest.approx(golden.value, rel=1e-7), record.name
            other = {given: 1.0 - np.array(golden.scores), **golden.params}
            moved = quiet(record.name, np.array(golden.y_true), **other)
            n_moved += moved != pytest.approx(golden.value, rel=1e-7)
    # The control: the scores the other way round.
    assert n_moved >= 12


def test_every_form_gives_the_same() -> None:
    wanted = karat.evaluate(TRUE, y_prob=SCORES, labels=list("abcd"))
    names = np.array(list("abcd"))
    sets = [set(names[row == 1].tolist()) for row in TRUE]
    moved = pd.DataFrame(SCORES, columns=[f"proba_{name}" for name in "abcd"]).iloc[:, [2, 0, 3, 1]]
    listed = [dict(zip("abcd", row, strict=True)) for row in SCORES.tolist()]
    pairs = [list(row.items())[::-1] for row in listed]
    for true, scores in (
        (sets, SCORES),
        (pd.DataFrame(TRUE, columns=list("abcd")), moved),
        (sets, moved),
    ):
        report = karat.evaluate(y_true=true, y_prob=scores)
        assert {name: report[name].value for name in report} == pytest.approx(
            {name: wanted[name].value for name in wanted}, nan_ok=True
        )
    for scores in (scipy.sparse.csr_matrix(SCORES), listed, pairs):
        report = karat.evaluate(sets, y_prob=scores, labels=list("abcd"))
        for name in ("label_ranking_loss", "ndcg", "samples_f1", "micro_f1"):
            assert report[name].value == pytest.approx(wanted[name].value)
    # The control: columns that are not moved to their labels.
    other = karat.evaluate(sets, y_prob=moved.to_numpy())
    assert other["roc_auc_ovr_macro"].value != wanted["roc_auc_ovr_macro"].value


def test_what_is_predicted_follows_from_the_threshold() -> None:
    def predicted(**options: Any) -> list[list[int]]:
        return karat.evaluate(TRUE, **options).encoded.pred.matrix(4).astype(int).tolist()

    assert predicted(y_prob=SCORES) == PRED.tolist()
    assert predicted(y_prob=SCORES, threshold=0.5) == (SCORES >= 0.5).astype(int).tolist()
    each = [0.9, 0.1, 0.3, 0.3]
    assert predicted(y_prob=SCORES, threshold=each) == (each <= SCORES).astype(int).tolist()
    assert predicted(y_score=SCORES - 0.5, threshold=0) == (SCORES >= 0.5).astype(int).tolist()
    # Scores without a threshold predict nothing.
    assert not karat.evaluate(TRUE, y_score=SCORES - 0.5).has_predictions
    given = karat.evaluate(TRUE, PRED[::-1], y_prob=SCORES)
    assert given.encoded.pred.matrix(4).astype(int).tolist() == PRED[::-1].tolist()
    assert given["roc_auc_ovr_macro"].value == pytest.approx(0.84375)


def test_listed_scores_are_known_within_limits() -> None:
    sets, every = [{0}, {1, 2}], {"labels": [0, 1, 2, 3]}
    listed = [{0: 0.9, 1: 0.8}, {1: 0.7, 3: 0.9}]
    report = karat.evaluate(sets, y_score=listed, **every)
    # Of the second row label 2 stands third at best, and last at worst.
    ends = [(1 + (1 / 2 + 2 / place) / 2) / 2 for place in (4, 3)]
    found = report["label_ranking_average_precision"]
    assert found.bound == pytest.approx(tuple(ends))
    assert not found.exact
    assert report["samples_precision_at_k(k=2)"].value == pytest.approx((0.5 + 0.5) / 2)
    assert report["samples_precision_at_k(k=2)"].exact
    with pytest.raises(InputError, match=r"between\s+0\.75 and 0\.791667"):
        karat.label_ranking_average_precision(sets, y_score=listed, **every)
    with pytest.raises(InputError, match="K224"):
        karat.binary_cross_entropy(sets, y_prob=listed, **every)


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("K134", lambda: karat.evaluate(TRUE, y_prob=SCORES[:, :3])),
        ("K131", lambda: karat.evaluate(TRUE, y_prob=np.where(SCORES > 0.8, np.nan, SCORES))),
        ("K132", lambda: karat.evaluate(TRUE, y_prob=2 * SCORES)),
        ("K102", lambda: karat.evaluate(TRUE, y_score=SCORES[:4])),
        ("K140", lambda: karat.evaluate(TRUE, PRED, y_prob=SCORES, threshold=0.3)),
        ("K136", lambda: karat.evaluate(TRUE, y_prob=SCORES, threshold=[0.3, 0.2])),
        ("K136", lambda: karat.evaluate(TRUE, y_prob=SCORES, threshold=1.5)),
        ("K136", lambda: karat.evaluate(TRUE, PRED, threshold=0.5)),
        ("K109", lambda: karat.evaluate([{"a"}, {"b"}], y_score=[{"a": 1, "b": 2}, {"c": 3}])),
        ("K196", lambda: karat.evaluate([{"a"}, {"b"}], y_score=[[("a", 1), ("a", 2)], []])),
        ("K132", lambda: karat.evaluate([{"a"}, {"b"}], y_prob=[{"a": 1}, {"b": 2}])),
        ("K131", lambda: karat.evaluate([{"a"}, {"b"}], y_score=[{"a": np.inf}, {"b": 2}])),
        ("K130", lambda: karat.evaluate([{"a"}, {"b"}], y_score=[{"a": 1}, 2])),
        ("K137", lambda: karat.evaluate(TRUE, y_prob=pd.DataFrame(SCORES, columns=list("wxyz")))),
        ("K129", lambda: karat.evaluate(TRUE, y_prob=SCORES, y_score=SCORES)),
        ("K210", lambda: karat.evaluate(TRUE, PRED)["ndcg"]),
        ("K221", lambda: karat.evaluate([0, 1], [0, 1], metrics=["ndcg"])),
        ("K221", lambda: karat.ndcg([0, 1], y_score=[0.5, 0.5])),
        ("K122", lambda: karat.max_f_beta([0, 1], y_score=[0.1, 0.2], average="micro")),
        ("K221", lambda: karat.roc_auc([0, 1], y_score=[0.1, 0.2], average="samples")),
        ("K219", lambda: karat.roc_auc_ovo_macro(TRUE, y_score=SCORES)),
        ("K302", lambda: karat.roc_auc(TRUE, y_score=SCORES, average="samples", max_fpr=0.5)),
        ("K302", lambda: quiet("propensity_scored_precision_at_k")),
        ("K302", lambda: quiet("propensity_scored_precision_at_k", propensities=[0.5] * 3)),
        ("K302", lambda: quiet("propensity_scored_precision_at_k", propensities=[0, 1, 1, 1])),
        ("K302", lambda: quiet("propensity_scored_ndcg_at_k", propensities=[1] * 4, n_train=9)),
        ("K302", lambda: quiet("propensity_scored_ndcg_at_k", label_counts=[1] * 4)),
        (
            "K302",
            lambda: quiet(
                "propensity_scored_recall_at_k", label_counts=TRUE.sum(axis=0), n_train=6
            ),
        ),
    ],
)  # fmt: skip
def test_bad_input_is_an_error(code: str, call: Any) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code
