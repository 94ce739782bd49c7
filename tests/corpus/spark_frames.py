"""Frames of Spark in a local session: partitions of the rows of `tables`."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary
from tests.corpus.tables import THREE, TWO
from tests.corpus.wanted import FAST
from tests.grouping import grouped
from tests.optional import optional

sql = optional("pyspark.sql")
ROOT = Path(__file__).parents[2]


@cache
def session() -> Any:
    """A local session of one core."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")  # words: allowed here
        .config("spark.driver.host", "127.0.0.1")  # words: allowed here
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.shuffle.partitions", "2")
    )
    # The folder in which its Java starts is that of every later session of the process.
    with chdir(ROOT):
        started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    atexit.register(started.stop)
    return started


@cache
def frame(kind: str) -> Any:
    """The rows in three contiguous partitions."""
    columns = {"two": binary, "animals": animals}[kind]()
    rows = pd.DataFrame(columns).assign(row=range(len(columns["label"])))
    made = session().createDataFrame(rows)
    return made.repartitionByRange(3, "row").sortWithinPartitions("row").drop("row").persist()


def calls() -> Iterator[Call]:
    for asked, options in TWO.items():
        yield _call(f"two classes, {asked}", "two", options)
    for asked, options in THREE.items():
        yield _call(f"animals, {asked}", "animals", options)
    yield _call(
        "little memory", "two", {**TWO["probability"], "reading": karat.Reading(max_memory=1 << 20)}
    )
    yield _call("exact", "two", {"y_prob": "p_yes", "reading": karat.Reading(exact=True)})
    yield _call("no such column", "two", {"y_true": "lable"})
    yield Call(
        "columns",
        "evaluate",
        "spark",
        lambda: karat.evaluate(frame("two")["label"], frame("two")["pred"]),
    )
    yield Call(
        "a gate",
        "gate",
        "spark",
        lambda: karat.gate(frame("two"), y_pred="pred", min={"accuracy": 0.5}),
    )
    yield Call(
        "weak slices", "find_weak_slices", "spark", lambda: karat.find_weak_slices(frame("two"))
    )


def _call(name: str, kind: str, options: dict[str, Any]) -> Call:
    return Call(
        name,
        "evaluate",
        "spark",
        lambda: karat.evaluate(frame(kind), **grouped({**FAST, **options})),
    )
