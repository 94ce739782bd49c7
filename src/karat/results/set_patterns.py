"""Patterns of errors in sets: common wrong sets, and labels predicted together too often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.limits import beta_limits
from karat.tally import Label
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets

Floats: TypeAlias = npt.NDArray[np.float64]
Keys: TypeAlias = npt.NDArray[np.uint64]

LEAST_ROWS: Final = 2
"""Rows in which a pair is predicted and not true: of one alone nothing is sure."""
MOST_PAIRS: Final = 1 << 25
"""Pairs of labels of all rows together that are counted."""


@dataclass(frozen=True)
class WrongSet:
    """A set of labels, and another one that is predicted for it.

    Attributes:
        true, predicted: the labels.
        rows: rows of which that is so, by weight where there are weights.
    """

    true: tuple[Label, ...]
    predicted: tuple[Label, ...]
    rows: float


@dataclass(frozen=True)
class LabelPair:
    """Two labels that are predicted together more often than they are true together.

    Attributes:
        labels: both.
        predicted_together, true_together: rows of which that is so.
        odds_ratio: rows where they are together in the prediction alone ÷ in the truth alone;
            infinite where they are never together in the truth alone.
        low, high: its limits, given the rows where truth and prediction differ.
    """

    labels: tuple[Label, Label]
    predicted_together: int
    true_together: int
    odds_ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class SetPatterns:
    """Patterns of errors in sets of labels.

    Attributes:
        wrong_sets: the most common wrong sets, the most common first.
        pairs: labels that are predicted together too often, surely so first; None where rows have
            too many pairs of labels to count.
        level: of the limits of the pairs.
    """

    wrong_sets: tuple[WrongSet, ...]
    pairs: tuple[LabelPair, ...] | None
    level: float


def wrong_sets(rows: SetRows, most: int) -> list[WrongSet]:
    """The most common pairs of a set and another one predicted for it, the most common first.

    Of equally common ones the one of the fewest labels. Cost: O(labels of all rows), and a sort.
    """
    known = rows.known
    true, pred = (_numbered(side, known.classes.k) for side in (known.true, known.pred))
    is_wrong = np.flatnonzero((true != pred).any(axis=0))
    if not is_wrong.size:
        return []
    w = np.ones(known.n) if known.weights is None else known.weights
    both = np.concatenate([true, pred])[:, is_wrong].T
    _, first, group = np.unique(both, axis=0, return_index=True, return_inverse=True)
    counts = np.bincount(group.reshape(-1), w[is_wrong])
    rows_of = is_wrong[first]
    sizes = known.true.sizes[rows_of] + known.pred.sizes[rows_of]
    # Whatever the order of the rows: of equally common ones those of the fewest labels.
    order = np.lexsort((np.arange(len(first)), sizes, -counts))[:most]
    labels = known.classes.labels

    def of_row(side: Sets, row: int) -> tuple[Label, ...]:
        return tuple(labels[i] for i in side.items[side.starts[row] : side.starts[row + 1]])

    return [
        WrongSet(
            of_row(known.true, int(rows_of[at])),
            of_row(known.pred, int(rows_of[at])),
            float(counts[at]),
        )
        for at in order.tolist()
        if counts[at] > 0.0
    ]


def _numbered(sets: Sets, k: int) -> Keys:
    """uint64[2, n]: two numbers that stand for the set of each row.

    Sums of random numbers of the labels: of a billion different sets two have both in common
    with a chance below 10⁻²⁰.
    """
    numbers = np.random.default_rng(26).integers(0, 1 << 64, (2, k), np.uint64, endpoint=False)
    so_far = np.zeros((2, len(sets.items) + 1), np.uint64)
    np.cumsum(numbers[:, sets.items], axis=1, out=so_far[:, 1:])
    found = so_far[:, sets.starts[1:]] - so_far[:, sets.starts[:-1]]
    return np.asarray(found, np.uint64)


def pairs_too_often(rows: SetRows, most: int, level: float = 0.95) -> list[LabelPair] | None:
    """Labels that are predicted together more often than they are true together, surely so first.

    A row where truth and prediction agree on whether both labels are there says nothing; of the
    others the share with the pair in the prediction is binomial, with limits after Jeffreys' prior.
    A row that stands for three counts three times, and one of weight 0 not at all; of rows of
    different importance each counts once. Listed are pairs whose limits lie above 1.

    Returns:
        None where rows have more pairs of labels than are counted.
    """
    known, times = rows.known, None
    if known.weights is not None:
        known = known.at(known.weights > 0.0)
        times = known.weights if known.is_frequency else None
    k = known.classes.k
    sides = known.true, known.pred
    if sum(int((side.sizes * (side.sizes - 1) // 2).sum()) for side in sides) > MOST_PAIRS:
        return None
    is_hit, _ = known.true.matched(known.pred, k)
    found = [_pairs(side, k, times) for side in (*sides, known.true.some(is_hit))]
    pairs = found[1][0]
    if not pairs.size:
        return []
    predicted = found[1][1]
    true, both = (_looked_up(pairs, *one) for one in (found[0], found[2]))
    alone, missed = predicted - both, true - both
    # Elsewhere no limit lies above one half.
    some = np.flatnonzero((alone > missed) & (alone >= LEAST_ROWS))
    pairs, predicted, true, alone, missed = (
        one[some] for one in (pairs, predicted, true, alone, missed)
    )
    n = alone + missed
    low, high = beta_limits(alone / np.maximum(n, 1), n, (1.0 - level) / 2.0)
    kept = np.flatnonzero(low > 0.5)
    order = kept[np.lexsort((pairs[kept], -low[kept]))][:most]
    labels = known.classes.labels
    listed = []
    for at in order.tolist():
        a, b, left = *divmod(int(pairs[at]), k), int(missed[at])
        listed.append(
            LabelPair(
                (labels[a], labels[b]),
                int(predicted[at]),
                int(true[at]),
                int(alone[at]) / left if left else math.inf,
                _odds(float(low[at])),
                _odds(float(high[at])),
            )
        )
    return listed


def _odds(share: float) -> float:
    return share / (1.0 - share) if share < 1.0 else math.inf


def _pairs(
    sets: Sets, k: int, times: Floats | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of labels a < b that stand together in a row, as a · k + b, and in how many rows.

    Args:
        times: float64[n], rows that each row stands for; None: each for one.
    """
    sizes = sets.sizes
    # Each label beside those that follow it in its row.
    places = np.arange(len(sets.items)) - np.repeat(sets.starts[:-1], sizes)
    after = np.repeat(sizes, sizes) - places - 1
    first = np.repeat(np.arange(len(sets.items)), after)
    step = np.arange(int(after.sum())) - np.repeat(np.cumsum(after) - after, after) + 1
    keys = sets.items[first].astype(np.int64) * k + sets.items[first + step]
    if times is None:
        return np.unique(keys, return_counts=True)
    found, place = np.unique(keys, return_inverse=True)
    counts = np.bincount(place.reshape(-1), times[sets.rows[first]], len(found))
    return found, counts.astype(np.int64)


def _looked_up(
    wanted: npt.NDArray[np.int64], keys: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The count of each wanted key; 0 of others."""
    if not keys.size:
        return np.zeros(len(wanted), np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, counts[at], 0)
