"""Targets of what encodes labels, and of the choice of instruction set."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import target


@target("isa")
def isa(case: Case) -> None:
    case.expect(case.call(case.native.isa) in case.native.isas(), "an unknown instruction set")


@target("isas")
def isas(case: Case) -> None:
    case.expect("baseline" in case.call(case.native.isas), "no baseline")


@target("use_isa")
def use_isa(case: Case) -> None:
    source, native = case.source, case.native
    name: Any = source.pick(
        ("baseline", "avx2", "avx512", "avx", "", "baseline\0", "é" * 50, "\ud800")
    )
    if source.is_spoiled():
        name = source.raw(source.byte() % 20).decode("latin-1") if source.flag() else source.pick(
            (None, 1, b"baseline", ["baseline"], object())
        )  # fmt: skip
    case.call(native.use_isa, name)
    case.expect(native.isa() == name, "another instruction set than asked for")


@target("Rejected")
def rejected(case: Case) -> None:
    source, native = case.source, case.native
    codes = case.arrays.codes(4, 3)
    try:
        case.call(native.pack_pairs, codes, codes, source.integer(1, 3))
    except native.Rejected as error:
        case.expect(len(error.args) in (3, 4), "a rejection without its row")
        case.expect(error.args[0] == "range" and 0 <= error.args[2] < 4, "another rejection")


@target("encode_integers")
def encode_integers(case: Case) -> None:
    source, arrays = case.source, case.arrays
    n, k = source.size(), source.pick((3, 40, 300, 70000, 2**31, 2**63))
    labels = arrays.argument(
        arrays.whole(n, k, source.pick(("i8", "i4", "u1", "i1", "u8", "u4", "i2", "?")))
    )
    if source.flag():
        codes, values = case.call(case.native.encode_integers, labels, source.threads())
    else:
        codes, values = case.call(case.native.encode_integers, labels)
    case.expect(bool(np.all(np.diff(values.astype(object)) > 0)), "values out of order")
    case.expect_length(codes, len(labels))
    if isinstance(labels, np.ndarray) and len(labels) and labels.ndim == 1:
        case.expect_same(values[codes], labels.astype("i8"), "labels")


class Awkward:
    """Compares as it likes, and does things meanwhile."""

    def __init__(self, word: int, work: Any) -> None:
        self.word, self.work = word, work

    def __hash__(self) -> int:
        if self.word % 7 == 6:
            raise TypeError("not to be hashed")
        return self.word % 3

    def __eq__(self, other: object) -> bool:
        self.work(self.word)
        if self.word % 11 == 10:
            raise ValueError("not to be compared")
        return self.word % 5 == 0


class Text(str):
    """Text of a class of its own."""

    __slots__ = ()


def some_object(case: Case, work: Any) -> Any:
    """A label of any kind."""
    source = case.source
    kind, word = source.byte(), source.byte()
    if kind < 64:
        return ("cat", "dog", "", "a" * 16, "a" * 17, "é", "\ud800", "x\0y")[word % 8] + str(
            word % 3
        )
    if kind < 112:
        return word % 8 - 2
    if kind < 144:
        return (word % 8) / 2
    return (
        None, True, 2**63, -(2**63), 2**200, float("nan"), -0.0, (1, word % 2), [word], {}, b"ab",
        Text("cat0"), Awkward(word, work), Awkward(word, work), np.float32(word % 4),
        np.int64(word % 4),
        frozenset({word % 2}), float("inf"), 1j, np.str_("dog1"),
    )[kind % 20]  # fmt: skip


@target("encode_objects")
def encode_objects(case: Case) -> None:
    source = case.source
    n = min(source.size(), 300)
    items: list[Any] = []
    # Callbacks may change what is being read.
    changes = source.byte()

    def work(word: int) -> None:
        if changes % 8 == 7 and isinstance(sequence, list):
            [sequence.clear, lambda: sequence.append(word), sequence.reverse, sequence[:1].clear][
                word % 4
            ]()
        elif changes % 8 == 6:
            table.clear()
        elif changes % 8 == 5 and isinstance(sequence, (list, np.ndarray)) and len(sequence):
            sequence[word % len(sequence)] = object()

    items += [some_object(case, work) for _ in range(min(n, 60))]
    sequence: Any = items
    shape = source.byte() % 8
    if shape in {4, 5}:
        sequence = tuple(items)
    elif shape >= 6:
        sequence = np.empty(len(items), object)
        for at, item in enumerate(items):
            sequence[at] = item
        if source.rarely(4):
            sequence = sequence[::-1] if source.flag() else np.empty(n, object)
    if source.is_spoiled():
        sequence = case.arrays.spoil(np.zeros(n))
    table: dict[Any, int] = {}
    limit = len(sequence) if hasattr(sequence, "__len__") else 0

    def on_new(item: Any, row: int) -> Any:
        case.expect(0 <= row < max(limit, 1), "a row that is none")
        answer = source.byte()
        work(answer)
        if answer >= 248:
            return (None, "x", 2**31, -(2**31) - 1, 2**80, 1.5, -1, True)[answer - 248]
        if answer == 247:
            raise ValueError("an error of the callback")
        return table.setdefault(item, len(table)) if answer % 4 else row

    arguments: list[Any] = [sequence, table, on_new]
    types: Any = {}
    if source.flag():
        arguments.append(types)
    if source.is_spoiled():
        arguments[source.byte() % len(arguments)] = source.pick(
            (None, 5, [], {}, "text", len, object())
        )
    codes = case.call(case.native.encode_objects, *arguments)
    case.expect_length(codes, len(arguments[0]))
    if len(arguments) == 4 and arguments[3] is types:
        case.expect(sum(types.values()) == len(codes), "items without a type")
