"""Native derivatives are those of the NumPy interpreter: every record, lift, policy, storage."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat._native import Program
from karat.metrics import Metric, Record, all_records, parse
from karat.metrics._formula import Node, field, walk, where
from karat.metrics._interpret import Gradient, evaluate, gradient
from karat.metrics._program import compile_program, slopes_of
from karat.tally import Cells, Classes, to_marginals, to_sparse
from karat.testing.laws import POLICIES, metrics_of, random_tables
from tests.same import assert_same

OF_LABELS = [record for record in all_records() if record.is_traced]


def cells_of(tables: npt.NDArray[Any]) -> Cells:
    return Cells.dense(tables, classes=Classes.of(range(tables.shape[-1])))


def hostile_tables(k: int) -> npt.NDArray[np.int64]:
    """Random tables with gaps, then: no rows, one class alone, one cell off the diagonal."""
    tables = random_tables(k, 24)
    alone = np.zeros((4, k, k), np.int64)
    alone[1, 0, 0], alone[2, 0, 1], alone[3, 1, 0] = 7, 7, 1
    return np.concatenate([tables, alone])


def compare(found: Gradient, wanted: Gradient, about: str) -> None:
    """Every part within 1e-12 of the largest finite number of the table's gradient."""
    for name in ("constant", "true", "pred", "same", "cells"):
        ours, theirs = getattr(found, name), getattr(wanted, name)
        if theirs is None:
            theirs = np.zeros_like(ours) if ours is not None else None
        if theirs is None:
            assert ours is None, about
            continue
        theirs = np.broadcast_to(theirs, ours.shape)
        sizes = np.abs(np.where(np.isfinite(theirs), theirs, 0.0))
        scale = 1.0
        if name != "constant":
            scale = np.maximum(sizes.max(axis=-1, initial=0.0, keepdims=True), 1.0)
        assert_same(ours / scale, theirs / scale, within=1e-12, about=f"{about}: {name}")


def scalars_of(record: Record, k: int) -> list[Metric]:
    return [metric for metric in metrics_of(record, k) if metric.lift != "per_class"]


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
@pytest.mark.parametrize("k", [2, 3, 6])
def test_native_equals_interpreted(record: Record, k: int) -> None:
    cells = cells_of(hostile_tables(k))
    for metric in scalars_of(record, k):
        for policy in POLICIES:
            root = metric.traced(policy).value
            if root.rank:
                continue
            wanted = gradient(root, cells.fields, dict(metric.params))
            compare(metric.gradient(cells, policy), wanted, f"{metric} under {policy}")


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
def test_sparse_and_marginal_storage_and_many_classes(record: Record) -> None:
    tables = random_tables(40, 2, gaps=0.97)
    for metric in scalars_of(record, 40):
        if metric.traced("zero").value.rank:
            continue
        sparse = to_sparse(cells_of(tables))
        _, fields = metric._readable(sparse, "zero")
        wanted = gradient(metric.traced("zero").value, fields, dict(metric.params))
        compare(metric.gradient(sparse), wanted, f"{metric}, sparse")
        if not metric.needs_cells:
            compare(metric.gradient(to_marginals(sparse)), wanted, f"{metric}, marginals")


@pytest.mark.parametrize("name", ["macro_f1", "cohen_kappa", "weighted_recall"])
def test_leading_axes_are_kept(name: str) -> None:
    tables, metric = hostile_tables(3), parse(name)
    stacked = metric.gradient(cells_of(tables.reshape(4, 7, 3, 3))).at_cells().reshape(28, 9)
    alone = [metric.gradient(cells_of(table)).at_cells() for table in tables]
    assert_same(stacked, np.array(alone), about=name)


def test_weighted_cells_and_one_class() -> None:
    weights = np.random.default_rng(3).random((4, 3, 3))
    metric = parse("macro_f1")
    for cells in (
        Cells.dense(weights, classes=Classes.of(range(3)), squares=weights**2, n_rows=[9] * 4),
        cells_of(np.array([[5]])),
    ):
        wanted = gradient(metric.traced("zero").value, cells.fields)
        compare(metric.gradient(cells), wanted, f"k = {cells.k}")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["macro_f1", "weighted_f1", "macro_recall", "g_mean"])
def test_the_derivative_with_respect_to_an_inner_node(name: str, policy: Any) -> None:
    """Chain rule: Σ over classes of (d value / d class value) × (d class value / d cell)."""
    metric = parse(name)
    table = np.random.default_rng(5).integers(1, 40, (3, 3))
    cells = cells_of(table)
    traced = metric.traced(policy)
    (part,) = [traced.raw] if traced.raw.rank else [_first_of_rank_one(traced.value)]
    slopes = metric.slopes(cells, policy, [part])
    assert_same(slopes.value, metric.values(cells, policy).value, within=1e-12)
    assert_same(slopes.parts[0], evaluate(part, cells.fields), within=1e-12)
    # Each class value as a number of its own, picked out by the positive class.
    of_classes = [
        gradient(Node("at", (part,)), _with_positive(cells, i)).at_cells() for i in range(3)
    ]
    through = slopes.of_parts[0] @ np.array(of_classes)
    if name != "weighted_f1":  # its weights move too
        assert_same(through, slopes.gradient.at_cells(), within=1e-12)
    else:
        shares = table.sum(axis=1) / table.sum()
        assert_same(slopes.of_parts[0], shares, within=1e-12)
    past = metric.slopes(cells, policy, [part], stops_at_parts=True).gradient.at_cells()
    assert_same(past, slopes.gradient.at_cells() - through, within=1e-12)
    assert np.abs(past).max() > 1e-5 or name != "weighted_f1"


def _first_of_rank_one(root: Node) -> Node:
    return next(node for node in walk(root) if node.op == "div" and node.rank == 1)


def _with_positive(cells: Cells, positive: int) -> Any:
    return type(cells.fields).of_matrix(cells.counts, positive)


def test_a_side_that_is_not_chosen_counts_as_zero() -> None:
    tp, n = field("tp"), field("n")
    root = Node("total", (where(tp, tp / n, (0.0 * n) / tp),), rank=0)
    cells = cells_of(np.array([[0, 3], [1, 6]]))
    found = slopes_of(root, (), cells.fields, (), None, needs_cells=False).gradient
    compare(found, gradient(root, cells.fields), "where")
    assert np.isfinite(found.true).all()


def test_a_wrong_rule_is_noticed() -> None:
    """The control: a program that multiplies where the formula divides has another gradient."""
    metric, cells = parse("accuracy"), cells_of(hostile_tables(3)[:24])
    root = metric.traced("nan").value
    swapped = Node("mul", root.args, rank=root.rank)
    found = slopes_of(swapped, (), cells.fields, (24,), None, needs_cells=False).gradient
    with pytest.raises(AssertionError, match="Mismatched"):
        compare(found, gradient(root, cells.fields), "sabotage")


def test_what_has_no_single_gradient_is_refused() -> None:
    cells = cells_of(hostile_tables(3))
    with pytest.raises(ValueError, match="rank-0"):
        Metric.of(parse("macro_f1").record, "per_class", {}).gradient(cells)
    tp = np.ones((1, 2))
    root = parse("macro_f1").traced("zero").value
    with pytest.raises(ValueError, match="used again"):
        compile_program([root]).differentiate(tp, tp, tp, tp)
    wide = Program(np.array([[0, 0, 0, 0, 0]], np.int32), [], [1], [], [0])
    with pytest.raises(ValueError, match="not one number"):
        wide.differentiate(tp, tp, tp, tp)
