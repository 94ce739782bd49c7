"""Forest plots: metrics with their intervals, classes, and differences of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import KaratError, error, shown
from karat.errors.text import count, value
from karat.inference.comparison.records import Difference
from karat.metrics import Metric, get
from karat.output.describe import is_headline
from karat.output.plots._axes import (
    MUTED,
    PALETTE,
    add_legend,
    faint,
    names_on_plots,
    style,
    without_tex,
)
from karat.output.plots._series import Reports, requested_metrics, series_of
from karat.results.comparison import Comparison
from karat.results.values import PER_CLASS, PER_CLASS_OF_SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import Report
    from karat.results.result import Result

__all__ = [
    "MOST_ROWS",
    "Row",
    "add_row_legend",
    "compare",
    "draw_rows",
    "intervals",
    "name_rows",
    "tell_missing",
]

MOST_ROWS: Final = 40
"""More rows than this cannot be read."""


@dataclass(frozen=True, slots=True)
class Row:
    """One point of a forest plot.

    Attributes:
        value: the number; NaN where there is none.
        low, high: limits, or None.
        reason: why there is no value.
    """

    value: float
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def has_value(self) -> bool:
        """Whether there is a point to draw."""
        return math.isfinite(self.value)


def draw_rows(ax: Axes, rows: Sequence[Row], places: Sequence[float], look: dict[str, Any]) -> None:
    """Points with their intervals; hollow ones where no interval is known.

    Args:
        ax: the axes.
        rows: what to draw.
        places: the height of each.
        look: colour, marker, label and whatever else `Axes.errorbar` takes.
    """
    drawn = [(row, place) for row, place in zip(rows, places, strict=True) if row.has_value]
    whole = [pair for pair in drawn if pair[0].low is not None and pair[0].high is not None]
    bare = [pair for pair in drawn if pair not in whole]
    kinds: dict[str, Any] = {
        "linestyle": "none",
        "markersize": 5,
        "elinewidth": 1.4,
        "capsize": 0,
    } | look
    x = np.array([row.value for row, _ in whole])
    y = [place for _, place in whole]
    # A limit on the other side of the value, as rounding may leave it, is no distance.
    low, high = (np.array([getattr(row, end) for row, _ in whole]) for end in ("low", "high"))
    reach = np.maximum([x - low, high - x], 0.0)
    ax.errorbar(x, y, xerr=reach, **kinds)
    if bare:
        hollow = {name: look[name] for name in ("color", "marker") if name in look}
        label = None if whole else look.get("label")
        ax.plot(
            [row.value for row, _ in bare],
            [place for _, place in bare],
            linestyle="none",
            markersize=5,
            fillstyle="none",
            **hollow,
            label=label,
        )


def add_row_legend(ax: Axes, n_rows: int, title: str | None = None) -> None:
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


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """The names of the rows, the first on top."""
    size = "medium" if len(names) <= 12 else "small" if len(names) <= 24 else "x-small"
    ax.set_yticks(range(len(names)), names, fontsize=size)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    # Limits of intervals have many digits.
    ax.locator_params(axis="x", nbins=5)
    without_tex(ax.get_yticklabels())


def tell_missing(ax: Axes, reasons: Sequence[tuple[float, str]]) -> None:
    """Where a row has no point, why."""
    across = ax.get_yaxis_transform()
    for place, reason in reasons:
        ax.text(
            0.01,
            place,
            reason,
            transform=across,
            va="center",
            ha="left",
            color=MUTED,
            fontsize="x-small",
            clip_on=True,
        )


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
    names = [] if metrics is None else requested_metrics("intervals", metrics)
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
        given = requested_metrics("intervals", metrics)
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


_LOOKS: Final = {
    "better": (PALETTE["series-1"], "^"),
    "worse": (PALETTE["series-2"], "v"),
    "equivalent": (PALETTE["series-3"], "s"),
    "higher": (PALETTE["series-4"], ">"),
    "lower": (PALETTE["series-4"], "<"),
    "not resolved": (MUTED, "o"),
}
"""Colour and marker of each verdict."""


def compare(
    comparison: Comparison, ax: Axes, *, metrics: Any = None, legend: bool = True, **errorbar: Any
) -> None:
    """Differences of models in each metric with their intervals, one row each.

    Marker and colour tell the verdict: whether the first model of a row is better than the second.
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
    rows, pairs = chosen[:MOST_ROWS], _pairs(comparison, chosen)
    names = [
        one.metric if len(pairs) == 1 else f"{one.metric}  {pairs[one.a, one.b]}" for one in rows
    ]
    places: dict[str, list[int]] = {}
    for place, one in enumerate(rows):
        places.setdefault(one.verdict, []).append(place)
    for verdict in [known for known in _LOOKS if known in places]:
        color, marker = _LOOKS[verdict]
        look = {"color": color, "marker": marker, "label": verdict}
        of_verdict = [_row_of_difference(rows[place]) for place in places[verdict]]
        draw_rows(ax, of_verdict, places[verdict], look | errorbar)
    ax.axvline(0, color=MUTED, linewidth=1, zorder=1)
    _margins(ax, rows)
    name_rows(ax, names)
    tell_missing(
        ax,
        [
            (place, f"not known: {one.remark or 'a value is undefined'}")
            for place, one in enumerate(rows)
            if not _row_of_difference(one).has_value
        ],
    )
    what = next(iter(pairs.values())) if len(pairs) == 1 else "difference"
    ax.set_xlabel(f"{what} ({100 * comparison.level:g} % interval)")
    if len(chosen) > len(rows):
        ax.set_ylabel(f"the first {len(rows)} of {len(chosen)} differences")
    ax.grid(visible=True, axis="x", linewidth=0.5, color=faint(ax), alpha=0.6)
    ax.set_axisbelow(True)
    if legend and rows:
        first = "the first model is" if len(pairs) > 1 else f"{names_on_plots([rows[0].a])[0]} is"
        add_row_legend(ax, len(rows), title=first)


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


def _pairs(comparison: Comparison, chosen: Sequence[Difference]) -> dict[tuple[str, str], str]:
    """How each pair of models is called."""
    models = dict(zip(comparison.models, names_on_plots(comparison.models), strict=True))
    return {(one.a, one.b): f"{models[one.a]} − {models[one.b]}" for one in chosen}


def _row_of_difference(one: Difference) -> Row:
    return Row(one.difference, one.low, one.high)


def _margins(ax: Axes, rows: Sequence[Difference]) -> None:
    margins = {one.margin for one in rows}
    if len(margins) == 1 and (margin := margins.pop()):
        for place, at in enumerate((-margin, margin)):
            label = "_" * bool(place) + f"margin {margin:g}"
            ax.axvline(at, color=MUTED, linestyle=":", linewidth=1, zorder=1, label=label)
