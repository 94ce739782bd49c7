"""Errors of bins against plain NumPy on the rows: both sides, both schemes, 2 to 20 classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics._reliability import _Groups, chance_gaps
from karat.tally import Bins, CumulativeCounts
from tests.calibration import rows
from tests.same import assert_same

CHOICES = [
    (15, "uniform", "right"),
    (15, "uniform", "left"),
    (10, "uniform", "right"),
    (10, "uniform", "left"),
    (1, "uniform", "right"),
    (7, "quantile", "right"),
    (7, "quantile", "left"),
    (200, "quantile", "right"),
]
choices = pytest.mark.parametrize(("bins", "scheme", "closed"), CHOICES)
classes = pytest.mark.parametrize("k", [2, 3, 5, 20])


def edges_of(p: Any, w: Any, bins: int, scheme: str, closed: str) -> Any:
    return rows.uniform(bins) if scheme == "uniform" else rows.quantile(p, w, bins, closed)


@classes
@choices
def test_errors_of_the_predicted_class(k: int, bins: int, scheme: str, closed: str) -> None:
    given = {"bins": bins, "scheme": scheme, "closed": closed}
    for y, prob, weights in rows.problems(k):
        w = np.ones(len(y)) if weights is None else weights
        p, hit = rows.top_label(y, prob)
        edges = edges_of(p, w, bins, scheme, closed)
        weight, gap = rows.gaps(p, hit, w, edges, closed)
        call = {"y_true": y, "y_prob": prob, "weights": weights, "labels": range(k)}
        found = {
            "l1": karat.expected_calibration_error(**call, **given),
            "l2": karat.expected_calibration_error(**call, **given, norm="l2"),
            "max": karat.maximum_calibration_error(**call, **given),
        }
        wanted = {
            "l1": np.average(np.abs(gap), weights=weight),
            "l2": np.sqrt(np.average(gap**2, weights=weight)),
            "max": np.abs(gap).max(),
        }
        for name, value in wanted.items():
            assert_same(found[name], value, within=1e-12, about=name)
        if scheme == "quantile":
            adaptive = karat.adaptive_calibration_error(**call, bins=bins, closed=closed)
            assert_same(adaptive, wanted["l1"], within=1e-12)


@classes
@choices
def test_errors_of_each_class(k: int, bins: int, scheme: str, closed: str) -> None:
    given = {"bins": bins, "scheme": scheme, "closed": closed}
    for y, prob, weights in rows.problems(k, 15):
        w = np.ones(len(y)) if weights is None else weights
        wanted = []
        for i in range(k):
            p = prob[:, i]
            edges = edges_of(p, w, bins, scheme, closed)
            weight, gap = rows.gaps(p, (y == i).astype(float), w, edges, closed)
            wanted.append(np.average(np.abs(gap), weights=weight))
        call = {"y_true": y, "y_prob": prob, "weights": weights, "labels": range(k)}
        each = karat.class_calibration_error(**call, **given, average=None)
        assert_same(each, wanted, within=1e-12)
        mean = karat.classwise_calibration_error(**call, **given)
        assert_same(mean, np.mean(wanted), within=1e-12)
        if k == 2:
            assert_same(karat.class_calibration_error(**call, **given), wanted[1], within=1e-12)


@classes
@choices
def test_the_debiased_square_is_a_mean_over_pairs(
    k: int, bins: int, scheme: str, closed: str
) -> None:
    for y, prob, weights in rows.problems(k):
        w = np.ones(len(y)) if weights is None else weights
        p, hit = rows.top_label(y, prob)
        edges = edges_of(p, w, bins, scheme, closed)
        if max(((w > 0) & inside).sum() for inside in rows.members(p, edges, closed)) < 2:
            continue
        wanted = rows.debiased(p, hit, w, edges, closed)
        found = karat.debiased_calibration_error(
            y, y_prob=prob, weights=weights, labels=range(k),
            bins=bins, scheme=scheme, closed=closed,
        )  # fmt: skip
        assert_same(found, wanted, within=1e-9 if weights is not None else 1e-12)


def test_the_debiased_square_of_one_confidence_is_the_textbook_formula() -> None:
    y = np.array([1, 1, 0, 1, 0, 1, 1])
    share = y.mean()
    wanted = (share - 0.75) ** 2 - share * (1 - share) / 6
    found = karat.debiased_calibration_error(y, y_prob=np.full(7, 0.75))
    assert_same(found, wanted, within=1e-15)


def test_a_shifted_edge_is_noticed() -> None:
    y, prob = np.array([1, 1, 0, 0, 1]), np.array([0.9, 0.7, 0.8, 0.4, 0.35])
    p, hit = rows.top_label(y, np.stack([1 - prob, prob], axis=1))
    ones = np.ones(len(y))
    found = karat.expected_calibration_error(y, y_prob=prob, bins=5)
    weight, gap = rows.gaps(p, hit, ones, rows.uniform(5), "right")
    assert_same(found, np.average(np.abs(gap), weights=weight), within=1e-12)
    for edges, closed in ((rows.uniform(5), "left"), (rows.uniform(5) - 1e-15, "right")):
        weight, gap = rows.gaps(p, hit, ones, np.clip(edges, 0, 1), closed)
        with pytest.raises(AssertionError):
            assert_same(found, np.average(np.abs(gap), weights=weight), within=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_chance_of_few_rows_is_the_sum_over_every_outcome(n: int, is_weighted: bool) -> None:
    for seed in range(20):
        rng = np.random.default_rng([n, seed])
        p = np.round(rng.random(n), 2) if seed % 2 and not is_weighted else rng.random(n)
        w = rng.lognormal(size=n) if is_weighted else np.ones(n)
        cumulative = CumulativeCounts.of(p, p > 0.5, w if is_weighted else None)
        found = chance_gaps(cumulative, Bins.of(cumulative, [0, 1]))[0]
        assert_same(found, rows.exact_chance(p, w), within=1e-3 if is_weighted else 1e-12)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_chance_of_few_rows_of_different_weights_has_six_digits(n: int) -> None:
    # Of so few rows the terms of the series never vanish: all of them are needed.
    rng = np.random.default_rng(n)
    p, w = rng.uniform(0.1, 0.9, n), rng.uniform(0.2, 2.0, n)
    cumulative = CumulativeCounts.of(p, p > 0.5, w)
    found = chance_gaps(cumulative, Bins.of(cumulative, [0, 1]))[0]
    assert abs(found / rows.exact_chance(p, w) - 1) < 1e-6


MANY = [
    (40, 0.3, 1e-12),
    (250, 0.9, 1e-12),
    (900, 0.97, 1e-5),
    (4000, 0.98, 1e-5),
    (700, 0.5, 1e-3),
    (5000, 0.2, 1e-3),
]


@pytest.mark.parametrize(("n", "low", "within"), MANY)
def test_chance_of_many_rows_is_that_of_their_distribution(
    n: int, low: float, within: float
) -> None:
    p = low + (1 - low) * np.random.default_rng(n).random(n)
    cumulative = CumulativeCounts.of(p, p > 0.5)
    found = chance_gaps(cumulative, Bins.of(cumulative, [0, 1]))[0]
    wanted = rows.convolved_chance(p)
    assert abs(found / wanted - 1) < within
    heavy = CumulativeCounts.of(p, p > 0.5, np.full(n, 0.3))
    assert_same(chance_gaps(heavy, Bins.of(heavy, [0, 1]))[0], 0.3 * found, within=1e-9)


def test_chance_is_not_that_of_a_normal_distribution() -> None:
    """The comparisons can fail: the normal approximation is off by a third for a row of 0.95."""
    cumulative = CumulativeCounts.of([0.95], [True])
    bins = Bins.of(cumulative, [0, 1])
    assert_same(chance_gaps(cumulative, bins)[0], 2 * 0.95 * 0.05, within=1e-14)
    normal = np.sqrt(bins.variance * 2 / np.pi)[0]
    with pytest.raises(AssertionError):
        assert_same(normal, 2 * 0.95 * 0.05, within=1e-2)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_calibrated_rows_have_the_error_that_chance_makes(is_weighted: bool) -> None:
    rng = np.random.default_rng(5)
    n, n_samples = 120, 400
    prob = rng.dirichlet([0.5, 0.5, 0.5], size=n)
    weights = rng.lognormal(sigma=0.7, size=n) if is_weighted else None
    drawn = []
    for _ in range(n_samples):
        y = (rng.random((n, 1)) > np.cumsum(prob, axis=1)[:, :-1]).sum(axis=1)
        call = {"y_true": y, "y_prob": prob, "weights": weights, "labels": range(3)}
        drawn.append(
            (
                karat.expected_calibration_error(**call),
                karat.debiased_calibration_error(**call),
                karat.spiegelhalter_z(**call),
                karat.spiegelhalter_p(**call) < 0.1,
            )
        )
    means, spread = np.mean(drawn, axis=0), np.std(drawn, axis=0)
    promised = karat.expected_calibration_error_if_calibrated(**call)
    noise = 4 * spread / np.sqrt(n_samples)
    assert abs(means[0] - promised) < noise[0]
    assert abs(means[1]) < noise[1]
    assert abs(means[2]) < noise[2]
    assert abs(spread[2] - 1) < 0.15
    assert abs(means[3] - 0.1) < noise[3] + 0.02
    # The control: the plug-in value is far from the truth, which is 0.
    assert means[0] > 5 * noise[0]


def test_bins_that_hold_single_rows_say_nothing_of_bias() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        found = karat.debiased_calibration_error([1, 0], y_prob=[0.9, 0.4])
    assert np.isnan(found)


def test_a_number_of_bins_that_says_nothing_is_refused() -> None:
    with pytest.raises(KaratError, match=r"K302(.|\n)*10000"):
        karat.expected_calibration_error([1, 0], y_prob=[0.9, 0.4], bins=10_001)
    with pytest.raises(KaratError, match="K302"):
        karat.expected_calibration_error([1, 0], y_prob=[0.9, 0.4], scheme="equal")
    with pytest.raises(KaratError, match="K302"):
        karat.maximum_calibration_error([1, 0], y_prob=[0.9, 0.4], bins=0)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_groups_of_confidences_stand_for_each_of_them(
    is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(11)
    p = 0.97 + 0.03 * rng.random(3000)
    weights = rng.uniform(0.5, 2.0, 3000) if is_weighted else None
    cumulative = CumulativeCounts.of(p, p > 0.5, weights)
    bins = Bins.of(cumulative, [0, 0.98, 1])
    each = chance_gaps(cumulative, bins)
    monkeypatch.setattr("karat.metrics._reliability._HELD", 100)
    grouped = chance_gaps(cumulative, bins)
    assert (grouped > 0).all()
    assert_same(grouped / each, np.ones(2), within=1e-3)


def test_groups_of_confidences_do_not_depend_on_how_many_come_at_once() -> None:
    n = 2000
    p, weight, squares = np.full(n, 0.5), np.arange(1.0, n + 1.0), np.ones(n)
    whole, parts = _Groups(n / 4.0), _Groups(n / 4.0)
    whole.add(p, weight, squares)
    for first in range(0, n, 5):
        part = slice(first, first + 5)
        parts.add(p[part], weight[part], squares[part])
    for one, other in zip(whole.all(), parts.all(), strict=True):
        assert_same(one, other)


def test_chances_next_to_one_are_as_exact_as_those_next_to_zero() -> None:
    n, rest = 1000, 2.0**-46
    for p in (rest, 1.0 - rest):
        cumulative = CumulativeCounts.of(np.full(n, p), np.zeros(n, bool), None)
        found = chance_gaps(cumulative, Bins.of(cumulative, [0, 1]))
        # Of fewer than one row that is expected: 2n·q·(1 − q)ⁿ.
        assert_same(found / (2.0 * n * rest * (1.0 - rest) ** n), np.ones(1), within=1e-3)
