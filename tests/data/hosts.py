"""The same ten rows in every container that karat reads."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from tests.optional import optional

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
narwhals = optional("narwhals")

TRUE = [0, 0, 1, 1, 1, 1, 1, 2, 2, 3]
PRED = [0, 2, 1, 1, 2, 0, 0, 2, 2, 0]
CONFUSION = [[1, 0, 1, 0], [2, 2, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0]]

Values = list[int]
Make = Callable[[Values], Any]


def ints(values: Values) -> np.ndarray[Any, Any]:
    return np.array(values)


def texts(values: Values) -> list[str]:
    return [f"class {value}" for value in values]


def strided(array: Any) -> Any:
    return np.repeat(array, 3)[::3]


def unaligned(array: Any) -> Any:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype)
    view[:] = array
    return view


def readonly(array: Any) -> Any:
    array.flags.writeable = False
    return array


def chunked_dictionaries(values: Values) -> Any:
    """Chunks whose dictionaries differ: each lists what it holds, in order of appearance."""
    rows = pa.array(texts(values))
    return pa.chunked_array([rows[:4].dictionary_encode(), rows[4:].dictionary_encode()])


def with_nulls_around(values: Any, kind: Any = None) -> Any:
    """A slice in the middle of a longer Arrow array with nulls on both sides."""
    return pa.array([None, None, None, *values, None], kind)[3:-1]


class Tensor:
    """A container that only knows how to become a NumPy array."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype)


class Unwilling:
    """An array that lies where NumPy cannot reach it."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise RuntimeError("it lies on another device")


class OnlyDlpack:
    """A container that only speaks DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


DTYPES = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    ">i2", ">i4", ">i8", ">u8", ">f8", "float16", "float32", "float64", "longdouble", "object",
)  # fmt: skip

NUMBERS: dict[str, Make] = {
    "list": lambda v: v,
    "tuple": tuple,
    "range of lists": lambda v: [[x] for x in v],
    "list of floats": lambda v: [float(x) for x in v],
    "list of mixed numbers": lambda v: [float(x) if x % 2 else x for x in v],
    "list of NumPy scalars": lambda v: [np.int8(x) if x % 2 else np.float32(x) for x in v],
    "list of decimals": lambda v: [Decimal(x) for x in v],
    "list of 0-d arrays": lambda v: [np.array(x) for x in v],
    **{name: lambda v, name=name: ints(v).astype(name) for name in DTYPES},
    "strided": lambda v: strided(ints(v)),
    "reversed": lambda v: ints(v)[::-1][::-1],
    "unaligned": lambda v: unaligned(ints(v)),
    "read-only": lambda v: readonly(ints(v)),
    "(n, 1)": lambda v: ints(v)[:, None],
    "masked": np.ma.array,
    "memoryview": lambda v: memoryview(ints(v)),
    "dict values": lambda v: dict(enumerate(v)).values(),
    "array protocol": Tensor,
    "dlpack": lambda v: OnlyDlpack(ints(v)),
    "pandas Series": lambda v: pd.Series(v, index=range(100, 100 + len(v))),
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas Float64": lambda v: pd.Series(v, dtype="Float64"),
    "pandas int8[pyarrow]": lambda v: pd.Series(v, dtype="int8[pyarrow]"),
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas Index": pd.Index,
    "pandas array": lambda v: pd.array(v, dtype="Int64"),
    "pandas Categorical": pd.Categorical,
    "pandas categories in any order": lambda v: pd.Series(
        pd.Categorical(v, categories=[9, 3, 2, 1, 0])
    ),
    "pandas frame": lambda v: pd.DataFrame({"a": v}),
    "polars Series": pl.Series,
    "polars UInt8": lambda v: pl.Series(v, dtype=pl.UInt8),
    "polars Float32": lambda v: pl.Series(v, dtype=pl.Float32),
    "polars Decimal": lambda v: pl.Series(v).cast(pl.Decimal(12, 2)),
    "polars Object": lambda v: pl.Series(v, dtype=pl.Object),
    "polars frame": lambda v: pl.DataFrame({"a": v}),
    "narwhals Series": lambda v: narwhals.from_native(pl.Series(v), series_only=True),
    "polars lazy frame": lambda v: pl.LazyFrame({"a": v}),
    "arrow int64": pa.array,
    "arrow uint16": lambda v: pa.array(v, pa.uint16()),
    "arrow float": lambda v: pa.array(v, pa.float32()),
    "arrow decimal": lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(20, 3)),
    "arrow whole decimal": lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(20, 0)),
    "arrow wide decimal": lambda v: pa.array([Decimal(x) for x in v], pa.decimal256(60, 20)),
    "arrow slice": with_nulls_around,
    "arrow chunks": lambda v: pa.chunked_array([v[:3], [], v[3:]], pa.int64()),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "arrow dictionary slice": lambda v: with_nulls_around(v).dictionary_encode()[:],
    "arrow table": lambda v: pa.table({"a": v}),
    "arrow struct slice": lambda v: pa.array([{"a": x} for x in [None, *v, None]])[1:-1],
    "arrow batch slice": lambda v: pa.record_batch({"a": [None, *v, None]})[1:-1],
}

TEXTS: dict[str, Make] = {
    "list": texts,
    "list of np.str_": lambda v: list(np.array(texts(v))),
    "list of bytes": lambda v: [text.encode() for text in texts(v)],
    "object": lambda v: np.array(texts(v), object),
    "strided objects": lambda v: strided(np.array(texts(v), object)),
    "U": lambda v: np.array(texts(v)),
    "big-endian U": lambda v: np.array(texts(v)).astype(">U9"),
    "strided U": lambda v: strided(np.array(texts(v))),
    "wide U": lambda v: np.array(texts(v), "U40"),
    "S": lambda v: np.array(texts(v), "S"),
    "StringDType": lambda v: np.array(texts(v), np.dtypes.StringDType()),
    "StringDType with NA": lambda v: np.array(texts(v), np.dtypes.StringDType(na_object=None)),
    "(n, 1)": lambda v: np.array(texts(v))[:, None],
    "pandas str": lambda v: pd.Series(texts(v)),
    "pandas string[python]": lambda v: pd.Series(texts(v), dtype="string[python]"),
    "pandas string[pyarrow]": lambda v: pd.Series(texts(v), dtype="string[pyarrow]"),
    "pandas arrow dtype": lambda v: pd.Series(texts(v), dtype=pd.ArrowDtype(pa.large_string())),
    "pandas object": lambda v: pd.Series(texts(v), dtype=object),
    "pandas category": lambda v: pd.Series(texts(v), dtype="category"),
    "pandas Index": lambda v: pd.Index(texts(v)),
    "pandas CategoricalIndex": lambda v: pd.CategoricalIndex(texts(v)),
    "polars String": lambda v: pl.Series(texts(v)),
    "polars Categorical": lambda v: pl.Series(texts(v), dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(texts(v), dtype=pl.Enum(texts([0, 1, 2, 3, 4]))),
    "arrow string": lambda v: pa.array(texts(v)),
    "arrow large string": lambda v: pa.array(texts(v), pa.large_string()),
    "arrow string view": lambda v: pa.array(texts(v), pa.string_view()),
    "arrow long string view": lambda v: pa.chunked_array(
        [pa.array(texts(v), pa.string_view())[:5], pa.array(texts(v), pa.string_view())[5:]]
    ),
    "arrow binary": lambda v: pa.array([text.encode() for text in texts(v)]),
    "arrow slice": lambda v: with_nulls_around(texts(v)),
    "arrow view slice": lambda v: with_nulls_around(texts(v), pa.string_view()),
    "arrow dictionary": lambda v: pa.array(texts(v)).dictionary_encode(),
    "arrow chunked dictionaries": chunked_dictionaries,
    "arrow dictionary with repeats": lambda v: pa.DictionaryArray.from_arrays(
        pa.array([x + 4 * (row % 2) for row, x in enumerate(v)], pa.int8()), texts([0, 1, 2, 3] * 2)
    ),
}
