"""Limits of a metric of one class, for every class at once, from one-vs-rest tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.confidence import Confidence
from karat.inference.curves import Curve, curve_of
from karat.inference.limits import beta_quantiles, wilson_limits
from karat.inference.proportion_limits import (
    limits_of_proportion,
    limits_of_ratio,
    limits_of_two_proportions,
)
from karat.inference.proportions import (
    Share,
    measured,
    of_proportion,
    proportion_of,
    ratio_of_proportions,
    two_proportions_of,
)
from karat.inference.table_variance import CELLS_TO_SLOPES, TableVariance
from karat.metrics import Metric

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
    """

    value: Floats
    low: Floats
    high: Floats
    partials: Floats
    variance: Floats
    method: str
    has_slopes: bool = True

    @property
    def slopes(self) -> Floats:
        """float64[3, k]: the partials as `TableVariance.slope_variances` takes them."""
        return np.asarray(CELLS_TO_SLOPES @ self.partials.reshape(-1, 4).T)


def class_limits(
    metric: Metric, spread: TableVariance, asked: Confidence, *, is_beta: bool = False
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
    Found once for each table.
    """
    key = metric, asked, is_beta
    found: ClassLimits | None = spread.kept.get(key)
    if found is None:
        found = spread.kept[key] = _found(metric, spread, asked, is_beta=is_beta)
    return found


def _found(
    metric: Metric, spread: TableVariance, asked: Confidence, *, is_beta: bool
) -> ClassLimits:
    curve = curve_of(metric) if spread.is_simple and not spread.cells.is_weighted else None
    if curve is not None:
        return _on_curve(curve, spread, asked, is_beta=is_beta)
    tables, _ = spread.one_vs_rest()
    value, slopes = measured(metric, tables)
    slopes *= spread.total
    is_finite = np.isfinite(slopes)
    partials = np.where(is_finite, slopes, 0.0)
    has_slopes = bool(is_finite.all())
    variance = spread.class_variances(partials)

    def made(limits: tuple[Floats, Floats], method: str) -> ClassLimits:
        return ClassLimits(value, *limits, partials, variance, method, has_slopes)

    share, two = proportion_of(metric), two_proportions_of(metric)
    if share is not None:
        limits = _of_shares(metric, share, spread, asked, is_beta=is_beta)
        return made(limits, "jeffreys" if is_beta else "wilson")
    if two is not None:
        return made(limits_of_two_proportions(value, two, spread, asked), "mover")
    inflation = spread.class_inflation(partials)
    low, high = metric.range
    quantile = asked.quantile(spread.df)
    if math.isfinite(low) and math.isfinite(high):
        shares, rows = _effective(metric, spread, tables, value, inflation)
        below, above = (low + (high - low) * part for part in wilson_limits(shares, rows, quantile))
        return made((below, above), "wilson-effective")
    ratio = ratio_of_proportions(metric)
    if ratio is None:
        return made(_of_ratios(metric, spread, tables, value, inflation, quantile), "log")
    limits = limits_of_ratio(metric, value, ratio, spread, asked)
    if np.isnan(limits[0]).any():
        smoothed = _of_ratios(metric, spread, tables, value, inflation, quantile)
        below, above = np.where(np.isnan(limits[0]), smoothed, limits)
        limits = below, above
    return made(limits, "mover-log")


def _on_curve(
    curve: Curve, spread: TableVariance, asked: Confidence, *, is_beta: bool
) -> ClassLimits:
    """Limits of a metric that is a curve of one share, of rows drawn one by one that weigh 1."""
    sides = curve.sides @ spread.class_counts
    if is_beta:
        limits = beta_quantiles(sides, asked.tail)
    else:
        rows = sides.sum(axis=0)
        share = sides[0] / np.maximum(rows, 1.0)
        limits = np.array(wilson_limits(share, rows, asked.quantile(spread.df)))
    found, partials = _native.follow_curve(
        sides, limits, curve.sides, curve.a, curve.b, curve.c, curve.missing, spread.total
    )
    value, low, high, variance = found
    method = "jeffreys" if is_beta else "wilson"
    return ClassLimits(value, low, high, partials.reshape(-1, 2, 2), variance, method)


def _of_shares(
    metric: Metric, share: Share, spread: TableVariance, asked: Confidence, *, is_beta: bool
) -> tuple[Floats, Floats]:
    _, low, high = limits_of_proportion(share, spread, asked, is_beta=is_beta)
    mapped = of_proportion(metric, share, np.stack([low, high]))
    return mapped.min(axis=0), mapped.max(axis=0)


def _effective(
    metric: Metric, spread: TableVariance, tables: Floats, value: Floats, inflation: Floats
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
    spread: TableVariance,
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
