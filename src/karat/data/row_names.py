"""Names of rows, ids and clusters, of any type: one whole number for each different one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow.arrays import ArrowColumn
from karat.data.labels.column import Column, Flags, resolved
from karat.errors import error, short

__all__ = ["NameCodes", "RowNames", "names_of_column", "row_called"]

Codes = npt.NDArray[np.int32]
_OFFSETS = {"u": np.int32, "U": np.int64}


@dataclass(frozen=True, slots=True, eq=False)
class RowNames:
    """What each row is called.

    Attributes:
        column: where the names come from, as messages call it.
        codes: int32[n].
        texts: the name of each code, as text: 1 of one file is '1' of another.
        hashes: what stands for the texts where another side knows no more, or None.
    """

    column: str
    codes: Codes
    texts: tuple[str, ...]
    hashes: tuple[str, ...] | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """What rows are matched by."""
        return self.texts if self.hashes is None else self.hashes

    def at(self, rows: npt.NDArray[Any]) -> RowNames:
        """Those of some rows: bool[n], or their places."""
        return replace(self, codes=self.codes[rows])

    def text(self, row: int) -> str:
        """The name of one row."""
        return self.texts[int(self.codes[row])]


def row_called(ids: RowNames | None, row: int, by: str) -> str:
    """What a message calls a row that was matched by ``"id"``, or by its order."""
    return f"row {row}" if ids is None or by != "id" else f"id {short(ids.text(row))}"


@dataclass
class NameCodes:
    """The codes of one column of text as it is streamed.

    Attributes:
        column: its name.
    """

    column: str
    _encoder: Any = field(default_factory=_native.TextEncoder, repr=False)
    _parts: list[Codes] = field(default_factory=list, repr=False)

    def add(self, column: ArrowColumn, kept: Flags | None) -> None:
        """Append the rows of a batch that are kept; none of those is null."""
        for chunk in column.chunks:
            stop = chunk.offset + chunk.length
            offsets = chunk.buffers[0].view(_OFFSETS[column.format])[chunk.offset : stop + 1]
            codes = self._encoder.encode_utf8(
                offsets, chunk.buffers[1], chunk.validity, chunk.offset
            )
            self._parts.append(codes if kept is None else codes[kept])

    def names(self) -> RowNames:
        """What was read.

        Errors:
            K106 a name is not UTF-8 text.
        """
        try:
            texts = tuple(self._encoder.labels())
        except UnicodeDecodeError as problem:
            found = f"It holds bytes that are not UTF-8 text: {problem.object[:20]!r}"
            raise error("K106", argument=f"column {self.column!r}", found=found) from None
        codes = np.concatenate(self._parts) if self._parts else np.empty(0, np.int32)
        return RowNames(f"column {self.column!r}", codes, texts)


def names_of_column(column: Column) -> RowNames:
    """The names in a column of a table, without missing rows."""
    found = resolved(column)
    codes = (found.codes.astype(np.int64) - found.base).astype(np.int32)
    texts = tuple("" if label is None else _text(label) for label in found.labels or ())
    return RowNames(column.argument, codes, texts)


def _text(label: object) -> str:
    # As files write them.
    return str(label).lower() if isinstance(label, bool) else str(label)
