"""Independent rows: plain, or with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.designs.units import Floats, Sample, SeparateClasses, Units
from karat.tally.cached import cached_property


@dataclass(frozen=True, eq=False)
class IndependentRows(Units):
    """Rows that do not depend on each other, one by one or in cells of equal rows.

    Attributes:
        factors: float64[e], by how much the square of each grows in small samples; None: by 1.
        df: degrees of freedom of a variance.
        classes: the true class of each, where classes add to a variance separately.
    """

    factors: Floats | None = None
    df: float = math.inf
    classes: SeparateClasses | None = None

    @property
    def compares_classes(self) -> bool:
        return self.classes is not None

    @cached_property
    def _scaled_squares(self) -> Floats:
        scaled = self.squares if self.factors is None else self.squares * self.factors
        return np.ascontiguousarray(scaled, np.float64)

    @cached_property
    def roots(self) -> Floats:
        """float64[e], √Σw² ÷ Σw of all."""
        return np.asarray(np.sqrt(self._scaled_squares) / self.total)

    def centred(self, phi: Floats) -> Floats:
        return np.asarray(phi - ((phi * self.weights).sum(-1) / self.total)[..., None])

    def errors(self, phi: Floats) -> Floats:
        return self.centred(phi) * self.roots

    def variance_of_moves(self, moves: Floats) -> float:
        squares = moves**2
        return float((squares if self.factors is None else squares * self.factors).sum())

    def covariance(self, phi: Floats) -> Floats:
        # Losses beyond 1e150 have squares that no number holds: then no variance is known.
        rows = np.ascontiguousarray(phi), np.ascontiguousarray(self.weights)
        return _native.covariance(*rows, self._scaled_squares, self.total)

    def degrees(self, phi: Floats) -> float:
        if self.classes is None:
            return self.df
        with np.errstate(over="ignore", invalid="ignore"):
            return self.classes.degrees(self._scaled_squares * phi**2)

    def degrees_of_value(self, phi: Floats) -> float:
        del phi
        return self.df

    def least_tail(self, moves: npt.NDArray[np.bool_]) -> float:
        """The exact p-value if all rows of some units [e] move a difference to the same side.

        Under equal models, each of n rows moves it to either side: mid-p is 2⁻ⁿ. The normal
        distribution has smaller tails.
        """
        square = float(self.squares[moves].sum())
        n = float(self.weights[moves].sum()) ** 2 / square if square > 0.0 else 0.0
        return float(np.exp2(-n))


def units_of(sample: Sample) -> IndependentRows:
    """The units of rows that were drawn one by one."""
    return IndependentRows(
        sample.weights, sample.squares, sample.factors, sample.df, sample.classes
    )
