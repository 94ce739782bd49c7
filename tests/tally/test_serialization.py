"""Bytes of a tally: damaged ones are refused, with the reason, and nothing is executed."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally import Cells, Classes, from_bytes, to_bytes, to_sparse

TALLY = Cells.dense([[5, 1, 0], [2, 7, 1], [0, 0, 3]], classes=Classes.of(["a", "b", "ç"]))
STORED = Path(__file__).with_name("stored")


def rewritten(change: Any) -> bytes:
    """The bytes with another header and a right checksum."""
    data = to_bytes(to_sparse(TALLY))
    magic, version, size = struct.unpack_from("<8sHI", data)
    header = json.loads(data[14 : 14 + size])
    change(header)
    text = json.dumps(header).encode()
    whole = struct.pack("<8sHI", magic, version, len(text)) + text + data[14 + size : -4]
    return whole + struct.pack("<I", zlib.crc32(whole))


@given(cut=st.integers(0, len(to_bytes(TALLY)) - 1))
def test_truncated_bytes_are_refused(cut: int) -> None:
    with pytest.raises(KaratError, match="K205"):
        from_bytes(to_bytes(TALLY)[:cut])


@given(at=st.integers(0, len(to_bytes(TALLY)) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_is_refused(at: int, bit: int) -> None:
    data = bytearray(to_bytes(TALLY))
    data[at] ^= 1 << bit
    with pytest.raises(KaratError, match=r"K205|K206"):
        from_bytes(bytes(data))


def test_a_newer_version_says_so() -> None:
    data = bytearray(to_bytes(TALLY))
    struct.pack_into("<H", data, 8, 999)
    with pytest.raises(KaratError, match="K206"):
        from_bytes(bytes(data))


def test_another_format_is_refused_though_its_checksum_is_right() -> None:
    data = b"NotKarat" + to_bytes(TALLY)[8:-4]
    with pytest.raises(KaratError, match="It starts with b'NotKarat'"):
        from_bytes(data + struct.pack("<I", zlib.crc32(data)))


def change_array(name: str, key: str, value: Any) -> Any:
    def change(header: dict[str, Any]) -> None:
        next(item for item in header["arrays"] if item["name"] == name)[key] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        change_array("counts", "shape", [10**15]),
        change_array("counts", "shape", [-1]),
        change_array("counts", "dtype", "object"),
        change_array("counts", "name", "__class__"),
        change_array("rows", "shape", [2, 3]),
        lambda header: header.update(labels=["a", "b"]),
        lambda header: header.update(labels=["a", "b", "b"]),
        lambda header: header.update(labels=[["a"], "b", "c"]),
        lambda header: header.update(positive=7),
        lambda header: header.update(positive="a"),
        lambda header: header.update(storage="dense"),
        lambda header: header.update(storage="cube"),
        lambda header: header.update(names=["one"]),
        lambda header: header.update(is_ordered=True, order=["ç", "b", "a"]),
        lambda header: header.update(is_ordered=True, order=["a", "b"]),
        lambda header: header.update(is_ordered=True, order=["a", "b", "ç", 1]),
        lambda header: header.update(is_ordered=True, order=[["a"], "b", "ç"]),
        lambda header: header.update(is_ordered=True, order=7),
        lambda header: header.update(order=["a", "b", "ç", "d"]),
        lambda header: header.update(is_ordered="yes"),
        lambda header: header.update(axes=[{"name": "fold", "labels": [1, 2]}]),
        lambda header: header.pop("storage"),
        lambda header: header.update(arrays=[]),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        from_bytes(rewritten(change))


def test_an_unchanged_header_is_read() -> None:
    assert from_bytes(rewritten(lambda header: None)).matrix().tolist() == TALLY.counts.tolist()


@pytest.mark.parametrize("facts", [{}, {"is_ordered": True}, {"is_ordered": False}])
def test_a_header_of_an_earlier_version_has_the_order_of_its_classes(facts: Any) -> None:
    found = from_bytes(rewritten(lambda header: header.update(facts))).classes
    assert found.labels == ("a", "b", "ç")
    assert found.categories == (found.labels if facts.get("is_ordered") else None)


@pytest.mark.parametrize("coordinates", [[[0, 5], [0, 1]], [[0, -1], [0, 1]], [[1, 0], [1, 0]],
                                         [[0, 1], [0, 5]], [[0, 1], [-1, 1]]])  # fmt: skip
def test_coordinates_that_would_index_elsewhere_are_refused(coordinates: Any) -> None:
    bad = Cells.sparse(*coordinates, [1, 2], classes=TALLY.classes, n_rows=3)
    with pytest.raises(KaratError, match="K205"):
        from_bytes(to_bytes(bad))


@pytest.mark.parametrize("path", sorted(STORED.glob("*.karat")), ids=lambda path: path.stem)
def test_tallies_written_by_earlier_versions_are_read(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text())
    tally = from_bytes(path.read_bytes())
    assert list(tally.classes.labels) == expected["labels"]
    assert tally.matrix().tolist() == expected["matrix"]
    assert tally.storage == expected["storage"]


def test_there_is_a_stored_file_of_every_storage_with_cells() -> None:
    stored = {json.loads(path.read_text())["storage"] for path in STORED.glob("*.json")}
    assert stored == {"dense", "sparse"}


def test_numbers_are_little_endian_whatever_the_machine() -> None:
    big = Cells.dense(np.array([[1, 2], [3, 4]], ">i8"), classes=Classes.of([0, 1]))
    little = Cells.dense(np.array([[1, 2], [3, 4]], "<i8"), classes=Classes.of([0, 1]))
    assert to_bytes(big) == to_bytes(little)
