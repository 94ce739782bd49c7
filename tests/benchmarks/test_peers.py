"""The cases beside each other peer compare equal answers, on few rows; a wrong one is seen."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from benchmarks.case import (
    CATBOOST,
    INTELEX,
    KARAT,
    PYCM,
    REPORTS,
    TORCH,
    TORCHMETRICS,
    Candidates,
    disagreement_of,
)
from tests.optional import optional

optional("sklearn")

F32, F64 = np.float32, np.float64
MAKERS: dict[str, tuple[str, str, str, Callable[[Any], Candidates], float]] = {
    **{
        f"CatBoost {metric}": (
            CATBOOST, "catboost", "catboost_calls",
            lambda cases, metric=metric: cases.metric_of(2000, 5, metric), 1e-10,
        )
        for metric in ("MultiClass", "TotalF1:average=Macro", "AUC:type=OneVsAll", "PRAUC")
    },
    "CatBoost AUC": (CATBOOST, "catboost", "catboost_calls", lambda c: c.roc_auc(2000), 1e-10),
    "CatBoost AUC-mu": (CATBOOST, "catboost", "catboost_calls", lambda c: c.auc_mu(500, 4), 1e-10),
    "CatBoost accuracy": (CATBOOST, "catboost", "catboost_calls", lambda c: c.accuracy(99), 1e-10),
    "intelex": (INTELEX, "sklearnex", "intelex_calls", lambda c: c.roc_auc(2000, F64), 1e-10),
    "intelex f32": (INTELEX, "sklearnex", "intelex_calls", lambda c: c.roc_auc(2000, F32), 1e-10),
    "comparisons": (
        REPORTS, "sklearn", "comparisons", lambda c: c.beside_one_report(300, 3), 0.0,
    ),
    "PyCM": (PYCM, "pycm", "pycm_calls", lambda c: c.report(500, 5), 1e-12),
    "torch f64": (TORCH, "torch", "torch_losses", lambda c: c.cross_entropy(999, 5, F64), 1e-10),
    "torch f32": (TORCH, "torch", "torch_losses", lambda c: c.cross_entropy(999, 5, F32), 2e-5),
    "torch F": (TORCH, "torch", "torch_losses", lambda c: c.cross_entropy(99, 5, F64, "F"), 1e-10),
    "torch counts": (TORCH, "torch", "torch_losses", lambda c: c.confusion(999, 5), 0.0),
    "torchmetrics F1": (
        TORCHMETRICS, "torchmetrics", "torchmetrics_calls", lambda c: c.macro_f1(999, 5), 2e-6,
    ),
    "torchmetrics confusion": (
        TORCHMETRICS, "torchmetrics", "torchmetrics_calls", lambda c: c.confusion(999, 5), 0.0,
    ),
    "torchmetrics AUC": (
        TORCHMETRICS, "torchmetrics", "torchmetrics_calls", lambda c: c.roc_auc(999), 1e-4,
    ),
    "torchmetrics AUC of classes": (
        TORCHMETRICS, "torchmetrics", "torchmetrics_calls",
        lambda c: c.roc_auc_of_classes(999, 5), 1e-4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_both_sides_give_the_same_answer(name: str) -> None:
    peer, package, module, make, within = MAKERS[name]
    optional(package)
    made = dict(make(import_module(f"benchmarks.cases.{module}")))
    assert disagreement_of(made, within, peer) is None
    honest = made[KARAT]
    made[KARAT] = lambda: np.asarray(honest()) * 1.001
    assert disagreement_of(made, within, peer) is not None
