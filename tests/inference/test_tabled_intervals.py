"""Intervals from score histograms: of the rows where histograms tell all, else of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data.scores.histograms import histograms_of, sampled_rows
from karat.inference.confidence import Confidence
from karat.inference.score_intervals import measured_histograms, measured_with_intervals
from karat.metrics import Metric, get, parse
from karat.tally import HistogramRows
from tests.same import assert_same
from tests.tally.test_score_histograms import rows_of

TOLD = ("log_loss", "one_vs_all_log_loss", "brier")
SAMPLED = ("macro_roc_auc", "weighted_roc_auc", "d2_brier", "top_k_accuracy(k=2)")
AREAS = Metric.of(get("roc_auc").record, "per_class", {})


def both(
    metrics: list[Metric],
    asked: Confidence | None,
    n_sampled: int,
    *,
    kind: str = "prob",
    is_weighted: bool = False,
) -> tuple[Any, Any]:
    """What the histograms of 300 rows say, and what the rows do."""
    rows = rows_of(kind, 300, is_weighted=is_weighted)
    histograms = histograms_of(rows, 5_000, n_sampled)
    found = measured_histograms(
        HistogramRows(histograms),
        metrics,
        "zero",
        asked,
        lambda: sampled_rows(histograms),
        is_requested=True,
    )
    wanted = measured_with_intervals(rows, metrics, "zero", asked or Confidence())[1]
    return found.sure, wanted


def limits(found: Any, metric: Metric) -> np.ndarray:
    one = found.intervals[metric]
    return np.array([one.low, one.high, one.standard_error])


@pytest.mark.parametrize("is_weighted", [False, True], ids=["counts", "weights"])
def test_a_sample_of_every_row_has_the_limits_of_the_rows(is_weighted: bool) -> None:
    metrics = [parse(name) for name in (*TOLD, *SAMPLED)]
    found, wanted = both(metrics, Confidence(), 400, is_weighted=is_weighted)
    for metric in metrics:
        about = str(metric)
        assert_same(limits(found, metric), limits(wanted, metric), within=1e-9, about=about)


def test_what_the_tables_tell_needs_no_sample() -> None:
    metrics = [*map(parse, (*TOLD, *SAMPLED)), AREAS]
    found, wanted = both(metrics, Confidence(), 10)
    for name in TOLD:
        metric = parse(name)
        assert_same(limits(found, metric), limits(wanted, metric), within=1e-9, about=name)
    ours, theirs = found.class_intervals["roc_auc"], wanted.class_intervals["roc_auc"]
    assert_same(np.array(ours), np.array(theirs), within=1e-9)
    assert np.array(ours)[0].max() < np.array(ours)[1].min(), "limits of which one is the lower"
    # The control: of a sample of 30 rows others are known roughly.
    rough = limits(found, parse("d2_brier")) / limits(wanted, parse("d2_brier"))
    assert np.abs(rough - 1).max() > 1e-3
    # Ranks are counted: without weights they tell their own error.
    by_rank = parse("top_k_accuracy(k=2)")
    assert_same(limits(found, by_rank), limits(wanted, by_rank), within=1e-9)


def test_nothing_asked_is_no_interval() -> None:
    found, _ = both([parse("log_loss"), AREAS], None, 10)
    assert (found.intervals, found.class_intervals) == ({}, {})


def test_replicates_of_one_column_are_left_to_be_drawn_when_they_are_read() -> None:
    asked, metric = Confidence(method="bootstrap"), parse("roc_auc")
    found, wanted = both([metric], asked, 400, kind="one prob")
    for one in (found, wanted):
        assert metric not in one.intervals
        assert one.draws.of(metric, 0.5, asked).method == "bootstrap"


def test_what_takes_replicates_of_rows_says_that_they_are_gone() -> None:
    metric = parse("macro_ks_statistic")
    found, _ = both([metric], Confidence(), 10)
    assert found.intervals[metric].low is None
    assert "its replicates need the rows" in str(found.intervals[metric].remark)
