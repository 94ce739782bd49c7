"""Every container of the same rows gives the same tally."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.data.labels.containers import encode
from karat.data.sources.arrays.labels import tally_labels
from tests.data.hosts import CONFUSION, NUMBERS, PRED, TEXTS, TRUE, Make, pa, pd, pl, texts

BOOLEANS: dict[str, Make] = {
    "list": lambda v: [bool(x) for x in v],
    "list of np.bool_": lambda v: list(np.array(v, bool)),
    "NumPy": lambda v: np.array(v, bool),
    "strided": lambda v: np.array(v, bool)[::-1][::-1],
    "pandas": lambda v: pd.Series(v, dtype=bool),
    "pandas boolean": lambda v: pd.Series([bool(x) for x in v], dtype="boolean"),
    "pandas bool[pyarrow]": lambda v: pd.Series([bool(x) for x in v], dtype="bool[pyarrow]"),
    "polars": lambda v: pl.Series([bool(x) for x in v]),
    "arrow": lambda v: pa.array([bool(x) for x in v]),
    "arrow slice": lambda v: pa.array([None, True, None, *map(bool, v), None])[3:-1],
    "arrow chunks": lambda v: pa.chunked_array(
        [[bool(x) for x in v[:3]], [bool(x) for x in v[3:]]]
    ),
}


@pytest.mark.parametrize("pred", ["list", "int64"])
@pytest.mark.parametrize("true", NUMBERS)
def test_numbers_in_any_container_are_the_same_labels(true: str, pred: str) -> None:
    cells = tally_labels(NUMBERS[true](TRUE), NUMBERS[pred](PRED))
    assert cells.matrix().tolist() == CONFUSION
    assert cells.classes.labels == (0, 1, 2, 3)
    assert {type(label) for label in cells.classes.labels} == {int}


@pytest.mark.parametrize("pred", ["list", "U"])
@pytest.mark.parametrize("true", TEXTS)
def test_text_in_any_container_is_the_same_labels(true: str, pred: str) -> None:
    cells = tally_labels(TEXTS[true](TRUE), TEXTS[pred](PRED))
    assert cells.matrix().tolist() == CONFUSION
    assert cells.classes.labels == tuple(texts([0, 1, 2, 3]))
    assert {type(label) for label in cells.classes.labels} == {str}


@pytest.mark.parametrize("pred", ["list", "NumPy", "polars"])
@pytest.mark.parametrize("true", BOOLEANS)
def test_booleans_on_both_sides_stay_booleans(true: str, pred: str) -> None:
    cells = tally_labels(BOOLEANS[true]([1, 0, 1, 1]), BOOLEANS[pred]([1, 1, 0, 1]))
    assert cells.matrix().tolist() == [[0, 1], [1, 2]]
    assert cells.classes.labels == (False, True)
    assert {type(label) for label in cells.classes.labels} == {bool}
    assert cells.classes.positive == 1


@pytest.mark.parametrize("true", BOOLEANS)
def test_booleans_beside_integers_are_integers(true: str) -> None:
    cells = tally_labels(BOOLEANS[true]([1, 0, 1, 1]), [1, 1, 0, 2])
    assert cells.classes.labels == (0, 1, 2)
    assert {type(label) for label in cells.classes.labels} == {int}


UNICODE = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=0, max_size=12)
TEXT_KINDS: dict[str, Any] = {
    "U": np.array,
    "S": lambda v: np.array([text.encode() for text in v]),
    "object": lambda v: np.array(v, object),
    "StringDType": lambda v: np.array(v, np.dtypes.StringDType()),
    "polars": lambda v: pl.Series(v, dtype=pl.String),
    "arrow": lambda v: pa.array(v, pa.string()),
    "view": lambda v: pa.array(v, pa.string_view()),
    "dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
}


@pytest.mark.parametrize("kind", TEXT_KINDS)
@given(st.lists(UNICODE, min_size=1, max_size=30))
def test_any_text_comes_back_row_by_row(kind: str, values: list[str]) -> None:
    column = encode(TEXT_KINDS[kind](values), "y_true")
    assert [column.label_at(row) for row in range(len(column))] == values


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=20))
def test_integers_of_any_size_are_labels(values: list[int]) -> None:
    cells = tally_labels(values, values[::-1])
    assert cells.classes.labels == tuple(sorted(set(values)))


@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["", "\0", "a\0\0", "|", "a|", "a\0|"],
        ["x" * 70],
        ["x" * 300],
        ["é", "x" * 70],
        ["日本"],
    ],
)
@pytest.mark.parametrize("n_before", [0, 3000])
def test_variable_text_of_every_length(extra: list[str], n_before: int) -> None:
    texts = ["a", "a\0", "ab"] * (1 + n_before // 3) + extra + ["b"]
    strings = np.array(texts, np.dtypes.StringDType())
    column = encode(strings, "y_true")
    labels = column.labels or ()
    assert [labels[code] for code in column.codes.tolist()] == texts


@pytest.mark.parametrize("early", ["a", "ab", "abc", "ab|"])
@pytest.mark.parametrize("late", ["ab\0cd", "ab|\0cd", "abc\0", "ab\0\0|"])
def test_variable_text_with_a_nul_inside_is_not_cut(early: str, late: str) -> None:
    texts = [early] * 2000 + [late]
    column = encode(np.array(texts, np.dtypes.StringDType()), "y_true")
    labels = column.labels or ()
    assert [labels[code] for code in column.codes.tolist()] == texts


def test_text_with_trailing_nul_is_another_label_in_objects() -> None:
    strings = np.array(["a", "a\0"], np.dtypes.StringDType())
    assert tally_labels(strings, ["a", "a"]).classes.labels == ("a", "a\0")
    assert tally_labels(["a", "a\0"], ["a", "a"]).classes.labels == ("a", "a\0")


def test_text_wider_than_the_padded_limit_is_read_string_by_string() -> None:
    long = "x" * 5000
    strings = np.array([long, "y"], np.dtypes.StringDType())
    assert tally_labels(strings, strings).classes.labels == (long, "y")


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_of_one_column_is_a_column() -> None:
    assert tally_labels(np.asmatrix(TRUE).T, PRED).matrix().tolist() == CONFUSION


def test_empty_text_is_a_label() -> None:
    for empty in (np.array(["", ""]), ["", ""], pa.array(["", ""]), np.ndarray(2, "S0")):
        assert tally_labels(empty, ["", "a"]).classes.labels == ("", "a")


def test_unsigned_integers_beyond_int64_are_labels() -> None:
    big = np.array([2**64 - 1, 1, 2**63], np.uint64)
    assert tally_labels(big, big).classes.labels == (1, 2**63, 2**64 - 1)
    assert tally_labels(big, np.array([1, 1, 1])).matrix().sum() == 3


def test_whole_floats_beyond_int64_are_exact() -> None:
    cells = tally_labels(np.array([2.0**63, 1.0]), [2**63, 1])
    assert cells.classes.labels == (1, 2**63)
    assert cells.matrix().tolist() == [[1, 0], [0, 1]]


def test_integer_arrays_are_not_copied() -> None:
    for array in (np.arange(6, dtype=np.int16), np.arange(12)[::2], np.arange(6)[:, None]):
        assert np.shares_memory(encode(array, "y_true").codes, array)


def test_a_single_arrow_chunk_is_not_copied() -> None:
    array = pa.array([3, 1, 2])
    buffer = np.frombuffer(array.buffers()[1], np.int64)
    assert np.shares_memory(encode(array, "y_true").codes, buffer)


def test_the_memory_of_an_arrow_column_outlives_its_owner() -> None:
    column = encode(pa.array(list(range(1000)))[10:], "y_true")
    assert column.codes.tolist() == list(range(10, 1000))


def test_stored_codes_are_used_as_they_are() -> None:
    series = pd.Series(["b", "a", "b"], dtype="category")
    column = encode(series, "y_true")
    assert column.codes.tolist() == series.cat.codes.tolist()
    dictionary = pa.array(["b", "a", "b"]).dictionary_encode()
    assert encode(dictionary, "y_true").codes.tolist() == dictionary.indices.to_pylist()
