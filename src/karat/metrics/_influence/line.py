"""The line that recalibrates the probabilities of a class, and how each row moves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._regression import both_sides, log_odds, recalibration_line, recalibration_shift
from karat.metrics._views import ClassProbabilities, dot
from karat.tally import LevelSource, of_both

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
            a, b = view.made(recalibration_shift), 1.0
        else:
            a, b = view.made(recalibration_line)
        value = b if part == "slope" else a
        unknown = cls(np.nan, np.nan, np.nan, np.nan, np.nan, 0.0)
        if not np.isfinite(value):
            return unknown
        # Weighted by the spread of the rows, x and 1 are orthogonal about this centre.
        total = heavy = weighed = 0.0
        for x, counts, _ in levels_by_log_odds(view):
            weight = of_both(counts)
            spread = weight * _spread(a, b, x)
            total += float(weight.sum())
            heavy += float(spread.sum())
            weighed += dot(spread, x)
        if not heavy:
            return unknown  # every row lies where the line is 0 or 1
        centre = weighed / heavy
        if part == "shift":
            return cls(value, a, b, total / heavy, 0.0, centre)
        square = sum(
            dot(of_both(counts) * _spread(a, b, x), (x - centre) ** 2)
            for x, counts, _ in levels_by_log_odds(view)
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
            found: Floats = np.where(is_own, rest, -chance) * (
                self.gain + self.turn * (x - self.centre)
            )
        return found

    def squares(self, view: ClassProbabilities) -> Iterator[tuple[Floats, Floats]]:
        """Σw² and φ² of each score level, of the rest and of the own rows: [u, 2] both."""
        for x, counts, squares in levels_by_log_odds(view):
            phi = np.stack([self.influence(x, is_own) for is_own in (False, True)], axis=1)
            with np.errstate(over="ignore"):  # an infinite square makes the interval unknown
                square = phi**2
            yield np.asarray(counts if squares is None else squares, np.float64), square


def levels_by_log_odds(view: ClassProbabilities) -> Iterator[tuple[Floats, Any, Floats | None]]:
    """Log-odds of the score levels, and what they hold, some thousand at once."""
    held = view.made(_log_odds_of) if view.is_held else map(log_odds, _scores_of(view.levels))
    for x, (_, counts, squares) in zip(held, view.levels.blocks(), strict=True):
        yield x, counts, squares


def _scores_of(levels: LevelSource) -> Iterator[Floats]:
    return (block.scores for block in levels.blocks())


def _log_odds_of(levels: LevelSource) -> list[Floats]:
    return list(map(log_odds, _scores_of(levels)))


def _spread(a: float, b: float, x: Floats) -> Floats:
    chance, rest = both_sides(a + b * x)
    return chance * rest
