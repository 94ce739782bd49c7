"""The `Result` of a metric in a report: its value with all that is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from karat._version import __version__
from karat.metrics import Metric
from karat.result import Result
from karat.signature import Signature
from karat.tally import Classes
from karat.uncertainty.confidence import Interval

if TYPE_CHECKING:
    from karat.report import Report

__all__ = ["result_of"]

_OPEN: Final = "from scores in buckets; how far from exact is not known"


def result_of(
    report: Report,
    metric: Metric,
    classes: Classes,
    value: float,
    reason: str | None,
    interval: Interval,
) -> Result:
    """The result of a metric.

    Args:
        report: whose metric it is.
        metric: the metric.
        classes: the classes, with the positive one that it was computed with.
        value: what it gave.
        reason: why the data do not define it, or None.
        interval: how sure it is.
    """
    positive, confidence = classes.positive, report.confidence
    return Result(
        name=str(metric),
        value=value,
        n=report.n_rows,
        undefined=reason,
        definition=metric.definition,
        range=metric.range,
        better=metric.better,
        signature=Signature(
            str(metric) if metric.record.is_traced else metric.full,
            classes.k,
            None if positive is None else classes.display[positive],
            report.undefined,
            report.cells.is_weighted,
            __version__,
            None if confidence is None else confidence.design,
            report.is_clustered,
            confidence.seed if confidence is not None and interval.is_drawn else None,
        ),
        low=interval.low,
        high=interval.high,
        level=None if confidence is None or interval.low is None else confidence.level,
        method=interval.method,
        exact=metric not in report.bounds,
        bound=report.bounds.get(metric),
        standard_error=interval.standard_error,
        remark=_remark(report, metric, interval.remark),
    )


def _remark(report: Report, metric: Metric, of_interval: str | None) -> str | None:
    """What to know of an interval, and of a value that is not exact."""
    if report.bounds.get(metric, ()) is not None:
        return of_interval
    # What was read from JSON says it already.
    told = (of_interval or "").removesuffix(_OPEN).removesuffix("; ")
    return f"{told}; {_OPEN}" if told else _OPEN
