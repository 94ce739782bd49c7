"""Rungs of a ladder in blocks: whoever reads them once, best first, need not hold them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["N_BLOCK", "RungSource", "Rungs", "Steps", "cumulated"]

N_BLOCK: Final = 1 << 14
"""Rungs of a block: what is computed of them stays in the cache of a core."""

Numbers = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


class Rungs(NamedTuple):
    """Consecutive rungs.

    Attributes:
        scores: float64[u], strictly descending.
        counts: int64[u, 2] rows, or float64[u, 2] Σw: of the rest, and of the own class.
        squares: float64[u, 2] Σw²; None when unweighted.
    """

    scores: Floats
    counts: Numbers
    squares: Floats | None


class RungSource(Protocol):
    """Distinct scores with the weight of own class and rest, held or read off sorted rows.

    Attributes:
        n_rows: rows read, whatever they weigh: no fewer than rungs.
        is_weighted: whether the counts are sums of weights.
    """

    @property
    def n_rows(self) -> int: ...
    @property
    def is_weighted(self) -> bool: ...

    def blocks(self) -> Iterator[Rungs]:
        """All rungs, best first, at most `N_BLOCK` at once; none is empty."""
        ...


class Steps(NamedTuple):
    """Consecutive rungs, and what is called positive from each of them on.

    Attributes:
        thresholds: float64[u], strictly descending.
        tps, fps: float64[u], weight of the true and of the false positives at or above each.
        tps_before, fps_before: the same of the rung before the first; 0 where there is none.
    """

    thresholds: Floats
    tps: Floats
    fps: Floats
    tps_before: float
    fps_before: float


def cumulated(source: RungSource) -> Iterator[Steps]:
    """The rungs of a source, added up.

    Example:
        >>> from karat.tally import Ladder
        >>> (steps,) = cumulated(Ladder.of([0.9, 0.3, 0.9], [True, False, False]))
        >>> steps.tps.tolist(), steps.fps.tolist()
        ([1.0, 1.0], [1.0, 2.0])
    """
    before: Numbers | None = None
    for scores, counts, _ in source.blocks():
        if before is None:
            before = np.zeros((1, 2), counts.dtype)
        # The sum goes on from block to block as if there was one.
        sums = np.cumsum(np.concatenate([before, counts]), axis=0)
        fps, tps = (np.ascontiguousarray(sums[:, side], np.float64) for side in (0, 1))
        yield Steps(scores, tps[1:], fps[1:], float(tps[0]), float(fps[0]))
        before = sums[-1:]
