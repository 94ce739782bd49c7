"""The public results, and the forms in which they are shown: reports, comparisons, numbers.

What they know is data of `karat.results`; what they look like is made by `karat.output`, which is
loaded when a form is first asked for.
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
    """What can be shown as a document and listed as rows, as text of many kinds.

    Every text ends without a line end; a file that it is written to ends with one, and is written
    whole or not at all.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # Of the classes below.
        def text(self, width: int = 80) -> str: ...
        def _document(self, metrics: Literal["headline", "all"]) -> Document: ...
        def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]: ...

    def __str__(self) -> str:
        return self.text()

    def to_markdown(
        self, path: Path = None, *, metrics: Literal["headline", "all"] = "headline"
    ) -> str:
        """GitHub-flavoured Markdown: what `print` shows, as headings, tables and lists.

        No HTML stands in it, and names of classes, models and files stay text, whatever they hold.
        A matrix of more than 24 classes is not drawn.

        Args:
            path: a file to write it to as well.
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
        r"""LaTeX to ``\input``: a float of the package booktabs for each table.

        Every character that TeX takes for a command is escaped. A matrix of more than 20 classes is
        not drawn. Names in letters that pdfLaTeX does not know stay as they are, and a comment says
        so.

        Args:
            path: a file to write it to as well.
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
        """The rows of `to_frame` as CSV (RFC 4180, line feeds, UTF-8).

        Floats have every digit that they need to be read back; what is not known is an empty field.
        Texts stand as they are: a spreadsheet takes a label that opens with ``=`` for a formula.

        Args:
            path: a file to write it to as well.

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
        """The values in one long data frame: one row each, every row with the same columns.

        Of a report every listed metric, then every class, then every slice: ``metric`` (as in
        ``report[metric]``), ``average`` (``"macro"``, ``"micro"``, ``"weighted"``, ``"positive"``
        of two classes, or none), ``label`` (of rows of one class), ``slice``, ``value``,
        ``low``, ``high``, ``level``, ``method``, ``n``, ``undefined`` (the reason), ``exact``.
        Of a comparison every metric and pair of models, with the fields of a
        `karat.inference.comparison.records.Difference`.

        Args:
            backend: ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of them that is
                installed.

        Returns:
            A pandas or Polars DataFrame, or a PyArrow Table; what is not known is null (NaN in
            columns of numbers of pandas).

        Errors:
            K122 no such backend; K501 it is not installed, or none of them is.

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

    ``float(result)`` is the value; NaN when the data do not define it and no convention does.
    Beside a number it compares as its value; two results are equal when all of them is.

    Attributes:
        name: canonical text of the metric, ``"macro_f1"``.
        value: the number; NaN or infinite only together with `undefined`.
        n: rows read.
        undefined: why and where the data do not define it, or None.
        low, high: limits of the interval at `level`, or None.
        level: confidence level of the interval, or None.
        method: what made the interval: ``"wilson"``, ``"mover"``, ``"logit-t"``, …, or None.
        standard_error: of the value, by the influence of each row or by replicates, or None.
        remark: why there is no interval, or what to know of it, or None.
        exact: whether the value is exact, not an approximation with a `bound`.
        bound: (low, high) between which the exact value lies when it is not exact, else None.
        definition: the formula in words and symbols.
        range: smallest and largest value the metric can take.
        better: ``"higher"``, ``"lower"``, or None where neither is better.
        signature: the choices that can change the number.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        from karat.output.forms import form, result_as_html

        return form(result_as_html, self)


class Confusion(result.Confusion):
    """The confusion matrix of a report; printed as a report shows it.

    Attributes:
        cells: the tally behind it.
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

    result_type: ClassVar[type[result.Result]] = Result
    """What a metric is given as."""

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix: ``.matrix``, ``.labels``, ``.names``, ``.occupied()``."""
        return Confusion(self.cells)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON types, in the schema ``karat.report/1``."""
        from karat.output.json import report_to_dict

        return report_to_dict(self)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The report as JSON text with sorted keys; written to `path` too, when given.

        The file is written whole or not at all: a failure leaves an earlier one as it was.
        """
        from karat.output.json import report_to_json

        return _written(report_to_json(self), path)

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """The report as one HTML page that opens anywhere, offline; written to `path` too.

        Errors:
            K501 jinja2 or matplotlib is missing: ``pip install "karat[cli]"``.

        Cost: about a second of drawing, whatever the number of rows.
        """
        from karat.output.html.page import report_to_html

        return _written(report_to_html(self), path, end="")

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report back from its JSON text: the same tally, hence the same numbers.

        What another karat wrote and this one does not have is named in a warning of the report.

        Errors:
            K205 it is not a whole report of schema ``karat.report/1``, or contradicts itself; K206
            a newer schema wrote it; K211, K301, K302 it asks for metrics that it or karat lacks.
        """
        from karat.output.json import report_from_json

        return report_from_json(text, cls)

    def text(self, width: int = 80) -> str:
        """The report as plain text of at most `width` columns."""
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
        """The ``model-index`` metadata of a model card on the Hugging Face Hub.

        Each metric has the Hub's ``type`` (``f1``), the value, karat's name (``macro_f1``), and as
        ``args`` its average, its interval with the level, and the number of rows. Nothing is sent.

        Args:
            model_name: of the model.
            dataset: a name for readers.
            dataset_type: its identifier on the Hub; None: the name.
            config, split, revision: which part and state of it was evaluated.
            task: the Hub's identifier of the task: ``"image-classification"``, …
            metrics: names to list; None: those that open the report.

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
        """What a run of MLflow logs: ``metrics`` for log_metrics, ``artifacts`` for log_text.

        Keys are ``macro_f1``, ``macro_f1_low`` and ``macro_f1_high``, and of a class
        ``per_class/f1/cat``; other characters than MLflow takes are underscores. The average is in
        the key: nothing is called f1_score. What is not a finite number is left out, and has its
        reason in ``karat/metrics.csv``.

        Args:
            metrics: ``"headline"``, those that open the report, or ``"all"``.
            per_class: whether to log those of each class, beside the artifact with all of them.
            prefix: put before every key: ``"test/"``.

        Returns:
            A pair ``(metrics, artifacts)``: key → float, file → text. The files are the report as
            JSON and Markdown, and the metrics, classes and confusion matrix as CSV.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]])
            >>> metrics, artifacts = report.to_mlflow()
            >>> metrics["accuracy"], round(metrics["accuracy_low"], 4)
            (0.85, 0.7672)

        Source: mlflow.utils.validation, for what a key may hold.
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
        """A flat dict of numbers for ``run.log`` or ``run.summary.update`` of Weights & Biases.

        Keys have letters, digits and underscores alone, so that they can be sorted and filtered by:
        ``macro_f1``, ``macro_f1_low``, ``macro_f1_high``, and of a class ``per_class__f1__cat``.
        What is not a finite number is left out.

        Args:
            metrics: ``"headline"``, those that open the report, or ``"all"``.
            per_class: whether to log those of each class.
            prefix: put before every key: ``"test_"``.

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
        """The thresholds that are best on these rows: for F1, informedness and equal costs.

        Of two classes ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for the positive one;
        of more, one such dict a class with its ``"label"`` and ``"name"``.
        Chosen on the rows that they are measured on, so their values are optimistic. Of scores in
        buckets what is not exact has its limits under ``"bounds"``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        found = super().thresholds
        if isinstance(found, list):
            return ThresholdsOfClasses(found, self)
        return Thresholds(found, self)

    @property
    def calibration(self) -> Mapping[str, result.Result]:
        """Every metric of calibration by name; diagrams are ``report.curves.reliability``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        return Calibration(super().calibration, self)

    @property
    def slices(self) -> Slices:
        """Column, or tuple of crossed columns → its slices: ``report.slices["country"]["NO"]``.

        Empty where ``by=`` was not given.
        """
        from karat.results.slices import ByColumn, Slice, SliceTable

        attach_forms(ByColumn, Slice, SliceTable)
        return super().slices

    def _repr_html_(self) -> str:
        from karat.output.forms import form, report_as_html

        return form(report_as_html, self)


class Comparison(Exports, outcome.Comparison):
    """Differences of models in each metric, with intervals, p-values and verdicts.

    Read the first pair of models by metric, ``comparison["macro_f1"]``, and another one by its
    models too: ``comparison["macro_f1", "forest", "logreg"]``. The method ``best`` gives the best
    model by a metric, with its value corrected for having been chosen on these rows.

    Attributes:
        models: their names, in the order given.
        metrics: canonical names, in the order given.
        differences: every metric and pair of models.
        values: metric → model → what it gave, with its interval.
        omnibus: metric → the test that all models are equally good, of three models or more.
        classes: the classes.
        n: model → rows.
        level: of the intervals, and 1 − the error rate of the tests.
        adjust: how p-values allow for many pairs: ``"holm"``, ``"maxt"`` or ``"none"``.
        baseline: the model that the others were compared with, or None.
        is_paired: whether the models were measured on the same rows.
        notes: sentences the reader should see.
        is_of_sets: whether rows have sets of labels.
        strata: stratum of labels → the same comparison of these labels alone.
    """

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """The comparison as one HTML page that opens anywhere, offline; written to `path` too.

        Errors:
            K501 jinja2 is missing: ``pip install "karat[cli]"``.
        """
        from karat.output.html.page import comparison_to_html

        return _written(comparison_to_html(self), path, end="")

    def text(self, width: int = 80) -> str:
        """The comparison as plain text of at most `width` columns."""
        from karat.output.layout import text_of

        return text_of(self._document("headline"), width)

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.output.compared import describe_comparison

        del metrics  # a comparison lists every metric that was compared
        return describe_comparison(self)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.output.tidy import COMPARISON_COLUMNS, rows_of_comparison

        return rows_of_comparison(self), COMPARISON_COLUMNS

    def _repr_html_(self) -> str:
        from karat.output.forms import comparison_as_html, form

        return form(comparison_as_html, self)


def _written(text: str, path: Path, end: str = "\n") -> str:
    """The text, written to a file too where there is one."""
    if path is not None:
        write_text(path, text + end)
    return text
