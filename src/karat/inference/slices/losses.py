"""Losses of rows: their sums over slices, and the null distribution of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.limits import Flags, Floats
from karat.inference.slices.candidates import Codes, Family, Values

_BLOCK: Final = 1 << 26
"""Bytes of replicates in memory at once, unless they are the fewest."""
_MOST_AT_ONCE: Final = 128
_FEWEST_AT_ONCE: Final = {1: 32, 8: 8}
"""Number of replicates that are summed side by side, by the bytes of a value."""
_CLUSTERS_AT_ONCE: Final = 16
_SHUFFLED_BY_NUMPY: Final = 1 << 16
"""Largest number of rows whose permutations NumPy draws: of more the native core does, in parts
that fit into the cache."""


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
        key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        values = self._values()
        size = values.itemsize
        step = max(_FEWEST_AT_ONCE[size], min(_MOST_AT_ONCE, _BLOCK // max(self.n * size, 1)))
        for start in range(0, n, step):
            b = min(step, n - start)
            if self.clusters is not None:
                n_clusters = int(self.clusters.max()) + 1
                signs = 2.0 * rng.integers(0, 2, (b, n_clusters)) - 1.0
                yield np.take(signs, self.clusters, axis=1) * values
                continue
            if self.n <= _SHUFFLED_BY_NUMPY:
                drawn = np.empty((b, self.n), values.dtype)
                rng.permuted(np.broadcast_to(values, drawn.shape), axis=1, out=drawn)
            else:
                drawn = _native.shuffle_rows(values, key, 0, start, b, 0)
            yield drawn if self.weights is None else self._weighted(drawn)

    def _weighted(self, loss: Values) -> Values:
        """float[b, n]: weight × (loss − mean loss) of losses [b, n]."""
        weights = self.weights
        assert weights is not None
        return np.asarray(weights * (loss - (loss @ (weights / weights.sum()))[:, None]))

    def _values(self) -> Values:
        """Return the values that are drawn, as bytes where each is 0 or 1."""
        if self.clusters is not None:
            return self.moved
        if self.weights is not None:
            return self.loss
        is_two = bool(((self.moved == 0.0) | (self.moved == 1.0)).all())
        return self.moved.astype(np.uint8) if is_two else self.moved


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
        held, n = family.n_rows, float(rows.n)
        self._variance = float(rows.moved.var())
        variance = self._variance * (held * (n - held) / max(n - 1.0, 1.0))
        if rows.clusters is not None:
            variance = np.maximum(variance, self._squares_of_clusters())
        # Slices that are not examined have the statistic 0.
        good = family.is_kept & (variance > 0.0)
        self._part, self._inverse = held / n, np.zeros_like(variance)
        self._inverse[good] = 1.0 / np.sqrt(variance[good])

    def observed(self) -> list[Floats]:
        """float64[p, q] for every block."""
        values = self._rows.moved
        sums = self._family.sums(values[None])[0]
        total = float(values.sum())
        z = (sums - self._part * total) * self._inverse
        if self._rows.is_studentized:
            squares = self._family.sums(np.square(values)[None])[0]
            of_all = float(np.square(values).sum())
            sides = (sums, squares), (total - sums, of_all - squares)
            unlike = unequal(self._family.n_rows, float(self._rows.n), *sides)
            z /= np.sqrt(np.maximum(unlike / max(self._variance, 1e-300), 1.0))
        return self._family.by_block(z)

    def largest(self, values: Values) -> Floats:
        """float64[b]: the largest statistic over all slices, for values [b, n]; at least 0."""
        n_rows = self._family.n_rows if self._rows.is_studentized else None
        return self._family.grid.largest(
            values, self._part, self._inverse, n_rows, self._variance, 0
        )

    def _squares_of_clusters(self) -> Floats:
        """float64[slices]: the sum of the squared contributions of the clusters.

        A cluster with the sum c contributes a − c·m ÷ n, with a its sum inside the slice.
        """
        family, clusters = self._family, self._rows.clusters
        assert clusters is not None
        values, n = self._rows.moved, float(self._rows.n)
        n_clusters = int(clusters.max()) + 1
        of_clusters = np.bincount(clusters, values, n_clusters)
        order = np.argsort(clusters, kind="stable")
        limits = np.searchsorted(clusters[order], np.arange(n_clusters + 1))
        own, both = np.zeros((2, len(family.n_rows)))
        for first in range(0, n_clusters, _CLUSTERS_AT_ONCE):
            last = min(first + _CLUSTERS_AT_ONCE, n_clusters)
            some = order[limits[first] : limits[last]]
            spread = np.zeros((last - first, len(some)))
            spread[clusters[some] - first, np.arange(len(some))] = values[some]
            sums = family.sums(spread, some)
            own += np.einsum("bs,bs->s", sums, sums)
            both += of_clusters[first:last] @ sums
        part = family.n_rows / n
        return np.asarray(own - 2.0 * part * both + part * part * float(of_clusters @ of_clusters))
