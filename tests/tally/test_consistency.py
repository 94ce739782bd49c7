"""What a tally read from elsewhere may not say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from karat._native import count_codes
from karat.errors import KaratError
from karat.tally import (
    Cells,
    Classes,
    from_bytes,
    inconsistency,
    merge,
    reorder,
    to_bytes,
    to_marginals,
    to_sparse,
    union,
)
from karat.tally.serialization import wrong_squares

AB, ABC = Classes.of(["a", "b"]), Classes.of(["a", "b", "c"])
COUNTS = Cells.dense([[3, 1, 0], [2, 4, 1], [0, 0, 7]], classes=ABC)
WEIGHED = Cells.dense(
    [[3.5, 0.1], [2.0, 4.0]], classes=AB, squares=[[6.5, 0.01], [2.0, 4.0]], n_rows=9
)
TOTALS = to_marginals(WEIGHED)
HUGE = 2**62

SOUND = {
    "counts": COUNTS,
    "weighed": WEIGHED,
    "no positive class": replace(WEIGHED, classes=Classes(("a", "b"))),
    "sparse": to_sparse(COUNTS),
    "totals": to_marginals(COUNTS),
    "weighed totals": TOTALS,
    "none": Cells.empty(ABC),
    "no weight": Cells.empty(AB, is_weighted=True),
    "tiny": Cells.dense(
        [[1e-200, 0.0], [0.0, 1e-160]], classes=AB, squares=[[0.0, 0.0], [0.0, 1e-320]], n_rows=2
    ),
}

UNSOUND = {
    "do not add up": [
        replace(COUNTS, n_rows=np.array(17)),
        replace(to_sparse(COUNTS), n_rows=np.array(17)),
        replace(to_marginals(COUNTS), n_rows=np.array(17)),
        Cells.dense([[HUGE, HUGE], [HUGE, HUGE]], classes=AB, n_rows=0),
    ],
    "more false positives": [
        Cells.marginals([5, 5], [1, 1], [1, 0], classes=AB, n_rows=11),
        Cells.marginals(
            [[5, 5], [5, 5]], [[1, 1], [1, 1]], [[1, 1], [1, 0]], classes=AB, n_rows=[12, 11]
        ),
        replace(TOTALS, counts=TOTALS.counts + np.array([[0.0], [0.1], [0.0]])),
    ],
    "larger than the square": [replace(WEIGHED, squares=WEIGHED.counts**2 + 1)],
    "is not weighted": [
        replace(COUNTS, squares=np.zeros((3, 3))),
        replace(to_marginals(COUNTS), occupancy=np.ones((3, 3), np.int64)),
    ],
    "weight and no rows": [replace(TOTALS, occupancy=np.zeros((3, 2), np.int64))],
    "not a whole number": [replace(COUNTS, n_rows=np.array(18.0))],
    "one of 3 classes": [replace(COUNTS, classes=Classes(("a", "b", "c"), positive=1))],
    "mix strings and numbers": [replace(WEIGHED, classes=Classes(("a", 1), 1))],
    "flag of declared classes": [
        replace(WEIGHED, classes=Classes(("a", "b"), 1, is_declared=1))  # type: ignore[arg-type]
    ],
    "is not a string": [replace(WEIGHED, classes=Classes(("a", "b"), 1, ("x", 2)))],  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", SOUND)
def test_what_data_can_give_is_sound(name: str) -> None:
    assert inconsistency(SOUND[name]) is None


@pytest.mark.parametrize(
    ("told", "cells"), [(told, cells) for told, wrong in UNSOUND.items() for cells in wrong]
)
def test_what_no_data_can_give_is_named(told: str, cells: Cells) -> None:
    assert told in (inconsistency(cells) or "")
    with pytest.raises(KaratError, match="K205") as caught:
        from_bytes(to_bytes(cells))
    assert "to_bytes()" in str(caught.value)


def test_each_table_of_a_batch_has_to_add_up() -> None:
    both = Cells.dense(np.stack([COUNTS.counts, COUNTS.counts]), classes=ABC)
    assert inconsistency(both) is None
    for wrong in ([18, 17], [17, 18]):
        told = inconsistency(replace(both, n_rows=np.array(wrong)))
        assert told == "The cells do not add up to the number of rows"


def test_squares_and_rows_have_the_shape_of_the_cells() -> None:
    for bad in (
        replace(WEIGHED, squares=np.ones(4)),
        replace(TOTALS, squares=np.ones((3, 3))),
        replace(TOTALS, occupancy=np.ones((2, 2), np.int64)),
    ):
        assert inconsistency(bad) == "The squared weights or the occupancy do not match the cells"


def test_rows_of_totals_are_counted_class_by_class_in_every_table() -> None:
    both = Cells.marginals([[5, 1], [2, 0]], [[1, 0], [0, 4]], [[0, 1], [4, 0]], classes=AB)
    assert both.n_rows.tolist() == [7, 6]
    assert inconsistency(both) is None


def test_more_classes_spread_every_table_of_a_batch() -> None:
    both = Cells.dense(np.arange(8).reshape(2, 2, 2), classes=AB)
    found = reorder(both, Classes.of(["b", "c", "a"]))
    assert found.counts.shape == (2, 3, 3)
    wanted = np.zeros((2, 3, 3), np.int64)
    wanted[:, [[2, 2], [0, 0]], [[2, 0], [2, 0]]] = both.counts
    np.testing.assert_array_equal(found.counts, wanted)


def test_a_native_tally_of_codes_needs_its_classes() -> None:
    codes = np.array([0, 1, 1, 0], np.int32)
    counted = count_codes(codes, 0, None, 1 - codes, 0, None, 2, None, True, 1)
    with pytest.raises(ValueError, match="needs its classes"):
        Cells.from_native(counted)
    assert Cells.from_native(counted, AB).counts.tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize("cells", [[[HUGE, HUGE - 600], [0, 0]], [[2 * HUGE - 1, 0], [0, 0]]])
def test_rows_up_to_the_largest_number_are_not_believed(cells: list[list[int]]) -> None:
    # Added as floats they are 2^63, of which nothing says that int64 held it.
    assert inconsistency(Cells.dense(cells, classes=AB)) is not None


def test_squares_of_small_weights_are_held_against_the_rows() -> None:
    # Of one row the square of the sum is the sum of the squares, at every size.
    for size in (1.0, 1e-3, 1e-9, 1e-120):
        weight = np.array([size])
        assert wrong_squares(weight, weight**2, 1) is None
        assert wrong_squares(weight, weight**2 / 2, 1) == (
            "A sum of squared weights is smaller than that of so many rows"
        )
        assert wrong_squares(weight, weight**2 / 2, 2) is None
        assert wrong_squares(weight, weight**2 * 2, 1) == (
            "A sum of squared weights is larger than the square of the sum"
        )


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e9])
def test_totals_of_weights_agree_as_far_as_they_round(size: float) -> None:
    def weighing(wrong: float) -> Cells:
        counts = TOTALS.counts * size
        counts[..., 1, 0] += wrong * size
        assert TOTALS.squares is not None
        return replace(TOTALS, counts=counts, squares=TOTALS.squares * size**2)

    assert inconsistency(weighing(1e-10)) is None
    assert "more false positives" in str(inconsistency(weighing(1e-4)))


def test_rows_of_totals_are_known_only_where_both_parts_know_them() -> None:
    assert TOTALS.occupancy is not None
    unknown = replace(TOTALS, occupancy=None)
    for left, right in ((TOTALS, unknown), (unknown, TOTALS), (unknown, unknown)):
        assert merge(left, right).occupancy is None
    both = merge(TOTALS, TOTALS).occupancy
    assert both is not None
    assert both.tolist() == (2 * TOTALS.occupancy).tolist()


def test_a_matrix_of_more_than_two_gigabytes_is_refused() -> None:
    k = 16_400
    one = np.array([0], np.int64)
    cells = Cells.sparse(one, one, np.ones(1, np.int64), classes=Classes.of(range(k)))
    with pytest.raises(KaratError, match="16400"):
        cells.matrix()


def test_what_is_weighted_keeps_its_squares_and_what_is_not_has_none() -> None:
    wide = reorder(WEIGHED, Classes.of(["b", "a"]))
    assert wide.squares is not None
    assert wide.squares.tolist() == [[4.0, 2.0], [0.01, 6.5]]
    more = union(WEIGHED, Cells.dense(np.ones((1, 1)), classes=Classes.of(["c"]), squares=[[1.0]]))
    assert more.squares is not None
    assert float(more.squares.sum()) == pytest.approx(13.51)
    assert to_marginals(COUNTS).occupancy is None
    assert TOTALS.occupancy is not None
    codes = np.array([0, 1, 1], np.int32)
    for weights in (None, np.array([0.5, 2.0, 1.0])):
        counted = Cells.from_native(
            count_codes(codes, 0, None, codes, 0, None, 2, weights, False, 1), AB
        )
        assert (counted.squares is not None) is (weights is not None)
