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

__all__ = ["parts_from_bytes", "parts_to_bytes", "stream_from_bytes", "stream_to_bytes"]

_SPECIES: Final = "stream"
_PARTS: Final = ("cells", "held", "tables")


def stream_to_bytes(settings: Settings, cells: Cells | None, scores: ScoreParts | None) -> bytes:
    """Bytes that `stream_from_bytes` of this and every later version reads."""
    sizes, parts = parts_to_bytes(cells, scores)
    header = {"species": _SPECIES, "settings": settings.to_dict(), "sizes": sizes}
    return framed(header, {"parts": np.frombuffer(parts, np.uint8)})


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
    empty = ScoreParts(
        settings.max_memory, settings.threshold, settings.positive, settings.is_frequency
    )
    cells, scores = parts_from_bytes(header["sizes"], arrays["parts"].tobytes(), empty)
    held, tables = (None, None) if scores is None else (scores.held, scores.tables)
    found = _contradiction(settings, cells, held, tables)
    if found:
        raise damaged(found)
    return settings, cells, scores


def parts_to_bytes(cells: Cells | None, scores: ScoreParts | None) -> tuple[dict[str, int], bytes]:
    """What is held, one part after the other, and the size of each by its name."""
    parts: dict[str, bytes] = {}
    if cells is not None:
        parts["cells"] = to_bytes(cells)
    if scores is not None and scores.held is not None:
        parts["held"] = scores.held.to_bytes()
    if scores is not None and scores.tables is not None:
        parts["tables"] = scores.tables.to_bytes()
    return {name: len(part) for name, part in parts.items()}, b"".join(parts.values())


def parts_from_bytes(
    sizes: dict[str, Any], whole: bytes, empty: ScoreParts
) -> tuple[Cells | None, ScoreParts | None]:
    """What `parts_to_bytes` was given.

    Args:
        empty: what holds nothing, with the settings of what is held.

    Errors:
        K205 the bytes are truncated or altered; K206 a newer version wrote them.
    """
    at = 0
    parts: dict[str, bytes] = {}
    for name, size in sizes.items():
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
    return cells, _scores(empty, held, tables)


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
    empty: ScoreParts, held: HeldRows | None, tables: ScoredTables | None
) -> ScoreParts | None:
    if tables is not None and held is None:
        shape = (
            None if tables.is_single else tables.classes.k,
            tables.has_pred,
            tables.is_weighted,
        )
        return replace(empty, tables=tables, shape=shape)
    return None if held is None else replace(empty, held=held, tables=tables, shape=held.shape)
