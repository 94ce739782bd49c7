"""Files are read in a kernel of Jupyter, with ipywidgets and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks import WITHOUT_WIDGETS, printed
from tests.optional import optional

optional("ipykernel")
optional("ipywidgets")
optional("duckdb")
optional("nbclient")

SET_BY_HAND = """
import duckdb
try:
    duckdb.connect().execute("SET enable_progress_bar = false").fetchall()
except duckdb.InvalidInputException:
    print("refused")
else:
    print("taken")
"""
READ = """
import karat
report = karat.evaluate("rows.csv")
print(report["accuracy"].value)
"""


@pytest.mark.parametrize("has_widgets", [True, False])
def test_a_file_is_read(has_widgets: bool, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("label,pred\n1,1\n0,1\n1,1\n0,0\n")
    first = "" if has_widgets else WITHOUT_WIDGETS
    found = printed([first + SET_BY_HAND, READ], tmp_path)
    # What the kernel does to DuckDB: without widgets the setting cannot be changed.
    assert found == ["taken" if has_widgets else "refused", "0.75"]
