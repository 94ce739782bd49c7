"""`SliceTests`: the slices of a table in one metric, whatever their rows are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic

import numpy as np

from karat.inference.comparison.contrasts import Combined
from karat.inference.comparison.families import tail_of
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.inference.slices.permuted import Reference
from karat.metrics import Metric
from karat.results.slices.differences import SliceDifference, at_once, level_of_each
from karat.results.slices.equality import Gap, Heterogeneity, Tested, gap_of, tested
from karat.results.slices.named import Key, NamedSlices, PartT
from karat.tally.cached import cached_property

PAIR: Final = (0, 1)
"""A slice and all other rows."""
_LEAST_TAIL: Final = 1e-12
"""Beyond it limits say nothing."""
SHARED: Final = "a cluster has rows inside and outside of it, so limits are not known"
_NO_INTERVAL: Final = "it has no interval"


@dataclass(frozen=True, eq=False)
class SliceTests(ABC, Generic[PartT]):
    """The slices of a table in one metric; each answer is computed once, when it is asked for.

    Slices hold together as permuted rows show, where there is a reference; else as Šidák (1967)
    says. What differs between kinds of rows is in the methods below.
    """

    table: NamedSlices[PartT]
    metric: Metric

    @property
    def reference(self) -> Reference | None:
        """Reference distribution of rows permuted across the slices, or None."""
        return None

    @property
    def unit(self) -> str:
        """What averages are over."""
        return "class"

    @cached_property
    def remarks(self) -> Mapping[int, str]:
        """Remarks on differences, by slice, in place of those on their contrasts."""
        return {}

    @abstractmethod
    def why_not(self, i: int) -> str | None:
        """Reason why a slice is not compared with the other rows, or None."""

    @abstractmethod
    def why_untested(self, i: int) -> str | None:
        """Reason why a slice is left out of the tests of all slices, or None."""

    @abstractmethod
    def values(self, i: int) -> tuple[float, float]:
        """The value of a slice and that of the other rows; NaN where there are none."""

    @abstractmethod
    def contrast(self, i: int) -> Measured | None:
        """A slice less the other rows; None where it is not known how they vary together."""

    @abstractmethod
    def distances(self, i: int) -> tuple[float, float] | None:
        """Distances from a value to its lower and its upper limit, in quantiles; or None."""

    @abstractmethod
    def degrees(self, i: int) -> float:
        """Degrees of freedom of the variance of a value."""

    @abstractmethod
    def n_effective(self, i: int) -> float:
        """Effective rows of a slice."""

    @abstractmethod
    def limits(self, i: int) -> Combined | None:
        """Limits of a value at any level; None of metrics of scores."""

    @abstractmethod
    def joint(self, places: Sequence[int]) -> tuple[Floats | None, float]:
        """Covariance of the values of slices that share clusters, or None; degrees of freedom."""

    @abstractmethod
    def rarest(self, places: Sequence[int]) -> int | None:
        """Of an average over classes, the fewest true rows of one in a slice; else None."""

    @cached_property
    def differences(self) -> Mapping[Key, SliceDifference]:
        """Every slice less all other rows.

        Cost: limits of two tables a slice, at some ten levels; a metric of scores is measured on
            the rows of every slice, and on the rest of each.
        """
        level, reasons = self.table.level, [self.why_not(i) for i in range(len(self.table))]
        known = [i for i, reason in enumerate(reasons) if reason is None]
        n, each = len(known), level_of_each(level, len(known))
        # A slice without another one to compare has only the other rows beside it.
        permuted = None
        if self.reference is not None and n > 1:
            permuted = self.reference.at_once(known)
        if permuted is not None and n > 2:
            beyond = max(permuted.quantile(level), Confidence(level).quantile())
            each = 1.0 - max(tail_of(beyond), _LEAST_TAIL)
        found = {}
        for i, (key, reason) in enumerate(zip(self.table.slice_keys, reasons, strict=True)):
            facts = str(self.metric), self.table.names[i], self._parts[i].n_rows
            value, rest = self.values(i)
            contrast = self.contrast(i) if reason is None else None
            if reason is not None or contrast is None:
                difference = math.nan if reason is not None else value - rest
                remark = None if reason is not None else SHARED
                found[key] = SliceDifference(
                    *facts, value, rest, difference, level=level, undefined=reason, remark=remark
                )
                continue
            names = (self.table.names[i], "the others")
            alone, wide = (
                judged(contrast, names, ComparisonSpec(at, "none", {}, (PAIR,)))[0]
                for at in (level, each)
            )
            p = alone.p
            if p is not None:
                p = at_once(p, n) if permuted is None else max(p, permuted.p_of(i))
            found[key] = SliceDifference(
                *facts,
                *(alone.value_a, alone.value_b, alone.difference),
                *(alone.low, alone.high, wide.low, wide.high),
                level,
                alone.p,
                p,
                alone.method,
                remark=self.remarks.get(i, alone.remark),
            )
        return found

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """One test that the metric is the same in all slices."""
        return tested(self.metric, self.tested, self.table.level, self.reference)

    @cached_property
    def gap(self) -> Gap:
        """The largest less the smallest value."""
        names, seed = self.table.names, self.table.asked.seed
        return gap_of(self.metric, self.tested, names, self.table.level, seed, self.reference)

    @cached_property
    def tested(self) -> Tested:
        """The slices that have a value and a variance."""
        places: list[int] = []
        sides, left_out = [], {}
        for i, name in enumerate(self.table.names):
            why = self.why_untested(i)
            distances = None if why is not None else self.distances(i)
            if distances is None or max(distances) <= 0.0:
                left_out[name] = why or _NO_INTERVAL
                continue
            places.append(i)
            sides.append(distances)
        below, above = np.array(sides, np.float64).reshape(-1, 2).T
        covariance, df_joint = self.joint(places) if len(places) > 1 else (None, math.inf)
        return Tested(
            tuple(places),
            np.array([self._parts[i][self.metric].value for i in places]),
            below,
            above,
            np.array([self.degrees(i) for i in places]),
            left_out,
            covariance,
            df_joint,
            min((self._parts[i].n_rows for i in places), default=0),
            self.rarest(places) if places else None,
            np.array([self.n_effective(i) for i in places]),
            tuple(self.limits(i) for i in places),
            self.unit,
        )

    @cached_property
    def _parts(self) -> tuple[PartT, ...]:
        return tuple(self.table.values())

    @cached_property
    def _rests(self) -> tuple[PartT, ...]:
        return tuple(self.table.rest.values())
