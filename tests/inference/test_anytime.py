"""Confidence sequences: the boundary, limits of every look, p-values that go with them."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.results import ClassReport
from karat.designs.looks import boundary, mixture_variance, p_of_look, share_of_window
from karat.errors import KaratError
from karat.inference.comparison.contrasts import score_limits
from karat.inference.confidence import Confidence
from karat.inference.limits import exact_limits, wilson_limits
from karat.tally import Cells, Classes
from tests.grouping import grouped
from tests.optional import optional

PLANNED, ALPHA = 10_000, 0.05
Z = NormalDist().inv_cdf(1.0 - ALPHA / 2.0)


def labels(n: int, seed: int, k: int = 3, right: float = 0.85) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return y, np.where(rng.random(n) < right, y, rng.integers(0, k, n))


@pytest.mark.parametrize(("n", "z"), [(30, 1.1), (10_000, 3.2), (90_000, 2.4)])
def test_p_is_one_over_the_mixture_of_likelihood_ratios(n: int, z: float) -> None:
    """∫ exp(λS − λ²n/2) dN(λ; 0, ρ²), with S = z√n, by quadrature."""
    rho2 = mixture_variance(PLANNED, ALPHA)
    total, steps = z * math.sqrt(n), 200_001
    spread = math.sqrt(rho2)
    lam = np.linspace(-12.0 * spread, 12.0 * spread, steps)
    density = np.exp(-lam * lam / (2.0 * rho2)) / math.sqrt(2.0 * math.pi * rho2)
    mixed = float((np.exp(lam * total - lam * lam * n / 2.0) * density).sum() * (lam[1] - lam[0]))
    p = 2.0 * NormalDist().cdf(-z)
    assert p_of_look(p, n, PLANNED, ALPHA) == pytest.approx(min(1.0 / mixed, 1.0), rel=1e-6)


@pytest.mark.parametrize("n", [10, 200, 10_000, 10**6])
def test_p_is_alpha_at_the_boundary(n: int) -> None:
    z = boundary(n, PLANNED, ALPHA)
    if z < 30.0:
        p = math.erfc(z / math.sqrt(2.0))
        assert p_of_look(p, n, PLANNED, ALPHA) == pytest.approx(ALPHA, rel=1e-6)


def test_the_boundary_is_nearest_around_the_planned_number() -> None:
    widths = {n: boundary(n, PLANNED, ALPHA) for n in (1000, 5000, 10_000, 20_000, 100_000)}
    assert widths[PLANNED] / Z < 1.56
    assert min(widths.values()) < widths[1000]
    # The limits themselves, z ÷ √n, shrink with every row.
    shrinking = [z / math.sqrt(n) for n, z in widths.items()]
    assert shrinking == sorted(shrinking, reverse=True)
    one_sided = boundary(PLANNED, PLANNED, ALPHA, is_two_sided=False)
    assert Z < one_sided < widths[PLANNED]


def test_sums_cross_the_boundary_on_few_paths_and_a_fixed_quantile_on_most() -> None:
    rng = np.random.default_rng(41)
    n = np.arange(1, PLANNED + 1)
    z = np.array([boundary(x, PLANNED, ALPHA) for x in n.tolist()])
    crossed = once = 0
    for _ in range(200):
        far = np.abs(rng.standard_normal(PLANNED).cumsum()) / np.sqrt(n)
        crossed += bool((far > z).any())
        once += bool((far[9:] > Z).any())
    assert crossed <= 0.05 * 200
    assert once > 0.5 * 200


def test_accuracy_has_wilson_limits_at_the_boundary() -> None:
    y, pred = labels(2000, 1)
    found = karat.evaluate(y, pred, design=karat.Looks(PLANNED))["accuracy"]
    low, high = wilson_limits(found.value, 2000, boundary(2000, PLANNED, ALPHA))
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), rel=1e-9)
    assert found.level == 0.95


def test_units_are_clusters_and_slices_have_their_own() -> None:
    y, pred = labels(3000, 2)
    clusters = np.arange(3000) // 10
    report = karat.evaluate(y, pred, clusters=clusters, design=karat.Looks(PLANNED))
    once = karat.evaluate(y, pred, clusters=clusters)
    ratios = [(each["accuracy"].high - each["accuracy"].low) for each in (report, once)]
    # With 300 clusters the boundary lies farther away than with 3000 rows.
    assert ratios[0] / ratios[1] > boundary(1000, PLANNED, ALPHA) / Z
    sliced = karat.evaluate(
        y, pred, by={"side": np.arange(3000) % 3 == 0}, design=karat.Looks(PLANNED)
    )
    part = sliced.slices["side"]["true"]["accuracy"]
    low, high = wilson_limits(part.value, 1000, boundary(1000, PLANNED, ALPHA))
    assert (part.low, part.high) == pytest.approx((float(low), float(high)), rel=1e-9)
    different = sliced.slices["side"].difference("accuracy")["true"]
    assert different.p is None
    assert different.low is None
    assert "one look" in str(different.undefined)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "roc_auc", "log_loss", "brier"])
def test_limits_at_the_planned_number_are_at_most_1_6_times_as_wide(name: str) -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(PLANNED) < 0.3).astype(int)
    p = np.clip(0.3 + 0.4 * (y - 0.3) + 0.15 * rng.standard_normal(PLANNED), 0.01, 0.99)
    every, once = (
        karat.evaluate(y, y_prob=p, metrics=[name], design=karat.Looks(planned))[name]
        for planned in (True, None)
    )
    assert 1.5 < (every.high - every.low) / (once.high - once.low) <= 1.6


def test_metrics_that_take_replicates_have_no_limits_and_a_remark() -> None:
    y, pred = labels(500, 4, k=2)
    prob = np.clip(pred * 0.5 + 0.25, 0.0, 1.0)
    found = karat.evaluate(y, y_prob=prob, design=karat.Looks())["expected_calibration_error"]
    assert (found.low, found.high) == (None, None)
    assert "one look" in str(found.remark)


def test_two_right_proportions_at_their_ends_do_not_hide_what_their_sum_can_be() -> None:
    """One wrong row of each class: limits of both classes lie at 1, combined ones would not."""
    classes = Classes((0, 1), positive=1)
    cells = Cells.dense(np.array([[30, 1], [1, 33]]), classes=classes)
    every = ClassReport(cells, confidence=Confidence(anytime=PLANNED))["balanced_accuracy"]
    # Sabotaged: the same tail without the union with limits of the whole.
    tail = Confidence(anytime=PLANNED).at(65).tail
    combined = ClassReport(cells, confidence=Confidence(1.0 - 2.0 * tail))["balanced_accuracy"]
    truth = 0.9942
    assert every.high > truth > combined.high


def test_a_stream_gives_the_limits_of_evaluate_and_keeps_its_own_settings() -> None:
    y, pred = labels(900, 5)
    stream = karat.Stream()
    for i in range(0, 900, 300):
        stream.update(y[i : i + 300], pred[i : i + 300])
    every, whole = (
        stream.report(design=karat.Looks(5000)),
        karat.evaluate(y, pred, design=karat.Looks(5000)),
    )
    assert every["macro_f1"] == whole["macro_f1"]
    assert stream.report()["macro_f1"] == karat.evaluate(y, pred)["macro_f1"]
    assert (
        stream.report(design=karat.Looks()).confidence
        == karat.evaluate(y, pred, design=karat.Looks(10_000)).confidence
    )


def test_json_keeps_the_planned_number_and_the_limits() -> None:
    y, pred = labels(400, 6)
    report = karat.evaluate(y, pred, design=karat.Looks(2000))
    again = karat.Report.from_json(report.to_json())
    assert again.confidence == report.confidence
    assert again["macro_f1"].low == report["macro_f1"].low
    assert '"anytime"' not in karat.evaluate(y, pred).to_json()
    assert "intervals for every look, planned for 2 000 rows" in str(report)
    assert "95 % anytime interval" in str(report)


def test_a_comparison_excludes_0_where_its_p_is_below_alpha() -> None:
    y, _ = labels(4000, 7)
    rng = np.random.default_rng(8)
    seen = set()
    for right in (0.86, 0.87, 0.88, 0.92):
        a = np.where(rng.random(4000) < 0.85, y, (y + 1) % 3)
        b = np.where(rng.random(4000) < right, y, (y + 1) % 3)
        for one in karat.compare(y, {"a": a, "b": b}, design=karat.Looks(PLANNED)).differences:
            assert one.p is not None
            assert one.low is not None
            assert one.high is not None
            assert (one.p < ALPHA) == (not one.low <= 0.0 <= one.high)
            assert (one.level, one.rows_needed) == (0.95, None)
            seen.add(one.p < ALPHA)
    assert seen == {True, False}


def test_a_difference_of_accuracy_has_score_limits_at_the_boundary() -> None:
    y, _ = labels(3000, 9)
    rng = np.random.default_rng(10)
    a = np.where(rng.random(3000) < 0.9, y, (y + 1) % 3)
    b = np.where(rng.random(3000) < 0.9, y, (y + 1) % 3)
    found = karat.compare(y, {"a": a, "b": b}, metrics=["accuracy"], design=karat.Looks(PLANNED))[
        "accuracy"
    ]
    only_b, only_a = int(((b == y) & (a != y)).sum()), int(((a == y) & (b != y)).sum())
    expected = score_limits(only_b, only_a, 3000, boundary(3000, PLANNED, ALPHA))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-6)
    same = karat.compare(y, {"a": a, "b": b}, metrics=["accuracy"])["accuracy"]
    assert same.p is not None
    assert found.p is not None
    assert found.p > same.p


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("K237", {"interval": karat.Interval(method="bootstrap")}),
        ("K237", {"level": None}),
        ("K122", {"design": karat.Looks(9)}),
        ("K122", {"design": karat.Looks("soon")}),
    ],
)
def test_what_has_no_limits_of_every_look_is_refused(code: str, given: dict[str, Any]) -> None:
    y, pred = labels(50, 11)
    with pytest.raises(KaratError) as caught:
        karat.evaluate(y, pred, **grouped({"design": karat.Looks(100), **given}))
    assert caught.value.code == code


def test_comparisons_without_a_form_for_every_look_are_refused() -> None:
    y, pred = labels(60, 12)
    models = {"a": pred, "b": y, "c": np.zeros(60, int)}
    with pytest.raises(KaratError) as caught:
        karat.compare(y, models, design=karat.Looks(100), adjust="maxt")
    assert caught.value.code == "K237"
    found = karat.compare(y, models, design=karat.Looks(100))
    assert not found.omnibus
    assert not found.best_of_several
    with pytest.raises(KaratError) as caught:
        found.best("accuracy")
    assert caught.value.code == "K238"
    with pytest.raises(KaratError) as caught:
        karat.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}], design=karat.Looks(100))
    assert caught.value.code == "K222"


def test_folds_hold_for_one_look() -> None:
    y, pred = labels(60, 13)
    folds = np.arange(60) % 5
    for call in (
        lambda: karat.evaluate(y, pred, design=[karat.Folds(folds), karat.Looks(100)]),
        lambda: karat.compare(
            y, {"a": pred, "b": y}, design=[karat.Folds(folds), karat.Looks(100)]
        ),
        lambda: karat.gate(
            y, pred, min={"accuracy": 0.1}, design=[karat.Folds(folds), karat.Looks(100)]
        ),
    ):
        with pytest.raises(KaratError) as caught:
            call()
        assert caught.value.code == "K237"


def test_unresolved_limits_of_every_look_are_never_those_of_one() -> None:
    with pytest.raises(KaratError, match="K452"):
        Confidence(anytime=100).quantile()


@pytest.mark.parametrize("window", [1, 10, 100])
@pytest.mark.parametrize(("n", "share"), [(400, 0.005), (150, 0.1), (2000, 0.5)])
def test_limits_of_a_proportion_in_a_window_miss_with_at_most_their_probability(
    window: int, n: int, share: float
) -> None:
    """By enumeration of all numbers of hits; Wilson's limits miss far too often of rare ones."""
    hits = np.arange(n + 1)
    chance = np.exp(
        _log_factorial(n)
        - np.array([_log_factorial(x) + _log_factorial(n - x) for x in hits.tolist()])
        + hits * np.log(share)
        + (n - hits) * np.log1p(-share)
    )
    asked = Confidence(window=window)
    least = 0.05 * 6.0 / (np.pi * window) ** 2
    rates = []
    for low, high in (
        asked.share_limits(hits / n, n, asked.quantile()),
        wilson_limits(hits / n, n, asked.quantile()),
    ):
        rates.append(float(chance[(low > share) | (high < share)].sum()))
    assert rates[0] <= least * (1.0 + 1e-6)
    if share == 0.005 and window > 1:
        assert rates[1] > 2.0 * least


def _log_factorial(n: int) -> float:
    return math.lgamma(n + 1.0)


def test_exact_limits_are_quantiles_of_the_beta_distribution() -> None:
    stats = optional("scipy.stats")
    for hits, n, tail in ((3, 50, 0.025), (0, 20, 1e-6), (20, 20, 1e-3), (12.5, 40.25, 1e-8)):
        low, high = exact_limits(hits / n, n, tail)
        below = 0.0 if hits == 0 else stats.beta.ppf(tail, hits, n - hits + 1)
        above = 1.0 if hits == n else stats.beta.isf(tail, hits + 1, n - hits)
        assert (float(low), float(high)) == pytest.approx((below, above), rel=1e-9)


def test_the_shares_of_all_windows_add_up_to_one() -> None:
    found = sum(share_of_window(j) for j in range(1, 100_001))
    assert 1.0 - 1e-5 < found < 1.0
    asked = Confidence(window=3)
    assert asked.tail == pytest.approx(0.025 * share_of_window(3))
    assert asked.p_value(0.001) == pytest.approx(0.001 / share_of_window(3))
    assert asked.p_value(0.9) == 1.0
    assert (asked.text, asked.is_of_looks) == ("95 % window 3", True)
