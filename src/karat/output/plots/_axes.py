"""Where a picture is drawn, how foreign text gets onto it, and its colours, dashes and markers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from karat.errors import error, short
from karat.errors.text import wrapped
from karat.output.naming import Naming

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

PALETTE: Final[dict[str, str]] = {
    "ink": "#1a1a1a",
    "muted": "#757575",
    "faint": "#c4c4c4",
    "grid": "#e6e6e6",
    "paper": "#ffffff",
    "series-1": "#0072b2",
    "series-2": "#d55e00",
    "series-3": "#009e73",
    "series-4": "#cc79a7",
    "series-5": "#e69f00",
    "series-6": "#56b4e9",
}
"""Every colour of a picture by name; `karat.plot.svg.as_svg` can write others in their place."""

SERIES: Final = tuple(colour for name, colour in PALETTE.items() if name.startswith("series"))
MUTED: Final = PALETTE["muted"]
"""Of what is compared with: chance, right probabilities, no difference."""
FAINT: Final = PALETTE["faint"]
"""Of what is there and not named one by one."""
COMPARED_WITH: Final[dict[str, Any]] = {
    "color": MUTED,
    "linestyle": ":",
    "linewidth": 1,
    "zorder": 1,
}
"""A line that others are compared with."""

DASHES: Final[tuple[Any, ...]] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")


class Style(NamedTuple):
    """How one class or model is drawn, everywhere in a picture."""

    color: str
    linestyle: Any
    marker: str


def style(place: int, variant: int | None = None) -> Style:
    """The style of the series at a place.

    Args:
        place: which colour.
        variant: which dashes and marker, where colour says one thing and they another; without it
            all three go on together, so that the first 28 series differ in more than colour.

    Example:
        >>> style(0).color, style(6).color, style(0) == style(6)
        ('#0072b2', '#0072b2', False)
    """
    of = place if variant is None else variant
    # A second round of colours begins with other dashes than the first.
    dash = (of + of // len(SERIES)) if variant is None else of
    colour, dashes = SERIES[place % len(SERIES)], DASHES[dash % len(DASHES)]
    return Style(colour, dashes, MARKERS[of % len(MARKERS)])


_SMALL: Final = 180.0
"""Points of the width of an Axes that has small markers."""
NAME_LIMIT: Final = 24
"""Characters of a class or model name that a picture shows."""
CLASS_LIMIT: Final = 16
"""Of the names at both axes of a heat map."""


def check_matplotlib() -> None:
    """Refuse to draw without matplotlib.

    Errors:
        K501.
    """
    if find_spec("matplotlib") is None:
        raise error("K501", feature="Drawing", package="matplotlib", extra="cli")


@contextmanager
def axes_of(given: Any) -> Iterator[Axes]:
    """The axes given, or those of a new figure of pyplot, which is closed if drawing fails.

    Errors:
        K501 matplotlib is missing; K701 it is not one Axes of plain x and y.
    """
    check_matplotlib()
    if given is not None:
        from matplotlib.axes import Axes

        if not isinstance(given, Axes):
            raise error("K701", found=f"ax is {short(given)} ({type(given).__name__})")
        if given.name != "rectilinear":
            raise error("K701", found=f"ax is a {type(given).__name__}, without plain x and y")
        yield given
        return
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    try:
        yield axes
    except BaseException:
        plt.close(figure)
        raise


def names_on_plots(names: Iterable[str], limit: int = NAME_LIMIT) -> dict[str, str]:
    r"""Name → its text for matplotlib: harmless, short, of no other name, and never read as markup.

    matplotlib reads what stands between two ``$`` as mathematics, and leaves labels that begin
    with ``_`` out of legends; such a name is quoted.

    Example:
        >>> list(names_on_plots(["a_b", "$x$", "_y", "line\nbreak"]).values())
        ['a_b', '\\$x\\$', "'_y'", 'line\\nbreak']
    """
    found = dict.fromkeys(names)
    naming = Naming(found, limit)
    texts = {name: naming.short(name) for name in found}
    return {
        name: plain(f"'{text}'" if text.startswith("_") else text) for name, text in texts.items()
    }


def add_key(ax: Axes, names: Iterable[str]) -> None:
    """Write the names that stand shortened in a picture in full below it."""
    from matplotlib.text import Text

    found = list(dict.fromkeys(names))
    shown = "\n".join(text.get_text() for text in ax.findobj(Text))
    full, key = names_on_plots(found, sys.maxsize), dict[str, str]()
    for limit in (NAME_LIMIT, CLASS_LIMIT):
        for name, text in names_on_plots(found, limit).items():
            if text != full[name] and text in shown:
                key[text] = full[name]
    lines = [line for text, full in key.items() for line in wrapped(f"{text} = {full}", 72, hang=2)]
    if lines:
        label = ax.xaxis.label
        look: dict[str, Any] = {"fontsize": "x-small", "color": MUTED, "va": "top", "ha": "center"}
        place: dict[str, Any] = {"xycoords": label, "textcoords": "offset points"}
        written = ax.annotate("\n".join(lines), (0.5, 0.0), (0.0, -4.0), **place, **look)
        written.set_gid("names")
        without_tex([written])


def plain(text: str) -> str:
    r"""The text so that matplotlib shows it letter by letter.

    Example:
        >>> plain("$x$ and \\")
        '\\$x\\$ and \\'
    """
    return text.replace("$", r"\$")


def add_legend(ax: Axes, *, loc: str, title: str | None = None, columns: int = 1) -> None:
    """A legend of what is labelled, as small as its length asks for."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    size = "small" if len(handles) <= 4 else "x-small"
    look: dict[str, Any] = {"loc": loc, "title": title, "ncols": columns, "framealpha": 0.85}
    look |= {"handlelength": 2.4, "labelspacing": 0.3, "borderpad": 0.4}
    legend = ax.legend(handles, labels, fontsize=size, title_fontsize=size, **look)
    legend.set_alignment("left")
    without_tex([*legend.get_texts(), legend.get_title()])


def ink() -> Any:
    """The colour of text in the style sheet that is in use."""
    import matplotlib as mpl

    return mpl.rcParams["text.color"]


def faint(ax: Axes) -> str:
    """The colour of what is there and not named: near to that of the paper, light or dark."""
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(ax.get_facecolor())
    return "#4a4a4a" if red + green + blue < 1.5 and alpha else FAINT


def draw_others(ax: Axes, parts: Sequence[tuple[Any, Any]], label: str) -> None:
    """Lines without a name of their own, as one faint line with gaps."""
    x, y = (np.concatenate([np.append(part[i], np.nan) for part in parts]) for i in (0, 1))
    ax.plot(x, y, color=faint(ax), linewidth=0.6, zorder=1, label=label)


def without_tex(texts: Sequence[Text]) -> None:
    """Texts that hold foreign names are not set by TeX, which would read them as its source."""
    for text in texts:
        text.set_usetex(False)


def unit_axes(ax: Axes, *, x: str, y: str, is_vertical: bool = True) -> None:
    """Name the axes, each from 0 to 1 with a little room."""
    ax.set(xlabel=x, ylabel=y, xlim=(-0.02, 1.02))
    if is_vertical:
        ax.set_ylim(-0.02, 1.02)
    add_grid(ax)


def add_grid(ax: Axes, axis: Literal["both", "x", "y"] = "both") -> None:
    """Draw thin lines at the ticks, behind everything."""
    ax.grid(visible=True, axis=axis, linewidth=0.5, color=faint(ax), alpha=0.5)
    ax.set_axisbelow(True)


def few_ticks(ax: Axes) -> None:
    """Leave few ticks on axes that are not logarithmic: of proportions 0, a half and 1."""
    for name in ("x", "y"):
        low, high = getattr(ax, f"get_{name}lim")()
        if getattr(ax, f"get_{name}scale")() == "log":
            continue
        if -0.25 < low <= 0.0 and 1.0 <= high < 1.1:
            getattr(ax, f"set_{name}ticks")([0.0, 0.5, 1.0])
        else:
            ax.locator_params(axis=name, nbins=4)


def is_small(ax: Axes) -> bool:
    """Whether an Axes is a panel, or as small as one."""
    figure = ax.get_figure(root=True)
    return figure is not None and ax.get_window_extent().width * 72 / figure.dpi < _SMALL


def add_heading(ax: Axes, parts: Sequence[str]) -> None:
    """Write what is drawn above the Axes: in one line, or in as many as the parts need.

    It is the title of the Axes, so that ``ax.set_title`` replaces it.
    """
    import matplotlib as mpl

    size = float(mpl.rcParams["font.size"])
    figure = ax.get_figure(root=True)
    assert figure is not None
    room = ax.get_window_extent().width * 72 / figure.dpi / (0.6 * size)
    lines: list[str] = []
    for part in filter(None, parts):
        if lines and len(lines[-1]) + len(part) + 3 <= room:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    without_tex([ax.set_title("\n".join(lines), fontsize=size)])


def log_axis(ax: Axes, name: Literal["x", "y"]) -> None:
    """Make an axis logarithmic, with numbers as plain text."""
    getattr(ax, f"set_{name}scale")("log")
    axis = getattr(ax, f"{name}axis")
    axis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.set_minor_formatter(lambda number, _: "")


_TICKS: Final = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
_LEAST: Final = 1e-6
"""No share is shown further away than this from 0."""


def deviate_axes(ax: Axes, drawn: Sequence[tuple[Any, Any]]) -> None:
    """Make both axes those of normal deviates, as wide as the points between 0 and 1 ask for."""
    from matplotlib.ticker import NullLocator
    from scipy.special import ndtr, ndtri

    for axis, place in (("x", 0), ("y", 1)):
        values = np.concatenate([np.asarray(pair[place]) for pair in drawn] or [np.zeros(0)])
        # From below the smallest share to above the largest one, of those that are not 0 or 1.
        inner = values[(values > 0) & (values < 1)]
        low = float(np.clip(inner.min(initial=0.02) / 1.5, _LEAST, 0.02))
        high = 1 - float(np.clip((1 - inner.max(initial=0.5)) / 1.5, 0.01, 0.5))
        getattr(ax, f"set_{axis}scale")("function", functions=(ndtri, ndtr))
        getattr(ax, f"set_{axis}lim")(low, high)
        ticks = [tick for tick in _TICKS if low <= tick <= high]
        texts = [f"{100 * tick:.10g} %" for tick in ticks]
        getattr(ax, f"set_{axis}ticks")(ticks, texts)
        getattr(ax, f"{axis}axis").set_minor_locator(NullLocator())
    add_grid(ax)
