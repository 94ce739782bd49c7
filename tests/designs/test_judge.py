"""Gold rows beside a judge: the weight of the judge and its variance against loops over rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat.designs.clusters import degrees_of_clusters
from karat.designs.judge import Both, Tuned, Weighed, cost_of_tuning, with_df
from karat.designs.units import small_sample

N, REST = 24, 80


def influences(seed: int = 1) -> tuple[Any, Any, Any]:
    """Of gold rows by both labels, which go together, and of reference rows by the judge's."""
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=N)
    return gold, 0.8 * gold + 0.3 * rng.normal(size=N), rng.normal(size=REST)


def weights(n: int, seed: int = 2) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 2.0, n)


def plain_by_hand(w: Any, values: Any) -> float:
    """`plain_variance`: by weight, mixed with that of rows as they are, to eight rows' worth."""
    n = w.sum() ** 2 / (w**2).sum()
    mean = (w * values).sum() / w.sum()
    varies = (w * (values - mean) ** 2).sum() / w.sum()
    if not np.allclose(w, w[0]):
        varies = (n * varies + 8.0 * values.var()) / (n + 8.0)
    return float(varies / n)


def held_by_hand(w: Any, variance: float, values: Any, rest: float = 0.0) -> float:
    if np.allclose(w, w[0]):
        return variance
    n = w.sum() ** 2 / (w**2).sum()
    part = 1.0 / (1.0 + (n / 100.0) ** 2)
    other = plain_by_hand(w, values) + rest
    return max(variance, (1.0 - part) * variance + part * other)


def moves_by_hand(w: Any, values: Any) -> Any:
    return w * (values - (w * values).sum() / w.sum()) / w.sum()


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("given", [None, 0.4, 1.0])
def test_the_weight_of_a_judge_by_hand(is_weighted: bool, given: float | None) -> None:
    by_gold, by_judge, of_rest = influences()
    w = weights(N) if is_weighted else np.ones(N)
    tuned = Both(Weighed.of(w), Weighed.of(np.ones(REST))).tuned(by_gold, by_judge, of_rest, given)
    n = w.sum() ** 2 / (w**2).sum()
    own, second = moves_by_hand(w, by_gold), -moves_by_hand(w, by_judge)
    third = moves_by_hand(np.ones(REST), of_rest)
    alone = held_by_hand(w, (own**2).sum(), by_gold) * n / (n - 1)
    share = given
    if share is None:
        together = np.concatenate([n * w / w.sum(), np.ones(REST)]) / (n + REST)
        values = np.concatenate([by_judge, of_rest])
        all_rows = (together * (values - (together * values).sum()) ** 2).sum()
        all_rows *= (n + REST) / (n + REST - 1) * (1 / n + 1 / REST)
        share = min(max(-(own * second).sum() / all_rows, 0.0), 1.0)
        assert 0.0 < share < 1.0
    cost = n / (n - 2) * (1 + 1 / n)
    rest = share**2 * (third**2).sum() / cost
    variance = cost * held_by_hand(
        w, ((own + share * second) ** 2).sum() + rest, by_gold - share * by_judge, rest
    )
    assert (tuned.weight, tuned.variance) == pytest.approx((share, variance))
    assert tuned.gain == pytest.approx(alone / variance)
    assert tuned.df == (math.inf if not is_weighted else pytest.approx(n - 1.0))


def test_a_judge_without_weight_is_none() -> None:
    by_gold, by_judge, of_rest = influences()
    both = Both(Weighed.of(np.ones(N)), Weighed.of(np.ones(REST)))
    alone = (moves_by_hand(np.ones(N), by_gold) ** 2).sum() * N / (N - 1)
    for judge, given in ((by_judge, 0.0), (-by_judge, None), (0.0 * by_judge, None)):
        tuned = both.tuned(by_gold, judge, of_rest if judge.any() else 0.0 * of_rest, given)
        assert tuned == Tuned(0.0, 1.0, pytest.approx(alone))


def test_a_judge_that_makes_it_worse_counts_for_nothing_unless_it_was_given() -> None:
    rng = np.random.default_rng(5)
    by_gold, by_judge = rng.normal(size=N), 30.0 * rng.normal(size=N)
    both = Both(Weighed.of(np.ones(N)), Weighed.of(np.ones(REST)))
    of_rest = 30.0 * rng.normal(size=REST)
    given = both.tuned(by_gold, by_judge, of_rest, 0.5)
    assert given.weight == 0.5
    assert given.gain < 1.0
    assert both.tuned(by_gold, by_judge, of_rest).weight == 0.0


def test_a_judge_that_is_almost_right_gains_at_most_what_rounding_leaves() -> None:
    by_gold = influences()[0]
    both = Both(Weighed.of(np.ones(N)), Weighed.of(np.ones(REST)))
    tuned = both.tuned(by_gold, by_gold * (1.0 + 1e-9), np.zeros(REST), 1.0)
    assert tuned.gain == pytest.approx(1e12)
    # One that is right on every gold row may err on the next one.
    right = both.tuned(by_gold, by_gold, np.zeros(REST), 1.0)
    largest = np.abs(by_gold - by_gold.mean()).max() / N
    assert right.variance == pytest.approx(cost_of_tuning(N) * largest**2)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_rows_without_weight_count_for_nothing(bad: float) -> None:
    by_gold, by_judge, of_rest = influences()
    some = Both(Weighed.of(np.append(weights(N), 0.0)), Weighed.of(np.append(np.ones(REST), 0.0)))
    less = Both(Weighed.of(weights(N)), Weighed.of(np.ones(REST)))
    expected = less.tuned(by_gold, by_judge, of_rest)
    with np.errstate(invalid="ignore"):
        found = some.tuned(*(np.append(each, bad) for each in (by_gold, by_judge, of_rest)))
    assert found.weight == pytest.approx(expected.weight)
    assert (found.variance, found.gain) == pytest.approx((expected.variance, expected.gain))
    # One that counts makes the value unknown, or the judge useless.
    odd = by_gold.copy()
    odd[0] = bad
    with np.errstate(invalid="ignore"):
        assert math.isnan(less.tuned(odd, by_judge, of_rest).variance)
        assert less.tuned(by_gold, odd, of_rest).weight == 0.0
        assert less.tuned(by_gold, by_judge, np.append(of_rest[1:], bad)).weight == 0.0


@pytest.mark.parametrize("is_gold_last", [False, True])
def test_clusters_that_gold_and_reference_rows_share(is_gold_last: bool) -> None:
    by_gold, by_judge, of_rest = influences()
    gold, rest = np.arange(N) % 12, np.arange(REST) % 15
    if is_gold_last:
        # Clusters of gold rows alone have the largest numbers.
        gold = gold + 5
    both = Both(
        Weighed.of(np.ones(N), clusters=gold), Weighed.of(np.ones(REST), clusters=rest), True
    )
    tuned = both.tuned(by_gold, by_judge, of_rest, 0.5)
    own = np.zeros(20)
    np.add.at(own, gold, moves_by_hand(np.ones(N), by_gold))
    second = np.zeros(20)
    np.add.at(second, gold, -moves_by_hand(np.ones(N), by_judge))
    np.add.at(second, rest, moves_by_hand(np.ones(REST), of_rest))
    n = 12.0
    square = ((own + 0.5 * second) ** 2).sum()
    of_third = (moves_by_hand(np.ones(REST), of_rest) ** 2).sum() * 0.25 / cost_of_tuning(n)
    variance = cost_of_tuning(n) * _held_in_clusters(square, by_gold - 0.5 * by_judge, of_third)
    assert both.gold.n == pytest.approx(n)
    assert tuned.variance == pytest.approx(variance)
    parts = np.abs(own + 0.5 * second)[: max(gold.max(), rest.max()) + 1]
    assert tuned.df == pytest.approx(min(float(degrees_of_clusters(parts)), n - 1.0))
    alone = both.tuned(by_gold, by_judge, of_rest, 0.0)
    variance = _held_in_clusters((own**2).sum(), by_gold) * n / (n - 1)
    assert alone.variance == pytest.approx(variance)


def _held_in_clusters(variance: float, values: Any, rest: float = 0.0) -> float:
    """In clusters few rows hold a variance up, also where weights are equal."""
    part = 1.0 / (1.0 + (N / 100.0) ** 2)
    other = float(values.var()) / N + rest
    return max(variance, (1.0 - part) * variance + part * other)


def test_variances_of_fitted_means() -> None:
    by_gold, _, of_rest = influences()
    for w in (np.ones(N), weights(N)):
        both = Both(Weighed.of(w), Weighed.of(np.ones(REST)))
        n = w.sum() ** 2 / (w**2).sum()
        square = (moves_by_hand(w, by_gold) ** 2).sum()
        rest = (moves_by_hand(np.ones(REST), of_rest) ** 2).sum()
        for fitted in (1, 3, 30):
            factor = n / max(n - fitted, 1.0)
            expected = factor * held_by_hand(w, square + rest / factor, by_gold, rest / factor)
            assert both.variance(by_gold, of_rest, fitted) == pytest.approx(expected)
    gold, rest_of = np.arange(N) % 6, np.arange(REST) % 9
    both = Both(Weighed.of(np.ones(N), None, gold), Weighed.of(np.ones(REST), None, rest_of), True)
    sums = np.zeros(9)
    np.add.at(sums, gold, moves_by_hand(np.ones(N), by_gold))
    np.add.at(sums, rest_of, moves_by_hand(np.ones(REST), of_rest))
    factor = 6 / 5
    rest = (moves_by_hand(np.ones(REST), of_rest) ** 2).sum() / factor
    expected = factor * _held_in_clusters((sums**2).sum(), by_gold, rest)
    assert both.variance(by_gold, of_rest) == pytest.approx(expected)


def test_rows_and_their_weights() -> None:
    w, values = weights(N), influences()[0]
    rows = Weighed.of(w)
    assert rows.n_rows == rows.n == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert not rows.has_equal_weights
    assert rows.df == pytest.approx(rows.n_rows - 1.0)
    assert rows.mean(values) == pytest.approx(np.average(values, weights=w))
    assert rows.moves(values) == pytest.approx(moves_by_hand(w, values))
    assert rows.plain_variance(values) == pytest.approx(plain_by_hand(w, values))
    assert rows.largest(values) == pytest.approx(np.abs(moves_by_hand(w, values)).max())
    # Three equal rows in a cell: a single one adds a third of what they add together.
    cells = Weighed.of(np.full(4, 3.0), np.full(4, 3.0))
    assert cells.has_equal_weights
    assert math.isinf(cells.df)
    assert cells.n_rows == pytest.approx(12.0)
    four = np.array([1.0, 0.0, 0.0, 0.0])
    assert cells.largest(four) == pytest.approx(0.75 / 12)
    assert cells.plain_variance(four) == pytest.approx(0.75 * 0.25 / 12)
    # One row has most of the weight: there is a degree of freedom at least.
    assert Weighed.of([100.0, 1.0]).df == 1.0


def test_costs_of_few_rows() -> None:
    assert cost_of_tuning(10.0) == pytest.approx(10 / 8 * 1.1)
    assert with_df(100.0, 2.0, 2.5) == pytest.approx(64.0)
    assert float(small_sample(10.0)) == pytest.approx(10 / 9)


@pytest.mark.parametrize("is_by_weight", [False, True])
def test_degrees_of_clusters_of_gold_rows_are_at_most_their_effective_number(
    is_by_weight: bool,
) -> None:
    """One cluster has most of the rows, or of the weight; the errors of all are alike."""
    clusters = np.array([0] * 9 + [1, 2, 3, 4, 5])
    w, values = np.ones(14), np.array([1 / 9] * 9 + [1.0, -1.0, 1.0, -1.0, 1.0])
    if is_by_weight:
        clusters, w, values = np.arange(6), np.array([9.0] + [1.0] * 5), values[8:]
    both = Both(Weighed.of(w, clusters=clusters), Weighed.of(w, clusters=clusters), True)
    n = 14**2 / (81 + 5)
    assert both.gold.n == pytest.approx(n)
    assert both.gold.df == (pytest.approx(n - 1.0) if is_by_weight else math.inf)
    values = values - np.average(values, weights=w)
    parts = np.bincount(clusters, moves_by_hand(w, values))
    assert float(degrees_of_clusters(np.abs(parts))) > n - 1.0
    tuned = both.tuned(values, 0.0 * values, 0.0 * values, 0.0)
    assert tuned.df == pytest.approx(n - 1.0)
