"""`Slice` and `ClassSlices`: parts of rows that have one class each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import numpy.typing as npt

from karat.designs import DRAWINGS, units_of
from karat.designs.units import Sample, Units, kish
from karat.errors import error
from karat.inference.combined_limits import is_combined
from karat.inference.comparison.models import estimate_apart
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate, Levels
from karat.inference.label_intervals import TableLevels, label_interval
from karat.inference.limits import Flags, Floats
from karat.inference.sampling_error import SamplingError
from karat.inference.slices.permuted import PermutedTables, Reference
from karat.inference.table_variance import TableVariance, derivative
from karat.inference.value_limits import ScoreLevels
from karat.metrics import ClassRanks, Metric, PairRanks, Pairwise, get
from karat.metrics._applies import check_applies, needs_both_classes, on_both_classes
from karat.metrics._metric import Values
from karat.results.headlines import headline_names
from karat.results.result import Result
from karat.results.slices.parts import (
    FEW_OF,
    NO_INTERVALS,
    NO_WEIGHT,
    OF_OTHERS,
    ONE_CLUSTER,
    Key,
    distances_of_result,
    fields_of,
    level_of,
    that_share,
    why_few,
)
from karat.results.values import ReportValues
from karat.tally import Cells, Classes, ClusteredCells, occurring
from karat.tally.axes import SlicedCells
from karat.tally.cached import cached_property

_ONE_LOOK: Final = "tests of slices are valid for one look, the intervals for every look"


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


@dataclass(frozen=True, eq=False)
class Slice:
    """Some of the rows of a report: read a metric by item, ``slice["macro_f1"]``.

    Classes that do not occur in it do not count in its averages, unless labels= lists them.

    Attributes:
        sliced: all slices by the same column.
        place: which of them it is.
        is_rest: whether it holds all other rows instead.
    """

    sliced: ClassSlices
    place: int
    is_rest: bool = False

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric, by any of its names.

        Errors:
            As `Report`.
        """
        metric = get(name)
        if metric not in self._results:
            self._results[metric] = self._kept.get(metric) or self._measured(metric)
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def __contains__(self, name: object) -> bool:
        return name in self.whole

    @property
    def name(self) -> str:
        """Its name; of a cross the values of both columns."""
        name = ", ".join(self.key)
        return f"all but {name}" if self.is_rest else name

    @property
    def key(self) -> Key:
        """The same, one value a column."""
        return self.sliced.keys[self.place]

    @property
    def whole(self) -> ReportValues:
        """The report that it is a slice of: its settings count here too."""
        return self.sliced.whole

    @cached_property
    def table(self) -> Cells:
        """Its table, on the classes of all rows."""
        counted = self.sliced.counted
        return counted.rest(self.place) if self.is_rest else counted.alone(self.place)

    @property
    def n_rows(self) -> int:
        """Its rows."""
        return int(self.table.n_rows)

    @cached_property
    def weight(self) -> float:
        """Weight of its rows; without weights their number."""
        return float(np.asarray(self.table.flat()).sum())

    @cached_property
    def groups(self) -> ClusteredCells | None:
        """Its rows by cluster, places of cells as in `table`; or None."""
        return self.sliced.counted.clusters_of(self.place, is_rest=self.is_rest)

    @property
    def metrics(self) -> Mapping[str, Result]:
        """Every metric that the report of all rows lists, by canonical name."""
        return {name: self[name] for name in self.whole}

    @property
    def results(self) -> Slice:
        return self

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
        cells = occurring(self.table)
        # Of more than two classes none is positive, also where two of them occur.
        return cells.with_classes(replace(cells.classes, positive=classes.positive))

    @cached_property
    def report(self) -> ReportValues:
        """The report of its labels."""
        return self._report_of(self.cells)

    def cells_of(self, metric: Metric) -> Cells:
        """The table that a metric of labels is computed from.

        Errors:
            K123 the metric is of the positive class, and one class occurs that says not which.
        """
        return on_both_classes(metric, self.table if metric.has_costs else self.cells)

    @property
    def weight_effective(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw²: without weights its rows."""
        if self.table.squares is None or not self.weight:
            return self.weight
        return self.weight**2 / float(self.table.squares.sum())

    @property
    def n_clusters(self) -> int | None:
        return None if self.groups is None else self.groups.n_clusters

    @property
    def is_of_one_cluster(self) -> bool:
        """True if all rows are of one cluster, which gives no estimate of their variance."""
        return self.n_clusters is not None and self.n_clusters < 2

    @cached_property
    def rows_of_classes(self) -> Floats:
        """float64[k]: rows that are truly of each class; effective ones."""
        cells = self.table
        rows = np.asarray(cells.fields.tp + cells.fields.fn)
        if cells.squares is None:
            return rows
        squares = replace(cells, counts=cells.squares, squares=None).fields
        return np.asarray(kish(rows, squares.tp + squares.fn))

    def value(self, metric: Metric) -> float:
        return self[metric].value

    def remark_on(self, metric: Metric) -> str | None:
        del metric
        return None

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

    def why_imprecise(self, metric: Metric) -> str | None:
        """Reason why the variance of a metric of scores is unknown, or None."""
        if not metric.needs_scores or self[metric].standard_error is not None:
            return None
        return self[metric].remark or NO_INTERVALS

    def why_left_out(self, metric: Metric) -> str | None:
        """Reason why it has no tests: looks, or few rows of a class in an average."""
        sliced, confidence = self.sliced, self.whole.confidence
        if confidence is not None and confidence.is_of_looks:
            return _ONE_LOOK
        if not sliced.fewest_of(metric):
            return None
        return why_few(self.rows_of_classes, sliced.occurs, self.table.classes.display)

    def why_untested(self, metric: Metric) -> str | None:
        return self.why_undefined(metric) or self.why_left_out(metric)

    def distances(self, metric: Metric) -> tuple[float, float] | None:
        if metric.needs_scores:
            return distances_of_result(self[metric], self.whole.confidence)
        value, spread = self[metric].value, self.spread_of(metric)
        confidence = Confidence(level_of(self.whole))
        limits = label_interval(metric, value, spread, confidence, self.whole.undefined)
        if limits.low is None or limits.high is None:
            return None
        quantile = confidence.quantile(spread.df)
        return (value - limits.low) / quantile, (limits.high - value) / quantile

    def levels(self, metric: Metric) -> Levels | None:
        value = self[metric].value
        if not metric.needs_scores:
            return TableLevels(metric, value, self.spread_of(metric), self.whole.undefined)
        sampling = self.sampling_of(metric)
        return None if sampling is None else ScoreLevels(metric, value, sampling)

    def estimate(self, metric: Metric) -> Estimate:
        if not metric.needs_scores:
            return estimate_apart(metric, self.spread_of(metric), self.whole.undefined)
        result = self[metric]
        variance, levels = float(result.standard_error or 0.0) ** 2, self.levels(metric)
        df = self.df(metric)
        return Estimate(result.value, self.n_rows, variance=variance, df=df, levels=levels)

    def df(self, metric: Metric) -> float:
        if not metric.needs_scores:
            return self.spread_of(metric).df
        scored = self.sliced.scored
        if scored is None or scored.clusters is None:
            return self.n_rows - 1.0
        return len(np.unique(scored.clusters[self._inside])) - 1.0

    def sampling_of(self, metric: Metric) -> SamplingError | None:
        """Sampling error of a metric of scores, for limits at any level; None where unknown."""
        if self.is_of_one_cluster or not self.sliced.has_scores or not self.weight:
            return None
        interval = self._scored_report.intervals.get(metric)
        return None if interval is None else interval.sampling

    def influence(self, metric: Metric) -> Floats:
        """float64[e]: of each unit of all rows on the value.

        Units outside have none, and their weight counts: it is that of all rows.
        """
        return self._row_influence(metric) if metric.needs_scores else self._cell_influence(metric)

    def _row_influence(self, metric: Metric) -> Floats:
        """float64[n]: the influence of each row with scores."""
        inside, weights = self._inside, self.sliced.row_units.weights
        phi, scored = np.zeros(len(inside)), self.sliced.scored
        assert scored is not None
        scale = float(weights.sum()) / float(weights[inside].sum())
        phi[inside] = scored.influence(inside, metric) * scale
        return phi

    def _cell_influence(self, metric: Metric) -> Floats:
        """float64[e]: the influence of a row in each stored cell of each slice."""
        counted, cells, spread = self.sliced.counted, self.cells_of(metric), self.spread_of(metric)
        g = spread.centred(derivative(metric, cells, self.whole.undefined))
        none = np.empty(0, np.int64)
        stored = ClusteredCells(0, none, np.arange(counted.n_stored), np.empty(0))
        places = moved(stored, self.table, cells)
        assert places is not None
        weights = np.asarray(counted.cells.flat())
        scale = float(weights.astype(np.float64).sum()) / self.weight
        inside = (np.arange(len(counted.keys)) == self.place) != self.is_rest
        phi = g[places.place.clip(0, len(g) - 1)] * scale
        return np.where(inside[:, None] & (weights > 0), phi, 0.0).ravel()

    @property
    def _inside(self) -> Flags:
        """bool[n]: which rows with scores are in it."""
        assert self.sliced.codes is not None
        inside: Flags = (self.sliced.codes == self.place) != self.is_rest
        return inside

    @property
    def _kept(self) -> Mapping[Metric, Result]:
        kept = self.sliced.kept
        return kept[self.place] if kept and not self.is_rest else {}

    @cached_property
    def _results(self) -> dict[Metric, Result]:
        return {}

    def _measured(self, metric: Metric) -> Result:
        check_applies(metric, self.table.classes, self.whole.measured)
        if metric.needs_scores:
            return self._single(self._score_result(metric))
        report = self._report_of(self.table) if metric.has_costs else self.report
        return self._single(report[metric])

    def _score_result(self, metric: Metric) -> Result:
        if not self.weight:
            nothing = Values(np.array(np.nan), np.array([True]))
            return replace(self.report, scores="scores", measured={metric: nothing})[metric]
        if not self.sliced.has_scores:
            do = "Slices of a report that was read from JSON hold what it wrote of them."
            raise error("K211", name=str(metric), do=do)
        return self._scored_report[metric]

    @cached_property
    def _scored_report(self) -> ReportValues:
        assert self.sliced.scored is not None
        return self.sliced.scored.report(self._inside)

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

    def spread_of(self, metric: Metric) -> TableVariance:
        """Variance of the table that a metric of labels is computed from."""
        cells, confidence = self.cells_of(metric), self.whole.confidence
        groups = moved(self.groups, self.table, cells)
        return TableVariance(cells, "cohort" if confidence is None else confidence.design, groups)

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


@dataclass(frozen=True, eq=False)
class ClassSlices:
    """Rows of one class each, split by a column or a cross.

    Attributes:
        counted: the table of each slice.
        whole: the report of all rows.
        codes: int32[n], the slice of each row with scores; or None.
        scored: rows with scores, or None.
        kept: results that JSON holds and the tables do not give, of each slice.
    """

    unit: ClassVar[str] = "class"
    is_marked: ClassVar[bool] = False

    counted: SlicedCells
    whole: ReportValues
    codes: npt.NDArray[np.int32] | None = None
    scored: ScoredSlices | None = None
    kept: tuple[Mapping[Metric, Any], ...] = ()

    @property
    def columns(self) -> Key:
        return self.counted.columns

    @property
    def keys(self) -> tuple[Key, ...]:
        return self.counted.keys

    @property
    def headline(self) -> list[str]:
        return headline_names(self.whole)

    @property
    def has_scores(self) -> bool:
        """True if its rows with scores are known."""
        return self.scored is not None and self.codes is not None

    @property
    def lacks_clusters(self) -> bool:
        return self.whole.is_clustered and self.counted.clusters is None

    @cached_property
    def parts(self) -> tuple[Slice, ...]:
        return tuple(Slice(self, i) for i in range(len(self.keys)))

    @cached_property
    def rests(self) -> tuple[Slice, ...]:
        return tuple(Slice(self, i, is_rest=True) for i in range(len(self.keys)))

    @cached_property
    def occurs(self) -> Flags:
        """bool[k]: the classes that are true in some slice."""
        rows = np.stack([part.rows_of_classes for part in self.parts])
        return np.asarray((rows > 0.0).any(axis=0))

    def metric_of(self, metric: Metric) -> Metric:
        _ = self.parts[0][metric]  # a name that these classes do not have
        return metric.with_classes(self.counted.cells.classes.k)

    def values_of(self, metric: Metric) -> Floats:
        """float64[s]: what a metric gave on each slice.

        Of a metric of labels all tables of the same classes are evaluated at once.
        """
        if metric.needs_scores:
            return np.array([part[metric].value for part in self.parts])
        _ = self.parts[0][metric]  # a name that these classes do not have
        values = np.empty(len(self.parts))
        by_classes: dict[tuple[Any, ...], list[int]] = {}
        for i, part in enumerate(self.parts):
            by_classes.setdefault(part.cells_of(metric).classes.labels, []).append(i)
        for places in by_classes.values():
            values[places] = self._values_of(
                [self.parts[i].cells_of(metric) for i in places], metric
            )
        return values

    def _values_of(self, tables: list[Cells], metric: Metric) -> Floats:
        """float64[t]: the values of a metric of labels on tables of the same classes."""
        first, policy = tables[0], self.whole.undefined
        if first.storage != "dense":
            return np.asarray([metric.values(table, policy).value for table in tables])
        stack = Cells.dense(
            np.stack([table.counts for table in tables]),
            classes=first.classes,
            n_rows=np.array([table.n_rows for table in tables]),
        )
        return np.asarray(metric.values(stack, policy).value)

    def why_not(self, metric: Metric, i: int) -> str | None:
        part, rest = self.parts[i], self.rests[i]
        why = part.why_undefined(metric)
        if why is None and (why_rest := rest.why_undefined(metric)) is not None:
            why = f"{OF_OTHERS}{why_rest}"
        why = why or part.why_imprecise(metric) or rest.why_imprecise(metric)
        return why or part.why_left_out(metric)

    def shared_units(self, metric: Metric, i: int | None = None) -> Units | None:
        if not metric.needs_scores:
            return None if self.counted.is_nested else self.cell_units
        shares = self._shares_of_scores
        return self.row_units if i is not None and shares is not None and shares[i] else None

    @cached_property
    def _shares_of_scores(self) -> Flags | None:
        """bool[s]: the slices of rows with scores that share a cluster; None without clusters."""
        scored = self.scored
        if scored is None or scored.clusters is None or self.codes is None:
            return None
        return that_share(scored.clusters, self.codes, len(self.keys))

    @cached_property
    def cell_units(self) -> Units:
        """Every stored cell of every slice, drawn by cluster."""
        cells, clusters = self.counted.cells, self.counted.clusters
        assert clusters is not None
        weights = np.asarray(cells.flat(), np.float64).ravel()
        squares = weights if cells.squares is None else cells.flat(cells.squares).ravel()
        return units_of("cohort", Sample(weights, squares), clusters)

    @cached_property
    def row_units(self) -> Units:
        """The rows with scores, drawn by cluster."""
        scored = self.scored
        assert scored is not None
        assert scored.clusters is not None
        n = len(scored.clusters)
        groups = ClusteredCells.of(scored.clusters, np.arange(n), scored.weights)
        return units_of("cohort", Sample.of_rows(scored.weights, n), groups)

    def reference(self, metric: Metric) -> Reference | None:
        if metric.needs_scores or self.permuted is None:
            return None
        if needs_both_classes(metric, self.whole.cells.classes):
            return None
        classes, policy = self.whole.cells.classes, self.whole.undefined
        return Reference(metric, self.permuted, classes, policy, self.fewest_of(metric))

    @cached_property
    def permuted(self) -> PermutedTables | None:
        """Rows permuted across the slices, if they are independent and have equal weight.

        None otherwise, or where it is too expensive.
        """
        cells, confidence = self.counted.cells, self.whole.confidence or Confidence()
        is_simple = not (cells.is_weighted or self.whole.is_clustered or confidence.is_of_looks)
        is_simple = is_simple and DRAWINGS[confidence.design].is_plain
        if not is_simple or cells.storage != "dense" or len(self.keys) < 2:
            return None
        return PermutedTables.of(cells, confidence.level, confidence.seed)

    def fewest_of(self, metric: Metric) -> int:
        """True rows of a class that a slice must have: only averages over classes need some."""
        return FEW_OF if metric.lift != "weighted" and self.is_over_classes(metric) else 0

    def is_over_classes(self, metric: Metric) -> bool:
        if not metric.needs_scores:
            return is_combined(metric, self.whole.undefined)
        reads = metric.record.reads
        return reads in (PairRanks, Pairwise) or (reads is ClassRanks and metric.lift == "macro")

    def changed(self, change: Callable[[Cells], Cells], whole: ReportValues) -> ClassSlices:
        """The same slices of a report whose table was changed in the same way."""
        counted = replace(self.counted, cells=change(self.counted.cells))
        return replace(self, counted=counted, whole=whole)

    __getstate__ = fields_of


def moved(groups: ClusteredCells | None, table: Cells, cells: Cells) -> ClusteredCells | None:
    """Rows by cluster, their places as in a table that lists other cells of the same rows."""
    if groups is None or cells.flat().size == table.flat().size:
        return groups
    place = {label: i for i, label in enumerate(cells.classes.labels)}
    to = np.array([place.get(label, -1) for label in table.classes.labels])
    rows, cols = (to[side[groups.place]] for side in table.coordinates())
    listed, others = cells.coordinates()
    places = np.searchsorted(listed * cells.k + others, rows * cells.k + cols)
    return replace(groups, place=places.astype(np.int64))
