"""Rounding rules that records of metrics state, read by `_error_bound`.

A rule maps the size of the data to units of rounding. Formulas on counts that only add, multiply
and divide need none: their bound follows from the trace.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
ROUNDING_UNIT: Final = 2.0**-53
"""Largest relative error of one float64 operation."""
LARGEST_COST: Final = "the largest cost, without its sign"
ROWS_BY_RARE_ROWS: Final = "all rows ÷ those outside the commonest classes"
NEARBY: Final = "its parameter or the gain of the threshold"

_EXACT_COUNTS: Final = 2**53
_UNDERFLOW: Final = 1e-300 / ROUNDING_UNIT
"""Argument below which an exponential underflows: e⁻⁷⁰⁸."""


@dataclass(frozen=True)
class DataSize:
    """Data sizes that rounding depends on: rows, classes, weight ratio, signs of costs.

    Costs below zero are gains: a sum with both signs cancels.
    """

    n: float
    k: int
    spread: float | None
    has_gains: bool = False

    @property
    def of_sum(self) -> float:
        """Number of roundings in a sum of weights of the rows; counts are exact below 2⁵³."""
        if self.spread is not None:
            return self.n + 2.0 * self.k
        return 0.0 if self.n < _EXACT_COUNTS else 1.0

    @property
    def of_classes(self) -> float:
        """Number of roundings in a sum over the classes, in eight running sums."""
        return self.k / 8.0 + 4.0

    @property
    def of_cells(self) -> float:
        return self.k**2 / 8.0 + 4.0


class Units(NamedTuple):
    """An error in units of rounding.

    Attributes:
        relative, absolute: parts relative to the value, and to the scale.
        scale: the unit of the absolute part; ``"1"``, or words.
        per_log: further relative error for each unit of |ln exact|.
    """

    relative: float
    absolute: float
    scale: str = "1"
    per_log: float = 0.0


def at_ends(values: Floats, ends: tuple[float, float], most: Floats | float) -> Floats:
    """Values; those beyond an end of a range by at most `most`, which is rounding, lie at this end.

    Example:
        >>> at_ends(np.array([1.0 + 1e-15, 1.1]), (0.0, 1.0), 1e-12)
        array([1. , 1.1])
    """
    inside = np.clip(values, *ends)
    with np.errstate(invalid="ignore"):  # infinite values stay
        return np.where(np.abs(values - inside) <= most, inside, values)


Rounding: TypeAlias = Callable[[DataSize], Units]

_Line: TypeAlias = tuple[float, float]


def linear(
    *,
    relative: _Line = (0.0, 0.0),
    absolute: _Line = (0.0, 0.0),
    per_log: _Line = (0.0, 0.0),
    scale: str = "1",
) -> Rounding:
    """Rule with a term for each row and a constant term.

    Example:
        >>> linear(relative=(2, 8))(DataSize(100.0, 2, None)).relative
        208.0
    """

    def units(d: DataSize) -> Units:
        return Units(
            relative[0] * d.n + relative[1],
            absolute[0] * d.n + absolute[1],
            scale,
            per_log[0] * d.n + per_log[1],
        )

    return units


def of_kappa(d: DataSize) -> Units:
    """Rule for 1 minus a ratio of sums over the cells."""
    units = 4.0 * d.of_sum + d.of_cells + 4.0 * d.k + 16.0
    return Units(units, units)


def kappa_of_costs(d: DataSize) -> Units:
    """Rule for 1 minus a ratio of sums over the cells with given disagreements."""
    if d.has_gains:
        return Units(0.0, math.inf, "none is stated where disagreements are below zero")
    return of_kappa(d)


def difference_of_shares(d: DataSize) -> Units:
    """Rule for proportions added and subtracted."""
    return Units(0.0, 4.0 * d.of_sum + 2.0 * d.of_classes + 12.0)


def sum_of_costs(d: DataSize) -> Units:
    """Rule for a sum of cells times costs of any sign."""
    return Units(0.0, d.of_sum + d.of_cells + 4.0, LARGEST_COST)


def information(d: DataSize) -> Units:
    """Rule for sums of proportions times their logarithms."""
    return Units(0.0, 8.0 * d.of_sum + d.of_cells + 16.0)


def normalized_information(d: DataSize) -> Units:
    """Rule for information over entropies, which are small if one class has nearly all rows."""
    units = 8.0 * d.of_sum + 2.0 * d.of_cells + 48.0
    return Units(units, units, ROWS_BY_RARE_ROWS)


def softmax_loss(d: DataSize) -> Units:
    """Rule for a mean of losses of scores.

    A difference of scores is rounded before the exponential, which multiplies the error by up to
    709.
    """
    return Units(d.n + 2.0 * d.k + 800.0, _UNDERFLOW)


def pair_area(d: DataSize) -> Units:
    """Rule for counts of pairs, which are integers without weights and sums with them."""
    return Units(4.0 if d.spread is None else 3.0 * d.n + 8.0, 0.0)


def twice_the_area(d: DataSize) -> Units:
    """Rule for two areas minus one."""
    return Units(0.0, 2.0 * pair_area(d).relative + 2.0)


def area_and_pairs(*, is_weighted: bool) -> Rounding:
    """Rule for a mean of areas over pairs of classes, plain or weighted by rows."""

    def units(d: DataSize) -> Units:
        more = d.n + 4.0 if is_weighted else 0.0
        return Units(pair_area(d).relative + more + d.k**2, 0.0)

    return units


def fitted_line(d: DataSize) -> Units:
    """Rule for Newton's method, which ends after a step of 1e-9 and may miss very light rows."""
    is_known = d.spread is None or d.spread <= 1e9
    return Units(
        0.0,
        1e-9 / ROUNDING_UNIT if is_known else math.inf,
        "(1 + |slope| + |intercept|) × condition of the information",
    )


def debiased(d: DataSize) -> Units:
    """Rule for a square minus its expectation by chance."""
    return Units(0.0, (16.0 if d.spread is None else 1e9) * (d.n + 16.0))
