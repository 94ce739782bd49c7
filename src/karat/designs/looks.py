"""Confidence sequences: limits and p-values that hold at every look at rows that keep coming.

The limits of n units are those of one look, with a larger quantile: the boundary of a normal
mixture with variance ρ², which all looks together cross with probability α. Windows, each of new
rows alone, share α between them.

Ref: Robbins (1970), Annals of Mathematical Statistics 41; Waudby-Smith, Arbour, Sinha, Kennedy,
Ramdas (2024), Annals of Statistics 52 (asymptotic confidence sequences).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

PLANNED: Final = 10_000
"""Planned number of units of ``karat.Looks()``; one that follows the data would be invalid."""
PLANNED_RANGE: Final = (10, 10**12)
LEAST_TAIL: Final = 1e-12
"""Smallest tail of any limit: with very few units, the boundary lies farther away."""


def mixture_variance(planned: int, alpha: float) -> float:
    """Return ρ², for which the boundary is nearest at the planned number of units.

    Example:
        >>> round(mixture_variance(10_000, 0.05) * 10_000, 3)
        8.782
    """
    twice = -2.0 * math.log(alpha)
    return (twice + math.log(twice) + 1.0) / planned


def boundary(n: float, planned: int, alpha: float, *, is_two_sided: bool = True) -> float:
    """Return the distance of the limits from the value, in standard errors, at n units.

    Example:
        >>> round(boundary(10_000, 10_000, 0.05), 2), round(boundary(500, 10_000, 0.05), 2)
        (3.04, 4.56)
    """
    spread = n * mixture_variance(planned, alpha)
    if is_two_sided:
        logarithm = math.log(math.sqrt(spread + 1.0) / alpha)
    else:
        logarithm = math.log1p(math.sqrt(spread + 1.0) / (2.0 * alpha))
    return math.sqrt(2.0 * (spread + 1.0) / spread * logarithm)


def share_of_window(window: int) -> float:
    """Return the share of the error rate that window j has, 6 ÷ π²j²: all of them add up to 1.

    Example:
        >>> round(share_of_window(1), 3), round(share_of_window(10), 4)
        (0.608, 0.0061)
    """
    return 6.0 / (math.pi * window) ** 2


def tail_of_look(n: float, planned: int, alpha: float, *, is_two_sided: bool = True) -> float:
    """Return the normal tail beyond the boundary at n units, at least `LEAST_TAIL`."""
    z = boundary(max(n, 1.0), planned, alpha, is_two_sided=is_two_sided)
    return max(math.erfc(z / math.sqrt(2.0)) / 2.0, LEAST_TAIL)


def p_of_look(p: float, n: float, planned: int, alpha: float) -> float:
    """Return the p-value that holds at every look, from a two-sided one of n units alone.

    It is below α where the boundary is crossed, and only there (`LEAST_TAIL` is not applied).

    Example:
        >>> round(p_of_look(0.002, 10_000, 10_000, 0.05), 3)
        0.043
    """
    half = min(p, 1.0) / 2.0
    if not half > 0.0:
        return 0.0
    z = -NormalDist().inv_cdf(half) if p < 1.0 else 0.0
    spread = max(n, 1.0) * mixture_variance(planned, alpha)
    return min(math.sqrt(spread + 1.0) * math.exp(-z * z * spread / (2.0 * (spread + 1.0))), 1.0)
