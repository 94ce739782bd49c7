"""Reliability diagrams: how often a probability came true, bin by bin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from karat.curves._curve import Curve, Floats
from karat.metrics._reliability import reliability
from karat.tally import Bins, Label

__all__ = ["Reliability", "reliability_curve"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reliability(Curve):
    """How often the class is the true one, by the probability it was given.

    On the diagonal, probabilities are right.

    Attributes:
        mean_confidence: float64[b], mean probability in each bin; NaN where no row lies.
        share: float64[b], how many of its rows are truly of the class; NaN where no row lies.
        weight: float64[b], rows, or their weight.
        spread: float64[b], standard deviation of `share` if every probability is right.
        edges: float64[b + 1], from 0 to 1.
        closed: which edge belongs to a bin: ``"right"``, (lo, hi], or ``"left"``, [lo, hi).
    """

    name: ClassVar[str] = "reliability"
    axes = ("mean_confidence", "share")
    unit = "bins"

    mean_confidence: Floats
    share: Floats
    weight: Floats
    spread: Floats
    edges: Floats
    closed: str

    def _facts(self) -> Iterator[str]:
        n_empty = int((self.weight == 0).sum())
        if n_empty:
            yield f"{n_empty} of them empty"
        yield from super()._facts()


def reliability_curve(bins: Bins, label: Label | None) -> Reliability:
    """The diagram of the bins of one class."""
    table = reliability(bins)
    n_pos = float(bins.hits.sum())
    return Reliability(
        label=label,
        n_pos=n_pos,
        n_neg=float(bins.weight.sum()) - n_pos,
        undefined=None,
        mean_confidence=table.mean_confidence,
        share=table.share,
        weight=table.n,
        spread=table.spread,
        edges=bins.edges,
        closed=bins.closed,
    )
