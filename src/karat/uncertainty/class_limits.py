"""Limits of a metric of one class, for every class at once, from one-vs-rest tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.limits import beta_limits, wilson_limits
from karat.uncertainty.shares import Curve, Share, curve_of, measured, of_share, share_of
from karat.uncertainty.table_spread import CELLS_TO_SLOPES, TableSpread

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
        has_slopes: whether the metric has a derivative in every class.
        has_values: whether it has a value in every class.
    """

    value: Floats
    low: Floats
    high: Floats
    partials: Floats
    variance: Floats
    method: str
    has_slopes: bool = True
    has_values: bool = True

    @property
    def slopes(self) -> Floats:
        """float64[3, k]: the partials as `TableSpread.slope_variances` takes them."""
        return np.asarray(CELLS_TO_SLOPES @ self.partials.reshape(-1, 4).T)


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
    Found once for each table.
    """
    key = metric, asked, is_beta
    found: ClassLimits | None = spread.kept.get(key)
    if found is None:
        found = spread.kept[key] = _found(metric, spread, asked, is_beta=is_beta)
    return found


def _found(metric: Metric, spread: TableSpread, asked: Confidence, *, is_beta: bool) -> ClassLimits:
    curve = curve_of(metric)
    if curve is not None:
        return _on_curve(curve, spread, asked, is_beta=is_beta)
    tables, _ = spread.one_vs_rest()
    value, slopes = measured(metric, tables)
    slopes *= spread.total
    is_finite = np.isfinite(slopes)
    partials = np.where(is_finite, slopes, 0.0)
    known = bool(is_finite.all()), bool(np.isfinite(value).all())
    variance = spread.class_variances(partials)
    df = spread.df
    share = share_of(metric)
    if share is not None:
        limits = _of_shares(metric, share, spread, asked, is_beta=is_beta)
        method = "jeffreys" if is_beta else "wilson"
        return ClassLimits(value, *limits, partials, variance, method, *known)
    inflation = spread.class_inflation(partials)
    low, high = metric.range
    if math.isfinite(low) and math.isfinite(high):
        shares, rows = _effective(metric, spread, tables, value, inflation)
        limits = wilson_limits(shares, rows, asked.quantile(df))
        limits = tuple(low + (high - low) * part for part in limits)  # type: ignore[assignment]
        return ClassLimits(value, *limits, partials, variance, "wilson-effective", *known)
    limits = _of_ratios(metric, spread, tables, value, inflation, asked.quantile(df))
    return ClassLimits(value, *limits, partials, variance, "log", *known)


def _on_curve(
    curve: Curve, spread: TableSpread, asked: Confidence, *, is_beta: bool
) -> ClassLimits:
    """Limits of a metric that is a curve of one share, whose derivative is known."""
    hits, misses = curve.sides @ spread.class_counts
    inside = hits + misses
    is_seen = None if inside.min() > 0.0 else inside > 0.0
    if is_seen is not None:
        hits, inside = np.where(is_seen, hits, 0.5), np.where(is_seen, inside, 1.0)
    p = hits / inside
    others = 1.0 - p
    of_sides = np.array((others, -p)) * (spread.total / inside)
    if is_seen is not None:
        of_sides *= is_seen
    if spread.is_simple:
        n, variance = inside, p * others / inside
        if is_seen is not None:
            n, variance = np.where(is_seen, n, 0.0), np.where(is_seen, variance, 0.0)
    else:
        n, variance = _rows_of_shares(curve, spread, p, inside, is_seen, of_sides)
    low, high = _share_limits(p, n, spread, asked, is_beta=is_beta)
    value = p
    if not curve.is_share:
        value, low, high = curve.at(np.array((p, low, high)))
        slope = curve.slope(p)
        of_sides *= slope
        variance = variance * (slope * slope)
    if is_seen is not None:
        value = np.where(is_seen, value, curve.missing)
    partials = (of_sides.T @ curve.sides).reshape(-1, 2, 2)
    has_values = is_seen is None or math.isfinite(curve.missing)
    method = "jeffreys" if is_beta else "wilson"
    return ClassLimits(value, low, high, partials, variance, method, has_values=has_values)


def _rows_of_shares(
    curve: Curve,
    spread: TableSpread,
    p: Floats,
    inside: Floats,
    is_seen: npt.NDArray[np.bool_] | None,
    of_sides: Floats,
) -> tuple[Floats, Floats]:
    """float64[k] each: the rows that give a share its variance, and that variance."""
    _, squares = spread.one_vs_rest()
    inside_squares = (curve.sides @ squares.reshape(-1, 4).T).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = inside**2 / inside_squares
    if is_seen is not None:
        n = np.where(is_seen, n, 0.0)
    variance = spread.class_variances((of_sides.T @ curve.sides).reshape(-1, 2, 2))
    return n / _inflation_of_shares(spread, p, n, variance), variance


def _share_limits(
    p: Floats, n: Floats, spread: TableSpread, asked: Confidence, *, is_beta: bool
) -> tuple[Floats, Floats]:
    """float64[k] each: limits of shares p of n rows."""
    if not is_beta:
        return wilson_limits(p, n, asked.quantile(spread.df))
    low, high = beta_limits(p, n, asked.tail)
    if spread.clusters is not None:
        wider = asked.quantile(spread.df) / asked.quantile()
        low, high = np.maximum(p - (p - low) * wider, 0.0), np.minimum(p + (high - p) * wider, 1.0)
        low, high = np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)
    return low, high


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
    if not spread.is_simple:
        scale = np.where(is_seen, spread.total / np.maximum(inside, 1e-300), 0.0)
        partials = (np.array((1.0 - p, -p)) * scale).T @ share.sides
        variance = spread.class_variances(partials.reshape(-1, 2, 2))
        n = n / _inflation_of_shares(spread, p, n, variance)
    low, high = _share_limits(p, n, spread, asked, is_beta=is_beta)
    mapped = of_share(metric, share, np.stack([low, high]))
    return mapped.min(axis=0), mapped.max(axis=0)


def _inflation_of_shares(spread: TableSpread, p: Floats, n: Floats, actual: Floats) -> Floats:
    """float64[k]: how many times more a share varies than one of n rows."""
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
    smoothed, slopes = measured(metric, smooth)
    n_smooth = smooth.sum(axis=(1, 2))
    phi = slopes * n_smooth[:, None, None]
    p = smooth / n_smooth[:, None, None]
    spread_of = (p * phi * phi).sum(axis=(1, 2)) - (p * phi).sum(axis=(1, 2)) ** 2
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
    centre, slopes = measured(metric, smooth)
    # Counts of independent rows: a cell varies as much as it holds.
    variance = (slopes * slopes * smooth).sum(axis=(1, 2)) * inflation
    step = np.exp(quantile * np.sqrt(variance) / centre)
    low, high = centre / step, centre * step
    return np.fmin(low, value), np.fmax(high, value)
