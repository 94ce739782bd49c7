"""Variances of the tables of labels by loops over rows, and what rows move in their averages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat.designs.clusters import degrees_of_clusters
from karat.inference.confidence import Interval
from karat.inference.sampling_error import SamplingError
from karat.inference.set_moves import LabelMoves, LabelSpread
from karat.inference.set_variance import LabelClusters, SetVariance, correlations_of_labels
from karat.metrics import get
from karat.tally import Classes, ClusteredCells
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.inference.scored_sets import kish_of, model
from tests.inference.set_rows import set_rows

N, K = 17, 3
CLUSTERS = np.repeat([3, 0, 5, 1], [2, 3, 5, 7])
WEIGHTS = np.random.default_rng(1).random(N) / 8.0 + 0.02
WEIGHTS[5] = 0.0
GIVEN: list[dict[str, Any]] = [
    {},
    {"w": WEIGHTS},
    {"clusters": CLUSTERS},
    {"w": WEIGHTS, "clusters": CLUSTERS},
    {"w": WEIGHTS, "is_known": False},
    {"w": 40.0 * WEIGHTS, "clusters": CLUSTERS, "is_known": False},
]


def drawn(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, predictions, and which cells are known."""
    rng = np.random.default_rng([71, seed])
    true, known = rng.random((N, K)) < 0.4, rng.random((N, K)) < 0.8
    pred = np.where(rng.random((N, K)) < 0.35, ~true, true)
    return true, pred, known | ~known.any(axis=1)[:, None]


def rows_of(
    w: Any = None, clusters: Any = None, *, is_known: bool = True, pred: Any = None, **more: Any
) -> SetRows:
    true, said, known = drawn()
    pred = said if pred is None else pred
    return set_rows(true, pred, w, clusters, None if is_known else known, **more)


def variance(**given: Any) -> SetVariance:
    rows = rows_of(**given)
    clusters = None
    if rows.clusters is not None:
        cells = ClusteredCells.of(rows.clusters, np.arange(N), rows.weights)
        clusters = LabelClusters.of(rows.known, cells)
    return SetVariance(rows.tally, clusters)


def influences(partials: np.ndarray, w: np.ndarray, *, is_known: bool) -> np.ndarray:
    """float64[n, k]: of each row on each label, less the mean over the rows where it is known."""
    true, pred, known = drawn()
    if is_known:
        known = np.ones_like(known)
    found = np.zeros((N, K))
    for label in range(K):
        at = known[:, label]
        each = np.array(
            [partials[label][int(true[i, label])][int(pred[i, label])] for i in range(N)]
        )
        found[at, label] = each[at] - (w * each)[at].sum() / w[at].sum()
    return found


@pytest.mark.parametrize("given", GIVEN)
def test_variances_of_labels_are_those_of_their_rows(given: dict[str, Any]) -> None:
    """Σ (w·φ)² ÷ W², or of the sums of each cluster times G ÷ (G − 1)."""
    found, partials = variance(**given), np.random.default_rng(2).normal(size=(K, 2, 2))
    w = given.get("w")
    w = np.ones(N) if w is None else w
    phi = influences(partials, w, is_known=given.get("is_known", True))
    clusters = given.get("clusters")
    n, total = kish_of(w), float(w.sum())
    assert found.n_effective == pytest.approx(n, rel=1e-12)
    square, degrees, simple = np.zeros(K), np.full(K, math.inf), np.zeros(K)
    for label in range(K):
        moves = w * phi[:, label]
        if clusters is None:
            square[label] = float((moves**2).sum()) / total**2
        else:
            parts = np.array([moves[clusters == c].sum() for c in (3, 0, 5, 1)])
            square[label] = 4.0 / 3.0 * float((parts**2).sum()) / total**2
            sizes = np.array([np.abs(moves[clusters == c]).sum() for c in (3, 0, 5, 1)])
            degrees[label] = float(degrees_of_clusters(sizes))
        simple[label] = float((w * phi[:, label] ** 2).sum()) / total / n
    np.testing.assert_allclose(found.class_variances(partials), square, rtol=1e-10)
    np.testing.assert_allclose(found.class_df(partials), degrees, rtol=1e-10)
    inflation = found.class_inflation(partials)
    np.testing.assert_allclose(inflation, np.maximum(square / simple, 1.0), rtol=1e-10)
    if not given:
        assert inflation.tolist() == [1.0] * K


def test_weights_in_another_unit_change_nothing() -> None:
    partials = np.random.default_rng(3).normal(size=(K, 2, 2))
    one = variance(w=WEIGHTS)
    # The mean weight of 17 rows, as a power of two.
    mean = float(WEIGHTS.sum()) / N
    assert one.unit in (2.0 ** math.floor(math.log2(mean)), 2.0 ** math.ceil(math.log2(mean)))
    assert abs(math.log2(one.unit) - math.log2(mean)) <= 0.5
    assert one.total == pytest.approx(float(WEIGHTS.sum()) / one.unit, rel=1e-12)
    assert one.squares == pytest.approx(float((WEIGHTS**2).sum()) / one.unit**2, rel=1e-12)
    assert variance().unit == 1.0
    assert variance(w=np.zeros(N)).unit == 1.0
    assert variance(w=np.zeros(N)).n_effective == 0.0
    assert variance(w=np.full(N, 3.0)).unit == 4.0
    for scale in (2.0**-40, 2.0**33):
        other = variance(w=scale * WEIGHTS)
        assert other.class_variances(partials).tolist() == one.class_variances(partials).tolist()
        assert other.class_counts.tolist() == one.class_counts.tolist()
        scaled = one.alone(partials) * scale**2
        assert other.alone(partials) == pytest.approx(scaled, rel=1e-12)


@pytest.mark.parametrize("given", [{}, {"w": WEIGHTS}, {"w": WEIGHTS, "is_known": False}])
def test_tables_of_labels_are_sums_over_rows(given: dict[str, Any]) -> None:
    true, pred, known = drawn()
    if given.get("is_known", True):
        known = np.ones_like(known)
    found, w = variance(**given), given.get("w", np.ones(N))
    sums, squares = np.zeros((K, 2, 2)), np.zeros((K, 2, 2))
    for i in range(N):
        for label in range(K):
            cell = label, int(true[i, label]), int(pred[i, label])
            if known[i, label]:
                sums[cell] += w[i]
                squares[cell] += w[i] ** 2
    weights, found_squares = found.one_vs_rest
    np.testing.assert_allclose(weights * found.unit, sums, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(found_squares * found.unit**2, squares, rtol=1e-9, atol=1e-15)
    tables = np.stack([sums[:, 0, 0], sums[:, 0, 1], sums[:, 1, 0], sums[:, 1, 1]])
    np.testing.assert_allclose(found.class_counts * found.unit, tables, rtol=1e-10, atol=1e-15)
    partials = np.random.default_rng(4).normal(size=(K, 2, 2))
    alone = float((partials**2 * squares).sum())
    assert found.alone(partials) == pytest.approx(alone, rel=1e-9)


def test_what_kind_of_rows_they_are() -> None:
    plain, weighted, grouped = variance(), variance(w=WEIGHTS), variance(clusters=CLUSTERS)
    both = variance(w=WEIGHTS, clusters=CLUSTERS)
    kinds = [
        (one.is_simple, one.is_weighted, one.has_squares, one.n_units, one.has_strata, one.k)
        for one in (plain, weighted, grouped, both)
    ]
    assert kinds == [
        (True, False, False, math.inf, False, K),
        (False, True, True, math.inf, False, K),
        (False, False, False, 4.0, False, K),
        (False, True, True, 4.0, False, K),
    ]
    assert plain.varies_less is False


@pytest.mark.parametrize("is_weighted", [False, True])
def test_labels_that_do_not_vary(is_weighted: bool) -> None:
    """Rounding is no variance; clusters count as one row each, and weigh as much as their rows."""
    w = WEIGHTS if is_weighted else np.ones(N)
    given: dict[str, Any] = {"w": w} if is_weighted else {}
    partials = np.full((K, 2, 2), 0.1)
    partials[1] = 1.0 / 3.0
    one = variance(clusters=CLUSTERS, **given)
    assert one.class_variances(partials).tolist() == [0.0] * K
    sizes = np.array([w[c == CLUSTERS].sum() for c in (3, 0, 5, 1)])
    np.testing.assert_allclose(one.class_df(partials), degrees_of_clusters(sizes), rtol=1e-10)
    np.testing.assert_allclose(one.class_inflation(partials), kish_of(w) / 4.0, rtol=1e-12)
    alone = variance(**given)
    assert alone.class_variances(partials).tolist() == [0.0] * K
    assert alone.class_inflation(partials).tolist() == [1.0] * K
    assert one.clusters is not None
    assert one.clusters.n_effective == pytest.approx(kish_of(sizes), rel=1e-12)


def test_clusters_of_one_row_that_weigh_the_same_are_rows() -> None:
    """Their variance is larger by G ÷ (G − 1), their degrees of freedom are at most G − 1."""
    partials = np.random.default_rng(5).normal(size=(K, 2, 2))
    rows = rows_of()
    cells = ClusteredCells.of(np.arange(N), np.arange(N), None)
    one = SetVariance(rows.tally, LabelClusters.of(rows.known, cells))
    expected = variance().class_variances(partials) * N / (N - 1)
    np.testing.assert_allclose(one.class_variances(partials), expected, rtol=1e-10)
    even = np.tile([[1.0, -1.0], [-1.0, 1.0]], (K, 1, 1))
    assert one.clusters is not None
    flat = one.clusters.degrees(even, np.ones(K, bool))
    assert flat.tolist() == [N - 1.0] * K
    assert one.clusters.degrees(0.0 * even, np.ones(K, bool)).tolist() == [1.0] * K


@pytest.mark.parametrize("kind", ["rows", "weights", "frequency", "partly known"])
def test_correlations_of_two_models_in_every_label(kind: str) -> None:
    """Σ w²·φ_a·φ_b ÷ √(Σ w²·φ_a² · Σ w²·φ_b²) over the rows where the label is known."""
    true, pred, known = drawn()
    other = drawn(2)[1]
    w = np.ones(N)
    given: dict[str, Any] = {}
    if kind == "weights":
        given["w"] = w = WEIGHTS
    if kind == "frequency":
        w = np.arange(N) % 3 + 0.0
        given = {"w": w, "is_frequency": True}
    if kind == "partly known":
        given["is_known"] = False
    else:
        known = np.ones_like(known)
    phi = np.random.default_rng(6).normal(size=(2, K, 2, 2))
    phi[1, 2] = 0.0
    sides = [rows_of(pred=pred, **given), rows_of(pred=other, **given)]
    found = correlations_of_labels((sides[0], sides[1]), (phi[0], phi[1]))
    square = w if kind == "frequency" else w**2
    for label in range(K):
        a, b = (
            np.array([phi[m][label][int(true[i, label])][int(x[i, label])] for i in range(N)])
            for m, x in enumerate((pred, other))
        )
        at = known[:, label]
        parts = [float((square * x * y)[at].sum()) for x, y in ((a, b), (a, a), (b, b))]
        expected = parts[0] / math.sqrt(parts[1] * parts[2]) if label < 2 else 0.0
        assert found[label] == pytest.approx(expected, rel=1e-9)


def column(*true: int, w: Any = None) -> Any:
    scores = np.arange(float(len(true)))[:, None]
    return model(np.array(true)[:, None], scores, w).scores.columns.column(0)


W = np.array([0.1, 0.2, 0.3, 0.1, 0.4, 0.2])


def test_moves_of_areas_grow_as_the_rows_of_each_side() -> None:
    """By √(n ÷ (n − 1)) of the true rows, and of the others; and what these do not show, too."""
    phi = np.array([0.1, -0.2, 0.3, -0.4, 0.05, 0.15])
    moves = LabelMoves.of(get("roc_auc"), 8)
    at = np.array([True, True, False, True, True, False, True, True])
    sampling = SamplingError(0.02, 0.07, 3.0, 5.0)
    interval = Interval(0.4, 0.9, sampling=sampling)
    is_true = np.array([1, 1, 0, 0, 1, 0])
    for share in (0.25, 0.5):
        moves.add(at, column(*is_true, w=W), phi, share, 0.7, interval, has_clusters=False)
    growth = np.array([kish_of(W[is_true == side]) for side in (0, 1)])
    expected = phi * np.sqrt(growth / (growth - 1.0))[is_true]
    np.testing.assert_allclose(moves.macro[at], 2.0 * expected, rtol=1e-12)
    np.testing.assert_allclose(moves.weighted[at], 0.75 * expected, rtol=1e-12)
    assert moves.macro[~at].tolist() == moves.weighted[~at].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(moves.growth, [0.1, 0.05 * (0.0625 + 0.25)], rtol=1e-12)
    grouped = LabelMoves.of(get("roc_auc"), 6)
    grouped.add(slice(None), column(*is_true), phi, 0.5, 0.7, interval, has_clusters=True)
    assert grouped.macro.tolist() == phi.tolist()
    assert grouped.weighted.tolist() == (0.5 * phi).tolist()
    assert grouped.growth.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("name", "value"), [("roc_auc", 0.7), ("gini", 0.4)])
def test_one_true_row_varies_as_with_exponential_scores(name: str, value: float) -> None:
    """2·A² ÷ (1 + A) − A² (Hanley and McNeil 1982), on the scale of the metric."""
    own = 2.0 * 0.49 / 1.7 - 0.49
    span = 2.0 if name == "gini" else 1.0
    phi = np.array([0.0, 0.1, -0.1])
    moves = LabelMoves.of(get(name), 3)
    moves.add(slice(None), column(0, 1, 0), phi, 0.5, value, Interval(), has_clusters=False)
    expected = np.array([1.0, 0.25]) * span**2 * own
    np.testing.assert_allclose(moves.growth, expected, rtol=1e-12)
    # Two rows without the label grow by √2; the one with it shows no spread to grow.
    np.testing.assert_allclose(moves.macro, phi * [0.0, 1.0, math.sqrt(2.0)], rtol=1e-12)
    moves.weigh(3.0, np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(moves.growth, expected * [1.0, 9.0], rtol=1e-12)
    weighted = 1.5 * phi * [0.0, 1.0, math.sqrt(2.0)] + [1.0, 2.0, 3.0]
    np.testing.assert_allclose(moves.weighted, weighted, rtol=1e-12)
    # Two true rows without an interval, as of another metric, add nothing.
    two = LabelMoves.of(get(name), 3)
    two.add(slice(None), column(0, 1, 1), phi, 0.5, value, Interval(), has_clusters=False)
    assert two.growth.tolist() == [0.0, 0.0]


def test_a_lone_true_row_of_a_precision_varies_as_others_do() -> None:
    """As the mean over the other labels of Σ φ² times their true rows."""
    metric, phi = get("average_precision"), np.array([0.3, -0.1, 0.2, -0.4, 0.1, -0.1])
    moves = LabelMoves.of(metric, 6)
    assert moves.of_lift("macro", 2).growth == 0.0
    moves.add(slice(None), column(0, 1, 0, 0, 0, 0), 0.0 * phi, 0.1, 0.5, Interval(),
              has_clusters=False)  # fmt: skip
    assert moves.of_lift("macro", 2).growth == 0.0
    squares = []
    for rows, share in (([1, 1, 0, 0, 1, 0], 0.4), ([0, 1, 1, 0, 0, 0], 0.3)):
        is_true = np.array(rows)
        moves.add(slice(None), column(*is_true), phi, share, 0.5, Interval(), has_clusters=False)
        n = is_true.sum()
        factors = np.where(is_true, n / (n - 1.0), 6.0 / 5.0)
        squares.append(float((phi**2 * factors).sum()) * n)
    of_one = sum(squares) / 2.0
    assert moves.of_lift("macro", 2).growth == pytest.approx(of_one / 4.0, rel=1e-12)
    assert moves.of_lift("weighted", 2).growth == pytest.approx(0.01 * of_one, rel=1e-12)
    moves.weigh(3.0, np.zeros(6))
    assert moves.of_lift("weighted", 2).growth == pytest.approx(0.09 * of_one, rel=1e-12)
    assert moves.of_lift("macro", 2).growth == pytest.approx(of_one / 4.0, rel=1e-12)


def test_variances_that_shrink_take_nothing_away() -> None:
    moves = LabelMoves.of(get("roc_auc"), 2)
    sampling = SamplingError(0.05, 0.02, 3.0, 5.0)
    moves.add(slice(None), column(0, 1), np.array([0.1, -0.1]), 0.5, 0.7,
              Interval(sampling=sampling), has_clusters=False)  # fmt: skip
    np.testing.assert_allclose(moves.growth, [-0.03, -0.0075], rtol=1e-12)
    assert moves.of_lift("macro", 1).growth == moves.of_lift("weighted", 1).growth == 0.0


def test_labels_are_added_to_their_limits() -> None:
    """Influences times the distance of each limit in errors; of no error the distances alone."""
    one = model(np.eye(4, 2, dtype=int), np.zeros((4, 2)), [0.2, 0.1, 0.4, 0.3])
    moves = LabelMoves.of(get("roc_auc"), 4)
    spread = LabelSpread.of(one._units, 3, moves)
    assert np.isnan([spread.value, spread.low, spread.high]).all()
    at, phi = np.array([True, False, True, True]), np.array([0.03, -0.05, 0.02])
    error = math.sqrt(0.03**2 + 0.05**2 + 0.02**2)
    assert spread.square(phi, at) == pytest.approx(error**2, rel=1e-12)
    spread.add(1, at, phi, 0.25, 0.6, Interval(0.5, 0.9))
    spread.add(2, slice(None), np.zeros(4), 0.5, 0.7, Interval(0.4, 0.8))
    spread.add(2, slice(None), np.zeros(4), 0.5, 0.7, Interval(0.5, 0.75))
    spread.add(0, slice(None), np.array([1.0, -1.0, 0.0, 0.0]), 0.5, 0.9, Interval(0.1))
    full, one_more = np.array([0.03, 0.0, -0.05, 0.02]), np.array([1.0, -1.0, 0.0, 0.0])
    np.testing.assert_allclose(spread.below, 0.1 / error * full, rtol=1e-12)
    np.testing.assert_allclose(spread.above, 0.3 / error * full, rtol=1e-12)
    np.testing.assert_allclose(spread.alone, [0.09 + 0.04, 0.01 + 0.0025], rtol=1e-12)
    np.testing.assert_allclose(spread.whole, full + one_more, rtol=1e-12)
    weighted = 0.25 * full + 0.5 * one_more
    np.testing.assert_allclose(spread.weighted, weighted, rtol=1e-12)
    assert spread.value.tolist() == [0.9, 0.6, 0.7]
    np.testing.assert_array_equal(spread.low, [math.nan, 0.5, 0.5])
    np.testing.assert_array_equal(spread.high, [math.nan, 0.9, 0.75])
    assert spread.bias == 0.0
    moves.growth = np.array([1.0, 2.0])
    spread.weigh(2.0, np.ones(4))
    np.testing.assert_allclose(spread.weighted, 2.0 * weighted + 1.0, rtol=1e-12)
    assert (moves.growth.tolist(), moves.weighted.tolist()) == ([1.0, 8.0], [1.0] * 4)
    alone = LabelSpread.of(one._units, 1)
    alone.weigh(0.5, np.ones(4))
    assert (alone.moves, alone.weighted.tolist()) == (None, [1.0] * 4)


def test_moves_of_a_share_of_labels_grow_as_all_rows() -> None:
    """By √(n ÷ (n − 1)) of all rows; those of a precision that one row has do not grow there."""
    phi = np.array([0.3, -0.2, -0.1])
    for name, of_true in (("brier_uncertainty", 1.5), ("average_precision", 1.0)):
        moves = LabelMoves.of(get(name), 3)
        moves.add(slice(None), column(1, 0, 0), phi, 0.5, 0.2, Interval(), has_clusters=False)
        expected = phi * np.sqrt([of_true, 1.5, 1.5])
        np.testing.assert_allclose(moves.macro, expected, rtol=1e-12)
        assert moves.growth.tolist() == [0.0, 0.0]


def test_true_negatives_of_light_rows() -> None:
    """Their squares are what those of all other cells leave; exactly 0 where there are none."""
    cells = [[1, 1], [0, 1], [0, 0]], [[1, 1], [1, 1], [0, 1]]
    sides = [Sets.of_matrix(np.array(side)) for side in cells]
    w = np.array([1.0, 1.3, 0.25])
    labels = Classes((0, 1), is_declared=True)
    one = SetVariance(SetRows(labels, sides[0], sides[1], weights=w).tally)
    assert one.unit == 1.0
    squares = [[[0.0625, 1.69], [0.0, 1.0]], [[0.0, 0.0625], [0.0, 2.69]]]
    np.testing.assert_allclose(one.one_vs_rest[1], squares, rtol=1e-9, atol=0.0)


def test_variances_have_the_scale_of_their_influences() -> None:
    partials = np.random.default_rng(7).normal(size=(K, 2, 2))
    for given in GIVEN[:4]:
        one = variance(**given)
        square, grown = one.class_variances(partials), one.class_inflation(partials)
        np.testing.assert_allclose(one.class_variances(1e-14 * partials), 1e-28 * square, rtol=1e-9)
        np.testing.assert_allclose(one.class_inflation(1e-14 * partials), grown, rtol=1e-9)


def test_correlations_are_at_most_one() -> None:
    rows = rows_of()
    for seed in range(8):
        phi = np.random.default_rng(seed).normal(size=(K, 2, 2))
        for times in (3.0, -3.0):
            found = correlations_of_labels((rows, rows), (phi, times * phi))
            np.testing.assert_allclose(found, times / 3.0, rtol=1e-12)
            assert np.abs(found).max() <= 1.0
    none = SetRows(Classes(()), Sets.empty(2), Sets.empty(2))
    assert not len(correlations_of_labels((none, none), (np.empty((0, 2, 2)),) * 2))
