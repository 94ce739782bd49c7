"""The page of options says what their records and the table of refusals say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

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


@pytest.mark.parametrize("cell", TABLE[::9], ids=lambda c: f"{c.verb}-{c.beside}-{c.option}")
def test_a_cell_that_goes_leaves_the_page(
    cell: Refusal, options: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = f"{options.row_of(cell)}\n"
    whole = options.page()
    monkeypatch.setattr(options, "TABLE", tuple(other for other in TABLE if other is not cell))
    assert whole.count(row) == 1
    assert options.page() == whole.replace(row, "")
