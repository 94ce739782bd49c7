"""Rounding errors of 0: one rule for what does not vary, for every family of metrics and path.

A sum of rows has a relative error of at most `ROUNDING`, in any order and for any scale of weights.
The sums of a pass over scores add fewer than 1,000 numbers one after the other up to 10⁷ rows
(lanes, blocks of 512 rows, 64 segments), each with an error of 2⁻⁵³. Three of them and the mean
make a variance: 4 · 1,000 · 2⁻⁵³ < 10⁻¹². Errors of longer sums have both signs, and grow with the
root of their number.

A variance is Σ w²(x − m)² ÷ W². Its *size* is the same sum without the mean, Σ w²x² ÷ W²: that of
equal numbers x is x² ÷ n, with n the effective rows. If nothing varies, rounding leaves at most

- ROUNDING² × size if the mean was subtracted from every row;
- ROUNDING × size if it was subtracted from sums: Σ w²x² − 2m Σ w²x + m² Σ w². Losses are added up
  on some paths and read row by row on others: all paths take this bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.designs.units import ROUNDING
from karat.metrics import Metric


def settled(share: float) -> float:
    """A share of a range, 0 or 1 where nothing but rounding is between.

    Sums of weights in another order give a perfect area as 0.9999999999999998, too.
    """
    nearest = round(share) if math.isfinite(share) else share
    return float(nearest) if abs(share - nearest) <= ROUNDING else share


def size_of(number: Any, n: float = 1.0) -> Any:
    """Σ w²x² ÷ W² of n effective rows that all have this number."""
    with np.errstate(over="ignore"):
        return np.square(number, dtype=np.float64) / max(n, 1.0)


def settled_variance(variance: Any, size: Any, *, of_sums: bool = False) -> Any:
    """Variances, exactly 0 where rounding may be all of them.

    Args:
        variance: float64[...]; NaN and infinity stay.
        size: float64[...], the same sum of squares with no mean subtracted.
        of_sums: whether the mean is subtracted from sums on some path.

    Example:
        >>> settled_variance(np.array([1e-33, 1e-20]), 0.01)
        array([0.e+00, 1.e-20])
    """
    least = (ROUNDING if of_sums else ROUNDING**2) * np.asarray(size, np.float64)
    return np.where((np.asarray(variance) <= least) & np.isfinite(least), 0.0, variance)


def settled_error(metric: Metric, value: float, error: float, n: float) -> float:
    """Standard error, 0 where it may be rounding beside the range of a metric of n rows."""
    span = metric.range[1] - metric.range[0]
    number = span if math.isfinite(span) else value
    return 0.0 if settled_variance(size_of(error), size_of(number, n)) == 0.0 else error
