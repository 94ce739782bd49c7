"""`SliceTable`: the slices that a column makes of the rows of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import shown
from karat.inference.class_limits import is_combined
from karat.inference.comparison.contrasts import SideLimits
from karat.inference.comparison.judging import Measured
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.inference.slices.permuted import PermutedTables, Reference
from karat.metrics import ClassRanks, Metric, PairRanks, Pairwise, get
from karat.metrics._lift import Policy
from karat.results.slices.differences import (
    covariance_of_labels,
    distances_of,
    of_labels,
    of_scores,
    why_not,
)
from karat.results.slices.named import Key, NamedSlices, RecordedSlices, not_kept
from karat.results.slices.parts import RowsOfSlice, ScoredSlices, Slice, no_slice
from karat.results.slices.tests import SliceTests
from karat.results.values import ReportValues
from karat.tally import Cells
from karat.tally.axes import SlicedCells, key_of
from karat.tally.cached import cached_property

FEW_OF: Final = 5
"""With fewer rows of some class an average over the classes is no better than a guess."""
_ONE_LOOK: Final = "tests of slices are valid for one look, the intervals for every look"


@dataclass(frozen=True, eq=False, repr=False)
class SliceTable(NamedSlices[Slice]):
    """The slices that one column, or a cross of columns, makes of the rows of a report.

    Read a slice by its name, ``report.slices["country"]["NO"]``, of a cross by both,
    ``report.slices["country", "sex"]["NO", "f"]``.

    Attributes:
        counted: the table of each slice.
        whole: the report of all rows.
        codes: int32[n], the slice of each row with scores; or None.
        scored: rows with scores, or None.
        told: metric → what JSON says, where it does not follow from the tables.
        kept: results that JSON holds, of each slice.
    """

    counted: SlicedCells
    whole: ReportValues
    codes: npt.NDArray[np.int32] | None = None
    scored: ScoredSlices | None = None
    told: Mapping[Metric, RecordedSlices] = field(default_factory=dict)
    kept: tuple[Mapping[Metric, Any], ...] = ()

    @property
    def columns(self) -> Key:
        """The column, or the columns of a cross."""
        return self.counted.columns

    @property
    def slice_keys(self) -> tuple[Key, ...]:
        """Name of each slice in each column."""
        return self.counted.keys

    @property
    def n_rows(self) -> npt.NDArray[np.int64]:
        """int64[s], rows of each slice."""
        return np.asarray(self.counted.cells.n_rows)

    @property
    def weight(self) -> Floats:
        """float64[s], weight of each slice; without weights its rows."""
        return np.asarray(self.counted.cells.flat().sum(axis=-1), np.float64)

    @property
    def cells(self) -> Cells:
        """The tables of the slices, on one leading axis."""
        return self.counted.cells

    @cached_property
    def _parts(self) -> tuple[Slice, ...]:
        return tuple(self._part(i, is_rest=False) for i in range(len(self)))

    @cached_property
    def _rests(self) -> tuple[Slice, ...]:
        return tuple(self._part(i, is_rest=True) for i in range(len(self)))

    def _part(self, i: int, *, is_rest: bool) -> Slice:
        counted = self.counted
        rows = None if self.codes is None else RowsOfSlice(self.codes, i, is_rest)
        table = counted.rest(i) if is_rest else counted.alone(i)
        weight = float(np.asarray(table.flat()).sum())
        name = self.names[i]
        groups = counted.clusters_of(i, is_rest=is_rest)
        kept = self.kept[i] if self.kept and not is_rest else {}
        size = counted.keys[i], int(table.n_rows), weight
        name = f"all but {name}" if is_rest else name
        return Slice(name, *size, self.whole, table, groups, rows, self.scored, kept)

    def values_of(self, metric: str | Metric) -> Floats:
        """float64[s]: what a metric gave on each slice.

        Of a metric of labels all tables of the same classes are evaluated at once.
        """
        wanted = get(metric)
        if wanted.needs_scores:
            return np.array([one[wanted].value for one in self._parts])
        _ = self._parts[0][wanted]  # a name that these classes do not have
        found = np.empty(len(self))
        by_classes: dict[tuple[Any, ...], list[int]] = {}
        for i, one in enumerate(self._parts):
            by_classes.setdefault(one.cells_of(wanted).classes.labels, []).append(i)
        for places in by_classes.values():
            first = self._parts[places[0]].cells_of(wanted)
            tables = [self._parts[i].cells_of(wanted) for i in places]
            if first.storage != "dense":
                values = [wanted.values(one, self.whole.undefined).value for one in tables]
            else:
                stack = Cells.dense(
                    np.stack([one.counts for one in tables]),
                    classes=first.classes,
                    n_rows=np.array([one.n_rows for one in tables]),
                )
                values = list(wanted.values(stack, self.whole.undefined).value)
            found[places] = np.asarray(values)
        return found

    @property
    def asked(self) -> Confidence:
        """Specification of intervals and tests."""
        return self.whole.confidence or Confidence()

    def tests(self, metric: str | Metric) -> MetricTests | RecordedSlices:
        """Return the tests of the slices in a metric, computed once."""
        wanted = get(metric)
        _ = self._parts[0][wanted]  # a name that these classes do not have
        if wanted in self.told:
            return self.told[wanted]
        if self.whole.is_clustered and self.counted.clusters is None:
            raise not_kept(wanted)
        if wanted not in self._tests:
            self._tests[wanted] = MetricTests(self, wanted)
        return self._tests[wanted]

    @cached_property
    def _tests(self) -> dict[Metric, MetricTests]:
        return {}

    @cached_property
    def permuted(self) -> PermutedTables | None:
        """Rows permuted across the slices, if they are independent and have equal weight.

        None otherwise, or where it is too expensive.
        """
        cells, asked = self.counted.cells, self.asked
        is_simple = not (cells.is_weighted or self.whole.is_clustered) and asked.design == "cohort"
        if not is_simple or asked.is_of_looks or cells.storage != "dense" or len(self) < 2:
            return None
        return PermutedTables.of(cells, asked.level, asked.seed)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the replicates, which are drawn again."""
        return {
            name: it for name, it in self.__dict__.items() if name not in ("permuted", "_tests")
        }

    def changed(self, change: Callable[[Cells], Cells], whole: ReportValues) -> SliceTable:
        """The same slices of a report whose table was changed in the same way."""
        counted = replace(self.counted, cells=change(self.counted.cells))
        return replace(self, counted=counted, whole=whole)


@dataclass(frozen=True, eq=False)
class MetricTests(SliceTests[Slice]):
    """Slices of rows that have one class each."""

    table: SliceTable

    @cached_property
    def reference(self) -> Reference | None:
        """Reference distribution of rows permuted across the slices, or None."""
        table = self.table
        if self.metric.needs_scores or table.permuted is None:
            return None
        return Reference(
            self.metric, table.permuted, table.whole.cells.classes, self._policy, self._fewest
        )

    def why_not(self, i: int) -> str | None:
        return why_not(self.metric, self._parts[i], self._rests[i]) or self._why_other(i)

    def why_untested(self, i: int) -> str | None:
        return self._parts[i].why_undefined(self.metric) or self._why_other(i)

    def values(self, i: int) -> tuple[float, float]:
        one, rest = self._parts[i], self._rests[i]
        value = rest[self.metric].value if rest.n_rows else math.nan
        return one[self.metric].value, value

    def contrast(self, i: int) -> Measured:
        one, rest = self._parts[i], self._rests[i]
        if self.metric.needs_scores:
            return of_scores(self.metric, one, rest)
        return of_labels(self.metric, one, rest, self.table.counted, i)

    def distances(self, i: int) -> tuple[float, float] | None:
        return distances_of(self._parts[i], self.metric, Confidence(self.table.level))

    def degrees(self, i: int) -> float:
        groups = self._parts[i].groups
        return math.inf if groups is None else groups.n_clusters - 1.0

    def n_effective(self, i: int) -> float:
        return self._parts[i].weight_effective

    def limits(self, i: int) -> SideLimits | None:
        return self._parts[i].limits_of(self.metric)

    def joint(self, places: Sequence[int]) -> tuple[Floats | None, float]:
        counted = self.table.counted
        if self.metric.needs_scores or counted.is_nested:
            return None, math.inf
        assert counted.clusters is not None
        some = [self._parts[i] for i in places]
        covariance = covariance_of_labels(self.metric, some, places, counted)
        return covariance, counted.clusters.n_clusters - 1.0

    def rarest(self, places: Sequence[int]) -> int | None:
        if not _is_over_classes(self.metric, self._policy):
            return None
        held = self._rows_of_classes[list(places)]
        return int(held[held > 0.0].min())

    @property
    def _policy(self) -> Policy:
        return self.table.whole.undefined

    def _why_other(self, i: int) -> str | None:
        """Reason why a slice is not compared: looks, or few rows of a class in an average."""
        if self.table.asked.is_of_looks:
            return _ONE_LOOK
        held, fewest = self._rows_of_classes, self._fewest
        few = np.flatnonzero(held.any(axis=0) & (held[i] < fewest))
        if not (fewest and len(few)):
            return None
        names = self.table.cells.classes.display
        listed = shown([names[c] for c in few.tolist()], 3)
        return f"fewer than {fewest} rows of it are truly of {listed}"

    @property
    def _fewest(self) -> int:
        """True rows of a class that a slice must have: only averages over classes ask for some."""
        if self.metric.lift == "weighted" or not _is_over_classes(self.metric, self._policy):
            return 0
        return FEW_OF

    @cached_property
    def _rows_of_classes(self) -> Floats:
        """float64[s, k]: rows of each slice that are truly of a class; effective ones."""
        cells = self.table.cells
        support = cells.fields.tp + cells.fields.fn
        if cells.squares is None:
            return np.asarray(support)
        squared = replace(cells, counts=cells.squares, squares=None).fields
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = support**2 / (squared.tp + squared.fn)
        return np.where(support > 0.0, rows, 0.0)


def _is_over_classes(metric: Metric, policy: Policy) -> bool:
    """True if each class adds a value of its own, which needs rows of that class."""
    if not metric.needs_scores:
        return is_combined(metric, policy)
    reads = metric.record.reads
    return reads in (PairRanks, Pairwise) or (reads is ClassRanks and metric.lift == "macro")


TableT = TypeVar("TableT")


class ByColumn(Mapping[Any, TableT]):
    """Column, or tuple of columns → its table of slices."""

    if TYPE_CHECKING:
        # Of `karat.api.forms`.
        def to_frame(self, backend: str | None = None) -> Any: ...

    def __init__(self, tables: Mapping[Key, TableT] | None = None) -> None:
        self._tables = dict(tables or {})

    def __getitem__(self, column: Any) -> TableT:
        """The slices by a column.

        Errors:
            K183 the report has none by it.
        """
        key = key_of(column)
        if key not in self._tables:
            known = [name if len(name) > 1 else name[0] for name in self._tables]
            columns = shown(known, 12) if known else "none: give by= to karat.evaluate"
            raise no_slice(f"by {column!r}", columns)
        return self._tables[key]

    def __contains__(self, column: object) -> bool:
        return key_of(column) in self._tables

    def __iter__(self) -> Iterator[Any]:
        return (key if len(key) > 1 else key[0] for key in self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return (
            f"<karat slices by {', '.join(' × '.join(key) for key in self._tables) or 'nothing'}>"
        )


class Slices(ByColumn[SliceTable]):
    """Column, or tuple of columns → its `SliceTable`; empty where ``by=`` was not given."""

    def changed(self, change: Callable[[Cells], Cells], whole: ReportValues) -> Slices:
        """The same of a report whose table was changed in the same way."""
        return Slices({key: one.changed(change, whole) for key, one in self._tables.items()})
