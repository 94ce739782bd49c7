"""Tables in memory with scores, and the rows of one model: columns found by role, gathered once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from karat.data.checks import (
    check_unused_weights,
    no_slices,
    remarks,
    single_columns,
    unused_groups,
)
from karat.data.labels.column import Column, Flags, declared_labels
from karat.data.roles import Role
from karat.data.rows import Counted, Rows, coded_rows, numbered
from karat.data.scores.columns import Named, ScoreColumns, find_score_columns
from karat.data.scores.containers import Scores, gathered
from karat.data.scores.order import Placed, not_scores, placed
from karat.data.scores.rows import InMemoryScores
from karat.data.slices.codes import Key
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.frames import Frame, open_frame
from karat.data.sources.tables.labels import FrameLabels, count_labels, read_labels, tally_frame
from karat.errors import KaratError, error
from karat.tally.classes import Label

__all__ = ["predicted", "read_rows", "rows_of_frame"]


def read_rows(
    source: Any,
    name: str,
    columns: Mapping[str, Any],
    *,
    labels: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    nulls: str = "error",
    n_threads: int | None = None,
    where: str | None = None,
    labels_are_text: bool = False,
    progress: Any = None,
) -> Rows:
    """The rows of a table or of files, in their order.

    Args:
        source: what `rows_of_frame` or `rows_of_files` reads.
        name: what messages call it.
        columns: the column of each role, or None: ``true``, ``pred``, ``prob``, ``score``,
            ``weights``, ``clusters``, ``ids`` and ``by``.
        threshold: predict the positive class of two from this score on.

    Errors:
        As `rows_of_frame` and `rows_of_files`.
    """
    named = dict(columns)
    if threshold is not None and named.get("pred"):
        raise error("K136", threshold=threshold, found="A column of predictions is given too")
    options = {"labels": labels, "positive": positive, "nulls": nulls, "n_threads": n_threads}
    if names_files(source):
        from karat.data.sources.files.row_places import errors_of_files
        from karat.data.sources.files.rows import rows_of_files

        options |= {"where": where, "labels_are_text": labels_are_text, "progress": progress}

        def read(**given: Any) -> Any:
            with errors_of_files(where, source):
                return rows_of_files(source, keeps_rows=True, **given, **options)
    else:

        def read(**given: Any) -> Any:
            return rows_of_frame(source, keeps_rows=True, **given, **options)

    found: Rows = replace(read(**named), name=name)
    if found.scores is not None:
        with numbered(found.kept):
            return predicted(found, threshold, n_threads)
    if threshold is not None:
        raise error("K136", threshold=threshold, found="There are no probabilities or scores")
    return found


def predicted(rows: Rows, threshold: float | None, n_threads: int | None) -> Rows:
    """Rows with scores, their predictions made where there are none; each score is checked.

    Errors:
        K13x a value is no probability or not finite; K113 to K115 bad weights; K136 the threshold.
    """
    tally = InMemoryScores.of(rows, threshold, n_threads)
    tally.check()
    return replace(rows, pred=np.asarray(tally.predicted(), np.int32))


def rows_of_frame(
    table: Any,
    *,
    true: str | None = None,
    pred: str | None = None,
    prob: Named = None,
    score: Named = None,
    weights: Any = None,
    clusters: Any = None,
    ids: str | None = None,
    by: str | None = None,
    groups: Sequence[Key] = (),
    keeps_rows: bool = False,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
) -> Rows | Counted:
    """The rows of a table that has probabilities or scores; of any other, its tally of labels.

    Rows with labels alone are kept too where they are told apart: by cluster, or by id.

    Args:
        table: anything that `data.sources.tables.frames.open_frame` reads.
        true, pred: columns; found by their names when not given. Where scores are, no column of
            predictions is needed.
        prob, score: columns of probabilities or of other scores: a column (of the positive class
            of two, or of lists), several columns, or a pattern ``"proba_*"``; found by their
            names when neither is given; an empty name says that there are none.
        weights: a column, or float[n]; a column is found by its name when not given.
        clusters: a column of which rows go together, or one name or number a row; never found by
            its name. An empty name says that there is none, and None that a column called like
            one is told.
        ids: a column of what the rows are called; with `keeps_rows` found by its name.
        by: a column of the slice that each row is in; it may have another role too.
        groups: columns, and crosses of several, whose values and bins are slices.
        keeps_rows: whether the rows are kept whatever they hold.
        labels: the classes in order; default: those that the columns are named after, else the
            sorted labels that occur.
        positive: the positive class of two.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
            A missing score is always an error.
        n_threads: threads of the count of labels.

    Errors:
        K102 to K125 labels and weights; K130, K131 scores that are no numbers; K134, K135, K137
        columns that are not those of the classes; K404 to K407 and K412 the table and its columns.
        Rows are those of the table, also where some were dropped.

    Cost: the columns needed are read once, into one matrix; other columns are not touched.
    """
    frame = open_frame(table)
    # Read once: it may be a generator.
    declared = None if labels is None else declared_labels(labels)
    named_weights = weights if weights is None or isinstance(weights, str) else ""
    named_clusters = clusters if clusters is None or isinstance(clusters, str) else ""
    given: dict[Role, str | None] = {
        "true": true,
        "pred": pred,
        "weights": named_weights,
        "clusters": named_clusters,
        "id": ids,
    }
    roles, chosen, notes = find_score_columns(frame.names, frame.types, given, prob, score)
    found = {role: name for role, name in roles.mapping.items() if name}
    id_ = roles.column("id") if keeps_rows or ids else None
    if by is not None and by not in frame.names:
        raise no_slices(by, frame.names)
    singles = single_columns(groups, frame.names)
    used = [*found.values(), *(() if chosen is None else chosen.names), id_, by, *singles]
    if clusters is None:
        notes += unused_groups(frame.names, used)
    with_id = {**found, "id": id_} if id_ else found
    with_id = {**with_id, "by": by} if by else with_id
    if chosen is not None:
        if weights is None and "weights" not in found:
            check_unused_weights(frame.types.items(), used)
        rows = _rows(frame, with_id, chosen, weights, clusters, declared, positive, nulls, groups)
        if not isinstance(rows, str):
            return rows.warned(*notes)
        notes.append(rows)
    has_clusters = "clusters" in found or not isinstance(clusters, str | None)
    if keeps_rows or id_ or by or groups or has_clusters:
        if weights is None and "weights" not in found:
            check_unused_weights(frame.types.items(), used)
        roles.require("pred")
        read = read_labels(frame, with_id, weights, clusters, nulls, groups=groups)
        return _labelled(read, found, declared, positive, n_threads).warned(*notes)
    tally = tally_frame(
        table,
        true=true,
        pred=pred,
        weights=weights,
        labels=declared,
        positive=positive,
        nulls=nulls,
        n_threads=n_threads,
    )
    return tally.warned(*notes)


def _labelled(
    read: FrameLabels,
    found: Mapping[str, str],
    labels: Sequence[Label] | None,
    positive: Label | None,
    n_threads: int | None,
) -> Rows:
    """Rows without scores."""
    cells = count_labels(read, labels, positive, n_threads=n_threads)
    true, pred = coded_rows(read.true, read.pred, cells.classes)
    assert pred is not None
    return Rows(
        cells.classes,
        true,
        pred,
        weights=read.weights,
        cells=cells,
        by=read.by,
        mapping=_mapping(found),
        source=read.source,
        warnings=(*read.notes, *remarks(cells)),
        n_dropped=read.n_dropped,
        kept=read.kept,
        weights_argument=read.weights_argument,
        is_owned=True,
        **read.names,
    )


def _mapping(found: Mapping[str, str]) -> dict[str, str | None]:
    known: dict[str, str | None] = {role: found.get(role) for role in ("true", "pred", "weights")}
    return known | ({"clusters": found["clusters"]} if "clusters" in found else {})


def _rows(
    frame: Frame,
    found: Mapping[str, str],
    chosen: ScoreColumns,
    weights: Any,
    clusters: Any,
    labels: Sequence[Label] | None,
    positive: Label | None,
    nulls: Literal["error", "drop"],
    groups: Sequence[Key],
) -> Rows | str:
    """The rows; or what to tell when columns that nobody named turn out to be no scores."""
    read = read_labels(frame, found, weights, clusters, nulls, chosen.names, chosen.role, groups)
    truth, guess, kept = read.true, read.pred, read.kept
    try:
        scores, place = _scores(read.values, chosen, truth, guess, labels, positive, kept)
    except KaratError as problem:
        return not_scores(problem, chosen, has_pred=guess is not None)
    with numbered(kept):
        true_codes, pred_codes = coded_rows(truth, guess, place.classes)
    if scores.n != read.n_rows:
        raise error(
            "K102", left=truth.argument, n_left=read.n_rows, right=chosen.argument, n_right=scores.n
        )
    if kept is not None:
        scores = scores.at(kept)
    return Rows(
        place.classes,
        true_codes,
        pred_codes,
        scores,
        read.weights,
        by=read.by,
        mapping={**_mapping(found), chosen.role: list(scores.columns or chosen.names)},
        source=read.source,
        warnings=read.notes,
        n_dropped=read.n_dropped,
        kept=kept,
        weights_argument=read.weights_argument,
        is_owned=True,
        **read.names,
    )


def _scores(
    values: Mapping[str, Any],
    chosen: ScoreColumns,
    truth: Column,
    guess: Column | None,
    labels: Sequence[Label] | None,
    positive: Label | None,
    kept: Flags | None,
) -> tuple[Scores, Placed]:
    """The matrix with its columns in the order of the classes."""
    names = chosen.names
    if len(names) > 1:
        # Placed before they are gathered: the matrix is filled in the order of the classes.
        place = placed(chosen, len(names), truth, guess, labels, positive)
        if place.order is not None:
            names = tuple(names[i] for i in place.order)
        return gathered(values, names, chosen.argument, kept), place
    scores = gathered(values, names, chosen.argument, kept)
    return scores, placed(chosen, scores.k, truth, guess, labels, positive)
