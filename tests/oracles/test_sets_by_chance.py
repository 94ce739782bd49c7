"""20,000 random calls on sets of labels, beside scikit-learn, torchmetrics and CatBoost."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from catboost.utils import eval_metric
from sklearn import metrics as sklearn
from torchmetrics.functional import classification as tm

import karat

N_CHUNKS, N_CALLS = 53, 400
AVERAGES = ("micro", "macro", "weighted", "samples", None)
RATES = ("precision", "recall", "f1", "jaccard")


class Problem:
    """Random rows: true and predicted labels, probabilities that tie often, weights or none."""

    def __init__(self, rng: np.random.Generator) -> None:
        n, k = int(rng.integers(1, 25)), int(rng.integers(2, 7))
        shape = n, k
        self.rng, self.n, self.k = rng, n, k
        self.true = (rng.random(shape) < rng.choice([0.1, 0.4, 0.9])).astype(int)
        self.prob = rng.random(shape)
        if rng.random() < 0.5:
            self.prob = rng.integers(1, 5, shape) / 5
        if rng.random() < 0.2:
            self.prob = self.prob.astype(np.float32)
        self.pred = (self.prob > 0.5).astype(int)
        self.w = rng.integers(1, 5, n).astype(float) if rng.random() < 0.4 else None
        self.both = np.ptp(self.true, axis=0) > 0

    def form(self, matrix: np.ndarray) -> Any:
        """The same labels in one of the forms."""
        form = self.rng.integers(0, 4)
        if form == 1:
            return scipy.sparse.csr_matrix(matrix)
        if form == 2:
            return matrix.astype(bool)
        if form == 3:
            return [set(np.flatnonzero(row).tolist()) for row in matrix]
        return matrix

    def labels(self) -> tuple[dict[str, Any], Any, Any]:
        """Truth and prediction in one form, and how their labels are called."""
        state = self.rng.bit_generator.state
        true = self.form(self.true)
        self.rng.bit_generator.state = state
        return {"labels": list(range(self.k))}, true, self.form(self.pred)


Call = Callable[[Problem], "tuple[Any, Any] | None"]


def rate_of_scikit_learn(p: Problem) -> tuple[Any, Any]:
    rate, average = RATES[p.rng.integers(4)], AVERAGES[p.rng.integers(5)]
    options, true, pred = p.labels()
    there = getattr(sklearn, f"{rate}_score")
    wanted = there(p.true, p.pred, average=average, sample_weight=p.w, zero_division=0)
    return getattr(karat, rate)(true, pred, average=average, weights=p.w, **options), wanted


def f_beta_without_undefined(p: Problem) -> tuple[Any, Any]:
    beta, average = float(p.rng.choice([0.5, 2.0])), AVERAGES[p.rng.integers(4)]
    options, true, pred = p.labels()
    wanted = sklearn.fbeta_score(
        p.true, p.pred, beta=beta, average=average, zero_division=np.nan, sample_weight=p.w
    )
    options |= {"undefined": "exclude", "weights": p.w}
    found = karat.f_beta(true, pred, beta=beta, average=average, **options)
    # Where nothing defines it scikit-learn's weighted average is 0.
    return found, np.nan if np.isnan(found) and average == "weighted" else wanted


def rows_of_scikit_learn(p: Problem) -> tuple[Any, Any]:
    options, true, pred = p.labels()
    if p.rng.random() < 0.5:
        wanted = sklearn.accuracy_score(p.true, p.pred, sample_weight=p.w)
        return karat.subset_accuracy(true, pred, weights=p.w, **options), wanted
    wanted = sklearn.hamming_loss(p.true, p.pred, sample_weight=p.w)
    return karat.hamming_loss(true, pred, weights=p.w, **options), wanted


def ranks_of_scikit_learn(p: Problem) -> tuple[Any, Any]:
    here, there = (
        ("coverage_error", sklearn.coverage_error),
        ("label_ranking_average_precision", sklearn.label_ranking_average_precision_score),
        ("label_ranking_loss", sklearn.label_ranking_loss),
        ("ndcg", sklearn.ndcg_score),
    )[p.rng.integers(4)]
    wanted = there(p.true, p.prob, sample_weight=p.w)
    return getattr(karat, here)(p.true, y_score=p.prob, weights=p.w), wanted


def places_of_scikit_learn(p: Problem) -> tuple[Any, Any]:
    k = int(p.rng.integers(1, p.k + 1))
    wanted = sklearn.ndcg_score(p.true, p.prob, k=k, sample_weight=p.w)
    return karat.ndcg(p.true, y_score=p.prob, k=k, weights=p.w), wanted


def areas_of_scikit_learn(p: Problem) -> tuple[Any, Any] | None:
    if p.both.sum() < 2:
        return None
    true, prob = p.true[:, p.both], p.prob[:, p.both]
    average = ("micro", "macro", "weighted", None)[p.rng.integers(4)]
    here, there = (
        ("roc_auc", sklearn.roc_auc_score),
        ("average_precision", sklearn.average_precision_score),
    )[p.rng.integers(2)]
    wanted = there(true, prob, average=average, sample_weight=p.w)
    return getattr(karat, here)(true, y_prob=prob, average=average, weights=p.w), wanted


def brier_of_scikit_learn(p: Problem) -> tuple[Any, Any]:
    # scikit-learn adds over the labels of a row.
    columns = range(p.k)
    wanted = sum(
        np.average((p.prob[:, j].astype(float) - p.true[:, j]) ** 2, weights=p.w) for j in columns
    )
    return karat.multilabel_brier_of_a_row(p.true, y_prob=p.prob, weights=p.w), wanted


def rate_of_torchmetrics(p: Problem) -> tuple[Any, Any]:
    here, there = (
        ("precision", tm.multilabel_precision),
        ("recall", tm.multilabel_recall),
        ("f1", tm.multilabel_f1_score),
        ("jaccard", tm.multilabel_jaccard_index),
        ("specificity", tm.multilabel_specificity),
    )[p.rng.integers(5)]
    average = ("micro", None)[p.rng.integers(2)]
    pred, true = torch.tensor(p.pred), torch.tensor(p.true)
    wanted = there(pred, true, num_labels=p.k, average=average or "none")
    found = getattr(karat, here)(p.true, p.pred, average=average)
    # What torchmetrics has none for is 0 there.
    return np.nan_to_num(found), wanted.numpy()


def match_of_torchmetrics(p: Problem) -> tuple[Any, Any]:
    pred, true = torch.tensor(p.pred), torch.tensor(p.true)
    if p.rng.random() < 0.5:
        wanted = tm.multilabel_exact_match(pred, true, num_labels=p.k)
        return karat.subset_accuracy(p.true, p.pred), float(wanted)
    wanted = tm.multilabel_hamming_distance(pred, true, num_labels=p.k, average="micro")
    return karat.hamming_loss(p.true, p.pred), float(wanted)


def ranks_of_torchmetrics(p: Problem) -> tuple[Any, Any]:
    prob, true = torch.tensor(p.prob, dtype=torch.float64), torch.tensor(p.true)
    here, there = (
        ("coverage_error", tm.multilabel_coverage_error),
        ("label_ranking_average_precision", tm.multilabel_ranking_average_precision),
    )[p.rng.integers(2)]
    # Its ranking loss breaks ties by the order of the labels.
    wanted = float(there(prob, true, num_labels=p.k))
    return getattr(karat, here)(p.true, y_score=p.prob), wanted


def areas_of_torchmetrics(p: Problem) -> tuple[Any, Any] | None:
    if not p.both.all():
        return None
    here, there = (
        ("roc_auc", tm.multilabel_auroc),
        ("average_precision", tm.multilabel_average_precision),
    )[p.rng.integers(2)]
    average = ("micro", "macro", "weighted", None)[p.rng.integers(4)]
    prob, true = torch.tensor(p.prob, dtype=torch.float64), torch.tensor(p.true)
    wanted = there(prob, true, num_labels=p.k, average=average or "none").numpy()
    return getattr(karat, here)(p.true, y_prob=p.prob, average=average), wanted


def losses_of_catboost(p: Problem) -> tuple[Any, Any]:
    raw = np.log(p.prob.astype(float)) - np.log1p(-p.prob.astype(float))
    (wanted,) = eval_metric(p.true, raw, "MultiLogloss", weight=p.w)
    return karat.binary_cross_entropy(p.true, y_logit=raw, weights=p.w), wanted


def labels_of_catboost(p: Problem) -> tuple[Any, Any]:
    raw = np.log(p.prob.astype(float)) - np.log1p(-p.prob.astype(float))
    name = ("HammingLoss", "Accuracy", "Precision", "Recall", "F1")[p.rng.integers(5)]
    text = name if name in ("HammingLoss", "Accuracy") else f"{name}:use_weights=true"
    wanted = eval_metric(p.true, raw, text, weight=p.w)
    pred = (raw > 0).astype(int)
    if name == "HammingLoss":
        return karat.hamming_loss(p.true, pred, weights=p.w), wanted[0]
    if name == "Accuracy":
        return karat.subset_accuracy(p.true, pred, weights=p.w), wanted[0]
    found = getattr(karat, name.lower())(p.true, pred, average=None, weights=p.w)
    # What a label does not define is 1 in CatBoost, and 0 here.
    predicted, is_true = pred.any(axis=0), p.true.any(axis=0)
    known = {"Precision": predicted, "Recall": is_true, "F1": predicted | is_true}[name]
    return found[known], np.asarray(wanted)[known]


CALLS: tuple[Call, ...] = (
    rate_of_scikit_learn,
    f_beta_without_undefined,
    rows_of_scikit_learn,
    ranks_of_scikit_learn,
    places_of_scikit_learn,
    areas_of_scikit_learn,
    brier_of_scikit_learn,
    rate_of_torchmetrics,
    match_of_torchmetrics,
    ranks_of_torchmetrics,
    areas_of_torchmetrics,
    losses_of_catboost,
    labels_of_catboost,
)


def differs(here: Any, there: Any) -> bool:
    return not np.allclose(here, there, rtol=2e-5, atol=2e-6, equal_nan=True)


@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_random_calls_give_the_numbers_of_others(chunk: int) -> None:
    compared, moved, found = 0, 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place in range(N_CALLS):
            rng = np.random.default_rng([2600, chunk, place])
            call = CALLS[place % len(CALLS)]
            pair = call(Problem(rng))
            if pair is None:
                continue
            compared += 1
            if differs(*pair):
                found.append((call.__name__, place, *pair))
            moved += differs(pair[0], np.asarray(pair[1]) + 1e-3)
    assert not found
    assert compared > 0.85 * N_CALLS
    # The control: numbers a thousandth away are told apart.
    assert moved > 0.85 * compared
