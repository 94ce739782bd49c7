"""NumPy arrays → `Column`: integers, booleans, whole floats, text of every kind, objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.column import (
    Codes,
    Column,
    Flags,
    Nulls,
    coded,
    refused,
    with_missing,
    without_labels,
)
from karat.data.labels.objects import encode_objects
from karat.errors import error

__all__ = ["as_rows", "encode_array", "encode_present", "native_order"]

Array = npt.NDArray[Any]

_INT64_MAX = np.iinfo(np.int64).max
_WIDE_TEXT_BYTES = 256
"""Variable-width text longer than this is read one string at a time, not padded to its longest."""


def encode_array(values: Array, argument: str, nulls: Nulls) -> Column:
    """Labels of an array of any dtype that can hold labels.

    Args:
        values: shape (n,) or (n, 1); any stride, byte order and alignment; masked arrays too.

    Errors:
        K101 empty, K103 other shape, K104 missing, K105 not whole, K106 other dtype,
        K107 strings beside numbers.
    """
    rows = as_rows(values, argument)
    if hasattr(rows, "mask"):
        missing = np.ma.getmaskarray(rows)
        return encode_present(np.ma.getdata(rows)[~missing], missing, argument, nulls)
    array: Array = native_order(np.asarray(rows))
    kind = array.dtype.kind
    if kind == "b":
        # Any byte but 0 is True to NumPy: a mask of 0 and 255 seen as booleans is legal.
        return Column(argument, (array.view(np.uint8) != 0).view(np.uint8), "boolean")
    if kind in "iu":
        return _encode_integers(array, argument)
    if kind == "f":
        return _encode_floats(array, argument, nulls)
    if kind in "US":
        return _encode_fixed_text(array, argument)
    if kind == "O":
        return encode_objects(array, argument, nulls)
    if kind == "T":
        return _encode_variable_text(array, argument, nulls)
    raise error("K106", argument=argument, found=f"Its dtype is {array.dtype}")


def encode_present(present: Array, missing: Flags, argument: str, nulls: Nulls) -> Column:
    """Labels of an array of which only some rows have a value.

    Args:
        present: the values of the rows that are not missing, in order.
        missing: bool[n].
    """
    if missing.any() and (nulls == "error" or missing.all()):
        return without_labels(argument, missing, nulls)
    # One that is there stands in for those that are not, so that rows keep their numbers.
    filled = np.full(len(missing), present[0], present.dtype)
    filled[~missing] = present
    column = encode_array(filled, argument, nulls)
    if column.missing is not None:
        missing = missing | column.missing
    return with_missing(column, missing, nulls)


def as_rows(values: Array, argument: str) -> Array:
    """A view of shape (n,), n at least 1.

    Errors:
        K101 empty; K103 neither (n,) nor (n, 1).
    """
    if values.ndim == 2 and values.shape[1] == 1:
        # np.matrix would stay two-dimensional; a masked array has to keep its mask.
        values = (values if hasattr(values, "mask") else np.asarray(values))[:, 0]
    if values.ndim != 1:
        raise error("K103", argument=argument, shape=values.shape)
    if not values.shape[0]:
        raise error("K101", argument=argument)
    return values


def native_order(array: Array) -> Array:
    """The array in native byte order and aligned; copied only when it is not."""
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.aligned else array.copy()


def _encode_integers(array: Codes, argument: str) -> Column:
    if array.dtype == np.uint64 and int(array.max()) > _INT64_MAX:
        values, codes = np.unique(array, return_inverse=True)
        return coded(argument, codes, values.tolist())
    return Column(argument, array, "integer")


def _encode_floats(array: Array, argument: str, nulls: Nulls) -> Column:
    with np.errstate(invalid="ignore", over="ignore"):
        codes = array.astype(np.int64)
        is_whole = codes == array
    # 2^63 converts to the largest int64 on some processors and compares equal to it.
    if is_whole.all() and codes.max() < _INT64_MAX:
        return Column(argument, codes, "integer")
    missing = np.isnan(array)
    is_bad = ~missing & (~np.isfinite(array) | (array != np.floor(array)))
    if is_bad.any():
        row = int(is_bad.argmax())
        count = int(np.count_nonzero(is_bad))
        raise refused(argument, "K105", array[row].item(), row, count, len(array))
    if (is_whole | missing).all() and codes[~missing].max(initial=0) < _INT64_MAX:
        return with_missing(Column(argument, codes, "integer"), missing, nulls)
    return encode_objects(array.astype(object), argument, nulls)


def _encode_fixed_text(array: Array, argument: str) -> Column:
    n, width = array.shape[0], array.dtype.itemsize
    if not width:
        return coded(argument, np.zeros(n, np.int32), [""])
    encoder = _native.TextEncoder()
    block = np.ascontiguousarray(array)
    try:
        if array.dtype.kind == "U":
            codes = encoder.encode_ucs4(block.view(np.uint32).reshape(n, width // 4))
        else:
            codes = encoder.encode_bytes(block.view(np.uint8).reshape(n, width))
        labels = encoder.labels()
    except UnicodeDecodeError:
        # One value is not text: the objects say which.
        return encode_objects(array.astype(object), argument, "error")
    return coded(argument, codes, labels)


def _encode_variable_text(array: Array, argument: str, nulls: Nulls) -> Column:
    if not hasattr(array.dtype, "na_object"):
        column = _encode_marked(array, argument)
        if column is not None:
            return column
    return encode_objects(array.astype(object), argument, nulls)


def _encode_marked(array: Array, argument: str) -> Column | None:
    """Labels of variable-width text through items of fixed width; None where these are wide."""
    # Fixed width drops trailing NULs, and NumPy counts them in a length or not, by its version: a
    # mark behind each text keeps them apart.
    marked = np.strings.add(array, "|")
    n, width = len(array), int(np.strings.str_len(marked).max())
    if width > _WIDE_TEXT_BYTES:
        return None
    encoder = _native.TextEncoder()
    try:
        codes = encoder.encode_bytes(marked.astype(f"S{width}").view(np.uint8).reshape(n, width))
    except (TypeError, UnicodeEncodeError):  # this NumPy has no such cast; not ASCII
        if 4 * width > _WIDE_TEXT_BYTES:
            return None
        codes = encoder.encode_ucs4(marked.astype(f"U{width}").view(np.uint32).reshape(n, width))
    return coded(argument, codes, [label[:-1] for label in encoder.labels()])
