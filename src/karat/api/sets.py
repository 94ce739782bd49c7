"""`MultilabelReport`: the public report of rows with sets of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from karat.api.exports import written
from karat.api.forms import attach_forms_of_slices
from karat.api.report import Report
from karat.api.results import Result
from karat.api.shown import ClassRows
from karat.results import result
from karat.results.sets import SetReport
from karat.tally.writing import write_text

if TYPE_CHECKING:
    from os import PathLike

    from karat.output.document import Document
    from karat.output.tidy import Row
    from karat.results.slices import ByColumn, SliceTable


class MultilabelReport(SetReport, Report):
    """All metrics of rows with sets of labels.

    Read a metric by item or attribute: ``report["macro_f1"]``, ``report.subset_accuracy``. Averages
    of metrics of one label are ``macro_``, ``micro_``, ``weighted_`` and ``samples_`` (the mean
    over rows); metrics of rows are ``subset_accuracy``, ``hamming_loss`` and others. Rows are the
    units of every interval: labels of one row go together.

    Attributes:
        tally: the tally.
        encoded: the rows, if they were kept.
        undefined: policy for undefined values, of labels and of rows: ``"zero"``, ``"exclude"`` or
            ``"nan"``.
        requested: the metrics asked for, or None for all.
        confidence: what was asked of the intervals; None: there are none.
        mapping: column that played each role, when the rows came from a table.
        source: facts about where the rows came from.
        warnings: sentences the reader should see.
        kept_intervals: intervals of a report that was read from JSON, which has no rows.
        kept_transfers: likewise the table of transfers; read it as `transfers`.
        kept_cautions: likewise the cautions.
        sample: rows drawn from all, where those were too many to keep: how labels go together.
        is_clustered: whether intervals take rows of a cluster together.
        kept_limits: limits of each label by metric, of a report of clusters read from JSON.
        kept_slices: slices of a report that was read from JSON; read them as `slices`.

    With ``by=``, ``report.slices["country"]["NO"]`` is the report of a slice; see `slices`.

    Example:
        >>> import karat
        >>> report = karat.evaluate([{"cat"}, {"dog"}, set()], [{"cat"}, {"cat", "dog"}, set()])
        >>> report["subset_accuracy"].value == 2 / 3
        True
        >>> [row["label"] for row in report.per_class]
        ['cat', 'dog']
    """

    kind = "A report of sets of labels"
    methods = frozenset({"of_labels", "wrong_rows"})
    result_type: ClassVar[type[result.Result]] = Result
    """Type of the results of metrics."""

    @property
    def slices(self) -> ByColumn[SliceTable[Self]]:
        """Column, or tuple of crossed columns → its slices: ``report.slices["country"]["NO"]``.

        Each is a report of its rows, on all labels and with the settings of this one; empty where
        ``by=`` was not given. Of a report that was read from JSON a slice knows what JSON holds:
        its tally, the metrics that open the report, and how slices differ in these.

        Errors:
            K211 the rows were not kept, as of a report that was read from JSON without slices.

        Example:
            >>> import karat
            >>> sets = [{"cat"}, {"dog"}, {"cat", "dog"}, {"dog"}]
            >>> report = karat.evaluate(sets, sets[::-1], by={"source": ["a", "a", "b", "b"]})
            >>> report.slices["source"]["a"].n_rows
            2
            >>> report.slices["source"].rest["a"]["micro_recall"].value == 1 / 3
            True
        """
        attach_forms_of_slices()
        return super().slices

    @property
    def per_class(self) -> ClassRows:
        """One row for each label: label, name, counts and rates; undefined rates have a reason.

        As `karat.Report.per_class`, of the labels.
        """
        return ClassRows.kept(super().per_class, self, ("label", "labels"))

    def text(self, width: int = 80) -> str:
        """The report as plain text of at most `width` columns."""
        from karat.output.layout import text_of

        return text_of(self._document("headline"), width)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON types, in the schema ``karat.multilabel/2``."""
        from karat.output.json.sets import sets_to_dict

        return sets_to_dict(self)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The report as JSON text with sorted keys; written to `path` too, when given.

        Of the slices it holds the tallies, the metrics that open the report, and how they differ
        in these.

        The file is written whole or not at all: a failure leaves an earlier one as it was.
        """
        from karat.output.json.sets import sets_to_json

        text = sets_to_json(self)
        if path is not None:
            write_text(path, text + "\n")
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report back from its JSON text: the same tally, hence the same numbers.

        Intervals of averages over labels and the table of transfers take the rows, which JSON does
        not have: they are as they were written.

        Errors:
            K205 it is not a whole report of schema ``karat.multilabel/2``, or contradicts itself;
            K301, K302 it asks for metrics that karat lacks.
        """
        from karat.output.json.sets import sets_from_json

        return sets_from_json(text, cls)

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Return the report as one self-contained HTML page; write it to `path` too, if given.

        Args:
            path: where the page is written, or None.
            title: heading of the page and of its tab; default: the file, or the labels.

        Errors:
            K122 the title is no text; K501 jinja2 or matplotlib is missing:
            ``pip install "karat[cli]"``.
        """
        from karat.output.html.page import sets_to_html

        return written(sets_to_html(self, title), path, end="")

    def __repr__(self) -> str:
        return f"<karat.MultilabelReport: {self.n_rows} rows, {self.classes.k} labels>"

    def _repr_html_(self) -> str:
        from karat.output.forms import form
        from karat.output.notebook import html_of

        return form(lambda report: html_of(report._document("headline")), self)

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.output.describe_sets import describe_sets

        return describe_sets(self, metrics=metrics)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.output.tidy import REPORT_COLUMNS, rows_of_sets

        return rows_of_sets(self), REPORT_COLUMNS
