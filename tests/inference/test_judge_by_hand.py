"""Gold rows beside a judge: rows to label, shares, tables and selection, against their formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.designs.judge import Both, Weighed, with_df
from karat.inference.confidence import Confidence, Interval
from karat.inference.judge import labels, selection
from karat.inference.judge.labels import (
    JudgedTable,
    is_wider,
    no_gold_label,
    powered,
    rows_of_equal_weight,
    two_sided,
)
from karat.inference.judge.sampling import allocation, drawn, strata_of
from karat.inference.judge.shares import Verdicts, _limited
from karat.inference.label_intervals import label_interval
from karat.inference.limits import wilson_limits
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.tally import Cells, Classes

ASKED = Confidence(0.95)
Z = float(stats.norm.ppf(0.975))

# Rows to label next


def test_strata_of_a_judge_without_confidence_are_its_classes() -> None:
    assert strata_of(np.array([7, 3, 7, 9]), None).tolist() == [1, 0, 1, 2]


def test_strata_are_fifths_of_the_rows_by_confidence() -> None:
    confidence = np.array([0.9, 0.1, 0.5, 0.3, 0.7, 0.8, 0.2, 0.4, 0.6, 0.0])
    found = strata_of(np.zeros(10, int), confidence)
    assert found.tolist() == (np.argsort(np.argsort(confidence)) // 2).tolist()
    # Rows of one confidence are one stratum, and empty strata have no number.
    tied = np.array([0.5] * 9 + [0.9])
    assert len(set(strata_of(np.zeros(10, int), tied)[:9].tolist())) == 1
    assert strata_of(np.zeros(9, int), np.full(9, 0.7)).tolist() == [0] * 9
    two = strata_of(np.zeros(10, int), np.repeat([0.2, 0.8], 5))
    assert two.tolist() == [0] * 5 + [1] * 5


def test_rows_to_label_by_size_and_spread() -> None:
    """A quarter by size, three by size times spread; the largest parts of a row are rounded up."""
    sizes, spreads, n = np.array([500, 300, 200]), np.array([0.1, 0.4, 0.5]), 21
    best = np.array([50.0, 120.0, 100.0]) / 270.0
    wanted = n * (0.25 * sizes / 1000.0 + 0.75 * best)
    found = np.floor(wanted).astype(int)
    for i in np.argsort(-(wanted - found))[: n - found.sum()]:
        found[i] += 1
    assert allocation(sizes, spreads, n).tolist() == found.tolist()
    assert allocation(sizes, np.zeros(3), 10).tolist() == [5, 3, 2]
    assert allocation(np.array([12, 88]), np.zeros(2), 10).tolist() == [1, 9]


def test_no_stratum_is_left_out_nor_drawn_more_than_whole() -> None:
    assert allocation(np.array([1000, 2, 2]), np.array([1.0, 0.0, 0.0]), 10).tolist() == [8, 1, 1]
    assert allocation(np.array([3, 1000]), np.array([100.0, 0.001]), 10).tolist() == [3, 7]
    assert allocation(np.array([2, 3, 4]), np.ones(3), 9).tolist() == [2, 3, 4]
    assert allocation(np.array([5, 5, 5]), np.ones(3), 3).tolist() == [1, 1, 1]
    # One row each is more than wanted: those with the smallest parts give theirs back.
    assert allocation(np.array([96, 2, 2]), np.array([1.0, 0.01, 0.01]), 4).tolist() == [2, 1, 1]


@pytest.mark.parametrize("is_known", [False, True])
def test_drawn_rows_weigh_as_many_as_they_stand_for(is_known: bool) -> None:
    rng = np.random.default_rng(0)
    judge = rng.choice(3, 60, p=[0.7, 0.2, 0.1])
    confidence = rng.uniform(0.5, 1.0, 60) if is_known else None
    found = drawn(judge, 15, confidence, 4)
    strata = strata_of(judge, confidence)
    sizes = np.bincount(strata)
    spreads = 1.0 / np.sqrt(sizes)
    if confidence is not None:
        means = np.array([confidence[strata == i].mean() for i in range(len(sizes))])
        spreads = np.sqrt(means * (1.0 - means))
    counts = allocation(sizes, spreads, 15)
    assert len(set(found.rows.tolist())) == 15
    assert found.rows.tolist() == sorted(found.rows.tolist())
    assert found.strata.tolist() == strata[found.rows].tolist()
    assert np.bincount(found.strata).tolist() == counts.tolist()
    assert found.weights == pytest.approx((sizes / counts)[found.strata])
    assert found.weights.sum() == pytest.approx(60.0)
    assert drawn(judge, 15, confidence, 4).rows.tolist() == found.rows.tolist()
    assert drawn(judge, 15, confidence, 5).rows.tolist() != found.rows.tolist()
    sure = drawn(judge, 15, np.ones(60), 4)
    assert sure.weights.tolist() == [4.0] * 15


# Gold rows that are no random part


def binomial(hits: int, n: int, share: float) -> float:
    """Twice the smaller tail."""
    below, above = stats.binom.cdf(hits, n, share), stats.binom.sf(hits - 1, n, share)
    return float(min(2.0 * min(below, above), 1.0))


def test_the_two_sided_binomial_p_value() -> None:
    for hits, n, share in ((0, 9, 0.3), (9, 9, 0.3), (3, 9, 0.3), (7, 20, 0.7), (19, 20, 0.5)):
        assert selection._binomial(hits, n, share) == pytest.approx(binomial(hits, n, share))
    assert selection._binomial(0, 5, 0.0) == selection._binomial(5, 5, 1.0) == 1.0


def test_an_imbalance_of_counts() -> None:
    """The clearest of the classes, its p-value times their number."""
    gold, rest = [50, 40, 10], [200, 500, 300]
    found = selection.imbalance_of_counts(gold, rest)
    p = [binomial(a, 100, (a + b) / 1100) for a, b in zip(gold, rest, strict=True)]
    assert found is not None
    assert found.p == pytest.approx(3.0 * min(p))
    assert (found.what, found.place) == ("prediction", p.index(min(p)))
    assert (found.of_gold, found.of_rest) == (gold[found.place] / 100, rest[found.place] / 1000)
    assert selection.imbalance_of_counts([20, 50, 30], rest) is None


def test_chance_explains_a_thousandth() -> None:
    def one(p: float) -> selection.Imbalance:
        return selection.Imbalance("score", -1, 0.5, 0.4, p)

    assert selection._clearest([one(0.4e-3), one(0.9)]) == one(0.8e-3)
    assert selection._clearest([one(0.5e-3), one(0.9)]) is None
    assert selection._clearest([one(0.6e-3), one(0.9)]) is None


def rows_of_selection(n: int = 400) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(1)
    judge, prediction = rng.integers(0, 3, n), rng.integers(0, 3, n)
    return rng.random(n) < 0.3, judge, prediction, rng.random(n)


def test_the_clearest_imbalance_of_rows() -> None:
    has, judge, prediction, scores = rows_of_selection()
    classes = {"judge": judge, "prediction": prediction}
    assert selection.imbalance(has, classes, scores) is None
    # More gold rows of the judge's class 2: 3 + 3 classes, the agreement and the score.
    more = has | (judge == 2)
    n = int(more.sum())
    found = selection.imbalance(more, classes, scores)
    assert found is not None
    hits = int((judge[more] == 2).sum())
    assert (found.what, found.place) == ("judge", 2)
    assert (found.of_gold, found.of_rest) == (hits / n, 0.0)
    assert found.p == pytest.approx(min(8 * binomial(hits, n, hits / 400), 1.0))
    # Of both alike.
    alike = has | (judge == prediction)
    found = selection.imbalance(alike, classes, scores)
    assert found is not None
    hits = int((judge == prediction)[alike].sum())
    assert (found.what, found.place, found.of_rest) == ("agreement", 1, 0.0)
    assert found.of_gold == hits / int(alike.sum())
    # Without predictions no agreement is tested: 3 comparisons.
    alone = selection.imbalance(more, {"judge": judge})
    assert alone is not None
    hits = int((judge[more] == 2).sum())
    assert alone.p == pytest.approx(3 * binomial(hits, n, hits / 400))


def test_an_imbalance_of_scores() -> None:
    """The difference of the mean ranks, in standard errors of both means."""
    has, judge, _, scores = rows_of_selection()
    high = np.where(has, scores**0.3, scores)
    found = selection.imbalance(has, {"judge": judge}, high)
    ranks = stats.rankdata(high) / 400
    n, rest = int(has.sum()), int((~has).sum())
    difference = ranks[has].mean() - ranks[~has].mean()
    error = math.sqrt(ranks.var() * (1.0 / n + 1.0 / rest))
    assert found is not None
    assert (found.what, found.place) == ("score", -1)
    assert (found.of_gold, found.of_rest) == pytest.approx((ranks[has].mean(), ranks[~has].mean()))
    wanted = min(4 * math.erfc(difference / error / math.sqrt(2.0)), 1.0)
    assert found.p == pytest.approx(wanted, rel=1e-9, abs=0.0)


def test_an_imbalance_of_clusters() -> None:
    """Sums over clusters say how much the difference of the means varies."""
    has, judge, _, scores = rows_of_selection(240)
    clusters = np.arange(240) // 6
    high = np.where(has, scores**0.2, scores)
    ranks = stats.rankdata(high) / 240
    weight = np.where(has, 1.0 / has.sum(), -1.0 / (~has).sum())
    parts = [float((weight * (ranks - ranks.mean()))[clusters == c].sum()) for c in range(40)]
    error = math.sqrt(sum(part**2 for part in parts))
    difference = ranks[has].mean() - ranks[~has].mean()
    p = math.erfc(abs(difference) / error / math.sqrt(2.0))
    assert selection._clustered(ranks, has, clusters) == pytest.approx(p, rel=1e-9, abs=0.0)
    found = selection.imbalance(has, {"judge": judge}, high, clusters)
    assert found is not None
    assert found.what == "score"
    assert found.p == pytest.approx(4 * p, rel=1e-9, abs=0.0)
    of_class = selection.imbalance(has, {"judge": np.where(has, 1, judge)}, None, clusters)
    assert of_class is not None
    assert (of_class.what, of_class.place) == ("judge", 1)
    is_one = np.where(has, 1, judge) == 1
    assert of_class.p == pytest.approx(
        3 * selection._clustered(is_one.astype(float), has, clusters), rel=1e-9, abs=0.0
    )
    # Fewer than ten clusters with gold rows show nothing.
    few = np.where(has, clusters % 9, clusters)
    assert selection._clustered(ranks, has, few) == 1.0
    assert selection._clustered(ranks, has, np.where(has, clusters % 10, clusters)) < 1.0


def test_ranks_are_the_mean_ones_of_equal_values() -> None:
    values = np.array([3.0, 1.0, 3.0, 2.0, 3.0, 1.0])
    assert selection._ranks(values) == pytest.approx(stats.rankdata(values) / 6)


def test_what_does_not_vary_differs_by_chance() -> None:
    assert selection._p(0.0, 0.0) == selection._p(0.1, 0.0) == 1.0
    assert selection._p(-0.3, 0.1) == pytest.approx(2.0 * stats.norm.sf(3.0))
    has = np.arange(8) < 4
    assert selection._p_of_means(np.ones(8), has) == 1.0


# Proportions of the classes


def plain(n: int, rest: int) -> Both:
    return Both(Weighed.of(np.ones(n)), Weighed.of(np.ones(rest)))


def weighed(n: int, rest: int) -> Both:
    rng = np.random.default_rng(8)
    return Both(Weighed.of(rng.uniform(0.5, 3.0, n)), Weighed.of(rng.uniform(0.5, 3.0, rest)))


def verdicts(k: int = 2, n: int = 60, rest: int = 300, both: Both | None = None) -> Verdicts:
    """A judge that is wrong on one row in ten."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, k, n)
    judge = np.where(rng.random(n) < 0.1, (gold + 1) % k, gold)
    return Verdicts(k, both or plain(n, rest), gold, judge, rng.integers(0, k, rest))


def test_the_share_of_a_class_by_a_judge() -> None:
    """Gold share + λ(judge on the reference − judge on gold), of as many rows as it gains."""
    one = verdicts()
    is_gold, is_judge, is_rest = ((x == 1) * 1.0 for x in (one.gold, one.judge, one.reference))
    tuned = one.both.tuned(is_gold, is_judge, is_rest)
    assert 0.0 < tuned.weight < 1.0
    value = is_gold.mean() + tuned.weight * (is_rest.mean() - is_judge.mean())
    n = 60 * tuned.gain
    low, high = wilson_limits(value, n, Z)
    found = one.share(1, ASKED)
    assert (found.value, found.n) == pytest.approx((value, n))
    assert (found.interval.low, found.interval.high) == pytest.approx((float(low), float(high)))
    assert found.interval.method == "wilson"
    assert found.interval.standard_error == pytest.approx(math.sqrt(tuned.variance))
    assert found.tuned == tuned
    upper = one.share(1, Confidence(0.975, side="high"))
    assert (upper.interval.low, upper.interval.high) == (0.0, pytest.approx(float(high)))


def test_the_share_of_a_class_by_gold_rows_alone() -> None:
    one = verdicts()
    share = float((one.gold == 1).mean())
    found = one.gold_share(1, ASKED)
    low, high = wilson_limits(share, 60, Z)
    assert (found.value, found.n, found.tuned.weight) == pytest.approx((share, 60.0, 0.0))
    assert (found.interval.low, found.interval.high) == pytest.approx((float(low), float(high)))
    assert found.interval.standard_error == pytest.approx(math.sqrt(share * (1 - share) / 59))
    lower = one.gold_share(1, Confidence(0.975, side="low")).interval
    assert (lower.low, lower.high) == (pytest.approx(float(low)), 1.0)
    assert one.judged_share(1) == pytest.approx(float((one.reference == 1).mean()))


def test_a_judge_that_knows_nothing_has_no_weight_in_a_share() -> None:
    one = verdicts()
    blind = replace(one, judge=np.arange(60) % 2)
    found, alone = blind.share(1, ASKED), blind.gold_share(1, ASKED)
    assert found.tuned.weight == 0.0
    assert (found.value, found.interval) == (alone.value, alone.interval)


def test_shares_stay_within_0_and_1() -> None:
    """3 of 30 gold rows have the class, 4 by the judge, no other: 3 ÷ 30 − 4 ÷ 30 is below 0."""
    gold, judge = np.arange(30) < 3, np.arange(30) < 4
    one = Verdicts(2, plain(30, 300), gold * 1, judge * 1, np.zeros(300, int))
    for place, end in ((1, 0.0), (0, 1.0)):
        found = one.share(place, ASKED)
        assert (found.tuned.weight, found.value) == (1.0, end)


def test_weighted_rows_count_as_rows_of_equal_weight() -> None:
    """n·(plain variance ÷ variance of the gold rows) rows of equal weight, at most all."""
    both = weighed(40, 200)
    values = np.random.default_rng(1).normal(size=40)
    tuned = both.tuned(values, 0.0 * values, np.zeros(200))
    n = both.gold.n
    alone = tuned.variance * tuned.gain * (n - 1.0) / n
    wanted = min(n * both.gold.plain_variance(values) / alone, n)
    assert rows_of_equal_weight(both, values, tuned) == pytest.approx(wanted)
    larger = replace(tuned, variance=2.0 * tuned.variance)
    assert rows_of_equal_weight(both, values, larger) == pytest.approx(
        n * both.gold.plain_variance(values) / (2.0 * alone)
    )
    assert rows_of_equal_weight(both, values, replace(tuned, gain=1e-9)) == pytest.approx(n)
    for nothing in (0.0, -1.0, math.nan):
        assert rows_of_equal_weight(both, values, replace(tuned, variance=nothing)) == n
    even = plain(40, 200)
    assert rows_of_equal_weight(even, values, larger) == even.gold.n == pytest.approx(40.0)


def rogan_gladen(one: Verdicts) -> tuple[float, float]:
    """(q + specificity − 1) ÷ (sensitivity + specificity − 1), and its variance."""
    is_gold, is_judge = one.gold == 1, one.judge == 1
    sensitivity, specificity = is_judge[is_gold].mean(), 1.0 - is_judge[~is_gold].mean()
    q, rest = float((one.reference == 1).mean()), len(one.reference)
    youden = sensitivity + specificity - 1.0
    p = (q + specificity - 1.0) / youden
    n, pos = len(one.gold), int(is_gold.sum())
    of_gold = p**2 * sensitivity * (1 - sensitivity) / pos
    of_gold += (1 - p) ** 2 * specificity * (1 - specificity) / (n - pos)
    return float(p), float((of_gold * n / (n - 2) + q * (1 - q) / rest) / youden**2)


def test_the_corrected_share_is_that_of_rogan_and_gladen() -> None:
    one = verdicts()
    p, variance = rogan_gladen(one)
    (zero, of_zero), (found, interval) = one.corrected(ASKED)
    assert (found, zero) == pytest.approx((p, 1.0 - p))
    assert interval.standard_error == pytest.approx(math.sqrt(variance))
    assert of_zero.standard_error == pytest.approx(math.sqrt(variance))
    step = Z * math.sqrt(variance) / (p * (1.0 - p))
    odds = p / (1.0 - p)
    limits = [1.0 / (1.0 + math.exp(sign * step) / odds) for sign in (1.0, -1.0)]
    assert (interval.low, interval.high) == pytest.approx(limits)
    assert interval.method == "logit"


def test_a_gold_row_among_the_reference_rows_counts_in_both() -> None:
    """What a row adds to sensitivity or specificity and to the judge's share goes together."""
    one = verdicts(2, 60, 60)
    rows = np.arange(60)
    both = Both(Weighed.of(np.ones(60), None, rows), Weighed.of(np.ones(60), None, rows))
    one = replace(one, both=both, reference=one.judge)
    is_gold, is_judge = one.gold == 1, (one.judge == 1).astype(float)
    sensitivity, false = is_judge[is_gold].mean(), is_judge[~is_gold].mean()
    q = is_judge.mean()
    p = (q - false) / (sensitivity - false)
    moves = is_judge - q
    moves[is_gold] -= p * (is_judge[is_gold] - sensitivity) / is_gold.mean()
    moves[~is_gold] -= (1.0 - p) * (is_judge[~is_gold] - false) / (~is_gold).mean()
    square = float(((moves / (sensitivity - false) / 60) ** 2).sum())
    found, interval = one.corrected(ASKED)[1]
    assert found == pytest.approx(p)
    assert interval.standard_error == pytest.approx(math.sqrt(60 / 58 * square))


def test_a_share_without_log_odds_or_error_has_no_logit_limits() -> None:
    assert _limited(0.4, 0.1, ASKED)[1].method == "logit"
    for end in (0.0, 1.0):
        assert _limited(end, 0.1, ASKED)[1].method == "wald"
    still = _limited(0.4, 0.0, ASKED)[1]
    assert (still.low, still.high, still.method) == (0.4, 0.4, "wald")


def test_corrected_shares_of_three_classes_solve_the_confusion() -> None:
    one = verdicts(3, 90)
    found = [value for value, _ in one.corrected(ASKED)]
    confusion = np.array(
        [[(one.judge[one.gold == i] == j).mean() for j in range(3)] for i in range(3)]
    )
    seen = [(one.reference == j).mean() for j in range(3)]
    assert np.array(found) @ confusion == pytest.approx(np.array(seen))


def test_a_share_outside_of_its_range_is_its_end() -> None:
    one = verdicts()
    rare = replace(one, reference=np.zeros(300, int))
    (zero, of_zero), (found, interval) = rare.corrected(ASKED)
    p, variance = rogan_gladen(rare)
    assert p < 0.0
    assert (zero, found) == (1.0, 0.0)
    assert interval.method == of_zero.method == "wald"
    assert interval.standard_error == pytest.approx(math.sqrt(variance))
    assert interval.low == 0.0


def test_why_there_is_no_corrected_share() -> None:
    one = verdicts()
    unseen = replace(one, gold=np.zeros(60, int)).corrected(ASKED)
    assert [math.isnan(value) for value, _ in unseen] == [True, True]
    assert {each.remark for _, each in unseen} == {"a class has no gold label"}
    blind = replace(one, gold=np.arange(60) % 2, judge=(np.arange(60) // 2) % 2).corrected(ASKED)
    assert [math.isnan(value) for value, _ in blind] == [True, True]
    remark = "the judge's labels do not depend on the class"
    assert {each.remark for _, each in blind} == {remark}


# Metrics of labels


def table(k: int = 2, n: int = 80, rest: int = 400, both: Both | None = None) -> JudgedTable:
    """Predictions and a judge that are both wrong on some rows."""
    rng = np.random.default_rng(6)
    true = rng.integers(0, k, n + rest)
    judge, pred = (
        np.where(rng.random(n + rest) < error, rng.integers(0, k, n + rest), true)
        for error in (0.1, 0.4)
    )
    own, others = k * judge + pred, slice(n, None)
    return JudgedTable(
        Classes.of(range(k)), both or plain(n, rest), (k * true + pred)[:n], own[:n], own[others]
    )


def counted(k: int, cells: Any, weights: Any) -> Any:
    found = np.zeros(k * k)
    for cell, weight in zip(cells, weights, strict=True):
        found[cell] += weight
    return found.reshape(k, k)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_proportions_of_cells_with_a_judge(is_weighted: bool) -> None:
    one = table(both=weighed(80, 400) if is_weighted else None)
    gold, rest = one.both.gold.shares, one.both.reference.shares
    alone = counted(2, one.by_gold, gold)
    moved = counted(2, one.of_reference, rest) - counted(2, one.by_judge, gold)
    for weight in (0.0, 0.5, 1.0):
        np.testing.assert_allclose(one.shares(weight), alone + weight * moved, atol=1e-15)
        cells = one.cells(weight, 37.4)
        wanted = (alone + weight * moved) * 37.4
        np.testing.assert_allclose(cells.matrix(), wanted, rtol=1e-12)
        np.testing.assert_allclose(cells.squares, cells.counts)
        assert cells.n_rows == 37
    assert one.cells(0.0, 0.3).n_rows == 1


def test_no_cell_is_below_0() -> None:
    """A judge may take more from a cell than there is: the rest is scaled to as many rows."""
    by_gold, by_judge = np.array([0, 0, 3, 3]), np.array([0, 1, 3, 3])
    one = JudgedTable(Classes.of([0, 1]), plain(4, 4), by_gold, by_judge, np.array([0, 0, 3, 3]))
    assert one.shares(1.0).ravel().tolist() == pytest.approx([0.75, -0.25, 0.0, 0.5])
    assert one.cells(1.0, 10.0).matrix().ravel() == pytest.approx([6.0, 0.0, 0.0, 4.0])


def test_the_influence_on_the_accuracy_is_being_right() -> None:
    one = table(3)
    parts = one.moves(get("accuracy"), "zero")
    for found, cells in zip(parts, (one.by_gold, one.by_judge, one.of_reference), strict=True):
        is_right = (cells // 3 == cells % 3) * 1.0
        assert found - found[is_right == 1.0][0] == pytest.approx(is_right - 1.0)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "kappa"])
def test_a_metric_of_labels_with_a_judge(name: str) -> None:
    """Its interval is that of the estimated table, for as many rows as have its variance."""
    one, metric = table(3), get(name)
    tuned = one.both.tuned(*one.moves(metric, "zero"))
    assert 0.0 < tuned.weight < 1.0
    found = powered(metric, one, ASKED)
    cells = one.cells(tuned.weight, 80.0 * tuned.gain)
    value = float(metric.values(cells).value)
    wanted = label_interval(metric, value, TableVariance(cells), ASKED)
    assert (found.value, found.n) == pytest.approx((value, 80.0 * tuned.gain))
    assert (found.interval.low, found.interval.high) == pytest.approx((wanted.low, wanted.high))
    assert found.tuned == tuned
    # With a weight that is given, also 0.
    for weight in (0.0, 0.25):
        given = powered(metric, one, ASKED, "zero", weight)
        assert given.tuned.weight == weight
        cells = one.cells(weight, 80.0 * given.tuned.gain)
        assert given.value == pytest.approx(float(metric.values(cells).value))
    one_sided = powered(metric, one, Confidence(0.975, side="low"))
    assert one_sided.interval.low == pytest.approx(found.interval.low)
    assert one_sided.tuned.weight == tuned.weight


@pytest.mark.parametrize("is_of_wrong_rows", [False, True])
def test_a_weighted_metric_of_labels_has_students_limits(is_of_wrong_rows: bool) -> None:
    one, metric = table(2, both=weighed(80, 400)), get("accuracy")
    if is_of_wrong_rows:  # large weights go with the values
        is_right = one.by_gold // 2 == one.by_gold % 2
        heavy = Weighed.of(np.where(is_right, 0.5, 3.0))
        one = replace(one, both=Both(heavy, Weighed.of(np.ones(400))))
    moves = one.moves(metric, "zero")
    tuned = one.both.tuned(*moves)
    assert math.isfinite(tuned.df)
    n = rows_of_equal_weight(one.both, moves[0], tuned) * tuned.gain
    at = with_df(n, Z, float(stats.t.ppf(0.975, tuned.df)))
    cells = one.cells(tuned.weight, at)
    value = float(metric.values(cells).value)
    found = powered(metric, one, ASKED)
    wanted = label_interval(metric, value, TableVariance(cells), ASKED)
    assert found.n == pytest.approx(n)
    assert (found.interval.low, found.interval.high) == pytest.approx((wanted.low, wanted.high))


def test_a_class_without_a_gold_label_is_named() -> None:
    """Where the judge or a prediction names it, and the metric reads it."""
    classes = Classes.of(["cat", "dog", "eel"])
    by_gold = np.array([0, 1, 4, 3] * 5)  # gold: cat, cat, dog, dog
    judged = np.array([0, 1, 4, 6] * 5)  # the judge calls some of them eel
    others = np.array([0, 0, 4, 6] * 5)
    one = JudgedTable(classes, plain(20, 20), by_gold, judged, others)
    recall = get("macro_recall")
    assert one.unseen(recall, "zero") == "eel"
    found = powered(recall, one, ASKED)
    assert found.interval == Interval(remark=no_gold_label("eel"))
    assert found.interval.remark == "no gold label is 'eel', and it depends on rows of that class"
    assert found.value == pytest.approx(float(recall.values(one.cells(0.0, 20.0)).value))
    assert (found.n, found.tuned.weight, found.tuned.gain) == pytest.approx((20.0, 0.0, 1.0))
    assert math.isnan(found.tuned.variance)
    # Nobody names it, or all have gold labels.
    nobody = JudgedTable(classes, plain(20, 20), by_gold, by_gold, by_gold)
    assert nobody.unseen(recall, "zero") == ""
    whole = table(3)
    assert whole.unseen(recall, "zero") == ""
    # Predicted alone.
    predicted = JudgedTable(classes, plain(20, 20), np.array([0, 2, 4, 3] * 5), by_gold, by_gold)
    assert predicted.unseen(recall, "zero") == ""
    said = JudgedTable(classes, plain(20, 20), by_gold, by_gold, np.array([0, 2, 4, 3] * 5))
    assert said.unseen(recall, "zero") == "eel"


def test_a_metric_of_another_class_does_not_read_it() -> None:
    three = replace(Classes.of(["cat", "dog", "eel"]), positive=0)
    by_gold, judged = np.array([0, 1, 4, 3] * 5), np.array([0, 1, 4, 6] * 5)
    one = JudgedTable(three, plain(20, 20), by_gold, judged, judged)
    assert one.unseen(get("recall"), "zero") == ""
    # How its first rows are predicted moves the accuracy by no more than their share.
    assert one.unseen(get("accuracy"), "zero") == ""
    of_eel = replace(one, classes=replace(three, positive=2))
    assert of_eel.unseen(get("recall"), "zero") == "eel"


# Settings


def test_the_settings_of_both_limits() -> None:
    assert two_sided(ASKED) is ASKED
    for side in ("low", "high"):
        found = two_sided(Confidence(0.9, side=side))  # type: ignore[arg-type]
        assert (found.side, found.level) == ("both", pytest.approx(0.8))


def test_wider_than_the_gold_rows_is_by_three_percent() -> None:
    alone = Interval(0.0, 1.0)
    assert is_wider(Interval(0.0, 1.031), alone) is True
    assert is_wider(Interval(0.0, 1.03), alone) is False
    assert is_wider(Interval(-0.02, 1.0), alone) is False
    assert is_wider(Interval(-0.02, 1.02), alone) is True
    for bare in (Interval(None, 2.0), Interval(0.0, None)):
        assert is_wider(bare, alone) is False
        assert is_wider(Interval(0.0, 2.0), bare) is False


def test_a_judge_that_widens_an_interval_has_no_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little: λ is 0, and the interval that of the gold rows."""
    one, metric = table(3), get("kappa")
    monkeypatch.setattr(labels, "_WIDEST", 0.0)
    for asked in (ASKED, Confidence(0.975, side="low")):
        found = powered(metric, one, asked)
        assert found.tuned.weight == 0.0
        assert found.interval == powered(metric, one, asked, "zero", 0.0).interval
        given = powered(metric, one, asked, "zero", 0.5)
        assert given.tuned.weight == 0.5
        share, alone = verdicts().share(1, asked), verdicts().gold_share(1, asked)
        assert (share.tuned.weight, share.interval) == (0.0, alone.interval)


def test_the_table_of_gold_rows_alone_is_theirs() -> None:
    cells = table(2).cells(0.0, 80.0)
    assert isinstance(cells, Cells)
    assert cells.matrix().sum() == pytest.approx(80.0)
