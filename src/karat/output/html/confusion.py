"""The confusion matrix of a page: one compact array, an order of like by like, plain rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors.text import amounts, count, harmless
from karat.output.html.colours import N_SHADES

if TYPE_CHECKING:
    from karat.results.result import Confusion

__all__ = ["Matrix", "clustered", "matrix_of"]

Floats = npt.NDArray[np.float64]

IN_FULL: Final = 100
"""Up to here every class has its row; above, those that hold most errors."""
N_LISTED: Final = 50
LEAST_TOP: Final = 0.1
"""The strongest wrong cell holds this share, or the largest there is where that is larger."""
PLAIN: Final = 30
"""Up to here the rows are in the page before the script runs."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A confusion matrix as a page shows it.

    Attributes:
        names: of the classes; the last stands for all others where `is_cut`.
        cells: [m, m], rows true, columns predicted.
        order: int[m], the classes so that those taken for each other stand together.
        k: number of classes.
        unit: ``"rows"`` or ``"weight"``.
        is_cut: whether some classes share the last row and column.
    """

    names: tuple[str, ...]
    cells: npt.NDArray[Any]
    order: list[int]
    k: int
    unit: str
    is_cut: bool

    @property
    def note(self) -> str:
        """Which classes have a row, where not all have one; else empty."""
        listed = len(self.names) - 1
        return (
            f"Of {count(self.k)} classes the {listed} with most wrong rows, true and predicted "
            "together; the others share the last row and column, and what is right of them and "
            "what is wrong the cell in the corner."
            if self.is_cut
            else ""
        )

    def to_json(self) -> dict[str, Any]:
        """What the script reads: the cells in one list, row by row."""
        return {
            "names": [harmless(name) for name in self.names],
            "cells": self.cells.ravel().tolist(),
            "clustered": self.order,
            "unit": self.unit,
            "cut": self.is_cut,
        }

    @property
    def _top(self) -> float:
        """The share of its true class that the strongest wrong cell holds."""
        totals = self.cells.sum(axis=1, keepdims=True).astype(np.float64)
        shares = np.divide(self.cells, totals, out=np.zeros(self.cells.shape), where=totals > 0)
        np.fill_diagonal(shares, 0.0)
        return max(LEAST_TOP, float(shares.max()))

    @property
    def plain_rows(self) -> list[dict[str, Any]]:
        """The rows as they are in the page: name, text and shade of each cell; none of many."""
        m = len(self.names)
        if m > PLAIN:
            return []
        texts = amounts(self.cells.ravel().tolist())
        totals = self.cells.sum(axis=1)
        top = self._top
        return [
            {
                "name": name,
                "cells": [
                    {
                        "text": texts[i * m + j] if self.cells[i, j] else "·",
                        "shade": shade(
                            float(self.cells[i, j]), float(totals[i]), None if i == j else top
                        ),
                    }
                    for j in range(m)
                ],
                "total": amounts([float(totals[i])])[0],
            }
            for i, name in enumerate(self.names)
        ]


def shade(part: float, whole: float, top: float | None) -> str:
    """The style of a cell: by the root of its share, so that a few rows among many are seen.

    Args:
        part, whole: whose share it is.
        top: the share of the strongest wrong cell; None: the cell is right, where that is all.
    """
    if not part or not whole:
        return ""
    step = math.ceil(N_SHADES * math.sqrt(part / whole / (top or 1.0)))
    return f"{'w' if top else 'r'}{min(N_SHADES, max(1, step))}"


def matrix_of(confusion: Confusion) -> Matrix | None:
    """The matrix of a page; None where only totals of the classes were kept."""
    tally = confusion.cells
    if tally.storage == "marginals":
        return None
    rows, cols, totals = confusion.occupied()
    k = tally.k
    names = confusion.names
    is_cut = k > IN_FULL
    if is_cut:
        wrong = np.where(rows == cols, 0, totals)
        errors = np.bincount(rows, wrong, k) + np.bincount(cols, wrong, k)
        kept = np.sort(np.argsort(-errors, kind="stable")[:N_LISTED])
        place = np.full(k, N_LISTED)
        place[kept] = np.arange(N_LISTED)
        rows, cols = place[rows], place[cols]
        names = (*(names[i] for i in kept), f"{count(k - N_LISTED)} other classes")
    m = len(names)
    cells = np.zeros((m, m), totals.dtype)
    np.add.at(cells, (rows, cols), totals)
    order = [*clustered(cells[:-1, :-1]), m - 1] if is_cut else clustered(cells)
    return Matrix(names, cells, order, k, "weight" if tally.is_weighted else "rows", is_cut)


def clustered(cells: npt.NDArray[Any]) -> list[int]:
    """The classes in an order in which those that are taken for each other stand together.

    Average linkage of the shares of rows confused, each way; the ends that are joined are those
    most alike. Classes that nothing joins keep their order.

    Cost: O(k³), of k up to 100 some milliseconds.

    Example:
        >>> import numpy as np
        >>> from karat.output.html.confusion import clustered
        >>> clustered(np.array([[9, 0, 4, 0], [0, 9, 0, 1], [3, 0, 9, 0], [0, 1, 0, 9]]))
        [0, 2, 1, 3]
    """
    totals = cells.sum(axis=1, keepdims=True).astype(np.float64)
    shares = np.divide(cells, totals, out=np.zeros(cells.shape), where=totals > 0)
    alike = shares + shares.T
    np.fill_diagonal(alike, 0.0)
    groups: dict[int, list[int]] = {i: [i] for i in range(len(cells))}
    link = alike.copy()
    np.fill_diagonal(link, -1.0)
    while len(groups) > 1:
        a, b = sorted(map(int, np.unravel_index(int(link.argmax()), link.shape)))
        if link[a, b] <= 0:
            break
        n_a, n_b = len(groups[a]), len(groups[b])
        joined = (n_a * link[a] + n_b * link[b]) / (n_a + n_b)
        groups[a] = _joined(groups[a], groups.pop(b), alike)
        link[a], link[:, a] = joined, joined
        link[a, a] = -1.0
        link[b], link[:, b] = -1.0, -1.0
    return [i for group in sorted(groups.values(), key=min) for i in group]


def _joined(left: list[int], right: list[int], alike: Floats) -> list[int]:
    """Two groups in a row, turned so that the classes that meet are most alike."""
    ways = [(x, y) for x in (left, left[::-1]) for y in (right, right[::-1])]
    ways += [(y, x) for x, y in ways]
    first, second = max(ways, key=lambda way: alike[way[0][-1], way[1][0]])
    return first + second
