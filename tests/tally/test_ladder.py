"""The laws of a ladder: merge, bytes, and what it says of its rows."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally import Cells, Classes, Ladder, from_bytes, to_bytes
from tests.kernels import reference
from tests.ranks import KINDS, column
from tests.same import assert_same

STORED = Path(__file__).with_name("stored")


@st.composite
def ladder_rows(draw: st.DrawFn, *, is_weighted: bool) -> tuple[Any, Any, Any]:
    """Scores, whose they are, and weights in eighths, whose sums are exact, or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, 25))
    scores = column(rng, n, draw(st.sampled_from(KINDS)), "f8")
    weights = rng.integers(0, 16, n) * rng.integers(0, 2, n) / 8 if is_weighted else None
    return scores, rng.random(n) < 0.5, weights


def assert_equal(left: Ladder, right: Ladder) -> None:
    assert left.n_rows == right.n_rows
    for name in ("scores", "counts", "squares"):
        a, b = getattr(left, name), getattr(right, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            assert_same(a, b, about=name)


both_kinds = pytest.mark.parametrize("is_weighted", [False, True], ids=["counts", "weights"])


@both_kinds
@given(data=st.data())
def test_a_ladder_holds_its_rows(is_weighted: bool, data: st.DataObject) -> None:
    scores, own, weights = data.draw(ladder_rows(is_weighted=is_weighted))
    ladder = Ladder.of(scores, own, weights)
    rungs = reference.rungs(scores, own, weights)
    assert_same(ladder.scores, [rung[0] for rung in rungs])
    counts = np.array([[float(part) for part in rung[1:]] for rung in rungs]).reshape(-1, 2)
    assert_same(ladder.counts, counts)
    w = np.ones(len(scores)) if weights is None else weights
    assert (ladder.n_pos, ladder.n_neg) == (w[own].sum(), w[~own].sum())
    assert ladder.n_rows == len(scores)
    tps, fps = ladder.cumulated()
    for i, score in enumerate(ladder.scores):
        assert tps[i] == w[own & (scores >= score)].sum()
        assert fps[i] == w[~own & (scores >= score)].sum()


@both_kinds
@given(data=st.data())
def test_merge_equals_concatenation(is_weighted: bool, data: st.DataObject) -> None:
    first, second = (data.draw(ladder_rows(is_weighted=is_weighted)) for _ in range(2))
    parts = [
        None if a is None or b is None else np.concatenate([a, b])
        for a, b in zip(first, second, strict=True)
    ]
    merged = Ladder.of(*first).merge(Ladder.of(*second))
    assert_equal(merged, Ladder.of(parts[0], parts[1], parts[2]))  # type: ignore[arg-type]


@both_kinds
@given(data=st.data())
def test_merge_is_associative_and_commutative(is_weighted: bool, data: st.DataObject) -> None:
    a, b, c = (Ladder.of(*data.draw(ladder_rows(is_weighted=is_weighted))) for _ in range(3))
    assert_equal(a.merge(b).merge(c), a.merge(b.merge(c)))
    assert_equal(a.merge(b), b.merge(a))


@both_kinds
@given(data=st.data())
def test_empty_is_the_identity(is_weighted: bool, data: st.DataObject) -> None:
    ladder = Ladder.of(*data.draw(ladder_rows(is_weighted=is_weighted)))
    nothing = Ladder.empty(is_weighted=is_weighted)
    assert_equal(nothing.merge(ladder), ladder)
    assert_equal(ladder.merge(nothing), ladder)


@both_kinds
@given(data=st.data())
def test_bytes_bring_the_ladder_back(is_weighted: bool, data: st.DataObject) -> None:
    ladder = Ladder.of(*data.draw(ladder_rows(is_weighted=is_weighted)))
    assert_equal(Ladder.from_bytes(ladder.to_bytes()), ladder)
    assert_equal(pickle.loads(pickle.dumps(ladder)), ladder)


def test_rows_of_weight_0_leave_no_rung() -> None:
    ladder = Ladder.of([3.0, 2.0, 2.0, 1.0], [True, False, True, False], [0.0, 1.0, 0.0, 2.0])
    assert ladder.scores.tolist() == [2.0, 1.0]
    assert ladder.counts.tolist() == [[1.0, 0.0], [2.0, 0.0]]
    assert ladder.n_rows == 4


def test_zeros_of_both_signs_are_one_rung() -> None:
    ladder = Ladder.of([-0.0, 0.0, -0.0], [True, False, True])
    assert ladder.counts.tolist() == [[1, 2]]
    assert not np.signbit(ladder.scores).any()


def test_weighted_and_unweighted_do_not_merge() -> None:
    with pytest.raises(KaratError, match="K203"):
        Ladder.empty().merge(Ladder.empty(is_weighted=True))


LADDER = Ladder.of([0.9, 0.5, 0.5, -1.0], [True, True, False, False], [1.0, 0.5, 2.0, 0.25])


@given(cut=st.integers(0, len(LADDER.to_bytes()) - 1))
def test_truncated_bytes_are_refused(cut: int) -> None:
    with pytest.raises(KaratError, match="K205"):
        Ladder.from_bytes(LADDER.to_bytes()[:cut])


def rewritten(change: Any, ladder: Ladder = LADDER) -> bytes:
    """The bytes with another header and a right checksum."""
    data = ladder.to_bytes()
    magic, version, size = struct.unpack_from("<8sHI", data)
    header = json.loads(data[14 : 14 + size])
    change(header)
    text = json.dumps(header).encode()
    whole = struct.pack("<8sHI", magic, version, len(text)) + text + data[14 + size : -4]
    return whole + struct.pack("<I", zlib.crc32(whole))


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="cells"),
        lambda header: header.update(n_rows=-1),
        lambda header: header.pop("n_rows"),
        lambda header: header["arrays"][0].update(shape=[10**15]),
        lambda header: header["arrays"][0].update(dtype="<i8"),
        lambda header: header["arrays"][0].update(name="rows"),
        lambda header: header["arrays"][1].update(shape=[2, 3]),
        lambda header: header["arrays"][1].update(dtype="<i8"),
        lambda header: header["arrays"].pop(),
        lambda header: header.update(arrays=[]),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        Ladder.from_bytes(rewritten(change))


def test_an_unchanged_header_is_read() -> None:
    assert_equal(Ladder.from_bytes(rewritten(lambda header: None)), LADDER)


@pytest.mark.parametrize(
    ("scores", "counts"),
    [
        ([1.0, 1.0], [[1, 0], [0, 1]]),
        ([1.0, 2.0], [[1, 0], [0, 1]]),
        ([np.inf, 1.0], [[1, 0], [0, 1]]),
        ([np.nan, 1.0], [[1, 0], [0, 1]]),
        ([2.0, 1.0], [[3, -1], [0, 0]]),
        ([2.0, 1.0], [[2, 0], [0, 0]]),
        ([2.0, 1.0], [[2, 1], [0, 1]]),
    ],
)
def test_rungs_that_cannot_be_are_refused(scores: Any, counts: Any) -> None:
    bad = Ladder(np.array(scores), np.array(counts, np.int64), None, 2)
    with pytest.raises(KaratError, match="K205"):
        Ladder.from_bytes(bad.to_bytes())


def test_other_species_are_refused() -> None:
    cells = Cells.dense([[1, 2], [3, 4]], classes=Classes.of([0, 1]))
    with pytest.raises(KaratError, match="K205"):
        Ladder.from_bytes(to_bytes(cells))
    with pytest.raises(KaratError, match="K205"):
        from_bytes(LADDER.to_bytes())


def test_a_ladder_written_by_an_earlier_version_is_read() -> None:
    path = STORED / "v1-ladder.karat-ladder"
    assert_equal(Ladder.from_bytes(path.read_bytes()), LADDER)
