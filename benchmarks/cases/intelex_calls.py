"""The area under the ROC curve of scikit-learn-intelex, the one metric that it replaces."""

from __future__ import annotations

from functools import partial

import daal4py
import numpy as np
from sklearnex.metrics import roc_auc_score

import karat
from benchmarks.case import INTELEX, KARAT, LIMIT, Candidates, Case, Goal
from benchmarks.cases.data import two_classes
from benchmarks.cases.ranking import ROUNDED
from benchmarks.limits import sort_once


def roc_auc(n: int, dtype: type) -> Candidates:
    daal4py.daalinit(1)
    y, s = two_classes(n, dtype)
    return {
        KARAT: lambda: karat.roc_auc(y, y_score=s),
        INTELEX: lambda: roc_auc_score(y, s),
        LIMIT: sort_once(s),
    }


CASES = tuple(
    Case(
        f"ROC AUC, {np.dtype(dtype).name}, n={n:.0e}".replace("e+0", "e"),
        partial(roc_auc, n, dtype),
        goal,
        ROUNDED,
        peer=INTELEX,
    )
    for n, dtype, goal in (
        (10_000, np.float64, Goal()),
        (1_000_000, np.float64, Goal(12, 20)),
        (1_000_000, np.float32, Goal()),
    )
)
