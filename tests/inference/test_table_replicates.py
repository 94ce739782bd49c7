"""Replicates of tables: rows and clusters as units, weights, axes; their spread is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat.errors import KaratError
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import TableIntervals
from karat.inference.resampling import TableDraw, replicate_rows, replicate_tables
from karat.metrics import parse
from karat.tally import Cells, Classes, ClusteredCells, to_marginals, to_sparse
from tests.same import assert_same

TABLE = np.array([[40, 10, 0], [5, 45, 3], [0, 2, 15]])
METHODS: tuple[TableDraw, ...] = ("multinomial", "bayesian")


@dataclass(frozen=True)
class Grouped:
    """Cells by cluster, as replicate_tables reads them."""

    n_clusters: int
    cluster: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]


def cells_of(table: Any, weights: float | None = None) -> Cells:
    counts = np.asarray(table)
    classes = Classes.of(range(counts.shape[-1]))
    if weights is None:
        return Cells.dense(counts, classes=classes)
    return Cells.dense(
        counts * weights, classes=classes, squares=counts * weights**2, n_rows=counts.sum((-1, -2))
    )


def rows_of(table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The place of the cell of each row."""
    return np.repeat(np.arange(table.size), table.ravel())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", [None, 0.5])
def test_tables_of_a_seed_are_the_same_on_any_number_of_threads(
    method: TableDraw, weight: float | None
) -> None:
    cells = cells_of(TABLE, weight)
    wanted = replicate_tables(cells, 500, 3, method=method, n_threads=1)
    for threads in (2, 3):
        found = replicate_tables(cells, 500, 3, method=method, n_threads=threads)
        assert_same(found.counts, wanted.counts)
        assert (found.squares is None) == (wanted.squares is None)
    part = replicate_tables(cells, 100, 3, method=method, first=200)
    assert_same(part.counts, wanted.counts[200:300])
    assert part.axes[0].labels[0] == 200
    assert not np.array_equal(replicate_tables(cells, 500, 4, method=method).counts, wanted.counts)


def test_counts_are_drawn_as_rows_are() -> None:
    tables = replicate_tables(cells_of(TABLE), 4000, 0)
    assert tables.counts.dtype == np.int64
    assert tables.axes[0].name == "replicate"
    assert (tables.counts.sum(axis=(1, 2)) == TABLE.sum()).all()
    assert (tables.n_rows == TABLE.sum()).all()
    assert (tables.counts[:, TABLE == 0] == 0).all()
    n, p = TABLE.sum(), TABLE / TABLE.sum()
    error = np.sqrt(n * p * (1 - p) / 4000)
    assert (np.abs(tables.counts.mean(axis=0) - TABLE) <= 5 * error).all()


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "cohen_kappa", "matthews_correlation"])
@pytest.mark.parametrize("weight", [None, 0.25])
def test_the_spread_is_that_of_the_derivative(name: str, weight: float | None) -> None:
    cells, metric = cells_of(20 * TABLE, weight), parse(name)
    g = metric.gradient(cells).at_cells()
    counts = cells.counts.ravel()
    centred = g - (counts @ g) / counts.sum()
    squares = counts if cells.squares is None else cells.squares.ravel()
    wanted = np.sqrt((squares * centred**2).sum())
    for method in METHODS:
        values = metric.values(replicate_tables(cells, 4000, 1, method=method)).value
        # The standard error of a standard deviation of 4000 numbers is 1.1 %.
        assert abs(values.std() / wanted - 1) < 0.05, method
        assert abs(values.mean() - metric.values(cells).value) < 0.2 * wanted
    wrong = metric.values(replicate_tables(cells_of(22 * TABLE, weight), 4000, 1)).value
    assert abs(wrong.std() * np.sqrt(1.3) / wanted - 1) > 0.05, "a control: 30 % more variance"


def test_bayesian_tables_keep_the_total() -> None:
    tables = replicate_tables(cells_of(TABLE), 500, 0, method="bayesian")
    assert_same(tables.counts.sum(axis=(1, 2)), np.full(500, float(TABLE.sum())), within=1e-12)
    assert tables.squares is not None
    # A weight of 1 and variance 1 on each row: Σw² of 120 rows is 240 less what the total takes.
    n = TABLE.sum()
    assert abs(tables.squares.sum(axis=(1, 2)).mean() / (2 * n) - 1) < 0.1


def test_weighted_cells_keep_mean_and_variance_and_are_never_negative() -> None:
    tables = replicate_tables(cells_of(TABLE, 0.5), 20000, 2)
    assert (tables.counts >= 0).all()
    assert_same(tables.counts.mean(axis=0), TABLE * 0.5, within=0.03)
    held = TABLE > 0
    assert_same(tables.counts.var(axis=0)[held], (TABLE * 0.25)[held], within=0.06)
    assert tables.squares is not None
    assert_same(tables.squares, tables.counts * 0.5, within=1e-12)


def test_the_unit_of_weights_does_not_matter() -> None:
    wanted = replicate_tables(cells_of(TABLE, 1.0), 100, 2).counts
    for unit in (2.0**-60, 2.0**200):
        assert_same(replicate_tables(cells_of(TABLE, unit), 100, 2).counts / unit, wanted)


def test_storages_and_axes() -> None:
    cells = cells_of(TABLE)
    sparse = replicate_tables(to_sparse(cells), 50, 1)
    assert sparse.storage == "sparse"
    assert_same(sparse.matrix(), replicate_tables(cells, 50, 1).matrix())
    wide = np.zeros((40, 40), np.int64)
    wide[np.arange(40), np.arange(40)] = 3
    assert replicate_tables(cells_of(wide), 50, 1).storage == "sparse"
    batch = cells_of(np.stack([TABLE, TABLE.T, 0 * TABLE]))
    tables = replicate_tables(batch, 50, 1)
    assert tables.counts.shape == (50, 3, 3, 3)
    assert (tables.counts.sum(axis=(2, 3)) == [TABLE.sum(), TABLE.sum(), 0]).all()
    assert not np.array_equal(tables.counts[:, 0], tables.counts[:, 1].swapaxes(1, 2))
    assert parse("accuracy").values(tables).value.shape == (50, 3)
    assert replicate_tables(cells_of(0 * TABLE), 5, 1).counts.sum() == 0
    with pytest.raises(KaratError) as caught:
        replicate_tables(to_marginals(cells), 5, 1)
    assert caught.value.code == "K204"


def test_values_do_not_depend_on_how_many_tables_are_held(monkeypatch: Any) -> None:
    metric, cells = parse("macro_f1"), cells_of(TABLE)
    asked = Confidence(method="bootstrap", n_replicates=300, seed=5)
    wanted = TableIntervals(cells, asked)._tables
    monkeypatch.setattr("karat.inference.label_intervals._BLOCK_BYTES", 8 * 9 * 7)
    parts = TableIntervals(cells, asked)._tables
    assert (len(wanted), len(parts)) == (1, 43)
    found, whole = (
        np.concatenate([metric.values(part).value for part in held]) for held in (parts, wanted)
    )
    assert_same(found, whole)
    assert_same(metric.values(replicate_tables(cells, 300, 5)).value, whole)


def test_every_row_a_cluster_is_the_draw_of_rows() -> None:
    places = rows_of(TABLE)
    single = Grouped(len(places), np.arange(len(places)), places, np.ones(len(places)))
    found = replicate_tables(cells_of(TABLE), 4000, 0, clusters=single)
    assert found.counts.dtype == np.int64
    assert (found.counts.sum(axis=(1, 2)) == TABLE.sum()).all()
    metric = parse("accuracy")
    spread = metric.values(found).value.std()
    p = np.trace(TABLE) / TABLE.sum()
    assert abs(spread / np.sqrt(p * (1 - p) / TABLE.sum()) - 1) < 0.05


@pytest.mark.parametrize("method", METHODS)
def test_whole_clusters_are_the_unit(method: TableDraw) -> None:
    """Each row twice, in one cluster: as uncertain as half of the rows, and counts stay even."""
    places = rows_of(TABLE)
    pairs = Grouped(len(places), np.arange(len(places)), places, np.full(len(places), 2.0))
    cells, metric = cells_of(2 * TABLE), parse("accuracy")
    clustered = replicate_tables(cells, 4000, 1, clusters=pairs, method=method)
    if method == "multinomial":
        assert (clustered.counts % 2 == 0).all()
    assert_same(
        clustered.counts.sum(axis=(1, 2)).astype(float),
        np.full(4000, 2.0 * TABLE.sum()),
        within=1e-9,
    )
    half = replicate_tables(cells_of(TABLE), 4000, 1, method=method)
    spreads = [metric.values(tables).value.std() for tables in (clustered, half)]
    assert abs(spreads[0] / spreads[1] - 1) < 0.06
    rowwise = metric.values(replicate_tables(cells, 4000, 1, method=method)).value.std()
    assert spreads[0] / rowwise > 1.3, "a control: rows alone look too sure"


def test_rows_of_different_weights_are_drawn_as_they_are() -> None:
    rng = np.random.default_rng(0)
    places, weights = rows_of(TABLE), rng.random(TABLE.sum()) * 4
    sums = np.bincount(places, weights, 9).reshape(3, 3)
    squares = np.bincount(places, weights**2, 9).reshape(3, 3)
    cells = Cells.dense(sums, classes=Classes.of(range(3)), squares=squares, n_rows=len(places))
    rows = Grouped(len(places), np.arange(len(places)), places, weights)
    metric = parse("accuracy")
    exact = metric.values(replicate_tables(cells, 4000, 0, clusters=rows)).value
    matched = metric.values(replicate_tables(cells, 4000, 0)).value
    assert abs(exact.std() / matched.std() - 1) < 0.06
    assert abs(exact.mean() - matched.mean()) < 0.1 * exact.std()


def test_the_clusters_of_a_tally_are_read() -> None:
    places = rows_of(TABLE)
    clusters = np.arange(len(places)) // 3
    found = ClusteredCells.of(clusters, places, None)
    by_hand = Grouped(int(clusters[-1]) + 1, clusters, places, np.ones(len(places)))
    tables = replicate_tables(cells_of(TABLE), 50, 1, clusters=found)
    assert_same(tables.counts, replicate_tables(cells_of(TABLE), 50, 1, clusters=by_hand).counts)


def test_clusters_that_do_not_fit_are_refused() -> None:
    ids = np.arange(2)
    with pytest.raises(ValueError, match="one table"):
        replicate_tables(
            cells_of(np.stack([TABLE, TABLE])), 5, 0, clusters=Grouped(2, ids, ids, np.ones(2))
        )
    with pytest.raises(ValueError, match="cell that there is not"):
        replicate_tables(cells_of(TABLE), 5, 0, clusters=Grouped(2, ids, ids + 8, np.ones(2)))
    with pytest.raises(ValueError, match="no such cluster"):
        replicate_tables(cells_of(TABLE), 5, 0, clusters=Grouped(1, ids, ids, np.ones(2)))


def test_rows_in_blocks(monkeypatch: Any) -> None:
    whole = np.concatenate(list(replicate_rows(1000, 30, 4)))
    assert whole.shape == (30, 1000)
    assert whole.dtype == np.int32
    monkeypatch.setattr("karat.inference.resampling._BLOCK_BYTES", 4 * 1000 * 7)
    blocks = list(replicate_rows(1000, 30, 4, n_threads=3))
    assert [len(block) for block in blocks] == [7, 7, 7, 7, 2]
    assert_same(np.concatenate(blocks), whole)
    monkeypatch.setattr("karat.inference.resampling._BLOCK_BYTES", 1)
    assert [len(block) for block in replicate_rows(1000, 3, 4)] == [1, 1, 1], "or one replicate"
    clusters = np.arange(1000) // 10
    (first, *_) = replicate_rows(1000, 5, 4, clusters=clusters)
    assert (first.reshape(len(first), 100, 10) == first[:, ::10, None]).all()
    (smooth, *_) = replicate_rows(1000, 3, 4, method="bayesian")
    assert abs(smooth.mean() - 1) < 0.1
    with pytest.raises(ValueError, match="one for each row"):
        list(replicate_rows(1000, 5, 4, clusters=clusters[:9]))


@pytest.mark.parametrize("clusters", [[0, -1, 1], [0, 1], [0, 1, 1, 0]])
def test_clusters_of_replicates_are_numbers_of_each_row(clusters: list[int]) -> None:
    with pytest.raises(ValueError, match="one for each row"):
        next(replicate_rows(3, 2, 0, clusters=np.array(clusters)))
    (drawn,) = replicate_rows(3, 2, 0, clusters=np.array([1, 0, 1]))
    assert (drawn[:, 0] == drawn[:, 2]).all()


@pytest.mark.parametrize("place", [-1, 9])
def test_clusters_of_cells_that_there_are_not_are_refused(place: int) -> None:
    cells = Cells.dense(TABLE, classes=Classes.of(["a", "b", "c"]))
    grouped = Grouped(2, np.array([0, 1]), np.array([0, place]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="a cluster has rows in a cell that there is not"):
        replicate_tables(cells, 10, 0, clusters=grouped)
