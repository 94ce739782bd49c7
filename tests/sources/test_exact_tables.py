"""Exact tables from a second read of files larger than memory."""

from __future__ import annotations

import os
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.scores.rows import InMemoryScores
from karat.data.sources.files import exact_histograms
from karat.data.sources.files.exact_histograms import ExactColumns
from karat.tally import Classes
from karat.tally import histogram_views as tabled_rows
from karat.tally.histogram_views import pooled_histogram
from tests.grouping import grouped
from tests.sources.big_sets import LEAST, write_scored

OF_SAMPLE = ("macro_", "weighted_", "mean_", "d2_", "roc_auc_ov")
"""How metrics are called whose error is that of a sample of the rows."""
MICRO = ("roc_auc_ovr_micro", "micro_average_precision")


@pytest.mark.parametrize("kind", ["single", "scores"])
@pytest.mark.parametrize("weights", ["", "sample_weight"])
def test_buckets_hold_the_exact_value_and_a_second_read_finds_it(
    kind: str, weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, named = write_scored(tmp_path, kind, 80_000 if kind == "single" else 30_000)
    monkeypatch.setattr(exact_histograms, "N_RANGE", 5000)
    whole = karat.evaluate(files, weights=weights, **grouped(named))
    rough = karat.evaluate(
        files, weights=weights, **grouped({"reading": karat.Reading(max_memory=LEAST), **named})
    )
    exact = karat.evaluate(
        files,
        weights=weights,
        **grouped({"reading": karat.Reading(max_memory=LEAST, exact=True), **named}),
    )
    open_ = {name for name, result in rough.metrics.items() if not result.exact}
    assert {"roc_auc_ovr_macro", "mean_average_precision", "macro_ks_statistic"} <= open_
    for name, result in whole.metrics.items():
        if name == "roc_auc_mu":
            continue
        bound = rough[name].bound
        if bound is not None:
            assert bound[0] <= result.value <= bound[1], (name, bound, result.value)
        assert exact[name].exact, name
        np.testing.assert_allclose(exact[name].value, result.value, rtol=1e-9, err_msg=name)


def assert_close(exact: karat.Report, whole: karat.Report) -> None:
    """The same values, and limits as far as a sample of the rows tells them."""
    for name, result in whole.metrics.items():
        if name == "roc_auc_mu":
            continue
        other = exact[name]
        assert other.exact, name
        np.testing.assert_allclose(other.value, result.value, rtol=1e-9, err_msg=name)
        if result.low is None or result.high is None:
            assert (other.low, other.high) == (result.low, result.high), name
            continue
        share = 0.02 if name.startswith(OF_SAMPLE) else 1e-9
        within = share * (result.high - result.low) + 1e-12
        np.testing.assert_allclose(
            (other.low, other.high), (result.low, result.high), rtol=0, atol=within, err_msg=name
        )


@pytest.mark.parametrize("kind", ["single", "scores"])
@pytest.mark.parametrize("weights_are", [None, "importance", "frequency"])
def test_intervals_are_those_of_the_rows(
    kind: str, weights_are: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, named = write_scored(tmp_path, kind, 80_000 if kind == "single" else 30_000)
    monkeypatch.setattr(exact_histograms, "N_RANGE", 5000)
    given: dict[str, Any] = {**named, "weights": ""}
    if weights_are is not None:
        given |= {"weights": "sample_weight", "weights_are": weights_are}
    exact = karat.evaluate(
        files, **grouped({"reading": karat.Reading(max_memory=LEAST, exact=True), **given})
    )
    assert_close(exact, karat.evaluate(files, **grouped(given)))


def test_a_broken_interval_is_seen(tmp_path: Path) -> None:
    files, named = write_scored(tmp_path, "scores")
    whole = karat.evaluate(files, weights=karat.Frequency("sample_weight"), **grouped(named))
    with pytest.raises(AssertionError):
        assert_close(karat.evaluate(files, weights="sample_weight", **grouped(named)), whole)


@pytest.mark.parametrize("weights", ["", "sample_weight"])
def test_averages_over_all_decisions_are_those_of_the_rows(
    weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their table is put together on disk, as those of the columns are."""
    files, named = write_scored(tmp_path, "scores")
    given = {"weights": weights, **named, "metrics": MICRO}
    whole = karat.evaluate(files, **grouped(given))
    monkeypatch.setattr(exact_histograms, "N_RANGE", 5000)
    monkeypatch.setattr(tabled_rows, "pooled_histogram", None)
    exact = karat.evaluate(
        files, **grouped({"reading": karat.Reading(max_memory=LEAST, exact=True), **given})
    )
    for name in MICRO:
        assert exact[name].exact
        np.testing.assert_allclose(exact[name].value, whole[name].value, rtol=1e-9, err_msg=name)


def rows_of(seed: int, n: int = 2000) -> InMemoryScores:
    rng = np.random.default_rng(seed)
    scores = Scores("y_score", rng.normal(size=(n, 3)), None, 1.0)
    codes = rng.integers(0, 3, n).astype(np.int32)
    weights = rng.integers(1, 4, n).astype(float)
    return InMemoryScores(Rows(Classes((0, 1, 2)), codes, None, scores, weights), n_threads=1)


def test_tables_lie_on_disk_in_few_files_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(exact_histograms, "N_RANGE", 1000)
    columns = ExactColumns(3, kind="logits", is_weighted=True)
    files = Path("/proc/self/fd")
    n_before = len(list(files.iterdir())) if files.exists() else 0
    for seed in range(40):
        columns.add(rows_of(seed))
    ranks, probabilities, confidences = columns.merged()
    expected = pooled_histogram(list(ranks))
    tracemalloc.start()
    pooled = columns.pooled()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for name in ("low", "counts", "squares"):
        np.testing.assert_array_equal(getattr(pooled, name), getattr(expected, name))
    assert pooled.n_rows == expected.n_rows == 3 * 40 * 2000
    assert pooled.n_levels == 3 * 40 * 2000
    assert (len(ranks), len(probabilities), confidences.k) == (3, 3, 2)
    held = sum(getattr(pooled, name).nbytes for name in ("low", "counts", "squares"))
    assert peak < held / 10
    if files.exists():
        assert len(list(files.iterdir())) < n_before + 30
    assert os.name == "nt" or not list(tmp_path.iterdir())
    columns.close()
    np.testing.assert_array_equal(pooled.counts, expected.counts)
