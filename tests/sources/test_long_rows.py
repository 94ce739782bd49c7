"""Reports of long columns save memory: their numbers are those of other reports, bit for bit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.scores.ranking import pair_areas
from karat.metrics._workers import Workers
from tests.same import assert_same

K = 4


def problem(n: int, *, is_weighted: bool) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(n)
    y = rng.integers(0, K, n).astype(np.int32)
    scores = np.round(rng.normal(size=(n, K)), 2)
    scores[np.arange(n), y] += 1.0
    return y, scores, rng.integers(0, 3, n) / 2 if is_weighted else None


@pytest.mark.parametrize("level", [None, 0.95])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_long_rows_have_the_same_report(
    level: float | None, is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, scores, weights = problem(30_000, is_weighted=is_weighted)
    given: dict[str, Any] = {
        "y_score": scores,
        "weights": weights,
        "level": level,
        "reading": karat.Reading(n_threads=3),
    }
    expected = karat.evaluate(y, **given).to_json()
    monkeypatch.setattr("karat.metrics._measure.N_LONG", 1000)
    monkeypatch.setattr("karat.data.scores.rows.N_LONG", 1000)
    assert karat.evaluate(y, **given).to_json() == expected
    y[0] = (y[0] + 1) % K
    assert karat.evaluate(y, **given).to_json() != expected


@pytest.mark.parametrize("has_cost", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_pairs_do_not_depend_on_threads(is_weighted: bool, has_cost: bool) -> None:
    y, scores, weights = problem(5000, is_weighted=is_weighted)
    cost = None
    if has_cost:
        cost = np.random.default_rng(0).random((K, K))
        np.fill_diagonal(cost, 0.0)
        cost[0, 1] = -cost[1, 0]  # all pairs of rows count as tied
    expected = np.zeros(len(y))
    areas, totals = pair_areas(scores, y, K, weights, cost, expected)
    for n_threads in (2, 3, 50):
        placed = np.zeros(len(y))
        found = pair_areas(scores, y, K, weights, cost, placed, n_threads)
        assert_same(found[0], areas)
        assert_same(found[1], totals)
        assert_same(placed, expected)
    with pytest.raises(ValueError, match="columns for 3 classes"):
        pair_areas(scores, y, 3, weights, cost, placed, 2)


def test_who_waits_has_a_free_thread() -> None:
    may_end = [threading.Event(), threading.Event()]
    ended = []
    with Workers(3) as workers:
        for event in may_end:
            workers.run(lambda event=event: ended.append(event.wait(10)))
        threading.Timer(0.05, may_end[0].set).start()
        workers.wait()
        assert ended == [True]
        may_end[1].set()
    with Workers(1) as alone:
        alone.wait()


def test_an_error_of_a_task_is_raised_by_who_waits() -> None:
    with Workers(2) as workers:
        workers.run(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            workers.wait()
