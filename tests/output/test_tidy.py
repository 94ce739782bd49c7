"""Rows of values: what they say, and that CSV and frames say the same."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.output.tidy import (
    COMPARISON_COLUMNS,
    REPORT_COLUMNS,
    Row,
    rows_of_comparison,
    rows_of_report,
)
from tests.optional import optional
from tests.output.hostile_names import NAMES, hostile_comparison, hostile_report
from tests.output.reports import REPORTS

pandas, polars, pyarrow = (optional(name) for name in ("pandas", "polars", "pyarrow"))
BACKENDS = ("pandas", "polars", "pyarrow")
SOME = ("two", "ten_prob", "weighted", "undefined", "absent_prob", "bucketed", "totals", "logits")


def listed(frame: Any) -> list[Row]:
    """The rows of a frame of any library, what is missing as None."""
    if isinstance(frame, pandas.DataFrame):
        return [
            {name: None if pandas.isna(item) else item for name, item in row.items()}
            for row in frame.to_dict("records")
        ]
    rows: list[Row] = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_pylist()
    return rows


def read_back(text: str, columns: dict[str, type]) -> list[Row]:
    """The rows of a CSV text, each field as what its column holds."""
    as_type = {str: str, float: float, int: int, bool: {"true": True, "false": False}.__getitem__}
    return [
        {name: as_type[columns[name]](item) if item else None for name, item in row.items()}
        for row in csv.DictReader(io.StringIO(text, newline=""))
    ]


def agrees(found: Sequence[Row], rows: Sequence[Row]) -> bool:
    return [dict(row) for row in found] == [dict(row) for row in rows]


@pytest.mark.parametrize("name", REPORTS)
def test_every_value_has_its_row_and_no_two_rows_are_of_one_value(name: str) -> None:
    report = REPORTS[name]()
    rows = rows_of_report(report)
    assert all(list(row) == list(REPORT_COLUMNS) for row in rows)
    keys = [(row["metric"], row["average"], row["label"], row["slice"]) for row in rows]
    assert len(set(keys)) == len(keys)
    of_all = {row["metric"]: row for row in rows if row["label"] is None}
    assert list(of_all) == list(report.metrics)
    for metric, result in report.metrics.items():
        row = of_all[metric]
        value = None if math.isnan(result.value) else result.value
        assert (row["value"], row["low"], row["high"]) == (value, result.low, result.high)
        assert (row["undefined"], row["exact"]) == (result.undefined, result.exact)
        assert (row["n"], row["level"], row["method"]) == (result.n, result.level, result.method)
    n_columns = 7 + 2 * any("roc_auc" in row for row in report.per_class)
    assert len(rows) - len(of_all) == n_columns * report.classes.k


def test_what_a_row_says_of_its_average_and_class() -> None:
    rows = rows_of_report(REPORTS["two"]())
    found = {(r["metric"], r["average"], r["label"]) for r in rows if "recall" in str(r["metric"])}
    assert found == {
        ("recall", "positive", None), ("macro_recall", "macro", None),
        ("micro_recall", "micro", None), ("weighted_recall", "weighted", None),
        ("recall", None, "benign"), ("recall", None, "malignant"),
    }  # fmt: skip
    assert all(row["average"] is None for row in rows if row["metric"] == "accuracy")


def test_values_of_classes_have_the_limits_and_reasons_of_the_table() -> None:
    report = karat.evaluate([0, 0, 1], [0, 0, 0], level=0.9)
    rows = {(r["metric"], r["label"]): r for r in rows_of_report(report) if r["label"] is not None}
    recall, precision = rows["recall", "0"], rows["precision", "1"]
    assert (recall["low"], recall["high"]) == report.per_class[0]["intervals"]["recall"]
    assert recall["level"] == 0.9
    assert precision["undefined"] == "nothing was predicted as the class (TP + FP = 0)"
    assert (precision["low"], precision["level"]) == (None, None)


def test_what_no_data_define_is_no_number_and_what_is_infinite_is_one() -> None:
    report = karat.evaluate(["a", "b"], y_prob=[[0.0, 1.0], [0.2, 0.8]], undefined="nan")
    rows = {row["metric"]: row for row in rows_of_report(report) if row["label"] is None}
    assert rows["log_loss"]["value"] == math.inf
    assert rows["log_loss"]["undefined"]
    nothing = [row for row in rows.values() if row["value"] is None]
    assert nothing
    assert all(row["undefined"] for row in nothing)


@pytest.mark.parametrize("name", SOME)
def test_csv_gives_back_every_digit(name: str) -> None:
    report = REPORTS[name]()
    found = read_back(report.to_csv(), dict(REPORT_COLUMNS))
    assert agrees(found, rows_of_report(report))
    found[0]["value"] = np.nextafter(float(found[0]["value"] or 0), 2)
    assert not agrees(found, rows_of_report(report))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SOME)
def test_a_frame_has_the_rows_in_typed_columns(name: str, backend: Any) -> None:
    report = REPORTS[name]()
    frame = report.to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    assert agrees(listed(frame), rows_of_report(report))
    # A column without any entry has its type too.
    kinds = {c: str(frame.schema.field(c).type if backend == "pyarrow" else frame[c].dtype)
             for c in ("metric", "slice", "value", "n", "exact")}  # fmt: skip
    assert [kind[:3].lower() for kind in kinds.values()] == ["str", "str", *{
        "pandas": ("flo", "int", "boo"), "polars": ("flo", "int", "boo"),
        "pyarrow": ("dou", "int", "boo"),
    }[backend]]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_comparison_has_one_row_for_each_metric_and_pair(backend: Any) -> None:
    found = hostile_comparison()
    rows = rows_of_comparison(found)
    assert [(r["metric"], r["a"], r["b"]) for r in rows] == [(d.metric, d.a, d.b) for d in found]
    assert rows[0]["difference"] == found.differences[0].difference
    assert agrees(listed(found.to_frame(backend)), rows)
    assert agrees(read_back(found.to_csv(), dict(COMPARISON_COLUMNS)), rows)


def test_a_comparison_of_which_nothing_is_known_has_nulls() -> None:
    same = karat.compare([0, 1, 0, 1], {"a": [0, 1, 0, 0], "b": [0, 1, 0, 0]}, metrics=["mcc"])
    (row,) = rows_of_comparison(same)
    assert row["rows_needed"] is None
    for backend in BACKENDS:
        assert agrees(listed(same.to_frame(backend)), [row])  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", [None, *BACKENDS])
def test_hostile_names_stand_in_rows_as_they_are(backend: Any, tmp_path: Path) -> None:
    report = hostile_report()
    expected = [name.encode("utf-8", "backslashreplace").decode() for name in NAMES]
    assert expected[NAMES.index("\ud800half")] == "\\ud800half"
    for rows in (
        listed(report.to_frame(backend)),
        read_back(report.to_csv(tmp_path / "rows.csv"), dict(REPORT_COLUMNS)),
        read_back((tmp_path / "rows.csv").read_bytes().decode(), dict(REPORT_COLUMNS)),
    ):
        labels = dict.fromkeys(row["label"] for row in rows if row["label"] is not None)
        assert list(labels) == expected


def test_the_frame_is_of_the_first_library_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    report = REPORTS["two"]()
    assert type(report.to_frame()).__module__.startswith("pandas")
    monkeypatch.setattr("karat.output.tidy._is_installed", lambda name: name != "pandas")
    assert type(report.to_frame()).__module__.startswith("polars")
    with pytest.raises(KaratError, match=r"Missing: pandas\.") as caught:
        report.to_frame("pandas")
    assert caught.value.code == "K501"
    monkeypatch.setattr("karat.output.tidy._is_installed", lambda name: False)
    with pytest.raises(KaratError, match=r"Missing: pandas or polars or pyarrow\.") as caught:
        report.to_frame()
    assert str(caught.value).endswith(
        "pip install pandas; report.to_csv() and report.to_json() need no package."
    )


def test_a_library_that_cannot_be_imported_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(REPORTS["two"]().to_frame()).__module__.startswith("polars")


def test_another_library_is_told_the_choices() -> None:
    with pytest.raises(KaratError, match="Choices: pandas, polars, pyarrow") as caught:
        REPORTS["two"]().to_frame("dask")  # type: ignore[arg-type]
    assert caught.value.code == "K122"


def test_slices_follow_with_their_rows_and_names() -> None:
    y_true, y_pred = [0, 1, 1, 0, 1, 0, 0, 1] * 20, [0, 1, 0, 0, 1, 0, 1, 1] * 20
    by = {"site": ["a", "b", "b", "a"] * 40, "half": [0] * 80 + [1] * 80}
    by[("site", "half")] = (by["site"], by["half"])  # type: ignore[index]
    report = karat.evaluate(y_true, y_pred, by=by)
    rows = [row for row in rows_of_report(report) if row["slice"] is not None]
    names = list(dict.fromkeys(row["slice"] for row in rows))
    assert names == [
        "site = a", "site = b", "half = 0", "half = 1",
        "site = a, half = 0", "site = a, half = 1", "site = b, half = 0", "site = b, half = 1",
    ]  # fmt: skip
    found = {(row["slice"], row["metric"]): row for row in rows}
    one = report.slices["site", "half"]["b", "1"]
    assert found["site = b, half = 1", "accuracy"]["value"] == one["accuracy"].value
    assert found["site = b, half = 1", "accuracy"]["low"] == one["accuracy"].low
    assert found["site = b, half = 1", "accuracy"]["n"] == one.n_rows == 40
    assert len(rows) == len(names) * len({row["metric"] for row in rows})
    assert all(row["slice"] is None for row in rows_of_report(karat.evaluate(y_true, y_pred)))
