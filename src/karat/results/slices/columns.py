"""`Slices`: the slices of a report, by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from karat.errors import error, shown
from karat.results.slices.table import Key, SliceTable
from karat.results.values import ReportValues
from karat.tally import Cells
from karat.tally.sliced import key_of

__all__ = ["Slices"]


class Slices(Mapping[Any, SliceTable]):
    """Column, or tuple of columns → its `SliceTable`; empty where ``by=`` was not given."""

    def __init__(self, tables: Mapping[Key, SliceTable] | None = None) -> None:
        self._tables = dict(tables or {})

    def __getitem__(self, column: Any) -> SliceTable:
        """The slices by a column.

        Errors:
            K183 the report has none by it.
        """
        key = key_of(column)
        if key not in self._tables:
            known = [name if len(name) > 1 else name[0] for name in self._tables]
            told = shown(known, 12) if known else "none: give by= to karat.evaluate"
            raise error("K183", what=f"by {column!r}", known=told)
        return self._tables[key]

    def __contains__(self, column: object) -> bool:
        return key_of(column) in self._tables

    def __iter__(self) -> Iterator[Any]:
        return (key if len(key) > 1 else key[0] for key in self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def changed(self, change: Callable[[Cells], Cells], whole: ReportValues) -> Slices:
        """The same of a report whose table was changed alike."""
        return Slices({key: one.changed(change, whole) for key, one in self._tables.items()})

    def __repr__(self) -> str:
        return (
            f"<karat slices by {', '.join(' × '.join(key) for key in self._tables) or 'nothing'}>"
        )
