"""Differences of systems under one judge, each number against its formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat.designs.clusters import degrees_of_clusters
from karat.designs.judge import cost_of_tuning
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.judge.comparison import JudgedModel, _degrees, _weight, judged_differences
from karat.inference.judge.estimates import JudgedLabels, Sample
from karat.metrics import get
from karat.tally import Classes
from tests.inference.test_judged_systems_by_hand import (
    ACCURACY,
    GOLD,
    HAS_GOLD,
    JUDGE,
    LOSS,
    N_GOLD,
    PRED,
    K,
    N,
    labels,
    losses,
    probabilities,
    three,
)

# Systems under one judge


def models(sample: Sample, *, has_scores: bool = False) -> dict[str, JudgedModel]:
    scored_ = [three(probabilities(seed)) if has_scores else None for seed in (4, 5, 6)]
    return {
        name: JudgedModel(sample, labels(sample, pred, keeps_rows=True), of)
        for name, pred, of in zip("abc", PRED, scored_, strict=True)
    }


def hits(pred: Any) -> tuple[Any, Any]:
    """Whether each row is right by the gold label and by the judge's."""
    return (pred == GOLD).astype(float), (pred == JUDGE).astype(float)


def tuned(first: Any, second: Any, n: float) -> tuple[float, float]:
    """λ of the least sum of squares, and what the variance is times; 0 where it does not pay.

    The fitted mean costs n ÷ (n − 1), and with λ n ÷ (n − 2) · (1 + 1 ÷ n).
    """
    weight = min(max(-float(first @ second) / float(second @ second), 0.0), 1.0)
    cost, alone = n / (n - 2.0) * (1.0 + 1.0 / n), n / (n - 1.0)
    if cost * ((first + weight * second) ** 2).sum() < alone * (first**2).sum():
        return weight, cost
    return 0.0, alone


@pytest.mark.parametrize("is_clustered", [False, True])
def test_differences_of_systems_by_hand(is_clustered: bool) -> None:
    """One λ for all pairs, and variances of right rows by gold label and by judge."""
    clusters = np.arange(N) // 5 if is_clustered else None
    sample = Sample(HAS_GOLD, clusters=clusters)
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0), (2, 0)))
    ((found, values),) = judged_differences(models(sample), [ACCURACY], spec, "zero")
    n, rest = N_GOLD, N - N_GOLD
    gold, judge = [], []
    for a, b in spec.pairs:
        (own_a, second_a), (own_b, second_b) = hits(PRED[a]), hits(PRED[b])
        own, second = own_a - own_b, second_a - second_b
        first, other = np.zeros(N), np.zeros(N)
        first[HAS_GOLD] = (own[HAS_GOLD] - own[HAS_GOLD].mean()) / n
        other[HAS_GOLD] = -(second[HAS_GOLD] - second[HAS_GOLD].mean()) / n
        other[~HAS_GOLD] = (second[~HAS_GOLD] - second[~HAS_GOLD].mean()) / rest
        if clusters is not None:
            first, other = np.bincount(clusters, first), np.bincount(clusters, other)
        gold.append(first)
        judge.append(other)
    one, two = np.concatenate(gold), np.concatenate(judge)
    n_units = (
        float(n)
        if clusters is None
        else 1.0 / sum(float((HAS_GOLD[clusters == c].sum() / n) ** 2) for c in range(N // 5))
    )
    weight, cost = tuned(one, two, n_units)
    for (a, b), first, other in zip(spec.pairs, gold, judge, strict=True):
        (own_a, second_a), (own_b, second_b) = hits(PRED[a]), hits(PRED[b])
        own, second = own_a - own_b, second_a - second_b
        value = own[HAS_GOLD].mean()
        value += weight * (second[~HAS_GOLD].mean() - second[HAS_GOLD].mean())
        names = "abc"[a], "abc"[b]
        assert values[names[0]].value - values[names[1]].value == pytest.approx(value)
        square = float(((first + weight * other) ** 2).sum())
        assert found.spread is not None
        if clusters is None:
            assert found.spread.variance(a, b) == pytest.approx(cost * square)
            assert found.spread.degrees(a, b) == pytest.approx(n - 1.0 - (weight > 0.0))
        else:
            # 1 ÷ (1 + (n ÷ 100)²) of it is that of independent rows, which is larger here.
            apart = (own - weight * second)[HAS_GOLD].var() / n
            apart += weight**2 * second[~HAS_GOLD].var() / rest
            part = 1.0 / (1.0 + (n / 100.0) ** 2)
            assert apart > square
            grown = (1.0 - part) * square + part * apart
            assert found.spread.variance(a, b) == pytest.approx(cost * grown)
            sums = [first + weight * other for first, other in zip(gold, judge, strict=True)]
            df = min(float(degrees_of_clusters(np.abs(each))) for each in sums)
            df = min(df, n_units - 1.0 - (weight > 0.0))
            assert found.spread.degrees(a, b) == pytest.approx(df)
    assert (found.method, found.n) == ("prediction-powered t", [N_GOLD] * 3)
    assert found.remark == f"judge weight λ {weight:.2g}, {N_GOLD} gold labels"
    assert found.limits == {}


def test_degrees_of_freedom_of_clusters_are_those_of_the_differences() -> None:
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(3, 12)) * np.array([1.5] + [1.0] * 11)
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0), (2, 1)))
    plain, clustered = (
        models(Sample(HAS_GOLD, clusters=c))["a"] for c in (None, np.arange(N) // 5)
    )
    assert (_degrees(plain, errors, 7.0, spec), _degrees(plain, errors, 0.5, spec)) == (7.0, 1.0)
    each = [float(degrees_of_clusters(np.abs(errors[a] - errors[b]))) for a, b in spec.pairs]
    assert _degrees(clustered, errors, 50.0, spec) == pytest.approx(min(each))
    assert _degrees(clustered, errors, 1.5, spec) == 1.5


def test_a_judge_without_use_has_no_weight() -> None:
    rng = np.random.default_rng(1)
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0),))
    errors = rng.normal(size=(2, 2, 40))
    for unknown in (math.nan, math.inf):
        bad = errors.copy()
        bad[0, 1, 3] = unknown
        assert _weight(bad, spec, 40.0) == (0.0, pytest.approx(40 / 39))
    same = errors.copy()
    same[:, 1] = same[:, 0]
    assert _weight(same, spec, 40.0) == (0.0, pytest.approx(40 / 39))
    turned = errors.copy()
    turned[:, 1] = -0.5 * turned[:, 0]
    assert _weight(turned, spec, 40.0) == (1.0, pytest.approx(cost_of_tuning(40.0)))
    assert _weight(turned, spec, 4.0)[0] == 1.0
    assert _weight(turned, spec, 3.99) == (0.0, pytest.approx(3.99 / 2.99))
    assert _weight(turned, spec, 1.5) == (0.0, pytest.approx(3.0))
    assert math.isnan(_weight(turned, spec, 1.0)[1])
    # What is saved must pay for the weight that is fitted.
    weak = np.stack([errors[:, 0], 0.9 * errors[:, 1] - 0.3 * errors[:, 0]], axis=1)
    own, second = (weak[1, side] - weak[0, side] for side in (0, 1))
    weight = -float(own @ second) / float(second @ second)
    saved = float(((own + weight * second) ** 2).sum() / (own**2).sum())
    for n in (4.0, 5.0, 7.0, 10.0, 20.0, 50.0, 1e6):
        is_paid = cost_of_tuning(n) * saved < n / (n - 1.0)
        assert _weight(weak, spec, n)[0] == (pytest.approx(weight) if is_paid else 0.0)
    silent = errors.copy()
    silent[:, 1] = 0.0
    assert _weight(silent, spec, 40.0) == (0.0, pytest.approx(40 / 39))


def test_losses_of_systems_by_hand() -> None:
    sample = Sample(HAS_GOLD)
    spec = ComparisonSpec(0.9, "none", {}, ((1, 0),))
    ((found, values),) = judged_differences(models(sample, has_scores=True), [LOSS], spec, "zero")
    truth, judge = GOLD == 1, JUDGE == 1
    own, second = (
        losses(probabilities(5), label) - losses(probabilities(4), label)
        for label in (truth, judge)
    )
    first, other = np.zeros(N), np.zeros(N)
    first[HAS_GOLD] = (own[HAS_GOLD] - own[HAS_GOLD].mean()) / N_GOLD
    other[HAS_GOLD] = -(second[HAS_GOLD] - second[HAS_GOLD].mean()) / N_GOLD
    other[~HAS_GOLD] = (second[~HAS_GOLD] - second[~HAS_GOLD].mean()) / (N - N_GOLD)
    weight, cost = tuned(first, other, N_GOLD)
    wanted = cost * float(((first + weight * other) ** 2).sum())
    assert found.spread is not None
    assert found.spread.variance(1, 0) == pytest.approx(wanted)
    value = own[HAS_GOLD].mean()
    value += weight * (second[~HAS_GOLD].mean() - second[HAS_GOLD].mean())
    assert values["b"].value - values["a"].value == pytest.approx(value)
    assert values["a"].level == 0.9
    assert values["a"].low is not None


def test_a_judge_that_guesses_takes_no_degree_of_freedom() -> None:
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0),))
    some = models(Sample(HAS_GOLD))
    guessed = np.random.default_rng(99).integers(0, K, N)
    for name, pred in zip("abc", PRED, strict=True):
        own = JudgedLabels.of(
            Classes.of(range(K)), Sample(HAS_GOLD), GOLD, guessed, pred, keeps_rows=True
        )
        some[name] = JudgedModel(Sample(HAS_GOLD), own)
    ((found, _),) = judged_differences(some, [ACCURACY], spec, "zero")
    assert found.remark == "judge weight λ 0, 80 gold labels"
    assert found.spread is not None
    assert found.spread.degrees(1, 0) == pytest.approx(N_GOLD - 1.0)
    # Two gold rows do not show how a difference varies; three may.
    for rows, is_known in (([3, 4], False), ([3, 4, 7], True)):
        few = models(Sample(np.isin(np.arange(N), rows)))
        ((found, _),) = judged_differences(few, [ACCURACY], spec, "zero")
        assert (found.spread is not None) is is_known


def test_a_class_without_a_gold_label_leaves_no_variance() -> None:
    has = HAS_GOLD & (GOLD != 2)
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0),))
    recall = get("macro_recall")
    ((found, _),) = judged_differences(models(Sample(has)), [recall], spec, "zero")
    assert found.spread is None
    assert found.remark == "no gold label is '2', and it depends on rows of that class"


def test_verdicts_with_gold_rows_of_their_own() -> None:
    """Each system has its gold rows: their number is that of the fewest."""
    other = np.arange(N) % 4 == 1
    some = models(Sample(HAS_GOLD))
    some["b"] = JudgedModel(Sample(other), labels(Sample(other), PRED[1], keeps_rows=True))
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0),))
    ((found, _),) = judged_differences(some, [ACCURACY], spec, "zero")
    assert found.n == [80, 60, 80]
    assert found.remark is not None
    assert found.remark.endswith(", 60 gold labels")
    first, second = np.zeros(N), np.zeros(N)
    for sign, pred, has in ((1.0, PRED[1], other), (-1.0, PRED[0], HAS_GOLD)):
        own, judged = hits(pred)
        n = int(has.sum())
        first[has] += sign * (own[has] - own[has].mean()) / n
        second[has] -= sign * (judged[has] - judged[has].mean()) / n
        second[~has] += sign * (judged[~has] - judged[~has].mean()) / (N - n)
    weight, cost = tuned(first, second, 60.0)
    wanted = cost * float(((first + weight * second) ** 2).sum())
    assert found.spread is not None
    assert found.spread.variance(1, 0) == pytest.approx(wanted)


def test_few_rows_with_most_of_the_weight_hold_the_variance() -> None:
    """As for one system: by `Both.held`, where all systems have the same gold rows."""
    sample = Sample(HAS_GOLD, np.where(PRED[0] == PRED[1], 4.0, 0.5))
    spec = ComparisonSpec(0.95, "none", {}, ((1, 0),))
    ((found, _),) = judged_differences(models(sample), [ACCURACY], spec, "zero")
    two = models(sample)
    errors = np.stack([two[name].errors(ACCURACY, "zero") for name in "abc"])
    weight, factor = _weight(errors, spec, sample.n_gold)
    own, judged = (one - other for one, other in zip(hits(PRED[1]), hits(PRED[0]), strict=True))
    both = sample.both()
    first = both.gold.moves((own - weight * judged)[HAS_GOLD])
    second = weight * both.reference.moves(judged[~HAS_GOLD])
    of_rest = float((second**2).sum())
    square = float((first**2).sum()) + of_rest
    wanted = factor * both.held(square, (own - weight * judged)[HAS_GOLD], of_rest)
    assert found.spread is not None
    assert found.spread.variance(1, 0) == pytest.approx(wanted)
    assert wanted > factor * square
