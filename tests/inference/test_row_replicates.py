"""Replicates by rows and clusters of rows: their spread, and several columns at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat.inference.confidence import Confidence
from karat.inference.draws import draw_rows
from karat.inference.resampling import (
    ReplicateColumn,
    TableDraw,
    measures_of,
    replicate_row_cumulative,
)
from karat.metrics import Metric, parse
from karat.metrics._views import ClassRanks
from karat.tally.cumulative_counts import _inconsistency
from tests.inference.delong import area_error
from tests.inference.rows import drawn
from tests.same import assert_same

METHODS: tuple[TableDraw, ...] = ("multinomial", "bayesian")
AREA = parse("roc_auc")


def scored(n: int, k: int = 2, seed: int = 0) -> tuple[npt.NDArray[np.int64], Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return y, rng.normal(size=(n, k)) + np.eye(k)[y]


def areas(replicates: Any) -> npt.NDArray[np.float64]:
    return measures_of([AREA], replicates)[AREA]


@pytest.mark.parametrize("method", METHODS)
def test_the_spread_is_that_of_the_placements(method: TableDraw) -> None:
    y, scores = scored(1500)
    wanted = area_error(y == 1, scores[:, 1])
    found = areas(replicate_row_cumulative(scores[:, 1], y == 1, 1500, 3, method=method))
    # The standard error of a standard deviation of 1500 numbers is 1.8 %.
    assert abs(found.std() / wanted - 1) < 0.08


@pytest.mark.parametrize("method", METHODS)
def test_whole_clusters_are_drawn(method: TableDraw) -> None:
    """Every row twice in one cluster: the replicates of the single rows."""
    y, scores = scored(400)
    once = areas(replicate_row_cumulative(scores[:, 1], y == 1, 300, 3, method=method))
    twice = areas(
        replicate_row_cumulative(
            np.tile(scores[:, 1], 2),
            np.tile(y == 1, 2),
            300,
            3,
            clusters=np.tile(np.arange(400), 2) + 70,
            method=method,
        )
    )
    assert_same(twice, once, within=1e-12)
    rowwise = areas(
        replicate_row_cumulative(
            np.tile(scores[:, 1], 2), np.tile(y == 1, 2), 300, 3, method=method
        )
    )
    assert once.std() / rowwise.std() > 1.2, "a control: rows alone look too sure"


def test_columns_of_the_same_rows_see_the_same_rows() -> None:
    """The mean over the classes of the replicates is the replicate of the mean."""
    y, scores = scored(300, k=3)
    columns = [list(replicate_row_cumulative(scores[:, i], y == i, 5, 8)) for i in range(3)]
    for b in range(5):
        totals = [columns[i][b].totals for i in range(3)]
        assert_same(np.array([sum(total) for total in totals]), np.full(3, 300))
        assert sum(int(total[1]) for total in totals) == 300
    other = next(replicate_row_cumulative(scores[:, 1], y == 1, 1, 9))
    assert not np.array_equal(other.totals, columns[1][0].totals)


def test_weights_and_rows_without_weight() -> None:
    y, scores = scored(300)
    weights = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    for method in METHODS:
        for replicate in replicate_row_cumulative(
            scores[:, 1], y == 1, 4, 2, weights=weights, method=method
        ):
            assert _inconsistency(replicate.cumulative()) is None
            assert replicate.is_weighted
    # Weights of 1 are the rows themselves.
    plain = replicate_row_cumulative(scores[:, 1], y == 1, 20, 2)
    weighted = replicate_row_cumulative(scores[:, 1], y == 1, 20, 2, weights=np.ones(300))
    for one, other in zip(plain, weighted, strict=True):
        assert_same(other.cumulative().counts, one.cumulative().counts.astype(float))
        assert_same(other.cumulative().squares, one.cumulative().counts.astype(float))


@pytest.mark.parametrize("method", METHODS)
def test_twice_the_weights_have_four_times_the_squares(method: TableDraw) -> None:
    y, scores = scored(60)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    once, twice = (
        next(replicate_row_cumulative(scores[:, 1], y == 1, 1, 2, weights=each, method=method))
        for each in (weights, 2.0 * weights)
    )
    assert_same(twice.cumulative().counts, 2.0 * once.cumulative().counts, within=1e-12)
    assert_same(twice.cumulative().squares, 4.0 * once.cumulative().squares, within=1e-12)


def test_weighted_averages_weigh_each_class_by_its_rows() -> None:
    rows = drawn(5, 120, 3, weights="any")
    asked = Confidence(method="bootstrap", n_replicates=100)
    clusters = np.arange(120) // 2
    weighted, macro = parse("weighted_ks_statistic"), parse("macro_ks_statistic")
    found = draw_rows(rows.tallied(), [weighted, macro], asked, clusters)[0]
    plain = Metric(weighted.record, "plain", weighted.params)
    each = []
    for i in range(3):
        replicates = replicate_row_cumulative(
            rows.values[:, i], rows.codes == i, 100, 0, clusters=clusters, weights=rows.weights
        )
        each.append(measures_of([plain], replicates)[plain])
    share = np.bincount(rows.codes, rows.weights) / np.sum(rows.weights)
    assert_same(found[weighted], share @ np.array(each), within=1e-12)
    assert_same(found[macro], np.mean(each, axis=0), within=1e-12)
    assert np.abs(found[weighted] - found[macro]).max() > 1e-3, "a control"


def test_neighbours_are_put_together_and_threads_do_not_matter(monkeypatch: Any) -> None:
    y, scores = scored(2000)

    def drawn(threads: int, limit: int = 100) -> list[ReplicateColumn]:
        return list(
            replicate_row_cumulative(scores[:, 1], y == 1, 12, 5, limit=limit, n_threads=threads)
        )

    wanted = drawn(1)
    assert all(len(c.cumulative().scores) <= 100 for c in wanted)
    assert all(c.n_rows == 2000 for c in wanted)
    fine = drawn(1, 2000)
    for coarse, exact in zip(wanted, fine, strict=True):
        assert_same(coarse.totals, exact.totals)
        assert abs(ClassRanks(coarse).area - ClassRanks(exact).area) < 0.01
    monkeypatch.setattr("karat.inference.resampling._LEVEL_BYTES", 32 * 100 * 5)
    for threads in (2, 3):
        for ours, theirs in zip(drawn(threads), wanted, strict=True):
            assert_same(ours.cumulative().counts, theirs.cumulative().counts)
