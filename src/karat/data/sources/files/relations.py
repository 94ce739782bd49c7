"""`Relation`: a source with its columns, and the SQL that streams the needed ones.

CSV and JSON have few types, and a type guessed from the first rows may be wrong for the rest. So
label columns of text files are read as text, and the kind of the labels is determined after all
rows are read (`text_labels.py`). Nothing depends on the order of the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from karat.data.percents import PERCENT, conversion_in_files, reading_of_comma
from karat.data.sources.files.duck import explaining, file_list, literal, quoted
from karat.data.sources.files.sql import (
    NO_VALUE,
    NUMBER,
    as_cell,
    as_double,
    as_key,
    as_label,
    as_label_key,
    as_name,
    as_score,
    as_set,
    as_slice,
    as_text,
    as_weight,
    can_be_name,
    can_be_score,
    family,
    filtered,
    is_null,
    is_wide,
    item_of,
    with_point,
)
from karat.data.sources.files.structs import are_structs, refused_structs
from karat.data.sources.files.text_labels import Reading
from karat.errors import error, shown
from karat.errors.options import option

if TYPE_CHECKING:
    import duckdb

    from karat.data.sources.files.duck import DataFile


FILE: Final = "karat file"
"""Column with the path of the file of each row."""


@dataclass(frozen=True, slots=True)
class Part:
    """Files that one table function reads, or the query.

    Attributes:
        table: SQL after FROM of the table function, or of the query.
        columns: DuckDB type of each column, in file order.
        reading: representation of its label columns.
        header: names in the file, including duplicates.
        files: the files in it.
        mixed: columns of a CSV whose first rows have numbers and text, or nothing.
        floats: columns of a CSV whose first rows are whole numbers written as 1.0.
        percents: columns of a CSV whose first rows are numbers with a percent sign.
        partitions: columns that come from the names of folders.
        texts: columns that the caller reads as text → SQL of their text, which is that of the
            column itself where it has no type.
        has_comma: whether numbers of a CSV have a decimal comma.
    """

    table: str
    columns: Mapping[str, str]
    reading: Reading
    header: tuple[str, ...]
    files: tuple[DataFile, ...] = ()
    mixed: frozenset[str] = frozenset()
    partitions: frozenset[str] = frozenset()
    floats: frozenset[str] = frozenset()
    percents: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    has_comma: bool = False

    @property
    def sql(self) -> str:
        """SQL after FROM, with every column as its own type or as text."""
        return self._with_texts(self.table)

    def _with_texts(self, table: str) -> str:
        changed = {name: sql for name, sql in self.texts.items() if sql != quoted(name)}
        if not changed:
            return table
        replaced = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in changed.items())
        return f"(SELECT * REPLACE ({replaced}) FROM {table})"

    def origin(self, name: str) -> Reading:
        """Return the representation of one column: folder names are untyped text, as in a CSV."""
        return "csv" if name in self.partitions and self.reading == "json" else self.reading

    def origin_of_number(self, name: str) -> Reading:
        """Return the representation of a numeric column: folder names have the type of a number."""
        return "typed" if name in self.partitions else self.reading

    def reads_comma(self, name: str) -> bool:
        """Return whether numbers of a column have a decimal comma: not if it is read as text."""
        return self.has_comma and name not in self.texts

    def form_of_number(self, name: str) -> dict[str, bool]:
        """Return how a CSV writes the numbers of a column."""
        return {"are_percent": name in self.percents, "has_comma": self.has_comma}

    def as_slice(self, column: str, name: str) -> str:
        """Return SQL for the text of a value of a column, as `as_slice`."""
        facts = self.origin(name), self.columns.get(name, "NULL"), name
        return as_slice(column, *facts, has_comma=self.reads_comma(name))

    @property
    def located(self) -> str:
        """SQL after FROM, with the path of the file of each row; null for a query."""
        if len(self.files) < 2:
            path = literal(self.files[0].path) if self.files else "NULL::VARCHAR"
            return f"(SELECT *, {path} AS {quoted(FILE)} FROM {self.sql})"
        end = f", filename={literal(FILE)})"
        if self.table.startswith("("):
            # Columns taken from the objects of a table function of JSON.
            start, inner = f"(SELECT {quoted(FILE)}, ", self.table.removeprefix("(SELECT ")
            return self._with_texts(f"{start}{inner.removesuffix('))')}{end})")
        return self._with_texts(f"{self.table.removesuffix(')')}{end}")

    @property
    def read_by(self) -> str:
        """SQL after FROM of a query of the user that reads the same files."""
        if len(self.files) == 1:
            return literal(self.files[0].path)
        return f"read_{'json' if self.reading == 'json' else 'parquet'}({self.paths})"

    @property
    def paths(self) -> str:
        return file_list([file.path for file in self.files])

    @property
    def shown(self) -> str:
        if not self.files:
            return "the query"
        first = self.files[0].shown
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1} more"


@dataclass(frozen=True, slots=True)
class Relation:
    """Opened source.

    Attributes:
        parts: in reading order.
        files: in reading order; empty for a query.
        query: the SQL query, or None.
        rows_of: number of rows of each file by its path if stored (Parquet), else None.
    """

    parts: tuple[Part, ...]
    files: tuple[DataFile, ...] = ()
    query: str | None = None
    rows_of: Mapping[str, int] | None = None
    connection: duckdb.DuckDBPyConnection = field(kw_only=True, repr=False)

    @property
    def n_rows(self) -> int | None:
        """Number of rows, if the files store it."""
        return None if self.rows_of is None else sum(self.rows_of.values())

    @property
    def is_one_csv(self) -> bool:
        """True for one CSV, in which equal numbers are written in one way; several may differ."""
        return len(self.files) == 1 and self.parts[0].reading == "csv"

    @property
    def header(self) -> tuple[str, ...]:
        """Every column name, in order; a name that occurs twice in one file is listed twice."""
        longest = max((part.header for part in self.parts), key=len)
        known = {*longest}
        others = [name for part in self.parts for name in part.header if name not in known]
        return (*longest, *dict.fromkeys(others))

    @property
    def described(self) -> list[tuple[str, str]]:
        """Each column of `header` with its DuckDB type in the first file that has it."""
        types: list[dict[str, list[str]]] = []
        for part in self.parts:
            types.append({})
            for name, kind in zip(part.header, part.columns.values(), strict=True):
                types[-1].setdefault(name, []).append(kind)
        found: list[tuple[str, str]] = []
        n_before: Counter[str] = Counter()
        for name in self.header:
            place = n_before[name]
            kinds = next((one[name] for one in types if len(one.get(name, ())) > place), None)
            if kinds is not None:
                found.append((name, kinds[place]))
                n_before[name] += 1
        return found

    @property
    def mixed(self) -> set[str]:
        """Columns of `header` whose first rows do not determine a type."""
        return {
            shown
            for part in self.parts
            for shown, name in zip(part.header, part.columns, strict=True)
            if name in part.mixed
        }

    def are_text(self, names: Iterable[str]) -> bool:
        """Return whether one of these columns is read as text, as the caller wants it."""
        return any(name in part.texts for part in self.parts for name in names)

    def column(self, name: str) -> str:
        """Return the SQL name of a column of `header`: names that differ in case are numbered."""
        part = next((part for part in self.parts if name in part.header), None)
        return name if part is None else list(part.columns)[part.header.index(name)]

    def reading(self, names: Iterable[str]) -> Reading:
        """Return the common representation of these label columns in all parts."""
        names = list(names)
        kinds = {part.origin(name) for part in self.parts for name in names}
        if len(kinds) > 1:
            return "marked"
        (kind,) = kinds
        is_typed = not any(is_wide(item_of(t) or t) for n in names for t in self._types_of(n))
        is_typed = is_typed and not any(map(self._is_beyond_int64, names))
        return kind if kind != "typed" or is_typed else "marked"

    def _is_beyond_int64(self, name: str) -> bool:
        """Return whether an unsigned column of 64 bits holds a number that int64 does not."""
        for part in self.parts:
            if part.columns.get(name) == "UBIGINT":
                sql = f"SELECT max({quoted(name)}) FROM {part.sql}"
                with explaining(part.files):
                    most = self.connection.execute(sql).fetchall()[0][0]
                if most is not None and most >= 1 << 63:
                    return True
        return False

    def _types_of(self, name: str) -> list[str]:
        return [part.columns[name] for part in self.parts if name in part.columns]

    def _each(self, name: str) -> Iterator[tuple[Part, str]]:
        """Yield every part, and the type of a column in it; K410 a file lacks it."""
        for part in self.parts:
            if name not in part.columns:
                missing = f"{part.shown} has no column {name!r}: it has {shown(part.columns)}."
                raise error("K410", found=missing)
            yield part, part.columns[name]

    def require(self, roles: Mapping[str, str]) -> None:
        """Check that every file has the columns, each of the same kind in all files.

        A CSV field has no type: it takes the type of the other files, or is an error if it cannot
        (`text_labels.py`).

        Args:
            roles: column name by role.

        Errors:
            K106 a column cannot be labels; K116 a column cannot be weights; K410 a file lacks a
            column or has another kind.
        """
        for role, name in roles.items():
            found: dict[str, str] = {}
            is_weight = role == "weights"
            for part, declared in self._each(name):
                kind = family(declared, part.origin(name))
                is_number = kind in ("whole", "real", "boolean") or name in part.codes
                if kind == "other" or (is_weight and not is_number):
                    code = "K116" if is_weight else "K106"
                    found_type = {
                        "argument": f"Column {name!r}",
                        "found": f"Its type is {declared}",
                    }
                    if is_weight and kind == "text":
                        found_type |= self._advice(part, name)
                    if part.reading == "json" and declared.startswith(("MAP(", "STRUCT(")):
                        do = "Where pandas wrote the file, write rows: df.to_json(path, "
                        found_type["advice"] = f"{do}orient='records')."
                    raise error(code, **found_type)
                if part.origin(name) != "csv" and kind != "unknown":
                    noun = "text" if kind in ("text", "binary") else "numbers"
                    found.setdefault(noun, part.shown)
            if len(found) > 1 and not is_weight:
                where = ", ".join(f"{noun} in {file}" for noun, file in sorted(found.items()))
                raise error("K410", found=f"Column {name!r} holds {where}.")
            self._check_parquet([name], is_of_one_kind=True)

    def require_scores(self, names: Sequence[str]) -> None:
        """Check that every file has the columns, and that they can be numbers.

        Errors:
            K130 a column cannot; K410 a file lacks one.
        """
        for name in names:
            for part, kind in self._each(name):
                if are_structs(kind):
                    read = f"({self.query})" if self.query is not None else part.read_by
                    raise refused_structs(name, kind, read, part.sql, self.connection)
                is_text = part.reading != "typed" and name not in part.partitions
                if not (is_text or can_be_score(kind)):
                    facts = {"argument": f"Column {name!r}", "found": f"Its type is {kind}"}
                    raise error("K130", **facts, **self._advice(part, name))
        self._check_parquet(names)

    def _advice(self, part: Part, name: str) -> dict[str, str]:
        """Return how to read a column of text that holds percent, or decimal commas, alone."""
        is_there = f"NOT {is_null(quoted(name))}" if part.reading == "csv" else "true"
        column = f"{quoted(name)}::VARCHAR"
        checks = ", ".join(
            f"bool_and(regexp_full_match({text}, {literal(pattern)})) FILTER ({is_there})"
            for text, pattern in ((column, PERCENT), (with_point(column), f"{NUMBER}|{PERCENT}"))
        )
        with explaining(part.files):
            found = self.connection.execute(f"SELECT {checks} FROM {part.sql}").fetchall()[0]
        if found[0]:
            return {"advice": conversion_in_files(name)}
        if found[1] and part.reading == "csv" and not part.has_comma:
            return {"advice": reading_of_comma()}
        return {}

    def require_names(self, names: Sequence[str]) -> None:
        """Check that every file has the columns, with one name in each row.

        Errors:
            K106 a column cannot; K410 a file lacks one.
        """
        for name in names:
            for part, kind in self._each(name):
                if part.origin(name) != "csv" and not can_be_name(kind):
                    raise error("K106", argument=f"Column {name!r}", found=f"Its type is {kind}")
        self._check_parquet(names)

    def require_column(self, name: str) -> None:
        """Check that every file has a column, of any type (K410: one lacks it)."""
        list(self._each(name))
        self._check_parquet([name])

    def unreadable(self, names: Sequence[str]) -> dict[str, str]:
        """Return the columns of a header without names in their rows, such as lists; and why."""
        found = {}
        for name in names:
            own = self.column(name)
            for part in self.parts:
                kind = part.columns.get(own)
                if kind is not None and part.origin(own) != "csv" and not can_be_name(kind):
                    found[name] = f"Its type is {kind}."
        return found

    def _check_parquet(self, names: Sequence[str], *, is_of_one_kind: bool = False) -> None:
        """Check Parquet files, which are combined: each must have the columns itself."""
        listed = ", ".join(map(literal, names))
        for part in self.parts:
            if not names or len(part.files) < 2 or part.files[0].kind != "parquet":
                continue
            rows = self.connection.execute(
                "SELECT name, file_name, any_value(duckdb_type) "
                f"FROM parquet_schema({part.paths}) WHERE name IN ({listed}) GROUP BY ALL"
            ).fetchall()
            found: dict[str, dict[str, str]] = {}
            for name, path, kind in rows:
                found.setdefault(name, {})[path] = kind
            # A column in no schema comes from folder names, or DuckDB numbered it.
            for name, types in ((name, found[name]) for name in names if name in found):
                first = next(file for file in part.files if file.path in types)
                for file in part.files:
                    own, other = types.get(file.path), types[first.path]
                    if own is None:
                        told = f"{file.shown} has no column {name!r}; {first.shown} has."
                        raise error("K410", found=told)
                    if is_of_one_kind and _is_text(own) != _is_text(other):
                        told = f"Column {name!r} is {other} in {first.shown} and {own} in "
                        raise error("K410", found=f"{told}{file.shown}.")

    def halves(self, names: Sequence[str]) -> bool:
        """Return whether some of the columns have 16-bit numbers."""
        listed = ", ".join(map(literal, names))
        counts = (
            self.connection.execute(
                f"SELECT count(*) FROM parquet_schema({part.paths}) "
                f"WHERE name IN ({listed}) AND logical_type LIKE 'Float16%'"
            ).fetchall()[0][0]
            for part in self.parts
            if part.files and part.files[0].kind == "parquet"
        )
        return any(counts)

    def select(
        self,
        columns: Sequence[str],
        where: str | None,
        reading: Reading,
        scores: Sequence[str] = (),
        names: Sequence[str] = (),
        groups: Sequence[str] = (),
    ) -> str:
        """Return SQL that reads label columns, and weights last if there are three, row by row.

        Args:
            columns: names of truth, prediction and maybe weights: `c0`, `c1`, `c2` of the result.
            where: a SQL condition on the typed columns.
            reading: representation of the labels, from `reading()`.
            scores: names of columns of numbers, or of lists of them: `s0`, `s1` … of the result.
            names: names of columns of ids or clusters: `n0`, `n1` … of the result, as text.
            groups: names of columns of slices: `g0`, `g1` … of the result, as text, never null.
        """
        letters = zip("csng", (columns, scores, names, groups), strict=True)
        aliases = [f"{letter}{i}" for letter, items in letters for i in range(len(items))]

        def chosen(part: Part, raw: Iterator[str]) -> Iterator[str]:
            def kinds(name: str) -> list[str]:
                return [part.columns.get(name, "NULL"), *self._types_of(name)]

            for name in columns[:2]:
                origin, has_comma = part.origin(name), part.reads_comma(name)
                yield as_label(next(raw), reading, origin, kinds(name), has_comma=has_comma)
            yield from self._beside(part, raw, columns[2:], scores, names, groups)

        return self._select([*columns, *scores, *names, *groups], where, chosen, aliases)

    def _beside(
        self,
        part: Part,
        raw: Iterator[str],
        weights: Sequence[str],
        scores: Sequence[str],
        names: Sequence[str],
        groups: Sequence[str],
    ) -> Iterator[str]:
        """Yield SQL for the columns of a part beside its labels, from their names as SQL."""
        for name in weights:
            origin = part.origin_of_number(name)
            yield as_weight(next(raw), name, origin, "K116", **part.form_of_number(name))
        for name in scores:
            origin = part.origin_of_number(name)
            kinds = [part.columns.get(name, "NULL"), *self._types_of(name)]
            yield as_score(next(raw), origin, kinds, **part.form_of_number(name))
        for name in names:
            facts = name, part.origin(name), part.columns.get(name, "NULL")
            are_floats, has_comma = name in part.floats, part.reads_comma(name)
            yield as_name(next(raw), *facts, are_floats=are_floats, has_comma=has_comma)
        for name in groups:
            yield part.as_slice(next(raw), name)

    def reading_of_texts(self, names: Iterable[str]) -> Reading:
        """Return the representation of labels split from texts: CSV alone has no type."""
        origins = {part.origin(name) for part in self.parts for name in names}
        return "csv" if origins == {"csv"} else "typed"

    def require_sets(self, names: Sequence[str], *, are_texts: bool) -> None:
        """Check that every file has the columns, and that they can be sets of labels.

        Args:
            are_texts: whether text is split.

        Errors:
            K106 a column cannot; K410 a file lacks one, or has text while another has lists.
        """
        for name in names:
            found: dict[bool, str] = {}
            for part, declared in self._each(name):
                origin = part.origin(name)
                item = item_of(declared)
                kind = family(item or declared, origin)
                # In JSON, rows that were not examined may be lists.
                is_open = origin == "json" and declared == "JSON"
                is_list = item is not None or (is_open and not are_texts)
                is_text = are_texts and (origin == "csv" or kind in ("text", "unknown"))
                if kind == "other" or not (is_list or is_text):
                    what = f"Its type is {declared}"
                    what += f", and {option('separator')} splits text" if are_texts else ""
                    more = {}
                    if are_structs(declared):
                        of_scores = option("y_prob", name)
                        more["advice"] = f"Scores of the classes are named by {of_scores}."
                    raise error("K106", argument=f"Column {name!r}", found=what, **more)
                found.setdefault(is_list, part.shown)
            if len(found) > 1:
                what = f"Column {name!r} holds lists in {found[True]}, text in {found[False]}."
                raise error("K410", found=what)
        self._check_parquet(names)

    def select_sets(
        self, columns: Mapping[str, Sequence[str]], where: str | None, reading: Reading
    ) -> str:
        """Return SQL that reads columns of sets row by row.

        Args:
            columns: by representation: lists (`l0` … of the result), text with several labels
                (`t0` …), cells of 0, 1 and nulls (`b0` …), weights (`w0`), scores (`s0` …), names
                of clusters (`n0` …) and columns of slices (`g0` …).
            where, reading: as in `select`.
        """
        orders = ("lists", "texts", "cells", "weights", "scores", "names", "groups")
        names = [name for order in orders for name in columns[order]]
        letters = zip("ltbwsng", orders, strict=True)
        aliases = [f"{letter}{i}" for letter, order in letters for i in range(len(columns[order]))]

        def chosen(part: Part, raw: Iterator[str]) -> Iterator[str]:
            def kinds(name: str) -> list[str]:
                return [part.columns.get(name, "NULL"), *self._types_of(name)]

            for name in columns["lists"]:
                yield as_set(next(raw), name, reading, part.origin(name), kinds(name))
            for name in columns["texts"]:
                yield as_text(next(raw), part.origin(name))
            for name in columns["cells"]:
                origin, has_comma = part.origin_of_number(name), part.reads_comma(name)
                yield as_cell(next(raw), name, origin, has_comma=has_comma)
            yield from self._beside(part, raw, *(columns[order] for order in orders[3:]))

        return self._select(names, where, chosen, aliases)

    def select_ids(self, column: str, true: str, where: str | None) -> str:
        """Return SQL that reads the id, the label and the file of each row as text."""

        def chosen(part: Part, raw: Iterator[str]) -> Iterator[str]:
            for name, read in ((column, as_key), (true, as_label_key)):
                kind, is_exact = part.columns[name], len(self.files) == 1 or name in part.texts
                facts = {"is_exact": is_exact, "has_comma": part.reads_comma(name)}
                yield read(next(raw), part.origin(name), kind, **facts)
            yield from raw

        return self._select([column, true, FILE], where, chosen, ["id", "label", "file"])

    def select_keys(self, column: str, where: str | None) -> str:
        """Return SQL for one column as text that distinguishes its values; null without one."""

        def chosen(part: Part, raw: Iterator[str]) -> Iterator[str]:
            kind, is_exact = part.columns.get(column, "NULL"), column in part.texts
            facts = {"is_exact": is_exact, "has_comma": part.reads_comma(column)}
            return (as_key(name, part.origin(column), kind, **facts) for name in raw)

        return self._select([column], where, chosen, ["key"])

    def select_text(self, column: str, where: str | None) -> str:
        """Return SQL that reads one column as each row writes it."""

        def chosen(_: Part, raw: Iterator[str]) -> Iterator[str]:
            return (f"CAST({name} AS VARCHAR)" for name in raw)

        return self._select([column], where, chosen, ["text"])

    def select_values(
        self, numbers: Sequence[str], others: Sequence[str], where: str | None = None
    ) -> str:
        """Return SQL that reads columns of numbers, `v0` …, then others as text, `w0` …."""

        def chosen(part: Part, raw: Iterator[str]) -> Iterator[str]:
            for name in numbers:
                if part.origin_of_number(name) == "csv":
                    yield as_double(next(raw), **part.form_of_number(name))
                else:
                    yield f"CAST({next(raw)} AS DOUBLE)"
            for name in others:
                yield f"nullif({part.as_slice(next(raw), name)}, {literal(NO_VALUE)})"

        aliases = [f"v{i}" for i in range(len(numbers))] + [f"w{i}" for i in range(len(others))]
        return self._select([*numbers, *others], where, chosen, aliases)

    def _select(
        self,
        columns: Sequence[str],
        where: str | None,
        chosen: Callable[[Part, Iterator[str]], Iterator[str]],
        aliases: Sequence[str],
    ) -> str:
        """Return SQL that reads the selected columns of each part; a filter uses the typed ones."""
        condition = "" if where is None else f" WHERE ({where}\n)"
        pieces = []
        for part in self.parts:
            source = part.located if FILE in columns else part.sql
            raw = [quoted(name) for name in columns]
            if where is not None and part.reading != "typed":
                untyped = part.partitions | part.percents
                texts = {n: k for n, k in part.columns.items() if n not in untyped}
                forms = part.percents, part.has_comma
                source, raw = filtered(source, columns, texts, part.reading, *forms)
            pairs = zip(chosen(part, iter(raw)), aliases, strict=True)
            listed = ", ".join(f"{sql} AS {alias}" for sql, alias in pairs)
            pieces.append(f"SELECT {listed} FROM {source}{condition}")
        return "\nUNION ALL\n".join(pieces)


def _is_text(kind: str) -> bool:
    return family(kind) in ("text", "binary")
