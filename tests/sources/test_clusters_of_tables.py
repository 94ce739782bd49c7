"""Clusters of frames and files: the same intervals as from arrays, whatever names the clusters."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.data.checks import unused_groups
from karat.errors import KaratError
from tests.sources.score_sources import WRITERS, pa, pd, pl

N = 400
RNG = np.random.default_rng(11)
TRUE = RNG.integers(0, 3, N)
PRED = np.where(RNG.random(N) < 0.7, TRUE, RNG.integers(0, 3, N))
WEIGHTS = RNG.random(N).round(3)
USERS = RNG.integers(0, 40, N)
PROB = RNG.dirichlet(np.ones(3), N).round(6)
PROB[:, 2] = 1 - PROB[:, 0] - PROB[:, 1]
NAMES: dict[str, list[Any]] = {
    "whole": USERS.tolist(),
    "text": [f'user {number}, "é"' for number in USERS],
    "day": [dt.date(2024, 1, 1) + dt.timedelta(int(number)) for number in USERS],
}
COLUMNS: dict[str, Any] = {
    "label": TRUE, "pred": PRED, "sample_weight": WEIGHTS, **NAMES,
}  # fmt: skip
SCORED = {**COLUMNS, **{f"proba_{i}": PROB[:, i] for i in range(3)}}


def write_csv(path: Path, table: Any) -> str:
    table.to_pandas().to_csv(path, index=False)
    return str(path)


def write_json(path: Path, table: Any) -> str:
    frame = table.to_pandas()
    frame["day"] = frame["day"].astype(str)
    frame.to_json(path, orient="records", lines=True, double_precision=15)
    return str(path)


def sources(folder: Path, columns: dict[str, Any]) -> dict[str, Any]:
    table = pa.table(columns)
    return {
        "dict": columns,
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "arrow": table,
        "csv": write_csv(folder / "a.csv", table),
        "jsonl": write_json(folder / "a.jsonl", table),
        "parquet": WRITERS["parquet"](folder / "a.parquet", table),
    }


def limits(report: Report) -> tuple[Any, ...]:
    names = ("accuracy", "macro_f1", "mcc")
    return tuple((report[name].value, report[name].low, report[name].high) for name in names)


def test_a_frame_takes_an_array_and_files_do_not(tmp_path: Path) -> None:
    table = {"label": TRUE, "pred": PRED}
    found = karat.evaluate(table, clusters=USERS)
    assert limits(found) == limits(karat.evaluate(TRUE, PRED, clusters=USERS))
    assert found.mapping["clusters"] == "clusters (values)"
    path = WRITERS["parquet"](tmp_path / "a.parquet", pa.table(table))
    with pytest.raises(KaratError, match=r"(?s)K421.*clusters="):
        karat.evaluate(path, clusters=USERS)
    with pytest.raises(KaratError, match="without a table"):
        karat.evaluate(TRUE, PRED, clusters="user")


def test_whole_numbers_are_one_cluster_however_a_file_writes_them(tmp_path: Path) -> None:
    columns = {"label": TRUE, "pred": PRED, "user": USERS.astype(np.float64)}
    expected = limits(karat.evaluate(TRUE, PRED, clusters=USERS))
    for source in (
        columns,
        WRITERS["parquet"](tmp_path / "a.parquet", pa.table(columns)),
        WRITERS["jsonl"](tmp_path / "a.jsonl", pa.table(columns)),
    ):
        assert limits(karat.evaluate(source, clusters="user")) == expected


def test_what_names_no_row_is_refused(tmp_path: Path) -> None:
    lists = pa.table({"label": [0, 1], "pred": [0, 1], "user": [[1], [2]]})
    path = WRITERS["parquet"](tmp_path / "a.parquet", lists)
    with pytest.raises(KaratError, match="K106"):
        karat.evaluate(path, clusters="user")
    halves = pa.table({"label": [0, 1], "pred": [0, 1], "user": [0.5, 1.0]})
    path = WRITERS["parquet"](tmp_path / "b.parquet", halves)
    with pytest.raises(KaratError, match=r"K106.*\n.*0\.5"):
        karat.evaluate(path, clusters="user")
    with pytest.raises(KaratError, match="K404"):
        karat.evaluate(path, clusters="patient")


def test_all_rows_in_one_cluster_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,pred,user\n0,0,7\n1,0,7\n", "utf-8")
    with pytest.raises(KaratError, match="K145"):
        karat.evaluate(path, clusters="user")


def test_files_of_several_formats_name_the_same_clusters(tmp_path: Path) -> None:
    half = N // 2
    table = pa.table({"label": TRUE, "pred": PRED, "user": USERS})
    WRITERS["parquet"](tmp_path / "a.parquet", table[:half])
    table[half:].to_pandas().to_csv(tmp_path / "b.csv", index=False)
    found = karat.evaluate(tmp_path, clusters="user")
    assert limits(found) == limits(karat.evaluate(TRUE, PRED, clusters=USERS))


@pytest.mark.parametrize("kind", ["dict", "csv", "parquet"])
def test_a_column_called_like_a_group_is_told_once(kind: str, tmp_path: Path) -> None:
    columns = {"label": TRUE, "pred": PRED, "patient_id": USERS, "day": NAMES["day"]}
    source = sources(tmp_path, columns)[kind]
    (warning,) = karat.evaluate(source).warnings
    assert "clusters='patient_id'" in warning
    for options in ({"clusters": ""}, {"level": None}, {"clusters": "patient_id"}):
        assert karat.evaluate(source, **options).warnings == (), options


def test_no_column_of_the_examples_is_called_like_a_group() -> None:
    assert unused_groups(["label", "pred", "fold", "proba_0"], [], lambda _: True) == []


def test_the_command_line_takes_the_same_options(tmp_path: Path) -> None:
    from karat.cli import main

    path = WRITERS["parquet"](tmp_path / "a.parquet", pa.table({k: COLUMNS[k] for k in (
        "label", "pred", "whole")}))  # fmt: skip
    out = tmp_path / "out.json"
    asked = ["--level", "0.9", "--side", "low", "--design", "cohort", "--seed", "3"]
    assert main(["report", path, "--clusters", "whole", *asked, "-o", str(out)]) == 0
    found = json.loads(out.read_text("utf-8"))["metrics"]["accuracy"]
    expected = karat.evaluate(
        TRUE, PRED, clusters=USERS, level=0.9, interval=karat.Interval(side="low", seed=3)
    )
    assert found["low"] == expected["accuracy"].low
    assert main(["report", path, "--level", "none", "-o", str(out)]) == 0
    assert json.loads(out.read_text("utf-8"))["metrics"]["accuracy"]["low"] is None
    for wrong in (["--level", "high"], ["--level", "2"], ["--method", "magic"], ["--seed", "-1"]):
        assert main(["report", path, *wrong]) == 2, wrong
