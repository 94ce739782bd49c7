"""A source as one relation: its columns, and the SQL that streams the few that are needed.

CSV and JSON say little about types, and a type guessed from the first rows is wrong for the rest.
So label columns of text files are read as text, and what the labels are is decided
once every row has been seen (`text_labels.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from karat.engines.duck import file_list, literal, quoted
from karat.errors import error, shown

if TYPE_CHECKING:
    import duckdb

    from karat.engines.paths import DataFile

__all__ = ["Part", "Reading", "Relation", "family"]

Reading: TypeAlias = Literal["typed", "csv", "json"]
"""How a label column arrives: as typed values, or as the text of a CSV field or JSON value."""

_WHOLE = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
}  # fmt: skip
_AS_THEY_ARE = _WHOLE - {"HUGEINT", "UHUGEINT"}


@dataclass(frozen=True, slots=True)
class Part:
    """Files that one table function reads, or the query.

    Attributes:
        sql: what follows FROM.
        columns: DuckDB type of each column, in file order.
        reading: how its label columns arrive.
        header: names as the file has them, repeats included.
        files: the files in it.
        mixed: columns of a CSV that hold numbers beside text in the first rows.
    """

    sql: str
    columns: Mapping[str, str]
    reading: Reading
    header: tuple[str, ...]
    files: tuple[DataFile, ...] = ()
    mixed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Relation:
    """Everything a source names, opened.

    Attributes:
        parts: in reading order.
        files: in reading order; empty for a query.
        query: the SQL query, or None.
        n_rows: rows in it where the files say so (Parquet), else None.
    """

    parts: tuple[Part, ...]
    files: tuple[DataFile, ...] = ()
    query: str | None = None
    n_rows: int | None = None
    connection: duckdb.DuckDBPyConnection = field(kw_only=True, repr=False)

    @property
    def header(self) -> tuple[str, ...]:
        """Every column name, in order; a name that one file has twice is listed twice."""
        longest = max((part.header for part in self.parts), key=len)
        others = [name for part in self.parts for name in part.header if name not in longest]
        return (*longest, *dict.fromkeys(others))

    @property
    def described(self) -> list[tuple[str, str]]:
        """Each column of `header` with the DuckDB type that the first file with it has."""
        found: list[tuple[str, str]] = []
        for name in self.header:
            n_before = [shown for shown, _ in found].count(name)
            for part in self.parts:
                places = [i for i, shown in enumerate(part.header) if shown == name]
                if len(places) > n_before:
                    found.append((name, list(part.columns.values())[places[n_before]]))
                    break
        return found

    @property
    def mixed(self) -> set[str]:
        """Columns of `header` that hold numbers beside text, so that nothing follows from it."""
        return {
            shown
            for part in self.parts
            for shown, name in zip(part.header, part.columns, strict=True)
            if name in part.mixed
        }

    def column(self, name: str) -> str:
        """What SQL calls a column of `header`: names that differ in case only are numbered."""
        part = next((part for part in self.parts if name in part.header), None)
        return name if part is None else list(part.columns)[part.header.index(name)]

    def reading(self, names: Iterable[str]) -> Reading:
        """How these label columns arrive: one way for all of them."""
        kinds = {part.reading for part in self.parts}
        if len(kinds) > 1:
            return "typed"
        (kind,) = kinds
        # Numbers with a point in a CSV are typed: 1.0 and 1 are one label.
        if kind == "csv" and all(_is_number(t) for n in names for t in self._types_of(n)):
            is_real = any(family(t) == "real" for n in names for t in self._types_of(n))
            return "typed" if is_real else "csv"
        return kind

    def _types_of(self, name: str) -> list[str]:
        return [part.columns[name] for part in self.parts if name in part.columns]

    def require(self, roles: Mapping[str, str]) -> None:
        """Check that every file has the columns, each of one kind everywhere.

        Args:
            roles: column name by role.

        Errors:
            K106 a column cannot hold labels; K116 nor weights; K410 a file lacks a column or has
            it as another kind.
        """
        for role, name in roles.items():
            first: tuple[str, str] | None = None
            for part in self.parts:
                where = part.files[0].shown if part.files else "the query"
                if name not in part.columns:
                    missing = f"{where} has no column {name!r}: it has {shown(part.columns)}."
                    raise error("K410", found=missing)
                kind = family(part.columns[name])
                _check_kind(role, name, kind, part.columns[name])
                number = "text" if kind == "text" else "numbers"
                if first is not None and first[0] != number and part.reading == "typed":
                    found = f"Column {name!r} holds {first[0]} in {first[1]}, {number} in {where}."
                    raise error("K410", found=found)
                first = first or (number, where)
            self._check_parquet(name)

    def _check_parquet(self, name: str) -> None:
        """Parquet files are bound together; each must have the column itself."""
        for part in self.parts:
            if len(part.files) < 2 or part.files[0].kind != "parquet":
                continue
            paths = file_list([file.path for file in part.files])
            rows = self.connection.execute(
                "SELECT file_name, any_value(duckdb_type) FROM parquet_schema("
                f"{paths}) WHERE name = {literal(name)} GROUP BY file_name"
            ).fetchall()
            types = dict(rows)
            if not types:
                continue  # A partition column: it comes from the folder names.
            first = next(file for file in part.files if file.path in types)
            for file in part.files:
                kind = types.get(file.path)
                if kind is None:
                    found = f"{file.shown} has no column {name!r}; {first.shown} has."
                    raise error("K410", found=found)
                if (family(kind) == "text") != (family(types[first.path]) == "text"):
                    raise error(
                        "K410",
                        found=f"Column {name!r} is {types[first.path]} in {first.shown} "
                        f"and {kind} in {file.shown}.",
                    )

    def select(self, columns: Sequence[str], where: str | None, reading: Reading) -> str:
        """SQL that reads label columns, and weights last if there are three, row by row.

        Args:
            columns: names of truth, prediction and maybe weights.
            where: a SQL condition on the columns as they are typed.
            reading: how labels arrive, as `reading()` says.
        """
        targets = [self._target(name, reading) for name in columns[:2]]
        pieces = []
        for part in self.parts:
            raw = [quoted(name) for name in columns]
            source = part.sql
            if where is not None and part.reading != "typed":
                # The filter sees typed columns, the labels stay as the file writes them.
                raw = [f'"karat {i}"' for i in range(len(columns))]
                copies = ", ".join(
                    f"{quoted(n)} AS {alias}" for n, alias in zip(columns, raw, strict=True)
                )
                typed = ", ".join(
                    f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}"
                    for name, kind in part.columns.items()
                    if kind not in ("VARCHAR", "JSON")
                )
                replaced = f"* REPLACE ({typed})" if typed else "*"
                source = f"(SELECT {copies}, {replaced} FROM {source})"
            shown_as = [
                f"{target.format(name)} AS c{i}"
                for i, (target, name) in enumerate(zip(targets, raw, strict=False))
            ]
            if len(columns) > 2:
                shown_as.append(f"CAST({raw[2]} AS DOUBLE) AS c2")
            condition = "" if where is None else f" WHERE ({where}\n)"
            pieces.append(f"SELECT {', '.join(shown_as)} FROM {source}{condition}")
        return "\nUNION ALL\n".join(pieces)

    def _target(self, name: str, reading: Reading) -> str:
        """How to read a label column: a template around its name."""
        if reading != "typed":
            return "CAST({} AS VARCHAR)"
        kinds = self._types_of(name)
        families = {family(kind) for kind in kinds}
        if families == {"binary"}:
            return "decode({})"
        if "text" in families or "unknown" in families:
            return "CAST({} AS VARCHAR)"
        if "real" in families:
            return "CAST({} AS DOUBLE)"
        if len(set(kinds)) > 1 or kinds[0] not in {*_AS_THEY_ARE, "BOOLEAN"}:
            return "CAST({} AS BIGINT)"
        # What a CSV or JSON holds is still text.
        is_typed = all(part.reading == "typed" for part in self.parts)
        return "{}" if is_typed else f"CAST({{}} AS {kinds[0]})"


def family(kind: str) -> str:
    """What a DuckDB type is to a label: whole, real, boolean, text, binary, unknown or other."""
    name = kind.partition("(")[0].strip()
    if kind.endswith("]"):
        return "other"
    if name in _WHOLE or (name == "DECIMAL" and kind.replace(" ", "").endswith(",0)")):
        return "whole"
    if name in ("FLOAT", "DOUBLE", "DECIMAL"):
        return "real"
    if name in ("VARCHAR", "ENUM", "UUID"):
        return "text"
    return {"BOOLEAN": "boolean", "BLOB": "binary", "JSON": "unknown", "NULL": "unknown"}.get(
        name.strip('"'), "other"
    )


def _is_number(kind: str) -> bool:
    return family(kind) in ("whole", "real")


def _check_kind(role: str, name: str, kind: str, shown_type: str) -> None:
    if role == "weights":
        if kind not in ("whole", "real", "boolean"):
            raise error("K116", argument=f"Column {name!r}", found=f"Its type is {shown_type}")
    elif kind == "other":
        raise error("K106", argument=f"Column {name!r}", found=f"Its type is {shown_type}")
