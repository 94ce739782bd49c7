"""A line of the command line, run in this process: exit code, output, errors, files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karat.cli import main
from tests.corpus.outcome import Prose, cleaned, text_digest

# A job on GitHub gets annotations and a summary: calls state which of these they have.
OF_JOBS = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")
MOST = 3_000


def run_line(line: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """The exit code, output and errors of a line such as ``report rows.csv --gold human``.

    Files that it wrote are part of the outcome; they stay.
    """
    before = set(Path().iterdir())
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        _environment(environment or {}),
    ):
        code = main(shlex.split(line))
    outcome: dict[str, Any] = {"code": code, "err": Prose(cleaned(err.getvalue()))}
    try:
        outcome["json"] = json.loads(out.getvalue())
    except ValueError:
        outcome["out"] = _text(out.getvalue())
    new = sorted(set(Path().iterdir()) - before)
    outcome["files"] = {str(path): _content(path) for path in new}
    return outcome


def run_lines(*lines: str) -> list[dict[str, Any]]:
    """Lines one after the other; the files that they write are removed at the end."""
    with only_for_now():
        return [run_line(line) for line in lines]


@contextlib.contextmanager
def only_for_now() -> Iterator[None]:
    """Remove files that are new in the working folder."""
    before = set(Path().iterdir())
    try:
        yield
    finally:
        for path in set(Path().iterdir()) - before:
            if path.is_file():
                path.unlink()


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.pop(name) for name in OF_JOBS if name in os.environ}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            os.environ.pop(name, None)
        os.environ.update(before)


def _content(path: Path) -> Any:
    if path.is_dir():
        return sorted(str(part) for part in path.iterdir())
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".karat":
        return state_facts(path.read_bytes())
    return _text(path.read_text())


def state_facts(data: bytes) -> dict[str, Any]:
    """The state of a monitor: what its header states, and a digest of its arrays.

    Its header holds limits, whose last digits may differ, so the bytes are not compared as a whole.
    """
    prefix = struct.Struct("<8sHI")
    magic, version, length = prefix.unpack_from(data)
    arrays = data[prefix.size + length : -4]
    return {
        "magic": magic.decode(),
        "version": version,
        "header": json.loads(data[prefix.size : prefix.size + length]),
        "arrays": arrays,
    }


def _text(text: str) -> Prose:
    text = cleaned(text)
    if len(text) < MOST:
        return Prose(text)
    return Prose(text_digest(text))
