"""The page of options says what their records say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_options_is_fresh() -> None:
    spec = importlib.util.spec_from_file_location("options", ROOT / "docs" / "options.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    committed = module.PAGE.read_text(encoding="utf-8")
    assert committed == module.page(), "stale: run `make tables`"
