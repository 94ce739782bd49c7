"""The laws of merge, for every storage, weighted or not."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally import (
    Axis,
    Cells,
    Classes,
    from_bytes,
    merge,
    occurring,
    reorder,
    subtract,
    to_bytes,
    to_marginals,
    to_sparse,
    union,
)
from tests.same import assert_same
from tests.strategies import STORAGES, counted, rows, tallies

ARRAYS = ("counts", "n_rows", "squares", "rows", "cols")
# The occupancy of weighted totals says only whether something is there.


def assert_equal(left: Cells, right: Cells) -> None:
    assert left.classes == right.classes
    assert left.storage == right.storage
    assert left.axes == right.axes
    for name in ARRAYS:
        a, b = getattr(left, name), getattr(right, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert_same(a, b, about=name)
    if left.occupancy is not None or right.occupancy is not None:
        assert left.occupancy is not None
        assert right.occupancy is not None
        assert_same(left.occupancy > 0, right.occupancy > 0, about="occupancy")


def canonical(cells: Cells) -> Cells:
    """Sparse cells that hold nothing are dropped, so that equal tallies are equal arrays."""
    if cells.storage != "sparse":
        return cells
    rows_, cols, counts = cells.occupied()
    keep = (cells.counts != 0).any(axis=tuple(range(cells.counts.ndim - 1)))
    squares = None if cells.squares is None else cells.squares[..., keep]
    return Cells.sparse(
        rows_, cols, counts, classes=cells.classes, squares=squares, n_rows=cells.n_rows
    )


both_kinds = pytest.mark.parametrize("is_weighted", [False, True], ids=["counts", "weights"])
every_storage = pytest.mark.parametrize("storage", STORAGES)


@every_storage
@both_kinds
@given(data=st.data())
def test_merge_is_associative_and_commutative(
    storage: str, is_weighted: bool, data: st.DataObject
) -> None:
    a, b, c = (data.draw(tallies(storage, is_weighted=is_weighted)) for _ in range(3))
    assert_equal(canonical(merge(merge(a, b), c)), canonical(merge(a, merge(b, c))))
    assert_equal(canonical(merge(a, b)), canonical(merge(b, a)))


@every_storage
@both_kinds
@given(data=st.data())
def test_empty_is_the_identity(storage: str, is_weighted: bool, data: st.DataObject) -> None:
    tally = data.draw(tallies(storage, is_weighted=is_weighted))
    nothing = Cells.empty(tally.classes, is_weighted=is_weighted)
    assert_equal(canonical(merge(nothing, tally)), canonical(tally))


@every_storage
@given(first=rows(), second=rows())
def test_merge_equals_concatenation(storage: str, first: Any, second: Any) -> None:
    whole = [np.concatenate(pair) for pair in zip(first, second, strict=True)]
    merged = merge(counted(*first, 4, storage), counted(*second, 4, storage))
    assert_equal(canonical(merged), canonical(counted(*whole, 4, storage)))


@every_storage
@given(data=st.data())
def test_subtract_undoes_merge(storage: str, data: st.DataObject) -> None:
    a, b = data.draw(tallies(storage)), data.draw(tallies(storage))
    assert_equal(canonical(subtract(merge(a, b), b)), canonical(a))


@given(data=st.data())
def test_storages_merge_with_each_other(data: st.DataObject) -> None:
    a, b = data.draw(tallies("dense")), data.draw(tallies("dense"))
    wanted = merge(a, b).matrix()
    assert_same(merge(a, to_sparse(b)).matrix(), wanted)
    assert_same(merge(to_sparse(a), b).matrix(), wanted)
    assert_same(merge(a, to_marginals(b)).counts, to_marginals(merge(a, b)).counts)


@every_storage
@both_kinds
@given(data=st.data())
def test_bytes_bring_the_tally_back(storage: str, is_weighted: bool, data: st.DataObject) -> None:
    tally = data.draw(tallies(storage, is_weighted=is_weighted))
    assert_equal(from_bytes(to_bytes(tally)), tally)
    assert to_bytes(from_bytes(to_bytes(tally))) == to_bytes(tally)
    assert_equal(pickle.loads(pickle.dumps(tally)), tally)


@every_storage
@given(data=st.data(), order=st.permutations(range(4)))
def test_reorder_moves_rows_and_columns(
    storage: str, data: st.DataObject, order: list[int]
) -> None:
    tally = data.draw(tallies(storage))
    moved = reorder(tally, Classes.of(order))
    assert moved.classes.labels == tuple(order)
    assert_same(moved.fields.tp, tally.fields.tp[..., order])
    assert_same(moved.fields.fp, tally.fields.fp[..., order])
    if storage != "marginals":
        assert_same(moved.matrix(), tally.matrix()[..., order, :][..., order])


@given(data=st.data())
def test_storages_have_the_same_fields(data: st.DataObject) -> None:
    for is_weighted in (False, True):
        dense = data.draw(tallies("dense", is_weighted=is_weighted))
        for other in (to_sparse(dense), to_marginals(dense)):
            for name in ("tp", "fp", "fn", "tn", "n"):
                assert_same(getattr(other.fields, name), getattr(dense.fields, name), about=name)


def test_union_adds_classes_in_order() -> None:
    left = Cells.dense([[2, 1], [0, 3]], classes=Classes.of(["b", "d"]))
    right = Cells.dense([[1, 1], [1, 1]], classes=Classes.of(["a", "b"]))
    both = union(left, right)
    assert both.classes.labels == ("a", "b", "d")
    assert both.matrix().tolist() == [[1, 1, 0], [1, 3, 1], [0, 0, 3]]


ORDER = ("low", "some", "medium", "high")


def in_order(labels: Any, order: Any = ORDER) -> Cells:
    """One row of each of these classes, of ordered categories."""
    classes = Classes.of([label for label in order if label in labels]).in_order(order)
    return Cells.dense(np.eye(classes.k, dtype=int), classes=classes)


@given(
    batches=st.lists(st.sets(st.sampled_from(ORDER), min_size=1), min_size=3, max_size=3),
    orders=st.lists(st.sampled_from([ORDER, ORDER[:3], ORDER[::-1], None]), min_size=3, max_size=3),
)
def test_union_keeps_the_order_that_all_declare(batches: Any, orders: Any) -> None:
    parts = []
    for labels, order in zip(batches, orders, strict=True):
        occurring = {*labels} & {*(order or ORDER)} or {"low"}
        part = in_order(occurring, order or sorted(ORDER))
        plain = Classes.of(part.classes.labels)
        parts.append(part if order else part.with_classes(plain))
    one, two, three = parts
    whole = union(union(one, two), three)
    assert_equal(union(two, one), union(one, two))
    if not (None in orders or {ORDER[::-1]} < {*orders}):
        assert_equal(whole, union(one, union(two, three)))
        assert whole.classes.categories == max(orders, key=len)
        occurring = {label for part in parts for label in part.classes.labels}
        assert whole.classes.labels == tuple(x for x in max(orders, key=len) if x in occurring)
    else:
        assert whole.classes.categories is None
        assert whole.classes.labels == tuple(sorted(whole.classes.labels))


def test_a_part_of_ordered_classes_keeps_their_order() -> None:
    both = union(in_order(["low", "high"]), in_order(["medium"]))
    assert subtract(both, reorder(in_order(["medium"]), both.classes)).classes == both.classes
    assert occurring(both).classes == both.classes
    assert from_bytes(to_bytes(both)).classes == both.classes
    assert both.classes.some([0, 2]) == in_order(["low", "high"]).classes


@every_storage
@both_kinds
def test_union_is_that_of_the_matrices(storage: str, is_weighted: bool) -> None:
    w = np.arange(1.0, 7.0) if is_weighted else None
    codes = np.array([0, 1, 2, 2, 1, 0]), np.array([0, 1, 1, 2, 2, 2])
    parts = [
        replace(counted(*codes, 3, storage, w), classes=Classes.of(labels))
        for labels in (["b", "d", "e"], ["a", "b", "f"])
    ]
    found = union(*parts).fields
    whole = np.zeros((5, 5))
    for at in ([1, 2, 3], [0, 1, 4]):
        np.add.at(whole, (np.array(at)[codes[0]], np.array(at)[codes[1]]), 1 if w is None else w)
    wanted = Cells.dense(whole, classes=Classes.of("abdef"), squares=whole).fields
    for name in ("tp", "fp", "fn", "tn", "n"):
        assert_same(getattr(found, name), getattr(wanted, name), about=name)


@every_storage
@both_kinds
def test_the_classes_that_occur_are_left(storage: str, is_weighted: bool) -> None:
    w = np.array([0.5, 2.0, 1.0]) if is_weighted else None
    tally = counted(np.array([0, 3, 0]), np.array([0, 0, 3]), 4, storage, w)
    named = replace(tally, classes=Classes.of("abcd").named(["A", "B", "C", "D"]))
    found = occurring(named)
    assert (found.classes.labels, found.classes.names) == (("a", "d"), ("A", "D"))
    fewer = counted(np.array([0, 1, 0]), np.array([0, 0, 1]), 2, storage, w)
    for name in ("tp", "fp", "fn", "tn", "n"):
        assert_same(getattr(found.fields, name), getattr(fewer.fields, name), about=name)
    declared = replace(tally, classes=Classes.of("abcd", is_declared=True))
    assert occurring(declared) is declared
    none = Cells.empty(Classes.of("ab"))
    assert occurring(none) is none


def test_a_class_of_one_fold_occurs() -> None:
    counts = np.zeros((2, 3, 3), np.int64)
    counts[0, 0, 0] = counts[1, 0, 2] = 1
    folds = Cells.dense(counts, classes=Classes.of("abc"), axes=(Axis("fold", (1, 2)),))
    for tally in (folds, to_marginals(folds)):
        assert occurring(tally).classes.labels == ("a", "c")


def test_weights_and_counts_are_not_merged() -> None:
    codes = np.array([0, 1]), np.array([0, 1])
    parts = [counted(*codes, 2, "dense", w) for w in (None, np.ones(2))]
    with pytest.raises(KaratError, match="Left is unweighted, right is weighted"):
        merge(*parts)
    with pytest.raises(KaratError, match="Left is weighted, right is unweighted"):
        merge(*parts[::-1])


def test_union_keeps_declared_classes_apart() -> None:
    declared = Cells.dense([[2, 1], [0, 3]], classes=Classes.of(["b", "d"], is_declared=True))
    other = Cells.dense([[1, 1], [1, 1]], classes=Classes.of(["a", "b"], is_declared=True))
    with pytest.raises(KaratError, match="K201"):
        union(declared, other)


def test_leading_axes_merge_and_evaluate() -> None:
    counts = np.arange(12).reshape(3, 2, 2)
    folds = Cells.dense(counts, classes=Classes.of([0, 1]), axes=(Axis("fold", (1, 2, 3)),))
    assert merge(folds, folds).counts.tolist() == (2 * counts).tolist()
    assert from_bytes(to_bytes(folds)).axes == folds.axes
    assert_same(to_sparse(folds).matrix(), counts)
    assert_same(to_marginals(folds).fields.tn, folds.fields.tn)
    other = Cells.dense(counts, classes=Classes.of([0, 1]), axes=(Axis("fold", (1, 2, 4)),))
    with pytest.raises(KaratError, match="K202"):
        merge(folds, other)


def test_weights_leave_no_dust_where_no_row_lies() -> None:
    # 0.1 + 0.2 + 0.3 is not exactly the rest: TN of a class that every row touches must be 0.
    weights = np.array([0.1, 0.2, 0.3])
    y_true, y_pred = np.array([0, 0, 1]), np.array([0, 1, 0])
    for storage in STORAGES:
        tally = counted(y_true, y_pred, 2, storage, weights)
        assert tally.fields.tn.tolist() == [0.0, 0.1], storage


def test_totals_of_many_classes_leave_no_dust_either() -> None:
    # Every row is predicted as the second class: what the others weigh, less what they add to it
    # in another order, is 2e-16.
    weights = np.array([0.1, 0.1, 0.7, 0.3])
    assert 0.1 + (0.3 + 0.7) - (0.1 + 0.7 + 0.3) > 0
    for storage in STORAGES:
        tally = counted(np.arange(4), np.ones(4, int), 4, storage, weights)
        assert tally.fields.tn[1] == 0.0, storage


def test_a_hundred_thousand_classes_stay_small() -> None:
    k = 100_000
    ids = np.arange(k)
    tally = Cells.sparse(ids, ids[::-1].copy(), np.ones(k, np.int64), classes=Classes.of(range(k)))
    assert merge(tally, tally).counts.nbytes <= 8 * k
    with pytest.raises(KaratError, match="K207"):
        tally.matrix()
