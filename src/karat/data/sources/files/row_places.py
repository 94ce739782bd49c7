"""Errors about a row of files: how rows are numbered, which file has it, and what can be done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from karat.data.sources.files.counted import opened
from karat.data.sources.files.duck import file_list
from karat.data.sources.files.paths import is_read_once
from karat.data.sources.files.relations import Relation
from karat.errors import KaratError, error

__all__ = ["errors_of_files", "rows_of_each"]

_A_ROW: Final = re.compile(r"\b[Rr]ow [0-9]")
_ADVICE: Final = {
    "K130": "Name columns of numbers with --prob or --score (prob=, score=): one for each class, "
    "or that of the positive class of two.",
    "K131": "Every row needs a finite number for every class: leave such rows out with --where "
    "(in Python by a SQL query).",
}
"""What to do about files, in place of what is said of arguments."""


@contextmanager
def errors_of_files(where: str | None, source: Any = None) -> Iterator[None]:
    """Errors within say which row of which file is meant, and advise what files allow.

    Args:
        where: the filter of the rows, or None.
        source: the files.
    """
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
        if problem.code in _ADVICE:
            facts["advice"] = _ADVICE[problem.code]
        if not facts:
            raise
        raise error(problem.code, **{**problem.context, **facts}) from problem.__cause__


def rows_of_each(relation: Relation) -> dict[str, int]:
    """Rows of each Parquet file, by its path."""
    paths = file_list([file.path for file in relation.files])
    found = relation.connection.execute(
        f"SELECT file_name, num_rows FROM parquet_file_metadata({paths})"
    )
    return {path: int(n) for path, n in found.fetchall()}


def _place_of(source: Any, row: int) -> list[str]:
    """Which row of which file it is, of several Parquet files; of others nobody knows."""
    if source is None or is_read_once(source):
        return []
    try:
        with opened(source, 1) as relation:
            if relation.n_rows is None or len(relation.files) < 2:
                return []
            n_rows = rows_of_each(relation)
            files = relation.files
    except (KaratError, OSError):
        return []
    for file in files:
        if row < n_rows[file.path]:
            return [f"It is row {row} of {file.shown}."]
        row -= n_rows[file.path]
    return []
