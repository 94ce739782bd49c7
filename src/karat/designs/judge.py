"""Weight of the judge's labels that makes an estimate most precise, and its variance.

An estimate is that of the gold rows plus λ times the difference of two estimates by the judge's
labels: on the reference rows, and on the gold rows. Its expectation is that of the gold rows for
any λ and any judge.

Ref: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023). Prediction-powered inference. Science
382. Angelopoulos, Duchi, Zrnic (2023). PPI++: efficient prediction-powered inference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.designs.clusters import degrees_of_clusters
from karat.designs.units import Floats, Units, small_sample
from karat.tally.cached import cached_property

_LEAST_ROWS = 4.0
"""Number of effective gold rows below which λ is 0: fewer do not show how the judge errs."""
_DUST = 1e-12
_MANY_ROWS = 100.0
"""Effective gold rows of different weights of which half of a variance is seen from the weights."""
_PSEUDO_ROWS = 8.0
"""Rows to which the variance among rows without weights counts beside the variance by weights."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """Weight of the judge, and what it gains.

    Attributes:
        weight: λ, from 0 (gold rows alone) to 1.
        gain: variance of the estimate by gold rows alone ÷ that of this one; at least 1.
        variance: variance of the estimate, with the correction for the estimated λ.
        df: degrees of freedom.
    """

    weight: float
    gain: float
    variance: float
    df: float = math.inf


@dataclass(frozen=True, eq=False)
class Weighed:
    """Rows of one mean, or cells of equal rows.

    Attributes:
        shares: float64[u], proportion of each in the mean.
        roots: float64[u], √Σw² ÷ Σw; of a single row its share.
        clusters: int64[u], cluster of each, shared by both means; None: rows are independent.
    """

    shares: Floats
    roots: Floats
    clusters: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        weights: npt.NDArray[Any],
        squares: npt.NDArray[Any] | None = None,
        clusters: npt.NDArray[np.int64] | None = None,
    ) -> Weighed:
        """Make it from Σw of each, and from Σw² where each is several rows."""
        weight = np.asarray(weights, np.float64)
        total = float(weight.sum())
        square = weight**2 if squares is None else np.asarray(squares, np.float64)
        return cls(weight / total, np.sqrt(square) / total, clusters)

    @cached_property
    def n_rows(self) -> float:
        """Kish's effective number of rows, (Σw)² ÷ Σw²."""
        return 1.0 / float((self.roots**2).sum())

    @cached_property
    def n(self) -> float:
        """Effective number of rows; of clusters, by the sums of their weights, where there are."""
        if self.clusters is None:
            return self.n_rows
        return 1.0 / float((np.bincount(self.clusters, self.shares) ** 2).sum())

    @cached_property
    def has_equal_weights(self) -> bool:
        """True if all rows that count have the same weight."""
        return bool(np.allclose(self.roots**2 * self.n_rows, self.shares, rtol=1e-9, atol=0.0))

    @cached_property
    def df(self) -> float:
        """Degrees of freedom of the variance, where rows have different weights."""
        return math.inf if self.has_equal_weights else max(self.n_rows - 1.0, 1.0)

    def plain_variance(self, values: Floats) -> float:
        """Variance of the mean of the values, if the weights do not depend on them.

        Where few rows have most of the weight, their values show little of how values vary: the
        variance among rows by weight is mixed with that among rows as they are.
        """
        n = self.n_rows
        centred = np.where(self.shares > 0.0, values - self.mean(values), 0.0)
        found = float((self.shares * centred**2).sum())
        if not self.has_equal_weights:
            has = self.shares > 0.0
            own, counts = values[has], (self.shares[has] / self.roots[has]) ** 2
            apart = own - np.average(own, weights=counts)
            plain = float(np.average(apart**2, weights=counts))
            found = (n * found + _PSEUDO_ROWS * plain) / (n + _PSEUDO_ROWS)
        return found / n

    def mean(self, values: Floats) -> float:
        """Mean of values float64[u]."""
        return float((np.where(self.shares > 0.0, values, 0.0) * self.shares).sum())

    def moves(self, values: Floats) -> Floats:
        """float64[u]: what each adds to the error of the mean of the values, but for its sign."""
        centred = np.where(self.shares > 0.0, values - self.mean(values), 0.0)
        return np.asarray(self.roots * centred)

    def largest(self, values: Floats) -> float:
        """What a single row adds at most to the error of the mean of the values."""
        has = self.shares > 0.0
        # Some may be several equal rows: Σw² ÷ Σw is the weight of one of them.
        each = self.roots[has] ** 2 / self.shares[has]
        return float(np.abs(each * (values[has] - self.mean(values))).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Both:
    """The gold rows, and the reference rows that carry the judge's label alone.

    With gold rows that were drawn with known probabilities the reference is all rows, gold rows
    among them: without clusters each row is one of its own.

    Attributes:
        is_clustered: whether rows of a cluster may depend on each other.
    """

    gold: Weighed
    reference: Weighed
    is_clustered: bool = False

    def tuned(
        self, by_gold: Floats, by_judge: Floats, of_reference: Floats, weight: float | None = None
    ) -> Tuned:
        """Return the weight of the judge's labels for one metric.

        Args:
            by_gold, by_judge: influence of each gold row, by its gold label and by the judge's.
            of_reference: influence of each reference row by the judge's label.
            weight: λ if it is given; None: the best.
        """
        n = self.gold.n
        own, second = self.gold.moves(by_gold), -self.gold.moves(by_judge)
        third = self.reference.moves(of_reference)
        if not np.isfinite(own).all() or n < 2.0:
            return Tuned(0.0, 1.0, math.nan)
        is_summed = self.gold.clusters is not None
        of_rest = float((third**2).sum())
        if is_summed:
            own, second = self._summed(own), self._summed(second, third)
            third = np.zeros(0)
        alone = self.held(float((own**2).sum()), by_gold) * float(small_sample(n))
        bare = Tuned(0.0, 1.0, alone, self._df(own))
        is_known = np.isfinite(second).all() and np.isfinite(third).all()
        if not is_known or n < _LEAST_ROWS or not alone > 0.0:
            return bare
        is_given = weight is not None
        if weight is None:
            square = float((second**2).sum())
            if not is_summed:
                # All rows show how the judge's labels vary, not the gold rows alone.
                square = self._variance_of_all(by_judge, of_reference)
                square *= 1.0 / n + 1.0 / self.reference.n
            with_judge = -float((own * second).sum())
            weight = min(max(with_judge / square, 0.0), 1.0) if square > 0.0 else 0.0
        if weight == 0.0:
            return bare
        residual = float(((own + weight * second) ** 2).sum())
        if np.array_equal(by_gold, by_judge):
            # The judge agrees with every gold row, and may err on the next one: one that is
            # wrong is counted.
            residual = max(residual, self.gold.largest(by_gold) ** 2)
        residual += weight**2 * float((third**2).sum()) / cost_of_tuning(n)
        of_rest *= weight**2 / cost_of_tuning(n)
        variance = cost_of_tuning(n) * self.held(residual, by_gold - weight * by_judge, of_rest)
        if not (is_given or variance < alone):
            return bare
        # A smaller part of it is a rounding residue.
        variance = max(variance, _DUST * alone)
        gain = alone / variance
        return Tuned(weight, gain, variance, self._df(own + weight * second))

    def variance(self, of_gold: Floats, of_reference: Floats, n_fitted: int = 1) -> float:
        """Variance of an estimate from the influence of its gold and of its reference rows.

        Args:
            n_fitted: number of means of gold rows that it fits.
        """
        own, rest = self.gold.moves(of_gold), self.reference.moves(of_reference)
        n = self.gold.n
        factor = n / max(n - n_fitted, 1.0)
        of_rest = float((rest**2).sum()) / factor
        if self.gold.clusters is not None:
            found = float((self._summed(own, rest) ** 2).sum())
        else:
            found = float((own**2).sum()) + of_rest
        return factor * self.held(found, of_gold, of_rest)

    def held(self, variance: float, of_gold: Floats, of_rest: float = 0.0) -> float:
        """Return a variance, or more where few gold rows have most of the weight.

        Rows that have a large weight, and no error, do not show that other such rows have none.
        With few effective rows the variance is mixed with that of gold rows whose weights do not
        depend on their values.

        Args:
            of_gold: influence of the gold rows.
            of_rest: variance that the reference rows add.
        """
        if self.is_of_equal_rows:
            return variance
        n = self.gold.n_rows
        other = self.gold.plain_variance(of_gold) + of_rest
        part = 1.0 / (1.0 + (n / _MANY_ROWS) ** 2)
        return max(variance, (1.0 - part) * variance + part * other)

    def _summed(self, of_gold: Floats, of_reference: Floats | None = None) -> Floats:
        gold, reference = self.gold.clusters, self.reference.clusters
        assert gold is not None
        assert reference is not None
        size = int(max(gold.max(initial=0), reference.max(initial=0))) + 1
        found = np.bincount(gold, of_gold, size)
        if of_reference is not None:
            found = found + np.bincount(reference, of_reference, size)
        return np.asarray(found, np.float64)

    def _df(self, sums: Floats) -> float:
        found = self.gold.df
        if self.is_clustered:
            found = min(found, float(degrees_of_clusters(np.abs(sums))), self.gold.n - 1.0)
        return max(found, 1.0)

    def _variance_of_all(self, by_judge: Floats, of_reference: Floats) -> float:
        """Variance of a judge's influence over gold and reference rows together."""
        n, rest = self.gold.n, self.reference.n
        shares = np.concatenate([n * self.gold.shares, rest * self.reference.shares]) / (n + rest)
        values = np.concatenate([by_judge, of_reference])
        centred = np.where(shares > 0.0, values, 0.0)
        centred = centred - float((centred * shares).sum())
        return float((shares * centred**2).sum()) * float(small_sample(n + rest))

    @cached_property
    def is_of_equal_rows(self) -> bool:
        """True if gold rows are independent and have equal weights."""
        return not self.is_clustered and self.gold.has_equal_weights


@dataclass(frozen=True, eq=False)
class RowsWithJudge(Units):
    """Rows of several values with one weight of the judge's labels.

    An influence float64[2n] holds what each row adds to the error of the mean over the gold rows,
    then to that over the reference rows.

    Attributes:
        factor: by how much a variance grows for the means that were fitted.
        df: degrees of freedom of a variance.
        clusters: int64[n], or None.
        gold: int64[g], the gold rows.
        both: weights of the rows in both means; None where values have gold rows of their own.
    """

    factor: float = 1.0
    df: float = math.inf
    clusters: npt.NDArray[np.int64] | None = None
    gold: npt.NDArray[np.intp] | None = None
    both: Both | None = None

    def centred(self, phi: Floats) -> Floats:
        return phi

    def influence_of(self, moves: Floats) -> Floats:
        return moves

    def errors(self, phi: Floats) -> Floats:
        return self._parts(phi) * math.sqrt(self.factor)

    def _parts(self, phi: Floats) -> Floats:
        of_gold, of_reference = np.split(phi, 2, axis=-1)
        parts = of_gold + of_reference
        if self.clusters is None:
            return parts
        flat = parts.reshape(-1, parts.shape[-1])
        sums = np.array([np.bincount(self.clusters, part) for part in flat], np.float64)
        return sums.reshape(*parts.shape[:-1], -1)

    def variance(self, phi: Floats) -> Floats:
        flat = phi.reshape(-1, phi.shape[-1])
        squares = (self._parts(flat) ** 2).sum(axis=-1)
        each = [self._held(*one) for one in zip(squares.tolist(), flat, strict=True)]
        return self.factor * np.array(each).reshape(phi.shape[:-1])

    def covariance(self, phi: Floats) -> Floats:
        parts = self._parts(phi)
        covariance = self.factor * (parts @ parts.T)
        return covariance + np.diag(self.variance(phi) - np.diag(covariance))

    def _held(self, square: float, phi: Floats) -> float:
        if self.both is None or self.gold is None:
            return square
        of_gold, of_reference = np.split(phi, 2)
        roots = self.both.gold.roots
        has = roots > 0.0
        values = np.where(has, of_gold[self.gold] / np.where(has, roots, 1.0), 0.0)
        return self.both.held(square, values, float((of_reference**2).sum()))


def cost_of_tuning(n: float) -> float:
    """Factor of a variance that pays for two fitted parameters: the mean and λ."""
    return n / (n - 2.0) * (1.0 + 1.0 / n)


def with_df(n: float, normal: float, student: float) -> float:
    """Rows that give as wide limits with the normal quantile as these with Student's."""
    return n * (normal / student) ** 2
