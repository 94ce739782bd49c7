"""Columns of structs in files: the query that makes a column of numbers for each class."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from karat.data.sources.files.duck import literal, quoted
from karat.errors import KaratError, error

if TYPE_CHECKING:
    import duckdb

_FIELD: Final = re.compile(r'("(?:[^"]|"")*"|\w+) (?:DOUBLE|FLOAT|DECIMAL\([^)]*\)|U?\w*INT\w*)')
_PLAIN: Final = re.compile(r"[A-Za-z_]\w*")


def are_structs(kind: str) -> bool:
    """Return whether a DuckDB type is structs, or lists of them."""
    return kind.startswith("STRUCT(")


def refused_structs(
    name: str, kind: str, source: str, sql: str, connection: duckdb.DuckDBPyConnection
) -> KaratError:
    """K130: scores are in structs, with the query that reads them.

    Args:
        name, kind: the column and its DuckDB type.
        source: what the query is to read, as SQL after FROM.
        sql: what the rows are read from here.
        connection: the connection that reads it.
    """
    column, fields = _name(name), _fields(kind)
    if kind.endswith("[]"):
        what = "lists of structs"
        fields = _labels(name, sql, connection)
        cells = [f"map_from_entries({column})[{literal(field)}]" for field in fields]
    else:
        what = "structs"
        cells = [f"{column}.{_name(field)}" for field in fields]
    fact = f"It holds {what}, {kind}"
    if not fields:
        return error("K130", argument=f"Column {name!r}", found=fact)
    each = zip(cells, fields, strict=True)
    chosen = ", ".join(f"{cell} AS {_name(f'proba_{field}')}" for cell, field in each)
    query = f"SELECT * EXCLUDE ({column}), {chosen} FROM {source}"
    do = f"Read a column for each class instead of the file, by a query: {query}"
    return error("K130", argument=f"Column {name!r}", found=fact, advice=do)


def _name(name: str) -> str:
    """Return a name as SQL, without quotes where it needs none."""
    return name if _PLAIN.fullmatch(name) else quoted(name)


def _fields(kind: str) -> list[str]:
    """Return the fields of a type of structs; none if one of them is no number."""
    inner = kind.removeprefix("STRUCT(").removesuffix(")")
    names = [matched[1] for matched in _FIELD.finditer(inner)]
    if ", ".join(matched[0] for matched in _FIELD.finditer(inner)) != inner:
        return []
    return [name[1:-1].replace('""', '"') if name.startswith('"') else name for name in names]


def _labels(name: str, source: str, connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the labels in the first row of lists of label and score; none of other structs."""
    sql = f"SELECT to_json({quoted(name)}) FROM {source} LIMIT 1"
    rows = connection.sql(sql).fetchall()
    items: Sequence[object] = json.loads(rows[0][0]) if rows and rows[0][0] else []
    labels = [item.get("label") for item in items if isinstance(item, dict) and len(item) == 2]
    return sorted(label for label in labels if isinstance(label, str))
