"""A missing optional package skips a test; under KARAT_REQUIRE_OPTIONAL it fails the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tracked import ROOT
from tests.optional import REQUIRED

SUITES = {
    "module": "from tests.optional import optional\n\nabsent = optional('no_such_package')\n",
    "test": "from tests.optional import optional\ndef test_it(): optional('no_such_package')\n",
    "mark": "import pytest\n\n\n@pytest.mark.skip(reason='later')\ndef test_it():\n    pass\n",
}
PASSED, FAILED, BROKEN_COLLECTION = 0, 1, 2


def run_suite(source: str, folder: Path, required: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file of tests with this project's conftest and nothing else of it."""
    (folder / "test_it.py").write_text(source, encoding="utf-8")
    (folder / "test_other.py").write_text("def test_other():\n    pass\n", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "."],
        cwd=folder,
        env=os.environ | {REQUIRED: required, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", SUITES)
def test_a_skip_fails_the_run_where_packages_are_required(name: str, tmp_path: Path) -> None:
    run = run_suite(SUITES[name], tmp_path, required="1")
    assert run.returncode in (FAILED, BROKEN_COLLECTION), run.stdout
    assert "skipped" not in run.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", SUITES)
def test_a_skip_is_a_skip_elsewhere(name: str, tmp_path: Path) -> None:
    run = run_suite(SUITES[name], tmp_path, required="")
    assert run.returncode == PASSED, run.stdout
    assert "1 skipped" in run.stdout.splitlines()[-1]
