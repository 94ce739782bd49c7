"""The coverage study of folds: it measures what reports compute, and its control fails."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import karat
from benchmarks.coverage import fold_cautions, published_folds, repeated_areas
from benchmarks.coverage.folds import (
    METHODS,
    POPULATIONS,
    RESULTS,
    Splits,
    limits_of,
    studied,
    stump,
)
from karat.results.folds import COVERS


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
    result = karat.evaluate(table, design=karat.Folds("fold")).folds["error_rate"]
    assert (result.low, result.high) == pytest.approx(limits["Nadeau–Bengio, all repeats"])
    assert result.nested is not None
    assert (result.nested.low, result.nested.high) == pytest.approx(limits["nested"])
    first = (repeat == 0) & (other < 0)
    alone = {
        name: np.array(column, object)[first].tolist()
        for name, column in table.items()
        if name not in ("repeat", "holdout")
    }
    single = karat.evaluate(alone, design=karat.Folds("fold"))
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


def test_models_of_the_published_settings_solve_their_equations() -> None:
    rng = np.random.default_rng(11)
    setting = published_folds.SETTINGS[0]
    x, y = setting.draw(rng, setting.n)
    kept = rng.permuted(np.tile(np.arange(setting.n) % 10, (3, 1)), axis=1) > 1
    classes = published_folds.logistic_fit(kept, x, y, x)
    values = published_folds.least_squares(kept, x, y, x)
    one = published_folds.with_intercept(x)
    for i, mask in enumerate(kept):
        start = np.zeros((1, one.shape[1]))
        beta, is_open = published_folds.newton(mask[None].astype(float), one, y, start, 25)
        assert not is_open.any()
        # At the maximum of the likelihood the score is 0.
        assert (y - 1 / (1 + np.exp(-one @ beta[0])))[mask] @ one[mask] == pytest.approx(
            0, abs=1e-4
        )
        assert (classes[i] == (one @ beta[0] > 0)).all()
        expected = one @ np.linalg.lstsq(one[mask], y[mask], rcond=None)[0]
        assert values[i] == pytest.approx(expected)
    assert not (classes[0] == classes[1]).all()


def test_separated_classes_are_predicted_as_class_0() -> None:
    rng = np.random.default_rng(12)
    x = rng.normal(size=(40, 2))
    y = (x[:, 0] > 0).astype(float)
    kept = np.ones((1, 40), bool)
    assert not published_folds.logistic_fit(kept, x, y, x).any()
    y[np.argmax(x[:, 0])] = 0.0
    assert published_folds.logistic_fit(kept, x, y, x).any()


def test_their_nested_estimate_is_that_of_plain_loops() -> None:
    rng = np.random.default_rng(13)
    setting = published_folds.SETTINGS[2]
    x, y = setting.draw(rng, setting.n)
    splits = Splits.of(rng, setting.n, 10, 2)
    losses = setting.loss(setting.predictions(splits.kept, x, y, x), y)
    tested = splits.tested(losses)
    value, error, inflation = published_folds.by_their_code(
        np.random.default_rng(14), *tested, setting.n
    )
    chosen = np.random.default_rng(14).integers(0, 9, size=(2, 10))
    each, repeat, fold, other = tested
    pivots = []
    for r in range(2):
        for k in range(10):
            i = chosen[r, k] + (chosen[r, k] >= k)
            of_rest = [
                each[(repeat == r) & (fold == f) & (other == k)].mean() for f in range(10) if f != k
            ]
            held = each[(repeat == r) & (fold == k) & (other == i)].mean()
            pivots.append(np.mean(of_rest) - held)
    inner = each[other >= 0]
    ratio = np.var(pivots, ddof=1) / inner.var(ddof=1) * setting.n / 10
    assert inflation == pytest.approx(np.sqrt(np.clip((ratio - 1) * 9, 1, 10)))
    assert error == pytest.approx(inner.std(ddof=1) / 10 * inflation)
    bias = inner.mean() - each[other < 0].mean()
    assert value == pytest.approx(inner.mean() - (1 + (8 / 9) ** 1.5) * bias)


def test_published_figures_stand_beside_ours() -> None:
    chunks = [published_folds.chunk((43, number, 0, 3, 2)) for number in (0, 3)]
    settings = published_folds.SETTINGS[0], published_folds.SETTINGS[3]
    found = {
        setting.name: published_folds.figures(setting, each)
        for setting, each in zip(settings, chunks, strict=True)
    }
    lines = published_folds.beside(found).splitlines()
    assert len(lines) == 6
    assert "| 18 (10 + 8) |" in lines[2]
    assert "| about 15 |" in lines[4]
    assert {line.count("|") for line in lines} == {11}


def test_stated_coverage_is_that_of_the_study() -> None:
    figures = json.loads(RESULTS.read_text(encoding="utf-8"))["figures"]
    for method, name in (("Nadeau–Bengio, all repeats", "repeats"), ("nested", "nested")):
        of_method = [one for one in figures if one["method"] == method]
        rates = [one[error] for one in of_method for error in ("of_procedure", "of_model")]
        low, high = (math.floor(100 * x + 0.5) for x in (min(rates), max(rates)))
        assert f"it covered {low} to {high} % instead of 95 %" in COVERS[name]


def test_the_search_of_a_caution_can_find_one() -> None:
    rng = np.random.default_rng(15)
    n = len(fold_cautions.STATISTICS)
    designs = []
    for rate, shift in ((0.80, 4.0), (0.95, 0.0)):
        covered = np.repeat(rng.permutation(400) < 400 * rate, 4).reshape(400, 2, 2)
        statistic = rng.normal(size=(400, n))
        statistic[:, 0] += shift
        designs.append((covered, statistic))
    found = fold_cautions.searched(designs)["nested, Err"]
    caught = list(found["caught"].values())
    assert caught[0] > 0.95
    assert max(caught[1:]) < 0.2
    assert next(iter(found["false alarms at 90 % caught"].values())) < 0.02


def test_statistics_of_the_search_are_those_of_a_report() -> None:
    covered, statistic = fold_cautions.design((43, 4, 3, 5, 2))
    assert covered.shape == (3, 2, 2)
    assert statistic.shape == (3, len(fold_cautions.STATISTICS))
    assert np.isfinite(statistic).all()


def test_equal_repeats_have_no_variance_between_them() -> None:
    fold = np.arange(20) % 5
    rows = np.concatenate([fold, fold])
    losses = (np.arange(40) % 20 < 7).astype(float)
    inner = (rows + 1) % 5
    other = np.concatenate([np.full(40, -1), inner])
    tested = np.tile(losses, 2), np.tile(np.repeat([0, 1], 20), 2), np.tile(rows, 2), other
    assert fold_cautions.statistics(*tested, 20)[0] == pytest.approx(0.0)
    tested[0][:3] = 1.0 - tested[0][:3]
    assert fold_cautions.statistics(*tested, 20)[0] > 0.0


def test_the_area_of_the_study_is_that_of_reports() -> None:
    rng = np.random.default_rng(17)
    y, scores = rng.integers(0, 2, 60), rng.integers(0, 9, 60).astype(float)
    expected = karat.evaluate(y, y_score=scores, metrics=["roc_auc"], level=None)["roc_auc"].value
    assert repeated_areas.area(y, scores) == pytest.approx(expected)
    assert repeated_areas.area(y, y.astype(float)) == 1.0
    line = repeated_areas.design((43, 0, 2, 5))
    assert line.startswith("| 0.8452 | 200 | 0.3 |")
    assert line.count("|") == 7
