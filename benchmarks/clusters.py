"""Frames of Spark and Dask: `python -m benchmarks.clusters [ROWS] [PATTERN]`, by default 10⁷ rows.

Beside them the same folder read by karat alone, for rows in clusters.

PATTERN chooses candidates by name: the area of Spark ML takes many minutes at ten million rows.

Answers first, each compared with counts in memory; then time on the clock, processor time of the
whole process tree and its peak memory (PSS), beside what a user would run instead: the evaluators
of Spark ML, and a group-by of truth and prediction. Each candidate runs twice; the second counts.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import karat
from benchmarks.machine import facts

K = 10
N_USERS = 100_000
N_FILES = 16
_TICK_SECONDS = 0.25


@dataclass
class Cost:
    """What a call took.

    Attributes:
        wall_seconds: on the clock.
        cpu_seconds: of this process and all below it that were alive at the end.
        peak_bytes: most memory of all of them at once, shared pages once.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


def tree() -> list[psutil.Process]:
    """This process and all below it."""
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def cpu_seconds() -> float:
    """Processor time of the tree, of children that ended too where a parent waited for them."""
    total = 0.0
    for process in tree():
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def memory_bytes() -> int:
    """PSS of the tree."""
    total = 0
    for process in tree():
        try:
            total += process.memory_full_info().pss
        except psutil.Error:
            continue
    return total


@contextmanager
def measured() -> Iterator[Cost]:
    """Costs of what runs within, filled in at its end."""
    cost, done = Cost(), threading.Event()

    def watch() -> None:
        while True:
            cost.peak_bytes = max(cost.peak_bytes, memory_bytes())
            if done.wait(_TICK_SECONDS):
                return

    watcher = threading.Thread(target=watch)
    wall, cpu = time.perf_counter(), cpu_seconds()
    watcher.start()
    try:
        yield cost
    finally:
        cost.wall_seconds = time.perf_counter() - wall
        cost.cpu_seconds = cpu_seconds() - cpu
        done.set()
        watcher.join()


def write_rows(folder: Path, n_rows: int) -> tuple[np.ndarray[Any, Any], float]:
    """Files of label, pred, is_positive, prob and user; the matrix of counts, and the AUC."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells, truths, scores = np.zeros((K, K), np.int64), [], []
    for place in range(N_FILES):
        rng = np.random.default_rng(place)
        n = n_rows // N_FILES
        label = rng.integers(0, K, n).astype(np.int32)
        pred = np.where(rng.random(n) < 0.7, label, rng.integers(0, K, n)).astype(np.int32)
        truth = rng.random(n) < 0.3
        prob = 1 / (1 + np.exp(-rng.normal(np.where(truth, 1, -1), 1.2)))
        cells += np.bincount(label * K + pred, minlength=K * K).reshape(K, K)
        truths.append(truth)
        scores.append(prob)
        table = pa.table(
            {
                "label": label, "pred": pred, "is_positive": truth.astype(np.int32), "prob": prob,
                "user": rng.integers(0, N_USERS, n),
            }
        )  # fmt: skip
        pq.write_table(table, folder / f"part-{place:03}.parquet")
    area = karat.roc_auc(np.concatenate(truths), y_score=np.concatenate(scores))
    return cells, float(area)


Call = Callable[[], Any]
Check = Callable[[Any], None]


LIMITS_OF_CLUSTERS: dict[str, tuple[float, float]] = {}
"""Limits of the folder that karat read alone, which those of the frames have to be."""


def _limits(report: Any) -> dict[str, tuple[float, float]]:
    return {name: (report[name].low, report[name].high) for name in ("accuracy", "macro_f1")}


def clustered(rows: Any, cells: Any, **options: Any) -> tuple[Call, Check]:
    """The report of labels whose rows are in clusters."""
    roles = {"y_true": "label", "y_pred": "pred", "y_prob": "", "y_score": "", "clusters": "user"}

    def check(report: Any) -> None:
        assert np.array_equal(report.cells.matrix(), cells)
        limits = _limits(report)
        expected = LIMITS_OF_CLUSTERS or limits
        LIMITS_OF_CLUSTERS.update(expected)
        for name, (low, high) in expected.items():
            assert np.allclose(limits[name], (low, high), rtol=1e-12), (name, limits[name])

    return lambda: karat.evaluate(rows, **roles, **options), check


def on_files(folder: Path, cells: Any, _area: float) -> Iterator[tuple[str, Call, Check]]:
    """The folder, in this process on two threads, as many as the clusters have processes."""
    name = "files: karat, full report of labels in clusters"
    yield name, *clustered(folder, cells, reading=karat.Reading(n_threads=2))


def of_karat(frame: Any, cells: Any, area: float) -> dict[str, tuple[Call, Check]]:
    """Reports of labels, and a few metrics of probabilities, of one frame."""
    labels = {"y_true": "label", "y_pred": "pred", "y_prob": "", "y_score": ""}
    scored = {
        "y_true": "is_positive", "y_pred": "", "y_prob": "prob", "labels": [0, 1],
        "metrics": ["roc_auc", "log_loss"],
    }  # fmt: skip

    def check_cells(report: Any) -> None:
        assert np.array_equal(report.cells.matrix(), cells)

    def check_area(report: Any) -> None:
        result = report["roc_auc"]
        low, high = result.bound or (result.value, result.value)
        assert low - 1e-12 <= area <= high + 1e-12, (low, area, high)

    return {
        "karat, full report of labels": (lambda: karat.evaluate(frame, **labels), check_cells),
        "karat, AUC and log-loss with intervals": (
            lambda: karat.evaluate(frame, **scored), check_area,
        ),
        "karat, full report of labels in clusters": clustered(frame, cells),
    }  # fmt: skip


def on_spark(folder: Path, cells: Any, area: float) -> Iterator[tuple[str, Call, Check]]:
    """Candidates on two executors of one core."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.ml.evaluation import (
        BinaryClassificationEvaluator,
        MulticlassClassificationEvaluator,
    )
    from pyspark.sql import SparkSession, functions

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "OFF")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    frame = session.read.parquet(str(folder))
    for name, (call, check) in of_karat(frame, cells, area).items():
        yield f"Spark: {name}", call, check
    ready = frame.select(
        functions.col("label").cast("double").alias("label"),
        functions.col("pred").cast("double").alias("prediction"),
        functions.col("is_positive").cast("double").alias("positive"),
        "prob",
    )
    accuracy = np.trace(cells) / cells.sum()

    def close(expected: float, within: float) -> Check:
        def check(found: Any) -> None:
            assert abs(found - expected) <= within, (found, expected)

        return check

    for metric in ("accuracy", "f1"):
        one = MulticlassClassificationEvaluator(metricName=metric)
        check = close(accuracy, 1e-12) if metric == "accuracy" else close(0.73, 0.01)
        yield f"Spark ML: {metric}", lambda one=one: one.evaluate(ready), check
    for n_bins in (1000, 0):
        two = BinaryClassificationEvaluator(
            rawPredictionCol="prob", labelCol="positive", numBins=n_bins
        )
        call = partial(two.evaluate, ready)
        yield f"Spark ML: area under ROC, numBins={n_bins}", call, close(area, 1e-4)

    def grouped() -> Any:
        return frame.groupBy("label", "pred").count().collect()

    def check_groups(rows: Any) -> None:
        assert all(row["count"] == cells[row["label"], row["pred"]] for row in rows)

    yield "Spark: groupBy(label, pred).count()", grouped, check_groups
    session.stop()


def on_dask(folder: Path, cells: Any, area: float) -> Iterator[tuple[str, Call, Check]]:
    """Candidates on two worker processes of one thread."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster),
    ):
        frame = dd.read_parquet(str(folder))
        for name, (call, check) in of_karat(frame, cells, area).items():
            yield f"Dask: {name}", call, check

        def grouped() -> Any:
            return frame.groupby(["label", "pred"]).size().compute()

        def check_groups(found: Any) -> None:
            assert all(n == cells[pair] for pair, n in found.items())

        yield "Dask: groupby([label, pred]).size()", grouped, check_groups


def main(arguments: list[str]) -> None:
    """Print one line for each candidate."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("KARAT_NUM_THREADS", "1")
    n_rows = int(float(arguments[0])) if arguments else 10_000_000
    pattern = arguments[1] if len(arguments) > 1 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cells, area = write_rows(folder, n_rows)
        machine: Mapping[str, Any] = facts()
        print(f"{cells.sum():,} rows, {N_FILES} files;", machine["processor"], machine["date"])
        for run in (on_files, on_dask, on_spark):
            for candidate, call, check in run(folder, cells, area):
                if not re.search(pattern, candidate):
                    continue
                check(call())
                with measured() as cost:
                    found = call()
                check(found)
                print(
                    f"{candidate:55} {cost.wall_seconds:7.1f} s {cost.cpu_seconds:7.1f} cpu s "
                    f"{cost.peak_bytes / 2**20:7.0f} MiB",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
