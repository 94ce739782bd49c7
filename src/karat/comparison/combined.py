"""Limits of a difference from those of both values, and how the two go together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from karat.comparison.families import tail_of
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.label_intervals import label_interval, range_of
from karat.uncertainty.table_spread import TableSpread

__all__ = ["SideLimits", "correlation"]

_NEXT_TO_NONE = 1e-15


class SideLimits:
    """How far the limits of each model's value lie from it, at any number of standard errors.

    With d the distances of the limits that matter and ρ the correlation of the two values, the
    limit of the difference lies √(d_a² + d_b² − 2ρ·d_a·d_b) away (Newcombe 1998; Zou and Donner
    2008): what is known of each value near the end of its range holds for the difference too.

    Args:
        metric: of labels.
        tables: the table of each model.
        values: what the metric gave.
        policy: what undefined classes count as.
    """

    def __init__(
        self,
        metric: Metric,
        tables: Sequence[TableSpread],
        values: Sequence[float],
        policy: Policy,
    ) -> None:
        self._metric, self._tables, self._values = metric, tables, values
        self._policy: Policy = policy
        self._found: dict[tuple[int, float], tuple[float, float] | None] = {}

    def are_known(self, a: int, b: int) -> bool:
        """Whether both values have limits."""
        quantile = Confidence().quantile()
        return None not in (self.distances(a, quantile), self.distances(b, quantile))

    def distances(self, model: int, quantile: float) -> tuple[float, float] | None:
        """From the value of a model down to its lower, and up to its upper limit; or None."""
        key = (model, quantile)
        if key not in self._found:
            table, value = self._tables[model], self._values[model]
            tail = min(max(tail_of(quantile, table.df), _NEXT_TO_NONE), 1.0 - _NEXT_TO_NONE)
            one = label_interval(self._metric, value, table, Confidence(1.0 - tail), self._policy)
            is_known = None not in (one.low, one.high)
            sides = (value - (one.low or 0.0), (one.high or 0.0) - value)
            self._found[key] = sides if is_known else None
        return self._found[key]

    def difference(self, a: int, b: int, goes: float) -> Callable[[float], tuple[float, float]]:
        """Limits of a − b at a number of standard errors.

        Args:
            goes: the correlation of both values.
        """
        low, high = range_of(self._metric)

        def limits(quantile: float) -> tuple[float, float]:
            of_a, of_b = self.distances(a, quantile), self.distances(b, quantile)
            assert of_a is not None
            assert of_b is not None
            difference = self._values[a] - self._values[b]
            down = _together(of_a[0], of_b[1], goes)
            up = _together(of_a[1], of_b[0], goes)
            return max(difference - down, low - high), min(difference + up, high - low)

        return limits


def _together(first: float, second: float, goes: float) -> float:
    return math.sqrt(max(first * first + second * second - 2.0 * goes * first * second, 0.0))


def correlation(covariance: npt.NDArray[np.float64], a: int, b: int, *, are_same: bool) -> float:
    """Of two values; 1 where both models say the same, 0 where either does not vary."""
    if are_same:
        return 1.0
    scale = math.sqrt(max(float(covariance[a, a] * covariance[b, b]), 0.0))
    return min(max(float(covariance[a, b]) / scale, -1.0), 1.0) if scale > 0.0 else 0.0
