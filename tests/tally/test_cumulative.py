"""The laws of cumulative counts: merge, bytes, and what it says of its rows."""

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
from karat.tally import Cells, Classes, CumulativeCounts, from_bytes, to_bytes
from tests.kernels import reference
from tests.ranks import KINDS, column
from tests.same import assert_same

STORED = Path(__file__).with_name("stored")


@st.composite
def cumulative_rows(draw: st.DrawFn, *, is_weighted: bool) -> tuple[Any, Any, Any]:
    """Scores, whose they are, and weights in eighths, whose sums are exact, or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, 25))
    scores = column(rng, n, draw(st.sampled_from(KINDS)), "f8")
    weights = rng.integers(0, 16, n) * rng.integers(0, 2, n) / 8 if is_weighted else None
    return scores, rng.random(n) < 0.5, weights


def assert_equal(left: CumulativeCounts, right: CumulativeCounts) -> None:
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
def test_a_cumulative_holds_its_rows(is_weighted: bool, data: st.DataObject) -> None:
    scores, own, weights = data.draw(cumulative_rows(is_weighted=is_weighted))
    cumulative = CumulativeCounts.of(scores, own, weights)
    levels = reference.levels(scores, own, weights)
    assert_same(cumulative.scores, [level[0] for level in levels])
    counts = np.array([[float(part) for part in level[1:]] for level in levels]).reshape(-1, 2)
    assert_same(cumulative.counts, counts)
    w = np.ones(len(scores)) if weights is None else weights
    assert (cumulative.n_pos, cumulative.n_neg) == (w[own].sum(), w[~own].sum())
    assert cumulative.n_rows == len(scores)
    tps, fps = cumulative.cumulated()
    for i, score in enumerate(cumulative.scores):
        assert tps[i] == w[own & (scores >= score)].sum()
        assert fps[i] == w[~own & (scores >= score)].sum()


@both_kinds
@given(data=st.data())
def test_merge_equals_concatenation(is_weighted: bool, data: st.DataObject) -> None:
    first, second = (data.draw(cumulative_rows(is_weighted=is_weighted)) for _ in range(2))
    parts = [
        None if a is None or b is None else np.concatenate([a, b])
        for a, b in zip(first, second, strict=True)
    ]
    merged = CumulativeCounts.of(*first).merge(CumulativeCounts.of(*second))
    assert_equal(merged, CumulativeCounts.of(parts[0], parts[1], parts[2]))  # type: ignore[arg-type]


@both_kinds
@given(data=st.data())
def test_merge_is_associative_and_commutative(is_weighted: bool, data: st.DataObject) -> None:
    a, b, c = (
        CumulativeCounts.of(*data.draw(cumulative_rows(is_weighted=is_weighted))) for _ in range(3)
    )
    assert_equal(a.merge(b).merge(c), a.merge(b.merge(c)))
    assert_equal(a.merge(b), b.merge(a))


@both_kinds
@given(data=st.data())
def test_empty_is_the_identity(is_weighted: bool, data: st.DataObject) -> None:
    cumulative = CumulativeCounts.of(*data.draw(cumulative_rows(is_weighted=is_weighted)))
    nothing = CumulativeCounts.empty(is_weighted=is_weighted)
    assert_equal(nothing.merge(cumulative), cumulative)
    assert_equal(cumulative.merge(nothing), cumulative)


@both_kinds
@given(data=st.data())
def test_bytes_bring_the_cumulative_back(is_weighted: bool, data: st.DataObject) -> None:
    cumulative = CumulativeCounts.of(*data.draw(cumulative_rows(is_weighted=is_weighted)))
    assert_equal(CumulativeCounts.from_bytes(cumulative.to_bytes()), cumulative)
    assert_equal(pickle.loads(pickle.dumps(cumulative)), cumulative)


def test_rows_of_weight_0_leave_no_level() -> None:
    cumulative = CumulativeCounts.of(
        [3.0, 2.0, 2.0, 1.0], [True, False, True, False], [0.0, 1.0, 0.0, 2.0]
    )
    assert cumulative.scores.tolist() == [2.0, 1.0]
    assert cumulative.counts.tolist() == [[1.0, 0.0], [2.0, 0.0]]
    assert cumulative.n_rows == 4


def test_zeros_of_both_signs_are_one_level() -> None:
    cumulative = CumulativeCounts.of([-0.0, 0.0, -0.0], [True, False, True])
    assert cumulative.counts.tolist() == [[1, 2]]
    assert not np.signbit(cumulative.scores).any()


def test_weighted_and_unweighted_do_not_merge() -> None:
    with pytest.raises(KaratError, match="K203"):
        CumulativeCounts.empty().merge(CumulativeCounts.empty(is_weighted=True))


CUMULATIVE = CumulativeCounts.of(
    [0.9, 0.5, 0.5, -1.0], [True, True, False, False], [1.0, 0.5, 2.0, 0.25]
)


@given(cut=st.integers(0, len(CUMULATIVE.to_bytes()) - 1))
def test_truncated_bytes_are_refused(cut: int) -> None:
    with pytest.raises(KaratError, match="K205"):
        CumulativeCounts.from_bytes(CUMULATIVE.to_bytes()[:cut])


def rewritten(change: Any, cumulative: CumulativeCounts = CUMULATIVE) -> bytes:
    """The bytes with another header and a right checksum."""
    data = cumulative.to_bytes()
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
        CumulativeCounts.from_bytes(rewritten(change))


def test_an_unchanged_header_is_read() -> None:
    assert_equal(CumulativeCounts.from_bytes(rewritten(lambda header: None)), CUMULATIVE)


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
def test_levels_that_cannot_be_are_refused(scores: Any, counts: Any) -> None:
    bad = CumulativeCounts(np.array(scores), np.array(counts, np.int64), None, 2)
    with pytest.raises(KaratError, match="K205"):
        CumulativeCounts.from_bytes(bad.to_bytes())


def test_other_species_are_refused() -> None:
    cells = Cells.dense([[1, 2], [3, 4]], classes=Classes.of([0, 1]))
    with pytest.raises(KaratError, match="K205"):
        CumulativeCounts.from_bytes(to_bytes(cells))
    with pytest.raises(KaratError, match="K205"):
        from_bytes(CUMULATIVE.to_bytes())


def test_a_cumulative_written_by_an_earlier_version_is_read() -> None:
    path = STORED / "v1-ladder.karat-ladder"
    assert_equal(CumulativeCounts.from_bytes(path.read_bytes()), CUMULATIVE)
