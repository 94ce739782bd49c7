"""Files of every format give the report of plain arrays, also beyond `max_memory`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

import karat
from karat.data.sources.files import units as unit_cuts
from karat.testing import Sample, SourceLaws
from tests.conformance.columns import separated, write_csv, write_json_lines, write_parquet
from tests.grouping import grouped

MANY = 6_000
"""Rows with more distinct scores than a score histogram has levels."""
LITTLE = 1 << 14
"""Bytes of `max_memory` that they exceed."""


class Files(SourceLaws):
    """Files that are written for each report."""

    refuses = MappingProxyType({"empty": "K402"})


class TestParquet(Files):
    name = "Parquet"
    batchings = (1, 3)

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        paths = write_parquet(sample, self.folder, n_batches)
        return paths[0] if n_batches == 1 else paths, sample.names


class TestFolder(Files):
    name = "folder of Parquet files"
    batchings = (7,)
    subjects = ("labels", "scores", "errors")

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        write_parquet(sample, self.folder, n_batches)
        return self.folder, sample.names


class TestQuery(Files):
    name = "SQL query"
    batchings = (1,)
    subjects = ("labels", "weights", "clusters", "slices", "scores", "nulls")

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        (path,) = write_parquet(sample, self.folder, 1)
        return f"SELECT * FROM '{path}'", sample.names


class TestCsv(Files):
    name = "CSV"
    batchings = (1,)

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        names = sample.names
        if sample.subject == "sets":
            sample, names = separated(sample), {**names, "separator": "|"}
        return write_csv(sample, self.folder / "rows.csv"), names


class TestJsonLines(Files):
    name = "JSON lines"
    batchings = (1,)

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return write_json_lines(sample, self.folder / "rows.jsonl"), sample.names


class InUnits(Files):
    """Parquet files that are read in units of a few rows."""

    batchings = (2,)
    rows_of_unit = 25

    @pytest.fixture(autouse=True)
    def small_units(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
        monkeypatch.setattr(unit_cuts, "N_UNIT", self.rows_of_unit)

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        rows_of_group = 20 if self.n_rows is None else self.n_rows // 4
        return write_parquet(sample, self.folder, n_batches, rows_of_group), sample.names


class TestCheckpoint(InUnits):
    name = "Parquet with a checkpoint, read and resumed"
    subjects = ("weights", "clusters", "slices", "nulls", "errors")

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        paths, names = self.source(sample, n_batches)
        options = {
            **names,
            **sample.options,
            "reading": karat.Reading(checkpoint=self.folder / "read.karat"),
        }
        karat.evaluate(paths, **grouped(options))
        return karat.evaluate(paths, **grouped(options))


class TestBounded(InUnits):
    name = "Parquet beyond max_memory"
    options = MappingProxyType({"max_memory": LITTLE})
    n_rows = MANY
    rows_of_unit = 3_500
    subjects: ClassVar[Collection[str]] = ("weights", "clusters", "slices", "scores", "options")
    refuses = MappingProxyType({"clusters": "K148", "by": "K148"})
    lacks = ("bootstrap",)
    left_out = ("roc_auc_mu",)


class TestExact(TestBounded):
    name = "Parquet beyond max_memory, read twice"
    subjects = ("weights", "scores", "options")
    options = MappingProxyType({"max_memory": LITTLE, "exact": True})
