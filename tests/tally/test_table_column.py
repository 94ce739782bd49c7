"""A table read as a column says what the sorted rows say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karat.data.scores.ranking import rank, rank_pooled
from karat.tally import HistogramColumn, ScoreHistogram
from karat.tally.cumulative_counts import N_BLOCK, cumulated
from karat.tally.histogram_views import pooled_histogram
from tests.ranks import ranked_rows, scored_rows
from tests.same import assert_same
from tests.tally.score_tables import table_rows

WITHIN = 1e-12
ORDERS = ("tied", "best", "worst")


def assert_says(found: HistogramColumn, rows: Any) -> None:
    """The same totals, areas, curves and spreads."""
    assert (found.k, found.own, found.n_rows) == (rows.k, rows.own, rows.n_rows)
    assert found.is_weighted == rows.is_weighted
    size = max(float(rows.totals.sum()), 1.0)
    within = WITHIN if found.is_weighted else 0.0
    assert found.totals.dtype == rows.totals.dtype
    assert_same(found.totals, rows.totals, within=within)
    assert_same(found.areas() / size**2, rows.areas() / size**2, within=within)
    wanted, cumulative = rows.cumulative(), found.cumulative()
    assert_same(cumulative.scores, wanted.scores)
    assert_same(cumulative.counts, wanted.counts, within=within)
    if wanted.squares is not None:
        assert_same(cumulative.squares, wanted.squares, within=within)
    assert_same(found.step_area() / size, rows.step_area() / size, within=WITHIN)
    assert_same(found.trapezoid_area(), rows.trapezoid_area(), within=WITHIN)
    for one, other in zip(found.placements(), rows.placements(), strict=True):
        assert_same(one, other, within=1e-10)
    for is_straight in (False, True):
        one, other = (each.lift_squares(is_straight=is_straight) for each in (found, rows))
        assert_same(one, other, within=1e-10)


ROW_WITHOUT_WEIGHT = (np.float32([0.64]), np.int32([0]), 0, 1, np.array([0.0]))


@example(rows=ROW_WITHOUT_WEIGHT)
@given(rows=ranked_rows())
def test_a_table_says_what_sorted_rows_say(rows: Any) -> None:
    scores, codes, own, k, weights = rows
    if k > 20:
        codes, k = codes % 5, 5
        own %= 5
    table = ScoreHistogram.of(scores, codes, k, weights)
    assert_says(HistogramColumn(table, own), rank(scores, codes.astype(np.int32), own, k, weights))


@given(rows=scored_rows())
def test_pooled_columns_say_what_pooled_rows_say(rows: Any) -> None:
    values, codes, k, weights = rows
    if k == 1:
        return
    tables = [ScoreHistogram.of(values[:, i], codes, k, weights) for i in range(k)]
    found = HistogramColumn(pooled_histogram(tables), 1)
    wanted = rank_pooled(values, codes, k, weights)
    assert_same(found.areas(), wanted.areas(), within=WITHIN)
    assert_same(found.totals, wanted.totals, within=WITHIN)
    assert found.n_rows == wanted.n_rows
    assert_same(found.cumulative().scores, wanted.cumulative().scores)
    assert_same(found.step_area(), wanted.step_area(), within=1e-11)


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data(), bits=st.integers(0, 7))
def test_rows_of_a_bucket_in_an_order_are_sorted_rows(
    order: Any, data: st.DataObject, bits: int
) -> None:
    """Rows moved inside of their buckets as the order says, then sorted."""
    scores, codes, k, weights = data.draw(table_rows(is_weighted=data.draw(st.booleans())))
    table = ScoreHistogram.of(scores, codes, k, weights, bits)
    for own in range(k):
        found = HistogramColumn(table, own).ordered(order)
        # Places of buckets, and within them of the own rows: whole numbers that do not overflow.
        place = np.searchsorted(table.low[::-1], scores + 0.0, "right") - 1.0
        moved = {"tied": 0.0, "best": 0.25, "worst": -0.25}[order] * (codes == own)
        wanted = rank(place + moved, codes.astype(np.int32), own, k, weights)
        assert_same(found.areas(), wanted.areas(), within=WITHIN)
        assert_same(found.cumulative().counts, wanted.cumulative().counts)
        assert_same(found.step_area(), wanted.step_area(), within=WITHIN)
        assert_same(found.trapezoid_area(), wanted.trapezoid_area(), within=WITHIN)
        for one, other in zip(found.placements(), wanted.placements(), strict=True):
            assert_same(one, other, within=1e-10)


@given(data=st.data(), by=st.sampled_from(("low", "mean")), bits=st.integers(0, 52))
def test_scores_of_levels_descend(data: st.DataObject, by: Any, bits: int) -> None:
    bits = 52 if bits > 20 else bits
    table = ScoreHistogram.of(*data.draw(table_rows(is_weighted=True)), bits=bits)
    column = HistogramColumn(table, 1, by=by)
    scores = column.cumulative().scores
    assert (scores[:-1] > scores[1:]).all()
    assert ((scores >= table.low) & (scores <= table.high)).all()
    steps = list(cumulated(column))
    assert sum(len(step.thresholds) for step in steps) == column.n_levels


def test_areas_of_more_pairs_than_int64_holds_are_rounded() -> None:
    table = ScoreHistogram(
        np.array([2.0, 1.0]), np.array([2.0, 1.0]),
        np.array([[2**31, 2**33], [2**33, 2**31]]), None, None, 52, 2**34 + 2**32,
    )  # fmt: skip
    wanted = 2 * 2**33 * 2**33 + 2 * 2**33 * 2**31
    found = HistogramColumn(table, 1).areas()
    assert found.dtype == np.float64
    assert found.tolist() == [float(wanted), 0.0]


def test_it_names_no_rows() -> None:
    column = HistogramColumn(ScoreHistogram.of([1.0], [0], 2), 0)
    for call in (lambda: column.add_influences(*[np.zeros((1, 2))] * 3, np.zeros((1, 1))),):
        with pytest.raises(ValueError, match="names no rows"):
            call()


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_hold_no_more_levels_than_they_may(order: Any) -> None:
    n = N_BLOCK + 5
    # Two scores in each bucket, one of each class.
    scores = np.repeat((np.arange(n) + 2**15) / 2**16, 2) + np.tile([0.0, 1e-12], n)
    table = ScoreHistogram.of(scores, np.tile([0, 1], n), 2, bits=24)
    assert not table.is_exact
    blocks = list(HistogramColumn(table, 1, order).blocks())
    assert max(len(block.scores) for block in blocks) == N_BLOCK
    assert sum(block.counts.sum() for block in blocks) == 2 * n
    n_whole = sum((block.counts > 0).all(axis=1).sum() for block in blocks)
    assert (n_whole > 0.99 * n) if order == "tied" else (n_whole == 0)
