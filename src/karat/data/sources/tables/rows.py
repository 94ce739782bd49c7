"""Tables in memory: columns detected by role and read once; the rows of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from karat.data.accumulator import Tallies
from karat.data.checks import check_in_common, zero_threshold
from karat.data.clusters import encode_names, names_of_column
from karat.data.labels.column import Column, Flags, Nulls, drop_missing, resolved, taken_rows
from karat.data.labels.counting import tally_columns
from karat.data.roles import shown_column
from karat.data.rows import Counted, Rows, coded_rows, numbered
from karat.data.scores.columns import UNLESS_PREDICTED, ScoreColumns
from karat.data.scores.containers import Scores, gathered
from karat.data.scores.order import (
    NotScoresError,
    in_order,
    not_scores,
    place_classes,
    placed,
    refuse_found_scores,
)
from karat.data.scores.rows import InMemoryScores
from karat.data.slices.codes import Key, SliceCodes, coded_values, of_columns, searched_columns
from karat.data.slices.folds import coded_folds
from karat.data.sources.columns import TableColumns, TableRequest, dropped, find_columns
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import Frame, encode_role, open_frame
from karat.data.sources.tables.sets import kept_sets_of_frame, sets_of_frame
from karat.data.sources.tables.values import ValuesOfFrame, doubts_of_ids
from karat.data.table_sets import TableSets
from karat.data.weights import Weights, as_weights
from karat.errors import KaratError, error
from karat.errors.doubts import Doubt
from karat.tally.cells import Cells
from karat.tally.classes import Classes, Label


def read_rows(source: Any, name: str, request: TableRequest) -> Rows | TableSets:
    """Read the rows of a table or of files, in their order; or those with sets of labels.

    Args:
        source: input of `rows_of_frame` or `rows_of_files`.
        name: its name in messages.
        request: the columns to read.

    Errors:
        As in `rows_of_frame` and `rows_of_files`.
    """
    threshold = request.threshold
    if threshold is not None and request.pred:
        raise error("K136", threshold=threshold, found="A column of predictions is given too")
    request = replace(request, keeps_rows=True)
    if names_files(source):
        from karat.data.sources.files.counted import errors_of_files
        from karat.data.sources.files.rows import kept_rows_of_files

        with errors_of_files(request.where, source):
            read = kept_rows_of_files(source, request)
    else:
        read = _kept_rows_of_frame(source, request)
    if isinstance(read, TableSets):
        return replace(read, name=name)
    found = replace(read, name=name)
    if found.scores is not None:
        columns_of_scores = found.mapping.get("score")
        if columns_of_scores and request.score in (None, UNLESS_PREDICTED):
            values = found.scores.values
            limits = float(values.min()), float(values.max())
            refuse_found_scores(columns_of_scores, limits, found.n)
        with numbered(found.kept):
            return predicted(found, threshold, request.n_threads)
    if threshold is not None:
        raise error("K136", threshold=threshold, found="There are no probabilities or scores")
    if found.cells is not None:
        sides = (f"column {found.mapping.get(role)!r}" for role in ("true", "pred"))
        check_in_common(found.cells, *sides)
    return found


def predicted(rows: Rows, threshold: float | None, n_threads: int | None) -> Rows:
    """Return rows with scores, with predictions computed if absent; each score is checked.

    Without a threshold one column of other scores than probabilities and logits predicts nothing.

    Errors:
        K13x a value is not a probability or not finite; K113 to K115 invalid weights; K136 the
        threshold.
    """
    tally = InMemoryScores.of(rows, threshold, n_threads)
    tally.check()
    if not tally.has_predictions:
        return rows
    found = replace(rows, pred=np.asarray(tally.predicted(), np.int32))
    return found.warned(*zero_threshold(tally.threshold, tally.kind))


@dataclass(frozen=True, slots=True, eq=False)
class FrameLabels:
    """Rows of a table without those that are left out.

    Attributes:
        values: every column that was read, with all rows.
        true, pred: the labels; `pred` is None if no column has predictions.
        weights: float64[n], or None.
        weights_argument: name of the weights in messages.
        names: clusters, ids and slices.
        kept: bool[m], the kept rows of the table; None if all are kept.
        n_rows: number of rows of the table, m.
        source: library of the table, and the number of dropped rows.
        by: the slices of the rows.
        left_out: column → why it has no slices, if a search was requested.
        no_truth: bool[m], the rows of the table without truth; None if all have one.
        unverified: predicted label → number of rows without truth.
    """

    values: Mapping[str, Any]
    true: Column
    pred: Column | None
    weights: Weights | None
    weights_argument: str
    names: Mapping[str, Any]
    kept: Flags | None
    n_rows: int
    source: Mapping[str, Any]
    by: tuple[SliceCodes, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    no_truth: Flags | None = None
    unverified: Mapping[Label, int] = field(default_factory=dict)

    @property
    def n_dropped(self) -> int:
        return self.n_rows - len(self.true)

    @property
    def notes(self) -> tuple[str, ...]:
        return dropped(self.n_dropped, self.n_rows)

    def rows(
        self,
        classes: Classes,
        mapping: Mapping[str, Any],
        scores: Scores | None = None,
        cells: Cells | None = None,
    ) -> Rows:
        """Return the rows on a class axis; errors number those of the table."""
        with numbered(self.kept):
            true, pred = coded_rows(self.true, self.pred, classes)
        return Rows(
            classes,
            true,
            pred,
            scores,
            self.weights,
            by=self.by,
            left_out=self.left_out,
            cells=cells,
            mapping=mapping,
            source=self.source,
            warnings=self.notes,
            n_dropped=self.n_dropped,
            unverified=self.unverified,
            kept=self.kept,
            weights_argument=self.weights_argument,
            is_owned=True,
            **self.names,
        )


def read_labels(
    frame: Frame,
    found: Mapping[str, str],
    weights: Any,
    clusters: Any,
    nulls: Literal["error", "drop"],
    beside: Sequence[str] = (),
    role: str = "",
    groups: Sequence[Key] = (),
    *,
    folds: Key = (),
    is_searched: bool = False,
) -> FrameLabels:
    """Read these columns once, and leave out rows if allowed.

    Args:
        found: column by role: ``true``, maybe ``pred``, ``weights``, ``clusters``, ``id``, ``by``.
        weights, clusters: values of each row, if no column has the role; or None.
        nulls: ``"error"``, or ``"drop"`` to leave out rows where any of them is missing.
        beside: more columns to read.
        role: role of those columns, in messages.
        groups: columns, and crosses of several, whose values and bins are slices.
        folds: those of them that are folds.
        is_searched: as in `TableRequest`.

    Errors:
        As in `encode_role`, `as_weights` and `as_clusters`.
    """
    singles = list(dict.fromkeys(name for key in groups for name in key))
    roles = [*found, *[role] * len(beside), *["the slices"] * len(singles)]
    values = frame.columns([*found.values(), *beside, *singles], roles)
    marks: Nulls = "keep" if nulls == "drop" else "error"
    truth, guess = (
        encode_role(values[found[role]], found[role], is_prediction=role == "pred", nulls=marks)
        if role in found
        else None
        for role in ("true", "pred")
    )
    assert truth is not None
    n_rows = len(truth)
    argument = shown_column(found["weights"]) if "weights" in found else "weights"
    given = values[found["weights"]] if "weights" in found else weights
    importance = None
    if given is not None and not isinstance(given, str):
        importance = as_weights(given, n_rows, argument, beside=truth.argument)
    names = _names(values, found, clusters, truth, marks)
    is_present = [~column.missing for column in names.values() if column.missing is not None]
    if importance is not None and nulls == "drop":
        is_present.append(~np.isnan(importance))
    also = np.logical_and.reduce(is_present) if is_present else None
    left, right, kept = drop_missing(truth, truth if guess is None else guess, also)
    if importance is not None and kept is not None:
        importance = importance[kept]
    left_out: Mapping[str, str] = {}
    if is_searched:
        by, left_out = searched_columns(
            (name, partial(coded_values, values[name], name, n_rows, keeps_numbers=True))
            for name in singles
        )
    else:
        single = {
            name: (coded_folds if name in folds else coded_values)(values[name], name, n_rows)
            for name in singles
        }
        by = of_columns(groups, single, folds)
    return FrameLabels(
        values,
        left,
        None if guess is None else right,
        importance,
        argument,
        {role: names_of_column(taken_rows(column, kept)) for role, column in names.items()},
        kept,
        n_rows,
        {"table": frame.kind, **({} if kept is None else {"n_dropped": n_rows - len(left)})},
        tuple(one.at(kept) for one in by),
        left_out,
        truth.missing,
        {} if guess is None or truth.missing is None else _counts(guess, truth.missing),
    )


def _counts(column: Column, flags: Flags) -> dict[Label, int]:
    """Return the number of rows of each label among some rows."""
    held = flags if column.missing is None else flags & ~column.missing
    if not held.any():
        return {}
    some = resolved(taken_rows(column, held))
    assert some.labels is not None
    counts = np.bincount(some.codes - some.base, minlength=len(some.labels)).tolist()
    return {x: n for x, n in zip(some.labels, counts, strict=True) if n and x is not None}


def _names(
    values: Mapping[str, Any], found: Mapping[str, str], clusters: Any, truth: Column, marks: Nulls
) -> dict[str, Column]:
    shown = {"clusters": "clusters", "id": "ids", "by": "slices"}
    given = {
        shown[role]: (values[found[role]], shown_column(found[role]))
        for role in shown
        if role in found
    }
    if "clusters" not in found and not isinstance(clusters, str | None):
        given = {"clusters": (clusters, "clusters"), **given}
    names = {}
    for role, (column, argument) in given.items():
        things = role if role == "ids" else "values"
        names[role] = encode_names(column, argument, marks, things)
        n = len(names[role])
        if n != len(truth):
            raise error("K102", left=truth.argument, n_left=len(truth), right=argument, n_right=n)
    return names


def rows_of_frame(
    table: Any, request: TableRequest | None = None, **options: Any
) -> Rows | Counted | Tallies:
    """Return the rows of a table with probabilities or scores; for others, the tally of labels.

    Rows with sets of labels are returned as tallies with these rows.

    Args:
        table: anything that `data.sources.tables.frames.open_frame` reads.
        request: the columns to read; default: that of the options, as in `TableRequest`.

    Errors:
        K102 to K125 labels and weights; K130, K131 scores that are not numbers; K134, K135, K137
        columns that do not match the classes; K404 to K407 and K412 the table and its columns. Rows
        are numbered as in the table, even if some were dropped.

    Cost: the needed columns are read once, into one matrix; other columns are not read.
    """
    request = request or TableRequest(**options)
    frame = formatted(open_frame(table), request.formats)
    sets = sets_of_frame(frame, request)
    return _rows_of_classes(frame, request) if sets is None else sets


def _kept_rows_of_frame(table: Any, request: TableRequest) -> Rows | TableSets:
    """Return the rows of a table, for a request that keeps them."""
    frame = formatted(open_frame(table), request.formats)
    sets = kept_sets_of_frame(frame, request)
    if sets is not None:
        return sets
    found = _rows_of_classes(frame, request)
    assert isinstance(found, Rows)
    return found


def _rows_of_classes(frame: Frame, request: TableRequest) -> Rows | Counted:
    """Return the rows of a table with one class each, or their tally."""
    values = None if frame.first_rows is None else ValuesOfFrame(frame)
    columns = find_columns(request, frame.names, frame.types, values=values)
    request = replace(request, positive=columns.positive)
    mapping, notes = columns.mapping, columns.notes
    found = columns.found
    found |= {role: name for role, name in (("id", columns.id), ("by", request.by)) if name}
    given = frame, found, request.weights, request.clusters, request.nulls
    searched: dict[str, Any] = {"groups": columns.groups, "is_searched": request.is_searched}
    if columns.folds is not None:
        searched["folds"] = columns.folds.key
    left_out = columns.left_out
    # For rows that can be read only once, ids are read with the labels.
    is_once = (frame.first_rows is None or request.lists_rows) and columns.unique is not None
    also = (columns.unique,) if is_once and columns.unique else ()
    is_named = request.unique is not None

    def of_ids(read: FrameLabels) -> list[Doubt]:
        ids = None if columns.repeats_ids else columns.unique
        return doubts_of_ids(frame, ids, read.n_rows, read.values, is_named=is_named)

    if columns.chosen is not None:
        beside = (*columns.scores, *also)
        read = read_labels(*given, beside, columns.chosen.role, **searched)
        try:
            rows = _scored(read, mapping, columns.chosen, request)
        except NotScoresError as problem:
            notes.append(problem.doubt)
        else:
            notes += of_ids(read)
            facts: dict[str, Any] = {"left_out": {**left_out, **rows.left_out}}
            facts["folds"] = columns.folds
            return replace(rows.warned(*notes), **facts, id_values=_ids_of(read, request, columns))
    read = read_labels(*given, also, "the row ids", **searched)
    assert read.pred is not None
    with numbered(read.kept):
        cells = tally_columns(
            read.true,
            read.pred,
            labels=request.labels,
            positive=request.positive,
            weights=read.weights,
            weights_argument=read.weights_argument,
            n_threads=request.n_threads,
        )
    notes = [*notes, *of_ids(read)]
    is_split = columns.groups or request.has_clusters or found.keys() & {"clusters", "id", "by"}
    if request.keeps_rows or request.lists_rows or is_split:
        made = read.rows(cells.classes, mapping, cells=cells).warned(*notes)
        ids = _ids_of(read, request, columns)
        facts = {"left_out": {**left_out, **made.left_out}, "folds": columns.folds}
        return replace(made, **facts, id_values=ids)
    of_all = (read.source, (*read.notes, *notes), read.n_dropped, read.unverified)
    return Counted(cells, mapping, *of_all)


def _ids_of(read: FrameLabels, request: TableRequest, columns: TableColumns) -> Any:
    """Return the column of ids of rows that are listed, as the table holds it; or None."""
    is_there = request.lists_rows and columns.unique is not None
    return read.values[columns.unique] if is_there and columns.unique else None


def _scored(
    read: FrameLabels, mapping: Mapping[str, Any], chosen: ScoreColumns, request: TableRequest
) -> Rows:
    """Return the rows.

    Errors:
        NotScoresError: detected columns turn out not to be scores.
    """
    names, sides = chosen.names, (read.true, read.pred, request.labels, request.positive)
    try:
        # Several columns are assigned to classes before they are gathered in that order.
        place = None
        if len(names) > 1:
            place = placed(chosen, len(names), *sides, is_single=False)
        if place is not None and place.order is not None:
            names = tuple(names[i] for i in place.order)
        scores = gathered(read.values, names, chosen.argument, read.kept)
        if scores.are_classes:
            named = read.true, chosen.argument, scores.columns or ()
            place = place_classes(*named, request.labels, request.positive, read.pred)
            scores = in_order(scores, place.order)
        place = place or placed(chosen, scores.k, *sides, is_single=scores.values.ndim == 1)
    except KaratError as problem:
        raise NotScoresError(not_scores(problem, chosen, has_pred=read.pred is not None)) from None
    if scores.n != read.n_rows:
        left, right = read.true.argument, chosen.argument
        raise error("K102", left=left, n_left=read.n_rows, right=right, n_right=scores.n)
    used = chosen.names if scores.are_classes else scores.columns or chosen.names
    mapping = {**mapping, chosen.role: list(used)}
    if read.no_truth is not None and read.pred is None:
        lost = scores.at(read.no_truth)
        read = replace(read, unverified=_predictions(lost, place.classes, request.threshold))
    scores = scores if read.kept is None else scores.at(read.kept)
    return read.rows(place.classes, mapping, scores)


def _predictions(scores: Scores, classes: Classes, threshold: float | None) -> dict[Label, int]:
    """Return the number of rows by the class that their scores predict; none of invalid scores."""
    n = scores.n
    is_finite = np.asarray(np.isfinite(scores.values.reshape(n, -1)).all(axis=1))
    scores = scores.at(is_finite)
    rows = Rows(classes, np.zeros(scores.n, np.int32), scores=scores)
    try:
        codes = InMemoryScores.of(rows, threshold).predicted()
    except KaratError:  # these rows are left out, whatever their scores are
        return {}
    counts = np.bincount(codes, minlength=classes.k).tolist()
    return {label: n for label, n in zip(classes.labels, counts, strict=True) if n}
