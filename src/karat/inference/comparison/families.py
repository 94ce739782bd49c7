"""Many differences at once: Holm, Šidák, the largest, false discoveries, and one test for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.inference.p_values import LeastP, least_or_more

_DRAWS: Final = 100_000
_BLOCK: Final = 1 << 21
_LEAST_EIGENVALUE: Final = 1e-10
_NO_DIFFERENCE: Final = 1e-9
_SLIGHTLY: Final = 1e-9
_LEAST_TAIL: Final = 1e-12


def with_least(p: Sequence[float], adjust: Callable[[Sequence[float]], list[float]]) -> list[float]:
    """Adjusted p-values; those that a `LeastP` determines are bounds, too.

    Example:
        >>> [type(p).__name__ for p in with_least([LeastP(0.01), 0.5], holm)]
        ['LeastP', 'float']
    """
    found = adjust(p)
    below = adjust([own * (1.0 - _SLIGHTLY) if isinstance(own, LeastP) else own for own in p])
    return [
        LeastP(own) if isinstance(raw, LeastP) and less < own else float(own)
        for raw, own, less in zip(p, found, below, strict=True)
    ]


def holm(p: Sequence[float]) -> list[float]:
    """p-values adjusted so that one false finding among all is as unlikely (Holm 1979).

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    return [float(each) for each in holm_of_many(np.asarray(p, np.float64))]


def holm_of_many(p: Floats) -> Floats:
    """The same of an array."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def false_discoveries(p: Floats) -> Floats:
    """The share of false discoveries at each p (Benjamini and Hochberg 1995)."""
    order = np.argsort(-p, kind="stable")
    steps = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    shares = np.empty_like(p)
    shares[order] = np.minimum(steps, 1.0)
    return shares


def level_of_each(level: float, n: int) -> float:
    """The level of each of n intervals that hold together at a level (Šidák 1967).

    It is exact for independent ones; of normal statistics that go together in any way the level of
    all is at least as high. Two slices differ from each other once.

    Example:
        >>> round(level_of_each(0.95, 5), 4), level_of_each(0.95, 2)
        (0.9898, 0.95)
    """
    return level if n <= 2 else level ** (1.0 / n)


def at_once(p: float, n: int) -> float:
    """A p-value that holds for n slices together; see `level_of_each`."""
    if n <= 2 or p >= 1.0:
        return min(p, 1.0)
    together = -math.expm1(n * math.log1p(-p))
    return LeastP(together) if isinstance(p, LeastP) else together


def tail_of(z: float, df: float = math.inf) -> float:
    """Two-sided p-value of a statistic, of the normal distribution or of Student's t."""
    if math.isinf(z):
        return 0.0
    if math.isinf(df):
        return math.erfc(abs(z) / math.sqrt(2.0))
    from scipy.special import stdtr

    return 2.0 * float(stdtr(df, -abs(z)))


def statistic_of(p: float, df: float = math.inf) -> float:
    """The statistic whose two-sided p-value it is, of the normal or of Student's t."""
    if p >= 1.0:
        return 0.0
    tail = max(p, 1e-300) / 2.0
    if math.isinf(df):
        return -NormalDist().inv_cdf(tail)
    from scipy.special import stdtrit

    # Far out it overflows, to either sign.
    return abs(float(stdtrit(df, tail)))


def wald(
    differences: Floats, covariance: Floats, df: float, n_rows: float = math.inf
) -> tuple[float, int, float]:
    """Statistic, degrees of freedom and p-value of the test that all differences are 0.

    Directions in which nothing varies are left out, where nothing differs in them either; a
    difference d in them counts as of rows that all differ equally, with the variance d² ÷ rows.
    With clusters it is Hotelling's F.
    """
    from scipy.special import chdtrc, fdtrc

    values, vectors = np.linalg.eigh(covariance)
    kept = values > _LEAST_EIGENVALUE * max(float(values.max(initial=0.0)), 1e-300)
    rank = int(kept.sum())
    along = vectors.T @ differences
    statistic = float((along[kept] ** 2 / values[kept]).sum())
    if float(np.abs(along[~kept]).max(initial=0.0)) > _NO_DIFFERENCE:
        statistic, rank = statistic + n_rows, rank + 1
    if not rank:
        return 0.0, 0, 1.0
    if math.isinf(df):
        return statistic, rank, float(chdtrc(rank, statistic))
    below = df + 1.0 - rank
    if below <= 0.0:
        return statistic, rank, 1.0
    return statistic, rank, float(fdtrc(rank, below, statistic * below / (rank * df)))


def symmetric_root(covariance: Floats) -> Floats:
    """The symmetric root of a covariance, which does not depend on the signs of eigenvectors."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


@dataclass(frozen=True, eq=False)
class Largest:
    """The sorted largest of several statistics in samples where no model differs."""

    draws: Floats

    def quantile(self, level: float) -> float:
        """The number that the largest stays below in this share of samples."""
        return float(np.quantile(self.draws, level))

    def p_value(self, z: float) -> float:
        """The share of samples whose largest is at least z, counting this one."""
        return least_or_more(float(self.p_values(abs(z))), len(self.draws))

    def p_values(self, z: npt.ArrayLike) -> Floats:
        """The same of positive numbers [...]."""
        at_least = len(self.draws) - np.searchsorted(self.draws, z, side="left")
        return np.asarray((1 + at_least) / (1 + len(self.draws)), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class ManyTests:
    """Tests of many differences, of each alone and of all at once.

    Attributes:
        p, p_adjusted: float64[k]; 1 of what is not tested.
        quantile: limits that hold for all at the level lie so many standard errors away.
        n_drawn: replicates behind `p_adjusted`; 0: none.
    """

    p: Floats
    p_adjusted: Floats
    quantile: float
    n_drawn: int = 0

    @classmethod
    def by_holm(cls, p: Floats, level: float) -> ManyTests:
        """Holm's p-values, and Bonferroni's limits."""
        each = Confidence(1.0 - (1.0 - level) / max(len(p), 1))
        return cls(p, holm_of_many(p), each.quantile())

    @classmethod
    def by_largest(cls, p: Floats, z: Floats, largest: Largest, level: float) -> ManyTests:
        """By how often the largest of all is at least as large (Westfall and Young 1993).

        Args:
            z: float64[k], the differences in standard errors.
        """
        adjusted = np.maximum(p, largest.p_values(z))
        return cls(p, adjusted, largest.quantile(level), len(largest.draws))

    def level_of_all(self, level: float) -> float:
        """Level of limits of each that hold for all at this level."""
        farthest = max(self.quantile, Confidence(level).quantile())
        return 1.0 - max(tail_of(farthest), _LEAST_TAIL)


def largest(
    covariance: Floats,
    pairs: Sequence[tuple[int, int]],
    df: float,
    seed: int,
    names: Sequence[str] = (),
) -> Largest:
    """Drawn from the normal distribution or Student's t, with the covariance of the differences of
    the other models to the first.

    Args:
        names: of the models; their order does not change the result.
    """
    m = len(covariance) + 1
    order = sorted(range(m), key=lambda i: names[i] if names else i)
    # Of the m differences that of the first to itself is 0.
    whole = np.zeros((m, m))
    whole[1:, 1:] = covariance
    whole = whole[np.ix_(order, order)]
    whole = whole[1:, 1:] - whole[0, 1:] - whole[1:, :1] + whole[0, 0]
    signs = np.zeros((m, len(pairs)))
    for i, (a, b) in enumerate(pairs):
        signs[a, i] += 1.0
        signs[b, i] -= 1.0
    mix = symmetric_root(whole) @ signs[order][1:]
    scale = np.sqrt((mix**2).sum(axis=0))
    mix = mix[:, scale > 1e-12 * float(scale.max(initial=0.0))]
    mix = mix / np.sqrt((mix**2).sum(axis=0))
    rng = np.random.default_rng(seed)
    found = np.zeros(_DRAWS)
    step = max(1, _BLOCK // max(1, mix.shape[1]))
    for start in range(0, _DRAWS if mix.shape[1] else 0, step):
        part = slice(start, min(start + step, _DRAWS))
        drawn = rng.standard_normal((part.stop - part.start, m - 1)) @ mix
        if math.isfinite(df):
            drawn /= np.sqrt(rng.chisquare(df, len(drawn)) / df)[:, None]
        found[part] = np.abs(drawn).max(axis=1)
    return Largest(np.sort(found))
