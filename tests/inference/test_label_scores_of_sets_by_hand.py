"""Intervals of scores of sets by hand: metrics of one label, averaged, pooled and of areas."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from karat.inference.confidence import Confidence, Interval
from karat.inference.sampling_error import SamplingError
from karat.inference.score_intervals import measured_with_intervals
from karat.inference.set_moves import Moves
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.inference.value_limits import interval_of_rows, score_interval, within
from karat.inference.variance import precision_bias
from karat.metrics import Metric, get
from tests.inference.scored_sets import (
    CLUSTERS,
    SMOOTH,
    N,
    by_weight,
    df_of,
    drawn,
    kish_of,
    limits,
    model,
    same,
    variance_of,
    weights,
)


@pytest.mark.parametrize("name", [*SMOOTH, "mean_d_prime"])
@pytest.mark.parametrize("is_partly_known", [False, True])
def test_moves_of_labels_are_derivatives_by_the_weights(name: str, is_partly_known: bool) -> None:
    true, scores = drawn(2)
    known = np.random.default_rng(3).random(true.shape) < 0.8 if is_partly_known else None
    metric, w = get(name), weights()

    def build(own: Any) -> SetScoreIntervals:
        return model(true, scores, own, known=known, policy="exclude")

    one = build(w)
    expected = by_weight(metric, build, w)
    if "d_prime" in name:
        slopes = one._slopes(metric)
        assert slopes is not None
        moves = one._sum_of_areas(slopes)
        assert one.moves(metric, one.scores.value(metric)) is None
    else:
        found = one.moves(metric, one.scores.value(metric))
        assert found is not None
        moves = found
    np.testing.assert_allclose(moves, expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_moves_of_pooled_labels_are_derivatives_by_the_weights(is_weighted: bool) -> None:
    true, scores = drawn(4)
    metric = get("roc_auc_ovr_micro")
    w = weights() if is_weighted else np.ones(N)
    one = model(true, scores, w if is_weighted else None, compares=True)
    expected = by_weight(metric, lambda own: model(true, scores, own), w)
    plain = Metric(metric.record, "plain", metric.params)
    np.testing.assert_allclose(one._moves_of_pooled(plain), expected, rtol=1e-5, atol=1e-8)
    n = kish_of(w)
    found = one.compared_moves(metric, one.scores.value(metric))
    assert isinstance(found, Moves)
    np.testing.assert_allclose(found.phi, expected * math.sqrt(n / (n - 1)), rtol=1e-5, atol=1e-8)
    assert one.moves(metric, 0.5) is None


def test_of_labels_without_a_value_a_mean_has_no_part() -> None:
    """A label that is true in every row has no area: the mean is that of the other two."""
    true, scores = drawn(5)
    more = np.column_stack([np.ones(N, int), true])
    wide = np.column_stack([scores[:, 0], scores])
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_weighted"):
        metric = get(name)
        both = [
            model(*given, weights(), policy="exclude") for given in ((more, wide), (true, scores))
        ]
        moves = [one.moves(metric, one.scores.value(metric)) for one in both]
        np.testing.assert_allclose(moves[0], moves[1], rtol=1e-10, atol=1e-15)
        same(*(one.of(metric, one.scores.value(metric)) for one in both))


def test_no_label_has_a_value() -> None:
    true, scores = np.ones((4, 2), int), np.arange(8.0).reshape(4, 2)
    one = model(true, scores, policy="exclude")
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_weighted"):
        assert one.of(get(name), math.nan) == Interval()
        moves = one.moves(get(name), math.nan)
        assert moves is not None
        assert moves.tolist() == [0.0] * 4
    none = model(0 * true, scores, policy="exclude").moves(get("roc_auc_ovr_weighted"), math.nan)
    assert none is not None
    assert none.tolist() == [0.0] * 4


def labels_alone(one: SetScoreIntervals, plain: Metric, asked: Confidence) -> list[Interval]:
    clusters = one.scores.rows.clusters
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    columns = [one.scores.columns.column(i) for i in range(one.scores.k)]
    return [
        measured_with_intervals(each, [plain], "zero", asked, clusters=codes)[1].intervals[plain]
        for each in columns
    ]


@pytest.mark.parametrize("name", ["roc_auc_ovr_macro", "mean_average_precision"])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_limits_of_labels_are_combined_as_they_go_together(name: str, is_clustered: bool) -> None:
    """The distance of a limit is that of Σ (distance of a label ÷ its error) · what a row moves."""
    true, scores = drawn(8, n=40)
    # Of a label without a wrong pair no row moves the area.
    true, scores = np.column_stack([true, true[:, 0]]), np.column_stack([scores, true[:, 0]])
    metric, w = get(name), weights(n=40)
    clusters = np.random.default_rng(0).integers(0, 7, 40) if is_clustered else None
    one = model(true, scores, w, clusters, level=0.9, side="low")
    plain, value = Metric(metric.record, "plain", metric.params), one.scores.value(metric)
    each = labels_alone(one, plain, Confidence(0.8))
    values = one.scores.of_labels([metric])[metric]
    below, above, whole, alone, bias = np.zeros(40), np.zeros(40), np.zeros(40), np.zeros(2), 0.0
    for label, interval in enumerate(each):
        moves = by_weight(metric, lambda own, i=label: model(true[:, [i]], scores[:, [i]], own), w)
        assert interval.low is not None
        assert interval.high is not None
        away = np.array([values[label] - interval.low, interval.high - values[label]])
        whole += moves
        error = math.sqrt(variance_of(moves, clusters))
        if interval.standard_error == 0.0:
            alone += away**2
        else:
            below, above = below + away[0] / error * moves, above + away[1] / error * moves
        if name == "mean_average_precision":
            order = sorted(set(scores[:, label].tolist()), reverse=True)
            unit = float((w * w).sum() / w.sum())
            tp, fp = (
                np.array(
                    [w[(scores[:, label] >= s) & (true[:, label] == side)].sum() for s in order]
                )
                for side in (1, 0)
            )
            bias += precision_bias(tp, fp, unit)
    assert alone[0] > 0.0
    low = value - math.sqrt(variance_of(below, clusters) + alone[0]) / 4.0
    high = value + math.sqrt(variance_of(above, clusters) + alone[1]) / 4.0
    n = kish_of(w)
    growth = 1.0 if is_clustered else n / (n - 1.0)
    error = math.sqrt(variance_of(whole, clusters) * growth) / 4.0
    found = one._combined(metric, one._spread_of(plain), value)
    assert (found.low, found.high) == pytest.approx((low - max(bias, 0.0) / 4.0, high), rel=1e-6)
    assert found.standard_error == pytest.approx(error, rel=1e-6)
    assert found.method == "mover"
    classes = one.of_classes(metric)
    assert classes is not None
    expected = [[side.low for side in each], [side.high for side in each]]
    np.testing.assert_allclose(classes, expected, rtol=1e-12)
    assert one.of_classes(get("macro_max_f_beta")) is None


@pytest.mark.parametrize("is_clustered", [False, True])
def test_errors_of_means_that_labels_weigh_in(is_clustered: bool) -> None:
    true, scores = drawn(9)
    metric, w = get("roc_auc_ovr_weighted"), weights()
    clusters = CLUSTERS if is_clustered else None
    one = model(true, scores, w, clusters, level=0.8)
    moves = by_weight(metric, lambda own: model(true, scores, own), w)
    n, growth = 5.0, 1.0
    if not is_clustered:
        n = kish_of(w)
        growth = n / (n - 1.0)
    df = df_of(moves, CLUSTERS) if is_clustered else n - 1.0
    error, value = math.sqrt(variance_of(moves, clusters) * growth), one.scores.value(metric)
    n = min(n, kish_of(w))
    expected = interval_of_rows(Confidence(0.8), metric, value, error, n, df)
    assert limits(one.of(metric, value))[:3] == pytest.approx(limits(expected)[:3], rel=1e-6)


@pytest.mark.parametrize("is_clustered", [False, True])
def test_labels_without_a_wrong_pair_have_no_error_together(is_clustered: bool) -> None:
    true, _ = drawn(10)
    w = weights()
    one = model(true, true * 1.0, w, CLUSTERS if is_clustered else None)
    n = min(kish_of(w), 5.0) if is_clustered else kish_of(w)
    df = 4.0 if is_clustered else n - 1.0
    for name in ("roc_auc_ovr_weighted", "roc_auc_ovr_macro"):
        found = one.of(get(name), 1.0)
        assert found.standard_error == 0.0
        assert found.low is not None
        assert found.low < found.high == 1.0
    expected = interval_of_rows(Confidence(), get("roc_auc_ovr_weighted"), 1.0, 0.0, n, df)
    same(one.of(get("roc_auc_ovr_weighted"), 1.0), expected)


@pytest.mark.parametrize("name", ["d_prime", "mean_d_prime"])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_errors_of_functions_of_areas(name: str, is_clustered: bool) -> None:
    true, scores = drawn(11)
    metric, w = get(name), weights()
    clusters = CLUSTERS if is_clustered else None
    one = model(true, scores, w, clusters, level=0.8, compares=True)
    moves = by_weight(metric, lambda own: model(true, scores, own), w)
    n = min(kish_of(w), 5.0) if is_clustered else kish_of(w)
    growth = 1.0 if is_clustered else n / (n - 1.0)
    square = variance_of(moves, clusters) * growth
    df = df_of(moves, CLUSTERS) if is_clustered else n - 1.0
    value = one.scores.value(metric)
    spread = SamplingError(square, square, df, n)
    expected = score_interval(metric, value, spread, Confidence(0.8), n)
    found = one.of(metric, value)
    assert limits(found)[:3] == pytest.approx(limits(expected)[:3], rel=1e-5)
    compared = one.compared_moves(metric, value)
    assert isinstance(compared, Moves)
    np.testing.assert_allclose(compared.phi, moves * math.sqrt(growth), rtol=1e-4, atol=1e-6)


def test_slopes_of_areas() -> None:
    """Those of √2 · Φ⁻¹, of labels with an area; none where one is at an end."""
    found = slopes(0.5, math.nan, 0.75)
    # The normal density is 0.398942280401 at its middle, and 0.317776570684 at Φ⁻¹(¾).
    expected = [2.0**-0.5 / 0.3989422804014327, 0.0, 2.0**-0.5 / 0.317776570684]
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert slopes(0.5, 1.0) is None
    assert slopes(0.0, 0.5) is None
    # Near an end a step is half the way to it.
    for area in (2.0**-30, 1.0 - 2.0**-30):
        near = [math.sqrt(2.0) * NormalDist().inv_cdf(times * 2.0**-30) for times in (0.5, 1.5)]
        assert slopes(area) == pytest.approx([(near[1] - near[0]) * 2.0**30], rel=1e-7)


def slopes(*areas: float) -> Any:
    one = model(*drawn())
    one.scores = AreasAlone(np.array(areas))  # type: ignore[assignment]
    return one._slopes(get("mean_d_prime"))


class AreasAlone:
    """Areas of labels without their rows."""

    def __init__(self, areas: np.ndarray) -> None:
        self.areas = areas


@pytest.mark.parametrize("is_clustered", [False, True])
def test_pooled_labels_are_cells_of_which_those_of_a_row_go_together(is_clustered: bool) -> None:
    true, scores = drawn(14)
    metric, w = get("roc_auc_ovr_micro"), weights()
    one = model(true, scores, w, CLUSTERS if is_clustered else None, level=0.9, side="high")
    value, plain = one.scores.value(metric), get("roc_auc")
    pooled, of_row = one.scores.columns.pooled()
    codes = np.unique(CLUSTERS, return_inverse=True)[1][of_row] if is_clustered else of_row
    made = measured_with_intervals(pooled, [plain], "zero", Confidence(0.8), clusters=codes)[1]
    same(one.of(metric, value), within(made.intervals[plain], value, (0.0, 1.0), one.asked))
    # What is known already is not measured again.
    one._of_pooled[plain] = Interval(0.1, 0.9)
    assert one._pooled(plain) is one._of_pooled[plain]
    nothing = model(true, scores, np.zeros(N))
    assert nothing._pooled(plain).low is None
    assert "replicates" in str(nothing._pooled(plain).remark)


def test_what_is_measured_together_is_kept() -> None:
    true, scores = drawn(15)
    metrics = [get(name) for name in ("roc_auc_ovr_macro", "roc_auc_ovr_micro", "coverage_error")]
    one = model(true, scores)
    one.prepare(metrics)
    area = get("roc_auc")
    assert set(one._spreads) == {area} == set(one._of_pooled)
    assert set(one.scores._of_labels) == {area} == set(one.scores._of_pooled)
    spread = one._spreads[area]
    one.prepare([metrics[2]])
    assert one._spread_of(area) is spread
    assert spread.moves is None
    np.testing.assert_allclose(spread.value, one.scores.areas, rtol=1e-12)
    before = one.scores._of_labels[area]
    assert before is one.scores.areas
    compared = model(true, scores, compares=True)
    compared.prepare(metrics[:1])
    assert compared._spreads[area].moves is not None
    assert not compared._of_pooled
    biased = model(true, scores)
    biased._biases.update({0: 5.0, 1: -1.0, 2: 0.25})
    assert biased._spread_of(get("average_precision")).bias == 4.25
    assert biased._bias_of(0) == 5.0
    alike = model(true, scores, np.full(N, 3.0))._bias_of(1)
    assert model(true, scores)._bias_of(1) == pytest.approx(alike, rel=1e-9)
    assert biased._spread_of(area).bias == 0.0


def test_labels_of_few_rows() -> None:
    """Those of fewer than five effective true rows that occur, as (Σw)² ÷ Σw² counts them."""
    true = np.zeros((40, 5), int)
    true[:30, 0] = true[:20, 1] = true[:5, 2] = true[:12, 3] = 1
    w = np.full(40, 0.02)
    scores = np.random.default_rng(0).normal(size=(40, 5))
    assert model(true, scores, w)._few.tolist() == []
    # (4 · 0.02 + 0.01)² ÷ (4 · 0.02² + 0.01²) = 4.76.
    w[4] = 0.01
    assert model(true, scores, w)._few.tolist() == [2]
    metric = get("roc_auc_ovr_macro")
    one = model(true[:, :4], scores[:, :4], w)
    assert one.of(metric, one.scores.value(metric)).remark == "labels have few rows"
    most = model(true[:, [0, 1, 3]], scores[:, :3])
    assert most.of(metric, most.scores.value(metric)).remark is None
    # One true row has no limits of its own.
    true[:2, 4] = [1, 0]
    lone = model(true[:, [0, 1, 4, 4]], scores[:, :4], level=0.95)
    spread = lone._spread_of(get("roc_auc"))
    assert np.isnan(spread.low).tolist() == [False, False, True, True]
    found = lone.of(metric, lone.scores.value(metric))
    assert found.remark == "2 labels have no limits of their own"


@pytest.mark.parametrize("name", ["roc_auc_ovr_macro", "roc_auc_ovr_weighted"])
def test_moves_of_areas_that_are_compared_grow_by_class(name: str) -> None:
    """Those of the true rows of a label by √(n ÷ (n − 1)) of these, of the others of theirs."""
    true, scores = drawn(17)
    metric, w = get(name), weights() + 0.01
    more = np.column_stack([true, np.ones(N, int)]), np.column_stack([scores, scores[:, 0]])
    one = model(*more, w, policy="exclude", compares=True)
    value, totals = one.scores.value(metric), w @ true
    shares = totals / totals.sum() if "weighted" in name else np.full(3, 1.0 / 3.0)
    expected = np.zeros(N)
    for label, share in enumerate(shares):
        own = true[:, [label]], scores[:, [label]]
        moves = by_weight(get("roc_auc_ovr_macro"), lambda w, own=own: model(*own, w), w)
        for side in (0, 1):
            rows = true[:, label] == side
            n = kish_of(w[rows])
            expected[rows] += share * math.sqrt(n / (n - 1.0)) * moves[rows]
    if "weighted" in name:
        # A true label weighs more where its row does.
        areas = one.scores.areas[:3]
        expected += w * (true @ (areas - value)) / totals.sum()
    found = one.compared_moves(metric, value)
    assert isinstance(found, Moves)
    np.testing.assert_allclose(found.phi, expected, rtol=1e-5, atol=1e-8)
