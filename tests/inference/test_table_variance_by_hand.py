"""Variances of metrics of a table, from sums over its single rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat.designs import Design
from karat.inference.table_variance import (
    CELLS_TO_SLOPES,
    TableVariance,
    cell_slopes,
    derivative,
    df_on,
    settled_slopes,
    slopes_on,
    variance_of,
)
from karat.metrics import Metric, get
from karat.tally import Cells, Classes, ClusteredCells, to_sparse
from tests.inference.tables import KINDS

Floats = npt.NDArray[np.float64]

K = 3
TRUE = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]
PRED = [0, 0, 0, 1, 2, 1, 1, 0, 1, 2, 2, 1, 2, 2, 1]
GROUP = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 5, 2]
WEIGHT = [1.0, 2.5, 0.5, 3.0, 1.5, 4.0, 0.25, 2.0, 1.0, 1.25, 0.75, 2.0, 3.5, 0.5, 1.0]


@dataclass
class Rows:
    """Single rows with weights, and what each design makes of them."""

    kind: str
    size: float = 1.0

    @property
    def weights(self) -> list[float]:
        return [w * self.size for w in WEIGHT] if "weighted" in self.kind else [1.0] * len(TRUE)

    @property
    def total(self) -> float:
        return math.fsum(self.weights)

    @property
    def n(self) -> float:
        """Kish's rows."""
        return self.total**2 / math.fsum(w * w for w in self.weights)

    def means(self, values: list[float]) -> list[float]:
        """For each row the mean of its own class, or of all rows."""
        found = []
        for true in TRUE:
            held = [i for i, t in enumerate(TRUE) if t == true or "control" not in self.kind]
            whole = math.fsum(self.weights[i] for i in held)
            found.append(math.fsum(self.weights[i] * values[i] for i in held) / whole)
        return found

    def influences(self, g: Floats) -> list[float]:
        values = [float(g[t, p]) for t, p in zip(TRUE, PRED, strict=True)]
        return [x - m for x, m in zip(values, self.means(values), strict=True)]

    def covariance(self, g: Floats, h: Floats) -> float:
        w = self.weights
        one, other = self.influences(g), self.influences(h)
        if "clustered" not in self.kind:
            return math.fsum(w[i] ** 2 * one[i] * other[i] for i in range(len(w))) / self.total**2
        of_groups = []
        for group in set(GROUP):
            held = [i for i, at in enumerate(GROUP) if at == group]
            of_groups.append([math.fsum(w[i] * phi[i] for i in held) for phi in (one, other)])
        scale = len(of_groups) / (len(of_groups) - 1)
        return scale * math.fsum(a * b for a, b in of_groups) / self.total**2

    def variance(self, g: Floats) -> float:
        return self.covariance(g, g)

    def simple(self, g: Floats) -> float:
        """That of as many equal rows; of true classes that were sampled apart, of each."""
        found = []
        for i, phi in enumerate(self.influences(g)):
            w = self.weights[i]
            held = [j for j, true in enumerate(TRUE) if true == TRUE[i]]
            square = math.fsum(self.weights[j] ** 2 for j in held)
            one = square / math.fsum(self.weights[j] for j in held) * self.n / self.total
            found.append(w * phi**2 * (one if self.kind == "weighted control" else 1.0))
        return math.fsum(found) / self.total / self.n

    def inflation(self, g: Floats) -> float:
        return max(self.variance(g) / self.simple(g), 1.0)

    def df(self, g: Floats) -> float:
        """(Σs²)² ÷ Σs⁴ over clusters with s = Σ w·|φ|; without clusters infinite."""
        if "clustered" not in self.kind:
            return math.inf
        sums = [0.0] * len(set(GROUP))
        for group, w, phi in zip(GROUP, self.weights, self.influences(g), strict=True):
            sums[group] += w * abs(phi)
        kept = sum(s**2 for s in sums) ** 2 / sum(s**4 for s in sums)
        return min(kept, len(sums) - 1.0)

    def table(self, *, is_sparse: bool = False) -> TableVariance:
        weights, squares = np.zeros((K, K)), np.zeros((K, K))
        for true, pred, w in zip(TRUE, PRED, self.weights, strict=True):
            weights[true, pred] += w
            squares[true, pred] += w * w
        is_weighted = "weighted" in self.kind
        cells = Cells.dense(
            weights if is_weighted else weights.astype(np.int64),
            classes=Classes.of(range(K)),
            squares=squares if is_weighted else None,
            n_rows=len(TRUE),
        )
        cells = to_sparse(cells) if is_sparse else cells
        rows, cols = cells.coordinates()
        listed = [(int(i), int(j)) for i, j in zip(rows, cols, strict=True)]
        clusters = None
        if "clustered" in self.kind:
            place = [listed.index(cell) for cell in zip(TRUE, PRED, strict=True)]
            clusters = ClusteredCells.of(GROUP, place, self.weights if is_weighted else None)
        design: Design = "case-control" if "control" in self.kind else "cohort"
        return TableVariance(cells, design, clusters)


G = np.array([[0.7, -0.4, 0.1], [0.2, 0.9, -0.3], [-0.6, 0.5, 1.3]])
H = np.array([[-0.2, 0.6, 0.4], [1.1, 0.3, 0.8], [0.5, -0.7, 0.2]])


def listed(spread: TableVariance, g: Floats) -> Floats:
    return np.asarray(g[spread.rows, spread.cols])


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_variances_are_sums_over_rows(kind: str, is_sparse: bool) -> None:
    """Σ w²φ² ÷ (Σw)², of clusters their sums, and φ by class where classes are sampled apart."""
    rows = Rows(kind)
    spread = rows.table(is_sparse=is_sparse)
    both = np.stack([listed(spread, g) for g in (G, H)])
    expected = [rows.variance(g) for g in (G, H)]
    assert spread.variance(both) == pytest.approx(expected, rel=1e-12)
    assert spread.simple_variance(both) == pytest.approx([rows.simple(g) for g in (G, H)])
    covariance = rows.covariance(G, H)
    assert spread.covariance(both).ravel() == pytest.approx(
        [expected[0], covariance, covariance, expected[1]], rel=1e-12
    )
    assert spread.df_of(both) == pytest.approx([rows.df(g) for g in (G, H)], rel=1e-12)
    assert spread.total * spread.unit == pytest.approx(rows.total, rel=1e-12)
    assert spread.n_effective == pytest.approx(rows.n, rel=1e-12)
    phi = dict(zip(zip(TRUE, PRED, strict=True), rows.influences(G), strict=True))
    for i, j, found in zip(spread.rows, spread.cols, spread.centred(both)[0], strict=True):
        if (i, j) in phi:
            assert found == pytest.approx(phi[i, j], rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_inflation_is_a_ratio_of_variances(kind: str) -> None:
    """At least 1, and effective rows are those of a proportion that varies as much."""
    rows = Rows(kind)
    spread = rows.table()
    both = np.stack([listed(spread, g) for g in (G, H)])
    assert spread.inflation(both) == pytest.approx([rows.inflation(g) for g in (G, H)])
    for g in (G, H):
        # Σ w·φ² ÷ Σw of as many rows is what varies.
        w = rows.weights
        mean = math.fsum(x * p**2 for x, p in zip(w, rows.influences(g), strict=True)) / rows.total
        expected = mean / rows.simple(g) / rows.inflation(g)
        assert spread.effective_rows(listed(spread, g)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_scale_of_a_derivative_changes_no_ratio(kind: str) -> None:
    """A metric in another unit has a variance in its square, and the same number of rows."""
    spread, g = Rows(kind).table(), G.ravel()
    for scale in (1e-20, 1e20):
        found = spread.variance(scale * g) / scale**2
        assert float(found) == pytest.approx(float(spread.variance(g)), rel=1e-12)
        for name in ("df_of", "inflation", "effective_rows"):
            ratio = getattr(spread, name)
            assert float(ratio(scale * g)) == pytest.approx(float(ratio(g)), rel=1e-12), name


def test_cells_that_are_not_listed_set_the_scale_of_a_derivative() -> None:
    """What differs by rounding beside theirs does not vary: each cluster counts as one row."""
    counts = np.array([[4, 0], [2, 3]])
    cells = to_sparse(Cells.dense(counts, classes=Classes.of([0, 1]), n_rows=9))
    place = [0, 0, 0, 0, 1, 1, 2, 2, 2]
    spread = TableVariance(
        cells, clusters=ClusteredCells.of([0, 0, 0, 0, 1, 1, 2, 2, 1], place, None)
    )
    partials = np.array([[[0.1, 0.1 + 1e-6], [1e9, 0.1]], [[0.1, 1e9], [0.1 + 1e-6, 0.1]]])
    assert spread.class_inflation(partials) == pytest.approx([3.0, 3.0], rel=1e-12)
    partials[0, 1, 0] = partials[1, 0, 1] = 1.0
    seen = spread.class_inflation(partials)
    assert (seen < 2.9).all()
    g = spread.spread_out(partials, 0)
    assert float(seen[0]) == pytest.approx(float(spread.inflation(g)), rel=1e-12)


def test_an_inflation_of_what_does_not_vary_is_that_of_clusters() -> None:
    """Each cluster counts as one row, each row alone as itself."""
    ones = np.ones(K * K)
    plain, clustered = Rows("plain").table(), Rows("clustered").table()
    assert plain.inflation(np.stack([ones, ones])).tolist() == [1.0, 1.0]
    assert clustered.inflation(ones) == pytest.approx(15.0 / 6.0, rel=1e-12)
    assert Rows("weighted").table().inflation(ones) == 1.0
    weighted = Rows("weighted clustered")
    assert weighted.table().inflation(ones) == pytest.approx(weighted.n / 6.0, rel=1e-12)
    alone = TableVariance(
        Cells.dense(np.eye(2, dtype=np.int64), classes=Classes.of([0, 1]), n_rows=2),
        clusters=ClusteredCells.of([0, 1, 2], [0, 3, 3], None),
    )
    assert alone.inflation(np.ones(4)) == 1.0
    for kind in ("weighted control", "plain"):
        rows = Rows(kind)
        assert rows.table().effective_rows(ones) == pytest.approx(rows.n, rel=1e-12)
    # Where a true class has no errors it shows nothing, and others show theirs.
    half = np.where(np.arange(K)[:, None] == 0, G, 0.0)
    rows = Rows("weighted control")
    assert rows.table().inflation(half.ravel()) == pytest.approx(rows.inflation(half), rel=1e-12)


def test_what_the_rows_are() -> None:
    """Simple rows are independent, alike and drawn from all."""
    found = {kind: Rows(kind).table() for kind in KINDS}
    assert [found[kind].is_simple for kind in KINDS] == [True, *[False] * 5]
    assert [found[kind].has_strata for kind in KINDS] == [False] * 4 + [True] * 2
    assert [found[kind].varies_less for kind in KINDS] == [False] * 4 + [True] * 2
    assert [found[kind].is_weighted for kind in KINDS] == ["weighted" in kind for kind in KINDS]
    assert [found[kind].has_squares for kind in KINDS] == ["weighted" in kind for kind in KINDS]
    assert [found[kind].n_units for kind in KINDS] == [math.inf, math.inf, 6, 6, math.inf, math.inf]
    assert [found[kind].df for kind in KINDS] == [math.inf, math.inf, 5, 5, math.inf, math.inf]
    assert [found[kind].k for kind in KINDS] == [3] * 6


@pytest.mark.parametrize("kind", ["weighted", "weighted clustered", "weighted control"])
def test_the_scale_of_weights_changes_nothing(kind: str) -> None:
    """Weights are measured in a power of two near their mean."""
    one, other = Rows(kind).table(), Rows(kind, 2.0**70).table()
    assert other.unit == one.unit * 2.0**70
    assert 1 / 1.5 < Rows(kind).total / len(TRUE) / one.unit < 1.5
    for name in ("weights", "squares", "roots", "total", "n_effective", "class_counts"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.variance(G.ravel()) == other.variance(G.ravel())
    assert one.df_of(G.ravel()) == other.df_of(G.ravel())
    assert np.array_equal(np.array(one.one_vs_rest), np.array(other.one_vs_rest))


def test_the_unit_of_weights() -> None:
    """The nearest power of two on the scale of the logarithm; 1 without weights or rows."""
    for mean, unit in ((1.4, 1.0), (1.42, 2.0), (5.6, 4.0), (0.3, 0.25), (0.0, 1.0)):
        cells = Cells.dense(
            np.full((2, 2), mean * 5),
            classes=Classes.of([0, 1]),
            squares=np.full((2, 2), mean**2 * 5),
            n_rows=20,
        )
        spread = TableVariance(cells)
        assert spread.unit == unit
        assert spread.total == pytest.approx(mean * 20 / unit)
        assert spread.squares == pytest.approx(np.full(4, mean**2 * 5 / unit**2))
    assert TableVariance(cells).n_effective == 0.0
    empty = Cells.dense(np.zeros((2, 2)), classes=Classes.of([0, 1]), n_rows=0)
    assert TableVariance(empty).unit == 1.0
    assert Rows("plain").table().unit == 1.0
    one = Cells.dense(np.array([[3.0, 0], [0, 0]]), classes=Classes.of([0, 1]), n_rows=1)
    assert TableVariance(one).unit == 4.0


def test_roots_of_squares() -> None:
    """√Σw² ÷ Σw of each cell; of unweighted rows √n ÷ N."""
    found = Rows("plain").table()
    counts = np.zeros((K, K))
    np.add.at(counts, (TRUE, PRED), 1.0)
    assert found.roots == pytest.approx(np.sqrt(counts.ravel()) / 15.0, rel=1e-12)
    assert found.squares.tolist() == found.weights.tolist() == counts.ravel().tolist()


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_variances_of_slopes_in_parts(kind: str, is_sparse: bool) -> None:
    """Derivatives by row, by column, at their crossing and of single cells add up."""
    rows = Rows(kind)
    spread = rows.table(is_sparse=is_sparse)
    rng = np.random.default_rng(8)
    slopes = rng.normal(size=(2, 3, K))
    more = np.stack([G, H])
    plain, full = [], []
    for (true, pred, same), extra in zip(slopes, more, strict=True):
        g = true[:, None] + pred[None, :] + np.diag(same)
        plain.append(rows.variance(g))
        full.append(rows.variance(g + extra))
    assert spread.slope_variances(slopes) == pytest.approx(plain, rel=1e-12)
    of_cells = np.stack([listed(spread, g) for g in more])
    assert spread.slope_variances(slopes, of_cells) == pytest.approx(full, rel=1e-12)
    slopes[0, 2, 1] = np.inf
    found = spread.slope_variances(slopes)
    assert math.isnan(found[0])
    assert found[1] == pytest.approx(plain[1], rel=1e-12)


def partials_of_classes() -> Floats:
    return np.random.default_rng(4).normal(size=(K, 2, 2))


def full(partials: Floats, i: int) -> Floats:
    """The derivative by each cell, of one of a class against the rest."""
    found = np.zeros((K, K))
    for true in range(K):
        for pred in range(K):
            found[true, pred] = partials[i, int(true == i), int(pred == i)]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_metrics_of_each_class(kind: str) -> None:
    """Tables of each class against the rest, with variance, inflation and degrees of freedom."""
    rows = Rows(kind)
    partials = partials_of_classes()
    for spread in (rows.table(), rows.table(is_sparse=True)):
        weights, squares = spread.one_vs_rest
        for i in range(K):
            table, square = np.zeros((2, 2)), np.zeros((2, 2))
            for true, pred, w in zip(TRUE, PRED, rows.weights, strict=True):
                table[int(true == i), int(pred == i)] += w / spread.unit
                square[int(true == i), int(pred == i)] += (w / spread.unit) ** 2
            assert weights[i] == pytest.approx(table, rel=1e-12)
            assert squares[i] == pytest.approx(square, rel=1e-12)
            assert spread.class_counts[:, i] == pytest.approx(table.ravel(), rel=1e-12)
            assert (
                spread.spread_out(partials, i).tolist()
                == listed(spread, full(partials, i)).tolist()
            )
        each = [full(partials, i) for i in range(K)]
        for name, one in (
            ("class_variances", rows.variance),
            ("class_inflation", rows.inflation),
            ("class_df", rows.df),
        ):
            found = getattr(spread, name)(partials)
            assert found == pytest.approx([one(g) for g in each], rel=1e-12), name
        factors = np.array([0.5, -2.0, 3.0])
        together = sum(f * g for f, g in zip(factors, each, strict=True))
        assert spread.added(partials, factors) == pytest.approx(listed(spread, together))
        slopes = CELLS_TO_SLOPES @ partials.reshape(-1, 4).T
        alone = np.array([[s * (np.arange(K) == i) for s in slopes[:, i]] for i in range(K)])
        by_slopes = spread.slope_variances(alone)
        assert by_slopes == pytest.approx([rows.variance(g) for g in each], rel=1e-12)


def test_a_sum_over_no_cell_is_exactly_0() -> None:
    """Where every row is of a class or predicted as it, it has no true negatives."""
    weights = np.zeros((4, 4))
    weights[0], weights[1:, 0] = [0.2, 1.7, 1.4, 2.8], [2.2, 1.9, 0.2]
    # A control: sums in another order leave a rounding error.
    assert sum([1.4, 2.8, 2.2, 1.9, 0.2]) != 2.2 + 1.9 + 0.2 + 1.4 + 2.8
    cells = Cells.dense(weights, classes=Classes.of(range(4)), squares=weights**2, n_rows=7)
    tables, squares = TableVariance(cells).one_vs_rest
    assert tables[0, 0, 0] == squares[0, 0, 0] == 0.0
    assert (tables[1:, 0, 0] > 0).all()
    for table in (np.diag([3.0, 5.0, 7.0]), np.array([[0.25, 3.0], [4.0, 3.0]])):
        cells = Cells.dense(table, classes=Classes.of(range(len(table))), squares=table, n_rows=4)
        spread = TableVariance(cells)
        for i, found in enumerate(spread.one_vs_rest[0]):
            rest = np.delete(np.delete(table, i, axis=0), i, axis=1).sum()
            assert found[0, 0] * spread.unit == pytest.approx(rest, rel=1e-12)


def test_weights_of_the_rows_of_each_class() -> None:
    """Σw² ÷ Σw of a class by that of all; 1 of a class that shows none; none where all are one."""
    rows = Rows("weighted control")
    spread = rows.table()
    expected = []
    for true in range(K):
        w = [x for x, t in zip(WEIGHT, TRUE, strict=True) if t == true]
        expected.append(sum(x * x for x in w) / sum(w) * rows.n / rows.total)
    assert spread.row_weights == pytest.approx(expected, rel=1e-12)
    for kind in ("plain", "weighted", "weighted clustered", "control"):
        assert Rows(kind).table().row_weights is None
    weights, squares = np.diag([3.0, 1e-170, 0.0]), np.diag([4.0, 0.0, 0.0])
    cells = Cells.dense(weights, classes=Classes.of(range(3)), squares=squares, n_rows=4)
    light = TableVariance(cells, "case-control")
    assert light.row_weights is not None
    assert light.row_weights.tolist() == [1.0, 1.0, 1.0]
    weights = np.diag([3.0, 0.25])
    cells = Cells.dense(weights, classes=Classes.of([0, 1]), squares=weights**2, n_rows=2)
    scale = 3.25 / (9.0 + 0.0625)
    few = TableVariance(cells, "case-control").row_weights
    assert few == pytest.approx([3.0 * scale, 0.25 * scale], rel=1e-12)
    nothing = Cells.dense(
        np.zeros((2, 2)), classes=Classes.of([0, 1]), squares=np.zeros((2, 2)), n_rows=3
    )
    assert TableVariance(nothing, "case-control").row_weights is None


@pytest.mark.parametrize("kind", ["plain", "weighted", "control", "weighted control"])
def test_a_smoothed_table_has_half_a_row_more_in_each_column(kind: str) -> None:
    """½ ÷ k of a row in each cell, in effective rows; of strata, of a row of theirs."""
    rows = Rows(kind)
    spread = rows.table()
    found = spread.smoothed
    assert found is not None
    for true in range(K):
        held = [i for i, t in enumerate(TRUE) if t == true]
        square, whole = (
            math.fsum(rows.weights[i] ** power for i in held) for power in (2, 1)
        )  # fmt: skip
        one = square / whole * rows.n / rows.total if kind == "weighted control" else 1.0
        for pred in range(K):
            w = math.fsum(rows.weights[i] for i in held if PRED[i] == pred)
            expected = w / rows.total * rows.n + 0.5 / K * one
            assert found.cells.counts[true, pred] == pytest.approx(expected, rel=1e-12)
            if kind == "weighted control":
                assert found.cells.squares is not None
                assert found.cells.squares[true, pred] == pytest.approx(expected * one, rel=1e-12)
    assert (found.cells.squares is None) == (kind != "weighted control")
    assert found.design == spread.design
    assert found.cells.n_rows == len(TRUE)
    assert spread.smoothed is found
    assert rows.table(is_sparse=True).smoothed is None


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_table_on_other_classes_is_the_same(is_sparse: bool) -> None:
    """A permutation with a new class moves cells and clusters together."""
    for kind in ("weighted clustered", "control"):
        rows = Rows(kind)
        spread = rows.table(is_sparse=is_sparse)
        moved = spread.on(Classes.of([2, 3, 0, 1]))
        to = [2, 3, 0]
        g = np.full((4, 4), 5.0)
        g[np.ix_(to, to)] = G
        assert moved.design == spread.design
        assert moved.variance(listed(moved, g)) == pytest.approx(rows.variance(G), rel=1e-12)
        assert float(moved.df_of(listed(moved, g))) == pytest.approx(rows.df(G), rel=1e-12)
        assert (moved.clusters is None) == (kind == "control")


def test_rounding_errors_do_not_vary() -> None:
    """Variances that rounding explains are exactly 0, beside the lightest cell that has rows."""
    for kind in KINDS:
        spread = Rows(kind).table()
        g = np.full(K * K, 0.1) + np.where(np.arange(K * K) % 2, 1e-17, 0.0)
        assert spread.variance(g) == 0.0
        assert spread.simple_variance(g) == 0.0
    # A large derivative of an empty cell is no error of the others.
    far = G.copy()
    far[1, 2] = far[2, 0] = 1e9
    for kind in KINDS:
        rows = Rows(kind)
        assert float(rows.table().variance(far.ravel())) == pytest.approx(
            rows.variance(G), rel=1e-12
        )
    # Of a light cell, a derivative is large in proportion.
    weights = np.array([[1.0, 1e-15], [0.0, 1.0]])
    cells = Cells.dense(weights, classes=Classes.of([0, 1]), squares=weights**2, n_rows=3)
    spread = TableVariance(cells)
    # The mean is 0.005; Σ w²φ² ÷ (Σw)² of the three cells.
    expected = (2 * 0.005**2 + (1e-15 * 1e13) ** 2) / 4
    assert float(spread.variance([0.0, 1e13, 0.0, 0.0])) == pytest.approx(expected, rel=1e-6)


def numeric(metric: Metric, counts: Floats, step: float = 1e-5) -> Floats:
    """Derivative of a metric by the proportion of each cell, by differences."""
    total = counts.sum()
    found = np.zeros_like(counts)
    for at in np.ndindex(*counts.shape):
        ends = []
        for sign in (1.0, -1.0):
            moved = counts / total
            moved[at] += sign * step
            cells = Cells.dense(moved, classes=Classes.of(range(len(counts))), n_rows=1)
            ends.append(float(metric.values(cells).value))
        found[at] = (ends[0] - ends[1]) / (2 * step)
    return found


def test_derivatives_are_by_proportions_of_cells() -> None:
    """Of tables that list every cell, and of those that list the occupied ones."""
    counts = np.array([[6, 2, 1], [1, 7, 2], [3, 1, 9]])
    holes = np.array([[6, 2, 0], [1, 7, 2], [0, 1, 9]])
    unlisted = "kappa_weighted(disagreement=[[0, 1, 2], [2, 0, 7], [7, 5, 0]])"
    for name in ("macro_f1", "accuracy", "kappa_quadratic", "matthews_correlation", unlisted):
        metric = get(name)
        for table in (counts, holes):
            cells = Cells.dense(table, classes=Classes.of(range(K)), n_rows=int(table.sum()))
            weighed = Cells.dense(table * 2.5, classes=Classes.of(range(K)), n_rows=8)
            expected = numeric(metric, table + np.where(table == 0, 1e-4, 0.0))
            for one in (cells, to_sparse(cells), weighed):
                found = derivative(metric, one)
                rows, cols = one.coordinates()
                inside = expected[rows, cols]
                # Derivatives of shares are known up to a constant.
                apart = found - found[0] - (inside - inside[0])
                held = table[rows, cols] > 0
                assert np.abs(apart[held]).max() < 2e-4, (name, one.storage)


def variance_by_slopes(metric: Metric, spread: TableVariance) -> float:
    return variance_of(slopes_on(metric, spread, "zero"), spread)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_variances_of_metrics(kind: str, is_sparse: bool) -> None:
    """By single rows, from the derivatives of cells."""
    rows = Rows(kind)
    spread = rows.table(is_sparse=is_sparse)
    for name in ("macro_f1", "kappa_quadratic"):
        metric = get(name)
        found = slopes_on(metric, spread, "zero")
        assert slopes_on(metric, spread, "zero") is found
        g = np.zeros((K, K))
        g[spread.rows, spread.cols] = cell_slopes(found, spread.cells)
        assert g[spread.rows, spread.cols].tolist() == derivative(metric, spread.cells).tolist()
        assert variance_of(found, spread) == pytest.approx(rows.variance(g), rel=1e-11)
        assert df_on(metric, spread, "zero") == pytest.approx(rows.df(g), rel=1e-10)


def test_a_derivative_that_is_infinite_has_no_variance() -> None:
    """NaN, and as many degrees of freedom as there are clusters less one."""
    counts = np.array([[4, 0, 0], [0, 0, 0], [2, 0, 3]])
    place = np.repeat(np.arange(9), counts.ravel())
    metric = get("g_mean")
    for weighted in (False, True):
        cells = Cells.dense(
            counts * (2.5 if weighted else 1), classes=Classes.of(range(3)), n_rows=9
        )
        clusters = ClusteredCells.of(np.arange(9) % 4, place, [2.5] * 9 if weighted else None)
        spread = TableVariance(cells, clusters=clusters)
        assert math.isnan(variance_by_slopes(metric, spread))
        assert df_on(metric, spread, "zero") == 3.0


def test_slopes_that_differ_by_rounding_are_0() -> None:
    """Relative to the range of the metric, or to 1 where that is infinite."""
    for name, span in (("accuracy", 1.0), ("kappa", 2.0), ("diagnostic_odds_ratio", 1.0)):
        metric = get(name)
        dust = np.array([0.3, 0.3 + 0.9e-12 * span])
        assert settled_slopes(metric, dust).tolist() == [0.0, 0.0]
        seen = np.array([0.3, 0.3 + 1.1e-12 * span])
        assert settled_slopes(metric, seen) is seen


def test_perfect_tables_have_the_degrees_of_freedom_of_their_rows() -> None:
    """Where nothing varies, clusters count by their weights."""
    counts = np.array([[4, 0], [0, 5]])
    place = np.repeat(np.arange(4), counts.ravel())
    groups = [0, 0, 0, 0, 1, 1, 2, 2, 3]
    spread = TableVariance(
        Cells.dense(counts, classes=Classes.of([0, 1]), n_rows=9),
        clusters=ClusteredCells.of(groups, place, None),
    )
    sizes = [4.0, 2.0, 2.0, 1.0]
    expected = sum(s**2 for s in sizes) ** 2 / sum(s**4 for s in sizes)
    assert df_on(get("macro_f1"), spread, "zero") == pytest.approx(min(expected, 3.0), rel=1e-12)
    for level in (0.1, -0.1):
        dust = np.full(4, level) + np.array([0.0, 0.0, 0.0, 1e-17])
        assert float(spread.df_of(dust)) == pytest.approx(expected, rel=1e-12)
    still: Any = spread.df_of(np.ones(4))
    assert float(still) == pytest.approx(expected, rel=1e-12)
