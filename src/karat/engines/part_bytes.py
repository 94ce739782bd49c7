"""What was counted of some rows, as bytes: tallies one after the other, and how long each is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.engines.score_stream import ScoreParts
from karat.tally import Cells, from_bytes, to_bytes
from karat.tally.held_rows import HeldRows
from karat.tally.scored_tables import ScoredTables
from karat.tally.serialization import damaged

__all__ = ["packed_parts", "unpacked_parts"]

Bytes: TypeAlias = npt.NDArray[np.uint8]

_PARTS: Final = ("cells", "held", "tables")


def packed_parts(cells: Cells | None, scores: ScoreParts | None) -> tuple[dict[str, Any], Bytes]:
    """Facts for a header, the length of each tally among them, and uint8[m] of all of them."""
    parts: dict[str, bytes] = {}
    if cells is not None:
        parts["cells"] = to_bytes(cells)
    if scores is not None and scores.held is not None:
        parts["held"] = scores.held.to_bytes()
    if scores is not None and scores.tables is not None:
        parts["tables"] = scores.tables.to_bytes()
    facts: dict[str, Any] = {"sizes": {name: len(part) for name, part in parts.items()}}
    return facts, np.frombuffer(b"".join(parts.values()), np.uint8)


def unpacked_parts(
    facts: Mapping[str, Any], data: npt.NDArray[Any], empty: ScoreParts
) -> tuple[Cells | None, ScoreParts | None]:
    """What `packed_parts` was given.

    Args:
        empty: what rows with scores are added to.

    Errors:
        K205 the bytes are truncated, altered or no such tallies; K206 a newer version wrote them.
    """
    whole, at = memoryview(np.ascontiguousarray(data).data), 0
    parts: dict[str, Any] = {}
    for name, size in facts["sizes"].items():
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


def _scores(
    empty: ScoreParts, held: HeldRows | None, tables: ScoredTables | None
) -> ScoreParts | None:
    found = None
    if tables is not None:
        shape = (
            None if tables.is_single else tables.classes.k,
            tables.has_pred,
            tables.is_weighted,
        )
        found = replace(empty, tables=tables, shape=shape)
    if held is not None:
        rows = replace(empty, held=held, shape=held.shape)
        found = rows if found is None else replace(found, held=held, shape=held.shape)
    return found
