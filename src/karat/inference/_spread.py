"""What is known of the sampling error of one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

__all__ = ["Found", "Spread", "optimism", "spread"]


@dataclass(frozen=True, slots=True)
class Spread:
    """What is known of the sampling error of one number.

    Attributes:
        variance: of the metric, by its influence; NaN where `missing` says why.
        shrunk: of areas, with placement variances shrunk by 5 pseudo-rows towards exponential
            scores; else the variance.
        df: degrees of freedom: of areas Satterthwaite's, of the area under precision the rows of
            the class less 1, of means the rows less 1, of means over classes the rows of the
            smallest class less 1; with clusters, clusters less 1.
        n_effective: Kish's effective rows of what it averages: all rows, the rows of the class, or
            those of the smallest class.
        n_informative: of areas, (Σ|φ|)² ÷ Σφ² over the own rows; else NaN.
        missing: why there is no variance, in words.
        optimism: of the area under precision, by what share of 1 − area few rows make it too large.
        interpolated: of such an area, how much of it straight lines between its points make.
    """

    variance: float
    shrunk: float
    df: float
    n_effective: float
    n_informative: float = np.nan
    missing: str = ""
    optimism: float = 0.0
    interpolated: float = 0.0


Found: TypeAlias = Spread | tuple[Spread, ...]
"""Of a metric of each class, one for each."""


def spread(variance: float, df: float, n: float, missing: str) -> Spread:
    """Of a mean: its variance, or why there is none."""
    if not np.isfinite(variance):
        return Spread(np.nan, np.nan, df, n, missing=missing if n > 1.0 else "there is one row")
    return Spread(variance, variance, df, n)


def optimism(n: float) -> float:
    """By what share of 1 − π the area under precision of a random ranking lies above π.

    (Σ 1/i − 1) ÷ (n − 1), i to n, whatever the rows of the class (Bestgen 2015).
    """
    if n <= 1.0:
        return 0.0
    return float((np.log(n) + np.euler_gamma + 0.5 / n - 1.0) / (n - 1.0))
