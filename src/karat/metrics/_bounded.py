"""Bounds of the metrics of scores that score histograms do not determine exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat.metrics._bounds import Limits, is_open, widened
from karat.metrics._lift import Policy
from karat.metrics._measure import Body, Views, body_of, lifted
from karat.metrics._metric import Metric
from karat.metrics._views import ClassRanks, Confidences, Losses, PairRanks, Pairwise
from karat.tally import Classes, HistogramRows, Order

Floats: TypeAlias = npt.NDArray[np.float64]
ClassLimits: TypeAlias = tuple[Limits | None, ...]
"""Limits of each class, equal where the value is exact; None where the error is unknown."""
_ORDERS: Final[tuple[Order, ...]] = get_args(Order)
_EXACT: Final[Limits] = (0.0, 0.0)


def all_bounds_of(
    rows: HistogramRows, metrics: Iterable[Metric], policy: Policy = "zero"
) -> tuple[dict[Metric, Limits | None], dict[Metric, ClassLimits]]:
    """Return the metrics that these tables do not give exactly, with limits of the exact value.

    Returns:
        (low, high), or None where the error is unknown: for metrics of one number, and for each
        class of metrics per class. Exact metrics are left out.

    Cost: three walks over the score levels of each bucketed column; one column is in memory.
    """
    told = (Losses, Pairwise)
    wanted = [metric for metric in dict.fromkeys(metrics) if metric.record.reads not in told]
    found: dict[Metric, Limits | None] = {}
    of_classes: dict[Metric, ClassLimits] = {}
    if rows.histograms.is_exact or not wanted:
        return found, of_classes
    limits = _limits_of_columns(rows, wanted)
    pairs = _pairs(rows) if any(m.record.reads is PairRanks for m in wanted) else None
    for metric in wanted:
        each = tuple(limits[body_of(metric), i] for i in _places(metric, rows.classes))
        if metric.lift == "per_class":
            if any(map(is_open, each)):
                of_classes[metric] = each
            continue
        if metric.record.reads is PairRanks:
            between = _of_pairs(metric, pairs)
        elif metric.lift in ("macro", "weighted"):
            between = _of_average(metric, rows, each, policy)
        else:
            (between,) = each
        if is_open(between):
            found[metric] = between
    return found, of_classes


def _places(metric: Metric, classes: Classes) -> Sequence[int | None]:
    """Return the columns that a metric reads; None stands for all together, or the confidences."""
    if metric.record.reads is PairRanks:
        return ()
    if metric.record.reads is Confidences or metric.lift == "micro":
        return (None,)
    return (classes.positive,) if metric.lift == "plain" else range(classes.k)


def _limits_of_columns(
    rows: HistogramRows, metrics: Iterable[Metric]
) -> dict[tuple[Body, int | None], Limits | None]:
    columns: dict[int | None, dict[Body, None]] = {}
    for metric in metrics:
        for place in _places(metric, rows.classes):
            columns.setdefault(place, {})[body_of(metric)] = None
    found: dict[tuple[Body, int | None], Limits | None] = {}
    for place, bodies in columns.items():
        views = {order: Views(rows.ordered(order), place) for order in _ORDERS}
        for body in bodies:
            of_body = {order: view.of(body[0]) for order, view in views.items()}
            found[body, place] = _of_column(body, of_body)
    return found


def _of_column(body: Body, views: Mapping[Order, Any]) -> Limits | None:
    """Return the same limit twice where the value is exact; NaN where it is undefined."""
    record, params = body[0], dict(body[1])
    value = float(record.formula(views["tied"], **params))
    if views["tied"].ranked.is_exact:
        return value, value
    if record.bounds is None:
        return None
    if math.isnan(value):  # determined by the weights of the classes alone
        return math.nan, math.nan
    return record.bounds(record.formula, params, views)


def _of_average(
    metric: Metric, rows: HistogramRows, each: ClassLimits, policy: Policy
) -> Limits | None:
    """Bounds of an average over the classes, which increases with the value of each class."""
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
    """Return the ordered pairs of classes; None if there is only one class."""
    k = rows.classes.k
    if all(rows.column(i).is_exact for i in range(k)):
        return None
    found = []
    for order in _ORDERS:
        columns = [rows.ordered(order).column(i) for i in range(k)]
        found.append(PairRanks(np.stack([column.areas() for column in columns]), columns[0].totals))
    return found


def _of_pairs(metric: Metric, pairs: list[PairRanks] | None) -> Limits | None:
    """Bounds of a mean over pairs of classes, which increases with each area."""
    if pairs is None:
        return _EXACT
    if metric.record.bounds is None:
        return None
    params = dict(metric.params)
    values = [float(metric.record.formula(view, **params)) for view in pairs]
    return widened(min(values), max(values))
