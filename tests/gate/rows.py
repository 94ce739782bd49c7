"""Predictions of two models on the same rows, as tables and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.optional import optional

pa = optional("pyarrow")
pq = optional("pyarrow.parquet")

Table = dict[str, Any]


def two_models(
    n: int, *, lost: int, won: int = 0, k: int = 3, right: float = 0.9, seed: int = 5
) -> tuple[Any, Any, Any]:
    """Truth, and what an earlier and a later model said.

    The later one is wrong on `lost` rows that the earlier had right, and right on `won` others.
    """
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    old = np.where(rng.random(n) < right, true, (true + 1) % k)
    new = old.copy()
    was_right = np.flatnonzero(old == true)
    was_wrong = np.flatnonzero(old != true)
    new[was_right[:lost]] = (true[was_right[:lost]] + 1) % k
    new[was_wrong[:won]] = true[was_wrong[:won]]
    return true, old, new


def table(true: Any, pred: Any, **more: Any) -> Table:
    return {"id": np.arange(len(true)), "label": true, "pred": pred, **more}


def write(path: Path, columns: Table) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


def shuffled(columns: Table, seed: int = 1) -> Table:
    order = np.random.default_rng(seed).permutation(len(columns["label"]))
    return {name: np.asarray(values)[order] for name, values in columns.items()}
