"""Sets of labels of any form → `SetColumn`: the form decides what they are, never the values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.arrow import ArrowColumn, items_of_lists, nulls_of, read_column
from karat.data.labels.align import align, codes_within
from karat.data.labels.column import Column, Flags, is_missing, refuse_rows_of_pipeline
from karat.data.labels.containers import csr_of, detached, encode, host_of, is_sparse
from karat.data.labels.separated import split_texts
from karat.errors import CATALOGUE, KaratError, error, short
from karat.tally import Classes, Label
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets, read_matrix

_ROW: Final = (set, frozenset, list, tuple, np.ndarray)
_INDICATOR: Final = (0, 1)
_FORMATS: Final = ("+l", "+L", "+w:")
"""How the formats of columns of lists begin in the C data interface of Arrow."""
_LISTS: Final = ("list<", "large_list<", "fixed_size_list<", "list(", "array(")
"""How the types of columns of lists begin, in lower case."""


@dataclass(frozen=True, slots=True, eq=False)
class SetColumn:
    """The sets of one argument.

    Attributes:
        argument: its name in messages.
        sets: labels of each row: places in `flat`, or columns of an indicator matrix.
        flat: the labels of all rows one after the other; None of an indicator, and where no row
            has a label.
        columns: names of the columns of an indicator; None of lists and sets.
        unknown: cells of an indicator that are not known, or None.
        missing: bool[n], rows whose set is not known; None when all are.
    """

    argument: str
    sets: Sets
    flat: Column | None = None
    columns: tuple[Label, ...] | None = None
    unknown: Sets | None = None
    missing: Flags | None = None

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.sets)


def are_sets(values: Any) -> bool:
    """True if an argument has the form of sets of labels, whatever their content.

    A matrix of two columns or more, a sparse matrix, a frame of several columns, a column of lists
    (Arrow, Polars, pandas), or rows that are sets, lists, tuples or arrays.
    """
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype != object:
        return False
    if is_sparse(values) or _is_column_of_lists(values):
        return True
    try:
        shape = getattr(values, "shape", None)
    except Exception:  # a tensor of rows of several lengths has none
        return False
    if isinstance(shape, tuple) and not isinstance(values, _ROW[:4]) and len(shape) == 2:
        return int(shape[1]) > 1
    row = _first(values)
    if isinstance(row, AbstractSet):
        return True
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)


def is_indicator(values: Any) -> bool:
    """True if an argument has the form of an indicator matrix, with a column for each label."""
    if isinstance(values, _ROW[:4]) or not are_sets(values):
        return False
    return is_sparse(values) or len(getattr(values, "shape", ())) == 2


def _is_column_of_lists(values: Any) -> bool:
    """True if it is a column of lists of Arrow, Polars or pandas, by its type."""
    if isinstance(values, ArrowColumn):
        return values.format.startswith(_FORMATS)
    if host_of(values) not in ("pyarrow", "polars", "pandas"):
        # A column of Spark answers every question with a column.
        return False
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    return getattr(values, "ndim", 1) == 1 and kind.startswith(_LISTS)


def _first(values: Any) -> Any:
    """The first row that is not missing, of a list or a column of objects."""
    if not isinstance(values, list | tuple | np.ndarray):
        if host_of(values) != "pandas" or getattr(values, "ndim", 0) != 1:
            return None
        values = values.to_numpy() if values.dtype == object else ()
    if isinstance(values, np.ndarray) and (values.dtype != object or values.ndim != 1):
        return None
    return next((row for row in values if isinstance(row, _ROW) or not is_missing(row)), None)


def are_nothing(values: Any) -> bool:
    """True if a column contains only nulls: the set of every row is unknown."""
    if isinstance(values, ArrowColumn):
        return bool(values.chunks) and values.format == "n"
    if host_of(values) in ("polars", "pyarrow"):
        return str(getattr(values, "dtype", getattr(values, "type", ""))).lower() == "null"
    if not isinstance(values, list | tuple | np.ndarray) and host_of(values) != "pandas":
        return False
    if isinstance(values, list | tuple):
        return bool(values) and _first(values) is None
    is_column = values.ndim == 1 and values.dtype == object
    return is_column and len(values) > 0 and _first(values) is None


def encode_sets(
    values: Any, argument: str, labels: Sequence[Label] | None = None, separator: str | None = None
) -> SetColumn:
    """The sets of one argument, as `are_sets` recognizes them.

    Args:
        labels: the labels that were listed: names of the columns of an indicator.
        separator: what separates the labels of a text; what is no text is read without it.

    Errors:
        K101 empty; K103 another shape; K105 to K107 what is no label; K205 a sparse matrix whose
        parts contradict each other; K229 a frame with two columns of one name; K195 lists that
        may be both labels and an indicator; K196 a label twice in one row; K197 an indicator that
        holds more than 0 and 1; K198 labels= of another number than its columns.

    Example:
        >>> encode_sets([{"cat"}, set(), {"dog", "cat"}], "y_true").sets.sizes.tolist()
        [1, 0, 2]
    """
    if is_sparse(values):
        return _of_sparse(values, argument, labels)
    if are_nothing(values):
        n = len(values)
        return SetColumn(argument, Sets.empty(n), missing=np.ones(n, np.bool_))
    if host_of(values) == "polars" and "null" in str(getattr(values, "dtype", "")).lower():
        # Lists without any label: of their type no Arrow buffers can be read.
        values = values.to_list()
    if _is_column_of_lists(values):
        return _of_arrow(values, argument)
    if separator is not None and not are_sets(values):
        if not len(values):
            raise error("K101", argument=argument)
        split = split_texts(values, argument, separator)
        return SetColumn(argument, split.sets, split.flat, missing=split.missing)
    if host_of(values) == "torch":
        values = _of_tensor(values, argument)
    if hasattr(values, "columns") and hasattr(values, "shape"):
        return _of_frame(values, argument, labels)
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return _of_matrix(values, argument, labels)
    return _of_lists(list(values), argument, labels)


def _of_tensor(tensor: Any, argument: str) -> npt.NDArray[Any]:
    """A tensor on the host; K106 of one that NumPy cannot read."""
    try:
        return np.asarray(detached(tensor))
    except Exception as problem:  # sparse, quantized, without data: PyTorch raises what it likes
        found = f"It is a {type(tensor).__name__} that cannot be read: {short(str(problem), 200)}"
        raise error("K106", argument=argument, found=found) from None


def _of_matrix(
    matrix: npt.NDArray[Any],
    argument: str,
    labels: Sequence[Label] | None,
    names: tuple[str, ...] | None = None,
) -> SetColumn:
    """An indicator matrix [n, k] of 0 and 1, where the truth may be NaN."""
    if not len(matrix):
        raise error("K101", argument=argument)
    if isinstance(matrix, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(matrix)
        matrix = np.asarray(matrix.data)
        if masked.any():
            matrix = np.where(masked, np.nan, matrix.astype(np.float64))
    given = matrix
    if matrix.dtype == object:
        matrix = np.vectorize(_mark, otypes=[np.float64])(matrix)
    if matrix.dtype.kind not in "biuf":
        value, count = matrix.flat[0], matrix.size
        value = value.item() if hasattr(value, "item") else value
        raise error("K197", argument=argument, row=0, column=0, value=value, count=count)
    found = read_matrix(matrix)
    if found.others is not None:
        row, column, count = found.others
        value = given[row, column]
        value = value.item() if isinstance(value, np.generic) else value
        do = CATALOGUE["K197"].do
        if given.dtype.kind in "iu":
            do += " If each entry is the label of a token or a pixel, flatten both sides and leave "
            do += "masked entries out, as y_true.ravel() of NumPy arrays."
        facts = {"row": row, "column": column, "value": value, "count": count}
        raise error("K197", argument=argument, advice=do, **facts)
    columns = _columns(matrix.shape[1], argument, labels, names)
    return SetColumn(argument, found.sets, None, columns, found.unknown)


def _mark(cell: Any) -> float:
    """A cell of an indicator of objects: 0 or 1, NaN of what is missing, 2 of anything else."""
    if is_missing(cell):
        return math.nan
    is_number = isinstance(cell, Real | Decimal | np.bool_)
    return float(cell) if is_number and cell in _INDICATOR else 2.0


def _of_frame(frame: Any, argument: str, labels: Sequence[Label] | None) -> SetColumn:
    """A frame of pandas, Polars or Arrow with one column for each label."""
    if host_of(frame) == "pyarrow":
        names = tuple(frame.column_names)
        matrix = np.column_stack([column.to_numpy() for column in frame.columns])
    else:
        names = tuple(str(name) for name in frame.columns)
        matrix = np.asarray(frame.to_numpy())
    if labels is None and len(set(names)) < len(names):
        second = next(j for j, name in enumerate(names) if name in names[:j])
        both = f"{names.index(names[second])} and {second} of {argument}"
        raise error("K229", found=f"Columns {both} are both {short(names[second])}")
    return _of_matrix(matrix, argument, labels, names)


def _columns(
    k: int, argument: str, labels: Sequence[Label] | None, names: tuple[str, ...] | None
) -> tuple[Label, ...]:
    if labels is None:
        return tuple(range(k)) if names is None else names
    if len(labels) != k:
        raise error("K198", argument=argument, n_columns=k, n_labels=len(labels))
    return tuple(labels)


def _of_sparse(values: Any, argument: str, labels: Sequence[Label] | None) -> SetColumn:
    """A sparse indicator matrix of SciPy: stored zeros are 0."""
    matrix = csr_of(values, argument)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    n, k = matrix.shape
    if not n:
        raise error("K101", argument=argument)
    data, columns_of = (part[: matrix.indptr[-1]] for part in (matrix.data, matrix.indices))
    bad = (data != 0) & (data != 1)
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        facts = {"row": row, "column": int(columns_of[place]), "value": data[place].item()}
        raise error("K197", argument=argument, count=int(bad.sum()), **facts)
    stored = Sets(matrix.indptr.astype(np.int64), columns_of.astype(np.int32))
    columns = _columns(k, argument, labels, None)
    return SetColumn(argument, stored if data.all() else stored.some(data != 0), None, columns)


def _of_arrow(values: Any, argument: str) -> SetColumn:
    """A column of lists: where each begins, and the labels; a null list is not known."""
    column = values if isinstance(values, ArrowColumn) else read_column(values)
    if column is None or not len(column):
        raise error("K101", argument=argument)
    missing = nulls_of(column)
    found = [items_of_lists(chunk) for chunk in column.chunks]
    sizes = np.concatenate([size for size, _ in found])
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    sets = Sets(starts, np.arange(int(starts[-1]), dtype=np.int32))
    held = tuple(part for _, parts in found for part in parts)
    if not held:
        return SetColumn(argument, sets, missing=missing)
    items = ArrowColumn("", held[0].format, held[0].dictionary is not None, held)
    _refuse_null_labels(nulls_of(items), argument, starts)
    try:
        return SetColumn(argument, sets, encode(items, argument), missing=missing)
    except KaratError as problem:
        raise _on_its_row(problem, starts) from None


def _of_lists(rows: list[Any], argument: str, labels: Sequence[Label] | None) -> SetColumn:
    """Lists, tuples or sets of labels."""
    if not rows:
        raise error("K101", argument=argument)
    refuse_rows_of_pipeline(rows, argument)
    missing = np.array([not isinstance(row, _ROW) and is_missing(row) for row in rows])
    for place, row in enumerate(rows):
        is_set = isinstance(row, AbstractSet | list | tuple) or (
            isinstance(row, np.ndarray) and row.ndim == 1
        )
        if not (is_set or missing[place]):
            found = f"Row {place} is {short(row)} ({type(row).__name__}), others are sets of labels"
            raise error("K106", argument=argument, found=found)
    given = [() if is_out else row for row, is_out in zip(rows, missing, strict=True)]
    if labels is None and _may_be_indicator(given):
        raise error("K195", argument=argument, n_columns=len(given[0]))
    sizes = np.array([len(row) for row in given], np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    sets = Sets(starts, np.arange(int(starts[-1]), dtype=np.int32))
    known = missing if missing.any() else None
    items = [
        item for row in given for item in (row.tolist() if isinstance(row, np.ndarray) else row)
    ]
    if not items:
        return SetColumn(argument, sets, missing=known)
    inner = next((place for place, item in enumerate(items) if isinstance(item, _ROW)), None)
    if inner is not None:
        row = int(np.searchsorted(starts, inner, side="right")) - 1
        found = f"Row {row} holds {short(items[inner])} ({type(items[inner]).__name__}) as a label"
        raise error("K106", argument=argument, found=found)
    _refuse_null_labels(np.array([is_missing(item) for item in items]), argument, starts)
    try:
        flat = encode(items, argument)
    except KaratError as problem:
        raise _on_its_row(problem, starts) from None
    return SetColumn(argument, sets, flat, missing=known)


def _may_be_indicator(rows: list[Any]) -> bool:
    """True if all rows are lists of 0 and 1 of the same length, more than one."""
    if any(isinstance(row, AbstractSet) for row in rows):
        return False
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or sizes == {0} or sizes == {1}:
        return False
    return all(
        isinstance(item, int | float | np.integer | np.floating | np.bool_) and item in _INDICATOR
        for row in rows
        for item in row
    )


def _refuse_null_labels(
    nulls: npt.NDArray[np.bool_] | None, argument: str, starts: npt.NDArray[np.int64]
) -> None:
    """K104: a set holds null as a label."""
    if nulls is None or not nulls.any():
        return
    rows = np.unique(np.searchsorted(starts, np.flatnonzero(nulls), side="right") - 1)
    do = (
        "Leave null out of the set; a null in place of a true set means that the truth is not "
        "known."
    )
    facts = {"row": int(rows[0]), "count": len(rows), "n": len(starts) - 1}
    raise error("K104", argument=argument, things="labels", do=do, **facts)


def _on_its_row(problem: KaratError, starts: npt.NDArray[np.int64]) -> KaratError:
    """The same error, which names the row of the set instead of the place of the label."""
    if "row" not in problem.context:
        return problem
    row = int(np.searchsorted(starts, problem.context["row"], side="right")) - 1
    if "n" not in problem.context:
        return problem.but(row=row)
    n = len(starts) - 1
    return problem.but(row=row, n=n, count=min(problem.context["count"], n))


def named_alike(columns: Sequence[SetColumn]) -> list[SetColumn]:
    """Return indicators, of which those without names of columns take the names of the first frame.

    Position is all that says which column is which; another number of columns keeps its own.
    """
    named = (one.columns for one in columns if one.columns != _numbers(one))
    names = next((found for found in named if found is not None), ())
    return [
        replace(one, columns=names)
        if one.columns is not None
        and one.columns == _numbers(one)
        and len(one.columns) == len(names)
        else one
        for one in columns
    ]


def _numbers(column: SetColumn) -> tuple[Label, ...]:
    """The names of columns without names; those of a frame are texts."""
    return tuple(range(len(column.columns or ())))


def align_sets(
    true: SetColumn,
    pred: SetColumn,
    labels: Sequence[Label] | None = None,
    *,
    is_part: bool = False,
) -> SetRows:
    """Both on one axis: the labels listed, the columns of indicators, or all labels in order.

    A label that is only predicted is legal. Of a row whose true set is missing nothing is known.

    Args:
        is_part: whether other rows come beside them, which may have the labels.

    Errors:
        K102 other numbers of rows; K104 a prediction that is missing; K107, K108 strings against
        numbers; K109 a label that is not listed; K196 a label twice in one row; K199 an indicator
        beside lists, or of other columns; K223 no row has a label, and none is listed.
    """
    if true.n != pred.n:
        raise error("K102", left=true.argument, right=pred.argument, n_left=true.n, n_right=pred.n)
    for gone in (pred.missing, None if pred.unknown is None else pred.unknown.sizes > 0):
        if gone is not None and gone.any():
            facts = {"row": int(np.argmax(gone)), "count": int(gone.sum()), "n": pred.n}
            do = "Predictions are never unknown: give an empty set where nothing is predicted."
            if pred.columns is None:
                do += " pandas reads a blank field of a CSV as NaN, unless keep_default_na=False."
            raise error("K104", argument=pred.argument, things="predictions", do=do, **facts)
    if (true.columns is None) != (pred.columns is None):
        raise error("K199", left=true.argument, right=pred.argument, found=_forms(true, pred))
    if true.columns is not None and pred.columns is not None:
        if true.columns != pred.columns:
            raise error("K199", left=true.argument, right=pred.argument, found=_other(true, pred))
        classes = Classes(true.columns, is_declared=True)
        return SetRows(classes, true.sets, pred.sets, true.unknown)
    return _aligned_lists(true, pred, labels, is_part=is_part)


def _forms(true: SetColumn, pred: SetColumn) -> str:
    words = ["lists of labels" if one.columns is None else "an indicator" for one in (true, pred)]
    return f"{true.argument} is {words[0]}, {pred.argument} is {words[1]}"


def _other(true: SetColumn, pred: SetColumn) -> str:
    assert true.columns is not None
    assert pred.columns is not None
    sizes = [len(true.columns), len(pred.columns)]
    if sizes[0] != sizes[1]:
        return f"{true.argument} has {sizes[0]} columns, {pred.argument} has {sizes[1]}"
    place = next(i for i, pair in enumerate(zip(true.columns, pred.columns, strict=True))
                 if pair[0] != pair[1])  # fmt: skip
    pair = true.columns[place], pred.columns[place]
    return f"Column {place} is {pair[0]!r} in {true.argument} and {pair[1]!r} in {pred.argument}"


def _aligned_lists(
    true: SetColumn, pred: SetColumn, labels: Sequence[Label] | None, *, is_part: bool
) -> SetRows:
    flats = [one.flat for one in (true, pred) if one.flat is not None]
    if not flats:
        if labels is None and is_part:
            return SetRows(Classes(()), true.sets, pred.sets, missing=true.missing)
        if labels is None:
            raise error("K223", left=true.argument, right=pred.argument, n=true.n)
        classes = Classes(tuple(labels), is_declared=True)
        return SetRows(classes, true.sets, pred.sets, missing=true.missing)
    n_items = max(len(flat) for flat in flats)
    padded = [_padded(flat, n_items) for flat in (flats[0], flats[-1])]
    try:
        aligned = align(padded[0], padded[1], labels)
        codes = [codes_within(side, aligned.classes) for side in (aligned.true, aligned.pred)]
    except KaratError as problem:
        side = true if problem.context.get("argument") == true.argument else pred
        raise _on_its_row(problem, side.sets.starts) from None
    sides = dict(zip((flats[0].argument, flats[-1].argument), codes, strict=True))
    classes = replace(aligned.classes, positive=None)
    found = []
    for column in (true, pred):
        size = len(column.sets.items)
        own = np.empty(0, np.int32) if column.flat is None else sides[column.argument][:size]
        found.append(_sorted_sets(column, own, classes))
    return SetRows(classes, found[0], found[1], missing=true.missing)


def _padded(column: Column, n: int) -> Column:
    """The same, its first label repeated up to n labels: two columns are put on one axis."""
    more = np.repeat(column.codes[:1], n - len(column.codes))
    return replace(column, codes=np.concatenate([column.codes, more]))


def _sorted_sets(column: SetColumn, codes: npt.NDArray[np.int32], classes: Classes) -> Sets:
    """The codes of each row in order (K196: one of them twice)."""
    keys = column.sets.rows * classes.k + codes
    keys.sort()
    again = np.flatnonzero(keys[1:] == keys[:-1])
    if again.size:
        row, label = divmod(int(keys[again[0]]), classes.k)
        n_rows = len(np.unique(keys[again] // classes.k))
        facts = {"row": row, "value": classes.labels[label], "count": n_rows, "n": column.n}
        do = f"{CATALOGUE['K196'].do} If each row is a batch of rows of one label each, join them: "
        do += "np.concatenate(y_true), np.concatenate(y_pred)."
        raise error("K196", argument=column.argument, advice=do, **facts)
    return Sets.of_keys(keys, column.n, classes.k)
