"""Designs by their formulas: nested folds, looks, clusters and classes."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from karat.designs.classes import RowsOfClasses, units_of
from karat.designs.clusters import ClusteredRows, RowClusters
from karat.designs.folds import FoldUnits, nested_estimate
from karat.designs.judge import Both, RowsWithJudge, Weighed
from karat.designs.looks import (
    PLANNED,
    PLANNED_RANGE,
    boundary,
    mixture_variance,
    p_of_look,
    share_of_window,
    tail_of_look,
)
from karat.designs.units import Sample, kish, small_sample


def nested_rows(k: int, n: int, n_repeats: int) -> tuple[np.ndarray, ...]:
    """Repeat, fold and held-out fold of every loss of nested cross-validation."""
    row = np.arange(n) % k
    fold = np.concatenate([row, *(row[row != held] for held in range(k))])
    held_out = np.concatenate([np.full(n, -1), *(np.full((row != h).sum(), h) for h in range(k))])
    repeat = np.repeat(np.arange(n_repeats), len(fold))
    return repeat, np.tile(fold, n_repeats), np.tile(held_out, n_repeats)


def nested_by_hand(losses: Any, repeat: Any, fold: Any, held_out: Any, n: int) -> tuple[float, ...]:
    """Mean squared error and naive standard error of Bates, Hastie and Tibshirani (2024)."""
    k, parts = int(fold.max()) + 1, []
    for r in range(int(repeat.max()) + 1):
        for f in range(k):
            outer = losses[(repeat == r) & (fold == f) & (held_out < 0)]
            inner = losses[(repeat == r) & (held_out == f)]
            gap = (inner.mean() - outer.mean()) ** 2
            parts.append(gap - outer.var(ddof=1) / len(outer))
    inner = losses[held_out >= 0]
    return float(np.mean(parts)), float(inner.std(ddof=1)) / math.sqrt(n)


@pytest.mark.parametrize(("k", "gap"), [(3, 0.25), (4, 0.3), (5, 0.15)])
def test_a_nested_error_between_its_ends_is_the_root_of_the_mean_squared_error(
    k: int, gap: float
) -> None:
    n, rng = 24 * k, np.random.default_rng(k)
    repeat, fold, held_out = nested_rows(k, n, 2)
    # Each fold is harder or easier than the others, which is what its own rows do not show.
    of_fold = gap * rng.choice([-1.0, 1.0], (2, k))
    losses = rng.normal(size=len(fold))
    losses += np.where(held_out < 0, of_fold[repeat, fold], 0.0)
    mse, naive = nested_by_hand(losses, repeat, fold, held_out, n)
    error = math.sqrt(mse * (k - 1) / k)
    assert naive < error < math.sqrt(k) * naive
    made = nested_estimate(losses, repeat, fold, held_out, n)
    assert (made.n_folds, made.n_repeats) == (k, 2)
    assert made.standard_error == pytest.approx(error, rel=1e-12)
    assert made.inflation == pytest.approx(error / naive, rel=1e-12)


def test_a_nested_error_lies_between_its_ends() -> None:
    k, n = 3, 60
    repeat, fold, held_out = nested_rows(k, n, 1)
    losses = np.random.default_rng(0).normal(size=len(fold))
    naive = nested_by_hand(losses, repeat, fold, held_out, n)[1]
    # Folds whose outer and inner means agree show less than nothing: the naive error stands.
    alike = losses.copy()
    for f in range(k):
        of_outer = (fold == f) & (held_out < 0)
        alike[of_outer] += losses[held_out == f].mean() - losses[of_outer].mean()
    assert nested_by_hand(alike, repeat, fold, held_out, n)[0] < 0.0
    made = nested_estimate(alike, repeat, fold, held_out, n)
    assert (made.inflation, made.standard_error) == (1.0, pytest.approx(naive, rel=1e-12))
    apart = losses + np.where(held_out < 0, 50.0, 0.0)
    made = nested_estimate(apart, repeat, fold, held_out, n)
    assert made.inflation == pytest.approx(math.sqrt(k), rel=1e-12)
    assert made.standard_error == pytest.approx(math.sqrt(k) * naive, rel=1e-12)


def test_folds_are_alike_up_to_rounding_of_their_mean() -> None:
    folds = FoldUnits.of(2, 0.5)
    assert folds.weights.tolist() == folds.squares.tolist() == [1.0, 1.0]
    assert FoldUnits(np.ones(2), np.ones(2)).ratio == 0.0
    # Two folds x ± d have the standard deviation √2·d; (d ÷ √df)² counts twice.
    far = 2e-12 * 4096.0
    assert folds.variance(np.array([4096.0 - far, 4096.0 + far])) > 0.0
    assert math.isnan(folds.variance(np.array([4096.0 - far / 8, 4096.0 + far / 8])))
    # Of means below 1 the rounding is that of 1.
    assert math.isnan(folds.variance(np.array([1e-13, 3e-13])))


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("planned", [100, 10_000])
def test_boundaries_by_their_formula(planned: int, alpha: float) -> None:
    twice = 2.0 * math.log(1.0 / alpha)
    rho = (twice + math.log(twice) + 1.0) / planned
    assert mixture_variance(planned, alpha) == pytest.approx(rho, rel=1e-14)
    for n in (1.0, 7.0, 250.0, 1e5):
        v = 1.0 + n * rho
        # A mixture of normal likelihood ratios is √v⁻¹·exp(z²(v − 1) ÷ 2v): 1 ÷ α at the boundary.
        z = boundary(n, planned, alpha)
        assert math.exp(z * z * (v - 1.0) / (2.0 * v)) / math.sqrt(v) == pytest.approx(1.0 / alpha)
        one = boundary(n, planned, alpha, is_two_sided=False)
        assert one**2 == pytest.approx(2.0 * v / (v - 1.0) * math.log(1.0 + v**0.5 / (2 * alpha)))
        assert tail_of_look(n, planned, alpha) == pytest.approx(
            max(NormalDist().cdf(-z), 1e-12), rel=1e-9
        )
        of_one = tail_of_look(n, planned, alpha, is_two_sided=False)
        assert of_one == pytest.approx(max(NormalDist().cdf(-one), 1e-12), rel=1e-9)


def test_looks_at_less_than_one_unit_are_looks_at_one() -> None:
    assert tail_of_look(0.0, 20, 0.05) == tail_of_look(1.0, 20, 0.05)
    assert tail_of_look(1.0, 20, 0.05) < tail_of_look(2.0, 20, 0.05)
    assert p_of_look(0.003, 0.0, 20, 0.05) == p_of_look(0.003, 1.0, 20, 0.05)
    assert p_of_look(0.003, 1.0, 20, 0.05) > p_of_look(0.003, 2.0, 20, 0.05)


@pytest.mark.parametrize("n", [3.0, 400.0, 90_000.0])
def test_p_values_of_looks_by_their_formula(n: float) -> None:
    rho = mixture_variance(500, 0.05)
    for p in (1e-9, 1e-4, 0.01):
        z = NormalDist().inv_cdf(1.0 - p / 2.0) if p > 1e-8 else -NormalDist().inv_cdf(p / 2.0)
        v = 1.0 + n * rho
        expected = min(1.0, math.sqrt(v) * math.exp(-z * z * (v - 1.0) / (2.0 * v)))
        assert p_of_look(p, n, 500, 0.05) == pytest.approx(expected, rel=1e-9)
    # Nothing was seen: z is 0, and √v is at least 1.
    assert p_of_look(1.0, n, 500, 0.05) == p_of_look(1.5, n, 500, 0.05) == 1.0
    assert p_of_look(0.0, n, 500, 0.05) == 0.0


def test_facts_of_looks() -> None:
    assert PLANNED == 10_000
    assert PLANNED_RANGE == (10, 1_000_000_000_000)
    assert share_of_window(3) == pytest.approx(6.0 / (9.0 * math.pi**2), rel=1e-14)


def test_codes_of_clusters_start_at_0_and_end_below_their_number() -> None:
    for codes in ([0, -1, 2], [0, 1, 3]):
        with pytest.raises(ValueError, match="between 0 and 2"):
            RowClusters.of(np.array(codes), 3, None, 3)
    assert RowClusters.of(np.array([2, 0, 2]), 3, None, 3).n_clusters == 2


def test_clusters_without_weight_are_none_and_add_nothing() -> None:
    codes, weights = np.array([0, 0, 1, 2, 2]), np.array([1.0, 2.0, 0.0, 0.0, 3.0])
    clusters = RowClusters(codes, 4, weights)
    assert clusters.n_clusters == 2
    assert clusters.sums(np.array([1.0, 2.0, np.nan, np.nan, 4.0])).tolist() == [5.0, 0, 12.0, 0]
    assert RowClusters(codes, 4).sums(np.arange(5.0)).tolist() == [1.0, 2.0, 7.0, 0.0]


def test_clusters_of_several_numbers_are_summed_each() -> None:
    rng = np.random.default_rng(4)
    codes, phi = np.array([0, 1, 1, 2, 0, 2, 2]), rng.normal(size=(2, 3, 7))
    rows = units_of(Sample(np.ones(7), np.ones(7), true=np.array([0, 0, 1, 1, 1, 0, 0]), k=2))
    units = ClusteredRows.of(rows, RowClusters(codes, 3))
    # Three clusters in two classes: influences less the mean of their class, added by cluster.
    centred = phi.copy()
    for c in (0, 1):
        at = rows.true == c
        centred[..., at] -= centred[..., at].mean(axis=-1, keepdims=True)
    sums = np.stack([centred[..., codes == g].sum(axis=-1) for g in range(3)], axis=-1)
    expected = 3.0 / 2.0 * (sums**2).sum(axis=-1) / 49.0
    assert units.variance(phi) == pytest.approx(expected, rel=1e-12)
    assert units.errors(phi).shape == (2, 3, 3)
    assert units.errors(phi) == pytest.approx(sums * math.sqrt(1.5) / 7.0, rel=1e-12)


def test_a_class_of_one_row_does_not_grow() -> None:
    true = np.array([0, 1, 1, 1])
    units = units_of(Sample(np.ones(4), np.ones(4), true=true, k=2, grows=True))
    assert units.factors is not None
    assert units.factors.tolist() == [1.0, 1.5, 1.5, 1.5]
    bare = RowsOfClasses(np.ones(2), np.ones(2))
    assert (bare.true.tolist(), bare.k) == ([], 0)
    assert Sample(np.ones(2), np.ones(2)).k == 0


def test_effective_rows_without_weight_are_none() -> None:
    with np.errstate(all="raise"):
        found = kish(np.array([0.0, 2.0, 3.0]), np.array([0.0, 0.5, 9.0]))
    assert found.tolist() == [0.0, 8.0, 1.0]
    assert small_sample(4.0) == pytest.approx(4.0 / 3.0)


def test_one_influence_that_is_no_number_hides_the_variance_of_a_judge() -> None:
    weights = np.array([1.0, 2.0, 1.0, 0.0, 1.0, 1.0])
    both = Both(Weighed.of(weights), Weighed.of(np.ones(9)))
    own = np.array([1.0, 0.0, 1.0, 5.0, 1.0, math.nan])
    tuned = both.tuned(own, np.linspace(0.0, 1.0, 6), np.linspace(0.0, 1.0, 9))
    assert (tuned.weight, tuned.gain, tuned.df) == (0.0, 1.0, math.inf)
    assert math.isnan(tuned.variance)


def test_a_judge_of_clusters_by_hand() -> None:
    """Without a given weight it is the slope of the gold sums on the judge's, by cluster."""
    rng, n, rest = np.random.default_rng(6), 60, 120
    codes, of_rest = np.arange(n) % 12, 12 + np.arange(rest) % 30
    gold = Weighed.of(np.ones(n), clusters=codes)
    both = Both(gold, Weighed.of(np.ones(rest), clusters=of_rest), is_clustered=True)
    by_gold = rng.normal(size=n) + 2.0 * rng.normal(size=12)[codes]
    by_judge = by_gold + 0.4 * rng.normal(size=n)
    of_reference = rng.normal(size=rest) + 2.0 * rng.normal(size=42)[of_rest]
    own = np.bincount(codes, (by_gold - by_gold.mean()) / n, 42)
    second = -np.bincount(codes, (by_judge - by_judge.mean()) / n, 42)
    second += np.bincount(of_rest, (of_reference - of_reference.mean()) / rest, 42)
    weight = -(own @ second) / (second @ second)
    assert 0.1 < weight < 0.9
    tuned = both.tuned(by_gold, by_judge, of_reference)
    assert tuned.weight == pytest.approx(weight, rel=1e-12)


def test_a_judge_that_says_more_than_the_gold_labels_has_the_weight_1() -> None:
    by_gold = np.random.default_rng(3).normal(size=40)
    both = Both(Weighed.of(np.ones(40)), Weighed.of(np.ones(4000)))
    # Half as far from the mean, and the same rows: the slope is about 2.
    tuned = both.tuned(by_gold, by_gold / 2.0, np.random.default_rng(4).normal(size=4000) / 2.0)
    assert tuned.weight == 1.0


def test_a_judge_that_always_says_the_same_has_no_weight() -> None:
    by_gold = np.random.default_rng(3).normal(size=40)
    both = Both(Weighed.of(np.ones(40)), Weighed.of(np.ones(400)))
    tuned = both.tuned(by_gold, np.zeros(40), np.zeros(400))
    assert (tuned.weight, tuned.gain) == (0.0, 1.0)
    assert tuned.variance == pytest.approx(by_gold.var(ddof=1) / 40.0, rel=1e-12)


def test_two_gold_rows_have_a_variance_and_fewer_have_none() -> None:
    rest = Weighed.of(np.ones(9))
    of_rest = np.linspace(0.0, 1.0, 9)
    pair = np.array([0.0, 1.0])
    tuned = Both(Weighed.of(np.ones(2)), rest).tuned(pair, pair, of_rest)
    # s² ÷ n of two values 0 and 1.
    assert (tuned.weight, tuned.variance) == (0.0, pytest.approx(0.25, rel=1e-12))
    fewer = Both(Weighed.of(np.array([1.0, 3.0])), rest).tuned(pair, pair, of_rest)
    assert math.isnan(fewer.variance)


def test_gold_rows_that_all_say_the_same_have_no_judge_even_if_a_weight_is_given() -> None:
    both = Both(Weighed.of(np.ones(30)), Weighed.of(np.ones(90)))
    by_judge = np.random.default_rng(8).normal(size=30)
    tuned = both.tuned(np.zeros(30), by_judge, np.zeros(90), 0.5)
    assert (tuned.weight, tuned.gain, tuned.variance) == (0.0, 1.0, 0.0)


def test_influences_below_0_that_do_not_vary_have_the_degrees_of_the_rows() -> None:
    codes = np.repeat([0, 1, 2], [1, 2, 9])
    rows = units_of(Sample(np.ones(12), np.ones(12), true=np.zeros(12, int), k=1))
    units = ClusteredRows.of(rows, RowClusters(codes, 3))
    # Sizes 1, 2 and 9: (1 + 4 + 81)² ÷ (1 + 16 + 6561).
    for constant in (-3.0, 3.0):
        assert units.degrees(np.full(12, constant)) == pytest.approx(86.0**2 / 6578.0, rel=1e-12)


def test_gold_rows_without_weight_change_no_variance_of_several_values() -> None:
    rng, n = np.random.default_rng(5), 20
    weights = np.concatenate([rng.uniform(0.2, 3.0, 8), np.zeros(1)])
    reference = Weighed.of(np.ones(n))
    phi = np.zeros(2 * n)
    phi[:8], phi[n:] = rng.normal(size=8) / 8.0, rng.normal(size=n) / n
    found = []
    for kept in (8, 9):
        both = Both(Weighed.of(weights[:kept]), reference)
        w = np.ones(n)
        rows = RowsWithJudge(w, w, gold=np.arange(kept), both=both)
        found.append(float(rows.variance(phi[None])[0]))
    assert found[1] == pytest.approx(found[0], rel=1e-12)
    assert found[0] > float(((phi[:n] + phi[n:]) ** 2).sum())
