"""Tables of the pages that say what the code says: they are equal."""

from __future__ import annotations

import re
from pathlib import Path

from karat.data.roles import ALIASES, Role
from karat.output.json import report_schema
from tests.architecture.tracked import ROOT
from tests.optional import optional

optional("click")


def rows_of(page: str) -> list[list[str]]:
    """The rows of the tables of a page."""
    text = Path(ROOT, "docs", page).read_text(encoding="utf-8")
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_names_of_columns_are_those_looked_for() -> None:
    roles: dict[str, Role] = {
        "--true": "true",
        "--pred": "pred",
        "--weights": "weights",
        "--prob": "prob",
        "--score": "score",
    }
    found = {
        roles[quoted(row[1])[0]]: tuple(quoted(row[2]))
        for row in rows_of("files-and-columns.md")
        if len(row) == 3 and quoted(row[1])[:1] and quoted(row[1])[0] in roles
    }
    assert found == {role: ALIASES[role] for role in roles.values()}


def test_the_options_exist() -> None:
    from karat.cli import gate, report

    known = {
        name for each in (report, gate) for option in each.command.params for name in option.opts
    }
    used = {
        text.split()[0] for row in rows_of("files-and-columns.md") for text in quoted(" ".join(row))
    }
    assert {name for name in used if name.startswith("--")} <= known


def test_the_keys_of_json_are_those_of_the_schema() -> None:
    keys = [key for row in rows_of("reports.md") for key in quoted(row[0])]
    assert sorted(keys) == sorted(report_schema()["required"])
    of_metrics = next(row[1] for row in rows_of("reports.md") if quoted(row[0]) == ["metrics"])
    assert quoted(of_metrics) == report_schema()["$defs"]["result"]["required"]
