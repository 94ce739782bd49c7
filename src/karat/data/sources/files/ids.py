"""Rows of files with the same id: those of two models, or rows that were written twice."""

from __future__ import annotations

from typing import Any, Final

from karat.data.checks import repeated_ids
from karat.data.sources.files.duck import quoted
from karat.data.sources.files.relations import Relation
from karat.errors import error
from karat.errors.doubts import Doubt
from karat.errors.options import option

_MOST_ROWS: Final = 5_000_000
_MOST_BYTES: Final = 1 << 29
"""Of larger files the ids of the first rows alone are looked for."""
_N_LOOKED: Final = 100_000


def doubts_of_ids(
    relation: Relation, column: str, true: str, where: str | None = None, argument: str = "ids"
) -> list[Doubt]:
    """Return the doubt about rows that share an id.

    Args:
        column: the column of ids.
        true: the column of the true labels.
        where: the condition on rows; then files without types are not looked at.
        argument: what names the column.

    Errors:
        K193 files share ids, and say the same of each: they are rows of several models.

    Cost: one pass over two columns; of large files the ids of their first 100,000 rows are
    looked for in the others.
    """
    rows = _rows(relation, column, true, where)
    if rows is None:
        return []
    run = relation.connection.sql
    n_bytes = sum(file.n_bytes for file in relation.files)
    n_known = relation.n_rows
    is_much = n_bytes > _MOST_BYTES if n_known is None else n_known > _MOST_ROWS
    if is_much:
        looked = f"SELECT id FROM ({rows} LIMIT {_N_LOOKED})"
        rows = f"SELECT * FROM ({rows}) WHERE id IN ({looked})"
    n, n_ids = _one(run(f"SELECT count(id), count(DISTINCT id) FROM ({rows})"))
    if n == n_ids:
        return []
    shared = (
        f"SELECT id, min(file) AS file, max(file) AS other, min(label) = max(label) AS is_same "
        f"FROM ({rows}) WHERE id IS NOT NULL GROUP BY id HAVING min(file) < max(file)"
    )
    n_shared, is_same, first, left, right = _one(
        run(
            "SELECT count(*), bool_and(is_same), arg_min(id, (length(id), id)), min(file), "
            f"max(other) FROM ({shared})"
        )
    )
    if n_shared and is_same:
        names = {file.path: file.shown for file in relation.files}
        left, right = names.get(left, left), names.get(right, right)
        raise error(
            "K193",
            count=n_shared,
            column=repr(column),
            left=left,
            right=right,
            value=first,
            compare=f"karat compare {left} {right}",
            no_id=option(argument, ""),
        )
    counts = f"SELECT id, count(*) AS n FROM ({rows}) WHERE id IS NOT NULL GROUP BY id"
    n_repeated, repeated = _one(run(f"SELECT sum(n), max_by(id, n) FROM ({counts}) WHERE n > 1"))
    (n_rows,) = _one(run(f"SELECT count(*) FROM ({rows})"))
    return [repeated_ids(int(n_repeated), n_rows, column, repeated)]


def _rows(relation: Relation, column: str, true: str, where: str | None) -> str | None:
    """SQL of the id, the label and the file of each row; None where files do not say it."""
    pieces = []
    for part in relation.parts:
        own = [relation.column(name) for name in (column, true)]
        is_there = all(name in part.columns for name in own) and part.files
        is_filtered = where is not None and part.reading != "typed"
        # A table function alone knows the file of a row.
        if not is_there or is_filtered or part.sql.startswith("("):
            return None
        names = ", ".join(
            f"CAST({quoted(name)} AS VARCHAR) AS {alias}"
            for name, alias in zip(own, ("id", "label"), strict=True)
        )
        condition = "" if where is None else f" WHERE ({where}\n)"
        pieces.append(f"SELECT {names}, filename AS file FROM {part.sql}{condition}")
    return " UNION ALL ".join(pieces) if pieces else None


def _one(found: Any) -> tuple[Any, ...]:
    (row,) = found.fetchall()
    return tuple(row)
