"""Tensors that are tallied on their device give the report of plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import karat
from karat.testing import Sample, SourceLaws
from tests.devices.rows import DEVICE, on_the_device, torch


class Tensors(SourceLaws):
    """Columns as tensors, labels as numbers."""

    has_columns = False
    lacks = ("strings", "clusters", "by", "nulls", "drop", "roles", "sets")


class TestTensors(Tensors):
    name = "tensors"
    batchings = (1,)

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        with on_the_device():
            return karat.evaluate(**as_tensors(sample), **sample.options)


class TestTensorStream(Tensors):
    name = "stream of tensors"

    def report(self, sample: Sample, n_batches: int) -> karat.Report:
        stream = karat.Stream(**sample.options)
        with on_the_device():
            parts = sample.parts(n_batches)
            for part in [part for part in parts if part.n_rows] or parts[:1]:
                stream.update(**as_tensors(part))
            return stream.report()


def as_tensors(sample: Sample) -> Mapping[str, Any]:
    return {
        name: torch.as_tensor(np.asarray(each), device=DEVICE)
        for name, each in sample.arrays().items()
    }
