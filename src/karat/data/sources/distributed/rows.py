"""Tally of partitioned frames: columns detected by role, then one pass where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.data.accumulator import Origin, SlicesLater, Tallies
from karat.data.labels.align import classes_of
from karat.data.labels.column import coded
from karat.data.roles import SCORE_ROLES
from karat.data.scores.classes import checked_threshold
from karat.data.scores.columns import ScoreColumns
from karat.data.scores.order import Placed, not_scores, placed
from karat.data.sources.batches import is_batch_source
from karat.data.sources.columns import (
    TableRequest,
    dropped,
    find_columns,
    slices_later,
    texts_called,
)
from karat.data.sources.distributed.batches import BatchedTable
from karat.data.sources.distributed.frames import distributed_host
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading
from karat.data.sources.set_columns import SetColumns, find_sets
from karat.data.sources.set_rows import SetReading, first_sets, origin_of_sets
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import Frame
from karat.errors import KaratError, error
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import option
from karat.errors.reasons import NoColumnError, NotNumbersError
from karat.tally import Cells
from karat.tally.algebra import reorder
from karat.tally.score_kind import KINDS

if TYPE_CHECKING:
    from karat.data.sources.distributed.dask import DaskFrame
    from karat.data.sources.distributed.spark import SparkFrame

Host: TypeAlias = "BatchedTable | DaskFrame | SparkFrame"


def rows_of_distributed(table: Any, request: TableRequest, *, max_memory: int = 1 << 28) -> Tallies:
    """Tally a frame of Spark or Dask, or a table in batches.

    Args:
        table: the frame.
        request: the columns to read.
        max_memory: memory limit in bytes for rows with scores in a task.

    Errors:
        K412 a stream of Spark; K502, K503 the workers; else as in `rows_of_frame`, with rows
        numbered within the named partition.

    Cost: one pass where the rows are. With scores and without `labels`, an earlier pass reads the
    labels alone.
    """
    host = _opened(table)
    base = Reading(
        {},
        "cells",
        labels=None if request.labels is None else tuple(request.labels),
        is_declared=request.labels is not None,
        positive=request.positive,
        threshold=request.threshold,
        nulls=request.nulls,
        max_memory=max_memory,
        is_frequency=request.is_frequency,
        groups=tuple(request.groups),
        text=request.formats.text,
    )
    try:
        return _read(host, request, base)
    except KaratError as problem:
        if not host.of_text or "advice" in problem.context or not _is_of_text(problem, host):
            raise
        raise problem.but(advice=host.of_text) from None


def _read(host: Host, request: TableRequest, base: Reading) -> Tallies:
    frame = Frame(host.names, host.types, host.kind, dict.fromkeys)
    # Values are converted where the rows are.
    frame = replace(formatted(frame, request.formats), read=dict.fromkeys)
    asked = find_sets(request, frame.names, frame.types, host.hold_sets)
    if asked is not None:
        return _of_sets(host, frame, asked, base)
    columns = find_columns(request, frame.names, frame.types, of_text=host.of_text)
    found, chosen = columns.found, columns.chosen
    notes = [*columns.notes, *_of_ids(request)]
    reading = replace(base, found=found, groups=columns.groups)
    later = slices_later(frame.types, columns.groups, columns.folds)
    if chosen is not None:
        frame.columns(
            [*found.values(), *chosen.names], [*found, *[chosen.role] * len(chosen.names)]
        )
        try:
            partial, mapping = _scored(host, reading, chosen, columns.mapping)
            return _tallies(host, partial, None, mapping, notes, later)
        except KaratError as problem:
            notes.append(not_scores(problem, chosen, has_pred="pred" in found))
    frame.columns(list(found.values()), list(found))
    if base.threshold is not None:
        raise error("K136", threshold=base.threshold, found="There are no probabilities or scores")
    partial = _whole(host, reading)
    cells = partial.tallies.cells
    assert cells is not None
    declared = base.labels
    if declared is None and columns.positive is not None:
        cells = reorder(cells, classes_of(cells.classes.labels, columns.positive))
    return _tallies(host, partial, cells, columns.mapping, notes, later)


def _of_ids(request: TableRequest) -> list[Doubt]:
    """Return the warning that named ids are not compared."""
    if not request.unique:
        return []
    return [
        doubt(
            "D108",
            what=f"The ids of column {request.unique!r} were",
            found="Rows in partitions or batches are not compared with each other",
            do=f"Count them in the table itself; {option('ids', '')} leaves them out.",
        )
    ]


def _of_sets(host: Host, frame: Frame, asked: SetColumns, base: Reading) -> Tallies:
    """Return the rows with sets of labels."""
    columns = find_columns(asked.request, asked.header, asked.types)
    sets = SetReading.of(asked, columns)
    reading = replace(base, wants="sets", found=columns.found, labels=sets.labels, sets=sets)
    frame.columns(reading.columns)
    partial = _whole(host, reading)
    notes, later = [*columns.notes, *_of_ids(asked.request)], slices_later(frame.types, base.groups)
    found = _tallies(host, partial, None, columns.mapping, notes, later)
    assert found.sets is not None
    facts, first = found.origin.source, first_sets(found.sets.rows)
    origin = origin_of_sets(sets, facts, found.origin.warnings, first)
    return replace(found, origin=origin)


def _tallies(
    host: Host,
    partial: Partial,
    cells: Cells | None,
    mapping: dict[str, Any],
    notes: Sequence[str],
    later: SlicesLater,
) -> Tallies:
    source: dict[str, Any] = {"table": host.kind, host.counted: partial.partitions[-1][1] + 1}
    n_dropped = partial.n_dropped
    source |= {"n_dropped": n_dropped} if n_dropped else {}
    origin = Origin(mapping, source, (*dropped(n_dropped, partial.n_rows), *notes))
    later = replace(later, orders=partial.orders)
    return replace(partial.tallies, cells=cells, origin=origin, later=later)


def _is_of_text(problem: KaratError, host: Host) -> bool:
    """Return whether scores are missing or unreadable, and a column of text may be scores."""
    if isinstance(problem, NoColumnError):
        is_of_scores = "prob" in str(problem.context.get("option"))
        return is_of_scores and bool(texts_called(host.types, *SCORE_ROLES))
    argument = str(problem.context.get("argument"))
    texts = [f"Column {name!r}" for name, kind in host.types.items() if kind == "text"]
    return isinstance(problem, NotNumbersError) and argument in texts


def _opened(table: Any) -> Host:
    if is_batch_source(table):
        return BatchedTable(table)
    if distributed_host(table) == "dask":
        from karat.data.sources.distributed.dask import DaskFrame

        return DaskFrame(table)
    from karat.data.sources.distributed.spark import SparkFrame

    if table.isStreaming:
        raise error(
            "K412",
            found="It is a streaming DataFrame of Spark, which has no last row",
            advice="Add its batches to a karat.Stream: table.writeStream.foreachBatch(...); "
            "docs/clusters.md shows how.",
        )
    return SparkFrame(table)


def _scored(
    host: Host, reading: Reading, chosen: ScoreColumns, roles: Mapping[str, Any]
) -> tuple[Partial, dict[str, Any]]:
    """Return the partial of rows with scores, and the column of each role."""
    place = _placed(host, reading, chosen)
    names, classes = chosen.names, place.classes
    if place.order is not None:
        names = tuple(names[i] for i in place.order)
    checked_threshold(reading.threshold, classes, KINDS[chosen.argument])
    reading = replace(
        reading,
        wants="rows",
        scores=names,
        argument=chosen.argument,
        labels=classes.labels,
        is_declared=classes.is_declared,
        is_ordered=classes.is_ordered,
        positive=None if classes.positive is None else classes.labels[classes.positive],
    )
    partial = _whole(host, reading)
    mapping = {**roles, chosen.role: list(names)}
    if reading.threshold is not None:
        # Detected by name, and not read: the threshold decides.
        mapping["pred"] = None
    return partial, mapping


def _placed(host: Host, reading: Reading, chosen: ScoreColumns) -> Placed:
    """Return the class of each column, from all labels that occur."""
    one = chosen.names[0] if len(chosen.names) == 1 else None
    is_list = one is not None and host.types[one] not in ("whole", "real", "boolean")
    labels = reading.labels
    if labels is None:
        looked = replace(reading, wants="classes", scores=(one,) if one and is_list else ())
        partial = _whole(host, replace(looked, argument=chosen.argument))
        assert partial.tallies.cells is not None
        found, width = partial.tallies.cells.classes, partial.width
        seen, order = found.labels, found.categories
    else:
        seen, order, width = labels, None, len(labels)
    k = len(chosen.names)
    if one is not None:
        k = max(2, width or 2) if is_list else 2
    codes = np.arange(len(seen), dtype=np.int32)
    argument = f"Column {reading.found['true']!r}"
    truth = coded(argument, codes, seen, order=order if labels is None else None)
    is_single = one is not None and not is_list
    return placed(chosen, k, truth, None, labels, reading.positive, is_single=is_single)


def _whole(host: Host, reading: Reading) -> Partial:
    """Return the partial of all rows; K101 without any, else the error of the first partition."""
    partial = host.tally(reading)
    if partial.problem is not None:
        raise partial.problem
    if partial.n_rows == partial.n_dropped:
        missing = " without its missing rows" if partial.n_rows else ""
        raise error("K101", argument=f"Column {reading.found['true']!r}{missing}")
    return partial
