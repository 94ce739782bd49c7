"""The ratio of two commits in pairs of measurements, its interval, and the verdict."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

CONFIDENCE: Final = 0.95
FEWEST: Final = 6
"""Pairs below which no interval of a median reaches 95 % confidence."""

SLOWER, WITHIN, FASTER, UNCLEAR = "slower", "within the limit", "faster", "unclear"


@dataclass(frozen=True)
class Ratio:
    """Cost of the head over cost of the base, from pairs.

    Attributes:
        middle: median of the ratios of the pairs.
        low, high: its distribution-free interval, from order statistics.
        least: ratio of the least costs of both.
        n_pairs: pairs behind them.
    """

    middle: float
    low: float
    high: float
    least: float
    n_pairs: int

    @classmethod
    def from_pairs(cls, pairs: Sequence[tuple[float, float]]) -> Ratio:
        """The ratio of pairs of costs, of the base and of the head."""
        ratios = sorted(head / base for base, head in pairs)
        low, high = (ratios[rank] for rank in ranks(len(ratios)))
        base, head = (min(costs) for costs in zip(*pairs, strict=True))
        return cls(statistics.median(ratios), low, high, head / base, len(ratios))

    def verdict(self, limit: float) -> str:
        """Whether the head costs more than `limit` times the base; unclear: more pairs decide."""
        if self.middle > limit and self.low > 1.0:
            return SLOWER
        if self.high > limit:
            return UNCLEAR
        return FASTER if self.middle < 1.0 / limit else WITHIN


def ranks(n: int) -> tuple[int, int]:
    """Indices of the sorted values between which the median lies, with 95 % confidence.

    Fewer than `FEWEST` values have the least and the largest, with less confidence.
    """
    below, outside = 0, 0.5**n
    while 2.0 * (outside + comb(n, below + 1) * 0.5**n) <= 1.0 - CONFIDENCE:
        below += 1
        outside += comb(n, below) * 0.5**n
    return below, n - 1 - below
