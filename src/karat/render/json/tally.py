"""The classes and the tally of a report: its matrix, its totals or its listed cells."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.render.json.codec import (
    AMOUNTS,
    COUNTS,
    FLAG,
    LABEL,
    TEXTS,
    Field,
    Kind,
    Scope,
    each,
    itself,
    or_null,
    record,
)
from karat.render.json.parts import Part, refused
from karat.tally import Cells, Classes, inconsistency

__all__ = ["CLASSES", "CONFUSION", "TALLY", "cell_columns", "listed_cells"]

_DENSE_K_MAX: Final = 1024
"""Larger matrices are written as their occupied cells."""
_DENSE_RATIO: Final = 100
"""A dense matrix that is read from listed cells may take so many times the bytes of its text."""


def _same_label(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


CLASSES: Final = record(
    Field("labels", each(LABEL), lambda classes: list(classes.labels)),
    Field("names", or_null(TEXTS)),
    Field(
        "positive",
        Kind(lambda part, _: part.value).where(
            lambda x, s: x is None or any(_same_label(label, x) for label in s.labels),
            "one of classes.labels",
        ),
        lambda classes: None if classes.positive is None else classes.labels[classes.positive],
    ),
    Field("is_declared", FLAG),
    make=lambda s: Classes(
        tuple(s.labels),
        next((i for i, label in enumerate(s.labels) if _same_label(label, s.positive)), None),
        s.names,
        s.is_declared,
    ),
)


def _confusion(cells: Cells) -> list[list[float]] | None:
    """The matrix, rows true; None where there are only totals or many classes."""
    if cells.storage == "marginals" or cells.k > _DENSE_K_MAX:
        return None
    matrix: list[list[float]] = cells.matrix().tolist()
    return matrix


CONFUSION: Final = Kind(itself, lambda cells, _: _confusion(cells))
"""Read as the part: what its numbers are depends on the tally."""


def cell_columns(
    part: Part, widths: Collection[int], *, is_weighted: bool
) -> list[npt.NDArray[Any]]:
    """Read cells [true, predicted, total] or [true, predicted, total, square], by column.

    Args:
        part: a list of them.
        widths: how many numbers a cell may have; all have the same.
        is_weighted: whether totals are sums of weights.

    Errors:
        K205 they are no such cells.
    """
    for cell in part.items():
        if not isinstance(cell.value, list):
            raise cell.is_not("a list")
    cells = part.value
    found = set(map(len, cells)) or {min(widths)}
    if len(found) > 1 or not found <= set(widths):
        raise refused(f"{part.path} are not all [true, predicted, total], or with squares")
    size = found.pop()
    parts = [Part([cell[i] for cell in cells], part.path) for i in range(size)]
    total = parts[2].amounts() if is_weighted else parts[2].counts()
    columns = [parts[0].counts(), parts[1].counts(), total, *(one.amounts() for one in parts[3:])]
    if any(column.ndim != 1 for column in columns):
        raise part.is_not("cells of numbers only")
    return columns


def listed_cells(*columns: npt.NDArray[Any] | None) -> list[list[float]]:
    """Write cells by their columns; a column that is None is left out."""
    lists = [column.tolist() for column in columns if column is not None]
    return [list(cell) for cell in zip(*lists, strict=True)]


def _finite_squares(cells: Cells) -> npt.NDArray[Any] | None:
    """Squares of weights, unless no double holds one."""
    squares = cells.squares
    return squares if squares is not None and np.isfinite(squares).all() else None


def _occupied(cells: Cells) -> list[list[float]]:
    rows, cols = cells.coordinates()
    flat, squares = cells.flat(), _finite_squares(cells)
    # A sparse tally lists every cell it has, an empty one too: the order of additions stays.
    place = np.arange(rows.size) if cells.storage == "sparse" else np.flatnonzero(flat)
    last = None if squares is None else cells.flat(squares)[place]
    return listed_cells(rows[place], cols[place], flat[place], last)


_NUMBERS: Final = Kind(
    lambda part, s: part.amounts() if s.is_weighted else part.counts(),
    lambda array, _: array.tolist(),
)
_SQUARES: Final = Field("squares", or_null(AMOUNTS), _finite_squares)


def _of_totals(s: Scope) -> Cells:
    if any(array.shape != (s.classes.k,) for array in s.totals):
        raise refused(f"tally.totals are not one number for each of {s.classes.k} classes")
    if s.confusion.value is not None:
        raise s.confusion.is_not("null, as the tally kept only totals")
    n_rows, totals = np.asarray(s.n_rows), np.stack(s.totals)
    return Cells(s.classes, "marginals", totals, n_rows, s.squares, occupancy=s.occupancy)


def _of_matrix(s: Scope) -> Cells:
    matrix = _NUMBERS.read(s.confusion, s)
    return Cells.dense(matrix, classes=s.classes, squares=s.squares, n_rows=s.n_rows)


def _of_cells(s: Scope) -> Cells:
    rows, cols, total, *rest = s.cells
    squares = rest[0] if rest else None
    found = Cells.sparse(rows, cols, total, classes=s.classes, squares=squares, n_rows=s.n_rows)
    # A text of few cells does not justify so much memory; the numbers are the same.
    is_sane = 8 * s.classes.k**2 <= _DENSE_RATIO * s.n_text
    if s.storage == "dense" and is_sane:
        found = _consistent(found)
        square = None if found.squares is None else found.densified(found.squares)
        found = Cells.dense(found.matrix(), classes=s.classes, squares=square, n_rows=found.n_rows)
    if s.confusion.value is not None:
        matrix = s.confusion.amounts()
        found = _consistent(found)
        if matrix.shape != (found.k, found.k) or (matrix != found.matrix()).any():
            raise refused("confusion and tally.cells differ")
    return found


_TOTALS: Final = record(
    Field(
        "totals",
        record(
            *(
                Field(name, _NUMBERS, lambda cells, i=i: cells.counts[i])
                for i, name in enumerate(("tp", "fp", "fn"))
            ),
            make=lambda s: (s.tp, s.fp, s.fn),
        ),
        itself,
    ),
    _SQUARES,
    Field("occupancy", or_null(COUNTS)),
    make=_of_totals,
)
_MATRIX: Final = record(_SQUARES, make=_of_matrix)
_LISTED: Final = record(
    Field(
        "cells",
        Kind(
            lambda part, s: cell_columns(
                part, (3, 4) if s.is_weighted else (3,), is_weighted=s.is_weighted
            )
        ),
        _occupied,
    ),
    make=_of_cells,
)


def _consistent(cells: Cells) -> Cells:
    problem = inconsistency(cells) or (None if cells.classes.k else "It has no classes")
    if problem:
        raise refused(problem)
    return cells


def _read_tally(part: Part, scope: Scope) -> Cells:
    inner = SimpleNamespace(**vars(scope))
    inner.is_weighted = FLAG.read(part["is_weighted"], scope)
    totals, cells, storage = part.get("totals"), part.get("cells"), part.get("storage")
    if totals is not None and cells is not None:
        raise refused("tally has both cells and totals")
    found = "marginals" if totals is not None else "sparse" if cells is not None else "dense"
    inner.storage = found if storage is None else storage.value
    # A dense tally of many classes is written as its cells.
    is_dense_in_cells = found == "sparse" and inner.storage == "dense"
    if storage is not None and storage.value != found and not is_dense_in_cells:
        raise storage.is_not(f"{found}, as the tally is")
    kind = {"marginals": _TOTALS, "sparse": _LISTED, "dense": _MATRIX}[found]
    return _consistent(kind.read(part, inner))


def _write_tally(cells: Cells, scope: Scope) -> dict[str, Any]:
    is_matrix = cells.storage == "dense" and cells.k <= _DENSE_K_MAX
    kind = _TOTALS if cells.storage == "marginals" else _MATRIX if is_matrix else _LISTED
    facts: dict[str, Any] = {"is_weighted": cells.is_weighted, "storage": cells.storage}
    return facts | kind.write(cells, scope)


TALLY: Final = Kind(_read_tally, _write_tally)
"""Read after the number of rows, the classes and the matrix."""
