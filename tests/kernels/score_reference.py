"""Slow references of the pass over scores: a few plain lines each, in long doubles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

LOSSES = ("negative_log_probability", "squared_error", "margin", "binary_negative_log_probability")


def wide(values: Any) -> Any:
    """longdouble[n, k] of a matrix, or of the column of the second of two classes."""
    return np.asarray(values, np.longdouble)


def own_and_others(x: Any, codes: Any, fill: float) -> tuple[Any, Any]:
    """The score of the true class of each row, and the rows with `fill` in its place."""
    others = x.copy()
    rows = np.arange(len(x))
    others[rows, codes] = fill
    return x[rows, codes], others


def softmax(x: Any) -> Any:
    """Probabilities of scores."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def negative_log_probability(x: Any, codes: Any, is_prob: bool) -> Any:
    own, others = own_and_others(x, codes, -np.inf)
    return -np.log(own) if is_prob else np.log1p(np.exp(others - own[:, None]).sum(axis=1))


def squared_error(x: Any, codes: Any, is_prob: bool) -> Any:
    own, others = own_and_others(x if is_prob else softmax(x), codes, 0)
    missing = 1 - own if is_prob else others.sum(axis=1)
    return missing**2 + (others**2).sum(axis=1)


def margin(x: Any, codes: Any, is_prob: bool) -> Any:
    own, others = own_and_others(x, codes, -np.inf)
    pairs = zip(own.astype(float), others.max(axis=1).astype(float), strict=True)
    return np.array([max(0.0, math.fsum((1.0, -mine, other))) for mine, other in pairs])


def binary_negative_log_probability(x: Any, codes: Any, is_prob: bool) -> Any:
    own, others = own_and_others(x, codes, 0 if is_prob else -np.inf)
    if is_prob:
        return (-np.log(own) - np.log1p(-others).sum(axis=1)) / x.shape[1]
    return (np.log1p(np.exp(-own)) + np.log1p(np.exp(others)).sum(axis=1)) / x.shape[1]


def loss_of(name: str, x: Any, codes: Any, is_prob: bool) -> Any:
    """float64[n]: what each row loses."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        return globals()[name](x, codes, is_prob).astype(np.float64)


def sums(loss: Any, weights: Any) -> tuple[float, float, float]:
    """Σwℓ, Σw²ℓ, Σw²ℓ² over the rows that weigh anything."""
    rows = [(float(w), float(x)) for w, x in zip(weights, loss, strict=True) if w > 0]
    return (
        math.fsum(w * x for w, x in rows),
        math.fsum(w * w * x for w, x in rows),
        math.fsum((w * x) ** 2 for w, x in rows),
    )


def place(row: Sequence[float], code: int) -> int:
    """Columns better than the true class, or as good and further left."""
    return sum(x > row[code] or (x == row[code] and j < code) for j, x in enumerate(row))


def bin_of(confidence: float, n_bins: int) -> int:
    """The bin (i / n, (i + 1) / n] of a confidence."""
    return next(i for i in range(n_bins) if i == n_bins - 1 or confidence <= (i + 1) / n_bins)


def added(n: int, at: Sequence[int], amounts: Sequence[float]) -> Any:
    """float64[n]: the sum of the amounts at each position."""
    parts: list[list[float]] = [[] for _ in range(n)]
    for i, amount in zip(at, amounts, strict=True):
        parts[i].append(float(amount))
    return np.array([math.fsum(part) for part in parts])
