"""Tally of one partition of a distributed frame as a `Partial`; runs where the rows are.

It is the same for every host: the host provides the blocks of rows of a partition and transfers
bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from karat.data.accumulator import (
    Batch,
    SlicesLater,
    Tallies,
    text_names,
    values_as_text,
    with_columns,
)
from karat.data.clusters import RowNames
from karat.data.labels.align import classes_of
from karat.data.labels.column import Flags
from karat.data.labels.counting import tally_columns
from karat.data.rows import Counted, Rows, coded_rows, numbered
from karat.data.scores.containers import gathered
from karat.data.scores.order import wrong_number
from karat.data.scores.storage import ScoreParts
from karat.data.slices.codes import Key
from karat.data.sources.batches import length_of
from karat.data.sources.distributed.partials import Partial, folded, merged
from karat.data.sources.formats import ColumnFormats
from karat.data.sources.set_rows import SetReading
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import open_frame
from karat.data.sources.tables.rows import FrameLabels, read_labels
from karat.errors import KaratError, error, short
from karat.errors.reasons import EmptyError
from karat.tally import Label
from karat.tally.held_sets import HeldSets
from karat.tally.score_kind import ROLES, Argument
from karat.tally.serialization import each_once

BLOCK_ROWS: Final = 1 << 20
"""Number of rows that are read together: few blocks, since each has its own names."""
WIDE_ROWS: Final = 1 << 17
"""The same of rows with scores or with sets of labels."""

_VERSION: Final = 1
_SHIFTED: Final = ("row", "other_row")


@dataclass(frozen=True)
class Reading:
    """Settings of tasks: columns, and the tally to make.

    Attributes:
        found: column by role: ``true``, maybe ``pred`` and ``weights``.
        wants: the tally of labels; or only the distinct labels and the length of lists; or rows
            with scores, or with sets of labels.
        scores: columns of scores in the order of the classes; a single one may contain lists.
        argument: their name in messages.
        labels: the classes in order, or None; required for rows with scores.
        is_declared: whether the caller, or the column names, listed them.
        is_ordered: whether their order was declared; None: as `is_declared`.
        positive: the positive class of two, if the classes are known.
        threshold: score at or above which it is predicted.
        nulls: ``"error"``, or ``"drop"`` to leave out rows with missing values.
        max_memory: memory limit in bytes for rows with scores.
        is_frequency: whether a weight is a number of rows.
        groups: columns, and crosses of several, whose values are slices.
        sets: conversion of columns to rows with sets, or None.
        text: columns that are read as text.
    """

    found: Mapping[str, str]
    wants: Literal["cells", "classes", "rows", "sets"]
    scores: tuple[str, ...] = ()
    argument: Argument = "y_prob"
    labels: tuple[Label, ...] | None = None
    is_declared: bool = False
    positive: Label | None = None
    threshold: float | None = None
    nulls: Literal["error", "drop"] = "error"
    max_memory: int = 1 << 28
    is_frequency: bool = False
    groups: tuple[Key, ...] = ()
    sets: SetReading | None = None
    is_ordered: bool | None = None
    text: tuple[str, ...] = ()

    @property
    def singles(self) -> tuple[str, ...]:
        """Distinct columns whose values are slices."""
        return tuple(dict.fromkeys(name for key in self.groups for name in key))

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read."""
        if self.sets is not None:
            return tuple(dict.fromkeys((*self.sets.columns, *self.singles)))
        return tuple(dict.fromkeys((*self.found.values(), *self.scores, *self.singles)))

    @property
    def block_rows(self) -> int:
        """Number of rows that are read together."""
        return WIDE_ROWS if self.scores or self.sets is not None else BLOCK_ROWS

    @property
    def empty(self) -> ScoreParts:
        """Accumulator of rows with scores."""
        return ScoreParts(self.max_memory, self.threshold, self.positive, self.is_frequency)

    def to_bytes(self) -> bytes:
        """Return the settings as JSON, which any version of Python reads."""
        words = {"version": _VERSION, **asdict(self), "found": dict(self.found)}
        return json.dumps(words).encode("utf-8")

    @classmethod
    def from_bytes(cls, data: bytes) -> Reading:
        """Read the output of `to_bytes`.

        Errors:
            K205 it is damaged or not a task; K206 a newer version wrote it.
        """
        try:
            words = json.loads(data, object_pairs_hook=each_once)
            version = words.pop("version")
            if version > _VERSION:
                raise error("K206", thing="task", version=version, newest=_VERSION)
            labels, scores, found = words["labels"], words["scores"], words["found"]
            if not (isinstance(found, dict) and isinstance(scores, list)):
                raise TypeError("its columns are not valid")
            if not (labels is None or isinstance(labels, list)):
                raise TypeError("its labels are not valid")
            words |= {"scores": tuple(scores), "labels": None if labels is None else tuple(labels)}
            if words.get("sets") is not None:
                words["sets"] = SetReading.from_dict(words["sets"])
            words["groups"] = tuple(tuple(map(str, key)) for key in words.get("groups", ()))
            words["text"] = tuple(map(str, words.get("text", ())))
            return cls(**words)
        except (LookupError, TypeError, AttributeError, RecursionError, ValueError) as problem:
            if isinstance(problem, KaratError):
                raise
            do = "Evaluate the frame again with the same karat on every machine."
            raise error("K205", thing="task", found=short(str(problem)), do=do) from None


def tally_partition(
    blocks: Iterable[Any], partition: int, reading: Reading, *, unit: str = "partition"
) -> Partial:
    """Tally the rows of a partition.

    Args:
        blocks: tables of some rows each, in order, possibly empty.
        partition: its number, from 0.
        unit: its name in messages.

    Returns:
        The partial; errors of rows are part of it, and raised when all are merged.

    Cost: one pass; memory for a block and the tally.
    """
    own = ((partition, partition),)
    total = Partial(own, tallies=Tallies(later=SlicesLater(reading.groups)))
    start = 0
    for block in blocks:
        n_rows = length_of(block)
        if not n_rows:
            continue
        try:
            with _numbered_in(f"{unit} {partition}", start):
                total = _with_block(total, block, n_rows, reading)
        except KaratError as problem:
            return Partial(own, problem=problem)
        start += n_rows
    return total


def merge_bytes(parts: Iterable[bytes], reading: Reading) -> list[bytes]:
    """Merge partials, from bytes to bytes; see `merged` and `Partial.from_bytes`."""
    return [partial.to_bytes() for partial in _merged(parts, reading.empty)]


def whole_of(parts: Iterable[bytes], reading: Reading) -> Partial | None:
    """Merge all partials into one; None without any."""
    found = _merged(parts, reading.empty)
    return folded(found, reading.empty) if found else None


def _merged(parts: Iterable[bytes], empty: ScoreParts) -> list[Partial]:
    return merged((Partial.from_bytes(part, empty) for part in parts), empty)


@contextmanager
def _numbered_in(piece: str, start: int) -> Iterator[None]:
    """Context in which errors number rows in the partition or batch."""
    try:
        yield
    except KaratError as problem:
        facts: dict[str, Any] = {
            name: problem.context[name] + start for name in _SHIFTED if name in problem.context
        }
        told = f"Rows are numbered in {piece}"
        counted = f", and counted from its row {start} on" if start else ""
        facts["numbering"] = f"{told}{counted}."
        raise problem.but(**facts) from None


def _with_block(total: Partial, block: Any, n_rows: int, reading: Reading) -> Partial:
    """Return the partial with the rows of one more block of its partition."""
    frame = open_frame(block)
    text = tuple(name for name in reading.text if name in reading.columns)
    frame = formatted(frame, ColumnFormats(text))
    if reading.sets is not None:
        values = frame.columns(reading.columns)
        found, kept = reading.sets.rows(values, is_part=True)
        columns = _values_of_columns(values, reading.singles, n_rows, kept)
        found = with_columns(found, columns)
        sets = HeldSets.of(found).within(reading.max_memory)
        tallies = Tallies(sets=sets, n_dropped=n_rows - found.n)
        part = replace(total, n_rows=n_rows, tallies=tallies, orders=_orders(columns))
        return total.with_rows(part, reading.empty)
    role = ROLES[reading.argument]
    beside = (*reading.scores, *reading.singles)
    empty = Tallies(later=total.tallies.later)
    part = replace(total, n_rows=n_rows, tallies=replace(empty, n_dropped=n_rows))
    try:
        read = read_labels(frame, reading.found, "", None, reading.nulls, beside, role)
    except EmptyError:
        if reading.nulls != "drop":
            raise
        # Other blocks may have complete rows.
    else:
        rows = _scored(read, reading) if reading.wants == "rows" else _labelled(read, reading)
        tallies = empty.plus(rows, reading.empty, 1)
        orders = _orders(rows.columns) if isinstance(rows, Rows) else {}
        part = replace(part, tallies=tallies, width=_width(read, reading), orders=orders)
    return total.with_rows(part, reading.empty)


def _axes(read: FrameLabels, reading: Reading) -> dict[str, Any]:
    """Return the clusters and the column values of the kept rows."""
    columns = _values_of_columns(read.values, reading.singles, read.n_rows, read.kept)
    return {"clusters": read.names.get("clusters"), "columns": columns}


def _values_of_columns(
    values: Mapping[str, Any], names: Iterable[str], n_rows: int, kept: Flags | None
) -> dict[str, RowNames]:
    """Return the values of columns of slices, as text."""
    found = {}
    for name in names:
        own = text_names(values_as_text(values[name], name, n_rows), name)
        found[name] = own if kept is None else own.at(kept)
    return found


def _orders(columns: Mapping[str, RowNames]) -> dict[str, tuple[str, ...]]:
    return {name: own.order for name, own in columns.items() if own.order is not None}


def _labelled(read: FrameLabels, reading: Reading) -> Batch:
    """Return the counted labels of a block; for labels alone, also their rows."""
    wants_cells = reading.wants == "cells"
    with numbered(read.kept):
        cells = tally_columns(
            read.true,
            read.true if read.pred is None else read.pred,
            labels=reading.labels,
            positive=reading.positive if reading.labels is not None else None,
            weights=read.weights if wants_cells else None,
            weights_argument=read.weights_argument,
            cells=wants_cells,
            n_threads=1,
            is_part=True,
        )
    if not wants_cells:
        return Counted(cells, n_dropped=read.n_dropped)
    true, pred = coded_rows(read.true, read.pred, cells.classes)
    return Rows(
        cells.classes,
        true,
        pred,
        weights=read.weights,
        cells=cells,
        n_dropped=read.n_dropped,
        **_axes(read, reading),
    )


def _width(read: FrameLabels, reading: Reading) -> int | None:
    if not reading.scores:
        return None
    scores = gathered(read.values, reading.scores, reading.argument, read.kept)
    return scores.k if scores.values.ndim == 2 else 1


def _scored(read: FrameLabels, reading: Reading) -> Rows:
    assert reading.labels is not None
    classes = classes_of(reading.labels, reading.positive, is_declared=reading.is_declared)
    classes = replace(classes, is_ordered=reading.is_ordered)
    scores = gathered(read.values, reading.scores, reading.argument, read.kept)
    if scores.k != classes.k:
        is_single = scores.values.ndim == 1
        raise wrong_number(scores.argument, scores.k, classes, is_single=is_single)
    with numbered(read.kept):
        true, pred = coded_rows(read.true, read.pred, classes)
    return Rows(
        classes,
        true,
        pred,
        scores if read.kept is None else scores.at(read.kept),
        read.weights,
        n_dropped=read.n_dropped,
        kept=read.kept,
        weights_argument=read.weights_argument,
        **_axes(read, reading),
    )
