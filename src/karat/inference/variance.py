"""Variances, effective rows, jackknife and areas."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from karat.designs.units import ROUNDING, kish, small_sample
from karat.inference.limits import Floats
from karat.inference.rounding import settled, settled_variance
from karat.inference.sampling_error import SamplingError
from karat.inference.table_variance import TableVariance
from karat.metrics._formula import walk
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    PairsInfluence,
    PrecisionInfluence,
)
from karat.metrics._influence.gather import class_weights
from karat.metrics._lift import Policy
from karat.metrics._metric import Metric
from karat.tally import Cells, Placements, ScoredRows
from karat.tally.cached import cached_property


def is_of_classes(metric: Metric) -> bool:
    """Return whether classes contribute to its variance separately, since it compares classes."""
    forms = (AreaInfluence, PairsInfluence, DifferencesInfluence, PrecisionInfluence)
    return isinstance(metric.record.influence, forms) and metric.lift != "micro"


Found: TypeAlias = SamplingError | tuple[SamplingError, ...]
"""Single value, or one for each class."""


def spread(variance: float, df: float, n: float, missing: str) -> SamplingError:
    """Return the variance of a mean, or why there is none."""
    if not np.isfinite(variance):
        return SamplingError(
            np.nan, np.nan, df, n, missing=missing if n > 1.0 else "there is one row"
        )
    return SamplingError(variance, variance, df, n)


def optimism(n: float) -> float:
    """Bias of the area under precision of a random ranking, as a fraction of 1 − π.

    (Σ 1/i − 1) ÷ (n − 1), i to n, for any number of rows of the class (Bestgen 2015).
    """
    if n <= 1.0:
        return 0.0
    return float((np.log(n) + np.euler_gamma + 0.5 / n - 1.0) / (n - 1.0))


def precision_bias(tp: Floats, fp: Floats, unit: float = 1.0) -> float:
    """Jackknife estimate of the bias of the average precision of a ranking from few rows.

    True and false rows are left out separately (Quenouille 1956): leaving out a row reduces the
    rank of those below it by one. It is 0 without true rows.

    Args:
        tp, fp: float64[u], weight of the true and of the false rows at or above each score.
        unit: weight of a row.
    """
    if not len(tp) or not tp[-1] > 0.0 or not fp[-1] > 0.0:
        return 0.0
    a, b, own = tp / unit, fp / unit, np.diff(tp, prepend=0.0)
    held = own > 0.0
    m, rest = float(a[-1]), float(b[-1])
    a, b, own = a[held], b[held], own[held]
    q, less = a + b, np.maximum(a + b - 1.0, 1e-12)

    def mean(values: Floats) -> float:
        return float((own * values).sum() / own.sum())

    # Σ over the left-out rows: those above reduce the rank by one, the others do not change it.
    value = mean(a / q)
    without_false = mean(b * np.minimum(a / less, 1.0) + (rest - b) * a / q) / rest
    found = (rest - 1.0) * (without_false - value)
    if m > 1.0:
        above = np.maximum(a - 1.0, 0.0)
        without_true = mean(above * np.minimum(above / less, 1.0) + (m - a) * a / q) / (m - 1.0)
        found += (m - 1.0) * (without_true - value)
    return found


@dataclass(frozen=True)
class Sizes:
    """Σw and Σw² of each true class, float64[k] each, and the positive class of two."""

    weight: Floats
    square: Floats
    positive: int | None

    @classmethod
    def of(cls, rows: ScoredRows) -> Sizes:
        weight = class_weights(rows)
        square = rows.class_squares() if rows.is_weighted else weight
        return cls(weight, square, rows.classes.positive)

    @cached_property
    def rows(self) -> float:
        """Effective rows of all classes."""
        return float(kish(self.weight.sum(), self.square.sum()))

    @cached_property
    def of_classes(self) -> Floats:
        """float64[k], effective rows of each class."""
        return np.asarray(kish(self.weight, self.square), np.float64)

    @cached_property
    def of_others(self) -> Floats:
        """float64[k], effective rows of all classes but each."""
        rest = self.weight.sum() - self.weight, self.square.sum() - self.square
        return np.asarray(kish(*rest), np.float64)

    @cached_property
    def smallest(self) -> float:
        """Effective rows of the smallest class that has any."""
        found = self.of_classes
        return float(found[found > 0].min(initial=self.rows))

    @property
    def fewest(self) -> float:
        """Effective rows of the rarest class; of two, 0 where one has none."""
        return float(self.of_classes.min()) if len(self.of_classes) == 2 else self.smallest

    def factors(self, metric: Metric) -> Floats:
        """Factors of the squares of φ that correct the variance for small samples.

        The variance is Σ f·w²φ²/W², with f the factor of the true class of the row. The covariance
        of two metrics, or of one metric of two models, is Σ √(f·f')·w²φφ'/W². For areas of two
        classes this is DeLong's.

        Returns:
            float64[k]; float64[k, k] for a metric of each class. NaN for a class with one row.
        """
        form = metric.record.influence
        is_area = isinstance(form, AreaInfluence) and metric.lift != "micro"
        if is_area and metric.lift in ("plain", "per_class"):
            each: Floats = np.stack([self._of_sides(i) for i in range(len(self.weight))])
            return each if metric.lift == "per_class" else each[self.positive or 0]
        if is_area or isinstance(form, PairsInfluence | DifferencesInfluence):
            # A class of one row gives no estimate of its own error: the degrees of freedom are 0.
            return np.asarray(np.nan_to_num(small_sample(self.of_classes), nan=1.0))
        alike = np.full(len(self.weight), small_sample(self.rows))
        return np.tile(alike, (len(self.weight), 1)) if metric.lift == "per_class" else alike

    def _of_sides(self, i: int) -> Floats:
        rest = np.arange(len(self.weight)) != i
        others = kish(self.weight[rest].sum(), self.square[rest].sum())
        found = np.full(len(rest), small_sample(others))
        found[i] = small_sample(self.of_classes[i])
        return found


_MOST: Final = 1 << 22
"""Limit of the total cells of all leave-one-out tables."""


class Jackknife(NamedTuple):
    """Jackknife bias and variance of a metric (Quenouille 1956, Tukey 1958)."""

    bias: float
    variance: float


@cache
def is_of_logarithms(metric: Metric) -> bool:
    """Return whether the formula takes logarithms of proportions, which are biased for few rows."""
    return any(node.op == "log" for node in walk(metric.traced("zero").value))


def jackknifed(metric: Metric, spread: TableVariance, policy: Policy) -> Jackknife | None:
    """Jackknife bias and variance of a metric; None if tables are too many, or undefined.

    Weighted rows count by their effective number.
    """
    cells, n = spread.cells, spread.n_effective
    if cells.storage != "dense" or n <= 1.0:
        return None
    table = np.asarray(cells.counts * (n / float(cells.fields.n)), np.float64)
    occupied = np.flatnonzero(table.ravel() > 0)
    if len(occupied) * table.size > _MOST:
        return None
    times = table.ravel()[occupied]
    step = np.minimum(times, 1.0)
    tables = np.repeat(table[None], 1 + len(occupied), axis=0)
    tables.reshape(len(tables), -1)[1 + np.arange(len(occupied)), occupied] -= step
    batch = Cells.dense(tables, classes=cells.classes, n_rows=np.ones(len(tables), np.int64))
    values = metric.values(batch, policy).value
    if not np.isfinite(values).all():
        return None
    moves = (values[1:] - values[0]) / step
    total = float((times * moves).sum())
    total = total if abs(total) > ROUNDING * n else 0.0
    square = float(settled_variance((times * moves**2).sum(), n))
    return Jackknife((n - 1.0) / n * total, (n - 1.0) / n * max(square - total**2 / n, 0.0))


_PSEUDO_ROWS: Final = 5.0


def of_own(area: Any) -> Any:
    """Variance of the placement of an own row, if both sides had exponential scores."""
    return 2.0 * area**2 / (1.0 + area) - area**2


def of_rest(area: Any) -> Any:
    """Variance of the placement of a row of the rest, if both sides had exponential scores."""
    return area / (2.0 - area) - area**2


@dataclass(frozen=True, slots=True)
class AreaVariance:
    """Variance of the area of one class against the rest; arrays: rest, then own class.

    Attributes:
        area: the area.
        rows: float64[2], Kish's effective rows.
        variances: float64[2], contribution of each side to the variance of the area; NaN for one
            row.
        informative: (Σ|V − A|)² ÷ Σ(V − A)² over the own rows.
    """

    area: float
    rows: Floats
    variances: Floats
    informative: float

    @classmethod
    def of(cls, area: float, found: Placements) -> AreaVariance:
        rows = kish(found.weight, found.square)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # Of weighted rows, what stands above a row is squared before its mean is subtracted.
            of_sums = bool((found.weight != found.square).any())
            size = found.square * (np.array([area, 1.0 - area]) ** 2 if of_sums else 1.0)
            spread = settled_variance(found.spread, size, of_sums=of_sums)
            variances = spread / found.weight**2 * small_sample(rows)
            informative = found.size**2 / spread[1] if spread[1] > 0 else np.nan
        return cls(area, rows, variances, float(informative))

    @property
    def variance(self) -> float:
        """Variance of the area, equal to DeLong's for unweighted rows."""
        return float(self.variances.sum())

    @property
    def shrunk_variances(self) -> Floats:
        """float64[2], with placement variances shrunk toward those of exponential scores."""
        if not np.isfinite(self.area):
            return np.full(2, np.nan)
        likely = np.array([of_rest(self.area), of_own(self.area)])
        n = self.rows
        shrunk: Floats = (n * (self.variances * n) + _PSEUDO_ROWS * likely) / (n + _PSEUDO_ROWS) / n
        return shrunk

    @property
    def shrunk(self) -> float:
        return float(self.shrunk_variances.sum())

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of the shrunk variance.

        For an area of 0 or 1, whose rows do not vary, those of the smaller side.
        """
        parts = self.shrunk_variances
        if settled(self.area) in (0.0, 1.0) or not parts.any():
            return float(self.rows.min()) - 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(parts.sum() ** 2 / (parts**2 / (self.rows - 1.0)).sum())


def shrunk_pairs(by_class: Floats, rows: Floats, chance: Floats, share: Floats) -> float:
    """Variance of a mean over pairs of classes, shrunk class by class.

    The placement of a row is a sum over its pairs. Its prior variance is that of exponential scores
    under perfect correlation, which is an upper bound.

    Args:
        by_class, rows: float64[k], contribution of each class to the variance, and its effective
            rows.
        chance, share: float64[k, k], the area of each pair (own, other) and its weight in the mean.
    """
    area = np.where(np.isfinite(chance), chance, 0.0)
    root = (share * np.sqrt(np.maximum(of_own(area), 0.0))).sum(axis=1)
    root += (share * np.sqrt(np.maximum(of_rest(area), 0.0))).sum(axis=0)
    held = rows > 0
    n, likely = rows[held], root[held] ** 2
    shrunk = (n * (by_class[held] * n) + _PSEUDO_ROWS * likely) / (n + _PSEUDO_ROWS) / n
    return float(shrunk.sum())
