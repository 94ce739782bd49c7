"""A pair of targets, counted: natively where the arrays are plain, after every check elsewhere.

The plain way reads only what cannot fail a check of scikit-learn's; anything else, and anything
that the native count refuses, goes the careful way, which raises what scikit-learn raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat.sklearn._arrays import as_array
from karat.compat.sklearn._targets import checked_targets
from karat.data.labels.column import Column
from karat.data.labels.containers import encode
from karat.data.sources.arrays.labels import tally_columns
from karat.tally import Cells

__all__ = [
    "Pair",
    "careful",
    "codes_of",
    "count_codes",
    "counts_of",
    "paired",
    "plain",
    "plain_array",
    "text_column",
]

Array = npt.NDArray[Any]

_DENSE_MAX = 8192


@dataclass(slots=True)
class Pair:
    """Counts of true and predicted labels.

    Attributes:
        kind: "binary" or "multiclass".
        labels: those that occur, ascending.
        n: rows.
        weights: of the rows, in the dtype given; None where all count as one.
        tp, pred, true: int64[k], or float64[k] Σw: rows right, predicted and true of each label.
        cells: the matrix true × predicted [k, k]; None where it was not asked for.
        columns: both columns as arrays, where they were checked with care.
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

    @property
    def total(self) -> Any:
        """The number of rows, or the sum of the weights in their own dtype."""
        return self.n if self.weights is None else np.sum(self.weights)


def paired(y_true: Any, y_pred: Any, sample_weight: Any = None, *, cells: bool = False) -> Pair:
    """The counts of a pair of targets.

    Args:
        cells: whether the confusion matrix is wanted.

    Errors:
        As `checked_targets`.

    Cost: one pass over plain arrays of integers, booleans or text.
    """
    found = plain(y_true, y_pred, sample_weight, cells=cells)
    return found if found is not None else careful(y_true, y_pred, sample_weight, cells=cells)


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
    """A column of text, read where it lies; None where the values are not all text.

    Args:
        values: a list, an array of text or objects, a pandas column of text or categories.
    """
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
    weights: Array | None = None
    if sample_weight is not None:
        weights = plain_weights(sample_weight)
        if weights is None:
            return None
    try:
        found = _plain_integers(y_true, y_pred, sample_weight, weights, cells) or _plain_text(
            y_true, y_pred, sample_weight, weights, cells
        )
    except (ValueError, TypeError):  # bad weights, lengths that differ, another byte order
        return None
    # Weights that are all 0 are an error.
    return found if found is None or found.true.any() else None


def plain_weights(sample_weight: Any) -> Array | None:
    """The weights as float64; None where a check may fail."""
    given = plain_array(sample_weight)
    if given is None or given.dtype.kind not in "fiub":
        return None
    # A whole number beyond 2^53 is not exact as a float.
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and np.abs(given).max() > 1 << 31:
        return None
    return np.ascontiguousarray(given, np.float64)


def _plain_integers(
    y_true: Any, y_pred: Any, sample_weight: Any, weights: Array | None, cells: bool
) -> Pair | None:
    true, pred = _numbers(y_true), _numbers(y_pred)
    if true is None or pred is None or true.shape != pred.shape:
        return None
    kinds = {true.dtype.kind, pred.dtype.kind}
    if kinds == {"b"}:
        # Any byte but 0 is True to NumPy.
        true, pred = ((part.view(np.uint8) != 0).view(np.uint8) for part in (true, pred))
    if kinds <= {"i", "u"} or kinds == {"b"}:
        tally = _native.count_integers(true, pred, weights, cells, 0)
        if tally is not None and tally.labels is not None:
            labels = tally.labels.astype(np.bool_) if kinds == {"b"} else tally.labels
            return _pair(labels, len(true), sample_weight, *counts_of(tally, cells=cells))
    elif kinds != {"f"}:
        return None
    counted = tally_columns(
        encode(true, "y_true"), encode(pred, "y_pred"), weights=weights, cells=cells
    )
    labels = np.asarray(counted.classes.labels, np.result_type(true, pred))
    return _pair_of_cells(counted, labels, sample_weight, cells)


def _numbers(values: Any) -> Array | None:
    """Plain numbers as an array; None for text and whatever else."""
    if type(values) is not np.ndarray:
        if type(values) is list and values and type(values[0]) is str:
            return None
        values = plain_array(values)
        if values is None:
            return None
    return values if values.ndim == 1 and values.dtype.kind in "iubf" else None


def _plain_text(
    y_true: Any, y_pred: Any, sample_weight: Any, weights: Array | None, cells: bool
) -> Pair | None:
    true = text_column(y_true)
    pred = None if true is None else text_column(y_pred)
    if true is None or pred is None:
        return None
    labels = sorted({*true.seen(), *pred.seen()}, key=str)
    counted = tally_columns(true, pred, labels=labels, weights=weights, cells=cells)
    return _pair_of_cells(counted, np.asarray(labels), sample_weight, cells)


def _pair_of_cells(counted: Cells, labels: Array, weights: Any, cells: bool) -> Pair:
    if cells:
        matrix = counted.matrix()
        tp = np.diagonal(matrix).copy()
        fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
        return _pair(labels, int(counted.n_rows), weights, tp, fp, fn, matrix)
    tp, fp, fn = counted.counts
    return _pair(labels, int(counted.n_rows), weights, tp, fp, fn, None)


def _pair(
    labels: Array, n: int, weights: Any, tp: Array, fp: Array, fn: Array, cells: Array | None
) -> Pair:
    kind = "binary" if len(labels) <= 2 else "multiclass"
    # Booleans of pandas that may be missing become floats.
    given = None if weights is None else as_array(weights, dtype=None, finite=False)
    return Pair(kind, labels, n, given, tp, tp + fp, tp + fn, cells)


def careful(
    y_true: Any, y_pred: Any, sample_weight: Any, *, cells: bool = False, in_row_order: bool = False
) -> Pair:
    """The counts after every check, with `columns`.

    Args:
        in_row_order: add weights one row after the other, to the last bit as scikit-learn does.
    """
    kind, labels, true, pred, weights = checked_targets(y_true, y_pred, sample_weight)
    codes = codes_of(true, labels), codes_of(pred, labels)
    counts = count_codes(*codes, len(labels), weights, cells=cells, in_row_order=in_row_order)
    return Pair(kind, labels, len(true), weights, *counts, columns=(true, pred))


def codes_of(column: Array, labels: Array) -> npt.NDArray[np.int32]:
    """int32[n]: the place of each value among labels that hold all of them, ascending."""
    if column.dtype.kind == "O" or labels.dtype.kind == "O":
        places = {label: place for place, label in enumerate(labels.tolist())}
        return np.array([places[value] for value in column.tolist()], np.int32)
    return np.searchsorted(labels, column).astype(np.int32)


def counts_of(tally: _native.Tally, *, cells: bool) -> tuple[Array, Array, Array, Array | None]:
    """tp, fp, fn of each class, and the matrix if it is wanted."""
    tp, fp, fn = (_int64(part) for part in tally.marginals())
    return tp, fp, fn, _int64(tally.cells()) if cells else None


def _int64(counts: Array) -> Array:
    # Of two C types of 64 bits NumPy prints one with its name: the other is what it counts in.
    return counts.view(np.int64) if counts.dtype.kind == "i" else counts


def count_codes(
    true: npt.NDArray[np.int32],
    pred: npt.NDArray[np.int32],
    k: int,
    weights: Array | None,
    *,
    cells: bool,
    in_row_order: bool = False,
) -> tuple[Array, Array, Array, Array | None]:
    """Rows right, predicted and true of each class, and the matrix if it is wanted."""
    is_number = weights is None or cells or weights.dtype.kind in "fiub"
    exact = weights is None or weights.dtype.kind not in "iu" or np.abs(weights).max() <= 1 << 31
    if exact and is_number and not in_row_order and (not cells or k <= _DENSE_MAX):
        given = None if weights is None else np.ascontiguousarray(weights, np.float64)
        try:
            tally = _native.count_codes(true, 0, None, pred, 0, None, k, given, cells, 0)
        except ValueError:  # a negative weight: no kernel takes it
            pass
        else:
            tp, fp, fn, matrix = counts_of(tally, cells=cells)
            return tp, tp + fp, tp + fn, matrix
    hit = true == pred
    kept = None if weights is None else weights[hit]
    tp = np.bincount(true[hit], kept, k)
    of_pred, of_true = np.bincount(pred, weights, k), np.bincount(true, weights, k)
    matrix = None
    if cells:
        is_whole = weights is None or weights.dtype.kind in "iub"
        matrix = np.zeros((k, k), np.int64 if is_whole else np.float64)
        # uint64 and int64 would meet in float64.
        step = 1 if weights is None else weights.astype(matrix.dtype)
        np.add.at(matrix, (true, pred), step)
    return tp, of_pred, of_true, matrix
