"""Sets of labels in memory → rows on one axis of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.clusters import as_clusters, encode_names, go_together, names_of_column
from karat.data.labels.align import not_declared
from karat.data.labels.column import declared_labels, refuse_rows_of_pipeline
from karat.data.labels.sets import (
    SetColumn,
    align_sets,
    are_nothing,
    are_sets,
    encode_sets,
    named_alike,
)
from karat.data.scores.classes import both_decide
from karat.data.scores.labels import label_scores, with_labels_of_scores
from karat.data.slices.codes import as_slices
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.weights import Weights, as_weights, refuse_sums, refuse_weights
from karat.errors import error, short
from karat.errors.options import option
from karat.tally import Classes
from karat.tally.axes import slice_axis
from karat.tally.cells import Axis
from karat.tally.score_kind import Argument, argument_of_scores
from karat.tally.set_tally import CLUSTERS, IDS, SetRows
from karat.tally.sets import Sets
from karat.tally.shared import common_labels


def hold_sets(y_true: Any, y_pred: Any, *, are_more: bool = False) -> bool:
    """True if two arguments are sets of labels; one of them decides.

    Lists of one label each on both sides are columns of shape (n, 1): one class a row.

    Args:
        are_more: whether they are more rows of what holds sets: lists of one label are sets then.
    """
    sides = (y_true, y_pred)
    return any(are_sets(values) and (are_more or not _is_column(values)) for values in sides)


def _is_column(values: Any) -> bool:
    """True if rows are lists of one label each."""
    if not isinstance(values, list | tuple):
        return False
    return all(isinstance(row, list | tuple) and len(row) == 1 for row in values)


def set_rows(
    y_true: Any,
    y_pred: Any,
    *,
    y_prob: Any = None,
    y_logit: Any = None,
    y_score: Any = None,
    threshold: Any = None,
    predicts: bool = True,
    **options: Any,
) -> SetRows:
    """Rows with the sets of two arguments of any form that `encode_sets` reads, or with scores.

    Args:
        y_prob, y_logit, y_score: scores of the labels, see `label_scores`; one of them, or none.
        threshold: from which score on a label is predicted, one number or one for each label; not
            with y_pred. None: above 0.5, of y_logit and y_score above 0.
        predicts: whether labels are predicted from scores where y_pred is None.
        options: those of `sets_of_models`.

    Errors:
        K101 to K109, K195 to K199: the argument, its first bad row and how many there are; K113 to
        K116 weights; K128 no predictions; K129 both kinds of scores, K130 to K137 scores; K140 a
        threshold beside y_pred; K221 only one side is sets, or an option is for one class a row.

    Example:
        >>> rows = set_rows([{"cat"}, {"cat", "dog"}], [{"cat"}, {"dog"}])
        >>> rows.tally.counts[:3].tolist()
        [[1, 1], [0, 0], [1, 0]]
    """
    outputs: dict[str, Any] = {"y_prob": y_prob, "y_logit": y_logit, "y_score": y_score}
    arrays = {"y_true": y_true, "y_pred": y_pred, **outputs}
    for name, values in {**arrays, "weights": options.get("weights")}.items():
        refuse_distributed(values, name)
    argument = argument_of_scores(outputs)
    given = None if argument is None else outputs[argument]
    if y_pred is None and given is None:
        do = "Give predictions as y_pred=, y_prob=, y_logit= or y_score=."
        raise error("K128", found="y_true was given alone", do=do)
    if y_pred is not None or argument is None:
        if threshold is not None:
            if argument is None:
                found = "There are no probabilities or scores"
                raise error("K136", threshold=threshold, found=found)
            raise both_decide("y_pred", threshold)
        rows = sets_of_models(y_true, {"y_pred": y_pred}, **options)["y_pred"]
        if argument is None:
            return rows
        return with_scores(rows, given, argument, predicts=False)
    if not are_sets(y_true) and options.get("separator") is None:
        raise error("K221", found="y_true is one label a row")
    # What is predicted follows from the scores, once the labels are known.
    rows = sets_of_models(y_true, {argument: None}, **options)[argument]
    return with_scores(rows, given, argument, threshold, predicts=predicts)


def with_ids(rows: SetRows, ids: Any) -> SetRows:
    """The rows with the name of each (K102: another number of them; K104: one is missing)."""
    column = encode_names(ids, "ids", "error", "ids")
    if len(column) != rows.n:
        raise error("K102", left="y_true", n_left=rows.n, right="ids", n_right=len(column))
    names = names_of_column(column)
    return rows.beside([(Axis(IDS, names.texts), names.codes)])


def with_scores(
    rows: SetRows, values: Any, argument: Argument, threshold: Any = None, *, predicts: bool = True
) -> SetRows:
    """The rows with scores; see `set_rows`.

    Args:
        predicts: whether labels are predicted from the scores.

    Errors:
        K102, K109, K130 to K137, K196 scores; K136 a threshold.
    """
    scores = label_scores(values, argument, rows.classes, rows.n)
    if not predicts:
        return replace(rows, scores=scores)
    return with_labels_of_scores(rows, scores, threshold)


def sets_of_models(
    y_true: Any,
    predicted: Mapping[str, Any],
    *,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    by: Any = None,
    separator: str | None = None,
    is_frequency: bool = False,
    is_part: bool = False,
) -> dict[str, SetRows]:
    """Rows with the same true sets and what each of several arguments predicts, on one label axis.

    Args:
        predicted: sets by the name of their argument; None where scores will say them.
        clusters: one name or number a row, or None.
        by: what slices are made of, see `as_slices`, or None.
        separator: what separates the labels of text.
        is_frequency: whether a row of weight 3 stands for three rows.
        is_part: whether other rows come beside them.

    Errors:
        As `set_rows`; K145 one cluster; K150 frequencies that are not whole numbers; K181, K182
        slices.
    """
    given = [values for values in (y_true, *predicted.values()) if values is not None]
    if separator is not None and all(map(are_sets, given)):
        raise error(
            "K227",
            found="Rows are sets already, and no text",
            do=f"Leave {option('separator')} out.",
        )
    for argument, values in predicted.items() if separator is None else ():
        if values is not None:
            _check_both({"y_true": y_true, argument: values})
    if positive is not None:
        raise error("K221", found=f"positive={short(positive)} was given, and rows are sets")
    listed = None if labels is None else declared_labels(labels)
    sides = {"y_true": y_true, **predicted}
    true, *preds = named_alike(
        [
            encode_sets(values, argument, listed, separator)
            for argument, values in sides.items()
            if values is not None
        ]
    )
    read = {pred.argument: pred for pred in preds}
    found = {}
    for argument in predicted:
        no_labels = SetColumn(argument, Sets.empty(true.n), columns=true.columns)
        pred = read.get(argument, no_labels)
        found[argument] = align_sets(true, pred, listed, is_part=is_part)
    classes = reduce(common_labels, [rows.classes for rows in found.values()])
    facts: dict[str, Any] = {}
    if weights is not None:
        own = _weights(weights, true.n, is_frequency=is_frequency, is_part=is_part)
        facts = {"weights": own, "is_frequency": is_frequency}
    axes: list[tuple[Axis, npt.NDArray[np.int32]]] = []
    if clusters is not None:
        axes += _clusters(clusters, true.n, facts.get("weights"), is_frequency=is_frequency)
    if by is not None:
        axes += [(slice_axis(x.columns, x.keys), x.codes) for x in as_slices(by, true.n)]
    if axes:
        facts["axes"] = tuple(axis for axis, _ in axes)
        facts["codes"] = np.stack([codes for _, codes in axes])
    return {name: replace(rows.on(classes), **facts) for name, rows in found.items()}


def _check_both(sides: Mapping[str, Any]) -> None:
    """Refuse sets beside one label a row (K103, K221)."""
    for (argument, values), other in zip(sides.items(), reversed(list(sides)), strict=True):
        if not are_sets(values) and not are_nothing(values):
            refuse_distributed(values, argument)
            shape = getattr(sides[other], "shape", ())
            if len(shape) == 2:
                raise error("K103", argument=other, shape=tuple(shape))
            refuse_rows_of_pipeline(sides[other], other)
            found = f"{argument} is one label a row, {other} holds sets of labels"
            raise error("K221", found=found)


def _weights(weights: Any, n: int, *, is_frequency: bool, is_part: bool) -> Weights:
    given = as_weights(weights, n)
    if not is_part or given.any():
        refuse_weights(given)
    refuse_sums(np.array([given.sum()]))
    if is_frequency and (given % 1.0 != 0).any():
        raise error("K150", found="are not whole numbers")
    return given


def _clusters(
    clusters: Any, n: int, weights: Weights | None, *, is_frequency: bool
) -> list[tuple[Axis, npt.NDArray[np.int32]]]:
    """The axis of clusters, and its codes; nothing where each row is a cluster of its own."""
    codes = as_clusters(clusters, n).astype(np.int32)
    if not go_together(codes, weights, is_frequency=is_frequency):
        return []
    return [(Axis(CLUSTERS, tuple(range(int(codes.max()) + 1))), codes)]


def places_of(labels: Any, classes: Classes, argument: str) -> npt.NDArray[np.int64]:
    """The places of some labels, in their order on the axis.

    Errors:
        K109 a label that is not one; K110 to K112 they are no list of labels.
    """
    listed = declared_labels(labels)
    place = {label: i for i, label in enumerate(classes.labels)}
    for row, label in enumerate(listed):
        if label not in place:
            facts: dict[str, Any] = {"row": row, "value": label, "count": 1, "n": len(listed)}
            raise error("K109", argument=argument, **facts, **not_declared(classes.labels))
    return np.sort(np.array([place[label] for label in listed], np.int64))
