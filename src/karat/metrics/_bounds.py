"""Bounds of rank-based metrics when neighboring scores are known only as buckets.

For any order of the rows inside the buckets, the ROC curve passes through the corners of the
buckets and between two extreme curves: own rows of each bucket above the others, and below them. A
metric that increases with the curve lies between its values on these two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Order, Steps
from karat.tally.bins import uniform_edges

Floats: TypeAlias = npt.NDArray[np.float64]
Limits: TypeAlias = tuple[float, float]
Views: TypeAlias = Mapping[Order, Any]
"""The view of the column with the rows of each bucket tied, in the best and in the worst order."""

_SLACK: Final = 1e-12
"""Allowance of a bound for rounding, relative to 1 or to the bound."""


Bounds: TypeAlias = Callable[[Callable[..., float], Mapping[str, Any], Views], Limits | None]
"""Body, parameters, views → the lowest and the highest value possible for rows of these buckets.

None: the bounds are unknown."""


def between_orders(
    body: Callable[..., float], params: Mapping[str, Any], views: Views
) -> Limits | None:
    """Bounds of a metric that is monotone in the ROC curve, or an extreme over its corners."""
    found = [float(body(views[order], **params)) for order in ("tied", "best", "worst")]
    if not all(np.isfinite(found)):
        return None
    return widened(min(found), max(found))


def at_precision(
    body: Callable[..., float], params: Mapping[str, Any], views: Views
) -> Limits | None:
    """Bounds of a metric over thresholds with a precision of at least `min_precision`.

    Sums of weights round differently in another order, so that a threshold with exactly this
    precision may fall below it.
    """
    if not views["tied"].ranked.is_weighted:
        return between_orders(body, params, views)
    least = params["min_precision"]
    strict = {**params, "min_precision": min(least * (1.0 + _SLACK), 1.0)}
    lax = {**params, "min_precision": least * (1.0 - _SLACK)}
    low, high = between_orders(body, strict, views), between_orders(body, lax, views)
    return None if low is None or high is None else (low[0], high[1])


def under_steps(_: Callable[..., float], __: Mapping[str, Any], views: Views) -> Limits | None:
    """Bounds of Σ (increase of recall) × precision: own rows first, or last and one by one."""
    tied, best = views["tied"], views["best"]
    if not tied.n_pos:
        return None
    low = 0.0
    for steps in tied.steps():
        own, false, gained = _gains(steps)
        # ∫ x ÷ (x + FP) dx over the own rows of a bucket: finer steps only add to it.
        start = own - gained
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(false > 0, false * np.log1p(gained / (start + false)), 0.0)
        low += float((gained - lost).sum())
    return widened(low / tied.n_pos, best.step_area)


def under_lines(_: Callable[..., float], __: Mapping[str, Any], views: Views) -> Limits | None:
    """Bounds of the area by straight lines, from the lowest and highest precision of a bucket."""
    tied = views["tied"]
    if not tied.n_pos:
        return None
    low = high = 0.0
    for steps in tied.steps():
        own, false, gained = _gains(steps)
        before = np.concatenate([[steps.fps_before], false[:-1]])
        start = own - gained
        with np.errstate(divide="ignore", invalid="ignore"):
            low += float((gained * np.nan_to_num(start / (start + false))).sum())
            high += float((gained * np.nan_to_num(own / (own + before), nan=1.0)).sum())
    return widened(low / tied.n_pos, high / tied.n_pos)


def _gains(steps: Steps) -> tuple[Floats, Floats, Floats]:
    """float64[u]: true and false positives at each level, and the increase of the true ones."""
    return steps.tps, steps.fps, np.diff(steps.tps, prepend=steps.tps_before)


def _size(gain: Callable[[Steps], Floats], n_pos: float, n_neg: float) -> float:
    """Return the magnitude of the terms of a gain, which limits the precision of differences."""
    ends = np.array([0.0, 0.0, n_pos, n_pos]), np.array([0.0, n_neg, 0.0, n_neg])
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.abs(gain(Steps(ends[0], *ends, 0.0, 0.0)))
    return float(np.max(gains, initial=0.0, where=np.isfinite(gains)))


def in_bins(body: Callable[..., float], params: Mapping[str, Any], views: Views) -> Limits | None:
    """Bounds of sums over equal bins: exact unless a bucket spans two bins."""
    view = views["tied"]
    if params.get("scheme", "uniform") != "uniform" or "bins" not in params:
        return None
    table, edges = view.ranked.table, uniform_edges(params["bins"])
    place = [np.searchsorted(edges, ends, "left") for ends in (table.low, table.high)]
    after = [np.searchsorted(edges, ends, "right") for ends in (table.low, table.high)]
    if (place[0] != place[1]).any() or (after[0] != after[1]).any():
        return None
    value = float(body(view, **params))
    if table.is_summed:
        return value, value
    # Every norm of the gaps changes by at most the change of the confidence of a bin.
    far = np.maximum(table.high - table.means, table.means - table.low)
    return widened(value - float(far.max(initial=0.0)), value + float(far.max(initial=0.0)))


def unmoved(body: Callable[..., float], params: Mapping[str, Any], views: Views) -> Limits | None:
    """Bounds of a metric that depends on the weight of the class alone."""
    value = float(body(views["tied"], **params))
    return (value, value) if np.isfinite(value) else None


def argmax_of(
    gain: Callable[..., Callable[[Steps], Floats]], of_none: Callable[..., float] | None = None
) -> Bounds:
    """Bounds of the highest threshold at which the `gain` of its steps is largest.

    Args:
        gain: view and parameters → a function of steps. Within each bucket, it is largest with its
            own rows alone, with the others alone, or with both.
        of_none: view and parameters → the gain of calling no row positive.
    """

    def bounds(_: Callable[..., float], params: Mapping[str, Any], views: Views) -> Limits:
        tied = views["tied"]
        gain_of = gain(tied, **params)
        gains: list[Floats] = []
        corners: list[Floats] = []
        low: list[Floats] = []
        for steps in tied.steps():
            before = np.concatenate([[steps.tps_before], steps.tps[:-1]])
            false = np.concatenate([[steps.fps_before], steps.fps[:-1]])
            gains.append(gain_of(steps))
            first = gain_of(steps._replace(fps=false))
            last = gain_of(steps._replace(tps=before))
            corners.append(np.maximum(np.maximum(first, last), gains[-1]))
            low.append(steps.thresholds)
        high = tied.ranked.table.high
        most, corner = np.concatenate(gains).max(), np.concatenate(corners)
        none = -np.inf if of_none is None else of_none(tied, **params)
        slack = _SLACK * _size(gain_of, tied.n_pos, tied.n_neg)
        may = corner >= max(most, none) - slack
        ends = [float(np.concatenate(low)[may].min())] if may.any() else []
        ends += [float(high[may].max())] if may.any() else []
        if none >= most - slack:
            ends.append(np.inf)
        return min(ends), max(ends)

    return bounds


def is_open(limits: Limits | None) -> bool:
    """Return whether bounds are not exact; None: unknown, NaN: undefined."""
    return limits is None or limits[0] < limits[1]


def widened(low: float, high: float) -> Limits:
    """Return the bounds, widened by the allowance for rounding."""
    return low - _SLACK * max(1.0, abs(low)), high + _SLACK * max(1.0, abs(high))
