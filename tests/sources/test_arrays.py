"""The arrays engine against a count by hand, in every storage and on every path to it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.data.labels import counting
from karat.data.labels.containers import encode
from karat.data.labels.counting import tally_columns
from karat.data.sources.arrays.labels import tally_labels, tally_matrix
from karat.errors import KaratError
from karat.tally import Cells, to_marginals
from tests.data.hosts import CONFUSION, PRED, TRUE, pa, pd, pl


def counted(true: Any, pred: Any, weights: Any = None) -> dict[tuple[Any, Any], float]:
    """The slow reference: Σw of each pair of labels that occurs."""
    cells: Counter[tuple[Any, Any]] = Counter()
    for row, pair in enumerate(zip(true, pred, strict=True)):
        cells[pair] += 1 if weights is None else weights[row]
    return dict(cells)


def occupied(cells: Cells, values: Any = None) -> dict[tuple[Any, Any], float]:
    """The same of a tally."""
    labels = cells.classes.labels
    rows, cols, counts = cells.occupied() if values is None else values
    return {
        (labels[i], labels[j]): count.item() for i, j, count in zip(rows, cols, counts, strict=True)
    }


LABELS = st.one_of(
    st.lists(st.integers(-3, 3), min_size=1, max_size=40),
    st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=40),
    st.lists(st.booleans(), min_size=1, max_size=40),
    st.lists(st.sampled_from(["cat", "dog", "", "é", "Dog"]), min_size=1, max_size=40),
)
MAKERS: list[Any] = [
    list,
    tuple,
    np.array,
    lambda v: np.array(v, object),
    pd.Series,
    pd.Categorical,
    pl.Series,
    pa.array,
    lambda v: pa.array(v).dictionary_encode(),
]


@given(LABELS, st.sampled_from(MAKERS), st.sampled_from(MAKERS), st.randoms(use_true_random=False))
def test_a_tally_is_a_count_of_pairs(values: Any, left: Any, right: Any, random: Any) -> None:
    pred = random.sample(values, len(values))
    cells = tally_labels(left(values), right(pred))
    assert occupied(cells) == counted(values, pred)
    assert cells.classes.labels == tuple(sorted(set(values)))
    assert int(cells.n_rows) == len(values)


@given(LABELS, st.sampled_from(MAKERS), st.booleans(), st.randoms(use_true_random=False))
def test_weights_are_summed_and_squared(
    values: Any, make: Any, is_declared: bool, random: Any
) -> None:
    pred = random.sample(values, len(values))
    weights = [random.randrange(5) / 4 for _ in values]
    labels = sorted(set(values)) if is_declared else None
    if not any(weights):
        weights[0] = 1.0
    cells = tally_labels(make(values), make(pred), weights=weights, labels=labels)
    expected = {pair: w for pair, w in counted(values, pred, weights).items() if w}
    assert occupied(cells) == expected
    squares = [w * w for w in weights]
    expected = {pair: w for pair, w in counted(values, pred, squares).items() if w}
    rows, cols, _ = cells.occupied()
    assert cells.squares is not None
    kept = cells.flat(cells.squares)[cells.flat() != 0]
    assert occupied(cells, (rows, cols, kept)) == expected


@given(LABELS, st.sampled_from(MAKERS), st.booleans(), st.randoms(use_true_random=False))
def test_marginals_are_the_totals_of_the_cells(
    values: Any, make: Any, is_weighted: bool, random: Any
) -> None:
    pred = random.sample(values, len(values))
    weights = [random.randrange(1, 5) / 4 for _ in values] if is_weighted else None
    totals = tally_labels(make(values), make(pred), weights=weights, cells=False)
    whole = to_marginals(tally_labels(make(values), make(pred), weights=weights))
    assert totals.storage == "marginals"
    assert totals.classes == whole.classes
    assert totals.counts.tolist() == whole.counts.tolist()


def test_the_worked_example() -> None:
    for make in (list, np.array, pl.Series):
        cells = tally_labels(make(TRUE), make(PRED))
        assert cells.matrix().tolist() == CONFUSION


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64", "bool"])
def test_the_short_path_is_the_long_path(dtype: str) -> None:
    rng = np.random.default_rng(3)
    true, pred = (rng.integers(0, 100, 300).astype(dtype) for _ in range(2))
    short = tally_labels(true, pred)
    long = tally_columns(encode(true, "y_true"), encode(pred, "y_pred"))
    assert short.classes == long.classes
    assert (short.matrix() == long.matrix()).all()


def test_unlike_arrays_still_meet() -> None:
    true, pred = np.array(TRUE, np.int8), np.array(PRED, np.uint64)
    assert tally_labels(true, pred).matrix().tolist() == CONFUSION
    assert tally_labels(true.astype(">i2"), pred[:, None]).matrix().tolist() == CONFUSION
    assert tally_labels(true, np.array(PRED, object)).matrix().tolist() == CONFUSION


def test_the_storage_follows_the_number_of_classes() -> None:
    few, many = np.arange(200) % 100, np.arange(5000)
    assert tally_labels(few, few).storage == "dense"
    assert tally_labels(few, few, labels=np.arange(255)).storage == "dense"
    assert tally_labels(few, few, labels=np.arange(2000)).storage == "sparse"
    assert tally_labels(many, many).storage == "sparse"
    assert tally_labels(many, many, cells=False).storage == "marginals"


@pytest.mark.parametrize("kind", ["int64", "int32", "U", "object", "category", "arrow"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_many_classes_are_counted_in_sparse_cells(kind: str, is_weighted: bool) -> None:
    rng = np.random.default_rng(11)
    k, n = 3000, 4000
    true, pred = rng.integers(0, k, n), rng.integers(0, k, n)
    pred[: n // 2] = true[: n // 2]
    weights = rng.integers(0, 8, n) / 8 if is_weighted else None
    make: dict[str, Any] = {
        "category": pd.Categorical,
        "arrow": lambda v: pa.array(v.astype(str)).dictionary_encode(),
    }
    as_kind = make.get(kind, lambda v: v.astype(kind))
    cells = tally_labels(as_kind(true), as_kind(pred), weights=weights)
    assert cells.storage == "sparse"
    expected = counted(true.tolist(), pred.tolist(), weights)
    is_text = isinstance(cells.classes.labels[0], str)
    found = {(int(i), int(j)): w for (i, j), w in occupied(cells).items()}
    assert is_text == (kind in ("U", "arrow"))
    assert found == {pair: w for pair, w in expected.items() if w}
    assert int(cells.n_rows) == n


def test_a_hundred_thousand_classes() -> None:
    rng = np.random.default_rng(5)
    k, n = 100_000, 300_000
    true, pred = rng.integers(0, k, n), rng.integers(0, k, n)
    cells = tally_labels(true, pred)
    rows, cols, counts = cells.occupied()
    keys, expected = np.unique(true * k + pred, return_counts=True)
    found = np.array(cells.classes.labels)
    assert (found[rows] * k + found[cols] == keys).all()
    assert (counts == expected).all()
    totals = tally_labels(true, pred, cells=False)
    assert totals.counts.tolist() == to_marginals(cells).counts.tolist()


def test_pairs_and_rows_that_fill_more_than_64_bits_are_still_counted() -> None:
    k = 2**31
    true = np.array([k - 1, 5, k - 1, 5, 0], np.int32)
    weights = np.array([0.5, 1.0, 0.25, 0.0, 0.0])
    pairs, sums, squares, rows = counting._weighted_pairs(true, true, k, weights, 1)
    assert pairs.tolist() == [0, 5 * k + 5, (k - 1) * k + k - 1]
    assert sums.tolist() == [0.0, 1.0, 0.75]
    assert squares.tolist() == [0.0, 1.0, 0.3125]
    assert rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
@pytest.mark.parametrize("k", [3, 3000])
@pytest.mark.parametrize("cells", [True, False])
def test_a_tally_does_not_depend_on_the_number_of_threads(
    n_threads: int, k: int, cells: bool
) -> None:
    rng = np.random.default_rng(1)
    n = 300_000
    true, pred, weights = rng.integers(0, k, n), rng.integers(0, k, n), rng.random(n)
    for options in ({}, {"weights": weights}, {"labels": np.arange(k)}):
        one = tally_labels(true, pred, cells=cells, n_threads=1, **options)  # type: ignore[arg-type]
        other = tally_labels(true, pred, cells=cells, n_threads=n_threads, **options)  # type: ignore[arg-type]
        assert one.counts.tobytes() == other.counts.tobytes()


def test_inputs_are_left_as_they_were() -> None:
    true, weights = np.array([3, 1, 3]), np.array([1.0, 2.0, 3.0])
    frozen = [true.copy(), weights.copy()]
    tally_labels(true, true, weights=weights)
    tally_labels(true * 10**9, true, weights=weights)
    assert (true == frozen[0]).all()
    assert (weights == frozen[1]).all()


def test_a_tally_does_not_change_when_its_matrix_is_written() -> None:
    matrix = np.array(CONFUSION)
    cells = tally_matrix(matrix)
    matrix[0, 0] = 99
    assert cells.matrix()[0, 0] == 1


def test_weights_of_encoded_columns_have_the_name_given() -> None:
    column = encode([0, 1], "y_true")
    with pytest.raises(KaratError) as caught:
        tally_columns(column, column, weights=np.array([1.0, -1.0]), weights_argument="Column 'w'")
    assert caught.value.context["argument"] == "Column 'w'"


@pytest.mark.parametrize("cells", [True, False])
def test_a_single_row_is_a_tally(cells: bool) -> None:
    for value in (0, "a", True, 2**80):
        tally = tally_labels([value], [value], cells=cells)
        assert tally.classes.labels == (value,)
        assert int(tally.n_rows) == 1
