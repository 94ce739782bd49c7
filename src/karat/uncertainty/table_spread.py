"""The sampling error of a table of true × predicted classes: what is added over it varies.

A sum over the rows of a table has the variance Σ w²·(g − ḡ)² ÷ (Σw)² (Binder 1983), with the
derivative g of a metric with respect to the cells: the variance of that metric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Cells, ClusteredCells
from karat.uncertainty.confidence import Design

__all__ = ["TableSpread"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableSpread:
    """A table, and what is known of how its rows were drawn.

    Attributes:
        cells: the tally, without leading axes, with its cells and, if weighted, their squares.
        design: whether the rows were drawn, or so many of each true class.
        clusters: the same rows by cluster, where rows of a cluster are not independent.

    Example:
        >>> from karat.tally import Classes
        >>> spread = TableSpread(Cells.dense([[40, 10], [5, 45]], classes=Classes.of([0, 1])))
        >>> float(spread.variance(np.array([1.0, 0.0, 0.0, 1.0]))) == 0.85 * 0.15 / 100
        True
    """

    cells: Cells
    design: Design = "cohort"
    clusters: ClusteredCells | None = None

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """int64[m], true class of the listed cells."""
        return self.cells.coordinates()[0]

    @cached_property
    def cols(self) -> npt.NDArray[np.int64]:
        """int64[m], predicted class of the listed cells."""
        return self.cells.coordinates()[1]

    @cached_property
    def unit(self) -> float:
        """A power of two near the mean weight: measured in it, sums of weights count like rows."""
        if not self.cells.is_weighted:
            return 1.0
        mean = float(self.cells.fields.n) / max(int(self.cells.n_rows), 1)
        return 2.0 ** round(math.log2(mean)) if mean > 0 else 1.0

    @cached_property
    def weights(self) -> Floats:
        """float64[m], weight in the listed cells, in units."""
        return np.asarray(self.cells.flat() / self.unit, np.float64)

    @cached_property
    def squares(self) -> Floats:
        """float64[m], Σw² in the listed cells, in units."""
        found = self.cells.squares
        if found is None:
            return self.weights
        return np.asarray(self.cells.flat(found) / self.unit / self.unit)

    @cached_property
    def roots(self) -> Floats:
        """float64[m], √Σw² ÷ Σw of all, in the listed cells."""
        return np.asarray(np.sqrt(self.squares) / self.total)

    @cached_property
    def total(self) -> float:
        """Σw, in units."""
        return float(self.weights.sum())

    @cached_property
    def n_effective(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw²: the rows themselves where all weigh the same."""
        return self.total**2 / float(self.squares.sum())

    @property
    def df(self) -> float:
        """Degrees of freedom: clusters less one; without clusters as good as infinite."""
        return math.inf if self.clusters is None else self.clusters.n_clusters - 1.0

    def centred(self, g: npt.ArrayLike) -> Floats:
        """float64[..., m]: the influence of a row of each cell, from a derivative [..., m]."""
        values = np.asarray(g, np.float64)
        if self.design == "cohort":
            return np.asarray(values - ((values * self.weights).sum(-1) / self.total)[..., None])
        k = self.cells.k
        margin = np.bincount(self.rows, self.weights, k)
        flat = (values * self.weights).reshape(-1, values.shape[-1])
        sums = np.array([np.bincount(self.rows, part, k) for part in flat])
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(margin > 0, sums / margin, 0.0)
        return np.asarray(values - means[:, self.rows].reshape(values.shape))

    def variance(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: of the metric whose derivative with respect to the shares is g [..., m].

        Cost: O(cells) for each; with clusters O(occupied cells of all clusters).
        """
        phi = self.centred(g)
        if self.clusters is None:
            # The influence of a row of a class that weighs next to nothing has no square.
            return np.asarray(((phi * self.roots) ** 2).sum(axis=-1))
        clusters = self.clusters
        scale = clusters.n_clusters / (clusters.n_clusters - 1.0) / self.total**2
        flat = phi.reshape(-1, phi.shape[-1])
        found = [float((self._sums(clusters, part) ** 2).sum()) * scale for part in flat]
        return np.array(found).reshape(phi.shape[:-1])

    def covariance(self, g: npt.ArrayLike) -> Floats:
        """float64[d, d]: of d metrics, from their derivatives g [d, m]."""
        phi = self.centred(g)
        if self.clusters is None:
            return np.asarray(np.einsum("am,bm,m->ab", phi, phi, self.squares) / self.total**2)
        clusters = self.clusters
        sums = np.array([self._sums(clusters, part) for part in phi])
        scale = clusters.n_clusters / (clusters.n_clusters - 1.0) / self.total**2
        return np.asarray(np.einsum("ag,bg->ab", sums, sums) * scale)

    def _sums(self, clusters: ClusteredCells, phi: Floats) -> Floats:
        return clusters.sums(phi) / self.unit

    def simple_variance(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: what it would be for `n_effective` rows drawn one by one."""
        phi = self.centred(g)
        spread = ((phi * np.sqrt(self.weights / self.total)) ** 2).sum(axis=-1)
        return np.asarray(spread / self.n_effective)

    def inflation(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: how many times the simple variance is exceeded, at least 1.

        Weights that go with the errors, or rows of a cluster that go together, make fewer rows of
        them. Where nothing varies in the sample, each cluster counts as one row.
        """
        if self.clusters is None and self.cells.squares is None:
            return np.ones(np.asarray(g).shape[:-1])
        simple, actual = self.simple_variance(g), self.variance(g)
        none = self.n_effective / self.clusters.n_clusters if self.clusters is not None else 1.0
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(simple > 0, actual / simple, none)
        return np.maximum(ratio, 1.0)

    def smoothed(self) -> Cells | None:
        """The table with ½ ÷ k rows more in each cell; None where not every cell is listed."""
        if self.cells.storage != "dense":
            return None
        scale = self.n_effective / self.total
        counts = self.cells.counts / self.unit * scale + 0.5 / self.cells.k
        return Cells.dense(
            np.asarray(counts, np.float64), classes=self.cells.classes, n_rows=self.cells.n_rows
        )

    def one_vs_rest(self) -> tuple[Floats, Floats]:
        """float64[k, 2, 2] each: Σw and Σw² of each class against the rest, truth by prediction."""
        return self._one_vs_rest

    @cached_property
    def _one_vs_rest(self) -> tuple[Floats, Floats]:
        weights = _folded(self, self.weights)
        return weights, weights if self.squares is self.weights else _folded(self, self.squares)

    def class_inflation(self, partials: Floats) -> Floats:
        """float64[k]: `inflation` of a metric of one class, for every class.

        Args:
            partials: float64[k, 2, 2], derivative of each class's value with respect to its four
                cells.
        """
        if self.clusters is None and self.cells.squares is None:
            return np.ones(self.cells.k)
        return np.array([float(self.inflation(self.spread_out(partials, i))) for i in
                         range(self.cells.k)])  # fmt: skip

    def class_variances(self, partials: Floats) -> Floats:
        """float64[k]: variance of a metric of one class, for every class; see `class_inflation`.

        Cost: O(cells) for each class where rows are clustered or drawn by class, else O(k).
        """
        if self.clusters is None and self.design == "cohort":
            weights, squares = self.one_vs_rest()
            mean = (partials * weights).sum(axis=(1, 2)) / self.total
            phi = partials - mean[:, None, None]
            return np.asarray(((phi * np.sqrt(squares) / self.total) ** 2).sum(axis=(1, 2)))
        each = [float(self.variance(self.spread_out(partials, i))) for i in range(self.cells.k)]
        return np.array(each)

    def spread_out(self, partials: Floats, i: int) -> Floats:
        """float64[m]: derivative with respect to all cells, from that to the four of class i."""
        found: Floats = partials[i][(self.rows == i).astype(int), (self.cols == i).astype(int)]
        return found

    def added(self, partials: Floats, factors: Floats) -> Floats:
        """float64[m]: Σ over the classes of factor × derivative with respect to all cells."""
        scaled = partials * factors[:, None, None]
        (tn, fp), (fn, tp) = np.moveaxis(scaled, 0, -1)
        hit = self.rows == self.cols
        rest = tn.sum()
        # A cell (i, j) is a miss of i, a false alarm of j, and neither of any other class.
        off = rest + (fn - tn)[self.rows] + (fp - tn)[self.cols]
        return np.asarray(np.where(hit, rest + (tp - tn)[self.rows], off))


def _folded(spread: TableSpread, values: Floats) -> Floats:
    """float64[k, 2, 2] of each class against the rest: [[tn, fp], [fn, tp]]."""
    k = spread.cells.k
    hit = spread.rows == spread.cols
    tp = np.bincount(spread.rows[hit], values[hit], k)
    fn = np.bincount(spread.rows[~hit], values[~hit], k)
    fp = np.bincount(spread.cols[~hit], values[~hit], k)
    tn = np.maximum(values.sum() - tp - fn - fp, 0.0)
    return np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
