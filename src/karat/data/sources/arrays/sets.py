"""Sets of labels in memory → rows on one axis of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.data.labels.column import declared_labels
from karat.data.labels.sets import SetColumn, align_sets, are_sets, encode_sets
from karat.data.scores.classes import both_decide
from karat.data.scores.containers import Argument
from karat.data.scores.labels import checked_limits, label_scores
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import error, short
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets


def hold_sets(y_true: Any, y_pred: Any) -> bool:
    """Whether two arguments are sets of labels; one of them decides.

    Lists of one label each on both sides are columns of shape (n, 1): one class a row.
    """
    return any(are_sets(values) and not _is_column(values) for values in (y_true, y_pred))


def fits_columns(y_true: Any, scores: Any) -> bool:
    """Whether scores have a column for each of several columns of a frame: labels of sets."""
    shapes: list[Any] = [getattr(values, "shape", ()) for values in (y_true, scores)]
    return len(shapes[0]) == len(shapes[1]) == 2 and shapes[0][1] == shapes[1][1] > 1


def _is_column(values: Any) -> bool:
    """Whether rows are lists of one label each."""
    if not isinstance(values, list | tuple):
        return False
    return all(isinstance(row, list | tuple) and len(row) == 1 for row in values)


def set_rows(
    y_true: Any,
    y_pred: Any,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    threshold: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    predicts: bool = True,
) -> SetRows:
    """Rows with the sets of two arguments of any form that `encode_sets` reads, or with scores.

    Args:
        y_prob, y_score: scores of the labels, see `label_scores`; one of them, or neither.
        threshold: from which score on a label is predicted, one number or one for each label; not
            with y_pred. None: above 0.5, of y_score above 0.
        predicts: whether labels are predicted from scores where y_pred is None.

    Errors:
        K101 to K109, K195 to K199: the argument, its first bad row and how many there are; K113 to
        K116 weights; K129 both kinds of scores, K130 to K137 scores; K140 a threshold beside
        y_pred; K221 only one side is sets, or an option is for one class a row.

    Example:
        >>> rows = set_rows([{"cat"}, {"cat", "dog"}], [{"cat"}, {"dog"}])
        >>> rows.tally.counts[:3].tolist()
        [[1, 1], [0, 0], [1, 0]]
    """
    if positive is not None:
        raise error("K221", found=f"positive={short(positive)} was given, and rows are sets")
    if y_prob is not None and y_score is not None:
        found = "Both y_prob and y_score were given"
        raise error("K129", found=found, prob="y_prob=", score="y_score=")
    argument: Argument = "y_score" if y_prob is None else "y_prob"
    given = y_score if y_prob is None else y_prob
    has_pred = y_pred is not None or given is None
    if has_pred and threshold is not None:
        if given is None:
            found = "There are no probabilities or scores"
            raise error("K136", threshold=threshold, found=found)
        raise both_decide("y_pred", threshold)
    if not has_pred and not are_sets(y_true):
        raise error("K221", found="y_true is one label a row")
    if has_pred:
        _check_both(y_true, y_pred)
    listed = None if labels is None else declared_labels(labels)
    true = encode_sets(y_true, "y_true", listed)
    if has_pred:
        pred = encode_sets(y_pred, "y_pred", listed)
    else:
        # What is predicted follows from the scores, once the labels are known.
        pred = SetColumn(argument, Sets.empty(true.n), columns=true.columns)
    rows = align_sets(true, pred, listed)
    if weights is not None:
        importance = as_weights(weights, true.n)
        refuse_weights(importance)
        refuse_sums(np.array([importance.sum()]))
        rows = replace(rows, weights=importance)
    if given is None:
        return rows
    scores = label_scores(given, argument, rows.classes, rows.n)
    rows = replace(rows, scores=scores)
    if has_pred or not predicts:
        return rows
    limits, is_strict = checked_limits(threshold, scores, rows.classes)
    return replace(rows, pred=scores.above(limits, is_strict=is_strict))


def _check_both(y_true: Any, y_pred: Any) -> None:
    """Refuse sets beside one class a row: K103, K221."""
    sides = {"y_true": y_true, "y_pred": y_pred}
    for (argument, values), other in zip(sides.items(), reversed(sides), strict=True):
        if not are_sets(values):
            shape = getattr(sides[other], "shape", ())
            if len(shape) == 2:
                raise error("K103", argument=other, shape=tuple(shape))
            found = f"{argument} is one label a row, {other} holds sets of labels"
            raise error("K221", found=found)
