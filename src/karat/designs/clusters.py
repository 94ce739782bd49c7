"""Rows that go together: clusters are what was drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from karat.designs.units import ROUNDING, Codes, Floats, Units, kish, small_sample
from karat.tally.cached import cached_property
from karat.tally.row_sample import row_parts


def degrees_of_clusters(sizes: Floats) -> Floats:
    """float64[...]: degrees of freedom of a sum of squares over clusters with parts [..., G].

    (Σs²)² ÷ Σs⁴, the effective number of clusters (Satterthwaite 1946, for parts that differ in
    scale), but at most the number of clusters minus 1. With s = Σ w·|φ| over the rows of a cluster,
    it accounts for clusters of unequal sizes and for errors in few clusters.

    Example:
        >>> degrees_of_clusters(np.array([1.0, 1.0, 1.0, 1.0])).round(2)
        np.float64(3.0)
        >>> degrees_of_clusters(np.array([9.0, 1.0, 1.0])).round(2)
        np.float64(1.05)
    """
    largest = sizes.max(axis=-1, initial=0.0, keepdims=True)
    squares = np.where(largest > 0.0, sizes / np.where(largest > 0.0, largest, 1.0), 1.0) ** 2
    kept = squares.sum(axis=-1) ** 2 / (squares**2).sum(axis=-1)
    return np.asarray(np.minimum(kept, sizes.shape[-1] - 1.0))


class ClusterSums(Protocol):
    """Units by cluster."""

    @property
    def n_clusters(self) -> int:
        """Clusters with positive weight, G."""

    def sums(self, values: Floats) -> Floats:
        """float64[G]: Σ w·value over the rows of each cluster, from values float64[e]."""


@dataclass(frozen=True, eq=False)
class RowClusters:
    """Clusters of single rows; implements `ClusterSums` without sorting them.

    Attributes:
        codes: int[n], the cluster of each row, below n_codes.
        n_codes: clusters, those without weight too.
        weights: float64[n], or None.
    """

    codes: Codes
    n_codes: int
    weights: Floats | None = None

    @classmethod
    def of(cls, codes: Codes, n_codes: int, weights: Floats | None, n_rows: int) -> RowClusters:
        if codes.shape != (n_rows,):
            raise ValueError(f"clusters has shape {codes.shape}, there are {n_rows} rows")
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < n_codes:
            raise ValueError(f"clusters must lie between 0 and {n_codes - 1}")
        return cls(codes, n_codes, weights)

    @cached_property
    def n_clusters(self) -> int:
        held = self.codes if self.weights is None else self.codes[self.weights > 0]
        return int(np.count_nonzero(np.bincount(held, minlength=self.n_codes)))

    def sums(self, values: Floats) -> Floats:
        sums = np.zeros(self.n_codes)
        for part in row_parts(len(values)):
            term = values[part]
            if self.weights is not None:
                weight = self.weights[part]
                term = np.where(weight > 0, weight * term, 0.0)
            sums += np.bincount(self.codes[part], term, self.n_codes)
        return sums


@dataclass(frozen=True, eq=False)
class ClusteredRows(Units):
    """Clusters of units: rows of one cluster may depend on each other.

    Attributes:
        rows: the units as they would be without clusters: by class, perhaps.
        clusters: the units by cluster.
    """

    rows: Units
    clusters: ClusterSums

    @classmethod
    def of(cls, rows: Units, clusters: ClusterSums) -> ClusteredRows:
        return cls(rows.weights, rows.squares, rows, clusters)

    @property
    def n_units(self) -> float:
        return float(self.clusters.n_clusters)

    @property
    def df(self) -> float:
        return self.clusters.n_clusters - 1.0

    @cached_property
    def n_of_rounding(self) -> float:
        """Kish's number of clusters, by their weights."""
        weights = self.clusters.sums(np.ones(len(self.weights)))
        return float(kish(weights.sum(), (weights**2).sum()))

    def centred(self, phi: Floats) -> Floats:
        return self.rows.centred(phi)

    def errors(self, phi: Floats) -> Floats:
        return np.asarray(self._sums(self.centred(phi)) * math.sqrt(self._scale))

    def variance(self, phi: Floats) -> Floats:
        return np.asarray((self._sums(self.centred(phi)) ** 2).sum(axis=-1) * self._scale)

    def covariance(self, phi: Floats) -> Floats:
        sums = self._sums(self.centred(phi))
        return np.asarray(sums @ sums.T * self._scale)

    def errors_of_rows(self, phi: Floats) -> Floats:
        return self.rows.errors_of_rows(phi)

    @property
    def _scale(self) -> float:
        return float(small_sample(float(self.clusters.n_clusters))) / self.total**2

    def _sums(self, values: Floats) -> Floats:
        flat = values.reshape(-1, values.shape[-1])
        sums = np.array([self.clusters.sums(part) for part in flat])
        return sums.reshape(*values.shape[:-1], sums.shape[-1])

    def degrees(self, phi: Floats) -> float:
        if not np.isfinite(phi).all():
            return self.df
        return float(self.degrees_of_each(self.centred(phi), float(np.abs(phi).max(initial=0.0))))

    def degrees_of_each(self, centred: Floats, size: float) -> Floats:
        """float64[...]: degrees of freedom of numbers with centred influences [..., e].

        Where nothing varies, clusters weigh as much as their rows.

        Args:
            size: of the influences before their mean was subtracted.
        """
        sizes = self._sums(np.abs(centred))
        whole = sizes.sum(axis=-1, keepdims=True)
        if not (whole > ROUNDING * self.total * size).all():
            weights = self.clusters.sums(np.ones(len(self.weights)))
            sizes = np.where(whole > ROUNDING * self.total * size, sizes, weights)
        return np.minimum(degrees_of_clusters(sizes), self.df)
