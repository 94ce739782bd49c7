"""Tables in memory whose rows have sets of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from karat.data.accumulator import Tallies, with_slices
from karat.data.labels.column import Flags
from karat.data.labels.sets import are_sets
from karat.data.slices.codes import coded_values, of_columns
from karat.data.sources.columns import TableRequest, dropped, find_columns
from karat.data.sources.set_columns import N_LOOKED, find_sets
from karat.data.sources.set_rows import SetReading, first_sets, origin_of_sets
from karat.data.sources.tables.frames import Frame
from karat.data.sources.tables.values import ValuesOfFrame, doubts_of_ids
from karat.data.table_sets import TableSets
from karat.tally.held_sets import HeldSets


def sets_of_frame(frame: Frame, request: TableRequest) -> Tallies | None:
    """The rows of a table with sets of labels; None where rows have one class each.

    Errors:
        As `find_sets`, `find_columns` and `SetReading.rows`; K106, K182 slices.
    """
    found = _read(frame, request)
    return None if found is None else found[0]


def kept_sets_of_frame(frame: Frame, request: TableRequest) -> TableSets | None:
    """The same with what they are matched with other rows by."""
    found = _read(frame, request)
    return None if found is None else TableSets.of(*found)


def _read(frame: Frame, request: TableRequest) -> tuple[Tallies, Flags | None] | None:
    """The rows, and bool[n] of those that were kept; None where rows have one class each."""
    read = frame.first_rows

    def hold_sets(name: str) -> bool:
        if read is None or frame.names.count(name) != 1:
            return False
        return are_sets(read(name, N_LOOKED))

    asked = find_sets(request, frame.names, frame.types, hold_sets)
    if asked is None:
        return None
    values = None if read is None else ValuesOfFrame(frame)
    columns = find_columns(asked.request, asked.header, asked.types, values=values)
    if request.lists_rows:
        columns = replace(columns, id=columns.unique)
    reading = SetReading.of(asked, columns)
    ids = columns.unique
    # Of rows that can be read only once, ids are read with the sets.
    beside = (ids,) if read is None and ids is not None else ()
    sides = (*reading.columns, *beside)
    roles = [*["this call"] * len(sides), *["the slices"] * len(columns.singles)]
    found = frame.columns((*sides, *columns.singles), roles)
    rows, kept = reading.rows(found, request.weights, request.clusters)
    n = rows.n if kept is None else len(kept)
    single = {name: coded_values(found[name], name, n) for name in columns.singles}
    rows = with_slices(rows, [one.at(kept) for one in of_columns(columns.groups, single)])
    notes: list[Any] = [*columns.notes]
    notes += doubts_of_ids(frame, ids, n, found, is_named=request.unique is not None)
    n_dropped = n - rows.n
    facts = {"table": frame.kind, **({"n_dropped": n_dropped} if n_dropped else {})}
    warnings = (*dropped(n_dropped, n), *notes)
    origin = origin_of_sets(reading, facts, warnings, first_sets(rows))
    tallies = Tallies(sets=HeldSets.of(rows), n_dropped=n_dropped, origin=origin)
    return tallies, kept
