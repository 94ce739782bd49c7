"""The variance of a metric is Σw²φ²/W² with small-sample factors, however it was added up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.data.scores.rows import InMemoryScores
from karat.errors import KaratError
from karat.inference import influence_variance
from karat.inference.variance import SamplingError, Sizes
from karat.metrics import get
from karat.metrics._influence.gather import influences
from karat.metrics._measure import measure
from karat.metrics._metric import Metric
from tests.inference import reference_influence as reference
from tests.inference.rows import (
    Drawn,
    drawn,
    influence_variances,
    measured_with_variances,
    smooth_metrics,
)
from tests.same import assert_same

KINDS = ("none", "any", "sparse")


def plain(name: str, lift: Any = "plain", **params: Any) -> Metric:
    return Metric.of(get(name).record, lift, params)


def spread_of(rows: Drawn, metric: Metric, *clusters: Any) -> SamplingError:
    found = influence_variances(rows.tallied(), [metric], *clusters)[metric]
    assert isinstance(found, SamplingError)
    return found


def by_rows(rows: Drawn, metric: Metric) -> Any:
    """Σ f·w²φ²/W², from the reference."""
    held = rows.take(rows.plain().weights > 0)
    factors, given = Sizes.of(held.tallied()).factors(metric), held.plain()
    phi = reference.influence(metric, given)
    return (factors[..., held.codes] * (given.weights * phi) ** 2).sum(axis=-1) / given.total**2


def check_variances(rows: Drawn, metrics: list[Metric]) -> None:
    for metric, found in influence_variances(rows.tallied(), metrics).items():
        each = found if isinstance(found, tuple) else (found,)
        wanted = np.atleast_1d(by_rows(rows, metric))
        assert_same([one.variance for one in each], wanted, within=1e-9, about=str(metric))
        for one in each:
            assert one.missing == ""
            assert one.df > 1
            assert 1 < one.n_effective <= len(rows.codes) * (1 + 1e-12)
            assert one.shrunk > 0


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("is_prob", [False, True])
@pytest.mark.parametrize("k", [2, 4])
def test_variances_of_every_metric(k: int, is_prob: bool, ties: bool, weights: str) -> None:
    rows = drawn(11, 160, k, is_prob=is_prob, ties=ties, weights=weights)
    check_variances(rows, smooth_metrics(k))


@pytest.mark.parametrize("weights", ["none", "any"])
def test_long_rows(weights: str) -> None:
    rows = drawn(12, 9000, 2, weights=weights)
    names = ("roc_auc", "gini", "average_precision", "log_loss", "brier", "d2_brier")
    check_variances(rows, [get(name) for name in names])


@pytest.mark.parametrize("weights", KINDS)
def test_values_and_spreads_of_one_sort_are_those_of_two(weights: str) -> None:
    for k in (2, 3):
        rows, wanted = drawn(13, 120, k, weights=weights), smooth_metrics(k)
        rough = [get("ks_statistic")] if k == 2 else []
        values, spreads = measured_with_variances(rows.tallied(), [*wanted, *rough], wanted)
        alone = measure(rows.tallied(), [*wanted, *rough])
        for metric, value in alone.items():
            assert_same(values[metric].value, value.value, about=str(metric))
        assert set(spreads) == set(wanted)
        for metric, found in influence_variances(rows.tallied(), wanted).items():
            assert_same(fields(spreads[metric]), fields(found), about=str(metric))


def test_weights_that_are_all_alike_are_none() -> None:
    for k in (2, 3):
        rows = drawn(14, 90, k)
        doubled = replace(rows, weights=np.full(90, 2.0))
        for metric in smooth_metrics(k):
            one, two = (
                influence_variances(each.tallied(), [metric])[metric] for each in (rows, doubled)
            )
            assert_same(fields(two), fields(one), within=1e-9, about=str(metric))


def fields(found: Any) -> Any:
    each = found if isinstance(found, tuple) else (found,)
    names = ("variance", "shrunk", "df", "n_effective", "n_informative")
    return [[getattr(one, name) for name in names] for one in each]


def test_every_row_twice_halves_the_variance_but_for_the_factors() -> None:
    for k in (2, 3):
        rows = drawn(15, 90, k, ties=True)
        twice = rows.take(np.repeat(np.arange(90), 2))
        for metric in smooth_metrics(k):
            ratios = []
            for each in (rows, twice):
                phi = influences(each.tallied(), [metric])[metric]
                ratios.append((phi**2).sum(axis=-1) / len(each.codes) ** 2)
            assert_same(ratios[0], 2 * ratios[1], within=1e-9, about=str(metric))
    log_loss = get("log_loss")
    one, two = spread_of(rows, log_loss), spread_of(twice, log_loss)
    assert_same(two.variance * 179 / 89, one.variance, within=1e-9)
    assert two.df == 179


def test_clusters_of_one_row_each_are_rows() -> None:
    for weights in KINDS:
        for k in (2, 3):
            rows = drawn(16, 80, k, weights=weights)
            given = rows.plain()
            n_held = int((given.weights > 0).sum())
            for metric in smooth_metrics(k):
                phi = influences(rows.tallied(), [metric])[metric]
                with np.errstate(invalid="ignore"):
                    terms = np.where(given.weights > 0, given.weights * phi, 0.0)
                wanted = (terms**2).sum(axis=-1) / given.total**2 * n_held / (n_held - 1)
                found = influence_variances(rows.tallied(), [metric], np.arange(80), 80)[metric]
                each = found if isinstance(found, tuple) else (found,)
                variances = [one.variance for one in each]
                assert_same(variances, np.atleast_1d(wanted), within=1e-9, about=str(metric))
                for one, sizes in zip(each, np.atleast_2d(np.abs(terms)), strict=True):
                    squares = sizes**2
                    if np.isfinite(one.variance) and squares.any():
                        df = squares.sum() ** 2 / (squares**2).sum()
                        assert one.df == pytest.approx(min(df, n_held - 1))


def test_rows_given_twice_in_one_cluster_are_one_row() -> None:
    rows = drawn(17, 80, 2)
    twice = rows.take(np.repeat(np.arange(80), 2))
    for metric in smooth_metrics(2):
        if metric.lift == "per_class":
            continue
        one = spread_of(rows, metric, np.arange(80), 80)
        two = spread_of(twice, metric, np.repeat(np.arange(80), 2), 80)
        assert_same(two.variance, one.variance, within=1e-9, about=str(metric))
        assert two.df == pytest.approx(one.df)
        assert one.df < 79, "a control: rows differ in what they weigh for the metric"


def test_clusters_scale_what_is_shrunk() -> None:
    rows, metric = drawn(18, 100, 2), get("roc_auc")
    alone = spread_of(rows, metric)
    found = spread_of(rows, metric, np.arange(100) % 20, 25)
    phi = np.abs(influences(rows.tallied(), [metric])[metric])
    sizes = np.bincount(np.arange(100) % 20, phi)
    # Five clusters have no row.
    assert found.df == pytest.approx((sizes**2).sum() ** 2 / (sizes**4).sum())
    assert_same(found.shrunk / found.variance, alone.shrunk / alone.variance, within=1e-12)


def test_clusters_that_are_none_are_refused() -> None:
    rows = drawn(18, 30, 2).tallied()
    for codes, n in ((np.arange(29), 29), (np.arange(30), 29), (np.arange(30) - 1, 30)):
        with pytest.raises(ValueError, match="clusters"):
            influence_variances(rows, [get("roc_auc")], codes, n)


@pytest.mark.parametrize("value", [0, 1])
def test_one_row_of_a_class_has_no_variance(value: int) -> None:
    rows = drawn(19, 40, 2)
    single = np.flatnonzero(rows.codes == value)[:1]
    kept = rows.take(np.concatenate([np.flatnonzero(rows.codes != value), single]))
    found = spread_of(kept, get("roc_auc"))
    assert np.isnan([found.variance, found.shrunk]).all()
    assert found.missing == ("one row is truly of " + ("another class", "the class")[value])
    macro = spread_of(kept, plain("roc_auc_ovo_macro"))
    assert macro.df == 0
    assert np.isfinite(macro.variance)
    precision = spread_of(kept, get("average_precision"))
    assert np.isfinite(precision.variance)


def test_an_absent_class_has_a_reason() -> None:
    whole = drawn(20, 60, 2)
    for value, reason in ((0, "no row is truly of the class"), (1, "every row is truly of the")):
        rows = whole.take(whole.codes == value)
        found = influence_variances(rows.tallied(), [get("roc_auc"), get("gini")])
        for one in found.values():
            assert isinstance(one, SamplingError)
            assert np.isnan([one.variance, one.shrunk]).all()
            assert one.missing.startswith(reason)
        for metric in (get("roc_auc_mu"), plain("roc_auc", "macro"), get("d2_log_loss")):
            one = spread_of(rows, metric)
            assert np.isnan(one.variance)
            assert one.missing
    macro = plain("roc_auc", "macro")
    three = drawn(20, 90, 3)
    kept = three.take(three.codes != 1)
    assert np.isfinite(spread_of(kept, macro).variance)


def test_an_infinite_loss_has_no_variance() -> None:
    rows = drawn(21, 30, 2)
    values = rows.values.copy()
    values[0] = np.where(np.arange(2) == rows.codes[0], 0.0, 1.0)
    found = spread_of(replace(rows, values=values), get("log_loss"))
    assert np.isnan(found.variance)
    assert found.missing
    weights = np.ones(30)
    weights[0] = 0.0
    held = spread_of(replace(rows, values=values, weights=weights), get("log_loss"))
    assert_same(held.variance, spread_of(rows.take(slice(1, None)), get("log_loss")).variance,
                within=1e-12)  # fmt: skip


def test_a_metric_without_influence_is_refused() -> None:
    with pytest.raises(KaratError, match="maximum over thresholds"):
        influence_variances(drawn(22, 30, 2).tallied(), [get("ks_statistic")])


def test_threads_change_no_bit() -> None:
    rows = drawn(23, 70_000, 3, weights="any")
    wanted = smooth_metrics(3)
    one, many = (influence_variances(rows.tallied(n), wanted) for n in (1, 3))
    for metric in wanted:
        assert_same(fields(many[metric]), fields(one[metric]), about=str(metric))


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "log_loss"])
def test_a_wrong_variance_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = influence_variance.InfluenceVariances.found

    def wrong(self: Any) -> Any:
        return {m: replace(one, variance=1.0001 * one.variance) for m, one in right(self).items()}

    monkeypatch.setattr(influence_variance.InfluenceVariances, "found", wrong)
    with pytest.raises(AssertionError, match=name):
        check_variances(drawn(11, 160, 2), [get(name)])


def test_each_column_is_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    for name in ("column", "probability_column", "pooled", "pair_areas"):
        right = getattr(InMemoryScores, name)

        def counted(
            self: Any, *given: Any, right: Any = right, name: str = name, **named: Any
        ) -> Any:
            asked.append((name, given[0] if name.endswith("column") else None))
            return right(self, *given, **named)

        monkeypatch.setattr(InMemoryScores, name, counted)
    rows = drawn(24, 60, 3)
    mu = get("roc_auc_mu")
    others = [m for m in smooth_metrics(3) if m.record.name != mu.name]
    measured_with_variances(rows.tallied(), others, others)
    assert sorted(asked, key=str) == [*(("column", i) for i in range(3)), ("pooled", None)]
    asked.clear()
    measured_with_variances(rows.tallied(), [mu], [mu])
    assert asked == [("pair_areas", None)]
