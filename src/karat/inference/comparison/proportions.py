"""Two shares of right rows, paired: the formulas, and nothing of any model.

b counts the rows on which only the first is right, c those on which only the second is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

__all__ = ["mid_p", "score_limits", "score_statistic"]

_MOST_TERMS: Final = 1 << 23
"""Of more coins than need so many terms the normal distribution serves: it is off by 1e-8."""
_BLOCK: Final = 1 << 12


def mid_p(b: int, c: int) -> float:
    """Two-sided mid-p value of McNemar's test (Fagerland, Lydersen and Laake 2013).

    Half of the chance of what was seen counts: of b + c coins, as many heads or fewer.

    Example:
        >>> round(mid_p(1, 7), 3), mid_p(0, 0)
        (0.039, 1.0)
    """
    n, least = b + c, min(b, c)
    if n == 0:
        return 1.0
    here = _chance_of_heads(least, n)
    if b == c:
        return 1.0 - here / 2.0
    if min(40.0 * n / (2.0 * (n - 2 * least)), 8.0 * math.sqrt(n)) > _MOST_TERMS:
        return math.erfc((n - 2 * least) / math.sqrt(2.0 * n))
    return min(here * (1.0 + 2.0 * _fewer_heads(least, n)), 1.0)


def _fewer_heads(heads: int, n: int) -> float:
    """The chance of fewer heads, as a multiple of that of exactly so many; heads below tails."""
    found, term = 0.0, 1.0
    for start in range(0, heads, _BLOCK):
        i = np.arange(start, min(start + _BLOCK, heads), dtype=np.float64)
        terms = term * np.cumprod((heads - i) / (n - heads + 1.0 + i))
        found, term = found + float(terms.sum()), float(terms[-1])
        if term <= 1e-18 * found:
            break
    return found


def _chance_of_heads(heads: int, n: int) -> float:
    """The chance of exactly so many heads among n ≥ 1 coins, at most half of them.

    Factorials by Stirling's formula with its error, so that no large logarithms are subtracted.
    Ref: Loader (2000). Fast and accurate computation of binomial probabilities.
    """
    if n <= 1000:
        return math.comb(n, heads) / (1 << n)
    if not heads:
        return 2.0**-n if n < 1100 else 0.0
    # With t = 1 − 2·heads ÷ n: n/2·((1 + t)·ln(1 + t) + (1 − t)·ln(1 − t)), nothing of which
    # cancels in its series.
    t = (n - 2 * heads) / n
    if t < 0.25:
        away = math.fsum(t ** (2 * j) / (j * (2 * j - 1)) for j in range(1, 16))
    else:
        away = (1.0 + t) * math.log1p(t) + (1.0 - t) * math.log1p(-t)
    tails = n - heads
    error = _beyond_stirling(n) - _beyond_stirling(heads) - _beyond_stirling(tails)
    scale = math.sqrt(n / (2.0 * math.pi * heads) / tails)
    return math.exp(error - n / 2.0 * away) * scale


def _beyond_stirling(n: int) -> float:
    """The ln of n! less that of Stirling's √(2πn)·(n/e)ⁿ."""
    if n < 20:
        return math.lgamma(n + 1) - (0.5 * math.log(2.0 * math.pi * n) + n * (math.log(n) - 1.0))
    x = 1.0 / n**2
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - x / 1188) * x) * x) * x) / n


def score_statistic(b: float, c: float, n: float, difference: float) -> float:
    """Tango's (1998) statistic: how many standard errors (b − c) ÷ n is from a difference.

    The standard error is that of the shares nearest to those seen which have that difference.
    """
    linear = -b - c + (2.0 * n - b + c) * difference
    constant = -c * difference * (1.0 - difference)
    root = math.sqrt(max(linear * linear - 8.0 * n * constant, 0.0))
    share = (root - linear) / (4.0 * n)
    variance = n * (2.0 * share + difference * (1.0 - difference))
    above = b - c - n * difference
    if variance <= 0.0:
        return 0.0 if above == 0.0 else math.copysign(math.inf, above)
    return above / math.sqrt(variance)


def score_limits(b: float, c: float, n: float, quantile: float) -> tuple[float, float]:
    """The differences that Tango's statistic does not refuse at this quantile.

    Example:
        >>> [round(limit, 3) for limit in score_limits(1, 7, 21, 1.959963984540054)]
        [-0.517, -0.026]
    """
    seen = (b - c) / n
    low = _last(lambda x: score_statistic(b, c, n, x) <= quantile, seen, -1.0)
    high = _last(lambda x: score_statistic(b, c, n, x) >= -quantile, seen, 1.0)
    return low, high


def _last(is_kept: Callable[[float], bool], inside: float, end: float) -> float:
    """The last number from `inside` towards `end` that is kept, by halving."""
    if inside == end or is_kept(end):
        return end
    far = end
    for _ in range(80):
        middle = (inside + far) / 2.0
        if is_kept(middle):
            inside = middle
        else:
            far = middle
    return inside
