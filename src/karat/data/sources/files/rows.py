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

from karat.data.accumulator import SlicesLater
from karat.data.checks import (
    check_unused_weights,
    no_slices,
    remarks,
    single_columns,
    unused_groups,
)
from karat.data.clusters import NameCodes
from karat.data.labels.column import Column, Flags, declared_labels, harmonized, kind_of
from karat.data.labels.counting import tally_columns
from karat.data.roles import Role
from karat.data.rows import Counted, Rows, coded_rows, numbered
from karat.data.scores.batches import Codes, GatheredScores, LabelCodes
from karat.data.scores.columns import Named, ScoreColumns, find_score_columns
from karat.data.scores.containers import Scores, tolerance_of
from karat.data.scores.matrix import ScoreMatrix
from karat.data.scores.order import in_order, not_scores, placed
from karat.data.slices.codes import Key
from karat.data.sources.files.bad_scores import refuse_bad_score
from karat.data.sources.files.counted import (
    N_CLASSES_MAX,
    Progress,
    facts_of,
    families,
    no_rows,
    opened,
    tally_relation,
)
from karat.data.sources.files.duck import allow_columns, check_condition, explaining
from karat.data.sources.files.labels import Declared, labels_of, missing_codes, named, refuse_scores
from karat.data.sources.files.paths import Source
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.row_blocks import RowBlocks
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.text_labels import Reading
from karat.data.weights import Weights
from karat.errors import KaratError, error, shown
from karat.tally import Cells, Classes, Label

__all__ = ["rows_of_files", "slices_later"]


def rows_of_files(
    source: Source,
    *,
    true: str | None = None,
    pred: str | None = None,
    prob: Named = None,
    score: Named = None,
    weights: str | None = None,
    clusters: str | None = None,
    ids: str | None = None,
    by: str | None = None,
    groups: Sequence[Key] = (),
    keeps_rows: bool = False,
    where: str | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    labels_are_text: bool = False,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
    progress: Progress | None = None,
    is_part: bool = False,
) -> Rows | Counted:
    """The rows of files with probabilities or scores; of any other, their tally of labels.

    Rows with labels alone are kept too where they are told apart: by cluster, or by id.

    Args:
        source: a path, a glob, a folder, ``"-"`` for standard input, a SQL query, or several paths.
        true, pred: columns; found by their names when not given. Where scores are, no column of
            predictions is needed.
        prob, score: columns of probabilities or of other scores: a column (of the positive class
            of two, or of lists), several columns, or a pattern ``"proba_*"``; found by their
            names when neither is given; an empty name says that there are none.
        weights: a column; found by its name when not given.
        clusters: a column of which rows go together; never found by its name. An empty name says
            that there is none, and None that a column called like one is told.
        ids: a column of what the rows are called; with `keeps_rows` found by its name.
        by: a column of the slice that each row is in; it may have another role too.
        groups: columns, and crosses of several, whose values and bins are slices.
        keeps_rows: whether the rows are kept whatever they hold.
        where: a SQL condition; rows that fail it are not read.
        labels: the classes in order; default: those that the columns are named after, else the
            sorted labels that occur.
        positive: the positive class of two.
        labels_are_text: whether `labels` and `positive` are texts, as a command line has them.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
            A missing score is always an error.
        n_threads: threads of the reader (four at most) and of the count.
        progress: called after each batch of rows.
        is_part: whether the rows are a part of others, so that all of them may weigh nothing.

    Errors:
        As `tally_files`; K130, K131 scores that are no numbers; K134, K135, K137 columns that are
        not those of the classes. Rows are numbered from 0 over the whole read.

    Cost: one pass over the columns needed; memory for the scores, 4 bytes for a label, a cluster
    or an id, and one batch.
    """
    # Read once: it may be a generator.
    classes = None if labels is None else declared_labels(labels)
    declared = Declared(classes, positive, labels_are_text)
    given: dict[Role, str | None] = {"true": true, "pred": pred, "weights": weights}
    named: dict[Role, str | None] = {**given, "clusters": clusters, "id": ids}
    with opened(source, n_threads) as relation:
        if where is not None:
            check_condition(relation.connection, where)
        roles, chosen, notes = find_score_columns(
            relation.header, families(relation), named, prob, score
        )
        id_ = roles.column("id") if keeps_rows or ids else None
        names = {"clusters": roles.column("clusters"), "ids": id_, "slices": by}
        if by is not None and by not in relation.header:
            raise no_slices(by, relation.header)
        singles = single_columns(groups, relation.header)
        scores = () if chosen is None else chosen.names
        used = [*roles.mapping.values(), *scores, id_, by, *singles]
        if clusters is None:
            notes += unused_groups(relation.header, used)
        reader = _Reader(
            relation,
            roles.mapping,
            names,
            chosen,
            where,
            nulls,
            n_threads,
            tuple(groups),
            singles,
            is_part,
        )
        if chosen is not None:
            if weights is None and roles.mapping["weights"] is None:
                check_unused_weights(relation.described, used)
            found = reader.rows(declared, progress)
            if not isinstance(found, str):
                return found.warned(*notes)
            notes.append(found)
        if keeps_rows or groups or any(names.values()):
            if weights is None and roles.mapping["weights"] is None:
                check_unused_weights(relation.described, used)
            roles.require("pred")
            kept = replace(reader, chosen=None).rows(declared, progress)
            assert isinstance(kept, Rows)
            return kept.warned(*notes)
        tally = tally_relation(
            relation,
            given,
            where,
            declared,
            nulls=nulls,
            n_threads=n_threads,
            progress=progress,
            is_part=is_part,
        )
        return tally.warned(*notes)


@dataclass
class _Reader:
    """One read of a source whose rows are kept."""

    relation: Relation
    mapping: Mapping[str, str | None]
    names: Mapping[str, str | None]
    chosen: ScoreColumns | None
    where: str | None
    nulls: Literal["error", "drop"]
    n_threads: int | None
    groups: tuple[Key, ...] = ()
    singles: tuple[str, ...] = ()
    is_part: bool = False
    bad: tuple[ScoreMatrix, Sequence[str]] | None = None

    def rows(self, declared: Declared, progress: Progress | None) -> Rows | str:
        """The rows; or what to tell when columns that nobody named turn out to be no scores."""
        relation, where = self.relation, self.where
        known = {
            role: relation.column(name)
            for role, name in self.mapping.items()
            if name and role != "clusters"
        }
        # A read without predictions reads the truth in their place.
        columns = [known["true"], known.get("pred", known["true"])]
        if "weights" in known:
            columns.append(known["weights"])
        chosen = self.chosen
        scores = [] if chosen is None else [relation.column(name) for name in chosen.names]
        shown_names = [name for name in self.names.values() if name]
        names = [relation.column(name) for name in shown_names]
        reading = relation.reading(columns[:2])
        groups = [relation.column(name) for name in self.singles]
        sql = relation.select(columns, where, reading, scores, names, groups)
        beside = tuple(f"s{place}" for place in range(len(scores)))
        beside += tuple(f"g{place}" for place in range(len(groups)))
        named_ = tuple((f"n{place}", name) for place, name in enumerate(shown_names))
        connect = relation.connection
        rows = RowBlocks(
            lambda: connect.sql(sql), tuple(columns), self.nulls, beside=beside, named=named_
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
            gathered = self._gathered(rows, reading, scores, progress)
            # What is wrong with labels is looked for in a read of the labels alone.
            labels = replace(rows, open=lambda: connect.sql(again), beside=())
            if not len(gathered.true):
                raise no_rows(relation, where, rows.n_dropped)
            counted = gathered.counted(rows, self.n_threads)
            labels.absent = missing_codes(counted, labels, reading, declared)
            if labels.absent is not None:
                gathered.drop(np.isin(gathered.true, labels.absent))
                if "pred" in known:
                    gathered.drop(np.isin(gathered.pred, labels.absent))
                if not len(gathered.true):
                    raise no_rows(relation, where, gathered.n - len(gathered.true))
                counted = gathered.counted(rows, self.n_threads)
            tally = named(counted, labels, reading, declared)
            codes = [int(code) for code in counted.classes.labels]
            found = labels_of(codes, labels, reading)
        if chosen is None:
            return self._labelled(gathered, codes, found, tally)
        return self._on_classes(chosen, gathered, codes, found, declared, remarks(tally))

    def _gathered(
        self, rows: RowBlocks, reading: Reading, scores: Sequence[str], progress: Progress | None
    ) -> GatheredScores:
        relation = self.relation
        is_whole = self.where is None and relation.n_rows is not None
        n_expected = relation.n_rows if is_whole else None
        chosen = self.chosen
        matrix = None if chosen is None else ScoreMatrix(chosen.argument, chosen.names, n_expected)
        labels = LabelCodes()
        named = [*rows.named, *((f"g{i}", name) for i, name in enumerate(self.singles))]
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
            if max(len(labels.places), rows.n_texts) > N_CLASSES_MAX:
                refuse_scores(replace(rows, beside=()), reading)
                found = f"More than {N_CLASSES_MAX} labels differ, as ids and scores do"
                raise error("K106", argument=f"One of {shown(rows.names[:2])}", found=found)
            if progress is not None:
                progress(batch.first_row + batch.n, relation.n_rows)
        values = None if matrix is None else matrix.values()
        if chosen is not None and matrix is not None and matrix.bad is not None:
            assert values is not None
            self.bad = matrix, scores
            if chosen.how != "found":
                refuse_bad_score(self.relation, self.where, self.bad)
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

    def _of_names(self, gathered: GatheredScores) -> dict[str, Any]:
        roles = [role for role, name in self.names.items() if name]
        return dict(zip(roles, gathered.names[: len(roles)], strict=True))

    def _sliced(self, gathered: GatheredScores) -> dict[str, Any]:
        """The slices of the rows that were kept; of a part the values that they are made of."""
        read = gathered.names[len(gathered.names) - len(self.singles) :]
        names = dict(zip(self.singles, read, strict=True))
        if self.is_part:
            return {"columns": names}
        return {"by": slices_later(self.relation, self.groups).slices(names)}

    def _labelled(
        self, gathered: GatheredScores, codes: list[int], found: list[Label], tally: Cells
    ) -> Rows:
        """Rows without scores, on the classes of their tally."""
        classes = tally.classes
        place_of = {number: place for place, number in enumerate(gathered.numbers)}
        at = {label: place for place, label in enumerate(classes.labels)}
        kind = kind_of(found) or "string"
        places = {
            place_of.get(code, code): at[label]
            for code, label in zip(codes, harmonized(found, kind), strict=True)
        }
        true, pred = _in_places(gathered.true, places), _in_places(gathered.pred, places)
        weights = gathered.weights
        facts, dropped = self._facts(gathered)
        if weights is not None:
            columns = [f"column {self.mapping[role]!r}" for role in ("true", "pred", "weights")]
            with numbered(gathered.kept if dropped else None):
                tally = _counted(
                    classes, true, pred, weights, columns, self.n_threads, is_part=self.is_part
                )
        return Rows(
            classes,
            true,
            pred,
            weights=weights,
            cells=tally,
            mapping=self.mapping,
            source=facts,
            warnings=(*dropped, *remarks(tally)),
            n_dropped=gathered.n - len(gathered.true),
            kept=gathered.kept if dropped else None,
            weights_argument=self._weights_argument,
            is_owned=True,
            **self._sliced(gathered),
            **self._of_names(gathered),
        )

    def _facts(self, gathered: GatheredScores) -> tuple[dict[str, Any], list[str]]:
        """What a report says of its source, and of the rows that were left out."""
        facts = facts_of(self.relation, self.where)
        n_dropped = gathered.n - len(gathered.true)
        if not n_dropped:
            return facts, []
        facts["n_dropped"] = n_dropped
        return facts, [f"{n_dropped} of {gathered.n} rows have a missing label and were dropped."]

    def _on_classes(
        self,
        chosen: ScoreColumns,
        gathered: GatheredScores,
        codes: list[int],
        found: list[Label],
        declared: Declared,
        notes: list[str],
    ) -> Rows | str:
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
        names, values = chosen.names, gathered.values
        assert values is not None
        k = 2 if values.ndim == 1 else values.shape[1]
        try:
            place = placed(chosen, k, true, pred, declared.labels, declared.positive)
        except KaratError as problem:
            return not_scores(problem, chosen, has_pred=pred is not None)
        with explaining(self.relation.files, where=self.where):
            refuse_bad_score(self.relation, self.where, self.bad)
        true_codes, pred_codes = coded_rows(true, pred, place.classes)
        is_half = self.relation.halves([self.relation.column(name) for name in names])
        scores = Scores(chosen.argument, values, names, tolerance_of(is_half=is_half))
        scores = in_order(scores, place.order)
        facts, dropped = self._facts(gathered)
        return Rows(
            place.classes,
            true_codes,
            pred_codes,
            scores,
            gathered.weights,
            mapping={**self.mapping, chosen.role: list(scores.columns or names)},
            source=facts,
            warnings=(*dropped, *notes),
            n_dropped=gathered.n - len(gathered.true),
            kept=gathered.kept if dropped else None,
            weights_argument=self._weights_argument,
            is_owned=True,
            **self._sliced(gathered),
            **self._of_names(gathered),
        )

    @property
    def _weights_argument(self) -> str:
        weights = self.mapping["weights"]
        return f"column {weights!r}" if weights else "weights"


def slices_later(relation: Relation, groups: Sequence[Key]) -> SlicesLater:
    """How the columns of a relation become slices."""
    kinds = families(relation)
    numbers = frozenset(name for name, kind in kinds.items() if kind in ("whole", "real"))
    return SlicesLater(tuple(groups), numbers)


def _counted(
    classes: Classes,
    true: Codes,
    pred: Codes,
    weights: Weights | None,
    arguments: Sequence[str],
    n_threads: int | None,
    *,
    is_part: bool,
) -> Cells:
    """The tally of rows whose classes are known.

    Args:
        arguments: what messages call truth, prediction and weights.

    Errors:
        K113 to K115 bad weights.
    """
    left, right = (
        Column(name, codes, "integer") for name, codes in zip(arguments, (true, pred), strict=False)
    )
    found = tally_columns(
        left,
        right,
        labels=list(range(classes.k)),
        weights=weights,
        weights_argument=arguments[2],
        n_threads=n_threads,
        is_part=is_part,
    )
    return found.with_classes(classes)


def _in_places(codes: Codes, places: Mapping[int, int]) -> Codes:
    """int32[n]: the class of each row, from codes and the class of each code."""
    lut = np.full(max(places, default=0) + 1, -1, np.int32)
    lut[list(places)] = list(places.values())
    return lut[codes]
