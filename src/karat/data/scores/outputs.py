"""Probabilities as models return them: dicts of classes, rows of pipelines, arrays of outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from karat.data.arrow import (
    ArrowColumn,
    fields_of,
    items_of_lists,
    nulls_of,
    numbers_of,
    read_nested,
)
from karat.data.labels.arrays import encode_arrow
from karat.data.labels.column import is_missing, resolved
from karat.data.labels.containers import host_of
from karat.errors import KaratError, error, short, shown

Rows: TypeAlias = list[Any]
"""For each row a dict from class to score, or a list of pairs of a class and its score."""

PAIR: Final = 2
_PIPELINE: Final = {"label", "score"}
"""Keys of what a text-classification pipeline returns for one class."""
_EVERY: Final = "pipeline(..., top_k=None) returns every class of each row."
_NESTED: Final = re.compile(r"struct|(large_|fixed_size_)?(list|array)[<(].*struct", re.IGNORECASE)
"""How the types of columns of structs, and of lists of them, are written."""
_HOSTS: Final = ("pandas", "polars", "pyarrow")
"""Libraries with such columns."""


def is_of_pipeline(item: object) -> bool:
    """Return whether an item is a dict of a label and its score."""
    return isinstance(item, Mapping) and item.keys() == _PIPELINE


def by_class(
    values: Any, argument: str, *, takes_pairs: bool = False
) -> Rows | dict[str, ArrowColumn] | None:
    """Return scores that name their classes, by row or by column; None if they are something else.

    Args:
        values: for each row a dict from class to score, or the list of dicts of a label and its
            score that a pipeline returns for all classes; in a list or a column of objects, or as
            structs of Arrow, Polars or pandas.
        argument: its name in messages.
        takes_pairs: whether rows may also be lists of pairs of a class and its score.

    Returns:
        Each row as a dict, or as pairs in the order of the pipeline; the columns of structs.

    Errors:
        K101 no row; K130 a row is the best class alone.

    Example:
        >>> by_class([[{"label": "ok", "score": 0.9}, {"label": "spam", "score": 0.1}]], "")
        [[('ok', 0.9), ('spam', 0.1)]]
    """
    column = _nested(values)
    if column is not None:
        return _of_structs(column, argument)
    if not isinstance(values, list | tuple) and str(getattr(values, "dtype", "")) != "object":
        return None
    rows = list(values)
    places = (i for i, row in enumerate(rows) if not is_missing(row) and not _is_empty(row))
    first = next(places, None)
    if first is None:
        return rows if any(isinstance(row, Mapping) for row in rows) else None
    row = rows[first]
    if isinstance(row, Mapping):
        if is_of_pipeline(row):
            raise _best_alone(row, first, argument)
        return rows
    if not isinstance(row, list | tuple):
        return None
    if is_of_pipeline(row[0]):
        return [_pairs(row, place, argument) for place, row in enumerate(rows)]
    is_pair = isinstance(row[0], tuple | list) and len(row[0]) == PAIR
    return rows if takes_pairs and is_pair else None


def _is_empty(row: Any) -> bool:
    return isinstance(row, list | tuple | Mapping) and not row


def _pairs(row: Any, place: int, argument: str) -> Any:
    """Return a row of a pipeline as pairs, and any other as it is."""
    if is_of_pipeline(row):
        raise _best_alone(row, place, argument)
    if not isinstance(row, list | tuple) or not all(map(is_of_pipeline, row)):
        return row
    return [(item["label"], item["score"]) for item in row]


def _best_alone(row: Any, place: int, argument: str) -> KaratError:
    do = f"{_EVERY} For the labels alone: y_pred=[row['label'] for row in output]."
    return _refused(argument, f"Row {place} is {short(row)}: the score of one class", do)


def _nested(values: Any) -> ArrowColumn | None:
    """Return a column of structs, or of lists of them; None of anything else."""
    if not isinstance(values, ArrowColumn):
        if host_of(values) not in _HOSTS or getattr(values, "ndim", 1) != 1:
            return None
        kind = str(getattr(values, "dtype", getattr(values, "type", "")))
        return read_nested(values) if _NESTED.match(kind) else None
    items = values.chunks[0].items if values.chunks else None
    kind = values.format if items is None else items.format
    return values if kind == "+s" else None


def _of_structs(column: ArrowColumn, argument: str) -> Rows | dict[str, ArrowColumn]:
    """Return the columns of structs by class; rows of pairs, of lists of structs."""
    if not len(column):
        raise error("K101", argument=argument)
    if column.format == "+s":
        fields = fields_of(column)
        if fields.keys() == _PIPELINE:
            raise _best_alone({"label": "…", "score": "…"}, 0, argument)
        _check_classes([*fields], argument, is_pipeline=False)
        return fields
    rows: Rows = []
    for chunk in column.chunks:
        sizes, parts = items_of_lists(chunk)
        pairs = list(chain.from_iterable(_pairs_of(part, argument) for part in parts))
        ends = sizes.cumsum().tolist()
        starts = [0, *ends[:-1]]
        rows += [pairs[start:end] for start, end in zip(starts, ends, strict=True)]
    nulls = nulls_of(column)
    if nulls is None:
        return rows
    return [None if is_out else row for is_out, row in zip(nulls, rows, strict=True)]


def _pairs_of(chunk: Any, argument: str) -> list[tuple[Any, Any]]:
    """Return the labels and scores of structs of a pipeline (K130: they have other fields)."""
    fields = fields_of(ArrowColumn("", chunk.format, False, (chunk,)))
    if fields.keys() != _PIPELINE:
        raise _refused(argument, f"It holds lists of structs of {shown([*fields])}", _OF_STRUCTS)
    labels = resolved(encode_arrow(fields["label"], argument, "error"))
    numbers, nulls = numbers_of(fields["score"]), nulls_of(fields["score"])
    if numbers is None:
        raise _refused(argument, "The scores of its structs are not numbers", _OF_STRUCTS)
    scores = numbers.tolist()
    if nulls is not None:
        scores = [None if x else score for x, score in zip(nulls, scores, strict=True)]
    assert labels.labels is not None
    known = labels.labels
    codes = (labels.codes - labels.base).tolist()
    return [(known[code], score) for code, score in zip(codes, scores, strict=True)]


_OF_STRUCTS: Final = (
    "Give structs of label and score, as a pipeline does, or a field for each class."
)


def columns_by_class(rows: Rows, argument: str) -> dict[str, list[Any]]:
    """Return one column for each class, from rows that all have every class.

    Errors:
        K130 a row is something else, or lacks a class; K131 a row is missing; K196 a row lists a
        class twice.
    """
    gone = [place for place, row in enumerate(rows) if is_missing(row)]
    if gone:
        facts = {"row": gone[0], "place": "", "value": rows[gone[0]]}
        raise error("K131", argument=argument, count=len(gone), n=len(rows), **facts)
    is_pipeline = not any(isinstance(row, Mapping) for row in rows)
    by_row = [_scores_of(row, place, argument) for place, row in enumerate(rows)]
    twice = [
        i
        for i, (row, scores) in enumerate(zip(rows, by_row, strict=True))
        if len(scores) < len(row)
    ]
    if twice:
        labels = [label for label, _ in rows[twice[0]]]
        facts = {"row": twice[0], "count": len(twice), "n": len(rows)}
        facts["value"] = next(x for i, x in enumerate(labels) if x in labels[:i])
        do = "Give the score of each class once: two classes of the model may have one name."
        raise error("K196", argument=argument, advice=do, **facts)
    classes = list(dict.fromkeys(chain.from_iterable(by_row)))
    _check_classes(classes, argument, is_pipeline=is_pipeline)
    for place, row in enumerate(by_row):
        if len(row) < len(classes):
            lacking = shown([name for name in classes if name not in row])
            do = _EVERY if is_pipeline else "Give every row the score of every class."
            raise _refused(argument, f"Row {place} has no score of {lacking}", do)
    return {str(name): [row[name] for row in by_row] for name in classes}


def _scores_of(row: Any, place: int, argument: str) -> dict[Any, Any]:
    """Return the scores of a row by class (K130: it is neither a dict nor a list of pairs)."""
    if isinstance(row, Mapping) and not is_of_pipeline(row):
        return dict(row)
    if isinstance(row, list) and all(isinstance(x, tuple) and len(x) == PAIR for x in row):
        return dict(row)
    fact = f"Row {place} is {short(row)}; others have the score of each class by its name"
    raise _refused(argument, fact, "Give every row in the same form.")


def _check_classes(classes: list[Any], argument: str, *, is_pipeline: bool) -> None:
    """Refuse less than two classes, and two with one text (K130)."""
    if not classes:
        do = "Give every row the score of every class: {'a': 0.7, 'b': 0.3}."
        raise _refused(argument, "Rows have the score of no class", do)
    if len(classes) < PAIR:
        do = _EVERY
        if not is_pipeline:
            name = repr(classes[0])
            do = f"Give the score of both classes, or that of {name} as one column of numbers"
            if argument.startswith("y_"):
                do += f": {argument}=[row[{name}] for row in rows], positive={name}"
            do += "."
        raise _refused(argument, f"Rows have the score of {shown(classes)} alone", do)
    if len({str(name) for name in classes}) < len(classes):
        do = "Give each class one name."
        raise _refused(argument, f"Two classes have one text: {shown(classes)}", do)


def are_outputs(values: Any) -> bool:
    """Return whether values are the arrays that ``predict_proba`` of several outputs returns."""
    shapes = _shapes_of_matrices(values)
    return len({shape[:1] for shape in shapes}) == 1


def _shapes_of_matrices(values: Any) -> list[tuple[int, ...]]:
    """Return the shape of each matrix of a list of matrices; empty for anything else."""
    if not isinstance(values, list | tuple):
        return []
    shapes = [tuple(getattr(item, "shape", ())) for item in values]
    return shapes if all(len(shape) == PAIR for shape in shapes) else []


def refuse_matrices(values: Any, argument: str, n: int | None = None) -> None:
    """Refuse a list of matrices, for a truth of one class a row (K130).

    Args:
        n: the number of rows of sets of labels, where arrays of outputs are read; None: of classes.
    """
    shapes = _shapes_of_matrices(values)
    if not shapes:
        return
    lengths, widths = ([shape[axis] for shape in shapes] for axis in (0, 1))
    are_batches = len(set(widths)) == 1
    if n is not None and not (are_batches and sum(lengths) == n and lengths[0] != n):
        return
    is_torch = type(values[0]).__module__.partition(".")[0] == "torch"
    batches = f"{argument}={'torch.cat' if is_torch else 'np.concatenate'}(P)"
    fact = f"It is a list of {len(values)} arrays of shape {shapes[0]}"
    if len(set(shapes)) > 1:
        fact = f"It is a list of {len(values)} arrays, the first of shape {shapes[0]} and the "
        fact += f"last of shape {shapes[-1]}"
    fact += f", {sum(lengths)} rows together"
    do = f"If they are batches of rows, join them: {batches}."
    if len(set(lengths)) == 1 and n is None:
        do += f" If they are one each output: for one of them, {argument}=P[0] with its column of "
        do += "the truth; for all, y_true is an indicator matrix, one column for each output."
    raise _refused(argument, fact, do)


def _refused(argument: str, found: str, do: str) -> KaratError:
    return error("K130", argument=argument, found=found, advice=do)
