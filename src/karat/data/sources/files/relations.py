"""A source as one relation: its columns, and the SQL that streams the few that are needed.

CSV and JSON say little about types, and a type guessed from the first rows is wrong for the rest.
So label columns of text files are read as text, and what the labels are is decided
once every row has been seen (`text_labels.py`). Nothing depends on the order of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karat.data.sources.files.duck import file_list, literal, quoted
from karat.data.sources.files.sql import (
    as_label,
    as_name,
    as_score,
    as_slice,
    as_weight,
    can_be_name,
    can_be_score,
    family,
    filtered,
    is_wide,
)
from karat.data.sources.files.text_labels import Reading
from karat.errors import error, shown

if TYPE_CHECKING:
    import duckdb

    from karat.data.sources.files.paths import DataFile

__all__ = ["Part", "Relation"]


@dataclass(frozen=True, slots=True)
class Part:
    """Files that one table function reads, or the query.

    Attributes:
        sql: what follows FROM.
        columns: DuckDB type of each column, in file order.
        reading: how its label columns arrive.
        header: names as the file has them, repeats included.
        files: the files in it.
        mixed: columns of a CSV whose first rows hold numbers beside text, or nothing.
        partitions: columns that come from the names of folders.
    """

    sql: str
    columns: Mapping[str, str]
    reading: Reading
    header: tuple[str, ...]
    files: tuple[DataFile, ...] = ()
    mixed: frozenset[str] = frozenset()
    partitions: frozenset[str] = frozenset()

    def origin(self, name: str) -> Reading:
        """How one column arrives: what a folder is named is text without a type, as in a CSV."""
        return "csv" if name in self.partitions and self.reading == "json" else self.reading

    @property
    def shown(self) -> str:
        """What to call it in a message."""
        if not self.files:
            return "the query"
        first = self.files[0].shown
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1} more"


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
        """Columns of `header` from whose first rows nothing follows."""
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
        """How these label columns arrive: one way for all of them, in all parts."""
        names = list(names)
        kinds = {part.origin(name) for part in self.parts for name in names}
        if len(kinds) > 1:
            return "marked"
        (kind,) = kinds
        is_typed = not any(is_wide(t) for n in names for t in self._types_of(n))
        return kind if kind != "typed" or is_typed else "marked"

    def _types_of(self, name: str) -> list[str]:
        return [part.columns[name] for part in self.parts if name in part.columns]

    def require(self, roles: Mapping[str, str]) -> None:
        """Check that every file has the columns, each of one kind everywhere.

        A field of a CSV has no type: it becomes what the other files hold, or an error
        when it cannot (`text_labels.py`).

        Args:
            roles: column name by role.

        Errors:
            K106 a column cannot hold labels; K116 nor weights; K410 a file lacks a column or has
            it as another kind.
        """
        for role, name in roles.items():
            found: dict[str, str] = {}
            for part in self.parts:
                if name not in part.columns:
                    missing = f"{part.shown} has no column {name!r}: it has {shown(part.columns)}."
                    raise error("K410", found=missing)
                kind = family(part.columns[name], part.origin(name))
                _check_kind(role, name, kind, part.columns[name])
                if part.origin(name) != "csv" and kind != "unknown":
                    noun = "text" if kind in ("text", "binary") else "numbers"
                    found.setdefault(noun, part.shown)
            if len(found) > 1 and role != "weights":
                where = ", ".join(f"{noun} in {file}" for noun, file in sorted(found.items()))
                raise error("K410", found=f"Column {name!r} holds {where}.")
            self._check_parquet(name)

    def require_scores(self, names: Sequence[str]) -> None:
        """Check that every file has the columns, and that they can hold numbers.

        Errors:
            K130 a column cannot; K410 a file lacks one.
        """
        for name in names:
            for part in self.parts:
                if name not in part.columns:
                    missing = f"{part.shown} has no column {name!r}: it has {shown(part.columns)}."
                    raise error("K410", found=missing)
                kind = part.columns[name]
                is_text = part.reading != "typed" and name not in part.partitions
                if not (is_text or can_be_score(kind)):
                    raise error("K130", argument=f"Column {name!r}", found=f"Its type is {kind}")
        for part in self.parts:
            if len(part.files) > 1 and part.files[0].kind == "parquet":
                self._check_parquet_scores(part, names)

    def require_names(self, names: Sequence[str]) -> None:
        """Check that every file has the columns, and that each row holds one name in them.

        Errors:
            K106 a column cannot; K410 a file lacks one.
        """
        for name in names:
            for part in self.parts:
                if name not in part.columns:
                    missing = f"{part.shown} has no column {name!r}: it has {shown(part.columns)}."
                    raise error("K410", found=missing)
                kind = part.columns[name]
                if part.origin(name) != "csv" and not can_be_name(kind):
                    raise error("K106", argument=f"Column {name!r}", found=f"Its type is {kind}")
        for part in self.parts:
            if len(part.files) > 1 and part.files[0].kind == "parquet":
                self._check_parquet_scores(part, names)

    def _check_parquet_scores(self, part: Part, names: Sequence[str]) -> None:
        known: dict[str, set[str]] = {}
        for file in part.files:
            path = file_list([file.path])
            rows = self.connection.execute(f"SELECT DISTINCT name FROM parquet_schema({path})")
            known[file.shown] = {str(name) for (name,) in rows.fetchall()}
        for name in names:
            # One that is in no schema comes from the folder names, or DuckDB numbered it.
            having = [file for file, found in known.items() if name in found]
            lacking = [file for file in known if file not in having]
            if having and lacking:
                found = f"{lacking[0]} has no column {name!r}; {having[0]} has."
                raise error("K410", found=found)

    def halves(self, names: Sequence[str]) -> bool:
        """Whether some of the columns hold numbers of 16 bits."""
        found = False
        for part in self.parts:
            if part.files and part.files[0].kind == "parquet":
                paths = file_list([file.path for file in part.files])
                listed = ", ".join(map(literal, names))
                rows = self.connection.execute(
                    f"SELECT count(*) FROM parquet_schema({paths}) "
                    f"WHERE name IN ({listed}) AND logical_type LIKE 'Float16%'"
                ).fetchall()
                found = found or rows[0][0] > 0
        return found

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
                if _is_text(kind) != _is_text(types[first.path]):
                    raise error(
                        "K410",
                        found=f"Column {name!r} is {types[first.path]} in {first.shown} "
                        f"and {kind} in {file.shown}.",
                    )

    def select(
        self,
        columns: Sequence[str],
        where: str | None,
        reading: Reading,
        scores: Sequence[str] = (),
        names: Sequence[str] = (),
        groups: Sequence[str] = (),
    ) -> str:
        """SQL that reads label columns, and weights last if there are three, row by row.

        Args:
            columns: names of truth, prediction and maybe weights: `c0`, `c1`, `c2` of the result.
            where: a SQL condition on the columns as they are typed.
            reading: how labels arrive, as `reading()` says.
            scores: names of columns of numbers, or of lists of them: `s0`, `s1` … of the result.
            names: names of columns of ids or clusters: `n0`, `n1` … of the result, as text.
            groups: names of columns of slices: `g0`, `g1` … of the result, as text, never null.
        """
        return "\nUNION ALL\n".join(
            self._select_of(part, columns, where, reading, scores, names, groups)
            for part in self.parts
        )

    def select_text(self, column: str, where: str | None) -> str:
        """SQL that reads one column as each row writes it."""
        pieces = []
        for part in self.parts:
            source, raw = self._source_of(part, [column], where)
            condition = "" if where is None else f" WHERE ({where}\n)"
            pieces.append(f"SELECT CAST({raw[0]} AS VARCHAR) AS text FROM {source}{condition}")
        return "\nUNION ALL\n".join(pieces)

    def _source_of(
        self, part: Part, columns: Sequence[str], where: str | None
    ) -> tuple[str, list[str]]:
        """What follows FROM, and the columns as SQL; a filter sees the other columns typed."""
        if where is None or part.reading == "typed":
            return part.sql, [quoted(name) for name in columns]
        texts = {n: k for n, k in part.columns.items() if n not in part.partitions}
        return filtered(part.sql, columns, texts, part.reading)

    def _select_of(
        self,
        part: Part,
        columns: Sequence[str],
        where: str | None,
        reading: Reading,
        scores: Sequence[str],
        names: Sequence[str],
        groups: Sequence[str],
    ) -> str:
        source, raw = self._source_of(part, [*columns, *scores, *names, *groups], where)
        chosen = []
        for place, name in enumerate(columns[:2]):
            kinds = [part.columns.get(name, "NULL"), *self._types_of(name)]
            sql = as_label(raw[place], reading, part.origin(name), kinds)
            chosen.append(f"{sql} AS c{place}")
        if len(columns) > 2:
            origin = "typed" if columns[2] in part.partitions else part.reading
            chosen.append(f"{as_weight(raw[2], columns[2], origin)} AS c2")
        for place, name in enumerate(scores):
            origin = "typed" if name in part.partitions else part.reading
            kinds = [part.columns.get(name, "NULL"), *self._types_of(name)]
            chosen.append(f"{as_score(raw[len(columns) + place], origin, kinds)} AS s{place}")
        for place, name in enumerate(names):
            column = raw[len(columns) + len(scores) + place]
            kind = part.columns.get(name, "NULL")
            chosen.append(f"{as_name(column, name, part.origin(name), kind)} AS n{place}")
        for place, name in enumerate(groups):
            column = raw[len(columns) + len(scores) + len(names) + place]
            chosen.append(f"{as_slice(column, part.origin(name))} AS g{place}")
        condition = "" if where is None else f" WHERE ({where}\n)"
        return f"SELECT {', '.join(chosen)} FROM {source}{condition}"


def _is_text(kind: str) -> bool:
    return family(kind) in ("text", "binary")


def _check_kind(role: str, name: str, kind: str, shown_type: str) -> None:
    if role == "weights":
        if kind not in ("whole", "real", "boolean"):
            raise error("K116", argument=f"Column {name!r}", found=f"Its type is {shown_type}")
    elif kind == "other":
        raise error("K106", argument=f"Column {name!r}", found=f"Its type is {shown_type}")
