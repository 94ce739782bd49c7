"""Curves that a falling threshold traces: ROC, precision-recall, DET, gain and lift."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from karat.curves._curve import WithBand
from karat.curves._traced import Det, Gain, Lift, PrecisionRecall, Roc, Traced
from karat.errors import KaratError
from karat.errors.text import count, interval, share, value
from karat.output.plots._axes import (
    COMPARED_WITH,
    MUTED,
    add_heading,
    add_legend,
    deviate_axes,
    draw_others,
    ink,
    unit_axes,
)
from karat.output.plots._panels import Panel, in_panels
from karat.output.plots._series import (
    Reports,
    Series,
    Shown,
    area_badness,
    class_of,
    draw_bands,
    headed,
    series_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import ClassReport

_GOOD: Final = 0.6
"""An average precision above which curves run along the top."""
_GRID: Final = np.linspace(0.0, 1.0, 201)


class Area(NamedTuple):
    """Metrics of one class and of all that a legend shows, and the title of the legend."""

    metric: str = ""
    mean: str = ""
    title: str = ""


class Kind(NamedTuple):
    """How curves of a kind are drawn.

    Attributes:
        curve: the kind.
        title: what one curve is called.
        x, y: what the axes are called.
        loc: where the legend stands: where good curves do not go.
        area: what the legend shows of each curve.
    """

    curve: type[Traced]
    title: str
    x: str
    y: str
    loc: str
    area: Area = Area()

    def heading(self, shown: Shown, reports: Reports) -> str:
        """What the picture is called."""
        is_one = len(shown.series) + len(shown.others) == 1
        return f"{self.title if is_one else self.many} of {class_of(shown, reports)}"

    @property
    def many(self) -> str:
        """What several curves are called."""
        return f"{self.title}{'s' * self.title.endswith('curve')}"

    def of(self, report: ClassReport, place: int) -> Any:
        """The curve of a class."""
        return getattr(report.curves, self.curve.name)[report.labels[place]]

    def is_stepped(self, curve: Any) -> bool:
        """Whether a curve goes in steps: precision-recall, where every point of it is kept."""
        return self.curve is PrecisionRecall and len(curve) == int(curve.n_full)

    def path(self, report: ClassReport, place: int) -> tuple[Any, Any]:
        """What is drawn of a curve: its points, and what lies between them if no straight line."""
        curve = self.of(report, place)
        x, y = (getattr(curve, name) for name in self.curve.axes)
        if self.curve is PrecisionRecall and not self.is_stepped(curve):
            # The best score is always kept: all rows that have it are found at once.
            return np.insert(x, 1, x[0]), np.insert(y, 1, y[1])
        if self.curve is Lift and not curve.undefined:
            return _bent(report.curves.gain[curve.label])
        return x, y


def _lines(kind: Kind, ax: Axes, shown: Shown, line: Mapping[str, Any], mean: bool | None) -> None:
    """One line for each curve, as matplotlib's arguments say, and that of their mean if wanted."""
    _others(kind, ax, shown)
    reports = {id(one.report): one.report for one in shown.series}
    if (bool(shown.others) if mean is None else mean) and len(reports) == 1:
        _mean(kind, ax, next(iter(reports.values())))
    for one in shown.series:
        curve = kind.of(one.report, one.place)
        area = curve.undefined or _area_of_class(kind, one)
        look: dict[str, Any] = {"color": one.style.color, "linestyle": one.style.linestyle}
        if kind.is_stepped(curve):
            look["drawstyle"] = "steps-pre"
        # On its edge, half a line would be cut off; normal deviates have no edge.
        look |= {"label": f"{one.name}  {area}".strip(), "clip_on": kind.curve is Det}
        ax.plot(*kind.path(one.report, one.place), **(look | {"linewidth": 1.6} | dict(line)))


def _picture(kind: Kind) -> Callable[[Callable[[Axes, Shown, bool], str | None]], Any]:
    """Make the function of a picture from one that draws its axes, and chance if wanted.

    That one may return another place for the legend; it gives the name and the docstring.
    """

    def decorate(finish: Callable[[Axes, Shown, bool], str | None]) -> Any:
        def body(
            reports: Reports,
            ax: Axes,
            *,
            classes: Any = None,
            mean: bool | None = None,
            chance: bool = True,
            decision: bool = True,
            heading: bool = True,
            legend: bool = True,
            **line: Any,
        ) -> None:
            shown = series_of(reports, classes, area_badness)
            _lines(kind, ax, shown, line, mean)
            if heading:
                add_heading(ax, headed(kind.heading(shown, reports), reports))
            _ends(ax, shown, chance=chance, decision=decision, legend=legend)

        def with_band(
            reports: Reports,
            ax: Axes,
            *,
            classes: Any = None,
            band: bool | None = None,
            mean: bool | None = None,
            chance: bool = True,
            decision: bool = True,
            heading: bool = True,
            legend: bool = True,
            **line: Any,
        ) -> None:
            shown = series_of(reports, classes, area_badness)
            _lines(kind, ax, shown, line, mean)
            draw_bands(ax, shown, kind.of, band)
            if heading:
                add_heading(ax, headed(kind.heading(shown, reports), reports))
            _ends(ax, shown, chance=chance, decision=decision, legend=legend)

        def _ends(ax: Axes, shown: Shown, *, chance: bool, decision: bool, legend: bool) -> None:
            if decision:
                _decisions(kind, ax, shown.series)
            loc = finish(ax, shown, chance)
            if legend:
                add_legend(ax, loc=loc or kind.loc, title=_legend_title(kind, shown))

        made = with_band if issubclass(kind.curve, WithBand) else body
        for name in ("__name__", "__qualname__", "__doc__"):
            setattr(made, name, getattr(finish, name))
        short = {"roc_auc": "AUC", "average_precision": "AP"}.get(kind.area.metric)
        area = (short, kind.area.metric) if short else None
        return in_panels(Panel(kind.many, area))(made)

    return decorate


def _legend_title(kind: Kind, shown: Shown) -> str | None:
    """What the numbers of the legend are."""
    asked = {one.report.confidence for one in shown.series}
    level = asked.pop() if len(asked) == 1 else None
    interval = f" [{level.text} interval]" if level else ""
    return f"{kind.area.title}{interval}" if kind.area.title else None


_ROC = Kind(
    Roc,
    "ROC curve",
    "false positive rate",
    "true positive rate",
    "lower right",
    Area("roc_auc", "roc_auc_ovr_macro", "area under the curve"),
)
_PRECISION_RECALL = Kind(
    PrecisionRecall,
    "Precision-recall curve",
    "recall",
    "precision",
    "lower left",
    Area("average_precision", "mean_average_precision", "average precision"),
)
_DET = Kind(
    Det, "Detection error tradeoff", "false positive rate", "false negative rate", "upper right"
)
_GAIN = Kind(
    Gain,
    "Cumulative gain",
    "proportion of rows, best first",
    "proportion of the class found",
    "lower right",
)
_LIFT = Kind(Lift, "Lift", "proportion of rows, best first", "lift", "upper right")


@_picture(_ROC)
def roc(ax: Axes, _: Shown, chance: bool) -> None:
    """ROC curves: true positive rate against false positive rate.

    The legend shows the area under each whole curve with its interval; the diagonal is chance.
    `band` shades limits that contain the whole curve of the population at the stated level.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.roc(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_ydata().tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    unit_axes(ax, x=_ROC.x, y=_ROC.y)
    if chance:
        ax.plot([0, 1], [0, 1], label="chance", **COMPARED_WITH)


@_picture(_PRECISION_RECALL)
def precision_recall(ax: Axes, shown: Shown, chance: bool) -> str | None:
    """Precision-recall curves: precision against recall over all thresholds.

    The legend shows the average precision of each whole curve with its interval. Chance is the
    proportion of the class. A curve is a step function where every point of it is kept. Otherwise
    it is linear between points, within `error` of the whole curve. `band` shades limits
    that contain the whole curve of the population at the stated level.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.precision_recall(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_ydata().round(2).tolist()
        [1.0, 1.0, 0.5, 0.67, 0.5]
    """
    unit_axes(ax, x=_PRECISION_RECALL.x, y=_PRECISION_RECALL.y)
    curves = [_PRECISION_RECALL.of(one.report, one.place) for one in shown.series]
    if chance:
        # One line for each share of a class among the rows.
        rates = {one.n_pos / (one.n_pos + one.n_neg) for one in curves if not one.undefined}
        for i, rate in enumerate(sorted(rates)):
            told = f" ({share(rate, 1)})" if len(rates) == 1 else ": proportion of the class"
            ax.axhline(rate, label=f"{'_' * bool(i)}chance{told}", **COMPARED_WITH)
    areas = [curve.average_precision for curve in curves]
    # Good curves leave the corner at 0 free, others that at 1.
    is_good = float(np.nan_to_num(areas).mean()) > _GOOD if areas else True
    return None if is_good else "upper right"


@_picture(_DET)
def det(ax: Axes, shown: Shown, chance: bool) -> None:
    """Detection error tradeoff: misses against false alarms, on normal-deviate axes.

    If the scores of both sides are normal, the curve is a straight line. Rates of 0 and 1 lie at
    infinity: a curve leaves the picture toward them.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.det(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_ydata().tolist()
        [1.0, 0.5, 0.5, 0.0, 0.0]
    """
    ax.set(xlabel=_DET.x, ylabel=_DET.y)
    deviate_axes(ax, [_DET.path(one.report, one.place) for one in [*shown.series, *shown.others]])
    if chance:
        look = COMPARED_WITH | {"label": "chance", "scalex": False, "scaley": False}
        ax.plot(_GRID, 1 - _GRID, **look)


@_picture(_GAIN)
def gain(ax: Axes, _: Shown, chance: bool) -> None:
    """Cumulative gain: proportion of a class found by proportion of rows, best first.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.gain(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    unit_axes(ax, x=_GAIN.x, y=_GAIN.y)
    if chance:
        ax.plot([0, 1], [0, 1], label="chance", **COMPARED_WITH)


@_picture(_LIFT)
def lift(ax: Axes, _: Shown, chance: bool) -> None:
    """Lift: ratio of the proportion of a class in the best rows to that in all rows.

    Between the points of a curve rows count in proportion, as `karat.lift_at` counts them.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.lift(y_true, y_prob=p, ax=Figure().subplots())
        >>> float(ax.lines[0].get_ydata()[0]), float(ax.lines[0].get_ydata()[-1])
        (2.0, 1.0)
    """
    unit_axes(ax, x=_LIFT.x, y=_LIFT.y, is_vertical=False)
    if chance:
        ax.axhline(1, label="chance", **COMPARED_WITH)
    ax.set_ylim(bottom=0)


def _area_of_class(kind: Kind, one: Series) -> str:
    """``0.9881 [0.9803, 0.9942]`` of a class; nothing where the report holds no such value."""
    found = one.row.get(kind.area.metric)
    if found is None:
        return ""
    low, high = one.row["intervals"].get(kind.area.metric, (None, None))
    return _told(found, low, high, exact=kind.area.metric not in one.row.get("bounds", {}))


def _told(number: float, low: float | None, high: float | None, *, exact: bool) -> str:
    """A value with its interval; a wave where it is not exact."""
    return f"{'' if exact else '≈ '}{value(number)} {interval(low, high)}".rstrip()


def _bent(gain: Gain) -> tuple[Any, Any]:
    """Lift through the points of a gain curve, which is straight between them: lift is not."""
    share, found = gain.share, gain.gain
    between = np.concatenate([share, np.geomspace(max(share[1], 1e-9), 1.0, 201)])
    x = np.unique(between[between > 0])
    y = np.interp(x, share, found) / x
    return np.insert(x, 0, 0.0), np.insert(y, 0, y[0])


def _others(kind: Kind, ax: Axes, shown: Shown) -> None:
    """Classes without a name of their own: one faint line for all, and their mean with it."""
    if not shown.others:
        return
    reports = {id(one.report): one.report for one in shown.series}
    parts = [
        kind.path(one.report, one.place)
        for one in shown.others
        if not kind.of(one.report, one.place).undefined
    ]
    if parts:
        n = f"{count(len(parts))} other classes" + (", over all models" if len(reports) > 1 else "")
        draw_others(ax, parts, n)
    if n_undefined := len(shown.others) - len(parts):
        reasons = (kind.of(one.report, one.place).undefined for one in shown.others)
        reason = next(filter(None, reasons))
        label = f"{count(n_undefined)} classes undefined: {reason}"
        ax.plot([], [], linestyle="none", label=label)


def _mean(kind: Kind, ax: Axes, report: ClassReport) -> None:
    """The mean of the curves of all classes, at each place of the horizontal axis."""
    heights = []
    for place in range(report.classes.k):
        curve, (x, y) = kind.of(report, place), kind.path(report, place)
        if curve.undefined:
            continue
        if kind.is_stepped(curve):
            heights.append(y[np.searchsorted(x, _GRID).clip(0, len(x) - 1)])
        else:
            heights.append(np.interp(_GRID, x, y))
    if heights:
        told = ""
        with suppress(KaratError):
            area = report[kind.area.mean]
            told = _told(area.value, area.low, area.high, exact=area.exact)
        label = f"mean of {count(len(heights))} classes  {told}".strip()
        mean = np.mean(heights, axis=0)
        ax.plot(_GRID, mean, color=ink(), linewidth=2.2, label=label, zorder=2.5)


def _decisions(kind: Kind, ax: Axes, series: Sequence[Series]) -> None:
    """Where the predictions stand: the point of each class that they reach."""
    thresholds = {one.report.threshold for one in series}
    (threshold,) = thresholds if len(thresholds) == 1 else (None,)
    label = "as predicted" + ("" if threshold is None else f" (threshold {threshold:g})")
    dot: dict[str, Any] = {"markersize": 5, "linestyle": "none"}
    for one in series:
        fields = one.report.fields
        tp, fp = (np.array([getattr(fields, name)[one.place]]) for name in ("tp", "fp"))
        curve = kind.of(one.report, one.place)
        x, y = kind.curve.plane(tp, fp, curve.n_pos, curve.n_neg)
        if not curve.undefined and math.isfinite(x[0]) and math.isfinite(y[0]):
            look = {"color": one.style.color, "marker": one.style.marker, "zorder": 3}
            look |= {"markeredgecolor": ax.get_facecolor(), "markeredgewidth": 0.6}
            # One entry of the legend speaks for all.
            look |= {"clip_on": kind.curve is Det, "label": f"_{label}"}
            ax.plot([float(x[0])], [float(y[0])], **(dot | look))
    if series:
        ax.plot([], [], color=MUTED, marker="o", label=label, **dot)
