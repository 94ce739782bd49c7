"""Curves that a falling threshold traces: ROC, precision-recall, DET, gain and lift."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.curves._traced import Det, Gain, Lift, PrecisionRecall, Roc, Traced
from karat.errors import KaratError
from karat.errors.text import MISSING, count, interval, share, value
from karat.output.plots._axes import MUTED, add_legend, deviate_axes, faint, ink, unit_axes
from karat.output.plots._series import Reports, Series, Shown, series_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import Report

__all__ = ["det", "gain", "lift", "precision_recall", "roc"]

_GOOD: Final = 0.6
"""An average precision above which curves run along the top."""
_GRID: Final = np.linspace(0.0, 1.0, 201)


@dataclass(frozen=True, slots=True)
class Area:
    """The metric that a legend tells.

    Attributes:
        metric: of one class.
        mean: of all.
        title: over the entries of the legend.
    """

    metric: str
    mean: str
    title: str


ROC_AUC: Final = Area("roc_auc", "roc_auc_ovr_macro", "area under the curve")
AVERAGE_PRECISION: Final = Area("average_precision", "mean_average_precision", "average precision")


def area_of_class(area: Area | None, one: Series) -> str:
    """``0.9881 [0.9803, 0.9942]`` of a class; nothing where the report holds no such value."""
    row = one.row
    if area is None or row.get(area.metric) is None:
        return ""
    low, high = row["intervals"].get(area.metric, (None, None))
    bounds = row.get("bounds", {})
    return told(row[area.metric], low, high, exact=area.metric not in bounds)


def area_of_mean(area: Area | None, report: Report) -> str:
    """The same of the mean of all classes."""
    if area is None:
        return ""
    try:
        found = report[area.mean]
    except KaratError:
        return ""
    return told(found.value, found.low, found.high, exact=found.exact)


def told(number: Any, low: float | None, high: float | None, *, exact: bool = True) -> str:
    """A value with its interval; a wave where it is not exact."""
    if number is None:
        return MISSING
    return f"{'' if exact else '≈ '}{value(number)} {interval(low, high)}".rstrip()


@dataclass(frozen=True, slots=True)
class Kind:
    """How curves of a kind are drawn.

    Attributes:
        curve: the kind.
        x, y: what the axes are called.
        loc: where the legend stands: where good curves do not go.
        area: what the legend tells of each curve.
    """

    curve: type[Traced]
    x: str
    y: str
    loc: str
    area: Area | None = None

    def of(self, report: Report, place: int) -> Any:
        """The curve of a class."""
        return getattr(report.curves, self.curve.name)[report.labels[place]]

    def path(self, report: Report, place: int) -> tuple[Any, Any]:
        """What is drawn of a curve: its points, and what lies between them if no straight line."""
        curve = self.of(report, place)
        across, up = self.curve.axes
        x, y = getattr(curve, across), getattr(curve, up)
        if self.curve is PrecisionRecall and not _is_whole(curve):
            # The best score is always kept: all rows that have it are found at once.
            return np.insert(x, 1, x[0]), np.insert(y, 1, y[1])
        if self.curve is Lift and not curve.undefined:
            return _bent(report.curves.gain[curve.label])
        return x, y


_ROC = Kind(Roc, "false positive rate", "true positive rate", "lower right", ROC_AUC)
_PRECISION_RECALL = Kind(PrecisionRecall, "recall", "precision", "lower left", AVERAGE_PRECISION)
_DET = Kind(Det, "false positive rate", "false negative rate", "upper right")
_GAIN = Kind(Gain, "share of rows, best first", "share of the class found", "lower right")
_LIFT = Kind(Lift, "share of rows, best first", "lift", "upper right")


def roc(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    chance: bool = True,
    decision: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """ROC curves: how much of a class is found, at what price.

    The legend tells the area under each whole curve with its interval; the diagonal is chance.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = ["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.roc(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_ydata().tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    _draw(_ROC, reports, ax, classes, decision, line)
    unit_axes(ax, x=_ROC.x, y=_ROC.y)
    if chance:
        ax.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1, label="chance", zorder=1)
    _finish(_ROC, ax, legend)


def precision_recall(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    chance: bool = True,
    decision: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """Precision-recall curves: how pure what is found is, as more of a class is found.

    The legend tells the average precision of each whole curve with its interval. Chance is the
    share of the class. A curve goes in steps where every point of it is kept, else straight from
    point to point, which is as near to the whole curve as its `error` says.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = ["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.precision_recall(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_ydata().round(2).tolist()
        [1.0, 1.0, 0.5, 0.67, 0.5]
    """
    shown = _draw(_PRECISION_RECALL, reports, ax, classes, decision, line)
    unit_axes(ax, x=_PRECISION_RECALL.x, y=_PRECISION_RECALL.y)
    if chance:
        _prevalences(ax, shown)
    areas = [_PRECISION_RECALL.of(one.report, one.place).average_precision for one in shown.series]
    # Good curves leave the corner at 0 free, others that at 1.
    is_good = float(np.nan_to_num(areas).mean()) > _GOOD if areas else True
    _finish(_PRECISION_RECALL, ax, legend, loc=None if is_good else "upper right")


def det(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    chance: bool = True,
    decision: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """Detection error tradeoff: misses by false alarms, on normal-deviate axes.

    Where scores of both sides are normal, the curve is a straight line. Shares of 0 and 1 lie
    infinitely far away: a curve leaves the picture towards them.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = ["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.det(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_ydata().tolist()
        [1.0, 0.5, 0.5, 0.0, 0.0]
    """
    shown = _draw(_DET, reports, ax, classes, decision, line)
    ax.set(xlabel=_DET.x, ylabel=_DET.y)
    drawn = [_DET.path(one.report, one.place) for one in [*shown.series, *shown.others]]
    deviate_axes(ax, drawn)
    if chance:
        ax.plot(
            _GRID,
            1 - _GRID,
            color=MUTED,
            linestyle=":",
            linewidth=1,
            label="chance",
            zorder=1,
            scalex=False,
            scaley=False,
        )
    _finish(_DET, ax, legend)


def gain(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    chance: bool = True,
    decision: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """Cumulative gain: share of a class that is found by the share of rows looked at, best first.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = ["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.gain(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    _draw(_GAIN, reports, ax, classes, decision, line)
    unit_axes(ax, x=_GAIN.x, y=_GAIN.y)
    if chance:
        ax.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1, label="chance", zorder=1)
    _finish(_GAIN, ax, legend)


def lift(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    chance: bool = True,
    decision: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """Lift: how many times more of a class the best rows hold than a random choice would.

    Between the points of a curve rows count in proportion, as `karat.lift_at` counts them.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = ["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.lift(y_true, y_prob=p, ax=Figure().subplots())
        >>> float(ax.lines[0].get_ydata()[0]), float(ax.lines[0].get_ydata()[-1])
        (2.0, 1.0)
    """
    _draw(_LIFT, reports, ax, classes, decision, line)
    unit_axes(ax, x=_LIFT.x, y=_LIFT.y, is_vertical=False)
    if chance:
        ax.axhline(1, color=MUTED, linestyle=":", linewidth=1, label="chance", zorder=1)
    ax.set_ylim(bottom=0)
    _finish(_LIFT, ax, legend)


def _draw(
    kind: Kind, reports: Reports, ax: Axes, classes: Any, decision: bool, line: dict[str, Any]
) -> Shown:
    """Every curve, with its area in the legend, and where the predictions stand on it."""
    shown = series_of(reports, classes, _badness)
    _others(kind, ax, shown)
    for one in shown.series:
        curve = kind.of(one.report, one.place)
        told = curve.undefined or area_of_class(kind.area, one)
        look: dict[str, Any] = {"color": one.style.color, "linestyle": one.style.linestyle}
        if kind is _PRECISION_RECALL and _is_whole(curve):
            look["drawstyle"] = "steps-pre"
        # On its edge, half a line would be cut off; normal deviates have no edge.
        is_cut = kind is _DET
        look |= {"label": f"{one.name}  {told}".strip(), "clip_on": is_cut, "linewidth": 1.6}
        ax.plot(*kind.path(one.report, one.place), **(look | line))
    if decision:
        _decisions(kind, ax, shown.series)
    return shown


def _is_whole(curve: Any) -> bool:
    return len(curve) == int(curve.n_full)


def _bent(gain: Gain) -> tuple[Any, Any]:
    """Lift through the points of a gain curve, which is straight between them: lift is not."""
    share, found = gain.share, gain.gain
    between = np.concatenate([share, np.geomspace(max(share[1], 1e-9), 1.0, 201)])
    x = np.unique(between[between > 0])
    y = np.interp(x, share, found) / x
    return np.insert(x, 0, 0.0), np.insert(y, 0, y[0])


def _badness(report: Report, place: int) -> float:
    """A class is the worse, the smaller the area under its ROC curve."""
    return -float(report.curves.roc[report.labels[place]].area)


def _others(kind: Kind, ax: Axes, shown: Shown) -> None:
    """Classes without a name of their own: one faint line for all, and their mean with it."""
    if not shown.others:
        return
    reports = {id(one.report): one.report for one in shown.series}
    curves = [kind.of(one.report, one.place) for one in shown.others]
    is_defined = [not curve.undefined for curve in curves]
    parts = [
        kind.path(one.report, one.place)
        for one, good in zip(shown.others, is_defined, strict=True)
        if good
    ]
    if parts:
        gap = [np.nan]
        x = np.concatenate([np.append(part, gap) for part, _ in parts])
        y = np.concatenate([np.append(part, gap) for _, part in parts])
        n = f"{count(len(parts))} other classes" + (", over all models" if len(reports) > 1 else "")
        ax.plot(x, y, color=faint(ax), linewidth=0.6, zorder=1, label=n)
    n_undefined = len(curves) - len(parts)
    if n_undefined:
        reason = next(curve.undefined for curve in curves if curve.undefined)
        label = f"{count(n_undefined)} classes undefined: {reason}"
        ax.plot([], [], linestyle="none", label=label)
    if len(reports) == 1:
        _mean(kind, ax, next(iter(reports.values())))


def _mean(kind: Kind, ax: Axes, report: Report) -> None:
    """The mean of the curves of all classes, at each place of the horizontal axis."""
    places = [i for i in range(report.classes.k) if not kind.of(report, i).undefined]
    if not places:
        return
    mean = np.mean([_heights(kind, report, i) for i in places], axis=0)
    told = area_of_mean(kind.area, report)
    label = f"mean of {count(len(places))} classes  {told}".strip()
    ax.plot(_GRID, mean, color=ink(), linewidth=2.2, label=label, zorder=2.5)


def _heights(kind: Kind, report: Report, place: int) -> Any:
    """How high a curve is at each place of the horizontal axis, as it is drawn."""
    x, y = kind.path(report, place)
    if kind is _PRECISION_RECALL and _is_whole(kind.of(report, place)):
        return y[np.searchsorted(x, _GRID).clip(0, len(x) - 1)]
    return np.interp(_GRID, x, y)


def _decisions(kind: Kind, ax: Axes, series: Sequence[Series]) -> None:
    """Where the predictions stand: the point of each class that they reach."""
    thresholds = {one.report.threshold for one in series}
    (threshold,) = thresholds if len(thresholds) == 1 else (None,)
    label = "as predicted" + ("" if threshold is None else f" (threshold {threshold:g})")
    for one, (x, y) in _points(kind, series):
        # One entry of the legend speaks for all.
        ax.plot(
            [x],
            [y],
            color=one.style.color,
            marker=one.style.marker,
            markersize=5,
            markeredgecolor=ax.get_facecolor(),
            markeredgewidth=0.6,
            linestyle="none",
            clip_on=kind is _DET,
            zorder=3,
            label=f"_{label}",
        )
    if series:
        ax.plot([], [], color=MUTED, marker="o", markersize=5, linestyle="none", label=label)


def _points(kind: Kind, series: Sequence[Series]) -> Iterator[tuple[Series, tuple[float, float]]]:
    for one in series:
        fields = one.report.cells.fields
        tp, fp = (np.array([getattr(fields, name)[one.place]]) for name in ("tp", "fp"))
        curve = kind.of(one.report, one.place)
        x, y = kind.curve.plane(tp, fp, curve.n_pos, curve.n_neg)
        if not curve.undefined and math.isfinite(x[0]) and math.isfinite(y[0]):
            yield one, (float(x[0]), float(y[0]))


def _prevalences(ax: Axes, shown: Shown) -> None:
    """Chance of a class is its share of the rows: one line for each share."""
    curves = [_PRECISION_RECALL.of(one.report, one.place) for one in shown.series]
    rates = {curve.n_pos / (curve.n_pos + curve.n_neg) for curve in curves if not curve.undefined}
    for i, rate in enumerate(sorted(rates)):
        label = f"chance ({share(rate, 1)})" if len(rates) == 1 else "chance: share of the class"
        ax.axhline(
            rate, color=MUTED, linestyle=":", linewidth=1, zorder=1, label="_" * bool(i) + label
        )


def _finish(kind: Kind, ax: Axes, legend: bool, loc: str | None = None) -> None:
    if legend:
        add_legend(ax, loc=loc or kind.loc, title=None if kind.area is None else kind.area.title)
