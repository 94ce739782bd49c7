"""Probabilities as models return them: dicts of classes, rows of pipelines, arrays of outputs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, short, shown

_PIPELINE: Final = {"label", "score"}
"""Keys of what a text-classification pipeline returns for one class."""
_EVERY: Final = "pipeline(..., top_k=None) returns every class of each row."
_PAIR: Final = 2
_SUM: Final = 1e-3
"""Tolerance of the sum of absent and present from 1."""


def is_of_pipeline(item: object) -> bool:
    """Return whether an item is a dict of a label and its score."""
    return isinstance(item, Mapping) and item.keys() == _PIPELINE


def rows_by_class(values: Any, argument: str) -> list[Any] | None:
    """Return each row as a dict from class to score; None if rows are something else.

    Args:
        values: for each row a dict from class to score, or the list of dicts of a label and its
            score that a pipeline returns for all classes.
        argument: ``"y_prob"`` or ``"y_score"``, for messages.

    Errors:
        K130 a row is the best class alone.

    Example:
        >>> rows_by_class([[{"label": "ok", "score": 0.9}, {"label": "spam", "score": 0.1}]], "")
        [{'ok': 0.9, 'spam': 0.1}]
    """
    if not isinstance(values, list | tuple) and str(getattr(values, "dtype", "")) != "object":
        return None
    rows = list(values)
    first = next((row for row in rows if row is not None), None)
    if isinstance(first, Mapping):
        if is_of_pipeline(first):
            do = f"{_EVERY} For the labels alone: y_pred=[row['label'] for row in output]."
            raise _refused(argument, f"Row 0 is {short(first)}: the score of one class", do)
        return rows
    if not isinstance(first, list | tuple) or not first or not is_of_pipeline(first[0]):
        return None
    return [
        {item["label"]: item["score"] for item in row}
        if isinstance(row, list | tuple) and all(map(is_of_pipeline, row))
        else row
        for row in rows
    ]


def columns_by_class(rows: list[Any], argument: str) -> dict[str, list[Any]]:
    """Return one column for each class, from rows that all have every class.

    Errors:
        K130 a row is no dict, or lacks a class.
    """
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise _refused(argument, f"Row {place} is {short(row)}, row 0 is a dict", "")
    classes = list(dict.fromkeys(chain.from_iterable(rows)))
    if len(classes) < _PAIR:
        raise _refused(argument, f"Rows have the score of {shown(classes)} alone", _EVERY)
    for place, row in enumerate(rows):
        if len(row) < len(classes):
            lacking = shown([name for name in classes if name not in row])
            raise _refused(argument, f"Row {place} has no score of {lacking}", _EVERY)
    if len({str(name) for name in classes}) < len(classes):
        raise _refused(argument, f"Two classes have one text: {shown(classes)}", "")
    return {str(name): [row[name] for row in rows] for name in classes}


def are_outputs(values: Any) -> bool:
    """Return whether values are the arrays that ``predict_proba`` of several outputs returns."""
    if not isinstance(values, list | tuple) or not values:
        return False
    shapes = {getattr(item, "shape", ()) for item in values}
    return len({shape[:1] for shape in shapes}) == 1 and all(
        len(shape) == _PAIR for shape in shapes
    )


def labels_of_outputs(values: Any, argument: str) -> npt.NDArray[Any]:
    """Return one column for each output: the probability that the label is present.

    Args:
        values: for each label an array [n, 2], absent and present.
        argument: ``"y_prob"`` or ``"y_score"``, for messages.

    Errors:
        K130 an output has not two columns that add up to 1.
    """
    columns = []
    for place, item in enumerate(values):
        array = np.asarray(item)
        if array.shape[1] != _PAIR:
            found = f"Output {place} has {array.shape[1]} columns; a label is absent or present"
            do = "A label that all rows of the training data have, or none, has one column: leave "
            do += "it out of the truth too, or give a matrix (n, k)."
            raise _refused(argument, found, do)
        if argument == "y_prob" and not np.allclose(array.sum(axis=1), 1.0, rtol=0, atol=_SUM):
            found = f"The columns of output {place}, absent and present, do not add up to 1"
            raise _refused(argument, found, "")
        columns.append(array[:, 1])
    return np.column_stack(columns)


def refused_outputs(values: Any, argument: str) -> KaratError:
    """K130: arrays of several outputs for a truth of one class a row."""
    found = f"It is a list of {len(values)} arrays of shape {np.shape(values[0])}, one each output"
    do = f"For one output: {argument}=P[0] with its column of the truth. For all: y_true is an "
    return _refused(argument, found, do + "indicator matrix, one column for each output.")


def _refused(argument: str, found: str, do: str) -> KaratError:
    more = {"advice": do} if do else {}
    return error("K130", argument=argument, found=found, **more)
