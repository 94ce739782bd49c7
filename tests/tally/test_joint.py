"""`JointCells`: what merges, what is lost to one model, and bytes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from karat.errors import KaratError
from karat.tally import Classes, JointCells
from karat.tally.joint import _inconsistency

THREE = Classes.of(["ant", "bee", "cat"])
NAMES = ["x", "y"]


def rows(seed: int, n: int, k: int = 3, m: int = 2) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), [rng.integers(0, k, n) for _ in range(m)]


def same(left: JointCells, right: JointCells) -> bool:
    return (
        np.array_equal(left.codes, right.codes)
        and np.allclose(left.counts, right.counts, rtol=1e-14)
        and left.n_rows == right.n_rows
        and (left.squares is None) == (right.squares is None)
        and (left.squares is None or np.allclose(left.squares, right.squares, rtol=1e-14))
    )


@pytest.mark.parametrize("is_weighted", [False, True])
def test_merge_equals_concatenation_in_any_order(is_weighted: bool) -> None:
    true, said = rows(0, 90)
    w = np.random.default_rng(1).random(90) if is_weighted else None

    def part(at: slice) -> JointCells:
        weights = None if w is None else w[at]
        return JointCells.of(THREE, NAMES, true[at], [column[at] for column in said], weights)

    whole, parts = part(slice(None)), [part(slice(i, i + 30)) for i in (0, 30, 60)]
    for first, second, third in itertools.permutations(parts):
        assert same(first.merge(second).merge(third), whole)
        assert same(first.merge(second.merge(third)), whole)
    assert whole.counts.dtype == (np.float64 if is_weighted else np.int64)


def test_the_cells_of_a_model_are_those_counted_alone() -> None:
    true, said = rows(2, 200)
    joint = JointCells.of(THREE, NAMES, true, said)
    for model, column in enumerate(said):
        table = np.zeros((3, 3), np.int64)
        np.add.at(table, (true, column), 1)
        assert joint.cells(model).matrix().tolist() == table.tolist()


@pytest.mark.parametrize(("k", "m"), [(3, 2), (40, 4), (1000, 9)])
def test_counted_and_sorted_cells_are_the_same(k: int, m: int) -> None:
    true, said = rows(3, 300, k, m)
    joint, place = JointCells.placed(Classes.of(range(k)), list("abcdefghi")[:m], true, said)
    tuples, counts = np.unique(np.stack([true, *said]), axis=1, return_counts=True)
    assert np.array_equal(joint.codes, tuples)
    assert np.array_equal(joint.counts, counts)
    assert np.array_equal(joint.codes[:, place], np.stack([true, *said]))


def test_fewer_rows_than_models_are_as_many_cells() -> None:
    one = JointCells.of(THREE, list("vwxyz"), [2], [[c] for c in (0, 1, 2, 2, 2)], [0.5])
    assert one.codes.T.tolist() == [[2, 0, 1, 2, 2, 2]]
    assert (one.counts.tolist(), one.n_rows) == ([0.5], 1)
    assert one.squares is not None
    assert one.squares.tolist() == [0.25]
    assert one.merge(one).counts.tolist() == [1.0]


def test_the_tally_of_some_models_is_that_of_their_columns() -> None:
    true, said = rows(4, 150, m=3)
    joint = JointCells.of(THREE, ["x", "y", "z"], true, said)
    assert same(joint.of_models([2, 0]), JointCells.of(THREE, ["z", "x"], true, [said[2], said[0]]))


@pytest.mark.parametrize("is_weighted", [False, True])
def test_bytes_hold_the_whole_tally(is_weighted: bool) -> None:
    true, said = rows(5, 50)
    w = np.linspace(0.1, 2, 50) if is_weighted else None
    joint = JointCells.of(THREE, NAMES, true, said, w)
    again = JointCells.from_bytes(joint.to_bytes())
    assert same(again, joint)
    assert (again.classes, again.names) == (joint.classes, joint.names)
    for cut in (3, 40, len(joint.to_bytes()) - 1):
        with pytest.raises(KaratError, match="K205"):
            JointCells.from_bytes(joint.to_bytes()[:cut])


def test_tallies_of_other_models_classes_or_weights_are_not_merged() -> None:
    true, said = rows(6, 20)
    joint = JointCells.of(THREE, NAMES, true, said)
    others = {
        "K201": JointCells.of(Classes.of(["ant", "bee", "dog"]), NAMES, true, said),
        "K202": JointCells.of(THREE, ["y", "x"], true, said),
        "K203": JointCells.of(THREE, NAMES, true, said, np.ones(20)),
    }
    for code, other in others.items():
        with pytest.raises(KaratError, match=code):
            joint.merge(other)


@pytest.mark.parametrize("code", [-1, 3])
def test_a_cell_outside_of_the_classes_is_refused(code: int) -> None:
    joint = JointCells.of(THREE, NAMES, *rows(3, 20))
    codes = joint.codes.copy()
    codes[1, 0 if code < 0 else -1] = code
    with pytest.raises(KaratError, match="A cell lies outside the classes"):
        JointCells.from_bytes(replace(joint, codes=codes).to_bytes())


@pytest.mark.parametrize(("k", "storage"), [(64, "dense"), (65, "sparse")])
def test_cells_of_many_classes_are_listed(k: int, storage: str) -> None:
    true, said = rows(4, 200, k)
    joint = JointCells.of(Classes.of([str(i) for i in range(k)]), NAMES, true, said)
    assert joint.cells(0).storage == storage


def test_a_number_of_rows_below_nothing_is_named() -> None:
    true, said = rows(0, 9)
    joint = JointCells.of(THREE, NAMES, true, said, np.ones(9))
    assert _inconsistency(joint) is None
    assert _inconsistency(replace(joint, n_rows=-1)) == "The number of rows is negative"


@pytest.mark.parametrize(
    "weights",
    [[0.5, 0.5, 1.0], [1.5, 1.5, 2.0], [0.5, 0.5, 0.5], [2.0**0.5, 1.0, 1.0]],
    ids=["one whole cell and one of halves", "halves", "half a row", "a root"],
)
def test_weights_that_only_add_up_to_whole_numbers_are_no_rows(weights: list[float]) -> None:
    joint = JointCells.of(THREE, NAMES, [0, 0, 1], [[0, 0, 1], [1, 1, 1]], weights)
    with pytest.raises(KaratError, match="K150"):
        joint.counted_as_rows()


def test_whole_weights_are_as_many_rows() -> None:
    joint = JointCells.of(THREE, NAMES, [0, 0, 1], [[0, 0, 1], [1, 1, 1]], [1.0, 2.0, 4.0])
    rows = joint.counted_as_rows()
    assert (rows.counts.tolist(), rows.n_rows, rows.squares) == ([3, 4], 7, None)
    assert rows.counts.dtype == np.int64
