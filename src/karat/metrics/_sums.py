"""Sums of products that depend on the numbers alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["dot"]


def dot(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
    """Σ x·y of float[n].

    Not by BLAS, which divides a long sum among its own threads: the last bits would depend on how
    many there are, and on a busy machine they wait for each other longer than they add.
    """
    return float(np.multiply(x, y).sum())
