"""Test of whether gold rows are a random part of all rows, by what is known of every row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat.inference.limits import Floats

Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

LEVEL = 1e-3
"""Probability of at least one false alarm, for rows drawn at random."""
_LEAST_CLUSTERS = 10


@dataclass(frozen=True, slots=True)
class Imbalance:
    """Difference of the gold rows from the others that is not due to chance.

    Attributes:
        what: ``"judge"``, ``"prediction"``, ``"agreement"`` of both, or ``"score"``.
        place: class that it is about; 1 for agreement, -1 for scores.
        of_gold, of_rest: proportion of the class, or mean rank of the largest score in [0, 1].
        p: p-value, times the number of comparisons.
    """

    what: str
    place: int
    of_gold: float
    of_rest: float
    p: float


def imbalance_of_counts(verified: Sequence[int], unverified: Sequence[int]) -> Imbalance | None:
    """Return the clearest difference of the predictions of rows with truth and those without.

    Args:
        verified, unverified: number of rows by predicted class.
    """
    n, rest = sum(verified), sum(unverified)
    found = [
        Imbalance(
            "prediction", i, one / n, other / rest, _binomial(one, n, (one + other) / (n + rest))
        )
        for i, (one, other) in enumerate(zip(verified, unverified, strict=True))
    ]
    return _clearest(found)


def _clearest(found: Sequence[Imbalance]) -> Imbalance | None:
    """Return the one with the smallest p-value, times their number; None if chance explains it."""
    least = min(found, key=lambda one: one.p)
    p = min(least.p * len(found), 1.0)
    return replace(least, p=p) if p < LEVEL else None


def imbalance(
    has_gold: Flags,
    classes: dict[str, Codes],
    scores: Floats | None = None,
    clusters: Codes | None = None,
) -> Imbalance | None:
    """Return the clearest difference of gold rows and others; None if chance explains all.

    Args:
        classes: class of each row by the judge, and by the predictions.
        scores: float64[n], largest score of each row.
    """
    found: list[Imbalance] = []
    n, rest = int(has_gold.sum()), int((~has_gold).sum())
    flags = [
        (what, place, codes == place)
        for what, codes in classes.items()
        for place in np.unique(codes).tolist()
    ]
    if "prediction" in classes:
        flags.append(("agreement", 1, classes["judge"] == classes["prediction"]))
    for what, place, each in flags:
        gold, others = int(each[has_gold].sum()), int(each[~has_gold].sum())
        if clusters is None:
            p = _binomial(gold, n, (gold + others) / (n + rest))
        else:
            p = _clustered(each.astype(np.float64), has_gold, clusters)
        found.append(Imbalance(what, place, gold / n, others / rest, p))
    if scores is not None:
        ranks = _ranks(scores)
        p = (
            _p_of_means(ranks, has_gold)
            if clusters is None
            else _clustered(ranks, has_gold, clusters)
        )
        means = float(ranks[has_gold].mean()), float(ranks[~has_gold].mean())
        found.append(Imbalance("score", -1, *means, p))
    return _clearest(found)


def _binomial(hits: int, n: int, share: float) -> float:
    """Two-sided binomial p-value: twice the smaller tail. Gold rows among all vary less."""
    from scipy.special import bdtr, bdtrc

    if not 0.0 < share < 1.0:
        return 1.0
    below = float(bdtr(hits, n, share))
    above = 1.0 if hits == 0 else float(bdtrc(hits - 1, n, share))
    return min(2.0 * min(below, above), 1.0)


def _ranks(values: Floats) -> Floats:
    """Mean ranks in (0, 1]."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[place.reshape(-1)] / len(values))


def _p_of_means(values: Floats, has_gold: Flags) -> float:
    n, rest = int(has_gold.sum()), int((~has_gold).sum())
    error = math.sqrt(float(values.var()) * (1.0 / n + 1.0 / rest))
    return _p(float(values[has_gold].mean() - values[~has_gold].mean()), error)


def _clustered(values: Floats, has_gold: Flags, clusters: Codes) -> float:
    n, rest = int(has_gold.sum()), int((~has_gold).sum())
    if len(np.unique(clusters[has_gold])) < _LEAST_CLUSTERS:
        return 1.0
    weight = np.where(has_gold, 1.0 / n, -1.0 / rest)
    sums = np.bincount(clusters, weight * (values - values.mean()))
    return _p(float((weight * values).sum()), math.sqrt(float((sums**2).sum())))


def _p(difference: float, error: float) -> float:
    return math.erfc(abs(difference) / error / math.sqrt(2.0)) if error > 0.0 else 1.0
