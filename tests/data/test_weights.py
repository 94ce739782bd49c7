"""Weights from any container, and every way in which they can be wrong."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from karat.data.sources.arrays.labels import tally_labels
from karat.data.weights import as_weights, refuse_weights
from karat.errors import KaratError
from tests.data.hosts import Unwilling, narwhals, pa, pd, pl
from tests.ids import named

VALUES = [1.0, 0.0, 2.5]
CASES: dict[str, Any] = {
    "list": VALUES,
    "tuple": tuple(VALUES),
    "decimals": [Decimal(1), Decimal(0), Decimal("2.5")],
    "objects": np.array([1, 0.0, np.float32(2.5)], object),
    "float64": np.array(VALUES),
    "float32": np.array(VALUES, np.float32),
    "float16": np.array(VALUES, np.float16),
    "longdouble": np.array(VALUES, np.longdouble),
    "big-endian": np.array(VALUES, ">f8"),
    "strided": np.repeat(VALUES, 2)[::2],
    "(n, 1)": np.array(VALUES)[:, None],
    "masked": np.ma.array(VALUES),
    "pandas": pd.Series(VALUES, index=[5, 6, 7]),
    "pandas Float32": pd.Series(VALUES, dtype="Float32"),
    "pandas arrow": pd.Series(VALUES, dtype="float64[pyarrow]"),
    "pandas frame": pd.DataFrame({"w": VALUES}),
    "polars": pl.Series(VALUES),
    "polars frame": pl.DataFrame({"w": VALUES}),
    "narwhals": narwhals.from_native(pl.Series(VALUES), series_only=True),
    "polars decimal": pl.Series(["1", "0", "2.5"]).cast(pl.Decimal(6, 3)),
    "arrow": pa.array(VALUES),
    "arrow chunks": pa.chunked_array([VALUES[:1], VALUES[1:]]),
    "arrow slice": pa.array([None, *VALUES, None])[1:-1],
    "arrow table": pa.table({"w": VALUES}),
}


@pytest.mark.parametrize("name", CASES)
def test_weights_come_in_any_container(name: str) -> None:
    found = as_weights(CASES[name], 3)
    assert (found.dtype, found.tolist()) == (np.float64, VALUES)


@pytest.mark.parametrize(
    "values", [[1, 0, 2], [True, False, True], pl.Series([1, 0, 2])], ids=named
)
def test_whole_numbers_and_booleans_are_weights(values: Any) -> None:
    assert as_weights(values, 3).tolist() == [float(x) for x in values]


def test_float64_weights_are_not_copied() -> None:
    weights = np.arange(8.0)[::2]
    assert np.shares_memory(as_weights(weights, 4), weights)


@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("k", [2, 5000])
@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (-0.5, "K113"),
        (float("nan"), "K114"),
        (float("inf"), "K114"),
        (float("-inf"), "K114"),
        (None, "K114"),
    ],
)
def test_a_bad_weight_is_named_by_row(bad: Any, code: str, k: int, cells: bool) -> None:
    true = np.arange(k) % (max(2, k))
    true = np.concatenate([true, true])
    weights: list[Any] = [1.0] * len(true)
    weights[1] = weights[3] = bad
    for labels in (None, np.arange(k)):
        with pytest.raises(KaratError) as caught:
            tally_labels(true, true, weights=weights, cells=cells, labels=labels)
        assert caught.value.code == code
        facts = caught.value.context
        assert (facts["argument"], facts["row"], facts["count"]) == ("weights", 1, 2)


@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("values", [[0, 1], ["a", "b"], list(range(3000))])
def test_weights_of_zero_only_are_refused(values: list[Any], cells: bool) -> None:
    with pytest.raises(KaratError) as caught:
        tally_labels(values, values, weights=np.zeros(len(values)), cells=cells)
    assert caught.value.code == "K115"


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "3"],
        np.array(["1", "2", "3"]),
        [1, "2", 3],
        np.array([1, "2", 3], object),
        [1, 2, 1j],
        np.array([1, 2, 3j], object),
        np.array([1, 2, 3], "M8[s]"),
        [object()] * 3,
        [[1, 2, 3]],
        [[1], [2, 3]],
        np.ones((3, 2)),
        1.0,
        None,
        Unwilling(),
        pd.Series(["a", "b", "c"]),
        pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}),
        pl.Series(["a", "b", "c"]),
        pl.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}),
        pa.array(["a", "b", "c"]),
        pa.array(["a", "b", "c"]).dictionary_encode(),
        pa.array([], pa.float64()),
    ],
    ids=named,
)
def test_what_is_not_one_number_a_row_is_refused(values: Any) -> None:
    with pytest.raises(KaratError) as caught:
        as_weights(values, 3)
    assert caught.value.code == "K116"


@pytest.mark.parametrize(
    "values",
    [
        [1.0, None, 2.0],
        np.ma.array([1, 5, 2], mask=[0, 1, 0]),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series([1.0, pd.NA, 2.0], dtype=object),
        pd.Series([1, None, 2], dtype="int64[pyarrow]"),
        pl.Series([1, None, 2]),
        pa.array([1.0, None, 2.0]),
    ],
    ids=named,
)
def test_missing_weights_are_nan_until_they_are_counted(values: Any) -> None:
    assert np.isnan(as_weights(values, 3)).tolist() == [False, True, False]
    with pytest.raises(KaratError) as caught:
        tally_labels([0, 1, 1], [0, 1, 0], weights=values)
    assert caught.value.code == "K114"


def test_a_column_of_nulls_has_no_weight() -> None:
    assert np.isnan(as_weights(pa.nulls(2), 2)).all()


@pytest.mark.parametrize("n", [2, 4])
def test_weights_of_another_length_are_refused(n: int) -> None:
    with pytest.raises(KaratError) as caught:
        tally_labels([0, 1, 1], [0, 1, 0], weights=np.ones(n))
    assert caught.value.code == "K102"
    assert caught.value.context["right"] == "weights"


def test_a_weight_of_zero_leaves_its_row_out_of_the_sums() -> None:
    cells = tally_labels([0, 1, 1], [0, 1, 0], weights=[1, 0, 3])
    assert cells.matrix().tolist() == [[1, 0], [3, 0]]
    assert cells.squares is not None
    assert cells.squares.tolist() == [[1, 0], [9, 0]]


def test_good_weights_are_not_refused() -> None:
    refuse_weights(np.array([0.0, 1.0]))
    with pytest.raises(KaratError) as caught:
        refuse_weights(np.array([0.0, 0.0]), "w")
    assert caught.value.code == "K115"
