"""`RowList`: the rows behind a number of a report, in every form of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from karat.api.exports import Exports
from karat.results import row_list
from karat.results.set_row_list import as_text

if TYPE_CHECKING:
    from karat.output.document import Document
    from karat.output.tidy import Row


class RowList(Exports, row_list.RowList):
    """Rows behind a number of a report: a sequence of records, each a dict.

    ``to_frame``, ``to_csv``, ``to_markdown``, ``to_latex`` and ``print`` show them.

    Attributes:
        records: one record for each row: ``id``, or ``row``, its number in the source; ``true``
            and ``pred``; with scores ``prob`` of the positive class of two, else ``prob_true`` and
            ``prob_pred`` (``score`` … of other scores); ``weight``; and the slice of each column.
        columns: name → type of what each record holds.
        n: number of rows that meet the conditions, listed or not; None if it is not known.
        ids: id, or number, of each row.
    """

    def text(self, width: int = 80) -> str:
        """Return the rows as a plain text table of at most `width` columns."""
        from karat.output.layout import text_of

        return text_of(self._document("headline"), width)

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.output.listed_rows import describe_rows

        del metrics  # rows have none
        return describe_rows(self)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        # A set of labels is one text.
        rows: list[Row] = [
            {name: as_text(x) if isinstance(x, list) else x for name, x in record.items()}
            for record in self.records
        ]
        return rows, self.columns

    def __repr__(self) -> str:
        return f"<karat rows: {len(self)}>"

    def _repr_html_(self) -> str:
        from karat.output.forms import form
        from karat.output.notebook import html_of

        return form(lambda rows: html_of(rows._document("headline")), self)
