"""Containers → NumPy arrays → targets: what kind they are, and whether a pair can be measured."""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._parameters import is_sparse, warn_conversion
from karat.tally.sets import read_matrix

Array = npt.NDArray[Any]
Wanted = Literal["numeric", "float", "weights"] | np.dtype[Any] | None
"""The dtype asked for; "float" and "weights" keep what is float already."""

_FLOATS = {"float": (np.float64, np.float32, np.float16), "weights": (np.float64, np.float32)}
_WHOLE: Final = float(1 << 62)
"""Whole numbers of 64 bits are summed exactly below."""
UNCHECKED: Final[dict[str, Any]] = {"finite": False, "min_samples": 0, "min_features": 0}
"""Arguments of `as_array` for values that are checked later."""


def distinct(values: Array) -> Array:
    """Distinct values, ascending; NaNs are not one."""
    return np.unique(values, equal_nan=False)


def as_array(
    values: Any,
    *,
    dtype: Wanted = "numeric",
    finite: bool = True,
    name: str = "",
    min_samples: int = 1,
    min_features: int = 1,
    allow_nd: bool = False,
    is_matrix: bool = False,
    order: Literal["C"] | None = None,
) -> Array:
    """An array of any container, checked.

    Args:
        dtype: "numeric" turns objects into float64; None leaves everything as it is.
        finite: refuse NaN and infinity.
        name: of the argument, in messages.
        is_matrix: refuse an array of fewer than two dimensions.
    """
    if isinstance(values, np.matrix):
        raise TypeError(
            "np.matrix is not supported. Please convert to a numpy array with np.asarray. For "
            "more information see: "
            "https://numpy.org/doc/stable/reference/generated/numpy.matrix.html"
        )
    stored, must_convert = _stored_dtype(values)
    wanted = _wanted_dtype(dtype, stored)
    if must_convert:
        values = values.astype(stored if wanted is None else wanted)
        wanted = None
    if is_sparse(values):
        padded = f" for {name}" if name else ""
        raise TypeError(
            f"Sparse data was passed{padded}, but dense data is required. Use '.toarray()' to "
            "convert to a dense numpy array."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            if wanted is not None and np.dtype(wanted).kind in "iu":
                values = np.asarray(values, order=order)
                refuse_infinite(values, name, as_dtype=np.dtype(wanted))
            array: Array = np.asarray(values, order=order, dtype=wanted)
        except np.exceptions.ComplexWarning as problem:
            raise ValueError(f"Complex data not supported\n{values}\n") from problem
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if is_matrix and array.ndim < 2:
        raise _not_matrix(array)
    if isinstance(dtype, str) and dtype == "numeric" and array.dtype.kind in "USV":
        raise ValueError(
            "dtype='numeric' is not compatible with arrays of bytes/strings.Convert your data to "
            "numeric values explicitly instead."
        )
    if not allow_nd and array.ndim >= 3:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if finite:
        refuse_infinite(array, name)
    refuse_small(array, min_samples, min_features)
    return array


def _not_matrix(array: Array) -> ValueError:
    found = "scalar array" if array.ndim == 0 else "1D array"
    return ValueError(
        f"Expected 2D array, got {found} instead:\narray={array}.\nReshape your data either using "
        "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
        "contains a single sample."
    )


def as_column(
    values: Any, *, dtype: np.dtype[Any] | None = None, name: str = "y", warn: bool = False
) -> Array:
    """A contiguous array of one dimension; a matrix of one column is one."""
    array = as_array(values, dtype=dtype, finite=False, name=name, min_samples=0)
    is_matrix = array.ndim == 2 and array.shape[1] == 1
    if array.ndim != 1 and not is_matrix:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if is_matrix and warn:
        warn_conversion(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples, ), for example using ravel()."
        )
    return np.asarray(array.reshape(-1), order="C")


def n_samples(values: Any) -> int:
    """The number of rows of a container; TypeError where it has none."""
    message = f"Expected sequence or array-like, got {type(values)}"
    if hasattr(values, "fit") and callable(values.fit):
        raise TypeError(message)
    shape = getattr(values, "shape", None)
    if shape is not None:
        if len(shape) == 0:
            raise TypeError(
                "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got "
                f"scalar `{values!r}` instead."
            )
        if isinstance(shape[0], numbers.Integral):
            return int(shape[0])
    if not hasattr(values, "__len__") and not hasattr(values, "shape"):
        if not hasattr(values, "__array__"):
            raise TypeError(message)
        values = np.asarray(values)
    try:
        return len(values)
    except TypeError as problem:
        raise TypeError(message) from problem


def check_lengths(*containers: Any) -> None:
    """Refuse containers of different numbers of rows; None is not one."""
    lengths = [n_samples(values) for values in containers if values is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def refuse_infinite(array: Array, name: str = "", *, as_dtype: np.dtype[Any] | None = None) -> None:
    """Refuse NaN and infinity; of values that become another type, of floats alone."""
    if as_dtype is None and array.dtype.kind == "O" and np.any(array != array):
        raise ValueError("Input contains NaN")
    if array.dtype.kind not in "fc":
        return
    with np.errstate(over="ignore"):
        if np.isfinite(np.sum(array)):
            return
    is_bad = ~np.isfinite(array)
    if not is_bad.any():
        return
    is_plain = array.dtype.type in (np.float32, np.float64) and (
        array.flags.c_contiguous or array.flags.f_contiguous
    )
    # Arrays in one piece are read up to the first bad value, others are asked for NaN first.
    first = array.reshape(-1)[int(is_bad.reshape(-1).argmax())]
    has_nan = bool(np.isnan(first)) if is_plain else bool(np.isnan(array).any())
    found = "NaN" if has_nan else f"infinity or a value too large for {(as_dtype or array.dtype)!r}"
    raise ValueError(f"Input {name + ' ' if name else ''}contains {found}.")


def refuse_small(array: Array, min_samples: int = 1, min_features: int = 1) -> None:
    """Refuse an array of too few rows or columns."""
    if min_samples and (n := n_samples(array)) < min_samples:
        raise ValueError(
            f"Found array with {n} sample(s) (shape={array.shape}) while a minimum of "
            f"{min_samples} is required."
        )
    if min_features and array.ndim == 2 and array.shape[1] < min_features:
        raise ValueError(
            f"Found array with {array.shape[1]} feature(s) (shape={array.shape}) while a minimum "
            f"of {min_features} is required."
        )


def _wanted_dtype(dtype: Wanted, stored: Any) -> Any:
    """The dtype to convert to; None leaves the values as they are."""
    if not isinstance(dtype, str):
        return dtype
    if dtype == "numeric":
        is_object = getattr(stored, "kind", "") == "O" or stored is object
        return np.float64 if is_object else None
    return None if stored is not None and stored in _FLOATS[dtype] else np.float64


def _stored_dtype(values: Any) -> tuple[Any, bool]:
    """The dtype of the values as NumPy knows it, and whether pandas has to convert them first."""
    stored = getattr(values, "dtype", None)
    if isinstance(values, np.ndarray):
        return stored, False
    if not hasattr(stored, "kind"):
        stored = None
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return stored, False
    if isinstance(values, pandas.DataFrame):
        return _frame_dtype(pandas, list(values.dtypes))
    dtype = getattr(values, "dtype", None)
    if dtype is None or not (hasattr(dtype, "na_value") or hasattr(values, "iloc")):
        return stored, False
    if isinstance(dtype, np.dtype):
        stored = dtype
    else:
        stored = object if isinstance(dtype, pandas.StringDtype) else None
    return stored, _must_convert(pandas, dtype)


def _frame_dtype(pandas: Any, dtypes: list[Any]) -> tuple[Any, bool]:
    must_convert = any(_must_convert(pandas, dtype) for dtype in dtypes)
    if all(isinstance(dtype, np.dtype) for dtype in dtypes):
        return np.result_type(*dtypes), must_convert
    has_text = any(isinstance(dtype, pandas.StringDtype) for dtype in dtypes)
    has_objects = must_convert and any(dtype.kind == "O" for dtype in dtypes)
    return (object if has_text or has_objects else None), must_convert


def _must_convert(pandas: Any, dtype: Any) -> bool:
    """True if a dtype of pandas holds booleans, or numbers that may be missing."""
    types = pandas.api.types
    if types.is_bool_dtype(dtype):
        return True
    if isinstance(dtype, pandas.SparseDtype) or not types.is_extension_array_dtype(dtype):
        return False
    return bool(types.is_float_dtype(dtype) or types.is_integer_dtype(dtype))


MULTILABEL: Final = "multilabel-indicator"


def probe(*arrays: Any) -> None:
    """Sort NumPy arrays of objects: what cannot be ordered is an error before any other."""
    for array in arrays:
        if isinstance(array, np.ndarray) and array.dtype.kind == "O":
            np.unique(array)


def kind_of_target(y: Any, name: str = "") -> str:
    """The kind of a target in scikit-learn's words, "binary" or "multiclass" for example."""
    is_one = isinstance(y, Sequence) or is_sparse(y) or hasattr(y, "__array__")
    if not is_one or isinstance(y, str):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {y!r}")
    if type(y).__name__ in ("SparseSeries", "SparseArray"):
        raise ValueError("y cannot be class 'SparseSeries' or 'SparseArray'")
    if is_sparse(y):
        return _kind_of_sparse(y, name)
    try:
        array = as_array(y, dtype=None, allow_nd=True, **UNCHECKED)
    except ValueError as problem:  # ragged rows become objects
        if str(problem).startswith("Complex data not supported"):
            raise
        array = as_array(y, dtype=np.dtype(object), allow_nd=True, **UNCHECKED)
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
    if array.ndim != 2 or array.shape[1] < 2 or array.dtype.kind not in "biuf":
        return False
    marks = read_matrix(array)
    if marks.others is None and marks.unknown is None:
        return True
    values = distinct(array)
    return values.shape[0] <= 2 and _are_whole(values)


def _are_whole(values: Array) -> bool:
    if values.dtype.kind != "f":
        return values.dtype.kind in "biu"
    return bool(np.all(values.astype(np.int64).astype(values.dtype) == values))


def _kind_of_sparse(y: Any, name: str) -> str:
    is_wide = y.ndim == 2 and y.shape[1] > 1
    rows = y.tocsr() if y.format in ("dok", "lil") else y
    values = np.unique(rows.data)
    is_marks = values.size <= 1 or (values.size == 2 and 0 in values)
    if is_wide and is_marks and (not values.size or _are_whole(values)):
        return MULTILABEL
    if not min(y.shape):
        return "unknown"
    suffix = "-multioutput" if is_wide else ""
    if values.dtype.kind == "f" and not _are_whole(values):
        refuse_infinite(rows.data, name)
        return "continuous" + suffix
    return "multiclass" + suffix if y.ndim == 2 and len(y.tocsr()[[0], :].data) > 1 else "binary"


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
    """The sorted union of the values of some columns."""
    found = {label for column in columns for label in distinct(column)}
    if len({isinstance(label, str) for label in found}) > 1:
        raise mixed_labels(*columns)
    return np.asarray(sorted(found))


def mixed_labels(*columns: Array) -> ValueError:
    """The error of strings beside numbers, to be raised."""
    got = " and ".join(f"{distinct(column)}" for column in columns)
    return ValueError(f"Mix of label input types (string and number); Got {got}.")


def as_weights(weights: Any, rows: Any, dtype: Wanted = None) -> Array:
    """One weight for each row, not all of them 0."""
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
    return summable(array)


def summable(weights: Any) -> Array:
    """The weights as an array, floats of 16 bits in 64: their sums leave the type at 65504."""
    given: Array = np.asarray(weights)
    is_half = given.dtype.kind == "f" and given.dtype.itemsize == 2
    return given.astype(np.float64) if is_half else given


def weight_of(is_counted: Array, weights: Any) -> Any:
    """The sum of some weights, in 64 bits; of booleans NumPy's product, whether any row counts."""
    given = np.asarray(weights)
    is_number = given.dtype.kind in "iuf"
    return total_weight(given[is_counted]) if is_number else np.dot(is_counted, weights)


def total_weight(weights: Any) -> Any:
    """The sum of the weights, in 64 bits; in floats where whole numbers would leave them."""
    given = summable(weights)
    if given.dtype.kind not in "iuf":
        return np.sum(weights)
    total = np.sum(given)
    in_floats = total if given.dtype.kind == "f" else np.sum(given, dtype=np.float64)
    return in_floats if abs(in_floats) >= _WHOLE else total


def averaged_weights(weights: Any) -> Any:
    """The weights, objects among them as floats if they can be: so an average reads them."""
    if getattr(weights, "dtype", None) != np.object_:
        return weights
    try:
        array = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        return weights
    return array if np.isfinite(array).all() else weights


def mixed_kinds(kind_true: str, kind_pred: str) -> ValueError:
    """The error of a truth and a prediction of two kinds, to be raised."""
    return ValueError(
        f"Classification metrics can't handle a mix of {kind_true} and {kind_pred} targets"
    )


def checked_targets(
    y_true: Any, y_pred: Any, sample_weight: Any = None
) -> tuple[str, Array, Array, Array, Array | None]:
    """Kind, sorted labels, both sides and weights of two targets.

    The kind is "binary", "multiclass" or MULTILABEL, whose sides are matrices, dense or sparse.
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
        raise mixed_kinds(kind_true, kind_pred)
    kind = kinds.pop()
    if kind == MULTILABEL:
        true, pred = (
            side if is_sparse(side) else as_array(side, dtype=None) for side in (y_true, y_pred)
        )
        if true.shape[1] != pred.shape[1]:
            raise ValueError("Multi-label binary indicator input with different numbers of labels")
        return kind, np.arange(true.shape[1]), true, pred, sample_weight
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
    """The positive label; None stands for 1 where the labels are among {0, 1} or {-1, 1}."""
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
