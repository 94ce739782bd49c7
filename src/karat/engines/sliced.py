"""The engine for rows in slices: a table of true × predicted classes for each slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.engines.arrays import tally_columns
from karat.engines.clustered import by_cluster_of_codes
from karat.engines.label_sql import NO_VALUE
from karat.engines.row_names import RowNames
from karat.inputs.align import align
from karat.inputs.clusters import as_clusters
from karat.inputs.labels import encode
from karat.inputs.slice_codes import Key, SliceCodes, coded_texts, of_columns
from karat.inputs.weights import Weights, as_weights
from karat.tally import Axis, Cells
from karat.tally.clustered import ClusteredCells
from karat.tally.sliced import SlicedCells

__all__ = ["SlicedRows", "sliced_cells", "slices_of_names", "tally_rows"]

Codes: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class SlicedRows:
    """Rows on a class axis, to be counted by slice.

    Attributes:
        cells: their tally.
        true, pred: int32[n], the classes of each row.
        weights: float64[n], or None.
        clusters: int64[n], or None.
    """

    cells: Cells
    true: Codes
    pred: Codes
    weights: Weights | None
    clusters: npt.NDArray[np.int64] | None = None

    def by(self, found: SliceCodes) -> SlicedCells:
        """The rows by slice."""
        return sliced_cells(self, found)


def tally_rows(
    y_true: Any,
    y_pred: Any,
    clusters: Any = None,
    *,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    n_threads: int | None = None,
) -> tuple[SlicedRows, ClusteredCells | None]:
    """Labels in memory on their class axis, and by cluster; see `tally_clusters`.

    Errors:
        As `tally_clusters`.
    """
    true, pred = encode(y_true, "y_true"), encode(y_pred, "y_pred")
    importance = None if weights is None else as_weights(weights, len(true))
    cells = tally_columns(
        true, pred, labels=labels, positive=positive, weights=importance, n_threads=n_threads
    )
    aligned = align(true, pred, cells.classes.labels)
    codes = aligned.true.indices(), aligned.pred.indices()
    if clusters is None:
        return SlicedRows(cells, *codes, importance), None
    groups = as_clusters(clusters, len(true))
    found = by_cluster_of_codes(cells, *codes, groups, importance)
    return SlicedRows(cells, *codes, importance, groups), found


def sliced_cells(rows: SlicedRows, found: SliceCodes) -> SlicedCells:
    """Tables int64[s, k, k] of all slices in one pass, and what each holds.

    Args:
        found: the slice of each row.

    Cost: one pass over int64 keys; with many classes one search for each row.
    """
    cells, k, s = rows.cells, rows.cells.k, len(found.keys)
    places = rows.true.astype(np.int64) * k + rows.pred
    n_places = k * k
    if cells.storage != "dense":
        listed, cols = cells.coordinates()
        places, n_places = np.searchsorted(listed * k + cols, places), len(listed)
    keys = found.codes.astype(np.int64) * n_places + places
    counts = _added(keys, None, s, n_places)
    squares, weight = None, None
    if rows.weights is not None:
        weight = _added(keys, rows.weights, s, n_places)
        squares = _added(keys, rows.weights**2, s, n_places)
    axes = (Axis(" × ".join(found.columns), tuple(", ".join(key) for key in found.keys)),)
    facts: dict[str, Any] = {
        "classes": cells.classes, "n_rows": counts.sum(axis=1), "axes": axes,
    }  # fmt: skip
    held = counts if weight is None else weight
    if cells.storage == "dense":
        squares = None if squares is None else squares.reshape(s, k, k)
        tables = Cells.dense(held.reshape(s, k, k), squares=squares, **facts)
    else:
        tables = Cells.sparse(*cells.coordinates(), held, squares=squares, **facts)
    groups = None
    if rows.clusters is not None:
        groups = ClusteredCells.of(rows.clusters, keys, rows.weights)
    return SlicedCells(found.columns, found.keys, tables, groups)


def _added(
    keys: npt.NDArray[np.int64], weights: Weights | None, s: int, n_places: int
) -> npt.NDArray[Any]:
    return np.bincount(keys, weights, s * n_places).reshape(s, n_places)


def slices_of_names(
    wanted: Sequence[Key], names: Mapping[str, RowNames], kinds: Mapping[str, str]
) -> tuple[SliceCodes, ...]:
    """The slices of columns of files, which were read as text.

    Args:
        wanted: columns and crosses.
        names: what each row holds in each column.
        kinds: what is known of each column: ``"whole"`` and ``"real"`` hold numbers.

    Errors:
        K181, K182.
    """
    single = {}
    for name, read in names.items():
        missing = None
        if NO_VALUE in read.texts:
            missing = read.codes == read.texts.index(NO_VALUE)
        single[name] = coded_texts(
            read.codes, read.texts, missing, name, is_number=kinds.get(name) in ("whole", "real")
        )
    return of_columns(wanted, single)
