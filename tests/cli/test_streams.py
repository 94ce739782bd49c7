"""Standard streams closed or full, results that cannot be written: one line and exit code 2."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import karat.data.sources.files.rows
from karat.cli import main
from karat.tally.writing import write_text
from tests.cli.running import Karat, Ran
from tests.sources.writing import TEN, write_csv

FULL = "/dev/full"
COMMANDS = ("report ten.csv", "report ten.csv --format json", "columns ten.csv", "metrics",
            "explain", "--help", "--version", "demo")  # fmt: skip
CLOSED = "Error: The result cannot be written to standard output: it is closed.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "ten.csv", TEN)
    return tmp_path


@pytest.fixture
def karat_here(folder: Path, capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


def shell(line: str, folder: Path) -> Ran:
    """Run a line of the shell in which `karat` is this karat."""
    program = f'karat() {{ {shlex.quote(sys.executable)} -m karat.cli "$@"; }}\n{line}'
    run = subprocess.run(
        ["sh", "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    return Ran(run.returncode, run.stdout, run.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_output_is_one_line(command: str, folder: Path) -> None:
    ran = shell(f"karat {command} >&-", folder)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(CLOSED)
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", COMMANDS if os.path.exists(FULL) else ())
def test_a_full_output_is_one_line(command: str, folder: Path) -> None:
    ran = shell(f"karat {command} >{FULL}", folder)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(": No space left on device.\n")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("target", ["2>&-", *([f"2>{FULL}"] if os.path.exists(FULL) else [])])
def test_without_a_place_for_messages_the_result_still_comes(target: str, folder: Path) -> None:
    ran = shell(f"karat report ten.csv {target}", folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == shell("karat report ten.csv", folder).out
    assert shell(f"karat report none.csv {target}", folder) == Ran(2, "", "")
    assert shell(f"karat reprot {target}", folder) == Ran(2, "", "")


def test_a_closed_input_is_one_message(folder: Path) -> None:
    for name in ("report -", "columns -", "report - ten.csv"):
        ran = shell(f"karat {name} <&-", folder)
        assert (ran.code, ran.out) == (2, "")
        assert "Standard input is closed" in ran.err
        assert "Traceback" not in ran.err
    assert shell("karat report ten.csv <&-", folder).code == 0


def test_a_file_needs_no_standard_stream(folder: Path) -> None:
    ran = shell("karat report ten.csv -o out.json <&- >&- 2>&-", folder)
    assert ran == Ran(0, "", "")
    assert karat.Report.from_json((folder / "out.json").read_text()).n_rows == 10


def test_what_the_system_refuses_is_one_line(
    karat_here: Karat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **options: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", "pro\x1bc/cwd")

    monkeypatch.setattr(karat.data.sources.files.rows, "read_files", refused)
    ran = karat_here("report", "ten.csv")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "Error: pro\\x1bc/cwd: Permission denied.\n"


def test_a_failure_keeps_the_earlier_file(
    karat_here: Karat, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    earlier = folder / "out.json"
    earlier.write_text("earlier")

    def failing(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", failing)
    ran = karat_here("report", "ten.csv", "-o", "out.json")
    assert ran.code == 2
    assert ran.err.endswith("Error: Could not open file 'out.json': No space left on device\n")
    assert earlier.read_text() == "earlier"
    report = karat.evaluate([0, 1], [0, 1])
    with pytest.raises(OSError, match=r"No space left on device: .*out\.json"):
        report.to_json(earlier)
    assert earlier.read_text() == "earlier"
    assert sorted(path.name for path in folder.iterdir()) == ["out.json", "ten.csv"]


def test_permissions_and_links_stay(folder: Path) -> None:
    path, link = folder / "out.txt", folder / "link.txt"
    path.write_text("earlier")
    path.chmod(0o640)
    link.symlink_to(path.name)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o027)
    try:
        write_text(folder / "other.txt", "new")
    finally:
        os.umask(mask)
    assert (folder / "other.txt").stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_to(folder: Path) -> None:
    assert shell("karat report ten.csv -o /dev/stdout --format json | head -1", folder).out == "{\n"
    assert shell("karat report ten.csv -o /dev/null --format json", folder).code == 0
    with pytest.raises(IsADirectoryError):
        write_text(folder, "text")


def test_a_place_that_does_not_exist_is_told_before_the_data_is_read(karat_here: Karat) -> None:
    ran = karat_here("report", "none.csv", "-o", "nowhere/out.json")
    assert ran.code == 2
    assert "nowhere/out.json" in ran.err
    assert "K401" not in ran.err


def test_a_report_never_replaces_what_it_was_made_of(karat_here: Karat, folder: Path) -> None:
    (folder / "runs").mkdir()
    data = '[{"label": 0, "pred": 1}, {"label": 1, "pred": 1}]'
    (folder / "runs" / "a.json").write_text(data)
    for named in ("runs", "runs/*.json", "runs/a.json"):
        ran = karat_here("report", named, "-o", "runs/a.json")
        assert ran.code == 2
        assert "is one of the files to read" in ran.err
        assert (folder / "runs" / "a.json").read_text() == data


def test_the_streams_are_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    assert main(["--version"]) == 0
    assert main(["reprot"]) == 2
    assert sys.stdout is before
