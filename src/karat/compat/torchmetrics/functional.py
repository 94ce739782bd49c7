"""Metrics as functions, with the names and arguments of `torchmetrics.functional`.

Each takes predictions and targets as tensors, returns a tensor where they lie, and accepts
``weights=``: a weight for each row, or for each item of target; Cohen's kappa, whose ``weights`` is
another thing, accepts ``row_weights=``.
"""

from karat.compat.torchmetrics.rate_functions import (
    binary_accuracy,
    binary_f1_score,
    binary_fbeta_score,
    binary_precision,
    binary_recall,
    binary_specificity,
    binary_stat_scores,
    multiclass_accuracy,
    multiclass_f1_score,
    multiclass_fbeta_score,
    multiclass_precision,
    multiclass_recall,
    multiclass_specificity,
    multiclass_stat_scores,
)
from karat.compat.torchmetrics.score_functions import (
    binary_auroc,
    binary_average_precision,
    binary_calibration_error,
    binary_hinge_loss,
    multiclass_auroc,
    multiclass_average_precision,
    multiclass_calibration_error,
    multiclass_hinge_loss,
)
from karat.compat.torchmetrics.table_functions import (
    binary_cohen_kappa,
    binary_confusion_matrix,
    binary_jaccard_index,
    binary_matthews_corrcoef,
    multiclass_cohen_kappa,
    multiclass_confusion_matrix,
    multiclass_jaccard_index,
    multiclass_matthews_corrcoef,
)

__all__ = [
    "binary_accuracy",
    "binary_auroc",
    "binary_average_precision",
    "binary_calibration_error",
    "binary_cohen_kappa",
    "binary_confusion_matrix",
    "binary_f1_score",
    "binary_fbeta_score",
    "binary_hinge_loss",
    "binary_jaccard_index",
    "binary_matthews_corrcoef",
    "binary_precision",
    "binary_recall",
    "binary_specificity",
    "binary_stat_scores",
    "multiclass_accuracy",
    "multiclass_auroc",
    "multiclass_average_precision",
    "multiclass_calibration_error",
    "multiclass_cohen_kappa",
    "multiclass_confusion_matrix",
    "multiclass_f1_score",
    "multiclass_fbeta_score",
    "multiclass_hinge_loss",
    "multiclass_jaccard_index",
    "multiclass_matthews_corrcoef",
    "multiclass_precision",
    "multiclass_recall",
    "multiclass_specificity",
    "multiclass_stat_scores",
]
