"""The ratio of two commits in independent pairs of measurements, its interval, and the verdict.

A case has at most two looks, at 15 and at 45 pairs. The interval is valid for any distribution of
independent ratios. A commit compared with itself has a slower case in at most 2.5 % of runs of 27
cases. A case whose true median ratio exceeds the limit passes with a probability of at most 1.2 %.

Simulated verdicts in percent of cases, limit 1.10; the noise is the standard deviation of the
logarithm of a pair's ratio (`tests/benchmarks/test_pins_power.py`):

    noise   slowdown   within   unclear   slower
       3%         0%    100.0       0.0      0.0
       3%         8%     79.3      20.6      0.1
       3%        12%      0.0       0.0    100.0
       3%        20%      0.0       0.0    100.0
       7%         0%    100.0       0.0      0.0
       7%         8%     17.1      74.9      8.0
       7%        12%      0.0       8.3     91.7
       7%        20%      0.0       0.0    100.0
      15%         0%     82.9      17.1      0.0
      15%         8%      4.6      82.0     13.4
      15%        12%      0.2      40.4     59.3
      15%        20%      0.0       0.4     99.6

A slowdown below the limit is not detected reliably: with noise of 7 %, one of 8 % mostly ends
unclear.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

SLOWER_TAIL: Final = 0.001
"""Probability, in each look, that the lower limit exceeds the true median ratio, at most.

Two looks at 25 cases: at most 5 % of runs have a false alarm.
"""
WITHIN_TAIL: Final = 0.0125
"""Probability, in each look, that the upper limit lies below the true median ratio, at most."""
FEWEST: Final = 10
"""Pairs from which on the least ratio is a lower limit of that confidence."""

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

    def verdict(self, limit: float, is_last: bool) -> str:
        """Whether the head costs more than `limit` times the base.

        Before the last look the whole interval has to lie on one side of the limit.
        At the last look, slower is a median above the limit with an interval above 1.
        """
        if self.high <= limit:
            return FASTER if self.middle < 1.0 / limit and self.high < 1.0 else WITHIN
        if self.low > limit or (is_last and self.middle > limit and self.low > 1.0):
            return SLOWER
        return UNCLEAR


def ranks(n: int) -> tuple[int, int]:
    """Indices of the limits of the median among n sorted values.

    Fewer than `FEWEST` values have the least and the largest, with less confidence.
    """
    return n_outside(n, SLOWER_TAIL), n - 1 - n_outside(n, WITHIN_TAIL)


def n_outside(n: int, tail: float) -> int:
    """Values that a limit leaves out; it passes the median with at most this probability."""
    left_out = 0
    while tail_probability(n, left_out + 1) <= tail:
        left_out += 1
    return left_out


def tail_probability(n: int, left_out: int) -> float:
    """Probability that at most so many of n values lie below their median."""
    return sum(comb(n, below) for below in range(left_out + 1)) * 0.5**n
