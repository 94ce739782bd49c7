"""Limits of averages over many classes are as skewed as their sum."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.inference import class_limits, combined_limits
from karat.inference.limits import wilson_limits, wilson_limits_of_moving
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.tally import Cells, Classes
from tests.same import assert_same

Z = 1.959964


@pytest.mark.parametrize("p", [0.0, 0.03, 0.4, 0.9, 1.0])
def test_a_share_of_rows_has_its_limits_of_wilson(p: float) -> None:
    found = wilson_limits_of_moving(p, p, p * (1 - p) / 80, (1 - 2 * p) / 80, Z)
    if 0.0 < p < 1.0:
        assert_same(found, np.array(wilson_limits(p, 80, Z)), within=1e-12)
    # The variance may be known at another place: it is the same parabola.
    found = wilson_limits_of_moving(p, 0.7, 0.21 / 80, -0.4 / 80, Z)
    assert_same(found, np.array(wilson_limits(p, 80, Z)), within=1e-12)


def test_a_skewed_variance_moves_both_limits() -> None:
    even = wilson_limits_of_moving(0.5, 0.5, 0.003, 0.0, Z)
    rising = wilson_limits_of_moving(0.5, 0.5, 0.003, 0.005, Z)
    assert rising[0] > even[0]
    assert rising[1] > even[1]
    # Steeper than to the end: the variance is not below 0 on the way.
    assert 0.0 < wilson_limits_of_moving(0.5, 0.5, 0.003, 1.0, Z)[0] < 0.5


def tabled(table: np.ndarray) -> TableVariance:
    return TableVariance(Cells.dense(table, classes=Classes.of(range(len(table)))))


def even_table(k: int, right: int, wrong: int) -> np.ndarray:
    table = np.diag(np.full(k, right))
    table[np.arange(k), (np.arange(k) + 1) % k] = wrong
    return table


def test_so_many_classes_decide_as_have_wide_limits() -> None:
    each = [np.ones(6)]

    def deciding(low: list[float], high: list[float]) -> float:
        limits = class_limits.ClassLimits(
            np.full(6, 0.5), np.array(low), np.array(high), np.zeros((6, 2, 2)), np.ones(6), "x"
        )
        return combined_limits._deciding([limits], each)

    assert deciding([0.4] * 6, [0.6] * 6) == pytest.approx(6)
    assert deciding([0.5] * 6, [0.9, 0.9, 0.5, 0.5, 0.5, 0.5]) == pytest.approx(2)
    assert deciding([0.5] * 6, [0.5] * 6) == 1.0


def test_two_classes_are_combined_and_many_are_a_share_of_all_rows() -> None:
    few, many = (karat.evaluate(confusion=even_table(k, 19, 1)) for k in (2, 40))
    one, other = few["informedness"], few["balanced_accuracy"]
    assert one.low == pytest.approx(2 * other.low - 1)
    # Of equal classes balanced accuracy is the accuracy.
    one, other = many["accuracy"], many["balanced_accuracy"]
    assert_same([one.low, one.high], [other.low, other.high], within=1e-3)


def held(k: int, part: float) -> float:
    """Share of the limits of balanced accuracy, shrunk to a part, that hold the truth near 1."""
    rng, n = np.random.default_rng(1), 30 * k
    shares = (np.eye(k) * 0.98 + (1 - np.eye(k)) * 0.02 / (k - 1)) / k
    metric, found = get("balanced_accuracy"), 0
    for table in rng.multinomial(n, shares.ravel(), size=500).reshape(-1, k, k):
        one = karat.evaluate(confusion=table, metrics=(metric,))["balanced_accuracy"]
        low, high = (one.value + part * (end - one.value) for end in (one.low, one.high))
        found += low <= 0.98 <= high
    return found / 500


def test_averages_near_1_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 500 intervals with a coverage of 95 % fewer hold the truth once in 1000 runs.
    assert 0.92 <= held(10, 1.0) <= 0.98
    assert held(10, 0.6) < 0.9, "a control: narrower ones do not"
    monkeypatch.setattr(combined_limits, "whole_limits", lambda *_: None)
    assert held(10, 1.0) < 0.92, "a control: nor do those of the classes alone"
