"""`HeldSets`: the same tally and the same sample however rows come, and bytes that are checked."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from karat.errors import KaratError
from karat.tally import Classes
from karat.tally.held_sets import HeldSets
from karat.tally.row_sample import hashed_places
from karat.tally.serialization import framed, unframed
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets

N, LITTLE, MUCH = 400, 1 << 12, 1 << 30
LABELS = tuple("abcde")
SIDES = ("true", "pred", "unknown")
NAMES = (
    *(f"{x}_{y}" for x in SIDES for y in ("starts", "items")),
    "missing",
    "weights",
    "order",
    "tally",
)


def rows(n: int = N, seed: int = 0, *, is_weighted: bool = True) -> SetRows:
    rng = np.random.default_rng(seed)
    true, pred, unknown = (rng.random((n, 5)) < share for share in (0.3, 0.3, 0.02))
    weights = rng.integers(0, 5, n).astype(float) if is_weighted else None
    sides = (Sets.of_matrix(side) for side in (true, pred, unknown))
    return SetRows(Classes(LABELS), *sides, rng.random(n) < 0.05, weights)


def held(whole: SetRows, cuts: list[int], most: int) -> HeldSets:
    places = np.split(np.arange(whole.n), cuts)
    parts = [HeldSets.of(whole.at(part)) for part in places if len(part)]
    return reduce(lambda left, right: left.merge(right, most), parts[1:], parts[0].within(most))


def facts(found: HeldSets) -> list[object]:
    one, tally = found.rows, found.tally
    arrays = [one.true.starts, one.true.items, one.pred.items, one.gone, one.weights, found.order]
    arrays += [tally.counts, tally.profiles, tally.n_rows, tally.row_weights]
    listed = [None if part is None else part.tolist() for part in arrays]
    return [found.n, found.is_sample, found.classes.labels, *listed]


@pytest.mark.parametrize("most", [LITTLE, MUCH])
@pytest.mark.parametrize("cuts", [[], [1], [200], [20, 21, 300], list(range(7, N, 7))])
def test_batches_do_not_matter(cuts: list[int], most: int) -> None:
    whole = rows()
    found = held(whole, cuts, most)
    assert facts(found) == facts(HeldSets.of(whole).within(most))
    assert found.is_sample == (most == LITTLE)
    assert found.tally.counts.tolist() == whole.tally.counts.tolist()
    if found.is_sample:
        assert found.rows.n == LITTLE // 256


def test_every_row_is_as_likely_in_the_sample() -> None:
    firsts = [np.argsort(hashed_places(start, N))[:16] for start in range(0, 50 * N, N)]
    times = np.bincount(np.concatenate(firsts), minlength=N)
    # Poisson of mean 2 in each place.
    assert times.max() <= 9
    assert times.var() == pytest.approx(2.0, rel=0.25)


def test_labels_that_come_later_are_in_no_row_of_before() -> None:
    def alone(label: str, n: int) -> HeldSets:
        sets = Sets.of_matrix(np.ones((n, 1)))
        return HeldSets.of(SetRows(Classes((label,)), sets, sets))

    for most in (MUCH, 512):
        found = alone("b", 40).within(most).merge(alone("a", 60).within(most), most)
        assert found.classes.labels == ("a", "b")
        assert found.tally.counts[0].tolist() == [60, 40]
        named = found.renamed([7, 3])
        assert named.classes.labels == (3, 7)
        assert named.tally.counts[0].tolist() == [40, 60]
        assert named.rows.tally.counts[0].tolist() == found.rows.tally.counts[0].tolist()[::-1]
        assert named.on(Classes((7, 5, 3))).tally.counts[0].tolist() == [60, 0, 40]


def test_what_does_not_go_together_is_refused_at_once() -> None:
    one = HeldSets.of(rows())
    for other, code in (
        (rows(is_weighted=False), "K203"),
        (replace(rows(), classes=Classes((1, 2, 3, 4, 5))), "K108"),
    ):
        with pytest.raises(KaratError) as caught:
            one.merge(HeldSets.of(other), MUCH)
        assert caught.value.code == code


@pytest.mark.parametrize("most", [LITTLE, MUCH])
def test_bytes(most: int) -> None:
    found = HeldSets.of(rows()).within(most)
    data = found.to_bytes()
    assert facts(HeldSets.from_bytes(data)) == facts(found)

    def altered(name: str, change: object) -> bytes:
        def again(header: dict, arrays: dict) -> bytes:
            if callable(change):
                arrays[name] = change(arrays[name])
            else:
                header[name] = change
            return framed({k: v for k, v in header.items() if k != "arrays"}, arrays)

        return unframed(data, NAMES, again, NAMES)

    def first(values: np.ndarray, value: int) -> np.ndarray:
        values[0] = value
        return values

    wrong = {
        "n": (-1, found.n - 1 if most == MUCH else 3, "many"),
        "species": ("cells",),
        "labels": (["a"], ["a"] * 5),
        "true_items": (lambda x: first(x, 9), lambda x: first(x, -1), lambda x: x[1:]),
        "pred_items": (lambda x: x[::-1].copy(), lambda x: x.astype(np.int64)),
        "unknown_starts": (lambda x: first(x, 1), lambda x: x[:-1]),
        "missing": (lambda x: first(x, 2), lambda x: x[1:]),
        "weights": (lambda x: first(x, -1), lambda x: x[1:]),
    }
    if found.is_sample:
        wrong |= {"order": (lambda x: x[::-1].copy(), lambda x: x[1:]), "tally": (lambda x: x[1:],)}
    for name, changes in wrong.items():
        for change in changes:
            with pytest.raises(KaratError) as caught:
                HeldSets.from_bytes(altered(name, change))
            assert caught.value.code == "K205", name
