"""One read of files: the query of their rows, and the rows on their classes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.clusters import NameCodes
from karat.data.labels.column import Column, Flags, harmonized, kind_of
from karat.data.labels.counting import tally_columns
from karat.data.rows import Rows, coded_rows, numbered
from karat.data.scores.batches import Codes, GatheredScores, LabelCodes
from karat.data.scores.columns import ScoreColumns
from karat.data.scores.containers import Scores, tolerance_of
from karat.data.scores.matrix import ScoreMatrix
from karat.data.scores.order import NotScoresError, in_order, not_scores, placed
from karat.data.sources.columns import TableColumns, TableRequest, dropped
from karat.data.sources.files.counted import are_many, facts_of, no_rows, refuse_many, slices_of
from karat.data.sources.files.duck import allow_columns
from karat.data.sources.files.duck import explaining as explaining_files
from karat.data.sources.files.labels import labels_of, missing_codes, named
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.row_blocks import Batch as ReadBatch
from karat.data.sources.files.row_blocks import RowBlocks
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.text_labels import Reading, is_null_like
from karat.errors import KaratError
from karat.tally import Cells, Label


class TooManyError(Exception):
    """Rows exceed the memory limit."""


@dataclass(frozen=True)
class Query:
    """Opened query of rows.

    Attributes:
        rows: all columns, batch by batch.
        of_labels: function that opens a stream of the labels alone.
        reading: representation of the labels.
        scores: the columns of scores.
        tolerance: tolerance of the sum of a row of probabilities from 1.
    """

    rows: RowBlocks
    of_labels: Callable[[], Any]
    reading: Reading
    scores: Sequence[str]
    tolerance: float

    @property
    def labels(self) -> RowBlocks:
        """Labels that were read, alone, to locate errors."""
        return replace(self.rows, open=self.of_labels, beside=())


@dataclass
class Reader:
    """Read of a source whose rows are kept."""

    relation: Relation
    request: TableRequest
    columns: TableColumns
    names: Mapping[str, str]
    chosen: ScoreColumns | None
    bad: tuple[ScoreMatrix, Sequence[str]] | None = None

    def explaining(self) -> AbstractContextManager[None]:
        """Context in which DuckDB errors become errors of the files."""
        has_sql = self.relation.query is not None
        return explaining_files(self.relation.files, has_sql=has_sql, where=self.request.where)

    @property
    def _known(self) -> dict[str, str]:
        return {
            role: self.relation.column(name)
            for role, name in self.columns.mapping.items()
            if name and role != "clusters"
        }

    def query(self) -> Query:
        """Return the query of its rows.

        Errors:
            NotScoresError: detected columns are not scores.
        """
        relation, where, known = self.relation, self.request.where, self._known
        # A read without predictions reads the truth in their place.
        columns = [known["true"], known.get("pred", known["true"])]
        if "weights" in known:
            columns.append(known["weights"])
        chosen = self.chosen
        scores = [] if chosen is None else [relation.column(name) for name in chosen.names]
        names = [relation.column(name) for name in self.names.values()]
        reading = relation.reading(columns[:2])
        groups = [relation.column(name) for name in self.columns.singles]
        sql = relation.select(columns, where, reading, scores, names, groups)
        beside = tuple(f"s{place}" for place in range(len(scores)))
        beside += tuple(f"g{place}" for place in range(len(groups)))
        named_ = tuple(
            (f"n{place}", name, "ids" if role == "ids" else "values")
            for place, (role, name) in enumerate(self.names.items())
        )
        connect = relation.connection
        nulls = self.request.nulls
        rows = RowBlocks(
            lambda: connect.sql(sql),
            tuple(columns),
            nulls,
            beside=beside,
            named=named_,
            is_one_csv=relation.is_one_csv,
            are_written=relation.are_text(columns[:2]),
        )
        again = relation.select(columns, where, reading, (), names)
        with self.explaining():
            relation.require(known)
            relation.require_names([*names, *groups])
            try:
                relation.require_scores(scores)
            except KaratError as problem:
                assert chosen is not None
                raise NotScoresError(
                    not_scores(problem, chosen, has_pred="pred" in known)
                ) from None
            allow_columns(connect, len(scores))
            keep_order(connect, sql)
        # Determined before the rows are read: DuckDB answers nothing else while a stream is open.
        tolerance = tolerance_of(is_half=bool(scores) and relation.halves(scores))
        return Query(rows, lambda: connect.sql(again), reading, scores, tolerance)

    def piece(self, gathered: GatheredScores, query: Query) -> Rows:
        """Return rows that were read, on their classes; NotScoresError as in `query`."""
        labels, reading = query.labels, query.reading
        with self.explaining():
            counted = gathered.counted(query.rows, self.request.n_threads)
            labels.absent = missing_codes(counted, labels, reading, self.request)
            if labels.absent is not None:
                sides = (np.isin(codes, labels.absent) for codes in (gathered.true, gathered.pred))
                query.rows.leave_out(gathered.pred, *sides)
                gathered.drop(np.isin(gathered.true, labels.absent))
                if self.columns.mapping["pred"]:
                    gathered.drop(np.isin(gathered.pred, labels.absent))
                if not len(gathered.true):
                    n_dropped = gathered.n - len(gathered.true)
                    raise no_rows(self.relation, self.request.where, n_dropped)
                counted = gathered.counted(query.rows, self.request.n_threads)
            tally = named(counted, labels, reading, self.request, self.relation)
            codes = [int(code) for code in counted.classes.labels]
            found = labels_of(counted, labels, reading, self.request)
        rows = self._on_classes(gathered, codes, found, tally, query.tolerance)
        if not rows.n_dropped:
            return rows
        unverified = query.rows.take_unverified(dict(zip(codes, found, strict=True)))
        return replace(rows, unverified=unverified)

    def pieces(
        self,
        query: Query,
        *,
        most: int | None = None,
        step: int | None = None,
        refuses: bool = False,
    ) -> Generator[GatheredScores, None, None]:
        """Yield the rows, in pieces of more than `step` bytes; None: in one.

        Args:
            refuses: whether rows without a number are refused: for detected columns, the classes
                decide first whether they are scores.

        Raises:
            TooManyError: the rows take more than `most` bytes.
        """
        relation, rows, chosen = self.relation, query.rows, self.chosen
        progress = self.request.progress
        is_whole = self.request.where is None and relation.n_rows is not None and step is None
        n_expected = relation.n_rows if is_whole else None
        named = [(column, name) for column, name, _ in rows.named]
        named += [(f"g{i}", name) for i, name in enumerate(self.columns.singles)]

        def started(first_row: int) -> Gathering:
            matrix = None
            if chosen is not None:
                matrix = ScoreMatrix(chosen.argument, chosen.names, n_expected, first_row)
            return Gathering(matrix, {column: NameCodes(name) for column, name in named})

        # Closed before an error is explained: DuckDB reads nothing else while a stream is open.
        with closing(rows.batches()) as batches:
            gathering, first_row = started(0), 0
            for batch in batches:
                gathering.add(batch, is_text=rows.is_text)
                if are_many(len(gathering.labels.places), rows):
                    break
                first_row = batch.first_row + batch.n
                if progress is not None:
                    progress(first_row, relation.n_rows)
                if most is not None and gathering.n_bytes > most:
                    raise TooManyError
                if step is not None and gathering.n_bytes > step and not gathering.is_bad:
                    yield gathering.gathered()
                    gathering = started(first_row)
        if are_many(len(gathering.labels.places), rows):
            refuse_many(replace(rows, beside=()), query.reading)
        if gathering.is_bad:
            assert chosen is not None
            assert gathering.matrix is not None
            self.bad = gathering.matrix, query.scores
            if refuses or chosen.how != "found":
                self._refuse_bad()
        yield gathering.gathered()

    def _refuse_bad(self) -> None:
        """Raise the error of the first row without a number, as written in its file."""
        if self.bad is None:
            return
        matrix, scores = self.bad
        assert matrix.bad is not None
        row, column, _ = matrix.bad
        sql = self.relation.select_text(scores[column], self.request.where)
        found = self.relation.connection.execute(f"FROM ({sql}) LIMIT 1 OFFSET {row}").fetchall()
        text = found[0][0] if found else None
        is_list = text is not None and text.startswith("[")
        is_null = text is None or is_null_like(text) or (is_list and "null" in text.lower())
        has_comma = self.request.formats.has_comma
        matrix.refuse_bad(None if is_null else text, has_comma=has_comma)

    def _on_classes(
        self,
        gathered: GatheredScores,
        codes: list[int],
        found: list[Label],
        tally: Cells,
        tolerance: float,
    ) -> Rows:
        kind = kind_of(found) or "string"
        place_of = {number: place for place, number in enumerate(gathered.numbers)}
        labels: dict[int, Label] = {
            place_of.get(code, code): label
            for code, label in zip(codes, harmonized(found, kind), strict=True)
        }

        def column(role: str, coded: Codes) -> Column:
            seen = np.bincount(coded)
            every = [labels.get(code) if n else None for code, n in enumerate(seen.tolist())]
            called = f"column {self.columns.mapping[role]!r}"
            return Column(called, coded, kind, tuple(every), order=tally.classes.categories)

        true = column("true", gathered.true)
        pred = column("pred", gathered.pred) if self.columns.mapping["pred"] else None
        weights, named_weights = gathered.weights, self.columns.mapping["weights"]
        weights_argument = f"column {named_weights!r}" if named_weights else "weights"
        n_dropped = gathered.n - len(gathered.true)
        kept = gathered.kept if n_dropped else None
        mapping: dict[str, Any] = {**self.columns.mapping}
        scores = None
        if self.chosen is None:
            assert pred is not None
            classes = tally.classes
            if weights is not None:
                with numbered(kept):
                    weighted = tally_columns(
                        true,
                        pred,
                        labels=classes.labels,
                        weights=weights,
                        weights_argument=weights_argument,
                        n_threads=self.request.n_threads,
                        is_part=self.request.is_part,
                    )
                tally = weighted.with_classes(classes)
        else:
            chosen, values = self.chosen, gathered.values
            assert values is not None
            k = gathered.width
            declared = self.request.read_as(kind)
            try:
                given = (declared.labels, declared.positive)
                place = placed(chosen, k, true, pred, *given, is_single=gathered.is_single)
            except KaratError as problem:
                raise NotScoresError(
                    not_scores(problem, chosen, has_pred=pred is not None)
                ) from None
            with self.explaining():
                self._refuse_bad()
            classes = place.classes
            scores = Scores(chosen.argument, values, chosen.names, tolerance)
            scores = in_order(scores, place.order)
            mapping[chosen.role] = list(scores.columns or chosen.names)
        true_codes, pred_codes = coded_rows(true, pred, classes)
        read = iter(gathered.names)
        names: dict[str, Any] = {role: next(read) for role in self.names}
        # The values of slices, for a part of the rows.
        names["columns"] = dict(zip(self.columns.singles, read, strict=True))
        if not self.request.is_part:
            columns = self.columns
            later = slices_of(self.relation, columns.groups, columns.folds)
            names["folds"] = columns.folds
            values = names.pop("columns")
            if self.request.is_searched:
                names["by"], unfit = later.searched(values)
                names["left_out"] = {**self.columns.left_out, **unfit}
            else:
                names["by"] = later.slices(values)
        return Rows(
            classes,
            true_codes,
            pred_codes,
            scores,
            weights,
            cells=None if scores is not None else tally,
            mapping=mapping,
            source=facts_of(self.relation, self.request.where, n_dropped),
            warnings=dropped(n_dropped, gathered.n),
            n_dropped=n_dropped,
            kept=kept,
            weights_argument=weights_argument,
            is_owned=True,
            **names,
        )


@dataclass
class Gathering:
    """Rows as they are read.

    Attributes:
        matrix: their scores, or None.
        names: ids, clusters and values of columns, by their names in SQL.
        n_bytes: limited memory: of scores, or of labels and weights if there are none, and of
            names.
    """

    matrix: ScoreMatrix | None
    names: dict[str, NameCodes]
    labels: LabelCodes = field(default_factory=LabelCodes)
    parts: list[list[npt.NDArray[Any]]] = field(default_factory=list)
    kept: list[Flags] = field(default_factory=list)
    n_bytes: int = 0

    @property
    def is_bad(self) -> bool:
        """True if a row lacks a number."""
        return self.matrix is not None and self.matrix.bad is not None

    def add(self, batch: ReadBatch, *, is_text: bool) -> None:
        """Append the kept rows of a batch."""
        true, pred, *weights = batch.parts
        codes = [self.labels.codes(part, is_text=is_text) for part in (true, pred)]
        self.parts.append([*codes, *weights])
        self.kept.append(np.ones(batch.n, np.bool_) if batch.kept is None else batch.kept)
        for column, read in self.names.items():
            read.add(batch.columns[column], batch.kept)
        if self.matrix is None:
            self.n_bytes += sum(part.nbytes for part in self.parts[-1])
        else:
            before = self.matrix.n_bytes
            self.matrix.add(batch)
            self.n_bytes += self.matrix.n_bytes - before
        self.n_bytes += 4 * len(self.names) * len(true)

    def gathered(self) -> GatheredScores:
        """Return the rows so far; nothing is added afterwards."""
        values = None
        if self.matrix is not None:
            values = self.matrix.values()
            if self.matrix.bad is not None:
                # If detected by name, it may not be a score: the classes decide first.
                n_kept = sum(len(part[0]) for part in self.parts)
                values = np.zeros((n_kept, *values.shape[1:]))
        columns = [np.concatenate(pieces) for pieces in zip(*self.parts, strict=True)]
        if not columns:
            columns = [np.empty(0, np.int32)] * 2
        return GatheredScores(
            true=columns[0],
            pred=columns[1],
            weights=columns[2] if len(columns) > 2 else None,
            values=values,
            kept=np.concatenate(self.kept) if self.kept else np.ones(0, np.bool_),
            numbers=tuple(self.labels.places),
            names=tuple(read.names() for read in self.names.values()),
        )
