"""The command itself: help, version, missing packages, interruption, broken pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from karat._version import __version__
from karat.cli import main
from karat.cli.app import _COMMANDS
from tests.cli.running import Karat, in_process
from tests.heeding import heeding_interrupts
from tests.sources.writing import TEN, write_csv


@pytest.fixture
def karat(capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


def test_help_lists_every_command_and_examples(karat: Karat) -> None:
    for flag in ("--help", "-h"):
        ran = karat(flag)
        assert ran.code == 0
        assert all(f"  {name}" in ran.out and text in ran.out for name, text in _COMMANDS.items())
        assert "  karat report 'runs/*.csv' --true label --pred guess -o report.json\n" in ran.out


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_has_help(name: str, karat: Karat) -> None:
    ran = karat(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: karat {name}")
    if name != "demo":
        assert f"\nExamples:\n  karat {name}" in ran.out
    # The line of the list is the first sentence of the command.
    assert " ".join(ran.out.split()).find(_COMMANDS[name]) > 0
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_version(karat: Karat) -> None:
    assert karat("--version").out == f"karat {__version__}\n"


def test_a_slip_of_the_command(karat: Karat, tmp_path: Path) -> None:
    ran = karat("reprot")
    assert (ran.code, "No such command 'reprot'" in ran.err) == (2, True)
    path = write_csv(tmp_path / "p.csv", TEN)
    ran = karat(path)
    assert ran.code == 2
    assert "Did you mean: karat report" in ran.err
    assert karat().code == 2


def test_without_click_the_extra_is_named(karat: Karat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "click", None)
    ran = karat("--help")
    assert ran.code == 2
    assert ran.err == 'The karat command needs its extra: pip install "karat[cli]"\n'


def test_without_duckdb_the_extra_is_named(
    karat: Karat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    ran = karat("report", path)
    assert ran.code == 2
    assert 'pip install "karat[cli]"' in ran.err


class Refusing:
    """An importer that fails to load one module, as a system does that lacks something."""

    def __init__(self, name: str, problem: BaseException) -> None:
        self.name, self.problem = name, problem

    def find_spec(self, name: str, *_: object) -> None:
        if name == self.name:
            raise self.problem


NO_ROOM = "/lib/x.so: failed to map segment from shared object"


@pytest.mark.parametrize("name", ["duckdb", "click", "karat.cli.report", "karat.cli.app"])
@pytest.mark.parametrize("problem", [ImportError(NO_ROOM), MemoryError()])
def test_an_import_that_lacks_memory_is_no_missing_package(
    name: str, problem: BaseException, karat: Karat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Refusing(name, problem), *sys.meta_path])
    ran = karat("report", path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("K419  There is not enough memory.\n")


@pytest.mark.parametrize("name", ["duckdb", "karat.cli.report"])
def test_an_import_that_fails_otherwise_says_how(
    name: str, karat: Karat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    monkeypatch.delitem(sys.modules, name, raising=False)
    broken = Refusing(name, ImportError("undefined symbol: x"))
    monkeypatch.setattr(sys, "meta_path", [broken, *sys.meta_path])
    ran = karat("report", path)
    assert ran.code == 2
    assert ran.err == "Error: karat cannot be loaded: undefined symbol: x.\n"


def test_a_message_is_harmless_where_what_makes_it_so_cannot_be_loaded(
    karat: Karat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "karat.errors.text", raising=False)
    refusing = Refusing("karat.errors.text", MemoryError())
    monkeypatch.setattr(sys, "meta_path", [refusing, *sys.meta_path])
    ran = karat("report", "no\x1b[31m.csv")
    assert ran.code == 2
    assert ran.err.startswith("K409")
    assert "no\ufffd[31m.csv" in ran.err


@pytest.mark.parametrize("name", ["click", "karat.cli.app"])
def test_an_interruption_while_the_command_loads(
    name: str, karat: Karat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, name, raising=False)
    interrupted = Refusing(name, KeyboardInterrupt())
    monkeypatch.setattr(sys, "meta_path", [interrupted, *sys.meta_path])
    ran = karat("--version")
    assert (ran.code, ran.out, ran.err) == (130, "", "Interrupted.\n")


def test_arguments_are_those_of_the_process_by_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["karat", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"karat {__version__}\n"


def test_interruption_exits_130(tmp_path: Path) -> None:
    query = "SELECT range % 3 AS label, range % 7 % 3 AS pred FROM range(100000000000)"
    with heeding_interrupts():
        process = subprocess.Popen(
            [sys.executable, "-m", "karat.cli", "report", query],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (out, err.strip()) == ("", "Interrupted.")


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    read, write = os.pipe()
    os.close(read)
    try:
        run = subprocess.run(
            [sys.executable, "-m", "karat.cli", "report", str(path)],
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
            timeout=60,
        )
    finally:
        os.close(write)
    assert run.returncode == 0
    assert run.stderr == "true=label, pred=pred, weights=none (10 rows)\n"


def test_a_terminal_that_shows_only_ascii(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", {"label": ["é", "b"], "pred": ["b", "b"]})
    ran = in_process("report", path, environment={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert ran.out.isascii()
    assert "\\xe9" in ran.out
    assert in_process("metrics", environment={"PYTHONIOENCODING": "ascii"}).out.isascii()


def test_python_m_karat_is_the_command() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "karat", "metrics", "macro_f1"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("macro_f1")


def test_every_former_option_is_answered_at_once(karat: Karat, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label,pred,w,patient,rid\n" + "1,1,2,a,1\n0,1,1,b,2\n" * 1)
    named = {"--weight": "w", "--cluster": "patient", "--id": "rid"}
    ran = karat("report", str(path), *(text for pair in named.items() for text in pair))
    assert ran.code == 2
    lines = [line.removeprefix("Error: ") for line in ran.err.splitlines() if "No such" in line]
    assert lines == [f"No such option '{old}'. It is {old}s." for old in named]
    ran = karat("report", str(path), *(x for old, name in named.items() for x in (f"{old}s", name)))
    assert ran.code == 0
    ran = karat("gate", str(path), "--strict-inconclusive", "--zzz", "--lvel", "0.9")
    assert "It is --inconclusive fail." in ran.err
    assert "No such option '--zzz'.\n" in ran.err
    assert "No such option '--lvel'. Did you mean --level?" in ran.err


def test_what_an_option_is_given_is_no_option(karat: Karat, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("--weight,pred\n1,1\n0,1\n")
    ran = karat("report", str(path), "--true", "--weight", "--id", "rid", "--", "--cluster")
    assert [line for line in ran.err.splitlines() if "No such" in line] == [
        "Error: No such option '--id'. It is --ids."
    ]
