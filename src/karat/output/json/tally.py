"""The classes and the tally of a report: its matrix, its totals or its listed cells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.output.json.codec import (
    AMOUNTS,
    COUNTS,
    FLAG,
    LABEL,
    TEXTS,
    Kind,
    Part,
    Scope,
    each,
    itself,
    listed,
    or_null,
    record,
    refused,
)
from karat.tally import Cells, Classes, inconsistency

__all__ = ["CLASSES", "CONFUSION", "TALLY", "cell_columns", "listed_cells"]

_DENSE_K_MAX: Final = 1024
"""Larger matrices are written as their occupied cells."""
_DENSE_RATIO: Final = 100
"""A dense matrix that is read from listed cells may take so many times the bytes of its text."""


def _place_of_label(part: Part, s: Scope) -> int | None:
    if part.value is None:
        return None
    for i, label in enumerate(s.labels):
        if type(label) is type(part.value) and label == part.value:
            return i
    raise part.is_not("one of classes.labels")


CLASSES: Final = record(
    lambda s: Classes(tuple(s.labels), s.positive, s.names, s.is_declared),
    labels=each(LABEL).of(lambda classes: list(classes.labels)),
    names=or_null(TEXTS),
    positive=Kind(_place_of_label).of(
        lambda classes: None if classes.positive is None else classes.labels[classes.positive]
    ),
    is_declared=FLAG,
)


def cell_columns(part: Part, widths: tuple[int, ...], *, is_weighted: bool) -> list[Any]:
    """Read cells [true, predicted, total] or [true, predicted, total, square], by column.

    Args:
        part: a list of them.
        widths: how many numbers a cell may have, ascending; all have the same.
        is_weighted: whether totals are sums of weights.

    Errors:
        K205 they are no such cells.
    """
    for cell in part.items():
        if not isinstance(cell.value, list):
            raise cell.is_not("a list")
    sizes = set(map(len, part.value)) or {widths[0]}
    if len(sizes) > 1 or not sizes <= set(widths):
        raise refused(f"{part.path} are not all [true, predicted, total], or with squares")
    parts = [Part([cell[i] for cell in part.value], part.path) for i in range(sizes.pop())]
    columns = [
        one.counts() if i < 3 - is_weighted else one.amounts() for i, one in enumerate(parts)
    ]
    if any(column.ndim != 1 for column in columns):
        raise part.is_not("cells of numbers only")
    return columns


def listed_cells(*columns: npt.NDArray[Any] | None, keeps_empty: bool = False) -> list[list[float]]:
    """Write cells by their columns, true, predicted and total; one that is None is left out."""
    held = [column for column in columns if column is not None]
    place = slice(None) if keeps_empty else np.flatnonzero(held[2])
    return [list(cell) for cell in zip(*(one[place].tolist() for one in held), strict=True)]


def _finite_squares(cells: Cells) -> npt.NDArray[Any] | None:
    """Squares of weights, unless no double holds one."""
    squares = cells.squares
    return squares if squares is not None and np.isfinite(squares).all() else None


def _of_totals(s: Scope) -> Cells:
    if any(array.shape != (s.classes.k,) for array in s.totals):
        raise refused(f"tally.totals are not one number for each of {s.classes.k} classes")
    if s.confusion.value is not None:
        raise s.confusion.is_not("null, as the tally kept only totals")
    n_rows, totals = np.asarray(s.n_rows), np.stack(s.totals)
    return Cells(s.classes, "marginals", totals, n_rows, s.squares, occupancy=s.occupancy)


def _of_cells(s: Scope) -> Cells:
    rows, cols, total, *rest = s.cells
    squares = rest[0] if rest else None
    found = Cells.sparse(rows, cols, total, classes=s.classes, squares=squares, n_rows=s.n_rows)
    # A text of few cells does not justify so much memory; the numbers are the same.
    if s.storage == "dense" and 8 * s.classes.k**2 <= _DENSE_RATIO * s.n_text:
        _check(found)
        square = None if found.squares is None else found.densified(found.squares)
        found = Cells.dense(found.matrix(), classes=s.classes, squares=square, n_rows=found.n_rows)
    if s.confusion.value is not None:
        matrix = s.confusion.amounts()
        _check(found)
        if matrix.shape != (found.k, found.k) or (matrix != found.matrix()).any():
            raise refused("confusion and tally.cells differ")
    return found


def _written_cells(cells: Cells) -> list[list[float]]:
    squares = _finite_squares(cells)
    last = None if squares is None else cells.flat(squares)
    # A sparse tally lists every cell it has: the order of additions stays.
    is_sparse = cells.storage == "sparse"
    return listed_cells(*cells.coordinates(), cells.flat(), last, keeps_empty=is_sparse)


_NUMBERS: Final = Kind(lambda part, s: part.amounts() if s.is_weighted else part.counts(), listed)
_SQUARES: Final = or_null(AMOUNTS).of(_finite_squares)
_FORMS: Final = {
    "marginals": record(
        _of_totals,
        totals=record(
            lambda s: (s.tp, s.fp, s.fn),
            tp=_NUMBERS.of(lambda cells: cells.counts[0]),
            fp=_NUMBERS.of(lambda cells: cells.counts[1]),
            fn=_NUMBERS.of(lambda cells: cells.counts[2]),
        ).of(itself),
        squares=_SQUARES,
        occupancy=or_null(COUNTS),
    ),
    "sparse": record(
        _of_cells,
        cells=Kind(
            lambda part, s: cell_columns(
                part, (3, 4) if s.is_weighted else (3,), is_weighted=s.is_weighted
            ),
            lambda cells, _: _written_cells(cells),
        ).of(itself),
    ),
    "dense": record(
        lambda s: Cells.dense(
            _NUMBERS.read(s.confusion, s), classes=s.classes, squares=s.squares, n_rows=s.n_rows
        ),
        squares=_SQUARES,
    ),
}
"""A tally by what is written of it; the matrix of a dense one stands beside it."""


def _check(cells: Cells) -> None:
    problem = inconsistency(cells) or (None if cells.classes.k else "It has no classes")
    if problem:
        raise refused(problem)


def _read_tally(part: Part, s: Scope) -> Cells:
    is_weighted, parts = FLAG.read(part["is_weighted"], s), part.fields()
    if "totals" in parts and "cells" in parts:
        raise refused("tally has both cells and totals")
    form = "marginals" if "totals" in parts else "sparse" if "cells" in parts else "dense"
    storage = part.value.get("storage", form)
    # A dense tally of many classes is written as its cells.
    if storage != form and (form, storage) != ("sparse", "dense"):
        raise parts["storage"].is_not(f"{form}, as the tally is")
    inner = SimpleNamespace(**vars(s), is_weighted=is_weighted, storage=storage)
    found: Cells = _FORMS[form].read(part, inner)
    _check(found)
    return found


def _write_tally(cells: Cells, s: Scope) -> dict[str, Any]:
    is_listed = cells.storage == "dense" and cells.k > _DENSE_K_MAX
    facts = {"is_weighted": cells.is_weighted, "storage": cells.storage}
    form = _FORMS["sparse" if is_listed else cells.storage]
    return facts | form.write(cells, s)  # type: ignore[no-any-return]


def _matrix(cells: Cells) -> Any:
    """The matrix, rows true; None where there are only totals or many classes."""
    is_left_out = cells.storage == "marginals" or cells.k > _DENSE_K_MAX
    return None if is_left_out else cells.matrix().tolist()


CONFUSION: Final = Kind(itself, lambda cells, _: _matrix(cells))
"""Read as the part: what its numbers are depends on the tally."""
TALLY: Final = Kind(_read_tally, _write_tally)
"""Read after the number of rows, the classes and the matrix."""
