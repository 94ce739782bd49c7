"""Losses of probabilities: rows checked and summed in one read; log-loss, Brier score, and D²."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._parameters import (
    ARRAY,
    BOOLEAN,
    NONE,
    TEXT,
    check_parameters,
    choice,
    drop_in,
    warn,
    warn_undefined,
)
from karat.compat.sklearn._rows import binarized, declared, native_sums, plain_classes
from karat.compat.sklearn._targets import (
    UNCHECKED,
    as_array,
    as_column,
    as_weights,
    check_lengths,
    distinct,
    kind_of_target,
    n_samples,
    positive_label,
    refuse_infinite,
    refuse_small,
)

__all__ = ["brier_score_loss", "d2_brier_score", "d2_log_loss_score", "log_loss"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

_SURPRISE, _QUADRATIC = 1, 2


@dataclass(slots=True)
class Probabilities:
    """Rows with a true class and a probability for each class.

    Attributes:
        values: float[n, k], or float[n] of the second class of two.
        codes: int32[n], the true class.
        k: classes.
        weights: as given, or None.
        careful: the checks that have not been made; None after them.
        truth: rows, or weight, of each class, where a native read has counted them.
    """

    values: Array
    codes: npt.NDArray[np.int32]
    k: int
    weights: Any
    careful: Callable[[], Probabilities] | None
    truth: Floats | None = None

    @property
    def matrix(self) -> Array:
        """float[n, k]."""
        values = self.values
        return np.stack((1 - values, values), axis=1) if values.ndim == 1 else values

    @property
    def eps(self) -> float:
        """The distance from 1 to the next number of the dtype."""
        return float(np.finfo(self.values.dtype).eps)

    def class_weights(self) -> Floats:
        """float64[k]: rows, or weight, of each class."""
        if self.truth is not None:
            return self.truth
        weights = None if self.weights is None else np.asarray(self.weights, np.float64)
        return np.bincount(self.codes, weights, self.k).astype(np.float64)


def _class_probabilities(
    y_true: Any, values: Array, sample_weight: Any, labels: Any
) -> Probabilities:
    """Probabilities of two or more classes; not all checked, see `Probabilities.careful`."""
    careful = partial(_careful_classes, y_true, values, sample_weight, labels)
    found = plain_classes(y_true, labels)
    if not values.ndim:
        return careful()
    width = 2 if values.ndim == 1 or values.shape[1:] == (1,) else values.shape[-1]
    if found is None or len(found[1]) != width or width < 2 or len(found[0]) != len(values):
        return careful()
    flat = values[:, 0] if values.shape[1:] == (1,) else values
    return Probabilities(flat, found[0], width, sample_weight, careful)


def _careful_classes(y_true: Any, values: Array, sample_weight: Any, labels: Any) -> Probabilities:
    refuse_infinite(values)
    refuse_small(values)
    if np.max(values) > 1:
        raise ValueError(f"y_prob contains values greater than 1: {np.max(values)}")
    if np.min(values) < 0:
        raise ValueError(f"y_prob contains values lower than 0: {np.min(values)}")
    check_lengths(values, y_true, sample_weight)
    if sample_weight is not None:
        as_weights(sample_weight, values)
    classes = declared(y_true, labels)
    codes = binarized(y_true, classes)
    flat = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    rows = Probabilities(flat, codes, len(classes), sample_weight, None)
    matrix = rows.matrix
    if not np.all(np.abs(matrix.sum(axis=1) - 1) <= math.sqrt(rows.eps)):
        warn("The y_prob values do not sum to one. Make sure to pass probabilities.")
    if len(classes) == matrix.shape[1]:
        return rows
    if labels is not None:
        raise ValueError(
            "The number of classes in labels is different from that in y_prob. Classes found in "
            f"labels: {classes}"
        )
    raise ValueError(
        f"y_true and y_prob contain different number of classes: {len(classes)} vs "
        f"{matrix.shape[1]}. Please provide the true labels explicitly through the labels "
        f"argument. Classes found in y_true: {classes}"
    )


def _binary_probabilities(
    y_true: Any, values: Array, sample_weight: Any, pos_label: Any
) -> Probabilities:
    """Probabilities of the positive class; not all checked, see `Probabilities.careful`."""
    careful = partial(_careful_binary, y_true, values, sample_weight, pos_label)
    found = plain_classes(y_true)
    if found is None or len(found[1]) > 2 or len(found[0]) != len(values):
        return careful()
    codes, classes = found
    if classes.dtype.kind == "U" and not isinstance(pos_label, str):
        return careful()
    try:
        positive = _positive(classes, pos_label)
    except ValueError:
        return careful()
    if len(classes) != 2 or classes[1] != positive:
        codes = (classes == positive).astype(np.int32)[codes]
    return Probabilities(values.reshape(-1), codes, 2, sample_weight, careful)


def _careful_binary(
    y_true: Any, values: Array, sample_weight: Any, pos_label: Any
) -> Probabilities:
    refuse_infinite(values)
    refuse_small(values)
    true, flat = as_column(y_true), as_column(values)
    refuse_infinite(true)
    check_lengths(flat, true, sample_weight)
    if sample_weight is not None:
        as_weights(sample_weight, flat)
    kind = kind_of_target(true, "y_true")
    if kind != "binary":
        raise ValueError(
            f"The type of the target inferred from y_true is {kind} but should be binary "
            "according to the shape of y_prob."
        )
    if np.max(flat) > 1:
        raise ValueError(f"y_prob contains values greater than 1: {np.max(flat)}")
    if np.min(flat) < 0:
        raise ValueError(f"y_prob contains values less than 0: {np.min(flat)}")
    codes = np.asarray(true == _positive(true, pos_label), np.int32)
    return Probabilities(flat, codes, 2, sample_weight, None)


def _positive(true: Array, pos_label: Any) -> Any:
    """The positive label; of numbers that are not 0, 1 or −1 the largest."""
    try:
        return positive_label(pos_label, true)
    except ValueError:
        classes = distinct(true)
        if classes.dtype.kind in "OUS":
            raise
        return classes[-1]


def _summed(rows: Probabilities, wanted: int) -> tuple[float, float] | Probabilities:
    """Σwℓ and Σw natively, or the checked rows that no kernel takes."""
    options = {"slack": math.sqrt(rows.eps), "clip": rows.eps}
    sums = native_sums(rows.values, rows.codes, rows.k, rows.weights, wanted, **options)
    if sums is not None:
        rows.truth = np.array(sums.truth, np.float64)
        return float(sums.w_loss[wanted - 1]), sums.weight
    return rows if rows.careful is None else rows.careful()


def _log_loss_sum(rows: Probabilities, *, normalize: bool) -> float:
    """Mean, or sum, of −log p of the true class, p clipped at the eps of its dtype."""
    found = _summed(rows, _SURPRISE)
    if isinstance(found, tuple):
        return found[0] / found[1] if normalize else found[0]
    own = found.matrix[np.arange(len(found.codes)), found.codes]
    loss = -np.log(np.clip(own, found.eps, 1 - found.eps))
    if normalize:
        return float(np.average(loss, weights=found.weights))
    return float(np.sum(loss) if found.weights is None else np.dot(loss, found.weights))


def _brier_loss(rows: Probabilities) -> Any:
    """Mean of the squared distances of the rows from their classes."""
    found = _summed(rows, _QUADRATIC)
    if isinstance(found, tuple):
        return found[0] / found[1]
    matrix = np.array(found.matrix)
    matrix[np.arange(len(matrix)), found.codes] -= 1
    return np.average(np.sum(matrix**2, axis=1), weights=found.weights)


_PROBABILITIES = (ARRAY, replace(NONE, is_hidden=True))
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
    check_parameters("log_loss", locals())
    values = as_array(_renamed(y_proba, y_pred), dtype="float", **UNCHECKED)
    rows = _class_probabilities(y_true, values, sample_weight, labels)
    return _log_loss_sum(rows, normalize=bool(normalize))


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
    check_parameters("d2_log_loss_score", locals())
    y_proba = _renamed(y_proba, y_pred)
    if _is_too_short(y_true, y_proba, sample_weight):
        return float("nan")
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _class_probabilities(y_true, values, sample_weight, labels)
    loss = _log_loss_sum(rows, normalize=False)
    weights = rows.class_weights()
    eps = float(np.finfo(np.float64).eps)
    share = np.clip(weights / weights.sum(), eps, 1 - eps)
    return float(1 - loss / -float(np.sum(weights * np.log(share))))


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
    check_parameters("brier_score_loss", locals())
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _rows_of(y_true, values, sample_weight, pos_label, labels)
    loss = _brier_loss(rows)
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
    check_parameters("d2_brier_score", locals())
    if _is_too_short(y_true, y_proba, sample_weight):
        return float("nan")
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _rows_of(y_true, values, sample_weight, pos_label, labels)
    loss = _brier_loss(rows)
    weights = rows.class_weights()
    share = weights / weights.sum()
    # One class: both terms are 0 exactly, which 1 − Σ share² need not be.
    others = np.array([np.sum(np.delete(share, i) ** 2) for i in range(rows.k)])
    of_shares = np.sum(weights * ((1 - share) ** 2 + others)) / weights.sum()
    # A ufunc, whose warning says "divide".
    return float(1 - np.divide(loss, of_shares))


def _rows_of(
    y_true: Any, values: Any, sample_weight: Any, pos_label: Any, labels: Any
) -> Probabilities:
    if not values.size or values.ndim == 0:
        refuse_infinite(values)
        refuse_small(values)
    if values.ndim == 1 or values.shape[1] == 1:
        return _binary_probabilities(y_true, values, sample_weight, pos_label)
    return _class_probabilities(y_true, values, sample_weight, labels)


def _is_too_short(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    check_lengths(y_proba, y_true, sample_weight)
    if n_samples(y_proba) >= 2:
        return False
    warn_undefined("D^2 score is not well-defined with less than two samples.")
    return True


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    """The probabilities under their old or their new name."""
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
