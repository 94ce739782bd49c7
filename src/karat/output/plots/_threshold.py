"""Metrics against the threshold from which on a class is predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import error
from karat.errors.text import count, value
from karat.metrics import Metric, get
from karat.output.plots._axes import (
    COMPARED_WITH,
    add_grid,
    add_heading,
    add_legend,
    draw_others,
    style,
)
from karat.output.plots._panels import Panel, in_panels
from karat.output.plots._series import (
    Reports,
    Series,
    area_badness,
    class_of,
    headed,
    requested_metrics,
    series_of,
)
from karat.output.sections import thresholds_of
from karat.tally import Cells, Classes
from karat.tally.score_kind import UNITS, as_thresholds
from karat.tally.shared import reached_levels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import ClassReport

_OF_ONE: Final = ("precision", "recall", "f1")
_OF_MANY: Final = ("f1",)
_SIDES: Final = Classes.of([0, 1])


@in_panels(Panel("Metrics by threshold", has_context=False))
def threshold(
    reports: Reports,
    ax: Axes,
    *,
    metrics: Any = None,
    classes: Any = None,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """Metrics of a class against its decision threshold.

    Values are exact at each stored point; lines between points are straight. A single class has
    precision, recall and F1, and a mark at the largest F1. Several classes on the same axes have F1
    of each against the rest. A thin line marks the threshold of the report.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.threshold(y_true, y_prob=p, metrics="recall", ax=Figure().subplots())
        >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
        ([0.9, 0.6, 0.4, 0.1], [0.5, 0.5, 1.0, 1.0])
    """
    shown = series_of(reports, classes, area_badness)
    chosen = _metrics(metrics, is_one=len(shown.series) == 1 and not shown.others)
    places = [(one, metric) for one in shown.series for metric in chosen]
    for place, (one, metric) in enumerate(places):
        x, y = _line(one, metric)
        look = style(place) if len(chosen) > 1 and len(shown.series) == 1 else one.style
        if len(chosen) > 1 and len(shown.series) > 1:
            look = style(shown.series.index(one), chosen.index(metric))
        name = " · ".join(filter(None, (one.name, str(metric)))) if len(chosen) > 1 else one.name
        undefined = one.report.curves.roc[one.label].undefined
        label = (name or str(metric)) + (f"  {undefined}" if undefined else "")
        kinds: dict[str, Any] = {"color": look.color, "linestyle": look.linestyle, "label": label}
        ax.plot(x, y, **(kinds | {"linewidth": 1.6} | line))
        if metric.name == "f1":
            _best(ax, one, look.color, is_named=len(places) <= len(_OF_ONE))
    if shown.others:
        parts = [_line(one, chosen[0]) for one in shown.others]
        draw_others(ax, parts, f"{count(len(parts))} other classes")
    is_probability = all(UNITS.get(report.scores) == "probability" for report in reports.values())
    what = "probability" if is_probability else "score"
    ax.set(xlabel=f"threshold ({what})", ylabel=chosen[0].name if len(chosen) == 1 else "value")
    if is_probability:
        ax.set_xlim(-0.02, 1.02)
    if all(metric.record.range == (0, 1) for metric in chosen):
        ax.set_ylim(-0.02, 1.02)
    add_grid(ax)
    if heading:
        of = str(chosen[0]) if len(chosen) == 1 else "metrics"
        what = f"{of[0].upper()}{of[1:]} of {class_of(shown, reports)} by threshold"
        add_heading(ax, headed(what, reports))
    if decision:
        _current(ax, reports)
    if legend:
        add_legend(ax, loc="best")


def _metrics(given: Any, *, is_one: bool) -> list[Metric]:
    """What to draw: metrics of one class against the rest.

    Errors:
        K301 no such metric; K702 none, or one that a threshold alone does not decide.
    """
    if given is None:
        given = _OF_ONE if is_one else _OF_MANY
    found = [get(name) for name in requested_metrics("threshold", given)]
    for metric in found:
        if metric.needs_scores or metric.lift != "plain":
            what = f"{metric} is not a metric of the labels of one class"
            do = "Name a metric such as 'precision', 'recall', 'specificity', 'f1' or 'mcc'."
            raise error("K702", name="threshold", found=what, do=do)
    return found


def _line(one: Series, metric: Metric) -> tuple[Any, Any]:
    """Thresholds and the values of a metric there, as the catalogue gives them."""
    points = one.report.curves.kept[one.place].points
    tps, fps = points.tps, points.fps
    sides = [[points.n_neg - fps, fps], [points.n_pos - tps, tps]]
    tables = np.stack([np.stack(side, axis=-1) for side in sides], axis=-2)
    # Above every score nothing is called positive, at no threshold that could be drawn.
    is_finite = np.isfinite(points.thresholds)
    cells = Cells.dense(tables[is_finite], classes=_SIDES)
    values = metric.values(cells, one.report.undefined)
    thresholds = as_thresholds(points.thresholds[is_finite], one.report.scores)
    return thresholds, np.where(values.undefined, np.nan, values.value)


def _best(ax: Axes, one: Series, color: str, *, is_named: bool) -> None:
    """Mark the threshold with the largest F1, as the report states it."""
    told = thresholds_of(one.report)
    if told is None or (isinstance(told, dict) and one.place != one.report.classes.positive):
        return
    point = (told if isinstance(told, dict) else told[one.place]).get("f1")
    if point is None or point["threshold"] is None or point["value"] is None:
        return
    wave = "≈ " if point.get("bounds") else ""
    best = f"best f1: {wave}{value(point['value'])} at {wave}{point['threshold']:.4g}"
    look: dict[str, Any] = {"color": color, "marker": one.style.marker, "markersize": 6}
    look |= {"markeredgecolor": ax.get_facecolor(), "linestyle": "none", "zorder": 3}
    x, y = point["threshold"], point["value"]
    ax.plot([x], [y], label=best if is_named else None, **look)


def _current(ax: Axes, reports: Reports) -> None:
    """A line where the rows are parted now, where one threshold parts them."""
    told: set[float] = set()
    for report in reports.values():
        place = report.classes.positive
        if place is None:
            continue
        at = report.threshold
        if not report.has_predictions:
            continue
        # Where logits are parted by their probability, their log-odds are by 0.
        border = {"probabilities": 0.5, "logits": 0.0}.get(report.scores or "")
        if at is None and border is not None and _parts(report, place, border):
            at = 0.5
        if at is not None and at not in told:
            ax.axvline(at, label="_" * bool(told) + f"threshold {at:g}", **COMPARED_WITH)
            told.add(at)


def _parts(report: ClassReport, place: int, at: float) -> bool:
    """Whether as many rows are predicted as a threshold would: predictions may have been given."""
    fields, points = report.cells.fields, report.curves.kept[place].points
    called = points.tps + points.fps
    above = 1 + int(reached_levels(points.thresholds[1:], np.array([at]))[0])
    predicted = float(fields.tp[place] + fields.fp[place])
    room = 1e-9 * float(called[-1])
    return bool(called[above - 1] - room <= predicted <= called[min(above, len(called) - 1)] + room)
