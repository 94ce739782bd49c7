"""Isotonic regression of what came true on the confidence: the best that a monotone map could do.

Ref: Dimitriadis, Gneiting, Jordan (2021). Stable reliability diagrams for probabilistic
classifiers. PNAS 118.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Ladder

__all__ = ["Recalibrated", "pooled", "recalibrated"]

Numbers: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

_FEW: Final = 256
"""So many blocks are pooled one by one faster than all at once."""
_SLOW: Final = 0.9
"""A pass that leaves a larger share of the blocks is not worth another one."""


@dataclass(frozen=True, eq=False)
class Recalibrated:
    """Confidences and their isotonic recalibration, both ascending.

    Attributes:
        p: float64[u], the distinct confidences.
        misses, hits: float64[u], weight of what did not and what did come true.
        starts: int[m], where each block of equal recalibrated values begins.
        block_misses, block_hits: float64[m].
    """

    p: Floats
    misses: Floats
    hits: Floats
    starts: npt.NDArray[np.intp]
    block_misses: Floats
    block_hits: Floats

    @property
    def block_values(self) -> Floats:
        """float64[m]: the recalibrated value of each block, its share of hits."""
        return self.block_hits / (self.block_hits + self.block_misses)

    @property
    def values(self) -> Floats:
        """float64[u]: the recalibrated value of each confidence."""
        return np.repeat(self.block_values, np.diff(np.append(self.starts, len(self.p))))


def recalibrated(ladder: Ladder) -> Recalibrated:
    """The isotonic recalibration of a ladder of confidences, own class: what came true.

    Cost: O(rungs) as a rule; a plain loop where rungs are pooled one after the other.
    """
    counts = ladder.counts[::-1]
    starts = pooled(counts[:, 1], counts.sum(axis=1))
    blocks = np.add.reduceat(counts, starts, axis=0) if len(starts) else counts
    misses, hits = (np.asarray(counts[:, side], np.float64) for side in (0, 1))
    block_misses, block_hits = (np.asarray(blocks[:, side], np.float64) for side in (0, 1))
    return Recalibrated(ladder.scores[::-1], misses, hits, starts, block_misses, block_hits)


def pooled(hits: Numbers, weight: Numbers) -> npt.NDArray[np.intp]:
    """int[m]: where the blocks of the isotonic regression of hits ÷ weight begin.

    Neighbours that do not ascend end up in one block, in whatever order they are pooled:
    whole falling runs are pooled at once until few are left.

    Args:
        hits, weight: number[u], weight above 0, in the order of the confidences.
    """
    starts = np.arange(len(weight))
    while len(weight) > _FEW:
        share = hits / weight
        first = np.flatnonzero(np.concatenate([[True], share[1:] > share[:-1]]))
        is_slow = len(first) > _SLOW * len(weight)
        hits, weight = np.add.reduceat(hits, first), np.add.reduceat(weight, first)
        starts = starts[first]
        if is_slow:
            break
    # One by one: a block that does not ascend from the last is pooled with it, and so on back.
    blocks: list[tuple[int, Any, Any]] = []
    for start, own_hits, own_weight in zip(
        starts.tolist(), hits.tolist(), weight.tolist(), strict=True
    ):
        at, h, w = start, own_hits, own_weight
        while blocks and blocks[-1][1] * w >= h * blocks[-1][2]:
            at, before_hits, before_weight = blocks.pop()
            h, w = h + before_hits, w + before_weight
        blocks.append((at, h, w))
    return np.array([at for at, _, _ in blocks], np.intp)
