"""Metrics of one share as closed curves of it: (a·p + b) ÷ (1 + c·p), found from their formulas.

Recall is p itself, F1 is 2J ÷ (1 + J): limits and slopes cost no evaluation of the formula.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.proportions import measured, of_proportion, of_right_rows, proportion_of
from karat.metrics import Metric

__all__ = ["Curve", "curve_of", "curve_of_right_rows"]

Floats: TypeAlias = npt.NDArray[np.float64]

_FITTED: Final = np.array([0.125, 0.5, 0.875])
_CHECKED: Final = np.array([0.0, 1e-9, 0.0625, 0.3, 0.61, 0.97, 1.0 - 1e-9, 1.0])
_EXACT: Final = 1e-13
_SHORT: Final = 1e-12
_N_CURVES = 4096


@dataclass(frozen=True, slots=True)
class Curve:
    """A metric as a function of the one share p that it depends on: (a·p + b) ÷ (1 + c·p).

    It rises with p from 0 to 1, where it is finite.

    Attributes:
        a, b, c: what makes it.
        sides: of the share; see `Share.sides`.
        missing: what the metric is where no row is of the share.
    """

    a: float
    b: float
    c: float
    sides: Floats
    missing: float

    @property
    def is_share(self) -> bool:
        """Whether the metric is the share itself."""
        return (self.a, self.b, self.c) == (1.0, 0.0, 0.0)

    def at(self, p: Floats) -> Floats:
        """float64[...]: the metric where the share is p."""
        if self.is_share:
            return p
        found = p * self.a
        if self.b:
            found += self.b
        if self.c:
            found /= 1.0 + self.c * p
        return found

    def slope(self, p: Floats) -> Floats | float:
        """float64[...]: its derivative."""
        over = self.a - self.b * self.c
        return over / (1.0 + self.c * p) ** 2 if self.c else over


def _curve_through(shares: Floats, values: Floats) -> tuple[float, float, float] | None:
    """The a, b and c of the curve through three points, or None."""
    if not np.isfinite(values).all():
        return None
    try:
        found = np.linalg.solve(np.stack([shares, np.ones(3), -shares * values], -1), values)
    except np.linalg.LinAlgError:
        return None
    # Short numbers are exact: then the ends of the range are too.
    short = np.round(found, 6)
    a, b, c = (float(x) + 0.0 for x in np.where(np.abs(found - short) < _SHORT, short, found))
    return (a, b, c) if c > -1.0 and a - b * c > 0.0 else None


@cache
def curve_of(metric: Metric) -> Curve | None:
    """How a metric of one class depends on its share, or None where no such curve is found.

    It is found from three tables, and holds on others: with its derivative also on every table
    where some of the four cells are empty.

    Args:
        metric: of the positive class of two.
    """
    share = proportion_of(metric)
    if share is None:
        return None
    found = _curve_through(_FITTED, of_proportion(metric, share, _FITTED))
    if found is None:
        return None
    filled = np.array(list(itertools.product((0.0, 1.0), repeat=4))) * np.array(
        [5.0, 2.0, 3.0, 7.0]
    )
    value, slopes = measured(metric, filled.reshape(-1, 2, 2))
    hits, misses = share.sides @ filled.T
    inside = hits + misses
    missing = value[inside == 0.0]
    if not np.array_equal(missing, np.full(len(missing), missing[0]), equal_nan=True):
        return None
    curve = Curve(*found, share.sides, float(missing[0]))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = hits / inside
        of_sides = np.array((1.0 - p, -p)) * curve.slope(p) / inside
    is_seen = inside > 0.0
    expected = np.where(is_seen[:, None], of_sides.T @ share.sides, 0.0)
    is_curve = (
        np.allclose(
            curve.at(_CHECKED), of_proportion(metric, share, _CHECKED), rtol=_EXACT, atol=_EXACT
        )
        and np.allclose(curve.at(p[is_seen]), value[is_seen], rtol=_EXACT, atol=_EXACT)
        and np.allclose(expected, slopes.reshape(-1, 4), rtol=1e-12, atol=1e-12)
    )
    return curve if is_curve else None


@lru_cache(_N_CURVES)
def curve_of_right_rows(metric: Metric, k: int) -> tuple[float, float, float] | None:
    """The a, b and c of a metric that depends on the accuracy of k classes alone, or None.

    It is (a·p + b) ÷ (1 + c·p), and may fall with p.
    """
    values = of_right_rows(metric, _FITTED, k)
    is_falling = bool(values[0] > values[-1])
    found = _curve_through(_FITTED, -values if is_falling else values)
    if found is None:
        return None
    a, b, c = found
    a, b = (-a, -b) if is_falling else (a, b)
    at = (a * _CHECKED + b) / (1.0 + c * _CHECKED)
    is_curve = np.allclose(at, of_right_rows(metric, _CHECKED, k), rtol=_EXACT, atol=_EXACT)
    return (a, b, c) if is_curve else None
