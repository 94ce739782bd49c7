"""The peak of a child is the child's own, not that of the process that started it."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.architecture.tracked import ROOT

MEGABYTE = 1 << 20


def launch(program: str) -> dict[str, float]:
    """Run a Python program through the launcher; return the facts it printed."""
    command = [sys.executable, "-m", "benchmarks.launch", sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, check=False, text=True, cwd=ROOT)
    facts: dict[str, float] = json.loads(run.stdout.rstrip().rpartition("\n")[2])
    assert run.returncode == facts["exit_status"]
    return facts


def test_the_peak_is_that_of_the_child() -> None:
    held = bytearray(300 * MEGABYTE)
    facts = launch("pass")
    assert len(held) == 300 * MEGABYTE
    assert facts["peak_bytes"] < 100 * MEGABYTE


def test_memory_that_was_given_back_still_counts() -> None:
    facts = launch(f"x = bytearray(200 * {MEGABYTE}); x[::4096] = b'1' * len(x[::4096]); del x")
    assert 200 * MEGABYTE < facts["peak_bytes"] < 300 * MEGABYTE


def test_the_exit_status_is_passed_on() -> None:
    assert launch("raise SystemExit(3)")["exit_status"] == 3
