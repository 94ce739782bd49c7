"""The names of the drop-in in one list, from which every import path takes its own."""

from __future__ import annotations

from typing import Final

__all__ = ["CLASSES", "FUNCTIONS", "MEASURES", "home_of"]

MEASURES: Final = {
    "accuracy": "Accuracy",
    "auroc": "AUROC",
    "average_precision": "AveragePrecision",
    "calibration_error": "CalibrationError",
    "cohen_kappa": "CohenKappa",
    "confusion_matrix": "ConfusionMatrix",
    "f1_score": "F1Score",
    "fbeta_score": "FBetaScore",
    "hinge_loss": "HingeLoss",
    "jaccard_index": "JaccardIndex",
    "matthews_corrcoef": "MatthewsCorrCoef",
    "precision": "Precision",
    "recall": "Recall",
    "specificity": "Specificity",
    "stat_scores": "StatScores",
}
"""A function without its task → its class without its task."""

FUNCTIONS: Final = tuple(
    f"{task}{name}" for name in MEASURES for task in ("", "binary_", "multiclass_")
)
CLASSES: Final = tuple(
    f"{task}{name}" for name in MEASURES.values() for task in ("", "Binary", "Multiclass")
)


def home_of(name: str) -> str | None:
    """The module of the drop-in that has a name, or that is called so; None: there is none."""
    if name in ("classification", "functional"):
        return name
    if name == "MetricCollection":
        return "collections"
    if name == "Metric":
        return "metric"
    if name in CLASSES:
        return "classification"
    return "functional" if name in FUNCTIONS else None
