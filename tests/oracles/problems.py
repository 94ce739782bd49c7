"""Random problems on which numbers of karat and of other libraries are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Problem:
    """Truth, scores and what follows from them; classes are 0 … k − 1.

    Attributes:
        scores: float64[n, k]; the first largest is the prediction.
        weights: float64[n], or None.
        has_labels: whether functions are told the classes; otherwise they find them.
        memory: values of a library that are costly to make.
    """

    k: int
    y_true: Any
    scores: Any
    weights: Any
    has_labels: bool
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def y_pred(self) -> Any:
        return self.scores.argmax(axis=1)

    @property
    def prob(self) -> Any:
        e = np.exp(self.scores - self.scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    @property
    def margin(self) -> Any:
        """The score of the second of two classes against the first."""
        return self.scores[:, 1] - self.scores[:, 0]

    @property
    def labels(self) -> list[int]:
        return list(range(self.k))

    def holds(self, where: str) -> bool:
        """Whether the data are as a claim asks; its conditions are separated by commas."""
        return all(self._holds(part) for part in where.split(", ") if part)

    def _holds(self, condition: str) -> bool:
        true, pred = (np.bincount(y, minlength=self.k) > 0 for y in (self.y_true, self.y_pred))
        return bool(
            {
                "two classes": self.k == 2,
                "three or more classes": self.k > 2,
                "it is finite": True,
                "every class occurs": (true | pred).all(),
                "every class is true": true.all(),
                "every class is true and predicted": (true & pred).all(),
                "scores do not tie": np.unique(self.scores).size == self.scores.size,
                "no probability is 0": (self.prob > 0.0).all(),
                "no probability is 1": (self.prob.astype(np.float32) < 1.0).all(),
                "there are no weights": self.weights is None,
            }[condition]
        )


def problems(n_each: int) -> Iterator[Problem]:
    """Problems of 2 to 6 classes: with and without weights, ties, absent classes and labels."""
    for k in range(2, 7):
        for number in range(n_each):
            rng = np.random.default_rng([20, k, number])
            n = int(rng.choice([k + 3, 40, 150]))
            y = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 1.5)))
            # float32 numbers: what a library rounds to float32 stays what it is.
            z = rng.normal(size=(n, k)).astype(np.float32).astype(np.float64)
            if number % 3 == 1:
                z = np.round(z * 2) / 2
            z[np.arange(n), y] += 1.0
            is_whole = number % 4 < 2
            if is_whole:
                seen = rng.permutation(n)[:k]
                y[seen] = np.arange(k)
                z[seen, :] = rng.permutation(np.linspace(-1, 1, k * k)).reshape(k, k)
                z[seen, rng.permutation(k)] += 4.0
                z = z.astype(np.float32).astype(np.float64)
            weights = None
            if number % 2:
                weights = rng.lognormal(size=n).astype(np.float32).astype(np.float64)
            yield Problem(k, y, z, weights, has_labels=number % 4 != 2)
