"""Texts of every storage as codes of one label space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.kernels import reference
from tests.same import assert_same

EXAMPLES = settings(max_examples=80, deadline=None)
# Lengths around 8 and 16 bytes, where the way of storing changes.
WORDS = st.one_of(
    st.text(alphabet="abc", max_size=24),
    st.text(max_size=12),
    st.sampled_from(["a" * n for n in (0, 1, 7, 8, 9, 15, 16, 17, 32, 33, 70)]),
)
TEXTS = st.lists(WORDS, min_size=1, max_size=60)


def as_ucs4(texts: Sequence[str]) -> Any:
    array = np.array(texts)
    return array.view(np.uint32).reshape(len(texts), -1)


def as_bytes(texts: Sequence[bytes]) -> Any:
    array = np.array(texts)
    return array.view(np.uint8).reshape(len(texts), array.dtype.itemsize)


def as_offsets(texts: Sequence[str | None], dtype: type[Any]) -> tuple[Any, Any, Any]:
    parts = [b"" if text is None else text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, parts)]).astype(dtype)
    valid = np.packbits([text is not None for text in texts], bitorder="little")
    return offsets, np.frombuffer(b"".join(parts), np.uint8), valid


def as_views(texts: Sequence[str | None], n_buffers: int = 2) -> tuple[Any, list[Any], Any]:
    views = bytearray()
    buffers = [bytearray(b"??") for _ in range(n_buffers)]
    for i, text in enumerate(texts):
        part = b"" if text is None else text.encode()
        if len(part) <= 12:
            views += np.int32(len(part)).tobytes() + part.ljust(12, b"\0")
        else:
            place = np.array([len(part), 0, i % n_buffers, len(buffers[i % n_buffers])], np.int32)
            views += place[:1].tobytes() + part[:4] + place[2:].tobytes()
            buffers[i % n_buffers] += part
    valid = np.packbits([text is not None for text in texts], bitorder="little")
    rows = np.frombuffer(bytes(views), np.uint8).reshape(len(texts), 16)
    return rows, [np.frombuffer(bytes(buffer), np.uint8) for buffer in buffers], valid


def check(encoder: _native.TextEncoder, codes: Any, texts: Sequence[str | None]) -> None:
    """A fresh encoder's codes and labels are those of first appearance."""
    expected, labels = reference.first_seen(texts)
    assert_same(codes, expected)
    assert codes.dtype == np.int32
    assert encoder.labels() == labels
    assert len(encoder) == len(labels)


@pytest.mark.usefixtures("isa")
@given(TEXTS)
@EXAMPLES
def test_ucs4(texts: list[str]) -> None:
    encoder = _native.TextEncoder()
    stripped = [text.rstrip("\0") for text in texts]
    check(encoder, encoder.encode_ucs4(as_ucs4(texts)), stripped)
    encoder = _native.TextEncoder()
    spread = np.zeros((2 * len(texts), as_ucs4(texts).shape[1]), np.uint32)
    spread[::2] = as_ucs4(texts)
    check(encoder, encoder.encode_ucs4(spread[::2]), stripped)


@given(st.lists(st.text(alphabet="abcé\0", max_size=40), min_size=1, max_size=60))
@EXAMPLES
def test_bytes(texts: list[str]) -> None:
    encoder = _native.TextEncoder()
    array = as_bytes([text.encode() for text in texts])
    stripped = [text.rstrip("\0") for text in texts]
    check(encoder, encoder.encode_bytes(array), stripped)
    encoder = _native.TextEncoder()
    check(encoder, encoder.encode_bytes(array[::-1]), stripped[::-1])


@given(st.lists(st.one_of(st.none(), WORDS), min_size=1, max_size=60), st.integers(0, 9))
@EXAMPLES
def test_offsets_and_views(texts: list[str | None], bit_offset: int) -> None:
    shifted = [None] * bit_offset + texts
    for dtype in (np.int32, np.int64):
        encoder = _native.TextEncoder()
        offsets, data, _ = as_offsets(texts, dtype)
        valid = as_offsets(shifted, dtype)[2]
        check(encoder, encoder.encode_utf8(offsets, data, valid, bit_offset), texts)
    encoder = _native.TextEncoder()
    views, buffers, _ = as_views(texts)
    check(encoder, encoder.encode_views(views, buffers, valid, bit_offset), texts)


def test_every_storage_shares_the_labels() -> None:
    texts = ["cat", "", "a label of more than sixteen bytes", "naïve", "cat"]
    expected, labels = reference.first_seen(texts)
    encoder = _native.TextEncoder()
    assert_same(encoder.encode_ucs4(as_ucs4(texts)), expected)
    assert_same(encoder.encode_bytes(as_bytes([text.encode() for text in texts])), expected)
    assert_same(encoder.encode_utf8(*as_offsets(texts, np.int32)[:2]), expected)
    assert_same(encoder.encode_views(*as_views(texts)[:2]), expected)
    assert encoder.labels() == labels


@pytest.mark.usefixtures("isa")
def test_many_labels_grow_the_table() -> None:
    texts = [f"{i % 7000:x}" * (1 + i % 9) for i in range(20_000)]
    encoder = _native.TextEncoder()
    check(encoder, encoder.encode_ucs4(as_ucs4(texts)), texts)


def test_lone_surrogates_survive() -> None:
    encoder = _native.TextEncoder()
    assert_same(encoder.encode_ucs4(np.array([[0xD800], [0x10FFFF]], np.uint32)), [0, 1])
    assert encoder.labels() == ["\ud800", "\U0010ffff"]


def test_what_is_not_utf8_has_no_label() -> None:
    encoder = _native.TextEncoder()
    encoder.encode_bytes(as_bytes([b"caf\xe9"]))
    with pytest.raises(UnicodeDecodeError):
        encoder.labels()


def test_what_is_no_character_is_refused() -> None:
    rows = np.full((5, 3), ord("a"), np.uint32)
    rows[3, 1] = 0x110000
    with pytest.raises(_native.Rejected) as caught:
        _native.TextEncoder().encode_ucs4(rows)
    assert caught.value.args == ("range", 0, 3)


@pytest.mark.parametrize(
    ("offsets", "row"),
    [
        ([0, 2, 1, 4], 1),
        ([0, 1, 2, 5], 2),
        ([-1, 1, 2, 3], 0),
        ([0, 2**31 - 1, 3, 4], 0),
        ([3, 2, 2, 2], 0),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_offsets_that_leave_the_data_are_refused(
    offsets: list[int], row: int, dtype: type[Any]
) -> None:
    data = np.frombuffer(b"abcd", np.uint8)
    for valid in (None, np.zeros(1, np.uint8)):
        with pytest.raises(_native.Rejected) as caught:
            _native.TextEncoder().encode_utf8(np.array(offsets, dtype), data, valid, 0)
        assert caught.value.args == ("range", 0, row)


@pytest.mark.parametrize(
    ("part", "value"), [(0, -1), (0, 2**31 - 1), (2, 2), (2, -1), (3, -1), (3, 3), (3, 2**31 - 1)]
)
def test_views_that_leave_their_buffer_are_refused(part: int, value: int) -> None:
    views, buffers, _ = as_views(["x" * 20] * 3)
    parts = views.copy().view(np.int32)
    parts[1, part] = value
    with pytest.raises(_native.Rejected) as caught:
        _native.TextEncoder().encode_views(parts.view(np.uint8), buffers)
    assert caught.value.args == ("range", 0, 1)


@pytest.mark.parametrize("bit_offset", [-1, 6, 2**62])
def test_a_bitmap_that_is_too_short_is_refused(bit_offset: int) -> None:
    valid = np.full(1, 255, np.uint8)
    offsets, data, _ = as_offsets(["a", "b", "c"], np.int32)
    with pytest.raises(ValueError, match="too few bits"):
        _native.TextEncoder().encode_utf8(offsets, data, valid, bit_offset)


def test_no_rows_and_no_characters() -> None:
    encoder = _native.TextEncoder()
    assert_same(encoder.encode_ucs4(np.zeros((0, 5), np.uint32)), [])
    assert_same(encoder.encode_ucs4(np.zeros((3, 0), np.uint32)), [0, 0, 0])
    assert_same(encoder.encode_bytes(np.zeros((2, 0), np.uint8)), [0, 0])
    assert_same(encoder.encode_utf8(np.zeros(1, np.int32), np.zeros(0, np.uint8)), [])
    assert_same(encoder.encode_views(np.zeros((0, 16), np.uint8), []), [])
    assert encoder.labels() == [""]
