"""A source that karat does not know: written here, without a change elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.testing import BatchSource, Sample, SourceLaws
from tests.conformance.columns import arrow_parts
from tests.grouping import grouped
from tests.optional import optional

pd = optional("pandas")
pl = optional("polars")


class Toy:
    """A table whose rows are kept in several parts."""

    def __init__(self, column_names: Sequence[str], parts: Sequence[Any]) -> None:
        self.column_names = column_names
        self.parts = parts
        self.read: list[Sequence[str]] = []

    def read_batches(self, columns: Sequence[str]) -> Iterator[Any]:
        self.read.append(columns)
        yield from self.parts


def of_dicts(sample: Sample, n_batches: int) -> BatchSource:
    parts = [dict(part.columns) for part in sample.parts(n_batches)]
    return Toy(tuple(sample.columns), parts)


class TestDicts(SourceLaws):
    name = "toy of dicts"

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        return of_dicts(sample, n_batches), sample.names


class TestRecordBatches(SourceLaws):
    name = "toy of record batches"
    batchings = (3,)
    subjects = ("labels", "clusters", "slices", "scores", "nulls")

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        tables = arrow_parts(sample, n_batches)
        batches = [batch for table in tables for batch in table.to_batches()]
        return Toy(tables[0].column_names, batches), sample.names


class TestFrames(SourceLaws):
    name = "toy of frames"
    batchings = (3,)
    subjects = ("labels", "clusters", "slices", "scores", "nulls")

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        tables = arrow_parts(sample, n_batches)
        return Toy(tables[0].column_names, [table.to_pandas() for table in tables]), sample.names


class TestBounded(TestDicts):
    name = "toy beyond max_memory"
    batchings = (1, 3)
    options = MappingProxyType({"max_memory": 1 << 14})
    n_rows = 6_000
    subjects = ("weights", "clusters", "slices", "scores", "options")
    refuses = MappingProxyType({"clusters": "K148", "by": "K148"})
    lacks = ("bootstrap",)
    left_out = ("roc_auc_mu",)

    @pytest.fixture(autouse=True)
    def little_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)


ROWS: dict[str, list[Any]] = {
    "label": [0, 1, 1, 0, 1, 0, 1, 1] * 8,
    "pred": [0, 1, 0, 0, 1, 1, 1, 1] * 8,
    "site": ["a", "b"] * 32,
}
PARTS = [
    {name: values[start : start + 16] for name, values in ROWS.items()}
    for start in range(0, 64, 16)
]


def toy() -> Toy:
    return Toy(tuple(ROWS), PARTS)


@pytest.mark.parametrize(
    "convert", [dict, pd.DataFrame, pl.DataFrame], ids=["dict", "pandas", "polars"]
)
def test_functions_that_need_all_rows_read_all_batches(convert: Any) -> None:
    source, table = Toy(tuple(ROWS), [convert(part) for part in PARTS]), pd.DataFrame(ROWS)
    judged = [karat.gate(rows, min={"accuracy": 0.5}) for rows in (source, table)]
    assert judged[0].n == len(ROWS["label"])
    assert judged[0].rules == judged[1].rules
    found = karat.find_weak_slices(source, y_true="label", y_pred="pred", by=["site"])
    wanted = karat.find_weak_slices(table, y_true="label", y_pred="pred", by=["site"])
    assert str(found) == str(wanted)


def test_a_report_describes_its_batches() -> None:
    source = toy()
    found = karat.evaluate(source, by="site")
    assert found.source == {"table": "Toy", "n_batches": 4}
    assert source.read[-1] == ("label", "pred", "site")


def test_errors_number_rows_in_their_batch() -> None:
    source = Toy(("label", "pred"), [*PARTS[:2], {"label": [0, None], "pred": [0, 0]}])
    with pytest.raises(KaratError, match="Rows are numbered in batch 2") as caught:
        karat.evaluate(source)
    assert caught.value.context["row"] == 1


def test_a_source_that_cannot_be_read_again_is_refused() -> None:
    class Once(Toy):
        def read_batches(self, columns: Sequence[str]) -> Iterator[Any]:
            parts, self.parts = self.parts, []
            yield from parts

    rows = [{"label": [0, 1], "p": [0.25, 0.75]} for _ in range(3)]
    with pytest.raises(KaratError, match="K412"):
        karat.evaluate(Once(("label", "p"), rows), y_true="label", y_prob="p")


def test_arguments_that_batches_cannot_have_are_refused() -> None:
    for given, code in (
        ({"weights": [1.0] * 64}, "K421"),
        ({"reading": karat.Reading(checkpoint="read.karat")}, "K415"),
        ({"reading": karat.Reading(exact=True)}, "K415"),
        ({"y_true": "lable"}, "K404"),
    ):
        with pytest.raises(KaratError) as caught:
            karat.evaluate(toy(), **grouped(given))
        assert caught.value.code == code, given


def test_an_error_of_the_source_reaches_the_caller() -> None:
    class Broken(Toy):
        def read_batches(self, columns: Sequence[str]) -> Iterator[Any]:
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        karat.evaluate(Broken(("label", "pred"), []))


def test_an_error_of_the_columns_reaches_the_caller() -> None:
    class Unread(Toy):
        @property
        def column_names(self) -> Sequence[str]:
            raise OSError("the disk is gone")

        @column_names.setter
        def column_names(self, names: Sequence[str]) -> None:
            pass

    for given in ({}, {"y_true": "label"}):
        with pytest.raises(OSError, match="the disk is gone"):
            karat.evaluate(Unread(("label", "pred"), PARTS), **grouped(given))


def test_a_matrix_is_one_column_of_lists() -> None:
    scores = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    labels = np.arange(60) % 3
    parts = [{"y": labels[i : i + 20], "p": scores[i : i + 20]} for i in range(0, 60, 20)]
    found = karat.evaluate(Toy(("y", "p"), parts), y_true="y", y_prob="p", metrics="log_loss")
    assert found["log_loss"].value == karat.log_loss(labels, y_prob=scores)


def test_a_frame_whose_columns_have_the_names_of_the_protocol_is_a_frame() -> None:
    frame = pd.DataFrame({"read_batches": [0, 1], "column_names": [0, 1]})
    found = karat.evaluate(frame, y_true="read_batches", y_pred="column_names")
    assert found.source["table"] == "pandas"
