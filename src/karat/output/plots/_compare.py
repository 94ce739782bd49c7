"""Differences of models with their intervals, as a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from karat.errors import error, shown
from karat.inference.comparison.records import Difference
from karat.metrics import get
from karat.output.plots._axes import faint, names_on_plots
from karat.output.plots._forest import (
    MOST_ROWS,
    Row,
    add_row_legend,
    draw_rows,
    name_rows,
    tell_missing,
)
from karat.output.plots._palette import MUTED, PALETTE
from karat.output.plots._series import asked_metrics
from karat.results.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["compare"]

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
    chosen = _chosen(comparison, metrics)
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
        of_verdict = [_row(rows[place]) for place in places[verdict]]
        draw_rows(ax, of_verdict, places[verdict], look | errorbar)
    ax.axvline(0, color=MUTED, linewidth=1, zorder=1)
    _margins(ax, rows)
    name_rows(ax, names)
    tell_missing(
        ax,
        [
            (place, f"not known: {one.remark or 'a value is undefined'}")
            for place, one in enumerate(rows)
            if not _row(one).has_value
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


def _chosen(comparison: Comparison, metrics: Any) -> list[Difference]:
    """The differences in the metrics asked for, in their order.

    Errors:
        K301 no such metric; K168 it was not compared; K702 none is named.
    """
    if metrics is None:
        return list(comparison.differences)
    names = [str(get(name)) for name in asked_metrics("compare", metrics)]
    for name in names:
        if name not in comparison.metrics:
            raise error("K168", what=name, known=shown(comparison.metrics))
    return [one for name in names for one in comparison.differences if one.metric == name]


def _pairs(comparison: Comparison, chosen: Sequence[Difference]) -> dict[tuple[str, str], str]:
    """How each pair of models is called."""
    models = dict(zip(comparison.models, names_on_plots(comparison.models), strict=True))
    return {(one.a, one.b): f"{models[one.a]} − {models[one.b]}" for one in chosen}


def _row(one: Difference) -> Row:
    return Row(one.difference, one.low, one.high)


def _margins(ax: Axes, rows: Sequence[Difference]) -> None:
    margins = {one.margin for one in rows}
    if len(margins) == 1 and (margin := margins.pop()):
        for place, at in enumerate((-margin, margin)):
            label = "_" * bool(place) + f"margin {margin:g}"
            ax.axvline(at, color=MUTED, linestyle=":", linewidth=1, zorder=1, label=label)
