"""Columns, tables and a confusion matrix in memory give the report of plain arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from karat.testing import Sample, SourceLaws
from tests.conformance.columns import arrow, arrow_parts
from tests.optional import optional

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
duckdb = optional("duckdb")


class InMemory(SourceLaws):
    """A table at once."""

    batchings = (1,)


class TestDict(InMemory):
    name = "dict of columns"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return dict(sample.columns), sample.names


class TestPandas(InMemory):
    name = "pandas"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return pd.DataFrame(dict(sample.columns)), sample.names


class TestPandasOfArrow(InMemory):
    name = "pandas with Arrow columns"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return arrow(sample).to_pandas(types_mapper=pd.ArrowDtype), sample.names


class TestPolars(InMemory):
    name = "Polars"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return pl.DataFrame(dict(sample.columns)), sample.names


class TestLazyPolars(InMemory):
    name = "lazy Polars"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return pl.LazyFrame(dict(sample.columns)), sample.names


class TestArrow(SourceLaws):
    name = "Arrow"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return pa.concat_tables(arrow_parts(sample, n_batches)), sample.names


class TestArrowReader(SourceLaws):
    name = "Arrow batches, read once"
    batchings = (3,)

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        tables = arrow_parts(sample, n_batches)
        batches = [batch for table in tables for batch in table.to_batches()]
        return pa.RecordBatchReader.from_batches(tables[0].schema, batches), sample.names


class TestDuckDB(InMemory):
    name = "DuckDB relation"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        self.connection = duckdb.connect()
        return self.connection.from_arrow(arrow(sample)), sample.names


class Columns(InMemory):
    """Columns without a table."""

    has_columns = False
    lacks: ClassVar[Collection[str]] = ("drop", "roles")


class TestLists(Columns):
    name = "lists"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        given = {name: listed(values) for name, values in sample.arrays().items()}
        return given.pop("y_true"), given


class TestArrays(Columns):
    name = "arrays, scores in another order and of every second element"
    lacks = (*Columns.lacks, "sets")

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        given = {name: strided(values) for name, values in sample.arrays().items()}
        return given.pop("y_true"), given


class TestConfusion(Columns):
    name = "confusion matrix"
    lacks = ("drop", "roles", "scores", "weights", "clusters", "by", "sets", "errors")

    def cases(self, subject: str) -> list[Sample]:
        return [_declared(sample) for sample in super().cases(subject)]

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        place = {label: i for i, label in enumerate(sample.options["labels"])}
        counts = np.zeros((len(place), len(place)), np.int64)
        for true, pred in zip(sample.columns["fact"], sample.columns["guess"], strict=True):
            counts[place[true], place[pred]] += 1
        return None, {"confusion": counts}


def _declared(sample: Sample) -> Sample:
    """The sample with its classes declared, as they are for a matrix."""
    observed = sorted({*sample.columns["fact"], *sample.columns["guess"]})
    return replace(sample, options={"labels": observed, **sample.options})


def listed(values: Any) -> Any:
    """Lists of Python's own numbers."""
    if isinstance(values, dict):
        return {name: listed(column) for name, column in values.items()}
    return values.tolist() if isinstance(values, np.ndarray) else values


def strided(values: Any) -> Any:
    """Arrays that are not contiguous."""
    if isinstance(values, dict):
        return {name: strided(column) for name, column in values.items()}
    if isinstance(values, tuple):
        return tuple(map(strided, values))
    array = np.array(values, None if not holds_none(values) else object)
    return np.asfortranarray(np.repeat(array, 2, axis=0))[::2]


def holds_none(values: Any) -> bool:
    return isinstance(values, list) and any(value is None for value in values)
