"""How the differences of models vary together: from influences, or from variances of their own.

Models on the same rows: the influence of a row on a difference is the difference of its
influences. Models on different rows are independent, and their variances add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import ClusteredCells

__all__ = ["Apart", "Paired", "SamplingError", "Units"]

Floats: TypeAlias = npt.NDArray[np.float64]


class SamplingError(Protocol):
    """How the values of m models vary."""

    @property
    def df(self) -> float:
        """Degrees of freedom of a variance."""

    def variance(self, a: int, b: int) -> float:
        """Of the difference of two models."""

    def contrasts(self) -> Floats:
        """float64[m − 1, m − 1]: covariance of the differences of the others to the first."""


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn: rows one by one, cells of equal rows, or clusters of them.

    Attributes:
        weights: float64[e], Σw of each cell or row.
        squares: float64[e], Σw².
        clusters: the same by cluster, or None.
        factors: float64[e], by how much the part of each in a variance grows in small samples;
            None: by nothing.
        df: degrees of freedom of a variance.
    """

    weights: Floats
    squares: Floats
    clusters: ClusteredCells | None = None
    factors: Floats | None = None
    df: float = math.inf

    @property
    def total(self) -> float:
        """Σw."""
        return float(self.weights.sum())

    @property
    def n_effective(self) -> float:
        """Kish's number of rows, at most the number of clusters."""
        rows = self.total**2 / float(self.squares.sum())
        return rows if self.clusters is None else min(rows, float(self.clusters.n_clusters))

    def centred(self, phi: Floats) -> Floats:
        """float64[..., e]: influences less their mean."""
        return np.asarray(phi - ((phi * self.weights).sum(-1) / self.total)[..., None])

    def covariance(self, phi: Floats) -> Floats:
        """float64[d, d]: of d numbers whose influences are phi [d, e]."""
        centred = self.centred(phi)
        if self.clusters is not None:
            sums = np.array([self.clusters.sums(part) for part in centred])
            g = self.clusters.n_clusters
            return np.asarray(sums @ sums.T * (g / (g - 1.0) / self.total**2))
        squares = self.squares if self.factors is None else self.squares * self.factors
        # Losses beyond 1e150 have squares that no number holds: then no variance is known.
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray((centred * squares) @ centred.T / self.total**2)


@dataclass(frozen=True, eq=False)
class Paired:
    """Models on the same rows.

    Attributes:
        phi: float64[m, e], influence of each cell or row on each model's value.
        units: what is drawn.
    """

    phi: Floats
    units: Units

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        return self.units.df

    def variance(self, a: int, b: int) -> float:
        """Of the difference of two models."""
        # Where the influences are the same their difference is 0, not what rounding leaves of it.
        return float(self.units.covariance((self.phi[a] - self.phi[b])[None])[0, 0])

    def contrasts(self) -> Floats:
        """float64[m − 1, m − 1]: covariance of the differences of the others to the first."""
        return self.units.covariance(self.phi[1:] - self.phi[0])


@dataclass(frozen=True, eq=False)
class Apart:
    """Models on different rows.

    Attributes:
        variances: float64[m], of the value of each.
        df: degrees of freedom.
        least: float64[m], the variance of each where no row of the sample shows any, in the test
            of all models at once: by its limits. 0: none is known.
    """

    variances: Floats
    df: float = math.inf
    least: Floats | None = None

    def variance(self, a: int, b: int) -> float:
        """Of the difference of two models."""
        return float(self.variances[a] + self.variances[b])

    def contrasts(self) -> Floats:
        """float64[m − 1, m − 1]: covariance of the differences of the others to the first."""
        found = self.variances
        if self.least is not None:
            found = np.where(found > 0.0, found, self.least)
        return np.asarray(np.diag(found[1:]) + found[0])
