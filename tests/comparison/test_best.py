"""The best of several models: its corrected value and its limits, and where there are none."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

import karat
from karat.errors import KaratError
from karat.inference.comparison.best import Contest as BestContest
from karat.inference.comparison.best import excess_of_best, normal_draws, tail_of_best
from karat.inference.comparison.contrasts import Paired
from karat.inference.comparison.records import BestModel, ModelValue
from tests.comparison.data import drawn
from tests.inference.delong import area_error

Floats = npt.NDArray[np.float64]
FEW_DRAWS = 1000


def correlated(m: int, together: float) -> Floats:
    """The covariance of m values with variance 1."""
    return np.full((m, m), together) + (1.0 - together) * np.eye(m)


def chosen(
    true: Floats, covariance: Floats, n: int, seed: int
) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Errors of the largest of the values, as measured and corrected, and whether limits hold."""
    rng = np.random.default_rng(seed)
    errors = rng.multivariate_normal(np.zeros(len(true)), covariance, n)
    draws = normal_draws(covariance, seed + 1, FEW_DRAWS)
    measured, corrected, is_held = np.zeros(n), np.zeros(n), np.zeros(n, bool)
    for i, error in enumerate(errors):
        values = true + error
        best = int(np.argmax(values))
        measured[i] = error[best]
        corrected[i] = error[best] - excess_of_best(values, draws)
        below = -float(quantile(tail_of_best(values, covariance, draws, 0.95)))
        is_held[i] = -1.96 <= error[best] <= below
    return measured - errors.mean(axis=1), corrected - errors.mean(axis=1), is_held


def quantile(tail: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(tail))


@pytest.mark.parametrize(("m", "together"), [(2, 0.0), (5, 0.0), (5, 0.6), (10, 0.3)])
def test_equal_models_are_corrected_by_what_the_choice_adds(m: int, together: float) -> None:
    measured, corrected, is_held = chosen(np.zeros(m), correlated(m, together), 2000, 3)
    bias = measured.mean()
    assert bias > 0.3
    # ±3 standard errors of the simulation are 5 % of the bias of two models, 3 % of that of ten.
    assert abs(corrected.mean()) < 0.1 * bias
    assert 0.935 <= is_held.mean() <= 0.97


def test_the_interval_as_measured_misses_equal_models() -> None:
    # What the correction is for: without it the same check fails.
    measured, _, _ = chosen(np.zeros(10), correlated(10, 0.0), 1000, 4)
    assert abs(measured.mean()) > 1.4
    assert (np.abs(measured) <= 1.96).mean() < 0.85


def test_without_its_factor_the_correction_is_too_small() -> None:
    rng = np.random.default_rng(5)
    covariance = correlated(5, 0.0)
    draws = normal_draws(covariance, 6, FEW_DRAWS)
    values = rng.standard_normal((2000, 5))
    bias = float(values.max(axis=1).mean())
    found = float(np.mean([excess_of_best(row, draws) for row in values]))
    assert found == pytest.approx(bias, rel=0.06)
    assert found / math.sqrt(1.5) < 0.9 * bias


@pytest.mark.parametrize("gap", [1.0, 2.0, 3.0, 5.0])
def test_a_better_model_is_corrected_by_little_too_much(gap: float) -> None:
    covariance = correlated(5, 0.5)
    true = np.array([gap, 0.0, 0.0, 0.0, 0.0])  # the difference of two values varies by 1
    measured, corrected, is_held = chosen(true, covariance, 2000, 7)
    assert -0.2 < corrected.mean() < 0.1
    assert is_held.mean() >= 0.935
    if gap == 5.0:
        assert abs(corrected.mean() - measured.mean()) < 0.01


def test_a_clear_best_keeps_its_value_and_its_limits() -> None:
    covariance = correlated(4, 0.2)
    draws = normal_draws(covariance, 0)
    values = np.array([12.0, 1.0, 0.0, 0.0])
    assert abs(excess_of_best(values, draws)) < 1e-12
    assert tail_of_best(values, covariance, draws, 0.95) == pytest.approx(0.025, rel=1e-3)


def test_two_models_keep_their_limits() -> None:
    # The larger of two equal values is too small as rarely as it is too large more often.
    covariance = correlated(2, 0.0)
    draws = normal_draws(covariance, 0)
    tail = tail_of_best(np.zeros(2), covariance, draws, 0.95)
    assert tail == pytest.approx(0.025, abs=1e-3)
    of_ten = correlated(10, 0.0)
    least = tail_of_best(np.zeros(10), of_ten, normal_draws(of_ten, 0), 0.95)
    assert least == pytest.approx(1.0 - 0.95 ** (1 / 10), abs=5e-4)


def test_draws_have_the_covariance_and_no_mean() -> None:
    covariance = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 0.5], [0.0, 0.5, 3.0]])
    found = normal_draws(covariance, 1)
    assert found.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
    assert np.cov(found.T) == pytest.approx(covariance, abs=0.07)
    assert (normal_draws(covariance, 1) == found).all()
    assert not (normal_draws(covariance, 2) == found).any()
    same = normal_draws(np.ones((3, 3)), 1)
    assert same[:, 1] == pytest.approx(same[:, 0], abs=1e-7)


def test_many_models_take_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    true, said = drawn(2, 200, (0.3,) * 30, k=2, together=0.3)
    models = {f"model {i}": one for i, one in enumerate(said)}
    best = [karat.compare(true, models, metrics="accuracy", baseline="model 0").best("accuracy")]
    monkeypatch.setattr("karat.inference.comparison.best._MOST_NUMBERS", 30 * 1000)
    best.append(
        karat.compare(true, models, metrics="accuracy", baseline="model 0").best("accuracy")
    )
    assert best[0].corrected != best[1].corrected
    assert best[0].corrected == pytest.approx(best[1].corrected, abs=0.004)


TRUE, SAID = drawn(1, 300, (0.2,) * 5, k=3)
MODELS = dict(zip("abcde", SAID, strict=True))


def scores(n: int, m: int, seed: int = 0) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.4).astype(int)
    both = rng.normal(size=n)
    said = {"abcde"[i]: true + 0.8 * both + 0.6 * rng.normal(size=n) for i in range(m)}
    return true, said


def contest(found: karat.Comparison, metric: str) -> Any:
    return found.best_models.contests[metric]


def test_the_covariance_is_that_of_the_values() -> None:
    found = karat.compare(TRUE, MODELS, metrics=["accuracy", "macro_f1"], baseline="c")
    is_right = np.array([said == TRUE for said in SAID], np.float64)
    expected = np.cov(is_right, ddof=0) / len(TRUE)
    assert contest(found, "accuracy").covariance == pytest.approx(expected, rel=1e-9, abs=1e-15)
    for name, said in MODELS.items():
        i = list(MODELS).index(name)
        error = karat.evaluate(TRUE, said)["macro_f1"].standard_error
        covariance = contest(found, "macro_f1").covariance
        assert math.sqrt(covariance[i, i]) == pytest.approx(error, rel=1e-9)
    apart = karat.compare(TRUE, MODELS, metrics="accuracy", paired=False)
    diagonal = contest(apart, "accuracy").covariance
    assert diagonal == pytest.approx(np.diag(np.diag(expected)), rel=1e-9, abs=1e-15)


def test_the_covariance_of_scores_is_that_of_their_areas() -> None:
    true, said = scores(200, 4)
    found = karat.compare(true, y_score=said, metrics="roc_auc", positive=1)
    covariance = contest(found, "roc_auc").covariance
    n, m = int(true.sum()), int((1 - true).sum())
    places = {
        name: (
            np.array([np.mean(x > s[true == 0]) for x in s[true == 1]]),
            np.array([np.mean(s[true == 1] > x) for x in s[true == 0]]),
        )
        for name, s in said.items()
    }
    of_positive, of_rest = (np.cov([each[i] for each in places.values()]) for i in (0, 1))
    assert covariance == pytest.approx(of_positive / n + of_rest / m, rel=1e-9)
    assert math.sqrt(covariance[0, 0]) == pytest.approx(area_error(true == 1, said["a"]), rel=2e-2)


def test_rows_of_a_cluster_count_together() -> None:
    plain = karat.compare(TRUE, MODELS, metrics=["accuracy"])
    twice = [np.repeat(x, 3) for x in (TRUE, *SAID)]
    models = dict(zip("abcde", twice[1:], strict=True))
    groups = np.repeat(np.arange(len(TRUE)), 3)
    found = karat.compare(twice[0], models, clusters=groups, metrics=["accuracy"])
    one, other = (contest(x, "accuracy").covariance for x in (plain, found))
    assert other == pytest.approx(one * len(TRUE) / (len(TRUE) - 1), rel=1e-9, abs=1e-15)
    weights = karat.compare(
        TRUE, MODELS, metrics=["accuracy"], weights=karat.Frequency(np.full(len(TRUE), 3))
    )
    written_out = karat.compare(twice[0], models, metrics=["accuracy"])
    assert weights.best("accuracy") == written_out.best("accuracy")


def test_a_corrected_value_lies_inside_limits_that_hold_those_as_measured() -> None:
    true, said = scores(300, 5)
    probabilities = {name: 1 / (1 + np.exp(-x)) for name, x in said.items()}
    for found in (
        karat.compare(TRUE, MODELS),
        karat.compare(true, y_prob=probabilities, metrics=["roc_auc", "log_loss", "brier"]),
    ):
        for metric in found.metrics:
            best = found.best(metric)
            values = {name: one.value for name, one in found.values[metric].items()}
            is_loss = karat.metrics.get(metric).better == "lower"
            assert best.model == (min if is_loss else max)(values, key=values.__getitem__)
            plain = found.values[metric][best.model]
            assert best.value == plain.value
            assert best.corrected is not None
            assert best.low is not None
            assert best.high is not None
            if is_loss:
                assert best.value < best.corrected < best.high
                assert best.low == plain.low
                assert plain.high is not None
                assert best.high > plain.high
            else:
                assert best.low < best.corrected < best.value
                assert best.high == plain.high
                assert plain.low is not None
                assert best.low < plain.low


def test_a_loss_is_the_mirror_of_its_gain() -> None:
    found = karat.compare(TRUE, MODELS, metrics=["accuracy", "error_rate"])
    gain, loss = found.best("accuracy"), found.best("error_rate")
    assert gain.model == loss.model
    for one, other in ((gain.corrected, loss.corrected), (gain.low, loss.high)):
        assert one is not None
        assert other is not None
        assert 1.0 - other == pytest.approx(one, abs=1e-12)


def test_equal_models_of_rows_are_corrected_and_covered() -> None:
    rng = np.random.default_rng(8)
    n, errors, held = 100, [], []
    for _ in range(n):
        true, said = drawn(rng, 250, (0.2,) * 5, k=2, together=0.4)
        found = karat.compare(true, dict(zip("abcde", said, strict=True)), metrics="accuracy")
        best = found.best("accuracy")
        common = float(np.mean([one.value for one in found.values["accuracy"].values()])) - 0.8
        assert best.corrected is not None
        assert best.low is not None
        assert best.high is not None
        errors.append((best.value - 0.8 - common, best.corrected - 0.8 - common))
        held.append(best.low <= 0.8 <= best.high)
    bias, corrected = np.mean(errors, axis=0)
    assert bias > 0.015
    assert abs(corrected) < 0.3 * bias
    assert np.mean(held) >= 0.9


def test_models_that_say_the_same_are_not_corrected() -> None:
    found = karat.compare(TRUE, dict.fromkeys("abc", SAID[0]), metrics=["macro_f1"])
    best, plain = found.best("macro_f1"), found.values["macro_f1"]["a"]
    assert best.corrected == pytest.approx(plain.value, abs=1e-6)
    assert [best.low, best.high] == pytest.approx([plain.low, plain.high], abs=1e-4)
    assert best.remark == "'b', 'c' gave the same value"


def without_variance() -> tuple[karat.Comparison, str]:
    true, said = scores(100, 3)
    return karat.compare(true, y_score=said, metrics=["ks_statistic"]), "ks_statistic"


def one_undefined() -> tuple[karat.Comparison, str]:
    models = {"a": [0, 1, 0, 1], "b": [0, 0, 0, 0], "c": [0, 1, 1, 1]}
    found = karat.compare([0, 1, 1, 0], models, metrics="diagnostic_odds_ratio")
    return found, "diagnostic_odds_ratio"


def never_wrong() -> tuple[karat.Comparison, str]:
    found = karat.compare(TRUE, {**MODELS, "right": TRUE}, metrics="macro_f1")
    return found, "macro_f1"


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (without_variance, "it has no influence function"),
        (one_undefined, "is undefined or infinite"),
        (never_wrong, "the value of right has no variance"),
    ],
)
def test_where_nothing_can_be_corrected_the_reason_is_given(
    made: Callable[[], tuple[karat.Comparison, str]], reason: str
) -> None:
    found, metric = made()
    best = found.best(metric)
    assert (best.corrected, best.low, best.high, best.method) == (None, None, None, None)
    assert best.remark is not None
    assert reason in best.remark
    assert best.remark in str(best)
    assert best.model is not None
    # Where the differences have a reason of their own, a text has that one alone.
    reasons = {one.remark for one in found.differences if one.remark} or {best.remark}
    text = " ".join(found.text(200).split())
    assert all(f"{metric}: {reason}" in text for reason in reasons)


def test_a_metric_without_a_better_direction_has_no_best() -> None:
    found = karat.compare(TRUE, MODELS, metrics=[NEUTRAL])
    best = found.best(NEUTRAL)
    assert best.model is None
    assert math.isnan(best.value)
    assert str(best).endswith("none, neither direction of the metric is better")
    assert "Best of" not in found.text()


NEUTRAL = "macro_prevalence"


def test_what_was_not_compared_is_refused() -> None:
    found = karat.compare(TRUE, MODELS, metrics="accuracy")
    with pytest.raises(KaratError, match="K168"):
        found.best("macro_f1")
    with pytest.raises(KaratError, match="K301"):
        found.best("accuracies")


def test_it_is_computed_when_it_is_read_and_only_once() -> None:
    found = karat.compare(TRUE, MODELS, metrics=["accuracy", "mcc"])
    assert not found.best_models._found
    assert found.best("mcc") is found.best("matthews_correlation")
    assert list(found.best_models._found) == ["matthews_correlation"]


def test_the_seed_decides() -> None:
    one, same, other = (
        karat.compare(TRUE, MODELS, interval=karat.Interval(seed=seed)).to_dict()
        for seed in (0, 0, 1)
    )
    assert one["best"] == same["best"]
    assert one["best"] != other["best"]
    for metric, best in one["best"].items():
        assert best["corrected"] == pytest.approx(other["best"][metric]["corrected"], abs=1e-3)


def test_it_is_written_of_three_models_and_known_of_two() -> None:
    found = karat.compare(TRUE, MODELS, metrics=["mcc", "macro_f1"])
    written = json.loads(found.to_json())["best"]
    assert {name: BestModel(**one) for name, one in written.items()} == found.best_of_several
    assert pickle.loads(pickle.dumps(found)).best_of_several == found.best_of_several
    two = karat.compare(TRUE, {"a": SAID[0], "b": SAID[1]}, metrics="accuracy")
    assert two.to_dict()["best"] == {}
    assert "Best of" not in two.text()
    assert two.best("accuracy").corrected is not None


def test_every_form_shows_it() -> None:
    found = karat.compare(TRUE, MODELS, metrics=["accuracy"])
    best = found.best("accuracy")
    corrected = karat.errors.text.value(best.corrected)
    assert str(best).startswith(f"Best of 5 by accuracy: {best.model} ")
    assert "best: corrected for selection" in found.text(80)
    for form in (found.to_html(), found.to_markdown(), found.to_latex()):
        assert "Best of 5, corrected for selection" in form
        assert corrected in form
    for width in (40, 80):
        assert corrected in found.text(width)
        assert max(map(len, found.text(width).splitlines())) <= width


@pytest.mark.parametrize(
    ("name", "value", "errors_below", "errors_above"),
    [("accuracy", 0.6, 2.568, 1.96), ("accuracy", 0.04, 2.0, 1.96), ("log_loss", 0.6, 1.96, 2.568)],
)
def test_limits_that_are_known_at_one_level_alone_are_stretched(
    name: str, value: float, errors_below: float, errors_above: float
) -> None:
    # Of ten equal models the largest error is below 2.568 standard errors in 95 of 100 samples.
    assert special.ndtri(0.95**0.1) == pytest.approx(2.568, abs=1e-3)
    error, half = 0.02, 1.96 * 0.02
    one = BestContest(
        karat.metrics.get(name),
        tuple("abcdefghij"),
        np.full(10, value),
        error**2 * np.eye(10),
        0,
        ModelValue(value, max(value - half, 0.0), value + half),
    )
    found = one.outcome(0.95, 0)
    assert found.low == pytest.approx(value - errors_below * error, abs=5e-4)
    assert found.high == pytest.approx(value + errors_above * error, abs=5e-4)


def test_headings_and_tables_have_the_same_names() -> None:
    models = {f"model_with_a_long_name_{name}": said for name, said in MODELS.items()}
    text = karat.compare(TRUE, models, metrics=["accuracy", "mcc"]).text(110)
    head, *rows = [line.split() for line in text.partition("\nValues")[2].splitlines()[1:4]]
    assert [row[0] for row in rows] == ["accuracy", "matthews_correlation"]
    # The facts have the names in full, in the order of the columns.
    assert ", ".join(models) in " ".join(text.split())
    assert "\nNames\n" not in text
    shorts = head[1 : 1 + len(models)]
    for short, full in zip(shorts, models, strict=True):
        assert "…" in short
        assert re.fullmatch(".+".join(map(re.escape, short.split("…"))), full)
    assert {row[head.index("best")] for row in rows} <= set(shorts)
    heads = text.partition("\nVerdicts")[2].splitlines()[1].split()
    assert {name for name in heads if "…" in name} <= set(shorts)


def test_a_value_below_every_measured_one_is_explained() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    is_said = []
    for _ in range(12):
        models = {name: np.where(rng.random(200) < 0.8, y, 1 - y) for name in "abc"}
        for metric in ("accuracy", "error_rate"):
            found = karat.compare(y, models, metrics=[metric])
            best = found.best(metric)
            values = [one.value for one in found.values[metric].values()]
            assert best.corrected is not None
            sign = 1 if metric == "accuracy" else -1
            is_worse = sign * best.corrected < min(sign * value for value in values)
            assert ("worse than every measured one" in (best.remark or "")) is is_worse
            assert ("worse than every measured one" in str(best)) is is_worse
            is_said.append(is_worse)
    assert 0 < sum(is_said) < len(is_said)


def test_a_value_that_does_not_vary_goes_with_no_other() -> None:
    # What few clusters do not show is added to the variances of the judge's models alone.
    own, covariance = np.array([0.1, 0.0, 0.2]), np.array([[0.1, 0.1], [0.1, 0.15]])
    spread = Paired({}, covariance - [[0.0, 0.02], [0.02, 0.0]], math.inf, own=own)
    values = spread.covariance_of_values()
    assert values is not None
    assert np.diag(values) == pytest.approx(own)
    assert not values[1].any()
    assert not values[:, 1].any()


def test_models_with_a_judge_have_a_best_beside_one_that_does_not_vary() -> None:
    rng = np.random.default_rng(66)
    true = rng.integers(0, 2, 24)
    gold = [int(y) if i % 2 else None for i, y in enumerate(true)]
    models = {
        "old": np.where(rng.random(24) < 0.9, true, 1 - true),
        "still": np.zeros(24, int),
        "new": np.where(rng.random(24) < 0.8, true, 1 - true),
    }
    compared = karat.compare(
        gold,
        models,
        design=karat.Judge(true, is_random=True),
        weights=rng.random(24) + 0.05,
        clusters=rng.integers(0, 5, 24),
        metrics=["kappa"],
    )
    best = compared.best("kappa")
    assert best.low is not None
    assert best.high is not None
    assert best.low <= best.corrected <= best.high
