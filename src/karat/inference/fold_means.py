"""Means over folds as estimates, with Student's limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.designs.folds import NADEAU_BENGIO, SAME_VALUE, FoldUnits
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.inference.value_limits import within
from karat.metrics import Metric


@dataclass(frozen=True, eq=False)
class FoldLevels:
    """Limits of the mean of a metric over folds, at any level.

    Attributes:
        error: standard error of the mean; 0 or NaN where all folds have the same value.
    """

    metric: Metric
    mean: float
    error: float
    df: float

    def interval(self, confidence: Confidence) -> Interval:
        if not self.error > 0.0:
            return Interval(remark=SAME_VALUE)
        step = confidence.quantile(self.df) * self.error
        limits = Interval(self.mean - step, self.mean + step, NADEAU_BENGIO, self.error)
        return within(limits, self.mean, self.metric.range, confidence)


def mean_of_folds(
    metric: Metric, values: Sequence[float], ratio: float, undefined: str | None = None
) -> Estimate:
    """The estimate of the mean of at least two folds, each with the same weight.

    Args:
        ratio: test rows for each training row.
        undefined: why the mean is undefined, or None.
    """
    units = FoldUnits.of(len(values), ratio)
    if undefined is not None:
        return Estimate(math.nan, len(values), undefined, df=units.df)
    phi = np.asarray(values, np.float64)
    mean, variance = float(phi.mean()), float(units.variance(phi))
    levels = FoldLevels(metric, mean, math.sqrt(variance), units.df)
    return Estimate(mean, len(phi), influence=phi, variance=variance, df=units.df, levels=levels)
