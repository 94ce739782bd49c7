"""A pair of targets, counted, small ones at once; confusion matrices, counts of chosen labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat._counted import Counted
from karat.compat.sklearn._indicators import Indicator, Indicators, plain_indicator, wanted_columns
from karat.compat.sklearn._parameters import warn
from karat.compat.sklearn._targets import (
    MULTILABEL,
    as_array,
    as_column,
    check_lengths,
    checked_targets,
    distinct,
    summable,
)
from karat.data.labels.column import Column
from karat.data.labels.containers import encode
from karat.data.labels.counting import tally_columns
from karat.data.sources.arrays.labels import Count, cells, class_totals, count_for, tally_labels
from karat.errors import KaratError
from karat.metrics._metric import Metric
from karat.metrics._registry import lookup


@cache
def _prepared(name: str) -> tuple[Any, Any, Count]:
    """The compiled formula of a metric, its arguments, and what counts for it."""
    record, lift = lookup(name)
    metric = Metric.of(record, lift, {})
    count = count_for(metric.needs_cells, metric.needs_classes)
    return metric.program("zero").run, metric.arguments("zero"), count


def _are_whole(true: Any, pred: Any) -> bool:
    are_arrays = type(true) is np.ndarray and type(pred) is np.ndarray
    return are_arrays and true.dtype.kind in "iu" and pred.dtype.kind in "iu"


def measured(name: str, y_true: Any, y_pred: Any, least: int = 1) -> float | None:
    """The metric of at least so many classes; None: undefined, or the arrays are not plain."""
    if not _are_whole(y_true, y_pred):
        return None
    run, arguments, count = _prepared(name)
    tally = count(y_true, y_pred)
    if tally is None or tally.k < least:
        return None
    value, n_undefined = run(tally, arguments)
    return None if n_undefined else value


def positive_measured(name: str, y_true: Any, y_pred: Any) -> float | None:
    """The metric of class 1 of two; None also where there are not two, or none of them is 1."""
    if not _are_whole(y_true, y_pred):
        return None
    run, arguments, _ = _prepared(name)
    tally = class_totals(y_true, y_pred)
    if tally is None or tally.k != 2:
        return None
    assert tally.labels is not None
    first, second = tally.labels.tolist()
    if first != 1 != second:
        return None
    value, n_undefined = run(tally, arguments, int(second == 1))
    return None if n_undefined else value


def sparsely_measured(name: str, y_true: Any, y_pred: Any, sample_weight: Any) -> float | None:
    """The metric of arrays of many classes, without their matrix; None of other arrays."""
    if not _are_whole(y_true, y_pred) or y_true.ndim != 1 or y_true.shape != y_pred.shape:
        return None
    if not len(y_true) or max(map(_span, (y_true, y_pred))) < _MANY:
        return None
    weights = None if sample_weight is None else plain_weights(sample_weight)
    if weights is None and sample_weight is not None:
        return None
    try:
        tally = tally_labels(y_true, y_pred, weights=weights)
    except KaratError:  # a weight that no count holds
        return None
    value = Counted(tally).value(name) if tally.storage == "sparse" else np.nan
    return float(value) if np.isfinite(value) else None


def _span(labels: Array) -> int:
    return int(labels.max()) - int(labels.min())


def matrix_of(y_true: Any, y_pred: Any) -> npt.NDArray[np.int64] | None:
    """The confusion matrix of two plain arrays; None where they are not, or hold one label."""
    tally = cells(y_true, y_pred) if _are_whole(y_true, y_pred) else None
    return None if tally is None or tally.k < 2 else tally.cells().view(np.int64)


Array = npt.NDArray[Any]

_DENSE_MAX = 8192
_MANY = 2048
"""So many classes have a matrix that is large beside any number of rows."""


@dataclass(slots=True)
class Pair:
    """Counts of true and predicted labels.

    Attributes:
        kind: "binary" or "multiclass".
        labels: those that occur, ascending.
        n: rows.
        weights: of the rows, in the dtype given or a wider one; None where all count as one.
        tp, pred, true: int64[k], or float64[k] Σw: rows right, predicted and true of each label.
        cells: the matrix true × predicted [k, k]; None where it was not asked for.
        columns: both columns as arrays, where they were checked with care.
        sets: of indicator matrices, whose kind is MULTILABEL and whose labels are 0 … k − 1.
    """

    kind: str
    labels: Array
    n: int
    weights: Array | None
    tp: Array
    pred: Array
    true: Array
    cells: Array | None = None
    columns: tuple[Array, Array] | None = None
    sets: Indicators | None = None

    @classmethod
    def of_sets(cls, sets: Indicators) -> Pair:
        """The counts of two indicator matrices."""
        labels = np.arange(sets.true.k)
        tp, pred, true = sets.of_labels(None)
        return cls(MULTILABEL, labels, sets.n, sets.weights, tp, pred, true, sets=sets)


def paired(y_true: Any, y_pred: Any, sample_weight: Any = None, *, cells: bool = False) -> Pair:
    """The counts of a pair of targets, with the confusion matrix if it is wanted."""
    is_matrix = type(y_true) is np.ndarray and y_true.ndim == 2 and y_true.shape[1] > 1
    found = None if is_matrix else plain(y_true, y_pred, sample_weight, cells=cells)
    if found is None and not cells:
        found = plain_sets(y_true, y_pred, sample_weight)
    return found if found is not None else careful(y_true, y_pred, sample_weight, cells=cells)


def plain_sets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Pair | None:
    """The counts of two indicator matrices; None where a check may fail."""
    weights = None
    if sample_weight is not None:
        given = plain_weights(sample_weight)
        if given is None or not np.isfinite(given).all() or not given.any():
            return None
        weights = summable(as_array(sample_weight, dtype=None, finite=False))
    true = plain_indicator(y_true)
    pred = None if true is None else plain_indicator(y_pred)
    if true is None or pred is None or true.k != pred.k or len(true.sets) != len(pred.sets):
        return None
    if weights is not None and weights.shape != (len(true.sets),):
        return None
    return Pair.of_sets(Indicators.of(true, pred, weights))


def plain_array(values: Any) -> Array | None:
    """The array of one dimension that scikit-learn makes of the values; None where it is none."""
    if type(values) is not np.ndarray:
        if isinstance(values, np.ma.MaskedArray):
            return None
        try:
            values = as_array(values, dtype=None, finite=False, min_samples=0)
        except Exception:  # the careful way says what is wrong
            return None
    return values if values.ndim == 1 and values.size else None


def text_column(values: Any) -> Column | None:
    """A list, an array or a column of pandas as text; None where the values are not all text."""
    try:
        if isinstance(values, np.ndarray):
            kind = values.dtype.kind
            if values.ndim != 1 or not values.size or kind not in "UO":
                return None
            return encode(values, "y") if kind == "U" else _objects(values)
        if type(values) is list:
            return _objects(values) if values and type(values[0]) is str else None
        dtype = getattr(values, "dtype", None)
        if getattr(values, "ndim", 0) != 1 or type(dtype).__module__.partition(".")[0] != "pandas":
            return None
        if not hasattr(dtype, "categories") and type(dtype).__name__ != "StringDtype":
            return None
        column = encode(values, "y")
    except Exception:  # the careful way says what is wrong
        return None
    return column if column.kind == "string" else None


def _objects(items: Any) -> Column | None:
    table: dict[object, int] = {}
    labels: list[str] = []

    def on_new(item: object, _row: int) -> int:
        if not isinstance(item, str):
            raise TypeError
        code = table[item] = len(labels)
        labels.append(str(item))
        return code

    codes = _native.encode_objects(items, table, on_new)
    return Column("y", codes, "string", tuple(labels)) if len(codes) else None


def plain(y_true: Any, y_pred: Any, sample_weight: Any, *, cells: bool) -> Pair | None:
    """The counts of plain arrays; None where a check may fail."""
    weights = None if sample_weight is None else plain_weights(sample_weight)
    if weights is None and sample_weight is not None:
        return None
    try:
        found = _plain_counts(y_true, y_pred, weights, cells)
    except (ValueError, TypeError):  # bad weights, lengths that differ, another byte order
        return None
    # Weights that are all 0 are an error.
    if found is None or not (found[2] + found[4]).any():
        return None
    labels, n, tp, fp, fn, matrix = found
    kind = "binary" if len(labels) <= 2 else "multiclass"
    # Booleans of pandas that may be missing become floats.
    if weights is not None:
        weights = summable(as_array(sample_weight, dtype=None, finite=False))
    return Pair(kind, labels, n, weights, tp, tp + fp, tp + fn, matrix)


def plain_weights(sample_weight: Any) -> Array | None:
    """The weights as float64; None where a check may fail."""
    given = plain_array(sample_weight)
    if given is None or given.dtype.kind not in "fiub":
        return None
    # A whole number beyond 2^53 is not exact as a float.
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and np.abs(given).max() > 1 << 31:
        return None
    return np.ascontiguousarray(given, np.float64)


def _plain_counts(
    y_true: Any, y_pred: Any, weights: Array | None, cells: bool
) -> tuple[Array, int, Array, Array, Array, Array | None] | None:
    """Labels, rows, tp, fp, fn, and the matrix if it is wanted."""
    true, pred = _numbers(y_true), _numbers(y_pred)
    if true is None or pred is None:
        text_true = text_column(y_true)
        text_pred = None if text_true is None else text_column(y_pred)
        if text_true is None or text_pred is None:
            return None
        seen = sorted({*text_true.seen(), *text_pred.seen()}, key=str)
        counted = tally_columns(text_true, text_pred, labels=seen, weights=weights, cells=cells)
        labels = np.asarray(seen)
    else:
        kinds = {true.dtype.kind, pred.dtype.kind}
        if true.shape != pred.shape or not (len(kinds) == 1 or kinds == {"i", "u"}):
            return None
        if kinds == {"b"}:
            # Any byte but 0 is True to NumPy.
            true, pred = ((part.view(np.uint8) != 0).view(np.uint8) for part in (true, pred))
        tally = None
        if kinds != {"f"}:
            tally = _native.count_integers(true, pred, weights, cells, 0)
        if tally is not None and tally.labels is not None:
            labels = tally.labels.astype(np.bool_) if kinds == {"b"} else tally.labels
            return labels, len(true), *_counts_of(tally, cells=cells)
        columns = encode(true, "y_true"), encode(pred, "y_pred")
        counted = tally_columns(*columns, weights=weights, cells=cells)
        labels = np.asarray(counted.classes.labels, np.result_type(true, pred))
    if not cells:
        return labels, int(counted.n_rows), *counted.counts, None
    matrix = counted.matrix()
    tp = np.diagonal(matrix).copy()
    fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
    return labels, int(counted.n_rows), tp, fp, fn, matrix


def _numbers(values: Any) -> Array | None:
    """Plain numbers as an array; None for text and whatever else."""
    is_text = type(values) is list and values and type(values[0]) is str
    array = None if is_text else plain_array(values)
    return array if array is not None and array.dtype.kind in "iubf" else None


def careful(
    y_true: Any, y_pred: Any, sample_weight: Any, *, cells: bool = False, in_row_order: bool = False
) -> Pair:
    """The counts after every check, with `columns`; in row order to scikit-learn's last bit."""
    kind, labels, true, pred, weights = checked_targets(y_true, y_pred, sample_weight)
    if kind == MULTILABEL:
        if cells:
            raise not_supported(kind)
        return Pair.of_sets(Indicators.of(Indicator.of(true), Indicator.of(pred), weights))
    codes = codes_of(true, labels), codes_of(pred, labels)
    counts = _count_codes(*codes, len(labels), weights, cells=cells, in_row_order=in_row_order)
    return Pair(kind, labels, len(true), weights, *counts, columns=(true, pred))


def not_supported(kind: str) -> ValueError:
    """The error of targets that a metric does not take."""
    return ValueError(f"{kind} is not supported")


def codes_of(column: Array, labels: Array) -> npt.NDArray[np.int32]:
    """int32[n]: the place of each value among labels that hold all of them, ascending."""
    if column.dtype.kind == "O" or labels.dtype.kind == "O":
        places = {label: place for place, label in enumerate(labels.tolist())}
        return np.array([places[value] for value in column.tolist()], np.int32)
    return np.searchsorted(labels, column).astype(np.int32)


def _counts_of(tally: _native.Tally, *, cells: bool) -> tuple[Array, Array, Array, Array | None]:
    """tp, fp, fn of each class, and the matrix if it is wanted."""
    found = [*tally.marginals(), *([tally.cells()] if cells else [])]
    # Of two C types of 64 bits NumPy prints one with its name: the other is what it counts in.
    tp, fp, fn, *rest = (part.view(np.int64) if part.dtype.kind == "i" else part for part in found)
    return tp, fp, fn, rest[0] if rest else None


def _count_codes(
    true: npt.NDArray[np.int32],
    pred: npt.NDArray[np.int32],
    k: int,
    weights: Array | None,
    *,
    cells: bool,
    in_row_order: bool = False,
) -> tuple[Array, Array, Array, Array | None]:
    """Rows right, predicted and true of each class, and the matrix if it is wanted."""
    kind = "i" if weights is None else weights.dtype.kind
    exact = weights is None or kind not in "iu" or np.abs(weights).max() <= 1 << 31
    is_number = cells or kind in "fiub"
    if exact and is_number and not in_row_order and (not cells or k <= _DENSE_MAX):
        given = None if weights is None else np.ascontiguousarray(weights, np.float64)
        try:
            tally = _native.count_codes(true, 0, None, pred, 0, None, k, given, cells, 0)
        except ValueError:  # a negative weight: no kernel takes it
            pass
        else:
            tp, fp, fn, matrix = _counts_of(tally, cells=cells)
            return tp, tp + fp, tp + fn, matrix
    hit = true == pred
    kept = None if weights is None else weights[hit]
    tp = np.bincount(true[hit], kept, k)
    of_pred, of_true = np.bincount(pred, weights, k), np.bincount(true, weights, k)
    matrix = None
    if cells:
        matrix = np.zeros((k, k), np.int64 if kind in "iub" else np.float64)
        # uint64 and int64 would meet in float64.
        step = 1 if weights is None else weights.astype(matrix.dtype)
        np.add.at(matrix, (true, pred), step)
    return tp, of_pred, of_true, matrix


_ALIKE = ("U", "iubf")
"""Kinds of dtypes within which NumPy and Python call the same labels equal."""

SINGLE = (
    "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the "
    "correct shape, use the 'labels' parameter to pass all known labels."
)


def confusion(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, normalize: str | None
) -> Array:
    """The confusion matrix of checked parameters: int64[k, k] or float64[k, k]."""
    cells = _cells(y_true, y_pred, labels, sample_weight)
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        with np.errstate(all="ignore"):
            cells = np.nan_to_num(cells / cells.sum(axis=axis, keepdims=True))
    if cells.shape == (1, 1):
        warn(SINGLE)
    return cells


def _cells(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> Array:
    if not isinstance(getattr(sample_weight, "dtype", np.dtype(float)), np.dtype):
        sample_weight = np.asarray(sample_weight)  # whole numbers and booleans of pandas stay so
    pair = plain(y_true, y_pred, sample_weight, cells=True)
    if pair is None:
        y_true = as_array(y_true, dtype=None, finite=False, min_samples=0)
        y_pred = as_array(y_pred, dtype=None, finite=False, min_samples=0)
        given = None if sample_weight is None else np.asarray(sample_weight)
        if given is None and y_true.shape[0]:
            # Rows without weights weigh 1, which is one more length in the message.
            check_lengths(y_true, y_pred, np.empty(y_true.shape[0]))
        is_empty = given is not None and not len(given)
        pair = careful(y_true, y_pred, None if is_empty else given, cells=True)
        if is_empty:
            return _cells_by_hash(
                y_true, y_pred, given, pair.labels if labels is None else np.asarray(labels)
            )
    cells = pair.cells
    assert cells is not None
    if _is_whole(pair.weights):
        cells = cells.astype(np.int64, copy=False)
    if labels is None:
        return cells
    wanted = np.asarray(labels)
    if wanted.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    places = _places_of(pair.labels, wanted)
    if places is None or not np.any(pair.true[places[places >= 0]]):
        return _cells_by_hash(y_true, y_pred, sample_weight, wanted)
    chosen = np.zeros((wanted.size, wanted.size), cells.dtype)
    inside = np.flatnonzero(places >= 0)
    chosen[np.ix_(inside, inside)] = cells[np.ix_(places[inside], places[inside])]
    return chosen


def _is_whole(weights: Array | None) -> bool:
    """True if counts of rows of these weights are whole numbers."""
    return weights is None or weights.dtype.kind in "iub"


def _places_of(labels: Array, wanted: Array) -> Array | None:
    """The place of each wanted label among sorted ones, -1 where it is none.

    None where equality is not that of numbers or of text, or a label is wanted twice.
    """
    if wanted.dtype.kind == "O" and all(isinstance(label, str) for label in wanted.flat):
        wanted = np.asarray(wanted.tolist())
    is_alike = any(labels.dtype.kind in some and wanted.dtype.kind in some for some in _ALIKE)
    if wanted.ndim != 1 or not is_alike or len(distinct(wanted)) < len(wanted):
        return None
    kinds = {labels.dtype.kind, wanted.dtype.kind}
    if kinds == {"i", "u"} and wanted.size and labels[0] >= 0 <= wanted.min():
        # NumPy would compare both as floats.
        labels, wanted = labels.astype(np.uint64), wanted.astype(np.uint64)
    found = np.searchsorted(labels, wanted)
    found[found == len(labels)] = 0
    return np.where(labels[found] == wanted, found, -1)


def _cells_by_hash(true: Array, pred: Array, sample_weight: Any, wanted: Array) -> Array:
    """The matrix of labels that equal those of the rows as the keys of a dict do."""
    is_empty = sample_weight is not None and not len(sample_weight)
    given = None if is_empty else sample_weight
    _, _, of_true, of_pred, weights = checked_targets(true, pred, given)
    if len(np.intersect1d(of_true, wanted)) == 0:
        raise ValueError("At least one label specified must be in y_true")
    k = wanted.size
    is_plain = wanted.dtype.kind in "iub" and np.all(wanted == np.arange(k))
    if is_plain and of_true.min() >= 0 and of_pred.min() >= 0:
        codes = [column.astype(np.int64) for column in (of_true, of_pred)]
    else:
        places = {label: place for place, label in enumerate(wanted)}
        codes = [
            np.array([places.get(label, k + 1) for label in column], np.int64)
            for column in (of_true, of_pred)
        ]
    kept = np.logical_and(codes[1] < k, codes[0] < k)
    if is_empty:
        _ = kept.all() or np.empty(0)[kept]
        raise ValueError("all index and data arrays must have the same length")
    chosen = None if weights is None else weights[kept]
    is_whole = _is_whole(weights)
    if not kept.any():
        return np.zeros((k, k), np.int64 if is_whole else np.float64)
    rows = [code[kept].astype(np.int32) for code in codes]
    cells = _count_codes(rows[0], rows[1], k, chosen, cells=True)[3]
    assert cells is not None
    return cells.astype(np.int64) if is_whole else cells


def class_counts(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, pair: Pair | None = None
) -> tuple[Pair, Array, Array, Array]:
    """Rows right, predicted and true of the wanted labels, or of all that occur.

    Where nothing is right, tp is float64[m] even of unweighted rows, as scikit-learn's.
    """
    if pair is None:
        pair = paired(y_true, y_pred, sample_weight)
    if labels is None:
        tp, pred, true = pair.tp, pair.pred, pair.true
    elif pair.sets is not None:
        tp, pred, true = pair.sets.of_labels(wanted_columns(labels, pair.sets.true.k))
    else:
        wanted = np.asarray(labels)
        places = _places_of(pair.labels, wanted)
        if places is None:
            return _class_counts_with_care(y_true, y_pred, sample_weight, wanted)
        is_known = places >= 0
        tp, pred, true = (
            np.where(is_known, part[places], 0) for part in (pair.tp, pair.pred, pair.true)
        )
    if sample_weight is None and pair.sets is None and not pair.tp.any():
        tp = tp.astype(np.float64)
    return pair, tp, pred, true


def _class_counts_with_care(
    y_true: Any, y_pred: Any, sample_weight: Any, wanted: Array
) -> tuple[Pair, Array, Array, Array]:
    """The same for labels of another type, which NumPy makes one type with those of the rows."""
    pair = careful(y_true, y_pred, sample_weight)
    assert pair.columns is not None
    n_wanted = wanted.shape[0]
    # Of labels that are wanted twice both are kept, as scikit-learn keeps them.
    rest = pair.labels[np.isin(pair.labels, wanted, assume_unique=True, invert=True)]
    both = as_column(np.concatenate([wanted, rest]), warn=True)
    known = _sorted_labels(both)
    true, pred = (as_column(column, dtype=known.dtype, warn=True) for column in pair.columns)
    places = {label: place for place, label in enumerate(known)}
    try:
        true, pred = (
            codes_of(column, known)
            if column.dtype.kind in "iubf"
            else np.array([places[value] for value in column], np.int32)
            for column in (true, pred)
        )
    except KeyError as problem:  # 1 and 1.0 are two texts
        raise ValueError(f"y contains previously unseen labels: {problem}") from None
    counts = _count_codes(true, pred, len(known), pair.weights, cells=False, in_row_order=True)[:3]
    at = np.searchsorted(known, both[:n_wanted])
    tp, of_pred, of_true = (part[at] for part in counts)
    if pair.weights is None and not counts[0].any():
        tp = tp.astype(np.float64)
    return pair, tp, of_pred, of_true


def _sorted_labels(labels: Array) -> Array:
    """Distinct labels, ascending, with None and NaN at the end."""
    if labels.dtype.kind != "O":
        return distinct(labels)
    found = set(labels)
    missing = {label for label in found if label is None or label != label}
    try:
        ordered = sorted(found - missing)
    except TypeError:
        types = sorted({type(label).__qualname__ for label in labels})
        raise TypeError(
            "Encoders require their input argument must be uniformly strings or numbers. Got "
            f"{types}"
        ) from None
    last = [None] if None in missing else []
    return np.array([*ordered, *last, *([np.nan] if missing - {None} else [])], object)
