"""Columns whose names say a role: found, or named in a doubt, by what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from tests.first_use.test_ids import codes, refused, written
from tests.optional import optional

N = 60
TRUE = np.arange(N) % 2
P = np.where(TRUE == 1, 0.7, 0.2) + np.arange(N) * 1e-3
ROWS = pd.DataFrame({"label": TRUE, "pred": (P > 0.5).astype(int)})
DAYS = pd.date_range("2020-01-01", periods=N)


def sources(rows: pd.DataFrame, folder: Path) -> Iterator[tuple[str, Any]]:
    """The rows as every kind of source that can be read twice."""
    yield "pandas", rows
    yield "dict", {name: rows[name].tolist() for name in rows}
    yield "series", {name: rows[name] for name in rows}
    yield "polars", pl.from_pandas(rows)
    yield "lazy", pl.from_pandas(rows).lazy()
    yield "arrow", pa.Table.from_pandas(rows)
    for ending in ("csv", "parquet", "jsonl"):
        yield ending, written(folder / f"rows.{ending}", rows)
    yield "query", f"SELECT * FROM '{folder / 'rows.parquet'}'"
    yield "duckdb", duckdb.sql(f"FROM '{folder / 'rows.parquet'}'")


# Tensors and sparse columns.


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16"])
def test_tensors_are_found_by_their_names(kind: str) -> None:
    torch = optional("torch")
    table = {"y_true": torch.tensor(TRUE), "prob": torch.tensor(P).to(getattr(torch, kind))}
    report = karat.evaluate(table)
    assert report.mapping["y_prob"] == ["prob"]
    assert report["roc_auc"].value == 1.0
    assert karat.check(table)
    weighed = karat.evaluate({**table, "sample_weight": torch.tensor(P)})
    assert weighed.mapping["weights"] == "sample_weight"
    both = torch.tensor(np.c_[1 - P, P])
    assert karat.evaluate({"y_true": torch.tensor(TRUE), "prob": both})["roc_auc"].value == 1.0


def test_sparse_columns_are_found_by_their_names() -> None:
    values = np.where(P < 0.3, 0.0, P)

    def sparse(x: Any) -> Any:
        return pd.arrays.SparseArray(x, fill_value=0)

    dense = pd.DataFrame({"label": TRUE, "prob": values, "case_weight": values + 0.0})
    table = pd.DataFrame({name: sparse(dense[name]) for name in dense})
    report = karat.evaluate(table)
    columns = {"y_true": "label", "y_pred": None, "weights": "case_weight", "y_prob": ["prob"]}
    assert report.mapping == columns
    expected = karat.evaluate(dense)
    values_of = [{name: found[name].value for name in found} for found in (report, expected)]
    np.testing.assert_equal(*values_of)
    assert karat.check(table)
    of_each = pd.DataFrame({"label": TRUE, "prob_0": sparse(1 - P), "prob_1": sparse(P)})
    assert karat.evaluate(of_each).mapping["y_prob"] == ["prob_0", "prob_1"]
    labels = pd.DataFrame({name: sparse(ROWS[name]) for name in ROWS})
    assert karat.evaluate(labels)["accuracy"].value == 1.0
    missing = pd.DataFrame({"label": TRUE, "prob": pd.arrays.SparseArray([np.nan, *P[1:]])})
    assert "K131" in refused(missing)


# Groups.


REPEATS = {
    "numbers": [i // 3 for i in range(N)],
    "texts": [f"u{i // 3}" for i in range(N)],
    "fractions": [i // 3 + 0.5 for i in range(N)],
    "missing": [None if i == 4 else f"u{i // 3}" for i in range(N)],
}
NONE = {
    "numbers": list(range(N)),
    "texts": [f"u{i}" for i in range(N)],
    "fractions": [i + 0.5 for i in range(N)],
    "constant": ["a"] * N,
    "constant or missing": [None if i == 4 else "a" for i in range(N)],
}


@pytest.mark.parametrize("name", REPEATS)
def test_groups_that_repeat_are_a_doubt(name: str, tmp_path: Path) -> None:
    for kind, source in sources(ROWS.assign(user_id=REPEATS[name]), tmp_path):
        assert codes(source) == ["D107"], kind
        assert codes(source, clusters="") == [], kind


@pytest.mark.parametrize("name", NONE)
def test_groups_without_a_repeat_are_no_doubt(name: str, tmp_path: Path) -> None:
    for kind, source in sources(ROWS.assign(user_id=NONE[name]), tmp_path):
        assert codes(source) == [], kind


@pytest.mark.parametrize(
    "name",
    ["user", "Patient", "customer", "client-id", "account_id", "userId", "speaker", "case_id"],
)
def test_columns_are_called_as_persons_and_sessions_are(name: str) -> None:
    assert codes(ROWS.assign(**{name: REPEATS["texts"]})) == ["D107"]
    assert codes(ROWS.assign(**{name: NONE["texts"]})) == []
    assert codes(ROWS.assign(**{f"{name} type": REPEATS["texts"]})) == []


def test_the_first_column_that_repeats_is_named() -> None:
    rows = ROWS.assign(session=NONE["texts"], patient_id=REPEATS["texts"])
    (doubt,) = karat.evaluate(rows).doubts
    assert "'patient_id'" in doubt.evidence


def test_groups_are_looked_for_in_the_first_rows(tmp_path: Path) -> None:
    n = 100_000
    rows = pd.DataFrame({"label": np.arange(n + 2) % 2, "pred": 0})
    late = rows.assign(user_id=[*range(n), 0, 0])
    constant = rows.assign(user_id=[7] * (n + 2))
    other = rows.assign(user_id=[7] * n + [8, 8])
    for expected, table in (([], late), ([], constant), (["D107"], other)):
        for source in (table, written(tmp_path / "a.parquet", table)):
            assert codes(source) == expected
    rows = pa.Table.from_pandas(ROWS.assign(user_id=NONE["texts"]))
    # A reader is at its end once it is read: its names alone are known.
    assert [x.code for x in karat.evaluate(rows.to_reader()).doubts] == ["D107"]


def test_groups_are_those_of_the_rows_that_a_filter_keeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from karat.cli import main

    path = written(
        tmp_path / "a.csv", ROWS.assign(user_id=REPEATS["numbers"], first=[1, 0, 0] * 20)
    )
    assert main(["report", path]) == 0
    assert "Rows may belong together" in capsys.readouterr().err
    assert main(["report", path, "--where", "first = 1"]) == 0
    assert "Rows may belong together" not in capsys.readouterr().err


# What is called like scores and holds none.


def test_lists_that_were_written_as_text_are_called_so(tmp_path: Path) -> None:
    rows = ROWS.assign(prob=[f"[{1 - p:.3f}, {p:.3f}]" for p in P])
    for source in (rows, written(tmp_path / "a.csv", rows), written(tmp_path / "a.parquet", rows)):
        (doubt,) = karat.evaluate(source).doubts
        assert doubt.code == "D108"
        assert "'prob', a column of lists that are written as text" in doubt.evidence
        assert "a column for each class" in doubt.option
        assert "decimal" not in doubt
    alone = written(tmp_path / "b.csv", rows.drop(columns="pred"))
    assert "'prob' of lists that are written as text" in refused(alone)
    commas = written(
        tmp_path / "c.csv", rows.assign(prob=[f"{p:.3f}".replace(".", ",") for p in P])
    )
    (doubt,) = karat.evaluate(commas).doubts
    assert "decimal point" in doubt.option


@pytest.mark.parametrize("name", ["prob", "score", "y_score", "Probability"])
@pytest.mark.parametrize("values", ["text", "dates", "structs"])
def test_columns_called_like_scores_that_hold_none_are_named(
    name: str, values: str, tmp_path: Path
) -> None:
    held = {"text": ["high"] * N, "dates": DAYS, "structs": [{"a": 1}] * N}[values]
    rows = ROWS.assign(**{name: held})
    pairs = [("parquet", written(tmp_path / "a.parquet", rows))]
    if values != "structs":
        pairs.append(("pandas", rows))
    for kind, source in pairs:
        (doubt,) = karat.evaluate(source).doubts
        assert doubt.code == "D108", kind
        assert repr(name) in doubt.evidence, kind
        assert karat.evaluate(source, y_prob="").doubts == (), kind


def test_they_are_named_beside_other_scores(tmp_path: Path) -> None:
    rows = ROWS.assign(prob=P, score=["high"] * N)
    for source in (rows, rows.drop(columns="pred"), written(tmp_path / "a.csv", rows)):
        report = karat.evaluate(source)
        assert report.mapping["y_prob"] == ["prob"]
        (doubt,) = report.doubts
        assert (doubt.code, "'score'" in doubt.evidence) == ("D108", True)
    dates = ROWS.assign(prob_0=DAYS, prob_1=DAYS)
    (doubt,) = karat.evaluate(dates).doubts
    assert "'prob_0', 'prob_1', columns of dates" in doubt.evidence
    assert karat.evaluate(rows, y_prob="prob").doubts == ()


# Messages.


def test_messages_begin_with_a_capital_and_read_well(tmp_path: Path) -> None:
    rows = ROWS.assign(pred=np.where(TRUE, "a", "b"))
    expected = "K108  Column 'label' and column 'pred' hold labels of different kinds.\n"
    found = "      Column 'label' holds numbers ({}), column 'pred' holds strings ('{}')."
    assert refused(rows).startswith(expected + found.format(0, "b"))
    path = written(tmp_path / "a.parquet", rows)
    assert refused(path).startswith(expected + found.format(0, "b"))
    apart = written(tmp_path / "a.csv", ROWS.assign(pred=7, label=np.where(TRUE, 3, 4)))
    message = refused(apart)
    assert message.startswith("K191  Column 'label' and column 'pred' have no label in common.")
    assert "\n      Column 'label' has 3, 4; column 'pred' has 7." in message
    assert refused(apart, labels=[3, 7]).startswith("K109  Column 'label' has labels")
    missing = written(tmp_path / "a.csv", ROWS.assign(pred=[None, *TRUE[1:]]))
    assert refused(missing).startswith("K104  Column 'pred' has missing labels.")


def test_a_label_that_begins_like_a_column_is_left_as_it_is() -> None:
    message = refused(["column 'x'", "a"], y_pred=["b", "c"])
    assert "column 'x'" in message
    assert "Column" not in message


def test_an_unknown_column_of_a_table_speaks_of_no_file(tmp_path: Path) -> None:
    for name in ("y_true", "y_pred", "weights", "by", "ids", "clusters"):
        assert "FILE" not in refused(ROWS, **{name: "lable"}), name
        message = refused(written(tmp_path / "a.csv", ROWS), **{name: "lable"})
        assert "Nearest: 'label'. `karat columns FILE` shows what is found." in message, name


# A class that a column names which is not read.


def _of_words(prob: str = "proba_fraud") -> pd.DataFrame:
    words = np.array(["ok", "fraud"])
    pred = np.where(np.arange(N) % 7 == 0, 1 - TRUE, TRUE)
    return pd.DataFrame({"label": words[TRUE], "pred": words[pred], prob: P})


def test_a_column_that_is_not_read_names_the_positive_class(tmp_path: Path) -> None:
    rows = _of_words()
    whole = karat.evaluate(rows)
    assert whole.classes.positive == 0
    for kind, source in sources(rows, tmp_path):
        report = karat.evaluate(source, metrics=["f1", "accuracy"])
        assert report.classes.positive == 0, kind
        assert report["f1"].value == whole["f1"].value, kind
        assert "y_prob" not in report.mapping, kind
        assert "D101" not in [doubt.code for doubt in report.doubts], kind
    named = karat.evaluate(rows, metrics="f1", y_pred="pred", labels=["ok", "fraud"])
    assert named["f1"].value == whole["f1"].value
    searched = karat.find_weak_slices(rows.assign(side=rows.index % 3), metric="f1")
    assert searched.measure == "f1"


def test_a_column_of_units_or_partitions_names_the_positive_class(tmp_path: Path) -> None:
    rows = _of_words()
    path = written(tmp_path / "rows.parquet", rows)
    expected = karat.evaluate(rows)["f1"].value
    resumed = karat.evaluate(
        path, metrics="f1", reading=karat.Reading(checkpoint=tmp_path / "read.ck")
    )
    assert resumed["f1"].value == expected
    many = written(tmp_path / "many.parquet", pd.concat([rows] * 4000))
    assert (
        karat.evaluate(many, metrics="f1", reading=karat.Reading(max_memory=1 << 20))["f1"].value
        == expected
    )
    dask = optional("dask.dataframe").from_pandas(rows, npartitions=3)
    assert karat.evaluate(dask, metrics="f1")["f1"].value == expected


@pytest.mark.parametrize("prob", ["proba_other", "prob"])
def test_a_column_that_names_no_class_settles_nothing(prob: str) -> None:
    rows = _of_words(prob)
    assert refused(rows, metrics="f1").startswith("K194")
    assert karat.evaluate(rows, metrics="accuracy").classes.positive is None


def test_a_column_that_is_not_read_decides_last() -> None:
    assert karat.evaluate(_of_words(), metrics="f1", positive="ok").classes.positive == 1
    numbers = ROWS.assign(proba_0=1 - P)
    assert karat.evaluate(numbers, metrics="f1").classes.positive == 1
    one = _of_words().assign(label="ok", pred="ok")
    assert karat.evaluate(one, metrics="accuracy").classes.labels == ("ok",)
