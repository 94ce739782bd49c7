"""Logistic recalibration: what came true regressed on the log-odds of the confidence.

Ref: Cox (1958). Two further applications of a model for binary regression. Biometrika 45.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._sums import dot
from karat.tally import RungSource

__all__ = ["both_sides", "recalibration_line", "recalibration_shift"]

Floats: TypeAlias = npt.NDArray[np.float64]
Points: TypeAlias = tuple[Floats, Floats, Floats]
"""Log-odds, and the weight of misses and of hits at each."""

_STEPS: Final = 200
_GROUPS: Final = 4096
_CLOSE: Final = 1e-9
"""A relative step after which Newton's method stops: it squares the error that is left."""
_UNDEFINED: Final = (math.nan, math.nan)


def recalibration_line(rungs: RungSource) -> tuple[float, float]:
    """Intercept a and slope b that make the likelihood of logit P(hit) = a + b·logit p largest.

    NaN where a confidence is 0 or 1, or where hits and misses do not overlap: then ever steeper
    lines fit ever better.

    Cost: about ten Newton steps of O(rungs); two or three where there are many.
    """
    outline = _Outline.of(_odds(rungs))
    if not outline.is_finite or not outline.overlaps:
        return _UNDEFINED
    centre = outline.mean
    scale = math.sqrt(
        sum(dot(m + h, (x - centre) ** 2) for x, m, h in _odds(rungs)) / outline.weight
    )

    def points() -> Iterator[Points]:
        for x, misses, hits in _odds(rungs):
            yield (x - centre) / scale, misses, hits

    line = (outline.log_odds, 0.0)
    if rungs.n_rows > 4 * _GROUPS:
        few = _grouped(points(), rungs.n_rows)
        if _Outline.of([few]).overlaps:
            line = _ascended(line, lambda: [few])
    a, b = _ascended(line, points)
    return a - b * centre / scale, b / scale


def recalibration_shift(rungs: RungSource) -> float:
    """The a that makes the likelihood of logit P(hit) = a + logit p largest.

    NaN where a confidence is 0 or 1, or where there are only hits or only misses.

    Cost: about ten Newton steps of O(rungs); two or three where there are many.
    """
    outline = _Outline.of(_odds(rungs))
    if not outline.is_finite or not math.isfinite(outline.log_odds):
        return math.nan
    # At these ends no confidence, and every one, is above the share of hits.
    low, high = outline.log_odds - outline.highest, outline.log_odds - outline.lowest
    start = 0.0
    if rungs.n_rows > 4 * _GROUPS:
        few = _grouped(_odds(rungs), rungs.n_rows)
        start = _shifted(start, low, high, lambda: [few])
    return _shifted(start, low, high, lambda: _odds(rungs))


def _shifted(
    start: float, low: float, high: float, points: Callable[[], Iterable[Points]]
) -> float:
    """Newton's method for the shift, which is never left to step out of what it must lie in."""
    a = min(max(start, low), high)
    for _ in range(_STEPS):
        missing = slope = 0.0
        for x, misses, hits in points():
            chance, rest = both_sides(a + x)
            missing += dot(hits, rest) - dot(misses, chance)
            slope += dot(hits + misses, chance * rest)
        low, high = (a, high) if missing > 0 else (low, a)
        after = a + missing / slope if slope > 0 else math.inf
        if not low <= after <= high:
            after = (low + high) / 2.0
        if abs(after - a) <= _CLOSE * (1.0 + abs(a)):
            return after
        a = after
    return a


def _ascended(
    line: tuple[float, float], points: Callable[[], Iterable[Points]]
) -> tuple[float, float]:
    """Newton's method from a line (a, b) to the one of the largest likelihood."""
    a, b = line
    likelihood, gradient, curvature = _ascent(a, b, points())
    for _ in range(_STEPS):
        (g0, g1), (h00, h01, h11) = gradient, curvature
        det = h00 * h11 - h01 * h01
        if not det > 0:
            break
        step_a, step_b = (h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det
        # The likelihood is concave: some part of a Newton step raises it, but for rounding.
        least, part = likelihood - 1e-13 * abs(likelihood), 2.0
        found = -math.inf
        while not found >= least and part > 1e-12:
            part /= 2.0
            found, gradient, curvature = _ascent(a + part * step_a, b + part * step_b, points())
        a, b, likelihood = a + part * step_a, b + part * step_b, found
        if part == 1.0 and abs(step_a) + abs(step_b) <= _CLOSE * (1.0 + abs(a) + abs(b)):
            break
    return a, b


def _ascent(
    a: float, b: float, points: Iterable[Points]
) -> tuple[float, tuple[float, float], tuple[float, float, float]]:
    """Log-likelihood of the line, its gradient, and minus its second derivatives."""
    sums = np.zeros(6)
    for z, misses, hits in points:
        t = a + b * z
        chance, rest = both_sides(t)
        missing = hits * rest - misses * chance
        spread = (hits + misses) * (chance * rest)
        turned = spread * z
        # −ln σ(t) = max(−t, 0) + ln(1 + exp(−|t|)), and the larger of σ(t), σ(−t) is 1 ÷ that sum.
        common = -np.log(np.maximum(chance, rest))
        loss = dot(hits, np.maximum(-t, 0.0) + common) + dot(misses, np.maximum(t, 0.0) + common)
        sums += [-loss, missing.sum(), dot(missing, z), spread.sum(), turned.sum(), dot(turned, z)]
    likelihood, g0, g1, h00, h01, h11 = sums.tolist()
    return likelihood, (g0, g1), (h00, h01, h11)


def both_sides(t: Floats) -> tuple[Floats, Floats]:
    """σ(t) and σ(−t), neither as 1 less the other."""
    small = np.exp(-np.abs(t))
    larger = 1.0 / (1.0 + small)
    smaller = small * larger
    is_up = t >= 0
    return np.where(is_up, larger, smaller), np.where(is_up, smaller, larger)


def _grouped(points: Iterable[Points], n: int) -> Points:
    """Neighbours put together at their mean: few points that give nearly the same line."""
    means, of_misses, of_hits = [], [], []
    for z, misses, hits in points:
        n_groups = max(1, _GROUPS * len(z) // n)
        starts = np.linspace(0, len(z), n_groups, endpoint=False).astype(np.intp)
        of_misses.append(np.add.reduceat(misses, starts))
        of_hits.append(np.add.reduceat(hits, starts))
        sums = np.add.reduceat((misses + hits) * z, starts)
        means.append(sums / (of_misses[-1] + of_hits[-1]))
    return np.concatenate(means), np.concatenate(of_misses), np.concatenate(of_hits)


def _odds(rungs: RungSource) -> Iterator[Points]:
    """Log-odds of the confidences, with the weight of their misses and of their hits."""
    for p, counts, _ in rungs.blocks():
        with np.errstate(divide="ignore"):
            odds = np.log(p) - np.log1p(-p)
        misses, hits = (np.ascontiguousarray(counts[:, side], np.float64) for side in (0, 1))
        yield odds, misses, hits


@dataclass
class _Outline:
    """What is known of log-odds, misses and hits after one walk.

    Attributes:
        n_misses, n_hits: their weight.
        total: Σ weight · log-odds.
        misses_from, misses_to, hits_from, hits_to: between which log-odds they lie.
    """

    n_misses: float = 0.0
    n_hits: float = 0.0
    total: float = 0.0
    misses_from: float = math.inf
    misses_to: float = -math.inf
    hits_from: float = math.inf
    hits_to: float = -math.inf

    @classmethod
    def of(cls, points: Iterable[Points]) -> _Outline:
        found = cls()
        for x, misses, hits in points:
            found.n_misses += float(misses.sum())
            found.n_hits += float(hits.sum())
            with np.errstate(invalid="ignore"):  # of infinite ones nothing is asked for
                found.total += dot(misses + hits, x)
            of_misses, of_hits = x[misses > 0], x[hits > 0]
            found.misses_from = min(found.misses_from, float(of_misses.min(initial=math.inf)))
            found.misses_to = max(found.misses_to, float(of_misses.max(initial=-math.inf)))
            found.hits_from = min(found.hits_from, float(of_hits.min(initial=math.inf)))
            found.hits_to = max(found.hits_to, float(of_hits.max(initial=-math.inf)))
        return found

    @property
    def weight(self) -> float:
        return self.n_misses + self.n_hits

    @property
    def mean(self) -> float:
        return self.total / self.weight

    @property
    def lowest(self) -> float:
        return min(self.misses_from, self.hits_from)

    @property
    def highest(self) -> float:
        return max(self.misses_to, self.hits_to)

    @property
    def is_finite(self) -> bool:
        """Whether there are confidences, and none is 0 or 1."""
        return math.isfinite(self.lowest) and math.isfinite(self.highest)

    @property
    def overlaps(self) -> bool:
        """Whether some hit lies below some miss and some miss below some hit."""
        return self.hits_from < self.misses_to and self.misses_from < self.hits_to

    @property
    def log_odds(self) -> float:
        """Logarithm of hits to misses; NaN where there are none of either."""
        is_mixed = self.n_hits > 0 and self.n_misses > 0
        return math.log(self.n_hits / self.n_misses) if is_mixed else math.nan
