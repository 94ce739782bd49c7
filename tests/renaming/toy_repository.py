"""A small repository with every form of a call, as it is before and after a table is applied."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from renaming.report import Report
from renaming.table import Table, parsed
from renaming.work import renamed

TOY = Path(__file__).parent / "toy"


def files_of(name: str) -> dict[str, str]:
    """The files of a listing, by path."""
    text = (TOY / name).read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in text.split("=== ")[1:]]
    return {path: content for path, _, content in parts}


def written(folder: Path, files: dict[str, str]) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return folder


def rules() -> dict[str, Any]:
    """The table as parsed TOML."""
    return tomllib.loads((TOY / "table.toml").read_text(encoding="utf-8"))


def table() -> Table:
    return parsed(rules())


def result(folder: Path, files: dict[str, str], the_table: Table) -> Report:
    root = written(folder, files).resolve()
    return renamed(the_table, root, [root])


def texts(report: Report) -> dict[str, str]:
    """New texts by path."""
    return {report.short(path): new for path, (_, new) in report.texts.items()}
