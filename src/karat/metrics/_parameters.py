"""Values of a metric's parameters: checked, and as plain numbers, text or tuples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import error, short
from karat.metrics._record import Parameter, Record

__all__ = ["checked", "unfit"]

_ENTRY_MIN, _ENTRY_MAX = 1e-20, 1e20
"""Sizes of the numbers in a matrix: times two sums of weights, they neither overflow nor vanish."""


def unfit(record: Record, found: str) -> Exception:
    """K302: what was found of a parameter, and what the parameters are."""
    texts = (f"{item.name}: {item.text.rstrip('.')}" for item in record.parameters)
    parameters = "; ".join(texts)
    return error("K302", metric=record.name, found=found, parameters=parameters or "none")


def checked(record: Record, item: Parameter, value: Any) -> Any:
    """The value as a plain number, flag or text; a matrix as tuples of its rows.

    Errors:
        K302 it is not what the parameter takes.
    """
    if value is None and item.default is None and not item.is_required:
        return None
    if item.kind == "choice":
        if not isinstance(value, str) or value not in item.choices:
            choices = ", ".join(map(repr, item.choices))
            raise unfit(record, f"{item.name}={short(value)} is none of {choices}")
        return value
    if item.kind == "count":
        is_whole = isinstance(value, int | np.integer) or (
            isinstance(value, float) and value.is_integer()
        )
        if not is_whole or isinstance(value, bool | np.bool_) or value < 1:
            raise unfit(record, f"{item.name}={short(value)} is not a whole number of at least 1")
        return int(value)
    if item.kind == "flag":
        if not isinstance(value, bool | np.bool_):
            raise unfit(record, f"{item.name}={short(value)} is not True or False")
        return bool(value)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise unfit(record, f"{item.name} has masked values")
    try:
        array = _real(value)
    except MemoryError:
        raise
    except Exception:  # a class of another library may raise anything
        raise unfit(record, f"{item.name}={short(value)} is not numeric") from None
    if item.kind == "number":
        is_number = not array.ndim and not isinstance(value, bool | np.bool_)
        if not is_number or not math.isfinite(float(array)):
            raise unfit(record, f"{item.name}={short(value)} is not a finite number")
        if item.above is not None and float(array) <= item.above:
            raise unfit(record, f"{item.name}={short(value)} is not above {item.above:g}")
        if item.below is not None and float(array) >= item.below:
            raise unfit(record, f"{item.name}={short(value)} is not below {item.below:g}")
        if item.most is not None and float(array) > item.most:
            raise unfit(record, f"{item.name}={short(value)} is above {item.most:g}")
        return float(array)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not np.isfinite(array).all():
        raise unfit(record, f"{item.name} is not a square matrix of finite numbers")
    sizes = np.abs(array[array != 0])
    if sizes.size and not _ENTRY_MIN <= sizes.min() <= sizes.max() <= _ENTRY_MAX:
        bad = sizes.min() if sizes.min() < _ENTRY_MIN else sizes.max()
        limits = f"{_ENTRY_MIN:g} to {_ENTRY_MAX:g}, or 0"
        raise unfit(record, f"{item.name} holds {bad:.3g}; its numbers have sizes of {limits}")
    return tuple(tuple(row) for row in array.tolist())


def _real(value: Any) -> npt.NDArray[np.float64]:
    """The numbers of a parameter; an exception says that they are none."""
    # NumPy would look into nested lists for ever, and read the text '2' as a number.
    if _depth(value) > 2:
        raise TypeError
    given = np.asarray(value)
    is_text = given.dtype.kind == "O" and any(isinstance(x, str | bytes) for x in given.flat)
    if given.dtype.kind not in "biufO" or is_text:
        raise TypeError
    with np.errstate(over="ignore"):
        return given.astype(np.float64)


def _depth(value: Any, limit: int = 3) -> int:
    """How deep lists are nested, as far as it matters."""
    if not limit or not isinstance(value, list | tuple):
        return 0
    return 1 + max((_depth(item, limit - 1) for item in value), default=0)
