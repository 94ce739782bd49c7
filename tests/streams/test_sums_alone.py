"""Streams whose metrics read no columns of scores keep counts and sums alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from tests.grouping import grouped
from tests.same import assert_same

K = 300
METRICS = ["accuracy", "top_5_accuracy", "log_loss", "macro_recall", "brier"]


def batches(k: int = K, n: int = 400, *, is_weighted: bool = False) -> Iterator[dict[str, Any]]:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y_true = rng.integers(0, k, n)
        y_prob = rng.random((n, k)) + 9 * (np.arange(k) == y_true[:, None]) * rng.random((n, 1))
        y_prob /= y_prob.sum(axis=1, keepdims=True)
        weights = rng.random(n) if is_weighted else None
        yield {"y_true": y_true, "y_prob": y_prob, "weights": weights}


def filled(k: int = K, max_memory: int = 1 << 20, **options: Any) -> karat.Stream:
    is_weighted = options.pop("is_weighted", False)
    given = {
        "labels": range(k),
        "metrics": METRICS,
        "reading": karat.Reading(max_memory=max_memory),
        **options,
    }
    is_frequency = given.pop("weights_are", None) == "frequency"
    stream = karat.Stream(**grouped(given))
    for batch in batches(k, is_weighted=is_weighted):
        ones = karat.Frequency(np.ones(len(batch["y_true"])))
        stream.update(**{**batch, "weights": ones} if is_frequency else batch)
    return stream


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_report_is_that_of_all_rows(is_weighted: bool) -> None:
    whole = filled(max_memory=1 << 28, is_weighted=is_weighted).report()
    stream = filled(is_weighted=is_weighted)
    assert len(stream.to_bytes()) < 1 << 18
    for read in (stream, karat.Stream.from_bytes(stream.to_bytes())):
        found = read.report()
        assert found.n_rows == whole.n_rows == 2000
        for name in METRICS:
            one, other = found[name], whole[name]
            assert one.exact
            assert_same(one.value, other.value, within=1e-12)
            if is_weighted and name == "top_5_accuracy":
                assert one.low is None
                assert "squares of the weights" in str(one.remark)
            else:
                assert_same([one.low, one.high], [other.low, other.high], within=1e-12)
        with pytest.raises(karat.KaratError, match=r"(?s)K211.*Name this metric in metrics="):
            read.report("roc_auc_ovr_macro")


def test_streams_of_other_metrics_are_merged_as_far_as_they_go() -> None:
    sums = filled(5, 1 << 20, metrics=["accuracy", "log_loss"])
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(5), 2000)
        sums.update(rng.integers(0, 5, 2000), y_prob=p)
    columns = karat.Stream(labels=range(5), reading=karat.Reading(max_memory=1 << 20))
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(5), 2000)
        columns.update(rng.integers(0, 5, 2000), y_prob=p)
    with pytest.raises(karat.InputError, match=r"(?s)K202.*metrics=: left metrics that read"):
        columns.merge(sums)
    n = sums.n_rows + columns.n_rows
    both = sums.merge(columns)
    assert both.n_rows == n
    assert both.report()["log_loss"].exact


@pytest.mark.parametrize("other", [{"design": karat.CaseControl()}, {"weights_are": "frequency"}])
def test_other_designs_keep_their_columns(other: dict[str, str]) -> None:
    with pytest.raises(karat.InputError, match="K147"):
        filled(**other)
    with pytest.raises(karat.InputError, match="K147"):
        filled(metrics=None)
    with pytest.raises(karat.InputError, match="K147"):
        filled(metrics=["accuracy", "roc_auc_ovr_macro"])


def test_tensors_on_a_device() -> None:
    torch = pytest.importorskip("torch")
    from tests.devices.rows import on_the_device

    reports = []
    for where, to in ((nullcontext(), np.asarray), (on_the_device(), torch.from_numpy)):
        with where:
            stream = karat.Stream(
                labels=range(K), metrics=METRICS, reading=karat.Reading(max_memory=1 << 20)
            )
            for batch in batches():
                stream.update(to(batch["y_true"]), y_prob=to(batch["y_prob"]))
            reports.append(stream.report())
    for name in METRICS:
        one, other = (report[name] for report in reports)
        assert_same(one.value, other.value, within=1e-12)
        if name != "macro_recall":  # its limits depend on the storage of the cells
            assert_same([one.low, one.high], [other.low, other.high], within=1e-12)


def test_files_larger_than_memory(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = list(batches())
    prob = np.concatenate([batch["y_prob"] for batch in rows])
    true = np.concatenate([batch["y_true"] for batch in rows])
    columns = {"label": true} | {f"proba_{i}": prob[:, i] for i in range(K)}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=400)
    given: dict[str, Any] = {"labels": range(K), "reading": karat.Reading(max_memory=1 << 20)}
    found = karat.evaluate(tmp_path / "rows.parquet", metrics=METRICS, **grouped(given))
    whole = filled(max_memory=1 << 28).report()
    for name in METRICS:
        assert_same(found[name].value, whole[name].value, within=1e-12)
    with pytest.raises(karat.InputError, match="K147"):
        karat.evaluate(tmp_path / "rows.parquet", metrics=["roc_auc_ovr_macro"], **grouped(given))
