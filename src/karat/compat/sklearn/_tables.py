"""Confusion matrices, and the counts of chosen labels, from counted pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._arrays import as_array, as_column, check_lengths, distinct
from karat.compat.sklearn._notices import warn
from karat.compat.sklearn._pairs import Pair, careful, codes_of, count_codes, paired, plain
from karat.compat.sklearn._targets import checked_targets

__all__ = ["SINGLE", "class_counts", "confusion", "places_of", "tables"]

Array = npt.NDArray[Any]

_ALIKE = ("U", "iubf")
"""Kinds of dtypes within which NumPy and Python call the same labels equal."""

SINGLE = (
    "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the "
    "correct shape, use the 'labels' parameter to pass all known labels."
)


def confusion(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, normalize: str | None
) -> Array:
    """The confusion matrix of checked parameters: int64[k, k] or float64[k, k].

    Errors:
        As `checked_targets`; ValueError no label, or none of the labels is in y_true.
    """
    cells = _cells(y_true, y_pred, labels, sample_weight)
    if normalize is not None:
        with np.errstate(all="ignore"):
            if normalize == "true":
                cells = cells / cells.sum(axis=1, keepdims=True)
            elif normalize == "pred":
                cells = cells / cells.sum(axis=0, keepdims=True)
            else:
                cells = cells / cells.sum()
            cells = np.nan_to_num(cells)
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
    places = places_of(pair.labels, wanted)
    if places is None or not np.any(pair.true[places[places >= 0]]):
        return _cells_by_hash(y_true, y_pred, sample_weight, wanted)
    chosen = np.zeros((wanted.size, wanted.size), cells.dtype)
    inside = np.flatnonzero(places >= 0)
    chosen[np.ix_(inside, inside)] = cells[np.ix_(places[inside], places[inside])]
    return chosen


def _is_whole(weights: Array | None) -> bool:
    """Whether counts of rows of these weights are whole numbers."""
    return weights is None or weights.dtype.kind in "iub"


def places_of(labels: Array, wanted: Array) -> Array | None:
    """The place of each wanted label among sorted ones, -1 where it is none.

    Returns:
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
    _, _, of_true, of_pred, weights = checked_targets(
        true, pred, None if is_empty else sample_weight
    )
    if len(np.intersect1d(of_true, wanted)) == 0:
        raise ValueError("At least one label specified must be in y_true")
    k = wanted.size
    is_plain = (
        wanted.dtype.kind in "iub"
        and np.all(wanted == np.arange(k))
        and of_true.min() >= 0
        and of_pred.min() >= 0
    )
    if is_plain:
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
    cells = count_codes(rows[0], rows[1], k, chosen, cells=True)[3]
    assert cells is not None
    return cells.astype(np.int64) if is_whole else cells


def class_counts(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, pair: Pair | None = None
) -> tuple[Pair, Array, Array, Array]:
    """Rows right, predicted and true of the wanted labels, or of all that occur.

    Where nothing is right, tp is float64[m] even of unweighted rows, as scikit-learn's.

    Args:
        pair: the same pair, where it has been counted.
    """
    if pair is None:
        pair = paired(y_true, y_pred, sample_weight)
    if labels is None:
        tp, pred, true = pair.tp, pair.pred, pair.true
    else:
        wanted = np.asarray(labels)
        places = places_of(pair.labels, wanted)
        if places is None:
            return _class_counts_with_care(y_true, y_pred, sample_weight, wanted)
        is_known = places >= 0
        tp, pred, true = (
            np.where(is_known, part[places], 0) for part in (pair.tp, pair.pred, pair.true)
        )
    if sample_weight is None and not pair.tp.any():
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
    codes = _encoded(true, known), _encoded(pred, known)
    counts = count_codes(*codes, len(known), pair.weights, cells=False, in_row_order=True)[:3]
    at = np.searchsorted(known, both[:n_wanted])
    tp, of_pred, of_true = (part[at] for part in counts)
    if pair.weights is None and not counts[0].any():
        tp = tp.astype(np.float64)
    return pair, tp, of_pred, of_true


def _encoded(column: Array, known: Array) -> npt.NDArray[np.int32]:
    """int32[n]: the place of each value among the labels.

    Errors:
        ValueError a text that is none of them: 1 and 1.0 are two texts.
    """
    if column.dtype.kind in "iubf":
        return codes_of(column, known)
    places = {label: place for place, label in enumerate(known)}
    try:
        return np.array([places[value] for value in column], np.int32)
    except KeyError as problem:
        raise ValueError(f"y contains previously unseen labels: {problem}") from None


def _sorted_labels(labels: Array) -> Array:
    """Distinct labels, ascending, with None and NaN at the end.

    Errors:
        TypeError they do not compare.
    """
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


def tables(pair: Pair, tp: Array, pred: Array, true: Array) -> Array:
    """[[tn, fp], [fn, tp]] of each label, number[m, 2, 2]."""
    fp, fn = pred - tp, true - tp
    tn = pair.total - tp - fp - fn
    return np.stack([tn, fp, fn, tp]).T.reshape(-1, 2, 2)
