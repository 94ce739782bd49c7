"""Rows sorted by one column of scores, one class against the others; areas of several columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import combinations, pairwise
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.tally.cached import cached_property
from karat.tally.cumulative_counts import (
    N_BLOCK,
    CumulativeCounts,
    ScoreLevels,
    Steps,
    ThresholdPoints,
    WalkedSteps,
    cumulated,
)
from karat.tally.row_sample import row_parts
from karat.tally.scored import Placements

Numbers: TypeAlias = npt.NDArray[Any]
Item = TypeVar("Item")
Made = TypeVar("Made")
_WORD_BYTES: Final = 8
_WORDS: Final = 1 << 27
"""Largest size of the packed columns read together: longer columns are read one at a time."""
_FEWEST_ROWS: Final = 50_000
"""Size below which columns are read before another thread would start."""


class AreasAhead:
    """Areas of columns that are requested one after the other.

    After two consecutive requests, the next columns are read ahead: as many at once as there are
    threads. Single requests, or requests in no order, are computed one at a time.

    Args:
        n_columns: number of columns.
        n_rows: rows.
        n_threads: threads; 0: the default.
        n_together: number of columns that are copied together, and dropped before the next ones.
        most_bytes: largest size of the packed columns that are read together.
    """

    def __init__(
        self,
        n_columns: int,
        n_rows: int,
        n_threads: int,
        n_together: int = 1,
        most_bytes: int = _WORDS,
    ) -> None:
        self._n_columns, self._n_threads, self._n_together = n_columns, n_threads, n_together
        most = most_bytes // (_WORD_BYTES * max(n_rows, 1))
        is_long = n_rows >= _FEWEST_ROWS
        self._width = min(_native.thread_limit(n_threads), most) if is_long else 1
        self._last = -1
        self._made: dict[int, Ranked] = {}

    def column(self, i: int, make: Callable[[int], Ranked]) -> Ranked:
        """Return the rows sorted by column i, which `make` makes from the column index."""
        ranked = self._made.pop(i, None)
        if ranked is None:
            ranked = make(i)
            ranked.ahead = partial(self._areas, i, make)
        else:
            self._last = i
        return ranked

    def _areas(self, i: int, make: Callable[[int], Ranked], ranked: Ranked) -> Numbers | None:
        """number[k], as `Ranked.areas` of column i; None: read it alone."""
        follows = i > 0 and i == self._last + 1
        self._last = i
        width = min(self._width, self._n_columns - i)
        if self._n_together > 1:
            width = min(width, self._n_together - i % self._n_together)
        self._made = {}
        if not follows or width < 2:
            return None
        others = {j: make(j) for j in range(i + 1, i + width)}
        columns = [ranked, *others.values()]
        found = _native.areas_together([each.packed for each in columns], self._n_threads)
        for each, areas in zip(columns, found, strict=True):
            each.know(areas)
        self._made = others
        return found[0]


Column = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]


class Ranked:
    """Rows sorted by score: the own class against the others.

    Results are computed on request, in one walk over the sorted rows.

    Attributes:
        k: number of classes.
        own: the class whose scores they are.
        n_rows: number of rows; if pooled, the items of the matrix.
        is_weighted: whether rows have weights.
        packed: the rows as packed words.
        ahead: source of areas computed ahead, if whole words are not sorted.
    """

    def __init__(
        self,
        packed: _native.PackedScores,
        k: int,
        own: int,
        totals: Numbers | None = None,
        *,
        is_weighted: bool = False,
    ) -> None:
        self.packed = packed
        self._totals = totals
        self.ahead: Callable[[Ranked], Numbers | None] | None = None
        self.k = k
        self.own = own
        self.n_rows: int = packed.n_items
        self.is_weighted = is_weighted

    @cached_property
    def totals(self) -> Numbers:
        """number[k]: int64 counts, or float64 weights, of each class."""
        return self.packed.classes() if self._totals is None else self._totals

    @cached_property
    def _sorted(self) -> _native.PackedScores:
        self.packed.sort()
        return self.packed

    @cached_property
    def _areas(self) -> Numbers:
        if "_sorted" in self.__dict__:
            return self._sorted.areas()
        found = None if self.ahead is None else self.ahead(self)
        if found is None:
            found = _areas_by_cut(self.packed)
        return self._sorted.areas() if found is None else found

    def areas(self) -> Numbers:
        """number[k]: for each class c, the pairs in which `own` is ranked above c.

        The sum over pairs (row of own, row of c) of w·w'·(2·[s > s'] + [s = s']): twice the pairs
        in the right order, and tied pairs once. int64 and exact without weights; 0 at `own`.

        Errors:
            OverflowError: 2 · rows of own · rows of c reaches 2^63.
        """
        return self._areas

    def know(self, areas: Numbers) -> None:
        """Store areas that were computed elsewhere."""
        self._areas = areas

    @cached_property
    def _lift_squares(self) -> Weights:
        return self._sorted.lift_squares()

    @cached_property
    def _placements(self) -> Placements:
        pairs, sides, size = self._sorted.spread()
        if self.k == 2 and not self.is_weighted:
            # The same number as from another walk.
            areas = np.zeros(2, np.int64)
            areas[1 - self.own] = pairs
            self.know(areas)
        return Placements(sides[:, 0], sides[:, 1], sides[:, 2], size)

    def placements(self) -> Placements:
        """Return the variation of the placements of the own class and the rest; see `Placements`.

        Cost: for two unweighted classes, this walk gives the areas, too.
        """
        return self._placements

    def add_influences(
        self, own_gains: Weights, rest_gains: Weights, lifts: Weights, out: Weights
    ) -> None:
        """Add terms of each row by its rank against the other classes, in m sets.

        Args:
            own_gains: float64[m, k]; a row of own gets Σ over other classes c of the gain of c ×
                the weight of the rows of c below it, tied ones half.
            rest_gains: float64[m, k]; a row of class c gets the gain of c × the weight of the rows
                of own above it, tied ones half.
            lifts: float64[m, 2]; each row gets the gain × W · the derivative of step_area ÷ W, and
                of trapezoid_area, by its weight; W: own weight.
            out: float64[n, m], in the order of the rows as given.

        Errors:
            ValueError the words have no row indices: see `rank`.
        """
        self._sorted.add_influences(own_gains, rest_gains, lifts, out)

    def lift_squares(self, *, is_straight: bool = False) -> Weights:
        """float64[2] of rest and own: Σ w²·(term of `add_influences` for a lift of 1)²."""
        return np.asarray(self._lift_squares[int(is_straight)])

    def step_area(self) -> float:
        """Σ over thresholds, best first, of (increase of own weight) × precision.

        Precision is the proportion of own weight among all at or above the threshold; rows with
        equal scores form one threshold. Divide it by ``totals[own]`` for an area of at most 1.
        """
        return self._sorted.step_area()

    def trapezoid_area(self) -> float:
        """Area under precision by the proportion of own weight found, by straight lines.

        Precision is 1 where nothing is found. The area is at most 1, and NaN without own weight.
        """
        return self._sorted.trapezoid_area()

    def blocks(self) -> Iterator[ScoreLevels]:
        """Yield score levels, best first, a few thousand at once, from the sorted rows."""
        last = self.n_rows
        while last:
            scores, counts, squares, last = self._sorted.levels(last, N_BLOCK)
            if len(scores):  # rows of weight 0 have no score level
                yield ScoreLevels(scores, counts, squares)

    @cached_property
    def _cumulative(self) -> CumulativeCounts:
        if self.is_weighted:
            levels = self._sorted.levels(self.n_rows, max(self.n_rows, 1))
            return CumulativeCounts(*levels[:3], self.n_rows)
        *points, counts = self._sorted.points(wants_counts=True)
        assert counts is not None
        thresholds, tps, fps = points
        self.__dict__.setdefault("_points", (thresholds, tps, fps))
        return CumulativeCounts(thresholds[1:], counts, None, self.n_rows)

    @cached_property
    def _points(self) -> ThresholdPoints:
        if self.is_weighted:
            return self._cumulative.points()
        return self._sorted.points(wants_counts=False)[:3]

    def cumulative(self) -> CumulativeCounts:
        """Return distinct scores, best first, with the weight of the rest and of the own class.

        Cost: without weights, this walk gives the points, too.
        """
        return self._cumulative

    def points(self) -> ThresholdPoints:
        """Return thresholds, true and false positives after a first threshold above every score."""
        return self._points

    @cached_property
    def _steps(self) -> WalkedSteps:
        packed = self._sorted  # no cycle: this column is dropped with its last reference
        return WalkedSteps(lambda left, own: packed.steps(left, own, N_BLOCK), self.n_rows)

    def steps(self) -> Iterable[Steps]:
        """Yield score levels with cumulative counts, best first, in constant memory.

        Cost: one walk over the sorted rows for each iteration.
        """
        return cumulated(self) if self.is_weighted else self._steps


def rank(
    column: Column,
    codes: Codes,
    own: int,
    k: int,
    weights: Weights | None = None,
    n_threads: int | None = None,
    totals: Numbers | None = None,
    *,
    names_rows: bool = False,
) -> Ranked:
    """Sort rows by one column of finite scores.

    Args:
        column: float32 or float64[n] of any stride, aligned and in native byte order.
        codes: int32[n], the class of each row, in [0, k).
        own: the class whose scores they are.
        k: number of classes.
        weights: float64[n], finite and at least 0.
        n_threads: threads; None means KARAT_NUM_THREADS, else all cores. It affects only the run
            time.
        totals: number[k], the weight of each class, if known, for example from another column.
        names_rows: whether terms will be added to rows; with weights they always can be.

    Returns:
        Ranked, with one packed array of 4 or 8 bytes for each row, made when first needed. Until
        then, and always with weights or if 64 bits are too few for score and class, it keeps the
        given arrays, which must not change.

    Errors:
        _native.Rejected: (kind, argument, row) of the first bad row: "range" of the codes (0),
            "nan" or "infinite" of the column (1), "negative_weight" or "bad_weight" (2).

    Cost: one sort of packed integers, which temporarily doubles the memory.

    Example:
        >>> ranked = rank(np.array([0.9, 0.4, 0.4]), np.array([1, 0, 1], np.int32), 1, 2)
        >>> ranked.areas().tolist()
        [3, 0]
    """
    packed = _native.pack_scores(
        column,
        np.ascontiguousarray(codes),
        own,
        k,
        _contiguous(weights),
        n_threads or 0,
        names_rows,
    )
    return Ranked(packed, k, own, totals, is_weighted=weights is not None)


def rank_pooled(
    values: npt.NDArray[Any],
    codes: Codes,
    k: int,
    weights: Weights | None = None,
    n_threads: int | None = None,
    *,
    names_rows: bool = False,
) -> Ranked:
    """Sort every item of a matrix as a row of two classes: 1 if its column is the true class.

    Args:
        values: float32 or float64[n, k], finite; otherwise as `rank`.

    Returns:
        Ranked with k = 2 and own = 1, of n · k rows.

    Errors:
        _native.Rejected: as `rank`; (kind, 1, row, column) for a bad value.
    """
    if values.shape[1] != k:
        raise ValueError(f"{values.shape[1]} columns for {k} classes")
    try:
        packed = _native.pack_cells(
            values, np.ascontiguousarray(codes), _contiguous(weights), n_threads or 0, names_rows
        )
    except _native.Rejected as rejected:
        raise _with_column(rejected, k) from None
    return Ranked(packed, 2, 1, is_weighted=weights is not None)


def pair_areas(
    values: npt.NDArray[Any],
    codes: Codes,
    k: int,
    weights: Weights | None = None,
    cost: npt.NDArray[Any] | None = None,
    placed: npt.NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[Numbers, Numbers]:
    """Compute, for each pair of classes i < j, the pairs in which i is ranked above j.

    The rows of a pair are sorted by d, computed from both columns in float64. Without `cost`, d is
    the score of i minus that of j. With it, t = cost · scores of the row: d = t[j] − t[i] when
    cost[i, j] + cost[j, i] is positive, t[i] − t[j] when it is negative; when it is 0, all pairs of
    rows count as tied.

    Args:
        values: float32 or float64[n, k], finite.
        codes: int32[n], the class of each row, in [0, k).
        weights: float64[n], finite and at least 0.
        cost: float[k, k], zeros on the diagonal.
        placed: float64[n], incremented for each pair: for a row of i by the weight of the rows of j
            below it, for a row of j by the weight of the rows of i above it, with ties counting
            half, ÷ the weights of both classes; unchanged if a class has zero weight.
        n_threads: number of pairs that are sorted at once, by a thread each.

    Returns:
        areas number[k, k]: as `Ranked.areas`, 0 unless i < j; totals number[k] of the classes.
        int64 and exact in d without weights.

    Errors:
        _native.Rejected: as `rank_pooled`; "infinite" also where cost · scores overflows.

    Cost: k − 1 sorts of n rows in total; 8 bytes for each row and the rows of two classes for each
    thread, with `cost` also a matrix like `values`.

    Example:
        >>> scores = np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 2.0]])
        >>> areas, totals = pair_areas(scores, np.array([0, 1, 0], np.int32), 2)
        >>> areas.tolist(), totals.tolist()
        ([[0, 4], [0, 0]], [2, 1])
    """
    if values.shape[1] != k:
        raise ValueError(f"{values.shape[1]} columns for {k} classes")
    rows, given = np.ascontiguousarray(codes), _contiguous(weights)
    try:
        pairs = _native.PairScores(values, rows, given)
        if cost is not None:
            values = _native.weigh_scores(values, np.ascontiguousarray(cost, np.float64))
            pairs = _native.PairScores(values, rows, given)
    except _native.Rejected as rejected:
        raise _with_column(rejected, k) from None
    starts, by_class = pairs.starts(), pairs.weights()
    parts = [slice(first, last) for first, last in pairwise(starts.tolist())]
    counts = np.diff(starts)
    totals = counts if by_class is None else np.array([by_class[part].sum() for part in parts])
    # A slice of it labels the rows of one class, then those of another.
    most = int(counts.max(initial=0))
    labels = np.repeat(np.array([0, 1], np.int32), most)
    areas = np.zeros((k, k), totals.dtype)
    by_rank = None if placed is None else np.zeros(len(rows))

    def compared(pair: tuple[int, int]) -> tuple[Any, Any, Any]:
        """Return the area of a pair of classes, and the terms of the rows of both."""
        i, j = pair
        side = 1.0 if cost is None else -float(cost[i, j] + cost[j, i])
        gain = 1.0 / (float(totals[i]) * float(totals[j])) if totals[i] and totals[j] else 0.0
        if side == 0.0:
            return totals[i] * totals[j], gain * totals[j] / 2, gain * totals[i] / 2
        packed = _native.pack_scores(
            pairs.differences(i, j),
            labels[most - counts[i] : most + counts[j]],
            # Under the opposite difference, the rows of j have the ranks of those of i.
            0 if side > 0 else 1,
            2,
            None if by_class is None else np.concatenate([by_class[parts[i]], by_class[parts[j]]]),
            1,
            by_rank is not None,
        )
        found = None if by_rank is not None else _areas_by_cut(packed)
        if found is None:
            packed.sort()
        area = (packed.areas() if found is None else found)[1 if side > 0 else 0]
        if by_rank is None or not gain:
            return area, 0.0, 0.0
        of_both = _native.long_array(int(counts[i] + counts[j]))[:, None]
        of_both[:] = 0.0
        gains = np.full((1, 2), gain)
        # Under the opposite difference, both sides are in the correct order against these rows.
        packed.add_influences(gains, gains, np.zeros((1, 2)), of_both)
        return area, of_both[: counts[i], 0], of_both[counts[i] :, 0]

    of_classes = list(combinations(np.flatnonzero(counts).tolist(), 2))
    for (i, j), (area, of_i, of_j) in zip(
        of_classes, _in_order(compared, of_classes, n_threads), strict=True
    ):
        areas[i, j] = area
        if by_rank is not None:
            by_rank[parts[i]] += of_i
            by_rank[parts[j]] += of_j
    if placed is not None and by_rank is not None:
        order = pairs.rows()
        for part in row_parts(len(order)):
            placed[order[part]] += by_rank[part]
    return areas, totals


def _in_order(
    make: Callable[[Item], Made], items: Iterable[Item], n_threads: int
) -> Iterator[Made]:
    """Yield what is made of each item; as many are made at once as there are threads."""
    if n_threads < 2:
        yield from map(make, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        started: deque[Future[Made]] = deque()
        for item in items:
            if len(started) == n_threads:
                yield started.popleft().result()
            started.append(pool.submit(make, item))
        while started:
            yield started.popleft().result()


def _areas_by_cut(packed: _native.PackedScores) -> Numbers | None:
    """Areas of rows by the first bits of their scores; None if these are too few."""
    cut = packed.cut()
    if cut is None:
        return None
    cut.sort()
    return cut.areas()


def _contiguous(weights: Weights | None) -> Weights | None:
    return None if weights is None else np.ascontiguousarray(weights)


def _with_column(rejected: _native.Rejected, k: int) -> _native.Rejected:
    """Return the problem with row and column for the item of a matrix."""
    kind, argument, item = rejected.args[:3]
    if argument != 1:
        return rejected
    row, column = divmod(item, k)
    return _native.Rejected(kind, argument, row, column)
