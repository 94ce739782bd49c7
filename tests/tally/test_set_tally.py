"""`SetTally`: what is counted of sets, what merges, what is not known, and bytes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.data.accumulator import SlicesLater, Tallies, accumulate
from karat.data.scores.storage import ScoreParts
from karat.errors import KaratError
from karat.tally import Classes
from karat.tally.set_checks import inconsistency_of_sets
from karat.tally.set_tally import SetRows, SetTally
from karat.tally.sets import Sets
from tests.six_rows import KNOWN, PRED, TRUE, WEIGHTS

FOUR = Classes(tuple("abcd"), is_declared=True)


def tally(at: Any = slice(None), **given: Any) -> SetTally:
    found = {name: None if x is None else x[at] for name, x in given.items()}
    return SetTally.of(FOUR, Sets.of_matrix(TRUE[at]), Sets.of_matrix(PRED[at]), **found)


def random_sets(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng([38, seed])
    true, pred = rng.random((n, k)) < 0.3, rng.random((n, k)) < 0.3
    return true, pred, rng.random((n, k)) < 0.1, rng.integers(0, 4, n).astype(float)


def same(left: SetTally, right: SetTally) -> bool:
    names = ("counts", "profiles", "n_rows", "weights", "squares", "row_weights", "row_squares")
    pairs = [(getattr(left, name), getattr(right, name)) for name in names]
    return left.n_unknown == right.n_unknown and all(
        (a is None) == (b is None) and (a is None or np.array_equal(a, b)) for a, b in pairs
    )


def test_tables_and_profiles_by_hand() -> None:
    found = tally()
    assert found.counts.tolist() == [[2, 1, 0, 1], [0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
    assert found.fields.tn.tolist() == [4, 3, 3, 5]
    each = {tuple(row): n for row, n in zip(found.profiles.tolist(), found.n_rows, strict=True)}
    assert each == {
        (2, 1, 1, 0): 1,
        (1, 2, 1, 0): 1,
        (0, 0, 0, 0): 1,
        (3, 2, 2, 0): 1,
        (1, 0, 0, 0): 1,
        (0, 1, 0, 0): 1,
    }
    rows = found.fields_of_rows
    assert (rows.tp + rows.fp + rows.fn + rows.tn == 4).all()


def test_unknown_cells_count_nowhere() -> None:
    found = tally(unknown=None)
    sets = Sets.of_matrix(1 - KNOWN)
    found = SetTally.of(FOUR, Sets.of_matrix(TRUE), Sets.of_matrix(PRED), unknown=sets)
    assert found.counts[:3].tolist() == [[2, 1, 0, 1], [0, 1, 1, 0], [0, 0, 2, 0]]
    known = found.fields.tp + found.fields.fp + found.fields.fn + found.fields.tn
    assert known.tolist() == [5, 4, 5, 4]
    assert (found.n, found.n_unknown) == (6, 1)
    # The third row is unknown whole: as a row that is missing.
    missing = SetTally.of(
        FOUR,
        Sets.of_matrix(TRUE),
        Sets.of_matrix(PRED),
        unknown=Sets.of_matrix((1 - KNOWN) * (np.arange(6) != 2)[:, None]),
        missing=np.arange(6) == 2,
    )
    assert same(found, missing)
    # The control: where the cell is known, the row's miss of d and its hit count.
    assert not same(found, tally())


@pytest.mark.parametrize("is_weighted", [False, True])
def test_counts_are_those_of_the_matrix(is_weighted: bool) -> None:
    true, pred, unknown, w = random_sets(1, 300, 7)
    found = SetTally.of(
        Classes(tuple(range(7))),
        Sets.of_matrix(true),
        Sets.of_matrix(pred),
        w if is_weighted else None,
        Sets.of_matrix(unknown),
    )
    known, own = ~unknown, w[:, None] if is_weighted else 1
    fields = found.fields
    for name, cells in (
        ("tp", true & pred),
        ("fp", ~true & pred),
        ("fn", true & ~pred),
        ("tn", ~true & ~pred),
    ):
        assert np.allclose(getattr(fields, name), (own * (cells & known)).sum(axis=0), rtol=1e-13)
    if is_weighted:
        assert found.squares is not None
        assert np.allclose(found.squares[0], (own**2 * (true & pred & known)).sum(axis=0))
    assert found.counts.dtype == np.int64


@pytest.mark.parametrize("is_weighted", [False, True])
def test_merge_equals_concatenation_in_any_order(is_weighted: bool) -> None:
    w = WEIGHTS if is_weighted else None
    whole = tally(weights=w)
    parts = [tally(slice(i, i + 2), weights=w) for i in (0, 2, 4)]
    for first, second, third in itertools.permutations(parts):
        assert same(first.merge(second).merge(third), whole)
        assert same(first.merge(second.merge(third)), whole)
    empty = SetTally.empty(FOUR, is_weighted=is_weighted)
    assert same(whole.merge(empty), whole)
    assert same(empty.merge(whole), whole)


def test_labels_that_were_discovered_are_united() -> None:
    left = SetTally.of(Classes(("a",)), Sets.of_matrix(TRUE[:, :1]), Sets.of_matrix(PRED[:, :1]))
    bd = TRUE[:, [1, 3]], PRED[:, [1, 3]]
    right = SetTally.of(Classes(("b", "d")), *map(Sets.of_matrix, bd))
    both = left.merge(right)
    assert both.classes.labels == ("a", "b", "d")
    assert both.counts[:3].tolist() == [[2, 1, 1], [0, 1, 0], [0, 1, 0]]
    # A label that the other part does not know is in none of its rows.
    assert (both.fields.tp + both.fields.fp + both.fields.fn + both.fields.tn == 12).all()
    with pytest.raises(KaratError) as caught:
        left.merge(SetTally.empty(Classes((1, 2))).on(Classes((1, 2))))
    assert caught.value.code == "K108"
    with pytest.raises(KaratError) as caught:
        left.merge(tally())
    assert caught.value.code == "K201"
    with pytest.raises(KaratError) as caught:
        tally().merge(tally(weights=WEIGHTS))
    assert caught.value.code == "K203"


def test_a_missing_row_stays_unknown_of_labels_that_come_later() -> None:
    gone = SetTally.of(
        Classes(("a",)),
        Sets.of_matrix([[1], [0]]),
        Sets.of_matrix([[1], [0]]),
        missing=np.array([False, True]),
    )
    later = SetTally.of(Classes(("b",)), Sets.of_matrix([[1]]), Sets.of_matrix([[1]]))
    both = gone.merge(later)
    assert (both.fields.tp + both.fields.fp + both.fields.fn + both.fields.tn).tolist() == [2, 2]
    assert (both.n, both.n_unknown) == (3, 1)


def test_subtract_undoes_a_merge() -> None:
    whole, part, rest = tally(), tally(slice(0, 2)), tally(slice(2, 6))
    assert same(whole.subtract(part), rest)
    with pytest.raises(KaratError) as caught:
        part.subtract(whole)
    assert caught.value.code == "K208"
    with pytest.raises(KaratError) as caught:
        tally(weights=WEIGHTS).subtract(tally(slice(0, 2), weights=WEIGHTS))
    assert caught.value.code == "K217"


@pytest.mark.parametrize("is_weighted", [False, True])
def test_bytes_give_the_tally_back(is_weighted: bool) -> None:
    whole = tally(weights=WEIGHTS if is_weighted else None)
    data = whole.to_bytes()
    back = SetTally.from_bytes(data)
    assert same(back, whole)
    assert back.classes == whole.classes
    for cut in (0, 10, len(data) - 1):
        with pytest.raises(KaratError) as caught:
            SetTally.from_bytes(data[:cut])
        assert caught.value.code == "K205"


def test_contradictions_are_seen() -> None:
    whole, weighted = tally(), tally(weights=WEIGHTS)
    assert inconsistency_of_sets(whole) is None
    assert inconsistency_of_sets(weighted) is None
    damaged = [
        replace(whole, counts=whole.counts[:, :3]),
        replace(whole, counts=whole.counts + 1),
        replace(whole, counts=-whole.counts),
        replace(whole, profiles=whole.profiles[:, :3]),
        replace(whole, profiles=whole.profiles + np.array([0, 0, 9, 0])),
        replace(whole, profiles=whole.profiles + np.array([9, 0, 0, 0])),
        replace(whole, profiles=whole.profiles[::-1], n_rows=whole.n_rows[::-1]),
        replace(whole, n_unknown=-1),
        replace(whole, weights=whole.counts.astype(float)),
        replace(weighted, squares=weighted.squares * 100),
        replace(weighted, counts=weighted.counts * 0),
    ]
    assert all(inconsistency_of_sets(one) is not None for one in damaged)


def test_rows_by_place() -> None:
    sets = Sets.of_matrix(TRUE)
    for some in (np.array([3, 0, 0]), np.array([True, False] * 3)):
        assert np.array_equal(sets.at(some).matrix(4), TRUE[some].astype(bool))
    moved = sets.recoded(np.array([3, 2, 1, 0], np.int32), 4)
    assert np.array_equal(moved.matrix(4), TRUE[:, ::-1].astype(bool))
    assert (np.diff(moved.keys(4)) > 0).all()
    both = sets.joined(Sets.of_matrix(PRED))
    assert np.array_equal(both.matrix(4), np.concatenate([TRUE, PRED]).astype(bool))


def test_rows_of_batches_are_those_of_one_call() -> None:
    def rows(at: slice, labels: str) -> SetRows:
        places = ["abcd".index(label) for label in labels]
        sides = (Sets.of_matrix(side[at][:, places]) for side in (TRUE, PRED))
        unknown = Sets.of_matrix((1 - KNOWN)[at][:, places])
        return SetRows(Classes(tuple(labels)), *sides, unknown, weights=WEIGHTS[at])

    class Source:
        later = SlicesLater()

        def batches(self, first: int = 0) -> Iterator[SetRows]:
            yield from [rows(slice(0, 2), "abcd"), rows(slice(2, 6), "abcd")][first:]

        def numbering(self, place: int) -> Any:
            return nullcontext()

        def finished(self, found: Tallies) -> Tallies:
            return found

    found = accumulate(Source(), ScoreParts(0))
    assert found.sets is not None
    assert (found.n_rows, found.classes) == (6, Classes(tuple("abcd")))
    assert same(found.sets.tally, rows(slice(0, 6), "abcd").tally)
    # Labels that come later are united, and no row of before has them.
    both = rows(slice(0, 3), "ac").merge(rows(slice(3, 6), "bd"))
    assert both.classes.labels == ("a", "b", "c", "d")
    assert same(both.tally, rows(slice(0, 3), "ac").tally.merge(rows(slice(3, 6), "bd").tally))
    with pytest.raises(KaratError) as caught:
        both.merge(replace(both, weights=None))
    assert caught.value.code == "K203"
