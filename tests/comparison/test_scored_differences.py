"""Differences of metrics of scores: DeLong's variance, the paired t test, what is not known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from tests.optional import optional


def scores(
    seed: int, n: int = 120, ties: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.4).astype(int)
    common = rng.normal(size=n)
    x = true + common + 0.5 * rng.normal(size=n)
    y = 0.7 * true + common + 0.8 * rng.normal(size=n)
    return (true, np.round(x), np.round(y)) if ties else (true, x, y)


def delong(true: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Difference of two areas and its variance (DeLong et al. 1988), pair by pair."""
    own, rest = true == 1, true == 0
    areas, of_own, of_rest = [], [], []
    for s in (x, y):
        wins = (s[own][:, None] > s[rest]) + 0.5 * (s[own][:, None] == s[rest])
        areas.append(wins.mean())
        of_own.append(wins.mean(axis=1))
        of_rest.append(wins.mean(axis=0))
    covariance = np.cov(of_own) / own.sum() + np.cov(of_rest) / rest.sum()
    return areas[0] - areas[1], float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("positive", [0, 1])
def test_two_areas_are_compared_as_delong_does(ties: bool, positive: int) -> None:
    true, x, y = scores(0, ties=ties)
    sign = 1 if positive == 1 else -1
    found = karat.compare(
        true, y_score={"y": sign * y, "x": sign * x}, metrics="roc_auc", positive=positive
    )["roc_auc"]
    difference, variance = delong(true, x, y)
    assert found.difference == pytest.approx(difference)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert found.method == "DeLong"
    # With as many rows the p-value is nearly DeLong's, and never below it.
    z = difference / math.sqrt(variance)
    least = math.erfc(abs(z) / math.sqrt(2))
    assert found.p is not None
    assert least <= found.p < least + 0.03


def likely(true: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Variance of a difference of areas that few rows make likely, and its degrees of freedom."""
    own, rest = true == 1, true == 0
    sides, more = [], []
    for s in (x, y):
        wins = (s[own][:, None] > s[rest]) + 0.5 * (s[own][:, None] == s[rest])
        area = wins.mean()
        exponential = 2 * area**2 / (1 + area) - area**2, area / (2 - area) - area**2
        sides.append((wins.mean(axis=1), wins.mean(axis=0)))
        more.append(
            sum(
                (len(v) * v.var(ddof=1) + 5 * e) / (len(v) + 5) / len(v)
                for v, e in zip(sides[-1], exponential, strict=True)
            )
        )
    parts = [np.var(a - b, ddof=1) / len(a) for a, b in zip(*sides, strict=True)]
    raw = [sum(v.var(ddof=1) / len(v) for v in each) for each in sides]
    goes = (sum(raw) - sum(parts)) / 2 / math.sqrt(raw[0] * raw[1])
    a, b = (max(pair) for pair in zip(raw, more, strict=True))
    df = sum(parts) ** 2 / sum(p**2 / (len(v) - 1) for p, v in zip(parts, sides[0], strict=True))
    return max(sum(parts), a + b - 2 * goes * math.sqrt(a * b)), df


@pytest.mark.parametrize("n", [30, 60, 120])
def test_areas_of_few_rows_are_compared_by_students_t(n: int) -> None:
    scipy_stats = optional("scipy.stats")
    true, x, y = scores(7, n=n)
    found = karat.compare(true, y_score={"y": y, "x": x}, metrics="roc_auc", positive=1)["roc_auc"]
    variance, df = likely(true, x, y)
    t = found.difference / math.sqrt(variance)
    assert found.p == pytest.approx(2 * scipy_stats.t.sf(abs(t), df), rel=1e-9)
    step = scipy_stats.t.ppf(0.975, df) * math.sqrt(variance)
    limits = found.difference - step, found.difference + step
    assert (found.low, found.high) == pytest.approx(limits, rel=1e-9)
    # The control: by the normal distribution and DeLong's variance alone it would be narrower.
    assert found.standard_error is not None
    assert 1.96 * found.standard_error < 0.99 * step


def test_few_rows_of_a_class_are_told() -> None:
    for n_positive, is_told in ((29, True), (30, False)):
        rng = np.random.default_rng(n_positive)
        true = np.repeat([1, 0], [n_positive, 100])
        models = {name: true + rng.normal(size=len(true)) for name in "ab"}
        found = karat.compare(true, y_score=models, metrics="roc_auc", positive=1)["roc_auc"]
        assert (f"the rarest class has {n_positive} rows" in (found.remark or "")) == is_told


def test_equal_areas_of_unequal_spread_are_rarely_called_different() -> None:
    # Scores of 15 positives spread little in one model and much in the other; both have one area.
    wrong, by_normal = 0, 0
    for seed in range(300):
        rng = np.random.default_rng([9, seed])
        true = np.repeat([1, 0], [15, 185])
        models = {
            name: np.where(true == 1, math.hypot(1, s) + s * rng.normal(size=200),
                           rng.normal(size=200))
            for name, s in (("even", 0.35), ("wide", 2.0))
        }  # fmt: skip
        found = karat.compare(true, y_score=models, metrics="roc_auc", positive=1)["roc_auc"]
        assert found.p is not None
        assert found.standard_error is not None
        wrong += found.p < 0.05
        by_normal += abs(found.difference) > 1.96 * found.standard_error
    # 5.7 % and 9.5 % of many samples.
    assert wrong <= 27 < by_normal + 8
    assert wrong < by_normal


def test_a_matrix_of_probabilities_gives_what_one_column_gives() -> None:
    true, x, y = scores(1)
    p, q = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-y))
    one = karat.compare(true, y_prob={"q": q, "p": p})
    two = karat.compare(true, y_prob={"q": np.stack([1 - q, q], 1), "p": np.stack([1 - p, p], 1)})
    assert {"roc_auc", "log_loss", "brier"} <= set(one.metrics)
    for name in one.metrics:
        assert one[name].difference == pytest.approx(two[name].difference, abs=1e-12)
        assert one[name].standard_error == pytest.approx(two[name].standard_error)


def test_losses_have_the_paired_t_test() -> None:
    scipy_stats = optional("scipy.stats")
    true, x, y = scores(2)
    p, q = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-y))
    found = karat.compare(true, y_prob={"q": q, "p": p}, metrics=["log_loss", "brier"])
    for name, losses in (
        ("log_loss", [-np.log(np.where(true == 1, s, 1 - s)) for s in (p, q)]),
        ("brier", [(s - true) ** 2 for s in (p, q)]),
    ):
        expected = scipy_stats.ttest_rel(*losses)
        assert found[name].p == pytest.approx(expected.pvalue)
        low, high = expected.confidence_interval()
        assert (found[name].low, found[name].high) == pytest.approx((low, high))


def test_a_lower_loss_is_better() -> None:
    true, x, _ = scores(3, n=400)
    good, bad = 1 / (1 + np.exp(0.5 - 0.7 * x)), np.full(400, 0.5)
    found = karat.compare(true, y_prob={"bad": bad, "good": good}, metrics="log_loss")["log_loss"]
    assert found.difference < 0
    assert found.verdict == "better"


def test_labels_of_one_model_and_probabilities_of_another_share_metrics_of_labels() -> None:
    true, x, y = scores(4)
    p = 1 / (1 + np.exp(-x))
    labels = (y > 0.5).astype(int)
    found = karat.compare(true, {"labels": labels}, y_prob={"probabilities": p})
    assert "roc_auc" not in found.metrics
    again = karat.compare(true, {"labels": labels, "probabilities": (p > 0.5).astype(int)})
    assert found["accuracy"].difference == pytest.approx(again["accuracy"].difference)
    decided = karat.compare(true, {"p": 1 - labels}, y_prob={"p": p, "q": p}, metrics="accuracy")
    assert decided["accuracy", "p", "q"].value_a == pytest.approx((1 - labels == true).mean())


def test_a_metric_without_influence_says_so() -> None:
    true, x, y = scores(5)
    found = karat.compare(true, y_score={"x": x, "y": y}, metrics=["ks_statistic", "roc_auc"])
    one = found["ks_statistic"]
    assert math.isfinite(one.difference)
    assert (one.p, one.low, one.standard_error, one.verdict) == (None, None, None, "not tested")
    assert one.remark is not None
    assert "no influence function" in one.remark
    assert "null" in found.to_json()


def test_an_infinite_loss_is_a_value_without_a_difference() -> None:
    found = karat.compare([0, 1, 1, 0], y_prob={"a": [0.2, 0.0, 0.7, 0.4], "b": [0.5] * 4},
                          metrics="log_loss")  # fmt: skip
    assert math.isnan(found["log_loss"].difference)
    assert math.isinf(found.values["log_loss"]["a"].value)
    assert found["log_loss"].p is None
    assert "Infinity" not in found.to_json()


def test_scores_on_different_rows_add_their_variances() -> None:
    true, x, y = scores(6, n=300)
    found = karat.compare(
        {"x": true[:160], "y": true[160:]}, y_score={"x": x[:160], "y": y[160:]}, metrics="roc_auc"
    )["roc_auc"]
    variances = [delong(true[at], s[at], np.zeros_like(s[at]))[1]
                 for s, at in ((x, slice(160)), (y, slice(160, None)))]  # fmt: skip
    assert found.standard_error == pytest.approx(math.sqrt(sum(variances)))
    assert found.method == "unpaired z"


def test_the_value_of_each_model_has_the_interval_of_its_report() -> None:
    true, x, y = scores(11)
    found = karat.compare(true, y_score={"x": x, "y": y}, level=0.9)
    for name, s in (("x", x), ("y", y)):
        result = karat.evaluate(true, y_score=s, level=0.9)["roc_auc"]
        one = found.values["roc_auc"][name]
        assert (one.value, one.low, one.high) == (result.value, result.low, result.high)
        assert one.low is not None


def test_a_class_of_one_row_says_nothing_of_its_error() -> None:
    rng = np.random.default_rng(8)
    true = np.array([1] + [0] * 20)
    found = karat.compare(true, y_score={"x": rng.random(21), "y": rng.random(21)})["roc_auc"]
    assert math.isfinite(found.difference)
    assert found.p is None
    assert found.remark is not None
    assert "one row" in found.remark


def test_the_same_scores_differ_by_nothing() -> None:
    true, x, _ = scores(9)
    found = karat.compare(true, y_score={"one": x, "two": x + 1}, metrics="roc_auc")["roc_auc"]
    assert (found.difference, found.p, found.standard_error) == (0.0, 1.0, 0.0)
    assert (found.verdict, found.low, found.high) == ("identical", None, None)
    assert found.remark == "both are identical in everything that the metric uses"


def test_a_gate_passes_a_model_with_the_same_ranking() -> None:
    true, x, _ = scores(9)
    found = karat.gate(true, y_score=x + 1, baseline=x, no_worse_than={"roc_auc": 1e-6})
    assert found.passed
    assert found.rules[0].reason == "both are identical in everything that the metric uses"


def test_weights_and_clusters_count_for_scores_as_for_labels() -> None:
    true, x, y = scores(10, n=150)
    models = {"y": y, "x": x}
    plain = karat.compare(true, y_score=models, metrics="roc_auc")["roc_auc"]
    heavy = karat.compare(true, y_score=models, metrics="roc_auc", weights=np.full(150, 3.0))
    assert heavy["roc_auc"].standard_error == pytest.approx(plain.standard_error)
    copies = {name: np.tile(s, 3) for name, s in models.items()}
    found = karat.compare(
        np.tile(true, 3), y_score=copies, metrics="roc_auc", clusters=np.tile(np.arange(150), 3)
    )["roc_auc"]
    assert found.method == "influence t"
    assert found.standard_error == pytest.approx(plain.standard_error, rel=0.02)
    naive = karat.compare(np.tile(true, 3), y_score=copies, metrics="roc_auc")["roc_auc"]
    third = float(plain.standard_error or 0) / 3**0.5
    assert naive.standard_error == pytest.approx(third, rel=0.02)


def test_many_classes_have_the_macro_area_with_its_influence() -> None:
    rng = np.random.default_rng(7)
    true = rng.integers(0, 4, 300)
    z = [np.eye(4)[true] * s + rng.normal(size=(300, 4)) for s in (1.5, 1.0)]
    found = karat.compare(true, y_score={"weak": z[1], "strong": z[0]})
    one = found["roc_auc_ovr_macro"]
    assert one.verdict == "better"
    assert one.standard_error is not None
    replicates = []
    for _ in range(200):
        at = rng.integers(0, 300, 300)
        left, right = (karat.roc_auc_ovr_macro(true[at], y_score=s[at]) for s in z)
        replicates.append(left - right)
    assert one.standard_error == pytest.approx(np.std(replicates), rel=0.2)


def test_an_infinite_loss_of_one_model_says_nothing_of_the_others() -> None:
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, 400)
    first, second = (
        np.clip(0.3 + 0.4 * true + rng.normal(0, s, 400), 0.05, 0.95) for s in (0.1, 0.2)
    )
    never = np.where(true == 1, 0.0, 0.4)
    found = karat.compare(
        true, y_prob={"a": first, "b": second, "never": never}, metrics=["log_loss"]
    )
    of = {(one.a, one.b): one for one in found.differences}
    (clean,) = [one for pair, one in of.items() if "never" not in pair]
    assert clean.low is not None
    assert clean.remark is None
    assert all("infinite" in one.remark for pair, one in of.items() if "never" in pair)
