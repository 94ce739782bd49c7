"""Limits of a metric of one class for every class at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from karat import _native
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats, beta_limits, beta_quantiles
from karat.inference.proportion_curves import (
    Curve,
    at_proportions,
    curve_of,
    measured,
    of_proportion,
)
from karat.inference.table_variance import CELLS_TO_SLOPES, OneVsRestVariance
from karat.metrics import Metric
from karat.metrics._proportions import Proportion

NO_SLOPE: Final = "the metric is not differentiable at this confusion matrix"


def limits_of_proportion(
    share: Proportion, spread: OneVsRestVariance, asked: Confidence, *, is_beta: bool
) -> tuple[Floats, Floats, Floats]:
    """float64[k] each: a proportion, ½ if it has no rows, and its limits."""
    weights, squares = spread.one_vs_rest
    hits, misses = share.counted(weights)
    inside = hits + misses
    is_seen = inside > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(is_seen, hits / inside, 0.5)
        n = np.where(is_seen, inside**2 / sum(share.counted(squares)), 0.0)
    # For a class of negligible weight, the squares underflow.
    n = np.where(np.isfinite(n), n, 0.0)
    quantile: Floats | float = asked.quantile()
    if not spread.is_simple:
        partials = _share_partials(share, spread, p, inside)
        n = n / _inflation_of_shares(spread, p, n, partials)
        quantile = _class_quantiles(spread, asked, partials)
    if not is_beta or asked.window is not None:
        return p, *asked.share_limits(p, n, quantile)
    # Effective rows with a normal quantile in place of Student's (Korn and Graubard 1998).
    normal = asked.quantile()
    n = n * (normal / quantile) ** 2 if normal > 0.0 else n
    low, high = beta_limits(p, n, asked.tail)
    return p, np.where(is_seen, low, 0.0), np.where(is_seen, high, 1.0)


def fewest_rows(metric: Metric, spread: OneVsRestVariance) -> Floats | None:
    """float64[k]: effective rows of the smaller side of the metric's proportion; or None."""
    share = metric.proportion
    if share is None:
        return None
    counts = spread.one_vs_rest[0] * (spread.n_effective / spread.total)
    return np.minimum(*share.counted(counts))


class _Side(NamedTuple):
    """One of two proportions: float64[k] each, and its derivative float64[k, 2, 2]."""

    p: Floats
    low: Floats
    high: Floats
    partials: Floats
    error: Floats


def _sides(
    shares: tuple[Proportion, Proportion], spread: OneVsRestVariance, asked: Confidence
) -> list[_Side]:
    weights, _ = spread.one_vs_rest
    for share in shares:
        if (share, asked) not in spread.kept:
            limits = limits_of_proportion(share, spread, asked, is_beta=True)
            inside = np.add(*share.counted(weights))
            partials = _share_partials(share, spread, limits[0], inside)
            error = np.sqrt(spread.class_variances(partials))
            spread.kept[share, asked] = _Side(*limits, partials, error)
    return [spread.kept[share, asked] for share in shares]


def _together(sides: list[_Side], distances: list[Floats], spread: OneVsRestVariance) -> Floats:
    """float64[k]: signed distance of a limit of a sum from those of its two terms (MOVER)."""
    form, alone = np.zeros((spread.k, 2, 2)), np.zeros(spread.k)
    for side, distance in zip(sides, distances, strict=True):
        sigma = side.error
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.where(sigma > 0, distance / sigma, 0.0)
        form += factor[:, None, None] * side.partials
        alone += np.where(sigma > 0, 0.0, distance) ** 2
    return np.sqrt(np.maximum(spread.class_variances(form), 0.0) + alone)


def limits_of_two_proportions(
    value: Floats,
    shares: tuple[Proportion, Proportion],
    spread: OneVsRestVariance,
    asked: Confidence,
) -> tuple[Floats, Floats]:
    """Limits of a sum of two proportions (Newcombe 1998 for independent proportions).

    Wilson limits of the sum, with the effective rows of its variance, have coverage below the level
    if one proportion has few rows and is near 1, and the other has many.
    """
    sides = _sides(shares, spread, asked)
    below = _together(sides, [side.p - side.low for side in sides], spread)
    return value - below, value + _together(sides, [side.high - side.p for side in sides], spread)


def limits_of_ratio(
    metric: Metric,
    value: Floats,
    shares: tuple[Proportion, Proportion],
    spread: OneVsRestVariance,
    asked: Confidence,
) -> tuple[Floats, Floats]:
    """Limits of a product of two functions of proportions, combined on the log scale.

    NaN where the value is not finite. Near 0 or 1, the limits of the proportions have better
    coverage than half a row more in each cell (Gart).
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


def _share_partials(
    share: Proportion, spread: OneVsRestVariance, p: Floats, inside: Floats
) -> Floats:
    """float64[k, 2, 2]: derivative of a proportion with respect to those of the four cells."""
    scale = np.where(inside > 0, spread.total / np.maximum(inside, 1e-300), 0.0)
    hits, misses = np.array(share.hits), np.array(share.misses)
    sides = (1 - p)[:, None, None] * hits - p[:, None, None] * misses
    return np.asarray(scale[:, None, None] * sides)


def _class_quantiles(spread: OneVsRestVariance, asked: Confidence, partials: Floats) -> Floats:
    """float64[k]: distance of a limit of each class in standard errors."""
    return np.array([asked.quantile(float(df)) for df in spread.class_df(partials)])


def _inflation_of_shares(
    spread: OneVsRestVariance, p: Floats, n: Floats, partials: Floats
) -> Floats:
    """float64[k]: variance inflation of a proportion relative to one of n rows."""
    actual = spread.class_variances(partials)
    simple = p * (1 - p) / np.maximum(n, 1e-300)
    fewest = np.maximum(n / spread.n_units, 1.0)
    # Next to a negligible proportion, a rounding error is infinite: nothing is known of it.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = np.where(simple > 0, actual / simple, fewest)
    # In a case-control sample, a proportion may vary less than in a cohort.
    least = 1e-6 if spread.varies_less else 1.0
    return np.where((ratio == 0.0) & (simple > 0), fewest, np.maximum(ratio, least))


@dataclass(frozen=True, slots=True)
class ClassLimits:
    """Values, limits and variances of a metric of one class, for every class.

    Attributes:
        value: float64[k]; NaN where undefined, unless a convention defines it.
        low, high: float64[k].
        partials: float64[k, 2, 2], derivative with respect to the proportions of the four cells.
        variance: float64[k].
        method: method of the limits.
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
        """float64[3, k]: the partials in the form of `TableVariance.slope_variances`."""
        return np.asarray(CELLS_TO_SLOPES @ self.partials.reshape(-1, 4).T)


def class_limits(
    metric: Metric, spread: OneVsRestVariance, asked: Confidence, *, is_beta: bool = False
) -> ClassLimits:
    """Return limits for every class, computed once for each table.

    Undefined classes have the full range as limits. A proportion has Wilson limits, or beta limits
    if they will be combined. A sum of two proportions has the combined limits of both. Another
    bounded metric has the limits of a proportion with the effective rows of its variance. An
    unbounded ratio has the limits of both proportions on the log scale, or those of its logarithm
    with half a row more in each cell.

    Cost: O(k), and O(cells) for each class if rows are weighted, clustered or sampled by class.
    """
    key = metric, asked, is_beta
    if key not in spread.kept:
        spread.kept[key] = _found(metric, spread, asked, is_beta=is_beta)
    found: ClassLimits = spread.kept[key]
    return found


def _found(
    metric: Metric, spread: OneVsRestVariance, asked: Confidence, *, is_beta: bool
) -> ClassLimits:
    curve = curve_of(metric) if spread.is_simple and not spread.is_weighted else None
    if curve is not None:
        return _on_curve(curve, spread, asked, is_beta=is_beta)
    tables, _ = spread.one_vs_rest
    value, slopes = measured(metric, tables)
    slopes *= spread.total
    is_finite = np.isfinite(slopes)
    partials = np.where(is_finite, slopes, 0.0)
    has_slopes = bool(is_finite.all())
    variance = spread.class_variances(partials)

    def made(limits: tuple[Floats, Floats], method: str) -> ClassLimits:
        return ClassLimits(value, *limits, partials, variance, method, has_slopes)

    share, two = metric.proportion, metric.record.sum_of
    if share is not None:
        _, *ends = limits_of_proportion(share, spread, asked, is_beta=is_beta)
        mapped = of_proportion(metric, share, np.stack(ends))
        limits = mapped.min(axis=0), mapped.max(axis=0)
        return made(limits, "jeffreys" if is_beta else "wilson")
    at_looks = asked.is_of_looks
    limits_of_two = None
    if two is not None:
        limits_of_two = limits_of_two_proportions(value, two, spread, asked)
        if not at_looks:
            return made(limits_of_two, "mover")
    inflation = spread.class_inflation(partials)
    low, high = metric.range
    quantile = _class_quantiles(spread, asked, partials)
    if math.isfinite(low) and math.isfinite(high):
        shares, rows = _effective(metric, spread, tables, value, inflation)
        below, above = (
            low + (high - low) * part for part in asked.share_limits(shares, rows, quantile)
        )
        if limits_of_two is not None:
            # The tails of every look are so small that limits of both proportions reach the ends of
            # their ranges: combined, they would lie nearer than the sum of both can be.
            return made(_wider(limits_of_two, (below, above)), "mover")
        return made((below, above), "wilson-effective")
    ratio = metric.record.ratio_of
    if ratio is None:
        return made(_of_ratios(metric, spread, tables, value, inflation, quantile), "log")
    limits = limits_of_ratio(metric, value, ratio, spread, asked)
    if np.isnan(limits[0]).any():
        smoothed = _of_ratios(metric, spread, tables, value, inflation, quantile)
        below, above = np.where(np.isnan(limits[0]), smoothed, limits)
        limits = below, above
    if at_looks:
        limits = _wider(limits, _of_ratios(metric, spread, tables, value, inflation, quantile))
    return made(limits, "mover-log")


def _wider(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Limits that contain both intervals of each class."""
    return np.fmin(one[0], other[0]), np.fmax(one[1], other[1])


def _on_curve(
    curve: Curve, spread: OneVsRestVariance, asked: Confidence, *, is_beta: bool
) -> ClassLimits:
    """Limits of a metric that is a function of one proportion, of independent unweighted rows."""
    sides = curve.sides @ spread.class_counts
    if is_beta and asked.window is None:
        limits = beta_quantiles(sides, asked.tail)
    else:
        rows = sides.sum(axis=0)
        share = sides[0] / np.maximum(rows, 1.0)
        limits = np.array(asked.share_limits(share, rows, asked.quantile()))
    found, partials = _native.follow_curve(
        sides, limits, curve.sides, curve.a, curve.b, curve.c, curve.missing, spread.total
    )
    value, low, high, variance = found
    method = "jeffreys" if is_beta else "wilson"
    return ClassLimits(value, low, high, partials.reshape(-1, 2, 2), variance, method)


def _effective(
    metric: Metric, spread: OneVsRestVariance, tables: Floats, value: Floats, inflation: Floats
) -> tuple[Floats, Floats]:
    """float64[k] each: the value relative to its range, and the effective rows of its variance."""
    low, high = metric.range
    smooth, each = _smoothed(spread, tables, 0.25)
    smoothed, slopes = measured(metric, smooth)
    if each is None:
        n_smooth = smooth.sum(axis=(1, 2))
        phi = slopes * n_smooth[:, None, None]
        p = smooth / n_smooth[:, None, None]
        of_rows = (p * phi * phi).sum(axis=(1, 2)) - (p * phi).sum(axis=(1, 2)) ** 2
        of_rows /= spread.n_effective
    else:
        within = (smooth * slopes).sum(axis=2) / smooth.sum(axis=2)
        of_rows = ((slopes - within[:, :, None]) ** 2 * smooth * each).sum(axis=(1, 2))
    x = (smoothed - low) / (high - low)
    variance = of_rows / (high - low) ** 2 * inflation
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = np.where(variance > 0, x * (1 - x) / variance, spread.n_effective)
    return (value - low) / (high - low), rows


def _smoothed(
    spread: OneVsRestVariance, tables: Floats, rows: float
) -> tuple[Floats, Floats | None]:
    """Tables in effective rows with some more in each cell, and float64[k, 2, 1], the weight of a
    row of the rest and of the class relative to that of all; None where these are equal.
    """
    scale = spread.n_effective / spread.total
    if not (spread.has_strata and spread.has_squares):
        return tables * scale + rows, None
    weights, squares = (each.sum(axis=2, keepdims=True) for each in spread.one_vs_rest)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where((weights > 0) & (squares > 0), squares / weights * scale, 1.0)
    return tables * scale + rows * each, each


def _of_ratios(
    metric: Metric,
    spread: OneVsRestVariance,
    tables: Floats,
    value: Floats,
    inflation: Floats,
    quantile: Floats,
) -> tuple[Floats, Floats]:
    """Limits on the log scale; half a row in each cell keeps them finite (Gart)."""
    smooth, each = _smoothed(spread, tables, 0.5)
    centre, slopes = measured(metric, smooth)
    # Counts of independent rows: the variance of a cell is its count.
    of_cells = slopes * slopes * (smooth if each is None else smooth * each)
    variance = of_cells.sum(axis=(1, 2)) * inflation
    step = np.exp(quantile * np.sqrt(variance) / centre)
    low, high = centre / step, centre * step
    return np.fmin(low, value), np.fmax(high, value)
