"""Files whose rows are kept: one streamed pass, after which the rows are in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.checks import remarks
from karat.data.clusters import NameCodes
from karat.data.labels.column import Column, Flags, harmonized, kind_of
from karat.data.rows import Counted, Rows, coded_rows, numbered
from karat.data.scores.batches import Codes, GatheredScores, LabelCodes
from karat.data.scores.columns import ScoreColumns
from karat.data.scores.containers import Scores, tolerance_of
from karat.data.scores.matrix import ScoreMatrix
from karat.data.scores.order import in_order, not_scores, placed
from karat.data.sources.arrays.labels import tally_columns
from karat.data.sources.columns import (
    TableColumns,
    TableRequest,
    dropped,
    find_columns,
    slices_later,
)
from karat.data.sources.files.counted import (
    are_many,
    facts_of,
    families,
    no_rows,
    opened,
    refuse_many,
    tally_relation,
)
from karat.data.sources.files.duck import allow_columns, check_condition, explaining
from karat.data.sources.files.labels import labels_of, missing_codes, named
from karat.data.sources.files.paths import Source
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.row_blocks import RowBlocks
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.text_labels import Reading, is_null_like
from karat.errors import KaratError
from karat.tally import Cells, Label

__all__ = ["rows_of_files"]


def rows_of_files(
    source: Source, asked: TableRequest | None = None, **options: Any
) -> Rows | Counted:
    """The rows of files with probabilities or scores; of any other, their tally of labels.

    Rows with labels alone are kept too where they are told apart: by cluster, or by id.

    Args:
        source: a path, a glob, a folder, ``"-"`` for standard input, a SQL query, or several paths.
        asked, options: what is asked; one or the other.

    Errors:
        K104 missing labels; K108 strings against numbers; K109 outside `labels`; K113, K114, K115
        bad weights; K130, K131 scores that are no numbers; K134, K135, K137 columns that are not
        those of the classes; K401 to K411 files and columns; K501 duckdb is not installed.
        Rows are numbered from 0 over the whole read.

    Cost: one pass over the columns needed; memory for the scores, 4 bytes for a label, a cluster
    or an id, and one batch.
    """
    asked = asked or TableRequest(**options)
    with opened(source, asked.n_threads) as relation:
        if asked.where is not None:
            check_condition(relation.connection, asked.where)
        columns = find_columns(asked, relation.header, families(relation), relation.described)
        notes = columns.notes
        named = (
            ("clusters", columns.found.get("clusters")),
            ("ids", columns.id),
            ("slices", asked.by),
        )
        names = {role: name for role, name in named if name}
        reader = _Reader(relation, asked, columns, names, columns.chosen)
        if columns.chosen is not None:
            found = reader.rows()
            if not isinstance(found, str):
                return found.warned(*notes)
            notes.append(found)
        if asked.keeps_rows or asked.groups or names:
            kept = replace(reader, chosen=None).rows()
            assert isinstance(kept, Rows)
            return kept.warned(*notes)
        return tally_relation(relation, columns.mapping, asked).warned(*notes)


@dataclass
class _Reader:
    """One read of a source whose rows are kept."""

    relation: Relation
    asked: TableRequest
    columns: TableColumns
    names: Mapping[str, str]
    chosen: ScoreColumns | None
    bad: tuple[ScoreMatrix, Sequence[str]] | None = None

    def rows(self) -> Rows | str:
        """The rows; or what to tell when columns that nobody named turn out to be no scores."""
        relation, where = self.relation, self.asked.where
        known = {
            role: relation.column(name)
            for role, name in self.columns.mapping.items()
            if name and role != "clusters"
        }
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
        named_ = tuple((f"n{place}", name) for place, name in enumerate(self.names.values()))
        connect = relation.connection
        rows = RowBlocks(
            lambda: connect.sql(sql), tuple(columns), self.asked.nulls, beside=beside, named=named_
        )
        again = relation.select(columns, where, reading, (), names)
        with explaining(relation.files, has_sql=relation.query is not None, where=where):
            relation.require(known)
            relation.require_names([*names, *groups])
            try:
                relation.require_scores(scores)
            except KaratError as problem:
                assert chosen is not None
                return not_scores(problem, chosen, has_pred="pred" in known)
            allow_columns(connect, len(scores))
            keep_order(connect, sql)
            gathered = self._gathered(rows, reading, scores)
            # What is wrong with labels is looked for in a read of the labels alone.
            labels = replace(rows, open=lambda: connect.sql(again), beside=())
            if not len(gathered.true):
                raise no_rows(relation, where, rows.n_dropped)
            counted = gathered.counted(rows, self.asked.n_threads)
            labels.absent = missing_codes(counted, labels, reading, self.asked)
            if labels.absent is not None:
                gathered.drop(np.isin(gathered.true, labels.absent))
                if "pred" in known:
                    gathered.drop(np.isin(gathered.pred, labels.absent))
                if not len(gathered.true):
                    raise no_rows(relation, where, gathered.n - len(gathered.true))
                counted = gathered.counted(rows, self.asked.n_threads)
            tally = named(counted, labels, reading, self.asked)
            codes = [int(code) for code in counted.classes.labels]
            found = labels_of(codes, labels, reading)
        return self._on_classes(gathered, codes, found, tally)

    def _gathered(self, rows: RowBlocks, reading: Reading, scores: Sequence[str]) -> GatheredScores:
        relation, progress = self.relation, self.asked.progress
        is_whole = self.asked.where is None and relation.n_rows is not None
        n_expected = relation.n_rows if is_whole else None
        chosen = self.chosen
        matrix = None if chosen is None else ScoreMatrix(chosen.argument, chosen.names, n_expected)
        labels = LabelCodes()
        named = [*rows.named, *((f"g{i}", name) for i, name in enumerate(self.columns.singles))]
        names = {column: NameCodes(name) for column, name in named}
        parts: list[list[npt.NDArray[Any]]] = []
        kept: list[Flags] = []
        for batch in rows.batches():
            true, pred, *weights = batch.parts
            codes = [labels.codes(part, is_text=rows.is_text) for part in (true, pred)]
            parts.append([*codes, *weights])
            kept.append(np.ones(batch.n, np.bool_) if batch.kept is None else batch.kept)
            for column, read in names.items():
                read.add(batch.columns[column], batch.kept)
            if matrix is not None:
                matrix.add(batch)
            if are_many(len(labels.places), rows):
                refuse_many(replace(rows, beside=()), reading)
            if progress is not None:
                progress(batch.first_row + batch.n, relation.n_rows)
        values = None if matrix is None else matrix.values()
        if chosen is not None and matrix is not None and matrix.bad is not None:
            assert values is not None
            self.bad = matrix, scores
            if chosen.how != "found":
                self._refuse_bad()
            # What was found by its name alone may be no score at all: the classes decide first.
            n_kept = sum(len(part[0]) for part in parts)
            values = np.zeros((n_kept, *values.shape[1:]))
        columns = [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]
        if not columns:
            columns = [np.empty(0, np.int32)] * 2
        return GatheredScores(
            true=columns[0],
            pred=columns[1],
            weights=columns[2] if len(columns) > 2 else None,
            values=values,
            kept=np.concatenate(kept) if kept else np.ones(0, np.bool_),
            numbers=tuple(labels.places),
            names=tuple(read.names() for read in names.values()),
        )

    def _refuse_bad(self) -> None:
        """Raise the error of the first row without a number, as its file writes it."""
        if self.bad is None:
            return
        matrix, scores = self.bad
        assert matrix.bad is not None
        row, column, _ = matrix.bad
        sql = self.relation.select_text(scores[column], self.asked.where)
        found = self.relation.connection.execute(f"FROM ({sql}) LIMIT 1 OFFSET {row}").fetchall()
        text = found[0][0] if found else None
        is_list = text is not None and text.startswith("[")
        is_null = text is None or is_null_like(text) or (is_list and "null" in text.lower())
        matrix.refuse_bad(None if is_null else text)

    def _on_classes(
        self, gathered: GatheredScores, codes: list[int], found: list[Label], tally: Cells
    ) -> Rows | str:
        kind = kind_of(found) or "string"
        place_of = {number: place for place, number in enumerate(gathered.numbers)}
        labels: dict[int, Label] = {
            place_of.get(code, code): label
            for code, label in zip(codes, harmonized(found, kind), strict=True)
        }

        def column(role: str, coded: Codes) -> Column:
            seen = np.bincount(coded)
            every = [labels.get(code) if n else None for code, n in enumerate(seen.tolist())]
            return Column(f"column {self.columns.mapping[role]!r}", coded, kind, tuple(every))

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
                        n_threads=self.asked.n_threads,
                        is_part=self.asked.is_part,
                    )
                tally = weighted.with_classes(classes)
        else:
            chosen, values = self.chosen, gathered.values
            assert values is not None
            k = 2 if values.ndim == 1 else values.shape[1]
            declared = self.asked.read_as(kind)
            try:
                place = placed(chosen, k, true, pred, declared.labels, declared.positive)
            except KaratError as problem:
                return not_scores(problem, chosen, has_pred=pred is not None)
            with explaining(self.relation.files, where=self.asked.where):
                self._refuse_bad()
            classes = place.classes
            is_half = self.relation.halves([self.relation.column(name) for name in chosen.names])
            scores = Scores(chosen.argument, values, chosen.names, tolerance_of(is_half=is_half))
            scores = in_order(scores, place.order)
            mapping[chosen.role] = list(scores.columns or chosen.names)
        true_codes, pred_codes = coded_rows(true, pred, classes)
        read = iter(gathered.names)
        names: dict[str, Any] = {role: next(read) for role in self.names}
        # Of a part, the values that slices are made of.
        names["columns"] = dict(zip(self.columns.singles, read, strict=True))
        if not self.asked.is_part:
            later = slices_later(families(self.relation), self.asked.groups)
            names["by"] = later.slices(names.pop("columns"))
        return Rows(
            classes,
            true_codes,
            pred_codes,
            scores,
            weights,
            cells=None if scores is not None else tally,
            mapping=mapping,
            source=facts_of(self.relation, self.asked.where, n_dropped),
            warnings=(*dropped(n_dropped, gathered.n), *remarks(tally)),
            n_dropped=n_dropped,
            kept=kept,
            weights_argument=weights_argument,
            is_owned=True,
            **names,
        )
