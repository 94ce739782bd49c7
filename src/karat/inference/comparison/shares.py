"""Metrics that are functions of a proportion of the same rows: McNemar's test, Tango's limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.comparison.contrasts import Limits, Pair, mid_p, score_limits
from karat.inference.comparison.judging import Measured
from karat.inference.comparison.records import Discordant, ratio
from karat.inference.limits import Flags, Floats
from karat.inference.proportion_curves import of_proportion, of_right_rows
from karat.metrics import Metric
from karat.tally import JointCells

Counts: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairedShare:
    """A metric that increases or decreases with a proportion of the same rows for every model.

    Attributes:
        is_read: bool[e], joint cells of the rows.
        right: bool[m, e], those that each model has right.
        ends: of each model, the value at proportions of 0, ½ and 1. They differ where other
            numbers of classes count.
        is_of_predictions: whether ``right`` means the predicted class, right or wrong.
    """

    is_read: Flags
    right: Flags
    ends: tuple[tuple[float, ...], ...]
    is_of_predictions: bool = False

    @classmethod
    def of(
        cls, metric: Metric, cells: JointCells, counted: Sequence[Counts | None]
    ) -> PairedShare | None:
        """Return the proportion that a metric is a function of; None of other metrics.

        Args:
            counted: of each model, the classes that count for it; None: all.
        """
        said, at = cells.codes[1:], np.array([0.0, 0.5, 1.0])
        if not metric.record.is_per_class or metric.lift == "micro":
            if not metric.is_of_right_rows:
                return None
            everywhere = np.ones(len(cells.counts), bool)
            k = [cells.classes.k if places is None else len(places) for places in counted]
            ends_of = {n: tuple(of_right_rows(metric, at, n).tolist()) for n in set(k)}
            return cls(everywhere, said == cells.codes[0], tuple(ends_of[n] for n in k))
        share = metric.proportion if metric.lift == "plain" else None
        if share is None or not share.is_of_true_classes or cells.classes.positive is None:
            return None
        is_true, is_said = (codes == cells.classes.positive for codes in (cells.codes[0], said))
        hits, misses = (np.array(side)[is_true.astype(int)] for side in (share.hits, share.misses))
        right = np.take_along_axis(hits[None], is_said[..., None].astype(int), -1)[..., 0]
        ends, is_read = of_proportion(metric, share, at), (hits | misses).any(axis=1)
        has_right, has_wrong = (np.array(share.hits)[np.eye(2) == each].any() for each in (1, 0))
        if not has_right:
            # A proportion of wrong rows, as the false positive rate.
            ends, right = ends[::-1], is_read & ~right
        of_each = (tuple(ends.tolist()),) * len(said)
        return cls(is_read, right, of_each, bool(has_right and has_wrong))

    @classmethod
    def of_rows(cls, right: Sequence[Flags], *, is_of_wrong_rows: bool) -> Self:
        """The proportion of the rows that are right; or of those that are wrong.

        Args:
            right: bool[n] of each model.
        """
        ends = (1.0, 0.5, 0.0) if is_of_wrong_rows else (0.0, 0.5, 1.0)
        return cls(np.ones(len(right[0]), bool), np.stack(right), (ends,) * len(right))

    def is_shared(self, pair: Pair) -> bool:
        """True if the metric is the same function of the proportion for both models."""
        a, b = (self.ends[model] for model in pair)
        return bool(np.array_equal(a, b, equal_nan=True))

    def scale(self, pair: Pair) -> float | None:
        """Value at a proportion of 1 − value at 0; None where it is no linear function."""
        return _scale(self.ends[pair[0]])

    def discordant(self, pair: Pair, counts: Counts | Floats) -> Discordant:
        """The rows, or their weight, that one model alone has right."""
        (of_a, of_b), w = (self.right[model] for model in pair), np.asarray(counts, np.float64)
        sides = of_a & ~of_b, of_b & ~of_a, ~of_a, ~of_b
        b, c, wrong_a, wrong_b = (float(w[self.is_read & each].sum()) for each in sides)
        n = None if self.is_read.all() else self.n_rows(counts)
        return Discordant(b, c, ratio(b, c), ratio(wrong_a, wrong_b), n)

    def n_rows(self, counts: Counts | Floats) -> float:
        """Number of the rows that are read, or their weight."""
        return float(np.asarray(counts)[self.is_read].sum())


def _scale(ends: Sequence[float]) -> float | None:
    none, half, full = ends
    scale = float(full - none)
    is_linear = abs(none + full - 2.0 * half) <= 1e-12 * abs(scale)
    return scale if is_linear and math.isfinite(scale) else None


def with_share(
    measured: Measured,
    share: PairedShare,
    counts: Counts | Floats,
    pairs: Sequence[Pair],
    *,
    is_plain: bool,
) -> Measured:
    """The same with the rows that one model alone has right: of plain rows they test it.

    A function of a proportion has the mid-p test of McNemar. Limits of a proportion are Tango's;
    those of another function of it stay, and its p-value is at least that of the test.

    Args:
        counts: rows of each unit, or their weight.
        is_plain: whether rows are independent and have equal weight.
    """
    shared = [pair for pair in pairs if share.is_shared(pair)]
    discordant = {pair: share.discordant(pair, counts) for pair in shared}
    linear = {pair: scale for pair in shared if (scale := share.scale(pair)) is not None}
    if not share.is_of_predictions:
        measured = replace(measured, discordant={pair: discordant[pair] for pair in linear})
    n = share.n_rows(counts)
    if not is_plain or not n:
        return measured
    tests = {
        pair: ("mid-p McNemar", mid_p(int(rows.b), int(rows.c)))
        for pair, rows in discordant.items()
    }
    guards = {pair: test for pair, test in tests.items() if pair not in linear}
    limits = {
        pair: ("score", score_of(discordant[pair].b, discordant[pair].c, int(n), scale))
        for pair, scale in linear.items()
    }
    return replace(
        measured,
        tests={pair: tests[pair] for pair in linear},
        guards={**measured.guards, **guards},
        limits={**measured.limits, **limits},
    )


def score_of(b: float, c: float, n: int, scale: float) -> Limits:
    """Limits of the difference of the shares of right rows, scaled as the metric is."""

    def limits(quantile: float) -> tuple[float, float]:
        low, high = (scale * limit for limit in score_limits(b, c, n, quantile))
        return min(low, high), max(low, high)

    return limits
