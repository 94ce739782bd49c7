"""Weights of rows with scores: as numbers of rows, and in units whose squares are numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from karat.data.scores.rows import ScoreTally
from karat.errors import error

__all__ = ["in_units", "repeated"]

_ROWS_MOST: Final = 10**8
_SMALL: Final = 1e-60


def repeated(rows: ScoreTally) -> ScoreTally:
    """A row of weight 3 as three rows.

    Errors:
        K150 weights that are not whole numbers, or add up to more than 10^8 rows.

    Cost: a copy of the scores of as many rows.
    """
    if rows.weights is None:
        return rows
    if (rows.weights % 1.0 != 0).any():
        raise error("K150", found="are not whole numbers")
    total = float(rows.weights.sum())
    if total > _ROWS_MOST:
        advice = "With scores, rows are repeated: leave it out, or take a sample of them."
        raise error("K150", found=f"add up to {total:.3g} rows", advice=advice)
    at = np.repeat(np.arange(rows.n_rows), rows.weights.astype(np.int64))
    return replace(
        rows,
        codes=rows.codes[at],
        scores=replace(rows.scores, values=rows.scores.values[at]),
        weights=None,
        pred=None if rows.pred is None else rows.pred[at],
        clusters=None if rows.clusters is None else rows.clusters[at],
    )


def in_units(rows: ScoreTally) -> ScoreTally:
    """The same rows, their weights divided by a power of two where squares leave all doubles.

    Metrics that do not count rows do not change by a bit.
    """
    if rows.weights is None:
        return rows
    most = float(rows.weights.max(initial=0.0))
    if not 0.0 < most < math.inf or _SMALL < most < 1.0 / _SMALL:
        return rows
    return replace(rows, weights=rows.weights / 2.0 ** round(math.log2(most)))
