"""Tables of labels by slice and by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.clusters import one_cluster
from karat.data.rows import Rows
from karat.data.slices.codes import SliceCodes
from karat.tally import Axis, Cells
from karat.tally.axes import ClusteredCells, SlicedCells
from karat.tally.shared import if_any

Places = npt.NDArray[np.int64]


def by_cluster(cells: Cells, rows: Rows) -> ClusteredCells | None:
    """Return the rows of a table by cluster; None without any, or if each row is its own."""
    clusters = rows.cluster_codes
    if clusters is None:
        return None
    found = ClusteredCells.of(clusters, _places(cells, rows), _weights(rows))
    if found.n_clusters < 2:
        raise one_cluster(int(cells.n_rows))
    if rows.repeats is not None:
        n_weighing = int(rows.repeats.n_weighing.sum())
    else:
        n_weighing = rows.n if rows.weights is None else int(np.count_nonzero(rows.weights))
    return None if found.n_clusters == n_weighing else found


def by_slice(cells: Cells, rows: Rows, found: SliceCodes, *, is_clustered: bool) -> SlicedCells:
    """Return the table of each slice in one pass; by cluster if requested."""
    k, s = cells.k, len(found.keys)
    places, n_places = _places(cells, rows), k * k
    if cells.storage != "dense":
        n_places = len(cells.coordinates()[0])
    keys = found.codes.astype(np.int64) * n_places + places
    repeats = rows.repeats
    counts = _added(keys, None if repeats is None else repeats.n_rows, s, n_places)
    counts = counts.astype(np.int64, copy=False)
    tables, squares = counts, None
    if rows.weights is not None:
        tables = _added(keys, rows.weights, s, n_places)
        each = rows.weights**2 if repeats is None else repeats.squares
        squares = _added(keys, each, s, n_places)
    axes = (Axis(" × ".join(found.columns), tuple(", ".join(key) for key in found.keys)),)
    facts: dict[str, Any] = {"classes": cells.classes, "n_rows": counts.sum(axis=1), "axes": axes}
    facts["has_predictions"] = cells.has_predictions
    if cells.storage == "dense":
        squares = if_any(lambda values: values.reshape(s, k, k), squares)
        table = Cells.dense(tables.reshape(s, k, k), squares=squares, **facts)
    else:
        table = Cells.sparse(*cells.coordinates(), tables, squares=squares, **facts)
    clusters = rows.cluster_codes if is_clustered else None
    groups = None if clusters is None else ClusteredCells.of(clusters, keys, _weights(rows))
    return SlicedCells(found.columns, found.keys, table, groups)


def _weights(rows: Rows) -> Any:
    """Return the weight of each row; without weights its multiplicity."""
    if rows.weights is not None or rows.repeats is None:
        return rows.weights
    return rows.repeats.n_rows


def _places(cells: Cells, rows: Rows) -> Places:
    """int64[n]: the cell of each row, in the storage of the table."""
    pred = rows.pred if cells.has_predictions else rows.true
    assert pred is not None
    keys = rows.true.astype(np.int64) * cells.k + pred
    if cells.storage == "dense":
        return keys
    listed, cols = cells.coordinates()
    return np.searchsorted(listed * cells.k + cols, keys)


def _added(keys: Places, weights: Any, s: int, n_places: int) -> npt.NDArray[Any]:
    return np.bincount(keys, weights, s * n_places).reshape(s, n_places)
