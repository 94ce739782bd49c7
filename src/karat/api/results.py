"""Public results and their output formats: reports, comparisons, numbers.

The data come from `karat.results`. `karat.output`, which is loaded at first use, renders them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from karat.api import report as base
from karat.api.exports import Exports, written
from karat.api.forms import attach_forms, attach_forms_of_slices
from karat.api.shown import Calibration, ClassRows, Thresholds, ThresholdsOfClasses
from karat.curves._curve import ByClass, Curve
from karat.curves._kept import Curves
from karat.inference.comparison.records import BestModel, Difference, ModelValue
from karat.inference.comparison.set_labels import LabelDifference
from karat.results import comparison as outcome
from karat.results import report, result

if TYPE_CHECKING:
    from os import PathLike

    from karat.output.document import Document
    from karat.output.tidy import Row
    from karat.results.slices import Slices


attach_forms(Curve, ByClass, Curves, result.Results)
attach_forms(Difference, LabelDifference, ModelValue, BestModel)


class Result(result.Result):
    """One value of one metric.

    ``float(result)`` is the value; NaN if neither the data nor a convention defines it. It compares
    with numbers by its value; two results are equal if all their attributes are.

    Attributes:
        name: canonical text of the metric, ``"macro_f1"``.
        value: the number; NaN or infinite only together with `undefined`.
        n: number of rows.
        undefined: reason why it is undefined, with the place, or None.
        low, high: limits of the interval at `level`, or None.
        level: confidence level of the interval, or None.
        method: method of the interval: ``"wilson"``, ``"mover"``, ``"logit-t"``, …, or None.
        standard_error: standard error of the value, by the influence of each row or by replicates,
            or None.
        remark: reason why there is no interval, or a caveat about it, or None.
        exact: True if the value is exact, not an approximation with a `bound`.
        bound: limits (low, high) of the exact value if `value` is not exact, else None.
        definition: the formula in words and symbols.
        range: smallest and largest possible value of the metric.
        better: ``"higher"``, ``"lower"``, or None where neither is better.
        signature: the choices that can change the number.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        from karat.output.forms import form, result_as_html

        return form(result_as_html, self)


class Confusion(result.Confusion):
    """The confusion matrix of a report, printed as in the report.

    Attributes:
        cells: the underlying tally.
    """

    __slots__ = ()

    def __str__(self) -> str:
        from karat.output.layout import confusion_as_text

        return confusion_as_text(self)

    def _repr_html_(self) -> str:
        from karat.output.forms import form
        from karat.output.notebook import confusion_as_html

        return form(confusion_as_html, self)


class Report(report.ClassReport, base.Report):
    """All metrics of rows with one class each; see `karat.Report`, whose name it shares.

    Attributes:
        cells: the tally.
        undefined: policy for undefined values: ``"zero"``, ``"exclude"`` or ``"nan"``.
        requested: the requested metrics, or None for all.
        mapping: column of each role, if the rows come from a table.
        source: facts about the origin of the rows.
        warnings: sentences for the reader.
        measured: values of the metrics of scores, if there are scores.
        scores: kind of the scores: ``"probabilities"``, ``"logits"``, ``"scores"``; None without
            any.
        threshold: the number given as ``threshold=``, at or above which the positive class is
            predicted; None where none was given.
        decision: how the predicted class of a row was decided, in words; empty if that is not
            known.
        kept_curves: the curves, if kept; read them as `curves`.
        confidence: settings of the intervals; None: there are none.
        clusters: the rows by cluster, if there are clusters.
        is_clustered: True if intervals account for clusters.
        intervals: intervals that do not follow from the tally: those of scores, and those read from
            JSON.
        draws: source of the replicates when an interval is read.
        bounds: metrics that are not exact, with limits of the exact value, None if unknown.
        class_bounds: the same for metrics of each class; limits are equal where the value is exact.
        class_intervals: limits of columns of the table of classes, float64[k] each.
        kept_cautions: cautions read from JSON, which do not follow from the tally.
        design: ``"cohort"``: rows were sampled; ``"case-control"``: so many of each true class.
        population: proportions of the true classes that rows are weighted to; None: those of the
            rows.
        kept_slices: the slices, if ``by=`` was given; read them as `slices`.
        kept_rows: the rows behind the numbers, if they were kept; read them as `rows`.
        kept_folds: the folds, with ``design=karat.Folds``; read them as `folds`.
    """

    kind = "A report of rows with one class each"
    methods = frozenset({"rows", "to_mlflow", "to_model_index", "to_wandb"})
    result_type: ClassVar[type[result.Result]] = Result
    """Types that name a metric."""

    @property
    def confusion(self) -> Confusion:
        return Confusion(self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types, in the schema ``karat.report/2``."""
        from karat.output.json import report_to_dict

        return report_to_dict(self)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return the report as JSON text with sorted keys; write it to `path` too, if given.

        The file is written completely or not at all: a failure leaves an existing file unchanged.
        """
        from karat.output.json import report_to_json

        return written(report_to_json(self), path)

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Return the report as one self-contained HTML page; write it to `path` too, if given.

        Args:
            path: where the page is written, or None.
            title: heading of the page and of its tab; default: the file, or the classes.

        Errors:
            K122 the title is no text; K501 jinja2 or matplotlib is missing:
            ``pip install "karat[cli]"``.

        Cost: about a second of drawing, for any number of rows.
        """
        from karat.output.html.page import report_to_html

        return written(report_to_html(self, title), path, end="")

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report from its JSON text: the same tally, and thus the same numbers.

        A warning of the report names entries that this version of karat does not know.

        Errors:
            K205 it is not a whole report of schema ``karat.report/2``, or contradicts itself; K206
            a newer schema wrote it; K211, K301, K302 it requests metrics that it or karat lacks.
        """
        from karat.output.json import report_from_json

        return report_from_json(text, cls)

    def text(self, width: int = 80) -> str:
        """Return the report as plain text of at most `width` columns."""
        from karat.output.layout import report_as_text

        return report_as_text(self, width)

    def __repr__(self) -> str:
        return f"<karat.Report: {self.n_rows} rows, {self.classes.k} classes>"

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.output.describe import describe

        return describe(self, metrics=metrics)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.output.tidy import REPORT_COLUMNS, rows_of_report

        return rows_of_report(self), REPORT_COLUMNS

    @property
    def per_class(self) -> ClassRows:
        return ClassRows.kept(super().per_class, self)

    @property
    def thresholds(self) -> dict[str, Any] | list[dict[str, Any]]:
        found = super().thresholds
        if isinstance(found, list):
            return ThresholdsOfClasses(found, self)
        return Thresholds(found, self)

    @property
    def calibration(self) -> Mapping[str, result.Result]:
        return Calibration(super().calibration, self)

    @property
    def slices(self) -> Slices:
        attach_forms_of_slices()
        return super().slices

    def _repr_html_(self) -> str:
        from karat.output.forms import form, report_as_html

        return form(report_as_html, self)


ClassReport = Report
"""The name within the package, which differs from that of the base class."""


class Comparison(Exports, outcome.Comparison):
    """Differences between models in each metric, with intervals, p-values and verdicts.

    ``comparison["macro_f1", "forest", "logreg"]`` is the difference of two models,
    ``comparison["macro_f1"]`` that of the only pair; of several pairs one is named. The method
    ``best`` returns the best model by a metric, with its value corrected for the selection on these
    rows.

    Attributes:
        models: names of the models, in the order given.
        metrics: canonical names, in the order given.
        differences: every metric and pair of models.
        values: metric → model → its value, with its interval.
        omnibus: metric → the test that all models are equal, for three models or more.
        classes: the classes.
        n: model → rows.
        level: confidence level of the intervals, and 1 − the error rate of the tests.
        adjust: adjustment of p-values for multiple pairs: ``"holm"``, ``"maxt"`` or ``"none"``.
        baseline: the model that the others are compared with, or None.
        is_paired: True if the models are measured on the same rows.
        notes: sentences for the reader.
        is_of_sets: True if rows have sets of labels.
        strata: stratum of labels → the same comparison for these labels alone.
        anytime: planned number of rows of intervals and p-values that hold at every look, or None.
    """

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Return the comparison as one self-contained HTML page; write it to `path` too, if given.

        Args:
            path: where the page is written, or None.
            title: heading of the page and of its tab; default: the names of the models.

        Errors:
            K122 the title is no text; K501 jinja2 is missing: ``pip install "karat[cli]"``.
        """
        from karat.output.html.page import comparison_to_html

        return written(comparison_to_html(self, title), path, end="")

    def text(self, width: int = 80) -> str:
        """Return the comparison as plain text of at most `width` columns.

        Several pairs of models stand side by side, verdicts first, in the columns that fit;
        ``to_markdown()`` and ``to_html()`` have every table of every pair.
        """
        from karat.output.layout import text_of

        return text_of(self._document("headline"), width)

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.output.compared import describe_comparison

        del metrics  # a comparison lists every compared metric
        return describe_comparison(self)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.output.tidy import COMPARISON_COLUMNS, rows_of_comparison

        return rows_of_comparison(self), COMPARISON_COLUMNS

    def _repr_html_(self) -> str:
        from karat.output.forms import comparison_as_html, form

        return form(comparison_as_html, self)
