"""An option that is declared in one record is there everywhere."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import karat

RECORD = """
    lantern: int | None = option(
        "number of lanterns on the quay.",
        verbs="evaluate gate Stream",
        flags=(Flag("--lantern", "report gate", "Number of lanterns.", "N", "whole"),),
        at={"gate": Change("lanterns that a gate counts.", default=7)},
    )
"""
CHECKS = """
import inspect, io, sys
import karat
from click.testing import CliRunner
from karat.api.request.request import Request
from karat.api.stubs import stub_texts
from karat.cli import report
from karat.errors.options import as_typed, on_the_command_line, option

taken = inspect.signature(karat.evaluate).parameters["lantern"]
assert (taken.default, taken.annotation) == (None, "int | None")
assert inspect.signature(karat.gate).parameters["lantern"].default == 7
assert "lantern" in inspect.signature(karat.Stream).parameters
assert "lantern" not in inspect.signature(karat.compare).parameters
assert "lantern: number of lanterns on the quay." in inspect.getdoc(karat.evaluate)
assert "lantern: lanterns that a gate counts." in inspect.getdoc(karat.gate)
assert "lantern: number of lanterns on the quay." in inspect.getdoc(karat.Stream)
assert "lantern: int | None = None" in stub_texts()["__init__.pyi"]
try:
    karat.evaluate([0, 1], [0, 1], lanterns=3)
except karat.KaratError as problem:
    assert "Nearest: lantern=" in str(problem)
else:
    raise AssertionError
help = CliRunner().invoke(report.command, ["--help"]).output
assert "--lantern N" in help and "Number of lanterns." in help
with on_the_command_line():
    assert option("lantern", 3) == "--lantern 3"
    assert as_typed("Give lantern=4.") == "Give --lantern 4."
assert Request.of("gate").lantern == 7 and Request.of("evaluate", lantern=2).is_given("lantern")
karat.evaluate([0, 1], [0, 1], lantern=3)
print("all there")
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package in which one record was added."""
    folder = tmp_path_factory.mktemp("option")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(karat.__file__).parent, folder / "karat", ignore=ignored)
    native = Path(importlib.import_module("karat._native").__file__ or "")
    if not (folder / "karat" / native.name).exists():
        (folder / "karat" / native.name).symlink_to(native)
    path = folder / "karat" / "api" / "request" / "classes.py"
    path.write_text(path.read_text(encoding="utf-8").rstrip() + "\n" + RECORD, encoding="utf-8")
    return folder


# The finder of an editable install goes before the path.
FIRST = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Scikit" not in type(finder).__name__]
sys.path.insert(0, {!r})
"""


def run(code: str, package: Path | None) -> subprocess.CompletedProcess[str]:
    if package is not None:
        code = FIRST.format(str(package)) + code
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )


def test_an_option_is_one_record(package: Path) -> None:
    done = run(CHECKS, package)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "all there"


def test_the_page_of_options_has_it(package: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "options.py"
    code = f"import runpy; print(runpy.run_path({str(page)!r})['page']())"
    assert "| `lantern` | number of lanterns on the quay" in run(code, package).stdout
    assert "lantern" not in run(code, None).stdout


def test_without_the_record_it_is_not_there() -> None:
    assert run(CHECKS, None).returncode != 0
