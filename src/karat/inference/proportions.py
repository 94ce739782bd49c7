"""Detection of metrics that are a function of one proportion of the rows, from their formulas."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from karat.inference.limits import Flags, Floats
from karat.metrics import Metric
from karat.metrics._program import slopes_of
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
        sides: the sides of the proportion; see `Share.sides`.
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
    share = proportion_of(metric)
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


_TABLES: Final = np.array(
    [[[31, 7], [4, 22]], [[5, 13], [17, 8]], [[3, 1], [29, 11]], [[12, 9], [2, 41]]], np.float64
)
_WIDE: Final = np.array(
    [[[31, 7, 3], [4, 22, 9], [1, 5, 17]], [[8, 2, 14], [11, 19, 1], [6, 3, 27]]], np.float64
)
_CLOSE: Final = 1e-9
TWO: Final = Classes.of([0, 1])
_ROWS, _COLS = np.divmod(np.arange(4), 2)
_HITS: Final = np.arange(2)


@dataclass(frozen=True, slots=True)
class Share:
    """Metric of one class that depends on one proportion of rows alone.

    Attributes:
        hits, misses: bool[2, 2], the cells of either, truth by prediction, the class second.
    """

    hits: tuple[tuple[bool, bool], tuple[bool, bool]]
    misses: tuple[tuple[bool, bool], tuple[bool, bool]]

    @property
    def sides(self) -> Floats:
        """float64[2, 4]: 1 where tn, fp, fn or tp counts as a hit, as a miss."""
        return np.array([self.hits, self.misses], np.float64).reshape(2, 4)

    def counted(self, tables: Floats) -> tuple[Floats, Floats]:
        """float64[...] each: hits and misses of tables [..., 2, 2]."""
        hits, misses = (
            (tables * np.array(side)).sum(axis=(-2, -1)) for side in (self.hits, self.misses)
        )
        return hits, misses

    def tables(self, shares: Floats) -> Floats:
        """float64[..., 2, 2]: tables of one row that have these proportions [...]."""
        found = np.zeros((*shares.shape, 2, 2))
        for side, part in ((self.hits, shares), (self.misses, 1.0 - shares)):
            cells = np.array(side)
            found += part[..., None, None] * cells / cells.sum()
        return found


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


@cache
def proportion_of(metric: Metric) -> Share | None:
    """Return the proportion that determines a metric of one class, or None.

    Example:
        >>> from karat.metrics import get
        >>> proportion_of(get("precision")).misses  # called positive, and truly not
        ((False, True), (False, False))
        >>> proportion_of(get("informedness")) is None
        True
    """
    found = set()
    for table, slopes in zip(_TABLES, measured(metric, _TABLES)[1], strict=True):
        least = _CLOSE * float(np.abs(slopes).max(initial=0.0))
        sides = [_one_value(slopes, slopes > least), _one_value(slopes, slopes < -least)]
        if None in sides or abs((slopes * table).sum()) > _CLOSE:
            return None
        found.add(tuple(sides))
    return Share(*found.pop()) if len(found) == 1 else None


@cache
def two_proportions_of(metric: Metric) -> tuple[Share, Share] | None:
    """Return two proportions whose sum, plus a constant, is a metric of one class; or None.

    Example:
        >>> from karat.metrics import get
        >>> specificity, recall = two_proportions_of(get("informedness"))
        >>> recall.misses
        ((False, False), (True, False))
        >>> two_proportions_of(get("f1")) is None
        True
    """
    slopes = measured(metric, _TABLES)[1]
    for sides in _PAIRS:
        if all(_moves_with(*both, sides) for both in zip(slopes, _TABLES, strict=True)):
            return sides
    return None


@cache
def ratio_of_proportions(metric: Metric) -> tuple[Share, Share] | None:
    """Return two proportions of independent rows, if a metric is a product of functions of them.

    Example:
        >>> from karat.metrics import get
        >>> ratio_of_proportions(get("negative_likelihood_ratio")) is None
        False
        >>> ratio_of_proportions(get("informedness")) is None
        True
    """
    pair = _PAIRS[0]
    a, b = np.array([[0.3, 0.8]]).T, np.array([0.6, 0.9])
    with np.errstate(all="ignore"):
        found = at_proportions(metric, pair, a, b)
        again = _of_table(metric, _TABLES)
        right = _TABLES[:, [0, 1], [0, 1]] / _TABLES.sum(axis=2)
        is_theirs = np.allclose(at_proportions(metric, pair, *right.T), again, rtol=_CLOSE)
        products = found[0, 0] * found[1, 1], found[0, 1] * found[1, 0]
    is_product = abs(products[0] - products[1]) <= _CLOSE * abs(products[0])
    return pair if is_theirs and is_product else None


def at_proportions(
    metric: Metric, pair: tuple[Share, Share], first: Floats, second: Floats
) -> Floats:
    """float64[...]: the metric of one class with the given two proportions of different rows."""
    return _of_table(metric, pair[0].tables(first) + pair[1].tables(second))


def _of_table(metric: Metric, tables: Floats) -> Floats:
    rows = np.ones(tables.shape[:-2])
    return metric.values(Cells.dense(tables, classes=TWO, n_rows=rows), "zero").value


_PAIRS: Final = tuple(
    (Share(((True, False), (False, False)), first), Share(((False, False), (False, True)), second))
    for first, second in (
        (((False, True), (False, False)), ((False, False), (True, False))),
        (((False, False), (True, False)), ((False, True), (False, False))),
    )
)
"""The correct rows of both true classes, and those of both predicted classes."""


def _moves_with(slopes: Floats, table: Floats, sides: tuple[Share, Share]) -> bool:
    expected = np.zeros((2, 2))
    for share in sides:
        hits, misses = share.counted(table)
        inside = hits + misses
        expected += (misses * np.array(share.hits) - hits * np.array(share.misses)) / inside**2
    return bool(np.allclose(slopes, expected, rtol=_CLOSE, atol=1e-12))


def _one_value(slopes: Floats, side: Flags) -> Any:
    """Return the cells with a common derivative; None if derivatives differ or no cell is there."""
    values = slopes[side]
    if not len(values) or np.ptp(values) > _CLOSE * np.abs(values).max():
        return None
    return tuple(tuple(row) for row in side.tolist())


def reads_costs(metric: Metric) -> bool:
    """Return whether a metric has a matrix of costs, which lists all classes."""
    return any(item.kind == "matrix" for item in metric.record.parameters)


def range_of(metric: Metric) -> tuple[float, float]:
    """Return the ends of the range; for a mean of costs, those of its costs."""
    names = [item.name for item in metric.record.parameters if item.kind == "matrix"]
    if names and all(map(math.isinf, metric.range)):
        costs = dict(metric.params)[names[0]]
        if costs is None:
            return 0.0, 1.0
        given = np.asarray(costs, np.float64)
        return float(given.min()), float(given.max())
    return metric.range


@cache
def is_of_right_rows(metric: Metric) -> bool:
    """Return whether a metric of all classes, or a micro average, depends on the accuracy alone."""
    if reads_costs(metric):
        return False
    for table in _WIDE:
        cells = Cells.dense(table, classes=Classes.of(range(3)))
        slopes = metric.gradient(cells).at_cells().reshape(3, 3)
        hit = np.eye(3, dtype=bool)
        most = np.abs(slopes).max()
        if abs((slopes * table).sum()) > _CLOSE * np.abs(slopes * table).max() or most == 0.0:
            return False
        if max(np.ptp(slopes[hit]), np.ptp(slopes[~hit])) > _CLOSE * most:
            return False
    return True


@cache
def share_of_true_classes(metric: Metric) -> Share | None:
    """Return the proportion of a metric of one class if the truth decides which rows it reads.

    Models on the same rows then have a proportion of the same rows, which McNemar's test compares.

    Example:
        >>> from karat.metrics import get
        >>> share_of_true_classes(get("recall")).hits
        ((False, False), (False, True))
        >>> share_of_true_classes(get("precision")) is None
        True
    """
    share = proportion_of(metric)
    if share is None:
        return None
    hits, inside = np.array(share.hits), np.array(share.hits) | np.array(share.misses)
    is_of_truth = (inside[:, 0] == inside[:, 1]).all()
    is_of_prediction = (hits[:, 0] != hits[:, 1])[inside[:, 0]].all()
    return share if is_of_truth and is_of_prediction else None


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


def of_proportion(metric: Metric, share: Share, shares: Floats) -> Floats:
    """float64[...]: the metric of one class at these proportions [...]."""
    return _of_table(metric, share.tables(shares))
