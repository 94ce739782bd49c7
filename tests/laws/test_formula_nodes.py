"""What is asked about the trace of a formula: its ranks, what it adds, where it vanishes."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import KaratError
from karat.metrics._formula import (
    Node,
    at,
    const,
    cumulative,
    field,
    is_linear_in,
    is_sparse,
    later,
    mean,
    needs_dense,
    over_predicted,
    over_true,
    param,
    rows,
    sqrt,
    total,
    where,
)
from karat.metrics._interpret import evaluate, gradient, undefined_mask
from karat.tally import Cells, Classes

CELLS, TP, N = field("cells"), field("tp"), field("n")


def test_leaves_have_the_rank_of_what_they_stand_for() -> None:
    found = [node.rank for node in (param("beta"), param("costs", 2), const(1.5), CELLS, TP, N)]
    assert found == [0, 2, 0, 2, 1, 0]


@pytest.mark.parametrize(
    ("wanted", "root"),
    [
        (True, mean(TP)),
        (True, mean(TP) + const(1.0)),
        (True, total(TP) / field("k") - total(TP)),
        (True, const(2.0) * total(TP)),
        (False, mean(TP * TP)),
        (False, const(1.0) / total(TP)),
        (False, total(TP) / N),
        (False, sqrt(total(TP))),
        (False, const(1.0) + field("k")),
    ],
)
def test_sums_of_parts_times_numbers_are_linear(wanted: bool, root: Node) -> None:
    assert is_linear_in(root, [TP]) is wanted


@pytest.mark.parametrize(
    ("wanted", "node"),
    [
        (True, CELLS),
        (True, CELLS * rows(TP)),
        (True, rows(TP) * CELLS),
        (False, rows(TP) * rows(TP)),
        (True, CELLS / rows(TP)),
        (False, rows(TP) / CELLS),
        (True, sqrt(CELLS)),
        (True, CELLS + CELLS),
        (False, CELLS + rows(TP)),
        (False, rows(TP) - CELLS),
        (True, where(CELLS > 0, rows(TP), const(0.0))),
        (False, where(CELLS > 0, rows(TP), const(1.0))),
        (True, where(rows(TP) > 0, CELLS, CELLS * CELLS)),
        (False, where(rows(TP) > 0, CELLS, rows(TP))),
        (False, rows(TP)),
    ],
)
def test_what_vanishes_where_cells_do_needs_only_those(wanted: bool, node: Node) -> None:
    assert is_sparse(node) is wanted
    for root in (total(node), total(over_predicted(node))):
        assert needs_dense(root) is not wanted
    # The promise itself: an empty cell gives 0.
    if wanted:
        fields = Cells.dense([[3, 0], [2, 4]], classes=Classes.of(["a", "b"])).fields
        assert np.reshape(evaluate(node, fields, {}), -1)[1] == 0


def test_what_is_undefined_stays_so_in_running_sums() -> None:
    log = Node("log", (TP,), rank=1)
    one = Cells.dense([[1, 0, 0], [0, 0, 1], [0, 0, 2]], classes=Classes.of("abc")).fields
    two = Cells.dense(
        [[[1, 0, 0], [0, 0, 1], [0, 0, 2]], [[0, 1, 0], [0, 1, 0], [0, 0, 1]]],
        classes=Classes.of("abc"),
    ).fields
    up_to = [[False, True, True], [True, True, True]]
    after = [[True, False, False], [False, False, False]]
    assert undefined_mask(total(log), one).tolist() is True
    assert undefined_mask(total(log), two).tolist() == [True, True]
    for node, wanted in ((cumulative(log), up_to), (later(log), after)):
        assert undefined_mask(node, one).tolist() == wanted[0]
        assert undefined_mask(node, two).tolist() == wanted


def test_sums_over_one_side_take_cells_and_give_classes() -> None:
    table = Cells.dense([[3, 1], [2, 4]], classes=Classes.of([0, 1]))
    for summed, wanted in ((over_true, [5.0, 5.0]), (over_predicted, [4.0, 6.0])):
        assert summed(CELLS).rank == 1
        assert evaluate(summed(CELLS), table.fields).tolist() == wanted
        with pytest.raises(KaratError, match="takes a value of rank 2, this one has 1"):
            summed(TP)


def test_what_two_leaves_of_cells_add_to_the_derivative_is_added() -> None:
    root = total(over_true(field("cells") * field("cells"))) + total(over_true(CELLS))
    table = Cells.dense([[3, 1], [2, 4]], classes=Classes.of([0, 1]))
    found = gradient(root, table.fields).at_cells()
    assert found.tolist() == [7.0, 3.0, 5.0, 9.0]


def test_the_positive_class_of_many_cannot_be_read() -> None:
    fields = Cells.dense(np.eye(3, dtype=np.int64), classes=Classes.of([0, 1, 2])).fields
    with pytest.raises(ValueError, match="no positive class"):
        evaluate(at(TP), fields)


def test_values_of_the_data_are_not_compared_for_equality() -> None:
    for compare in (lambda: TP == 0, lambda: TP != 0, lambda: N + 1.0 == N):
        with pytest.raises(KaratError, match=r"(?s)K305.*with == or !="):
            compare()
    assert len({TP: 0, N: 1}) == 2
    assert len({TP, N, TP}) == 2
