"""Influence of each row on averages over the labels of rows with sets, for comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.designs.units import Units, small_sample
from karat.inference.confidence import Interval
from karat.inference.limits import Floats
from karat.inference.variance import Sizes, of_own
from karat.metrics import Metric
from karat.metrics._influence.forms import AreaInfluence, PrecisionInfluence
from karat.tally.scored import ScoredRows


@dataclass(frozen=True, slots=True)
class Moves:
    """Influence of each row on a value.

    Attributes:
        phi: float64[n], w·φ ÷ Σw of each, grown as few rows take.
        growth: what is to be added to the variance, since few rows do not show all of it.
    """

    phi: Floats
    growth: float = 0.0


@dataclass(frozen=True, slots=True)
class NotTested:
    """A value without a test of its differences, and the reason."""

    reason: str


@dataclass(eq=False)
class LabelMoves:
    """The same of the mean over the labels, and of the weighted mean, label by label.

    Attributes:
        metric: of one label.
        macro, weighted: float64[n], Σ over the labels of what each row moves.
        growth: float64[2], of both.
    """

    metric: Metric
    macro: Floats
    weighted: Floats
    growth: Floats = field(default_factory=lambda: np.zeros(2))
    _of_true_rows: list[float] = field(default_factory=list, repr=False)
    _lone: Floats = field(default_factory=lambda: np.zeros(2), repr=False)

    @classmethod
    def of(cls, metric: Metric, n: int) -> LabelMoves:
        return cls(metric, np.zeros(n), np.zeros(n))

    def add(
        self,
        at: Any,
        column: ScoredRows,
        phi: Floats,
        share: float,
        value: float,
        interval: Interval,
        *,
        has_clusters: bool,
    ) -> None:
        """Add a label that is known in some rows.

        Args:
            at: these rows.
            phi: float64, w·φ ÷ Σw of each.
            share: of all true labels.
        """
        times = np.array([1.0, share])
        if not has_clusters:
            sizes = Sizes.of(column)
            phi = phi * np.sqrt(self._factors(sizes))[column.codes]
            n_true = float(sizes.of_classes[1])
            form = self.metric.record.influence
            if interval.sampling is not None:
                sampling = interval.sampling
                self.growth += times**2 * (sampling.shrunk - sampling.variance)
            elif isinstance(form, AreaInfluence) and n_true <= 1.0:
                # One true row does not show how its place varies: as of exponential scores.
                low, high = self.metric.range
                own = float(of_own((value - low) / (high - low)))
                self.growth += times**2 * (high - low) ** 2 * own
            if isinstance(form, PrecisionInfluence):
                if n_true > 1.0:
                    self._of_true_rows.append(float((phi**2).sum()) * n_true)
                else:
                    self._lone += times**2
        self.macro[at] += phi
        self.weighted[at] += share * phi

    def weigh(self, scale: float, of_weights: Floats) -> None:
        """See `LabelSpread.weigh`."""
        self.weighted = self.weighted * scale + of_weights
        self.growth[1] *= scale**2
        self._lone[1] *= scale**2

    def _factors(self, sizes: Sizes) -> Floats:
        """float64[2]: by how much a square grows in few rows, of rows without and with a label."""
        factors = np.nan_to_num(sizes.factors(self.metric), nan=1.0)
        if isinstance(self.metric.record.influence, PrecisionInfluence):
            # Its error is that of a mean over the true rows.
            factors[1] = float(np.nan_to_num(small_sample(sizes.of_classes[1]), nan=1.0))
        return np.asarray(factors, np.float64)

    def of_lift(self, lift: str, n_labels: int) -> Moves:
        """Influence of each row on the mean over so many labels, or on the weighted mean."""
        # One true row of a label varies as those of the other labels do.
        of_one = float(np.mean(self._of_true_rows)) if self._of_true_rows else 0.0
        macro, weighted = np.maximum(self.growth + self._lone * of_one, 0.0).tolist()
        if lift == "weighted":
            return Moves(self.weighted, weighted)
        n = max(n_labels, 1)
        return Moves(self.macro / n, macro / n**2)


@dataclass(eq=False)
class LabelSpread:
    """Influence of each row on the mean of a metric over the labels.

    Attributes:
        units: the rows, as they were drawn.
        below, above: float64[n], Σ over the labels of (distance to its limit ÷ error) · influence.
        alone: float64[2], Σ of squared distances of labels whose influence is nothing.
        bias: Σ over the labels of how much too large few rows make the metric, as they show it.
        whole, weighted: float64[n], Σ of influences, of the mean and of the weighted mean.
        value, low, high: float64[k], of each label; NaN where there is none.
        moves: what comparisons read of it, or None.
    """

    units: Units
    below: Floats
    above: Floats
    alone: Floats
    whole: Floats
    weighted: Floats
    value: Floats
    low: Floats
    high: Floats
    bias: float = 0.0
    moves: LabelMoves | None = None

    @classmethod
    def of(cls, units: Units, k: int, moves: LabelMoves | None = None) -> LabelSpread:
        n = len(units.weights)
        below, above, whole, weighted = (np.zeros(n) for _ in range(4))
        value, low, high = (np.full(k, np.nan) for _ in range(3))
        of_rows = units, below, above, np.zeros(2), whole, weighted
        return cls(*of_rows, value, low, high, moves=moves)

    def add(
        self,
        label: int,
        at: slice | npt.NDArray[np.bool_],
        phi: Floats,
        share: float,
        value: float,
        interval: Interval,
    ) -> None:
        """Add a label that is known in some rows, and whose share of all true labels this is."""
        self.value[label] = value
        self.whole[at] += phi
        self.weighted[at] += share * phi
        if interval.low is None or interval.high is None:
            return
        self.low[label], self.high[label] = interval.low, interval.high
        away = value - interval.low, interval.high - value
        sigma = math.sqrt(self.square(phi, at))
        if not sigma > 0.0:
            self.alone += np.square(away)
            return
        self.below[at] += away[0] / sigma * phi
        self.above[at] += away[1] / sigma * phi

    def weigh(self, scale: float, of_weights: Floats) -> None:
        """Scale the weighted mean to labels with a value; add what rows move in their weights."""
        self.weighted = self.weighted * scale + of_weights
        if self.moves is not None:
            self.moves.weigh(scale, of_weights)

    def square(self, phi: Floats, at: slice | npt.NDArray[np.bool_] = slice(None)) -> float:
        """Variance of a number that some of the rows move so."""
        moves = phi
        if not isinstance(at, slice):
            moves = np.zeros(len(self.units.weights))
            moves[at] = phi
        return self.units.variance_of_moves(moves)
