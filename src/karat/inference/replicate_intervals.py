"""Limits from replicates: percentiles, as they are or corrected for bias and skewness."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ReplicateInterval", "ReplicateMethod", "acceleration_of", "interval_of_replicates"]

ReplicateMethod: TypeAlias = Literal["bootstrap", "bca", "bayesian"]
"""Percentiles of replicates; the same corrected; percentiles of bayesian replicates."""

UNDEFINED_MOST: Final = 0.05
"""With a larger share of undefined replicates there are no limits."""


class ReplicateInterval(NamedTuple):
    """Limits, or why there are none.

    Attributes:
        low, high: NaN where there are none.
        n_undefined: replicates that the metric does not define; the limits are of the others.
        reason: why there are no limits; empty where there are.
    """

    low: float
    high: float
    n_undefined: int
    reason: str


def interval_of_replicates(
    values: npt.ArrayLike,
    estimate: float,
    level: float = 0.95,
    side: Literal["both", "low", "high"] = "both",
    method: ReplicateMethod = "bootstrap",
    acceleration: float | None = None,
    *,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> ReplicateInterval:
    """Limits of a number from its replicates.

    Args:
        values: float[b]; NaN where a replicate does not define it.
        estimate: the number itself.
        level: the share of such intervals that hold the true value, in (0, 1).
        side: ``"both"`` limits, or the ``"low"`` or ``"high"`` one with the other end of the range.
        method: ``"bootstrap"`` and ``"bayesian"``: percentiles; ``"bca"``: bias-corrected and
            accelerated (Efron 1987).
        acceleration: for ``"bca"``, see `acceleration_of`.
        ends: the ends of the range.

    Returns:
        Limits; none where the estimate is undefined, where more than 5 % of the replicates are, or
        where ``"bca"`` has every replicate on one side of the estimate.

    Example:
        >>> interval_of_replicates(np.arange(101) / 100, 0.5, level=0.5)[:2]
        (0.25, 0.75)
    """
    given = np.asarray(values, np.float64)
    kept = given[~np.isnan(given)]
    n_undefined = len(given) - len(kept)

    def refused(reason: str) -> ReplicateInterval:
        return ReplicateInterval(math.nan, math.nan, n_undefined, reason)

    if math.isnan(estimate):
        return refused("it is undefined")
    if not len(kept) or n_undefined > UNDEFINED_MOST * len(given):
        return refused(f"it is undefined in {n_undefined} of {len(given)} replicates")
    tail = (1.0 - level) / (2.0 if side == "both" else 1.0)
    low, high = tail, 1.0 - tail
    if method == "bca":
        if acceleration is None:
            raise ValueError("bca needs the acceleration")
        # Ties count half: of a metric with few values many replicates equal the estimate.
        below = float(np.mean(kept < estimate) + np.mean(kept == estimate) / 2.0)
        if not 0.0 < below < 1.0:
            return refused("every replicate lies on one side of it")
        corrected = [_corrected(share, below, acceleration) for share in (low, high)]
        if not all(0.0 < share < 1.0 for share in corrected):
            return refused("the replicates are too skewed")
        low, high = corrected
    # Limits of infinite values cannot lie between two of them.
    way: Literal["linear", "nearest"] = "linear" if np.isfinite(kept).all() else "nearest"
    limits = np.quantile(kept, [low, high], method=way)
    return ReplicateInterval(
        ends[0] if side == "high" else float(limits[0]),
        ends[1] if side == "low" else float(limits[1]),
        n_undefined,
        "",
    )


def acceleration_of(influence: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> float:
    """Σφ³ ÷ (6·(Σφ²)^1.5): the acceleration, without leaving out any row in turn.

    Args:
        influence: float[m], the influence φ of each row, times its weight, or of each cell.
        counts: float[m], how many rows of each influence there are; 1 where not given.

    Returns:
        0 where no row moves the number.
    """
    phi = np.asarray(influence, np.float64)
    times = np.ones_like(phi) if counts is None else np.asarray(counts, np.float64)
    size, most = float(np.abs(phi).max(initial=0.0)), float(times.max(initial=0.0))
    if not (0.0 < size < math.inf and 0.0 < most < math.inf):
        return 0.0
    # Third powers of small or large numbers leave the range of doubles.
    phi, times = phi / size, times / most
    spread = float((times * phi**2).sum())
    below = 6.0 * spread**1.5 * math.sqrt(most)
    return float((times * phi**3).sum()) / below if below > 0.0 else 0.0


def _corrected(share: float, below: float, acceleration: float) -> float:
    """The percentile that stands for a share when bias and skewness are accounted for."""
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    shifted = bias + normal.inv_cdf(share)
    divisor = 1.0 - acceleration * shifted
    # Beyond the pole the correction means nothing.
    return normal.cdf(bias + shifted / divisor) if divisor > 0 else math.nan
