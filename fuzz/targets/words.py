"""Targets of words of scores: packing, sorting, cutting and what is read off them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target

FEWEST = 8192
"""Rows of which cut words pay."""
MOST_UNSORTED = 4096
"""Rows that may be read unsorted: tied ones without order take squared time."""


def scores_arguments(case: Case) -> tuple[Any, ...]:
    """Of pack_scores."""
    source, arrays = case.source, case.arrays
    n, k = source.size(), 1 + source.count(9)
    return (
        arrays.scores(n), arrays.codes(n, k), source.integer(0, k - 1), source.integer(k, k),
        arrays.weights(n, is_plain=True), source.threads(), source.switch(),
    )  # fmt: skip


def cells_arguments(case: Case) -> tuple[Any, ...]:
    """Of pack_cells."""
    source, arrays = case.source, case.arrays
    n, k = source.size(), 1 + source.count(6)
    n = min(n, 20000)
    return (
        arrays.scores(n, k), arrays.codes(n, k), arrays.weights(n, is_plain=True), source.threads(),
        source.switch(),
    )  # fmt: skip


def fallback(case: Case) -> Any:
    """Words of four rows."""
    codes = np.array([0, 1, 1, 0], np.int32)
    values = np.array([0.5, 0.25, 0.5, 0.125])
    weights = np.ones(4) if case.source.flag() else None
    return case.native.pack_scores(values, codes, 1, 2, weights, 1, case.source.flag())


def some_words(case: Case) -> Any:
    """Words of any rows."""
    source, native = case.source, case.native
    if source.rarely(64):
        return native.PackedScores.__new__(native.PackedScores)
    is_spoiled, source.spoiled = source.spoiled, -1
    if source.rarely(4):
        packed = case.attempt(lambda: native.pack_cells(*cells_arguments(case)))
    else:
        packed = case.attempt(lambda: native.pack_scores(*scores_arguments(case)))
    source.spoiled = is_spoiled
    packed = fallback(case) if packed is None else packed
    if source.byte() % 4 or packed.n_items > MOST_UNSORTED:
        packed.sort()
    return packed


@target("pack_scores")
def pack_scores(case: Case) -> None:
    made = scores_arguments(case)
    packed = case.call(case.native.pack_scores, *made)
    case.expect(packed.n_items == len(made[0]), "words are missing")
    case.expect_length(packed.words, packed.n_items)
    classes = packed.classes()
    if made[4] is None:
        wanted = np.bincount(made[1], minlength=made[3])
        case.expect_same(classes, wanted, "rows of each class")


@target("pack_cells")
def pack_cells(case: Case) -> None:
    made = cells_arguments(case)
    packed = case.call(case.native.pack_cells, *made)
    case.expect(packed.n_items == np.size(made[0]), "words are missing")
    case.expect_length(packed.words, packed.n_items)


@target("areas_together")
def areas_together(case: Case) -> None:
    source = case.source
    columns: Any = [some_words(case) for _ in range(source.byte() % 4)]
    if source.is_spoiled():
        strange = (None, [None], columns * 2, [1], ["text"], [*columns, None], 5, {}, (len,))
        columns = source.pick(strange)
    areas = case.call(case.native.areas_together, columns, source.threads())
    case.expect(len(areas) == len(columns), "columns without areas")


@target("thread_limit")
def thread_limit(case: Case) -> None:
    limit = case.call(case.native.thread_limit, case.source.integer(-2, 300))
    case.expect(1 <= limit <= 256, f"a limit of {limit} threads")


@target("long_array")
def long_array(case: Case) -> None:
    n: Any = case.source.integer(0, 5000)
    if case.source.is_spoiled():
        n = case.source.pick((-1, 2**60, 2**63, "5", None, 1.5))
    case.expect(len(case.call(case.native.long_array, n)) == n, "another length")


@target("trim_heap")
def trim_heap(case: Case) -> None:
    case.call(case.native.trim_heap)


@target("PackedScores")
def made_packed(case: Case) -> None:
    case.call(case.native.PackedScores, *case.source.pick(((), (1,), (None, None))))


@target("CutScores")
def made_cut(case: Case) -> None:
    case.call(case.native.CutScores, *case.source.pick(((), (1,), (None, None))))


def spoil_words(case: Case, packed: Any) -> Any:
    """Whoever asks for the words may write anything into them."""
    words = packed.words
    if case.source.byte() >= 192 and len(words):
        at = case.source.byte() % len(words)
        words[at] = case.source.pick((0, 2**32 - 1, 1, 2**31, 0x12345678))
        if len(words) > MOST_UNSORTED:
            packed.sort()
    return words.sum()


def areas_of(case: Case, packed: Any) -> Any:
    """Areas that are no more than there are pairs."""
    return packed.areas().sum()


def influence(case: Case, packed: Any) -> None:
    """add_influences into memory of its own, now and then the same as a gain."""
    source, arrays = case.source, case.arrays
    # The handle knows its rows and classes only through its own answers.
    k = len(packed.classes())
    m, n = 1 + source.byte() % 12, packed.n_items
    own, rest, lifts = arrays.table(m, k), arrays.table(m, k), arrays.table(m, 2)
    out: Any = np.zeros((n, m))
    if source.is_spoiled():
        out = source.pick((
            np.zeros((n + 1, m)), np.zeros((n, m + 1)), np.zeros((m, n)).T, np.zeros((n, m), "f4"),
            None, np.broadcast_to(np.zeros(1), (n, m)), own, np.zeros((n, 2 * m))[:, ::2],
            np.zeros(n), np.zeros((n, 0)),
        ))  # fmt: skip
    if out is own and isinstance(own, np.ndarray):
        arrays.kept.clear()
    packed.add_influences(own, rest, lifts, out)


def levels(case: Case, packed: Any) -> None:
    """Score levels whose parts have one length."""
    n = packed.n_items
    last = n if case.source.flag() else case.source.integer(0, n)
    limit = max(n, 1) if case.source.flag() else case.source.integer(1, n + 1)
    scores, counts, squares, rest = packed.levels(last, limit)
    case.expect_length(counts, len(scores), 2)
    case.expect(squares is None or squares.shape == counts.shape, "squares of other score levels")
    case.expect(0 <= rest <= n, "more words to read than there are")


def points(case: Case, packed: Any) -> None:
    """What thresholds call positive, of rows without weights."""
    thresholds, tps, fps, counts = packed.points(case.source.flag())
    case.expect(len(thresholds) == len(tps) == len(fps) > 0, "points of other thresholds")
    case.expect(counts is None or counts.shape == (len(tps) - 1, 2), "counts of other score levels")


def steps(case: Case, packed: Any) -> None:
    """Some thresholds, from any place within the words."""
    n = packed.n_items
    last = n if case.source.flag() else case.source.integer(0, n)
    own = 0 if case.source.flag() else case.source.integer(0, n)
    limit = case.source.integer(1, n + 1)
    *found, left, reached = packed.steps(last, own, limit)
    case.expect(len({len(part) for part in found}) == 1, "points of other thresholds")
    case.expect(0 <= left <= last and 0 <= reached <= n, "more words to read than there are")


def cut(case: Case, packed: Any) -> Any:
    """Words of half the size, used or thrown away."""
    made = packed.cut()
    if made is not None and case.source.flag():
        made.sort()
        sober(lambda case, cut: cut.areas())(case, made)
    return made


def sober(work: Any) -> Any:
    """The same work, for which it is right to notice that somebody wrote into the words."""

    def noticing(case: Case, handle: Any) -> Any:
        try:
            return work(case, handle)
        except RuntimeError as error:
            if not any(word in str(error) for word in ("changed", "altered")):
                raise
        return None

    return noticing


MEMBERS = {
    "n_items": lambda case, packed: packed.n_items,
    "words": spoil_words,
    "sort": lambda case, packed: packed.sort(),
    "cut": cut,
    "settle": lambda case, packed: packed.settle(),
    "classes": lambda case, packed: packed.classes().sum(),
    "areas": areas_of,
    "step_area": lambda case, packed: packed.step_area(),
    "trapezoid_area": lambda case, packed: packed.trapezoid_area(),
    "spread": lambda case, packed: packed.spread(),
    "add_influences": influence,
    "lift_squares": lambda case, packed: packed.lift_squares(),
    "points": points,
    "steps": steps,
    "levels": levels,
}
members("PackedScores", some_words, {name: sober(work) for name, work in MEMBERS.items()})


def some_cut(case: Case) -> Any:
    """Cut words of rows of which they pay."""
    source, native = case.source, case.native
    if source.rarely(64):
        return native.CutScores.__new__(native.CutScores)
    n, k = FEWEST + source.byte(), 2 + source.byte() % 3
    codes = case.arrays.keep(case.arrays.copy(case.arrays.whole(n, k, "i4") % k))
    values = case.arrays.keep(case.arrays.copy(case.arrays.reals(n)))
    packed = case.attempt(lambda: native.pack_scores(values, codes, 0, k, None, 1))
    made = packed.cut() if packed is not None else None
    if made is None:
        values, codes = np.roll(np.linspace(1, 2, FEWEST), 9), np.arange(FEWEST, dtype="i4") % 2
        made = native.pack_scores(values, codes, 1, 2, None, 1).cut()
    return made


CUT_MEMBERS = {
    "words": spoil_words,
    "sort": lambda case, cut: cut.sort(),
    "areas": lambda case, cut: cut.areas(),
}
members("CutScores", some_cut, {name: sober(work) for name, work in CUT_MEMBERS.items()})
