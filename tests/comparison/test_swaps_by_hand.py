"""Swaps of rows between two models against loops over rows that draw the same coins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from karat.inference.comparison import swaps
from karat.inference.comparison.swaps import swap_p_values
from karat.metrics import get
from karat.tally import Cells, Classes, JointCells

Value = Callable[[Any, Any], float]


def value_of(name: str, k: int, *, are_occurring: bool = False, policy: Any = "zero") -> Value:
    """The metric of labels, of all classes or of those that occur."""

    def value(true: Any, pred: Any) -> float:
        places = np.union1d(true, pred) if are_occurring else np.arange(k)
        table = np.zeros((len(places), len(places)), np.int64)
        np.add.at(table, (np.searchsorted(places, true), np.searchsorted(places, pred)), 1)
        cells = Cells.dense(table, classes=Classes.of(range(len(places))))
        return float(get(name).values(cells, policy).value)

    return value


def by_hand(
    true: Any, a: Any, b: Any, value: Value, n: int, seed: int, many: int = 65_536
) -> float:
    """(1 + replicates with at least the difference seen) ÷ (1 + n).

    Cells of rows with the same labels stand in the order of true class and predictions, of the
    model first whose predictions come first; the rows of a cell that are exchanged are the heads
    of as many coins. With many cells those of one row come first, and take a bit each.
    """
    orders = []
    for first, second in ((a, b), (b, a)):
        cells, counts = np.unique(
            np.stack([true, first, second], axis=1), axis=0, return_counts=True
        )
        orders.append((cells.T.tolist(), counts.tolist()))
    (codes, counts) = min(orders)
    t, first, second = (np.repeat(each, counts) for each in codes)
    cell = np.repeat(np.arange(len(counts)), counts)
    differing = [i for i in range(len(counts)) if codes[1][i] != codes[2][i]]
    n_bits = 0
    if len(differing) > many:
        differing.sort(key=lambda i: counts[i])
        n_bits = sum(counts[i] == 1 for i in differing)
    coins = np.array([counts[i] for i in differing], np.int64)
    bits, heads = swaps._heads(np.random.default_rng(seed), coins, n_bits, n)
    heads = np.hstack([np.unpackbits(bits, axis=1)[:, :n_bits], heads])

    def apart(exchanged: Any) -> float:
        left, right = first.copy(), second.copy()
        for i, count in zip(differing, exchanged, strict=True):
            at = np.flatnonzero(cell == i)[:count]
            left[at], right[at] = right[at], left[at]
        one, other = value(t, left), value(t, right)
        return 0.0 if one == other else abs(one - other)

    seen = apart([0] * len(differing))
    least = seen * (1.0 - 1e-12) - 1e-12
    beyond = sum(apart(row) >= least for row in heads.astype(int))
    return float((1 + beyond) / (1 + n))


def labels(k: int, n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < error, rng.integers(0, k, n), true) for error in (0.25, 0.5))
    return true, a, b


def joint(k: int, true: Any, a: Any, b: Any) -> JointCells:
    return JointCells.of(Classes.of(range(k)), ["a", "b"], true, [a, b])


TOTALS = ["macro_f1", "accuracy", "macro_specificity"]
CELLS = ["kappa", "matthews_correlation", "kappa_quadratic"]
ODDS = ["macro_diagnostic_odds_ratio"]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("names", [TOTALS[:1], TOTALS[2:], TOTALS, CELLS, ODDS, [*TOTALS, *CELLS]])
def test_swaps_of_labels_by_a_loop(names: list[str], seed: int) -> None:
    """All metrics see the same replicates, whatever they read of the tables."""
    true, a, b = labels(3, 30, seed)
    found, n_drawn = swap_p_values(joint(3, true, a, b), [get(x) for x in names], 30, seed)
    wanted = [by_hand(true, a, b, value_of(name, 3), 30, seed) for name in names]
    assert n_drawn == 30
    assert found == pytest.approx(wanted, rel=1e-12)
    turned, _ = swap_p_values(joint(3, true, b, a), [get(x) for x in names], 30, seed)
    assert turned == found


@pytest.mark.parametrize("k", [64, 65])
def test_swaps_of_many_classes_by_a_loop(k: int) -> None:
    """Tables of more than 64 classes list their cells."""
    true, a, b = labels(k, 40)
    names = ["kappa", "kappa_linear", "macro_f1"]
    found, _ = swap_p_values(joint(k, true, a, b), [get(x) for x in names], 12, 3)
    wanted = [by_hand(true, a, b, value_of(name, k), 12, 3) for name in names]
    assert found == pytest.approx(wanted, rel=1e-12)


def rare() -> tuple[Any, Any, Any]:
    """Class 2 has one true row, 4 and 5 are only predicted, and 6 occurs nowhere."""
    true = np.array([0, 0, 0, 0, 1, 1, 1, 2, 3, 3])
    a, b = np.array([0, 0, 0, 4, 1, 1, 5, 2, 3, 3]), np.array([0, 1, 0, 0, 1, 4, 1, 1, 3, 0])
    return true, a, b


@pytest.mark.parametrize("are_occurring", [False, True])
@pytest.mark.parametrize(
    "names",
    [["macro_f1"], ["kappa_quadratic"], ["kappa"], ["macro_specificity"],
     ["macro_f1", "kappa_quadratic", "kappa", "macro_specificity", "accuracy"]],
)  # fmt: skip
def test_swaps_of_classes_that_occur_by_a_loop(names: list[str], are_occurring: bool) -> None:
    """Each side of a replicate has the classes that are true or predicted there."""
    true, a, b = rare()
    metrics = [get(name) for name in names]
    found, _ = swap_p_values(joint(7, true, a, b), metrics, 50, 5, are_occurring=are_occurring)
    values = [value_of(name, 7, are_occurring=are_occurring) for name in names]
    assert found == pytest.approx([by_hand(true, a, b, value, 50, 5) for value in values])
    if are_occurring and names == ["macro_f1"]:
        every, _ = swap_p_values(joint(7, true, a, b), metrics, 50, 5)
        assert every != found


def test_swaps_of_many_classes_that_occur_by_a_loop() -> None:
    true, a, b = (10 * each for each in rare())
    names = ["kappa_quadratic", "macro_f1"]
    found, _ = swap_p_values(
        joint(70, true, a, b), [get(x) for x in names], 20, 5, are_occurring=True
    )
    values = [value_of(name, 70, are_occurring=True) for name in names]
    assert found == pytest.approx([by_hand(true, a, b, value, 20, 5) for value in values])


def test_where_very_many_cells_differ_those_of_one_row_take_a_bit_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    true, a, b = labels(4, 60, 3)
    names = [get("macro_f1"), get("kappa")]
    n_cells = len(np.unique(np.stack([true, a, b])[:, a != b], axis=1).T)
    assert n_cells > 9
    for many in (3, n_cells - 1, n_cells):
        monkeypatch.setattr(swaps, "_MANY", many)
        found, _ = swap_p_values(joint(4, true, a, b), names, 30, 9)
        values = value_of("macro_f1", 4), value_of("kappa", 4)
        assert found == pytest.approx([by_hand(true, a, b, each, 30, 9, many) for each in values])


def test_blocks_of_replicates_see_the_same_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other; the last block is smaller."""
    true, a, b = labels(3, 30)
    whole = swap_p_values(joint(3, true, a, b), [get("macro_f1")], 25, 4)
    for block in (1, 9 * 10, 9 * 24):
        monkeypatch.setattr(swaps, "_BLOCK", block)
        assert swap_p_values(joint(3, true, a, b), [get("macro_f1")], 25, 4) == whole


def test_as_many_replicates_as_time_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws ÷ differing cells, at least 499, at most as many as asked."""
    true, a, b = labels(3, 30)
    n_cells = len(np.unique(np.stack([true, a, b])[:, a != b], axis=1).T)
    pair, metrics = joint(3, true, a, b), [get("accuracy")]
    for most, asked, drawn in (
        (n_cells * 600, 700, 600),
        (n_cells * 600 - 1, 700, 599),
        (n_cells * 600, 500, 500),
        (n_cells * 10, 700, 499),
        (n_cells * 10, 300, 300),
    ):
        monkeypatch.setattr(swaps, "_MOST_DRAWS", most)
        found, n_drawn = swap_p_values(pair, metrics, asked, 0)
        assert n_drawn == drawn
        assert found[0] * (drawn + 1) == pytest.approx(round(found[0] * (drawn + 1)))


def test_models_that_say_the_same_are_never_told_apart() -> None:
    true, a, _ = labels(3, 30)
    assert swap_p_values(joint(3, true, a, a), [get("macro_f1")], 30, 0) == ([1.0], 30)


def test_two_endless_values_do_not_differ() -> None:
    """A diagnostic odds ratio without a false alarm is infinite for both."""
    true = np.array([0, 0, 0, 1, 1, 1, 1])
    a, b = np.array([0, 0, 0, 1, 1, 1, 0]), np.array([0, 0, 0, 1, 0, 0, 0])
    pair = JointCells.of(Classes.of([0, 1]), ["a", "b"], true, [a, b])
    name = "macro_diagnostic_odds_ratio"
    value = value_of(name, 2, policy="nan")
    found, _ = swap_p_values(pair, [get(name)], 30, 0, "nan")
    assert value(true, a) == value(true, b) == np.inf
    assert found == [1.0]


def test_heads_of_few_coins_are_bits_of_a_word() -> None:
    """Of n coins the last n bits of a word of 64 count."""
    coins = np.array([1, 5, 63, 64])
    bits, heads = swaps._heads(np.random.default_rng(3), coins, 0, 6)
    rng = np.random.default_rng(3)
    rng.integers(0, 256, (6, 0), np.uint8)
    words = rng.integers(0, 2**64 - 1, (6, 4), np.uint64, endpoint=True)
    wanted = [
        [(int(word) & ((1 << int(n)) - 1)).bit_count() for word, n in zip(row, coins, strict=True)]
        for row in words
    ]
    assert bits.shape == (6, 0)
    assert heads.tolist() == wanted


@pytest.mark.parametrize(("n_bits", "n_bytes"), [(1, 1), (8, 1), (9, 2), (16, 2), (17, 3)])
def test_single_coins_take_a_bit_each(n_bits: int, n_bytes: int) -> None:
    coins = np.concatenate([np.ones(n_bits, int), [3, 70]])
    bits, heads = swaps._heads(np.random.default_rng(0), coins, n_bits, 400)
    assert (bits.shape, bits.dtype) == ((400, n_bytes), np.uint8)
    assert heads.shape == (400, 2)
    assert heads.mean(axis=0) == pytest.approx([1.5, 35.0], rel=0.08)
    assert np.unpackbits(bits, axis=1).mean() == pytest.approx(0.5, abs=0.05)
    assert bits.max() > 240
    many, _ = swaps._heads(np.random.default_rng(0), coins, n_bits, 4000)
    assert (int(many.min()), int(many.max())) == (0, 255)
    assert heads[:, 0].max() == 3
    assert heads[:, 1].std() == pytest.approx(np.sqrt(70) / 2, rel=0.15)
