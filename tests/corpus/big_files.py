"""`karat.evaluate` on Parquet files whose scores take more than `max_memory`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import karat
from tests.corpus.calls import Call
from tests.corpus.outcome import digest
from tests.corpus.wanted import FAST, LABELS, SCORES, TWO_SCORES
from tests.grouping import grouped

LEAST = 1 << 20


def _rows(kind: str, part: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(50 + part)
    label = rng.integers(0, 2 if kind.startswith("two") else 3, n)
    columns: dict[str, Any] = {"label": label, "pred": np.where(rng.random(n) < 0.8, label, 0)}
    if kind == "two":
        columns["p"] = np.clip(rng.integers(1, 2**40, n) + label * 2**38, 1, 2**40 - 1) / 2**40
    elif kind == "two of few":
        columns["p"] = np.clip(rng.integers(1, 60, n) + label * 9, 1, 63) / 64
    elif kind == "three":
        parts = rng.integers(1, 10**6, (n, 3)) + 300_000 * np.eye(3, dtype=int)[label]
        columns |= {f"p_{i}": parts[:, i] / parts.sum(axis=1) for i in range(3)}
    elif kind == "logits":
        values = (
            rng.integers(-(10**6), 10**6, (n, 3)) + 400_000 * np.eye(3, dtype=int)[label]
        ) / 1e5
        columns |= {f"z_{i}": values[:, i].astype(np.float32) for i in range(3)}
    columns["sample_weight"] = rng.integers(0, 5, n) / 4.0
    columns["site"] = np.array(["north", "south", "west"])[rng.integers(0, 3, n)]
    columns["user"] = rng.integers(0, 500, n)
    return columns


def written(kind: str, n: int) -> str:
    """Two files in the working folder; their glob."""
    folder = Path(f"big {kind}")
    if not folder.exists():
        folder.mkdir()
        for part in range(2):
            rows = pa.table(_rows(kind, part, n // 2))
            pq.write_table(rows, folder / f"part-{part}.parquet", row_group_size=9_000)
    return f"{folder}/*.parquet"


ROWS = {"two": 90_000, "two of few": 90_000, "three": 48_000, "logits": 60_000, "labels": 60_000}
NAMED: dict[str, dict[str, Any]] = {
    "two": {"y_prob": "p", "y_pred": "", "metrics": TWO_SCORES},
    "two of few": {"y_prob": "p", "y_pred": "", "metrics": TWO_SCORES},
    "three": {"y_prob": "p_*", "y_pred": "", "metrics": SCORES},
    "logits": {"y_logit": "z_*", "y_pred": "", "metrics": SCORES},
    "labels": {"y_pred": "pred", "metrics": LABELS},
}
ASKED: dict[str, dict[str, Any]] = {
    "in memory": {},
    "beyond memory": {"max_memory": LEAST},
    "read twice": {"max_memory": LEAST, "exact": True},
    "weighted": {"max_memory": LEAST, "weights": "sample_weight"},
    "weighted and read twice": {"max_memory": LEAST, "weights": "sample_weight", "exact": True},
    "one thread": {"max_memory": LEAST, "n_threads": 1},
    "two threads": {"max_memory": LEAST, "n_threads": 2},
    "by": {"max_memory": LEAST, "by": "site"},
    "clusters": {"max_memory": LEAST, "clusters": "user"},
    "no level": {"max_memory": LEAST, "level": None},
}


def calls() -> Iterator[Call]:
    for kind, named in NAMED.items():
        for asked, options in ASKED.items():
            if kind in ("two", "three", "labels") or asked in (
                "beyond memory",
                "read twice",
                "weighted",
            ):
                given = {**named, **FAST, **options}
                if asked in ("by", "clusters"):
                    given["metrics"] = given["metrics"][:4]
                yield _call(f"{kind}, {asked}", kind, given)
    yield _call(
        "two, threshold",
        "two",
        {**NAMED["two"], "threshold": 0.25, "reading": karat.Reading(max_memory=LEAST)},
    )
    named = {
        **NAMED["three"],
        "labels": [2, 1, 0],
        "y_prob": ["p_2", "p_1", "p_0"],
        "max_memory": LEAST,
    }
    yield _call("three, labels", "three", named)
    yield _call(
        "three, whole report",
        "three",
        {"y_prob": "p_*", "y_pred": "", "reading": karat.Reading(max_memory=LEAST), **FAST},
    )
    yield _call(
        "two, whole report",
        "two",
        {"y_prob": "p", "y_pred": "", "reading": karat.Reading(max_memory=LEAST), **FAST},
    )
    for kind in ("two", "three", "labels"):
        yield Call(
            f"{kind}, checkpoint", "evaluate", "checkpoint", lambda kind=kind: _resumed(kind)
        )


def _call(name: str, kind: str, options: dict[str, Any]) -> Call:
    return Call(
        name,
        "evaluate",
        "big parquet",
        lambda: karat.evaluate(written(kind, ROWS[kind]), **grouped(options)),
    )


def _resumed(kind: str) -> Any:
    """The report of a read with a checkpoint, that of a second one, and a read of other rows."""
    files, path = written(kind, ROWS[kind]), Path(f"{kind}.karat")
    path.unlink(missing_ok=True)
    options = {
        **NAMED[kind],
        "metrics": NAMED[kind]["metrics"][:6],
        "reading": karat.Reading(max_memory=LEAST, checkpoint=path),
    }
    first, held = karat.evaluate(files, **grouped(options)), path.exists()
    again = karat.evaluate(files, **grouped(options))
    found = {
        "report": first,
        "is there": held,
        "same": digest(first.to_json().encode()) == digest(again.to_json().encode()),
    }
    try:
        karat.evaluate(files, **grouped(options), weights="sample_weight")
    except karat.KaratError as problem:
        found["refused"] = problem.code
    return found
