"""Any partition, order and tree of merges gives the report of one call on all rows."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.api.streams.stream import Stream
from tests.streams.batches import Rows, assert_reports, label_rows, score_rows

seeds = st.integers(0, 2**32)


@settings(max_examples=60, deadline=None)
@given(rows=label_rows(), seed=seeds, n_parts=st.integers(0, 8))
def test_labels_in_batches_are_labels_at_once(rows: Rows, seed: int, n_parts: int) -> None:
    stream = rows.streamed(np.random.default_rng(seed), n_parts)
    assert stream.n_rows == rows.n
    assert_reports(stream.report(), rows.evaluate())


@settings(max_examples=60, deadline=None)
@given(rows=score_rows(), seed=seeds, n_parts=st.integers(0, 8))
def test_scores_in_batches_are_scores_at_once(rows: Rows, seed: int, n_parts: int) -> None:
    stream = rows.streamed(np.random.default_rng(seed), n_parts)
    assert stream.n_rows == rows.n
    assert_reports(stream.report(), rows.evaluate())


def tabled(stream: karat.Stream) -> karat.Stream:
    """The stream with its rows in tables, however few they are."""
    scores: Any = stream._tallies.scores
    stream._tallies = replace(stream._tallies, scores=scores.in_histograms())
    return stream


@settings(max_examples=40, deadline=None)
@given(rows=score_rows(), seed=seeds)
def test_exact_tables_say_what_the_rows_say(rows: Rows, seed: int) -> None:
    """While every distinct score has a score level and the sample holds every row."""
    rng = np.random.default_rng(seed)
    stream = tabled(rows.streamed(rng, 3))
    found, wanted = stream.report(), rows.evaluate()
    assert not found.bounds
    names = [name for name in wanted.metrics if name not in needing_rows(wanted)]
    assert set(names) == set(found.metrics)
    for name in names:
        one, other = found[name], wanted[name]
        assert one.exact
        assert one.value == pytest.approx(other.value, rel=1e-12, abs=1e-12, nan_ok=True), name
        assert (one.low is None) == (other.low is None), (name, one.remark, other.remark)
        if one.low is not None and one.method != "bootstrap":
            assert one.method == other.method, name
            # The sample has float64: losses of float32 differ by its last bit.
            assert (one.low, one.high) == pytest.approx((other.low, other.high), 1e-5, 1e-5), name


def needing_rows(report: karat.Report) -> set[str]:
    from karat.metrics import Pairwise, get

    return {name for name in report.metrics if get(name).record.reads is Pairwise}


@pytest.mark.parametrize("kind", ["prob", "logit", "score", "one_prob", "one_logit", "one_score"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_more_rows_than_are_kept_in_any_order(kind: str, is_weighted: bool) -> None:
    """Tables of several streams, each of which keeps some rows, are those of one."""
    rng = np.random.default_rng(11)
    n, k = 60_000, 2 if kind.startswith("one") else 3
    y = rng.integers(0, k, n)
    values = rng.normal(size=(n, k)) + (np.arange(k) == y[:, None])
    if kind.endswith("prob"):
        values = np.exp(values)
        values /= values.sum(axis=1, keepdims=True)
    role = f"y_{kind.removeprefix('one_')}"
    columns = {"y_true": y, role: values[:, 1] if k == 2 else values}
    if is_weighted:
        columns["weights"] = rng.integers(0, 9, n) / 8.0
    metrics = ["log_loss", "accuracy", "roc_auc_ovo_macro", "macro_roc_auc", "macro_f1",
               "macro_average_precision", "expected_calibration_error"]  # fmt: skip
    if role == "y_score":
        metrics = [
            name for name in metrics if name not in ("log_loss", "expected_calibration_error")
        ]
    # One column of scores says what is predicted only with a threshold.
    at = {"threshold": 0.5} if kind == "one_score" else {}
    rows = Rows(
        columns,
        {
            **at,
            "labels": list(range(k)),
            "metrics": metrics,
            "interval": karat.Interval(n_replicates=100),
        },
    )
    exact, reports, sizes = rows.evaluate(), [], []
    for seed in range(4):
        stream = rows.streamed(
            np.random.default_rng(seed), 4 * seed, reading=karat.Reading(max_memory=1 << 20)
        )
        reports.append(stream.report())
        sizes.append(len(Stream.from_bytes(stream.to_bytes()).to_bytes()))
    for report in reports:
        assert (report.cells.counts == exact.cells.counts).all()
        assert report.bounds.keys() == reports[0].bounds.keys()
        for name in metrics:
            result, first = report[name], reports[0][name]
            for fact in ("value", "low", "high", "standard_error"):
                one, other = getattr(result, fact), getattr(first, fact)
                assert one == pytest.approx(other, rel=1e-9), (name, fact)
            if result.bound is None:
                assert result.exact or name == "expected_calibration_error"
                continue
            assert result.bound == pytest.approx(first.bound, rel=1e-9)
            assert result.bound[0] <= exact[name].value <= result.bound[1]
            assert result.bound[1] - result.bound[0] < 0.02
    assert max(sizes) < 8 << 20


def test_what_is_kept_depends_on_the_bytes_alone() -> None:
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 2, 87_000), rng.random(87_000)
    for cuts in ([], [1], [40_000, 80_000], list(range(5_000, 87_000, 5_000))):
        for n, is_kept in ((87_000, True), (87_000 + 1_000, False)):
            stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), level=None)
            more = np.resize(y, n), np.resize(p, n)
            for part in np.split(np.arange(n), cuts):
                stream.update(more[0][part], y_prob=more[1][part])
            parts: Any = stream._tallies.scores
            assert (parts.histograms is None) == is_kept
            assert (parts.settled().held is not None) == is_kept


def test_what_is_kept_of_mixed_floats_depends_on_what_came() -> None:
    """Batches of float32 and of float64, joined or not, read from bytes or not."""
    rng = np.random.default_rng(4)
    batches = [rng.random(70_000, np.float32), rng.random(30_000), rng.random(10)]
    labels = [rng.integers(0, 2, len(batch)) for batch in batches]
    for order in itertools.permutations(range(3)):
        for is_stored in (False, True):
            stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), level=None)
            for i in order:
                stream.update(labels[i], y_prob=batches[i])
                if is_stored:
                    stream = Stream.from_bytes(stream.to_bytes())
            parts: Any = stream._tallies.scores
            assert parts.histograms is None, order
            stream.update(np.zeros(20_000, int), y_prob=np.zeros(20_000))
            parts = stream._tallies.scores
            assert parts.histograms is not None, order
