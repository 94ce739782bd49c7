"""Inference over folds: corrected variance of a mean of folds, nested cross-validation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.designs.units import ROUNDING, Floats, Units

Places = npt.NDArray[np.int64]

NADEAU_BENGIO = "Nadeau-Bengio"
SAME_VALUE = "all folds have the same value: their spread is unknown"
NESTED = "nested cross-validation"


@dataclass(frozen=True, eq=False)
class FoldUnits(Units):
    """Test folds: values of folds are correlated, because folds share training rows.

    The influence of a fold on the mean is its value.

    Attributes:
        ratio: test rows for each training row, n₂/n₁.
    """

    ratio: float = 0.0

    @classmethod
    def of(cls, n: int, ratio: float) -> FoldUnits:
        """Make it for so many values of folds, of the same weight each."""
        return cls(np.ones(n), np.ones(n), ratio)

    @property
    def n_units(self) -> float:
        return float(len(self.weights))

    @property
    def df(self) -> float:
        return len(self.weights) - 1.0

    def centred(self, phi: Floats) -> Floats:
        return np.asarray(phi - phi.mean(axis=-1, keepdims=True))

    def errors(self, phi: Floats) -> Floats:
        """As in every design; NaN for folds of one value, whose spread is unknown, unless it is 0.

        Nadeau & Bengio (2003): the naive variance of a mean, s²/J, takes folds to be independent;
        in (1/J + n₂/n₁)·s², n₂/n₁ stands for their correlation.
        """
        parts = self.centred(phi) / math.sqrt(self.df)
        sd, mean = np.sqrt((parts**2).sum(axis=-1)), phi.mean(axis=-1)
        is_unknown = (sd <= ROUNDING * np.maximum(np.abs(mean), 1.0)) & (mean != 0.0)
        scale = math.sqrt(1.0 / len(self.weights) + self.ratio)
        return np.asarray(np.where(is_unknown, math.nan, scale)[..., None] * parts)


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
