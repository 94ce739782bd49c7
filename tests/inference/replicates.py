"""What replicates are made of, for the tests by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat import _native


def times_of(n: int, is_gamma: bool, seed: int, b: int, first: int = 0) -> Any:
    """How often each of n clusters is drawn in each replicate, [b, n]."""
    ids = np.arange(n, dtype=np.int32)
    return _native.resample_clusters(ids, ids, None, n, n, is_gamma, seed, 0, first, b, 1)


def gathered(u: Any, times: Any = None) -> float:
    """Σ t·u³ ÷ (6·(Σ t·u²)^1.5), one term after the other; t is 1 if it is not given."""
    times = [1.0] * len(u) if times is None else times
    cubes = sum(t * x**3 for t, x in zip(times, u, strict=True))
    squares = sum(t * x**2 for t, x in zip(times, u, strict=True))
    return float(cubes / (6.0 * squares**1.5))
