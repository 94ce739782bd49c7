"""`SliceTests`: the slices of a table in one metric, whatever their rows are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from karat.inference.comparison.contrasts import Paired, ValueLimits
from karat.inference.comparison.families import at_once, level_of_each, tail_of
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged
from karat.inference.comparison.records import Difference
from karat.inference.comparison.sides import apart_by_limits, contrasted
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate
from karat.inference.limits import Floats
from karat.inference.slices.permuted import Reference
from karat.metrics import Metric
from karat.results.slices.differences import SliceDifference
from karat.results.slices.equality import Gap, Heterogeneity, Tested, gap_of, tested
from karat.results.slices.parts import OF_OTHERS, SHARED, Key, Part, Sliced, level_of
from karat.tally.cached import cached_property

_PAIR: Final = (0, 1)
"""A slice and all other rows."""
_LEAST_TAIL: Final = 1e-12
"""Beyond it limits say nothing."""
_NO_INTERVAL: Final = "it has no interval"
_NO_OTHER: Final = "there is no other slice"


@dataclass(frozen=True, eq=False)
class SliceTests:
    """The slices of a table in one metric; each answer is computed once, when it is asked for.

    Slices hold together as permuted rows show, where there is a reference; else as Šidák (1967)
    says.
    """

    sliced: Sliced[Any]
    metric: Metric
    names: Sequence[str]

    @cached_property
    def differences(self) -> Mapping[Key, SliceDifference]:
        """Every slice less all other rows.

        Cost: limits of two tables a slice, at some ten levels; a metric of scores is measured on
            the rows of every slice, and on the rest of each.
        """
        reasons = [self._why_not(i) for i in range(len(self.names))]
        places = [i for i, reason in enumerate(reasons) if reason is None]
        level, p_at_once = self._at_once(places)
        differences = {}
        for i, (key, reason) in enumerate(zip(self.sliced.keys, reasons, strict=True)):
            difference = self._difference(i, reason, level)
            p = difference.p
            adjusted = difference if p is None else replace(difference, p_adjusted=p_at_once(i, p))
            differences[key] = adjusted
        return differences

    def _at_once(self, places: Sequence[int]) -> tuple[float, Callable[[int, float], float]]:
        """Level of each interval, and p-value of each slice, that hold for all of these at once."""
        n, level, reference = len(places), self._level, self.reference
        # A slice without another one to compare has only the other rows beside it.
        if reference is None or n < 2:
            return level_of_each(level, n), lambda _, p: at_once(p, n)
        permuted = reference.at_once(places)
        beyond = max(permuted.quantile(level), Confidence(level).quantile())
        level_alone = 1.0 - max(tail_of(beyond), _LEAST_TAIL) if n > 2 else level
        return level_alone, lambda i, p: max(p, permuted.p_of(i))

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """One test that the metric is the same in all slices."""
        return tested(self.metric, self.tested, self._level, self.reference)

    @cached_property
    def gap(self) -> Gap:
        """The largest less the smallest value."""
        seed = (self.sliced.whole.confidence or Confidence()).seed
        return gap_of(self.metric, self.tested, self.names, self._level, seed, self.reference)

    @property
    def _level(self) -> float:
        return level_of(self.sliced.whole)

    @cached_property
    def reference(self) -> Reference | None:
        """Reference distribution of rows permuted across the slices, or None."""
        return self.sliced.reference(self.metric)

    def _pair(self, i: int) -> tuple[Part[Any], Part[Any]]:
        return self.sliced.parts[i], self.sliced.rests[i]

    def _why_not(self, i: int) -> str | None:
        """Reason why a slice is not compared with the other rows, or None."""
        return self.sliced.why_not(self.metric, i) if self.sliced.rests[i].n_rows else _NO_OTHER

    def _difference(self, i: int, reason: str | None, level: float) -> SliceDifference:
        """A slice less all other rows, or the reason why there is none."""
        part, rest = self._pair(i)
        facts = str(self.metric), self.names[i], part.n_rows
        contrast = self._contrast(i) if reason is None else None
        if contrast is None:
            values = part.value(self.metric), rest.value(self.metric) if rest.n_rows else math.nan
            difference, remark = math.nan, None
            if reason is None:
                difference, remark = values[0] - values[1], SHARED
            return SliceDifference(
                *facts, *values, difference, level=self._level, undefined=reason, remark=remark
            )
        alone, wide = (self._judged(contrast, i, at) for at in (self._level, level))
        return SliceDifference(
            *facts,
            *(alone.value_a, alone.value_b, alone.difference),
            *(alone.low, alone.high, wide.low, wide.high),
            self._level,
            alone.p,
            method=alone.method,
            remark=self._remark(i) or alone.remark,
        )

    def _judged(self, contrast: Measured, i: int, level: float) -> Difference:
        names = (self.names[i], "the others")
        return judged(contrast, names, ComparisonSpec(level, "none", {}, (_PAIR,)))[0]

    def _remark(self, i: int) -> str | None:
        sides = zip(("", OF_OTHERS), self._pair(i), strict=True)
        remarks = [(side, part.remark_on(self.metric)) for side, part in sides]
        return "; ".join(f"{side}{remark}" for side, remark in remarks if remark) or None

    def _contrast(self, i: int) -> Measured | None:
        """A slice less the other rows; None where it is not known how they vary together."""
        metric, pair = self.metric, self._pair(i)
        units = self.sliced.shared_units(metric, i)
        if units is None:
            return self._apart(pair)
        estimates = []
        for part in pair:
            influence = part.influence(metric)
            if influence is None:
                return None
            levels = None if metric.needs_scores else part.levels(metric)
            value, n = part[metric].value, part.n_rows
            estimates.append(Estimate(value, n, influence=influence, levels=levels))
        measured = contrasted(metric, estimates, [_PAIR], "influence t", units)
        if not isinstance(measured.spread, Paired):
            return measured
        df = min(part.df(metric) for part in pair)
        return replace(measured, spread=measured.spread.capped(df))

    def _apart(self, pair: Sequence[Part[Any]]) -> Measured:
        """A slice less the other rows, which have no cluster in common."""
        metric, estimates = self.metric, [part.estimate(self.metric) for part in pair]
        limits = ValueLimits.of(metric, estimates)
        if limits is None or (metric.needs_scores and not limits.are_known(*_PAIR)):
            return contrasted(metric, estimates, [_PAIR], "unpaired t", kind_of_limits="none")
        spec = ComparisonSpec(self._level, "none", {}, (_PAIR,))
        contrast = apart_by_limits(metric, estimates, spec)
        method = "unpaired" if metric.needs_scores else contrast.method
        return replace(contrast, method=method, remark=None)

    @cached_property
    def tested(self) -> Tested:
        """The slices that have a value and a variance."""
        places: list[int] = []
        sides, left_out, metric = [], {}, self.metric
        for i, (name, part) in enumerate(zip(self.names, self.sliced.parts, strict=True)):
            why = part.why_untested(metric)
            distances = None if why is not None else part.distances(metric)
            if distances is None or max(distances) <= 0.0:
                left_out[name] = why or _NO_INTERVAL
                continue
            places.append(i)
            sides.append(distances)
        below, above = np.array(sides, np.float64).reshape(-1, 2).T
        covariance, df_joint = self._joint(places) if len(places) > 1 else (None, math.inf)
        parts = [self.sliced.parts[i] for i in places]
        n_clusters = [part.n_clusters for part in parts]
        return Tested(
            tuple(places),
            np.array([part[metric].value for part in parts]),
            below,
            above,
            np.array([math.inf if n is None else n - 1.0 for n in n_clusters]),
            left_out,
            covariance,
            df_joint,
            min((part.n_rows for part in parts), default=0),
            self._rarest(parts),
            np.array([part.weight_effective for part in parts]),
            tuple(self._limits(part) for part in parts),
            self.sliced.unit,
        )

    def _limits(self, part: Part[Any]) -> ValueLimits | None:
        """Limits of a value at any level; None of metrics of scores."""
        levels = None if self.metric.needs_scores else part.levels(self.metric)
        if levels is None:
            return None
        return ValueLimits(
            self.metric, [Estimate(part[self.metric].value, part.n_rows, levels=levels)]
        )

    def _joint(self, places: Sequence[int]) -> tuple[Floats | None, float]:
        """Covariance of the values of slices that share clusters, or None; degrees of freedom."""
        units = self.sliced.shared_units(self.metric)
        if units is None:
            return None, math.inf
        moves = [self.sliced.parts[i].influence(self.metric) for i in places]
        return units.covariance(np.stack([phi for phi in moves if phi is not None])), units.df

    def _rarest(self, parts: Sequence[Part[Any]]) -> int | None:
        """Of an average over classes, the fewest true rows of one in a slice; else None."""
        if not parts or not self.sliced.is_over_classes(self.metric):
            return None
        rows = np.stack([part.rows_of_classes for part in parts])
        return int(rows[rows > 0.0].min()) if rows.any() else None
