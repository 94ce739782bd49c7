"""Which rows of files larger than memory are looked at, and how errors name them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karat
from karat.data.sources.files import units as unit_cuts
from karat.errors import KaratError
from tests.cli.running import Karat
from tests.grouping import grouped
from tests.sources.big_sets import LEAST

N = 140_000


@cache
def rows_of_two_classes() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    p = rng.random(N)
    lists = pl.Series(np.stack([1 - p, p], axis=1)).cast(pl.List(pl.Float64))
    columns = {"label": (rng.random(N) < p).astype(int), "prob": p, "lists": lists}
    return pl.DataFrame(columns | {"sample_weight": rng.integers(1, 4, N).astype(float)})


def columns_of(first: dict[str, Any]) -> pl.DataFrame:
    """Rows of two classes, whose first holds something else."""
    rows = rows_of_two_classes()
    one = rows.row(0, named=True) | first
    return pl.concat([pl.DataFrame([one], schema=rows.schema), rows[1:]])


def test_scores_that_fit_are_kept_whatever_their_labels_take(tmp_path: Path) -> None:
    rows = rows_of_two_classes()[:100_000]
    rows.write_parquet(tmp_path / "rows.parquet")
    call: dict[str, Any] = {"y_true": "label", "y_prob": "prob", "weights": ""}
    assert 8 * len(rows) < LEAST < 16 * len(rows)
    found = karat.evaluate(
        tmp_path / "rows.parquet", **grouped({"reading": karat.Reading(max_memory=LEAST), **call})
    )
    assert found["roc_auc"].exact
    assert found["roc_auc"].value == karat.evaluate(rows, **grouped(call))["roc_auc"].value


def test_a_query_of_files_is_read_in_pieces(tmp_path: Path) -> None:
    rows_of_two_classes().write_parquet(tmp_path / "rows.parquet")
    call: dict[str, Any] = {"y_true": "label", "y_prob": "prob", "weights": ""}
    query = f"SELECT * FROM read_parquet('{tmp_path / 'rows.parquet'}')"
    found, whole = (
        karat.evaluate(query, **grouped({"reading": karat.Reading(max_memory=LEAST), **call})),
        karat.evaluate(query, **grouped(call)),
    )
    np.testing.assert_allclose(found["brier"].value, whole["brier"].value, rtol=1e-12)
    assert not found["roc_auc"].exact


@pytest.mark.parametrize(
    ("first", "given"),
    [
        ({"label": None, "prob": None}, {"nulls": "drop"}),
        ({"label": None, "prob": float("nan")}, {"nulls": "drop"}),
        ({"label": None, "prob": 1.5}, {"nulls": "drop"}),
        ({"label": None, "sample_weight": None}, {"nulls": "drop", "weights": "sample_weight"}),
        ({"sample_weight": None}, {"nulls": "drop", "weights": "sample_weight"}),
        ({"sample_weight": 0.0}, {"weights": "sample_weight"}),
        ({"label": None, "lists": None}, {"nulls": "drop", "y_prob": "lists"}),
        ({"label": None, "lists": [None, 0.5]}, {"nulls": "drop", "y_prob": "lists"}),
    ],
)
def test_a_first_row_that_is_left_out_is_not_looked_at(
    first: dict[str, Any], given: dict[str, Any], tmp_path: Path
) -> None:
    columns_of(first).write_parquet(tmp_path / "rows.parquet")
    given = {"y_true": "label", "y_prob": "prob", "weights": "", **given}
    whole = karat.evaluate(tmp_path / "rows.parquet", **grouped(given))
    units = karat.evaluate(
        tmp_path / "rows.parquet", **grouped({"reading": karat.Reading(max_memory=LEAST), **given})
    )
    assert units.n_rows == whole.n_rows
    np.testing.assert_allclose(units["log_loss"].value, whole["log_loss"].value, rtol=1e-12)
    assert units.warnings[: len(whole.warnings)] == whole.warnings


@pytest.mark.parametrize(
    ("first", "given"),
    [
        ({"prob": None}, {}),
        ({"prob": float("nan")}, {}),
        ({"prob": 1.5}, {}),
        ({"label": None}, {}),
        ({"label": 7}, {"labels": [0, 1]}),
        ({"lists": None}, {"y_prob": "lists"}),
        ({"sample_weight": -1.0}, {"weights": "sample_weight"}),
        ({"sample_weight": float("inf")}, {"weights": "sample_weight"}),
    ],
)
def test_a_bad_row_is_named_as_in_the_whole_read(
    first: dict[str, Any], given: dict[str, Any], tmp_path: Path
) -> None:
    """What is wrong stands in a row behind others, and only there."""
    path = tmp_path / "rows.parquet"
    columns_of(first).reverse().write_parquet(path)
    given = {"y_true": "label", "y_prob": "prob", "weights": "", **given}
    errors = []
    for n_bytes in (1 << 30, LEAST):
        with pytest.raises(KaratError) as problem:
            karat.evaluate(path, **grouped({"reading": karat.Reading(max_memory=n_bytes), **given}))
        errors.append(problem.value)
    assert errors[0].code == errors[1].code
    rows = [problem.context["row"] for problem in errors]
    assert rows == [N - 1, N - 1]
    assert [problem.context["count"] for problem in errors] == [1, 1]
    assert [problem.context["n"] for problem in errors] == [N, N]


def test_a_label_that_is_no_number_is_named_as_in_the_whole_read(tmp_path: Path) -> None:
    rows = columns_of({}).with_columns(pl.col("label").cast(pl.Float64))
    rows = pl.concat([rows, rows[:1].with_columns(pl.lit(0.5).alias("label"))])
    rows.write_parquet(tmp_path / "rows.parquet")
    for n_bytes in (1 << 30, LEAST):
        with pytest.raises(KaratError) as problem:
            karat.evaluate(
                tmp_path,
                y_true="label",
                y_prob="prob",
                weights="",
                reading=karat.Reading(max_memory=n_bytes),
            )
        assert (problem.value.code, problem.value.context["row"]) == ("K407", N)


def test_the_file_of_a_bad_row_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = columns_of({"prob": 1.5})
    rows[1:].write_parquet(tmp_path / "a.parquet")
    pl.concat([rows[-3:], rows]).write_parquet(tmp_path / "b.parquet")
    given: dict[str, Any] = {"y_true": "label", "y_prob": "prob", "weights": ""}

    def told(max_memory: int) -> str:
        with pytest.raises(KaratError) as problem:
            karat.evaluate(
                tmp_path, **grouped({"reading": karat.Reading(max_memory=max_memory), **given})
            )
        assert (problem.value.code, problem.value.context["row"]) == ("K132", N + 2)
        return str(problem.value).splitlines()[1].strip()

    first = f"First at row {N + 2}, column 'prob': 1.5; 1 of"
    b = tmp_path / "b.parquet"
    assert told(1 << 30) == f"{first} {2 * N + 2} rows. It is row 3 of {b}."
    assert told(LEAST) == f"{first} {2 * N + 2} rows. It is row 3 of {b}."
    monkeypatch.setattr(unit_cuts, "N_UNIT", N + 3)
    assert told(LEAST) == f"{first} {N + 3} rows. It is row 3 of {b}. The count is of {b}."
    monkeypatch.setattr(unit_cuts, "N_UNIT", 1000)
    place = f"The count is of rows 0 to 999 of {b}."
    assert told(LEAST) == f"{first} 1000 rows. It is row 3 of {b}. {place}"


def test_rows_behind_a_filter_are_numbered_in_their_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "ab":
        columns_of({"prob": 1.5} if name == "b" else {}).write_parquet(tmp_path / f"{name}.parquet")
    monkeypatch.setattr(unit_cuts, "N_UNIT", N)
    words = [
        "report",
        str(tmp_path),
        "--ids",
        "",
        "--prob",
        "prob",
        "--where",
        "sample_weight > 0",
        "--max-memory",
        "1MiB",
    ]
    found = Karat(capsys)(*words, "--weights", "")
    place = f"among those that the filter keeps of {tmp_path / 'b.parquet'}."
    assert "row 0, column 'prob'" in found.err
    assert place in " ".join(found.err.split())


@pytest.mark.parametrize("metrics", [None, ["accuracy"]])
def test_files_that_fit_are_read_once(
    metrics: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.data.sources.files import large, units

    def refused(*args: object) -> object:
        raise AssertionError("the labels were read before the rows")

    monkeypatch.setattr(large, "_DENSEST", 1 << 40)
    monkeypatch.setattr(units, "_digest", refused)
    path = tmp_path / "a.parquet"
    rows = {"label": [0, 1, 1], "pred": [0, 1, 0], "prob": [0.1, 0.9, 0.4]}
    pl.DataFrame(rows).write_parquet(path)
    assert karat.evaluate(path, metrics=metrics)["accuracy"].value == 2 / 3
    with pytest.raises(AssertionError, match="before the rows"):
        karat.evaluate(
            path, metrics=metrics, reading=karat.Reading(checkpoint=tmp_path / "read.karat")
        )
