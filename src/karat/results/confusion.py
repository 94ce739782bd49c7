"""`Confusion`: the confusion matrix of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.tally import Cells

__all__ = ["Confusion"]


@dataclass(frozen=True, slots=True, repr=False)
class Confusion:
    """The confusion matrix of a report, as data.

    Attributes:
        cells: the tally behind it.
    """

    cells: Cells

    @property
    def labels(self) -> tuple[str | int | bool, ...]:
        """The classes, in the order of rows and columns."""
        return self.cells.classes.labels

    @property
    def names(self) -> tuple[str, ...]:
        """Display names of the classes."""
        return self.cells.classes.display

    @property
    def matrix(self) -> npt.NDArray[Any]:
        """int64[k, k], or float64[k, k] when weighted: rows true, columns predicted.

        A read-only view: the report's numbers and its matrix stay one.

        Errors:
            K204 only class totals were kept; K207 too many classes for a dense matrix.
        """
        view = self.cells.matrix().view()
        view.setflags(write=False)
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """``np.asarray(report.confusion)`` is the matrix."""
        return np.array(self.matrix, dtype=dtype) if copy else np.asarray(self.matrix, dtype)

    def __repr__(self) -> str:
        return f"<karat.Confusion: {self.cells.k} classes>"

    def tolist(self) -> list[list[float]]:
        """The matrix as nested lists."""
        nested: list[list[float]] = self.matrix.tolist()
        return nested

    def occupied(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any]]:
        """Non-empty cells: true index int64[m], predicted index int64[m], number[m]."""
        return self.cells.occupied()
