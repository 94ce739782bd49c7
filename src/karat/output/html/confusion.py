"""The confusion matrix of a page: one compact array, an order of like by like, plain rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors.text import amounts, count, harmless
from karat.output.html.colours import N_SHADES

if TYPE_CHECKING:
    from karat.results.result import Confusion

Floats = npt.NDArray[np.float64]

IN_FULL: Final = 100
"""Up to here every class has its row; above, those that hold most errors."""
N_LISTED: Final = 50
LEAST_TOP: Final = 0.1
"""The strongest wrong cell holds this share, or the largest there is where that is larger."""
PLAIN: Final = 30
"""Up to here the rows are in the page before the script runs."""


def matrix_of(confusion: Confusion) -> dict[str, Any] | None:
    """The matrix of a page: what its template shows, and as ``data`` what its script reads.

    None where it is not known. Of many classes the last name stands for all
    others, which share the last row and column.
    """
    tally = confusion.cells
    if not tally.has_matrix:
        return None
    rows, cols, totals = confusion.occupied()
    k = tally.k
    names = confusion.names
    place = np.arange(k)
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
    unit = "weight" if tally.is_weighted else "rows"
    note = (
        f"The {N_LISTED} of {count(k)} classes with the most wrong rows, true and predicted added; "
        "the others share the last row and column, and their right and wrong rows the cell in the "
        "corner."
    )
    return {
        "names": names,
        "unit": unit,
        "note": note if is_cut else "",
        "places": place.tolist(),
        "rows": _plain_rows(names, cells) if m <= PLAIN else [],
        "data": {
            "names": [harmless(name) for name in names],
            "cells": cells.ravel().tolist(),
            "clustered": [*clustered(cells[:-1, :-1]), m - 1] if is_cut else clustered(cells),
            "unit": unit,
            "cut": is_cut,
        },
    }


def _shares(cells: npt.NDArray[Any]) -> Floats:
    """The share of each cell of its true class."""
    totals = cells.sum(axis=1, keepdims=True).astype(np.float64)
    shares: Floats = np.divide(cells, totals, out=np.zeros(cells.shape), where=totals > 0)
    return shares


def _plain_rows(names: Sequence[str], cells: npt.NDArray[Any]) -> list[dict[str, Any]]:
    """The rows as they are in the page: name, text and shade of each cell."""
    m = len(names)
    texts = amounts(cells.ravel().tolist())
    totals = cells.sum(axis=1).tolist()
    wrong = _shares(cells)
    np.fill_diagonal(wrong, 0.0)
    top = max(LEAST_TOP, float(wrong.max()))
    return [
        {
            "name": names[i],
            "cells": [
                {
                    "text": texts[i * m + j] if part else "·",
                    "shade": shade(part, totals[i], None if i == j else top),
                }
                for j, part in enumerate(row)
            ],
            "total": amounts([float(totals[i])])[0],
        }
        for i, row in enumerate(cells.tolist())
    ]


def shade(part: float, whole: float, top: float | None) -> str:
    """The style of a cell: by the root of its share, so that a few rows among many are seen.

    A right cell has no `top`, which is the share of the strongest wrong one.
    """
    if not part or not whole:
        return ""
    step = math.ceil(N_SHADES * math.sqrt(part / whole / (top or 1.0)))
    return f"{'w' if top else 'r'}{min(N_SHADES, max(1, step))}"


def clustered(cells: npt.NDArray[Any]) -> list[int]:
    """The classes in an order in which those that are taken for each other stand together.

    Average linkage of the shares of rows confused, each way; the ends that are joined are those
    most similar. Classes that nothing joins keep their order.

    Cost: O(k³), of k up to 100 some milliseconds.

    Example:
        >>> import numpy as np
        >>> from karat.output.html.confusion import clustered
        >>> clustered(np.array([[9, 0, 4, 0], [0, 9, 0, 1], [3, 0, 9, 0], [0, 1, 0, 9]]))
        [0, 2, 1, 3]
    """
    shares = _shares(cells)
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
    """Two groups in a row, turned so that the classes that meet are most similar."""
    ways = [(x, y) for x in (left, left[::-1]) for y in (right, right[::-1])]
    ways += [(y, x) for x, y in ways]
    first, second = max(ways, key=lambda way: alike[way[0][-1], way[1][0]])
    return first + second
