"""`Estimate`: a value and how it varies, which is what intervals and differences know of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from karat.inference.confidence import Confidence, Interval
from karat.inference.limits import FARTHEST, Floats
from karat.tally.cached import cached_property

Distances: TypeAlias = tuple[float, float]
"""From a value down to its lower, and up to its upper limit."""


class Levels(Protocol):
    """Limits of a value at any level."""

    @property
    def df(self) -> float:
        """Degrees of freedom of the quantile that gives the limits."""

    def interval(self, confidence: Confidence) -> Interval:
        """The interval of the value."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """The value of a metric on some rows of any kind.

    Attributes:
        value: of the metric.
        n: rows.
        undefined: why the rows do not define it, or None.
        influence: float64[e], of each unit on the value; None where unknown.
        variance: of the value; None: that of its influence.
        df: degrees of freedom of the variance.
        least: its variance by its limits, which counts where no row shows any.
        growth: what to add to the variance, since few rows do not show all of it.
        n_effective: rows that count the same, for limits of values that no row moves.
        levels: its limits at any level; None where they are not known.
        interval: its interval, which is that at one level where `levels` is None.
        level: confidence level of the interval.
    """

    value: float
    n: int
    undefined: str | None = None
    influence: Floats | None = None
    variance: float | None = None
    df: float = math.inf
    least: float = 0.0
    growth: float = 0.0
    n_effective: float = math.inf
    levels: Levels | None = None
    interval: Interval | None = None
    level: float = 0.95

    @cached_property
    def finite_influence(self) -> Floats | None:
        """The influence; None where some of it is not a finite number."""
        phi = self.influence
        return None if phi is None or not np.isfinite(phi).all() else phi

    def interval_at(self, confidence: Confidence) -> Interval:
        """Its interval; of a value with one at one level that one."""
        if self.undefined is not None:
            return Interval()
        if self.interval is not None:
            return self.interval
        return Interval() if self.levels is None else self.levels.interval(confidence)

    @property
    def distances(self) -> Distances | None:
        """Distances of the limits of `interval`; None without both."""
        limits = self.interval
        if limits is None or limits.low is None or limits.high is None:
            return None
        return self.value - limits.low, limits.high - self.value


def least_variance(distances: Distances | None, quantile: float) -> float:
    """Variance of a value whose farther limit is `quantile` standard errors away; 0 without limits.

    Where no row shows how much a value varies, its limits say how little it may.
    """
    far = 0.0 if distances is None else min(max(distances) / quantile, FARTHEST)
    return far * far
