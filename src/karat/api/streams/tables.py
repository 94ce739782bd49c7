"""Batches of a stream that are tables or files: their columns, as the values of roles."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from karat.api.arguments import column_name, scores_of_table
from karat.api.request.request import Request
from karat.api.sources import formats_of
from karat.api.streams.settings import Settings
from karat.data.accumulator import Tallies
from karat.data.sources.columns import TableRequest, find_columns
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.files.counted import errors_of_files
from karat.data.sources.files.paths import names_files
from karat.data.sources.files.rows import open_files
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import open_frame
from karat.data.sources.tables.sets import sets_of_frame
from karat.data.sources.tables.values import ValuesOfFrame
from karat.errors.doubts import Doubt
from karat.tally.score_kind import ROLES


def rows_of_table(
    request: Request, settings: Settings
) -> tuple[Request | Tallies, tuple[Doubt, ...]]:
    """The values of the roles of a batch, or its rows with sets of labels; and the doubts.

    Errors:
        K404 to K406 a column is not there, or its role is open; K416 the table is partitioned;
        else as `sets_of_frame`.
    """
    source = request.y_true
    table = TableRequest(
        true=column_name("y_true", request.true),
        pred=column_name("y_pred", request.pred),
        **scores_of_table(request),
        weights=request.weights,
        clusters="",
        labels=settings.labels,
        positive=settings.positive,
        is_part=True,
        threshold=settings.threshold,
        n_threads=settings.n_threads,
        formats=formats_of(request),
    )
    with ExitStack() as cleanup:
        if names_files(source):
            cleanup.enter_context(errors_of_files(None, source))
            frame = open_files(source, cleanup, formats=table.formats)
        else:
            refuse_distributed(source, "The batch")
            frame = formatted(open_frame(source), table.formats)
        sets = sets_of_frame(frame, table)
        if sets is not None:
            return sets, tuple(x for x in sets.origin.warnings if isinstance(x, Doubt))
        values = None if frame.first_rows is None else ValuesOfFrame(frame)
        columns = find_columns(table, frame.names, frame.types, values=values)
        names = columns.mapping
        wanted = [x for x in (names["true"], names["pred"], names["weights"]) if x is not None]
        held = frame.columns([*wanted, *columns.scores])
        roles: dict[str, Any] = {
            "y_true": held[names["true"]] if names["true"] else None,
            "y_pred": held[names["pred"]] if names["pred"] else None,
            "weights": held[names["weights"]] if names["weights"] else None,
        }
        if columns.chosen is not None:
            each = {name: held[name] for name in columns.scores}
            one = next(iter(each.values()))
            roles[columns.chosen.argument] = each if len(each) > 1 else one
    unread: dict[str, Any] = dict.fromkeys(ROLES)
    found = request.but(**{**unread, **roles}, has_data=False)
    return found, tuple(x for x in columns.notes if isinstance(x, Doubt))
