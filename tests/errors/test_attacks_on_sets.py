"""What an attacker gave as sets of labels and got no clear error for: each is told its code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import karat
from karat.errors import KaratError
from tests.optional import optional

TRUE = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]])
PRED = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 0, 0]])
PROB = 0.2 + 0.5 * PRED
LABELS = ["a", "b", "c"]


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(KaratError) as found:
        call()
    assert len(str(found.value)) < 3000
    return found.value.code


@pytest.mark.parametrize("y_true", [TRUE, [{"a"}, set(), {"b"}]], ids=["indicator", "sets"])
def test_predictions_that_were_forgotten(y_true: Any) -> None:
    assert code_of(lambda: karat.evaluate(y_true)) == "K128"
    assert code_of(lambda: karat.evaluate(y_true, labels=LABELS, y_prob=None)) == "K128"
    assert code_of(lambda: karat.macro_f1(y_true)) == "K128"
    assert code_of(lambda: karat.subset_accuracy(y_true)) == "K128"
    assert "K128" in str(karat.check(y_true))


@pytest.mark.parametrize("cell", ["x", "1", b"1", [], {}, 1j, 10**400, 2, float("inf")], ids=str)
def test_cells_of_objects_that_are_no_marks(cell: Any) -> None:
    marks = TRUE.astype(object)
    marks[1, 2] = cell
    with pytest.raises(KaratError) as found:
        karat.evaluate(marks, PRED)
    assert found.value.code == "K197"
    assert "row 1, column 2" in str(found.value)


def broken(values: np.ndarray, part: str, place: int, value: int) -> Any:
    matrix = scipy.sparse.csr_matrix(values)
    changed = getattr(matrix, part).copy()
    changed[place] = value
    setattr(matrix, part, changed)
    return matrix


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("indices", 0, -1),
        ("indices", 0, 99),
        ("indptr", 1, 100),
        ("indptr", 1, -5),
        ("indptr", -1, 2**31 - 1),
        ("indptr", 0, 1),
    ],
)
def test_sparse_matrices_whose_parts_contradict(part: str, place: int, value: int) -> None:
    marks, scores = (broken(values, part, place, value) for values in (TRUE, PROB))
    assert code_of(lambda: karat.evaluate(marks, PRED)) == "K205"
    assert code_of(lambda: karat.macro_f1(TRUE, broken(PRED, part, place, value))) == "K205"
    assert code_of(lambda: karat.evaluate(TRUE, y_prob=scores)) == "K205"


def test_sparse_coordinates_outside() -> None:
    marks = scipy.sparse.coo_array(TRUE)
    rows = marks.coords[0].copy()
    rows[0] = 77
    marks.coords = (rows, marks.coords[1])
    assert code_of(lambda: karat.evaluate(marks, PRED)) == "K205"
    one = scipy.sparse.coo_array(TRUE[0])
    assert code_of(lambda: karat.evaluate(one, PRED)) == "K103"
    assert code_of(lambda: karat.evaluate(scipy.sparse.csr_matrix(TRUE + 0j), PRED)) == "K106"


def test_sparse_matrices_by_their_keys_are_no_tables() -> None:
    true, pred = scipy.sparse.dok_array(TRUE), scipy.sparse.dok_array(PRED)
    found = karat.compare(
        true, {"old": pred, "new": TRUE}, interval=karat.Interval(n_replicates=99)
    )
    wanted = karat.compare(
        TRUE, {"old": PRED, "new": TRUE}, interval=karat.Interval(n_replicates=99)
    )
    assert str(found) == str(wanted)


@pytest.mark.parametrize(
    "frame",
    [lambda m: pl.DataFrame(m, schema=LABELS), lambda m: pa.table(dict(zip(LABELS, m.T)))],  # noqa: B905
    ids=["polars", "arrow"],
)
def test_frames_of_marks(frame: Callable[[np.ndarray], Any]) -> None:
    wanted = karat.evaluate(pd.DataFrame(TRUE, columns=LABELS), pd.DataFrame(PRED, columns=LABELS))
    assert karat.evaluate(frame(TRUE), frame(PRED)).to_json() == wanted.to_json()


def test_nulls_in_frames_of_marks() -> None:
    columns = {"a": [1, None, 0], "b": [True, None, False]}
    known = {"a": [1, 1, 0], "b": [True, True, False]}
    for table in (pl.DataFrame, pa.table):
        assert karat.evaluate(table(columns), table(known)).n_unknown == 1
        assert code_of(lambda table=table: karat.evaluate(table(known), table(columns))) == "K104"


def test_frames_with_a_name_twice() -> None:
    names = ["a", "a", "b"]
    true, pred = pd.DataFrame(TRUE, columns=names), pd.DataFrame(PRED, columns=names)
    assert code_of(lambda: karat.evaluate(true, pred)) == "K229"
    true, pred = (pa.table(list(m.T), names=names) for m in (TRUE, PRED))
    assert code_of(lambda: karat.evaluate(true, pred)) == "K229"


def test_columns_of_lists_that_end_before_they_begin() -> None:
    offsets = pa.py_buffer(np.array([0, 3, 2], np.int32).tobytes())
    kind = pa.list_(pa.int64())
    lists = pa.ListArray.from_buffers(kind, 2, [None, offsets], children=[pa.array([1, 2, 3])])
    assert code_of(lambda: karat.evaluate(lists, pa.array([[1], [2]]))) == "K205"


def test_separators_that_are_half_a_letter() -> None:
    assert code_of(lambda: karat.Labels(separator="\ud800")) == "K227"


@pytest.mark.parametrize("weight", [2**40, 2**53 + 2, 2e18])
def test_frequencies_of_more_rows_than_fit(weight: float) -> None:
    weights = {"weights": karat.Frequency(np.full(4, weight))}
    assert code_of(lambda: karat.evaluate(TRUE, y_prob=PROB, **weights)) == "K150"


@pytest.mark.parametrize(
    "parameters",
    [
        {"propensities": [1e-320, 0.5, 0.5]},
        {"label_counts": [5, 6, 7], "n_train": 10**400},
        {"label_counts": [5, 6, 7], "n_train": 100, "a": 1e308},
    ],
    ids=["tiny", "rows", "power"],
)
def test_propensities_beyond_all_numbers(parameters: dict[str, Any]) -> None:
    name = karat.propensity_scored_precision_at_k
    assert code_of(lambda: name(TRUE, y_prob=PROB, k=2, **parameters)) == "K302"


@pytest.mark.parametrize("text", [None, 1, [], {}])
def test_reports_that_are_no_text(text: Any) -> None:
    assert code_of(lambda: karat.MultilabelReport.from_json(text)) == "K205"
    assert code_of(lambda: karat.Report.from_json(text)) == "K205"


def test_patterns_of_other_labels() -> None:
    whole = json.loads(karat.evaluate(TRUE, PRED, labels=LABELS).to_json())
    whole["patterns"]["wrong_sets"][0]["predicted"] = ["zz"]
    text = json.dumps(whole)
    assert code_of(lambda: karat.MultilabelReport.from_json(text)) == "K205"


def test_baselines_that_are_no_text(tmp_path: Path) -> None:
    rules: dict[str, Any] = {"max_drop": {"micro_f1": 0.1}}
    text = karat.evaluate(TRUE, PRED).to_json()
    path = tmp_path / "base.json"
    path.write_bytes(text.encode()[:-2] + b"\xff}")
    assert code_of(lambda: karat.gate(TRUE, PRED, baseline=path, **rules)) == "K205"
    assert code_of(lambda: karat.gate(TRUE, PRED, baseline=text, **rules)) == "K176"


def test_first_sets_of_a_file_are_shown_in_part(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    many = "|".join(f"label{i}" for i in range(3000))
    path.write_text(f"true,pred\n{many},label1\n{'x' * 100_000}|label2,label2\n", encoding="utf-8")
    shown = str(karat.check(path, labels=karat.Labels(separator="|")))
    assert "label0 and label1 and label10" in shown
    assert len(shown) < 20_000


def test_tensors_that_numpy_cannot_read() -> None:
    torch = optional("torch")
    marks = torch.tensor(TRUE)
    for tensor in (marks.to_sparse(), marks.to("meta")):
        assert code_of(lambda tensor=tensor: karat.evaluate(tensor, PRED)) == "K106"
        assert code_of(lambda tensor=tensor: karat.macro_f1(TRUE, tensor)) == "K106"
