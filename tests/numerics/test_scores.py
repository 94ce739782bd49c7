"""Metrics of scores against fractions and 1300 bits, on rows that are hard to compute with."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

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


RANDOM = Rows(
    "random",
    np.arange(60) % 2,
    np.random.default_rng(8).uniform(0.01, 0.99, 60),
)


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


def subtracting_from_one(metric: Metric, rows: Rows) -> float:
    """−ln(1 − p) where the other column has digits of its own."""
    p = 1.0 - rows.values[:, 1]
    own = np.where(rows.truth == 0, p, rows.values[:, 1])
    return float(-np.log(own).mean())


def test_a_loss_that_forgets_small_chances_is_outside() -> None:
    small = np.full(20, 1e-30)
    both: Any = np.stack([small, 1.0 - small], axis=1)
    rows = Rows("nearly certain", np.array([0, *[1] * 19]), both)
    (found,) = of_rows([rows], [get("log_loss")])
    assert found.is_within
    turned = replace(rows, values=both[:, ::-1])
    (found,) = of_rows([turned], [get("log_loss")], subtracting_from_one)
    assert not found.is_within
