"""Python objects as codes, by a dict and a callback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.kernels import reference
from tests.same import assert_same

ITEMS = st.one_of(st.integers(-2, 5), st.booleans(), st.sampled_from("abc"), st.sampled_from([1.0]))


def encoded(sequence: Any, table: dict[Any, int] | None = None) -> tuple[Any, dict[Any, int]]:
    made: dict[Any, int] = {} if table is None else table
    return _native.encode_objects(
        sequence, made, lambda x, row: made.setdefault(x, len(made))
    ), made


@given(st.lists(ITEMS, max_size=80))
@settings(max_examples=150, deadline=None)
def test_against_the_reference(items: list[Any]) -> None:
    codes, labels = reference.first_seen(items)
    objects = np.empty(len(items), object)
    objects[:] = items
    for sequence in (items, tuple(items), objects, objects[::-1][::-1]):
        got, table = encoded(sequence)
        assert_same(got, codes)
        assert list(table) == labels


def test_equal_objects_of_other_identity_get_one_code() -> None:
    texts = ["".join(["class ", str(i % 3)]) for i in range(1000)]
    assert_same(encoded(texts)[0], [i % 3 for i in range(1000)])


@pytest.mark.parametrize("length", range(20))
def test_texts_of_every_length_are_told_apart(length: int) -> None:
    texts = ["abcdefghijklmnopqrstu"[i % 2 : i % 2 + length] + "z" * (i % 3) for i in range(60)]
    texts += ["é" * length, "\ud800", "\0" * length, *map("".join, map(list, texts))]
    codes, labels = reference.first_seen(texts)
    got, table = encoded(texts)
    assert_same(got, codes)
    assert list(table) == labels


def test_equal_numbers_of_other_types_get_one_code() -> None:
    numbers = [2**40 + i % 2 for i in range(50)] + [
        0.0,
        -0.0,
        0,
        False,
        float(2**40),
        2**80,
        -(2**80),
    ]
    numbers += [int(str(x)) if isinstance(x, int) and x > 1 else x for x in numbers]
    codes, labels = reference.first_seen(numbers)
    got, table = encoded(numbers)
    assert_same(got, codes)
    assert list(table) == labels


def test_every_nan_is_given_to_the_callback() -> None:
    rows: list[int] = []
    nans = [float("nan") for _ in range(5)]

    def note(_item: Any, row: int) -> int:
        rows.append(row)
        return -1

    _native.encode_objects(nans, {}, note)
    assert rows == [0, 1, 2, 3, 4]


def test_types_are_counted() -> None:
    types: dict[type, int] = {}
    items = [1, True, "a", 2.0, "b", None, np.int64(3), "ab", 1] * 3
    _native.encode_objects(items, {}, lambda item, row: 0, types)
    assert types == {int: 6, bool: 3, str: 9, float: 3, type(None): 3, np.int64: 3}


def test_a_list_that_grows_or_moves_meanwhile_is_refused() -> None:
    items: list[Any] = [f"item {i}" for i in range(40)]

    def grow(item: Any, row: int) -> int:
        items.extend(map(str, range(1000)))
        return 0

    with pytest.raises(ValueError, match="changed its length"):
        _native.encode_objects(items, {}, grow)


def test_the_callback_learns_item_and_row() -> None:
    calls: list[tuple[Any, int]] = []

    def on_new(item: Any, row: int) -> int:
        calls.append((item, row))
        return -1

    codes = _native.encode_objects(["a", 7, "a"], {7: 5}, on_new)
    assert_same(codes, [-1, 5, -1])
    assert calls[0] == ("a", 0)


def test_an_unhashable_item_is_named() -> None:
    with pytest.raises(_native.Rejected) as caught:
        encoded(["a", "b", ["c"]])
    assert caught.value.args == ("unhashable", 0, 2)


class Hostile:
    """Hashes like "x" and fails when it is compared."""

    def __hash__(self) -> int:
        return hash("x")

    def __eq__(self, other: object) -> bool:
        raise TypeError("no comparison")


def test_an_error_of_a_comparison_propagates() -> None:
    with pytest.raises(TypeError, match="no comparison"):
        encoded([Hostile()], {"x": 0})


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_of_the_callback_propagates(error: type[BaseException]) -> None:
    def fail(item: Any, row: int) -> int:
        raise error

    with pytest.raises(error):
        _native.encode_objects([1, 2], {}, fail)


def test_a_list_that_shrinks_meanwhile_is_refused() -> None:
    items: list[Any] = ["a", "b", "c", "d"]

    def shrink(item: Any, row: int) -> int:
        del items[2:]
        return 0

    with pytest.raises(ValueError, match="changed its length"):
        _native.encode_objects(items, {}, shrink)


def test_items_replaced_meanwhile_stay_alive_while_needed() -> None:
    objects = np.array([f"item {i}" for i in range(600)], object)

    def replace(item: Any, row: int) -> int:
        objects[:] = None
        return row

    codes = _native.encode_objects(objects, {None: 9}, replace)
    assert_same(codes, [0] + [9] * 599)


@pytest.mark.parametrize("code", [2**31, -(2**31) - 1, 2**70])
def test_a_code_beyond_int32_is_refused(code: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        _native.encode_objects(["a"], {"a": code}, lambda item, row: 0)


@pytest.mark.parametrize(
    "sequence", [iter([1]), "abc", np.zeros(3), np.zeros((2, 2), object), {1: 2}, None]
)
def test_what_is_no_sequence_of_objects_is_refused(sequence: Any) -> None:
    on_new: Callable[[Any, int], int] = lambda item, row: 0  # noqa: E731
    with pytest.raises(TypeError):
        _native.encode_objects(sequence, {}, on_new)


def test_a_list_that_changes_in_its_last_row_is_refused() -> None:
    items: list[Any] = ["a", "b"]

    def shrink(item: Any, row: int) -> int:
        if item == "b":
            items.clear()
        return row

    with pytest.raises(ValueError, match="changed its length"):
        _native.encode_objects(items, {}, shrink)
