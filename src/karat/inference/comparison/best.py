"""The best of several models: its value, corrected for having been chosen, and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from karat.errors import shown
from karat.inference.comparison.families import symmetric_root, tail_of
from karat.inference.comparison.judging import NO_SLOPE, Measured
from karat.inference.comparison.records import BestModel, ModelValue
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate
from karat.inference.limits import Floats
from karat.metrics import Metric

__all__ = ["BestModels", "Contest", "excess_of_best", "normal_draws", "tail_of_best"]

_DRAWS: Final = 20_000
_MOST_NUMBERS: Final = 2_000_000
"""Of more than 100 models fewer draws are taken: so many numbers."""
_NOISE: Final = 0.5
"""Variance of the noise that is added to the values, in variances of theirs."""
_NEAR: Final = 2.0
"""A model may be as good as the best where its value is within so many standard errors."""
_METHOD: Final = "parametric bootstrap"
_VISIBLE: Final = 0.01
"""Standard errors by which the corrected value is worse than others, beyond the noise of draws."""
_BELOW_ALL: Final = (
    "the corrected value is worse than every measured one, as happens in three of ten samples of "
    "equal models: it estimates the value on new rows, not the order of the models"
)
_NO_DIRECTION: Final = "neither direction of the metric is better"


@dataclass(frozen=True, eq=False)
class Contest:
    """One metric of several models, of which one is the best.

    Attributes:
        metric: what was measured.
        names: the models.
        values: float64[m], of each.
        covariance: float64[m, m], of the values; None where it is not known.
        best: place of the best model; None where there is none.
        shown: the value of the best with its interval.
        estimate: of the best.
        missing: why the covariance is not known.
    """

    metric: Metric
    names: tuple[str, ...]
    values: Floats
    covariance: Floats | None = None
    best: int | None = None
    shown: ModelValue | None = None
    estimate: Estimate | None = None
    missing: str = ""

    @classmethod
    def of(cls, found: Measured, estimates: Mapping[str, ModelValue]) -> Contest:
        """Create it from a metric of models and the estimate of each."""
        names, values = tuple(estimates), found.defined_values
        bare = cls(found.metric, names, values, missing=found.remark or NO_SLOPE)
        if found.metric.better is None or not np.isfinite(values).any():
            return bare
        best = int(np.nanargmax(np.where(np.isfinite(values), bare.sign * values, -math.inf)))
        return cls(
            found.metric,
            names,
            values,
            None if found.spread is None else found.spread.covariance_of_values(),
            best,
            estimates[names[best]],
            found.estimates[best],
            bare.missing,
        )

    @property
    def sign(self) -> float:
        """Sign that makes larger values better."""
        return -1.0 if self.metric.better == "lower" else 1.0

    @property
    def reason(self) -> str | None:
        """Reason why the value of the best cannot be corrected; None where it can."""
        if self.metric.better is None:
            return _NO_DIRECTION
        undefined = [
            name
            for name, is_known in zip(self.names, np.isfinite(self.values), strict=True)
            if not is_known
        ]
        if self.best is None or undefined:
            return f"the value of {shown(undefined)} is undefined or infinite"
        if self.covariance is None or not np.isfinite(self.covariance).all():
            return self.missing
        if not self.covariance[self.best, self.best] > 0.0:
            return f"the value of {self.names[self.best]} has no variance in these rows"
        return None

    @property
    def equals(self) -> list[str]:
        """The other models with the same value."""
        if self.best is None:
            return []
        is_equal = self.values == self.values[self.best]
        return [self.names[i] for i in np.flatnonzero(is_equal) if i != self.best]

    def outcome(self, level: float, seed: int) -> BestModel:
        """The best model, its value corrected for selection, and the limits.

        Cost: some 10 ms of five models.
        """
        name = None if self.best is None else self.names[self.best]
        value = math.nan if self.best is None else float(self.values[self.best])
        remark, m = self.reason, len(self.names)
        if remark is not None or self.best is None or self.covariance is None:
            return BestModel(str(self.metric), name, value, m, level=level, remark=remark)
        goodness = self.sign * self.values
        # In the order of the names, so that the order of the models changes nothing.
        order = sorted(range(m), key=lambda i: self.names[i])
        covariance = self.covariance[np.ix_(order, order)]
        draws = normal_draws(covariance, seed, min(_DRAWS, _MOST_NUMBERS // m + 1))
        draws = draws[:, np.argsort(order)]
        corrected = value - self.sign * excess_of_best(goodness, draws)
        tail = tail_of_best(goodness, self.covariance, draws, level)
        low, high = self._limits(level, tail)
        if low is not None and high is not None:
            corrected = min(max(corrected, low), high)
        remarks = [f"{shown(self.equals)} gave the same value"] if self.equals else []
        error = math.sqrt(float(self.covariance[self.best, self.best]))
        if self.sign * corrected < goodness.min() - _VISIBLE * error:
            remarks.append(_BELOW_ALL)
        return BestModel(
            *(str(self.metric), name, value, m),
            corrected=corrected,
            low=low,
            high=high,
            level=level,
            method=_METHOD,
            remark="; ".join(remarks) or None,
        )

    def _limits(self, level: float, tail: float) -> tuple[float | None, float | None]:
        """Those of the value, the one on the worse side moved to where this tail is beyond it."""
        assert self.shown is not None
        low, high, value = self.shown.low, self.shown.high, self.shown.value
        if low is None or high is None or tail >= (1.0 - level) / 2.0:
            return low, high
        asked = Confidence(1.0 - 2.0 * tail)
        levels = None if self.estimate is None else self.estimate.levels
        wide = None if levels is None else levels.interval(asked)
        if wide is None or wide.low is None or wide.high is None:
            # Limits at other levels lie as many times farther away.
            times = asked.quantile() / Confidence(level).quantile()
            ends = self.metric.range
            below = max(value - times * (value - low), ends[0])
            above = min(value + times * (high - value), ends[1])
        else:
            below, above = wide.low, wide.high
        return (low, max(above, high)) if self.sign < 0.0 else (min(below, low), high)


@dataclass(frozen=True, eq=False)
class BestModels:
    """The best model by each metric, found when it is asked for."""

    contests: Mapping[str, Contest]
    level: float
    seed: int
    _found: dict[str, BestModel] = field(default_factory=dict, init=False)

    def __call__(self, metric: str) -> BestModel:
        if metric not in self._found:
            self._found[metric] = self.contests[metric].outcome(self.level, self.seed)
        return self._found[metric]


def normal_draws(covariance: Floats, seed: int | Sequence[int], n: int = _DRAWS) -> Floats:
    """float64[2n, m]: errors of m values with this covariance, and the same with turned signs."""
    root = symmetric_root(covariance)
    half = np.random.default_rng(seed).standard_normal((n, len(covariance))) @ root
    return np.concatenate([half, -half])


def excess_of_best(values: Floats, draws: Floats) -> float:
    """Expected excess of the largest of the values: E of value − true value.

    Add noise √c·e to the values, with e from the distribution of their errors, and let i be the
    largest of the sums. Of equal models the sums are distributed as √(1 + c) times the errors, of
    which √c·e_i is the part c ÷ (1 + c): the mean of e_i is √(c ÷ (1 + c)) times the excess,
    whatever the number of models and their covariance. Where one model is clearly the best, i does
    not depend on the noise, and the mean of e_i is 0. Between, the excess is overestimated by at
    most 0.2 standard errors of five models; less noise would lower that, and vary more.

    Args:
        values: float64[m], the larger the better.
        draws: float64[d, m], errors e.

    Ref: Oliveira, Lei and Tibshirani (2024). Unbiased risk estimation in the normal means problem
    via coupled bootstrap techniques. Electronic Journal of Statistics 18.
    """
    at = np.argmax(values + math.sqrt(_NOISE) * draws, axis=1)
    of_best = float(np.take_along_axis(draws, at[:, None], 1).mean())
    return math.sqrt((1.0 + _NOISE) / _NOISE) * of_best


def tail_of_best(values: Floats, covariance: Floats, draws: Floats, level: float) -> float:
    """Tail probability at which the lower limit of the largest value lies: at most (1 − level) ÷ 2.

    Limits that lie (1 − level) ÷ 2 away are right of a model that was fixed beforehand. The upper
    one stays, since the largest value is too small less often still. The lower one is moved down
    until both miss in 1 − level of the samples of models whose values are as far from the largest
    as these, less two standard errors of that distance: of equal models to where their largest
    error is, of a clear best nowhere.

    Ref: Fuentes, Casella and Wells (2018). Confidence intervals for the means of the selected
    populations. Electronic Journal of Statistics 12.
    """
    best = int(np.argmax(values))
    own = np.diag(covariance)
    error = np.sqrt(np.maximum(own, 0.0))
    apart = np.sqrt(np.maximum(own + own[best] - 2.0 * covariance[best], 0.0))
    gaps = np.maximum(values[best] - values - _NEAR * apart, 0.0)
    at = np.argmax(draws - gaps, axis=1)
    scaled = np.take_along_axis(draws, at[:, None], 1)[:, 0]
    scaled = np.divide(scaled, error[at], out=np.zeros_like(scaled), where=error[at] > 0.0)
    # Of these draws, so that a clear best has the usual limits to the last digit.
    usual = float(np.quantile(draws[:, best], (1.0 + level) / 2.0)) / error[best]
    above = min(float((scaled < -usual).mean()), (1.0 - level) / 2.0)
    far = float(np.quantile(scaled, level + above))
    return tail_of(Confidence(level).quantile() * max(far / usual, 1.0)) / 2.0
