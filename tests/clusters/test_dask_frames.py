"""Frames of Dask on a real cluster of two processes, one of which is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from tests.clusters.frames import CALLS, CLASSES, assert_same_reports, check_call, predictions
from tests.grouping import grouped
from tests.optional import optional

dask = optional("dask")
dd = optional("dask.dataframe")
distributed = optional("distributed")

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
ROWS = predictions()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each."""
    # A busy machine takes long to start a process; half a minute is what is waited else.
    patience = {
        "distributed.comm.timeouts.connect": "180s",
        "distributed.comm.timeouts.tcp": "180s",
        "distributed.deploy.lost-worker-timeout": "180s",
    }
    with dask.config.set(patience):
        started = _started()
        with started, distributed.Client(started):
            yield started


def _started(attempts: int = 3) -> Any:
    """A cluster; another where the workers of the first did not come up."""
    try:
        return distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
    except RuntimeError:
        if attempts == 1:
            raise
        return _started(attempts - 1)


def frame_of(parts: list[pd.DataFrame]) -> Any:
    return dd.concat([dd.from_pandas(part, npartitions=1, sort=False) for part in parts])


def skewed(rows: pd.DataFrame) -> Any:
    """Empty partitions, tiny ones and one with most rows."""
    edges = [0, 0, 3, 3, len(rows) - 5, len(rows), len(rows)]
    return frame_of([rows.iloc[a:b] for a, b in pairwise(edges)])


@pytest.mark.parametrize("name", ["lists", "one column", "names"])
def test_the_report_is_that_of_the_collected_rows(name: str, cluster: Any) -> None:
    # Dask takes objects for text, lists among them, unless it is told not to.
    with dask.config.set({"dataframe.convert-string": name != "lists"}):
        frame = dd.from_pandas(ROWS, npartitions=11, sort=False)
    found = check_call(frame, ROWS, within=0.0, **CALLS[name])
    assert found.source == {"table": "Dask DataFrame", "n_partitions": 11}


@pytest.mark.parametrize("name", ["text", "columns"])
def test_empty_and_skewed_partitions_change_nothing(name: str, cluster: Any) -> None:
    check_call(skewed(ROWS), ROWS, within=0.0, **CALLS[name])


def test_ordered_categories_keep_their_order(cluster: Any) -> None:
    kind = pd.CategoricalDtype(["eel", "cat", "dog", "newt"], ordered=True)
    rows = ROWS.assign(animal=ROWS["animal"].astype(kind), guess=ROWS["guess"].astype(kind))
    frame = dd.from_pandas(rows, npartitions=7, sort=False)
    found = check_call(frame, rows, within=0.0, **CALLS["text"])
    assert found.cells.classes.labels == ("eel", "cat", "dog")


def test_names_find_their_columns(cluster: Any) -> None:
    rows = ROWS[["label", "proba_cat", "proba_dog", "proba_eel"]].rename(
        columns={"proba_cat": "proba_0", "proba_dog": "proba_1", "proba_eel": "proba_2"}
    )
    users = np.arange(len(rows)) // 5
    rows = rows.assign(prediction=ROWS["answer"], weight=ROWS["importance"], user_id=users)
    found = check_call(dd.from_pandas(rows, npartitions=3, sort=False), rows, within=0.0)
    assert found.mapping["y_pred"] == "prediction"
    assert any("user_id" in sentence for sentence in found.warnings)


def test_more_than_a_task_keeps_becomes_tables(cluster: Any) -> None:
    rows = predictions(60_000).drop(columns="all_probs")
    frame = dd.from_pandas(rows, npartitions=4, sort=False)
    found = karat.evaluate(
        frame, **grouped({"reading": karat.Reading(max_memory=1 << 20), **CALLS["columns"]})
    )
    stream = karat.Stream(
        labels=sorted(rows["animal"].unique()), reading=karat.Reading(max_memory=1 << 20)
    )
    prob = rows[["proba_cat", "proba_dog", "proba_eel"]].to_numpy()
    stream.update(rows["animal"], y_prob=prob, weights=rows["importance"])
    expected = dict(stream.report().metrics)
    # Texts of a frame have no declared order, labels= has.
    assert set(expected) - set(found.metrics) == {"kappa_linear", "kappa_quadratic"}
    for name, result in found.metrics.items():
        assert result.value == pytest.approx(expected[name].value, rel=1e-9), name
        assert result.exact == expected[name].exact, name


def test_weights_in_tables_are_numbers_of_rows(cluster: Any) -> None:
    rows = predictions(60_000).drop(columns="all_probs")
    rows["importance"] = np.ceil(rows["importance"])
    frame = dd.from_pandas(rows, npartitions=4, sort=False)
    given = {
        **CALLS["columns"],
        "reading": karat.Reading(max_memory=1 << 20),
        "metrics": ["log_loss", "brier"],
    }
    found = karat.evaluate(frame, **grouped({"weights_are": "frequency", **given}))
    expected = karat.evaluate(
        rows,
        metrics=["log_loss", "brier"],
        **grouped({"weights_are": "frequency", **CALLS["columns"]}),
    )
    plain = karat.evaluate(frame, **grouped(given))
    for name, result in expected.metrics.items():
        assert found[name].low == pytest.approx(result.low, rel=1e-9), name
        assert plain[name].low < found[name].low, name


WRONG: dict[str, tuple[str, str, Any, dict[str, Any]]] = {
    "a negative weight": ("K113", "importance", -1.0, CALLS["weighted"]),
    "a weight that is no number": ("K114", "importance", np.nan, CALLS["columns"]),
    "a missing label": ("K104", "animal", None, CALLS["text"]),
    "a label outside labels=": ("K109", "animal", "cow", {**CALLS["text"], "labels": CLASSES}),
    "no probability": ("K132", "proba_cat", 1.5, CALLS["columns"]),
    "a score that is no number": ("K131", "z_dog", np.nan, CALLS["scores"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_row_is_told(name: str, cluster: Any) -> None:
    code, column, value, call = WRONG[name]
    rows = ROWS.copy()
    rows[column] = rows[column].astype(object)
    rows.loc[2100, column] = value
    if not isinstance(value, str | None):
        rows[column] = rows[column].astype(float)
    frame = dd.from_pandas(rows, npartitions=10, sort=False)
    with pytest.raises(KaratError) as found:
        karat.evaluate(frame, **grouped(call))
    with pytest.raises(KaratError) as expected:
        karat.evaluate(rows, **grouped(call))
    assert found.value.code == expected.value.code == code
    first, *_ = str(found.value).splitlines()
    assert first == str(expected.value).splitlines()[0]
    assert found.value.context["row"] == 0
    assert "partition 7" in str(found.value)


def test_values_beside_partitions_are_refused() -> None:
    frame = dd.from_pandas(ROWS, npartitions=2, sort=False)
    for given in ({"weights": ROWS["importance"]}, {"clusters": ROWS["label"]}):
        with pytest.raises(KaratError, match="rows are in partitions"):
            karat.evaluate(frame, **grouped({**CALLS["text"], **given}))


@pytest.mark.parametrize("option", ["exact", "checkpoint"])
def test_what_only_files_have_is_refused(option: str, tmp_path: Path) -> None:
    frame = dd.from_pandas(ROWS, npartitions=2, sort=False)
    given: dict[str, Any] = {"exact": True, "checkpoint": tmp_path / "read.karat"}
    of_files = rf"karat\.Reading\({option}=\) is for Parquet files"
    with pytest.raises(KaratError, match=of_files) as caught:
        karat.evaluate(frame, **grouped({**CALLS["columns"], option: given[option]}))
    assert caught.value.code == "K415"
    assert "The rows are in partitions." in str(caught.value)


LISTS_AS_TEXT: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "not found": (["label", "probability"], {}, "K406"),
    "named": (["label", "probability"], {"y_prob": "probability"}, "K130"),
    "named, with classes": (["label", "z"], {"y_score": "z", "labels": [0, 1, 2]}, "K130"),
}


@pytest.mark.parametrize("name", LISTS_AS_TEXT)
def test_lists_that_dask_has_made_text_are_told(name: str) -> None:
    columns, call, code = LISTS_AS_TEXT[name]
    rows = ROWS.rename(columns={"all_probs": columns[1]})[columns]
    frame = dd.from_pandas(rows, npartitions=2, sort=False)
    with pytest.raises(KaratError, match=r"dask.config.set\(.*convert-string") as caught:
        karat.evaluate(frame, **grouped(call))
    assert caught.value.code == code
    assert len(str(caught.value).splitlines()) == 3
    with dask.config.set({"dataframe.convert-string": False}):
        kept = dd.from_pandas(rows, npartitions=2, sort=False)
    assert karat.evaluate(kept, **grouped(call or {"y_prob": columns[1]})).scores is not None


def test_probabilities_that_are_text_beside_predictions_are_told() -> None:
    rows = ROWS.rename(columns={"all_probs": "probability", "answer": "pred"})
    frame = dd.from_pandas(rows[["label", "pred", "probability"]], npartitions=2, sort=False)
    found = karat.evaluate(frame)
    (note,) = [line for line in found.warnings if "'probability' was not read" in line]
    assert "dataframe.convert-string" in note
    assert not karat.evaluate(frame, y_prob="").warnings


def test_text_that_is_no_score_has_nothing_to_do_with_it() -> None:
    frame = dd.from_pandas(ROWS[["animal", "guess"]], npartitions=2, sort=False)
    with pytest.raises(KaratError, match="No column could be found") as caught:
        karat.evaluate(frame, y_true="animal")
    assert "dask.config" not in str(caught.value)


def test_a_killed_worker_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def slow(part: pd.DataFrame) -> pd.DataFrame:
        import pathlib
        import time
        import uuid

        mark = pathlib.Path(folder) / f"{part['label'].index[0] if len(part) else 'none'}"
        if not mark.exists():
            mark.write_text(uuid.uuid4().hex)
            time.sleep(1.0)
        return part

    frame = dd.from_pandas(ROWS, npartitions=8, sort=False)
    frame = frame.map_partitions(slow, meta=ROWS.iloc[:0])
    pid = next(iter(cluster.workers.values())).pid

    def kill() -> None:
        end = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = karat.evaluate(frame, **grouped(CALLS["columns"]))
    killer.join()
    assert_same_reports(found, karat.evaluate(ROWS, **grouped(CALLS["columns"])), within=0.0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
