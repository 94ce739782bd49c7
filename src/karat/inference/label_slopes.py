"""Derivatives of metrics of labels with respect to the shares of the cells."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.table_spread import TableSpread
from karat.metrics import Metric
from karat.metrics._gradient import Slopes
from karat.metrics._lift import Policy
from karat.tally import Cells

__all__ = ["at_shares", "derivative", "variance_of"]

Floats: TypeAlias = npt.NDArray[np.float64]


def derivative(metric: Metric, cells: Cells, policy: Policy = "zero") -> Floats:
    """float64[m]: of a metric with respect to the share of each listed cell."""
    return at_shares(metric.slopes(cells, policy), cells)


def at_shares(found: Slopes, cells: Cells) -> Floats:
    """float64[m]: a gradient at the listed cells, with respect to their shares."""
    g = found.gradient.at_cells() * float(cells.fields.n)
    if found.gradient.fields is not cells.fields:
        # The formula reads the cells that are not listed, too.
        rows, cols = cells.coordinates()
        return np.asarray(g[rows * cells.k + cols])
    return g


def variance_of(found: Slopes, spread: TableSpread) -> float:
    """Of the metric with this derivative; NaN where it is not finite."""
    g = found.gradient
    # Of classes that weigh next to nothing, sums of parts are rounding errors of the others.
    if g.cells is None and not spread.cells.is_weighted:
        parts = np.array(((g.true, g.pred, g.same),)) * float(spread.cells.fields.n)
        return float(spread.slope_variances(parts)[0])
    listed = at_shares(found, spread.cells)
    return float(spread.variance(listed)) if np.isfinite(listed).all() else math.nan
