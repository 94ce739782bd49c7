"""`SliceTable`: the slices that a column makes of the rows of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.inference.limits import Floats
from karat.metrics import Metric, get
from karat.results.slices.classes import Slice
from karat.results.slices.differences import SliceDifference, SliceDifferences
from karat.results.slices.equality import Gap, Heterogeneity, Worst, worst_of
from karat.results.slices.parts import (
    Key,
    ResultsT_co,
    Sliced,
    fields_of,
    level_of,
    name_of,
    no_slice,
)
from karat.results.slices.tests import SliceTests
from karat.results.values import ReportValues
from karat.tally import Cells
from karat.tally.axes import key_of
from karat.tally.cached import cached_property


@dataclass(frozen=True, eq=False)
class RecordedTests:
    """Tests of the slices in one metric, as read from JSON."""

    differences: Mapping[Key, SliceDifference]
    heterogeneity: Heterogeneity
    gap: Gap


@dataclass(frozen=True, eq=False, repr=False)
class SliceTable(Mapping[Any, ResultsT_co], Generic[ResultsT_co]):
    """The slices that one column, or a cross of columns, makes of the rows of a report.

    Read a slice by its name, ``report.slices["country"]["NO"]``, of a cross by both,
    ``report.slices["country", "sex"]["NO", "f"]``. Of rows with sets of labels each is a report of
    its rows on the labels of all rows.

    Attributes:
        sliced: the rows, split by the column.
        recorded: metric → what JSON says, where it does not follow from what else JSON holds.
    """

    sliced: Sliced[ResultsT_co]
    recorded: Mapping[Metric, RecordedTests] = field(default_factory=dict)

    if TYPE_CHECKING:
        # Of `karat.api.forms`.
        def to_frame(self, backend: str | None = None) -> Any: ...

    @property
    def columns(self) -> Key:
        """The column, or the columns of a cross."""
        return self.sliced.columns

    @property
    def slice_keys(self) -> tuple[Key, ...]:
        """Name of each slice in each column."""
        return self.sliced.keys

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each slice."""
        return tuple(", ".join(key) for key in self.slice_keys)

    @property
    def whole(self) -> Any:
        """The report of all rows."""
        return self.sliced.whole

    @property
    def n_rows(self) -> npt.NDArray[np.int64]:
        """int64[s], rows of each slice."""
        return np.array([part.n_rows for part in self.sliced.parts], np.int64)

    @property
    def weight(self) -> Floats:
        """float64[s], weight of each slice, of rows with sets of the known ones; or its rows."""
        return np.array([part.weight for part in self.sliced.parts])

    @cached_property
    def _places(self) -> Mapping[Key, int]:
        return {key: i for i, key in enumerate(self.slice_keys)}

    def _place(self, name: object) -> int | None:
        key = name if isinstance(name, tuple) else (name,)
        return self._places.get(tuple(map(name_of, key)))

    def __getitem__(self, name: Any) -> ResultsT_co:
        """A slice by its name.

        Errors:
            K183 there is none of that name.
        """
        place = self._place(name)
        if place is None:
            raise no_slice(repr(name), shown(list(self), 12))
        return self.sliced.parts[place].results

    def __contains__(self, name: object) -> bool:
        return self._place(name) is not None

    def __iter__(self) -> Iterator[Any]:
        return (key if len(key) > 1 else key[0] for key in self.slice_keys)

    def __len__(self) -> int:
        return len(self.slice_keys)

    @property
    def rest(self) -> Mapping[Any, ResultsT_co]:
        """Results of the other rows, by slice: ``table.rest["NO"]["macro_f1"]``."""
        rests = (rest.results for rest in self.sliced.rests)
        return dict(zip(self, rests, strict=True))

    @property
    def level(self) -> float:
        """Confidence level of the intervals, and 1 − the error rate of the tests."""
        return level_of(self.whole)

    def values_of(self, metric: str | Metric) -> Floats:
        """float64[s]: what a metric gave on each slice."""
        return self.sliced.values_of(get(metric))

    def tests(self, metric: str | Metric) -> SliceTests | RecordedTests:
        """Return the tests of the slices in a metric, computed once.

        Errors:
            As the report; K211 they take clusters of rows, which JSON does not have.
        """
        wanted = get(metric)
        ranged = self.sliced.metric_of(wanted)
        if wanted in self.recorded:
            return self.recorded[wanted]
        if self.sliced.lacks_clusters:
            what = f"how slices differ in {wanted}"
            do = "JSON does not keep the clusters of the rows: ask before writing it."
            raise error("K211", name=what, do=do)
        if wanted not in self._tests:
            self._tests[wanted] = SliceTests(self.sliced, ranged, self.names)
        return self._tests[wanted]

    @cached_property
    def _tests(self) -> dict[Metric, SliceTests]:
        return {}

    def difference(self, metric: str | Metric) -> SliceDifferences:
        """Every slice less all other rows, with intervals and p-values alone and all at once.

        Errors:
            As the report; K211 a metric of scores, or of rows that go together, of a report that
            was read from JSON without it.

        Example:
            >>> import karat
            >>> true, pred = [{"cat"}, {"dog"}] * 20, [{"cat"}, {"cat"}, {"cat"}, {"dog"}] * 10
            >>> report = karat.evaluate(true, pred, by=["a", "a", "b", "b"] * 10)
            >>> report.slices["by"].difference("subset_accuracy")["a"].difference
            -0.5
        """
        differences = self.tests(metric).differences
        named = zip(self, self.slice_keys, strict=True)
        return SliceDifferences({name: differences[key] for name, key in named})

    def heterogeneity(self, metric: str | Metric) -> Heterogeneity:
        """One test that the metric is the same in all slices.

        Slices without a value are left out, and named.
        """
        return self.tests(metric).heterogeneity

    def gap(self, metric: str | Metric) -> Gap:
        """The largest less the smallest value, beside the gap that equal slices would show."""
        return self.tests(metric).gap

    def worst(self, metric: str | Metric) -> Worst:
        """The worst slice, if the test says that slices differ and one is shown to be worse.

        Of those that are worse than the others at the simultaneous level, that of the worst value.
        """
        wanted = get(metric)
        return worst_of(wanted, self.heterogeneity(wanted), self.difference(wanted).values())

    def __repr__(self) -> str:
        return f"<karat slices by {' × '.join(self.columns)}: {len(self)}>"

    __getstate__ = fields_of


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


class Slices(ByColumn[SliceTable[Slice]]):
    """Column, or tuple of columns → its `SliceTable`; empty where ``by=`` was not given."""

    def changed(self, change: Callable[[Cells], Cells], whole: ReportValues) -> Slices:
        """The same of a report whose table was changed in the same way."""
        tables = {}
        for key, table in self._tables.items():
            sliced = next(iter(table.values())).sliced
            tables[key] = SliceTable(sliced.changed(change, whole), table.recorded)
        return Slices(tables)
