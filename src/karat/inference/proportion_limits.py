"""Limits of one share of each class, and of two shares as their errors go together."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import Confidence
from karat.inference.limits import beta_limits, wilson_limits
from karat.inference.proportions import Share, at_proportions
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric

__all__ = ["limits_of_proportion", "limits_of_ratio", "limits_of_two_proportions"]

Floats: TypeAlias = npt.NDArray[np.float64]


def limits_of_proportion(
    share: Share, spread: TableVariance, asked: Confidence, *, is_beta: bool
) -> tuple[Floats, Floats, Floats]:
    """float64[k] each: a share, ½ where it has no rows, and its limits."""
    weights, squares = spread.one_vs_rest()
    hits, misses = share.counted(weights)
    inside = hits + misses
    is_seen = inside > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(is_seen, hits / inside, 0.5)
        n = np.where(is_seen, inside**2 / sum(share.counted(squares)), 0.0)
    # Of a class that weighs next to nothing the squares are no numbers.
    n = np.where(np.isfinite(n), n, 0.0)
    if spread.clusters is not None or spread.cells.squares is not None or spread.design != "cohort":
        n = n / _inflation_of_shares(share, spread, p, n, inside)
    quantile = asked.quantile(spread.df)
    if not is_beta:
        return p, *wilson_limits(p, n, quantile)
    low, high = beta_limits(p, n, asked.tail)
    normal = asked.quantile()
    wider = quantile / normal if normal > 0.0 else 1.0
    low, high = np.maximum(p - (p - low) * wider, 0.0), np.minimum(p + (high - p) * wider, 1.0)
    return p, np.where(is_seen, low, 0.0), np.where(is_seen, high, 1.0)


class _Side(NamedTuple):
    """One of two shares: float64[k] each, and float64[k, 2, 2] its derivative."""

    p: Floats
    low: Floats
    high: Floats
    partials: Floats
    error: Floats


def _sides(shares: tuple[Share, Share], spread: TableVariance, asked: Confidence) -> list[_Side]:
    weights, _ = spread.one_vs_rest()
    for share in shares:
        if (share, asked) not in spread.kept:
            limits = limits_of_proportion(share, spread, asked, is_beta=True)
            inside = np.add(*share.counted(weights))
            partials = _share_partials(share, spread, limits[0], inside)
            error = np.sqrt(spread.class_variances(partials))
            spread.kept[share, asked] = _Side(*limits, partials, error)
    return [spread.kept[share, asked] for share in shares]


def _together(sides: list[_Side], distances: list[Floats], spread: TableVariance) -> Floats:
    """float64[k]: how far away a sum is, of which each side is so far (MOVER).

    Args:
        distances: of each side; below 0 where the sum falls as the share rises.
    """
    form, alone = np.zeros((spread.cells.k, 2, 2)), np.zeros(spread.cells.k)
    for side, distance in zip(sides, distances, strict=True):
        sigma = side.error
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.where(sigma > 0, distance / sigma, 0.0)
        form += factor[:, None, None] * side.partials
        alone += np.where(sigma > 0, 0.0, distance) ** 2
    return np.sqrt(np.maximum(spread.class_variances(form), 0.0) + alone)


def limits_of_two_proportions(
    value: Floats, shares: tuple[Share, Share], spread: TableVariance, asked: Confidence
) -> tuple[Floats, Floats]:
    """Limits of a sum of two shares (Newcombe 1998 for shares of independent rows).

    Wilson's limits of the whole, with the rows that its variance would need, hold the truth less
    often than they say where one share is of few rows and near 1, and the other is of many.
    """
    sides = _sides(shares, spread, asked)
    below = _together(sides, [side.p - side.low for side in sides], spread)
    return value - below, value + _together(sides, [side.high - side.p for side in sides], spread)


def limits_of_ratio(
    metric: Metric,
    value: Floats,
    shares: tuple[Share, Share],
    spread: TableVariance,
    asked: Confidence,
) -> tuple[Floats, Floats]:
    """Limits of a product of two functions of shares, combined on the scale of the logarithm.

    NaN where the value is not finite. Half a row more in each cell (Gart) is worse where a share is
    near 0 or 1: the limits of the shares hold there.
    """
    sides = _sides(shares, spread, asked)
    first, second = sides
    with np.errstate(all="ignore"):
        ends = at_proportions(
            metric,
            shares,
            np.stack([first.low, first.high, first.p, first.p]),
            np.stack([second.p, second.p, second.low, second.high]),
        )
        moved = ends[:2], ends[2:]
        distances: list[list[Floats]] = [[], []]
        for low_end, high_end in moved:
            rises = np.where(high_end >= low_end, 1.0, -1.0)
            both = np.fmin(low_end, high_end), np.fmax(low_end, high_end)
            for part, end in zip(distances, both, strict=True):
                part.append(rises * np.abs(np.log(end / value)))
        is_between = np.isfinite(value) & (value > 0)
        below, above = (
            _together(sides, [np.where(is_between, one, 0.0) for one in part], spread)
            for part in distances
        )
        low, high = value * np.exp(-below), value * np.exp(above)
    high = np.where(value == 0, np.fmax.reduce(ends), high)
    return np.where(np.isfinite(value), low, np.nan), np.where(np.isfinite(value), high, np.nan)


def _share_partials(share: Share, spread: TableVariance, p: Floats, inside: Floats) -> Floats:
    """float64[k, 2, 2]: derivative of a share with respect to the shares of the four cells."""
    scale = np.where(inside > 0, spread.total / np.maximum(inside, 1e-300), 0.0)
    hits, misses = np.array(share.hits), np.array(share.misses)
    sides = (1 - p)[:, None, None] * hits - p[:, None, None] * misses
    return np.asarray(scale[:, None, None] * sides)


def _inflation_of_shares(
    share: Share, spread: TableVariance, p: Floats, n: Floats, inside: Floats
) -> Floats:
    """float64[k]: how many times more a share varies than one of n rows."""
    actual = spread.class_variances(_share_partials(share, spread, p, inside))
    simple = p * (1 - p) / np.maximum(n, 1e-300)
    fewest = 1.0
    if spread.clusters is not None:
        fewest = np.maximum(n / spread.clusters.n_clusters, 1.0)  # type: ignore[assignment]
    # Beside a share of next to nothing a rounding error is infinite: nothing is known of it then.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = np.where(simple > 0, actual / simple, fewest)
    # Of a case-control sample a share may vary less than of a cohort.
    least = 1.0 if spread.design == "cohort" else 1e-6
    return np.where((ratio == 0.0) & (simple > 0), fewest, np.maximum(ratio, least))
