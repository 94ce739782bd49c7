"""Tables in memory with probabilities or scores: columns found by role, gathered once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from karat.engines.checks import check_unused_weights
from karat.engines.frames import FrameTally, tally_frame
from karat.engines.table_rows import TableRows, coded_rows, not_scores, numbered, placed
from karat.errors import KaratError, error
from karat.inputs.column import Column, Flags, Nulls, drop_missing
from karat.inputs.frames import Frame, encode_role, open_frame
from karat.inputs.identity import declared_labels
from karat.inputs.score_columns import Named, ScoreColumns, find_score_columns
from karat.inputs.score_order import Placed
from karat.inputs.scores import Scores, gathered
from karat.inputs.weights import Weights, as_weights
from karat.tally.classes import Label

__all__ = ["rows_of_frame"]


def rows_of_frame(
    table: Any,
    *,
    true: str | None = None,
    pred: str | None = None,
    prob: Named = None,
    score: Named = None,
    weights: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
) -> TableRows | FrameTally:
    """The rows of a table that has probabilities or scores; of any other, its tally of labels.

    Args:
        table: anything that `inputs.frames.open_frame` reads.
        true, pred: columns; found by their names when not given. Where scores are, no column of
            predictions is needed.
        prob, score: columns of probabilities or of other scores: a column (of the positive class
            of two, or of lists), several columns, or a pattern ``"proba_*"``; found by their
            names when neither is given; an empty name says that there are none.
        weights: a column, or float[n]; a column is found by its name when not given.
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
    roles, chosen, notes = find_score_columns(
        frame.names,
        frame.types,
        {"true": true, "pred": pred, "weights": named_weights},
        prob,
        score,
    )
    mapping = roles.mapping
    note = None
    if chosen is not None:
        found = {role: name for role, name in mapping.items() if name}
        if weights is None and "weights" not in found:
            check_unused_weights(frame.types.items(), [*found.values(), *chosen.names])
        rows = _rows(frame, found, chosen, weights, declared, positive, nulls)
        if not isinstance(rows, str):
            return rows
        note = rows
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
    return tally.warned(*notes, *([] if note is None else [note]))


def _rows(
    frame: Frame,
    found: Mapping[str, str],
    chosen: ScoreColumns,
    weights: Any,
    labels: Sequence[Label] | None,
    positive: Label | None,
    nulls: Literal["error", "drop"],
) -> TableRows | str:
    """The rows; or what to tell when columns that nobody named turn out to be no scores."""
    wanted = [*found.values(), *chosen.names]
    values = frame.columns(wanted, [*found, *[chosen.role] * len(chosen.names)])
    marks: Nulls = "keep" if nulls == "drop" else "error"
    truth = encode_role(values[found["true"]], found["true"], is_prediction=False, nulls=marks)
    guess = None
    if "pred" in found:
        guess = encode_role(values[found["pred"]], found["pred"], is_prediction=True, nulls=marks)
    n_rows = len(truth)
    argument = f"Column {found['weights']!r}" if "weights" in found else "weights"
    importance = _weights(values, found, weights, truth, argument)
    is_weighed = None if importance is None or nulls != "drop" else ~np.isnan(importance)
    truth, guess, kept = _present(truth, guess, is_weighed)
    if importance is not None and kept is not None:
        importance = importance[kept]
    try:
        scores, place = _scores(values, chosen, truth, guess, labels, positive, kept)
    except KaratError as problem:
        return not_scores(problem, chosen, has_pred=guess is not None)
    with numbered(kept):
        true_codes, pred_codes = coded_rows(truth, guess, place.classes)
    if scores.n != n_rows:
        raise error(
            "K102", left=truth.argument, n_left=n_rows, right=chosen.argument, n_right=scores.n
        )
    source: dict[str, Any] = {"table": frame.kind}
    n_dropped = n_rows - len(truth)
    warnings: tuple[str, ...] = ()
    if n_dropped and kept is not None:
        scores = scores.at(kept)
        source["n_dropped"] = n_dropped
        warnings = (f"{n_dropped} of {n_rows} rows have a missing label and were dropped.",)
    return TableRows(
        place.classes,
        true_codes,
        pred_codes,
        scores,
        importance,
        {**{role: found.get(role) for role in ("true", "pred", "weights")},
         chosen.role: list(scores.columns or chosen.names)},
        source,
        argument,
        warnings,
        n_dropped,
        kept if n_dropped else None,
    )  # fmt: skip


def _weights(
    values: Mapping[str, Any], found: Mapping[str, str], weights: Any, truth: Column, argument: str
) -> Weights | None:
    given = values[found["weights"]] if "weights" in found else weights
    if given is None or isinstance(given, str):
        return None
    return as_weights(given, len(truth), argument, beside=truth.argument)


def _present(
    truth: Column, guess: Column | None, is_weighed: Flags | None
) -> tuple[Column, Column | None, Flags | None]:
    left, right, kept = drop_missing(truth, truth if guess is None else guess, is_weighed)
    return left, None if guess is None else right, kept


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
