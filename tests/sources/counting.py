"""Labels alone of files and of tables in memory, without scores and clusters."""

from __future__ import annotations

from typing import Any

from karat.data.rows import Counted
from karat.data.sources.files.rows import rows_of_files
from karat.data.sources.tables.rows import rows_of_frame

_LABELS_ALONE = {"prob": "", "score": "", "clusters": ""}


def tally_files(source: Any, **options: Any) -> Counted:
    """The tally of the labels of files."""
    found = rows_of_files(source, **_LABELS_ALONE, **options)
    assert isinstance(found, Counted)
    return found


def tally_frame(table: Any, **options: Any) -> Counted:
    """The tally of the labels of a table in memory."""
    found = rows_of_frame(table, **_LABELS_ALONE, **options)
    assert isinstance(found, Counted)
    return found
