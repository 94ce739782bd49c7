"""Wilson limits of a metric as a whole, with a variance that changes with the skewness of φ."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from karat.inference.confidence import Confidence
from karat.inference.limits import wilson_limits_of_moving
from karat.inference.table_variance import TableVariance, cell_slopes, df_on, slopes_on
from karat.metrics import Metric
from karat.metrics._lift import Policy

_STILL: Final = 1e-9
"""Relative to the range, smaller influences are rounding errors."""


def whole_limits(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy
) -> tuple[float, float] | None:
    """Score limits; None if the range is infinite or nothing varies.

    With the influence φ of a row and n effective rows, the variance is E φ² ÷ n. Along the least
    favorable family of tables (Stein 1956), it changes by E φ³ ÷ (n·E φ²) for each unit of the
    metric. Both come from the table with ½ ÷ k rows more in each cell, since without errors the
    sample variance is 0. Weights and clusters reduce n. Of windows, limits are exact ones of the
    rows at which a proportion has the same variance.

    Cost: O(cells).
    """
    low, high = metric.range
    if not (math.isfinite(low) and math.isfinite(high) and low <= value <= high):
        return None
    # Limits at many levels are requested for one table.
    key = "moments", metric, policy
    if key not in spread.kept:
        spread.kept[key] = _moments(metric, spread, policy)
    found: _Moments | None = spread.kept[key]
    if found is None:
        return None
    second, third, n, span = found.second, found.third, found.n, high - low
    share, at, variance = (value - low) / span, (found.value - low) / span, second / n
    quantile = asked.quantile(df_on(metric, spread, policy))
    if asked.window is not None and 0.0 < at < 1.0:
        ends = asked.share_limits(share, at * (1.0 - at) / variance * span**2, quantile)
        below, above = map(float, ends)
    else:
        slope = third / second / n / span
        below, above = wilson_limits_of_moving(share, at, variance / span**2, slope, quantile)
    return low + span * below, low + span * above


class _Moments(NamedTuple):
    """Value of a metric, E φ² and E φ³ of its influence φ, and the effective number of rows."""

    value: float
    second: float
    third: float
    n: float


def _moments(metric: Metric, spread: TableVariance, policy: Policy) -> _Moments | None:
    """Those of a bounded metric; None if nothing varies, or it has no derivative."""
    span = metric.range[1] - metric.range[0]
    table = spread.smoothed or spread
    found = metric.slopes(table.cells, policy) if table is not spread else None
    if found is None:
        found = slopes_on(metric, spread, policy)
    phi = table.centred(cell_slopes(found, table.cells))
    if not np.isfinite(phi).all():
        return None
    shares = table.weights / table.total
    second, third = float((shares * phi**2).sum()), float((shares * phi**3).sum())
    if not second > (_STILL * span) ** 2:
        return None
    n = spread.n_effective
    if not spread.is_simple:
        g = cell_slopes(slopes_on(metric, spread, policy), spread.cells)
        # For a table without errors, the influences are rounding errors.
        varies = float(spread.simple_variance(g)) * n > (_STILL * span) ** 2
        n = spread.effective_rows(g if varies else np.zeros_like(g))
    return _Moments(float(found.value), second, third, n)
