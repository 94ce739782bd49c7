"""The same rows with scores in every table and file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from karat.data.rows import Rows
from karat.data.sources.files.rows import rows_of_files
from karat.data.sources.tables.rows import rows_of_frame
from tests.optional import optional

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
pq = optional("pyarrow.parquet")


def rows(found: Any) -> Rows:
    assert isinstance(found, Rows), found
    return found


def write_csv(path: Path, table: Any) -> str:
    table.to_pandas().to_csv(path, index=False)
    return str(path)


def write_json(path: Path, table: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), "utf-8")
    return str(path)


def write_parquet(path: Path, table: Any) -> str:
    pq.write_table(table, path, row_group_size=500)
    return str(path)


WRITERS: dict[str, Callable[[Path, Any], str]] = {
    "csv": write_csv, "jsonl": write_json, "parquet": write_parquet,
}  # fmt: skip


def sources(tmp_path: Path, columns: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Every way to read the same columns."""
    table = pa.table(columns)
    found: dict[str, Callable[..., Any]] = {
        "dict": lambda **o: rows_of_frame(columns, **o),
        "pandas": lambda **o: rows_of_frame(pd.DataFrame(columns), **o),
        "polars": lambda **o: rows_of_frame(pl.DataFrame(columns), **o),
        "arrow": lambda **o: rows_of_frame(table, **o),
    }
    for ending, write in WRITERS.items():
        if ending == "csv" and "lists" in columns:
            continue
        path = write(tmp_path / f"small.{ending}", table)
        found[ending] = lambda path=path, **o: rows_of_files(path, **o)
    path = write_parquet(tmp_path / "query.parquet", table)
    found["query"] = lambda **o: rows_of_files(f"FROM '{path}'", **o)
    return found


def parquet(tmp_path: Path, **columns: Any) -> str:
    return write_parquet(tmp_path / "a.parquet", pa.table(columns))
