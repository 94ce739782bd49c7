"""Limits from replicates: percentiles, bias correction, and what is refused."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats

import karat
from karat.inference.draws import acceleration_of, interval_of_replicates
from karat.inference.resampling import replicate_tables
from karat.metrics import parse
from karat.tally import Cells, Classes
from tests.same import assert_same

SKEWED = np.random.default_rng(0).exponential(size=40) ** 2


def scipy_bootstrap(method: str, level: float, side: str = "two-sided") -> Any:
    return stats.bootstrap(
        (SKEWED,),
        np.mean,
        n_resamples=2000,
        confidence_level=level,
        alternative=side,
        method=method,
        rng=np.random.default_rng(1),
    )


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_is_that_of_scipy(level: float) -> None:
    wanted = scipy_bootstrap("BCa", level)
    found = interval_of_replicates(
        wanted.bootstrap_distribution,
        SKEWED.mean(),
        level,
        method="bca",
        acceleration=acceleration_of(SKEWED - SKEWED.mean()),
    )
    assert_same(found[:2], np.array(wanted.confidence_interval), within=1e-12)
    plain = interval_of_replicates(wanted.bootstrap_distribution, SKEWED.mean(), level)
    assert abs(plain.low - found.low) > 0.01, "a control: without the correction it differs"
    flat = interval_of_replicates(
        wanted.bootstrap_distribution, SKEWED.mean(), level, method="bca", acceleration=0.0
    )
    assert abs(flat.high - found.high) > 0.01, "a control: without the acceleration it differs"


@pytest.mark.parametrize(("side", "theirs"), [("low", "greater"), ("high", "less")])
def test_one_sided_percentiles_are_those_of_scipy(
    side: Literal["low", "high"], theirs: str
) -> None:
    wanted = scipy_bootstrap("percentile", 0.9, theirs)
    found = interval_of_replicates(wanted.bootstrap_distribution, SKEWED.mean(), 0.9, side)
    assert_same(found[:2], np.array(wanted.confidence_interval), within=1e-12)
    closed = interval_of_replicates(
        wanted.bootstrap_distribution, SKEWED.mean(), 0.9, side, ends=(0.0, 9.0)
    )
    assert closed[1 if side == "low" else 0] == (9.0 if side == "low" else 0.0)


def test_the_acceleration_is_that_of_the_jackknife() -> None:
    """Leaving out each row in turn, of a metric of labels."""
    table = np.array([[40, 10, 2], [5, 45, 3], [1, 2, 15]])
    metric = parse("macro_f1")
    cells = Cells.dense(table, classes=Classes.of(range(3)))
    g = metric.gradient(cells).at_cells()
    counts = table.ravel().astype(float)
    found = acceleration_of(g - (counts @ g) / counts.sum(), counts)
    fewer = np.stack([table - np.eye(9, dtype=int)[i].reshape(3, 3) for i in range(9)])
    left_out = metric.values(Cells.dense(fewer, classes=cells.classes)).value
    centred = (counts @ left_out) / counts.sum() - left_out
    wanted = (counts @ centred**3) / (6 * (counts @ centred**2) ** 1.5)
    assert abs(found / wanted - 1) < 0.05
    assert abs(acceleration_of(-(g - (counts @ g) / counts.sum()), counts) + found) < 1e-15
    assert acceleration_of(np.zeros(5)) == 0.0
    assert acceleration_of(np.array([1.0, 2.0]), np.zeros(2)) == 0.0


def test_limits_cover_a_known_share() -> None:
    """Percentiles of the replicates of 1000 rows lie where the binomial distribution says."""
    cells = Cells.dense([[450, 50], [50, 450]], classes=Classes.of([0, 1]))
    metric = parse("accuracy")
    for method in ("multinomial", "bayesian"):
        values = metric.values(replicate_tables(cells, 20_000, 0, method=method)).value
        found = interval_of_replicates(values, 0.9, 0.9, method="bootstrap")
        wanted = stats.binom(1000, 0.9).ppf([0.05, 0.95]) / 1000
        assert_same(found[:2], wanted, within=0.002)
        assert found.reason == ""


def test_undefined_replicates_are_counted_and_refused_above_a_share() -> None:
    values = np.linspace(0, 1, 1000)
    values[:30] = np.nan
    found = interval_of_replicates(values, 0.5)
    assert found.n_undefined == 30
    assert found.reason == ""
    assert_same(found[:2], np.quantile(values[30:], [0.025, 0.975]), within=1e-12)
    values[:60] = np.nan
    found = interval_of_replicates(values, 0.5)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.reason == "the value is undefined in 60 of 1000 replicates"
    for nothing in (np.empty(0), np.full(9, np.nan)):
        assert interval_of_replicates(nothing, 0.5).reason
    assert interval_of_replicates(np.ones(9), math.nan).reason == "it is undefined"


def test_bca_says_when_it_has_no_limits() -> None:
    values = np.linspace(0.1, 1, 1000)
    found = interval_of_replicates(values, 0.0, method="bca", acceleration=0.0)
    assert found.reason == "every replicate lies on one side of the value"
    found = interval_of_replicates(values, 0.999, method="bca", acceleration=9.0)
    assert found.reason == "the replicates are too skewed"
    with pytest.raises(ValueError, match="acceleration"):
        interval_of_replicates(values, 0.5, method="bca")
    same = interval_of_replicates(np.ones(50), 1.0, method="bca", acceleration=0.0)
    assert same[:2] == (1.0, 1.0)


def test_infinite_replicates_are_values() -> None:
    values = np.append(np.linspace(0, 1, 90), np.full(10, np.inf))
    found = interval_of_replicates(values, 0.5, 0.9)
    assert found.high == math.inf
    assert 0 <= found.low < 0.1
    assert interval_of_replicates(values, 0.5, 0.6).high < 1


def test_clusters_of_equal_rows_have_the_limits_of_one_row_each() -> None:
    # The acceleration is that of clusters: by rows it would be smaller by the square root of 3.
    rng = np.random.default_rng(8)
    y, p = rng.integers(0, 2, 40), rng.uniform(0.02, 0.98, 40)
    asked: dict[str, Any] = {
        "metrics": ["log_loss"],
        "interval": karat.Interval(method="bca"),
        "labels": [0, 1],
    }
    once = karat.evaluate(y, y_prob=p, clusters=np.arange(40), **asked)["log_loss"]
    y, p = np.repeat(y, 3), np.repeat(p, 3)
    found = karat.evaluate(y, y_prob=p, clusters=np.repeat(np.arange(40), 3), **asked)["log_loss"]
    assert found.method == once.method == "bca"
    assert_same([found.low, found.high], [once.low, once.high], within=1e-9)


def test_replicates_have_a_standard_error() -> None:
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 60)
    found = karat.evaluate(y, y_score=y + rng.normal(size=60), metrics=["ks_statistic"])
    error = found["ks_statistic"].standard_error
    assert error is not None
    assert 0.02 < error < 0.3


def test_one_replicate_of_twenty_may_be_undefined() -> None:
    values = np.linspace(0.0, 1.0, 100)
    values[:5] = math.nan
    found = interval_of_replicates(values, 0.5)
    assert (found.n_undefined, found.reason) == (5, "")
    values[5] = math.nan
    assert interval_of_replicates(values, 0.5).reason == (
        "the value is undefined in 6 of 100 replicates"
    )
    assert interval_of_replicates([math.nan], 0.5).reason.startswith("the value is undefined")
