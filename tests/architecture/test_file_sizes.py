"""No file grows beyond one subject: above 600 lines it has to be divided, by subject."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.tracked import ROOT, tracked_files

LIMIT = 600
CODE = {".py", ".pyi", ".cpp", ".hpp", ".h"}


def long_files(files: list[Path], root: Path) -> dict[str, int]:
    """Path and number of lines of each code file above the limit."""
    lengths = {
        path.relative_to(root).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
        if path.suffix in CODE and path.exists()
    }
    return {name: n_lines for name, n_lines in lengths.items() if n_lines > LIMIT}


def test_no_file_is_too_long() -> None:
    assert long_files(tracked_files(), ROOT) == {}


def test_a_long_file_is_found(tmp_path: Path) -> None:
    for n_lines in (LIMIT, LIMIT + 1):
        (tmp_path / f"lines_{n_lines}.py").write_text("x = 1\n" * n_lines, encoding="utf-8")
    found = long_files(sorted(tmp_path.iterdir()), tmp_path)
    assert found == {"lines_601.py": 601}
