"""Words of scores: their order, their size, and what is refused; on every instruction set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from tests.kernels import reference
from tests.ranks import KINDS, column, ranked_rows
from tests.same import assert_same

pytestmark = pytest.mark.usefixtures("isa")
EXAMPLES = settings(max_examples=80, deadline=None)


def packed(scores: Any, codes: Any, own: int, k: int, weights: Any = None) -> Any:
    made = _native.pack_scores(scores, codes, own, k, weights, 1)
    made.words.sort()
    made.settle()
    return made


@given(ranked_rows())
@EXAMPLES
def test_areas_of_rows(case: tuple[Any, Any, int, int, Any]) -> None:
    weights = case[4]
    expected = [float(area) for area in reference.areas(*case)]
    within = 0.0 if weights is None else 1e-12
    assert_same(packed(*case).areas(), expected, within=within)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 17, 2047, 2049, 5000])
def test_levels_are_the_distinct_scores(kind: str, dtype: str, n: int) -> None:
    rng = np.random.default_rng(n)
    scores = column(rng, n, kind, dtype)
    codes = rng.integers(0, 3, n).astype(np.int32)
    for weights in (None, np.ones(n)):
        found, counts, squares, rest = packed(scores, codes, 1, 3, weights).levels(n, n)
        assert rest == 0
        expected = reference.levels(scores, codes == 1)
        assert_same(found, [level[0] for level in expected])
        assert_same(counts, [[int(part) for part in level[1:]] for level in expected])
        assert (squares is None) == (weights is None)


@pytest.mark.parametrize("limit", [1, 2, 7, 100, 2048, 4999])
@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("kind", ["uniform", "rounded", "equal", "close"])
def test_levels_in_blocks_are_the_same_levels(kind: str, has_weights: bool, limit: int) -> None:
    rng, n = np.random.default_rng(limit), 5000
    scores, codes = column(rng, n, kind, "f8"), rng.integers(0, 3, n).astype(np.int32)
    # Whole stretches of score levels weigh nothing.
    weights = np.where(np.abs(scores - np.median(scores)) < 0.1, 0.0, rng.random(n))
    made = packed(scores, codes, 1, 3, weights if has_weights else None)
    *whole, _ = made.levels(n, n)
    last, blocks = n, []
    while last:
        *block, last = made.levels(last, limit)
        assert len(block[0]) <= limit
        blocks.append(block)
    for each, parts in zip(whole, zip(*blocks, strict=True), strict=True):
        assert (each is None) == (parts[0] is None)
        if each is not None:
            assert_same(np.concatenate(parts), each)
    for wrong in ((-1, 1), (n + 1, 1), (n, 0), (n, -1)):
        with pytest.raises(IndexError):
            made.levels(*wrong)


def words_of(scores: Any, k: int, weights: Any = None) -> Any:
    codes = np.zeros(len(scores), np.int32)
    return _native.pack_scores(scores, codes, 0, k, weights, 1).words


def test_words_are_as_narrow_as_the_scores_allow() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(3000)
    ends = np.concatenate([[0.0, 1.0], x])
    cases = [
        (x.astype("f4"), 2, np.uint32),
        (ends.astype("f4"), 2, np.uint32),
        (rng.normal(size=3000).astype("f4"), 2, np.uint32),
        (np.float32([-3e38, 3e38, 1e-45]), 2, np.uint64),
        # 64-bit scores that were 32-bit once.
        (ends.astype("f4").astype("f8"), 2, np.uint32),
        (rng.integers(-1000, 1000, 3000).astype("f8"), 300, np.uint32),
        (np.zeros(3000), 2**31, np.uint32),
        (x, 2, np.uint64),
        (ends, 16, np.uint64),
        (ends.astype("f4"), 300, np.uint64),
    ]
    for scores, k, dtype in cases:
        assert words_of(scores, k).dtype == dtype
    assert words_of(x.astype("f4"), 2, np.ones(3000)).dtype == np.uint64


@pytest.mark.parametrize("order", ["together", "apart"])
def test_scores_that_find_too_few_bits(order: str) -> None:
    # One denormal makes the range so wide that neighbours of 1 look equal in a word.
    rng = np.random.default_rng(1)
    n = 600
    scores = 1.0 + rng.integers(0, 50, n) * np.finfo(float).eps
    scores[:3] = 5e-324, -1e308, 1e308
    if order == "apart":
        scores[100:] = rng.random(500)
    codes = rng.integers(0, 5, n).astype(np.int32)
    weights = rng.integers(0, 4, n) / 4
    expected = [float(area) for area in reference.areas(scores, codes, 2, 5, weights)]
    made = packed(scores, codes, 2, 5, weights)
    assert_same(made.areas(), expected)
    assert_same(made.levels(600, 600)[0], np.unique(scores[weights > 0])[::-1])
    many = codes + np.int32(100_000)
    wide = packed(scores, many, 100_002, 200_000)
    assert wide.words.dtype == np.uint64
    exact = [int(area) for area in reference.areas(scores, codes, 2, 5)]
    assert_same(wide.areas()[100_000:100_005], exact)
    assert_same(wide.areas().sum(), sum(exact))


def test_every_instruction_set_gives_the_same_bits(isa: str) -> None:
    rng = np.random.default_rng(4)
    codes, weights = rng.integers(0, 5, 50_001).astype(np.int32), rng.random(50_001)
    for kind in KINDS:
        scores = column(rng, 50_001, kind, "f8")
        found = []
        for each in (isa, *_native.isas()):
            _native.use_isa(each)
            both = [packed(scores, codes, 1, 5, w) for w in (None, weights)]
            found.append([(p.words, p.areas(), p.step_area(), p.trapezoid_area()) for p in both])
        _native.use_isa(isa)
        for other in found[1:]:
            for ours, theirs in zip(found[0], other, strict=True):
                for a, b in zip(ours, theirs, strict=True):
                    assert_same(a, b)


def test_words_that_were_altered_read_nothing_else() -> None:
    scores, codes = np.random.default_rng(2).random(3000), np.zeros(3000, np.int32)
    made = _native.pack_scores(scores, codes, 0, 2, np.ones(3000), 1)
    made.words[:] = 2**64 - 1
    for call in (made.areas, made.step_area, made.trapezoid_area, lambda: made.levels(9, 3)):
        with pytest.raises(RuntimeError, match="altered"):
            call()
    whole = _native.pack_scores(scores, codes, 0, 3, None, 1)
    whole.words[:] = 2**64 - 1
    assert whole.areas().shape == whole.classes().shape == (3,)


def test_words_keep_their_memory_and_their_rows() -> None:
    scores, codes = np.random.default_rng(3).random(5000), np.arange(5000, dtype=np.int32) % 2
    expected = _native.pack_scores(scores, codes, 0, 2, np.ones(5000), 1).words.copy()
    words = _native.pack_scores(scores.copy(), codes.copy(), 0, 2, np.ones(5000), 1).words
    assert_same(words, expected)
    made = packed(scores.copy(), codes.copy(), 0, 2, np.ones(5000))
    assert_same(made.areas(), packed(scores, codes, 0, 2).areas())


@pytest.mark.parametrize(("own", "k"), [(-1, 2), (2, 2), (0, 0), (0, -1), (0, 2**31 + 1)])
def test_an_impossible_class_is_refused(own: int, k: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        _native.pack_scores(np.zeros(3), np.zeros(3, np.int32), own, k, None, 1)


BAD_VALUES = {
    "integers": np.zeros(8, np.int64),
    "float16": np.zeros(8, np.float16),
    "byteswapped": np.zeros(8, ">f8" if np.little_endian else "<f8"),
    "not aligned": np.zeros(65, np.uint8)[1:].view(np.float64),
    "two dimensions": np.zeros((8, 1)),
    "a list": [0.0] * 8,
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_an_array_that_could_be_misread_is_refused(name: str) -> None:
    bad: Any = BAD_VALUES[name]
    codes = np.zeros(8, np.int32)
    with pytest.raises(TypeError):
        _native.pack_scores(bad, codes, 0, 2, None, 1)
    matrices = (bad[:, 0], bad[..., None]) if name == "two dimensions" else (bad,)
    for matrix in matrices:
        with pytest.raises(TypeError):
            _native.pack_cells(matrix, codes, None, 1)
        with pytest.raises(TypeError):
            _native.PairScores(matrix, codes, None)
    good = np.zeros(8)
    for codes_like in (codes.astype(np.int64), np.zeros(16, np.int32)[::2]):
        with pytest.raises(TypeError):
            _native.pack_scores(good, codes_like, 0, 2, None, 1)
    for weights in (np.zeros(8, np.float32), np.zeros(16)[::2]):
        with pytest.raises(TypeError):
            _native.pack_scores(good, codes, 0, 2, weights, 1)


def test_lengths_must_be_equal() -> None:
    with pytest.raises(ValueError, match="values has 8 rows, codes has 7"):
        _native.pack_scores(np.zeros(8), np.zeros(7, np.int32), 0, 2, None, 1)
    with pytest.raises(ValueError, match="weights has 9"):
        _native.pack_scores(np.zeros(8), np.zeros(8, np.int32), 0, 2, np.zeros(9), 1)
    with pytest.raises(ValueError, match="weights has 9"):
        _native.PairScores(np.zeros((8, 2)), np.zeros(8, np.int32), np.zeros(9))
    with pytest.raises(ValueError, match="cost must be"):
        _native.weigh_scores(np.zeros((8, 2)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="cost must be"):
        _native.weigh_scores(np.zeros((8, 2)), np.zeros((4, 4))[::2, ::2])


def test_pairs_of_classes_that_are_none() -> None:
    pairs = _native.PairScores(np.zeros((8, 2)), np.zeros(8, np.int32), None)
    for i, j in ((-1, 0), (0, 2), (2, 0)):
        with pytest.raises(IndexError):
            pairs.differences(i, j)


def test_columns_that_are_none() -> None:
    for first, count in ((-1, 1), (0, 3), (2, 1), (1, 2), (0, -1), (2**62, 2**62)):
        with pytest.raises(IndexError):
            _native.copy_columns(np.zeros((8, 2)), first, count, 1)
    assert _native.copy_columns(np.zeros((8, 2)), 2, 0, 1).shape == (0, 8)


def test_a_wrong_reference_is_found() -> None:
    scores, codes = np.array([0.5, 0.25, 0.75]), np.array([1, 0, 1], np.int32)
    for wrong in (np.array([1, 1, 0], np.int32), 1 - codes):
        with pytest.raises(AssertionError):
            assert_same(packed(scores, codes, 1, 2).areas(), reference.areas(scores, wrong, 1, 2))
