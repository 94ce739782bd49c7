"""Rows with sets of labels beside scikit-learn: a hundred labels, five of them true in a row."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, PEER, Candidates, Case, Goal

N, K = 100_000, 100
AVERAGES = ("micro", "macro", "weighted", "samples")
ROUNDED = 1e-10


@cache
def rows() -> tuple[Any, Any, Any]:
    """True and predicted labels, and scores, [n, k] each: no row is without a label."""
    rng = np.random.default_rng(26)
    true = (rng.random((N, K)) < 0.05).astype(np.int64)
    true[np.arange(N), rng.integers(0, K, N)] = 1
    scores = rng.normal(size=(N, K)) + 2.0 * true
    pred = (scores > 1.5).astype(np.int64)
    pred[np.arange(N), scores.argmax(axis=1)] = 1
    return true, pred, scores


def averages_here() -> list[float]:
    """Precision, recall and F1 by each average, of one tally."""
    true, pred, _ = rows()
    names = [f"{average}_{rate}" for average in AVERAGES for rate in ("precision", "recall", "f1")]
    report = karat.evaluate(
        true, pred, metrics=names, level=None, reading=karat.Reading(n_threads=1)
    )
    return [report[name].value for name in names]


def averages_there() -> list[float]:
    true, pred, _ = rows()
    found: list[float] = []
    for average in AVERAGES:
        found += sklearn.precision_recall_fscore_support(true, pred, average=average)[:3]
    return found


def averages() -> Candidates:
    rows()
    return {KARAT: averages_here, PEER: averages_there}


def ranks(here: str, there: Any) -> Candidates:
    true, _, scores = rows()
    function = getattr(karat, here)
    return {
        KARAT: lambda: function(true, y_score=scores, n_threads=1),
        PEER: lambda: there(true, scores),
    }


def macro(here: str, there: Any) -> Candidates:
    true, _, scores = rows()
    function = getattr(karat, here)
    return {
        KARAT: lambda: function(true, y_score=scores, average="macro", n_threads=1),
        PEER: lambda: there(true, scores, average="macro"),
    }


CASES = (
    Case(
        "sets: precision, recall and F1 by four averages, n=1e5, K=100",
        averages,
        Goal(50),
        ROUNDED,
        rounds=3,
    ),
    Case(
        "sets: label ranking average precision, n=1e5, K=100",
        partial(
            ranks, "label_ranking_average_precision", sklearn.label_ranking_average_precision_score
        ),
        Goal(30),
        ROUNDED,
        rounds=2,
    ),
    Case(
        "sets: label ranking loss, n=1e5, K=100",
        partial(ranks, "label_ranking_loss", sklearn.label_ranking_loss),
        Goal(30),
        ROUNDED,
        rounds=2,
    ),
    Case(
        "sets: coverage error, n=1e5, K=100",
        partial(ranks, "coverage_error", sklearn.coverage_error),
        Goal(),
        ROUNDED,
        rounds=2,
    ),
    Case(
        "sets: nDCG, n=1e5, K=100",
        partial(ranks, "ndcg", sklearn.ndcg_score),
        Goal(),
        ROUNDED,
        rounds=2,
    ),
    Case(
        "sets: macro ROC AUC, n=1e5, K=100",
        partial(macro, "roc_auc", sklearn.roc_auc_score),
        Goal(),
        ROUNDED,
        rounds=2,
    ),
    Case(
        "sets: macro average precision, n=1e5, K=100",
        partial(macro, "average_precision", sklearn.average_precision_score),
        Goal(),
        ROUNDED,
        rounds=2,
    ),
)
