"""Targets of variances, limits and score levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import target

POSITIVE = ("unit", "few", "wide", "rising")


@target("table_variances")
def table_variances(case: Case) -> None:
    source, arrays = case.source, case.arrays
    d, k = source.byte() % 4, source.count(9)
    m, named = k * k, {}
    if source.flag():
        m = source.byte() % 30
        named = {"rows": arrays.codes(m, k), "cols": arrays.codes(m, k)}
    weights = arrays.floats(m, POSITIVE)
    slopes = arrays.argument(arrays.reals(d * 3 * k).reshape(d, 3, k), is_plain=True)
    if source.flag():
        named["squares"] = arrays.floats(m, POSITIVE)
    if source.flag():
        named["listed"] = arrays.table(d, m)
    found = case.call(
        case.native.table_variances, weights, slopes, **named, is_by_true=source.switch()
    )
    case.expect_length(found, len(slopes))


@target("beta_quantiles")
def beta_quantiles(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n = min(source.size(), 40)
    a, b, p = arrays.floats(n, POSITIVE), arrays.floats(n, POSITIVE), source.real()
    found = case.call(case.native.beta_quantiles, a, b, p)
    case.expect_length(found, len(a))
    inside = np.isnan(found) | ((found >= 0) & (found <= 1))
    case.expect(bool(np.all(inside)), "a quantile beyond 0 to 1")
    with np.errstate(all="ignore"):
        defined = np.isfinite(a) & np.isfinite(b) & (np.asarray(a) > 0) & (np.asarray(b) > 0)
    if 0 <= p <= 1:
        case.expect_same(~np.isnan(found), defined, "where a quantile is")
    else:
        case.expect(bool(np.all(np.isnan(found))), "a quantile of no probability")


@target("follow_curve")
def follow_curve(case: Case) -> None:
    source, arrays = case.source, case.arrays
    k = min(source.size(), 300)
    made = (arrays.table(2, k), arrays.table(2, k), arrays.table(2, 4, ("few", "unit")))
    numbers: list[Any] = [source.real(-2, 2) for _ in range(4)]
    found, slopes = case.call(case.native.follow_curve, *made, *numbers, source.real(0, 100))
    case.expect_length(found, 4, made[0].shape[1])
    case.expect_length(slopes, made[0].shape[1], 4)


@target("combine_classes")
def combine_classes(case: Case) -> None:
    k = min(case.source.size(), 1000)
    made = [case.arrays.floats(k) for _ in range(5)]
    factors, _, _, still = case.call(case.native.combine_classes, *made)
    case.expect_length(factors, 3, len(made[0]))
    case.expect(0 <= still <= len(made[0]), "more classes than there are")


@target("take_levels")
def take_levels(case: Case) -> None:
    source, arrays = case.source, case.arrays
    sides = []
    for _ in range(2):
        n = min(source.size(), 2000)
        with np.errstate(all="ignore"):
            values = np.sort(arrays.reals(n, ("unit", "few", "normal")))[::-1]
        if source.byte() < 224:
            values = np.unique(values)[::-1]
        sides.append(arrays.argument(values, is_plain=True))
    cuts = arrays.argument(
        np.sort(arrays.reals(source.byte() % 20, ("unit", "normal"))), is_plain=True
    )
    dropped = source.integer(0, 62)
    taken = case.call(case.native.take_levels, *sides, dropped, cuts)
    case.expect(bool(np.all((taken >= 1) & (taken <= 3))), "a score level of no side")
    if dropped == 0:
        for bit, side in zip((1, 2), sides, strict=True):
            case.expect(
                int(np.sum(taken & bit != 0)) == len(side), "score levels of a side are missing"
            )


def falling(case: Case, u: int) -> Any:
    """Scores of score levels, best first."""
    with np.errstate(all="ignore"):
        values = np.sort(case.arrays.reals(u, ("unit", "few", "normal")))[::-1]
    return case.arrays.argument(values, is_plain=True)


def of_levels(case: Case, u: int) -> Any:
    """Counts [u, 2] of rest and own, whole or weighted."""
    arrays = case.arrays
    if case.source.flag():
        return arrays.table(u, 2, POSITIVE)
    return arrays.argument(arrays.whole(2 * u, 9, "i8").reshape(u, 2), is_plain=True)


@target("bin_levels")
def bin_levels(case: Case) -> None:
    source, arrays = case.source, case.arrays
    u = min(source.size(), 1000)
    scores, counts = falling(case, u), of_levels(case, u)
    squares = arrays.table(u, 2, POSITIVE) if source.flag() else None
    ends = arrays.argument(
        np.sort(arrays.reals(source.byte() % 30, ("unit", "normal"))), is_plain=True
    )
    found = case.call(case.native.bin_levels, scores, counts, squares, ends, source.switch())
    case.expect_length(found, 6, len(ends) + 1)


@target("pool_levels")
def pool_levels(case: Case) -> None:
    source, arrays = case.source, case.arrays
    m = min(source.size(), 1000)
    counts = of_levels(case, m)
    lengths = arrays.argument(arrays.whole(m, 4, "i8"), is_plain=True)
    found, sums = case.call(case.native.pool_levels, counts, lengths)
    case.expect(len(found) == len(sums) <= len(lengths), "more blocks than there were")
    case.expect(int(found.sum()) == int(np.sum(lengths)), "score levels are missing")


@target("covariance")
def covariance(case: Case) -> None:
    source, arrays = case.source, case.arrays
    d, n = source.byte() % 4, min(source.size(), 3000)
    phi = arrays.table(d, n)
    weights, squares = (arrays.weights(n, is_plain=True) for _ in range(2))
    found = case.call(case.native.covariance, phi, weights, squares, source.byte() / 2.0)
    case.expect_length(found, len(phi), len(phi))


def of_line(case: Case) -> tuple[Any, Any, Any]:
    arrays, n = case.arrays, min(case.source.size(), 5000)
    left, right = (arrays.floats(n, ("unit", "few", "same")) for _ in range(2))
    return arrays.floats(n), left, right


@target("logistic_moments")
def logistic_moments(case: Case) -> None:
    line = (case.source.byte() / 16.0 - 8.0 for _ in range(3))
    found = case.call(case.native.logistic_moments, *of_line(case), *line)
    case.expect(len(found) == 6, "other moments")


@target("logistic_squares")
def logistic_squares(case: Case) -> None:
    numbers = [case.source.byte() / 16.0 - 8.0 for _ in range(5)]
    case.call(case.native.logistic_squares, *of_line(case), *numbers)


@target("add_by_class")
def add_by_class(case: Case) -> None:
    source, arrays = case.source, case.arrays
    r, m, k = source.byte() % 5, min(source.size(), 2000), source.count(9)
    values = arrays.table(r, m)
    if source.flag():
        values = arrays.argument(arrays.whole(r * m, 9, "i8").reshape(r, m), is_plain=True)
    codes = arrays.codes(m, k, "i8")
    found = case.call(case.native.add_by_class, values, codes, k)
    case.expect_length(found, len(values), k)


@target("square_by_class")
def square_by_class(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, m, k = min(source.size(), 2000), source.byte() % 5, source.count(9)
    values, codes = arrays.table(n, m + source.byte() % 3), arrays.codes(n, k)
    squares = arrays.weights(n, is_plain=True)
    offsets = arrays.table(m, k)
    found = case.call(case.native.square_by_class, values, codes, squares, offsets)
    case.expect_length(found, *offsets.shape)


@target("join_levels")
def join_levels(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, width = min(source.size(), 2000), source.byte() % 5
    taken = arrays.whole(n, 3, "u1") + np.uint8(1)
    if source.rarely(16) and n:
        taken[source.byte() % n] = source.byte()
    dtype = source.pick(("f8", "i8"))
    sides: list[Any] = []
    for bit in (1, 2):
        u = int(np.sum(taken & bit != 0))
        values = (
            arrays.reals(u * max(width, 1))
            if dtype == "f8"
            else arrays.whole(u * max(width, 1), 9, "i8")
        )
        sides.append(arrays.argument(values.reshape(u, width) if width else values, is_plain=True))
    chosen = arrays.argument(taken, is_plain=True)
    found = case.call(case.native.join_levels, chosen, *sides, source.integer(0, 2))
    case.expect(len(found) == len(chosen), "score levels are missing")
