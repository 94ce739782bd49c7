"""Labels of many rows beside scikit-learn: counting, weights, many classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import BINCOUNT, KARAT, LIMIT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import labels, weights
from benchmarks.limits import read_once

ROUNDED = 1e-12
"""Floats of the same formula, summed in another order."""

MANY = Goal(70, 105)


def confusion(n: int, k: int, dtype: Any = np.int64) -> Candidates:
    y_true, y_pred = labels(n, k, dtype)
    return {
        KARAT: lambda: karat.confusion_matrix(y_true, y_pred),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred),
        BINCOUNT: lambda: np.bincount(
            y_true.astype(np.int64, copy=False) * k + y_pred, minlength=k * k
        ).reshape(k, k),
        LIMIT: read_once(y_true, y_pred),
    }


def weighted_confusion(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)
    w = weights(n)
    return {
        KARAT: lambda: karat.confusion_matrix(y_true, y_pred, weights=w),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred, sample_weight=w),
        BINCOUNT: lambda: np.bincount(y_true * k + y_pred, w, k * k).reshape(k, k),
        LIMIT: read_once(y_true, y_pred, w),
    }


def metric(
    n: int, k: int, ours: Callable[..., Any], theirs: Callable[..., Any], average: str | None = None
) -> Candidates:
    """A metric of labels by both, with an average where it has one."""
    y_true, y_pred = labels(n, k)
    given = {} if average is None else {"average": average}
    return {
        KARAT: lambda: ours(y_true, y_pred, **given),
        PEER: lambda: theirs(y_true, y_pred, **given),
        LIMIT: read_once(y_true, y_pred),
    }


def macro_f1(n: int, k: int) -> Candidates:
    return metric(n, k, karat.f1, sklearn.f1_score, "macro")


def everything(n: int, k: int) -> Candidates:
    """A whole report, and of it what scikit-learn's prints."""
    y_true, y_pred = labels(n, k)

    def ours() -> object:
        report = karat.evaluate(y_true, y_pred, level=None)
        names = ("precision", "recall", "f1")
        return [*(row[name] for row in report.per_class for name in names), report.accuracy.value]

    def theirs() -> object:
        told = sklearn.classification_report(y_true, y_pred, output_dict=True)
        rows = [told[str(j)] for j in range(k)]
        table = [row[name] for row in rows for name in ("precision", "recall", "f1-score")]
        return [*table, told["accuracy"]]

    return {KARAT: ours, PEER: theirs, LIMIT: read_once(y_true, y_pred)}


MILLION = 1_000_000

CASES = (
    Case("confusion, int64, n=1e5, K=100", partial(confusion, 100_000, 100), MANY),
    Case("confusion, int64, n=1e6, K=10", partial(confusion, MILLION, 10), MANY),
    Case("confusion, int64, n=1e7, K=2", partial(confusion, 10 * MILLION, 2), MANY),
    Case("confusion, int64, n=1e7, K=10", partial(confusion, 10 * MILLION, 10), MANY),
    Case("confusion, int64, n=1e7, K=100", partial(confusion, 10 * MILLION, 100), MANY, rounds=3),
    Case("confusion, int64, n=1e7, K=1000", partial(confusion, 10 * MILLION, 1000), Goal(45, 100)),
    Case("confusion, uint8, n=1e7, K=10", partial(confusion, 10 * MILLION, 10, np.uint8)),
    Case("confusion, int64, n=1e8, K=10", partial(confusion, 100 * MILLION, 10), MANY, rounds=1),
    Case(
        "weighted confusion, int64, n=1e6, K=10",
        partial(weighted_confusion, MILLION, 10),
        Goal(70, 110),
        ROUNDED,
    ),
    *(
        Case(
            f"{name}, int64, n=1e6, K=10",
            partial(metric, MILLION, 10, ours, theirs, average),
            MANY,
            ROUNDED,
        )
        for name, ours, theirs, average in (
            ("accuracy", karat.accuracy, sklearn.accuracy_score, None),
            ("macro precision", karat.precision, sklearn.precision_score, "macro"),
            ("macro recall", karat.recall, sklearn.recall_score, "macro"),
            ("macro F1", karat.f1, sklearn.f1_score, "macro"),
            ("Matthews correlation", karat.matthews_correlation, sklearn.matthews_corrcoef, None),
            ("Cohen's kappa", karat.cohen_kappa, sklearn.cohen_kappa_score, None),
        )
    ),
    *(
        Case(f"macro F1, int64, n=1e6, K={k}", partial(macro_f1, MILLION, k), Goal(), ROUNDED)
        for k in (1000, 10_000, 100_000)
    ),
    Case(
        "report beside classification_report, n=1e6, K=10",
        partial(everything, MILLION, 10),
        Goal(),
        ROUNDED,
    ),
)
