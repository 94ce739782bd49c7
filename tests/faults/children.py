"""Processes that run out of something, or are ended from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["ROOT", "Ended", "killed", "limited"]

ROOT: Final = Path(__file__).parents[2]

_LIMITED: Final = """
import resource, sys
from contextlib import redirect_stderr, redirect_stdout
import numpy, scipy.special, duckdb, nanoarrow, click, rich, karat._native, karat.metrics
from karat.cli import main
karat.metrics.search("")
# What a report loads is there before the limit is.
with open("/dev/null", "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
    assert main(["report", "examples/predictions/iris_rf.csv", "--format", "json"]) == 0
kind, most = sys.argv[1], int(sys.argv[2])
if kind == "memory":
    with open("/proc/self/statm") as file:
        most += int(file.read().split()[0]) * resource.getpagesize()
limit = {"memory": resource.RLIMIT_AS, "file": resource.RLIMIT_FSIZE}[kind]
resource.setrlimit(limit, (most, most))
sys.exit(main(sys.argv[3:]))
"""


@dataclass(frozen=True)
class Ended:
    """How a process ended.

    Attributes:
        code: its exit code; negative: the signal that ended it.
        err: what it wrote to standard error.
    """

    code: int
    err: str


def limited(kind: str, most: int, *arguments: object) -> Ended:
    """Run the command line with so many bytes more of memory, or in any one file."""
    words = [sys.executable, "-c", _LIMITED, kind, str(most), *map(str, arguments)]
    # Who measures what tests reach writes files too, which the limit would end.
    env = {name: text for name, text in os.environ.items() if not name.startswith("COVERAGE_")}
    run = subprocess.run(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300,
        env=env,
    )  # fmt: skip
    return Ended(run.returncode, run.stderr.decode("utf-8", "replace"))


def killed(code: str, after: float, *arguments: object) -> Ended:
    """Run a program that says "ready", and kill it so many seconds later."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as run:  # fmt: skip
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline().strip() == b"ready", run.stderr.read().decode()
        time.sleep(after)
        run.send_signal(signal.SIGKILL)
        return Ended(run.wait(), run.stderr.read().decode("utf-8", "replace"))
