"""Many p-values at once, the best of several models, and how all of it prints: by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.inference.comparison import best, families
from karat.inference.comparison.best import Contest, excess_of_best, normal_draws, tail_of_best
from karat.inference.comparison.contrasts import Paired
from karat.inference.comparison.families import (
    at_once,
    false_discoveries,
    holm,
    largest,
    level_of_each,
    statistic_of,
    symmetric_root,
    tail_of,
    wald,
    with_least,
)
from karat.inference.comparison.judging import Measured
from karat.inference.comparison.records import (
    BestModel,
    Difference,
    Discordant,
    Flips,
    ModelValue,
    direction,
    ratio,
)
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.inference.p_values import LeastP
from karat.metrics import get

# p-values of many


def test_adjusted_bounds_are_bounds() -> None:
    """A bound is one of those that it decides, and of no other."""
    found = with_least([LeastP(0.01), 0.03, LeastP(0.5)], holm)
    assert found == pytest.approx([0.03, 0.06, 0.5])
    assert [isinstance(p, LeastP) for p in found] == [True, False, True]
    # The second is at most the first times 3, by which it is decided.
    carried = with_least([0.02, LeastP(0.025)], holm)
    assert carried == pytest.approx([0.04, 0.04])
    assert [isinstance(p, LeastP) for p in carried] == [False, False]
    assert not isinstance(with_least([0.1], lambda p: [np.float64(p[0])])[0], np.floating)


def test_holm_by_hand() -> None:
    """The smallest times 3, the next times 2, the last as it is; none below one before it."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.2, 0.2, 0.9]) == pytest.approx([0.6, 0.6, 0.9])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert all(type(p) is float for p in holm([0.5, 0.6]))


def test_false_discoveries_by_hand() -> None:
    """The least of m·p ÷ rank of this and of all larger ones."""
    p = np.array([0.01, 0.04, 0.03, 0.9, 0.5])
    rank = {0.01: 1, 0.03: 2, 0.04: 3, 0.5: 4, 0.9: 5}
    wanted = [min(5 * x / rank[x] for x in p if x >= own) for own in p]
    assert false_discoveries(p) == pytest.approx(wanted)
    assert false_discoveries(np.array([1.5])).tolist() == [1.0]


def test_levels_and_p_values_of_several_slices() -> None:
    assert level_of_each(0.9, 1) == level_of_each(0.9, 2) == 0.9
    assert level_of_each(0.9, 3) == pytest.approx(0.9 ** (1 / 3), rel=1e-14)
    assert (at_once(0.3, 2), at_once(0.3, 1), at_once(1.2, 5), at_once(1.2, 2)) == (0.3, 0.3, 1, 1)
    assert at_once(0.3, 3) == pytest.approx(1.0 - 0.7**3)
    assert at_once(1e-20, 3) == pytest.approx(3e-20)
    assert (at_once(1.0, 3), at_once(0.0, 3)) == (1.0, 0.0)
    assert [isinstance(at_once(p, 3), LeastP) for p in (LeastP(0.01), 0.01)] == [True, False]


@pytest.mark.parametrize("df", [1.0, 4.5, 80.0, math.inf])
def test_statistics_and_p_values_are_those_of_the_distribution(df: float) -> None:
    of = stats.norm() if math.isinf(df) else stats.t(df)
    for z in (0.0, 0.7, -2.5, 6.0):
        assert tail_of(z, df) == pytest.approx(2.0 * of.sf(abs(z)), rel=1e-12)
    for p in (1e-9, 0.03, 0.5, 0.99):
        assert statistic_of(p, df) == pytest.approx(of.isf(p / 2.0), rel=1e-9)
    assert statistic_of(1.0, df) == statistic_of(1.5, df) == 0.0
    assert tail_of(-math.inf, df) == 0.0
    assert statistic_of(0.0, df) == statistic_of(1e-300, df)
    assert statistic_of(0.0, df) > 0.0
    assert statistic_of(1e-20, df) > 9.0


def test_the_normal_distribution_is_the_usual_one() -> None:
    assert tail_of(1.959963984540054) == pytest.approx(0.05)
    assert statistic_of(0.05) == pytest.approx(1.959963984540054)


def test_the_statistic_of_wald_leaves_out_what_does_not_vary() -> None:
    covariance = np.array([[2.0, 1.0], [1.0, 3.0]])
    d = np.array([1.0, -2.0])
    wanted = float(d @ np.linalg.solve(covariance, d))
    assert wald(d, covariance, math.inf) == pytest.approx((wanted, 2, math.exp(-wanted / 2.0)))
    f = wanted * (10.0 + 1.0 - 2) / (2 * 10.0)
    assert wald(d, covariance, 10.0)[2] == pytest.approx(stats.f.sf(f, 2, 9.0))
    # As many differences as there are degrees of freedom, and one less.
    assert wald(d, covariance, 1.0) == (pytest.approx(wanted), 2, 1.0)
    assert wald(d, covariance, 1.5)[2] == pytest.approx(stats.f.sf(wanted * 0.5 / 3.0, 2, 0.5))


def test_differences_in_directions_that_do_not_vary_count_as_so_many_rows() -> None:
    flat = np.diag([4.0, 0.0])
    assert wald(np.array([2.0, 0.0]), flat, math.inf, 9.0)[:2] == (1.0, 1)
    assert wald(np.array([2.0, 0.9e-9]), flat, math.inf, 9.0)[:2] == (1.0, 1)
    for apart in (1.1e-9, -0.5):
        statistic, rank, p = wald(np.array([2.0, apart]), flat, math.inf, 9.0)
        assert (statistic, rank) == (10.0, 2)
        assert p == pytest.approx(math.exp(-5.0))
    # Directions with less than 10⁻¹⁰ of the largest variance do not vary.
    for part, rank in ((0.9e-10, 1), (1.1e-10, 2)):
        assert wald(np.array([2.0, 0.0]), np.diag([4.0, 4.0 * part]), math.inf)[1] == rank
    assert wald(np.zeros(1), np.zeros((1, 1)), math.inf) == (0.0, 0, 1.0)
    assert wald(np.array([3.0]), np.zeros((1, 1)), 5.0, 6.0)[:2] == (6.0, 1)
    assert wald(np.array([3.0]), np.zeros((1, 1)), math.inf)[0] == math.inf
    assert wald(np.zeros(0), np.zeros((0, 0)), math.inf) == (0.0, 0, 1.0)
    assert wald(np.array([1e-8]), np.array([[1e-16]]), math.inf)[:2] == (pytest.approx(1.0), 1)


def test_the_symmetric_root_of_a_covariance() -> None:
    covariance = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]])
    root = symmetric_root(covariance)
    np.testing.assert_allclose(root, root.T, atol=1e-14)
    np.testing.assert_allclose(root @ root, covariance, rtol=1e-12, atol=1e-14)
    assert np.isfinite(symmetric_root(np.array([[1.0, 2.0], [2.0, 1.0]]))).all()


# Each alone and all at once


def test_many_differences_at_once_by_holm() -> None:
    p = np.array([0.04, 0.01, 0.03])
    found = families.ManyTests.by_holm(p, 0.9)
    assert found.p is p
    assert found.p_adjusted == pytest.approx([0.06, 0.03, 0.06])
    # Bonferroni's limits: a third of the error rate, half of it on each side.
    assert found.quantile == pytest.approx(NormalDist().inv_cdf(1.0 - 0.1 / 6.0), rel=1e-9)
    assert found.n_drawn == 0
    none = families.ManyTests.by_holm(np.zeros(0), 0.9)
    assert none.quantile == pytest.approx(NormalDist().inv_cdf(0.95), rel=1e-9)


def test_many_differences_at_once_by_the_largest_of_replicates() -> None:
    p, z = np.array([0.5, 0.001, 0.3]), np.array([1.0, 4.0, 2.0])
    drawn = families.Largest(np.array([0.5, 1.0, 2.0, 2.5]))
    found = families.ManyTests.by_largest(p, z, drawn, 0.75)
    # 3, 0 and 2 of four are at least as large, and this one.
    assert found.p_adjusted == pytest.approx([4 / 5, 1 / 5, 3 / 5])
    assert found.quantile == pytest.approx(2.0 + 0.25 * 0.5)
    assert found.n_drawn == 4
    more = families.ManyTests.by_largest(np.array([0.9]), z[:1], drawn, 0.75)
    assert (more.p_adjusted.tolist(), more.n_drawn) == ([0.9], 4)


def test_the_level_of_limits_that_hold_for_all() -> None:
    far = families.ManyTests(np.zeros(1), np.zeros(1), 3.0)
    assert far.level_of_all(0.95) == pytest.approx(1.0 - math.erfc(3.0 / math.sqrt(2.0)))
    near = families.ManyTests(np.zeros(1), np.zeros(1), 1.0)
    assert near.level_of_all(0.95) == pytest.approx(0.95)
    assert families.ManyTests(np.zeros(1), np.zeros(1), 30.0).level_of_all(0.95) == 1.0 - 1e-12


# The largest of several statistics


def test_the_largest_has_the_quantiles_of_the_studentized_range() -> None:
    """Of all pairs of three equal, independent means: Tukey's q ÷ √2, from its printed table."""
    covariance, pairs = np.array([[2.0, 1.0], [1.0, 2.0]]), [(1, 0), (2, 0), (1, 2)]
    for df, q in ((math.inf, 3.314), (10.0, 3.877)):
        found = largest(covariance, pairs, df, seed=1)
        assert len(found.draws) == 100_000
        assert (np.diff(found.draws) >= 0.0).all()
        assert found.quantile(0.95) == pytest.approx(q / math.sqrt(2.0), rel=0.01)
        level = float(np.mean(found.draws < 2.0))
        assert found.p_value(2.0) == found.p_value(-2.0) == pytest.approx(1.0 - level, abs=2e-5)


def test_the_share_of_samples_counts_this_one_and_equal_ones() -> None:
    drawn = families.Largest(np.array([0.5, 1.0, 1.0, 2.0]))
    shares = [drawn.p_value(z) for z in (0.0, 0.5, 0.7, 1.0, -1.0, 1.5, 2.0, 2.5)]
    assert shares == [1.0, 1.0, 0.8, 0.8, 0.8, 0.4, 0.4, 0.2]
    assert drawn.quantile(0.5) == 1.0
    assert drawn.quantile(1.0) == 2.0


@pytest.mark.parametrize("df", [math.inf, 6.0])
def test_the_order_and_the_first_of_the_models_change_no_draw(
    df: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "_DRAWS", 300)
    values = np.array([[2.0, 0.6, 0.1], [0.6, 1.0, 0.3], [0.1, 0.3, 3.0]])
    names = ["x", "y", "z"]
    draws = []
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        own = values[np.ix_(order, order)]
        of = np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
        place = {model: i for i, model in enumerate(order)}
        pairs = [(place[1], place[0]), (place[2], place[0])]
        named = [names[model] for model in order]
        draws.append(largest(of @ own @ of.T, pairs, df, 3, named).draws)
    for other in draws[1:]:
        np.testing.assert_allclose(other, draws[0], rtol=1e-9)
    turned = largest(of @ own @ of.T, [pair[::-1] for pair in pairs], df, 3, named).draws
    np.testing.assert_allclose(turned, draws[0], rtol=1e-9)
    assert not np.array_equal(largest(of @ own @ of.T, pairs, df, 4, named).draws, draws[0])


def test_without_names_models_are_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "_DRAWS", 50)
    covariance, pairs = np.array([[2.0, 0.5], [0.5, 1.0]]), [(1, 0), (2, 1)]
    one = largest(covariance, pairs, math.inf, 3).draws
    np.testing.assert_array_equal(
        one, largest(covariance, pairs, math.inf, 3, ["a", "b", "c"]).draws
    )
    # A pair that varies by rounding beside another adds nothing.
    alone = largest(np.array([[1.0]]), [(1, 0)], math.inf, 3).draws
    assert alone.shape == (50,)
    wide = np.diag([1.0, 1e-26])
    with_dust = largest(wide, [(1, 0), (2, 0)], math.inf, 3).draws
    np.testing.assert_array_equal(with_dust, largest(wide, [(1, 0)], math.inf, 3).draws)
    tiny = largest(1e-40 * covariance, pairs, math.inf, 3).draws
    np.testing.assert_allclose(tiny, one, rtol=1e-9)
    assert largest(np.zeros((2, 2)), pairs, math.inf, 3).draws.tolist() == [0.0] * 50
    more = largest(np.diag([1.0, 1e-22]), [(1, 0), (2, 0)], math.inf, 3).draws
    assert (more >= with_dust - 1e-9).all()
    assert (more > with_dust + 1e-3).any()


# The best of several models


def values_of(values: list[float], level: float = 0.95, step: float = 0.1) -> dict[str, ModelValue]:
    names = "abcdef"
    return {names[i]: ModelValue(x, x - step, x + step, level) for i, x in enumerate(values)}


def contest(values: list[float], covariance: Any, metric: str = "accuracy", **more: Any) -> Contest:
    """A contest of models whose differences have the variances of this covariance."""
    both = np.asarray(covariance, np.float64)
    of = np.column_stack([-np.ones(len(values) - 1), np.eye(len(values) - 1)])
    spread = Paired({}, of @ both @ of.T, math.inf, own=np.diag(both))
    estimates = [Estimate(x, 99) for x in values]
    found = Measured(get(metric), estimates, spread, "influence z", **more)
    return Contest.of(found, values_of(values))


def test_the_best_model_is_that_with_the_best_value() -> None:
    values = [0.3, 0.7, 0.5]
    high, low = contest(values, np.eye(3)), contest(values, np.eye(3), "error_rate")
    assert (high.best, high.sign, low.best, low.sign) == (1, 1.0, 0, -1.0)
    assert high.shown is not None
    assert high.shown.value == high.estimate.value == 0.7  # type: ignore[union-attr]
    np.testing.assert_allclose(high.covariance, np.eye(3), atol=1e-15)  # type: ignore[arg-type]
    assert (high.names, high.reason, high.equals) == (("a", "b", "c"), None, [])
    endless = contest([0.3, math.inf, 0.5], np.eye(3), "log_loss")
    assert endless.best == 0
    assert contest([0.3, math.inf, 0.5], np.eye(3)).best == 2
    assert contest([math.nan, 0.5, 0.5], np.eye(3)).equals == ["c"]
    assert contest([0.5, 0.4, 0.5, 0.5], np.eye(4)).equals == ["c", "d"]
    none = contest([math.nan, math.nan], np.eye(2))
    assert (none.best, none.equals) == (None, [])


def test_why_the_best_is_not_corrected() -> None:
    unbiased = contest([0.3, 0.5], np.eye(2), "predicted_count")
    assert unbiased.reason == "neither direction of the metric is better"
    assert unbiased.best is None
    assert contest([0.3, math.nan], np.eye(2)).reason == "the value of 'b' is undefined or infinite"
    both = contest([math.inf, math.nan], np.eye(2))
    assert both.reason == "the value of 'a', 'b' is undefined or infinite"
    still = contest([0.3, 0.5], np.diag([1.0, 0.0]))
    assert still.reason == "the value of b has no variance in these rows"
    assert contest([0.3, 0.5], np.diag([0.0, 1.0])).reason is None
    slope = "the metric is not differentiable at one of the confusion matrices"
    unknown = replace(contest([0.3, 0.5], np.eye(2)), covariance=None)
    assert unknown.reason == slope
    assert replace(unknown, covariance=np.array([[1.0, math.nan], [0.0, 1.0]])).reason == slope
    found = Measured(get("accuracy"), [Estimate(0.3, 9), Estimate(0.5, 9)], None, "", remark="few")
    assert Contest.of(found, values_of([0.3, 0.5])).reason == "few"


def test_what_is_not_corrected_has_its_value_alone() -> None:
    found = contest([0.3, 0.5], np.diag([1.0, 0.0])).outcome(0.9, 0)
    assert (found.metric, found.model, found.value, found.n_models) == ("accuracy", "b", 0.5, 2)
    assert (found.corrected, found.low, found.level) == (None, None, 0.9)
    none = contest([math.nan, math.nan], np.eye(2)).outcome(0.9, 0)
    assert none.model is None
    assert math.isnan(none.value)


def test_the_excess_of_the_best_by_a_loop() -> None:
    """√((1 + c) ÷ c) times the mean error of the model that is best with noise √c·e, c = ½."""
    rng = np.random.default_rng(0)
    values, draws = rng.normal(size=4), rng.normal(size=(50, 4))
    chosen = []
    for errors in draws:
        noisy = [
            value + math.sqrt(0.5) * error for value, error in zip(values, errors, strict=True)
        ]
        chosen.append(errors[noisy.index(max(noisy))])
    wanted = math.sqrt(3.0) * sum(chosen) / 50
    assert excess_of_best(values, draws) == pytest.approx(wanted, rel=1e-12)


def test_the_excess_of_the_best_of_equal_values() -> None:
    """The larger of two independent errors is 1 ÷ √π on average, and counts √3 times as much."""
    draws = normal_draws(np.eye(2), 0, 40_000)
    assert draws.shape == (80_000, 2)
    assert (draws[:40_000] == -draws[40_000:]).all()
    assert excess_of_best(np.zeros(2), draws) == pytest.approx(math.sqrt(3.0 / math.pi), rel=0.02)
    assert excess_of_best(np.array([0.0, 50.0]), draws) == pytest.approx(0.0, abs=1e-12)
    other = normal_draws(np.array([[4.0, 1.0], [1.0, 2.0]]), 1, 40_000)
    np.testing.assert_allclose(np.cov(other.T), [[4.0, 1.0], [1.0, 2.0]], rtol=0.05)


def test_the_tail_of_the_best_by_a_loop() -> None:
    rng = np.random.default_rng(2)
    covariance = np.array([[1.0, 0.3, 0.0], [0.3, 2.0, 0.5], [0.0, 0.5, 0.5]])
    even = rng.normal(size=(400, 3)) @ symmetric_root(covariance)
    skewed = 1.0 - rng.exponential(size=(400, 3))
    for values, draws in (
        (np.zeros(3), even),
        (np.array([0.0, 5.0, 1.5]), even),
        (np.array([4.0, 0.0, -3.0]), even),
        (np.array([40.0, 0.0, -3.0]), skewed),
        (np.array([4.0, 1.0, 3.0]), skewed),
    ):
        best_ = int(values.argmax())
        gaps = []
        for i in range(3):
            apart = math.sqrt(
                covariance[i, i] + covariance[best_, best_] - 2.0 * covariance[best_, i]
            )
            gaps.append(max(values[best_] - values[i] - 2.0 * apart, 0.0))
        errors = []
        for row in draws:
            sums = [float(e - gap) for e, gap in zip(row, gaps, strict=True)]
            i = sums.index(max(sums))
            errors.append(row[i] / math.sqrt(covariance[i, i]))
        level = 0.9
        usual = np.quantile(draws[:, best_], 0.95) / math.sqrt(covariance[best_, best_])
        too_low = min(float(np.mean([e < -usual for e in errors])), 0.05)
        far = float(np.quantile(errors, level + too_low))
        z = NormalDist().inv_cdf(0.95) * max(far / usual, 1.0)
        wanted = 1.0 - NormalDist().cdf(z)
        assert tail_of_best(values, covariance, draws, level) == pytest.approx(wanted, rel=1e-9)


def test_a_clear_best_has_the_usual_tail() -> None:
    draws = normal_draws(np.eye(2), 0, 500)
    tail = tail_of_best(np.array([0.0, 50.0]), np.eye(2), draws, 0.95)
    assert tail == pytest.approx(0.025, rel=1e-12)
    # A model that does not vary is never too large by chance.
    still = normal_draws(np.diag([1.0, 0.0]), 0, 500)
    tail = tail_of_best(np.zeros(2), np.diag([1.0, 0.0]), still, 0.95)
    assert tail == pytest.approx(0.025, rel=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "error_rate"])
def test_the_outcome_of_a_contest(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The value less the excess of the best; the limit on the better side is that of the value."""
    monkeypatch.setattr(best, "_DRAWS", 300)
    covariance, values = np.diag([1e-4, 2e-4, 3e-4]), [0.53, 0.5, 0.51]
    found = contest(values, covariance, metric)
    sign = 1.0 if metric == "accuracy" else -1.0
    one = found.outcome(0.95, 7)
    at = 0 if sign > 0.0 else 1
    draws = normal_draws(covariance, 7, 300)
    goodness = sign * np.array(values)
    corrected = values[at] - sign * excess_of_best(goodness, draws)
    assert (one.model, one.value, one.method) == ("ab"[at], values[at], "parametric bootstrap")
    assert one.corrected == pytest.approx(corrected)
    tail = tail_of_best(goodness, covariance, draws, 0.95)
    assert tail < 0.025
    times = NormalDist().inv_cdf(1.0 - tail) / NormalDist().inv_cdf(0.975)
    assert times > 1.0
    limits = values[at] - 0.1 * times, values[at] + 0.1
    assert (one.low, one.high) == pytest.approx(
        limits if sign > 0.0 else (values[at] - 0.1, values[at] + 0.1 * times)
    )
    assert one.remark is None
    again = replace(found, names=("c", "a", "b"))
    turned = again.outcome(0.95, 7).corrected
    order = normal_draws(covariance[np.ix_([1, 2, 0], [1, 2, 0])], 7, 300)[:, [2, 0, 1]]
    assert turned == pytest.approx(values[at] - sign * excess_of_best(goodness, order))


def test_of_many_models_fewer_draws_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many numbers in all, and at most 20 000 draws, each with its mirror image."""
    covariance, values = np.diag([1e-4, 2e-4, 3e-4]), [0.53, 0.5, 0.51]
    monkeypatch.setattr(best, "_MOST_NUMBERS", 299)
    draws = normal_draws(covariance, 7, 299 // 3 + 1)
    assert draws.shape == (200, 3)
    found = contest(values, covariance).outcome(0.95, 7)
    assert found.corrected == pytest.approx(0.53 - excess_of_best(np.array(values), draws))
    assert normal_draws(np.eye(1), 0).shape == (40_000, 1)
    # Without both limits the corrected value is not held within them.
    bare = replace(contest(values, covariance), shown=ModelValue(0.53, None, 0.52))
    assert bare.outcome(0.95, 7).corrected == found.corrected


def test_remarks_on_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best, "_DRAWS", 300)
    one = contest([0.5, 0.5, 0.5], np.diag([0.001, 0.001, 0.001])).outcome(0.95, 0)
    below = (
        "the corrected value is worse than every measured one, as happens in three of ten samples "
        "of equal models: it estimates the value on new rows, not the order of the models"
    )
    assert one.remark == f"'b', 'c' gave the same value; {below}"
    far = contest([0.5, 0.9], np.diag([1e-6, 1e-6])).outcome(0.95, 0)
    assert (far.remark, far.corrected) == (None, pytest.approx(0.9))
    # The corrected value lies within the limits.
    narrow = replace(contest([0.5, 0.5], np.eye(2)), shown=ModelValue(0.5, 0.499, 0.501))
    found = narrow.outcome(0.95, 0)
    assert found.low is not None
    assert found.corrected == found.low < 0.499


def test_the_worse_limit_of_the_best() -> None:
    """Farther away by the limits at that level, or by the quantiles; never nearer."""
    one = contest([0.4, 0.5], np.eye(2))
    times = NormalDist().inv_cdf(0.99) / NormalDist().inv_cdf(0.975)
    assert one._limits(0.95, 0.01) == pytest.approx((0.5 - 0.1 * times, 0.6))
    assert one._limits(0.95, 0.025) == one._limits(0.95, 0.03) == (0.4, 0.6)
    lower = contest([0.5, 0.6], np.eye(2), "error_rate")
    assert lower._limits(0.95, 0.01) == pytest.approx((0.4, 0.5 + 0.1 * times))
    for limits in ((None, 0.6), (0.4, None)):
        bare = replace(one, shown=ModelValue(0.5, *limits))
        assert bare._limits(0.95, 0.01) == limits
    # Inside the range.
    assert replace(one, shown=ModelValue(0.05, 0.001, 0.6))._limits(0.95, 1e-9)[0] == 0.0
    assert replace(lower, shown=ModelValue(0.95, 0.4, 0.999))._limits(0.95, 1e-9)[1] == 1.0

    class Levels:
        df = math.inf

        def __init__(self, low: float | None, high: float | None) -> None:
            self.found = Interval(low, high)

        def interval(self, confidence: Confidence) -> Interval:
            assert confidence.level == pytest.approx(0.98)
            return self.found

    for low, high, wanted in ((0.3, 0.9, (0.3, 0.6)), (0.45, 0.9, (0.4, 0.6))):
        known = replace(one, estimate=Estimate(0.5, 9, levels=Levels(low, high)))
        assert known._limits(0.95, 0.01) == wanted
    for low, high, wanted in ((0.3, 0.9, (0.4, 0.9)), (0.45, 0.55, (0.4, 0.6))):
        known = replace(lower, estimate=Estimate(0.5, 9, levels=Levels(low, high)))
        assert known._limits(0.95, 0.01) == wanted
    for low, high in ((None, 0.9), (0.3, None)):
        some = replace(one, estimate=Estimate(0.5, 9, levels=Levels(low, high)))
        assert some._limits(0.95, 0.01) == pytest.approx((0.5 - 0.1 * times, 0.6))


def test_a_contest_is_decided_once() -> None:
    models = best.BestModels({"accuracy": contest([0.3, 0.5], np.diag([1.0, 0.0]))}, 0.9, 3)
    assert models("accuracy") is models("accuracy")
    assert models("accuracy").level == 0.9


# Records


def test_directions_and_quotients() -> None:
    assert [direction(d, "higher") for d in (0.1, -0.1)] == ["better", "worse"]
    assert [direction(d, "lower") for d in (0.1, -0.1)] == ["worse", "better"]
    assert [direction(d, None) for d in (0.1, -0.1)] == ["higher", "lower"]
    assert (ratio(3.0, 2.0), ratio(3.0, 0.0), ratio(0.0, 2.0)) == (1.5, math.inf, 0.0)
    assert math.isnan(ratio(0.0, 0.0))


def test_a_difference_seen_from_the_other_model() -> None:
    one = Difference(
        "accuracy", "a", "b", 0.8, 0.7, 0.1, 0.02, 0.2, p=0.03, verdict="better", n=50,
        not_inferior=True, discordant=Discordant(8.0, 2.0, 4.0, 0.5, 30.0),
    )  # fmt: skip
    other = one.turned()
    assert (other.a, other.b, other.value_a, other.value_b) == ("b", "a", 0.7, 0.8)
    assert (other.difference, other.low, other.high) == (-0.1, -0.2, -0.02)
    assert (other.verdict, other.not_inferior, other.p, other.n) == ("worse", None, 0.03, 50)
    assert other.discordant == Discordant(2.0, 8.0, 0.25, 2.0, 30.0)
    assert other.value == float(other) == -0.1
    assert other.turned() == replace(one, not_inferior=None)
    for verdict, turned in (("higher", "lower"), ("lower", "higher"), ("worse", "better"),
                            ("identical", "identical"), ("equivalent", "equivalent")):  # fmt: skip
        assert replace(one, verdict=verdict).turned().verdict == turned  # type: ignore[arg-type]
    still = Difference("accuracy", "a", "b", 0.8, 0.8, 0.0).turned()
    assert (math.copysign(1.0, still.difference), still.low, still.high) == (1.0, None, None)
    assert still.discordant is None
    none = replace(one, discordant=Discordant(8.0, 0.0, math.inf, 0.0)).turned().discordant
    assert none == Discordant(0.0, 8.0, 0.0, math.inf)


def test_how_a_difference_prints() -> None:
    one = Difference("accuracy", "a", "b", 0.8, 0.7, 0.1, 0.02, 0.2, p=0.03, verdict="better")
    assert str(one) == "accuracy: a − b = +0.1 [+0.02, +0.2], p = 0.03: better"
    assert str(replace(one, p_adjusted=0.03)) == str(one)
    assert str(replace(one, p_adjusted=0.06)).endswith(", p = 0.03, for all pairs p = 0.06: better")
    untested = Difference("accuracy", "a", "b", 0.8, math.nan, math.nan, verdict="not tested")
    assert str(untested) == "accuracy: a − b: not tested"
    assert str(replace(untested, remark="none")) == "accuracy: a − b: not tested, none"
    assert str(replace(one, remark="none")) == str(one)
    assert (one.level, one.n, one.method, untested.verdict) == (0.95, 0, "", "not tested")
    assert Difference("accuracy", "a", "b", 0.8, 0.7, 0.1).verdict == "inconclusive"


def test_values_of_models_and_how_they_print() -> None:
    found = Interval(0.4, 0.6, "wilson", 0.05, "rough")
    value = ModelValue.of(0.5, found, 0.9)
    assert value == ModelValue(0.5, 0.4, 0.6, 0.9, "wilson", 0.05, "rough")
    assert (float(value), str(value)) == (0.5, "0.5000 [0.4000, 0.6000]")
    assert str(ModelValue(0.5, remark="one row")) == "0.5000 (one row)"
    assert str(ModelValue(0.5)) == "0.5000"
    of = ModelValue.of_estimate(Estimate(0.5, 9, interval=found), Confidence(0.9))
    assert of == value
    undefined = ModelValue.of_estimate(Estimate(0.5, 9, "no rows", interval=found), Confidence(0.9))
    assert math.isnan(undefined.value)
    assert (undefined.low, undefined.level, undefined.remark) == (None, 0.9, "undefined: no rows")
    assert ModelValue.undefined(-math.inf, "x", 0.9).value == -math.inf


def test_how_the_best_prints() -> None:
    none = BestModel("n", None, math.nan, 3, remark="neither is better")
    assert str(none) == "Best of 3 by n: none, neither is better"
    bare = BestModel("accuracy", "a", 0.5, 3, remark="no variance")
    assert str(bare) == "Best of 3 by accuracy: a 0.5000; not corrected for selection: no variance"
    full = BestModel("accuracy", "a", 0.5, 3, corrected=0.45, low=0.4, high=0.6)
    text = "Best of 3 by accuracy: a 0.5000; corrected for selection 0.4500"
    assert (str(full), float(full)) == (f"{text} [0.4000, 0.6000]", 0.5)
    assert str(replace(full, low=None, high=None)) == text
    assert str(replace(full, remark="b is equal")) == f"{text} [0.4000, 0.6000]; b is equal"
    assert full.level == 0.95


def test_flips_are_as_many_as_their_rows() -> None:
    rows, labels = np.array([3, 5, 8]), np.array(["x", "y", "x"])
    assert len(Flips("a", "b", rows, labels, labels, labels, np.ones(3, bool))) == 3
