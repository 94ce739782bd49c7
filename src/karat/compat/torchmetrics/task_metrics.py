"""Metrics by task as classes: ``Accuracy(task=…)``."""

from __future__ import annotations

from karat.compat.torchmetrics import rate_metrics, score_metrics, table_metrics
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
    metric_of_task,
)

__all__ = [
    "AUROC",
    "Accuracy",
    "AveragePrecision",
    "CalibrationError",
    "CohenKappa",
    "ConfusionMatrix",
    "F1Score",
    "FBetaScore",
    "HingeLoss",
    "JaccardIndex",
    "MatthewsCorrCoef",
    "Precision",
    "Recall",
    "Specificity",
    "StatScores",
]

Accuracy = metric_of_task(rate_metrics, "Accuracy", RATE)
F1Score = metric_of_task(rate_metrics, "F1Score", {**RATE, **ZERO})
FBetaScore = metric_of_task(rate_metrics, "FBetaScore", {"beta": 1.0, **RATE, **ZERO})
Precision = metric_of_task(rate_metrics, "Precision", RATE)
Recall = metric_of_task(rate_metrics, "Recall", RATE)
Specificity = metric_of_task(rate_metrics, "Specificity", RATE)
StatScores = metric_of_task(rate_metrics, "StatScores", RATE)
ConfusionMatrix = metric_of_task(table_metrics, "ConfusionMatrix", CELLS)
CohenKappa = metric_of_task(table_metrics, "CohenKappa", KAPPA)
JaccardIndex = metric_of_task(table_metrics, "JaccardIndex", OVERLAP)
MatthewsCorrCoef = metric_of_task(table_metrics, "MatthewsCorrCoef", PLAIN)
AUROC = metric_of_task(score_metrics, "AUROC", AREA)
AveragePrecision = metric_of_task(score_metrics, "AveragePrecision", PRECISE)
CalibrationError = metric_of_task(score_metrics, "CalibrationError", ERROR)
HingeLoss = metric_of_task(score_metrics, "HingeLoss", LOSS)
