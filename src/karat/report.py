"""`Report`: every metric of one tally, computed when it is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.confusion import Confusion
from karat.errors import KaratError, error
from karat.errors.habits import of_a_report
from karat.metrics import Metric, Pairwise, get
from karat.metrics._bounded import ClassLimits
from karat.metrics._bounds import Limits
from karat.metrics._lift import Policy
from karat.metrics._metric import Values
from karat.metrics._positive import check_has_positive, with_positive
from karat.metrics._registry import find
from karat.operating_points import CALIBRATION_FAMILIES, no_calibration, not_computed
from karat.plan import default_metrics
from karat.reasons import undefined_reason
from karat.render.exports import ReportExports
from karat.report_results import result_of
from karat.result import Result, Results
from karat.tally import Cells, Classes, ClusteredCells
from karat.tally.kept import cached_property
from karat.uncertainty.confidence import Confidence, Interval
from karat.uncertainty.table_intervals import TableIntervals

if TYPE_CHECKING:
    from os import PathLike

    from karat.curves import Curves
    from karat.slices.columns import Slices
    from karat.uncertainty.draws import Draws

__all__ = ["Confusion", "Report"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Report(ReportExports):
    """All metrics of one data set.

    Read a metric by item or attribute: ``report["macro_f1"]``, ``report.macro_f1``,
    ``report["macro_f_beta(beta=2)"]``; any metric that the tally allows, listed or not.

    Attributes:
        cells: the tally.
        undefined: policy for undefined values: ``"zero"``, ``"exclude"`` or ``"nan"``.
        requested: the metrics asked for, or None for all.
        mapping: column that played each role, when the rows came from a table.
        source: facts about where the rows came from.
        warnings: sentences the reader should see.
        measured: what the metrics of scores gave, where there were scores.
        scores: what the scores were: ``"probabilities"``, ``"scores"``, or None without any.
        threshold: from which of them on the positive class of two was predicted; None: the
            largest decided, or predictions were given.
        kept_curves: the curves, where they were kept; read them as `curves`.
        confidence: what was asked of the intervals; None: there are none.
        clusters: the rows by cluster, where those of a cluster are not independent.
        is_clustered: whether intervals take rows of a cluster together.
        intervals: intervals that do not follow from the tally: those of scores, and of what was
            read from JSON.
        draws: what replicates are drawn from when an interval is read.
        bounds: metrics that are not exact, with limits of the exact value, None where not known.
        class_bounds: the same of metrics of each class: limits of each, equal where it is exact.
        class_intervals: likewise for columns of the table of classes: limits float64[k] each.
        kept_cautions: cautions that do not follow from the tally, of what was read from JSON.
        kept_slices: the slices, where ``by=`` was given; read them as `slices`.
    """

    cells: Cells
    undefined: Policy = "zero"
    requested: tuple[Metric, ...] | None = None
    mapping: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    measured: Mapping[Metric, Values] = field(default_factory=dict)
    scores: str | None = None
    threshold: float | None = None
    kept_curves: Curves | None = None
    confidence: Confidence | None = None
    clusters: ClusteredCells | None = None
    intervals: Mapping[Metric, Interval] = field(default_factory=dict)
    class_intervals: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)
    is_clustered: bool = False
    draws: Draws | None = None
    bounds: Mapping[Metric, Limits | None] = field(default_factory=dict)
    class_bounds: Mapping[Metric, ClassLimits] = field(default_factory=dict)
    kept_cautions: tuple[str, ...] = ()
    kept_slices: Slices | None = None

    @property
    def classes(self) -> Classes:
        """The classes, their order, their display names and the positive one."""
        return self.cells.classes

    @property
    def labels(self) -> tuple[str | int | bool, ...]:
        """The class labels in order."""
        return self.cells.classes.labels

    @property
    def n_rows(self) -> int:
        """Rows read."""
        return int(self.cells.n_rows)

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, so that plain names mean the positive class."""
        return self.cells.classes.positive is not None

    @cached_property
    def metrics(self) -> Mapping[str, Result]:
        """Every listed metric by canonical name."""
        if self.requested is not None:
            # What these rows do not have is an error at once.
            return {name: self._result(metric) for name, metric in self._listed.items()}
        return Results(self._listed, self._result)

    @cached_property
    def _listed(self) -> Mapping[str, Metric]:
        if self.requested is not None:
            return {str(metric): metric for metric in self.requested}
        of_scores = [m for m in self.measured if m.lift != "per_class" and m.record.in_report]
        return {str(m): m for m in (*default_metrics(), *of_scores) if self._applies(m)}

    @cached_property
    def undefined_metrics(self) -> Mapping[str, str]:
        """Why the data do not define a value, of the listed metrics of which that is so."""
        reasons = {name: self._computed(metric)[2] for name, metric in self._listed.items()}
        return {name: reason for name, reason in reasons.items() if reason}

    def _applies(self, metric: Metric) -> bool:
        if metric.record.is_per_class and metric.lift == "plain" and not self.is_binary:
            return False
        return not (metric.needs_cells and self.cells.storage == "marginals")

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric, by any of its names.

        Errors:
            K301 no such metric; K307 a plain name where there are more than two classes; K123 where
            there is one, unless it is 0 or 1: then 1 is positive, as in the functions.
        """
        return self._result(get(name))

    def __getattr__(self, name: str) -> Result:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KaratError as problem:
            if told := of_a_report(name):
                raise AttributeError(told) from None
            what = "A report has neither an attribute nor a metric of that name.\n"
            raise AttributeError(what * (problem.code == "K301") + str(problem)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._listed if name.isidentifier())]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def __contains__(self, name: object) -> bool:
        metric = find(name) if isinstance(name, str) else name
        return isinstance(metric, Metric) and str(metric) in self._listed

    def _computed(self, metric: Metric) -> tuple[Cells, Values, str | None]:
        """The cells of a metric, what it gave on them, and why that is undefined."""
        if metric.needs_scores and self.scores is None:
            raise error("K210", name=str(metric))
        cells = self.cells
        needs_positive = metric.record.is_per_class and metric.lift == "plain"
        if needs_positive and not self.is_binary and self.classes.k == 1:
            cells = with_positive(cells, metric.name)
        else:
            check_has_positive(metric, self.classes, self.measured)
        computed = self._values(metric, cells)
        left_out = bool(np.isfinite(computed.value))
        reason = undefined_reason(metric, cells.classes, computed.undefined, is_left_out=left_out)
        return cells, computed, reason

    def _result(self, metric: Metric) -> Result:
        cells, computed, reason = self._computed(metric)
        value = float(computed.value)
        interval = self._interval(metric, value, cells, is_undefined=bool(computed.undefined.all()))
        return result_of(self, metric, cells.classes, value, reason, interval)

    def _interval(
        self, metric: Metric, value: float, cells: Cells, *, is_undefined: bool
    ) -> Interval:
        """How sure a value is."""
        if self.confidence is None or not math.isfinite(value):
            return Interval()
        known = self.intervals.get(metric)
        if known is None and self.draws is not None:
            known = self.draws.of(metric, value, self.confidence)
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
        """What makes the intervals less sure than they say; empty without intervals."""
        # Of what was read from JSON the number of clusters is gone.
        is_read = self.is_clustered and self.clusters is None
        if self.confidence is None or is_read:
            return self.kept_cautions
        return self._tables.cautions

    def _values(self, metric: Metric, cells: Cells) -> Values:
        """What a metric gave on these rows.

        Errors:
            K210 it reads scores, and there were none; K211 it was not computed.
        """
        if not metric.needs_scores:
            return metric.values(cells, self.undefined)
        found = self.measured.get(metric)
        if found is None:
            raise not_computed([str(metric)], needs_rows=metric.record.reads is Pairwise)
        return found

    @cached_property
    def per_class(self) -> list[dict[str, Any]]:
        """One row a class: label, name, counts and rates; undefined rates carry their reason.

        Each row also holds ``"undefined"``: metric name → reason, for that class; and
        ``"intervals"``: metric name → (low, high). Of scores in buckets also ``"bounds"``: metric
        name → limits of the exact value, None if not known, of each rate that is not exact.
        """
        from karat.class_table import rows_of_classes

        return rows_of_classes(self, self._tables if self.confidence else None)

    @cached_property
    def thresholds(self) -> dict[str, Any] | list[dict[str, Any]]:
        """The thresholds that are best on these rows: for F1, informedness and equal costs.

        Of two classes ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for the positive one;
        of more, one such dict a class with its ``"label"`` and ``"name"``.
        Chosen on the rows that they are measured on, so their values are optimistic. Of scores in
        buckets what is not exact has its limits under ``"bounds"``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        from karat.operating_points import best_thresholds

        return best_thresholds(self)

    @cached_property
    def calibration(self) -> Mapping[str, Result]:
        """Every metric of calibration by name; diagrams are ``report.curves.reliability``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        listed = [name for name in self.metrics if get(name).record.family in CALIBRATION_FAMILIES]
        if not listed and self.scores is None:
            raise error("K210", name="calibration")
        if not listed:
            raise no_calibration(list(filter(self._applies, default_metrics(of_scores=True))))
        return {name: self.metrics[name] for name in listed}

    @property
    def curves(self) -> Curves:
        """Every curve of every class: ``report.curves.roc["cat"]``, ``.roc.positive`` of two.

        Of a curve 256 points are kept at most, and it says how far it is from the whole one.

        Errors:
            K308 none were kept: there were no scores, some metrics only, or more than 100 classes.
        """
        if self.kept_curves is None:
            from karat.curves._kept import no_curves

            raise no_curves(self.scores, self.classes.k, is_whole=self.requested is None)
        return self.kept_curves

    @property
    def slices(self) -> Slices:
        """Column, or tuple of crossed columns → its slices: ``report.slices["country"]["NO"]``.

        Empty where ``by=`` was not given.
        """
        from karat.slices.columns import Slices

        return Slices() if self.kept_slices is None else self.kept_slices

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix: ``.matrix``, ``.labels``, ``.names``, ``.occupied()``."""
        return Confusion(self.cells)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON types, in the schema ``karat.report/1``."""
        from karat.render.json import report_to_dict

        return report_to_dict(self)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The report as JSON text with sorted keys; written to `path` too, when given.

        The file is written whole or not at all: a failure leaves an earlier one as it was.
        """
        from karat.render.json import report_to_json
        from karat.render.writing import write_text

        text = report_to_json(self)
        if path is not None:
            write_text(path, text + "\n")
        return text

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """The report as one HTML page that opens anywhere, offline; written to `path` too.

        Errors:
            K501 jinja2 or matplotlib is missing: ``pip install "karat[cli]"``.

        Cost: about a second of drawing, whatever the number of rows.
        """
        from karat.render.html import report_to_html
        from karat.render.writing import write_text

        text = report_to_html(self)
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Read a report back from its JSON text: the same tally, hence the same numbers.

        What another karat wrote and this one does not have is named in a warning of the report.

        Errors:
            K205 it is not a whole report of schema ``karat.report/1``, or contradicts itself; K206
            a newer schema wrote it; K211, K301, K302 it asks for metrics that it or karat lacks.
        """
        from karat.render.json import report_from_json

        return report_from_json(text)

    def text(self, width: int = 80) -> str:
        """The report as plain text of at most `width` columns."""
        from karat.render.plain import report_as_text

        return report_as_text(self, width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<karat.Report: {self.n_rows} rows, {self.classes.k} classes>"
