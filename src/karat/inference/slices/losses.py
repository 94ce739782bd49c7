"""Losses of rows: their sums over slices, and the null distribution of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.inference.limits import Flags, Floats
from karat.inference.slices.candidates import Block, Codes, Family, Values

_BLOCK: Final = 1 << 21
"""Numbers of replicates in memory at once."""
_MOST_AT_ONCE: Final = 128
"""Number of replicates summed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class RowLosses:
    """Loss and weight of each row.

    Attributes:
        loss: float64[n], divided by a power of two that brings the largest to between 1 and 2.
        weights: float64[n], above 0; None if all are equal.
        clusters: int64[n], from 0; None if rows are independent.
        is_studentized: whether the variance of a slice comes from its own rows and the others, if
            it is larger than that of all: losses may vary more in some slices than in others. For
            two values, the variance follows from the mean.
        moved: float64[n], the summands of a slice: the losses, or weight × (loss − mean loss).
        scale: the power of two.
    """

    loss: Floats
    weights: Floats | None
    clusters: Codes | None
    is_studentized: bool
    moved: Floats
    scale: int = 0

    @classmethod
    def of(
        cls, loss: Floats, weights: Floats | None = None, clusters: npt.NDArray[Any] | None = None
    ) -> RowLosses:
        """Return the losses of rows of positive weight; losses may be below 0."""
        # Their squares neither overflow nor underflow; 0 and 1, from labels, are unchanged.
        most = float(np.abs(loss).max(initial=0.0))
        scale = int(np.frexp(most)[1]) - 1 if most else 0
        loss = np.ldexp(loss, -scale)
        if clusters is not None:
            clusters = np.unique(clusters, return_inverse=True)[1].reshape(-1)
            if int(clusters.max(initial=-1)) + 1 == len(loss):
                clusters = None
        if weights is not None and not np.ptp(weights):
            weights = None
        if weights is not None:
            weights = weights / weights.max()
            moved = weights * (loss - np.average(loss, weights=weights))
        else:
            moved = loss
        ends = moved.min(initial=np.inf), moved.max(initial=-np.inf)
        is_studentized = clusters is None and not bool(np.isin(moved, ends).all())
        if weights is None and (clusters is not None or is_studentized):
            moved = loss - loss.mean()
        return cls(loss, weights, clusters, is_studentized, moved, scale)

    def at(self, rows: Codes) -> RowLosses:
        """Return the losses of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        clusters = None if self.clusters is None else self.clusters[rows]
        return RowLosses.of(np.ldexp(self.loss[rows], self.scale), weights, clusters)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.loss)

    @property
    def is_varied(self) -> bool:
        """True if losses differ between rows, and there are several clusters, if any."""
        has_several = self.clusters is None or bool(self.clusters.max(initial=0))
        return has_several and bool(np.ptp(self.moved) > 0.0)

    def mean(self, rows: Flags | Codes) -> float:
        """Return the weighted mean loss of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        found = float(np.average(self.loss[rows], weights=weights))
        return float(np.ldexp(found, self.scale))

    def replicates(self, n: int, seed: int) -> Iterator[Values]:
        """Yield float[b, n] without end: values of the rows under the null hypothesis.

        Losses are permuted across rows, and weights stay at theirs: weights may follow a column.
        With clusters, the values of each cluster keep or flip their sign together.
        """
        rng = np.random.default_rng(seed)
        step = max(1, min(_MOST_AT_ONCE, _BLOCK // max(self.n, 1)))
        values = self._values()
        for start in range(0, n, step):
            b = min(step, n - start)
            if self.clusters is None:
                drawn = rng.permuted(np.broadcast_to(values, (b, self.n)), axis=1)
                yield drawn if self.weights is None else self._weighted(drawn)
            else:
                n_clusters = int(self.clusters.max()) + 1
                signs = 2.0 * rng.integers(0, 2, (b, n_clusters)) - 1.0
                yield signs[:, self.clusters] * values

    def _weighted(self, loss: Values) -> Values:
        """float[b, n]: weight × (loss − mean loss) of losses [b, n]."""
        weights = self.weights
        assert weights is not None
        return np.asarray(weights * (loss - (loss @ (weights / weights.sum()))[:, None]))

    def _values(self) -> Values:
        """Return the values that are drawn, in 32 bits if their sums are exact."""
        if self.weights is not None and self.clusters is None:
            return self.loss
        is_exact = self.n < 1 << 24 and bool(np.isin(self.moved, (0.0, 1.0)).all())
        return self.moved.astype(np.float32) if is_exact else self.moved


def unequal(m: Floats, n: float, own: tuple[Values, Values], rest: tuple[Values, Values]) -> Values:
    """Pooled variance for which a slice of m of n rows has its Welch variance.

    The difference between the mean of m rows and that of the others has the variance v₁ ÷ m + v₂ ÷
    (n − m), with v₁ and v₂ those of either side (Welch 1947); with one variance v it is v·n ÷ m ÷
    (n − m).

    Args:
        own, rest: sums of values and of their squares on either side.
    """
    found = []
    for n_rows, (sums, squares) in ((m, own), (n - m, rest)):
        held = np.maximum(n_rows, 2.0)
        found.append(np.maximum(squares - sums * sums / held, 0.0) / (held - 1.0))
    return np.asarray((1.0 - m / n) * found[0] + m / n * found[1])


class Statistics:
    """Statistic of every slice of a family: its sum minus its expected part, in standard errors.

    With S the sum over the m rows of a slice and T that of all n, it is S − T·m ÷ n. Its variance
    is that of m of n rows sampled without replacement, v·m·(n − m) ÷ (n − 1), with v the variance
    of all values (or, studentized, Welch's of the slice and the rest if larger; see `unequal`).
    With clusters, it is the sum of the squared contributions of the clusters, if larger.
    """

    def __init__(self, family: Family, rows: RowLosses) -> None:
        self._family, self._rows = family, rows
        n = float(rows.n)
        self._variance = float(rows.moved.var())
        by_cluster = None if rows.clusters is None else self._squares_of_clusters()
        self._parts: list[Floats] = []
        self._inverse: list[Floats] = []
        for i, block in enumerate(family.blocks):
            held, is_kept = block.n_rows, block.is_kept
            drawn = held * (n - held) / max(n - 1.0, 1.0)
            variance = self._variance * drawn
            if by_cluster is not None:
                variance = np.maximum(variance, by_cluster[i])
            # Slices that are not examined have the statistic 0.
            good = is_kept & (variance > 0.0)
            inverse = np.zeros_like(variance)
            inverse[good] = 1.0 / np.sqrt(variance[good])
            self._parts.append(held / n)
            self._inverse.append(inverse)

    def observed(self) -> list[Floats]:
        """float64[p, q] for every block."""
        return [z[0] for z in self._each(self._rows.moved[None])]

    def largest(self, values: Values) -> Floats:
        """float64[b]: the largest statistic over all slices, for values [b, n]; at least 0."""
        most = np.zeros(len(values))
        for z in self._each(values):
            if z.size:
                np.maximum(most, z.max(axis=(1, 2)), out=most)
        return most

    def _each(self, values: Values) -> Iterator[Values]:
        total = values.sum(axis=1, dtype=np.float64)
        squares = self._squares(values)
        of_all = np.square(values).sum(axis=1) if squares is not None else total
        for i, (block, sums) in enumerate(self._family.sums(values)):
            part, inverse = self._parts[i], self._inverse[i]
            z = sums - part * total[:, None, None]
            z *= inverse
            if squares is not None:
                _, held = next(squares)
                sides = (sums, held), (total[:, None, None] - sums, of_all[:, None, None] - held)
                unlike = unequal(block.n_rows, float(self._rows.n), *sides)
                z /= np.sqrt(np.maximum(unlike / max(self._variance, 1e-300), 1.0))
            yield z

    def _squares(self, values: Values) -> Iterator[tuple[Block, Values]] | None:
        if not self._rows.is_studentized:
            return None
        return self._family.sums(np.square(values))

    def _squares_of_clusters(self) -> list[Floats]:
        """float64[p, q] for every block: the sum of the squared contributions of the clusters.

        A cluster with the sum c contributes a − c·m ÷ n, with a its sum inside the slice.
        """
        family, clusters = self._family, self._rows.clusters
        assert clusters is not None
        values, n = self._rows.moved, float(self._rows.n)
        n_clusters = int(clusters.max()) + 1
        of_clusters = np.bincount(clusters, values, n_clusters)
        order = np.argsort(clusters, kind="stable")
        limits = np.searchsorted(clusters[order], np.arange(n_clusters + 1))
        own = [np.zeros_like(block.n_rows) for block in family.blocks]
        both = [np.zeros_like(block.n_rows) for block in family.blocks]
        for first in range(0, n_clusters, _MOST_AT_ONCE):
            last = min(first + _MOST_AT_ONCE, n_clusters)
            some = order[limits[first] : limits[last]]
            spread = np.zeros((last - first, len(some)))
            spread[clusters[some] - first, np.arange(len(some))] = values[some]
            for i, (_, sums) in enumerate(family.sums(spread, some)):
                own[i] += np.einsum("bpq,bpq->pq", sums, sums)
                both[i] += np.einsum("bpq,b->pq", sums, of_clusters[first:last])
        whole = float(of_clusters @ of_clusters)
        found = []
        for block, a, b in zip(family.blocks, own, both, strict=True):
            part = block.n_rows / n
            found.append(a - 2.0 * part * b + part * part * whole)
        return found
