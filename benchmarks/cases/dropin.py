"""The drop-in for scikit-learn beside karat's own functions and beside scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, NATIVE, PEER, Candidates, Case, Goal
from benchmarks.cases.data import SEED, labels, text_labels
from benchmarks.cases.labels import ROUNDED
from karat.compat import sklearn as compat

LONG = Goal(floor=0.8)
SMALL = Goal(floor=0.34)


def accuracy(n: int) -> Candidates:
    y_true, y_pred = labels(n, 10)
    return {
        KARAT: lambda: compat.accuracy_score(y_true, y_pred),
        NATIVE: lambda: karat.accuracy(y_true, y_pred),
        PEER: lambda: sklearn.accuracy_score(y_true, y_pred),
    }


def macro_f1(n: int) -> Candidates:
    y_true, y_pred = labels(n, 10)
    return {
        KARAT: lambda: compat.f1_score(y_true, y_pred, average="macro"),
        NATIVE: lambda: karat.f1(y_true, y_pred, average="macro"),
        PEER: lambda: sklearn.f1_score(y_true, y_pred, average="macro"),
    }


def confusion(n: int) -> Candidates:
    y_true, y_pred = labels(n, 10)
    return {
        KARAT: lambda: compat.confusion_matrix(y_true, y_pred),
        NATIVE: lambda: karat.confusion_matrix(y_true, y_pred),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred),
    }


def text_confusion(n: int) -> Candidates:
    y_true, y_pred = text_labels(n, 10, object)
    return {
        KARAT: lambda: compat.confusion_matrix(y_true, y_pred),
        NATIVE: lambda: karat.confusion_matrix(y_true, y_pred),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred),
    }


def log_loss(n: int) -> Candidates:
    y_true, _ = labels(n, 10)
    y_prob = np.random.default_rng(SEED).dirichlet(np.ones(10), n)
    return {
        KARAT: lambda: compat.log_loss(y_true, y_prob),
        NATIVE: lambda: karat.log_loss(y_true, y_prob=y_prob),
        PEER: lambda: sklearn.log_loss(y_true, y_prob),
    }


def roc_auc(n: int) -> Candidates:
    y_true, _ = labels(n, 2)
    y_score = np.random.default_rng(SEED).random(n)
    return {
        KARAT: lambda: compat.roc_auc_score(y_true, y_score),
        NATIVE: lambda: karat.roc_auc(y_true, y_score=y_score),
        PEER: lambda: sklearn.roc_auc_score(y_true, y_score),
    }


def roc_auc_ovr(n: int) -> Candidates:
    y_true, _ = labels(n, 10)
    y_prob = np.random.default_rng(SEED).dirichlet(np.ones(10), n)
    return {
        KARAT: lambda: compat.roc_auc_score(y_true, y_prob, multi_class="ovr"),
        NATIVE: lambda: karat.roc_auc_ovr_macro(y_true, y_prob=y_prob),
        PEER: lambda: sklearn.roc_auc_score(y_true, y_prob, multi_class="ovr"),
    }


def _cases(name: str, make: Callable[[int], Candidates], longest: int = 1_000_000) -> list[Case]:
    return [
        Case(
            f"drop-in: {name}, n={n:.0e}".replace("e+0", "e"),
            partial(make, n),
            SMALL if n < 100_000 else LONG,
            within=ROUNDED,
            rounds=3 if n > 100_000 else 7,
            peer=NATIVE,
        )
        for n in (1000, 100_000, 1_000_000)
        if n <= longest
    ]


CASES = (
    *_cases("accuracy", accuracy),
    *_cases("macro F1", macro_f1),
    *_cases("confusion", confusion),
    *_cases("confusion of text objects", text_confusion, 100_000),
    *_cases("log-loss, K=10", log_loss),
    *_cases("ROC AUC", roc_auc),
    *_cases("ROC AUC ovr, K=10", roc_auc_ovr, 100_000),
)
