"""Hinge loss and top-k accuracy: what rows with scores lose, and how high the truth stands."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._pairs import codes_of
from karat.compat.sklearn._parameters import check_parameters, drop_in, interval, warn_undefined
from karat.compat.sklearn._rows import (
    as_floats,
    binarized,
    column_classes,
    fitted_classes,
    native_sums,
    not_by_class,
    plain_classes,
)
from karat.compat.sklearn._targets import as_array, as_column, check_lengths, kind_of_target
from karat.tally.sums import LOSSES, READ_BITS

__all__ = ["hinge_loss", "top_k_accuracy_score"]

Array = npt.NDArray[Any]
Codes = npt.NDArray[np.int32]

_K = (interval(Integral, 1, None, closed="left"),)


@drop_in()
def hinge_loss(
    y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None
) -> float:
    """Mean of max(0, 1 − margin), as ``sklearn.metrics.hinge_loss``.

    Equals `karat.hinge_loss`.

    Example:
        >>> hinge_loss([-1, 1, 1], [-2.0, 0.5, 0.25])
        0.4166666666666667
    """
    check_parameters("hinge_loss", locals())
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


@drop_in(k=_K)
def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: Any = 2,
    normalize: Any = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Share of rows whose class is among the k best; ``sklearn.metrics.top_k_accuracy_score``.

    Equals `karat.top_k_accuracy` where no scores are equal; of equal scores the last column comes
    first, there and here.

    Example:
        >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.6, 0.3, 0.1]])
        0.6666666666666666
    """
    check_parameters("top_k_accuracy_score", locals())
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
    return float(np.sum(hits) if sample_weight is None else np.dot(hits, sample_weight))


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
