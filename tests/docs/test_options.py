"""The page of options says what their records and the table of refusals say."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from karat.api.request.request import all_options
from karat.errors.options import parameter
from karat.errors.together import TABLE, Refusal

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def options() -> ModuleType:
    spec = importlib.util.spec_from_file_location("options", ROOT / "docs" / "options.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_options_is_fresh(options: ModuleType) -> None:
    committed = options.PAGE.read_text(encoding="utf-8")
    assert committed == options.page(), "stale: run `make tables`"


def refusals_on(page: str) -> list[tuple[str, ...]]:
    """Verb, rows, option, reason, sign and code of every refusal that the page shows, sorted."""
    table = page.partition("## What does not go together")[2]
    rows = [line[2:-2].split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    return sorted(
        (verb, beside, option, *rest)
        for verbs, beside, options, *rest in rows
        # Values of an option stand in parentheses.
        for verb, option in product(verbs.split(", "), re.split(r", (?![^(]*\))", options))
    )


def refusals_of(options: ModuleType, table: Iterable[Refusal]) -> list[tuple[str, ...]]:
    return sorted(
        (
            cell.verb.replace("any", "every verb"),
            cell.beside,
            options.option_of(cell),
            cell.reason.replace("{option}", "value"),
            cell.signed,
            cell.code,
        )
        for cell in table
    )


def test_the_page_shows_every_refusal(options: ModuleType) -> None:
    assert refusals_on(options.page()) == refusals_of(options, TABLE)


@pytest.mark.parametrize("cell", TABLE[::9], ids=lambda c: f"{c.verb}-{c.beside}-{c.option}")
def test_a_cell_that_goes_leaves_the_page(
    cell: Refusal, options: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tuple(other for other in TABLE if other is not cell)
    whole = options.page()
    monkeypatch.setattr(options, "TABLE", others)
    page = options.page()
    head = "## What does not go together"
    assert page.partition(head)[0] == whole.partition(head)[0]
    assert len(refusals_on(page)) == len(TABLE) - 1
    assert refusals_on(page) == refusals_of(options, others)


def test_every_option_has_a_line_with_its_verbs_and_flags(options: ModuleType) -> None:
    items = [item for item in all_options().values() if parameter(item.name) == item.name]
    lines = options.page().partition("## What does not go together")[0].splitlines()
    for item in items:
        line = options.line_of(item)
        assert lines.count(line) == 1, item.name
        cells = line[2:-2].split(" | ")
        assert tuple(cells[2].replace("*", "").split(", ")) == (item.verbs or ("",)), item.name
        assert all(f"`{flag.name}`" in cells[4] for flag in item.flags), item.name
    assert len([line for line in lines if line.startswith("| `")]) == len(items)


def test_a_sentence_ends_at_its_point(options: ModuleType) -> None:
    told = 'one of ``["a", ...]``: a | b. More.'
    assert options.first_sentence(told) == 'one of `["a", ...]`: a \\| b'
    assert options.first_sentence("0.5 of all.") == "0.5 of all"
