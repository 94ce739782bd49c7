"""Bytes from anywhere: refused, or read as what they say; `make hostile` runs longer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import karat
from tests.hostile.fuzz import fuzzed
from tests.hostile.make_stored import STORED, reports
from tests.hostile.mutations import broken, framed_lie, opened
from tests.hostile.targets import Target, targets

SHORT = 700
"""Every length and every bit of what has at most so many bytes; of longer ones a sample."""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    return targets(tmp_path_factory.mktemp("read"))


def sampled(n: int, most: int) -> list[int]:
    return sorted({*range(min(n, 40)), *np.linspace(0, n - 1, min(n, most), dtype=int).tolist()})


def test_every_stored_file_is_attacked_and_reads(every: list[Target]) -> None:
    for target in every:
        is_only_written = target.name.endswith((".comparison.json", ".gate.json"))
        assert (target.attack(target.data) is not None) == is_only_written, target.name
    names = {target.name for target in every}
    assert {path.name for path in STORED.iterdir()} - names == {"README.md"}


def test_what_is_cut_off_is_refused(every: list[Target]) -> None:
    for target in every:
        n = len(target.data)
        whole = len(target.data.rstrip())
        for length in range(n) if n <= SHORT else sampled(n, 25):
            if length >= whole:  # only the line end of a text is missing
                continue
            assert target.attack(target.data[:length]) is not None, (target.name, length)


def test_a_flipped_bit_is_refused_where_there_is_a_checksum(every: list[Target]) -> None:
    for target in every:
        n = len(target.data)
        for place in range(n) if n <= SHORT else sampled(n, 25):
            data = bytearray(target.data)
            data[place] ^= 1 << place % 8
            code = target.attack(bytes(data))
            assert code is not None or not target.is_sealed, (target.name, place)


def test_bytes_behind_the_end_are_refused(every: list[Target]) -> None:
    for target in every:
        assert target.attack(target.data + b"\0") is not None, target.name
        assert target.attack(target.data + target.data) is not None, target.name


def test_bytes_of_one_kind_are_no_other(every: list[Target]) -> None:
    kinds = {target.name.partition(".")[2]: target for target in every}
    for kind, target in kinds.items():
        for other, given in kinds.items():
            if kind != other:
                assert target.attack(given.data) is not None, (kind, other)


def test_mutated_inputs_are_refused_or_hold_together(tmp_path: Path) -> None:
    found = list(fuzzed(tmp_path, 3000, seed=1))
    assert [fault for one in found for fault in one.faults] == []
    assert sum(one.n for one in found) == 3000
    # Lies that fit are among them, so that more is looked at than checksums.
    assert sum(one.n_read for one in found) > 100


def test_a_fault_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.tally.joint._inconsistency", lambda _: None)
    assert any(one.faults for one in fuzzed(tmp_path, 600, seed=1, names="joint"))


def test_mutations_come_from_their_seed() -> None:
    data = (STORED / "v1.karat-joint").read_bytes()
    for mutate in (broken, framed_lie):
        first, again = (mutate(data, np.random.default_rng(5)) for _ in range(2))
        assert first == again
    lies = {framed_lie(data, np.random.default_rng(i)) for i in range(50)}
    assert len(lies) > 40
    assert opened(data)[0]["species"] == "joint cells"


def test_json_that_lies_about_a_number_is_refused() -> None:
    stored = (STORED / "v1-labels.report.json").read_text("utf-8")
    # Of another version the value is computed from the tally instead.
    own = reports()["labels"].to_json()
    for text, before, after in (
        (stored, '"n_rows": 60', '"n_rows": 61'),
        (own, '"n_rows": 60', '"n_rows": 61'),
        (own, '"value": 0.85', '"value": 0.95'),
    ):
        assert before in text
        with pytest.raises(karat.errors.KaratError, match="K205"):
            karat.Report.from_json(text.replace(before, after, 1))
