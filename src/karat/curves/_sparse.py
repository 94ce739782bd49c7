"""The points of a very long curve that its simplification and its hull are made of."""

from __future__ import annotations

import numpy as np

from karat.curves._curve import Floats
from karat.curves._points import Points
from karat.curves._simplify import dense_targets, is_long, landmark_gains, upper_hull
from karat.metrics import ClassRanks
from karat.tally import Steps

__all__ = ["sparse_points"]


def sparse_points(ranks: ClassRanks, limit: int) -> Points:
    """The points of a sorted column from which `simplified` and `upper_hull` give what all would.

    Those are the candidates of a simplification to `limit` points, the point before each, and the
    corners of the hull; all points, if these are few.

    Cost: two walks over the rungs, and tens of thousands of points.
    """
    first: Steps | None = None
    n_full = 1
    for steps in ranks.steps():
        first = first or steps
        n_full += len(steps.thresholds)
    if first is None or not is_long(n_full, limit):
        return Points.of(ranks)
    n_pos, n_neg = float(steps.tps[-1]), float(steps.fps[-1])
    least = float(first.tps[0] + first.fps[0])
    targets = dense_targets(n_pos, n_neg, least, limit)
    # Columns: place, threshold, true and false positives.
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
    _, thresholds, tps, fps = np.ascontiguousarray(columns[:, places])
    return Points.some(ranks, thresholds, tps, fps, n_full)


def _columns(first: int, thresholds: Floats, tps: Floats, fps: Floats) -> Floats:
    return np.stack([np.arange(first, first + len(tps), dtype=np.float64), thresholds, tps, fps])
