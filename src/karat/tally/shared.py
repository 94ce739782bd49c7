"""Functions shared by tallies: errors of merges, codes on other classes, absent arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, shown
from karat.tally.classes import Classes, Label

ROWS_MOST: Final = 10**8
"""Rows that weights of frequencies are repeated to, at most."""

Numbers: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
T = TypeVar("T")
U = TypeVar("U")


def check_weighting(left: bool, right: bool) -> None:
    """Refuse to combine weighted and unweighted rows: K203."""
    if left != right:
        kinds = ["weighted" if is_weighted else "unweighted" for is_weighted in (left, right)]
        raise error("K203", left=kinds[0], right=kinds[1])


def other_kinds(left: str, left_label: Label, right: str, right_label: Label) -> KaratError:
    """K108: one side has strings, the other numbers."""
    kinds = ["strings" if isinstance(x, str) else "numbers" for x in (left_label, right_label)]
    return error(
        "K108",
        left=left,
        left_kind=kinds[0],
        left_value=left_label,
        right=right,
        right_kind=kinds[1],
        right_value=right_label,
    )


def common_labels(a: Classes, b: Classes) -> Classes:
    """Return the classes of both: those of one of them, or the union, in declared order or sorted.

    Errors:
        K108 one has strings and the other numbers; K201 declared labels differ.
    """
    if a.labels == b.labels and a.categories == b.categories:
        return a
    if a.is_declared or b.is_declared:
        check_same(a, b)
        return a
    if a.k and b.k and isinstance(a.labels[0], str) != isinstance(b.labels[0], str):
        raise other_kinds("one part of the data", a.labels[0], "another part", b.labels[0])
    return united(a, b) or Classes(tuple(sorted({*a.labels, *b.labels})))


def united(*axes: Classes) -> Classes | None:
    """Return all labels in the declared order that contains every other one; None if none does.

    Example:
        >>> low, high = Classes.of(["low"]), Classes.of(["high"])
        >>> both = united(low.in_order(["low", "mid", "high"]), high.in_order(["mid", "high"]))
        >>> both.labels, both.categories
        (('low', 'high'), ('low', 'mid', 'high'))
    """
    orders = [classes.categories for classes in axes]
    known = [order for order in orders if order is not None]
    order = widest_order(known) if len(known) == len(axes) else None
    if order is None:
        return None
    seen = {label for classes in axes for label in classes.labels}
    first = max(axes, key=lambda classes: classes.k)
    found = first if len(seen) == first.k else Classes.of([x for x in order if x in seen])
    return found.in_order(order)


def widest_order(orders: Iterable[tuple[T, ...]]) -> tuple[T, ...] | None:
    """Return the order that contains all others; None if none does, or without any.

    Example:
        >>> widest_order([("low", "high"), ("low", "mid", "high")])
        ('low', 'mid', 'high')
        >>> widest_order([("low", "high"), ("high", "low")]) is None
        True
    """
    each = set(orders)
    widest = max(each, key=len, default=None)
    for order in each:
        remaining = iter(widest or ())
        if not all(value in remaining for value in order):
            return None
    return widest


def check_same(a: Classes, b: Classes) -> None:
    if a.labels != b.labels:
        raise error("K201", left=shown(a.labels), right=shown(b.labels))


def recoding(old: Classes, new: Classes) -> npt.NDArray[np.int32]:
    """int32[k]: the index of each old class among the new ones, which contain them all."""
    place = {label: i for i, label in enumerate(new.labels)}
    return np.array([place[label] for label in old.labels], np.int32)


def if_any(change: Callable[[T], U], values: T | None) -> U | None:
    """Apply a function to an optional value."""
    return None if values is None else change(values)


def taken(values: npt.NDArray[Any] | None, at: Any) -> Any:
    """Return some of the numbers, if there are any."""
    return None if values is None else values[at]


def wrong_numbers(*arrays: npt.NDArray[Any] | np.int64 | None) -> bool:
    """Return whether one of them has a number that is negative or not finite."""
    return any(
        array is not None and not (np.isfinite(array).all() and (array >= 0).all())
        for array in arrays
    )


def after(left: Floats | None, right: Floats | None) -> Floats | None:
    """Return the numbers of both, one after the other; None unless both are there."""
    return None if left is None or right is None else np.concatenate([left, right])


def reaches(values: npt.NDArray[Any], threshold: Any) -> npt.NDArray[np.bool_]:
    """bool[...]: whether numbers reach a threshold, compared in the type of the numbers.

    A 32-bit number stays one when it is stored in 64 bits: 0.7 reaches 0.7.

    Example:
        >>> reaches(np.array([0.7], np.float32).astype(np.float64), 0.7).tolist()
        [True]
    """
    with np.errstate(over="ignore"):
        rounded = np.asarray(threshold, np.float32)
    if values.dtype == np.float32:
        return np.asarray(values >= rounded)
    return np.asarray((values >= threshold) | (values == rounded.astype(np.float64)))


def reached_levels(levels: Floats, thresholds: Floats) -> npt.NDArray[np.intp]:
    """int[t]: how many of the distinct levels, best first, reach each threshold; see `reaches`."""
    ascending = levels[::-1]
    n_below = np.searchsorted(ascending, thresholds, side="left")
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32).astype(np.float64)
    # Between a number and its rounding no other 32-bit number lies.
    before = np.maximum(n_below - 1, 0)
    is_rounded = (n_below > 0) & (ascending[before] == rounded) & (rounded < thresholds)
    return np.asarray(len(levels) - np.where(is_rounded, before, n_below))
