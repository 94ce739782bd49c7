"""Source of labels in files: Parquet, CSV, JSON, folders, streams and SQL, in one pass.

DuckDB streams only the needed columns. Each block of rows is counted natively, and only the tally
is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import SlicesLater
from karat.data.labels.column import Column
from karat.data.labels.counting import tally_columns
from karat.data.roles import Family, Roles, find_roles
from karat.data.rows import Counted
from karat.data.slices.codes import Key
from karat.data.sources.columns import TableRequest, dropped, slices_later
from karat.data.sources.files.duck import connected, explaining
from karat.data.sources.files.labels import labels_of, missing_codes, named, refuse_scores
from karat.data.sources.files.orders import declared_order
from karat.data.sources.files.paths import Source, find, is_read_once, unchanged
from karat.data.sources.files.readers import open_relation
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.row_blocks import Block, RowBlocks
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.text_labels import Reading
from karat.data.sources.formats import AS_TYPED, ColumnFormats
from karat.data.sources.tables.frames import family_of
from karat.errors import KaratError, error, shown
from karat.errors.options import as_typed, is_command_line, option
from karat.errors.reasons import (
    InfiniteWeightError,
    MissingScoresError,
    NegativeWeightError,
    NotNumbersError,
    UnknownColumnError,
)
from karat.tally import Cells, union
from karat.tally.folds import FoldColumns

N_CLASSES_MAX = 1 << 22
"""Number of distinct labels above which a column is an identifier or a score, not classes."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Columns of a source, before any row is counted.

    Attributes:
        columns: name and type of each column, declared by the file or guessed from its text.
        roles: possible roles of the columns.
        types: known type of each column by its name.
        source: files, bytes, format and query.
        n_rows: number of rows, if the files store it.
    """

    columns: tuple[tuple[str, str], ...]
    roles: Roles
    types: Mapping[str, Family]
    source: Mapping[str, Any]
    n_rows: int | None = None


def survey_files(source: Source, formats: ColumnFormats = AS_TYPED) -> Survey:
    """Find the columns of a source and their possible roles; ambiguity is not an error here.

    Errors:
        K401, K402, K403, K408, K409, K410, K411 as in `rows_of_files`; K404, K455 the formats.
    """
    with opened(source, 1, formats) as relation:
        types, facts = families(relation), facts_of(relation, None)
        roles = find_roles(relation.header, types, needs=())
        return Survey(tuple(relation.described), roles, types, facts, relation.n_rows)


def tally_relation(
    relation: Relation, mapping: Mapping[str, str | None], request: TableRequest
) -> Counted:
    """Count the labels of an open source in memory that does not depend on its size.

    Args:
        mapping: the columns of truth, prediction and weights.

    Errors:
        As in `rows_of_files`.

    Cost: one pass over the columns needed; about 200 MB for any number of rows.
    """
    where = request.where
    chosen = {role: relation.column(name) for role, name in mapping.items() if name}
    columns = tuple(chosen[role] for role in ("true", "pred", "weights") if role in chosen)
    reading = relation.reading(columns[:2])
    sql = relation.select(columns, where, reading)
    rows = RowBlocks(
        lambda: relation.connection.sql(sql),
        columns,
        request.nulls,
        is_one_csv=relation.is_one_csv,
        are_written=relation.are_text(columns[:2]),
    )
    is_query = relation.query is not None
    with explaining(relation.files, has_sql=is_query, where=where):
        relation.require(chosen)
        keep_order(relation.connection, sql)
        counted = _counted(rows, relation, reading, request)
        rows.absent = missing_codes(counted, rows, reading, request)
        if rows.absent is not None:
            counted = _counted(rows, relation, reading, request)
        if counted is None:
            raise no_rows(relation, where, rows.n_dropped)
        if counted.is_weighted and not counted.counts.any() and not request.is_part:
            n = int(counted.n_rows)
            raise error("K115", argument=f"Weights (column {rows.names[2]!r})", n=n)
        n_dropped = rows.n_dropped
        tally = named(counted, rows, reading, request, relation)
        codes = map(int, counted.classes.labels)
        labels = dict(zip(codes, labels_of(counted, rows, reading, request), strict=True))
        unverified = rows.take_unverified(labels) if rows.n_dropped else {}
    facts = facts_of(relation, where, n_dropped)
    notes = dropped(n_dropped, int(tally.n_rows) + n_dropped)
    return Counted(tally, mapping, facts, notes, n_dropped, unverified)


@contextmanager
def opened(
    source: Source, n_threads: int | None, formats: ColumnFormats = AS_TYPED
) -> Iterator[Relation]:
    """Context of an open source, with its files and columns."""
    with ExitStack() as cleanup:
        found = find(source, cleanup)
        connection = cleanup.enter_context(connected(n_threads))
        with unchanged(found.files):
            yield open_relation(connection, found, formats)


def families(relation: Relation) -> dict[str, Family]:
    """Return the known type of each column by its name."""
    # A column `w` of numbers and one stray text has an invalid weight: it is not a column of text.
    mixed = relation.mixed
    return {
        name: "unknown" if name in mixed else family_of(kind) for name, kind in relation.described
    }


def slices_of(
    relation: Relation, groups: Sequence[Key], folds: FoldColumns | None = None
) -> SlicesLater:
    """Return how values of columns become slices."""
    names = dict.fromkeys(name for key in groups for name in key)
    each = {name: declared_order(relation, relation.column(name)) for name in names}
    orders = {name: order for name, order in each.items() if order is not None}
    is_one_csv = relation.is_one_csv
    return slices_later(families(relation), groups, folds, is_one_csv=is_one_csv, orders=orders)


def facts_of(relation: Relation, where: str | None, n_dropped: int = 0) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if relation.query is not None:
        facts["query"] = relation.query.strip()
    else:
        facts["files"] = [file.shown for file in relation.files]
        facts["format"] = sorted({file.kind for file in relation.files})
        facts["n_bytes"] = sum(file.n_bytes for file in relation.files)
    if where is not None:
        facts["where"] = where
    if n_dropped:
        facts["n_dropped"] = n_dropped
    return facts


def no_rows(relation: Relation, where: str | None, n_dropped: int) -> Exception:
    """K402: the source has no rows."""
    files = relation.files
    path = "The result of the query" if not files else files[0].shown
    if len(files) > 1:
        path = f"All of {len(files)} files ({path} …)"
    found = "0 rows"
    if n_dropped:
        found = f"{n_dropped} rows, and all have a missing label"
    elif where is not None:
        found = f"no row where {where}"
    return error("K402", path=path, found=found, n_dropped=n_dropped)


def _counted(
    rows: RowBlocks, relation: Relation, reading: Reading, request: TableRequest
) -> Cells | None:
    """Return the tally of all blocks, with text labels still as codes; None without rows."""
    total: Cells | None = None
    n_rows = relation.n_rows
    try:
        # Closed before an error is explained: DuckDB reads nothing else while a stream is open.
        with closing(iter(rows)) as blocks:
            for block in blocks:
                true, pred = (
                    Column(f"column {name!r}", codes, "integer")
                    for name, codes in zip(rows.names, (block.true, block.pred), strict=False)
                )
                part = tally_columns(
                    true,
                    pred,
                    weights=block.weights,
                    weights_argument=f"column {rows.names[-1]!r}",
                    n_threads=request.n_threads,
                    is_part=True,
                )
                total = part if total is None else union(total, part)
                if are_many(total.k, rows):
                    break
                if request.progress is not None:
                    request.progress(block.first_row + len(block.true) + rows.n_dropped, n_rows)
    except (NegativeWeightError, InfiniteWeightError) as problem:
        raise _bad_weights(problem, rows) from None
    if total is not None and are_many(total.k, rows):
        refuse_many(rows, reading)
    return total


def are_many(n: int, rows: RowBlocks) -> bool:
    """Return whether there are too many distinct labels: n numbers, or texts."""
    return max(n, rows.n_texts) > N_CLASSES_MAX


def refuse_many(rows: RowBlocks, reading: Reading) -> NoReturn:
    """Return the error of too many distinct labels: K407 for numbers, else K106."""
    refuse_scores(rows, reading)
    found = f"More than {N_CLASSES_MAX} labels differ, as ids and scores do"
    raise error("K106", argument=f"One of {shown(rows.names[:2])}", found=found)


def _bad_weights(problem: KaratError, rows: RowBlocks) -> Exception:
    """Return the error of a block, with the row and the count of the whole read."""

    def is_bad(block: Block) -> npt.NDArray[np.bool_]:
        assert block.weights is not None
        is_negative = isinstance(problem, NegativeWeightError)
        return block.weights < 0 if is_negative else ~np.isfinite(block.weights)

    row, count, n = rows.first_and_count(is_bad)
    argument = f"column {rows.names[2]!r}"
    return problem.but(argument=argument, row=row, count=count, n=n)


_A_ROW: Final = re.compile(r"\b[Rr]ow [0-9]")
_ADVICE: Final[Mapping[type[KaratError], str]] = {
    NotNumbersError: "Name columns of numbers with y_prob=, y_logit= or y_score=: one for each "
    "class, or that of the positive class of two.",
    MissingScoresError: "Every row needs a finite number for every class: leave such rows out "
    "with {how}.",
}
"""Advice about files, in place of that about arguments."""


@contextmanager
def errors_of_files(where: str | None, source: Any = None) -> Iterator[None]:
    """Context in which errors name the row and the file, with advice that applies to files."""
    try:
        yield
    except KaratError as problem:
        facts: dict[str, Any] = {}
        told = [str(problem.context["numbering"])] if "numbering" in problem.context else []
        if where is not None and not told and _A_ROW.search(str(problem)):
            told = ["Rows are numbered among those that the filter keeps."]
        if where is None and "row" in problem.context:
            told = [*_place_of(source, problem.context["row"]), *told]
        if told:
            facts["numbering"] = " ".join(told)
        if isinstance(problem, UnknownColumnError):
            facts["more"] = " `karat columns FILE` shows what is found."
        advice = _ADVICE.get(type(problem))
        if advice is not None and "advice" not in problem.context:
            how = option("where") if is_command_line() else "a SQL query"
            facts["advice"] = as_typed(advice).format(how=how)
        if not facts:
            raise
        raise problem.but(**facts) from problem.__cause__


def _place_of(source: Any, row: int) -> list[str]:
    """Return the row within its file, for several Parquet files; unknown for others."""
    if source is None or is_read_once(source):
        return []
    try:
        with opened(source, 1) as relation:
            files, n_rows = relation.files, relation.rows_of
    except (KaratError, OSError):
        return []
    if n_rows is not None and len(files) > 1:
        for file in files:
            if row < n_rows[file.path]:
                return [f"It is row {row} of {file.shown}."]
            row -= n_rows[file.path]
    return []
