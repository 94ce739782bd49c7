"""What keeps rows with scores from being read, with its place in the table or file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.data.sources.files.rows import rows_of_files
from karat.data.sources.tables.rows import rows_of_frame
from karat.errors import KaratError
from tests.sources.score_sources import pa, parquet, rows, sources, write_csv, write_parquet


def bad(tmp_path: Path, text: str, name: str = "a.csv", **options: Any) -> KaratError:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(KaratError) as caught:
        rows_of_files(path, **options)
    return caught.value


@pytest.mark.parametrize("value", ["abc", "1_2", "0x1", "true", '"0,5"', "1e"])
def test_text_among_the_scores_of_a_csv_is_told_with_its_row(value: str, tmp_path: Path) -> None:
    lines = ["0,0.5,0.5"] * 30_000
    lines[25_000] = f"1,{value},0.5"
    problem = bad(tmp_path, "\n".join(["label,proba_0,proba_1", *lines]) + "\n")
    assert problem.code == "K130"
    assert "Column 'proba_0'" in str(problem)
    shown = repr(value) if "," not in value else "'0,5' with a decimal comma"
    assert f"Row 25000 holds {shown}; 1 of 30000 rows" in str(problem)


@pytest.mark.parametrize("value", ["", "NA", "null"])
def test_nothing_among_the_scores_of_a_csv_is_told_with_its_row(value: str, tmp_path: Path) -> None:
    text = f"label,proba_0,proba_1\n0,0.5,0.5\n1,0.5,{value}\n1,{value},1\n"
    problem = bad(tmp_path, text)
    assert problem.code == "K131"
    assert "First at row 1, column 'proba_1': None; 2 of 3 rows" in str(problem)


@pytest.mark.parametrize(
    ("second", "code", "words"),
    [
        ({"label": "b", "probs": [1]}, "K130", "Row 1 has length 1, earlier rows have length 2"),
        ({"label": "b", "probs": [1, None]}, "K131", "row 1, column 'probs', item 1: None"),
        ({"label": "b", "probs": [1, "0"]}, "K130", "Row 1, item 1, holds '[1,\"0\"]'"),
        ({"label": "b", "probs": [1, True]}, "K130", "Row 1, item 1, holds '[1,true]'"),
        ({"label": "b", "probs": 1}, "K130", "Row 0 holds '[0.5,0.5]'"),
        ({"label": "b", "probs": None}, "K131", "row 1, column 'probs': None"),
        ({"label": "b"}, "K131", "row 1, column 'probs': None"),
    ],
    ids=str,
)
def test_lists_of_json_that_are_no_scores(
    second: Any, code: str, words: str, tmp_path: Path
) -> None:
    first = {"label": "a", "probs": [0.5, 0.5]}
    text = "".join(json.dumps(row) + "\n" for row in (first, second))
    problem = bad(tmp_path, text, "a.jsonl", prob="probs")
    assert problem.code == code
    assert words in str(problem)


@pytest.mark.parametrize("value", ['"0.5"', "true", "[0.5]", "{}"])
def test_json_values_that_are_no_scores(value: str, tmp_path: Path) -> None:
    text = f'{{"label": 0, "p": 0.5}}\n{{"label": 1, "p": {value}}}\n'
    problem = bad(tmp_path, text, "a.jsonl", prob="p")
    assert problem.code == "K130"
    assert "Row 1 holds" in str(problem)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([True, False]), "Its type is BOOLEAN"),
        (pa.array(["0.5", "0.5"]), "Its type is VARCHAR"),
        (pa.array([["a"], ["b"]]), "Its type is VARCHAR[]"),
        (pa.array([[[0.5]], [[0.5]]]), "Its type is DOUBLE[][]"),
        (pa.array([1, 2**53 + 1]), "Row 1 holds 9007199254740993, which a float64 cannot"),
        (pa.array([[], []], pa.list_(pa.float64())), "It holds empty lists"),
    ],
)
def test_columns_of_parquet_that_are_no_scores(column: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(KaratError) as caught:
        rows_of_files(parquet(tmp_path, label=[0, 1], s=column), score="s")
    assert caught.value.code == "K130"
    assert words in str(caught.value)


def test_a_file_without_one_of_the_columns_is_named(tmp_path: Path) -> None:
    table = pa.table({"label": [0, 1], "proba_0": [0.5, 0.5], "proba_1": [0.5, 0.5]})
    first = write_parquet(tmp_path / "a.parquet", table)
    second = write_parquet(tmp_path / "b.parquet", table.drop_columns(["proba_1"]))
    third = write_csv(tmp_path / "c.csv", table.drop_columns(["proba_0"]))
    for files, name in (([first, second], "b.parquet has no column 'proba_1'"),
                        ([first, third], "c.csv has no column 'proba_0'")):  # fmt: skip
        with pytest.raises(KaratError) as caught:
            rows_of_files(files)
        assert caught.value.code == "K410"
        assert name in str(caught.value)


def test_a_prediction_of_numbers_that_are_no_labels_suggests_scores(tmp_path: Path) -> None:
    columns = {"label": [0, 1, 1], "prediction": [0.25, 0.5, 0.75]}
    for name, read in sources(tmp_path, columns).items():
        with pytest.raises(KaratError) as caught:
            read()
        assert caught.value.code == "K407", name
        assert "y_prob=, y_logit= or y_score=" in str(caught.value)
        assert rows(read(prob="prediction")).scores.values.tolist() == columns["prediction"]


def test_labels_outside_and_missing_are_told_as_for_labels_alone(tmp_path: Path) -> None:
    columns = {"label": [0, 1, 2], "p": [0.25, 0.5, 0.75]}
    for name, read in sources(tmp_path, columns).items():
        with pytest.raises(KaratError) as caught:
            read(labels=[0, 1])
        assert caught.value.code == "K109", name
        assert "First at row 2: 2; 1 of 3 rows" in str(caught.value)
    assert bad(tmp_path, "label,p\n0,0.5\n,0.25\n").code == "K104"
    assert bad(tmp_path, "label,p\n0.5,0.5\n0.25,0.25\n").code == "K407"
    assert bad(tmp_path, "label,p\n").code == "K402"
    assert bad(tmp_path, "label,p\n0,1\n", where="p < 1").code == "K402"
    assert bad(tmp_path, '{"label": 1, "p": 1}\n{"label": "1", "p": 0}\n', "a.jsonl").code == "K107"


def test_scores_of_another_length_than_the_table_are_refused() -> None:
    with pytest.raises(KaratError) as caught:
        rows_of_frame({"label": [0, 1], "p": [0.5, 0.5, 0.5]})
    assert caught.value.code == "K102"
