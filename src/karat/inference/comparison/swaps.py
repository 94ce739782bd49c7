"""Swap permutation: of the rows on which two models differ each is exchanged, or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.limits import Floats
from karat.inference.p_values import p_of_replicates
from karat.metrics import Metric
from karat.metrics._formula import walk
from karat.metrics._lift import Policy
from karat.metrics._metric import values_together
from karat.tally import Cells, Classes, JointCells
from karat.tally.axes import keys_of
from karat.tally.cells import summed_by

Counts: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.uint8]
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
    differs = first != second
    n = counts[differs]
    order, n_bits = np.arange(len(n)), 0
    if len(n) > _MANY:
        order = np.argsort(n, kind="stable")
        n = n[order]
        n_bits = int(np.count_nonzero(n == 1))
    keys = np.sort(np.concatenate([true * k + first, true * k + second]))
    listed = np.arange(k * k) if k <= _DENSE_K else keys[np.diff(keys, prepend=-1) > 0]
    rows = summed_by(true, counts, k)
    parts: list[tuple[_OfCells | _OfTotals, list[int]]] = []
    for is_whole, count, places in _layouts(metrics, are_occurring=are_occurring):
        if is_whole:
            place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
        else:  # hits by class, then false alarms
            place = [np.where(said == true, true, said + k) for said in (first, second)]
        moves = [at[differs][order] for at in place]
        base = [summed_by(at, counts, len(listed) if is_whole else 2 * k) for at in place]
        if is_whole:
            parts.append((_OfCells(pair.classes, rows, listed, base, moves, count), places))
            continue
        reads_rest = any(_reads_rest(metrics[i], policy) for i in places)
        tables = _OfTotals(pair.classes, rows, base, moves, reads_rest, count)
        parts.append((tables, places))

    def differences(bits: Bits, heads: Counts) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        each = np.empty((len(metrics), len(heads)))
        for tables, places in parts:
            some = [metrics[place] for place in places]
            both = np.empty((len(some), 2 * len(heads)))
            for at, cells in tables.exchanged(bits, heads):
                both[:, at] = values_together(some, cells, policy)
            left, right = np.split(both, 2, axis=1)
            # Two endless values do not differ.
            is_same = left == right
            each[places] = np.subtract(left, right, out=np.zeros(left.shape), where=~is_same)
        return each

    seen = np.abs(differences(np.zeros((1, 0), np.uint8), np.zeros((1, len(n)), np.int64)))
    rng = np.random.default_rng(seed)
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(*_heads(rng, n, n_bits, min(step, n_drawn - start))))
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


_EVERY: Final = slice(None)


@dataclass(frozen=True, slots=True, eq=False)
class _OfCells:
    """Cells of both models, of which replicates exchange rows.

    Attributes:
        rows: int64[k], of each true class.
        listed: int64[m], true class · k + predicted class of each cell.
        base: int64[m] of each model, its rows.
        moves: the place in the list of the cells of the first and of the second model, where they
            differ.
        count: the classes that count.
    """

    classes: Classes
    rows: Counts
    listed: Counts
    base: Sequence[Counts]
    moves: Sequence[Counts]
    count: _Count

    def exchanged(self, bits: Bits, heads: Counts) -> Iterator[tuple[Flags | slice, Cells]]:
        """Tables of the first model in each replicate, then of the second: one leading axis.

        Each with the places of its replicates among all.
        """
        sums, k = self._sums(bits, heads), self.classes.k
        if self.count == "in place":
            yield from self._by_place(sums)
        elif k <= _DENSE_K:
            yield _EVERY, Cells.dense(sums.reshape(-1, k, k), classes=self.classes)
        else:
            yield _EVERY, Cells.sparse(*np.divmod(self.listed, k), sums, classes=self.classes)

    def _sums(self, bits: Bits, heads: Counts) -> Counts:
        (out, into), (first, second) = self.moves, self.base
        n_bits, m = len(out) - heads.shape[1], len(self.listed)
        drawn = np.concatenate([np.unpackbits(bits, axis=1, count=n_bits), heads], axis=1)
        moved = summed_by(into, drawn, m)
        moved -= summed_by(out, drawn, m)
        return np.concatenate([first + moved, second - moved])

    def _by_place(self, sums: Counts) -> Iterator[tuple[Flags, Cells]]:
        """Replicates with the same occurring classes."""
        k, whole = self.classes.k, np.zeros((len(sums), self.classes.k), np.int64)
        true, pred = np.divmod(self.listed, k)
        for column in np.unique(pred).tolist():
            whole[:, column] = sums[:, pred == column].sum(axis=1)
        patterns, of = np.unique((whole > 0) | (self.rows > 0), axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            at, kept = of.ravel() == i, np.flatnonzero(pattern)
            inside = pattern[true] & pattern[pred]
            classes = replace(self.classes.some(kept.tolist()), positive=None)
            some = sums[at][:, inside]
            if k <= _DENSE_K:
                yield at, Cells.dense(some.reshape(-1, len(kept), len(kept)), classes=classes)
            else:
                rows, cols = (np.searchsorted(kept, codes[inside]) for codes in (true, pred))
                yield at, Cells.sparse(rows, cols, some, classes=classes)


class _OfTotals:
    """Class totals of both models, of which replicates exchange rows.

    Args:
        rows: int64[k], true rows of each class.
        base: int64[2k] of each model: hits, then false alarms of each class.
        moves: the totals that rows are of, where the models differ: of the first, of the second.
        has_rest: False: no formula reads true negatives, and any numbers stand for them.
        count: the classes that count.
    """

    def __init__(
        self,
        classes: Classes,
        rows: Counts,
        base: Sequence[Counts],
        moves: Sequence[Counts],
        has_rest: bool,
        count: _Count,
    ) -> None:
        self._classes, self._n, self._has_rest = classes, int(rows.sum()), has_rest
        # Whole numbers are exact in float64, and formulas read them so.
        self._rows, self._base = rows.astype(np.float64), np.array(base, np.float64)
        self._out, self._into = (at.astype(np.int32) for at in moves)
        self._count = count

    def exchanged(self, bits: Bits, heads: Counts) -> Iterator[tuple[Flags | slice, Cells]]:
        """As of `_OfCells`."""
        given = bits, heads, self._out, self._into, self._base, self._rows
        totals = _native.exchange_totals(*given)
        if self._count == "occurring":
            yield from self._by_number(totals)
        else:
            yield _EVERY, self._cells(totals, self._rows, self._classes)

    def _cells(self, totals: Floats, rows: Floats, classes: Classes) -> Cells:
        _, fp, fn = totals
        tn = self._n - rows - fp if self._has_rest else fn
        return Cells.of_totals(totals, tn, self._n, classes=classes)

    def _by_number(self, totals: Floats) -> Iterator[tuple[Flags, Cells]]:
        """Replicates with as many occurring classes, which stand in any order."""
        sure, others = np.flatnonzero(self._rows > 0), np.flatnonzero(self._rows == 0)
        occurs = totals[1][:, others] > 0
        first = others[np.argsort(~occurs, axis=1, kind="stable")]
        n = occurs.sum(axis=1)
        for size in np.unique(n).tolist():
            at = n == size
            ahead = np.broadcast_to(sure, (int(at.sum()), len(sure)))
            columns = np.concatenate([ahead, first[at, :size]], axis=1)
            some = np.stack([np.take_along_axis(each[at], columns, axis=1) for each in totals])
            classes = Classes(tuple(range(columns.shape[1])))
            yield at, self._cells(some, self._rows[columns], classes)


def _reads_rest(metric: Metric, policy: Policy) -> bool:
    """True if the formula reads true negatives."""
    nodes = walk(metric.traced(policy).value)
    return any(node.op == "field" and node.value == "tn" for node in nodes)


def _in_one_order(pair: JointCells) -> tuple[Counts, Counts, Counts, Counts]:
    """True classes, predictions of two models and counts of the joint cells, sorted by the codes.

    Of both orders of the models it takes the one that sorts first, so that the same rows see the
    same replicates.
    """
    found = []
    for first, second in ((1, 2), (2, 1)):
        codes = [pair.codes[0], pair.codes[first], pair.codes[second]]
        keys, _ = keys_of(codes, [pair.classes.k] * len(codes))
        order = np.argsort(keys)  # no two cells have the same codes
        found.append(tuple(np.asarray(each[order], np.int64) for each in (*codes, pair.counts)))
    left, right = found
    chosen = left
    for one, other in zip(left, right, strict=True):
        differs = one != other
        if differs.any():
            at = differs.argmax()
            chosen = left if one[at] < other[at] else right
            break
    true, of_first, of_second, counts = chosen
    return true, of_first, of_second, counts


def _heads(rng: np.random.Generator, n: Counts, n_bits: int, r: int) -> tuple[Bits, Counts]:
    """Heads of n coins for each cell: of the first n_bits, of one coin, a bit; then int64[r, rest].

    Up to 64 coins are the bits of one word.
    """
    bits = rng.integers(0, 256, (r, -(-n_bits // 8)), np.uint8)
    n = n[n_bits:]
    heads = np.empty((r, len(n)), np.int64)
    few = n <= _WORD
    masks = np.full(int(few.sum()), _ALL, np.uint64) >> (_WORD - n[few]).astype(np.uint64)
    words = rng.integers(0, _ALL, (r, len(masks)), np.uint64, endpoint=True)
    words &= masks
    heads[:, few] = np.bitwise_count(words)
    heads[:, ~few] = rng.binomial(n[~few], 0.5, (r, len(n) - len(masks)))
    return bits, heads
