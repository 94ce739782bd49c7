"""Five slices with one value of a metric: how often a report calls them different.

``python -m simulations.equal_slices [data sets] [first case] [last case]`` prints the rates of
`docs/slices.md`, case by case; ``power`` before it how often a slice that differs is found, and
``few`` deals rows 200 times, not 1000: 10 of 201 and 50 of 1001 are the same share.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from karat.api.report import Report
from karat.inference.confidence import Confidence
from karat.inference.limits import wilson_limits
from karat.inference.slices import permuted
from karat.metrics import get
from karat.results.slices import ClassSlices, Slice, SliceTable
from karat.tally import Axis, Cells, Classes
from karat.tally.axes import SlicedCells

__all__ = ["CASES", "POPULATIONS", "POWER", "Called", "Case", "drawn", "of_prevalences", "rates"]

SEED = 20261122
POPULATIONS = {
    "k = 2, 90 % right": np.array([[0.45, 0.05], [0.05, 0.45]]),
    "k = 2, 98 % right, 10 % positive": np.array([[0.89, 0.01], [0.01, 0.09]]),
    "k = 3, 60 : 30 : 10": np.array([[0.52, 0.05, 0.03], [0.04, 0.24, 0.02], [0.01, 0.02, 0.07]]),
}
"""Shares of the cells; the same in every slice."""
UNEQUAL = (20, 50, 200, 1000, 3000)


def of_prevalences(recall: float, specificity: float, shares: Sequence[float]) -> np.ndarray:
    """Tables [s, 2, 2] of one recall and one specificity, and several shares of positives."""
    return np.array(
        [
            [[(1 - q) * specificity, (1 - q) * (1 - specificity)], [q * (1 - recall), q * recall]]
            for q in shares
        ]
    )


PREVALENCES = of_prevalences(0.8, 0.9, (0.1, 0.2, 0.3, 0.4, 0.5))
"""Slices that differ, and not in recall, specificity or balanced accuracy."""


@dataclass(frozen=True)
class Case:
    """What is drawn, and which metric is asked for.

    Attributes:
        name: of the population.
        shares: float64[k, k], or [s, k, k] where slices differ.
        metric: that is compared.
        sizes: rows of the slices.
    """

    name: str
    shares: np.ndarray
    metric: str
    sizes: tuple[int, ...]


def _cases() -> Iterator[Case]:
    two, sure, three = POPULATIONS.items()
    yield Case(*three, "macro_f1", (200,) * 5)
    yield Case(*three, "accuracy", UNEQUAL)
    yield Case(*three, "macro_f1", (50,) * 5)
    yield Case(*two, "accuracy", (200,) * 5)
    yield Case("prevalence 10 to 50 %", PREVALENCES, "recall", (200,) * 5)
    yield Case("prevalence 10 to 50 %", PREVALENCES, "balanced_accuracy", (200,) * 5)
    yield Case("prevalence 10 to 50 %", PREVALENCES, "specificity", (200,) * 5)
    yield Case(*sure, "macro_recall", (200,) * 5)
    yield Case(*three, "macro_recall", (200,) * 5)
    yield Case(*three, "macro_f1", UNEQUAL)
    yield Case(*sure, "accuracy", (200,) * 5)
    yield Case("prevalence 10 to 50 %", PREVALENCES, "recall", (1000,) * 5)
    yield Case("prevalence 10 to 50 %", PREVALENCES, "balanced_accuracy", (1000,) * 5)
    yield Case(*two, "accuracy", UNEQUAL)
    yield Case(*two, "macro_f1", (200,) * 5)
    yield Case(*three, "accuracy", (200,) * 5)
    yield Case(*three, "macro_f1", (1000,) * 5)


def _power() -> Iterator[Case]:
    (name, two), _, (also, three) = POPULATIONS.items()
    worse = np.stack([two, two, two, two, [[0.40, 0.10], [0.10, 0.40]]])
    yield Case(f"{name}, one 80 %", worse, "accuracy", (200,) * 5)
    yield Case(f"{name}, one 80 %", worse, "accuracy", (1000, 500, 300, 200, 100))
    other = [[0.48, 0.08, 0.04], [0.06, 0.21, 0.03], [0.02, 0.03, 0.05]]
    yield Case(f"{also}, one worse", np.stack([three] * 4 + [other]), "macro_f1", (200,) * 5)


CASES, POWER = tuple(_cases()), tuple(_power())


@dataclass(frozen=True)
class Called:
    """How often something was called a difference.

    Attributes:
        heterogeneity: by the test of all slices.
        gap: by the gap beside that of equal slices.
        some_slice: some slice, with all looked at.
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
) -> Iterator[SliceTable[Slice]]:
    """Data sets, as their tables.

    Args:
        shares: of the cells, [k, k]; [s, k, k] where slices differ.
        sizes: rows of the slices.
        replicates: how many data sets.
        seed: the same seed draws the same.
    """
    rng, k = np.random.default_rng(seed), shares.shape[-1]
    each = np.broadcast_to(shares, (len(sizes), k, k))
    names = tuple((f"s{i}",) for i in range(len(sizes)))
    axes = (Axis("slice", tuple(name for (name,) in names)),)
    for i in range(replicates):
        counts = np.stack(
            [rng.multinomial(n, p.ravel()).reshape(k, k) for n, p in zip(sizes, each, strict=True)]
        )
        classes = Classes.of(range(k))
        cells = Cells.dense(counts, classes=classes, axes=axes)
        # Other deals for every data set: a rate is of both.
        asked = Confidence(seed=seed + i)
        whole = Report(Cells.dense(counts.sum(axis=0), classes=classes), confidence=asked)
        yield SliceTable(ClassSlices(SlicedCells(("slice",), names, cells), whole))


def rates(
    metric: str, shares: np.ndarray, sizes: tuple[int, ...], replicates: int, seed: int
) -> Called:
    """How often slices were called different."""
    found = np.zeros(4)
    for table in drawn(shares, sizes, replicates, seed):
        gap = table.gap(metric)
        found += (
            table.heterogeneity(metric).is_shown,
            gap.p is not None and gap.p < 0.05,
            _is_some_shown(table, metric),
            bool(table.worst(metric)),
        )
    return Called(*(found / replicates).tolist(), replicates)


def _is_some_shown(table: SliceTable[Slice], metric: str) -> bool:
    """Whether some slice is shown to differ; without limits where p says already that none is."""
    wanted = get(metric)
    reference = table.tests(wanted).reference
    if reference is not None:
        places = table.tests(wanted).tested.places
        if not len(places) or reference.at_once(places).p.min() >= 0.05:
            return False
    return any(one.is_shown for one in table.difference(metric).values())


def main(replicates: int, cases: Sequence[Case], seed: int) -> None:
    """Print the rates of some cases."""
    print(f"{replicates} data sets each, seed {seed}; the test of all, the gap, some slice, worst")
    for case in cases:
        called = rates(case.metric, case.shares, case.sizes, replicates, seed)
        shown = [called.heterogeneity, called.gap, called.some_slice, called.worst]
        told = "  ".join(f"{100 * x:5.2f}" for x in shown)
        low, high = wilson_limits(called.heterogeneity, replicates, 1.96)
        limits = f"[{100 * float(low):.2f}, {100 * float(high):.2f}]"
        print(f"{case.name:34} {case.metric:18} {case.sizes!s:28} {told}  {limits}", flush=True)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:] if word.isdigit()]
    if "few" in sys.argv:
        permuted.n_permutations_of = lambda *_: 200
    listed = POWER if "power" in sys.argv else CASES
    first, last = (*given[1:], 0, len(listed))[:2] if len(given) > 2 else (0, len(listed))
    main(given[0] if given else 2000, listed[first:last], SEED)
