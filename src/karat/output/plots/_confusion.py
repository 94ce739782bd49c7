"""The confusion matrix as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.errors.text import amounts, count
from karat.output.plots._axes import (
    CLASS_LIMIT,
    add_heading,
    faint,
    ink,
    names_on_plots,
    without_tex,
)
from karat.output.plots._series import Reports, headed, names_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

_MOST_WRITTEN: Final = 20
"""Up to so many classes every cell is written."""
_MOST_NAMED: Final = 40
"""Of more classes, every second, third … name stands at the axes."""
_LEAST_SIZE: Final = 5.5
"""Points of the smallest proportion that is written beneath a count."""
_LEAST_NAME: Final = 5.5
"""Points of the smallest name of a class, where some are left out."""
_TITLES: Final = {
    "count": "",
    "true": "proportion of the true class",
    "pred": "proportion of the predicted class",
    "all": "proportion of all rows",
}

Numbers = npt.NDArray[Any]


def confusion(
    reports: Reports,
    ax: Axes,
    *,
    normalize: str | None = None,
    shade: str | None = None,
    sort: str = "class",
    annotate: bool | None = None,
    totals: bool | None = None,
    colorbar: bool = True,
    heading: bool = True,
    **image: Any,
) -> None:
    """Heat map of the confusion matrix: rows true, columns predicted.

    Cells are colored by the proportion of the true class. Up to 20 classes they are labeled: with
    the count and, if it fits, the proportion in percent, or with a proportion alone (`normalize`).
    Totals of rows and columns are outside the map.
    A row or column without samples has no proportions and stays blank.

    Example:
        >>> import karat
        >>> from matplotlib.figure import Figure
        >>> y_true, y_pred = ["cat", "cat", "dog", "eel"], ["cat", "dog", "dog", "dog"]
        >>> ax = karat.plot.confusion(y_true, y_pred, ax=Figure().subplots())
        >>> ax.images[0].get_array().tolist()
        [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
        >>> [text.get_text() for text in ax.texts][:4]
        ['1', '50 %', '1', '50 %']
    """
    if len(reports) != 1:
        found = f"{len(reports)} reports were given: {shown(reports)}"
        do = "Draw one matrix on each Axes: karat.plot.confusion(report, ax=axes[0])."
        raise error("K702", name="confusion", found=found, do=do)
    (report,) = reports.values()
    _check(normalize, shade, sort)
    matrix = report.confusion.matrix
    k = len(matrix)
    order = np.arange(k)
    if sort == "error":
        wrong = matrix.sum(axis=1) - np.diagonal(matrix)
        order = np.lexsort((order, -wrong))
    matrix = matrix[np.ix_(order, order)]
    colored_by = shade or normalize or "true"
    values = _shares(matrix, None if colored_by == "count" else colored_by)
    # Colours begin at 0, and shares of a class end at 1.
    top = 1.0 if colored_by in ("true", "pred") else float(np.ma.max(values)) or 1.0
    look: dict[str, Any] = {"cmap": "YlGnBu", "interpolation": "nearest", "aspect": "equal"}
    drawn = ax.imshow(values, **({"vmin": 0.0, "vmax": top} | look | image))
    texts = names_on_plots(names_in(reports), CLASS_LIMIT)
    names = [texts[name] for name in report.classes.display]
    is_written = k <= _MOST_WRITTEN if annotate is None else annotate
    has_totals = is_written if totals is None else totals
    if is_written:
        _write(ax, _readable(drawn, values), matrix, normalize)
    _name_axes(ax, [names[place] for place in order], sort, has_totals=has_totals)
    if has_totals:
        _totals(ax, matrix)
    if colorbar:
        unit = "weight" if report.cells.is_weighted else "rows"
        figure = ax.get_figure(root=False)
        assert figure is not None
        # Beside the map and as high as it, whatever the layout makes of the map.
        beside = ax.inset_axes((1.03, 0.0, 0.04, 1.0))
        bar = figure.colorbar(drawn, cax=beside, label=_TITLES[colored_by] or unit)
        if colored_by != "count":
            bar.ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
        bar.outline.set_visible(False)
    if heading:
        add_heading(ax, headed(f"Confusion matrix of {count(k)} classes", reports, CLASS_LIMIT))


def _check(normalize: Any, shade: Any, sort: Any) -> None:
    shares = tuple(_TITLES)[1:]
    for argument, value, options, do in (
        ("normalize", normalize, (None, *shares), "None labels cells with their counts."),
        ("shade", shade, (None, "count", *shares), "None colors cells as they are labeled."),
        ("sort", sort, ("class", "error"), "'class' keeps the order of the report."),
    ):
        if not (value is None or isinstance(value, str)) or value not in options:
            facts = {"argument": argument, "value": value, "choices": shown(options)}
            raise error("K122", **facts, do=do)


def _shares(matrix: Numbers, normalize: str | None) -> Numbers:
    """The matrix, or its shares; masked where there are none."""
    if normalize is None:
        return matrix
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    whole = np.broadcast_to(matrix.sum(axis=axis, keepdims=True), matrix.shape)
    shares = np.divide(matrix, whole, out=np.zeros(matrix.shape), where=whole > 0)
    return np.ma.masked_array(shares, whole == 0)


def _write(ax: Axes, colours: Sequence[str], matrix: Numbers, normalize: str | None) -> None:
    """The number of each cell, dark on light and light on dark; a point where it holds nothing."""
    k = len(matrix)
    shares = _shares(matrix, normalize or "true")
    is_blank = np.ma.getmaskarray(shares)
    # Counts stand in the middle of a cell, a proportion beneath them where both can be read.
    unit = " %" if normalize is None else ""
    texts = [
        f"{_percent(share)}{unit}" if held else "·"
        for share, held in zip(np.ma.filled(shares, 0.0).flat, matrix.flat, strict=True)
    ]
    second = [""] * len(texts)
    if normalize is None:
        texts, second = [*amounts(matrix.reshape(-1).tolist())], texts
    size = _text_size(ax, k, max(map(len, texts)))
    small = min(0.75 * size, _text_size(ax, k, max(map(len, second))))
    has_second = normalize is None and small >= _LEAST_SIZE
    size *= 0.85 if has_second else 1.0
    for place, text in enumerate(texts):
        i, j = divmod(place, k)
        if normalize is not None and is_blank[i, j]:
            continue
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": colours[place]}
        ax.text(j, i, text if matrix[i, j] else "·", fontsize=size, **look)
        if has_second and matrix[i, j]:
            look["va"] = "top"
            ax.text(j, i + 0.19, second[place], fontsize=small, **look)


def _percent(share: float) -> str:
    """A share in percent: what is neither none nor all never reads so."""
    text = f"{100 * share:.0f}"
    return "<1" if text == "0" else ">99" if text == "100" and share < 1 else text


def _readable(drawn: AxesImage, values: Numbers) -> list[str]:
    """Of each cell the colour of text, black or white, that stands out more from it."""
    red_green_blue = np.asarray(drawn.to_rgba(values))[..., :3].reshape(-1, 3)
    linear = np.where(
        red_green_blue <= 0.04045, red_green_blue / 12.92, ((red_green_blue + 0.055) / 1.055) ** 2.4
    )
    # Contrast as in WCAG 2: (lighter + 0.05) ÷ (darker + 0.05); they are equal at this one.
    is_light = linear @ np.array([0.2126, 0.7152, 0.0722]) > 0.179
    # None of the palette: a page may turn that round, and the map stays as it is.
    return ["#000000" if light else "#fefefe" for light in is_light]


def _text_size(ax: Axes, k: int, length: int = 3) -> float:
    """Points: as large as usual, or as fits into a cell."""
    import matplotlib as mpl

    usual = float(mpl.rcParams["font.size"])
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_window_extent()
    # Names of classes and the colour bar take about a quarter.
    cell = 0.75 * min(box.width, box.height) * 72 / figure.dpi / (k + 1)
    return max(3.0, min(usual, 0.55 * cell, cell / (0.62 * max(length, 1))))


def _name_axes(ax: Axes, names: list[str], sort: str, *, has_totals: bool) -> None:
    k = len(names)
    step = -(-k // _MOST_NAMED)
    while step < k and _text_size(ax, -(-k // step), 1) * 1.2 < _LEAST_NAME:
        step += 1
    places = list(range(0, k, step))
    texts = [names[place] for place in places]
    size = min(_text_size(ax, len(texts), 1) * 1.2, _text_size(ax, 1))
    note = "" if step == 1 else f" (one in {step} named)"
    note += ", most wrong rows first" if sort == "error" else ""
    ax.set(xlabel="predicted class", ylabel=f"true class{note}")
    turned = sum(map(len, texts)) > 50 or max(map(len, texts), default=0) > 6
    if has_totals:
        places, texts = [*places, k], [*texts, "all"]
    look: dict[str, Any] = {"rotation": 45, "ha": "right"} if turned else {"ha": "center"}
    ax.set_xticks(places, texts, fontsize=size, rotation_mode="anchor", **look)
    ax.set_yticks(places, texts, fontsize=size)
    without_tex([*ax.get_xticklabels(), *ax.get_yticklabels()])
    ax.tick_params(length=0)
    ax.grid(visible=False)


def _totals(ax: Axes, matrix: Numbers) -> None:
    """What each row and column holds, outside the map."""
    k = len(matrix)
    held = [*matrix.sum(axis=1).tolist(), *matrix.sum(axis=0).tolist(), matrix.sum().item()]
    texts = amounts(held)
    # The sum of all may have a digit more than any other.
    size, colour = _text_size(ax, k, max(map(len, texts[:-1]))), ink()
    sizes = [*(size for _ in texts[1:]), _text_size(ax, k, len(texts[-1]))]
    spots = [*((k, i) for i in range(k)), *((j, k) for j in range(k)), (k, k)]
    for (x, y), text, points in zip(spots, texts, sizes, strict=True):
        ax.text(x, y, text, ha="center", va="center", color=colour, fontsize=points)
    ax.set(xlim=(-0.5, k + 0.5), ylim=(k + 0.5, -0.5))
    for draw in (ax.axhline, ax.axvline):
        draw(k - 0.5, color=faint(ax), linewidth=0.8)
