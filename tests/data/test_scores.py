"""Probabilities and scores of every container: one matrix, bit for bit; and all that is none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.data.scores.containers import Scores, as_scores, refuse_scores
from karat.errors import KaratError
from tests.data.hosts import OnlyDlpack, Unwilling, unaligned
from tests.optional import optional

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
narwhals = optional("narwhals")
ml_dtypes = optional("ml_dtypes")

# Thirds and tenths: every wrong rounding would show.
P = np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [0.0, 1.0, 0.0], [0.25, 0.5, 0.25]])
NAMES = ["p_a", "p_b", "p_c"]


class FakeTensor:
    """What karat uses of a tensor; its class says that it comes from torch."""

    def __init__(self, array: Any, dtype: str, *, has_history: bool = False) -> None:
        self.array, self.dtype, self.has_history = array, dtype, has_history
        self.ndim, self.shape = array.ndim, array.shape

    def detach(self) -> FakeTensor:
        return FakeTensor(self.array, self.dtype)

    def float(self) -> FakeTensor:
        return FakeTensor(self.array.astype(np.float32), "torch.float32")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.has_history or self.dtype == "torch.bfloat16":
            raise RuntimeError("Can't call numpy() on this tensor")
        return self.array


FakeTensor.__module__ = "torch"


def frame(make: Any) -> Callable[[Any], Any]:
    return lambda p: make({name: p[:, i] for i, name in enumerate(NAMES)})


MATRICES: dict[str, Callable[[Any], Any]] = {
    "C order": lambda p: p,
    "F order": np.asfortranarray,
    "slice": lambda p: np.repeat(np.repeat(p, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda p: p[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": lambda p: unaligned(p.ravel()).reshape(p.shape),
    "masked without a mask": np.ma.array,
    "list of arrays": list,
    "memoryview": memoryview,
    "dlpack": OnlyDlpack,
    "tensor": lambda p: FakeTensor(p, f"torch.{p.dtype}", has_history=True),
    "pandas": frame(pd.DataFrame),
    "pandas block": lambda p: pd.DataFrame(p, columns=NAMES),
    "pandas arrow": lambda p: pd.DataFrame(p, columns=NAMES).astype(
        "float[pyarrow]" if p.dtype == np.float32 else "double[pyarrow]"
    ),
    "pandas masked": lambda p: pd.DataFrame(p, columns=NAMES).astype(
        "Float32" if p.dtype == np.float32 else "Float64"
    ),
    "pandas lists": lambda p: pd.Series(list(p)),
    "polars": frame(pl.DataFrame),
    "polars lazy": frame(pl.LazyFrame),
    "polars lists": lambda p: pl.Series(list(p)),
    "polars arrays": pl.Series,
    "narwhals": lambda p: narwhals.from_native(frame(pl.DataFrame)(p)),
    "arrow": frame(pa.table),
    "arrow batch": lambda p: pa.record_batch(frame(dict)(np.vstack([p, p]))).slice(len(p)),
    "arrow chunks": lambda p: pa.concat_tables([frame(pa.table)(p[:1]), frame(pa.table)(p[1:])]),
    "arrow lists": lambda p: pa.array(list(p)),
    "arrow large lists": lambda p: pa.array(list(p), pa.large_list(pa.from_numpy_dtype(p.dtype))),
    "arrow fixed lists": lambda p: pa.FixedSizeListArray.from_arrays(p.ravel(), 3),
    "arrow list slice": lambda p: pa.array([None, [9.0], *p, None, [1.0]], pa.array(list(p)).type)[
        2:-2
    ],
    "arrow fixed slice": lambda p: pa.FixedSizeListArray.from_arrays(
        np.concatenate([p[0], p.ravel()]), 3
    )[1:],
    "arrow list chunks": lambda p: pa.chunked_array([list(p[:3]), list(p[3:])]),
    "dict of columns": frame(dict),
}
"""Containers that keep the type of the numbers."""

LISTS: dict[str, Callable[[Any], Any]] = {
    "nested lists": lambda p: p.tolist(),
    "tuples": lambda p: tuple(map(tuple, p.tolist())),
    "generator": lambda p: (row for row in p.tolist()),
    "objects": lambda p: p.astype(object),
    "decimals": lambda p: [[Decimal(x) for x in row] for row in p.tolist()],
    "fractions": lambda p: [[Fraction(x) for x in row] for row in p.tolist()],
    "NumPy scalars": lambda p: [list(row) for row in p],
    "0-d arrays": lambda p: [[np.array(x) for x in row] for row in p],
    "arrow decimals": lambda p: pa.table(
        {n: pa.array([Decimal(repr(x)) for x in p[:, i].tolist()], pa.decimal128(38, 37))
         for i, n in enumerate(NAMES)}
    ),
    "big-endian": lambda p: p.astype(">f8"),
    "long doubles": lambda p: p.astype(np.longdouble),
}  # fmt: skip
"""Containers that give float64."""


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("make", MATRICES.values(), ids=MATRICES)
def test_every_container_gives_the_same_matrix_bit_for_bit(make: Any, dtype: Any) -> None:
    p = P.astype(dtype)
    found = as_scores(make(p), "y_prob")
    assert found.values.dtype == dtype
    assert found.values.dtype.isnative
    assert found.values.flags.aligned
    assert found.values.tobytes() == p.tobytes()
    assert (found.n, found.k, found.is_prob, found.tolerance) == (4, 3, True, 1e-3)
    assert found.columns in (None, tuple(NAMES))


def test_a_matrix_that_differs_in_one_bit_is_told_apart() -> None:
    other = P.copy()
    other[3, 2] = np.nextafter(other[3, 2], 1)
    assert as_scores(other, "y_prob").values.tobytes() != P.tobytes()


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_python_numbers_and_wider_ones_become_float64(make: Any) -> None:
    found = as_scores(make(P), "y_score")
    assert found.values.tobytes() == P.tobytes()
    assert not found.is_prob


@pytest.mark.parametrize(
    "make",
    [
        lambda p: p[:, 1],
        lambda p: p[:, 1:2],
        lambda p: p[:, 1].tolist(),
        lambda p: p[:, 1:2].tolist(),
        lambda p: pd.Series(p[:, 1]),
        lambda p: pd.Index(p[:, 1]),
        lambda p: pd.array(p[:, 1], dtype="Float64"),
        lambda p: pl.Series(p[:, 1]),
        lambda p: pl.DataFrame({"p": p[:, 1]}),
        lambda p: pa.array(p[:, 1]),
        lambda p: pa.chunked_array([p[:2, 1], p[2:, 1]]),
        lambda p: pa.table({"p": p[:, 1]}),
        lambda p: {"p": p[:, 1]},
        lambda p: FakeTensor(p[:, 1], "torch.float64"),
    ],
)
def test_one_column_is_the_positive_class_of_two(make: Any) -> None:
    found = as_scores(make(P), "y_prob")
    assert found.values.shape == (4,)
    assert found.values.tobytes() == P[:, 1].tobytes()
    assert found.k == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda p: p.astype(np.float16),
        lambda p: p.astype(ml_dtypes.bfloat16),
        lambda p: pa.table({n: p[:, i].astype(np.float16) for i, n in enumerate(NAMES)}),
        lambda p: pd.DataFrame(p.astype(np.float16)),
        lambda p: FakeTensor(p.astype(ml_dtypes.bfloat16), "torch.bfloat16", has_history=True),
        lambda p: pa.array(list(p.astype(np.float16))),
        lambda p: [row.astype(np.float16) for row in p],
    ],
    ids=["float16", "bfloat16", "arrow", "pandas", "tensor", "lists", "list of arrays"],
)
def test_numbers_of_16_bits_become_float32_and_may_be_further_from_1(make: Any) -> None:
    found = as_scores(make(P), "y_prob")
    assert found.values.dtype == np.float32
    assert found.tolerance == 1e-2
    np.testing.assert_allclose(found.values, P, rtol=2**-8)


def test_a_table_of_several_types_is_float64_and_of_few_bits_float32() -> None:
    mixed = {"a": P[:, 0].astype(np.float32), "b": P[:, 1], "c": [1, 0, 1, 0]}
    found = as_scores(mixed, "y_score")
    assert found.values.dtype == np.float64
    assert found.values[:, 0].tolist() == P[:, 0].astype(np.float32).tolist()
    few = {"a": P[:, 0].astype(np.float32), "b": P[:, 1].astype(np.float16)}
    assert as_scores(few, "y_score").values.dtype == np.float32


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
def test_whole_numbers_are_read_exactly(dtype: str) -> None:
    one_hot = np.eye(3, dtype=dtype)
    assert as_scores(one_hot, "y_prob").values.tolist() == np.eye(3).tolist()
    assert as_scores(one_hot.tolist(), "y_prob").values.tolist() == np.eye(3).tolist()
    top = min(np.iinfo(dtype).max, 2**53)
    assert as_scores(np.array([0, top], dtype), "y_score").values.tolist() == [0.0, float(top)]


def test_large_whole_numbers_that_are_floats_are_read() -> None:
    values = [2**60, -(2**62), 3, 2**80]
    assert as_scores(values, "y_score").values.tolist() == [float(x) for x in values]
    assert as_scores(np.array([2**63], np.uint64), "y_score").values.tolist() == [2.0**63]


@pytest.mark.parametrize(
    "values",
    [P, P.T, P[::2], P[:, ::-1], P.astype(np.float32), P[:, 1], pd.DataFrame(P), memoryview(P)],
    ids=["C", "F", "rows", "columns", "float32", "column", "pandas", "memoryview"],
)
def test_arrays_are_not_copied(values: Any) -> None:
    found = as_scores(values, "y_score").values
    source = values.to_numpy() if isinstance(values, pd.DataFrame) else np.asarray(values)
    assert np.shares_memory(found, source)
    assert found.strides == source.strides


def test_arrow_and_polars_columns_are_not_copied_when_they_are_one() -> None:
    column = pa.array(P[:, 1].copy())
    assert np.shares_memory(as_scores(column, "y_score").values, column.to_numpy())
    lists = pa.FixedSizeListArray.from_arrays(P.ravel(), 3)
    assert np.shares_memory(as_scores(lists, "y_score").values, lists.values.to_numpy())


NA = float("nan")
WRONG: dict[str, tuple[Any, str]] = {
    "nothing": ([], "K101"),
    "no rows": (np.zeros((0, 3)), "K101"),
    "no rows in a table": (pa.table({"a": pa.array([], pa.float64())}), "K101"),
    "no columns": (np.zeros((3, 0)), "It has shape (3, 0)"),
    "no columns in a table": (pd.DataFrame(), "table without columns"),
    "empty rows": ([[], []], "It has shape (2, 0)"),
    "three axes": (np.zeros((2, 2, 2)), "It has shape (2, 2, 2)"),
    "three axes in lists": ([[[0.5]]], "shape (1, 1, …)"),
    "one number": (0.5, "It is a float"),
    "a 0-d array": (np.array(0.5), "It has shape ()"),
    "a text": ("0.5", "It is a str"),
    "a set": ({0.5, 0.25}, "It is a set"),
    "an object": (object(), "It is a object"),
    "ragged": ([[0.5, 0.5], [1.0]], "Row 1 has length 1, row 0 has length 2"),
    "ragged at the end": ([[0.5, 0.5], 1.0], "Row 1 is not a row"),
    "ragged lists": (pa.array([[0.5, 0.5], [0.5, 0.5], [1.0]]), "Row 2 has length 1"),
    "ragged chunks": (pa.chunked_array([[[0.5, 0.5]], [[1.0]]]), "Row 1 has length 1"),
    "texts": (["0.5", "0.5"], "Row 0 holds '0.5' (str); 2 of 2 values"),
    "a text among numbers": ([[0.5, 0.5], [0.5, "x"]], "Row 1, column 1 holds 'x' (str); 1 of 4"),
    "text array": (np.array(["a", "b"]), "Its dtype is <U1"),
    "arrow text": (pa.array(["a"]), "It holds text"),
    "lists of text": (pa.array([["a", "b"]]), "lists of something else"),
    "categories": (pd.Series(["a"], dtype="category"), "Its dtype is category"),
    "booleans": (np.array([True, False]), "Its dtype is bool"),
    "booleans in lists": ([[0.5, True]], "Row 0, column 1 holds True (bool)"),
    "booleans in Polars": (pl.Series([True]), "It holds booleans"),
    "NumPy booleans": ([np.True_, np.False_], "(bool)"),
    "complex": (np.array([1j]), "Its dtype is complex128"),
    "complex in a list": ([1j, 2j], "Row 0 holds 1j (complex)"),
    "dates": (np.array(["2020-01-01"], "datetime64[D]"), "datetime64"),
    "durations": ([np.timedelta64(1, "s")], "timedelta64"),
    "structs": (np.zeros(3, [("a", float)]), "Its dtype is"),
    "unwilling": (Unwilling(), "it lies on another device"),
    "lost digits": (np.array([[0, 1], [2, 2**53 + 1]]), "Row 1, column 1 holds 9007199254740993"),
    "lost digits in a list": ([0.5, 2**53 + 1], "Row 1 holds 9007199254740993"),
    "lost digits in chunks": (
        pa.chunked_array([[1, 2], [3, 2**53 + 1]]), "Row 3 holds 9007199254740993",
    ),
    "too large": ([1.0, 10**400], "which a float64 cannot represent"),
    "lists beside": (pl.DataFrame({"a": [0.5], "b": [[0.5, 0.5]]}), "lists of 2 numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_score_is_refused(name: str) -> None:
    values, expected = WRONG[name]
    with pytest.raises(KaratError) as caught:
        as_scores(values, "y_score")
    problem = caught.value
    assert problem.code == ("K101" if expected == "K101" else "K130")
    assert expected in str(problem)


MISSING: dict[str, tuple[Any, str]] = {
    "list": ([0.5, None, None], "row 1: None; 2 of 3 rows"),
    "rows": ([[0.5, 0.5], [0.5, None]], "row 1, column 1: None; 1 of 2 rows"),
    "objects": (np.array([[0.5, None]], object), "row 0, column 1: None; 1 of 1 rows"),
    "pandas objects": (pd.Series([0.5, pd.NA], dtype=object), "row 1: <NA>; 1 of 2 rows"),
    "pandas masked": (pd.Series([0.5, None], dtype="Float64"), "row 1: None; 1 of 2 rows"),
    "pandas arrow": (pd.Series([0.5, None], dtype="double[pyarrow]"), "row 1: None; 1 of 2"),
    "masked": (np.ma.array(P, mask=P == 1.0), "row 2, column 1: 'masked'; 1 of 4 rows"),
    "polars": (pl.DataFrame({"a": [0.5, 0.5], "b": [0.5, None]}), "row 1, column 'b': None; 1 of"),
    "arrow": (pa.array([0.5, None, 0.5]), "row 1: None; 1 of 3 rows"),
    "null list": (pa.array([[0.5, 0.5], None]), "row 1: None; 1 of 2 rows"),
    "null in a list": (pa.array([[0.5, 0.5], [None, 1.0]]), "row 1, column 0: None; 1 of 2 rows"),
    "null in a list of a table": (
        pa.table({"p": pa.array([[0.5, 0.5], [1.0, None]])}),
        "row 1, column 'p', item 1: None; 1 of 2 rows",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_scores_are_refused_with_their_place(name: str) -> None:
    values, place = MISSING[name]
    with pytest.raises(KaratError) as caught:
        as_scores(values, "y_prob")
    assert caught.value.code == "K131"
    assert f"First at {place}" in str(caught.value)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(KaratError) as caught:
        as_scores({"a": [0.5, 0.5], "b": [0.5]}, "y_prob")
    assert caught.value.code == "K102"
    assert "Column 'a' has 2 rows, column 'b' has 1" in str(caught.value)


def refusal(values: Any, kind: str, row: int, *column: int, argument: Any = "y_prob") -> KaratError:
    scores = as_scores(values, argument)
    with pytest.raises(KaratError) as caught:
        refuse_scores(scores, _native.Rejected(kind, 1, row, *column))
    return caught.value


def spoiled(value: float, *cells: tuple[int, int]) -> Any:
    values = np.tile(P, (50_000, 1))
    for cell in cells:
        values[cell] = value
    return values


@pytest.mark.parametrize(
    ("value", "kind", "code"),
    [
        (np.nan, "nan", "K131"),
        (np.inf, "infinite", "K131"),
        (-np.inf, "infinite", "K131"),
        (-0.25, "below_zero", "K132"),
        (1.25, "above_one", "K132"),
    ],
)
@pytest.mark.parametrize("column", [(2,), ()], ids=["column known", "column not known"])
def test_a_refused_value_is_told_with_its_place_and_count(
    value: float, kind: str, code: str, column: tuple[int, ...]
) -> None:
    values = spoiled(value, (70_000, 2), (150_000, 0), (150_000, 1))
    problem = refusal(values, kind, 70_000, *column)
    assert problem.code == code
    facts = problem.context
    assert (facts["row"], facts["place"], facts["count"], facts["n"]) == (
        70_000, ", column 2", 2, 200_000,
    )  # fmt: skip
    assert facts["value"] == value or np.isnan(value)


def test_a_row_that_does_not_add_up_is_told_with_its_sum() -> None:
    problem = refusal(spoiled(0.5, (3, 0), (9, 0)), "row_sum", 3)
    assert problem.code == "K133"
    told = "First at row 3: its sum is 1.25; 2 of 200000 rows. The tolerance is 0.001."
    assert told in str(problem)


def test_names_of_columns_stand_in_messages() -> None:
    values = pd.DataFrame(P, columns=NAMES)
    values.iloc[1, 1] = np.nan
    assert "First at row 1, column 'p_b': nan" in str(refusal(values, "nan", 1, 1))
    one = pd.DataFrame({"score": [0.5, np.inf]})
    problem = refusal(one, "infinite", 1, argument="y_score")
    assert "y_score has scores" in str(problem)
    assert "First at row 1, column 'score': inf" in str(problem)
    assert "First at row 0: nan" in str(refusal([NA, 0.5], "nan", 0, 0))


def test_what_is_not_about_scores_is_raised_again() -> None:
    scores = as_scores(P, "y_prob")
    for args in (("range", 0, 3), ("negative_weight", 2, 1)):
        with pytest.raises(_native.Rejected) as caught:
            refuse_scores(scores, _native.Rejected(*args))
        assert caught.value.args == args


def test_some_rows_of_scores_keep_what_they_are() -> None:
    scores = as_scores(pd.DataFrame(P, columns=NAMES), "y_score")
    found = scores.at(np.array([True, False, False, True]))
    assert found.values.tolist() == P[[0, 3]].tolist()
    assert (found.columns, found.argument) == (tuple(NAMES), "y_score")
    assert isinstance(found, Scores)
