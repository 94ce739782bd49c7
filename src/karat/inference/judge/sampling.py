"""Rows to label next: a stratified sample with a known probability for every row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.inference.limits import Floats

Codes = npt.NDArray[np.int64]

N_STRATA = 5
FLOOR = 0.25
"""Part of the rows to label that is spread over the strata by their size: no weight is larger than
1 ÷ FLOOR times that of a random sample, but for whole numbers of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Drawn rows, in their order, and the weight of each: rows of its stratum ÷ drawn ones."""

    rows: Codes
    weights: Floats
    strata: Codes


def strata_of(judge: Codes, confidence: Floats | None) -> Codes:
    """int64[n]: stratum of each row: a fifth of the rows by confidence, else the judge's class."""
    if confidence is None:
        return np.unique(judge, return_inverse=True)[1].reshape(-1).astype(np.int64)
    # Ties stay together: rows of one confidence are one stratum.
    cuts = np.quantile(confidence, np.arange(1, N_STRATA) / N_STRATA)
    found = np.searchsorted(np.unique(cuts), confidence, side="right")
    return np.unique(found, return_inverse=True)[1].reshape(-1).astype(np.int64)


def allocation(sizes: Codes, spreads: Floats, n: int) -> Codes:
    """int64[h]: rows to draw from each stratum, at least one, at most all of it.

    Neyman's allocation, sizes times the standard deviation of what is measured, for all but a part
    of the rows, which is proportional to the sizes.

    Args:
        spreads: float64[h], expected standard deviation of the judge's errors in each stratum.
    """
    share = sizes / sizes.sum()
    best = sizes * spreads
    best = best / best.sum() if best.sum() > 0.0 else share
    wanted = n * (FLOOR * share + (1.0 - FLOOR) * best)
    found = np.minimum(np.maximum(np.floor(wanted).astype(np.int64), 1), sizes)
    order = np.argsort(-(wanted - np.floor(wanted)), kind="stable")
    while found.sum() != n:
        step = 1 if found.sum() < n else -1
        can = found < sizes if step > 0 else found > 1
        for stratum in order[can[order]]:
            found[stratum] += step
            if found.sum() == n:
                break
    return np.asarray(found, np.int64)


def drawn(judge: Codes, n: int, confidence: Floats | None, seed: int) -> Drawn:
    """Draw rows to label.

    Args:
        confidence: float64[n_rows], confidence of the judge, in [0, 1]; None: unknown. Of a judge
            that is right with this probability, errors spread by √(c(1 − c)).
    """
    strata = strata_of(judge, confidence)
    sizes = np.bincount(strata)
    if confidence is None:
        # Rare classes count for more than by their size.
        spreads = 1.0 / np.sqrt(sizes)
    else:
        mean = np.bincount(strata, confidence) / sizes
        spreads = np.sqrt(np.maximum(mean * (1.0 - mean), 0.0))
    counts = allocation(sizes, spreads, n)
    rng = np.random.default_rng(seed)
    rows, weights = [], []
    for stratum, count in enumerate(counts.tolist()):
        own = rng.choice(np.flatnonzero(strata == stratum), count, replace=False)
        rows.append(own)
        weights.append(np.full(count, sizes[stratum] / count))
    found, each = np.concatenate(rows), np.concatenate(weights)
    order = np.argsort(found)
    return Drawn(found[order].astype(np.int64), each[order], strata[found[order]])
