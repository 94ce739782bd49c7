"""Values of the confusion matrix as functions: itself, agreement, correlation and overlap."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from karat.compat.torchmetrics.arguments import table

__all__ = [
    "binary_cohen_kappa",
    "binary_confusion_matrix",
    "binary_jaccard_index",
    "binary_matthews_corrcoef",
    "multiclass_cohen_kappa",
    "multiclass_confusion_matrix",
    "multiclass_jaccard_index",
    "multiclass_matthews_corrcoef",
]


def binary_confusion_matrix(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    normalize: str | None = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Rows by true and predicted class, [2, 2]."""
    rule = table(
        "confusion_matrix", None, threshold, ignore_index, validate_args, normalize=normalize
    )
    return rule.once(preds, target, weights)


def multiclass_confusion_matrix(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    normalize: str | None = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Rows by true and predicted class, [k, k]."""
    rule = table(
        "confusion_matrix", num_classes, 0.5, ignore_index, validate_args, normalize=normalize
    )
    return rule.once(preds, target, weights)


def binary_matthews_corrcoef(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Correlation of true and predicted class."""
    rule = table("matthews", None, threshold, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def multiclass_matthews_corrcoef(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Correlation of true and predicted class."""
    rule = table("matthews", num_classes, 0.5, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def binary_jaccard_index(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0.0,
    *,
    weights: Any = None,
) -> Tensor:
    """Rows of class 1 in both, by rows of it in either."""
    rule = table(
        "jaccard", None, threshold, ignore_index, validate_args, zero_division=zero_division
    )
    return rule.once(preds, target, weights)


def multiclass_jaccard_index(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0.0,
    *,
    weights: Any = None,
) -> Tensor:
    """Rows of a class in both, by rows of it in either."""
    rule = table(
        "jaccard",
        num_classes,
        0.5,
        ignore_index,
        validate_args,
        average=average,
        zero_division=zero_division,
    )
    return rule.once(preds, target, weights)


def binary_cohen_kappa(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    weights: str | None = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    row_weights: Any = None,
) -> Tensor:
    """Agreement beyond chance; ``weights`` is how far classes lie apart, as in torchmetrics."""
    rule = table("kappa", None, threshold, ignore_index, validate_args, weights=weights)
    return rule.once(preds, target, row_weights)


def multiclass_cohen_kappa(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    weights: str | None = None,
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    row_weights: Any = None,
) -> Tensor:
    """Agreement beyond chance; ``weights`` is how far classes lie apart, as in torchmetrics."""
    rule = table("kappa", num_classes, 0.5, ignore_index, validate_args, weights=weights)
    return rule.once(preds, target, row_weights)
