"""`Exports`: the forms of a result as documents and tables, in several text formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from karat.tally.writing import write_text

if TYPE_CHECKING:
    from os import PathLike

    from karat.output.document import Document
    from karat.output.tidy import Backend, Row

    Path = str | PathLike[str] | None


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

        return written(markdown_of(self._document(metrics)), path)

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

        return written(latex_of(self._document(metrics)), path)

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

        return written(csv_of(*self._rows()), path)

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


def written(text: str, path: Path, end: str = "\n") -> str:
    """Return the text; write it to a file too, if given."""
    if path is not None:
        write_text(path, text + end)
    return text
