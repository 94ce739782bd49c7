"""Bounds of every metric of scores that tables of scores leave open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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

    Cost: three walks over the rungs of each column that is in buckets, one column at a time.
    """
    if rows.tables.is_exact:
        return {}
    wanted = [
        metric
        for metric in dict.fromkeys(metrics)
        if metric.lift != "per_class" and metric.record.reads not in (Losses, Pairwise)
    ]
    limits: dict[Metric, Limits | None] = {}
    averaged = [metric for metric in wanted if metric.lift in ("macro", "weighted")]
    each: dict[Metric, list[_Class]] = {metric: [] for metric in averaged}
    totals: npt.NDArray[Any] = np.empty(0)
    for i in range(rows.classes.k) if averaged else ():
        views = _Views(rows, i)
        for metric in averaged:
            one = views.of(metric)
            totals = one["tied"].ranked.totals
            each[metric].append(_Class.of(metric, one))
    for metric, classes in each.items():
        limits[metric] = _averaged(metric, classes, totals, policy)
    alone = [metric for metric in wanted if metric not in limits]
    for column in (rows.classes.positive, None):
        views = _Views(rows, column)
        for metric in alone:
            is_plain = metric.record.is_per_class and metric.lift == "plain"
            if metric.record.reads is PairRanks:
                limits[metric] = _of_pairs(metric, rows) if column is None else None
            elif is_plain == (column is not None):
                limits[metric] = _of_column(metric, views.of(metric))
    return {
        metric: limits[metric]
        for metric in wanted
        if limits[metric] is None or limits[metric][0] < limits[metric][1]  # type: ignore[index]
    }


@dataclass(frozen=True)
class _Class:
    """What is open of one class: limits, whether its column is exact, whether it has a value."""

    limits: Limits | None
    is_exact: bool
    is_measured: bool

    @classmethod
    def of(cls, metric: Metric, views: Mapping[Order, Any]) -> _Class:
        limits = _of_column(metric, views)
        is_measured = limits is not None
        if not is_measured:
            value = float(metric.record.formula(views["tied"], **dict(metric.params)))
            is_measured = bool(np.isfinite(value))
        return cls(limits, views["tied"].ranked.is_exact, is_measured)


class _Views:
    """The views of one column, or of all together and of confidences, in every order."""

    def __init__(self, rows: TabledRows, i: int | None) -> None:
        self._rows, self._i = rows, i
        self._made: dict[type, dict[Order, Any]] = {}

    def of(self, metric: Metric) -> dict[Order, Any]:
        """The view that a metric reads."""
        reads = metric.record.reads
        if reads not in self._made:
            assert reads in (ClassRanks, ClassProbabilities, Confidences)
            self._made[reads] = {order: reads(self._column(reads, order)) for order in _ORDERS}
        return self._made[reads]

    def _column(self, reads: type, order: Order) -> TableColumn:
        ordered, i = self._rows.ordered(order), self._i
        if reads is Confidences:
            return ordered.confidences()
        if i is None:
            return ordered.pooled()
        return ordered.column(i) if reads is ClassRanks else ordered.probability_column(i)


def _of_pairs(metric: Metric, rows: TabledRows) -> Limits | None:
    """Of a mean over pairs of classes, which grows with each area."""
    if all(rows.column(i).is_exact for i in range(rows.classes.k)):
        return 0.0, 0.0
    values = []
    for order in _ORDERS:
        columns = [rows.ordered(order).column(i) for i in range(rows.classes.k)]
        view = PairRanks(np.stack([column.areas() for column in columns]), columns[0].totals)
        values.append(float(metric.record.formula(view, **dict(metric.params))))
    if metric.record.bounds is None or not all(np.isfinite(values)):
        return None
    return widened(min(values), max(values))


def _averaged(
    metric: Metric, classes: list[_Class], totals: npt.NDArray[Any], policy: Policy
) -> Limits | None:
    """Of an average over the classes, which grows with each."""
    if all(one.is_exact for one in classes):
        return 0.0, 0.0
    if any(one.limits is None and one.is_measured for one in classes):
        return None
    # A class that cannot be measured cannot be in any order.
    ends = [one.limits or (np.nan, np.nan) for one in classes]
    low, high = (
        float(lifted(np.array(side), metric.lift, None, totals, policy).value)
        for side in zip(*ends, strict=True)
    )
    return (low, high) if np.isfinite([low, high]).all() else None


def _of_column(metric: Metric, views: Mapping[Order, Any]) -> Limits | None:
    """The same limit twice where nothing is open."""
    params, record = dict(metric.params), metric.record
    if views["tied"].ranked.is_exact:
        value = float(record.formula(views["tied"], **params))
        return (value, value) if np.isfinite(value) else None
    return None if record.bounds is None else record.bounds(record.formula, params, views)
