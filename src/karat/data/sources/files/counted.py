"""Source of labels in files: Parquet, CSV, JSON, folders, streams and SQL, in one bounded pass.

DuckDB reads only the columns needed and streams them; each block of rows is counted natively,
and only the tally is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from karat.data.checks import check_unused_weights, remarks
from karat.data.labels.column import Column, declared_labels
from karat.data.labels.counting import tally_columns, weightless
from karat.data.roles import Family, Role, Roles, find_roles
from karat.data.rows import Counted
from karat.data.sources.files.duck import check_condition, connected, explaining
from karat.data.sources.files.labels import Declared, missing_codes, named, refuse_scores
from karat.data.sources.files.paths import Source, find, unchanged
from karat.data.sources.files.readers import open_relation
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.row_blocks import Block, RowBlocks
from karat.data.sources.files.sql import keep_order
from karat.data.sources.files.text_labels import Reading
from karat.data.sources.tables.frames import family_of
from karat.errors import KaratError, error, shown
from karat.tally import Cells, Label, to_marginals, union

__all__ = [
    "N_CLASSES_MAX",
    "Progress",
    "Survey",
    "facts_of",
    "families",
    "no_rows",
    "opened",
    "survey_files",
    "tally_files",
    "tally_relation",
]

Progress = Callable[[int, int | None], None]
"""Called now and then with the rows read, and the rows in all where that is known."""

N_CLASSES_MAX = 1 << 22
"""More different labels than this are an identifier or a score, not classes."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The columns of a source, before any row is counted.

    Attributes:
        columns: name and type of each column, as the file declares it or as its text looks.
        roles: what the columns could be.
        types: what is known of each column by its name.
        source: files, bytes, format and query.
        n_rows: rows, where the files say so.
    """

    columns: tuple[tuple[str, str], ...]
    roles: Roles
    types: Mapping[str, Family]
    source: Mapping[str, Any]
    n_rows: int | None = None


def survey_files(source: Source) -> Survey:
    """Find the columns of a source and what they could be; ambiguity is no error here.

    Errors:
        K401, K402, K403, K408, K409, K410, K411 as `tally_files`.
    """
    with opened(source, 1) as relation:
        types, facts = families(relation), facts_of(relation, None)
        roles = find_roles(relation.header, types, needs=())
        return Survey(tuple(relation.described), roles, types, facts, relation.n_rows)


def tally_files(
    source: Source,
    *,
    true: str | None = None,
    pred: str | None = None,
    weights: str | None = None,
    where: str | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    labels_are_text: bool = False,
    cells: bool = True,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Counted:
    """Count the labels of prediction files, in memory that does not depend on their size.

    Args:
        source: a path, a glob, a folder, ``"-"`` for standard input, a SQL query, or several paths.
        true, pred, weights: columns; found by their names when not given.
        where: a SQL condition; rows that fail it are not read.
        labels: the classes in order; default: the sorted labels that occur.
        positive: the positive class of two.
        labels_are_text: whether `labels` and `positive` are texts, as a command line has them,
            to be read as what the columns hold.
        cells: whether the confusion matrix is wanted, or class totals are enough.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
        n_threads: threads of the reader (four at most) and of the count.
        progress: called after each block of rows.

    Returns:
        The tally with what it was read from. Rows are numbered from 0 over the whole read.

    Errors:
        K104 missing labels; K108 strings against numbers; K109 outside `labels`; K113, K114, K115
        bad weights; K401 to K411 files and columns; K501 duckdb is not installed.

    Cost: one pass over the columns needed; about 200 MB whatever the number of rows.
    """
    # Read once: it may be a generator.
    classes = None if labels is None else declared_labels(labels)
    declared = Declared(classes, positive, labels_are_text)
    with opened(source, n_threads) as relation:
        if where is not None:
            check_condition(relation.connection, where)
        return tally_relation(
            relation,
            {"true": true, "pred": pred, "weights": weights},
            where,
            declared,
            cells=cells,
            nulls=nulls,
            n_threads=n_threads,
            progress=progress,
        )


def tally_relation(
    relation: Relation,
    given: Mapping[Role, str | None],
    where: str | None,
    declared: Declared,
    *,
    cells: bool = True,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
    progress: Progress | None = None,
    is_part: bool = False,
) -> Counted:
    """Count the labels of an open source; otherwise as `tally_files`.

    Args:
        given: truth, prediction and weights as the caller named them.
        is_part: whether the rows are a part of others, so that all of them may weigh nothing.
    """
    roles = find_roles(relation.header, families(relation), given)
    mapping = roles.mapping
    if given["weights"] is None and mapping["weights"] is None:
        check_unused_weights(relation.described, mapping.values())
    chosen = {role: relation.column(name) for role, name in mapping.items() if name}
    columns = tuple(chosen[role] for role in ("true", "pred", "weights") if role in chosen)
    reading = relation.reading(columns[:2])
    sql = relation.select(columns, where, reading)
    rows = RowBlocks(lambda: relation.connection.sql(sql), columns, nulls)
    is_query = relation.query is not None
    with explaining(relation.files, has_sql=is_query, where=where):
        relation.require(chosen)
        keep_order(relation.connection, sql)
        wants_cells = cells or reading != "typed"
        counted = _counted(rows, relation, reading, wants_cells, n_threads, progress)
        rows.absent = missing_codes(counted, rows, reading, declared)
        if rows.absent is not None:
            counted = _counted(rows, relation, reading, wants_cells, n_threads, progress)
        if counted is None:
            raise no_rows(relation, where, rows.n_dropped)
        if counted.is_weighted and not counted.counts.any() and not is_part:
            n = int(counted.n_rows)
            raise error("K115", argument=f"Weights (column {rows.names[2]!r})", n=n)
        n_dropped = rows.n_dropped
        tally = named(counted, rows, reading, declared)
    if not cells:
        tally = to_marginals(tally)
    facts = facts_of(relation, where)
    notes = remarks(tally)
    if n_dropped:
        facts["n_dropped"] = n_dropped
        total = int(tally.n_rows) + n_dropped
        notes.insert(0, f"{n_dropped} of {total} rows have a missing label and were dropped.")
    return Counted(tally, mapping, facts, tuple(notes), n_dropped)


@contextmanager
def opened(source: Source, n_threads: int | None) -> Iterator[Relation]:
    """A source, its files found and its columns known, for as long as it is read."""
    with ExitStack() as cleanup:
        found = find(source, cleanup)
        connection = cleanup.enter_context(connected(n_threads))
        with unchanged(found.files):
            yield open_relation(connection, found)


def families(relation: Relation) -> dict[str, Family]:
    """What is known of each column by its name."""
    # A column `w` of numbers and one stray text is a bad weight, not a column of text.
    return {
        name: "unknown" if name in relation.mixed else family_of(kind)
        for name, kind in relation.described
    }


def facts_of(relation: Relation, where: str | None) -> dict[str, Any]:
    """What a report says of its source."""
    facts: dict[str, Any] = {}
    if relation.query is not None:
        facts["query"] = relation.query.strip()
    else:
        facts["files"] = [file.shown for file in relation.files]
        facts["format"] = sorted({file.kind for file in relation.files})
        facts["n_bytes"] = sum(file.n_bytes for file in relation.files)
    if where is not None:
        facts["where"] = where
    return facts


def no_rows(relation: Relation, where: str | None, n_dropped: int) -> Exception:
    """K402: the source has no row to read."""
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
    rows: RowBlocks,
    relation: Relation,
    reading: Reading,
    cells: bool,
    n_threads: int | None,
    progress: Progress | None,
) -> Cells | None:
    """The tally of all blocks, its labels still codes where they are text; None without rows."""
    total: Cells | None = None
    n_rows = relation.n_rows
    try:
        # Closed before an error is explained: DuckDB reads nothing else beside an open stream.
        with closing(iter(rows)) as blocks:
            for block in blocks:
                part = _count(block, rows, cells=cells, n_threads=n_threads)
                total = part if total is None else union(total, part)
                if max(total.k, rows.n_texts) > N_CLASSES_MAX:
                    break
                if progress is not None:
                    progress(block.first_row + len(block.true) + rows.n_dropped, n_rows)
    except KaratError as problem:
        if problem.code not in ("K113", "K114"):
            raise
        raise _bad_weights(problem, rows) from None
    if total is not None and max(total.k, rows.n_texts) > N_CLASSES_MAX:
        refuse_scores(rows, reading)
        found = f"More than {N_CLASSES_MAX} labels differ, as ids and scores do"
        raise error("K106", argument=f"One of {shown(rows.names[:2])}", found=found)
    return total


def _count(block: Block, rows: RowBlocks, *, cells: bool, n_threads: int | None) -> Cells:
    true, pred = (
        Column(f"column {name!r}", codes, "integer")
        for name, codes in zip(rows.names, (block.true, block.pred), strict=False)
    )
    weights = block.weights
    if weights is not None and not weights.any():
        return weightless(tally_columns(true, pred, cells=cells, n_threads=n_threads))
    argument = f"column {rows.names[2]!r}" if rows.has_weights else "weights"
    return tally_columns(
        true, pred, weights=weights, weights_argument=argument, cells=cells, n_threads=n_threads
    )


def _bad_weights(problem: KaratError, rows: RowBlocks) -> Exception:
    """The error of a block, with the row and the count of the whole read."""

    def is_bad(block: Block) -> npt.NDArray[np.bool_]:
        assert block.weights is not None
        return block.weights < 0 if problem.code == "K113" else ~np.isfinite(block.weights)

    row, count, n = rows.first_and_count(is_bad)
    value = problem.context["value"]
    return error(
        problem.code, argument=f"column {rows.names[2]!r}", row=row, value=value, count=count, n=n
    )
