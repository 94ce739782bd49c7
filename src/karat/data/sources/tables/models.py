"""The rows of one model in a table or in files, in their order, to be matched with another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from karat.data.rows import Rows, numbered
from karat.data.scores.rows import ScoreTally
from karat.data.sources.files.paths import names_files
from karat.errors import error

__all__ = ["predicted", "read_rows"]


def read_rows(
    source: Any,
    name: str,
    columns: Mapping[str, Any],
    *,
    labels: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    nulls: str = "error",
    n_threads: int | None = None,
    where: str | None = None,
    labels_are_text: bool = False,
    progress: Any = None,
) -> Rows:
    """The rows of a table or of files, in their order.

    Args:
        source: what `rows_of_frame` or `rows_of_files` reads.
        name: what messages call it.
        columns: the column of each role, or None: ``true``, ``pred``, ``prob``, ``score``,
            ``weights``, ``clusters``, ``ids`` and ``by``.
        threshold: predict the positive class of two from this score on.

    Errors:
        As `rows_of_frame` and `rows_of_files`.
    """
    named = dict(columns)
    if threshold is not None and named.get("pred"):
        raise error("K136", threshold=threshold, found="A column of predictions is given too")
    options = {"labels": labels, "positive": positive, "nulls": nulls, "n_threads": n_threads}
    if names_files(source):
        from karat.data.sources.files.row_places import told_of_files
        from karat.data.sources.files.rows import rows_of_files

        options |= {"where": where, "labels_are_text": labels_are_text, "progress": progress}

        def read(**given: Any) -> Any:
            with told_of_files(where, source):
                return rows_of_files(source, keeps_rows=True, **given, **options)
    else:
        from karat.data.sources.tables.rows import rows_of_frame

        def read(**given: Any) -> Any:
            return rows_of_frame(source, keeps_rows=True, **given, **options)

    found: Rows = replace(read(**named), name=name)
    if found.scores is not None:
        with numbered(found.kept):
            return predicted(found, threshold, n_threads)
    if threshold is not None:
        raise error("K136", threshold=threshold, found="There are no probabilities or scores")
    return found


def predicted(rows: Rows, threshold: float | None, n_threads: int | None) -> Rows:
    """Rows with scores, their predictions made where there are none; each score is checked.

    Errors:
        K13x a value is no probability or not finite; K113 to K115 bad weights; K136 the threshold.
    """
    tally = ScoreTally.of(rows, threshold, n_threads)
    tally.check()
    return replace(rows, pred=np.asarray(tally.predicted(), np.int32))
