"""Sampling error of areas: variances of placements, and what they are shrunk towards.

Sources: DeLong, DeLong, Clarke-Pearson (1988) for the variance; Hanley, McNeil (1982) for that of
exponential scores; Satterthwaite (1946) for the degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.variance import kish, small_sample
from karat.tally import Placements

__all__ = ["AreaVariance", "of_own", "of_rest", "shrunk_pairs"]

Floats: TypeAlias = npt.NDArray[np.float64]
_PSEUDO_ROWS: Final = 5.0


def of_own(area: Any) -> Any:
    """Variance of the placement of an own row, if both sides had exponential scores."""
    return 2.0 * area**2 / (1.0 + area) - area**2


def of_rest(area: Any) -> Any:
    """Variance of the placement of a row of the rest, if both sides had exponential scores."""
    return area / (2.0 - area) - area**2


@dataclass(frozen=True, slots=True)
class AreaVariance:
    """Of one class against the rest; of the rest, then of the own class.

    Attributes:
        area: the area.
        rows: float64[2], Kish's effective rows.
        variances: float64[2], what each side adds to the variance of the area; NaN for one row.
        informative: (Σ|V − A|)² ÷ Σ(V − A)² over the own rows.
    """

    area: float
    rows: Floats
    variances: Floats
    informative: float

    @classmethod
    def of(cls, area: float, found: Placements) -> AreaVariance:
        """From the sums of the placements."""
        rows = kish(found.weight, found.square)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            variances = found.spread / found.weight**2 * small_sample(rows)
            spread = found.spread[1]
            informative = found.size**2 / spread if spread > 0 else np.nan
        return cls(area, rows, variances, float(informative))

    @property
    def variance(self) -> float:
        """Of the area, equal to DeLong's for rows without weights."""
        return float(self.variances.sum())

    @property
    def shrunk_variances(self) -> Floats:
        """float64[2], with placement variances shrunk towards those of exponential scores."""
        if not np.isfinite(self.area):
            return np.full(2, np.nan)
        likely = np.array([of_rest(self.area), of_own(self.area)])
        n = self.rows
        shrunk: Floats = (n * (self.variances * n) + _PSEUDO_ROWS * likely) / (n + _PSEUDO_ROWS) / n
        return shrunk

    @property
    def shrunk(self) -> float:
        """The variance from those."""
        return float(self.shrunk_variances.sum())

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of the shrunk variance.

        Of an area of 0 or 1, whose rows do not vary, those of the smaller side.
        """
        parts = self.shrunk_variances
        if not parts.any():
            return float(self.rows.min()) - 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(parts.sum() ** 2 / (parts**2 / (self.rows - 1.0)).sum())


def shrunk_pairs(by_class: Floats, rows: Floats, chance: Floats, share: Floats) -> float:
    """The variance of a mean over pairs of classes, shrunk class by class.

    The placement of a row is a sum over its pairs. Its likely variance is that of exponential
    scores if all of these moved together, which is more than they do.

    Args:
        by_class: float64[k], what the rows of each class add to the variance.
        rows: float64[k], Kish's effective rows of each class.
        chance: float64[k, k], the areas of the pairs (own, other); NaN where there is none.
        share: float64[k, k], the weight of each pair in the mean; 0 where there is none.
    """
    area = np.where(np.isfinite(chance), chance, 0.0)
    root = (share * np.sqrt(np.maximum(of_own(area), 0.0))).sum(axis=1)
    root += (share * np.sqrt(np.maximum(of_rest(area), 0.0))).sum(axis=0)
    held = rows > 0
    n, likely = rows[held], root[held] ** 2
    shrunk = (n * (by_class[held] * n) + _PSEUDO_ROWS * likely) / (n + _PSEUDO_ROWS) / n
    return float(shrunk.sum())
