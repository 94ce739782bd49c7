"""Words that may not stand in a tracked file: open ends, machines, other people's private parts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.tracked import ROOT, text_files

OPEN_END = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))")  # words: allowed here
MACHINE = re.compile(
    r"/(?:root|home|opt|work|Users|mnt)/\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"\blocalhost\b|pypi|pythonhosted|artifactory|"  # words: allowed here
    r"--(?:extra-)?index-url|--find-links",  # words: allowed here
    re.IGNORECASE,
)
ALLOWED_HERE = "# words: allowed here"

PUBLIC_PACKAGES = {"numpy", "narwhals", "nanoarrow", "duckdb", "click", "rich", "scipy"}


def found_in(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    """Every line that holds the pattern, as 'file:line: text'."""
    return [
        f"{path.name}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line) and not line.endswith(ALLOWED_HERE)
    ]


def private_uses(source: str) -> list[str]:
    """Names with a leading underscore that are taken from a third-party package."""
    tree = ast.parse(source)
    aliases: dict[str, str] = {}
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in PUBLIC_PACKAGES:
                    aliases[alias.asname or alias.name.partition(".")[0]] = alias.name
                    found += [alias.name] if _is_private(alias.name) else []
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            is_foreign = str(node.module).partition(".")[0] in PUBLIC_PACKAGES
            found += [name for name in names if is_foreign and _is_private(name)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in aliases:
                found.append(f"{root.id}.{node.attr}")
    return found


def _is_private(name: str) -> bool:
    parts = name.split(".")
    return any(part.startswith("_") and not part.startswith("__") for part in parts) or (
        name == "numpy.core" or name.startswith("numpy.core.")
    )


def test_no_open_end_without_an_issue() -> None:
    assert found_in(OPEN_END, text_files()) == []


def test_no_machine_host_or_registry_is_named() -> None:
    assert found_in(MACHINE, text_files()) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (OPEN_END, "# TODO: later"),  # words: allowed here
        (OPEN_END, "// FIXME(someone) overflow"),  # words: allowed here
        (MACHINE, "path = '/home/ada/preds.parquet'"),  # words: allowed here
        (MACHINE, "pip install --index-url https://mirror/simple"),  # words: allowed here
        (MACHINE, "connect to 10.0.0.17"),  # words: allowed here
    ],
)
def test_such_a_word_is_found(pattern: re.Pattern[str], text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"x = 1\n{text}\n", encoding="utf-8")
    assert found_in(pattern, [path]) == [f"a.py:2: {text}"]


def test_an_open_end_with_an_issue_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("# TODO(#12): wider tables\n", encoding="utf-8")
    assert found_in(OPEN_END, [path]) == []


def test_the_library_uses_no_private_name_of_another_package() -> None:
    files = sorted((ROOT / "src").rglob("*.py"))
    assert files
    found = {path.name: private_uses(path.read_text(encoding="utf-8")) for path in files}
    assert {name: uses for name, uses in found.items() if uses} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nnp._NoValue",
        "import numpy.core.multiarray",
        "from numpy._core import umath",
        "import duckdb\ndef f():\n    return duckdb.sql._relation.thing",
    ],
)
def test_a_private_name_is_found(source: str) -> None:
    assert len(private_uses(source)) == 1
