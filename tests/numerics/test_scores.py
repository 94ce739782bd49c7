"""Metrics of scores against fractions and 1300 bits, on rows that are hard to compute with."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from karat.metrics import Metric, all_metrics, get
from tests.numerics import inputs
from tests.numerics.errors import Seen, of_call, of_rows
from tests.numerics.inputs import Rows

OF_SCORES = [metric for metric in all_metrics() if not metric.record.is_traced]


@pytest.fixture(scope="module")
def seen() -> list[Seen]:
    return [*of_rows(inputs.rows(), OF_SCORES), *of_rows(inputs.rows(n=8), OF_SCORES)]


def test_every_metric_of_scores_is_within_its_bound(seen: list[Seen]) -> None:
    outside = [str(each) for each in seen if not each.is_within]
    assert not outside, "\n".join(outside[:20])
    assert {each.metric for each in seen if math.isfinite(each.expected)} == set(OF_SCORES)


def in_single_precision(metric: Metric, rows: Rows) -> float:
    return float(np.float32(of_call(metric, rows)))


def of_single_scores(metric: Metric, rows: Rows) -> float:
    """As if scores were kept as float32."""
    return of_call(metric, replace(rows, values=rows.values.astype(np.float32)))


RANDOM = Rows("random", np.arange(60) % 2, np.random.default_rng(8).uniform(0.01, 0.99, 60))


@pytest.mark.parametrize(
    "name",
    ["log_loss", "brier", "average_precision", "gini", "brier_uncertainty", "spiegelhalter_z"],
)
def test_single_precision_is_outside(name: str) -> None:
    rows = replace(RANDOM, truth=(np.arange(60) % 7 == 0).astype(int))
    (found,) = of_rows([rows], [get(name)])
    assert found.is_within
    (single,) = of_rows([rows], [get(name)], in_single_precision)
    assert not single.is_within


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "brier", "class_calibration_error"])
def test_scores_kept_as_float32_are_outside(name: str) -> None:
    near = 0.5 + np.random.default_rng(9).normal(size=60) * 1e-9
    (found,) = of_rows([replace(RANDOM, values=near)], [get(name)], of_single_scores)
    assert not found.is_within


def by_probabilities(metric: Metric, rows: Rows) -> float:
    """−ln of a softmax that was rounded before."""
    e = np.exp(rows.values - rows.values.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return float(-np.log(p[np.arange(len(p)), rows.truth]).mean())


def test_a_loss_of_rounded_probabilities_is_outside() -> None:
    rows = Rows("sure", np.zeros(20, int), np.tile([40.0, 0.0], (20, 1)), None, "logits")
    assert [each.is_within for each in of_rows([rows], [get("log_loss")])] == [True]
    found = of_rows([rows], [get("log_loss")], by_probabilities)
    assert [each.is_within for each in found] == [False]
