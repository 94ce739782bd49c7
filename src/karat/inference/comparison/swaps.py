"""Swap permutation: of the rows on which two models differ each is exchanged, or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

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
) -> tuple[list[float], int]:
    """(1 + replicates with at least the difference seen) ÷ (1 + replicates), for each metric.

    All metrics see the same replicates, of which fewer are drawn where the models differ in very
    many cells: how many is returned, too. The order of the models does not change them.

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
    tables: _OfCells | _OfTotals
    if any(metric.needs_cells for metric in metrics):
        place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
        moves = [at[differs][order] for at in place]
        base = [summed_by(at, counts, len(listed)) for at in place]
        tables = _OfCells(pair.classes, listed, base, moves)
    else:
        place = [np.where(said == true, true, said + k) for said in (first, second)]
        moves = [at[differs][order] for at in place]
        base = [summed_by(at, counts, 2 * k) for at in place]
        reads_rest = any(_reads_rest(metric, policy) for metric in metrics)
        tables = _OfTotals(pair.classes, summed_by(true, counts, k), base, moves, reads_rest)

    def differences(bits: Bits, heads: Counts) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        both = values_together(metrics, tables.exchanged(bits, heads), policy)
        left, right = np.split(both, 2, axis=1)
        # Two endless values do not differ.
        is_same = left == right
        return np.asarray(np.subtract(left, right, out=np.zeros(left.shape), where=~is_same))

    seen = np.abs(differences(np.zeros((1, 0), np.uint8), np.zeros((1, len(n)), np.int64)))
    rng = np.random.default_rng(seed)
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(*_heads(rng, n, n_bits, min(step, n_drawn - start))))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [p_of_replicates(count, n_drawn) for count in beyond.tolist()], n_drawn


@dataclass(frozen=True, slots=True, eq=False)
class _OfCells:
    """Cells of both models, of which replicates exchange rows.

    Attributes:
        listed: int64[m], true class · k + predicted class of each cell.
        base: int64[m] of each model, its rows.
        moves: the place in the list of the cells of the first and of the second model, where they
            differ.
    """

    classes: Classes
    listed: Counts
    base: Sequence[Counts]
    moves: Sequence[Counts]

    def exchanged(self, bits: Bits, heads: Counts) -> Cells:
        """Tables of the first model in each replicate, then of the second: one leading axis."""
        (out, into), (first, second) = self.moves, self.base
        n_bits, m = len(out) - heads.shape[1], len(self.listed)
        drawn = np.concatenate([np.unpackbits(bits, axis=1, count=n_bits), heads], axis=1)
        moved = summed_by(into, drawn, m)
        moved -= summed_by(out, drawn, m)
        sums, k = np.concatenate([first + moved, second - moved]), self.classes.k
        if k <= _DENSE_K:
            return Cells.dense(sums.reshape(-1, k, k), classes=self.classes)
        return Cells.sparse(*np.divmod(self.listed, k), sums, classes=self.classes)


class _OfTotals:
    """Class totals of both models, of which replicates exchange rows.

    Args:
        rows: int64[k], true rows of each class.
        base: int64[2k] of each model: hits, then false alarms of each class.
        moves: the totals that rows are of, where the models differ: of the first, of the second.
        has_rest: False: no formula reads true negatives, and any numbers stand for them.
    """

    def __init__(
        self,
        classes: Classes,
        rows: Counts,
        base: Sequence[Counts],
        moves: Sequence[Counts],
        has_rest: bool,
    ) -> None:
        self._classes, self._n, self._has_rest = classes, int(rows.sum()), has_rest
        # Whole numbers are exact in float64, and formulas read them so.
        self._rows, self._base = rows.astype(np.float64), np.array(base, np.float64)
        self._out, self._into = (at.astype(np.int32) for at in moves)

    def exchanged(self, bits: Bits, heads: Counts) -> Cells:
        """Tables of the first model in each replicate, then of the second: one leading axis."""
        given = bits, heads, self._out, self._into, self._base, self._rows
        totals = _native.exchange_totals(*given)
        _, fp, fn = totals
        tn = self._n - self._rows - fp if self._has_rest else fn
        return Cells.of_totals(totals, tn, self._n, classes=self._classes)


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
