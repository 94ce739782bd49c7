"""Losses of probabilities: log-loss, Brier score, and the D² made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.compat.sklearn._arrays import (
    UNCHECKED,
    as_array,
    check_lengths,
    n_samples,
    refuse_infinite,
    refuse_small,
)
from karat.compat.sklearn._losses import (
    Probabilities,
    binary_probabilities,
    brier_loss,
    brier_null_loss,
    class_probabilities,
    log_loss_sum,
    log_null_loss,
)
from karat.compat.sklearn._notices import warn, warn_undefined
from karat.compat.sklearn._parameters import (
    ARRAY,
    BOOLEAN,
    NONE,
    TEXT,
    check_parameters,
    choice,
    drop_in,
)

__all__ = ["brier_score_loss", "d2_brier_score", "d2_log_loss_score", "log_loss"]

_PROBABILITIES = (ARRAY, NONE.hidden())
_DEPRECATED = (ARRAY, TEXT)
_SCALE = (BOOLEAN, choice({"auto"}))


@drop_in(y_proba=_PROBABILITIES, y_pred=_DEPRECATED)
def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: Any = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Mean −log of the probability of the true class, as ``sklearn.metrics.log_loss``.

    Probabilities are clipped at the eps of their dtype; `karat.log_loss` never clips.

    Example:
        >>> round(log_loss([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65]), 4)
        0.2162
    """
    check_parameters("log_loss", y_true, y_proba, normalize, sample_weight, labels, y_pred)
    values = as_array(_renamed(y_proba, y_pred), dtype="float", **UNCHECKED)
    rows = class_probabilities(y_true, values, sample_weight, labels)
    return log_loss_sum(rows, normalize=bool(normalize))


@drop_in(y_proba=_PROBABILITIES, y_pred=_DEPRECATED)
def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Share of the log-loss explained, as ``sklearn.metrics.d2_log_loss_score``.

    Equals `karat.d2_log_loss` where nothing is clipped.

    Example:
        >>> round(d2_log_loss_score([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65]), 4)
        0.6881
    """
    check_parameters("d2_log_loss_score", y_true, y_proba, sample_weight, labels, y_pred)
    y_proba = _renamed(y_proba, y_pred)
    if _is_too_short(y_true, y_proba, sample_weight):
        return float("nan")
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = class_probabilities(y_true, values, sample_weight, labels)
    return float(1 - log_loss_sum(rows, normalize=False) / log_null_loss(rows))


@drop_in(scale_by_half=_SCALE)
def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: Any = "auto",
) -> float:
    """Mean squared error of probabilities, as ``sklearn.metrics.brier_score_loss``.

    Equals `karat.brier`: halved for two classes.

    Example:
        >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
        0.0375
    """
    check_parameters(
        "brier_score_loss", y_true, y_proba, sample_weight, pos_label, labels, scale_by_half
    )
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _rows_of(y_true, values, sample_weight, pos_label, labels)
    loss = brier_loss(rows)
    if isinstance(scale_by_half, str):
        scale_by_half = rows.k < 3
    return float(loss * 0.5 if scale_by_half else loss)


@drop_in()
def d2_brier_score(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> float:
    """Share of the Brier score explained, as ``sklearn.metrics.d2_brier_score``.

    Equals `karat.d2_brier`.

    Example:
        >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
        0.85
    """
    check_parameters("d2_brier_score", y_true, y_proba, sample_weight, pos_label, labels)
    if _is_too_short(y_true, y_proba, sample_weight):
        return float("nan")
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _rows_of(y_true, values, sample_weight, pos_label, labels)
    # A ufunc, whose warning says "divide".
    return float(1 - np.divide(brier_loss(rows), brier_null_loss(rows)))


def _rows_of(
    y_true: Any, values: Any, sample_weight: Any, pos_label: Any, labels: Any
) -> Probabilities:
    if not values.size or values.ndim == 0:
        refuse_infinite(values)
        refuse_small(values)
    if values.ndim == 1 or values.shape[1] == 1:
        return binary_probabilities(y_true, values, sample_weight, pos_label)
    return class_probabilities(y_true, values, sample_weight, labels)


def _is_too_short(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    check_lengths(y_proba, y_true, sample_weight)
    if n_samples(y_proba) >= 2:
        return False
    warn_undefined("D^2 score is not well-defined with less than two samples.")
    return True


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    """The probabilities under their old or their new name.

    Errors:
        ValueError both are given.
    """
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise ValueError(
            "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead."
        )
    warn(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use "
        "`y_proba` instead.",
        FutureWarning,
    )
    return y_pred
