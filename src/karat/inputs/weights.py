"""Weights of any container → float64[n], and the errors of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.inputs.arrow import ArrowColumn, is_arrow, read_column
from karat.inputs.arrow_numbers import nulls_of, numbers_of
from karat.inputs.identity import is_missing, short
from karat.inputs.labels import host_of, is_pandas_arrow, single_column
from karat.inputs.ndarrays import native_order

__all__ = ["Weights", "as_weights", "refuse_weights"]

Weights = npt.NDArray[np.float64]


def as_weights(
    values: Any, n: int, argument: str = "weights", *, beside: str = "y_true"
) -> Weights:
    """One weight a row, as float64.

    Missing weights become NaN.
    The values themselves are checked where they are summed, block by block;
    `refuse_weights` describes what is wrong with them.

    Args:
        values: numbers or booleans in a list, an array, a pandas, Polars or Arrow column.
        n: the number of rows of the labels.
        beside: the name of the labels in messages.

    Errors:
        K102 another number of rows; K116 another shape or not real numbers.

    Cost: none for float64 in native byte order, else one copy.
    """
    array = _numbers(values, argument)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise error("K116", argument=argument, found=f"It has shape {array.shape}")
    if array.dtype == np.object_:
        array = _from_objects(array, argument)
    if array.dtype.kind not in "biuf":
        raise error("K116", argument=argument, found=f"Its dtype is {array.dtype}")
    if len(array) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(array))
    with np.errstate(over="ignore"):
        return native_order(array).astype(np.float64, copy=False)


def refuse_weights(weights: Weights, argument: str = "weights") -> None:
    """Raise the error of the first thing that is wrong with the values of the weights.

    Errors:
        K113 negative, K114 NaN, null or infinite, K115 all zero.

    Cost: three passes.
    """
    for code, is_bad in (("K114", ~np.isfinite(weights)), ("K113", weights < 0)):
        if is_bad.any():
            row = int(is_bad.argmax())
            raise error(
                code,
                argument=argument,
                row=row,
                value=float(weights[row]),
                count=int(np.count_nonzero(is_bad)),
                n=len(weights),
            )
    if not weights.any():
        raise error("K115", argument=argument, n=len(weights))


def _numbers(values: Any, argument: str) -> npt.NDArray[Any]:
    """The values as an array of whatever dtype they have; NaN where they are null."""
    if isinstance(values, np.ndarray):
        return _unmasked(values)
    if isinstance(values, ArrowColumn):
        return _from_arrow(values, argument)
    host = host_of(values)
    if host == "narwhals":
        return _numbers(values.to_native(), argument)
    if host in ("pandas", "polars") and len(values.shape) == 2 and values.shape[1] == 1:
        values = single_column(values, argument)
    if host == "pandas":
        if values.ndim == 1 and is_pandas_arrow(values):
            return _from_arrow(read_column(values), argument)
        return np.asarray(values)
    if is_arrow(values):
        return _from_arrow(read_column(values), argument)
    if isinstance(values, Sequence) and not hasattr(values, "__array__"):
        return _from_list(list(values), argument)
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as problem:
        found = f"A {type(values).__name__} does not become an array: {problem}"
        raise error("K116", argument=argument, found=found) from problem


def _from_list(values: list[Any], argument: str) -> npt.NDArray[Any]:
    try:
        return np.array(values)
    except (TypeError, ValueError):
        found = f"Its {len(values)} items do not have one shape"
        raise error("K116", argument=argument, found=found) from None


def _unmasked(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if not hasattr(values, "mask") or values.dtype.kind not in "biuf":
        return np.asarray(values)
    return np.where(np.ma.getmaskarray(values), np.nan, np.asarray(values))


def _from_objects(array: npt.NDArray[Any], argument: str) -> Weights:
    # Conversion would read the text '2' as a number.
    for kind in set(map(type, array)):
        if issubclass(kind, str | bytes | complex):
            raise error("K116", argument=argument, found=f"It holds values of type {kind.__name__}")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        return np.array([_from_object(item, argument) for item in array], np.float64)


def _from_object(item: Any, argument: str) -> float:
    if is_missing(item):
        return float("nan")
    try:
        return float(item)
    except (TypeError, ValueError):
        found = f"It holds {short(item)} ({type(item).__name__})"
        raise error("K116", argument=argument, found=found) from None


def _from_arrow(column: ArrowColumn | None, argument: str) -> npt.NDArray[Any]:
    if column is None:
        raise error("K116", argument=argument, found="It has several columns")
    missing = nulls_of(column)
    numbers = numbers_of(column)
    if column.chunks and column.format == "n":
        return np.full(len(column), np.nan)
    if numbers is None:
        found = f"Its Arrow type has the format {column.format!r}"
        if not column.chunks:
            found = "It has 0 rows"
        raise error("K116", argument=argument, found=found)
    if missing is None:
        return numbers
    return np.where(missing, np.nan, numbers.astype(np.float64))
