"""Missing labels: an error with row and count, or rows that are left out on request."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data.labels.column import drop_missing
from karat.data.labels.containers import encode
from karat.data.labels.counting import tally_columns
from karat.errors import KaratError
from tests.data.hosts import pa, pd, pl
from tests.ids import named

NUMBERS = [3, None, 1, 2**60 + 1, None]
TEXT = ["c", None, "a", "z", None]


def masked() -> Any:
    return np.ma.array([3, 7, 1, 2**60 + 1, 7], mask=[0, 1, 0, 0, 1])


CASES: dict[str, Any] = {
    "list": NUMBERS,
    "object": np.array(NUMBERS, object),
    "masked": masked(),
    "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
    "pandas int64[pyarrow]": pd.Series(NUMBERS, dtype="int64[pyarrow]"),
    "pandas category": pd.Series(NUMBERS, dtype="Int64").astype("category"),
    "polars": pl.Series(NUMBERS),
    "arrow": pa.array(NUMBERS),
    "arrow chunks": pa.chunked_array([NUMBERS[:2], NUMBERS[2:]]),
    "arrow dictionary": pa.array(NUMBERS).dictionary_encode(),
    "arrow null in the dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 3, 1, 2, 3]), pa.array([3, 1, 2**60 + 1, None])
    ),
    "list of text": TEXT,
    "NaN beside text": [x or float("nan") for x in TEXT],
    "StringDType": np.array(TEXT, np.dtypes.StringDType(na_object=None)),
    "StringDType with NaN": np.array(
        [x or np.nan for x in TEXT], np.dtypes.StringDType(na_object=np.nan)
    ),
    "masked text": np.ma.array([x or "?" for x in TEXT], mask=[0, 1, 0, 0, 1]),
    "pandas str": pd.Series(TEXT),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "pandas string[python]": pd.Series(TEXT, dtype="string[python]"),
    "pandas object": pd.Series(TEXT, dtype=object),
    "pandas NA in objects": pd.Series([x or pd.NA for x in TEXT], dtype=object),
    "pandas NaT in objects": pd.Series([x or pd.NaT for x in TEXT], dtype=object),
    "pandas text category": pd.Series(TEXT, dtype="category"),
    "polars text": pl.Series(TEXT),
    "polars Categorical": pl.Series(TEXT, dtype=pl.Categorical),
    "arrow text": pa.array(TEXT),
    "arrow slice": pa.array([None, "q", *TEXT, "r"])[2:-1],
    "arrow view": pa.array(TEXT, pa.string_view()),
    "arrow text dictionary": pa.array(TEXT).dictionary_encode(),
    "arrow dictionaries": pa.chunked_array(
        [pa.array(TEXT[:3]).dictionary_encode(), pa.array(TEXT[3:]).dictionary_encode()]
    ),
    "arrow empty dictionary": pa.chunked_array(
        [pa.array(TEXT[:4]).dictionary_encode(), pa.array([None], pa.string()).dictionary_encode()]
    ),
}
BOOLEANS: dict[str, Any] = {
    "list": [True, None, False, True, None],
    "NaN": [True, float("nan"), False, True, float("nan")],
    "pandas boolean": pd.Series([True, None, False, True, None], dtype="boolean"),
    "pandas object": pd.Series([True, None, False, True, None]),
    "polars": pl.Series([True, None, False, True, None]),
    "arrow": pa.array([True, None, False, True, None]),
}


@pytest.mark.parametrize("name", CASES)
def test_missing_labels_are_refused_with_row_and_count(name: str) -> None:
    with pytest.raises(KaratError) as caught:
        encode(CASES[name], "y_pred")
    assert caught.value.code == "K104"
    rows = {"row": 1, "count": 2, "n": 5}
    facts = {name: caught.value.context[name] for name in ("argument", "things", *rows)}
    assert facts == {"argument": "y_pred", "things": "labels", **rows}


@pytest.mark.parametrize("name", CASES)
def test_missing_labels_can_be_left_out(name: str) -> None:
    column = encode(CASES[name], "y_true", nulls="keep")
    assert column.missing is not None
    assert column.missing.tolist() == [False, True, False, False, True]
    true, pred, kept = drop_missing(column, column)
    assert kept is not None
    assert kept.tolist() == [True, False, True, True, False]
    present = ["c", "a", "z"] if column.kind == "string" else [3, 1, 2**60 + 1]
    assert [true.label_at(row) for row in range(3)] == present
    assert tally_columns(true, pred).classes.labels == tuple(sorted(present))


@pytest.mark.parametrize("name", BOOLEANS)
def test_booleans_stay_booleans_beside_missing_rows(name: str) -> None:
    column = encode(BOOLEANS[name], "y_true", nulls="keep")
    true, pred, _ = drop_missing(column, column)
    assert tally_columns(true, pred).classes.labels == (False, True)
    assert column.kind == "boolean"


def test_a_label_that_only_dropped_rows_have_is_no_class() -> None:
    true = encode(pd.Series(["a", "b", "c"], dtype="category"), "y_true", nulls="keep")
    pred = encode(["a", None, "c"], "y_pred", nulls="keep")
    left, right, _ = drop_missing(true, pred)
    assert tally_columns(left, right).classes.labels == ("a", "c")


def test_nothing_is_dropped_when_nothing_is_missing() -> None:
    column = encode([1, 2], "y_true", nulls="keep")
    assert drop_missing(column, column) == (column, column, None)


@pytest.mark.parametrize(
    "values",
    [
        [None, None],
        [float("nan")] * 2,
        np.array([np.nan, np.nan]),
        np.ma.array([1, 2], mask=True),
        pd.Series([None, None], dtype="Int64"),
        pd.Series([None, None], dtype="category"),
        pl.Series([None, None]),
        pl.Series([None, None], dtype=pl.String),
        pa.array([None, None]),
        pa.array([None, None], pa.string()).dictionary_encode(),
    ],
    ids=named,
)
def test_a_column_of_nothing_is_missing_throughout(values: Any) -> None:
    with pytest.raises(KaratError, match="First at row 0; 2 of 2 rows"):
        encode(values, "y_true")
    column = encode(values, "y_true", nulls="keep")
    with pytest.raises(KaratError) as caught:
        drop_missing(column, column)
    assert caught.value.code == "K101"


def test_missing_floats_keep_whole_numbers() -> None:
    column = encode(np.array([1.0, np.nan, 3.0]), "y_true", nulls="keep")
    true, _, _ = drop_missing(column, column)
    assert true.codes.tolist() == [1, 3]


@pytest.mark.parametrize(
    "values",
    [pa.array([1.0, None, float("nan"), 2.0]), np.ma.array([1, 5, np.nan, 2], mask=[0, 1, 0, 0])],
    ids=named,
)
def test_null_and_nan_are_both_missing(values: Any) -> None:
    column = encode(values, "y_true", nulls="keep")
    assert column.missing is not None
    assert column.missing.tolist() == [False, True, True, False]


def test_columns_of_different_lengths_are_not_dropped_from() -> None:
    with pytest.raises(KaratError) as caught:
        drop_missing(encode([1, 2], "y_true"), encode([1], "y_pred"))
    assert caught.value.code == "K102"


def test_a_bitmap_without_a_null_is_not_missing() -> None:
    # The validity buffer is there, the slice that is read has no null.
    sliced = pa.array([1, 2, None])[:2]
    assert sliced.buffers()[0] is not None
    assert encode(sliced, "y_true").missing is None
