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
_UNDEFINED: Final = (math.nan, math.nan)


def recalibration_line(ladder: Ladder) -> tuple[float, float]:
    """Intercept a and slope b that make the likelihood of logit P(hit) = a + b·logit p largest.

    NaN where a confidence is 0 or 1, or where hits and misses do not overlap: then ever steeper
    lines fit ever better.

    Cost: about ten Newton steps of O(rungs); two or three of a long ladder.
    """
    x, hits, weight = _odds(ladder)
    if not len(x) or not np.isfinite(x).all() or not _overlap(x, hits, weight):
        return _UNDEFINED
    centre = float(np.average(x, weights=weight))
    scale = math.sqrt(float(np.average((x - centre) ** 2, weights=weight)))
    z = (x - centre) / scale
    share = float(hits.sum()) / float(weight.sum())
    line = (math.log(share / (1.0 - share)), 0.0)
    if len(z) > 4 * _GROUPS:
        few = _grouped(z, hits, weight)
        if _overlap(*few):
            line = _ascended(line, *few)
    a, b = _ascended(line, z, hits, weight)
    return a - b * centre / scale, b / scale


def _ascended(
    line: tuple[float, float], z: Floats, hits: Floats, weight: Floats
) -> tuple[float, float]:
    """Newton's method from a line (a, b) to the one of the largest likelihood."""
    (a, b), part = line, 1.0
    likelihood, gradient, curvature = _ascent(a, b, z, hits, weight)
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
                a + part * step_a, b + part * step_b, z, hits, weight
            )
        a, b, likelihood = a + part * step_a, b + part * step_b, found
        # Newton's steps square the error: what is left is far below one rounding.
        if part == 1.0 and abs(step_a) + abs(step_b) <= 1e-9 * (1.0 + abs(a) + abs(b)):
            break
    return a, b


def _ascent(
    a: float, b: float, z: Floats, hits: Floats, weight: Floats
) -> tuple[float, tuple[float, float], tuple[float, float, float]]:
    """Log-likelihood of the line, its gradient, and minus its second derivatives."""
    t = a + b * z
    small = np.exp(-np.abs(t))
    above = 1.0 / (1.0 + small)
    chance = np.where(t >= 0, above, small * above)
    spread = weight * (small * above * above)
    missing = hits - weight * chance
    likelihood = hits @ t - weight @ (np.maximum(t, 0.0) + np.log1p(small))
    turned = spread * z
    return (
        float(likelihood),
        (float(missing.sum()), float(missing @ z)),
        (float(spread.sum()), float(turned.sum()), float(turned @ z)),
    )


def _grouped(z: Floats, hits: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Neighbours put together at their mean: few points that give nearly the same line."""
    starts = np.linspace(0, len(z), _GROUPS, endpoint=False).astype(np.intp)
    added = np.add.reduceat(weight, starts)
    return np.add.reduceat(weight * z, starts) / added, np.add.reduceat(hits, starts), added


def recalibration_shift(ladder: Ladder) -> float:
    """The a that makes the likelihood of logit P(hit) = a + logit p largest.

    NaN where a confidence is 0 or 1, or where there are only hits or only misses.

    Cost: about ten Newton steps of O(rungs).
    """
    x, hits, weight = _odds(ladder)
    n_hits, total = float(hits.sum()), float(weight.sum())
    if not len(x) or not np.isfinite(x).all() or not 0.0 < n_hits < total:
        return math.nan
    # At these ends no confidence, and every one, is above the share of hits.
    odds = math.log(n_hits / (total - n_hits))
    low, high = odds - float(x.max()), odds - float(x.min())
    a = min(max(0.0, low), high)
    for _ in range(_STEPS):
        small = np.exp(-np.abs(a + x))
        above = 1.0 / (1.0 + small)
        missing = n_hits - float(weight @ np.where(a + x >= 0, above, small * above))
        low, high = (a, high) if missing > 0 else (low, a)
        slope = float(weight @ (small * above * above))
        after = a + missing / slope if slope > 0 else math.inf
        if not low <= after <= high:
            after = (low + high) / 2.0
        if abs(after - a) <= 1e-9 * (1.0 + abs(a)):
            # Newton's steps square the error: what is left is far below one rounding.
            return after
        a = after
    return a


def _odds(ladder: Ladder) -> tuple[Floats, Floats, Floats]:
    """Log-odds of each confidence, ascending, with the weight of its hits and of its rows."""
    p, counts = ladder.scores[::-1], np.asarray(ladder.counts[::-1], np.float64)
    with np.errstate(divide="ignore"):
        return np.log(p) - np.log1p(-p), counts[:, 1], counts.sum(axis=1)


def _overlap(x: Floats, hits: Floats, weight: Floats) -> bool:
    """Whether some hit lies below some miss and some miss below some hit."""
    of_hits, of_misses = x[hits > 0], x[hits < weight]
    if not len(of_hits) or not len(of_misses):
        return False
    return bool(of_hits.min() < of_misses.max() and of_misses.min() < of_hits.max())
