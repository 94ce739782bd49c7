"""A document for a page that is not a terminal: what Markdown, LaTeX and notebooks share.

Class names are made harmless and short, and a legend has them in full; columns of a matrix are
headed by names that fit, else by numbers; what points to an option of a command can be left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors.text import amounts, cells, count, distinct, safe
from karat.output.document import Cell, Document, Matrix, Notes, Section, Table
from karat.output.sections import HEADING_MAX, ZERO

__all__ = ["Grid", "grid_of", "on_paper", "titled"]

NAME_MAX: Final = 48
"""Cells of the longest name in a table."""
_N_LEGEND: Final = 30
_POINTER: Final = re.compile(r":? --\S+ \S+ \(in Python [\w.]+\)")


@dataclass(frozen=True, slots=True)
class Grid:
    """A confusion matrix as text.

    Attributes:
        rows, columns: their headings, k each.
        texts: counts, k rows of k.
        shares: float64[k, k], of the row.
    """

    rows: list[str]
    columns: list[str]
    texts: list[list[str]]
    shares: npt.NDArray[np.float64]


def on_paper(document: Document, most_classes: int, *, keeps_pointers: bool = False) -> Document:
    """The document with short harmless names and their legend.

    Args:
        document: what to show.
        most_classes: a matrix of more is told, not drawn.
        keeps_pointers: whether notes still say with which option the rest is shown.
    """
    legend: dict[str, str] = {}
    sections = [_section(section, most_classes, legend) for section in document.sections]
    if not keeps_pointers:
        sections = [_without_pointers(section) for section in sections]
    if legend:
        lines = [f"{short} = {full}" for short, full in list(legend.items())[:_N_LEGEND]]
        n_more = len(legend) - len(lines)
        sections.append(Notes("Names", (*lines, *([f"{n_more} more"] if n_more else []))))
    return replace(document, sections=tuple(sections))


def _section(section: Section, most: int, legend: dict[str, str]) -> Section:
    if isinstance(section, Matrix):
        k = len(section.names)
        if k > most:
            return Notes(section.title, (f"the {count(k)} × {count(k)} matrix is not drawn here",))
        return replace(section, names=tuple(_short(section.names, legend)))
    if isinstance(section, Notes):
        return section
    places = [i for i, column in enumerate(section.columns) if column.is_name]
    names = iter(_short([row[i].text for row in section.rows for i in places], legend))
    rows = tuple(
        tuple(_renamed(cell, next(names)) if i in places else cell for i, cell in enumerate(row))
        for row in section.rows
    )
    return replace(section, rows=rows)


def _renamed(cell: Cell, name: str) -> Cell:
    return replace(cell, text=name)


def _short(names: Sequence[str], legend: dict[str, str]) -> list[str]:
    full = [safe(name) for name in names]
    short = distinct(full, NAME_MAX)
    legend.update((s, f) for s, f in zip(short, full, strict=True) if s != f)
    return short


def _without_pointers(section: Section) -> Section:
    if isinstance(section, Table):
        return replace(section, notes=tuple(_POINTER.sub("", note) for note in section.notes))
    if isinstance(section, Notes):
        return replace(section, lines=tuple(_POINTER.sub("", line) for line in section.lines))
    return section


def titled(title: str) -> tuple[str, str]:
    """A title and what follows it after two blanks: ``Classes  worst 10 of 100 by f1``."""
    head, _, rest = title.partition("  ")
    return head, rest.strip()


def grid_of(matrix: Matrix) -> Grid:
    """A matrix as text: exact counts, a dot for none."""
    values: npt.NDArray[Any] = np.asarray(matrix.values)
    k = len(matrix.names)
    flat = [
        text if cell else ZERO
        for cell, text in zip(values.flat, amounts(values.reshape(-1).tolist()), strict=True)
    ]
    totals = values.sum(axis=1, keepdims=True)
    names = list(matrix.names)
    is_numbered = max(map(cells, names)) > HEADING_MAX
    return Grid(
        [f"{i} {name}" for i, name in enumerate(names, start=1)] if is_numbered else names,
        [str(i) for i in range(1, k + 1)] if is_numbered else names,
        [flat[start : start + k] for start in range(0, k * k, k)],
        np.asarray(values / np.where(totals > 0, totals, 1), np.float64),
    )
