"""The distance between hits and confidence that chance alone makes, if every confidence is right.

The hits of a bin are then a sum of independent trials with the confidences as their chances.
Rows of equal weight: its mean distance from what is expected is summed over its distribution, found
by a discrete Fourier transform of the characteristic function.
Rows of unequal weights: the distance itself is a Fourier series, whose mean is one of the
characteristic function.  Many rows: it comes close enough to a normal one.

Ref: Hong (2013). On computing the distribution function for the Poisson binomial distribution.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Bins, Ladder

__all__ = ["chance_gaps"]

Floats: TypeAlias = npt.NDArray[np.float64]

_NORMAL: Final = 100.0
"""From this variance on the normal distribution serves: its mean distance is within 0.1 %."""
_WAVES: Final = 2048
_AT_ONCE: Final = 128
_NEGLIGIBLE: Final = 1e-7
"""Terms of the Fourier series of a distance, computed so many at once until they are negligible."""
_RUNGS: Final = 256
"""More distinct confidences in a bin than this are put together, by shares of its variance."""


def chance_gaps(ladder: Ladder, bins: Bins) -> Floats:
    """float64[b]: expected |Σw·(y − p)| of each bin if every p is right.

    Within 0.1 %; exact where the rows of a bin weigh the same and the variance is at most 100.
    Rows of one confidence and of different weights count as rows of one weight.

    Cost: O(b) sums of at most 256 × 115 terms, 256 × 2048 where weights differ.
    """
    gaps: Floats = np.sqrt(bins.variance * (2.0 / math.pi))
    p, counts = ladder.scores[::-1], ladder.counts[::-1]
    weight = np.asarray(counts.sum(axis=1), np.float64)
    squares = weight if ladder.squares is None else ladder.squares[::-1].sum(axis=1)
    inner = np.searchsorted(p, bins.edges[1:-1], side=bins.closed)
    bounds = np.concatenate([[0], inner, [len(p)]])
    for i in np.flatnonzero(bins.variance > 0):
        rungs = slice(bounds[i], bounds[i + 1])
        gaps[i] = _mean_distance(p[rungs], weight[rungs], squares[rungs], float(gaps[i]))
    return gaps


def _mean_distance(p: Floats, weight: Floats, squares: Floats, normal: float) -> float:
    """Expected |Σw·(y − p)| of one bin; `normal`: what it would be if that were normal."""
    risk = p * (1.0 - p)
    variance = float((squares * risk).sum())
    # In rows of the weight that most of the variance has.
    if float((weight * risk).sum()) ** 2 > _NORMAL * variance:
        return normal
    if len(p) > _RUNGS:
        p, weight, squares = _together(p, weight, squares)
    unit = squares / weight
    if np.ptp(unit) <= 1e-12 * unit[0]:
        return float(unit[0]) * _of_equal_rows(p, weight / unit[0])
    return _of_unequal_rows(p, weight, squares)


def _of_equal_rows(p: Floats, rows: Floats) -> float:
    """Expected |hits − Σ rows·p| of independent rows, by the distribution of the hits."""
    if float((rows * p).sum()) > rows.sum() / 2.0:
        # Misses are as far from their expectation as hits are, and 1 − p is exact near 1.
        p = 1.0 - p
    mean = float((rows * p).sum())
    reach = _reach(float((rows * p * (1.0 - p)).sum()))
    first = max(0, math.floor(mean - reach))
    last = min(round(float(rows.sum())), math.ceil(mean + reach))
    hits = np.arange(first, last + 1)
    angles = np.arange(len(hits) // 2 + 1) * (2.0 * math.pi / len(hits))
    with np.errstate(divide="ignore"):
        logs = rows @ np.log1p(p[:, None] * np.expm1(1j * angles))
    chances = np.fft.irfft(np.exp(logs - 1j * angles * first).conj(), len(hits))
    return float((chances * np.abs(hits - mean)).sum())


def _of_unequal_rows(p: Floats, weight: Floats, squares: Floats) -> float:
    """Expected |Σw·(y − p)| of independent rows, by the Fourier series of |x|.

    |x| = r/2 − 4r/π² · Σ over odd j of cos(jπx/r)/j² for |x| ≤ r.
    """
    rows = np.maximum(1.0, np.rint(weight**2 / squares))
    size = np.sqrt(squares / rows)
    largest = float(size.max())
    variance = float((squares * p * (1.0 - p)).sum())
    reach = min(float((rows * size).sum()), largest * _reach(variance / largest**2))
    total = 0.0
    for start in range(0, _WAVES, _AT_ONCE):
        odd = 2.0 * np.arange(start, start + _AT_ONCE) + 1.0
        angles = np.outer(size, odd * (math.pi / reach))
        with np.errstate(divide="ignore"):
            logs = np.log1p(p[:, None] * np.expm1(1j * angles)) - 1j * p[:, None] * angles
        waves = np.exp(rows @ logs).real
        total += float((waves / odd**2).sum())
        if np.abs(waves).max() < _NEGLIGIBLE:
            break
    return reach * (0.5 - 4.0 / math.pi**2 * total)


def _reach(variance: float) -> float:
    """How far a sum of independent rows of weight 1 may be from its mean.

    Bernstein's inequality leaves less than 1e-15 beyond.
    """
    return 24.0 + 9.0 * math.sqrt(variance)


def _together(p: Floats, weight: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Neighbouring confidences as one at their mean, so that no group has much of the variance."""
    share = np.cumsum(squares * (p * (1.0 - p)))
    group = np.minimum((share / share[-1] * _RUNGS).astype(np.intp), _RUNGS - 1)
    _, group = np.unique(group, return_inverse=True)
    means, weights, added = (
        np.bincount(group, part).astype(np.float64) for part in (weight * p, weight, squares)
    )
    return means / weights, weights, added
