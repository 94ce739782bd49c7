"""Orders of rows by a column of scores, against all pairs in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import Ranked, pair_areas, rank, rank_pooled
from karat.tally import CumulativeCounts
from tests.kernels import reference
from tests.ranks import column, ranked_rows, scored_rows
from tests.same import assert_same

EXAMPLES = settings(max_examples=150, deadline=None)
WITHIN = 1e-12


def check_areas(actual: Any, expected: list[Fraction], weights: Any) -> None:
    """Exact int64 without weights, else float64 to rounding."""
    if weights is None:
        assert actual.dtype == np.int64
        assert_same(actual, np.array([int(area) for area in expected], np.int64), about="areas")
    else:
        assert actual.dtype == np.float64
        assert_same(actual, [float(area) for area in expected], within=WITHIN, about="areas")


def check_ranked(ranked: Ranked, scores: Any, codes: Any, own: int, k: int, weights: Any) -> None:
    """Everything that a Ranked says of these rows."""
    w = np.ones(len(codes)) if weights is None else weights
    totals = np.bincount(codes, w, k)
    assert (ranked.k, ranked.own, ranked.n_rows) == (k, own, len(codes))
    assert_same(ranked.totals, totals, within=WITHIN if weights is not None else 0.0)
    assert ranked.totals.dtype == (np.int64 if weights is None else np.float64)
    check_areas(ranked.areas(), reference.areas(scores, codes, own, k, weights), weights)
    levels = reference.levels(scores, codes == own, weights)
    check_cumulative(ranked.cumulative(), levels, len(codes), weights)
    assert_same(ranked.step_area(), float(reference.step_area(levels)), within=WITHIN)
    trapezoid = reference.trapezoid_area(levels)
    expected = np.nan if trapezoid is None else float(trapezoid)
    assert_same(ranked.trapezoid_area(), expected, within=WITHIN)


def check_cumulative(
    cumulative: CumulativeCounts, levels: list[Any], n_rows: int, weights: Any
) -> None:
    assert cumulative.n_rows == n_rows
    assert_same(cumulative.scores, [level[0] for level in levels])
    assert not np.signbit(cumulative.scores[cumulative.scores == 0]).any()
    counts = np.array([[float(part) for part in level[1:]] for level in levels]).reshape(-1, 2)
    assert_same(cumulative.counts, counts, within=0.0 if weights is None else WITHIN)
    assert cumulative.is_weighted == (weights is not None)
    assert cumulative.counts.dtype == (np.int64 if weights is None else np.float64)


@given(ranked_rows())
@EXAMPLES
def test_rows_in_order(case: tuple[Any, Any, int, int, Any]) -> None:
    scores, codes, own, k, weights = case
    check_ranked(rank(scores, codes, own, k, weights), *case)


@given(ranked_rows())
@EXAMPLES
def test_squares_of_a_weighted_cumulative(case: tuple[Any, Any, int, int, Any]) -> None:
    scores, codes, own, k, weights = case
    cumulative = rank(scores, codes, own, k, weights).cumulative()
    expected = CumulativeCounts.of(scores, codes == own, weights)
    assert_same(cumulative.scores, expected.scores)
    if weights is None:
        assert cumulative.squares is None
    else:
        assert_same(cumulative.squares, expected.squares, within=WITHIN)


@given(scored_rows())
@EXAMPLES
def test_pooled_items(case: tuple[Any, Any, int, Any]) -> None:
    values, codes, k, weights = case
    items = (codes[:, None] == np.arange(k)).ravel().astype(np.int32)
    of_items = None if weights is None else np.repeat(weights, k)
    check_ranked(rank_pooled(values, codes, k, weights), values.ravel(), items, 1, 2, of_items)


def slow_pair(d: Any, codes: Any, i: int, j: int, weights: Any) -> Fraction:
    """Rows of class i above rows of class j by the score d."""
    rows = np.flatnonzero((codes == i) | (codes == j))
    two = (codes[rows] == j).astype(int)
    return reference.areas(d[rows], two, 0, 2, None if weights is None else weights[rows])[1]


def check_pairs(case: tuple[Any, Any, int, Any], cost: Any, d_of: Any) -> None:
    """d_of(i, j) is the score of the rows for that pair, or None when all are tied."""
    values, codes, k, weights = case
    areas, totals = pair_areas(values, codes, k, weights, cost)
    exact = 0.0 if weights is None else WITHIN
    w = np.ones(len(codes)) if weights is None else weights
    assert_same(totals, np.bincount(codes, w, k), within=exact)
    expected = np.zeros((k, k))
    for i, j in combinations(range(k), 2):
        d = d_of(i, j)
        d = np.zeros(len(codes)) if d is None else d
        expected[i, j] = float(slow_pair(d, codes, i, j, weights))
    assert_same(areas, expected, within=exact)
    assert areas.dtype == totals.dtype == (np.int64 if weights is None else np.float64)


@given(scored_rows())
@EXAMPLES
def test_pairs_by_difference(case: tuple[Any, Any, int, Any]) -> None:
    x = case[0].astype(np.float64)
    most = np.finfo(np.float64).max

    def difference(i: int, j: int) -> Any:
        with np.errstate(over="ignore"):
            return np.clip(x[:, i] - x[:, j], -most, most)

    check_pairs(case, None, difference)


COSTS = {
    "plain": lambda k: 1.0 - np.eye(k),
    "uneven": lambda k: (1.0 + np.arange(k * k).reshape(k, k) % 5) * (1 - np.eye(k)),
    "some cancel": lambda k: (np.arange(k)[:, None] - np.arange(k)) * (1.0 + (np.arange(k) > 2)),
    "negative": lambda k: np.eye(k) - 1.0,
}


@pytest.mark.parametrize("name", COSTS)
@given(case=scored_rows())
@settings(max_examples=50, deadline=None)
def test_pairs_by_cost(name: str, case: tuple[Any, Any, int, Any]) -> None:
    values, codes, k, weights = case
    values = np.clip(values, -1e30, 1e30)
    cost = COSTS[name](k)
    t = np.zeros((len(codes), k))
    for of_class in range(k):
        t += cost[:, of_class] * values[:, of_class, None].astype(np.float64)

    def along(i: int, j: int) -> Any:
        both = cost[i, j] + cost[j, i]
        return None if both == 0 else (t[:, j] - t[:, i]) * np.sign(both)

    check_pairs((values, codes, k, weights), cost, along)


@given(scored_rows(max_n=70))
@EXAMPLES
def test_columns_are_those_of_the_matrix(case: tuple[Any, Any, int, Any]) -> None:
    values, _, k, _ = case
    for repeat in (1, 5):
        matrix = np.tile(values, (1, repeat))
        columns = Columns(matrix)
        assert len(columns) == repeat * k
        for i in [*range(len(columns)), 0]:
            assert columns[i].flags.c_contiguous
            assert columns[i].dtype == values.dtype
            assert_same(columns[i], matrix[:, i])
    with pytest.raises(IndexError):
        columns[len(columns)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_many_rows_in_columns(dtype: str) -> None:
    values = np.random.default_rng(0).random((70_001, 19)).astype(dtype)
    for n_threads in (1, 3):
        columns = Columns(values, n_threads)
        for i in range(19):
            assert_same(columns[i], values[:, i])


def fast_areas(scores: Any, codes: Any, own: int, k: int) -> Any:
    """The same as the slow reference, for many rows: by counts on distinct scores."""
    place = np.unique(scores, return_inverse=True)[1]
    counts = np.bincount(place * k + codes, minlength=k * (place.max() + 1)).reshape(-1, k)
    above = counts[::-1, own].cumsum()[::-1]
    areas = (counts * (2 * above - counts[:, own])[:, None]).sum(axis=0)
    areas[own] = 0
    return areas


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", ["uniform", "ends", "signed", "rounded"])
@pytest.mark.parametrize("k", [2, 10, 300])
def test_many_rows(dtype: str, kind: str, k: int) -> None:
    rng = np.random.default_rng(5)
    n = 300_001
    scores, codes = column(rng, n, kind, dtype), rng.integers(0, k, n).astype(np.int32)
    expected = fast_areas(scores, codes, 1, k)
    cumulative = CumulativeCounts.of(scores, codes == 1)
    tps, fps = (part.astype(np.float64) for part in cumulative.cumulated())
    shares = tps / (tps + fps)
    increases = np.diff(tps, prepend=0.0)
    middle = (shares + np.concatenate([[1.0], shares[:-1]])) / 2
    for n_threads in (1, 2, 5):
        ranked = rank(scores, codes, 1, k, None, n_threads)
        assert_same(ranked.areas(), expected)
        assert_same(ranked.totals, np.bincount(codes, minlength=k))
        assert_same(ranked.cumulative().counts, cumulative.counts)
        assert_same(ranked.step_area(), increases @ shares, within=1e-12)
        assert_same(ranked.trapezoid_area(), increases @ middle / tps[-1], within=1e-12)
        # All weights 1, and weights that stand for repeated rows.
        weighted = rank(scores, codes, 1, k, np.ones(n), n_threads)
        assert_same(weighted.areas(), expected)
        assert_same(weighted.cumulative().counts, cumulative.counts)
        assert_same(weighted.step_area(), ranked.step_area(), within=1e-12)


def test_nothing_depends_on_the_threads() -> None:
    rng = np.random.default_rng(6)
    scores, codes = rng.random(400_000), rng.integers(0, 3, 400_000).astype(np.int32)
    weights = rng.random(400_000)
    one = rank(scores, codes, 0, 3, weights, 1)
    for n_threads in (2, 3, 8):
        other = rank(scores, codes, 0, 3, weights, n_threads)
        assert_same(other.areas(), one.areas())
        assert_same(other.totals, one.totals)
        assert_same(other.step_area(), one.step_area())
        assert_same(other.trapezoid_area(), one.trapezoid_area())
        assert_same(other.cumulative().squares, one.cumulative().squares)


@pytest.mark.parametrize(("value", "kind"), [(np.nan, "nan"), (np.inf, "infinite")])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_first_bad_score_is_named(value: float, kind: str, dtype: str) -> None:
    codes = np.zeros(5000, np.int32)
    for sign in (1, -1):
        for row in (0, 17, 2048, 4998):
            scores = np.ones(5000, dtype)
            scores[[row, 4999]] = sign * value, np.nan
            for given_scores in (scores, np.repeat(scores, 2)[::2]):
                with pytest.raises(_native.Rejected) as caught:
                    rank(given_scores, codes, 0, 2)
                assert caught.value.args[:3] == (kind, 1, row)
            matrix = np.ones((5000, 3), dtype)
            matrix[:, 1] = scores
            for make in (rank_pooled, pair_areas):
                with pytest.raises(_native.Rejected) as caught:
                    make(matrix, codes, 3)
                assert caught.value.args == (kind, 1, row, 1)


@pytest.mark.parametrize("bad", [-1, 3, -(2**31), 2**31 - 1])
def test_the_first_code_outside_is_named(bad: int) -> None:
    # Also before a bad score, and in every kind of order.
    codes = np.zeros(5000, np.int32)
    codes[[2100, 4000]] = bad
    scores = np.zeros((5000, 3))
    for scores[0, 0] in (0.0, np.nan):
        for weights in (None, np.ones(5000), np.full(5000, np.nan)):
            calls = (
                lambda w=weights: rank(scores[:, 0], codes, 0, 3, w),
                lambda w=weights: rank_pooled(scores, codes, 3, w),
                lambda w=weights: pair_areas(scores, codes, 3, w),
            )
            for call in calls:
                with pytest.raises(_native.Rejected) as caught:
                    call()
                assert caught.value.args[:3] == ("range", 0, 2100)


@pytest.mark.parametrize(
    ("weight", "kind"),
    [
        (-1.0, "negative_weight"),
        (-5e-324, "negative_weight"),
        (np.nan, "bad_weight"),
        (np.inf, "bad_weight"),
        (-np.inf, "bad_weight"),
    ],
)
def test_the_first_bad_weight_is_named(weight: float, kind: str) -> None:
    codes, scores, weights = np.zeros(5000, np.int32), np.zeros((5000, 2)), np.ones(5000)
    weights[[3001, 4999]] = weight
    for call in (
        lambda: rank(scores[:, 0], codes, 0, 2, weights),
        lambda: rank_pooled(scores, codes, 2, weights),
        lambda: pair_areas(scores, codes, 2, weights),
    ):
        with pytest.raises(_native.Rejected) as caught:
            call()
        assert caught.value.args[:3] == (kind, 2, 3001)


def test_a_cost_beyond_the_range_is_named() -> None:
    values = np.array([[1.0, 1.0], [1e300, 1e300]])
    with pytest.raises(_native.Rejected) as caught:
        pair_areas(values, np.array([0, 1], np.int32), 2, None, np.array([[0, 1], [1e300, 0]]))
    assert caught.value.args == ("infinite", 1, 1, 1)


def test_columns_are_as_many_as_classes() -> None:
    for call in (rank_pooled, pair_areas):
        with pytest.raises(ValueError, match="2 columns for 3 classes"):
            call(np.zeros((4, 2)), np.zeros(4, np.int32), 3)


def test_a_wrong_reference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.array([0.9, 0.4, 0.4, 0.1, 0.7])
    codes = np.array([1, 0, 1, 0, 2], np.int32)
    weights = np.array([1.0, 2.0, 0.5, 0.25, 3.0])
    right = reference.areas, reference.levels
    wrong = {
        "areas": lambda s, *rest: right[0](-s, *rest),
        "levels": lambda s, own, w=None: right[1](np.round(s), own, w),
        "step_area": lambda cumulative: Fraction(1, 3),
        "trapezoid_area": lambda cumulative: None,
    }
    for given_weights in (None, weights):
        case = scores, codes, 1, 3, given_weights
        check_ranked(rank(*case), *case)
        for name, function in wrong.items():
            with monkeypatch.context() as patch:
                patch.setattr(reference, name, function)
                with pytest.raises(AssertionError):
                    check_ranked(rank(*case), *case)
