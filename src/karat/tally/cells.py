"""`Cells`: counts, or sums of weights and squared weights, by true × predicted class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.tally.cached import cached_property
from karat.tally.classes import Classes
from karat.tally.shared import Floats, Numbers, if_any

if TYPE_CHECKING:
    from karat._native import Tally

Index = npt.NDArray[np.intp]


RowCounts: TypeAlias = npt.NDArray[np.int64] | np.int64
"""int64[...]; of one table a scalar."""


@dataclass(frozen=True, slots=True)
class Fields:
    """One-vs-rest counts of each class, as float64 with any leading axes.

    Attributes:
        tp, fp, fn, tn: float64[..., k]; counts, or sums of weights.
        n: float64[...]: total count, or total weight.
        k: number of classes.
        positive: index of the positive class of two, else None.
        rows, cols: int[m]: true and predicted class of the listed cells.
        cells: float64[..., m]: their values; unlisted cells are 0.
        is_complete: whether the list contains all k·k cells.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    n: Floats | np.float64
    k: int
    positive: int | None
    rows: Index
    cols: Index
    cells: Floats | None = None
    is_complete: bool = False

    @classmethod
    def of_matrix(cls, matrix: npt.ArrayLike, positive: int | None = None) -> Fields:
        """Return the fields of a confusion matrix number[..., k, k], true × predicted."""
        cells = np.asarray(matrix)
        exact = cells if cells.dtype.kind in "iu" else cells.astype(np.float64)
        k = exact.shape[-1]
        tp = np.diagonal(exact, axis1=-2, axis2=-1)
        n = exact.sum(axis=(-2, -1))
        elsewhere = None
        if exact.dtype.kind in "iu":
            fp, fn = exact.sum(axis=-2) - tp, exact.sum(axis=-1) - tp
        else:
            # Added without subtraction, which could leave rounding residues of weights.
            off = exact - tp[..., None] * np.eye(k, dtype=exact.dtype)
            fp, fn = off.sum(axis=-2), off.sum(axis=-1)
            elsewhere = _elsewhere(exact)
        rows, cols = np.divmod(np.arange(k * k), k)
        listed = exact.reshape((*exact.shape[:-2], k * k))
        found = cls._of_counts(tp, fp, fn, n, elsewhere, positive, rows, cols, listed)
        return replace(found, is_complete=True)

    @classmethod
    def _of_counts(
        cls,
        tp: Numbers,
        fp: Numbers,
        fn: Numbers,
        n: Numbers,
        elsewhere: npt.NDArray[np.int64] | None,
        positive: int | None,
        rows: Index,
        cols: Index,
        cells: Numbers | None,
    ) -> Fields:
        tn = true_negatives(tp, fp, fn, n, elsewhere)
        tp, fp, fn, tn, n = (np.asarray(part, np.float64) for part in (tp, fp, fn, tn, n))
        k, listed = tp.shape[-1], _floats(cells)
        return cls(tp, fp, fn, tn, n, k, positive, rows, cols, listed)


def _elsewhere(cells: Floats) -> npt.NDArray[np.int64]:
    """int64[..., k]: number of cells outside the row and the column of each class."""
    occupied = (cells > 0).astype(np.int64)
    return np.asarray(
        occupied.sum(axis=(-2, -1))[..., None]
        - occupied.sum(axis=-1)
        - occupied.sum(axis=-2)
        + np.diagonal(occupied, axis1=-2, axis2=-1)
    )


def summed_by(
    index: npt.NDArray[np.integer[Any]], values: npt.NDArray[Any], k: int
) -> npt.NDArray[Any]:
    """Sum values int64[..., m] or float64[..., m] into [..., k] by the class of each: int[m]."""
    from karat._native import add_by_class

    *batch, m = values.shape
    tables = np.ascontiguousarray(values.reshape(math.prod(batch), m))
    found = add_by_class(tables, np.ascontiguousarray(index, np.int64), k)
    return found.reshape(*batch, k)


def true_negatives(
    tp: npt.NDArray[Any],
    fp: npt.NDArray[Any],
    fn: npt.NDArray[Any],
    n: npt.NDArray[Any],
    elsewhere: npt.NDArray[np.int64] | None,
) -> npt.NDArray[Any]:
    """Return the number of rows neither of the class nor predicted as it.

    Args:
        tp, fp, fn: int64[..., k] or float64[..., k].
        n: total, [...].
        elsewhere: int64[..., k], number of cells or rows outside the row and the column of each
            class; None for exact integers.

    Returns:
        [..., k].  Exact for integers. For weights, the subtraction may leave a rounding residue in
        place of 0, which would turn 0/0 into a number: `elsewhere` makes that zero exact.
    """
    if elsewhere is None or tp.dtype.kind in "iu":
        seen = tp + fp
        seen += fn
        return np.asarray(n[..., None] - seen)
    other_hits = _of_others(tp)
    # With two classes, the hits of the other; with more, the weight of the others minus fp.
    # Subtracting from the total would lose it next to one heavy class.
    rest = other_hits
    if tp.shape[-1] != 2:
        rest = np.maximum(_of_others(tp + fn) - fp, other_hits)
    return np.where(elsewhere > 0, rest, 0.0)


def _of_others(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sum over the other classes, [..., k], added without subtraction."""
    if x.shape[-1] == 2:
        return x[..., ::-1]
    return np.asarray(_exclusive(x) + _exclusive(x[..., ::-1])[..., ::-1])


def _exclusive(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    sums = np.zeros_like(x)
    np.cumsum(x[..., :-1], axis=-1, out=sums[..., 1:])
    return sums


Storage = Literal["dense", "sparse", "marginals"]

DENSE_BYTES_LIMIT = 1 << 31
"""Number of cells above which a dense view of a sparse tally is an error."""
_EMPTY_DENSE_K_MAX = 2048


@dataclass(frozen=True, slots=True)
class Axis:
    """A leading axis of a tally.

    Attributes:
        name: name of the enumerated quantity, for example ``"fold"``.
        labels: one label for each position.
    """

    name: str
    labels: tuple[str | int | bool, ...]


@dataclass(frozen=True, eq=False)
class Cells:
    """Tally of labels: immutable; made by the constructors below, combined by `merge`.

    Attributes:
        classes: the class axis, k classes.
        storage: ``"dense"``, ``"sparse"`` or ``"marginals"``.
        counts: int64 counts or float64 Σw: [..., k, k] dense, [..., m] sparse,
            [..., 3, k] marginals (tp, fp, fn).
        squares: float64 Σw² in the same shape; None if unweighted or unknown.
        n_rows: int64[...]: number of rows, including those of weight 0.
        rows, cols: int64[m], the sparse cells in row-major order, else None.
        occupancy: int64[..., 3, k], numbers of rows of weighted marginals, else None.
        axes: the leading axes.
        has_predictions: False where nothing says which class is predicted: every row is counted
            as its true class, for metrics that read the truth alone.
    """

    classes: Classes
    storage: Storage
    counts: Numbers
    n_rows: RowCounts
    squares: npt.NDArray[np.float64] | None = None
    rows: npt.NDArray[np.int64] | None = None
    cols: npt.NDArray[np.int64] | None = None
    occupancy: npt.NDArray[np.int64] | None = None
    axes: tuple[Axis, ...] = ()
    has_predictions: bool = True

    @classmethod
    def dense(
        cls,
        counts: npt.ArrayLike,
        *,
        classes: Classes,
        squares: npt.ArrayLike | None = None,
        n_rows: npt.ArrayLike | None = None,
        axes: tuple[Axis, ...] = (),
        has_predictions: bool = True,
    ) -> Cells:
        """Make it from all cells: counts int64[..., k, k], or float64 Σw with Σw² in `squares`."""
        cells = _numbers(counts)
        rows_read = np.asarray(cells.sum(axis=(-2, -1)) if n_rows is None else n_rows, np.int64)
        facts: dict[str, Any] = {"axes": axes, "has_predictions": has_predictions}
        return cls(classes, "dense", cells, rows_read, _floats(squares), **facts)

    @classmethod
    def sparse(
        cls,
        rows: npt.ArrayLike,
        cols: npt.ArrayLike,
        counts: npt.ArrayLike,
        *,
        classes: Classes,
        squares: npt.ArrayLike | None = None,
        n_rows: npt.ArrayLike | None = None,
        axes: tuple[Axis, ...] = (),
        has_predictions: bool = True,
    ) -> Cells:
        """Make it from occupied cells: rows, cols int64[m] in row-major order without repeats."""
        cells = _numbers(counts)
        rows_read = np.asarray(cells.sum(axis=-1) if n_rows is None else n_rows, np.int64)
        places = np.asarray(rows, np.int64), np.asarray(cols, np.int64)
        facts: dict[str, Any] = {"axes": axes, "has_predictions": has_predictions}
        return cls(classes, "sparse", cells, rows_read, _floats(squares), *places, **facts)

    @classmethod
    def marginals(
        cls,
        tp: npt.ArrayLike,
        fp: npt.ArrayLike,
        fn: npt.ArrayLike,
        *,
        classes: Classes,
        squares: Sequence[npt.ArrayLike] | None = None,
        occupancy: Sequence[npt.ArrayLike] | None = None,
        n_rows: npt.ArrayLike | None = None,
        axes: tuple[Axis, ...] = (),
    ) -> Cells:
        """Make it from class totals only: tp, fp, fn number[..., k]."""

        def stacked(parts: Sequence[npt.ArrayLike]) -> Numbers:
            return np.stack([np.asarray(part) for part in parts], axis=-2)

        totals = _numbers(stacked((tp, fp, fn)))
        if n_rows is None:
            n_rows = totals[..., 0, :].sum(axis=-1) + totals[..., 2, :].sum(axis=-1)
        rows_read, added = np.asarray(n_rows, np.int64), if_any(stacked, squares)
        behind = if_any(lambda parts: stacked(parts).astype(np.int64, copy=False), occupancy)
        return cls(classes, "marginals", totals, rows_read, added, occupancy=behind, axes=axes)

    @classmethod
    def of_totals(cls, totals: Floats, tn: Floats, n: int, *, classes: Classes) -> Cells:
        """Make tables of n rows each from whole numbers as formulas read them, without a copy.

        Args:
            totals: float64[3, r, k], tp, fp and fn.
            tn: float64[r, k].
        """
        n_rows, none = np.full(len(tn), n, np.int64), np.empty(0, np.intp)
        found = cls(classes, "marginals", np.moveaxis(totals, 0, -2), n_rows)
        tp, fp, fn = totals
        fields = Fields(
            tp, fp, fn, tn, n_rows.astype(np.float64), classes.k, classes.positive, none, none
        )
        vars(found)["fields"] = fields  # of the cached property
        return found

    @classmethod
    def empty(cls, classes: Classes, *, is_weighted: bool = False) -> Cells:
        """Return the tally of no rows: the identity of `merge`."""
        dtype = np.float64 if is_weighted else np.int64
        if classes.k > _EMPTY_DENSE_K_MAX:
            none = np.zeros(0, dtype)
            squares = none if is_weighted else None
            return cls.sparse(none, none, none, classes=classes, squares=squares, n_rows=0)
        zeros = np.zeros((classes.k, classes.k), dtype)
        return cls.dense(zeros, classes=classes, squares=zeros if is_weighted else None, n_rows=0)

    @classmethod
    def from_native(cls, tally: Tally, classes: Classes | None = None) -> Cells:
        """Make it from a tally counted by the native kernels."""
        if classes is None:
            found = tally.labels
            if found is None:
                raise ValueError("a tally of codes needs its classes")
            classes = Classes.of(found.tolist())
        if tally.has_cells:
            squares = tally.squares() if tally.weighted else None
            return cls.dense(tally.cells(), classes=classes, squares=squares, n_rows=tally.n_rows)
        return cls.marginals(
            *tally.marginals(),
            classes=classes,
            squares=tally.marginal_squares() if tally.weighted else None,
            occupancy=tally.marginal_rows() if tally.weighted else None,
            n_rows=tally.n_rows,
        )

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.classes.k

    @property
    def is_weighted(self) -> bool:
        """True if the cells are sums of weights."""
        return bool(self.counts.dtype.kind == "f")

    @property
    def has_matrix(self) -> bool:
        """True if it says which true classes are predicted as which."""
        return self.has_predictions and self.storage != "marginals"

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the leading axes."""
        return self.n_rows.shape

    @cached_property
    def fields(self) -> Fields:
        """Inputs of formulas: float64 one-vs-rest counts and the listed cells."""
        if self.storage == "dense":
            return Fields.of_matrix(self.counts, self.classes.positive)
        if self.storage == "sparse":
            return self._sparse_fields()
        tp, fp, fn = (self.counts[..., i, :] for i in range(3))
        n = np.asarray(tp.sum(axis=-1) + fn.sum(axis=-1))
        elsewhere = None
        if self.occupancy is not None:
            hits, false_alarms, misses = (self.occupancy[..., i, :] for i in range(3))
            seen = hits.sum(axis=-1) + misses.sum(axis=-1)
            elsewhere = seen[..., None] - hits - false_alarms - misses
        none = np.empty(0, np.intp)
        positive = self.classes.positive
        return Fields._of_counts(tp, fp, fn, n, elsewhere, positive, none, none, None)

    def _sparse_fields(self) -> Fields:
        rows, cols = self.coordinates()
        is_hit = rows == cols
        weights, k = self.counts, self.k
        tp = summed_by(rows[is_hit], weights[..., is_hit], k)
        if self.is_weighted:
            missed, occupied = weights[..., ~is_hit], (weights > 0).astype(np.int64)
            fp, fn = summed_by(cols[~is_hit], missed, k), summed_by(rows[~is_hit], missed, k)
            others = occupied[..., ~is_hit]
            touched = summed_by(rows, occupied, k) + summed_by(cols[~is_hit], others, k)
            elsewhere = occupied.sum(axis=-1)[..., None] - touched
        else:
            # Integers may be subtracted; weights would leave rounding residues.
            fp, fn = summed_by(cols, weights, k) - tp, summed_by(rows, weights, k) - tp
            elsewhere = None
        return Fields._of_counts(
            *(tp, fp, fn),
            np.asarray(weights.sum(axis=-1)),
            elsewhere,
            self.classes.positive,
            rows.astype(np.intp),
            cols.astype(np.intp),
            weights,
        )

    def coordinates(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return true and predicted class index, int64[m], of the stored cells."""
        if self.storage == "marginals":
            raise error("K204", name="The list of cells")
        if self.rows is not None and self.cols is not None:
            return self.rows, self.cols
        rows, cols = np.divmod(np.arange(self.k * self.k), self.k)
        return rows, cols

    def flat(self, values: Numbers | None = None) -> Numbers:
        """Return the stored cells as number[..., m], in the order of `coordinates`."""
        stored = self.counts if values is None else values
        return stored.reshape((*self.batch_shape, -1)) if self.storage == "dense" else stored

    def occupied(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Numbers]:
        """Return nonempty cells: true index int64[m], predicted index int64[m], values [..., m]."""
        rows, cols = self.coordinates()
        cells = self.flat()
        keep = (cells != 0).any(axis=tuple(range(cells.ndim - 1)))
        return rows[keep], cols[keep], cells[..., keep]

    def matrix(self) -> Numbers:
        """Return the confusion matrix, int64[..., k, k] or float64: rows true, columns predicted.

        Errors:
            K204 the tally has class totals only. K207 it would need more than 2 GiB.
        """
        if self.storage == "dense":
            return self.counts
        return self.densified(self.flat())

    def densified(self, values: Numbers) -> Numbers:
        """Return number[..., k, k] from one value for each stored cell."""
        rows, cols = self.coordinates()
        size = 8 * self.k * self.k * max(1, int(np.prod(self.batch_shape)))
        if size > DENSE_BYTES_LIMIT:
            raise error("K207", k=self.k, bytes=size)
        out = np.zeros((*values.shape[:-1], self.k, self.k), values.dtype)
        out[..., rows, cols] = values
        return out

    @property
    def class_squares(self) -> npt.NDArray[np.float64] | None:
        """float64[k], Σw² of the rows of each true class; None if unweighted or unknown."""
        if self.squares is None:
            return None
        if self.storage == "marginals":
            return np.asarray(self.squares[0] + self.squares[2])
        true, _ = self.coordinates()
        return np.bincount(true, self.flat(self.squares), self.k).astype(np.float64)

    def without_predictions(self) -> Cells:
        """Return the same rows by true class alone."""
        if not self.has_predictions:
            return self
        places = np.arange(self.k)

        def summed(values: Numbers) -> Numbers:
            if self.storage == "marginals":
                return np.asarray(values[..., 0, :] + values[..., 2, :])
            return summed_by(self.coordinates()[0], self.flat(values), self.k)

        return replace(
            self,
            storage="sparse",
            counts=summed(self.counts),
            squares=if_any(summed, self.squares),
            rows=places,
            cols=places,
            occupancy=None,
            has_predictions=False,
        )

    def with_classes(self, classes: Classes) -> Cells:
        """Return the same numbers with another description of the same k classes."""
        return replace(self, classes=classes)


def _numbers(values: npt.ArrayLike) -> Numbers:
    array = np.asarray(values)
    dtype = np.dtype(np.int64 if array.dtype.kind in "biu" else np.float64)
    # NumPy calls one of two 64-bit C types int64: the numbers are viewed as that type.
    return array.view(dtype) if array.dtype == dtype else array.astype(dtype)


def _floats(values: npt.ArrayLike | None) -> npt.NDArray[np.float64] | None:
    return None if values is None else np.asarray(values, np.float64)
