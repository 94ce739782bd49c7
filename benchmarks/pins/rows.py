"""The rows of the cases: the same for both sides, made by no karat."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.cases.data import labels, two_classes

MILLION: Final = 1_000_000
K: Final = 10


def label_columns(n: int) -> dict[str, Any]:
    """A column of true labels of ten classes, and one of predicted labels."""
    y_true, y_pred = labels(n, K)
    return {"label": y_true, "pred": y_pred}


def probability_columns(n: int) -> dict[str, Any]:
    """A column of true labels of two classes, and one of probabilities."""
    y_true, y_prob = two_classes(n)
    return {"label": y_true, "prob": y_prob}


def indicators(n: int, k: int) -> tuple[Any, Any]:
    """True and predicted sets of labels, [n, k] of 0 and 1."""
    rng = np.random.default_rng(3)
    y_true = (rng.random((n, k)) < 0.2).astype(np.int64)
    y_pred = np.where(rng.random((n, k)) < 0.85, y_true, 1 - y_true)
    return y_true, y_pred


def three_models(y_prob: Any) -> dict[str, Any]:
    """Probabilities of three models: each but the first is a little worse."""
    rng = np.random.default_rng(1)
    models = {}
    for i, name in enumerate(("first", "second", "third")):
        mixed = y_prob + 0.05 * i * rng.random(y_prob.shape)
        total = 1.0 + 0.05 * i if mixed.ndim == 1 else mixed.sum(axis=1, keepdims=True)
        models[name] = mixed / total
    return models


def two_versions(n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tables of a model and of its predecessor on the same rows, in another order."""
    y_true, before = labels(n, K)
    rng = np.random.default_rng(4)
    now = np.where(rng.random(n) < 0.97, before, y_true)
    ids, order = np.arange(n), rng.permutation(n)
    table = {"id": ids, "label": y_true, "pred": now}
    return table, {"id": ids[order], "label": y_true[order], "pred": before[order]}


def file(
    folder: Path, name: str, columns: Callable[[int], Mapping[str, Any]], n: int = MILLION
) -> str:
    """A file of rows, Parquet or CSV by its name; written unless it is there."""
    path = folder / name
    if not path.exists():
        import polars as pl

        table = pl.DataFrame(columns(n))
        # Both sides may write it at the same time.
        unfinished = folder / f"unfinished-{os.getpid()}-{name}"
        if path.suffix == ".csv":
            table.write_csv(unfinished)
        else:
            table.write_parquet(unfinished)
        os.replace(unfinished, path)
    return str(path)
