"""Lies whose checksums fit, one for each thing that was ever believed, and bounded memory."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading
from karat.data.sources.files.large import Checkpoint
from karat.errors import KaratError
from karat.tally import JointCells, ScoreHistogram, from_bytes
from tests.hostile.make_stored import STORED, empty
from tests.hostile.mutations import opened, sealed

ROOT = Path(__file__).parents[2]


def refused(read: Callable[[Any], object], data: Any, code: str = "K205") -> str:
    """What is said, with memory of few times the input."""
    tracemalloc.start()
    try:
        with pytest.raises(KaratError) as caught:
            read(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.code == code, caught.value
    assert peak < 40 * len(data) + (1 << 20), peak / len(data)
    return str(caught.value)


def lied(name: str, change: Callable[[dict[str, Any]], object]) -> bytes:
    header, body = opened((STORED / name).read_bytes())
    change(header)
    return sealed(header, body)


def twice(name: str) -> bytes:
    """The bytes whose header has its first key twice."""
    header, body = opened((STORED / name).read_bytes())
    key = next(iter(header))
    text = json.dumps(header)
    return sealed(f"{{{json.dumps(key)}: null, {text[1:]}".encode(), body)


@pytest.mark.parametrize(
    "change",
    [
        {"partitions": []},
        {"partitions": [[3, 1]]},
        {"partitions": [[0, 4], [4, 5]]},
        {"partitions": [[-1, 0]]},
        {"partitions": [[0.0, 1.0]]},
        {"n_rows": -1},
        {"n_rows": True},
        {"n_dropped": 61},
        {"n_rows": "60"},
        {"width": -2},
        {"width": "x"},
    ],
    ids=str,
)
def test_partials_of_no_partitions_or_rows(change: dict[str, Any]) -> None:
    data = lied("v1-labels.karat-partial", lambda header: header.update(change))
    refused(lambda given: Partial.from_bytes(given, empty()), data)


@pytest.mark.parametrize(
    "change",
    [{"n_units": -1}, {"n_dropped": None}, {"n_units": 2.0}, {"unverified": [["a", 1.5]]}],
    ids=str,
)
def test_checkpoints_of_no_units(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "read.karat"
    path.write_bytes(lied("v1-labels.karat-checkpoint", lambda header: header.update(change)))
    with pytest.raises(KaratError, match="K414"):
        Checkpoint(path, "of these files").load(empty())


def _joint(change: Callable[[Any, Any], None]) -> bytes:
    header, body = opened((STORED / "v1.karat-joint").read_bytes())
    numbers = np.frombuffer(body, np.int64).copy()
    m = header["arrays"][0]["shape"][1]
    change(numbers[: 3 * m].reshape(3, m), numbers[3 * m :])
    return sealed(header, numbers.tobytes())


def test_joint_cells_that_no_rows_give() -> None:
    def swap(codes: Any, rest: Any) -> None:
        codes[:, [0, 1]] = codes[:, [1, 0]]

    def more(codes: Any, rest: Any) -> None:
        rest[0] += 1

    def same(codes: Any, rest: Any) -> None:
        codes[:, 1] = codes[:, 0]

    told = {"in order": swap, "add up": more, "order": same}
    for words, change in told.items():
        assert words in refused(JointCells.from_bytes, _joint(change))
    for change in ({"positive": 1}, {"labels": ["ant", "bee", 3]}, {"labels": ["a", "a", "b"]}):
        data = lied("v1.karat-joint", lambda header, c=change: header.update(c))
        refused(JointCells.from_bytes, data)


def test_a_key_that_stands_twice() -> None:
    assert "occurs twice" in refused(JointCells.from_bytes, twice("v1.karat-joint"))
    task = (STORED / "v1.task.json").read_bytes()
    refused(Reading.from_bytes, task.replace(b'{"version"', b'{"labels": null, "version"', 1))
    text = (STORED / "v1-slices.report.json").read_text("utf-8")
    refused(karat.Report.from_json, text.replace("{", '{"n_rows": 1,', 1))


def test_the_second_of_very_many_keys_is_found_at_once() -> None:
    """Counting each key anew would take hours."""
    keys = ",".join(f'"{i}":0' for i in range(200_000))
    assert "'199999' occurs twice" in refused(karat.Report.from_json, f'{{{keys},"199999":1}}')


def test_a_baseline_with_a_key_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    text = (STORED / "v1-labels.baseline.json").read_text("utf-8")
    assert '"n":60,' in text
    path.write_text(text.replace('"n":60,', '"n":61,"n":60,', 1), "utf-8")
    with pytest.raises(KaratError, match="occurs twice"):
        karat.gate([0, 1], [0, 1], baseline=path)


@pytest.mark.parametrize(
    "task",
    [b"", b"[]", b"{", b"null", b'{"version": "1"}', b'{"version": 1}', b"[" * 100_000, b"\xff"],
)
def test_tasks_that_are_none(task: bytes) -> None:
    assert "This is not a valid task" in refused(Reading.from_bytes, task)


def slices_changed(change: Callable[[list[dict[str, Any]]], object]) -> str:
    document = json.loads((STORED / "v1-slices.report.json").read_text("utf-8"))
    change(document["slices"][0]["slices"])
    return json.dumps(document)


def test_slices_that_hold_less_than_nothing() -> None:
    """Counts that add up to the whole table, one of them negative."""

    def shift(parts: list[dict[str, Any]]) -> None:
        parts[0]["cells"][0][2] += 100
        parts[1]["cells"][0][2] -= 100

    assert "whole number of at least 0" in refused(karat.Report.from_json, slices_changed(shift))


@pytest.mark.parametrize(
    "cell", [[1e300, 0, 1], [0, 0, 10**30], [-1, 0, 1], [0, 0, 0.5], [0, 0], [0, 0, [1]]]
)
def test_slices_whose_cells_are_none(cell: list[Any]) -> None:
    def put(parts: list[dict[str, Any]]) -> None:
        parts[0]["cells"][0] = cell

    refused(karat.Report.from_json, slices_changed(put))


def test_squares_of_weights_that_so_few_rows_cannot_have() -> None:
    header, body = opened((STORED.parents[1] / "tally/stored/v1-weighted.karat").read_bytes())
    at = 0
    for item in header["arrays"]:
        size = 8 * int(np.prod(item["shape"]))
        if item["name"] == "squares":
            body = body[:at] + struct.pack("<d", 1e-300) * (size // 8) + body[at + size :]
        at += size
    assert "smaller" in refused(from_bytes, sealed(header, body))


@pytest.mark.parametrize("value", [float("inf"), 1, None, "yes"])
def test_flags_that_are_none(value: Any) -> None:
    header, body = opened((STORED.parents[1] / "tally/stored/v1-dense.karat").read_bytes())
    assert "declared" in refused(from_bytes, sealed(header | {"is_declared": value}, body))


@pytest.mark.parametrize("size", [10**9, 10**15, 2**62, 10**30])
def test_axes_of_nothing_are_not_believed(size: int) -> None:
    header = {
        "species": "score_table", "bits": 52, "n_rows": 0,
        "arrays": [
            {"name": "low", "shape": [0], "dtype": "<f8"},
            {"name": "counts", "shape": [0, size], "dtype": "<i8"},
        ],
    }  # fmt: skip
    refused(ScoreHistogram.from_bytes, sealed(header, b""))


@pytest.mark.parametrize("head", [b"[" * 200_000, b'{"a":' * 200_000, b"[" + b"[]," * 100_000])
def test_headers_nested_without_end(head: bytes) -> None:
    refused(from_bytes, sealed(head, b""))
    refused(karat.Report.from_json, head)


def test_many_classes_take_no_table_of_their_pairs() -> None:
    """A text of 12,000 classes and few cells would need 1.1 GB as a dense table."""
    report = karat.evaluate([0, 1, 2], [0, 1, 1], level=None, metrics=["accuracy"]).to_dict()
    labels = list(range(12_000))
    report["classes"]["labels"] = labels
    report["confusion"] = None
    report["tally"] |= {"cells": [[0, 0, 1], [1, 1, 1], [2, 1, 1]], "storage": "dense"}
    report["per_class"] = []
    assert "per_class has 0 rows" in refused(karat.Report.from_json, json.dumps(report))


LIMITED = """
import resource, sys
import karat
from karat.data.sources.distributed.partials import Partial
from tests.hostile.fuzz import fuzzed
from pathlib import Path
import tempfile
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), -1))
with tempfile.TemporaryDirectory() as folder:
    for one in fuzzed(Path(folder), 600, seed=3, names="karat-"):
        assert not one.faults, one.faults
print("within")
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nothing tells what is used")
def test_mutated_bytes_need_no_more_memory_than_their_limit() -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout.strip()) == (0, "within"), run.stderr[-2000:]
