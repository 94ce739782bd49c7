"""Columns of lists in Parquet files larger than memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import karat
from karat.data.sources.files.units import units_of_files
from tests.sources.big_sets import LEAST

N = 20_000


def write_lists(folder: Path, kind: pl.DataType) -> str:
    """Files of probabilities of four classes, one list a row, which take more than `LEAST`."""
    rng = np.random.default_rng(2)
    for f in range(3):
        scores = rng.random((N, 4))
        scores /= scores.sum(axis=1, keepdims=True)
        lists = pl.Series("prob", scores.tolist(), dtype=kind)
        label = pl.Series("label", (scores + rng.random((N, 4))).argmax(axis=1))
        pl.DataFrame([label, lists]).write_parquet(folder / f"part_{f}.parquet")
    return str(folder / "*.parquet")


@pytest.mark.parametrize(
    ("kind", "width"),
    [(pl.List(pl.Float32), 16), (pl.Array(pl.Float32, 4), 16), (pl.List(pl.Float64), 32)],
)
def test_lists_count_with_all_of_their_numbers(
    kind: pl.DataType, width: int, tmp_path: Path
) -> None:
    files = write_lists(tmp_path, kind)
    units = units_of_files(files, prob="prob")
    assert units is not None
    assert units.n_bytes == 3 * N * width
    # Two lists a row of 8 bytes would fit.
    assert 3 * N * 8 < LEAST
    if width == 32:
        report = karat.evaluate(files, y_prob="prob", reading=karat.Reading(max_memory=LEAST))
        assert "Not computed: roc_auc_mu" in report.warnings[-1]
