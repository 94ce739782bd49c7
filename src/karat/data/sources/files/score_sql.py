"""SQL that reads one column of one part as numbers, or as lists of them; what is none is null."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.data.sources.files.label_sql import family
from karat.data.sources.files.text_labels import Reading

__all__ = ["as_score", "can_be_score", "item_of"]

_LIST = re.compile(r"(?P<item>.*[^\]])\[\d*\]")
_AS_THEY_ARE = {
    "FLOAT",
    "DOUBLE",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
}


def item_of(kind: str) -> str | None:
    """What a DuckDB type holds lists of; None where it is no list."""
    found = _LIST.fullmatch(kind)
    return found["item"] if found else None


def can_be_score(kind: str) -> bool:
    """Whether a DuckDB type holds numbers, or lists of numbers."""
    return family(item_of(kind) or kind) in ("whole", "real", "unknown")


def as_score(column: str, origin: Reading, kinds: Sequence[str]) -> str:
    """A column of numbers; null where a value is none.

    Args:
        column: its name as SQL.
        origin: how this part writes it.
        kinds: the DuckDB type of the column, of this part first, then of all parts.
    """
    item = item_of(kinds[0])
    if origin == "csv":
        return _of_csv(column)
    if origin == "json":
        if item is None:
            return _of_json(column)
        items = f"list_transform(CAST({column} AS JSON[]), lambda item: {_of_json('item')})"
        return f"CASE WHEN json_type({column}) = 'ARRAY' THEN {items} END"
    if (item or kinds[0]) in _AS_THEY_ARE and len(set(kinds)) == 1:
        return column
    return f"CAST({column} AS DOUBLE{'[]' if item else ''})"


def _of_csv(column: str) -> str:
    # DuckDB would read '1_2' as 12. The expression is short because every part of it takes memory
    # in every thread, for a thousand columns at once.
    return f"TRY_CAST(replace({column}, '_', '?') AS DOUBLE)"


def _of_json(column: str) -> str:
    # Objects and arrays become no number by themselves; '"0.5"' and true would.
    is_other = f"json_type({column}) IN ('VARCHAR', 'BOOLEAN')"
    return f"CASE WHEN {is_other} THEN NULL ELSE TRY_CAST({column} AS DOUBLE) END"
