"""Values of rare types in arrays and tables: labels, scores, weights, clusters, slices, ids.

What today's reading makes of them is recorded, whether or not it is the right reading.
"""

from __future__ import annotations

import array
import datetime as dt
import decimal
import enum
import fractions
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import karat
from tests.corpus import odd_source_files, odd_source_tables, odd_streams
from tests.corpus.calls import Call
from tests.corpus.rows import digits
from tests.grouping import grouped

N = 24
TRUE = [0, 1, 1, 0, 1, 1] * 4
PRED = [0, 1, 0, 0, 1, 1, 1, 1] * 3
FEW = ("accuracy", "macro_f1")
RANKS = ("accuracy", "roc_auc", "average_precision")
Make = Callable[[], Any]


class Size:
    """A number of another package: all it has is `__float__`."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"Size({self.value})"


class Color(enum.Enum):
    """Labels as members of an enumeration."""

    RED = 0
    BLUE = 1


class Grade(enum.IntEnum):
    """Labels as members of an enumeration of integers."""

    LOW = 0
    HIGH = 1


class Shut:
    """A container whose values cannot be read."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise OSError("the disk is gone")


class Closed:
    """A column of Arrow that cannot be read."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        raise OSError("the connection is closed")


def days(n: int = 4) -> list[dt.date]:
    """A day for each row, of n days."""
    return [dt.date(2024, 1, 1 + i % n) for i in range(N)]


def moments(n: int = 4) -> list[dt.datetime]:
    """A moment for each row, of n moments."""
    return [dt.datetime(2024, 1, 1 + i % n, 12, 30, i % n) for i in range(N)]


def of(*values: Any) -> tuple[list[Any], list[Any]]:
    """Truth and predictions of two or three values."""
    last = values[-1]
    true = [values[i] for i in TRUE]
    return true, [last if i % 7 == 3 else values[code] for i, code in enumerate(PRED)]


def seen(report: Any) -> Any:
    """A report with the doubts that it states."""
    return {"report": report, "doubts": list(report.doubts)}


def _decimals(kind: Any, factor: str = "1") -> Any:
    return [
        pa.array([decimal.Decimal(x) * decimal.Decimal(factor) for x in side], kind)
        for side in (TRUE, PRED)
    ]


_NULLS = pa.nulls(12, pa.int8())


def _two_dictionaries(first: list[Any], second: list[Any]) -> Any:
    half = pa.array([0, 1, 1, 0] * 3, pa.int8())
    return pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(half, pa.array(first)),
            pa.DictionaryArray.from_arrays(
                half if second else _NULLS, pa.array(second, pa.array(first).type)
            ),
        ]
    )


def _unsafe_dictionary() -> Any:
    codes, values = pa.array([0, 5] * 12, pa.int8()), pa.array(["a", "b"])
    first = pa.DictionaryArray.from_arrays(codes, values, safe=False)
    other = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", "c"]))
    return pa.chunked_array([first, other])


def _unsafe_text(content: bytes, first: int = 1) -> Any:
    offsets = np.array([0, first, 2, 3], np.int32)
    return pa.StringArray.from_buffers(3, pa.py_buffer(offsets), pa.py_buffer(content))


def _ordered(*names: str) -> Any:
    return pd.Categorical([names[0], "b", "b", "a"] * 6, categories=list(names), ordered=True)


_OF_NUMPY = """
int8 uint8 uint64 float16 float32 longdouble bool S1 U1 object >i4 complex64 M8[D] m8[s]
"""
_OF_PANDAS = """
UInt8 Int64 Float32 boolean string category object Sparse[int] datetime64[ns] timedelta64[ns]
float16 complex128
"""
# Truth and predictions in a container.
LABELS: dict[str, Make] = {
    "codes with zeros in front": lambda: of("007", "7"),
    "whole numbers as text": lambda: of("1.0", "1"),
    "numbers as text beside numbers": lambda: (list(map(str, TRUE)), PRED),
    "booleans as text": lambda: of("True", "true"),
    "booleans as text beside booleans": lambda: (of("false", "true")[0], [*map(bool, PRED)]),
    "spaces at the end": lambda: of("a", "a "),
    "spaces in front": lambda: of(" a", "b"),
    "upper and lower case": lambda: of("Cat", "cat"),
    "text without characters": lambda: of("", "b"),
    "text that says NA": lambda: of("NA", "nan"),
    "text that says None": lambda: of("None", "null"),
    "composed and decomposed letters": lambda: of("é", "e\u0301"),
    "numbers with commas": lambda: of("1,000", "1000"),
    "decimal commas": lambda: of("0,5", "0.5"),
    "floats that are whole": lambda: of(0.0, 1.0),
    "floats beside integers": lambda: ([float(x) for x in TRUE], PRED),
    "floats that are not whole": lambda: of(0.0, 0.5),
    "floats beyond int64": lambda: of(0.0, 1e19),
    "booleans beside integers": lambda: ([*map(bool, TRUE)], PRED),
    "booleans among integers": lambda: of(0, True),
    "negative zero": lambda: of(-0.0, 0.0),
    "integers beyond int64": lambda: of(0, 2**64),
    "integers beyond float64": lambda: of(2**53, 2**53 + 1),
    "decimals": lambda: of(decimal.Decimal(0), decimal.Decimal("1.0")),
    "decimals that are not whole": lambda: of(decimal.Decimal(0), decimal.Decimal("0.1")),
    "fractions": lambda: of(fractions.Fraction(0), fractions.Fraction(2, 2)),
    "members of an enumeration": lambda: of(Color.RED, Color.BLUE),
    "members of an enumeration of integers": lambda: of(Grade.LOW, Grade.HIGH),
    "bytes": lambda: of(b"a", b"b"),
    "complex numbers": lambda: of(0j, 1 + 0j),
    "dates": lambda: of(dt.date(2024, 1, 1), dt.date(2024, 1, 2)),
    "tuples": lambda: of((0, 1), (1, 0)),
    "text of NumPy": lambda: of(np.str_("a"), np.str_("b")),
    "objects with __float__": lambda: of(Size(0.0), Size(1.0)),
    "tuples of labels": lambda: (tuple(TRUE), tuple(PRED)),
    "iterators": lambda: (iter(TRUE), iter(PRED)),
    "ranges": lambda: (range(12), range(12)),
    "an array of Python": lambda: (array.array("b", TRUE), array.array("b", PRED)),
    "a memoryview": lambda: (memoryview(bytes(TRUE)), memoryview(bytes(PRED))),
    "bytes as a column": lambda: (bytes(TRUE), bytes(PRED)),
    "text as a column": lambda: ("ab" * 12, "ab" * 12),
    "sets": lambda: (set(TRUE), set(PRED)),
    "dicts": lambda: (dict(enumerate(TRUE)), dict(enumerate(PRED))),
    "a container that fails": lambda: (Shut(), Shut()),
    **{
        f"NumPy {kind}": lambda kind=kind: (np.array(TRUE, kind), np.array(PRED, kind))
        for kind in _OF_NUMPY.split()
    },
    "NumPy uint64 beyond int64": lambda: np.array(of(1, 2**64 - 1), np.uint64),
    "NumPy StringDType": lambda: np.array(of("a", "b"), np.dtypes.StringDType()),
    "NumPy columns": lambda: (np.array(TRUE)[:, None], np.array(PRED)[:, None]),
    "NumPy rows": lambda: (np.array(TRUE)[None], np.array(PRED)[None]),
    "NumPy every second row": lambda: (np.repeat(TRUE, 2)[::2], np.repeat(PRED, 2)[::-2]),
    "masked arrays": lambda: (np.ma.array(TRUE, mask=[0] * N), np.ma.array(PRED, mask=[0] * N)),
    "records": lambda: np.array([*zip(TRUE, PRED, strict=True)], [("a", int), ("b", int)]),
    "SciPy sparse columns": lambda: tuple(sp.csr_array(np.array(x)[:, None]) for x in (TRUE, PRED)),
    **{
        f"pandas {kind}": lambda kind=kind: (pd.Series(TRUE).astype(kind), pd.Series(PRED))
        for kind in _OF_PANDAS.split()
    },
    "pandas periods": lambda: [pd.Series(pd.PeriodIndex(days(2), freq="D"))] * 2,
    "pandas intervals": lambda: [pd.Series(pd.cut(TRUE, [-1, 0, 1]))] * 2,
    "pandas unlike categories": lambda: (_ordered("a", "b", "c"), _ordered("c", "b", "a")),
    "pandas unlike ordered categories": lambda: (
        pd.Series(_ordered("b", "a")),
        pd.Series(_ordered("a", "b")),
    ),
    "pandas index beside a column": lambda: (pd.Index(TRUE), pd.Series(PRED)),
    "pandas columns in another order": lambda: (pd.Series(TRUE), pd.Series(PRED)[::-1]),
    "pandas columns of other names": lambda: (
        pd.Series(TRUE, index=[f"r{i}" for i in range(N)]),
        pd.Series(PRED, index=[f"r{i * 5 % N}" for i in range(N)]),
    ),
    "pandas columns of other rows": lambda: (pd.Series(TRUE), pd.Series(PRED, index=range(5, 29))),
    "pandas columns of repeated rows": lambda: (
        pd.Series(TRUE, index=[i // 2 for i in range(N)]),
        pd.Series(PRED, index=[i // 2 for i in range(N)][::-1]),
    ),
    "pandas columns of mixed names": lambda: (
        pd.Series(TRUE, index=["a", *range(1, N)]),
        pd.Series(PRED, index=[*range(1, N), "a"]),
    ),
    "pandas columns of other times": lambda: (
        pd.Series(TRUE, index=pd.date_range("2024-01-01", periods=N)),
        pd.Series(PRED, index=pd.date_range("2024-01-01", periods=N)[::-1]),
    ),
    "Polars enumerations": lambda: tuple(
        pl.Series(side, dtype=pl.Enum(["b", "a", "c"])) for side in of("a", "b")
    ),
    "Polars unlike categories": lambda: tuple(
        pl.Series(side, dtype=pl.Categorical) for side in (of("a", "b")[0], of("b", "a")[1])
    ),
    "Polars decimals": lambda: tuple(pl.Series(x).cast(pl.Decimal(9, 2)) for x in (TRUE, PRED)),
    "Polars dates": lambda: (pl.Series(days(2)), pl.Series(days(3))),
    "Polars objects": lambda: tuple(pl.Series(side, dtype=pl.Object) for side in of("a", "b")),
    "Polars binary": lambda: tuple(pl.Series(side) for side in of(b"a", b"b")),
    "Arrow decimals": lambda: _decimals(pa.decimal128(5)),
    "Arrow decimals with places": lambda: _decimals(pa.decimal128(5, 2)),
    "Arrow decimals that are not whole": lambda: _decimals(pa.decimal128(9, 2), "0.25"),
    "Arrow decimals beyond int64": lambda: _decimals(pa.decimal128(38, 2), "1e25"),
    "Arrow decimals of 256 bits": lambda: _decimals(pa.decimal256(60, 30)),
    "Arrow decimals of 64 bits": lambda: _decimals(pa.decimal64(9, 1)),
    "Arrow large text": lambda: [pa.array(side, pa.large_string()) for side in of("a", "b")],
    "Arrow text views": lambda: [pa.array(side, pa.string_view()) for side in of("a", "b")],
    "Arrow bytes": lambda: [pa.array(side, pa.binary()) for side in of(b"a", b"b")],
    "Arrow half floats": lambda: [pa.array(np.array(x, "f2")) for x in (TRUE, PRED)],
    "Arrow dates": lambda: (pa.array(days(2)), pa.array(days(3))),
    "Arrow runs": lambda: (pa.RunEndEncodedArray.from_arrays([12, 24], [0, 1]), pa.array(PRED)),
    "Arrow dictionaries that differ": lambda: [_two_dictionaries(["a", "b"], ["b", "c"])] * 2,
    "Arrow dictionaries that differ, of numbers": lambda: [_two_dictionaries([5, 7], [7, 9])] * 2,
    "Arrow dictionaries with a spare fraction": lambda: (
        [_two_dictionaries([1.0, 2.0, 0.5], [2.0, 3.0])] * 2
    ),
    "Arrow dictionaries of fractions": lambda: [_two_dictionaries([1.0, 0.5], [2.0, 3.0])] * 2,
    "Arrow dictionaries of times": lambda: [_two_dictionaries(days()[:2], days()[1:3])] * 2,
    "Arrow dictionaries of bytes": lambda: [_two_dictionaries([b"a", b"b"], [b"b", b"a"])] * 2,
    "Arrow dictionaries of bytes that are no text": lambda: (
        [_two_dictionaries([b"a", b"\xff"], [b"b", b"a"])] * 2
    ),
    "Arrow dictionaries that lack a code": lambda: [_unsafe_dictionary()] * 2,
    "Arrow text that is not UTF-8": lambda: [_unsafe_text(b"a\xffb")] * 2,
    "Arrow text beyond its memory": lambda: [_unsafe_text(b"abc", 90)] * 2,
    "Arrow that cannot be read": lambda: [Closed()] * 2,
    "Arrow dictionaries that repeat": lambda: [_two_dictionaries(["a", "a"], ["a", "b"])] * 2,
    "Arrow dictionaries that are empty": lambda: [_two_dictionaries(["a", "b"], [])] * 2,
    "Arrow structs": lambda: [pa.array([{"a": x} for x in TRUE])] * 2,
    "Arrow tables of one column": lambda: (pa.table({"a": TRUE}), pa.table({"b": PRED})),
}
# With a missing value, which nulls="drop" leaves out.
MISSING: dict[str, Make] = {
    "None": lambda: ([None, *TRUE[1:]], PRED),
    "NaN": lambda: ([float("nan"), *TRUE[1:]], PRED),
    "NaN among texts": lambda: ([float("nan"), *of("a", "b")[0][1:]], of("a", "b")[1]),
    "NA of pandas": lambda: ([pd.NA, *TRUE[1:]], PRED),
    "NaT": lambda: ([pd.NaT, *TRUE[1:]], PRED),
    "NaN of decimals": lambda: ([decimal.Decimal("NaN"), *TRUE[1:]], PRED),
    "signaling NaN of decimals": lambda: ([decimal.Decimal("sNaN"), *TRUE[1:]], PRED),
    "masked": lambda: (np.ma.array(TRUE, mask=[1] + [0] * 23), np.array(PRED)),
    "masked among objects": lambda: ([np.ma.masked, *TRUE[1:]], PRED),
    "a null of Arrow text": lambda: [pa.array([None, *side[1:]]) for side in of("a", "b")],
    "a null of Arrow decimals": lambda: (
        pa.array([None, *map(decimal.Decimal, TRUE[1:])], pa.decimal128(3)),
        PRED,
    ),
    "a category that is missing": lambda: (pd.Categorical([None, *TRUE[1:]]), PRED),
    "a null of Polars": lambda: (pl.Series([None, *TRUE[1:]]), pl.Series(PRED)),
    "NaN of Polars": lambda: (pl.Series([float("nan"), *map(float, TRUE[1:])]), pl.Series(PRED)),
    "pandas float beside integers": lambda: (pd.Series([None, *TRUE[1:]]), pd.Series(PRED)),
}
# Scores of a row, for `TRUE`.
HALVES = [round(0.3 * true + 0.05 * (i % 9), 2) for i, true in enumerate(TRUE)]
PAIRS = [[1 - p, p] for p in HALVES]
SCORES: dict[str, Make] = {
    "a list": lambda: HALVES,
    "half floats": lambda: np.array(HALVES, "f2"),
    "integers": lambda: [int(100 * p) for p in HALVES],
    "booleans": lambda: [p > 0.3 for p in HALVES],
    "NumPy booleans": lambda: np.array(HALVES) > 0.3,
    "decimals": lambda: [decimal.Decimal(str(p)) for p in HALVES],
    "fractions": lambda: [fractions.Fraction(str(p)) for p in HALVES],
    "objects with __float__": lambda: [Size(p) for p in HALVES],
    "an array of objects": lambda: np.array(HALVES, object),
    "text": lambda: list(map(str, HALVES)),
    "text with decimal commas": lambda: [str(p).replace(".", ",") for p in HALVES],
    "text with percent signs": lambda: [f"{p:.0%}" for p in HALVES],
    "text among numbers": lambda: [*HALVES[1:], "0.5"],
    "None among numbers": lambda: [*HALVES[1:], None],
    "NaN among numbers": lambda: [*HALVES[1:], float("nan")],
    "infinity": lambda: [*HALVES[1:], float("inf")],
    "complex numbers": lambda: np.array(HALVES) + 0j,
    "dates": days,
    "integers that no float equals": lambda: [2**53 + 1 + i for i in range(N)],
    "int64 that no float equals": lambda: np.arange(N) + 2**53 + 1,
    "int64 that floats equal": lambda: (np.arange(N) + 2**52) * 2,
    "uint64 that no float equals": lambda: np.arange(N, dtype=np.uint64) + 2**63 + 1,
    "an integer beyond float64": lambda: [10**400, *range(23)],
    "a matrix of integers that no float equals": lambda: np.arange(2 * N).reshape(N, 2) + 2**53,
    "lists of integers that no float equals": lambda: [[i, 2**53 + 1] for i in range(N)],
    "lists": lambda: PAIRS,
    "tuples": lambda: list(map(tuple, PAIRS)),
    "lists in an array of objects": lambda: pd.Series(PAIRS).to_numpy(),
    "arrays in a list": lambda: [np.array(pair) for pair in PAIRS],
    "lists of decimals": lambda: [[decimal.Decimal(str(x)) for x in pair] for pair in PAIRS],
    "lists of unlike length": lambda: [*PAIRS[1:], [0.5]],
    "a number among lists": lambda: [*PAIRS[1:], 0.5],
    "lists of lists of lists": lambda: [[pair] for pair in PAIRS],
    "empty lists": lambda: [[]] * N,
    "None in a list": lambda: [*PAIRS[1:], [None, 0.5]],
    "None instead of a list": lambda: [*PAIRS[1:], None],
    "a column": lambda: np.array(HALVES)[:, None],
    "a row": lambda: np.array(HALVES)[None],
    "columns in Fortran order": lambda: np.asfortranarray(PAIRS),
    "big endian": lambda: np.array(PAIRS, ">f8"),
    "a masked array": lambda: np.ma.array(HALVES, mask=[1] + [0] * 23),
    "SciPy sparse": lambda: sp.csr_array(np.array(PAIRS)),
    "pandas Float64": lambda: pd.Series(HALVES, dtype="Float64"),
    "pandas Float64 with NA": lambda: pd.Series([None, *HALVES[1:]], dtype="Float64"),
    "pandas of objects": lambda: pd.Series(HALVES, dtype=object),
    "pandas of lists": lambda: pd.Series(PAIRS),
    "pandas sparse": lambda: pd.Series(HALVES, dtype="Sparse[float]"),
    "pandas categories": lambda: pd.Series(HALVES, dtype="category"),
    "pandas text": lambda: pd.Series(list(map(str, HALVES)), dtype="string"),
    "pandas Arrow decimals": lambda: pd.Series(
        pd.array(list(map(decimal.Decimal, map(str, HALVES))), pd.ArrowDtype(pa.decimal128(5, 2)))
    ),
    "a pandas frame": lambda: pd.DataFrame(PAIRS),
    "a pandas frame of counted names": lambda: pd.DataFrame(PAIRS, columns=["1", "2"]),
    "a pandas frame in another order": lambda: pd.DataFrame(PAIRS, columns=["1", "0"]),
    "a pandas frame of other names": lambda: pd.DataFrame(PAIRS, columns=["no", "yes"]),
    "a pandas frame of equal names": lambda: pd.DataFrame(PAIRS, columns=["p", "p"]),
    "Polars objects": lambda: pl.Series(HALVES, dtype=pl.Object),
    "Polars decimals": lambda: pl.Series(HALVES).cast(pl.Decimal(9, 2)),
    "Polars arrays": lambda: pl.Series(PAIRS, dtype=pl.Array(pl.Float32, 2)),
    "Polars text": lambda: pl.Series(list(map(str, HALVES))),
    "Arrow decimals": lambda: pa.array(list(map(decimal.Decimal, map(str, HALVES)))),
    "Arrow integers that no float equals": lambda: pa.array(range(2**53 + 1, 2**53 + 1 + N)),
    "Arrow text": lambda: pa.array(list(map(str, HALVES))),
    "Arrow booleans": lambda: pa.array([p > 0.3 for p in HALVES]),
    "Arrow dictionary": lambda: pa.array(HALVES).dictionary_encode(),
    "Arrow dates": lambda: pa.array(days()),
    "Arrow nulls": lambda: pa.nulls(N),
    "Arrow lists": lambda: pa.array(PAIRS),
    "Arrow lists of unlike length": lambda: pa.array([*PAIRS[1:], [0.5]]),
    "Arrow lists of text": lambda: pa.array([["a", "b"]] * N),
    "Arrow lists that are empty": lambda: pa.array([[]] * N, pa.list_(pa.float64())),
    "Arrow lists with a null": lambda: pa.array([*PAIRS[1:], [None, 0.5]]),
    "Arrow lists of decimals": lambda: pa.array(
        [[decimal.Decimal(str(round(x, 2))) for x in pair] for pair in PAIRS]
    ),
    "Arrow lists of one length": lambda: pa.array(PAIRS, pa.list_(pa.float32(), 2)),
    "Arrow list views": lambda: pa.array(PAIRS, pa.list_view(pa.float64())),
    "Arrow table": lambda: pa.table({"0": [a for a, _ in PAIRS], "1": HALVES}),
}
TIMES: dict[str, Make] = {
    "dates": days,
    "moments": moments,
    "times of day": lambda: [moment.time() for moment in moments()],
    "durations": lambda: [dt.timedelta(hours=i % 4) for i in range(N)],
    "dates with None": lambda: [None, *days()[1:]],
    "dates with NaN": lambda: [float("nan"), *days()[1:]],
    "dates with a signaling NaN": lambda: [decimal.Decimal("sNaN"), *days()[1:]],
    "dates with NaT": lambda: [pd.NaT, *days()[1:]],
    "dates beside arrays": lambda: [np.array([1, 2]), *days()[1:]],
    "dates beside text": lambda: ["a", *days()[1:]],
    "dates beside moments": lambda: [*moments()[:12], *days()[12:]],
    "moments of zones": lambda: [m.replace(tzinfo=dt.UTC) for m in moments()],
    "datetime64": lambda: np.array(moments(), "M8[s]"),
    "datetime64 with NaT": lambda: np.array(["NaT", *moments()[1:]], "M8[s]"),
    "timedelta64": lambda: np.array([i % 4 for i in range(N)], "m8[h]"),
    "datetime64 matrix": lambda: np.array(moments(), "M8[s]")[:, None],
    "an array of dates": lambda: np.array(days(), object),
    "pandas times": lambda: pd.Series(moments()),
    "pandas times of a zone": lambda: pd.Series(moments()).dt.tz_localize("Europe/Oslo"),
    "pandas times with NaT": lambda: pd.Series([pd.NaT, *moments()[1:]]),
    "pandas periods": lambda: pd.Series(pd.PeriodIndex(days(), freq="D")),
    "pandas durations": lambda: pd.Series(pd.to_timedelta([i % 4 for i in range(N)], unit="h")),
    "a pandas index of times": lambda: pd.DatetimeIndex(moments()),
    "pandas times of Arrow": lambda: pd.Series(moments(), dtype="timestamp[us][pyarrow]"),
    "pandas categories of times": lambda: pd.Series(moments(), dtype="category"),
    "Polars dates": lambda: pl.Series(days()),
    "Polars moments": lambda: pl.Series(moments()),
    "Polars times of day": lambda: pl.Series([moment.time() for moment in moments()]),
    "Polars dates with a null": lambda: pl.Series([None, *days()[1:]]),
    "Arrow dates": lambda: pa.array(days()),
    "Arrow dates of 64 bits": lambda: pa.array(days(), pa.date64()),
    "Arrow moments": lambda: pa.array(moments()),
    "Arrow moments of a zone": lambda: pa.array(moments(), pa.timestamp("ms", "UTC")),
    "Arrow times of day": lambda: pa.array([moment.time() for moment in moments()]),
    "Arrow times of day in seconds": lambda: pa.array([i % 4 for i in range(N)], pa.time32("s")),
    "Arrow durations": lambda: pa.array([i % 4 for i in range(N)], pa.duration("s")),
    "Arrow dates with a null": lambda: pa.array([None, *days()[1:]]),
    "Arrow dates in parts": lambda: pa.chunked_array([days()[:7], days()[7:]]),
    "Arrow decimals": lambda: pa.array([decimal.Decimal(i % 4) / 2 for i in range(N)]),
    "decimals": lambda: [decimal.Decimal(i % 4) / 2 for i in range(N)],
    "integers beyond int64": lambda: [2**70 + i % 4 for i in range(N)],
    "many integers beyond int64": lambda: [2**70 + i for i in range(N)],
    "many integers beyond float64": lambda: [2**60 + i for i in range(N)],
    "integers beyond float64 and a null": lambda: pl.Series([None, *range(2**60, 2**60 + 23)]),
    "objects with __float__": lambda: [Size(i % 4) for i in range(N)],
}
WEIGHTS: dict[str, Make] = {
    "decimals": lambda: [decimal.Decimal(i % 4) / 2 for i in range(N)],
    "objects with __float__": lambda: [Size(i % 4) for i in range(N)],
    "fractions": lambda: [fractions.Fraction(i % 4, 2) for i in range(N)],
    "None": lambda: [None, *range(1, N)],
    "masked": lambda: [np.ma.masked, *range(1, N)],
    "text": lambda: list(map(str, range(N))),
    "text among numbers": lambda: ["1", *range(1, N)],
    "an integer beyond float64": lambda: [10**400, *range(1, N)],
    "arrays of one number": lambda: [np.array(float(i)) for i in range(N)],
    "arrays": lambda: [*range(1, N), np.array([1.0])],
    "an array of a date": lambda: [*range(1, N), np.array("2024-01-01", "M8[D]")],
    "booleans": lambda: [i % 3 > 0 for i in range(N)],
    "dates": days,
    "half floats": lambda: np.arange(N).astype("f2"),
    "pandas Int64 with NA": lambda: pd.Series([None, *range(1, N)], dtype="Int64"),
    "pandas of objects": lambda: pd.Series([i % 4 for i in range(N)], dtype=object),
    "pandas in another order": lambda: pd.Series(range(N))[::-1],
    "Polars decimals": lambda: pl.Series([i % 4 for i in range(N)]).cast(pl.Decimal(9, 2)),
    "Arrow decimals": lambda: pa.array([decimal.Decimal(i % 4) / 2 for i in range(N)]),
    "Arrow dictionary": lambda: pa.array([i % 4 for i in range(N)]).dictionary_encode(),
    "SciPy sparse": lambda: sp.csr_array(np.arange(N)[None]),
}


def calls() -> Iterator[Call]:
    yield from _of_arrays()
    yield from _of_many_classes()
    yield from odd_source_tables.calls()
    yield from odd_source_files.calls()
    yield from odd_streams.calls()


def _of_arrays() -> Iterator[Call]:
    for name, make in LABELS.items():
        yield _call(f"labels: {name}", "arrays", lambda m=make: _labels(m))
    for name, make in MISSING.items():
        yield _call(f"missing labels: {name}", "arrays", lambda m=make: _labels(m))
        yield _call(
            f"missing labels left out: {name}",
            "arrays",
            lambda m=make: seen(
                karat.evaluate(
                    _columns(m), reading=karat.Reading(nulls="drop"), metrics=FEW, level=None
                )
            ),
        )
    for name, make in SCORES.items():
        yield _call(
            f"scores: {name}",
            "arrays",
            lambda m=make: karat.evaluate(TRUE, y_score=m(), metrics=RANKS, level=None),
        )
    for name, make in TIMES.items():
        yield _call(
            f"clusters: {name}",
            "arrays",
            lambda m=make: karat.evaluate(TRUE, PRED, clusters=m(), metrics=FEW),
        )
        yield _call(
            f"by: {name}",
            "arrays",
            lambda m=make: _slices(karat.evaluate(TRUE, PRED, by=m(), metrics=["accuracy"])),
        )
    for name, make in WEIGHTS.items():
        yield _call(
            f"weights: {name}",
            "arrays",
            lambda m=make: karat.evaluate(TRUE, PRED, weights=m(), metrics=FEW, level=None),
        )


def _labels(make: Make) -> Any:
    return seen(karat.evaluate(*make(), metrics=FEW, level=None))


def _columns(make: Make) -> dict[str, Any]:
    true, pred = make()
    return {"label": true, "pred": pred}


def _slices(report: Any) -> Any:
    """The rows and the value of each slice, and the doubts."""
    parts = [
        [part.name, part.n_rows, part.metrics["accuracy"].value]
        for table in report.slices.values()
        for part in table.values()
    ]
    return {"slices": parts, "doubts": list(report.doubts)}


def _of_many_classes() -> Iterator[Call]:
    many = digits(900, 600, 31)
    rows = {"y_true": many["label"], "y_pred": many["pred"]}
    yield _call("600 classes", "arrays", lambda: _few(karat.evaluate(**grouped(rows), metrics=FEW)))
    yield _call(
        "600 classes, weights",
        "arrays",
        lambda: _few(karat.evaluate(**grouped(rows), weights=many["mass"], metrics=FEW)),
    )
    yield _call(
        "600 classes, frequency weights",
        "arrays",
        lambda: _few(
            karat.evaluate(**grouped(rows), weights=karat.Frequency(many["copies"]), metrics=FEW)
        ),
    )
    yield _call(
        "600 classes, weights of 0",
        "arrays",
        lambda: _few(karat.evaluate(**grouped(rows), weights=np.zeros(900), metrics=FEW)),
    )
    yield _call(
        "600 classes, threads",
        "arrays",
        lambda: _few(
            karat.evaluate(
                **grouped({"reading": karat.Reading(n_threads=2), **rows}),
                weights=many["mass"],
                metrics=FEW,
            )
        ),
    )


def _few(report: Any) -> Any:
    """What a report of many classes says of all of them."""
    return {
        "values": {name: [report[name].value, report[name].low] for name in FEW},
        "cells": report.cells.n_rows,
        "last": report.per_class[-1],
    }


def _call(name: str, source: str, run: Make) -> Call:
    return Call(name, "evaluate", source, run)
