"""Which metrics a report computes, and whether it has those that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from karat.metrics import Metric, get, n_records
from karat.metrics.plan import default_metrics
from karat.results.class_table import PER_CLASS_OF_SCORES
from karat.results.operating_points import THRESHOLDS, lift_of_thresholds
from karat.results.report import Report
from karat.tally import Classes

__all__ = ["refuse_missing", "wanted_of_scores"]


def wanted_of_scores(
    classes: Classes, requested: Sequence[Metric] | None, *, is_prob: bool
) -> list[Metric]:
    """Metrics of scores to compute: those asked for, else those of a report."""
    if requested is not None:
        return [metric for metric in requested if metric.needs_scores]
    return list(_listed(classes.k, is_prob, n_records()))


@lru_cache(maxsize=64)
def _listed(k: int, is_prob: bool, _: int) -> tuple[Metric, ...]:
    """The metrics of scores of a report of k classes."""
    listed = [
        metric
        for metric in default_metrics(of_scores=True)
        if k >= metric.record.least_classes
        and not (is_prob and metric.record.is_of_scores_only)
        and not (metric.record.is_per_class and metric.lift == "plain" and k != 2)
    ]
    each = [Metric.of(get(name).record, "per_class", {}) for name in PER_CLASS_OF_SCORES]
    lift = lift_of_thresholds(k)
    points = [
        Metric.of(get(name).record, lift, {}) for pair in THRESHOLDS.values() for name in pair
    ]
    return tuple(dict.fromkeys([*listed, *each, *points]))


def refuse_missing(report: Report, wanted: Sequence[Metric]) -> None:
    """Refuse metrics that a report cannot give; nothing is computed where it surely can.

    Errors:
        As `Report.metrics`.
    """
    if report.confidence is not None or not all(_is_there(metric, report) for metric in wanted):
        _ = report.metrics


def _is_there(metric: Metric, report: Report) -> bool:
    """Whether nothing can go wrong when the metric is read."""
    if metric.record.is_per_class and metric.lift == "plain" and not report.is_binary:
        return False
    if metric.needs_scores:
        return metric in report.measured
    has_matrix = any(isinstance(value, tuple) for _, value in metric.params)
    return report.cells.storage == "dense" and not has_matrix
