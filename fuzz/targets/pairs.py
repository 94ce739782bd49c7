"""Targets of pairs of codes, of pairs of columns and of paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target


@target("pack_pairs")
def pack_pairs(case: Case) -> None:
    n, k, arrays = case.source.size(), case.source.count(40), case.arrays
    truth, pred = arrays.codes(n, k), arrays.codes(n, k)
    number = case.source.integer(k, k)
    keys = case.call(case.native.pack_pairs, truth, pred, number)
    if len(keys):
        case.expect_same(keys.astype("i8"), np.asarray(truth).astype("i8") * number + pred, "keys")


@target("pack_pairs_rows")
def pack_pairs_rows(case: Case) -> None:
    n, k, arrays = case.source.size(), case.source.count(40), case.arrays
    truth, pred = arrays.codes(n, k), arrays.codes(n, k)
    keys, bits = case.call(case.native.pack_pairs_rows, truth, pred, case.source.integer(k, k))
    rows = keys & np.uint64((1 << bits) - 1)
    case.expect_same(rows, np.arange(len(truth), dtype="u8"), "rows in keys")


@target("sorted_keys")
def sorted_keys(case: Case) -> None:
    made = case.arrays.words(case.source.size(), case.source.pick((64, 8, 1)))
    keys = case.call(case.native.sorted_keys, made, case.source.threads())
    case.expect_same(keys, np.sort(made), "keys in order")


@target("sorted_numbers")
def sorted_numbers(case: Case) -> None:
    made = case.arrays.floats(case.source.size())
    found = case.call(case.native.sorted_numbers, made, case.source.threads())
    case.expect(not np.isnan(made).any(), "NaN was sorted")
    case.expect_same(found, np.sort(made), "numbers in order")


@target("group_keys")
def group_keys(case: Case) -> None:
    source = case.source
    n, n_keys = source.size(), source.pick((4, 40, 1 << 40, 0))
    made = case.arrays.whole(n, max(n_keys, 1), "i8")
    first, groups = case.call(case.native.group_keys, made, source.integer(n_keys, n_keys))
    case.expect_length(groups, len(made))
    case.expect_same(made[first][groups], made, "keys of groups")
    case.expect((np.diff(first) > 0).all(), "groups are not in the order of their first keys")


@target("run_lengths")
def run_lengths(case: Case) -> None:
    made = case.arrays.words(case.source.size(), case.source.pick((4, 8, 64, 1)))
    keys, rows = case.call(case.native.run_lengths, made)
    case.expect_length(keys, len(rows))
    case.expect(int(rows.sum()) == len(made), "keys are missing from the runs")


@target("weighted_runs")
def weighted_runs(case: Case) -> None:
    source, arrays, native = case.source, case.arrays, case.native
    n, k = source.size(), source.count(9)
    keys: Any = arrays.words(n)
    bits = source.integer(0, 64)
    if source.byte() < 160:
        codes = arrays.whole(n, k, "i4") % k
        packed, bits = native.pack_pairs_rows(codes.astype("i4"), codes.astype("i4"), k)
        keys = arrays.argument(np.sort(packed), is_plain=True)
    keys, *sums, rows = case.call(
        native.weighted_runs, keys, bits, arrays.floats(n, ("unit", "few"))
    )
    for each in (*sums, rows):
        case.expect_length(each, len(keys))


def pair_arguments(case: Case) -> tuple[Any, ...]:
    """Of PairScores."""
    source, arrays = case.source, case.arrays
    n, k = min(source.size(), 5000), source.count(8)
    return arrays.scores(n, k), arrays.codes(n, k), arrays.weights(n, is_plain=True)


def some_pairs(case: Case) -> Any:
    """Rows by class; of three where those are refused."""
    source, native = case.source, case.native
    if source.rarely(64):
        return native.PairScores.__new__(native.PairScores)
    is_spoiled, source.spoiled = source.spoiled, -1
    made = case.attempt(lambda: native.PairScores(*pair_arguments(case)))
    source.spoiled = is_spoiled
    if made is None:
        values = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
        made = native.PairScores(values, np.array([0, 1, 1], np.int32), None)
    return made


@target("PairScores")
def pair_scores(case: Case) -> None:
    made = pair_arguments(case)
    pairs = case.call(case.native.PairScores, *made)
    case.expect_same(np.sort(pairs.rows()), np.arange(len(made[0])), "rows by class")


def begin_pairs(case: Case, pairs: Any) -> None:
    """The same handle once more."""
    pairs.__init__(*pair_arguments(case))


def difference(case: Case, pairs: Any) -> None:
    """As many differences as rows of the two classes."""
    k = len(pairs.starts()) - 1
    i, j = case.source.integer(0, max(k - 1, 0)), case.source.integer(0, max(k - 1, 0))
    starts = pairs.starts()
    found = pairs.differences(i, j)
    case.expect_length(found, int(starts[i + 1] - starts[i] + starts[j + 1] - starts[j]))


members(
    "PairScores",
    some_pairs,
    {
        "__init__": begin_pairs,
        "rows": lambda case, pairs: pairs.rows().sum(),
        "starts": lambda case, pairs: pairs.starts().sum(),
        "weights": lambda case, pairs: pairs.weights(),
        "differences": difference,
    },
)


@target("copy_columns")
def copy_columns(case: Case) -> None:
    source = case.source
    n, k = min(source.size(), 20000), source.count(20)
    values = case.arrays.scores(n, k)
    first = source.byte() % k
    first, count = source.integer(first, first), source.integer(0, k - first)
    copied = case.call(case.native.copy_columns, values, first, count, source.threads())
    case.expect_same(copied, np.asarray(values)[:, first : first + count].T, "columns")


@target("weigh_scores")
def weigh_scores(case: Case) -> None:
    source = case.source
    n, k = min(source.size(), 5000), source.count(12)
    values, cost = case.arrays.scores(n, k), case.arrays.table(k, k)
    weighed = case.call(case.native.weigh_scores, values, cost)
    case.expect_length(weighed, *values.shape)


@target("upper_hull")
def upper_hull(case: Case) -> None:
    n, arrays, source = case.source.size(), case.arrays, case.source
    x, y = arrays.reals(n), arrays.reals(n)
    if source.byte() < 192:
        with np.errstate(all="ignore"):
            x, y = np.sort(x), np.sort(y)
    x, y = arrays.argument(x, is_plain=True), arrays.argument(y, is_plain=True)
    places, n = case.call(case.native.upper_hull, x, y), len(x)
    case.expect(bool(np.all(np.diff(places) > 0)), "corners out of order")
    case.expect(len(places) == 0 or bool(places[0] >= 0 and places[-1] < n), "a corner is no point")


@target("furthest_points")
def furthest_points(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, planes = min(2 + source.size(), 5000), source.count(3)
    paths = arrays.table(2 * planes, n)
    first = arrays.codes(source.byte() % 6, n)
    places = case.call(case.native.furthest_points, paths, source.integer(2, n + 3), first)
    case.expect(bool(np.all(np.diff(places) > 0)), "points out of order")
    case.expect(bool(places[0] >= 0 and places[-1] < paths.shape[1]), "a place is no point")
