"""Files that cannot be read: every code of files that public calls can raise."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import karat
from tests.corpus.calls import Call, in_a_folder
from tests.corpus.files import written
from tests.corpus.rows import binary
from tests.grouping import grouped

ONE = b"label,pred\n0,1\n1,1\n"
# Name → the files, and what is read of them; the folder itself where nothing is named.
FILES: dict[str, tuple[dict[str, bytes], tuple[str, ...]]] = {
    "an empty file": ({"a.csv": b""}, ("a.csv",)),
    "a heading alone": ({"a.csv": b"label,pred\n"}, ("a.csv",)),
    "text called Parquet": ({"a.parquet": ONE}, ("a.parquet",)),
    "half a Parquet file": ({"a.parquet": b"PAR1abc"}, ("a.parquet",)),
    "a folder of notes": ({"README.md": b"No data here."}, ()),
    "other columns": ({"a.csv": ONE, "b.csv": b"label,guess\n0,1\n"}, ("a.csv", "b.csv")),
    "an unknown kind": ({"a.xlsx": b"PK"}, ("a.xlsx",)),
    "two kinds": ({"a.csv": ONE, "b.jsonl": b'{"label": 0, "pred": 1}\n'}, ("a.csv", "b.jsonl")),
    "damaged JSON": ({"a.json": b'[{"label": 0, "pr'}, ("a.json",)),
    "JSON of numbers": ({"a.json": b"[1, 2]"}, ("a.json",)),
    "damaged JSON lines": ({"a.jsonl": b'{"label": 0, "pred": 1}\n{"label"'}, ("a.jsonl",)),
    "damaged gzip": ({"a.csv.gz": b"\x1f\x8bnoise"}, ("a.csv.gz",)),
    "a row that is short": ({"a.csv": b"label,pred\n0,1\n1\n"}, ("a.csv",)),
    "a name that is not UTF-8": ({"a\udcff.csv": ONE}, ("a\udcff.csv",)),
    "missing labels": ({"a.csv": b"label,pred\n0,1\n,1\n"}, ("a.csv",)),
    "two columns of truth": ({"a.csv": b"label,target,pred\n0,0,1\n"}, ("a.csv",)),
    "scores as predictions": ({"a.csv": b"label,prediction\n0,0.25\n1,0.5\n"}, ("a.csv",)),
    "no predictions": ({"a.csv": b"id,label\n0,0\n1,1\n"}, ("a.csv",)),
    "text and numbers": ({"a.csv": b"label,pred\n0,a\n1,b\n"}, ("a.csv",)),
    "probabilities beyond one": ({"a.csv": b"label,prob\n0,0.5\n1,1.5\n"}, ("a.csv",)),
    "missing probabilities": ({"a.csv": b"label,prob\n0,0.5\n1,\n"}, ("a.csv",)),
}
QUERIES = {
    "a misspelled query": "SELECT label, pred FORM 'a.parquet'",
    "a query of no file": "SELECT label, pred FROM 'nowhere.parquet'",
    "a query that writes": "COPY (SELECT 1) TO 'written.csv'",
    "a query of no columns": "SELECT 1 AS x",
}
PATHS = ("nowhere.parquet", "nowhere/*.parquet", "nowhere", "", "a b c", "~/nowhere.csv")


def calls() -> Iterator[Call]:
    for name, (files, named) in FILES.items():
        yield _call(name, lambda files=files, named=named: karat.evaluate(_written(files, named)))
        yield Call(
            f"gate {name}",
            "gate",
            "bad file",
            lambda files=files, named=named: karat.gate(
                _written(files, named), min={"accuracy": 0.1}
            ),
        )
    for name, query in QUERIES.items():
        yield _call(name, lambda query=query: karat.evaluate(query))
    for path in PATHS:
        yield _call(f"the path {path!r}", lambda path=path: karat.evaluate(path))
        yield _call(f"the path {path!r} as a path", lambda path=path: _alone(Path(path)))
    yield _call("no DuckDB", _without_duckdb)
    yield _call("a checkpoint of another read", _another_read)
    yield _call(
        "a checkpoint of a table",
        lambda: karat.evaluate(
            {"label": [0, 1], "pred": [0, 1]}, reading=karat.Reading(checkpoint="read.karat")
        ),
    )
    yield _call(
        "a checkpoint that is a folder",
        lambda: karat.evaluate(_two(), y_pred="pred", reading=karat.Reading(checkpoint=".")),
    )
    yield _call(
        "a checkpoint of CSV",
        lambda: karat.evaluate(
            written("csv", binary(), "two"),
            y_pred="pred",
            reading=karat.Reading(checkpoint="read.karat"),
        ),
    )
    for name, options in OPTIONS.items():
        yield _call(
            f"Parquet, {name}", lambda options=options: karat.evaluate(_two(), **grouped(options))
        )
        yield _call(
            f"CSV, {name}",
            lambda options=options: karat.evaluate(
                written("csv", binary(), "two"), **grouped(options)
            ),
        )


OPTIONS: dict[str, dict[str, Any]] = {
    "no such truth": {"y_true": "lable"},
    "no such prediction": {"y_pred": "perd"},
    "no such probability": {"y_prob": "q_*"},
    "no such weights": {"weights": "w"},
    "no such clusters": {"clusters": "user"},
    "no such slices": {"by": "town"},
    "text as weights": {"weights": "team", "y_pred": "pred"},
    "scores as probabilities": {"y_prob": "z"},
    "text as a probability": {"y_prob": "team"},
    "little memory": {"y_prob": "p_yes", "max_memory": 10},
    "memory of text": {"y_prob": "p_yes", "max_memory": "2GB"},
    "labels that do not fit": {"y_pred": "pred", "labels": [0, 2]},
    "positive that is none": {"y_pred": "pred", "positive": 7},
    "exact": {"y_prob": "p_yes", "reading": karat.Reading(exact=True), "metrics": ["roc_auc"]},
    "exact of labels": {"y_pred": "pred", "reading": karat.Reading(exact=True), "metrics": ["f1"]},
    "clusters with a checkpoint": {
        "y_pred": "pred",
        "clusters": "team",
        "reading": karat.Reading(checkpoint="c.karat"),
    },
    "slices with a checkpoint": {
        "y_pred": "pred",
        "by": "team",
        "reading": karat.Reading(checkpoint="s.karat"),
    },
    "values as weights": {"y_pred": "pred", "weights": [1.0, 2.0]},
    "values as slices": {"y_pred": "pred", "by": ["no", "yes"]},
}


def _call(name: str, run: Any) -> Call:
    return Call(name, "evaluate", "bad file", run)


def _alone(path: Path) -> Any:
    with in_a_folder():
        return karat.evaluate(path)


def _two() -> Any:
    return written("parquet", binary(), "two")


def _written(files: Mapping[str, bytes], named: tuple[str, ...]) -> Any:
    folder = Path("bad")
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, content in files.items():
        Path(folder, name).write_bytes(content)
        os.utime(Path(folder, name), (1, 1))
    return [str(folder / name) for name in named] or str(folder)


def _without_duckdb() -> Any:
    with mock.patch.dict(sys.modules, {"duckdb": None}):
        return karat.evaluate(_written({"a.csv": ONE}, ("a.csv",)))


def _another_read() -> Any:
    read = {"reading": karat.Reading(checkpoint=Path("read.karat")), "y_pred": "pred", "y_prob": ""}
    karat.evaluate(_two(), **grouped(read))
    return karat.evaluate(_two(), labels=[1, 0], **grouped(read))
