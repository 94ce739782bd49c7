"""Gold rows of very different weights: intervals rest on their effective number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import karat
from karat.designs import judge as tuning
from karat.designs.judge import Both, Weighed
from tests.grouping import grouped
from tests.same import assert_same

METRICS = ["accuracy", "f1", "kappa", "log_loss"]
RIGHT = 0.8413
"""Accuracy of the population of `sample`: Φ(1)."""


def sample(rng: np.random.Generator, weights: dict[int, int]) -> dict[str, Any]:
    """Rows in strata, so many of each weight with a gold label."""
    n = sum(weight * count for weight, count in weights.items())
    truth = rng.integers(0, 2, n)
    logit = 2.0 * (2 * truth - 1 + rng.normal(0.0, 1.0, n))
    gold, gold_weights, at = np.full(n, np.nan), np.full(n, np.nan), 0
    for weight, count in weights.items():
        own = slice(at, at + count)
        gold[own], gold_weights[own] = truth[own], weight
        at += weight * count
    judge = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    prob = np.clip(1.0 / (1.0 + np.exp(-logit)), 1e-6, 1.0 - 1e-6)
    return {"gold": gold, "judge": judge, "y_prob": prob, "gold_weights": gold_weights}


def hits(weights: dict[int, int], samples: int) -> float:
    found = []
    for seed in range(samples):
        rows = sample(np.random.default_rng([17, seed]), weights)
        one = karat.evaluate(**grouped(rows), metrics="accuracy")["accuracy"]
        assert one.low is not None
        assert one.high is not None
        found.append(one.low <= RIGHT <= one.high)
    return float(np.mean(found))


def test_intervals_of_few_heavy_rows_cover() -> None:
    assert hits({1: 95, 100: 5}, 40) >= 0.9


def test_without_the_effective_number_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sabotage: the variance of the heavy rows alone, for as many rows as there are."""
    monkeypatch.setattr(Both, "held", lambda self, variance, *rest: variance)
    monkeypatch.setattr(Weighed, "n", property(lambda self: float((self.shares > 0).sum())))
    monkeypatch.setattr(tuning, "_PSEUDO_ROWS", 0.0)
    assert hits({1: 95, 100: 5}, 40) < 0.8


def test_heavy_rows_without_an_error_do_not_make_an_interval_narrow() -> None:
    rows = sample(np.random.default_rng(4), {1: 180, 60: 20})
    heavy = rows["gold_weights"] == 60
    # Judge and model are right on every heavy row with a gold label.
    rows["judge"] = np.where(heavy, rows["gold"], rows["judge"]).astype(int)
    prob = rows["y_prob"]
    rows["y_prob"] = np.where(heavy & ((prob > 0.5) != (rows["gold"] == 1)), 1.0 - prob, prob)
    report = karat.evaluate(**grouped(rows), metrics=METRICS)
    few = 1.0 / float(np.sum((np.r_[np.ones(180), np.full(20, 60.0)] / 1380.0) ** 2))
    for name in ("accuracy", "f1", "kappa"):
        one = report[name]
        assert one.n_effective < 4.0 * few, name
        width = one.high - one.low
        assert width > 0.4 * (one.gold_high - one.gold_low), name


def test_equal_weights_change_nothing() -> None:
    rows = sample(np.random.default_rng(5), {8: 100})
    again = {**rows, "gold_weights": np.where(np.isfinite(rows["gold_weights"]), 3.5, np.nan)}
    a, b = (karat.evaluate(**grouped(one), metrics=METRICS) for one in (rows, again))
    for name in METRICS:
        for which in ("value", "low", "high", "judge_weight", "n_effective"):
            assert_same(getattr(a[name], which), getattr(b[name], which), within=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_the_interval_grows_as_one_row_gets_heavier(name: str) -> None:
    rows = sample(np.random.default_rng(6), {8: 100})
    first = int(np.flatnonzero(np.isfinite(rows["gold_weights"]))[0])
    widths = []
    for weight in (8.0, 80.0, 320.0):
        gold_weights = rows["gold_weights"].copy()
        gold_weights[first] = weight
        one = karat.evaluate(**grouped({**rows, "gold_weights": gold_weights}), metrics=[name])[
            name
        ]
        widths.append(one.high - one.low)
    assert widths[0] < widths[1] < widths[2]


def test_a_variance_is_that_of_equal_rows_where_weights_say_nothing() -> None:
    values = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    even, uneven = Weighed.of(np.ones(6)), Weighed.of(np.array([1.0, 1, 2, 2, 7, 7]))
    assert_same(even.plain_variance(values), 0.25 / 6, within=1e-12)
    assert_same(uneven.plain_variance(values), 0.25 * 108 / 400, within=1e-12)
    assert_same(uneven.n, 400 / 108, within=1e-12)
    # Cells of equal rows are those rows.
    cells = Weighed.of(np.array([20.0, 40.0]), np.array([100.0, 400.0]))
    singles = Weighed.of(np.r_[np.full(4, 5.0), np.full(4, 10.0)])
    own = np.array([1.0, 3.0])
    assert_same(cells.plain_variance(own), singles.plain_variance(own.repeat(4)), within=1e-12)


def test_weights_of_gold_rows_that_stand_for_clusters() -> None:
    rng = np.random.default_rng(7)
    rows = sample(rng, {4: 60, 40: 6})
    clusters = rng.integers(0, 120, len(rows["gold"]))
    one = karat.evaluate(**grouped(rows), clusters=clusters, metrics="accuracy")["accuracy"]
    free = karat.evaluate(**grouped(rows), metrics="accuracy")["accuracy"]
    assert_same(one.value, free.value, within=0.05)
    assert 0.8 < (one.high - one.low) / (free.high - free.low) < 2.0


def test_few_effective_rows_have_a_caution_and_one_row_is_refused() -> None:
    rows = sample(np.random.default_rng(8), {1: 60, 40: 3})
    report = karat.evaluate(**grouped(rows), metrics="accuracy")
    assert any("count as 7: intervals depend on few rows" in one for one in report.warnings)
    gold_weights = rows["gold_weights"].copy()
    gold_weights[0] = 3000.0
    with pytest.raises(karat.InputError, match="K259") as raised:
        karat.evaluate(**grouped({**rows, "gold_weights": gold_weights}), metrics="accuracy")
    assert "Row 0 has 94.4 % of the weight of 63 gold rows" in str(raised.value)
    models = {"a": rows["y_prob"], "b": rows["y_prob"][::-1]}
    with pytest.raises(karat.InputError, match="K259"):
        karat.compare(
            **grouped({**rows, "y_prob": models, "gold_weights": gold_weights}, ("adjust",))
        )


def test_differences_rest_on_the_effective_number(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sample(np.random.default_rng(9), {1: 190, 100: 10})
    prob: npt.NDArray[np.float64] = rows.pop("y_prob")
    heavy = rows["gold_weights"] == 100
    # Systems differ on rows that stand for themselves, not on heavy ones with a gold label.
    other = np.where(heavy, prob, np.clip(prob + 0.3, 0.0, 1.0))
    given = {**rows, "y_prob": {"a": prob, "b": other}, "metrics": "accuracy"}
    found = karat.compare(**grouped(given, ("adjust",)))["accuracy"]
    monkeypatch.setattr(Both, "held", lambda self, variance, *rest: variance)
    bare = karat.compare(**grouped(given, ("adjust",)))["accuracy"]
    assert found.low is not None
    assert found.high is not None
    assert bare.low is not None
    assert bare.high is not None
    assert found.high - found.low > 1.5 * (bare.high - bare.low)


def test_rows_of_one_gold_label_each_count_once_in_both_means() -> None:
    rows = sample(np.random.default_rng(10), {2: 50, 10: 50})
    gold_weights = rows["gold_weights"][np.isfinite(rows["gold_weights"])]
    own = Weighed.of(gold_weights, None, np.arange(100))
    both = Both(own, Weighed.of(np.ones(600), None, np.arange(600)))
    values = np.random.default_rng(11).normal(size=100)
    design = float((own.moves(values) ** 2).sum())
    held = both.held(design, values)
    assert design <= held
    assert held <= max(design, own.plain_variance(values))
    even = replace(both, gold=Weighed.of(np.ones(100), None, np.arange(100)))
    assert even.held(design, values) == design


def test_a_report_states_what_is_weighted() -> None:
    rows = sample(np.random.default_rng(12), {2: 80, 5: 60})
    text = " ".join(karat.evaluate(**grouped(rows)).text().split())
    assert "Confusion of the judge sums of weights" in text
    assert "also in the quality and the confusion matrix of the judge." in text
    plain = {**rows, "gold_weights": None, "gold_is_random": True}
    weighted = " ".join(
        karat.evaluate(**grouped(plain), weights=np.arange(460) % 3 + 1).text().split()
    )
    assert "The quality and the confusion matrix of the judge are weighted." in weighted
    text = " ".join(karat.evaluate(**grouped(plain)).text().split())
    assert "weights" not in text
    assert "times the difference" in text
