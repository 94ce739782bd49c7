"""Metrics as classes. Written by `make stub`; do not edit."""

from typing import Any

from karat.compat.torchmetrics.counted import CountedMetric
from karat.compat.torchmetrics.generation import TaskMetric
from karat.compat.torchmetrics.metric import Metric

class Accuracy(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryAccuracy(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassAccuracy(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelAccuracy(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class AUROC(TaskMetric):
    def __new__(
        cls, task: Any, thresholds: Any = None, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "macro", max_fpr: float | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryAUROC(CountedMetric):
    def __init__(
        self, max_fpr: float | None = None, thresholds: Any = None, ignore_index: int | None = None,
        validate_args: bool = True, normalization: str | None = "sigmoid", **kwargs: Any
    ) -> None: ...

class MulticlassAUROC(CountedMetric):
    def __init__(
        self, num_classes: int, average: str | None = "macro", thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelAUROC(CountedMetric):
    def __init__(
        self, num_labels: int, average: str | None = "macro", thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class AveragePrecision(TaskMetric):
    def __new__(
        cls, task: Any, thresholds: Any = None, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "macro",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryAveragePrecision(CountedMetric):
    def __init__(
        self, thresholds: Any = None, ignore_index: int | None = None, validate_args: bool = True,
        normalization: str | None = "sigmoid", **kwargs: Any
    ) -> None: ...

class MulticlassAveragePrecision(CountedMetric):
    def __init__(
        self, num_classes: int, average: str | None = "macro", thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelAveragePrecision(CountedMetric):
    def __init__(
        self, num_labels: int, average: str | None = "macro", thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class CalibrationError(TaskMetric):
    def __new__(
        cls, task: Any, n_bins: int = 15, norm: str = "l1", num_classes: int | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryCalibrationError(CountedMetric):
    def __init__(
        self, n_bins: int = 15, norm: str = "l1", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassCalibrationError(CountedMetric):
    def __init__(
        self, num_classes: int, n_bins: int = 15, norm: str = "l1", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class CohenKappa(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        weights: str | None = None, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> Metric: ...

class BinaryCohenKappa(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, weights: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassCohenKappa(CountedMetric):
    def __init__(
        self, num_classes: int, ignore_index: int | None = None, weights: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class ConfusionMatrix(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, normalize: str | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryConfusionMatrix(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, normalize: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassConfusionMatrix(CountedMetric):
    def __init__(
        self, num_classes: int, ignore_index: int | None = None, normalize: str | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelConfusionMatrix(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, ignore_index: int | None = None,
        normalize: str | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelCoverageError(CountedMetric):
    def __init__(
        self, num_labels: int, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class EER(TaskMetric):
    def __new__(
        cls, task: Any, thresholds: Any = None, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = None, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class MultilabelEER(CountedMetric):
    def __init__(
        self, num_labels: int, thresholds: Any = None, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class ExactMatch(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class MulticlassExactMatch(CountedMetric):
    def __init__(
        self, num_classes: int, multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelExactMatch(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class FBetaScore(TaskMetric):
    def __new__(
        cls, task: Any, beta: float = 1.0, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> Metric: ...

class BinaryFBetaScore(CountedMetric):
    def __init__(
        self, beta: float, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0,
        **kwargs: Any
    ) -> None: ...

class MulticlassFBetaScore(CountedMetric):
    def __init__(
        self, beta: float, num_classes: int, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...

class MultilabelFBetaScore(CountedMetric):
    def __init__(
        self, beta: float, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...

class HammingDistance(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryHammingDistance(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassHammingDistance(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelHammingDistance(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class HingeLoss(TaskMetric):
    def __new__(
        cls, task: Any, num_classes: int | None = None, squared: bool = False,
        multiclass_mode: str = "crammer-singer", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryHingeLoss(CountedMetric):
    def __init__(
        self, squared: bool = False, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class MulticlassHingeLoss(CountedMetric):
    def __init__(
        self, num_classes: int, squared: bool = False, multiclass_mode: str = "crammer-singer",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class JaccardIndex(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "macro",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryJaccardIndex(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, validate_args: bool = True,
        zero_division: float = 0, **kwargs: Any
    ) -> None: ...

class MulticlassJaccardIndex(CountedMetric):
    def __init__(
        self, num_classes: int, average: str | None = "macro", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...

class MultilabelJaccardIndex(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0,
        **kwargs: Any
    ) -> None: ...

class LogAUC(TaskMetric):
    def __new__(
        cls, task: Any, thresholds: Any = None, fpr_range: tuple[float, float] = (0.001, 0.1),
        num_classes: int | None = None, num_labels: int | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class MultilabelLogAUC(CountedMetric):
    def __init__(
        self, num_labels: int, fpr_range: tuple[float, float] = (0.001, 0.1),
        average: str | None = None, thresholds: Any = None, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MatthewsCorrCoef(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> Metric: ...

class BinaryMatthewsCorrCoef(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class MulticlassMatthewsCorrCoef(CountedMetric):
    def __init__(
        self, num_classes: int, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class MultilabelMatthewsCorrCoef(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class NegativePredictiveValue(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryNegativePredictiveValue(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassNegativePredictiveValue(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelNegativePredictiveValue(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class Precision(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryPrecision(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassPrecision(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelPrecision(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class PrecisionAtFixedRecall(TaskMetric):
    def __new__(
        cls, task: Any, min_recall: float, thresholds: Any = None, num_classes: int | None = None,
        num_labels: int | None = None, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> Metric: ...

class MultilabelPrecisionAtFixedRecall(CountedMetric):
    def __init__(
        self, num_labels: int, min_recall: float, thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class PrecisionRecallCurve(TaskMetric):
    def __new__(
        cls, task: Any, thresholds: Any = None, num_classes: int | None = None,
        num_labels: int | None = None, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> Metric: ...

class MultilabelPrecisionRecallCurve(CountedMetric):
    def __init__(
        self, num_labels: int, thresholds: Any = None, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelRankingAveragePrecision(CountedMetric):
    def __init__(
        self, num_labels: int, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class MultilabelRankingLoss(CountedMetric):
    def __init__(
        self, num_labels: int, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> None: ...

class Recall(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryRecall(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassRecall(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelRecall(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class RecallAtFixedPrecision(TaskMetric):
    def __new__(
        cls, task: Any, min_precision: float, thresholds: Any = None,
        num_classes: int | None = None, num_labels: int | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class MultilabelRecallAtFixedPrecision(CountedMetric):
    def __init__(
        self, num_labels: int, min_precision: float, thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class ROC(TaskMetric):
    def __new__(
        cls, task: Any, thresholds: Any = None, num_classes: int | None = None,
        num_labels: int | None = None, ignore_index: int | None = None, validate_args: bool = True,
        **kwargs: Any
    ) -> Metric: ...

class MultilabelROC(CountedMetric):
    def __init__(
        self, num_labels: int, thresholds: Any = None, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class SensitivityAtSpecificity(TaskMetric):
    def __new__(
        cls, task: Any, min_specificity: float, thresholds: Any = None,
        num_classes: int | None = None, num_labels: int | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class MultilabelSensitivityAtSpecificity(CountedMetric):
    def __init__(
        self, num_labels: int, min_specificity: float, thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class Specificity(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinarySpecificity(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassSpecificity(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelSpecificity(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class SpecificityAtSensitivity(TaskMetric):
    def __new__(
        cls, task: Any, min_sensitivity: float, thresholds: Any = None,
        num_classes: int | None = None, num_labels: int | None = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class MultilabelSpecificityAtSensitivity(CountedMetric):
    def __init__(
        self, num_labels: int, min_sensitivity: float, thresholds: Any = None,
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class StatScores(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> Metric: ...

class BinaryStatScores(CountedMetric):
    def __init__(
        self, threshold: float = 0.5, multidim_average: str = "global",
        ignore_index: int | None = None, validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MulticlassStatScores(CountedMetric):
    def __init__(
        self, num_classes: int | None = None, top_k: int = 1, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class MultilabelStatScores(CountedMetric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, **kwargs: Any
    ) -> None: ...

class F1Score(TaskMetric):
    def __new__(
        cls, task: Any, threshold: float = 0.5, num_classes: int | None = None,
        num_labels: int | None = None, average: str | None = "micro",
        multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
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

class MultilabelF1Score(MultilabelFBetaScore):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, average: str | None = "macro",
        multidim_average: str = "global", ignore_index: int | None = None,
        validate_args: bool = True, zero_division: float = 0, **kwargs: Any
    ) -> None: ...
