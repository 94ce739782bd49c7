"""Swap permutation: of the rows on which two models differ each is exchanged, or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.comparison.families import p_of_replicates
from karat.inference.limits import Floats
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._metric import values_together
from karat.tally import Cells, Classes, JointCells
from karat.tally.cells import summed_by

Counts: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_BLOCK: Final = 1 << 21
_DENSE_K: Final = 64
_TIE: Final = 1e-12
_MOST_DRAWS: Final = 20_000_000
_FEWEST: Final = 499
_WORD: Final = 64
_ALL: Final = 2**64 - 1
_MANY: Final = 1 << 16
"""Where the models differ in more joint cells, cells of one row take a bit each."""


def swap_p_values(
    pair: JointCells,
    metrics: Sequence[Metric],
    n_permutations: int,
    seed: int | Sequence[int],
    policy: Policy = "zero",
    *,
    are_occurring: bool = False,
) -> tuple[list[float], int]:
    """(1 + replicates with at least the difference seen) ÷ (1 + replicates), for each metric.

    All metrics see the same replicates, of which fewer are drawn where the models differ in very
    many cells: how many is returned, too. The order of the models does not change them.

    Args:
        are_occurring: whether only classes that are true, or predicted on that side of a
            replicate, count in its value.

    Cost: a binomial draw for each replicate and joint cell on which the models differ.
    """
    true, first, second, counts = _in_one_order(pair)
    k = pair.classes.k
    keys = np.sort(np.concatenate([true * k + first, true * k + second]))
    listed = np.arange(k * k) if k <= _DENSE_K else keys[np.diff(keys, prepend=-1) > 0]
    rows = summed_by(true, counts, k)
    differs = first != second
    n = counts[differs]
    order = np.argsort(n, kind="stable") if len(n) > _MANY else np.arange(len(n))
    parts: list[tuple[_Tables, list[int]]] = []
    for is_whole, count, places in _layouts(metrics, are_occurring=are_occurring):
        if is_whole:
            size = len(listed)
            place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
        else:  # hits by class, then false alarms
            size = 2 * k
            place = [np.where(said == true, true, said + k) for said in (first, second)]
        base = [summed_by(at, counts, size) for at in place]
        out, into = (at[differs][order] for at in place)
        classes = pair.classes
        tables = _Tables(classes, rows, listed if is_whole else None, size, base, out, into, count)
        parts.append((tables, places))
    n = n[order]

    def differences(drawn: Counts) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        found = np.empty((len(metrics), len(drawn)))
        for tables, places in parts:
            some = [metrics[place] for place in places]
            left, right = (tables.values(some, side, policy) for side in tables.sides(drawn))
            # Two endless values do not differ.
            is_same = left == right
            found[places] = np.subtract(left, right, out=np.zeros(left.shape), where=~is_same)
        return found

    seen = np.abs(differences(np.zeros((1, len(n)), np.int64)))
    rng = np.random.default_rng(seed)
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(_heads(rng, n, min(step, n_drawn - start))))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [p_of_replicates(count, n_drawn) for count in beyond.tolist()], n_drawn


_Count: TypeAlias = Literal["all", "occurring", "in place"]
"""Classes that count on a side of a replicate: all; those that occur, in any order or in theirs."""


def _layouts(
    metrics: Sequence[Metric], *, are_occurring: bool
) -> Iterator[tuple[bool, _Count, list[int]]]:
    """Whether tables have cells, the classes that count, and the places of the metrics they give.

    A metric of cells has the same value with classes that do not occur, unless it reads their
    order.
    """
    if not are_occurring:
        yield any(metric.needs_cells for metric in metrics), "all", [*range(len(metrics))]
        return
    by_count: dict[_Count, list[int]] = {}
    for place, metric in enumerate(metrics):
        of_cells: _Count = "in place" if metric.reads_order else "all"
        by_count.setdefault(of_cells if metric.needs_cells else "occurring", []).append(place)
    for count, places in by_count.items():
        yield count != "occurring", count, places


@dataclass(frozen=True, eq=False)
class _Tables:
    """Tables of two models that exchange predictions.

    Attributes:
        rows: int64[k], of each true class.
        listed: int64[size], the cells of the tables; None: they have hits and false alarms.
        base: int64[size] of both models.
        out, into: int64[d], the place that a row of each differing cell leaves, and enters.
        count: the classes that count.
    """

    classes: Classes
    rows: Counts
    listed: Counts | None
    size: int
    base: Sequence[Counts]
    out: Counts
    into: Counts
    count: _Count

    def sides(self, drawn: Counts) -> tuple[Counts, Counts]:
        """int64[r, size] of both models, where so many rows of each cell are exchanged."""
        moved = summed_by(self.into, drawn, self.size)
        moved -= summed_by(self.out, drawn, self.size)
        return self.base[0] + moved, self.base[1] - moved

    def values(self, metrics: Sequence[Metric], sums: Counts, policy: Policy) -> Floats:
        """float64[metrics, r]: of tables int64[r, size]."""
        if self.count == "all":
            return values_together(metrics, self._cells(sums), policy)
        found = np.empty((len(metrics), len(sums)))
        split = self._by_place if self.count == "in place" else self._by_number
        for at, cells in split(sums):
            found[:, at] = values_together(metrics, cells, policy)
        return found

    def _cells(self, sums: Counts) -> Cells:
        """Tables of replicates int64[r, size] as tallies of one leading axis."""
        k, classes = self.classes.k, self.classes
        if self.listed is None:
            hits, alarms = sums[:, :k], sums[:, k:]
            return Cells.marginals(hits, alarms, self.rows - hits, classes=classes)
        if k <= _DENSE_K:
            return Cells.dense(sums.reshape(-1, k, k), classes=classes)
        return Cells.sparse(*np.divmod(self.listed, k), sums, classes=classes)

    def _by_number(self, sums: Counts) -> Iterator[tuple[Flags, Cells]]:
        """Replicates with as many occurring classes, which stand in any order."""
        k = self.classes.k
        hits, alarms = sums[:, :k], sums[:, k:]
        sure, others = np.flatnonzero(self.rows > 0), np.flatnonzero(self.rows == 0)
        occurs = alarms[:, others] > 0
        first = others[np.argsort(~occurs, axis=1, kind="stable")]
        n = occurs.sum(axis=1)
        for size in np.unique(n).tolist():
            at = n == size
            ahead = np.broadcast_to(sure, (int(at.sum()), len(sure)))
            columns = np.concatenate([ahead, first[at, :size]], axis=1)
            right, wrong = (np.take_along_axis(x[at], columns, axis=1) for x in (hits, alarms))
            classes = Classes(tuple(range(columns.shape[1])))
            missed = self.rows[columns] - right
            yield at, Cells.marginals(right, wrong, missed, classes=classes)

    def _by_place(self, sums: Counts) -> Iterator[tuple[Flags, Cells]]:
        """Replicates with the same occurring classes."""
        assert self.listed is not None
        k, whole = self.classes.k, np.zeros((len(sums), self.classes.k), np.int64)
        true, pred = np.divmod(self.listed, k)
        for column in np.unique(pred).tolist():
            whole[:, column] = sums[:, pred == column].sum(axis=1)
        patterns, of = np.unique((whole > 0) | (self.rows > 0), axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            at, kept = of.ravel() == i, np.flatnonzero(pattern)
            inside = pattern[true] & pattern[pred]
            classes = replace(self.classes.some(kept.tolist()), positive=None)
            rows, cols = (np.searchsorted(kept, codes[inside]) for codes in (true, pred))
            some = sums[at][:, inside]
            if k <= _DENSE_K:
                yield at, Cells.dense(some.reshape(-1, len(kept), len(kept)), classes=classes)
            else:
                yield at, Cells.sparse(rows, cols, some, classes=classes)


def _in_one_order(pair: JointCells) -> tuple[Counts, Counts, Counts, Counts]:
    """True classes, predictions of two models and counts of the joint cells, sorted by the codes.

    Of both orders of the models it takes the one that sorts first, so that the same rows see the
    same replicates.
    """
    found = []
    for first, second in ((1, 2), (2, 1)):
        codes = [pair.codes[0], pair.codes[first], pair.codes[second]]
        order = np.lexsort(codes[::-1])
        found.append(tuple(np.asarray(each[order], np.int64) for each in (*codes, pair.counts)))
    sides = [np.stack(one) for one in found]
    differs = np.flatnonzero((sides[0] != sides[1]).ravel())
    place = differs[0] if len(differs) else 0
    is_other = len(differs) > 0 and sides[1].flat[place] < sides[0].flat[place]
    true, of_first, of_second, counts = sides[int(is_other)]
    return true, of_first, of_second, counts


def _heads(rng: np.random.Generator, n: Counts, r: int) -> Counts:
    """int64[r, cells]: heads of n coins each; up to 64 coins are the bits of one word."""
    drawn = np.empty((r, len(n)), np.int64)
    n_bits = int(np.count_nonzero(n == 1)) if len(n) > _MANY else 0  # which come first
    packed = rng.integers(0, 256, (r, -(-n_bits // 8)), np.uint8)
    drawn[:, :n_bits] = np.unpackbits(packed, axis=1, count=n_bits)
    n, rest = n[n_bits:], drawn[:, n_bits:]
    few = n <= _WORD
    masks = np.full(int(few.sum()), _ALL, np.uint64) >> (_WORD - n[few]).astype(np.uint64)
    words = rng.integers(0, _ALL, (r, len(masks)), np.uint64, endpoint=True)
    words &= masks
    rest[:, few] = np.bitwise_count(words)
    rest[:, ~few] = rng.binomial(n[~few], 0.5, (r, len(n) - len(masks)))
    return drawn
