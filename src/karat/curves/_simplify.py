"""Simplification of curves to fewer points, with a bound on the error.

It uses the Ramer-Douglas-Peucker algorithm: the points furthest from the lines drawn without them
are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.curves._curve import Floats, Points
from karat.metrics import ClassRanks
from karat.metrics._regression import recalibrated
from karat.metrics._views import ROUNDING_OF_BOUNDS
from karat.tally.cumulative_counts import N_BLOCK, ends_of

Places: TypeAlias = npt.NDArray[np.int64]
Plane: TypeAlias = Callable[[Floats, Floats, float, float], tuple[Floats, Floats]]
"""(true positives, false positives, n_pos, n_neg) → horizontal and vertical axis.

The horizontal axis never decreases along the points. Between two points, the vertical axis lies
between its values for the true positives of one with the false positives of the other.
"""

_MANY: Final = 8192
"""Length above which curves are thinned first, within a bound, unless a quarter is kept."""
_LONG: Final = 4096
"""Length above which most points of a path are excluded by a sample before the hull is computed."""


def corners(x: Floats, y: Floats, *, axis_parallel: bool) -> Places:
    """Indices of the points between which the curve is straight, both ends included.

    Args:
        x, y: number[t], both nondecreasing unless `axis_parallel`.
        axis_parallel: drop only points on horizontal and vertical lines.

    Example:
        >>> corners(np.array([0, 0, 1, 3]), np.array([0, 1, 2, 4]), axis_parallel=False).tolist()
        [0, 1, 3]
    """
    dx, dy = np.diff(x), np.diff(y)
    if axis_parallel:
        is_straight = ((dx[1:] == 0) & (dx[:-1] == 0)) | ((dy[1:] == 0) & (dy[:-1] == 0))
    else:
        is_straight = dx[1:] * dy[:-1] == dx[:-1] * dy[1:]
    ends = np.ones(1, bool)
    return np.flatnonzero(np.concatenate([ends, ~is_straight, ends])[: len(x)])


def upper_hull(x: Floats, y: Floats) -> Places:
    """Indices of the corners of the upper convex hull of a path that is nondecreasing in x and y.

    Exact for counts. Points on an edge are not corners.

    Cost: O(t).

    Example:
        >>> upper_hull(np.array([0.0, 0, 1, 2, 2]), np.array([0.0, 1, 1, 2, 3])).tolist()
        [0, 1, 4]
    """
    return _native.upper_hull(x, y)


def pooled_hull(ranks: ClassRanks) -> Places | None:
    """Indices of the corners of the hull of all points of a column; None for weighted rows.

    Equal to `upper_hull(fps, tps)`: the edges are the blocks of the isotonic recalibration, which
    calibration metrics need too.

    Ref: Fawcett, Niculescu-Mizil (2007). PAV and the ROC convex hull. Machine Learning 68.
    """
    if ranks.ranked.is_weighted:
        return None
    lengths = ranks.made(recalibrated).lengths[::-1]
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def simplified(
    points: Points, planes: Mapping[str, Plane], guides: Sequence[str], limit: int
) -> tuple[Places, dict[str, float]]:
    """Indices of at most `limit` points that draw nearly the same curves, with the errors.

    Both ends are always kept. As far as the limit allows, so are the best score, the point of the
    largest difference between true and false positive rate, and that of the largest F1. The lines
    in the planes of `guides` determine the other points.

    The input is all points, more than `limit`, or those of `sparse_points`. Each plane has an
    error: the largest distance between the whole curve and the simplified one, in both directions,
    in units of the axes.

    Cost: O(t) for curves up to a certain length, then O(log t) and a constant.
    """
    always = [1, *_landmarks(points)][: limit - 2]
    is_thinned = is_long(points.n_full, limit)
    places = _candidates(points, limit, always) if is_thinned else np.arange(len(points))
    some = points.at(places)
    drawn = {
        name: _drawn(plane, some.tps, some.fps, some.n_pos, some.n_neg)
        for name, plane in planes.items()
    }
    first = np.searchsorted(places, always).astype(np.int32)
    paths = np.concatenate([drawn[name] for name in guides])
    kept = _native.furthest_points(paths, limit, first)
    # Index of the next kept point, for each point.
    after = np.maximum(np.searchsorted(kept, np.arange(len(places))), 1)
    errors = {
        name: _error(drawn[name], kept[after - 1], kept[after], _thinned(plane, points, places))
        for name, plane in planes.items()
    }
    return places[kept], errors


def _landmarks(points: Points) -> list[int]:
    """Indices of the first maximum of each gain, searched in blocks of a few thousand points.

    Blocks that cannot contain one, by the counts at their ends, are skipped.
    """
    tps, fps, sides = points.tps, points.fps, (points.n_pos, points.n_neg)
    first = np.arange(0, len(points), N_BLOCK)
    last = np.minimum(first + N_BLOCK, len(points)) - 1
    reached, *bounds = (
        np.stack(landmark_gains(tps[a], fps[b], *sides))
        for a, b in ((last, last), (last, first), (first, last))
    )
    most = np.maximum(*bounds) * (1.0 + ROUNDING_OF_BOUNDS)
    is_out = (most < reached.max(axis=1, keepdims=True)).all(axis=0)
    best: list[tuple[float, int]] = []
    for begin in first[~is_out].tolist():
        part = slice(begin, begin + N_BLOCK)
        gains = landmark_gains(tps[part], fps[part], *sides)
        at = [(float(gain[i]), begin + i) for gain in gains for i in [int(np.argmax(gain))]]
        # NaN, from an empty side, is the largest, as for `argmax`; of equal ones, the first.
        best = (
            at
            if not best
            else [
                old if old[0] >= new[0] or old[0] != old[0] else new
                for old, new in zip(best, at, strict=True)
            ]
        )
    return [place for _, place in best]


def landmark_gains(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
    """Quantities to maximize: the difference of the rates, and F1."""
    with np.errstate(invalid="ignore"):
        return np.abs(tps * n_neg - fps * n_pos), tps / (n_pos + tps + fps)


def _candidates(points: Points, limit: int, always: Sequence[int]) -> Places:
    """Indices of points so dense that the curve between them is almost a line."""
    called = points.tps + points.fps
    paths = points.tps, points.fps, called
    targets = dense_targets(points.n_pos, points.n_neg, float(called[1]), limit)
    wanted = [np.searchsorted(path, target) for path, target in zip(paths, targets, strict=True)]
    wanted.append(np.array([0, len(points) - 1, *always]))
    places = np.minimum(np.concatenate(wanted), len(points) - 1)
    return np.asarray(np.unique(places), np.intp)


def is_long(n: int, limit: int) -> bool:
    """Return whether only a subset of n points is examined."""
    return n > max(_MANY, 16 * limit)


def dense_targets(
    n_pos: float, n_neg: float, least: float, limit: int
) -> tuple[Floats, Floats, Floats]:
    """Ascending true positives, false positives and sums, whose first points are candidates.

    `least` is the weight of the best score, `limit` the points to choose.
    """
    grid = np.linspace(0.0, 1.0, max(4 * limit, _MANY // 4))
    # Precision changes with the logarithm of the number predicted positive.
    total = n_pos + n_neg
    n_steps = len(grid) // 2 * np.log(total / least)
    steps = np.geomspace(least, total, min(int(n_steps) + 2, 8 * len(grid)))
    return grid * n_pos, grid * n_neg, steps


def _drawn(
    plane: Plane, tps: Floats, fps: Floats, n_pos: float, n_neg: float
) -> tuple[Floats, Floats]:
    """Return the axes, 0 where they are undefined: there all points are equal."""
    x, y = (
        values if np.isfinite(values).all() else np.nan_to_num(values)
        for values in plane(tps, fps, n_pos, n_neg)
    )
    return x, y


def to_segment(x: Floats, y: Floats, xa: Any, ya: Any, xb: Any, yb: Any) -> Floats:
    """Distances of points from the segments from a to b."""
    dx, dy = xb - xa, yb - ya
    x, y = x - xa, y - ya
    length = dx * dx + dy * dy
    part = (x * dx + y * dy) / np.where(length > 0, length, 1.0)
    part = np.maximum(np.minimum(part, 1.0), 0.0)
    x -= part * dx
    y -= part * dy
    return np.asarray(np.sqrt(x * x + y * y))


def _thinned(plane: Plane, points: Points, places: Places) -> Floats:
    """float64[c − 1]: largest distance of points between two candidates from the line between them.

    They lie in the box spanned by the counts of the first candidate and of the last point before
    the second one. A corner of the box is furthest from the line.
    """
    if len(places) == len(points):
        return np.zeros(len(places) - 1)
    a, b = places[:-1], places[1:]
    last = b - 1

    def on(tps_at: Places, fps_at: Places) -> tuple[Floats, Floats]:
        return _drawn(plane, points.tps[tps_at], points.fps[fps_at], points.n_pos, points.n_neg)

    (xa, ya), (xb, yb), (x_last, _) = on(a, a), on(b, b), on(last, last)
    heights = on(a, last)[1], on(last, a)[1]
    far = [to_segment(x, y, xa, ya, xb, yb) for x in (xa, x_last) for y in heights]
    return np.where(last > a, np.max(far, axis=0), 0.0)


def _error(drawn: tuple[Floats, Floats], before: Places, after: Places, thinned: Floats) -> float:
    """Largest distance of points from the line between the kept points before and after them."""
    x, y = drawn
    far = to_segment(x, y, x[before], y[before], x[after], y[after])
    # Between two candidates, the distance to the drawn line is at most that of the further one.
    return float((np.maximum(far[1:], far[:-1]) + thinned).max(initial=0.0))


def sparse_points(ranks: ClassRanks, limit: int) -> Points:
    """Points of a sorted column for which `simplified` and `upper_hull` equal those of all points.

    They are the candidates of a simplification to `limit` points, the point before each, and the
    corners of the hull; or all points, if there are few.

    Cost: two walks over the score levels, and tens of thousands of points.
    """
    ends = ends_of(ranks.steps())
    n_full = 1 + int(ends[:, -1].sum())
    if not is_long(n_full, limit):
        return Points.of(ranks)
    first, (n_pos, n_neg) = next(iter(ranks.steps())), ends[-1, 1:3].tolist()
    least = float(first.tps[0] + first.fps[0])
    targets = dense_targets(n_pos, n_neg, least, limit)
    # Columns: index, threshold, true and false positives.
    kept = [_columns(0, np.array([np.inf]), np.zeros(1), np.zeros(1))]
    hull = before = kept[0]
    best = [-np.inf, -np.inf]
    for steps in ranks.steps():
        place = int(before[0, -1])
        block = np.concatenate(
            [before, _columns(place + 1, steps.thresholds, steps.tps, steps.fps)], axis=1
        )
        tps, fps = block[2], block[3]
        wanted = [np.array([1, block.shape[1] - 1])]
        for path, target in zip((tps, fps, tps + fps), targets, strict=True):
            here = target[(target > path[0]) & (target <= path[-1])]
            wanted.append(np.searchsorted(path, here))
        for i, gain in enumerate(landmark_gains(tps, fps, n_pos, n_neg)):
            if np.nanmax(gain, initial=-np.inf) > best[i]:
                best[i] = float(np.nanmax(gain))
                wanted.append(np.array([max(int(np.nanargmax(gain)), 1)]))
        found = np.concatenate(wanted)
        kept.append(block[:, np.concatenate([found - 1, found])])
        corners = np.concatenate([hull[:, hull[0] < place], block], axis=1)
        hull = corners[:, upper_hull(corners[3], corners[2])]
        before = block[:, -1:]
    columns = np.concatenate([*kept, hull], axis=1)
    _, places = np.unique(columns[0], return_index=True)
    return Points.some(ranks, np.ascontiguousarray(columns[1:, places]), n_full)


def _columns(first: int, thresholds: Floats, tps: Floats, fps: Floats) -> Floats:
    return np.stack([np.arange(first, first + len(tps), dtype=np.float64), thresholds, tps, fps])
