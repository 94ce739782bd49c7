"""Storage of rows with scores from batches: kept while they fit, as histograms beyond that.

The decision depends only on the bytes of the rows, and the content of histograms only on the rows.
So reports do not depend on the order of batches or merges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy.typing as npt

from karat.data.labels.align import classes_of
from karat.data.labels.column import harmonized, kind_of
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.scores.histograms import histograms_of, room_of
from karat.data.scores.order import wrong_number
from karat.data.scores.rows import InMemoryScores
from karat.errors import error, shown
from karat.tally.axes import too_many
from karat.tally.classes import Classes, Label
from karat.tally.decision import Decision
from karat.tally.held_rows import HeldRows, RowChunk, check_alike
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.score_kind import ARGUMENTS, ScoreKind
from karat.tally.shared import check_same, other_kinds, united

_LEAST_GROUP: Final = 1 << 19
_BYTES_OF_A_ROW: Final = 128
"""Memory needed to put a row of one column into a histogram."""


def scores_of_held(
    held: HeldRows,
    threshold: float | None = None,
    n_threads: int | None = None,
    *,
    is_part: bool = False,
) -> InMemoryScores:
    """Return kept rows in the form that metrics read, possibly as a part of more rows."""
    whole = held.whole()
    argument = ARGUMENTS[held.kind]
    scores = Scores(argument, whole.values, None, held.tolerance)
    rows = Rows(held.classes, whole.codes, whole.pred, scores, whole.weights)
    return InMemoryScores(rows, threshold, n_threads or 0, is_part)


def classes_of_columns(k: int) -> Classes:
    """Return the classes of columns whose labels may not all have occurred yet."""
    return Classes(tuple(range(k)), positive=1 if k == 2 else None)


def discovered(labels: Iterable[Label], positive: Label | None) -> Classes:
    """Return the classes that occurred, sorted; the chosen one of two is positive."""
    found = sorted(set(labels))
    ordered = harmonized(found, kind_of(found) or "integer")
    return classes_of(ordered, positive) if len(ordered) == 2 else Classes.of(ordered)


@dataclass(frozen=True)
class Storage:
    """Kind of summary for rows with scores that do not fit into `max_memory`.

    A summary is immutable and has `merge`, `to_bytes`, `n_rows`, `classes`, `kind`, `is_single`
    (one column of scores), `is_weighted`, `has_pred` and `is_exact`, as `ScoreHistograms` has.

    Attributes:
        name: name in the bytes of streams and partitions.
        summary: (rows, summary of earlier rows, threads) → the summary of the rows; the first two
            are `HeldRows` and `ScoreParts`.
        read: output of `to_bytes` → the summary.
        rows: the summary → weighted or reordered rows that are measured in its place; None: the
            summary is a `ScoreHistograms`, which is measured itself.
    """

    name: str
    summary: Callable[[HeldRows, ScoreParts, int | None], Any]
    read: Callable[[Any], Any]
    rows: Callable[[Any], HeldRows] | None = None


def _histograms(held: HeldRows, parts: ScoreParts, n_threads: int | None) -> ScoreHistograms:
    assert parts.shape is not None
    columns, _, is_weighted = parts.shape
    kind = {"is_prob": parts.is_prob, "is_single": columns is None, "is_weighted": is_weighted}
    keeps_columns = parts.keeps_columns
    limit, n_sampled = room_of(
        parts.classes.k, **kind, n_bytes=parts.max_memory, keeps_columns=keeps_columns
    )
    rows = scores_of_held(held, parts.threshold, n_threads, is_part=True)
    return histograms_of(
        rows,
        limit,
        n_sampled,
        parts.histograms,
        is_frequency=parts.is_frequency,
        keeps_columns=keeps_columns,
    )


_HISTOGRAMS: Final = Storage("tables", _histograms, ScoreHistograms.from_bytes)
STORAGES: Final[dict[str, Storage]] = {_HISTOGRAMS.name: _HISTOGRAMS}
"""Kinds of summaries by name; `stored_in` adds one."""

_chosen: ContextVar[Storage] = ContextVar("storage", default=_HISTOGRAMS)


@contextmanager
def stored_in(storage: Storage) -> Iterator[None]:
    """Put rows that do not fit into another storage, inside a with statement.

    Tasks of a cluster put them into score histograms.
    """
    STORAGES[storage.name] = storage
    token = _chosen.set(storage)
    try:
        yield
    finally:
        _chosen.reset(token)
        del STORAGES[storage.name]


@dataclass(frozen=True)
class ScoreParts:
    """Rows with scores in a stream: immutable, combined by `merge`.

    Attributes:
        max_memory: memory limit in bytes of kept rows; histograms may take about as much.
        threshold: score at or above which the positive class of two is predicted.
        positive: the positive class of two; None: that of 0/1, False/True, −1/1.
        is_frequency: whether a weight is a number of rows.
        keeps_columns: whether histograms hold the columns of scores; else, of several columns, the
            counts and the losses alone.
        held: kept rows, or rows not yet in histograms; None without any.
        histograms: histograms of the others; None while all are kept.
        shape: as in `HeldRows`; None without rows.
        storage: kind of the histograms.
    """

    max_memory: int
    threshold: float | None = None
    positive: Label | None = None
    is_frequency: bool = False
    keeps_columns: bool = True
    held: HeldRows | None = None
    histograms: ScoreHistograms | None = None
    shape: tuple[int | None, bool, bool] | None = None
    storage: Storage = field(default_factory=_chosen.get, compare=False)

    @property
    def _one(self) -> HeldRows | ScoreHistograms:
        one = self.held or self.histograms
        assert one is not None
        return one

    @property
    def classes(self) -> Classes:
        """The classes."""
        return self._one.classes

    @property
    def kind(self) -> ScoreKind:
        """Whether the scores are probabilities, logits or others."""
        return self._one.kind

    @property
    def is_prob(self) -> bool:
        """True if the scores are probabilities."""
        return self.kind == "probabilities"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(part.n_rows for part in (self.held, self.histograms) if part is not None)

    @property
    def has_predictions(self) -> bool:
        """True if a class is predicted for each row."""
        return self.decision.has_predictions

    @property
    def decision(self) -> Decision:
        """What decides the predicted class of a row."""
        columns, is_given, _ = self.shape or (1, False, False)
        return Decision.of_classes(
            self.kind,
            is_given=is_given,
            is_single=columns is None,
            threshold=self.threshold,
            k=self.classes.k,
        )

    def arrays_of_scores(self) -> list[npt.NDArray[Any]]:
        """Return arrays that contain every score, or the ends of every level."""
        found = [] if self.held is None else [chunk.values for chunk in self.held.chunks]
        if self.histograms is not None:
            ranks = getattr(self.histograms, "ranks", ())
            found += [ends for one in ranks for ends in (one.low, one.high)]
        return found

    @property
    def is_placed(self) -> bool:
        """True if every column of scores has its class."""
        assert self.shape is not None
        return self.classes.k == (self.shape[0] or 2)

    @property
    def _group(self) -> int:
        """Largest number of rows put into histograms together; half as many unless no more come."""
        return max(_LEAST_GROUP, self.max_memory // _BYTES_OF_A_ROW)

    def with_rows(self, rows: HeldRows, n_threads: int | None = None) -> ScoreParts:
        """Return the same with more rows."""
        return self.merge(replace(self, held=rows, histograms=None, shape=rows.shape), n_threads)

    def merge(self, other: ScoreParts, n_threads: int | None = None) -> ScoreParts:
        """Merge the rows of both.

        Errors:
            K201, K202, K203 as in `HeldRows.merge`; K134 more classes than columns; K108 strings
            against numbers; K146 too many rows before all classes occur; K148 too many rows with
            clusters or slices.
        """
        if other.shape is None:
            return self
        one, two = self, other
        if self.shape is not None:
            check_alike(self, other)
            one, two = self._united(other)
        held = one.held
        if two.held is not None:
            held = two.held if held is None else held.merge(two.held)
        histograms = one.histograms
        if two.histograms is not None:
            more = self._of_columns(two.histograms)
            histograms = more if histograms is None else histograms.merge(more)
        both = replace(self, held=held, histograms=histograms, shape=self.shape or other.shape)
        if held is None or (histograms is None and held.n_bytes <= self.max_memory):
            return both
        if held.axes:
            raise too_many(both.n_rows, held.n_bytes, self.max_memory, held.axes)
        if not both.is_placed:
            columns = both.shape[0] or 2 if both.shape else 2
            seen, n = both.classes.labels, both.n_rows
            raise error("K146", n=n, seen=shown(seen), k=len(seen), columns=columns)
        is_much = 2 * held.n_rows >= self._group or held.n_bytes > self.max_memory // 4
        return both.in_histograms(n_threads) if is_much else both

    def _united(self, other: ScoreParts) -> tuple[ScoreParts, ScoreParts]:
        """Return both with the classes of both, if these are discovered."""
        a, b = self.classes, other.classes
        is_declared = a.is_declared or b.is_declared
        if a.labels == b.labels and (is_declared or a.categories == b.categories):
            return self, other
        if is_declared:
            raise error("K201", left=shown(a.labels), right=shown(b.labels))
        if a.k and b.k and isinstance(a.labels[0], str) != isinstance(b.labels[0], str):
            raise other_kinds("y_true", b.labels[0], "an earlier batch", a.labels[0])
        both = united(a, b) or discovered((*a.labels, *b.labels), self.positive)
        assert self.shape is not None
        columns = self.shape[0] or 2
        if both.k > columns:
            argument = ARGUMENTS[self.kind]
            raise wrong_number(argument, columns, both, is_single=self.shape[0] is None)
        return self._on(both), other._on(both)

    def _of_columns(self, other: ScoreHistograms) -> ScoreHistograms:
        """Return other histograms with the columns that these keep (K202)."""
        # Another storage is exact, and keeps every column.
        if getattr(other, "has_columns", self.keeps_columns) == self.keeps_columns:
            return other
        if self.keeps_columns:
            kinds = "metrics that read columns of scores", "metrics of labels and losses alone"
            raise error("K202", axis="metrics=", left=kinds[0], right=kinds[1])
        return other.without_columns()

    def _on(self, classes: Classes) -> ScoreParts:
        # Histograms are made after all classes have occurred; their columns keep their order.
        if self.histograms is not None:
            check_same(self.histograms.classes, classes)
        held = None if self.held is None else self.held.recoded(classes)
        return replace(self, held=held)

    def in_histograms(self, n_threads: int | None = None) -> ScoreParts:
        """Return the same with every row in histograms."""
        if self.held is None:
            return self
        histograms = self.histograms
        for held in _parts(self.held, self._group):
            part = self.storage.summary(held, replace(self, histograms=histograms), n_threads)
            histograms = part if histograms is None else histograms.merge(part)
        return replace(self, held=None, histograms=histograms)

    @property
    def measured(self) -> HeldRows | None:
        """Rows that are measured; None if histograms are."""
        if self.histograms is None:
            return self.held
        return None if self.storage.rows is None else self.storage.rows(self.histograms)

    def settled(self, n_threads: int | None = None) -> ScoreParts:
        """Return the same, either all kept or all in histograms."""
        return self if self.histograms is None else self.in_histograms(n_threads)


def _parts(held: HeldRows, n_rows: int) -> Iterator[HeldRows]:
    """Yield the same rows in parts of a fixed size, independent of their chunks."""
    cuts: list[RowChunk] = []
    room = n_rows
    for chunk in held.chunks:
        first = 0
        while first < len(chunk.codes):
            cut = chunk.at(slice(first, first + room))
            cuts.append(cut)
            first += len(cut.codes)
            room -= len(cut.codes)
            if not room:
                yield replace(held, chunks=tuple(cuts))
                cuts, room = [], n_rows
    if cuts:
        yield replace(held, chunks=tuple(cuts))
