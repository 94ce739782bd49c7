"""Limits of a metric of one class, for every class at once, from one-vs-rest tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.metrics._interpret import gradient
from karat.tally import Cells, Fields
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.limits import beta_limits, wilson_limits
from karat.uncertainty.shares import TWO, Share, of_share, share_of
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
    another bounded metric those of a share with as many rows as would give its variance;
    a ratio without bound those of its logarithm, with half a row more in each cell.
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
    inflation = spread.class_inflation(partials)
    low, high = metric.range
    if math.isfinite(low) and math.isfinite(high):
        shares, rows = _effective(metric, spread, tables, value, inflation)
        limits = wilson_limits(shares, rows, asked.quantile(df))
        limits = tuple(low + (high - low) * part for part in limits)  # type: ignore[assignment]
        return ClassLimits(value, *limits, partials, variance, "wilson-effective")
    limits = _of_ratios(metric, spread, tables, value, inflation, asked.quantile(df))
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
    if is_beta:
        low, high = beta_limits(p, n, asked.tail)
        normal = asked.quantile()
        wider = quantile / normal if normal > 0.0 else 1.0
        low, high = np.maximum(p - (p - low) * wider, 0.0), np.minimum(p + (high - p) * wider, 1.0)
        low, high = np.where(is_seen, low, 0.0), np.where(is_seen, high, 1.0)
    else:
        low, high = wilson_limits(p, n, quantile)
    mapped = of_share(metric, share, np.stack([low, high]))
    return mapped.min(axis=0), mapped.max(axis=0)


def _inflation_of_shares(
    share: Share, spread: TableSpread, p: Floats, n: Floats, inside: Floats
) -> Floats:
    """float64[k]: how many times more a share varies than one of n rows."""
    hits, misses = np.array(share.hits), np.array(share.misses)
    scale = np.where(inside > 0, spread.total / np.maximum(inside, 1e-300), 0.0)
    partials = scale[:, None, None] * (
        (1 - p)[:, None, None] * hits - p[:, None, None] * misses
    )  # fmt: skip
    actual = spread.class_variances(partials)
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
