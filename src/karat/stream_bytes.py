"""Streams as bytes: settings as JSON, then the tallies, each with its own version and checksum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.engines.score_stream import ScoreParts
from karat.errors import KaratError
from karat.stream_settings import Settings
from karat.tally import Cells, from_bytes, to_bytes
from karat.tally.held_rows import HeldRows
from karat.tally.scored_tables import ScoredTables
from karat.tally.serialization import damaged, framed, unframed

__all__ = ["stream_from_bytes", "stream_to_bytes"]

_SPECIES: Final = "stream"
_PARTS: Final = ("cells", "held", "tables")


def stream_to_bytes(settings: Settings, cells: Cells | None, scores: ScoreParts | None) -> bytes:
    """Bytes that `stream_from_bytes` of this and every later version reads."""
    parts: dict[str, bytes] = {}
    if cells is not None:
        parts["cells"] = to_bytes(cells)
    if scores is not None and scores.held is not None:
        parts["held"] = scores.held.to_bytes()
    if scores is not None and scores.tables is not None:
        parts["tables"] = scores.tables.to_bytes()
    header = {
        "species": _SPECIES,
        "settings": settings.to_dict(),
        "sizes": {name: len(part) for name, part in parts.items()},
        "has_pred": scores is not None and scores.shape is not None and scores.shape[1],
    }
    return framed(header, {"parts": np.frombuffer(b"".join(parts.values()), np.uint8)})


def stream_from_bytes(data: bytes) -> tuple[Settings, Cells | None, ScoreParts | None]:
    """What `stream_to_bytes` was given.

    Errors:
        K205 the bytes are truncated, altered or no stream; K206 a newer version wrote them;
        K301 metrics that are not registered here.
    """
    return unframed(data, ("parts",), _assembled, ("parts",))


def _assembled(
    header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> tuple[Settings, Cells | None, ScoreParts | None]:
    if header["species"] != _SPECIES:
        raise damaged(f"It holds {header['species']!r}, not a {_SPECIES}")
    try:
        settings = Settings.from_dict(header["settings"])
    except KaratError as problem:
        if problem.code == "K301":
            raise
        raise damaged(f"Its settings cannot be read: {problem}") from None
    whole, at = arrays["parts"].tobytes(), 0
    parts: dict[str, bytes] = {}
    for name, size in header["sizes"].items():
        if name not in _PARTS or type(size) is not int or size < 0:
            raise damaged(f"A part {name!r} of {size!r} bytes")
        parts[name] = whole[at : at + size]
        at += size
    if at != len(whole):
        raise damaged(f"{len(whole) - at} bytes are left over after the parts")
    cells = from_bytes(parts["cells"]) if "cells" in parts else None
    held = HeldRows.from_bytes(parts["held"]) if "held" in parts else None
    tables = ScoredTables.from_bytes(parts["tables"]) if "tables" in parts else None
    if cells is not None and (held is not None or tables is not None):
        raise damaged("It holds labels alone and rows with scores")
    found = _contradiction(settings, cells, held, tables)
    if found:
        raise damaged(found)
    has_pred = header["has_pred"]
    if type(has_pred) is not bool or (held is not None and held.shape[1] != has_pred):
        raise damaged("Whether predictions were given is not said")
    return settings, cells, _scores(settings, held, tables, has_pred=has_pred)


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
    if held is None or tables is None:
        return None
    columns = None if tables.is_single else tables.classes.k
    facts = held.is_prob, held.shape[0], held.shape[2]
    if facts != (tables.is_prob, columns, tables.is_weighted):
        return "Its rows and its tables do not go together"
    return None


def _scores(
    settings: Settings, held: HeldRows | None, tables: ScoredTables | None, *, has_pred: bool
) -> ScoreParts | None:
    empty = ScoreParts(
        settings.max_memory, settings.threshold, settings.positive, settings.is_frequency
    )
    found = None
    if tables is not None:
        shape = (None if tables.is_single else tables.classes.k, has_pred, tables.is_weighted)
        found = replace(empty, tables=tables, shape=shape)
    if held is not None:
        rows = replace(empty, held=held, shape=held.shape)
        found = rows if found is None else replace(found, held=held, shape=held.shape)
    return found
