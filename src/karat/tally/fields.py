"""What a formula may read of a `Cells` tally: one-vs-rest counts, and the cells themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Fields", "summed_by", "true_negatives"]

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Fields:
    """One-vs-rest counts of each class, as float64 with any leading axes.

    Attributes:
        tp, fp, fn, tn: float64[..., k]; rows, or sums of weights.
        n: float64[...]: all rows, or all weight.
        k: number of classes.
        positive: index of the positive class of two, else None.
        rows, cols: int[m]: true and predicted class of the listed cells.
        cells: float64[..., m]: their values; every cell that is not listed is 0.
        is_complete: whether the list holds all k·k cells.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    n: Floats
    k: int
    positive: int | None
    rows: Index
    cols: Index
    cells: Floats | None = None
    is_complete: bool = False

    @classmethod
    def of_matrix(cls, matrix: npt.ArrayLike, positive: int | None = None) -> Fields:
        """Fields of a confusion matrix number[..., k, k], rows true, columns predicted."""
        cells = np.asarray(matrix)
        exact = cells if cells.dtype.kind in "iu" else cells.astype(np.float64)
        k = exact.shape[-1]
        tp = np.diagonal(exact, axis1=-2, axis2=-1)
        n = exact.sum(axis=(-2, -1))
        elsewhere = None
        if exact.dtype.kind in "iu":
            fp, fn = exact.sum(axis=-2) - tp, exact.sum(axis=-1) - tp
        else:
            # Added and never subtracted: what is left of sums of weights may be rounding dust.
            off = exact - tp[..., None] * np.eye(k, dtype=exact.dtype)
            fp, fn = off.sum(axis=-2), off.sum(axis=-1)
            elsewhere = _elsewhere(exact)
        rows, cols = np.divmod(np.arange(k * k), k)
        return cls(
            tp=_as_floats(tp),
            fp=_as_floats(fp),
            fn=_as_floats(fn),
            tn=_as_floats(true_negatives(tp, fp, fn, n, elsewhere)),
            n=_as_floats(n),
            k=k,
            positive=positive,
            rows=rows,
            cols=cols,
            cells=_as_floats(exact.reshape((*exact.shape[:-2], k * k))),
            is_complete=True,
        )


def _elsewhere(cells: Floats) -> npt.NDArray[np.int64]:
    """int64[..., k]: how many cells lie outside the row and the column of each class."""
    occupied = (cells > 0).astype(np.int64)
    return np.asarray(
        occupied.sum(axis=(-2, -1))[..., None]
        - occupied.sum(axis=-1)
        - occupied.sum(axis=-2)
        + np.diagonal(occupied, axis1=-2, axis2=-1)
    )


def _as_floats(values: npt.NDArray[Any]) -> Floats:
    return np.asarray(values, np.float64)


def summed_by(
    index: npt.NDArray[np.integer[Any]], values: npt.NDArray[Any], k: int
) -> npt.NDArray[Any]:
    """Sum values [..., m] into [..., k] by the class of each: index int[m]."""
    out = np.zeros((*values.shape[:-1], k), values.dtype)
    np.add.at(out, (..., index), values)  # type: ignore[arg-type]  # an ellipsis is an index too
    return out


def true_negatives(
    tp: npt.NDArray[Any],
    fp: npt.NDArray[Any],
    fn: npt.NDArray[Any],
    n: npt.NDArray[Any],
    elsewhere: npt.NDArray[np.int64] | None,
) -> npt.NDArray[Any]:
    """Rows that are neither truly nor predictedly of the class.

    Args:
        tp, fp, fn: int64[..., k] or float64[..., k].
        n: total, [...].
        elsewhere: int64[..., k], how many cells or rows lie outside the row and the column of
            each class; None for exact integers.

    Returns:
        [..., k].  Exact for integers.  For weights the subtraction may leave rounding dust where
        nothing lies, which would turn 0/0 into a number: `elsewhere` makes that zero exact.
    """
    if elsewhere is None or tp.dtype.kind in "iu":
        return np.asarray(n[..., None] - (tp + fp + fn))
    other_hits = _of_others(tp)
    # Of two classes the other one's hits are all there is; of more, what the others hold less fp.
    # Subtracting from the whole total would lose it beside one heavy class.
    rest = other_hits
    if tp.shape[-1] != 2:
        rest = np.maximum(_of_others(tp + fn) - fp, other_hits)
    return np.where(elsewhere > 0, rest, 0.0)


def _of_others(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sum over the other classes, [..., k], added and never subtracted."""
    return np.asarray(_exclusive(x) + _exclusive(x[..., ::-1])[..., ::-1])


def _exclusive(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    sums = np.zeros_like(x)
    np.cumsum(x[..., :-1], axis=-1, out=sums[..., 1:])
    return sums
