"""Where rows stand and what they do to areas: bindings, refusals, every instruction set."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from karat.data.scores.ranking import pair_areas, rank
from tests.kernels.score_data import LAYOUTS, laid_out, probabilities
from tests.ranks import KINDS, column, ranked_rows
from tests.same import assert_same

pytestmark = pytest.mark.usefixtures("isa")
EXAMPLES = settings(max_examples=80, deadline=None)


def packed(scores: Any, codes: Any, own: int, k: int, weights: Any = None, rows: Any = True) -> Any:
    made = _native.pack_scores(scores, codes, own, k, weights, 1, rows)
    made.words.sort()
    made.settle()
    return made


def still(m: int) -> Any:
    """Gains of m sets in which no row moves an area."""
    return np.zeros((m, 2))


def lifts(made: Any, n: int, gain: float, *, is_straight: bool = False, k: int = 3) -> Any:
    """float64[n]: gain × how each row moves an area under precision."""
    none, out = np.zeros((1, k)), np.zeros((n, 1))
    made.add_influences(none, none, np.array([[0.0, gain] if is_straight else [gain, 0.0]]), out)
    return out[:, 0]


def stands(scores: Any, codes: Any, own: int, weights: Any) -> tuple[Any, Any]:
    """For each row, the weight of each other row that it stands above, half where tied: [n, n]."""
    s = np.asarray(scores, np.float64)
    w = np.ones(len(s)) if weights is None else weights
    above = ((s[:, None] > s) + 0.5 * (s[:, None] == s)) * w
    return above * (codes != own), (w - above) * (codes == own)


@given(ranked_rows())
@EXAMPLES
def test_placements_of_rows(case: tuple[Any, Any, int, int, Any]) -> None:
    scores, codes, own, k, weights = case
    rng, n = np.random.default_rng(len(codes)), len(codes)
    m = int(rng.integers(0, 18))
    own_gains, rest_gains = rng.normal(size=(2, m, k))
    start = rng.normal(size=(n, m))
    out = start.copy()
    packed(scores, codes, own, k, weights).add_influences(own_gains, rest_gains, still(m), out)
    below, above = stands(scores, codes, own, weights)
    wanted = np.where(
        codes == own,
        (below @ own_gains[:, codes].T).T if n else 0.0,
        rest_gains[:, codes] * above.sum(axis=1),
    )
    assert_same(out, start + wanted.T, within=1e-10)


@given(ranked_rows())
@EXAMPLES
def test_spread_of_placements(case: tuple[Any, Any, int, int, Any]) -> None:
    scores, codes, own, k, weights = case
    w = np.ones(len(codes)) if weights is None else weights
    made = packed(scores, codes, own, k, weights)
    pairs, sides, size = made.spread()
    assert_same(pairs, made.areas().sum(), within=0.0 if weights is None else 1e-12)
    below, above = (part.sum(axis=1) for part in stands(scores, codes, own, weights))
    for side, right in ((1, below), (0, above)):
        here, there = w * ((codes == own) == side), w * ((codes == own) != side)
        assert_same(sides[side, :2], [here.sum(), (here**2).sum()], within=1e-12)
        if not here.any() or not there.any():
            assert np.isnan(sides[side, 2])
            assert np.isnan(size)
            continue
        gaps = right / there.sum() - (here @ right) / here.sum() / there.sum()
        assert_same(sides[side, 2], here**2 @ gaps**2, within=1e-10)
        if side:
            assert_same(size, here @ np.abs(gaps), within=1e-10)


@pytest.mark.parametrize("n", [5, 4096, 30_011])
@pytest.mark.parametrize("kind", KINDS)
def test_without_rows_the_same_is_said(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    scores, codes = column(rng, n, kind, "f8"), rng.integers(0, 3, n).astype(np.int32)
    ours, theirs = (packed(scores, codes, 1, 3, None, rows) for rows in (False, True))
    assert_same(ours.spread()[1], theirs.spread()[1])
    assert ours.spread()[0] == theirs.spread()[0]
    assert_same(ours.spread()[2], theirs.spread()[2])
    assert_same(ours.lift_squares(), theirs.lift_squares())


def test_placements_are_exact_where_all_but_one_pair_are_right() -> None:
    """Σ(V − A)² of 10⁵ rows, of which one stands wrong: nothing cancels."""
    n = 100_000
    codes = (np.arange(n) >= n // 2).astype(np.int32)
    scores = np.arange(n, dtype=np.float64)
    scores[n // 2] = n // 2 - 1.5
    _, sides, _ = packed(scores, codes, 1, 2).spread()
    half = n // 2
    assert_same(sides[:, 2] * half**2 / (1 - 1 / half), [1.0, 1.0], within=1e-15)


# Few score levels, and so many that their lifts are made in several stretches.
@pytest.mark.parametrize("decimals", [2, 12])
def test_lifts_add_up_to_nothing(decimals: int) -> None:
    rng = np.random.default_rng(5)
    scores, codes = np.round(rng.random(5000), decimals), rng.integers(0, 3, 5000).astype(np.int32)
    for weights in (None, rng.random(5000) * rng.integers(0, 2, 5000)):
        w = np.ones(5000) if weights is None else weights
        made = packed(scores, codes, 1, 3, weights)
        for is_straight in (False, True):
            out = lifts(made, 5000, 2.0, is_straight=is_straight)
            assert abs(w @ out) < 1e-9
            squares = [(w * out / 2)[codes == 1], (w * out / 2)[codes != 1]]
            found = made.lift_squares()[int(is_straight)]
            assert_same(found, [(part**2).sum() for part in squares[::-1]], within=1e-10)


def test_pooled_rows_gather_their_items() -> None:
    rng = np.random.default_rng(6)
    values, codes = np.round(rng.random((300, 3)), 1), rng.integers(0, 3, 300).astype(np.int32)
    made = _native.pack_cells(values, codes, None, 1, True)
    made.words.sort()
    made.settle()
    flat = packed(values.ravel(), (codes[:, None] == np.arange(3)).ravel().astype(np.int32), 1, 2)
    gains = rng.normal(size=(1, 2))
    by_item, by_row = np.zeros((900, 1)), np.zeros((300, 1))
    flat.add_influences(gains, gains, still(1), by_item)
    made.add_influences(gains, gains, still(1), by_row)
    assert_same(by_row[:, 0], by_item.reshape(300, 3).sum(axis=1), within=1e-10)
    items, rows = lifts(flat, 900, 1.0, k=2), lifts(made, 300, 1.0, k=2)
    assert_same(rows, items.reshape(300, 3).sum(axis=1), within=1e-10)


def test_pairs_of_classes_name_their_rows() -> None:
    rng = np.random.default_rng(7)
    values, codes = np.round(rng.random((200, 4)), 1), rng.integers(0, 4, 200).astype(np.int32)
    pairs = _native.PairScores(values, codes, None)
    assert_same(pairs.rows(), np.argsort(codes, kind="stable"))
    placed = np.zeros(200)
    pair_areas(values, codes, 4, placed=placed)
    wanted, counts = np.zeros(200), np.bincount(codes)
    for i in range(4):
        for j in range(i + 1, 4):
            held = (codes == i) | (codes == j)
            d = (values[:, i] - values[:, j])[held]
            below, above = stands(d, codes[held], i, None)
            right = np.where(codes[held] == i, below.sum(axis=1), above.sum(axis=1))
            wanted[held] += right / (counts[i] * counts[j])
    assert_same(placed, wanted, within=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_losses_of_rows_add_up_to_the_sums(layout: str) -> None:
    rng = np.random.default_rng(8)
    values = laid_out(probabilities(rng, "any", 1003, 7), layout)
    codes, weights = rng.integers(0, 7, 1003).astype(np.int32), rng.random(1003)
    for is_prob in (True, False):
        read = _native.read_scores(values, codes, 7, weights, is_prob, 1e-3, 31 + 128, 2)
        for loss in range(4):
            of_rows = read.rows(loss)
            assert of_rows is not None
            assert_same(weights @ of_rows, read.w_loss[loss], within=1e-12)
            assert_same(
                (weights * of_rows) @ (weights * of_rows), read.w2_loss2[loss], within=1e-12
            )
        places = read.rows(4)
        assert places is not None
        assert read.ranks is not None
        assert_same(np.bincount(places.astype(int), weights, 7), read.ranks, within=1e-12)
        assert _native.read_scores(values, codes, 7, None, is_prob, 1e-3, 1, 1).rows(0) is None
        assert _native.read_scores(values, codes, 7, None, is_prob, 1e-3, 129, 1).rows(1) is None
        for wrong in (-1, 5):
            with pytest.raises(IndexError):
                read.rows(wrong)


def ready(rows: bool = True) -> Any:
    rng = np.random.default_rng(9)
    return packed(rng.random(8), (np.arange(8) % 3).astype(np.int32), 1, 3, None, rows)


def locked(shape: Any) -> Any:
    made = np.zeros(shape)
    made.flags.writeable = False
    return made


GAINS, LIFTS, OUT = np.ones((2, 3)), np.ones((2, 2)), np.zeros((8, 2))
BAD_SHAPES: dict[str, tuple[Any, ...]] = {
    "sets of own": (np.ones((1, 3)), GAINS, LIFTS, OUT),
    "sets of rest": (GAINS, np.ones((3, 3)), LIFTS, OUT),
    "sets of lifts": (GAINS, GAINS, np.ones((1, 2)), OUT),
    "classes of own": (np.ones((2, 2)), GAINS, LIFTS, OUT),
    "classes of rest": (GAINS, np.ones((2, 4)), LIFTS, OUT),
    "kinds of lifts": (GAINS, GAINS, np.ones((2, 3)), OUT),
    "rows": (GAINS, GAINS, LIFTS, np.zeros((7, 2))),
    "more rows": (GAINS, GAINS, LIFTS, np.zeros((9, 2))),
    "sets of out": (GAINS, GAINS, LIFTS, np.zeros((8, 3))),
}
BAD_KINDS: dict[str, tuple[Any, ...]] = {
    "float32 gains": (GAINS.astype("f4"), GAINS, LIFTS, OUT),
    "integers": (GAINS, GAINS.astype(int), LIFTS, OUT),
    "float32 lifts": (GAINS, GAINS, LIFTS.astype("f4"), OUT),
    "strides": (np.ones((2, 6))[:, ::2], GAINS, LIFTS, OUT),
    "turned": (np.ones((3, 2)).T, GAINS, LIFTS, OUT),
    "float32 out": (GAINS, GAINS, LIFTS, OUT.astype("f4")),
    "gaps between rows": (GAINS, GAINS, LIFTS, np.zeros((8, 3))[:, :2]),
    "one dimension": (GAINS, GAINS, LIFTS, np.zeros(16)),
    "a list": (GAINS, GAINS, LIFTS, OUT.tolist()),
    "locked": (GAINS, GAINS, LIFTS, locked((8, 2))),
}


@pytest.mark.parametrize("name", BAD_SHAPES)
def test_other_shapes_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"rows|lifts|gains must be"):
        ready().add_influences(*BAD_SHAPES[name])


@pytest.mark.parametrize("name", BAD_KINDS)
def test_arrays_that_cannot_be_added_to_are_refused(name: str) -> None:
    with pytest.raises(TypeError):
        ready().add_influences(*BAD_KINDS[name])


def test_words_that_name_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="name no rows"):
        ready(rows=False).add_influences(GAINS, GAINS, LIFTS, OUT.copy())


def test_words_that_were_altered_write_nowhere_else() -> None:
    scores, codes = np.random.default_rng(2).random(3000), np.zeros(3000, np.int32)
    gains, out = np.ones((1, 2)), np.zeros((3000, 1))
    for weights in (None, np.ones(3000)):
        for lift in (0.0, 1.0):
            made = _native.pack_scores(scores, codes, 0, 2, weights, 1, True)
            made.words[:] = 2**64 - 1
            with pytest.raises(RuntimeError, match="altered"):
                made.add_influences(gains, gains, np.full((1, 2), lift), out)
    for lift in (0.0, 1.0):
        made = packed(scores, codes, 0, 2)
        words = made.words.view(np.float64)[:, None]
        with suppress(RuntimeError):  # whatever that gives
            made.add_influences(gains, gains, np.full((1, 2), lift), words)


def test_threads_and_instruction_sets_change_no_bit(isa: str) -> None:
    rng = np.random.default_rng(3)
    codes, weights = rng.integers(0, 4, 300_001).astype(np.int32), rng.random(300_001)
    scores = rng.random(300_001)
    for w in (None, weights):
        found = []
        for each, n_threads in ((isa, 1), (isa, 3), *((name, 2) for name in _native.isas())):
            _native.use_isa(each)
            made = rank(scores, codes, 1, 4, w, n_threads, names_rows=True)
            block = np.zeros((300_001, 3))
            gains = np.array([[1.0], [0.0], [0.5]]) * np.ones((3, 4))
            made.add_influences(gains, gains, np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 1.0]]), block)
            found.append((block, *made.placements(), made.lift_squares()))
        _native.use_isa(isa)
        for other in found[1:]:
            for ours, theirs in zip(found[0], other, strict=True):
                assert_same(theirs, ours)


def test_a_wrong_reference_is_found() -> None:
    scores, codes = np.array([0.5, 0.25, 0.75]), np.array([1, 0, 1], np.int32)
    out, gains = np.zeros((3, 1)), np.ones((1, 2))
    packed(scores, codes, 1, 2).add_influences(gains, gains, still(1), out)
    below, above = stands(scores, 1 - codes, 1, None)
    with pytest.raises(AssertionError):
        assert_same(out[:, 0], below.sum(axis=1) + above.sum(axis=1))
