"""A wheel where nothing else is: a new environment, no compiler, the tests of the source."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from pathlib import Path

from release.wheels import environment, run

__all__ = ["TESTS", "installed", "tested"]

# What needs neither the tree's native sources nor hosts that weigh gigabytes.
TESTS = (
    "tests/calibration", "tests/comparison", "tests/curves", "tests/gate", "tests/data",
    "tests/laws", "tests/meaning", "tests/objectives", "tests/streams", "tests/tally",
    "tests/inference", "tests/architecture/test_completion.py",
)  # fmt: skip
HOSTS = (
    "pytest", "pytest-xdist", "hypothesis", "jsonschema", "scikit-learn", "pandas", "polars",
    "pyarrow", "ml_dtypes", "psutil", "jedi", "basedpyright",
)  # fmt: skip
"""Of the extra `test`, with its versions."""


def installed(wheel: Path, python: str, folder: Path) -> Path:
    """The interpreter of an environment with the wheel and its command line, not compiled."""
    own = environment(python, folder)
    run(
        own, "-m", "pip", "install", "--quiet", "--only-binary=:all:", f"{wheel}[cli]",
        env=without_compiler(own),
    )  # fmt: skip
    return own


def without_compiler(python: Path) -> dict[str, str]:
    """The variables of an environment in which only its own programs are found."""
    path = str(python.parent)
    found = [
        name for name in ("cc", "gcc", "g++", "clang", "cmake") if shutil.which(name, path=path)
    ]
    if found:
        raise RuntimeError(f"{found[0]} is in {path}")
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {**kept, "PATH": path, "HOME": str(python.parent), "LANG": "C.UTF-8"}


def tested(python: Path, source: Path, tests: tuple[str, ...]) -> str:
    """Run tests of the source against what is installed; the last line of pytest."""
    wanted = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))
    names = wanted["project"]["optional-dependencies"]["test"]
    given = [one for one in names if re.split(r"[<>=\[;]", one)[0] in HOSTS]
    variables = without_compiler(python)
    run(python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *given, env=variables)
    where = run(python, "-c", "import karat; print(karat.__file__)", env=variables, cwd=source)
    if "site-packages" not in where:
        raise RuntimeError(f"karat was imported from {where}")
    output = run(python, "-m", "pytest", "-q", "-n", "2", *tests, env=variables, cwd=source)
    return output.strip().splitlines()[-1]
