"""Targets of compiled formulas: programs in order, and with one thing out of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target
from fuzz.targets.counts import some_tally

(
    FIELD, CONSTANT, PARAM, _ADD, _SUB, _MUL, _DIV, _POW, _GREATER, WHERE, _SQRT, _LOG, _EXP, FILL,
    DEFINED, TOTAL, PRODUCT, MAXIMUM, ROWS, COLS, OVER_PREDICTED, OVER_TRUE, CUMULATIVE, AT,
) = range(24)  # fmt: skip
BINARY, UNARY = range(3, 9), (10, 11, 12, FILL, DEFINED)
FIELD_RANKS = (1, 1, 1, 1, 0, 2, 0, 1)
REDUCING = (TOTAL, PRODUCT, MAXIMUM, CUMULATIVE, AT, ROWS, COLS)


class Listing:
    """A program written down, one instruction after another, each reading what is there."""

    def __init__(self, case: Case) -> None:
        source = case.source
        self.code: list[tuple[int, int, int, int, int]] = []
        self.ranks: list[int] = []
        self.constants = [0.0, 1.0, -1.0, float(source.byte())]
        self.param_rank = [(0, 2)[source.byte() & 1] for _ in range(source.byte() % 3)]
        self.reads_cells = source.byte() % 3 == 0
        self.is_made = True
        for _ in range(1 + source.byte() % 14):
            self.write(case)
        narrow = [slot for slot, rank in enumerate(self.ranks) if rank < 2]
        if not narrow:
            self.add(CONSTANT, 0)
            narrow = [len(self.ranks) - 1]
        self.outputs = [
            narrow[-1 - source.byte() % len(narrow)] for _ in range(1 + source.byte() % 3)
        ]
        zeros = [slot for slot in narrow if self.ranks[slot] == 0]
        if zeros and source.byte() % 4:
            self.outputs = [zeros[-1]]

    def add(self, op: int, rank: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        self.code.append((op, len(self.ranks), a, b, c))
        self.ranks.append(rank)

    def write(self, case: Case) -> None:
        """One more instruction; a field where nothing fits."""
        source = case.source
        kind = source.byte() % 8
        slots = len(self.ranks)
        a, b, c = (source.byte() % slots if slots else 0 for _ in range(3))
        if slots == 0 or kind == 0:
            field = source.byte() % len(FIELD_RANKS)
            field = 0 if field == 5 and not self.reads_cells else field
            self.add(FIELD, FIELD_RANKS[field], field)
        elif kind == 1 and self.param_rank:
            at = a % len(self.param_rank)
            self.add(PARAM, self.param_rank[at], at)
        elif kind == 1:
            self.add(CONSTANT, 0, a % len(self.constants))
        elif kind in {2, 3, 4}:
            three = kind == 4
            ranks = [self.ranks[slot] for slot in (a, b, c)[: 3 if three else 2]]
            rank = max(ranks)
            if all(each in {0, rank} for each in ranks):
                self.add(WHERE if three else source.pick(BINARY), rank, a, b, c if three else 0)
        elif kind == 5:
            self.add(source.pick(UNARY), self.ranks[a], a, b % len(self.constants))
        elif self.ranks[a] == 1:
            op = source.pick(REDUCING if self.reads_cells else REDUCING[:5])
            self.add(op, 2 if op >= ROWS and op <= COLS else 1 if op == CUMULATIVE else 0, a)
        elif self.ranks[a] == 2:
            self.add(source.pick((TOTAL, OVER_PREDICTED, OVER_TRUE)), 0, a)
            self.ranks[-1] = 0 if self.code[-1][0] == TOTAL else 1

    def arguments(self, case: Case) -> list[Any]:
        """Of Program; spoiled: a number of the code, or one of the lists, is another."""
        source = case.source
        code = np.array(self.code, np.int32).reshape(-1, 5)
        if source.is_spoiled() and len(code):
            edge = source.pick((-1, 0, 1, 2, 23, 24, 25, 100, 2**31 - 1, -(2**31)))
            code[source.byte() % len(code), source.byte() % 5] = edge
        made: list[Any] = [
            case.arrays.argument(code, is_plain=True), self.constants, list(self.ranks),
            list(self.param_rank), list(self.outputs),
        ]  # fmt: skip
        if source.is_spoiled():
            at = 1 + source.byte() % 4
            strange = (
                None,
                [],
                [-1],
                [2**31],
                ["x"],
                made[at][:-1],
                made[at] * 2,
                [99],
                5,
                [3],
                [1.5],
            )
            made[at] = source.pick(strange)
            if at == 4 and isinstance(made[at], list):
                # Where they are taken, the program has these.
                self.outputs = made[at]
        return made


def some_program(case: Case) -> tuple[Any, Listing]:
    """A program in order and its listing; of one field where that one is refused."""
    source, native = case.source, case.native
    listing = Listing(case)
    if source.rarely(64):
        listing.is_made = False
        return native.Program.__new__(native.Program), listing
    is_spoiled = source.spoiled
    source.spoiled = -1 if source.byte() < 224 else is_spoiled
    program = case.attempt(lambda: native.Program(*listing.arguments(case)))
    source.spoiled = is_spoiled
    if program is None:
        listing.param_rank, listing.outputs, listing.ranks = [], [0], [1]
        program = native.Program(np.array([[0, 0, 0, 0, 0]], "i4"), [], [1], [], [0])
    return program, listing


@target("Program")
def program(case: Case) -> None:
    case.call(case.native.Program, *Listing(case).arguments(case))


def parameters(case: Case, listing: Listing, k: int) -> Any:
    """Numbers and matrices as the program asks for."""
    source = case.source
    given: Any = []
    for rank in listing.param_rank:
        given.append(source.real(-2, 2) if rank == 0 else case.arrays.table(k, k))
    if source.is_spoiled():
        given = source.pick(
            (None, [], [None], ["x"], [1.0] * 9, 5, {}, "text", (1.0,), [[1.0]], [1.0])
        )
    return given or None


def run(case: Case, handle: Any) -> None:
    """Outputs for a tally, in the order of the program."""
    program, listing = handle
    tally = some_tally(case)
    k = tally.k
    if case.source.is_spoiled():
        tally = case.source.pick(
            (None, 1, case.native.Tally.__new__(case.native.Tally), listing, [])
        )
    found = program.run(tally, parameters(case, listing, k), case.source.integer(0, max(k - 1, 0)))
    case.expect(len(found) == len(listing.outputs), "outputs are missing")


def tables(case: Case, listing: Listing) -> dict[str, Any]:
    """Arguments of evaluate and differentiate."""
    source, arrays = case.source, case.arrays
    batch, k = source.byte() % 5, source.count(9)
    made: dict[str, Any] = {name: arrays.table(batch, k) for name in ("tp", "fp", "fn", "tn")}
    m = k * k
    if listing.reads_cells or source.rarely(8):
        if source.flag():
            m = source.byte() % 20
            made["rows"], made["cols"] = arrays.codes(m, k), arrays.codes(m, k)
        made["cells"] = arrays.table(batch, m)
    if source.is_spoiled():
        name = source.pick(("tp", "fp", "fn", "tn", "cells", "rows", "cols"))
        made[name] = source.pick((None, np.zeros((batch, k + 1)), np.zeros((0, 0)), np.zeros(3), 5))
    made["positive"] = source.integer(0, k - 1)
    made["params"] = parameters(case, listing, k)
    return made


def evaluate(case: Case, handle: Any) -> None:
    program, listing = handle
    made = tables(case, listing)
    found = program.evaluate(**made)
    case.expect(len(found) == len(listing.outputs), "outputs are missing")
    case.expect(all(len(each) == len(made["tp"]) for each in found), "tables without outputs")


def differentiate(case: Case, handle: Any) -> None:
    program, listing = handle
    made = tables(case, listing)
    values, slopes, constant, *parts, cells = program.differentiate(
        **made, stops=case.source.switch()
    )
    batch, k = np.asarray(made["tp"]).shape
    case.expect(len(values) == len(slopes) == len(listing.outputs), "outputs are missing")
    case.expect_length(constant, batch)
    for part in parts:
        case.expect_length(part, batch, k)
    case.expect(cells is None or len(cells) == batch, "tables without cells")


def begin(case: Case, handle: Any) -> None:
    """The same handle once more; what it was goes on to hold, if it was something."""
    program, listing = handle
    outputs = listing.outputs
    try:
        program.__init__(*listing.arguments(case))
    except BaseException:
        listing.outputs = outputs
        raise
    if listing.is_made:
        listing.outputs = outputs
    listing.is_made = True


members(
    "Program",
    some_program,
    {"__init__": begin, "run": run, "evaluate": evaluate, "differentiate": differentiate},
)
