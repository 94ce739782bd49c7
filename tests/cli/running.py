"""Run the command line in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from karat.cli import main
from tests.optional import optional

optional("click")
optional("rich")
optional("duckdb")


@dataclass(frozen=True)
class Ran:
    """What a run of the command line left."""

    code: int
    out: str
    err: str


class Karat:
    """Calls `karat` and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object) -> Ran:
        self.capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        return Ran(code, out, err)


def in_process(
    *arguments: object,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> Ran:
    """Run `python -m karat.cli` in a fresh interpreter."""
    run = subprocess.run(
        [sys.executable, "-m", "karat.cli", *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        input=stdin,
        timeout=120,
    )
    return Ran(run.returncode, run.stdout.decode(), run.stderr.decode())
