"""References in backticks name modules and attributes that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "karat").rglob("*.py"))
ROOMS = sorted(path.name for path in (ROOT / "src" / "karat").iterdir() if path.is_dir())
FORMER = ("comparison", "engines", "gating", "inputs", "render", "streams", "uncertainty")
REFERENCE = re.compile(r"`(?:karat\.)?((?:" + "|".join([*ROOMS, *FORMER]) + r")(?:\.\w+)+)")
DOCUMENTS = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "decisions").glob("*.md")]
FOLDER = re.compile(r"`((?:" + "|".join([*ROOMS, *FORMER]) + r")/[\w/]*(?:\.py)?)`")


def is_there(reference: str) -> bool:
    """Return whether a dotted name below `karat` is a module, or an attribute of one."""
    parts = reference.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(["karat", *parts[:n]]))
        except ModuleNotFoundError:
            continue
        for name in parts[n:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


def test_dotted_references_of_the_sources_exist() -> None:
    found = [
        (path.relative_to(ROOT).as_posix(), reference)
        for path in SOURCES
        for reference in REFERENCE.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 15
    assert [each for each in found if not is_there(each[1])] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_paths_of_the_documents_exist(path: Path) -> None:
    named = FOLDER.findall(path.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / "src" / "karat" / name).exists()] == []


def test_a_reference_to_nothing_is_noticed() -> None:
    assert is_there("tally.ScoredRows")
    assert not is_there("tally.ScoredColumns")
    assert not is_there("engines.ranking.rank")
