"""Metrics by task as functions: ``accuracy(preds, target, task=…)``."""

from __future__ import annotations

from karat.compat.torchmetrics import rate_functions, score_functions, table_functions
from karat.compat.torchmetrics.tasks import (
    AREA,
    CELLS,
    ERROR,
    KAPPA,
    LOSS,
    OVERLAP,
    PLAIN,
    PRECISE,
    RATE,
    ZERO,
    function_of_task,
)

__all__ = [
    "accuracy",
    "auroc",
    "average_precision",
    "calibration_error",
    "cohen_kappa",
    "confusion_matrix",
    "f1_score",
    "fbeta_score",
    "hinge_loss",
    "jaccard_index",
    "matthews_corrcoef",
    "precision",
    "recall",
    "specificity",
    "stat_scores",
]

accuracy = function_of_task(rate_functions, "accuracy", RATE)
f1_score = function_of_task(rate_functions, "f1_score", {**RATE, **ZERO})
fbeta_score = function_of_task(rate_functions, "fbeta_score", {"beta": 1.0, **RATE, **ZERO})
precision = function_of_task(rate_functions, "precision", {**RATE, **ZERO})
recall = function_of_task(rate_functions, "recall", {**RATE, **ZERO})
specificity = function_of_task(rate_functions, "specificity", RATE)
stat_scores = function_of_task(rate_functions, "stat_scores", RATE)
confusion_matrix = function_of_task(table_functions, "confusion_matrix", CELLS)
cohen_kappa = function_of_task(table_functions, "cohen_kappa", KAPPA)
jaccard_index = function_of_task(
    table_functions, "jaccard_index", {**OVERLAP, "zero_division": 0.0}
)
matthews_corrcoef = function_of_task(table_functions, "matthews_corrcoef", PLAIN)
auroc = function_of_task(score_functions, "auroc", AREA)
average_precision = function_of_task(score_functions, "average_precision", PRECISE)
calibration_error = function_of_task(score_functions, "calibration_error", ERROR)
hinge_loss = function_of_task(score_functions, "hinge_loss", LOSS)
