"""Metrics as functions of proportions of the rows: their curves, and values at proportions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from karat.inference.limits import Floats
from karat.metrics import Metric
from karat.metrics._program import slopes_of
from karat.metrics._proportions import Proportion
from karat.tally import Cells, Classes, Fields

_FITTED: Final = np.array([0.125, 0.5, 0.875])
_CHECKED: Final = np.array([0.0, 1e-9, 0.0625, 0.3, 0.61, 0.97, 1.0 - 1e-9, 1.0])
_EXACT: Final = 1e-13
_SHORT: Final = 1e-12
_N_CURVES = 4096


@dataclass(frozen=True, slots=True)
class Curve:
    """Metric as a function of the one proportion p that it depends on: (a·p + b) ÷ (1 + c·p).

    It increases with p from 0 to 1, where it is finite.

    Attributes:
        a, b, c: the coefficients.
        sides: the sides of the proportion; see `Proportion.sides`.
        missing: the metric if the proportion has no rows.
    """

    a: float
    b: float
    c: float
    sides: Floats
    missing: float

    def at(self, p: Floats) -> Floats:
        """float64[...]: the metric at a proportion of p."""
        return (self.a * p + self.b) / (1.0 + self.c * p)

    def slope(self, p: Floats) -> Floats:
        """float64[...]: its derivative."""
        return (self.a - self.b * self.c) / (1.0 + self.c * p) ** 2


def _curve_through(shares: Floats, values: Floats) -> tuple[float, float, float] | None:
    """Return a, b and c of the curve through three points, or None."""
    # A value that is not finite gives NaN, and every comparison with NaN is false.
    try:
        found = np.linalg.solve(np.stack([shares, np.ones(3), -shares * values], -1), values)
    except np.linalg.LinAlgError:
        return None
    # Short numbers are exact: then the ends of the range are too.
    short = np.round(found, 6)
    a, b, c = (float(x) + 0.0 for x in np.where(np.abs(found - short) < _SHORT, short, found))
    return (a, b, c) if c > -1.0 and a - b * c > 0.0 else None


@cache
def curve_of(metric: Metric) -> Curve | None:
    """Return a metric of one class as a function of its proportion; None if there is no such curve.

    It is fitted to three tables and checked on others; the curve and its derivative are also
    checked on every table with empty cells among the four.
    """
    share = metric.proportion
    if share is None:
        return None
    found = _curve_through(_FITTED, of_proportion(metric, share, _FITTED))
    if found is None:
        return None
    filled = np.array(list(itertools.product((0.0, 5.0), (0.0, 2.0), (0.0, 3.0), (0.0, 7.0))))
    value, slopes = measured(metric, filled.reshape(-1, 2, 2))
    hits, misses = share.sides @ filled.T
    inside = hits + misses
    missing = value[inside == 0.0]
    if not np.array_equal(missing, np.full(len(missing), missing[0]), equal_nan=True):
        return None
    curve = Curve(*found, share.sides, float(missing[0]))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = hits / inside
        of_sides = np.array((1.0 - p, -p)) * curve.slope(p) / inside
    is_seen = inside > 0.0
    expected = np.where(is_seen[:, None], of_sides.T @ share.sides, 0.0)
    on_curve = of_proportion(metric, share, _CHECKED)
    is_curve = (
        np.allclose(curve.at(_CHECKED), on_curve, rtol=_EXACT, atol=_EXACT)
        and np.allclose(curve.at(p[is_seen]), value[is_seen], rtol=_EXACT, atol=_EXACT)
        and np.allclose(expected, slopes.reshape(-1, 4), rtol=1e-12, atol=1e-12)
    )
    return curve if is_curve else None


@lru_cache(_N_CURVES)
def curve_of_right_rows(metric: Metric, k: int) -> tuple[float, float, float] | None:
    """Return a, b and c of a metric of the accuracy of k classes, which may decrease; or None."""
    values = of_right_rows(metric, _FITTED, k)
    is_falling = bool(values[0] > values[-1])
    found = _curve_through(_FITTED, -values if is_falling else values)
    if found is None:
        return None
    a, b, c = found
    a, b = (-a, -b) if is_falling else (a, b)
    at = (a * _CHECKED + b) / (1.0 + c * _CHECKED)
    is_curve = np.allclose(at, of_right_rows(metric, _CHECKED, k), rtol=_EXACT, atol=_EXACT)
    return (a, b, c) if is_curve else None


TWO: Final = Classes.of([0, 1])
_ROWS, _COLS = np.divmod(np.arange(4), 2)
_HITS: Final = np.arange(2)


def measured(metric: Metric, tables: Floats) -> tuple[Floats, Floats]:
    """Values float64[u] of a metric of the second class, and derivatives [u, 2, 2], on tables."""
    tp = np.ascontiguousarray(np.diagonal(tables, axis1=1, axis2=2))
    fp, fn = tables[:, ::-1, :].diagonal(axis1=1, axis2=2), tables[:, :, ::-1]
    fn = fn.diagonal(axis1=1, axis2=2)
    # With two classes, the false positives of one are the false negatives of the other.
    tn, n, cells = tp[:, ::-1], tables.sum(axis=(1, 2)), tables.reshape(-1, 4)
    fields = Fields(tp, fp, fn, tn, n, 2, 1, _ROWS, _COLS, cells, is_complete=True)
    root, given = metric.traced("zero").value, metric.arguments("zero")
    found = slopes_of(root, (), fields, (len(tables),), given, needs_cells=metric.needs_cells)
    g = found.gradient
    slopes = g.constant[:, None, None] + g.true[:, :, None] + g.pred[:, None, :]
    slopes[:, _HITS, _HITS] += g.same
    return found.value, slopes if g.cells is None else slopes + g.cells.reshape(-1, 2, 2)


def at_proportions(
    metric: Metric, pair: tuple[Proportion, Proportion], first: Floats, second: Floats
) -> Floats:
    """float64[...]: the metric of one class with the given two proportions of different rows."""
    return _of_table(metric, pair[0].tables(first) + pair[1].tables(second))


def _of_table(metric: Metric, tables: Floats) -> Floats:
    rows = np.ones(tables.shape[:-2])
    return metric.values(Cells.dense(tables, classes=TWO, n_rows=rows), "zero").value


def of_right_rows(metric: Metric, shares: Floats, k: int) -> Floats:
    """float64[...]: the metric at these proportions [...] of correct rows, of k classes."""
    k = max(k, 2)
    tp, fp, fn = (np.zeros((*shares.shape, k)) for _ in range(3))
    tp[..., 0] = shares
    fp[..., 0] = fn[..., 1] = 1.0 - shares
    occupancy = [np.ones(part.shape, np.int64) for part in (tp, fp, fn)]
    tables = Cells.marginals(
        tp, fp, fn, classes=Classes.of(range(k)), occupancy=occupancy, n_rows=np.ones(shares.shape)
    )
    return metric.values(tables, "zero").value


def of_proportion(metric: Metric, share: Proportion, shares: Floats) -> Floats:
    """float64[...]: the metric of one class at these proportions [...]."""
    return _of_table(metric, share.tables(shares))
