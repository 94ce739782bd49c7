"""Bootstrap replicates of a table or of a sorted column of scores.

A replicate depends only on the seed, its own index and the rows, not on the number of threads or of
replicates. Columns are sorted once in advance: a replicate only reweights each score level, or
groups of neighbors; see `LevelGroups`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.metrics import ClassProbabilities, ClassRanks, Confidences, Metric
from karat.tally import Axis, Cells, ClusteredCells, CumulativeCounts, LevelSource, of_both
from karat.tally.bins import Bins, Closed
from karat.tally.cached import cached_property

Numbers: TypeAlias = npt.NDArray[Any]

TableDraw: TypeAlias = Literal["multinomial", "bayesian"]
"""Rows drawn with replacement, or weighted by exponential random numbers (Rubin 1981)."""

_BLOCK_BYTES: Final = 1 << 25
"""Replicates drawn at once, if not all have to be in memory."""


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
    """Draw replicate tables, so that `Metric.values` computes a metric on all of them in one call.

    - Counts, ``"multinomial"``: n rows, drawn with replacement. Exact.
    - Weights, ``"multinomial"``: a cell has only Σw and Σw². It gets a Poisson number of rows of
      weight Σw²/Σw each, with mean Σw and variance Σw² (Bohm, Zech 2014). It is never negative, and
      equals the Poisson bootstrap if the rows of a cell have equal weights. The total varies, as
      when rows are drawn.
    - ``"bayesian"``: every row has an exponential weight, and the total is fixed: a gamma variate
      for each cell, with mean Σw and variance Σw² before normalization.
    - `clusters` of a single table: whole clusters, drawn with replacement; ``"bayesian"``: one
      exponential weight for each cluster. For weighted rows, the tables are exact, too, if each row
      is passed as its own cluster.
    - `is_by_class`: the rows of each true class of a single table are drawn separately.

    Replicates are numbered from `first`, and do not depend on the number of threads. The cells have
    the leading axis "replicate", and are dense if few cells are empty. Σw² of Bayesian weights is
    its expectation; for clusters it is unknown.

    Errors:
        K204 the tally has class totals only.

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
        # Cells are in row order: those of a true class are consecutive.
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
    """Weights of n rows in replicates, in blocks [b, n], for functions of several columns.

    ``"poisson"``: the multiplicity of each row, int32, a Poisson(1) number; ``"bayesian"``:
    float64, an exponential number of mean 1. Rows of one cluster, int[n] from 0 on, have the same
    weight. A block takes at most 32 MiB, or one replicate.

    Example:
        >>> np.concatenate(list(replicate_rows(4, 3, seed=1))).shape
        (3, 4)
    """
    is_gamma = method == "bayesian"
    n_items = n if clusters is None else int(clusters.max(initial=-1)) + 1
    if clusters is not None and (len(clusters) != n or int(clusters.min(initial=0)) < 0):
        raise ValueError("clusters are not numbers from 0 on, one for each row")
    step = max(1, _BLOCK_BYTES // ((8 if is_gamma else 4) * max(n, 1)))
    for first in range(0, n_replicates, step):
        count = min(step, n_replicates - first)
        drawn = _native.row_weights(n_items, is_gamma, seed, 0, first, count, n_threads or 0)
        yield drawn if clusters is None else drawn[:, clusters]


def replicate_times(n: int, asked: Confidence, odds: Floats | None = None) -> Iterator[Floats]:
    """Iterate over replicates: float64[n], how often each of n units is drawn.

    Args:
        odds: float64[e], of units that n rows are drawn from; None: all units have the same odds.
    """
    rng = np.random.default_rng(asked.seed)
    for _ in range(asked.n_replicates):
        if asked.method == "bayesian":
            yield rng.exponential(size=n) if odds is None else rng.gamma(odds * n)
        elif odds is None:
            yield np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        else:
            yield rng.multinomial(n, odds).astype(np.float64)


def _ratio(over: Numbers, under: Numbers) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.asarray(under) > 0, np.asarray(over, np.float64) / under, 0.0)


def _places(cells: Cells, rows: Numbers, cols: Numbers) -> npt.NDArray[np.intp]:
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
    # In units of a power of two: bits are unchanged, and sums stay in range.
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
        # Sums of integers below 2^53.
        drawn = drawn.astype(np.int64)
    return _assembled(cells, rows[occupied], cols[occupied], drawn, None, first)


def _assembled(
    cells: Cells, rows: Numbers, cols: Numbers, counts: Numbers, squares: Numbers | None, first: int
) -> Cells:
    """Return replicates of occupied cells [b, ..., m] as a tally, in the smaller storage."""
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


@dataclass(frozen=True, eq=False)
class LevelGroups:
    """Groups of neighboring score levels, best first; if possible, one group for each level.

    Attributes:
        scores: float64[g], strictly descending: the mean score of the rows.
        sums: float64[g, 2], Σw of the rest and of the own class.
        squares: float64[g, 2], Σw²; None where every row weighs 1.
        least: float64[g]: the lowest score of a group, for looking up the group of a row.
        within: float64[g]: the proportion of the pairs of both sides inside a group in which own
            ranks above, with ties counting half.
        n_rows: number of rows.
    """

    scores: Floats
    sums: Floats
    squares: Floats | None
    least: Floats
    within: Floats
    n_rows: int

    def place_of(self, scores: Floats) -> npt.NDArray[np.intp]:
        """int[n]: the group of each score that the groups were made of."""
        return np.searchsorted(-self.least, -np.asarray(scores, np.float64))

    @classmethod
    def of(cls, source: LevelSource, limit: int) -> LevelGroups:
        """Make at most `limit` groups of about the same weight; no score level is divided.

        Cost: two walks over the score levels, in memory for `limit` groups and a block.

        Example:
            >>> from karat.tally import CumulativeCounts
            >>> cumulative = CumulativeCounts.of([0.9, 0.8, 0.3, 0.2], [True, False, True, False])
            >>> LevelGroups.of(cumulative, 2).sums.tolist()
            [[1.0, 1.0], [1.0, 1.0]]
        """
        n_levels, total, held = 0, 0.0, []
        for block in source.blocks():
            n_levels += len(block.scores)
            total += float(block.counts.sum())
            if n_levels <= limit:
                held.append(block)
        if n_levels > limit:
            return _grouped(source, limit, total)
        none, squares = np.empty((0, 2)), None
        scores = np.concatenate([np.empty(0), *(block.scores for block in held)])
        sums = np.concatenate([none, *(np.asarray(block.counts, np.float64) for block in held)])
        if source.is_weighted:
            squares = np.concatenate([none, *(b.squares for b in held if b.squares is not None)])
        return cls(scores, sums, squares, scores, np.full(n_levels, 0.5), source.n_rows)


def _grouped(source: LevelSource, limit: int, total: float) -> LevelGroups:
    sums, squares = np.zeros((limit, 2)), np.zeros((limit, 2))
    moments, doubled = np.zeros(limit), np.zeros(limit)
    best, worst = np.full(limit, -np.inf), np.full(limit, np.inf)
    passed = 0.0
    for scores, counts, of_squares in source.blocks():
        weights = np.asarray(counts, np.float64)
        both = of_both(weights)
        until = passed + np.cumsum(both)
        # A score level belongs to the group of its middle row.
        place = ((until - both / 2) * (limit / total)).astype(np.int64).clip(0, limit - 1)
        passed = float(until[-1])
        starts = np.concatenate([[0], np.flatnonzero(np.diff(place)) + 1])
        groups = place[starts]
        rest, own = weights[:, 0], weights[:, 1]
        above = np.cumsum(own) - own
        # Own rows of the group before this score level: here, and in the previous block.
        base = above[starts] - sums[groups, 1]
        lengths = np.diff(np.append(starts, len(scores)))
        inside = rest * (2.0 * (above - np.repeat(base, lengths)) + own)
        doubled[groups] += np.add.reduceat(inside, starts)
        sums[groups] += np.add.reduceat(weights, starts)
        moments[groups] += np.add.reduceat(both * scores, starts)
        if of_squares is not None:
            squares[groups] += np.add.reduceat(of_squares, starts)
        best[groups] = np.maximum(best[groups], scores[starts])
        worst[groups] = np.minimum(worst[groups], scores[starts + lengths - 1])
    kept = of_both(sums) > 0
    pairs = 2.0 * sums[kept, 0] * sums[kept, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        within = np.where(pairs > 0, doubled[kept] / pairs, 0.5)
    means = moments[kept] / of_both(sums[kept])
    return LevelGroups(
        np.clip(means, worst[kept], best[kept]),
        sums[kept],
        squares[kept] if source.is_weighted else None,
        worst[kept],
        np.clip(within, 0.0, 1.0),
        source.n_rows,
    )


CumulativeDraw: TypeAlias = Literal["poisson", "bayesian"]
"""Poisson(1) copies of each row, or an exponential weight for each (Rubin 1981)."""

AREA_GROUPS: Final = 4096
"""Number of groups of neighboring score levels for replicates of an area."""
CUMULATIVE_GROUPS: Final = 16384
"""Number of groups for replicates of whole cumulative counts."""
_LEVEL_BYTES: Final = 1 << 23


class ReplicateColumn(CumulativeCounts):
    """One replicate as a `RankedColumn` of two classes, which the views of metrics can read."""

    k: ClassVar[int] = 2
    own: ClassVar[int] = 1

    @cached_property
    def totals(self) -> Numbers:
        """number[2]: the weight of the rest and of the own class."""
        return np.asarray(self.counts.sum(axis=0))

    def cumulative(self) -> CumulativeCounts:
        return self

    def areas(self) -> Numbers:
        """number[2]: over pairs of own and rest, Σ w·w'·(2·[s > s'] + [s = s']), and 0."""
        tps, _ = self.cumulated()
        rest, own = self.counts[:, 0], self.counts[:, 1]
        return np.array([(rest * (2 * tps - own)).sum(), 0], self.counts.dtype)

    def step_area(self) -> float:
        """Σ over thresholds of (increase of true positives) × precision."""
        here, _ = self._share_sums
        return here

    def trapezoid_area(self) -> float:
        """Area under precision by the proportion of own found, by straight lines."""
        here, before = self._share_sums
        own = float(self.totals[1])
        return (here + before) / 2.0 / own if own > 0 else np.nan

    @cached_property
    def _share_sums(self) -> tuple[float, float]:
        """Σ own × the proportion of own at or above the level, and above it; 1 where nothing is."""
        tps, fps = self.cumulated()
        own = np.asarray(self.counts[:, 1], np.float64)
        share = tps / (tps + fps)
        above = np.concatenate([[1.0], share[:-1]])[: len(share)]
        # Not `@`: several BLAS threads cost more than such a short sum.
        return float((own * share).sum()), float((own * above).sum())


def replicate_cumulative(
    column: LevelSource,
    n_replicates: int,
    seed: int,
    *,
    method: CumulativeDraw = "poisson",
    limit: int = CUMULATIVE_GROUPS,
    stream: int = 0,
    n_threads: int | None = None,
) -> Iterator[ReplicateColumn]:
    """Draw replicates of cumulative counts or of a sorted column, one after the other.

    Each stays valid, and keeps its block in memory. Columns of different `stream` are drawn
    independently. With more than `limit` distinct scores, neighbors are grouped first: their rows
    tie, at their mean score. A group that a threshold or a bin edge would divide then lies on one
    side, at most one row in `limit` for each.

    Args:
        method: ``"poisson"``: each row has a Poisson(1) multiplicity; for weighted rows with equal
            scores, Σw and Σw² are kept on average. ``"bayesian"``: exponential weights.

    Cost: two walks over the score levels, then O(limit) time for each replicate.

    Example:
        >>> cumulative = CumulativeCounts.of([0.9, 0.8, 0.3], [True, False, False])
        >>> sum(c.n_rows for c in replicate_cumulative(cumulative, 1000, seed=0)) / 1000
        2.965
    """
    groups = LevelGroups.of(column, limit)
    u = len(groups.scores)
    step = max(1, _LEVEL_BYTES // (40 * max(u, 1)))
    of_groups = groups.scores, groups.sums, groups.squares, method == "bayesian", seed, stream
    for first in range(0, n_replicates, step):
        count = min(step, n_replicates - first)
        scores, counts, squares, lengths = _native.replicate_levels(
            *of_groups, first, count, n_threads or 0
        )
        for b, length in enumerate(lengths.tolist()):
            kept = None if squares is None else squares[b, :length]
            yield _replicate(groups, scores[b, :length], counts[b, :length], kept)


def _replicate(
    groups: LevelGroups, scores: Floats, counts: Numbers, squares: Floats | None
) -> ReplicateColumn:
    n_rows = int(counts.sum()) if squares is None else groups.n_rows
    return ReplicateColumn(scores, counts, squares, n_rows)


def left_out(column: LevelSource, limit: int) -> Iterator[tuple[float, ReplicateColumn]]:
    """Leave out each row in turn: yield the number of rows that give a column, and the column.

    Rows of one side with the same score give one column; more than `limit` distinct scores are
    grouped with their neighbors first. For weighted rows, the one left out has the weight Σw² ÷ Σw
    of its group.

    Cost: O(limit) for each of at most 2 · limit columns.

    Example:
        >>> cumulative = CumulativeCounts.of([0.9, 0.8, 0.8], [True, False, False])
        >>> [(n, rest.counts.tolist()) for n, rest in left_out(cumulative, 100)]
        [(1.0, [[2, 0]]), (2.0, [[0, 1], [1, 0]])]
    """
    groups = LevelGroups.of(column, limit)
    sums, squares = groups.sums, groups.squares
    for place in map(tuple, np.argwhere(sums > 0.0)):
        weight = 1.0 if squares is None else float(squares[place] / sums[place])
        counts, kept = sums.copy(), None if squares is None else squares.copy()
        counts[place] = max(counts[place] - weight, 0.0)
        if kept is not None:
            kept[place] = max(kept[place] - weight**2, 0.0)
        is_there = of_both(counts) > 0.0
        scores, counts = groups.scores[is_there], counts[is_there]
        whole: Numbers = counts if kept is not None else counts.astype(np.int64)
        of_squares = None if kept is None else kept[is_there]
        yield float(sums[place]) / weight, _replicate(groups, scores, whole, of_squares)


def measures_of(
    metrics: Sequence[Metric], replicates: Iterable[ReplicateColumn]
) -> dict[Metric, Floats]:
    """Replicates of metrics, by their own bodies: float64[n_replicates] each.

    All metrics use the same replicates. NaN where a replicate does not define one.
    """
    views = {metric.record.reads for metric in metrics}
    if not views <= {ClassRanks, ClassProbabilities, Confidences}:
        raise ValueError("a metric does not read one sorted column")
    found: dict[Metric, list[float]] = {metric: [] for metric in metrics}
    with np.errstate(all="ignore"):
        for replicate in replicates:
            made = {view: view(replicate) for view in views}
            for metric, values in found.items():
                view = made[metric.record.reads]
                try:
                    values.append(float(metric.record.formula(view, **dict(metric.params))))
                except (ZeroDivisionError, OverflowError):  # no row, or none of the class, is drawn
                    values.append(np.nan)
    return {metric: np.array(values, np.float64) for metric, values in found.items()}


def replicate_areas(
    column: LevelSource,
    n_replicates: int,
    seed: int,
    *,
    method: CumulativeDraw = "poisson",
    limit: int = AREA_GROUPS,
    stream: int = 0,
    n_threads: int | None = None,
) -> Floats:
    """float64[n_replicates]: the probability that a row of the class scores above another row.

    NaN where a replicate has no row on one side. Exact for at most `limit` distinct scores. With
    more, neighbors are grouped: the numbers of rows of both sides in a group are drawn exactly, and
    the proportion of its pairs in which own ranks above is the observed one. So a replicate differs
    from that of the ungrouped rows by less than the proportion of pairs inside groups, about
    1/limit.

    Cost: two walks over the score levels, then O(limit) time for each replicate.
    """
    groups = LevelGroups.of(column, limit)
    sums, squares, within = groups.sums, groups.squares, groups.within
    at = method == "bayesian", seed, stream, 0, n_replicates, n_threads or 0
    doubled, weights = _native.replicate_areas(sums, squares, within, *at)
    pairs = weights[:, 0] * weights[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, np.minimum(doubled / (2.0 * pairs), 1.0), np.nan)


def replicate_bins(
    column: LevelSource,
    n_replicates: int,
    seed: int,
    edges: Floats,
    closed: Closed = "right",
    *,
    method: CumulativeDraw = "poisson",
    limit: int = CUMULATIVE_GROUPS,
    stream: int = 0,
    n_threads: int | None = None,
) -> Bins:
    """Bins of each replicate of `replicate_cumulative`: sums float64[n_replicates, b].

    Args:
        edges, closed: as in `Bins.of`.

    Errors:
        K214 as in `Bins.of`.

    Cost: two walks over the score levels, then O(limit + b) time for each replicate.
    """
    groups = LevelGroups.of(column, limit)
    none = Bins.empty(edges, closed, is_weighted=column.is_weighted or method == "bayesian")
    place = none.place_of(groups.scores).astype(np.int32)
    of_groups = groups.scores, place, none.b, groups.sums, groups.squares
    drawn = _native.replicate_bins(
        *of_groups, method == "bayesian", seed, stream, 0, n_replicates, n_threads or 0
    )
    return none.holding(np.moveaxis(drawn, 1, 0), groups.n_rows)


def replicate_row_cumulative(
    scores: npt.NDArray[np.floating[Any]],
    is_own: npt.NDArray[np.bool_],
    n_replicates: int,
    seed: int,
    *,
    clusters: npt.NDArray[np.integer[Any]] | None = None,
    weights: Floats | None = None,
    method: TableDraw = "multinomial",
    limit: int = CUMULATIVE_GROUPS,
    n_threads: int | None = None,
) -> Iterator[ReplicateColumn]:
    """Replicates of one column, of rows or whole clusters drawn with replacement.

    Columns of the same rows and clusters, drawn with one seed, use the same rows in each replicate:
    an average over classes is the average of their replicates. ``"multinomial"`` draws whole
    clusters, as many as there are; ``"bayesian"`` an exponential weight for each, whose square is
    replaced by its expectation.

    Cost: one sort, then O(n) for each replicate.

    Example:
        >>> scores, is_own = np.array([0.9, 0.8, 0.3]), np.array([True, False, False])
        >>> [c.n_rows for c in replicate_row_cumulative(scores, is_own, 3, seed=0)]
        [3, 3, 3]
    """
    groups = LevelGroups.of(CumulativeCounts.of(scores, is_own, weights), limit)
    u, is_gamma = len(groups.scores), method == "bayesian"
    given = None if weights is None else np.asarray(weights, np.float64)
    column, own = np.asarray(scores, np.float64) + 0.0, np.asarray(is_own, bool)
    ids = np.arange(len(column), dtype=np.int32)
    if clusters is not None:
        ids = np.unique(clusters, return_inverse=True)[1].ravel().astype(np.int32)
    n_clusters = int(ids.max(initial=-1)) + 1
    if given is not None:
        # Rows of weight 0 have no score level, but their clusters are drawn.
        kept = given > 0
        column, own, ids, given = column[kept], own[kept], ids[kept], given[kept]
    cells = (2 * groups.place_of(column) + own).astype(np.int32)
    step = max(1, _LEVEL_BYTES // (32 * max(u, 1)))
    for first in range(0, n_replicates, step):
        count = min(step, n_replicates - first)
        at = n_clusters, 2 * u, is_gamma, seed, 0, first, count, n_threads or 0
        drawn = _native.resample_clusters(ids, cells, given, *at)
        of_squares = None
        if drawn.dtype.kind == "f":
            # Σw² times the multiplicity of a cluster; an exponential number has the mean square 2.
            squared = np.ones(len(cells)) if given is None else given * given
            of_squares = _native.resample_clusters(ids, cells, squared * (1 + is_gamma), *at)
        for b in range(count):
            counts = drawn[b].reshape(u, 2)
            held = counts.any(axis=1)
            squares = None if of_squares is None else of_squares[b].reshape(u, 2)[held]
            yield _replicate(groups, groups.scores[held], counts[held], squares)
