"""Influence of each row on the logistic recalibration of the probabilities of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.metrics._regression import both_sides, line_of, points_of, shift_of, spread_about
from karat.metrics._views import ClassProbabilities

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A coefficient of logit P = a + b·x, x = logit p, fitted to weighted rows.

    Attributes:
        value: the coefficient; NaN where it is undefined.
        a, b: the line.
        gain, turn: the influence of a row that is y of the class is
            (y − P)·(gain + turn·(x − centre)).
        centre: weighted mean of x, which limits cancellation.
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
        # Weighted by the spread of the rows, x and 1 are orthogonal about their mean.
        total = view.n_pos + view.n_neg
        heavy, centre, square = spread_about(view, a, b)
        if not heavy:
            return unknown  # every row lies where the line is 0 or 1
        if part == "shift":
            return cls(value, a, b, total / heavy, 0.0, centre)
        if not square:
            return unknown
        if part == "slope":
            return cls(value, a, b, 0.0, total / square, centre)
        # a is the height at the center minus the slope times the center.
        return cls(value, a, b, total / heavy, -centre * total / square, centre)

    def influence(self, x: Floats, is_own: Any) -> Floats:
        """float64[n]: influence of rows with these log-odds."""
        chance, rest = both_sides(self.a + self.b * x)
        with np.errstate(over="ignore", invalid="ignore"):  # infinite ones leave it unknown
            found: Floats = np.where(is_own, rest, -chance) * self._slope(x)
        return found

    def _slope(self, x: Floats) -> Floats:
        return self.gain + self.turn * (x - self.centre)

    def squares(self, view: ClassProbabilities) -> float:
        """Σ w²φ² over all rows; rows with zero weight are ignored."""
        found = 0.0
        line = self.a, self.b, self.gain, self.turn, self.centre
        for (x, *counts), level in zip(points_of(view), view.levels.blocks(), strict=True):
            rest, own = counts if level.squares is None else level.squares.T
            squares = np.ascontiguousarray(rest), np.ascontiguousarray(own)
            found += _native.logistic_squares(x, *squares, *line)
        return found
