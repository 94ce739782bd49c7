"""Models with scores: their losses and areas, and how differences vary, by loops over rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.inference.comparison.contrasts import Apart, Paired
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.comparison.scored import (
    ScoredModel,
    compared_models,
    scored_metrics,
    settled_influence,
)
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import least_variance
from karat.inference.sampling_error import SamplingError
from karat.metrics import get
from tests.inference.rows import Drawn

LOSS, AREA = get("log_loss"), get("roc_auc")
N = 80
RNG = np.random.default_rng(3)
TRUE = (RNG.random(N) < 0.5).astype(int)
WEIGHTS = RNG.uniform(0.5, 2.0, N)
PAIR = (0, 1)
SPEC = ComparisonSpec(0.95, "none", {}, (PAIR,))


def probabilities(seed: int, true: Any = TRUE) -> Any:
    rng = np.random.default_rng(seed)
    p = 1.0 / (1.0 + np.exp(-(rng.normal(size=len(true)) + np.where(true == 1, 1.0, -1.0))))
    return np.column_stack([1.0 - p, p])


def rows(seed: int, true: Any = TRUE, weights: Any = None) -> Any:
    return Drawn(true, probabilities(seed, true), weights, is_prob=True).tallied()


def losses(seed: int, true: Any = TRUE) -> Any:
    prob = probabilities(seed, true)
    return -np.log(prob[np.arange(len(true)), true])


def model(seed: int, true: Any = TRUE, weights: Any = None, **more: Any) -> ScoredModel:
    given = [LOSS, AREA], "zero", more.get("level", 0.95), more.get("clusters"), more.get("look")
    return ScoredModel.of(rows(seed, true, weights), *given)


def variance_of_mean(x: Any, w: Any) -> float:
    """Σ w²(x − mean)² ÷ W², times n ÷ (n − 1) of effective rows."""
    mean, n = (w * x).sum() / w.sum(), w.sum() ** 2 / (w**2).sum()
    return float((w**2 * (x - mean) ** 2).sum() / w.sum() ** 2 * n / (n - 1.0))


def delong(seeds: tuple[int, ...]) -> Any:
    """Covariance of areas (DeLong et al. 1988), pair by pair."""
    own, rest = [], []
    for seed in seeds:
        score = probabilities(seed)[:, 1]
        wins = (score[TRUE == 1][:, None] > score[TRUE == 0]).astype(float)
        own.append(wins.mean(axis=1))
        rest.append(wins.mean(axis=0))
    return np.cov(own) / (TRUE == 1).sum() + np.cov(rest) / (TRUE == 0).sum()


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_estimate_of_a_loss(is_weighted: bool) -> None:
    weights = WEIGHTS if is_weighted else None
    w = np.ones(N) if weights is None else weights
    one = model(0, weights=weights)
    units = one.units(LOSS)
    found = one.estimate(LOSS, units)
    x, n = losses(0), w.sum() ** 2 / (w**2).sum()
    assert found.value == pytest.approx(float((w * x).sum() / w.sum()))
    assert (found.n, found.undefined, found.level) == (N, None, 0.95)
    assert found.variance == pytest.approx(variance_of_mean(x, w))
    assert (found.df, found.n_effective) == pytest.approx((n - 1.0, n))
    assert found.growth == 0.0
    assert found.levels is not None
    quantile = Confidence(0.95).quantile(n - 1.0)
    assert found.least == pytest.approx(least_variance(found.distances, quantile))
    phi = one.influence(LOSS)
    assert phi is not None
    assert phi - phi.mean() == pytest.approx(x - x.mean())
    assert units is one.units(LOSS)
    assert one.units(AREA) is not units
    assert one.fewest == int(min((w[c == TRUE].sum() ** 2 / (w[c == TRUE] ** 2).sum())
                                 for c in (0, 1)))  # fmt: skip


def test_the_estimate_of_an_area() -> None:
    one = model(0)
    found = one.estimate(AREA, one.units(AREA))
    assert found.variance == pytest.approx(float(np.atleast_2d(delong((0, 1)))[0, 0]))
    assert one.units(AREA).compares_classes
    sampling = one.intervals[AREA].sampling
    assert sampling is not None
    assert found.growth == max(sampling.shrunk - sampling.variance, 0.0)
    assert found.growth > 0.0
    for shrunk, growth in ((0.5, 0.2), (0.2, 0.0)):
        error = SamplingError(0.3, shrunk, 9.0, 10.0)
        assert replace(one, intervals={AREA: Interval(sampling=error)}).growth(AREA) == (
            pytest.approx(growth)
        )


def test_an_average_is_undefined_where_it_is_in_every_class() -> None:
    true = np.arange(N) % 2
    prob = np.random.default_rng(0).dirichlet(np.ones(3), N)
    metric = get("roc_auc_ovr_macro")
    drawn = Drawn(true, prob, None, is_prob=True).tallied()
    some = ScoredModel.of(drawn, [metric], "exclude", 0.95, None)
    assert math.isfinite(some.values[metric])
    assert some.undefined == {}
    alone = Drawn(np.zeros(N, int), prob, None, is_prob=True).tallied()
    for policy in ("exclude", "zero", "nan"):
        none = ScoredModel.of(alone, [metric], policy, 0.95, None)  # type: ignore[arg-type]
        why = "no row is truly of the class, or every row is (3 of 3 classes: '0', '1', '2')"
        assert none.undefined == {metric: why}
        assert math.isnan(none.values[metric])


def test_clusters_of_rows_with_scores() -> None:
    clusters = np.arange(N) // 4
    one = model(0, clusters=clusters)
    found = one.estimate(LOSS, one.units(LOSS))
    x = losses(0)
    sums = (x - x.mean()).reshape(20, 4).sum(axis=1) / N
    assert found.variance == pytest.approx(20 / 19 * float((sums**2).sum()))
    assert one.units(LOSS) is one.units(AREA)
    assert one.growth(AREA) == 0.0


def test_endless_losses_of_rows_without_weight_count_for_nothing() -> None:
    prob = probabilities(0)
    prob[0] = (1.0, 0.0) if TRUE[0] == 1 else (0.0, 1.0)
    weights = np.where(np.arange(N) == 0, 0.0, 1.0)
    with_it = ScoredModel.of(
        Drawn(TRUE, prob, weights, is_prob=True).tallied(), [LOSS], "zero", 0.95, None
    )
    phi = with_it.influence(LOSS)
    assert phi is not None
    assert (phi[0], bool(np.isfinite(phi).all())) == (0.0, True)
    endless = ScoredModel.of(
        Drawn(TRUE, prob, None, is_prob=True).tallied(), [LOSS], "zero", 0.95, None
    )
    assert LOSS in endless.undefined
    assert endless.intervals[LOSS] == Interval()
    found = endless.estimate(LOSS, endless.units(LOSS))
    assert found.undefined == "the true class of a row has probability 0, so the loss is infinite"
    assert found.variance is not None
    assert math.isnan(found.variance)


def test_influences_that_are_rounding_are_none() -> None:
    phi = np.array([1e-17, -1e-17])
    assert settled_influence(phi, Interval(standard_error=0.0)).tolist() == [0.0, 0.0]
    for interval in (None, Interval(), Interval(standard_error=0.1)):
        assert settled_influence(phi, interval) is phi


@pytest.mark.parametrize("is_weighted", [False, True])
def test_differences_of_losses_by_hand(is_weighted: bool) -> None:
    weights = WEIGHTS if is_weighted else None
    w = np.ones(N) if weights is None else weights
    models = {"a": model(0, weights=weights), "b": model(1, weights=weights)}
    ((found, values),) = compared_models(models, [LOSS], SPEC, is_paired=True)
    assert isinstance(found.spread, Paired)
    wanted = variance_of_mean(losses(0) - losses(1), w)
    assert found.spread.variance(*PAIR) == pytest.approx(wanted)
    assert (found.method, found.remark) == ("influence t", None)
    assert list(values) == ["a", "b"]
    assert values["a"].level == 0.95
    assert values["a"].value == found.estimates[0].value
    ((apart, _),) = compared_models(models, [LOSS], SPEC, is_paired=False)
    assert isinstance(apart.spread, Apart)
    wanted = variance_of_mean(losses(0), w) + variance_of_mean(losses(1), w)
    assert apart.spread.variance(*PAIR) == pytest.approx(wanted)
    assert apart.method == "unpaired t"


def test_differences_of_areas_by_hand() -> None:
    models = {"a": model(0), "b": model(1)}
    ((found, _),) = compared_models(models, [AREA], SPEC, is_paired=True)
    covariance = delong((0, 1))
    assert found.spread is not None
    wanted = float(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1])
    assert found.spread.variance(*PAIR) == pytest.approx(wanted)
    assert (found.method, found.remark) == ("DeLong", None)
    ((apart, _),) = compared_models(models, [AREA], SPEC, is_paired=False)
    assert apart.spread is not None
    assert apart.spread.variance(*PAIR) == pytest.approx(float(np.trace(covariance)))
    assert apart.method == "unpaired z"
    clusters = np.arange(N) // 4
    grouped = {"a": model(0, clusters=clusters), "b": model(1, clusters=clusters)}
    ((by_cluster, _),) = compared_models(grouped, [AREA], SPEC, is_paired=True)
    assert by_cluster.method == "influence t"
    assert compared_models({}, [], SPEC, is_paired=True) == []


@pytest.mark.parametrize(("fewest", "is_rough"), [(1, None), (2, True), (29, True), (30, False)])
def test_areas_of_few_rows_of_a_class_are_rough(fewest: int, is_rough: bool | None) -> None:
    true = np.where(np.arange(N) < fewest, 1, 0)
    models = {"a": rows(0, true), "b": rows(1, true)}
    clusters = {"a": None, "b": None}
    ((found, _),) = scored_metrics(models, [AREA], "zero", clusters, SPEC, is_paired=True)
    if is_rough is None:
        assert found.remark is not None
        assert "how much it varies" in found.remark
    else:
        wanted = f"the rarest class has {fewest} rows: p is rough" if is_rough else None
        assert found.remark == wanted
        ((apart, _),) = scored_metrics(models, [AREA], "zero", clusters, SPEC, is_paired=False)
        assert apart.remark is None
        ((loss, _),) = scored_metrics(models, [LOSS], "zero", clusters, SPEC, is_paired=True)
        assert loss.remark is None


def test_windows_have_the_degrees_of_their_rarest_class() -> None:
    """Far out, the rows of a rare class decide how far a mean of losses may be."""
    true = np.where(np.arange(N) < 6, 1, 0)
    look = Confidence(0.95, window=1)
    one, plain = model(0, true, look=look), model(0, true)
    assert (one.is_of_looks, plain.is_of_looks) == (True, False)
    assert model(0, true, look=Confidence(0.95)).is_of_looks is False
    assert one.units(LOSS).df == pytest.approx(5.0)
    assert plain.units(LOSS).df == pytest.approx(N - 1.0)
    alone = model(0, np.where(np.arange(N) < 1, 1, 0), look=look)
    assert alone.units(LOSS).df == 1.0


def test_metrics_without_an_influence_have_a_reason() -> None:
    metric = get("ks")
    one = ScoredModel.of(rows(0), [metric], "zero", 0.95, None)
    two = ScoredModel.of(rows(1), [metric], "zero", 0.95, None)
    assert one.influence(metric) is None
    estimate = one.estimate(metric, one.units(metric))
    assert (estimate.influence, estimate.variance) == (None, None)
    ((found, _),) = compared_models({"a": one, "b": two}, [metric], SPEC, is_paired=True)
    assert found.spread is None
    assert found.remark is not None
    assert found.remark.startswith("it has no influence function: it is ")
