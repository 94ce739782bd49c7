"""Intervals of means over classes are those of the formula, correlation by correlation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from scipy.special import betaincinv

from karat import _native
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.tally import Cells, Classes
from tests.inference.slow_intervals import mixed, score_limits
from tests.same import assert_same

Floats: TypeAlias = npt.NDArray[np.float64]

CLOSE = 1e-12
TAIL = 0.025
# By metric: whether misses and false alarms count against it, and its value where the share is p.
MEANS: dict[str, tuple[float, float, Callable[[Any], Any]]] = {
    "macro_f1": (1.0, 1.0, lambda p: 2.0 * p / (1.0 + p)),
    "macro_recall": (1.0, 0.0, lambda p: p),
    "macro_precision": (0.0, 1.0, lambda p: p),
    "macro_jaccard": (1.0, 1.0, lambda p: p),
}


def plain_mean(table: Floats, name: str) -> Floats:
    """float64[4]: the mean, its limits and its standard error, from k × k correlations."""
    of_misses, of_alarms, at = MEANS[name]
    k, n = len(table), table.sum()
    own = np.eye(k)[:, :, None] * np.eye(k)[:, None, :]
    others = of_misses * np.eye(k)[:, :, None] + of_alarms * np.eye(k)[:, None, :]
    others = others * (1.0 - np.eye(k))
    hits, misses = (own * table).sum(axis=(1, 2)), (others * table).sum(axis=(1, 2))
    p, value = hits / (hits + misses), at(hits / (hits + misses))
    low = at(np.minimum(betaincinv(hits + 0.5, misses + 0.5, TAIL), p))
    high = at(np.maximum(1.0 - betaincinv(misses + 0.5, hits + 0.5, TAIL), p))
    slope = 2.0 / (1.0 + p) ** 2 if name == "macro_f1" else np.ones(k)
    phi = (slope / (hits + misses))[:, None, None] * (own - p[:, None, None] * (own + others))
    covariance = np.einsum("aij,bij,ij->ab", phi, phi, table)
    sigma = np.sqrt(np.diagonal(covariance))
    correlation = covariance / np.outer(sigma, sigma)
    away = [np.sqrt(d @ correlation @ d) / k for d in (value - low, high - value)]
    mean, error = value.mean(), np.sqrt(covariance.sum()) / k
    assert abs((phi * table).sum()) < 1e-9 * n
    smooth = table + 0.5 / k
    hits, misses = (own * smooth).sum(axis=(1, 2)), (others * smooth).sum(axis=(1, 2))
    p = hits / (hits + misses)
    slope = 2.0 / (1.0 + p) ** 2 if name == "macro_f1" else np.ones(k)
    phi = (slope / (hits + misses))[:, None, None] * (own - p[:, None, None] * (own + others))
    shares = smooth / smooth.sum()
    of_rows = phi.sum(axis=0) * smooth.sum() / k
    z = float(stats.norm.isf(TAIL))
    whole = score_limits(mean, at(p).mean(), of_rows, shares, n, (0.0, 1.0), z)
    ends = mixed((mean - away[0], mean + away[1]), whole, high - low, (0.0, 1.0))
    return np.array((mean, *ends, error))


def found_mean(table: Floats, name: str) -> Floats:
    """The same by the library."""
    metric = get(name)
    cells = Cells.dense(table.astype(np.int64), classes=Classes.of(range(len(table))))
    value = float(metric.values(cells).value)
    found = label_interval(metric, value, TableVariance(cells), Confidence(1.0 - 2.0 * TAIL))
    assert found.method == "mover"
    return np.array((value, found.low, found.high, found.standard_error))


def tables() -> list[Floats]:
    rng = np.random.default_rng(11)
    found = []
    for k, mean in ((2, 30.0), (3, 4.0), (10, 100.0), (10, 3.0), (40, 9.0)):
        table = rng.poisson(mean, (k, k)) + np.diag(rng.poisson(8.0 * mean, k))
        found.append(np.asarray(table + 1.0))
    return found


@pytest.mark.parametrize("name", MEANS)
def test_an_interval_is_that_of_the_formula(name: str) -> None:
    for table in tables():
        assert_same(found_mean(table, name), plain_mean(table, name), within=CLOSE)


def slanted(at: int, native: str) -> Callable[..., Any]:
    """A native function whose result `at` is too large by a thousandth."""
    plain = getattr(_native, native)

    def changed(*given: Any) -> Any:
        found = list(plain(*given))
        found[at] = found[at] * (1.0 + 1e-3)
        return tuple(found)

    return changed


@pytest.mark.parametrize(
    ("native", "at"), [("follow_curve", 0), ("follow_curve", 1), ("combine_classes", 0)]
)
def test_a_slanted_result_is_found(native: str, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native, native, slanted(at, native))
    for table in tables():
        with pytest.raises(AssertionError):
            assert_same(found_mean(table, "macro_f1"), plain_mean(table, "macro_f1"), within=CLOSE)


def test_a_class_that_is_never_right_reaches_up_where_cells_are_listed() -> None:
    """Recalls 40/50 and 0/6 of independent rows: the squares of the distances add up."""
    places = np.array([0, 0, 1]), np.array([0, 1, 0])
    cells = Cells.sparse(*places, np.array([40, 10, 6]), classes=Classes.of(range(2)))
    found = label_interval(get("macro_recall"), 0.4, TableVariance(cells), Confidence(0.95))
    low, high = stats.beta(40.5, 10.5).ppf([TAIL, 1.0 - TAIL])
    never = stats.beta(0.5, 6.5).ppf(1.0 - TAIL)
    above = np.hypot(high - 0.8, never) / 2.0
    assert_same([found.low, found.high], [0.4 - (0.8 - low) / 2.0, 0.4 + above], within=CLOSE)
