"""Histograms of the probability of a class, by what was true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.errors.numbers import count
from karat.output.plots._axes import add_legend, faint
from karat.output.plots._palette import MUTED
from karat.output.plots._series import Reports, Series, series_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import Report

__all__ = ["scores"]


def scores(
    reports: Reports,
    ax: Axes,
    *,
    classes: Any = None,
    shares: bool | None = None,
    legend: bool = True,
    **patch: Any,
) -> None:
    """Histograms of the probability of a class: of the rows of the class, and of the others.

    In the bins of the reliability diagram, whose rows a report keeps. Of several classes each
    histogram is of its own rows; then, and with `shares`, heights are shares of these rows, else
    rows or their weight. Scores count as their softmax.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, p = ["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.4, 0.9]
        >>> ax = karat.plot.scores(y_true, y_prob=p, ax=Figure().subplots())
        >>> [int(patch.get_data().values.sum()) for patch in ax.patches[::3]]
        [2, 2]
    """
    shown = series_of(reports, classes, _badness)
    is_one = len(shown.series) == 1 and not shown.others
    as_shares = not is_one if shares is None else shares
    if shown.others:
        outlines = [_outline(one, as_shares) for one in shown.others]
        label = f"{count(len(shown.others))} other classes"
        x, y = (np.concatenate(parts) for parts in zip(*outlines, strict=True))
        ax.plot(x, y, color=faint(ax), linewidth=0.6, zorder=1, label=label)
    for one in shown.series:
        inside, outside, edges = _histograms(one)
        look: dict[str, Any] = {
            "color": one.style.color,
            "linestyle": one.style.linestyle,
            "linewidth": 1.4,
        }
        undefined = one.report.curves.roc[one.label].undefined
        note = f"  {undefined}" if undefined and not inside.sum() else ""
        if is_one:
            light = look | {"color": MUTED, "linestyle": "-"} | patch
            ax.stairs(_scaled(outside, as_shares), edges, **(light | {"label": "other rows"}))
            ax.stairs(_scaled(outside, as_shares), edges, fill=True, color=MUTED, alpha=0.15)
            ax.stairs(_scaled(inside, as_shares), edges, fill=True, color=look["color"], alpha=0.15)
        name = f"truly {one.name}" if is_one and one.name else one.name or "truly of the class"
        ax.stairs(_scaled(inside, as_shares), edges, **(look | {"label": name + note} | patch))
    of_scores = any(report.scores == "scores" for report in reports.values())
    unit = "weight" if any(r.cells.is_weighted for r in reports.values()) else "rows"
    ax.set(
        xlabel="probability" + (" (softmax of the scores)" if of_scores else ""),
        ylabel=f"share of the {unit} of the class" if as_shares else unit,
        xlim=(-0.02, 1.02),
    )
    ax.set_ylim(bottom=0)
    if legend:
        add_legend(ax, loc="upper center")


def _histograms(one: Series) -> tuple[Any, Any, Any]:
    """Rows of the class and of the others in each bin, and its edges."""
    curve = one.report.curves.reliability[one.label]
    inside = np.nan_to_num(curve.weight * curve.share)
    # Counts come back whole from the shares that are kept.
    inside = inside if one.report.cells.is_weighted else np.rint(inside)
    return inside, np.maximum(curve.weight - inside, 0.0), curve.edges


def _outline(one: Series, as_shares: bool) -> tuple[Any, Any]:
    """The histogram of the rows of a class as a line with an end."""
    inside, _, edges = _histograms(one)
    x, y = np.repeat(edges, 2)[1:-1], np.repeat(_scaled(inside, as_shares), 2)
    return np.append(x, np.nan), np.append(y, np.nan)


def _scaled(heights: Any, as_shares: bool) -> Any:
    total = heights.sum()
    return heights / total if as_shares and total else heights


def _badness(report: Report, place: int) -> float:
    return -float(report.curves.roc[report.labels[place]].area)
