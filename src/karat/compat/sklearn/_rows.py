"""True classes of rows with scores: codes on sorted classes, natively where they are plain."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat.sklearn._pairs import codes_of, plain_array, plain_weights, text_column
from karat.compat.sklearn._parameters import is_sparse, warn
from karat.compat.sklearn._targets import (
    MULTILABEL,
    as_array,
    as_column,
    distinct,
    kind_of_target,
    labels_of,
    mixed_labels,
    n_samples,
    probe,
)

Array = npt.NDArray[Any]
Codes = npt.NDArray[np.int32]

_PRODUCTS = 1e-140, 1e140
"""Weights within are neither lost nor infinite where two sums of them are multiplied."""


def plain_classes(y_true: Any, labels: Any = None) -> tuple[Codes, Array] | None:
    """int32[n] codes and the classes, ascending; None where a check may fail."""
    found = _coded(y_true)
    if found is None or labels is None:
        return found
    codes, values = found
    known = plain_array(labels)
    if known is None or len(known) < 2 or (known.dtype.kind == "U") != (values.dtype.kind == "U"):
        return None
    if known.dtype.kind not in "iuU" or not np.array_equal(np.unique(known), known):
        return None
    places = np.searchsorted(known, values)
    places[places == len(known)] = 0
    if not np.array_equal(known[places], values):
        return None
    return places.astype(np.int32)[codes], known


def _coded(y_true: Any) -> tuple[Codes, Array] | None:
    is_text = type(y_true) is list and y_true and type(y_true[0]) is str
    array = None if is_text else plain_array(y_true)
    kind = "U" if array is None else array.dtype.kind
    if array is not None and kind in "iub":
        try:
            if kind != "b":
                return _native.encode_integers(array, 0)
            # Any byte but 0 is True to NumPy.
            codes, values = _native.encode_integers((array.view(np.uint8) != 0).view(np.uint8))
            return codes, values.astype(np.bool_)
        except (ValueError, TypeError):
            return None
    column = text_column(y_true) if kind in "UO" else None
    if column is None:
        return None
    text = column.seen()
    order = np.argsort(np.asarray(text))
    places = np.empty(len(text), np.int32)
    places[order] = np.arange(len(text), dtype=np.int32)
    # Categories that no row has are no class; then a code is not a place.
    if column.base or len(text) != len(column.labels or ()):
        return None
    return places[column.codes], np.asarray(text)[order]


def summed_weights(sample_weight: Any, n: int) -> tuple[bool, npt.NDArray[np.float64] | None]:
    """Return whether weights can be passed to a kernel, and these weights."""
    if sample_weight is None:
        return True, None
    weights = plain_weights(sample_weight)
    return weights is not None and len(weights) == n, weights


def as_floats(values: Array) -> Array:
    """Scores in a type that the kernels read."""
    if values.dtype in (np.float64, np.float32):
        return values
    return values.astype(np.float32 if values.dtype == np.float16 else np.float64)


def native_sums(
    values: Array,
    codes: Codes,
    k: int,
    sample_weight: Any,
    wanted: int,
    *,
    slack: float | None = None,
    clip: float = 0.0,
) -> _native.ScoreSums | None:
    """Sums of `_native.read_scores`; None where a check may fail, or every weight is 0.

    Args:
        slack: how far from 1 the sums of probabilities may be; None: of scores.
    """
    is_plain, weights = summed_weights(sample_weight, len(codes))
    if not is_plain:
        return None
    is_prob, floats = slack is not None, as_floats(values)
    try:
        sums = _native.read_scores(
            floats, codes, k, weights, is_prob, slack or 0.0, wanted, 0, clip=clip
        )
    except (ValueError, TypeError):  # a negative weight, NaN, another length
        return None
    return sums if sums.weight > 0 else None


def are_multiplied_safely(weights: npt.NDArray[np.float64] | None) -> bool:
    """True if products of two sums of the weights are as exact as the sums."""
    if weights is None:
        return True
    least, largest = _PRODUCTS
    smallest = np.min(weights, where=weights > 0, initial=largest)
    return bool(smallest >= least and np.max(weights, initial=0.0) <= largest)


def declared(y_true: Any, labels: Any) -> Array:
    """The classes, of `labels` where they are given, else of y_true."""
    classes = fitted_classes(y_true if labels is None else labels)
    if labels is not None:
        if not np.all(classes == labels):
            warn(
                f"Labels passed were {labels}. But this function assumes labels are ordered "
                f"lexicographically. Pass the ordered labels={classes.tolist()} and ensure that "
                "the columns of y_prob correspond to this ordering."
            )
        if not np.all(np.isin(y_true, labels)):
            undeclared = set(y_true) - set(labels)
            raise ValueError(
                f"y_true contains values {undeclared} not belonging to the passed labels {labels}."
            )
    if classes.shape[0] != 1:
        return classes
    if labels is None:
        raise ValueError(
            f"y_true contains only one label ({classes[0]}). Please provide the list of all "
            "expected class labels explicitly through the labels argument."
        )
    raise ValueError(f"The labels array needs to contain at least two labels, got {classes}.")


def column_classes(
    true: Array, labels: Any, width: int, mismatch: str, mismatch_of_labels: str, end: str = ""
) -> Array:
    """The classes of the columns of scores: those of the rows, or `labels`, which must ascend.

    Args:
        mismatch, mismatch_of_labels: the errors of another number of columns than classes in the
            rows or in `labels`, with places for both.
        end: of the other errors.
    """
    if labels is None:
        classes = distinct(true)
        if len(classes) != width:
            raise ValueError(mismatch.format(len(classes), width))
        return classes
    labels = as_column(labels)
    classes = distinct(labels)
    if len(classes) != len(labels):
        raise ValueError(f"Parameter 'labels' must be unique{end}")
    if not np.array_equal(classes, labels):
        raise ValueError(f"Parameter 'labels' must be ordered{end}")
    if len(classes) != width:
        raise ValueError(mismatch_of_labels.format(len(classes), width))
    if len(np.setdiff1d(true, classes)):
        raise ValueError(f"'y_true' contains labels not in parameter 'labels'{end}")
    return classes


def not_by_class(score: Array) -> ValueError:
    """The error of scores that are not a matrix with a column for each class."""
    return ValueError(
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
        f"multiple classes. Got `y_score.shape={score.shape}`."
    )


def fitted_classes(y: Any) -> Array:
    """The sorted classes of a target; of an indicator matrix its columns."""
    kind = kind_of_target(y, "y")
    if "multioutput" in kind:
        raise ValueError("Multioutput target data is not supported with label binarization")
    if n_samples(y) == 0:
        raise ValueError(f"y has 0 samples: {y!r}")
    if kind == MULTILABEL:
        matrix = y if is_sparse(y) else as_array(y, dtype=None, name="y")
        return np.arange(matrix.shape[1])
    found = set() if hasattr(y, "__array__") else set(y)  # a TypeError, where they are no labels
    probe(y)
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: {(y,)!r}")
    if len({isinstance(label, str) for label in found}) > 1:
        raise mixed_labels(np.asarray(y))
    return labels_of(np.asarray(y))


def binarized(y_true: Any, classes: Array) -> Codes:
    """int32[n]: the class of each row; every class of y_true is among them."""
    if not isinstance(y_true, list):
        y_true = as_array(y_true, dtype=None, name="y")
    column = as_column(y_true)
    return codes_of(column, classes if column.dtype.kind != "O" else distinct(classes))
