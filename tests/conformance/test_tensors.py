"""Tensors that are tallied on their device give the report of plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import karat
from karat.testing import Sample, SourceLaws
from tests.conformance.test_streams import settings, weighted
from tests.devices.rows import DEVICE, on_the_device, torch
from tests.grouping import grouped


class Tensors(SourceLaws):
    """Columns as tensors, labels as numbers."""

    has_columns = False
    lacks = ("strings", "clusters", "by", "nulls", "drop", "roles", "sets")


class TestTensors(Tensors):
    name = "tensors"
    batchings = (1,)

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        with on_the_device():
            return karat.evaluate(**grouped({**as_tensors(sample), **sample.options}))


class TestTensorStream(Tensors):
    name = "stream of tensors"

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        stream = karat.Stream(**grouped(settings(sample)))
        with on_the_device():
            parts = sample.parts(n_batches)
            for part in [part for part in parts if part.n_rows] or parts[:1]:
                stream.update(**weighted(sample, as_tensors(part)))
            return stream.report()


def as_tensors(sample: Sample) -> Mapping[str, Any]:
    return {
        name: torch.as_tensor(np.asarray(each), device=DEVICE)
        for name, each in sample.arrays().items()
    }


class OfSets(Tensors):
    """Every sample of sets: a tensor has no lists, so the labels are its columns."""

    lacks = tuple({*Tensors.lacks} - {"strings", "sets"})


_REFUSED = ("a prediction is missing", "a label twice", "a label is not declared", "one row")
"""Samples that no indicator can hold; one column of one label is one class a row."""
SETS = [one for one in OfSets().cases("sets") if not one.name.endswith(_REFUSED)]


def as_indicators(sample: Sample) -> tuple[Mapping[str, Any], list[Any]]:
    """Sets of a sample as matrices on the device, NaN where nothing is known, and the labels."""
    given = dict(sample.arrays())
    rows = [row for side in ("y_true", "y_pred") for row in given[side] if row is not None]
    labels = sample.options.get("labels") or sorted({label for row in rows for label in row})
    for side in ("y_true", "y_pred"):
        marks = [[np.nan if row is None else x in row for x in labels] for row in given[side]]
        given[side] = np.asarray(marks, np.float32)
    on_device = {name: torch.as_tensor(each, device=DEVICE) for name, each in given.items()}
    return on_device, list(labels)


@pytest.mark.parametrize("sample", SETS, ids=lambda sample: sample.name)
@pytest.mark.parametrize("n_batches", [1, 3])
def test_indicator_tensors_give_the_report_of_lists(sample: Sample, n_batches: int) -> None:
    given, labels = as_indicators(sample)
    options = grouped({**sample.options, "labels": labels})
    expected = karat.evaluate(**sample.arrays(), **options).to_dict()
    found = karat.evaluate(**given, **options)
    if n_batches > 1:
        stream = karat.Stream(**options)
        for part in np.array_split(np.arange(sample.n_rows), min(n_batches, sample.n_rows)):
            stream.update(**{name: each[torch.as_tensor(part)] for name, each in given.items()})
        found = stream.report()
    assert found.to_dict() == expected
    other = {**given, "y_pred": 1.0 - given["y_pred"]}
    assert karat.evaluate(**other, **options).to_dict() != expected
