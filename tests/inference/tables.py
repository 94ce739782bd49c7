"""Tables for the tests of intervals of labels by hand: as cells, and with how they vary."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.designs import Design
from karat.inference.table_variance import TableVariance
from karat.tally import Cells, Classes, ClusteredCells

TABLE = np.array([[40.0, 10.0], [5.0, 45.0]])
WHOLE = [[14, 3, 1], [2, 11, 4], [1, 0, 9]]
MISSED = [[0, 5, 1], [2, 11, 4], [0, 0, 9]]
"""Of the first class no row is predicted rightly."""
KINDS = ("plain", "weighted", "clustered", "weighted clustered", "control", "weighted control")


def cells_of(table: Any, squares: Any = None, **more: Any) -> Cells:
    """Counts, or weights where there are their squares."""
    table = np.asarray(table, float)
    labels = Classes.of(list(range(len(table))))
    return Cells.dense(
        table if squares is not None else table.astype(np.int64),
        classes=labels,
        squares=None if squares is None else np.asarray(squares, float),
        **more,
    )


def spread_of(table: Any = TABLE, squares: Any = None, **more: Any) -> TableVariance:
    return TableVariance(cells_of(table, squares), **more)


def spread_of_kind(counts: Any, kind: str = "plain") -> TableVariance:
    """The variance of a table of so many rows, with random weights or clusters."""
    counts = np.asarray(counts)
    k, rng = len(counts), np.random.default_rng(3)
    place = np.repeat(np.arange(k * k), counts.ravel())
    weights = rng.exponential(3.0, len(place)) if "weighted" in kind else None
    squares = None if weights is None else np.bincount(place, weights**2, k * k).reshape(k, k)
    cells = Cells.dense(
        np.bincount(place, weights, k * k).reshape(k, k),
        classes=Classes.of(range(k)),
        squares=squares,
        n_rows=len(place),
    )
    clusters = None
    if "clustered" in kind:
        clusters = ClusteredCells.of(rng.integers(0, 12, len(place)), place, weights)
    design: Design = "case-control" if "control" in kind else "cohort"
    return TableVariance(cells, design, clusters)
