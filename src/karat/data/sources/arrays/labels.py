"""Source of labels in memory: tallies two columns or a confusion matrix in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arguments import check_threads
from karat.data.labels.align import classes_of
from karat.data.labels.column import check_lengths, declared_labels
from karat.data.labels.containers import encode
from karat.data.labels.counting import tally_columns
from karat.data.labels.matrices import (
    as_matrix,
    check_counts,
    check_margins,
    check_order,
    is_transposed,
    labels_of_matrix,
)
from karat.data.weights import as_weights
from karat.errors import error
from karat.tally.cells import Cells
from karat.tally.classes import Classes

if TYPE_CHECKING:
    from karat._native import Tally

_Integers: TypeAlias = "npt.NDArray[Any]"
Count: TypeAlias = "Callable[[_Integers, _Integers], Tally | None]"


def _counting(needs_cells: bool) -> Count:
    """Count with the confusion matrix, or only the totals of each class."""

    def count(y_true: _Integers, y_pred: _Integers) -> Tally | None:
        try:
            return _native.count_integers(y_true, y_pred, None, needs_cells, 0)
        except (ValueError, TypeError):
            return None

    return count


cells, class_totals = map(_counting, (True, False))


def agreement(y_true: _Integers, y_pred: _Integers) -> Tally | None:
    """Return the number of rows, and of rows with equal labels, as a tally of two dummy classes."""
    try:
        return _native.count_agreement(y_true, y_pred, 0)
    except (ValueError, TypeError):
        return None


def count_for(needs_cells: bool, needs_classes: bool) -> Count:
    """Return the cheapest count that has the inputs of a formula."""
    if needs_cells:
        return cells
    return class_totals if needs_classes else agreement


def tally_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    cells: bool = True,
    n_threads: int | None = None,
    is_part: bool = False,
) -> Cells:
    """Tally true and predicted labels, matched by position.

    Args:
        y_true, y_pred: one label for each row, in any container that
            `data.labels.containers.encode` reads.
        labels: the classes in order; default: the sorted union of the labels.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        weights: float[n], finite and at least 0.
        cells: whether the confusion matrix is kept; without it only tp, fp and fn of each class.
        n_threads: None means KARAT_NUM_THREADS, else all cores; the tally is the same for any.
        is_part: whether they are part of more rows, so that these may all weigh 0.

    Returns:
        Cells: dense if k × k is small relative to n, sparse for many classes, marginals on request.

    Errors:
        K101 to K118 and K124: with the argument, its first invalid row and the number of such rows.

    Cost: one pass; integers and booleans are read in place.

    Example:
        >>> tally_labels(["cat", "dog", "dog"], ["cat", "cat", "dog"]).matrix().tolist()
        [[1, 0], [1, 1]]
    """
    check_threads(n_threads)
    if (
        type(y_true) is np.ndarray
        and type(y_pred) is np.ndarray
        and weights is None
        and labels is None
        and positive is None
    ):
        found = _count_plain(y_true, y_pred, cells, n_threads or 0)
        if found is not None:
            return found
    true, pred = encode(y_true, "y_true"), encode(y_pred, "y_pred")
    check_lengths(true, pred)
    return tally_columns(
        true,
        pred,
        labels=labels,
        positive=positive,
        weights=None if weights is None else as_weights(weights, len(true)),
        cells=cells,
        n_threads=n_threads,
        is_part=is_part,
    )


def _count_plain(
    y_true: npt.NDArray[Any], y_pred: npt.NDArray[Any], cells: bool, n_threads: int
) -> Cells | None:
    """Tally two plain columns of integers; None sends all other input to the slow path."""
    shape = y_true.shape
    if shape != y_pred.shape or len(shape) != 1 or not shape[0]:
        return None
    if y_true.dtype.kind not in "iu" or y_pred.dtype.kind not in "iu":
        return None
    try:
        tally = _native.count_integers(y_true, y_pred, None, cells, n_threads)
    except (TypeError, ValueError):  # another byte order, or unaligned
        return None
    values = None if tally is None else tally.labels
    if tally is None or values is None:
        return None
    classes = Classes.of(values.tolist()) if tally.k > 99 else _few_classes(values.tobytes())
    return Cells.from_native(tally, classes)


@lru_cache(maxsize=64)
def _few_classes(values: bytes) -> Classes:
    """Return the classes of int64[k] values; cached, since small calls repeat the same few."""
    return Classes.of(np.frombuffer(values, np.int64).tolist())


def tally_matrix(confusion: Any, *, labels: Any = None, positive: Any = None) -> Cells:
    """Tally a confusion matrix.

    Args:
        confusion: number[k, k], rows true, columns predicted: lists, an array or a frame. Whole
            numbers are counts of rows; others are sums of weights, whose squares are unknown. A
            frame whose axes are named otherwise, as pandas.crosstab(pred, truth), is transposed.
        labels: the classes in order; default: those of the frame, else 0 … k - 1.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.

    Errors:
        K110 labels do not match the matrix, K111 and K112 invalid `positive`, K119 it is not a
        confusion matrix, K149 the labels of a frame in another order, K125 weights that are too
        large or too small, K424 it has margins or holds proportions.

    Example:
        >>> tally_matrix([[5, 1], [2, 7]]).classes.positive
        1
    """
    matrix = as_matrix(confusion)
    check_counts(matrix)
    if labels is None:
        check_margins(matrix)
    k = len(matrix)
    given = labels_of_matrix(confusion) if labels is None else labels
    names = tuple(range(k)) if given is None else declared_labels(given)
    if len(names) != k:
        raise error("K110", found=f"It lists {len(names)} classes; the matrix has {k}")
    if labels is not None:
        check_order(confusion, names)
    if is_transposed(confusion):
        matrix = matrix.T.copy()
    classes = classes_of(names, positive, is_declared=True)
    if labels is None and isinstance(names[0], str):
        # Tables of counts sort their labels as text, which declares nothing.
        classes = replace(classes, is_ordered=list(names) != sorted(names))
    # Python integers: neither a sum of counts nor a rounded sum of weights can overflow.
    n_rows = min(sum(map(int, np.ceil(matrix).sum(axis=1))), np.iinfo(np.int64).max)
    return Cells.dense(matrix, classes=classes, n_rows=n_rows)
