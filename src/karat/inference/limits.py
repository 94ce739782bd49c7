"""Formulas of limits from a proportion, its rows and its standard error, for any metric.

Every function takes arrays as well as numbers and broadcasts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.designs.units import ROUNDING

Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Limits: TypeAlias = tuple[Floats, Floats]
_MANY: Final = 1e4
"""Degrees of freedom from which Student's quantile is computed from the normal one."""
FARTHEST: Final = 1e150
"""Quantile in standard errors past the end of any range, and small enough to be multiplied."""
_SMALL_TAIL: Final = 5e-4
"""Tail below which 1 minus twice the tail loses precision."""
_FEW_SIDES: Final = 8192
"""So many different hits and misses have quantiles that are computed for each class."""


def wilson_limits(share: npt.ArrayLike, n: npt.ArrayLike, quantile: float | Floats) -> Limits:
    """Wilson score interval (1927) at this quantile, which may be Student's t.

    Without rows, or effective rows, the limits are 0 and 1.

    Example:
        >>> low, high = wilson_limits(0.9, 100, 1.959963984540054)
        >>> round(float(low), 4), round(float(high), 4)
        (0.8256, 0.9448)
    """
    p, rows = np.asarray(share, np.float64), np.asarray(n, np.float64)
    z2 = quantile * quantile
    # Numerator and denominator are multiplied by n, so that no rows are no division by 0.
    centre = p * rows + z2 / 2
    spread = quantile * np.sqrt(np.maximum(rows * p * (1 - p), 0.0) + z2 / 4)
    below, above = (centre - spread) / (rows + z2), (centre + spread) / (rows + z2)
    low = np.where(p <= 0, 0.0, np.clip(below, 0.0, p))
    high = np.where(p >= 1, 1.0, np.clip(above, p, 1.0))
    return np.where(rows > 0, low, 0.0), np.where(rows > 0, high, 1.0)


def wilson_limits_of_one(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the result of `wilson_limits` for one proportion: bitwise equal, without arrays.

    Example:
        >>> wilson_limits_of_one(0.9, 100, 2.0) == tuple(map(float, wilson_limits(0.9, 100, 2.0)))
        True
    """
    if not n > 0:
        return 0.0, 1.0
    z2 = quantile * quantile
    centre = share * n + z2 / 2
    spread = quantile * math.sqrt(max(n * share * (1 - share), 0.0) + z2 / 4)
    low, high = (centre - spread) / (n + z2), (centre + spread) / (n + z2)
    return (
        0.0 if share <= 0 else min(max(low, 0.0), share),
        1.0 if share >= 1 else min(max(high, share), 1.0),
    )


def wilson_limits_of_moving(
    share: float, at: float, variance: float, slope: float, quantile: float
) -> tuple[float, float]:
    """Wilson limits of a value other than a proportion, from its variance and the variance's slope.

    Toward each end of [0, 1], the variance is a parabola through that point with that slope, and is
    0 at the end. Limits are the values that a score test with their own variance does not reject.
    For a proportion p of n rows, with p(1 − p) ÷ n and (1 − 2p) ÷ n, they equal Wilson's.

    Example:
        >>> low, high = wilson_limits_of_moving(0.9, 0.9, 0.0009, -0.008, 1.959963984540054)
        >>> round(low, 4), round(high, 4)
        (0.8256, 0.9448)
    """
    z2 = quantile * quantile
    ends = []
    for end, sign in ((0.0, -1.0), (1.0, 1.0)):
        room, rest, past = abs(end - share), abs(end - at), sign * (share - at)
        step = 0.0
        if room > 0.0 and rest > 0.0:
            # Not below 0 on the way.
            rise = max(sign * slope, -variance / rest)
            bend = -(variance + rise * rest) / (rest * rest)
            # (1 − z²·bend)·step² − b·step − z²·(variance at the proportion) = 0.
            here = variance + rise * past + bend * past * past
            b, a = z2 * (rise + 2.0 * bend * past), 1.0 - z2 * bend
            step = (b + math.sqrt(max(b * b + 4.0 * a * z2 * here, 0.0))) / (2.0 * a)
        ends.append(share + sign * min(max(step, 0.0), room))
    return ends[0], ends[1]


def beta_limits(share: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> Limits:
    """Quantiles of the beta posterior of Jeffreys' prior (Brown, Cai, DasGupta 2001).

    For a proportion of 0 the lower limit is 0, for 1 the upper limit is 1; without rows, the limits
    are 0 and 1.
    """
    p, rows = np.asarray(share, np.float64), np.asarray(n, np.float64)
    below, above = beta_quantiles(np.array((p, 1.0 - p)) * rows, tail)
    # So that the lower limit of 0 is 0, and the upper limit of 1 is 1.
    low, high = np.minimum(below, p), np.maximum(above, p)
    if rows.min(initial=1.0) > 0.0:
        return low, high
    return np.where(rows > 0, low, 0.0), np.where(rows > 0, high, 1.0)


def exact_limits(share: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> Limits:
    """Clopper–Pearson limits (1934), which miss with at most this probability however small it is.

    Score limits are too near where a tail is small and hits or misses are few.

    Example:
        >>> low, high = exact_limits(0.9, 100, 0.025)
        >>> round(float(low), 4), round(float(high), 4)
        (0.8238, 0.951)
    """
    p, rows = np.asarray(share, np.float64), np.asarray(n, np.float64)
    hits, misses = np.broadcast_arrays(p * rows, (1.0 - p) * rows)
    sides = np.array((hits, misses))
    # Without hits the lower limit is 0, without misses the upper one is 1.
    own, other = np.maximum(sides, ROUNDING), sides[::-1] + 1.0
    found = _native.beta_quantiles(own.ravel(), other.ravel(), tail).reshape(sides.shape)
    low = np.where(hits > ROUNDING, np.minimum(found[0], p), 0.0)
    high = np.where(misses > ROUNDING, np.maximum(1.0 - found[1], p), 1.0)
    return low, high


def quick_beta_high(share: npt.ArrayLike, n: npt.ArrayLike, quantile: float) -> Floats:
    """Fast approximation of the upper limit of `beta_limits` at a normal quantile.

    It uses Paulson's approximation of the quantiles of F by those of the normal distribution. The
    lower limit is 1 minus the upper limit of 1 minus the proportion.

    Ref: Paulson (1942). Annals of Mathematical Statistics 13.

    Example:
        >>> round(float(quick_beta_high(0.9, 100, 1.959963984540054)), 4)
        0.9475
    """
    p, rows = np.asarray(share, np.float64), np.asarray(n, np.float64)
    a = p * rows + 0.5
    b = rows - a + 1.0
    of_hits, of_misses = 1.0 / (9.0 * a), 1.0 / (9.0 * b)
    q = 1.0 - of_misses
    under = q * q - of_misses * (quantile * quantile)
    # Past the end of the approximation, the limit is 1.
    is_within = under > 0.0
    under = np.where(is_within, under, 1.0)
    lacks = 1.0 - of_hits
    root = np.sqrt(np.maximum(lacks * lacks * of_misses + of_hits * under, 0.0))
    root = (lacks * q + quantile * root) / under
    hits = a * root * root * root
    return np.where(is_within & (p < 1.0), np.maximum(hits / (hits + b), p), 1.0)


def quick_beta_low(share: npt.ArrayLike, n: npt.ArrayLike, quantile: float) -> Floats:
    """Fast approximation of the lower limit; see `quick_beta_high`."""
    return 1.0 - quick_beta_high(1.0 - np.asarray(share, np.float64), n, quantile)


def beta_quantiles(sides: Floats, tail: float) -> Floats:
    """float64[2, ...]: quantiles for `beta_limits`, from hits and misses [2, ...].

    A proportion of 0 or 1 may lie outside of them.

    Example:
        >>> beta_quantiles(np.array([9.0, 1.0]), 0.025).round(4).tolist()
        [0.6187, 0.989]
    """
    if sides[0].size > _FEW_SIDES:  # counts of many classes repeat
        pairs, place = np.unique(sides[0] + 1j * sides[1], return_inverse=True)
        if len(pairs) <= _FEW_SIDES:
            return beta_quantiles(np.stack([pairs.real, pairs.imag]), tail)[
                :, place.reshape(sides.shape[1:])
            ]
    of_sides = np.asarray(sides + 0.5, np.float64)
    found = _native.beta_quantiles(of_sides.ravel(), of_sides[::-1].ravel(), tail)
    found = found.reshape(of_sides.shape)
    found[1] = 1.0 - found[1]
    return found


@lru_cache(maxsize=1024)
def student_quantile(df: float, tail: float) -> float:
    """Upper quantile of Student's t with df > 0, integer or not, at a tail of at most 1/2.

    It is at most 1e150, for few degrees of freedom; NaN for an invalid df.

    Example:
        >>> round(student_quantile(10, 0.025), 6)
        2.228139
    """
    if df >= _MANY:
        return _expanded(-NormalDist().inv_cdf(tail), df)
    half, ends = np.array([df / 2.0]), np.array([0.5])
    # df ÷ (df + t²) has the beta distribution; near 1, its complement is used.
    x = float(_native.beta_quantiles(half, ends, 2.0 * tail)[0])
    lacks = 1.0 - x
    if x > 0.5 and tail > _SMALL_TAIL:
        lacks = float(_native.beta_quantiles(ends, half, 1.0 - 2.0 * tail)[0])
        x = 1.0 - lacks
    return min(math.sqrt(df * lacks / x), FARTHEST) if x != 0.0 else FARTHEST


def _expanded(z: float, df: float) -> float:
    """Return Student's quantile from the normal one (Abramowitz, Stegun 1964, 26.7.5)."""
    z2 = z * z
    first = (z2 + 1.0) / 4.0
    second = ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0
    third = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0
    fourth = ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92160.0
    return z * (1.0 + (first + (second + (third + fourth / df) / df) / df) / df)


def log_limits(value: npt.ArrayLike, standard_error: npt.ArrayLike, quantile: float) -> Limits:
    """Limits that are symmetric on the log scale, for a value above 0.

    Example:
        >>> low, high = log_limits(2.0, 0.5, 2.0)
        >>> round(float(low * high), 12)
        4.0
    """
    x = np.asarray(value, np.float64)
    with np.errstate(over="ignore"):
        factor = np.exp(quantile * np.asarray(standard_error, np.float64) / x)
        return x / factor, x * factor


def logit_limits(share: npt.ArrayLike, standard_error: npt.ArrayLike, quantile: float) -> Limits:
    """Limits that are symmetric on the logit scale, for a proportion strictly between 0 and 1."""
    p = np.asarray(share, np.float64)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        step = quantile * np.asarray(standard_error, np.float64) / (p * (1 - p))
        odds, factor = p / (1 - p), np.exp(step)
        return 1.0 / (1.0 + factor / odds), 1.0 / (1.0 + 1.0 / (odds * factor))


def newcombe_limits(
    area: float, n_pos: float, n_neg: float, quantile: float
) -> tuple[float, float]:
    """Score limits of an area (Newcombe 2006, method 5).

    The limits are the areas that a test with their own standard error does not reject. The variance
    of an area θ is that of Hanley and McNeil for exponential scores, with the mean number of
    (effective) rows of both sides in place of each.
    """
    rows = (n_pos + n_neg) / 2.0

    def is_kept(theta: float) -> bool:
        chance = (rows - 1.0) * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
        variance = theta * (1.0 - theta) * (1.0 + max(chance, 0.0)) / (n_pos * n_neg)
        return abs(theta - area) - quantile * math.sqrt(variance) <= 0.0

    return last_kept(is_kept, area, 0.0, 100), last_kept(is_kept, area, 1.0, 100)


def last_kept(
    is_kept: Callable[[float], bool], inside: float, end: float, steps: int = 80
) -> float:
    """Return the last number from `inside` toward `end` that is kept, by bisection."""
    if inside == end or is_kept(end):
        return end
    far = end
    for _ in range(steps):
        middle = (inside + far) / 2.0
        if is_kept(middle):
            inside = middle
        else:
            far = middle
    return inside


def transformed(
    value: float, error: float, quantile: float, ends: tuple[float, float]
) -> tuple[float, float, str]:
    """Limits that are symmetric on the unbounded scale of a range, and the name of that scale.

    The scale is the logit, the logarithm or, without a name, the identity.
    """
    low, high = ends
    if math.isfinite(low) and math.isfinite(high):
        span = high - low
        below, above = logit_limits((value - low) / span, error / span, quantile)
        return low + span * float(below), low + span * float(above), "logit"
    if math.isfinite(low):
        below, above = log_limits(value - low, error, quantile)
        return low + float(below), low + float(above), "log"
    if math.isfinite(high):
        below, above = log_limits(high - value, error, quantile)
        return high - float(above), high - float(below), "log"
    return value - quantile * error, value + quantile * error, ""
