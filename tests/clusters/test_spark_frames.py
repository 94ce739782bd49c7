"""Frames of Spark on a real cluster of two executors, one of which is killed."""

from __future__ import annotations

import doctest
import os
import signal
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from tests.architecture.tracked import ROOT
from tests.clusters.frames import CALLS, assert_same_reports, check_call, predictions
from tests.clusters.java import need_java
from tests.docs.blocks import blocks_of, run_doctest
from tests.optional import optional

sql = optional("pyspark.sql")
psutil = optional("psutil")
need_java()

pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"
)
ROWS = predictions(2000).reset_index(names="row")
TRIED = ("text", "weighted", "columns", "lists", "one column")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session whose two executors have one core and 1 GB each."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if (earlier := sql.SparkSession.getActiveSession()) is not None:
        earlier.stop()  # that of other tests, which has another master
    session = (
        sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")  # words: allowed here
        .config("spark.driver.host", "127.0.0.1")  # words: allowed here
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "150")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The rows in five contiguous partitions, in the order of the collected frame."""
    path = str(tmp_path_factory.mktemp("rows") / "rows.parquet")
    ROWS.to_parquet(path)
    ordered = spark.read.parquet(path).repartitionByRange(5, "row").sortWithinPartitions("row")
    return ordered.persist()


@pytest.mark.parametrize("name", TRIED)
def test_the_report_is_that_of_the_collected_rows(name: str, spark: Any, frame: Any) -> None:
    within = 1e-12 if name == "weighted" else 0.0
    found = check_call(frame, ROWS, within=within, **CALLS[name])
    assert found.source["table"] == "Spark DataFrame"
    assert spark.sparkContext.getLocalProperty("spark.job.description") is None


COLUMNS: dict[str, Callable[[Any], object]] = {
    "two frames": lambda f: karat.evaluate(f.select("label"), f.select("answer")),
    "two orders": lambda f: karat.accuracy(f.select("label"), f.orderBy("spam").select("answer")),
    "one beside an array": lambda f: karat.accuracy(ROWS["label"], f.select("answer")),
    "weights": lambda f: karat.evaluate(ROWS, weights=f.select("importance"), **CALLS["text"]),
    "scores": lambda f: karat.brier(f.select("is_spam"), y_prob=f.select("spam")),
    "columns": lambda f: karat.evaluate(f["is_spam"], y_prob=f["spam"]),
    "a stream": lambda f: karat.Stream().update(f.select("label"), f.select("answer")),
    "a stream of columns": lambda f: karat.Stream().update(f["label"], f["answer"]),
    "a comparison": lambda f: karat.compare(f.select("label"), {"a": [0], "b": [0]}),
    "a table of models": lambda f: karat.compare(ROWS["label"], f.select("label", "answer")),
    "a gate": lambda f: karat.gate(f.select("label"), f.select("answer"), min={"accuracy": 0}),
    "a gate without ids": lambda f: karat.gate(
        f.select("label", "answer"), y_pred="answer", baseline=f.select("label", "answer")
    ),
    "a curve": lambda f: karat.curves.roc(f.select("is_spam"), y_prob=f.select("spam")),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_have_no_order_to_match_by(name: str, frame: Any) -> None:
    with pytest.raises(KaratError, match=r"is a Spark (DataFrame|Column)") as caught:
        COLUMNS[name](frame)
    assert caught.value.code == "K416"
    if name == "columns":
        assert "or y_prob='prob' for probabilities" in str(caught.value)


@pytest.mark.parametrize("name", ["text", "columns and predictions"])
def test_empty_and_skewed_partitions_change_nothing(name: str, spark: Any, frame: Any) -> None:
    key = sql.functions.when(frame.row < 3, 0).when(frame.row < 1990, 1).otherwise(2)
    skewed = frame.repartition(7, key).sortWithinPartitions("row").persist()
    found = check_call(skewed, skewed.toPandas(), within=0.0, **CALLS[name])
    assert found.source["n_partitions"] == 7
    skewed.unpersist()


def test_a_name_needs_no_quotes_and_a_vector_is_a_list(spark: Any, frame: Any) -> None:
    from pyspark.ml.functions import array_to_vector

    named = frame.select(
        frame.label.cast("double").alias("label"),
        array_to_vector("all_probs").alias("probability"),
        frame.answer.cast("double").alias("prediction"),
        frame.importance.alias("odd `name`.of weights"),
    )
    rows = pd.DataFrame(
        {
            "label": ROWS["label"].astype(float),
            "probability": ROWS["all_probs"],
            "prediction": ROWS["answer"].astype(float),
            "odd `name`.of weights": ROWS["importance"],
        }
    )
    metrics = ["macro_f1", "log_loss"]
    check_call(named, rows, within=0.0, weights="odd `name`.of weights", metrics=metrics)
    found = check_call(named, rows, within=0.0, weights="", level=None)
    assert found.mapping["y_prob"] == ["probability"]


def test_more_than_a_task_keeps_becomes_tables(spark: Any) -> None:
    frame = spark.range(0, 120_000, 1, 5).selectExpr(
        "if(pmod(hash(id), 3) = 0, 'yes', 'no') as label", "rand(7) as probability"
    )
    frame = frame.persist()
    rows = frame.toPandas()
    call = {"metrics": ["roc_auc", "log_loss", "brier", "f1"], "positive": "yes"}
    found = karat.evaluate(frame, reading=karat.Reading(max_memory=1 << 20), **call)
    expected = karat.evaluate(rows, **call)
    for name, result in expected.metrics.items():
        assert found.metrics[name].value == pytest.approx(result.value, abs=1e-4), name
    low, high = found["roc_auc"].bound or (0.0, 0.0)
    assert low <= expected["roc_auc"].value <= high
    assert found.cells.matrix().tolist() == expected.cells.matrix().tolist()
    frame.unpersist()


def streaming(spark: Any, folder: Path) -> Any:
    """Predictions that come file by file, one of them empty."""
    for place, rows in enumerate((ROWS[:700], ROWS[:0], ROWS[700:])):
        named = rows[["animal", "guess"]].set_axis(["label", "prediction"], axis=1)
        named.to_parquet(folder / f"{place}.parquet")
    schema = "label string, prediction string"
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def test_the_batches_of_a_stream_are_added_as_the_page_shows(spark: Any, tmp_path: Path) -> None:
    (block,) = [
        block.text for block in blocks_of(ROOT / "docs" / "clusters.md")
        if "foreachBatch" in block.text
    ]  # fmt: skip
    names: dict[str, Any] = {"karat": karat, "predictions": streaming(spark, tmp_path)}
    # The page starts a query that goes on; here it ends with the last file.
    program, _, report = block.replace(".start()", ".trigger(availableNow=True).start()").partition(
        "# whenever"
    )
    exec(program, names)  # noqa: S102 (our own page)
    assert names["query"].awaitTermination(120)
    exec(f"# whenever{report}", names)  # noqa: S102 (our own page)
    expected = karat.evaluate(ROWS["animal"], ROWS["guess"])
    assert_same_reports(names["report"], expected, within=0.0)


def test_the_task_of_the_cookbook_prints_what_it_shows(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs" / "cookbook" / "spark.md"
    names: dict[str, Any] = {"spark": spark}
    blocks = [block for block in blocks_of(page) if ">>> " in block.text]
    assert {block.language for block in blocks} == {"py"}
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(
            block.text, names, str(block), str(page), block.line
        )
        run_doctest(test, names)
    assert names["gate"].passed


def test_a_stream_has_no_last_row(spark: Any, tmp_path: Path) -> None:
    predictions = streaming(spark, tmp_path)
    with pytest.raises(KaratError, match="streaming DataFrame of Spark") as caught:
        karat.evaluate(predictions)
    assert caught.value.code == "K412"
    assert "foreachBatch" in str(caught.value)


def test_a_stream_is_given_columns_of_a_batch_not_the_batch(frame: Any) -> None:
    with pytest.raises(KaratError, match="The batch is a Spark DataFrame") as caught:
        karat.Stream().update(frame)
    assert caught.value.code == "K416"
    assert "collect all columns at once: frame.toPandas()" in str(caught.value)


@pytest.mark.parametrize("name", ["weighted", "scores"])
def test_what_is_wrong_with_a_row_is_told(name: str, spark: Any, frame: Any) -> None:
    code, column, value = {
        "weighted": ("K113", "importance", -1.0),
        "scores": ("K131", "z_dog", np.nan),
    }[name]
    wrong = sql.functions.when(frame.row == 1800, value).otherwise(frame[column])
    number, row = (
        frame.withColumn("partition", sql.functions.spark_partition_id())
        .groupBy("partition")
        .agg(sql.functions.min("row").alias("first"))
        .filter("first <= 1800")
        .orderBy(sql.functions.desc("first"))
        .first()
    )
    with pytest.raises(KaratError) as found:
        karat.evaluate(frame.withColumn(column, wrong), **CALLS[name])
    assert found.value.code == code
    assert found.value.context["row"] == 1800 - row
    assert f"partition {number}" in str(found.value)
    assert repr(column) in str(found.value)
    assert len(str(found.value).splitlines()) == 3


def test_a_python_without_karat_is_named(
    spark: Any, frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    python = str(tmp_path / "bare" / "bin" / "python")
    # What PYSPARK_PYTHON, or python3 of PATH, says when a session starts.
    monkeypatch.setattr(spark.sparkContext, "pythonExec", python)
    with pytest.raises(KaratError, match="karat is not installed on the workers") as caught:
        karat.evaluate(frame, **CALLS["text"])
    assert caught.value.code == "K502"
    assert f"their Python is {python}." in str(caught.value)
    assert "os.environ['PYSPARK_PYTHON'] = sys.executable" in str(caught.value)


def test_a_killed_executor_changes_nothing(spark: Any, frame: Any, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        import pathlib
        import time
        import uuid

        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number = context.partitionId()
        is_first = not list(pathlib.Path(folder).glob(f"{number}-*"))
        pathlib.Path(folder, f"{number}-{uuid.uuid4().hex}").write_text("started")
        if is_first:
            time.sleep(2.0)
        yield from batches

    delayed = frame.mapInArrow(slow, frame.schema)
    executors = [
        process
        for process in psutil.Process().children(recursive=True)
        if process.status() != psutil.STATUS_ZOMBIE
        and "CoarseGrainedExecutorBackend" in " ".join(process.cmdline())
    ]
    assert len(executors) == 2

    def kill() -> None:
        end = time.monotonic() + 120
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(executors[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = karat.evaluate(delayed, **CALLS["text"])
    killer.join()
    assert_same_reports(found, karat.evaluate(ROWS, **CALLS["text"]), within=0.0)
    started = [path.name.partition("-")[0] for path in tmp_path.iterdir()]
    assert len(started) > len(set(started)) == 5
