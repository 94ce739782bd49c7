"""Streams as bytes: settings as JSON, then the tallies, each with its own version and checksum."""

from __future__ import annotations

from typing import Any, Final

import numpy.typing as npt

from karat.api.streams.settings import Settings
from karat.data.accumulator import Tallies
from karat.data.part_bytes import packed_tallies, unpacked_tallies
from karat.errors import KaratError, error
from karat.tally import Cells
from karat.tally.held_rows import HeldRows
from karat.tally.scored_tables import ScoredTables
from karat.tally.serialization import damaged, framed, unframed

__all__ = ["stream_from_bytes", "stream_to_bytes"]

_SPECIES: Final = "stream"


def stream_to_bytes(settings: Settings, found: Tallies) -> bytes:
    """Bytes that `stream_from_bytes` of this and every later version reads."""
    facts, whole = packed_tallies(found)
    header = {"species": _SPECIES, "settings": settings.to_dict(), **facts}
    return framed(header, {"parts": whole})


def stream_from_bytes(data: bytes) -> tuple[Settings, Tallies]:
    """What `stream_to_bytes` was given.

    Errors:
        K205 the bytes are truncated, altered or no stream; K206 a newer version wrote them;
        K301 metrics that are not registered here.
    """
    try:
        return unframed(data, ("parts",), _assembled, ("parts",))
    except KaratError as problem:
        if problem.context.get("thing") != "tally":
            raise
        facts = {**problem.context, "thing": "stream"}
        if problem.code == "K205":
            facts["do"] = "Write the stream again with to_bytes() and copy all of its bytes."
        raise error(problem.code, **facts) from None


def _assembled(
    header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> tuple[Settings, Tallies]:
    if header["species"] != _SPECIES:
        raise damaged(f"It holds {header['species']!r}, not a {_SPECIES}")
    try:
        settings = Settings.from_dict(header["settings"])
    except KaratError as problem:
        if problem.code == "K301":
            raise
        raise damaged(f"Its settings cannot be read: {problem}") from None
    parts = unpacked_tallies(header, arrays["parts"], settings.empty)
    scores = parts.scores
    held, tables = (None, None) if scores is None else (scores.held, scores.tables)
    found = _contradiction(settings, parts.cells, held, tables)
    if found:
        raise damaged(found)
    if parts.crossed or (held is not None and held.axes):
        raise damaged("A stream has no clusters and no slices")
    return settings, parts


def _contradiction(
    settings: Settings, cells: Cells | None, held: HeldRows | None, tables: ScoredTables | None
) -> str | None:
    """What the parts contradict, or None."""
    parts = [part for part in (cells, held, tables) if part is not None]
    labels = {part.classes.labels for part in parts}
    if settings.labels is not None:
        labels.add(settings.labels)
    if len(labels) > 1:
        return "Its parts are not of the same classes"
    if settings.threshold is not None:
        shapes = [part.shape[0] or 2 for part in (held,) if part is not None]
        shapes += [part.classes.k for part in (tables,) if part is not None]
        if any(k != 2 for k in shapes) or cells is not None:
            return "A threshold is of two classes with scores"
    if held is None or tables is None:
        return None
    columns = None if tables.is_single else tables.classes.k
    facts = held.is_prob, held.shape[0], held.shape[2]
    if facts != (tables.is_prob, columns, tables.is_weighted):
        return "Its rows and its tables do not go together"
    return None
