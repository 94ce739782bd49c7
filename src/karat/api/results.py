"""Public results and their output formats: reports, comparisons, numbers.

The data come from `karat.results`. `karat.output`, which is loaded at first use, renders them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from karat.api.forms import attach_forms
from karat.api.shown import Calibration, Thresholds, ThresholdsOfClasses
from karat.curves._curve import ByClass, Curve
from karat.curves._kept import Curves
from karat.results import comparison as outcome
from karat.results import report, result
from karat.tally.writing import write_text

if TYPE_CHECKING:
    from os import PathLike

    from karat.output.document import Document
    from karat.output.model_index import ModelIndex
    from karat.output.tidy import Backend, MlflowLog, Row
    from karat.results.slices import Slices

    Path = str | PathLike[str] | None


attach_forms(Curve, ByClass, Curves)


class Exports:
    """Mixin for results that export to documents and tables, in several text formats.

    Texts do not end with a newline; files do, and are written completely or not at all.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # Members of the classes below.
        def text(self, width: int = 80) -> str: ...
        def _document(self, metrics: Literal["headline", "all"]) -> Document: ...
        def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]: ...

    def __str__(self) -> str:
        return self.text()

    def to_markdown(
        self, path: Path = None, *, metrics: Literal["headline", "all"] = "headline"
    ) -> str:
        """Return GitHub-flavored Markdown: the printed content as headings, tables and lists.

        It contains no HTML, and names of classes, models and files are escaped. A matrix of more
        than 24 classes is not drawn.

        Args:
            path: a file to write it to, too.
            metrics: ``"headline"``, or ``"all"`` to list every metric of a report.

        Errors:
            OSError: the file cannot be written.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
            >>> print(report.to_markdown().splitlines()[0])
            ## karat report
        """
        from karat.output.markdown import markdown_of

        return _written(markdown_of(self._document(metrics)), path)

    def to_latex(
        self, path: Path = None, *, metrics: Literal["headline", "all"] = "headline"
    ) -> str:
        r"""Return LaTeX for ``\input``: a float with a booktabs table for each table.

        Special characters of TeX are escaped. A matrix of more than 20 classes is not drawn.
        Characters that pdfLaTeX does not support are kept, and a comment notes them.

        Args:
            path: a file to write it to, too.
            metrics: ``"headline"``, or ``"all"`` to list every metric of a report.

        Errors:
            OSError: the file cannot be written.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
            >>> print(report.to_latex().splitlines()[0])
            % In the preamble: \usepackage{booktabs}
        """
        from karat.output.latex import latex_of

        return _written(latex_of(self._document(metrics)), path)

    def to_csv(self, path: Path = None) -> str:
        """Return the rows of `to_frame` as CSV (RFC 4180, line feeds, UTF-8).

        Floats have enough digits to be read back exactly; missing values are empty fields. Texts
        are not escaped: a spreadsheet takes a label that starts with ``=`` for a formula.

        Args:
            path: a file to write it to, too.

        Errors:
            OSError: the file cannot be written.

        Example:
            >>> import karat
            >>> report = karat.evaluate([0, 1, 1], [0, 1, 0], metrics=["accuracy"], level=None)
            >>> print(report.to_csv().splitlines()[1])
            accuracy,,,,0.6666666666666666,,,,,3,,true
        """
        from karat.output.tidy import csv_of

        return _written(csv_of(*self._rows()), path)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the values as one long data frame, with one row for each value.

        A report gives every listed metric, then every class, then every slice: ``metric`` (as in
        ``report[metric]``), ``average`` (``"macro"``, ``"micro"``, ``"weighted"``, ``"positive"``
        of two classes, or none), ``label`` (for values of one class), ``slice``, ``value``,
        ``low``, ``high``, ``level``, ``method``, ``n``, ``undefined`` (the reason), ``exact``. A
        comparison gives every metric and pair of models, with the fields of a
        `karat.inference.comparison.records.Difference`.

        Args:
            backend: ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of them that is
                installed.

        Returns:
            A pandas or Polars DataFrame, or a PyArrow Table; missing values are null (NaN in
            numeric columns of pandas).

        Errors:
            K122 an unknown backend; K501 it is not installed, or none is.

        Example:
            >>> import karat
            >>> report = karat.evaluate([0, 1, 1], [0, 1, 0], metrics=["accuracy"], level=None)
            >>> report.to_frame("polars").columns[:5]
            ['metric', 'average', 'label', 'slice', 'value']
        """
        from karat.output.tidy import frame_of

        rows, columns = self._rows()
        return frame_of(rows, columns, backend)


class Result(result.Result):
    """One value of one metric.

    ``float(result)`` is the value; NaN if neither the data nor a convention defines it. It compares
    with numbers by its value; two results are equal if all their attributes are.

    Attributes:
        name: canonical text of the metric, ``"macro_f1"``.
        value: the number; NaN or infinite only together with `undefined`.
        n: number of rows.
        undefined: why and where it is undefined, or None.
        low, high: limits of the interval at `level`, or None.
        level: confidence level of the interval, or None.
        method: method of the interval: ``"wilson"``, ``"mover"``, ``"logit-t"``, …, or None.
        standard_error: standard error of the value, by the influence of each row or by replicates,
            or None.
        remark: why there is no interval, or a caveat about it, or None.
        exact: whether the value is exact, not an approximation with a `bound`.
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


class Report(Exports, report.Report):
    """All metrics of one data set.

    Get a metric by item or attribute: ``report["macro_f1"]``, ``report.macro_f1``,
    ``report["macro_f_beta(beta=2)"]``; any metric that the tally supports, listed or not.

    Attributes:
        cells: the tally.
        undefined: policy for undefined values: ``"zero"``, ``"exclude"`` or ``"nan"``.
        requested: the requested metrics, or None for all.
        mapping: column of each role, if the rows come from a table.
        source: facts about the origin of the rows.
        warnings: sentences for the reader.
        measured: values of the metrics of scores, if there are scores.
        scores: kind of the scores: ``"probabilities"``, ``"scores"``, or None without any.
        threshold: threshold at or above which the positive class of two is predicted; None: the
            largest score decides, or predictions are given.
        kept_curves: the curves, if kept; read them as `curves`.
        confidence: settings of the intervals; None: there are none.
        clusters: the rows by cluster, if there are clusters.
        is_clustered: whether intervals account for clusters.
        intervals: intervals that do not follow from the tally: those of scores, and those read from
            JSON.
        draws: source of the replicates when an interval is read.
        bounds: metrics that are not exact, with limits of the exact value, None if unknown.
        class_bounds: the same for metrics of each class; limits are equal where the value is exact.
        class_intervals: limits of columns of the table of classes, float64[k] each.
        kept_cautions: cautions read from JSON, which do not follow from the tally.
        kept_slices: the slices, if ``by=`` was given; read them as `slices`.
    """

    result_type: ClassVar[type[result.Result]] = Result
    """Types that name a metric."""

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix: ``.matrix``, ``.labels``, ``.names``, ``.occupied()``."""
        return Confusion(self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types, in the schema ``karat.report/1``."""
        from karat.output.json import report_to_dict

        return report_to_dict(self)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return the report as JSON text with sorted keys; write it to `path` too, if given.

        The file is written completely or not at all: a failure leaves an existing file unchanged.
        """
        from karat.output.json import report_to_json

        return _written(report_to_json(self), path)

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """Return the report as one self-contained HTML page; write it to `path` too, if given.

        Errors:
            K501 jinja2 or matplotlib is missing: ``pip install "karat[cli]"``.

        Cost: about a second of drawing, for any number of rows.
        """
        from karat.output.html.page import report_to_html

        return _written(report_to_html(self), path, end="")

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report from its JSON text: the same tally, and thus the same numbers.

        A warning of the report names entries that this version of karat does not know.

        Errors:
            K205 it is not a whole report of schema ``karat.report/1``, or contradicts itself; K206
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

    def to_model_index(
        self,
        *,
        model_name: str,
        dataset: str,
        dataset_type: str | None = None,
        config: str | None = None,
        split: str | None = None,
        revision: str | None = None,
        task: str = "text-classification",
        metrics: Iterable[str] | None = None,
    ) -> ModelIndex:
        """Return the ``model-index`` metadata of a model card on the Hugging Face Hub.

        Each metric has the Hub's ``type`` (``f1``), the value, karat's name (``macro_f1``), and as
        ``args`` its average, its interval with the level, and the number of rows. Nothing is
        uploaded.

        Args:
            model_name: name of the model.
            dataset: display name of the data set.
            dataset_type: its identifier on the Hub; None: the name.
            config, split, revision: the evaluated part and version of the data set.
            task: the Hub's identifier of the task: ``"image-classification"``, …
            metrics: names of the metrics; None: those that open the report.

        Returns:
            A dict; ``.to_yaml()`` is the text for the head of a README.

        Errors:
            K301 no such metric.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
            >>> index = report.to_model_index(
            ...     model_name="spam-1", dataset="Mails", metrics=["accuracy"]
            ... )
            >>> print(index.to_yaml())
            model-index:
            - name: spam-1
              results:
              - task:
                  type: text-classification
                dataset:
                  type: Mails
                  name: Mails
                metrics:
                - type: accuracy
                  value: 0.85
                  name: accuracy
                  args:
                    n_rows: 100

        Source: huggingface.co/docs/hub/model-cards, the specification in hub-docs/modelcard.md.
        """
        from karat.output.model_index import model_index_of

        return model_index_of(
            self,
            model_name=model_name,
            dataset=dataset,
            dataset_type=dataset_type,
            config=config,
            split=split,
            revision=revision,
            task=task,
            metrics=metrics,
        )

    def to_mlflow(
        self,
        *,
        metrics: Literal["headline", "all"] = "headline",
        per_class: bool = False,
        prefix: str = "",
    ) -> MlflowLog:
        """Return ``metrics`` for MLflow's log_metrics and ``artifacts`` for log_text.

        Keys are ``macro_f1``, ``macro_f1_low`` and ``macro_f1_high``, and ``per_class/f1/cat`` for
        a class; characters that MLflow does not allow become underscores. The average is part of
        the key. Values that are not finite are left out, with the reason in ``karat/metrics.csv``.

        Args:
            metrics: ``"headline"`` for those that open the report, or ``"all"``.
            per_class: whether to log those of each class, in addition to the artifact with all of
                them.
            prefix: prefix of every key: ``"test/"``.

        Returns:
            A pair ``(metrics, artifacts)``: key → float, file → text. The files are the report as
            JSON and Markdown, and the metrics, classes and confusion matrix as CSV.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]])
            >>> metrics, artifacts = report.to_mlflow()
            >>> metrics["accuracy"], round(metrics["accuracy_low"], 4)
            (0.85, 0.7672)

        Source: mlflow.utils.validation, for the characters of keys.
        """
        from karat.output.tidy import mlflow_of

        return mlflow_of(self, metrics=metrics, per_class=per_class, prefix=prefix)

    def to_wandb(
        self,
        *,
        metrics: Literal["headline", "all"] = "headline",
        per_class: bool = False,
        prefix: str = "",
    ) -> dict[str, float]:
        """Return a flat dict of numbers for ``run.log`` or ``run.summary.update`` of W&B.

        Keys have only letters, digits and underscores, so that they can be sorted and filtered by:
        ``macro_f1``, ``macro_f1_low``, ``macro_f1_high``, and ``per_class__f1__cat`` for a class.
        Values that are not finite are left out.

        Args:
            metrics: ``"headline"`` for those that open the report, or ``"all"``.
            per_class: whether to log those of each class.
            prefix: prefix of every key: ``"test_"``.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
            >>> report.to_wandb()["accuracy"]
            0.85

        Source: docs.wandb.ai, metric naming constraints.
        """
        from karat.output.tidy import wandb_of

        return wandb_of(self, metrics=metrics, per_class=per_class, prefix=prefix)

    @property
    def thresholds(self) -> dict[str, Any] | list[dict[str, Any]]:
        """Best thresholds on these rows: for F1, informedness and equal costs.

        With two classes, ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for the positive one;
        with more, one such dict for each class with its ``"label"`` and ``"name"``. The thresholds
        are chosen on the rows that they are measured on, so their values are optimistic. If scores
        are bucketed, values that are not exact have their limits under ``"bounds"``.

        Errors:
            K210 there are no scores; K211 only other metrics were requested.
        """
        found = super().thresholds
        if isinstance(found, list):
            return ThresholdsOfClasses(found, self)
        return Thresholds(found, self)

    @property
    def calibration(self) -> Mapping[str, result.Result]:
        """Every metric of calibration by name; diagrams are ``report.curves.reliability``.

        Errors:
            K210 there are no scores; K211 only other metrics were requested.
        """
        return Calibration(super().calibration, self)

    @property
    def slices(self) -> Slices:
        """Column, or tuple of crossed columns → its slices: ``report.slices["country"]["NO"]``.

        Empty if ``by=`` was not given.
        """
        from karat.results.slices import ByColumn, Slice, SliceTable

        attach_forms(ByColumn, Slice, SliceTable)
        return super().slices

    def _repr_html_(self) -> str:
        from karat.output.forms import form, report_as_html

        return form(report_as_html, self)


class Comparison(Exports, outcome.Comparison):
    """Differences between models in each metric, with intervals, p-values and verdicts.

    ``comparison["macro_f1"]`` is the difference of the first pair of models,
    ``comparison["macro_f1", "forest", "logreg"]`` that of another pair. The method ``best`` returns
    the best model by a metric, with its value corrected for the selection on these rows.

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
        is_paired: whether the models are measured on the same rows.
        notes: sentences for the reader.
        is_of_sets: whether rows have sets of labels.
        strata: stratum of labels → the same comparison for these labels alone.
    """

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """Return the comparison as one self-contained HTML page; write it to `path` too, if given.

        Errors:
            K501 jinja2 is missing: ``pip install "karat[cli]"``.
        """
        from karat.output.html.page import comparison_to_html

        return _written(comparison_to_html(self), path, end="")

    def text(self, width: int = 80) -> str:
        """Return the comparison as plain text of at most `width` columns."""
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


def _written(text: str, path: Path, end: str = "\n") -> str:
    """Return the text; write it to a file too, if given."""
    if path is not None:
        write_text(path, text + end)
    return text
