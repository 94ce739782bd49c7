"""CatBoost's `eval_metric` beside the drop-in for it, and its area beside karat's own."""

from __future__ import annotations

from functools import partial

import numpy as np
from catboost.utils import eval_metric

import karat
from benchmarks.case import CATBOOST, KARAT, LIMIT, Candidates, Case, Goal
from benchmarks.cases.data import labels, many_classes, two_classes
from benchmarks.limits import sort_once
from karat.compat import catboost

MILLION = 1_000_000
ROUNDED = 1e-10


def metric_of(n: int, k: int, metric: str) -> Candidates:
    y, p = many_classes(n, k, np.float32)
    z = np.log(p).astype(np.float64)
    return {
        KARAT: lambda: catboost.eval_metric(y, z, metric, thread_count=1),
        CATBOOST: lambda: eval_metric(y, z, metric, thread_count=1),
    }


def auc_mu(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k, np.float32)
    z = np.log(p).astype(np.float64)
    return {
        KARAT: lambda: karat.roc_auc_mu(y, y_score=z),
        CATBOOST: lambda: eval_metric(y, z, "AUC:type=Mu", thread_count=1)[0],
    }


def roc_auc(n: int) -> Candidates:
    y, s = two_classes(n)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s),
        CATBOOST: lambda: eval_metric(y, s, "AUC", thread_count=1)[0],
        LIMIT: sort_once(s),
    }


def accuracy(n: int) -> Candidates:
    y_true, y_pred = labels(n, 2)
    raw = np.where(y_pred == 1, 1.0, -1.0)
    return {
        KARAT: lambda: karat.accuracy(y_true, y_pred),
        CATBOOST: lambda: eval_metric(y_true, raw, "Accuracy", thread_count=1)[0],
    }


CASES = (
    Case("ROC AUC, float64, n=1e6", partial(roc_auc, MILLION), Goal(18, 28), ROUNDED, 5, CATBOOST),
    Case(
        "AUC-mu, float64, n=1e6, K=10", partial(auc_mu, MILLION, 10), Goal(3, 5), ROUNDED, 3,
        CATBOOST,
    ),
    Case("small: accuracy, n=1000", partial(accuracy, 1000), Goal(), ROUNDED, peer=CATBOOST),
    *(
        Case(
            f"eval_metric {metric}, float64, n=1e6, K=10",
            partial(metric_of, MILLION, 10, metric),
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
    ),
)  # fmt: skip
