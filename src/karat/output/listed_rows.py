"""The rows behind a number, as a document; and what a page embeds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.errors.text import MISSING, count, counted, value
from karat.output.document import Document, Table, TableColumn
from karat.results.set_row_list import as_text

if TYPE_CHECKING:
    from karat.results.row_list import RowList


def describe_rows(rows: RowList) -> Document:
    """A table of the rows, worst first, and of how many they are."""
    table = Table.by_column(
        "Rows",
        *(
            (_column(name, kind), [_text(record[name]) for record in rows.records])
            for name, kind in rows.columns.items()
        ),
    )
    facts = (number_of(len(rows), rows.n),)
    return Document("karat rows", facts, (table,) if rows.records else ())


def number_of(n_listed: int, n: int | None) -> str:
    """Return how many rows are listed, and of how many.

    Example:
        >>> number_of(12, 481), number_of(1, 1), number_of(3, None)
        ('12 of 481 rows, worst first', '1 row', '3 rows that were kept')
    """
    if n is None:
        return f"{counted(n_listed, 'row')} that were kept"
    if n_listed >= n:
        return counted(n, "row")
    return f"{count(n_listed)} of {counted(n, 'row')}, worst first"


def _column(name: str, kind: type) -> TableColumn:
    is_name = name in ("true", "pred", "missed", "added")
    is_text = kind is str or is_name
    return TableColumn(name, "left" if is_text else "right", is_name=is_name)


def _text(item: Any) -> str:
    if item is None:
        return MISSING
    if isinstance(item, list):
        return as_text(item) or "∅"
    return value(item) if isinstance(item, float) else str(item)
