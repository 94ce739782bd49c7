"""How often confidences come true, bin by bin: what calibration errors and reliability read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally import Bins, RungSource, quantile_edges, uniform_edges
from karat.tally.bin_edges import Closed

__all__ = ["MOST_BINS", "Closed", "Reliability", "Scheme", "binned", "reliability"]

Scheme: TypeAlias = Literal["uniform", "quantile"]
"""Where edges lie: at equal distances, or so that the bins hold equal weight."""

MOST_BINS: Final = 10_000
"""More bins are refused: each needs rows of its own to say anything."""

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """A reliability table: one entry a bin, NaN where no row lies.

    Attributes:
        closed: which edge belongs to a bin: ``"right"``, (lo, hi], or ``"left"``, [lo, hi).
        lo, hi: float64[b], the edges.
        n: float64[b], rows, or Σw.
        mean_confidence: float64[b].
        share: float64[b], of the rows, how many came true.
        spread: float64[b], standard deviation of `share` if every confidence is right.
    """

    closed: Closed
    lo: Floats
    hi: Floats
    n: Floats
    mean_confidence: Floats
    share: Floats
    spread: Floats

    def rows(self) -> list[dict[str, Any]]:
        """One dict a bin, numbers of Python; None where no row lies."""
        names = ("lo", "hi", "n", "mean_confidence", "share", "spread")
        columns = [getattr(self, name).tolist() for name in names]
        return [
            {
                name: None if value != value else value
                for name, value in zip(names, row, strict=True)
            }
            for row in zip(*columns, strict=True)
        ]


def binned(
    ladder: RungSource, bins: int = 15, scheme: Scheme = "uniform", closed: Closed = "right"
) -> Bins:
    """The bins of a ladder of confidences.

    Args:
        ladder: distinct confidences, own class: what came true.
        bins: how many.
        scheme: where the edges lie.
        closed: which edge belongs to a bin.
    """
    edges = uniform_edges(bins) if scheme == "uniform" else quantile_edges(ladder, bins, closed)
    return Bins.of(ladder, edges, closed)


def reliability(bins: Bins) -> Reliability:
    """The table of a reliability diagram.

    Example:
        >>> from karat.tally import Ladder
        >>> ladder = Ladder.of([0.25, 0.75, 0.75], [True, True, False])
        >>> reliability(binned(ladder, 2)).rows()[1]["share"]
        0.5
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(bins.variance) / bins.weight
    return Reliability(
        closed=bins.closed,
        lo=bins.edges[:-1],
        hi=bins.edges[1:],
        n=bins.weight,
        mean_confidence=bins.mean_confidence,
        share=bins.hit_share,
        spread=spread,
    )
