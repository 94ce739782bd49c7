"""Case-control samples: a fixed number of rows of each true class."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from karat.designs.rows import IndependentRows
from karat.designs.units import Codes, Floats, Sample, Units, kish, small_sample
from karat.tally.cached import cached_property


@dataclass(frozen=True, eq=False)
class RowsOfClasses(IndependentRows):
    """Independent rows within each true class: the proportions of the classes do not vary.

    Attributes:
        true: int[e], the true class of each unit, from 0 to k − 1.
        k: number of classes.
    """

    true: Codes = field(default_factory=lambda: np.empty(0, np.int64))
    k: int = 0

    @cached_property
    def _weight_of_class(self) -> Floats:
        return np.asarray(np.bincount(self.true, self.weights, self.k), np.float64)

    def centred(self, phi: Floats) -> Floats:
        values = np.asarray(phi, np.float64)
        held = np.where(self.weights > 0, values * self.weights, 0.0).reshape(-1, values.shape[-1])
        sums = np.array([np.bincount(self.true, part, self.k) for part in held])
        weight = self._weight_of_class
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(weight > 0, sums / weight, 0.0)
        return np.asarray(values - means[:, self.true].reshape(values.shape))

    def covariance(self, phi: Floats) -> Floats:
        return Units.covariance(self, phi)

    def variance_of_moves(self, moves: Floats) -> float:
        return Units.variance_of_moves(self, moves)


def units_of(sample: Sample) -> RowsOfClasses:
    """The units of so many rows of each true class."""
    true, k = sample.true, sample.k
    assert true is not None
    factors = sample.factors
    if sample.grows:
        sums = (np.bincount(true, part, k) for part in (sample.weights, sample.squares))
        factors = np.nan_to_num(small_sample(kish(*sums)), nan=1.0)[true]
    parts = sample.weights, sample.squares, factors, sample.df, sample.classes
    return RowsOfClasses(*parts, true=true, k=k)
