"""Values of columns of files: shared ids, groups, lists written as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from karat.data.checks import N_FIRST, N_PAIRS, are_groups, repeated_ids
from karat.data.sources.files.duck import DataFile, explaining
from karat.data.sources.files.relations import Relation
from karat.errors import error
from karat.errors.doubts import Doubt
from karat.errors.options import option

_MOST_ROWS: Final = 5_000_000
_MOST_BYTES: Final = 1 << 29
"""Larger files are searched for the ids of their first rows only; for a query, this many rows."""
_N_LOOKED: Final = 100_000


def doubts_of_ids(
    relation: Relation,
    column: str | None,
    true: str,
    where: str | None = None,
    argument: str = "ids",
    *,
    is_named: bool = False,
) -> list[Doubt]:
    """Return the warning about rows that share an id.

    Ids of any type are compared as text; whole numbers are equal in all files: 1, 1.0 and "1".

    Args:
        column: the column of ids; None without one.
        true: the column of the true labels.
        where: the condition on rows.
        argument: argument that names the column.
        is_named: whether the caller named the column; a detected one is ignored if some of the
            files lack it.

    Errors:
        K193 files share ids, with the same label for each, or have no ids and the same labels in
            the same order: they are rows of several models.
        K410 a file lacks the column that the caller named.

    Cost: one pass over one column, and over two if ids repeat; for large files, the ids of their
    first 100,000 rows are searched in the others. A query runs once more, up to its first 5 million
    rows, whose files are unknown.
    """
    if column is None:
        with _explaining(relation, where):
            _check_truth(relation, relation.column(true), where, argument)
        return []
    own, label = relation.column(column), relation.column(true)
    if is_named:
        relation.require_column(own)
    if not all(name in part.columns for part in relation.parts for name in (own, label)):
        return []
    with _explaining(relation, where):
        rows = relation.select_ids(own, label, where)
        return _doubts(relation, column, rows, argument)


@contextmanager
def _explaining(relation: Relation, where: str | None) -> Iterator[None]:
    with explaining(relation.files, has_sql=relation.query is not None, where=where):
        yield


def _doubts(relation: Relation, column: str, rows: str, argument: str) -> list[Doubt]:
    run = relation.connection.sql
    n_bytes = sum(file.n_bytes for file in relation.files)
    n_known = relation.n_rows
    is_much = n_bytes > _MOST_BYTES if n_known is None else n_known > _MOST_ROWS
    if not relation.files:
        rows = f"SELECT * FROM ({rows}) LIMIT {_MOST_ROWS}"
    elif is_much:
        looked = f"SELECT id FROM ({rows}) LIMIT {_N_LOOKED}"
        rows = f"SELECT * FROM ({rows}) WHERE id IN ({looked})"
    is_repeated = "FILTER (WHERE id IS NOT NULL AND n > 1)"
    counts = f"SELECT id, count(*) AS n FROM ({rows}) GROUP BY id"
    most = f"arg_min(id, (-n, length(id), id)) {is_repeated}"
    n_rows, n_repeated, repeated = _one(
        run(f"SELECT sum(n), sum(n) {is_repeated}, {most} FROM ({counts})")
    )
    if not n_repeated:
        return []
    if len(relation.files) > 1:
        _check_files(relation, column, rows, argument)
    return [repeated_ids(int(n_repeated), int(n_rows), column, repeated)]


def _check_truth(relation: Relation, true: str, where: str | None, argument: str) -> None:
    """Refuse files without ids that have the same labels in the same order: K193."""
    files = relation.files[:_FILES_LOOKED]
    if len(files) < 2 or not all(
        true in {*part.columns} - part.partitions for part in relation.parts
    ):
        return
    rows = relation.select_ids(true, true, where)

    def labels_of(file: DataFile, limit: int) -> tuple[Any, ...]:
        sql = f"SELECT label::VARCHAR FROM ({rows}) WHERE file = $path LIMIT {limit}"
        return tuple(relation.connection.execute(sql, {"path": file.path}).fetchall())

    by_start: dict[tuple[Any, ...], list[DataFile]] = {}
    for file in files:
        start = labels_of(file, _FIRST_ROWS)
        n_changes = sum(label != following for label, following in pairwise(start))
        # Files of rows sorted by label have equal labels.
        if n_changes > _CHANGES + len({*start}):
            by_start.setdefault(start, []).append(file)
    for candidates in by_start.values():
        by_labels: dict[tuple[Any, ...], DataFile] = {}
        for file in candidates if len(candidates) > 1 else ():
            first = by_labels.setdefault(labels_of(file, _N_LOOKED), file)
            if first is not file:
                raise error(
                    "K193",
                    what="have the same truth",
                    found=f"{first.shown} and {file.shown} have the same labels in the same order",
                    compare=f"karat compare {first.shown} {file.shown}",
                    do=f"If they are different rows, give {option(argument, '')}",
                )


_FILES_LOOKED: Final = 32
_FIRST_ROWS: Final = 1_000
_CHANGES: Final = 8


def _check_files(relation: Relation, column: str, rows: str, argument: str) -> None:
    """Refuse files that share ids with the same label for each: K193."""
    shared = (
        f"SELECT id, min(file) AS file, max(file) AS other, min(label) = max(label) AS is_same "
        f"FROM ({rows}) WHERE id IS NOT NULL GROUP BY id HAVING min(file) < max(file)"
    )
    n_shared, is_same, first, left, right = _one(
        relation.connection.sql(
            "SELECT count(*), bool_and(is_same), arg_min(id, (length(id), id)), min(file), "
            f"max(other) FROM ({shared})"
        )
    )
    if n_shared and is_same:
        names = {file.path: file.shown for file in relation.files}
        left, right = names.get(left, left), names.get(right, right)
        raise error(
            "K193",
            what="hold rows with the same ids",
            found=f"{n_shared} ids of column {column!r} in {left} are in {right} too, "
            f"first {first!r}",
            compare=f"karat compare {left} {right}",
            do=f"If the ids belong to other rows, give {option(argument, '')}",
        )


@dataclass(frozen=True, slots=True)
class ValuesOfFiles:
    """Values of columns of files: `columns.Values`.

    Cost: each reads the first rows that the condition keeps.
    """

    relation: Relation
    where: str | None

    def first(self, column: str) -> str | None:
        """Return the first value of a column as text; None without one."""
        found = self._of_rows(column, "any_value(key)")
        return None if found[0] is None else str(found[0])

    def are_groups(self, column: str) -> bool:
        """Return whether values of a column repeat, and are not all equal."""
        counts = self._of_rows(column, "count(key), count(DISTINCT key), count(*)")
        found = are_groups(*counts)
        if found is None:
            # All of them are equal: there are more rows than were examined.
            found = not self._of_rows(column, "coalesce(min(key) = max(key), true)", limit="")[0]
        return found

    def distinct(self, column: str) -> set[str]:
        """Return the distinct values of the first rows as text."""
        return self._texts(column) - {""}

    def written(self, column: str) -> set[str]:
        """Return the distinct texts of the first rows of a column of a CSV, "" for blanks."""
        is_csv = any(part.origin(column) == "csv" for part in self.relation.parts)
        return self._texts(column) if is_csv else set()

    def _texts(self, column: str) -> set[str]:
        relation = self.relation
        sql = f"FROM ({relation.select_text(column, self.where)}) LIMIT {N_FIRST}"
        with _explaining(relation, self.where):
            found = relation.connection.sql(f"SELECT DISTINCT text FROM ({sql})").fetchall()
        return {text or "" for (text,) in found}

    def rows(self, columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the first rows of some columns as texts."""
        relation = self.relation
        sql = f"FROM ({relation.select_values([], columns, self.where)}) LIMIT {N_PAIRS}"
        with _explaining(relation, self.where):
            found = relation.connection.sql(sql).fetchall()
        return [tuple("" if text is None else str(text) for text in row) for row in found]

    def _of_rows(
        self, column: str, wanted: str, limit: str = f" LIMIT {N_FIRST}"
    ) -> tuple[Any, ...]:
        relation = self.relation
        rows = relation.select_keys(relation.column(column), self.where)
        with _explaining(relation, self.where):
            return _one(relation.connection.sql(f"SELECT {wanted} FROM (FROM ({rows}){limit})"))


def _one(found: Any) -> tuple[Any, ...]:
    (row,) = found.fetchall()
    return tuple(row)
