"""scors, which ranks in Rust and may be told that scores are sorted."""

from __future__ import annotations

from functools import partial

import numpy as np
import scors

import karat
from benchmarks.case import KARAT, LIMIT, SCORS, Candidates, Case, Goal
from benchmarks.cases.data import two_classes
from benchmarks.cases.ranking import ROUNDED
from benchmarks.limits import sort_once


def roc_auc(n: int) -> Candidates:
    y, s = two_classes(n)
    is_own = y.astype(bool)
    return {
        KARAT: lambda: karat.roc_auc(is_own, y_score=s),
        SCORS: lambda: scors.roc_auc(is_own, s),
        LIMIT: sort_once(s),
    }


def roc_auc_of_sorted(n: int) -> Candidates:
    """karat is not told, and finds out."""
    y, s = two_classes(n)
    order = np.argsort(-s)
    is_own, s = y[order].astype(bool), s[order]
    return {
        KARAT: lambda: karat.roc_auc(is_own, y_score=s),
        SCORS: lambda: scors.roc_auc(is_own, s, order=scors.Order.DESCENDING),
    }


def average_precision(n: int) -> Candidates:
    y, s = two_classes(n)
    is_own = y.astype(bool)
    return {
        KARAT: lambda: karat.average_precision(is_own, y_score=s),
        SCORS: lambda: scors.average_precision(is_own, s),
        LIMIT: sort_once(s),
    }


_N = 1_000_000
CASES = (
    Case("ROC AUC, float64, n=1e6", partial(roc_auc, _N), within=ROUNDED, peer=SCORS),
    Case(
        "ROC AUC of sorted scores, float64, n=1e6", partial(roc_auc_of_sorted, _N), Goal(1, 2),
        ROUNDED, peer=SCORS,
    ),
    Case(
        "average precision, float64, n=1e6", partial(average_precision, _N),
        within=ROUNDED, peer=SCORS,
    ),
)  # fmt: skip
