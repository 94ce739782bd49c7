"""Encoding of labels from any container as `Column`, with one function for each host.

pandas, Polars and torch are recognized by the names of their classes and never imported.
"""

from __future__ import annotations

from collections import abc
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow import ArrowColumn, is_arrow, read_column
from karat.data.labels.arrays import (
    encode_array,
    encode_arrow,
    encode_dictionary,
    encode_objects,
    encode_present,
)
from karat.data.labels.column import Column, Nulls, refuse_rows_of_pipeline
from karat.data.sources.distributed.frames import refuse_distributed
from karat.errors import KaratError, error, short


def encode(values: Any, argument: str, *, nulls: Nulls = "error") -> Column:
    """Encode the labels of one argument.

    Args:
        values: a list or tuple, an array (NumPy, or anything that becomes one), a pandas or Polars
            column, an Arrow array or chunked array, a frame of one column, an `ArrowColumn`.
        argument: its name in messages.
        nulls: ``"keep"`` marks missing rows in `Column.missing`, for `drop_missing`.

    Errors:
        K101 empty, K103 not one column, K104 missing, K105 not whole, K106 not a label or not
        readable, K107 strings with numbers, K416 it is partitioned.

    Cost: arrays of integers, booleans and stored codes are not copied; text is hashed once.

    Example:
        >>> encode(["cat", "dog", "cat"], "y_true").codes.tolist()
        [0, 1, 0]
    """
    try:
        return _encode(values, argument, nulls)
    except (KaratError, MemoryError):
        raise
    except _native.Rejected as rejected:
        found = f"Row {rejected.args[2]} points outside its memory or holds no valid text"
        raise error("K106", argument=argument, found=found) from None
    except Exception as problem:  # the class of the container may raise anything
        found = f"A {type(values).__name__} cannot be read: {short(problem, 200)}"
        raise error("K106", argument=argument, found=found) from problem


def _encode(values: Any, argument: str, nulls: Nulls) -> Column:
    if isinstance(values, np.ndarray):
        return encode_array(values, argument, nulls)
    if isinstance(values, list | tuple):
        return _encode_sequence(values, argument, nulls)
    if isinstance(values, ArrowColumn):
        return encode_arrow(values, argument, nulls)
    host = host_of(values)
    if host == "narwhals":
        return encode(values.to_native(), argument, nulls=nulls)
    if host == "pandas":
        return _encode_pandas(values, argument, nulls)
    if host == "polars":
        values = values.collect() if hasattr(values, "collect") else values
        if len(values.shape) == 2:
            values = single_column(values, argument)
        if str(values.dtype) == "Object":
            return _encode_sequence(values.to_list(), argument, nulls)
        return _encode_arrow_host(values, argument, nulls)
    refuse_distributed(values, argument)
    if is_arrow(values):
        return _encode_arrow_host(values, argument, nulls)
    return _encode_other(values, argument, nulls)


def host_of(values: object) -> str:
    """Return the library of a container: the top package of its class or of a base class."""
    kind: Any = type(values)
    return _host_of_class(kind)


@lru_cache(maxsize=256)
def _host_of_class(kind: Any) -> str:
    known = ("pandas", "polars", "narwhals", "pyarrow", "duckdb", "torch")
    modules = [str(base.__module__) for base in kind.__mro__]
    packages = [module.partition(".")[0].lstrip("_") for module in modules]
    return next((package for package in packages if package in known), packages[0])


def index_of(values: Any) -> Any:
    """Return the names of the rows of a pandas object; None for others."""
    index = getattr(values, "index", None)
    return None if callable(index) or host_of(values) != "pandas" else index


def is_sparse(values: object) -> bool:
    """Return whether an object is a SciPy sparse matrix, which NumPy takes for a scalar."""
    return host_of(values) == "scipy" and hasattr(values, "toarray")


def csr_of(matrix: Any, argument: str) -> Any:
    """A sparse matrix of SciPy as CSR, checked before anything reads where its indices lead.

    Errors:
        K103 not two axes; K106 complex numbers; K205 parts that contradict each other, which SciPy
        checks in no method of its own and reads past the end by.
    """
    if matrix.ndim != 2:
        raise error("K103", argument=argument, shape=matrix.shape)
    if matrix.dtype.kind == "c":
        raise error("K106", argument=argument, found="It holds complex numbers")
    try:
        if matrix.format == "coo":
            _check_coordinates(matrix.coords, matrix.shape)
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        rows = matrix.tocsr()
        rows.check_format(full_check=True)
    except (ValueError, IndexError, TypeError, OverflowError, RuntimeError) as problem:
        do = f"Build it again, from coordinates or from {argument}.toarray() of the whole one."
        found = f"{argument}: {problem}"
        raise error("K205", thing="sparse matrix", found=found, do=do) from None
    return rows


def _check_coordinates(coordinates: Any, shape: tuple[int, ...]) -> None:
    for places, size in zip(coordinates, shape, strict=True):
        if len(places) and not (places.min() >= 0 and places.max() < size):
            raise ValueError(f"coordinates go from {places.min()} to {places.max()} of {size}")


def detached(tensor: Any) -> Any:
    """Return a tensor that NumPy can read: on the CPU, without gradient, not bfloat16."""
    tensor = tensor.detach()
    if not getattr(tensor, "is_cpu", True):
        tensor = tensor.cpu()
    return tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor


def array_of(values: Any) -> npt.NDArray[Any]:
    """Return the NumPy array of a container of numbers, also from a device."""
    if host_of(values) == "torch":
        return np.asarray(detached(values))
    # CuPy copies to the host only on request.
    if host_of(values) == "cupy":
        return np.asarray(values.get())
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def single_column(frame: Any, argument: str) -> Any:
    """Return the single column of a pandas or Polars frame (K103: it has another number)."""
    if frame.shape[1] != 1:
        raise error("K103", argument=argument, shape=frame.shape)
    return frame.iloc[:, 0] if host_of(frame) == "pandas" else frame.to_series(0)


def is_pandas_arrow(series: Any) -> bool:
    """Return whether a pandas Series stores Arrow memory and exports it."""
    dtype = series.dtype
    is_stored = type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", "") == "pyarrow"
    return is_stored and hasattr(series, "__arrow_c_stream__")


def _encode_sequence(values: list[Any] | tuple[Any, ...], argument: str, nulls: Nulls) -> Column:
    if not values:
        raise error("K101", argument=argument)
    if not _shape(values[0]):
        return encode_objects(values, argument, nulls)
    refuse_rows_of_pipeline(values, argument)
    # Rows of one label each have shape (n, 1). NumPy would recurse into nested lists.
    shapes = set(map(_shape, values))
    items = [row[0] for row in values] if shapes == {(1,)} else []
    if items and not any(map(_shape, items)):
        return encode_objects(items, argument, nulls)
    shape: Any = f"({len(values)}, 1, …)" if items else f"({len(values)}, varying)"
    if len(shapes) == 1 and not items:
        shape = (len(values), *shapes.pop())
    raise error("K103", argument=argument, shape=shape)


def _shape(item: Any) -> tuple[int, ...]:
    """Return the shape of a row that is a list or an array; () for a single value."""
    if isinstance(item, np.ndarray):
        return tuple(item.shape)
    return (len(item),) if isinstance(item, list) else ()


def _encode_pandas(values: Any, argument: str, nulls: Nulls) -> Column:
    if values.ndim != 1:
        return encode(single_column(values, argument), argument, nulls=nulls)
    if not len(values):
        raise error("K101", argument=argument)
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return encode_array(np.asarray(values), argument, nulls)
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        # A Series keeps its categorical behind .cat; an index or array is one itself.
        categorical = getattr(values, "cat", values)
        codes = np.asarray(categorical.codes)
        return encode_dictionary(
            codes,
            list(categorical.categories),
            argument,
            nulls,
            missing=codes < 0 if codes.min() < 0 else None,
            is_ordered=bool(dtype.ordered),
        )
    if is_pandas_arrow(values):
        return _encode_arrow_host(values, argument, nulls)
    if type(dtype).__name__ == "StringDtype":
        # Objects, one of which marks a missing row.
        return encode_array(np.asarray(values, object), argument, nulls)
    # Through NumPy, a column with NA would become floats and lose large integers.
    missing = np.asarray(values.isna())
    if not missing.any():
        return encode_array(np.asarray(values), argument, nulls)
    return encode_present(np.asarray(values[~missing]), missing, argument, nulls)


def _encode_arrow_host(values: Any, argument: str, nulls: Nulls) -> Column:
    column = read_column(values)
    if column is None:
        raise error("K103", argument=argument, shape=getattr(values, "shape", "of several columns"))
    return encode_arrow(column, argument, nulls)


def _encode_other(values: Any, argument: str, nulls: Nulls) -> Column:
    if isinstance(values, abc.Mapping | abc.Set):
        found = f"It is a {type(values).__name__}, whose items have no rows"
        raise error("K106", argument=argument, found=found)
    if isinstance(values, str | bytes | bytearray):
        raise error("K103", argument=argument, shape=())
    is_listed = isinstance(values, abc.Sequence | abc.ValuesView)
    if is_listed and not hasattr(values, "__array__") and not isinstance(values, memoryview):
        return _encode_sequence(list(values), argument, nulls)
    if hasattr(values, "as_py"):
        # A text of Arrow shows its bytes as numbers.
        raise error("K103", argument=argument, shape=())
    try:
        array = array_of(values)
    except Exception as problem:  # the class of the container may raise anything
        found = f"A {type(values).__name__} does not become an array: {problem}"
        raise error("K106", argument=argument, found=found) from problem
    if array.ndim == 0 and array.dtype == np.object_:
        found = f"It is a {type(values).__name__}, which is not one label per row"
        raise error("K106", argument=argument, found=found)
    return encode_array(array, argument, nulls)
