"""What the columns of a file are called in the file, where SQL cannot tell two of them apart.

SQL ignores case: of `label`, `label` and `Label` DuckDB makes `label`, `label_1` and `Label_2`.
The names of the file itself say that there are several, so that none is taken in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.data.sources.files.duck import file_list, literal

if TYPE_CHECKING:
    import duckdb

    from karat.data.sources.files.paths import DataFile

__all__ = ["folders_of", "json_header", "member", "parquet_header"]

N_OBJECTS = 20_480
"""Objects of a JSON file whose keys are looked at: as many as DuckDB looks at."""

_NUMBERED = re.compile(r"(.*)_[0-9]+")


def folders_of(files: Sequence[DataFile]) -> set[str]:
    """Keys of the folders named ``key=value`` above the files."""
    parts = [part for file in files if file.is_partitioned for part in Path(file.path).parts[:-1]]
    return {part.partition("=")[0] for part in parts if "=" in part}


def _is_numbered(columns: Sequence[str]) -> bool:
    """Whether some name looks like a number that DuckDB gave to the second of two columns."""
    known = {name.lower() for name in columns}
    matches = (_NUMBERED.fullmatch(name) for name in columns)
    return any(match and match[1].lower() in known for match in matches)


def parquet_header(
    connection: duckdb.DuckDBPyConnection, columns: tuple[str, ...], files: Sequence[DataFile]
) -> tuple[str, ...]:
    """The name that each column of Parquet files has in its file."""
    if not _is_numbered(columns):
        return columns
    own: dict[str, str] = {}
    for file in files:
        path = file_list([file.path])
        rows = connection.execute(f"SELECT name, num_children FROM parquet_schema({path})")
        names = list(_top_level(iter(rows.fetchall()[1:])))
        if max(Counter(name.lower() for name in names).values(), default=0) > 1:
            shown = connection.sql(f"FROM read_parquet({path}, hive_partitioning=false)").columns
            own |= dict(zip(shown, names, strict=True))
    return tuple(own.get(name, name) for name in columns)


def _top_level(rows: Iterator[tuple[Any, ...]]) -> Iterator[str]:
    """Names of a schema that is written depth first, without those inside other columns."""

    def skip(n_children: int) -> None:
        for _ in range(n_children):
            skip(next(rows)[1] or 0)

    for name, n_children in rows:
        yield name
        skip(n_children or 0)


def json_header(
    connection: duckdb.DuckDBPyConnection, columns: tuple[str, ...], objects: str
) -> tuple[str, ...]:
    """The key that each column of JSON objects has.

    Args:
        objects: SQL that reads the objects in a column `json`.
    """
    if not _is_numbered(columns):
        return columns
    rows = connection.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) FROM (FROM {objects} LIMIT {N_OBJECTS})"
    )
    keys = {str(key) for (key,) in rows.fetchall()}
    header = []
    for name in columns:
        match = _NUMBERED.fullmatch(name)
        is_own = name in keys or match is None or match[1] not in keys
        header.append(name if is_own or match is None else match[1])
    return tuple(header)


def member(key: str) -> str:
    """SQL for the value of one key of a JSON object, as JSON."""
    pointer = key.replace("~", "~0").replace("/", "~1")
    return f"(json -> {literal('/' + pointer)})"
