"""Swap permutation: of the rows on which two models differ each is exchanged, or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.comparison.families import p_of_replicates
from karat.inference.limits import Floats
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._metric import values_together
from karat.tally import Cells, JointCells
from karat.tally.cells import summed_by

Counts: TypeAlias = npt.NDArray[np.int64]

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
    keys = np.sort(np.concatenate([true * k + first, true * k + second]))
    listed = np.arange(k * k) if k <= _DENSE_K else keys[np.diff(keys, prepend=-1) > 0]
    is_whole = any(metric.needs_cells for metric in metrics)
    if is_whole:
        size = len(listed)
        place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
    else:  # hits by class, then false alarms
        size = 2 * k
        place = [np.where(said == true, true, said + k) for said in (first, second)]
    base = [summed_by(at, counts, size) for at in place]
    rows = summed_by(true, counts, k)
    differs = first != second
    n, out, into = (each[differs] for each in (counts, *place))
    if len(n) > _MANY:
        order = np.argsort(n, kind="stable")
        n, out, into = n[order], out[order], into[order]

    def tables(sums: Counts) -> Cells:
        """Tables of replicates int64[r, size] as tallies of one leading axis."""
        if not is_whole:
            hits, alarms = sums[:, :k], sums[:, k:]
            return Cells.marginals(hits, alarms, rows - hits, classes=pair.classes)
        if k <= _DENSE_K:
            return Cells.dense(sums.reshape(-1, k, k), classes=pair.classes)
        return Cells.sparse(*np.divmod(listed, k), sums, classes=pair.classes)

    def differences(drawn: Counts) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        moved = summed_by(into, drawn, size)
        moved -= summed_by(out, drawn, size)
        sides = (base[0] + moved, base[1] - moved)
        left, right = (values_together(metrics, tables(side), policy) for side in sides)
        # Two endless values do not differ.
        is_same = left == right
        return np.asarray(np.subtract(left, right, out=np.zeros(left.shape), where=~is_same))

    seen = np.abs(differences(np.zeros((1, len(n)), np.int64)))
    rng = np.random.default_rng(seed)
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(_heads(rng, n, min(step, n_drawn - start))))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [p_of_replicates(count, n_drawn) for count in beyond.tolist()], n_drawn


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
