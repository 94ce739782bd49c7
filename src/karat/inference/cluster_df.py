"""Degrees of freedom of a variance over clusters."""

from __future__ import annotations

import numpy as np

from karat.inference.limits import Floats


def degrees_of_clusters(sizes: Floats) -> Floats:
    """float64[...]: degrees of freedom of a sum of squares over clusters with parts [..., G].

    (Σs²)² ÷ Σs⁴, the effective number of clusters (Satterthwaite 1946, for parts that differ in
    scale), but at most the number of clusters minus 1. With s = Σ w·|φ| over the rows of a cluster,
    it accounts for clusters of unequal sizes and for errors in few clusters.

    Example:
        >>> degrees_of_clusters(np.array([1.0, 1.0, 1.0, 1.0])).round(2)
        np.float64(3.0)
        >>> degrees_of_clusters(np.array([9.0, 1.0, 1.0])).round(2)
        np.float64(1.05)
    """
    largest = sizes.max(axis=-1, initial=0.0, keepdims=True)
    squares = np.where(largest > 0.0, sizes / np.where(largest > 0.0, largest, 1.0), 1.0) ** 2
    found = squares.sum(axis=-1) ** 2 / (squares**2).sum(axis=-1)
    return np.asarray(np.minimum(found, sizes.shape[-1] - 1.0))
