"""What leaving out one row after the other says of a metric: how biased it is, and its variance."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from karat.inference.table_variance import TableVariance
from karat.metrics import Metric
from karat.metrics._formula import walk
from karat.metrics._lift import Policy
from karat.tally import Cells

__all__ = ["Jackknife", "is_of_logarithms", "jackknifed"]

_MOST: Final = 1 << 22
"""So many cells of all tables with a row less at most."""


class Jackknife(NamedTuple):
    """Jackknife (Quenouille 1956, Tukey 1958).

    Attributes:
        bias: how much larger the metric is than the truth, on average.
        variance: of the metric.
    """

    bias: float
    variance: float


@cache
def is_of_logarithms(metric: Metric) -> bool:
    """Whether the formula takes logarithms of shares: few rows in many cells make it too large."""
    return any(node.op == "log" for node in walk(metric.traced("zero").value))


def jackknifed(metric: Metric, spread: TableVariance, policy: Policy) -> Jackknife | None:
    """Bias and variance of a metric; None where the tables are too many, or undefined.

    Weighted rows count as the effective rows that they are worth.

    Cost: the metric of one table for each occupied cell.
    """
    cells, n = spread.cells, spread.n_effective
    if cells.storage != "dense" or n <= 1.0:
        return None
    table = np.asarray(cells.counts * (n / float(cells.fields.n)), np.float64)
    occupied = np.flatnonzero(table.ravel() > 0)
    if len(occupied) * table.size > _MOST:
        return None
    times = table.ravel()[occupied]
    step = np.minimum(times, 1.0)
    tables = np.repeat(table[None], 1 + len(occupied), axis=0)
    tables.reshape(len(tables), -1)[1 + np.arange(len(occupied)), occupied] -= step
    batch = Cells.dense(tables, classes=cells.classes, n_rows=np.ones(len(tables), np.int64))
    values = metric.values(batch, policy).value
    if not np.isfinite(values).all():
        return None
    moves = (values[1:] - values[0]) / step
    total = float((times * moves).sum())
    square = float((times * moves**2).sum())
    return Jackknife((n - 1.0) / n * total, (n - 1.0) / n * max(square - total**2 / n, 0.0))
