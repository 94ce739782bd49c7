"""Reliability tables, and the calibration error expected by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Bins, LevelSource, of_both, quantile_edges, uniform_edges
from karat.tally.bins import Closed

Scheme: TypeAlias = Literal["uniform", "quantile"]
"""Position of the edges: at equal distances, or so that the bins have equal weight."""

MOST_BINS: Final = 10_000
"""Largest number of bins: each needs rows of its own to be informative."""

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """Reliability table: one entry for each bin, NaN where it is empty.

    Attributes:
        closed: which edge belongs to a bin: ``"right"``, (lo, hi], or ``"left"``, [lo, hi).
        lo, hi: float64[b], the edges.
        n: float64[b], rows, or Σw.
        mean_confidence: float64[b].
        share: float64[b], proportion of the rows where the prediction is right.
        spread: float64[b], standard deviation of `share` if the confidences are calibrated.
    """

    closed: Closed
    lo: Floats
    hi: Floats
    n: Floats
    mean_confidence: Floats
    share: Floats
    spread: Floats

    def rows(self) -> list[dict[str, Any]]:
        """One dict of Python numbers for each bin; None where it is empty."""
        names = ("lo", "hi", "n", "mean_confidence", "share", "spread")
        columns = [getattr(self, name).tolist() for name in names]
        return [
            {
                name: None if value != value else value
                for name, value in zip(names, row, strict=True)
            }
            for row in zip(*columns, strict=True)
        ]


def binned(
    cumulative: LevelSource, bins: int, scheme: Scheme = "uniform", closed: Closed = "right"
) -> Bins:
    """Bin cumulative counts of confidences; the own class means a hit.

    Views keep it by its arguments: pass all of them.
    """
    edges = uniform_edges(bins) if scheme == "uniform" else quantile_edges(cumulative, bins, closed)
    return Bins.of(cumulative, edges, closed)


def reliability(bins: Bins) -> Reliability:
    """The table of a reliability diagram.

    Example:
        >>> from karat.tally import CumulativeCounts
        >>> cumulative = CumulativeCounts.of([0.25, 0.75, 0.75], [True, True, False])
        >>> reliability(binned(cumulative, 2)).rows()[1]["share"]
        0.5
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(bins.variance) / bins.weight
    return Reliability(
        closed=bins.closed,
        lo=bins.edges[:-1],
        hi=bins.edges[1:],
        n=bins.weight,
        mean_confidence=bins.mean_confidence,
        share=bins.hit_share,
        spread=spread,
    )


_NORMAL: Final = 100.0
"""Variance above which the normal approximation is used: its mean distance is within 0.1 %."""
_WAVES: Final = 2048
_AT_ONCE: Final = 128
_NEGLIGIBLE: Final = 1e-7
"""Terms of the Fourier series of a distance computed at once, until they are negligible."""
_HELD: Final = 1 << 16
_LEVELS: Final = 256
"""Number of distinct confidences in a bin above which they are grouped, by variance."""


def chance_gaps(cumulative: LevelSource, bins: Bins) -> Floats:
    """float64[b]: expected |Σw·(y − p)| of each bin if every p is right.

    Accurate to 0.1 %; exact where the rows of a bin have equal weights and the variance is at most
    100. Rows with equal confidences and different weights count as rows of equal weight.

    Cost: two walks over the levels, and O(b) sums of at most 256 × 115 terms, 256 × 2048 if weights
    differ.
    """
    gaps: Floats = np.sqrt(bins.variance * (2.0 / math.pi))
    risk, n_levels = np.zeros(bins.b), np.zeros(bins.b, np.int64)
    for p, counts, _ in cumulative.blocks():
        place = bins.place_of(p)
        risk += np.bincount(place, of_both(counts) * (p * (1.0 - p)), bins.b)
        n_levels += np.bincount(place, minlength=bins.b)
    # In rows of the weight with most of the variance.
    is_few = (bins.variance > 0) & (risk**2 <= _NORMAL * bins.variance)
    for i, levels in _by_bin(cumulative, bins, n_levels * is_few):
        gaps[i] = _mean_distance(*levels.all())
    return gaps


def _by_bin(
    cumulative: LevelSource, bins: Bins, n_levels: npt.NDArray[np.int64]
) -> Iterator[tuple[int, _BinLevels]]:
    """Yield the score levels of each nonempty bin, last bin first; one bin in memory at a time."""
    now, held = -1, _BinLevels(0, 0.0)
    for p, counts, squares in cumulative.blocks():
        place = bins.place_of(p)
        weight = np.asarray(of_both(counts), np.float64)
        added = weight if squares is None else of_both(squares)
        # Confidences and bins are descending: each bin is complete when the next begins.
        borders = [0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), len(p)]
        for first, last in pairwise(borders):
            i = int(place[first])
            if not n_levels[i]:
                continue
            if i != now:
                if now >= 0:
                    yield now, held
                now, held = i, _BinLevels(int(n_levels[i]), float(bins.variance[i]))
            held.add(p[first:last], weight[first:last], added[first:last])
    if now >= 0:
        yield now, held


class _BinLevels:
    """Score levels of a bin, best first: single ones, or groups if there are very many."""

    def __init__(self, n: int, variance: float) -> None:
        self._parts: list[tuple[Floats, Floats, Floats]] = []
        self._groups = _Groups(variance) if n > _HELD else None

    def add(self, p: Floats, weight: Floats, squares: Floats) -> None:
        if self._groups:
            self._groups.add(p, weight, squares)
        else:
            self._parts.append((p, weight, squares))

    def all(self) -> tuple[Floats, Floats, Floats]:
        if self._groups:
            return self._groups.all()
        p, weight, squares = (np.concatenate(part)[::-1] for part in zip(*self._parts, strict=True))
        return p, weight, squares


class _Groups:
    """Neighboring confidences grouped at their mean, so that no group has much of the variance."""

    def __init__(self, variance: float) -> None:
        self._variance = variance
        self._sums = np.zeros((3, _LEVELS))
        self._share = 0.0

    def add(self, p: Floats, weight: Floats, squares: Floats) -> None:
        share = self._share + np.cumsum(squares * (p * (1.0 - p)))
        self._share = float(share[-1])
        group = np.minimum((share / self._variance * _LEVELS).astype(np.intp), _LEVELS - 1)
        terms = (weight * p, weight, squares)
        self._sums += [np.bincount(group, each, _LEVELS) for each in terms]

    def all(self) -> tuple[Floats, Floats, Floats]:
        means, weight, squares = self._sums[:, self._sums[1] > 0]
        return means / weight, weight, squares


def _mean_distance(p: Floats, weight: Floats, squares: Floats) -> float:
    if len(p) > _LEVELS:
        groups = _Groups(float((squares * (p * (1.0 - p))).sum()))
        groups.add(p, weight, squares)
        p, weight, squares = groups.all()
    unit = squares / weight
    if not unit.any():
        return 0.0  # weights whose squares underflow
    if np.ptp(unit) <= 1e-12 * unit[0]:
        return float(unit[0]) * _of_equal_rows(p, weight / unit[0])
    return _of_unequal_rows(p, weight, squares)


def _of_equal_rows(p: Floats, rows: Floats) -> float:
    """Expected |hits − Σ rows·p| of independent rows, by the distribution of the hits."""
    if float((rows * p).sum()) > rows.sum() / 2.0:
        # Misses deviate as much as hits do, and 1 − p is exact near 1.
        p = 1.0 - p
    mean = float((rows * p).sum())
    reach = _reach(float((rows * p * (1.0 - p)).sum()))
    first = max(0, math.floor(mean - reach))
    last = min(round(float(rows.sum())), math.ceil(mean + reach))
    hits = np.arange(first, last + 1)
    angles = np.arange(len(hits) // 2 + 1) * (2.0 * math.pi / len(hits))
    waves = p[:, None] * np.expm1(1j * angles)
    if (rows == 1.0).all():
        product = (1.0 + waves).prod(axis=0) * np.exp(-1j * angles * first)
    else:
        with np.errstate(divide="ignore"):
            # Not by BLAS, whose threads wait longer than they compute: see `_views.dot`.
            logs = (rows[:, None] * np.log1p(waves)).sum(axis=0)
        product = np.exp(logs - 1j * angles * first)
    chances = np.fft.irfft(product.conj(), len(hits))
    return float((chances * np.abs(hits - mean)).sum())


def _of_unequal_rows(p: Floats, weight: Floats, squares: Floats) -> float:
    """Expected |Σw·(y − p)| of independent rows, by the Fourier series of |x|.

    |x| = r/2 − 4r/π² · Σ over odd j of cos(jπx/r)/j² for |x| ≤ r.
    """
    rows = np.divide(weight**2, squares, out=np.ones_like(weight), where=squares > 0)
    rows = np.maximum(1.0, np.rint(rows))
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
        waves = np.exp((rows[:, None] * logs).sum(axis=0)).real
        total += float((waves / odd**2).sum())
        if np.abs(waves).max() < _NEGLIGIBLE:
            break
    return reach * (0.5 - 4.0 / math.pi**2 * total)


def _reach(variance: float) -> float:
    """Bound on the deviation of a sum of independent rows of weight 1 from its mean.

    By Bernstein's inequality, the probability beyond it is less than 1e-15.
    """
    return 24.0 + 9.0 * math.sqrt(variance)
