"""`SetSliceTable`: the slices that a column makes of rows with sets of labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from karat.designs.clusters import ClusteredRows
from karat.designs.units import Units, kish
from karat.errors import shown
from karat.inference.comparison.contrasts import Apart, Paired, correlation
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.sets import SetLimits, sets_apart, units_of_sets
from karat.inference.confidence import Confidence
from karat.inference.limits import Flags, Floats
from karat.inference.set_intervals import SetIntervals
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._of_sets import meant_on_sets
from karat.results.result import Result
from karat.results.slices.named import Key, NamedSlices, RecordedSlices, Tests, not_kept
from karat.results.slices.parts import NO_WEIGHT
from karat.results.slices.table import FEW_OF
from karat.results.slices.tests import PAIR, SHARED, SliceTests
from karat.tally import Classes
from karat.tally.cached import cached_property
from karat.tally.set_tally import CLUSTERS, FN, TP, SetRows, SetTally


class MeasuredSets(Protocol):
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
    def requested(self) -> tuple[Metric, ...] | None: ...

    @property
    def confidence(self) -> Confidence | None: ...

    @property
    def is_clustered(self) -> bool: ...

    @property
    def metrics(self) -> Mapping[str, Result]: ...

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric."""
        ...

    def why_undefined(self, metric: Metric) -> str | None:
        """Reason why the rows do not define a metric at all, or None."""
        ...

    def moves(self, metric: Metric) -> Floats | None:
        """float64[n]: how much each known row moves a metric, by its weight; None if not known."""
        ...

    def of_rows(self, rows: SetRows) -> Self:
        """The report of other rows, with the settings of this one."""
        ...

    def of_tally(self, tally: SetTally) -> Self:
        """The same of a tally whose rows are not known."""
        ...


ReportT = TypeVar("ReportT", bound="MeasuredSets")
_OF_OTHERS: Final = "of the other rows: "


@dataclass(frozen=True, eq=False, repr=False)
class SetSliceTable(NamedSlices[ReportT]):
    """The slices that one column, or a cross of columns, makes of rows with sets of labels.

    Each is a report of its rows on the labels of all rows, read by its name:
    ``report.slices["country"]["NO"]``, of a cross by both, ``["NO", "f"]``.

    Attributes:
        columns: the column, or the columns of a cross.
        slice_keys: what each slice is called in each of them.
        whole: the report of all rows.
        codes: int32[n], the slice of each row; None of what was read from JSON.
        kept: reports of the slices, of what was read from JSON.
        told: metric → what JSON says of the slices.
    """

    columns: Key
    slice_keys: tuple[Key, ...]
    whole: ReportT
    codes: npt.NDArray[np.int32] | None = None
    kept: tuple[ReportT, ...] = ()
    told: Mapping[Metric, RecordedSlices] = field(default_factory=dict)

    @property
    def n_rows(self) -> npt.NDArray[np.int64]:
        """int64[s], rows of each slice."""
        return np.array([part.n_rows for part in self._parts], np.int64)

    @property
    def weight(self) -> Floats:
        """float64[s], weight of the known rows of each slice; without weights their number."""
        return np.array([_mass(part) for part in self._parts])

    @property
    def asked(self) -> Confidence:
        """Specification of intervals and tests."""
        return self.whole.confidence or Confidence()

    @cached_property
    def _parts(self) -> tuple[ReportT, ...]:
        if self.codes is None:
            return self.kept
        return tuple(self._part(self.codes == i) for i in range(len(self)))

    @cached_property
    def _rests(self) -> tuple[ReportT, ...]:
        if self.codes is None:
            return tuple(map(self.whole.of_tally, _all_but_one([x.tally for x in self.kept])))
        return tuple(self._part(self.codes != i) for i in range(len(self)))

    def _part(self, held: Flags) -> ReportT:
        """The report of some of the rows, as rows of their own, without slices.

        Of one cluster they keep it: it says that nothing is known of how they vary.
        """
        assert self.whole.encoded is not None
        own = self.whole.encoded
        places = [i for i, axis in enumerate(own.axes) if axis.name == CLUSTERS]
        rows = own.with_axes(places).at(held)
        codes = rows.clusters
        if codes is not None and not rows.is_frequency:
            weighing = codes if rows.weights is None else codes[rows.weights > 0.0]
            if len(np.unique(weighing)) == len(weighing) > 1:
                rows = rows.with_axes(())
        return self.whole.of_rows(rows)

    def tests(self, metric: str | Metric) -> Tests:
        """Return the tests of the slices in a metric, computed once."""
        wanted = get(metric)
        if wanted in self.told:
            return self.told[wanted]
        _ = self.whole[wanted]  # a name that sets do not have
        if self.whole.is_clustered and self.codes is None:
            raise not_kept(wanted)
        if wanted not in self._tests:
            self._tests[wanted] = SetTests(self, wanted)
        return self._tests[wanted]

    @cached_property
    def _tests(self) -> dict[Metric, SetTests[ReportT]]:
        return {}

    @cached_property
    def is_shared(self) -> tuple[bool, ...]:
        """True for each slice that shares a cluster with the rest."""
        rows = self.whole.encoded
        if rows is None or rows.clusters is None or self.codes is None:
            return (False,) * len(self)
        weighs = np.ones(rows.n, bool) if rows.weights is None else rows.weights > 0.0
        clusters, codes = rows.clusters[weighs], self.codes[weighs]
        pairs = np.unique(np.stack([clusters, codes]), axis=1)
        n_slices = np.bincount(pairs[0])
        across = set(pairs[1, n_slices[pairs[0]] > 1].tolist())
        return tuple(i in across for i in range(len(self)))

    @cached_property
    def known_codes(self) -> npt.NDArray[np.int32]:
        """int32[n], the slice of each row of known truth."""
        assert self.codes is not None
        assert self.whole.encoded is not None
        return self.codes[~self.whole.encoded.gone]

    @cached_property
    def units(self) -> Units:
        """All known rows, drawn by cluster."""
        return units_of_sets(intervals_of(self.whole, self.level))

    def moves(self, i: int, metric: Metric, *, is_rest: bool = False) -> Floats | None:
        """float64[n]: influence of each known row on the value of a slice, or of its rest.

        Rows outside have none; the mean is that over all rows. None where it is not known.
        """
        part = (self._rests if is_rest else self._parts)[i]
        found, inside = part.moves(metric), (self.known_codes == i) != is_rest
        if found is None or not np.isfinite(found).all():
            return None
        w = self.units.weights[inside]
        phi = np.zeros(len(inside))
        phi[inside] = np.where(w > 0.0, found / np.where(w > 0.0, w, 1.0), 0.0)
        return phi * self.units.total


@dataclass(frozen=True, eq=False)
class SetTests(SliceTests[ReportT], Generic[ReportT]):
    """Slices of rows with sets of labels.

    A slice and all other rows are independent samples of rows, or of clusters that have no rows in
    both; where some have, the difference varies by what the rows of each cluster move in both. A
    mean over labels is compared where at least five rows of the slice, and of the rest, are truly
    of each label that occurs.
    """

    table: SetSliceTable[ReportT]

    @property
    def unit(self) -> str:
        """What averages are over."""
        return "label"

    def why_not(self, i: int) -> str | None:
        if not self._rests[i].n_rows:
            return "there is no other slice"
        for part, side in ((self._parts[i], ""), (self._rests[i], _OF_OTHERS)):
            why = self._why_alone(part)
            if why is not None:
                return side + why
        return None

    def why_untested(self, i: int) -> str | None:
        why = self._why_alone(self._parts[i])
        if why is not None or not any(self.table.is_shared):
            return why
        return SHARED if self.table.moves(i, self.metric) is None else None

    def values(self, i: int) -> tuple[float, float]:
        one, rest = (
            part[self.metric].value if _mass(part) > 0.0 else math.nan for part in self._pair(i)
        )
        return one, rest

    def contrast(self, i: int) -> Measured | None:
        return self._of_shared(i) if self.table.is_shared[i] else self._measured(i)

    @cached_property
    def remarks(self) -> Mapping[int, str]:
        """Why values are undefined for labels or rows that do not occur, by slice."""
        remarks = {
            i: _told(*(part[self.metric] for part in self._pair(i))) for i in range(len(self.table))
        }
        return {i: remark for i, remark in remarks.items() if remark is not None}

    def degrees(self, i: int) -> float:
        part = self._parts[i]
        return _n_units(part) - 1.0 if _is_clustered(part) else math.inf

    def n_effective(self, i: int) -> float:
        return _kish_rows(self._parts[i])

    def limits(self, i: int) -> SetLimits | None:
        of_labels = not meant_on_sets(self.metric).needs_scores
        return self._limits([self._parts[i]]) if of_labels else None

    def joint(self, places: Sequence[int]) -> tuple[Floats | None, float]:
        if not any(self.table.is_shared):
            return None, math.inf
        moves = [self.table.moves(i, self.metric) for i in places]
        known = [phi for phi in moves if phi is not None]
        return self.table.units.covariance(np.stack(known)), self.table.units.df

    def rarest(self, places: Sequence[int]) -> int | None:
        if meant_on_sets(self.metric).lift != "macro":
            return None
        true = np.stack([_rows_of_labels(self._parts[i]) for i in places])
        return int(true[true > 0.0].min(initial=math.inf)) if true.any() else None

    def distances(self, i: int) -> tuple[float, float] | None:
        """Distances from a value to its lower and its upper limit, in quantiles; or None."""
        part, asked = self._parts[i], Confidence(self.table.level)
        result = part[self.metric]
        if not meant_on_sets(self.metric).needs_scores:
            limits = self._limits([part])
            quantile = asked.quantile(limits.degrees(0))
            found = limits.distances(0, quantile)
            return None if found is None else (found[0] / quantile, found[1] / quantile)
        if result.standard_error is None:
            return None
        is_both = part.confidence is not None and part.confidence.side == "both"
        if result.low is None or result.high is None or not is_both:
            return result.standard_error, result.standard_error
        quantile = asked.quantile()
        return (result.value - result.low) / quantile, (result.high - result.value) / quantile

    def _limits(self, parts: list[ReportT]) -> SetLimits:
        """Limits of the values of some parts at any level, of a metric of labels."""
        values = [part[self.metric].value for part in parts]
        models = [intervals_of(part, self.table.level) for part in parts]
        return SetLimits(self.metric, values, models=models)

    def _measured(self, i: int) -> Measured:
        """Both values, and how they vary: of rows alone, or of clusters."""
        metric, pair = self.metric, self._pair(i)
        results = [part[metric] for part in pair]
        if meant_on_sets(metric).needs_scores:
            values, n = [one.value for one in results], [part.n_rows for part in pair]
            errors = np.array([one.standard_error for one in results], np.float64)
            df = min(_n_units(part) for part in pair) - 1.0
            return Measured(metric, values, n, Apart(errors**2, max(df, 1.0)), "unpaired t")
        spec = ComparisonSpec(self.table.level, "none", {}, (PAIR,))
        sides = [intervals_of(part, self.table.level) for part in pair]
        return replace(sets_apart(sides, [metric], spec)[0], remark=None)

    def _of_shared(self, i: int) -> Measured | None:
        """Both values where clusters have rows in both: by what those move in each value."""
        table, metric, pair = self.table, self.metric, self._pair(i)
        sides = [table.moves(i, metric, is_rest=is_rest) for is_rest in (False, True)]
        known = [side for side in sides if side is not None]
        if len(known) < len(sides):
            return None
        phi = np.stack(known)
        df = min(_n_units(part) for part in pair) - 1.0
        units = table.units
        assert isinstance(units, ClusteredRows)
        units = replace(units, most_df=max(df, 1.0))
        spread = Paired.of(phi, units, [PAIR])
        values, n = [part[metric].value for part in pair], [part.n_rows for part in pair]
        found = Measured(metric, values, n, spread, "influence t")
        if meant_on_sets(metric).needs_scores:
            return found
        goes = correlation(units.covariance(phi), *PAIR, None)
        limits = self._limits(list(pair)).differences([PAIR], lambda _: goes)
        return replace(found, limits=limits)

    def _pair(self, i: int) -> tuple[ReportT, ReportT]:
        return self._parts[i], self._rests[i]

    def _why_alone(self, part: ReportT) -> str | None:
        """Reason why a value or its variance is unknown, or None."""
        why = NO_WEIGHT if not _mass(part) > 0.0 else part.why_undefined(self.metric)
        return why or self._why_few(part) or self._why_unsure(part)

    def _why_few(self, part: ReportT) -> str | None:
        """Labels that occur but have almost no rows there, for a mean over labels; or None."""
        whole = self.table.whole
        if meant_on_sets(self.metric).lift != "macro":
            return None
        few = (_rows_of_labels(whole) > 0.0) & (_rows_of_labels(part) < FEW_OF)
        if not few.any():
            return None
        names = whole.classes.display
        listed = shown([names[label] for label in np.flatnonzero(few).tolist()], 3)
        return f"fewer than {FEW_OF} rows of it are truly of {listed}"

    def _why_unsure(self, part: ReportT) -> str | None:
        """Reason why the variance of a value is unknown, or None."""
        found = part[self.metric]
        of_labels = not meant_on_sets(self.metric).needs_scores
        level = self.table.level
        sure = intervals_of(part, level).of(self.metric, found.value) if of_labels else found
        if sure.standard_error is not None:
            return None
        return sure.remark or "no intervals were asked for (level=None)"


def intervals_of(part: MeasuredSets, level: float) -> SetIntervals:
    """Intervals as tests take them, whatever was asked of those of the report."""
    return SetIntervals(part.tally, Confidence(level), part.encoded, part.undefined)


def _all_but_one(tallies: list[SetTally]) -> list[SetTally]:
    """Tally of all others, for each tally."""
    none = SetTally.empty(tallies[0].classes, is_weighted=tallies[0].is_weighted)
    before = list(accumulate(tallies[:-1], SetTally.merge, initial=none))
    after = list(accumulate(tallies[:0:-1], SetTally.merge, initial=none))[::-1]
    return [one.merge(other) for one, other in zip(before, after, strict=True)]


def _is_clustered(part: MeasuredSets) -> bool:
    return part.encoded is not None and part.encoded.clusters is not None


def _kish_rows(part: MeasuredSets) -> float:
    """Kish's number of rows, (Σw)² ÷ Σw²: without weights the known rows."""
    squares = part.tally.row_squares
    return _mass(part) if squares is None else _mass(part) ** 2 / float(squares.sum())


def _mass(part: MeasuredSets) -> float:
    return float(part.tally.mass.sum())


def _n_units(part: MeasuredSets) -> float:
    """Rows that vary alone: clusters, or Kish's number of rows."""
    if part.encoded is None:
        return _kish_rows(part)
    known = part.encoded.known
    if known.clusters is not None:
        held = known.clusters if known.weights is None else known.clusters[known.weights > 0.0]
        return float(len(np.unique(held)))
    if known.weights is None or known.is_frequency:
        return _mass(part)
    return float(known.weights.sum() ** 2 / (known.weights**2).sum())


def _rows_of_labels(part: MeasuredSets) -> Floats:
    """float64[k]: rows that are truly of each label; effective ones."""
    fields, squares = part.tally.fields, part.tally.squares
    true = np.asarray(fields.tp + fields.fn, np.float64)
    return true if squares is None else np.asarray(kish(true, squares[TP] + squares[FN]))


def _told(one: Result, other: Result) -> str | None:
    """Reasons why values are undefined, for labels or rows that do not occur."""
    sides = (("", one.undefined), (_OF_OTHERS, other.undefined))
    return "; ".join(f"{side}{reason}" for side, reason in sides if reason) or None
