"""Labels that are missing without being null: spelled out in a CSV, NaN in JSON, nothing at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.errors import KaratError
from tests.sources.counting import tally_files
from tests.sources.writing import write_csv, write_json


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def refused(source: Any, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        tally_files(source, **options)
    return caught.value


SPELLED = ["nan", "NaN", "NA", "N/A", "NULL", "null", "None", "<NA>", "NaT", "", '""', " ", '" "']


@pytest.mark.parametrize("spelling", SPELLED)
@pytest.mark.parametrize("other", ["cat", "1", "true", "1.0"])
def test_a_null_spelled_in_a_csv(spelling: str, other: str, tmp_path: Path) -> None:
    rows = f"{other},{other},2\n{other},{spelling},1\n{spelling},{other},1\n{other},{other},3\n"
    path = written(tmp_path / "p.csv", f"label,pred,sample_weight\n{rows}")
    for options in ({}, {"weights": ""}):
        problem = refused(path, **options)
        assert problem.code == "K104"
        assert problem.context["row"] in (1, 2)
        assert problem.context["n"] == 4
    found = tally_files(path, nulls="drop")
    assert found.n_dropped == 2
    assert found.cells.k == 1
    assert found.cells.matrix().tolist() == [[5.0]]
    assert found.warnings == ("2 of 4 rows have a missing label and were dropped.",)


@pytest.mark.parametrize("spelling", ["none", "nil", "?", "missing"])
def test_more_is_a_null_among_numbers(spelling: str, tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", f"label,pred\n1,{spelling}\n0,0\n")
    assert refused(path).code == "K104"
    assert tally_files(path, nulls="drop").cells.classes.labels == (0,)


def test_a_null_after_the_sample(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\n" + "1,1\n0,0\n" * 10_001 + "1,nan\nNA,1\n")
    assert refused(path).context["row"] == 20_003
    assert tally_files(path, nulls="drop").n_dropped == 2


def test_a_class_called_na_is_kept_where_it_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\nNA,NA\nEU,NA\n")
    problem = refused(path)
    assert "Column 'label' (where 'NA' is not a label unless labels= lists it)" in str(problem)
    assert tally_files(path, labels=["EU", "NA"]).cells.matrix().tolist() == [[0, 1], [0, 1]]


def test_a_class_called_none_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\nnone,cat\ncat,cat\n")
    (found,) = karat.evaluate(path, labels=None, positive="cat").doubts
    assert (found.code, found.noticed) == ("D112", "Class 'none' is spelled like a missing value.")
    assert found.evidence == "'none' is true 1 time and predicted 0 times."


def test_text_of_typed_files_is_text(tmp_path: Path) -> None:
    path = write_json(tmp_path / "p.jsonl", {"label": ["NA", "EU"], "pred": ["NA", "EU"]})
    found = tally_files(path)
    assert found.cells.classes.labels == ("EU", "NA")
    noticed = [one.noticed for one in karat.evaluate(path, positive="EU").doubts]
    assert noticed == ["Class 'NA' is spelled like a missing value."]


def test_nan_of_json_is_missing(tmp_path: Path) -> None:
    path = written(tmp_path / "p.jsonl", '{"label": 1, "pred": 1}\n{"label": 0, "pred": NaN}\n')
    problem = refused(path)
    assert (problem.code, problem.context["row"]) == ("K104", 1)
    assert tally_files(path, nulls="drop").n_dropped == 1
    csv = write_csv(tmp_path / "q.csv", {"label": [1, "NA"], "pred": [1, 1]})
    assert refused([csv, path]).code == "K104"
    found = tally_files([csv, path], nulls="drop")
    assert (found.n_dropped, found.cells.classes.labels) == (2, (1,))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 AS label, NULL AS pred",
        "SELECT NULL AS label, 1 AS pred",
        "SELECT NULL AS label, 'a' AS pred",
        "SELECT NULL AS label, NULL AS pred",
        "SELECT 1 AS label, NULL::VARCHAR AS pred",
        "SELECT 1 AS label, NULL::JSON AS pred",
    ],
)
def test_a_column_of_nulls_alone(query: str) -> None:
    assert refused(query).code == "K104"
    assert refused(query, nulls="drop").code == "K402"


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_a_column_without_a_value_in_text(name: str, tmp_path: Path) -> None:
    content = "label,pred\n1,\n2,\n" if name == "p.csv" else '{"label": 1, "pred": null}\n'
    path = written(tmp_path / name, content)
    assert refused(path).context["argument"] == "column 'pred'"
    assert refused(path, nulls="drop").code == "K402"
