"""Metrics of each row with scores, summed in one read: losses, D² and top-k accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._indicator_scores import MarkedProbabilities
from karat.compat.sklearn._pairs import codes_of
from karat.compat.sklearn._parameters import drop_in, warn, warn_undefined
from karat.compat.sklearn._rows import (
    as_floats,
    binarized,
    column_classes,
    declared,
    fitted_classes,
    native_sums,
    not_by_class,
    plain_classes,
)
from karat.compat.sklearn._targets import (
    MULTILABEL,
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
    summable,
    weight_of,
)
from karat.tally.sums import LOSSES, READ_BITS

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

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
    codes: Codes
    k: int
    weights: Any
    careful: Callable[[], Rows] | None
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


Rows = Probabilities | MarkedProbabilities


def _class_probabilities(y_true: Any, values: Array, sample_weight: Any, labels: Any) -> Rows:
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


def _careful_classes(y_true: Any, values: Array, sample_weight: Any, labels: Any) -> Rows:
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
    flat = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    matrix = np.stack((1 - flat, flat), axis=1) if flat.ndim == 1 else flat
    rows: Rows
    kind = kind_of_target(y_true)
    if not isinstance(y_true, list):
        as_array(y_true, dtype=None, name="y")
    if "multioutput" in kind:
        raise ValueError("Multioutput target data is not supported with label binarization")
    if kind == "unknown":
        raise ValueError("The type of target data is not known")
    if kind == MULTILABEL:
        marks = _marks(y_true, labels)
        rows = MarkedProbabilities(matrix, marks, sample_weight)
    else:
        codes = binarized(y_true, classes)
        rows = Probabilities(flat, codes, len(classes), sample_weight, None)
    slack = math.sqrt(float(np.finfo(matrix.dtype).eps))
    if not np.all(np.abs(matrix.sum(axis=1) - 1) <= slack):
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


def _marks(y_true: Any, labels: Any) -> Array:
    """int[n, k]: an indicator matrix in whole numbers."""
    if labels is not None and kind_of_target(labels) != MULTILABEL:
        raise ValueError("The object was not fitted with multilabel input.")
    array = as_array(y_true, dtype=None, name="y")
    return array if array.dtype.kind == "i" else array.astype(np.int64)


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


def _summed(rows: Rows, wanted: int) -> tuple[float, float] | Rows:
    """Σwℓ and Σw natively, or the checked rows that no kernel takes."""
    if isinstance(rows, MarkedProbabilities):
        return rows
    options = {"slack": math.sqrt(rows.eps), "clip": rows.eps}
    sums = native_sums(rows.values, rows.codes, rows.k, rows.weights, wanted, **options)
    if sums is not None:
        rows.truth = np.array(sums.truth, np.float64)
        return float(sums.w_loss[wanted - 1]), sums.weight
    return rows if rows.careful is None else rows.careful()


def _log_loss_sum(rows: Rows, *, normalize: bool) -> float:
    """Mean, or sum, of −log p of the true class, p clipped at the eps of its dtype."""
    found = _summed(rows, _SURPRISE)
    if isinstance(found, tuple):
        return found[0] / found[1] if normalize else found[0]
    if isinstance(found, MarkedProbabilities):
        return found.log_loss(normalize=normalize)
    own = found.matrix[np.arange(len(found.codes)), found.codes]
    loss = -np.log(np.clip(own, found.eps, 1 - found.eps))
    if normalize:
        return float(np.average(loss, weights=found.weights))
    return float(np.sum(loss) if found.weights is None else np.dot(loss, summable(found.weights)))


def _brier_loss(rows: Rows) -> Any:
    """Mean of the squared distances of the rows from their classes."""
    found = _summed(rows, _QUADRATIC)
    if isinstance(found, tuple):
        return found[0] / found[1]
    if isinstance(found, MarkedProbabilities):
        return found.brier_loss()
    matrix = np.array(found.matrix)
    matrix[np.arange(len(matrix)), found.codes] -= 1
    return np.average(np.sum(matrix**2, axis=1), weights=found.weights)


@drop_in
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

    Probabilities are clipped at the eps of their dtype; `karat.log_loss` never clips. Of an
    indicator matrix false labels cost nothing, as there.

    Example:
        >>> round(log_loss([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65]), 4)
        0.2162
    """
    values = as_array(_renamed(y_proba, y_pred), dtype="float", **UNCHECKED)
    rows = _class_probabilities(y_true, values, sample_weight, labels)
    return _log_loss_sum(rows, normalize=bool(normalize))


@drop_in
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
    y_proba = _renamed(y_proba, y_pred)
    if _is_too_short(y_true, y_proba, sample_weight):
        return float("nan")
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _class_probabilities(y_true, values, sample_weight, labels)
    loss = _log_loss_sum(rows, normalize=False)
    if isinstance(rows, MarkedProbabilities):
        return float(1 - loss / rows.null().log_loss(normalize=False))
    weights = rows.class_weights()
    eps = float(np.finfo(np.float64).eps)
    share = np.clip(weights / weights.sum(), eps, 1 - eps)
    return float(1 - loss / -float(np.sum(weights * np.log(share))))


@drop_in
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

    Equals `karat.brier`: halved for two classes. Of an indicator matrix it is the sum over its
    labels, as there.

    Example:
        >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
        0.0375
    """
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _rows_of(y_true, values, sample_weight, pos_label, labels)
    loss = _brier_loss(rows)
    if isinstance(scale_by_half, str):
        scale_by_half = rows.k < 3
    return float(loss * 0.5 if scale_by_half else loss)


@drop_in
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
    if _is_too_short(y_true, y_proba, sample_weight):
        return float("nan")
    values = as_array(y_proba, dtype="float", **UNCHECKED)
    rows = _rows_of(y_true, values, sample_weight, pos_label, labels)
    loss = _brier_loss(rows)
    if isinstance(rows, MarkedProbabilities):
        return float(1 - np.divide(loss, rows.null().brier_loss()))
    weights = rows.class_weights()
    share = weights / weights.sum()
    # One class: both terms are 0 exactly, which 1 − Σ share² need not be.
    others = np.array([np.sum(np.delete(share, i) ** 2) for i in range(rows.k)])
    of_shares = np.sum(weights * ((1 - share) ** 2 + others)) / weights.sum()
    # A ufunc, whose warning says "divide".
    return float(1 - np.divide(loss, of_shares))


def _rows_of(y_true: Any, values: Any, sample_weight: Any, pos_label: Any, labels: Any) -> Rows:
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


@drop_in
def hinge_loss(
    y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None
) -> float:
    """Mean of max(0, 1 − margin), as ``sklearn.metrics.hinge_loss``.

    Equals `karat.hinge_loss`.

    Example:
        >>> hinge_loss([-1, 1, 1], [-2.0, 0.5, 0.25])
        0.4166666666666667
    """
    found = plain_classes(y_true) if labels is None else None
    if found is not None and type(pred_decision) is np.ndarray:
        k = max(2, len(found[1]))
        n = len(found[0])
        if pred_decision.shape == ((n,) if k == 2 else (n, k)):
            loss = _native_hinge(pred_decision, found[0], k, sample_weight)
            if loss is not None:
                return loss
    check_lengths(y_true, pred_decision, sample_weight)
    decision = as_array(pred_decision)
    true = as_column(y_true)
    classes = np.unique(labels if labels is not None else true)
    if classes.size > 2:
        shape = f"(n_samples, n_classes), that is ({true.shape[0]}, {classes.size})"
        if decision.ndim <= 1:
            raise ValueError(
                "The shape of pred_decision cannot be 1d arraywith a multiclass target. "
                f"pred_decision shape must be {shape}. Got: {decision.shape}"
            )
        if classes.size != decision.shape[1]:
            raise ValueError(
                "Please include all labels in y_true or pass labels as third argument"
                if labels is None
                else "The shape of pred_decision is not consistent with the number of classes. "
                f"With a multiclass target, pred_decision shape must be {shape}. Got: "
                f"{decision.shape}"
            )
        known = classes if labels is None else as_column(labels, warn=True)
        codes = _coded(true, np.unique(known))
    else:
        decision = as_column(decision)
        # The classes are those of the rows, whatever the labels say.
        fitted = fitted_classes(true)
        codes = binarized(true, fitted)
        if len(fitted) > 2:
            codes = (codes == 0).astype(np.int32)
    loss = _native_hinge(decision, codes, max(2, classes.size), sample_weight)
    return _hinge(decision, codes, sample_weight) if loss is None else loss


def _coded(true: Array, classes: Array) -> Codes:
    """int32[n] of the classes; ValueError of a label that is none."""
    true = as_column(true, dtype=classes.dtype)
    unseen = sorted(set(true.tolist()) - set(classes.tolist()))
    if classes.dtype.kind == "f" and np.isnan(classes).any():
        unseen = [label for label in unseen if label == label]
    if unseen and true.dtype.kind in "iufb":
        raise ValueError(
            f"y contains previously unseen labels: {[true.dtype.type(x) for x in unseen]}"
        )
    if unseen:
        first = next(label for label in true if label in unseen)
        raise ValueError(f"y contains previously unseen labels: {first!r}")
    return codes_of(true, classes)


def _native_hinge(decision: Array, codes: Codes, k: int, sample_weight: Any) -> float | None:
    """The loss by one native read; None for what no kernel takes."""
    if decision.dtype.kind not in ("fiub" if decision.ndim == 1 else "fiu"):
        return None
    sums = native_sums(decision, codes, k, sample_weight, READ_BITS["margin"])
    return None if sums is None else float(sums.w_loss[LOSSES.index("margin")]) / sums.weight


def _hinge(decision: Array, codes: Codes, sample_weight: Any) -> float:
    if decision.ndim == 1:
        try:
            margin = np.where(codes == 1, 1, -1) * decision
        except TypeError:
            raise TypeError("pred_decision should be an array of floats.") from None
    elif decision.dtype.kind not in "fiu":
        margin = decision[np.arange(len(codes)), codes]
        margin -= decision.max(axis=1)  # an error there too
    else:
        rows = np.arange(len(codes))
        others = np.array(as_floats(decision))
        others[rows, codes] = -np.inf
        margin = decision[rows, codes] - others.max(axis=1)
    return float(np.average(np.clip(1 - margin, 0, None), weights=sample_weight))


@drop_in
def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: Any = 2,
    normalize: Any = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Proportion of rows whose class is among the k best; ``sklearn.metrics.top_k_accuracy_score``.

    Equals `karat.top_k_accuracy` where no scores are equal; of equal scores the last column comes
    first, there and here.

    Example:
        >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.6, 0.3, 0.1]])
        0.6666666666666666
    """
    found = plain_classes(y_true, labels)
    if found is not None and type(y_score) is np.ndarray and y_score.dtype.kind in "fiub":
        codes, classes = found
        if k < len(classes) > 2 and y_score.shape == (len(codes), len(classes)):
            share = _top_hits(y_score, codes, k, sample_weight, normalize=bool(normalize))
            if share is not None:
                return share
    true = as_column(as_array(y_true, dtype=None))
    kind = kind_of_target(true, "y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    score = as_array(y_score)
    if kind == "binary":
        if score.ndim == 2 and score.shape[1] != 1:
            raise ValueError(
                f"`y_true` is binary while y_score is 2d with {score.shape[1]} classes. If "
                "`y_true` does not contain all the labels, `labels` must be provided."
            )
        score = as_column(score)
    elif score.ndim != 2:
        raise not_by_class(score)
    check_lengths(true, score, sample_weight)
    classes = column_classes(
        true,
        labels,
        score.shape[1] if score.ndim == 2 else 2,
        "Number of classes in 'y_true' ({}) not equal to the number of classes in 'y_score' ({})."
        "You can provide a list of all known classes by assigning it to the `labels` parameter.",
        "Number of given labels ({}) not equal to the number of classes in 'y_score' ({}).",
        end=".",
    )
    n_classes = len(classes)
    if k >= n_classes:
        warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({n_classes}) will result in a "
            "perfect score and is therefore meaningless."
        )
    codes = codes_of(true, classes)
    if kind == "multiclass":
        share = _top_hits(score, codes, k, sample_weight, normalize=bool(normalize))
        if share is not None:
            return share
        own = score[np.arange(len(codes)), codes][:, np.newaxis]
        after = np.arange(n_classes) > codes[:, np.newaxis]
        hits = np.sum((score > own) | ((score == own) & after), axis=1) < k
    elif k == 1:
        threshold = 0.5 if score.min() >= 0 and score.max() <= 1 else 0
        hits = (score > threshold).astype(np.int64) == codes
    else:
        hits = np.ones_like(score, np.bool_)
    if normalize:
        return float(np.average(hits, weights=sample_weight))
    return float(np.sum(hits) if sample_weight is None else weight_of(hits, sample_weight))


def _top_hits(
    score: Array, codes: Codes, k: int, sample_weight: Any, *, normalize: bool
) -> float | None:
    """The share or the weight of the hits; None where a check may fail."""
    n_classes = score.shape[1]
    # Columns in the other order: of equal scores the last one stands first.
    mirrored = (n_classes - 1 - codes).astype(np.int32, copy=False)
    sums = native_sums(score[:, ::-1], mirrored, n_classes, sample_weight, READ_BITS["ranks"])
    if sums is None or sums.ranks is None:
        return None
    hits = sums.ranks[:k].sum()
    if normalize:
        return float(hits / sums.weight)
    # Booleans are not added up there: whether any row counts.
    is_flag = getattr(sample_weight, "dtype", None) == np.bool_
    return float(hits > 0 if is_flag else hits)
