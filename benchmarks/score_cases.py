"""Cases of probabilities and scores, with the floor and the stretch that karat holds itself to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import metrics as sklearn

import karat
from benchmarks.case import CATBOOST, KARAT, PEER, Case, Goal

Floats = npt.NDArray[Any]
Candidates = Mapping[str, Callable[[], object]]

SEED = 0
MILLION = 1_000_000
ROUNDED = 1e-10
"""The same sum in another order, of a million terms."""


def two_classes(n: int, dtype: Any) -> tuple[Floats, Floats]:
    """Labels with one row in five positive, and scores that mostly rank them higher."""
    rng = np.random.default_rng(SEED)
    y = (rng.random(n) < 0.2).astype(np.int64)
    s = 1.0 / (1.0 + np.exp(-rng.normal(size=n) - y))
    return y, s.astype(dtype)


def many_classes(n: int, k: int, dtype: Any = np.float64) -> tuple[Floats, Floats]:
    """Labels of k classes and probabilities in C order, whose rows add up to 1."""
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1.0
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    return y, p.astype(dtype)


def log_loss(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k)
    return {
        KARAT: lambda: karat.log_loss(y, y_prob=p),
        PEER: lambda: sklearn.log_loss(y, p),
    }


def roc_auc(n: int, dtype: Any) -> Candidates:
    y, s = two_classes(n, dtype)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s),
        PEER: lambda: sklearn.roc_auc_score(y, s),
    }


def weighted_roc_auc(n: int, dtype: Any) -> Candidates:
    y, s = two_classes(n, dtype)
    weights = np.random.default_rng(SEED + 1).random(n)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s, weights=weights),
        PEER: lambda: sklearn.roc_auc_score(y, s, sample_weight=weights),
    }


def average_precision(n: int, dtype: Any) -> Candidates:
    y, s = two_classes(n, dtype)
    return {
        KARAT: lambda: karat.average_precision(y, y_score=s),
        PEER: lambda: sklearn.average_precision_score(y, s),
    }


def one_vs_rest(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k)
    return {
        KARAT: lambda: karat.roc_auc_ovr_macro(y, y_prob=p),
        PEER: lambda: sklearn.roc_auc_score(y, p, multi_class="ovr"),
    }


def one_vs_one(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k)
    return {
        KARAT: lambda: karat.roc_auc_ovo_macro(y, y_prob=p),
        PEER: lambda: sklearn.roc_auc_score(y, p, multi_class="ovo"),
    }


def auc_mu(n: int, k: int) -> Candidates:
    from catboost.utils import eval_metric

    y, p = many_classes(n, k, np.float32)
    z = np.log(p).astype(np.float64)
    return {
        KARAT: lambda: karat.roc_auc_mu(y, y_score=z),
        CATBOOST: lambda: eval_metric(y, z, "AUC:type=Mu", thread_count=1)[0],
    }


def catboost_metric(n: int, k: int, metric: str) -> Candidates:
    from catboost.utils import eval_metric

    from karat.compat import catboost

    y, p = many_classes(n, k, np.float32)
    z = np.log(p).astype(np.float64)
    return {
        KARAT: lambda: catboost.eval_metric(y, z, metric, thread_count=1),
        CATBOOST: lambda: eval_metric(y, z, metric, thread_count=1),
    }


CATBOOST_CASES = tuple(
    Case(
        f"CatBoost's {metric}, float64, n=1e6, K=10",
        partial(catboost_metric, MILLION, 10, metric),
        Goal(floor),
        ROUNDED,
        rounds=3,
        peer=CATBOOST,
    )
    for metric, floor in (
        ("MultiClass", 2),
        ("TotalF1:average=Macro", 2),
        ("AUC:type=OneVsAll", 3),
        ("PRAUC", 1),
    )
)

SCORE_CASES = (
    Case(
        "log-loss, float64, n=1e6, K=10",
        lambda: log_loss(MILLION, 10),
        Goal(16, 25),
        within=ROUNDED,
    ),
    Case("log-loss, float64, n=2e6, K=3", lambda: log_loss(2 * MILLION, 3), Goal(12, 18), ROUNDED),
    Case("log-loss, float64, n=2e5, K=100", lambda: log_loss(200_000, 100), Goal(25, 39), ROUNDED),
    Case("ROC AUC, float64, n=1e6", lambda: roc_auc(MILLION, np.float64), Goal(22, 36), ROUNDED),
    Case("ROC AUC, float32, n=1e6", lambda: roc_auc(MILLION, np.float32), Goal(30, 47), ROUNDED),
    Case("ROC AUC, float64, n=1e4", lambda: roc_auc(10_000, np.float64), Goal(40, 65), ROUNDED),
    Case(
        "weighted ROC AUC, float32, n=1e6",
        lambda: weighted_roc_auc(MILLION, np.float32),
        Goal(11, 17),
        ROUNDED,
    ),
    Case(
        "weighted ROC AUC, float64, n=1e6",
        lambda: weighted_roc_auc(MILLION, np.float64),
        Goal(8, 20),
        ROUNDED,
    ),
    Case(
        "average precision, float64, n=1e6",
        lambda: average_precision(MILLION, np.float64),
        Goal(12, 20),
        ROUNDED,
    ),
    Case(
        "ROC AUC one-vs-rest, float64, n=1e6, K=10",
        lambda: one_vs_rest(MILLION, 10),
        Goal(20, 35),
        ROUNDED,
        rounds=3,
    ),
    Case(
        "ROC AUC one-vs-one, float64, n=1e6, K=10",
        lambda: one_vs_one(MILLION, 10),
        Goal(35, 64),
        ROUNDED,
        rounds=3,
    ),
    Case(
        "AUC-mu, float64, n=1e6, K=10",
        lambda: auc_mu(MILLION, 10),
        Goal(3, 5),
        ROUNDED,
        rounds=3,
        peer=CATBOOST,
    ),
    Case("small: ROC AUC, n=1000", lambda: roc_auc(1000, np.float64), Goal(60, 120), ROUNDED),
    Case("small: log-loss, n=1000, K=10", lambda: log_loss(1000, 10), Goal(60, 120), ROUNDED),
    *CATBOOST_CASES,
)
