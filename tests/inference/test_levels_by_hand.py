"""Replicates of sorted scores against loops over levels, pairs and rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.inference.resampling import (
    LevelGroups,
    ReplicateColumn,
    TableDraw,
    left_out,
    measures_of,
    replicate_areas,
    replicate_bins,
    replicate_cumulative,
    replicate_row_cumulative,
)
from karat.metrics import ClassRanks, get
from karat.tally import CumulativeCounts, uniform_edges
from karat.tally.cumulative_counts import ScoreLevels
from tests.inference.replicates import times_of

METHODS: tuple[TableDraw, ...] = ("multinomial", "bayesian")


# Groups of score levels.


class Levels:
    """Score levels in blocks of a few, as a column that is not in memory gives them."""

    def __init__(self, n: int, step: int, *, is_weighted: bool = False, seed: int = 0) -> None:
        rng = np.random.default_rng([seed, n])
        self.scores = np.sort(rng.normal(size=n))[::-1].copy()
        self.sizes = rng.integers(0, 4, (n, 2))
        self.sizes[self.sizes.sum(axis=1) == 0] = 1
        weight = rng.integers(1, 9, (n, 2)) / 64.0 if is_weighted else np.ones((n, 2))
        self.counts: Any = self.sizes * weight if is_weighted else self.sizes
        self.squares = self.sizes * weight**2 if is_weighted else None
        self.step, self.is_weighted, self.n_rows = step, is_weighted, int(self.sizes.sum()) + 3

    def blocks(self) -> Iterator[ScoreLevels]:
        for first in range(0, len(self.scores), self.step):
            part = slice(first, first + self.step)
            squares = None if self.squares is None else self.squares[part]
            yield ScoreLevels(self.scores[part], self.counts[part], squares)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("step", [1, 4, 50])
def test_few_levels_are_a_group_each(step: int, is_weighted: bool) -> None:
    source = Levels(11, step, is_weighted=is_weighted)
    groups = LevelGroups.of(source, 11)
    assert groups.scores.tolist() == groups.least.tolist() == source.scores.tolist()
    assert groups.sums.tolist() == source.counts.tolist()
    assert groups.sums.dtype == np.float64
    assert groups.within.tolist() == [0.5] * 11
    assert groups.n_rows == source.n_rows
    assert (groups.squares is None) == (not is_weighted)
    if groups.squares is not None and source.squares is not None:
        assert groups.squares.tolist() == source.squares.tolist()
    assert len(LevelGroups.of(source, 10).scores) <= 10
    assert groups.place_of(source.scores[::-1]).tolist() == list(range(11))[::-1]


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("step", [1, 4, 7, 500])
@pytest.mark.parametrize("limit", [1, 2, 9, 19])
def test_a_level_belongs_to_the_group_of_its_middle_row(
    limit: int, step: int, is_weighted: bool
) -> None:
    """Sums, mean score, least score and the pairs inside, group by group and pair by pair."""
    source = Levels(20, step, is_weighted=is_weighted)
    groups = LevelGroups.of(source, limit)
    both = source.counts.sum(axis=1)
    members: dict[int, list[int]] = {}
    before = 0.0
    for i in range(20):
        middle = before + both[i] / 2.0
        members.setdefault(min(int(middle * limit / both.sum()), limit - 1), []).append(i)
        before += both[i]
    assert len(groups.scores) == len(members)
    assert groups.n_rows == source.n_rows
    assert (groups.squares is None) == (not is_weighted)
    for at, (_, of) in enumerate(sorted(members.items())):
        rest, own = source.counts[of].T
        assert groups.sums[at] == pytest.approx([sum(rest), sum(own)], rel=1e-12)
        mean = sum(both[of] * source.scores[of]) / sum(both[of])
        assert groups.scores[at] == pytest.approx(mean, rel=1e-12)
        assert groups.least[at] == min(source.scores[of])
        doubled = sum(
            rest[i] * own[j] * (2.0 if j < i else float(i == j))
            for i in range(len(of)) for j in range(len(of))
        )  # fmt: skip
        pairs = sum(rest) * sum(own)
        wanted = doubled / (2.0 * pairs) if pairs else 0.5
        assert groups.within[at] == pytest.approx(wanted, rel=1e-12)
        assert groups.place_of(source.scores[of]).tolist() == [at] * len(of)
        if groups.squares is not None and source.squares is not None:
            assert groups.squares[at] == pytest.approx(source.squares[of].sum(axis=0), rel=1e-12)


def test_a_mean_score_lies_between_the_scores_of_its_group() -> None:
    """Three times 0.1 is a little more than 0.3; three times -0.1 a little less than -0.3."""
    assert (0.1 * 3.0) / 3.0 > 0.1
    scores = np.array([0.1, 0.0, -0.1])
    for side in (0, 1):
        counts = np.zeros((3, 2), np.int64)
        counts[:, side] = 3
        upper = LevelGroups.of(CumulativeCounts(scores, counts, None, 9), 2)
        assert upper.scores[0] == upper.least[0] == 0.1
        lower = LevelGroups.of(CumulativeCounts(scores - 0.1, counts, None, 9), 2)
        assert lower.least.tolist() == [0.0, -0.2]


def test_separated_and_mixed_groups() -> None:
    """Own above the rest inside a group is 1, below it 0; without one side it is a half."""
    scores = np.array([5.0, 4.0, 3.0, 2.0])
    for counts, within in (
        ([[0, 2], [2, 0], [2, 0], [0, 2]], [1.0, 0.0]),
        ([[0, 2], [0, 2], [1, 1], [1, 1]], [0.5, 0.5]),
    ):
        groups = LevelGroups.of(CumulativeCounts(scores, np.array(counts), None, 8), 2)
        assert groups.within.tolist() == within
        assert groups.scores.tolist() == [4.5, 2.5]


# One column.


def replicated(scores: Any, counts: Any) -> ReplicateColumn:
    counts = np.asarray(counts)
    return ReplicateColumn(np.array(scores), counts, None, int(counts.sum()))


def test_a_replicate_has_the_areas_of_its_rows() -> None:
    """Pairs and precisions, one by one."""
    counts = [[1, 3], [0, 2], [4, 0], [2, 1]]
    column = replicated([4.0, 3.0, 2.0, 1.0], counts)
    assert column.totals.tolist() == [7, 6]
    doubled = sum(
        counts[i][0] * counts[j][1] * (2 if j < i else int(i == j))
        for i in range(4) for j in range(4)
    )  # fmt: skip
    assert column.areas().tolist() == [doubled, 0]
    assert column.areas().dtype == np.int64
    # Precision at or above each level, and above it: that of no row is 1.
    at = [3 / 4, 5 / 6, 5 / 10, 6 / 13]
    step = 3 * at[0] + 2 * at[1] + 0 * at[2] + 1 * at[3]
    before = 3 * 1.0 + 2 * at[0] + 0 * at[1] + 1 * at[2]
    assert column.step_area() == pytest.approx(step, rel=1e-12)
    assert column.trapezoid_area() == pytest.approx((step + before) / 2.0 / 6.0, rel=1e-12)
    assert column.cumulative() is column
    assert (column.k, column.own) == (2, 1)
    assert math.isnan(replicated([1.0], [[3, 0]]).trapezoid_area())
    half = ReplicateColumn(np.array([1.0]), np.array([[0.25, 0.5]]), np.array([[1.0, 1.0]]), 3)
    assert half.trapezoid_area() == pytest.approx((2.0 / 3.0 + 1.0) / 2.0, rel=1e-12)


@pytest.mark.parametrize("method", ["poisson", "bayesian"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_replicates_of_a_column_are_its_levels_that_are_drawn(
    method: Any, is_weighted: bool
) -> None:
    source = Levels(15, 4, is_weighted=is_weighted)
    given = source.scores, np.asarray(source.counts, np.float64), source.squares
    at = (method == "bayesian", 6, 2, 0, 7, 1)
    scores, counts, squares, lengths = _native.replicate_levels(*given, *at)
    found = list(replicate_cumulative(source, 7, 6, method=method, stream=2))
    assert len(found) == 7
    for b, one in enumerate(found):
        n = lengths[b]
        assert one.scores.tolist() == scores[b, :n].tolist()
        assert one.counts.tolist() == counts[b, :n].tolist()
        assert (one.squares is None) == (squares is None)
        assert one.n_rows == (one.counts.sum() if squares is None else source.n_rows)
        if one.squares is not None:
            assert one.squares.tolist() == squares[b, :n].tolist()


@pytest.mark.parametrize("method", ["poisson", "bayesian"])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("closed", ["right", "left"])
def test_bins_and_areas_are_those_of_the_replicates(
    method: Any, is_weighted: bool, closed: Any
) -> None:
    """The same draws, added up by bin, and pair by pair."""
    source = Levels(12, 5, is_weighted=is_weighted)
    source.scores = np.array([1.0, 0.9, 0.8, 0.75, 0.7, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.0])
    how: dict[str, Any] = {"method": method, "stream": 3}
    bins = replicate_bins(source, 9, 6, uniform_edges(4), closed, **how)
    areas = replicate_areas(source, 9, 6, **how)
    assert bins.weight.shape == (9, 4)
    assert (bins.closed, bins.n_rows) == (closed, source.n_rows)
    assert bins.is_weighted == (is_weighted or method == "bayesian")
    side: Any = "left" if closed == "right" else "right"
    for b, one in enumerate(replicate_cumulative(source, 9, 6, **how)):
        place, p = np.searchsorted([0.25, 0.5, 0.75], one.scores, side), one.scores
        squares = one.counts if one.squares is None else one.squares
        both, own = one.counts.sum(axis=1), one.counts[:, 1]
        for i in range(4):
            at = place == i
            for found, each in (
                (bins.weight, both),
                (bins.confidence, both * p),
                (bins.hits, own),
                (bins.variance, squares.sum(axis=1) * p * (1.0 - p)),
                (bins.scatter, squares[:, 1] * (1.0 - p) ** 2 + squares[:, 0] * p**2),
                (bins.squares, squares.sum(axis=1)),
            ):
                assert found[b, i] == pytest.approx(sum(each[at]), rel=1e-9, abs=1e-12)
        pairs = sum(own) * sum(one.counts[:, 0])
        doubled = sum(
            one.counts[i, 0] * own[j] * (2.0 if j < i else float(i == j))
            for i in range(len(p)) for j in range(len(p))
        )  # fmt: skip
        area = doubled / (2.0 * pairs) if pairs else math.nan
        assert areas[b] == pytest.approx(area, rel=1e-12, nan_ok=True)


def test_an_area_is_a_share_of_pairs_or_none() -> None:
    """Perfect replicates have no more than 1; those of one side have none."""
    perfect = CumulativeCounts.of(
        [0.9, 0.8, 0.3, 0.2], [True, True, False, False], [0.1, 0.7, 0.3, 0.6]
    )
    found = replicate_areas(perfect, 200, 1, method="bayesian")
    assert found.max() <= 1.0
    assert found == pytest.approx(np.ones(200), rel=1e-12)
    drawn = replicate_areas(CumulativeCounts.of([0.9, 0.3], [True, False]), 50, 1)
    assert set(drawn[~np.isnan(drawn)]) == {1.0}
    assert 0 < np.isnan(drawn).sum() < 50


def grouped(draw: str, n: int, **how: Any) -> Any:
    """A replicate of n score levels."""
    scores, own = (np.arange(n) / n)[::-1], np.arange(n) % 3 == 0
    if draw == "rows":
        return next(replicate_row_cumulative(scores, own, 1, 1, **how)).counts
    column = CumulativeCounts.of(scores, own)
    if draw == "levels":
        return next(replicate_cumulative(column, 1, 1, **how)).counts
    if draw == "bins":
        return replicate_bins(column, 1, 1, uniform_edges(5), **how).confidence
    return replicate_areas(column, 1, 1, **how)


@pytest.mark.parametrize("draw", ["areas", "levels", "bins", "rows"])
def test_one_level_more_than_there_are_groups_is_grouped(draw: str) -> None:
    """Areas have 4096 groups, whole columns 16384."""
    most = 4096 if draw == "areas" else 16384
    for n in (most, most + 1):
        same = np.array_equal(grouped(draw, n), grouped(draw, n, limit=20_000))
        assert same == (n == most)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_each_row_is_left_out_in_turn(is_weighted: bool) -> None:
    """Of weighted rows, one of weight Σw² ÷ Σw: with equal weights the rows themselves."""
    scores = np.array([0.9, 0.9, 0.6, 0.6, 0.6, 0.1])
    own = np.array([True, False, True, True, False, False])
    weight = 2.5 if is_weighted else 1.0
    weights = np.full(6, weight) if is_weighted else None
    found = list(left_out(CumulativeCounts.of(scores, own, weights), 10))
    sides = [(0.9, False), (0.9, True), (0.6, False), (0.6, True), (0.1, False)]
    assert [n for n, _ in found] == [1.0, 1.0, 1.0, 2.0, 1.0]
    for (score, side), (_, rest) in zip(sides, found, strict=True):
        first = int(np.flatnonzero((scores == score) & (own == side))[0])
        left = np.arange(6) != first
        wanted = CumulativeCounts.of(
            scores[left], own[left], None if weights is None else weights[left]
        )
        assert rest.scores.tolist() == wanted.scores.tolist()
        assert rest.counts.tolist() == wanted.counts.tolist()
        assert rest.counts.dtype == wanted.counts.dtype
        assert (rest.squares is None) == (wanted.squares is None)
        assert rest.n_rows == (6 if is_weighted else 5)
        if rest.squares is not None and wanted.squares is not None:
            assert rest.squares.tolist() == wanted.squares.tolist()


def test_a_row_left_out_weighs_the_mean_of_its_level() -> None:
    """Weights 1 and 3 of one level: one of 10 ÷ 4 is left out, which are 4 ÷ 2.5 rows."""
    source = CumulativeCounts.of([0.9, 0.9, 0.2], [True, True, False], [1.0, 3.0, 0.3])
    (last, alone), (first, rest) = list(left_out(source, 10))[::-1]
    assert (first, last) == (1.6, pytest.approx(1.0, rel=1e-12))
    assert rest.counts.tolist() == [[0.0, 1.5], [0.3, 0.0]]
    assert rest.squares is not None
    assert rest.squares[0].tolist() == [0.0, 10.0 - 2.5**2]
    assert alone.counts.tolist() == [[0.0, 4.0]]
    few = Levels(20, 6)
    assert sum(n for n, _ in left_out(few, 5)) == few.sizes.sum()
    assert len(list(left_out(few, 5))) <= 10


def test_a_replicate_that_defines_no_metric_has_nan() -> None:
    both, alone = replicated([2.0, 1.0], [[0, 1], [1, 0]]), replicated([2.0], [[0, 3]])
    area, f = get("roc_auc"), get("max_f_beta")
    found = measures_of([area, f], [both, alone, both])
    assert found[area].tolist() == pytest.approx([1.0, math.nan, 1.0], nan_ok=True)
    assert found[f].tolist() == [1.0, 1.0, 1.0]
    assert found[area].dtype == np.float64
    assert measures_of([], [both]) == {}
    assert ClassRanks(both).area == 1.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_rows_are_redrawn_with_their_clusters(
    method: TableDraw, is_weighted: bool, is_clustered: bool
) -> None:
    """Each row counts as often as its cluster is drawn; rows of weight 0 only make clusters."""
    scores = np.array([0.5, -0.0, 0.7, 0.5, 0.0, 0.9, 0.7])
    own = np.array([True, False, True, False, True, False, False])
    weights = np.array([1.5, 1.0, 0.0, 2.0, 0.5, 0.0, 3.0]) if is_weighted else None
    w = np.ones(7) if weights is None else weights
    clusters = np.array([30, 10, 40, 30, 10, 50, 20]) if is_clustered else None
    ids = np.arange(7) if clusters is None else np.array([2, 0, 3, 2, 0, 4, 1])
    is_gamma = method == "bayesian"
    drawn = times_of(max(ids) + 1, is_gamma, 8, 12)
    found = list(
        replicate_row_cumulative(
            scores, own, 12, 8, clusters=clusters, weights=weights, method=method
        )
    )
    assert len(found) == 12
    for b, one in enumerate(found):
        t = drawn[b][ids]
        held = sorted({s for s, x in zip(scores + 0.0, t * w, strict=True) if x > 0.0})[::-1]
        assert one.scores.tolist() == held
        for level, counts in zip(held, one.counts, strict=True):
            here = scores == level
            wanted = [sum((t * w)[here & ~own]), sum((t * w)[here & own])]
            assert counts == pytest.approx(wanted, rel=1e-12)
        assert (one.squares is None) == (not is_gamma and not is_weighted)
        if one.squares is None:
            assert one.n_rows == sum(t)
            continue
        assert one.n_rows == 7
        for level, squares in zip(held, one.squares, strict=True):
            here = scores == level
            each = t * w**2 * (2.0 if is_gamma else 1.0)
            assert squares == pytest.approx([sum(each[here & ~own]), sum(each[here & own])])


def test_replicates_are_of_the_first_stream_unless_another_is_named() -> None:
    source = Levels(12, 5)
    given = source.scores, np.asarray(source.counts, np.float64), None
    _, counts, _, lengths = _native.replicate_levels(*given, False, 6, 0, 0, 3, 1)
    found = list(replicate_cumulative(source, 3, 6))
    for b, one in enumerate(found):
        assert one.counts.tolist() == counts[b, : lengths[b]].tolist()
    source.scores = np.linspace(1.0, 0.0, 12)
    bins = replicate_bins(source, 3, 6, uniform_edges(3))
    assert bins.hits.sum(axis=1).tolist() == [one.totals[1] for one in found]
    areas = [ClassRanks(one).area for one in found]
    assert replicate_areas(source, 3, 6).tolist() == pytest.approx(areas, rel=1e-12)


def test_replicates_of_several_blocks_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for two replicates of ten levels at once, or for less than one."""
    scores, own = np.arange(10) / 10.0, np.arange(10) % 3 == 0
    column = CumulativeCounts.of(scores, own)

    def drawn() -> list[list[Any]]:
        return [
            [one.counts.tolist() for one in replicates]
            for replicates in (
                replicate_cumulative(column, 7, 3),
                replicate_row_cumulative(scores, own, 7, 3),
            )
        ]

    whole = drawn()
    assert [len(each) for each in whole] == [7, 7]
    for room in (40 * 10 * 2, 1):
        monkeypatch.setattr("karat.inference.resampling._LEVEL_BYTES", room)
        assert drawn() == whole


def test_one_row_is_drawn_always_and_no_row_never() -> None:
    (one, other) = replicate_row_cumulative(np.array([0.5]), np.array([True]), 2, 3)
    assert one.counts.tolist() == other.counts.tolist() == [[0, 1]]
    none = list(replicate_row_cumulative(np.empty(0), np.empty(0, bool), 2, 3))
    assert [each.counts.tolist() for each in none] == [[], []]
    assert [each.n_rows for each in replicate_cumulative(CumulativeCounts.empty(), 2, 3)] == [0, 0]
