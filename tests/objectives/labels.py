"""Rows with several labels for training: the digits by what is drawn in them, hard and soft."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.objectives.digits import N, Y

K = 4
_PARTS = (
    [0, 6, 8, 9],  # a closed loop
    [1, 4, 7],  # straight lines alone
    [2, 3, 5],  # ends that are free, and no loop
    [5, 7],  # a bar on top
)
HARD: Any = np.stack([np.isin(Y, part) for part in _PARTS], axis=1).astype(np.float64)
# Multiples of 1/64 are exact in float32, as hosts store targets, and 0 and 1 are among them.
_DOUBT = np.random.default_rng(3).integers(0, 33, (N, K)) / 64
TARGETS: Any = {"hard": HARD, "soft": abs(HARD - _DOUBT)}


def farthest(left: Any, right: Any) -> float:
    """The largest difference of the scores of two models."""
    left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
    assert left.shape == right.shape == (N, K)
    return float(abs(left - right).max())
