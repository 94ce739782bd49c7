"""Small multiples: one panel for each class, all with the same axes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors.text import interval, value
from karat.output.plots._axes import (
    add_heading,
    draw_others,
    few_ticks,
    names_on_plots,
    without_tex,
)
from karat.output.plots._series import MOST_SERIES, Reports, headed, names_in, places_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import ClassReport
    from karat.results.sets import SetReport
    from karat.tally import Label

FEWEST_PANELS: Final = 4
"""Fewer classes can be distinguished on the same Axes."""
_WIDE: Final = 2.3
"""Inches of a panel on a figure of its own, with the room around it."""
_ABOVE, _BESIDE, _BELOW = 27.0, 10.0, 16.0
"""Points that the title of a panel takes, and the gaps between panels."""

Body = Callable[..., None]


class Panel:
    """What a picture of several classes shows in each panel.

    Attributes:
        title: what the picture is called, before "of 10 classes".
        area: short name and metric of what stands under the name of a class.
        has_context: whether the first lines of the other panels are drawn behind each.
        options: further arguments of the body for one class among several.
    """

    def __init__(
        self,
        title: str,
        area: tuple[str, str] | None = None,
        *,
        has_context: bool = True,
        **options: Any,
    ) -> None:
        self.title, self.area = title, area
        self.has_context, self.options = has_context, options

    def under(self, reports: Mapping[str, ClassReport | SetReport], label: Label) -> str:
        """``AUC 0.9881 [0.9803, 0.9942]`` of a class; of several models their values alone.

        Where a class has no curve, the reason.
        """
        reasons = (report.curves.roc[label].undefined for report in reports.values())
        if reason := next(filter(None, reasons), None):
            return str(reason)
        if self.area is None:
            return ""
        short, metric = self.area
        areas = []
        for report in reports.values():
            row = report.per_class[report.labels.index(label)]
            found = row.get(metric)
            if found is None:
                continue
            limits = (
                row["intervals"].get(metric, (None, None)) if len(reports) == 1 else (None,) * 2
            )
            wave = "≈ " if metric in row.get("bounds", {}) else ""
            areas.append(f"{wave}{value(found)} {interval(*limits)}".rstrip())
        return f"{short} {', '.join(areas)}" if areas else ""


def in_panels(panel: Panel) -> Callable[[Body], Body]:
    """Add to a picture of classes the option `panels`: one panel for each class."""

    def decorate(body: Body) -> Body:
        own = inspect.signature(body)

        @wraps(body)
        def function(
            reports: Reports, ax: Axes, *, panels: bool | None = None, **options: Any
        ) -> None:
            labels = _labels(reports, options.get("classes"))
            is_several = FEWEST_PANELS <= len(labels) <= MOST_SERIES
            if panels or (panels is None and is_several):
                _draw(body, panel, reports, ax, labels, options, is_own=panels is None)
            else:
                body(reports, ax, **options)

        items = list(own.parameters.values())
        option = inspect.Parameter(
            "panels", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="bool | None"
        )
        # Beside `classes`, which it belongs to.
        items.insert(next(i for i, x in enumerate(items) if x.name == "classes") + 1, option)
        function.__signature__ = own.replace(parameters=items)  # type: ignore[attr-defined]
        function.panel = panel  # type: ignore[attr-defined]
        return function

    return decorate


def _labels(reports: Reports, classes: Any) -> list[Label]:
    """The classes that are drawn, of all reports."""
    each = ([one.labels[i] for i in places_of(one, classes)] for one in reports.values())
    return list(dict.fromkeys(label for labels in each for label in labels))


def columns_of(n: int) -> int:
    """How many panels stand side by side.

    Example:
        >>> [columns_of(n) for n in (3, 4, 6, 9, 10, 40)]
        [3, 2, 3, 3, 4, 7]
    """
    return {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3, 9: 3}.get(n) or max(4, math.ceil(math.sqrt(n)))


def _draw(
    body: Body,
    panel: Panel,
    reports: Reports,
    frame: Axes,
    labels: Sequence[Label],
    options: dict[str, Any],
    *,
    is_own: bool,
) -> None:
    """Draw a panel for each class within the frame."""
    has_legend, has_heading = (options.pop(name, True) for name in ("legend", "heading"))
    options.pop("classes", None)
    n, n_columns = len(labels), columns_of(len(labels))
    n_rows = -(-n // n_columns)
    figure = frame.get_figure(root=True)
    assert figure is not None
    if is_own:
        figure.set_size_inches(_WIDE * n_columns + 0.6, (_WIDE + 0.25) * n_rows + 0.8)
    frame.set_axis_off()
    if has_heading:
        add_heading(frame, headed(f"{panel.title} of {n} classes", reports))
    axes = _grid(frame, n, n_columns, n_rows)
    for ax, label in zip(axes, labels, strict=True):
        body(reports, ax, **(panel.options | options), classes=[label], legend=False, heading=False)
        _entitle(ax, _name(reports, label), panel.under(reports, label))
    _share_axes(axes)
    if panel.has_context and len(reports) == 1 and n > 1:
        lines = [ax.lines[0].get_data() for ax in axes]
        for i, ax in enumerate(axes):
            draw_others(ax, lines[:i] + lines[i + 1 :], "other classes")
    for i, ax in enumerate(axes):
        _outer(ax, is_left=i % n_columns == 0, is_bottom=i + n_columns >= n)
    frame.set(xlabel=axes[0].get_xlabel(), ylabel=axes[0].get_ylabel())
    if has_legend:
        _legend(frame, axes, n_columns * n_rows - n)


def _name(reports: Reports, label: Label) -> str:
    report: ClassReport = next(iter(reports.values()))
    name = report.classes.display[report.labels.index(label)]
    return names_on_plots(names_in(reports))[name]


def _grid(frame: Axes, n: int, n_columns: int, n_rows: int) -> list[Axes]:
    """Panels within the frame, with room for the title of each."""
    figure = frame.get_figure(root=True)
    assert figure is not None
    box = frame.get_window_extent()
    width, height = (72 * x / figure.dpi for x in (box.width, box.height))
    across, down = width / n_columns, height / n_rows
    size = (max(across - _BESIDE, 10.0) / width, max(down - _ABOVE - _BELOW, 10.0) / height)
    found = []
    for place in range(n):
        row, column = divmod(place, n_columns)
        low = 1.0 - (row * down + _ABOVE) / height - size[1]
        ax = frame.inset_axes((column * across / width, low, *size))
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        found.append(ax)
    return found


def _entitle(ax: Axes, name: str, under: str) -> None:
    look: dict[str, Any] = {"fontsize": "small", "fontweight": "bold"}
    title = ax.set_title(name, loc="left", pad=13.0 if under else 4.0, **look)
    across = ax.transAxes
    below = ax.text(0.0, 1.02, under, transform=across, va="bottom", fontsize="x-small")
    without_tex([title, below])


def _share_axes(axes: Sequence[Axes]) -> None:
    """Give all panels the limits that hold what each of them shows, and few ticks."""
    for name in ("x", "y"):
        limits = np.array([getattr(ax, f"get_{name}lim")() for ax in axes])
        own = [getattr(ax, f"{name}axis") for ax in axes]
        named = {
            float(tick): text.get_text()
            for one in own
            for tick, text in zip(one.get_ticklocs(), one.get_ticklabels(), strict=False)
        }
        is_plain = axes[0].name == "rectilinear" and getattr(axes[0], f"get_{name}scale")() in (
            "linear",
            "log",
        )
        for ax, axis in zip(axes, own, strict=True):
            getattr(ax, f"set_{name}lim")(limits.min(), limits.max())
            if not is_plain:
                ticks = sorted(named)
                axis.set_ticks(ticks, [named[tick] for tick in ticks])
            axis.label.set_fontsize("small")
            axis.set_tick_params(labelsize="x-small")
    for ax in axes:
        few_ticks(ax)


def _outer(ax: Axes, *, is_left: bool, is_bottom: bool) -> None:
    """Name the axes of the panels at the left and at the bottom alone."""
    if not is_left:
        ax.set_ylabel("")
        ax.tick_params(axis="y", labelleft=False)
    if not is_bottom:
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)


def _of_every_class(label: str, name: str) -> str:
    """What an entry of a legend says without the name of the class and its numbers.

    Example:
        >>> [_of_every_class(x, "cat") for x in ("cat  0.91", "cat · recall", "truly cat")]
        ['', 'recall', 'truly of the class']
        >>> _of_every_class("chance (10.2 %)", "cat"), _of_every_class("best f1: 0.6 at 0.2", "cat")
        ('chance', 'best f1')
    """
    if label == f"truly {name}":
        return "truly of the class"
    if label == name or label.startswith(f"{name}  "):
        return ""
    plain = label.removeprefix(f"{name} · ").partition("  ")[0]
    return plain.partition(": ")[0].partition(" (")[0]


def _legend(frame: Axes, axes: Sequence[Axes], n_spare: int) -> None:
    """One legend for all panels, in the place of those that are left over, or below."""
    entries: dict[str, Any] = {}
    for ax in axes:
        name = ax.get_title(loc="left")
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(_of_every_class(label, name), handle)
    entries.pop("", None)
    figure = frame.get_figure(root=True)
    assert figure is not None
    if not entries:
        return
    look: dict[str, Any] = {"fontsize": "small", "frameon": False}
    last = axes[-1].get_position()
    if n_spare:
        look |= {"loc": "center left", "borderaxespad": 1.5}
        spot = frame.get_position()
        low = (last.y0 - spot.y0) / spot.height
        left = (last.x1 - spot.x0) / spot.width
        look["bbox_to_anchor"] = (left, low, 1.0 - left, last.height / spot.height)
    else:
        height = frame.get_window_extent().height * 72 / figure.dpi
        look |= {"loc": "upper center", "bbox_to_anchor": (0.5, -22.0 / height)}
        look["ncols"] = min(4, len(entries))
    legend = frame.legend(list(entries.values()), list(entries), **look)
    without_tex(legend.get_texts())
