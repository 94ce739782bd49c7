"""Reports of tables, of files and of frames in partitions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from karat.api.arguments import (
    MAX_MEMORY,
    dressed,
    ids_of_table,
    is_frequency,
    naming_judges,
    of_table,
)
from karat.api.doubts import check_found_scores, with_order_of_columns
from karat.api.measuring import report_of
from karat.api.report import Report
from karat.api.request.request import Request
from karat.api.results import ClassReport
from karat.api.sources import columns_to_read, fold_columns
from karat.api.spec import Spec
from karat.data.accumulator import Batch, Source, Tallies, accumulate
from karat.data.listing import checked_ids
from karat.data.rows import Counted, Rows
from karat.data.scores.classes import both_decide, checked_threshold
from karat.data.scores.columns import UNLESS_PREDICTED
from karat.data.slices.codes import named_columns
from karat.data.sources.columns import TableRequest
from karat.data.sources.distributed.frames import distributed_host, pieces_of
from karat.data.sources.files.paths import names_files
from karat.data.sources.logged import logged
from karat.data.sources.tables.values import doubts_of_values
from karat.errors import error
from karat.errors.options import option
from karat.errors.together import refuse

_TASK_MEMORY: Final = 1 << 28


def of_columns(request: Request) -> Request:
    """The request of a table, with names of columns as plain texts (K250, K421, K451)."""
    where = "files" if names_files(request.y_true) else pieces_of(request.y_true)
    return request.but(
        weights=of_table("weights", request.weights, where),
        clusters=of_table("clusters", request.clusters, where),
        ids=ids_of_table(request.ids, where),
        folds=fold_columns(request.folds),
        by=() if request.by is None else named_columns(request.by),
    )


def report_of_table(
    request: Request,
    spec: Spec,
    *,
    always_keeps: bool | None = None,
    then: Callable[[Any, Report], None] | None = None,
) -> Report:
    """Return the report of a table or of files, from labels alone or with probabilities or scores.

    Args:
        request: that of `of_columns`; ids and clusters may be values.
        always_keeps: whether rows are listed also where that takes a slower read of large files;
            default: where `keep_rows` is given.
        then: called with the source, which can still be read, and the report.
    """
    if always_keeps is None:
        always_keeps = bool(request.keep_rows) and not spec.is_dry
    ids = None if isinstance(request.ids, str | None) else request.ids
    lists_rows = bool(spec.keep_rows) or then is not None
    columns = _columns(request, spec, lists_rows=lists_rows)
    empty = spec.empty(
        request.max_memory or MAX_MEMORY,
        is_frequency=columns.is_frequency,
        keeps_all=request.checkpoint is not None,
    )
    table = request.y_true
    pieces = None if names_files(table) else pieces_of(table)
    units = progress = None
    source: Source | Batch
    with ExitStack() as cleanup:
        cleanup.enter_context(naming_judges(table))
        if names_files(table):
            from karat.data.sources.files.counted import errors_of_files
            from karat.data.sources.files.large import ReadingUnits, large_files
            from karat.data.sources.files.rows import FileStream, read_files

            cleanup.enter_context(errors_of_files(request.where, table))
            if always_keeps and request.checkpoint is not None:
                refuse("evaluate", "listed rows", {"checkpoint": request.checkpoint})
            if not always_keeps:
                units = large_files(table, columns, empty.max_memory, request.checkpoint)
            if units is None:
                open_files = cleanup.enter_context(ExitStack())
                source = read_files(table, columns, open_files, empty.max_memory)
                if isinstance(source, Rows | Counted):
                    open_files.close()
                elif isinstance(source, FileStream):
                    at = checked_threshold(spec.threshold, source.classes, source.kind)
                    empty = replace(empty, threshold=at)
                    source = replace(source, is_of_labels=_is_of_labels(spec), threshold=at)
            else:
                # The classes of the units determine the positive class.
                kind = units.digest.kind if isinstance(units.digest, Rows) else None
                at = checked_threshold(spec.threshold, units.classes, kind)
                empty = replace(empty, threshold=at)
                if _is_of_labels(spec) and request.checkpoint is None:
                    units = replace(units, is_of_labels=True, threshold=empty.threshold)
                bar = columns.progress
                progress = ReadingUnits.of(units, empty, bar, request.checkpoint, columns)
                source = units
        elif request.checkpoint is not None or (request.exact and pieces):
            name = "exact" if request.checkpoint is None else "checkpoint"
            where = pieces or "a table in memory"
            raise error("K415", option=option(name), found=f"The rows are in {where}")
        elif pieces:
            from karat.data.sources.distributed.rows import rows_of_distributed

            usual = MAX_MEMORY if distributed_host(table) is None else _TASK_MEMORY
            source = rows_of_distributed(table, columns, max_memory=request.max_memory or usual)
        else:
            from karat.data.sources.tables.rows import rows_of_frame

            source = rows_of_frame(table, columns)
            if ids is not None and spec.keep_rows and isinstance(source, Rows):
                n = source.n if source.kept is None else len(source.kept)
                source = replace(source, id_values=checked_ids(ids, n))
                source = source.warned(*doubts_of_values(ids))
        counted = accumulate(
            source,
            empty,
            n_threads=spec.n_threads,
            progress=progress,
            keep_rows=spec.keep_rows if units is None else 0,
        )
        if counted.sets is not None:
            if request.exact:
                refuse("evaluate", "sets of a table", {"exact": True})
            refuse("evaluate", "sets", request.chosen)
        else:
            scores = counted.scores if request.exact else None
            if scores is not None and not isinstance(source, Rows | Counted | Tallies):
                from karat.data.sources.files.large import refined

                scores = refined(scores, source, spec.n_threads, cleanup)
                counted = replace(counted, scores=scores)
            check_found_scores(counted, request.score)
            counted = with_order_of_columns(counted, request.columns_of_scores, request.labels)
        report = report_of(counted, spec)
        if isinstance(report, ClassReport):
            report = dressed(report, request.class_names, is_frequency=is_frequency(request))
        if then is not None:
            then(source if counted.sets is None else counted, report)
        return report


def _is_of_labels(spec: Spec) -> bool:
    """True if no metric asked for reads scores."""
    return spec.wanted is not None and not any(m.needs_scores for m in spec.wanted)


def _columns(request: Request, spec: Spec, *, lists_rows: bool) -> TableRequest:
    """What is read of a table: the columns of each role, and how."""
    clusters = request.clusters
    if spec.confidence is None and not spec.is_dry and clusters is None:
        # Without intervals, clusters do not matter.
        clusters = ""
    if spec.threshold is not None and request.pred:
        raise both_decide("a column of predictions", spec.threshold)
    named = request.columns_of_scores
    is_chosen = spec.threshold is not None or any(named.values())
    if _is_of_labels(spec) and (request.pred or not is_chosen):
        # Scores detected by name are read only if they are needed for predictions.
        named = {x: UNLESS_PREDICTED if name is None else name for x, name in named.items()}
    return replace(
        columns_to_read(request),
        **named,
        clusters=clusters,
        # Ids of rows in memory leave no column of that role.
        unique=request.ids if isinstance(request.ids, str | None) else "",
        groups=request.by,
        progress=request.progress or logged(),
        lists_rows=lists_rows,
    )
