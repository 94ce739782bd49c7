"""Contrasts of models: the variance of a difference and its limits; two paired proportions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from karat.designs.units import ROUNDING, Units
from karat.inference.comparison.families import tail_of
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Distances, Estimate, Levels, least_variance
from karat.inference.limits import FARTHEST, Floats, last_kept
from karat.metrics import Metric

_MOST_TERMS: Final = 1 << 23
"""Of more coins than need so many terms the normal distribution serves: it is off by 1e-8."""
_BLOCK: Final = 1 << 12


@lru_cache(maxsize=256)
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
        return math.ldexp(1.0, -n)
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


@lru_cache(maxsize=256)
def score_limits(b: float, c: float, n: float, quantile: float) -> tuple[float, float]:
    """The differences that Tango's statistic does not refuse at this quantile.

    Example:
        >>> [round(limit, 3) for limit in score_limits(1, 7, 21, 1.959963984540054)]
        [-0.517, -0.026]
    """
    seen = (b - c) / n
    low = last_kept(lambda x: score_statistic(b, c, n, x) <= quantile, seen, -1.0)
    high = last_kept(lambda x: score_statistic(b, c, n, x) >= -quantile, seen, 1.0)
    return low, high


Correlation: TypeAlias = Callable[[float], float]
"""From a number of standard errors to how two values go together."""
Pair: TypeAlias = tuple[int, int]
Limits: TypeAlias = Callable[[float], tuple[float, float]]
"""From a number of standard errors to the limits of a difference."""

_NEXT_TO_NONE = 1e-15


@dataclass(frozen=True, eq=False)
class Paired:
    """Models on the same rows: how the differences of their values vary.

    Attributes:
        variances: of the difference of each pair.
        covariance: float64[m − 1, m − 1], of the differences of the others to the first.
        df: degrees of freedom, of all pairs together.
        own_df: of each pair, where they differ.
        own: float64[m], the variance of each value; None where it was not wanted.
        likely: the variance of each pair, where few rows do not show all of it.
    """

    variances: Mapping[Pair, float]
    covariance: Floats
    df: float
    own_df: Mapping[Pair, float] = field(default_factory=dict)
    own: Floats | None = None
    likely: Mapping[Pair, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        phi: Floats | Sequence[Floats],
        units: Units,
        pairs: Iterable[Pair],
        own: Floats | None = None,
        growth: Sequence[float] | None = None,
    ) -> Paired:
        """Create it from phi [m, e], the influence of each unit on each value.

        Args:
            own: float64[m], the variance of each value, where it is known.
            growth: of each model what `own` is to be added, where few rows do not show all.
        """
        pairs = list(pairs)
        # Where the influences are the same their difference is 0, not what rounding leaves of it.
        # Infinite influences have no difference.
        with np.errstate(invalid="ignore"):
            contrasts = units.covariance(np.stack([part - phi[0] for part in phi[1:]]))
            variances = {
                (a, b): float(
                    contrasts[max(a, b) - 1, max(a, b) - 1]
                    if 0 in (a, b)
                    else units.covariance((phi[a] - phi[b])[None])[0, 0]
                )
                for a, b in pairs
            }
            own_df = {(a, b): units.degrees(phi[a] - phi[b]) for a, b in pairs}
        if own is not None:
            # Influences that differ by rounding alone: beside both values nothing varies.
            least = ROUNDING**2 * np.nan_to_num(own, nan=0.0, posinf=0.0)
            is_still = np.diag(contrasts) <= np.maximum(least[1:], least[0])
            contrasts = np.where(is_still | is_still[:, None], 0.0, contrasts)
            variances = {
                (a, b): 0.0 if variance <= max(least[a], least[b]) else variance
                for (a, b), variance in variances.items()
            }
        found = cls(variances, contrasts, min(own_df.values(), default=units.df), own_df, own)
        if own is None or growth is None or not any(growth):
            return found
        likely = {
            (a, b): _grown(variances[a, b], (own[a], own[b]), (growth[a], growth[b]))
            for a, b in pairs
        }
        return replace(found, likely=likely)

    def of_pairs(self, pairs: Iterable[Pair]) -> Paired:
        """The same with more pairs, of which no variance is known."""
        unknown = dict.fromkeys(pairs, math.nan)
        return replace(self, variances={**unknown, **self.variances})

    def capped(self, df: float) -> Paired:
        """The same, with at most so many degrees of freedom."""
        own_df = {pair: min(each, df) for pair, each in self.own_df.items()}
        return replace(self, df=min(self.df, df), own_df=own_df)

    def variance(self, a: int, b: int) -> float:
        return self.variances[a, b]

    def variance_of_limits(self, a: int, b: int) -> float:
        """Variance that limits and tests use."""
        return self.likely.get((a, b), self.variances[a, b])

    def degrees(self, a: int, b: int) -> float:
        return self.own_df.get((a, b), self.df)

    def contrasts(self) -> Floats:
        """float64[m − 1, m − 1]: covariance of the differences of the others to the first."""
        return self.covariance

    def covariance_of_values(self) -> Floats | None:
        """float64[m, m]: from the variances of the values and of their differences, if known."""
        if self.own is None:
            return None
        first, others = self.own[0], self.own[1:]
        with np.errstate(invalid="ignore"):  # infinite variances have no difference
            with_first = (first + others - np.diag(self.covariance)) / 2.0
            among = self.covariance + with_first[:, None] + with_first - first
        both = np.block([[np.array([[first]]), with_first[None]], [with_first[:, None], among]])
        # A value that does not vary goes with no other, whatever rounding leaves.
        is_still = self.own <= ROUNDING**2 * np.nan_to_num(self.own, nan=0.0, posinf=0.0).max()
        return np.where(is_still | is_still[:, None], 0.0, both)


@dataclass(frozen=True, eq=False)
class Apart:
    """Models on different rows: the variance float64[m] of the value of each.

    `least` is the variance of each where no row of the sample shows any, in the test of all models
    at once: by its limits. 0: none is known.
    """

    variances: Floats
    df: float = math.inf
    least: Floats | None = None

    def variance(self, a: int, b: int) -> float:
        return float(self.variances[a] + self.variances[b])

    def variance_of_limits(self, a: int, b: int) -> float:
        """The same: what few rows do not show is in the limits of each model."""
        return self.variance(a, b)

    def degrees(self, a: int, b: int) -> float:
        del a, b
        return self.df

    def contrasts(self) -> Floats:
        found = self.variances
        if self.least is not None:
            found = np.where(found > 0.0, found, self.least)
        return np.asarray(np.diag(found[1:]) + found[0])

    def covariance_of_values(self) -> Floats:
        """float64[m, m]: the models are independent."""
        return np.asarray(np.diag(self.variances))


def _grown(variance: float, own: tuple[float, float], growth: tuple[float, float]) -> float:
    """The variance of a difference of values that vary more, and go together as before."""
    roots = [math.sqrt(max(one, 0.0)) for one in own]
    both = roots[0] * roots[1]
    goes = (own[0] + own[1] - variance) / (2.0 * both) if both > 0.0 else 0.0
    more = [one + extra for one, extra in zip(own, growth, strict=True)]
    if not all(map(math.isfinite, more)):
        return variance
    goes = min(max(goes, -1.0), 1.0)
    return max(variance, more[0] + more[1] - 2.0 * goes * math.sqrt(more[0] * more[1]))


Spread: TypeAlias = Paired | Apart
"""How the values of m models vary."""


@dataclass(frozen=True, eq=False)
class ValueLimits:
    """Distances of the limits of each of several values, at any number of standard errors.

    With d the distances of the limits that matter and ρ the correlation of the two values, the
    limit of the difference lies √(d_a² + d_b² − 2ρ·d_a·d_b) away (Newcombe 1998; Zou and Donner
    2008): what is known of each value near the end of its range holds for the difference too.

    Attributes:
        estimates: values with limits at any level.
    """

    metric: Metric
    estimates: Sequence[Estimate]
    _kept: dict[tuple[int, float], Distances | None] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, metric: Metric, estimates: Sequence[Estimate]) -> ValueLimits | None:
        """Create it; None where limits of a value at other levels are not known."""
        return None if any(each.levels is None for each in estimates) else cls(metric, estimates)

    def _levels(self, model: int) -> Levels:
        levels = self.estimates[model].levels
        assert levels is not None
        return levels

    def degrees(self, model: int) -> float:
        """Degrees of freedom of the quantile that gives the limits of a value."""
        return self._levels(model).df

    def interval(self, model: int, asked: Confidence) -> Interval:
        """The interval of a value."""
        return self._levels(model).interval(asked)

    def are_known(self, a: int, b: int) -> bool:
        quantile = Confidence().quantile()
        return None not in (self.distances(a, quantile), self.distances(b, quantile))

    def distances(self, model: int, quantile: float) -> Distances | None:
        """Distances from a value to its lower and its upper limit; or None."""
        key = (model, quantile)
        if key not in self._kept:
            value, df = self.estimates[model].value, self.degrees(model)
            tail = min(max(tail_of(quantile, df), _NEXT_TO_NONE), 1.0 - _NEXT_TO_NONE)
            limits = self.interval(model, Confidence(1.0 - tail))
            is_known = None not in (limits.low, limits.high)
            sides = (value - (limits.low or 0.0), (limits.high or 0.0) - value)
            self._kept[key] = sides if is_known else None
        return self._kept[key]

    def least_variance(self, model: int, level: float) -> float:
        """That of a value whose limits at this level are as far: see `least_variance`."""
        quantile = Confidence(level).quantile(self.degrees(model))
        return least_variance(self.distances(model, quantile), quantile)

    def differences(
        self, pairs: Iterable[Pair], goes_of: Callable[[Pair], Correlation] = lambda _: _independent
    ) -> dict[Pair, tuple[str, Limits]]:
        """Limits of the pairs whose values both have some, with the correlation of each pair."""
        return {
            pair: ("combined", self._difference(*pair, goes_of(pair)))
            for pair in pairs
            if self.are_known(*pair)
        }

    def _difference(self, a: int, b: int, goes: Correlation) -> Limits:
        def limits(quantile: float) -> tuple[float, float]:
            of_a, of_b = self.distances(a, quantile), self.distances(b, quantile)
            if of_a is None or of_b is None:
                # So many standard errors away nothing but the range bounds the difference.
                low, high = self.metric.ends
                return low - high, high - low
            difference = self.estimates[a].value - self.estimates[b].value
            return limits_together(self.metric, difference, of_a, of_b, goes(quantile))

        return limits


def _independent(_: float) -> float:
    return 0.0


def limits_together(
    metric: Metric, difference: float, of_a: Distances, of_b: Distances, goes: float
) -> tuple[float, float]:
    """Limits of a difference, inside its range, from those of both values and their correlation."""
    low, high = metric.ends
    down, up = distances_together(of_a, of_b, goes)
    return max(difference - down, low - high), min(difference + up, high - low)


def distances_together(of_a: Distances, of_b: Distances, goes: float = 0.0) -> Distances:
    """Distances from a difference to its limits, from those of both values that correlate."""
    return _together(of_a[0], of_b[1], goes), _together(of_a[1], of_b[0], goes)


def _together(first: float, second: float, goes: float) -> float:
    """Return how far a difference reaches, of two values that reach so far; infinite if one is."""
    if max(first, second) > FARTHEST:
        return math.inf
    return math.sqrt(max(first * first + second * second - 2.0 * goes * first * second, 0.0))


def correlation(
    covariance: Floats, a: int, b: int, agreeing: tuple[float, float] | None
) -> Correlation:
    """Correlation of two values with this covariance; 0 where either does not vary.

    Models that say the same on all of n effective rows may still differ on a share q² ÷ (n + q²) of
    all there are, q standard errors away (Tango's limit), and go together by as much less as their
    accuracies p then do: by that share ÷ 2p(1 − p). Then `agreeing` is n and p, else None.
    """
    scale = math.sqrt(max(float(covariance[a, a] * covariance[b, b]), 0.0))
    if not scale > 0.0:
        return _independent
    if agreeing is None:
        both = min(max(float(covariance[a, b]) / scale, -1.0), 1.0)
        return lambda _: both
    n, share = agreeing
    room = 2.0 * share * (1.0 - share)

    def goes(quantile: float) -> float:
        apart = quantile**2 / (n + quantile**2)
        return 1.0 - apart / room if apart < room else 0.0

    return goes
