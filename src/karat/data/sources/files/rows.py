"""Rows of files, read in one streamed pass into memory, or as a stream of pieces.

DuckDB streams the needed columns. Labels become codes batch by batch, and the labels of the codes
are known after the last row, as in `counted.py`. The scores go into one matrix of their own type.
Rows that do not fit are read again in pieces, which the accumulator sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from karat.data.accumulator import Batch, Origin, SlicesLater, Tallies
from karat.data.labels.column import coded
from karat.data.listing import named
from karat.data.rows import Counted, Rows, numbered, numbered_from
from karat.data.scores.batches import GatheredScores
from karat.data.scores.order import NotScoresError, not_scores, placed
from karat.data.scores.rows import labels_alone
from karat.data.sources.columns import TableRequest, dropped, find_columns
from karat.data.sources.files.counted import (
    facts_of,
    families,
    no_rows,
    opened,
    slices_of,
    tally_relation,
)
from karat.data.sources.files.duck import check_condition
from karat.data.sources.files.duck import explaining as explaining_files
from karat.data.sources.files.ids import FileIds
from karat.data.sources.files.paths import Source, is_read_once
from karat.data.sources.files.reader import Query, Reader, TooManyError
from karat.data.sources.files.sets import FileSets, open_sets
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.values import ValuesOfFiles, doubts_of_ids
from karat.data.sources.formats import AS_TYPED, ColumnFormats
from karat.data.sources.set_columns import find_sets
from karat.data.sources.tables.frames import Frame, open_frame
from karat.data.table_sets import TableSets
from karat.errors import KaratError
from karat.errors.reasons import NoRowsError
from karat.tally import Classes
from karat.tally.score_kind import KINDS, ScoreKind

_PIECES: Final = 4
"""Fraction of the memory limit for a piece of a stream, and its range in bytes."""
_LEAST_BYTES: Final = 1 << 20
_MOST_BYTES: Final = 1 << 26


def rows_of_files(
    source: Source, request: TableRequest | None = None, **options: Any
) -> Rows | Counted:
    """Return all rows of files, for any memory; arguments and errors as in `read_files`."""
    with ExitStack() as cleanup:
        found = read_files(source, request or TableRequest(**options), cleanup)
    assert isinstance(found, Rows | Counted)
    return found


def kept_rows_of_files(source: Source, request: TableRequest) -> Rows | TableSets:
    """Return all rows of files, possibly with sets of labels, for a request that keeps rows."""
    with ExitStack() as cleanup:
        found = read_files(source, request, cleanup)
        if isinstance(found, FileSets):
            return found.whole()
    assert isinstance(found, Rows)
    return found


def open_files(
    source: Source,
    cleanup: ExitStack,
    n_threads: int | None = None,
    formats: ColumnFormats = AS_TYPED,
    where: str | None = None,
) -> Frame:
    """Return files as a table whose columns are read unchanged; labels have no meaning.

    Args:
        cleanup: closes the source; needed while columns are read.
        formats: how the columns are written.
        where: a SQL condition of rows; others are not read.

    Errors:
        K401 to K411 files and columns, K501 duckdb is not installed.
    """
    relation = cleanup.enter_context(opened(source, n_threads, formats))
    if where is not None:
        check_condition(relation.connection, where)
    types = families(relation)
    unreadable = relation.unreadable(relation.header)

    def read(wanted: Sequence[str], limit: str = "") -> dict[str, Any]:
        numbers = [name for name in wanted if types.get(name) in ("whole", "real", "boolean")]
        others = [name for name in wanted if name not in numbers]
        columns = [*map(relation.column, numbers)], [*map(relation.column, others)]
        relation.require_names([*columns[0], *columns[1]])
        sql = f"SELECT * FROM ({relation.select_values(*columns, where)}){limit}"
        with explaining_files(relation.files, has_sql=relation.query is not None, where=where):
            keep_order(relation.connection, sql)
            names = [
                *(f"v{i}" for i in range(len(numbers))),
                *(f"w{i}" for i in range(len(others))),
            ]
            read = open_frame(relation.connection.sql(sql)).columns(names)
        return dict(zip([*numbers, *others], read.values(), strict=True))

    return Frame(
        relation.header,
        {name: "list" if name in unreadable else kind for name, kind in types.items()},
        "files",
        read,
        lambda name, n: read([name], f" LIMIT {n}")[name],
    )


def read_files(
    source: Source, request: TableRequest, cleanup: ExitStack, max_memory: int | None = None
) -> Rows | Counted | FileStream | FileSets:
    """Read the rows of files with probabilities or scores; for others, the tally of labels.

    Sets of labels are read batch by batch. Rows with labels alone are also kept if they are grouped
    by cluster, id or slice.

    Args:
        source: a path, a glob, a folder, ``"-"`` for standard input, a SQL query, or several paths.
        cleanup: closes the source; needed while a stream is read.
        max_memory: memory limit in bytes for rows; more are a stream, to be read again from the
            start. None: no limit.

    Errors:
        K104 missing labels; K108 strings against numbers; K109 outside `labels`; K113, K114, K115
        invalid weights; K130, K131 scores that are not numbers; K134, K135, K137 columns that do
        not match the classes; K401 to K411 files and columns; K501 duckdb is not installed. Rows
        are numbered from 0 over the whole read.

    Cost: one pass over the columns needed; memory for the scores, 4 bytes for a label, a cluster
    or an id, and one batch.
    """
    relation = cleanup.enter_context(opened(source, request.n_threads, request.formats))
    if request.where is not None:
        check_condition(relation.connection, request.where)
    asked = find_sets(request, relation.header, families(relation))
    if asked is not None:
        return open_sets(relation, asked)
    columns = find_columns(
        request,
        relation.header,
        families(relation),
        relation.described,
        values=ValuesOfFiles(relation, request.where),
    )
    request = replace(request, positive=columns.positive)
    if request.is_searched and not request.groups:
        columns = columns.without(relation.unreadable(columns.singles))
    notes = columns.notes
    if not request.is_part and request.unique != "" and not columns.repeats_ids:
        argument = "id" if request.keeps_rows else "ids"
        sides, is_named = (columns.unique, columns.found["true"]), request.unique is not None
        notes += doubts_of_ids(relation, *sides, request.where, argument, is_named=is_named)
    named = (
        ("clusters", columns.found.get("clusters")),
        ("ids", columns.id),
        ("slices", request.by),
    )
    names = {role: name for role, name in named if name}
    reader = Reader(relation, request, columns, names, columns.chosen)
    if columns.chosen is not None:
        try:
            rows = _read(reader, max_memory)
        except NotScoresError as problem:
            notes.append(problem.doubt)
        else:
            return _with_ids(rows.warned(*notes), source, reader)
    if request.keeps_rows or request.lists_rows or columns.groups or names:
        kept = _read(replace(reader, chosen=None), max_memory)
        return _with_ids(kept.warned(*notes), source, reader)
    return tally_relation(relation, columns.mapping, request).warned(*notes)


def _with_ids(found: Rows | FileStream, source: Source, reader: Reader) -> Rows | FileStream:
    """Return rows that are listed with their column of ids, which is read when some are named."""
    request, unique = reader.request, reader.columns.unique
    if not request.lists_rows or unique is None or is_read_once(source):
        return found
    how = request.where, request.n_threads, request.formats
    return replace(found, id_values=FileIds(source, unique, *how))


def _read(reader: Reader, max_memory: int | None) -> Rows | FileStream:
    """Return the rows.

    Errors:
        NotScoresError: detected columns turn out not to be scores.
    """
    query = reader.query()
    try:
        with reader.explaining():
            (gathered,) = reader.pieces(query, most=max_memory)
    except TooManyError:
        assert max_memory is not None
        return _stream(reader, query, max_memory)
    if not len(gathered.true):
        raise no_rows(reader.relation, reader.request.where, query.rows.n_dropped)
    return reader.piece(gathered, query)


def _stream(reader: Reader, query: Query, max_memory: int) -> FileStream:
    """Return rows that do not fit, to be read again in pieces; one more read gives the classes."""
    mapping, chosen = reader.columns.mapping, reader.chosen
    true, pred = mapping["true"], mapping["pred"] or mapping["true"]
    of_labels = replace(reader.request, is_part=True, progress=None)
    tally = tally_relation(reader.relation, {**mapping, "pred": pred, "clusters": None}, of_labels)
    classes = tally.classes
    if chosen is not None:
        codes = np.arange(classes.k, dtype=np.int32)
        sides = [
            coded(f"column {name!r}", codes, classes.labels, order=classes.categories)
            for name in (true, pred)
        ]
        read = reader.request.read_as(sides[0].kind)
        with reader.explaining(), closing(reader.pieces(query, step=0)) as pieces:
            first = next((piece for piece in pieces if len(piece.true)), None)
        k = 2 if first is None else first.width
        is_single = first is None or first.is_single
        try:
            given = (read.labels, read.positive)
            place = placed(chosen, k, sides[0], sides[1], *given, is_single=is_single)
        except KaratError as problem:
            raise NotScoresError(
                not_scores(problem, chosen, has_pred=bool(mapping["pred"]))
            ) from None
        classes = place.classes
    step = min(max(max_memory // _PIECES, _LEAST_BYTES), _MOST_BYTES)
    positive = None if classes.positive is None else classes.labels[classes.positive]
    known: dict[str, Any] = {"labels": classes.labels, "positive": positive}
    request = replace(reader.request, labels_are_text=False, is_part=True, **known)
    return FileStream(replace(reader, request=request), query, classes, tally, step)


@dataclass
class FileStream:
    """Files or a query whose rows do not fit, as a source that is read piece by piece.

    Attributes:
        reader, query: the reader and its query.
        classes: the classes of all rows.
        tally: the labels of all rows.
        step: number of bytes of a piece.
        notes: sentences for the reader.
        is_of_labels: whether only labels are wanted: scores determine the predictions, and are
            dropped.
        threshold: score at or above which the positive class of two is predicted.
        id_values: the column of ids of rows that are listed, or None.
    """

    reader: Reader
    query: Query
    classes: Classes
    tally: Counted
    step: int
    notes: tuple[str, ...] = ()
    is_of_labels: bool = False
    threshold: float | None = None
    id_values: FileIds | None = None
    _starts: list[int] = field(default_factory=list)
    _mapping: Mapping[str, Any] = field(default_factory=dict)

    @property
    def later(self) -> SlicesLater:
        """Conversion of column values to slices."""
        columns, relation = self.reader.columns, self.reader.relation
        return slices_of(relation, columns.groups, columns.folds)

    @property
    def kind(self) -> ScoreKind | None:
        """Whether the rows have probabilities, logits or other scores; None without any."""
        return None if self.reader.chosen is None else KINDS[self.reader.chosen.argument]

    def warned(self, *sentences: str) -> FileStream:
        """Return the source with more warnings."""
        return replace(self, notes=(*self.notes, *sentences))

    def batches(self, first: int = 0) -> Iterator[Batch]:
        """Yield the rows on the common classes.

        Errors:
            As in `read_files`.
        """
        reader = replace(self.reader, bad=None)
        self._starts, n_rows = [], 0
        with reader.explaining():
            pieces = reader.pieces(self.query, step=self.step, refuses=True)
            for place, gathered in enumerate(pieces):
                self._starts.append(n_rows)
                n_rows += gathered.n
                if place >= first:
                    yield self._batch(reader, gathered)

    def _batch(self, reader: Reader, gathered: GatheredScores) -> Batch:
        n = gathered.n
        if not len(gathered.true):
            return Tallies(n_dropped=n)
        try:
            found = reader.piece(gathered, self.query)
        except NoRowsError:
            return Tallies(n_dropped=n)
        self._mapping = found.mapping
        found = found.on(self.classes)
        if not self.is_of_labels or found.scores is None:
            return found
        with numbered(found.kept):
            return labels_alone(found, self.threshold, reader.request.n_threads)

    @contextmanager
    def numbering(self, place: int) -> Iterator[None]:
        """Context in which errors number rows over the whole read."""
        with numbered_from(self._starts[place]):
            yield

    def finished(self, found: Tallies) -> Tallies:
        """Return the accumulated tallies, with the origin of the rows and the number left out.

        Errors:
            K402 no row is left.
        """
        reader = self.reader
        if not found.n_rows:
            raise no_rows(reader.relation, reader.request.where, found.n_dropped)
        total = found.n_rows + found.n_dropped
        warnings = (*dropped(found.n_dropped, total), *self.notes)
        facts = facts_of(reader.relation, reader.request.where, found.n_dropped)
        scores = None
        if self.is_of_labels and reader.chosen is not None:
            scores = KINDS[reader.chosen.argument]
        if found.listed is not None and self.id_values is not None:
            found = replace(found, listed=named(found.listed, self.id_values))
        return replace(found, origin=Origin(dict(self._mapping), facts, warnings, scores))
