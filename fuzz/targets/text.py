"""Targets of the encoder of texts in every storage."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target

TEXTS = (
    b"cat",
    b"dog",
    b"",
    b"a" * 12,
    b"b" * 13,
    b"c" * 16,
    b"\xc3\xa9",
    b"x\0y",
    b"d" * 100,
    b"\xff\xfe",
)


def some_encoder(case: Case) -> Any:
    """A new encoder."""
    if case.source.rarely(64):
        return case.native.TextEncoder.__new__(case.native.TextEncoder)
    return case.native.TextEncoder()


@target("TextEncoder")
def text_encoder(case: Case) -> None:
    case.call(case.native.TextEncoder, *case.source.pick(((), (), (1,), (None,))))


def check(case: Case, encoder: Any, codes: Any, n: int, least: int = 0) -> None:
    """Codes of texts that are known; -1 where there is none."""
    case.expect_length(codes, n)
    if n:
        case.expect(
            least <= int(codes.min()) and int(codes.max()) < len(encoder), "a code of no text"
        )


def fixed(case: Case, encoder: Any, dtype: str) -> Any:
    """A matrix of items, mostly those of a few texts."""
    source = case.source
    n, width = min(source.size(), 200), source.byte() % 24
    if source.flag():
        rows = [source.pick(TEXTS)[:width].ljust(width, b"\0") for _ in range(min(n, 30))]
        values = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width).astype(dtype)
        if dtype == "u4" and values.size and source.flag():
            edge = source.pick(
                (0xD800, 0x10FFFF, 0x110000, 2**32 - 1, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000)
            )
            values[source.byte() % len(values), source.byte() % width] = edge
    else:
        n = min(n, 24)
        values = np.frombuffer(source.raw(n * width * np.dtype(dtype).itemsize), dtype)
        values = values.reshape(n, width)
    return case.arrays.argument(values)


def ucs4(case: Case, encoder: Any) -> None:
    made = fixed(case, encoder, "u4")
    check(case, encoder, encoder.encode_ucs4(made), len(made))


def encode_bytes(case: Case, encoder: Any) -> None:
    made = fixed(case, encoder, "u1")
    check(case, encoder, encoder.encode_bytes(made), len(made))


def validity(case: Case, n: int) -> tuple[Any, Any]:
    """Bits of the rows that are there, or None, and where they begin."""
    source = case.source
    if source.byte() % 2 == 0:
        return None, source.integer(0, 3)
    offset = source.byte() % 9
    bits = case.arrays.whole((n + offset + 7) // 8 - source.byte() // 250 * (n > 0), 256, "u1")
    return case.arrays.argument(bits, is_plain=True), source.integer(offset, offset)


def utf8(case: Case, encoder: Any) -> None:
    source, arrays = case.source, case.arrays
    n = min(source.size(), 200)
    texts = [source.pick(TEXTS) for _ in range(min(n, 30))]
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    if source.rarely(8):
        ends = np.sort(arrays.whole(len(ends), 40, "i8"))
    if source.rarely(8):
        at = source.byte() % len(ends)
        ends[at] = source.pick(
            (-1, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63), 10**6, 0)
        )
    with np.errstate(all="ignore"):
        offsets = arrays.argument(ends.astype(source.pick(("i4", "i8"))), is_plain=True)
    data = arrays.argument(np.frombuffer(b"".join(texts), np.uint8), is_plain=True)
    valid, bit = validity(case, len(texts))
    check(case, encoder, encoder.encode_utf8(offsets, data, valid, bit), len(offsets) - 1, -1)


def views(case: Case, encoder: Any) -> None:
    source, arrays = case.source, case.arrays
    n = min(source.size(), 30)
    buffers: Any = [arrays.raw(source.byte() % 60) for _ in range(source.byte() % 4)]
    rows = []
    for _ in range(n):
        text = source.pick(TEXTS)
        if len(text) <= 12:
            rows.append(len(text).to_bytes(4, "little") + text.ljust(12, b"\0"))
        else:
            length, buffer, offset = 13 + source.byte() % 20, source.byte() % 4, source.byte() % 30
            parts = [length, 0, buffer, offset]
            if source.rarely(16):
                parts[source.byte() % 4] = source.pick((2**32 - 1, 2**31, 2**31 - 1, 2**30, 0))
            rows.append(np.array(parts, "u4").tobytes())
    made = np.frombuffer(source.raw(16 * n) if source.rarely(8) else b"".join(rows), np.uint8)
    matrix = arrays.argument(made.reshape(n, 16), is_plain=True)
    if source.is_spoiled():
        buffers = source.pick((None, (), [None], [b"bytes"], ["text"], [np.zeros(3)], 5, {}))
    valid, bit = validity(case, n)
    check(case, encoder, encoder.encode_views(matrix, buffers, valid, bit), len(matrix), -1)


def labels(case: Case, encoder: Any) -> None:
    """As many texts as there are codes, each its own."""
    found = encoder.labels()
    case.expect(len(found) == len(encoder) == len(set(found)), "a text has two codes")


members(
    "TextEncoder",
    some_encoder,
    {
        "__init__": lambda case, encoder: encoder.__init__(),
        "__len__": lambda case, encoder: len(encoder),
        "labels": labels,
        "encode_ucs4": ucs4,
        "encode_bytes": encode_bytes,
        "encode_utf8": utf8,
        "encode_views": views,
    },
)
