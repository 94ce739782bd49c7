"""Rows with scores for the tests of curves: ties, weights of 0, absent classes, few and many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """True classes int[n] of k, a score for each float[n, k], weights or None."""

    y_true: npt.NDArray[np.int64]
    scores: Floats
    weights: Floats | None
    k: int

    @property
    def given(self) -> dict[str, Any]:
        """What every function of ranks takes beside y_true."""
        return {"y_score": self.scores, "weights": self.weights, "labels": range(self.k)}

    @property
    def logits(self) -> dict[str, Any]:
        """The same for functions of probabilities."""
        return {"y_logit": self.scores, "weights": self.weights, "labels": range(self.k)}

    @property
    def probabilities(self) -> Floats:
        """Softmax of the scores."""
        powers = np.exp(self.scores - self.scores.max(axis=1, keepdims=True))
        found: Floats = powers / powers.sum(axis=1, keepdims=True)
        return found


def problems(k: int, count: int, *, most: int = 300) -> Iterator[Problem]:
    """Problems of k classes that all occur with a weight above 0."""
    for number in range(count):
        rng = np.random.default_rng([k, number])
        n = int(rng.integers(k + 1, most))
        shares = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 30.0])))
        y = np.concatenate([np.arange(k), rng.choice(k, n - k, p=shares)])
        z = rng.normal(size=(n, k)) + rng.uniform(0, 3) * (np.arange(k) == y[:, None])
        if number % 2:
            z = np.round(z * rng.choice([1, 2, 10])) / 2
        weights = None
        if number % 3:
            # Some weigh nothing, but never all of a class.
            weights = rng.lognormal(size=n) * ((rng.random(n) < 0.8) | (np.arange(n) < k))
        order = rng.permutation(n)
        yield Problem(y[order], z[order], None if weights is None else weights[order], k)


def binary(count: int, *, most: int = 300) -> Iterator[tuple[Any, Any, Any]]:
    """y_true, the score of class 1, and weights."""
    for problem in problems(2, count, most=most):
        yield problem.y_true, problem.scores[:, 1], problem.weights
