"""Targets of what draws replicates."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import target

AMOUNTS = ("unit", "few", "same", "rising", "wide")


def drawn(case: Case, items: int) -> tuple[Any, ...]:
    """Seed, stream, first replicate, how many, threads: few where the items are many."""
    source = case.source
    most = max(1, min(12, 4000 // max(items, 1)))
    seed, stream, first = (source.integer(0, 2**16) for _ in range(3))
    count = bounded(source.integer(0, most), 100 * most // max(items, 1))
    return seed, stream, first, count, source.threads()


def bounded(number: Any, most: int) -> Any:
    """Numbers that are refused, and others up to `most`.

    What takes seconds tells no more than what is done at once.
    """
    is_done = isinstance(number, int) and most < number < 2**31
    return number % (most + 1) if is_done else number


@target("philox")
def philox(case: Case) -> None:
    source = case.source
    counter: Any = [source.integer(0, 2**16) for _ in range(4)]
    if source.is_spoiled():
        counter = source.pick(
            (None, [], [1], [1] * 5, "abcd", (1, 2, 3, 4), [1, 2, 3, None], np.ones(4))
        )
    words = case.call(case.native.philox, counter, source.integer(0, 2**16))
    case.expect(len(words) == 4 and all(0 <= word < 2**32 for word in words), "no words of 32 bits")


@target("resample_counts")
def resample_counts(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n = min(source.size(), 2000)
    counts = arrays.argument(
        arrays.whole(n, source.pick((3, 100, 10**6, 10**12)), "i8"), is_plain=True
    )
    numbers = drawn(case, n)
    found = case.call(case.native.resample_counts, counts, *numbers)
    case.expect_length(found, numbers[3], len(counts))
    case.expect(bool(np.all(found >= 0)), "fewer rows than none")
    if found.size:
        case.expect(bool(np.all(found.sum(axis=1) == np.sum(counts))), "replicates of other sizes")


@target("draw_totals")
def draw_totals(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n = min(source.size(), 2000)
    sums = arrays.floats(n, AMOUNTS)
    squares = arrays.floats(n, AMOUNTS) if source.flag() else None
    numbers = drawn(case, n)
    found = case.call(
        case.native.draw_totals, sums, squares, source.switch(), source.switch(), *numbers
    )
    case.expect_length(found, numbers[3], len(sums))


@target("resample_clusters")
def resample_clusters(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, clusters, m = min(source.size(), 2000), source.count(40), source.count(20)
    ids, cells = arrays.codes(n, clusters), arrays.codes(n, m)
    weights = arrays.weights(n, is_plain=True)
    number, is_gamma = bounded(source.integer(m, m), 1000), source.switch()
    of_clusters = bounded(source.integer(clusters, clusters), 1000)
    numbers = drawn(case, n + m)
    found = case.call(
        case.native.resample_clusters, ids, cells, weights, of_clusters, number, is_gamma, *numbers
    )
    case.expect_length(found, numbers[3], number)


@target("row_weights")
def row_weights(case: Case) -> None:
    source = case.source
    n = min(source.size(), 4000)
    number, is_gamma = bounded(source.integer(n, n), 4000), source.switch()
    numbers = drawn(case, n)
    found = case.call(case.native.row_weights, number, is_gamma, *numbers)
    case.expect_length(found, numbers[3], number)


def sides(case: Case) -> tuple[int, Any, Any]:
    """How many score levels, sums [u, 2] and squares or None."""
    source = case.source
    u = min(source.size(), 1000)
    sums = case.arrays.table(u, 2, AMOUNTS)
    return u, sums, case.arrays.table(u, 2, AMOUNTS) if source.flag() else None


@target("replicate_areas")
def replicate_areas(case: Case) -> None:
    u, sums, squares = sides(case)
    within, is_gamma = case.arrays.floats(u, ("unit",)), case.source.switch()
    numbers = drawn(case, 2 * u)
    areas, weights = case.call(
        case.native.replicate_areas, sums, squares, within, is_gamma, *numbers
    )
    case.expect_length(areas, numbers[3])
    case.expect_length(weights, numbers[3], 2)


@target("replicate_levels")
def replicate_levels(case: Case) -> None:
    u, sums, squares = sides(case)
    scores = case.arrays.floats(u, ("falling", "unit"))
    numbers = drawn(case, 2 * u)
    found, counts, _, lengths = case.call(
        case.native.replicate_levels, scores, sums, squares, case.source.switch(), *numbers
    )
    u = len(scores)
    case.expect_length(found, numbers[3], u)
    case.expect_length(counts, numbers[3], u, 2)
    case.expect(bool(np.all((lengths >= 0) & (lengths <= u))), "more score levels than there were")


@target("replicate_bins")
def replicate_bins(case: Case) -> None:
    u, sums, squares = sides(case)
    scores, n_bins = case.arrays.floats(u, ("falling", "unit")), case.source.count(30)
    bins = case.arrays.codes(u, n_bins)
    number = bounded(case.source.integer(n_bins, n_bins), 1000)
    numbers = drawn(case, 2 * u)
    found = case.call(
        case.native.replicate_bins, scores, bins, number, sums, squares, case.source.switch(),
        *numbers,
    )  # fmt: skip
    case.expect_length(found, numbers[3], 6, number)


@target("exchange_totals")
def exchange_totals(case: Case) -> None:
    source, arrays = case.source, case.arrays
    r, k, n_bits, n_heads = (source.byte() % most for most in (5, 9, 40, 9))
    m = n_bits + n_heads
    width = -(-n_bits // 8)
    bits = arrays.argument(arrays.whole(r * width, 256, "u1").reshape(r, width), is_plain=True)
    heads = arrays.argument(arrays.whole(r * n_heads, 9, "i8").reshape(r, n_heads), is_plain=True)
    out, into = arrays.codes(m, 2 * k), arrays.codes(m, 2 * k)
    totals, rows = arrays.table(2, 2 * k), arrays.floats(k)
    found = case.call(case.native.exchange_totals, bits, heads, out, into, totals, rows)
    case.expect_length(found, 3, 2 * len(heads), len(rows))
