"""Rows without truth whose predictions are not those of the others (verification bias)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat
from tests.grouping import grouped


def checked_more_often(n: int = 900, *, is_random: bool = False) -> pd.DataFrame:
    """Rows of which those predicted "ill" have a truth more often."""
    rng = np.random.default_rng(4)
    truth = np.where(rng.random(n) < 0.3, "ill", "well")
    p = np.clip(np.where(truth == "ill", 0.65, 0.35) + 0.15 * rng.normal(size=n), 0.01, 0.99)
    pred = np.where(p > 0.5, "ill", "well")
    share = 0.6 if is_random else np.where(pred == "ill", 0.9, 0.4)
    known = np.where(rng.random(n) < share, truth, None)
    return pd.DataFrame({"label": known, "pred": pred, "proba_ill": p, "proba_well": 1 - p})


def doubts(source: Any, **options: Any) -> list[str]:
    found = karat.evaluate(source, **grouped({"positive": "ill", "nulls": "drop", **options}))
    return [str(one) for one in found.doubts if one.code == "D146"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "parquet", "csv", "scores"])
def test_the_predictions_of_rows_without_truth_are_compared(kind: str, tmp_path: Path) -> None:
    def made(frame: pd.DataFrame) -> Any:
        if kind == "scores":
            return frame.drop(columns="pred")
        frame = frame.drop(columns=["proba_ill", "proba_well"])
        if kind in ("parquet", "csv"):
            path = tmp_path / f"rows.{kind}"
            getattr(pl.from_pandas(frame), f"write_{kind}")(path)
            return path
        as_polars = pl.from_pandas(frame)
        return {"pandas": frame, "polars": as_polars, "arrow": as_polars.to_arrow()}[kind]

    frame = checked_more_often()
    (one,) = doubts(made(frame))
    has_truth = frame["label"].notna()
    is_ill = frame["pred"] == "ill"
    shares = [f"{100 * is_ill[rows].mean():.3g} %" for rows in (has_truth, ~has_truth)]
    assert f"{shares[0]} of the rows with truth, and in {shares[1]}" in one
    assert f"the {int((~has_truth).sum())} without" in one
    assert "docs/judge.md" in one
    assert not doubts(made(checked_more_often(is_random=True)))


def test_units_of_files_and_streams_of_rows_add_them(tmp_path: Path) -> None:
    frame = pl.from_pandas(checked_more_often(4000))
    for i in range(4):
        frame[1000 * i : 1000 * (i + 1)].write_parquet(tmp_path / f"part{i}.parquet")
    whole = doubts(frame)
    assert whole
    assert doubts(f"{tmp_path}/*.parquet") == whole
    assert doubts(f"{tmp_path}/*.parquet", checkpoint=tmp_path / "read.karat") == whole


def test_clusters_weights_and_missing_predictions_are_not_compared() -> None:
    frame = checked_more_often()
    assert not doubts(frame.assign(patient=np.arange(900) // 3), clusters="patient")
    assert not doubts(frame.assign(w=1.5), weights="w")
    some = frame.drop(columns=["proba_ill", "proba_well"])
    some.loc[some["label"].isna(), "pred"] = None
    assert not doubts(some)
