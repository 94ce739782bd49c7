"""Tables and files made from the columns of a sample."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from karat.testing import Sample
from tests.optional import optional

pa = optional("pyarrow")
pq = optional("pyarrow.parquet")


def arrow(sample: Sample, schema: Any = None) -> Any:
    """The columns as an Arrow table; `schema` is that of all parts."""
    return pa.table(dict(sample.columns), schema=schema)


def arrow_parts(sample: Sample, n_parts: int) -> list[Any]:
    """The parts of a sample as Arrow tables of one schema."""
    schema = arrow(sample).schema
    return [arrow(part, schema) for part in sample.parts(n_parts)]


def write_parquet(sample: Sample, folder: Path, n_files: int, rows_of_group: int = 20) -> list[str]:
    """Write one Parquet file for each part, with small row groups."""
    paths = [str(folder / f"{place}.parquet") for place in range(n_files)]
    for path, table in zip(paths, arrow_parts(sample, n_files), strict=True):
        pq.write_table(table, path, row_group_size=rows_of_group)
    return paths


def write_csv(sample: Sample, path: Path) -> str:
    """Write a CSV file; missing values are empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(sample.columns)
        columns = listed(sample).values()
        rows = zip(*columns, strict=True)
        writer.writerows(
            [str(x).lower() if isinstance(x, bool) else x for x in row] for row in rows
        )
    return str(path)


def write_json_lines(sample: Sample, path: Path) -> str:
    """Write one JSON object for each row."""
    columns = listed(sample)
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True)), default=str) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def separated(sample: Sample) -> Sample:
    """The sample with its sets of labels as text."""
    columns = {
        name: ["NA" if row is None else " | ".join(map(str, row)) for row in values]
        if name in (sample.roles["true"], sample.roles["pred"])
        else values
        for name, values in sample.columns.items()
    }
    return replace(sample, columns=columns)


def listed(sample: Sample) -> dict[str, list[Any]]:
    """The columns as lists of Python objects."""
    return {name: [plain(value) for value in values] for name, values in sample.columns.items()}


def plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
