"""The example for CatBoost's trainer on the page of the adapter runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.architecture.tracked import ROOT
from tests.docs.blocks import blocks_of
from tests.optional import optional

optional("catboost")


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = [one for one in blocks_of(ROOT / "docs" / "compat-catboost.md") if one.title]
    # CatBoost writes a log where it runs.
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3))
    y = (x + rng.normal(size=x.shape)).argmax(axis=1)
    names: dict[str, Any] = {"X": x[:300], "y": y[:300], "X_valid": x[300:], "y_valid": y[300:]}
    exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 (our own page)
    assert 5 < len(names["history"]) < 30
