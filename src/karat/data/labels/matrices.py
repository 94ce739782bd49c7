"""Confusion matrices from any container as counts and labels, and display names of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.labels.column import declared_labels, label_or_none
from karat.data.labels.containers import host_of
from karat.data.roles import ALIASES, Role, looks_like, normalized
from karat.data.weights import refuse_sums
from karat.errors import KaratError, error, short, shown
from karat.errors.options import option
from karat.tally.classes import Classes, Label


def display_names(given: Any, classes: Classes) -> tuple[str, ...] | None:
    """Return display names for the classes: text, UTF-8 bytes, integers or booleans.

    Errors:
        K117 not exactly one name for each class, two equal names, a name that is none, or a list of
        the classes themselves in another order.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        there = set(classes.labels)
        for label in given:
            if label not in there:
                found = f"{short(label)} is not a class; the classes are {shown(classes.labels)}"
                raise error("K117", found=found)
        names = [given.get(label, label) for label in classes.labels]
    else:
        names = listed_names(given)
    if len(names) != classes.k:
        known = shown(classes.labels)
        raise error("K117", found=f"{len(names)} names for {classes.k} classes: {known}")
    labels = [label_or_none(name) for name in names]
    if None in labels:
        place = labels.index(None)
        found = f"Name {place} is {short(names[place])} ({type(names[place]).__name__})"
        raise error("K117", found=found)
    texts, of_classes = (list(map(str, x)) for x in (labels, classes.labels))
    is_list = not isinstance(given, Mapping)
    if is_list and texts != of_classes and sorted(texts) == sorted(of_classes):
        found = (
            f"They are the classes in another order: {shown(names)}; the classes are "
            f"{shown(classes.labels)}"
        )
        raise error("K117", found=found)
    first: dict[str, int] = {}
    for place, label in enumerate(labels):
        other = first.setdefault(str(label), place)
        if other != place:
            found = f"Names {other} and {place} are both {short(str(label))}"
            raise error("K117", found=found)
    return tuple(first)


def listed_names(given: Any) -> list[Any]:
    """Return names in order (K117: they are not a list)."""
    is_one = isinstance(given, str | bytes | bytearray | AbstractSet)
    try:
        if not is_one and getattr(given, "ndim", 1) == 1:
            return list(given.to_pylist() if hasattr(given, "to_pylist") else given)
    except Exception:  # the class of the container may raise anything
        pass
    raise error("K117", found=f"It is {short(given)} ({type(given).__name__}), not a list of names")


_EXACT = 1 << 53
"""Largest integer up to which float64 represents all."""


def as_matrix(confusion: Any) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Return counts int64[k, k], or float64 if the matrix has weights.

    Args:
        confusion: number[k, k] in lists, an array or a frame: rows true, columns predicted.

    Errors:
        K119 not square, not numbers, negative, NaN or infinite, all zero, or counts that 64 bits
        cannot add up; K125 weights that are too large or too small.
    """
    if isinstance(confusion, np.ma.MaskedArray) and np.ma.getmaskarray(confusion).any():
        raise error("K119", found="Some of its cells are masked")
    array = _numbers(confusion)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise error("K119", found=f"It has shape {array.shape}")
    if not array.shape[0]:
        raise error("K119", found="It has no classes")
    if array.dtype.kind not in "biuf":
        raise error("K119", found=f"Its dtype is {array.dtype}, not a number")
    _check_values(array)
    if array.dtype.kind != "f":
        # Added as Python integers, since the sum of int64 could wrap around.
        if sum(map(int, array.ravel())) > np.iinfo(np.int64).max:
            raise error("K119", found="Its counts add up to more than 64 bits can hold")
        return array.astype(np.int64)
    with np.errstate(over="ignore"):
        weights = array.astype(np.float64)
        total = float(weights.sum())
    if total <= _EXACT and bool((weights == np.floor(weights)).all()):
        return weights.astype(np.int64)
    refuse_sums(weights, "confusion=")
    return weights


def labels_of_matrix(confusion: Any) -> list[Any] | None:
    """Return the labels of a frame with a matrix, of rows or columns (K119: they differ)."""
    axes = _axes(confusion)
    if not axes:
        return None
    rows, columns = axes[0], axes[-1]
    if rows is columns:
        return rows
    if rows == columns:
        return None if rows == list(range(len(rows))) else rows
    # A frame made without labels counts its rows and columns; the same numbers in another order
    # are labels.
    default, counted = list(range(len(rows))), sorted(map(repr, range(len(rows))))
    if columns == default and sorted(map(repr, rows)) != counted:
        return rows
    if rows == default and sorted(map(repr, columns)) != counted:
        return columns
    found = f"Its rows are labeled {shown(rows)}, its columns {shown(columns)}"
    raise error("K119", found=found)


def check_order(confusion: Any, names: Sequence[Label]) -> None:
    """Refuse labels= in another order than that of the labels of a matrix (K149)."""
    for axis in _axes(confusion):
        try:
            stored = declared_labels(axis)
        except KaratError:
            continue
        is_counted = stored == tuple(range(len(stored)))
        if not is_counted and stored != tuple(names) and set(stored) == set(names):
            raise error("K149", stored=shown(stored), labels=shown(names))


def check_margins(matrix: npt.NDArray[Any]) -> None:
    """Refuse a matrix whose last row and column, and their cell, are sums of the others (K424)."""
    k = len(matrix)
    inner = matrix[:-1, :-1]
    if k < _WITH_MARGINS or not inner.any():
        return
    # Sums of weights are rounded.
    sums = inner.sum(axis=1), inner.sum(axis=0), inner.sum()
    margins = matrix[:-1, -1], matrix[-1, :-1], matrix[-1, -1]
    if all(np.allclose(*pair, rtol=1e-9, atol=0.0) for pair in zip(margins, sums, strict=True)):
        raise error(
            "K424",
            what="The last row and column",
            are="are",
            sums="the sums of the others",
            found=f"It has {k} rows and {k} columns; pandas.crosstab(margins=True) adds such "
            "totals",
            do="Leave them out: confusion[:-1, :-1], of a frame confusion.iloc[:-1, :-1]. If the "
            f"last class is a class, list every class with {option('labels')}.",
        )


_WITH_MARGINS: Final = 3


def check_counts(matrix: npt.NDArray[Any]) -> None:
    """Refuse a matrix of proportions: rows or columns add up to 1 or to 100 (K424).

    Where the whole does, values are right, and a remark says why there are no intervals.
    Sums that differ from it by less than the rounding of its numbers do, too.
    """
    if matrix.dtype.kind != "f" or len(matrix) < _LEAST_CLASSES:
        return
    for total in (1.0, 100.0):
        units = (total * 10.0**-places for places in (2, 3, 4))
        unit = next((x for x in units if np.allclose(matrix / x, np.rint(matrix / x))), 0.0)
        for axis, what in ((1, "Each row"), (0, "Each column")):
            sums = np.atleast_1d(matrix.sum(axis=axis))
            sums = sums[sums > 0.0]
            n = matrix.size / len(sums)
            if (np.abs(sums - total) <= max(n * unit / 2.0, 1e-6 * total)).all():
                raise error(
                    "K424",
                    what=what,
                    are="adds up",
                    sums=f"to {total:g}",
                    found=f"It holds proportions, as {_AS_PROPORTIONS[axis]} gives, "
                    "which do not show how many rows there are",
                    do="Give the counts. If they are sums of weights, multiply them by the number "
                    "of rows.",
                )


_LEAST_CLASSES: Final = 2
_AS_PROPORTIONS: Final = {
    1: "confusion / confusion.sum(1, keepdims=True)",
    0: "confusion / confusion.sum(0)",
}


def is_transposed(confusion: Any) -> bool:
    """Return whether the axes of a frame are named as predictions (rows) and truth (columns)."""
    table = _table_of(confusion)
    if host_of(table) != "pandas" or getattr(table, "ndim", 0) != _AXES:
        return False
    rows, columns = (_role_of(axis.name) for axis in (table.index, table.columns))
    return (rows == "pred" and columns != "pred") or (columns == "true" and rows != "true")


_AXES: Final = 2


def _role_of(name: Any) -> str | None:
    """Return whether the name of an axis means truth or predictions."""
    if not isinstance(name, str):
        return None
    known = normalized(name)
    sides: tuple[Role, ...] = ("true", "pred")
    return next((side for side in sides if known in ALIASES[side]), None) or looks_like(name)


def _axes(confusion: Any) -> list[list[Any]]:
    """Return the labels of rows and columns of a frame; none for other objects."""
    table = _table_of(confusion)
    host = host_of(table)
    if host == "pandas" and getattr(table, "ndim", 0) == 2:
        return [list(table.index), list(table.columns)]
    if host == "polars" and hasattr(table, "columns"):
        return [list(table.columns)]
    if host == "pyarrow" and hasattr(table, "column_names"):
        return [list(table.column_names)]
    return []


def _numbers(confusion: Any) -> npt.NDArray[Any]:
    if isinstance(confusion, list | tuple):
        return _from_rows(confusion)
    try:
        table = _table_of(confusion)
        array = np.asarray(table.to_numpy() if host_of(table) == "polars" else table)
        # Tables whose numbers may be null become objects.
        return _from_rows(array.tolist()) if array.dtype == np.object_ and array.ndim else array
    except (KaratError, MemoryError):
        raise
    except Exception as problem:  # the class of the container may raise anything
        found = f"A {type(confusion).__name__} does not become an array: {problem}"
        raise error("K119", found=found) from problem


def _table_of(confusion: Any) -> Any:
    """Return a frame of its own library, with its rows read."""
    if host_of(confusion) == "narwhals":
        confusion = confusion.to_native()
    is_lazy = host_of(confusion) == "polars" and hasattr(confusion, "collect")
    return confusion.collect() if is_lazy else confusion


def _from_rows(rows: Sequence[Any]) -> npt.NDArray[Any]:
    lengths = {len(row) if isinstance(row, list | tuple) else -1 for row in rows}
    if len(lengths) > 1:
        raise error("K119", found=f"A {type(rows).__name__} whose rows differ in length")
    # NumPy would recurse into nested lists without end.
    for i, row in enumerate(rows):
        for j, cell in enumerate(row if isinstance(row, list | tuple) else ()):
            if isinstance(cell, list | tuple):
                raise error("K119", found=f"Row {i}, column {j} holds {short(cell)}")
    try:
        try:
            array = np.asarray(rows)
        except OverflowError:
            array = np.asarray(rows, object)
    except Exception as problem:  # the classes of rows and cells may raise anything
        found = f"A {type(rows).__name__} does not become an array: {short(problem, 200)}"
        raise error("K119", found=found) from problem
    # Integers beyond 64 bits: NumPy converts them to objects, or rounds every cell.
    is_large = array.dtype == np.object_
    is_large = is_large or (array.dtype.kind == "f" and bool((np.abs(array) >= 2.0**63).any()))
    if is_large and array.ndim == 2 and all(type(cell) is int for row in rows for cell in row):
        raise error("K119", found="Its counts add up to more than 64 bits can hold")
    return array


def _check_values(array: npt.NDArray[Any]) -> None:
    for kind, is_bad in (("NaN or infinite", ~np.isfinite(array)), ("negative", array < 0)):
        if is_bad.any():
            row, column = (int(place) for place in np.argwhere(is_bad)[0])
            found = (
                f"Row {row}, column {column} holds {array[row, column].item()!r}; "
                f"{int(np.count_nonzero(is_bad))} of {array.size} cells are {kind}"
            )
            raise error("K119", found=found)
    if not array.any():
        raise error("K119", found="All its cells are 0")
