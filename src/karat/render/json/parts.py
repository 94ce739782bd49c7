"""The parts of a JSON text that claims to be a report, each with the place where it stands.

A refusal states the place, what stands there and what should stand there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.tally.serialization import each_once

__all__ = ["Part", "is_number", "parsed", "refused", "whole_number"]

_EXACT: Final = 1 << 53
"""Up to here a whole number written as a float, 3.0, is that number."""
_LONGEST: Final = 60
_MOST_DIGITS: Final = 300
"""Digits of a whole number; with more, float64 could not hold it."""


def refused(found: str, do: str = "Write the report again with to_json().") -> KaratError:
    """Return the error of a text that is not a whole report."""
    return error("K205", thing="report in JSON", found=found, do=do)


def parsed(text: str | bytes) -> Part:
    """Parse strict JSON: no NaN, no number too large, no key twice.

    Errors:
        K205 it is not JSON.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_countable,
            object_pairs_hook=each_once,
        )
    except RecursionError:
        raise refused("It is nested too deeply to be a report") from None
    except ValueError as problem:
        raise refused(f"It is not JSON: {problem}") from None
    return Part(value)


@dataclass(frozen=True, slots=True)
class Part:
    """A value in a JSON text, and its place.

    Attributes:
        value: what `json` made of it.
        path: ``"tally.cells[3][2]"``; empty for the whole text.
    """

    value: Any
    path: str = ""

    def is_not(self, wanted: str) -> KaratError:
        """Return the error of a part that is something else."""
        kinds: dict[type, str] = {dict: "an object", list: "a list"}
        shown = kinds.get(type(self.value)) or json.dumps(self.value)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        return refused(f"{self.path or 'It'} is {shown}, not {wanted}")

    def __getitem__(self, key: str) -> Part:
        found = self.get(key)
        if found is None:
            raise refused(f"{self._below(key)} is missing")
        return found

    def get(self, key: str) -> Part | None:
        """Return the part of that name, or None where there is none."""
        if not isinstance(self.value, dict):
            raise self.is_not("an object")
        return Part(self.value[key], self._below(key)) if key in self.value else None

    def fields(self) -> Iterator[tuple[str, Part]]:
        """Iterate over the names and parts of an object."""
        if not isinstance(self.value, dict):
            raise self.is_not("an object")
        return ((key, self[key]) for key in self.value)

    def items(self) -> Iterator[Part]:
        """Iterate over the parts of a list."""
        if not isinstance(self.value, list):
            raise self.is_not("a list")
        return (Part(item, f"{self.path}[{i}]") for i, item in enumerate(self.value))

    def counts(self) -> npt.NDArray[np.int64]:
        """Return a list of whole numbers, nested to any depth, as int64[...]."""
        numbers = self._numbers()
        is_float = numbers.dtype.kind == "f"
        if is_float and not ((numbers == np.floor(numbers)) & (np.abs(numbers) <= _EXACT)).all():
            raise self._first_wrong(lambda leaf: whole_number(leaf) is None, "a whole number")
        return numbers.astype(np.int64)

    def amounts(self) -> npt.NDArray[np.float64]:
        """Return a list of numbers, nested to any depth, as float64[...]."""
        return self._numbers().astype(np.float64)

    def _numbers(self) -> npt.NDArray[Any]:
        if not isinstance(self.value, list):
            raise self.is_not("a list of numbers")
        try:
            numbers = np.array(self.value) if self.value else np.zeros(0, np.int64)
        except ValueError:
            raise refused(f"{self.path} has rows that differ in length") from None
        # NumPy takes true for 1 where numbers stand beside it.
        if numbers.dtype.kind not in "if" or _has_flags(self.value):
            raise self._first_wrong(lambda leaf: not is_number(leaf), "a number")
        return numbers

    def _first_wrong(self, is_wrong: Any, wanted: str) -> KaratError:
        """Return the error of the first leaf of nested lists that is wrong."""
        for leaf in self._leaves():
            if is_wrong(leaf.value):
                return leaf.is_not(wanted)
        return refused(f"{self.path} has a number that is no float64 or 64-bit whole number")

    def _leaves(self) -> Iterator[Part]:
        for item in self.items():
            if isinstance(item.value, list):
                yield from item._leaves()
            else:
                yield item

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole_number(value: Any) -> int | None:
    """Return the whole number that a value is, 3 or 3.0; None for all else."""
    if not is_number(value) or value != value // 1:
        return None
    return int(value) if isinstance(value, int) or abs(value) <= _EXACT else None


def _has_flags(values: list[Any]) -> bool:
    kinds = set(map(type, values))
    return bool in kinds or (list in kinds and any(map(_has_flags, values)))


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:_LONGEST]} is larger than any number that is read")
    return number


def _countable(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{text[:20]}… has {len(text)} digits")
    return int(text)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON; a value that is not a finite number is null")
