"""What a tally read from elsewhere may contradict: nothing read is trusted to index memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.tally.cells import Cells
from karat.tally.classes import Classes

__all__ = ["inconsistency", "wrong_classes", "wrong_squares"]

_CLOSE = 1e-9
"""Sums of the same weights in another order agree to this part."""


def inconsistency(cells: Cells) -> str | None:
    """What contradicts what in a tally, or None.

    Labels that cannot be labels, arrays that do not fit the classes or each other, numbers that
    no data could give.
    """
    return (
        wrong_classes(cells.classes)
        or _of_coordinates(cells)
        or _of_shapes(cells)
        or _of_numbers(cells)
    )


def wrong_classes(classes: Classes) -> str | None:
    """What classes that were read contradict, or None."""
    labels: tuple[Any, ...] = classes.labels
    if strange := [label for label in labels if not isinstance(label, str | int)]:
        return f"The class {strange[0]!r} is not a label"
    if len({isinstance(label, str) for label in labels}) > 1:
        return "The classes mix strings and numbers"
    if len(set(labels)) != classes.k:
        return "Some class occurs twice"
    names: tuple[Any, ...] | None = classes.names
    if names is not None and len(names) != classes.k:
        return f"There are {len(names)} class names for {classes.k} classes"
    if strange := [name for name in names or () if not isinstance(name, str)]:
        return f"The class name {strange[0]!r} is not a string"
    is_declared: Any = classes.is_declared
    if type(is_declared) is not bool:
        return "It is not said whether the classes were declared"
    positive: Any = classes.positive
    if positive is not None and not (type(positive) is int and 0 <= positive < classes.k):
        return f"The positive class {positive!r} is not one of {classes.k}"
    if (positive is None) == (classes.k == 2):
        which = "none of two classes" if positive is None else f"one of {classes.k} classes"
        return f"The positive class is {which}"
    return None


def wrong_squares(
    counts: npt.NDArray[Any], squares: npt.NDArray[Any], n_rows: npt.NDArray[Any] | int
) -> str | None:
    """What sums of squared weights contradict beside the sums of the weights, or None.

    Of at most n weights w: (Σw)² / n ≤ Σw² ≤ (Σw)².
    """
    # A square of tiny weights may be a subnormal number, which holds few digits.
    with np.errstate(over="ignore", under="ignore"):
        if (squares > counts * counts * (1 + _CLOSE) + 1e-300).any():
            return "A sum of squared weights is larger than the square of the sum"
        if (counts * counts > n_rows * (squares * (1 + _CLOSE) + 1e-300)).any():
            return "A sum of squared weights is smaller than that of so many rows"
    return None


def _of_coordinates(cells: Cells) -> str | None:
    rows, cols, k = cells.rows, cells.cols, cells.k
    if cells.storage != "sparse":
        if rows is not None or cols is not None:
            return f"A {cells.storage} tally with coordinates"
        return None
    if rows is None or cols is None or rows.ndim != 1:
        return "A sparse tally without its coordinates"
    if cols.shape != rows.shape or rows.dtype.kind != "i" or cols.dtype.kind != "i":
        return "The coordinates of the cells do not match each other"
    if rows.size and not (
        rows.min() >= 0 and rows.max() < k and cols.min() >= 0 and cols.max() < k
    ):
        return "A cell lies outside the classes"
    if rows.size and (np.diff(rows * k + cols) <= 0).any():
        return "The cells are not in order"
    return None


def _of_shapes(cells: Cells) -> str | None:
    k, batch = cells.k, cells.batch_shape
    if len(batch) < len(cells.axes) or any(
        len(axis.labels) != size for axis, size in zip(cells.axes, batch, strict=False)
    ):
        return "The axes do not fit the arrays"
    tails = {"dense": (k, k), "marginals": (3, k), "sparse": ()}
    if cells.storage not in tails:
        return f"The storage {cells.storage!r} is unknown"
    tail = (cells.rows.size,) if cells.rows is not None else tails[cells.storage]
    if cells.counts.shape != (*batch, *tail):
        return f"The cells have shape {cells.counts.shape}, the classes need {(*batch, *tail)}"
    for extra in (cells.squares, cells.occupancy):
        if extra is not None and extra.shape != cells.counts.shape:
            return "The squared weights or the occupancy do not match the cells"
    if not cells.is_weighted and (cells.squares is not None or cells.occupancy is not None):
        return "There are squared weights, and the tally is not weighted"
    return None


def _of_numbers(cells: Cells) -> str | None:
    if cells.n_rows.dtype.kind != "i":
        return "The number of rows is not a whole number"
    for numbers in (cells.counts, cells.n_rows, cells.squares, cells.occupancy):
        if numbers is not None and not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            return "A number is negative or not finite"
    if cells.occupancy is not None and ((cells.counts > 0) & (cells.occupancy == 0)).any():
        return "Some class has weight and no rows"
    if cells.squares is not None:
        n_rows = cells.n_rows.reshape(*cells.batch_shape, *(1 for _ in _tail(cells)))
        if problem := wrong_squares(cells.counts, cells.squares, n_rows):
            return problem
    total = _total(cells)
    if cells.storage == "marginals":
        wrong = cells.counts[..., 1:, :].sum(axis=-1)
        if not _agree(wrong[..., 0], wrong[..., 1], total):
            return "The classes have more false positives than false negatives, or fewer"
    # Added as floats first, since the sum of int64 could wrap around.
    if not cells.is_weighted and not (
        (cells.counts.astype(np.float64).sum(axis=_tail(cells)) < 2.0**63).all()
        and (total == cells.n_rows).all()
    ):
        return "The cells do not add up to the number of rows"
    return None


def _tail(cells: Cells) -> tuple[int, ...]:
    return tuple(range(len(cells.batch_shape), cells.counts.ndim))


def _total(cells: Cells) -> npt.NDArray[Any]:
    """All rows, or all weight, [...]: of totals, tp and fn, since each fp is another's fn."""
    counts = cells.counts
    if cells.storage == "marginals":
        counts = np.delete(counts, 1, axis=-2)
    return np.asarray(counts.sum(axis=_tail(cells)))


def _agree(left: npt.NDArray[Any], right: npt.NDArray[Any], scale: npt.NDArray[Any]) -> bool:
    if left.dtype.kind != "f":
        return bool((left == right).all())
    return bool((np.abs(left - right) <= _CLOSE * scale).all())
