"""Sets of labels in memory → rows on one axis of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.data.labels.column import declared_labels
from karat.data.labels.sets import align_sets, are_nothing, are_sets, encode_sets
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import error, short
from karat.tally.set_tally import SetRows


def hold_sets(y_true: Any, y_pred: Any, *, are_more: bool = False) -> bool:
    """Whether two arguments are sets of labels; one of them decides.

    Lists of one label each on both sides are columns of shape (n, 1): one class a row.

    Args:
        are_more: whether they are more rows of what holds sets: lists of one label are sets then.
    """
    sides = (y_true, y_pred)
    return any(are_sets(values) and (are_more or not _is_column(values)) for values in sides)


def _is_column(values: Any) -> bool:
    """Whether rows are lists of one label each."""
    if not isinstance(values, list | tuple):
        return False
    return all(isinstance(row, list | tuple) and len(row) == 1 for row in values)


def set_rows(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    separator: str | None = None,
    is_part: bool = False,
) -> SetRows:
    """Rows with the sets of two arguments of any form that `encode_sets` reads.

    Args:
        separator: what separates the labels of text.
        is_part: whether other rows come beside them.

    Errors:
        K101 to K109, K195 to K199: the argument, its first bad row and how many there are; K113 to
        K116 weights; K221 only one side is sets, or an option is for one class a row.

    Example:
        >>> rows = set_rows([{"cat"}, {"cat", "dog"}], [{"cat"}, {"dog"}])
        >>> rows.tally.counts[:3].tolist()
        [[1, 1], [0, 0], [1, 0]]
    """
    if positive is not None:
        raise error("K221", found=f"positive={short(positive)} was given, and rows are sets")
    sides = {"y_true": y_true, "y_pred": y_pred}
    for (argument, values), other in zip(sides.items(), reversed(sides), strict=True):
        if separator is None and not are_sets(values) and not are_nothing(values):
            shape = getattr(sides[other], "shape", ())
            if len(shape) == 2:
                raise error("K103", argument=other, shape=tuple(shape))
            found = f"{argument} is one label a row, {other} holds sets of labels"
            raise error("K221", found=found)
    listed = None if labels is None else declared_labels(labels)
    if separator is not None and all(map(are_sets, sides.values())):
        raise error("K227", found="Rows are sets already, and no text", do="Leave separator= out.")
    true, pred = (
        encode_sets(values, argument, listed, separator) for argument, values in sides.items()
    )
    rows = align_sets(true, pred, listed, is_part=is_part)
    given = None
    if weights is not None:
        given = as_weights(weights, true.n)
        if not is_part or given.any():
            refuse_weights(given)
        refuse_sums(np.array([given.sum()]))
    return replace(rows, weights=given)
