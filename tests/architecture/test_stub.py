"""The committed stub says what the catalogue says."""

from __future__ import annotations

from pathlib import Path

import karat
from karat.metrics._stub import stub_text


def test_the_stub_is_fresh() -> None:
    committed = Path(karat.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    assert committed == stub_text(), "stale: run `make stub`"
