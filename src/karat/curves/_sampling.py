"""Facts about the rows of curves that their bands need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np

from karat.curves._curve import Curve, Floats, Reliability, WithBand

C = TypeVar("C", bound=Curve)

OF_CLUSTERS: Final = "Its rows come in clusters, and rows of a cluster depend on each other"
NOT_KEPT: Final = "Its rows have weights, and the sums of their squares are not kept"


@dataclass(frozen=True, eq=False)
class Sampling:
    """Facts about the rows of curves that a band needs.

    Attributes:
        is_weighted: whether the rows have weights.
        square: float64[k], Σw² of the rows of each true class; None if it is not kept.
        no_band: why no curve of these rows has a band; None if bands are possible.
    """

    is_weighted: bool = False
    square: Floats | None = None
    no_band: str | None = None

    def on(self, curve: C, i: int) -> C:
        """Return the curve of class i, with the facts that its band needs."""
        if not isinstance(curve, WithBand):
            return curve
        no_band, squares = self.no_band, curve.squares
        if not isinstance(curve, Reliability):
            if not self.is_weighted:
                squares = curve.n_pos, curve.n_neg
            elif self.square is not None:
                squares = float(self.square[i]), float(np.delete(self.square, i).sum())
        if squares is None and no_band is None:
            no_band = NOT_KEPT
        return replace(curve, squares=squares, no_band=no_band)
