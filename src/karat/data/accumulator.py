"""The accumulator: batches of rows become tallies, in bounded memory and in any order.

Every source is a sequence of batches. A batch is rows, what the source counted of rows that it did
not keep, or tallies that were made where the rows are. `accumulate` adds them up; what comes out is
the same however the rows were cut into batches.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from karat.data.axes import Crossed, SlicesLater, axes_of, crossed_of, n_bytes_of, united
from karat.data.rows import Counted, Rows, numbered
from karat.data.scores.rows import ScoreTally
from karat.data.scores.storage import ScoreParts, classes_of_columns, too_many
from karat.tally import Cells, union
from karat.tally.held_rows import Chunk, HeldRows

__all__ = ["Batch", "Origin", "Progress", "Source", "Tallies", "accumulate"]


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where rows came from.

    Attributes:
        mapping: column by role, where they came from a table.
        source: files, format, table, query, filter.
        warnings: sentences the reader should see.
        scores: ``"probabilities"`` or ``"scores"`` that decided what is predicted and were not
            kept; None otherwise.
    """

    mapping: dict[str, Any] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    scores: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """What was accumulated: immutable, added to by `plus`.

    Attributes:
        cells: the tally of labels alone.
        scores: rows with scores, kept while they fit and tabled beyond that.
        crossed: labels alone by cluster and by the values of columns.
        later: how the values of columns become slices.
        rows: all rows, where they lie in memory anyway; then the others are None.
        sliced: rows by slice, where those of each column or cross are others.
        n_dropped: rows that were left out.
        origin: where the rows came from.
    """

    cells: Cells | None = None
    scores: ScoreParts | None = None
    rows: Rows | None = None
    sliced: tuple[Rows, ...] = ()
    crossed: Crossed = field(default_factory=dict)
    later: SlicesLater = field(default_factory=SlicesLater)
    n_dropped: int = 0
    origin: Origin = field(default_factory=Origin)

    @property
    def n_rows(self) -> int:
        """Rows that were accumulated."""
        parts = (self.cells, self.scores)
        counted = sum(int(part.n_rows) for part in parts if part is not None)
        return counted if self.rows is None else self.rows.n

    def plus(self, batch: Batch, empty: ScoreParts, n_threads: int | None = None) -> Tallies:
        """The same with one more batch.

        Args:
            empty: what rows with scores are added to where there are none yet.

        Errors:
            K13x a value is no probability or not finite; K113 to K115 bad weights; K201, K202, K203
            rows of another kind; K108 strings against numbers; K146 too many rows before all
            classes came.
        """
        if isinstance(batch, Tallies):
            return self._merged(batch, empty, n_threads)
        if isinstance(batch, Counted):
            return self._merged(Tallies(batch.cells, n_dropped=batch.n_dropped), empty, n_threads)
        if batch.scores is None:
            crossed = crossed_of(batch, self.later.groups)
            part = Tallies(batch.cells, crossed=crossed, n_dropped=batch.n_dropped)
            return self._merged(part, empty, n_threads)
        pred = batch.pred if empty.threshold is None else None
        # Whatever the classes will be, values that no metric may read are refused with their batch.
        checked = replace(batch, classes=classes_of_columns(batch.scores.k))
        with numbered(batch.kept):
            ScoreTally.of(checked, n_threads=n_threads, is_part=True).read()
        axes, codes = axes_of(batch)
        chunk = Chunk(batch.true, batch.scores.values, pred, batch.weights, axes=codes)
        held = HeldRows(batch.classes, (chunk,), batch.is_prob, batch.scores.tolerance, axes)
        scores = (self.scores or empty).with_rows(held, n_threads)
        return replace(self, scores=scores, n_dropped=self.n_dropped + batch.n_dropped)

    def _merged(self, other: Tallies, empty: ScoreParts, n_threads: int | None) -> Tallies:
        cells, scores = self.cells, self.scores
        if other.cells is not None:
            cells = other.cells if cells is None else union(cells, other.cells)
        if other.scores is not None:
            scores = (scores or empty).merge(other.scores, n_threads)
        n_dropped = self.n_dropped + other.n_dropped
        crossed = united(self.crossed, other.crossed, None if cells is None else cells.classes)
        n_bytes = n_bytes_of(crossed)
        if n_bytes > empty.max_memory:
            axes = [axis for parts in crossed.values() for axis in parts[0].axes]
            n = self.n_rows + other.n_rows
            raise too_many(n, n_bytes, empty.max_memory, tuple(dict.fromkeys(axes)))
        return replace(self, cells=cells, scores=scores, n_dropped=n_dropped, crossed=crossed)


Batch: TypeAlias = "Rows | Counted | Tallies"


class Source(Protocol):
    """Where rows come from, batch by batch.

    Attributes:
        n_batches: how many batches there are.
        later: how the values of columns become slices.
    """

    @property
    def n_batches(self) -> int: ...

    @property
    def later(self) -> SlicesLater: ...

    def batch(self, place: int) -> Batch:
        """One of the batches."""
        ...

    def numbering(self, place: int) -> AbstractContextManager[None]:
        """Errors within number rows over the whole source."""
        ...

    def origin(self, found: Tallies) -> Origin:
        """Where the rows came from, once they were read."""
        ...


class Progress(Protocol):
    """What follows a read: a bar, a checkpoint."""

    def start(self) -> tuple[int, Tallies]:
        """The batches that were read before, and what they gave."""
        ...

    def done(self, n_batches: int, so_far: Tallies) -> None:
        """So many batches were read."""
        ...


def accumulate(
    source: Source | Batch,
    empty: ScoreParts,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tallies:
    """Add up the batches of a source.

    Args:
        source: batches; or one batch, as rows in memory are: they are not copied, and kept however
            many they are.
        empty: what rows with scores are added to.
        progress: follows the read, and may know how far an earlier one came.

    Errors:
        As those of the source; as `Tallies.plus`.

    Cost: one pass; memory of a batch and of what is kept.
    """
    if isinstance(source, Rows | Counted | Tallies):
        return _whole(source)
    first, total = (0, Tallies()) if progress is None else progress.start()
    total = replace(total, later=source.later)
    for place in range(first, source.n_batches):
        with source.numbering(place):
            total = total.plus(source.batch(place), empty, n_threads)
        if progress is not None:
            progress.done(place + 1, total)
    return replace(total, origin=source.origin(total))


def _whole(batch: Batch) -> Tallies:
    if isinstance(batch, Tallies):
        return batch
    origin = Origin(dict(batch.mapping), dict(batch.source), batch.warnings)
    if isinstance(batch, Counted):
        return Tallies(batch.cells, n_dropped=batch.n_dropped, origin=origin)
    return Tallies(rows=batch, n_dropped=batch.n_dropped, origin=origin)
