"""A confusion matrix on a page: counts where they fit, else shares of each row, else a note."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors.foreign_text import cells, padded
from karat.errors.numbers import amounts
from karat.output.document import Line, Matrix, Span

__all__ = ["matrix_lines"]

INDENT = 2
NAME_LEAST = 3
HEADING_MAX = 12
"""Class names no longer than this head their columns; longer ones are numbered."""
ZERO = "·"

Texts: TypeAlias = Sequence[Sequence[str]]
Shorten: TypeAlias = Callable[[Sequence[str], int], list[str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a matrix is drawn: cells for a row name and a column, blanks between, numbered or not."""

    name: int
    column: int
    gap: int
    is_numbered: bool


def matrix_lines(matrix: Matrix, width: int, shorten: Shorten, limit: int) -> Iterator[Line]:
    """The lines of a matrix on a page.

    Counts are exact. When they do not fit, each cell is a share of its row in percent;
    when those do not fit either, a note says what width would do.

    Args:
        matrix: what to draw.
        width: cells across.
        shorten: makes names harmless and at most so many cells long.
        limit: the longest that a name may be.
    """
    values = np.asarray(matrix.values)
    totals = values.sum(axis=1, keepdims=True)
    shares = values / np.where(totals > 0, totals, 1)
    flat = [
        text if cell else ZERO
        for cell, text in zip(values.flat, amounts(values.reshape(-1).tolist()), strict=True)
    ]
    counts = [flat[start : start + len(values)] for start in range(0, len(flat), len(values))]
    percents = [[_percent(cell) for cell in row] for row in shares.tolist()]
    names = shorten(matrix.names, limit)
    title = Span(matrix.title, "heading")
    for least in (max(map(cells, names)), NAME_LEAST):
        for texts, unit in ((counts, ""), (percents, ", in % of the row")):
            plan = _plan(names, texts, width, least)
            if plan is not None:
                yield [title, *_subtitle(f"rows true, columns predicted{unit}", width)]
                yield from _drawn(matrix.names, shorten, texts, shares, plan)
                return
    needed = width
    while all(_plan(names, texts, needed, NAME_LEAST) is None for texts in (counts, percents)):
        needed += 1
    yield [title]
    yield [Span(" " * INDENT + f"needs a width of {needed}", "dim")]


def _subtitle(text: str, width: int) -> list[Span]:
    return [Span("  " + text, "dim")] if len(text) + 11 <= width else []


def _percent(ratio: float) -> str:
    if not ratio:
        return ZERO
    if ratio == 1:
        return "100"
    return "0.0" if ratio < 0.0005 else f"{min(100 * ratio, 99.9):.1f}"


def _plan(names: Sequence[str], texts: Texts, width: int, least: int) -> Plan | None:
    """The most readable way that fits with names of at least that many cells; None: no room."""
    k = len(names)
    widest = max(len(text) for row in texts for text in row)
    longest = max(map(cells, names))
    mark = len(str(k)) + 1
    # One blank between columns would read as one more group of digits.
    gaps = (2,) if any(" " in text for row in texts for text in row) else (2, 1)
    for gap in gaps:
        if longest <= HEADING_MAX:
            column = max(widest, longest)
            if INDENT + longest + k * (column + gap) <= width:
                return Plan(longest, column, gap, is_numbered=False)
    for gap in gaps:
        column = max(widest, len(str(k)))
        room = width - INDENT - mark - k * (column + gap)
        if room >= min(least, longest):
            return Plan(mark + min(longest, room), column, gap, is_numbered=True)
    return None


def _drawn(
    names: Sequence[str], shorten: Shorten, texts: Texts, shares: npt.NDArray[Any], plan: Plan
) -> Iterator[Line]:
    numbers = [str(i + 1) for i in range(len(names))]
    if plan.is_numbered:
        mark = len(numbers[-1])
        short = shorten(names, plan.name - mark - 1)
        rows = [f"{n:>{mark}} {name}" for n, name in zip(numbers, short, strict=True)]
        headings = numbers
    else:
        rows = headings = shorten(names, plan.name)
    gap = " " * plan.gap
    heads = "".join(gap + padded(text, plan.column, "right") for text in headings)
    yield [Span(" " * (INDENT + plan.name)), Span(heads, "dim")]
    for i, row in enumerate(texts):
        line = [Span(" " * INDENT + padded(rows[i], plan.name))]
        for j, text in enumerate(row):
            # The first blank stays between two shades.
            shown = gap[1:] + padded(text, plan.column, "right")
            heat = float(shares[i, j]) * (1 if i == j else -1)
            line.append(Span(" "))
            line.append(Span(shown, "dim") if text == ZERO else Span(shown, "", heat))
        yield line
