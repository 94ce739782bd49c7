"""The table of classes of a report: counts and rates of each class, with their limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric, get
from karat.metrics._bounds import Limits, is_open

if TYPE_CHECKING:
    from karat.inference.table_intervals import TableIntervals
    from karat.results.values import ReportValues

__all__ = ["PER_CLASS", "PER_CLASS_OF_SCORES", "rows_of_classes"]

Floats: TypeAlias = npt.NDArray[np.float64]

PER_CLASS = ("support", "predicted_count", "precision", "recall", "specificity", "f1", "jaccard")
"""Columns of the per-class table."""
PER_CLASS_OF_SCORES = ("roc_auc", "average_precision")
"""More columns of it, where there are scores."""


def rows_of_classes(report: ReportValues, tables: TableIntervals | None) -> list[dict[str, Any]]:
    """One row a class; see `Report.per_class`.

    Args:
        report: whose classes they are.
        tables: what gives the limits, or None for none.
    """
    classes, is_weighted = report.classes, report.cells.is_weighted
    columns = {}
    for name in PER_CLASS:
        metric = Metric(get(name).record, "per_class")
        columns[name] = (metric, metric.values(report.cells, report.undefined))
    for metric, values in report.measured.items():
        if metric.lift == "per_class" and metric.record.name in PER_CLASS_OF_SCORES:
            columns[metric.record.name] = (metric, values)
    limits = {} if tables is None else _limits(report, tables)
    rows = []
    for i, (label, shown_name) in enumerate(zip(classes.labels, classes.display, strict=True)):
        row: dict[str, Any] = {"label": label, "name": shown_name}
        reasons = {}
        for name, (metric, computed) in columns.items():
            row[name] = _plain_number(float(computed.value[i]), is_weighted, name)
            if computed.undefined[i]:
                reasons[name] = metric.undefined_when
        intervals = {
            name: (float(low[i]), float(high[i]))
            for name, (low, high) in limits.items()
            if name not in reasons and not math.isnan(low[i])
        }
        row |= {"undefined": reasons, "intervals": intervals}
        bounds = _open_bounds(report, columns, i)
        rows.append(row | ({"bounds": bounds} if bounds else {}))
    return rows


def _open_bounds(
    report: ReportValues, columns: Mapping[str, tuple[Metric, Any]], i: int
) -> dict[str, Limits | None]:
    """Limits of what is not exact of a class, by column."""
    each = {
        name: report.class_bounds[metric][i]
        for name, (metric, _) in columns.items()
        if metric in report.class_bounds
    }
    return {name: limits for name, limits in each.items() if is_open(limits)}


def _limits(report: ReportValues, tables: TableIntervals) -> dict[str, tuple[Floats, Floats]]:
    """Limits of the columns, float64[k] each."""
    found = dict(report.class_intervals)
    if report.is_clustered and report.clusters is None:
        return found
    for name in PER_CLASS:
        limits = None if name in found else tables.of_classes(get(name))
        if limits is not None:
            ends = get(name).range
            found[name] = tables.asked.one_sided(limits.low, limits.high, ends)
    return found


def _plain_number(value: float, is_weighted: bool, name: str) -> float | int | None:
    """Counts of rows as int; values that are not finite as None, with their reason beside."""
    if not math.isfinite(value):
        return None
    is_count = name in {"support", "predicted_count"}
    return int(value) if is_count and not is_weighted else value
