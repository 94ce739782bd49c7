"""The digits data for training: every third row, three weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.optional import optional

K = 10
LOSSES: Any = ("multiclass", "multiclass_one_vs_all")

_X, _y = optional("sklearn.datasets").load_digits(return_X_y=True)
X, Y = _X[::3], _y[::3]
N = len(Y)
# Exact in float32, as hosts store weights.
WEIGHTS = {"plain": None, "weighted": np.random.default_rng(0).choice([0.5, 1.0, 1.75], N)}


def farthest(left: Any, right: Any) -> float:
    """The largest difference of two arrays of one shape."""
    left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
    assert left.shape == right.shape == (N, K)
    return float(abs(left - right).max())
