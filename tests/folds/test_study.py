"""The coverage study of folds: it measures what reports compute, and its control fails."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from benchmarks.coverage.folds import METHODS, POPULATIONS, Splits, limits_of, studied, stump


def test_the_study_measures_the_intervals_of_reports() -> None:
    rng = np.random.default_rng(43)
    population = POPULATIONS[0]
    x, y = population.draw(rng, population.n)
    splits = Splits.of(rng, population.n, 5, 4)
    predicted = stump(splits.kept, x, y, x)
    losses, repeat, fold, other = splits.tested((predicted != (y == 1)).astype(np.float64))
    model, row = np.nonzero(~splits.kept)
    table = {
        "id": row,
        "repeat": repeat,
        "fold": fold,
        "holdout": [None if h < 0 else h for h in other.tolist()],
        "label": y[row],
        "pred": predicted[model, row].astype(int),
    }
    limits = limits_of(losses, repeat, fold, other, population.n)
    result = karat.evaluate(table, folds="fold").folds["error_rate"]
    assert (result.low, result.high) == pytest.approx(limits["Nadeau–Bengio, all repeats"])
    assert result.nested is not None
    assert (result.nested.low, result.nested.high) == pytest.approx(limits["nested"])
    first = (repeat == 0) & (other < 0)
    alone = {
        name: np.array(column, object)[first].tolist()
        for name, column in table.items()
        if name not in ("repeat", "holdout")
    }
    single = karat.evaluate(alone, folds="fold")
    one = single.folds["error_rate"]
    assert (one.low, one.high) == pytest.approx(limits["Nadeau–Bengio, one repeat"])
    pooled = single["error_rate"]
    assert (pooled.low, pooled.high) == pytest.approx(limits["pooled (test rows)"])


def test_the_control_covers_less_than_the_corrected_intervals() -> None:
    found = studied(POPULATIONS[1], "stump", 150, 5, 4, [43, 7])
    covered = {one.method: one.of_procedure for one in found}
    assert list(covered) == [*METHODS]
    assert covered["naive t over folds"] < 0.9 < covered["Nadeau–Bengio, one repeat"]
    assert covered["pooled (test rows)"] < covered["nested"]
