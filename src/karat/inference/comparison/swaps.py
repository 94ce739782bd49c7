"""Swap permutation: where two models are equally good, which of them said what is a coin's throw.

On each row on which they differ the two predictions are exchanged or not. Rows of one joint cell
are alike, so that a binomial draw a cell exchanges all of them (Good 2005; for tables of counts).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, JointCells

__all__ = ["swap_p_values"]

_BLOCK: Final = 1 << 21
_DENSE_K: Final = 64
_TIE: Final = 1e-12
_MOST_DRAWS: Final = 20_000_000
_FEWEST: Final = 499
_WORD: Final = 64
_ALL: Final = 2**64 - 1

Floats: TypeAlias = npt.NDArray[np.float64]


def swap_p_values(
    pair: JointCells,
    metrics: Sequence[Metric],
    n_permutations: int,
    seed: Sequence[int],
    policy: Policy = "zero",
) -> tuple[list[float], int]:
    """(1 + replicates with at least the difference seen) ÷ (1 + replicates), for each metric.

    Args:
        pair: two models, unweighted.
        metrics: of labels.
        n_permutations: replicates; fewer are drawn where the models differ in very many cells.
        seed: of the draws; the same for every metric, so that they see the same replicates.

    Returns:
        p-values, and how many replicates were drawn.

    Cost: a binomial draw for each replicate and joint cell on which the models differ.
    """
    true, first, second = pair.codes
    k = pair.classes.k
    keys = np.unique(np.concatenate([true * k + first, true * k + second]))
    listed = np.arange(k * k) if k <= _DENSE_K else keys
    place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
    base = [np.bincount(at, pair.counts, len(listed)) for at in place]
    differs = first != second
    n = pair.counts[differs]
    out, into = (_Places(at[differs]) for at in place)

    def differences(drawn: Floats) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        moved = np.zeros((len(drawn), len(listed)))
        moved[:, out.distinct] -= out.summed(drawn)
        moved[:, into.distinct] += into.summed(drawn)
        sides = [_tables(pair, listed, table) for table in (base[0] + moved, base[1] - moved)]
        left, right = ([m.values(cells, policy).value for m in metrics] for cells in sides)
        return np.asarray(np.subtract(left, right))

    seen = np.abs(differences(np.zeros((1, len(n)))))
    rng = np.random.default_rng(list(seed))
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(_heads(rng, n, min(step, n_drawn - start))))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [float((1 + count) / (1 + n_drawn)) for count in beyond], n_drawn


def _heads(rng: np.random.Generator, n: npt.NDArray[np.int64], r: int) -> Floats:
    """float64[r, cells]: heads of n coins each; up to 64 coins are the bits of one word."""
    drawn = np.empty((r, len(n)))
    few = n <= _WORD
    masks = np.full(int(few.sum()), _ALL, np.uint64) >> (_WORD - n[few]).astype(np.uint64)
    words = rng.integers(0, _ALL, (r, len(masks)), np.uint64, endpoint=True)
    drawn[:, few] = np.bitwise_count(words & masks)
    drawn[:, ~few] = rng.binomial(n[~few], 0.5, (r, len(n) - len(masks)))
    return drawn


class _Places:
    """Where the rows of each cell go, so that those of one place are added up.

    Attributes:
        distinct: int64[d], the places.
    """

    def __init__(self, place: npt.NDArray[np.int64]) -> None:
        self._order = np.argsort(place, kind="stable")
        self.distinct, self._starts = np.unique(place[self._order], return_index=True)

    def summed(self, drawn: Floats) -> Floats:
        """float64[r, d] from float64[r, cells]."""
        if not len(self._order):
            return np.zeros((len(drawn), 0))
        return np.asarray(np.add.reduceat(drawn[:, self._order], self._starts, axis=1))


def _tables(pair: JointCells, listed: npt.NDArray[np.int64], table: Floats) -> Cells:
    """Tables of replicates [r, listed] as tallies of one leading axis."""
    k = pair.classes.k
    counts = np.rint(table).astype(np.int64)
    if k <= _DENSE_K:
        return Cells.dense(counts.reshape(-1, k, k), classes=pair.classes)
    rows, cols = np.divmod(listed, k)
    return Cells.sparse(rows, cols, counts, classes=pair.classes)
