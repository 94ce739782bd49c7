"""Frames in partitions give the report of plain arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

import pytest

from karat.testing import Sample, SourceLaws
from tests.clusters.java import need_java
from tests.conformance.columns import arrow_parts
from tests.optional import optional

dask = optional("dask")
dd = optional("dask.dataframe")
pd = optional("pandas")
sql = optional("pyspark.sql")
need_java()


class TestDask(SourceLaws):
    name = "Dask"
    batchings = (1, 3)

    @pytest.fixture(autouse=True)
    def in_one_thread(self) -> Iterator[None]:
        with dask.config.set(scheduler="synchronous"):
            yield

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        # Dask makes text of lists that have no type.
        kinds = {"types_mapper": pd.ArrowDtype} if sample.subject == "sets" else {}
        parts = [table.to_pandas(**kinds) for table in arrow_parts(sample, n_batches)]
        places = range(len(parts))
        frame = dd.from_map(lambda place: parts[place], places, meta=parts[0].iloc[:0])
        return frame, sample.names


class TestSpark(SourceLaws):
    name = "Spark"
    batchings = (3,)
    subjects = ("clusters", "slices", "nulls", "sets")
    pytestmark = pytest.mark.filterwarnings(
        "ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"
    )
    session: Any

    @pytest.fixture(autouse=True)
    def in_session(self, spark: Any) -> None:
        self.session = spark

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        parts = [self.session.createDataFrame(table) for table in arrow_parts(sample, n_batches)]
        return reduce(sql.DataFrame.union, [part.coalesce(1) for part in parts]), sample.names


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session of two threads."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")  # words: allowed here
        .config("spark.driver.host", "127.0.0.1")  # words: allowed here
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
