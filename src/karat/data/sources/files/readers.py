"""Files and queries as `Relation`: SQL for DuckDB, and the column names."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.data.percents import PERCENT
from karat.data.roles import ALIASES, normalized
from karat.data.sources.files.duck import (
    check_text,
    explaining,
    file_list,
    first_line_of_zstd,
    literal,
    quoted,
)
from karat.data.sources.files.relations import Part, Relation
from karat.data.sources.files.sql import (
    CODE,
    NUMBER,
    WHOLE,
    is_null,
    item_of,
    text_of_json,
    text_of_typed,
    with_point,
)
from karat.data.sources.formats import AS_TYPED, ColumnFormats, refused_lists
from karat.errors import error

if TYPE_CHECKING:
    import duckdb

    from karat.data.sources.files.duck import DataFile
    from karat.data.sources.files.paths import Found

N_OBJECTS = 20_480
"""Number of objects of a JSON file whose keys are examined, as in DuckDB."""

_NUMBERED = re.compile(r"(.*)_[0-9]+")


def folders_of(files: Sequence[DataFile]) -> set[str]:
    """Return keys of the folders named ``key=value`` above the files."""
    parts = [part for file in files if file.is_partitioned for part in Path(file.path).parts[:-1]]
    return {part.partition("=")[0] for part in parts if "=" in part}


def _is_numbered(columns: Sequence[str]) -> bool:
    """Return whether some name resembles a number that DuckDB gave to the second of two columns."""
    known = {name.lower() for name in columns}
    matches = (_NUMBERED.fullmatch(name) for name in columns)
    return any(match and match[1].lower() in known for match in matches)


def parquet_header(
    connection: duckdb.DuckDBPyConnection, columns: tuple[str, ...], files: Sequence[DataFile]
) -> tuple[str, ...]:
    """Return the name in the file of each column of Parquet files."""
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
    """Yield top-level names of a schema that is written depth first."""

    def skip(n_children: int) -> None:
        for _ in range(n_children):
            skip(next(rows)[1] or 0)

    for name, n_children in rows:
        yield name
        skip(n_children or 0)


def json_header(
    connection: duckdb.DuckDBPyConnection, columns: tuple[str, ...], objects: str
) -> tuple[str, ...]:
    """Return the key of each column of JSON objects.

    Args:
        objects: SQL that reads the objects in a column `json`.
    """
    if not _is_numbered(columns):
        return columns
    rows = connection.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) FROM (FROM {objects} LIMIT {N_OBJECTS})"
    )
    keys = {str(key) for (key,) in rows.fetchall()}
    bases = {name: match[1] for name in columns if (match := _NUMBERED.fullmatch(name))}
    return tuple(
        bases[name] if name not in keys and bases.get(name) in keys else name for name in columns
    )


def member(key: str) -> str:
    """Return SQL for the value of one key of a JSON object, as JSON."""
    pointer = key.replace("~", "~0").replace("/", "~1")
    return f"(json -> {literal('/' + pointer)})"


HEADER_BYTES_MAX = 1 << 21
N_SAMPLE = 20_000
"""Number of rows of a CSV for guessing column types; labels do not depend on the guess."""


def open_relation(
    connection: duckdb.DuckDBPyConnection, found: Found, formats: ColumnFormats = AS_TYPED
) -> Relation:
    """Open a source and find its columns; no rows are read except a sample.

    Errors:
        K402 a file has no header; K403 a file cannot be read; K404 there is no column of text;
        K408 the query fails; K410 partitions differ; K455 formats that the columns do not have.
    """
    with explaining(found.files, has_sql=found.query is not None):
        if found.query is not None:
            parts: tuple[Part, ...] = (_query(connection, found.query),)
            rows_of = None
        else:
            parts = tuple(_parts(connection, found.files, formats))
            rows_of = _rows_of(connection, found.files)
    parts = tuple(_with_texts(part, formats) for part in parts)
    relation = Relation(parts, found.files, found.query, rows_of, connection=connection)
    formats.check_names(relation.header)
    if not any(part.reading == "csv" for part in parts):
        formats.refuse_comma("a query" if found.query is not None else "Parquet or JSON files")
    return relation


def _with_texts(part: Part, formats: ColumnFormats) -> Part:
    """Return the part with the columns of text as text (K455: one holds lists)."""
    texts = {}
    columns = dict(part.columns)
    for name, (own, kind) in zip(part.header, part.columns.items(), strict=True):
        if name not in formats.text:
            continue
        if item_of(kind) is not None or (part.reading == "json" and kind.startswith("STRUCT")):
            raise refused_lists(name)
        text = None
        if part.origin(own) == "typed":
            text = text_of_typed(quoted(own), kind)
        elif part.origin(own) == "json":
            text = text_of_json(quoted(own))
        texts[own] = text or quoted(own)
        if text is not None:
            columns[own] = "VARCHAR"
    has_comma = formats.has_comma and part.reading == "csv"
    return replace(part, columns=columns, texts=texts, has_comma=has_comma)


def _columns(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, str]:
    """Return the type of each column of a FROM clause."""
    relation = connection.sql(f"FROM {sql}")
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _query(connection: duckdb.DuckDBPyConnection, query: str) -> Part:
    check_text(query)
    statements = connection.extract_statements(query)
    kinds = [statement.type.name for statement in statements]
    if kinds != ["SELECT"]:
        told = f"It holds {len(kinds)} statements" if len(kinds) != 1 else f"It is {kinds[0]}"
        raise error("K408", found=f"{told}; one SELECT is read.")
    sql = f"(\n{_bare(connection, query)}\n) AS source"
    columns = _columns(connection, sql)
    # A subquery numbers duplicate names; the query itself shows them.
    return Part(sql, columns, "typed", tuple(connection.sql(query).columns))


def _bare(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """Return a query without anything after its end, `; -- like this`."""
    import duckdb

    end = len(query)
    while True:
        try:
            connection.extract_statements(f"FROM (\n{query[:end]}\n)")
        except duckdb.Error:
            end = query.rfind(";", 0, end)
            if end < 0:
                return query
        else:
            return query[:end]


def _parts(
    connection: duckdb.DuckDBPyConnection, files: tuple[DataFile, ...], formats: ColumnFormats
) -> Iterator[Part]:
    for (kind, is_partitioned, _), group in groupby(
        files, key=lambda f: (f.kind, f.is_partitioned, f.compression)
    ):
        members = tuple(group)
        if kind == "csv":
            yield from _csv_parts(connection, members, formats)
        elif kind == "json":
            yield _json_part(connection, members, formats)
        else:
            paths = file_list([file.path for file in members])
            folders = f"{is_partitioned}{_types_of_folders(members, formats)}"
            sql = f"read_parquet({paths}, union_by_name=true, hive_partitioning={folders})"
            columns = _columns(connection, sql)
            header = parquet_header(connection, tuple(columns), members)
            yield Part(sql, columns, "typed", header, members)


def _rows_of(
    connection: duckdb.DuckDBPyConnection, files: Sequence[DataFile]
) -> dict[str, int] | None:
    """Return the row counts in the footers of Parquet files; None if there are other files."""
    if not all(file.kind == "parquet" for file in files):
        return None
    paths = file_list([file.path for file in files])
    sql = f"SELECT file_name, num_rows FROM parquet_file_metadata({paths})"
    return {path: int(n) for path, n in connection.execute(sql).fetchall()}


def _types_of_folders(files: tuple[DataFile, ...], formats: ColumnFormats) -> str:
    """Return an option of DuckDB: columns of text that come from the names of folders; or ""."""
    texts = sorted(folders_of(files) & {*formats.text})
    types = ", ".join(f"{literal(name)}: VARCHAR" for name in texts)
    return f", hive_types={{{types}}}" if texts else ""


def _csv_parts(
    connection: duckdb.DuckDBPyConnection, files: tuple[DataFile, ...], formats: ColumnFormats
) -> Iterator[Part]:
    """Group CSV files with the same header and separator, which are read together."""
    headers = [(_csv_header(file), file) for file in files]
    for (names, separator), group in groupby(headers, key=lambda pair: pair[0]):
        members = tuple(file for _, file in group)
        unique = _unique(names)
        declared = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in unique)
        of_folders = _types_of_folders(members, formats)
        # All options are explicit: DuckDB's sniffer may skip rows that do not
        # fit, and would take 't' and 'f' for booleans.
        sql = (
            f"read_csv({file_list([file.path for file in members])}, auto_detect=false, "
            f"header=true, delim={literal(separator)}, quote='\"', escape='\"', "
            f"allow_quoted_nulls=false, null_padding=false, strict_mode=true, "
            f"compression={literal(members[0].compression)}, "
            f"hive_partitioning={members[0].is_partitioned}{of_folders}, columns={{{declared}}})"
        )
        texts = {own for name, own in zip(names, unique, strict=True) if name in formats.text}
        guess = _guessed(connection, sql, texts, has_comma=formats.has_comma)
        folders = frozenset(name for name in guess.types if name not in unique)
        header = (*names, *(name for name in guess.types if name in folders))
        kinds = guess.mixed, folders, guess.floats, guess.percents, guess.codes
        yield Part(sql, guess.types, "csv", header, members, *kinds)


def _csv_header(file: DataFile) -> tuple[tuple[str, ...], str]:
    """Return column names and separator of a CSV, from its first line."""
    line = _first_line(file).removeprefix("\ufeff")
    if not line.strip():
        raise error("K402", path=file.shown, found="no header in its first line")
    is_tsv = file.path.lower().removesuffix(".gz").removesuffix(".zst").endswith(".tsv")
    separators = ["\t"] if is_tsv else [",", ";", "|", "\t"]
    fields = {mark: _split(line, mark) for mark in separators}
    separator = max(fields, key=lambda mark: len(fields[mark]))
    return tuple(name.strip() for name in fields[separator]), separator


def _first_line(file: DataFile) -> str:
    if file.compression == "zstd":
        return first_line_of_zstd(file.path)
    found = ""
    try:
        with (
            gzip.open(file.path) if file.compression == "gzip" else open(file.path, "rb") as stream
        ):
            line = stream.readline(HEADER_BYTES_MAX).decode("utf-8")
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        found = f"{problem}.".lower().replace("not a gzipped file", "it is not gzip")
    except UnicodeDecodeError:
        found = "line 1 is not UTF-8 text."
    except OSError as problem:
        found = f"{problem.strerror}.".lower()
    else:
        # Old line ends, single carriage returns, put the whole file on one line.
        return line.partition("\n")[0].partition("\r")[0]
    raise error("K403", path=file.shown, format="CSV", found=found)


def _split(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return [line]


def _unique(names: Sequence[str]) -> list[str]:
    """Return names that SQL can distinguish: it ignores case, and duplicates get a number."""
    taken: set[str] = set()
    unique = []
    for position, name in enumerate(names):
        base = name or f"column {position}"
        candidate, n = base, 1
        while candidate.lower() in taken:
            candidate, n = f"{base}_{n}", n + 1
        taken.add(candidate.lower())
        unique.append(candidate)
    return unique


_USUAL_NAMES = frozenset(alias for names in ALIASES.values() for alias in names)
GUESSED_MAX = 200
"""Number of text columns of a CSV whose kind is guessed from the first rows."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Kinds of the columns of a CSV in its first rows.

    Attributes:
        types: the DuckDB type of each column.
        mixed: columns without a clear type.
        floats: columns of whole numbers that are written as 1.0.
        percents: columns of numbers with a percent sign.
        codes: columns of numbers, some of which are written as codes: 007, 1e5.
    """

    types: dict[str, str]
    mixed: frozenset[str]
    floats: frozenset[str] = frozenset()
    percents: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()


def _guessed(
    connection: duckdb.DuckDBPyConnection, sql: str, known: Collection[str], *, has_comma: bool
) -> Guess:
    """Return the kind of each column in its first rows. Codes with leading zeros are text.

    Args:
        known: columns that are text, whatever they hold.
        has_comma: whether numbers have a decimal comma.
    """
    types = _columns(connection, sql)
    texts = [name for name, kind in types.items() if kind == "VARCHAR" and name not in known]
    if len(texts) > GUESSED_MAX:
        # With many columns, such as a thousand scores: only names of truth, prediction, weight …
        texts = [name for name in texts if normalized(name) in _USUAL_NAMES]
    mixed = {name for name, kind in types.items() if kind == "VARCHAR"}.difference(texts, known)
    if not texts:
        return Guess(types, frozenset(mixed))
    patterns = (WHOLE, NUMBER, CODE, PERCENT, r"[+-]?[0-9]+[.]0")

    def counts_of(column: str) -> Iterator[str]:
        is_there = f"NOT {is_null(column)}"
        yield f"count({column}) FILTER ({is_there})"
        yield f"count(*) FILTER (lower(trim({column})) IN ('true', 'false'))"
        number = with_point(column) if has_comma else column
        for pattern in map(literal, patterns):
            yield f"count(*) FILTER (regexp_full_match({number}, {pattern}) AND {is_there})"

    checks = ", ".join(sql for name in texts for sql in counts_of(quoted(name)))
    counts = connection.execute(f"SELECT {checks} FROM (FROM {sql} LIMIT {N_SAMPLE})").fetchall()[0]
    floats, percents, codes = set(), set(), set()
    size = 2 + len(patterns)
    for i, name in enumerate(texts):
        n, n_boolean, n_whole, n_real, n_code, n_percent, n_float = counts[
            size * i : size * (i + 1)
        ]
        if n_code and n_real == n:
            # Text, but for a role that takes numbers: weights may be written as 1e3.
            mixed.add(name)
            codes.add(name)
            continue
        if n and n_whole == n:
            types[name] = "BIGINT"
        elif n and n_real == n:
            types[name] = "DOUBLE"
            if n_float == n:
                floats.add(name)
        elif n and n_percent == n:
            types[name] = "DOUBLE"
            percents.add(name)
        elif n and n_boolean == n:
            types[name] = "BOOLEAN"
        elif n_real or not n:
            mixed.add(name)
    sets = (frozenset(names) for names in (mixed, floats, percents, codes))
    return Guess(types, *sets)


def _json_part(
    connection: duckdb.DuckDBPyConnection, files: tuple[DataFile, ...], formats: ColumnFormats
) -> Part:
    paths = file_list([file.path for file in files])
    compression = "auto" if files[0].compression == "none" else files[0].compression
    of_folders = f"{files[0].is_partitioned}{_types_of_folders(files, formats)}"
    common = f"compression='{compression}', hive_partitioning={of_folders}"
    types = _columns(connection, f"read_json({paths}, union_by_name=true, {common})")
    if list(types) == ["json"]:
        raise error(
            "K403", path=files[0].shown, format="JSON", found="it holds no objects with columns."
        )
    folders = frozenset(folders_of(files) & set(types))
    objects = f"read_json_objects({paths}, {common})"
    header = json_header(connection, tuple(types), objects)
    if header != tuple(types):
        # Columns that SQL cannot distinguish are taken from each object by their own names.
        taken = ", ".join(
            f"{quoted(name)}" if name in folders else f"{member(key)} AS {quoted(name)}"
            for name, key in zip(types, header, strict=True)
        )
        sql = f"(SELECT {taken} FROM {objects})"
    else:
        declared = ", ".join(f"{literal(name)}: 'JSON'" for name in types if name not in folders)
        sql = f"read_json({paths}, {common}, columns={{{declared}}})"
    return Part(sql, types, "json", header, files, partitions=folders)
