"""Progress of reads in the log of Python."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import karat
from karat.data.sources import logged as progress
from karat.data.sources.files import units as unit_cuts


def write(folder: Path, kind: str, n: int = 5000) -> Path:
    path = folder / f"rows.{kind}"
    label = [i % 2 for i in range(n)]
    rows = pl.DataFrame({"label": label, "pred": label, "prob": [0.25 + i / 2 for i in label]})
    getattr(rows, f"write_{kind}")(path)
    return path


def read(caplog: pytest.LogCaptureFixture, level: int, path: Path, **options: Any) -> list[str]:
    caplog.clear()
    with caplog.at_level(level, logger="karat"):
        karat.evaluate(path, **options)
    assert {record.name for record in caplog.records} <= {"karat"}
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("prob", ["", "prob"])
def test_reads_of_files_are_logged_at_info(
    prob: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"y_prob": prob, "y_pred": "pred"}
    whole, text = write(tmp_path, "parquet"), write(tmp_path, "csv")
    assert read(caplog, logging.INFO, whole, **given) == ["5,000 of 5,000 rows read"]
    # How many rows a text has is not known before.
    assert read(caplog, logging.INFO, text, **given) == []
    monkeypatch.setattr(progress, "_ROWS", 2000)
    assert read(caplog, logging.INFO, text, **given)[-1] == "5,000 rows read"
    assert not read(caplog, logging.WARNING, whole, **given)


def test_units_are_logged_after_so_many_rows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "parquet")
    monkeypatch.setattr(progress, "_ROWS", 2000)
    monkeypatch.setattr(unit_cuts, "N_UNIT", 1000)
    found = read(
        caplog,
        logging.INFO,
        path,
        reading=karat.Reading(checkpoint=tmp_path / "read.karat"),
        y_prob="",
    )
    told = [line for line in found if "of 5,000" in line]
    assert told == [
        "2,000 of 5,000 rows read",
        "4,000 of 5,000 rows read",
        "5,000 of 5,000 rows read",
    ]
