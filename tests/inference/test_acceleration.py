"""BCa intervals of metrics of scores: accelerations by leaving out each row, limits as SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import karat
from karat.inference.draws import acceleration_of
from tests.optional import optional

stats = optional("scipy.stats")

NAMES = [
    "roc_auc",
    "average_precision",
    "ks_statistic",
    "max_f_beta",
    "expected_calibration_error",
    "calibration_slope",
]


def rows(n: int, seed: int = 3, digits: int = 9) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """One row in five positive, scores that are skewed within the positives."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 5 == 0).astype(np.int64)
    z = rng.gumbel(size=n) * 0.8 + 1.4 * y - 1.0
    return y, np.clip(np.round(1.0 / (1.0 + np.exp(-z)), digits), 0.01, 0.99)


def by_hand(name: str, y: npt.NDArray[Any], p: npt.NDArray[Any]) -> float:
    """Σ U³ ÷ (6·(Σ U²)^1.5) of the mean less each leave-one-out value."""
    kept = ~np.eye(len(y), dtype=bool)
    values = np.array([getattr(karat, name)(y[row], y_prob=p[row]) for row in kept])
    u = values.mean() - values
    return float((u**3).sum() / (6.0 * (u**2).sum() ** 1.5))


def asked(y: Any, p: Any, name: str, **options: Any) -> karat.Report:
    return karat.evaluate(
        y, y_prob=p, metrics=[name], interval=karat.Interval(method="bca", **options)
    )


@pytest.mark.parametrize("digits", [2, 9])
@pytest.mark.parametrize("name", NAMES)
def test_an_acceleration_is_that_of_leaving_out_each_row(name: str, digits: int) -> None:
    y, p = rows(90, digits=digits)
    report = asked(y, p, name)
    assert report[name].method == "bca"
    draws = report.draws
    assert draws is not None
    (found,) = (value for metric, value in draws.accelerations.items() if metric.name == name)
    wanted = by_hand(name, y, p)
    assert found == pytest.approx(wanted, rel=1e-6)
    assert abs(wanted) > 1e-4
    assert found != pytest.approx(by_hand(name, *rows(90, seed=4)), rel=1e-3)


@pytest.mark.parametrize("name", [*NAMES[:2], "calibration_slope"])
def test_limits_are_those_of_scipy_but_for_chance(name: str) -> None:
    y, p = rows(100)
    metric = getattr(karat, name)
    report = asked(y, p, name, n_replicates=20_000)[name]

    def statistic(places: npt.NDArray[Any]) -> float:
        at = places.astype(np.intp)
        return float(metric(y[at], y_prob=p[at]))

    theirs = stats.bootstrap(
        (np.arange(100),), statistic, n_resamples=20_000, method="BCa", vectorized=False,
        random_state=np.random.default_rng(5),
    )  # fmt: skip
    low, high = theirs.confidence_interval
    # Of 20 000 replicates two seeds differ by up to a tenth of the standard error.
    chance = 0.15 * float(theirs.standard_error)
    assert report.low == pytest.approx(low, abs=chance)
    assert report.high == pytest.approx(high, abs=chance)


def test_leaving_out_rows_is_what_bca_alone_asks_for() -> None:
    y, p = rows(90)
    report = karat.evaluate(
        y, y_prob=p, metrics=["roc_auc"], interval=karat.Interval(method="bootstrap")
    )
    assert report["roc_auc"].method == "bootstrap"
    assert report.draws is not None
    assert not report.draws.accelerations


def test_equal_influences_have_no_skewness() -> None:
    assert acceleration_of([1.0, -1.0, 1.0, -1.0]) == 0.0
    assert acceleration_of([3.0, -1.0], [1, 3]) == pytest.approx(24 / (6 * 12**1.5))
