"""Where bins of confidences end: at equal distances, or so that they hold equal weight."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.rungs import RungSource

__all__ = ["Closed", "quantile_edges", "uniform_edges"]

Closed: TypeAlias = Literal["right", "left"]
"""Which edge belongs to a bin: ``"right"``, (lo, hi], or ``"left"``, [lo, hi)."""

Floats: TypeAlias = npt.NDArray[np.float64]

_BORDER: Final = 1e-12
"""Weight that misses a border between quantiles by less than this share has reached it: sums of
equal weights would otherwise fall on either side of it by their last bit."""


def uniform_edges(b: int) -> Floats:
    """float64[b + 1]: the numbers nearest to 0/b, 1/b, … b/b.

    So that 0.3 lies on the edge 3/10.  Adding up steps of 1/b, as numpy.linspace does, puts that
    edge at 0.30000000000000004.
    """
    return np.arange(b + 1) / b


def quantile_edges(ladder: RungSource, b: int, closed: Closed = "right") -> Floats:
    """float64[b + 1]: 0, confidences that divide the weight into b equal parts, and 1.

    A distinct confidence is never divided between bins.  With ``closed="right"`` edge i is the
    smallest confidence at or below which at least i/b of the weight lies, with ``"left"`` the
    largest at or above which at least (b − i)/b lies: what is left over goes to the bins at the
    lower end and at the upper end.  Many equal confidences leave bins empty.

    Cost: two walks over the rungs.

    Example:
        >>> from karat.tally import Ladder
        >>> quantile_edges(Ladder.of([0.1, 0.2, 0.6, 0.7], [0, 1, 1, 1]), 2).tolist()
        [0.0, 0.2, 1.0]
        >>> quantile_edges(Ladder.of([0.1, 0.2, 0.6, 0.7], [0, 1, 1, 1]), 2, "left").tolist()
        [0.0, 0.6, 1.0]
    """
    total = sum(rungs.counts.sum() for rungs in ladder.blocks())
    if not total:
        return uniform_edges(b)
    # Counts are compared as whole numbers: b times the weight against i times the total.
    targets = np.arange(1, b) * total
    edges = np.zeros(b - 1)
    is_left = closed == "left"
    if ladder.is_weighted:
        targets = targets * (1.0 + _BORDER if is_left else 1.0 - _BORDER)
    # Best first, what lies below a rung falls from all to nothing: each edge is the last rung with
    # enough at or below it, or the first with little enough below.
    left = np.full(b - 1, is_left)
    above = 0 * total
    for scores, counts, _ in ladder.blocks():
        weight = counts.sum(axis=1)
        reached = np.cumsum(np.concatenate([[above], weight]))
        below = (total - (reached[1:] if is_left else reached[:-1]))[::-1] * b
        if is_left:
            n_beyond = len(scores) - np.searchsorted(below, targets, side="right")
            found = left & (n_beyond < len(scores))
            edges[found] = scores[n_beyond[found]]
            left &= ~found
        else:
            n_enough = len(scores) - np.searchsorted(below, targets, side="left")
            found = n_enough > 0
            edges[found] = scores[n_enough[found] - 1]
        above = reached[-1]
    return np.concatenate([[0.0], edges, [1.0]])
