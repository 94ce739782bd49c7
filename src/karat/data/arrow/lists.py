"""Arrow columns of lists, all of one length → matrices: views of the values they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.arrow.arrays import ArrowColumn, Chunk
from karat.data.arrow.numbers import pieces_of
from karat.data.labels.column import Flags

__all__ = ["NotOneLengthError", "lists_of"]


class NotOneLengthError(Exception):
    """Lists differ in length: `args` is (row, its length, the length of row 0)."""


def lists_of(
    column: ArrowColumn, rows: Flags | None = None
) -> tuple[list[npt.NDArray[Any]] | None, Flags | None]:
    """The lists of a column, none of them null, as one matrix a chunk.

    Args:
        rows: bool[n], the rows wanted, of a column of one chunk; None for all.

    Returns:
        The matrices, number[m, k], or None when the lists do not hold plain numbers;
        and bool[n, k] of the items that are null, or None when there are none.

    Errors:
        NotOneLengthError: the lists differ in length.

    Cost: views; one copy of chunks whose lists do not lie end to end.
    """
    width: int | None = None
    first_row = 0
    matrices: list[npt.NDArray[Any]] = []
    nulls: list[Flags | None] = []
    for chunk in column.chunks:
        starts, lengths = _extents(chunk)
        if rows is not None:
            starts, lengths = starts[rows], lengths[rows]
            if not len(starts):
                continue
        width = int(lengths[0]) if width is None else width
        if (lengths != width).any():
            row = int((lengths != width).argmax())
            raise NotOneLengthError(first_row + row, int(lengths[row]), width)
        items = chunk.items
        assert items is not None
        values = pieces_of(ArrowColumn("", items.format, items.dictionary is not None, (items,)))
        if values is None or not width:
            return None, None
        matrices.append(_rows(values[0], starts, width))
        missing = items.nulls()
        nulls.append(None if missing is None else _rows(missing, starts, width))
        first_row += len(starts)
    flags = None
    if any(part is not None and part.any() for part in nulls):
        flags = np.concatenate(
            [
                np.zeros(matrix.shape, np.bool_) if part is None else part
                for part, matrix in zip(nulls, matrices, strict=True)
            ]
        )
    return matrices, flags


def _extents(chunk: Chunk) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where each list of a chunk starts among the items, and how long it is."""
    rows = slice(chunk.offset, chunk.offset + chunk.length)
    if chunk.format.startswith("+w:"):
        width = int(chunk.format[3:])
        starts = np.arange(rows.start, rows.stop, dtype=np.int64) * width
        return starts, np.full(chunk.length, width)
    offsets = chunk.buffers[0].view(np.int32 if chunk.format == "+l" else np.int64)
    ends = offsets[rows.start : rows.stop + 1].astype(np.int64)
    return ends[:-1], np.diff(ends)


def _rows(values: npt.NDArray[Any], starts: npt.NDArray[np.int64], width: int) -> Any:
    n = len(starts)
    if starts[-1] - starts[0] == (n - 1) * width and (n < 3 or (np.diff(starts) == width).all()):
        return values[starts[0] : starts[0] + n * width].reshape(n, width)
    return values[starts[:, None] + np.arange(width)]
