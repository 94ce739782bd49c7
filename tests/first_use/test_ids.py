"""Ids of rows are compared in every source, under every filter and whatever their types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from tests.cli.running import Karat

N = 60
TRUE = np.arange(N) % 2
ROWS = pd.DataFrame({"id": np.arange(N), "label": TRUE, "pred": TRUE, "kept": 1})
ENDINGS = ("csv", "parquet", "jsonl")


def written(path: Path, rows: pd.DataFrame) -> str:
    if path.suffix == ".csv":
        rows.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        rows.to_parquet(path)
    else:
        rows.to_json(path, orient="records", lines=True)
    return str(path)


def codes(source: Any, **options: Any) -> list[str]:
    found = [doubt.code for doubt in karat.evaluate(source, **options).doubts]
    checked = karat.check(source, **options)
    assert [doubt.code for doubt in checked.doubts] == found
    return found


def refused(source: Any, **options: Any) -> str:
    with pytest.raises(karat.KaratError) as caught:
        karat.evaluate(source, **options)
    return str(caught.value)


@pytest.mark.parametrize("where", ["kept = 1", "id < 50", "kept = 1 AND label >= 0"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_ids_are_compared_under_a_filter(
    ending: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    karat_ = Karat(capsys)
    both = [written(tmp_path / f"{name}.{ending}", ROWS) for name in ("lr", "nb")]
    done = karat_("report", *both, "--where", where)
    assert done.code == 2
    assert "K193" in done.err
    assert f"{50 if 'id' in where else N} ids of column 'id'" in done.err
    assert karat_("report", *both, "--where", "false").code == 2
    # Each has the rows that the other lacks.
    done = karat_("report", written(tmp_path / f"half.{ending}", ROWS[: N // 2]), both[1],
                  "--where", f"id >= {N // 2}")  # fmt: skip
    assert done.code == 0
    assert "repeat an id" not in done.err
    twice = written(tmp_path / f"twice.{ending}", pd.concat([ROWS, ROWS.head(3)]))
    done = karat_("report", twice, "--where", where)
    assert done.code == 0
    assert "6 of" in done.err
    assert "Rows repeat an id" in done.err


def test_ids_of_a_query_are_compared(tmp_path: Path) -> None:
    one, two = (written(tmp_path / f"{name}.csv", ROWS) for name in ("lr", "nb"))
    both = f"SELECT * FROM '{one}' UNION ALL SELECT * FROM '{two}'"
    assert codes(f"SELECT * FROM '{one}'") == []
    assert codes(both) == ["D105"]
    assert f"{2 * N} of {2 * N} rows" in karat.evaluate(both).doubts[0].evidence
    assert codes(both, ids="") == []
    assert codes(f"SELECT id AS key, label, pred FROM ({both})") == []
    assert codes(f"SELECT id AS key, label, pred FROM ({both})", ids="key") == ["D105"]


@pytest.mark.parametrize("kind", ["text", "float", "float_as_text"])
@pytest.mark.parametrize("right", ENDINGS)
@pytest.mark.parametrize("left", ENDINGS)
def test_ids_of_different_types_are_the_same(
    left: str, right: str, kind: str, tmp_path: Path
) -> None:
    made = {"text": str, "float": float, "float_as_text": float}[kind]
    others = ROWS.assign(id=ROWS["id"].astype(made))
    if kind == "float_as_text":
        others["id"] = others["id"].astype(str)
        others["label"] = others["label"].astype(float)
    both = [written(tmp_path / f"a.{left}", ROWS), written(tmp_path / f"b.{right}", others)]
    assert f"{N} ids of column 'id'" in refused(both)


def test_labels_of_different_types_are_the_same(tmp_path: Path) -> None:
    words = ROWS.assign(label=np.where(TRUE, "a", "b"), pred=np.where(TRUE, "a", "b"))
    for rows, other in ((words, words), (ROWS, ROWS.assign(label=TRUE == 1))):
        for ending in ("csv", "jsonl"):
            both = [written(tmp_path / "a.csv", rows), written(tmp_path / f"b.{ending}", other)]
            assert "K193" in refused(both)
    other = ROWS.assign(label=1 - TRUE)
    assert codes([written(tmp_path / "a.csv", ROWS), written(tmp_path / "b.jsonl", other)]) == [
        "D105"
    ]


def test_a_column_called_filename_is_no_file(tmp_path: Path) -> None:
    for ending in ENDINGS:
        rows = ROWS.assign(filename="image.png")
        one, two = (written(tmp_path / f"{name}.{ending}", rows) for name in ("lr", "nb"))
        assert two in refused([one, two])
        rows = pd.concat([rows.assign(filename="a.png"), rows.assign(filename="b.png")])
        assert codes(written(tmp_path / f"one.{ending}", rows)) == ["D105"]


def test_keys_that_differ_in_case_have_ids_too(tmp_path: Path) -> None:
    rows = ROWS.assign(ID="other")
    one, two = (written(tmp_path / f"{name}.jsonl", rows) for name in ("lr", "nb"))
    assert two in refused([one, two], ids="id")


def test_a_named_column_of_ids_is_in_every_file(tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        lacking = written(tmp_path / f"b.{ending}", ROWS.drop(columns="id"))
        both = [written(tmp_path / f"a.{ending}", ROWS), lacking]
        assert "K410" in refused(both, ids="id")
        assert codes(both) == []


ODD = {
    "lists": [[1, i // 2] for i in range(N)],
    "tuples": [(1, i // 2) for i in range(N)],
    "arrays": [np.array([1, i // 2]) for i in range(N)],
    "mixed": [i // 2 if i % 2 else str(i // 2) for i in range(N)],
    "bytes": [bytes([255, i // 2]) for i in range(N)],
    "fractions": [i // 2 + 0.5 for i in range(N)],
    "dicts": [{"a": i // 2} for i in range(N)],
}


@pytest.mark.parametrize("name", ODD)
def test_ids_that_are_no_labels_are_compared(name: str) -> None:
    columns = {**ROWS.to_dict("list"), "id": ODD[name]}
    for table in (columns, pd.DataFrame(columns)):
        for options in ({}, {"ids": "id"}):
            assert codes(table, **options) == ["D105"]
        assert f"{N} of {N} rows" in karat.evaluate(table).doubts[0].evidence
    assert codes({**columns, "id": ODD[name][::2] + [f"other {i}" for i in range(N // 2)]}) == []


def test_lists_of_other_tables_are_compared_or_refused() -> None:
    columns = {**ROWS.to_dict("list"), "id": ODD["lists"]}
    assert codes(pl.DataFrame(columns)) == ["D105"]
    table = pa.table(columns)
    assert codes(table) == []
    message = refused(table, ids="id")
    assert "K106  Column 'id'" in message
    assert "ids=''" in message


def test_ids_of_many_rows_are_compared_where_the_column_is_named() -> None:
    n = 200_001
    rows = {"id": np.arange(n) % (n - 1), "label": np.arange(n) % 2, "pred": np.arange(n) % 2}
    assert codes(rows, ids="id") == ["D105"]
    assert codes(rows) == []


def test_ids_of_a_reader_are_read_with_the_labels() -> None:
    for options in ({}, {"ids": "id"}):
        reader = pa.table({**ROWS.to_dict("list"), "id": np.arange(N) // 2}).to_reader()
        assert [x.code for x in karat.evaluate(reader, **options).doubts] == ["D105"]
    rows = pa.table({**ROWS.to_dict("list"), "prob": TRUE * 0.5 + 0.1, "id": np.arange(N) // 2})
    assert [x.code for x in karat.evaluate(rows.to_reader()).doubts] == ["D105"]


def test_ids_in_partitions_are_not_compared_and_said_so() -> None:
    table = dd.from_pandas(pd.concat([ROWS, ROWS]), npartitions=2)
    (doubt,) = karat.evaluate(table, ids="id").doubts
    assert (doubt.code, doubt.noticed) == ("D108", "The ids of column 'id' were not read.")
    assert "ids=''" in doubt.option
    for ids in (None, ""):
        assert karat.evaluate(table, ids=ids).doubts == ()


@pytest.mark.parametrize("ending", ENDINGS)
def test_ids_of_rows_that_do_not_fit_are_compared(ending: str, tmp_path: Path) -> None:
    rows = pd.concat([ROWS.assign(prob=TRUE * 0.5 + 0.1)] * 300)
    path = written(tmp_path / f"a.{ending}", rows)
    for ids in (None, "id"):
        report = karat.evaluate(path, ids=ids, reading=karat.Reading(max_memory=1 << 20))
        assert [x.code for x in report.doubts] == ["D105"]


def test_missing_ids_are_called_ids(tmp_path: Path) -> None:
    rows = ROWS.assign(id=[None, *range(1, N)])
    for source in (rows, written(tmp_path / "a.csv", rows), written(tmp_path / "a.parquet", rows)):
        with pytest.raises(karat.KaratError) as caught:
            karat.gate(source, baseline=ROWS, max_drop={"accuracy": 0.1}, ids="id")
        assert str(caught.value).startswith("K104  Column 'id' has missing ids.")
        with pytest.raises(karat.InputError, match=r"K104  Column 'id' has missing values\."):
            karat.evaluate(source, clusters="id")
        # Rows without an id repeat none.
        assert codes(source) == []


def test_a_broken_file_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,label,pred\n1,0,0\n2,1,1,7\n")
    assert "K403" in refused(str(path))
    assert "K408" in refused(f"SELECT id, label, error('x') AS pred FROM '{path}'")
