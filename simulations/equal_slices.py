"""Five equal slices: how often a report calls them different.

``python -m simulations.equal_slices [replicates]`` prints the rates of `docs/slices.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from karat.report import Report
from karat.slices import SliceTable
from karat.tally import Axis, Cells, Classes
from karat.tally.sliced import SlicedCells
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.limits import wilson_limits

__all__ = ["POPULATIONS", "Called", "drawn", "rates"]

POPULATIONS = {
    "k = 2, 90 % right": np.array([[0.45, 0.05], [0.05, 0.45]]),
    "k = 2, 98 % right, 10 % positive": np.array([[0.89, 0.01], [0.01, 0.09]]),
    "k = 3, 60 : 30 : 10": np.array([[0.52, 0.05, 0.03], [0.04, 0.24, 0.02], [0.01, 0.02, 0.07]]),
}
"""Shares of the cells; the same in every slice."""


@dataclass(frozen=True)
class Called:
    """How often something was called a difference.

    Attributes:
        heterogeneity: by the test of all slices.
        gap: by the gap beside that of equal slices.
        some_slice: some slice by its simultaneous interval.
        worst: a slice was named worst.
        n: data sets.
    """

    heterogeneity: float
    gap: float
    some_slice: float
    worst: float
    n: int


def drawn(
    shares: np.ndarray, sizes: tuple[int, ...], replicates: int, seed: int
) -> Iterator[SliceTable]:
    """Data sets of equal slices, as their tables."""
    rng, k = np.random.default_rng(seed), len(shares)
    names = tuple((f"s{i}",) for i in range(len(sizes)))
    axes = (Axis("slice", tuple(name for (name,) in names)),)
    for _ in range(replicates):
        counts = np.stack([rng.multinomial(n, shares.ravel()).reshape(k, k) for n in sizes])
        classes = Classes.of(range(k))
        cells = Cells.dense(counts, classes=classes, axes=axes)
        whole = Report(Cells.dense(counts.sum(axis=0), classes=classes), confidence=Confidence())
        yield SliceTable(SlicedCells(("slice",), names, cells), whole)


def rates(
    metric: str, shares: np.ndarray, sizes: tuple[int, ...], replicates: int, seed: int
) -> Called:
    """How often equal slices were called different."""
    found = np.zeros(4)
    for table in drawn(shares, sizes, replicates, seed):
        gap = table.gap(metric)
        found += (
            table.heterogeneity(metric).is_shown,
            gap.p is not None and gap.p < 0.05,
            any(one.is_shown for one in table.difference(metric).values()),
            bool(table.worst(metric)),
        )
    return Called(*(found / replicates).tolist(), replicates)


def main(replicates: int) -> None:
    """Print the table of rates."""
    print(f"{replicates} data sets each, seed 1; nominal 5 %; ± by Wilson at 95 %")
    for name, shares in POPULATIONS.items():
        for metric in ("accuracy", "macro_f1", "macro_recall"):
            for sizes in ((20,) * 5, (50,) * 5, (200,) * 5, (1000,) * 5, (20, 50, 200, 1000, 3000)):
                called = rates(metric, shares, sizes, replicates, seed=1)
                shown = [called.heterogeneity, called.gap, called.some_slice, called.worst]
                low, high = wilson_limits(called.heterogeneity, replicates, 1.96)
                told = "  ".join(f"{100 * x:5.2f}" for x in shown)
                limits = f"[{100 * float(low):.2f}, {100 * float(high):.2f}]"
                print(f"{name:34} {metric:13} {sizes!s:28} {told}  {limits}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
