"""Targets: what kind they are, and whether a pair of them can be measured.

scikit-learn infers a kind from the values of each array, then compares the kinds; both are
repeated here, with the words of every error.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._arrays import (
    Wanted,
    as_array,
    as_column,
    as_objects,
    check_lengths,
    distinct,
    n_samples,
    refuse_infinite,
)
from karat.compat.sklearn._notices import refuse_multilabel
from karat.compat.sklearn._parameters import is_sparse

__all__ = [
    "MULTILABEL",
    "as_weights",
    "averaged_weights",
    "checked_targets",
    "kind_of_target",
    "labels_of",
    "mixed_labels",
    "positive_label",
    "probe",
]

Array = npt.NDArray[Any]

MULTILABEL: Final = "multilabel-indicator"


def probe(*arrays: Any) -> None:
    """Sort NumPy arrays of objects: what cannot be ordered is an error before any other.

    Errors:
        TypeError two objects that do not compare.
    """
    for array in arrays:
        if isinstance(array, np.ndarray) and array.dtype.kind == "O":
            np.unique(array)


def kind_of_target(y: Any, name: str = "") -> str:
    """The kind of a target in scikit-learn's words, "binary" or "multiclass" for example.

    Errors:
        ValueError no array or sequence, complex values, NaN; TypeError bytes.
    """
    is_one = isinstance(y, Sequence) or is_sparse(y) or hasattr(y, "__array__")
    if not is_one or isinstance(y, str):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {y!r}")
    if type(y).__name__ in ("SparseSeries", "SparseArray"):
        raise ValueError("y cannot be class 'SparseSeries' or 'SparseArray'")
    if is_sparse(y):
        # Of one column it is refused where a column is made of it.
        return MULTILABEL if y.ndim == 2 and y.shape[1] > 1 else "binary"
    array = as_objects(y)
    if _is_indicator(array):
        return MULTILABEL
    if array.ndim and len(array):
        _refuse_item(array[0])
    if array.ndim not in (1, 2):
        return "unknown"
    if not min(array.shape):
        return "binary" if array.ndim == 1 else "unknown"
    if array.dtype.kind == "O" and not isinstance(array.flat[0], str):
        return "unknown"
    is_wide = array.ndim == 2 and array.shape[1] > 1
    suffix = "-multioutput" if is_wide else ""
    if array.dtype.kind == "f" and np.any(array != array.astype(np.int64).astype(array.dtype)):
        refuse_infinite(array, name)
        return "continuous" + suffix
    is_many = is_wide or distinct(array).shape[0] > 2
    return "multiclass" + suffix if is_many else "binary"


def _is_indicator(array: Array) -> bool:
    if array.ndim != 2 or array.shape[1] < 2:
        return False
    values = distinct(array)
    if values.shape[0] > 2:
        return False
    if array.dtype.kind == "f":
        return bool(np.all(values.astype(np.int64).astype(values.dtype) == values))
    return array.dtype.kind in "biu"


def _refuse_item(first: Any) -> None:
    if isinstance(first, bytes):
        raise TypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a "
            "string or integer format."
        )
    is_sequence = isinstance(first, Sequence) and not hasattr(first, "__array__")
    if is_sequence and not isinstance(first, str):
        raise ValueError(
            "You appear to be using a legacy multi-label data representation. Sequence of "
            "sequences are no longer supported; use a binary array or sparse matrix instead - the "
            "MultiLabelBinarizer transformer can convert to this format."
        )


def labels_of(*columns: Array) -> Array:
    """The sorted union of the values of some columns.

    Errors:
        ValueError strings beside numbers.
    """
    found = {label for column in columns for label in distinct(column)}
    if len({isinstance(label, str) for label in found}) > 1:
        raise mixed_labels(*columns)
    return np.asarray(sorted(found))


def mixed_labels(*columns: Array) -> ValueError:
    """The error of strings beside numbers, to be raised."""
    got = " and ".join(f"{distinct(column)}" for column in columns)
    return ValueError(f"Mix of label input types (string and number); Got {got}.")


def as_weights(weights: Any, rows: Any, dtype: Wanted = None) -> Array:
    """One weight a row, not all of them 0.

    Errors:
        ValueError NaN or infinity, another shape, nothing but zeros.
    """
    n = n_samples(rows)
    if isinstance(weights, numbers.Number):
        array = np.full(n, weights)
    else:
        array = as_array(weights, dtype=dtype, order="C", name="sample_weight")
        if array.ndim != 1:
            raise ValueError(
                f"Sample weights must be 1D array or scalar, got {array.ndim}D array. Expected "
                f"either a scalar value or a 1D array of length {n}."
            )
        if array.shape != (n,):
            raise ValueError(f"sample_weight.shape == {array.shape}, expected {(n,)}!")
    if np.all(array == 0):
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return array


def averaged_weights(weights: Any) -> Any:
    """The weights, objects among them as floats if they can be: so an average reads them."""
    if getattr(weights, "dtype", None) != np.object_:
        return weights
    try:
        array = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        return weights
    return array if np.isfinite(array).all() else weights


def checked_targets(
    y_true: Any, y_pred: Any, sample_weight: Any = None
) -> tuple[str, Array, Array, Array, Array | None]:
    """A pair of targets that labels can be read of.

    Returns:
        kind ("binary" or "multiclass"), sorted labels, both columns, the weights.

    Errors:
        ValueError lengths that differ, no rows, kinds that differ or cannot be measured,
        strings beside numbers; MultilabelRefusedError, which is one too; TypeError sparse columns.
    """
    check_lengths(y_true, y_pred, sample_weight)
    kind_true, kind_pred = kind_of_target(y_true, "y_true"), kind_of_target(y_pred, "y_pred")
    for array in (y_true, y_pred):
        if n_samples(array) < 1:
            raise ValueError(
                "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample "
                "is required."
            )
    if sample_weight is not None:
        sample_weight = as_weights(sample_weight, y_true)
    kinds = {kind_true, kind_pred}
    if kinds == {"binary", "multiclass"}:
        kinds = {"multiclass"}
    if len(kinds) > 1:
        raise ValueError(
            f"Classification metrics can't handle a mix of {kind_true} and {kind_pred} targets"
        )
    kind = kinds.pop()
    if kind == MULTILABEL:
        raise refuse_multilabel("y_true")
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"{kind} is not supported")
    if is_sparse(y_true) or is_sparse(y_pred):
        raise TypeError("Sparse input is only supported when targets are of multilabel type")
    true, pred = as_column(y_true, name="y_true"), as_column(y_pred, name="y_pred")
    if np.ma.is_masked(y_true) or np.ma.is_masked(y_pred):
        hash(np.ma.masked)  # a TypeError: it is no label
    labels = labels_of(true, pred)
    if kind == "binary" and labels.shape[0] > 2:
        kind = "multiclass"
    return kind, labels, true, pred, sample_weight


def positive_label(pos_label: Any, y_true: Any) -> Any:
    """The positive label; None stands for 1 where the labels are among {0, 1} or {-1, 1}.

    Errors:
        ValueError None, and other labels.
    """
    if pos_label is not None:
        return pos_label
    classes = distinct(np.asarray(y_true))
    is_plain = classes.dtype.kind not in "OUS" and classes.shape[0] <= 2
    usual = ([0, 1], [-1, 1], [0], [-1], [1])
    if is_plain and any(bool(np.all(classes == np.asarray(known))) for known in usual):
        return 1
    listed = ", ".join(repr(label) for label in classes.tolist())
    raise ValueError(
        f"y_true takes value in {{{listed}}} and pos_label is not specified: either make y_true "
        "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
    )
