"""Calls on a hundred and on a thousand rows, as a training loop and a notebook make them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import labels, many_classes, two_classes
from benchmarks.cases.labels import ROUNDED, confusion
from benchmarks.cases.losses import log_loss
from benchmarks.cases.ranking import roc_auc

Call = Callable[..., Any]

OF_LABELS: dict[str, tuple[Call, Call, Goal]] = {
    "accuracy": (karat.accuracy, sklearn.accuracy_score, Goal(50, 150, most_us=6)),
    "macro precision": (
        lambda y, p: karat.precision(y, p, average="macro"),
        lambda y, p: sklearn.precision_score(y, p, average="macro"),
        Goal(120, 150, most_us=9),
    ),
    "macro recall": (
        lambda y, p: karat.recall(y, p, average="macro"),
        lambda y, p: sklearn.recall_score(y, p, average="macro"),
        Goal(120, 150, most_us=9),
    ),
    "macro F1": (
        lambda y, p: karat.f1(y, p, average="macro"),
        lambda y, p: sklearn.f1_score(y, p, average="macro"),
        Goal(120, 150, most_us=9),
    ),
    "Matthews correlation": (
        karat.matthews_correlation,
        sklearn.matthews_corrcoef,
        Goal(120, 150, most_us=10),
    ),
    "Cohen's kappa": (karat.cohen_kappa, sklearn.cohen_kappa_score, Goal(50, 150, most_us=10)),
}


def of_labels(ours: Call, theirs: Call, n: int) -> Candidates:
    y_true, y_pred = labels(n, 10)
    return {KARAT: lambda: ours(y_true, y_pred), PEER: lambda: theirs(y_true, y_pred)}


def two_class_log_loss(n: int) -> Candidates:
    y, p = two_classes(n)
    return {KARAT: lambda: karat.log_loss(y, y_prob=p), PEER: lambda: sklearn.log_loss(y, p)}


def report(n: int) -> Candidates:
    """A report of labels with three numbers of it, beside the three functions."""
    y_true, y_pred = labels(n, 10)
    names = ["accuracy", "macro_f1", "matthews_correlation"]

    def ours() -> object:
        made = karat.evaluate(y_true, y_pred, level=None)
        return [made[name].value for name in names]

    def theirs() -> object:
        return [
            sklearn.accuracy_score(y_true, y_pred),
            sklearn.f1_score(y_true, y_pred, average="macro"),
            sklearn.matthews_corrcoef(y_true, y_pred),
        ]

    return {KARAT: ours, PEER: theirs}


def score_report(n: int) -> Candidates:
    """A report of probabilities with four numbers of it, beside the four functions."""
    y, p = many_classes(n, 10)
    names = ["accuracy", "macro_f1", "log_loss", "roc_auc_ovr_macro"]

    def ours() -> object:
        made = karat.evaluate(y, y_prob=p, level=None)
        return [made[name].value for name in names]

    def theirs() -> object:
        guess = p.argmax(axis=1)
        return [
            sklearn.accuracy_score(y, guess),
            sklearn.f1_score(y, guess, average="macro"),
            sklearn.log_loss(y, p),
            sklearn.roc_auc_score(y, p, multi_class="ovr"),
        ]

    return {KARAT: ours, PEER: theirs}


OF_SCORES = Goal(60, 120, most_us=20)

MAKERS: dict[str, tuple[Callable[[int], Candidates], Goal]] = {
    **{
        name: (partial(of_labels, ours, theirs), goal)
        for name, (ours, theirs, goal) in OF_LABELS.items()
    },
    "confusion": (lambda n: confusion(n, 10), Goal(80, 150, most_us=7)),
    "ROC AUC": (lambda n: roc_auc(n, np.float64), OF_SCORES),
    "log-loss, K=10": (lambda n: log_loss(n, 10), OF_SCORES),
    "log-loss, K=2": (two_class_log_loss, OF_SCORES),
    "report of labels": (report, Goal()),
    "report of probabilities": (score_report, Goal()),
}

CASES = tuple(
    Case(f"small: {name}, n={n}", partial(make, n), goal, ROUNDED)
    for n in (1000, 100)
    for name, (make, goal) in MAKERS.items()
)
