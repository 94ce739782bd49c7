"""Buckets of scores: those whose binary digits begin alike, cut where bins of confidences end.

A bucket of b digits holds the scores of one sign and exponent whose first b digits after the
leading one agree: it is at most 2^−b of its scores wide. Buckets of fewer digits are unions of
buckets of more, and each end of the usual bins of calibration is a bucket of its own, so that no
bucket lies in two bins.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.bin_edges import uniform_edges

__all__ = ["BINS", "EXACT", "LEVELS", "bucket_starts", "ends_of_bins"]

Floats: TypeAlias = npt.NDArray[np.float64]

EXACT: Final = 52
"""All digits of a float64: a bucket is one score."""
LEVELS: Final = (EXACT, 23, *range(20, -1, -1))
"""Precisions that a table may have; float32 has 23 digits, bfloat16 7."""
BINS: Final = (10, 15, 20, 100)
"""Numbers of equal bins of [0, 1] whose ends no bucket goes across."""

_HIDDEN: Final = np.int64(0x7FFFFFFFFFFFFFFF)


@lru_cache(maxsize=1)
def ends_of_bins() -> Floats:
    """The ends of the bins that no bucket goes across, ascending; those of both signs are alike."""
    ends = np.concatenate([uniform_edges(n) for n in BINS])
    return np.unique(np.concatenate([ends, 0.0 - ends]))


def bucket_starts(scores: Floats, bits: int) -> npt.NDArray[np.intp]:
    """Where a new bucket begins in sorted scores, in either direction.

    Example:
        >>> bucket_starts(np.array([1.5, 1.25, 1.0, 0.75]), 1).tolist()
        [0, 1, 2, 3]
        >>> bucket_starts(np.array([1.5, 1.25, 1.0625, 1.03125]), 1).tolist()
        [0, 1]
    """
    if not len(scores):
        return np.empty(0, np.intp)
    is_new = np.ones(len(scores), bool)
    if bits == EXACT:
        np.not_equal(scores[1:], scores[:-1], out=is_new[1:])
        return np.flatnonzero(is_new)
    keys = _ordered(scores) >> np.int64(EXACT - bits)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    cuts = ends_of_bins()
    # An end of a bin stands by itself: it has more ends at or below it than below it.
    place = np.searchsorted(cuts, scores, "left") + np.searchsorted(cuts, scores, "right")
    is_new[1:] |= place[1:] != place[:-1]
    return np.flatnonzero(is_new)


def _ordered(scores: Floats) -> npt.NDArray[np.int64]:
    """Whole numbers in the order of the scores, whose leading digits are theirs."""
    words = np.ascontiguousarray(scores + 0.0).view(np.int64)
    return np.where(words < 0, words ^ _HIDDEN, words)
