"""Metrics as classes. Written by `make stub`; do not edit."""

from typing import Any

from karat.compat.torchmetrics.metric import Metric

def Accuracy(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryAccuracy(Metric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassAccuracy(Metric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def AUROC(
    task: Any, thresholds: Any = None, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "macro", max_fpr: float | None = None,
    ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryAUROC(Metric):
    def __init__(
        self, max_fpr: float | None = None, thresholds: Any = None, ignore_index: int | None = None,
        validate_args: bool = True, normalization: str | None = "sigmoid", **kwargs: Any
    ) -> None: ...

class MulticlassAUROC(Metric):
    def __init__(
        self, num_classes: int, average: str | None = "macro", thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def AveragePrecision(
    task: Any, thresholds: Any = None, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "macro", ignore_index: int | None = None,
    validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryAveragePrecision(Metric):
    def __init__(
        self, thresholds: Any = None, ignore_index: int | None = None, validate_args: bool = True,
        normalization: str | None = "sigmoid", **kwargs: Any
    ) -> None: ...

class MulticlassAveragePrecision(Metric):
    def __init__(
        self, num_classes: int, average: str | None = "macro", thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def CalibrationError(
    task: Any, n_bins: int = 15, norm: str = "l1", num_classes: int | None = None,
    ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryCalibrationError(Metric):
    def __init__(
        self, n_bins: int = 15, norm: str = "l1", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassCalibrationError(Metric):
    def __init__(
        self, num_classes: int, n_bins: int = 15, norm: str = "l1", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def CohenKappa(
    task: Any, threshold: float = 0.5, num_classes: int | None = None, weights: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryCohenKappa(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, weights: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassCohenKappa(Metric):
    def __init__(
        self, num_classes: int, ignore_index: int | None = None, weights: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def ConfusionMatrix(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, normalize: str | None = None, ignore_index: int | None = None,
    validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryConfusionMatrix(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, normalize: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassConfusionMatrix(Metric):
    def __init__(
        self, num_classes: int, ignore_index: int | None = None, normalize: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def FBetaScore(
    task: Any, beta: float = 1.0, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, **kwargs: Any
) -> Metric: ...

class BinaryFBetaScore(Metric):
    def __init__(
        self, beta: float, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0,
        **kwargs: Any
    ) -> None: ...

class MulticlassFBetaScore(Metric):
    def __init__(
        self, beta: float, num_classes: int, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...

def HingeLoss(
    task: Any, num_classes: int | None = None, squared: bool = False,
    multiclass_mode: str = "crammer-singer", ignore_index: int | None = None,
    validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryHingeLoss(Metric):
    def __init__(
        self, squared: bool = False, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class MulticlassHingeLoss(Metric):
    def __init__(
        self, num_classes: int, squared: bool = False, multiclass_mode: str = "crammer-singer",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def JaccardIndex(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "macro", ignore_index: int | None = None,
    validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryJaccardIndex(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, validate_args: bool = True,
        zero_division: float = 0, **kwargs: Any
    ) -> None: ...

class MulticlassJaccardIndex(Metric):
    def __init__(
        self, num_classes: int, average: str | None = "macro", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...

def MatthewsCorrCoef(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, ignore_index: int | None = None, validate_args: bool = True,
    **kwargs: Any
) -> Metric: ...

class BinaryMatthewsCorrCoef(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class MulticlassMatthewsCorrCoef(Metric):
    def __init__(
        self, num_classes: int, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

def Precision(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryPrecision(Metric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassPrecision(Metric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def Recall(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryRecall(Metric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassRecall(Metric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def Specificity(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinarySpecificity(Metric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassSpecificity(Metric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def StatScores(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
) -> Metric: ...

class BinaryStatScores(Metric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassStatScores(Metric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

def F1Score(
    task: Any, threshold: float = 0.5, num_classes: int | None = None,
    num_labels: int | None = None, average: str | None = "micro", multidim_average: str = "global",
    top_k: int = 1, ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, **kwargs: Any
) -> Metric: ...

class BinaryF1Score(BinaryFBetaScore):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0,
        **kwargs: Any
    ) -> None: ...

class MulticlassF1Score(MulticlassFBetaScore):
    def __init__(
        self, num_classes: int, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...
