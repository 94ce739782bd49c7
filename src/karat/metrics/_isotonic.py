"""Isotonic regression of what came true on the confidence: the best that a monotone map could do.

Ref: Dimitriadis, Gneiting, Jordan (2021). Stable reliability diagrams for probabilistic
classifiers. PNAS 118.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import LevelSource

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
        levels: the distinct confidences.
        lengths: int[m], how many of them each block of equal recalibrated values holds.
        block_misses, block_hits: float64[m], weight of what did not and what did come true.
    """

    levels: LevelSource
    lengths: npt.NDArray[np.intp]
    block_misses: Floats
    block_hits: Floats

    @property
    def block_values(self) -> Floats:
        """float64[m]: the recalibrated value of each block, its share of hits."""
        return self.block_hits / (self.block_hits + self.block_misses)

    @property
    def n_hits(self) -> float:
        return float(self.block_hits.sum())

    @property
    def n_misses(self) -> float:
        return float(self.block_misses.sum())

    def walk(self) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Confidences, descending, weight of misses and hits, recalibrated values: some at once."""
        # From the best on: how many score levels stand at or above the last of each block.
        ends, values = np.cumsum(self.lengths[::-1]), self.block_values[::-1]
        first = 0
        for p, counts, _ in self.levels.blocks():
            misses, hits = (np.asarray(counts[:, side], np.float64) for side in (0, 1))
            place = np.searchsorted(ends, np.arange(first, first + len(p)), side="right")
            yield p, misses, hits, values[place]
            first += len(p)


def recalibrated(levels: LevelSource) -> Recalibrated:
    """The isotonic recalibration of cumulative counts of confidences, own class: what came true.

    Cost: O(score levels) as a rule; a plain loop where score levels are pooled one after the other.
    """
    lengths = np.empty(0, np.intp)
    sums: Numbers | None = None
    for _, counts, _ in levels.blocks():
        # Blocks of all are blocks of the blocks of some.
        lengths = np.concatenate([np.ones(len(counts), np.intp), lengths])
        sums = counts[::-1] if sums is None else np.concatenate([counts[::-1], sums])
        starts = pooled(sums[:, 1], sums.sum(axis=1))
        lengths = np.add.reduceat(lengths, starts)
        sums = np.add.reduceat(sums, starts, axis=0)
    misses, hits = np.zeros((2, 0)) if sums is None else np.asarray(sums.T, np.float64)
    return Recalibrated(levels, lengths, misses, hits)


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
