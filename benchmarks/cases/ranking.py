"""Areas under curves beside scikit-learn: one sort of the scores of a class."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, LIMIT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import many_classes, two_classes, weights
from benchmarks.limits import sort_once

MILLION = 1_000_000
ROUNDED = 1e-10
"""The same sum in another order, of a million terms."""


def roc_auc(n: int, dtype: Any) -> Candidates:
    y, s = two_classes(n, dtype)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s),
        PEER: lambda: sklearn.roc_auc_score(y, s),
        LIMIT: sort_once(s),
    }


def weighted_roc_auc(n: int, dtype: Any) -> Candidates:
    y, s = two_classes(n, dtype)
    w = weights(n)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s, weights=w),
        PEER: lambda: sklearn.roc_auc_score(y, s, sample_weight=w),
        LIMIT: sort_once(s),
    }


def average_precision(n: int, dtype: Any) -> Candidates:
    y, s = two_classes(n, dtype)
    return {
        KARAT: lambda: karat.average_precision(y, y_score=s),
        PEER: lambda: sklearn.average_precision_score(y, s),
        LIMIT: sort_once(s),
    }


def one_vs_rest(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k)
    return {
        KARAT: lambda: karat.roc_auc_ovr_macro(y, y_prob=p),
        PEER: lambda: sklearn.roc_auc_score(y, p, multi_class="ovr"),
        LIMIT: sort_once(np.ascontiguousarray(p[:, 0]), k),
    }


def one_vs_one(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k)
    return {
        KARAT: lambda: karat.roc_auc_ovo_macro(y, y_prob=p),
        PEER: lambda: sklearn.roc_auc_score(y, p, multi_class="ovo"),
        LIMIT: sort_once(np.ascontiguousarray(p[:, 0]), k),
    }


F64, F32 = np.float64, np.float32

CASES = (
    Case("ROC AUC, float64, n=1e4", partial(roc_auc, 10_000, F64), Goal(40, 65), ROUNDED),
    Case("ROC AUC, float64, n=1e6", partial(roc_auc, MILLION, F64), Goal(22, 36), ROUNDED),
    Case("ROC AUC, float32, n=1e6", partial(roc_auc, MILLION, F32), Goal(30, 47), ROUNDED),
    Case("ROC AUC, float64, n=1e7", partial(roc_auc, 10 * MILLION, F64), Goal(40, 64), ROUNDED, 2),
    Case(
        "weighted ROC AUC, float32, n=1e6",
        partial(weighted_roc_auc, MILLION, F32),
        Goal(11, 17),
        ROUNDED,
    ),
    Case(
        "weighted ROC AUC, float64, n=1e6",
        partial(weighted_roc_auc, MILLION, F64),
        Goal(8, 20),
        ROUNDED,
    ),
    Case(
        "average precision, float64, n=1e6",
        partial(average_precision, MILLION, F64),
        Goal(12, 20),
        ROUNDED,
    ),
    Case(
        "average precision, float32, n=1e6",
        partial(average_precision, MILLION, F32),
        Goal(12, 20),
        ROUNDED,
    ),
    Case(
        "ROC AUC one-vs-rest, float64, n=1e6, K=10",
        partial(one_vs_rest, MILLION, 10),
        Goal(20, 35),
        ROUNDED,
        rounds=3,
    ),
    Case(
        "ROC AUC one-vs-one, float64, n=1e6, K=10",
        partial(one_vs_one, MILLION, 10),
        Goal(35, 64),
        ROUNDED,
        rounds=3,
    ),
    Case(
        "ROC AUC one-vs-rest, float64, n=1e5, K=100",
        partial(one_vs_rest, 100_000, 100),
        Goal(),
        ROUNDED,
        rounds=2,
    ),
    Case(
        "ROC AUC one-vs-one, float64, n=1e5, K=100",
        partial(one_vs_one, 100_000, 100),
        Goal(60, 100),
        ROUNDED,
        rounds=1,
    ),
)
