"""What short calls count is enough for the formulas that they count it for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data.sources.arrays import labels as plain_counts
from karat.metrics._metric import Metric
from karat.metrics._registry import all_metrics

ALL = [metric for metric in all_metrics() if not metric.needs_scores]
ROWS_ALONE = [metric for metric in ALL if not metric.needs_classes]


def values(metric: Metric, count: Any, true: Any, pred: Any) -> tuple[float, ...]:
    given: tuple[float, ...] = metric.program("zero").run(
        count(true, pred), metric.arguments("zero")
    )
    return given


def test_some_formulas_need_no_classes() -> None:
    names = {str(metric) for metric in ROWS_ALONE}
    assert {"accuracy", "error_rate", "hamming_loss", "micro_f1"} <= names
    assert not {"macro_recall", "kappa", "matthews_correlation", "macro_accuracy"} & names
    assert len(ALL) > 3 * len(ROWS_ALONE)


@pytest.mark.parametrize("metric", ROWS_ALONE, ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 50])
def test_rows_alike_give_the_same_bits_as_classes(metric: Metric, k: int) -> None:
    rng = np.random.default_rng(k)
    true = rng.integers(-3, k - 3, 997)
    for pred in (true, true + 1, np.where(rng.random(997) < 0.7, true, true[::-1])):
        found = values(metric, plain_counts.agreement, true, pred)
        assert found == values(metric, plain_counts.class_totals, true, pred)


def test_a_formula_that_reads_classes_would_be_found() -> None:
    true, pred = np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])
    metric = next(each for each in ALL if str(each) == "macro_recall")
    assert metric.needs_classes
    found = values(metric, plain_counts.agreement, true, pred)
    assert found != values(metric, plain_counts.class_totals, true, pred)


def test_the_least_work_is_chosen() -> None:
    assert plain_counts.count_for(True, True) is plain_counts.cells
    assert plain_counts.count_for(False, True) is plain_counts.class_totals
    assert plain_counts.count_for(False, False) is plain_counts.agreement


@pytest.mark.parametrize(
    "count", [plain_counts.cells, plain_counts.class_totals, plain_counts.agreement]
)
def test_what_is_unusual_is_left_to_the_careful_way(count: Any) -> None:
    one = np.array([1, 2])
    for wrong in (one[:1], one[None], one.astype(">i8"), one.astype(float)):
        assert count(one, wrong) is None
    assert count(one[:0], one[:0]) is None
