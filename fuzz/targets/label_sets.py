"""Targets of what reads and counts sets of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import target

KINDS = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")


@target("read_sets")
def read_sets(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, k = min(source.size(), 5000), source.count(200)
    cells = arrays.whole(n * k, source.pick((2, 2, 2, 20)), "u1").reshape(n, k)
    cells = np.where(cells > 1, cells, cells & 1 if source.flag() else cells // 2)
    made = cells.astype(source.pick(KINDS))
    if made.dtype.kind == "f" and made.size and source.flag():
        made.flat[:: 1 + source.byte()] = source.pick((np.nan, 1.0, -0.0, np.inf, -1.0))
    matrix = arrays.argument(made)
    found, unknown, others = case.call(case.native.read_sets, matrix, source.threads())
    if not isinstance(matrix, np.ndarray):
        return
    given = matrix.view(np.uint8) if matrix.dtype == bool else matrix
    case.expect_length(found[0], len(matrix) + 1)
    case.expect(len(found[1]) == int(np.sum(given == 1)), "ones are miscounted")
    n_unknown = 0 if unknown is None else len(unknown[1])
    n_others = 0 if others is None else others[2]
    n_zeros = int(np.sum(given == 0))
    case.expect(
        len(found[1]) + n_unknown + n_others + n_zeros == matrix.size, "cells are miscounted"
    )


def some_sets(case: Case, n: int, k: int) -> tuple[Any, Any]:
    """Starts and items of n sets of labels below k, in order but for the spoiled ones."""
    source, arrays = case.source, case.arrays
    most = min(k, 1 + source.byte() % 6)
    sizes = arrays.whole(n, most + 1, "i8")
    if sizes.size and (sizes.min() < 0 or sizes.max() > most):
        starts = np.concatenate([np.zeros(1, np.int64), sizes])
        return arrays.argument(starts, is_plain=True), arrays.codes(n, k)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    first = arrays.whole(n, max(k - most, 1), "i4")
    within = np.arange(int(starts[-1])) - np.repeat(starts[:-1], sizes)
    items = (np.repeat(first, sizes) + within).astype(np.int32)
    if source.rarely(16) and len(items):
        items[source.byte() % len(items)] = source.byte() - 20
    return arrays.argument(starts, is_plain=True), arrays.argument(items, is_plain=True)


@target("count_sets")
def count_sets(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, k = min(source.size(), 20000), source.count(60)
    true, pred = some_sets(case, n, k), some_sets(case, n, k)
    unknown = some_sets(case, n, k) if source.flag() else (None, None)
    weights = arrays.weights(n, is_plain=True)
    number = source.integer(k, k)
    rows, hits, sums, squares = case.call(
        case.native.count_sets, *true, *pred, *unknown, number, weights, source.threads()
    )
    case.expect_length(rows, 4, number)
    case.expect_length(hits, len(true[0]) - 1)
    case.expect((sums is None) == (squares is None) == (weights is None), "other sums than asked")
    if weights is None:
        in_sets = int(rows[:3].sum()) + int(rows[0].sum())
        case.expect(in_sets == len(true[1]) + len(pred[1]), "labels are miscounted")
        case.expect(int(hits.sum()) == int(rows[0].sum()), "hits are miscounted")


@target("match_sets")
def match_sets(case: Case) -> None:
    source = case.source
    n, k = min(source.size(), 20000), source.count(60)
    left, right = some_sets(case, n, k), some_sets(case, n, k)
    in_right, in_left = case.call(case.native.match_sets, *left, *right, source.integer(k, k))
    case.expect_length(in_right, len(left[1]))
    case.expect_length(in_left, len(right[1]))
    case.expect(int(in_right.sum()) == int(in_left.sum()), "a match has one side")


@target("group_profiles")
def group_profiles(case: Case) -> None:
    source, arrays = case.source, case.arrays
    m = min(source.size(), 5000)
    numbers = arrays.whole(4 * m, source.pick((3, 10, 2**40)), "i8").reshape(m, 4)
    profiles = arrays.argument(numbers, is_plain=True)
    rows = arrays.codes(m, 9, "i8")
    pair = (None, None)
    if source.flag():
        pair = arrays.weights(m, is_plain=True), arrays.weights(m, is_plain=True)
    found, counts, sums, squares = case.call(case.native.group_profiles, profiles, rows, *pair)
    case.expect_length(found, len(counts), 4)
    case.expect(len(np.unique(found, axis=0)) == len(found) <= len(rows), "equal profiles")
    with np.errstate(over="ignore"):
        case.expect(int(counts.sum()) == int(np.sum(rows)), "rows are missing")
    case.expect((sums is None) == (squares is None) == (pair[0] is None), "other sums than given")


@target("place_labels")
def place_labels(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, k = min(source.size(), 2000), source.count(60)
    scores = arrays.whole(n * k, source.pick((2, 9, 1000)), "i8").reshape(n, k)
    made = scores.astype(source.pick(("f4", "f8")))
    if made.size and source.rarely(16):
        made.flat[source.byte() % made.size] = np.nan
    true = some_sets(case, n, k)
    unknown = some_sets(case, n, k) if source.flag() else (None, None)
    found, ranked = case.call(
        case.native.place_labels, arrays.argument(made), *true, *unknown, source.threads()
    )
    check_places(case, found, ranked, true)


@target("place_listed")
def place_listed(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, k = min(source.size(), 5000), source.count(60)
    listed, true = some_sets(case, n, k), some_sets(case, n, k)
    unknown = some_sets(case, n, k) if source.flag() else (None, None)
    scores = arrays.weights(len(listed[1]), is_plain=True)
    if scores is None:
        scores = arrays.argument(np.zeros(len(listed[1])), is_plain=True)
    number = source.integer(k, k)
    found, ranked = case.call(
        case.native.place_listed, *listed, scores, *true, *unknown, number, source.threads()
    )
    check_places(case, found, ranked, true)


def check_places(case: Case, found: Any, ranked: Any, true: tuple[Any, Any]) -> None:
    """No label stands where there is no place."""
    case.expect_length(found, 5, len(true[1]))
    case.expect_length(ranked, len(true[0]) - 1)
    above, tied, above_true, tied_true, before = np.asarray(found).astype(np.int64)
    rows = np.repeat(np.arange(len(ranked)), np.diff(np.asarray(true[0])))
    case.expect(bool((above + tied <= np.asarray(ranked)[rows]).all()), "a place beyond the last")
    case.expect(bool((above_true <= above).all() and (tied_true <= tied).all()), "too many true")
    case.expect(bool((before < np.maximum(tied, 1)).all()), "before more than there are")
