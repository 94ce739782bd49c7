"""How many rows an average is worth, and by what factor its mean square is too small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._influence.forms import AreaInfluence, DifferencesInfluence, PairsInfluence
from karat.metrics._influence.gather import class_weights
from karat.metrics._metric import Metric
from karat.tally import ScoredRows

__all__ = ["Sizes", "kish", "small_sample"]

Floats: TypeAlias = npt.NDArray[np.float64]


def kish(weight: Any, square: Any) -> Any:
    """Rows of equal weight that a mean over weighted rows is worth: (Σw)² ÷ Σw²."""
    weight, square = np.asarray(weight, np.float64), np.asarray(square, np.float64)
    return np.where(square > 0, weight**2 / np.where(square > 0, square, 1.0), 0.0)


def small_sample(n: Any) -> Any:
    """The factor n ÷ (n − 1), by which a mean square is too small; NaN for one row."""
    n = np.asarray(n, np.float64)
    has_rest = n > 1.0 + 1e-9
    return np.where(has_rest, n / np.where(has_rest, n - 1.0, 1.0), np.nan)


@dataclass(frozen=True)
class Sizes:
    """Weights of the classes.

    Attributes:
        weight, square: float64[k], Σw and Σw² of each true class.
        positive: the positive class of two.
    """

    weight: Floats
    square: Floats
    positive: int | None

    @classmethod
    def of(cls, rows: ScoredRows) -> Sizes:
        """Of the rows of an engine."""
        weight = class_weights(rows)
        square = rows.class_squares() if rows.is_weighted else weight
        return cls(weight, square, rows.classes.positive)

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.weight)

    @property
    def rows(self) -> float:
        """Effective rows of all classes."""
        return float(kish(self.weight.sum(), self.square.sum()))

    @property
    def of_classes(self) -> Floats:
        """float64[k], effective rows of each class."""
        return np.asarray(kish(self.weight, self.square), np.float64)

    @property
    def smallest(self) -> float:
        """Effective rows of the smallest class that has any."""
        found = self.of_classes
        return float(found[found > 0].min(initial=self.rows))

    def factors(self, metric: Metric) -> Floats:
        """See `score_spread.row_factors`."""
        form = metric.record.influence
        is_area = isinstance(form, AreaInfluence) and metric.lift != "micro"
        if is_area and metric.lift in ("plain", "per_class"):
            each: Floats = np.stack([self._of_sides(i) for i in range(self.k)])
            return each if metric.lift == "per_class" else each[self.positive or 0]
        if is_area or isinstance(form, PairsInfluence | DifferencesInfluence):
            # A class of one row says nothing of its own error: the degrees of freedom are 0.
            return np.asarray(np.nan_to_num(small_sample(self.of_classes), nan=1.0))
        alike = np.full(self.k, small_sample(self.rows))
        return np.tile(alike, (self.k, 1)) if metric.lift == "per_class" else alike

    def _of_sides(self, i: int) -> Floats:
        rest = np.arange(self.k) != i
        found = np.full(
            self.k, small_sample(kish(self.weight[rest].sum(), self.square[rest].sum()))
        )
        found[i] = small_sample(self.of_classes[i])
        return found
