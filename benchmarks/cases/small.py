"""Calls on a hundred and on a thousand rows, as a training loop and a notebook make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import BINCOUNT, KARAT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import labels, many_classes, two_classes
from benchmarks.cases.labels import ROUNDED

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


def of_labels(n: int, ours: Call, theirs: Call) -> Candidates:
    y_true, y_pred = labels(n, 10)
    return {KARAT: lambda: ours(y_true, y_pred), PEER: lambda: theirs(y_true, y_pred)}


def confusion(n: int) -> Candidates:
    y_true, y_pred = labels(n, 10)
    return {
        KARAT: lambda: karat.confusion_matrix(y_true, y_pred),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred),
        BINCOUNT: lambda: np.bincount(y_true * 10 + y_pred, minlength=100).reshape(10, 10),
    }


def roc_auc(n: int) -> Candidates:
    y, s = two_classes(n)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s),
        PEER: lambda: sklearn.roc_auc_score(y, s),
    }


def log_loss(n: int) -> Candidates:
    y, p = many_classes(n, 10)
    return {
        KARAT: lambda: karat.log_loss(y, y_prob=p),
        PEER: lambda: sklearn.log_loss(y, p),
    }


def two_class_log_loss(n: int) -> Candidates:
    y, p = two_classes(n)
    return {
        KARAT: lambda: karat.log_loss(y, y_prob=p),
        PEER: lambda: sklearn.log_loss(y, p),
    }


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
        name: (lambda n, ours=ours, theirs=theirs: of_labels(n, ours, theirs), goal)  # type: ignore[misc]
        for name, (ours, theirs, goal) in OF_LABELS.items()
    },
    "confusion": (confusion, Goal(80, 150, most_us=7)),
    "ROC AUC": (roc_auc, OF_SCORES),
    "log-loss, K=10": (log_loss, OF_SCORES),
    "log-loss, K=2": (two_class_log_loss, OF_SCORES),
    "report of labels": (report, Goal()),
    "report of probabilities": (score_report, Goal()),
}

CASES = tuple(
    Case(f"small: {name}, n={n}", lambda make=make, n=n: make(n), goal, ROUNDED)  # type: ignore[misc]
    for n in (1000, 100)
    for name, (make, goal) in MAKERS.items()
)
