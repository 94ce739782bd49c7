"""The line that recalibrates the probabilities of a class, and how each row moves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._regression import both_sides, line_of, log_odds, odds_of, shift_of
from karat.metrics._views import ClassProbabilities, dot
from karat.tally import of_both

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A coefficient of logit P = a + b·x, x = logit p, fitted to weighted rows.

    Attributes:
        value: the coefficient; NaN where there is none.
        a, b: the line.
        gain, turn: the influence of a row that is y of the class is
            (y − P)·(gain + turn·(x − centre)).
        centre: weighted mean of x, by which little cancels.
    """

    value: float
    a: float
    b: float
    gain: float
    turn: float
    centre: float

    @classmethod
    def of(cls, view: ClassProbabilities, part: str) -> Line:
        return view.kept(cls._fitted, part)

    @classmethod
    def _fitted(cls, view: ClassProbabilities, part: str) -> Line:
        if part == "shift":
            a, b = shift_of(view), 1.0
        else:
            a, b = line_of(view)
        value = b if part == "slope" else a
        unknown = cls(np.nan, np.nan, np.nan, np.nan, np.nan, 0.0)
        if not np.isfinite(value):
            return unknown
        # Weighted by the spread of the rows, x and 1 are orthogonal about this centre.
        total = heavy = weighed = 0.0
        for level in _levels_at(view, a, b):
            weight = of_both(level.counts)
            spread = weight * (level.chance * level.rest)
            total += float(weight.sum())
            heavy += float(spread.sum())
            weighed += dot(spread, level.x)
        if not heavy:
            return unknown  # every row lies where the line is 0 or 1
        centre = weighed / heavy
        if part == "shift":
            return cls(value, a, b, total / heavy, 0.0, centre)
        square = sum(
            dot(of_both(level.counts) * (level.chance * level.rest), (level.x - centre) ** 2)
            for level in _levels_at(view, a, b)
        )
        if not square:
            return unknown
        if part == "slope":
            return cls(value, a, b, 0.0, total / square, centre)
        # a is the height at the centre less the slope times the centre.
        return cls(value, a, b, total / heavy, -centre * total / square, centre)

    def influence(self, x: Floats, is_own: Any) -> Floats:
        """float64[n]: of rows with these log-odds."""
        chance, rest = both_sides(self.a + self.b * x)
        with np.errstate(over="ignore", invalid="ignore"):  # endless ones leave it unknown
            found: Floats = np.where(is_own, rest, -chance) * self._slope(x)
        return found

    def _slope(self, x: Floats) -> Floats:
        return self.gain + self.turn * (x - self.centre)

    def squares(self, view: ClassProbabilities) -> Iterator[tuple[Floats, Floats]]:
        """Σw² and φ² of each score level, of the rest and of the own rows: [u, 2] both."""
        for level in _levels_at(view, self.a, self.b):
            square = np.empty((len(level.x), 2))
            # Endless influences, or an infinite square, make the interval unknown.
            with np.errstate(over="ignore", invalid="ignore"):
                slope = self._slope(level.x)
                for side, chance in enumerate((level.chance, level.rest)):
                    np.square(chance * slope, out=square[:, side])
            of_rows = level.counts if level.squares is None else level.squares
            yield np.asarray(of_rows, np.float64), square


class _LevelsAt(NamedTuple):
    """Some thousand score levels: log-odds x, what they hold, and σ(a + b·x), σ(−a − b·x)."""

    x: Floats
    counts: Any
    squares: Floats | None
    chance: Floats
    rest: Floats


def _levels_at(view: ClassProbabilities, a: float, b: float) -> Iterator[_LevelsAt]:
    odds = odds_of(view)
    for i, (scores, counts, squares) in enumerate(view.levels.blocks()):
        x = log_odds(scores) if odds is None else odds.points[i][0]
        sides = both_sides(a + b * x) if odds is None else odds.sides(a, b)[i]
        yield _LevelsAt(x, counts, squares, *sides)
