"""Declared orders of text columns of files: SQL types ENUM, and ordered categories of Parquet."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from karat.data.arrow import ordered_fields
from karat.data.sources.files.duck import explaining
from karat.tally.shared import widest_order

if TYPE_CHECKING:
    from karat.data.sources.files.relations import Part, Relation


def declared_order(relation: Relation, name: str) -> tuple[str, ...] | None:
    """Return every category of a text column in its order, if all of its files declare one.

    pyarrow reads the categories of Parquet files; without it, no order is known.

    Args:
        name: the column by its name in SQL.

    Cost: a query for each group of files; for ordered categories, one page of each row group.
    """
    orders: list[tuple[str, ...]] = []
    for part in relation.parts:
        for order in _orders_of(part, name, relation):
            if order is None:
                return None
            orders.append(order)
    return widest_order(orders)


def _orders_of(part: Part, name: str, relation: Relation) -> Iterator[tuple[str, ...] | None]:
    """Yield the order in each file of a part; None if there is none."""
    kind = part.columns.get(name, "")
    if kind.startswith("ENUM("):
        (values,) = relation.connection.execute(f"SELECT enum_range(NULL::{kind})").fetchall()[0]
        yield tuple(values)
        return
    if kind != "VARCHAR" or not part.files or part.files[0].kind != "parquet":
        yield None
        return
    shown = part.header[list(part.columns).index(name)]
    sql = f"SELECT file_name, decode(key), value FROM parquet_kv_metadata({part.paths})"
    with explaining(part.files):
        facts = relation.connection.execute(f"{sql} WHERE key IN ('ARROW:schema', 'pandas')")
        are_ordered = {path for path, *fact in facts.fetchall() if shown in _ordered(*fact)}
    for file in part.files:
        if file.path not in are_ordered:
            yield None
            return
        orders = _of_parquet(file.path, shown)
        yield from [None] if orders is None else orders


def _ordered(key: str, value: bytes) -> set[str]:
    """Return the columns of ordered categories by the metadata of a Parquet file."""
    try:
        if key != "pandas":
            return ordered_fields(base64.b64decode(value))
        columns = json.loads(value)["columns"]
        return {one["field_name"] for one in columns if (one["metadata"] or {}).get("ordered")}
    except Exception:  # damaged metadata of any kind declares nothing
        return set()


def _of_parquet(path: str, name: str) -> list[tuple[str, ...]] | None:
    """Return the dictionary of each row group of a file; None if one is not stored."""
    try:
        import pyarrow.parquet as pq

        with pq.ParquetFile(path, read_dictionary=[name]) as file:
            orders = []
            for group in range(file.num_row_groups):
                facts: Any = file.metadata.row_group(group)
                columns = map(facts.column, range(facts.num_columns))
                if not any(x.path_in_schema == name and x.has_dictionary_page for x in columns):
                    return None
                first = next(file.iter_batches(1, row_groups=[group], columns=[name]))
                orders.append(tuple(map(str, first.column(0).dictionary.to_pylist())))
            return orders
    except Exception:  # without pyarrow, or where it cannot read what DuckDB does
        return None
