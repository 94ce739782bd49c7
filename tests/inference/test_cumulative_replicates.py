"""Replicates of sorted scores: what the views read of them, areas, groups of levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat.data.scores.ranking import Ranked, rank
from karat.inference.resampling import (
    CumulativeDraw,
    LevelGroups,
    ReplicateColumn,
    measures_of,
    replicate_areas,
    replicate_cumulative,
)
from karat.metrics import Metric, all_records, parse
from karat.metrics._views import ClassProbabilities, ClassRanks, Confidences
from karat.tally import CumulativeCounts
from karat.tally.cumulative_counts import _inconsistency
from tests.inference.delong import area_error
from tests.same import assert_same

Floats = npt.NDArray[np.float64]
METHODS: tuple[CumulativeDraw, ...] = ("poisson", "bayesian")
OF_A_COLUMN = [
    record
    for record in all_records()
    if record.reads in {ClassRanks, ClassProbabilities, Confidences}
]


def scored(n: int, seed: int = 0, decimals: int = 9) -> tuple[npt.NDArray[np.int32], Floats]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int32)
    return y, np.round(1 / (1 + np.exp(-rng.normal(size=n) - y)), decimals)


def ranked(n: int, seed: int = 0, decimals: int = 9, weights: Any = None) -> Ranked:
    y, scores = scored(n, seed, decimals)
    return rank(scores, y, 1, 2, weights)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_replicate_is_a_cumulative(method: CumulativeDraw, is_weighted: bool) -> None:
    weights = np.random.default_rng(1).random(300) if is_weighted else None
    column = ranked(300, decimals=2, weights=weights)
    for replicate in replicate_cumulative(column, 20, 5, method=method):
        cumulative = replicate.cumulative()
        assert _inconsistency(cumulative) is None
        assert cumulative.is_weighted == (is_weighted or method == "bayesian")
        assert len(cumulative.scores) <= len(column.cumulative().scores)
        assert set(cumulative.scores) <= set(column.cumulative().scores)


def test_a_column_of_a_replicate_gives_what_the_engine_gives() -> None:
    """Rows repeated as the replicate says, sorted anew."""
    column = ranked(400, decimals=2)
    for replicate in replicate_cumulative(column, 5, 1):
        cumulative = replicate.cumulative()
        scores = np.repeat(np.repeat(cumulative.scores, 2), cumulative.counts.ravel())
        sides = np.repeat(np.tile([0, 1], len(cumulative.scores)), cumulative.counts.ravel())
        wanted = rank(scores, sides.astype(np.int32), 1, 2)
        assert_same(replicate.totals, wanted.totals)
        assert replicate.areas().sum() == wanted.areas().sum()
        assert replicate.n_rows == wanted.n_rows
        assert_same(replicate.step_area(), wanted.step_area(), within=1e-12)
        assert_same(replicate.trapezoid_area(), wanted.trapezoid_area(), within=1e-12)
        assert_same(replicate.cumulative().counts, wanted.cumulative().counts)


@pytest.mark.parametrize("record", OF_A_COLUMN, ids=lambda record: record.name)
def test_every_record_of_one_column_reads_a_replicate(record: Any) -> None:
    given = record.cases[0].params
    metric = Metric.of(record, "plain", dict(given))
    column = ranked(200, decimals=2)
    found = measures_of([metric], replicate_cumulative(column, 8, 3))[metric]
    view = record.reads(next(replicate_cumulative(column, 1, 3)))
    assert_same(found[0], np.float64(record.formula(view, **dict(metric.params))))
    assert found.shape == (8,)
    assert not np.isnan(found).all()


def test_replicates_do_not_depend_on_threads_or_blocks(monkeypatch: Any) -> None:
    column = ranked(500)

    def drawn(threads: int) -> list[npt.NDArray[Any]]:
        return [
            c.cumulative().counts for c in replicate_cumulative(column, 30, 7, n_threads=threads)
        ]

    wanted = drawn(1)
    monkeypatch.setattr("karat.inference.resampling._LEVEL_BYTES", 40 * 500 * 3)
    for threads in (1, 2, 3):
        for ours, theirs in zip(drawn(threads), wanted, strict=True):
            assert_same(ours, theirs)
    monkeypatch.setattr("karat.inference.resampling._LEVEL_BYTES", 1)
    for ours, theirs in zip(drawn(2), wanted, strict=True):
        assert_same(ours, theirs, about="blocks without room for one replicate")
    areas = [replicate_areas(column, 200, 7, n_threads=threads) for threads in (1, 2, 3)]
    assert_same(areas[1], areas[0])
    assert_same(areas[2], areas[0])
    assert not np.array_equal(replicate_areas(column, 200, 8), areas[0])
    assert not np.array_equal(replicate_areas(column, 200, 7, stream=1), areas[0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("decimals", [1, 9])
def test_an_area_is_that_of_the_cumulative(method: CumulativeDraw, decimals: int) -> None:
    """Both are drawn from the same words: the numbers agree one by one."""
    column = ranked(2000, decimals=decimals)
    areas = replicate_areas(column, 30, 2, method=method)
    wanted = [ClassRanks(c).area for c in replicate_cumulative(column, 30, 2, method=method)]
    assert_same(areas, np.array(wanted), within=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1000, 30_000])
def test_the_spread_of_the_area_is_that_of_its_placements(method: CumulativeDraw, n: int) -> None:
    """With 30 000 distinct scores the rows are put together in 4096 groups."""
    y, scores = scored(n)
    areas = replicate_areas(rank(scores, y, 1, 2), 4000, 0, method=method)
    wanted = area_error(y, scores)
    # The standard error of a standard deviation of 4000 numbers is 1.1 %.
    assert abs(areas.std() / wanted - 1) < 0.05
    assert abs(areas.mean() - ClassRanks(rank(scores, y, 1, 2)).area) < 0.1 * wanted
    control = replicate_areas(rank(scores[::2], y[::2], 1, 2), 4000, 0, method=method)
    assert abs(control.std() / wanted - 1) > 0.3, "a control: half of the rows"


@pytest.mark.parametrize("n", [3000, 20_000])
def test_weighted_rows(n: int) -> None:
    y, scores = scored(n)
    weights = np.random.default_rng(2).exponential(size=n)
    column = rank(scores, y, 1, 2, weights)
    areas = replicate_areas(column, 4000, 0)
    assert abs(areas.std() / area_error(y, scores, weights) - 1) < 0.05
    assert abs(areas.mean() - ClassRanks(column).area) < 0.1 * areas.std()


def test_groups_cost_less_than_the_pairs_inside_of_them() -> None:
    """Same rows, drawn row by row and put together: no replicate is further off than the bound."""
    n, limit = 20_000, 256
    column = ranked(n)
    fine = column.cumulative()
    groups = LevelGroups.of(column, limit)
    assert len(groups.scores) < len(fine.scores)
    assert len(groups.scores) <= limit
    rest, own = groups.sums.sum(axis=0)
    assert groups.sums.prod(axis=1).sum() / (rest * own) < 1.2 / limit
    worst = 0.0
    for replicate in replicate_cumulative(column, 40, 3, limit=n):
        drawn = replicate.cumulative()
        # The group of each score level: groups are runs of neighbours with these many rows.
        place = np.searchsorted(-fine.scores, -drawn.scores)
        rows_before = np.cumsum(fine.counts.sum(axis=1))[place]
        ends = np.cumsum(groups.sums.sum(axis=1))
        group = np.searchsorted(ends, rows_before)
        sums = np.zeros((len(groups.scores), 2))
        np.add.at(sums, group, drawn.counts)
        own_above = np.cumsum(sums[:, 1]) - sums[:, 1]
        inside = sums[:, 0] * sums[:, 1]
        grouped = (sums[:, 0] * own_above + groups.within * inside).sum()
        pairs = sums[:, 0].sum() * sums[:, 1].sum()
        error = abs(grouped / pairs - ClassRanks(replicate).area)
        assert error <= inside.sum() / pairs
        worst = max(worst, error)
    assert 0 < worst < 0.01 * replicate_areas(column, 1000, 0).std()


def test_groups_add_up() -> None:
    for weights in (None, np.random.default_rng(1).random(40_000)):
        column = ranked(40_000, weights=weights)
        whole = column.cumulative()
        groups = LevelGroups.of(column, 1000)
        same = LevelGroups.of(whole, 1000)
        assert_same(groups.sums, same.sums, within=1e-12)
        assert_same(
            groups.sums.sum(axis=0), np.asarray(whole.counts.sum(axis=0), float), within=1e-12
        )
        assert (np.diff(groups.scores) < 0).all()
        assert (np.abs(groups.sums.sum(axis=1) / groups.sums.sum() * 1000 - 1) < 0.5).all()
        # Twice the pairs between groups and inside of them are those of the column.
        rest, own = groups.sums.T
        doubled = 2 * (rest * (np.cumsum(own) - own + groups.within * own)).sum()
        assert_same(doubled, np.float64(column.areas().sum()), within=1e-12)
        assert_same(
            (groups.scores * groups.sums.sum(axis=1)).sum(),
            (whole.scores * whole.counts.sum(axis=1)).sum(),
            within=1e-12,
        )
        if weights is not None:
            assert groups.squares is not None
            assert whole.squares is not None
            assert_same(groups.squares.sum(axis=0), whole.squares.sum(axis=0), within=1e-12)


def test_a_level_is_never_divided() -> None:
    scores = np.repeat([0.9, 0.5, 0.1], [10, 5000, 10])
    scores[:10] -= np.arange(10) / 1000
    cumulative = CumulativeCounts.of(scores, np.arange(len(scores)) % 2 == 0)
    groups = LevelGroups.of(cumulative, 4)
    assert 5000 in groups.sums.sum(axis=1)
    exact = LevelGroups.of(cumulative, 12)
    assert_same(exact.scores, cumulative.scores)
    assert (exact.within == 0.5).all()


def test_the_calibration_error_of_groups_is_that_of_rows() -> None:
    column = ranked(40_000)
    metric = parse("expected_calibration_error")
    fine = measures_of([metric], replicate_cumulative(column, 300, 0, limit=50_000))[metric]
    coarse = measures_of([metric], replicate_cumulative(column, 300, 1))[metric]
    spread = fine.std()
    assert abs(fine.mean() - coarse.mean()) < 0.3 * spread
    assert abs(coarse.std() / spread - 1) < 0.2


def test_one_side_and_no_rows() -> None:
    alone = CumulativeCounts.of([0.5, 0.25], [True, True])
    assert np.isnan(replicate_areas(alone, 5, 0)).all()
    few = CumulativeCounts.of([0.5, 0.25], [True, False])
    areas = replicate_areas(few, 1000, 0)
    missing = 1 - (1 - np.exp(-1)) ** 2
    assert abs(np.isnan(areas).mean() - missing) < 0.07
    assert set(areas[~np.isnan(areas)]) == {1.0}
    empty = CumulativeCounts.empty()
    assert np.isnan(replicate_areas(empty, 3, 0)).all()
    assert [c.n_rows for c in replicate_cumulative(empty, 3, 0)] == [0, 0, 0]
    column = ReplicateColumn(empty.scores, empty.counts, empty.squares, empty.n_rows)
    assert np.isnan(column.trapezoid_area())
    assert column.step_area() == 0.0


def test_metrics_that_read_something_else_are_refused() -> None:
    with pytest.raises(ValueError, match="one sorted column"):
        measures_of([parse("log_loss")], replicate_cumulative(ranked(10), 5, 0))


def test_every_replicate_has_a_value_or_none() -> None:
    column = CumulativeCounts.of([0.9, 0.2], [True, False])
    metrics = [Metric.of(record, "plain", {}) for record in OF_A_COLUMN]
    found = measures_of(metrics, replicate_cumulative(column, 60, 0))
    for metric, values in found.items():
        assert values.shape == (60,), metric
    # A replicate without rows, or of one side, has no area and no mean.
    for name in ("roc_auc", "expected_calibration_error"):
        assert 0 < np.isnan(found[parse(name)]).sum() < 60, name
