"""Differences of scores of sets by hand: units, what rows move, labels alone and at once."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from karat.data.scores.labels import LabelColumns
from karat.errors import KaratError
from karat.inference.comparison import set_scores
from karat.inference.comparison.judging import ComparisonSpec, judged
from karat.inference.comparison.records import ModelValue
from karat.inference.comparison.scored import ScoredModel, compared_models
from karat.inference.comparison.set_scores import (
    _largest,
    _of_label,
    _undefined,
    _units,
    compared_scores,
    scored_label_differences,
)
from karat.inference.comparison.sides import DIFFERENT_ROWS
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import least_variance
from karat.inference.set_moves import Moves
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.metrics import get
from karat.metrics._of_set_scores import SetScores
from karat.tally import Classes
from karat.tally.label_scores import ListedScores
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.inference.scored_sets import (
    CLUSTERS,
    N,
    by_weight,
    df_of,
    drawn,
    kish_of,
    model,
    variance_of,
    weights,
)

SPEC = ComparisonSpec(0.9, "maxt", {}, ((0, 1),), seed=4, n_permutations=99)


def other(scores: np.ndarray) -> np.ndarray:
    """Scores of another model of the same rows."""
    return np.round(scores + np.random.default_rng(5).normal(size=scores.shape), 1)


def pair(w: Any = None, clusters: Any = None, **given: Any) -> Any:
    true, scores = drawn(1)
    return [
        model(true, each, w, clusters, compares=True, level=0.9, **given)
        for each in (scores, other(scores))
    ]


@pytest.mark.parametrize("name", ["lwlrap", "roc_auc_ovr_macro", "roc_auc_ovr_micro", "d_prime"])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_values_of_the_same_rows_vary_together(name: str, is_clustered: bool) -> None:
    """The variance of the difference is that of what each row moves in it."""
    clusters, w, metric = CLUSTERS if is_clustered else None, weights(), get(name)
    models = pair(w, clusters)
    ((found, shown),) = compared_scores(models, [metric], SPEC, is_paired=True)
    assert (found.method, found.remark, found.metric) == ("influence t", None, metric)
    moves = []
    for one, estimate, value in zip(models, found.estimates, shown, strict=True):
        each = one.compared_moves(metric, estimate.value)
        assert isinstance(each, Moves)
        moves.append(each.phi)
        assert estimate.value == one.scores.value(metric)
        assert (estimate.n, estimate.level, estimate.undefined) == (N, 0.9, None)
        assert estimate.interval == one.of(metric, estimate.value)
        assert estimate.influence is not None
        held = w > 0.0
        expected = each.phi[held] * w.sum() / w[held]
        np.testing.assert_allclose(estimate.influence[held], expected, rtol=1e-12)
        assert estimate.variance == pytest.approx(variance_of(each.phi, clusters), rel=1e-9)
        assert (estimate.growth, estimate.least) == (each.growth, 0.0)
        n = min(kish_of(w), 5.0) if is_clustered else kish_of(w)
        assert estimate.n_effective == pytest.approx(n, rel=1e-12)
        assert value == ModelValue.of_estimate(estimate, Confidence(0.9))
    assert found.spread is not None
    growth = sum(each.growth for each in found.estimates)
    square = variance_of(moves[0] - moves[1], clusters) + growth
    assert found.spread.variance(0, 1) == pytest.approx(square, rel=1e-9)


@pytest.mark.parametrize("name", ["lwlrap", "roc_auc_ovr_macro", "coverage_error"])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_values_of_rows_of_their_own_are_independent(name: str, is_clustered: bool) -> None:
    clusters, metric, w = CLUSTERS if is_clustered else None, get(name), weights()
    true, scores = drawn(6, n=13)
    # A label of one true row does not show how it varies.
    true = np.column_stack([true, np.eye(13, dtype=int)[7]])
    scores = np.column_stack([scores, np.arange(13.0)])
    few = model(true, scores, w[:13], None if clusters is None else clusters[3:],
                compares=True, level=0.9)  # fmt: skip
    models = [pair(w, clusters)[0], few]
    ((found, shown),) = compared_scores(models, [metric], SPEC, is_paired=False)
    assert (found.method, found.remark) == ("unpaired t", DIFFERENT_ROWS)
    degrees = []
    for one, estimate, value in zip(models, found.estimates, shown, strict=True):
        each = one.compared_moves(metric, estimate.value)
        assert isinstance(each, Moves)
        own, codes = one.scores.weights, one.scores.rows.clusters
        square = variance_of(each.phi, codes) + each.growth
        assert estimate.variance == pytest.approx(square, rel=1e-9)
        mass = own * (one.scores.rows.true.sizes if name == "lwlrap" else 1.0)
        degrees.append(kish_of(mass) - 1.0 if codes is None else df_of(each.phi, codes))
        assert estimate.df == pytest.approx(degrees[-1], rel=1e-9)
        assert value.value == estimate.value
    if name == "roc_auc_ovr_macro" and not is_clustered:
        grown = few.compared_moves(metric, found.estimates[1].value)
        assert isinstance(grown, Moves)
        assert grown.growth > 0.0
    quantile = Confidence(0.9).quantile(min(degrees))
    least = [least_variance(each.distances, quantile) for each in found.estimates]
    assert [each.least for each in found.estimates] == pytest.approx(least, rel=1e-9)
    assert found.spread is not None
    assert min(least) > 0.0


def test_degrees_of_freedom_are_of_the_rows_that_count() -> None:
    """Rows less one, as (Σ w·g)² ÷ Σ (w·g)² counts them; at least 1."""
    w = weights()
    one, plain = pair(w, policy="exclude")[0], pair()[0]
    true = one.scores.rows.true.sizes
    df = kish_of(w * true) - 1.0
    assert _units(one, get("lwlrap")).df == pytest.approx(df, rel=1e-12)
    loss = kish_of(np.where((true > 0) & (true < 3), w, 0.0)) - 1.0
    assert _units(one, get("label_ranking_loss")).df == pytest.approx(loss, rel=1e-12)
    assert _units(one, get("roc_auc_ovr_macro")).df == pytest.approx(kish_of(w) - 1.0, rel=1e-12)
    assert _units(plain, get("roc_auc_ovr_macro")).df == N - 1.0
    uneven = model(*drawn(1), np.eye(N)[2] + 1e-3)
    assert _units(uneven, get("roc_auc_ovr_macro")).df == 1.0
    in_clusters = _units(pair(w, CLUSTERS)[0], get("roc_auc_ovr_macro"))
    assert (in_clusters.n_units, in_clusters.df) == (5.0, 4.0)


def test_what_cannot_be_tested_says_why() -> None:
    models = pair()
    for is_paired in (True, False):
        ((found, shown),) = compared_scores(models, [get("fmax")], SPEC, is_paired=is_paired)
        assert found.remark == "its threshold is chosen by the rows"
        assert found.spread is None
        assert [each.least for each in found.estimates] == [0.0, 0.0]
        assert [each.value for each in shown] == [each.value for each in found.estimates]
    true, scores = drawn(1)
    nothing = [model(0 * true, each, policy="exclude", compares=True) for each in (scores, scores)]
    ((found, _),) = compared_scores(nothing, [get("lwlrap")], SPEC, is_paired=True)
    assert found.remark == "the value is undefined or infinite"
    assert all(each.undefined for each in found.estimates)
    assert [each.interval for each in found.estimates] == [Interval(), Interval()]


def test_values_that_rows_do_not_define() -> None:
    """Of scores of labels no number stands for what is undefined; of rows one may."""
    true, scores = drawn(1)
    area, loss = get("roc_auc_ovr_macro"), get("label_ranking_average_precision")
    one = model(true, scores)
    assert _undefined(one, area, one.scores.value(area)) is None
    assert _undefined(one, loss, one.scores.value(loss)) is None
    none = model(0 * true, scores)
    # Undefined rows count as 0: a value that no row defines.
    assert math.isfinite(none.scores.value(loss))
    assert _undefined(none, loss, none.scores.value(loss))
    without = model(0 * true, scores, policy="exclude")
    assert _undefined(without, area, without.scores.value(area))
    some = model(true, scores, policy="nan")
    assert _undefined(some, loss, some.scores.value(loss))


def test_shares_of_plain_rows_show_which_model_alone_is_right() -> None:
    true = np.eye(3, dtype=int)[[0, 1, 2, 0, 1, 2, 0]]
    best = {"a": [0, 1, 2, 0, 1, 0, 1], "b": [0, 2, 0, 1, 1, 2, 2]}
    scores = {name: np.eye(3)[at] + [0.02, 0.01, 0.0] for name, at in best.items()}
    metric = get("one_error")
    assert metric.better == "lower"
    for name, b, c in (("one_error", 3.0, 1.0), ("samples_precision_at_1", 3.0, 1.0)):
        models = [model(true, each, compares=True) for each in scores.values()]
        ((found, _),) = compared_scores(models, [get(name)], SPEC, is_paired=True)
        # Rows 2, 3 and 4 are right by a alone, row 6 by b alone.
        one = found.discordant[0, 1]
        assert (one.b, one.c) == (b, c)
        assert found.tests[0, 1][0] == "mid-p McNemar"
    for given in ({"w": np.full(7, 2.0)}, {"clusters": np.arange(7) // 2}):
        models = [model(true, each, compares=True, **given) for each in scores.values()]
        ((found, _),) = compared_scores(models, [metric], SPEC, is_paired=True)
        assert not found.discordant
    ((apart, _),) = compared_scores(
        [model(true, each, compares=True) for each in scores.values()],
        [metric],
        SPEC,
        is_paired=False,
    )
    assert not apart.discordant
    ((part, _),) = compared_scores(pair(), [get("label_ranking_loss")], SPEC, is_paired=True)
    assert not part.discordant


def test_metrics_of_labels_are_measured_together() -> None:
    metrics = [get("roc_auc_ovr_macro"), get("roc_auc_ovr_micro"), get("lwlrap")]
    models = pair()
    found = compared_scores(models, metrics, SPEC, is_paired=True)
    assert [one.metric for one, _ in found] == metrics
    for each in models:
        assert set(each._spreads) == {get("roc_auc")} == set(each._of_pooled)


@pytest.mark.parametrize("is_clustered", [False, True])
@pytest.mark.parametrize("is_partly_known", [False, True])
def test_a_label_is_compared_as_two_classes(is_clustered: bool, is_partly_known: bool) -> None:
    """What each row moves in the difference, in its standard errors: their squares add up to 1."""
    clusters, w = CLUSTERS if is_clustered else None, weights()
    known = np.ones((N, 3), bool)
    known[[6, 9], 1] = not is_partly_known
    models = pair(w, clusters, known=known)
    found = _of_label(models, get("roc_auc"), ("a", "b"), SPEC, 1)
    assert found is not None
    measured, moved = found
    at = known[:, 1]
    own = None if clusters is None else clusters[at].astype(np.int64)
    sides = {
        name: ScoredModel.of(each.scores.columns.column(1), [get("roc_auc")], "zero", 0.9, own)
        for name, each in zip("ab", models, strict=True)
    }
    ((expected, _),) = compared_models(sides, [get("roc_auc")], SPEC, is_paired=True)
    assert judged(measured, "ab", SPEC) == judged(expected, "ab", SPEC)
    true, scores = drawn(1)
    slopes = np.zeros(N)
    for each, sign in ((scores, 1.0), (other(scores), -1.0)):
        held = np.where(at, w, 0.0)
        moves = by_weight(
            get("roc_auc_ovr_macro"), lambda w, s=each: model(true[:, [1]], s[:, [1]], w), held
        )
        for side in (0, 1):
            rows = at & (true[:, 1] == side)
            n = kish_of(w[rows])
            growth = n / (n - 1.0) if clusters is None else 1.0
            slopes[rows] += sign * moves[rows] * math.sqrt(growth)
    assert measured.spread is not None
    error = math.sqrt(measured.spread.variance(0, 1))
    if clusters is None:
        np.testing.assert_allclose(moved, slopes / error, rtol=1e-5, atol=1e-7)
        assert (moved**2).sum() == pytest.approx(1.0, rel=1e-9)
    else:
        sums = [slopes[clusters == code].sum() for code in range(10)]
        np.testing.assert_allclose(moved, np.array(sums) / error, rtol=1e-5, atol=1e-7)


def test_labels_without_rows_to_compare() -> None:
    area = get("roc_auc")
    true, scores = drawn(1)
    known = np.ones((N, 3), bool)
    known[:, 2] = False
    models = [model(true, each, known=known, compares=True) for each in (scores, other(scores))]
    assert _of_label(models, area, ("a", "b"), SPEC, 2) is None  # type: ignore[arg-type]
    assert _of_label(models, area, ("a", "b"), SPEC, 0) is not None  # type: ignore[arg-type]
    for clusters, is_known in ((np.arange(N) // 9, True), (np.zeros(N, int), False)):
        w = np.ones(N)
        both = pair(w, clusters)
        assert (_of_label(both, area, ("a", "b"), SPEC, 0) is not None) == is_known
    # Rows of the second cluster weigh nothing.
    both = pair(np.where(np.arange(N) < 9, 1.0, 0.0), np.arange(N) // 9)
    assert _of_label(both, area, ("a", "b"), SPEC, 0) is None
    alike = [model(true, scores, compares=True), model(true, scores, compares=True)]
    still = _of_label(alike, area, ("a", "b"), SPEC, 0)  # type: ignore[arg-type]
    assert still is not None
    assert still[1].tolist() == [0.0] * N


def test_the_largest_of_all_differences() -> None:
    """Each row with a random sign: the largest sum of a label, of as many draws, ascending."""
    rng = np.random.default_rng(1)
    moved = [rng.normal(size=6), None, np.zeros(6), rng.normal(size=6)]
    found = _largest(moved, SPEC)
    signs = 2.0 * np.random.default_rng([4]).integers(0, 2, (99, 6)) - 1.0
    parts = moved[0], moved[3]
    expected = sorted(max(abs(float(row @ part)) for part in parts) for row in signs)
    assert found is not None
    np.testing.assert_allclose(found.draws, expected, rtol=1e-12)
    assert _largest([None, np.zeros(3)], SPEC) is None
    assert _largest([], SPEC) is None
    # 2³² products of replicates and rows are the most.
    dear = np.broadcast_to(1.0, (1 << 26) + 1)
    assert _largest([dear], SPEC) is None


def six_labels(w: Any) -> Any:
    """Two models; of the last label nothing is known, and of the second scores are the same.

    Of the fourth the first model ranks most rows well, and the second turns its scores round.
    """
    true, scores = drawn(1)
    true, scores = np.column_stack([true, true]), np.column_stack([scores, scores])
    scores[:, 3] += 0.5 * true[:, 3]
    second, known = other(scores), np.ones((N, 6), bool)
    second[:, 1], known[:, 5] = scores[:, 1], False
    second[:, 3] = -scores[:, 3]
    return [
        model(true, each, w, known=known, compares=True, level=0.9) for each in (scores, second)
    ]


@pytest.mark.parametrize("is_dear", [False, True])
def test_labels_are_compared_alone_and_at_once(
    is_dear: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the largest of all in each replicate; by Holm's p and Bonferroni's limits without."""
    w = weights()
    models, names, area = six_labels(w), ("a", "b"), get("roc_auc")
    alone = ComparisonSpec(0.9, "none", {}, ((0, 1),), 4, 99)
    each = [_of_label(models, area, names, alone, label) for label in range(6)]
    largest = _largest([None if one is None else one[1] for one in each], SPEC)
    assert largest is not None
    if is_dear:
        monkeypatch.setattr(set_scores, "_largest", lambda *_: None)
    spec = ComparisonSpec(0.9, "maxt", {"roc_auc": 0.5}, ((1, 0),), 4, 99)
    found = scored_label_differences(models, get("roc_auc_ovr_macro"), names, spec)
    p = [1.0] * 6
    for label, measured in enumerate(each[:5]):
        assert measured is not None
        p[label] = judged(measured[0], names, alone)[0].p or 1.0
    assert max(p[:1] + p[2:5]) < 1.0
    normal = NormalDist()
    tail = 0.1 / 6.0 / 2.0
    farthest = -normal.inv_cdf(tail) if is_dear else float(np.quantile(largest.draws, 0.9))
    level = 2.0 * normal.cdf(max(farthest, normal.inv_cdf(0.95))) - 1.0
    clear = []
    for label, (one, measured) in enumerate(zip(found, each, strict=True)):
        assert (one.label, one.a, one.b, one.metric, one.level) == (label, "a", "b", "roc_auc", 0.9)
        if measured is None:
            assert label == 5
            assert math.isnan(one.value_a)
            assert math.isnan(one.value_b)
            assert math.isnan(one.difference)
            assert (one.n, one.p, one.p_adjusted, one.low) == (0.0, None, None, None)
            continue
        (narrow,) = judged(measured[0], names, alone)
        (wide,) = judged(measured[0], names, ComparisonSpec(level, "none", {}, ((0, 1),)))
        assert (one.value_a, one.value_b, one.p) == (narrow.value_a, narrow.value_b, narrow.p)
        assert (one.difference, one.method) == (narrow.difference, narrow.method)
        assert one.n == models[0].scores.label_weights[label]
        if one.p is not None:
            z = -normal.inv_cdf(one.p / 2.0) if one.p < 1.0 else 0.0
            by_largest = (1.0 + sum(x >= z for x in largest.draws)) / 100.0
            smaller = sorted(p).index(p[label])
            by_holm = max(min(1.0, sorted(p)[i] * (6 - i)) for i in range(smaller + 1))
            expected = by_holm if is_dear else max(one.p, by_largest)
            assert one.p_adjusted == pytest.approx(expected, rel=1e-12)
        if narrow.low is not None and narrow.high is not None:
            assert (one.low, one.high) == pytest.approx((narrow.low, narrow.high), rel=1e-9)
            assert one.p_adjusted is not None
            assert wide.low is not None
            assert wide.high is not None
            low, high = min(wide.low, narrow.low), max(wide.high, narrow.high)
            if one.p_adjusted < 0.1:
                clear.append(label)
                assert low > 0.2
            else:
                low, high = min(low, 0.0), max(high, 0.0)
            assert one.low_simultaneous == pytest.approx(low, rel=1e-6)
            assert one.high_simultaneous == pytest.approx(high, rel=1e-6)
    assert clear == [3]


def test_scores_of_some_labels_compare_no_labels() -> None:
    models: Any = [listed(), listed()]
    with pytest.raises(KaratError, match="K224"):
        compared_scores(models, [get("roc_auc_ovr_macro")], SPEC, is_paired=True)
    with pytest.raises(KaratError, match="K224"):
        scored_label_differences(models, get("roc_auc_ovr_macro"), ("a", "b"), SPEC)


def listed() -> SetScoreIntervals:
    sets, labels = Sets.of_matrix(np.eye(3, dtype=int)[[0, 1, 2, 1]]), Classes((0, 1, 2))
    some = Sets.of_matrix(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0]]))
    scores = ListedScores(some, np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]), "scores")
    rows = SetRows(labels, sets, sets, scores=scores)
    return SetScoreIntervals(SetScores(LabelColumns.of(rows, 1), "zero", 1), Confidence(0.9))


def test_the_first_reason_against_a_test_is_told() -> None:
    true, scores = drawn(1)
    one = model(np.array([[1, 0]]), [[2.0, 1.0]], compares=True)
    endless = model(true[:, :2], true[:, :2] * 1.0, compares=True)
    fine = model(true[:, :2], scores[:, :2], compares=True)
    for models, reason in (
        ([endless, one], "the value is undefined or infinite"),
        ([fine, endless], "the value is undefined or infinite"),
    ):
        ((found, _),) = compared_scores(models, [get("d_prime")], SPEC, is_paired=False)
        assert found.remark == reason
    ((found, _),) = compared_scores([one, endless], [get("lwlrap")], SPEC, is_paired=False)
    assert found.remark == "there is one row"


def test_rows_that_do_not_count_make_no_share() -> None:
    true = np.vstack([np.eye(3, dtype=int)[[0, 1, 2, 0]], np.zeros((1, 3), int)])
    scores = np.random.default_rng(2).normal(size=(2, 5, 3))
    for policy, is_share in (("zero", True), ("exclude", False)):
        models = [model(true, each, policy=policy, compares=True) for each in scores]
        ((found, _),) = compared_scores(models, [get("one_error")], SPEC, is_paired=True)
        assert bool(found.discordant) == is_share


def test_draws_in_blocks_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: Any = [np.random.default_rng(1).normal(size=6), np.eye(6)[2]]
    whole = _largest(moved, SPEC)
    assert whole is not None
    assert len(whole.draws) == 99
    for block in (5, 13):
        monkeypatch.setattr(set_scores, "_BLOCK", block)
        parts = _largest(moved, SPEC)
        assert parts is not None
        assert parts.draws == pytest.approx(whole.draws, rel=1e-12)
