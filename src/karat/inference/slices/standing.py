"""A metric of many tables at once: its value in each, and how many rows say so."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.label_intervals import range_of
from karat.inference.slices.permuted import PermutedTables
from karat.inference.table_variance import DUST
from karat.metrics import Metric
from karat.metrics._interpret import Gradient
from karat.metrics._lift import Policy
from karat.tally import Cells, Classes, occurring

__all__ = ["Standing", "standing"]

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

N_ADDED: Final = 5.0
"""Rows of the table of all slices that are added where a variance is taken: a slice without a
mistake has one, too. More would give rare classes the share that they have elsewhere."""
_BLOCK: Final = 1 << 20
"""Cells of tables that are measured at once."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A metric of many tables, as a share of its range where that has two ends.

    Attributes:
        x: float64[...]; of a metric without two ends its value.
        rows: float64[...], so many rows as a share x would need to vary as much: x·(1 − x) ÷
            variance; of a metric without two ends 1 ÷ variance.
        is_defined: bool[...], whether the tables define it.
        is_known: bool[...], whether they have the rows to compare it, too.
        ends: of its range; None where one is infinite.
    """

    x: Floats
    rows: Floats
    is_defined: Flags
    is_known: Flags
    ends: tuple[float, float] | None

    def variance_at(self, x: Floats) -> Floats:
        """Times 1 ÷ rows: the variance that a table has if its metric is x."""
        return np.ones_like(x) if self.ends is None else np.maximum(x * (1.0 - x), 0.0)

    def value_of(self, x: float) -> float:
        """A share of the range as a value."""
        return x if self.ends is None else self.ends[0] + x * (self.ends[1] - self.ends[0])

    @property
    def scale(self) -> float:
        """How much the value moves with x."""
        return 1.0 if self.ends is None else self.ends[1] - self.ends[0]


def standing(
    metric: Metric,
    permuted: PermutedTables,
    tables: npt.NDArray[Any],
    classes: Classes,
    policy: Policy,
    fewest: int,
) -> Standing:
    """Of the listed cells of many tables.

    Args:
        metric: of labels.
        permuted: says which cells are listed, and holds the table of all rows.
        tables: int[b, s, m].
        classes: of all rows.
        policy: what undefined classes count as.
        fewest: a table with fewer true rows of some class than this is not compared.

    Cost: two evaluations of the formula, one with its derivative, for each table.
    """
    low, high = range_of(metric)
    is_bounded = math.isfinite(low) and math.isfinite(high)
    pooled = permuted.tables[0].sum(axis=0).astype(np.float64)
    added = N_ADDED * pooled / pooled.sum()
    flat = tables.reshape(-1, tables.shape[-1])
    x, rows = np.empty((2, len(flat)))
    defined, known = np.empty((2, len(flat)), bool)
    is_read = not any(item.kind == "matrix" for item in metric.record.parameters)
    step = max(1, _BLOCK // permuted.k**2)
    for start in range(0, len(flat), step):
        here = slice(start, start + step)
        part, n = permuted.full(flat[here]), flat[here].sum(axis=1)
        value, is_defined = _values(metric, part, classes, policy, by_classes=is_read)
        defined[here] = is_defined & (n > 0)
        own = part.sum(axis=-1)[:, permuted.full(pooled).sum(axis=-1) > 0.0]
        known[here] = defined[here] & (own >= fewest).all(axis=-1)
        smooth = permuted.full(flat[here] + added)
        centre, variance = _variance(metric, smooth, classes, policy)
        variance = variance / (high - low) ** 2 if is_bounded else variance
        if is_bounded:
            value, centre = (value - low) / (high - low), (centre - low) / (high - low)
        x[here] = value
        spread = centre * (1.0 - centre) if is_bounded else np.ones_like(centre)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = spread / variance
            is_usual = (variance > DUST**2) & (spread > 0.0) & np.isfinite(ratio)
        rows[here] = n * np.where(is_usual, ratio, 1.0)
    shape = tables.shape[:-1]
    return Standing(
        np.where(defined, x, 0.0).reshape(shape),
        rows.reshape(shape),
        defined.reshape(shape),
        known.reshape(shape),
        (low, high) if is_bounded else None,
    )


def _values(
    metric: Metric, tables: npt.NDArray[Any], classes: Classes, policy: Policy, *, by_classes: bool
) -> tuple[Floats, Flags]:
    """float64[t] and bool[t]: values, each on the classes that occur in its table, if defined."""
    held = tables.any(axis=1) | tables.any(axis=2)
    if not by_classes or classes.k == 2 or classes.is_declared or held.all():
        return _measured(metric, Cells.dense(tables, classes=classes, n_rows=_n(tables)), policy)
    patterns, which = np.unique(held, axis=0, return_inverse=True)
    which = which.reshape(-1)
    value, known = np.empty(len(tables)), np.zeros(len(tables), bool)
    for i, pattern in enumerate(patterns):
        here, kept = np.flatnonzero(which == i), np.flatnonzero(pattern)
        if not len(kept):
            value[here] = np.nan
            continue
        some = tables[here][:, kept[:, None], kept]
        found = occurring(Cells.dense(tables[here[0]], classes=classes)).classes
        found = replace(found, positive=classes.positive)
        cells = Cells.dense(some, classes=found, n_rows=_n(some))
        value[here], known[here] = _measured(metric, cells, policy)
    return value, known


def _measured(metric: Metric, cells: Cells, policy: Policy) -> tuple[Floats, Flags]:
    found = metric.values(cells, policy)
    undefined = found.undefined.reshape(len(found.value), -1).all(axis=-1)
    return found.value, np.isfinite(found.value) & ~undefined


def _variance(
    metric: Metric, tables: Floats, classes: Classes, policy: Policy
) -> tuple[Floats, Floats]:
    """float64[t] each: the value, and the variance of the influence of one row."""
    cells = Cells.dense(tables, classes=classes, n_rows=_n(tables))
    found = metric.slopes(cells, policy)
    n = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", over="ignore"):
        spread = _spread(found.gradient, tables / n[:, None, None]) * n**2
    return found.value, spread


def _spread(g: Gradient, p: Floats) -> Floats:
    """float64[t]: the variance of a gradient over the cells, with the shares p [t, k, k]."""
    if g.cells is not None:
        each = g.at_cells().reshape(p.shape)
        mean = (each * p).sum(axis=(-2, -1))
        return np.asarray(((each - mean[:, None, None]) ** 2 * p).sum(axis=(-2, -1)))
    k = p.shape[-1]
    hit = np.diagonal(p, axis1=-2, axis2=-1)
    true, pred, same = (np.broadcast_to(part, (len(p), k)) for part in (g.true, g.pred, g.same))
    by_true, by_pred = p.sum(axis=-1), p.sum(axis=-2)
    true = true - (true * by_true).sum(axis=-1)[:, None]
    pred = pred - (pred * by_pred).sum(axis=-1)[:, None]
    # E(a + b + d)² of parts by row, by column and on the diagonal; a and b have the mean 0.
    square = (true**2 * by_true).sum(axis=-1) + (pred**2 * by_pred).sum(axis=-1)
    square += 2.0 * (np.einsum("ti,tij->tj", true, p) * pred).sum(axis=-1)
    square += (hit * same * (2.0 * (true + pred) + same)).sum(axis=-1)
    mean = (hit * same).sum(axis=-1)
    return np.asarray(np.maximum(square - mean**2, 0.0))


def _n(tables: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return np.asarray(np.rint(tables.sum(axis=(-2, -1))), np.int64)
