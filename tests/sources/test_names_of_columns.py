"""Which column is of which class: one rule for tables, lists of names and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat
from karat.errors import KaratError

PROB = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
TWO = np.array([[0.9, 0.1], [0.1, 0.9]])
ANIMALS = ["cat", "dog", "owl"]


def accuracies(y: list[Any], columns: list[Any], folder: Path) -> set[float | str]:
    """Of a table as y_prob=, of named columns of a frame, and of a file; or the errors."""
    table = pd.DataFrame(PROB if len(columns) == 3 else TWO, columns=columns)
    whole = table.assign(y=y)
    path = folder / "p.csv"
    whole.to_csv(path, index=False)
    names = [str(name) for name in columns]
    calls = [
        lambda: karat.evaluate(y, y_prob=table),
        lambda: karat.evaluate(y, y_prob=pl.DataFrame(table.rename(columns=str))),
        lambda: karat.evaluate(whole, y_true="y", y_prob=names),
        lambda: karat.evaluate(str(path), y_true="y", y_prob=names),
    ]
    found: set[float | str] = set()
    for call in calls:
        try:
            found.add(float(call()["accuracy"]))
        except KaratError as problem:
            found.add(problem.code)
    return found


@pytest.mark.parametrize(
    ("y", "columns", "expected"),
    [
        ([10, 20, 30], [30, 20, 10], 1 / 3),
        ([30, 20, 10], [30, 20, 10], 1.0),
        ([2023, 2022, 2021], ["2023", "2022", "2021"], 1.0),
        ([2, 1, 0], [2, 1, 0], 1.0),
        ([0, 1, 2], [0, 1, 2], 1.0),
        (["a", "b", "c"], [0, 1, 2], 1.0),
        ([0, 1, 2], ["1", "2", "3"], 1.0),
        (ANIMALS, ["p_cat", "p_dog", "p_owl"], 1.0),
        (ANIMALS[::-1], ["p_owl", "q_dog", "r_cat"], 1.0),
        (ANIMALS, ["OWL", "DOG", "CAT"], "K137"),
        (ANIMALS, ["Cat", "Dog", "Owl"], 1.0),
        ([0, 1, 2], ["p_2", "p_1", "x"], "K137"),
        ([0, 1, 2], ["p_0", "a", "b"], 1.0),
        (ANIMALS, ["first", "second", "third"], 1.0),
    ],
)
def test_a_table_a_list_and_a_file_agree(
    y: list[Any], columns: list[Any], expected: float | str, tmp_path: Path
) -> None:
    assert accuracies(y, columns, tmp_path) == {expected}


@pytest.mark.parametrize(
    ("y", "columns", "expected"),
    [
        ([0, 1], ["0", "1"], 1.0),
        ([0, 1], ["1", "0"], 0.0),
        ([0, 1], ["1", "2"], "K137"),
        ([0, 1], [1, 2], "K137"),
        ([0, 1], ["2", "1"], "K137"),
        ([0, 1], ["5", "7"], "K137"),
        ([0, 1], ["10", "11"], "K137"),
        ([0, 1], ["11", "10"], "K137"),
        ([0, 1], ["10.0", "11.0"], "K137"),
        ([0, 1], ["01", "02"], "K137"),
        ([0, 1], ["01", "00"], 0.0),
        ([9, 10, 11], ["09", "10", "11"], 1.0),
        ([9, 10, 11], ["11", "10", "09"], 1 / 3),
        ([0, 1], ["-1", "1"], "K137"),
        ([True, False], ["1", "2"], "K137"),
        ([1, 2], ["0", "1"], 1.0),
        ([1, 2], ["1", "0"], "K137"),
        ([1, 2], ["2", "1"], 0.0),
        ([2, 1], ["-1", "-2"], "K137"),
        ([5, 7], ["0", "1"], 1.0),
        ([5, 7], ["1", "2"], 1.0),
        ([5, 7], ["2", "1"], "K137"),
        ([5, 7], ["3", "4"], "K137"),
        (["no", "yes"], [0, 1], 1.0),
        (["no", "yes"], [1, 2], 1.0),
        (["no", "yes"], [1, 0], "K137"),
        (["no", "yes"], ["2", "1"], "K137"),
        (["no", "yes"], ["5", "7"], 1.0),
        ([0, 1, 2], ["3", "2", "1"], "K137"),
        ([0, 1, 2], ["0", "1", "3"], "K137"),
        ([0, 1, 2], ["3", "4", "5"], "K137"),
        ([1, 2, 3], ["0", "1", "2"], 1.0),
        ([1, 2, 3], ["2", "3", "4"], "K137"),
    ],
)
def test_columns_named_after_numbers_are_named_after_classes_unless_they_count(
    y: list[Any], columns: list[Any], expected: float | str, tmp_path: Path
) -> None:
    assert accuracies(y, columns, tmp_path) == {expected}


@pytest.mark.parametrize("y", [[0, 0], [0, 1]])
def test_a_class_that_does_not_occur_changes_nothing_of_that(y: list[int]) -> None:
    prob = {"1": [0.9, 0.1], "2": [0.1, 0.9]}
    for call in (
        lambda: karat.evaluate(y, y_prob=prob),
        lambda: karat.evaluate({"y": y, **prob}, y_true="y", y_prob=["1", "2"]),
    ):
        with pytest.raises(KaratError) as caught:
            call()
        assert caught.value.code == "K137"
        assert "columns: '1', '2'" in str(caught.value)


def test_numbers_that_are_no_classes_are_those_of_the_labels_given() -> None:
    prob = {"7": [0.9, 0.1], "5": [0.1, 0.9]}
    with pytest.raises(KaratError, match=r"o column for 0, 1; no class for '7', '5'; columns"):
        karat.evaluate([0, 1], y_prob=prob)
    assert karat.evaluate([0, 1], y_prob=prob, labels=[0, 1])["accuracy"].value == 1.0


def test_classes_that_columns_name_need_not_all_occur() -> None:
    table = pd.DataFrame(PROB, columns=[10, 20, 30])
    report = karat.evaluate([10, 20, 20], y_prob=table)
    assert report.classes.labels == (10, 20, 30)
    turned = karat.evaluate([10, 20, 30], y_prob=table, labels=[30, 20, 10])
    assert turned["log_loss"] == karat.evaluate([10, 20, 30], y_prob=table)["log_loss"]


def test_a_single_column_that_names_the_other_class_is_refused() -> None:
    y = ["cat", "dog", "dog", "cat"]
    column = pd.DataFrame({"p_cat": [0.9, 0.1, 0.6, 0.7]})
    for call in (
        lambda: karat.roc_auc(y, y_prob=column, positive="dog"),
        lambda: karat.roc_auc(y, y_prob={"p_cat": [0.9, 0.1, 0.6, 0.7]}, positive="dog"),
        lambda: karat.evaluate(column.assign(y=y), y_true="y", y_prob="p_cat", positive="dog"),
    ):
        with pytest.raises(KaratError) as caught:
            call()
        assert caught.value.code == "K137"
    assert karat.roc_auc(y, y_prob=column.rename(columns={"p_cat": "p_dog"})) == 0.0
    assert karat.roc_auc(y, y_prob=column, positive="cat") == 1.0
    # Without a named one the column says which class is positive.
    assert karat.roc_auc(y, y_prob=column) == 1.0


def test_columns_without_names_are_those_of_sorted_classes(tmp_path: Path) -> None:
    order = ["lo", "mid", "hi"]
    y = pd.Categorical(["lo", "hi", "mid"], order, ordered=True)
    prob = np.array([[0.1, 0.8, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])  # hi, lo, mid
    assert karat.evaluate(y, y_prob=prob)["accuracy"].value == 1.0
    frame = pd.DataFrame({"y": y, "p": prob.tolist()})
    assert karat.evaluate(frame, y_true="y", y_prob="p")["accuracy"].value == 1.0
    path = tmp_path / "p.parquet"
    frame.to_parquet(path)
    assert karat.evaluate(str(path), y_true="y", y_prob="p")["accuracy"].value == 1.0
    # Labels alone keep the order of their categories, and so do columns that name them.
    assert karat.evaluate(y, y).classes.labels == tuple(order)
    named = pd.DataFrame(prob, columns=["p_hi", "p_lo", "p_mid"])
    assert karat.evaluate(y, y_prob=named).classes.labels == tuple(order)
    answers = pl.Series(["yes", "no", "no"], dtype=pl.Enum(["yes", "no"]))
    assert karat.roc_auc(answers, y_prob=[0.9, 0.1, 0.2], positive="yes") == 1.0


@pytest.mark.parametrize("names", ["p,q", "q,p", "p,r"])
def test_lists_beside_other_columns_are_refused(names: str, tmp_path: Path) -> None:
    rows = [
        '{"y": 0, "p": [0.1, 0.9], "q": 0.1, "r": [0.1, 0.2, 0.7]}',
        '{"y": 1, "p": [0.2, 0.8], "q": 0.5, "r": [0.2, 0.2, 0.6]}',
    ]
    path = tmp_path / "f.jsonl"
    path.write_text("\n".join(rows) + "\n")
    frame = pl.read_ndjson(path)
    frame.write_parquet(tmp_path / "f.parquet")
    for source in (str(path), str(tmp_path / "f.parquet"), frame):
        with pytest.raises(KaratError) as caught:
            karat.evaluate(source, y_true="y", y_score=names.split(","))
        assert caught.value.code == "K130"
        assert "holds lists" in str(caught.value)


@pytest.mark.parametrize("blank", ["", "nan", "inf", "1.5", "x"])
def test_columns_only_called_like_probabilities_do_not_stop_a_report(
    blank: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.csv"
    path.write_text(f"y,pred,p_value,p_adj\n0,0,.1,.9\n1,1,{blank},.8\n")
    report = karat.evaluate(str(path))
    assert report["accuracy"].value == 1.0
    assert any("p_*" in text for text in report.warnings)
    path.write_text(f"y,pred,p_0,p_1\n0,0,.1,.9\n1,1,{blank},.8\n")
    with pytest.raises(KaratError) as caught:
        karat.evaluate(str(path))
    assert caught.value.code in ("K130", "K131", "K132", "K133")


@pytest.mark.parametrize("columns", [[0, 1, 2], ["0", "1", "2"]])
def test_the_places_of_a_table_without_names_are_no_names(
    columns: list[Any], tmp_path: Path
) -> None:
    table = pd.DataFrame([[0, 0.9, 0.1], [1, 0.2, 0.8]], columns=columns)
    path = tmp_path / "p.csv"
    table.to_csv(path, index=False)
    for source in (table, str(path)):
        assert karat.evaluate(source, y_true="0", y_prob=["1", "2"])["accuracy"].value == 1.0
    named = table.set_axis(["y", *columns[1:]], axis=1)
    named.to_csv(path, index=False)
    for source in (named, str(path)):
        with pytest.raises(KaratError) as caught:
            karat.evaluate(source, y_true="y", y_prob=["1", "2"])
        assert caught.value.code == "K137"
    with pytest.raises(KaratError) as caught:
        karat.evaluate([0, 1], y_prob=table[columns[1:]])
    assert caught.value.code == "K137"


@pytest.mark.parametrize("names", [["9" * 5000, "8" * 5000], ["0" * 5000 + "1", "2"]])
@pytest.mark.parametrize("kind", [int, str, bool])
def test_names_of_more_digits_than_any_number_are_no_classes(names: list[str], kind: type) -> None:
    table = pd.DataFrame({names[0]: [0.9, 0.2], names[1]: [0.1, 0.8]})
    with pytest.raises(KaratError) as caught:
        karat.roc_auc(np.array([0, 1]).astype(kind), y_prob=table)
    assert caught.value.code == "K137"
