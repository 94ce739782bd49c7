"""Metrics of polarbearings, which are expressions of Polars."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import polarbearings
import polars as pl

import karat
from benchmarks.case import KARAT, POLARBEARINGS, Candidates, Case
from benchmarks.cases.data import two_classes
from benchmarks.cases.ranking import ROUNDED


def metric(n: int, ours: Callable[..., float], theirs: Callable[..., Any]) -> Candidates:
    y, s = two_classes(n)
    rows = pl.DataFrame({"y": y, "s": s})
    return {
        KARAT: lambda: ours(rows["y"], y_prob=rows["s"]),
        POLARBEARINGS: lambda: rows.select(theirs("y", "s")).item(),
    }


CASES = tuple(
    Case(
        f"{name} of Polars columns, n=1e6", partial(metric, 1_000_000, ours, theirs),
        within=ROUNDED, peer=POLARBEARINGS,
    )
    for name, ours, theirs in (
        ("ROC AUC", karat.roc_auc, polarbearings.roc_auc),
        ("average precision", karat.average_precision, polarbearings.average_precision),
        ("log-loss", karat.log_loss, polarbearings.log_loss),
        ("Brier score", karat.brier, polarbearings.brier_score),
    )
)  # fmt: skip
