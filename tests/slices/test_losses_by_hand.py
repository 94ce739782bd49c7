"""Losses of slices: their sums, errors and replicates, the slices themselves, and their text."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from karat.inference.slices import losses as losses_of
from karat.inference.slices import search as searching
from karat.inference.slices.candidates import (
    Block,
    Family,
    SearchColumn,
    column_of_numbers,
    column_of_values,
)
from karat.inference.slices.losses import RowLosses, Statistics, unequal
from karat.inference.slices.search import Range, statistic
from karat.inference.slices.weak import WeakSlice, WeakSlices, _shortest, _text, limits_of


def test_losses_are_scaled_by_a_power_of_two() -> None:
    """The largest, of either sign, lies between 1 and 2, and none of 0 is scaled."""
    cases: list[tuple[list[float], int]] = [
        ([0.25, -3.0, 1.0], 1), ([1.0, 0.0], 0), ([0.3, 0.1, 0.2], -2), ([0.0] * 2, 0), ([], 0),
        ([1e300, -2e300, 0.0], 997),
    ]  # fmt: skip
    for loss, scale in cases:
        rows = RowLosses.of(np.array(loss))
        assert rows.scale == scale
        assert rows.loss.tolist() == [x / 2.0**scale for x in loss]
        assert rows.n == len(loss)
    assert RowLosses(np.ones(2), None, None, False, np.ones(2)).scale == 0


def test_summands_are_losses_or_weighted_distances_from_their_mean() -> None:
    """Those of two values stay as they are; others have the mean 0."""
    two = RowLosses.of(np.array([0.0, 1.5, 1.5]))
    assert (two.moved.tolist(), two.is_studentized) == ([0.0, 1.5, 1.5], False)
    three = RowLosses.of(np.array([0.0, 0.5, 1.0]))
    assert (three.moved.tolist(), three.is_studentized) == ([-0.5, 0.0, 0.5], True)
    grouped = RowLosses.of(np.array([0.0, 1.0, 1.0, 0.0]), None, np.array(["b", "a", "b", "b"]))
    assert grouped.clusters is not None
    assert grouped.clusters.tolist() == [1, 0, 1, 1]
    assert (grouped.moved.tolist(), grouped.is_studentized) == ([-0.5, 0.5, 0.5, -0.5], False)
    weighted = RowLosses.of(np.array([0.0, 1.0, 1.5]), np.array([2.0, 4.0, 2.0]))
    assert weighted.weights is not None
    assert weighted.weights.tolist() == [0.5, 1.0, 0.5]
    mean = (4.0 + 3.0) / 8.0
    assert weighted.moved.tolist() == [-mean / 2.0, 1.0 - mean, (1.5 - mean) / 2.0]
    assert weighted.is_studentized
    assert RowLosses.of(np.array([0.0, 1.0]), np.array([1.0, 3.0])).is_studentized is False


def test_weights_all_alike_and_clusters_of_one_row_are_none() -> None:
    """Also those of no row."""
    loss = np.array([0.0, 1.0, 1.0])
    rows = RowLosses.of(loss, np.full(3, 7.0), np.array([5, 9, 7]))
    assert rows.weights is None
    assert rows.clusters is None
    assert rows.moved.tolist() == loss.tolist()
    assert RowLosses.of(loss[:0], None, np.array([], int)).clusters is None
    assert RowLosses.of(loss, None, np.array([5, 9, 5])).clusters is not None


def test_some_rows_have_the_losses_of_those_rows_alone() -> None:
    """Scaled, weighted and grouped anew."""
    loss, rows = np.array([8.0, 1.0, 3.0, 2.0, 0.5]), np.array([1, 2, 4])
    weights, clusters = np.array([1.0, 2.0, 6.0, 3.0, 4.0]), np.array([0, 1, 2, 0, 2])
    for given in ((None, None), (weights, None), (None, clusters)):
        part = [None if each is None else each[rows] for each in given]
        found, alone = RowLosses.of(loss, *given).at(rows), RowLosses.of(loss[rows], *part)
        assert found.scale == alone.scale == 1
        assert found.loss.tolist() == alone.loss.tolist()
        assert found.moved == pytest.approx(alone.moved, rel=1e-15)
        assert found.is_studentized == alone.is_studentized
        for name in ("weights", "clusters"):
            one, other = getattr(found, name), getattr(alone, name)
            assert (one is None) == (other is None)
            assert one is None or one.tolist() == other.tolist()


def test_means_are_in_the_units_of_the_losses() -> None:
    """Of the rows that are given, weighted."""
    loss = np.array([8.0, 1.0, 3.0, 2.0])
    inside = np.array([True, True, False, False])
    assert RowLosses.of(loss).mean(inside) == 4.5
    assert RowLosses.of(loss, np.array([1.0, 3.0, 1.0, 1.0])).mean(inside) == 2.75


def test_losses_vary_between_rows_of_several_clusters() -> None:
    """Not if all are alike, nor in one cluster; by however little they differ."""
    loss = np.array([1.0, 0.0, 0.0, 1.0])
    assert RowLosses.of(loss).is_varied is True
    assert RowLosses.of(1.0 + loss / 4.0).is_varied is True
    assert RowLosses.of(np.ones(4)).is_varied is False
    assert RowLosses.of(loss, None, np.array([3, 3, 4, 4])).is_varied is True
    assert RowLosses.of(loss, None, np.full(4, 3)).is_varied is False
    assert RowLosses.of(np.ones(4), None, np.array([3, 3, 4, 4])).is_varied is False


def drawn(rows: RowLosses, n: int, seed: int = 7) -> Any:
    return np.concatenate(list(rows.replicates(n, seed)))


def test_replicates_are_permutations_of_numpy() -> None:
    """Bytes of losses that are 0 or 1, and numbers of others; weights stay at their rows."""
    rng = np.random.default_rng(1)
    two, other = (rng.random(30) < 0.4).astype(float), rng.exponential(size=30)
    zero, one, weights = np.zeros(30), np.ones(30), rng.uniform(1, 2, 30)
    for loss in (two, zero, one, other, two * 1.5, two - 1.0):
        rows = RowLosses.of(loss)
        found = drawn(rows, 20)
        is_bytes = bool(np.isin(loss, (0.0, 1.0)).all())
        assert found.dtype == (np.uint8 if is_bytes else np.float64)
        expected = np.random.default_rng(7).permuted(np.tile(rows.moved, (20, 1)), axis=1)
        assert (found == expected).all()
    for loss in (two, other):
        rows = RowLosses.of(loss, weights)
        w = weights / weights.max()
        each = np.random.default_rng(7).permuted(np.tile(rows.loss, (20, 1)), axis=1)
        expected = [[w[i] * (x[i] - sum(w * x) / sum(w)) for i in range(30)] for x in each]
        assert drawn(rows, 20) == pytest.approx(np.array(expected), rel=1e-11, abs=1e-13)


def test_clusters_keep_or_flip_their_sign() -> None:
    """Each with a sign of its own, by a bit of NumPy's."""
    loss, clusters = np.random.default_rng(2).exponential(size=12), np.arange(12) % 5
    rows = RowLosses.of(loss, None, clusters)
    signs = 2.0 * np.random.default_rng(7).integers(0, 2, (20, 5)) - 1.0
    found = drawn(rows, 20)
    assert found.shape == (20, 12)
    for b in range(20):
        for i in range(12):
            assert found[b, i] == signs[b, i % 5] * rows.moved[i]


def test_many_rows_are_permuted_by_the_native_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the key of the seed; each replicate is another permutation, whatever the blocks."""
    monkeypatch.setattr(losses_of, "_SHUFFLED_BY_NUMPY", 29)
    loss = np.random.default_rng(1).exponential(size=30)
    for n, is_by_numpy in ((29, True), (30, False)):
        rows = RowLosses.of(loss[:n])
        found = drawn(rows, 40)
        expected = np.random.default_rng(7).permuted(np.tile(rows.moved, (40, 1)), axis=1)
        assert (found == expected).all() == is_by_numpy
        assert (np.sort(found, axis=1) == np.sort(rows.moved)).all()
        assert len(np.unique(found, axis=0)) == 40
        monkeypatch.setattr(losses_of, "_BLOCK", 0)
        assert (drawn(rows, 40) == found).all()
        monkeypatch.setattr(losses_of, "_BLOCK", 1 << 26)
    key = int(np.random.SeedSequence(7).generate_state(1, np.uint64)[0])
    expected = losses_of._native.shuffle_rows(rows.moved, key, 0, 0, 40, 1)
    assert (found == expected).all()


def test_replicates_come_in_blocks_of_bounded_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 128 at once; at least 32 of bytes, or 8 of numbers, whatever they take."""
    for block, bytes_, numbers in (
        (1 << 26, 128, 128), (400, 40, 8), (399, 39, 8), (960, 96, 12), (100, 32, 8),
        (10_000, 128, 125),
    ):  # fmt: skip
        monkeypatch.setattr(losses_of, "_BLOCK", block)
        for loss, most in ((np.arange(10) % 2 * 1.0, bytes_), (np.arange(10) * 1.0, numbers)):
            sizes = [len(values) for values in RowLosses.of(loss).replicates(200, 1)]
            assert sizes == [most] * (200 // most) + [200 % most] * (200 % most > 0)
    monkeypatch.setattr(losses_of, "_BLOCK", 60)
    assert [len(each) for each in RowLosses.of(np.zeros(0)).replicates(100, 1)] == [60, 40]
    assert losses_of._FEWEST_AT_ONCE == {1: 32, 8: 8}


def test_the_pooled_variance_weighs_each_side_by_the_rows_of_the_other() -> None:
    """With the sample variance of each; of one row, that of it and of a row of the mean 0."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=9)
    for m in (1, 3, 8):
        own, rest = values[:m], values[m:]
        sides = [(np.array(x.sum()), np.array((x**2).sum())) for x in (own, rest)]
        each = [x.var(ddof=1) if len(x) > 1 else x[0] ** 2 / 2.0 for x in (own, rest)]
        expected = (9 - m) / 9 * each[0] + m / 9 * each[1]
        found = unequal(np.array(float(m)), 9.0, sides[0], sides[1])
        assert float(found) == pytest.approx(float(expected), rel=1e-12)
    alike = np.array(3.0), np.array(3.0 - 1e-15)
    other = np.array(6.0), np.array(6.0 - 1e-15)
    assert float(unequal(np.array(3.0), 9.0, alike, other)) == 0.0, "rounding below 0"


def as_hand(loss: np.ndarray, inside: np.ndarray) -> float:
    """Sum of the rows above its expectation, in standard errors of a sample without replacement."""
    n, m = len(loss), int(inside.sum())
    variance = sum((x - loss.mean()) ** 2 for x in loss) / n
    error = math.sqrt(variance * m * (n - m) / (n - 1))
    return float(loss[inside].sum() - m / n * loss.sum()) / error


def test_the_statistic_of_two_values_is_in_hypergeometric_errors() -> None:
    """Of no row, of all rows and of losses all alike it is 0."""
    loss = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    rows = RowLosses.of(loss)
    for places in ([0], [0, 3], [1, 2, 4], [0, 3, 4, 5, 6, 1]):
        inside = np.isin(np.arange(7), places)
        assert statistic(rows, inside) == pytest.approx(as_hand(loss, inside), rel=1e-12)
        assert statistic(RowLosses.of(np.ones(7)), inside) == 0.0
    for inside in (np.zeros(7, bool), np.ones(7, bool)):
        assert statistic(rows, inside) == 0.0


def test_the_statistic_of_unlike_rows_has_the_larger_error() -> None:
    """Welch's, of the variances on both sides, if that is larger than with one variance."""
    loss = np.array([0.1, 3.0, 0.5, 0.6, 0.4, 0.55, 0.45, 0.5, 0.52, 9.0])
    n, n_welch = 10, 0
    for places in ([0, 1, 9], [2, 3, 4], [1, 9], [2, 3, 4, 5, 6, 7, 8]):
        inside = np.isin(np.arange(n), places)
        m = len(places)
        own, rest = loss[inside], loss[~inside]
        welch = own.var(ddof=1) / m + rest.var(ddof=1) / (n - m)
        far = float(own.mean() - rest.mean()) / math.sqrt(welch)
        # The error that the Welch variance pools to has n ÷ (n − 1) more than that of a sample.
        far /= math.sqrt(n / (n - 1))
        far = min(abs(far), abs(as_hand(loss, inside))) * math.copysign(1.0, far)
        n_welch += abs(far) < abs(as_hand(loss, inside)) - 1e-9
        assert statistic(RowLosses.of(loss), inside) == pytest.approx(far, rel=1e-12)
    assert 0 < n_welch < 4


def test_the_statistic_of_clusters_has_the_larger_error() -> None:
    """The root of the sum of squares of what clusters add, if larger than that of rows."""
    rng = np.random.default_rng(5)
    loss, clusters = rng.exponential(size=24), np.arange(24) // 4
    loss[4:8] += 3.0
    rows = RowLosses.of(loss, None, clusters)
    n_rows = 0
    for inside in (np.arange(24) < 8, np.arange(24) % 4 == 0, rng.random(24) < 0.5):
        share, mean = inside.mean(), loss.mean()
        added = [sum((inside[i] - share) * (loss[i] - mean) for i in range(24) if i // 4 == c)
                 for c in range(6)]  # fmt: skip
        error = math.sqrt(sum(x * x for x in added))
        of_rows = as_hand(loss, inside)
        z = min(abs(sum(added)) / error, abs(of_rows)) * math.copysign(1.0, of_rows)
        n_rows += abs(of_rows) < abs(sum(added)) / error
        assert statistic(rows, inside) == pytest.approx(z, rel=1e-11)
    assert 0 < n_rows < 3


def test_permutations_are_sorted_and_enough_of_them_end_the_count() -> None:
    """p = (1 + those as large) ÷ 20 is at most 0.15 with up to two; a third ends it."""
    blocks = [np.array([3.0, 1.0, 2.0]), np.array([5.0, 4.0]), np.array([0.0, 3.0])]
    drawn: list[tuple[int, int]] = []

    def replicates(n: int, seed: int) -> Any:
        drawn.append((n, seed))
        return iter(blocks)

    statistics: Any = SimpleNamespace(largest=lambda values: values)
    losses: Any = SimpleNamespace(replicates=replicates)
    every = [0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0]
    for z, alpha, is_done in (
        (0.0, None, True), (3.5, 0.15, True), (3.0, 0.15, False), (4.0, 0.15, True),
        (5.0, 0.1, True), (4.0, 0.1, False), (4.0, 0.1499, False), (5.1, 0.05, True),
        (5.0, 0.05, False), (5.0 + 0.5e-9, 0.05, False), (3.0, 0.25, True), (3.0, 0.2499, False),
        (2.0, 0.3, True), (2.0, 0.25, False), (5.1, 0.049, False), (4.0 + 1.5e-9, 0.1, True),
    ):  # fmt: skip
        found = searching._null(statistics, losses, 19, 7, z, alpha)
        assert (found is not None) == is_done, (z, alpha)
        if found is not None:
            assert found.tolist() == every
    assert set(drawn) == {(19, 7)}


def columns_of(n: int, seed: int = 0) -> list[SearchColumn]:
    """Numbers, some missing; 3 values; 21 values; one value of enough rows; few numbers."""
    rng = np.random.default_rng([5, seed])
    numbers = rng.normal(size=n).round(2)
    numbers[: n // 12] = np.nan
    many, few = rng.integers(0, 21, n), rng.integers(0, 4, n)
    return [
        column_of_numbers("x", np.empty(0), ["missing"], numbers, are_few=False),
        column_of_values("c", np.arange(n) % 3, list("abc"), 1),
        column_of_values("m", many, [f"{i}" for i in range(21)], 1),
        column_of_values("o", np.minimum(np.arange(n), 1), list("ab"), 2),
        column_of_numbers("f", few, list("0123"), few * 1.0, are_few=True),
    ]


def masks(family: Family, columns: list[SearchColumn], rows: np.ndarray) -> list[np.ndarray]:
    """The rows of every slice of a family, block after block."""
    found = []
    for block in family.blocks:
        for spans in itertools.product(*block.spans):
            inside = np.ones(len(rows), bool)
            for column, (first, end) in zip(block.columns, spans, strict=True):
                codes = columns[column].codes[rows]
                inside &= (codes >= first) & (codes < end)
            found.append(inside)
    return found


def spread(values: np.ndarray) -> float:
    """Sample variance; of one row, that of it and of a row of 0."""
    n = max(len(values), 2)
    return float((values**2).sum() - values.sum() ** 2 / n) / (n - 1)


@pytest.mark.parametrize("kind", ["two", "numbers", "weights", "clusters", "two clusters"])
def test_statistics_of_all_slices_are_those_of_each(kind: str) -> None:
    """Observed ones, and the largest of every replicate, in standard errors as observed."""
    n = 63
    rng = np.random.default_rng(6)
    loss = rng.integers(0, 2, n) * 1.0
    if kind != "two":
        loss = rng.exponential(size=n)
        loss[:9] *= 3.0
    weights = rng.uniform(0.5, 2.0, n) if kind == "weights" else None
    groups = np.arange(n) // 3 if kind == "clusters" else np.arange(n) // 50
    rows = RowLosses.of(loss, weights, groups if "clusters" in kind else None)
    columns = columns_of(n)[:2]
    family = Family(columns, np.arange(n), 2, 4)
    statistics = Statistics(family, rows)
    inside = masks(family, columns, np.arange(n))
    flat = np.concatenate([block.ravel() for block in statistics.observed()])
    assert len(flat) == len(inside) == family.n_rows.size
    expected = [
        statistic(rows, each) * kept for each, kept in zip(inside, family.is_kept, strict=True)
    ]
    assert flat == pytest.approx(np.array(expected), rel=1e-9, abs=1e-12)
    shapes = [block.n_rows.shape for block in family.blocks]
    assert [block.shape for block in statistics.observed()] == shapes
    values = np.concatenate([rows.moved[None].astype(rows._values().dtype), drawn(rows, 4)])
    largest = statistics.largest(values)
    assert largest[0] == pytest.approx(max(0.0, *expected), rel=1e-9)
    for top, each in zip(largest, values.astype(float), strict=True):
        z = [0.0]
        for one, observed in zip(inside, expected, strict=True):
            m, spreads = one.sum(), [spread(each[one]), spread(each[~one])]
            excess, share = each[one].sum() - m / n * each.sum(), m / n
            if not observed:
                continue
            if "clusters" in kind:
                # The error is that of the observed rows.
                z.append(excess / (rows.moved[one].sum() - share * rows.moved.sum()) * observed)
                continue
            variance = float(rows.moved.var())
            if kind != "two":
                variance = max(variance, (1.0 - share) * spreads[0] + share * spreads[1])
            z.append(excess / math.sqrt(variance * m * (n - m) / (n - 1)))
        assert top == pytest.approx(max(z), rel=1e-9)


def test_statistics_of_two_rows_are_one_and_minus_one() -> None:
    """Of losses all alike, and of one row, they are 0."""
    two = column_of_values("c", np.arange(2), list("ab"), 1)
    family = Family([two], np.arange(2), 1, 1)
    (z,) = Statistics(family, RowLosses.of(np.array([1.0, 0.0]))).observed()
    assert z.tolist() == [[1.0, -1.0]]
    alone = RowLosses.of(np.array([1.0]))
    one = column_of_values("c", np.array([0]), ["a"], 1)
    with np.errstate(all="raise"):
        assert Statistics(Family([one], np.arange(1), 1, 1), alone).observed()[0] == 0.0
    none = np.zeros(0)
    assert statistic(RowLosses.of(none), none > 0.0) == 0.0
    same = Statistics(family, RowLosses.of(np.ones(2)))
    assert same.observed()[0].tolist() == [[0.0, 0.0]]
    assert same.largest(np.ones((3, 2), np.uint8)).tolist() == [0.0] * 3


def test_many_numbers_are_cut_into_twenty_parts_of_equal_size() -> None:
    """Each ends at a number; ranges between two limits are of every fourth."""
    for n, missing in ((200, 0), (97, 5), (7, 1), (2, 0)):
        numbers = np.random.default_rng(n).permutation(n) // 2 * 1.0
        held = sorted(numbers[missing:])
        numbers[:missing] = np.nan
        cuts = sorted({held[max(math.ceil(len(held) * i / 20) - 1, 0)] for i in range(1, 20)})
        cuts = [cut for cut in cuts if cut < held[-1]]
        of = column_of_numbers("x", np.empty(0), ["none"], numbers, are_few=False)
        k = len(cuts) + 1
        codes = [k if x != x else sum(cut < x for cut in cuts) for x in numbers]
        assert of.codes.tolist() == codes
        assert (of.n_ordered, of.n_parts) == (k, k + (missing > 0))
        assert of.keys == ("",) * k + ("none",) * (missing > 0)
        inner = sorted({round(k * i / 5) for i in range(1, 5)} - {0, k})
        spans = [(0, i) for i in range(1, k)] + [(i, k) for i in range(1, k)]
        spans = sorted({*spans, *itertools.combinations(inner, 2)}) + [(k, k + 1)] * (missing > 0)
        assert of.spans.tolist() == [list(span) for span in spans]
        assert (of.name, of.numbers is numbers) == ("x", True)


def test_each_of_few_numbers_is_a_slice_and_every_range_from_an_end() -> None:
    """Rows without a number are one, too, with the last key."""
    for has_missing in (False, True):
        numbers = np.array([3.0, 1.0, 2.0, 1.0, math.nan if has_missing else 2.0])
        codes = np.array([2, 0, 1, 0, 3 if has_missing else 1])
        keys = ["1", "2", "3", "none"][: 3 + has_missing]
        of = column_of_numbers("x", codes, keys, numbers, are_few=True)
        spans = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], *[[3, 4]] * has_missing]
        assert of.spans.tolist() == spans
        assert of.codes.tolist() == codes.tolist()
        assert (of.keys, of.n_ordered, of.n_parts) == (tuple(keys), 3, 3 + has_missing)
    one = column_of_numbers("x", codes[:1] * 0, ["3"], numbers[:1], are_few=True)
    assert one.spans.tolist() == [[0, 1]]


def test_values_of_too_few_rows_are_in_no_slice() -> None:
    """From `min_n` on, a value is one."""
    of = column_of_values("c", np.array([0, 2, 2, 1, 0, 0, 3]), list("wxyz"), 2)
    assert (of.keys, of.n_parts, of.n_ordered) == (("w", "y"), 2, 0)
    assert of.codes.tolist() == [0, 1, 1, 2, 0, 0, 2]
    assert of.spans.tolist() == [[0, 1], [1, 2]]


def test_a_column_with_values_and_numbers_keeps_both_when_it_is_coarse() -> None:
    """Seven parts in order become five, and two others stay as they are."""
    spans = np.array([[0, 1]])
    of = SearchColumn("x", np.arange(10, dtype=np.int32), 9, spans, (), None, 7)
    made, begins = of.coarse()
    assert begins.tolist() == [0, 1, 3, 4, 6, 7, 8, 9]
    assert made.codes.tolist() == [0, 1, 1, 2, 3, 3, 4, 5, 6, 7]
    assert (made.n_parts, made.n_ordered) == (7, 5)
    ranges = sorted([a, b] for a in range(5) for b in range(a + 1, 6) if b - a < 5)
    assert made.spans.tolist() == [*ranges, [5, 6], [6, 7]]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_family_is_every_cross_of_its_columns(depth: int) -> None:
    """Counts of all slices, and which are examined, by a loop; sums of values by another."""
    n = 130
    columns = columns_of(n)
    rows = np.flatnonzero(np.arange(n) % 10)
    given = [columns[i] for i in ([0, 1, 2, 3, 4] if depth < 3 else [1, 2, 3, 4])]
    family = Family(given, rows, depth, 4)
    single = range(len(given))
    crossed = [i for i in single if given[i].name != "o"]
    deep = [i for i in crossed if given[i].name != "m"]
    crosses = [(i,) for i in single]
    crosses += list(itertools.combinations(crossed, 2)) * (depth > 1)
    crosses += list(itertools.combinations(deep, 3)) * (depth > 2)
    assert [block.columns for block in family.blocks] == crosses
    inside = np.array(masks(family, given, rows))
    counts = inside.sum(axis=1)
    assert family.n_rows.tolist() == counts.tolist()
    assert family.n == len(rows)
    start = 0
    for block in family.blocks:
        assert [len(spans) for spans in block.spans] == [len(given[i].spans) for i in block.columns]
        least = np.array([
            min([len(rows)] if len(block.columns) != 2 else [
                int(((given[c].codes[rows] >= a) & (given[c].codes[rows] < b)).sum())
                for c, (a, b) in zip(block.columns, spans, strict=True)
            ]) for spans in itertools.product(*block.spans)
        ])  # fmt: skip
        here = counts[start : start + len(least)]
        assert block.is_kept.ravel().tolist() == ((here >= 4) & (here < least)).tolist()
        assert block.n_rows.shape[1] == len(block.spans[-1])
        start += len(least)
    assert start == len(counts)
    kept = np.concatenate([block.is_kept.ravel() for block in family.blocks])
    assert family.is_kept.tolist() == kept.tolist()
    assert family.size == kept.sum() > 0
    values = np.random.default_rng(0).normal(size=(2, len(rows)))
    assert family.sums(values) == pytest.approx(values @ inside.T, rel=1e-9, abs=1e-12)
    some = np.array([3, 50, 4, 99])
    expected = values[:, :4] @ inside[:, some].T
    assert family.sums(values[:, :4].copy(), some) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    blocks = family.by_block(counts)
    assert np.concatenate([each.ravel() for each in blocks]).tolist() == counts.tolist()
    assert [each.shape for each in blocks] == [block.n_rows.shape for block in family.blocks]


def test_columns_of_many_values_or_of_one_are_not_crossed() -> None:
    """Up to 50 values; and up to 20 with two other columns."""
    rows = np.arange(204)
    two = column_of_values("c", rows // 102, list("ab"), 1)
    for k, n_crosses in ((1, 1), (2, 3), (50, 3), (51, 1)):
        of = column_of_values("k", rows % k, [f"{i}" for i in range(k)], 1)
        assert len(Family([two, two, of], rows, 2, 1).blocks) == 3 + n_crosses
    for k, n_crosses in ((20, 1), (21, 0)):
        of = column_of_values("k", rows % k, [f"{i}" for i in range(k)], 1)
        assert len(Family([two, two, of], rows, 3, 1).blocks) == 6 + n_crosses
    empty = column_of_values("e", rows, [f"{i}" for i in rows], 2)
    assert (empty.n_parts, len(Family([two, empty], rows, 2, 1).blocks)) == (0, 2)


def test_slices_of_one_row_are_the_smallest() -> None:
    """Also with a least number of 0."""
    of = column_of_values("c", np.array([0, 1, 1, 2]), list("abcd"), 0)
    assert Family([of], np.arange(4), 1, 0).is_kept.tolist() == [True, True, True, False]
    assert Family([of], np.arange(4), 1, 2).is_kept.tolist() == [False, True, False, False]


def test_a_place_in_a_block_is_its_runs() -> None:
    """The last column runs fastest."""
    first, second = np.array([[0, 1], [1, 4]]), np.array([[0, 2], [1, 2], [2, 3]])
    block = Block((3, 5), (first, second), np.zeros((2, 3)), np.ones((2, 3), bool))
    assert block.spans_at(4) == ((3, 1, 4), (5, 1, 2))
    assert block.spans_at(2) == ((3, 0, 1), (5, 2, 3))


def weak(**given: Any) -> WeakSlice:
    """Rows of one value above a number."""
    usual: dict[str, Any] = {
        "columns": ("country", "age"), "key": ("NO", "> 70"), "limits": (None, (70.0, None)),
        "n_rows": 1200, "n_all": 1200, "value": 0.5, "rest": 0.125, "z": 4.5, "p": 0.01,
        "value_all": 0.25,
    }  # fmt: skip
    return WeakSlice(**{**usual, **given})


def found(*slices: WeakSlice, **given: Any) -> WeakSlices:
    usual: dict[str, Any] = {"n_tested": 2345, "n_explained": 0, "level": 0.95, "p": 0.01}
    return WeakSlices(slices, **{**usual, "n_permutations": 199, "seed": 3, **given})


def test_a_weak_slice_has_a_name_and_a_record() -> None:
    """Ranges between two numbers are in them; ids are there if they were given."""
    one = weak()
    assert one.name == "country = NO, age > 70"
    assert (one.loss, one.difference) == (0.5, 0.375)
    both = weak(columns=("age",), key=("(5, 70]",), limits=((5.0, 70.0),), ids=("a", "b"))
    assert both.name == "age in (5, 70]"
    expected = {
        "name": one.name, "columns": ["country", "age"], "key": ["NO", "> 70"],
        "limits": [None, [70.0, None]], "n_rows": 1200, "n_all": 1200, "value": 0.5, "rest": 0.125,
        "value_all": 0.25, "difference": 0.375, "z": 4.5, "p": 0.01,
    }  # fmt: skip
    assert one.to_dict() == expected
    assert both.to_dict()["ids"] == ["a", "b"]


def test_weak_slices_are_a_table_and_a_record() -> None:
    """A p-value that no permutation passes is a bound."""
    one = weak(key=("N", "> 7"), n_rows=900, p=0.005)
    two = weak(columns=("c",), key=("x",), limits=(None,), rest=math.nan)
    all_ = found(one, two, left_out={"id": "It holds ids."}, notes=("A note.",), n_explained=1)
    assert (len(all_), list(all_), all_.depth, all_.doubts) == (2, [one, two], 2, ())
    assert all_.rows() == [
        ("slice", "rows", "error", "whole slice", "rest", "difference", "p"),
        ("country = N, age > 7", "900 of 1,200", "0.5000", "0.2500", "0.1250", "+0.3750", "<0.005"),
        ("c = x", "1,200", "0.5000", "0.2500", "undefined", "undefined", "0.01"),
    ]  # fmt: skip
    lines = str(all_).split("\n")
    assert lines[0] == (
        "slice                         rows   error  whole slice       rest  difference       p"
    )
    second = (
        "c = x                        1,200  0.5000       0.2500  undefined   undefined    0.01"
    )
    assert lines[2] == second
    above = "Rows of slices above are left out of later slices"
    assert lines[3:] == [
        "2,345 slices were tested; 1 more are weak only because they share rows with these.",
        f"{above}: 'error' is that of the other rows, 'whole slice' that of all.",
        "Note: A note.",
        "Not searched: id: It holds ids.",
    ]
    record = all_.to_dict()
    assert [each["name"] for each in record["slices"]] == [one.name, two.name]
    assert record["slices"][0] == one.to_dict()
    assert (record["depth"], record["notes"], record["left_out"]) == (2, ["A note."], all_.left_out)
    whole = found(two, measure="loss")
    assert whole.rows()[0] == ("slice", "rows", "loss", "rest", "difference", "p")
    assert len(whole.rows()[1]) == 6
    assert str(whole).split("\n")[2:] == ["2,345 slices were tested."]


def test_no_weak_slice_is_told_with_its_p_value() -> None:
    """And without any slice, why."""
    assert str(found(p=0.25)) == "No weak slice among 2345 (p = 0.25)."
    none = "No slice was tested: there is no column to search, or every slice is too small."
    assert str(found(n_tested=0)) == none


def test_limits_have_few_digits_that_separate_the_numbers() -> None:
    """From the limit to below the next number: it, their middle or the next, if rounded there."""
    for limit, above, short in (
        (69.7, 70.4, 70.0), (0.1234, 0.1241, 0.124), (5.0, 6.0, 5.0), (1.49, 1.51, 1.5),
        (math.pi, None, math.pi), (1.0, math.nextafter(1.0, 2.0), 1.0), (4.9, 5.0, 4.9),
        (-0.33, -0.28, -0.3), (0.8, 2.6, 0.8), (1.7, 2.0, 1.7), (1e308, 1.7e308, 1e308),
        (7.1, 8.9, 8.0), (math.pi, math.nextafter(math.pi, 4.0), math.pi),
    ):  # fmt: skip
        assert _shortest(limit, above) == short, (limit, above)
    # 0.30000000000000004 with sixteen digits is 0.3, below the limit; the middle is not.
    assert _shortest(0.1 + 0.2, 0.30000000000000016) == 0.3000000000000001
    assert limits_of(Range(69.7, None, (70.4, None))) == ((70.0, None), "> 70")
    assert limits_of(Range(None, 0.1234, (None, 0.1241))) == ((None, 0.124), "≤ 0.124")
    assert limits_of(Range(1.49, 69.7, (1.51, 70.4))) == ((1.5, 70.0), "(1.5, 70]")


def test_whole_numbers_are_written_without_a_point() -> None:
    """Up to 10¹⁶, of either sign; larger ones and fractions as Python writes them."""
    for number, text in ((70.0, "70"), (-3.0, "-3"), (0.5, "0.5"), (1e16, "1e+16"),
                         (-1e16, "-1e+16"), (9999999999999998.0, "9999999999999998"),
                         (1e300, "1e+300"),
                         (-1e300, "-1e+300"), (2.25, "2.25"), (0.0, "0")):  # fmt: skip
        assert _text(number) == text
