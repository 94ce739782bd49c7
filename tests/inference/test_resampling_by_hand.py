"""Replicates of tables and rows against loops over what the generator draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.inference.confidence import Confidence
from karat.inference.resampling import TableDraw, replicate_rows, replicate_tables, replicate_times
from karat.tally import Cells, Classes, ClusteredCells, to_sparse
from tests.inference.replicates import times_of

TABLE = np.array([[4, 1, 0], [5, 0, 3], [0, 2, 6]])
TRUE, PRED = TABLE.nonzero()
COUNTS = TABLE[TRUE, PRED]
WEIGHT = np.array([[0.5, 2.0, 0.0], [0.25, 0.0, 3.0], [0.0, 1.0, 0.75]])
METHODS: tuple[TableDraw, ...] = ("multinomial", "bayesian")


def cells_of(counts: Any, squares: Any = None, n_rows: Any = None) -> Cells:
    classes = Classes.of(range(np.shape(counts)[-1]))
    return Cells.dense(np.asarray(counts), classes=classes, squares=squares, n_rows=n_rows)


def weighted_cells() -> Cells:
    return cells_of(TABLE * WEIGHT, TABLE * WEIGHT**2, TABLE.sum())


def placed(found: Cells) -> Any:
    """The replicates of the occupied cells, [b, m], where nothing else is occupied."""
    held = found.counts[:, TRUE, PRED]
    assert found.counts.sum() == pytest.approx(held.sum())
    return held


# Tables.


def test_counts_are_those_that_are_drawn() -> None:
    found = replicate_tables(cells_of(TABLE), 20, 7, first=5)
    drawn = _native.resample_counts(COUNTS, 7, 0, 5, 20, 1)
    assert placed(found).tolist() == drawn.tolist()
    assert found.squares is None
    assert found.n_rows.tolist() == [21] * 20
    assert (found.axes[0].name, found.axes[0].labels) == ("replicate", tuple(range(5, 25)))


def test_each_table_of_a_batch_has_its_stream() -> None:
    found = replicate_tables(cells_of([TABLE, 2 * TABLE]), 9, 7)
    assert found.counts.shape == (9, 2, 3, 3)
    for stream, counts in enumerate((COUNTS, 2 * COUNTS)):
        drawn = _native.resample_counts(counts, 7, stream, 0, 9, 1)
        assert found.counts[:, stream, TRUE, PRED].tolist() == drawn.tolist()
    assert found.n_rows.tolist() == [[21, 42]] * 9


@pytest.mark.parametrize("method", METHODS)
def test_sums_of_weights_are_drawn_with_their_squares(method: TableDraw) -> None:
    """The square of a cell is Σw² ÷ Σw of its sum, or 2·s² ÷ (n + 1) of n exponential weights."""
    found = replicate_tables(weighted_cells(), 12, 3, method=method)
    is_gamma = method == "bayesian"
    sums, squares = (COUNTS * WEIGHT[TRUE, PRED] ** power for power in (1, 2))
    drawn = _native.draw_totals(sums, squares, is_gamma, is_gamma, 3, 0, 0, 12, 1)
    assert placed(found) == pytest.approx(drawn, rel=1e-12)
    assert found.squares is not None
    for b in range(12):
        for i, (n, w) in enumerate(zip(COUNTS, WEIGHT[TRUE, PRED], strict=True)):
            wanted = 2.0 * drawn[b, i] ** 2 / (n + 1.0) if is_gamma else drawn[b, i] * w
            assert found.squares[b, TRUE[i], PRED[i]] == pytest.approx(wanted, rel=1e-12)
    assert found.n_rows.tolist() == [21] * 12
    if is_gamma:
        assert found.counts.sum(axis=(1, 2)) == pytest.approx([sums.sum()] * 12, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_weighted_tables_of_a_batch_may_have_different_cells(method: TableDraw) -> None:
    """A cell that is empty in one table of several stays so."""
    other = np.array([[0, 1, 0], [5, 0, 3], [0, 4, 0]])
    sizes = np.stack([TABLE, other])
    cells = cells_of(sizes * WEIGHT, sizes * WEIGHT**2, sizes.sum(axis=(1, 2)))
    found = replicate_tables(cells, 6, 3, method=method)
    is_gamma = method == "bayesian"
    assert found.squares is not None
    for i, size in enumerate(sizes[:, TRUE, PRED]):
        w = WEIGHT[TRUE, PRED]
        drawn = _native.draw_totals(size * w, size * w**2, is_gamma, is_gamma, 3, i, 0, 6, 1)
        assert found.counts[:, i, TRUE, PRED] == pytest.approx(drawn, rel=1e-12)
        squares = 2.0 * drawn**2 / (size + 1.0) if is_gamma else drawn * w
        assert found.squares[:, i, TRUE, PRED] == pytest.approx(squares, rel=1e-12)


def test_true_classes_may_have_different_numbers_of_cells() -> None:
    found = replicate_tables(cells_of([[3, 4], [0, 6]]), 8, 3, is_by_class=True)
    drawn = _native.resample_counts(np.array([3, 4]), 3, 0, 0, 8, 1)
    assert found.counts[:, 0].tolist() == drawn.tolist()
    assert found.counts[:, 1].tolist() == [[0, 6]] * 8


@pytest.mark.parametrize("code", [0, 1, 2])
def test_one_true_class_alone_is_drawn_as_any(code: int) -> None:
    table = np.zeros((3, 3), np.int64)
    table[code] = 3, 0, 4
    found = replicate_tables(cells_of(table), 8, 3, is_by_class=True)
    drawn = _native.resample_counts(np.array([3, 4]), 3, 0, 0, 8, 1)
    assert found.counts[:, code, [0, 2]].tolist() == drawn.tolist()
    assert found.n_rows.tolist() == [7] * 8


def test_clusters_are_of_one_table() -> None:
    clusters = ClusteredCells(1, np.array([0]), np.array([0]), np.ones(1))
    with pytest.raises(ValueError, match="of one table, not of a batch"):
        replicate_tables(cells_of([TABLE, TABLE]), 2, 0, clusters=clusters)


def test_counts_have_exponential_weights_of_the_same_total() -> None:
    found = replicate_tables(cells_of(TABLE), 12, 3, method="bayesian")
    drawn = _native.draw_totals(COUNTS.astype(float), None, True, True, 3, 0, 0, 12, 1)
    assert placed(found) == pytest.approx(drawn, rel=1e-12)
    assert found.squares is not None
    squares = found.squares[:, TRUE, PRED]
    assert squares == pytest.approx(2.0 * drawn**2 / (COUNTS + 1.0), rel=1e-12)
    assert drawn.sum(axis=1) == pytest.approx([21.0] * 12, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_rows_of_each_true_class_are_drawn_separately(method: TableDraw, is_weighted: bool) -> None:
    """Each class keeps its total, and has its stream."""
    cells = weighted_cells() if is_weighted else cells_of(TABLE)
    found = replicate_tables(cells, 12, 3, method=method, is_by_class=True)
    assert found.counts.sum(axis=2) == pytest.approx(
        np.tile(cells.counts.sum(axis=1), (12, 1)), rel=1e-12
    )
    for code in range(3):
        own = code == TRUE
        sums = cells.counts[TRUE, PRED][own]
        if is_weighted:
            squares = cells.squares
            assert squares is not None
            drawn = _native.draw_totals(
                sums, squares[TRUE, PRED][own], method == "bayesian", True, 3, code, 0, 12, 1
            )
        elif method == "bayesian":
            drawn = _native.draw_totals(sums.astype(float), None, True, True, 3, code, 0, 12, 1)
        else:
            drawn = _native.resample_counts(sums, 3, code, 0, 12, 1)
        assert placed(found)[:, own] == pytest.approx(drawn, rel=1e-12)
    plain = replicate_tables(cells, 12, 3, method=method)
    assert np.abs(plain.counts.sum(axis=2) - found.counts.sum(axis=2)).max() > 0.01


@pytest.mark.parametrize(
    ("k", "m", "storage"), [(8, 1, "dense"), (9, 4, "sparse"), (9, 5, "dense"),
                            (10, 8, "sparse"), (10, 9, "dense")]
)  # fmt: skip
def test_tables_with_few_cells_are_sparse(k: int, m: int, storage: str) -> None:
    """Dense up to k² of 64 and 4 more for each occupied cell; sparse ones stay sparse."""
    table = np.zeros((k, k), np.int64)
    table.ravel()[np.arange(m) * 7] = np.arange(m) + 1
    found = replicate_tables(cells_of(table), 6, 2)
    assert found.storage == storage
    drawn = _native.resample_counts(np.arange(m) + 1, 2, 0, 0, 6, 1)
    assert found.matrix().reshape(6, -1)[:, np.arange(m) * 7].tolist() == drawn.tolist()
    assert found.n_rows.tolist() == [m * (m + 1) // 2] * 6
    sparse = replicate_tables(to_sparse(cells_of(table)), 6, 2)
    assert sparse.storage == "sparse"
    assert sparse.matrix().tolist() == found.matrix().tolist()


def test_sparse_sums_of_weights_keep_their_squares() -> None:
    dense, sparse = weighted_cells(), to_sparse(weighted_cells())
    for method in METHODS:
        one, other = (
            replicate_tables(cells, 5, 2, method=method, n_threads=2) for cells in (dense, sparse)
        )
        assert one.counts.tolist() == other.matrix().tolist()
        assert one.squares is not None
        assert other.squares is not None
        rows, cols = other.coordinates()
        assert one.squares[:, rows, cols].tolist() == other.squares.tolist()
        assert other.n_rows.tolist() == [21] * 5


def test_nothing_is_drawn_of_no_tables_and_of_no_rows() -> None:
    classes = Classes.of(range(3))
    none = Cells.sparse(*np.array([[0, 1], [0, 1]]), np.zeros((0, 2), np.int64), classes=classes)
    assert replicate_tables(none, 4, 1).batch_shape == (4, 0)
    for cells in (cells_of(0 * TABLE), cells_of(0.0 * TABLE, 0.0 * TABLE, 0)):
        for method in METHODS:
            found = replicate_tables(cells, 4, 1, method=method)
            assert found.counts.tolist() == np.zeros((4, 3, 3)).tolist()
    by_class = replicate_tables(cells_of(TABLE * [[1], [0], [1]]), 4, 1, is_by_class=True)
    assert by_class.counts.sum(axis=2).tolist() == [[5, 0, 8]] * 4


CLUSTERS = np.array([0, 0, 1, 2, 2, 3, 1, 4])
PLACES = np.array([0, 4, 4, 8, 0, 5, 5, 8])
OF_ROWS = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0, 2.0, 1.0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", [1.0, 0.75, 2.0**-1000, 2.0**900])
def test_whole_clusters_are_drawn(method: TableDraw, unit: float) -> None:
    """Each cell is the sum of weight times how often its cluster is drawn."""
    is_weighted = unit != 1.0
    weight = unit * OF_ROWS
    table = np.bincount(PLACES, OF_ROWS, 9).reshape(3, 3)
    cells = cells_of(table.astype(np.int64))
    if is_weighted:
        cells = cells_of(unit * table, np.maximum(unit, 1e-150) * table, 8)
    clusters = ClusteredCells(5, CLUSTERS, PLACES, weight)
    found = replicate_tables(cells, 10, 4, method=method, clusters=clusters, first=2)
    times = times_of(5, method == "bayesian", 4, 10, 2)
    assert times.sum(axis=1) == pytest.approx([5.0] * 10, rel=1e-12)
    for b in range(10):
        wanted = np.zeros(9)
        for c, place, w in zip(CLUSTERS, PLACES, OF_ROWS, strict=True):
            wanted[place] += times[b, c] * w
        assert (found.counts[b].ravel() / unit) == pytest.approx(wanted, rel=1e-12)
    is_whole = method == "multinomial" and not is_weighted
    assert found.counts.dtype == (np.int64 if is_whole else np.float64)
    assert found.squares is None
    assert found.axes[0].labels == tuple(range(2, 12))
    of_each = [sum(one.ravel()) if is_whole else int(cells.n_rows) for one in found.counts]
    assert found.n_rows.tolist() == of_each
    assert (len(set(of_each)) > 1) == is_whole


def test_clusters_of_no_rows_draw_nothing() -> None:
    none = np.empty(0, np.int64)
    clusters = ClusteredCells(0, none, none, np.empty(0))
    for cells in (cells_of(0 * TABLE), cells_of(0.0 * TABLE, 0.0 * TABLE, 0)):
        found = replicate_tables(cells, 3, 1, clusters=clusters)
        assert found.counts.tolist() == np.zeros((3, 3, 3)).tolist()


@pytest.mark.parametrize("place", [-1, 9])
def test_cells_of_clusters_are_of_the_table(place: int) -> None:
    ids = np.array([0, 1])
    for held in (0, 8):
        given = ClusteredCells(2, ids, np.array([held, held]), np.ones(2))
        assert replicate_tables(cells_of(TABLE), 2, 0, clusters=given).counts.sum() == 4
        wrong = ClusteredCells(2, ids, np.array([held, place]), np.ones(2))
        with pytest.raises(ValueError, match="cell that there is not"):
            replicate_tables(cells_of(TABLE), 2, 0, clusters=wrong)


# Rows.


@pytest.mark.parametrize(("method", "is_gamma"), [("poisson", False), ("bayesian", True)])
def test_rows_have_the_weights_of_their_clusters(method: Any, is_gamma: bool) -> None:
    (alone,) = replicate_rows(5, 6, 2, method=method)
    assert alone.tolist() == _native.row_weights(5, is_gamma, 2, 0, 0, 6, 1).tolist()
    clusters = np.array([2, 0, 2, 1, 0])
    (together,) = replicate_rows(5, 6, 2, clusters=clusters, method=method)
    of_clusters = _native.row_weights(3, is_gamma, 2, 0, 0, 6, 1)
    for b in range(6):
        assert together[b].tolist() == [of_clusters[b, c] for c in clusters]
    empty = list(replicate_rows(0, 3, 2, clusters=np.empty(0, np.int64), method=method))
    assert [block.shape for block in empty] == [(3, 0)]
    assert list(replicate_rows(5, 0, 2, method=method)) == []


@pytest.mark.parametrize("clusters", [[0, -1, 1], [-1, -1, -1], [0, 1], [0, 1, 2, 0]])
def test_clusters_of_rows_are_numbers_of_each_row(clusters: list[int]) -> None:
    with pytest.raises(ValueError, match="numbers from 0 on, one for each row"):
        next(replicate_rows(3, 2, 0, clusters=np.array(clusters)))


@pytest.mark.parametrize(("method", "log_n"), [("poisson", 22), ("bayesian", 21)])
def test_a_block_of_rows_takes_32_mib(method: Any, log_n: int) -> None:
    """Two replicates of 2^22 numbers of 4 bytes, or of 2^21 of 8; all rows are one cluster."""
    clusters = np.zeros(1 << log_n, np.int8)
    blocks = replicate_rows(1 << log_n, 3, 2, clusters=clusters, method=method)
    first = next(blocks)
    assert (len(first), first.nbytes) == (2, 1 << 25)


@pytest.mark.parametrize(("method", "size"), [("poisson", 4), ("bayesian", 8)])
def test_a_block_holds_one_replicate_at_least(
    method: Any, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as there is room for, and all are the same replicates."""
    whole = np.concatenate(list(replicate_rows(10, 5, 2, method=method)))
    for room, lengths in ((size * 10 * 2, [2, 2, 1]), (size * 10 * 3 - 1, [2, 2, 1]), (1, [1] * 5)):
        monkeypatch.setattr("karat.inference.resampling._BLOCK_BYTES", room)
        blocks = list(replicate_rows(10, 5, 2, method=method))
        assert [len(block) for block in blocks] == lengths
        assert np.concatenate(blocks).tolist() == whole.tolist()
        assert [block.shape for block in replicate_rows(0, 1, 2, method=method)] == [(1, 0)]


def times(method: Any, n: int, odds: Any = None) -> Any:
    asked = Confidence(method=method, seed=9, n_replicates=400)
    found = list(replicate_times(n, asked, None if odds is None else np.array(odds)))
    assert len(found) == 400
    assert {one.dtype for one in found} == {np.dtype(np.float64)}
    return np.array(found)


def test_units_are_drawn_as_often_as_there_are_units() -> None:
    """Each replicate has n units; a unit is drawn a binomial number of times, with mean 1."""
    found = times("bootstrap", 6)
    assert found.shape == (400, 6)
    assert found.sum(axis=1).tolist() == [6.0] * 400
    assert (found == np.round(found)).all()
    assert np.abs(found.mean(axis=0) - 1.0).max() < 5.0 * math.sqrt(5.0 / 6.0 / 400.0)
    assert found.var() == pytest.approx(5.0 / 6.0, rel=0.15)
    assert times("bca", 6).tolist() == found.tolist()
    assert not np.array_equal(found[0], found[1])


def test_units_have_exponential_weights() -> None:
    """The mean and the variance of an exponential number are 1."""
    found = times("bayesian", 6)
    assert found.shape == (400, 6)
    assert found.min() > 0.0
    assert found.mean() == pytest.approx(1.0, abs=0.1)
    assert found.var() == pytest.approx(1.0, abs=0.25)


def test_units_are_drawn_by_their_odds() -> None:
    """n rows of units with odds p: multinomial numbers of mean n·p, or gamma ones of that shape."""
    odds = [0.5, 0.0, 0.2, 0.3]
    found = times("bootstrap", 10, odds)
    assert found.shape == (400, 4)
    assert found.sum(axis=1).tolist() == [10.0] * 400
    assert (found[:, 1] == 0.0).all()
    assert found.mean(axis=0) == pytest.approx([5.0, 0.0, 2.0, 3.0], abs=0.4)
    smooth = times("bayesian", 10, odds)
    assert (smooth[:, 1] == 0.0).all()
    assert smooth.mean(axis=0) == pytest.approx([5.0, 0.0, 2.0, 3.0], abs=0.55)
    assert smooth.var(axis=0) == pytest.approx([5.0, 0.0, 2.0, 3.0], rel=0.3)
