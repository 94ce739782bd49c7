"""Simultaneous confidence bands of curves, from the data that a curve keeps.

Each threshold of a ROC or precision-recall curve gives a rectangle: Jeffreys limits of the false
and of the true positive rate, both at one quantile. The band lies between two lines, one through
the better corners of the rectangles and one through the worse ones. The quantile is the smallest at
which the proportion of samples with the whole curve inside the lines is at least the level. Samples
are drawn from the concave hull of the curve, since the steps of single rows are not part of the
population. A precision follows from both rates and the odds of the class, whose limits use the same
quantile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.curves._band import Band
from karat.curves._curve import Reliability
from karat.curves._sampling import OF_CLUSTERS
from karat.curves._simplify import upper_hull
from karat.curves._traced import PrecisionRecall, Roc
from karat.designs.units import kish
from karat.errors import KaratError, error
from karat.inference.confidence import Confidence
from karat.inference.limits import (
    Flags,
    Floats,
    beta_limits,
    quick_beta_high,
    quick_beta_low,
    student_quantile,
)

LEVELS: Final = (0.5, 0.999)
"""Range of levels whose quantile can be simulated."""
_ONE_OF_EACH: Final = "Keep one row of each cluster, and leave clusters= out, or draw no band."
_SEED: Final = 20260
_REPLICATES: Final = (500, 5000)
_BEYOND: Final = 25
"""Smallest and largest number of replicates, and the target number of those outside the band."""
_BINNED: Final = 4
"""Factor of the number of replicates for bins, which are fast."""
_LEAST_TAIL: Final = 1e-9
_MISSES: Final = 0.8
"""Factor of the proportion of replicates outside, since the curve they come from is an estimate."""
_CELLS: Final = 48
"""Steps of either rate between the points from which replicates are drawn."""
_PLACES: Final = 96
"""Minimal number of positions at which the population curve is compared with replicates."""
_ROUNDING: Final = 1e-9
"""Steps of a rate below this are rounding errors."""
_POINTS: Final = 256
"""Largest number of points whose rectangles the lines of a band pass through."""
_FIRST_QUANTILE: Final = 1.7
"""Initial quantile, below most solutions: replicates inside it are not evaluated again."""
_LAST_QUANTILE: Final = 12.0
_CLOSE: Final = 0.004
_N_PLACES: Final = 101
"""Number of precisions added to those where the lines of the band bend."""
_SLACK: Final = 1e-12


def band_of(curve: Any, level: Any = 0.95) -> Band:
    """Return the band of a curve; see `karat.curves.Roc.band`.

    Errors:
        K122 the level cannot be simulated; K315 there is no band of this curve.
    """
    asked = _checked(level)
    if curve.no_band is not None:
        is_clustered = curve.no_band == OF_CLUSTERS
        raise _no_band(curve.no_band, _ONE_OF_EACH if is_clustered else "")
    if curve.undefined is not None:
        raise _no_band(f"It is undefined: {curve.undefined}", "Give rows of both kinds.")
    if curve.label is None:
        raise _no_band("It pools the classes, and the scores of one row depend on each other")
    if curve.squares is None:
        raise _no_band("The sums of the squares of its weights are not known")
    # A page draws a band and lists it, too.
    kept: dict[float, Band] = curve.__dict__.setdefault("_bands", {})
    if asked not in kept:
        is_binned, is_roc = isinstance(curve, Reliability), isinstance(curve, Roc)
        make = _of_bins if is_binned else _of_roc if is_roc else _of_precision
        kept[asked] = make(curve, asked)
    return kept[asked]


def _checked(level: Any) -> float:
    low, high = LEVELS
    try:
        asked = Confidence.of(level)
    except KaratError:
        asked = None
    if asked is None or not low <= asked.level <= high:
        choices = f"a number from {low:g} to {high:g}, as 0.95"
        do = "It is the proportion of such bands that contain the whole curve of the population."
        raise error("K122", argument="level", value=level, choices=choices, do=do)
    return asked.level


def _no_band(found: str, do: str = "") -> Exception:
    ask = "Take one class of independent rows: karat.curves.roc(y_true, y_prob=...).band()."
    return error("K315", found=found, do=do or ask)


def _of_bins(curve: Reliability, level: float) -> Band:
    """Jeffreys limits of each bin; bins are independent, given their numbers of rows."""
    has_rows = curve.weight > 0
    share, low, high = curve.share, *np.full((2, len(curve)), np.nan)
    rows = kish(curve.weight[has_rows], curve.squares[has_rows])
    tail = _tail_of_bins(share[has_rows], rows, level)
    low[has_rows], high[has_rows] = beta_limits(share[has_rows], rows, tail)
    quantile = student_quantile(np.inf, tail)
    return _made(curve, curve.mean_confidence, low, high, level, quantile, "jeffreys")


def _tail_of_bins(share: Floats, rows: Floats, level: float) -> float:
    """Tail probability of each limit at which the simultaneous coverage of all bins is the level.

    Replicates have proportions drawn from the Jeffreys posterior and made monotone over the bins:
    bins of few rows near 0 or 1 borrow information from their neighbors. The tail is larger than
    for the same number of separate intervals: a bin of few rows is rarely outside, and one without
    hits or misses only on one side.
    """
    from scipy.special import betainc

    n = np.maximum(np.rint(rows), 1.0)
    hits = share * n
    rng = np.random.default_rng(_SEED)
    size = (_BINNED * _n_replicates(level), len(n))
    true = np.minimum(_rising(rng.beta(hits + 0.5, n - hits + 0.5, size), n + 1.0), 1.0)
    drawn = rng.binomial(n.astype(np.int64), true)
    below = betainc(drawn + 0.5, n - drawn + 0.5, true)
    outside = np.minimum(np.where(drawn > 0, below, 1.0), np.where(drawn < n, 1.0 - below, 1.0))
    least = np.quantile(outside.min(axis=1), 1.0 - level, method="lower")
    return float(np.clip(least, _LEAST_TAIL, 0.49))


def _rising(y: Floats, weight: Floats) -> Floats:
    """float64[r, b]: weighted least-squares fit of nondecreasing rows (isotonic regression).

    Each value is the maximum, over the bins up to it, of the minimal mean from there to it or
    beyond.

    Ref: Barlow, Bartholomew, Bremner, Brunk (1972). Statistical Inference under Order Restrictions.
    """
    found = np.full_like(y, -np.inf)
    for first in range(len(weight)):
        sums = np.cumsum(y[:, first:] * weight[first:], axis=1)
        means = sums / np.cumsum(weight[first:])
        least = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
        np.maximum(found[:, first:], least, out=found[:, first:])
    return found


def _n_replicates(level: float) -> int:
    least, most = _REPLICATES
    return min(max(round(_BEYOND / (1.0 - level)), least), most)


def _made(
    curve: Any, x: Floats, low: Floats, high: Floats, level: float, quantile: float, method: str
) -> Band:
    return Band(
        label=curve.label,
        axes=curve.axes,
        x=x,
        low=low,
        high=high,
        level=level,
        quantile=quantile,
        method=method,
    )


def _of_roc(curve: Roc, level: float) -> Band:
    fpr, tpr = curve.fpr, curve.tpr
    rows = _rows(curve)
    quantile = _simulated(fpr, tpr, rows, level, is_whole=not curve.error, draws_odds=False)
    down, up = _left_out(fpr, tpr, curve.error)
    least, most = np.maximum(tpr - down, _before(tpr)), np.minimum(tpr + up, _after(tpr))
    at = _spread(fpr, tpr, _POINTS // 2)
    lines = _Lines(fpr[None, at], least[None, at], most[None, at], rows[1], rows[0])
    x = lines.bends(quantile)
    low, high = (one[0] for one in lines.at(quantile, x))
    return _made(curve, x, low, high, level, quantile, "jeffreys-joined")


def _of_precision(curve: PrecisionRecall, level: float) -> Band:
    """Lines in the plane of the two rates, the true positive one first, converted to precision."""
    if not curve.n_neg:
        raise _no_band("Every row is truly of the class", "Give rows of other classes, too.")
    recall, odds = curve.recall, curve.n_pos / curve.n_neg

    def others(precision: Floats) -> Floats:
        """Return the false positive rate at each recall."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = recall * odds * (1.0 / np.clip(precision, 0.0, 1.0) - 1.0)
        return np.clip(np.where(recall > 0, found, 0.0), 0.0, 1.0)

    fpr = np.maximum.accumulate(others(curve.precision))
    fpr[-1] = 1.0
    rows = _rows(curve)
    quantile = _simulated(fpr, recall, rows, level, is_whole=not curve.error, draws_odds=True)
    down, up = _left_out(recall, curve.precision, curve.error)
    least = np.maximum(np.minimum(others(curve.precision + down), fpr), _before(fpr))
    most = np.minimum(np.maximum(others(curve.precision - up), fpr), _after(fpr))
    # If no row of the class is found, the number of others is unknown: at most the next.
    n_none = int((recall == 0).sum())
    if n_none > 1:
        most[n_none - 1] = _after(fpr)[n_none - 1]
    at = _spread(fpr, recall, _POINTS // 2)
    lines = _Lines(recall[None, at], least[None, at], most[None, at], rows[0], rows[1])
    x = np.union1d(lines.bends(quantile), np.linspace(0.0, 1.0, _N_PLACES))
    few, many = (one[0] for one in lines.at(quantile, x))
    below, above = _odds_limits(*rows, quantile)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(x > 0, 1.0 / (1.0 + many / (x * odds * below)), 0.0)
        high = np.where(x > 0, 1.0 / (1.0 + few / (x * odds * above)), 1.0)
    return _made(curve, x, low, high, level, quantile, "jeffreys-joined")


def _left_out(x: Floats, y: Floats, error: float) -> tuple[Floats, Floats]:
    """Vertical distance that dropped points may have, before and after each point.

    Their distance from the line between two points is at most `error`.
    """
    none = np.zeros(len(x))
    if not error:
        return none, none
    dx, dy = np.diff(x), np.diff(y)
    with np.errstate(divide="ignore"):
        reach = np.where(dx > 0, error * np.hypot(dx, dy) / dx, np.inf)
    return np.concatenate([[0.0], reach]), np.concatenate([reach, [0.0]])


def _before(y: Floats) -> Floats:
    return np.concatenate([y[:1], y[:-1]])


def _after(y: Floats) -> Floats:
    return np.concatenate([y[1:], y[-1:]])


def _rows(curve: Any) -> tuple[float, float]:
    """Effective rows of the class, and of the others."""
    own, others = kish((curve.n_pos, curve.n_neg), curve.squares).tolist()
    return own, others


def _odds_limits(own: Any, others: Any, quantile: float) -> tuple[Any, Any]:
    """Limits of the odds of the class, each divided by the odds."""
    total = own + others
    part = own / total
    low, high = (limit(part, total, quantile) for limit in (quick_beta_low, quick_beta_high))
    with np.errstate(divide="ignore"):
        return low / (1.0 - low) * (others / own), high / (1.0 - high) * (others / own)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines above and below a curve, or that of each replicate: limits of one rate by another.

    Attributes:
        x, least, most: float64[r, t], the horizontal rate at each threshold, and the range of the
            vertical rate there.
        n_x, n_y: effective rows of both rates, or float64[r, 1].
    """

    x: Floats
    least: Floats
    most: Floats
    n_x: Any
    n_y: Any

    def at(self, quantile: float, places: Floats) -> tuple[Floats, Floats]:
        """Return lower and upper limit at each position: float64[r, p] each."""
        first, last = _ends(self.x, self.least, self.most)
        left, right = self.reach(quantile)
        low = quick_beta_low(first, self.n_y, quantile)
        high = quick_beta_high(last, self.n_y, quantile)
        below = np.where(places < right[:, :1], 0.0, _along(right, low, places))
        return below, _along(left, high, places)

    def bends(self, quantile: float) -> Floats:
        """Return the positions where the lines of a single curve bend, with both ends."""
        limits = self.reach(quantile)
        return np.unique(np.concatenate([[0.0, 1.0], *(one[0] for one in limits)]))

    def reach(self, quantile: float) -> tuple[Floats, Floats]:
        """Return the limits of the horizontal rate."""
        low, high = (
            limit(self.x, self.n_x, quantile) for limit in (quick_beta_low, quick_beta_high)
        )
        return low, high

    def some(self, which: Flags) -> _Lines:
        n_x, n_y = (n[which] if isinstance(n, np.ndarray) else n for n in (self.n_x, self.n_y))
        return _Lines(self.x[which], self.least[which], self.most[which], n_x, n_y)


def _ends(x: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Return the first `least` and the last `most` of equal x; all ascend along the second axis."""
    is_same = x[:, 1:] == x[:, :-1]
    first, last = least.copy(), most.copy()
    for i in range(x.shape[1] - 1):
        np.copyto(first[:, i + 1], first[:, i], where=is_same[:, i])
    for i in reversed(range(x.shape[1] - 1)):
        np.copyto(last[:, i], last[:, i + 1], where=is_same[:, i])
    return first, last


def _along(x: Floats, y: Floats, places: Floats) -> Floats:
    """float64[r, p]: the line through the points of each row, at each position.

    Of points at one position, the last counts; beyond both ends, the line is constant.
    """
    n, t = x.shape
    # The rows one after another, far apart, form one sorted array.
    apart = 2.0 * np.arange(n)[:, None]
    after = np.searchsorted((x + apart).ravel(), (places + apart).ravel(), side="right")
    first = np.repeat(np.arange(n) * t, places.shape[-1])
    after = np.clip(after, first + 1, first + t - 1)
    x, y = x.ravel(), y.ravel()
    start, width = x[after - 1], x[after] - x[after - 1]
    done = np.tile(places, n) - start
    part = np.divide(done, width, out=np.ones_like(done), where=width > 0)
    found = y[after - 1] + np.clip(part, 0.0, 1.0) * (y[after] - y[after - 1])
    return np.asarray(found.reshape(n, -1))


def _spread(fpr: Floats, tpr: Floats, steps: int) -> npt.NDArray[np.intp]:
    """Indices of both ends and some points between, at most two for each step of either rate.

    A step is constant in units of the standard error of a rate, and thus short near 0 and 1.
    """
    if len(fpr) <= 2 * steps:
        return np.arange(len(fpr))
    targets = np.sin(np.linspace(0.0, np.pi / 2.0, steps)) ** 2
    found = [np.searchsorted(rate, targets) for rate in (fpr, tpr)]
    return np.unique(np.clip(np.concatenate([*found, [0]]), 0, len(fpr) - 1))


def _population(fpr: Floats, tpr: Floats, *, is_whole: bool) -> tuple[Floats, Floats]:
    """Proportions of the other rows and of the class between points of the concave curve.

    Between two corners of the hull, all thresholds separate the two classes equally well. Tied rows
    of both classes stay tied; others are spread evenly, so that replicates have thresholds between
    the observed ones. With dropped points, ties are unknown.
    """
    both = np.concatenate([[0.0], np.cumsum(np.diff(fpr) + np.diff(tpr))])
    hull = upper_hull(fpr, tpr)
    corners, x, y = both[hull], fpr[hull], tpr[hull]
    steps = np.sin(np.linspace(0.0, np.pi / 2.0, _CELLS)) ** 2
    at = np.concatenate([np.interp(steps, x, corners), np.interp(steps, y, corners)])
    is_tied = np.minimum(np.diff(fpr), np.diff(tpr)) > _ROUNDING if is_whole else np.zeros(0, bool)
    if is_tied.any():
        first, last = both[:-1][is_tied], both[1:][is_tied]
        tie = np.maximum(np.searchsorted(first, at, side="right") - 1, 0)
        is_inside = (first[tie] < at) & (at < last[tie])
        at = np.concatenate([at[~is_inside], first, last])
    at = np.unique(np.concatenate([[0.0], at, both[-1:]]))
    at = at[np.concatenate([[True], np.diff(at) > _ROUNDING])]
    x, y = np.interp(at, corners, x), np.interp(at, corners, y)
    kept = _spread(x, y, 2 * _CELLS)
    return np.diff(x[kept]), np.diff(y[kept])


def _simulated(
    fpr: Floats,
    tpr: Floats,
    rows: tuple[float, float],
    level: float,
    *,
    is_whole: bool,
    draws_odds: bool,
) -> float:
    """Quantile at which lines of samples contain the curve that they are drawn from.

    With `draws_odds`, the number of rows of the class is random, too, and the odds have limits.
    """
    others, own = _population(fpr, tpr, is_whole=is_whole)
    # One more row, at any score, so that unobserved outcomes are possible.
    others, own = (
        (part * n + 1.0 / len(part)) / (n + 1.0) for part, n in ((others, rows[1]), (own, rows[0]))
    )
    n_own, n_others = (max(1, round(n)) for n in rows)
    total, odds = n_own + n_others, n_own / n_others
    n = _n_replicates(level)
    rng = np.random.default_rng(_SEED)
    drawn = np.full(n, n_own)
    if draws_odds:
        drawn = np.clip(rng.binomial(total, n_own / total, n), 1, total - 1)
    tprs, fprs = (
        _cumulative(rng.multinomial(m, part)) / m[:, None]
        for m, part in ((drawn, own), (total - drawn, others))
    )
    # The curve is straight within a cell, but the lines of a replicate may not be.
    n_parts = max(2, math.ceil(_PLACES / len(own)))
    places = np.linspace(0.0, len(own), n_parts * len(own) + 1)
    true, false = (
        np.interp(places, np.arange(len(part) + 1), np.minimum(_cumulative(part[None])[0], 1.0))
        for part in (own, others)
    )
    if draws_odds:
        sizes = drawn[:, None].astype(np.float64)
        lines = _Lines(tprs, fprs, fprs, sizes, total - sizes)
        contains = partial(_contains, places=true, truth=false, odds=odds)
    else:
        lines = _Lines(fprs, tprs, tprs, float(n_others), float(n_own))
        contains = partial(_contains, places=false, truth=true)
    # With few score levels, replicates differ little: use at least the limit of one rate.
    return max(_least(contains, lines, level), student_quantile(np.inf, 1.0 - level))


def _cumulative(parts: npt.NDArray[Any]) -> Floats:
    start = np.zeros((len(parts), 1))
    return np.concatenate([start, np.cumsum(parts, axis=1)], axis=1)


def _contains(
    lines: _Lines, quantile: float, *, places: Floats, truth: Floats, odds: float | None = None
) -> Flags:
    """bool[r]: whether the lines of each replicate contain the curve; see `_simulated`."""
    low, high = lines.at(quantile, places)
    if odds is not None:
        below, above = _odds_limits(lines.n_x, lines.n_y, quantile)
        drawn = lines.n_x / lines.n_y / odds
        with np.errstate(divide="ignore"):
            low, high = low / (above * drawn), high / (below * drawn)
    return np.asarray(((truth >= low - _SLACK) & (truth <= high + _SLACK)).all(axis=1))


def _least(contains: Any, lines: _Lines, level: float) -> float:
    """Return the smallest quantile at which enough of the lines contain the curve.

    A replicate that contains the curve at one quantile does so at each larger one. Once its side of
    the solution is known, it is not evaluated again.
    """
    # Of the replicates and one further sample.
    wanted = (1.0 - _MISSES * (1.0 - level)) * (len(lines.x) + 1)
    low, at, high = 0.0, _FIRST_QUANTILE, np.inf
    while len(lines.x) and high - low > _CLOSE and low < _LAST_QUANTILE:
        is_in = contains(lines, at)
        n_in = int(is_in.sum())
        if n_in >= wanted:
            high, lines = at, lines.some(is_in)
        else:
            low, wanted, lines = at, wanted - n_in, lines.some(~is_in)
        at = (low + high) / 2.0 if np.isfinite(high) else 2.0 * at
    return (low + high) / 2.0 if np.isfinite(high) else low
