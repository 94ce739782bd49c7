"""Intervals of scores of sets by hand: what rows move, their errors, and what goes into limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat.data.scores.labels import LabelColumns
from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.sampling_error import SamplingError
from karat.inference.set_intervals import ONE_CLUSTER
from karat.inference.set_moves import Moves, NotTested
from karat.inference.set_score_intervals import SetScoreIntervals, _f1_of_rows
from karat.inference.value_limits import interval_of_rows, score_interval, within
from karat.metrics import get
from karat.metrics._of_set_scores import SetScores
from karat.tally import Classes
from karat.tally.label_scores import ListedScores
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.inference.scored_sets import (
    CLUSTERS,
    OF_ROWS,
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

FEW = "there are too few rows to choose a threshold on others"


def test_f1_of_the_means_of_rows() -> None:
    """1 ÷ F1 is the mean of 1 ÷ precision and 1 ÷ recall, and its moves are those of both."""
    p = np.array([0.5, math.nan, 1.0, 0.25, 0.9])
    r = np.array([0.2, 0.4, 0.6, 0.3, math.nan])
    w = np.array([0.1, 0.2, 0.05, 0.15, 0.0])
    value, moves = _f1_of_rows(p, r, w)
    mean_p = (0.1 * 0.5 + 0.05 * 1.0 + 0.15 * 0.25) / 0.3
    mean_r = (0.1 * 0.2 + 0.2 * 0.4 + 0.05 * 0.6 + 0.15 * 0.3) / 0.5
    expected = 2.0 / (1.0 / mean_p + 1.0 / mean_r)
    of_p = np.array([0.1, 0.0, 0.05, 0.15, 0.0]) * (np.nan_to_num(p) - mean_p) / 0.3
    of_r = w * (np.nan_to_num(r) - mean_r) / 0.5
    assert value == pytest.approx(expected, rel=1e-12)
    slopes = expected**2 / 2.0 * (of_p / mean_p**2 + of_r / mean_r**2)
    np.testing.assert_allclose(moves, slopes, rtol=1e-12, atol=1e-16)
    assert moves[4] == 0.0


def test_f1_of_rows_of_which_nothing_is_right() -> None:
    """No row with a precision, none that weighs, and none with a hit: 0, which no row moves."""
    ones = np.ones(3)
    for p, r, w in (
        (np.full(3, math.nan), ones, ones),
        (ones, ones, np.zeros(3)),
        (np.zeros(3), np.zeros(3), ones),
    ):
        value, moves = _f1_of_rows(p, r, w)
        assert value == 0.0
        assert moves.tolist() == [0.0, 0.0, 0.0]


def test_limits_of_one_label_are_two_sided_with_the_tail_asked_for() -> None:
    one = model(*drawn(), level=0.95, side="low", method="bootstrap")._alone
    assert (one.method, one.side) == ("default", "both")
    assert one.level == pytest.approx(0.9, rel=1e-12)
    both = model(*drawn(), level=0.95, method="wald")._alone
    assert (both.method, both.level) == ("wald", pytest.approx(0.95, rel=1e-12))


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("policy", ["zero", "exclude"])
def test_moves_of_means_over_rows_are_derivatives_by_the_weights(name: str, policy: Any) -> None:
    true, scores = drawn(3)
    metric, w = get(name), weights()

    def build(own: Any) -> SetScoreIntervals:
        return model(true, scores, own, policy=policy)

    one = build(w)
    moves = one.moves(metric, one.scores.value(metric))
    np.testing.assert_allclose(moves, by_weight(metric, build, w), rtol=1e-5, atol=1e-8)
    # Their sum is 0, and rows that say nothing move nothing.
    assert moves.sum() == pytest.approx(0.0, abs=1e-12)
    assert moves[5] == 0.0
    if policy == "exclude":
        assert moves[:2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["label_ranking_loss", "lwlrap", "coverage_error"])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_errors_of_means_over_rows(name: str, is_clustered: bool) -> None:
    """n ÷ (n − 1) · Σ of squares, with the rows that count, or G ÷ (G − 1) of clusters."""
    true, scores = drawn(6)
    metric, w = get(name), weights()
    clusters = CLUSTERS if is_clustered else None
    one = model(true, scores, w, clusters, policy="exclude", level=0.8)
    value = one.scores.value(metric)
    moves = by_weight(metric, lambda own: model(true, scores, own, policy="exclude"), w)
    has_true = true.any(axis=1) & ((name != "label_ranking_loss") | ~true.all(axis=1))
    mass = np.where(has_true, w * (true.sum(axis=1) if name == "lwlrap" else 1.0), 0.0)
    n = kish_of(mass[mass > 0.0])
    square, df = variance_of(moves, clusters), n - 1.0
    if clusters is None:
        square *= n / (n - 1.0)
    else:
        n, df = min(n, 5.0), df_of(moves, clusters)
    error, asked = math.sqrt(square), Confidence(0.8)
    if name == "coverage_error":
        spread = SamplingError(square, square, df, n)
        expected = score_interval(metric, value, spread, asked, n)
    else:
        expected = interval_of_rows(asked, metric, value, error, n, df)
    found = one.of(metric, value)
    assert limits(found)[:3] == pytest.approx(limits(expected)[:3], rel=1e-6)
    assert found.method == expected.method
    assert one.of(metric, value) is found


def test_shares_of_rows_have_the_limits_of_shares() -> None:
    """Of rows that are right or wrong, each counting once and alone; not of clusters or parts."""
    true = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0]])
    scores = np.array([[2.0, 1.0], [2.0, 1.0], [3.0, 1.0], [0.5, 1.0], [1.0, 0.0]])
    metric = get("label_ranking_loss")
    one = model(true, scores)
    # One of five: p(1 − p) ÷ (n − 1).
    expected = interval_of_rows(
        Confidence(), metric, 0.2, math.sqrt(0.2 * 0.8 / 4.0), 5.0, 4.0, is_share=True
    )
    assert expected.method == "wilson"
    same(one.of(metric, one.scores.value(metric)), expected)
    clustered = model(true, scores, clusters=[0, 0, 1, 1, 2])
    assert clustered.of(metric, 0.2).method == "wilson-effective"
    # A row with a tie is wrong, so that two are.
    tied = model(true, np.where(scores == 3.0, 1.0, scores))
    assert tied.scores.value(metric) == 0.4
    assert tied.of(metric, 0.4).method == "wilson"
    third = model(np.eye(3, dtype=int), [[2, 3, 1], [1, 3, 2], [1, 2, 3]])
    assert third.of(metric, third.scores.value(metric)).method == "wilson-effective"
    # Each row is perfect, and counts by its true labels.
    perfect = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0]])
    by_labels = model(perfect, perfect.astype(float))
    assert by_labels.of(get("lwlrap"), 1.0).method == "wilson-effective"
    assert model(perfect, perfect * 1.0).of(metric, 0.0).method == "wilson"


def test_two_rows_that_weigh_the_same_are_the_fewest() -> None:
    true, scores = np.eye(2, dtype=int), np.array([[0.9, 0.2], [0.8, 0.3]])
    metric = get("label_ranking_loss")
    even = model(true, scores).of(metric, 0.5)
    # Losses of 0 and 1: ½ · ½ ÷ (2 − 1).
    assert even.standard_error == pytest.approx(0.5, rel=1e-12)
    uneven = model(true, scores, [1.0, 1.1])
    assert uneven.of(metric, uneven.scores.value(metric)).remark == "there is one row"
    three = model(np.eye(2, dtype=int)[[0, 1, 1]], scores[[0, 1, 1]], [1.0, 1.0, 0.3])
    # (1 + 1 + 0.3)² ÷ (1 + 1 + 0.09) = 2.53 rows.
    assert three.of(metric, three.scores.value(metric)).low is not None
    alone = model(true[:1], scores[:1])
    assert alone.of(metric, 0.0).remark == "there is one row"
    assert alone.compared_moves(metric, 0.0) == NotTested("there is one row")
    assert isinstance(model(true, scores).compared_moves(metric, 0.5), Moves)


@pytest.mark.parametrize("name", ["label_ranking_loss", "roc_auc_ovr_macro", "roc_auc_ovr_micro"])
def test_two_clusters_are_the_fewest(name: str) -> None:
    true, scores = drawn(7)
    metric = get(name)
    one = model(true, scores, clusters=np.full(N, 3), compares=True)
    value = one.scores.value(metric)
    assert one.of(metric, value) == Interval(remark=ONE_CLUSTER)
    assert one.compared_moves(metric, value) == NotTested(ONE_CLUSTER)
    two = model(true, scores, clusters=np.arange(N) // 9, compares=True)
    assert two.of(metric, value).low is not None
    assert isinstance(two.compared_moves(metric, value), Moves)


@pytest.mark.parametrize("is_clustered", [False, True])
def test_rows_that_are_all_alike_have_no_error(is_clustered: bool) -> None:
    """Rounding is not an error: limits are those of as many rows, and of clusters by weight."""
    w = np.array([0.1, 0.3, 0.7, 0.2, 0.6, 0.4, 0.9])
    true, scores = np.tile([1, 0, 0, 0], (7, 1)), np.tile([3.0, 9.0, 1.0, 0.0], (7, 1))
    metric, clusters = get("label_ranking_loss"), np.array([0, 0, 0, 0, 1, 2, 3])
    one = model(true, scores, w, clusters if is_clustered else None)
    value = one.scores.value(metric)
    n = 4.0 if is_clustered else kish_of(w)
    df = 3.0 if is_clustered else n - 1.0
    expected = interval_of_rows(Confidence(), metric, value, 0.0, n, df)
    # A third of the pairs is in the wrong order, nearly.
    off = one.of(metric, value * (1.0 + 2e-16))
    assert value == pytest.approx(1.0 / 3.0, rel=1e-15)
    assert limits(off)[:3] == pytest.approx(limits(expected)[:3], rel=1e-9)
    assert off.standard_error == 0.0


def best_of(true: np.ndarray, scores: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """The threshold with the largest F1 of mean precision and mean recall, and this F1."""
    best = (-math.inf, -1.0)
    counts = (w > 0.0) & true.any(axis=1)
    for level in sorted(set(scores[counts].ravel().tolist()), reverse=True):
        value = f1_at(true, scores, w, np.full(len(w), level))
        if value > best[1] + 1e-12:
            best = level, value
    return best


def f1_at(true: np.ndarray, scores: np.ndarray, w: np.ndarray, levels: np.ndarray) -> float:
    parts: tuple[list[Any], list[Any]] = [], []
    for y, s, own, level in zip(true, scores, w, levels, strict=True):
        said = s >= level
        if y.any() and own > 0.0:
            parts[1].append((y[said].sum() / y.sum(), own))
            if said.any():
                parts[0].append((y[said].mean(), own))
    means = [
        sum(x * own for x, own in each) / sum(own for _, own in each) if each else 0.0
        for each in parts
    ]
    return float(2.0 * means[0] * means[1] / sum(means)) if sum(means) else 0.0


@pytest.mark.parametrize("is_clustered", [False, True])
def test_limits_of_a_threshold_that_rows_choose(is_clustered: bool) -> None:
    """The middle of the value and that of ten folds whose thresholds others choose."""
    n_units = 10 if is_clustered else 24
    true, scores = drawn(12, n=24)
    metric, w = get("fmax"), weights(n=24)
    clusters = np.arange(24) % 10 * 2 if is_clustered else None
    one = model(true, scores, w, clusters, seed=5, level=0.8)
    best, value = best_of(true, scores, w)
    assert one.scores.value(metric) == pytest.approx(value, rel=1e-12)
    units = np.arange(24) if clusters is None else clusters // 2
    fold = np.random.default_rng(5).permutation(n_units)[units] % 10
    levels = np.empty(24)
    for number in range(10):
        levels[fold == number] = best_of(true, scores, np.where(fold == number, 0.0, w))[0]
    apart = f1_at(true, scores, w, levels)
    moves, step = np.zeros(24), 1e-5
    for i in range(24):
        ends = []
        for sign in (-1.0, 1.0):
            other = w.copy()
            other[i] *= 1.0 + sign * step
            ends.append(f1_at(true, scores, other, np.full(24, best)))
        moves[i] = (ends[1] - ends[0]) / (2.0 * step)
    n = kish_of(np.where(true.any(axis=1), w, 0.0))
    square, df = variance_of(moves, clusters), n - 1.0
    if clusters is None:
        square *= n / (n - 1.0)
    else:
        n, df = min(n, 10.0), df_of(moves, clusters)
    error = math.hypot(math.sqrt(square), (value - apart) / 2.0)
    assert apart < value
    expected = interval_of_rows(Confidence(0.8), metric, (value + apart) / 2.0, error, n, df)
    found = one._of_chosen(metric, value)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)
    assert (found.method, found.standard_error) == ("cross-fitted", None)
    assert found.remark is not None
    assert "the choice of the threshold" in found.remark
    assert one.moves(metric, value) is None
    assert one.compared_moves(metric, value) == NotTested("its threshold is chosen by the rows")


def test_a_threshold_takes_ten_rows_to_choose() -> None:
    true, scores = drawn(13, n=10)
    metric = get("fmax")
    ten = model(true, scores)
    assert ten.of(metric, ten.scores.value(metric)).method == "cross-fitted"
    nine = model(true[:9], scores[:9])
    assert FEW in str(nine.of(metric, nine.scores.value(metric)).remark)
    few = model(true, scores, clusters=np.arange(10) // 2)
    assert FEW in str(few.of(metric, few.scores.value(metric)).remark)
    # Without its fold no row has a true label.
    alone = np.zeros((10, 2), int)
    alone[4, 1] = 1
    one = model(alone, scores[:, :2])
    assert FEW in str(one.of(metric, one.scores.value(metric)).remark)
    assert FEW in str(model(0 * alone, scores[:, :2])._of_chosen(metric, 0.5).remark)


def test_a_threshold_that_fewer_than_two_rows_choose() -> None:
    """Of two rows with true labels one weighs more: a variance is not made larger than by n."""
    true, scores = np.zeros((10, 2), int), np.tile([0.9, 0.1], (10, 1))
    true[2, 0], true[7] = 1, 1
    w = np.ones(10)
    w[7] = 4.0
    one = model(true, scores, w)
    metric, n = get("fmax"), 25.0 / 17.0
    # At 0.9 precision is 1 and recall (1 + 4 · ½) ÷ 5 = 0.6; at 0.1 it is 0.9 and 1.
    value = 2.0 * 0.9 / 1.9
    assert one.scores.value(metric) == pytest.approx(value, rel=1e-12)
    moves = 2.0 * (1.0 / 1.9) ** 2 * np.array([0.2 * (0.5 - 0.9), 0.8 * (1.0 - 0.9)])
    square = float((moves**2).sum()) * n
    # Alone, the row of one label takes the threshold 0.1 of the other, which takes 0.9.
    apart = 2.0 * 0.9 * 0.6 / 1.5
    expected = interval_of_rows(
        Confidence(),
        metric,
        (value + apart) / 2.0,
        math.hypot(math.sqrt(square), (value - apart) / 2.0),
        n,
        n - 1.0,
    )
    found = one._of_chosen(metric, value)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def replicates(one: SetScoreIntervals, units: np.ndarray) -> list[np.ndarray]:
    """How often each row is drawn, as its unit is."""
    rng, n = np.random.default_rng(one.asked.seed), int(units.max()) + 1
    found = []
    for _ in range(one.asked.n_replicates):
        if one.asked.method == "bayesian":
            times = rng.exponential(size=n)
        else:
            at = rng.integers(0, n, n)
            times = np.array([float((at == unit).sum()) for unit in range(n)])
        found.append(times[units])
    return found


@pytest.mark.parametrize("name", ["lwlrap", "label_ranking_loss", "roc_auc_ovr_macro", "fmax"])
@pytest.mark.parametrize("is_clustered", [False, True])
@pytest.mark.parametrize("method", ["bootstrap", "bca", "bayesian"])
def test_replicates_are_of_whole_rows(name: str, is_clustered: bool, method: Any) -> None:
    true, scores = drawn(16)
    metric, w = get(name), weights()
    clusters = CLUSTERS if is_clustered else None
    given: dict[str, Any] = {"policy": "exclude", "level": 0.8}
    one = model(true, scores, w, clusters, method=method, n_replicates=12, seed=3, **given)
    units = np.arange(N) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    value = one.scores.value(metric)
    found = one.of(metric, value)
    if method == "bca" and name == "fmax":
        assert "its acceleration is not known" in str(found.remark)
        return
    values = [
        model(true, scores, w * times, clusters, **given).scores.value(metric)
        for times in replicates(one, units)
    ]
    acceleration = None
    if name != "fmax":
        moves = by_weight(metric, lambda own: model(true, scores, own, policy="exclude"), w)
        acceleration = acceleration_of(np.bincount(units, moves))
    made = interval_of_draws(metric, value, np.array(values), one.asked, acceleration)
    error = model(true, scores, w, clusters, **given).of(metric, value).standard_error
    made = within(made, value, metric.range, one.asked)
    assert (found.low, found.high) == pytest.approx((made.low, made.high), rel=1e-6)
    assert (found.method, found.standard_error) == (
        method,
        pytest.approx(error, rel=1e-9) if error else None,
    )


def test_acceleration_is_of_means_over_labels_and_rows() -> None:
    true, scores = drawn(16)
    one = model(true, scores, method="bca", n_replicates=10)
    for name in ("roc_auc_ovr_weighted", "roc_auc_ovr_micro", "macro_max_f_beta"):
        value = one.scores.value(get(name))
        assert "its acceleration is not known" in str(one.of(get(name), value).remark)


def test_rows_that_are_not_drawn_say_nothing() -> None:
    """Rows that do not count have no value; none at all leaves it undefined."""
    true, scores = drawn(3)
    one = model(true, scores, policy="exclude", method="bootstrap", n_replicates=4)
    mean = one.scores.mean(get("label_ranking_loss"))
    assert math.isnan(one._replicate(mean, np.zeros(N)))
    times = np.where(np.arange(N) % 3 == 0, 0.25, 0.0)
    held = np.flatnonzero((times > 0.0) & (mean.gain > 0.0))
    assert one._replicate(mean, times) == pytest.approx(float(mean.value[held].mean()), rel=1e-12)


def test_scores_of_some_labels_leave_bounds_without_limits() -> None:
    sets, labels = Sets.of_matrix(np.eye(4, dtype=int)[[0, 1, 2, 1]]), Classes((0, 1, 2, 3))
    listed = Sets.of_matrix(np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 0]]))
    own = ListedScores(listed, np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]), "scores")
    rows = SetRows(labels, sets, sets, scores=own)
    metric = get("label_ranking_average_precision")
    for method in ("default", "bootstrap"):
        asked = Confidence(method=method, n_replicates=5)  # type: ignore[arg-type]
        one = SetScoreIntervals(SetScores(LabelColumns.of(rows, 1), "zero", 1), asked)
        value = one.scores.value(metric)
        assert one.of(metric, value) == Interval(remark="only bounds of its value are known")
        assert one.compared_moves(metric, value) == NotTested("only bounds of its value are known")
        assert one.moves(metric, value) is None


@pytest.mark.parametrize("is_clustered", [False, True])
def test_moves_of_means_over_rows_that_are_compared_grow(is_clustered: bool) -> None:
    """Each is √(n ÷ (n − 1)) times as large in few rows; the variance of clusters has its own."""
    true, scores = drawn(3)
    w, metric = weights(), get("lwlrap")
    one = model(true, scores, w, CLUSTERS if is_clustered else None, policy="exclude")
    value = one.scores.value(metric)
    mass = w * true.sum(axis=1)
    n = kish_of(mass)
    growth = 1.0 if is_clustered else n / (n - 1.0)
    moves, found = one.moves(metric, value), one.compared_moves(metric, value)
    assert moves is not None
    assert isinstance(found, Moves)
    np.testing.assert_allclose(found.phi, moves * math.sqrt(growth), rtol=1e-12)
    assert found.growth == 0.0


def test_why_moves_are_not_compared() -> None:
    true, scores = drawn(1)
    one = model(true, scores, compares=True)
    found = one.compared_moves(get("macro_max_f_beta"), 0.5)
    assert isinstance(found, NotTested)
    assert found.reason.startswith("it has no influence function: it is ")
    assert one.moves(get("macro_max_f_beta"), 0.5) is None
    assert "it takes replicates" in str(one.of(get("macro_max_f_beta"), 0.5).remark)
    perfect = model(true, true * 1.0)
    reason = "a label is ranked without error"
    assert perfect.compared_moves(get("d_prime"), 5.0) == NotTested(reason)
    assert perfect.of(get("d_prime"), 5.0) == Interval(remark=reason)
