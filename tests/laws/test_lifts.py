"""Averages under every policy, against a reference of a few plain lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from karat.metrics import Metric, get
from karat.tally import Cells, Classes
from karat.testing import random_tables
from tests.same import assert_same

# Body of the metric on (tp, fp, fn, tn, n), and whether 0/0 counts as 0 by default.
BODIES: dict[str, tuple[Callable[..., float], bool]] = {
    "precision": (lambda tp, fp, fn, tn, n: tp / (tp + fp), True),
    "recall": (lambda tp, fp, fn, tn, n: tp / (tp + fn), True),
    "specificity": (lambda tp, fp, fn, tn, n: tn / (tn + fp), True),
    "negative_predictive_value": (lambda tp, fp, fn, tn, n: tn / (tn + fn), True),
    "f1": (lambda tp, fp, fn, tn, n: 2 * tp / (2 * tp + fp + fn), True),
    "jaccard": (lambda tp, fp, fn, tn, n: tp / (tp + fp + fn), True),
    "fowlkes_mallows": (lambda tp, fp, fn, tn, n: tp / np.sqrt((tp + fp) * (tp + fn)), True),
    "false_positive_rate": (lambda tp, fp, fn, tn, n: fp / (fp + tn), False),
    "false_negative_rate": (lambda tp, fp, fn, tn, n: fn / (tp + fn), False),
    "false_discovery_rate": (lambda tp, fp, fn, tn, n: fp / (tp + fp), False),
    "false_omission_rate": (lambda tp, fp, fn, tn, n: fn / (tn + fn), False),
    "prevalence": (lambda tp, fp, fn, tn, n: (tp + fn) / n, False),
    "informedness": (lambda tp, fp, fn, tn, n: tp / (tp + fn) + tn / (tn + fp) - 1, False),
    "markedness": (lambda tp, fp, fn, tn, n: tp / (tp + fp) + tn / (tn + fn) - 1, False),
}


def reference(name: str, table: Any, lift: str, policy: str) -> float:
    """The average of one table, class by class."""
    body, is_zero = BODIES[name]
    n, k = table.sum(), len(table)
    tp = np.diag(table).astype(float)
    fp, fn = table.sum(0) - tp, table.sum(1) - tp
    tn = n - tp - fp - fn
    if lift == "micro":
        values, weight = np.array([body(tp.sum(), fp.sum(), fn.sum(), tn.sum(), k * n)]), np.ones(1)
    else:
        values = np.array([body(*parts, n) for parts in zip(tp, fp, fn, tn, strict=True)])
        weight = np.ones(k) if lift == "macro" else tp + fn
    if policy == "zero":
        values = np.where(np.isnan(values), 0.0 if is_zero else np.nan, values)
    if policy == "exclude" and lift != "micro":
        values, weight = values[np.isfinite(values)], weight[np.isfinite(values)]
    return float((values * weight).sum() / weight.sum())


@pytest.mark.parametrize("policy", ["zero", "exclude", "nan"])
@pytest.mark.parametrize("lift", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", BODIES)
def test_average(name: str, lift: Any, policy: Any) -> None:
    metric = Metric.of(get(name).record, lift, {})
    for k in (2, 3, 5):
        tables = random_tables(k)
        found = metric.values(Cells.dense(tables, classes=Classes.of(range(k))), policy).value
        with np.errstate(all="ignore"):
            expected = [reference(name, table, lift, policy) for table in tables]
        assert_same(found, expected, within=1e-12, about=str(metric))


@pytest.mark.parametrize("policy", ["zero", "exclude", "nan"])
def test_f1_of_macro_averages_follows_the_policy(policy: Any) -> None:
    metric = get("f1_of_macro_averages")
    tables = random_tables(4)
    found = metric.values(Cells.dense(tables, classes=Classes.of(range(4))), policy).value
    with np.errstate(all="ignore"):
        p, r = (
            np.array([reference(name, table, "macro", policy) for table in tables])
            for name in ("precision", "recall")
        )
        expected = 2 * p * r / (p + r)
    expected = np.where(np.isnan(expected) & (policy == "zero"), 0.0, expected)
    assert_same(found, expected, within=1e-12)


def test_the_reference_notices_another_policy() -> None:
    table = np.array([[3, 0, 1], [2, 0, 1], [1, 0, 4]])
    with np.errstate(all="ignore"):
        excluded = reference("precision", table, "macro", "exclude")
        assert excluded != reference("precision", table, "macro", "zero")
