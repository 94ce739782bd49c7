"""Replicates that are drawn when an interval is read, or from rows, against loops over them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.data.scores.containers import as_scores
from karat.data.scores.rows import InMemoryScores, tally_scores
from karat.inference.confidence import Confidence
from karat.inference.draws import Draws, KeptColumns, draw_rows, interval_of_draws, stretched
from karat.inference.resampling import (
    ReplicateColumn,
    measures_of,
    replicate_cumulative,
    replicate_row_cumulative,
    replicate_rows,
)
from karat.metrics import ClassRanks, Confidences, Metric, get
from karat.metrics._measure import measure
from karat.tally import Bins, CumulativeCounts, uniform_edges
from tests.inference.replicates import gathered

KS, AREA, EACH = get("ks_statistic"), get("roc_auc"), get("log_loss")
ECE = get("expected_calibration_error")
ASKED = Confidence(0.5)
FEW = Confidence(0.9, seed=3, n_replicates=60)
DRAWN = np.array([0.2, 0.3, 0.4, 0.5, 0.9])
NOISE = np.array([-9.0, -4.0, -1.0, 0.0, 2.0, 5.0, 11.0, 30.0, math.nan])


# Intervals that are drawn when they are read.


def rows(n: int = 40, weights: Any = None, k: int = 2, seed: int = 4) -> InMemoryScores:
    """Rows whose probabilities have two decimals."""
    rng = np.random.default_rng([seed, n, k])
    codes = rng.permutation(np.arange(n) % k)
    values = np.round(rng.dirichlet(np.ones(k), n) * 0.5 + 0.5 * np.eye(k)[codes] * 0.6, 2)
    values /= values.sum(axis=1, keepdims=True)
    return tally_scores(codes, as_scores(values, "y_prob"), labels=range(k), weights=weights)


def column(n: int = 40, decimals: int = 2, seed: int = 4) -> CumulativeCounts:
    rng = np.random.default_rng([seed, n])
    own = rng.permutation(np.arange(n) % 2 == 0)
    return CumulativeCounts.of(np.round(0.6 * rng.random(n) + 0.4 * own, decimals), own)


def with_params(metric: Metric, **params: Any) -> Metric:
    return Metric.of(metric.record, "plain", params)


def test_what_is_not_kept_has_no_interval() -> None:
    draws = Draws({ClassRanks: column()}, (KS,), n_effective=40.0)
    assert draws.of(AREA, 0.7, FEW) is None
    assert draws.drawn == {}


@pytest.mark.parametrize("n", [0.0, 1.0, math.nan])
def test_one_row_has_no_replicates(n: float) -> None:
    draws = Draws({ClassRanks: column()}, (KS,), {AREA: DRAWN}, n_effective=n)
    for metric in (KS, AREA):
        found = draws.of(metric, 0.7, FEW)
        assert found is not None
        assert (found.remark, found.low, found.standard_error) == ("there is one row", None, None)
    assert Draws({}, (), {AREA: DRAWN}).of(AREA, 0.4, ASKED) == interval_of_draws(
        AREA, 0.4, DRAWN, ASKED
    )
    assert Draws({}, (), {AREA: DRAWN}, n_effective=1.5).of(AREA, 0.4, ASKED) is not None


@pytest.mark.parametrize("method", ["default", "bootstrap", "bayesian"])
def test_metrics_of_a_column_are_drawn_together_and_once(method: Any) -> None:
    """As each metric is of the replicates of the column; columns of other views wait."""
    asked = replace(FEW, method=method)
    source, f = column(), get("max_f_beta")
    draws = Draws({ClassRanks: source}, (ECE, KS, f), n_effective=40.0)
    found = draws.of(KS, 0.6, asked)
    way: Any = "bayesian" if method == "bayesian" else "poisson"
    by_hand = measures_of([KS, f], replicate_cumulative(source, 60, 3, method=way, limit=1024))
    assert set(draws.drawn) == {KS, f}
    for metric in (KS, f):
        assert draws.drawn[metric].tolist() == by_hand[metric].tolist()
    assert found == interval_of_draws(KS, 0.6, by_hand[KS], asked)
    kept = draws.drawn[f]
    draws.of(f, 0.6, asked)
    assert draws.drawn[f] is kept
    assert draws.accelerations == {}


def test_errors_in_bins_are_those_of_the_bins_of_each_replicate() -> None:
    """Σ |hits − Σ confidence| ÷ n over bins of the rows of each replicate, one by one."""
    source = column()
    few, most = with_params(ECE, bins=4), with_params(get("maximum_calibration_error"), bins=4)
    left = with_params(ECE, bins=4, closed="left")
    listed = (ECE, few, most, left)
    draws = Draws({Confidences: source}, listed, n_effective=40.0)
    draws.of(few, 0.2, FEW)
    assert set(draws.drawn) == set(draws.stretches) == set(listed)
    for i, one in enumerate(replicate_cumulative(source, 60, 3, limit=1024)):
        n, hits = one.counts.sum(axis=1), one.counts[:, 1]
        for metric, b, side in ((ECE, 15, "left"), (few, 4, "left"), (left, 4, "right")):
            place = np.searchsorted((np.arange(b + 1) / b)[1:-1], one.scores, side)
            gaps = [
                abs(sum(hits[place == j]) - sum((n * one.scores)[place == j])) for j in range(b)
            ]
            assert draws.drawn[metric][i] == pytest.approx(sum(gaps) / sum(n), rel=1e-12)
        place = np.searchsorted([0.25, 0.5, 0.75], one.scores)
        worst = max(
            abs(sum((hits - n * one.scores)[place == j])) / sum(n[place == j]) for j in set(place)
        )
        assert draws.drawn[most][i] == pytest.approx(worst, rel=1e-12)
    seen = Bins.of(source, uniform_edges(4))
    assert draws.stretches[few][0] == FEW.tail
    value = float(np.abs(seen.hits - seen.confidence).sum() / 40.0)
    found = draws.of(few, value, FEW)
    assert found is not None
    _, least, largest = draws.stretches[few]
    assert (found.low, found.high) == pytest.approx((least * value, largest * value), rel=1e-12)


def test_errors_of_other_bins_are_drawn_by_level() -> None:
    """Quantile bins have other edges in each replicate."""
    metric = with_params(ECE, scheme="quantile", bins=4)
    source = column()
    draws = Draws({Confidences: source}, (metric,), n_effective=40.0)
    found = draws.of(metric, 0.2, FEW)
    by_hand = measures_of([metric], replicate_cumulative(source, 60, 3, limit=1024))[metric]
    assert found == interval_of_draws(metric, 0.2, by_hand, FEW)
    assert draws.stretches == {}


@pytest.mark.parametrize("n", [1024, 1025])
def test_1024_levels_are_replicated_one_by_one(n: int) -> None:
    """One more, and neighbors are grouped."""
    source, asked = column(n, 9), replace(FEW, n_replicates=4)
    for metric, view in ((KS, ClassRanks), (get("adaptive_calibration_error"), Confidences)):
        draws = Draws({view: source}, (metric,), n_effective=float(n))
        draws.of(metric, 0.5, asked)
        alone = measures_of([metric], replicate_cumulative(source, 4, 3, limit=5000))[metric]
        assert (draws.drawn[metric].tolist() == alone.tolist()) == (n == 1024)


@pytest.mark.parametrize(
    ("side", "limits"), [("both", (0.15, 0.45)), ("low", (0.15, 1.0)), ("high", (0.0, 0.45))]
)
def test_stretched_limits_are_multiples_of_the_value(side: Any, limits: Any) -> None:
    asked = Confidence(0.9, side)
    kept = Draws({}, (ECE,), {ECE: DRAWN / 2.0}, stretches={ECE: (asked.tail, 0.5, 1.5)})
    found = kept.of(ECE, 0.3, asked)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(limits, rel=1e-12)
    assert (found.method, found.remark) == ("test inversion", None)
    assert found.standard_error == pytest.approx(DRAWN.std(ddof=1) / 2.0, rel=1e-12)


def test_stretched_limits_hold_the_value_and_end_with_the_range() -> None:
    for multiples, limits in (
        ((1.2, 1.5), (0.3, 0.45)),
        ((0.5, 0.8), (0.15, 0.3)),
        ((0.5, 9.0), (0.15, 1.0)),
    ):
        kept = Draws({}, (ECE,), {ECE: DRAWN}, stretches={ECE: (0.25, *multiples)})
        found = kept.of(ECE, 0.3, ASKED)
        assert found is not None
        assert (found.low, found.high) == pytest.approx(limits, rel=1e-12)


@pytest.mark.parametrize("side", ["both", "low", "high"])
def test_a_limit_of_0_is_remarked_unless_it_is_not_asked_for(side: Any) -> None:
    asked = Confidence(0.5, side)
    kept = Draws({}, (ECE,), {ECE: DRAWN}, stretches={ECE: (asked.tail, 0.0, 1.5)})
    found = kept.of(ECE, 0.3, asked)
    assert found is not None
    assert found.low == 0.0
    by_chance = "a calibrated model has as large a value by chance"
    assert found.remark == (None if side == "high" else by_chance)


def test_percentiles_of_errors_in_bins_are_not_stretched() -> None:
    """By a method that is asked for, of what is not listed, and of what has no percentiles."""
    stretches = {ECE: (0.25, 0.5, 1.5)}
    asked = replace(ASKED, method="bootstrap")
    for listed, how in (((ECE,), asked), ((), ASKED)):
        kept = Draws({}, listed, {ECE: DRAWN}, stretches=stretches)
        assert kept.of(ECE, 0.4, how) == interval_of_draws(ECE, 0.4, DRAWN, how)
    kept = Draws({}, (ECE,), {ECE: np.full(5, 0.4)}, stretches=stretches)
    found = kept.of(ECE, 0.4, ASKED)
    assert found is not None
    assert found.low is None


def test_another_tail_is_stretched_anew() -> None:
    source = column()
    draws = Draws({Confidences: source}, (ECE,), n_effective=40.0)
    draws.of(ECE, 0.2, FEW)
    wide, drawn = draws.stretches[ECE], draws.drawn[ECE].tolist()
    draws.of(ECE, 0.2, replace(FEW, level=0.6))
    narrow = draws.stretches[ECE]
    assert (wide[0], narrow[0]) == (FEW.tail, pytest.approx(0.2))
    assert narrow[2] < wide[2]
    assert draws.drawn[ECE].tolist() == drawn


def test_replicates_of_a_design_by_class_are_remarked() -> None:
    """Metrics without an influence are drawn as rows are; another remark stands instead."""
    by_class = replace(ASKED, design="case-control")
    text = "its replicates do not keep the number of rows of each class"
    still = np.array([0.38, 0.39, 0.4, 0.41, 0.42])
    kept = Draws({}, (), {KS: still, AREA: still})
    for metric, asked, remark in ((KS, by_class, text), (KS, ASKED, None), (AREA, by_class, None)):
        found = kept.of(metric, 0.4, asked)
        assert found == replace(interval_of_draws(metric, 0.4, still, asked), remark=remark)
    far = Draws({}, (), {KS: still}).of(KS, 0.1, by_class)
    assert far is not None
    assert "biased" in (far.remark or "")


@pytest.mark.parametrize("view", [ClassRanks, Confidences])
def test_accelerations_are_those_of_leaving_out_each_row(view: Any) -> None:
    source, asked = column(), replace(FEW, method="bca")
    metric = {ClassRanks: KS, Confidences: ECE}[view]
    other = {ClassRanks: ECE, Confidences: KS}[view]
    draws = Draws({view: source}, (metric, other), n_effective=40.0)
    found = draws.of(metric, 0.4, asked)
    scores = np.repeat(source.scores, source.counts.sum(axis=1))
    own = np.concatenate([np.repeat([False, True], pair) for pair in source.counts])
    values = []
    for i in range(len(scores)):
        left = np.arange(len(scores)) != i
        one = CumulativeCounts.of(scores[left], own[left])
        fewer = ReplicateColumn(one.scores, one.counts, None, one.n_rows)
        values.append(float(metric.record.formula(view(fewer), **dict(metric.params))))
    u = np.mean(values) - np.array(values)
    assert set(draws.accelerations) == {metric}
    assert draws.accelerations[metric] == pytest.approx(gathered(u), rel=1e-9)
    assert found == interval_of_draws(
        metric, 0.4, draws.drawn[metric], asked, draws.accelerations[metric]
    )
    # It is made once, and not where it is given.
    draws.accelerations[metric] = 0.125
    draws.of(metric, 0.4, asked)
    assert draws.accelerations[metric] == 0.125


def test_what_one_row_makes_undefined_has_no_acceleration() -> None:
    alone = CumulativeCounts.of([0.9, 0.8, 0.4, 0.2], [False, True, False, False])
    draws = Draws({ClassRanks: alone}, (KS,), {KS: DRAWN}, n_effective=4.0)
    found = draws.of(KS, 0.4, replace(ASKED, method="bca"))
    assert found is not None
    assert "its acceleration is not known" in (found.remark or "")
    given = Draws({}, (), {AREA: DRAWN}, {AREA: 0.05}).of(AREA, 0.45, replace(ASKED, method="bca"))
    assert given == interval_of_draws(AREA, 0.45, DRAWN, replace(ASKED, method="bca"), 0.05)


# Limits by inverting a test.


def binned(hits: Any, confidence: Any) -> Bins:
    """Bins of 100 rows each, alone or in replicates."""
    hits, confidence = np.asarray(hits, np.float64), np.asarray(confidence, np.float64)
    weight = np.full(hits.shape, 100.0)
    none = np.zeros(hits.shape)
    empty = Bins.empty(uniform_edges(hits.shape[-1]))
    return empty.holding(np.stack([weight, confidence, hits, none, none, none]), 100)


def mean_gap(bins: Bins) -> Any:
    return np.abs(bins.hits - bins.confidence).mean(axis=-1)


def drawn_bins(gap: float, noise: Any = NOISE) -> Bins:
    """Replicates of one bin whose gap is one number more the noise."""
    confidence = 50.0 + np.arange(len(noise), dtype=np.float64)[:, None]
    return binned(confidence + gap + np.asarray(noise)[:, None], confidence)


@pytest.mark.parametrize("gap", [40.0, -40.0])
@pytest.mark.parametrize("tail", [0.1, 0.25, 0.4])
def test_a_large_gap_stretches_by_the_percentiles_of_the_noise(gap: float, tail: float) -> None:
    """t·gap + noise has its percentile at the gap where t is 1 less that of the noise ÷ gap."""
    noise = NOISE if gap > 0.0 else -NOISE
    low, high = stretched(mean_gap, binned([50.0 + gap], [50.0]), drawn_bins(gap, noise), tail)
    at = np.nanquantile(NOISE, [1.0 - tail, tail]) / 40.0
    assert (low, high) == pytest.approx(tuple(1.0 - at), rel=1e-5)


def test_what_is_seen_by_chance_stretches_from_0() -> None:
    """The absolute noise alone reaches the gap; exactly as much is enough."""
    low, high = stretched(mean_gap, binned([57.0], [50.0]), drawn_bins(7.0), 0.2)
    assert low == 0.0
    # The percentile of the noise at the tail of 0.2 is −2.8.
    assert high == pytest.approx(1.0 + 2.8 / 7.0, rel=1e-5)
    noise = [2.0, -2.0, 2.0]
    assert stretched(mean_gap, binned([52.0], [50.0]), drawn_bins(2.0, noise), 0.2)[0] == 0.0
    # As large at 0 as was seen, whatever the factor.
    one = stretched(lambda bins: np.ones(bins.hits.shape[:-1]), binned([5.0], [5.0]),
                    drawn_bins(2.0), 0.2)  # fmt: skip
    assert one == (0.0, 0.0)


def test_no_error_stretches_to_itself() -> None:
    assert stretched(mean_gap, binned([50.0], [50.0]), drawn_bins(0.0), 0.1) == (0.0, 1.0)
    assert stretched(lambda _: math.nan, binned([5.0], [5.0]), drawn_bins(1.0), 0.1) == (0.0, 1.0)


def test_an_error_that_no_factor_reaches_is_stretched_a_thousand_times() -> None:
    """Factors double from 1, up to the first that is no less than 1000."""

    def half_at_most(bins: Bins) -> Any:
        return np.ones(()) if bins.hits.ndim == 1 else np.full(len(bins.hits), 0.5)

    found = stretched(half_at_most, binned([9.0], [5.0]), drawn_bins(4.0), 0.1)
    assert found == (1024.0, 1024.0)


@pytest.mark.parametrize(
    ("power", "shift", "most"),
    [
        (0.25, -0.6, 17), (0.25, 0.2, 19), (0.25, 5.3, 23),
        (1.0, -0.6, 9), (1.0, 0.2, 11), (1.0, 5.3, 17),
        (3.0, -0.6, 21), (3.0, 0.2, 21), (3.0, 5.3, 39),
        (8.0, -0.6, 29), (8.0, 0.2, 31), (8.0, 5.3, 59),
    ],
)  # fmt: skip
def test_a_curved_error_is_stretched_in_few_steps(power: float, shift: float, most: int) -> None:
    """|t·gap − noise|^p is that of the gap at t = 1 + noise ÷ gap."""
    n_calls = 0

    def curved(bins: Bins) -> Any:
        nonlocal n_calls
        n_calls += 1
        return np.maximum((bins.hits - bins.confidence)[..., 0], 0.0) ** power

    noise = np.full(3, -10.0 * shift)
    low, high = stretched(curved, binned([60.0], [50.0]), drawn_bins(10.0, noise), 0.1)
    assert (low, high) == pytest.approx((1.0 + shift, 1.0 + shift), rel=3e-5)
    assert n_calls <= most


def test_a_jump_is_found_by_thirty_steps() -> None:
    """No factor gives what was seen, so that every step is made: 2 factors of the ends, and 30."""
    n_calls = 0

    def jump(bins: Bins) -> Any:
        nonlocal n_calls
        n_calls += 1
        gap = (bins.hits - bins.confidence)[..., 0]
        return np.where(gap == 10.0, 1.0, np.where(gap < 3.7, 0.5, 2.0))

    found = stretched(jump, binned([60.0], [50.0]), drawn_bins(10.0, np.full(3, 1e-9)), 0.1)
    assert found == pytest.approx((0.37, 0.37), abs=1e-3)
    assert n_calls == 1 + 2 * (2 + 30)


# Columns that are kept while they are sorted.


@pytest.mark.parametrize("is_weighted", [False, True])
def test_columns_of_the_positive_class_are_kept(is_weighted: bool) -> None:
    """One for each view that a kept metric reads, with the weight of each side at each score."""
    weights = 0.5 + np.arange(40) % 3 if is_weighted else None
    given = rows(weights=weights)
    codes, values, w = given.codes, given.column_values(1, is_prob=True), np.ones(40)
    w = w if weights is None else weights
    calibration = get("class_calibration_error")
    for kept in ((KS, calibration, ECE), (KS,), (calibration,), (ECE,), ()):
        beside = KeptColumns(kept, given, [AREA])
        measure(given, [AREA, KS, calibration, ECE], beside=beside)
        assert set(beside.cumulatives) == {metric.record.reads for metric in kept}
        assert set(beside.found()) == {AREA}
        for view, one in beside.cumulatives.items():
            shown, own = values, codes == 1
            if view is Confidences:
                shown, own = np.maximum(values, 1.0 - values), (values > 0.5) == (codes == 1)
            levels = sorted(set(np.round(shown, 9)), reverse=True)
            assert one.scores == pytest.approx(levels, rel=1e-9)
            assert one.n_rows == 40
            assert one.counts.dtype == (np.float64 if is_weighted else np.int64)
            for level, counts, squares in zip(
                levels, one.counts, one.counts if one.squares is None else one.squares, strict=True
            ):
                here = np.isclose(shown, level, rtol=0.0, atol=1e-9)
                sides = [sum(w[here & ~own]), sum(w[here & own])]
                assert counts == pytest.approx(sides, rel=1e-12)
                squared = [sum(w[here & ~own] ** 2), sum(w[here & own] ** 2)]
                assert squares == pytest.approx(squared, rel=1e-12)


# Replicates of rows.


def losses(given: InMemoryScores) -> Any:
    return np.array([-math.log(p) for p in given.scores.values[np.arange(40), given.codes]])


@pytest.mark.parametrize("method", ["bca", "bootstrap", "bayesian"])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_a_mean_of_losses_moves_by_that_of_each_replicate(
    method: Any, is_weighted: bool, is_clustered: bool
) -> None:
    """Less the mean of all rows; the acceleration is that of w·φ, or of its sums in clusters."""
    weights = 0.5 + np.arange(40) % 3 if is_weighted else None
    clusters = np.arange(40) // 3 if is_clustered else None
    given, w = rows(weights=weights), np.ones(40) if weights is None else weights
    asked = Confidence(method=method, seed=5, n_replicates=30)
    drawn, accelerations = draw_rows(given, [EACH], asked, clusters)
    loss = losses(given)
    mean = sum(w * loss) / sum(w)
    way: Any = "bayesian" if method == "bayesian" else "poisson"
    times = np.concatenate(list(replicate_rows(40, 30, 5, clusters=clusters, method=way)))
    by_hand = [sum(t * w * loss) / sum(t * w) - mean for t in times]
    assert drawn[EACH] == pytest.approx(by_hand, rel=1e-9)
    parts = w * (loss - mean)
    if clusters is not None:
        parts = np.array([sum(parts[clusters == c]) for c in range(14)])
    assert accelerations[EACH] == pytest.approx(gathered(parts), rel=1e-9)


def test_rows_of_a_design_by_class_move_within_their_class() -> None:
    """Each loss less the mean of its own class; rows that weigh nothing move nothing."""
    weights = np.arange(40) % 3 / 2.0
    given = rows(weights=weights)
    asked = Confidence(design="case-control", method="bootstrap", seed=5, n_replicates=20)
    drawn, accelerations = draw_rows(given, [EACH], asked, None)
    rest = losses(given)
    for code in (0, 1):
        own = given.codes == code
        rest[own] -= sum(weights[own] * rest[own]) / sum(weights[own])
    times = np.concatenate(list(replicate_rows(40, 20, 5)))
    by_hand = [sum(t * weights * rest) / sum(t * weights) for t in times]
    assert drawn[EACH] == pytest.approx(by_hand, rel=1e-9)
    assert accelerations[EACH] == pytest.approx(gathered(weights * rest), rel=1e-9)


def test_a_replicate_without_weight_has_no_value() -> None:
    """Of two rows each is drawn no times in e^-1 of the replicates; one weighs nothing."""
    given = tally_scores(
        np.array([0, 1, 0]), as_scores([0.2, 0.7, 0.4], "y_prob"),
        labels=[0, 1], weights=np.array([1.0, 2.0, 0.0]),
    )  # fmt: skip
    asked = Confidence(method="bootstrap", seed=1, n_replicates=60)
    found = draw_rows(given, [EACH], asked, None)[0][EACH]
    times = np.concatenate(list(replicate_rows(3, 60, 1)))
    assert np.isnan(found).tolist() == [t[0] == t[1] == 0 for t in times.tolist()]
    assert 0 < np.isnan(found).sum() < 20


def test_an_undefined_metric_has_undefined_replicates_and_no_acceleration() -> None:
    """Of rows of one class there is an error of each row, but no area."""
    given = tally_scores(
        np.zeros(4, np.int64), as_scores([0.2, 0.7, 0.4, 0.6], "y_prob"), labels=[0, 1]
    )
    asked = Confidence(method="bootstrap", n_replicates=9)
    drawn, accelerations = draw_rows(given, [AREA, EACH], asked, None)
    assert np.isnan(drawn[AREA]).all()
    assert drawn[AREA].shape == drawn[EACH].shape == (9,)
    assert np.isfinite(drawn[EACH]).sum() >= 7
    assert set(accelerations) == {EACH}
    assert draw_rows(given, [], asked, None) == ({}, {})


@pytest.mark.parametrize("method", ["bootstrap", "bayesian"])
def test_metrics_without_an_influence_are_those_of_redrawn_rows(method: Any) -> None:
    """Column by column; averages leave out classes that a replicate does not define."""
    weights = 0.5 + np.arange(12) % 5
    given, clusters = rows(12, weights, 3), np.arange(12) // 6 * 3 + np.arange(12) % 3
    asked = Confidence(method=method, seed=2, n_replicates=25)
    names = ("macro_ks_statistic", "weighted_ks_statistic", "classwise_calibration_error")
    macro, weighted, bins = map(get, names)
    drawn, accelerations = draw_rows(given, [macro, weighted, bins, ECE], asked, clusters)
    assert accelerations == {}
    way: Any = "bayesian" if method == "bayesian" else "multinomial"

    def redrawn(metric: Any, scores: Any, own: Any) -> Any:
        replicates = replicate_row_cumulative(
            scores, own, 25, 2, clusters=clusters, weights=weights, method=way, limit=1024
        )
        return measures_of([metric], replicates)[metric]

    values = given.scores.values
    each = [redrawn(KS, values[:, i], given.codes == i) for i in range(3)]
    in_bins = [
        redrawn(get("class_calibration_error"), values[:, i], given.codes == i) for i in range(3)
    ]
    share = [sum(weights[given.codes == i]) for i in range(3)]
    for b in range(25):
        held = [i for i in range(3) if not math.isnan(each[i][b])]
        for metric, of in ((macro, [1.0, 1.0, 1.0]), (weighted, share)):
            total = sum(of[i] for i in held)
            mean = sum(of[i] * each[i][b] for i in held) / total if held else math.nan
            assert drawn[metric][b] == pytest.approx(mean, rel=1e-9, nan_ok=True)
        mean = sum(one[b] for one in in_bins) / 3.0
        assert drawn[bins][b] == pytest.approx(mean, rel=1e-9)
    best = values.argmax(axis=1)
    of_best = redrawn(ECE, values.max(axis=1), best == given.codes)
    assert drawn[ECE].tolist() == of_best.tolist()
    if method == "bootstrap":
        assert any(np.isnan(one).any() for one in each)


def test_a_class_is_read_by_its_scores_or_by_its_probabilities() -> None:
    """Thresholds of logits are probabilities; ranks are those of the log-odds."""
    rng = np.random.default_rng(6)
    codes, logits = np.arange(30) % 2, rng.normal(size=(30, 2)) * 2.0
    given = tally_scores(codes, as_scores(logits, "y_logit"), labels=[0, 1])
    asked = Confidence(method="bootstrap", seed=2, n_replicates=8)
    at, bins = get("informedness_threshold"), get("class_calibration_error")
    drawn = draw_rows(given, [at, bins, KS], asked, None)[0]
    p = 1.0 / (1.0 + np.exp(logits[:, 0] - logits[:, 1]))
    for metric in (at, bins):
        replicates = replicate_row_cumulative(p, codes == 1, 8, 2, limit=1024)
        assert drawn[metric] == pytest.approx(
            measures_of([metric], replicates)[metric], rel=1e-9, nan_ok=True
        )
    scored = tally_scores(codes, as_scores(logits[:, 1], "y_score"), labels=[0, 1])
    shown = draw_rows(scored, [at], asked, None)[0][at]
    replicates = replicate_row_cumulative(logits[:, 1], codes == 1, 8, 2, limit=1024)
    assert shown.tolist() == measures_of([at], replicates)[at].tolist()
