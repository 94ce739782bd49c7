"""Frames of Dask: partitions of the rows of `tables`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary
from tests.corpus.tables import THREE, TWO
from tests.corpus.wanted import FAST
from tests.grouping import grouped
from tests.optional import optional

dask = optional("dask")
dd = optional("dask.dataframe")


def frame(columns: dict[str, Any], n: int = 3) -> Any:
    return dd.from_pandas(pd.DataFrame(columns), npartitions=n, sort=False)


def calls() -> Iterator[Call]:
    for asked, options in TWO.items():
        yield _call(
            f"two classes, {asked}",
            lambda o=options: karat.evaluate(frame(binary()), **grouped({**FAST, **o})),
        )
    for asked, options in THREE.items():
        yield _call(
            f"animals, {asked}",
            lambda o=options: karat.evaluate(frame(animals()), **grouped({**FAST, **o})),
        )
    yield _call(
        "one partition",
        lambda: karat.evaluate(frame(animals(), 1), **grouped({**FAST, **THREE["labels"]})),
    )
    yield _call(
        "little memory",
        lambda: karat.evaluate(
            frame(binary()),
            **grouped({"reading": karat.Reading(max_memory=1 << 20), **FAST, **TWO["probability"]}),
        ),
    )
    yield _call(
        "exact",
        lambda: karat.evaluate(frame(binary()), reading=karat.Reading(exact=True), y_prob="p_yes"),
    )
    yield _call(
        "columns", lambda: karat.evaluate(frame(binary())["label"], frame(binary())["pred"])
    )
    yield _call("no such column", lambda: karat.evaluate(frame(binary()), y_true="lable"))
    yield Call(
        "a gate",
        "gate",
        "dask",
        lambda: _in_one_thread(
            lambda: karat.gate(frame(binary()), y_pred="pred", min={"accuracy": 0.5})
        ),
    )
    yield Call(
        "weak slices",
        "find_weak_slices",
        "dask",
        lambda: _in_one_thread(lambda: karat.find_weak_slices(frame(binary()))),
    )


def _in_one_thread(run: Any) -> Any:
    with dask.config.set(scheduler="synchronous"):
        return run()


def _call(name: str, run: Any) -> Call:
    return Call(name, "evaluate", "dask", lambda: _in_one_thread(run))
