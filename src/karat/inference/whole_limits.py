"""Limits of a metric as a whole: Wilson's, with a variance that moves as far as φ is skewed."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from karat.inference.confidence import Confidence
from karat.inference.limits import wilson_limits_of_moving
from karat.inference.table_variance import TableVariance, cell_slopes, df_on, slopes_on
from karat.metrics import Metric
from karat.metrics._lift import Policy

_STILL: Final = 1e-9
"""Beside the range, an influence of less is a rounding error."""


def whole_limits(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy
) -> tuple[float, float] | None:
    """Limits that a score test keeps, or None where the range is endless or nothing varies.

    With the influence φ of a row and n effective rows the variance is E φ² ÷ n, and along the
    family of tables that is hardest to tell from this one (Stein 1956) it changes by
    E φ³ ÷ (n·E φ²) for each unit of the metric. Both are those of the table with ½ ÷ k rows more in
    each cell: where no row is wrong, the sample alone shows none. Weights and clusters, which make
    fewer rows of them, divide n.

    Cost: O(cells).
    """
    low, high = metric.range
    if not (math.isfinite(low) and math.isfinite(high) and low <= value <= high):
        return None
    table = spread.smoothed or spread
    found = metric.slopes(table.cells, policy) if table is not spread else None
    if found is None:
        found = slopes_on(metric, spread, policy)
    phi = table.centred(cell_slopes(found, table.cells))
    if not np.isfinite(phi).all():
        return None
    shares = table.weights / table.total
    second, third = float((shares * phi**2).sum()), float((shares * phi**3).sum())
    span = high - low
    if not second > (_STILL * span) ** 2:
        return None
    n = spread.n_effective
    if not spread.is_simple:
        g = cell_slopes(slopes_on(metric, spread, policy), spread.cells)
        # Of a table without an error the influences are rounding errors.
        varies = float(spread.simple_variance(g)) * n > (_STILL * span) ** 2
        n /= float(spread.inflation(g if varies else np.zeros_like(g)))
    below, above = wilson_limits_of_moving(
        (value - low) / span,
        (float(found.value) - low) / span,
        second / n / span**2,
        third / second / n / span,
        asked.quantile(df_on(metric, spread, policy)),
    )
    return low + span * below, low + span * above
