"""Samples of rows with a judge, and metrics of scores, against their formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.designs.judge import Both, Weighed
from karat.errors import KaratError
from karat.inference.confidence import Confidence, Interval
from karat.inference.judge import scores
from karat.inference.judge.estimates import Estimates, JudgedLabels, Sample
from karat.inference.judge.labels import powered
from karat.inference.judge.scores import ScoredMoves, powered_scores, scored_moves
from karat.inference.sampling_error import SamplingError
from karat.inference.value_limits import score_interval
from karat.metrics import get
from karat.tally import Classes
from tests.inference.rows import Drawn

ASKED = Confidence(0.95)
ACCURACY, LOSS = get("accuracy"), get("log_loss")
HAS = np.array([True, False, True, True, False, False, True, True])
WEIGHTS = np.array([1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 4.0, 1.0])
CHOSEN = np.array([2.0, 1.0, 1.0, 4.0, 1.0, 1.0, 2.0, 1.0])

# Rows with a judge's label


def test_a_sample_of_plain_rows() -> None:
    sample = Sample(HAS)
    assert sample.gold.tolist() == [0, 2, 3, 6, 7]
    assert sample.reference.tolist() == [1, 4, 5]
    assert (sample.n_gold, sample.is_plain, sample.weights_of_gold) == (5.0, True, None)
    assert sample.clusters_of_gold is None
    both = sample.both()
    assert both.gold.shares.tolist() == [0.2] * 5
    assert both.reference.shares == pytest.approx([1 / 3] * 3)
    assert (both.gold.clusters, both.is_clustered) == (None, False)
    sample.check_weights()


def test_weights_of_gold_rows_are_products() -> None:
    """Chosen with known probabilities they stand for all rows, gold rows among them."""
    of_rows, chosen = Sample(HAS, WEIGHTS), Sample(HAS, None, CHOSEN)
    both = Sample(HAS, WEIGHTS, CHOSEN)
    assert of_rows.weights_of_gold.tolist() == WEIGHTS[HAS].tolist()  # type: ignore[union-attr]
    assert chosen.weights_of_gold.tolist() == CHOSEN[HAS].tolist()  # type: ignore[union-attr]
    assert both.weights_of_gold.tolist() == (WEIGHTS * CHOSEN)[HAS].tolist()  # type: ignore[union-attr]
    assert (of_rows.is_plain, chosen.is_plain, both.is_plain) == (True, False, False)
    assert of_rows.reference.tolist() == [1, 4, 5]
    assert chosen.reference.tolist() == both.reference.tolist() == list(range(8))
    w = (WEIGHTS * CHOSEN)[HAS]
    assert both.n_gold == pytest.approx(w.sum() ** 2 / (w**2).sum())
    for unit in (1e-200, 1e200):
        assert Sample(HAS, unit * WEIGHTS, CHOSEN).n_gold == pytest.approx(both.n_gold)
    means = both.both()
    assert means.gold.shares == pytest.approx(w / w.sum())
    assert means.reference.shares == pytest.approx(WEIGHTS / WEIGHTS.sum())
    # Each row is a cluster of its own, since gold rows are in both means.
    assert means.gold.clusters.tolist() == [0, 2, 3, 6, 7]  # type: ignore[union-attr]
    assert means.reference.clusters.tolist() == list(range(8))  # type: ignore[union-attr]
    assert means.is_clustered is False
    assert of_rows.both().reference.shares == pytest.approx(WEIGHTS[~HAS] / WEIGHTS[~HAS].sum())


def test_clusters_of_a_sample() -> None:
    clusters = np.array([5, 5, 2, 2, 9, 9, 7, 5])
    sample = Sample(HAS, clusters=clusters)
    assert sample.clusters_of_gold.tolist() == [1, 0, 0, 2, 1]  # type: ignore[union-attr]
    both = sample.both()
    assert both.gold.clusters.tolist() == clusters[HAS].tolist()  # type: ignore[union-attr]
    assert both.reference.clusters.tolist() == clusters[~HAS].tolist()  # type: ignore[union-attr]
    assert (both.is_clustered, sample.is_plain) == (True, False)


def test_weights_that_leave_no_rows_are_refused() -> None:
    nothing = np.zeros(8)
    for weights, gold_weights, code in (
        (np.where(HAS, 1.0, 0.0), None, "K115"),
        (np.where(HAS, 0.0, 1.0), None, "K115"),
        (None, nothing, "K115"),
        (None, np.where(np.arange(8) == 6, 100.0, 0.5), "K259"),
    ):
        with pytest.raises(KaratError) as problem:
            Sample(HAS, weights, gold_weights).check_weights()
        assert problem.value.code == code
    assert "98 %" in str(problem.value)
    # Two rows of equal weight are enough; chosen rows are compared with all.
    Sample(HAS, np.where(np.isin(np.arange(8), [0, 1, 2]), 1.0, 0.0)).check_weights()
    Sample(HAS, np.where(HAS, 1.0, 0.0), CHOSEN).check_weights()


# Labels, counted or row by row

K = 3
RNG = np.random.default_rng(2)
N, N_GOLD = 240, 80
GOLD = RNG.integers(0, K, N)
JUDGE = np.where(RNG.random(N) < 0.15, RNG.integers(0, K, N), GOLD)
PRED = [np.where(RNG.random(N) < error, RNG.integers(0, K, N), GOLD) for error in (0.2, 0.4, 0.5)]
HAS_GOLD = np.arange(N) % 3 == 0


def labels(sample: Sample, pred: Any = PRED[0], **more: Any) -> JudgedLabels:
    return JudgedLabels.of(Classes.of(range(K)), sample, GOLD, JUDGE, pred, **more)


def test_counted_labels_are_those_of_the_rows() -> None:
    weights = np.linspace(0.5, 2.0, N)
    for given in (None, weights):
        sample = Sample(HAS_GOLD, given)
        by_cell, by_row = labels(sample), labels(sample, keeps_rows=True)
        assert len(by_cell.gold) < N_GOLD == len(by_row.gold)
        assert by_row.reference.tolist() == JUDGE[~HAS_GOLD].tolist()
        assert by_row.reference_pred.tolist() == PRED[0][~HAS_GOLD].tolist()
        assert by_row.judge.tolist() == JUDGE[HAS_GOLD].tolist()
        for weight in (0.0, 0.4):
            one, other = by_cell.table.shares(weight), by_row.table.shares(weight)
            np.testing.assert_allclose(one, other, atol=1e-15)
        assert by_cell.both.gold.n == pytest.approx(by_row.both.gold.n)
        found, wanted = (powered(ACCURACY, each.table, ASKED) for each in (by_cell, by_row))
        assert found.value == pytest.approx(wanted.value)
        assert found.tuned.variance == pytest.approx(wanted.tuned.variance)
    chosen = labels(Sample(HAS_GOLD, None, weights))
    assert (len(chosen.gold), len(chosen.reference)) == (N_GOLD, N)
    verdicts = by_row.verdicts
    assert (verdicts.k, verdicts.gold.tolist()) == (K, GOLD[HAS_GOLD].tolist())
    assert verdicts.judge.tolist() == JUDGE[HAS_GOLD].tolist()
    assert verdicts.reference.tolist() == JUDGE[~HAS_GOLD].tolist()


def test_the_cells_of_a_table_are_label_and_prediction() -> None:
    table = labels(Sample(HAS_GOLD), keeps_rows=True).table
    assert table.by_gold.tolist() == (K * GOLD + PRED[0])[HAS_GOLD].tolist()
    assert table.by_judge.tolist() == (K * JUDGE + PRED[0])[HAS_GOLD].tolist()
    assert table.of_reference.tolist() == (K * JUDGE + PRED[0])[~HAS_GOLD].tolist()


@pytest.mark.parametrize("label", [0, 1])
def test_of_two_classes_one_alone_may_occur(label: int) -> None:
    zeros = np.zeros(6, int)
    sample = Sample(np.arange(6) < 3)
    one = JudgedLabels.of(Classes.of([label]), sample, zeros, zeros, zeros)
    table = one.table_of(get("recall"))
    assert (table.classes.k, table.classes.positive) == (2, 1)
    cell = 3 * label
    assert table.shares(0.0).ravel()[cell] == 1.0
    assert table.of_reference.tolist() == [cell] * len(one.reference)
    assert table.by_judge.tolist() == [cell] * len(one.gold)
    assert one.table_of(ACCURACY).classes.k == 1


def test_metrics_are_estimated_once() -> None:
    sample = Sample(HAS_GOLD)
    found = Estimates(labels(sample), ASKED, "zero", sample)
    one = found.of(ACCURACY)
    assert found.of(ACCURACY) is one
    assert one.value == powered(ACCURACY, found.labels.table, ASKED).value
    with pytest.raises(KaratError):
        found.of(LOSS)


# Metrics of scores


def probabilities(seed: int = 4) -> Any:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=N) + np.where(GOLD == 1, 1.0, -1.0)
    p = 1.0 / (1.0 + np.exp(-logits))
    return np.column_stack([1.0 - p, p])


def three(prob: Any) -> Any:
    truth, judge = (GOLD == 1).astype(int), (JUDGE == 1).astype(int)
    parts = ((truth, HAS_GOLD), (judge, HAS_GOLD), (judge, ~HAS_GOLD))
    return tuple(
        Drawn(codes[at], np.ascontiguousarray(prob[at]), None, is_prob=True).tallied()
        for codes, at in parts
    )


def losses(prob: Any, label: Any) -> Any:
    return -np.log(np.where(label == 1, prob[:, 1], prob[:, 0]))


def test_scores_are_measured_by_both_labels() -> None:
    prob = probabilities()
    found = scored_moves([LOSS, get("roc_auc")], three(prob), ASKED)
    truth, judge = GOLD == 1, JUDGE == 1
    parts = [losses(prob, truth)[HAS_GOLD], losses(prob, judge)[HAS_GOLD],
             losses(prob, judge)[~HAS_GOLD]]  # fmt: skip
    one = found[LOSS]
    assert one.values == pytest.approx([part.mean() for part in parts])
    for moves, part in zip(one.moves, parts, strict=True):
        assert moves - moves.mean() == pytest.approx(part - part.mean())
    assert one.is_known
    area = found[get("roc_auc")]
    for value, label, at in zip(
        area.values, (truth, judge, judge), (HAS_GOLD, HAS_GOLD, ~HAS_GOLD), strict=True
    ):
        high, low = prob[at & label, 1], prob[at & ~label, 1]
        assert value == pytest.approx(float((high[:, None] > low).mean()))


def test_the_bias_of_the_judges_labels_is_removed() -> None:
    """Of the area under precision: optimism · (1 − value); the gold rows' limits know theirs."""
    spread = SamplingError(0.01, 0.01, 9.0, 10.0, optimism=0.25)
    assert scores._less_bias(0.6, Interval(sampling=spread)) == pytest.approx(0.5)
    assert scores._less_bias(0.6, Interval()) == scores._less_bias(0.6, None) == 0.6


def scored(
    n: int = 50, *, gap: float = 1.0, metric: Any = LOSS, variance: float | None = None
) -> ScoredMoves:
    """Losses of gold rows and of a judge's labels, which are nearly the same."""
    rng = np.random.default_rng(7)
    own = rng.exponential(0.4, n)
    judged = np.where(rng.random(n) < 0.1, own + gap * rng.exponential(0.4, n), own)
    rest = rng.exponential(0.4, 500)
    square = float(own.var()) / (n - 1) if variance is None else variance
    spread = SamplingError(square, square, n - 1.0, float(n))
    interval = score_interval(metric, float(own.mean()), spread, ASKED, math.nan)
    values = float(own.mean()), float(judged.mean()), float(rest.mean())
    moves = own - own.mean(), judged - judged.mean(), rest - rest.mean()
    return ScoredMoves(metric, values, interval, moves)


def even(n: int = 50) -> Both:
    return Both(Weighed.of(np.ones(n)), Weighed.of(np.ones(500)))


def uneven(n: int = 50) -> Both:
    weights = np.random.default_rng(9).uniform(0.2, 3.0, n)
    return Both(Weighed.of(weights), Weighed.of(np.ones(500)))


def test_an_estimate_stays_in_the_range() -> None:
    one = replace(scored(), values=(0.5, 0.9, 0.2))
    assert (one.value(0.0), one.value(0.5)) == (0.5, pytest.approx(0.15))
    assert one.value(1.0) == 0.0
    area = replace(one, metric=get("roc_auc"), values=(0.9, 0.5, 0.8))
    assert area.value(1.0) == 1.0


def test_what_is_not_known_of_scores() -> None:
    one = scored()
    assert one.is_known
    assert not replace(one, interval=Interval()).is_known
    for place in range(3):
        values = tuple(math.nan if i == place else x for i, x in enumerate(one.values))
        unknown = replace(one, values=values)  # type: ignore[arg-type]
        assert not unknown.is_known
        found = unknown.powered(even(), ASKED)
        assert (found.tuned.weight, found.tuned.gain, found.n) == pytest.approx((0.0, 1.0, 50.0))
        assert found.interval is one.interval
    bare = replace(one, interval=Interval(remark="none"))
    assert bare.powered(even(), ASKED).interval.remark == "none"


def degrees(x: Any) -> float:
    """2 ÷ (Σx⁴ ÷ (Σx²)² − 1 ÷ n), at least 2."""
    return max(2.0 / (float((x**4).sum() / (x**2).sum() ** 2) - 1.0 / len(x)), 2.0)


def test_degrees_of_freedom_of_squares() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert scores._degrees(x) == pytest.approx(2.0 / (354.0 / 900.0 - 0.25))
    assert scores._degrees(np.array([5.0, 0.0, 0.0])) == pytest.approx(3.0)
    assert scores._degrees(np.array([9.0, 0.0])) == 4.0
    assert scores._degrees(np.concatenate([[9.0], np.zeros(99)])) == pytest.approx(2.0 / 0.99)
    assert scores._degrees(np.ones(4)) == scores._degrees(np.zeros(4)) == math.inf


@pytest.mark.parametrize("weight", [0.9, 1.0])
def test_limits_of_scores_are_those_of_less_variance(weight: float) -> None:
    """By the gain, less what few rows with large residuals take back."""
    one, both = scored(), even()
    tuned = both.tuned(*one.moves, weight)
    few, many = (
        degrees(part - part.mean()) for part in (one.moves[0] - weight * one.moves[1], one.moves[0])
    )
    tails = max(ASKED.quantile(few) / ASKED.quantile(many), 1.0)
    assert tails > 1.0
    gain = tuned.gain / tails**2
    spread = one.interval.sampling
    assert spread is not None
    less = replace(spread, variance=spread.variance / gain, shrunk=spread.shrunk / gain,
                   n_effective=spread.n_effective * gain)  # fmt: skip
    value = one.values[0] + weight * (one.values[2] - one.values[1])
    wanted = score_interval(LOSS, value, less, ASKED, math.nan)
    found = one.powered(both, ASKED, weight)
    assert found.value == pytest.approx(value)
    assert (found.interval.low, found.interval.high) == pytest.approx((wanted.low, wanted.high))
    assert found.n == pytest.approx(50.0 * gain)
    assert found.tuned == tuned
    # Of clusters the residuals are not looked at.
    assert one._tails(replace(both, is_clustered=True), weight, ASKED) == 1.0
    assert one._tails(both, 0.0, ASKED) == 1.0


def test_limits_of_an_area_are_those_of_more_rows() -> None:
    """The rows of both classes count as many times more as the variance is smaller."""
    area, both = get("roc_auc"), even()
    spread = SamplingError(0.002, 0.003, 30.0, 25.0, 20.0, n_rest=25.0)
    interval = score_interval(area, 0.8, spread, ASKED, 25.0)
    one = replace(scored(), metric=area, values=(0.8, 0.78, 0.79), interval=interval)
    gain = both.tuned(*one.moves, 0.9).gain / one._tails(both, 0.9, ASKED) ** 2
    assert gain > 1.1
    more = SamplingError(0.002 / gain, 0.003 / gain, 30.0, 25.0 * gain, 20.0 * gain)
    wanted = score_interval(area, 0.809, more, ASKED, 25.0 * gain)
    found = one.powered(both, ASKED, 0.9)
    assert found.value == pytest.approx(0.809)
    assert (found.interval.low, found.interval.high) == pytest.approx((wanted.low, wanted.high))


def test_the_best_weight_of_scores_and_that_of_one_limit() -> None:
    one, both = scored(), even()
    tuned = both.tuned(*one.moves)
    found = one.powered(both, ASKED)
    assert 0.0 < tuned.weight <= 1.0
    assert found.tuned == tuned
    given = one.powered(both, ASKED, tuned.weight)
    assert (found.value, found.interval) == (given.value, given.interval)
    low = one.powered(both, Confidence(0.975, side="low"))
    assert low.interval.low == pytest.approx(found.interval.low)
    assert low.interval.high == math.inf
    # With no weight the interval is that of the gold rows.
    alone = one.powered(both, ASKED, 0.0)
    assert alone.interval is one.interval
    assert (alone.value, alone.tuned.weight, alone.tuned.gain) == (one.values[0], 0.0, 1.0)
    assert alone.n == pytest.approx(50.0)


def test_a_judge_that_widens_the_limits_of_scores_has_no_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from karat.inference.judge import labels as of_labels

    one, both = scored(), even()
    monkeypatch.setattr(of_labels, "_WIDEST", 0.0)
    for asked in (ASKED, Confidence(0.975, side="low")):
        found = one.powered(both, asked)
        assert found.tuned.weight == 0.0
        assert found.value == one.values[0]
        assert found.interval == one.powered(both, asked, 0.0).interval


def test_rows_of_different_weights_widen_the_limits() -> None:
    """As wide as the variance with weights makes them; below 30 such rows λ is 0."""
    both = uneven()
    one = scored(variance=1e-4)
    tuned = both.tuned(*one.moves, 0.5)
    factor = math.sqrt(tuned.variance * tuned.gain / 1e-4)
    assert factor > 1.0
    found, plain = one.powered(both, ASKED, 0.5), one.interval.sampling
    assert plain is not None
    gain = tuned.gain / one._tails(both, 0.5, ASKED) ** 2
    less = replace(plain, variance=1e-4 / gain, shrunk=1e-4 / gain, n_effective=50.0 * gain,
                   df=both.gold.n_rows - 1.0)  # fmt: skip
    value = one.value(0.5)
    wanted = score_interval(LOSS, value, less, ASKED, math.nan)
    assert found.interval.low == pytest.approx(max(value + factor * (wanted.low - value), 0.0))
    assert found.interval.high == pytest.approx(value + factor * (wanted.high - value))
    assert found.interval.standard_error == pytest.approx(factor * wanted.standard_error)
    # Gold rows that show no variance are not compared with it.
    still = scored(variance=0.0).powered(both, ASKED, 0.5)
    assert (still.value, still.tuned) == (pytest.approx(value), tuned)
    # A larger variance of the gold rows is kept.
    large = scored(variance=1.0).powered(both, ASKED, 0.5)
    plain = replace(plain, variance=1.0 / gain, shrunk=1.0 / gain, n_effective=50.0 * gain,
                    df=both.gold.n_rows - 1.0)  # fmt: skip
    wanted = score_interval(LOSS, value, plain, ASKED, math.nan)
    assert (large.interval.low, large.interval.high) == pytest.approx((wanted.low, wanted.high))
    assert one.powered(both, ASKED).tuned.weight > 0.0
    few = uneven(35)
    assert few.gold.n_rows < 30.0
    small = scored(35)
    assert small.powered(few, ASKED).tuned.weight == 0.0
    assert small.powered(few, ASKED, 0.5).tuned.weight == 0.5
    assert small.powered(even(35), ASKED).tuned.weight > 0.0


def test_widened_limits_stay_in_the_range() -> None:
    one = replace(scored(), metric=get("roc_auc"))
    found = one._widened(Interval(0.5, 0.9, "logit", 0.1), 0.7, 1.5)
    assert (found.low, found.high, found.standard_error) == pytest.approx((0.4, 1.0, 0.15))
    assert one._widened(Interval(0.1, 0.8, "logit"), 0.7, 1.5).low == 0.0
    assert one._widened(Interval(0.1, 0.8, "logit"), 0.7, 1.5).standard_error is None
    for bare in (Interval(None, 0.8), Interval(0.1, None)):
        assert one._widened(bare, 0.7, 1.5) is bare
    same = Interval(0.5, 0.9)
    assert one._widened(same, 0.7, 1.0) is same


def test_metrics_of_scores_are_those_of_their_moves() -> None:
    prob, both = probabilities(), Sample(HAS_GOLD).both()
    found = powered_scores([LOSS], three(prob), both, ASKED)
    one = scored_moves([LOSS], three(prob), ASKED)[LOSS].powered(both, ASKED)
    assert (found[LOSS].value, found[LOSS].interval) == (one.value, one.interval)
    sample = Sample(HAS_GOLD)
    given = Estimates(labels(sample), ASKED, "zero", sample, three(prob), [LOSS, get("brier")])
    assert given.of(LOSS).value == one.value
    assert set(given._kept) == {LOSS, get("brier")}
    alone = given.of(get("roc_auc"))
    assert alone is given.of(get("roc_auc"))
