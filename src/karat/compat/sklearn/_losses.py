"""Rows of probabilities, checked and summed: one native read, after which no check can fail.

What the kernel refuses is checked as scikit-learn checks it; what scikit-learn accepts all the
same (rows that do not sum to 1, negative weights) is summed by NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat.sklearn._arrays import (
    as_column,
    check_lengths,
    distinct,
    refuse_infinite,
    refuse_small,
)
from karat.compat.sklearn._notices import warn
from karat.compat.sklearn._rows import binarized, declared, plain_classes, summed_weights
from karat.compat.sklearn._targets import as_weights, kind_of_target, positive_label

__all__ = [
    "Probabilities",
    "binary_probabilities",
    "brier_loss",
    "brier_null_loss",
    "class_probabilities",
    "log_loss_sum",
    "log_null_loss",
]

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


def class_probabilities(
    y_true: Any, values: Array, sample_weight: Any, labels: Any
) -> Probabilities:
    """Probabilities of two or more classes; not all checked, see `Probabilities.careful`."""

    def careful() -> Probabilities:
        return _careful_classes(y_true, values, sample_weight, labels)

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


def binary_probabilities(
    y_true: Any, values: Array, sample_weight: Any, pos_label: Any
) -> Probabilities:
    """Probabilities of the positive class; not all checked, see `Probabilities.careful`."""

    def careful() -> Probabilities:
        return _careful_binary(y_true, values, sample_weight, pos_label)

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
    is_plain, weights = summed_weights(rows.weights, len(rows.codes))
    values, slack = rows.values, math.sqrt(rows.eps)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    if is_plain:
        try:
            sums = _native.read_scores(
                values, rows.codes, rows.k, weights, True, slack, wanted, 0, clip=rows.eps
            )
        except (ValueError, TypeError):
            pass
        else:
            if sums.weight > 0:
                rows.truth = np.array(sums.truth, np.float64)
                return float(sums.w_loss[wanted - 1]), sums.weight
    return rows if rows.careful is None else rows.careful()


def log_loss_sum(rows: Probabilities, *, normalize: bool) -> float:
    """Mean, or sum, of −log p of the true class, p clipped at the eps of its dtype."""
    found = _summed(rows, _SURPRISE)
    if isinstance(found, tuple):
        return found[0] / found[1] if normalize else found[0]
    own = found.matrix[np.arange(len(found.codes)), found.codes]
    loss = -np.log(np.clip(own, found.eps, 1 - found.eps))
    if normalize:
        return float(np.average(loss, weights=found.weights))
    return float(np.sum(loss) if found.weights is None else np.dot(loss, found.weights))


def log_null_loss(rows: Probabilities) -> float:
    """The sum of the log-loss of the shares of the classes."""
    weights = rows.class_weights()
    eps = float(np.finfo(np.float64).eps)
    share = np.clip(weights / weights.sum(), eps, 1 - eps)
    return -float(np.sum(weights * np.log(share)))


def brier_loss(rows: Probabilities) -> Any:
    """Mean of the squared distances of the rows from their classes."""
    found = _summed(rows, _QUADRATIC)
    if isinstance(found, tuple):
        return found[0] / found[1]
    matrix = np.array(found.matrix)
    matrix[np.arange(len(matrix)), found.codes] -= 1
    return np.average(np.sum(matrix**2, axis=1), weights=found.weights)


def brier_null_loss(rows: Probabilities) -> Any:
    """The same of the shares of the classes."""
    weights = rows.class_weights()
    share = weights / weights.sum()
    # One class: both terms are 0 exactly, which 1 − Σ share² need not be.
    others = np.array([np.sum(np.delete(share, i) ** 2) for i in range(rows.k)])
    return np.sum(weights * ((1 - share) ** 2 + others)) / weights.sum()
