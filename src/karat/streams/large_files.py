"""Reports of Parquet files too large to hold, unit by unit, with a checkpoint on request."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from karat.engines.decided import checked_threshold
from karat.engines.exact_tables import ExactColumns
from karat.engines.file_units import FileUnits, units_of_files
from karat.engines.files import FileTally
from karat.engines.paths import find, is_read_once
from karat.engines.score_stream import ScoreParts
from karat.engines.scores import ScoreTally
from karat.engines.table_rows import TableRows, numbered
from karat.errors import error
from karat.report import Report
from karat.streams.checkpoints import Checkpoint, Progressed
from karat.streams.reports import Asked, report_of_parts
from karat.tally import union
from karat.tally.held_rows import Chunk, HeldRows

__all__ = ["report_of_large_files"]

_DENSEST: Final = 64
"""Parquet files hold scores in at least one part of so many of their bytes in memory."""


def report_of_large_files(
    source: Any,
    named: Mapping[str, Any],
    asked: Asked,
    *,
    threshold: float | None,
    max_memory: int,
    checkpoint: str | os.PathLike[str] | None,
    exact: bool,
    **reading: Any,
) -> Report | None:
    """The report of Parquet files whose scores do not fit, or whose read is to be resumed.

    Args:
        source: files.
        named: the columns named for each role, and labels, positive, weights.
        asked: what the report is to hold.
        threshold: from which score on the positive class of two is predicted.
        max_memory: bytes that rows with scores may take.
        checkpoint: a file to resume from and to write to, or None.
        exact: whether scores that were put into buckets are read again, every one of them.
        reading: where, nulls, progress, labels_are_text.

    Returns:
        The report; None where everything fits, and for other files: they are read as a whole.

    Errors:
        As `rows_of_files`; K415 a checkpoint of anything but Parquet files, or with clusters;
        K414 a checkpoint that cannot be used.
    """
    if named.get("clusters"):
        if checkpoint is not None:
            found = f"The rows are in clusters by {named['clusters']!r}"
            raise error("K415", option="checkpoint", found=found)
        return None
    if is_read_once(source):
        if checkpoint is not None:
            raise error("K415", option="checkpoint", found="A stream cannot be read again")
        return None
    if checkpoint is None and not _may_be_large(source, max_memory):
        return None
    progress = reading.pop("progress", None)
    units = units_of_files(
        source, n_threads=asked.n_threads, **{"clusters": None, **named}, **reading
    )
    if units is None:
        if checkpoint is not None:
            found = "The source is a query, or has other files than Parquet"
            raise error("K415", option="checkpoint", found=found)
        return None
    if checkpoint is None and units.n_bytes <= max_memory:
        return None
    is_frequency = asked.confidence is not None and asked.confidence.weights_are == "frequency"
    # The classes of the units say which is positive.
    empty = ScoreParts(
        max_memory, checked_threshold(threshold, units.classes), is_frequency=is_frequency
    )
    file = None
    if checkpoint is not None:
        arguments = {
            **named, **reading, "threshold": threshold, "max_memory": max_memory,
            "is_frequency": is_frequency,
        }  # fmt: skip
        file = Checkpoint.of(checkpoint, units, arguments)
    so_far = Progressed() if file is None else file.load(empty)
    n_done = sum(unit.n for unit in units.units[: so_far.n_units])
    for place in range(so_far.n_units, len(units.units)):
        if progress is not None:
            progress(n_done, units.n_rows)
        so_far = _with_unit(so_far, units, place, empty, asked.n_threads)
        n_done += units.units[place].n
        if file is not None:
            file.save(so_far, is_last=place + 1 == len(units.units))
    if progress is not None:
        progress(units.n_rows, units.n_rows)
    with ExitStack() as cleanup:
        scores = so_far.scores
        if exact and scores is not None:
            so_far = replace(so_far, scores=_refined(scores, units, asked.n_threads, cleanup))
        return _report(units, so_far, asked, threshold)


def _refined(
    scores: ScoreParts, units: FileUnits, n_threads: int | None, cleanup: ExitStack
) -> ScoreParts:
    """The same with every distinct score, from a second read; tables lie on disk meanwhile."""
    scores = scores.settled(n_threads)
    if scores.tables is None or scores.tables.is_exact:
        return scores
    columns = ExactColumns(
        units.classes.k,
        is_prob=scores.is_prob,
        is_weighted=scores.tables.is_weighted,
        is_frequency=scores.is_frequency,
    )
    cleanup.callback(columns.close)
    for place in range(len(units.units)):
        found = units.read(place, n_threads)
        if isinstance(found, TableRows):
            columns.add(_rows(found, scores.threshold, n_threads))
    ranks, probabilities, confidences = columns.merged()
    tables = replace(
        scores.tables,
        ranks=ranks,
        probabilities=probabilities,
        confidences=confidences,
        pooled=columns.pooled,
    )
    return replace(scores, tables=tables)


def _rows(found: TableRows, threshold: float | None, n_threads: int | None) -> ScoreTally:
    """The rows of a unit; all of them may weigh nothing."""
    return ScoreTally(
        found.classes,
        found.true,
        found.scores,
        found.weights,
        found.pred if threshold is None else None,
        threshold,
        n_threads or 0,
        found.weights_argument,
        is_part=True,
    )


def _may_be_large(source: Any, max_memory: int) -> bool:
    """Whether Parquet files could hold more than fits, by their size."""
    with ExitStack() as cleanup:
        found = find(source, cleanup)
        is_parquet = all(file.kind == "parquet" for file in found.files)
        n_bytes = sum(file.n_bytes for file in found.files)
        return found.query is None and is_parquet and n_bytes > max_memory // _DENSEST


def _with_unit(
    so_far: Progressed, units: FileUnits, place: int, empty: ScoreParts, n_threads: int | None
) -> Progressed:
    """The same with the rows of one more unit."""
    found = units.read(place, n_threads)
    after = replace(so_far, n_units=place + 1)
    if isinstance(found, int):
        return replace(after, n_dropped=so_far.n_dropped + found)
    after = replace(after, n_dropped=so_far.n_dropped + found.n_dropped)
    if isinstance(found, FileTally):
        cells = found.cells.with_classes(units.classes)
        return replace(after, cells=cells if so_far.cells is None else union(so_far.cells, cells))
    rows = _rows(found, empty.threshold, n_threads)

    def read() -> None:
        with numbered(found.kept):
            rows.read()

    units.numbering(place, read)
    chunk = Chunk(found.true, found.scores.values, rows.pred, rows.weights)
    held = HeldRows(units.classes, (chunk,), found.scores.is_prob, found.scores.tolerance)
    scores = so_far.scores or empty
    return replace(after, scores=scores.with_rows(held, n_threads))


def _report(units: FileUnits, so_far: Progressed, asked: Asked, threshold: float | None) -> Report:
    facts = dict(units.facts)
    warnings = list(units.digest.warnings)
    n_rows = 0
    for part in (so_far.cells, so_far.scores):
        n_rows += 0 if part is None else int(part.n_rows)
    if not n_rows:
        raise error("K402", path="All files", found="no row is left to read")
    if so_far.n_dropped:
        facts["n_dropped"] = so_far.n_dropped
        total = n_rows + so_far.n_dropped
        warnings.insert(
            0, f"{so_far.n_dropped} of {total} rows have a missing label and were dropped."
        )
    mapping = units.digest.mapping
    if threshold is not None and isinstance(units.digest, TableRows):
        # Found by its name, and not read: the threshold decides.
        mapping = {**mapping, "pred": None}
    return report_of_parts(
        so_far.cells, so_far.scores, asked, mapping=mapping, source=facts, warnings=tuple(warnings)
    )
