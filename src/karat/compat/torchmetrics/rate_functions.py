"""Rates of labels as functions: accuracy, precision, recall, F, specificity and their counts."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from karat.compat.torchmetrics.arguments import labels_of_classes, labels_of_two

__all__ = [
    "binary_accuracy",
    "binary_f1_score",
    "binary_fbeta_score",
    "binary_precision",
    "binary_recall",
    "binary_specificity",
    "binary_stat_scores",
    "multiclass_accuracy",
    "multiclass_f1_score",
    "multiclass_fbeta_score",
    "multiclass_precision",
    "multiclass_recall",
    "multiclass_specificity",
    "multiclass_stat_scores",
]


def binary_accuracy(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of rows predicted rightly."""
    rule = labels_of_two("accuracy", threshold, multidim_average, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def binary_precision(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of the rows predicted as class 1 that are of it."""
    rule = labels_of_two(
        "precision",
        threshold,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
    )
    return rule.once(preds, target, weights)


def binary_recall(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of the rows of class 1 that are predicted as it."""
    rule = labels_of_two(
        "recall",
        threshold,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
    )
    return rule.once(preds, target, weights)


def binary_specificity(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of the rows of class 0 that are predicted as it."""
    rule = labels_of_two("specificity", threshold, multidim_average, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def binary_stat_scores(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """tp, fp, tn, fn and the rows of class 1, int64[5] or [n, 5]."""
    rule = labels_of_two("stat_scores", threshold, multidim_average, ignore_index, validate_args)
    return rule.once(preds, target, weights)


def binary_fbeta_score(
    preds: Tensor,
    target: Tensor,
    beta: float,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Precision and recall of class 1 as one number; beta weighs recall."""
    rule = labels_of_two(
        "f_beta",
        threshold,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
        beta=beta,
    )
    return rule.once(preds, target, weights)


def binary_f1_score(
    preds: Tensor,
    target: Tensor,
    threshold: float = 0.5,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Harmonic mean of precision and recall of class 1."""
    rule = labels_of_two(
        "f_beta",
        threshold,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
        beta=1.0,
    )
    return rule.once(preds, target, weights)


def multiclass_accuracy(
    preds: Tensor,
    target: Tensor,
    num_classes: int | None = None,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of rows predicted rightly; by default the mean over the classes."""
    rule = labels_of_classes(
        "accuracy", num_classes, average, top_k, multidim_average, ignore_index, validate_args
    )
    return rule.once(preds, target, weights)


def multiclass_precision(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of the rows predicted as a class that are of it."""
    rule = labels_of_classes(
        "precision",
        num_classes,
        average,
        top_k,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
    )
    return rule.once(preds, target, weights)


def multiclass_recall(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of the rows of a class that are predicted as it."""
    rule = labels_of_classes(
        "recall",
        num_classes,
        average,
        top_k,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
    )
    return rule.once(preds, target, weights)


def multiclass_specificity(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """Share of the rows of other classes that are predicted as others."""
    rule = labels_of_classes(
        "specificity", num_classes, average, top_k, multidim_average, ignore_index, validate_args
    )
    return rule.once(preds, target, weights)


def multiclass_stat_scores(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    *,
    weights: Any = None,
) -> Tensor:
    """tp, fp, tn, fn and the rows of each class, along the last axis."""
    rule = labels_of_classes(
        "stat_scores", num_classes, average, top_k, multidim_average, ignore_index, validate_args
    )
    return rule.once(preds, target, weights)


def multiclass_fbeta_score(
    preds: Tensor,
    target: Tensor,
    beta: float,
    num_classes: int,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Precision and recall as one number; beta weighs recall."""
    rule = labels_of_classes(
        "f_beta",
        num_classes,
        average,
        top_k,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
        beta=beta,
    )
    return rule.once(preds, target, weights)


def multiclass_f1_score(
    preds: Tensor,
    target: Tensor,
    num_classes: int,
    average: str | None = "macro",
    top_k: int = 1,
    multidim_average: str = "global",
    ignore_index: int | None = None,
    validate_args: bool = True,
    zero_division: float = 0,
    *,
    weights: Any = None,
) -> Tensor:
    """Harmonic mean of precision and recall."""
    rule = labels_of_classes(
        "f_beta",
        num_classes,
        average,
        top_k,
        multidim_average,
        ignore_index,
        validate_args,
        zero_division=zero_division,
        beta=1.0,
    )
    return rule.once(preds, target, weights)
