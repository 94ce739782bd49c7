"""What a table of scores read from elsewhere may contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.tally.buckets import LEVELS, bucket_starts

if TYPE_CHECKING:
    from karat.tally.score_table import ScoreTable

__all__ = ["other_totals", "wrong_table"]

_CLOSE: Final = 1e-9
"""Sums of the same numbers in another order agree to this part."""


def wrong_table(table: ScoreTable) -> str | None:
    """What contradicts what in a table that was read, or None."""
    low, high, counts = table.low, table.high, table.counts
    if table.bits not in LEVELS or type(table.n_rows) is not int or table.n_rows < 0:
        return "Its precision or its number of rows is not one"
    if (table.moments is None) != table.is_exact:
        return "Buckets without their means, or means of single scores"
    for scores in (low, high):
        if scores.shape != low.shape or scores.ndim != 1 or scores.dtype.kind != "f":
            return "The scores do not fit each other"
        if not np.isfinite(scores).all():
            return "The scores are not finite numbers"
    if (low > high).any() or (low[:-1] <= high[1:]).any():
        return "The scores do not descend"
    if counts.ndim != 2 or counts.shape[0] != len(low) or not counts.shape[1]:
        return "The counts do not fit the scores"
    if (counts.dtype.kind == "f") != (table.squares is not None):
        return "Weights without their squares, or squares without weights"
    for numbers in (counts, table.squares):
        if numbers is None:
            continue
        if numbers.shape != counts.shape:
            return "The squares do not fit the counts"
        if not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            return "A number is negative or not finite"
    if not (counts > 0).any(axis=1).all():
        return "A rung is empty"
    means = low if table.moments is None else table.moments
    if means.shape != low.shape or not np.isfinite(means).all():
        return "The means do not fit the scores"
    # First as floating-point numbers, whose sums do not begin anew beyond 2⁶³.
    if table.squares is None and (
        counts.sum(dtype=np.float64) > 2.0 * table.n_rows or int(counts.sum()) != table.n_rows
    ):
        return "The number of rows is not that of the counts"
    if table.n_rungs and len(bucket_starts(low, table.bits)) != len(low):
        return "Two rungs are of one bucket"
    ends = np.stack([high, low], axis=1).ravel()
    if len(bucket_starts(ends, table.bits)) != len(low):
        return "A rung is of several buckets"
    if table.moments is not None and not _are_within(table.moments, low, high, counts):
        return "The mean of a rung is not in it"
    return None


def other_totals(held: npt.NDArray[Any], totals: npt.NDArray[Any]) -> bool:
    """Whether a part holds other rows of each class than the data that it is a part of.

    Args:
        held, totals: number[k], rows of each class, or sums of their weights, which round.
    """
    total = float(totals.sum(dtype=np.float64))
    if held.dtype.kind != "f" and total < 2.0**53:
        return not np.array_equal(held, totals)
    return not np.allclose(held, totals, rtol=_CLOSE, atol=_CLOSE * total)


def _are_within(
    moments: npt.NDArray[Any], low: npt.NDArray[Any], high: npt.NDArray[Any], counts: Any
) -> bool:
    """Whether sums of scores, which round, are those of scores in the rungs."""
    most, weight = np.finfo(np.float64).max, counts.sum(axis=1)
    with np.errstate(over="ignore"):
        least, largest = (np.clip(end * weight, -most, most) for end in (low, high))
        room = _CLOSE * np.maximum(np.abs(least), np.abs(largest)) + np.finfo(np.float64).tiny
        return bool(((least - room <= moments) & (moments <= largest + room)).all())
