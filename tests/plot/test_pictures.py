"""The pictures of the documentation are those that its script draws."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import karat
from tests.architecture.tracked import ROOT
from tests.optional import optional

optional("duckdb")

FOLDER = ROOT / "docs" / "plots"


def script() -> Any:
    path = ROOT / "docs" / "plot_pictures.py"
    spec = importlib.util.spec_from_file_location("plot_pictures", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(path: Path) -> list[str]:
    """The texts of a picture that do not depend on where ticks fall."""
    root = ET.parse(path).getroot()
    texts = [one.text or "" for one in root.iter() if one.tag.endswith(("title", "desc", "text"))]
    return sorted(text for text in texts if not re.fullmatch(r"[−\-\d.]+", text))


def test_the_pictures_say_what_the_script_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    script().main(tmp_path)
    drawn = {path.name: words(path) for path in tmp_path.glob("*.svg")}
    assert drawn == {path.name: words(path) for path in FOLDER.glob("*.svg")}
    pages = [
        (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("gallery.md", "plots.md")
    ]
    shown = [set(re.findall(r"\]\((plots/\w+\.svg)\)", page)) for page in pages]
    assert {f"plots/{name}" for name in drawn} == set.union(*shown)
    assert sum(path.stat().st_size for path in FOLDER.glob("*.svg")) < 200_000


def test_the_gallery_shows_every_plot_with_its_three_lines() -> None:
    blocks = script().BLOCK.findall((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    trees = [ast.parse(code).body for code, _ in blocks]
    # An import, what is drawn, and the drawing of it.
    assert {sum(not isinstance(one, ast.Import) for one in tree) for tree in trees} == {2}
    drawn = [re.findall(r"^karat\.plot\.(\w+)\(", code, re.MULTILINE) for code, _ in blocks]
    assert {name for (name,) in drawn} == set(karat.plot.__all__) - {"PALETTE", "svg"}
