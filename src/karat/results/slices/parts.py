"""`Slice`: some of the rows of a report, measured as if they were all there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.inference.comparison.contrasts import SideLimits
from karat.inference.limits import Flags, Floats
from karat.inference.sampling_error import SamplingError
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, get
from karat.metrics._applies import check_applies
from karat.metrics._metric import Values
from karat.results.result import Result
from karat.results.values import ReportValues
from karat.tally import Cells, Classes, ClusteredCells, occurring
from karat.tally.cached import cached_property

NO_WEIGHT: Final = "its rows have weight 0"
ONE_CLUSTER: Final = "its rows are in one cluster"


class ScoredSlices(Protocol):
    """Rows with scores, of which some can be measured."""

    @property
    def weights(self) -> Floats | None:
        """float64[n], or None."""

    @property
    def clusters(self) -> npt.NDArray[np.int64] | None:
        """int64[n], which rows go together, or None."""

    def report(self, rows: Flags) -> ReportValues:
        """The report of some of the rows, bool[n]."""

    def influence(self, rows: Flags, metric: Metric) -> Floats:
        """float64[m]: the influence of each of these rows on a metric of them."""


@dataclass(frozen=True, slots=True, eq=False)
class RowsOfSlice:
    """The rows of a slice, or all others: bool[n] when it is called."""

    codes: npt.NDArray[np.int32]
    place: int
    is_rest: bool

    def __call__(self) -> Flags:
        found: Flags = (self.codes == self.place) != self.is_rest
        return found


@dataclass(frozen=True, eq=False)
class Slice:
    """Some of the rows of a report: read a metric by item, ``slice["macro_f1"]``.

    Classes that do not occur in it do not count in its averages, unless labels= lists them.

    Attributes:
        name: what it is called; of a cross the values of both columns.
        key: the same, one value a column.
        n_rows: its rows.
        weight: their weight; without weights their number.
        whole: the report that it is a slice of: its settings count here too.
        table: its table, on the classes of all rows.
        groups: its rows by cluster, places of cells as in `table`; or None.
        rows: which of the rows with scores are in it; or None.
        scored: rows with scores, or None.
        kept: results that do not follow from the table, of what was read from JSON.
    """

    name: str
    key: tuple[str, ...]
    n_rows: int
    weight: float
    whole: ReportValues
    table: Cells
    groups: ClusteredCells | None = None
    rows: RowsOfSlice | None = None
    scored: ScoredSlices | None = None
    kept: Mapping[Metric, Result] = field(default_factory=dict)

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric, by any of its names.

        Errors:
            As `Report`.
        """
        metric = get(name)
        if metric not in self._results:
            self._results[metric] = self.kept.get(metric) or self._measured(metric)
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def __contains__(self, name: object) -> bool:
        return name in self.whole

    @cached_property
    def _results(self) -> dict[Metric, Result]:
        return {}

    def _measured(self, metric: Metric) -> Result:
        check_applies(metric, self.table.classes, self.whole.measured)
        if metric.needs_scores:
            return self._single(self._of_scores(metric))
        report = self._report_of(self.table) if metric.has_costs else self.report
        return self._single(report[metric])

    @property
    def metrics(self) -> Mapping[str, Result]:
        """Every metric that the report of all rows lists, by canonical name."""
        return {name: self[name] for name in self.whole}

    @property
    def classes(self) -> Classes:
        """The classes that count in its averages."""
        return self.cells.classes

    @cached_property
    def cells(self) -> Cells:
        """Its table, on the classes that occur in it."""
        classes = self.table.classes
        if classes.k == 2 or classes.is_declared:
            return self.table
        found = occurring(self.table)
        # Of more than two classes none is positive, also where two of them occur.
        return found.with_classes(replace(found.classes, positive=classes.positive))

    @cached_property
    def report(self) -> ReportValues:
        """The report of its labels."""
        return self._report_of(self.cells)

    def _report_of(self, cells: Cells) -> ReportValues:
        groups = None if self.is_of_one_cluster else moved(self.groups, self.table, cells)
        whole = self.whole
        return type(whole)(
            cells,
            whole.undefined,
            confidence=whole.confidence,
            clusters=groups,
            is_clustered=groups is not None,
            design=whole.design,
            population=whole.population,
        )

    def cells_of(self, metric: Metric) -> Cells:
        """The table that a metric of labels is one of."""
        return self.table if metric.has_costs else self.cells

    def spread_of(self, metric: Metric) -> TableVariance:
        """Variance of that table."""
        cells, asked = self.cells_of(metric), self.whole.confidence
        groups = moved(self.groups, self.table, cells)
        return TableVariance(cells, "cohort" if asked is None else asked.design, groups)

    def limits_of(self, metric: Metric) -> SideLimits | None:
        """Limits of a metric of labels at any level; None of a metric of scores."""
        if metric.needs_scores:
            return None
        value, policy = self[metric].value, self.whole.undefined
        return SideLimits(metric, [value], [self.spread_of(metric)], policy)

    def sampling_of(self, metric: Metric) -> SamplingError | None:
        """Sampling error of a metric of scores, for limits at any level; None where unknown."""
        if self.is_of_one_cluster or self.scored is None or self.rows is None or not self.weight:
            return None
        found = self._scored_report.intervals.get(metric)
        return None if found is None else found.sampling

    @property
    def weight_effective(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw²: without weights its rows."""
        if self.table.squares is None or not self.weight:
            return self.weight
        return self.weight**2 / float(self.table.squares.sum())

    @property
    def is_of_one_cluster(self) -> bool:
        """True if all rows are of one cluster, which gives no estimate of their variance."""
        return self.groups is not None and self.groups.n_clusters < 2

    def why_undefined(self, metric: Metric) -> str | None:
        """Reason why there is nothing to compare, or None.

        A value of 0 by convention is none that the rows define.
        """
        if not self.weight:
            return NO_WEIGHT
        result = self[metric]
        if not np.isfinite(result.value):
            return result.undefined or "it is not finite"
        if not metric.needs_scores:
            values = metric.values(self.cells_of(metric), self.whole.undefined)
            if values.undefined.all():
                return result.undefined
        return ONE_CLUSTER if self.is_of_one_cluster else None

    def _of_scores(self, metric: Metric) -> Result:
        if not self.weight:
            nothing = Values(np.array(np.nan), np.array([True]))
            return replace(self.report, scores="scores", measured={metric: nothing})[metric]
        if self.scored is None or self.rows is None:
            do = "Slices of a report that was read from JSON hold what it wrote of them."
            raise error("K211", name=str(metric), do=do)
        return self._scored_report[metric]

    @cached_property
    def _scored_report(self) -> ReportValues:
        assert self.scored is not None
        assert self.rows is not None
        return self.scored.report(self.rows())

    def _single(self, result: Result) -> Result:
        """The same with what the slice alone knows."""
        if not self.weight:
            return replace(result, undefined=NO_WEIGHT, remark=None)
        if not self.is_of_one_cluster:
            return result
        none: dict[str, Any] = dict.fromkeys(("low", "high", "level", "method", "standard_error"))
        return replace(result, **none, remark=ONE_CLUSTER)

    def __repr__(self) -> str:
        return f"<karat slice {self.name}: {self.n_rows} rows>"


def no_slice(what: str, known: str) -> KaratError:
    """K183: there is no slice of that name, or by that column."""
    do = "Name one of them; a cross of two columns is named by a tuple, as ('NO', 'f')."
    return error("K183", what=f"slice {what}", known=known, do=do)


def name_of(value: object) -> str:
    """Name of the slice of a value: 1.0 is 1, and True true."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    is_whole = isinstance(value, float | np.floating) and value.is_integer()
    return f"{value:.0f}" if is_whole else str(value)


def moved(groups: ClusteredCells | None, table: Cells, cells: Cells) -> ClusteredCells | None:
    """Rows by cluster, their places as in a table of fewer classes."""
    if groups is None or cells.k == table.k:
        return groups
    place = {label: i for i, label in enumerate(cells.classes.labels)}
    to = np.array([place.get(label, -1) for label in table.classes.labels])
    rows, cols = (to[side[groups.place]] for side in table.coordinates())
    listed, others = cells.coordinates()
    places = np.searchsorted(listed * cells.k + others, rows * cells.k + cols)
    return replace(groups, place=places.astype(np.int64))
