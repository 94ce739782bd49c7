"""Variance of the 2×2 tables of every label: rows are the units, or clusters of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.designs.units import kish
from karat.inference.limits import Floats
from karat.inference.rounding import settled_variance, size_of
from karat.tally import ClusteredCells
from karat.tally.cached import cached_property
from karat.tally.set_tally import FN, FP, TP, SetRows, SetTally
from karat.tally.sets import Sets


@dataclass(frozen=True, eq=False)
class SetVariance:
    """Tables of 2×2 of every label as limits of each class read them: an `OneVsRestVariance`."""

    tally: SetTally
    clusters: LabelClusters | None = None
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_units(self) -> float:
        """Clusters; infinite where rows are independent."""
        return math.inf if self.clusters is None else float(len(self.clusters.sizes))

    @property
    def has_strata(self) -> bool:
        """False: rows have sets of labels, not one class each."""
        return False

    @property
    def varies_less(self) -> bool:
        """False: no numbers of rows were fixed."""
        return False

    @property
    def k(self) -> int:
        """Labels."""
        return self.tally.k

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return self.tally.is_weighted

    @property
    def has_squares(self) -> bool:
        """True if rows have different weights."""
        return self.tally.is_weighted

    @property
    def is_simple(self) -> bool:
        """True if all rows have equal weights and are independent."""
        return not self.tally.is_weighted and self.clusters is None

    @cached_property
    def unit(self) -> float:
        """A power of two near the mean weight: measured in it, sums of weights count like rows."""
        mean = float(self.tally.mass.sum()) / max(int(self.tally.n_rows.sum()), 1)
        return 2.0 ** round(math.log2(mean)) if self.is_weighted and mean > 0 else 1.0

    @cached_property
    def total(self) -> float:
        """Σw, in units."""
        return float(self.tally.mass.sum()) / self.unit

    @cached_property
    def squares(self) -> float:
        """Σw², in units."""
        found = self.tally.row_squares
        return self.total if found is None else float(found.sum()) / self.unit**2

    @property
    def n_effective(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw²."""
        return self.total**2 / self.squares if self.squares > 0 else 0.0

    @cached_property
    def class_counts(self) -> Floats:
        """float64[4, k]: Σw of tn, fp, fn and tp of each label, in units."""
        fields = self.tally.fields
        return np.array((fields.tn, fields.fp, fields.fn, fields.tp)) / self.unit

    @cached_property
    def one_vs_rest(self) -> tuple[Floats, Floats]:
        """float64[k, 2, 2] each: Σw and Σw² of each label, truth by prediction."""
        weights = self.class_counts.T.reshape(-1, 2, 2)
        squares = self.tally.squares
        if squares is None:
            return weights, weights
        squares = squares / self.unit**2
        rest = np.where(weights[:, 0, 0] > 0, self.squares - squares.sum(axis=0), 0.0)
        parts = np.maximum(rest, 0.0), squares[FP], squares[FN], squares[TP]
        return weights, np.stack(parts, axis=-1).reshape(-1, 2, 2)

    def alone(self, partials: Floats) -> float:
        """Σ (w·φ)² over rows and labels: as if no labels went together; float64[k, 2, 2]."""
        _, squares = self.one_vs_rest
        return float((partials**2 * squares).sum()) * self.unit**2

    def centred(self, partials: Floats) -> Floats:
        """float64[k, 2, 2]: the influence of a row in each cell of each label."""
        weights, _ = self.one_vs_rest
        known = np.maximum(weights.sum(axis=(1, 2)), 1e-300)
        mean = (partials * weights).sum(axis=(1, 2)) / known
        return np.asarray(partials - mean[:, None, None])

    def class_variances(self, partials: Floats) -> Floats:
        """float64[k]: variance of a metric of one label, for every label."""
        _, squares = self.one_vs_rest
        phi = self.centred(partials)
        if self.clusters is None:
            found = ((phi * np.sqrt(squares) / self.total) ** 2).sum(axis=(1, 2))
            n = self.n_effective
        else:
            found = self.clusters.variances(phi) / (self.total * self.unit) ** 2
            n = self.clusters.n_effective
        size = size_of(np.abs(partials).max(axis=(1, 2), initial=0.0), n)
        # Clusters are added up from the difference that the cells of each make.
        found = settled_variance(found, size, of_sums=self.clusters is not None)
        return np.asarray(found)

    def class_inflation(self, partials: Floats) -> Floats:
        """float64[k]: how many times more it varies than with as many rows of equal weight."""
        if self.is_simple:
            return np.ones(self.k)
        weights, _ = self.one_vs_rest
        phi = self.centred(partials)
        simple = (phi**2 * weights).sum(axis=(1, 2)) / self.total / max(self.n_effective, 1e-300)
        largest = np.abs(partials).max(axis=(1, 2), initial=0.0)
        simple = settled_variance(simple, size_of(largest, self.n_effective))
        actual = self.class_variances(partials)
        # Where nothing varies in the sample, each cluster counts as one row.
        none = max(self.n_effective / self.n_units, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.maximum(np.where(simple > 0, actual / simple, none), 1.0)

    def class_df(self, partials: Floats) -> Floats:
        """float64[k]: degrees of freedom of `class_variances`."""
        if self.clusters is None:
            return np.full(len(partials), math.inf)
        return self.clusters.degrees(self.centred(partials), self.class_variances(partials) > 0.0)


@dataclass(frozen=True, eq=False)
class LabelClusters:
    """Rows of each cluster by label and by what they are for it; only what occurs is kept.

    Attributes:
        sizes: float64[G], Σw of each cluster.
        label: int64[e], of each pair of a label and a cluster that has it, or mistakes it.
        cluster: int64[e].
        weights: float64[4, e], Σw of its false positives, false negatives and true positives, and
            of rows where it is not known.
    """

    sizes: Floats
    label: npt.NDArray[np.int64]
    cluster: npt.NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, rows: SetRows, clusters: ClusteredCells) -> LabelClusters:
        """Create it from known rows and their clusters by row.

        Cost: a sort of the labels of all rows.
        """
        of_row = np.zeros(rows.n, np.int64)
        of_row[clusters.place] = clusters.cluster
        w = np.zeros(rows.n)
        w[clusters.place] = clusters.weight
        is_hit, is_right = rows.matched
        states = [rows.pred.some(~is_right), rows.true.some(~is_hit), rows.true.some(is_hit)]
        states += [Sets.empty(rows.n) if rows.unknown is None else rows.unknown]
        g = clusters.n_clusters
        keys = [one.items.astype(np.int64) * g + of_row[one.rows] for one in states]
        found, place = np.unique(np.concatenate(keys), return_inverse=True)
        ends = np.cumsum([len(one) for one in keys])
        parts = zip(np.split(place.ravel(), ends[:-1]), states, strict=True)
        weights = [np.bincount(at, w[one.rows], len(found)) for at, one in parts]
        label, cluster = np.divmod(found, max(g, 1))
        sizes = np.asarray(np.bincount(clusters.cluster, clusters.weight, g), np.float64)
        return cls(sizes, label, cluster, np.array(weights))

    @property
    def n_effective(self) -> float:
        """Kish's effective number of clusters, by their weights."""
        return float(kish(self.sizes.sum(), (self.sizes**2).sum()))

    def variances(self, phi: Floats) -> Floats:
        """float64[k]: G ÷ (G − 1) · Σ over the clusters of (Σ w·φ)², from φ [k, 2, 2]."""
        g = len(self.sizes)
        found = self._powers(phi, (2,))[0]
        return np.maximum(found, 0.0) * (g / (g - 1.0))

    def degrees(self, phi: Floats, varies: npt.NDArray[np.bool_]) -> Floats:
        """float64[k]: `degrees_of_clusters` of the sizes Σ w·|φ| of each label.

        Where nothing varies, clusters weigh as much as their rows.
        """
        size = np.where(varies[:, None, None], np.abs(phi), 1.0)
        second, fourth = self._powers(size, (2, 4))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(fourth > 0.0, second**2 / fourth, 1.0)
        return np.minimum(found, len(self.sizes) - 1.0)

    def _powers(self, phi: Floats, powers: Sequence[int]) -> list[Floats]:
        """float64[k] each: Σ over the clusters of (Σ w·φ) to a power."""
        rest = phi[:, 0, 0]
        sides = (phi[:, 0, 1] - rest, phi[:, 1, 0] - rest, phi[:, 1, 1] - rest, -rest)
        # A cluster in which a label is neither true nor predicted is all true negatives.
        moved = sum(w * side[self.label] for w, side in zip(self.weights, sides, strict=True))
        alone = rest[self.label] * self.sizes[self.cluster]
        return [
            rest**power * float((self.sizes**power).sum())
            + np.bincount(self.label, (alone + moved) ** power - alone**power, len(phi))
            for power in powers
        ]


def correlations_of_labels(rows: tuple[SetRows, SetRows], phi: tuple[Floats, Floats]) -> Floats:
    """float64[k]: how the values of two models on the same rows go together, in every label.

    Σ w²·φ_a·φ_b by rows, in standard errors of both; 0 where either does not vary.

    Args:
        phi: float64[k, 2, 2] each, the influence of a row in each cell of each label, truth by
            prediction.
    """
    known, k = [model.known for model in rows], len(phi[0])
    n, true = known[0].n, known[0].true.keys(k)
    squares = np.ones(n) if known[0].squares is None else known[0].squares
    # A row is all true negatives of both where no set of it has the label.
    predicted = [model.pred.keys(k) for model in known]
    keys = np.unique(np.concatenate([true, *predicted]))
    row, label = np.divmod(keys, max(k, 1))
    is_true, *is_predicted = (
        np.isin(keys, side, assume_unique=True).astype(int) for side in (true, *predicted)
    )
    a, b = (part[label, is_true, side] for part, side in zip(phi, is_predicted, strict=True))
    total = np.full(k, float(squares.sum()))
    if known[0].unknown is not None:
        unknown = known[0].unknown
        total -= np.bincount(unknown.items, squares[unknown.rows], k)
    elsewhere = total - np.bincount(label, squares[row], k)
    rest_a, rest_b = (part[:, 0, 0] for part in phi)

    def added(first: Floats, second: Floats, rest: Floats) -> Floats:
        sums = np.bincount(label, squares[row] * first * second, k)
        return np.asarray(sums + elsewhere * rest)

    both = added(a, b, rest_a * rest_b)
    scale = np.sqrt(added(a, a, rest_a**2)) * np.sqrt(added(b, b, rest_b**2))
    goes = np.where(scale > 0.0, both / np.where(scale > 0.0, scale, 1.0), 0.0)
    return np.asarray(np.clip(goes, -1.0, 1.0))
