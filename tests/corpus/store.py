"""The recorded outcomes: one file for each group, of the same bytes for the same outcomes."""

from __future__ import annotations

import json
import lzma
import platform
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy

from tests.corpus.outcome import Outcome

FOLDER: Final = Path(__file__).with_name("recorded")
HEAD: Final = struct.Struct("<I")
# The preset for text; for floats words of eight bytes.
TEXT: Final = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
FLOATS: Final = [
    {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 3, "pb": 3}
]


@cache
def machine() -> str:
    """Describe what decides the last bits of floats here: libraries and vector instructions."""
    config: Any = np.show_config(mode="dicts")
    simd = config["SIMD Extensions"]
    parts = {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "libc": "-".join(platform.libc_ver()),
        "machine": platform.machine(),
        "simd": ",".join(sorted([*simd.get("baseline", ()), *simd.get("found", ())])),
        "blas": _blas(),
    }
    return json.dumps(parts)


def _blas() -> str:
    """Name the kernels that OpenBLAS chose, which depend on the processor."""
    from threadpoolctl import threadpool_info

    return ",".join(sorted({str(library.get("architecture")) for library in threadpool_info()}))


def write(
    group: str, outcomes: Mapping[str, Outcome], folder: Path = FOLDER, where: str | None = None
) -> None:
    """Write the outcomes of a group, by id, and the machine they were recorded on."""
    folder.mkdir(exist_ok=True)
    rows = [[name, o.skeleton, o.prose, len(o.floats)] for name, o in outcomes.items()]
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    text = "\n".join([machine() if where is None else where, *lines])
    floats = np.array([value for o in outcomes.values() for value in o.floats], "<f8")
    floats[np.isnan(floats)] = np.nan  # one NaN of the many
    packed = lzma.compress(text.encode("utf-8", "surrogateescape"), lzma.FORMAT_XZ, filters=TEXT)
    numbers = lzma.compress(floats.tobytes(), lzma.FORMAT_XZ, filters=FLOATS)
    (folder / f"{group}.xz").write_bytes(HEAD.pack(len(packed)) + packed + numbers)


def read(group: str, folder: Path = FOLDER) -> dict[str, Outcome]:
    """Return the recorded outcomes of a group, by id."""
    return unpacked((folder / f"{group}.xz").read_bytes())[0]


def machine_of(group: str, folder: Path = FOLDER) -> str:
    """Return the machine on which a group was recorded."""
    return unpacked((folder / f"{group}.xz").read_bytes())[1]


def unpacked(data: bytes) -> tuple[dict[str, Outcome], str]:
    """Return the outcomes that the bytes of a file hold, and their machine."""
    (size,) = HEAD.unpack_from(data)
    text = lzma.decompress(data[HEAD.size : HEAD.size + size]).decode("utf-8", "surrogateescape")
    floats = np.frombuffer(lzma.decompress(data[HEAD.size + size :]), "<f8").tolist()
    where, *lines = text.split("\n")
    outcomes, first = {}, 0
    if where.startswith("["):  # a file without its machine
        where, lines = "", [where, *lines]
    for line in lines:
        name, skeleton, prose, n = json.loads(line)
        outcomes[name] = Outcome(skeleton, tuple(floats[first : first + n]), tuple(prose))
        first += n
    return outcomes, where
