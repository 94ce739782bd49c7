"""Swap permutation of rows with sets: of each row the whole predicted set is exchanged, or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from karat.inference.comparison.families import Largest, ManyTests
from karat.inference.limits import Floats
from karat.inference.p_values import p_of_replicates
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._of_sets import values_on_tables
from karat.tally.cells import Fields
from karat.tally.set_tally import SetRows

_BLOCK: Final = 1 << 21
_TIE: Final = 1e-12
_FEWEST: Final = 499
_MOST_PRODUCTS: Final = 1 << 32
"""Products of replicates, rows and labels: half a second."""


def n_replicates(wanted: int, n_products: int) -> int:
    """Number of replicates, each of so many products; 0 where there would be too few."""
    n_drawn = min(wanted, _MOST_PRODUCTS // max(1, n_products))
    return n_drawn if n_drawn >= min(_FEWEST, wanted) else 0


@dataclass(frozen=True, eq=False)
class SwappedSets:
    """Two models on the same rows, and how their tables move where a row, or a cluster, is swapped.

    Attributes:
        tables: counts of each label, of both models.
        moved: float64[d, 2k], of each row in which they differ what the first one gains: true
            positives of each label, then false ones.
        n_drawn: how many replicates are drawn.
        times: int64[d], rows that each of them stands for, which are exchanged one by one; None:
            each for one.
        are_occurring: whether only labels that are true, or predicted on that side of a replicate,
            count in its value.
    """

    tables: tuple[Fields, Fields]
    moved: Floats
    n_drawn: int
    times: npt.NDArray[np.int64] | None = None
    are_occurring: bool = False

    @classmethod
    def of(cls, a: SetRows, b: SetRows, n_permutations: int) -> SwappedSets | None:
        """Swap labels; None where too many labels of rows differ to draw enough replicates."""
        a, b = a.known, b.known
        k = a.classes.k
        only = [one.pred.without(other.pred, k) for one, other in ((b, a), (a, b))]
        units = np.arange(a.n) if a.clusters is None else a.clusters
        places, at = np.unique(
            np.concatenate([units[one.rows] for one in only]), return_inverse=True
        )
        n_drawn = n_replicates(n_permutations, len(places) * 2 * k)
        if not n_drawn:
            return None
        # A cluster is exchanged whole, whatever rows it has; of independent rows each alone.
        is_each = a.is_frequency and a.clusters is None and a.weights is not None
        moved = np.zeros((len(places), 2 * k))
        of_each = np.split(at.ravel(), [len(only[0].items)])
        for one, place, sign in zip(only, of_each, (1.0, -1.0), strict=True):
            is_true = one.matched(a.true, k)[0]
            w = 1.0 if is_each or a.weights is None else a.weights[one.rows]
            np.add.at(moved, (place, one.items + np.where(is_true, 0, k)), sign * w)
        times = None
        if is_each:
            assert a.weights is not None
            times = a.weights[places].astype(np.int64)
        return cls((a.tally.fields, b.tally.fields), moved, n_drawn, times)

    def differences(self, metric: Metric, policy: Policy, drawn: Floats) -> Floats:
        """float64[r, …]: first less second, where these rows [r, d] are exchanged."""
        tp, fp = np.split(drawn @ self.moved, 2, axis=-1)
        sides = []
        for base, sign in zip(self.tables, (1.0, -1.0), strict=True):
            hits, alarms = base.tp + sign * tp, base.fp + sign * fp
            misses, rest = base.fn - sign * tp, base.tn - sign * fp
            fields = replace(base, tp=hits, fp=alarms, fn=misses, tn=rest, n=hits + misses)
            value = _on_occurring if self.are_occurring else _on_all
            sides.append(value(metric, fields, policy))
        # Two endless values do not differ.
        left, right = sides
        differs = left != right
        return np.asarray(np.subtract(left, right, out=np.zeros(left.shape), where=differs))

    def none(self) -> Floats:
        """float64[1, d]: no row is exchanged."""
        return np.zeros((1, len(self.moved)))

    def draws(self, seed: Sequence[int]) -> Iterator[Floats]:
        """float64[r, d] each: how many of a row are exchanged, of some replicates at once."""
        rng = np.random.default_rng(list(seed))
        step = max(1, _BLOCK // max(1, *self.moved.shape))
        for start in range(0, self.n_drawn, step):
            size = min(step, self.n_drawn - start), len(self.moved)
            if self.times is None:
                yield rng.integers(0, 2, size).astype(np.float64)
            else:
                yield rng.binomial(self.times, 0.5, size).astype(np.float64)


def _on_all(metric: Metric, fields: Fields, policy: Policy) -> Floats:
    return np.asarray(values_on_tables(metric, fields, policy).value)


def _on_occurring(metric: Metric, fields: Fields, policy: Policy) -> Floats:
    """float64[r]: of the labels of each replicate that occur in it; their order is not read."""
    occurs = fields.tp + fields.fp + fields.fn > 0.0
    first, n = np.argsort(~occurs, axis=1, kind="stable"), occurs.sum(axis=1)
    found = np.empty(len(n))
    for size in np.unique(n).tolist():
        at = n == size
        tp, fp, fn, tn, n_of_each = (
            np.take_along_axis(np.broadcast_to(each, occurs.shape)[at], first[at, :size], axis=1)
            for each in (fields.tp, fields.fp, fields.fn, fields.tn, fields.n)
        )
        some = replace(fields, tp=tp, fp=fp, fn=fn, tn=tn, n=n_of_each, k=size)
        found[at] = values_on_tables(metric, some, policy).value
    return found


def swap_p_values_of_sets(
    pair: tuple[SetRows, SetRows],
    metrics: Sequence[Metric],
    n_permutations: int,
    seed: Sequence[int],
    policy: Policy = "zero",
    level: float = 0.95,
    *,
    are_occurring: bool = False,
) -> tuple[list[float], list[float]] | None:
    """(1 + replicates with at least the difference seen) ÷ (1 + replicates), for each metric.

    All metrics see the same replicates. Also how large their differences are at most, at the level.
    None: there are too few replicates.

    Args:
        are_occurring: as of `SwappedSets`.

    Cost: replicates × rows in which the models differ × labels.
    """
    swapped = SwappedSets.of(*pair, n_permutations)
    if swapped is None:
        return None
    swapped = replace(swapped, are_occurring=are_occurring)

    def differences(drawn: Floats) -> Floats:
        return np.abs([swapped.differences(metric, policy, drawn) for metric in metrics])

    seen = differences(swapped.none())
    every = np.concatenate([differences(drawn) for drawn in swapped.draws(seed)], axis=1)
    beyond = (every >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    n = swapped.n_drawn
    # Not between two of them, which may be infinite.
    critical = np.quantile(every, level, axis=1, method="higher")
    return [p_of_replicates(count, n) for count in beyond.tolist()], critical.tolist()


def tests_of_labels(
    swapped: SwappedSets, metric: Metric, policy: Policy, seed: Sequence[int], level: float
) -> ManyTests:
    """Permutation tests of the difference in every label.

    Two passes over the same replicates: the deviation of each label, then the largest of all.
    """
    # Endless differences have no deviation.
    seen = np.abs(_finite(swapped.differences(metric, policy, swapped.none())[0]))
    beyond, squares = np.zeros(len(seen), np.int64), np.zeros(len(seen))
    for drawn in swapped.draws(seed):
        each = np.abs(_finite(swapped.differences(metric, policy, drawn)))
        beyond += (each >= seen * (1.0 - _TIE) - _TIE).sum(axis=0)
        squares += (each**2).sum(axis=0)
    n = swapped.n_drawn
    deviation = np.sqrt(squares / n)
    scale = np.where(deviation > 0.0, deviation, np.inf)
    largest = np.concatenate(
        [
            (np.abs(_finite(swapped.differences(metric, policy, drawn))) / scale).max(
                axis=1, initial=0.0
            )
            for drawn in swapped.draws(seed)
        ]
    )
    # A difference that no replicate moves is 0, as are all of them.
    p = np.where(deviation > 0.0, (1 + beyond) / (1 + n), 1.0)
    z = seen / scale * (1.0 - _TIE) - _TIE
    return ManyTests.by_largest(p, z, Largest(np.sort(largest)), level)


def _finite(values: Floats) -> Floats:
    """The values; 0 where they are undefined or infinite."""
    return np.where(np.isfinite(values), values, 0.0)
