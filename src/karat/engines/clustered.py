"""The engine for rows in clusters: the table, and the same rows by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.engines.arrays import tally_columns
from karat.inputs.align import align
from karat.inputs.clusters import as_clusters, one_cluster
from karat.inputs.column import Column
from karat.inputs.labels import encode
from karat.inputs.weights import as_weights
from karat.tally.cells import Cells
from karat.tally.clustered import ClusteredCells

__all__ = ["by_cluster", "by_cluster_of_codes", "tally_clusters"]

Codes = npt.NDArray[np.int32]


def tally_clusters(
    y_true: Any,
    y_pred: Any,
    clusters: Any,
    *,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    n_threads: int | None = None,
) -> tuple[Cells, ClusteredCells | None]:
    """The table of labels in memory, and its rows by cluster; see `tally_labels`.

    Args:
        clusters: one name or number a row.

    Errors:
        As `tally_labels` and `as_clusters`; K145 all rows are in one cluster.
    """
    true, pred = encode(y_true, "y_true"), encode(y_pred, "y_pred")
    importance = None if weights is None else as_weights(weights, len(true))
    cells = tally_columns(
        true, pred, labels=labels, positive=positive, weights=importance, n_threads=n_threads
    )
    return cells, by_cluster(cells, true, pred, as_clusters(clusters, len(true)), importance)


def by_cluster(
    cells: Cells,
    true: Column,
    pred: Column,
    clusters: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64] | None,
) -> ClusteredCells | None:
    """The rows of a table by cluster; None where every row is a cluster of its own.

    Args:
        cells: the tally of these columns.
        true, pred: the columns, without missing rows.
        clusters: int64[n].
        weights: float64[n], checked; or None.

    Errors:
        K145 all rows are in one cluster.
    """
    aligned = align(true, pred, cells.classes.labels)
    return by_cluster_of_codes(
        cells, aligned.true.indices(), aligned.pred.indices(), clusters, weights
    )


def by_cluster_of_codes(
    cells: Cells,
    true: Codes,
    pred: Codes,
    clusters: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64] | None,
) -> ClusteredCells | None:
    """The same from the classes int32[n] of each row."""
    keys = true.astype(np.int64) * cells.k + pred
    if cells.storage == "sparse":
        rows, cols = cells.coordinates()
        keys = np.searchsorted(rows * cells.k + cols, keys)
    found = ClusteredCells.of(clusters, keys, weights)
    if found.n_clusters < 2:
        raise one_cluster(len(true))
    n_rows = len(true) if weights is None else int(np.count_nonzero(weights))
    return None if found.n_clusters == n_rows else found
