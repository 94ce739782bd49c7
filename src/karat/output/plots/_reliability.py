"""Reliability diagrams, and histograms of the probability of a class by what was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import error
from karat.errors.text import count
from karat.output.plots._axes import (
    COMPARED_WITH,
    MUTED,
    add_grid,
    add_heading,
    add_legend,
    draw_others,
    faint,
    ink,
    is_small,
    log_axis,
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

    from karat.curves._curve import Reliability
    from karat.results.report import ClassReport


@in_panels(Panel("Predicted probability", has_context=False, shares=True, log=True))
def scores(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    shares: bool | None = None,
    log: bool | None = None,
    heading: bool = True,
    legend: bool = True,
    **patch: Any,
) -> None:
    """Histograms of the probability of a class: of the rows of the class, and of the others.

    The bins are those of the reliability diagram. With several classes on the same axes, each
    histogram has the rows of its class. Heights are rows or their weight; with several classes or
    `shares`, proportions. Logits are converted by softmax. The scale is logarithmic with `log`; by
    default if the highest bar is more than 20 times the highest of the class.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.scores(y_true, y_prob=p, ax=Figure().subplots())
        >>> [int(patch.get_data().values.sum()) for patch in ax.patches[::3]]
        [2, 2]
    """
    shown = series_of(reports, classes, area_badness)
    is_one = len(shown.series) == 1 and not shown.others
    as_shares = not is_one if shares is None else shares
    if shown.others:
        outlines = [
            (np.repeat(edges, 2)[1:-1], np.repeat(_scaled(inside, as_shares), 2))
            for inside, _, edges in map(_histograms, shown.others)
        ]
        draw_others(ax, outlines, f"{count(len(outlines))} other classes")
    for one in shown.series:
        inside, outside, edges = _histograms(one)
        look: dict[str, Any] = {"color": one.style.color, "linestyle": one.style.linestyle}
        look["linewidth"] = 1.4
        undefined = one.report.curves.roc[one.label].undefined
        note = f"  {undefined}" if undefined and not inside.sum() else ""
        inside, outside = _scaled(inside, as_shares), _scaled(outside, as_shares)
        if is_one:
            light = look | {"color": MUTED, "linestyle": "-"} | patch
            ax.stairs(outside, edges, **(light | {"label": "other rows"}))
            ax.stairs(outside, edges, fill=True, color=MUTED, alpha=0.15)
            ax.stairs(inside, edges, fill=True, color=look["color"], alpha=0.15)
        name = f"truly {one.name}" if is_one and one.name else one.name or "truly of the class"
        ax.stairs(inside, edges, **(look | {"label": name + note} | patch))
    of_logits = any(report.scores == "logits" for report in reports.values())
    unit = "weight" if any(r.is_weighted for r in reports.values()) else "rows"
    ax.set(
        xlabel="probability" + (" (softmax of the logits)" if of_logits else ""),
        ylabel=f"proportion of the {unit} of the class" if as_shares else unit,
        xlim=(-0.02, 1.02),
    )
    # Where one bar holds nearly all rows, on a linear scale no other would be seen.
    is_crowded = is_one and not as_shares and _is_crowded(shown.series[0])
    if is_crowded if log is None else log:
        log_axis(ax, "y")
        heights = [
            _scaled(side, as_shares) for one in shown.series for side in _histograms(one)[:2]
        ]
        least = np.concatenate([side[side > 0] for side in heights] or [np.zeros(0)])
        ax.set_ylim(bottom=0.5 if not as_shares else least.min(initial=1.0) / 2)
    else:
        ax.set_ylim(bottom=0)
    add_grid(ax)
    if heading:
        add_heading(ax, headed(f"Predicted probability of {class_of(shown, reports)}", reports))
    if legend:
        add_legend(ax, loc="upper center")


def _histograms(one: Series) -> tuple[Any, Any, Any]:
    """Rows of the class and of the others in each bin, and its edges."""
    curve = _of(one)
    inside = np.nan_to_num(curve.weight * curve.share)
    # Counts come back whole from the shares that are kept.
    inside = inside if one.report.is_weighted else np.rint(inside)
    return inside, np.maximum(curve.weight - inside, 0.0), curve.edges


_CROWDED: Final = 20.0
"""How many times higher than that of the positives the highest bar is on a logarithmic scale."""


def _is_crowded(one: Series) -> bool:
    """Return whether the bars of the class would not be seen beside those of the others."""
    inside, outside, _ = _histograms(one)
    highest = float(inside.max(initial=0.0))
    return 0.0 < _CROWDED * highest < float(outside.max(initial=0.0))


def _scaled(heights: Any, as_shares: bool) -> Any:
    total = heights.sum()
    return heights / total if as_shares and total else heights


_FEW: Final = 5
_FULL: Final = 10
"""Rows of a bin whose share can be read; of fewer the marker is small."""
_ROOM: Final = 0.16
"""Of the height, what the weights of the bins take below the diagram."""


@in_panels(Panel("Reliability"))
def reliability(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    bins: str | None = None,
    band: bool | None = None,
    spread: bool = True,
    histogram: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> None:
    """Reliability diagram: observed proportion against mean predicted probability, by bin.

    Calibrated probabilities lie on the diagonal. Bins of less than 10 rows have a small marker.
    A class of two with a proportion below 5 % has 10 bins of equal weight, on logarithmic axes;
    `bins="uniform"` draws 15 of equal width.
    `spread` draws, for a single series, two standard deviations of calibrated probabilities;
    `histogram` shades the distribution of the rows below; `band` shades limits that contain the
    proportions of all bins in the population at the stated level.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.reliability(y_true, y_prob=p, ax=Figure().subplots())
        >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
        ([0.1, 0.4, 0.6, 0.9], [0.0, 1.0, 0.0, 1.0])
    """
    shown = series_of(reports, classes, _distance)
    if heading:
        add_heading(ax, headed(f"Reliability of {class_of(shown, reports)}", reports))
    if is_in_quantiles(shown) and bins in (None, "quantile"):
        _in_quantiles(ax, shown, band=band, spread=spread, legend=legend, line=line)
        return
    if bins == "quantile":
        found = (
            "Bins of equal weight are kept of one class alone, of two, with a proportion below 5 %"
        )
        do = "Leave bins= out, or use karat.curves.reliability(..., scheme='quantile')."
        raise error("K702", name="reliability", found=found, do=do)
    _others(ax, shown)
    is_one = len(shown.series) == 1
    # Of many classes, lines between bins of few rows would cover what can be read.
    is_few = len(shown.series) <= _FEW
    for one in shown.series:
        curve = _of(one)
        x, y, _ = _filled(curve)
        look: dict[str, Any] = one.style._asdict() | {"clip_on": False, "markersize": 2.0}
        look |= {"linewidth": 1.4 if is_one else 0.8, "alpha": 1.0 if is_few else 0.4}
        thin = look | {"label": f"_{one.name}", "marker": look["marker"] if is_few else "none"}
        is_full = curve.weight[curve.weight > 0] >= _FULL
        ax.plot(x, y, **(thin | {"markevery": np.flatnonzero(~is_full).tolist()} | line))
        note = f"{one.name}  {curve.undefined or ''}".strip()
        full = (
            look
            | {"markersize": 3.5 if is_small(ax) else 5.5, "alpha": 1.0, "label": note or None}
            | line
        )
        if not is_full.any():
            # A line of no points that is not cut stands, for the layout, in the corner of the page.
            full["clip_on"] = True
        (drawn,) = ax.plot(x[is_full], y[is_full], **full)
        drawn.set_linestyle("none")
    draw_bands(ax, shown, lambda report, i: report.curves.reliability[report.labels[i]], band)
    if spread and len(shown.series) == 1:
        _spread(ax, shown.series[0])
    if histogram and shown.series:
        _weights(ax, shown.series)
    unit_axes(ax, x="mean predicted probability", y="observed proportion")
    ax.set_ylim(-_ROOM if histogram else -0.02, 1.02)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.plot([0, 1], [0, 1], label="calibrated", **COMPARED_WITH)
    if legend:
        columns = 2 if len(shown.series) > _FEW else 1
        add_legend(ax, loc="best", columns=columns)


def is_in_quantiles(shown: Shown) -> bool:
    """Return whether one rare class alone is drawn, whose bins of equal weight were kept."""
    return len(shown.series) == 1 and not shown.others and _quantiles(shown.series[0]) is not None


def _quantiles(one: Series) -> Reliability | None:
    return one.report.curves.reliability_by_quantile.get(one.label)


def _in_quantiles(
    ax: Axes,
    shown: Shown,
    *,
    band: bool | None,
    spread: bool,
    legend: bool,
    line: Mapping[str, Any],
) -> None:
    """Draw bins of equal weight on logarithmic axes; a proportion of 0 stands on the lower edge."""
    one = shown.series[0]
    curve = _quantiles(one)
    assert curve is not None
    x, y, deviation = _filled(curve)
    positive = np.concatenate([x[x > 0], y[y > 0]])
    floor = float(positive.min(initial=1.0)) / 2.0
    log_axis(ax, "x")
    log_axis(ax, "y")
    ax.set(xlim=(floor, 1.2), ylim=(floor, 1.2))
    ax.set(xlabel="mean predicted probability", ylabel="observed proportion")
    look: dict[str, Any] = one.style._asdict() | {"clip_on": False, "markersize": 5.5}
    look |= {"linewidth": 1.4, "label": one.name or None} | dict(line)
    ax.plot(np.maximum(x, floor), np.maximum(y, floor), **look)
    by_label = one.report.curves.reliability_by_quantile
    draw_bands(ax, shown, lambda _, __: by_label[one.label], band)
    add_grid(ax)
    if spread:
        drawn: dict[str, Any] = {
            "fmt": "none",
            "ecolor": MUTED,
            "elinewidth": 0.8,
            "capsize": 0 if is_small(ax) else 2,
        }
        drawn |= {"zorder": 1, "label": "2 standard deviations if calibrated"}
        reach = [np.minimum(2 * deviation, x - floor).clip(0.0), 2 * deviation]
        ax.errorbar(x, x, yerr=reach, **drawn)
    ax.plot([floor, 1], [floor, 1], label="calibrated", **COMPARED_WITH)
    if legend:
        add_legend(ax, loc="upper left", title="bins of equal weight")


def _of(one: Series) -> Reliability:
    return one.report.curves.reliability[one.label]


def _filled(curve: Reliability) -> tuple[Any, Any, Any]:
    """Mean probability, share and spread of the bins that hold rows."""
    has_rows = curve.weight > 0
    return curve.mean_confidence[has_rows], curve.share[has_rows], curve.spread[has_rows]


def _distance(report: ClassReport, place: int) -> float:
    """A class is the worse, the further its rows lie from the diagonal on the whole."""
    curve = report.curves.reliability[report.labels[place]]
    gaps = np.nan_to_num(np.abs(curve.mean_confidence - curve.share))
    return float((curve.weight * gaps).sum())


def _others(ax: Axes, shown: Shown) -> None:
    if not shown.others:
        return
    parts = []
    for one in shown.others:
        curve = _of(one)
        # Bins of few rows jump, and would hide what can be read.
        is_full = curve.weight >= _FULL
        parts.append((curve.mean_confidence[is_full], curve.share[is_full]))
    draw_others(ax, parts, f"{count(len(parts))} other classes, nearer to the diagonal")
    if len({id(one.report) for one in shown.others}) > 1:
        return
    # The bins of all classes put together.
    curves = list(shown.others[0].report.curves.reliability.values())
    weight = np.array([curve.weight for curve in curves])
    total = weight.sum(axis=0)
    x, y = (
        np.nan_to_num([getattr(curve, name) for curve in curves] * weight).sum(axis=0)[total > 0]
        for name in ("mean_confidence", "share")
    )
    held = total[total > 0]
    label = f"all {count(len(curves))} classes together"
    ax.plot(x / held, y / held, color=ink(), linewidth=2.2, zorder=2.5, label=label)


def _spread(ax: Axes, one: Series) -> None:
    x, _, spread = _filled(_of(one))
    look: dict[str, Any] = {"fmt": "none", "ecolor": MUTED, "color": MUTED, "elinewidth": 0.8}
    look |= {
        "capsize": 0 if is_small(ax) else 2,
        "zorder": 1,
        "label": "2 standard deviations if calibrated",
    }
    ax.errorbar(x, x, yerr=2 * spread, **look)


def _weights(ax: Axes, series: Sequence[Series]) -> None:
    """How the rows lie: bars below the diagram, the fullest bin as high as there is room."""
    total = np.sum([_of(one).weight for one in series], axis=0)
    edges = _of(series[0]).edges
    most = float(total.max())
    heights = total / most * (_ROOM - 0.03) if most else np.zeros(len(total))
    look: dict[str, Any] = {"color": faint(ax), "edgecolor": "none", "linewidth": 0}
    look |= {"align": "edge", "zorder": 0.5, "label": "rows in each bin"}
    ax.bar(edges[:-1], heights, np.diff(edges), bottom=-_ROOM, **look)
