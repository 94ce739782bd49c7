"""Columns by name from a table of any library.

Only the named columns are read. Each is an input of `encode` and `as_weights`: a host's own column,
or an `ArrowColumn`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.data.arrow import ArrowColumn, read_columns, schema_of
from karat.data.labels.column import Column, Nulls
from karat.data.labels.containers import encode, host_of
from karat.data.roles import Family, shown_column, unknown_column
from karat.data.sources.batches import BatchSource, collected, is_batch_source
from karat.data.sources.distributed.frames import pieces_of
from karat.errors import KaratError, error, short
from karat.errors.reasons import NotWholeError


@dataclass(frozen=True, slots=True)
class Frame:
    """Opened table: its columns, and a function that reads some of them.

    Attributes:
        names: column names in order, including duplicates.
        types: content of each column.
        kind: library of the table: ``"pandas"``, ``"duckdb"``, ``"dict"`` …
        read: names → values by name.
        first_rows: name and number → that many first values of the column; None if rows can be read
            only once, or all at once.
    """

    names: tuple[str, ...]
    types: Mapping[str, Family]
    kind: str
    read: Callable[[Sequence[str]], dict[str, Any]]
    first_rows: Callable[[str, int], Any] | None = None

    def columns(self, names: Sequence[str], roles: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the values of some columns by name.

        Args:
            names: the requested columns.
            roles: role of each column, for messages.

        Errors:
            K404 there is no such column; K405 several columns have the name; K412 the library
            of the table cannot read it.
        """
        for place, name in enumerate(names):
            role = roles[place] if roles else "this call"
            n_found = self.names.count(name)
            if not n_found:
                raise unknown_column(name, role, self.names)
            if n_found > 1:
                raise error(
                    "K405",
                    role=f"the one named {name!r}",
                    candidates=f"{n_found} columns have that name",
                    do="Rename all but one",
                )
        with _reading(self.kind):
            return self.read(tuple(dict.fromkeys(names)))


def is_frame(values: Any) -> bool:
    """Return whether an object is a table with named columns, not a column or an array."""
    try:
        host = host_of(values)
        if host == "scipy" or (host == "karat" and isinstance(values, Mapping)):
            # A matrix by its keys, and a report by its metrics, is a dict, too.
            return False
        if isinstance(values, Frame):
            return True
        if pieces_of(values) is not None or isinstance(values, Mapping):
            return True
        if host in ("pandas", "polars", "narwhals"):
            # A lazy frame warns when its columns are read.
            return hasattr(values, "collect_schema") or hasattr(values, "columns")
        if host == "pyarrow":
            return hasattr(values, "schema")
        return hasattr(values, "columns") and (
            host == "duckdb" or hasattr(values, "__arrow_c_stream__")
        )
    except Exception:  # the class of the object may raise anything
        return False


def open_frame(table: Any) -> Frame:
    """Find the columns of a table without reading rows.

    Args:
        table: a pandas or Polars frame (lazy ones read only these columns), an Arrow table
            or reader, a DuckDB relation, a dict of columns, anything with ``__arrow_c_stream__``,
            or any other frame that narwhals knows.

    Errors:
        K412 it is not a table, or its library cannot read it.
    """
    with _reading(f"{type(table).__module__}.{type(table).__qualname__}"):
        return _opened(table)


@contextmanager
def _reading(kind: str) -> Iterator[None]:
    """Context that converts errors of other libraries to K412."""
    try:
        yield
    except (KaratError, MemoryError):
        raise
    except Exception as problem:
        found = f"A table of {kind} cannot be read: {short(problem, 200)}"
        raise error("K412", found=found) from problem


def _opened(table: Any) -> Frame:
    host = host_of(table)
    if isinstance(table, Frame):
        return table
    if isinstance(table, Mapping):
        return _open_dict(table)
    if host == "narwhals":
        return open_frame(table.to_native())
    if host == "pandas" and getattr(table, "ndim", 0) == 2:
        return _open_pandas(table)
    if host == "polars" and is_frame(table):
        return _open_lazy(table, "polars", lambda column: column)
    if host == "duckdb" and is_frame(table):
        return _open_duckdb(table)
    if hasattr(table, "__arrow_c_stream__") or (host == "pyarrow" and is_frame(table)):
        return _open_arrow(table, host)
    if host == "dask" and getattr(table, "ndim", 0) == 2 and hasattr(table, "_meta"):
        return _open_dask(table)
    if is_batch_source(table):
        return _open_batches(table)
    return _open_with_narwhals(table, host)


def encode_role(values: Any, column: str, *, is_prediction: bool, nulls: Nulls = "error") -> Column:
    """Encode labels of a column of a table.

    Errors:
        K407 predictions that are not whole numbers; else as in `encode`.
    """
    try:
        return encode(values, shown_column(column), nulls=nulls)
    except NotWholeError as problem:
        if not is_prediction:
            raise
        facts = problem.context
        raise error("K407", column=column, row=facts["row"], value=facts["value"]) from None


# Names of types in NumPy, pandas, Polars, DuckDB and Arrow, in lower case.
_FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"list|array|large_list|fixed_size_list|.*\[\d*\]$", "list"),
    (r"u?(tiny|small|big|huge)?int(eger)?\d*\b", "whole"),
    (r"b?float|double|real|half|decimal", "real"),
    (r"bool", "boolean"),
    (
        r"str\d*\b|string|bytes|large_string|utf8|varchar|char|text|enum|categor|dictionary|uuid",
        "text",
    ),
    (r"object|unknown|null|json", "unknown"),
)


_ARROW_FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"[cCsSiIlL]", "whole"),
    (r"[efg]|d:.*", "real"),
    (r"b", "boolean"),
    (r"v?u|U|v?z|Z", "text"),
    (r"\+(v?[lL]|w:.*)", "list"),
    (r"n", "unknown"),
)


_WRAPPED = re.compile(r"(?:[a-z_]\w*\.)+|sparse\[")
"""Prefix of the name of a type: `torch.float32`, `Sparse[float64, 0]`."""


def family_of(type_of_column: object) -> Family:
    """Return the kind of a column type, from its name in any of the libraries."""
    text = str(getattr(type_of_column, "name", None) or type_of_column).lower()
    wrapped = _WRAPPED.match(text)
    text = text[wrapped.end() :] if wrapped else text
    return next((family for pattern, family in _FAMILIES if re.match(pattern, text)), "other")


def _family_of_arrow(code: str) -> Family:
    """Return the kind of a type from its code in the C data interface of Arrow."""
    found = (family for pattern, family in _ARROW_FAMILIES if re.fullmatch(pattern, code))
    return next(found, "other")


def _open_dict(table: Mapping[Any, Any]) -> Frame:
    names = tuple(map(str, table))
    by_name = dict(zip(names, table.values(), strict=True))
    types: dict[str, Family] = {
        name: "list"
        if getattr(values, "ndim", 1) == 2
        else family_of(getattr(values, "dtype", None) or getattr(values, "type", "unknown"))
        for name, values in by_name.items()
    }

    def first_rows(name: str, n: int) -> Any:
        return _at_positions(by_name[name])[:n]

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        return {name: by_name[name] for name in wanted}

    return Frame(names, types, "dict", read, first_rows)


def _at_positions(values: Any) -> Any:
    """Slice by position, also for a pandas column."""
    return getattr(values, "iloc", values)


def _open_pandas(table: Any) -> Frame:
    # Names may be any objects, and may repeat.
    names = tuple(map(str, table.columns))
    types = {
        name: family_of(dtype.categories.dtype if hasattr(dtype, "categories") else dtype)
        for name, dtype in zip(names, table.dtypes, strict=True)
    }

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        return {name: table.iloc[:, names.index(name)] for name in wanted}

    def first_rows(name: str, n: int) -> Any:
        return table.iloc[:n, names.index(name)]

    return Frame(names, types, "pandas", read, first_rows)


def _open_lazy(table: Any, kind: str, values: Callable[[Any], Any]) -> Frame:
    """Open a frame of Polars or narwhals, possibly lazy; returns the `values` of each column."""
    types = {name: family_of(dtype) for name, dtype in table.collect_schema().items()}

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        part = table.select(wanted)
        part = part.collect() if hasattr(part, "collect") else part
        return {name: values(part.get_column(name)) for name in wanted}

    def first_rows(name: str, n: int) -> Any:
        part = table.select(name).head(n)
        part = part.collect() if hasattr(part, "collect") else part
        return values(part.get_column(name))

    return Frame(tuple(types), types, kind, read, first_rows)


def _open_duckdb(table: Any) -> Frame:
    names = tuple(table.columns)
    types = {name: family_of(kind) for name, kind in zip(names, table.types, strict=True)}

    # An ENUM is ordered by its definition; its Arrow dictionary does not declare that.
    enums = {name for name, kind in zip(names, table.types, strict=True) if kind.id == "enum"}

    def chosen(wanted: Sequence[str]) -> Any:
        return table.select(*('"' + name.replace('"', '""') + '"' for name in wanted))

    def in_order(column: ArrowColumn) -> ArrowColumn:
        if column.name not in enums:
            return column
        chunks = (replace(chunk, is_ordered=True) for chunk in column.chunks)
        return replace(column, chunks=tuple(chunks))

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        found = read_columns(chosen(wanted), wanted)
        return {name: in_order(column) for name, column in found.items()}

    def first_rows(name: str, n: int) -> Any:
        return read_columns(chosen([name]).limit(n), [name])[name]

    return Frame(names, types, "duckdb", read, first_rows)


def _open_arrow(table: Any, host: str) -> Frame:
    schema = schema_of(table)
    types = {name: _family_of_arrow(code) for name, code in schema}
    names = tuple(name for name, _ in schema)

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        return {**read_columns(table, wanted)}

    def first_rows(name: str, n: int) -> Any:
        return read_columns(table.slice(0, n), [name])[name]

    # Without slicing, it may be a reader, whose rows can be read only once.
    return Frame(names, types, host, read, first_rows if hasattr(table, "slice") else None)


def _open_dask(table: Any) -> Frame:
    """Open its columns as pandas columns, from each of its partitions."""
    meta = _opened(table._meta)

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        return dict(_opened(table[list(wanted)].compute()).read(wanted))

    return Frame(meta.names, meta.types, "dask", read)


def _open_batches(table: BatchSource) -> Frame:
    names = tuple(map(str, table.column_names))
    first = next(iter(table.read_batches(names)), None)
    types = {} if first is None else _opened(first).types

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        return dict(_opened(collected(table, wanted)).read(wanted))

    return Frame(names, {name: types.get(name, "unknown") for name in names}, "batches", read)


def _open_with_narwhals(table: Any, host: str) -> Frame:
    import narwhals

    try:
        frame: Any = narwhals.from_native(table)
    except TypeError:
        found = f"It is a {type(table).__module__}.{type(table).__qualname__}"
        raise error("K412", found=found) from None
    return _open_lazy(frame, host, lambda column: np.asarray(column.to_numpy()))
