"""Values of each row that stand beside a table in memory, as columns of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from karat.data.labels.containers import index_of, is_sparse
from karat.data.roles import Family, ending_of, shown_column
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.tables.frames import Frame, family_of, is_frame, open_frame
from karat.errors import error, short

_N_SHOWN: Final = 3
MARK: Final = " (values)"
"""End of the name of a column that an argument holds, which no column of a table has."""


class RoleValues:
    """Columns that hold the values of one role, and the name by which a request asks for them.

    Attributes:
        name: a column, or a pattern of several.
        columns: the values by the names of their columns.
    """

    __slots__ = ("columns", "name")

    def __init__(self, argument: str, values: Any) -> None:
        """Name the values of an argument, ``"y_pred"`` or ``"y_pred of old"``."""
        shape: tuple[int, ...] = getattr(values, "shape", ())
        if len(shape) == 2 and shape[1] == 1 and not is_frame(values) and not is_sparse(values):
            values = values[:, 0]
        self.name = f"{argument}{MARK}"
        self.columns = {self.name: values}
        parts = _parts(argument, values)
        if parts is not None:
            self.columns = {f"{self.name} {label}": column for label, column in parts.items()}
            self.name += " *"


def are_values(name: object) -> bool:
    """Return whether a name is that of columns that an argument holds."""
    return isinstance(name, str) and MARK in name


def _parts(argument: str, values: Any) -> dict[str, Any] | None:
    """The columns of a table, or of an indicator matrix, by their labels; None of one column."""
    if is_sparse(values):
        values = values.toarray()
    is_labels = argument.startswith(("y_true", "y_pred"))
    if is_frame(values):
        frame = open_frame(values)
        columns = frame.columns(frame.names)
        endings = [ending_of(name) for name in columns]
        if all(endings) and len(set(endings)) == len(endings):
            return dict(zip(map(str, endings), columns.values(), strict=True))
        return columns
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if is_labels and len(shape) == 2 and shape[1] > 1:
        return {str(place): values[:, place] for place in range(shape[1])}
    return None


def with_values(table: Any, values: Mapping[str, Any]) -> Frame:
    """The table with more columns: values of each row, in the order of its rows.

    Args:
        values: name of the column → values, named by their argument: ``"y_pred (values)"``.

    Errors:
        K102 another number of rows; K416 values in partitions; K454 a pandas object whose index is
        not that of the table.
    """
    frame = open_frame(table)
    for name, column in values.items():
        start, mark, _ = name.partition(MARK)
        _check(table, shown_column(start + mark), column)
    kinds: dict[str, Family] = {
        name: "list"
        if getattr(column, "ndim", 1) == 2
        else family_of(getattr(column, "dtype", None) or getattr(column, "type", "unknown"))
        for name, column in values.items()
    }

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        of_table = [name for name in wanted if name not in values]
        columns = frame.read(of_table) if of_table else {}
        return {name: values[name] if name in values else columns[name] for name in wanted}

    def first_rows(name: str, n: int) -> Any:
        if name in values:
            return getattr(values[name], "iloc", values[name])[:n]
        assert frame.first_rows is not None
        return frame.first_rows(name, n)

    others = tuple(name for name in frame.names if name not in values)
    return replace(
        frame,
        names=(*others, *values),
        types={**{name: frame.types[name] for name in others if name in frame.types}, **kinds},
        read=read,
        first_rows=None if frame.first_rows is None else first_rows,
    )


def _check(table: Any, argument: str, values: Any) -> None:
    """Refuse values of other rows than those of the table."""
    refuse_distributed(values, argument)
    held = next(iter(table.values()), None) if isinstance(table, Mapping) else table
    index, own = index_of(held), index_of(values)
    n, n_values = _length(table), _length(values)
    if n is not None and n_values is not None and n != n_values:
        raise error("K102", left="The table", n_left=n, right=argument, n_right=n_values)
    if index is None or own is None or index.equals(own):
        return
    left, right = (short(x[:_N_SHOWN].tolist()) for x in (index, own))
    raise error("K454", argument=argument, table=left, values=right)


def _length(values: Any) -> int | None:
    """The number of rows; None where that takes a read."""
    if isinstance(values, Mapping):
        return next(map(_length, values.values()), None)
    try:
        return len(values)
    except Exception:  # a lazy table, a reader, or a class that raises anything
        shape = getattr(values, "shape", None)
        return int(shape[0]) if isinstance(shape, tuple) and shape else None
