"""Sums over permuted rows: tables, standings and p-values, each by a loop over slices."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.inference.p_values import LeastP
from karat.inference.slices import permuted
from karat.inference.slices.permuted import (
    AtOnce,
    PermutedTables,
    Reference,
    Standing,
    gaps_beside,
    n_permutations_of,
)
from karat.metrics import get
from karat.metrics._interpret import Gradient
from karat.tally import Axis, Cells, Classes

TWO = Classes.of([0, 1])
THREE = Classes.of(range(3))


def cells(tables: Any) -> Cells:
    """Tables of slices s0, s1 and so on."""
    counts = np.asarray(tables)
    axis = Axis("slice", tuple(f"s{i}" for i in range(len(counts))))
    return Cells.dense(counts, classes=Classes.of(range(counts.shape[-1])), axes=(axis,))


@pytest.mark.parametrize(
    ("level", "n"),
    [(0.5, 1000), (0.9, 1000), (0.95, 1000), (0.98, 2500), (0.99, 5000), (0.999, 10_000)],
)
def test_fifty_permutations_lie_beyond_a_level_within_one_and_ten_thousand(
    level: float, n: int
) -> None:
    """The number is 50 ÷ (1 − level), where that is between 1,000 and 10,000."""
    assert n_permutations_of(level, (2, 4, 2), 100) == n


def test_fewer_than_ten_beyond_a_level_are_too_few() -> None:
    """10 ÷ (1 − level) of at most 10,000: up to a level of 0.999."""
    shape = 2, 4, 2
    for beyond, n in ((9999.5, 10_000), (10_000.5, 0), (10_900.0, 0), (11_111.0, 0)):
        assert n_permutations_of(1.0 - 10.0 / beyond, shape, 100) == n
    # 15 steps for each of 3,000 cells of slices, 7 for each of 4,000 that a metric reads.
    steps = 15 * 10 * 300 + 7 * 10 * 20**2
    assert n_permutations_of(0.95, (10, 300, 20), 10**9) == 50_000_000 // steps == 684
    assert n_permutations_of(0.99, (10, 300, 20), 10**9) == 0, "684 are fewer than 1,000"
    assert n_permutations_of(0.98, (10, 300, 20), 10**9) == 684, "684 are more than 500"


def test_no_more_than_fifty_million_steps_are_made() -> None:
    """As many permutations as there are whole ones; from 200 on."""
    for rows, n in ((62_500, 800), (62_501, 799), (67_659, 738), (250_000, 200), (250_001, 0)):
        # A metric of two classes reads 4 cells of each of 2 slices, in 56 steps.
        assert n_permutations_of(0.95, (2, 10**6, 2), rows - 56) == n
    assert n_permutations_of(0.95, (0, 0, 2), 0) == 1000, "of no slice: nothing to do"


def test_a_table_of_which_too_many_permutations_are_wanted_has_none() -> None:
    """At a level of 0.9999, 100,000 would be needed."""
    assert PermutedTables.of(cells([[[3, 1], [0, 2]]]), 0.9999, 1) is None


def test_cells_that_no_slice_has_are_not_listed() -> None:
    """A cell that one slice has is listed for all; the observed tables come first."""
    tables = np.array([[[3, 0, 1], [0, 0, 0], [0, 0, 0]], [[4, 0, 0], [2, 5, 0], [0, 0, 0]]])
    found = PermutedTables.of(cells(tables), 0.95, 3)
    assert found is not None
    assert found.place.tolist() == [0, 2, 3, 4]
    assert found.k == 3
    assert found.n == len(found.tables) - 1 == 1000
    assert found.tables[0].tolist() == [[3, 1, 0, 0], [4, 0, 2, 5]]
    full = found.full(found.tables)
    assert full.dtype == np.int64
    assert (full[0] == tables).all()
    assert (full.sum(axis=(2, 3)) == [4, 11]).all()
    assert (full.sum(axis=1) == tables.sum(axis=0)).all()
    assert len(np.unique(full, axis=0)) > 20, "they differ from each other"
    shares = found.full(found.tables[0] / 2.0)
    assert shares.dtype == np.float64
    assert (shares == tables / 2.0).all()


def test_counts_of_up_to_31_bits_are_kept_in_four_bytes() -> None:
    """One slice has one permutation, itself, of any number of rows."""
    for n, kind in ((2**31 - 1, np.int32), (2**31, np.int64)):
        found = PermutedTables.of(cells([[[n - 5, 0], [2, 3]]]), 0.95, 1)
        assert found is not None
        assert found.tables.dtype == kind
        assert (found.tables == [n - 5, 2, 3]).all()


def shuffled(tables: np.ndarray, n: int, seed: int) -> list[list[list[int]]]:
    """Rows, one by one, in a new order under the same slices."""
    s, m = tables.shape
    rng, found = np.random.default_rng(seed), []
    kinds = [j for j in range(m) for _ in range(int(tables[:, j].sum()))]
    slices = [i for i in range(s) for _ in range(int(tables[i].sum()))]
    for _ in range(n):
        out = [[0] * m for _ in range(s)]
        for i, j in zip(slices, rng.permutation(kinds).tolist(), strict=True):
            out[i][j] += 1
        found.append(out)
    return found


def drawn(tables: np.ndarray, rng: np.random.Generator) -> list[list[int]]:
    """Slices from small to large, each taking rows of frequent cells first, from those left."""
    s, m = tables.shape
    left = tables.sum(axis=0).tolist()
    by_size = sorted(range(s), key=lambda i: int(tables[i].sum()))
    by_count = sorted(range(m), key=lambda j: -int(tables[:, j].sum()))
    out = [[0] * m for _ in range(s)]
    for i in by_size[:-1]:
        wanted = int(tables[i].sum())
        for at, j in enumerate(by_count):
            others = sum(left[other] for other in by_count[at + 1 :])
            out[i][j] = int(rng.hypergeometric(left[j], others, wanted)) if others else wanted
            wanted -= out[i][j]
        left = [a - b for a, b in zip(left, out[i], strict=True)]
    out[by_size[-1]] = left
    return out


def test_shuffled_rows_are_those_of_a_loop() -> None:
    """A permutation deals the rows, in their order by cell, to the slices in turn."""
    tables = np.array([[3, 1, 4], [1, 5, 0]])
    out = np.empty((6, 2, 3), np.int64)
    permuted._shuffle(tables, out, np.random.default_rng(5))
    assert out.tolist() == shuffled(tables, 6, 5)


def test_drawn_tables_are_those_of_a_loop() -> None:
    """Each slice takes a hypergeometric number of each cell; the largest takes the rest."""
    tables = np.array([[30, 11, 40, 7], [15, 50, 4, 9], [2, 3, 8, 1], [21, 16, 8, 2]])
    for seed in range(5):
        out = np.empty((1, 4, 4), np.int64)
        permuted._draw(tables, out, np.random.default_rng(seed))
        assert out[0].tolist() == drawn(tables, np.random.default_rng(seed))
        assert (out[0].sum(axis=0) == tables.sum(axis=0)).all()
        assert (out[0].sum(axis=1) == tables.sum(axis=1)).all()


def test_rows_are_shuffled_up_to_the_steps_of_drawing_cells() -> None:
    """Drawing takes 15 steps for each of 2 · 3 cells: 90 rows are shuffled, and 91 drawn."""
    for n, name in ((90, "_shuffle"), (91, "_draw")):
        tables = np.array([[n - 41, 3, 9], [20, 6, 3]])
        found = PermutedTables.of(cells([[[a, b], [0, c]] for a, b, c in tables]), 0.95, 8)
        assert found is not None
        expected = np.empty((1000, 2, 3), np.int64)
        getattr(permuted, name)(tables, expected, np.random.default_rng(8))
        assert (found.tables[1:] == expected).all()
        assert (found.tables[0] == tables).all()


def standing(x: Any, rows: Any, ends: tuple[float, float] | None, known: Any = True) -> Standing:
    """Values of slices, in every permutation."""
    values = np.asarray(x, np.float64)
    flags = np.broadcast_to(np.asarray(known, bool), values.shape).copy()
    full = np.broadcast_to(np.asarray(rows, np.float64), values.shape)
    return Standing(values, full, np.ones_like(flags), flags, ends)


def test_a_scaled_value_is_a_proportion_of_its_range() -> None:
    """Between ends −1 and 3, a quarter is 0, with the derivative 4; without ends all stay."""
    one = standing([0.25], 1.0, (-1.0, 3.0))
    assert (one.value_of(0.25), one.value_of(1.0), one.scale) == (0.0, 3.0, 4.0)
    found = one.variance_at(np.array([0.0, 0.25, 1.0, 1.0 + 1e-12]))
    assert found.tolist() == [0.0, 0.1875, 0.0, 0.0]
    free = standing([7.0], 1.0, None)
    assert (free.value_of(7.0), free.scale) == (7.0, 1.0)
    assert free.variance_at(np.array([7.0, -2.0])).tolist() == [1.0, 1.0]


def f1_of(table: np.ndarray, j: int) -> float:
    return 2.0 * float(table[j, j]) / float(table[j].sum() + table[:, j].sum())


@pytest.mark.parametrize("is_declared", [False, True])
def test_a_macro_average_is_of_the_classes_that_a_table_has(is_declared: bool) -> None:
    """Of declared classes all count, with a value of 0 for those without rows."""
    tables = np.array([
        [[3, 1, 0], [2, 4, 0], [0, 0, 0]], [[3, 1, 1], [2, 4, 0], [0, 1, 2]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 5, 2], [0, 0, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 0, 0]], [[1, 2, 0], [0, 3, 0], [0, 0, 0]],
    ])  # fmt: skip
    classes = Classes.of(range(3), is_declared=is_declared)
    found, known = permuted._values(tables, get("macro_f1"), classes, "zero")
    assert known.tolist() == [True, True, False, True, True, True]
    for value, table in zip(found, tables, strict=True):
        held = [j for j in range(3) if table[j].sum() + table[:, j].sum()]
        if held:
            mean = sum(f1_of(table, j) for j in held) / (3 if is_declared else len(held))
            assert value == pytest.approx(mean, rel=1e-14)
    if not is_declared:
        assert math.isnan(found[2])


def test_two_classes_count_both_in_every_table() -> None:
    """A table of two classes with rows of one alone keeps the other."""
    tables = np.array([[[4, 0], [0, 0]], [[3, 1], [1, 3]]])
    found, known = permuted._values(tables, get("macro_f1"), TWO, "zero")
    assert found.tolist() == [0.5, 0.75]
    assert known.tolist() == [True, True]


def test_a_macro_average_is_defined_if_that_of_one_class_is() -> None:
    """Recall of a class without true rows is not, but that of the others is."""
    tables = np.array([[[4, 1], [0, 0]], [[0, 0], [0, 0]]])
    found, known = permuted._measured(
        get("macro_recall"), Cells.dense(tables, classes=TWO), "exclude"
    )
    assert known.tolist() == [True, False]
    assert found[0] == 0.8


def test_costs_keep_classes_without_rows() -> None:
    """A matrix of costs lists all classes, whichever a table has."""
    metric = get("expected_cost(costs=[[0, 1, 2], [4, 0, 1], [3, 5, 0]])")
    tables = np.array([[[3, 1, 0], [2, 4, 0], [0, 0, 0]], [[2, 0, 1], [0, 0, 0], [3, 0, 2]]])
    found, known = permuted._values(tables, metric, THREE, "zero")
    assert found == pytest.approx([(1 + 2 * 4) / 10, (2 + 3 * 3) / 8], rel=1e-14)
    assert known.all()


def test_rows_of_a_table_are_a_whole_number() -> None:
    """Tables of shares are counted to the nearest row."""
    tables = np.array([[[2.6, 0.2], [0.3, 2.5]], [[1.0, 0.0], [0.2, 0.1]]])
    assert permuted._n(tables).tolist() == [6, 1]


def spread_of(slope: Any, p: np.ndarray) -> float:
    """Variance of the slope of one row, which is in cell i, j with the probability p[i, j]."""
    pairs = [(i, j) for i in range(len(p)) for j in range(len(p))]
    mean = sum(float(p[i, j]) * slope(i, j) for i, j in pairs)
    return sum(float(p[i, j]) * (slope(i, j) - mean) ** 2 for i, j in pairs)


@pytest.mark.parametrize("has_cells", [False, True])
def test_the_variance_of_a_gradient_is_a_sum_over_cells(has_cells: bool) -> None:
    """Parts by row, by column, on the diagonal and by cell, in several tables."""
    rng = np.random.default_rng(6)
    t, k = 4, 3
    p = rng.dirichlet(np.ones(k * k), t).reshape(t, k, k)
    constant = rng.normal(size=t)
    true, pred, same = rng.normal(size=(3, t, k))
    each = rng.normal(size=(t, k * k)) if has_cells else np.zeros((t, k * k))
    rows, cols = np.divmod(np.arange(k * k), k)
    fields: Any = SimpleNamespace(rows=rows, cols=cols)
    one = Gradient(constant, true, pred, same, each if has_cells else None, fields=fields)
    found = permuted._spread(one, p)
    for b in range(t):

        def slope(i: int, j: int, b: int = b) -> float:
            of_parts = true[b, i] + pred[b, j] + (i == j) * same[b, i]
            return float(constant[b] + of_parts + each[b, k * i + j])

        assert found[b] == pytest.approx(spread_of(slope, p[b]), rel=1e-11)


def test_a_gradient_of_all_rows_alike_has_no_variance() -> None:
    """Not below 0 either, where rounding would put it."""
    p = np.array([[[0.1, 0.2], [0.3, 0.4]]])
    for number in (0.3, 1e8 / 3.0, 0.7):
        zero: Any = np.zeros((1, 2))
        side = np.full((1, 2), number)
        one = Gradient(np.zeros(1), side, -side / 7.0, zero, fields=SimpleNamespace())
        assert 0.0 <= permuted._spread(one, p)[0] < 1e-14 * number**2


def recalls(table: np.ndarray) -> tuple[float, float]:
    """Mean of the recalls of two classes; the variance of the influence of one row on it."""
    of_class = table.sum(axis=1)
    recall = np.diagonal(table) / of_class
    share = of_class / table.sum()
    return float(recall.mean()), float((recall * (1.0 - recall) / share).sum()) / 4.0


def test_the_variance_of_a_mean_of_recalls_is_binomial() -> None:
    """Every class adds r·(1 − r) ÷ (4 · its share of rows)."""
    tables = np.array([[[30.0, 4.0], [3.0, 12.0]], [[20.5, 1.5], [6.0, 9.0]]])
    value, variance = permuted._variance(tables, get("macro_recall"), TWO, "zero")
    for b, table in enumerate(tables):
        mean, spread = recalls(table)
        assert (value[b], variance[b]) == pytest.approx((mean, spread), rel=1e-12)


TABLES = np.array([
    [[[30, 4], [3, 12]], [[8, 2], [1, 5]], [[1, 0], [4, 4]]],
    [[[28, 4], [4, 13]], [[9, 1], [1, 5]], [[2, 1], [3, 3]]],
    [[[31, 3], [2, 13]], [[7, 3], [2, 4]], [[1, 0], [4, 4]]],
])  # fmt: skip


def placed(tables: np.ndarray) -> PermutedTables:
    """Tables of k classes, the observed ones first."""
    k = tables.shape[-1]
    return PermutedTables(tables.reshape(*tables.shape[:-2], k * k), np.arange(k * k), k)


def scaled_rows(table: np.ndarray, pooled: np.ndarray) -> float:
    """Rows of which a proportion has the variance of the mean recall, with five rows added."""
    centre, variance = recalls(table + 5.0 * pooled / pooled.sum())
    return float(table.sum()) * centre * (1.0 - centre) / variance


@pytest.mark.parametrize("block", [1, 8, 12, 1 << 20])
@pytest.mark.parametrize("name", ["macro_recall", "informedness"])
def test_effective_rows_are_those_of_a_proportion_of_the_range(
    name: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Informedness, 2 · mean recall − 1 between −1 and 1, is the mean recall once scaled."""
    monkeypatch.setattr(permuted, "_BLOCK", block)
    found = Reference(get(name), placed(TABLES), TWO, "zero", 2).slices
    assert found.ends == ((0.0, 1.0) if name == "macro_recall" else (-1.0, 1.0))
    pooled = TABLES[0].sum(axis=0)
    for b, tables in enumerate(TABLES):
        for i, table in enumerate(tables):
            assert found.x[b, i] == pytest.approx(recalls(table)[0], rel=1e-13)
            assert found.rows[b, i] == pytest.approx(scaled_rows(table, pooled), rel=1e-10)
            assert found.is_known[b, i] == (table.sum(axis=1) >= 2).all()
    assert found.is_defined.all()
    assert found.is_known.any()
    assert not found.is_known.all()


def test_a_ratio_without_an_upper_end_stays_as_it_is() -> None:
    """The variance of a ratio of two shares is that of its logarithm times its square."""
    found = Reference(get("lr_positive"), placed(TABLES), TWO, "zero", 1).slices
    assert found.ends is None
    pooled = TABLES[0].sum(axis=0)
    for i, table in enumerate(TABLES[0][:2]):
        hit, alarm = table[1, 1] / table[1].sum(), table[0, 1] / table[0].sum()
        assert found.x[0, i] == pytest.approx(hit / alarm, rel=1e-13)
        more = table + 5.0 * pooled / pooled.sum()
        n = more.sum(axis=1)
        hit, alarm = more[1, 1] / n[1], more[0, 1] / n[0]
        of_log = (1.0 - hit) / (hit * n[1]) + (1.0 - alarm) / (alarm * n[0])
        variance = more.sum() * of_log * (hit / alarm) ** 2
        assert found.rows[0, i] == pytest.approx(table.sum() / variance, rel=1e-10)


def test_slices_without_a_mistake_anywhere_have_their_own_rows() -> None:
    """Nothing varies, and a slice without rows has neither a value nor rows."""
    tables = np.array([[[[3, 0], [0, 4]], [[5, 0], [0, 1]], [[0, 0], [0, 0]]]])
    found = Reference(get("macro_recall"), placed(tables), TWO, "zero", 0).slices
    assert found.x.tolist() == [[1.0, 1.0, 0.0]]
    assert found.rows.tolist() == [[7.0, 6.0, 0.0]]
    assert found.is_defined.tolist() == found.is_known.tolist() == [[True, True, False]]


def test_a_metric_that_is_undefined_on_a_slice_has_no_value_there() -> None:
    """Recall without a positive row, where undefined values are left out."""
    tables = np.array([[[[3, 1], [2, 4]], [[5, 2], [0, 0]]]])
    found = Reference(get("recall"), placed(tables), TWO, "exclude", 0).slices
    assert found.is_defined.tolist() == found.is_known.tolist() == [[True, False]]
    assert found.x[0] == pytest.approx([4 / 6, 0.0], rel=1e-14)


def test_only_classes_that_have_true_rows_somewhere_need_some_in_a_slice() -> None:
    """The third class is only predicted; the second has one row in all."""
    first = [[5, 0, 1], [0, 1, 0], [0, 0, 0]]
    second = [[6, 1, 0], [0, 0, 0], [0, 0, 0]]
    third = [[2, 0, 0], [1, 0, 0], [0, 0, 0]]
    given = "macro_f1", placed(np.array([[first, second, third]])), THREE, "zero"
    for fewest, known in ((0, [True, True, True]), (1, [True, False, True]), (2, [False] * 3)):
        found = Reference(get(given[0]), *given[1:], fewest).slices
        assert found.is_known.tolist() == [known]
        assert found.is_defined.all()


def test_rows_of_a_class_count_however_they_are_predicted() -> None:
    """Two and three rows of a class are five."""
    tables = np.array([[[[2, 3], [1, 4]], [[2, 2], [0, 9]]]])
    found = Reference(get("accuracy"), placed(tables), TWO, "zero", 5).slices
    assert found.is_known.tolist() == [[True, False]]
    assert found.rows == pytest.approx(np.array([[10.0, 13.0]]), rel=1e-12)


def reference(monkeypatch: pytest.MonkeyPatch, one: Standing) -> Reference:
    """A reference of slices with these values."""
    monkeypatch.setattr(Reference, "slices", one)
    return Reference(get("accuracy"), placed(TABLES), TWO, "zero", 0)


def by_hand(one: Standing, known: np.ndarray) -> tuple[list[float], list[list[float]]]:
    """Mean of each permutation, and the distances from it in standard errors, 0 if unknown."""
    means, far = [], []
    for x, rows, held in zip(one.x, one.rows, known, strict=True):
        total = sum(rows[held])
        mean = sum(rows[held] * x[held]) / total if total else 0.0
        spread = 1.0 if one.ends is None else mean * (1.0 - mean)
        means.append(float(mean))
        z = [
            (a - mean) / math.sqrt(spread / n) if total else 0.0
            for a, n in zip(x, rows, strict=True)
        ]
        far.append([a if is_held else 0.0 for a, is_held in zip(z, held, strict=True)])
    return means, far


RNG = np.random.default_rng(12)
X = RNG.uniform(0.1, 0.9, (12, 4))
ROWS = RNG.uniform(0.2, 40.0, (12, 4))
KNOWN = RNG.random((12, 4)) < 0.7
KNOWN[0] = True
KNOWN[3], KNOWN[4] = [False, True, False, False], False
PLACES = [0, 1, 3]
"""Slices that are compared."""


@pytest.mark.parametrize("ends", [None, (-1.0, 2.0)])
@pytest.mark.parametrize("size", [0.001, 1.0])
def test_distances_are_those_of_a_loop(
    ends: tuple[float, float] | None, size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean of the known slices, weighted by their rows; the same for parts of a row."""
    one = standing(X, ROWS * size, ends, KNOWN)
    mean, z = reference(monkeypatch, one)._standardized(KNOWN)
    means, far = by_hand(one, KNOWN)
    assert mean == pytest.approx(np.array(means), rel=1e-12)
    assert z == pytest.approx(np.array(far), rel=1e-9)
    assert mean[4] == 0.0, "of no slice"


@pytest.mark.parametrize(
    ("ends", "centre", "nearly"),
    [((0.0, 1.0), 0.5, 3e-13), (None, 1e6, 3e-7), (None, -1e6, 3e-7), (None, 0.0, 0.0)],
)
def test_slices_that_differ_by_rounding_are_alike(
    ends: tuple[float, float] | None, centre: float, nearly: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a range the rounding is that of 1, without one that of the number itself."""
    for far in (nearly, 5.0 * nearly + 1e-15):
        one = standing([[centre - far, centre + far]], 1e6, ends)
        _, z = reference(monkeypatch, one)._standardized(np.ones((1, 2), bool))
        if far == nearly:
            assert z.tolist() == [[0.0, 0.0]]
        else:
            assert z[0, 0] < 0.0 < z[0, 1]
            assert z[0, 0] == pytest.approx(-z[0, 1], rel=1e-2)


def test_q_and_its_p_value_are_those_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many permutations have a χ² p-value of at most that of the observed slices."""
    for scale in (0.02, 0.1, 1.0):
        one = standing(X, ROWS * scale, (-1.0, 2.0), KNOWN)
        known = KNOWN.copy()
        known[0] = [True, True, False, True]
        means, far = by_hand(one, known)
        statistics = [sum(z * z for z in row) for row in far]
        df = [int(held.sum()) - 1 for held in known]
        tails = [stats.chi2.sf(q, d) if d > 0 else 1.0 for q, d in zip(statistics, df, strict=True)]
        q, mean, p = reference(monkeypatch, one).spreading(PLACES)
        assert q == pytest.approx(statistics[0], rel=1e-12)
        assert mean == pytest.approx(-1.0 + 3.0 * means[0], rel=1e-12)
        assert p == sum(tail <= tails[0] * (1.0 + 1e-12) for tail in tails) / 12


def test_the_same_slices_in_another_order_are_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a p-value that is larger by less than a part in 10⁹; not by one in a thousand."""
    x = np.array([0.2, 0.5, 0.4])
    mean = x.mean()
    shifted = [x, x[::-1], mean + (x - mean) * (1 - 1e-11), mean + (x - mean) * (1 - 1e-3)]
    one = standing(np.array(shifted), 30.0, (0.0, 1.0))
    assert reference(monkeypatch, one).spreading([0, 1, 2])[2] == 0.75


def test_slices_that_cannot_be_equal_have_the_p_value_of_one_permutation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even where the tail of χ² is below every number."""
    one = standing([[0.1, 0.9], [0.5, 0.6], [0.4, 0.3], [0.5, 0.4]], 1e4, (0.0, 1.0))
    q, mean, p = reference(monkeypatch, one).spreading([0, 1])
    assert q == pytest.approx(2 * 1e4 * 0.4**2 / 0.25, rel=1e-12)
    assert (mean, p) == (0.5, 0.25)


def test_permutations_of_more_slices_need_a_larger_statistic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """χ² of 3.9 with one degree of freedom is as rare as 7.9 with three, or 2.7 with none."""
    known = np.array(
        [[True, True, False, False], [True] * 4, [True] * 4, [True, True, True, False]]
    )
    x = [[0.0] * 4]
    for n, statistic in ((4, 7.8), (4, 8.0), (2, 3.85)):
        x.append([math.sqrt(statistic / n) * side for side in (1, -1, 1, -1)[:n]] + [0.0] * (4 - n))
    x[0] = [math.sqrt(3.9 / 2), -math.sqrt(3.9 / 2), 0.0, 0.0]
    tails = [stats.chi2.sf(q, df) for q, df in ((3.9, 1), (7.8, 3), (8.0, 3), (3.85, 2))]
    assert sum(tail <= tails[0] for tail in tails) == 2
    q, _, p = reference(monkeypatch, standing(x, 1.0, None, known)).spreading([0, 1])
    assert q == pytest.approx(3.9, rel=1e-12)
    assert p == 2 / 4


def test_equal_slices_are_as_rare_as_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A permutation with one slice to compare is at least as extreme as a statistic of 0."""
    known = [[True, True], [True, False], [False, False]]
    one = standing([[0.5, 0.5], [0.2, 0.9], [0.2, 0.9]], 20.0, (0.0, 1.0), known)
    assert reference(monkeypatch, one).spreading([0, 1]) == (0.0, 0.5, 1.0)


def test_one_slice_is_equal_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing to differ from, every permutation is at least as extreme."""
    one = standing([[0.1, 0.9], [0.5, 0.6], [0.4, 0.3]], 50.0, (0.0, 1.0))
    q, mean, p = reference(monkeypatch, one).spreading([1])
    assert (q, mean, p) == (0.0, 0.9, 1.0)


def test_gaps_of_permutations_are_those_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distances in standard errors, times the errors of the observed slices; in one slice: 0."""
    for ends in (None, (-1.0, 2.0)):
        flags = KNOWN.copy()
        one = Standing(X, ROWS, flags, np.zeros_like(flags), ends)
        known = flags & [True, True, False, True]
        means, far = by_hand(one, known)
        spread = 1.0 if ends is None else means[0] * (1.0 - means[0])
        span = 1.0 if ends is None else 3.0
        gaps = []
        for z, held in zip(far[1:], known[1:], strict=True):
            drawn = [z[i] * span * math.sqrt(spread / ROWS[0, i]) for i in PLACES if held[i]]
            gaps.append(max(drawn) - min(drawn) if len(drawn) > 1 else 0.0)
        assert 0.0 in gaps
        observed = sorted(gaps)[7]
        for far_off, beyond in ((1.0, 4), (1.0 + 5e-10, 4), (1.0 + 1e-6, 3), (1e9, 0)):
            found = reference(monkeypatch, one).gaps(PLACES, observed * far_off, 0.9)
            expected = sum(gaps) / 11, sorted(gaps)[9], (1 + beyond) / 12
            assert found == pytest.approx(expected, rel=1e-12)


def test_a_gap_as_large_as_the_observed_counts() -> None:
    """Of 0, 1, 1 and 2 three are at least 1; the median is 1."""
    assert gaps_beside(np.array([0.0, 1.0, 2.0, 1.0]), 1.0, 0.5) == (1.0, 1.0, 0.8)


@pytest.mark.parametrize("ends", [None, (-1.0, 2.0)])
@pytest.mark.parametrize("size", [0.001, 1.0])
def test_distances_of_all_slices_are_those_of_a_loop(
    ends: tuple[float, float] | None, size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slice that has a share of the rows is nearer to the mean by the root of the rest."""
    one = standing(X, ROWS * size, ends, KNOWN)
    known = KNOWN.copy()
    known[0] = [True, True, False, True]
    _, far = by_hand(one, known)
    z = [
        [
            abs(a) / math.sqrt(1.0 - n / sum(rows[held])) if a and held.sum() > 1 else 0.0
            for a, n in zip(row, rows, strict=True)
        ]
        for row, rows, held in zip(far, one.rows, known, strict=True)
    ]
    largest = [max(row) for row in z]
    found = reference(monkeypatch, one).at_once(PLACES)
    assert found.largest == pytest.approx(np.array(sorted(largest)), rel=1e-9)
    for i in PLACES:
        p = sum(top >= z[0][i] * (1.0 - 1e-12) for top in largest) / 12
        assert found.p[i] == p
        assert found.p_of(i) == p
    assert found.p_of(2) == 1.0, "of a slice that is not compared"


def test_distances_that_differ_by_rounding_are_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    """A permutation that is nearer by a part in 10¹⁰ counts as being as far."""
    x = np.array([0.2, 0.5, 0.4])
    mean = x.mean()
    shrunk = [mean + (x - mean) * (1.0 - less) for less in (0.0, 1e-10, 1e-3)]
    found = reference(monkeypatch, standing(np.array(shrunk), 30.0, None)).at_once([0, 1, 2])
    assert found.p[0] == pytest.approx(2 / 3, rel=1e-15)


def test_a_p_value_that_no_permutation_passes_is_the_least() -> None:
    """Of the observed slices and 199 permutations, one is 0.005 of all."""
    one = AtOnce(np.array([0.005, 0.00501]), np.arange(200.0))
    assert one.p_of(0) == 0.005
    assert isinstance(one.p_of(0), LeastP)
    assert one.p_of(1) == 0.00501
    assert not isinstance(one.p_of(1), LeastP)


def test_the_critical_value_leaves_fewer_than_the_level_beyond() -> None:
    """Of 0, …, 99 five are at least 95, which is not below 5 %: beyond 95 there are four."""
    one = AtOnce(np.empty(0), np.arange(100.0))
    assert [one.quantile(level) for level in (0.95, 0.9, 0.955)] == [95.0, 90.0, 95.0]
