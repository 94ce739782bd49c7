"""Checkpoints of a long read: what was added up so far, and of which files."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt

from karat.engines.file_units import FileUnits
from karat.engines.part_bytes import packed_parts, unpacked_parts
from karat.engines.score_stream import ScoreParts
from karat.errors import error
from karat.render.writing import write_bytes
from karat.tally import Cells
from karat.tally.serialization import damaged, framed, unframed

__all__ = ["Checkpoint", "Progressed"]

_SPECIES: Final = "checkpoint"
_SHARE: Final = 20
"""Writing may take one part of so many of the time."""


@dataclass(frozen=True, slots=True)
class Progressed:
    """How far a read is.

    Attributes:
        n_units: units that were read.
        n_dropped: rows left out of them.
        cells: the tally of labels; None with scores, or at the start.
        scores: what is held of rows with scores; None without.
    """

    n_units: int = 0
    n_dropped: int = 0
    cells: Cells | None = None
    scores: ScoreParts | None = None


@dataclass
class Checkpoint:
    """A file that says how far a read is; it is written whole or not at all.

    Attributes:
        path: the file.
        read: what tells one read from another: files, their sizes and times, and arguments.
    """

    path: Path
    read: str
    _next: float = field(default=0.0, repr=False)

    @classmethod
    def of(
        cls, path: str | os.PathLike[str], units: FileUnits, settings: Mapping[str, Any]
    ) -> Checkpoint:
        """The checkpoint of a read.

        Errors:
            K413 its folder does not exist.
        """
        place = Path(path)
        if not place.parent.is_dir() or place.is_dir():
            found = "there is no such folder, or it is one"
            raise error("K413", path=str(path), found=found)
        files = {unit.path: [unit.n_bytes, os.stat(unit.path).st_mtime_ns] for unit in units.units}
        told = {"files": files, "settings": settings}
        text = json.dumps(told, sort_keys=True, default=str)
        return cls(place, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    def load(self, empty: ScoreParts) -> Progressed:
        """How far the read was when it was written last; nothing where there is no file.

        Errors:
            K205 the file is damaged or no checkpoint; K206 a newer version wrote it; K414 it
            belongs to another read.
        """
        if not self.path.exists():
            return Progressed()

        def assembled(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Progressed:
            if header["species"] != _SPECIES:
                raise damaged(f"It holds {header['species']!r}, not a {_SPECIES}")
            if header["read"] != self.read:
                raise error("K414", path=str(self.path))
            cells, scores = unpacked_parts(header, arrays["parts"], empty)
            return Progressed(header["n_units"], header["n_dropped"], cells, scores)

        return unframed(self.path.read_bytes(), ("parts",), assembled, ("parts",))

    def save(self, so_far: Progressed, *, is_last: bool = False) -> None:
        """Write how far the read is, unless that would take too much of the time.

        Errors:
            K413 the file cannot be written.
        """
        now = time.monotonic()
        if now < self._next and not is_last:
            return
        facts, parts = packed_parts(so_far.cells, so_far.scores)
        header = {
            "species": _SPECIES,
            "read": self.read,
            "n_units": so_far.n_units,
            "n_dropped": so_far.n_dropped,
            **facts,
        }
        try:
            write_bytes(self.path, framed(header, {"parts": parts}))
        except OSError as problem:
            raise error("K413", path=str(self.path), found=str(problem.strerror)) from problem
        after = time.monotonic()
        self._next = after + _SHARE * (after - now)
