"""What was taken for what: the confusion matrix, and the wrong cells that hold most rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.errors.numbers import amount, amounts, count, share
from karat.output.document import Cell, Column, Matrix, Notes, Table

if TYPE_CHECKING:
    from karat.results.confusion import Confusion
    from karat.results.report import Report

__all__ = ["confusion_section", "pairs_section"]

N_MATRIX = 40
"""Up to here the confusion matrix is drawn where the width allows."""
N_PAIRS = 10

_MATRIX_AT = "--format json (in Python report.confusion)"
"""Where the whole matrix is found, for the reader of either face."""


def confusion_section(confusion: Confusion) -> Matrix | None:
    """The confusion matrix, where there are cells and a person can read them."""
    cells = confusion.cells
    if cells.storage == "marginals" or cells.k > N_MATRIX:
        return None
    return Matrix("Confusion", confusion.names, confusion.matrix)


def pairs_section(report: Report) -> Table | Notes | None:
    """The wrong cells that hold most rows."""
    k = report.classes.k
    if report.cells.storage == "marginals" or k < 6:
        return None
    rows, cols, totals = report.confusion.occupied()
    is_wrong = np.asarray(rows) != np.asarray(cols)
    by_class = np.bincount(rows, weights=totals, minlength=k)
    wrong = (rows[is_wrong], cols[is_wrong], totals[is_wrong])
    if not wrong[0].size:
        return Notes("Most confused", ("No row is predicted wrongly.",))
    n_listed = N_PAIRS if k > 12 else N_PAIRS // 2
    # Ties by class order, so that the same report always reads the same.
    order = np.lexsort((wrong[1], wrong[0], -wrong[2]))[:n_listed]
    names = report.classes.display
    shown = amounts(wrong[2][order].tolist())
    body = tuple(
        (
            Cell(str(names[wrong[0][i]])),
            Cell("→", "dim"),
            Cell(str(names[wrong[1][i]])),
            Cell(shown[place], "bad"),
            Cell(share(float(wrong[2][i]), float(by_class[wrong[0][i]]))),
        )
        for place, i in enumerate(order)
    )
    total = float(wrong[2].sum())
    held = float(wrong[2][order].sum())
    unit = "weight" if report.cells.is_weighted else "rows"
    n_more = wrong[0].size - len(order)
    notes = [f"these hold {share(held, total)} of the {amount(total)} wrong {unit}"]
    if n_more:
        notes[0] += f"; {count(n_more)} other wrong cells are not listed"
    if k > N_MATRIX:
        notes.append(f"the {count(k)} × {count(k)} matrix is not drawn: {_MATRIX_AT}")
    columns = (
        Column("true", is_name=True),
        Column("", "left"),
        Column("predicted", "left", is_name=True),
        Column(unit),
        Column("of the class", rank=1),
    )
    return Table("Most confused", columns, body, tuple(notes))
