"""What a picture shows, read back from its artists."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def xy(line: Any) -> npt.NDArray[np.float64]:
    """float64[n, 2], the points of a line."""
    return np.column_stack([np.asarray(part, np.float64) for part in line.get_data()])


def line_of(ax: Any, start: str) -> Any:
    """The one line whose label begins so."""
    (found,) = [line for line in ax.lines if str(line.get_label()).startswith(start)]
    return found


def legend_of(ax: Any) -> list[str]:
    """The entries of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def rows_of(ax: Any) -> list[str]:
    """The names of the rows of a forest plot."""
    return [text.get_text() for text in ax.get_yticklabels()]


def same_points(line: Any, x: Any, y: Any) -> bool:
    """Whether a line goes through exactly these points."""
    return np.array_equal(xy(line), np.column_stack([x, y]), equal_nan=True)


def shares_of(ax: Any) -> list[float]:
    """What the cells of a map of shares are colored by, row by row; 0 where there is none."""
    found: list[float] = np.ma.filled(ax.images[0].get_array(), 0.0).ravel().tolist()
    return found


def proportions(report: Any) -> list[float]:
    """The matrix of a report, each row divided by its sum, row by row."""
    matrix = np.asarray(report.confusion.matrix, np.float64)
    whole = matrix.sum(axis=1, keepdims=True)
    found: list[float] = (matrix / np.where(whole, whole, 1)).ravel().tolist()
    return found
