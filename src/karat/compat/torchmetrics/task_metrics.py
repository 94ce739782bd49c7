"""Metrics by task as classes: ``Accuracy(task=…)``."""

from __future__ import annotations

from karat.compat.torchmetrics import rate_metrics, score_metrics, table_metrics, tasks

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

Accuracy = tasks.metric_of_task(rate_metrics, "Accuracy", tasks.RATE)
F1Score = tasks.metric_of_task(rate_metrics, "F1Score", {**tasks.RATE, **tasks.ZERO})
FBetaScore = tasks.metric_of_task(
    rate_metrics, "FBetaScore", {"beta": 1.0, **tasks.RATE, **tasks.ZERO}
)
Precision = tasks.metric_of_task(rate_metrics, "Precision", tasks.RATE)
Recall = tasks.metric_of_task(rate_metrics, "Recall", tasks.RATE)
Specificity = tasks.metric_of_task(rate_metrics, "Specificity", tasks.RATE)
StatScores = tasks.metric_of_task(rate_metrics, "StatScores", tasks.RATE)
ConfusionMatrix = tasks.metric_of_task(table_metrics, "ConfusionMatrix", tasks.CELLS)
CohenKappa = tasks.metric_of_task(table_metrics, "CohenKappa", tasks.KAPPA)
JaccardIndex = tasks.metric_of_task(table_metrics, "JaccardIndex", tasks.OVERLAP)
MatthewsCorrCoef = tasks.metric_of_task(table_metrics, "MatthewsCorrCoef", tasks.PLAIN)
AUROC = tasks.metric_of_task(score_metrics, "AUROC", tasks.AREA)
AveragePrecision = tasks.metric_of_task(score_metrics, "AveragePrecision", tasks.PRECISE)
CalibrationError = tasks.metric_of_task(score_metrics, "CalibrationError", tasks.ERROR)
HingeLoss = tasks.metric_of_task(score_metrics, "HingeLoss", tasks.LOSS)
