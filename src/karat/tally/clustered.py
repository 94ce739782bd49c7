"""`ClusteredCells`: the cells of a table by cluster, for rows of a cluster that go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ClusteredCells"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClusteredCells:
    """Weight by cluster and cell; only what occurs is kept.

    Attributes:
        n_clusters: clusters that hold some weight, G.
        cluster: int64[e], from 0 to G − 1.
        place: int64[e], the cell: its place in the list of cells of the table.
        weight: float64[e], Σw.

    Example:
        >>> ClusteredCells.of([7, 7, 9], [0, 3, 3], None).sums(np.array([1.0, 0, 0, 5.0])).tolist()
        [6.0, 5.0]
    """

    n_clusters: int
    cluster: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    weight: Floats

    @classmethod
    def of(
        cls, clusters: npt.ArrayLike, places: npt.ArrayLike, weights: npt.ArrayLike | None
    ) -> ClusteredCells:
        """From the cluster int[n], the cell int[n] and the weight float64[n] of each row.

        Rows of weight 0 count for nothing, nor does a cluster of such rows.

        Cost: one sort of n keys.
        """
        codes, cells = np.asarray(clusters, np.int64), np.asarray(places, np.int64)
        given = None if weights is None else np.asarray(weights, np.float64)
        if given is not None:
            kept = given > 0
            codes, cells, given = codes[kept], cells[kept], given[kept]
        codes, n_clusters = _by_appearance(codes)
        n_cells = int(cells.max(initial=0)) + 1
        if n_clusters * n_cells < 1 << 62:
            codes *= n_cells
            codes += cells
            if given is None:
                # Counts need no place of each row, hence no sort that moves the rows.
                keys, counts = np.unique(codes, return_counts=True)
                return cls(n_clusters, *np.divmod(keys, n_cells), counts.astype(np.float64))
            keys, place = np.unique(codes, return_inverse=True)
            cluster, cell = np.divmod(keys, n_cells)
        else:
            pairs, place = np.unique(np.stack([codes, cells]), axis=1, return_inverse=True)
            cluster, cell = pairs
        weight: Any = np.bincount(place.ravel(), given, len(cluster))
        return cls(n_clusters, cluster, cell, np.asarray(weight, np.float64))

    def sums(self, values: Floats) -> Floats:
        """float64[G]: Σ w·value over the rows of each cluster, from one value a cell."""
        found = np.bincount(self.cluster, self.weight * values[self.place], self.n_clusters)
        return np.asarray(found, np.float64)


def _by_appearance(codes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], int]:
    """Codes from 0 in the order in which they appear, so that no sum depends on what they are.

    Cost: one pass where the codes are not much larger than the number of rows, else a sort.
    """
    n = len(codes)
    if not n:
        return codes.copy(), 0
    if codes.min() < 0 or codes.max() > 4 * n:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    first = np.full(int(codes.max()) + 1, n, np.int64)
    # Written backwards, so that the first row of each code is written last.
    first[codes[::-1]] = np.arange(n - 1, -1, -1)
    seen = np.flatnonzero(first < n)
    order = np.empty(len(first), np.int64)
    order[seen[np.argsort(first[seen])]] = np.arange(len(seen))
    return order[codes], len(seen)
