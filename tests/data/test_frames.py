"""Columns by name from the tables of every library."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from karat.data.arrow import batches
from karat.data.labels.containers import encode
from karat.data.sources.tables.frames import (
    _open_with_narwhals,
    encode_role,
    family_of,
    is_frame,
    open_frame,
)
from karat.errors import KaratError
from tests.data.hosts import pa, pd, pl
from tests.ids import named
from tests.optional import optional

duckdb = optional("duckdb")
narwhals = optional("narwhals")

DATA: dict[str, list[Any]] = {
    "id": [1, 2, 3, 4],
    "label": ["a", "b", "b", "a"],
    "pred": ["a", "b", "a", "a"],
    "sample_weight": [0.5, 1.0, 2.0, 4.0],
    "is_new": [True, False, True, False],
}


def relation() -> Any:
    return duckdb.connect().sql(
        "SELECT * FROM (VALUES (1, 'a', 'a', 0.5::DOUBLE, true), (2, 'b', 'b', 1, false), "
        "(3, 'b', 'a', 2, true), (4, 'a', 'a', 4, false)) t(id, label, pred, sample_weight, is_new)"
    )


class Stream:
    """A table that only exports an Arrow stream, once, and says when it is released."""

    def __init__(self) -> None:
        self.columns = list(DATA)
        self.reader = pa.RecordBatchReader.from_batches(
            pa.table(DATA).schema, pa.table(DATA).to_batches(max_chunksize=2)
        )
        self.schema = self.reader.schema

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader.__arrow_c_stream__(requested_schema)


TABLES: dict[str, Callable[[], Any]] = {
    "dict": lambda: DATA,
    "dict of arrays": lambda: {name: np.array(values) for name, values in DATA.items()},
    "pandas": lambda: pd.DataFrame(DATA),
    "pandas categories": lambda: pd.DataFrame(DATA).astype({"label": "category"}),
    "polars": lambda: pl.DataFrame(DATA),
    "polars lazy": lambda: pl.LazyFrame(DATA),
    "arrow table": lambda: pa.table(DATA),
    "arrow chunks": lambda: pa.concat_tables([pa.table(DATA)[:1], pa.table(DATA)[1:]]),
    "arrow batch": lambda: pa.table(DATA).to_batches()[0],
    "arrow reader": lambda: Stream().reader,
    "arrow stream": Stream,
    "duckdb": relation,
    "narwhals pandas": lambda: narwhals.from_native(pd.DataFrame(DATA)),
    "narwhals lazy": lambda: narwhals.from_native(pl.LazyFrame(DATA)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_columns_are_read_by_name(kind: str) -> None:
    frame = open_frame(TABLES[kind]())
    assert frame.names == tuple(DATA)
    found = frame.columns(["pred", "label"])
    assert list(found) == ["pred", "label"]
    for name, values in found.items():
        column = encode(values, name)
        assert [column.label_at(row) for row in range(4)] == DATA[name]


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_told_from_a_column(kind: str) -> None:
    assert is_frame(TABLES[kind]())


@pytest.mark.parametrize(
    "values",
    [[1, 2], (1, 2), np.zeros((2, 2)), pd.Series([1]), pl.Series([1]), pa.array([1]),
     pa.chunked_array([[1]]), "preds.csv", None, 3, pd.Index([1]), pd.Categorical([1])],
    ids=named,
)  # fmt: skip
def test_a_column_is_no_table(values: Any) -> None:
    assert not is_frame(values)


@pytest.mark.parametrize("kind", [kind for kind in TABLES if kind != "dict"])
def test_types_are_known_before_a_row_is_read(kind: str) -> None:
    types = open_frame(TABLES[kind]()).types
    assert types["id"] == "whole"
    assert types["sample_weight"] == "real"
    assert types["is_new"] == "boolean"
    assert types["label"] == "text"


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Int64", "whole"), ("uint8", "whole"), ("HUGEINT", "whole"), ("int64[pyarrow]", "whole"),
        ("Float32", "real"), ("DOUBLE", "real"), ("DECIMAL(4,2)", "real"), ("Decimal", "real"),
        ("Boolean", "boolean"), ("bool", "boolean"), ("str", "text"), ("VARCHAR", "text"),
        ("Categorical", "text"), ("Enum(categories=['a'])", "text"), ("large_string", "text"),
        ("INTEGER[]", "list"), ("DOUBLE[3]", "list"), ("List(Float64)", "list"),
        ("object", "unknown"), ("Null", "unknown"), ("datetime64[ns]", "other"),
        ("interval[int64]", "other"), ("STRUCT(a INTEGER)", "other"), ("Date", "other"),
        (np.dtype("U7"), "text"), (np.dtype("S7"), "text"), (np.dtype(">i4"), "whole"),
        (np.dtypes.StringDType(), "text"), (np.dtype("M8[s]"), "other"),
    ],
)  # fmt: skip
def test_types_of_every_library_are_families(name: Any, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize("make", [pd.DataFrame, pl.LazyFrame])
def test_frames_of_any_other_library_come_through_narwhals(make: Any) -> None:
    # The frames that narwhals alone reads are not installed here; these stand in for them.
    frame = _open_with_narwhals(make(DATA), "other")
    assert frame.names == tuple(DATA)
    assert frame.types["sample_weight"] == "real"
    assert frame.columns(["label"])["label"].tolist() == DATA["label"]


def test_arrow_types_are_families() -> None:
    table = pa.table({
        "list": [[1.0]], "fixed": pa.array([[1.0]], pa.list_(pa.float32(), 1)),
        "date": pa.array([0], pa.date32()), "null": pa.nulls(1),
        "decimal": pa.array([1], pa.int64()).cast(pa.decimal128(20, 1)),
        "codes": pa.array(["a"]).dictionary_encode(), "bytes": [b"a"],
    })  # fmt: skip
    assert dict(open_frame(table).types) == {
        "list": "list", "fixed": "list", "date": "other", "null": "unknown", "decimal": "real",
        "codes": "text", "bytes": "text",
    }  # fmt: skip


def test_only_the_columns_needed_are_computed() -> None:
    def explode(_: Any) -> Any:
        raise AssertionError("this column was not asked for")

    lazy = pl.LazyFrame(DATA).with_columns(
        trap=pl.col("id").map_batches(explode, return_dtype=pl.Int64)
    )
    assert list(open_frame(lazy).columns(["label"])) == ["label"]
    con = duckdb.connect()
    query = con.sql("SELECT 'a' AS label, error('not asked for') AS trap FROM range(3)")
    assert list(open_frame(query).columns(["label"])) == ["label"]


def test_reading_a_relation_leaves_its_connection_free() -> None:
    con = duckdb.connect()
    query = con.sql("SELECT range AS label FROM range(100000)")
    open_frame(query).columns(["label"])
    assert con.execute("SELECT 1").fetchall() == [(1,)]


class Watched:
    """A stream of three batches that knows whether its consumer has let it go."""

    def __init__(self, *, fails: bool = False) -> None:
        self.is_open = False
        self.fails = fails

    def made(self) -> Iterator[Any]:
        self.is_open = True
        try:
            for value in range(3):
                if self.fails and value == 2:
                    raise RuntimeError("the third batch is broken")
                yield pa.record_batch({"label": [value] * 4})
        finally:
            self.is_open = False

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        schema = pa.schema([("label", pa.int64())])
        reader = pa.RecordBatchReader.from_batches(schema, self.made())
        return reader.__arrow_c_stream__(requested_schema)


def test_a_stream_that_is_left_early_is_released() -> None:
    source = Watched()
    stream = batches(source, ["label"])
    assert len(next(stream)["label"]) == 4
    assert source.is_open
    stream.close()  # type: ignore[attr-defined]
    gc.collect()
    assert not source.is_open


def test_a_stream_that_fails_is_released() -> None:
    source = Watched(fails=True)
    with pytest.raises(Exception, match="the third batch is broken"):
        open_frame(source).columns(["label"])
    gc.collect()
    assert not source.is_open


def test_a_failing_relation_leaves_its_connection_free() -> None:
    con = duckdb.connect()
    failing = con.sql(
        "SELECT CASE WHEN range > 500000 THEN error('boom')::INT END AS x FROM range(1000000)"
    )
    with pytest.raises(Exception, match="boom"):
        open_frame(failing).columns(["x"])
    assert con.execute("SELECT 1").fetchall() == [(1,)]


def test_the_memory_of_a_table_is_let_go() -> None:
    table = pa.table({"label": list(range(1000))})
    buffer = weakref.ref(table)
    found = open_frame(table).columns(["label"])
    del table, found
    gc.collect()
    assert buffer() is None


def test_batches_join_to_the_whole() -> None:
    found = [encode(part["label"], "label") for part in batches(pa.concat_tables(
        [pa.table(DATA)[:1], pa.table(DATA)[:0], pa.table(DATA)[1:]]), ["label"])]  # fmt: skip
    labels = [column.label_at(row) for column in found for row in range(len(column))]
    assert labels == DATA["label"]


@pytest.mark.parametrize("kind", TABLES)
def test_an_unknown_column_offers_the_nearest(kind: str) -> None:
    with pytest.raises(KaratError) as caught:
        open_frame(TABLES[kind]()).columns(["lable"])
    assert caught.value.code == "K404"
    assert "Nearest: 'label'" in str(caught.value)


@pytest.mark.parametrize("make", [
    lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
    lambda: pa.table([[1], [2]], names=["a", "a"]),
], ids=["pandas", "arrow"])  # fmt: skip
def test_a_name_that_two_columns_have_is_ambiguous(make: Any) -> None:
    with pytest.raises(KaratError) as caught:
        open_frame(make()).columns(["a"])
    assert caught.value.code == "K405"


def test_pandas_columns_need_not_be_named_by_strings() -> None:
    found = open_frame(pd.DataFrame({0: [1, 2], 1: [3, 4]})).columns(["1"])
    assert found["1"].tolist() == [3, 4]


@pytest.mark.parametrize("table", [object(), 3, [1, 2], "x", np.zeros((2, 2))], ids=named)
def test_what_is_no_table_is_refused(table: Any) -> None:
    with pytest.raises(KaratError) as caught:
        open_frame(table).columns(["a"])
    assert caught.value.code == "K412"


def test_predicted_scores_are_no_labels() -> None:
    scores = pa.array([0.0, 0.25, 1.0])
    with pytest.raises(KaratError) as caught:
        encode_role(scores, "prediction", is_prediction=True)
    assert caught.value.code == "K407"
    assert caught.value.context == {"column": "prediction", "row": 1, "value": 0.25}
    with pytest.raises(KaratError) as caught:
        encode_role(scores, "label", is_prediction=False)
    assert caught.value.code == "K105"
