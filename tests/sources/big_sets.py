"""Sets of Parquet files larger than what may be held, and how their reports are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import karat
from tests.sources.writing import write_rows

N = 6000
LEAST = 1 << 20
"""The least memory that may be given, in bytes."""


def write_files(folder: Path, n_files: int = 4, n: int = N, kind: str = "BIGINT") -> str:
    """Files of rows of three classes with probabilities of 16 distinct values each."""
    for f in range(n_files):
        label = f"CASE WHEN hash(i + {f}) % 10 < 6 THEN hash(i * 7 + {f}) % 3 ELSE hash(i) % 3 END"
        a, b = (f"(1 + hash(i * {k} + {f}) % 4)" for k in (11, 13))
        rows = (
            f"SELECT ({label})::{kind} AS label, (hash(i * 7 + {f}) % 3)::{kind} AS pred, "
            f"{a} / 10.0::DOUBLE AS proba_0, {b} / 10.0::DOUBLE AS proba_1, "
            f"(10 - {a} - {b}) / 10.0::DOUBLE AS proba_2, "
            f"(1 + hash(i * 3) % 5)::DOUBLE AS w FROM range({n}) t(i)"
        )
        write_rows(folder / f"part_{f}.parquet", rows)
    return str(folder / "*.parquet")


def same(left: karat.Report, right: karat.Report) -> None:
    """The same numbers: counts exactly, sums to rounding."""
    assert left.confusion.matrix.tolist() == right.confusion.matrix.tolist()
    assert (left.mapping, left.source, left.n_rows) == (right.mapping, right.source, right.n_rows)
    for name, result in right.metrics.items():
        if name == "roc_auc_mu":
            continue
        other = left[name]
        assert other.exact
        for field in ("value", "low", "high"):
            pair = getattr(other, field), getattr(result, field)
            if None in pair:
                assert pair == (None, None), (name, field, pair)
            else:
                np.testing.assert_allclose(*pair, rtol=1e-9, atol=1e-12, err_msg=f"{name} {field}")


def write_scored(folder: Path, kind: str, n: int = 30_000) -> tuple[str, dict[str, Any]]:
    """Two files of as many distinct scores as rows, and which columns hold them."""
    rng = np.random.default_rng(5)
    for f in range(2):
        z = rng.normal(size=(n, 3))
        y = (z[:, 1] + rng.normal(size=n) > 0).astype(int)
        columns = {"label": y if kind == "single" else (z + rng.normal(size=z.shape)).argmax(1)}
        if kind == "single":
            columns["p"] = 1.0 / (1.0 + np.exp(-z[:, 1]))
        else:
            columns |= {f"score_{i}": z[:, i] for i in range(3)}
        columns["sample_weight"] = rng.integers(0, 3, n).astype(float)
        pl.DataFrame(columns).write_parquet(folder / f"part_{f}.parquet")
    named = {"y_prob": "p"} if kind == "single" else {"y_score": "score_*"}
    return str(folder / "*.parquet"), named
