"""Label columns of a relation as blocks of integer codes, in bounded memory.

Batches depend on the reader. Blocks all have the same number of rows, so that float sums over them
depend neither on row groups nor on threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow import ArrowColumn, batches, nulls_of, numbers_of
from karat.data.labels.align import check_kinds
from karat.data.labels.arrays import encode_array
from karat.data.labels.column import Codes, Column, Flags, missing_values
from karat.errors import error
from karat.errors.reasons import NotWholeError
from karat.tally import Label

N_BLOCK = 1 << 20
"""Number of rows of a block: large enough for the counting threads, at most 24 MB."""
TRUE, PRED, WEIGHT = "c0", "c1", "c2"
_TEXT_OFFSETS = {"u": np.int32, "U": np.int64}


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows.

    Attributes:
        first_row: index of the first of them over the whole read.
        true, pred: integer[n]: labels that are integers, else codes of `RowBlocks.texts`.
        weights: float64[n], or None.
    """

    first_row: int
    true: Codes
    pred: Codes
    weights: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a stream.

    Attributes:
        first_row: index of the first of them, including dropped ones.
        n: number of rows, including dropped ones.
        parts: truth, prediction and optional weights of the kept rows.
        kept: bool[n], or None if all rows are.
        columns: every column of the stream by its name in SQL, with every row.
    """

    first_row: int
    n: int
    parts: list[npt.NDArray[Any]]
    kept: Flags | None
    columns: dict[str, ArrowColumn]


@dataclass
class RowBlocks:
    """Reads a query of two label columns and optional weights; it can be read more than once.

    Attributes:
        open: function that starts the query and returns its stream, any object with
            ``__arrow_c_stream__``.
        names: columns in messages: truth, prediction, and weights if any.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
        absent: integer[m], codes of the texts that denote a missing label.
        n_dropped: number of rows left out by the last read.
        unverified: code of a prediction → number of those whose truth is missing.
        is_text: whether the labels of the last read are texts.
        is_boolean: whether both columns of the last read are booleans.
        beside: more columns of the stream, which `batches` returns unchanged.
        named: likewise columns of ids and clusters: their names in SQL and in messages, and the
            noun for their values; none may be missing.
        is_one_csv: whether they are the rows of one CSV.
        are_written: whether labels are text as written, whatever they look like.
    """

    open: Callable[[], Any]
    names: tuple[str, ...]
    nulls: Literal["error", "drop"] = "error"
    absent: npt.NDArray[np.int64] | None = None
    n_dropped: int = 0
    is_text: bool = False
    is_boolean: bool = False
    beside: tuple[str, ...] = ()
    named: tuple[tuple[str, str, str], ...] = ()
    is_one_csv: bool = False
    are_written: bool = False
    unverified: Counter[int] = field(default_factory=Counter)
    _encoder: Any = field(default_factory=_native.TextEncoder, repr=False)

    @property
    def has_weights(self) -> bool:
        return len(self.names) > 2

    @property
    def n_texts(self) -> int:
        return len(self._encoder)

    def texts(self) -> list[str]:
        """The text of each code."""
        return list(self._encoder.labels())

    def __iter__(self) -> Generator[Block, None, None]:
        """Yield blocks in row order; the stream is closed with the iterator.

        Errors:
            K104 a label is missing and `nulls` is ``"error"``; K108 text beside numbers;
            K407 numbers that are not whole.
        """
        self.n_dropped = 0
        columns: list[npt.NDArray[Any]] = []
        filled = first_row = 0
        for parts in (batch.parts for batch in self.batches()):
            if not columns:
                # Returned blocks are views of these; they are counted before the next.
                columns = [np.empty(N_BLOCK, part.dtype) for part in parts]
            start, n = 0, len(parts[0])
            while start < n:
                taken = min(N_BLOCK - filled, n - start)
                for column, part in zip(columns, parts, strict=True):
                    column[filled : filled + taken] = part[start : start + taken]
                filled, start = filled + taken, start + taken
                if filled == N_BLOCK:
                    yield Block(first_row, *(column[:filled] for column in columns))
                    first_row, filled = first_row + filled, 0
        if filled:
            yield Block(first_row, *(column[:filled] for column in columns))

    def batches(self) -> Generator[Batch, None, None]:
        """Yield batches of the reader, in row order; errors as for the blocks."""
        self.n_dropped = 0
        self.unverified.clear()
        row = 0
        is_checked = False
        names = [TRUE, PRED, WEIGHT][: len(self.names)]
        labels = [
            (name, shown, "labels") for name, shown in zip(names, self.names[:2], strict=False)
        ]
        checked = [*labels, *self.named]
        of_rows = [name for name, _, _ in self.named]
        stream = batches(self.open(), [*names, *of_rows, *self.beside])
        for batch in stream:
            true, pred = (self._labels(batch[name], i, row) for i, name in enumerate(names[:2]))
            self.is_text = true.kind == "string"
            self.is_boolean = true.kind == pred.kind == "boolean"
            parts: list[npt.NDArray[Any]] = [true.codes, pred.codes]
            missing = [column.missing for column in (true, pred)]
            missing += [nulls_of(batch[name]) for name in of_rows]
            if self.has_weights:
                weights, no_weight = _weights(batch[WEIGHT])
                parts.append(weights)
                missing.append(no_weight if self.nulls == "drop" else None)
            flags = [flag for flag in missing if flag is not None]
            kept = None
            row += len(true)
            if flags:
                if self.nulls == "error":
                    first = [
                        len(true) if flag is None or not flag.any() else int(flag.argmax())
                        for flag in missing[: len(checked)]
                    ]
                    place = first.index(min(first))
                    texts = self.texts() if place < len(labels) and self.is_text else ()
                    known = row - len(true)
                    raise _missing(*checked[place], missing[place], known, stream, texts)
                self.leave_out(parts[1], *missing[:2])
                kept = ~np.logical_or.reduce(flags)
                parts = [part[kept] for part in parts]
                self.n_dropped += int(len(kept) - np.count_nonzero(kept))
            if not is_checked and len(parts[0]):
                # Of present rows: a column of only nulls has no kind.
                check_kinds(self._told(true, parts[0]), self._told(pred, parts[1]))
                is_checked = True
            yield Batch(row - len(true), len(true), parts, kept, batch)

    def leave_out(
        self, pred: npt.NDArray[Any], no_truth: Flags | None, no_pred: Flags | None
    ) -> None:
        """Count the predictions of rows without truth."""
        if no_truth is None:
            return
        is_lost = no_truth if no_pred is None else no_truth & ~no_pred
        codes, counts = np.unique(pred[is_lost], return_counts=True)
        self.unverified.update(dict(zip(codes.tolist(), counts.tolist(), strict=True)))

    def take_unverified(self, labels: Mapping[int, Label]) -> dict[Label, int]:
        """Return the rows without truth by their prediction, once; codes without label stay."""
        return {
            labels[code]: self.unverified.pop(code) for code in [*self.unverified] if code in labels
        }

    def _labels(self, column: ArrowColumn, place: int, row: int) -> Column:
        argument = f"column {self.names[place]!r}"
        missing = nulls_of(column)
        if column.format in _TEXT_OFFSETS:
            (chunk,) = column.chunks
            stop = chunk.offset + chunk.length
            offsets = chunk.buffers[0].view(_TEXT_OFFSETS[column.format])
            codes = self._encoder.encode_utf8(
                offsets[chunk.offset : stop + 1], chunk.buffers[1], chunk.validity, chunk.offset
            )
            if self.absent is not None:
                missing = np.isin(codes, self.absent) | (False if missing is None else missing)
                missing = missing if missing.any() else None
            return Column(argument, codes, "string", missing=missing)
        numbers = numbers_of(column)
        assert numbers is not None, column.format
        if missing is not None:
            # Content under a null is arbitrary.
            numbers = np.where(missing, numbers.dtype.type(0), numbers)
        try:
            found = encode_array(numbers, argument, "keep")
        except NotWholeError as problem:
            facts = problem.context
            raise error(
                "K407", column=self.names[place], row=row + facts["row"], value=facts["value"]
            ) from None
        if found.kind == "integer" and found.labels is not None:
            # Codes of this block only: they would have another meaning in the next one.
            raise error(
                "K106",
                argument=argument,
                found="It holds whole numbers beyond 64 bits (−2^63 to 2^63−1); "
                "read them as text: SELECT col::VARCHAR",
            )
        if found.missing is not None:
            missing = found.missing if missing is None else missing | found.missing
        return Column(argument, found.codes, found.kind, missing=missing)

    def _told(self, column: Column, codes: npt.NDArray[Any]) -> Column:
        """Return the column with the first of these labels, for a message that shows it."""
        if column.kind != "string":
            return replace(column, codes=codes)
        return replace(column, codes=codes[:1] * 0, labels=(self.texts()[codes[0]],))

    def first_and_count(self, test: Callable[[Block], Flags]) -> tuple[int, int, int]:
        """Return the first row that passes a test, the number that do, and the number of rows.

        Cost: a second read of the data; for error messages.
        """
        first, count, n = -1, 0, 0
        for block in self:
            flags = test(block)
            if first < 0 and flags.any():
                first = block.first_row + int(flags.argmax())
            count += int(np.count_nonzero(flags))
            n += len(flags)
        return first, count, n


def _missing(
    column: str,
    name: str,
    things: str,
    flags: Flags | None,
    row: int,
    rest: Iterator[dict[str, ArrowColumn]],
    texts: Sequence[str],
) -> Exception:
    """Return K104 with the first row and the count over the rest of the read."""
    assert flags is not None
    first, count, n = row + int(flags.argmax()), int(np.count_nonzero(flags)), row + len(flags)
    for batch in rest:
        values = batch[column]
        nulls = nulls_of(values)
        numbers = None if values.format in _TEXT_OFFSETS else numbers_of(values)
        if numbers is not None and numbers.dtype.kind == "f":
            nulls = np.isnan(numbers) if nulls is None else nulls | np.isnan(numbers)
        count += 0 if nulls is None else int(np.count_nonzero(nulls))
        n += len(values)
    return missing_values(f"column {name!r}", things, texts, row=first, count=count, n=n)


def _weights(column: ArrowColumn) -> tuple[npt.NDArray[np.float64], Flags | None]:
    numbers = numbers_of(column)
    assert numbers is not None, column.format
    missing = nulls_of(column)
    weights = numbers.astype(np.float64, copy=False)
    return (weights if missing is None else np.where(missing, np.nan, weights)), missing
