"""Rows in one order: a query whose plan could mix them runs on one thread.

Messages number rows, a second read looks one up by its number, and sums of floats follow the
rows: so every read of a source must see them alike. DuckDB hands them out in the order of the
files while a plan only scans, filters and computes; joins, aggregates and samples do not
(a long ``IN`` list is a join, too).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

__all__ = ["keep_order"]

_KEEPING = frozenset(
    {
        "PROJECTION",
        "FILTER",
        "UNNEST",
        "UNION",
        "ORDER_BY",
        "TOP_N",
        "LIMIT",
        "STREAMING_LIMIT",
        "COLUMN_DATA_SCAN",
        "DUMMY_SCAN",
        "EMPTY_RESULT",
    }
)
_SCANS = ("READ_", "RANGE", "GENERATE_SERIES")


def keep_order(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Let the connection read with one thread where several could change the order of `sql`.

    Args:
        connection: it keeps the setting.
        sql: what will be read, as given to it later.
    """
    rows = connection.execute(f"EXPLAIN (FORMAT json) {sql}").fetchall()
    plans = [plan for _, text in rows for plan in json.loads(text)]
    if not all(map(_keeps, plans)):
        connection.execute("SET threads = 1").fetchall()


def _keeps(plan: dict[str, Any]) -> bool:
    name = plan["name"].strip()
    is_kept = name in _KEEPING or name.startswith(_SCANS)
    return is_kept and all(map(_keeps, plan.get("children", ())))
