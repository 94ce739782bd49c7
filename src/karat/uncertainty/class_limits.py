"""Limits of a metric of one class, for every class at once, from one-vs-rest tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.metrics._interpret import gradient
from karat.tally import Cells, Fields
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.limits import beta_limits, wilson_limits
from karat.uncertainty.shares import (
    TWO,
    Share,
    at_shares,
    of_share,
    ratio_of_shares,
    share_of,
    two_shares_of,
)
from karat.uncertainty.table_spread import TableSpread

__all__ = ["ClassLimits", "class_limits"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassLimits:
    """What is known of a metric of one class, for every class.

    Attributes:
        value: float64[k]; NaN where undefined and no convention gives a number.
        low, high: float64[k].
        partials: float64[k, 2, 2], derivative with respect to the shares of the four cells.
        variance: float64[k].
        method: what made the limits.
    """

    value: Floats
    low: Floats
    high: Floats
    partials: Floats
    variance: Floats
    method: str


def class_limits(
    metric: Metric, spread: TableSpread, asked: Confidence, *, is_beta: bool = False
) -> ClassLimits:
    """Limits for every class.

    A share of rows has those of Wilson, or of the beta distribution where they will be combined;
    the sum of two shares those of both, combined as they go together; another bounded metric those
    of a share with as many rows as would give its variance;
    a ratio without bound those of both shares, combined on the scale of the logarithm, or those of
    its logarithm, with half a row more in each cell.
    A class that the data do not define has the whole range.

    Args:
        metric: of the positive class of two.
        is_beta: whether shares get beta limits.

    Cost: O(k), and O(cells) a class where rows are weighted, clustered or drawn by class.
    """
    tables, _ = spread.one_vs_rest()
    total = spread.total
    slopes = _slopes(metric, tables) * total
    partials = np.where(np.isfinite(slopes), slopes, 0.0)
    value = _values(metric, tables)
    variance = spread.class_variances(partials)
    df = spread.df
    share = share_of(metric)
    if share is not None:
        limits = _of_shares(metric, share, spread, asked, is_beta=is_beta)
        return ClassLimits(value, *limits, partials, variance, "jeffreys" if is_beta else "wilson")
    two = two_shares_of(metric)
    if two is not None:
        limits = _of_two_shares(value, two, spread, asked)
        return ClassLimits(value, *limits, partials, variance, "mover")
    inflation = spread.class_inflation(partials)
    low, high = metric.range
    if math.isfinite(low) and math.isfinite(high):
        shares, rows = _effective(metric, spread, tables, value, inflation)
        limits = wilson_limits(shares, rows, asked.quantile(df))
        limits = tuple(low + (high - low) * part for part in limits)  # type: ignore[assignment]
        return ClassLimits(value, *limits, partials, variance, "wilson-effective")
    ratio = ratio_of_shares(metric)
    if ratio is not None:
        limits = _of_ratio_of_shares(metric, value, ratio, spread, asked)
        if not np.isnan(limits[0]).any():
            return ClassLimits(value, *limits, partials, variance, "mover-log")
    smoothed = _of_ratios(metric, spread, tables, value, inflation, asked.quantile(df))
    if ratio is not None:
        limits = tuple(np.where(np.isnan(limits[0]), smoothed, limits))
        return ClassLimits(value, *limits, partials, variance, "mover-log")
    limits = smoothed
    return ClassLimits(value, *limits, partials, variance, "log")


def _values(metric: Metric, tables: Floats) -> Floats:
    """float64[k]: the metric of each table."""
    n_rows = np.zeros(len(tables), np.int64)
    return metric.values(Cells.dense(tables, classes=TWO, n_rows=n_rows)).value


def _slopes(metric: Metric, tables: Floats) -> Floats:
    """float64[k, 2, 2]: derivative of the metric of each table with respect to its counts."""
    fields = Fields.of_matrix(tables, 1)
    found = gradient(metric.traced("zero").value, fields, dict(metric.params)).at_cells()
    return found.reshape(tables.shape)


def _of_shares(
    metric: Metric, share: Share, spread: TableSpread, asked: Confidence, *, is_beta: bool
) -> tuple[Floats, Floats]:
    _, low, high = _share_limits(share, spread, asked, is_beta=is_beta)
    mapped = of_share(metric, share, np.stack([low, high]))
    return mapped.min(axis=0), mapped.max(axis=0)


def _share_limits(
    share: Share, spread: TableSpread, asked: Confidence, *, is_beta: bool
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
    """One of two shares: float64[k] its value and limits, and float64[k, 2, 2] its derivative."""

    p: Floats
    low: Floats
    high: Floats
    partials: Floats


def _sides(shares: tuple[Share, Share], spread: TableSpread, asked: Confidence) -> list[_Side]:
    weights, _ = spread.one_vs_rest()
    found = []
    for share in shares:
        limits = _share_limits(share, spread, asked, is_beta=True)
        inside = np.add(*share.counted(weights))
        found.append(_Side(*limits, _share_partials(share, spread, limits[0], inside)))
    return found


def _together(sides: list[_Side], distances: list[Floats], spread: TableSpread) -> Floats:
    """float64[k]: how far away a sum is, of which each side is so far (MOVER).

    Args:
        distances: of each side; below 0 where the sum falls as the share rises.
    """
    form, alone = np.zeros((spread.cells.k, 2, 2)), np.zeros(spread.cells.k)
    for side, distance in zip(sides, distances, strict=True):
        sigma = np.sqrt(spread.class_variances(side.partials))
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.where(sigma > 0, distance / sigma, 0.0)
        form += factor[:, None, None] * side.partials
        alone += np.where(sigma > 0, 0.0, distance) ** 2
    return np.sqrt(np.maximum(spread.class_variances(form), 0.0) + alone)


def _of_two_shares(
    value: Floats, shares: tuple[Share, Share], spread: TableSpread, asked: Confidence
) -> tuple[Floats, Floats]:
    """Limits of a sum of two shares (Newcombe 1998 for shares of independent rows).

    Wilson's limits of the whole, with the rows that its variance would need, hold the truth less
    often than they say where one share is of few rows and near 1, and the other is of many.
    """
    sides = _sides(shares, spread, asked)
    below = _together(sides, [side.p - side.low for side in sides], spread)
    return value - below, value + _together(sides, [side.high - side.p for side in sides], spread)


def _of_ratio_of_shares(
    metric: Metric,
    value: Floats,
    shares: tuple[Share, Share],
    spread: TableSpread,
    asked: Confidence,
) -> tuple[Floats, Floats]:
    """Limits of a product of two functions of shares, combined on the scale of the logarithm.

    NaN where the value is not finite. Half a row more in each cell (Gart) is worse where a share is
    near 0 or 1: the limits of the shares hold there.
    """
    sides = _sides(shares, spread, asked)
    first, second = sides
    with np.errstate(all="ignore"):
        ends = at_shares(
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


def _share_partials(share: Share, spread: TableSpread, p: Floats, inside: Floats) -> Floats:
    """float64[k, 2, 2]: derivative of a share with respect to the shares of the four cells."""
    scale = np.where(inside > 0, spread.total / np.maximum(inside, 1e-300), 0.0)
    hits, misses = np.array(share.hits), np.array(share.misses)
    sides = (1 - p)[:, None, None] * hits - p[:, None, None] * misses
    return np.asarray(scale[:, None, None] * sides)


def _inflation_of_shares(
    share: Share, spread: TableSpread, p: Floats, n: Floats, inside: Floats
) -> Floats:
    """float64[k]: how many times more a share varies than one of n rows."""
    actual = spread.class_variances(_share_partials(share, spread, p, inside))
    simple = p * (1 - p) / np.maximum(n, 1e-300)
    fewest = 1.0
    if spread.clusters is not None:
        fewest = np.maximum(n / spread.clusters.n_clusters, 1.0)  # type: ignore[assignment]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(simple > 0, actual / simple, fewest)
    # Of a case-control sample a share may vary less than of a cohort.
    least = 1.0 if spread.design == "cohort" else 1e-6
    return np.where((ratio == 0.0) & (simple > 0), fewest, np.maximum(ratio, least))


def _effective(
    metric: Metric, spread: TableSpread, tables: Floats, value: Floats, inflation: Floats
) -> tuple[Floats, Floats]:
    """float64[k] each: the value as a share of its range, and the rows that give its variance."""
    low, high = metric.range
    scale = spread.n_effective / spread.total
    smooth = tables * scale + 0.25
    slopes = _slopes(metric, smooth)
    n_smooth = smooth.sum(axis=(1, 2))
    phi = slopes * n_smooth[:, None, None]
    p = smooth / n_smooth[:, None, None]
    spread_of = (p * phi * phi).sum(axis=(1, 2)) - (p * phi).sum(axis=(1, 2)) ** 2
    smoothed = _values(metric, smooth)
    x = (smoothed - low) / (high - low)
    variance = spread_of / spread.n_effective / (high - low) ** 2 * inflation
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = np.where(variance > 0, x * (1 - x) / variance, spread.n_effective)
    return (value - low) / (high - low), rows


def _of_ratios(
    metric: Metric,
    spread: TableSpread,
    tables: Floats,
    value: Floats,
    inflation: Floats,
    quantile: float,
) -> tuple[Floats, Floats]:
    """Limits on the scale of the logarithm; half a row in each cell keeps them finite (Gart)."""
    smooth = tables * (spread.n_effective / spread.total) + 0.5
    centre = _values(metric, smooth)
    slopes = _slopes(metric, smooth)
    # Counts of independent rows: a cell varies as much as it holds.
    variance = (slopes * slopes * smooth).sum(axis=(1, 2)) * inflation
    step = np.exp(quantile * np.sqrt(variance) / centre)
    low, high = centre / step, centre * step
    return np.fmin(low, value), np.fmax(high, value)
