"""Swaps of joint cells: each row is exchanged with chance one half, whatever the cells hold."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from karat.inference.comparison import swaps
from karat.metrics import get
from karat.metrics._metric import values_together
from karat.tally import Cells, Classes, JointCells
from tests.comparison.data import drawn

COINS = np.array([1, 2, 7, 63, 64, 65, 900])


def test_heads_are_binomial_for_few_and_for_many_coins() -> None:
    bits, heads = swaps._heads(np.random.default_rng(0), COINS, 0, 20_000)
    assert bits.size == 0
    assert heads.mean(axis=0) == pytest.approx(COINS / 2, rel=0.02)
    assert heads.var(axis=0) == pytest.approx(COINS / 4, rel=0.05)
    assert ((heads >= 0) & (heads <= COINS)).all()
    assert heads[:, 0].max() == 1


def test_the_p_value_of_the_right_rows_is_that_of_coins() -> None:
    # 8 rows on which one alone is right, 1 to 7: 2 · (1 + 8) ÷ 2⁸.
    true = np.zeros(21, int)
    a, b = np.zeros(21, int), np.zeros(21, int)
    a[:1], b[1:8] = 1, 1
    pair = JointCells.of(Classes.of([0, 1]), ["a", "b"], true, [a, b])
    (p,), n_drawn = swaps.swap_p_values(pair, [get("accuracy")], 20_000, [0])
    assert n_drawn == 20_000
    assert p == pytest.approx(18 / 256, abs=0.006)


def test_fewer_replicates_are_drawn_where_many_cells_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    true, said = drawn(0, 300)
    pair = JointCells.of(Classes.of(range(5)), ["a", "b"], true, said)
    monkeypatch.setattr(swaps, "_MOST_DRAWS", 10_000)
    _, n_drawn = swaps.swap_p_values(pair, [get("kappa")], 20_000, [0])
    assert n_drawn == 499
    _, n_drawn = swaps.swap_p_values(pair, [get("kappa")], 200, [0])
    assert n_drawn == 200


def test_the_same_draws_are_made_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    true, said = drawn(1, 60)
    pair = JointCells.of(Classes.of(range(5)), ["a", "b"], true, said)
    whole = swaps.swap_p_values(pair, [get("macro_f1")], 500, [3])
    monkeypatch.setattr(swaps, "_BLOCK", 1)
    assert swaps.swap_p_values(pair, [get("macro_f1")], 500, [3]) == whole


@pytest.mark.parametrize("k", [3, 70])
def test_values_computed_together_are_those_of_each_metric(k: int) -> None:
    # Tables of many classes list their cells.
    counts = np.random.default_rng(k).integers(0, 4, (5, k * k))
    rows, cols = np.divmod(np.arange(k * k), k)
    classes = Classes.of(range(k))
    batch = Cells.sparse(rows, cols, counts, classes=classes)
    if k == 3:
        batch = Cells.dense(counts.reshape(5, k, k), classes=classes)
    asked = [
        "macro_f_beta(beta=2)",
        "macro_f_beta(beta=0.5)",
        "kappa_quadratic",
        "mutual_information",
    ]
    asked += ["macro_f1", "normalized_mutual_information", "matthews_correlation", "accuracy"]
    metrics = [get(name) for name in asked]
    found = values_together(metrics, batch, "zero")
    for metric, values in zip(metrics, found, strict=True):
        assert (values == metric.values(batch, "zero").value).all(), metric
    assert len({values.tobytes() for values in found}) == len(metrics)


def f1_of_occurring(true: np.ndarray, pred: np.ndarray) -> float:
    """Mean F1 of the classes that are true or predicted."""
    return float(
        np.mean(
            [
                2.0 * ((true == c) & (pred == c)).sum() / ((true == c).sum() + (pred == c).sum())
                for c in np.union1d(true, pred)
            ]
        )
    )


def test_swaps_of_occurring_classes_are_those_of_every_choice() -> None:
    # Class 2 has one true row, 4 and 5 are only predicted, and 6 occurs nowhere.
    true = np.array([0, 0, 0, 0, 1, 1, 1, 2, 3, 3])
    a, b = np.array([0, 0, 0, 4, 1, 1, 5, 2, 3, 3]), np.array([0, 1, 0, 0, 1, 4, 1, 1, 3, 0])
    seen = abs(f1_of_occurring(true, a) - f1_of_occurring(true, b))
    beyond, differing = [], np.flatnonzero(a != b)
    for swapped in itertools.product([False, True], repeat=len(differing)):
        left, right, at = a.copy(), b.copy(), differing[list(swapped)]
        left[at], right[at] = b[at], a[at]
        found = abs(f1_of_occurring(true, left) - f1_of_occurring(true, right))
        beyond.append(found >= seen - 1e-12)
    pair = JointCells.of(Classes.of(range(7)), ["a", "b"], true, [a, b])
    (p,), _ = swaps.swap_p_values(pair, [get("macro_f1")], 8000, [0], are_occurring=True)
    assert p == pytest.approx(np.mean(beyond), abs=0.02)
