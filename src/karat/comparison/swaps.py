"""Swap permutation: where two models are equally good, which of them said what is a coin's throw.

On each row on which they differ the two predictions are exchanged or not. Rows of one joint cell
are alike, so that a binomial draw a cell exchanges all of them (Good 2005; for tables of counts).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, JointCells

__all__ = ["swap_p_values"]

_BLOCK: Final = 1 << 21
_DENSE_K: Final = 64
_TIE: Final = 1e-12


def swap_p_values(
    pair: JointCells,
    metrics: Sequence[Metric],
    n_permutations: int,
    seed: Sequence[int],
    policy: Policy = "zero",
) -> list[float]:
    """(1 + replicates with at least the difference seen) ÷ (1 + replicates), for each metric.

    Args:
        pair: two models, unweighted.
        metrics: of labels.
        n_permutations: replicates.
        seed: of the draws; the same for every metric, so that they see the same replicates.

    Cost: a binomial draw for each replicate and joint cell on which the models differ.
    """
    true, first, second = pair.codes
    k = pair.classes.k
    keys = np.unique(np.concatenate([true * k + first, true * k + second]))
    listed = np.arange(k * k) if k <= _DENSE_K else keys
    place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
    base = [np.bincount(at, pair.counts, len(listed)) for at in place]
    differs = first != second
    n, own = pair.counts[differs], [at[differs] for at in place]
    moves = np.zeros((len(n), len(listed)))
    moves[np.arange(len(n)), own[0]] -= 1.0
    moves[np.arange(len(n)), own[1]] += 1.0

    def differences(moved: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        left, right = (
            np.stack(
                [metric.values(_tables(pair, listed, table), policy).value for metric in metrics]
            )
            for table in (base[0] + moved, base[1] - moved)
        )
        return np.asarray(left - right)

    seen = np.abs(differences(np.zeros((1, len(listed)))))
    rng = np.random.default_rng(list(seed))
    beyond = np.zeros(len(metrics), np.int64)
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_permutations, step):
        r = min(step, n_permutations - start)
        drawn = rng.binomial(n, 0.5, (r, len(n))).astype(np.float64)
        found = np.abs(differences(drawn @ moves))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [float((1 + count) / (1 + n_permutations)) for count in beyond]


def _tables(
    pair: JointCells, listed: npt.NDArray[np.int64], table: npt.NDArray[np.float64]
) -> Cells:
    """Tables of replicates [r, listed] as tallies of one leading axis."""
    k = pair.classes.k
    counts = np.rint(table).astype(np.int64)
    if k <= _DENSE_K:
        return Cells.dense(counts.reshape(-1, k, k), classes=pair.classes)
    rows, cols = np.divmod(listed, k)
    return Cells.sparse(rows, cols, counts, classes=pair.classes)
