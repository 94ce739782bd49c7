"""Replicates of a table of labels: what it would be if its rows, or clusters of rows, came again.

A replicate depends on the seed, its own number and the table alone: neither on the number of
threads nor on how many replicates are asked for at once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.limits import Floats
from karat.tally import Axis, Cells, ClusteredCells

__all__ = ["TableDraw", "replicate_rows", "replicate_tables"]

Numbers: TypeAlias = npt.NDArray[Any]

TableDraw: TypeAlias = Literal["multinomial", "bayesian"]
"""Rows drawn with replacement, or every row weighed by an exponential number (Rubin 1981)."""

_BLOCK_BYTES: Final = 1 << 25
"""What is drawn at once, where not everything has to be held."""


def replicate_tables(
    cells: Cells,
    n_replicates: int,
    seed: int,
    *,
    method: TableDraw = "multinomial",
    clusters: ClusteredCells | None = None,
    first: int = 0,
    n_threads: int | None = None,
    is_by_class: bool = False,
) -> Cells:
    """Tables of replicates, so that `Metric.values` computes a metric on all of them in one call.

    - Counts, ``"multinomial"``: as many rows as there are, drawn with replacement. Exact.
    - Weights, ``"multinomial"``: of a cell only Σw and Σw² are known. It gets a Poisson number of
      rows of weight Σw²/Σw each, with mean Σw and variance Σw² (Bohm, Zech 2014): never negative,
      and the Poisson bootstrap itself where the rows of a cell weigh the same. The total varies, as
      it does where rows are drawn.
    - ``"bayesian"``: every row weighs what an exponential number says, and the total is kept: a
      gamma number for each cell, with the mean Σw and the variance Σw² before that.
    - `clusters` of a single table: as many whole clusters as there are, drawn with replacement;
      ``"bayesian"``: every cluster weighed by one exponential number. Of weighted rows the tables
      are then exact, too: give each row as a cluster of its own.
    - `is_by_class`: the rows of each true class of a single table are drawn by themselves.

    Replicates are numbered from `first`, and no number of threads changes them. The cells have the
    axis "replicate" in front, and are dense where few cells are empty. Σw² of bayesian weights is
    what it is on average; of clusters it is not known.

    Errors:
        K204 the tally kept class totals only.

    Cost: O(n_replicates · occupied cells) time and memory.

    Example:
        >>> from karat.tally import Classes
        >>> cells = Cells.dense([[40, 10], [5, 45]], classes=Classes.of(["cat", "dog"]))
        >>> tables = replicate_tables(cells, 1000, seed=0)
        >>> tables.counts.shape, set(tables.counts.sum(axis=(1, 2)).tolist())
        ((1000, 2, 2), {100})
    """
    batch, threads = cells.batch_shape, n_threads or 0
    if clusters is not None:
        if batch:
            raise ValueError("clusters are of one table, not of a batch")
        return _of_clusters(cells, clusters, n_replicates, seed, method, first, threads)
    rows, cols, found = cells.occupied()
    n_tables = int(np.prod(batch))
    tables = found.reshape(n_tables, len(rows))
    squares = None
    if cells.squares is not None:
        kept = cells.flat(cells.squares)[..., _places(cells, rows, cols)]
        squares = kept.reshape(n_tables, len(rows))

    def draw(table: Numbers, square: Numbers | None, stream: int) -> Numbers:
        at = (seed, stream, first, n_replicates, threads)
        if method == "multinomial" and not cells.is_weighted:
            return _native.resample_counts(np.ascontiguousarray(table), *at)
        sums = np.ascontiguousarray(table, np.float64)
        square = None if square is None else np.ascontiguousarray(square)
        keeps = is_by_class or method == "bayesian"
        return _native.draw_totals(sums, square, method == "bayesian", keeps, *at)

    ends = [0, len(rows)]
    if is_by_class:
        # Cells are listed row by row: those of a true class stand together.
        ends = np.flatnonzero(np.diff(rows, prepend=-1, append=-1)).tolist()
    parts = [(i, slice(*part)) for i in range(n_tables) for part in itertools.pairwise(ends)]
    drawn = [
        draw(tables[at], None if squares is None else squares[at], stream)
        for stream, at in enumerate(parts)
    ]
    if is_by_class:
        drawn = [np.concatenate(drawn, axis=1)]
    stacked = np.stack(drawn, axis=1) if drawn else np.empty((n_replicates, 0, len(rows)))
    counts = stacked.reshape(n_replicates, *batch, len(rows))
    if stacked.dtype == np.int64:
        return _assembled(cells, rows, cols, counts, None, first)
    known = found if cells.squares is None else squares
    assert known is not None
    ratio = _ratio(known.reshape(found.shape), found)
    if method == "bayesian":
        # Σe² of n exponential weights of the sum s is 2·s²/(n + 1) on average.
        sizes = _ratio(found, ratio)
        return _assembled(cells, rows, cols, counts, 2.0 * counts**2 / (sizes + 1.0), first)
    return _assembled(cells, rows, cols, counts, counts * ratio, first)


def replicate_rows(
    n: int,
    n_replicates: int,
    seed: int,
    *,
    clusters: npt.NDArray[np.integer[Any]] | None = None,
    method: Literal["poisson", "bayesian"] = "poisson",
    n_threads: int | None = None,
) -> Iterator[Numbers]:
    """Weights of n rows in replicates, in blocks [b, n]: for readers of several columns.

    ``"poisson"``: how often each row is there, int32, a Poisson(1) number; ``"bayesian"``: float64,
    an exponential number of mean 1. Rows of one cluster, int[n] from 0 on, have one weight. What is
    drawn for a block takes at most 32 MiB, or one replicate.

    Example:
        >>> np.concatenate(list(replicate_rows(4, 3, seed=1))).shape
        (3, 4)
    """
    is_gamma = method == "bayesian"
    n_items = n if clusters is None else int(clusters.max(initial=-1)) + 1
    if clusters is not None and (len(clusters) != n or int(clusters.min(initial=0)) < 0):
        raise ValueError("clusters are no numbers from 0 on, one for each row")
    step = max(1, _BLOCK_BYTES // ((8 if is_gamma else 4) * max(n, 1)))
    for first in range(0, n_replicates, step):
        count = min(step, n_replicates - first)
        drawn = _native.row_weights(n_items, is_gamma, seed, 0, first, count, n_threads or 0)
        yield drawn if clusters is None else drawn[:, clusters]


def _ratio(over: Numbers, under: Numbers) -> Floats:
    """The quotient, and 0 where nothing is under it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.asarray(under) > 0, np.asarray(over, np.float64) / under, 0.0)


def _places(cells: Cells, rows: Numbers, cols: Numbers) -> npt.NDArray[np.intp]:
    """Where the occupied cells stand among the stored ones."""
    of_rows, of_cols = cells.coordinates()
    return np.searchsorted(of_rows * cells.k + of_cols, rows * cells.k + cols)


def _of_clusters(
    cells: Cells,
    clusters: ClusteredCells,
    n_replicates: int,
    seed: int,
    method: TableDraw,
    first: int,
    n_threads: int,
) -> Cells:
    places = np.asarray(clusters.place, np.int64)
    rows, cols = cells.coordinates()
    occupied, place = np.unique(places, return_inverse=True)
    if len(occupied) and not 0 <= occupied[0] <= occupied[-1] < len(rows):
        raise ValueError("a cluster has rows in a cell that there is not")
    # In units of a power of two: no bit changes, and sums stay in range.
    most = float(np.max(clusters.weight, initial=0.0))
    unit = 2.0 ** round(math.log2(most)) if cells.is_weighted and most > 0 else 1.0
    drawn = unit * _native.resample_clusters(
        np.ascontiguousarray(clusters.cluster, np.int32),
        np.ascontiguousarray(place.ravel(), np.int32),
        np.ascontiguousarray(clusters.weight / unit, np.float64),
        *(clusters.n_clusters, len(occupied), method == "bayesian"),
        *(seed, 0, first, n_replicates, n_threads),
    )
    if not cells.is_weighted and method == "multinomial":
        # Sums of whole numbers below 2^53.
        drawn = drawn.astype(np.int64)
    return _assembled(cells, rows[occupied], cols[occupied], drawn, None, first)


def _assembled(
    cells: Cells, rows: Numbers, cols: Numbers, counts: Numbers, squares: Numbers | None, first: int
) -> Cells:
    """Replicates of occupied cells [b, ..., m] as a tally, in the storage that takes less."""
    b, k = len(counts), cells.k
    axes = (Axis("replicate", tuple(range(first, first + b))), *cells.axes)
    n_rows = np.broadcast_to(cells.n_rows, counts.shape[:-1])
    if counts.dtype.kind == "i":
        n_rows = counts.sum(axis=-1)
    if cells.storage == "dense" and k * k <= 4 * len(rows) + 64:

        def filled(part: Numbers) -> Numbers:
            dense = np.zeros((*part.shape[:-1], k * k), part.dtype)
            dense[..., rows * k + cols] = part
            return dense.reshape(*part.shape[:-1], k, k)

        of_weights = None if squares is None else filled(squares)
        return Cells.dense(
            filled(counts), classes=cells.classes, squares=of_weights, n_rows=n_rows, axes=axes
        )
    return Cells.sparse(
        rows, cols, counts, classes=cells.classes, squares=squares, n_rows=n_rows, axes=axes
    )
