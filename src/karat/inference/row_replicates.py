"""Replicates of scores by rows or clusters of rows: several columns of the same rows at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.ladder_replicates import LADDER_GROUPS, ReplicateColumn
from karat.inference.resampling import TableDraw
from karat.inference.rung_groups import RungGroups
from karat.tally import Ladder

__all__ = ["replicate_row_ladders"]

Floats: TypeAlias = npt.NDArray[np.float64]

_BLOCK_BYTES: Final = 1 << 23


def replicate_row_ladders(
    scores: npt.NDArray[np.floating[Any]],
    is_own: npt.NDArray[np.bool_],
    n_replicates: int,
    seed: int,
    *,
    clusters: npt.NDArray[np.integer[Any]] | None = None,
    weights: Floats | None = None,
    method: TableDraw = "multinomial",
    limit: int = LADDER_GROUPS,
    n_threads: int | None = None,
) -> Iterator[ReplicateColumn]:
    """Replicates of one column, of rows or whole clusters drawn with replacement.

    Columns of the same rows and clusters, drawn with one seed, see the same rows in each
    replicate: an average over classes is the average of their replicates.

    Args:
        scores: float[n], finite.
        is_own: bool[n], whether the row is of the own class.
        n_replicates, seed, limit, n_threads: as `ladder_replicates.replicate_ladders`.
        clusters: int[n]; without them every row is by itself.
        weights: float64[n], finite and at least 0.
        method: ``"multinomial"``: as many clusters as there are; ``"bayesian"``: an exponential
            weight for each, whose squares count as they do on average.

    Yields:
        One replicate after the other.

    Cost: one sort, then O(n) for each replicate.

    Example:
        >>> scores, is_own = np.array([0.9, 0.8, 0.3]), np.array([True, False, False])
        >>> [c.n_rows for c in replicate_row_ladders(scores, is_own, 3, seed=0)]
        [3, 3, 3]
    """
    groups = RungGroups.of(Ladder.of(scores, is_own, weights), limit)
    u, is_gamma = len(groups.scores), method == "bayesian"
    given = None if weights is None else np.asarray(weights, np.float64)
    column, own = np.asarray(scores, np.float64) + 0.0, np.asarray(is_own, bool)
    n_clusters, ids = _numbered(len(column), clusters)
    if given is not None:
        # Rows of weight 0 stand on no rung, but their clusters are drawn.
        kept = given > 0
        column, own, ids, given = column[kept], own[kept], ids[kept], given[kept]
    cells = (2 * groups.place_of(column) + own).astype(np.int32)
    step = max(1, _BLOCK_BYTES // (32 * max(u, 1)))
    for first in range(0, n_replicates, step):
        count = min(step, n_replicates - first)
        at = n_clusters, 2 * u, is_gamma, seed, 0, first, count, n_threads or 0
        drawn = _native.resample_clusters(ids, cells, given, *at)
        of_squares = None
        if drawn.dtype.kind == "f":
            # Σw² times the number of a cluster; an exponential number has the mean square 2.
            squared = np.ones(len(cells)) if given is None else given * given
            of_squares = _native.resample_clusters(ids, cells, squared * (1 + is_gamma), *at)
        for b in range(count):
            counts = drawn[b].reshape(u, 2)
            held = counts.any(axis=1)
            yield ReplicateColumn(
                Ladder(
                    groups.scores[held],
                    counts[held],
                    None if of_squares is None else of_squares[b].reshape(u, 2)[held],
                    int(counts.sum()) if of_squares is None else groups.n_rows,
                )
            )


def _numbered(
    n: int, clusters: npt.NDArray[np.integer[Any]] | None
) -> tuple[int, npt.NDArray[np.int32]]:
    """Number of clusters, and that of each row, from 0 on."""
    if clusters is None:
        return n, np.arange(n, dtype=np.int32)
    names, ids = np.unique(clusters, return_inverse=True)
    return len(names), ids.ravel().astype(np.int32)
