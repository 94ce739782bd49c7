"""The rows that the cases measure: the same ones for every peer, made from one seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[Any]
Floats = npt.NDArray[Any]

SHARE_RIGHT = 0.8
SEED = 0


def labels(n: int, k: int, dtype: Any = np.int64) -> tuple[Labels, Labels]:
    """True and predicted labels[n] of k classes, four in five right; all k occur."""
    rng = np.random.default_rng(SEED)
    y_true = rng.integers(0, k, n)
    y_true[: min(n, k)] = np.arange(min(n, k))
    y_pred = np.where(rng.random(n) < SHARE_RIGHT, y_true, rng.integers(0, k, n))
    return y_true.astype(dtype, copy=False), y_pred.astype(dtype, copy=False)


def text_labels(n: int, k: int, dtype: Any) -> tuple[Labels, Labels]:
    """The same labels as text; each row has a string of its own, as a reader of a file makes."""
    y_true, y_pred = labels(n, k)
    names = np.array([f"class_{j:03d}" for j in range(k)])
    return names[y_true].astype(dtype), names[y_pred].astype(dtype)


def weights(n: int) -> Floats:
    """float64[n] between 0 and 1."""
    return np.random.default_rng(SEED + 1).random(n)


def two_classes(n: int, dtype: Any = np.float64) -> tuple[Labels, Floats]:
    """Labels with one row in five positive, and scores that mostly rank them higher."""
    rng = np.random.default_rng(SEED)
    y = (rng.random(n) < 0.2).astype(np.int64)
    s = 1.0 / (1.0 + np.exp(-rng.normal(size=n) - y))
    return y, s.astype(dtype)


def many_classes(n: int, k: int, dtype: Any = np.float64) -> tuple[Labels, Floats]:
    """Labels of k classes and probabilities in C order, whose rows add up to 1."""
    y, z = logits(n, k)
    p = np.exp(z, out=z)
    p /= p.sum(axis=1, keepdims=True)
    return y, p.astype(dtype, copy=False)


def logits(n: int, k: int, dtype: Any = np.float64, order: Any = "C") -> tuple[Labels, Floats]:
    """Labels of k classes and scores [n, k] whose softmax are probabilities."""
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, k, n)
    y[: min(n, k)] = np.arange(min(n, k))
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1.0
    return y, z.astype(dtype, order=order, copy=False)
