"""Metrics as functions. Written by `make stub`; do not edit."""

from typing import Any

from torch import Tensor

def accuracy(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_accuracy(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_accuracy(
    preds: Tensor, target: Tensor, num_classes: int | None = None, average: str | None = "macro",
    top_k: int = 1, multidim_average: str = "global", ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_accuracy(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def auroc(
    preds: Tensor, target: Tensor, task: Any, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "macro",
    max_fpr: float | None = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def binary_auroc(
    preds: Tensor, target: Tensor, max_fpr: float | None = None, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_auroc(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro",
    thresholds: Any = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def multilabel_auroc(
    preds: Tensor, target: Tensor, num_labels: int, average: str | None = "macro",
    thresholds: Any = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def average_precision(
    preds: Tensor, target: Tensor, task: Any, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "macro",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_average_precision(
    preds: Tensor, target: Tensor, thresholds: Any = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_average_precision(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro",
    thresholds: Any = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def multilabel_average_precision(
    preds: Tensor, target: Tensor, num_labels: int, average: str | None = "macro",
    thresholds: Any = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def calibration_error(
    preds: Tensor, target: Tensor, task: Any, n_bins: int = 15, norm: str = "l1",
    num_classes: int | None = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def binary_calibration_error(
    preds: Tensor, target: Tensor, n_bins: int = 15, norm: str = "l1",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_calibration_error(
    preds: Tensor, target: Tensor, num_classes: int, n_bins: int = 15, norm: str = "l1",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def cohen_kappa(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, weights: str | None = None, ignore_index: int | None = None,
    validate_args: bool = True, *, row_weights: Any = None
) -> Tensor: ...
def binary_cohen_kappa(
    preds: Tensor, target: Tensor, threshold: float = 0.5, weights: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, row_weights: Any = None
) -> Tensor: ...
def multiclass_cohen_kappa(
    preds: Tensor, target: Tensor, num_classes: int, weights: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, row_weights: Any = None
) -> Tensor: ...
def confusion_matrix(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, normalize: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_confusion_matrix(
    preds: Tensor, target: Tensor, threshold: float = 0.5, normalize: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_confusion_matrix(
    preds: Tensor, target: Tensor, num_classes: int, normalize: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_confusion_matrix(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    normalize: str | None = None, ignore_index: int | None = None, validate_args: bool = True, *,
    weights: Any = None
) -> Tensor: ...
def multilabel_coverage_error(
    preds: Tensor, target: Tensor, num_labels: int, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def eer(
    preds: Tensor, target: Tensor, task: Any, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_eer(
    preds: Tensor, target: Tensor, num_labels: int, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def exact_match(
    preds: Tensor, target: Tensor, task: Any, num_classes: int | None = None,
    num_labels: int | None = None, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_exact_match(
    preds: Tensor, target: Tensor, num_classes: int, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_exact_match(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    *, weights: Any = None
) -> Tensor: ...
def fbeta_score(
    preds: Tensor, target: Tensor, task: Any, beta: float = 1.0, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def binary_fbeta_score(
    preds: Tensor, target: Tensor, beta: float, threshold: float = 0.5,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def multiclass_fbeta_score(
    preds: Tensor, target: Tensor, beta: float, num_classes: int, average: str | None = "macro",
    top_k: int = 1, multidim_average: str = "global", ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def multilabel_fbeta_score(
    preds: Tensor, target: Tensor, beta: float, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def hamming_distance(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_hamming_distance(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_hamming_distance(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    *, weights: Any = None
) -> Tensor: ...
def multilabel_hamming_distance(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def hinge_loss(
    preds: Tensor, target: Tensor, task: Any, num_classes: int | None = None, squared: bool = False,
    multiclass_mode: str = "crammer-singer", ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_hinge_loss(
    preds: Tensor, target: Tensor, squared: bool = False, ignore_index: int | None = None,
    validate_args: bool = False, *, weights: Any = None
) -> Tensor: ...
def multiclass_hinge_loss(
    preds: Tensor, target: Tensor, num_classes: int, squared: bool = False,
    multiclass_mode: str = "crammer-singer", ignore_index: int | None = None,
    validate_args: bool = False, *, weights: Any = None
) -> Tensor: ...
def jaccard_index(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "macro",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0.0, *,
    weights: Any = None
) -> Tensor: ...
def binary_jaccard_index(
    preds: Tensor, target: Tensor, threshold: float = 0.5, ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0.0, *, weights: Any = None
) -> Tensor: ...
def multiclass_jaccard_index(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0.0, *,
    weights: Any = None
) -> Tensor: ...
def multilabel_jaccard_index(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0.0, *, weights: Any = None
) -> Tensor: ...
def logauc(
    preds: Tensor, target: Tensor, task: Any, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None,
    fpr_range: tuple[float, float] = (0.001, 0.1), average: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_logauc(
    preds: Tensor, target: Tensor, num_labels: int, fpr_range: tuple[float, float] = (0.001, 0.1),
    average: str | None = "macro", thresholds: Any = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def matthews_corrcoef(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_matthews_corrcoef(
    preds: Tensor, target: Tensor, threshold: float = 0.5, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_matthews_corrcoef(
    preds: Tensor, target: Tensor, num_classes: int, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_matthews_corrcoef(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def negative_predictive_value(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def binary_negative_predictive_value(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def multiclass_negative_predictive_value(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def multilabel_negative_predictive_value(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def precision(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def binary_precision(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def multiclass_precision(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def multilabel_precision(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def precision_at_fixed_recall(
    preds: Tensor, target: Tensor, task: Any, min_recall: float, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def multilabel_precision_at_fixed_recall(
    preds: Tensor, target: Tensor, num_labels: int, min_recall: float, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def precision_recall_curve(
    preds: Tensor, target: Tensor, task: Any, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor, Tensor] | tuple[list[Tensor], list[Tensor], list[Tensor]]: ...
def multilabel_precision_recall_curve(
    preds: Tensor, target: Tensor, num_labels: int, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor, Tensor] | tuple[list[Tensor], list[Tensor], list[Tensor]]: ...
def multilabel_ranking_average_precision(
    preds: Tensor, target: Tensor, num_labels: int, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multilabel_ranking_loss(
    preds: Tensor, target: Tensor, num_labels: int, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def recall(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def binary_recall(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def multiclass_recall(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def multilabel_recall(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def recall_at_fixed_precision(
    preds: Tensor, target: Tensor, task: Any, min_precision: float, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def multilabel_recall_at_fixed_precision(
    preds: Tensor, target: Tensor, num_labels: int, min_precision: float, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def roc(
    preds: Tensor, target: Tensor, task: Any, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor, Tensor] | tuple[list[Tensor], list[Tensor], list[Tensor]]: ...
def multilabel_roc(
    preds: Tensor, target: Tensor, num_labels: int, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor, Tensor] | tuple[list[Tensor], list[Tensor], list[Tensor]]: ...
def sensitivity_at_specificity(
    preds: Tensor, target: Tensor, task: Any, min_specificity: float, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def multilabel_sensitivity_at_specificity(
    preds: Tensor, target: Tensor, num_labels: int, min_specificity: float, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def specificity(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_specificity(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_specificity(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    *, weights: Any = None
) -> Tensor: ...
def multilabel_specificity(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def specificity_at_sensitivity(
    preds: Tensor, target: Tensor, task: Any, min_sensitivity: float, thresholds: Any = None,
    num_classes: int | None = None, num_labels: int | None = None, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def multilabel_specificity_at_sensitivity(
    preds: Tensor, target: Tensor, num_labels: int, min_sensitivity: float, thresholds: Any = None,
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> tuple[Tensor, Tensor]: ...
def stat_scores(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def binary_stat_scores(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def multiclass_stat_scores(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    *, weights: Any = None
) -> Tensor: ...
def multilabel_stat_scores(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, *, weights: Any = None
) -> Tensor: ...
def f1_score(
    preds: Tensor, target: Tensor, task: Any, threshold: float = 0.5,
    num_classes: int | None = None, num_labels: int | None = None, average: str | None = "micro",
    multidim_average: str = "global", top_k: int = 1, ignore_index: int | None = None,
    validate_args: bool = True, zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def binary_f1_score(
    preds: Tensor, target: Tensor, threshold: float = 0.5, multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
def multiclass_f1_score(
    preds: Tensor, target: Tensor, num_classes: int, average: str | None = "macro", top_k: int = 1,
    multidim_average: str = "global", ignore_index: int | None = None, validate_args: bool = True,
    zero_division: float = 0, *, weights: Any = None
) -> Tensor: ...
def multilabel_f1_score(
    preds: Tensor, target: Tensor, num_labels: int, threshold: float = 0.5,
    average: str | None = "macro", multidim_average: str = "global",
    ignore_index: int | None = None, validate_args: bool = True, zero_division: float = 0, *,
    weights: Any = None
) -> Tensor: ...
