"""Files whose rows have sets of labels: columns of lists, text with a separator, or 0 and 1.

DuckDB streams the columns needed, and each batch becomes rows with sets. What the labels of a CSV
are is known after the last row, as for one class a row: until then they are texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from karat.data.accumulator import Batch, SlicesLater, Tallies, accumulate, with_columns
from karat.data.arrow import ArrowColumn, batches
from karat.data.clusters import NameCodes, RowNames
from karat.data.labels.align import not_declared
from karat.data.labels.column import Column, Flags, coded, declared_labels, kind_of
from karat.data.labels.sets import SetColumn
from karat.data.rows import numbered_from
from karat.data.scores.storage import ScoreParts
from karat.data.sources.columns import TableRequest, dropped, find_columns
from karat.data.sources.files.counted import facts_of, no_rows, slices_of
from karat.data.sources.files.duck import allow_columns, explaining
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.text_labels import (
    FractionsError,
    NotLabelsError,
    Reading,
    TextBesideNumbersError,
    labels_of_texts,
    of_csv,
)
from karat.data.sources.files.values import ValuesOfFiles, doubts_of_ids
from karat.data.sources.set_columns import SetColumns
from karat.data.sources.set_rows import SetReading, first_sets, origin_of_sets
from karat.data.table_sets import TableSets
from karat.errors import KaratError, error, shown
from karat.errors.options import option
from karat.tally import Classes, Label
from karat.tally.held_sets import HeldSets, refuse_doubles
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from karat.tally.shared import other_kinds

_ALL: Final = 1 << 62
"""Bytes: rows that are compared with others are all kept."""
_LETTERS: Final = {
    "lists": "l",
    "texts": "t",
    "cells": "b",
    "weights": "w",
    "scores": "s",
    "names": "n",
}
"""What SQL calls columns, by how they are read."""


def open_sets(relation: Relation, asked: SetColumns) -> FileSets:
    """The query of rows with sets; none is read but for what is known of ids.

    Errors:
        As `find_columns`; K106, K116 the type of a column; K410 files that differ.
    """
    request = asked.request
    where = request.where
    columns = find_columns(
        request,
        asked.header,
        asked.types,
        relation.described,
        values=ValuesOfFiles(relation, where),
    )
    notes: list[str] = []
    if request.unique != "":
        true = columns.found["true"] if asked.wide is None else asked.wide.true[0]
        sides = columns.unique, true
        is_named = request.unique is not None
        argument = "id" if request.keeps_rows else "ids"
        notes += doubts_of_ids(relation, *sides, where, argument, is_named=is_named)
    if request.lists_rows:
        columns = replace(columns, id=columns.unique)
    reading = SetReading.of(asked, columns)
    kinds = _kinds(relation, reading, is_one_of_several=request.keeps_rows)
    # Each column once by each way that it is read, as SQL calls it.
    read = {kind: [name for name, its in kinds.items() if its == kind] for kind in _LETTERS}
    read["weights"] = [columns.found["weights"]] if "weights" in columns.found else []
    named = [reading.found[role] for role in ("clusters", "id") if role in reading.found]
    read["names"] = list(dict.fromkeys(named))
    read["scores"] = [] if reading.scores is None else list(reading.scores.names)
    aliases = {
        name: f"{_LETTERS[kind]}{place}"
        for kind, names in read.items()
        for place, name in enumerate(names)
    }
    # A column of slices may have another role, too.
    groups = {name: f"g{place}" for place, name in enumerate(columns.singles)}
    read["groups"] = list(groups)
    how = {kind: [relation.column(name) for name in names] for kind, names in read.items()}
    labels_as = relation.reading(how["lists"]) if how["lists"] else "typed"
    if how["texts"]:
        labels_as = relation.reading_of_texts(how["texts"])
    sql = relation.select_sets(how, where, labels_as)
    is_query = relation.query is not None
    with explaining(relation.files, has_sql=is_query, where=where):
        relation.require(dict(zip(["weights"], how["weights"], strict=False)))
        relation.require_sets(how["lists"], are_texts=False)
        relation.require_sets(how["texts"], are_texts=True)
        relation.require_scores([*how["cells"], *how["scores"]])
        relation.require_names([*how["names"], *how["groups"]])
        allow_columns(relation.connection, len(aliases) + len(groups))
        keep_order(relation.connection, sql)
    notes = [*columns.notes, *notes]
    later = slices_of(relation, columns.groups)
    return FileSets(
        relation, request, reading, labels_as, sql, aliases, groups, later, tuple(notes)
    )


def _kinds(relation: Relation, reading: SetReading, *, is_one_of_several: bool) -> dict[str, str]:
    """Kind of each column of sets: lists, text, or cells of one label.

    Args:
        is_one_of_several: whether other rows are compared with these, and may have the text.
    """
    wide = reading.wide
    if wide is not None:
        return dict.fromkeys((*wide.true, *wide.pred), "cells")
    types = dict(relation.described)
    names = [reading.found[role] for role in ("true", "pred") if role in reading.found]
    found = {name: "lists" if types[name].endswith("]") else "texts" for name in names}
    if reading.separator is None:
        # Of JSON, the first rows may all be null.
        return {
            name: "lists" if types[name] in ("JSON", "NULL") else kind
            for name, kind in found.items()
        }
    if "texts" not in found.values() and not is_one_of_several:
        what = f"Columns {shown(names)} hold lists, and no text"
        raise error("K227", found=what, do=f"Leave {option('separator')} out.")
    return found


@dataclass
class FileSets:
    """Files or a query whose rows have sets: a source that is read batch by batch.

    Attributes:
        relation, request: what is read.
        reading: how columns become sets.
        labels_as: how labels arrive.
        sql: what is read, row by row.
        aliases: what SQL calls each column.
        groups: what SQL calls each column of slices.
        later: how their values become slices.
        notes: sentences the reader should see.
    """

    relation: Relation
    request: TableRequest
    reading: SetReading
    labels_as: Reading
    sql: str
    aliases: Mapping[str, str]
    groups: Mapping[str, str]
    later: SlicesLater
    notes: tuple[str, ...] = ()
    _starts: list[int] = field(default_factory=list)
    _kept: list[Flags] = field(default_factory=list)
    _first: SetRows | None = None

    def batches(self, first: int = 0) -> Iterator[Batch]:
        """The rows with the labels of each batch.

        Errors:
            As of `SetReading.rows`; K407 numbers that are not whole.
        """
        self._starts, self._kept, n_rows = [], [], 0
        reading = self.reading
        if reading.scores is None:
            # Labels that are listed are looked for once all have come.
            reading = replace(reading, labels=None)
        progress, n_all = self.request.progress, self.relation.n_rows
        for place, batch in enumerate(self._batches()):
            self._starts.append(n_rows)
            with self.numbering(place):
                values = self._values(batch)
                rows, kept = reading.rows(values, is_part=True, decoded=self._decoded)
            rows = with_columns(rows, self._columns(batch, kept))
            n = rows.n if kept is None else len(kept)
            if self.request.keeps_rows:
                self._kept.append(np.ones(n, np.bool_) if kept is None else kept)
            n_rows += n
            if progress is not None:
                progress(n_rows, n_all)
            if self._first is None:
                self._first = rows.at(np.arange(min(rows.n, 3)))
            if place >= first:
                yield Tallies(sets=HeldSets.of(rows), n_dropped=n - rows.n)

    def whole(self) -> TableSets:
        """All rows, whatever memory they take, with their ids."""
        found = accumulate(self, ScoreParts(_ALL))
        kept = np.concatenate(self._kept)
        return TableSets.of(found, None if kept.all() else kept)

    def _values(self, batch: Mapping[str, ArrowColumn]) -> dict[str, ArrowColumn]:
        """The columns of a batch that have a role, by their names."""
        return {name: batch[alias] for name, alias in self.aliases.items()}

    def _columns(self, batch: Mapping[str, ArrowColumn], kept: Flags | None) -> dict[str, RowNames]:
        """The values of the columns of slices in a batch, as text."""
        found = {}
        for name, alias in self.groups.items():
            codes = NameCodes(name)
            codes.add(batch[alias], kept)
            found[name] = codes.names()
        return found

    def _batches(self) -> Iterator[dict[str, ArrowColumn]]:
        """The columns of each batch as SQL calls them."""
        relation = self.relation
        is_query = relation.query is not None
        with explaining(relation.files, has_sql=is_query, where=self.request.where):
            names = [*self.aliases.values(), *self.groups.values()]
            stream: Any = batches(relation.connection.sql(self.sql), names)
            # Closed before an error is explained: DuckDB reads nothing else beside an open stream.
            with closing(stream):
                yield from stream

    @property
    def _are_written(self) -> bool:
        """Whether labels are text as written, whatever they look like."""
        names = (self.reading.found.get(role) for role in ("true", "pred"))
        return any(name in self.request.formats.text for name in names)

    def _decoded(self, column: SetColumn) -> SetColumn:
        """Labels that arrive as texts of JSON, or marked, as what they are."""
        flat, how = column.flat, self.labels_as
        # Of a CSV, where columns of scores name the labels, it is known what they are.
        scores = self.reading.scores
        is_known = how == "csv" and scores is not None and not isinstance(scores.labels[0], str)
        is_known = is_known and not self._are_written
        if flat is None or flat.kind != "string" or not (how in ("json", "marked") or is_known):
            return column
        texts = flat.seen()
        try:
            labels = labels_of_texts([str(text) for text in texts], how)
        except NotLabelsError as problem:
            bad = set(problem.texts)
            is_bad = np.array([text in bad for text in flat.labels or ()])[flat.codes - flat.base]
            row, text = _first(column.sets, is_bad), problem.texts[0]
            raise _refused(problem, column.argument, row, text, how) from None
        refuse_doubles([str(text) for text in texts], labels)
        label_of = dict(zip(texts, labels, strict=True))
        read = [None if text is None else label_of[text] for text in flat.labels or ()]
        return replace(column, flat=coded(column.argument, flat.codes, read))

    @contextmanager
    def numbering(self, place: int) -> Iterator[None]:
        """Errors within number rows over the whole read."""
        with numbered_from(self._starts[place]):
            yield

    def finished(self, found: Tallies) -> Tallies:
        """Return the tallies on the labels that occur in the texts of all rows.

        Errors:
            K402 no row is left; K407 numbers that are not whole; K108, K109 labels that are not
            listed; K223 no row has a label; K229 two texts of one label.
        """
        where, n_dropped = self.request.where, found.n_dropped
        sets = found.sets
        if sets is None or not found.n_rows:
            raise no_rows(self.relation, where, n_dropped)
        if self.reading.wide is None and self.reading.scores is None:
            sets = self._named(sets)
        facts = facts_of(self.relation, where, n_dropped)
        warnings = (*dropped(n_dropped, found.n_rows + n_dropped), *self.notes)
        assert self._first is not None
        origin = origin_of_sets(self.reading, facts, warnings, first_sets(self._first))
        return replace(found, sets=sets, origin=origin)

    def _named(self, sets: HeldSets) -> HeldSets:
        """The sets on their labels: of a CSV what all of its texts are, in the order asked for."""
        texts = sets.classes.labels
        labels: Sequence[Label] = texts
        if self.labels_as == "csv" and not self._are_written:
            try:
                labels = of_csv([str(text) for text in texts])
            except NotLabelsError as problem:
                name, row, _, _ = self._located(set(problem.texts))
                argument, text = f"column {name!r}", problem.texts[0]
                raise _refused(problem, argument, row, text, "csv") from None
            refuse_doubles([str(text) for text in texts], labels)
            if tuple(labels) != texts:
                sets = sets.renamed(labels)
        request = self.request.read_as(kind_of(labels) or "string")
        if request.labels is None:
            return sets
        declared = declared_labels(request.labels)
        outside = {text for text, label in zip(texts, labels, strict=True) if label not in declared}
        if outside:
            self._refuse_outside(outside, dict(zip(texts, labels, strict=True)), declared)
        return sets.on(Classes(declared, is_declared=True))

    def _refuse_outside(
        self, outside: set[Any], label_of: Mapping[Any, Label], declared: Sequence[Label]
    ) -> None:
        """K108, K109: labels that are not among those listed."""
        name, row, text, counts = self._located(outside)
        label = label_of[text]
        if isinstance(declared[0], str) != isinstance(label, str):
            raise other_kinds(option("labels"), declared[0], f"column {name!r}", label)
        count, n = counts
        facts = {"row": row, "value": label, "count": count, "n": n}
        raise error("K109", argument=f"column {name!r}", **facts, **not_declared(declared))

    def _located(self, bad: set[Any]) -> tuple[str, int, Any, tuple[int, int]]:
        """The column, the first row and the label of it, the rows that have such, and all rows.

        Cost: one more read.
        """
        roles: list[Any] = [role for role in ("true", "pred") if role in self.reading.found]
        first: dict[str, tuple[int, Any]] = {}
        counts = dict.fromkeys(roles, 0)
        n = 0
        for values in map(self._values, self._batches()):
            size = 0
            for role in roles:
                column = self._decoded(self.reading.column(values, role))
                size, flat = column.n, column.flat
                if flat is None:
                    continue
                is_bad = np.isin(flat.codes, _codes_of(flat, bad))
                if not is_bad.any():
                    continue
                rows = np.unique(column.sets.rows[is_bad])
                counts[role] += len(rows)
                first.setdefault(role, (n + int(rows[0]), flat.label_at(int(is_bad.argmax()))))
            n += size
        role = next(role for role in roles if role in first)
        row, label = first[role]
        return self.reading.found[role], row, label, (counts[role], n)


def _codes_of(flat: Column, labels: set[Any]) -> list[int]:
    """The codes of some labels."""
    if flat.labels is None:
        return [int(label) for label in labels]
    return [code for code, label in enumerate(flat.labels, flat.base) if label in labels]


def _first(sets: Sets, is_bad: Flags) -> int:
    """The first row that has one of these labels."""
    return int(sets.rows[int(is_bad.argmax())])


def _refused(
    problem: NotLabelsError, argument: str, row: int, text: str, read: Reading
) -> KaratError:
    """The error of a text that cannot be a label."""
    shown_text = text[read == "marked" :]
    if isinstance(problem, FractionsError):
        name = argument.removeprefix("column ").strip("'")
        return error("K407", column=name, row=row, value=float(shown_text))
    code = "K410" if isinstance(problem, TextBesideNumbersError) else "K106"
    return error(code, argument=argument, found=f"Row {row} holds {shown_text[:60]} as a label")
