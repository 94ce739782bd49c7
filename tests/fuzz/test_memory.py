"""The memory that the replay of committed inputs may take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fuzz import memory, replay
from fuzz.case import Case

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20
HUNGRY = 256 * MIB
"""Bytes that the planted target asks for."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the limit")


@linux
@pytest.mark.parametrize(("room", "is_refused"), [(64 * MIB, True), (1024 * MIB, False)])
def test_an_input_that_asks_for_too_much_is_refused(
    room: int, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []

    def hungry(case: Case) -> None:
        sizes.append(case.call(np.empty, HUNGRY, np.uint8).nbytes)

    monkeypatch.setattr(replay, "load", lambda: {"hungry": hungry})
    monkeypatch.setattr(replay.corpus, "read", lambda _: [b""])
    monkeypatch.setattr(memory, "ROOM", room)
    assert replay.replay([]) == []
    assert sizes == ([] if is_refused else [HUNGRY])


@linux
def test_the_limit_ends_with_the_replay() -> None:
    with memory.bounded(64 * MIB), pytest.raises(MemoryError):
        np.empty(HUNGRY, np.uint8)
    assert np.empty(HUNGRY, np.uint8).nbytes == HUNGRY


@linux
def test_the_limit_holds_for_the_native_core() -> None:
    from karat import _native

    with memory.bounded(64 * MIB), pytest.raises(MemoryError):
        _native.draw_totals(np.ones(1), None, False, False, 0, 0, 0, HUNGRY // 8, 1)


@linux
@pytest.mark.parametrize(("n", "least", "most"), [(1, 0, 200), (HUNGRY, 256, 456)])
def test_the_peak_is_what_the_process_had(n: int, least: int, most: int) -> None:
    script = (
        "import numpy as np\n"
        "from fuzz import memory\n"
        f"np.ones({n}, np.uint8)\n"
        f"print(memory.peak() >> 20)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert least <= int(done.stdout) <= most
