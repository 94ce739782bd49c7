"""What users install: one version, types, the files that the commands need, a licence."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import metadata, requires, version

import karat
from tests.architecture.imports import PACKAGE, ROOT, imports_of


def test_the_version_is_the_same_everywhere() -> None:
    assert karat.__version__ == version("karat")
    assert f"({karat.__version__})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_types_data_and_licence_are_part_of_the_package() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert list((PACKAGE / "cli" / "demo_data").glob("*.parquet"))
    assert metadata("karat")["License-Expression"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_every_imported_package_is_declared() -> None:
    declared = {re.split(r"[\s<>=!~;\[(]", item)[0].lower() for item in requires("karat") or []}
    imported = {found.imported.partition(".")[0] for found in imports_of(PACKAGE)}
    foreign = imported - {"karat"} - set(sys.stdlib_module_names)
    assert foreign <= declared


def test_help_lists_every_command_of_the_makefile() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    run = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    listed = [line.split()[1] for line in run.stdout.splitlines()]
    assert listed == phony.split()
