"""Names, weights, filters, queries and devices made to mislead."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.data.label_doubts import doubts_of_labels
from karat.data.sources.files.paths import is_query
from karat.errors import KaratError
from karat.tally import to_marginals
from tests.ids import named
from tests.optional import optional
from tests.sources.counting import tally_files, tally_frame
from tests.sources.writing import TEN, write_csv, write_json, write_parquet

pa = optional("pyarrow")
pd = optional("pandas")
pl = optional("polars")


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def refused(source: Any, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        tally_files(source, **options)
    return caught.value


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("a,1\n", "K108"),
        ("a,1\nb,2\n", "K108"),
        ("1,a\n2,b\n", "K108"),
        ("cat,0.25\ndog,0.5\n", "K108"),
        ("12,1_2\n", "K108"),
    ],
)
def test_text_against_numbers_of_a_csv(rows: str, code: str, tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", f"label,pred\n{rows}")
    problem = refused(path)
    assert problem.code == code
    labels = sorted({field for row in rows.split() for field in row.split(",")})
    assert tally_files(path, labels=labels).cells.classes.labels == tuple(labels)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a,x\nb,y\n", "Column 'label' has 'a', 'b'; column 'pred' has 'x', 'y'."),
        ("1,3\n2,4\n", "Column 'label' has 1, 2; column 'pred' has 3, 4."),
        (
            "true,yes\nfalse,no\n",
            "Column 'label' has 'false', 'true'; column 'pred' has 'no', 'yes'.",
        ),
    ],
)
def test_truth_and_prediction_without_a_common_class(rows: str, told: str, tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", f"label,pred\n{rows}")
    with pytest.raises(KaratError) as caught:
        karat.evaluate(path)
    assert caught.value.code == "K191"
    assert told in str(caught.value)


def test_classes_that_differ_in_how_a_number_is_written_are_told(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\n01,1\n02,2\n")
    found = tally_files(path)
    told = "'01' and '1' differ only in how a number is written"
    assert told in " ".join(doubts_of_labels(found.cells))
    assert told in " ".join(doubts_of_labels(to_marginals(found.cells)))


def test_a_table_without_a_common_class_is_refused_too() -> None:
    table = {"label": ["a", "b"], "pred": ["x", "x"]}
    with pytest.raises(KaratError, match="K191"):
        karat.evaluate(table)
    with pytest.raises(KaratError, match=r"K191  y_true and y_pred have no label in common"):
        karat.evaluate(table["label"], table["pred"])
    # Classes that are listed, and 0 and 1, are one vocabulary.
    assert karat.evaluate(table, labels=["a", "b", "x"]).accuracy.value == 0.0
    assert karat.evaluate([0, 0], [1, 1]).accuracy.value == 0.0


def test_a_column_with_both_is_text(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\n1,1\na,1\n")
    assert tally_files(path).cells.classes.labels == ("1", "a")


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_a_number_of_thousands_of_digits_is_no_label(name: str, tmp_path: Path) -> None:
    long = "1" * 5000
    content = f"label,pred\n{long},1\n" if name == "p.csv" else f'{{"label": {long}, "pred": 1}}\n'
    path = written(tmp_path / name, content)
    other = write_parquet(tmp_path / "q.parquet", {"label": [1], "pred": [1]})
    for source in (path, [path, other], [other, path]):
        problem = refused(source)
        assert problem.code == "K106"
        assert len(str(problem)) < 300


def test_many_scores_are_told_to_be_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.data.sources.files.counted.N_CLASSES_MAX", 3)
    scores = {"label": [0, 1] * 5, "prediction": [i / 7 for i in range(10)]}
    for path in (write_csv(tmp_path / "p.csv", scores), write_json(tmp_path / "p.jsonl", scores)):
        assert refused(path).code == "K407"


# Names


def parquet_with(path: Path, names: list[str]) -> Path:
    import pyarrow.parquet as pq

    arrays = [pa.array([{"label": i}] if name == "box" else [i]) for i, name in enumerate(names)]
    pq.write_table(pa.Table.from_arrays(arrays, names=names), path)
    return path


@pytest.mark.parametrize(
    "names", [["label", "label", "pred"], ["box", "label", "Label", "pred"], ["pred", "pred", "y"]]
)
def test_a_name_twice_in_parquet(names: list[str], tmp_path: Path) -> None:
    assert refused(parquet_with(tmp_path / "p.parquet", names)).code == "K405"


def test_names_that_end_in_a_number_are_their_own(tmp_path: Path) -> None:
    path = parquet_with(tmp_path / "p.parquet", ["label", "label_1", "pred"])
    assert tally_files(path).mapping["true"] == "label"
    path = write_json(tmp_path / "p.jsonl", {"label": [1], "label_1": [0], "pred": [1]})
    assert tally_files(path, true="label_1").cells.matrix().tolist() == [[0, 1], [0, 0]]


def test_one_of_two_names_can_be_chosen(tmp_path: Path) -> None:
    path = parquet_with(tmp_path / "p.parquet", ["label", "Label", "pred"])
    assert tally_files(path, true="Label").cells.classes.labels == (1, 2)
    path = write_json(tmp_path / "p.jsonl", {"label": ["a"], "Label": ["b"], "pred": ["b"]})
    assert refused(path).code == "K405"
    assert tally_files(path, true="Label").cells.classes.labels == ("b",)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS label, 2 AS label, 1 AS pred",
        "SELECT 1 AS label, 2 AS Label, 1 AS pred",
        "SELECT 1 AS y, 1 AS pred, 2 AS pred",
    ],
)
def test_a_name_twice_in_a_query(sql: str) -> None:
    assert refused(sql).code == "K405"


def test_a_key_twice_in_json(tmp_path: Path) -> None:
    path = written(tmp_path / "p.jsonl", '{"label": 1, "label": 2, "pred": 1}\n')
    assert "duplicate key" in str(refused(path))


# Weights


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
def test_text_called_weights_is_refused(name: str, tmp_path: Path) -> None:
    columns = {"label": [1, 0], "pred": [1, 1], "sample_weight": ["heavy", "light"]}
    write = {"csv": write_csv, "jsonl": write_json, "parquet": write_parquet}[name]
    path = write(tmp_path / f"p.{name}", columns)  # type: ignore[operator]
    problem = refused(path)
    assert problem.code == "K116"
    assert "weights='' leaves it out" in str(problem)
    assert tally_files(path, weights="").cells.n_rows == 2
    numbered = write(tmp_path / f"q.{name}", {**columns, "case_weight": [1.0, 2.0]})  # type: ignore[operator]
    assert tally_files(numbered).mapping["weights"] == "case_weight"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=named)
def test_text_called_weights_is_refused_in_tables(make: Any) -> None:
    table = make({"label": [1, 0], "pred": [1, 1], "sample_weight": ["heavy", "light"]})
    with pytest.raises(KaratError, match="K116"):
        tally_frame(table)
    assert tally_frame(table, weights="").cells.n_rows == 2
    assert tally_frame(table, weights=[1.0, 2.0]).cells.is_weighted


@pytest.mark.parametrize("value", ["1_2", "x", "0x10"])
@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_a_weight_after_the_sample_is_not_bent(
    value: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.data.sources.files.readers.N_SAMPLE", 2)
    n = 2 if name == "csv" else 25_000
    columns = {"label": [1] * n + [0], "pred": [1] * n + [1], "sample_weight": [*([1] * n), value]}
    write = {"csv": write_csv, "jsonl": write_json}[name]
    problem = refused(write(tmp_path / f"p.{name}", columns))
    assert problem.code == "K116"
    assert value in str(problem)


def test_weights_of_a_csv_may_be_missing_or_boolean(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred,sample_weight\n1,1,1\n0,1,NA\n")
    assert refused(path).code == "K114"
    assert tally_files(path, nulls="drop").n_dropped == 1
    path = written(tmp_path / "q.csv", "label,pred,sample_weight\n1,1,true\n0,1,False\n")
    assert tally_files(path).cells.matrix().tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_weights_with_all_their_digits_are_read(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", {**TEN, "sample_weight": [i / 7 for i in range(10)]})
    assert float(tally_files(path).cells.matrix().sum()) == pytest.approx(45 / 7)


# Filters


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "where", ["error('boom') > 0", "CAST(note AS INT) > 0", "substr(note, 1)::DATE > '2026-01-01'"]
)
def test_a_filter_that_fails_is_blamed(where: str, name: str, tmp_path: Path) -> None:
    write = {"csv": write_csv, "jsonl": write_json, "parquet": write_parquet}[name]
    columns = {"label": [1, 0], "pred": [1, 1], "note": ["abc", "x"]}
    path = write(tmp_path / f"p.{name}", columns)  # type: ignore[operator]
    problem = refused(path, where=where)
    assert problem.code == "K408"
    assert "The condition" in str(problem)


def test_a_damaged_file_is_blamed_beside_a_filter(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\n0,1\n1,0,1\n")
    assert refused(path, where="label > -1").code == "K403"


@pytest.mark.parametrize("value", ["1_2", "1.5", "x"])
def test_a_filter_does_not_bend_what_comes_after_the_sample(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.data.sources.files.readers.N_SAMPLE", 2)
    path = written(tmp_path / "p.csv", f"label,pred,age\n1,1,1\n0,0,2\n1,0,{value}\n")
    problem = refused(path, where="age > 1")
    assert problem.code == "K408"
    assert (
        f"reads column age (BIGINT), typed by its first rows, but a later row holds '{value}'"
        in (str(problem))
    )
    assert tally_files(path, where="label = 1").cells.n_rows == 2


def test_a_filter_sees_strings_of_json_and_nulls_of_csv(tmp_path: Path) -> None:
    path = write_json(tmp_path / "p.jsonl", {**TEN, "land": ["de", "fr"] * 5})
    assert tally_files(path, where="land = 'de'").cells.n_rows == 5
    path = written(tmp_path / "p.csv", "label,pred,age\n1,1,1\n0,0,NA\n1,0,7\n")
    assert tally_files(path, where="age > 1").cells.n_rows == 1
    assert tally_files(path, where="age IS NULL").cells.n_rows == 1


# Queries


@pytest.mark.parametrize(
    "sql",
    [
        "-- labels\nSELECT 1 AS label, 1 AS pred",
        "/* labels */ SELECT 1 AS label, 1 AS pred",
        "(SELECT 1 AS label, 1 AS pred)",
        "((SELECT 1 AS label, 1 AS pred) UNION ALL (SELECT 0, 1))",
        "SELECT 1 AS label, 1 AS pred; -- done; really",
        "SELECT 1 AS label, 1 AS pred; /* done */ ;",
        "SELECT 1 AS label, 1 AS pred -- done",
        "WITH t AS (SELECT 1 AS label, 1 AS pred) SELECT * FROM t;",
        "FROM (VALUES (1, 1)) AS t(label, pred)",
        "FROM(VALUES (1, 1)) AS t(label, pred)",
        "select * from (values (1, 1)) t(label, pred)",
        "SELECT';' AS label, ';' AS pred;",
    ],
)
def test_a_query_is_seen_as_one(sql: str) -> None:
    assert is_query(sql)
    assert tally_files(sql).cells.n_rows in (1, 2)


def test_values_are_a_query() -> None:
    assert tally_files("VALUES (1, 1), (0, 1)", true="col0", pred="col1").cells.n_rows == 2


@pytest.mark.parametrize(
    "text", ["select*.csv", "from-here.csv", "with.parquet", "values_1.csv", "(old).csv", "-", "--"]
)
def test_names_of_files_are_no_queries(text: str) -> None:
    assert not is_query(text)


# Files that are none, and names that mean something to a shell


def test_devices_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("/dev/zero").code == "K403"
    assert refused("/dev/urandom").code == "K403"
    assert refused("/dev/null").code == "K402"
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("p.csv")
        assert "a device or a socket" in str(refused("p.csv"))


def test_an_endless_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    with open("/dev/zero", "rb") as endless:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=endless))
        assert "holds bytes of 0" in str(refused("-"))


@pytest.mark.parametrize("name", ["~.csv", "~", "~root.csv", "~.jsonl"])
def test_a_tilde_is_part_of_a_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if name == "~":
        (tmp_path / "home").mkdir()
        write_csv(tmp_path / "home" / "p.csv", TEN)
        assert tally_files("~/p.csv").cells.n_rows == 10
        return
    assert refused(name).code == "K401"
    (write_csv if name.endswith(".csv") else write_json)(tmp_path / name, TEN)
    assert tally_files(name).cells.n_rows == 10


# Labels that are read once


def test_labels_may_be_a_generator(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", {"label": ["b", "a"], "pred": ["a", "a"]})
    for source in (path, "SELECT 'a' AS label, 'b' AS pred"):
        cells = tally_files(source, labels=(x for x in "ba")).cells  # type: ignore[arg-type]
        assert cells.classes.labels == ("b", "a")


def test_json_of_a_query_is_json() -> None:
    cells = tally_files("SELECT '\"a\"'::JSON AS label, 'a' AS pred").cells
    assert cells.classes.labels == ("a",)
