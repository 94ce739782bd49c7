"""Values of scores as functions: areas, calibration errors and hinge losses."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from karat.compat.torchmetrics.arguments import calibration, hinge, ranking

__all__ = [
    "binary_auroc",
    "binary_average_precision",
    "binary_calibration_error",
    "binary_hinge_loss",
    "multiclass_auroc",
    "multiclass_average_precision",
    "multiclass_calibration_error",
    "multiclass_hinge_loss",
]


def binary_auroc(
    preds: Tensor,
    target: Tensor,
    max_fpr: float | None = None,
    thresholds: Any = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Area under the ROC curve."""
    rule = ranking(
        "auroc", None, thresholds, ignore_index, validate_args, "sigmoid", max_fpr=max_fpr
    )
    return rule.once(preds, target, weights)


def multiclass_auroc(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    thresholds: Any = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Area under the ROC curve of each class against the rest."""
    rule = ranking(
        "auroc", num_classes, thresholds, ignore_index, validate_args, "softmax", average=average
    )
    return rule.once(preds, target, weights)


def binary_average_precision(
    preds: Tensor,
    target: Tensor,
    thresholds: Any = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Precision averaged over the steps of recall."""
    rule = ranking("average_precision", None, thresholds, ignore_index, validate_args, "sigmoid")
    return rule.once(preds, target, weights)


def multiclass_average_precision(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    thresholds: Any = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Precision averaged over the steps of recall, of each class against the rest."""
    rule = ranking(
        "average_precision",
        num_classes,
        thresholds,
        ignore_index,
        validate_args,
        "softmax",
        average=average,
    )
    return rule.once(preds, target, weights)


def binary_calibration_error(
    preds: Tensor,
    target: Tensor,
    n_bins: int = 15,
    norm: str = "l1",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Distance of the probability of class 1 from its share, over bins."""
    rule = calibration(None, n_bins, norm, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def multiclass_calibration_error(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    n_bins: int = 15,
    norm: str = "l1",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Distance of the largest probability from the share of hits, over bins."""
    rule = calibration(num_classes, n_bins, norm, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def binary_hinge_loss(
    preds: Tensor,
    target: Tensor,
    squared: bool = False,
    ignore_index: int | None = None,
    validate_args: bool = False,
    *,
    weights: Any = None,
) -> Tensor:
    """Mean hinge loss."""
    rule = hinge(None, squared, "crammer-singer", ignore_index, validate_args)
    return rule.once(preds, target, weights)


def multiclass_hinge_loss(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    squared: bool = False,
    multiclass_mode: str = "crammer-singer",
    ignore_index: int | None = None,
    validate_args: bool = False,
    *,
    weights: Any = None,
) -> Tensor:
    """Mean hinge loss, by the best other class or of each class against the rest."""
    rule = hinge(num_classes, squared, multiclass_mode, ignore_index, validate_args)
    return rule.once(preds, target, weights)
