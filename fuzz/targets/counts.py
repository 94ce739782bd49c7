"""Targets of what counts labels, and of its tallies."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target


def some_tally(case: Case) -> Any:
    """A tally of integers, or of codes, of any size; of three rows where that one is refused."""
    native, source, arrays = case.native, case.source, case.arrays
    n, k = source.size() or 1, source.count(12)
    is_spoiled, source.spoiled = source.spoiled, -1
    tally = None
    if source.flag():
        tally = case.attempt(
            lambda: native.count_codes(
                arrays.codes(n, k), 0, None, arrays.codes(n, k), 0, None, k, arrays.weights(n),
                source.flag(), source.threads(),
            )
        )  # fmt: skip
    else:
        tally = case.attempt(
            lambda: native.count_integers(
                arrays.labels(n, k), arrays.labels(n, k), arrays.weights(n), source.flag(), 1
            )
        )
    source.spoiled = is_spoiled
    if tally is None:
        three = np.array([0, 1, 1])
        tally = native.count_integers(three, three[::-1], None, True, 1)
    return tally


def check_tally(case: Case, tally: Any, n: int) -> None:
    """Every row is one cell."""
    case.expect(tally.n_rows == n, "rows are missing from a tally")
    tp, _, fn = tally.marginal_rows()
    case.expect_length(tp, tally.k)
    if not tally.weighted:
        case.expect(int(tp.sum()) + int(fn.sum()) == n, "marginals do not sum to the rows")
        if tally.has_cells:
            case.expect(int(tally.cells().sum()) == n, "cells do not sum to the rows")


@target("count_integers")
def count_integers(case: Case) -> None:
    n, k, arrays, source = case.source.size(), case.source.count(40), case.arrays, case.source
    truth, pred = arrays.labels(n, k), arrays.labels(n, k)
    tally = case.call(
        case.native.count_integers,
        truth,
        pred,
        arrays.weights(n),
        source.switch(),
        source.threads(),
    )
    if tally is not None:
        check_tally(case, tally, len(truth))


@target("count_agreement")
def count_agreement(case: Case) -> None:
    n, k, arrays = case.source.size(), case.source.count(40), case.arrays
    truth, pred = arrays.labels(n, k), arrays.labels(n, k)
    tally = case.call(case.native.count_agreement, truth, pred, case.source.threads())
    if tally is not None:
        alike = sum(part.sum() for part in (tally.marginal_rows()[0],))
        known = isinstance(truth, np.ndarray) and isinstance(pred, np.ndarray)
        if known and truth.dtype.kind == pred.dtype.kind:
            case.expect(int(alike) == int(np.sum(truth == pred)), "labels alike are miscounted")


@target("count_codes")
def count_codes(case: Case) -> None:
    n, k, arrays, source = case.source.size(), case.source.count(40), case.arrays, case.source
    columns: list[Any] = []
    for _ in range(2):
        base = source.integer(-3, 3)
        lut = None
        codes = arrays.whole(n, k, source.pick(("i4", "i8", "u1", "i1", "u8", "i2")))
        if source.flag():
            lut = arrays.codes(source.count(50), k + source.byte() // 128)
            if source.flag() and isinstance(lut, np.ndarray) and lut.dtype == "i4":
                lut = arrays.keep(arrays.copy(np.where(lut == 1, -1, lut).astype("i4")))
        if isinstance(base, int) and -128 <= base <= 127 and codes.dtype.kind == "i":
            codes = codes + codes.dtype.type(base)
        columns += [arrays.argument(codes), base, lut]
    tally = case.call(
        case.native.count_codes, *columns, source.pick((k, k + 1, 64, 65, 300)) if source.flag()
        else source.integer(k, k), arrays.weights(n), source.switch(), source.threads(),
    )  # fmt: skip
    check_tally(case, tally, len(columns[0]))


@target("Tally")
def made(case: Case) -> None:
    case.call(case.native.Tally, *case.source.pick(((), (1,), (None, None))))


MEMBERS = {
    "k": lambda case, tally: tally.k,
    "n_rows": lambda case, tally: tally.n_rows,
    "weighted": lambda case, tally: tally.weighted,
    "has_cells": lambda case, tally: tally.has_cells,
    "labels": lambda case, tally: tally.labels,
    "cells": lambda case, tally: tally.cells().sum(),
    "squares": lambda case, tally: tally.squares().sum(),
    "marginals": lambda case, tally: [part.sum() for part in tally.marginals()],
    "marginal_rows": lambda case, tally: check_tally(case, tally, tally.n_rows),
    "marginal_squares": lambda case, tally: [part.sum() for part in tally.marginal_squares()],
}


def some_handle(case: Case) -> Any:
    """A tally, or once in a while one that was never made."""
    if case.source.rarely(64):
        return case.native.Tally.__new__(case.native.Tally)
    return some_tally(case)


members("Tally", some_handle, MEMBERS)
