"""The engine for a confusion matrix: its cells are the tally."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.data.labels.align import classes_of
from karat.data.labels.identity import declared_labels
from karat.data.labels.matrices import as_matrix, check_order, labels_of_matrix
from karat.errors import error
from karat.tally.cells import Cells

__all__ = ["tally_matrix"]


def tally_matrix(confusion: Any, *, labels: Any = None, positive: Any = None) -> Cells:
    """Tally of a confusion matrix.

    Args:
        confusion: number[k, k], rows true, columns predicted: lists, an array or a frame.
            Whole numbers are counts of rows; others are sums of weights, whose squares
            are not known.
        labels: the classes in order; default: those of the frame, else 0 … k - 1.
        positive: the positive class of two; default: the last.

    Errors:
        K110 labels do not fit the matrix, K111 and K112 unusable `positive`,
        K119 it is no confusion matrix, K149 the labels of a frame in another order, K125 weights
        that are too large or too small.

    Example:
        >>> tally_matrix([[5, 1], [2, 7]], labels=["ham", "spam"]).classes.positive
        1
    """
    matrix = as_matrix(confusion)
    k = len(matrix)
    given = labels_of_matrix(confusion) if labels is None else labels
    names = tuple(range(k)) if given is None else declared_labels(given)
    if len(names) != k:
        raise error("K110", found=f"It lists {len(names)} classes; the matrix has {k}")
    if labels is not None:
        check_order(confusion, names)
    classes = classes_of(names, positive, is_declared=True)
    # Python's integers: neither a sum of counts nor a rounded sum of weights can overflow here.
    n_rows = min(sum(map(int, np.ceil(matrix).sum(axis=1))), np.iinfo(np.int64).max)
    return Cells.dense(matrix, classes=classes, n_rows=n_rows)
