"""Bounds of every metric of scores that tables of scores leave open."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat.metrics._bounds import Limits, widened
from karat.metrics._lift import Policy
from karat.metrics._measure import lifted
from karat.metrics._metric import Metric
from karat.metrics._views import (
    ClassProbabilities,
    ClassRanks,
    Confidences,
    Losses,
    PairRanks,
    Pairwise,
)
from karat.tally import Order, TableColumn, TabledRows

__all__ = ["bounds_of"]

Floats: TypeAlias = npt.NDArray[np.float64]
_ORDERS: Final[tuple[Order, ...]] = get_args(Order)


def bounds_of(
    rows: TabledRows, metrics: Iterable[Metric], policy: Policy = "zero"
) -> dict[Metric, Limits | None]:
    """Metrics that these tables do not give exactly, each with limits that hold the exact value.

    Args:
        rows: tables of scores.
        metrics: metrics of scores; those of each class are left out.
        policy: what to do about classes that cannot be measured.

    Returns:
        (low, high), or None where nothing is known of the error. Exact metrics are missing.

    Cost: three walks over the rungs of each column that is in buckets.
    """
    wanted = [m for m in dict.fromkeys(metrics) if m.lift != "per_class"]
    if rows.tables.is_exact:
        return {}
    found: dict[Metric, Limits | None] = {}
    for metric in wanted:
        reads = metric.record.reads
        if reads in (Losses, Pairwise):
            continue
        limits = (
            _of_pairs(metric, rows) if reads is PairRanks else _of_columns(metric, rows, policy)
        )
        # Equal limits, or none where nothing can be measured, leave nothing open.
        if limits is None or limits[0] < limits[1]:
            found[metric] = limits
    return found


def _of_pairs(metric: Metric, rows: TabledRows) -> Limits | None:
    """Of a mean over pairs of classes, which grows with each area."""
    if all(rows.column(i).is_exact for i in range(rows.classes.k)):
        return 0.0, 0.0
    values = []
    for order in _ORDERS:
        columns = [rows.ordered(order).column(i) for i in range(rows.classes.k)]
        view = PairRanks(np.stack([column.areas() for column in columns]), columns[0].totals)
        values.append(float(metric.record.formula(view, **dict(metric.params))))
    if metric.record.bounds is None:
        return None
    return widened(min(values), max(values))


def _of_columns(metric: Metric, rows: TabledRows, policy: Policy) -> Limits | None:
    """Of a metric of one column, or of its average over the classes, which grows with each."""
    positive = rows.classes.positive
    if metric.record.reads is Confidences:
        return _of_column(metric, _views(metric, rows, None))
    if metric.lift == "micro":
        return _of_column(metric, _views(metric, rows, None))
    if metric.lift == "plain":
        assert positive is not None
        return _of_column(metric, _views(metric, rows, positive))
    limits: list[Limits] = []
    is_exact = True
    totals: npt.NDArray[Any] = np.empty(0)
    for i in range(rows.classes.k):
        views = _views(metric, rows, i)
        totals = views["tied"].ranked.totals
        is_exact &= views["tied"].ranked.is_exact
        one = _of_column(metric, views)
        if one is None:
            return None
        limits.append(one)
    if is_exact:
        return 0.0, 0.0
    low, high = (
        float(lifted(np.array(side), metric.lift, positive, totals, policy).value)
        for side in zip(*limits, strict=True)
    )
    return low, high


def _of_column(metric: Metric, views: dict[Order, Any]) -> Limits | None:
    """The same limit twice where nothing is open."""
    params, record = dict(metric.params), metric.record
    if views["tied"].ranked.is_exact:
        value = float(record.formula(views["tied"], **params))
        return value, value
    if record.bounds is None:
        return None
    if math.isnan(record.formula(views["tied"], **params)):
        return np.nan, np.nan  # which the weights of the classes alone decide
    return record.bounds(record.formula, params, views)


def _views(metric: Metric, rows: TabledRows, i: int | None) -> dict[Order, Any]:
    """The views of one column in every order; of all together, or of confidences, for None."""
    reads = metric.record.reads

    def column(order: Order) -> TableColumn:
        ordered = rows.ordered(order)
        if reads is Confidences:
            return ordered.confidences()
        if i is None:
            return ordered.pooled()
        return ordered.column(i) if reads is ClassRanks else ordered.probability_column(i)

    assert reads in (ClassRanks, ClassProbabilities, Confidences)
    return {order: reads(column(order)) for order in _ORDERS}
