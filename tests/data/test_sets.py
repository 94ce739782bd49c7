"""Sets of labels of every form in memory: the same sets, or an error that names row and value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from karat.data.labels.sets import align_sets, are_sets, encode_sets
from karat.errors import KaratError
from karat.tally.set_tally import SetRows

LABELS = list("abcd")
TRUE = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 1]])
PRED = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 0, 1]])


def lists(matrix: np.ndarray) -> list[list[str]]:
    return [[LABELS[j] for j in np.flatnonzero(row)] for row in matrix]


def not_aligned(matrix: np.ndarray) -> np.ndarray:
    memory = np.frombuffer(b"\0" + matrix.tobytes(), np.uint8)
    return memory[1:].view(matrix.dtype).reshape(matrix.shape)


def with_room(matrix: Any) -> Any:
    """The same sparse matrix, whose arrays are longer than what it holds."""
    matrix.data = np.concatenate([matrix.data, [7, 7]])
    matrix.indices = np.concatenate([matrix.indices, [9, 9]]).astype(np.int32)
    return matrix


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "integers": lambda m: m,
    "booleans": lambda m: m.astype(bool),
    "floats": lambda m: m.astype(float),
    "objects": lambda m: m.astype(object),
    "columns side by side": np.asfortranarray,
    "another byte order": lambda m: m.astype(">i4"),
    "not aligned": lambda m: not_aligned(m.astype(np.float64)),
    "long doubles": lambda m: m.astype(np.longdouble),
    "csr": scipy.sparse.csr_matrix,
    "coo": scipy.sparse.coo_array,
    "stored zeros": lambda m: scipy.sparse.csr_matrix(
        (m.reshape(-1), np.tile(np.arange(4), 4), np.arange(0, 17, 4)), (4, 4)
    ),
    "room for more": lambda m: with_room(scipy.sparse.csr_matrix(m)),
    "lists": lists,
    "tuples": lambda m: [tuple(reversed(row)) for row in lists(m)],
    "sets": lambda m: [set(row) for row in lists(m)],
    "frozen sets": lambda m: tuple(frozenset(row) for row in lists(m)),
    "arrays": lambda m: [np.array(row, object) for row in lists(m)],
    "an array of objects": lambda m: pd.Series(lists(m)).to_numpy(),
    "a series": lambda m: pd.Series(lists(m)),
    "Arrow": lambda m: pa.array(lists(m)),
    "large lists of Arrow": lambda m: pa.array(lists(m), pa.large_list(pa.string())),
    "Arrow in pieces": lambda m: pa.chunked_array(
        [lists(m[:1]), [], lists(m[1:])], pa.list_(pa.string())
    ),
    "a part of Arrow": lambda m: pa.array([["z"], *lists(m), None])[1:-1],
    "codes of Arrow": lambda m: pa.array(lists(m), pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "Polars": lambda m: pl.Series(lists(m)),
    "pandas of Arrow": lambda m: pd.Series(lists(m), dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "a frame": lambda m: pd.DataFrame(m, columns=LABELS),
}


def read(true: Any, pred: Any, labels: Any = None) -> SetRows:
    sides = encode_sets(true, "y_true", labels), encode_sets(pred, "y_pred", labels)
    return align_sets(*sides, labels)


def refused(true: Any, pred: Any, labels: Any = None) -> KaratError:
    with pytest.raises(KaratError) as caught:
        read(true, pred, labels)
    return caught.value


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_sets(form: str) -> None:
    true, pred = FORMS[form](TRUE), FORMS[form](PRED)
    assert are_sets(true)
    found = read(true, pred, LABELS)
    assert found.classes.labels == tuple(LABELS)
    assert np.array_equal(found.true.matrix(4), TRUE.astype(bool))
    assert np.array_equal(found.pred.matrix(4), PRED.astype(bool))
    # The control: the other way round they differ.
    assert not np.array_equal(read(pred, true, LABELS).true.matrix(4), TRUE.astype(bool))


@pytest.mark.parametrize(
    "values",
    [["a", "b"], [0, 1], np.zeros(3), np.zeros((3, 1)), pd.Series(["a"]), [None, "a"], "ab", None],
)
def test_one_label_a_row_is_no_set(values: Any) -> None:
    assert not are_sets(values)


def test_labels_are_the_union_in_order_and_those_listed() -> None:
    found = read([{"b"}, {"c"}], [{"b", "a"}, set()])
    assert found.classes.labels == ("a", "b", "c")
    assert found.pred.sizes.tolist() == [2, 0]
    wide = read([{"b"}, {"c"}], [{"b"}, set()], ["z", "c", "b"])
    assert wide.classes.labels == ("z", "c", "b")
    assert wide.true.items.tolist() == [2, 1]
    numbers = read([[10], [2, 3]], [[3], []])
    assert numbers.classes.labels == (2, 3, 10)
    assert read(TRUE, PRED).classes.labels == (0, 1, 2, 3)
    assert read([set(), set()], [set(), set()], ["a", "b"]).classes.labels == ("a", "b")
    assert read([set()], [{"a"}]).true.sizes.tolist() == [0]


def test_what_is_1_only_when_it_is_rounded_is_refused() -> None:
    matrix = TRUE.astype(np.longdouble)
    matrix[2, 1] = 1 + np.finfo(np.longdouble).eps
    problem = refused(matrix, PRED)
    assert problem.code == "K197"
    assert (problem.context["row"], problem.context["column"]) == (2, 1)


def test_what_is_not_known_of_the_truth() -> None:
    cells = TRUE.astype(float)
    cells[1, 2] = np.nan
    found = read(cells, PRED)
    assert found.unknown is not None
    assert found.unknown.keys(4).tolist() == [6]
    masked = read(np.ma.array(TRUE, mask=np.arange(16).reshape(4, 4) == 6), PRED)
    assert masked.unknown is not None
    assert masked.unknown.keys(4).tolist() == [6]
    gone = read([{"a"}, None], [{"a"}, {"b"}])
    assert gone.missing is not None
    assert gone.missing.tolist() == [False, True]
    assert read([{"a"}, set()], [{"a"}, {"b"}]).missing is None


def test_a_null_list_of_a_column_is_not_known_and_an_empty_one_is_empty() -> None:
    for column in (pa.array, pl.Series):
        found = read(column([["a"], None, []]), column([["a"], ["b"], []]))
        assert found.missing is not None
        assert found.missing.tolist() == [False, True, False]
        assert found.classes.labels == ("a", "b")
        assert refused(column([["a"], []]), column([["a"], None])).code == "K104"
        twice = refused(column([["a"], ["b", "c", "b"]]), column([["a"], []]))
        assert (twice.code, twice.context["row"]) == ("K196", 1)
        null = refused(column([["a"], ["b", None]]), column([["a"], []]))
        assert (null.code, null.context["row"]) == ("K104", 1)
    # A column of lists says itself that it holds labels.
    assert read(pa.array([[1, 0], [0, 1]]), pa.array([[1], [0]])).true.sizes.tolist() == [2, 2]


CASES: dict[str, tuple[Any, Any, Any, str, dict[str, Any]]] = {
    "both": ([[1, 0], [0, 1]], [[1, 0], [0, 0]], None, "K195", {"n_columns": 2}),
    "twice": ([["a"], ["b", "c", "b"]], [["a"], []], None, "K196", {"row": 1, "value": "b"}),
    "listed, twice": ([[1, 0, 1]], [[1]], [0, 1], "K196", {"row": 0, "value": 1}),
    "two": (np.array([[1, 0], [0, 2]]), PRED[:2, :2], None, "K197", {"row": 1, "column": 1}),
    "text": (np.array([["a", "b"], ["c", "d"]]), PRED, None, "K197", {"row": 0, "value": "a"}),
    "sparse two": (scipy.sparse.csr_matrix(TRUE * 2), PRED, None, "K197", {"value": 2}),
    "labels": (TRUE, PRED, ["a", "b"], "K198", {"n_columns": 4, "n_labels": 2}),
    "forms": (TRUE, lists(PRED), None, "K199", {}),
    "columns": (TRUE, PRED[:, :3], None, "K199", {}),
    "names": (FORMS["a frame"](TRUE), pd.DataFrame(PRED, columns=list("abdc")), None, "K199", {}),
    "rows": ([{"a"}], [{"a"}, {"b"}], None, "K102", {"n_left": 1, "n_right": 2}),
    "missing": ([{"a"}, {"b"}], [{"a"}, None], None, "K104", {"row": 1, "count": 1}),
    "NaN predicted": (TRUE, PRED * np.nan, None, "K104", {"row": 0, "count": 4}),
    "outside": ([["a"], ["b", "z"]], [["a"], []], ["a", "b"], "K109", {"row": 1, "value": "z"}),
    "number outside": ([[5], [6, 9]], [[5], []], [5, 6], "K109", {"row": 1, "value": 9}),
    "kinds": ([{"a"}], [{1}], None, "K108", {}),
    "mixed": ([{"a"}, {1}], [{"a"}, set()], None, "K107", {}),
    "not whole": ([[3], [1, 2.5]], [[3], []], None, "K105", {"row": 1, "value": 2.5}),
    "null label": ([["a"], ["b", None]], [["a"], []], None, "K104", {"row": 1}),
    "a text among sets": ([{"a"}, "a"], [{"a"}, set()], None, "K106", {}),
    "no label": ([set(), set()], [set(), set()], None, "K223", {"n": 2}),
    "nested": ([[["a"]], ["b"]], [["a"], []], None, "K106", {}),
    "masked predictions": (TRUE, np.ma.array(PRED, mask=PRED), None, "K104", {"row": 0}),
    "empty": (np.empty((0, 3)), np.empty((0, 3)), None, "K101", {}),
    "no rows": (scipy.sparse.csr_matrix((0, 3)), PRED, None, "K101", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused_with_its_row(case: str) -> None:
    true, pred, labels, code, facts = CASES[case]
    problem = refused(true, pred, labels)
    assert problem.code == code
    assert {name: problem.context[name] for name in facts} == facts


def test_lists_of_0_and_1_are_labels_where_they_are_listed_or_cannot_be_an_indicator() -> None:
    assert read([[0], [1]], [[0], [0]]).classes.labels == (0, 1)
    assert read([[0, 1], [1]], [[0], [0, 1]]).classes.labels == (0, 1)
    assert read([[0, 1], [1, 0]], [[0], [0, 1]], [0, 1]).true.sizes.tolist() == [2, 2]
    assert read([{0, 1}, {1, 0}], [{0}, {1}]).true.sizes.tolist() == [2, 2]
