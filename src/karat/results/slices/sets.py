"""`SetSlice` and `SetSlices`: parts of rows that have sets of labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from karat.designs.units import Units, kish
from karat.inference.comparison.contrasts import ValueLimits
from karat.inference.comparison.sets import estimate_of_sets_apart
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate, Levels
from karat.inference.limits import Flags, Floats
from karat.inference.set_intervals import SetIntervals, SetLevels
from karat.inference.slices.permuted import Reference
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._of_sets import meant_on_sets
from karat.results.headlines import Listed, headline_of_sets
from karat.results.result import Result
from karat.results.slices.parts import (
    NO_INTERVALS,
    NO_WEIGHT,
    OF_OTHERS,
    SHARED,
    Key,
    distances_of_result,
    fields_of,
    level_of,
    that_share,
    why_few,
)
from karat.tally import Classes
from karat.tally.cached import cached_property
from karat.tally.set_tally import CLUSTERS, FN, TP, SetRows, SetTally


class MeasuredSets(Listed, Protocol):
    """Part of a report of rows with sets of labels that slices read."""

    @property
    def classes(self) -> Classes: ...
    @property
    def tally(self) -> SetTally: ...
    @property
    def encoded(self) -> SetRows | None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def undefined(self) -> Policy: ...
    @property
    def confidence(self) -> Confidence | None: ...
    @property
    def is_clustered(self) -> bool: ...
    def __getitem__(self, name: str | Metric) -> Result: ...
    def why_undefined(self, metric: Metric) -> str | None: ...
    def moves(self, metric: Metric) -> Floats | None: ...
    def of_rows(self, rows: SetRows) -> Self: ...
    def of_tally(self, tally: SetTally) -> Self: ...


ReportT = TypeVar("ReportT", bound="MeasuredSets")


@dataclass(frozen=True, eq=False)
class SetSlice(Generic[ReportT]):
    """Some of the rows of a report of sets, or all others; see `SetSlices`."""

    sliced: SetSlices[ReportT]
    place: int
    is_rest: bool = False

    @cached_property
    def results(self) -> ReportT:
        """The report of these rows, as rows of their own, without slices.

        Of one cluster they keep it: it says that nothing is known of how they vary.
        """
        sliced, place = self.sliced, self.place
        if sliced.codes is None:
            kept = sliced.kept[place]
            return sliced.whole.of_tally(sliced.rest_tallies[place]) if self.is_rest else kept
        all_rows = sliced.whole.encoded
        assert all_rows is not None
        axes = [i for i, axis in enumerate(all_rows.axes) if axis.name == CLUSTERS]
        rows = all_rows.with_axes(axes).at((sliced.codes == place) != self.is_rest)
        codes = rows.clusters
        if codes is not None and not rows.is_frequency:
            weighing = codes if rows.weights is None else codes[rows.weights > 0.0]
            if len(np.unique(weighing)) == len(weighing) > 1:
                rows = rows.with_axes(())
        return sliced.whole.of_rows(rows)

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric."""
        return self.results[name]

    @property
    def n_rows(self) -> int:
        return self.results.n_rows

    @property
    def weight(self) -> float:
        """Weight of its known rows; without weights their number."""
        return float(self.results.tally.mass.sum())

    @property
    def weight_effective(self) -> float:
        squares = self.results.tally.row_squares
        return self.weight if squares is None else self.weight**2 / float(squares.sum())

    @cached_property
    def n_clusters(self) -> int | None:
        rows = self.results.encoded
        if rows is None or rows.known.clusters is None:
            return None
        known, clusters = rows.known, rows.known.clusters
        return len(np.unique(clusters if known.weights is None else clusters[known.weights > 0.0]))

    @property
    def rows_of_classes(self) -> Floats:
        return _rows_of_labels(self.results)

    def value(self, metric: Metric) -> float:
        return self[metric].value if self.weight > 0.0 else math.nan

    def remark_on(self, metric: Metric) -> str | None:
        """Why a value is undefined for labels or rows that do not occur, or None."""
        return self[metric].undefined

    def why_unknown(self, metric: Metric) -> str | None:
        """Reason why a value or its variance is unknown, or None."""
        why = NO_WEIGHT if not self.weight > 0.0 else self.results.why_undefined(metric)
        if why is None and meant_on_sets(metric).lift == "macro":
            whole = self.sliced.whole
            why = why_few(self.rows_of_classes, _rows_of_labels(whole) > 0.0, whole.classes.display)
        return why or self._why_imprecise(metric)

    def why_untested(self, metric: Metric) -> str | None:
        why = self.why_unknown(metric)
        if why is not None or self.sliced.shared_units(metric) is None:
            return why
        return SHARED if self.influence(metric) is None else None

    def _why_imprecise(self, metric: Metric) -> str | None:
        """Reason why the variance of a value is unknown, or None."""
        result = self[metric]
        precision: Result | Interval = result
        if not meant_on_sets(metric).needs_scores:
            precision = self.intervals.of(metric, result.value)
        return None if precision.standard_error is not None else precision.remark or NO_INTERVALS

    def distances(self, metric: Metric) -> tuple[float, float] | None:
        levels = self.levels(metric)
        if levels is None:
            return distances_of_result(self[metric], self.sliced.whole.confidence)
        quantile = Confidence(level_of(self.sliced.whole)).quantile(levels.df)
        limits = ValueLimits(metric, [Estimate(self[metric].value, self.n_rows, levels=levels)])
        sides = limits.distances(0, quantile)
        return None if sides is None else (sides[0] / quantile, sides[1] / quantile)

    def levels(self, metric: Metric) -> Levels | None:
        if meant_on_sets(metric).needs_scores:
            return None
        return SetLevels(metric, self[metric].value, self.intervals)

    def estimate(self, metric: Metric) -> Estimate:
        if not meant_on_sets(metric).needs_scores:
            return estimate_of_sets_apart(metric, self.intervals)
        result = self[metric]
        error = math.nan if result.standard_error is None else result.standard_error
        return Estimate(result.value, self.n_rows, variance=error**2, df=self.df(metric))

    def df(self, metric: Metric) -> float:
        del metric
        return max(self._n_units - 1.0, 1.0)

    @property
    def _n_units(self) -> float:
        """Rows that vary alone: clusters, or Kish's number of rows."""
        if self.n_clusters is not None:
            return float(self.n_clusters)
        rows = self.results.encoded
        if rows is None:
            return self.weight_effective
        known = rows.known
        if known.weights is None or known.is_frequency:
            return self.weight
        return float(known.weights.sum() ** 2 / (known.weights**2).sum())

    def influence(self, metric: Metric) -> Floats | None:
        """float64[n]: of each known row of all on the value; None where it is not known.

        Rows outside have none; the mean is that over all rows.
        """
        sliced, moves = self.sliced, self.results.moves(metric)
        if moves is None or not np.isfinite(moves).all():
            return None
        units = sliced.units
        inside = (sliced.known_codes == self.place) != self.is_rest
        w = units.weights[inside]
        phi = np.zeros(len(inside))
        phi[inside] = np.where(w > 0.0, moves / np.where(w > 0.0, w, 1.0), 0.0)
        return phi * units.total

    @cached_property
    def intervals(self) -> SetIntervals:
        return intervals_of(self.results)


@dataclass(frozen=True, eq=False)
class SetSlices(Generic[ReportT]):
    """Rows with sets of labels, split by a column or a cross.

    A slice and all other rows are independent samples of rows, or of clusters that have no rows in
    both; where some have, the difference varies by what the rows of each cluster move in both. A
    mean over labels is compared where at least five rows of the slice, and of the rest, are truly
    of each label that occurs.

    Attributes:
        columns: the column, or the columns of a cross.
        keys: name of each slice in each of them.
        whole: the report of all rows.
        codes: int32[n], the slice of each row; None of what was read from JSON.
        kept: reports of the slices, of what was read from JSON.
    """

    unit: ClassVar[str] = "label"
    is_marked: ClassVar[bool] = True

    columns: Key
    keys: tuple[Key, ...]
    whole: ReportT
    codes: npt.NDArray[np.int32] | None = None
    kept: tuple[ReportT, ...] = ()

    @property
    def headline(self) -> list[str]:
        return headline_of_sets(self.whole)

    @property
    def lacks_clusters(self) -> bool:
        return self.whole.is_clustered and self.codes is None

    @cached_property
    def parts(self) -> tuple[SetSlice[ReportT], ...]:
        return tuple(SetSlice(self, i) for i in range(len(self.keys)))

    @cached_property
    def rests(self) -> tuple[SetSlice[ReportT], ...]:
        return tuple(SetSlice(self, i, is_rest=True) for i in range(len(self.keys)))

    @cached_property
    def rest_tallies(self) -> list[SetTally]:
        """Tally of all others, for each report that JSON holds."""
        tallies = [report.tally for report in self.kept]
        none = SetTally.empty(tallies[0].classes, is_weighted=tallies[0].is_weighted)
        before = list(accumulate(tallies[:-1], SetTally.merge, initial=none))
        after = list(accumulate(tallies[:0:-1], SetTally.merge, initial=none))[::-1]
        return [first.merge(last) for first, last in zip(before, after, strict=True)]

    def metric_of(self, metric: Metric) -> Metric:
        _ = self.whole[metric]  # a name that sets do not have
        return metric

    def values_of(self, metric: Metric) -> Floats:
        return np.array([part[metric].value for part in self.parts])

    def why_not(self, metric: Metric, i: int) -> str | None:
        why = self.parts[i].why_unknown(metric)
        if why is None and (why_rest := self.rests[i].why_unknown(metric)) is not None:
            why = f"{OF_OTHERS}{why_rest}"
        return why

    def shared_units(self, metric: Metric, i: int | None = None) -> Units | None:
        del metric
        shares = self._shares
        if shares is None or not (shares.any() if i is None else shares[i]):
            return None
        return self.units

    @cached_property
    def _shares(self) -> Flags | None:
        """bool[s]: the slices that share a cluster; None without clusters."""
        rows = self.whole.encoded
        if rows is None or rows.clusters is None or self.codes is None:
            return None
        weighs = np.ones(rows.n, bool) if rows.weights is None else rows.weights > 0.0
        return that_share(rows.clusters[weighs], self.codes[weighs], len(self.keys))

    @cached_property
    def known_codes(self) -> npt.NDArray[np.int32]:
        """int32[n], the slice of each row of known truth."""
        assert self.codes is not None
        assert self.whole.encoded is not None
        return self.codes[~self.whole.encoded.gone]

    @cached_property
    def units(self) -> Units:
        """The known rows, as they were drawn."""
        return intervals_of(self.whole).units

    def reference(self, metric: Metric) -> Reference | None:
        del metric
        return None

    def is_over_classes(self, metric: Metric) -> bool:
        return meant_on_sets(metric).lift == "macro"

    __getstate__ = fields_of


def intervals_of(part: MeasuredSets) -> SetIntervals:
    """Intervals as tests take them, whatever those of the report are."""
    return SetIntervals(part.tally, Confidence(level_of(part)), part.encoded, part.undefined)


def _rows_of_labels(part: MeasuredSets) -> Floats:
    """float64[k]: rows that are truly of each label; effective ones."""
    fields, squares = part.tally.fields, part.tally.squares
    true = np.asarray(fields.tp + fields.fn, np.float64)
    return true if squares is None else np.asarray(kish(true, squares[TP] + squares[FN]))
