"""Streams of batches give the report of plain arrays: updated, merged, from bytes and bounded."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

import karat
from karat.testing import Sample, SourceLaws
from tests.conformance.columns import arrow
from tests.grouping import grouped


class Streams(SourceLaws):
    """Batches of arrays; a stream has neither clusters nor slices, and drops no rows."""

    has_columns = False
    lacks: ClassVar[Collection[str]] = ("clusters", "by", "drop", "roles")

    def batches(self, sample: Sample, n_batches: int) -> Iterator[Mapping[str, Any]]:
        """The arguments of `Stream.update`; a batch without rows is no batch."""
        parts = sample.parts(n_batches)
        for part in [part for part in parts if part.n_rows] or parts[:1]:
            # Of lists of one label in a first batch the form does not say whether they are sets.
            lists: Any = arrow(part) if part.subject == "sets" else {}
            named = {} if not lists else {"y_true": lists["fact"], "y_pred": lists["guess"]}
            yield weighted(sample, {**part.arrays(), **named})

    def stream(self, sample: Sample) -> karat.Stream:
        return karat.Stream(**grouped({**settings(sample), **self.options}))


def settings(sample: Sample) -> dict[str, Any]:
    """The options of a stream; that weights count rows comes with its batches."""
    return {name: value for name, value in sample.options.items() if name != "weights_are"}


def weighted(sample: Sample, batch: Mapping[str, Any]) -> Mapping[str, Any]:
    """A batch of the sample, whose weights say that they count rows."""
    if sample.options.get("weights_are") != "frequency":
        return batch
    return {**batch, "weights": karat.Frequency(batch["weights"])}


class TestUpdates(Streams):
    name = "stream"

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        stream = self.stream(sample)
        for batch in self.batches(sample, n_batches):
            stream.update(**batch)
        return stream.report()


class TestMerged(Streams):
    name = "streams merged in reverse order, from bytes and pickles"
    batchings = (3,)
    lacks = (*Streams.lacks, "bootstrap")
    """Resamples depend on the order of the rows."""

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        streams = []
        for batch in self.batches(sample, n_batches):
            stream = self.stream(sample)
            stream.update(**batch)
            streams.append(stream)
        whole = karat.Stream.from_bytes(streams.pop().to_bytes())
        for stream in reversed(streams):
            whole.merge(pickle.loads(pickle.dumps(stream)))
        return whole.report()


class TestBoundedStream(TestUpdates):
    name = "stream beyond max_memory"
    batchings = (1, 3)
    options = MappingProxyType({"max_memory": 1 << 14})
    n_rows = 6_000
    subjects = ("weights", "scores", "options")
    lacks = (*Streams.lacks, "bootstrap")
    left_out = ("roc_auc_mu",)

    @pytest.fixture(autouse=True)
    def little_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
