"""Logistic recalibration: what came true regressed on the log-odds of the confidence.

Ref: Cox (1958). Two further applications of a model for binary regression. Biometrika 45.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Ladder

__all__ = ["recalibration_line", "recalibration_shift"]

Floats: TypeAlias = npt.NDArray[np.float64]

_STEPS: Final = 200
_GROUPS: Final = 4096
_CLOSE: Final = 1e-9
"""A relative step after which Newton's method stops: it squares the error that is left."""
_UNDEFINED: Final = (math.nan, math.nan)


def recalibration_line(ladder: Ladder) -> tuple[float, float]:
    """Intercept a and slope b that make the likelihood of logit P(hit) = a + b·logit p largest.

    NaN where a confidence is 0 or 1, or where hits and misses do not overlap: then ever steeper
    lines fit ever better.

    Cost: about ten Newton steps of O(rungs); two or three of a long ladder.
    """
    x, misses, hits = _odds(ladder)
    if not len(x) or not np.isfinite(x).all() or not _overlap(x, misses, hits):
        return _UNDEFINED
    weight = misses + hits
    centre = float(np.average(x, weights=weight))
    scale = math.sqrt(float(np.average((x - centre) ** 2, weights=weight)))
    z = (x - centre) / scale
    line = (_log_odds(misses, hits), 0.0)
    if len(z) > 4 * _GROUPS:
        few = _grouped(z, misses, hits)
        if _overlap(*few):
            line = _ascended(line, *few)
    a, b = _ascended(line, z, misses, hits)
    return a - b * centre / scale, b / scale


def recalibration_shift(ladder: Ladder) -> float:
    """The a that makes the likelihood of logit P(hit) = a + logit p largest.

    NaN where a confidence is 0 or 1, or where there are only hits or only misses.

    Cost: about ten Newton steps of O(rungs).
    """
    x, misses, hits = _odds(ladder)
    odds = _log_odds(misses, hits)
    if not len(x) or not np.isfinite(x).all() or not math.isfinite(odds):
        return math.nan
    # At these ends no confidence, and every one, is above the share of hits.
    low, high = odds - float(x.max()), odds - float(x.min())
    a = min(max(0.0, low), high)
    for _ in range(_STEPS):
        chance, rest = _both_sides(a + x)
        missing = float(hits @ rest - misses @ chance)
        low, high = (a, high) if missing > 0 else (low, a)
        slope = float((hits + misses) @ (chance * rest))
        after = a + missing / slope if slope > 0 else math.inf
        if not low <= after <= high:
            after = (low + high) / 2.0
        if abs(after - a) <= _CLOSE * (1.0 + abs(a)):
            return after
        a = after
    return a


def _ascended(
    line: tuple[float, float], z: Floats, misses: Floats, hits: Floats
) -> tuple[float, float]:
    """Newton's method from a line (a, b) to the one of the largest likelihood."""
    a, b = line
    likelihood, gradient, curvature = _ascent(a, b, z, misses, hits)
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
            found, gradient, curvature = _ascent(
                a + part * step_a, b + part * step_b, z, misses, hits
            )
        a, b, likelihood = a + part * step_a, b + part * step_b, found
        if part == 1.0 and abs(step_a) + abs(step_b) <= _CLOSE * (1.0 + abs(a) + abs(b)):
            break
    return a, b


def _ascent(
    a: float, b: float, z: Floats, misses: Floats, hits: Floats
) -> tuple[float, tuple[float, float], tuple[float, float, float]]:
    """Log-likelihood of the line, its gradient, and minus its second derivatives."""
    t = a + b * z
    chance, rest = _both_sides(t)
    missing = hits * rest - misses * chance
    spread = (hits + misses) * (chance * rest)
    turned = spread * z
    # −ln σ(t) = max(−t, 0) + ln(1 + exp(−|t|)), and the larger of σ(t), σ(−t) is 1 ÷ that sum.
    common = -np.log(np.maximum(chance, rest))
    likelihood = -(hits @ (np.maximum(-t, 0.0) + common) + misses @ (np.maximum(t, 0.0) + common))
    return (
        float(likelihood),
        (float(missing.sum()), float(missing @ z)),
        (float(spread.sum()), float(turned.sum()), float(turned @ z)),
    )


def _both_sides(t: Floats) -> tuple[Floats, Floats]:
    """σ(t) and σ(−t), neither as 1 less the other."""
    small = np.exp(-np.abs(t))
    larger = 1.0 / (1.0 + small)
    smaller = small * larger
    is_up = t >= 0
    return np.where(is_up, larger, smaller), np.where(is_up, smaller, larger)


def _grouped(z: Floats, misses: Floats, hits: Floats) -> tuple[Floats, Floats, Floats]:
    """Neighbours put together at their mean: few points that give nearly the same line."""
    starts = np.linspace(0, len(z), _GROUPS, endpoint=False).astype(np.intp)
    of_misses, of_hits = np.add.reduceat(misses, starts), np.add.reduceat(hits, starts)
    means = np.add.reduceat((misses + hits) * z, starts) / (of_misses + of_hits)
    return means, of_misses, of_hits


def _odds(ladder: Ladder) -> tuple[Floats, Floats, Floats]:
    """Log-odds of each confidence, ascending, with the weight of its misses and of its hits."""
    p, counts = ladder.scores[::-1], np.asarray(ladder.counts[::-1], np.float64)
    with np.errstate(divide="ignore"):
        odds = np.log(p) - np.log1p(-p)
    return odds, np.ascontiguousarray(counts[:, 0]), np.ascontiguousarray(counts[:, 1])


def _log_odds(misses: Floats, hits: Floats) -> float:
    """Logarithm of hits to misses; NaN where there are none of either."""
    n_misses, n_hits = float(misses.sum()), float(hits.sum())
    return math.log(n_hits / n_misses) if n_hits > 0 and n_misses > 0 else math.nan


def _overlap(x: Floats, misses: Floats, hits: Floats) -> bool:
    """Whether some hit lies below some miss and some miss below some hit."""
    of_misses, of_hits = x[misses > 0], x[hits > 0]
    if not len(of_hits) or not len(of_misses):
        return False
    return bool(of_hits.min() < of_misses.max() and of_misses.min() < of_hits.max())
