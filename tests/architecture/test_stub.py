"""The committed stubs say what the catalogue, and the table of the drop-in, say."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from karat.compat.torchmetrics.stub import stub_texts
from karat.metrics._stub import stub_text

PACKAGE = Path(karat.__file__).parent
DROP_IN = PACKAGE / "compat" / "torchmetrics"


def test_the_stub_is_fresh() -> None:
    committed = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    assert committed == stub_text(), "stale: run `make stub`"


@pytest.mark.parametrize("path", stub_texts())
def test_the_stubs_of_the_drop_in_are_fresh(path: str) -> None:
    committed = (DROP_IN / path).read_text(encoding="utf-8")
    assert committed == stub_texts()[path], "stale: run `make stub`"


def test_every_stub_of_the_drop_in_is_written_from_its_table() -> None:
    found = {path.relative_to(DROP_IN).as_posix() for path in DROP_IN.rglob("*.pyi")}
    assert found == set(stub_texts())
