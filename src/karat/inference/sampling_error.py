"""Record of the sampling error of one number."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SamplingError:
    """Sampling error of one number.

    Attributes:
        variance: variance of the metric, by its influence; NaN for the reason in `missing`.
        shrunk: for areas, the variance with placement variances shrunk by 5 pseudo-rows toward
            exponential scores; else the variance.
        df: degrees of freedom: Satterthwaite's for areas, the rows of the class minus 1 for the
            area under precision, the rows minus 1 for means, the rows of the smallest class minus 1
            for means over classes; with clusters, see `degrees_of_clusters`.
        n_effective: Kish's effective sample size of the averaged rows: all rows, the rows of the
            class, or those of the smallest class.
        n_informative: for areas, (Σ|φ|)² ÷ Σφ² over the own rows; else NaN.
        missing: why there is no variance, in words.
        optimism: for the area under precision, its bias from few rows as a fraction of 1 − area.
        interpolated: for such an area, the part of it that straight lines between its points add.
        n_rest: for areas, effective rows of the other side.
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
