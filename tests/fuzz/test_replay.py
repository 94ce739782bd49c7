"""The committed inputs of the fuzzer against the ordinary build, at the edge of readable memory."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import corpus
from fuzz.targets import load

ROOT = Path(__file__).resolve().parents[2]
MOST_MIB = 3000
"""Memory of the replay of all inputs."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="fences are made with mprotect")


def replayed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fuzz.replay", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


def test_every_target_has_committed_inputs() -> None:
    assert [name for name in load() if not corpus.read(name)] == []


def test_no_input_is_of_a_target_that_is_gone() -> None:
    assert {path.stem for path in corpus.FOLDER.glob("*.txt")} == set(load())


def test_the_committed_inputs_are_few() -> None:
    sizes = [corpus.path_of(name).stat().st_size for name in load()]
    assert sum(sizes) < 500_000


@posix
@pytest.mark.slow
def test_no_committed_input_is_a_finding() -> None:
    done = replayed()
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    assert " 0 findings" in done.stdout
    peak = re.search(r"^peak memory: (\d+) MiB$", done.stdout, re.MULTILINE)
    assert peak is not None
    assert int(peak[1]) < MOST_MIB


@posix
def test_a_byte_read_beyond_an_array_ends_the_process() -> None:
    done = replayed("--control")
    assert done.returncode in {-signal.SIGSEGV, -signal.SIGBUS}
    assert "was read" not in done.stdout
