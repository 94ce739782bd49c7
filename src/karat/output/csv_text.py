"""Rows as CSV: one line a row, numbers in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.output.tidy import Row

__all__ = ["csv_of", "csv_of_lists"]


def csv_of(rows: Iterable[Row], columns: Mapping[str, type]) -> str:
    """The rows under their columns, without a line end after the last.

    RFC 4180 with line feeds. Floats have the digits that give them back, what is None is an empty
    field, an empty text is quoted.
    """
    return csv_of_lists(columns, ([row[name] for name in columns] for row in rows))


def csv_of_lists(head: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    """Lists of values under a head, written likewise."""
    return "\n".join(",".join(map(_field, row)) for row in (list(head), *rows))


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    needs_quotes = not text or text != text.strip() or any(char in text for char in ',"\r\n')
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text
