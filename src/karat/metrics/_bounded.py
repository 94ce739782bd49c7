"""Bounds of every metric of scores that score histograms leave open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat.metrics._bounds import Limits, is_open, widened
from karat.metrics._lift import Policy
from karat.metrics._measure import lifted
from karat.metrics._metric import Metric
from karat.metrics._record import Record
from karat.metrics._views import (
    ClassProbabilities,
    ClassRanks,
    Confidences,
    Losses,
    PairRanks,
    Pairwise,
)
from karat.tally import HistogramColumn, HistogramRows, Order

__all__ = ["ClassLimits", "all_bounds_of", "bounds_of"]

Floats: TypeAlias = npt.NDArray[np.float64]
ClassLimits: TypeAlias = tuple[Limits | None, ...]
"""Limits of each class, equal where nothing is open; None where nothing is known of the error."""
_Body: TypeAlias = tuple[Record, tuple[tuple[str, Any], ...]]
"""A record with its parameters: what one column is measured by."""
_ORDERS: Final[tuple[Order, ...]] = get_args(Order)
_EXACT: Final[Limits] = (0.0, 0.0)


def bounds_of(
    rows: HistogramRows, metrics: Iterable[Metric], policy: Policy = "zero"
) -> dict[Metric, Limits | None]:
    """Metrics that these tables do not give exactly, each with limits that hold the exact value.

    Args:
        rows: score histograms.
        metrics: metrics of scores; those of each class are left out: see `all_bounds_of`.
        policy: what to do about classes that cannot be measured.

    Returns:
        (low, high), or None where nothing is known of the error. Exact metrics are missing.

    Cost: three walks over the score levels of each column that is in buckets; one column is held.
    """
    return all_bounds_of(rows, (m for m in metrics if m.lift != "per_class"), policy)[0]


def all_bounds_of(
    rows: HistogramRows, metrics: Iterable[Metric], policy: Policy = "zero"
) -> tuple[dict[Metric, Limits | None], dict[Metric, ClassLimits]]:
    """As `bounds_of`, and the limits of every class of metrics of each class."""
    told = (Losses, Pairwise)
    wanted = [metric for metric in dict.fromkeys(metrics) if metric.record.reads not in told]
    found: dict[Metric, Limits | None] = {}
    of_classes: dict[Metric, ClassLimits] = {}
    if rows.histograms.is_exact or not wanted:
        return found, of_classes
    limits = _limits_of_columns(rows, wanted)
    pairs = _pairs(rows) if any(m.record.reads is PairRanks for m in wanted) else None
    for metric in wanted:
        each = limits.get(_body_of(metric), {})
        if metric.lift == "per_class":
            classes = tuple(each[i] for i in range(rows.classes.k))
            if any(map(is_open, classes)):
                of_classes[metric] = classes
            continue
        if metric.record.reads is PairRanks:
            between = _of_pairs(metric, pairs)
        elif metric.record.reads is Confidences or metric.lift == "micro":
            between = each[None]
        elif metric.lift == "plain":
            between = each[rows.classes.positive]
        else:
            between = _of_average(metric, rows, [each[i] for i in range(rows.classes.k)], policy)
        if is_open(between):
            found[metric] = between
    return found, of_classes


def _body_of(metric: Metric) -> _Body:
    return metric.record, metric.params


def _limits_of_columns(
    rows: HistogramRows, metrics: Iterable[Metric]
) -> dict[_Body, dict[int | None, Limits | None]]:
    """The limits of each column, and under None of all together or of the confidences."""
    columns: dict[int | None, dict[_Body, None]] = {}
    for metric in metrics:
        if metric.record.reads is PairRanks:
            continue
        places: list[int | None] = list(range(rows.classes.k))
        if metric.record.reads is Confidences or metric.lift == "micro":
            places = [None]
        elif metric.lift == "plain":
            places = [rows.classes.positive]
        for place in places:
            columns.setdefault(place, {})[_body_of(metric)] = None
    found: dict[_Body, dict[int | None, Limits | None]] = {}
    for place, bodies in columns.items():
        views = _Views(rows, place)
        for body in bodies:
            found.setdefault(body, {})[place] = _of_column(body, views.of(body[0].reads))
    return found


class _Views:
    """The views of one column in every order, of all together or of confidences for None."""

    def __init__(self, rows: HistogramRows, i: int | None) -> None:
        self._rows = {order: rows.ordered(order) for order in _ORDERS}
        self._i = i
        self._made: dict[type, dict[Order, Any]] = {}

    def of(self, reads: type) -> Mapping[Order, Any]:
        """Those of a kind, made when they are first read."""
        if reads not in self._made:
            self._made[reads] = {
                order: reads(self._column(reads, rows)) for order, rows in self._rows.items()
            }
        return self._made[reads]

    def _column(self, reads: type, rows: HistogramRows) -> HistogramColumn:
        assert reads in (ClassRanks, ClassProbabilities, Confidences)
        if reads is Confidences:
            return rows.confidences()
        if self._i is None:
            return rows.pooled()
        return rows.column(self._i) if reads is ClassRanks else rows.probability_column(self._i)


def _of_column(body: _Body, views: Mapping[Order, Any]) -> Limits | None:
    """The same limit twice where nothing is open; NaN where nothing can be measured."""
    record, params = body[0], dict(body[1])
    value = float(record.formula(views["tied"], **params))
    if views["tied"].ranked.is_exact:
        return value, value
    if record.bounds is None:
        return None
    if math.isnan(value):  # which the weights of the classes alone decide
        return math.nan, math.nan
    return record.bounds(record.formula, params, views)


def _of_average(
    metric: Metric, rows: HistogramRows, each: list[Limits | None], policy: Policy
) -> Limits | None:
    """Of an average over the classes, which grows with the value of each."""
    columns = rows.column if metric.record.reads is ClassRanks else rows.probability_column
    if all(columns(i).is_exact for i in range(rows.classes.k)):
        return _EXACT
    sides = [limits for limits in each if limits is not None]
    if len(sides) < len(each):
        return None
    totals, positive = rows.column(0).totals, rows.classes.positive
    low, high = (
        float(lifted(np.array(side), metric.lift, positive, totals, policy).value)
        for side in zip(*sides, strict=True)
    )
    return low, high


def _pairs(rows: HistogramRows) -> list[PairRanks] | None:
    """Pairs of classes in every order; None where there is but one."""
    k = rows.classes.k
    if all(rows.column(i).is_exact for i in range(k)):
        return None
    found = []
    for order in _ORDERS:
        columns = [rows.ordered(order).column(i) for i in range(k)]
        found.append(PairRanks(np.stack([column.areas() for column in columns]), columns[0].totals))
    return found


def _of_pairs(metric: Metric, pairs: list[PairRanks] | None) -> Limits | None:
    """Of a mean over pairs of classes, which grows with each area."""
    if pairs is None:
        return _EXACT
    if metric.record.bounds is None:
        return None
    params = dict(metric.params)
    values = [float(metric.record.formula(view, **params)) for view in pairs]
    return widened(min(values), max(values))
