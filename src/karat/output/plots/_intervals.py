"""Metrics with their intervals, or one metric over the classes, as a forest plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import KaratError, error, shown
from karat.errors.numbers import count, value
from karat.metrics import Metric, get
from karat.output.describe import is_headline
from karat.output.plots._axes import faint, names_on_plots
from karat.output.plots._forest import (
    MOST_ROWS,
    Row,
    add_row_legend,
    draw_rows,
    name_rows,
    tell_missing,
)
from karat.output.plots._palette import MUTED, style
from karat.output.plots._series import Reports, asked_metrics, series_of
from karat.results.class_table import PER_CLASS, PER_CLASS_OF_SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import Report
    from karat.results.result import Result

__all__ = ["intervals"]

_OF_CLASSES: Final = (*PER_CLASS[2:], *PER_CLASS_OF_SCORES)
"""Metrics that the table of classes holds."""
_RANGES: Final[tuple[tuple[float, float], ...]] = ((0, 1), (-1, 1))
"""Metrics of these ranges stand on one axis; log-loss would not."""
_HEIGHT: Final = 0.4
"""Of a row, what several reports share."""


def intervals(
    reports: Reports,
    ax: Axes,
    *,
    metrics: Any = None,
    classes: Any = None,
    legend: bool = True,
    **errorbar: Any,
) -> None:
    """Metrics with their intervals, one row each; or one metric of each class.

    Without `metrics` those that open a printed report, as far as they lie between −1 and 1.
    One metric of the table of classes, as ``"recall"``, is drawn of each class where there are
    more than two, or where `classes` asks for it, beside its mean over them. Of more than 40
    classes the lowest are rows, and all others points of one row.
    A hollow point has no interval; what is undefined says why.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]])
        >>> ax = karat.plot.intervals(report, metrics=["f1", "mcc"], ax=Figure().subplots())
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['f1', 'matthews_correlation']
    """
    of_classes = _of_classes(reports, metrics, classes)
    if of_classes is None:
        n_rows = _metrics(reports, ax, _chosen(reports, metrics), errorbar)
    else:
        n_rows = _classes(reports, ax, of_classes, classes, errorbar)
    levels = {report.confidence.told for report in reports.values() if report.confidence}
    share = f" ({levels.pop()} interval)" if len(levels) == 1 else ""
    ax.set_xlabel(f"{of_classes or 'value'}{share}")
    ax.grid(visible=True, axis="x", linewidth=0.5, color=faint(ax), alpha=0.6)
    ax.set_axisbelow(True)
    if legend and (len(reports) > 1 or of_classes):
        add_row_legend(ax, n_rows)


def _of_classes(reports: Reports, metrics: Any, classes: Any) -> str | None:
    """The one metric that is drawn over classes, or None.

    Errors:
        K301 no such metric; K702 the table of classes does not hold it.
    """
    names = [] if metrics is None else asked_metrics("intervals", metrics)
    if len(names) != 1:
        if classes is not None:
            do = f"Name one of {shown(_OF_CLASSES, 20)}."
            raise error("K702", name="intervals", found="classes= goes with one metric", do=do)
        return None
    name = str(get(names[0]))
    has_many = any(report.classes.positive is None for report in reports.values())
    if name in _OF_CLASSES and (has_many or classes is not None):
        return name
    if classes is not None:
        do = f"Name one of {shown(_OF_CLASSES, 20)}."
        raise error("K702", name="intervals", found=f"{name} is not kept of each class", do=do)
    return None


def _chosen(reports: Reports, metrics: Any) -> list[str]:
    """Canonical names of what is drawn.

    Errors:
        K301 no such metric; K307 a plain name of more than two classes.
    """
    if metrics is not None:
        given = asked_metrics("intervals", metrics)
        for report in reports.values():
            for name in given:
                report[name]  # what a report does not have is an error
        return [str(get(name)) for name in given]
    first = next(iter(reports.values()))
    if first.requested is not None:
        return list(first.metrics)
    return [
        name
        for name in first.metrics
        if all(name in report for report in reports.values()) and _opens(first, get(name))
    ]


def _opens(report: Report, metric: Metric) -> bool:
    """Whether a metric is among those that open a report, and high where it is good."""
    is_fit = metric.record.range in _RANGES and metric.record.better == "higher"
    return is_fit and is_headline(report, metric)


def _row(found: Result) -> Row:
    return Row(found.value, found.low, found.high, found.undefined)


def _metrics(reports: Reports, ax: Axes, names: Sequence[str], errorbar: dict[str, Any]) -> int:
    """Draw metrics; returns how many rows there are."""
    kept = names[:MOST_ROWS]
    missing: list[tuple[float, str]] = []
    models = _models(reports)
    for at, report in enumerate(reports.values()):
        rows = [_row(report[name]) for name in kept]
        places = [place + _offset(at, len(reports)) for place in range(len(kept))]
        look: dict[str, Any] = {"color": style(at).color, "marker": style(at).marker}
        look |= {"label": models[at] if len(reports) > 1 else None}
        draw_rows(ax, rows, places, look | errorbar)
        missing += _missing(rows, places)
    name_rows(ax, kept)
    if len(names) > len(kept):
        ax.set_ylabel(f"the first {len(kept)} of {len(names)} metrics")
    tell_missing(ax, missing)
    return len(kept)


def _offset(at: int, n: int) -> float:
    """How far below the middle of its row the report at a place stands."""
    return 0.0 if n == 1 else _HEIGHT * (at / (n - 1) - 0.5)


def _missing(rows: Sequence[Row], places: Sequence[float]) -> list[tuple[float, str]]:
    pairs = zip(rows, places, strict=True)
    return [(place, row.reason or "no value") for row, place in pairs if not row.has_value]


def _classes(
    reports: Reports, ax: Axes, metric: str, classes: Any, errorbar: dict[str, Any]
) -> int:
    """Draw one metric of each class; returns how many rows there are."""

    def badness(report: Report, place: int) -> float:
        found = report.per_class[place].get(metric)
        return math.nan if found is None else -float(found)

    n_models = len(reports)
    missing: list[tuple[float, str]] = []
    models = _models(reports)
    # The first report says which classes there are to see, and which are the lowest.
    name, first = next(iter(reports.items()))
    shown = series_of(
        {name: first}, classes, badness, has_positive=False, most=MOST_ROWS, n_worst=MOST_ROWS
    )
    labels, others = [one.label for one in shown.series], shown.others
    shown_names = [one.name for one in shown.series]
    for at, report in enumerate(reports.values()):
        table = dict(zip(report.labels, report.per_class, strict=True))
        rows = [_row_of_class(table.get(label, {}), metric) for label in labels]
        places = [i + _offset(at, n_models) for i in range(len(labels))]
        look: dict[str, Any] = {"color": style(at).color, "marker": style(at).marker}
        look |= {"label": models[at] if n_models > 1 else None}
        draw_rows(ax, rows, places, look | errorbar)
        missing += _missing(rows, places)
        _mean(ax, report, metric, style(at).color, models[at])
    if others:
        shown_names.append(f"{count(len(others))} others")
        values = [one.row.get(metric) for one in others]
        x = [found for found in values if found is not None]
        ax.plot(x, [len(labels)] * len(x), linestyle="none", marker="|", color=MUTED, alpha=0.5)
    name_rows(ax, shown_names)
    tell_missing(ax, missing)
    return len(shown_names)


def _models(reports: Reports) -> list[str]:
    """How the reports are called; one alone needs no name."""
    return names_on_plots(list(reports)) if len(reports) > 1 else [""]


def _row_of_class(row: dict[str, Any], metric: str) -> Row:
    if metric not in row:
        return Row(math.nan, reason="not in this report")
    reason = row["undefined"].get(metric)
    low, high = row["intervals"].get(metric, (None, None))
    found = row[metric]
    is_missing = found is None or reason is not None
    text = None if reason is None else f"undefined: {reason}"
    return Row(math.nan if is_missing else float(found), low, high, text)


def _mean(ax: Axes, report: Report, metric: str, color: str, model: str) -> None:
    """The mean over the classes."""
    for name in (f"macro_{metric}", f"{metric}_ovr_macro", f"mean_{metric}"):
        try:
            found = report[name]
        except KaratError:
            continue
        if np.isfinite(found.value):
            label = f"{model} {name} {value(found.value)}".strip()
            ax.axvline(found.value, color=color, linestyle=":", linewidth=1, label=label, zorder=1)
        return
