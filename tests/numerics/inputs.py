"""Tables and rows that are hard to compute with, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from karat.tally.score_kind import ARGUMENTS, ScoreKind
from tests.numerics.exact_scores import Scored

EPS = 2.0**-53


@dataclass(frozen=True, eq=False)
class Table:
    """A confusion matrix, int64 or float64."""

    name: str
    cells: Any

    @property
    def is_weighted(self) -> bool:
        return bool(self.cells.dtype.kind == "f")

    @property
    def spread(self) -> float | None:
        """All weight over the smallest."""
        if not self.is_weighted:
            return None
        return float(self.cells.sum() / self.cells[self.cells > 0].min())


def tables() -> Iterator[Table]:
    rng = np.random.default_rng(1)
    for k in (2, 3, 5):
        for digits in (2, 5, 8):
            yield Table("random counts", rng.integers(0, 10**digits, (k, k)))
        for _ in range(2):
            own, other = rng.integers(1, 10**4, k), rng.integers(1, 10**4, k)
            near = np.outer(own, other) + rng.integers(0, 2, (k, k))
            yield Table("hardly better than chance", near)
        dust = rng.integers(0, 2, (k, k))
        for size in (10**6, 10**12):
            yield Table("one class, and a few", np.diag([size] + [1] * (k - 1)) + dust)
            yield Table("a few, and one class", np.diag([1] * (k - 1) + [size]) + dust)
            turned = np.eye(k, dtype=np.int64)[::-1].copy()
            turned[0, -1] = size
            yield Table("one class, taken for another", turned + dust)
        yield Table("2^40", rng.integers(0, 2**40, (k, k)))
        yield Table("2^53 and neighbours", 2**53 + rng.integers(-1, 2, (k, k)))
        yield Table("up to 2^63", 2**57 + rng.integers(-1, 2, (k, k)))
        yield Table("perfect", np.diag(rng.integers(1, 10**9, k)))
        absent = rng.integers(1, 9, (k, k))
        absent[k - 1] = 0
        yield Table("a class is absent", absent)
        for span in (1, 10, 65):
            yield Table(f"weights of 1e±{span}", 10.0 ** rng.uniform(-span, span, (k, k)))
    yield Table("2^62", np.array([[2**62, 1], [3, 2**61]]))
    yield Table("one row beyond chance", np.array([[10**9, 10**9 + 1], [10**9 - 1, 10**9]]))
    many = np.zeros((60, 60), np.int64)
    for _ in range(300):
        many[rng.integers(60), rng.integers(60)] += rng.integers(1, 100)
    yield Table("60 classes", many)


def wide_table() -> Any:
    """1000 classes, some 3000 cells occupied."""
    rng = np.random.default_rng(2)
    cells = np.diag(rng.integers(1, 10**6, 1000))
    np.add.at(cells, (rng.integers(0, 1000, 2000), rng.integers(0, 1000, 2000)), 7)
    return cells


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with scores, as they are given."""

    name: str
    truth: Any
    values: Any
    weights: Any = None
    kind: ScoreKind = "probabilities"

    @property
    def k(self) -> int:
        return 2 if self.values.ndim == 1 else int(self.values.shape[1])

    @property
    def spread(self) -> float | None:
        if self.weights is None:
            return None
        return float(self.weights.sum() / self.weights[self.weights > 0].min())

    @property
    def call(self) -> dict[str, Any]:
        given = {
            "y_true": self.truth,
            ARGUMENTS[self.kind]: self.values,
            "labels": list(range(self.k)),
        }
        return given if self.weights is None else given | {"weights": self.weights}

    def exact(self) -> Scored:
        given = self.values.tolist()
        if self.values.ndim == 1:
            # Read as two columns: the other one is 1 − p as float64 has it.
            both = [[Fraction(1.0 - x), Fraction(x)] for x in given]
        else:
            both = [[Fraction(x) for x in row] for row in given]
        weights = [1.0] * len(given) if self.weights is None else self.weights.tolist()
        return Scored(self.truth.tolist(), both, [Fraction(w) for w in weights], self.kind)


def rows(*, n: int = 40) -> Iterator[Rows]:
    """Of every kind some, from a fixed seed."""
    rng = np.random.default_rng(3)

    def truth(k: int, m: int = n) -> Any:
        return np.concatenate([np.arange(k), rng.integers(0, k, m - k)])

    def shares(k: int, dtype: Any = np.float64, *, m: int = n) -> Any:
        p = rng.random((m, k)) + 0.01
        return (p / p.sum(axis=1, keepdims=True)).astype(dtype)

    for k in (2, 3, *([10] if n >= 20 else [])):
        for dtype in (np.float16, np.float32, np.float64):
            yield Rows(f"random {dtype.__name__}", truth(k), shares(k, dtype))
        yield Rows("all tied", truth(k), np.full((n, k), 1 / k))
        yield Rows("long ties", truth(k), shares(k, m=3)[rng.integers(0, 3, n)])
        for span in (1, 65):
            weights = 10.0 ** rng.uniform(-span, span, n)
            yield Rows(f"weights of 1e±{span}", truth(k), shares(k), weights)
        yield Rows("logits", truth(k), 5 * rng.normal(size=(n, k)), None, "logits")
        yield Rows("logits of ±700", truth(k), rng.uniform(-700, 700, (n, k)), None, "logits")
        for size in (40.0, 800.0):
            ends = rng.choice([-size, -0.5, 0.0, 0.5, size], (n, k))
            yield Rows(f"saturated logits of ±{size:g}", truth(k), ends, None, "logits")
        level = rng.integers(-8, 9, (n, 1)) / 4.0
        few = rng.integers(-3, 4, (n, k)) / 2.0
        yield Rows("logits and a level of the row", truth(k), few + level, None, "logits")
        for dtype in (np.float16, np.float32):
            half = (5 * rng.normal(size=(n, k))).astype(dtype)
            yield Rows(f"logits {dtype.__name__}", truth(k), half, None, "logits")
        yield Rows("scores", truth(k), 5 * rng.normal(size=(n, k)), None, "scores")
        neighbours = 1.0 + rng.integers(0, 3, (n, k)) * 2.0**-52
        yield Rows("scores one ulp apart", truth(k), neighbours, None, "scores")
    # Sums of the losses of more rows, or of larger scores, would be infinite.
    far = rng.choice([-1e306, 1e306, 1.0, 0.0], (n, 2))
    yield Rows("logits of ±1e306", truth(2), far, None, "logits")
    ends = np.array(
        [EPS, 1e-300, 5e-324, 0.5 - EPS / 2, 0.5, 0.5 + EPS, 1 - EPS, 1 - 2 * EPS, 1e-9]
    )
    p = rng.choice(ends, n)
    yield Rows("probabilities at the ends", (rng.random(n) < p).astype(int), p)
    yield Rows("certain and wrong", truth(2), rng.choice([EPS, 1 - EPS, 1e-12, 0.25, 0.75], n))
    both = rng.choice([EPS, 1e-12, 1e-5], n)
    columns = np.stack([1 - both, both], axis=1)
    yield Rows("nearly certain and right", np.where(np.arange(n) < 2, np.arange(n), 0), columns)
    edges = np.arange(1, 15) / 15
    borders = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])[:n]
    yield Rows("at the borders of bins", truth(2, len(borders)), borders)
    single = np.zeros(n, int)
    single[n // 3] = 1
    yield Rows("one row of the class", single, rng.random(n))
    yield Rows("one heavy row", truth(2), rng.random(n), np.where(np.arange(n) == 5, 1e16, 1.0))
    yield Rows("0 and 1", (p0 := rng.integers(0, 2, n)), p0.astype(float))
    yield Rows("probabilities near the share", truth(2), 0.5 + rng.normal(size=n) * 1e-9)
    p = 1 - 10.0 ** rng.uniform(-6, -3, n)
    yield Rows("far from calibrated", truth(2), p)
    far, counts = np.array([0.01, 0.01, 0.99, 0.99]), np.array([82.0, 5.0, 17.0, 9606.0])
    yield Rows("a few far from the rest", np.array([0, 1, 0, 1]), far, counts)
    if n >= 20:
        m = 300
        yield Rows("300 rows", truth(3, m), shares(3, m=m))
        yield Rows("300 weighted rows", truth(3, m), shares(3, m=m), rng.random(m) + 0.01)
