"""Tallies as bytes: facts for a header, and the bytes of all tallies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import Crossed, Tallies, whole
from karat.data.scores.storage import STORAGES, ScoreParts
from karat.errors import short
from karat.errors.doubts import Doubt, only_doubts
from karat.errors.text import harmless
from karat.tally import Cells, CrossedCells, from_bytes, to_bytes
from karat.tally.held_rows import HeldRows
from karat.tally.held_sets import HeldSets
from karat.tally.serialization import damaged

Bytes: TypeAlias = npt.NDArray[np.uint8]

_PARTS: Final = ("cells", "held", "sets", "crossed")


def packed_tallies(found: Tallies) -> tuple[dict[str, Any], Bytes]:
    """Return facts for a header, with the length of each tally, and uint8[m] of all of them."""
    scores = found.scores
    parts: dict[str, bytes] = {}
    if found.cells is not None:
        parts["cells"] = to_bytes(found.cells)
    if scores is not None and scores.held is not None:
        parts["held"] = scores.held.to_bytes()
    if scores is not None and scores.histograms is not None:
        parts[scores.storage.name] = scores.histograms.to_bytes()
    if found.sets is not None:
        parts["sets"] = found.sets.to_bytes()
    keys: list[list[str]] = []
    if found.crossed:
        assert found.cells is not None
        for key, table in whole(found.crossed, found.cells.classes).items():
            parts[f"crossed {len(keys)}"] = table.to_bytes()
            keys.append(list(key))
    facts: dict[str, Any] = {"sizes": {name: len(part) for name, part in parts.items()}}
    if keys:
        facts["crossed"] = keys
    doubts = [one.to_dict() for one in only_doubts(found.origin.warnings)]
    if doubts:
        facts["doubts"] = doubts
    return facts, np.frombuffer(b"".join(parts.values()), np.uint8)


def unpacked_tallies(
    facts: Mapping[str, Any], data: npt.NDArray[Any], empty: ScoreParts
) -> Tallies:
    """Reverse `packed_tallies`; rows with scores are added to `empty` (K205, K206)."""
    every, at = memoryview(np.ascontiguousarray(data).data), 0
    parts: dict[str, Any] = {}
    for name, size in facts["sizes"].items():
        if name.split(" ")[0] not in (*_PARTS, *STORAGES) or type(size) is not int or size < 0:
            raise damaged(f"A part {name!r} of {size!r} bytes")
        parts[name] = every[at : at + size]
        at += size
    if at != len(every):
        raise damaged(f"{len(every) - at} bytes are left over after the parts")
    cells = from_bytes(parts["cells"]) if "cells" in parts else None
    held = HeldRows.from_bytes(parts["held"]) if "held" in parts else None
    sets = HeldSets.from_bytes(parts["sets"]) if "sets" in parts else None
    storage = next((kind for name, kind in STORAGES.items() if name in parts), empty.storage)
    histograms = storage.read(parts[storage.name]) if storage.name in parts else None
    if cells is not None and (held is not None or histograms is not None):
        raise damaged("It holds labels alone and rows with scores")
    keys = [tuple(map(str, key)) for key in facts.get("crossed", [])]
    crossed: Crossed = {
        key: (_crossed(parts[f"crossed {i}"], cells),) for i, key in enumerate(keys)
    }
    scores, shape = None, None
    if histograms is not None:
        k = None if histograms.is_single else histograms.classes.k
        shape = (k, histograms.has_pred, histograms.is_weighted)
    if held is not None:
        shape = held.shape
    if shape is not None:
        scores = replace(empty, storage=storage, held=held, histograms=histograms, shape=shape)
    found = Tallies(cells, scores, sets=sets, crossed=crossed)
    return found.warned(*map(_doubt, facts.get("doubts", ())))


def _doubt(parts: Any) -> Doubt:
    names = ("code", "noticed", "evidence", "option")
    if not isinstance(parts, dict) or not all(isinstance(parts.get(x), str) for x in names):
        raise damaged(f"A doubt is {short(parts)}")
    settled_by = parts.get("settled_by", {})
    if not isinstance(settled_by, dict) or not all(isinstance(x, str) for x in settled_by.values()):
        raise damaged(f"A doubt is {short(parts)}")
    settled_by = {harmless(name): harmless(value) for name, value in settled_by.items()}
    code, noticed, evidence, option = (harmless(parts[name]) for name in names)
    return Doubt(code, noticed, evidence, option, settled_by)


def _crossed(data: Any, cells: Cells | None) -> CrossedCells:
    found = CrossedCells.from_bytes(data)
    is_same = cells is not None and found.classes.labels == cells.classes.labels
    if cells is None or not is_same or int(found.n_rows.sum()) != int(cells.n_rows):
        raise damaged("Its clusters and slices are not those of its labels")
    return found
