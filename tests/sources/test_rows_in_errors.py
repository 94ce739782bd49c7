"""Which row an error names, of how many, and what it advises where the rows are in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.api.request.request import Request
from karat.api.spec import Spec
from karat.api.table_reports import report_of_table
from karat.errors import KaratError
from karat.errors.options import on_the_command_line

ROLES = dict.fromkeys(("true", "pred", "prob", "score"))
OPTIONS = dict.fromkeys(("labels", "positive", "weights"))
FILTERED = "Rows are numbered among those that the filter keeps."


def refused(folder: Path, text: str, *, nulls: str = "error", **reading: Any) -> KaratError:
    path = folder / "a.csv"
    path.write_text(text, "utf-8")
    request = Request.of("evaluate", y_true=path, nulls=nulls, by=(), **reading)
    with pytest.raises(KaratError) as caught:
        report_of_table(request, Spec())
    return caught.value


def test_the_total_counts_the_rows_that_are_numbered(tmp_path: Path) -> None:
    problem = refused(tmp_path, "label,p\n0,0.5\n,0.25\n1,1.5\n1,0.5\n", nulls="drop")
    assert "First at row 2, column 'p': 1.5; 1 of 4 rows." in str(problem)
    assert FILTERED not in str(problem)
    table = {"label": [0, None, 1, 1], "p": [0.5, 0.25, 1.5, 0.5]}
    with pytest.raises(KaratError, match=r"First at row 2, column 'p': 1.5; 1 of 4"):
        karat.evaluate(table, reading=karat.Reading(nulls="drop"))
    weighted = {"label": [0, None, 1], "p": [0.5, 0.25, 0.5], "sample_weight": [1, 1, -1]}
    with pytest.raises(KaratError, match=r"First at row 2: -1.0; 1 of 3 rows"):
        karat.evaluate(weighted, reading=karat.Reading(nulls="drop"))


@pytest.mark.parametrize("nulls", ["error", "drop"])
@pytest.mark.parametrize(
    ("rows", "code"), [("1,1.5", "K132"), ("1,inf", "K131"), ("1,", "K131"), ("1,x", "K130")]
)
def test_rows_behind_a_filter_are_said_to_be_so(
    rows: str, code: str, nulls: str, tmp_path: Path
) -> None:
    text = f"label,p,part\n0,0.5,1\n1,0.5,2\n{rows},2\n0,0.25,2\n"
    whole = refused(tmp_path, text, nulls=nulls, prob="p")
    assert whole.code == code
    assert "row 2" in str(whole).lower()
    assert "1 of 4 rows" in str(whole)
    assert FILTERED not in str(whole)
    some = refused(tmp_path, text, nulls=nulls, prob="p", where="part = 2")
    assert some.code == code
    assert "row 1" in str(some).lower()
    assert f"1 of 3 rows. {FILTERED}" in str(some)


def test_labels_behind_a_filter_are_numbered_so_too(tmp_path: Path) -> None:
    text = "label,pred\n0,0\n1,\n1,0\n"
    assert FILTERED not in str(refused(tmp_path, text))
    problem = refused(tmp_path, text, where="label > 0")
    assert problem.code == "K104"
    assert f"First at row 0; 1 of 2 rows are null or NaN. {FILTERED}" in str(problem)


def test_an_error_of_no_row_says_nothing_of_rows(tmp_path: Path) -> None:
    problem = refused(tmp_path, "label,pred\n0,0\n", where="label > 0")
    assert problem.code == "K402"
    assert FILTERED not in str(problem)


def test_files_have_no_arguments_to_change(tmp_path: Path) -> None:
    missing = str(refused(tmp_path, "label,p\n0,0.5\n1,\n"))
    assert "leave such rows out with a SQL query." in missing
    with on_the_command_line():
        typed = str(refused(tmp_path, "label,p\n0,0.5\n1,\n"))
    assert "leave such rows out with --where." in typed
    assert "all arguments" not in missing
    text = str(refused(tmp_path, "label,p\n0,0.5\n1,x\n", prob="p"))
    assert "Name columns of numbers with y_prob=, y_logit= or y_score=:" in text
    assert "shape" not in text
    with pytest.raises(KaratError, match="Remove such rows from all arguments"):
        karat.evaluate([0, 1], y_prob=[0.5, float("nan")])
