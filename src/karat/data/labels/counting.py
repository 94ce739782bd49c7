"""Counting of in-memory label codes on a class axis into `Cells`."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.align import (
    Aligned,
    Side,
    align,
    check_kinds,
    common_kind,
    discovered_of,
    refuse_outside,
)
from karat.data.labels.column import Column, check_lengths, harmonized
from karat.data.weights import Weights, refuse_sums, refuse_weights
from karat.errors import error
from karat.tally.cells import Cells
from karat.tally.classes import Classes

_DENSE_K_MAX = 2048
_DENSE_CELLS_MIN = 1 << 16
_DENSE_CELLS_PER_ROW = 16


def tally_columns(
    true: Column,
    pred: Column,
    *,
    labels: Any = None,
    positive: Any = None,
    weights: Weights | None = None,
    weights_argument: str = "weights",
    cells: bool = True,
    n_threads: int | None = None,
    is_part: bool = False,
) -> Cells:
    """Tally two encoded columns without missing rows.

    Args:
        labels: the classes in order; default: the sorted union of the labels.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        weights: float64[n], or None.
        weights_argument: the name of the weights in messages.
        cells: whether the confusion matrix is kept; without it only tp, fp and fn of each class.
        n_threads: None means KARAT_NUM_THREADS, else all cores; the tally is the same for any.
        is_part: whether they are part of more rows, so that these may all weigh 0.
    """
    check_lengths(true, pred)
    check_kinds(true, pred)
    try:
        tally = None
        if labels is None and true.labels is None and pred.labels is None:
            # Classes are found while counting, unless the range of integers is too large.
            found = _native.count_integers(true.codes, pred.codes, weights, cells, n_threads or 0)
            if found is not None and found.labels is not None:
                known = harmonized(found.labels.tolist(), common_kind(true, pred))
                classes = discovered_of(known, positive, true, pred)
                if classes.k == found.k:  # otherwise positive= names a class that does not occur
                    tally = _cells_of(found, classes, is_part=is_part)
        if tally is None:
            aligned = align(true, pred, labels, positive)
            tally = count_aligned(aligned, weights, cells, n_threads or 0, is_part=is_part)
    except _native.Rejected as rejected:
        explain_weights(rejected, weights, weights_argument)
    except AllZeroError:
        raise error("K115", argument=weights_argument, n=len(true)) from None
    if weights is not None:
        refuse_sums(tally.counts, weights_argument)
    return tally


def count_codes(
    classes: Classes,
    true: npt.NDArray[np.int32],
    pred: npt.NDArray[np.int32],
    weights: Weights | None = None,
    *,
    weights_argument: str = "weights",
    n_threads: int | None = None,
    is_part: bool = False,
) -> Cells:
    """Return the confusion matrix of codes of these classes.

    Args:
        true, pred: int32[n], indices of classes.
        weights, weights_argument, n_threads, is_part: as in `tally_columns`.

    Errors:
        K113 to K115 invalid weights.
    """
    identity = np.arange(classes.k, dtype=np.int32)
    sides = [
        Side(Column(name, codes, "integer"), codes, 0, identity)
        for name, codes in (("y_true", true), ("y_pred", pred))
    ]
    aligned = Aligned(classes, *sides)
    try:
        return count_aligned(aligned, weights, True, n_threads or 0, is_part=is_part)
    except _native.Rejected as rejected:
        explain_weights(rejected, weights, weights_argument)
    except AllZeroError:
        raise error("K115", argument=weights_argument, n=len(true)) from None


class AllZeroError(Exception):
    """Every row weighs 0."""


def count_aligned(
    aligned: Aligned, weights: Weights | None, cells: bool, n_threads: int, *, is_part: bool = False
) -> Cells:
    classes, true, pred = aligned.classes, aligned.true, aligned.pred
    k, n = classes.k, len(true.column)
    is_dense = k <= _DENSE_K_MAX and k * k <= max(_DENSE_CELLS_MIN, _DENSE_CELLS_PER_ROW * n)
    if cells and not is_dense:
        return _count_sparse(aligned, weights, n_threads, is_part=is_part)
    try:
        tally = _native.count_codes(
            true.codes,
            true.base,
            true.lut,
            pred.codes,
            pred.base,
            pred.lut,
            k,
            weights,
            cells,
            n_threads,
        )
    except _native.Rejected as rejected:
        if rejected.args[1] == 2:
            raise
        raise refuse_outside((true, pred)[rejected.args[1]], classes) from None
    return _cells_of(tally, classes, is_part=is_part)


def _count_sparse(
    aligned: Aligned, weights: Weights | None, n_threads: int, *, is_part: bool
) -> Cells:
    """Return occupied cells, by sorting one key for each row and measuring its runs."""
    classes = aligned.classes
    k, n = classes.k, len(aligned.true.column)
    true, pred = (side.indices() for side in (aligned.true, aligned.pred))
    for side, indices in ((aligned.true, true), (aligned.pred, pred)):
        if indices.min() < 0:
            raise refuse_outside(side, classes)
    counts: npt.NDArray[Any]
    squares = None
    if weights is None:
        keys = _native.sorted_keys(_native.pack_pairs(true, pred, k), n_threads)
        pairs, counts = _native.run_lengths(keys)
    else:
        given = np.ascontiguousarray(weights)
        pairs, counts, squares, n_weighing = _weighted_pairs(true, pred, k, given, n_threads)
        if not (n_weighing.any() or is_part):
            raise AllZeroError
    rows, cols = np.divmod(pairs.view(np.int64), k)
    return Cells.sparse(rows, cols, counts, classes=classes, squares=squares, n_rows=n)


def _weighted_pairs(
    true: npt.NDArray[np.int32],
    pred: npt.NDArray[np.int32],
    k: int,
    weights: Weights,
    n_threads: int,
) -> tuple[npt.NDArray[np.uint64], Weights, Weights, npt.NDArray[np.int64]]:
    """Return occupied pairs, their Σw and Σw² in row order, and their rows of weight > 0."""
    pairs = None
    try:
        keys, row_bits = _native.pack_pairs_rows(true, pred, k)
    except ValueError:
        # Pair and row do not fit into 64 bits, but the rank of the pair does.
        unranked = _native.pack_pairs(true, pred, k)
        pairs, _ = _native.run_lengths(_native.sorted_keys(unranked, n_threads))
        row_bits = max(1, len(true).bit_length())
        ranks = np.searchsorted(pairs, unranked).astype(np.uint64)
        keys = (ranks << np.uint64(row_bits)) | np.arange(len(true), dtype=np.uint64)
    keys = _native.sorted_keys(keys, n_threads)
    found, sums, squares, n_weighing = _native.weighted_runs(keys, row_bits, weights)
    return found if pairs is None else pairs, sums, squares, n_weighing


def _cells_of(tally: _native.Tally, classes: Classes, *, is_part: bool) -> Cells:
    if tally.weighted and not is_part:
        hits, _, misses = tally.marginal_rows()
        if not hits.any() and not misses.any():
            raise AllZeroError
    return Cells.from_native(tally, classes)


def explain_weights(rejected: _native.Rejected, weights: Weights | None, argument: str) -> NoReturn:
    """Return the error, with value and count, of a row that a kernel refused."""
    if weights is not None:
        refuse_weights(weights, argument)
    raise rejected
