"""Tallies as bytes: versioned, checked, never pickled.

Layout, all little-endian::

    magic    8 bytes   b"KARATALY"
    version  uint16    FORMAT_VERSION of the writer
    header   uint32    length in bytes of the JSON header that follows
    header   JSON      species, storage, classes, axes, and shape and dtype of each array
    arrays             int64 or float64, C order, in the order of the header
    crc32    uint32    of everything before it
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.tally.cells import Axis, Cells
from karat.tally.classes import Classes

__all__ = ["FORMAT_VERSION", "framed", "from_bytes", "inconsistency", "to_bytes", "unframed"]

T = TypeVar("T")

FORMAT_VERSION = 1
_MAGIC = b"KARATALY"
_PREFIX = struct.Struct("<8sHI")
_CHECKSUM = struct.Struct("<I")
_ARRAYS = ("counts", "n_rows", "squares", "rows", "cols", "occupancy")
_DTYPES = {"<i8": np.dtype("<i8"), "<f8": np.dtype("<f8")}


def to_bytes(cells: Cells) -> bytes:
    """The tally as bytes that `from_bytes` of this and every later version reads.

    Cost: O(cells); 8 bytes a number.
    """
    arrays = {name: getattr(cells, name) for name in _ARRAYS}
    present = {name: array for name, array in arrays.items() if array is not None}
    header = {
        "species": "cells",
        "storage": cells.storage,
        "labels": list(cells.classes.labels),
        "positive": cells.classes.positive,
        "names": None if cells.classes.names is None else list(cells.classes.names),
        "is_declared": cells.classes.is_declared,
        "axes": [{"name": axis.name, "labels": list(axis.labels)} for axis in cells.axes],
    }
    return framed(header, present)


def from_bytes(data: bytes) -> Cells:
    """Read a tally written by `to_bytes`.

    Nothing is executed, and nothing is allocated beyond the length of `data`.

    Errors:
        K205 the bytes are truncated, altered or not a tally; K206 a newer version wrote them.
    """
    return unframed(data, _ARRAYS, _assembled)


def framed(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> bytes:
    """Bytes of a tally of any species: its facts, then its arrays of int64 and float64."""
    described = [
        {"name": name, "shape": list(array.shape), "dtype": _dtype_code(array)}
        for name, array in arrays.items()
    ]
    header = {**header, "arrays": described}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    body = b"".join(
        np.ascontiguousarray(array, _DTYPES[_dtype_code(array)]).tobytes()
        for array in arrays.values()
    )
    whole = _PREFIX.pack(_MAGIC, FORMAT_VERSION, len(text)) + text + body
    return whole + _CHECKSUM.pack(zlib.crc32(whole))


def unframed(
    data: bytes,
    names: tuple[str, ...],
    assembled: Callable[[dict[str, Any], dict[str, npt.NDArray[Any]]], T],
) -> T:
    """What `assembled` makes of the facts and the arrays of a tally.

    Args:
        names: the arrays that this species may have.
        assembled: gets the header and the arrays by name; checks them.

    Errors:
        K205 the bytes are truncated, altered or not a tally; K206 a newer version wrote them.
    """
    view = memoryview(data).cast("B")
    if len(view) < _PREFIX.size + _CHECKSUM.size:
        raise error("K205", found=f"{len(view)} bytes, shorter than any tally")
    magic, version, header_bytes = _PREFIX.unpack_from(view)
    if magic != _MAGIC:
        raise error("K205", found=f"They start with {bytes(magic)!r}, not {_MAGIC!r}")
    if version > FORMAT_VERSION:
        raise error("K206", version=version, newest=FORMAT_VERSION)
    (checksum,) = _CHECKSUM.unpack_from(view, len(view) - _CHECKSUM.size)
    if zlib.crc32(view[: -_CHECKSUM.size]) != checksum:
        raise error("K205", found="The checksum does not match: truncated or altered")
    body_at = _PREFIX.size + header_bytes
    if body_at > len(view) - _CHECKSUM.size:
        raise error("K205", found=f"The header says {header_bytes} bytes, more than there are")
    try:
        header = json.loads(bytes(view[_PREFIX.size : body_at]))
        return assembled(header, _arrays(header, names, view[body_at : -_CHECKSUM.size]))
    except KaratError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise error("K205", found=f"The header cannot be read: {problem}") from None


def _dtype_code(array: npt.NDArray[Any]) -> str:
    return "<f8" if array.dtype.kind == "f" else "<i8"


def _arrays(
    header: dict[str, Any], names: tuple[str, ...], body: memoryview
) -> dict[str, npt.NDArray[Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {}
    at = 0
    for item in header["arrays"]:
        name, shape = item["name"], [int(size) for size in item["shape"]]
        if name not in names or any(size < 0 for size in shape):
            raise error("K205", found=f"Array {name!r} of shape {shape} is not part of a tally")
        n_bytes = 8 * math.prod(shape)
        if at + n_bytes > len(body):
            raise error("K205", found=f"Array {name!r} of shape {shape} is cut short")
        flat = np.frombuffer(body[at : at + n_bytes], _DTYPES[item["dtype"]])
        arrays[name] = flat.reshape(shape).astype(flat.dtype.newbyteorder("="), copy=True)
        at += n_bytes
    if at != len(body):
        raise error("K205", found=f"{len(body) - at} bytes are left over after the arrays")
    return arrays


def _assembled(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Cells:
    cells = _cells_of(header, arrays)
    problem = inconsistency(cells)
    if problem:
        raise error("K205", found=problem)
    return cells


def _cells_of(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Cells:
    names = header["names"]
    classes = Classes(
        tuple(header["labels"]),
        header["positive"],
        None if names is None else tuple(names),
        header["is_declared"],
    )
    axes = tuple(Axis(axis["name"], tuple(axis["labels"])) for axis in header["axes"])
    return Cells(classes, header["storage"], axes=axes, **arrays)


def inconsistency(cells: Cells) -> str | None:
    """What contradicts what, or None: nothing read from bytes is trusted to index memory."""
    k = cells.k
    labels: tuple[Any, ...] = cells.classes.labels
    if strange := [label for label in labels if not isinstance(label, str | int)]:
        return f"The class {strange[0]!r} is not a label"
    if len(set(labels)) != k:
        return "Some class occurs twice"
    if cells.classes.names is not None and len(cells.classes.names) != k:
        return f"There are {len(cells.classes.names)} class names for {k} classes"
    positive: Any = cells.classes.positive
    if positive is not None and not (isinstance(positive, int) and 0 <= positive < k):
        return f"The positive class {positive!r} is not one of {k}"
    batch = cells.batch_shape
    if len(batch) < len(cells.axes) or any(
        len(axis.labels) != size for axis, size in zip(cells.axes, batch, strict=False)
    ):
        return "The axes do not fit the arrays"
    if cells.storage == "sparse":
        if cells.rows is None or cells.cols is None or cells.rows.ndim != 1:
            return "A sparse tally without its coordinates"
        m = cells.rows.size
        if cells.cols.shape != (m,) or cells.rows.dtype.kind != "i" or cells.cols.dtype.kind != "i":
            return "The coordinates of the cells do not match each other"
        if m and not (
            cells.rows.min() >= 0 and cells.rows.max() < k
            and cells.cols.min() >= 0 and cells.cols.max() < k
        ):  # fmt: skip
            return "A cell lies outside the classes"
        if m and (np.diff(cells.rows * k + cells.cols) <= 0).any():
            return "The cells are not in order"
    elif cells.rows is not None or cells.cols is not None:
        return f"A {cells.storage} tally with coordinates"
    tails = {"dense": (k, k), "marginals": (3, k), "sparse": ()}
    if cells.storage not in tails:
        return f"The storage {cells.storage!r} is unknown"
    tail = (cells.rows.size,) if cells.rows is not None else tails[cells.storage]
    if cells.counts.shape != (*batch, *tail):
        return f"The cells have shape {cells.counts.shape}, the classes need {(*batch, *tail)}"
    for extra in (cells.squares, cells.occupancy):
        if extra is not None and extra.shape != cells.counts.shape:
            return "The squared weights or the occupancy do not match the cells"
    for numbers in (cells.counts, cells.n_rows, cells.squares, cells.occupancy):
        if numbers is not None and not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            return "A number is negative or not finite"
    return None
