"""Arrays as text in JSON: little-endian, compressed, base64; read in bounded memory."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["DamagedError", "packed", "unpacked"]

MOST_BYTES: Final = 1 << 32
"""The largest array that is read."""
_RATIO: Final = 1100
"""zlib makes nothing smaller than by this factor."""


class DamagedError(ValueError):
    """The text is no array of that size; the message says why."""


def packed(values: npt.NDArray[Any], dtype: str) -> str:
    """The array as text.

    Args:
        dtype: ``"<i4"``, ``"<u8"``, ``"<f4"`` or ``"<f8"``.
    """
    raw = np.ascontiguousarray(values, dtype=np.dtype(dtype)).tobytes()
    return base64.b64encode(zlib.compress(raw, 6)).decode("ascii")


def unpacked(text: object, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The array of that shape; no more memory is taken than its text can hold.

    Errors:
        DamagedError: the text is another size than the shape says, or not what was written.
    """
    if not isinstance(text, str):
        raise DamagedError(f"it is a {type(text).__name__}")
    kind = np.dtype(dtype)
    n_bytes = kind.itemsize
    for length in shape:
        n_bytes *= length
    if n_bytes > min(MOST_BYTES, _RATIO * len(text) + 64):
        raise DamagedError(f"{n_bytes} bytes are said to be in {len(text)} characters")
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
        reader = zlib.decompressobj()
        found = reader.decompress(raw, n_bytes + 1)
    except (binascii.Error, UnicodeEncodeError, zlib.error) as problem:
        raise DamagedError(str(problem)) from None
    if len(found) != n_bytes or not reader.eof or reader.unused_data:
        raise DamagedError(f"it holds {len(found)} bytes or more where {n_bytes} belong")
    return np.frombuffer(found, kind).astype(kind.newbyteorder("="), copy=False).reshape(shape)
