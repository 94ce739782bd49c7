"""Fewer points for the same picture: lines as fine as the picture can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.curves._simplify import to_segment
from karat.output.plots._palette import FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["coarser", "shrink"]

_FINEST: Final = 0.2
"""Points (1/72 inch) by which a line may differ, if the picture has room for it."""
_COARSEST: Final = 3.0
"""The same, whatever the room."""
_MOST_POINTS: Final = 1_000
"""Points of all lines together that are named, and of those that are not."""

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]
_Drawn: TypeAlias = tuple[Any, Floats, Floats, Floats, Floats]
"""A line, its points, and where these stand on the page."""


def shrink(ax: Axes) -> None:
    """Leave out points of the lines of a drawn Axes that nobody would see, or miss."""
    from matplotlib.cbook import pts_to_prestep
    from matplotlib.colors import same_color

    named: list[_Drawn] = []
    faint: list[_Drawn] = []
    for line in ax.lines:
        x, y = (np.asarray(part, np.float64) for part in line.get_data())
        if len(x) < 3 or line.get_marker() not in ("None", "", None):
            continue
        if line.get_drawstyle() == "steps-pre":
            x, y = pts_to_prestep(x, y)
            line.set_drawstyle("default")
        px, py = line.get_transform().transform(np.column_stack([x, y])).T
        group = faint if same_color(line.get_color(), FAINT) else named
        group.append((line, x, y, px, py))
    for group in (named, faint):
        for (line, x, y, _, _), kept in zip(group, _kept(group), strict=True):
            line.set_data(x[kept], y[kept])


def _kept(group: list[_Drawn]) -> list[Places]:
    """Places of the points that stay, of each line: as many as there is room for."""
    tolerance = _FINEST
    while True:
        places = [coarser(px, py, tolerance) for *_, px, py in group]
        if sum(map(len, places)) <= _MOST_POINTS or tolerance > _COARSEST:
            return places
        tolerance *= 1.5


def coarser(x: Floats, y: Floats, tolerance: float) -> Places:
    """Places of points through which a line stays within a tolerance of all of them.

    Ramer, Douglas, Peucker; a line is drawn in parts where points are not finite, and these parts
    stay apart.

    Example:
        >>> x = np.array([0.0, 1, 2, np.nan, 3, 4, 5])
        >>> coarser(x, np.array([0.0, 0.1, 0, np.nan, 0, 1, 0]), 0.25).tolist()
        [0, 2, 3, 4, 5, 6]
    """
    is_finite = np.isfinite(x) & np.isfinite(y)
    keep = ~is_finite
    borders = np.flatnonzero(np.diff(np.concatenate([[False], is_finite, [False]]).astype(int)))
    parts = [(int(a), int(b) - 1) for a, b in zip(borders[::2], borders[1::2], strict=True)]
    for part in parts:
        keep[list(part)] = True
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        px, py = x[first : last + 1], y[first : last + 1]
        far = to_segment(px, py, px[0], py[0], px[-1], py[-1])
        furthest = int(np.argmax(far))
        if far[furthest] > tolerance:
            middle = first + furthest
            keep[middle] = True
            parts += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)
