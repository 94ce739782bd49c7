"""scors, which ranks in Rust and has an option for sorted scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import scors

import karat
from benchmarks.case import KARAT, LIMIT, SCORS, Candidates, Case, Goal
from benchmarks.cases.data import two_classes
from benchmarks.cases.ranking import ROUNDED
from benchmarks.limits import sort_once


def metric(n: int, ours: Callable[..., float], theirs: Callable[..., float]) -> Candidates:
    y, s = two_classes(n)
    is_own = y.astype(bool)
    return {
        KARAT: lambda: ours(is_own, y_score=s),
        SCORS: lambda: theirs(is_own, s),
        LIMIT: sort_once(s),
    }


def roc_auc_of_sorted(n: int) -> Candidates:
    """karat without an option: it detects the order."""
    y, s = two_classes(n)
    order = np.argsort(-s)
    is_own, s = y[order].astype(bool), s[order]
    return {
        KARAT: lambda: karat.roc_auc(is_own, y_score=s),
        SCORS: lambda: scors.roc_auc(is_own, s, order=scors.Order.DESCENDING),
    }


_N = 1_000_000
CASES = (
    Case(
        "ROC AUC, float64, n=1e6", partial(metric, _N, karat.roc_auc, scors.roc_auc),
        within=ROUNDED, peer=SCORS,
    ),
    Case(
        "ROC AUC of sorted scores, float64, n=1e6", partial(roc_auc_of_sorted, _N), Goal(1, 2),
        ROUNDED, peer=SCORS,
    ),
    Case(
        "average precision, float64, n=1e6",
        partial(metric, _N, karat.average_precision, scors.average_precision),
        within=ROUNDED, peer=SCORS,
    ),
)  # fmt: skip
