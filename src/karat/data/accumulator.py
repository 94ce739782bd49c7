"""Accumulator of batches of rows into tallies, with clusters and slices, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.clusters import RowNames, encode_names, names_of_column, texts_of
from karat.data.labels.column import Column, Flags
from karat.data.labels.counting import count_codes
from karat.data.listing import listed_of
from karat.data.rows import Counted, Repeats, Rows, numbered
from karat.data.scores.containers import Scores
from karat.data.scores.rows import InMemoryScores
from karat.data.scores.storage import ScoreParts, classes_of_columns
from karat.data.slices.codes import Key, SliceCodes, coded_texts, of_columns, searched_columns
from karat.data.sources.files.sql import NO_VALUE
from karat.data.weights import as_weights
from karat.errors.reasons import NotWholeError
from karat.tally import Axis, Cells, Classes, CrossedCells, Label, union
from karat.tally.axes import slice_axis, too_many
from karat.tally.folds import FoldColumns
from karat.tally.held_rows import HeldRows, RowChunk
from karat.tally.held_sets import HeldSets
from karat.tally.listed_rows import ListedRows
from karat.tally.score_kind import ARGUMENTS, ScoreKind
from karat.tally.set_tally import SetRows

Codes: TypeAlias = npt.NDArray[np.int32]

Crossed: TypeAlias = dict[Key, tuple[CrossedCells, ...]]
"""Labels by cluster and by the columns of each key, in tables to be merged; () has no column."""

_CLUSTERS: Final = "clusters"
_COLUMN: Final = "by "
"""Prefix of column names, since a column may be called clusters."""


@dataclass(frozen=True, slots=True)
class SlicesLater:
    """Conversion of column values to slices, after all rows are read.

    Attributes:
        groups: the requested columns and crosses.
        numbers: the columns of numbers, which may be binned.
        booleans: the columns of true and false.
        is_one_csv: whether the values are the texts of one CSV.
        folds: the columns of folds, which are one of the groups; or None.
        orders: columns of ordered categories → every category in its order.
    """

    groups: tuple[Key, ...] = ()
    numbers: frozenset[str] = field(default_factory=frozenset)
    folds: FoldColumns | None = None
    booleans: frozenset[str] = frozenset()
    is_one_csv: bool = False
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def searched(
        self, names: Mapping[str, RowNames]
    ) -> tuple[tuple[SliceCodes, ...], dict[str, str]]:
        """Return the slices of rows whose columns are searched, and reasons for the others."""
        return searched_columns(
            (name, partial(self._single, name, read, keeps_numbers=True))
            for name, read in names.items()
        )

    def slices(
        self, names: Mapping[str, RowNames], counts: npt.NDArray[np.int64] | None = None
    ) -> tuple[SliceCodes, ...]:
        """Return the slices of rows, from values as text and the multiplicity of each row."""
        single = {name: self._single(name, read, counts=counts) for name, read in names.items()}
        return of_columns(self.groups, single, () if self.folds is None else self.folds.key)

    def _single(self, name: str, read: RowNames, **options: Any) -> SliceCodes:
        has_missing = NO_VALUE in read.texts
        missing = read.codes == read.texts.index(NO_VALUE) if has_missing else None
        return coded_texts(
            read.codes,
            read.texts,
            missing,
            name,
            is_number=name in self.numbers,
            is_boolean=name in self.booleans,
            is_one_csv=self.is_one_csv,
            order=self.orders.get(name),
            **options,
        )


def axes_of(rows: Rows, key: Key | None = None) -> tuple[tuple[Axis, ...], Codes | None]:
    """Return the axes of the rows, for all columns or those of a key, and codes int32[a, n]."""
    given = [] if rows.clusters is None else [(_CLUSTERS, rows.clusters)]
    columns = tuple(rows.columns) if key is None else key
    given += [(f"{_COLUMN}{name}", rows.columns[name]) for name in columns]
    if not given:
        return (), None
    axes = tuple(Axis(name, names.texts) for name, names in given)
    return axes, np.stack([np.asarray(names.codes, np.int32) for _, names in given])


def crossed_of(rows: Rows, groups: Sequence[Key]) -> Crossed:
    """Return the labels of rows by cluster, and by the values of each column and cross.

    In a cross of all columns, nearly every row would be its own combination.
    """
    found: Crossed = {}
    for key in ((), *groups):
        axes, codes = axes_of(rows, key)
        if codes is None:
            continue
        assert rows.pred is not None
        each = np.concatenate([rows.true[None], rows.pred[None], codes])
        found[key] = (CrossedCells.of(rows.classes, axes, each, rows.weights),)
    return found


_FAN_IN: Final = 8
"""Number of tables of one size that are merged at once."""


def united(left: Crossed, right: Crossed, classes: Classes | None) -> Crossed:
    """Merge both into few tables: a combination is moved once for each power of `_FAN_IN`."""
    merged: dict[Key, tuple[CrossedCells, ...]] = {}
    for key in dict.fromkeys((*left, *right)):
        parts: list[CrossedCells] = []
        for part in (*left.get(key, ()), *right.get(key, ())):
            parts.append(part)
            while len(parts) >= _FAN_IN and parts[-_FAN_IN].n < _FAN_IN * parts[-1].n:
                assert classes is not None
                parts[-_FAN_IN:] = [_one(parts[-_FAN_IN:], classes)]
        merged[key] = tuple(parts)
    return merged


def _one(parts: Sequence[CrossedCells], classes: Classes) -> CrossedCells:
    first, *others = (part.on(classes) for part in parts)
    return first.merge(*others)


def whole(crossed: Crossed, classes: Classes) -> dict[Key, CrossedCells]:
    """Return each as one table."""
    return {key: _one(parts, classes) for key, parts in crossed.items()}


def added(left: Mapping[Label, int], right: Mapping[Label, int]) -> Mapping[Label, int]:
    """Return the counts of both."""
    return {key: left.get(key, 0) + right.get(key, 0) for key in (*left, *right)}


def n_bytes_of(crossed: Crossed) -> int:
    """Return the bytes of all tables."""
    return sum(part.n_bytes for parts in crossed.values() for part in parts)


def names_on_axes(
    axes: Sequence[Axis], codes: Codes
) -> tuple[RowNames | None, dict[str, RowNames]]:
    """Return the clusters and the column values of codes on axes."""
    clusters, columns = None, {}
    for axis, own in zip(axes, codes, strict=True):
        texts = tuple(map(str, axis.labels))
        if axis.name == _CLUSTERS:
            clusters = RowNames("clusters", own, texts)
        else:
            name = axis.name.removeprefix(_COLUMN)
            columns[name] = RowNames(f"column {name!r}", own, texts)
    return clusters, columns


def crossed_rows(found: CrossedCells, key: Key, cells: Cells, later: SlicesLater) -> Rows:
    """Return combinations as rows with multiplicities; slices are those of the key."""
    clusters, columns = names_on_axes(found.axes, found.codes[2:])
    classes: Classes = cells.classes
    moved = found.on(classes)
    weighing = found.n_rows if found.n_weighing is None else found.n_weighing
    return Rows(
        classes,
        moved.codes[0],
        moved.codes[1],
        weights=found.weight,
        clusters=clusters,
        by=replace(later, groups=(key,)).slices(columns, found.n_rows) if key else (),
        cells=cells,
        repeats=Repeats(found.n_rows, weighing, found.squares),
    )


def rows_of_held(held: HeldRows, later: SlicesLater) -> Rows:
    """Return kept rows with scores as rows, with their clusters and slices."""
    whole = held.whole()
    assert whole.axes is not None
    clusters, columns = names_on_axes(held.axes, whole.axes)
    argument = ARGUMENTS[held.kind]
    return Rows(
        held.classes,
        whole.codes,
        whole.pred,
        Scores(argument, whole.values, None, held.tolerance),
        whole.weights,
        clusters=clusters,
        by=later.slices(columns),
        folds=later.folds,
        is_owned=True,
    )


def with_columns(rows: SetRows, columns: Mapping[str, RowNames]) -> SetRows:
    """Add column values to rows with sets, which become slices after all rows are read."""
    axes = ((Axis(f"{_COLUMN}{name}", own.texts), own.codes) for name, own in columns.items())
    return rows.beside([*axes])


def with_slices(rows: SetRows, slices: Sequence[SliceCodes]) -> SetRows:
    """Add slices to rows with sets."""
    return rows.beside([(slice_axis(one.columns, one.keys), one.codes) for one in slices])


def sliced_sets(held: HeldSets, later: SlicesLater) -> HeldSets:
    """Convert the column values of rows with sets to slices."""
    rows = held.rows
    if not later.groups or rows.codes is None:
        return held
    _, columns = names_on_axes(rows.axes, rows.codes)
    places = [i for i, axis in enumerate(rows.axes) if axis.name == _CLUSTERS]
    return HeldSets.of(with_slices(rows.with_axes(places), later.slices(columns)))


def values_as_text(values: Any, name: str, n: int) -> Column:
    """Return the values of one column of a part of a table, as files write them."""
    argument = f"by[{name!r}]"
    try:
        return encode_names(values, argument, "keep")
    except NotWholeError:
        pass
    numbers = as_weights(values, n, argument)
    found, codes = np.unique(numbers, return_inverse=True)
    texts = tuple(None if np.isnan(x) else repr(float(x)) for x in found)
    missing: Flags = np.isnan(numbers)
    coded = codes.reshape(-1).astype(np.int32)
    return Column(argument, coded, "string", texts, missing=missing if missing.any() else None)


def text_names(column: Column, name: str) -> RowNames:
    """Return the values of a column as text, with missing values as one of them."""
    order = None if column.order is None else texts_of(column.order, column.kind)
    found = replace(names_of_column(column), column=f"column {name!r}", order=order)
    if column.missing is None:
        return found
    codes = np.where(column.missing, len(found.texts), found.codes).astype(np.int32)
    return replace(found, codes=codes, texts=(*found.texts, NO_VALUE))


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Origin of the rows.

    Attributes:
        mapping: column by role, if the rows come from a table.
        source: files, format, table, query, filter.
        warnings: sentences for the reader.
        scores: kind of the scores if they determined the predictions and were not
            kept; None otherwise.
    """

    mapping: dict[str, Any] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    scores: ScoreKind | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """Accumulated tallies: immutable, extended by `plus`.

    Attributes:
        cells: the tally of labels alone.
        scores: rows with scores, kept while they fit, then tallied.
        crossed: labels alone by cluster and by the values of columns.
        later: conversion of column values to slices.
        rows: all rows, if they are in memory anyway; then the others are None.
        sets: rows with sets of labels, kept while they fit; then the others are None.
        sliced: rows by slice, if they differ between columns or crosses.
        n_dropped: number of rows that were left out.
        unverified: predicted label → number of those whose truth is missing.
        origin: origin of the rows.
        keep_rows: rows to list of each cell and bin, of rows that are read in batches.
        listed: rows that are listed; None without any.
    """

    cells: Cells | None = None
    scores: ScoreParts | None = None
    rows: Rows | None = None
    sets: HeldSets | None = None
    sliced: tuple[Rows, ...] = ()
    crossed: Crossed = field(default_factory=dict)
    later: SlicesLater = field(default_factory=SlicesLater)
    n_dropped: int = 0
    unverified: Mapping[Label, int] = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)
    keep_rows: int = 0
    listed: ListedRows | None = None

    @property
    def n_rows(self) -> int:
        """Number of accumulated rows."""
        parts = (self.cells, self.scores)
        if self.sets is not None:
            return self.sets.n
        counted = sum(int(part.n_rows) for part in parts if part is not None)
        return counted if self.rows is None else self.rows.n

    @property
    def folds(self) -> FoldColumns | None:
        """The columns of folds, whose slices are among those of the rows; or None."""
        return self.later.folds if self.rows is None else self.rows.folds or self.later.folds

    @property
    def kind(self) -> ScoreKind | None:
        """Whether the scores are probabilities, logits or others; None without any."""
        if self.rows is not None:
            return self.rows.kind
        return None if self.scores is None or self.scores.shape is None else self.scores.kind

    @property
    def limits_of_scores(self) -> tuple[float, float] | None:
        """Smallest and largest score; None for probabilities, and without scores."""
        if self.rows is not None:
            scores = self.rows.scores
            values = [] if scores is None or scores.is_prob else [scores.values]
        elif self.scores is None or self.scores.shape is None or self.scores.is_prob:
            values = []
        else:
            values = self.scores.arrays_of_scores()
        values = [each for each in values if each.size]
        if not values:
            return None
        low, high = min(each.min() for each in values), max(each.max() for each in values)
        return float(low), float(high)

    @property
    def classes(self) -> Classes | None:
        """The classes; None without rows."""
        if self.rows is not None:
            return self.rows.classes
        if self.sets is not None:
            return self.sets.classes
        if self.scores is not None and self.scores.shape is not None:
            return self.scores.classes
        return None if self.cells is None else self.cells.classes

    @property
    def n_columns_of_scores(self) -> int:
        """Number of scores for each row: 1 for a single column of two classes, 0 without scores."""
        if self.rows is not None:
            values = self.rows.values
            return 0 if values is None else 1 if values.ndim == 1 else values.shape[1]
        shape = None if self.scores is None else self.scores.shape
        return 0 if shape is None else shape[0] or 1

    def plus(self, batch: Batch, empty: ScoreParts, n_threads: int | None = None) -> Tallies:
        """Return the tallies with one more batch.

        Args:
            empty: the accumulator of rows with scores if there are none yet.

        Errors:
            K13x a value is not a probability or not finite; K113 to K115 invalid weights; K201,
            K202, K203 rows of another kind; K108 strings against numbers; K146 too many rows before
            all classes occur.
        """
        found = self._plus(batch, empty, n_threads)
        if not self.keep_rows or not isinstance(batch, Rows):
            return found
        scores = None
        if batch.scores is not None:
            scores = InMemoryScores.of(batch, empty.threshold, n_threads, is_part=True)
        first_row = self.n_rows + self.n_dropped
        listed = listed_of(batch, self.keep_rows, scores=scores, first_row=first_row)
        listed = listed if self.listed is None else self.listed.merge(listed)
        return replace(found, listed=listed)

    def _plus(self, batch: Batch, empty: ScoreParts, n_threads: int | None) -> Tallies:
        if isinstance(batch, SetRows):
            return self.merge(Tallies(sets=HeldSets.of(batch)), empty, n_threads)
        if isinstance(batch, Tallies):
            return self.merge(batch, empty, n_threads)
        if isinstance(batch, Counted):
            part = Tallies(batch.cells, n_dropped=batch.n_dropped, unverified=batch.unverified)
            return self.merge(part, empty, n_threads)
        if batch.scores is None:
            crossed = crossed_of(batch, self.later.groups)
            cells = counted(batch, n_threads, is_part=True).cells
            n_dropped, unverified = batch.n_dropped, batch.unverified
            part = Tallies(cells, crossed=crossed, n_dropped=n_dropped, unverified=unverified)
            return self.merge(part, empty, n_threads)
        pred = batch.pred if empty.threshold is None else None
        # Values that no metric may read are refused with their batch, for any classes.
        checked = replace(batch, classes=classes_of_columns(batch.scores.k))
        with numbered(batch.kept):
            InMemoryScores.of(checked, n_threads=n_threads, is_part=True).read()
        axes, codes = axes_of(batch)
        chunk = RowChunk(batch.true, batch.scores.values, pred, batch.weights, axes=codes)
        held = HeldRows(batch.classes, (chunk,), batch.scores.kind, batch.scores.tolerance, axes)
        scores = (self.scores or empty).with_rows(held, n_threads)
        unverified = added(self.unverified, batch.unverified)
        n_dropped = self.n_dropped + batch.n_dropped
        return replace(self, scores=scores, n_dropped=n_dropped, unverified=unverified)

    def merge(self, other: Tallies, empty: ScoreParts, n_threads: int | None = None) -> Tallies:
        """Merge the rows of several batches, partitions, checkpoints or streams.

        Errors:
            As in `plus`; K148 clusters and slices that do not fit.
        """
        cells, scores, sets = self.cells, self.scores, self.sets
        if other.sets is not None:
            most = empty.max_memory
            sets = other.sets.within(most) if sets is None else sets.merge(other.sets, most)
        if other.cells is not None:
            cells = other.cells if cells is None else union(cells, other.cells)
        if other.scores is not None:
            scores = (scores or empty).merge(other.scores, n_threads)
        n_dropped = self.n_dropped + other.n_dropped
        crossed = united(self.crossed, other.crossed, None if cells is None else cells.classes)
        n_bytes = n_bytes_of(crossed)
        if n_bytes > empty.max_memory and cells is not None:
            # Tables that are not merged yet may hold a combination several times.
            crossed = {key: (table,) for key, table in whole(crossed, cells.classes).items()}
            n_bytes = n_bytes_of(crossed)
        if n_bytes > empty.max_memory:
            axes = [axis for parts in crossed.values() for axis in parts[0].axes]
            n = self.n_rows + other.n_rows
            raise too_many(n, n_bytes, empty.max_memory, tuple(dict.fromkeys(axes)))
        unverified = added(self.unverified, other.unverified)
        merged = replace(
            self,
            cells=cells,
            scores=scores,
            sets=sets,
            crossed=crossed,
            n_dropped=n_dropped,
            unverified=unverified,
        )
        return merged.warned(*other.origin.warnings)

    def warned(self, *sentences: str) -> Tallies:
        """Return the tallies with more warnings; of similar ones, the first is kept."""
        if not sentences:
            return self
        first: dict[str, str] = {}
        for one in (*self.origin.warnings, *sentences):
            first.setdefault(getattr(one, "noticed", one), one)
        return replace(self, origin=replace(self.origin, warnings=tuple(first.values())))


Batch: TypeAlias = "Rows | SetRows | Counted | Tallies"


class Source(Protocol):
    """Source of rows, read batch by batch.

    Attributes:
        later: conversion of column values to slices.
    """

    @property
    def later(self) -> SlicesLater: ...

    def batches(self, first: int = 0) -> Iterator[Batch]:
        """Yield the batches in order, from a given one; each is dropped before the next is read."""
        ...

    def numbering(self, place: int) -> AbstractContextManager[None]:
        """Context in which errors number rows over the whole source."""
        ...

    def finished(self, found: Tallies) -> Tallies:
        """Return the accumulated tallies with the origin of the rows, after the read."""
        ...


class Progress(Protocol):
    """Observer of a read: a progress bar, a checkpoint."""

    def start(self) -> tuple[int, Tallies]:
        """Return the number of batches read before, and their tallies."""
        ...

    def done(self, n_batches: int, so_far: Tallies) -> None:
        """Report the number of batches read."""
        ...


def accumulate(
    source: Source | Batch,
    empty: ScoreParts,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    keep_rows: int = 0,
) -> Tallies:
    """Accumulate the batches of a source.

    Args:
        source: batches; or one batch, for rows in memory, which are not copied and always kept.
        empty: the accumulator of rows with scores.
        progress: observer of the read, which may know the progress of an earlier one.
        keep_rows: rows to list of each cell and bin, of rows that are read in batches.

    Errors:
        As in the source and in `Tallies.plus`.

    Cost: one pass; memory for a batch and the kept data.
    """
    if isinstance(source, Tallies):
        return source
    if isinstance(source, SetRows):
        return Tallies(sets=HeldSets.of(source))
    if isinstance(source, Rows | Counted):
        origin = Origin(dict(source.mapping), dict(source.source), source.warnings)
        rows, cells = (source, None) if isinstance(source, Rows) else (None, source.cells)
        if rows is not None and rows.scores is None and rows.pred is not None:
            rows = counted(rows, n_threads)
        n_dropped, unverified = source.n_dropped, source.unverified
        return Tallies(cells, rows=rows, n_dropped=n_dropped, unverified=unverified, origin=origin)
    first, total = (0, Tallies()) if progress is None else progress.start()
    total = replace(total, later=source.later, keep_rows=keep_rows)
    for place, batch in enumerate(source.batches(first), first):
        with source.numbering(place):
            total = total.plus(batch, empty, n_threads)
        del batch
        if progress is not None:
            progress.done(place + 1, total)
    return source.finished(total)


def counted(rows: Rows, n_threads: int | None = None, *, is_part: bool = False) -> Rows:
    """Return rows of labels with their tally.

    Args:
        is_part: whether they are part of more rows, so that these may all weigh 0.

    Errors:
        K113 to K115 invalid weights.
    """
    if rows.cells is not None:
        return rows
    assert rows.pred is not None
    cells = count_codes(
        rows.classes,
        rows.true,
        rows.pred,
        rows.weights,
        weights_argument=rows.weights_argument,
        n_threads=n_threads,
        is_part=is_part,
    )
    return replace(rows, cells=cells)


def rows_in_memory(rows: Rows) -> Rows:
    """Return rows in memory as one accumulated batch, for comparisons of rows.

    They are not copied, and always kept.
    """
    found = accumulate(rows, ScoreParts(0)).rows
    assert found is not None
    return found
