"""The recorded outcomes: one file for each group, of the same bytes for the same outcomes."""

from __future__ import annotations

import json
import lzma
import struct
from pathlib import Path

import numpy as np

from tests.corpus.outcome import Outcome

FOLDER = Path(__file__).with_name("recorded")
HEAD = struct.Struct("<I")
# The preset for text; for floats words of eight bytes.
TEXT = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
FLOATS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 3, "pb": 3}]


def write(group: str, outcomes: dict[str, Outcome], folder: Path = FOLDER) -> None:
    """Write the outcomes of a group, by id."""
    folder.mkdir(exist_ok=True)
    rows = [[name, o.skeleton, o.prose, len(o.floats)] for name, o in outcomes.items()]
    text = "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    floats = np.array([value for o in outcomes.values() for value in o.floats], "<f8")
    floats[np.isnan(floats)] = np.nan  # one NaN of the many
    packed = lzma.compress(text.encode("utf-8", "surrogateescape"), lzma.FORMAT_XZ, filters=TEXT)
    numbers = lzma.compress(floats.tobytes(), lzma.FORMAT_XZ, filters=FLOATS)
    (folder / f"{group}.xz").write_bytes(HEAD.pack(len(packed)) + packed + numbers)


def read(group: str, folder: Path = FOLDER) -> dict[str, Outcome]:
    """The recorded outcomes of a group, by id."""
    data = (folder / f"{group}.xz").read_bytes()
    (size,) = HEAD.unpack_from(data)
    text = lzma.decompress(data[HEAD.size : HEAD.size + size]).decode("utf-8", "surrogateescape")
    floats = np.frombuffer(lzma.decompress(data[HEAD.size + size :]), "<f8").tolist()
    found, first = {}, 0
    for line in text.split("\n") if text else []:
        name, skeleton, prose, n = json.loads(line)
        found[name] = Outcome(skeleton, tuple(floats[first : first + n]), tuple(prose))
        first += n
    return found
