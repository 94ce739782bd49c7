"""Forest plots: a point with its interval in each row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.output.plots._axes import add_legend, without_tex
from karat.output.plots._palette import MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_ROWS", "Row", "add_row_legend", "draw_rows", "name_rows", "tell_missing"]

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
