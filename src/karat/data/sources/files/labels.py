"""Classes of files from counted codes, and the location of invalid labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from karat.data.labels.align import align, check_kinds, not_declared
from karat.data.labels.column import (
    Column,
    Flags,
    Kind,
    declared_labels,
    harmonized,
    kind_of,
    missing_values,
)
from karat.data.sources.columns import TableRequest
from karat.data.sources.files.orders import declared_order
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.row_blocks import Block, RowBlocks
from karat.data.sources.files.text_labels import (
    FractionsError,
    NotLabelsError,
    Reading,
    TextBesideNumbersError,
    kind_marked,
    labels_of_texts,
    missing_texts,
)
from karat.errors import error, shown
from karat.errors.options import option
from karat.tally import Cells, Classes, Label, reorder, to_sparse
from karat.tally.look_alikes import is_number
from karat.tally.shared import widest_order


def _refuse_texts(
    problem: NotLabelsError, every: list[str], rows: RowBlocks, reading: Reading
) -> NoReturn:
    """Return the error of texts that cannot be labels, with the first such row."""
    at_fault = set(problem.texts)
    bad = np.array([code for code, text in enumerate(every) if text in at_fault])
    place, row, code, count, n = _located(rows, bad)
    name, text = rows.names[place], every[code][reading == "marked" :]
    if isinstance(problem, FractionsError):
        raise error("K407", column=name, row=row, value=float(text)) from None
    if isinstance(problem, TextBesideNumbersError):
        found = f"Column {name!r} holds the text {text[:60]!r} (row {row}) in a CSV, numbers "
        raise error("K410", found=found + "in another file.") from None
    found = f"Row {row} holds {text[:60]}; {count} of {n} rows"
    raise error("K106", argument=f"column {name!r}", found=found) from None


def _located(rows: RowBlocks, bad: npt.NDArray[np.int64]) -> tuple[int, int, int, int, int]:
    """Return column, first row, its code, count and number of rows of codes that may not occur.

    The truth is searched first; the prediction only if the truth has none of them.

    Cost: a second read of the data, or a third.
    """

    def search(place: int) -> tuple[int, int, int, int, int]:
        codes: list[int] = []

        def test(block: Block) -> Flags:
            column = (block.true, block.pred)[place]
            flags: Flags = np.isin(column, bad)
            if not codes and flags.any():
                codes.append(int(column[int(flags.argmax())]))
            return flags

        row, count, n = rows.first_and_count(test)
        return place, row, codes[0] if codes else 0, count, n

    found = search(0)
    return found if found[3] else search(1)


def _refuse_mixed(
    place: int,
    texts: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    labels: dict[int, Label],
    rows: RowBlocks,
) -> NoReturn:
    """Return K107 with the first row of each kind: two reads of the data, each up to that row."""
    found = []
    for wanted in (texts, numbers):
        for block in rows:
            column = (block.true, block.pred)[place]
            flags = np.isin(column, wanted)
            if flags.any():
                at = int(flags.argmax())
                found.append((block.first_row + at, labels[int(column[at])]))
                break
    (row, value), (other_row, other) = sorted(found, key=lambda pair: -pair[0])
    raise error(
        "K107",
        argument=f"column {rows.names[place]!r}",
        row=row,
        value=value,
        other_row=other_row,
        other=other,
    )


def missing_codes(
    counted: Cells | None, rows: RowBlocks, reading: Reading, request: TableRequest
) -> npt.NDArray[np.int64] | None:
    """Return codes of the texts that denote a missing label; None without any.

    Args:
        counted: the tally of all blocks, or None without rows.

    Errors:
        K104 labels are missing, and `rows` does not drop them.
    """
    if counted is None or not rows.is_text or reading == "typed":
        return None
    every = _texts(rows)
    codes = [int(code) for code in counted.classes.labels]
    texts = [every[code] for code in codes]
    absent = missing_texts(texts, reading, request.labels or (), are_written=rows.are_written)
    if not absent:
        return None
    found = np.array([code for code in codes if every[code] in absent])
    if rows.nulls == "error":
        place, row, code, count, n = _located(rows, found)
        argument = f"column {rows.names[place]!r}"
        if reading == "csv" or every[code].startswith("c"):
            text = every[code] if reading == "csv" else every[code][1:]
            argument += f" (where {text!r} is not a label unless {option('labels')} lists it)"
        raise missing_values(argument, "labels", row=row, count=count, n=n)
    return found


def refuse_scores(rows: RowBlocks, reading: Reading) -> None:
    """Refuse numbers that are not whole (K407), from the first texts of far too many."""
    if not rows.is_text or reading == "typed":
        return
    every = _texts(rows)
    try:
        labels_of_texts(every[:1000], reading)
    except NotLabelsError as problem:
        _refuse_texts(problem, every, rows, reading)


def named(
    counted: Cells, rows: RowBlocks, reading: Reading, request: TableRequest, relation: Relation
) -> Cells:
    """Return the tally on its classes.

    Args:
        counted: the tally of all blocks; its labels are codes if the file has text.
        rows: the blocks, which have the text of each code and can be read again for an error.
        reading: representation of the labels.
        request: the classes as the caller declared them.
        relation: the source, whose columns may declare an order that covers all labels.

    Errors:
        K106, K107, K108, K109, K407, K410 invalid labels; K110, K111, K112 invalid options.
    """
    codes = [int(code) for code in counted.classes.labels]
    found = labels_of(counted, rows, reading, request)
    if rows.is_text and reading != "typed":
        is_text, is_number = _kinds(codes, found, rows, reading, request)
        if is_text.any() and is_number.any():
            _check_kinds(counted, codes, found, rows, is_text, is_number)
    kind = kind_of(found) or "string"
    request = request.read_as(kind)
    if request.labels is not None:
        _check_declared(codes, found, request.labels, rows)
    argument = f"column {rows.names[0]!r}"
    column = Column(argument, np.arange(len(codes)), kind, tuple(harmonized(found, kind)))
    if kind == "string" and request.labels is None:
        each = (declared_order(relation, name) for name in dict.fromkeys(rows.names[:2]))
        order = widest_order(one for one in each if one is not None)
        column = replace(column, order=order if {*found} <= {*(order or ())} else None)
    # Both columns share the codes, so that one column aligned with itself gives the class axis.
    classes = align(column, column, request.labels, request.positive).classes
    return _relabelled(counted, harmonized(found, kind), classes)


def labels_of(
    counted: Cells, rows: RowBlocks, reading: Reading, request: TableRequest
) -> list[Label]:
    """Return the label of each counted code: the code itself for numbers; K106, K407, K410."""
    codes = [int(code) for code in counted.classes.labels]
    if not rows.is_text:
        return [bool(code) for code in codes] if rows.is_boolean else list(codes)
    every = _texts(rows)
    texts = [every[code] for code in codes]
    columns: list[set[str]] = []
    kind = None
    if reading == "csv":
        # A read without predictions reads the truth in their place.
        true, pred, _ = counted.occupied()
        sides = (true, pred) if rows.names[0] != rows.names[1] else (true,)
        columns = [{texts[place] for place in np.unique(side).tolist()} for side in sides]
        if request.labels is not None and not request.labels_are_text:
            kind = kind_of(declared_labels(request.labels))
        if rows.are_written:
            kind = "string"
    try:
        return labels_of_texts(texts, reading, columns, kind=kind, is_one_csv=rows.is_one_csv)
    except NotLabelsError as problem:
        _refuse_texts(problem, every, rows, reading)


def _texts(rows: RowBlocks) -> list[str]:
    try:
        return rows.texts()
    except UnicodeDecodeError as problem:
        found = f"They hold bytes that are not UTF-8 text: {problem.object[:20]!r}"
        raise error("K106", argument=f"Columns {shown(rows.names[:2])}", found=found) from None


def _kinds(
    codes: list[int], found: list[Label], rows: RowBlocks, reading: Reading, request: TableRequest
) -> tuple[Flags, Flags]:
    """Return which labels are texts, and which are numbers, by the types in their files.

    A CSV field has no type next to other files; in a CSV alone, its text determines the type.
    """
    every = rows.texts()
    texts = [every[code] for code in codes]
    if reading == "marked":
        kinds = list(map(kind_marked, texts))
        return np.array([k == "text" for k in kinds]), np.array([k == "number" for k in kinds])
    is_text = np.array([isinstance(label, str) for label in found])
    if reading == "json":
        return is_text, ~is_text
    is_declared = bool(request.labels) and isinstance((request.labels or "?")[0], str)
    is_declared |= rows.are_written
    is_numeric = np.array([is_number(text) for text in texts]) & is_text.all() & (not is_declared)
    return ~is_numeric, is_numeric


def _check_kinds(
    counted: Cells,
    codes: list[int],
    found: list[Label],
    rows: RowBlocks,
    is_text: Flags,
    is_number: Flags,
) -> None:
    """Refuse texts with numbers, between the columns (K108) or in one of them (K107).

    One column of a CSV may contain both: then both are text.
    """
    true, pred, _ = counted.occupied()
    code_of = np.array(codes)
    sides = []
    for place, seen in enumerate((np.unique(true), np.unique(pred))):
        texts, numbers = seen[is_text[seen]], seen[is_number[seen]]
        if texts.size and numbers.size:
            if all(isinstance(label, str) for label in found):
                return
            labels = dict(zip(codes, found, strict=True))
            _refuse_mixed(place, code_of[texts], code_of[numbers], labels, rows)
        if not texts.size and not numbers.size:
            return
        label = found[int((numbers if numbers.size else texts)[0])]
        kind: Kind = "string" if texts.size else "integer"
        sides.append(Column(f"column {rows.names[place]!r}", np.zeros(1, np.int64), kind, (label,)))
    check_kinds(*sides)


def _check_declared(
    codes: list[int], found: list[Label], labels: Sequence[Label], rows: RowBlocks
) -> None:
    """Raise K109 with the row and count of the whole read, if labels are of the declared kind."""
    declared = declared_labels(labels)
    if isinstance(declared[0], str) != isinstance(found[0], str):
        return  # Another error, which `align` raises.
    known = set(declared)
    outside = {code: label for code, label in zip(codes, found, strict=True) if label not in known}
    if not outside:
        return
    place, row, code, count, n = _located(rows, np.array(list(outside)))
    raise error(
        "K109",
        argument=f"column {rows.names[place]!r}",
        row=row,
        value=outside[code],
        count=count,
        n=n,
        **not_declared(declared),
    )


def _relabelled(counted: Cells, found: Sequence[Label], classes: Classes) -> Cells:
    """Return the counted codes as classes; spellings of one label, 1 and 1.0, become one class."""
    if len(set(found)) == len(found):
        return reorder(counted.with_classes(Classes(tuple(found))), classes)
    position = {label: place for place, label in enumerate(classes.labels)}
    to = np.array([position[label] for label in found])
    sparse = to_sparse(counted)
    rows, cols = sparse.coordinates()
    keys, place = np.unique(to[rows] * classes.k + to[cols], return_inverse=True)

    def added(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        out = np.zeros(len(keys), values.dtype)
        np.add.at(out, place, values)
        return out

    counts, squares = added(sparse.counts), sparse.squares
    squares = None if squares is None else added(squares)
    rows, cols = np.divmod(keys, classes.k)
    merged = replace(sparse, classes=classes, counts=counts, squares=squares, rows=rows, cols=cols)
    if counted.storage != "dense":
        return merged
    squares = None if squares is None else merged.densified(squares)
    return Cells.dense(merged.matrix(), classes=classes, squares=squares, n_rows=merged.n_rows)
