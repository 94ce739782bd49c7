"""Rows with scores that are few enough to be kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from karat.data.scores.rows import ScoreTally

__all__ = ["is_moderate", "owned"]

_MODERATE: Final = 1e30
"""Far from the end of float32."""


def owned(rows: ScoreTally) -> ScoreTally:
    """The same rows in memory that nobody else changes."""
    return replace(
        rows,
        codes=rows.codes.copy(),
        scores=replace(rows.scores, values=rows.scores.values.copy(order="K")),
        weights=None if rows.weights is None else rows.weights.copy(),
        pred=None if rows.pred is None else rows.pred.copy(),
    )


def is_moderate(rows: ScoreTally) -> bool:
    """Whether no sum or difference of the scores, which are finite, can be infinite."""
    return rows.is_prob or bool(np.abs(rows.scores.values).max() <= _MODERATE)
