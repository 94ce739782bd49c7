"""Isotonic and logistic regression of the outcome on the confidence.

Ref: Dimitriadis, Gneiting, Jordan (2021). Stable reliability diagrams for probabilistic
classifiers. PNAS 118; Cox (1958). Two further applications of a model for binary regression.
Biometrika 45.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.metrics._views import ClassProbabilities
from karat.tally import CumulativeCounts, LevelSource
from karat.tally.cached import cached_property

Numbers: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
Points: TypeAlias = tuple[Floats, Floats, Floats]
"""Log-odds, and the weight of misses and of hits at each one."""
Number = TypeVar("Number", float, Floats)


@dataclass(frozen=True, eq=False)
class Recalibrated:
    """Confidences and their isotonic recalibration, both ascending.

    Attributes:
        levels: the distinct confidences.
        lengths: int[m], number of levels in each block of equal recalibrated values.
        block_misses, block_hits: float64[m], weight of the misses and of the hits.
    """

    levels: LevelSource
    lengths: npt.NDArray[np.intp]
    block_misses: Floats
    block_hits: Floats

    @property
    def block_values(self) -> Floats:
        """float64[m]: the recalibrated value of each block, its proportion of hits."""
        return self.block_hits / (self.block_hits + self.block_misses)

    @property
    def n_hits(self) -> float:
        return float(self.block_hits.sum())

    @property
    def n_misses(self) -> float:
        return float(self.block_misses.sum())

    def walk(self) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Yield chunks of confidences (descending), misses and hits, and recalibrated values."""
        # From the best on: number of score levels at or above the last one of each block.
        lengths, values = self.lengths[::-1], self.block_values[::-1]
        ends = np.cumsum(lengths)
        first = 0
        for p, counts, _ in self.levels.blocks():
            misses, hits = (np.asarray(counts[:, side], np.float64) for side in (0, 1))
            last = first + len(p)
            i, j = np.searchsorted(ends, [first, last - 1], side="right")
            here = slice(i, j + 1)
            held = np.minimum(ends[here], last) - np.maximum(ends[here] - lengths[here], first)
            yield p, misses, hits, np.repeat(values[here], held)
            first = last


def recalibrated(levels: LevelSource) -> Recalibrated:
    """Isotonic recalibration of cumulative counts of confidences; the own class means a hit.

    Cost: O(score levels).
    """
    lengths, sums = np.empty(0, np.int64), None
    for _, counts, _ in levels.blocks():
        # Blocks of the whole are blocks of blocks of its parts.
        lengths = np.concatenate([lengths, np.ones(len(counts), np.int64)])
        sums = counts if sums is None else np.concatenate([sums, counts])
        lengths, sums = _native.pool_levels(np.ascontiguousarray(sums), lengths)
    misses, hits = np.zeros((2, 0)) if sums is None else np.asarray(sums.T, np.float64)
    return Recalibrated(levels, lengths[::-1], misses[::-1], hits[::-1])


_STEPS: Final = 200
_SHIFTS: Final = 1000
"""Larger than the largest difference of two log-odds: far from all rows a step is about 1."""
_GROUPS: Final = 4096
_CLOSE: Final = 1e-9
"""Relative step at which Newton's method stops: its error is then the square of that."""
_REACH: Final = 4.0
"""Limit of the change of the log-odds of any row by the first step."""
_NEAR: Final = 0.5
"""Changes of the log-odds below which a Newton step is accepted without its likelihood."""
_ENOUGH: Final = 1e-4
"""Required fraction of the predicted gain of a longer step (Armijo's rule)."""
_ROUNDING: Final = 1e-13
"""Relative rounding error of a likelihood."""
_UNDEFINED: Final = (math.nan, math.nan)


def line_of(view: ClassProbabilities) -> tuple[float, float]:
    """Return `recalibration_line` of a class, computed once."""
    return view.made(recalibration_line, odds_of(view))


def shift_of(view: ClassProbabilities) -> float:
    """Return `recalibration_shift` of a class, computed once."""
    return view.made(recalibration_shift, odds_of(view))


def odds_of(view: ClassProbabilities) -> HeldOdds | None:
    """Return the log-odds of a class whose score levels are in memory, computed once."""
    return view.made(HeldOdds) if view.is_held else None


def recalibration_line(levels: LevelSource, odds: HeldOdds | None = None) -> tuple[float, float]:
    """Maximum-likelihood intercept a and slope b of logit P(hit) = a + b·logit p.

    NaN where a confidence is 0 or 1, where hits and misses do not overlap (the likelihood has no
    maximum), or where the search fails: only rows of negligible weight overlap, or confidences
    differ by rounding alone.

    Cost: about seven walks over the levels, thirty with outliers, about 400 where no line is found.
    With many score levels, most are walks over groups.
    """
    points = _points_of(levels, odds)
    outline = _Outline.of(points()) if odds is None else odds.outline
    if not outline.is_finite or not outline.overlaps:
        return _UNDEFINED
    line, ends = _Line(outline.log_odds), outline.ends
    if levels.n_rows > 4 * _GROUPS:
        few = _grouped(points(), levels.n_rows)
        if _Outline.of([few]).overlaps:
            line = _ascended(line, ends, lambda: [few]) or line
    found = _ascended(line, ends, points)
    return _UNDEFINED if found is None else (found.at(0.0), found.slope)


def recalibration_shift(levels: LevelSource, odds: HeldOdds | None = None) -> float:
    """Maximum-likelihood shift a of logit P(hit) = a + logit p.

    NaN where a confidence is 0 or 1, or if there are only hits or only misses.

    Cost: about ten Newton steps of O(score levels); two or three if there are many.
    """
    points = _points_of(levels, odds)
    outline = _Outline.of(points()) if odds is None else odds.outline
    if not outline.is_finite or not math.isfinite(outline.log_odds):
        return math.nan
    # At these ends, no confidence or every confidence is above the proportion of hits.
    high, low = (outline.log_odds - end for end in outline.ends)
    start = 0.0
    if levels.n_rows > 4 * _GROUPS:
        few = _grouped(points(), levels.n_rows)
        start = _shifted(start, low, high, lambda: [few])
    return _shifted(start, low, high, points)


def _shifted(
    start: float, low: float, high: float, points: Callable[[], Iterable[Points]]
) -> float:
    """Newton's method for the shift, kept inside the interval that contains it."""
    a = min(max(start, low), high)
    for _ in range(_SHIFTS):
        missing = slope = 0.0
        for levels in points():
            moments = _native.logistic_moments(*levels, a, 1.0, 0.0)
            missing += moments[1]
            slope += moments[3]
        low, high = (a, high) if missing > 0 else (low, a)
        after = a + missing / slope if slope > 0 else math.inf
        if not low <= after <= high:
            after = (low + high) / 2.0
        if abs(after - a) <= _CLOSE * (1.0 + abs(a)):
            return after
        a = after
    return a


@dataclass(frozen=True)
class _Line:
    """A line, by its height where rows determine it, which limits cancellation."""

    height: float
    slope: float = 0.0
    centre: float = 0.0

    def at(self, x: Number) -> Number:
        return self.height + self.slope * (x - self.centre)

    def plus(self, step: _Line, part: float = 1.0) -> _Line:
        height = self.at(step.centre) + part * step.height
        return _Line(height, self.slope + part * step.slope, step.centre)


def _ascended(
    line: _Line, ends: tuple[float, float], points: Callable[[], Iterable[Points]]
) -> _Line | None:
    """Newton's method from a line to the one with the largest likelihood.

    Far from hits and misses, the curvature gives no information on the distance to them. Within
    `ends`, a step is therefore at most as long as the last successful one, or twice as long.

    Returns:
        The line; None where curvatures underflow, or the search does not converge.

    Ref: Bach (2010). Self-concordant analysis for logistic regression. EJS 4: if a step changes the
    line little everywhere, the next one is smaller; Nocedal, Wright (2006), section 3.1.
    """
    here, radius = _Ascent.of(line, points()), _REACH
    for _ in range(_STEPS):
        if not (here.weight > 0 and here.square > 0):
            break
        step = here.step
        reach, most = (max(abs(each.at(x)) for x in ends) for each in (step, line))
        height = line.at(step.centre)
        if abs(step.height) <= _CLOSE * (1.0 + abs(height)) and reach <= _CLOSE * (1.0 + most):
            return line.plus(step)
        part, moved, there = 2.0 * min(1.0, radius / reach), line, here
        # For a short step, which does gain, the comparison would depend on rounding.
        while moved is line or (part * reach > _NEAR and not there.gained(here, part)):
            part /= 2.0
            moved = line.plus(step, part)
            there = _Ascent.of(moved, points())
        radius = 2.0 * part * reach if part < 1.0 else max(radius, 2.0 * reach)
        line, here = moved, there
    return None


@dataclass
class _Ascent:
    """Likelihood at a line, with its gradient and curvatures.

    Attributes:
        start: center of the line.
        likelihood: its logarithm.
        higher, steeper: its derivatives by height and slope of the line.
        weight, away, square: minus its second derivatives: by the height, and by the slope about
            the spread-weighted mean of x, `away` from the start, where no cancellation occurs.
    """

    start: float
    likelihood: float = 0.0
    higher: float = 0.0
    steeper: float = 0.0
    weight: float = 0.0
    away: float = 0.0
    square: float = 0.0

    @classmethod
    def of(cls, line: _Line, points: Iterable[Points]) -> _Ascent:
        found = cls(line.centre)
        for levels in points:
            moments = _native.logistic_moments(*levels, line.height, line.slope, line.centre)
            likelihood, higher, steeper, *spread = moments
            found.likelihood += likelihood
            found.higher += higher
            found.steeper += steeper
            found._spread(*spread)
        return found

    def _spread(self, weight: float, away: float, square: float) -> None:
        """Add rows to weight, mean and square, merging without subtraction."""
        if not weight:
            return
        further, total = away - self.away, self.weight + weight
        self.square += square + further**2 * weight * (self.weight / total)
        self.away += further * (weight / total)
        self.weight = total

    @property
    def _turning(self) -> float:
        return self.steeper - self.away * self.higher

    @property
    def step(self) -> _Line:
        slope = self._turning / self.square
        return _Line(self.higher / self.weight, slope, self.start + self.away)

    @property
    def gain(self) -> float:
        """Twice the gain of the step on the quadratic approximation of the likelihood."""
        return self.higher**2 / self.weight + self._turning**2 / self.square

    def gained(self, before: _Ascent, part: float) -> bool:
        """Return whether this part of the step gained enough, up to rounding."""
        rounding = _ROUNDING * abs(before.likelihood)
        return self.likelihood >= before.likelihood + _ENOUGH * part * before.gain - rounding


def both_sides(t: Floats) -> tuple[Floats, Floats]:
    """σ(t) and σ(−t), neither computed as 1 minus the other."""
    small = np.exp(-np.abs(t))
    larger = 1.0 / (1.0 + small)
    smaller = small * larger
    is_up = t >= 0
    return np.where(is_up, larger, smaller), np.where(is_up, smaller, larger)


def _grouped(points: Iterable[Points], n: int) -> Points:
    """Group neighboring points at their mean: few points that give nearly the same line."""
    means, of_misses, of_hits = [], [], []
    for z, misses, hits in points:
        n_groups = max(1, _GROUPS * len(z) // n)
        starts = np.linspace(0, len(z), n_groups, endpoint=False).astype(np.intp)
        of_misses.append(np.add.reduceat(misses, starts))
        of_hits.append(np.add.reduceat(hits, starts))
        sums = np.add.reduceat((misses + hits) * z, starts)
        means.append(sums / (of_misses[-1] + of_hits[-1]))
    return np.concatenate(means), np.concatenate(of_misses), np.concatenate(of_hits)


def log_odds(p: Floats) -> Floats:
    """float64[n]: infinite where a probability is 0 or 1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


def _odds(levels: LevelSource) -> Iterator[Points]:
    for p, counts, _ in levels.blocks():
        misses, hits = (np.ascontiguousarray(counts[:, side], np.float64) for side in (0, 1))
        yield log_odds(p), misses, hits


def points_of(view: ClassProbabilities) -> Iterable[Points]:
    """Yield the score levels of a class by their log-odds, block by block."""
    return _points_of(view.levels, odds_of(view))()


def spread_about(view: ClassProbabilities, a: float, b: float) -> tuple[float, float, float]:
    """Σ spread, its mean x, Σ spread·(x − mean)²; spread: weight·σ(t)·σ(−t), t = a + b·x."""
    return view.made(_spread_about, odds_of(view), a, b)


def _spread_about(
    levels: LevelSource, odds: HeldOdds | None, a: float, b: float
) -> tuple[float, float, float]:
    found = _Ascent.of(_Line(a, b), _points_of(levels, odds)())
    return found.weight, found.away, found.square


def _points_of(levels: LevelSource, odds: HeldOdds | None) -> Callable[[], Iterable[Points]]:
    """Yield the score levels by their log-odds, which are kept if the levels are."""
    if odds is None and isinstance(levels, CumulativeCounts):
        odds = HeldOdds(levels)
    if odds is None:
        return lambda: _odds(levels)
    points = odds.points
    return lambda: points


class HeldOdds:
    """Log-odds of all score levels, and their ranges."""

    def __init__(self, levels: LevelSource) -> None:
        self.points = list(_odds(levels))

    @cached_property
    def outline(self) -> _Outline:
        return _Outline.of(self.points)


@dataclass
class _Outline:
    """Weights of misses and of hits, and the range of the log-odds of each."""

    weight: list[float]
    low: list[float]
    high: list[float]

    @classmethod
    def of(cls, points: Iterable[Points]) -> _Outline:
        found = cls([0.0, 0.0], [math.inf] * 2, [-math.inf] * 2)
        for x, *sides in points:
            for side, weight in enumerate(sides):
                found.weight[side] += float(weight.sum())
                is_held = weight > 0
                first, last = int(is_held.argmax()), len(x) - 1 - int(is_held[::-1].argmax())
                if not is_held[first]:
                    continue
                # The log-odds are descending.
                found.low[side] = min(found.low[side], float(x[last]))
                found.high[side] = max(found.high[side], float(x[first]))
        return found

    @property
    def ends(self) -> tuple[float, float]:
        return min(self.low), max(self.high)

    @property
    def is_finite(self) -> bool:
        """True if there are confidences, and none is 0 or 1."""
        return all(map(math.isfinite, self.ends))

    @property
    def overlaps(self) -> bool:
        """True if some hit lies below some miss and some miss below some hit."""
        return self.low[1] < self.high[0] and self.low[0] < self.high[1]

    @property
    def log_odds(self) -> float:
        """Logarithm of the ratio of hits to misses; NaN without either."""
        misses, hits = self.weight
        return math.log(hits / misses) if hits > 0 and misses > 0 else math.nan
