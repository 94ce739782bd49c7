"""Partials of partitions: any split, any tree of merges; each partition exactly once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.data.sources.distributed import partials
from karat.data.sources.distributed.dask import DaskFrame
from karat.data.sources.distributed.partials import Partial, check_all, folded, merged
from karat.data.sources.distributed.partitions import (
    Reading,
    merge_bytes,
    tally_partition,
    whole_of,
)
from karat.data.sources.distributed.spark import SparkFrame, joined, pieces
from karat.errors import KaratError
from tests.clusters.frames import CALLS, assert_same_reports, predictions

ROWS = predictions(300)
SOME = ["macro_f1", "log_loss", "roc_auc_ovr_macro", "expected_calibration_error"]
COUNTED = Reading({"true": "animal", "pred": "guess"}, "cells")
SCORED = Reading(
    {"true": "animal", "weights": "importance"}, "rows", ("proba_cat", "proba_dog", "proba_eel"),
    labels=("cat", "dog", "eel"), is_declared=True,
)  # fmt: skip
EMPTY = SCORED.empty


def split(frame: pd.DataFrame, cuts: list[int]) -> list[pd.DataFrame]:
    edges = [0, *sorted(cut % (len(frame) + 1) for cut in cuts), len(frame)]
    return [frame.iloc[a:b] for a, b in pairwise(edges)]


class LocalFrame(DaskFrame):
    """Partitions in this process, merged by a tree that a test chooses."""

    def __init__(self, parts: list[pd.DataFrame], order: Any) -> None:
        object.__setattr__(self, "table", parts[0])
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "order", order)

    def tally(self, reading: Reading) -> Partial:
        parts: list[pd.DataFrame] = self.parts  # type: ignore[attr-defined]
        waiting = [
            [tally_partition([part.iloc[:50], part.iloc[50:]], i, reading).to_bytes()]
            for i, part in enumerate(parts)
        ]
        order: np.random.Generator = self.order  # type: ignore[attr-defined]
        while len(waiting) > 1:
            order.shuffle(waiting)
            taken = int(order.integers(2, 5))
            group, waiting = waiting[:taken], waiting[taken:]
            waiting.append(merge_bytes([one for part in group for one in part], reading))
        whole = whole_of(waiting[0], reading)
        assert whole is not None
        check_all(whole, len(parts))
        return whole


def evaluate_locally(
    parts: list[pd.DataFrame], seed: int, monkeypatch: pytest.MonkeyPatch, **call: Any
) -> karat.Report:
    """`karat.evaluate` where the host is `LocalFrame`."""
    host = LocalFrame(parts, np.random.default_rng(seed))
    monkeypatch.setattr("karat.data.sources.distributed.rows._opened", lambda table: host)
    monkeypatch.setattr("karat.api.table_reports.distributed_host", lambda table: "dask")
    monkeypatch.setattr("karat.api.table_reports.pieces_of", lambda table: "partitions")
    return karat.evaluate(parts[0], **call)


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=8)
@given(cuts=st.lists(st.integers(0, 300), max_size=7), seed=st.integers(0, 99))
def test_no_split_and_no_tree_changes_a_report(name: str, cuts: list[int], seed: int) -> None:
    call = {"metrics": SOME if name not in ("text", "numbers", "weighted") else None, **CALLS[name]}
    if "y_score" in call:  # scores have no losses
        call["metrics"] = ["macro_f1", "macro_average_precision"]
    with pytest.MonkeyPatch.context() as patch:
        found = evaluate_locally(split(ROWS, cuts), seed, patch, **call)
    expected = karat.evaluate(ROWS, **call)
    # Rows that are kept, and counts, are the same to the last bit.
    within = 1e-12 if name == "weighted" else 0.0
    assert_same_reports(found, expected, within=within)


@pytest.mark.parametrize("name", ["columns", "scores", "one column"])
def test_more_rows_than_a_task_keeps_are_counted_in_tables(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = predictions(150_000).drop(columns="all_probs")
    call = {name: value for name, value in CALLS[name].items() if name != "level"}
    found = evaluate_locally(
        split(rows, [40_000, 41_000, 41_000]),
        1,
        monkeypatch,
        reading=karat.Reading(max_memory=1 << 20),
        **call,
    )
    expected = karat.evaluate(rows, **call)
    assert found.cells.matrix().sum() == pytest.approx(expected.cells.matrix().sum())
    n_open = 0
    for metric in found.metrics:
        result, value = found.metrics[metric], expected.metrics[metric].value
        if result.exact:
            assert result.value == pytest.approx(value, rel=1e-9, abs=1e-12), metric
        elif result.bound is not None:
            n_open += 1
            assert result.bound[0] - 1e-12 <= value <= result.bound[1] + 1e-12, metric
    assert n_open or name == "one column"


def parts_of(reading: Reading, n: int = 5) -> list[Partial]:
    edges = np.linspace(0, len(ROWS), n + 1).astype(int)
    return [
        tally_partition([ROWS.iloc[a:b]], i, reading) for i, (a, b) in enumerate(pairwise(edges))
    ]


@pytest.mark.parametrize("reading", [COUNTED, SCORED], ids=["labels", "scores"])
def test_a_partition_that_comes_twice_is_refused(reading: Reading) -> None:
    parts = parts_of(reading)
    for group in ([*parts, parts[3]], [folded(parts[:4], EMPTY), parts[3]]):
        with pytest.raises(KaratError, match="arrived twice") as caught:
            folded(merged(group, EMPTY), EMPTY)
        assert caught.value.code == "K503"


def test_without_that_check_rows_would_count_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = parts_of(COUNTED)
    monkeypatch.setattr(partials, "_united", lambda left, right: ((0, 4),))
    whole = folded(merged([*parts, parts[3]], EMPTY), EMPTY)
    check_all(whole, 5)
    assert whole.tallies.cells is not None
    assert int(whole.tallies.cells.n_rows) == len(ROWS) + parts[3].n_rows


@pytest.mark.parametrize("missing", [0, 2, 4])
def test_a_partition_that_does_not_come_is_refused(missing: int) -> None:
    parts = parts_of(COUNTED)
    whole = folded([part for part in parts if part.first != missing], EMPTY)
    with pytest.raises(KaratError, match=f"Missing: {missing} of 5 partitions"):
        check_all(whole, 5)
    # A host that does not say how many there are cannot miss the last.
    if missing == 4:
        check_all(whole, None)
    else:
        with pytest.raises(KaratError, match="Missing"):
            check_all(whole, None)


def test_rows_of_a_partial_come_whole_and_once() -> None:
    data = parts_of(SCORED)[0].to_bytes()
    rows = list(pieces(data, 7, 500))
    assert len(rows) > 2
    assert list(joined(reversed(rows))) == [data]
    for damaged, words in (([*rows, rows[1]], "arrived twice"), (rows[1:], "is missing")):
        with pytest.raises(KaratError, match=words):
            list(joined(damaged))


def test_partials_survive_their_bytes() -> None:
    for reading in (COUNTED, SCORED):
        for part in parts_of(reading):
            again = Partial.from_bytes(part.to_bytes(), reading.empty)
            assert again.to_bytes() == part.to_bytes()
        assert Reading.from_bytes(reading.to_bytes()) == reading


def test_an_error_of_a_row_travels_with_its_words() -> None:
    rows = ROWS.assign(importance=np.where(np.arange(len(ROWS)) == 130, -1.0, 1.0))
    reading = Reading({**COUNTED.found, "weights": "importance"}, "cells")
    blocks = [rows.iloc[:100], rows.iloc[100:]]
    part = Partial.from_bytes(tally_partition(blocks, 3, reading).to_bytes(), reading.empty)
    other = tally_partition([ROWS], 1, reading)
    problem = folded([other, part], EMPTY).problem
    assert problem is not None
    assert (problem.code, problem.context["row"]) == ("K113", 130)
    assert "Column 'importance'" in str(problem)
    assert "numbered in partition 3, and counted from its row 100 on" in str(problem)


def test_a_newer_task_is_refused() -> None:
    data = COUNTED.to_bytes().replace(b'"version": 1', b'"version": 9')
    with pytest.raises(KaratError, match="newer karat") as caught:
        Reading.from_bytes(data)
    assert caught.value.code == "K206"


def test_neither_library_is_imported_for_other_tables() -> None:
    import subprocess
    import sys

    program = (
        "import sys, karat; karat.evaluate({'label': [0, 1], 'pred': [0, 1]}); "
        "print([name for name in ('dask', 'pyspark', 'distributed') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert run.stdout.strip() == "[]"


class Broken:
    """A frame of Spark whose workers do not have karat."""

    dtypes = (("label", "string"), ("pred", "string"))
    columns = ("label", "pred")

    @property
    def sparkSession(self) -> Broken:  # noqa: N802
        return self

    sparkContext = conf = sparkSession  # noqa: N815

    def get(self, name: str, default: str) -> str:
        return "false"

    def __getattr__(self, name: str) -> Any:
        if name == "collect":
            raise RuntimeError("…\n  ModuleNotFoundError: No module named 'karat'\n…")
        return lambda *args, **options: self


def test_workers_without_karat_are_told() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "karat.data.sources.distributed.spark.SparkFrame._columns", lambda self, reading: []
        )
        with pytest.raises(KaratError) as caught:
            SparkFrame(Broken()).tally(COUNTED)
    assert caught.value.code == "K502"
