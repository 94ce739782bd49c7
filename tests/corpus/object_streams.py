"""Streams: what a notebook shows, tables instead of columns, classes that scores reveal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import karat
from tests.corpus.calls import Call
from tests.corpus.more_rows import three_classes, topics, two_classes
from tests.corpus.object_rows import hashed

TWO = two_classes()
THREE = three_classes()
SETS = topics()
TABLE = {"label": THREE["label"], "pred": THREE["pred"], "mass": THREE["mass"]}


def calls() -> Iterator[Call]:
    def stream_call(name: str, run: Callable[[], Any]) -> Call:
        return Call(f"stream, {name}", "Stream", "array", run)

    kinds: dict[str, Callable[[], Any]] = {
        "labels": lambda: filled(THREE["label"], y_pred=THREE["pred"]),
        "declared labels": lambda: karat.Stream(labels=["cat", "dog", "eel"]),
        "probabilities": lambda: filled(TWO["label"], y_prob=TWO["prob"]),
        "scores of three": lambda: filled(THREE["label"], y_score=THREE["z"]),
        "sets": lambda: filled(SETS["truth"], y_pred=SETS["pred"]),
        "scored sets": lambda: filled(SETS["truth"], y_prob=SETS["prob"]),
        "histograms": beyond_memory,
        "many rows with scores": lambda: filled(
            np.tile(TWO["label"], 2_000), y_prob=np.tile(TWO["prob"], 2_000)
        ),
    }
    for name, make in kinds.items():
        yield stream_call(f"a notebook of {name}", lambda make=make: hashed(make()._repr_html_()))
        yield stream_call(f"the text of {name}", lambda make=make: repr(make()))
    tables: dict[str, Any] = {
        "a dict": TABLE,
        "a pandas frame": pd.DataFrame(TABLE),
        "a polars frame": pl.DataFrame({"label": [0, 1], "pred": [0, 1]}),
        "a file": "rows.parquet",
        "a path": Path("rows.csv"),
        "labels alone": [0, 1, 1],
    }
    for name, columns in tables.items():
        yield stream_call(f"given {name}", lambda columns=columns: karat.Stream().update(columns))
    yield stream_call("another order", _in_another_order)
    yield stream_call("no group of processes", lambda: karat.Stream().all_reduce())
    single: dict[str, dict[str, Any]] = {
        "one class, two columns": {"y_true": [1, 1], "y_prob": [[0.25, 0.75], [0.5, 0.5]]},
        "one class, one column": {"y_true": [1, 1, 1], "y_prob": [0.25, 0.75, 0.5]},
        "one class of 0": {"y_true": [0, 0], "y_prob": [0.25, 0.75]},
        "one class of 7": {"y_true": [7, 7], "y_prob": [0.25, 0.75]},
        "one class of text": {"y_true": ["a", "a"], "y_prob": [0.25, 0.75]},
        "one class of truth": {"y_true": [True, True], "y_prob": [0.25, 0.75]},
        "one class, three columns": {"y_true": [1, 1], "y_prob": [[0.25, 0.25, 0.5]] * 2},
        "two classes of text": {"y_true": ["a", "b"] * 4, "y_prob": [0.25, 0.75] * 4},
        "two of three classes": {"y_true": [0, 2] * 4, "y_prob": [[0.25, 0.25, 0.5]] * 8},
        "two classes, scores of text": {"y_true": ["a", "b"] * 4, "y_score": [2.0, 3.0] * 4},
    }
    for name, columns in single.items():
        yield stream_call(
            name, lambda columns=columns: filled(level=None, **columns).report().metrics
        )


def filled(y_true: Any, level: Any = 0.95, **columns: Any) -> Any:
    stream = karat.Stream(level=level, interval=karat.Interval(n_replicates=100))
    stream.update(y_true, **columns)
    return stream


def beyond_memory() -> Any:
    rng = np.random.default_rng(79)
    label = (rng.random(90_000) < 0.4).astype(np.int64)
    prob = (rng.integers(0, 60_000, 90_000) + 5_000 * label) / 65_536.0
    stream = karat.Stream(
        level=None, reading=karat.Reading(max_memory=1 << 20), metrics=["roc_auc"]
    )
    stream.update(label, y_prob=prob)
    return stream


def _in_another_order() -> Any:
    rows = pd.Series(THREE["label"]), pd.Series(THREE["pred"], index=range(60)[::-1])
    stream = karat.Stream(metrics=["accuracy"], level=None)
    stream.update(*rows)
    return [item.to_dict() for item in stream.report().doubts]
