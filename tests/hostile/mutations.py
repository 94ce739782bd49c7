"""Bytes and JSON made wrong at random: cut, flipped, spliced, or sealed again around a lie."""

from __future__ import annotations

import copy
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

__all__ = ["broken", "framed_lie", "json_lie", "opened", "sealed"]

_PREFIX: Final = struct.Struct("<8sHI")
_CODES: Final = {"<i8": 8, "<f8": 8, "<i4": 4, "<f4": 4, "|u1": 1}


def _nested(depth: int) -> Any:
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found


LIES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2, 3, 7, 2**31, 2**53 + 1, 2**62, 2**63, 2**64, 10**30, 0.5, -0.0,
    1e308, 5e-324, float("nan"), float("inf"), "", "x", "a", "\ud800", "1", "karat", "<i8", "|O8",
    [], {}, [[]], [None], {"a": 1}, [1, 2, 3], [0] * 40, _nested(60),
)  # fmt: skip
"""What is put where something else belongs."""
_SPECIAL: Final = (
    b"\0" * 8, b"\xff" * 8, struct.pack("<d", float("nan")), struct.pack("<d", float("inf")),
    struct.pack("<d", -1.0), struct.pack("<d", 1e308), struct.pack("<q", 2**62),
    struct.pack("<q", -1), struct.pack("<d", 5e-324), struct.pack("<q", 1),
)  # fmt: skip
"""Numbers of eight bytes that a sum or an index may stumble over."""


def broken(data: bytes, rng: np.random.Generator) -> bytes:
    """The bytes with something cut, flipped, written over, doubled or put in."""
    size = max(1, len(data))
    at = int(rng.integers(size))
    run = int(rng.integers(1, min(64, size) + 1))
    noise = rng.integers(0, 256, run, np.uint8).tobytes()
    made = bytearray(data)
    kind = int(rng.integers(8))
    if kind == 0:
        return bytes(made[:at])
    if kind == 1:
        made[at] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        for place in rng.integers(0, size, run).tolist():
            made[place] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        made[at : at + run] = noise[: len(made) - at]
    elif kind == 4:
        del made[at : at + run]
    elif kind == 5:
        made[at:at] = made[at : at + run]
    elif kind == 6:
        made[at:at] = noise
    else:
        made += noise
    return bytes(made)


def json_lie(document: Any, rng: np.random.Generator) -> Any:
    """The document with one to three of its parts replaced, taken out, doubled or exchanged."""
    made = copy.deepcopy(document)
    for _ in range(int(rng.integers(1, 4))):
        places = list(_places(made))
        if not places:
            return made
        holder, key = places[int(rng.integers(len(places)))]
        kind = int(rng.integers(6))
        value = holder[key]
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        elif kind == 2:
            other, there = places[int(rng.integers(len(places)))]
            holder[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(value)
        elif kind == 3 and isinstance(value, int | float) and not isinstance(value, bool):
            holder[key] = value + (1, -1, 0.5)[int(rng.integers(3))]
        elif kind == 4 and isinstance(value, str) and value:
            at = int(rng.integers(len(value)))
            holder[key] = value[:at] + "z" + value[at + 1 :]
        else:
            holder[key] = copy.deepcopy(LIES[int(rng.integers(len(LIES)))])
    return made


def _places(value: Any) -> Any:
    """Every holder and key below a value; long lists give their first and last ones."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    elif isinstance(value, list):
        n = len(value)
        keys = list(range(n)) if n <= 12 else [0, 1, n // 2, n - 2, n - 1]
    else:
        return
    for key in keys:
        yield value, key
        yield from _places(value[key])


def opened(data: bytes) -> tuple[Any, bytes]:
    """The header of a tally's bytes and what follows it, without the checksum."""
    _, _, size = _PREFIX.unpack_from(data)
    return json.loads(data[14 : 14 + size]), data[14 + size : -4]


def sealed(header: Any, body: bytes, version: int = 1) -> bytes:
    """Bytes of a tally whose checksum is right, whatever the header says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    whole = _PREFIX.pack(b"KARATALY", version, len(text)) + text + body
    return whole + struct.pack("<I", zlib.crc32(whole))


def framed_lie(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes of a tally that lie, in a part of a part where there are some, with right checksums."""
    header, body = opened(data)
    sizes = header.get("sizes")
    if isinstance(sizes, dict) and rng.random() < 0.75:
        found = _lie_in_part(header, body, rng)
        if found is not None:
            return found
    kind = int(rng.integers(4))
    if kind == 0:
        return sealed(json_lie(header, rng), body)
    if kind == 1 and body:
        return sealed(header, _numbers_changed(body, rng))
    if kind == 2 and body:
        return sealed(header, broken(body, rng))
    return sealed(*_reshaped(header, body, rng))


def _lie_in_part(header: Any, body: bytes, rng: np.random.Generator) -> bytes | None:
    """A lie in one of the tallies that stand one after the other in a body."""
    flat: list[tuple[Callable[[int], None], int]] = []

    def setter(holder: Any, key: Any) -> Callable[[int], None]:
        return lambda size: holder.__setitem__(key, size)

    header = copy.deepcopy(header)
    for name, sizes in header["sizes"].items():
        if isinstance(sizes, int):
            flat.append((setter(header["sizes"], name), sizes))
        else:
            flat += [(setter(sizes, i), size) for i, size in enumerate(sizes)]
    if not flat:
        return None
    chosen = int(rng.integers(len(flat)))
    first = sum(size for _, size in flat[:chosen])
    change, size = flat[chosen]
    part = framed_lie(body[first : first + size], rng)
    change(len(part))
    whole = body[:first] + part + body[first + size :]
    header["arrays"][0]["shape"] = [len(whole)]
    return sealed(header, whole)


def _numbers_changed(body: bytes, rng: np.random.Generator) -> bytes:
    """Some numbers of the arrays replaced: by special ones, or by others of the same array."""
    made = bytearray(body)
    for _ in range(int(rng.integers(1, 4))):
        if len(made) < 16:
            return broken(body, rng)
        at = 8 * int(rng.integers(len(made) // 8))
        if rng.random() < 0.5:
            other = 8 * int(rng.integers(len(made) // 8))
            made[at : at + 8], made[other : other + 8] = (
                made[other : other + 8],
                made[at : at + 8],
            )
        else:
            made[at : at + 8] = _SPECIAL[int(rng.integers(len(_SPECIAL)))]
    return bytes(made)


def _reshaped(header: Any, body: bytes, rng: np.random.Generator) -> tuple[Any, bytes]:
    """An array of another shape, kind or length; its body may be made to fit."""
    header = copy.deepcopy(header)
    arrays = header.get("arrays")
    if not arrays:
        return json_lie(header, rng), body
    item = arrays[int(rng.integers(len(arrays)))]
    kind = int(rng.integers(4))
    if kind == 0:
        item["dtype"] = list(_CODES)[int(rng.integers(len(_CODES)))]
    elif kind == 1:
        item["shape"] = [*item["shape"], 1]
    elif kind == 2:
        item["shape"] = [[0, 10**15], [10**15, 0], [0], [2**62, 2**62], [0, 2**40, 0]][
            int(rng.integers(5))
        ]
    elif item["shape"]:
        item["shape"][0] = max(0, item["shape"][0] + int(rng.integers(-2, 3)))
    # The arrays before and after keep their bytes where the sum still fits.
    wanted = 0
    for each in arrays:
        n = _CODES.get(each["dtype"], 8)
        for size in each["shape"]:
            n *= size
        wanted += n
    if wanted < 1 << 20 and rng.random() < 0.8:
        body = (body + b"\0" * wanted)[:wanted]
    return header, body
