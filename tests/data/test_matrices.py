"""Confusion matrices of any container, and what is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data.sources.arrays.labels import tally_labels, tally_matrix
from karat.errors import KaratError
from tests.data.hosts import CONFUSION, PRED, TRUE, Unwilling, pd, pl
from tests.ids import named

CASES: dict[str, Any] = {
    "lists": CONFUSION,
    "tuples": tuple(map(tuple, CONFUSION)),
    "int64": np.array(CONFUSION),
    "uint8": np.array(CONFUSION, np.uint8),
    "big-endian": np.array(CONFUSION, ">i4"),
    "transposed twice": np.array(CONFUSION).T.copy().T,
    "whole floats": np.array(CONFUSION, float),
    "float16": np.array(CONFUSION, np.float16),
    "pandas": pd.DataFrame(CONFUSION),
    "pandas floats": pd.DataFrame(CONFUSION, dtype=float),
}


@pytest.mark.parametrize("name", CASES)
def test_whole_numbers_are_counts(name: str) -> None:
    cells = tally_matrix(CASES[name])
    assert cells.matrix().tolist() == CONFUSION
    assert cells.matrix().dtype == np.int64
    assert cells.classes.labels == (0, 1, 2, 3)
    assert int(cells.n_rows) == 10
    assert not cells.is_weighted


def test_a_matrix_is_the_tally_of_its_rows() -> None:
    cells, counted = tally_matrix(CONFUSION), tally_labels(TRUE, PRED)
    assert (cells.matrix() == counted.matrix()).all()
    assert cells.n_rows == counted.n_rows


def test_other_numbers_are_weights_whose_squares_are_not_known() -> None:
    cells = tally_matrix([[1.5, 0.0], [0.25, 3.0]], labels=["a", "b"])
    assert cells.is_weighted
    assert cells.squares is None
    assert cells.matrix().tolist() == [[1.5, 0.0], [0.25, 3.0]]


def test_counts_that_floats_cannot_hold_stay_weights() -> None:
    assert tally_matrix([[2.0**60, 0.0], [0.0, 1.0]]).is_weighted
    assert int(tally_matrix([[2**60 + 1, 0], [0, 1]]).matrix()[0, 0]) == 2**60 + 1


def test_a_frame_brings_its_labels() -> None:
    names = ["cat", "dog"]
    frame = pd.DataFrame([[5, 1], [2, 7]], index=names, columns=names)
    assert tally_matrix(frame).classes.labels == ("cat", "dog")
    assert tally_matrix(frame, positive="cat").classes.positive == 0
    assert tally_matrix(frame, labels=["x", "y"]).classes.labels == ("x", "y")
    only_columns = pd.DataFrame([[5, 1], [2, 7]], columns=names)
    only_index = pd.DataFrame([[5, 1], [2, 7]], index=names)
    for half in (only_columns, only_index):
        assert tally_matrix(half).classes.labels == ("cat", "dog")
    crosstab = pd.crosstab(pd.Series([1, 1, 2]), pd.Series([1, 2, 2]))
    assert tally_matrix(crosstab).classes.labels == (1, 2)


def test_a_polars_frame_brings_its_column_names() -> None:
    frame = pl.DataFrame({"cat": [5, 2], "dog": [1, 7]})
    cells = tally_matrix(frame)
    assert cells.classes.labels == ("cat", "dog")
    assert cells.matrix().tolist() == [[5, 1], [2, 7]]


def test_classes_of_a_matrix_are_declared() -> None:
    assert tally_matrix([[1, 0], [0, 0]]).classes.is_declared
    assert tally_matrix([[4]], labels=["spam"], positive="spam").classes.positive == 0


@pytest.mark.parametrize(
    "matrix",
    [
        [],
        [[]],
        np.zeros((0, 0)),
        [1, 2],
        [[1, 2]],
        [[1, 2], [3]],
        [["a", "b"], ["c", "d"]],
        [[1, None], [2, 3]],
        [[1j, 0], [0, 1]],
        [[1, -1], [0, 1]],
        [[1.0, float("nan")], [0, 1]],
        [[1.0, float("inf")], [0, 1]],
        [[0, 0], [0, 0]],
        [[2**62, 2**62], [2**62, 0]],
        np.array([[2**64 - 1]], np.uint64),
        np.zeros((2, 2, 2)),
        7,
        None,
        object(),
        pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["b", "a"]),
        pd.DataFrame([["x", "y"], ["z", "t"]]),
        pl.DataFrame({"a": [1, 2]}),
    ],
    ids=named,
)
def test_what_is_no_confusion_matrix_is_refused(matrix: Any) -> None:
    with pytest.raises(KaratError) as caught:
        tally_matrix(matrix)
    assert caught.value.code == "K119"


def test_a_matrix_that_does_not_become_an_array_says_why() -> None:
    with pytest.raises(KaratError, match="it lies on another device") as caught:
        tally_matrix(Unwilling())
    assert caught.value.code == "K119"


def test_the_bad_cell_is_named() -> None:
    with pytest.raises(KaratError, match=r"Row 1, column 0 holds -2; 2 of 4 cells are negative"):
        tally_matrix([[1, 0], [-2, -1]])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"labels": ["a"]}, "K110"),
        ({"labels": ["a", "b", "c"]}, "K110"),
        ({"labels": ["a", "a"]}, "K110"),
        ({"positive": 2}, "K111"),
        ({"labels": ["a", "b"], "positive": "c"}, "K111"),
    ],
)
def test_labels_have_to_fit_the_matrix(options: dict[str, Any], code: str) -> None:
    with pytest.raises(KaratError) as caught:
        tally_matrix([[1, 2], [3, 4]], **options)
    assert caught.value.code == code
    with pytest.raises(KaratError) as caught:
        tally_matrix(CONFUSION, positive=1)
    assert caught.value.code == "K112"
