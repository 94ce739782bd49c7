"""Python objects → `Column`: lists, tuples and object arrays."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.column import Column, Nulls, coded, refused, with_missing
from karat.data.labels.identity import NotALabelError, is_missing, label_of
from karat.errors import error, short
from karat.tally.classes import Label

__all__ = ["encode_objects"]

_MISSING = -1

Items = list[Any] | tuple[Any, ...] | npt.NDArray[np.object_]


_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction, type(None))
"""Whose == compares by value. Any other class may say that it equals a number; it is asked."""

_NEVER = (complex, np.complexfloating, np.timedelta64, np.datetime64)
"""What is no label even where it equals one, as 1+0j equals 1."""


def encode_objects(items: Items, argument: str, nulls: Nulls) -> Column:
    """Labels of Python objects, found by hash as a dict finds its keys.

    Args:
        items: a list, a tuple or object[n]; at least one row.

    Errors:
        K104 missing, K105 not whole, K106 not a label, K107 strings beside numbers.

    Cost: one hash a row; a Python call for each distinct value only.
    """
    table: dict[object, int] = {}
    labels: list[Label] = []
    places: dict[Label, int] = {}
    types: dict[type, int] = {}

    def on_new(item: object, _row: int) -> int:
        label = label_of(item)
        if label is None:
            # A NaN is found by identity: a column of many would fill the table.
            if item is None:
                table[item] = _MISSING
            return _MISSING
        # b"a" and "a", or two tensors of one value, are one label under several keys.
        code = places.get(label)
        if code is None:
            code = places[label] = len(labels)
            labels.append(label)
        table[item] = code
        return code

    try:
        codes = _native.encode_objects(items, table, on_new, types)
    except MemoryError:
        raise
    except Exception as problem:  # NotALabelError, Rejected, or whatever a hash or an == raised
        plain = _without_arrays(items)
        if plain is not None:
            return encode_objects(plain, argument, nulls)
        raise _refusal(items, argument, problem) from None
    is_missing_row = codes == _MISSING if codes.min() < 0 else None
    if not all(isinstance(label, str) for label in labels):
        n_missing = 0 if is_missing_row is None else int(np.count_nonzero(is_missing_row))
        labels = _numbers_by_type(items, argument, labels, types, n_missing)
    return with_missing(coded(argument, codes, labels), is_missing_row, nulls)


def _numbers_by_type(
    items: Items, argument: str, labels: list[Label], types: dict[type, int], n_missing: int
) -> list[Label]:
    """Judge the numbers by their types, whichever of equal ones came first."""
    # 1+0j is found as 1 when 1 came first, and refused when it came first itself.
    unsure = {kind for kind in types if not issubclass(kind, _NUMBERS) or issubclass(kind, _NEVER)}
    if unsure and any(_problem(item) for item in items if type(item) in unsure):
        raise _refusal(items, argument)
    # True beside 1 is an integer in either order.
    if types.get(bool, 0) + types.get(np.bool_, 0) + n_missing < len(items):
        return [label if isinstance(label, str) else int(label) for label in labels]
    return labels


def _without_arrays(items: Items) -> list[Any] | None:
    """The values of arrays without a dimension, which cannot be hashed; None if there are none."""
    if not any(isinstance(item, np.ndarray) and not item.ndim for item in items):
        return None
    plain = [_value_of(item) for item in items]
    # An array of objects may hold itself.
    is_nested = any(isinstance(item, np.ndarray) and not item.ndim for item in plain)
    return None if is_nested else plain


def _value_of(item: Any) -> Any:
    if not isinstance(item, np.ndarray) or item.ndim:
        return item
    return None if np.ma.is_masked(item) else np.asarray(item)[()]


def _refusal(
    items: Sequence[Any] | npt.NDArray[np.object_], argument: str, problem: Exception | None = None
) -> Exception:
    """The error of the first value that is no label; every row is read to count its like."""
    n = len(items)
    first: tuple[int, object, str] | None = None
    count = 0
    for row, item in enumerate(items):
        code = _problem(item)
        if code is None:
            continue
        if first is None:
            first = (row, item, code)
        count += code == first[2]
    if first is None:
        why = "" if problem is None else f": {short(problem)}"
        return error("K106", argument=argument, found=f"Its values cannot be compared{why}")
    row, item, code = first
    return refused(argument, code, item, row, count, n)


def _problem(item: object) -> str | None:
    try:
        hash(item)
        label_of(item)
    except NotALabelError as problem:
        return problem.code
    except Exception:  # the hash of a class of another library may raise anything
        return "K106"
    is_missing_time = isinstance(item, np.datetime64 | np.timedelta64) and is_missing(item)
    return "K106" if isinstance(item, _NEVER) and not is_missing_time else None
