"""Metrics by task as functions: ``accuracy(preds, target, task=…)``."""

from __future__ import annotations

from karat.compat.torchmetrics import rate_functions, score_functions, table_functions, tasks

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

accuracy = tasks.function_of_task(rate_functions, "accuracy", tasks.RATE)
f1_score = tasks.function_of_task(rate_functions, "f1_score", {**tasks.RATE, **tasks.ZERO})
fbeta_score = tasks.function_of_task(
    rate_functions, "fbeta_score", {"beta": 1.0, **tasks.RATE, **tasks.ZERO}
)
precision = tasks.function_of_task(rate_functions, "precision", {**tasks.RATE, **tasks.ZERO})
recall = tasks.function_of_task(rate_functions, "recall", {**tasks.RATE, **tasks.ZERO})
specificity = tasks.function_of_task(rate_functions, "specificity", tasks.RATE)
stat_scores = tasks.function_of_task(rate_functions, "stat_scores", tasks.RATE)
confusion_matrix = tasks.function_of_task(table_functions, "confusion_matrix", tasks.CELLS)
cohen_kappa = tasks.function_of_task(table_functions, "cohen_kappa", tasks.KAPPA)
jaccard_index = tasks.function_of_task(
    table_functions, "jaccard_index", {**tasks.OVERLAP, "zero_division": 0.0}
)
matthews_corrcoef = tasks.function_of_task(table_functions, "matthews_corrcoef", tasks.PLAIN)
auroc = tasks.function_of_task(score_functions, "auroc", tasks.AREA)
average_precision = tasks.function_of_task(score_functions, "average_precision", tasks.PRECISE)
calibration_error = tasks.function_of_task(score_functions, "calibration_error", tasks.ERROR)
hinge_loss = tasks.function_of_task(score_functions, "hinge_loss", tasks.LOSS)
