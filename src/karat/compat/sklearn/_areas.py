"""Areas under curves: `auc` of given points, ROC AUC and average precision of scores."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._arrays import as_array, as_column, check_lengths, distinct
from karat.compat.sklearn._binary_areas import (
    area_under,
    binary_area,
    binary_precision,
    native_area,
)
from karat.compat.sklearn._class_areas import (
    are_plain,
    are_probabilities,
    averaged_areas,
    pairwise_area,
    precision_of_rows,
)
from karat.compat.sklearn._notices import refuse_multilabel
from karat.compat.sklearn._pairs import codes_of
from karat.compat.sklearn._parameters import (
    BOOLEAN,
    NONE,
    TEXT,
    check_parameters,
    choice,
    drop_in,
    instance,
    interval,
)
from karat.compat.sklearn._rows import (
    are_multiplied_safely,
    ordered_classes,
    plain_classes,
    summed_weights,
)
from karat.compat.sklearn._steps import plain_scores, ranked, same_kind
from karat.compat.sklearn._targets import MULTILABEL, kind_of_target

__all__ = ["auc", "average_precision_score", "roc_auc_score"]

Array = npt.NDArray[Any]

_ROC_AVERAGE = (choice({"micro", "macro", "samples", "weighted"}), NONE)
_MAX_FPR = (interval(Real, 0.0, 1, closed="right"), NONE)
_MULTI_CLASS = (choice({"raise", "ovr", "ovo"}),)
_AP_AVERAGE = (choice({"micro", "samples", "weighted", "macro"}), NONE)
_AP_LABEL = (instance(Real), TEXT, BOOLEAN)


@drop_in()
def auc(x: Any, y: Any) -> float:
    """Area under points by the trapezoidal rule, as ``sklearn.metrics.auc``.

    Example:
        >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
        0.75
    """
    check_parameters("auc", x, y)
    check_lengths(x, y)
    x, y = as_column(x), as_column(y)
    if x.dtype.kind == "b" and x.shape[0] > 1:
        _ = x[1:] - x[:-1]  # a TypeError, as there
    return area_under(x, y)


@drop_in(average=_ROC_AVERAGE, max_fpr=_MAX_FPR, multi_class=_MULTI_CLASS)
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    sample_weight: Any = None,
    max_fpr: Any = None,
    multi_class: Any = "raise",
    labels: Any = None,
) -> Any:
    """Area under the ROC curve, as ``sklearn.metrics.roc_auc_score``.

    Equals `karat.roc_auc`, and of more classes `karat.roc_auc_ovr_macro` and its relatives.
    A class that is missing makes the whole "ovr" average NaN, as there.

    Example:
        >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        0.75
    """
    check_parameters(
        "roc_auc_score", y_true, y_score, average, sample_weight, max_fpr, multi_class, labels
    )
    if max_fpr is None:
        found = plain_classes(y_true, labels)
        if found is not None and len(found[1]) == 2 and labels is None:
            column = plain_scores(y_score)
            area = None if column is None else native_area(found[0], column, sample_weight)
            if area is not None:
                return area
        elif found is not None and multi_class != "raise":
            codes, k = found[0], len(found[1])
            if k > 2 and are_plain(y_score, codes, k) and are_probabilities(y_score, codes):
                weights = None if sample_weight is None else as_column(sample_weight)
                _check_average(average, multi_class)
                return _class_area(codes, y_score, multi_class, average, weights)
    kind = kind_of_target(y_true, "y_true")
    true = as_array(y_true, dtype=None)
    score = as_array(y_score)
    weights = None if sample_weight is None else as_column(sample_weight)
    is_wide = score.ndim == 2 and score.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and is_wide):
        if max_fpr is not None and max_fpr != 1.0:
            raise ValueError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be "
                f"set to `None`, received `max_fpr={max_fpr}` instead"
            )
        if multi_class == "raise":
            raise ValueError("multi_class must be in ('ovo', 'ovr')")
        return _multiclass_area(true, score, labels, multi_class, average, weights)
    if kind != "binary":
        raise refuse_multilabel("y_true") if kind == MULTILABEL else _unsupported(kind)
    column = as_column(true)
    classes = np.unique(column)
    return binary_area(codes_of(column, classes), len(classes), score, weights, max_fpr)


def _unsupported(kind: str) -> ValueError:
    return ValueError(f"{kind} format is not supported")


def _multiclass_area(
    true: Array, score: Array, labels: Any, multi_class: str, average: str | None, weights: Any
) -> Any:
    if score.ndim != 2:
        raise _one_dimension(score)
    if not np.allclose(1, score.sum(axis=1)):
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum "
            "up to 1.0 over classes"
        )
    _check_average(average, multi_class)
    classes = _declared_classes(true, score, labels)
    if multi_class == "ovo" and weights is None and true.ndim == 2:
        check_lengths(true, score)
        _ = score[np.zeros(true.shape, np.bool_), 0]  # a column is an IndexError there
    return _class_area(codes_of(as_column(true), classes), score, multi_class, average, weights)


def _check_average(average: str | None, multi_class: str) -> None:
    allowed: tuple[str | None, ...] = ("macro", "weighted", None)
    if multi_class == "ovr":
        allowed = ("micro", *allowed)
    if average not in allowed:
        raise ValueError(f"average must be one of {allowed} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")


def _class_area(
    codes: npt.NDArray[np.int32], score: Array, multi_class: str, average: str | None, weights: Any
) -> Any:
    if multi_class == "ovo":
        if weights is not None:
            raise ValueError(
                "sample_weight is not supported for multiclass one-vs-one ROC AUC, "
                "'sample_weight' must be None in this case."
            )
        check_lengths(codes, score)
        return pairwise_area(codes, score, average)
    check_lengths(codes, score, weights)
    return averaged_areas(codes, score, weights, "roc", average)


def _one_dimension(score: Array) -> ValueError:
    return ValueError(
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
        f"multiple classes. Got `y_score.shape={score.shape}`."
    )


def _declared_classes(true: Array, score: Array, labels: Any) -> Array:
    width = score.shape[1]
    if labels is None:
        classes = distinct(true)
        if len(classes) != width:
            raise ValueError(
                "Number of classes in y_true not equal to the number of columns in 'y_score'"
            )
        return classes
    other_width = "Number of given labels, {}, not equal to the number of columns in 'y_score', {}"
    return ordered_classes(true, labels, width, other_width)


@drop_in(average=_AP_AVERAGE, pos_label=_AP_LABEL)
def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> Any:
    """Precision averaged over recall, as ``sklearn.metrics.average_precision_score``.

    Equals `karat.average_precision` and `karat.mean_average_precision`. Scores of several classes
    in a nested list raise AttributeError, as there.

    Example:
        >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
        0.8333
    """
    check_parameters("average_precision_score", y_true, y_score, average, pos_label, sample_weight)
    found = plain_classes(y_true)
    if found is not None and len(found[1]) == 2 and same_kind(found[1], pos_label):
        is_own = found[1] == pos_label
        column = plain_scores(y_score) if is_own.any() else None
        if column is not None:
            codes = found[0] if is_own[1] else 1 - found[0]
            _, weights = summed_weights(sample_weight, len(codes))
            is_safe = are_multiplied_safely(weights)
            made = ranked(column, codes, sample_weight) if is_safe else None
            if made is not None and made.totals[1]:
                return float(made.step_area() / made.totals[1])
    elif found is not None and sample_weight is None and type(pos_label) is int and pos_label == 1:
        codes, k = found[0], len(found[1])
        if k > 2 and average != "samples" and are_plain(y_score, codes, k):
            try:
                return averaged_areas(codes, y_score, None, "precision", average)
            except ValueError:  # NaN, told below
                pass
    weights = None if sample_weight is None else as_column(sample_weight)
    kind = kind_of_target(y_true, "y_true")
    present = distinct(np.asarray(y_true))
    if kind == "binary":
        if len(present) == 2 and pos_label not in present:
            raise ValueError(
                f"pos_label={pos_label} is not a valid label. It should be one of {present}"
            )
        is_own = np.asarray(np.asarray(y_true) == pos_label, np.int32)
        return binary_precision(is_own, y_score, weights)
    if kind == MULTILABEL:
        raise refuse_multilabel("y_true")
    if kind != "multiclass":
        raise _unsupported(kind)
    if pos_label != 1:
        raise ValueError(
            "Parameter pos_label is fixed to 1 for multiclass y_true. Do not set pos_label or set "
            "pos_label to 1."
        )
    codes = codes_of(as_column(as_array(y_true, dtype=None, name="y")), present)
    if y_score.shape != (len(codes), len(present)):
        raise _one_dimension(y_score)
    check_lengths(codes, y_score, weights)
    score = as_array(y_score)
    if average == "samples":
        return precision_of_rows(codes, score, weights)
    return averaged_areas(codes, score, weights, "precision", average)
