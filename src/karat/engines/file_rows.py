"""Files with probabilities or scores: one streamed pass, after which the rows are in memory.

DuckDB streams the columns needed. Labels become codes batch by batch, and what the codes mean is
known after the last row, as in `files.py`; the scores go into one matrix of their own type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from karat.engines.arrays import tally_columns
from karat.engines.checks import check_unused_weights, remarks
from karat.engines.duck import allow_columns, check_condition, explaining
from karat.engines.file_labels import Declared, labels_of, missing_codes, named, refuse_scores
from karat.engines.files import (
    N_CLASSES_MAX,
    FileTally,
    Progress,
    facts_of,
    families,
    no_rows,
    opened,
    tally_relation,
)
from karat.engines.gathered import Codes, Gathered, LabelCodes
from karat.engines.paths import Source
from karat.engines.relations import Relation
from karat.engines.row_blocks import RowBlocks
from karat.engines.row_order import keep_order
from karat.engines.score_matrix import ScoreMatrix
from karat.engines.table_rows import TableRows, coded_rows, in_order, not_scores, placed
from karat.engines.text_labels import Reading, is_null_like
from karat.errors import KaratError, error, shown
from karat.inputs.column import Column, Flags
from karat.inputs.identity import declared_labels, harmonized, kind_of
from karat.inputs.roles import Role
from karat.inputs.score_columns import Named, ScoreColumns, find_score_columns
from karat.inputs.scores import Scores, tolerance_of
from karat.tally import Cells, Classes, Label

__all__ = ["rows_of_files"]


def rows_of_files(
    source: Source,
    *,
    true: str | None = None,
    pred: str | None = None,
    prob: Named = None,
    score: Named = None,
    weights: str | None = None,
    where: str | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    labels_are_text: bool = False,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> TableRows | FileTally:
    """The rows of files with probabilities or scores; of any other, their tally of labels.

    Args:
        source: a path, a glob, a folder, ``"-"`` for standard input, a SQL query, or several paths.
        true, pred: columns; found by their names when not given. Where scores are, no column of
            predictions is needed.
        prob, score: columns of probabilities or of other scores: a column (of the positive class
            of two, or of lists), several columns, or a pattern ``"proba_*"``; found by their
            names when neither is given; an empty name says that there are none.
        weights: a column; found by its name when not given.
        where: a SQL condition; rows that fail it are not read.
        labels: the classes in order; default: those that the columns are named after, else the
            sorted labels that occur.
        positive: the positive class of two.
        labels_are_text: whether `labels` and `positive` are texts, as a command line has them.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
            A missing score is always an error.
        n_threads: threads of the reader (four at most) and of the count.
        progress: called after each batch of rows.

    Errors:
        As `tally_files`; K130, K131 scores that are no numbers; K134, K135, K137 columns that are
        not those of the classes. Rows are numbered from 0 over the whole read.

    Cost: one pass over the columns needed; memory for the scores, 4 bytes a label, and one batch.
    """
    # Read once: it may be a generator.
    classes = None if labels is None else declared_labels(labels)
    declared = Declared(classes, positive, labels_are_text)
    given: dict[Role, str | None] = {"true": true, "pred": pred, "weights": weights}
    with opened(source, n_threads) as relation:
        if where is not None:
            check_condition(relation.connection, where)
        roles, chosen, notes = find_score_columns(
            relation.header, families(relation), given, prob, score
        )
        if chosen is not None:
            if weights is None and roles.mapping["weights"] is None:
                used = [*roles.mapping.values(), *chosen.names]
                check_unused_weights(relation.described, used)
            reader = _Reader(relation, roles.mapping, chosen, where, nulls, n_threads)
            found = reader.rows(declared, progress)
            if not isinstance(found, str):
                return found
            notes.append(found)
        tally = tally_relation(
            relation,
            given,
            where,
            declared,
            nulls=nulls,
            n_threads=n_threads,
            progress=progress,
        )
        return tally.warned(*notes)


@dataclass
class _Reader:
    """One read of a source that has scores."""

    relation: Relation
    mapping: Mapping[str, str | None]
    chosen: ScoreColumns
    where: str | None
    nulls: Literal["error", "drop"]
    n_threads: int | None
    bad: tuple[ScoreMatrix, Sequence[str]] | None = None

    def rows(self, declared: Declared, progress: Progress | None) -> TableRows | str:
        """The rows; or what to tell when columns that nobody named turn out to be no scores."""
        relation, where = self.relation, self.where
        known = {role: relation.column(name) for role, name in self.mapping.items() if name}
        # A read without predictions reads the truth in their place.
        columns = [known["true"], known.get("pred", known["true"])]
        if "weights" in known:
            columns.append(known["weights"])
        scores = [relation.column(name) for name in self.chosen.names]
        reading = relation.reading(columns[:2])
        sql = relation.select(columns, where, reading, scores)
        beside = tuple(f"s{place}" for place in range(len(scores)))
        connect = relation.connection
        rows = RowBlocks(lambda: connect.sql(sql), tuple(columns), self.nulls, beside=beside)
        again = relation.select(columns, where, reading)
        with explaining(relation.files, has_sql=relation.query is not None, where=where):
            relation.require(known)
            try:
                relation.require_scores(scores)
            except KaratError as problem:
                return not_scores(problem, self.chosen, has_pred="pred" in known)
            allow_columns(connect, len(scores))
            keep_order(connect, sql)
            gathered = self._gathered(rows, reading, scores, progress)
            # What is wrong with labels is looked for in a read of the labels alone.
            labels = replace(rows, open=lambda: connect.sql(again), beside=())
            if not len(gathered.true):
                raise no_rows(relation, where, rows.n_dropped)
            counted = self._counted(gathered, rows)
            labels.absent = missing_codes(counted, labels, reading, declared)
            if labels.absent is not None:
                gathered.drop(np.isin(gathered.true, labels.absent))
                if "pred" in known:
                    gathered.drop(np.isin(gathered.pred, labels.absent))
                if not len(gathered.true):
                    raise no_rows(relation, where, gathered.n - len(gathered.true))
                counted = self._counted(gathered, rows)
            tally = named(counted, labels, reading, declared)
            codes = [int(code) for code in counted.classes.labels]
            found = labels_of(codes, labels, reading)
        return self._on_classes(gathered, codes, found, declared, remarks(tally))

    def _gathered(
        self, rows: RowBlocks, reading: Reading, scores: Sequence[str], progress: Progress | None
    ) -> Gathered:
        relation = self.relation
        is_whole = self.where is None and relation.n_rows is not None
        n_expected = relation.n_rows if is_whole else None
        matrix = ScoreMatrix(self.chosen.argument, self.chosen.names, n_expected)
        labels = LabelCodes()
        parts: list[list[npt.NDArray[Any]]] = []
        kept: list[Flags] = []
        for batch in rows.batches():
            true, pred, *weights = batch.parts
            codes = [labels.codes(part, is_text=rows.is_text) for part in (true, pred)]
            parts.append([*codes, *weights])
            kept.append(np.ones(batch.n, np.bool_) if batch.kept is None else batch.kept)
            matrix.add(batch)
            if max(len(labels.places), rows.n_texts) > N_CLASSES_MAX:
                refuse_scores(replace(rows, beside=()), reading)
                found = f"More than {N_CLASSES_MAX} labels differ, as ids and scores do"
                raise error("K106", argument=f"One of {shown(rows.names[:2])}", found=found)
            if progress is not None:
                progress(batch.first_row + batch.n, relation.n_rows)
        values = matrix.values()
        if matrix.bad is not None:
            self.bad = matrix, scores
            if self.chosen.how != "found":
                self.refuse_bad()
            # What was found by its name alone may be no score at all: the classes decide first.
            n_kept = sum(len(part[0]) for part in parts)
            values = np.zeros((n_kept, *values.shape[1:]))
        columns = [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]
        if not columns:
            columns = [np.empty(0, np.int32)] * 2
        return Gathered(
            true=columns[0],
            pred=columns[1],
            weights=columns[2] if len(columns) > 2 else None,
            values=values,
            kept=np.concatenate(kept) if kept else np.ones(0, np.bool_),
            numbers=tuple(labels.places),
        )

    def refuse_bad(self) -> None:
        """Raise the error of the first row without a number, if there was one."""
        if self.bad is None:
            return
        matrix, scores = self.bad
        assert matrix.bad is not None
        row, column, _ = matrix.bad
        sql = self.relation.select_text(scores[column], self.where)
        found = self.relation.connection.execute(f"FROM ({sql}) LIMIT 1 OFFSET {row}").fetchall()
        text = found[0][0] if found else None
        is_list = text is not None and text.startswith("[")
        is_null = text is None or is_null_like(text) or (is_list and "null" in text.lower())
        matrix.refuse_bad(None if is_null else text)

    def _counted(self, gathered: Gathered, rows: RowBlocks) -> Cells:
        """The tally of the codes, as `file_labels` knows it: numbers are their own codes."""
        true, pred = (
            Column(f"column {name!r}", codes, "integer")
            for name, codes in zip(rows.names, (gathered.true, gathered.pred), strict=False)
        )
        counted = tally_columns(true, pred, n_threads=self.n_threads)
        if rows.is_text:
            return counted
        numbers = tuple(gathered.numbers[int(code)] for code in counted.classes.labels)
        return counted.with_classes(Classes(numbers))

    def _on_classes(
        self,
        gathered: Gathered,
        codes: list[int],
        found: list[Label],
        declared: Declared,
        notes: list[str],
    ) -> TableRows | str:
        kind = kind_of(found) or "string"
        declared = declared.read_as(kind)
        place_of = {number: place for place, number in enumerate(gathered.numbers)}
        labels: dict[int, Label] = {
            place_of.get(code, code): label
            for code, label in zip(codes, harmonized(found, kind), strict=True)
        }

        def column(role: str, coded: Codes) -> Column:
            seen = np.bincount(coded)
            every = [labels.get(code) if n else None for code, n in enumerate(seen.tolist())]
            return Column(f"column {self.mapping[role]!r}", coded, kind, tuple(every))

        true = column("true", gathered.true)
        pred = column("pred", gathered.pred) if self.mapping["pred"] else None
        chosen, names = self.chosen, self.chosen.names
        values = gathered.values
        k = 2 if values.ndim == 1 else values.shape[1]
        try:
            place = placed(chosen, k, true, pred, declared.labels, declared.positive)
        except KaratError as problem:
            return not_scores(problem, chosen, has_pred=pred is not None)
        with explaining(self.relation.files, where=self.where):
            self.refuse_bad()
        true_codes, pred_codes = coded_rows(true, pred, place.classes)
        is_half = self.relation.halves([self.relation.column(name) for name in names])
        scores = Scores(chosen.argument, values, names, tolerance_of(is_half=is_half))
        scores = in_order(scores, place.order)
        facts = facts_of(self.relation, self.where)
        n_dropped = gathered.n - len(gathered.true)
        if n_dropped:
            facts["n_dropped"] = n_dropped
            dropped = f"{n_dropped} of {gathered.n} rows have a missing label and were dropped."
            notes = [dropped, *notes]
        return TableRows(
            place.classes,
            true_codes,
            pred_codes,
            scores,
            gathered.weights,
            {**self.mapping, chosen.role: list(scores.columns or names)},
            facts,
            f"column {self.mapping['weights']!r}" if self.mapping["weights"] else "weights",
            tuple(notes),
            n_dropped,
            gathered.kept if n_dropped else None,
        )
