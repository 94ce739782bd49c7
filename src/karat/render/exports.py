"""The methods of a report and of a comparison that give them to other programs and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from os import PathLike

    from karat.comparison.outcome import Comparison
    from karat.render.document import Document
    from karat.render.frames import Backend
    from karat.render.model_index import ModelIndex
    from karat.render.tidy import Row
    from karat.render.tracking import MlflowLog
    from karat.report import Report

    Path = str | PathLike[str] | None

__all__ = ["ComparisonExports", "Exports", "ReportExports"]


class Exports:
    """What can be shown as a document and listed as rows, as text of many kinds.

    Every text ends without a line end; a file that it is written to ends with one, and is written
    whole or not at all.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # Of the classes below.
        def _document(self, metrics: Literal["headline", "all"]) -> Document: ...
        def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]: ...

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
        from karat.render.markdown import markdown_of

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
        from karat.render.latex import latex_of

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
        from karat.render.csv_text import csv_of

        return _written(csv_of(*self._rows()), path)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """The values in one long data frame: one row each, every row with the same columns.

        Of a report every listed metric, then every class, then every slice: ``metric`` (as in
        ``report[metric]``), ``average`` (``"macro"``, ``"micro"``, ``"weighted"``, ``"positive"``
        of two classes, or none), ``label`` (of rows of one class), ``slice``, ``value``,
        ``low``, ``high``, ``level``, ``method``, ``n``, ``undefined`` (the reason), ``exact``.
        Of a comparison every metric and pair of models, with the fields of a
        `karat.comparison.records.Difference`.

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
        from karat.render.frames import frame_of

        rows, columns = self._rows()
        return frame_of(rows, columns, backend)


class ReportExports(Exports):
    """The exports of a `karat.Report`; its JSON form is its own."""

    __slots__ = ()

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.render.describe import describe

        return describe(self._report, metrics=metrics)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.render.tidy import REPORT_COLUMNS, rows_of_report

        return rows_of_report(self._report), REPORT_COLUMNS

    @property
    def _report(self) -> Report:
        return cast("Report", self)

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
        from karat.render.model_index import model_index_of

        return model_index_of(
            self._report,
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
        from karat.render.tracking import mlflow_of

        return mlflow_of(self._report, metrics=metrics, per_class=per_class, prefix=prefix)

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
        from karat.render.tracking import wandb_of

        return wandb_of(self._report, metrics=metrics, per_class=per_class, prefix=prefix)

    def _repr_html_(self) -> str:
        from karat.render.notebook import report_as_html

        return report_as_html(self._report)


class ComparisonExports(Exports):
    """The exports of a `karat.Comparison`; its JSON form is its own."""

    __slots__ = ()

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.render.compared import describe_comparison

        del metrics  # a comparison lists every metric that was compared
        return describe_comparison(cast("Comparison", self))

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.render.tidy import COMPARISON_COLUMNS, rows_of_comparison

        return rows_of_comparison(cast("Comparison", self)), COMPARISON_COLUMNS

    def _repr_html_(self) -> str:
        from karat.render.notebook import comparison_as_html

        return comparison_as_html(cast("Comparison", self))


def _written(text: str, path: Path) -> str:
    """The text, written to a file too where there is one."""
    if path is not None:
        from karat.render.writing import write_text

        write_text(path, text + "\n")
    return text
