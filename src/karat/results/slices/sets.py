"""`SetSliceTable`: the slices that a column makes of rows with sets of labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.inference.comparison.contrasts import Apart
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged
from karat.inference.comparison.sets import sets_apart
from karat.inference.confidence import Confidence
from karat.inference.limits import Flags, Floats
from karat.inference.set_intervals import SetIntervals
from karat.inference.variance import kish
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._of_sets import meant_on_sets
from karat.results.result import Result
from karat.results.slices.differences import SliceDifference, at_once, level_of_each
from karat.results.slices.parts import NO_WEIGHT, name_of
from karat.results.slices.table import FEW_OF
from karat.tally import Classes
from karat.tally.cached import cached_property
from karat.tally.set_tally import CLUSTERS, FN, TP, SetRows, SetTally

Key: TypeAlias = tuple[str, ...]


class MeasuredSets(Protocol):
    """What is read of a report of rows with sets of labels."""

    @property
    def classes(self) -> Classes: ...

    @property
    def tally(self) -> SetTally: ...

    @property
    def rows(self) -> SetRows | None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def undefined(self) -> Policy: ...

    @property
    def requested(self) -> tuple[Metric, ...] | None: ...

    @property
    def confidence(self) -> Confidence | None: ...

    @property
    def metrics(self) -> Mapping[str, Result]: ...

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric."""
        ...

    def why_undefined(self, metric: Metric) -> str | None:
        """Why the rows do not define a metric at all."""
        ...


ReportT = TypeVar("ReportT", bound="MeasuredSets")
_PAIR: Final = (0, 1)
_OF_OTHERS: Final = "of the other rows: "
_SHARED: Final = "rows of a cluster are in it and in the rest: limits are not known"


@dataclass(frozen=True, eq=False)
class SetSliceTable(Mapping[Any, ReportT]):
    """The slices that one column, or a cross of columns, makes of rows with sets of labels.

    Each is a report of its rows on the labels of all rows, read by its name:
    ``report.slices["country"]["NO"]``, of a cross by both, ``["NO", "f"]``.

    Attributes:
        columns: the column, or the columns of a cross.
        slice_keys: what each slice is called in each of them.
        codes: int32[n], the slice of each row.
        whole: the report of all rows.
        part: the report of some of the rows.
    """

    columns: Key
    slice_keys: tuple[Key, ...]
    codes: npt.NDArray[np.int32]
    whole: ReportT
    part: Callable[[SetRows], ReportT]

    @cached_property
    def _places(self) -> Mapping[Key, int]:
        return {key: i for i, key in enumerate(self.slice_keys)}

    def _place(self, name: object) -> int | None:
        key = name if isinstance(name, tuple) else (name,)
        return self._places.get(tuple(map(name_of, key)))

    def __getitem__(self, name: Any) -> ReportT:
        """The report of a slice, by its name.

        Errors:
            K183 there is none of that name.
        """
        place = self._place(name)
        if place is None:
            raise error("K183", what=repr(name), known=shown(list(self), 12))
        return self._parts[place]

    def __contains__(self, name: object) -> bool:
        return self._place(name) is not None

    def __iter__(self) -> Iterator[Any]:
        return (key if len(key) > 1 else key[0] for key in self.slice_keys)

    def __len__(self) -> int:
        return len(self.slice_keys)

    @cached_property
    def _parts(self) -> tuple[ReportT, ...]:
        return tuple(self._part(self.codes == i) for i in range(len(self)))

    @cached_property
    def _rests(self) -> tuple[ReportT, ...]:
        return tuple(self._part(self.codes != i) for i in range(len(self)))

    def _part(self, held: Flags) -> ReportT:
        """The report of some of the rows, as rows of their own, without slices.

        Of one cluster they keep it: it says that nothing is known of how they vary.
        """
        assert self.whole.rows is not None
        own = self.whole.rows
        places = [i for i, axis in enumerate(own.axes) if axis.name == CLUSTERS]
        rows = own.with_axes(places).at(held)
        codes = rows.clusters
        if codes is not None and not rows.is_frequency:
            weighing = codes if rows.weights is None else codes[rows.weights > 0.0]
            if len(np.unique(weighing)) == len(weighing) > 1:
                rows = rows.with_axes(())
        return self.part(rows)

    @property
    def rest(self) -> Mapping[Any, ReportT]:
        """Of each slice, the report of all other rows: ``table.rest["NO"]["macro_f1"]``."""
        return dict(zip(self, self._rests, strict=True))

    @property
    def level(self) -> float:
        """Of the intervals of differences, and 1 − the error rate of their tests."""
        return (self.whole.confidence or Confidence()).level

    def difference(self, metric: str | Metric) -> Mapping[Any, SliceDifference]:
        """Every slice less all other rows, with intervals and p-values alone and all at once.

        Both are independent samples of rows, or of clusters that have no rows in both. All slices
        are taken together as Šidák (1967) says. A mean over labels is compared where at least five
        rows of the slice, and of the rest, are truly of each label that occurs.

        Errors:
            As of the report: names that sets do not have.

        Example:
            >>> import karat
            >>> true, pred = [{"cat"}, {"dog"}] * 20, [{"cat"}, {"cat"}, {"cat"}, {"dog"}] * 10
            >>> report = karat.evaluate(true, pred, by=["a", "a", "b", "b"] * 10)
            >>> report.slices["by"].difference("subset_accuracy")["a"].difference
            -0.5
        """
        wanted = get(metric)
        pairs = list(zip(self._parts, self._rests, strict=True))
        reasons = [self._why_not(wanted, *pair) for pair in pairs]
        n, found = sum(reason is None for reason in reasons), {}
        for i, (name, pair, reason) in enumerate(zip(self, pairs, reasons, strict=True)):
            facts = str(wanted), ", ".join(self.slice_keys[i]), pair[0].n_rows
            if reason is None:
                found[name] = self._compared(wanted, pair, facts, n, is_shared=self._shares(i))
                continue
            sides = [part[wanted].value if _mass(part) > 0.0 else math.nan for part in pair]
            found[name] = SliceDifference(
                *facts, sides[0], sides[1], math.nan, level=self.level, undefined=reason
            )
        return found

    def _compared(
        self,
        metric: Metric,
        pair: tuple[ReportT, ReportT],
        facts: tuple[str, str, int],
        n: int,
        *,
        is_shared: bool,
    ) -> SliceDifference:
        """A slice less the rest, one of n that are compared."""
        one, other = (part[metric] for part in pair)
        values, level = (one.value, other.value, one.value - other.value), self.level
        if is_shared:
            return SliceDifference(*facts, *values, level=level, remark=_SHARED)
        measured = self._measured(metric, pair)
        names = (facts[1], "the others")
        alone, wide = (
            judged(measured, names, ComparisonSpec(each, "none", {}, (_PAIR,)))[0]
            for each in (level, level_of_each(level, n))
        )
        p = None if alone.p is None else at_once(alone.p, n)
        limits = alone.low, alone.high, wide.low, wide.high
        remark = _told(one, other) or alone.remark
        return SliceDifference(
            *facts, *values, *limits, level, alone.p, p, alone.method, remark=remark
        )

    def _measured(self, metric: Metric, pair: tuple[ReportT, ReportT]) -> Measured:
        """Both values, and how they vary: of rows alone, or of clusters."""
        results = [part[metric] for part in pair]
        if meant_on_sets(metric).needs_scores:
            values, n = [one.value for one in results], [part.n_rows for part in pair]
            errors = np.array([one.standard_error for one in results], np.float64)
            df = min(_n_units(part) for part in pair) - 1.0
            return Measured(metric, values, n, Apart(errors**2, max(df, 1.0)), "unpaired t")
        spec = ComparisonSpec(self.level, "none", {}, (_PAIR,))
        sides = [self._intervals_of(part) for part in pair]
        return replace(sets_apart(sides, [metric], spec)[0], remark=None)

    def _intervals_of(self, part: ReportT) -> SetIntervals:
        """Intervals as tests take them, whatever was asked of those of the report."""
        return SetIntervals(part.tally, Confidence(self.level), part.rows, part.undefined)

    def _why_not(self, metric: Metric, one: ReportT, rest: ReportT) -> str | None:
        """Why a slice is not compared with the other rows, or None."""
        if not rest.n_rows:
            return "there is no other slice"
        for part, side in ((one, ""), (rest, _OF_OTHERS)):
            why = NO_WEIGHT if not _mass(part) > 0.0 else part.why_undefined(metric)
            if why is None:
                why = self._why_few(metric, part) or self._why_unsure(metric, part)
            if why is not None:
                return side + why
        return None

    def _why_few(self, metric: Metric, part: ReportT) -> str | None:
        """Which labels that occur have next to no rows there, of a mean over labels."""
        if meant_on_sets(metric).lift != "macro":
            return None
        few = (_rows_of_labels(self.whole) > 0.0) & (_rows_of_labels(part) < FEW_OF)
        if not few.any():
            return None
        names = self.whole.classes.display
        listed = shown([names[label] for label in np.flatnonzero(few).tolist()], 3)
        return f"fewer than {FEW_OF} rows of it are truly of {listed}"

    def _why_unsure(self, metric: Metric, part: ReportT) -> str | None:
        """Why it is not known how a value varies, or None."""
        found = part[metric]
        of_labels = not meant_on_sets(metric).needs_scores
        sure = self._intervals_of(part).of(metric, found.value) if of_labels else found
        if sure.standard_error is not None:
            return None
        return sure.remark or "no intervals were asked for (level=None)"

    def _shares(self, i: int) -> bool:
        """Whether some cluster has rows in a slice and in the rest."""
        rows = self.whole.rows
        if rows is None or rows.clusters is None:
            return False
        clusters, inside = rows.clusters, self.codes == i
        if rows.weights is not None:
            clusters, inside = clusters[rows.weights > 0.0], inside[rows.weights > 0.0]
        return bool(len(np.intersect1d(clusters[inside], clusters[~inside])))

    def __repr__(self) -> str:
        return f"<karat slices by {' × '.join(self.columns)}: {len(self)}>"


def _mass(part: MeasuredSets) -> float:
    return float(part.tally.mass.sum())


def _n_units(part: MeasuredSets) -> float:
    """Rows that vary alone: clusters, or Kish's number of rows."""
    rows = part.rows
    assert rows is not None
    known = rows.known
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
    """What the values leave undefined, of labels or rows that do not occur."""
    sides = (("", one.undefined), (_OF_OTHERS, other.undefined))
    return "; ".join(f"{side}{reason}" for side, reason in sides if reason) or None
