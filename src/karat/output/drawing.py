"""Small pictures for notebooks as inline SVG: rows of intervals, and curves, by NumPy alone.

They hold no script, no style sheet and nothing from outside. Text and axes have the color of the
page's text, so that light and dark pages are served; colors of series are readable on both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors.text import cells, harmless, shortened
from karat.output.plots.svg import coarser

Floats: TypeAlias = npt.NDArray[np.float64]
Look: TypeAlias = Literal["plain", "good", "bad", "open"]

COLORS: Final = ("#2a86c8", "#d55e00", "#009e73", "#c2649a", "#b07d00", "#7a7fd0")
"""Of series one after another; each has a contrast of 3 and more with white and with black."""
_LOOKS: Final[dict[Look, str]] = {
    "plain": COLORS[0],
    "good": COLORS[2],
    "bad": COLORS[1],
    "open": "#808080",
}
_DASHES: Final = ("", "6 3", "2 2")
_LINE: Final = "rgba(128,128,128,.5)"
_GRID: Final = "rgba(128,128,128,.25)"
WIDTH: Final = 560
_ROW: Final = 20
_LETTER: Final = 6.6
"""Width of a letter of 12 pixels, about."""
_STYLE: Final = 'style="display:block;max-width:100%;height:auto;margin:.3em .5em;color:inherit" '
MOST_ROWS: Final = 40
_FINEST: Final = 0.35
_MOST_POINTS: Final = 240


@dataclass(frozen=True, slots=True)
class Mark:
    """A row of a forest: a value, its interval, and what it is compared with.

    Attributes:
        name: what it is called.
        value: the point; without a finite one the row shows `reason`.
        low, high: limits, or None.
        look: what color and marker say.
        reference: a hollow point beside it, or None.
        reason: why there is no point.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    look: Look = "plain"
    reference: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A curve.

    Attributes:
        name: its entry in the legend.
        x, y: its points.
        has_points: whether they are marked.
        note: what follows its name.
    """

    name: str
    x: Floats
    y: Floats
    has_points: bool = False
    note: str = ""


Short: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn as soon as its names have the texts that they have in its document.

    Attributes:
        names: those that it shows.
        draw: makes the SVG element, of a function from names to their texts.
    """

    names: tuple[str, ...]
    draw: Callable[[Short], str]

    def svg(self, short: Short) -> str:
        """The element; nothing of what cannot be drawn, so that its tables are still shown."""
        try:
            return self.draw(short)
        except Exception:
            return ""

    def bare(self, short: Short) -> str:
        """The element without styles of its own, for a page whose style sheet has them."""
        return self.svg(short).replace(_STYLE, "")


def forest(
    marks: Sequence[Mark],
    *,
    label: str,
    title: str,
    at: float | None = None,
    legend: Sequence[tuple[Look, str]] = (),
) -> Picture | None:
    """Rows of points with their intervals under one axis; None where no row has a point.

    Args:
        marks: the rows, the first on top; of more than 40 the first.
        label: what the axis shows.
        title: what a screen reader says.
        at: where a line is drawn that values are compared with.
        legend: looks and what they mean.
    """
    marks = marks[:MOST_ROWS]
    if not any(math.isfinite(mark.value) for mark in marks):
        return None
    draw = partial(_forest, marks, label, title, at, legend)
    return Picture(tuple(mark.name for mark in marks), draw)


def _forest(
    marks: Sequence[Mark],
    label: str,
    title: str,
    at: float | None,
    legend: Sequence[tuple[Look, str]],
    short: Short,
) -> str:
    numbers = [
        each
        for mark in marks
        for each in (mark.value, mark.low, mark.high, mark.reference)
        if each is not None and math.isfinite(each)
    ]
    low, high = _room([*numbers, *([] if at is None else [at])])
    names = [short(mark.name) for mark in marks]
    left = min(260.0, 16 + _LETTER * max(map(cells, names)))
    scale = (WIDTH - left - 16) / (high - low)
    ticks = _ticks(low, high)
    bottom = 8 + _ROW * len(marks)

    def place(number: float) -> float:
        return left + (number - low) * scale

    body = [
        f'<path d="M{_n(place(tick))} 6V{bottom}" stroke="{_GRID}"/>'
        f"{_label(place(tick), bottom + 14, tick, ticks)}"
        for tick in ticks
    ]
    if at is not None:
        line = f'stroke="currentColor" stroke-opacity=".6" stroke-dasharray="{_DASHES[2]}"'
        body.append(f'<path d="M{_n(place(at))} 4V{bottom}" {line}/>')
    for i, (mark, name) in enumerate(zip(marks, names, strict=True)):
        y = 8 + _ROW * i + _ROW / 2
        whole = f"<title>{_text(mark.name)}</title>" if name != mark.name else ""
        body.append(f'<text x="0" y="{_n(y + 4)}">{_text(name)}{whole}</text>')
        body += _mark(mark, place, left, y)
    body.append(_axis_name((left + WIDTH) / 2, bottom + 32, label))
    height = bottom + 40
    if legend:
        x = 2.0
        for look, meaning in legend:
            body.append(f'<circle cx="{_n(x + 4)}" cy="{height + 4}" r="4" {_filled(look)}/>')
            body.append(f'<text x="{_n(x + 13)}" y="{height + 8}">{_text(meaning)}</text>')
            x += 30 + _LETTER * cells(meaning)
        height += 16
    return _svg(body, height, title)


def _mark(mark: Mark, place: Callable[[float], float], left: float, y: float) -> Iterator[str]:
    """The point of a row on its interval; hollow where none is known."""
    if not math.isfinite(mark.value):
        room = max(8, int((WIDTH - left - 8) / 6.2))
        yield (
            f'<text x="{_n(left + 4)}" y="{_n(y + 4)}" fill-opacity=".75" font-size="11">'
            f"{_text(shortened(harmless(mark.reason or 'no value'), room))}</text>"
        )
        return
    color = _LOOKS[mark.look]
    x = place(mark.value)
    limits = [mark.low, mark.high]
    if mark.reference is not None and math.isfinite(mark.reference):
        limits += [mark.reference, mark.value]
    ends = [place(one) for one in limits if one is not None and math.isfinite(one)]
    if ends:
        path = f"M{_n(min(ends))} {_n(y)}H{_n(max(ends))}"
        yield f'<path d="{path}" stroke="{color}" stroke-width="2"/>'
    if mark.reference is not None and math.isfinite(mark.reference):
        yield f'<circle cx="{_n(place(mark.reference))}" cy="{_n(y)}" r="3.5" {_filled("open")}/>'
    hollow = mark.low is None and mark.reference is None
    fill = "none" if hollow else color
    yield (
        f'<circle cx="{_n(x)}" cy="{_n(y)}" r="4" fill="{fill}" stroke="{color}" '
        'stroke-width="1.5"/>'
    )


def plane(
    lines: Sequence[Line],
    *,
    x: str,
    y: str,
    title: str,
    legend: str = "",
    diagonal: bool = False,
    verticals: Sequence[tuple[float, str]] = (),
    unit: bool = True,
) -> Picture | None:
    """Curves on two axes, with their names beside them; None where no curve has two points.

    Args:
        lines: the curves.
        x, y: what the axes show.
        title: what a screen reader says.
        legend: heads the names.
        diagonal: whether the line of equal values is drawn.
        verticals: places on the horizontal axis that are marked, with their names.
        unit: whether both axes go from 0 to 1.
    """
    found = [
        (line, keep)
        for line in lines
        if (keep := np.isfinite(line.x) & np.isfinite(line.y)).sum() >= 1
    ]
    if not found:
        return None
    draw = partial(_plane, found, x, y, title, legend, diagonal, verticals, unit)
    return Picture(tuple(line.name for line, _ in found), draw)


def _plane(
    found: Sequence[tuple[Line, npt.NDArray[np.bool_]]],
    x: str,
    y: str,
    title: str,
    legend: str,
    diagonal: bool,
    verticals: Sequence[tuple[float, str]],
    unit: bool,
    short: Short,
) -> str:
    xs = np.concatenate([line.x[keep] for line, keep in found])
    ys = np.concatenate([line.y[keep] for line, keep in found])
    (x0, x1), (y0, y1) = ((0.0, 1.0), (0.0, 1.0)) if unit else (_room(xs), _room([0.0, *ys]))
    left, top, width, height = 48.0, 10.0, 280.0, 230.0
    bottom = top + height
    sx, sy = width / (x1 - x0), height / (y1 - y0)
    body = []
    for tick in _ticks(x0, x1):
        at = left + (tick - x0) * sx
        body.append(f'<path d="M{_n(at)} {_n(top)}V{_n(bottom)}" stroke="{_GRID}"/>')
        body.append(_label(at, bottom + 15, tick, _ticks(x0, x1)))
    for tick in _ticks(y0, y1):
        at = bottom - (tick - y0) * sy
        body.append(f'<path d="M{_n(left)} {_n(at)}H{_n(left + width)}" stroke="{_GRID}"/>')
        body.append(_label(left - 5, at + 4, tick, _ticks(y0, y1), anchor="end"))
    body.append(
        f'<path d="M{_n(left)} {_n(top)}V{_n(bottom)}H{_n(left + width)}" fill="none" '
        f'stroke="{_LINE}"/>'
    )
    if diagonal:
        path = f"M{_n(left)} {_n(bottom)}L{_n(left + width)} {_n(top)}"
        body.append(f'<path d="{path}" stroke="{_LINE}" stroke-dasharray="{_DASHES[2]}"/>')
    names = [f"{short(line.name) if line.name else ''}{line.note}" for line, _ in found]
    beside, top_of_names = left + width + 14, top
    needed = 22 + _LETTER * max(map(cells, names))
    if beside + needed > WIDTH:
        beside, top_of_names = left, bottom + 40
    if legend:
        body.append(
            f'<text x="{_n(beside)}" y="{_n(top_of_names + 10)}">{_text(harmless(legend))}</text>'
        )
    for i, ((line, keep), name) in enumerate(zip(found, names, strict=True)):
        color, dashes = COLORS[i % len(COLORS)], _DASHES[i // len(COLORS) % len(_DASHES)]
        px, py = left + (line.x[keep] - x0) * sx, bottom - (line.y[keep] - y0) * sy
        look = f'fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"'
        look += f' stroke-dasharray="{dashes}"' if dashes else ""
        kept = _drawn(px, py)
        body.append(f'<path d="{_path(px[kept], py[kept])}" {look}/>')
        if line.has_points or len(px) == 1:
            body += [
                f'<circle cx="{_n(a)}" cy="{_n(b)}" r="3" fill="{color}"/>'
                for a, b in zip(px.tolist(), py.tolist(), strict=True)
            ]
        if name:
            row = top_of_names + 10 + 18 * (i + bool(legend))
            path = f"M{_n(beside)} {_n(row - 4)}h16"
            body.append(f'<path d="{path}" {look}/>')
            body.append(f'<text x="{_n(beside + 22)}" y="{_n(row)}">{_text(name)}</text>')
    first = top_of_names + 10 + 18 * (len(found) + bool(legend)) + 8
    for i, (at, name) in enumerate(verticals):
        if x0 <= at <= x1:
            dashes = _DASHES[i % 2 + 1]
            look = f'stroke="currentColor" stroke-opacity=".7" stroke-dasharray="{dashes}"'
            place = left + (at - x0) * sx
            body.append(f'<path d="M{_n(place)} {_n(top)}V{_n(bottom)}" {look}/>')
            row = first + 18 * i
            body.append(f'<path d="M{_n(beside)} {_n(row - 4)}h16" {look}/>')
            body.append(f'<text x="{_n(beside + 22)}" y="{_n(row)}">{_text(name)}</text>')
    body.append(_axis_name(left + width / 2, bottom + 33, x))
    turned = f"rotate(-90 12 {_n(top + height / 2)})"
    body.append(_axis_name(12, top + height / 2, y, turned))
    end = bottom + 42
    if top_of_names > top:
        end = first + 18 * len(verticals)
    return _svg(body, end, title)


def _drawn(x: Floats, y: Floats) -> npt.NDArray[np.intp]:
    """Places of the points of a line that are drawn: the eye misses none of the others."""
    # Of many points most lie on the same pixel as the one before.
    halves = np.round(2 * np.stack([x, y]))
    moved = np.append(True, np.any(np.diff(halves, axis=1) != 0, axis=0))
    moved[-1] = True
    seen = np.flatnonzero(moved)
    tolerance = _FINEST
    kept = coarser(x[seen], y[seen], tolerance)
    while len(kept) > _MOST_POINTS:
        tolerance *= 1.6
        kept = coarser(x[seen], y[seen], tolerance)
    return seen[kept]


def _svg(body: Sequence[str], height: float, title: str) -> str:
    """The element; it shrinks with its page, and its text is of the page."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_n(height)}" '
        f'width="{WIDTH}" height="{_n(height)}" role="img" aria-label="{_text(title)}" '
        f'{_STYLE}font-size="12" fill="currentColor">{"".join(body)}</svg>'
    )


def _axis_name(x: float, y: float, text: str, transform: str = "") -> str:
    turned = f' transform="{transform}"' if transform else ""
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="middle"{turned}>{_text(text)}</text>'


def _label(x: float, y: float, tick: float, ticks: Sequence[float], anchor: str = "middle") -> str:
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    text = f"{tick + 0.0:.{digits}f}" if 1e-4 <= step < 1e5 else f"{tick:g}"
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" fill-opacity=".75" '
        f'font-size="11">{text.replace("-", "−")}</text>'
    )


def _filled(look: Look) -> str:
    color = _LOOKS[look]
    return f'fill="{"none" if look == "open" else color}" stroke="{color}" stroke-width="1.5"'


def _room(numbers: Sequence[float] | Floats) -> tuple[float, float]:
    """Ends of an axis with a little room; never equal."""
    low, high = float(min(numbers)), float(max(numbers))
    span = high - low
    room = 0.04 * span if span > 0.0 else max(abs(high), 1.0) * 0.1
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers between two ends.

    Example:
        >>> _ticks(0.0, 1.0), _ticks(0.87, 0.9)
        ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.87, 0.875, 0.88, 0.885, 0.89, 0.895, 0.9])
    """
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * min((1, 2, 5, 10), key=lambda each: abs(each - rough / power))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def _path(x: Floats, y: Floats) -> str:
    points = [f"{_n(a)} {_n(b)}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    return "M" + "L".join(points)


def _n(number: float) -> str:
    """A coordinate to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    return escape(harmless(text))
