"""Models whose values do not vary in the sample: no row shows it, and nothing is certain."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.inference.comparison.families import wald
from karat.inference.comparison.judging import root
from tests.comparison.data import drawn

NAMES = ["kappa", "informedness", "balanced_accuracy", "normalized_mutual_information"]
TRUE = np.arange(100) % 2
NEVER, ALWAYS = np.zeros(100, int), np.ones(100, int)


@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize("other", [NEVER, ALWAYS], ids=["the same", "the other class"])
@pytest.mark.parametrize("name", NAMES)
def test_constant_predictions_are_not_equal_for_sure(
    name: str, other: np.ndarray, is_paired: bool
) -> None:
    found = karat.compare(
        TRUE, {"one": NEVER, "two": other.copy()}, metrics=name, margin=1e-6, paired=is_paired
    )[name]
    assert found.difference == 0.0
    assert found.p == 1.0
    assert found.low is not None
    assert found.high is not None
    assert found.low < -1e-3
    assert found.high > 1e-3
    assert found.remark
    is_same = is_paired and other is NEVER
    assert found.verdict == ("identical" if is_same else "inconclusive")


@pytest.mark.parametrize("is_paired", [True, False])
def test_an_undefined_value_is_not_compared(is_paired: bool) -> None:
    models = {"one": NEVER, "two": TRUE}
    for name in ("matthews_correlation", "precision", "macro_precision"):
        found = karat.compare(TRUE, models, metrics=name, paired=is_paired)[name]
        is_average = name == "macro_precision"
        assert math.isnan(found.difference) is not is_average
        assert (found.p is None) is not is_average
        assert (found.verdict == "not tested") is not is_average
        assert str(found.remark).startswith("undefined for one (") is not is_average


def test_limits_of_constant_predictions_are_those_of_both_values() -> None:
    found = karat.compare(TRUE, {"one": NEVER, "two": NEVER.copy()}, metrics="kappa", margin=0.05)
    one, two = (found.values["kappa"][name] for name in ("one", "two"))
    difference = found["kappa"]
    assert one.low is not None
    assert two.high is not None
    assert difference.low == pytest.approx(-math.hypot(two.low or 0.0, one.high or 0.0))
    assert difference.high == pytest.approx(math.hypot(two.high, one.low))


def test_models_alike_on_every_row_are_known_as_well_as_their_number_says() -> None:
    # A table with limits as far below as above: what is combined of them alone is nothing.
    true, said = np.repeat([0, 1, 0, 1], 25), np.repeat([0, 0, 1, 1], 25)
    found = karat.compare(true, {"one": said, "two": said.copy()}, metrics=["kappa", "accuracy"])
    kappa, accuracy = found["kappa"], found["accuracy"]
    assert accuracy.high is not None
    assert kappa.high is not None
    assert kappa.low == pytest.approx(-kappa.high)
    # Of equally many rows of both classes kappa is twice the accuracy, less 1.
    assert kappa.high == pytest.approx(2 * accuracy.high, rel=0.05)
    near = karat.compare(true, {"one": said, "two": said.copy()}, metrics="kappa", margin=0.1)
    tight = karat.compare(true, {"one": said, "two": said.copy()}, metrics="kappa", margin=0.01)
    assert near["kappa"].verdict == "equivalent"
    assert tight["kappa"].verdict == "identical"


def scores() -> dict[str, np.ndarray]:
    return {
        "sure": np.where(TRUE == 1, 0.9, 0.1),
        "surer": np.where(TRUE == 1, 0.97, 0.2),
        "flat": np.full(100, 0.3),
        "even": np.full(100, 0.5),
    }


@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize("pair", [("sure", "surer"), ("flat", "even"), ("sure", "sure")])
def test_areas_that_do_not_vary_are_not_equal_for_sure(
    pair: tuple[str, str], is_paired: bool
) -> None:
    models = {f"{i}": scores()[name] for i, name in enumerate(pair)}
    found = karat.compare(TRUE, y_prob=models, metrics="roc_auc", margin=1e-4, paired=is_paired)[
        "roc_auc"
    ]
    assert found.difference == 0.0
    assert found.p == 1.0
    assert found.low is not None
    assert found.low < -0.01
    assert found.verdict == "inconclusive"
    assert found.remark


def test_a_difference_that_no_row_moves_is_as_sure_as_so_many_rows_make_it() -> None:
    models = {name: scores()[name] for name in ("sure", "even")}
    for is_paired in (True, False):
        found = karat.compare(TRUE, y_prob=models, metrics=["roc_auc", "brier"], paired=is_paired)
        for one in found:
            assert one.p is not None
            assert 0.0 < one.p < 1e-4
            assert one.low is not None
            assert one.high is not None
            assert one.high - one.low > 0.05


def test_without_limits_of_the_values_there_are_none_of_a_difference_that_nothing_moves() -> None:
    models = {"one": scores()["sure"], "two": 1.0 - scores()["sure"][::-1]}
    found = karat.compare(TRUE, y_prob=models, metrics="log_loss", margin=0.5)["log_loss"]
    assert (found.difference, found.p, found.low) == (0.0, 1.0, None)
    assert found.verdict == "inconclusive"
    assert found.remark is not None
    assert "no interval" in found.remark


# The test of all models at once


@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize("name", ["accuracy", "kappa", "macro_f1"])
def test_models_without_a_mistake_are_equally_good(name: str, is_paired: bool) -> None:
    models = {"one": TRUE, "two": TRUE.copy(), "three": TRUE.copy()}
    test = karat.compare(TRUE, models, metrics=name, paired=is_paired).omnibus[name]
    assert (test.statistic, test.p) == (0.0, 1.0)


@pytest.mark.parametrize("is_paired", [True, False])
def test_a_model_that_is_always_wrong_is_found_beside_those_that_are_always_right(
    is_paired: bool,
) -> None:
    models = {"one": TRUE, "two": TRUE.copy(), "wrong": 1 - TRUE}
    test = karat.compare(TRUE, models, metrics="accuracy", paired=is_paired).omnibus["accuracy"]
    assert 0.0 < test.p < 1e-6


def test_few_rows_without_a_mistake_do_not_show_that_a_model_is_better() -> None:
    true = {"one": [0, 1, 0], "two": [0, 1, 1], "three": np.arange(200) % 2}
    wrong = np.arange(200) % 2
    wrong[:30] = 1 - wrong[:30]
    said = {"one": [0, 1, 0], "two": [0, 1, 1], "three": wrong}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        test = karat.compare(true, said, metrics="accuracy").omnibus["accuracy"]
    # 3 of 3 twice beside 170 of 200: Fisher's p-value of either is 1.
    assert test.p > 0.3


def test_the_test_counts_a_difference_that_nothing_moves_as_its_rows_do() -> None:
    statistic, df, p = wald(np.array([0.5, 0.5]), np.zeros((2, 2)), np.inf, n_rows=40)
    assert (statistic, df) == (pytest.approx(40.0), 1)
    assert 0.0 < p < 1e-6


def test_a_gate_passes_the_same_scores_though_no_row_shows_how_much_their_loss_varies() -> None:
    found = karat.gate(
        TRUE, y_prob=scores()["sure"], baseline=scores()["sure"], max_drop={"log_loss": 0.1}
    )
    assert found.passed
    assert found.rules[0].reason == "both predict the same on every row"


def test_one_row_in_one_cluster_is_told_in_the_singular() -> None:
    with pytest.raises(karat.InputError, match="1 row has the same value of clusters") as caught:
        karat.evaluate([1], [1], clusters=["ann"], labels=[0, 1])
    assert caught.value.code == "K145"


@pytest.mark.parametrize("end", [4.0, 16.0, 40.0])
def test_a_root_is_found_where_the_far_end_lies_deep_or_is_infinite(end: float) -> None:
    # At 16 the function is −3·10¹¹¹, at 40 −∞: a line between both ends stays at the near one.
    def falls(x: float) -> float:
        return 10.0 - (math.exp(x * x) if x < 26.0 else math.inf)

    assert root(falls, end) == pytest.approx(math.sqrt(math.log(10.0)), abs=1e-6)
    assert root(falls, end, near=1.4) == pytest.approx(math.sqrt(math.log(10.0)), abs=1e-6)


def test_a_root_of_a_line_takes_one_step() -> None:
    asked = []

    def falls(x: float) -> float:
        asked.append(x)
        return 1e-9 - x

    assert root(falls, 16.0) == pytest.approx(1e-9, rel=1e-6)
    assert len(asked) <= 5


@pytest.mark.parametrize("given", [{"clusters": np.arange(120) // 2}, {"paired": False},
                                   {"weights": 1.0 + np.arange(120) % 3}])  # fmt: skip
def test_values_without_an_end_have_limits_and_p_that_agree(given: dict[str, Any]) -> None:
    # Many standard errors away an odds ratio has no upper limit.
    name = "macro_diagnostic_odds_ratio"
    n_different = 0
    for seed in range(3):
        true, (one, two) = drawn(seed, 120, (0.4, 0.2), k=3)
        found = karat.compare(true, {"a": one, "b": two}, metrics=name, margin=50.0, **given)[name]
        assert found.p is not None
        assert found.low is not None
        assert found.high is not None
        n_different += found.p < 0.05
        assert (found.low > 0.0 or found.high < 0.0) == (found.p < 0.05)
        assert found.p_equivalent is not None
    assert n_different > 0


def test_values_without_a_limit_give_a_difference_without_one() -> None:
    true = np.array([[0, 0, 1], [0, 1, 0]])
    old, new = np.array([[1, 0, 1], [0, 1, 1]]), np.array([[1, 0, 0], [1, 1, 1]])
    metric = "samples_positive_likelihood_ratio"
    one = karat.compare(true, {"old": old, "new": new}, metrics=[metric])[metric]
    assert one.difference == -1.5
    assert one.low == -2.0
    assert one.high in (None, np.inf)


def test_rounding_of_weights_is_no_difference() -> None:
    rng = np.random.default_rng(0)
    true = (rng.random((200, 4)) < 0.3).astype(int)
    old, new = (np.where(rng.random(true.shape) < 0.2, 1 - true, true) for _ in range(2))
    names = ["micro_support", "macro_prevalence", "samples_prevalence"]
    weights = rng.random(200)
    found = karat.compare(true, {"old": old, "new": new}, weights=weights, metrics=names)
    for one in found.differences:
        # What depends on the truth alone is the same number for both models.
        assert (one.difference, one.standard_error, one.p) == (0.0, 0.0, 1.0), one
        assert one.verdict == "identical"
