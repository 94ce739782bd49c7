"""Serialization of tallies: versioned, checked, without pickle; input is not trusted."""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, short, shown
from karat.tally.cells import Axis, Cells
from karat.tally.classes import Classes
from karat.tally.shared import wrong_numbers

_CLOSE = 1e-9
"""Relative tolerance of sums of the same weights in another order."""


def inconsistency(cells: Cells) -> str | None:
    """Return a contradiction in a tally, or None.

    Checks for invalid labels, arrays of inconsistent shapes, and impossible numbers.
    """
    return (
        wrong_classes(cells.classes)
        or _of_coordinates(cells)
        or _of_shapes(cells)
        or _of_numbers(cells)
    )


def wrong_classes(classes: Classes) -> str | None:
    """Return a contradiction in classes that were read, or None."""
    labels: tuple[Any, ...] = classes.labels
    every: tuple[Any, ...] = labels if classes.order is None else (*labels, *classes.order)
    if strange := [label for label in every if not isinstance(label, str | int)]:
        return f"The class {strange[0]!r} is not a label"
    if len({isinstance(label, str) for label in every}) > 1:
        return "The classes mix strings and numbers"
    if len(set(labels)) != classes.k:
        return "Some class occurs twice"
    names: tuple[Any, ...] | None = classes.names
    if names is not None and len(names) != classes.k:
        return f"There are {len(names)} class names for {classes.k} classes"
    if strange := [name for name in names or () if not isinstance(name, str)]:
        return f"The class name {strange[0]!r} is not a string"
    is_declared: Any = classes.is_declared
    if type(is_declared) is not bool:
        return "The flag of declared classes is missing"
    positive: Any = classes.positive
    if positive is not None and not (type(positive) is int and 0 <= positive < classes.k):
        return f"The positive class {positive!r} is not one of {classes.k}"
    if positive is not None and classes.k > 2:
        return f"The positive class is one of {classes.k} classes"
    is_ordered: Any = classes.is_ordered
    if is_ordered not in (None, True, False):
        return "Its order of classes is not valid"
    order: Any = iter(() if classes.order is None else classes.order)
    if classes.order is not None and not (is_ordered and all(x in order for x in labels)):
        return f"Its classes are not in the order {shown(classes.order)}"
    return None


def wrong_squares(
    counts: npt.NDArray[Any], squares: npt.NDArray[Any], n_rows: npt.NDArray[Any] | int
) -> str | None:
    """Return a contradiction between sums of squared weights and sums of weights, or None.

    For at most n weights w: (Σw)² / n ≤ Σw² ≤ (Σw)². Where both sums are equal, weights may be
    numbers of rows: a row of weight 3 stands for three rows, whose squares add up to 3.
    """
    n_rows = np.where(squares == counts, np.maximum(counts, n_rows), n_rows)
    # The square of a tiny weight may be a subnormal number, which has few digits.
    with np.errstate(over="ignore", under="ignore"):
        if (squares > counts * counts * (1 + _CLOSE) + 1e-300).any():
            return "A sum of squared weights is larger than the square of the sum"
        if (counts * counts > n_rows * (squares * (1 + _CLOSE) + 1e-300)).any():
            return "A sum of squared weights is smaller than that of so many rows"
    return None


def _of_coordinates(cells: Cells) -> str | None:
    rows, cols, k = cells.rows, cells.cols, cells.k
    if cells.storage != "sparse":
        if rows is not None or cols is not None:
            return f"A {cells.storage} tally with coordinates"
        return None
    if rows is None or cols is None or rows.ndim != 1:
        return "A sparse tally without its coordinates"
    if cols.shape != rows.shape or rows.dtype.kind != "i" or cols.dtype.kind != "i":
        return "The coordinates of the cells do not match each other"
    if rows.size and not (
        rows.min() >= 0 and rows.max() < k and cols.min() >= 0 and cols.max() < k
    ):
        return "A cell lies outside the classes"
    if rows.size and (np.diff(rows * k + cols) <= 0).any():
        return "The cells are not in order"
    return None


def _of_shapes(cells: Cells) -> str | None:
    k, batch = cells.k, cells.batch_shape
    if len(batch) < len(cells.axes) or any(
        len(axis.labels) != size for axis, size in zip(cells.axes, batch, strict=False)
    ):
        return "The axes do not fit the arrays"
    tails = {"dense": (k, k), "marginals": (3, k), "sparse": ()}
    if cells.storage not in tails:
        return f"The storage {cells.storage!r} is unknown"
    tail = (cells.rows.size,) if cells.rows is not None else tails[cells.storage]
    if cells.counts.shape != (*batch, *tail):
        return f"The cells have shape {cells.counts.shape}, the classes need {(*batch, *tail)}"
    for extra in (cells.squares, cells.occupancy):
        if extra is not None and extra.shape != cells.counts.shape:
            return "The squared weights or the occupancy do not match the cells"
    if not cells.is_weighted and (cells.squares is not None or cells.occupancy is not None):
        return "There are squared weights, and the tally is not weighted"
    return None


def _of_numbers(cells: Cells) -> str | None:
    if cells.n_rows.dtype.kind != "i":
        return "The number of rows is not a whole number"
    if wrong_numbers(cells.counts, cells.n_rows, cells.squares, cells.occupancy):
        return "A number is negative or not finite"
    if cells.occupancy is not None and ((cells.counts > 0) & (cells.occupancy == 0)).any():
        return "Some class has weight and no rows"
    if cells.squares is not None:
        n_rows = cells.n_rows.reshape(*cells.batch_shape, *(1 for _ in _tail(cells)))
        if problem := wrong_squares(cells.counts, cells.squares, n_rows):
            return problem
    # Number or weight of all rows, [...]: for totals, tp and fn, since each fp is another's fn.
    is_marginal = cells.storage == "marginals"
    counts = np.delete(cells.counts, 1, axis=-2) if is_marginal else cells.counts
    total = np.asarray(counts.sum(axis=_tail(cells)))
    if is_marginal:
        wrong = cells.counts[..., 1:, :].sum(axis=-1)
        room = _CLOSE * total if cells.is_weighted else 0
        if not (np.abs(wrong[..., 0] - wrong[..., 1]) <= room).all():
            return "The classes have more false positives than false negatives, or fewer"
    # Summed as floats first, since the sum of int64 could wrap around.
    if not cells.is_weighted and not (
        (cells.counts.astype(np.float64).sum(axis=_tail(cells)) < 2.0**63).all()
        and (total == cells.n_rows).all()
    ):
        return "The cells do not add up to the number of rows"
    return None


def _tail(cells: Cells) -> tuple[int, ...]:
    return tuple(range(len(cells.batch_shape), cells.counts.ndim))


T = TypeVar("T")

FORMAT_VERSION = 1
MAGIC = b"KARATALY"
_PREFIX = struct.Struct("<8sHI")
_CHECKSUM = struct.Struct("<I")
_EMPTY_AXIS = 1 << 20
"""Longest axis of an array without numbers, in bytes shorter than that."""
_ARRAYS = ("counts", "n_rows", "squares", "rows", "cols", "occupancy")
_DTYPES = {code: np.dtype(code) for code in ("<i8", "<f8", "<i4", "<f4", "|u1")}


def to_bytes(cells: Cells) -> bytes:
    """Return the tally as bytes that `from_bytes` of this and every later version reads.

    Cost: O(cells); 8 bytes for each number.
    """
    header = {
        "species": "cells",
        "storage": cells.storage,
        "labels": list(cells.classes.labels),
        "positive": cells.classes.positive,
        "names": None if cells.classes.names is None else list(cells.classes.names),
        "is_declared": cells.classes.is_declared,
        **_order_of(cells.classes),
        "axes": facts_of_axes(cells.axes),
        **({} if cells.has_predictions else {"has_predictions": False}),
    }
    return framed(header, {name: getattr(cells, name) for name in _ARRAYS})


def facts_of_classes(classes: Classes) -> dict[str, Any]:
    """Return classes without display names, for a header."""
    facts = {"labels": list(classes.labels), "positive": classes.positive}
    return {**facts, "is_declared": classes.is_declared, **_order_of(classes)}


def _order_of(classes: Classes) -> dict[str, Any]:
    facts = {"is_ordered": classes.is_ordered, "order": classes.order}
    return {name: value for name, value in facts.items() if value is not None}


def classes_of_facts(header: Mapping[str, Any]) -> Classes:
    """Return the classes from the output of `facts_of_classes`."""
    facts = (header["positive"], None, header["is_declared"], header.get("is_ordered"))
    order = header.get("order")
    return Classes(tuple(header["labels"]), *facts, None if order is None else tuple(order))


def facts_of_axes(axes: Sequence[Axis]) -> list[dict[str, Any]]:
    """Return axes for a header."""
    return [{"name": axis.name, "labels": list(axis.labels)} for axis in axes]


def from_bytes(data: bytes) -> Cells:
    """Read a tally written by `to_bytes`.

    Nothing is executed, and nothing is allocated beyond the length of `data`.

    Errors:
        K205 the bytes are truncated, altered or not a tally; K206 a newer version wrote them.
    """
    return read_tally(data, "cells", _ARRAYS, _cells_of, inconsistency, called="cells")


def read_tally(
    data: bytes,
    species: str,
    names: tuple[str, ...],
    assembled: Callable[[dict[str, Any], dict[str, npt.NDArray[Any]]], T],
    wrong: Callable[[T], str | None],
    *,
    called: str | None = None,
    short: tuple[str, ...] = (),
) -> T:
    """Read a tally of one kind, as `unframed` does, and check its consistency.

    Args:
        wrong: function that returns a contradiction, or None.
        called: name of the kind in messages.
    """

    def checked(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> T:
        if header["species"] != species:
            raise damaged(f"It holds {header['species']!r}, not {called or species}")
        found = assembled(header, arrays)
        if problem := wrong(found):
            raise damaged(problem)
        return found

    return unframed(data, names, checked, short)


def framed(header: dict[str, Any], given: Mapping[str, npt.NDArray[Any] | None]) -> bytes:
    """Return the bytes of a tally of any kind: its facts, then its arrays."""
    arrays = {name: array for name, array in given.items() if array is not None}
    described = [
        {"name": name, "shape": list(array.shape), "dtype": _dtype_code(array)}
        for name, array in arrays.items()
    ]
    header = {**header, "arrays": described}
    # NumPy's text may contain lone surrogates; json.loads reads them back.
    words = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    text = words.encode("utf-8", "surrogatepass")
    parts: list[Any] = [_PREFIX.pack(MAGIC, FORMAT_VERSION, len(text)), text]
    for array in arrays.values():
        # Tallies of rows are large: their bytes are copied once.
        flat = np.ascontiguousarray(array, _DTYPES[_dtype_code(array)]).reshape(-1)
        parts.append(flat.view(np.uint8).data)
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return b"".join([*parts, _CHECKSUM.pack(checksum)])


def unframed(
    data: bytes,
    names: tuple[str, ...],
    assembled: Callable[[dict[str, Any], dict[str, npt.NDArray[Any]]], T],
    short: tuple[str, ...] = (),
) -> T:
    """Return the result of `assembled` on the facts and the arrays of a tally.

    Args:
        names: the arrays that this kind may have.
        short: those whose numbers may have fewer than 64 bits.
        assembled: function of the header and the arrays by name, which checks them.

    Errors:
        K205 the bytes are truncated, altered or not a tally; K206 a newer version wrote them.
    """
    try:
        view = memoryview(data).cast("B")
    except TypeError:
        raise damaged(f"It is a {type(data).__name__}, not bytes") from None
    if len(view) < _PREFIX.size + _CHECKSUM.size:
        raise damaged(f"It has {len(view)} bytes, fewer than any tally")
    magic, version, header_bytes = _PREFIX.unpack_from(view)
    if magic != MAGIC:
        raise damaged(f"It starts with {bytes(magic)!r}, not {MAGIC!r}")
    if version > FORMAT_VERSION:
        raise error("K206", thing="tally", version=version, newest=FORMAT_VERSION)
    if version < 1:
        raise damaged("Its format version is 0; the first one is 1")
    (checksum,) = _CHECKSUM.unpack_from(view, len(view) - _CHECKSUM.size)
    if zlib.crc32(view[: -_CHECKSUM.size]) != checksum:
        raise damaged("The checksum does not match: truncated or altered")
    body_at = _PREFIX.size + header_bytes
    if body_at > len(view) - _CHECKSUM.size:
        raise damaged(f"The header states {header_bytes} bytes, more than there are")
    try:
        header = json.loads(bytes(view[_PREFIX.size : body_at]), object_pairs_hook=each_once)
        arrays = _arrays(header, names, view[body_at : -_CHECKSUM.size])
        for name, array in arrays.items():
            if array.itemsize < 8 and name not in short:
                raise damaged(f"The numbers of {name!r} have {8 * array.itemsize} bits")
        return assembled(header, arrays)
    except KaratError:
        raise
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as problem:
        raise damaged(f"The header cannot be read: {problem}") from None


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, without duplicate keys.

    Errors:
        ValueError naming the first duplicate key.
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {short(key)} occurs twice in one object")
        found[key] = value
    return found


AGAIN: Final = "Write the tally again with to_bytes() and copy all of its bytes."
"""What to do about bytes that are not whole."""


def said_of(problem: KaratError, thing: str, advice: Mapping[str, str]) -> KaratError:
    """The error of bytes of a tally that is a part of another thing.

    Args:
        advice: what to do about a tally → what to do about the thing.
    """
    if problem.context.get("thing") != "tally":
        return problem
    do = str(problem.context.get("do"))
    return problem.but(thing=thing, **({"do": advice[do]} if do in advice else {}))


def damaged(found: str, do: str = AGAIN) -> KaratError:
    """Return the error K205 of invalid bytes; `found` is the reason."""
    return error("K205", thing="tally", found=found, do=do)


def _dtype_code(array: npt.NDArray[Any]) -> str:
    small = {"i4": "<i4", "f4": "<f4", "u1": "|u1"}.get(array.dtype.str[1:])
    return small or ("<f8" if array.dtype.kind == "f" else "<i8")


def _arrays(
    header: dict[str, Any], names: tuple[str, ...], body: memoryview
) -> dict[str, npt.NDArray[Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {}
    at = 0
    for item in header["arrays"]:
        name, shape = item["name"], list(item["shape"])
        if name not in names or any(type(size) is not int or size < 0 for size in shape):
            raise damaged(f"Array {name!r} of shape {shape} is not part of a tally")
        if name in arrays:
            raise damaged(f"Array {name!r} occurs twice")
        if 0 in shape and max(shape) > max(_EMPTY_AXIS, len(body)):
            # Sums along another axis would be as long.
            raise damaged(f"Array {name!r} of shape {shape} holds nothing")
        dtype = _DTYPES[item["dtype"]]
        n_bytes = dtype.itemsize * math.prod(shape)
        if at + n_bytes > len(body):
            raise damaged(f"Array {name!r} of shape {shape} is cut short")
        flat = np.frombuffer(body[at : at + n_bytes], dtype)
        arrays[name] = flat.reshape(shape).astype(flat.dtype.newbyteorder("="), copy=True)
        at += n_bytes
    if at != len(body):
        raise damaged(f"{len(body) - at} bytes are left over after the arrays")
    return arrays


def _cells_of(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Cells:
    classes = classes_of_facts(header).named(header["names"])
    axes = tuple(Axis(axis["name"], tuple(axis["labels"])) for axis in header["axes"])
    has_predictions = header.get("has_predictions", True) is not False
    return Cells(classes, header["storage"], axes=axes, has_predictions=has_predictions, **arrays)
