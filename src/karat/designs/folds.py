"""Inference over folds: corrected variance of a mean of folds, nested cross-validation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.designs.units import ROUNDING, Floats

Places = npt.NDArray[np.int64]

NADEAU_BENGIO = "Nadeau-Bengio"
SAME_VALUE = "all folds have the same value: their spread is unknown"
NESTED = "nested cross-validation"


@dataclass(frozen=True, slots=True)
class MeanOfFolds:
    """Mean over folds, with its corrected standard error.

    Attributes:
        mean: mean of the values of the folds, each fold with the same weight.
        sd: standard deviation of the values, J − 1 in the denominator.
        n: number of values, J = folds × repeats.
        ratio: test rows for each training row, n₂/n₁.

    Example:
        >>> found = MeanOfFolds.of([0.8, 0.9, 0.7, 0.8, 0.8], 1 / 4)
        >>> round(found.mean, 3), round(found.standard_error, 4)
        (0.8, 0.0474)
    """

    mean: float
    sd: float
    n: int
    ratio: float

    @classmethod
    def of(cls, values: npt.ArrayLike, ratio: float) -> MeanOfFolds:
        """Make it from the values of at least two folds."""
        each = np.asarray(values, np.float64)
        return cls(float(each.mean()), float(each.std(ddof=1)), len(each), ratio)

    @property
    def is_constant(self) -> bool:
        """True if all folds have the same value but for rounding: their spread is unknown."""
        return self.sd <= ROUNDING * max(abs(self.mean), 1.0)

    @property
    def standard_error(self) -> float:
        """√((1/J + n₂/n₁)·s²): Nadeau & Bengio (2003), the corrected resampled variance.

        The naive variance s²/J takes folds to be independent. They share training rows, so that
        their values are correlated; n₂/n₁ stands for that correlation.
        """
        return math.sqrt(1.0 / self.n + self.ratio) * self.sd

    @property
    def df(self) -> float:
        """Degrees of freedom of Student's t, J − 1."""
        return self.n - 1.0

    def limits(self, quantile: float) -> tuple[float, float]:
        """Return limits at this quantile of Student's t."""
        distance = quantile * self.standard_error
        return self.mean - distance, self.mean + distance

    @property
    def p(self) -> float:
        """Two-sided p-value of a mean of 0: the corrected resampled t-test.

        1 where all values are 0. Where all are the same other number, there is no test: see
        `is_constant`.
        """
        if self.is_constant:
            return 1.0 if abs(self.mean) <= ROUNDING else math.nan
        from scipy.special import stdtr

        return float(2.0 * stdtr(self.df, -abs(self.mean) / self.standard_error))

    def p_above(self, bound: float) -> float:
        """One-sided p-value of a true mean of at most `bound`."""
        if self.is_constant:
            return math.nan
        from scipy.special import stdtr

        return float(stdtr(self.df, (bound - self.mean) / self.standard_error))


@dataclass(frozen=True, slots=True)
class NestedEstimate:
    """Estimate of the error of a model that was trained on all rows.

    Attributes:
        value: mean of the inner losses less the estimated bias.
        standard_error: of the value, within its limits.
        n_folds: number of folds, K.
        n_repeats: number of repeats, R.
        bias: what was subtracted.
        inflation: standard error ÷ naive standard error, in [1, √K].
    """

    value: float
    standard_error: float
    n_folds: int
    n_repeats: int
    bias: float
    inflation: float

    def limits(self, quantile: float) -> tuple[float, float]:
        """Return limits at this normal quantile."""
        distance = quantile * self.standard_error
        return self.value - distance, self.value + distance


def nested_estimate(
    losses: Floats, repeat: Places, fold: Places, held_out: Places, n_rows: int
) -> NestedEstimate:
    """Estimate the mean loss by nested cross-validation.

    Bates, Hastie & Tibshirani (2024), Algorithm 1. For each fold k of each repeat,
    a = (mean inner loss − mean outer loss)² and b = variance of the mean outer loss. The mean
    squared error of K-fold cross-validation is mean(a) − mean(b). Its root, scaled from the rows of
    K − 1 folds to all rows by √((K − 1)/K), is kept between the naive standard error and √K times
    that.

    Args:
        losses: float64[m], the loss of each prediction.
        repeat: int[m], the repeat, from 0.
        fold: int[m], the fold of the row, from 0 to K − 1.
        held_out: int[m], the other fold that its model was trained without; −1: only its own.
        n_rows: number of rows of the data, n.
    """
    n_folds, n_repeats = int(fold.max()) + 1, int(repeat.max()) + 1
    is_outer = held_out < 0
    outer_at = (repeat * n_folds + fold)[is_outer]
    inner_at = (repeat * n_folds + held_out)[~is_outer]
    size = n_repeats * n_folds
    outer, n_outer = _sums(losses[is_outer], outer_at, size)
    inner, n_inner = _sums(losses[~is_outer], inner_at, size)
    outer_mean = outer / n_outer
    squares, _ = _sums((losses[is_outer] - outer_mean[outer_at]) ** 2, outer_at, size)
    a = (inner / n_inner - outer_mean) ** 2
    b = squares / (n_outer - 1.0) / n_outer
    inner_losses = losses[~is_outer]
    naive = float(inner_losses.std(ddof=1)) / math.sqrt(n_rows)
    mse = float(a.mean() - b.mean())
    error = math.sqrt(max(mse, 0.0) * (n_folds - 1.0) / n_folds)
    error = min(max(error, naive), math.sqrt(n_folds) * naive)
    mean_inner = float(inner_losses.mean())
    bias = (1.0 + (n_folds - 2.0) / n_folds) * (mean_inner - float(losses[is_outer].mean()))
    inflation = error / naive if naive > 0.0 else 1.0
    return NestedEstimate(mean_inner - bias, error, n_folds, n_repeats, bias, inflation)


def _sums(values: Floats, places: Places, size: int) -> tuple[Floats, Floats]:
    """float64[size] each: sum and count of the values by place."""
    counts = np.bincount(places, minlength=size).astype(np.float64)
    return np.asarray(np.bincount(places, values, minlength=size), np.float64), counts
