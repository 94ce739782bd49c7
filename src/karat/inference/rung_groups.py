"""Neighbouring rungs of a ladder put together, so that a replicate costs as much at any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import RungSource

__all__ = ["RungGroups"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RungGroups:
    """Groups of neighbouring rungs, best first; without need each rung is a group.

    Attributes:
        scores: float64[g], strictly descending: the mean score of the rows.
        sums: float64[g, 2], Σw of the rest and of the own class.
        squares: float64[g, 2], Σw²; None where every row weighs 1.
        least: float64[g]: the lowest score of a group, for whoever looks up the group of a row.
        within: float64[g]: of the pairs of both sides inside of a group, the share in which own
            stands above, ties counting half.
        n_rows: rows read.
        n_rungs: rungs that were put together.
    """

    scores: Floats
    sums: Floats
    squares: Floats | None
    least: Floats
    within: Floats
    n_rows: int
    n_rungs: int

    @property
    def is_exact(self) -> bool:
        """Whether nothing was put together."""
        return self.n_rungs == len(self.scores)

    @property
    def pair_share(self) -> float:
        """Share of all pairs of both sides that lie inside of groups and are no ties of one rung.

        0 where nothing was put together; about one by the number of groups else.
        """
        if self.is_exact:
            return 0.0
        rest, own = self.sums.sum(axis=0)
        pairs = float(rest * own)
        return float((self.sums[:, 0] * self.sums[:, 1]).sum()) / pairs if pairs else 0.0

    def place_of(self, scores: Floats) -> npt.NDArray[np.intp]:
        """int[n]: the group of each score that the groups were made of."""
        return np.searchsorted(-self.least, -np.asarray(scores, np.float64))

    @classmethod
    def of(cls, source: RungSource, limit: int) -> RungGroups:
        """At most `limit` groups of about the same weight; no rung is divided.

        Cost: two walks over the rungs, in memory for `limit` groups and a block.

        Example:
            >>> from karat.tally import Ladder
            >>> ladder = Ladder.of([0.9, 0.8, 0.3, 0.2], [True, False, True, False])
            >>> RungGroups.of(ladder, 2).sums.tolist()
            [[1.0, 1.0], [1.0, 1.0]]
        """
        n_rungs, total, held = 0, 0.0, []
        for block in source.blocks():
            n_rungs += len(block.scores)
            total += float(block.counts.sum())
            if n_rungs <= limit:
                held.append(block)
        if n_rungs <= limit:
            squares = [np.empty((0, 2)), *(b.squares for b in held if b.squares is not None)]
            scores = np.concatenate([np.empty(0), *(block.scores for block in held)])
            return cls(
                scores,
                np.concatenate(
                    [np.empty((0, 2)), *(np.asarray(b.counts, np.float64) for b in held)]
                ),
                np.concatenate(squares) if source.is_weighted else None,
                scores,
                np.full(n_rungs, 0.5),
                source.n_rows,
                n_rungs,
            )
        return _grouped(source, limit, n_rungs, total)


def _grouped(source: RungSource, limit: int, n_rungs: int, total: float) -> RungGroups:
    sums, squares = np.zeros((limit, 2)), np.zeros((limit, 2))
    moments, doubled = np.zeros(limit), np.zeros(limit)
    best, worst = np.full(limit, -np.inf), np.full(limit, np.inf)
    passed = 0.0
    for scores, counts, of_squares in source.blocks():
        weights = np.asarray(counts, np.float64)
        both = weights.sum(axis=1)
        until = passed + np.cumsum(both)
        # A rung belongs where its middle row does.
        place = ((until - both / 2) * (limit / total)).astype(np.int64).clip(0, limit - 1)
        passed = float(until[-1])
        starts = np.concatenate([[0], np.flatnonzero(np.diff(place)) + 1])
        groups = place[starts]
        rest, own = weights[:, 0], weights[:, 1]
        above = np.cumsum(own) - own
        # Own rows of the group before this rung: here, and in the block before.
        base = above[starts] - sums[groups, 1]
        lengths = np.diff(np.append(starts, len(scores)))
        inside = rest * (2.0 * (above - np.repeat(base, lengths)) + own)
        doubled[groups] += np.add.reduceat(inside, starts)
        sums[groups] += np.add.reduceat(weights, starts)
        moments[groups] += np.add.reduceat(both * scores, starts)
        if of_squares is not None:
            squares[groups] += np.add.reduceat(of_squares, starts)
        best[groups] = np.maximum(best[groups], scores[starts])
        worst[groups] = np.minimum(worst[groups], scores[starts + lengths - 1])
    kept = sums.sum(axis=1) > 0
    pairs = 2.0 * sums[kept, 0] * sums[kept, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        within = np.where(pairs > 0, doubled[kept] / pairs, 0.5)
    means = moments[kept] / sums[kept].sum(axis=1)
    return RungGroups(
        np.clip(means, worst[kept], best[kept]),
        sums[kept],
        squares[kept] if source.is_weighted else None,
        worst[kept],
        np.clip(within, 0.0, 1.0),
        source.n_rows,
        n_rungs,
    )
