"""The laws of a sample of rows: what it keeps depends on the rows alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally.row_sample import RowSample, _hashed, _inconsistency
from tests.same import assert_same
from tests.tally.score_tables import at, rewritten

STORED = Path(__file__).with_name("stored")
FIELDS = ("values", "codes", "weights", "repeats", "hashes")

both_kinds = pytest.mark.parametrize("is_weighted", [False, True], ids=["rows", "weights"])


@st.composite
def sampled_rows(draw: st.DrawFn, *, is_weighted: bool) -> tuple[Any, Any, int, int, Any]:
    """Few distinct rows of two scores, classes, k, the limit, weights or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, 60))
    values = rng.integers(0, 4, (n, 2)) / 4.0 - 0.0
    weights = rng.integers(0, 3, n) / 2.0 if is_weighted else None
    return values, rng.integers(0, 3, n), 3, 5, weights


def assert_equal(left: RowSample, right: RowSample) -> None:
    assert (left.k, left.limit) == (right.k, right.limit)
    for name in FIELDS:
        a, b = getattr(left, name), getattr(right, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            assert_same(a, b, about=name)


def taken(rows: tuple[Any, Any, int, int, Any], part: Any) -> RowSample:
    values, codes, k, limit, weights = rows
    return RowSample.of(
        values[part], codes[part], k, limit, None if weights is None else weights[part]
    )


@both_kinds
@given(data=st.data())
def test_a_sample_holds_distinct_rows_and_how_often_they_occurred(
    is_weighted: bool, data: st.DataObject
) -> None:
    rows = data.draw(sampled_rows(is_weighted=is_weighted))
    values, codes, k, limit, weights = rows
    sample = RowSample.of(*rows)
    ones = np.ones(len(codes))
    told = np.column_stack([values, codes, ones if weights is None else weights])
    held = ones[: len(sample)] if weights is None else sample.weights
    kept = np.column_stack([sample.values, sample.codes, held])
    for row, repeats in zip(kept, sample.repeats, strict=True):
        assert (told == row).all(axis=1).sum() == repeats
    for c in range(k):
        distinct = len(np.unique(told[codes == c], axis=0))
        assert (sample.codes == c).sum() == min(distinct, limit)
        assert (np.diff(sample.hashes[sample.codes == c]) > 0).all()


@both_kinds
@given(data=st.data())
def test_any_partition_order_and_tree_of_merges_samples_alike(
    is_weighted: bool, data: st.DataObject
) -> None:
    rows = data.draw(sampled_rows(is_weighted=is_weighted))
    n = len(rows[1])
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    cuts = np.sort(rng.integers(0, n + 1, data.draw(st.integers(0, 5))))
    parts = [taken(rows, part) for part in np.split(rng.permutation(n), cuts)]
    while len(parts) > 1:
        one, other = (parts.pop(int(rng.integers(len(parts)))) for _ in range(2))
        parts.append(one.merge(other))
    assert_equal(parts[0], RowSample.of(*rows))


@both_kinds
@given(data=st.data())
def test_empty_is_the_identity(is_weighted: bool, data: st.DataObject) -> None:
    sample = RowSample.of(*data.draw(sampled_rows(is_weighted=is_weighted)))
    nothing = RowSample.empty(2, 3, 5, is_weighted=is_weighted)
    assert_equal(nothing.merge(sample), sample)
    assert_equal(sample.merge(nothing), sample)


@both_kinds
@given(data=st.data())
def test_bytes_bring_the_sample_back(is_weighted: bool, data: st.DataObject) -> None:
    sample = RowSample.of(*data.draw(sampled_rows(is_weighted=is_weighted)))
    assert_equal(RowSample.from_bytes(sample.to_bytes()), sample)


def test_a_float32_is_the_float64_that_it_equals_and_a_zero_has_no_sign() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.random((40, 3)), [[0.0, -0.0, 0.0]]]).astype(np.float32)
    one = RowSample.of(values, np.zeros(41, int), 1, 16)
    assert_equal(RowSample.of(values.astype(float) + 0.0, np.zeros(41, int), 1, 16), one)


@pytest.mark.parametrize("n", [100, 5_000, 50_000])
def test_every_row_is_as_likely_as_another(n: int) -> None:
    """Of 200 samples none is far from the mean and spread of all rows, and sizes are right."""
    rng = np.random.default_rng(n)
    away = []
    for _ in range(200):
        values = rng.normal(size=n)
        sample = RowSample.of(values, np.zeros(n, int), 1, 64)
        assert len(sample) == 64
        away.append((sample.values.mean() - values.mean()) / np.sqrt((1 - 64 / n) / 64))
    assert abs(np.mean(away)) < 4 / np.sqrt(200)
    assert abs(np.std(away) - 1) < 4 / np.sqrt(400)


def test_many_copies_of_a_row_leave_room_for_others() -> None:
    values = np.concatenate([np.zeros(100_000), np.arange(1.0, 4.0)])
    sample = RowSample.of(values, np.zeros(len(values), int), 1, 8)
    assert sorted(sample.values[:, 0]) == [0, 1, 2, 3]
    assert sample.repeats.max() == 100_000


def test_what_does_not_go_together_is_not_merged() -> None:
    with pytest.raises(KaratError, match="K203"):
        RowSample.empty(1, 2, 5).merge(RowSample.empty(1, 2, 5, is_weighted=True))
    for other in (RowSample.empty(2, 2, 5), RowSample.empty(1, 3, 5), RowSample.empty(1, 2, 6)):
        with pytest.raises(KaratError, match="K201"):
            RowSample.empty(1, 2, 5).merge(other)


SAMPLE = RowSample.of([[0.5, 0.25], [0.5, 0.25], [1.0, 2.0]], [1, 1, 0], 2, 4, [1.0, 1.0, 0.5])


def test_every_damaged_byte_is_refused() -> None:
    data = SAMPLE.to_bytes()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 4
        with pytest.raises(KaratError, match=r"K205|K206"):
            RowSample.from_bytes(bytes(damaged))
        with pytest.raises(KaratError, match="K205"):
            RowSample.from_bytes(data[:place])


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="ladder"),
        lambda header: header.update(k=1),
        lambda header: header.update(k=True),
        lambda header: header.update(limit=0),
        lambda header: header.pop("limit"),
        lambda header: header["arrays"].pop(),
        at("values", shape=[4, 1]),
        at("values", dtype="<i8"),
        at("codes", dtype="<f8"),
        at("repeats", name="values"),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        RowSample.from_bytes(rewritten(SAMPLE.to_bytes(), change))


@pytest.mark.parametrize(
    "bad",
    [
        replace(SAMPLE, limit=0),
        replace(SAMPLE, values=SAMPLE.values + 1),
        replace(SAMPLE, values=SAMPLE.values * np.nan),
        replace(SAMPLE, weights=np.array([1.0, -1.0])),
        replace(SAMPLE, weights=None),
        replace(SAMPLE, repeats=np.array([0, 2])),
        replace(SAMPLE, repeats=np.array([2])),
        replace(SAMPLE, codes=np.array([1, 0])),
        replace(SAMPLE, codes=np.array([2, 0])),
        replace(SAMPLE, codes=np.array([-1, 0])),
        replace(SAMPLE, hashes=SAMPLE.hashes[::-1]),
        RowSample(*(np.concatenate([getattr(SAMPLE, name)] * 2) for name in FIELDS), 2, 4),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_are_refused(bad: RowSample) -> None:
    with pytest.raises(KaratError, match="K205"):
        RowSample.from_bytes(bad.to_bytes())


def test_a_sample_written_by_an_earlier_version_is_read() -> None:
    assert_equal(RowSample.from_bytes((STORED / "v1.karat-row-sample").read_bytes()), SAMPLE)


@pytest.mark.parametrize(
    ("told", "codes", "w"),
    [("A weight is negative", [0, 1], [0.5, -1.0]), ("A class lies outside", [-1, 0], [0.5, 1.0])],
)
def test_what_cannot_be_is_refused_whatever_the_hashes_say(
    told: str, codes: list[int], w: list[float]
) -> None:
    parts = SAMPLE.values, np.array(codes), np.array(w)
    bad = replace(SAMPLE, codes=parts[1], weights=parts[2], hashes=_hashed(*parts))
    with pytest.raises(KaratError, match=told):
        RowSample.from_bytes(bad.to_bytes())


def test_one_row_of_one_class_is_a_sample() -> None:
    one = RowSample.of([[0.5]], [0], 1, 1)
    assert_equal(RowSample.from_bytes(one.to_bytes()), one)


def test_neither_number_of_a_sample_may_be_wrong_alone() -> None:
    sample = RowSample.of(np.array([[0.5]]), np.array([0]), 2, 5, None)
    assert _inconsistency(sample) is None
    for change in ({"k": 0}, {"limit": 0}, {"k": 2.0}, {"limit": 1 << 31}):
        told = _inconsistency(replace(sample, **change))
        assert told == "The number of classes or the limit is not one"
