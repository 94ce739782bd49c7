"""The laws of rows that are kept: concatenation, classes that come later, bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally import Classes, ScoreHistogram
from karat.tally.axes import Axis
from karat.tally.held_rows import HeldRows, RowChunk, impossible
from tests.same import assert_same
from tests.tally.score_tables import at, rewritten

STORED = Path(__file__).with_name("stored")
ABC = Classes.of(["a", "b", "c"])
FIELDS = ("codes", "values", "pred", "weights")


def rows_of(
    n: int, *, has_pred: bool = True, is_weighted: bool = True, dtype: str = "f8", seed: int = 0
) -> HeldRows:
    rng = np.random.default_rng(seed)
    codes, odds = rng.integers(0, 3, n).astype(np.int32), rng.random((n, 3))
    chunk = RowChunk(
        codes,
        (odds / odds.sum(axis=1, keepdims=True)).astype(dtype),
        rng.integers(0, 3, n).astype(np.int32) if has_pred else None,
        rng.random(n) if is_weighted else None,
    )
    return HeldRows(ABC, (chunk,), "probabilities", 1e-3)


def assert_equal(left: HeldRows, right: HeldRows) -> None:
    assert (left.classes, left.kind, left.tolerance) == (
        right.classes, right.kind, right.tolerance,
    )  # fmt: skip
    one, other = left.whole(), right.whole()
    for name in FIELDS:
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            assert_same(a, b, about=name)


given_kinds = given(
    has_pred=st.booleans(), is_weighted=st.booleans(), dtype=st.sampled_from(("f4", "f8")),
    sizes=st.lists(st.integers(0, 9), min_size=3, max_size=3),
)  # fmt: skip


@given_kinds
def test_merge_is_concatenation_in_order(sizes: list[int], **kind: Any) -> None:
    a, b, c = (rows_of(n, seed=i, **kind) for i, n in enumerate(sizes))
    whole = a.merge(b).merge(c)
    assert_equal(whole, a.merge(b.merge(c)))
    assert whole.n_rows == sum(sizes)
    assert whole.n_bytes == a.n_bytes + b.n_bytes + c.n_bytes
    parts = [each.whole().values for each in (a, b, c)]
    assert_same(whole.whole().values, np.concatenate(parts))
    assert whole.shape == a.shape


@given_kinds
def test_bytes_bring_the_rows_back(sizes: list[int], **kind: Any) -> None:
    rows = rows_of(sizes[0], **kind).merge(rows_of(sizes[1], seed=1, **kind))
    again = HeldRows.from_bytes(rows.to_bytes())
    assert_equal(again, rows)
    assert again.to_bytes() == rows.to_bytes()


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("values", np.nan, "A score is missing or infinite"),
        ("values", -np.inf, "A score is missing or infinite"),
        ("values", 1.5, "A probability is not between 0 and 1"),
        ("values", -1e-9, "A probability is not between 0 and 1"),
        ("values", 0.9, "The probabilities of a row do not sum to 1"),
        ("weights", -1.0, "A weight is negative, missing or infinite"),
        ("weights", np.nan, "A weight is negative, missing or infinite"),
        ("weights", np.inf, "A weight is negative, missing or infinite"),
    ],
)
def test_bytes_of_rows_that_cannot_be_are_refused(name: str, value: float, problem: str) -> None:
    rows = rows_of(20)
    getattr(rows.chunks[0], name)[7] = value
    with pytest.raises(KaratError, match=problem) as found:
        HeldRows.from_bytes(rows.to_bytes())
    assert found.value.code == "K205"
    if name == "values" and np.isfinite(value):
        scores = replace(rows, kind="logits")
        assert_equal(HeldRows.from_bytes(scores.to_bytes()), scores)


def test_where_some_scores_are_float64_all_are() -> None:
    both = rows_of(3, dtype="f4").merge(rows_of(4, dtype="f8"))
    assert both.whole().values.dtype == np.float64


def test_the_wider_tolerance_holds() -> None:
    assert replace(rows_of(2), tolerance=0.5).merge(rows_of(2)).tolerance == 0.5


def test_classes_that_come_later_move_the_codes() -> None:
    wide = Classes.of(["_", "a", "aa", "b", "c"])
    rows = rows_of(20)
    moved = rows.recoded(wide)
    for name in ("codes", "pred"):
        before, after = (getattr(each.whole(), name) for each in (rows, moved))
        assert after.dtype == np.int32
        assert [wide.labels[i] for i in after] == [ABC.labels[i] for i in before]
    more = Classes.of(["a", "b", "c", "d"])
    assert rows.recoded(more).chunks[0] is rows.chunks[0]


def test_a_refusal_names_the_prediction_of_either_side() -> None:
    with pytest.raises(KaratError, match="left y_pred, right that of the scores"):
        rows_of(2).merge(rows_of(2, has_pred=False))
    with pytest.raises(KaratError, match="left that of the scores, right y_pred"):
        rows_of(2, has_pred=False).merge(rows_of(2))


@pytest.mark.parametrize(
    ("other", "code"),
    [
        (rows_of(2, has_pred=False), "K202"),
        (rows_of(2, is_weighted=False), "K203"),
        (replace(rows_of(2), kind="logits"), "K202"),
        (replace(rows_of(2), kind="scores"), "K202"),
        (replace(rows_of(2), classes=Classes.of(["a", "b", "d"])), "K201"),
        (HeldRows(Classes.of([0, 1]), (RowChunk(np.zeros(1, np.int32), np.zeros(1), None, None),),
                  "probabilities", 1e-3), "K201"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_not_merged(other: HeldRows, code: str) -> None:
    with pytest.raises(KaratError, match=code):
        rows_of(2).merge(other)


ROWS = HeldRows(
    Classes(("a", "ç"), positive=1),
    (
        RowChunk(
            np.array([0, 1], np.int32), np.array([0.5, 0.25], np.float32),
            np.array([1, 1], np.int32), np.array([1.0, 0.5]),
        ),
    ),
    "probabilities",
    1e-3,
)  # fmt: skip


def test_classes_of_some_columns_may_not_have_come() -> None:
    for classes, values in (
        (Classes.of(["a"]), np.zeros(2)),
        (Classes.of(["a", "b"]), np.zeros((2, 4))),
    ):
        chunk = RowChunk(np.zeros(2, np.int32), values)
        rows = HeldRows(classes, (chunk,), "scores", 0.0)
        assert_equal(HeldRows.from_bytes(rows.to_bytes()), rows)


def test_every_damaged_byte_is_refused() -> None:
    data = ROWS.to_bytes()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 16
        with pytest.raises(KaratError, match=r"K205|K206"):
            HeldRows.from_bytes(bytes(damaged))
        with pytest.raises(KaratError, match="K205"):
            HeldRows.from_bytes(data[:place])


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="ladder"),
        lambda header: header.update(labels=["a"]),
        lambda header: header.update(labels=["a", "a"]),
        lambda header: header.update(labels=["a", ["b"]]),
        lambda header: header.update(positive=2),
        lambda header: header.update(kind="chances"),
        lambda header: header.pop("kind"),
        lambda header: header.update(tolerance=-1),
        lambda header: header.update(tolerance="x"),
        lambda header: header.pop("tolerance"),
        lambda header: header.pop("is_declared"),
        lambda header: header.update(arrays=[]),
        at("values", shape=[1, 2]),
        at("values", dtype="<i4"),
        at("codes", dtype="<f4"),
        at("pred", name="codes"),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        HeldRows.from_bytes(rewritten(ROWS.to_bytes(), change))


@pytest.mark.parametrize(
    "change",
    [
        {"codes": np.array([0, 2], np.int32)},
        {"codes": np.array([0, -1], np.int32)},
        {"codes": np.array([0, 1], np.int64)},
        {"pred": np.array([0, 2], np.int32)},
        {"pred": np.array([0], np.int32)},
        {"values": np.zeros((2, 1))},
        {"values": np.zeros(3)},
        {"values": np.zeros((2, 2, 2))},
        {"values": np.zeros(2, np.int64)},
        {"weights": np.zeros(3)},
        {"weights": np.zeros((2, 1))},
        {"weights": np.zeros(2, np.int64)},
    ],
)
def test_rows_that_cannot_be_are_refused(change: Any) -> None:
    bad = replace(ROWS, chunks=(replace(ROWS.chunks[0], **change),))
    with pytest.raises(KaratError, match="K205"):
        HeldRows.from_bytes(bad.to_bytes())


def test_other_species_are_refused() -> None:
    with pytest.raises(KaratError, match="K205"):
        HeldRows.from_bytes(ScoreHistogram.empty(2).to_bytes())


def test_rows_written_by_an_earlier_version_are_read() -> None:
    assert_equal(HeldRows.from_bytes((STORED / "v1.karat-held-rows").read_bytes()), ROWS)


def test_sums_of_probabilities_may_be_at_the_tolerance() -> None:
    # A float64 that is 1 and a quarter, and a little, which the tolerance and its slack make.
    away = 0.25 + 4504 * 2.0**-52
    tolerance = away - 1e-12
    assert tolerance + 1e-12 == away
    chunk = RowChunk(np.zeros(1, np.int32), np.array([[0.25 + (away - 0.25), 1.0]]), None, None)
    assert impossible(chunk, tolerance) is None
    assert impossible(chunk, np.nextafter(tolerance, 0)) is not None


def test_rows_that_come_one_by_one_are_held_in_few_chunks() -> None:
    held = rows_of(1)
    for seed in range(1, 300):
        held = held.merge(rows_of(1, seed=seed))
        # Up to seven of each size, of 1, 8, 64 and 512 rows.
        assert len(held.chunks) <= 7 * (1 + (seed + 1).bit_length() // 3)
    assert len(held.whole().codes) == 300
    assert len(held.chunks) < 25


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"is_weighted": True}, {"is_weighted": False}, "(?s)weighted.*unweighted"),
        ({"is_weighted": False}, {"is_weighted": True}, "(?s)unweighted.*weighted"),
        ({"has_pred": True}, {"has_pred": False}, "(?s)y_pred.*that of the scores"),
    ],
)
def test_what_does_not_go_together_is_named_side_by_side(one: Any, other: Any, told: str) -> None:
    with pytest.raises(KaratError, match=told):
        rows_of(3, **one).merge(rows_of(3, **other))


def test_one_column_does_not_go_with_several() -> None:
    two = Classes.of(["a", "b"])
    codes = np.array([0, 1], np.int32)
    one = HeldRows(two, (RowChunk(codes, np.array([0.2, 0.9]), None, None),), "probabilities", 1e-3)
    both = np.array([[0.8, 0.2], [0.1, 0.9]])
    several = HeldRows(two, (RowChunk(codes, both, None, None),), "probabilities", 1e-3)
    with pytest.raises(KaratError, match=r"(?s)K201.*one column.*2 columns of scores"):
        one.merge(several)


def test_some_of_the_rows_keep_their_axes() -> None:
    codes, values = np.arange(4, dtype=np.int32) % 3, np.full((4, 3), 1 / 3)
    axes = np.array([[0, 1, 2, 3], [3, 2, 1, 0]], np.int32)
    part = RowChunk(codes, values, None, None, axes=axes).at(slice(1, 3))
    assert part.axes is not None
    assert part.axes.tolist() == [[1, 2], [2, 1]]
    assert part.codes.tolist() == [1, 2]


def test_bytes_are_counted_as_the_rows_came() -> None:
    chunk = RowChunk(np.zeros(4, np.int32), np.zeros((4, 3)), None, None)
    assert chunk.n_bytes == 4 * 4 + 4 * 3 * 8
    assert replace(chunk, n_given=64).n_bytes == 64


def test_codes_of_axes_fit_the_rows() -> None:
    one = HeldRows(
        ABC,
        (replace(rows_of(3).whole(), axes=np.array([[0, 1, 0]], np.int32)),),
        "probabilities",
        1e-3,
        axes=(Axis("site", ("x", "y")),),
    )
    assert HeldRows.from_bytes(one.to_bytes()).whole().axes.tolist() == [[0, 1, 0]]  # type: ignore[union-attr]
    for codes in (np.zeros((2, 3), np.int32), np.array([[0, 2, 0]], np.int32)):
        bad = replace(one, chunks=(replace(one.chunks[0], axes=codes),))
        with pytest.raises(KaratError, match="K205"):
            HeldRows.from_bytes(bad.to_bytes())
