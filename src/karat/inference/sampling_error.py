"""The sampling error of one number, as a record."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SamplingError:
    """What is known of the sampling error of one number.

    Attributes:
        variance: of the metric, by its influence; NaN where `missing` says why.
        shrunk: of areas, with placement variances shrunk by 5 pseudo-rows towards exponential
            scores; else the variance.
        df: degrees of freedom: of areas Satterthwaite's, of the area under precision the rows of
            the class less 1, of means the rows less 1, of means over classes the rows of the
            smallest class less 1; with clusters, see `degrees_of_clusters`.
        n_effective: Kish's effective rows of what it averages: all rows, the rows of the class, or
            those of the smallest class.
        n_informative: of areas, (Σ|φ|)² ÷ Σφ² over the own rows; else NaN.
        missing: why there is no variance, in words.
        optimism: of the area under precision, by what share of 1 − area few rows make it too large.
        interpolated: of such an area, how much of it straight lines between its points make.
        n_rest: of areas, effective rows of the other side.
    """

    variance: float
    shrunk: float
    df: float
    n_effective: float
    n_informative: float = math.nan
    missing: str = ""
    optimism: float = 0.0
    interpolated: float = 0.0
    n_rest: float = math.nan
