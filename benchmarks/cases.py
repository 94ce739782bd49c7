"""Every case of labels, with the floor and the stretch that karat holds itself to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import metrics as sklearn

import karat
from benchmarks.case import BINCOUNT, KARAT, PEER, Case, Goal

Labels = npt.NDArray[Any]
Candidates = Mapping[str, Callable[[], object]]

SHARE_RIGHT = 0.8
SEED = 0


def labels(n: int, k: int) -> tuple[Labels, Labels]:
    """True and predicted int64[n] labels of k classes, four in five right; all k occur."""
    rng = np.random.default_rng(SEED)
    y_true = rng.integers(0, k, n)
    y_true[:k] = np.arange(k)
    y_pred = np.where(rng.random(n) < SHARE_RIGHT, y_true, rng.integers(0, k, n))
    return y_true, y_pred


def confusion(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)
    return {
        KARAT: lambda: karat.confusion_matrix(y_true, y_pred),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred),
        BINCOUNT: lambda: np.bincount(y_true * k + y_pred, minlength=k * k).reshape(k, k),
    }


def weighted_confusion(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)
    weights = np.random.default_rng(SEED + 1).random(n)
    return {
        KARAT: lambda: karat.confusion_matrix(y_true, y_pred, weights=weights),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred, sample_weight=weights),
        BINCOUNT: lambda: np.bincount(y_true * k + y_pred, weights, k * k).reshape(k, k),
    }


def text_labels(n: int, k: int, dtype: Any) -> tuple[Labels, Labels]:
    """The same labels as text; each row has a string of its own, as a reader of a file makes."""
    y_true, y_pred = labels(n, k)
    names = np.array([f"class_{j:03d}" for j in range(k)])
    return names[y_true].astype(dtype), names[y_pred].astype(dtype)


def text_confusion(n: int, k: int, dtype: Any) -> Candidates:
    true_text, pred_text = text_labels(n, k, dtype)
    return {
        KARAT: lambda: karat.confusion_matrix(true_text, pred_text),
        PEER: lambda: sklearn.confusion_matrix(true_text, pred_text),
    }


def accuracy(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)
    return {
        KARAT: lambda: karat.accuracy(y_true, y_pred),
        PEER: lambda: sklearn.accuracy_score(y_true, y_pred),
    }


def macro_f1(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)
    return {
        KARAT: lambda: karat.f1(y_true, y_pred, average="macro"),
        PEER: lambda: sklearn.f1_score(y_true, y_pred, average="macro"),
    }


def matthews_correlation(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)
    return {
        KARAT: lambda: karat.matthews_correlation(y_true, y_pred),
        PEER: lambda: sklearn.matthews_corrcoef(y_true, y_pred),
    }


ROUNDED = 1e-12
"""Floats of the same formula, summed in another order."""

CASES = (
    Case("confusion, int64, n=1e5, K=100", lambda: confusion(100_000, 100), Goal(70, 105)),
    Case("confusion, int64, n=1e6, K=10", lambda: confusion(1_000_000, 10), Goal(70, 105)),
    Case("confusion, int64, n=1e7, K=10", lambda: confusion(10_000_000, 10), Goal(70, 105)),
    Case("confusion, int64, n=1e7, K=1000", lambda: confusion(10_000_000, 1000), Goal(45, 100)),
    Case(
        "weighted confusion, int64, n=1e6, K=10",
        lambda: weighted_confusion(1_000_000, 10),
        Goal(70, 110),
        within=ROUNDED,
    ),
    Case(
        "confusion, fixed-width strings, n=1e6, K=10",
        lambda: text_confusion(1_000_000, 10, np.str_),
        Goal(50, 80),
    ),
    Case(
        "confusion, object strings, n=1e6, K=10",
        lambda: text_confusion(1_000_000, 10, object),
        Goal(40, 100),
        rounds=3,
    ),
    Case(
        "macro F1, int64, n=1e6, K=10",
        lambda: macro_f1(1_000_000, 10),
        Goal(70, 105),
        within=ROUNDED,
    ),
    Case(
        "macro F1, int64, n=1e6, K=100 000",
        lambda: macro_f1(1_000_000, 100_000),
        within=ROUNDED,
    ),
    Case(
        "small: accuracy, n=1000, K=10",
        lambda: accuracy(1000, 10),
        Goal(50, 150, most_us=6),
        within=ROUNDED,
    ),
    Case(
        "small: confusion, n=1000, K=10",
        lambda: confusion(1000, 10),
        Goal(80, 150, most_us=7),
    ),
    Case(
        "small: macro F1, n=1000, K=10",
        lambda: macro_f1(1000, 10),
        Goal(120, 150, most_us=9),
        within=ROUNDED,
    ),
    Case(
        "small: Matthews correlation, n=1000, K=10",
        lambda: matthews_correlation(1000, 10),
        Goal(120, 150, most_us=10),
        within=ROUNDED,
    ),
)
