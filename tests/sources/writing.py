"""Prediction files for tests, written in every format that karat reads."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.optional import optional

duckdb = optional("duckdb")

Columns = Mapping[str, Sequence[Any]]

TRUE = [0, 0, 1, 1, 1, 1, 1, 2, 2, 3]
PRED = [0, 2, 1, 1, 2, 0, 0, 2, 2, 0]
MATRIX = [[1, 0, 1, 0], [2, 2, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0]]
TEN: Columns = {"label": TRUE, "pred": PRED}


def write_csv(path: Path, columns: Columns, separator: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def write_json(path: Path, columns: Columns, *, is_array: bool = False) -> Path:
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    text = json.dumps(rows) if is_array else "\n".join(map(json.dumps, rows))
    path.write_text(text, encoding="utf-8")
    return path


def write_parquet(path: Path, columns: Columns, **types: str) -> Path:
    """Write with DuckDB, by way of JSON; `types` gives a column another type."""
    source = write_json(path.with_suffix(".source.json"), columns, is_array=True)
    casts = {name: f'CAST("{name}" AS {kind})' for name, kind in types.items()}
    casts |= {name: f'encode("{name}")' for name, kind in types.items() if kind == "BLOB"}
    chosen = ", ".join(f'{casts.get(name, name)} AS "{name}"' for name in columns)
    query(f"COPY (SELECT {chosen} FROM read_json('{source}')) TO '{path}' (FORMAT parquet)")
    source.unlink()
    return path


def write_rows(path: Path, select: str) -> Path:
    """Write the rows of a query as Parquet."""
    query(f"COPY ({select}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 20480)")
    return path


def query(sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return list(connection.execute(sql).fetchall())


def compress(path: Path, kind: str) -> Path:
    """The file compressed beside itself, as .gz or .zst."""
    target = path.with_name(f"{path.name}.{kind}")
    if kind == "gz":
        target.write_bytes(gzip.compress(path.read_bytes()))
    else:
        lines = (
            f"read_csv('{path}', header=false, delim='\\x01', quote='', columns={{'l': 'VARCHAR'}})"
        )
        query(
            f"COPY (FROM {lines}) TO '{target}' "
            "(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', COMPRESSION zstd)"
        )
    return target
