"""The table of classes of a report: counts and rates of each class, with their limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.designs import Design
from karat.errors.options import is_command_line, option
from karat.inference.confidence import Confidence, Interval
from karat.inference.label_intervals import A_COUNT, FIXED, TableIntervals
from karat.inference.limits import Floats
from karat.metrics import Metric, Pairwise, get
from karat.metrics._applies import check_applies, check_kind, needs_both_classes, with_positive
from karat.metrics._bounded import ClassLimits
from karat.metrics._bounds import Limits, is_open
from karat.metrics._lift import Policy
from karat.metrics._metric import Values, all_values
from karat.metrics.plan import default_metrics
from karat.metrics.reasons import not_computed, undefined_reason
from karat.results.named import NamedResults
from karat.results.result import Result
from karat.tally import Cells, Classes, ClusteredCells, Fields, Label
from karat.tally.cached import cached_property
from karat.tally.decision import AS_GIVEN

if TYPE_CHECKING:
    from karat.curves._kept import Curves
    from karat.inference.draws import Draws

PER_CLASS = ("support", "predicted_count", "precision", "recall", "specificity", "f1", "jaccard")
"""Columns of the per-class table."""
PER_CLASS_OF_SCORES = ("roc_auc", "average_precision")
"""More columns of it, where there are scores."""


def rows_of_classes(report: ReportValues, tables: TableIntervals | None) -> list[dict[str, Any]]:
    """One row a class; see `Report.per_class`. Without tables there are no limits."""
    columns = {name: Metric(get(name).record, "per_class") for name in PER_CLASS}
    if not report.cells.has_predictions:
        columns = {name: one for name, one in columns.items() if not one.reads_predictions}
    found = {name: each.values(report.cells, report.undefined) for name, each in columns.items()}
    for metric, values in report.measured.items():
        name = metric.record.name
        if metric.lift == "per_class" and name in PER_CLASS_OF_SCORES:
            columns[name], found[name] = metric, values
    limits = {} if tables is None else _limits(report, tables)
    is_weighted = report.cells.is_weighted
    rows = class_rows(report.classes, columns, found, limits, is_weighted=is_weighted)
    for i, row in enumerate(rows):
        bounds = open_bounds(report, columns, i)
        if bounds:
            row["bounds"] = bounds
    return rows


def class_rows(
    classes: Classes,
    columns: Mapping[str, Metric],
    found: Mapping[str, Values],
    limits: Mapping[str, tuple[Floats, Floats]],
    *,
    is_weighted: bool,
) -> list[dict[str, Any]]:
    """One row for each class or label: its name, its values, their limits, and why some have none.

    Args:
        columns, found: metrics of each class by name, and what they gave, float64[k] each.
        limits: low and high, float64[k] each, of those that have them.
        is_weighted: whether counts are sums of weights.
    """
    rows = []
    why = {name: metric.undefined_when for name, metric in columns.items()}
    lacks = {name: np.asarray(found[name].undefined) for name in columns}
    for i, (label, shown_name) in enumerate(zip(classes.labels, classes.display, strict=True)):
        row: dict[str, Any] = {"label": label, "name": shown_name}
        reasons = {}
        for name in columns:
            value = float(found[name].value[i])
            # Counts of rows are whole; what is not finite has its reason beside it.
            is_count = name in {"support", "predicted_count"} and not is_weighted
            row[name] = None if not math.isfinite(value) else int(value) if is_count else value
            if lacks[name][i]:
                reasons[name] = why[name]
        intervals = {
            name: (float(low[i]), float(high[i]))
            for name, (low, high) in limits.items()
            if name not in reasons and not math.isnan(low[i])
        }
        rows.append(row | {"undefined": reasons, "intervals": intervals})
    return rows


def open_bounds(
    report: ReportValues, metrics: Mapping[str, Metric], i: int
) -> dict[str, Limits | None]:
    """Limits of what is not exact, of class i where there is one for each, by name."""
    found: dict[str, Limits | None] = {}
    for name, metric in metrics.items():
        if metric in report.bounds:
            found[name] = report.bounds[metric]
        elif metric in report.class_bounds:
            found[name] = report.class_bounds[metric][i]
    return {name: limits for name, limits in found.items() if is_open(limits)}


def _limits(report: ReportValues, tables: TableIntervals) -> dict[str, tuple[Floats, Floats]]:
    found = dict(report.class_intervals)
    if report.is_clustered and report.clusters is None:
        return found
    for name in PER_CLASS:
        if get(name).reads_predictions and not report.cells.has_predictions:
            continue
        limits = None if name in found else tables.of_classes(get(name))
        if limits is not None:
            ends = get(name).range
            found[name] = tables.asked.one_sided(limits.low, limits.high, ends)
    return found


_OF_MIX: Final = (
    "it depends on the class proportions, which the design fixes: give {} for those of a population"
)
OF_MIX: Final = _OF_MIX.format("design=karat.CaseControl(prevalence=…)")
_OPEN: Final = "from scores in buckets; the size of the error is not known"


def of_mix_as_typed() -> str:
    """The remark on the class proportions, with the option as the user types it."""
    return _OF_MIX.format(option("prevalence")) if is_command_line() else OF_MIX


def without_mix(remark: str) -> str:
    """The parts of a remark that are not about the class proportions."""
    return remark.replace(OF_MIX, "").strip("; ")


def _joined(remark: str, more: str) -> str:
    """Add a remark; one that was read from JSON has it already."""
    return remark if more in remark else "; ".join(filter(None, (remark, more)))


def listed_metrics(cells: Cells, of_scores: Iterable[Metric] = ()) -> list[Metric]:
    """The metrics of a report, where none was asked for.

    Args:
        of_scores: what was, or can be, measured of its scores.
    """
    scored = [m for m in of_scores if m.lift != "per_class" and m.record.in_report]
    return [metric for metric in (*default_metrics(), *scored) if _applies(metric, cells)]


def _needs_positive(metric: Metric) -> bool:
    return metric.record.is_per_class and metric.lift == "plain"


def _applies(metric: Metric, cells: Cells) -> bool:
    if _needs_positive(metric) and cells.classes.positive is None:
        return False
    if metric.reads_order and not cells.classes.has_order:
        return False
    if metric.reads_predictions and not cells.has_predictions:
        return False
    return not (metric.needs_cells and cells.storage == "marginals")


@dataclass(frozen=True, eq=False)
class ReportValues(NamedResults):
    """Data of a report, and every metric by name; `karat.Report` lists the attributes."""

    cells: Cells
    """The tally."""
    undefined: Policy = "zero"
    """Policy for undefined values: ``"zero"``, ``"exclude"`` or ``"nan"``."""
    requested: tuple[Metric, ...] | None = None
    """The requested metrics, or None for all."""
    mapping: Mapping[str, Any] = field(default_factory=dict)
    """Column of each role, if the rows come from a table."""
    source: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the origin of the rows."""
    warnings: tuple[str, ...] = ()
    """Sentences for the reader."""
    measured: Mapping[Metric, Values] = field(default_factory=dict)
    """Values of the metrics of scores, if there are scores."""
    scores: str | None = None
    """Kind of the scores: ``"probabilities"``, ``"logits"``, ``"scores"``; None without any."""
    threshold: float | None = None
    """The number given as ``threshold=``, at or above which the positive class is predicted; None
    where none was given."""
    kept_curves: Curves | None = None
    """The curves, if kept; read them as `curves`."""
    confidence: Confidence | None = None
    """Settings of the intervals; None: there are none."""
    clusters: ClusteredCells | None = None
    """The rows by cluster, if there are clusters."""
    intervals: Mapping[Metric, Interval] = field(default_factory=dict)
    """Intervals that do not follow from the tally: those of scores, and those read from JSON."""
    class_intervals: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)
    """Limits of columns of the table of classes, float64[k] each."""
    is_clustered: bool = False
    """True if intervals account for clusters."""
    draws: Draws | None = None
    """Source of the replicates when an interval is read."""
    bounds: Mapping[Metric, Limits | None] = field(default_factory=dict)
    """Metrics that are not exact, with limits of the exact value, None if unknown."""
    class_bounds: Mapping[Metric, ClassLimits] = field(default_factory=dict)
    """The same for metrics of each class; limits are equal where the value is exact."""
    kept_cautions: tuple[str, ...] = ()
    """Cautions read from JSON, which do not follow from the tally."""
    decision: str = AS_GIVEN.text
    """How the predicted class of a row was decided, in words; empty if that is not known."""
    design: Design = "cohort"
    """``"cohort"``: rows were sampled; ``"case-control"``: so many of each true class."""
    population: Mapping[Label, float] | None = None
    """Proportions of the true classes that rows are weighted to; None: those of the rows."""

    @property
    def classes(self) -> Classes:
        """The classes, their order, their display names and the positive one."""
        return self.cells.classes

    @property
    def n_rows(self) -> int:
        """Rows read."""
        return int(self.cells.n_rows)

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return self.cells.is_weighted

    @property
    def has_predictions(self) -> bool:
        """True if a class is predicted for each row."""
        return self.cells.has_predictions

    @property
    def fields(self) -> Fields:
        """The counts of each class against the rest, float64[k] each."""
        return self.cells.fields

    @property
    def is_binary(self) -> bool:
        """True if one of two classes is positive, so that plain names mean that class."""
        return self.cells.classes.positive is not None

    @property
    def _drawn_from(self) -> tuple[str | None, tuple[tuple[str, float], ...]]:
        names = dict(zip(self.labels, self.classes.display, strict=True))
        pairs = tuple((names.get(x, str(x)), p) for x, p in (self.population or {}).items())
        return None if self.design == "cohort" else self.design, pairs

    def _every(self) -> Iterable[Metric]:
        return listed_metrics(self.cells, self.measured)

    @cached_property
    def undefined_metrics(self) -> Mapping[str, str]:
        """Reasons of the undefined values among the listed metrics."""
        of_labels = [
            metric
            for metric in self._listed.values()
            if not metric.needs_scores and (self.is_binary or not _needs_positive(metric))
        ]
        values = all_values(of_labels, self.cells, self.undefined)
        self._together.update(zip(of_labels, values, strict=True))
        reasons = {name: self._computed(metric)[2] for name, metric in self._listed.items()}
        return {name: reason for name, reason in reasons.items() if reason}

    def _answers(self, metric: Metric) -> bool:
        if metric.lift not in ("plain", *metric.record.averages) or metric.record.is_only_of_sets:
            return False
        if metric.needs_scores:
            return metric in self.measured
        if needs_both_classes(metric, self.classes):
            return not isinstance(self.labels[0], str)
        return self._applies(metric)

    def _applies(self, metric: Metric) -> bool:
        return _applies(metric, self.cells)

    @cached_property
    def _kept(self) -> dict[Metric, tuple[Cells, Values, str | None]]:
        """Results of `_computed`."""
        return {}

    @cached_property
    def _together(self) -> dict[Metric, Values]:
        """Values of the metrics of labels that were computed in one program."""
        return {}

    def _computed(self, metric: Metric) -> tuple[Cells, Values, str | None]:
        """The cells of a metric, what it gave on them, and why that is undefined."""
        found = self._kept.get(metric)
        if found is None:
            found = self._kept[metric] = self._computed_now(metric)
        return found

    def _computed_now(self, metric: Metric) -> tuple[Cells, Values, str | None]:
        if metric.needs_scores and self.scores is None:
            raise metric.no_scores(self.warnings)
        if metric.needs_scores and metric not in self.measured:
            # Version 0.2 wrote losses of scores, too.
            check_kind(metric, self.scores)
        cells = self.cells
        if needs_both_classes(metric, self.classes):
            cells = with_positive(cells, metric.name)
        else:
            check_applies(metric, self.classes, self.measured)
        computed = self._values(metric, cells)
        left_out = bool(np.isfinite(computed.value))
        reason = undefined_reason(metric, cells.classes, computed.undefined, is_left_out=left_out)
        return cells, computed, reason

    def _result(self, metric: Metric) -> Result:
        cells, computed, reason = self._computed(metric)
        value = float(computed.value)
        interval = self._interval(metric, value, cells, is_undefined=bool(computed.undefined.all()))
        return self._made(
            metric,
            value,
            replace(interval, remark=self._remark(metric, interval.remark)),
            reason,
            classes=cells.classes,
            is_weighted=self.cells.is_weighted,
            is_clustered=self.is_clustered,
            exact=metric not in self.bounds,
            bound=self.bounds.get(metric),
        )

    def _remark(self, metric: Metric, of_interval: str | None) -> str | None:
        """Remark about an interval, and about a value that the design or buckets decide."""
        remark = of_interval or ""
        is_fixed = self.design != "cohort" and self.population is None
        is_fixed = is_fixed and metric.record.is_estimate
        if is_fixed and remark not in (A_COUNT, FIXED) and metric.depends_on_mix(self.classes.k):
            remark = _joined(remark, OF_MIX)
        if self.bounds.get(metric, ()) is None:
            remark = _joined(remark, _OPEN)
        return remark or None

    def _interval(
        self, metric: Metric, value: float, cells: Cells, *, is_undefined: bool
    ) -> Interval:
        if self.confidence is None or not math.isfinite(value):
            return Interval()
        known = self.intervals.get(metric)
        if known is None and self.draws is not None:
            known = self.draws.of(metric.with_classes(cells.k), value, self.confidence)
        if known is not None:
            return known
        if metric.needs_scores:
            return Interval(remark="it was not asked for")
        if self.is_clustered and self.clusters is None:
            return Interval(remark="the clusters of the rows are not kept in JSON")
        if is_undefined:
            return Interval(remark="these rows do not define the value")
        if cells is self.cells:
            return self._tables.of(metric, value)
        return TableIntervals(cells, self.confidence, None, self.undefined).of(metric, value)

    @cached_property
    def _tables(self) -> TableIntervals:
        assert self.confidence is not None
        return TableIntervals(self.cells, self.confidence, self.clusters, self.undefined)

    def covariance(self, metrics: Iterable[str | Metric]) -> npt.NDArray[np.float64]:
        """float64[d, d]: how the errors of d metrics of labels go together, from their influence.

        The square roots of its diagonal are their standard errors; of any smooth function of them
        the variance is gᵀ·C·g, with its slopes g.

        Errors:
            K211 a metric of scores: its rows are gone; K204, K212 the tally does not say.

        Cost: O(d² · cells).

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]])
            >>> report.covariance(["accuracy", "error_rate"]).round(6).tolist()
            [[0.001275, -0.001275], [-0.001275, 0.001275]]
        """
        asked = self.confidence or Confidence()
        tables = TableIntervals(self.cells, asked, self.clusters, self.undefined)
        return tables.covariance([get(name) for name in metrics])

    @property
    def cautions(self) -> tuple[str, ...]:
        """Reasons to trust the intervals less; empty without intervals."""
        # Of what was read from JSON the number of clusters is gone.
        is_read = self.is_clustered and self.clusters is None
        if self.confidence is None or is_read:
            return self.kept_cautions
        return self._tables.cautions

    def _values(self, metric: Metric, cells: Cells) -> Values:
        """Values of a metric on these rows.

        Errors:
            K210 it reads scores, and there were none; K211 it was not computed.
        """
        if not metric.needs_scores:
            known = self._together.get(metric) if cells is self.cells else None
            return metric.values(cells, self.undefined) if known is None else known
        found = self.measured.get(metric)
        if found is None:
            raise not_computed([str(metric)], needs_rows=metric.record.reads is Pairwise)
        return found
