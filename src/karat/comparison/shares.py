"""Two shares of right rows, paired: the formulas, and nothing of any model.

b counts the rows on which only the first is right, c those on which only the second is.
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["mid_p", "score_limits", "score_statistic"]


def mid_p(b: int, c: int) -> float:
    """Two-sided mid-p value of McNemar's test (Fagerland, Lydersen and Laake 2013).

    Half of the chance of what was seen counts: of b + c coins, as many heads or fewer.

    Example:
        >>> round(mid_p(1, 7), 3), mid_p(0, 0)
        (0.039, 1.0)
    """
    from scipy.special import bdtr, gammaln

    n, least = b + c, min(b, c)
    if n == 0:
        return 1.0
    here = math.exp(
        float(gammaln(n + 1) - gammaln(least + 1) - gammaln(n - least + 1)) - n * math.log(2)
    )
    if b == c:
        return 1.0 - here / 2.0
    fewer = float(bdtr(least - 1, n, 0.5)) if least else 0.0
    return min(2.0 * fewer + here, 1.0)


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
