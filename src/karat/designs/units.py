"""Units of a sample, and how a value varies that each of them moves."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.cached import cached_property

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[Any]

ROUNDING: Final = 1e-12
"""Relative error of a sum of rows in any order, or of one number beside another scale."""


def kish(weight: Any, square: Any) -> Any:
    """Kish's effective sample size of weighted rows: (Σw)² ÷ Σw²."""
    weight, square = np.asarray(weight, np.float64), np.asarray(square, np.float64)
    return np.where(square > 0, weight**2 / np.where(square > 0, square, 1.0), 0.0)


def small_sample(n: Any) -> Any:
    """Factor n ÷ (n − 1) that corrects the bias of a mean square; NaN for one row."""
    n = np.asarray(n, np.float64)
    has_rest = n > 1.0 + 1e-9
    return np.where(has_rest, n / np.where(has_rest, n - 1.0, 1.0), np.nan)


@dataclass(frozen=True, eq=False)
class SeparateClasses:
    """Classes that add to a variance separately: int[e], and the degrees of freedom of each [k]."""

    codes: Codes
    df: Floats

    def degrees(self, squares: Floats) -> float:
        """Degrees of freedom of a sum of squares float64[e] (Satterthwaite 1946, Welch 1947)."""
        parts: Floats = np.bincount(self.codes, squares, len(self.df)).astype(np.float64)
        is_held = self.df > 0.0
        whole = float(parts.sum())
        if not 0.0 < whole < math.inf:
            return max(float(self.df[is_held].sum()), 1.0)
        parts = parts[is_held] / whole
        # Of classes with one row each nothing is left.
        total = float((parts**2 / self.df[is_held]).sum())
        return max(1.0 / total, 1.0) if total > 0.0 else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a design makes units of.

    Attributes:
        weights, squares: float64[e], Σw and Σw² of each unit.
        true: int[e], the true class of each, or None.
        k: number of classes.
        grows: whether variances grow by what few rows do not show.
        factors: float64[e], by how much the square of each grows in small samples; None: by 1.
        df: degrees of freedom of a variance, where units are independent.
        classes: the true class of each, where classes add to a variance separately.
    """

    weights: Floats
    squares: Floats
    true: Codes | None = None
    k: int = 0
    grows: bool = False
    factors: Floats | None = None
    df: float = math.inf
    classes: SeparateClasses | None = None

    @classmethod
    def of_rows(cls, weights: Floats | None, n: int, df: float = math.inf) -> Sample:
        """That of n single rows, with weights or without."""
        w = np.ones(n) if weights is None else weights
        return cls(w, w * w, df=df)


@dataclass(frozen=True, eq=False)
class Units(ABC):
    """Rows, or cells of equal rows, with the design that they were drawn by.

    A value moves with each unit by its influence φ. Its error is a sum of independent parts, and
    its variance the sum of their squares: each design says what the parts are.

    Attributes:
        weights: float64[e], Σw of each unit.
        squares: float64[e], Σw².
    """

    weights: Floats
    squares: Floats

    @cached_property
    def total(self) -> float:
        """Σw."""
        return float(self.weights.sum())

    @cached_property
    def n_effective(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw², at most the number of independent units."""
        square = float(self.squares.sum())
        return min(self.total**2 / square, self.n_units) if square else 0.0

    @property
    def n_units(self) -> float:
        """Independent units that are not single rows; infinite where rows are independent."""
        return math.inf

    @property
    def compares_classes(self) -> bool:
        """True if the true classes add to a variance separately."""
        return False

    @property
    def n_of_rounding(self) -> float:
        """Effective units whose sums may be rounding."""
        return self.n_effective

    @property
    @abstractmethod
    def df(self) -> float:
        """Largest degrees of freedom of a variance."""

    @abstractmethod
    def centred(self, phi: Floats) -> Floats:
        """float64[..., e]: influences less their mean, φ float64[..., e]."""

    @abstractmethod
    def errors(self, phi: Floats) -> Floats:
        """float64[..., u]: independent parts of the error of a value with influence φ [..., e]."""

    def influence_of(self, moves: Floats) -> Floats:
        """float64[e]: the influences of single rows that move a value by w·φ ÷ Σw, `moves`."""
        w = self.weights
        return np.where(w > 0.0, moves * self.total / np.where(w > 0.0, w, 1.0), 0.0)

    def variance_of_moves(self, moves: Floats) -> float:
        """Variance of a value that single rows move by w·φ ÷ Σw [e], which add up to 0."""
        return float(self.variance(self.influence_of(moves)))

    def errors_of_rows(self, phi: Floats) -> Floats:
        """float64[..., e]: the part of each unit in the error, as if units were independent."""
        return self.errors(phi)

    def degrees(self, phi: Floats) -> float:
        """Degrees of freedom of the variance of a number with influence φ [e]."""
        del phi
        return self.df

    def degrees_of_each(self, centred: Floats, size: float) -> Floats:
        """float64[...]: degrees of freedom of numbers with centred influences [..., e].

        Args:
            size: of the influences before their mean was subtracted.
        """
        del size
        return np.full(centred.shape[:-1], self.df)

    def least_tail(self, moves: npt.NDArray[np.bool_]) -> float:
        """The least p-value if all rows of some units [e] move a difference to the same side.

        0 where the tails are Student's, which are no smaller than those of signs.
        """
        del moves
        return 0.0

    def degrees_of_value(self, phi: Floats) -> float:
        """The same of the value of one model."""
        return self.degrees(phi)

    def variance(self, phi: Floats) -> Floats:
        """float64[...]: variance of values with influences φ [..., e]."""
        return np.asarray((self.errors(phi) ** 2).sum(axis=-1))

    def covariance(self, phi: Floats) -> Floats:
        """float64[d, d]: of d numbers with influences φ [d, e]."""
        errors = self.errors(phi)
        return np.asarray(errors @ errors.T)
