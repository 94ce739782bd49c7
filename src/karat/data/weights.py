"""Conversion of weights in any container to float64[n], and errors of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from karat.data.arrow import ArrowColumn, is_arrow, nulls_of, numbers_of, read_column
from karat.data.labels.arrays import native_order
from karat.data.labels.column import is_missing, of_rows
from karat.data.labels.containers import (
    array_of,
    host_of,
    is_pandas_arrow,
    is_sparse,
    single_column,
)
from karat.data.percents import conversion
from karat.data.sources.distributed.frames import refuse_distributed
from karat.errors import KaratError, error, short, shown
from karat.errors.reasons import NotWeightsError

if TYPE_CHECKING:
    from karat.tally.cells import Cells

Weights = npt.NDArray[np.float64]

_SUM_MAX, _SUM_MIN = 1e140, 1e-140
"""Range of sums of weights: formulas multiply two of them, and sum up to k² products."""


def as_weights(
    values: Any, n: int, argument: str = "weights", *, beside: str = "y_true"
) -> Weights:
    """Return one weight for each row, as float64.

    Missing weights become NaN. The values are checked when they are summed, block by block;
    `refuse_weights` describes invalid ones.

    Args:
        values: numbers or booleans in a list, an array, a pandas, Polars or Arrow column.
        n: the number of rows of the labels.
        beside: the name of the labels in messages.

    Errors:
        K102 another number of rows; K116 another shape or not real numbers; K125 a whole number
        that float64 cannot hold; K416 they are partitioned.

    Cost: none for float64 in native byte order, else one copy.
    """
    try:
        array = _array(values, argument)
    except NotWeightsError as problem:
        advice = conversion(values, argument)
        if advice is None:
            raise
        raise problem.but(advice=advice) from None
    if len(array) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(array))
    with np.errstate(over="ignore"):
        return native_order(array).astype(np.float64, copy=False)


def _array(values: Any, argument: str) -> npt.NDArray[Any]:
    """Return the weights as an array of numbers."""
    if isinstance(values, Mapping):
        do = "Give one number a row: look up the weight of the class of each row."
        found = f"It is a dict with {shown(values, 4) or 'nothing'}"
        raise error("K116", argument=argument, found=found, advice=do)
    try:
        array = _numbers(values, argument)
    except (KaratError, MemoryError):
        raise
    except Exception as problem:  # the class of the container may raise anything
        found = f"A {type(values).__name__} cannot be read: {short(problem, 200)}"
        raise error("K116", argument=argument, found=found) from problem
    if array.ndim == 2 and array.shape[1] == 1:
        # np.matrix would stay two-dimensional.
        array = np.asarray(array)[:, 0]
    if array.ndim != 1:
        raise error("K116", argument=argument, found=f"It has shape {array.shape}")
    if array.dtype == np.object_:
        array = _from_objects(array, argument)
    if array.dtype.kind not in "biuf":
        raise error("K116", argument=argument, found=f"Its dtype is {array.dtype}")
    return array


def refuse_weights(weights: Weights, argument: str = "weights") -> None:
    """Raise the error of the first invalid weight.

    Errors:
        K113 negative, K114 NaN, null or infinite, K115 all zero.

    Cost: three passes.
    """
    for code, is_bad in (("K114", ~np.isfinite(weights)), ("K113", weights < 0)):
        if is_bad.any():
            value = float(weights[is_bad.argmax()])
            raise error(code, argument=argument, value=value, **of_rows(is_bad))
    if not weights.any():
        raise error("K115", argument=argument, n=len(weights))


def refuse_weights_of_cells(cells: Cells) -> None:
    """Refuse weights that add up to nothing (K115), or that formulas cannot bear (K125)."""
    if cells.is_weighted:
        if not cells.counts.any():
            raise error("K115", argument="weights", n=int(cells.n_rows))
        refuse_sums(cells.counts)


def refuse_sums(sums: npt.NDArray[np.float64], argument: str = "weights") -> None:
    """Refuse sums of weights whose products would overflow or underflow in a formula.

    Args:
        sums: finite or not, at least 0; sums of 0 have no rows.

    Errors:
        K125 their total exceeds 1e140, or a nonzero one is below 1e-140.

    Cost: one pass over the sums.
    """
    # An overflowing sum of finite weights is infinite or NaN: neither is at most the limit.
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(sums.sum())
    if not total <= _SUM_MAX:
        found = f"It adds up to {total:.3g}, more than {_SUM_MAX:g}"
        if not np.isfinite(total):
            found = "It adds up to more than a float64 holds"
        raise error("K125", argument=argument, found=found)
    smallest = float(sums.min(initial=np.inf, where=sums > 0))
    if smallest < _SUM_MIN:
        found = f"The rows of one cell or class add up to {smallest:.3g}, less than {_SUM_MIN:g}"
        raise error("K125", argument=argument, found=found)


def _numbers(values: Any, argument: str) -> npt.NDArray[Any]:
    """Return the values as an array of their dtype; NaN for null."""
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
    refuse_distributed(values, argument)
    if is_arrow(values):
        return _from_arrow(read_column(values), argument)
    if is_sparse(values):
        found = f"It is a {type(values).__name__}, which is sparse; give its toarray()"
        raise error("K116", argument=argument, found=found)
    if isinstance(values, str | bytes | bytearray):
        # Bytes would be read as the numbers of their characters.
        raise error("K116", argument=argument, found=f"It is a {type(values).__name__}")
    if hasattr(values, "as_py"):
        raise error("K116", argument=argument, found="It is a single value")
    is_listed = isinstance(values, Sequence) and not isinstance(values, memoryview)
    if is_listed and not hasattr(values, "__array__"):
        return _from_list(list(values), argument)
    return array_of(values)


def _from_list(values: list[Any], argument: str) -> npt.NDArray[Any]:
    types = set(map(type, values))
    if types <= {int, float, bool}:
        # An integer too large for float64 is reported below.
        with suppress(OverflowError):
            return np.array(values, np.float64)
    # NumPy would recurse into nested lists, and convert mixed types to floats or text.
    objects = np.empty(len(values), np.object_)
    for place, item in enumerate(values):
        is_row = isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim)
        if is_row and len(item) != 1:
            found = f"Row {place} holds {len(item)} values"
            raise error("K116", argument=argument, found=found)
        objects[place] = item[0] if is_row else item
    return objects


def _unmasked(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if not hasattr(values, "mask") or array.dtype.kind not in "biufO":
        return array
    dtype = np.object_ if array.dtype.kind == "O" else None
    masked: npt.NDArray[Any] = np.array(np.where(np.ma.getmaskarray(values), np.nan, array), dtype)
    return masked


_NOT_REAL = (str, bytes, bytearray, complex, np.complexfloating, np.datetime64, np.timedelta64)


def _from_objects(array: npt.NDArray[Any], argument: str) -> Weights:
    # Conversion would read the text '2' as a number.
    types = set(map(type, array))
    for kind in types:
        if issubclass(kind, _NOT_REAL):
            raise error("K116", argument=argument, found=f"It holds values of type {kind.__name__}")
    with np.errstate(over="ignore"):
        if all(issubclass(kind, int | float | np.number | np.bool_) for kind in types):
            # An integer too large for float64 is reported below.
            with suppress(OverflowError):
                return array.astype(np.float64)
        return np.array([_from_object(item, argument) for item in array], np.float64)


def _from_object(item: Any, argument: str) -> float:
    if is_missing(item) or np.ma.is_masked(item):
        return float("nan")
    try:
        if isinstance(item, np.ndarray) and (item.ndim or item.dtype.kind not in "biuf"):
            raise TypeError
        return float(item)
    except OverflowError:
        found = f"It holds {short(item)}, more than a float64 holds"
        raise error("K125", argument=argument, found=found) from None
    except Exception:  # a class of another library may raise anything
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
