"""Tables whose columns of numbers are read as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karat.data.clusters import texts_of
from karat.data.labels.column import resolved
from karat.data.labels.containers import encode
from karat.data.roles import Family, shown_column
from karat.data.slices.codes import texts_of_numbers
from karat.data.sources.formats import ColumnFormats, refused_lists
from karat.data.sources.tables.frames import Frame
from karat.data.weights import as_weights
from karat.errors.reasons import NotWholeError


def formatted(frame: Frame, formats: ColumnFormats) -> Frame:
    """Return the frame with columns of numbers as text, where the caller reads them so.

    Errors:
        K404 there is no such column; K455 it holds lists, or a decimal comma is asked for.
    """
    formats.refuse_comma("a table, whose columns have types")
    if not formats.text:
        return frame
    formats.check_names(frame.names)
    wide = next((x for x in formats.text if frame.types.get(x) == "list"), None)
    if wide is not None:
        raise refused_lists(wide)
    first = frame.first_rows

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        values = frame.read(wanted)
        return {x: _as_text(y, x) if x in formats.text else y for x, y in values.items()}

    def first_rows(name: str, n: int) -> Any:
        assert first is not None
        values = first(name, n)
        return _as_text(values, name) if name in formats.text else values

    types: dict[str, Family] = {**frame.types, **dict.fromkeys(formats.text, "text")}
    return replace(frame, types=types, read=read, first_rows=None if first is None else first_rows)


def _as_text(values: Any, name: str) -> Any:
    """Return a column with the texts of its numbers and truth values; others are unchanged."""
    argument = shown_column(name)
    try:
        column = encode(values, argument, nulls="keep")
    except NotWholeError:
        numbers = as_weights(values, len(values), argument)
        is_there = ~np.isnan(numbers)
        texts = np.full(len(numbers), None, np.object_)
        texts[is_there] = texts_of_numbers(numbers[is_there])
        return texts
    if column.kind == "string":
        return values
    found = resolved(column)
    texts = np.array([*texts_of(found.labels or (), found.kind), None], np.object_)
    places = found.codes.astype(np.int64) - found.base
    return texts[places if found.missing is None else np.where(found.missing, -1, places)]
