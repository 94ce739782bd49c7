"""Conversion of arguments to NumPy arrays, flags and numbers of threads."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Final

import numpy as np

from karat.errors import error, short
from karat.errors.options import option


def as_ndarray(values: Any) -> Any:
    """Return an array of exactly that type, or the memory of a CPU tensor; else None.

    Exact types are checked first, which is fast; torch is not imported.

    Example:
        >>> as_ndarray(np.array([1, 2])).tolist()
        [1, 2]
        >>> as_ndarray([1, 2]) is None
        True
    """
    kind = type(values)
    if kind is np.ndarray:
        return values
    if kind.__name__ == "Tensor" and kind.__module__ == "torch":
        try:
            array = values.numpy()
        except (RuntimeError, TypeError):
            return None  # on a device, with a gradient, or of a type that NumPy lacks
        return array if type(array) is np.ndarray else None  # an unrelated class of that name
    return None


def check_are_values(argument: str, given: Any, *, may_name: bool = False) -> None:
    """Refuse one value where a column is expected, such as False (K451).

    Args:
        may_name: whether a number may be the name of a column.
    """
    is_name = may_name and isinstance(given, Integral) and not isinstance(given, bool)
    parts = ("__getitem__", "__iter__", "take")
    if given is None or is_name or any(hasattr(given, part) for part in parts):
        return
    facts = {"value": short(given), "kind": type(given).__name__, "option": option(argument, "")}
    raise error("K451", argument=option(argument), **facts)


def check_flag(argument: str, value: Any, do: str) -> None:
    """Refuse values other than True and False: a text such as 'no' would count as True (K122)."""
    if not isinstance(value, bool | np.bool_):
        raise error("K122", argument=argument, value=value, choices="True, False", do=do)


_THREADS_MAX: Final = 4096


def check_threads(n_threads: Any) -> None:
    """Refuse an invalid number of threads: None, or an integer up to 4096 is valid (K122)."""
    is_count = isinstance(n_threads, int | np.integer) and not isinstance(
        n_threads, bool | np.timedelta64
    )
    if n_threads is not None and not (is_count and 1 <= n_threads <= _THREADS_MAX):
        raise error(
            "K122",
            argument="n_threads",
            value=n_threads,
            choices=f"None, 1 to {_THREADS_MAX}",
            do="None means KARAT_NUM_THREADS, else all cores.",
        )
