"""Spiegelhalter's test, recalibration lines and decompositions, against the rows themselves."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit, xlogy

import karat
from karat import _native
from karat.metrics._regression import recalibrated
from karat.tally import CumulativeCounts
from tests.calibration import rows
from tests.optional import optional
from tests.same import assert_same

SCORES = {
    "brier": lambda p, y: (p - y) ** 2,
    "log_loss": lambda p, y: -xlogy(y, p) - xlogy(1 - y, 1 - p),
}


def pooled(hits: Any, weight: Any) -> Any:
    """int[m]: where the blocks of ascending shares begin."""
    best_first = np.ascontiguousarray(np.stack([weight - hits, hits], axis=1)[::-1])
    lengths, sums = _native.pool_levels(best_first, np.ones(len(hits), np.int64))
    assert_same(sums.sum(axis=0), best_first.sum(axis=0), within=1e-9)
    return np.cumsum(np.append(0, lengths[:0:-1]))


def two_classes(n_problems: int = 60) -> Iterator[tuple[Any, Any, Any]]:
    """True classes, P(class 1) within (0, 1), weights or None; hits and misses overlap."""
    for number in range(n_problems):
        rng = np.random.default_rng([2, number])
        n = int(rng.choice([12, 60, 900]))
        p = rng.beta(*rng.choice([0.4, 1.0, 6.0], 2), size=n).clip(1e-6, 1 - 1e-6)
        if number % 2:
            p = (np.round(p * 20) / 20).clip(0.01, 0.99)
        y = (rng.random(n) < 0.1 + 0.8 * p).astype(int)
        hits, misses = p[y == 1], p[y == 0]
        if not len(hits) or not len(misses):
            continue
        if not (hits.min() < misses.max() and misses.min() < hits.max()):
            continue
        weights = rng.lognormal(size=n) if number % 3 else None
        yield y, p, weights


def quietly(function: Any, *args: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        return function(*args, **given)


@pytest.mark.parametrize("k", [2, 4, 20])
def test_spiegelhalter_is_his_formula(k: int) -> None:
    for y, prob, weights in rows.problems(k):
        w = np.ones(len(y)) if weights is None else weights
        p, hit = rows.top_label(y, prob)
        variance = (w**2 * (1 - 2 * p) ** 2 * p * (1 - p)).sum()
        if not variance > 0:
            continue
        z = (w * (hit - p) * (1 - 2 * p)).sum() / np.sqrt(variance)
        call = {"y_true": y, "y_prob": prob, "weights": weights, "labels": range(k)}
        assert_same(karat.spiegelhalter_z(**call), z, within=1e-10)
        assert_same(karat.spiegelhalter_p(**call), math.erfc(abs(z) / 2**0.5), within=1e-10)
        if k == 2:
            # Spiegelhalter's own: the probability of one class and whether it came true.
            p, came = prob[:, 1], (y == 1).astype(float)
            own = (w * (came - p) * (1 - 2 * p)).sum() / np.sqrt(variance)
            assert_same(karat.spiegelhalter_z(**call), own, within=1e-10)


def test_the_line_has_no_gradient_left() -> None:
    for y, p, weights in two_classes():
        w = np.ones(len(y)) if weights is None else weights
        x = logit(p)
        a = karat.calibration_intercept(y, y_prob=p, weights=weights)
        b = karat.calibration_slope(y, y_prob=p, weights=weights)
        shift = karat.calibration_in_the_large(y, y_prob=p, weights=weights)
        rest = w * (y - expit(a + b * x)) / w.sum()
        assert_same([rest.sum(), rest @ x], [0.0, 0.0], within=1e-11)
        assert_same((w * (y - expit(shift + x))).sum() / w.sum(), 0.0, within=1e-12)
        moved = w * (y - expit(a + (b + 1e-6) * x)) / w.sum()
        assert abs(moved @ x) > 1e-11


def test_the_line_is_that_of_scikit_learn() -> None:
    linear = optional("sklearn.linear_model")
    for y, p, weights in two_classes(30):
        model = linear.LogisticRegression(
            C=np.inf, tol=1e-10, max_iter=500, solver="newton-cholesky"
        )
        model.fit(logit(p)[:, None], y, weights)
        a = karat.calibration_intercept(y, y_prob=p, weights=weights)
        b = karat.calibration_slope(y, y_prob=p, weights=weights)
        wanted = [model.intercept_[0], model.coef_[0, 0]]
        assert_same([a, b], wanted, within=1e-5)
        with pytest.raises(AssertionError):
            assert_same([a, b + 1e-3], wanted, within=1e-5)


def test_long_cumulative_have_the_line_of_their_rows() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 3, 60_000).clip(1e-12, 1 - 1e-12)
    y = (rng.random(60_000) < p**1.2).astype(int)
    a, b = (f(y, y_prob=p) for f in (karat.calibration_intercept, karat.calibration_slope))
    rest = y - expit(a + b * logit(p))
    assert_same([rest.mean(), (rest * logit(p)).mean()], [0.0, 0.0], within=1e-11)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([0, 1, 1, 0], [0.0, 0.7, 0.6, 0.8]),  # a certain row
        ([0, 1, 1, 0], [0.2, 0.7, 1.0, 0.8]),
        ([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]),  # separated
        ([1, 1, 0, 0], [0.1, 0.2, 0.7, 0.8]),  # separated, the wrong way round
        ([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.8]),  # touching in one probability
        ([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]),  # one probability
        ([1, 1, 1], [0.4, 0.5, 0.6]),  # one class
    ],
)
def test_a_line_that_does_not_exist_is_undefined(y: Any, p: Any) -> None:
    for function in (karat.calibration_slope, karat.calibration_intercept):
        with pytest.warns(karat.UndefinedWarning, match="0 or 1"):
            assert np.isnan(function(y, y_prob=p, labels=[0, 1]))


def test_in_the_large_needs_both_classes_only() -> None:
    found = karat.calibration_in_the_large([0, 0, 1, 1], y_prob=[0.1, 0.2, 0.7, 0.8])
    assert_same(expit(found + logit([0.1, 0.2, 0.7, 0.8])).sum(), 2.0, within=1e-12)
    for y, p in (([1, 1], [0.4, 0.5]), ([0, 1], [0.4, 1.0])):
        assert np.isnan(quietly(karat.calibration_in_the_large, y, y_prob=p, labels=[0, 1]))


@pytest.mark.parametrize("k", [2, 3, 20])
@pytest.mark.parametrize("score", SCORES)
def test_parts_are_those_of_an_isotonic_regression_of_the_rows(k: int, score: str) -> None:
    sklearn = optional("sklearn.isotonic")
    of = SCORES[score]
    for y, prob, weights in rows.problems(k, 12):
        w = np.ones(len(y)) if weights is None else weights
        given = {"y_prob": prob, "weights": weights, "labels": range(k), "average": None}
        parts = [
            quietly(getattr(karat, f"{score}_{part}"), y, **given)
            for part in ("miscalibration", "discrimination", "uncertainty")
        ]
        for i in range(k):
            p, own, kept = prob[:, i][w > 0], (y == i).astype(float)[w > 0], w[w > 0]
            share = np.average(own, weights=kept)
            model = sklearn.IsotonicRegression(y_min=0, y_max=1).fit(p, own, kept)
            mean = {
                name: np.average(of(x, own), weights=kept)
                for name, x in (("p", p), ("fit", model.predict(p)), ("share", share))
            }
            wanted = [mean["p"] - mean["fit"], mean["share"] - mean["fit"], mean["share"]]
            assert_same([part[i] for part in parts], wanted, within=1e-11, about=f"class {i}")
            with pytest.raises(AssertionError):
                assert_same([part[i] + 1e-9 for part in parts], wanted, within=1e-11)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_parts_add_up_to_the_score(k: int) -> None:
    for y, prob, weights in rows.problems(k, 60):
        call = {"y_true": y, "y_prob": prob, "weights": weights, "labels": range(k)}
        scores = {"brier": karat.brier(**call), "log_loss": quietly(karat.log_loss, **call)}
        if k > 2:
            # Σ over the classes, and the mean over the classes.
            scores = {
                "brier": scores["brier"] / k,
                "log_loss": quietly(karat.one_vs_all_log_loss, **call),
            }
        for name, value in scores.items():
            if not np.isfinite(value):
                continue
            mcb, dsc, unc = (
                quietly(getattr(karat, f"macro_{name}_{part}"), **call)
                for part in ("miscalibration", "discrimination", "uncertainty")
            )
            assert_same(mcb - dsc + unc, value, within=1e-12, about=name)
            assert min(mcb, dsc, unc) >= 0


def test_a_certain_error_leaves_no_miscalibration_to_name() -> None:
    call = {"y_true": [0, 1, 1], "y_prob": [0.2, 0.0, 0.9]}
    assert np.isinf(quietly(karat.log_loss_miscalibration, **call))
    assert np.isfinite(karat.log_loss_discrimination(**call))
    with pytest.warns(karat.UndefinedWarning, match="infinite"):
        karat.log_loss_miscalibration(**call)


def test_blocks_are_those_of_scipy() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 5, 255, 257, 3000]))
        weight = rng.lognormal(size=n) if seed % 3 else rng.integers(1, 5, n)
        share = (rng.random(n), rng.integers(0, 2, n), np.arange(n) / n)[seed % 4 % 3]
        if seed % 5 == 0:
            share = share[::-1]
        hits = share * weight
        starts = pooled(hits, weight)
        values = np.add.reduceat(hits, starts) / np.add.reduceat(weight, starts)
        found = np.repeat(values, np.diff(np.append(starts, n)))
        wanted = isotonic_regression(hits / weight, weights=weight).x
        assert_same(found, wanted, within=1e-12)
        assert (np.diff(values) > 0).all()


def test_a_long_chain_of_blocks_is_pooled_in_time() -> None:
    n = 200_000
    share, weight = np.arange(n) / n, np.ones(n)
    weight[-1], share[-1] = 1e9, 0.0
    assert len(pooled(share * weight, weight)) < 100
    with pytest.raises(AssertionError):
        assert len(pooled(share[:-1], weight[:-1])) < 100


def test_a_recalibration_ascends_and_keeps_the_hits() -> None:
    for y, p, weights in two_classes(20):
        fit = recalibrated(CumulativeCounts.of(p, y == 1, weights))
        _, misses, hits, values = (np.concatenate(part) for part in zip(*fit.walk(), strict=True))
        assert (np.diff(values) <= 0).all()
        assert_same((values * (hits + misses)).sum(), hits.sum(), within=1e-12)


def test_one_class_has_no_uncertainty() -> None:
    call = {"y_true": [1, 1], "y_prob": [0.7, 0.8], "labels": [0, 1]}
    for part in ("uncertainty", "discrimination"):
        for score in SCORES:
            found = getattr(karat, f"{score}_{part}")(**call)
            assert found == 0
            assert not np.signbit(found)


def test_a_weight_that_outweighs_all_others_leaves_them_in() -> None:
    call = {"y_true": [0, 1, 1], "y_prob": [0.2, 0.4, 0.9], "weights": [1e-60, 1e60, 1.0]}
    assert_same(karat.log_loss_uncertainty(**call), 0.0, within=1e-100)
    assert_same(karat.log_loss_discrimination(**call), 0.0, within=1e-100)
    assert np.isfinite(karat.calibration_in_the_large(**call))


@pytest.mark.parametrize(("n_hits", "n_misses"), [(1, 3), (2, 1), (7, 5)])
def test_one_probability_is_moved_to_the_share_of_the_class(n_hits: int, n_misses: int) -> None:
    y = np.repeat([1, 0], [n_hits, n_misses])
    found = karat.calibration_in_the_large(y, y_prob=np.full(len(y), 0.3))
    assert_same(found, np.log(n_hits / n_misses) - logit(0.3), within=1e-12)


def test_in_the_large_is_found_to_the_last_digits() -> None:
    # Newton's steps end where a further one is too small to move.
    p = np.array([0.31801739, 0.46035533, 0.67373344, 0.71087986])
    misses = np.array([1109.0, 54701.0, 4.0, 2969.0])
    hits = np.array([15.0, 70603.0, 857.0, 855405.0])
    found = karat.calibration_in_the_large(
        np.repeat([0, 1], 4), y_prob=np.tile(p, 2), weights=np.concatenate([misses, hits])
    )
    t = np.longdouble(found) + np.log(np.longdouble(p)) - np.log1p(-np.longdouble(p))
    chance = 1 / (1 + np.exp(-t))
    left = (hits * (1 - chance) - misses * chance).sum()
    assert abs(left / ((hits + misses) * chance * (1 - chance)).sum()) < 1e-12


@pytest.mark.parametrize("least", [1e-20, 1e-250, 5e-324])
def test_a_shift_between_two_rows_far_apart_is_their_middle(least: float) -> None:
    # By symmetry: the chances of both rows add up to 1 where they are as far on either side.
    most = 1.0 - 2.0**-53
    middle = -(np.log(most) - np.log(2.0**-53) + np.log(least)) / 2.0
    found = karat.calibration_in_the_large([1, 0], y_prob=[most, least])
    assert found == pytest.approx(middle, rel=1e-12)
