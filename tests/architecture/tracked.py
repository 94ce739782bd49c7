"""The files that belong to the project: what git tracks or would track."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TEXT = {"", ".py", ".pyi", ".cpp", ".hpp", ".h", ".md", ".toml", ".txt", ".json", ".cmake", ".yml"}


@cache
def tracked_files() -> list[Path]:
    """Every file of the checkout except ignored ones.

    Outside a git checkout (an unpacked source distribution) every file of the project's folders.
    """
    if (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split("\0")
        paths = [ROOT / name for name in sorted(set(listed)) if name]
    else:
        folders = ("src", "native", "tests", "fuzz", "benchmarks", "examples", "docs", "decisions")
        paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts]


def text_files() -> list[Path]:
    """The tracked files that people read: code and prose, no data."""
    return [path for path in tracked_files() if path.suffix in TEXT]
