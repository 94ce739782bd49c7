"""Tables whose columns have rare types, ids of any values, and sources of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.odd_source_files import seen, slices_of
from tests.corpus.odd_source_rows import DAYS, PRED, TRUE

N = 24
FEW = ("accuracy", "macro_f1")
OF_SCORES = ("accuracy", "log_loss")


class Mute:
    """A value that cannot be written as text."""

    def __str__(self) -> str:
        raise ValueError("it has no text")

    def __repr__(self) -> str:
        return "Mute()"


class ClosedTable:
    """A table of Arrow that cannot be read."""

    columns = ("label", "pred")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise OSError("the connection is closed")


_OF_ARROW: dict[str, Any] = {
    "days": pa.date32(),
    "days of 64 bits": pa.date64(),
    "moments": pa.timestamp("us"),
    "moments of a zone": pa.timestamp("ms", "Europe/Oslo"),
    "times of day": pa.time64("ns"),
    "seconds of a day": pa.time32("s"),
    "durations": pa.duration("s"),
    "decimals": pa.decimal128(5, 1),
    "half floats": pa.float16(),
    "unsigned bytes": pa.uint8(),
}


def calls() -> Iterator[Call]:
    yield from _of_tables()
    yield from _of_hosts()
    yield from _ids()
    yield from _batches()


def _of_tables() -> Iterator[Call]:
    for name, kind in _OF_ARROW.items():
        table = lambda k=kind: pa.table(  # noqa: E731
            {"label": TRUE, "pred": PRED, "when": pa.array([i % 4 for i in range(N)], k)}
        )
        yield _call(
            f"clusters of a table: {name}",
            "arrow",
            lambda t=table: karat.evaluate(t(), clusters="when", metrics=FEW),
        )
        yield _call(
            f"by of a table: {name}",
            "arrow",
            lambda t=table: slices_of(karat.evaluate(t(), by="when", metrics=["accuracy"])),
        )
        yield _call(
            f"ids of a table: {name}",
            "arrow",
            lambda t=table: karat.evaluate(t(), ids="when", metrics=FEW, level=None).doubts,
        )
    ids: dict[str, Callable[[], Any]] = {
        "structs": lambda: pa.array([{"a": i % 9} for i in range(N)]),
        "lists": lambda: pa.array([[i % 9] for i in range(N)]),
        "numbers that are not whole": lambda: pa.array([i % 9 / 4 for i in range(N)]),
        "nulls": lambda: pa.nulls(N),
    }
    for name, make in ids.items():
        yield _call(
            f"ids of a table: {name}",
            "arrow",
            lambda m=make: (
                karat.evaluate(
                    pa.table({"label": TRUE, "pred": PRED, "key": m()}), ids="key", metrics=FEW
                ).doubts
            ),
        )
        yield _call(
            f"ids of a table that are found: {name}",
            "arrow",
            lambda m=make: karat.evaluate(
                pa.table({"label": TRUE, "pred": PRED, "id": m()}),
                reading=karat.Reading(keep_rows=2),
                metrics=FEW,
            ).rows(wrong=True),
        )
    yield _call(
        "a table of Arrow that cannot be read",
        "arrow",
        lambda: karat.evaluate(ClosedTable(), metrics=FEW),
    )
    yield _call(
        "slices of a dict in another order",
        "pandas",
        lambda: slices_of(
            karat.evaluate(
                pd.Series(TRUE),
                pd.Series(PRED),
                by={
                    "day": pd.Series(DAYS)[::-1],
                    ("day", "part"): (pd.Series(DAYS), pd.Series(PRED)[::-1]),
                },
                metrics=["accuracy"],
            )
        ),
    )
    late = {"label": [None, *TRUE[1:]], "pred": PRED}
    yield _call(
        "a negative weight after a missing label",
        "dict",
        lambda: karat.evaluate(
            {**late, "w": [1.0] * 23 + [-1.0]},
            weights="w",
            reading=karat.Reading(nulls="drop"),
            metrics=FEW,
        ),
    )
    yield _call(
        "a probability beyond one after a missing label",
        "dict",
        lambda: karat.evaluate(
            {**late, "p": [0.5] * 23 + [1.5]},
            y_prob="p",
            y_pred="",
            reading=karat.Reading(nulls="drop"),
            metrics=FEW,
        ),
    )
    yield _call(
        "a large id of rows",
        "dict",
        lambda: karat.evaluate(
            {"label": TRUE, "pred": PRED, "id": [2**70 + i for i in range(N)]},
            reading=karat.Reading(keep_rows=2),
            metrics=FEW,
        ).rows(wrong=True),
    )
    yield _call(
        "a large id of rows as a frame",
        "dict",
        lambda: (
            karat.evaluate(
                {"label": TRUE, "pred": PRED, "id": [2**70 + i for i in range(N)]},
                reading=karat.Reading(keep_rows=2),
                metrics=FEW,
            )
            .rows(wrong=True)
            .to_frame()
        ),
    )
    yield _call(
        "a cluster that is one person in the first rows",
        "dict",
        lambda: karat.evaluate(
            {
                "label": TRUE * 90,
                "pred": PRED * 90,
                "patient_id": [i // 1080 for i in range(N * 90)],
            },
            metrics=FEW,
        ),
    )


def _of_hosts() -> Iterator[Call]:
    """Columns whose first rows are looked at, in each kind of table."""
    hosts: dict[str, Callable[[dict[str, Any]], Any]] = {
        "dict": dict,
        "pandas": pd.DataFrame,
        "Polars": pl.DataFrame,
        "lazy Polars": pl.LazyFrame,
        "Arrow": pa.table,
        "DuckDB": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
    }
    pairs = [[0.75, 0.25] if x == 0 else [0.25, 0.75] for x in TRUE]
    for name, make in hosts.items():
        yield _call(
            f"a column of users in {name}",
            name,
            lambda m=make: seen(
                karat.evaluate(
                    m({"label": TRUE, "pred": PRED, "user_id": [i // 4 for i in range(N)]}),
                    metrics=FEW,
                    level=None,
                )
            ),
        )
        yield _call(
            f"a column of users that differ in {name}",
            name,
            lambda m=make: (
                karat.evaluate(
                    m({"label": TRUE, "pred": PRED, "user_id": [f"u{i}" for i in range(N)]}),
                    metrics=FEW,
                    level=None,
                ).doubts
            ),
        )
        texts = {"lists": str, "arrays": lambda pair: f"[{pair[0]} {pair[1]}]", "one number": min}
        for kind, written in texts.items():
            yield _call(
                f"text of {kind} as probabilities in {name}",
                name,
                lambda m=make, w=written: karat.evaluate(
                    m({"label": TRUE, "prob": [str(w(pair)) for pair in pairs]}),
                    metrics=FEW,
                    level=None,
                ),
            )


def _ids() -> Iterator[Call]:
    ids: dict[str, Callable[[], Any]] = {
        "numbers that are not whole": lambda: [i % 20 / 4 for i in range(24)],
        "numbers with NaN": lambda: [float("nan"), *[i % 20 / 4 for i in range(23)]],
        "whole and other numbers": lambda: [1.0, 1, *[i / 4 for i in range(22)]],
        "text among numbers": lambda: ["1", 1, *range(22)],
        "bytes": lambda: [b"\xff", b"\xff", *[bytes([i]) for i in range(22)]],
        "lists": lambda: [[1, 2], [1, 2], *[[i] for i in range(22)]],
        "arrays": lambda: [np.array([1, 2]), np.array([1, 2]), *[np.array([i]) for i in range(22)]],
        "dates": lambda: DAYS,
        "Arrow numbers that are not whole": lambda: pa.array([i % 20 / 4 for i in range(24)]),
        "Arrow lists": lambda: pa.array([[i % 9] for i in range(24)]),
        "Arrow durations": lambda: pa.array([i % 9 for i in range(24)], pa.duration("s")),
        "objects": lambda: [object() for _ in range(24)],
        "objects that cannot be written": lambda: [Mute() for _ in range(24)],
        "None": lambda: [None, None, *range(22)],
        "None alone": lambda: [None] * 24,
        "too few": lambda: list(range(23)),
    }
    for name, make in ids.items():
        yield _call(
            f"named ids: {name}",
            "dict",
            lambda m=make: (
                karat.evaluate(
                    {"label": TRUE, "pred": PRED, "key": m()}, ids="key", metrics=FEW, level=None
                ).doubts
            ),
        )
        yield _call(
            f"ids that are found: {name}",
            "dict",
            lambda m=make: (
                karat.evaluate(
                    {"label": TRUE, "pred": PRED, "id": m()}, metrics=FEW, level=None
                ).doubts
            ),
        )
    yield _call(
        "rows of ids that are not whole",
        "dict",
        lambda: karat.evaluate(
            {"label": TRUE, "pred": PRED, "id": [i / 4 for i in range(24)]},
            reading=karat.Reading(keep_rows=3),
        ).rows(wrong=True),
    )


class Parts:
    """A source of batches."""

    def __init__(self, columns: dict[str, Any], make: Callable[[dict[str, Any]], Any]) -> None:
        self.column_names = tuple(columns)
        self.columns = columns
        self.make = make

    def read_batches(self, columns: Any) -> Iterator[Any]:
        for first in range(0, 24, 9):
            rows = {name: self.columns[name][first : first + 9] for name in columns}
            yield self.make(rows)


class Shrinking(Parts):
    """A source that has fewer rows each time it is read."""

    n_reads = 0

    def read_batches(self, columns: Any) -> Iterator[Any]:
        self.n_reads += 1
        yield self.make({name: self.columns[name][self.n_reads :] for name in columns})


def _table(**more: Any) -> dict[str, Any]:
    return {"label": TRUE, "pred": PRED, **more}


def _batch(rows: dict[str, Any]) -> Any:
    return pa.RecordBatch.from_pydict(rows)


def _batches() -> Iterator[Call]:
    pairs = [[0.75, 0.25] if t == 0 else [0.25, 0.75] for t in TRUE]
    halves = [pair[1] for pair in pairs]
    kinds: dict[str, Callable[[dict[str, Any]], Any]] = {
        "dicts": dict,
        "record batches": _batch,
        "Arrow tables": pa.table,
        "pandas frames": pd.DataFrame,
        "Polars frames": pl.DataFrame,
    }
    for name, make in kinds.items():
        source = lambda m=make: Parts(  # noqa: E731
            _table(share=halves, day=DAYS, half=[i / 2 for i in range(24)], id=[*range(24)]), m
        )
        yield _call(
            f"batches: {name}, probabilities",
            "batches",
            lambda s=source: karat.evaluate(s(), y_prob="share", y_pred="", metrics=OF_SCORES),
        )
        yield _call(
            f"batches: {name}, by dates and numbers",
            "batches",
            lambda s=source: slices_of(
                karat.evaluate(s(), y_prob="", by=["day", "half"], metrics=["accuracy"])
            ),
        )
        yield Call(
            f"batches: {name}, gate",
            "gate",
            "batches",
            lambda s=source: karat.gate(s(), y_prob="", min={"accuracy": 0.3}),
        )
    yield _call(
        "batches: rows",
        "batches",
        lambda: karat.evaluate(
            Parts(_table(id=[*range(24)]), dict),
            reading=karat.Reading(keep_rows=2),
            metrics=["accuracy"],
        ).rows(wrong=True),
    )
    more: dict[str, Callable[[], Any]] = {
        "text scores": lambda: Parts({"label": TRUE, "prob": list(map(str, halves))}, dict),
        "scores of text alone": lambda: Parts(
            {"label": TRUE, "prob_1": list(map(str, halves))}, dict
        ),
        "lists of scores": lambda: Parts({"label": TRUE, "prob": pairs}, dict),
        "lists of scores in Arrow": lambda: Parts({"label": TRUE, "prob": pairs}, _batch),
        "unlike lists": lambda: Parts({"label": TRUE, "prob": [*pairs[1:], [1.0]]}, dict),
        "unlike kinds": lambda: Parts({"label": [*TRUE[1:], "1"], "pred": PRED}, dict),
        "a missing label": lambda: Parts({"label": [*TRUE[1:], None], "pred": PRED}, dict),
        "a probability beyond one": lambda: Parts({"label": TRUE, "prob": [*halves[1:], 2]}, dict),
        "a wrong prediction": lambda: Parts({"label": TRUE, "pred": [*PRED[1:], 0.5]}, dict),
        "other rows each time": lambda: Shrinking({"label": TRUE, "prob": halves}, dict),
        "no rows": lambda: Parts({"label": [], "pred": []}, dict),
        "decimals": lambda: Parts({"label": list(map(Decimal, TRUE)), "pred": PRED}, dict),
        "a class that comes late": lambda: Parts({"label": [*TRUE[1:], 7], "pred": PRED}, dict),
    }
    for name, make in more.items():
        yield _call(
            f"batches with {name}",
            "batches",
            lambda m=make: seen(karat.evaluate(m(), metrics=FEW, level=None)),
        )
        yield _call(
            f"batches with {name}, left out",
            "batches",
            lambda m=make: karat.evaluate(
                m(), reading=karat.Reading(nulls="drop"), labels=[0, 1], metrics=FEW, level=None
            ),
        )


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "evaluate", source, run)
