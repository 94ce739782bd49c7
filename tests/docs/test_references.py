"""Tables of the pages that say what the code says: they are equal."""

from __future__ import annotations

import re
from pathlib import Path

from karat.data.roles import (
    ALIASES,
    KINDS_OF_WEIGHTS,
    WEAK,
    Role,
    find_roles,
    looks_like,
    looks_like_weights,
)
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


OPTIONS: dict[str, tuple[Role, Role]] = {
    "--true": ("true", "true"),
    "--pred": ("pred", "pred"),
    "--prob": ("prob", "prob"),
    "--logit": ("logit", "logit"),
    "--score": ("score", "score"),
    "--weights": ("weights", "weights"),
    "--ids": ("id", "id"),
    "--clusters": ("clusters", "clusters"),
    "--folds": ("holdout", "fold"),
}
"""Option → the role whose names are found, and the role that names only suggest."""


def test_the_names_of_columns_are_those_looked_for() -> None:
    rows = {
        quoted(row[1])[0]: row
        for row in rows_of("files-and-columns.md")
        if len(row) == 4 and quoted(row[1])[:1] and quoted(row[1])[0] in OPTIONS
    }
    assert rows.keys() == OPTIONS.keys()
    for option, (strong, weak) in OPTIONS.items():
        # A column of folds is read where folds="auto" asks for it.
        by_name = () if option == "--folds" else ALIASES[strong]
        assert tuple(quoted(rows[option][2])) == by_name, option
        listed = WEAK.get(weak, ())
        assert tuple(quoted(rows[option][3]))[: len(listed)] == listed, option
    page = Path(ROOT, "docs", "files-and-columns.md").read_text(encoding="utf-8")
    assert ", ".join(f"`{kind}`" for kind in KINDS_OF_WEIGHTS) in page


def test_names_do_what_the_page_says() -> None:
    """Names that are listed as found give a role; those that only suggest one do not."""
    alone = {"true": "pred"} | dict.fromkeys(("pred", "prob", "logit", "score"), "label")
    for role, names in ALIASES.items():
        for name in names:
            if role in ("true", "pred", "prob", "logit", "score", "weights", "id"):
                assert find_roles([name], needs=()).candidates[role] == (name,), name
    for role, words in WEAK.items():
        for word in words:
            name = f"other_{word}" if role in alone else word
            held = find_roles([name], needs=()).candidates
            assert not held["weights"], name
            assert role in ("clusters", "fold") or name not in held[role], name
            assert role != "weights" or looks_like_weights(name), name
            if role in alone:
                assert looks_like(name) is not None, name
    assert all(looks_like_weights(f"{kind}_weight") for kind in KINDS_OF_WEIGHTS)


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
