"""Drop-in for the classification metrics of torchmetrics 1.9, counted by karat.

One changed import line is enough:

    from karat.compat.torchmetrics import MetricCollection, MulticlassAccuracy
    from karat.compat.torchmetrics.functional import multiclass_accuracy

Names, arguments, shapes and values are torchmetrics'; what differs, and why, stands in
docs/torchmetrics.md. ``weights=`` gives rows their weights. Importing this package loads neither
torch nor torchmetrics; its names load torch when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from karat.compat.torchmetrics.collection import (
        MetricCollection,
    )
    from karat.compat.torchmetrics.metric import (
        Metric,
    )
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
    from karat.compat.torchmetrics.rate_metrics import (
        BinaryAccuracy,
        BinaryF1Score,
        BinaryFBetaScore,
        BinaryPrecision,
        BinaryRecall,
        BinarySpecificity,
        BinaryStatScores,
        MulticlassAccuracy,
        MulticlassF1Score,
        MulticlassFBetaScore,
        MulticlassPrecision,
        MulticlassRecall,
        MulticlassSpecificity,
        MulticlassStatScores,
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
    from karat.compat.torchmetrics.score_metrics import (
        BinaryAUROC,
        BinaryAveragePrecision,
        BinaryCalibrationError,
        BinaryHingeLoss,
        MulticlassAUROC,
        MulticlassAveragePrecision,
        MulticlassCalibrationError,
        MulticlassHingeLoss,
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
    from karat.compat.torchmetrics.table_metrics import (
        BinaryCohenKappa,
        BinaryConfusionMatrix,
        BinaryJaccardIndex,
        BinaryMatthewsCorrCoef,
        MulticlassCohenKappa,
        MulticlassConfusionMatrix,
        MulticlassJaccardIndex,
        MulticlassMatthewsCorrCoef,
    )
    from karat.compat.torchmetrics.tasks import (
        AUROC,
        Accuracy,
        AveragePrecision,
        CalibrationError,
        CohenKappa,
        ConfusionMatrix,
        F1Score,
        FBetaScore,
        HingeLoss,
        JaccardIndex,
        MatthewsCorrCoef,
        Precision,
        Recall,
        Specificity,
        StatScores,
        accuracy,
        auroc,
        average_precision,
        calibration_error,
        cohen_kappa,
        confusion_matrix,
        f1_score,
        fbeta_score,
        hinge_loss,
        jaccard_index,
        matthews_corrcoef,
        precision,
        recall,
        specificity,
        stat_scores,
    )

_MODULES: Final = ("classification", "functional")

__all__ = [
    "AUROC",
    "Accuracy",
    "AveragePrecision",
    "BinaryAUROC",
    "BinaryAccuracy",
    "BinaryAveragePrecision",
    "BinaryCalibrationError",
    "BinaryCohenKappa",
    "BinaryConfusionMatrix",
    "BinaryF1Score",
    "BinaryFBetaScore",
    "BinaryHingeLoss",
    "BinaryJaccardIndex",
    "BinaryMatthewsCorrCoef",
    "BinaryPrecision",
    "BinaryRecall",
    "BinarySpecificity",
    "BinaryStatScores",
    "CalibrationError",
    "CohenKappa",
    "ConfusionMatrix",
    "F1Score",
    "FBetaScore",
    "HingeLoss",
    "JaccardIndex",
    "MatthewsCorrCoef",
    "Metric",
    "MetricCollection",
    "MulticlassAUROC",
    "MulticlassAccuracy",
    "MulticlassAveragePrecision",
    "MulticlassCalibrationError",
    "MulticlassCohenKappa",
    "MulticlassConfusionMatrix",
    "MulticlassF1Score",
    "MulticlassFBetaScore",
    "MulticlassHingeLoss",
    "MulticlassJaccardIndex",
    "MulticlassMatthewsCorrCoef",
    "MulticlassPrecision",
    "MulticlassRecall",
    "MulticlassSpecificity",
    "MulticlassStatScores",
    "Precision",
    "Recall",
    "Specificity",
    "StatScores",
    "accuracy",
    "auroc",
    "average_precision",
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
    "calibration_error",
    "cohen_kappa",
    "confusion_matrix",
    "f1_score",
    "fbeta_score",
    "hinge_loss",
    "jaccard_index",
    "matthews_corrcoef",
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
    "precision",
    "recall",
    "specificity",
    "stat_scores",
]


def __getattr__(name: str) -> Any:
    """A public name, whose module is imported when it is first asked for.

    Errors:
        ImportError: torch is not installed.
    """
    if name not in __all__ and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "collection" if name == "MetricCollection" else _home(name)
    try:
        module = import_module(f"{__name__}.{home}")
    except ModuleNotFoundError as problem:
        if problem.name != "torch":
            raise
        raise ImportError(f"{name} works on tensors: pip install torch", name="torch") from problem
    found = module if name in _MODULES else getattr(module, name)
    globals()[name] = found
    return found


def _home(name: str) -> str:
    """The module of a name: functions are written small, and some names ask for a task."""
    if name in _MODULES:
        return name
    if not name.startswith(("binary_", "multiclass_", "Binary", "Multiclass", "Metric")):
        return "tasks"
    return "functional" if name[0].islower() else "classification"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
