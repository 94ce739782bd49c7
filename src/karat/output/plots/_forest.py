"""Forest plots: metrics with their intervals, classes, and differences of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from karat.errors import KaratError, error, shown
from karat.errors.text import count, value
from karat.inference.comparison.records import Difference
from karat.metrics import get
from karat.output.describe import listed_names
from karat.output.plots._axes import (
    COMPARED_WITH,
    MUTED,
    PALETTE,
    add_grid,
    add_heading,
    add_legend,
    names_on_plots,
    style,
    without_tex,
)
from karat.output.plots._series import (
    Reports,
    Shown,
    headed,
    names_in,
    requested_metrics,
    series_of,
)
from karat.output.sections import slice_metric
from karat.results.comparison import Comparison
from karat.results.slices import SliceTable
from karat.results.values import PER_CLASS, PER_CLASS_OF_SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import ClassReport

_MOST_ROWS: Final = 40
"""More rows than this cannot be read."""
_MARK: Final[dict[str, Any]] = {"linestyle": "none", "markersize": 5}


class Row(NamedTuple):
    """One point of a forest plot: NaN where there is no value, with the reason."""

    value: float
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def _draw_rows(
    ax: Axes, rows: Sequence[Row], places: Sequence[float], look: dict[str, Any]
) -> list[tuple[float, str]]:
    """Draw points with their intervals; hollow ones where no interval is known.

    Returns:
        The place of each row without a point, and why.
    """
    whole, bare, missing = [], [], []
    for row, place in zip(rows, places, strict=True):
        if not math.isfinite(row.value):
            missing.append((place, row.reason or "no value"))
        elif row.low is None or row.high is None:
            bare.append((row, place))
        else:
            whole.append((row, place))
    x, low, high = (np.array([row[i] for row, _ in whole]) for i in range(3))
    # A limit on the other side of the value, as rounding may leave it, is no distance.
    reach = np.maximum([x - low, high - x], 0.0)
    y = [place for _, place in whole]
    ax.errorbar(x, y, xerr=reach, **(_MARK | {"elinewidth": 1.4, "capsize": 0} | look))
    if bare:
        hollow: dict[str, Any] = {x: look[x] for x in ("color", "marker") if x in look}
        hollow |= {"fillstyle": "none", "label": None if whole else look.get("label")}
        values = [row.value for row, _ in bare]
        ax.plot(values, [place for _, place in bare], **_MARK, **hollow)
    return missing


def _finish(ax: Axes, names: Sequence[str], missing: Sequence[tuple[float, str]]) -> None:
    """The names of the rows, the first on top, and why a row has no point."""
    size = "medium" if len(names) <= 12 else "small" if len(names) <= 24 else "x-small"
    ax.set_yticks(range(len(names)), names, fontsize=size)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    # Limits of intervals have many digits.
    ax.locator_params(axis="x", nbins=5)
    without_tex(ax.get_yticklabels())
    look: dict[str, Any] = {"va": "center", "ha": "left", "color": MUTED, "fontsize": "x-small"}
    for place, reason in missing:
        across = ax.get_yaxis_transform()
        ax.text(0.01, place, reason, transform=across, clip_on=True, **look)
    add_grid(ax, "x")


def _legend(ax: Axes, n_rows: int, title: str | None = None) -> None:
    """A legend below the rows, which make room for it."""
    handles, _ = ax.get_legend_handles_labels()
    figure = ax.get_figure(root=True)
    if not handles or figure is None:
        return
    columns = min(3, len(handles))
    n_lines = -(-len(handles) // columns) + (title is not None)
    needed = 13.0 * n_lines + 12.0
    height = 0.85 * ax.get_window_extent().height * 72 / figure.dpi
    room = n_rows * needed / max(height - needed, needed)
    ax.set_ylim(n_rows - 0.5 + max(room, 0.1), -0.6)
    add_legend(ax, loc="lower left", title=title, columns=columns)


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
    heading: bool = True,
    legend: bool = True,
    **errorbar: Any,
) -> None:
    """Metrics with their intervals, one row each; or one metric of each class.

    By default, the metrics at the top of a printed report whose range is within −1 to 1.
    One metric of the table of classes, for example ``"recall"``, has a row for each class if there
    are more than two or with `classes`, and a line at its mean. Of more than 40 classes, the lowest
    have rows and all others are points in one row.
    Of the slices by one column, ``report.slices["country"]``, one metric has a row for each slice,
    and a line at the value of all rows.
    A hollow point has no interval; an undefined metric has the reason in its row.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]])
        >>> ax = karat.plot.intervals(report, metrics=["f1", "mcc"], ax=Figure().subplots())
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['f1', 'matthews_correlation']
    """
    drawn: Any = next(iter(reports.values()))
    if isinstance(drawn, SliceTable):
        _intervals_of_slices(drawn, ax, metrics, classes, heading=heading, **errorbar)
        return
    metric = _metric_of_classes(reports, metrics, classes)
    missing: list[tuple[float, str]] = []
    n, picked = len(reports), Shown([], [])
    if metric is None:
        metrics = _chosen(reports, metrics)
        names = metrics[:_MOST_ROWS]
        if len(metrics) > len(names):
            ax.set_ylabel(f"the first {len(names)} of {len(metrics)} metrics")
    else:
        # The first report says which classes there are to see, and which are the lowest.
        first = dict(list(reports.items())[:1])
        most, badness = _MOST_ROWS, partial(_badness, metric)
        picked = series_of(first, classes, badness, has_positive=False, most=most, n_worst=most)
        names = [one.name for one in picked.series]
    texts = names_on_plots(names_in(reports))
    models = [texts[name] for name in reports] if n > 1 else [""]
    for at, (report, model) in enumerate(zip(reports.values(), models, strict=True)):
        if metric is None:
            found = [report[name] for name in names]
            rows = [Row(one.value, one.low, one.high, one.undefined) for one in found]
        else:
            table = dict(zip(report.labels, report.per_class, strict=True))
            rows = [_row_of_class(table.get(one.label, {}), metric) for one in picked.series]
        # What several reports share of a row, from above its middle to below.
        offset = 0.0 if n == 1 else _HEIGHT * (at / (n - 1) - 0.5)
        look: dict[str, Any] = {"color": style(at).color, "marker": style(at).marker}
        look |= {"label": model if n > 1 else None}
        missing += _draw_rows(ax, rows, [i + offset for i in range(len(rows))], look | errorbar)
        if metric is not None:
            _mean(ax, report, metric, style(at).color, model)
    if metric is not None and picked.others:
        values = [one.row.get(metric) for one in picked.others]
        x = [found for found in values if found is not None]
        y = [len(names)] * len(x)
        ax.plot(x, y, linestyle="none", marker="|", color=MUTED, alpha=0.5)
        names = [*names, f"{count(len(picked.others))} others"]
    _finish(ax, names, missing)
    levels = {report.confidence.text for report in reports.values() if report.confidence}
    share = f" ({levels.pop()} interval)" if len(levels) == 1 else ""
    ax.set_xlabel(f"{metric or 'value'}{share}")
    if heading:
        n_classes = len(picked.series) + len(picked.others)
        of = "metrics" if metric is None else f"{metric} of {count(n_classes)} classes"
        level = "" if not share else " with intervals" if metric else " with their intervals"
        add_heading(ax, headed(f"{of}{level}"[:1].upper() + f"{of}{level}"[1:], reports))
    if legend and (n > 1 or metric):
        _legend(ax, len(names))


def _intervals_of_slices(
    table: Any, ax: Axes, metrics: Any, classes: Any, *, heading: bool, **errorbar: Any
) -> None:
    """One metric of each slice by one column; a line stands at the value of all rows.

    Errors:
        K301 no such metric; K702 several metrics, or classes.
    """
    wanted = [slice_metric(table.whole)] if metrics is None else metrics
    names = [str(get(name)) for name in requested_metrics("intervals", wanted)]
    if len(names) > 1 or classes is not None:
        found = "classes= goes with a report" if classes is not None else "Slices have one metric"
        do = f"Name one metric of slices: metrics={names[0]!r}."
        raise error("K702", name="intervals", found=found, do=do)
    (metric,) = names
    texts = names_on_plots(table.names)
    parts = [part[metric] for part in table.values()]
    shown_parts = parts[:_MOST_ROWS]
    rows = [Row(one.value, one.low, one.high, one.undefined) for one in shown_parts]
    look: dict[str, Any] = {"color": style(0).color, "marker": style(0).marker}
    missing = _draw_rows(ax, rows, range(len(rows)), look | errorbar)
    whole = table.whole[metric]
    if math.isfinite(whole.value):
        ax.axvline(whole.value, label=f"all rows {value(whole.value)}", **COMPARED_WITH)
    _finish(ax, [texts[name] for name in table.names[:_MOST_ROWS]], missing)
    level = "" if whole.level is None else f" ({100 * whole.level:g} % interval)"
    ax.set_xlabel(f"{metric}{level}")
    if len(parts) > len(rows):
        ax.set_ylabel(f"the first {len(rows)} of {len(parts)} slices")
    if heading:
        n_rows = f"{count(table.whole.n_rows)} rows"
        add_heading(ax, [f"{metric} by {' × '.join(table.columns)}", n_rows])


def _badness(metric: str, report: ClassReport, place: int) -> float:
    found = report.per_class[place].get(metric)
    return math.nan if found is None else -float(found)


def _metric_of_classes(reports: Reports, metrics: Any, classes: Any) -> str | None:
    """The one metric that is drawn over classes, or None.

    Errors:
        K301 no such metric; K702 the table of classes does not hold it.
    """
    names = [] if metrics is None else requested_metrics("intervals", metrics)
    found = "classes= goes with one metric"
    if len(names) == 1:
        name = str(get(names[0]))
        has_many = any(report.classes.positive is None for report in reports.values())
        if name in _OF_CLASSES and (has_many or classes is not None):
            return name
        found = f"{name} is not kept of each class"
    if classes is not None:
        do = f"Name one of {shown(_OF_CLASSES, 20)}."
        raise error("K702", name="intervals", found=found, do=do)
    return None


def _chosen(reports: Reports, metrics: Any) -> list[str]:
    """Canonical names of what is drawn.

    Errors:
        K301 no such metric; K307 a plain name of more than two classes.
    """
    if metrics is not None:
        given = requested_metrics("intervals", metrics)
        for report in reports.values():
            for name in given:
                report[name]  # what a report does not have is an error
        return [str(get(name)) for name in given]
    first = next(iter(reports.values()))
    if first.requested is not None:
        return list(first.metrics)
    # Those that open a report, and are high where they are good.
    return [
        name
        for name in listed_names(first)
        if all(name in report for report in reports.values())
        and get(name).record.range in _RANGES
        and get(name).record.better == "higher"
    ]


def _row_of_class(row: dict[str, Any], metric: str) -> Row:
    if metric not in row:
        return Row(math.nan, reason="not in this report")
    reason = row["undefined"].get(metric)
    low, high = row["intervals"].get(metric, (None, None))
    found = row[metric]
    is_missing = found is None or reason is not None
    text = None if reason is None else f"undefined: {reason}"
    return Row(math.nan if is_missing else float(found), low, high, text)


def _mean(ax: Axes, report: ClassReport, metric: str, color: str, model: str) -> None:
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


_LOOKS: Final = {
    "better": (PALETTE["series-1"], "^"),
    "worse": (PALETTE["series-2"], "v"),
    "equivalent": (PALETTE["series-3"], "s"),
    "higher": (PALETTE["series-4"], ">"),
    "lower": (PALETTE["series-4"], "<"),
    "identical": (PALETTE["series-3"], "D"),
    "inconclusive": (MUTED, "o"),
    "not tested": (MUTED, "x"),
}
"""Colour and marker of each verdict."""


def compare(
    comparison: Comparison,
    ax: Axes,
    *,
    metrics: Any = None,
    heading: bool = True,
    legend: bool = True,
    **errorbar: Any,
) -> None:
    """Differences of models in each metric with their intervals, one row each.

    Marker and color show the verdict: whether the first model of a row is better than the second.
    Dotted lines stand at the margin, where all metrics have one.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, old, new = [0, 1, 1, 0] * 9, [0, 1, 0, 1] * 9, [0, 1, 1, 1] * 9
        >>> compared = karat.compare(y_true, {"old": old, "new": new}, metrics=["accuracy"])
        >>> ax = karat.plot.compare(compared, ax=Figure().subplots())
        >>> ax.get_xlabel()
        'new − old (95 % interval)'
    """
    chosen = _chosen_differences(comparison, metrics)
    rows = chosen[:_MOST_ROWS]
    models = names_on_plots(comparison.models)
    pairs = {(one.a, one.b): f"{models[one.a]} − {models[one.b]}" for one in chosen}
    names = [
        one.metric if len(pairs) == 1 else f"{one.metric}  {pairs[one.a, one.b]}" for one in rows
    ]
    missing: list[tuple[float, str]] = []
    for verdict, (color, marker) in _LOOKS.items():
        places = [place for place, one in enumerate(rows) if one.verdict == verdict]
        if places:
            look = {"color": color, "marker": marker, "label": verdict}
            points = [_row_of_difference(rows[place]) for place in places]
            missing += _draw_rows(ax, points, places, look | errorbar)
    ax.axvline(0, color=MUTED, linewidth=1, zorder=1)
    margins = {one.margin for one in rows}
    if len(margins) == 1 and (margin := margins.pop()):
        for mark, at in (("", -margin), ("_", margin)):
            ax.axvline(at, label=f"{mark}margin {margin:g}", **COMPARED_WITH)
    _finish(ax, names, sorted(missing))
    what = next(iter(pairs.values())) if len(pairs) == 1 else "difference"
    ax.set_xlabel(f"{what} ({comparison.shown_level} interval)")
    if len(chosen) > len(rows):
        ax.set_ylabel(f"the first {len(rows)} of {len(chosen)} differences")
    if heading:
        of = what if len(pairs) == 1 else f"of {count(len(comparison.models))} models"
        n_rows = {f"{count(n)} rows" for n in comparison.n.values()}
        add_heading(ax, [f"Difference {of}", n_rows.pop() if len(n_rows) == 1 else ""])
    if legend and rows:
        first = "the first model is" if len(pairs) > 1 else f"{models[rows[0].a]} is"
        _legend(ax, len(rows), title=first)


def _row_of_difference(one: Difference) -> Row:
    reason = f"not known: {one.remark or 'a value is undefined'}"
    return Row(one.difference, one.low, one.high, reason)


def _chosen_differences(comparison: Comparison, metrics: Any) -> list[Difference]:
    """The differences in the metrics asked for, in their order.

    Errors:
        K301 no such metric; K168 it was not compared; K702 none is named.
    """
    if metrics is None:
        return list(comparison.differences)
    names = [str(get(name)) for name in requested_metrics("compare", metrics)]
    for name in names:
        if name not in comparison.metrics:
            raise error("K168", what=name, known=shown(comparison.metrics))
    return [one for name in names for one in comparison.differences if one.metric == name]
