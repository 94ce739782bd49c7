"""Numbers and nulls of an Arrow column as NumPy arrays, its chunks joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from karat.data.arrow.arrays import ArrowColumn, Chunk, bits
from karat.data.labels.column import Flags

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["joined", "nulls_of", "numbers_of", "pieces_of"]

_PLAIN = frozenset("cCsSiIlLefg")
_INT64_DIGITS = 18


def joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """One array of all parts; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def nulls_of(column: ArrowColumn) -> Flags | None:
    """bool[n] of the rows that are null; None when there are none."""
    parts = [chunk.nulls() for chunk in column.chunks]
    if all(part is None for part in parts):
        return None
    return np.concatenate(
        [
            np.zeros(chunk.length, np.bool_) if part is None else part
            for chunk, part in zip(column.chunks, parts, strict=True)
        ]
    )


def pieces_of(column: ArrowColumn) -> list[npt.NDArray[Any]] | None:
    """The values of a column of plain numbers, one view a chunk; None for any other type.

    What stands in null rows means nothing.
    """
    if column.is_dictionary or not column.chunks or column.format not in _PLAIN:
        return None
    return [chunk.numbers() for chunk in column.chunks]


def numbers_of(column: ArrowColumn) -> npt.NDArray[Any] | None:
    """The values of a column of numbers or booleans; None for any other type.

    What stands in null rows means nothing.
    Decimals become int64 where all are whole, else objects.

    Cost: none for one chunk of plain numbers, else one copy.
    """
    if column.is_dictionary or not column.chunks:
        return None
    pieces = pieces_of(column)
    if pieces is not None:
        return joined(pieces)
    if column.format == "b":
        return joined([bits(c.buffers[0], c.offset, c.length) for c in column.chunks])
    if column.format.startswith("d:") and all(chunk.buffers for chunk in column.chunks):
        return _decimals(column.chunks)
    return None


def _decimals(chunks: tuple[Chunk, ...]) -> npt.NDArray[Any]:
    _, scale, *rest = (int(text) for text in chunks[0].format[2:].split(","))
    n_words = (rest[0] if rest else 128) // 64
    stored = [chunk.buffers[0].view(np.int64).reshape(-1, n_words) for chunk in chunks]
    words = joined([w[c.offset : c.offset + c.length] for w, c in zip(stored, chunks, strict=True)])
    low = words[:, 0]
    # The words above the lowest only repeat its sign, in a number that fits into it.
    is_narrow = bool((words[:, 1:] == (low >> 63)[:, None]).all())
    if is_narrow and not scale:
        return low
    if is_narrow and scale <= _INT64_DIGITS and not (low % 10**scale).any():
        whole: npt.NDArray[Any] = low // 10**scale
        return whole
    return np.array([_decimal(row.tobytes(), scale) for row in words], np.object_)


def _decimal(raw: bytes, scale: int) -> Decimal:
    from decimal import Decimal

    number = int.from_bytes(raw, "little", signed=True)
    # From its digits, since arithmetic would round to the precision of the context.
    digits = tuple(map(int, str(abs(number))))
    return Decimal((int(number < 0), digits, -scale))
