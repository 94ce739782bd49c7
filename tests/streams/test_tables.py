"""Batches that are tables, files, or data that were described: the same as their columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.errors import KaratError
from tests.optional import optional

RNG = np.random.default_rng(2)
N = 90
TRUTH = RNG.choice(["cat", "dog", "eel"], N)
PROB = RNG.dirichlet([1, 1, 1], N)
FRAME = pd.DataFrame(
    {
        "label": TRUTH,
        "pred": np.where(RNG.random(N) < 0.7, TRUTH, "eel"),
        "mass": RNG.integers(1, 4, N),
        **{f"p_{name}": PROB[:, place] for name, place in (("eel", 2), ("cat", 0), ("dog", 1))},
    }
)


def _parquet(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    frame.to_parquet(path)
    return path


HOSTS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "lazy polars": lambda frame, _: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame, _: pa.Table.from_pandas(frame),
    "dict": lambda frame, _: {name: frame[name].to_numpy() for name in frame},
    "parquet": _parquet,
    "described": lambda frame, _: karat.read(frame),
}
ROLES: dict[str, dict[str, Any]] = {
    "labels": {"y_true": "label", "y_pred": "pred", "y_prob": ""},
    "weights": {"y_true": "label", "y_pred": "pred", "y_prob": "", "weights": "mass"},
    "probabilities": {"y_pred": "", "y_prob": "p_*"},
    "a list": {"y_prob": ["p_dog", "p_cat", "p_eel"]},
    "values": {"y_true": "label", "y_pred": None, "y_prob": ""},
}


def numbers(report: Any) -> Any:
    names = ("accuracy", "macro_f1", "log_loss", "macro_roc_auc", "subset_accuracy")
    here = [report[name] for name in names if name in report]
    assert len(here) > 0
    return [(x.value, x.low, x.high) for x in here]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("roles", ROLES)
def test_tables_are_batches(host: str, roles: str, tmp_path: Path) -> None:
    stream = karat.Stream()
    for part in (FRAME[:40], FRAME[40:]):
        options = dict(ROLES[roles])
        if options.get("y_pred", "") is None:
            if host == "parquet":
                continue
            options["y_pred"] = part["pred"].to_numpy()
        stream.update(HOSTS[host](part.reset_index(drop=True), tmp_path), **options)
    if not stream.n_rows:
        return
    whole = {**ROLES[roles]}
    if whole.get("y_pred", "") is None:
        whole["y_pred"] = "pred"
    assert numbers(stream.report()) == numbers(karat.evaluate(FRAME, **whole))
    assert stream.n_rows == N


def test_another_column_is_another_report() -> None:
    """A control: the roles decide what is counted."""
    stream = karat.Stream()
    stream.update(FRAME, y_true="label", y_pred="pred", y_prob="", weights="mass")
    assert numbers(stream.report()) != numbers(karat.evaluate(FRAME, y_pred="pred", y_prob=""))


def test_sets_of_tables_are_batches() -> None:
    wide = pd.DataFrame({f"{x}_{y}": RNG.integers(0, 2, N) for x in ("true", "pred") for y in "ab"})
    lists = pl.DataFrame({"label": [["a"], ["a", "b"], []] * 9, "pred": [["a"], ["b"], []] * 9})
    for table in (wide, lists):
        stream = karat.Stream()
        stream.update(table[:12])
        stream.update(table[12:])
        assert numbers(stream.report()) == numbers(karat.evaluate(table))
    with pytest.raises(KaratError, match="K180"):
        stream.update(FRAME, y_prob="")


def test_the_doubts_about_columns_are_those_of_a_batch() -> None:
    frame = FRAME.assign(weight=1.0)
    stream = karat.Stream()
    for part in (frame[:40], frame[40:]):
        stream.update(part, y_prob="")
    (one,) = stream.report().doubts
    assert one.code == "D104"
    assert one.noticed.startswith("In a batch: Column 'weight'")


def test_a_refused_table_changes_nothing(tmp_path: Path) -> None:
    stream = karat.Stream()
    stream.update(FRAME, y_prob="")
    before = stream.to_bytes()
    bad: list[tuple[Any, dict[str, Any], str]] = [
        (FRAME, {"y_true": "lable"}, "K404"),
        (FRAME.drop(columns="label"), {}, "K406"),
        (FRAME.assign(label=None), {"y_prob": ""}, "K104"),
        (tmp_path / "rows.parquet", {}, "K401"),
        (FRAME, {"y_pred": TRUTH[:-1]}, "K102"),
        (FRAME, {"y_prob": "p_*"}, "K180"),
        (karat.read(FRAME, clusters="mass"), {}, "K455"),
    ]
    for source, options, code in bad:
        with pytest.raises(KaratError, match=code):
            stream.update(source, **options)
        assert stream.to_bytes() == before


def test_partitions_are_no_batch() -> None:
    table = optional("dask.dataframe").from_pandas(FRAME, npartitions=2)
    with pytest.raises(KaratError, match="K416"):
        karat.Stream().update(table)
