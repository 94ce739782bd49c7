"""Sampling errors of metrics of a confusion matrix, by linearization.

The variance of a metric is Σ w²·(g − ḡ)² ÷ (Σw)² (Binder 1983), with its derivative g with respect
to the cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.designs import DRAWINGS, Design, units_of
from karat.designs.units import ROUNDING, Sample, Units
from karat.inference.limits import Floats
from karat.inference.rounding import settled_variance, size_of
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._program import Slopes
from karat.tally import Cells, Classes, ClusteredCells, reorder
from karat.tally.cached import cached_property
from karat.tally.cells import true_negatives
from karat.tally.shared import recoding

CELLS_TO_SLOPES: Final = np.array(
    [[-1.0, 0.0, 1.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [1.0, -1.0, -1.0, 1.0]]
)
"""Map from derivatives with respect to tn, fp, fn and tp of a class to derivatives by its true row,
by its predicted column and at their crossing. A cell (i, j) is a false negative of i, a false
positive of j, and neither of any other class. A common term of all cells is left out."""


class OneVsRestVariance(Protocol):
    """Inputs of limits per class: counts of each class against the rest, and their variances.

    Members without a description are those of `TableVariance`.
    """

    @property
    def kept(self) -> dict[Any, Any]: ...
    @property
    def k(self) -> int:
        """Number of classes."""
        ...

    @property
    def is_simple(self) -> bool: ...
    @property
    def is_weighted(self) -> bool: ...
    @property
    def has_squares(self) -> bool:
        """True if rows have different weights, and Σw² is known."""
        ...

    @property
    def n_units(self) -> float:
        """Number of clusters; infinite if rows are independent."""
        ...

    @property
    def has_strata(self) -> bool:
        """True if the number of rows of each true class was fixed."""
        ...

    @property
    def varies_less(self) -> bool: ...
    @property
    def total(self) -> float: ...
    @property
    def n_effective(self) -> float: ...
    @property
    def one_vs_rest(self) -> tuple[Floats, Floats]: ...
    @property
    def class_counts(self) -> Floats: ...
    def class_inflation(self, partials: Floats) -> Floats: ...
    def class_variances(self, partials: Floats) -> Floats: ...
    def class_df(self, partials: Floats) -> Floats: ...


@dataclass(frozen=True, eq=False)
class TableVariance:
    """Confusion matrix with its sampling design.

    Attributes:
        cells: the tally, without leading axes, with its cells and, if weighted, their squares.
        design: whether rows were sampled, or a fixed number of each true class.
        clusters: the same rows by cluster, if there are clusters.

    Example:
        >>> from karat.tally import Classes
        >>> spread = TableVariance(Cells.dense([[40, 10], [5, 45]], classes=Classes.of([0, 1])))
        >>> float(spread.variance(np.array([1.0, 0.0, 0.0, 1.0]))) == 0.85 * 0.15 / 100
        True
    """

    cells: Cells
    design: Design = "cohort"
    clusters: ClusteredCells | None = None
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """Cached results for this table."""

    def on(self, classes: Classes) -> TableVariance:
        """The same table on these classes, which hold those of before."""
        cells, clusters = reorder(self.cells, classes), self.clusters
        if clusters is not None:
            to, k = recoding(self.cells.classes, classes).astype(np.int64), classes.k
            rows, cols = (to[codes] for codes in self.cells.coordinates())
            listed_rows, listed_cols = cells.coordinates()
            places = np.searchsorted(listed_rows * k + listed_cols, rows * k + cols)
            clusters = replace(clusters, place=places[clusters.place])
        return TableVariance(cells, self.design, clusters)

    @property
    def is_simple(self) -> bool:
        """True if rows are independent and have equal weights."""
        return not self.has_strata and self.clusters is None and self.cells.squares is None

    @property
    def has_strata(self) -> bool:
        """True if the number of rows of each true class was fixed."""
        return DRAWINGS[self.design].fixes_classes

    @property
    def varies_less(self) -> bool:
        """True if a proportion may vary less than with as many rows drawn from all."""
        return DRAWINGS[self.design].varies_less

    @cached_property
    def units(self) -> Units:
        """The listed cells, as they were drawn."""
        clusters = self.clusters
        if clusters is not None and self.unit != 1.0:
            clusters = replace(clusters, weight=clusters.weight / self.unit)
        sample = Sample(self.weights, self.squares, self.rows, self.cells.k)
        return units_of(self.design, sample, clusters)

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.cells.k

    @property
    def is_weighted(self) -> bool:
        """True if cells are sums of weights."""
        return self.cells.is_weighted

    @property
    def has_squares(self) -> bool:
        """True if rows have different weights, and Σw² is known."""
        return self.cells.squares is not None

    @property
    def n_units(self) -> float:
        """Number of clusters; infinite if rows are independent."""
        return math.inf if self.clusters is None else self.units.n_units

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
        """Power of two near the mean weight: the unit in which sums of weights compare to rows."""
        if not self.cells.is_weighted:
            return 1.0
        mean = float(self.cells.fields.n) / max(int(self.cells.n_rows), 1)
        return 2.0 ** round(math.log2(mean)) if mean > 0 else 1.0

    @cached_property
    def weights(self) -> Floats:
        """float64[m], weight in the listed cells, in units."""
        cells = self.cells.fields.cells
        assert cells is not None
        return cells if self.unit == 1.0 else cells / self.unit

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
        return float(self.cells.fields.n) / self.unit

    @cached_property
    def n_effective(self) -> float:
        """Kish's effective sample size (Σw)² ÷ Σw²: the number of rows if all weights are equal."""
        if self.cells.squares is None or not self.total:
            return self.total
        return self.total**2 / float(self.squares.sum())

    @property
    def df(self) -> float:
        """Largest degrees of freedom: clusters minus 1; without clusters practically infinite."""
        return self.units.df

    def df_of(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: degrees of freedom of `variance`, from derivatives g [..., m].

        Without clusters they are practically infinite. If nothing varies, clusters are weighted by
        their rows.

        Cost: as `variance`.
        """
        values = np.asarray(g, np.float64)
        size = float(np.abs(values).max(initial=0.0))
        return self.units.degrees_of_each(self.units.centred(values), size)

    def centred(self, g: npt.ArrayLike) -> Floats:
        """float64[..., m]: the influence of a row of each cell, from a derivative [..., m]."""
        return self.units.centred(np.asarray(g, np.float64))

    def variance(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: variance of the metric with derivative g [..., m] in the proportions.

        Cost: O(cells) for each; with clusters O(occupied cells of all clusters).
        """
        return self._without_dust(self.units.variance(np.asarray(g, np.float64)), g)

    def _without_dust(self, variance: Floats, g: npt.ArrayLike) -> Floats:
        """Exactly 0 where the variance is a rounding error of a derivative g [..., m]."""
        size = size_of(self._least_root * np.abs(g).max(axis=-1, initial=0.0))
        return np.asarray(settled_variance(variance, size))

    @cached_property
    def _least_root(self) -> float:
        """Root of the lightest cell: large derivatives there are not errors elsewhere.

        It is 0 if the squares of the weights underflow.
        """
        return float(self.roots[self.weights > 0.0].min(initial=1.0))

    def slope_variances(self, slopes: Floats, listed: Floats | None = None) -> Floats:
        """float64[d]: `variance` of d metrics, from derivatives in parts; NaN if one is infinite.

        The parts float64[d, 3, k] are by true row, by predicted column, and where both meet;
        `listed` float64[d, m] is added in each cell.
        """
        if self.clusters is None:
            squares = None if self.cells.squares is None else self.squares
            rows, cols = (None, None) if self.cells.storage == "dense" else self._index
            given = self.weights, slopes, squares, rows, cols, listed
            return _native.table_variances(*given, self.has_strata)
        g = slopes[:, 0, self.rows] + slopes[:, 1, self.cols]
        g += np.where(self.rows == self.cols, slopes[:, 2, self.rows], 0.0)
        g = g if listed is None else g + listed
        is_finite = np.asarray(np.isfinite(g).all(axis=-1, keepdims=True))
        return np.where(is_finite[:, 0], self.variance(np.where(is_finite, g, 0.0)), np.nan)

    @cached_property
    def _index(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        return self.rows.astype(np.int32), self.cols.astype(np.int32)

    def covariance(self, g: npt.ArrayLike) -> Floats:
        """float64[d, d]: covariance of d metrics, from their derivatives g [d, m]."""
        return self.units.covariance(np.asarray(g, np.float64))

    @cached_property
    def row_weights(self) -> Floats | None:
        """float64[k]: Σw² ÷ Σw of each true class, relative to that of all; None of a cohort.

        Classes that were sampled apart and weighted differ in the weight of their rows.
        """
        if not self.has_strata or self.cells.squares is None or not self.total:
            return None
        squares, weights = (
            np.bincount(self.rows, x, self.cells.k) for x in (self.squares, self.weights)
        )
        scale = self.n_effective / self.total
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where((weights > 0) & (squares > 0), squares / weights * scale, 1.0)

    def simple_variance(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: the variance for `n_effective` rows; of a stratum for its own."""
        phi = self.centred(g)
        shares = self.weights / self.total
        if self.row_weights is not None:
            shares = shares * self.row_weights[self.rows]
        spread = ((phi * np.sqrt(shares)) ** 2).sum(axis=-1)
        return self._without_dust(spread / self.n_effective, g)

    def effective_rows(self, g: npt.ArrayLike) -> float:
        """Rows of a proportion that varies as much, from the derivative of what it is like."""
        n, inflation = self.n_effective, float(self.inflation(g))
        if self.row_weights is None:
            return n / inflation
        squares = self.centred(g) ** 2 * self.weights
        varies = float((squares * self.row_weights[self.rows]).sum())
        n *= float(squares.sum()) / varies if varies > 0.0 else 1.0
        return n / inflation

    def inflation(self, g: npt.ArrayLike) -> Floats:
        """float64[...]: ratio of the variance to the simple variance, at least 1.

        Weights correlated with the errors, or dependent rows of a cluster, reduce the effective
        rows. If nothing varies in the sample, each cluster counts as one row.
        """
        if self.clusters is None and self.cells.squares is None:
            return np.ones(np.asarray(g).shape[:-1])
        simple, actual = self.simple_variance(g), self.variance(g)
        none = max(self.n_effective / self.n_units, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(simple > 0, actual / simple, none)
        return np.maximum(ratio, 1.0)

    @cached_property
    def smoothed(self) -> TableVariance | None:
        """Table with ½ ÷ k rows more in each cell; None if not every cell is listed."""
        if self.cells.storage != "dense":
            return None
        scale = self.n_effective / self.total
        each = 1.0 if self.row_weights is None else self.row_weights[:, None]
        counts = self.cells.counts / self.unit * scale + 0.5 / self.cells.k * each
        cells = Cells.dense(
            np.asarray(counts, np.float64),
            classes=self.cells.classes,
            squares=None if self.row_weights is None else counts * each,
            n_rows=self.cells.n_rows,
        )
        return TableVariance(cells, self.design)

    @cached_property
    def one_vs_rest(self) -> tuple[Floats, Floats]:
        """float64[k, 2, 2] each: Σw and Σw² of each class against the rest, truth by prediction."""
        weights = self.class_counts.T.reshape(-1, 2, 2)
        return weights, weights if self.cells.squares is None else _folded(self, self.squares)

    @cached_property
    def class_counts(self) -> Floats:
        """float64[4, k]: Σw of tn, fp, fn and tp of each class, in units."""
        if self.cells.is_weighted:
            return np.ascontiguousarray(_folded(self, self.weights).reshape(-1, 4).T)
        fields = self.cells.fields
        return np.array((fields.tn, fields.fp, fields.fn, fields.tp))

    def class_inflation(self, partials: Floats) -> Floats:
        """float64[k]: `inflation` for every class, from derivatives [k, 2, 2] by its four cells."""
        if self.clusters is None and self.cells.squares is None:
            return np.ones(self.cells.k)
        each = []
        for i in range(self.cells.k):
            g = self.spread_out(partials, i)
            # A cell that is not listed affects the scale of the derivative, too.
            varies = self._without_dust(self.simple_variance(g), partials[i].ravel()) > 0.0
            each.append(float(self.inflation(g if varies else np.zeros_like(g))))
        return np.array(each)

    def class_variances(self, partials: Floats) -> Floats:
        """float64[k]: variance of a metric of one class, for every class; see `class_inflation`.

        Cost: O(cells) for each class where rows are clustered or drawn by class, else O(k).
        """
        if self.clusters is None and not self.has_strata:
            weights, squares = self.one_vs_rest
            mean = (partials * weights).sum(axis=(1, 2)) / self.total
            phi = partials - mean[:, None, None]
            found = ((phi * np.sqrt(squares) / self.total) ** 2).sum(axis=(1, 2))
            return self._without_dust(found, partials.reshape(-1, 4))
        each = [float(self.variance(self.spread_out(partials, i))) for i in range(self.cells.k)]
        return self._without_dust(np.array(each), partials.reshape(-1, 4))

    def class_df(self, partials: Floats) -> Floats:
        """float64[k]: `df_of` a metric of one class, for every class; see `class_inflation`."""
        if self.clusters is None:
            return np.full(self.cells.k, math.inf)
        each = [self.spread_out(partials, i) for i in range(self.cells.k)]
        return np.array([float(self.df_of(g)) for g in each])

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
        # A cell (i, j) is a false negative of i, a false positive of j, and neither of others.
        off = rest + (fn - tn)[self.rows] + (fp - tn)[self.cols]
        return np.asarray(np.where(hit, rest + (tp - tn)[self.rows], off))


def _folded(spread: TableVariance, values: Floats) -> Floats:
    """float64[k, 2, 2] of each class against the rest: [[tn, fp], [fn, tp]]."""
    tp, fn, fp = _sides(spread, values)
    # A sum over no cell is exactly 0.
    hits, misses, alarms = _sides(spread, (values > 0.0).astype(np.float64))
    elsewhere = np.round(hits.sum() + misses.sum() - hits - misses - alarms).astype(np.int64)
    tn = true_negatives(tp, fp, fn, np.asarray(values.sum()), elsewhere)
    return np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)


def _sides(spread: TableVariance, values: Floats) -> tuple[Floats, Floats, Floats]:
    """float64[k] each: sums over the hits, the misses and the false positives of each class."""
    k, hit = spread.cells.k, spread.rows == spread.cols
    places = (spread.rows, hit), (spread.rows, ~hit), (spread.cols, ~hit)
    tp, fn, fp = (
        np.asarray(np.bincount(index[kept], values[kept], k), np.float64) for index, kept in places
    )
    return tp, fn, fp


def derivative(metric: Metric, cells: Cells, policy: Policy = "zero") -> Floats:
    """float64[m]: derivative of a metric with respect to the proportion of each listed cell."""
    return cell_slopes(metric.slopes(cells, policy), cells)


def slopes_on(metric: Metric, spread: TableVariance, policy: Policy) -> Slopes:
    """Return the value of a metric on a table and its derivatives, computed once for each table."""
    key = "slopes", metric, policy
    if key not in spread.kept:
        spread.kept[key] = metric.slopes(spread.cells, policy)
    found: Slopes = spread.kept[key]
    return found


def df_on(metric: Metric, spread: TableVariance, policy: Policy) -> float:
    """Return the degrees of freedom of the variance of a metric on a table, computed once."""
    if spread.clusters is None:
        return spread.df
    key = "df", metric, policy
    if key not in spread.kept:
        g = cell_slopes(slopes_on(metric, spread, policy), spread.cells)
        known = np.isfinite(g).all()
        spread.kept[key] = float(spread.df_of(settled_slopes(metric, g))) if known else spread.df
    found: float = spread.kept[key]
    return found


def settled_slopes(metric: Metric, g: Floats) -> Floats:
    """float64[m]: derivatives at the listed cells, 0 where they differ by rounding only.

    They do for a table without errors, and for one in which truth and prediction are independent.
    """
    span = metric.range[1] - metric.range[0]
    span = span if math.isfinite(span) else 1.0
    return g if float(np.ptp(g)) > ROUNDING * span else np.zeros_like(g)


def cell_slopes(found: Slopes, cells: Cells) -> Floats:
    """float64[m]: a gradient at the listed cells, with respect to their proportions."""
    g = found.gradient.at_cells() * float(cells.fields.n)
    if found.gradient.fields is not cells.fields:
        # The formula reads the unlisted cells, too.
        rows, cols = cells.coordinates()
        return np.asarray(g[rows * cells.k + cols])
    return g


def variance_of(found: Slopes, spread: TableVariance) -> float:
    """Return the variance of the metric with this derivative; NaN where it is not finite."""
    g = found.gradient
    # For classes of negligible weight, sums of parts are rounding errors of the others.
    if g.cells is None and not spread.cells.is_weighted:
        parts = np.array(((g.true, g.pred, g.same),)) * float(spread.cells.fields.n)
        return float(spread.slope_variances(parts)[0])
    listed = cell_slopes(found, spread.cells)
    return float(spread.variance(listed)) if np.isfinite(listed).all() else math.nan
