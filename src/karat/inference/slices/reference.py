"""What equal slices show: the statistics of the slices beside those of rows permuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.slices.permuted import PermutedTables
from karat.inference.slices.standing import Standing, standing
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Classes
from karat.tally.cached import cached_property

__all__ = ["AtOnce", "Gaps", "Heterogeneity", "Reference"]

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_TIE: Final = 1e-9
"""Statistics that differ by no more, relatively, are the same but for rounding."""
_SAME: Final = 1e-12
"""Values that differ by no more are the same but for rounding."""


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """How far slices lie from their mean together.

    Attributes:
        statistic: Σ (value − mean)² ÷ variance, each variance that of a slice whose metric is
            the mean.
        mean: weighted by the rows of `Standing`.
        p: how often deals show as much.
    """

    statistic: float
    mean: float
    p: float


@dataclass(frozen=True, slots=True)
class Gaps:
    """The gap that deals show: its mean, what the level leaves below, and how often it is as large.

    Attributes:
        expected, most, p: as of `Gap`.
    """

    expected: float
    most: float
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class AtOnce:
    """How far the farthest slice of each deal lies from the others, in standard errors.

    Attributes:
        p: float64[s], how often it is at least that of a slice (Westfall and Young 1993).
        largest: float64[b + 1], sorted.
    """

    p: Floats
    largest: Floats

    def quantile(self, level: float) -> float:
        """So many standard errors that p < 1 − level beyond them, and only there."""
        n = len(self.largest)
        beyond = int(np.ceil((1.0 - level) * n * (1.0 - _TIE))) - 1
        return float(self.largest[n - 1 - beyond])


@dataclass(frozen=True, eq=False)
class Reference:
    """A metric of the slices as they are, and as every deal of the rows makes them.

    Attributes:
        metric: of labels.
        permuted: the tables.
        classes: of all rows.
        policy: what undefined classes count as.
        fewest: a slice with fewer true rows of some class is not compared.
    """

    metric: Metric
    permuted: PermutedTables
    classes: Classes
    policy: Policy
    fewest: int

    @property
    def n(self) -> int:
        """How often rows were permuted."""
        return self.permuted.n

    @cached_property
    def slices(self) -> Standing:
        """[b + 1, s], of the slices; those observed first."""
        tables = self.permuted.tables
        return standing(self.metric, self.permuted, tables, self.classes, self.policy, self.fewest)

    def spreading(self, places: Sequence[int]) -> Heterogeneity:
        """The test of all slices.

        A deal may define the metric in more slices than the observed tables do, so that deals are
        ordered by what χ² says of their statistics (Beran 1988).
        """
        from scipy.special import chdtrc

        known = self._known(places)
        mean, z = self._standardized(known)
        statistic, df = (z**2).sum(axis=1), known.sum(axis=1) - 1
        tail = np.where(df > 0, chdtrc(np.maximum(df, 1), statistic), 1.0)
        p = float(np.mean(tail <= tail[0] * (1.0 + _TIE)))
        return Heterogeneity(float(statistic[0]), self.slices.value_of(float(mean[0])), p)

    def gaps(self, places: Sequence[int], observed: float, level: float) -> Gaps:
        """The largest less the smallest, where slices vary as the observed ones do.

        A deviation of a deal is taken in standard errors, times that of the slice: slices with
        few rows that count, as of a rare class, vary more. Deals take the same slices, also
        where they have few rows of a class: fewer slices have smaller gaps.
        """
        here = list(places)
        known = np.zeros_like(self.slices.is_known)
        known[:, here] = self.slices.is_defined[:, here]
        mean, z = self._standardized(known)
        one = self.slices
        variances = one.variance_at(mean[:1]) / one.rows[0, here]
        drawn = z[1:, here] * np.sqrt(variances) * one.scale
        held = known[1:, here]
        most = np.where(held, drawn, -np.inf).max(axis=1)
        gaps = np.where(held.sum(axis=1) > 1, most - np.where(held, drawn, np.inf).min(axis=1), 0.0)
        at_least = int(np.count_nonzero(gaps >= observed * (1.0 - _TIE)))
        p = (1.0 + at_least) / (1.0 + len(gaps))
        return Gaps(float(gaps.mean()), float(np.quantile(gaps, level)), p)

    def at_once(self, places: Sequence[int]) -> AtOnce:
        """Every slice beside the mean, held against the farthest of all of a deal.

        A slice counts in the mean, so that it lies nearer to it than to all others: of accuracy
        this is the statistic of its difference from the other rows.
        """
        known = self._known(places)
        _, z = self._standardized(known)
        rows = np.where(known, self.slices.rows, 0.0)
        left = 1.0 - rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(left > _SAME, np.abs(z) / np.sqrt(left), 0.0)
        largest = np.sort(z.max(axis=1))
        at_least = len(largest) - np.searchsorted(largest, z[0] * (1.0 - _TIE), side="left")
        return AtOnce(at_least / len(largest), largest)

    def _known(self, places: Sequence[int]) -> Flags:
        known = self.slices.is_known.copy()
        known[0] = False
        known[0, list(places)] = True
        return known

    def _standardized(self, known: Flags) -> tuple[Floats, Floats]:
        """float64[b + 1], the mean of each deal; float64[b + 1, s], standard errors from it."""
        one = self.slices
        rows = np.where(known, one.rows, 0.0)
        total = rows.sum(axis=1)
        mean = (rows * one.x).sum(axis=1) / np.where(total > 0.0, total, 1.0)
        far = one.x - mean[:, None]
        variance = one.variance_at(mean)[:, None] / one.rows
        z = np.sign(far) * self._ratio(np.abs(far), mean[:, None], variance)
        return mean, np.where(known, z, 0.0)

    def _ratio(self, far: Floats, mean: Floats, variance: Floats) -> Floats:
        """How many standard errors away; 0 where that is a rounding error."""
        size = 1.0 if self.slices.ends is not None else np.abs(mean) + far
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(far > _SAME * size, far / np.sqrt(variance), 0.0)
