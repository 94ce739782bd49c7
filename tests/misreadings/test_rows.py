"""Every row of the table of misreadings has the right answer."""

from __future__ import annotations

import pytest

from tests.misreadings.__main__ import load
from tests.misreadings.table import ROWS

load()


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    row = ROWS[name]
    answer = row.now()
    assert row.is_right(answer), f"{row.text}\nright: {row.right}\nnow: {answer}"
