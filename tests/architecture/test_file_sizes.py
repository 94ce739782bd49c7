"""Files stay short: above 400 lines a file owes a reason, above 600 it has to be divided.

Only what a program writes and a test keeps fresh may be longer.
"""

from __future__ import annotations

from pathlib import Path

from tests.architecture.tracked import ROOT, tracked_files

QUESTION = 400
LIMIT = 600
CODE = {".py", ".pyi", ".cpp", ".hpp", ".h"}

REASONS = {
    "src/karat/__init__.pyi": "written by `make stub`: a line for each public name",
    "src/karat/metrics/ranking.py": "one family: its records with their cases and equivalents",
    "src/karat/metrics/thresholds.py": "one family: its records with their cases and equivalents",
    "src/karat/_native.pyi": "one signature for each name of the extension module",
}
"""Why a file of more than 400 lines is one subject."""

WRITTEN = {"src/karat/__init__.pyi"}
"""Files that a program writes and tests/architecture/test_stub.py compares."""


def long_files(files: list[Path], root: Path) -> dict[str, int]:
    """Path and number of lines of each code file above the question mark."""
    lengths = {
        path.relative_to(root).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
        if path.suffix in CODE
    }
    return {name: n_lines for name, n_lines in lengths.items() if n_lines > QUESTION}


def test_no_file_is_too_long() -> None:
    lengths = long_files(tracked_files(), ROOT)
    assert {name: n for name, n in lengths.items() if n > LIMIT and name not in WRITTEN} == {}


def test_every_long_file_has_a_reason_and_every_reason_a_long_file() -> None:
    assert sorted(long_files(tracked_files(), ROOT)) == sorted(REASONS)


def test_a_long_file_is_found(tmp_path: Path) -> None:
    for n_lines in (QUESTION, QUESTION + 1, LIMIT + 1):
        (tmp_path / f"lines_{n_lines}.py").write_text("x = 1\n" * n_lines, encoding="utf-8")
    found = long_files(sorted(tmp_path.iterdir()), tmp_path)
    assert found == {"lines_401.py": 401, "lines_601.py": 601}
