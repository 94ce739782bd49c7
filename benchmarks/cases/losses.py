"""Losses of probabilities beside scikit-learn: one pass over the matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, LIMIT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import many_classes
from benchmarks.limits import read_once

MILLION = 1_000_000
ROUNDED = 1e-10
"""The same sum in another order, of a million terms."""


def log_loss(n: int, k: int, dtype: Any = np.float64) -> Candidates:
    y, p = many_classes(n, k, dtype)
    return {
        KARAT: lambda: karat.log_loss(y, y_prob=p),
        PEER: lambda: sklearn.log_loss(y, p),
        LIMIT: read_once(y, p),
    }


def brier_score(n: int, k: int) -> Candidates:
    y, p = many_classes(n, k)
    return {
        KARAT: lambda: karat.brier_score(y, y_prob=p),
        PEER: lambda: sklearn.brier_score_loss(y, p, labels=range(k)),
        LIMIT: read_once(y, p),
    }


CASES = (
    *(
        Case(
            f"log-loss, float64, n={n:.0e}, K={k}".replace("e+0", "e"),
            partial(log_loss, n, k),
            goal,
            ROUNDED,
            rounds,
        )
        for n, k, goal, rounds in (
            (2 * MILLION, 3, Goal(12, 18), 7),
            (MILLION, 10, Goal(16, 25), 7),
            (200_000, 100, Goal(25, 39), 7),
            (20_000, 1000, Goal(20, 31), 7),
            (100_000, 1000, Goal(20, 31), 2),
        )
    ),
    Case("Brier score, float64, n=1e6, K=10", partial(brier_score, MILLION, 10), Goal(), ROUNDED),
)
