"""Indicator matrices: rows with sets of labels, counted by label and by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat.sklearn._parameters import is_sparse
from karat.compat.sklearn._targets import as_array
from karat.tally.set_tally import FN, FP, TP
from karat.tally.sets import Places, Sets, read_matrix

Array = npt.NDArray[Any]
Counts = tuple[Array, Array, Array]
"""Labels that are right, predicted and true: of each label, or of each row."""


_COUNTED_IN: Final = np.dtype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Indicator:
    """The cells of an indicator matrix [n, k] that are not 0, or that a sparse one stores.

    Attributes:
        sets: their columns, of each row.
        k: columns.
        values: of each of them; None where all are 1.
        counted_in: the dtype in which SciPy counts the cells of its rows.
    """

    sets: Sets
    k: int
    values: Array | None = None
    counted_in: np.dtype[Any] = _COUNTED_IN

    @classmethod
    def of(cls, matrix: Any) -> Indicator:
        """The cells of an array, or of a sparse matrix of SciPy."""
        if is_sparse(matrix):
            return cls._of_sparse(matrix)
        found = read_matrix(matrix)
        k = matrix.shape[1]
        if found.others is None and found.unknown is None:
            return cls(found.sets, k)
        rows, columns = np.nonzero(matrix)
        return cls(Sets.of_pairs(rows, columns, len(matrix)), k, matrix[rows, columns])

    @classmethod
    def _of_sparse(cls, matrix: Any) -> Indicator:
        rows = matrix.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        values = rows.data[: rows.indptr[-1]]
        items = rows.indices[: rows.indptr[-1]].astype(np.int32, copy=False)
        sets = Sets(rows.indptr.astype(np.int64), items)
        # A stored 0 counts as a label there, and agrees with no other.
        values = None if (values == 1).all() else values
        return cls(sets, rows.shape[1], values, rows.indptr.dtype)


def plain_indicator(values: Any) -> Indicator | None:
    """The cells of a matrix of 0 and 1; None where a check of scikit-learn may fail."""
    if is_sparse(values):
        if values.ndim != 2 or values.shape[1] < 2 or not values.shape[0]:
            return None
        if values.format not in ("csr", "csc", "coo") or values.dtype.kind not in "biuf":
            return None
    else:
        if type(values) is not np.ndarray:
            if isinstance(values, np.ndarray):
                return None
            try:
                values = as_array(values, dtype=None, finite=False, min_samples=0)
            except Exception:  # the careful way says what is wrong
                return None
        is_matrix = values.ndim == 2 and values.shape[1] >= 2 and len(values)
        if not is_matrix or values.dtype.kind not in "biuf":
            return None
    found = Indicator.of(values)
    return found if found.values is None else None


@dataclass(slots=True, eq=False)
class Indicators:
    """Two indicator matrices of the same rows and labels.

    Attributes:
        true, pred: their cells.
        weights: of the rows, in the dtype given or a wider one; None where all count as one.
        hits: int64[n], labels of each row that both have.
        n_differing: int64[n], labels of each row in which they differ.
        by_label: int64[k], or float64[k] Σw: of each label.
        shared: the labels that both have; None until they are needed.
    """

    true: Indicator
    pred: Indicator
    weights: Array | None
    hits: Places
    n_differing: Places
    by_label: Counts
    shared: Sets | None = None

    @classmethod
    def of(cls, true: Indicator, pred: Indicator, weights: Array | None = None) -> Indicators:
        """Count the cells of both."""
        is_plain = true.values is None and pred.values is None
        if is_plain and weights is None:
            rows, hits, _, _ = _native.count_sets(
                true.sets.starts, true.sets.items, pred.sets.starts, pred.sets.items,
                None, None, true.k, None, 0,
            )  # fmt: skip
            # Of two C types of 64 bits NumPy prints one with its name: this is what it counts in.
            rows = rows.view(np.int64)
            tp = rows[TP]
            by_label = tp, tp + rows[FP], tp + rows[FN]
            differing = true.sets.sizes + pred.sets.sizes - 2 * hits
            return cls(true, pred, None, hits, differing, by_label)
        shared, differing = _compared(true, pred)
        sides = shared, pred.sets, true.sets
        tp, of_pred, of_true = (_by_label(side, true.k, weights) for side in sides)
        by_label = tp, of_pred, of_true
        return cls(true, pred, weights, shared.sizes, differing, by_label, shared)

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.true.sets)

    def of_labels(self, columns: npt.NDArray[np.intp] | None) -> Counts:
        """Rows right, predicted and true of each label, or of some."""
        tp, pred, true = self.by_label
        if columns is not None:
            tp, pred, true = tp[columns], pred[columns], true[columns]
        if self.weights is None:
            return tp, pred, true
        # Of no labels at all NumPy counts in whole numbers, and adds up weights in their type.
        dtype = np.result_type(np.int64, np.sum(self.weights))
        for side in (self.true.sets, self.pred.sets):
            if side.items.size if columns is None else np.isin(side.items, columns).any():
                dtype = np.dtype(np.float64)
        return tp.astype(dtype), pred.astype(dtype), true.astype(dtype)

    def by_row(self, columns: npt.NDArray[np.intp] | None) -> Counts:
        """number[n]: labels, or their weight, of each row, of all columns or of some."""
        if columns is None:
            sizes = [self.hits, self.pred.sets.sizes, self.true.sets.sizes]
        else:
            # A label that is wanted twice counts twice.
            times = np.bincount(columns % self.true.k, minlength=self.true.k)
            if self.shared is None:
                self.shared = _compared(self.true, self.pred)[0]
            sides = self.shared, self.pred.sets, self.true.sets
            sizes = [
                np.bincount(side.rows, times[side.items], self.n).astype(np.int64) for side in sides
            ]
        if self.weights is None:
            return sizes[0], sizes[1], sizes[2]
        tp, pred, true = (size * self.weights for size in sizes)
        return tp, pred, true


def _compared(true: Indicator, pred: Indicator) -> tuple[Sets, Places]:
    """The labels that both have, and in how many labels each row differs."""
    in_pred, in_true = true.sets.matched(pred.sets, true.k)
    n = len(true.sets)
    if true.values is None and pred.values is None:
        shared = true.sets.some(in_pred)
        return shared, true.sets.sizes + pred.sets.sizes - 2 * shared.sizes
    of_true, of_pred = (
        np.ones(len(side.sets.items), np.int64) if side.values is None else side.values
        for side in (true, pred)
    )
    is_hit = in_pred & (of_true != 0)
    is_hit[in_pred] &= of_pred[in_true] != 0
    differs = ~in_pred & (of_true != 0)
    differs[in_pred] = of_true[in_pred] != of_pred[in_true]
    differing = np.bincount(true.sets.rows[differs], minlength=n)
    differing += np.bincount(pred.sets.rows[~in_true & (of_pred != 0)], minlength=n)
    return true.sets.some(is_hit), differing


def _by_label(side: Sets, k: int, weights: Array | None) -> Array:
    """Rows of each label; of weights the sums in the order of the rows."""
    if weights is None:
        return np.bincount(side.items, minlength=k)
    return np.bincount(side.items, np.repeat(np.asarray(weights, np.float64), side.sizes), k)


def wanted_columns(labels: Any, k: int) -> npt.NDArray[np.intp]:
    """The columns of the labels to score; ValueError of one that is none."""
    present, wanted = np.arange(k), np.asarray(labels)
    n_wanted = wanted.shape[0]
    all_labels = np.concatenate([wanted, np.setdiff1d(present, wanted, assume_unique=True)])
    if all_labels.shape != present.shape or np.any(np.not_equal(all_labels, present)):
        if np.max(all_labels) > np.max(present):
            raise ValueError(
                "All labels must be in [0, n labels) for multilabel targets. Got "
                f"{int(np.max(all_labels))} > {k - 1}"
            )
        if np.min(all_labels) < 0:
            raise ValueError(
                "All labels must be in [0, n labels) for multilabel targets. Got "
                f"{int(np.min(all_labels))} < 0"
            )
    columns = all_labels[:n_wanted].astype(np.intp)
    if n_wanted and (columns.max() >= k or columns.min() < -k):
        raise IndexError(f"index ({columns.max()}) out of range")
    return columns
