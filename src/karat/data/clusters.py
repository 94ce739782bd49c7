"""Clusters of any container → one number a row: rows with the same number go together."""

from __future__ import annotations

from datetime import date, time
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow.arrays import ArrowColumn
from karat.data.labels.column import Column, Nulls, resolved
from karat.data.labels.containers import encode
from karat.errors import KaratError, error

__all__ = ["as_clusters", "codes_of_clusters", "encode_names", "one_cluster"]


def as_clusters(
    values: Any, n: int, argument: str = "clusters", *, beside: str = "y_true"
) -> npt.NDArray[np.int64]:
    """int64[n]: the cluster of each row, numbered from 0.

    Args:
        values: names or whole numbers in any container that holds labels.
        n: the number of rows of the labels.
        beside: the name of the labels in messages.

    Errors:
        K101 to K107 as labels: empty, not one column, missing, not whole; K102 another number
        of rows.

    Cost: one pass; text is hashed once.

    Example:
        >>> as_clusters(["ann", "bob", "ann"], 3).tolist()
        [0, 1, 0]
    """
    column = encode_names(values, argument, "error")
    if len(column) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(column))
    return codes_of_clusters(column)


def codes_of_clusters(column: Column) -> npt.NDArray[np.int64]:
    """int64[n]: numbers from 0 for the values of a column without missing rows."""
    if column.labels is not None:
        # Two codes may stand for one value where a host stores it twice.
        found = resolved(column)
        return np.unique(found.codes, return_inverse=True)[1].astype(np.int64)
    codes, _ = _native.encode_integers(column.codes)
    return np.asarray(codes, np.int64)


def encode_names(values: Any, argument: str, nulls: Nulls) -> Column:
    """Names of rows: labels of any kind, or times, which are taken as text.

    Errors:
        K101 to K107 as labels.
    """
    try:
        return encode(values, argument, nulls=nulls)
    except KaratError as problem:
        texts = _times(values) if problem.code == "K106" else None
        if texts is None:
            raise
    return encode(texts, argument, nulls=nulls)


def _times(values: Any) -> list[str | None] | None:
    """Times as text, None where there is none; None where they are no times."""
    if isinstance(values, ArrowColumn):
        return _times_of_arrow(values)
    try:
        found = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    except Exception:  # the class of the container may raise anything
        return None
    if found.ndim != 1:
        return None
    if found.dtype.kind == "M":
        missing = np.isnat(found)
        texts = found.astype(str).tolist()
        return [None if gone else text for text, gone in zip(texts, missing, strict=True)]
    if found.dtype.kind != "O":
        return None
    items = [None if item is None or _is_nan(item) else item for item in found.tolist()]
    are_times = all(item is None or isinstance(item, date | time) for item in items)
    return [None if item is None else str(item) for item in items] if are_times else None


def _is_nan(item: Any) -> bool:
    try:
        return bool(item != item)
    except ArithmeticError:  # the signalling NaN of a Decimal
        return True


def _times_of_arrow(column: ArrowColumn) -> list[str | None] | None:
    """The numbers that times are stored as: they tell one from another."""
    width = _TIMES.get(column.format[:3])
    if width is None:
        return None
    texts: list[str | None] = []
    for chunk in column.chunks:
        stop = chunk.offset + chunk.length
        numbers = chunk.buffers[0].view(width)[chunk.offset : stop].tolist()
        nulls = chunk.nulls()
        gone = [False] * len(numbers) if nulls is None else nulls.tolist()
        texts += [None if is_null else str(x) for x, is_null in zip(numbers, gone, strict=True)]
    return texts


_TIMES: dict[str, type[np.signedinteger[Any]]] = {
    "tdD": np.int32,
    "tdm": np.int64,
    "tts": np.int32,
    "ttm": np.int32,
    "ttu": np.int64,
    "ttn": np.int64,
    "tss": np.int64,
    "tsm": np.int64,
    "tsu": np.int64,
    "tsn": np.int64,
}
"""The numbers of Arrow's times, by their format."""


def one_cluster(n: int) -> KaratError:
    """K145 of n rows."""
    return error("K145", rows="1 row has" if n == 1 else f"{n} rows have")
